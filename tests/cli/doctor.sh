#!/bin/sh
# doctor: which reset makes an engine forget, told apart with engines that forget on different words.
. tests/cli/lib.sh

doctor() {
    "$PLYMILL" doctor --engine "$FAKE_ENGINE $1"
}
# verdict ARGUMENTS CODE UCINEWGAME CLEAR-HASH RESTART BEST: "free", "bound" or "none"
verdict() {
    doctor "$1" >"$tmp/out" 2>"$tmp/err"
    code=$?
    [ "$code" -eq "$2" ] || { echo "exit code $code"; cat "$tmp/err"; return 1; }
    sed -n 's/^reset \([a-z-]*\) *order-free, [0-9.]* ms a label$/\1 free/p
        s/^reset \([a-z-]*\) *depends on the order: [1-9][0-9]* of 30 labels change.*/\1 bound/p
        s/^reset \([a-z-]*\) *not possible: .*/\1 none/p
        s/^label.reset *\(.*\)/\1/p' "$tmp/out" >"$tmp/have"
    printf 'ucinewgame %s\nclear-hash %s\nrestart %s\n%s\n' "$3" "$4" "$5" "$6" >"$tmp/want"
    same "$tmp/want" "$tmp/have"
}
check 'an engine that remembers nothing' verdict '' 0 free free free ucinewgame
check 'one that forgets when told' verdict --state 0 free free free ucinewgame
check 'one that is deaf to ucinewgame' verdict --deaf 0 bound free free clear-hash
check 'one that forgets only when it ends' verdict --leaky 0 bound bound free restart
check 'one that never says the same: exit 3' verdict --random 3 bound bound bound none
one_line() {
    doctor --random 2>&1 >/dev/null | grep -c 'no reset makes' | grep -qx 1
}
check 'and it is said on stderr' one_line

json_agrees() {
    "$PLYMILL" doctor --json --engine "$FAKE_ENGINE --state" >"$tmp/json" || return 1
    doctor --state >"$tmp/out" || return 1
    for key in cores simd disk engine name net options files signature 'reset ucinewgame' label.reset; do
        grep -q "^  \"$key\": \"" "$tmp/json" || { echo "no $key in JSON"; return 1; }
        grep -q "^$key  *[^ ]" "$tmp/out" || { echo "no $key in the table"; return 1; }
    done
}
check 'table and JSON hold the same rows' json_agrees
no_options() {
    doctor --no-options >"$tmp/out" || return 1
    grep -q '^no option Hash ' "$tmp/out" && grep -q '^no option MultiPV ' "$tmp/out" &&
        grep -qx 'options  *Threads=1' "$tmp/out"
}
check 'options that an engine lacks are noted' no_options
# An engine that waits for a file: what is known before stands in the table before.
line_by_line() {
    "$PLYMILL" doctor --label.start_deadline_ms 60000 --engine \
        "sh -c 'while [ ! -e $tmp/go ]; do sleep 0.1; done; exec $FAKE_ENGINE'" >"$tmp/out" &
    pid=$!
    until_true grep -q '^engine ' "$tmp/out"
    cp "$tmp/out" "$tmp/early"
    touch "$tmp/go"
    wait "$pid" || return 1
    grep -q '^disk ' "$tmp/early" && grep -q '^engine ' "$tmp/early" && ! grep -q '^name ' "$tmp/early" &&
        grep -q '^label.reset  *ucinewgame' "$tmp/out"
}
check 'each line is printed when it is known' line_by_line
missing() {
    "$PLYMILL" doctor --engine /no/such/engine >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q '^disk ' "$tmp/out" && grep -q 'no such file' "$tmp/err"
}
check 'without an engine: the machine, and exit 1' missing
finish
