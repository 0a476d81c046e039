#!/bin/sh
# plymill verify: a finished build passes, any byte of any of its files that changes is found, and what
# is found is said.
#   VERIFY_FLIPS=N   how many random bytes are changed, one at a time   VERIFY_SEED=N  others
. tests/cli/lib.sh

flip=${OUT:-build/release}/tests/flip
flips=${VERIFY_FLIPS:-20}
cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[sample]
per_game = "all"
[label]
nodes = 50
workers = 2
[split]
shares = [60, 20, 20]
[shuffle]
by = "game"
[export]
formats = ["plain", "bin", "binpack", "bullet", "marlin", "viri", "csv", "jsonl", "epd"]
move = "played"
score_scale = 2.0
compress = false
T
demo_games 20 >"$tmp/games.pgn"
# One game that is refused, so that quarantine.tsv has a line.
printf '[Event "x"]\n\n1. e4 e5 2. Ke3 *\n' >>"$tmp/games.pgn"
b=$tmp/b

build() {
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --quiet -o "$b" \
        "$@"
}
verify() {
    "$PLYMILL" verify "$b" --quiet "$@"
}
# differs PATTERN...: exit code 3, one line on stderr, and all patterns among what is said.
differs() {
    verify >"$tmp/out" 2>"$tmp/err"
    code=$?
    [ "$code" -eq 3 ] || { echo "exit code $code, not 3"; cat "$tmp/out" "$tmp/err"; return 1; }
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || { echo 'not one line:'; cat "$tmp/err"; return 1; }
    for pattern; do
        grep -qE -- "$pattern" "$tmp/out" || { echo "no match for $pattern:"; cat "$tmp/out"; return 1; }
    done
}

check 'a build in every format' build
check 'passes' verify
unfinished() {
    fails 1 'no such build directory' "$PLYMILL" verify "$tmp/none" &&
        "$PLYMILL" sample "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$tmp/half" >/dev/null &&
        fails 1 'no finished build; go on with: plymill build' "$PLYMILL" verify "$tmp/half" &&
        "$PLYMILL" status "$tmp/half" >"$tmp/out" && grep -q '^  samples ' "$tmp/out" &&
        ! grep 'what became of the samples' "$tmp/out"
}
check 'what is not finished is no difference, but a failure' unfinished
says_what_it_did() {
    verify --audit 1 >"$tmp/out" || return 1
    awk '{ gsub(",", "", $2); has[$1] = $2 + 0 } END {
        exit !(has["dataset"] == 27 && has["labels"] > 500 && has["labels"] <= has["samples"] &&
            has["records"] > 500 && has["positions"] > 8 * has["records"]) }' "$tmp/out" &&
        grep -q 'all is as it was' "$tmp/out"
}
check 'all labels made again, 27 dataset files read back' says_what_it_did
"$PLYMILL" report "$b" >/dev/null
check 'a report is listed' grep -q ' report.html$' "$b/SHA256SUMS"
check 'and passes' verify
digests() {
    (cd "$b" && find . -type f -exec sha256sum {} + | sort)
}
untouched() {
    before=$(digests)
    verify >/dev/null && build >/dev/null && [ "$before" = "$(digests)" ]
}
check 'neither verify nor another build changes a byte' untouched

# Every byte of every file: a file is drawn, then a byte of it.
(cd "$b" && find . -type f -size +0 | sort | sed 's|^\./||') >"$tmp/files"
draw() {
    while read -r file; do echo "$file $(wc -c <"$b/$file")"; done <"$tmp/files" |
        awk -v seed="${VERIFY_SEED:-1}" -v n="$flips" '{ name[NR] = $1; size[NR] = $2 }
            END { srand(seed)
                for (i = 0; i < n; i++) {
                    file = 1 + int(rand() * NR)
                    print name[file], int(rand() * size[file]), 2 ^ int(rand() * 8)
                } }' >"$tmp/draws"
    [ "$(wc -l <"$tmp/draws")" -eq "$flips" ]
}
check "$flips bytes are drawn" draw
flip_one() {
    "$flip" "$b/$1" "$2" "$3" || return 1
    verify >"$tmp/out" 2>"$tmp/err"
    code=$?
    "$flip" "$b/$1" "$2" "$3" || return 1
    if [ "$code" -ne 3 ] || ! grep -qF -e "$1" -e "${1%.sha256}" "$tmp/out"; then
        echo "$1 byte $2 mask $3: exit code $code"
        cat "$tmp/out" "$tmp/err"
        return 1
    fi
}
each_is_found() {
    while read -r file at mask; do
        flip_one "$file" "$at" "$mask" || return 1
    done <"$tmp/draws"
}
check 'each is found, and its file is named' each_is_found
each_kind() {
    for file in recipe.toml build.db build.db.sha256 manifest.json SHA256SUMS README.md report.html \
        quarantine.tsv shards/0000.samples.db shards/0001.labels.db records/test.rec dataset/train.viri; do
        size=$(wc -c <"$b/$file") || return 1
        for at in 0 $((size / 2)) $((size - 1)); do
            flip_one "$file" "$at" 1 || return 1
        done
    done
}
check 'first, middle and last byte of every kind of file' each_kind
check 'and it passes again' verify

