#!/bin/sh
# bench: the table and the JSON, on sums that scan knows; the times themselves are not tested.
. tests/cli/lib.sh

sums_are_those_of_scan() {
    "$PLYMILL" bench scan --runs 1 --json >"$tmp/json" || return 1
    "$PLYMILL" scan configs/demo.pgn.zst >"$tmp/line" || return 1
    sed -n 's/.*"games": \([0-9]*\), "plies": \([0-9]*\), "hash": "\([0-9a-f]*\)".*/games=\1 plies=\2 hash=\3/p' \
        "$tmp/json" >"$tmp/sums"
    grep -q "^$(cat "$tmp/sums") errors=" "$tmp/line"
}
rows_are_four() {
    [ "$(grep -c '"name": "[a-z]*", "median_ns": [0-9.]*, "p95_ns": [0-9.]*, ' "$tmp/json")" -eq 4 ]
}
plain_text_is_packed() {
    printf '[A "b"]\n\n1. e4 e5 2. Nf3 *\n' >"$tmp/g.pgn"
    "$PLYMILL" bench scan "$tmp/g.pgn" --runs 3 >"$tmp/out" || return 1
    grep -q '1 games, 3 half-moves' "$tmp/out" && grep -q 'packed by zstd' "$tmp/out"
}

check 'the sums are those of scan' sums_are_those_of_scan
check 'JSON has a row for each thing that is timed' rows_are_four
check 'a text is packed for the comparison' plain_text_is_packed
printf '[A "b"]\n\n*\n' >"$tmp/empty.pgn"
check 'nothing to divide by' fails 1 'no half-move' "$PLYMILL" bench scan "$tmp/empty.pgn"
check 'a file that is not there' fails 1 'none.pgn' "$PLYMILL" bench scan "$tmp/none.pgn"
check 'another benchmark' fails 2 'only scan, label, convert, nnue and train' "$PLYMILL" bench chess
check 'runs: 1 to 1000' fails 2 'runs' "$PLYMILL" bench scan --runs 1001
check 'runs: not none' fails 2 'runs' "$PLYMILL" bench scan --runs 0

# Every format into every other, twice; whatever a format holds arrives.
convert() {
    "$PLYMILL" bench convert --runs 1 --positions 300 "$@"
}
convert_table() {
    convert >"$tmp/out" || return 1
    grep -q '^configs/demo.pgn.zst: 300 positions of [0-9]* games, 1 runs' "$tmp/out" &&
        [ "$(grep -cE '^(plain|bin|binpack|bullet|marlin|viri|csv|jsonl|epd) ( +[0-9.]+| +-){9}$' "$tmp/out")" \
            -eq 36 ]
}
convert_json() {
    convert --json >"$tmp/json" || return 1
    [ "$(grep -c '"from": ' "$tmp/json")" -eq 162 ] &&
        [ "$(grep -c '"from": "plain", .*"positions": 300, ' "$tmp/json")" -eq 18 ] &&
        [ "$(grep -cE '"median_per_second": [0-9]+, "p95_per_second": [0-9]+}' "$tmp/json")" -eq 162 ]
}
check 'convert: a table of all pairs' convert_table
check 'convert: JSON' convert_json
check 'convert: no argument' fails 2 'games by --games' "$PLYMILL" bench convert "$tmp/g.pgn"

# Values of all levels and of the plain loops are compared before any time is printed.
nnue() {
    "$PLYMILL" bench nnue --runs 1 --positions 256 "$@"
}
nnue_table() {
    nnue >"$tmp/out" || return 1
    grep -q '^configs/demo.pgn.zst: 256 positions of [0-9]* games; 1 runs' "$tmp/out" &&
        [ "$(grep -c '^  gcc -O[23]' "$tmp/out")" -eq 3 ] &&
        grep -qE '^  TinyNNUE int8 +[a-z0-9]+( +[0-9,]+ +[0-9,]+ +[0-9]+\.[0-9]+){3}$' "$tmp/out" &&
        grep -q '^Update + forward, all flags: plain C takes ' "$tmp/out"
}
nnue_json() {
    nnue --json --isa scalar >"$tmp/json" || return 1
    [ "$(grep -c '"flags": "-O' "$tmp/json")" -eq 3 ] &&
        [ "$(grep -cE '"isa": "scalar"(, "[a-z]+": \{"median_ns": [0-9.]+, "p95_ns": [0-9.]+\}){3}' "$tmp/json")" -eq 3 ]
}
check 'nnue: a table, and what it shows' nnue_table
check 'nnue: JSON, and a level of choice' nnue_json
check 'nnue: games too short' fails 1 'no game of 64 half-moves' "$PLYMILL" bench nnue --games "$tmp/g.pgn"
check 'nnue: a net that is not there' fails 1 'none.nnue' "$PLYMILL" bench nnue "$tmp/none.nnue"
check 'nnue: not less than a chunk' fails 2 'positions' "$PLYMILL" bench nnue --positions 63

train() {
    "$PLYMILL" bench train --runs 1 --positions 512 --batch 128 --threads 2 "$@"
}
train_table() {
    train >"$tmp/out" || return 1
    grep -q '^configs/demo.pgn.zst: 512 positions, batches of 128, 1 runs' "$tmp/out" &&
        grep -qE '^  baseline( +[0-9,]+){4}$' "$tmp/out" &&
        grep -qE '1 thread [0-9,]+, 2 threads [0-9,]+, [0-9.]+ times as many$' "$tmp/out"
}
train_json() {
    train --json --isa scalar --arch '769->32->16->1' >"$tmp/json" || return 1
    [ "$(grep -c '"name": ' "$tmp/json")" -eq 1 ] &&
        grep -qE '"name": "baseline"(, "[a-z0-9_]+_per_second": [0-9]+){4}}' "$tmp/json"
}
check 'train: a table, levels compared' train_table
check 'train: JSON, and a level of choice' train_json
check 'train: not less than a batch' fails 2 'positions' "$PLYMILL" bench train --positions 100 --batch 128
finish
