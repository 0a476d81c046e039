# The program of docs/NETS.md for PyTorch, as it stands there, and what its net says of positions.
#   torch_net.py PROGRAM FENS    runs PROGRAM, which writes net.safetensors; a line a FEN: centipawns,
#                                White's view. Without Python's package safetensors nets.py writes.
import sys
import types

import nets

try:
    import safetensors.torch
except ImportError:
    def save_file(tensors, path, metadata):
        nets.write(path, metadata, {name: value.numpy() for name, value in tensors.items()})

    module = types.ModuleType("safetensors.torch")
    module.save_file = save_file
    sys.modules["safetensors"] = types.ModuleType("safetensors")
    sys.modules["safetensors.torch"] = module

names = {}
exec(open(sys.argv[1]).read(), names)
torch, net = names["torch"], names["net"]
for fen in open(sys.argv[2]):
    pieces, white = nets.board(fen)
    features = [64 * piece + square for piece, square in pieces] + [768] * white
    print(400 * float(net(torch.tensor(features), torch.tensor([0]))))
