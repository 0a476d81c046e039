#!/bin/sh
# The reader of docs/python.md, as it stands there, against the FENs of the same build's csv file.
. tests/cli/lib.sh

python=$(python_with numpy)
if [ -z "$python" ]; then
    skip 'the reader of docs/python.md' 'no python3-numpy'
    finish
fi
sed -n '/^```python$/,/^```$/p' docs/python.md | sed '1d; /^```$/,$d' >"$tmp/reader.py"
body_is_short() {
    lines=$(sed -n '/^def batches/,$p' "$tmp/reader.py" | awk '/"""/{n += gsub(/"""/, ""); next} n % 2 == 0' | grep -c .)
    echo "$lines lines"
    [ "$lines" -gt 10 ] && [ "$lines" -le 30 ]
}
check 'it is short' body_is_short
printf '[sample]\nper_game = 6\n[label]\nnodes = 50\n[export]\nformats = ["bullet", "csv"]\n' >"$tmp/r.toml"
demo_games 80 >"$tmp/g.pgn"
check 'a build' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$tmp/b" --quiet
zstd -dq "$tmp/b/dataset/train.csv.zst" -o "$tmp/b/train.csv"
cat >"$tmp/compare.py" <<'P'
import csv
import sys

from reader import batches

rows = list(csv.DictReader(open(sys.argv[2])))
seen = 0
for size in (7, 100000):
    at = 0
    for own, other, score, result in batches(sys.argv[1], size):
        assert len(own) <= size and own.shape[1] == 32
        for i in range(len(own)):
            row = rows[at]
            at += 1
            board, side = row["fen"].split()[:2]
            want, against = set(), set()
            for rank, line in zip(range(7, -1, -1), board.split("/")):
                file = 0
                for letter in line:
                    if letter.isdigit():
                        file += int(letter)
                        continue
                    square = 8 * rank + file
                    file += 1
                    kind = "PNBRQK".index(letter.upper())
                    mine = letter.isupper() == (side == "w")
                    up = square if side == "w" else square ^ 56
                    want.add((0 if mine else 384) + 64 * kind + up)
                    against.add((384 if mine else 0) + 64 * kind + (up ^ 56))
            assert set(own[i][own[i] >= 0]) == want, row
            assert set(other[i][other[i] >= 0]) == against, row
            assert score[i] == int(row["score"]), row
            white = {"1-0": 1, "1/2-1/2": 0.5, "0-1": 0}[row["result"]]
            assert result[i] == (white if side == "w" else 1 - white), row
            seen += 1
    assert at == len(rows)
print(seen // 2, "positions")
assert seen > 400
P
compares() {
    (cd "$tmp" && "$python" compare.py b/dataset/train.bullet b/train.csv)
}
check 'its batches are those of the FENs' compares

# The page's second program, with the three things that it takes from torch made of numpy.
awk '/^```python$/ {n++; next} /^```$/ {n += n % 2; next} n == 3' docs/python.md >"$tmp/layer.py"
cat >"$tmp/torch.py" <<'P'
import numpy as np


class Tensor(np.ndarray):
    def sum(self, dim):
        return np.asarray(self).sum(axis=dim)


def from_numpy(array):
    assert array.dtype == np.int64
    return array


class nn:
    class Embedding:
        def __init__(self, rows, width, padding_idx):
            self.weight = np.arange(rows * width, dtype=np.float64).reshape(rows, width)
            self.weight[padding_idx] = 0

        def __call__(self, index):
            assert index.min() >= 0
            return self.weight[index].view(Tensor)
P
cat >"$tmp/layer_test.py" <<'P'
import numpy as np

from reader import batches

program = open("layer.py").read()
assert "torch" in program and '"tiny/dataset/train.bullet"' in program
names = {"batches": batches, "np": np}
exec(program.replace("tiny/dataset", "b/dataset"), names)
raw = list(batches("b/dataset/train.bullet"))[-1][0]
weight = names["layer"].weight
want = np.array([weight[row[row >= 0]].sum(axis=0) for row in raw])
assert names["hidden"].shape == (len(raw), weight.shape[1]) and np.array_equal(names["hidden"], want)
P
layer_runs() {
    (cd "$tmp" && "$python" layer_test.py)
}
check 'what the page does with them in PyTorch adds up the rows of the pieces' layer_runs
finish
