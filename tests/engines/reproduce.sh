#!/bin/sh
# The promise of reproducibility on real games with a real engine: 2,010 Lichess games at 10,000 nodes.
# Another number of workers and shards, the input as plain text cut into two files in the other order, a
# SIGKILL in the middle: the same record and dataset files, the same build id.
. tests/cli/lib.sh

games=../shared/data/lichess-small.pgn.zst
if [ ! -e "$games" ]; then
    skip 'reproducible builds of real games' "no $games"
    finish
fi
build() {
    "$PLYMILL" build configs/tinynnue.toml --quiet "$@"
}
id_of() {
    sed -n 's/.*"build_id": "\(.*\)".*/\1/p' "$1/manifest.json"
}
contents() {
    for file in train validation test; do
        sha256sum <"$1/records/$file.rec"
        for extension in plain csv; do
            zstd -dcq "$1/dataset/$file.$extension.zst" | sha256sum
        done
    done
    id_of "$1"
}
same_build() {
    contents "$tmp/one" >"$tmp/x"
    contents "$1" >"$tmp/y"
    [ "$(wc -l <"$tmp/x")" -eq 10 ] && same "$tmp/x" "$tmp/y"
}
zstd -dcq "$games" | awk -v tmp="$tmp" '/^\[Event /{n++} {print > (tmp (n <= 1000 ? "/a.pgn" : "/b.pgn"))}'

check 'build with two workers' build --input "$games" --workers 2 -o "$tmp/one"
"$PLYMILL" status "$tmp/one" | sed 's/^/# /'
check 'build with one worker, 5 shards, two plain files in the other order' \
    build --input "$tmp/b.pgn,$tmp/a.pgn" --workers 1 --shards 5 -o "$tmp/two"
check 'the same bytes and build id' same_build "$tmp/two"
kill_in_the_middle() {
    "$PLYMILL" build configs/tinynnue.toml --quiet --input "$games" -o "$tmp/killed" &
    pid=$!
    sleep "$1"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    sleep 2
    ! pgrep -P "$pid" >/dev/null
}
check 'SIGKILL after 20 s leaves no engine' kill_in_the_middle 20
check 'SIGKILL again after 15 s' kill_in_the_middle 15
check 'and a third run finishes' build --input "$games" -o "$tmp/killed"
check 'with the same bytes and build id' same_build "$tmp/killed"

# The rest of the main job on the same records.
net=$tmp/net.safetensors
check 'train' "$PLYMILL" train "$tmp/one" -o "$net" --quiet
check 'quantize' "$PLYMILL" quantize "$net" -o "$tmp/int8.safetensors" --positions "$tmp/one"
check 'check on the games themselves' "$PLYMILL" check "$tmp/int8.safetensors" --games "$games"
scored() {
    "$PLYMILL" score "$net" "$tmp/int8.safetensors" "$tmp/one" >"$tmp/out" || return 1
    for row in net.safetensors int8.safetensors constant material 'material fitted'; do
        grep -q "$row .*\[.*\].*\[" "$tmp/out" || { echo "no row $row"; return 1; }
    done
}
check 'score shows the nets beside the baselines with intervals' scored
sed 's/^/# /' "$tmp/out"
finish
