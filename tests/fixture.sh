# The files that the examples of help and of the documents name, small: games, lists, a build, nets.
# Sourced behind lib.sh; fixture FOLDER makes them, and puts `plymill` and an engine into the PATH.
# What cannot be made here is left out, and missing_fixture NAME says why.

fixture_path() {
    mkdir -p "$1" || return 1
    program=$(cd "$(dirname "$PLYMILL")" && pwd)/$(basename "$PLYMILL")
    fake=$(cd "$(dirname "$FAKE_ENGINE")" && pwd)/$(basename "$FAKE_ENGINE")
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$1/plymill"
    # By that name its internal units are known.
    printf '#!/bin/sh\nexec "%s" --name "Stockfish 15.1" "$@"\n' "$fake" >"$1/stockfish"
    chmod +x "$1/plymill" "$1/stockfish"
    PATH=$1:$PATH
    export PATH
    unset PLYMILL_ENGINE
}

fixture_games() {
    zstd -dcq "$root/configs/demo.pgn.zst" | awk '/^\[Event /{n++} n > 150{exit} {print}' >games.pgn &&
        zstd -q games.pgn -o games.pgn.zst &&
        awk '/^\[Event /{n++} {print > (n <= 70 ? "a.pgn" : "b.pgn")}' games.pgn || return 1
    printf '[input]\nfiles = ["games.pgn.zst"]\n' >empty.toml && cp games.pgn g300.pgn || return 1
    for name in twic lichess-large; do
        cp games.pgn.zst "$name.pgn.zst" || return 1
    done
    for name in standard_rated_2013-01 standard_rated_2023-05 standard_rated_2024-01; do
        cp games.pgn.zst "lichess_db_$name.pgn.zst" || return 1
    done
    plymill scan --fens games.pgn 2>/dev/null | cut -f3 | awk 'NR % 50 == 1' | head -n 20 >positions.txt &&
        plymill label --fens positions.txt --nodes 50 >positions.tsv 2>/dev/null
}

fixture_nets() {
    plymill train tiny -o tiny.safetensors --train.epochs 1 --quiet &&
        plymill quantize tiny.safetensors -o tiny-int8.safetensors --quiet >/dev/null &&
        cp tiny.safetensors net.safetensors && cp tiny.safetensors best.safetensors && cp -R tiny build && cp tiny-int8.safetensors net-int8.safetensors &&
        cp tiny.safetensors tiny/net.safetensors && cp tiny-int8.safetensors tiny/net-int8.safetensors || return 1
    # (768->128)x2->1: 98,304 + 128 + 256 + 1 numbers of 16 bits, padded to 64 bytes.
    { head -c 197378 /dev/zero; yes bullet | tr -d '\n' | head -c 62; } >quantised.bin
    python=$(command -v /usr/bin/python3 || command -v python3)
    if "$python" -c 'import numpy' 2>/dev/null; then
        mkdir made && (cd "$root" && "$python" tests/interop/nets.py write "$fixture/made" 3) >/dev/null &&
            mv made/wide.safetensors . || return 1
    fi
    for net in nn-62ef826d1a6d nn-61e7af4bb97d; do
        [ ! -f "$root/../shared/nets/$net.nnue.zst" ] || zstd -dq "$root/../shared/nets/$net.nnue.zst" -o "$net.nnue"
    done
}

fixture_datasets() {
    plymill convert tiny/records/train.rec games.binpack --to-scale 3.61 --quiet &&
        plymill convert tiny/records/train.rec january.bin --to-scale 3.61 --quiet &&
        plymill convert tiny/records/test.rec february.bin --to-scale 3.61 --quiet
}

fixture() {
    root=$(pwd)
    fixture=$1
    mkdir "$fixture" && fixture_path "$fixture.bin" && cd "$fixture" && ln -s "$root/configs" configs || return 1
    fixture_games && plymill build configs/tinynnue.toml --input games.pgn.zst -o tiny --quiet \
        --export.formats plain,binpack,csv >/dev/null &&
        fixture_nets && fixture_datasets
    made=$?
    cd "$root" || return 1
    return $made
}

# missing_fixture COMMAND: why it cannot be run here; nothing when it can.
missing_fixture() {
    case $1 in
    *'node '*) [ -f "$fixture/stockfish-19-single.js" ] || echo 'needs Stockfish 19 from npm' ;;
    *--slurm*) [ -n "${PLYMILL_SLURM:-}" ] || echo 'needs a cluster with Slurm' ;;
    *parallel*) command -v parallel >/dev/null || echo 'needs GNU parallel' ;;
    *'plymill bench convert') echo 'takes half a minute; tests/cli/bench.sh converts less' ;;
    *avx2*) grep -qw avx2 /proc/cpuinfo || echo 'needs AVX2' ;;
    esac
    for name in nn-62ef826d1a6d.nnue nn-61e7af4bb97d.nnue; do
        case $1 in
        *$name*) [ -f "$fixture/$name" ] || echo "needs $name" ;;
        esac
    done
    case $1 in
    *wide.safetensors*) [ -f "$fixture/wide.safetensors" ] || echo 'needs python3-numpy' ;;
    esac
}

# in_fixture COMMAND: runs it by a shell in a fresh copy of the fixture; 124 when it takes too long.
in_fixture() {
    rm -rf "$fixture.copy"
    cp -R "$fixture" "$fixture.copy" || return 1
    case $1 in
    *' -o tiny') rm -r "$fixture.copy/tiny" ;; # it is to be made
    *'-o quantised.bin'*) rm "$fixture.copy/quantised.bin" ;; # which is of another kind of net
    esac
    (cd "$fixture.copy" && timeout 300 sh -c "$1")
    got=$?
    case $1 in
    *--fail-if*) [ $got -eq 3 ] || [ $got -eq 0 ] ;; # nets this small are not good
    *) return $got ;;
    esac
}
