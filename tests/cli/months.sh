#!/bin/sh
# A build whose inputs change: only what they change is done again, and the bytes are those of a build
# that had these inputs from the beginning.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[label]
nodes = 50
workers = 2
audit = 0
[export]
formats = ["csv"]
T
zstd -dcq configs/demo.pgn.zst | awk -v tmp="$tmp" '/^\[Event /{n++} n>120{exit}
    {print > (tmp (n <= 80 ? "/may.pgn" : "/june.pgn"))}'
# build DIR INPUTS OPTIONS...: the engine logs what it is asked.
build() {
    directory=$1 inputs=$2
    shift 2
    rm -f "$tmp/log"
    "$PLYMILL" build "$tmp/recipe.toml" --input "$inputs" --engine "$FAKE_ENGINE --log $tmp/log" --quiet \
        -o "$directory" "$@" >/dev/null
}
asked() {
    grep -c '^go ' "$tmp/log"
}
may=$tmp/may.pgn both=$tmp/may.pgn,$tmp/june.pgn
fresh() {
    build "$tmp/fresh" "$both" && all=$(asked) && build "$tmp/b" "$may" && first=$(asked)
    echo "$all" >"$tmp/all" && echo "$first" >"$tmp/first" && [ "$first" -gt 200 ] && [ "$all" -gt $((first + 50)) ]
}
check 'two months at once, and the first of them alone' fresh
all=$(cat "$tmp/all") first=$(cat "$tmp/first")
plan() {
    "$PLYMILL" build "$tmp/recipe.toml" --input "$both" -o "$tmp/b" --dry-run >"$tmp/out" 2>&1 &&
        [ "$(grep -c 'to do' "$tmp/out")" -eq 4 ]
}
check '--dry-run with the second month' plan
one_more() {
    build "$tmp/b" "$both" || return 1
    echo "$(asked) asked, $first of $all were labeled"
    # 24 are the signature's, each time.
    [ "$(asked)" -eq $((all - first + 24)) ]
}
check 'with the second month only its positions are labeled' one_more
check 'to the bytes of both at once' same_dataset "$tmp/fresh" "$tmp/b"
check 'verified' "$PLYMILL" verify "$tmp/b" --quiet
check 'nothing that was set aside is left' test ! -e "$tmp/b/previous"
one_less() {
    build "$tmp/b" "$may" && [ "$(asked)" -eq 24 ] && build "$tmp/may" "$may" && same_dataset "$tmp/may" "$tmp/b"
}
check 'one month less: no label at all is made' one_less
with_another_engine() {
    fails 1 'its labels were made by another engine' "$PLYMILL" build "$tmp/recipe.toml" --input "$both" \
        --engine "$FAKE_ENGINE --name Other" --quiet -o "$tmp/b"
}
check 'not with another engine' with_another_engine
other_nodes() {
    fails 1 'label.nodes was 50, now 60' "$PLYMILL" build "$tmp/recipe.toml" --input "$both" \
        --engine "$FAKE_ENGINE" --nodes 60 --quiet -o "$tmp/b"
}
check 'and not with other nodes' other_nodes
# Killed wherever it may be, also twice, with inputs that change between.
strike() {
    PLYMILL_FAULT=$1 build "$tmp/b" "$both" 2>/dev/null
    [ $? -eq 137 ] || { echo "$1: not struck"; return 1; }
}
killed() {
    build "$tmp/b" "$may" || return 1
    strike "$1" && build "$tmp/b" "$both" && same_dataset "$tmp/fresh" "$tmp/b" && [ ! -e "$tmp/b/previous" ] &&
        "$PLYMILL" verify "$tmp/b" --quiet >/dev/null
}
for fault in rename:1:kill rename:2:kill rename:3:kill rename:4:kill rename:5:kill pwrite:20:kill pwrite:60:kill; do
    check "$fault, and gone on with" killed "$fault"
done
twice() {
    build "$tmp/b" "$may" && strike rename:4:kill && build "$tmp/b" "$may" && same_dataset "$tmp/may" "$tmp/b"
}
check 'killed with the second month, and gone on with without it' twice

# Another option says what it makes necessary before it does anything.
says() {
    "$PLYMILL" build "$tmp/b" --filter.capture keep >/dev/null 2>"$tmp/err" || return 1
    head -n 1 "$tmp/err" | grep -q 'select, export: done again, since filter.capture was "drop", now "keep"' ||
        { cat "$tmp/err"; return 1; }
}
check 'a changed option says which stages it makes necessary again' says
date_changes_nothing() {
    cp -r "$tmp/b" "$tmp/c"
    SOURCE_DATE_EPOCH=1 "$PLYMILL" build "$tmp/recipe.toml" --input "$may" --engine "$FAKE_ENGINE --log $tmp/log" \
        --filter.capture keep --quiet -o "$tmp/d" >/dev/null && same_dataset "$tmp/c" "$tmp/d"
}
check 'no clock is in it, whatever SOURCE_DATE_EPOCH says' date_changes_nothing
finish
