#!/usr/bin/env python3
"""What the bundled transformer computes of "the red cat sleeps" and "le chat rouge", in float64: the second layers of its encoder and
decoder, one head each.

    translated.py PROGRAM WEIGHTS            compares it with the lesson "transformer-block"
    translated.py PROGRAM WEIGHTS --write F  writes the tables of src/lessons/ideas/language/transformer_block.c

Without PyTorch and safetensors it prints a line and ends with 77, ctest's "skipped".
"""
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
    from safetensors import safe_open
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HEADS, SHOWN = 4, 8  # numbers of each word that the lesson shows
SOURCE, TARGET = "the red cat sleeps".split(), "<start> le chat rouge".split()
NEXT = "le la chat rouge triste dort".split()
LAYER, ENCODER_HEAD, DECODER_HEAD, CROSS_HEAD = 1, 2, 2, 3


def positions(count, width):
    p, i = torch.arange(count, dtype=torch.float64)[:, None], torch.arange(0, width, 2, dtype=torch.float64)
    table = torch.zeros(count, width, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = torch.sin(p / 10000 ** (i / width)), torch.cos(p / 10000 ** (i / width))
    return table


class Transformer:
    def __init__(self, path):
        with safe_open(path, "np") as file:
            self.w = {name: torch.tensor(file.get_tensor(name).astype(np.float64)) for name in file.keys()}
            self.model = json.loads(file.metadata()["model"])
        self.width = self.model["width"]

    def map(self, name, x):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def embed(self, table, ids):
        return self.w[table][ids] * math.sqrt(self.width) + positions(len(ids), self.width)

    def attend(self, name, x, y, causal):
        def split(t):
            return t.reshape(len(t), HEADS, -1).transpose(0, 1)
        q, k, v = (split(self.map(f"{name}.{part}", of)) for part, of in (("query", x), ("key", y), ("value", y)))
        scores = q @ k.transpose(1, 2) / math.sqrt(self.width / HEADS)
        if causal:
            scores = scores.masked_fill(torch.ones(len(x), len(x)).triu(1).bool(), -math.inf)
        weights = scores.softmax(-1)
        joined = (weights @ v).transpose(0, 1).reshape(len(x), self.width)
        return dict(q=q, k=k, v=v, weights=weights, out=self.map(name + ".out", joined))

    def norm(self, name, x):
        return F.layer_norm(x, x.shape[1:], self.w[name + ".weight"], self.w[name + ".bias"])

    def forward(self, name, x):
        wide = self.map(name + ".in", x)
        return wide, self.map(name + ".out", F.relu(wide))


def moments(x):
    return torch.stack([x.mean(1), x.var(1, unbiased=False)], 1)


def compute(path):
    t, found = Transformer(path), {}
    english, french = t.model["english"], t.model["french"]
    ids = [english.index(word) for word in SOURCE]
    found["embedded"] = t.w["encoder.words"][ids][:, :SHOWN]
    x = t.embed("encoder.words", ids)
    found["source_x"] = x[:, :SHOWN]
    for layer in range(LAYER + 1):
        name = f"encoder.{layer}"
        self_, before = t.attend(name + ".self", x, x, False), x
        first = t.norm(name + ".self.norm", x + self_["out"])
        wide, out = t.forward(name + ".forward", first)
        x = t.norm(name + ".forward.norm", first + out)
        found.update(encoder=self_, encoder_x=before[:, :SHOWN], encoder_a=self_["out"][:, :SHOWN], encoder_moments=moments(before + self_["out"]),
                     encoder_norm=first[:, :SHOWN], wide=wide[:, :SHOWN], forward=out[:, :SHOWN], forward_moments=moments(first + out),
                     memory=x[:, :SHOWN])
        for part, key in (("self.norm", "norm_gain"), ("forward.norm", "forward_gain")):
            found[key] = torch.stack([t.w[f"{name}.{part}.{what}"][:SHOWN] for what in ("weight", "bias")])
    y = t.embed("decoder.words", [french.index(word) for word in TARGET])
    for layer in range(LAYER + 1):
        name = f"decoder.{layer}"
        decoder = t.attend(name + ".self", y, y, True)
        y = t.norm(name + ".self.norm", y + decoder["out"])
        cross = t.attend(name + ".cross", y, x, False)
        y = t.norm(name + ".cross.norm", y + cross["out"])
        y = t.norm(name + ".forward.norm", y + t.forward(name + ".forward", y)[1])
        found.update(decoder=decoder, cross=cross, decoder_y=y[:, :SHOWN])
    logs = (y @ t.w["decoder.words"].T + t.w["decoder.out.bias"]).log_softmax(-1)
    found["logs"] = logs[:, [french.index(word) for word in NEXT]]
    return found


def write(found, path):
    def numbers(values):
        lines, line = [], "   "
        for number in (int(round(1000 * float(n))) for n in values.flatten()):
            if len(line) + len(f" {number},") > 100:
                lines.append(line)
                line = "   "
            line += f" {number},"
        return "\n".join(lines + [line])
    with open(path, "w", encoding="utf-8") as file:
        for name in "embedded encoder_x encoder_a encoder_moments norm_gain wide forward forward_moments forward_gain decoder_y logs".split():
            file.write(f"static const int {name}[] = {{\n{numbers(found[name])}\n}};\n")
        for name, head in (("encoder", ENCODER_HEAD), ("decoder", DECODER_HEAD), ("cross", CROSS_HEAD)):
            for part in "qkv":
                file.write(f"static const int {name}_{part}[] = {{\n{numbers(found[name][part][head])}\n}};\n")


def compare(where, value, want, most):
    apart = float((value.reshape(want.shape) - want).abs().max())
    if not apart <= most:
        sys.exit(f"{where}: off by {apart}")


def main():
    program, found = os.path.abspath(sys.argv[1]), compute(sys.argv[2])
    if sys.argv[3:]:
        write(found, sys.argv[4])
        return
    with tempfile.TemporaryDirectory() as folder:
        def arrays(*command):
            npz = os.path.join(folder, "arrays.npz")
            subprocess.run([program, *command, "--out", npz], check=True, capture_output=True)
            with np.load(npz) as file:
                return {n: torch.tensor(file[n].astype(np.float64)) for n in file.files if file[n].dtype.kind == "f"}
        lesson = arrays("lesson", "transformer-block", "--terminal")
        translated = arrays("translate", " ".join(SOURCE), "--model", "transformer")
    for name, head in (("encoder", ENCODER_HEAD), ("decoder", DECODER_HEAD), ("cross", CROSS_HEAD)):
        weights = found[name]["weights"]
        compare(f"the program's {name}", translated[name][LAYER], weights, 1e-5)
        compare(name + ".weights", lesson[name + ".weights"], weights[head], 2e-3)
    for name, want in (("source.x", found["source_x"]), ("encoder.norm", found["encoder_norm"]), ("memory", found["memory"]),
                       ("words", found["logs"].exp())):
        compare(name, lesson[name], want, 0.01)  # of numbers in three decimals
    print("7 arrays of transformer-block are the transformer's")


if __name__ == "__main__":
    main()
