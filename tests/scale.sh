#!/bin/sh
# How sampling, selection and export scale: builds of more and more games (makegames: random legal games
# with an eval behind every move, so that no engine is part of it), read from a pipe. Processor time per
# game, the highest memory, and sizes on disk, as rows of a Markdown table.
#   sh tests/scale.sh [GAMES...]     default 100000 300000 1000000
#   SCALE_DIR=FOLDER                 for the builds (default: a fresh one in /tmp)
#   SCALE_MEMORY=MB                  build.memory (default: the recipe's)
set -eu
PLYMILL=${PLYMILL:-build/release/plymill}
OUT=${OUT:-build/release}
folder=${SCALE_DIR:-$(mktemp -d)}
mkdir -p "$folder"
[ "$#" -gt 0 ] || set -- 100000 300000 1000000
# timed FILE COMMAND...: "user+system seconds, KiB".
timed() {
    file=$1
    shift
    /usr/bin/time -o "$folder/time" -f '%U %S %M' "$@" >/dev/null 2>"$folder/err" || {
        cat "$folder/err" >&2
        exit 1
    }
    awk '{ print $1 + $2, $3 }' "$folder/time" >"$folder/$file"
}
size() {
    du -sk "$1" | cut -f1
}
echo '| games | samples | sample | label | select | export | us a game | MiB, highest | shards | records | dataset, GB |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
for games; do
    b=$folder/$games
    cat >"$folder/recipe.toml" <<T
[build]
shards = $(((games * 3 + 499999) / 500000))
${SCALE_MEMORY:+memory = $SCALE_MEMORY}
[label]
source = "lichess-eval"
[export]
formats = ["plain", "binpack"]
score_unit = "cp"
T
    # sample reads a pipe, so that no archive of that size is needed.
    cat >"$folder/sample.sh" <<T
"$OUT/tests/makegames" $games 80 1 | /usr/bin/time -o "$folder/time" -f '%U %S %M' \
    "$PLYMILL" sample "$folder/recipe.toml" --input - --quiet -o "$b" >/dev/null
T
    sh "$folder/sample.sh"
    awk '{ print $1 + $2, $3 }' "$folder/time" >"$folder/sample"
    for stage in label select export; do
        timed "$stage" "$PLYMILL" "$stage" "$b" --quiet
    done
    samples=$("$PLYMILL" status "$b" | awk '/^  samples/{ gsub(",", "", $2); print $2 }')
    cat "$folder/sample" "$folder/label" "$folder/select" "$folder/export" |
        awk -v games="$games" -v samples="$samples" -v shards="$(size "$b/shards")" \
            -v records="$(size "$b/records")" -v dataset="$(size "$b/dataset")" '
            { cpu[NR] = $1; sum += $1; if ($2 > most) most = $2 }
            END { printf "| %d | %d | %.1f | %.1f | %.1f | %.1f | %.0f | %d | %.2f | %.2f | %.2f |\n", games, samples,
                cpu[1], cpu[2], cpu[3], cpu[4], 1e6 * sum / games, most / 1024, shards / 1e6, records / 1e6, dataset / 1e6 }'
    rm -rf "$b"
done
[ -n "${SCALE_DIR:-}" ] || rm -rf "$folder"
