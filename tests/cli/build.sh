#!/bin/sh
# The main job end to end with the scripted engine: the same bytes however it is run.
. tests/cli/lib.sh

recipe=$tmp/recipe.toml
cat >"$recipe" <<'T'
[sample]
per_game = 5
[label]
nodes = 200
[split]
shares = [60, 20, 20]
[export]
formats = ["plain", "csv"]
score_scale = 2.0
T
zstd -dcq configs/demo.pgn.zst >"$tmp/all.pgn"
# Cut after the 60th and the 120th game.
awk -v tmp="$tmp" '/^\[Event /{n++} n<=60{print > (tmp "/a.pgn")} n>60 && n<=120{print > (tmp "/b.pgn")}
    n>120{exit}' "$tmp/all.pgn"
cat "$tmp/a.pgn" "$tmp/b.pgn" >"$tmp/ab.pgn"
zstd -q "$tmp/ab.pgn" -o "$tmp/ab.pgn.zst"

build() {
    "$PLYMILL" build "$recipe" --engine "$FAKE_ENGINE" --quiet "$@"
}
# same_build DIR: its record and dataset files and build id are those of the first build.
same_build() {
    for file in train validation test; do
        same "$tmp/one/records/$file.rec" "$1/records/$file.rec" || return 1
        for extension in plain csv; do
            zstd -dcq "$1/dataset/$file.$extension.zst" >"$tmp/x" || return 1
            zstd -dcq "$tmp/one/dataset/$file.$extension.zst" >"$tmp/y" || return 1
            same "$tmp/x" "$tmp/y" || return 1
        done
    done
    same_build_id "$tmp/one" "$1"
}

check 'a build of 120 games' build --input "$tmp/ab.pgn.zst" --workers 2 -o "$tmp/one"
fates_add_up() {
    "$PLYMILL" status "$tmp/one" | awk '
        function number(text) { gsub(",", "", text); return text + 0 }
        /^  samples /{ samples = number($2) }
        /^what became/{ on = 1; next }
        on && !/^  /{ exit }
        on { sum += number($(NF - 3)) }
        END { print samples, sum; exit !(samples > 300 && samples == sum) }'
}
check 'the fates add up to the samples' fates_add_up
check 'one worker, other shards, two files in the other order' \
    build --input "$tmp/b.pgn,$tmp/a.pgn" --workers 1 --shards 5 -o "$tmp/two"
check 'it is the same build' same_build "$tmp/two"
check 'games given twice' build --input "$tmp/ab.pgn" --input "$tmp/b.pgn" -o "$tmp/twice"
records_are_the_same() {
    for file in train validation test; do
        same "$tmp/one/records/$file.rec" "$tmp/twice/records/$file.rec" || return 1
    done
}
check 'change no record' records_are_the_same

