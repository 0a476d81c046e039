#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes configs/demo.pgn.zst, the games of `make demo`, with tests/tools/selfplay.c. The same engine
# gives the same games: the file in the repository was made with Debian 12's Stockfish 15.1, in about
# two minutes on two cores. SHA-256 of the games uncompressed:
# b2e9faa986f065a64de979aa8f2ac9eb02fc0173c710b1e082df4a4d83a0d0b9
#
# usage: configs/make-demo-games.sh [OUTPUT]      (from the project's root)
set -eu

games=5000
seed=20240101
output=${1:-configs/demo.pgn.zst}
engine=${PLYMILL_ENGINE:-$(PATH="$PATH:/usr/games" command -v stockfish)}
tool=${BUILD:-build}/release/tests/selfplay
text=$(mktemp)
trap 'rm -f "$text"' EXIT

make "$tool"
"$tool" "$engine" "$games" "$seed" 2 > "$text"
sha256sum < "$text"
zstd -q -f --ultra -22 "$text" -o "$output"
ls -l "$output"
