#!/bin/sh
# Collects real nets for `make test-nets`: DIR/nn-*.nnue, each checked by the digits of its name.
#   tests/nets.sh DIR
# Out of ../shared/nets what lies there packed; nn-ad9b42354671 from Stockfish 15.1 by export_net
# (PLYMILL_ENGINE, or stockfish of the path), and the stress net made from it; nn-1a298aa575a0 from
# stockfish-19.0.0.tgz in the folder PLYMILL_NPM, or from where npm gets it. What is not to be had is
# left out.
set -u
dir=$1
shared=$(pwd)/../shared/nets
PATH=$PATH:/usr/games
mkdir -p "$dir" || exit 1
dir=$(cd "$dir" && pwd) || exit 1

# keep FILE NAME DIGITS: moves FILE to NAME.nnue when its SHA-256 starts with DIGITS.
keep() {
    found=$(sha256sum "$1" 2>/dev/null | cut -c1-12)
    if [ "$found" = "$3" ]; then
        mv "$1" "$dir/$2.nnue"
    else
        rm -f "$1"
        echo "nets: $2 cannot be had${found:+ (SHA-256 $found...)}"
    fi
}
missing() { [ ! -s "$dir/$1.nnue" ]; }

for packed in "$shared"/nn-*.nnue.zst; do
    name=$(basename "$packed" .nnue.zst)
    [ -s "$packed" ] && missing "$name" && zstd -dqfo "$dir/part" "$packed" &&
        keep "$dir/part" "$name" "${name#nn-}"
done
name=nn-ad9b42354671
if missing $name; then
    # The engine's words stop at the first blank of a path: it writes where it is started.
    (cd "$dir" && printf 'uci\nexport_net part\nquit\n' | timeout 60 "${PLYMILL_ENGINE:-stockfish}") \
        >/dev/null 2>&1
    keep "$dir/part" $name ${name#nn-}
fi
if missing stress && ! missing $name && [ -s "$shared/stress_net.py" ]; then
    python3 "$shared/stress_net.py" "$dir/$name.nnue" "$dir/part" && keep "$dir/part" stress 72bf941bf04a
fi
name=nn-1a298aa575a0
tarball=${PLYMILL_NPM:-$dir}/stockfish-19.0.0.tgz
if missing $name && [ ! -s "$tarball" ] && [ -z "${PLYMILL_NPM:-}" ]; then
    (cd "$dir" && timeout 300 npm pack stockfish@19.0.0) >/dev/null 2>&1
fi
if missing $name && [ -s "$tarball" ] && [ -s "$shared/wasm_net.py" ]; then
    module=package/bin/stockfish-19-single.wasm
    tar xzf "$tarball" -C "$dir" $module && python3 "$shared/wasm_net.py" "$dir/$module" "$dir/part" &&
        keep "$dir/part" $name ${name#nn-}
    rm -rf "$dir/package" "$dir/stockfish-19.0.0.tgz"
fi
exit 0
