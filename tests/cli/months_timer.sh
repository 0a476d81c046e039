#!/bin/sh
# configs/newest-month.sh, as a timer would call it: a build when archive and checksum are there, and
# nothing otherwise.
. tests/cli/lib.sh

archives=$tmp/archives
mkdir "$archives"
cat >"$tmp/recipe.toml" <<T
[build]
shards = 1
[label]
engine = "$FAKE_ENGINE"
nodes = 50
[export]
formats = ["csv"]
T
zstd -dcq configs/demo.pgn.zst | awk -v tmp="$tmp" '/^\[Event /{n++} n>40{exit}
    {print > (tmp (n <= 20 ? "/01.pgn" : "/02.pgn"))}'
name() {
    echo "lichess_db_standard_rated_2024-$1.pgn.zst"
}
run() {
    PLYMILL=$PLYMILL sh configs/newest-month.sh "$archives" "$tmp/recipe.toml" "$tmp/builds" >"$tmp/out" 2>"$tmp/err"
}
nothing() {
    run && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ] && [ "$(ls "$tmp/builds" 2>/dev/null)" = "$1" ]
}
check 'an empty folder' nothing ''
zstd -q "$tmp/01.pgn" -o "$archives/$(name 01)"
check 'an archive without a checksum' nothing ''
echo "0123456789012345678901234567890123456789012345678901234567890123  $(name 01)" >"$archives/sha256sums.txt"
check 'an archive that is not whole' nothing ''
(cd "$archives" && sha256sum ./*.zst | sed 's|\./||' >sha256sums.txt)
built() {
    run && [ -e "$tmp/builds/2024-$1/SHA256SUMS" ] && "$PLYMILL" verify "$tmp/builds/2024-$1" --quiet >/dev/null
}
check 'archive and checksum: it is built' built 01
check 'once' nothing 2024-01
zstd -q "$tmp/02.pgn" -o "$archives/$(name 02)"
check 'the next month without its checksum' nothing 2024-01
(cd "$archives" && sha256sum ./*.zst | sed 's|\./||' >sha256sums.txt)
check 'the next month' built 02
goes_on() {
    rm -r "$tmp/builds/2024-02"
    PLYMILL_FAULT=rename:5:kill PLYMILL=$PLYMILL sh configs/newest-month.sh "$archives" "$tmp/recipe.toml" \
        "$tmp/builds" >/dev/null 2>&1
    [ -e "$tmp/builds/2024-02/build.db" ] && [ ! -e "$tmp/builds/2024-02/SHA256SUMS" ] && built 02
}
check 'what was killed is gone on with' goes_on
finish
