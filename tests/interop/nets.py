# Float nets as others write and read them: an independent reader, writer and evaluation on numpy,
# against which `eval`, `quantize` and `score` are held. Shares nothing with the C sources.
#   nets.py read NET FENS VALUES     NET evaluated here equals VALUES (a column of `eval --white`)
#   nets.py write DIR SEED           writes DIR/{tiny,wide,halfka,halfkp}.safetensors
#   nets.py integers FLOATS FILE     FILE holds the rounded tensors of FLOATS
import json
import struct
import sys

import numpy as np

TYPES = {"F32": "<f4", "I32": "<i4", "I16": "<i2", "I8": "i1"}


def read(path):
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    texts = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + size + begin:8 + size + end], TYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return texts, tensors


def write(path, texts, tensors):
    header, at = {"__metadata__": texts}, 0
    for name, values in tensors.items():
        end = at + 4 * values.size
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(values.astype("<f4").tobytes())


def board(fen):
    """Pieces as (piece 0..11, square 0..63), and whether White is to move."""
    pieces, rows, side = [], fen.split()[0].split("/"), fen.split()[1]
    for rank, row in zip(range(7, -1, -1), rows):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces.append(("PNBRQKpnbrqk".index(letter), 8 * rank + file))
                file += 1
    return pieces, side == "w"


