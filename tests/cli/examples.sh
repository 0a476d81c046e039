#!/bin/sh
# Every command's help ends with two examples, and they work: each is run, as it stands there.
. tests/cli/lib.sh
. tests/fixture.sh

check 'files for the examples' fixture "$tmp/ex"
names=$("$PLYMILL" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
two() {
    [ "$(wc -l <"$tmp/examples")" -eq 2 ] && [ "$(grep -c "plymill $1" "$tmp/examples")" -eq 2 ]
}
for name in $names; do
    "$PLYMILL" help "$name" | sed -n '/^examples:/,$ s/^  //p' >"$tmp/examples"
    check "$name has two examples" two "$name"
    while read -r line; do
        why=$(missing_fixture "$line")
        if [ -n "$why" ]; then
            skip "$line" "$why"
        else
            check "$line" in_fixture "$line"
        fi
    done <"$tmp/examples"
done
# And those of the overview.
"$PLYMILL" help | sed -n '/^most people need:/,/^$/s/^  \(plymill .*\)/\1/p' >"$tmp/examples"
five() {
    [ "$(wc -l <"$tmp/examples")" -eq 5 ]
}
check 'help begins with five commands' five
all_five() {
    # One behind the other, in one folder: each takes what those before it made.
    { echo 'set -e'; cat "$tmp/examples"; } >"$tmp/five.sh"
    in_fixture ". $tmp/five.sh"
}
check 'which lead from games to a scored net' all_five
finish
