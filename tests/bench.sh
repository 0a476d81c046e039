#!/bin/sh
# Timings beside reference points, medians of five runs of user CPU time; what `make bench` prints.
#   PLYMILL=build/release/plymill sh tests/bench.sh
set -eu
plymill=${PLYMILL:-build/release/plymill}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# user_ms COMMAND...: the median of five runs.
user_ms() {
    for _ in 1 2 3 4 5; do
        # times prints the shell's own line, then its children's: user and system as XmY.Zs.
        sh -c '"$@" >/dev/null 2>&1; times' sh "$@" | sed -n '2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p' |
            awk '{ printf "%.0f\n", ($1 * 60 + $2) * 1000 }'
    done | sort -n | sed -n 3p
}

games=../shared/data/twic-bulk.pgn.zst
[ -e "$games" ] || games=configs/demo.pgn.zst
echo "reading $(basename "$games")"
zstd -dcq "$games" >"$tmp/games.pgn"
plies=$("$plymill" scan "$tmp/games.pgn" | sed 's/.* plies=\([0-9]*\) .*/\1/')
zstd_ms=$(user_ms zstd -dcq "$games")
packed_ms=$(user_ms "$plymill" scan "$games")
plain_ms=$(user_ms "$plymill" scan "$tmp/games.pgn")
echo "  zstd -dc             $zstd_ms ms"
echo "  scan of the archive  $packed_ms ms"
echo "  scan of the text     $plain_ms ms, $(echo "$plain_ms $plies" | awk '{ printf "%.0f", $1 * 1e6 / $2 }') ns a half-move"

echo "labeling 60 games of the demo, one worker"
zstd -dcq configs/demo.pgn.zst | awk '/^\[Event /{n++} n>60{exit} {print}' >"$tmp/few.pgn"
for nodes in 1000 10000; do
    rm -rf "$tmp/b"
    printf '[label]\nnodes = %s\n' "$nodes" >"$tmp/r.toml"
    ms=$(sh -c '"$@" >/dev/null 2>&1; times' sh "$plymill" build "$tmp/r.toml" --input "$tmp/few.pgn" \
        --workers 1 -o "$tmp/b" --quiet | sed -n '2s/^\([0-9]*\)m\([0-9.]*\)s.*/\1 \2/p' |
        awk '{ printf "%.0f\n", ($1 * 60 + $2) * 1000 }')
    labels=$("$plymill" status "$tmp/b" | awk '/^  samples /{ gsub(",", "", $2); print $2 }')
    echo "  $nodes nodes: $labels labels in $ms ms of CPU time, signature included"
done

echo "training on them, 100 epochs, one thread"
ms=$(user_ms "$plymill" train "$tmp/b" -o "$tmp/net.safetensors" --train.epochs 100 --threads 1 --quiet)
records=$((($(wc -c <"$tmp/b/records/train.rec") - 64) / 128))
echo "  $records positions: $(echo "$records $ms" | awk '{ printf "%.0f", $1 * 100 / $2 }') k positions/s"