def rows_768(pieces, own):
    turn = 0 if own == 0 else 56
    return [384 * (p // 6 != own) + 64 * (p % 6) + (s ^ turn) for p, s in pieces]


def rows_halfka(pieces, own):
    king = next(s for p, s in pieces if p == 5 + 6 * own) ^ (56 if own else 0)
    turn = (56 if own else 0) ^ (7 if king % 8 < 4 else 0)
    king ^= 7 if king % 8 < 4 else 0
    bucket = 4 * (king // 8) + king % 8 - 4
    planes = [10 if p % 6 == 5 else p % 6 + 5 * (p // 6 != own) for p, _ in pieces]
    return [(11 * bucket + plane) * 64 + (s ^ turn) for plane, (_, s) in zip(planes, pieces)]


def rows_halfkp(pieces, own):
    turn = 63 if own else 0
    king = next(s for p, s in pieces if p == 5 + 6 * own) ^ turn
    return [641 * king + 1 + 64 * (2 * (p % 6) + (p // 6 != own)) + (s ^ turn)
            for p, s in pieces if p % 6 != 5]


def both_sides(t, pieces, white, rows):
    sides = [t["ft.bias"] + t["ft.weight"][rows(pieces, own)].sum(0) for own in (0, 1)]
    return np.clip(np.concatenate(sides if white else sides[::-1]), 0, 1)


def evaluate(texts, tensors, fen):
    """Centipawns, White's view, of a float net."""
    arch, (pieces, white) = texts["arch"], board(fen)
    t = {name: values.astype(np.float64) for name, values in tensors.items()}
    if arch.startswith("769"):
        rows = [64 * p + s for p, s in pieces] + ([768] if white else [])
        h = np.clip(t["l1.bias"] + t["l1.weight"][rows].sum(0), 0, 1)
        h = np.clip(t["l2.weight"] @ h + t["l2.bias"], 0, 1)
        return 400 * float((t["l3.weight"] @ h + t["l3.bias"])[0])
    if arch.startswith("(768"):
        x, head = both_sides(t, pieces, white, rows_768) ** 2, (len(pieces) - 2) // 4
        out = t["out.weight"][head] @ x + t["out.bias"][head]
        unit = 400
    elif arch.startswith("halfka"):
        x, head = both_sides(t, pieces, white, rows_halfka), (len(pieces) - 1) // 4
        h = np.clip(t["l1.weight"][head] @ x + t["l1.bias"][head], 0, 1)
        out = t["out.weight"][head] @ h + t["out.bias"][head]
        unit = 400
    else:
        h = both_sides(t, pieces, white, rows_halfkp)
        for layer in ("l1", "l2"):
            h = np.clip(t[layer + ".weight"] @ h + t[layer + ".bias"], 0, 1)
        out = (t["out.weight"] @ h + t["out.bias"])[0]
        unit = 60000 / 208
    return unit * float(out) * (1 if white else -1)


def evaluate_int8(texts, t, fen):
    shift, (pieces, white) = int(texts["S"]), board(fen)
    scale = lambda x, m: (x.astype(object) * int(m) + (1 << shift - 1)) // (1 << shift)
    rows = [64 * p + s for p, s in pieces] + ([768] if white else [])
    t = {name: values.astype(np.int64) for name, values in t.items()}
    h = t["l1.bias"] + t["l1.weight"][rows].sum(0)
    h = np.clip(scale(h, texts["M1"]), 0, 127).astype(np.int64)
    h = np.clip(scale(t["l2.weight"] @ h + t["l2.bias"], texts["M2"]), 0, 127).astype(np.int64)
    return int(scale(t["l3.weight"] @ h + t["l3.bias"], texts["M3"])[0])


def command_read(net, fens, values):
    texts, tensors = read(net)
    integers = any(t.dtype != np.float32 for t in tensors.values())
    lines = list(zip(open(fens).read().splitlines(), open(values).read().splitlines()))
    assert lines
    for fen, value in lines:
        if integers:
            assert evaluate_int8(texts, tensors, fen) == int(value), (fen, value)
        else:
            mine = evaluate(texts, tensors, fen)
            assert abs(mine - float(value)) < 0.002, (fen, mine, value)


def command_write(folder, seed):
    random = np.random.RandomState(int(seed))
    draw = lambda *shape, most: random.uniform(-most, most, shape).astype(np.float32)
    layer = lambda name, *shape, most: {name + ".weight": draw(*shape, most=most),
                                        name + ".bias": draw(*shape[:-1], most=0.3)}
    ft = lambda rows: {"ft.weight": draw(rows, 32, most=0.2), "ft.bias": draw(32, most=0.5)}
    write(folder + "/tiny.safetensors",
          {"family": "tinynnue", "arch": "769->16->8->1", "h1": "16", "h2": "8",
           "stm_bit": "white", "unit_cp": "400"},
          {"l1.weight": draw(769, 16, most=0.3), "l1.bias": draw(16, most=0.5),
           **layer("l2", 8, 16, most=0.4), **layer("l3", 1, 8, most=0.6)})
    origin = {"train.records": "ab" * 32, "split.seed": "4"}
    write(folder + "/wide.safetensors",
          {"arch": "(768->32)x2->1x8 screlu", "unit_cp": "400", **origin},
          {**ft(768), **layer("out", 8, 64, most=0.4)})
    write(folder + "/halfka.safetensors",
          {"arch": "halfka(22528->32)x2->16->1x8", "order": "seed", "unit_cp": "400"},
          {**ft(22528), **layer("l1", 8, 16, 64, most=0.3), **layer("out", 8, 16, most=0.5)})
    write(folder + "/halfkp.safetensors", {"arch": "halfkp(41024->32)x2->32->32->1", **origin},
          {**ft(41024), **layer("l1", 32, 64, most=0.3), **layer("l2", 32, 32, most=0.3),
           **layer("out", 1, 32, most=0.5)})


def rounded(values, scale):
    scaled = values.astype(np.float64) * scale
    return (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(np.int64).ravel()


def command_integers(floats, path):
    texts, t = read(floats)
    if texts["arch"].startswith("(768"):
        scales = {"ft.weight": 255, "ft.bias": 255, "out.weight": 64, "out.bias": 255 * 64}
        mine = np.concatenate([rounded(t[name], scale) for name, scale in scales.items()])
        theirs = np.frombuffer(open(path, "rb").read(), "<i2")[:mine.size]
        assert (mine == theirs).all()
    else:
        scales = {"ft.weight": 127, "ft.bias": 127, "l1.weight": 64, "l1.bias": 127 * 64,
                  "out.weight": 64, "out.bias": 127 * 64}
        theirs = read(path)[1]
        for name, scale in scales.items():
            assert (rounded(t[name], scale) == theirs[name].ravel()).all(), name


if __name__ == "__main__":
    {"read": command_read, "write": command_write, "integers": command_integers}[sys.argv[1]](
        *sys.argv[2:])
