#!/bin/sh
# A build of 20 games in which one write, fsync, rename, read or allocation is killed or fails: the
# same command afterwards ends in the same bytes, and nothing is left over.
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
zstd -dcq configs/demo.pgn.zst | awk '/^\[Event /{n++} n>20{exit} {print}' >"$tmp/games.pgn"

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
    build "$tmp/b" || return 1
    content_of "$tmp/b" >"$tmp/b.txt"
    same "$tmp/whole.txt" "$tmp/b.txt"
}
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
for at in 40 60 200 250 300; do
    check "allocation $at fails" strike "malloc:$at:fail" 1
done
finish
