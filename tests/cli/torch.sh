#!/bin/sh
# The programs of docs/NETS.md and docs/python.md in PyTorch itself, where it is (python3-torch).
. tests/cli/lib.sh

python=$(python_with numpy, torch)
if [ -z "$python" ]; then
    skip 'the net of docs/NETS.md made by PyTorch' 'no python3-torch'
    skip 'the lines of docs/python.md in PyTorch' 'no python3-torch'
    finish
fi
interop=$PWD/tests/interop

# program PAGE NUMBER: the program with that number on a page.
program() {
    awk -v number="$2" '/^```python$/ {n++; next} /^```$/ {n += n % 2; next} n == 2 * number - 1' "$1"
}
program docs/NETS.md 1 >"$tmp/made.py"
program docs/python.md 1 >"$tmp/reader.py"
program docs/python.md 2 >"$tmp/layer.py"

demo_games 20 >"$tmp/g.pgn"
"$PLYMILL" scan --fens "$tmp/g.pgn" 2>/dev/null | cut -f3 | awk 'NR % 20 == 1' >"$tmp/fens"
agree() {
    (cd "$tmp" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$interop "$python" "$interop/torch_net.py" made.py fens >want) &&
        "$PLYMILL" eval "$tmp/net.safetensors" --white <"$tmp/fens" | cut -f2 >"$tmp/got" &&
        paste "$tmp/want" "$tmp/got" | awk '
            {d = $1 - $2; if (d < -0.001 || d > 0.001) {print; bad++}; if ($1 > 1 || $1 < -1) real++}
            END {exit bad || real < 20}'
}
check 'the net that docs/NETS.md makes has the values of PyTorch' agree
check 'and can be rounded' "$PLYMILL" quantize "$tmp/net.safetensors" -o "$tmp/int8.safetensors" --quiet

printf '[label]\nnodes = 50\n[export]\nformats = ["bullet"]\n' >"$tmp/r.toml"
check 'a build' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$tmp/tiny" --quiet
adds_up() {
    (cd "$tmp" && cat reader.py layer.py && echo 'print(tuple(hidden.shape), bool(hidden.abs().sum() > 0))') >"$tmp/all.py" &&
        (cd "$tmp" && "$python" all.py) | grep -E "^\\([0-9]+, 256\\) True$"
}
check 'the lines of docs/python.md run' adds_up
finish
