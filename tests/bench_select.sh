#!/bin/sh
# Times the stage select on positions of made-up games with an eval behind every move: from sealed shards
# to the shuffled record files, leaks and duplicates counted and dropped.
#   PLYMILL=build/release/plymill sh tests/bench_select.sh [GAMES [MEMORY...]]
# A game gives about 99 positions: 102,000 games give 10.07 million, which take 5 GB of disk. MEMORY is
# build.memory in MiB. Peak memory is shown where GNU time is installed.
set -eu
plymill=${PLYMILL:-build/release/plymill}
makegames=${MAKEGAMES:-$(dirname "$plymill")/tests/makegames}
games=${1:-10000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 256
tmp=$(mktemp -d "${TMPDIR:-/tmp}/plymill-bench-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/recipe.toml" <<'T'
[sample]
per_game = "all"
min_ply = 0
in_check = true
[label]
source = "lichess-eval"
[filter]
mate = "keep"
capture = "keep"
promotion = "keep"
T
"$makegames" "$games" 100 1 >"$tmp/games.pgn"
"$plymill" sample "$tmp/recipe.toml" --input "$tmp/games.pgn" -o "$tmp/b" --quiet >/dev/null
rm "$tmp/games.pgn"
"$plymill" label "$tmp/b" --quiet
positions=$("$plymill" status "$tmp/b" | awk '/^  samples /{ gsub(",", "", $2); print $2 }')
echo "$positions positions; the wall time counts, the rest says what it is made of"

seed=0
for memory in "$@"; do
    for threads in 1 2; do
        # Another seed of an unused draw: the stage is to be done again, with the same result.
        seed=$((seed + 1))
        set -- "$plymill" select "$tmp/b" --quiet --filter.seed "$seed" --build.memory "$memory" \
            --threads "$threads"
        printf 'memory %4s MiB, %s thread%s: ' "$memory" "$threads" "$([ "$threads" -eq 1 ] || echo s)"
        if [ -x /usr/bin/time ]; then
            /usr/bin/time -o "$tmp/time" -f '%e s, %U s user, %S s system, %M KB' "$@" >/dev/null
            cat "$tmp/time"
        else
            before=$(date +%s)
            "$@" >/dev/null
            echo "$(($(date +%s) - before)) s"
        fi
    done
done
sha256sum "$tmp"/b/records/*.rec | sed "s|$tmp/b/||"