missing() {
    mv "$b/$1" "$tmp/away" || return 1
    differs "$1: is not there"
    result=$?
    mv "$tmp/away" "$b/$1" && return $result
}
check 'a missing dataset file' missing dataset/test.csv
check 'a missing shard' missing shards/0000.labels.db
check 'missing SHA256SUMS' missing SHA256SUMS
check 'a missing manifest' missing manifest.json
stray() {
    cp "$b/dataset/test.csv" "$b/dataset/train-extra.csv"
    differs 'dataset/train-extra.csv: is no file of this build'
    result=$?
    rm "$b/dataset/train-extra.csv" && [ "$result" -eq 0 ] || return 1
    echo mine >"$b/dataset/notes.txt"
    verify
    result=$?
    rm "$b/dataset/notes.txt" && return $result
}
check 'a file that looks as if it were of the build, and notes of somebody' stray
cut_short() {
    cp "$b/records/train.rec" "$tmp/away" && truncate -s -128 "$b/records/train.rec" || return 1
    differs 'records/train.rec: its SHA-256 is'
    result=$?
    cp "$tmp/away" "$b/records/train.rec" && return $result
}
check 'a record file that lost its last record' cut_short

# Whoever changes a file and its line in the list is found by what is in it.
relisted() {
    file=$1 at=$2 pattern=$3
    cp "$b/SHA256SUMS" "$tmp/sums"
    "$flip" "$b/$file" "$at" 1 || return 1
    sum=$(sha256sum <"$b/$file" | cut -d' ' -f1)
    sed -i "s|^.*  $file\$|$sum  $file|" "$b/SHA256SUMS"
    differs "SHA256SUMS: line [0-9]* is of $file" "$pattern"
    result=$?
    cp "$tmp/sums" "$b/SHA256SUMS" && "$flip" "$b/$file" "$at" 1 && return $result
}
last_score() {
    # The last digit of the first score in the csv: where the second line's field "score" ends.
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "score") column = i; total = length($0) + 1 }
        NR == 2 { for (i = 1; i <= column; i++) total += length($i) + 1; print total - 2; exit }' "$1"
}
score_in_csv() {
    head -n 1 "$b/dataset/train.csv" | tr ',' '\n' | grep -qx score || { head -n 2 "$b/dataset/train.csv"; return 1; }
    relisted dataset/train.csv "$(last_score "$b/dataset/train.csv")" 'train.csv: reading back: record 1 .* is not what was written'
}
check 'a score in a dataset that was listed anew' score_in_csv
# Byte 4 of a record's score (record.h: 64 + 68).
check 'a score in the records that were listed anew' relisted records/train.rec 132 'train.plain: the records written again'

changed_input() {
    cp "$tmp/games.pgn" "$tmp/away" && sed -i '1s/x/y/; 1s/\[Event "/[Event "_/' "$tmp/games.pgn" || return 1
    differs "games.pgn: the input's SHA-256 is [0-9a-f]{64} .*the build was made from"
    result=$?
    cp "$tmp/away" "$tmp/games.pgn" && return $result
}
check 'a changed input' changed_input
gone_input() {
    mv "$tmp/games.pgn" "$tmp/away" && verify >"$tmp/out" && grep -q '1 no longer there' "$tmp/out"
    result=$?
    mv "$tmp/away" "$tmp/games.pgn" && return $result
}
check 'an input that is gone is passed over, and said' gone_input
check 'an audit with another engine' fails 1 '--audit needs the engine that made the labels' \
    "$PLYMILL" verify "$b" --quiet --audit 0.1 --engine "$FAKE_ENGINE --name Other"
forgetful() {
    build --engine "$FAKE_ENGINE --leaky" --label.audit 0 -o "$tmp/leaky" >/dev/null &&
        "$PLYMILL" verify "$tmp/leaky" --quiet >/dev/null &&
        ! "$PLYMILL" verify "$tmp/leaky" --quiet --audit 0.5 >"$tmp/out" 2>"$tmp/err" &&
        grep -q 'differs: shard 0: audit: .* labeled again' "$tmp/out"
}
check 'an audit finds labels that are not to be made again' forgetful
check 'shares out of range' fails 2 'above 0 and up to 1' "$PLYMILL" verify "$b" --audit 2
finish
