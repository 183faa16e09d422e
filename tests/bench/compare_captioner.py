#!/usr/bin/env python3
"""A caption by saccade beside the same model, of the same weights, in PyTorch.

    venv/bin/python tests/bench/compare_captioner.py [--rounds 5] [--saccade build/release/saccade]
        [--weights assets/captioner/additive.safetensors]

Both encode scenes of 224 pixels and generate their sentences, greedy and with a beam of 3, one after the
other and round after round, so that what disturbs the machine disturbs both. Each takes the best of
one thread and all of them. A ratio is PyTorch's time over Saccade's. The sentences of
both are compared first.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from safetensors.torch import load_file

PAD, START, END, FIRST, LONGEST = 0, 1, 2, 3, 24
SCENES, WARM = 32, 4
COLOURS = "red orange yellow green blue purple white black".split()


class Captioner:
    """The formulas of src/models/captioner/captioner.h, additive score."""

    def __init__(self, path):
        self.w = {name: tensor.float() for name, tensor in load_file(path).items()}
        self.shape = description(path)
        self.strides = [stride for _, stride in self.shape["layers"]]
        masked = COLOURS if self.shape.get("unheard") else []
        self.inputs = torch.tensor([PAD if word in masked else i for i, word in enumerate(self.shape["vocabulary"])])
        self.kernels = [self.w[f"encoder.{i}.weight"].permute(0, 3, 1, 2).contiguous()
                        for i in range(len(self.strides))]
        parts = [self.w[f"lstm.{p}.weight"] for p in ("word", "context", "state")]
        self.lstm = torch.cat(parts, 1).T.contiguous()

    def encode(self, picture):
        """picture [3,side,side] → features [N,D], keys [N,A], first state and cell [1,H]"""
        w, x = self.w, picture[None]
        for i, stride in enumerate(self.strides):
            x = F.relu(F.conv2d(x, self.kernels[i], w[f"encoder.{i}.bias"], stride, 1))
        h = x[0].flatten(1).T + w["encoder.position"]
        h = F.layer_norm(h, h.shape[1:], w["encoder.norm.weight"], w["encoder.norm.bias"])
        keys = F.linear(h, w["attention.key.weight"], w["attention.key.bias"])
        mean = h.mean(0, keepdim=True)
        first = [torch.tanh(F.linear(mean, w[f"start.{p}.weight"], w[f"start.{p}.bias"]))
                 for p in ("state", "cell")]
        return h, keys, *first

    def step(self, h, keys, words, state, cell):
        w = self.w
        query = F.linear(state, w["attention.query.weight"])
        scores = torch.tanh(keys[None] + query[:, None]) @ w["attention.v"]
        weights = scores.softmax(1)
        gate = torch.sigmoid(F.linear(state, w["attention.gate.weight"], w["attention.gate.bias"]))
        z = gate * (weights @ h)
        embedded = w["words.embedding"][self.inputs[words]]
        gates = torch.addmm(w["lstm.bias"], torch.cat([embedded, z, state], 1), self.lstm)
        i, f, g, o = gates.chunk(4, 1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        state = torch.sigmoid(o) * torch.tanh(cell)
        mixed = embedded + F.linear(state, w["words.state.weight"])
        mixed = mixed + F.linear(z, w["words.context.weight"])
        return F.linear(mixed, w["words.out.weight"], w["words.out.bias"]), weights, state, cell

    def generate(self, encoded, beam):
        """Words of the best sentence; the search is that of src/generate/beam.c."""
        h, keys, state, cell = encoded
        rows, scores, words = [[]], torch.zeros(1), torch.tensor([START])
        best, best_score = None, -float("inf")
        for step in range(LONGEST):
            logits, _, state, cell = self.step(h, keys, words, state, cell)
            logp = logits.log_softmax(1)
            logp[:, :END if step else FIRST] = -float("inf")
            top, at = (scores[:, None] + logp).flatten().topk(beam)
            width, going = logp.shape[1], []
            for score, place in zip(top.tolist(), at.tolist()):
                row, word = divmod(place, width)
                if word != END:
                    going.append((score, row, word))
                elif score > best_score:
                    best, best_score = rows[row], score
            if not going or best_score >= going[0][0]:
                return best
            parents = torch.tensor([g[1] for g in going])
            state, cell = state[parents], cell[parents]
            rows = [rows[g[1]] + [g[2]] for g in going]
            scores = torch.tensor([g[0] for g in going])
            words = torch.tensor([g[2] for g in going])
        return rows[0] if best is None else best


def pictures(program, folder, side):
    """Scenes [3,side,side] as the model takes them, and saccade's caption of each."""
    paths = [os.path.join(folder, f"{i:03}.png") for i in range(SCENES)]
    for i, path in enumerate(paths):
        subprocess.run([program, "scene", "--dataset", "shapes", "--seed", str(4000 + i), "--side", str(side), "--png",
                        path], check=True, stdout=subprocess.DEVNULL)
    read = [np.asarray(Image.open(path).convert("RGB"), np.float32) for path in paths]
    return [torch.from_numpy(4 * p / 255 - 2).permute(2, 0, 1).contiguous() for p in read]


