#!/bin/sh
# Nets from elsewhere, and ours elsewhere: an independent reader and writer on numpy.
. tests/cli/lib.sh

python=$(python_with numpy)
nets='tiny wide halfka halfkp'
if [ -z "$python" ]; then
    skip 'our nets read by numpy' 'no python3-numpy'
    for net in $nets; do
        skip "$net made by numpy: eval, quantize, score" 'no python3-numpy'
    done
    finish
fi
numpy() { "$python" tests/interop/nets.py "$@"; }

printf '[sample]\nper_game = 5\n[label]\nnodes = 50\n[split]\nshares = [60, 20, 20]\n' >"$tmp/r.toml"
demo_games 60 >"$tmp/g.pgn"
dir=$tmp/b
check 'a build' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$dir" --quiet
"$PLYMILL" scan --fens "$tmp/g.pgn" 2>/dev/null | cut -f3 | awk 'NR % 40 == 1' | head -n 100 >"$tmp/fens"
check 'positions' test "$(wc -l <"$tmp/fens")" -eq 100
check 'a net of ours' "$PLYMILL" train "$dir" -o "$tmp/net.safetensors" --quiet --train.epochs 2 --arch '769->16->8->1'
check 'and its integers' "$PLYMILL" quantize "$tmp/net.safetensors" -o "$tmp/int8.safetensors" --quiet

agree() {
    "$PLYMILL" eval "$1" --white <"$tmp/fens" | cut -f2 >"$tmp/values" && numpy read "$1" "$tmp/fens" "$tmp/values"
}
check 'numpy reads our float net and gets its values' agree "$tmp/net.safetensors"
check 'and those of its integers' agree "$tmp/int8.safetensors"

check 'nets made by numpy' numpy write "$tmp" 3
# The mean error of an integer net is below so many centipawns; quantize prints it last.
quantizes() {
    "$PLYMILL" quantize "$tmp/$1.safetensors" -o "$2" --quiet --positions "$dir" >"$tmp/table" || return 1
    awk '/^all/ {mean = $(/S =/ ? 5 : 2)} END {exit !(mean > 0.01 && mean < 15)}' "$tmp/table" || { cat "$tmp/table"; return 1; }
}
scores() {
    "$PLYMILL" score "$tmp/$1.safetensors" "$2" "$dir" --unit-cp own >"$tmp/out" && grep -q "^$1.safetensors  *0" "$tmp/out" &&
        grep -q "^${2##*/}  *0" "$tmp/out"
}
for net in $nets; do
    case $net in
    wide) to=$tmp/wide.bin ;;
    halfkp) to=$tmp/halfkp.nnue ;;
    *) to=$tmp/$net-int.safetensors ;;
    esac
    check "$net: eval gives numpy's values" agree "$tmp/$net.safetensors"
    check "$net: quantizes" quantizes $net "$to"
    check "$net: scores beside its integers" scores $net "$to"
done
check 'the integers of wide are those of numpy' numpy integers "$tmp/wide.safetensors" "$tmp/wide.bin"
check 'the integers of halfka too' numpy integers "$tmp/halfka.safetensors" "$tmp/halfka-int.safetensors"
check 'the side file says what the net is' test "$(head -n 1 "$tmp/wide.bin.arch")" = '(768->32)x2->1x8 screlu qa=255 qb=64 scale=400 transposed'
warned() {
    "$PLYMILL" score "$tmp/wide.bin" "$tmp/halfkp.nnue" "$tmp/halfka-int.safetensors" "$dir" 2>"$tmp/err" >/dev/null &&
        [ "$(grep -c 'was trained on other records (build unknown, split.seed 4)' "$tmp/err")" -eq 2 ]
}
check 'what they were trained on is known in every format' warned
finish
