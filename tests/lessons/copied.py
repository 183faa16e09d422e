#!/usr/bin/env python3
"""What a small language model of two layers, which learnt to copy, computes of "saltsalt", in float64: a head that looks at the letter
before, and a head that looks at what came after the same letter; also where all heads that look at the letter before are switched off.

    copied.py PROGRAM FOLDER               compares the model with the lesson "copying-head"
    copied.py PROGRAM FOLDER --write F     writes the tables of src/lessons/ideas/language/copying_head.c
    copied.py PROGRAM FOLDER --scores      prints what each head looks at in rows that it never saw

Without PyTorch and safetensors it prints a line and ends with 77, ctest's "skipped".
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

LETTERS, TEXT, NEXT, SHOWN = "abcdeilmnoprst", "saltsalt", "salt", 8
LOOKS_BACK = 0.5  # the mean weight on the letter before, from which a head counts as one that looks at it


def make_held_out(count):
    """Words that come twice."""
    draw = random.Random(2)
    return ["".join(draw.sample(LETTERS, draw.randint(4, 10))) for _ in range(count)]


try:
    import numpy as np
    import torch
    import torch.nn.functional as F
    from safetensors import safe_open
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


class Model:
    def __init__(self, folder):
        with safe_open(os.path.join(folder, "model.safetensors"), "np") as file:
            self.w = {name.removeprefix("transformer."): torch.tensor(file.get_tensor(name).astype(np.float64)) for name in file.keys()}
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            self.heads = json.load(file)["n_head"]
        with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as file:
            self.ids = json.load(file)["model"]["vocab"]

    def map(self, name, x):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def norm(self, name, x):
        return F.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"], 1e-5)

    def run(self, text, off=()):
        """Each layer's heads, and the logarithms of the probabilities of what follows; `off`: heads of the first layer."""
        ids = [self.ids[letter] for letter in text]
        places = self.w["wpe.weight"][:len(ids)]
        x, layers = self.w["wte.weight"][ids] + places, []
        first = dict(embedded=self.w["wte.weight"][ids], places=places, x=x)
        for i in range(2):
            name = f"h.{i}"
            q, k, v = (part.reshape(len(ids), self.heads, -1).transpose(0, 1)
                       for part in self.map(name + ".attn.c_attn", self.norm(name + ".ln_1", x)).chunk(3, -1))
            scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(torch.ones(len(ids), len(ids)).triu(1).bool(), -math.inf)
            weights = scores.softmax(-1)
            heads = weights @ v
            layers.append(dict(q=q, k=k, v=v, weights=weights, heads=heads))
            if i == 0:
                heads = heads.clone()
                heads[list(off)] = 0
            x = x + self.map(name + ".attn.c_proj", heads.transpose(0, 1).reshape(len(ids), -1))
            x = x + self.map(name + ".mlp.c_proj", F.gelu(self.map(name + ".mlp.c_fc", self.norm(name + ".ln_2", x)), approximate="tanh"))
        return first, layers, (self.norm("ln_f", x) @ self.w["wte.weight"].T).log_softmax(-1)


def scores_of(model):
    """Of each head the mean weight on the letter before, and in the second half of a row on what came after the same letter; the heads of
    the first layer that look back, the best one first; how often the most probable letter is right in the second half, and its mean loss,
    with all heads and without those."""
    before, after, count = torch.zeros(2, model.heads), torch.zeros(2, model.heads), [0, 0]
    rows = make_held_out(200)
    for row in rows:
        _, layers, _ = model.run(row + row)
        for i, layer in enumerate(layers):
            for t in range(1, 2 * len(row)):
                before[i] += layer["weights"][:, t, t - 1].float()
            for t in range(len(row), 2 * len(row)):
                after[i] += layer["weights"][:, t, t - len(row) + 1].float()
        count[0] += 2 * len(row) - 1
        count[1] += len(row)
    before, after = before / count[0], after / count[1]
    back = [int(head) for head in before[0].argsort(descending=True) if before[0][head] > LOOKS_BACK]
    right, loss = [0, 0], [0, 0]
    for row in rows:
        for i, off in enumerate(((), back)):
            log_p = model.run(row + row, off)[2]
            for t in range(len(row), 2 * len(row) - 1):
                wanted = model.ids[row[t - len(row) + 1]]
                right[i] += int(log_p[t].argmax()) == wanted
                loss[i] -= float(log_p[t][wanted])
    asked = count[1] - len(rows)
    return before, after, back, [r / asked for r in right], [n / asked for n in loss]


def compute(model):
    _, after, back, _, _ = scores_of(model)
    best = [back[0], int(after[1].argmax())]
    first, layers, log_p = model.run(TEXT)
    _, without, log_p_without = model.run(TEXT, back)
    likely = [model.ids[letter] for letter in NEXT]
    found = {name: first[name][:, :SHOWN] for name in ("embedded", "places")}
    for part in "qkv":
        found["before_" + part] = layers[0][part][best[0]]
        found["after_" + part] = layers[1][part][best[1]]
        found["alone_" + part] = without[1][part][best[1]]
    found["logs"], found["alone_logs"] = log_p[:, likely], log_p_without[:, likely]
    found["weights"] = [layers[0]["weights"][best[0]], layers[1]["weights"][best[1]], without[1]["weights"][best[1]]]
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
        for name, values in found.items():
            if name != "weights":
                file.write(f"static const int {name}[] = {{\n{numbers(values)}\n}};\n")


def compare(where, value, want, most):
    apart = float((value.reshape(want.shape) - want).abs().max())
    if not apart <= most:
        sys.exit(f"{where}: off by {apart}")


def main():
    program, model = os.path.abspath(sys.argv[1]), Model(sys.argv[2])
    if "--scores" in sys.argv:
        before, after, back, right, loss = scores_of(model)
        print("the letter before\n", before.numpy().round(3), "\nwhat came after the same letter\n", after.numpy().round(3),
              "\nheads of the first layer that look back", back, "\nright, and without them", right, "\nloss, and without them", loss)
        return
    found = compute(model)
    if "--write" in sys.argv:
        write(found, sys.argv[-1])
        return
    with tempfile.TemporaryDirectory() as folder:
        def arrays(*settings):
            npz = os.path.join(folder, "arrays.npz")
            subprocess.run([program, "lesson", "copying-head", "--terminal", "--out", npz, *settings], check=True, capture_output=True)
            with np.load(npz) as file:
                return {n: torch.tensor(file[n].astype(np.float64)) for n in file.files if file[n].dtype.kind == "f"}
        both, alone = arrays(), arrays("--set", "first=0")
    compare("before.weights", both["before.weights"], found["weights"][0], 4e-3)
    compare("after.weights", both["after.weights"], found["weights"][1], 4e-3)
    compare("after.weights alone", alone["after.weights"], found["weights"][2], 4e-3)
    compare("p", both["p"], found["logs"].exp(), 2e-3)
    compare("p alone", alone["p"], found["alone_logs"].exp(), 2e-3)
    print("5 arrays of copying-head are the model's")


if __name__ == "__main__":
    main()
