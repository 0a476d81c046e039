#!/bin/sh
# The newest engine without compiling: Stockfish 19 as WebAssembly from npm, the full and the lite build.
# Two builds, with the games in another order and other numbers of workers and shards: the same bytes.
#   STOCKFISH19=FOLDER   of an unpacked package, so that nothing is fetched
. tests/cli/lib.sh

name='Stockfish 19 from npm'
bin=${STOCKFISH19:+$STOCKFISH19/bin}
if ! command -v node >/dev/null; then
    skip "$name" 'no node'
    finish
fi
if [ -z "$bin" ]; then
    if ! (cd "$tmp" && npm pack --silent stockfish@19.0.0 && tar xzf stockfish-19.0.0.tgz) >/dev/null 2>&1; then
        skip "$name" 'npm does not get stockfish@19.0.0'
        finish
    fi
    bin=$tmp/package/bin
fi
zstd -dcq configs/demo.pgn.zst |
    awk -v tmp="$tmp" '/^\[Event /{n++} n > 40{exit} {print > (tmp (n <= 20 ? "/a.pgn" : "/b.pgn"))}'

# build ENGINE DIR OPTIONS...
build() {
    engine="node $bin/$1"
    directory=$2
    shift 2
    "$PLYMILL" build configs/tinynnue.toml --quiet --engine "$engine" --label.audit 0.1 \
        --export.score_scale 3 -o "$directory" "$@"
}
contents() {
    sha256sum <"$1/records/train.rec"
    sha256sum <"$1/records/validation.rec"
    sed -n '/"build_id"/p; /"audited"/p' "$1/manifest.json"
}
twice() {
    build "$1" "$tmp/$2" --input "$tmp/a.pgn,$tmp/b.pgn" --workers 1 || return 1
    build "$1" "$tmp/$2-again" --input "$tmp/b.pgn,$tmp/a.pgn" --workers 2 --shards 3 || return 1
    grep -q "\"name\": \"Stockfish 19" "$tmp/$2/manifest.json" || return 1
    grep -q "$1 .*wasm" "$tmp/$2/manifest.json" || { echo 'the .wasm is not digested'; return 1; }
    contents "$tmp/$2" >"$tmp/one"
    contents "$tmp/$2-again" >"$tmp/two"
    [ "$(wc -l <"$tmp/one")" -ge 3 ] && same "$tmp/one" "$tmp/two"
}
check 'stockfish-19-lite-single.js: two builds, the same bytes' twice stockfish-19-lite-single.js lite
check 'stockfish-19-single.js: two builds, the same bytes' twice stockfish-19-single.js full
not_mixed() {
    fails 1 'name' build stockfish-19-single.js "$tmp/lite" --input "$tmp/a.pgn,$tmp/b.pgn" \
        --label.nodes 10000
}
incomplete() {
    rm "$tmp"/lite/shards/0000.labels.db "$tmp/lite/build.db-wal" 2>/dev/null
    not_mixed
}
check 'the one does not go on with what the other began' incomplete
finish
