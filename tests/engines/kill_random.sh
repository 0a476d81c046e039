#!/bin/sh
# SIGKILL at 50 random moments of a 20-game build, going on after each until it is done: the stores pass
# SQLite's own check at every moment, no label is missing or doubled, and the bytes are those of an
# undisturbed build.
#   KILL_TIMES=N   KILL_SEED=N  another sequence of moments
. tests/cli/lib.sh

times=${KILL_TIMES:-50}
cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 4
[sample]
per_game = "all"
[label]
nodes = 50
workers = 2
audit = 0.05
[export]
formats = ["csv"]
T
zstd -dcq configs/demo.pgn.zst | awk '/^\[Event /{n++} n>20{exit} {print}' >"$tmp/games.pgn"
build() {
    exec "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$1" \
        --engine "$FAKE_ENGINE --delay 1"
}
contents() {
    (cd "$1" && find . -type f ! -name 'build.db*' ! -name build.lock -exec sha256sum {} + | sort)
}
whole() {
    (build "$tmp/whole") && contents "$tmp/whole" >"$tmp/whole.txt"
}
check 'undisturbed' whole

# integrity FILE: "ok", by SQLite's own words, on a copy with its log.
integrity() {
    rm -f "$tmp"/copy*
    cp "$1" "$tmp/copy"
    [ -e "$1-wal" ] && cp "$1-wal" "$tmp/copy-wal"
    "${OUT:-build/release}/tests/integrity" "$tmp/copy"
}
# A build with one SIGKILL after so many milliseconds, each shard file looked at, then gone on with.
struck=0
strike() {
    rm -rf "$tmp/b"
    (build "$tmp/b") >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    sleep "$1"
    kill -KILL "$pid" 2>/dev/null && struck=$((struck + 1))
    wait "$pid" 2>/dev/null
    for file in "$tmp"/b/build.db "$tmp"/b/shards/*.db "$tmp"/b/shards/*.work; do
        [ -e "$file" ] || continue
        integrity "$file" >"$tmp/said" 2>&1 || { echo "$file after $1 s: $(cat "$tmp/said")"; return 1; }
    done
    (build "$tmp/b") >"$tmp/out" 2>"$tmp/err" || { echo "after $1 s:"; cat "$tmp/err"; return 1; }
    contents "$tmp/b" >"$tmp/b.txt"
    same "$tmp/whole.txt" "$tmp/b.txt"
}
all_moments() {
    awk -v seed="${KILL_SEED:-1}" -v n="$times" 'BEGIN { srand(seed)
        for (i = 0; i < n; i++) printf "%.3f\n", 0.02 + 1.8 * rand() }' >"$tmp/moments"
    while read -r moment; do
        strike "$moment" || return 1
    done <"$tmp/moments"
    echo "$struck of $times met a running build" >"$tmp/struck"
    [ "$struck" -ge $((times / 2)) ]
}
check "SIGKILL at $times random moments" all_moments
sed 's/^/# /' "$tmp/struck"
finish
