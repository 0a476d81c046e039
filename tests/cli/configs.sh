#!/bin/sh
# Every recipe in configs/ builds, on few games, and gives what its comments promise.
. tests/cli/lib.sh

OUT=${OUT:-build/release}
demo_games 40 >"$tmp/plain.pgn"
# The same between stronger players.
sed 's/^\[\(White\|Black\)Elo .*/[\1Elo "1900"]/' "$tmp/plain.pgn" >"$tmp/month.pgn"
# The standard array is one of the 960.
awk '/^\[Event /{print; print "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]"; next} {print}' \
    "$tmp/month.pgn" >"$tmp/960.pgn"
"$OUT/tests/makegames" 60 60 1 >"$tmp/evals.pgn"

# builds NAME GAMES OPTIONS...
builds() {
    config=$1 games=$2
    shift 2
    "$PLYMILL" build "configs/$config.toml" --input "$tmp/$games.pgn" -o "$tmp/$config" --quiet "$@" >"$tmp/out" &&
        awk 'NR > 1 && $1 == "kept" { kept = $2 } END { exit !(kept > 20) }' "$tmp/out"
}
# holds NAME FORMAT: the training file is read back whole.
holds() {
    file=$(ls "$tmp/$1/dataset/train.$2"*) &&
        "$PLYMILL" inspect "$file" --json --quiet | grep -qE '"records": [1-9]'
}
labeled="--engine $FAKE_ENGINE --workers 2"
check 'tinynnue' builds tinynnue plain $labeled --export.score_scale 2
check 'tinynnue: plain' holds tinynnue plain
check 'tinynnue: csv' holds tinynnue csv
check 'demo' builds demo plain $labeled --export.score_scale 2
check 'lichess-month' builds lichess-month month $labeled
check 'lichess-month: bullet' holds lichess-month bullet
wants_ratings() {
    builds lichess-month plain $labeled -o "$tmp/none" && grep -q '^  games: rating  *19$' "$tmp/out"
}
check 'lichess-month refuses 19 games of weak players' wants_ratings
two_million() {
    "$PLYMILL" config configs/lichess-month.toml --bare | grep -qx 'max_games = 2000000'
}
check 'lichess-month takes 2,000,000 games' two_million
check 'lichess-evals, without an engine' env PLYMILL_ENGINE=/nonexistent sh -c 'exec "$0" "$@"' \
    "$PLYMILL" build configs/lichess-evals.toml --input "$tmp/evals.pgn" -o "$tmp/lichess-evals" --quiet
check 'lichess-evals: csv' holds lichess-evals csv
check 'bullet' builds bullet month $labeled
check 'bullet: its records' holds bullet bullet
bullet_is_whole() {
    [ $(($(wc -c <"$tmp/bullet/dataset/train.bullet") % 32)) -eq 0 ]
}
check 'bullet: 32 bytes a record' bullet_is_whole
check 'nnue-pytorch' builds nnue-pytorch month $labeled --export.score_scale 2
check 'nnue-pytorch: binpack' holds nnue-pytorch binpack
chains() {
    bytes=$(wc -c <"$tmp/nnue-pytorch/dataset/train.binpack")
    records=$("$PLYMILL" inspect "$tmp/nnue-pytorch/dataset/train.binpack" --json --quiet | sed -n 's/.*"records": \([0-9]*\).*/\1/p')
    echo "$bytes bytes, $records records"
    [ "$records" -gt 500 ] && [ $((bytes / records)) -lt 8 ]
}
check 'nnue-pytorch: in chains' chains
says_the_unit() {
    fails 2 'export.score_scale' "$PLYMILL" build configs/nnue-pytorch.toml --input "$tmp/month.pgn" \
        $labeled -o "$tmp/unit" --quiet
}
check 'nnue-pytorch asks for the unit of an unknown engine' says_the_unit
check 'stockfish19, with another engine' builds stockfish19 month $labeled
check 'stockfish19: csv' holds stockfish19 csv
check 'chess960' builds chess960 960 $labeled
check 'chess960: marlin' holds chess960 marlin
all_here() {
    for file in configs/*.toml; do
        name=$(basename "$file" .toml)
        [ -d "$tmp/$name" ] || { echo "$file is built by no test"; return 1; }
        head -1 "$file" | grep -q '^# ' || { echo "$file does not say what it is"; return 1; }
    done
}
check 'no recipe is left out' all_here
finish
