#!/bin/sh
# A build of 20 games in which one write (also SQLite's), fsync, rename or allocation is killed or fails:
# the same command afterwards ends in the same bytes, nothing is left over, and verify passes.
#   FAULTS_ALL=1      at every single one of them, which takes long (make test-torture)
#   FAULTS_MALLOC=N   then at every n-th allocation (7)
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[label]
nodes = 50
workers = 2
[split]
shares = [60, 20, 20]
[export]
formats = ["plain", "csv"]
score_scale = 2.0
T
demo_games 20 >"$tmp/games.pgn"

# build DIR
build() {
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --quiet \
        -o "$1"
}
# What a build holds: digests of all but the catalogue and the shards, whose names only count.
content_of() {
    (cd "$1" && find . -type f ! -name 'build.db*' ! -path './shards/*' -exec sha256sum {} + | sort &&
        ls -A shards)
}
check 'a build without a fault' build "$tmp/whole"
content_of "$tmp/whole" >"$tmp/whole.txt"

# strike KIND:N:ACTION CODE: the fault, then the plain command.
strike() {
    rm -rf "$tmp/b"
    PLYMILL_FAULT=$1 "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" \
        --engine "$FAKE_ENGINE" --quiet -o "$tmp/b" >"$tmp/out" 2>"$tmp/err"
    code=$?
    [ "$code" -eq "$2" ] || { echo "exit code $code, not $2"; cat "$tmp/err"; return 1; }
    if [ "$code" -ne 137 ]; then
        [ "$(wc -l <"$tmp/err")" -eq 1 ] || { echo 'not one line:'; cat "$tmp/err"; return 1; }
        left=$(find "$tmp/b" -name '*.tmp-*')
        [ -z "$left" ] || { echo "left: $left"; return 1; }
    fi
    build "$tmp/b" >"$tmp/out" || return 1
    content_of "$tmp/b" >"$tmp/b.txt"
    same "$tmp/whole.txt" "$tmp/b.txt" || return 1
    left=$(find "$tmp/b" -name '*.tmp-*' -o -name '*.work*' -o -name '*-journal')
    [ -z "$left" ] || { echo "left: $left"; return 1; }
    "$PLYMILL" verify "$tmp/b" --quiet >"$tmp/out" || { cat "$tmp/out"; return 1; }
}

# all_kills KIND: every call, until one is not reached; leaves their number in $calls.
all_kills() {
    calls=0
    while strike "$1:$((calls + 1)):kill" 137 >"$tmp/said"; do
        calls=$((calls + 1))
    done
    grep -q 'exit code 0, not 137' "$tmp/said" || { echo "$1 $((calls + 1)):"; cat "$tmp/said"; return 1; }
    echo "$calls" >"$tmp/calls"
    [ "$calls" -gt 10 ]
}
# all_failures KIND:ACTION CODE STEP: what a build can do without may fail, and then it is none.
all_failures() {
    kind=${1%:*} action=${1#*:} at=1
    while [ "$at" -le "$calls" ]; do
        if ! strike "$kind:$at:$action" "$2" >"$tmp/said"; then
            grep -q 'exit code 0, not' "$tmp/said" && build "$tmp/b" >"$tmp/out" &&
                content_of "$tmp/b" >"$tmp/b.txt" && same "$tmp/whole.txt" "$tmp/b.txt" ||
                { echo "$kind $at $action:"; cat "$tmp/said"; return 1; }
        fi
        at=$((at + $3))
    done
}
if [ -n "${FAULTS_ALL:-}" ]; then
    for kind in write fsync rename pwrite; do
        check "killed at every $kind" all_kills "$kind"
        calls=$(cat "$tmp/calls")
        echo "# $calls calls of $kind"
        check "every $kind fails" all_failures "$kind:fail" 1 1
        case $kind in
        *write) check "the disk is full from any $kind on" all_failures "$kind:full" 75 1 ;;
        esac
    done
    calls=0
    count_mallocs() {
        step=256
        while strike "malloc:$((calls + step)):kill" 137 >"$tmp/said"; do calls=$((calls + step)); done
        [ "$calls" -gt 256 ]
    }
    check 'allocations are counted' count_mallocs
    echo "# more than $calls allocations"
    check 'allocations fail' all_failures malloc:fail 1 "${FAULTS_MALLOC:-7}"
    finish
fi
# Renames in the order of a build: recipe, samples, labels, records, quarantine, datasets, manifest,
# sums. Two fsyncs belong to each: of the file, and of its folder.
for at in 1 3 5 7 9 11 13 15; do
    check "rename $at is killed" strike "rename:$at:kill" 137
done
for at in 4 8 9 10 11 12 16; do
    check "fsync $at is killed" strike "fsync:$at:kill" 137
done
for at in 8 9 10; do
    check "fsync $at fails" strike "fsync:$at:fail" 1
done
for at in 2 6 12; do
    check "write $at is killed" strike "write:$at:kill" 137
    check "the disk is full from write $at on" strike "write:$at:full" 75
done
for at in 9 40 100; do
    check "SQLite's write $at is killed" strike "pwrite:$at:kill" 137
done
check "SQLite's write 30 fails" strike pwrite:30:fail 1
check "the disk is full from SQLite's write 50 on" strike pwrite:50:full 75
for at in 40 60 200 250 300; do
    check "allocation $at fails" strike "malloc:$at:fail" 1
done
finish
