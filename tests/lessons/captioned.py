#!/usr/bin/env python3
"""What the bundled captioner of shapes computes of scene 91, in float64, and what it would write if each word got one vector for the
whole picture.

    captioned.py PROGRAM WEIGHTS            compares it with the lesson "caption-step"
    captioned.py PROGRAM WEIGHTS --write F  writes the tables of src/lessons/shared/captioned.c

Without PyTorch and safetensors it prints a line and ends with 77, ctest's "skipped".
"""
import json
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

WORDS, CELLS = 15, 196
SHOWN = [68, 126, 8]  # numbers of a cell that the lesson shows: large on the star, the triangle and the circle


def load(path):
    with safe_open(path, "np") as file:
        weights = {name: torch.tensor(file.get_tensor(name).astype(np.float64)) for name in file.keys()}
        return weights, json.loads(file.metadata()["model"])


def encode(w, model, rgb):
    """[224,224,3] of bytes to the cells' features [196,D]."""
    x = torch.tensor(rgb.astype(np.float64) * 4 / 255 - 2).permute(2, 0, 1)[None]
    for i, (_, stride) in enumerate(model["layers"]):
        kernel = w[f"encoder.{i}.weight"].permute(0, 3, 1, 2)
        x = F.relu(F.conv2d(x, kernel, w[f"encoder.{i}.bias"], stride=stride, padding=1))
    grid = x[0].permute(1, 2, 0).reshape(CELLS, -1) + w["encoder.position"]
    return F.layer_norm(grid, grid.shape[1:], w["encoder.norm.weight"], w["encoder.norm.bias"])


def generate(w, h, vocabulary, masked, words, one_vector):
    """Of each word the scores over the cells and the logits of the next word, after `words`; None: after those that it chooses."""
    keys = h @ w["attention.key.weight"].T + w["attention.key.bias"]
    mean, y, steps, chosen = h.mean(0), vocabulary.index("<start>"), [], []
    s = torch.tanh(w["start.state.weight"] @ mean + w["start.state.bias"])
    c = torch.tanh(w["start.cell.weight"] @ mean + w["start.cell.bias"])
    for t in range(WORDS):
        scores = torch.tanh(w["attention.query.weight"] @ s + keys) @ w["attention.v"]
        context = mean if one_vector else scores.softmax(0) @ h
        z = torch.sigmoid(w["attention.gate.weight"] @ s + w["attention.gate.bias"]) * context
        word = w["words.embedding"][0 if y in masked else y]
        gates = w["lstm.word.weight"] @ word + w["lstm.context.weight"] @ z + w["lstm.state.weight"] @ s + w["lstm.bias"]
        i, f, g, o = gates.chunk(4)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        s = torch.sigmoid(o) * torch.tanh(c)
        logits = w["words.out.weight"] @ (word + w["words.state.weight"] @ s + w["words.context.weight"] @ z) + w["words.out.bias"]
        steps.append((scores, logits))
        y = words[t] if words else int(logits.argmax())
        chosen.append(y)
    return torch.stack([e for e, _ in steps]), torch.stack([p for _, p in steps]), chosen


def compute(program, path, folder):
    w, model = load(path)
    vocabulary = model["vocabulary"]
    npz = os.path.join(folder, "scene.npz")
    subprocess.run([program, "caption", "--dataset", "shapes", "--scene", "91", "--out", npz], check=True, capture_output=True)
    with np.load(npz) as file:
        image, shown = file["image"].astype(np.float64), torch.tensor(file["weights"].reshape(WORDS, CELLS).astype(np.float64))
    rgb = np.floor(image.reshape(224, 2, 224, 2, 3).mean((1, 3)) + 0.5)
    h = encode(w, model, rgb)
    masked = [vocabulary.index(c) for c in "red orange yellow green blue purple white black".split()]
    scores, logits, words = generate(w, h, vocabulary, masked, None, False)
    apart = float((scores.softmax(1) - shown).abs().max())
    if apart > 1e-5:
        sys.exit(f"the program's weights differ by {apart}")
    plain = generate(w, h, vocabulary, masked, words, True)[1]
    both = torch.stack([logits, plain])[:, :, 2:]  # nothing is padding or the start
    return dict(words=[vocabulary[i] for i in words], vocabulary=vocabulary[2:], scores=scores - scores.mean(1, keepdim=True), h=h[:, SHOWN],
                mean=h.mean(0)[SHOWN], contexts=scores.softmax(1) @ h[:, SHOWN], logp=both.log_softmax(-1))


def write(found, path):
    def table(name, shape, numbers):
        hundredths = [int(round(100 * float(n))) for n in numbers.flatten()]
        lines, line = [], "   "
        for number in hundredths:
            if len(line) + len(f" {number},") > 100:
                lines.append(line)
                line = "   "
            line += f" {number},"
        return f"static const short {name}[{shape}] = {{\n" + "\n".join(lines + [line]) + "\n};\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(table("scores", "WORDS * CELLS", found["scores"]) + table("cells", "CELLS * FEATURES", found["h"]) +
                   table("log_probabilities", "2 * WORDS * VOCABULARY", found["logp"].clamp(min=-30)))


def main():
    program, weights = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        found = compute(program, weights, folder)
        if sys.argv[3:]:
            write(found, sys.argv[4])
            return
        npz = os.path.join(folder, "lesson.npz")
        subprocess.run([program, "lesson", "caption-step", "--terminal", "--npz", npz], check=True, capture_output=True)
        with np.load(npz) as file:
            lesson = {name: torch.tensor(file[name].astype(np.float64)) for name in file.files}
    wanted = {"e.all": found["scores"], "h": found["h"], "v": found["mean"], "c.all": found["contexts"], "p.all": found["logp"].exp()}
    for name, want in wanted.items():
        apart = float((lesson[name].reshape(want.shape) - want).abs().max())
        if not apart <= 0.03:  # of numbers in two decimals, and of their exp
            sys.exit(f"{name}: off by {apart}")
    print(f"{len(wanted)} arrays of caption-step are the captioner's: “{' '.join(found['words'])}”")


if __name__ == "__main__":
    main()