finished_is_quick() {
    before=$(cd "$tmp/one" && find . -type f -exec sha256sum {} + | sort)
    build --input "$tmp/ab.pgn.zst" --workers 2 -o "$tmp/one" || return 1
    after=$(cd "$tmp/one" && find . -type f -exec sha256sum {} + | sort)
    [ "$before" = "$after" ]
}
check 'a finished build is left as it is' finished_is_quick
card_is_true() {
    card=$tmp/one/README.md
    grep -q "build id \`$(build_id "$tmp/one")\`" "$card" || return 1
    for file in "$tmp"/one/dataset/*.zst; do
        sum=$(zstd -dcq "$file" | sha256sum | cut -d' ' -f1)
        grep -q "^| .dataset/$(basename "$file"). | [0-9]* | .$sum. |$" "$card" || { echo "$file"; return 1; }
    done
    grep -qF -- '- `plain`: internal units of the engine, 2 to a centipawn' "$card" &&
        grep -qF "$(sha256sum <"$tmp/ab.pgn.zst" | cut -d' ' -f1)" "$card"
}
check 'the dataset card says what is there' card_is_true
sums_hold() {
    (cd "$tmp/one" && sha256sum -c --quiet SHA256SUMS)
}
check 'SHA256SUMS holds' sums_hold

plan_of() {
    "$PLYMILL" build "$@" --dry-run >"$tmp/plan" && cat "$tmp/plan"
}
plan_nothing_yet() {
    plan_of "$recipe" -o "$tmp/new" | grep -q 'all stages are to do' && [ ! -e "$tmp/new" ]
}
check '--dry-run of a new build makes nothing' plan_nothing_yet
plan_finished() {
    [ "$(plan_of "$tmp/one" | grep -c ' done$')" -eq 4 ]
}
check '--dry-run of a finished build' plan_finished
plan_filter() {
    [ "$(plan_of "$tmp/one" --filter.capture keep | tr -s ' ' | tr '\n' ';')" = \
        'sample done;label done;select to do;export to do;select, export: done again, since filter.capture was "drop", now "keep";' ]
}
check '--dry-run says what another filter does again' plan_filter

# An engine that hangs late in the build: however long a busy machine takes to strike, it is not done yet.
slow="$FAKE_ENGINE --delay 15 --hang-at 100"
# until_begun LOG WHAT
until_begun() {
    until_true grep -qs "\"event\":\"begin\",\"what\":\"$2\"" "$1"
}
# SIGKILL while labeling, then the same command again.
killed_and_resumed() {
    "$PLYMILL" build "$recipe" --engine "$slow" --workers 2 --label.deadline_ms 600000 --quiet --input "$tmp/ab.pgn.zst" \
        --log "$tmp/killed.log" -o "$tmp/killed" >/dev/null 2>&1 &
    pid=$!
    until_begun "$tmp/killed.log" labels && sleep "$1"
    kill -9 "$pid" || return 1
    wait "$pid" 2>/dev/null
    return 0
}
resume() {
    build --input "$tmp/ab.pgn.zst" -o "$tmp/killed"
}
check 'a build killed while it labels' killed_and_resumed 1
check 'it was not done' test ! -e "$tmp/killed/manifest.json"
check 'the same command goes on' resume
check 'and gives the same bytes' same_build "$tmp/killed"
no_temporaries() {
    left=$(find "$tmp/killed" -name '*.tmp-*' -o -name '*.work*')
    [ -z "$left" ] || { echo "$left"; return 1; }
}
check 'no temporary file is left' no_temporaries

interrupted() {
    "$PLYMILL" build "$recipe" --engine "$slow" --workers 2 --label.deadline_ms 600000 --quiet --input "$tmp/ab.pgn.zst" \
        --log "$tmp/stopped.log" -o "$tmp/stopped" >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    until_begun "$tmp/stopped.log" labels && sleep 1
    kill -TERM "$pid"
    wait "$pid"
    [ $? -eq 75 ] || { echo "exit code"; cat "$tmp/err"; return 1; }
    grep -q "go on with: plymill build $tmp/stopped" "$tmp/err"
}
check 'a signal stops it cleanly with exit code 75' interrupted
check 'which can be resumed by its directory alone' \
    "$PLYMILL" build "$tmp/stopped" --engine "$FAKE_ENGINE" --quiet
check 'to the same bytes' same_build "$tmp/stopped"

# While games are read nothing is there yet, and still the hint must hold.
stopped_early() { # directory, threads; the pipe stays open and silent
    rm -f "$tmp/games"
    mkfifo "$tmp/games"
    "$PLYMILL" build "$recipe" --engine "$FAKE_ENGINE" --quiet --input - --threads "$2" --log "$1.log" -o "$1" \
        <"$tmp/games" >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    exec 9>"$tmp/games"
    head -c 30000 "$tmp/a.pgn" >&9
    until_begun "$1.log" games
    kill -TERM "$pid"
    wait "$pid"
    status=$?
    exec 9>&-
    [ $status -eq 75 ] && grep -q 'stopped by a signal' "$tmp/err" &&
        grep -q "go on with: plymill build $1" "$tmp/err" || { cat "$tmp/err"; return 1; }
    "$PLYMILL" build "$1" --engine "$FAKE_ENGINE" --quiet <"$tmp/a.pgn"
}
check 'a build stopped while it waits for games can be resumed by its directory' stopped_early "$tmp/early" 2
check 'so can one that reads with a single thread' stopped_early "$tmp/earlier" 1

other_engine() {
    fails 1 'shards' "$PLYMILL" build "$recipe" --input "$tmp/ab.pgn.zst" --engine "$FAKE_ENGINE" \
        --nodes 300 -o "$tmp/one"
}
check 'other limits on a labeled build are refused' other_engine
check 'and leave it whole' same_build "$tmp/one"
locked() {
    (
        exec 9>"$tmp/one/build.lock"
        flock -n 9 || exit 1
        fails 75 'another plymill works on this build' build --input "$tmp/ab.pgn.zst" -o "$tmp/one"
    )
}
check 'a second driver says so and exits 75' locked
check 'other filters select again without an engine' \
    build --input "$tmp/ab.pgn.zst" --filter.capture keep -o "$tmp/one"
more_records() {
    [ "$(stat -c %s "$tmp/one/records/train.rec")" -gt "$(stat -c %s "$tmp/two/records/train.rec")" ]
}
check 'and keep more records' more_records
finish
