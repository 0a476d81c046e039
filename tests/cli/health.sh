#!/bin/sh
# How the engines of a build did: what status, the log and a page that was asked say of it, and that
# nothing else does.
. tests/cli/lib.sh

printf '[build]\nshards = 2\n[sample]\nper_game = 4\n[label]\nnodes = 20\naudit = 0\nworkers = 2\ndeadline_ms = 30000\n[export]\nformats = ["csv"]\n' >"$tmp/r.toml"
demo_games 30 >"$tmp/g.pgn"
# build DIR ENGINE-ARGUMENTS OPTIONS...
build() {
    directory=$1 arguments=$2
    shift 2
    "$PLYMILL" build "$tmp/r.toml" --input "$tmp/g.pgn" --quiet --engine "$FAKE_ENGINE $arguments" -o "$directory" "$@"
}
check 'a build with a quick engine' build "$tmp/quick" ''
slow_and_hanging() {
    rm -f "$tmp/log"
    build "$tmp/slow" "--delay 15 --hang-at 30 --once $struck" --log "$tmp/log" --label.deadline_ms "$patience"
}
check 'one with a slow engine that hangs once' patiently "$tmp/slow" 1 slow_and_hanging

# value DIR WORDS: the number behind the words in its status
value() {
    "$PLYMILL" status "$1" | grep -F "  $2 " | sed 's/.* //; s/,//g'
}
told() {
    "$PLYMILL" status "$tmp/slow" | sed -n '/^how the engine did/,$p'
    [ "$(value "$tmp/slow" 'labels that it made')" -eq 120 ] &&
        [ "$(value "$tmp/slow" 'engines killed and started anew')" -eq 1 ] &&
        [ "$(value "$tmp/slow" 'of these for being late')" -eq 1 ] &&
        [ "$(value "$tmp/slow" 'positions given up')" -eq 0 ] &&
        [ "$(value "$tmp/quick" 'engines killed and started anew')" -eq 0 ] &&
        [ "$(value "$tmp/slow" 'milliseconds for a label, mean' | cut -d. -f1)" -ge 15 ]
}
check 'status says time, nodes and restarts' told
as_json() {
    "$PLYMILL" status "$tmp/slow" --json >"$tmp/json" || return 1
    sed -n '/"engine"/,$p' "$tmp/json"
    for pair in '"labels": 120,' '"restarts": 1,' '"timeouts": 1,' '"failures": 0,' '"workers": 2,' '"course": \['; do
        sed -n '/"engine"/,$p' "$tmp/json" | grep -q "$pair" || { echo "no $pair"; return 1; }
    done
}
check 'and as JSON' as_json
# One stretch, or several where five seconds went by.
logged() {
    grep '"event":"engine"' "$tmp/log" | sed 's/.*"labels":\([0-9]*\),.*"restarts":\([0-9]*\),"timeouts":\([0-9]*\),"workers":2,.*/\1 \2 \3/' |
        awk '{ labels += $1; restarts += $2; late += $3; print } END { exit !(labels == 120 && restarts == 1 && late == 1) }'
}
check 'the log has it as events' logged
given_up() {
    board=$(zstd -dcq "$tmp/quick/dataset/train.csv.zst" | cut -d, -f3 | sed -n '5s/ .*//p')
    build "$tmp/given" "--die-on $board" 2>/dev/null && [ "$(value "$tmp/given" 'positions given up')" -ge 1 ] &&
        [ "$(value "$tmp/given" 'of these for being late')" -eq 0 ]
}
check 'a position that was given up' given_up
resumed() {
    fails 75 'go on with' build "$tmp/more" '--die-at 30' --label.max_restarts 0 || return 1
    build "$tmp/more" '' && [ "$(value "$tmp/more" 'labels that it made')" -eq 120 ] &&
        [ "$(value "$tmp/more" 'engines killed and started anew')" -eq 1 ]
}
check 'runs that failed count, too' resumed

equal() {
    for directory in quick slow more; do
        "$PLYMILL" report "$tmp/$directory" >/dev/null || return 1
        # The command line of the engine stands in the manifest, outside the build id.
        (cd "$tmp/$directory" && sha256sum records/* dataset/* shards/*.db report.html && grep build_id manifest.json) >"$tmp/$directory.sums"
    done
    same "$tmp/quick.sums" "$tmp/slow.sums" && same "$tmp/quick.sums" "$tmp/more.sums" &&
        ! grep -q 'health-time' "$tmp/quick/report.html"
}
check 'the dataset, shards and page are the same for all that' equal
shown() {
    "$PLYMILL" report "$tmp/slow" --health >/dev/null && grep -q 'health-time-title health-time-desc' "$tmp/slow/report.html" &&
        "$PLYMILL" verify "$tmp/slow" --quiet
}
check 'report --health shows it, and the build verifies' shown
of_games() {
    printf '[label]\nsource = "lichess-eval"\n' >"$tmp/e.toml"
    printf '[Event "e"]\n[Site "https://lichess.org/abcdefgh"]\n[Result "1-0"]\n\n1. e4 { [%%eval 0.3] } e5 { [%%eval 0.2] } 2. Nf3 { [%%eval 0.3] } Nc6 { [%%eval 0.3] } 3. Bb5 { [%%eval 0.3] } a6 { [%%eval 0.3] } 4. Ba4 { [%%eval 0.3] } Nf6 { [%%eval 0.3] } 5. O-O { [%%eval 0.3] } Be7 { [%%eval 0.3] } 6. Re1 { [%%eval 0.3] } b5 { [%%eval 0.3] } 1-0\n' >"$tmp/e.pgn"
    "$PLYMILL" build "$tmp/e.toml" --input "$tmp/e.pgn" --quiet -o "$tmp/e" || return 1
    "$PLYMILL" status "$tmp/e" --json | grep -q '"engine": null' && ! "$PLYMILL" status "$tmp/e" | grep -q 'how the engine did' &&
        "$PLYMILL" report "$tmp/e" --health >/dev/null && grep -q 'no engine was asked' "$tmp/e/report.html"
}
check 'labels out of games: nothing to say' of_games
finish
