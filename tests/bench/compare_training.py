#!/usr/bin/env python3
"""A training step of the captioner by saccade beside the same model in PyTorch, eager.

    venv/bin/python tests/bench/compare_training.py [--dataset book] [--rounds 5]
        [--saccade build/release/saccade]

Both have the sizes of the weights that come along, and learn from batches of as many pictures as a
training of that world takes, with sentences of the training stream, on all cores, one after the
other and round after round, so that what disturbs the machine disturbs both. PyTorch's pictures are
noise, made before the clock starts; ours are scenes, drawn by another thread meanwhile. PyTorch
leaves out sentences that have ended, as ours does, and the faster of its two orders of memory
(channels first, channels last) counts. A ratio over 1 says how many times as long PyTorch takes.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F
from torch import nn

from compare_captioner import description

WARM, STEPS = 2, 10
PAD, START, END, FIRST = 0, 1, 2, 3
WEIGHTS = {"shapes": "assets/captioner/additive.safetensors", "book": "assets/captioner/book.safetensors"}


class Captioner(nn.Module):
    """The formulas of src/models/captioner/captioner.h, additive score."""

    def __init__(self, shape):
        super().__init__()
        self.side, layers, words = shape["side"], shape["layers"], len(shape["vocabulary"])
        keys, hidden, embedding = shape["attention"], shape["hidden"], shape["embedding"]
        inputs = [3] + [channels for channels, _ in layers]
        self.layers = nn.ModuleList(nn.Conv2d(i, channels, 3, stride, 1)
                                    for i, (channels, stride) in zip(inputs, layers))
        width, self.cells = inputs[-1], self.side
        for _, stride in layers:
            self.cells = -(-self.cells // stride)
        self.position = nn.Parameter(torch.zeros(self.cells**2, width))
        self.norm = nn.LayerNorm(width)
        self.key = nn.Linear(width, keys)
        self.query = nn.Linear(hidden, keys, bias=False)
        self.v = nn.Parameter(torch.randn(keys) / keys**0.5)
        self.gate = nn.Linear(hidden, width)
        self.state, self.cell = nn.Linear(width, hidden), nn.Linear(width, hidden)
        self.words = nn.Embedding(words, embedding)
        self.lstm = nn.LSTMCell(embedding + width, hidden)
        self.out_state = nn.Linear(hidden, embedding, bias=False)
        self.out_context = nn.Linear(width, embedding, bias=False)
        self.out = nn.Linear(embedding, words)

    def forward(self, pictures, inputs, lengths):
        """Logits and weights [rows, …] of all steps, the rows of sentences that go on."""
        x = pictures
        for layer in self.layers:
            x = F.relu(layer(x))
        h = self.norm(x.flatten(2).transpose(1, 2) + self.position)
        keys, mean = self.key(h), h.mean(1)
        state, cell = torch.tanh(self.state(mean)), torch.tanh(self.cell(mean))
        embedded, mixed, gaze = self.words(inputs), [], []
        for t in range(inputs.shape[1]):
            n = int((lengths > t).sum())
            state, cell = state[:n], cell[:n]
            scores = torch.tanh(keys[:n] + self.query(state)[:, None]) @ self.v
            weights = scores.softmax(1)
            z = torch.sigmoid(self.gate(state)) * (weights[:, None] @ h[:n])[:, 0]
            state, cell = self.lstm(torch.cat([embedded[:n, t], z], 1), (state, cell))
            mixed.append(embedded[:n, t] + self.out_state(state) + self.out_context(z))
            gaze.append(weights)
        return self.out(torch.cat(mixed)), torch.cat(gaze)


def sentences(program, world, count):
    """Words of `count` sentences of the training stream, as numbers."""
    ids, words = [], {}
    for seed in range(count):
        text = subprocess.run([program, "scene", "--dataset", world, "--stream", "training", "--seed", str(seed)],
                              check=True, capture_output=True, text=True).stdout
        ids.append([words.setdefault(word, FIRST + len(words)) for word in text.split("\n")[0].split()])
    return ids


def batch_of(ids, side, cells):
    """Pictures, inputs, lengths (falling), and by row of a step its target and where it looks."""
    ids = sorted(ids, key=lambda words: -len(words))
    lengths = torch.tensor([len(words) + 1 for words in ids])
    inputs = nn.utils.rnn.pad_sequence([torch.tensor([START] + words) for words in ids], True, PAD)
    targets = [words[t] if t < len(words) else END
               for t in range(int(lengths[0])) for words in ids if t <= len(words)]
    cover = (torch.rand(len(targets), cells**2) < 0.1).float()
    return torch.randn(len(ids), 3, side, side), inputs, lengths, torch.tensor(targets), cover


def torch_step(model, optimizer, batch):
    pictures, inputs, lengths, targets, cover = batch
    start = time.perf_counter()
    optimizer.zero_grad()
    logits, weights = model(pictures, inputs, lengths)
    gaze = -torch.log((weights * cover).sum(1) + 1e-6).mean()
    (F.cross_entropy(logits, targets) + 0.3 * gaze).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimizer.step()
    return time.perf_counter() - start


def median_step(model, optimizer, batches, order):
    model.to(memory_format=order)
    ordered = [(batch[0].contiguous(memory_format=order), *batch[1:]) for batch in batches]
    return 1e3 * statistics.median([torch_step(model, optimizer, batch) for batch in ordered][WARM:])


def our_step(o):
    command = [o.saccade, "bench", "train", "captioner", "--dataset", o.world, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--saccade", default="build/release/saccade")
    options.add_argument("--dataset", choices=WEIGHTS, default="shapes")
    options.add_argument("--rounds", type=int, default=5)
    o = options.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    size = our_step(o)["batch"]
    ids = sentences(o.saccade, o.world, size * (WARM + STEPS))
    model = Captioner(description(WEIGHTS[o.world]))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    batches = [batch_of(ids[i:i + size], model.side, model.cells) for i in range(0, len(ids), size)]
    ratios = []
    for i in range(o.rounds):
        ours = our_step(o)
        theirs = [median_step(model, optimizer, batches, order)
                  for order in (torch.contiguous_format, torch.channels_last)]
        ratios.append(min(theirs) / ours["ms"])
        print(f"round {i + 1}: saccade {ours['ms']:.1f} ms, torch {theirs[0]:.1f} (channels last {theirs[1]:.1f}) ms, "
              f"{ratios[-1]:.2f} x, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"median {statistics.median(ratios):.2f} x")


if __name__ == "__main__":
    main()