def captions_of(program, weights, folder, beam):
    text = subprocess.run([program, "caption", "--json", "--weights", weights, "--beam", str(beam),
                           folder], check=True, capture_output=True, text=True).stdout
    return [json.loads(line)["caption"] for line in text.splitlines()]


def times_of(model, scenes, beam):
    """ms of each scene: encoding, and the sentence"""
    encode, decode = [], []
    for scene in scenes[:WARM] + scenes:
        start = time.perf_counter()
        encoded = model.encode(scene)
        middle = time.perf_counter()
        model.generate(encoded, beam)
        encode.append(1e3 * (middle - start))
        decode.append(1e3 * (time.perf_counter() - middle))
    return statistics.median(encode[WARM:]), statistics.median(decode[WARM:])


def best_of_threads(model, scenes, beam):
    results = []
    for threads in {1, len(os.sched_getaffinity(0))}:
        torch.set_num_threads(threads)
        results.append(times_of(model, scenes, beam))
    return min(results, key=sum)


def compare_sentences(o, model, scenes, folder):
    header = json.loads(subprocess.run([o.saccade, "caption", "--json", "--weights", o.weights,
                                        os.path.join(folder, "000.png")], check=True,
                                       capture_output=True, text=True).stdout)
    words = model.shape["vocabulary"]
    for beam in (1, 3):
        ours = captions_of(o.saccade, o.weights, folder, beam)
        theirs = [" ".join(words[w] for w in model.generate(model.encode(s), beam)) for s in scenes]
        print(f"beam {beam}: {sum(a == b for a, b in zip(ours, theirs))} of {len(scenes)} sentences "
              f"are the same, on {header['device']}")


def description(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return json.loads(header["__metadata__"]["model"])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--saccade", default="build/release/saccade")
    options.add_argument("--weights", default="assets/captioner/additive.safetensors")
    options.add_argument("--rounds", type=int, default=5)
    o = options.parse_args()
    model, ratios = Captioner(o.weights), {1: [], 3: []}
    with torch.inference_mode(), tempfile.TemporaryDirectory() as folder:
        scenes = pictures(o.saccade, folder, model.shape["side"])
        compare_sentences(o, model, scenes, folder)
        for i in range(o.rounds):
            ours = json.loads(subprocess.run([o.saccade, "bench", "decode", "--weights", o.weights, "--json"], check=True,
                                             capture_output=True, text=True).stdout)
            for beam in (1, 3):
                encode, decode = best_of_threads(model, scenes, beam)
                whole = ours["encode_ms"] + ours[f"beam_{beam}"]["ms"]
                ratios[beam].append((encode + decode) / whole)
                print(f"round {i + 1}, beam {beam}: saccade {ours['encode_ms']:.2f} + "
                      f"{ours[f'beam_{beam}']['ms']:.2f} ms, torch {encode:.2f} + {decode:.2f} ms: "
                      f"{ratios[beam][-1]:.2f}")
    for beam in (1, 3):
        print(f"beam {beam}: torch takes {statistics.median(ratios[beam]):.2f} times as long")


if __name__ == "__main__":
    main()
