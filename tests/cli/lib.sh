# What the command line tests share. A script sources this from the project's root, calls check or
# skip once per fact, and ends with finish.
#   PLYMILL, FAKE_ENGINE  the programs under test (set by the Makefile)
#   tmp                   a folder of its own, removed at the end
PLYMILL=${PLYMILL:-build/release/plymill}
FAKE_ENGINE=${FAKE_ENGINE:-build/release/tests/fake_engine}
number=0
bad=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# check NAME COMMAND...: the command must succeed.
check() {
    check_name=$1
    shift
    number=$((number + 1))
    if "$@" >"$tmp/check.out" 2>&1; then
        echo "ok $number - $check_name"
    else
        echo "not ok $number - $check_name"
        sed 's/^/# /' "$tmp/check.out"
        bad=$((bad + 1))
    fi
}

# skip NAME REASON
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# fails CODE PATTERN COMMAND...: it must end with that exit code, nothing on stdout, and one line on
# stderr that matches the pattern.
fails() {
    want=$1 pattern=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || { echo "exit code $got, not $want"; cat "$tmp/err"; return 1; }
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || { echo "not one line:"; cat "$tmp/err"; return 1; }
    grep -qE -- "$pattern" "$tmp/err" || { echo "no match for $pattern:"; cat "$tmp/err"; return 1; }
}

# same FILE FILE
same() {
    cmp -s "$1" "$2" || { echo "$1 and $2 differ"; diff "$1" "$2" | head -n 5; return 1; }
}

finish() {
    echo "1..$number"
    [ "$bad" -eq 0 ]
    exit
}
