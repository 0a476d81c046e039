#!/bin/sh
# Faults around a build that labels: engines, signals, folders and disks. (What engines alone can do is in
# tests/unit/labeler/test_faults.c, kills at counted points are in faults.sh.)
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[label]
nodes = 50
workers = 2
deadline_ms = 30000
[export]
formats = ["csv"]
T
demo_games 20 >"$tmp/games.pgn"
# build DIR ENGINE-ARGUMENTS OPTIONS...
build() {
    directory=$1
    engine="$FAKE_ENGINE $2"
    shift 2
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet --engine "$engine" \
        -o "$directory" "$@"
}
contents() {
    (cd "$1" && sha256sum records/* dataset/* && grep '"build_id"' manifest.json)
}
same_as_whole() {
    contents "$1" >"$tmp/x"
    same "$tmp/whole.txt" "$tmp/x"
}
check 'a build without faults' build "$tmp/whole" ''
contents "$tmp/whole" >"$tmp/whole.txt"

# --- engines
# with_fault ARGUMENTS: a build whose engines have it.
with_fault() {
    build "$tmp/b" "$1" --label.deadline_ms "$patience" 2>"$tmp/err"
}
every_fault_once() {
    for fault in die hang stop close twice late garbage flood error critical no-score chatter; do
        case $fault in hang | stop | flood | error | critical) hangs=1 ;; *) hangs=0 ;; esac
        patiently "$tmp/b" $hangs with_fault "--$fault-at 30 --once $struck" || { cat "$tmp/err"; return 1; }
        [ -e "$struck" ] || { echo "--$fault did not strike"; return 1; }
        [ "$(late "$tmp/b")" -eq $hangs ] || { echo "--$fault: $(late "$tmp/b") were late"; return 1; }
        same_as_whole "$tmp/b" || { echo "after --$fault"; return 1; }
    done
}
check 'every fault of an engine, once: the same bytes' every_fault_once
board=$(zstd -dcq "$tmp/whole/dataset/train.csv.zst" | cut -d, -f3 | sed -n '5s/ .*//p')
quarantine() {
    for fault in die illegal hang; do
        [ $fault = hang ] && hangs=2 || hangs=0
        patiently "$tmp/b" $hangs with_fault "--$fault-on $board" || { cat "$tmp/err"; return 1; }
        reason=$(echo "$1" | sed "s/PATIENCE/$patience/")
        grep -q "$reason.*$board" "$tmp/b/quarantine.tsv" || { echo "$fault:"; cat "$tmp/b/quarantine.tsv"; return 1; }
        shift
    done
}
check 'a position that no engine answers is in quarantine.tsv with its reason' \
    quarantine 'in the middle of a search' 'impossible best move a1a1' 'no bestmove within PATIENCE ms'
too_many() {
    fails 75 'failed 4 times within 600 s.*go on with: plymill build' \
        build "$tmp/many" '--die-at 3' --label.max_restarts 3 || return 1
    build "$tmp/many" '' && same_as_whole "$tmp/many"
}
check 'too many restarts: exit 75, and later it goes on' too_many
killed_at_start() {
    rm -rf "$tmp/b" "$tmp/struck"
    mkdir "$tmp/struck"
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$tmp/b" --engine \
        "sh -c 'for n in 1 2 3; do mkdir $tmp/struck/$1\$n 2>&- && $2; done; exec $FAKE_ENGINE'" || return 1
    [ -e "$tmp/struck/${1}3" ] && same_as_whole "$tmp/b"
}
check 'engines killed before uciok: the same bytes' killed_at_start k 'kill -KILL $$'
check 'engines killed before readyok: the same bytes' killed_at_start r 'read -r line && echo uciok && kill -KILL $$'
never_starts() {
    fails 1 '/bin/false.*failed to start 3 times, the last time: it ended before it said uciok' \
        "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$tmp/none" \
        --engine /bin/false --label.max_restarts 2
}
check 'an engine that never starts: exit 1 after max_restarts' never_starts
check 'no such engine' fails 1 'no such file' "$PLYMILL" build "$tmp/recipe.toml" \
    --input "$tmp/games.pgn" --engine /no/such/engine -o "$tmp/none"
check 'folders that hold what changes labels' fails 1 'refused.*fingerprint' build "$tmp/none" '' \
    '--label.options.Debug Log File' /tmp

# --- signals
if env --default-signal=INT true 2>/dev/null; then
    PLAIN=$PLYMILL
    # A background job of a plain shell ignores SIGINT.
    printf '#!/bin/sh\nexec env --default-signal=INT "%s" "$@"\n' "$PLAIN" >"$tmp/plymill"
    chmod +x "$tmp/plymill"
    written_down() {
        grep -qs "hang-$$" "$tmp"/c/build.db*
    }
    start_hanging() {
        rm -rf "$tmp/c"
        "$tmp/plymill" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$tmp/c" \
            --engine "$FAKE_ENGINE --ignore-eof --hang-at 30 --name hang-$$" \
            --label.deadline_ms 60000 2>"$tmp/err" &
        pid=$!
        # Until it is written down whose labels these are; a busy machine takes its time for that.
        until_true written_down
        sleep 1
    }
    no_engine() {
        ! pgrep -fl "name hang-$$"
    }
    once() {
        start_hanging
        kill -INT "$pid"
        wait "$pid"
        code=$?
        [ "$code" -eq 75 ] && grep -q 'signal.*go on with: plymill build' "$tmp/err" || {
            echo "exit code $code"; cat "$tmp/err"; return 1; }
        until_true no_engine
    }
    check 'Ctrl-C while engines hang: exit 75, how to go on, no engine left' once
    twice() {
        start_hanging
        # Two that come before the first was seen are one to the program; after 900 ms it would end by itself.
        for _ in 1 2 3 4 5 6 7; do
            kill -INT "$pid"
            sleep 0.1
        done
        wait "$pid"
        code=$?
        [ "$code" -eq 130 ] || { echo "exit code $code"; cat "$tmp/err"; return 1; }
        until_true no_engine
    }
    check 'a second Ctrl-C stops at once, and leaves no engine' twice
    gone_on() {
        build "$tmp/c" '' 2>"$tmp/err" && return 1
        grep -q 'hang-' "$tmp/err" || { cat "$tmp/err"; return 1; }
        rm -rf "$tmp/c/shards" && build "$tmp/c" '' && same_as_whole "$tmp/c"
    }
    check 'another engine name is refused, labeled anew it is the same' gone_on
fi

# --- folders and disks
nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}
if nobody test -x "$PLYMILL" 2>/dev/null && nobody test -r "$tmp/games.pgn" -o ! -r /nonexistent; then
    read_only() {
        chmod 755 "$tmp"
        rm -rf "$tmp/r"
        PLYMILL_FAULT=rename:5:kill build "$tmp/r" '' 2>/dev/null
        [ -e "$tmp/r/shards/0000.labels.db" ] || return 1
        find "$tmp/r" -type d -exec chmod 555 {} + && find "$tmp/r" -type f -exec chmod 444 {} +
        nobody "$PLYMILL" label "$tmp/r" --quiet --engine "$FAKE_ENGINE" >"$tmp/out" 2>"$tmp/err"
        code=$?
        find "$tmp/r" -type d -exec chmod 755 {} + && find "$tmp/r" -type f -exec chmod 644 {} +
        [ "$code" -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
            grep -q "$tmp/r.*\(denied\|readonly\|read-only\)" "$tmp/err" || {
            echo "exit code $code"; cat "$tmp/err"; return 1; }
        build "$tmp/r" '' && same_as_whole "$tmp/r"
    }
    check 'a read-only directory: said in one line, nothing lost' read_only
    nowhere() {
        mkdir "$tmp/closed" && chmod 555 "$tmp/closed"
        nobody "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" \
            -o "$tmp/closed/b" >"$tmp/out" 2>"$tmp/err"
        code=$?
        [ "$code" -eq 1 ] && grep -q "$tmp/closed/b: Permission denied" "$tmp/err" || {
            echo "exit code $code"; cat "$tmp/err"; return 1; }
    }
    check 'a build in a folder where nothing may be made' nowhere
else
    skip 'a read-only directory' 'nobody else can run the program'
fi

if mkdir "$tmp/small" && mount -t tmpfs -o size=200k tmpfs "$tmp/small" 2>/dev/null; then
    trap 'umount "$tmp/small"; rm -rf "$tmp"' EXIT
    full_disk() {
        for size in 100k 140k 180k 220k; do
            mount -o remount,size=$size "$tmp/small" || return 1
            build "$tmp/small/b" '' --sample.per_game all >"$tmp/out" 2>"$tmp/err"
            code=$?
            [ "$code" -eq 75 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
                grep -q "$tmp/small/b.*\(full\|No space\).*" "$tmp/err" || {
                echo "$size: exit code $code"; cat "$tmp/err"; return 1; }
        done
        mount -o remount,size=20M "$tmp/small" || return 1
        build "$tmp/small/b" '' --sample.per_game all || return 1
        build "$tmp/large" '' --sample.per_game all && contents "$tmp/large" >"$tmp/x"
        contents "$tmp/small/b" >"$tmp/y"
        same "$tmp/x" "$tmp/y"
    }
    check 'a disk that is full in every stage: exit 75, and with room it goes on' full_disk
else
    skip 'a full disk' 'no file system may be mounted'
fi
finish
