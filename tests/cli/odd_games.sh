#!/bin/sh
# Archives that hold what nobody expects: every game and sample is accounted for, and files that have
# nothing to hold are valid files.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[sample]
per_game = "all"
min_ply = 0
in_check = true
[label]
nodes = 50
[filter]
mate = "keep"
capture = "keep"
promotion = "keep"
[split]
duplicates = "none"
leaks = "keep"
[export]
formats = ["plain", "csv"]
score_scale = 2.0
T
cat >"$tmp/odd.pgn" <<'T'
[Event "unknown result, ratings that are no ratings"]
[Site "https://lichess.org/aaaaaaaa"]
[Result "*"]
[WhiteElo "99999999999999999999"]
[BlackElo "-5"]

1. e4 e5 2. Nf3 *

[Event "no moves"]
[Site "https://lichess.org/bbbbbbbb"]
[Result "1-0"]

1-0

[Event "no result, no end"]
[Site "https://lichess.org/cccccccc"]
[WhiteElo "?"]

1. d4 d5

[Event "Chess960: castling moves the king from e1 to g1, the rook stays on f1"]
[Site "https://lichess.org/dddddddd"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w KQkq - 0 1"]
[Result "1-0"]

1. e4 e5 2. f4 f6 3. Nf3 Nge7 4. O-O O-O 1-0

[Event "the first one, shorter"]
[Site "https://lichess.org/aaaaaaaa/black#1"]
[Result "0-1"]

1. e4 e5 0-1

[Event "mate: no move at the end"]
[Site "https://lichess.org/eeeeeeee"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "illegal"]
[Site "https://lichess.org/ffffffff"]
[Result "1-0"]

1. e4 e4 1-0
T
build() {
    build_fresh --engine "$FAKE_ENGINE" "$@"
}
# count NAME VALUE: of the funnel's column "all".
count() {
    sed 's/,//g' "$tmp/funnel" | grep -qE "^  $1 +$2( |$)" || { cat "$tmp/funnel"; return 1; }
}
counts() {
    while [ $# -gt 0 ]; do
        count "$1" "$2" || { echo "$1 is not $2"; return 1; }
        shift 2
    done
}
rows_of() {
    for split in train validation test; do
        zstd -dcq "$tmp/b/dataset/$split.csv.zst" | tail -n +2
    done
}
# The games' plies: 3, 0, 2, 8, 4 of mate. Positions: one more each, but none behind the mate.
check 'odd games' build --input "$tmp/odd.pgn" --input.variants standard,chess960
check 'are counted' counts 'games read' 7 'games used' 5 'games: duplicate game' 1 \
    'games: illegal move' 1 'positions: no legal move at the end' 1 \
    samples $((4 + 1 + 3 + 9 + 4)) kept $((4 + 1 + 3 + 9 + 4))
# Without a result: aaaaaaaa and cccccccc.
check 'plain refuses what has no result' count 'plain: no result' $((4 + 3))
unknown_results() {
    [ "$(rows_of | grep -c ',\*,')" -eq 7 ] && [ "$(rows_of | wc -l)" -eq 21 ]
}
check 'csv keeps it' unknown_results
castled() {
    rows_of | grep -q '^dddddddd,7,bqnrkr1b/ppppn1pp/5p2/4p3/4PP2/5N2/PPPP2PP/BQNR1RKB b kq - ' ||
        { rows_of | grep '^dddddddd,7'; return 1; }
}
check 'Chess960 castles' castled
check 'without Chess960' build --input "$tmp/odd.pgn"
check 'it is another variant' counts 'games: variant' 1 'games used' 4 samples 12
check 'Chess960 alone' build --input "$tmp/odd.pgn" --input.variants chess960
check 'takes one game' counts 'games: variant' 6 'games used' 1 samples 9

check 'positions set up alone' build --input "$tmp/odd.pgn" --input.variants from-position
check 'takes none' counts 'games: variant' 7 samples 0

# valid_and_empty: records and datasets are files without a record, and the sums hold.
valid_and_empty() {
    "$PLYMILL" build "$tmp/b" --engine "$FAKE_ENGINE" --quiet >"$tmp/out" || return 1
    (cd "$tmp/b" && sha256sum -c --quiet SHA256SUMS) || return 1
    [ "$(rows_of | wc -l)" -eq 0 ] || return 1
    for split in train validation test; do
        [ "$(zstd -dcq "$tmp/b/dataset/$split.plain.zst" | wc -c)" -eq 0 ] || return 1
    done
    grep -q '"records": 0' "$tmp/b/manifest.json"
}
printf '[Event "x"]\n[Result "1-0"]\n\n1. e4 e4 1-0\n\n' >"$tmp/rejected.pgn"
check 'all games rejected' build --input "$tmp/rejected.pgn"
check 'none is used' counts 'games read' 1 'games used' 0 samples 0 kept 0
check 'empty files' valid_and_empty
check 'no sample' build --input "$tmp/odd.pgn" --sample.min_ply 1000
check 'none is used' counts 'games used' 0 'games: no eligible position' 4 samples 0
check 'empty files' valid_and_empty
check 'an empty split' build --input "$tmp/odd.pgn" --split.shares 0,0,100
empty_train() {
    [ "$(zstd -dcq "$tmp/b/dataset/train.csv.zst" | wc -l)" -eq 1 ] &&
        [ "$(zstd -dcq "$tmp/b/dataset/test.csv.zst" | wc -l)" -eq 13 ]
}
check 'all in test' empty_train

awk 'BEGIN {
    print "[Event \"long\"]\n[Site \"https://lichess.org/gggggggg\"]\n[Result \"1/2-1/2\"]\n"
    for (i = 1; i <= 3000; i++) print i ". " (i % 2 ? "Nf3 Nf6" : "Ng1 Ng8")
    print "1/2-1/2" }' >"$tmp/long.pgn"
check '6,000 plies in 1 MiB of memory' build --input "$tmp/long.pgn" --build.memory 1
check 'all of them are samples' counts samples 6001 kept 6001
cp -r "$tmp/b" "$tmp/small"
check 'in 512 MiB' build --input "$tmp/long.pgn" --build.memory 512
check 'it is the same build' same "$tmp/small/manifest.json" "$tmp/b/manifest.json"

# Nothing is left: a build like any other, which says so and proposes no net.
nothing_left() {
    said=$1
    shift
    rm -rf "$tmp/b"
    "$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/b" --engine "$FAKE_ENGINE" "$@" >"$tmp/funnel" \
        2>"$tmp/err" || return 1
    grep -q '^build id ' "$tmp/funnel" && ! grep -q 'plymill train' "$tmp/funnel" || { cat "$tmp/funnel"; return 1; }
    [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$tmp/b: $said" "$tmp/err" || { cat "$tmp/err"; return 1; }
    "$PLYMILL" verify "$tmp/b" --engine "$FAKE_ENGINE" --quiet >"$tmp/said" || return 1
}
check 'no game is wanted' nothing_left 'no position was kept, there is nothing to train on' \
    --input "$tmp/odd.pgn" --input.min_elo 3000
check 'it kept nothing' counts samples 0 kept 0 'games used' 0
check 'no position is wanted' nothing_left 'no position was kept' --input "$tmp/odd.pgn" --filter.pieces 2,2
check 'its samples were refused' counts samples 12 kept 0 'number of pieces' 12
check 'nothing in train' nothing_left 'no position of the training split was kept' --input "$tmp/odd.pgn" \
    --split.shares 0,50,50
# Without tags only the moves say that it is a game: it is one that no filter can judge.
printf '1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n' >"$tmp/bare.pgn"
check 'games without tags, where ratings are asked for' nothing_left 'no position was kept' \
    --input "$tmp/bare.pgn" --input.min_elo 1500
check 'they are games' counts 'games read' 2 'games: rating' 2
stages_say() {
    rm -rf "$tmp/b"
    "$PLYMILL" sample "$tmp/recipe.toml" --quiet -o "$tmp/b" --input "$tmp/bare.pgn" \
        --input.min_elo 1500 >"$tmp/funnel" 2>"$tmp/err" && grep -q "$tmp/b: no position was sampled" "$tmp/err" &&
        "$PLYMILL" label "$tmp/b" --quiet --engine "$FAKE_ENGINE" &&
        "$PLYMILL" select "$tmp/b" --quiet >"$tmp/funnel" 2>"$tmp/err" && grep -q "$tmp/b: no position was kept" "$tmp/err"
}
check 'sample and select say so, too' stages_say

# Positions of one game on which the engine dies: quarantined, and the sum of fates is the samples.
quarantined() {
    rm -rf "$tmp/b"
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/odd.pgn" --quiet -o "$tmp/b" \
        --engine "$FAKE_ENGINE --die-on rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2" >"$tmp/funnel" || return 1
    counts samples 12 'engine failure' 1 kept 11 || return 1
    grep -qE '^position	eeeeeeee	3	.*ended in the middle' "$tmp/b/quarantine.tsv"
}
check 'a position that kills engines' quarantined
too_many() {
    rm -rf "$tmp/b"
    fails 75 "go on with: plymill build $tmp/b" "$PLYMILL" build "$tmp/recipe.toml" --quiet \
        --input "$tmp/odd.pgn" -o "$tmp/b" --label.max_restarts 0 \
        --engine "$FAKE_ENGINE --die-on rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2" || return 1
    "$PLYMILL" build "$tmp/b" --engine "$FAKE_ENGINE" --quiet >"$tmp/funnel" && counts kept 12
}
check 'too many failures end with 75, and the build can go on' too_many
finish
