#!/bin/sh
# A thousand real games at 10,000 nodes with two workers, an engine killed every 10 s (now and then it is
# stopped instead, which only its deadline finds out): the same bytes as undisturbed.
#   KILL_EVERY=SECONDS  KILL_GAMES=N
. tests/cli/lib.sh

games=../shared/data/lichess-large.pgn.zst
every=${KILL_EVERY:-10}
if [ ! -e "$games" ]; then
    skip 'engines killed in a build of 1,000 games' "no $games"
    finish
fi
zstd -dcq "$games" 2>/dev/null |
    awk -v max="${KILL_GAMES:-1000}" '/^\[Event /{n++} n > max{exit} {print}' >"$tmp/games.pgn"
build() { # for a process of its own
    exec "$PLYMILL" build configs/tinynnue.toml --quiet --input "$tmp/games.pgn" --nodes 10000 \
        --workers 2 --label.max_restarts 1000 -o "$1"
}
contents() {
    (cd "$1" && sha256sum records/* && grep '"build_id"' manifest.json && cat quarantine.tsv)
}
undisturbed() {
    (build "$tmp/one")
}
check 'undisturbed' undisturbed
# The first engine of all, stopped before it has said a word, which takes seconds on a busy machine, ends
# the build: there it may be that the program is no engine. The same command goes on.
silent_at_its_start() {
    [ "$1" -eq 1 ] && grep -qE 'no (uciok|readyok) within' "$tmp/err"
}
disturb() {
    build "$tmp/two" 2>"$tmp/err" &
    pid=$!
    while sleep "$every" && kill -0 "$pid" 2>/dev/null; do
        # Now the oldest engine of it, now the newest.
        [ $((kills % 2)) -eq 0 ] && which=-o || which=-n
        [ $((kills % 3)) -eq 2 ] && signal=STOP || signal=KILL
        pkill "-$signal" "$which" -P "$pid" && kills=$((kills + 1))
    done
    wait "$pid"
}
disturbed() {
    kills=0
    disturb
    code=$?
    while silent_at_its_start "$code"; do
        disturb
        code=$?
    done
    cat "$tmp/err"
    echo "# $kills engines killed or stopped" >"$tmp/kills"
    echo "exit code $code, $kills killed"
    [ "$code" -eq 0 ] && [ "$kills" -ge 2 ]
}
check "an engine killed every $every s" disturbed
cat "$tmp/kills"
same_bytes() {
    contents "$tmp/one" >"$tmp/x"
    contents "$tmp/two" >"$tmp/y"
    [ "$(wc -l <"$tmp/x")" -ge 4 ] && same "$tmp/x" "$tmp/y"
}
check 'the same records, build id and quarantine' same_bytes
finish
