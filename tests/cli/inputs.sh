#!/bin/sh
# What input.files may name: files, folders, patterns, stdin, the same file twice; and what is said
# when there is nothing.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[sample]
per_game = 1
min_ply = 0
[label]
nodes = 10
T
# game ID FILE
game() {
    printf '[Event "x"]\n[Site "https://lichess.org/%s"]\n[Result "*"]\n\n1. e4 e5 *\n\n' "$1" >>"$2"
}
folder="$tmp/it's a [folder]"
mkdir "$folder" "$folder/below.pgn" "$tmp/empty"
game aaaaaaa1 "$folder/b.pgn"
game aaaaaaa2 "$tmp/plain"
zstd -q "$tmp/plain" -o "$folder/a b.pgn.zst"
rm "$tmp/plain"
game aaaaaaa3 "$tmp/plain"
gzip -c "$tmp/plain" >"$folder/c.pgn.gz"
game aaaaaaa4 "$folder/below.pgn/d.pgn"
game aaaaaaa5 "$folder/.hidden.pgn"
echo 'no games here' >"$folder/README.txt"
game aaaaaaa6 "$tmp/[x].pgn"
game aaaaaaa7 "$tmp/x.pgn"
ln -s "$folder/b.pgn" "$tmp/link.pgn"

build() {
    build_fresh --engine "$FAKE_ENGINE" "$@"
}
# reads GAMES OPTIONS...: the games read, in order of their ids, each once.
reads() {
    want=$1
    shift
    build "$@" || return 1
    got=$(sed -n 's/^  games read *//p' "$tmp/funnel")
    [ "$got" -eq "${#want}" ] || { echo "$got games"; return 1; }
    grep -o '"path": ".*"' "$tmp/b/manifest.json" >"$tmp/paths"
}
paths_are() {
    sed 's|^"path": "\(.*\)"$|\1|; s|.*/||' "$tmp/paths" | sort >"$tmp/names"
    printf '%s\n' "$@" | sort >"$tmp/want"
    same "$tmp/want" "$tmp/names"
}
check 'a folder' reads 123 --input "$folder"
check 'its archives, and nothing below or hidden' paths_are b.pgn 'a b.pgn.zst' c.pgn.gz
check 'with a slash behind it' reads 123 --input "$folder/"
check 'a pattern' reads 23 --input "$tmp/it*/?*.pgn.*"
check 'folders that it matches are passed over' reads 1 --input "$tmp/it's a ?folder?/b*.pgn"
check 'a file whose name is a pattern is that file' reads 6 --input "$tmp/[x].pgn"
check 'which the pattern does not match' paths_are '[x].pgn'
mv "$tmp/[x].pgn" "$tmp/y.pgn"
check 'without that file it is a pattern' reads 7 --input "$tmp/[x].pgn"
check 'which matches another' paths_are 'x.pgn'
check 'several of them' reads 1237 --input "$folder" --input "$tmp/x.pgn"
check 'a file, its folder, a link to it, another path: once' reads 123 \
    --input "$folder/b.pgn,$folder,$tmp/link.pgn,$tmp/./link.pgn" --input "$folder/../link.pgn"
check 'under the name that came first' paths_are b.pgn 'a b.pgn.zst' c.pgn.gz
from_stdin() {
    reads 1 --input - <"$folder/b.pgn" && paths_are - && reads 13 --input "-,$folder/c.pgn.gz,-" \
        <"$folder/b.pgn"
}
check 'stdin, once' from_stdin
gzipped() {
    reads 3 --input - <"$folder/c.pgn.gz"
}
check 'stdin, compressed' gzipped

none() {
    want=$1 pattern=$2
    shift 2
    fails "$want" "$pattern" "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE" --quiet \
        -o "$tmp/none" "$@"
}
check 'no input' none 2 'no input: give input.files in the recipe or --input FILE'
check 'a file that is missing' none 1 'missing.pgn: No such file or directory' \
    --input "$tmp/missing.pgn"
check 'a pattern that matches nothing' none 1 'zz\*.pgn: no file matches this pattern' \
    --input "$tmp/zz*.pgn"
check 'one of several' none 1 'no file matches this pattern' --input "$folder,$tmp/zz*.pgn"
check 'a pattern that matches folders alone' none 1 'no file matches this pattern' \
    --input "$tmp/emp*"
check 'a folder without archives' none 1 'empty: holds no .pgn, .pgn.zst or .pgn.gz file' \
    --input "$tmp/empty"

# A build is done even when its archives are gone, but not when they became others.
check 'a build from a folder and a pattern' reads 1237 --input "$folder,$tmp/x*.pgn"
cp "$tmp/b/manifest.json" "$tmp/manifest.json"
all_done() {
    [ "$("$PLYMILL" build "$tmp/b" --dry-run | grep -c ' done$')" -eq 4 ]
}
check 'is done' all_done
mv "$folder" "$tmp/elsewhere"
mv "$tmp/x.pgn" "$tmp/elsewhere.pgn"
check 'and stays so when the archives are removed' all_done
same_again() {
    "$PLYMILL" build "$tmp/b" --engine "$FAKE_ENGINE" --quiet >"$tmp/out" &&
        same "$tmp/manifest.json" "$tmp/b/manifest.json"
}
check 'it can be asked for again' same_again
mv "$tmp/elsewhere" "$folder"
check 'or came back' all_done
game aaaaaaa8 "$folder/e.pgn"
to_do() {
    "$PLYMILL" build "$tmp/b" --dry-run 2>&1 | grep -q '^sample *to do'
}
check 'a new archive in the folder is to be sampled' to_do
elsewhere() {
    mkdir "$tmp/here" "$tmp/there" && demo_games 5 >"$tmp/here/g.pgn"
    program=$(realpath "$PLYMILL") recipe=$tmp/here/r.toml
    printf '[input]\nfiles = ["g.pgn"]\n[label]\nnodes = 20\n' >"$recipe"
    (cd "$tmp/here" && "$program" sample r.toml -o ../there/b --quiet >/dev/null) || return 1
    rm "$tmp"/there/b/shards/*.samples.db
    (cd "$tmp/there" && "$program" sample b --quiet)
}
check 'a build that began in one folder goes on in another' elsewhere
truncated_is_noted() {
    { zstd -qc "$tmp/here/g.pgn" && zstd -qc "$tmp/here/g.pgn" | head -c 300; } >"$tmp/cut.pgn.zst"
    printf '[label]\nnodes = 20\n' >"$tmp/cut.toml"
    "$PLYMILL" build "$tmp/cut.toml" --engine "$FAKE_ENGINE" --input "$tmp/cut.pgn.zst" \
        --input.allow_truncated true -o "$tmp/cut" --quiet || return 1
    grep -qE 'archive truncated.*truncated at byte [0-9]+' "$tmp/cut/quarantine.tsv"
}
check 'a cut archive that is allowed stands in quarantine.tsv' truncated_is_noted
finish
