#!/bin/sh
# Games of the same id: the one with most plies wins, then most evals, then the smallest SHA-256 of its
# text, whatever the order of the inputs. Positions: duplicates inside a split, leaks between splits.
. tests/cli/lib.sh

# game FILE ID MOVES...
game() {
    file=$1 id=$2
    shift 2
    printf '[Event "x"]\n[Site "https://lichess.org/%s"]\n[Result "1-0"]\n\n%s 1-0\n\n' "$id" "$*" \
        >>"$file"
}
long='1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O'
short='1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1'
evals='1. e4 { [%eval 0.3] } e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. d3 b5 7. Bb3 d6 8. c3 O-O'
other='1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Qe2 b5 7. Bb3 d6 8. c3 O-O'

# One file a game: by plies (aaaaaaa1), by evals (aaaaaaa2), by text (aaaaaaa3), and one alone.
game "$tmp/1.pgn" aaaaaaa1 "$short"
game "$tmp/1.pgn" aaaaaaa2 "$evals"
game "$tmp/1.pgn" aaaaaaa3 "$long"
game "$tmp/2.pgn" aaaaaaa1 "$long"
game "$tmp/2.pgn" aaaaaaa2 "$other"
game "$tmp/2.pgn" aaaaaaa3 "$other"
game "$tmp/3.pgn" aaaaaaa1 "$short"
game "$tmp/3.pgn" aaaaaaa2 "$long"
game "$tmp/3.pgn" aaaaaaa3 "$other"
game "$tmp/3.pgn" aaaaaaa4 "$long"

cat >"$tmp/recipe.toml" <<'T'
[sample]
per_game = "all"
min_ply = 0
[label]
nodes = 50
[filter]
capture = "keep"
mate = "keep"
[split]
shares = [100, 0, 0]
duplicates = "none"
leaks = "keep"
[export]
formats = ["csv"]
T
build_order() {
    rm -rf "$tmp/$1$2$3"
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE" --quiet -o "$tmp/$1$2$3" \
        --input "$tmp/$1.pgn,$tmp/$2.pgn,$tmp/$3.pgn"
}
moves_of() {
    zstd -dcq "$tmp/123/dataset/train.csv.zst" | grep "^$1," | sort -t, -k2n |
        awk -F, '{ printf "%s ", $5 }'
}
game_is() {
    [ "$(moves_of "$1")" = "$2" ] || { echo "$1: $(moves_of "$1")"; return 1; }
}
# The text whose SHA-256 is smaller, computed here: from the first tag to the result.
text_sha() {
    printf '[Event "x"]\n[Site "https://lichess.org/aaaaaaa3"]\n[Result "1-0"]\n\n%s 1-0' "$1" |
        sha256sum
}
spanish='e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7'
tail='b7b5 a4b3 d7d6 c2c3 e8g8  '
if [ "$(printf '%s\n%s\n' "$(text_sha "$long")" "$(text_sha "$other")" | sort | head -n 1)" = \
    "$(text_sha "$long")" ]; then
    third='f1e1'
else
    third='d1e2'
fi

check 'a build' build_order 1 2 3
check 'most plies win' game_is aaaaaaa1 "$spanish f1e1 $tail"
check 'then most evals' game_is aaaaaaa2 "$spanish d2d3 $tail"
check 'then the smallest SHA-256 of the text' game_is aaaaaaa3 "$spanish $third $tail"
counted() {
    "$PLYMILL" status "$tmp/123" | grep -qE '^  games: duplicate game +6$'
}
check 'six losers are counted' counted
for order in '1 3 2' '2 1 3' '2 3 1' '3 1 2' '3 2 1'; do
    # shellcheck disable=SC2086
    set -- $order
    check "order $1 $2 $3 builds" build_order "$1" "$2" "$3"
    check "order $1 $2 $3 gives the same records" \
        same "$tmp/123/records/train.rec" "$tmp/$1$2$3/records/train.rec"
done

# Positions. All games share their first ten plies: with duplicates = "board" each stays once.
dedup() {
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE" --quiet -o "$tmp/dedup" \
        --input "$tmp/1.pgn,$tmp/2.pgn,$tmp/3.pgn" --split.duplicates board || return 1
    zstd -dcq "$tmp/dedup/dataset/train.csv.zst" | tail -n +2 | cut -d, -f3 | cut -d' ' -f1-4 |
        sort >"$tmp/boards"
    zstd -dcq "$tmp/123/dataset/train.csv.zst" | tail -n +2 | cut -d, -f3 | cut -d' ' -f1-4 |
        sort -u >"$tmp/unique"
    same "$tmp/boards" "$tmp/unique"
}
check 'duplicates by board: every board once' dedup
leaks() {
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE" --quiet -o "$tmp/leaks" \
        --input "$tmp/1.pgn,$tmp/2.pgn,$tmp/3.pgn" --split.duplicates board \
        --split.shares 34,33,33 --split.leaks drop-from-held-out --split.leak_key board || return 1
    for split in train validation test; do
        zstd -dcq "$tmp/leaks/dataset/$split.csv.zst" | tail -n +2 | cut -d, -f3 |
            cut -d' ' -f1-4 | sort >"$tmp/$split"
    done
    cat "$tmp/train" "$tmp/validation" "$tmp/test" | sort | uniq -d >"$tmp/common"
    [ ! -s "$tmp/common" ] || { echo "in two splits:"; cat "$tmp/common"; return 1; }
    cat "$tmp/train" "$tmp/validation" "$tmp/test" | sort >"$tmp/boards"
    same "$tmp/boards" "$tmp/unique"
}
check 'no board stands in two splits, and none is lost' leaks
finish
