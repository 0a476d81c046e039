#!/bin/sh
# Runs tests that speak TAP and prints one closing line: N passed, N failed, N skipped.
#   tests/run.sh LOGS TEST...
# A test is a program (run by $TEST_RUNNER, if set) or a .sh script, run from the project's root. One
# that ends badly without a "not ok" line counts as one failure. What was skipped, and why, is listed
# at the end.
set -u
logs=$1
shift
mkdir -p "$logs"
passed=0 failed=0 skipped=0
reasons="$logs/skipped"
: >"$reasons"
export CMOCKA_MESSAGE_OUTPUT=TAP
for test in "$@"; do
    name=$(echo "$test" | sed 's|.*/tests/||; s|/|-|g')
    log="$logs/$name.tap"
    case $test in
    *.sh) timeout "${TEST_TIMEOUT:-400}" sh "$test" >"$log" 2>&1 </dev/null ;;
    *) timeout "${TEST_TIMEOUT:-400}" ${TEST_RUNNER:-} "$test" >"$log" 2>&1 </dev/null ;;
    esac
    status=$?
    # cmocka 1.1 writes "not ok N # SKIP" for a skipped test.
    sed -i 's/^not ok \([0-9]* # SKIP\)/ok \1/' "$log"
    skip=$(grep -aciE '^ok .*# *skip' "$log")
    ok=$(grep -ac '^ok ' "$log")
    bad=$(grep -ac '^not ok' "$log")
    plan=$(grep -am1 -o '^1\.\.[0-9]*' "$log" | cut -c4-)
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
        echo "not ok - $name ended with status $status" >>"$log"
    elif [ -z "$plan" ] || [ "$plan" -ne $((ok + bad)) ]; then
        bad=$((bad + 1))
        echo "not ok - $name planned ${plan:-no} tests and ran $((ok + bad - 1))" >>"$log"
    fi
    passed=$((passed + ok - skip))
    failed=$((failed + bad))
    skipped=$((skipped + skip))
    # Shell tests say why on the line itself, unit tests on a line of their own.
    sed -n 's/^# skip: //p; s/^ok [0-9]* - \(.*\) # SKIP \(.*\)/\1: \2/p' "$log" | sort -u |
        sed "s|^|$name: |" >>"$reasons"
    if [ "$bad" -ne 0 ]; then
        echo "FAILED $name"
        grep -av '^ok ' "$log" | tail -n 40
    else
        echo "ok $name ($((ok - skip)) passed, $skip skipped)"
    fi
done
if [ "$skipped" -ne 0 ]; then
    echo "skipped:"
    sed 's/^/  /' "$reasons"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
