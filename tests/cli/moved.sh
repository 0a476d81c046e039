#!/bin/sh
# Inputs that are moved or renamed while a build is made, or afterwards: known by their bytes, they are
# what they were, and nothing is done again. What is gone is named, with what to do.
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
zstd -dcq configs/demo.pgn.zst | awk -v tmp="$tmp" '/^\[Event /{n++} n>60{exit}
    {print > (tmp (n <= 40 ? "/may.pgn" : "/june.pgn"))}'
# build DIR INPUTS OPTIONS...: the engine logs what it is asked.
build() {
    directory=$1 inputs=$2
    shift 2
    rm -f "$tmp/log"
    "$PLYMILL" build "$tmp/recipe.toml" --input "$inputs" --engine "$FAKE_ENGINE --log $tmp/log" \
        -o "$directory" "$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
}
asked() {
    if [ -e "$tmp/log" ]; then grep -c '^go ' "$tmp/log"; else echo 0; fi
}
# What a build holds but for recipe.toml, which names the inputs.
contents() {
    (cd "$1" && find . -type f ! -name 'build.db*' ! -name recipe.toml ! -name SHA256SUMS \
        -exec sha256sum {} + | sort)
}
verified() {
    "$PLYMILL" verify "$1" --quiet >"$tmp/out" && grep -qE "^inputs +$2 hashed" "$tmp/out" ||
        { cat "$tmp/out"; return 1; }
}

finished() {
    build "$tmp/b" "$tmp/may.pgn,$tmp/june.pgn" && asked >"$tmp/all" && [ "$(cat "$tmp/all")" -gt 100 ] || return 1
    contents "$tmp/b" >"$tmp/b.txt"
    cp -r "$tmp/b" "$tmp/fresh"
}
check 'a build of two archives' finished
all=$(cat "$tmp/all")
mkdir "$tmp/archives"
moved=$tmp/archives/05.pgn,$tmp/june.pgn
renamed() {
    mv "$tmp/may.pgn" "$tmp/archives/05.pgn" || return 1
    "$PLYMILL" build "$tmp/recipe.toml" --input "$moved" -o "$tmp/b" --dry-run >"$tmp/out" 2>&1 || return 1
    [ "$(grep -cE '^[a-z]+ +done' "$tmp/out")" -eq 4 ] || { cat "$tmp/out"; return 1; }
    build "$tmp/b" "$moved" || return 1
    [ "$(asked)" -eq 0 ] && ! grep -q 'done again' "$tmp/err" || { cat "$tmp/err"; return 1; }
    contents "$tmp/b" >"$tmp/now.txt"
    same "$tmp/b.txt" "$tmp/now.txt"
}
check 'one of them renamed: nothing is done again, nothing changes' renamed
only_once() {
    grep -q 'archives/05.pgn: is it an input that was moved' "$tmp/err" && build "$tmp/b" "$moved" || return 1
    ! grep -q 'is it an input' "$tmp/err" && verified "$tmp/b" 2
}
check 'it is read for that once, and by verify' only_once
by_folder() {
    mv "$tmp/june.pgn" "$tmp/archives/06.pgn" && build "$tmp/b" "$tmp/archives" && [ "$(asked)" -eq 0 ] &&
        verified "$tmp/b" 2
}
check 'both in a folder that the recipe names' by_folder
then_removed() {
    mv "$tmp/archives" "$tmp/elsewhere" && build "$tmp/b" "$tmp/archives" && [ "$(asked)" -eq 0 ] || return 1
    contents "$tmp/b" >"$tmp/now.txt"
    same "$tmp/b.txt" "$tmp/now.txt" && verified "$tmp/b" 0
}
check 'and then gone, when they are not needed' then_removed
needed() {
    cp -r "$tmp/b" "$tmp/d" && rm "$tmp/d/shards/0001.samples.db" || return 1
    fails 1 'archives: No such file or directory; it was read before: put it back, or name its new path' \
        "$PLYMILL" build "$tmp/d" --quiet && build "$tmp/d" "$tmp/elsewhere" && same_dataset "$tmp/fresh" "$tmp/d"
}
check 'or needed: says so, and goes on by their new path' needed
may=$tmp/elsewhere/05.pgn june=$tmp/elsewhere/06.pgn

# After the samples and a shard of labels, and in the middle of labels.
cp "$may" "$tmp/x.pgn"
cp "$june" "$tmp/y.pgn"
half() {
    rm -rf "$tmp/d" "$tmp/log"
    "$PLYMILL" sample "$tmp/recipe.toml" --input "$may,$june" --quiet -o "$tmp/d" >/dev/null &&
        "$PLYMILL" label "$tmp/d" --begin --engine "$FAKE_ENGINE --log $tmp/log" --quiet &&
        "$PLYMILL" label "$tmp/d" --shard 0 --quiet && first=$(asked) && [ "$first" -gt 60 ]
}
goes_on() {
    half && build "$tmp/d" "$tmp/y.pgn,$tmp/x.pgn" && same_dataset "$tmp/fresh" "$tmp/d" || return 1
    # 24 questions are the signature's: of --begin, of the shard, of the build.
    echo "$first before, $(asked) now, $all in one"
    [ $((first + $(asked))) -eq $((all + 48)) ]
}
check 'labels that were begun go on, of copies in another order' goes_on
killed() {
    rm -rf "$tmp/d"
    PLYMILL_FAULT=rename:5:kill build "$tmp/d" "$may,$june" >/dev/null 2>&1
    [ -e "$tmp/d/shards/0000.labels.db" ] && [ ! -e "$tmp/d/shards/0001.labels.db" ] ||
        { ls "$tmp/d/shards"; return 1; }
    build "$tmp/d" "$tmp/y.pgn,$tmp/x.pgn" && ! grep -q 'games changed' "$tmp/err" &&
        same_dataset "$tmp/fresh" "$tmp/d"
}
check 'as they do after a SIGKILL' killed

# What is something else.
build "$tmp/b" "$may,$june" >/dev/null
to_do() {
    "$PLYMILL" build "$tmp/recipe.toml" --input "$1" -o "$tmp/b" --dry-run >"$tmp/out" 2>&1 &&
        grep -qE '^sample +to do' "$tmp/out" || { cat "$tmp/out"; return 1; }
}
other_bytes() {
    sed '0,/^1\. e4 /s//1. e3 /' "$may" >"$tmp/z.pgn"
    [ "$(wc -c <"$tmp/z.pgn")" -eq "$(wc -c <"$may")" ] && ! cmp -s "$tmp/z.pgn" "$may" && to_do "$tmp/z.pgn,$june"
}
check 'other bytes of the same size are other games' other_bytes
cp "$may" "$tmp/w.pgn"
check 'a copy beside the archive is one more input' to_do "$may,$tmp/x.pgn,$june"
check 'as are two copies in its place' to_do "$june,$tmp/x.pgn,$tmp/w.pgn"
check 'and a file less is one less' to_do "$tmp/x.pgn"
more() {
    build "$tmp/c" "$may" && build "$tmp/c" "$tmp/y.pgn,$tmp/x.pgn" && grep -q 'done again' "$tmp/err" &&
        same_dataset "$tmp/fresh" "$tmp/c" && verified "$tmp/c" 2
}
check 'a renamed archive and a new one: done again, to the same bytes' more
finish
