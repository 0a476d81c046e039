#!/bin/sh
# The number of threads that read games shows nowhere: shards, counts and rejected games are the same
# for any. The demo's games are four parts of text; some are broken, some twice there, in a second
# archive that breaks off.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 3
[input]
min_elo = 1500
allow_truncated = true
[label]
nodes = 10
T
zstd -dcq configs/demo.pgn.zst >"$tmp/demo.pgn" || exit 1
awk '/^1\. / && ++n % 50 == 0 { sub(/2\. [^ ]+/, "2. Ke5") } { print }' "$tmp/demo.pgn" |
    sed 's/lichess.org\/./lichess.org\/Z/' | zstd -q >"$tmp/broken.pgn.zst"
size=$(wc -c <"$tmp/broken.pgn.zst")
head -c $((size * 9 / 10)) "$tmp/broken.pgn.zst" >"$tmp/cut.pgn.zst"

# sample THREADS OPTIONS...
sample() {
    rm -rf "$tmp/b"
    "$PLYMILL" sample "$tmp/recipe.toml" --quiet -o "$tmp/b" --input "$tmp/cut.pgn.zst" \
        --input "$tmp/demo.pgn" --input "$tmp/broken.pgn.zst" --threads "$@" || return 1
    (cd "$tmp/b" && sha256sum shards/*) >"$tmp/seen$1"
}
# build THREADS: what a whole build says of the games.
build() {
    rm -rf "$tmp/b"
    "$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/b" --input "$tmp/cut.pgn.zst" \
        --input "$tmp/broken.pgn.zst" --engine "$FAKE_ENGINE" --input.fraction 0.1 \
        --threads "$1" >"$tmp/seen$1" && cat "$tmp/b/quarantine.tsv" >>"$tmp/seen$1"
}
# alike COMMAND...: with one, two and four threads.
alike() {
    run=$1
    shift
    "$run" 1 "$@" && "$run" 2 "$@" && "$run" 4 "$@" && same "$tmp/seen1" "$tmp/seen2" &&
        same "$tmp/seen1" "$tmp/seen4"
}
rejects() {
    [ "$(grep -c 'illegal move.*Ke5' "$tmp/seen4")" -ge 5 ] &&
        grep -q 'archive truncated' "$tmp/seen4"
}
check 'shards' alike sample
check 'shards of a part of the games by draw' alike sample --input.fraction 0.3
check 'shards of the lowest draws' alike sample --input.max_games 200
check 'counts and rejected games' alike build
check 'broken games and the place where an archive breaks off are among them' rejects
finish
