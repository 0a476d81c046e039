#!/bin/sh
# The main job on the demo games: games in, a labeled and split training set out, a net trained on it,
# quantised, proved exact and scored on games it has not seen.
#   PLYMILL=build/release/plymill sh configs/demo.sh DIR
set -eu
dir=$1
plymill=${PLYMILL:-build/release/plymill}

step() {
    printf '\n$ %s\n' "$*"
    "$@"
}

rm -rf "$dir"
step "$plymill" build configs/demo.toml -o "$dir"
step "$plymill" train "$dir" -o "$dir/net.safetensors"
step "$plymill" quantize "$dir/net.safetensors" -o "$dir/net-int8.safetensors" --positions "$dir"
step "$plymill" check "$dir/net-int8.safetensors"
step "$plymill" score "$dir/net.safetensors" "$dir/net-int8.safetensors" "$dir" --split test
step "$plymill" report "$dir" --nets "$dir/net.safetensors,$dir/net-int8.safetensors"
