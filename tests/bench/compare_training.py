#!/usr/bin/env python3
"""A training step of captioner, translator and transformer by saccade beside the same models in PyTorch, eager.

    venv/bin/python tests/bench/compare_training.py [captioner] [translator] [transformer]
        [--dataset book] [--rounds 5] [--saccade build/release/saccade]
    … captioner --pictures FOLDER --captions FILE.csv --encoder WEIGHTS --cache F [--decoder transformer]

Both have the sizes of the weights that come along, and learn from batches of as many samples as a
training takes, with sentences of the training stream, on all cores, one after the other and round
after round, so that what disturbs the machine disturbs both. A ratio is how many times as
long PyTorch takes.

Of the captioner PyTorch's pictures are noise, made before the clock starts; ours are scenes, drawn by
another thread meanwhile. PyTorch leaves out sentences that have ended, as ours does, and the faster
of its two orders of memory (channels first, channels last) counts.

The translators (translators.py) first learn from the same two batches, and the losses are compared.

With --pictures both learn from photographs with all their captions, by what the network computed of
them once: its last 1 x 1 convolution and what comes after it. PyTorch's cells are noise, and its
captions those of the file. With --decoder transformer the decoder has layers, and both attend to a
photograph once for all of its sentences.
"""
import argparse
import collections
import csv
import json
import os
import re
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F
from torch import nn

import translators
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
        h, keys = self.encode(pictures)
        mean = h.mean(1)
        state, cell = torch.tanh(self.state(mean)), torch.tanh(self.cell(mean))
        embedded, mixed, gaze = self.drop(self.words(inputs)), [], []
        for t in range(inputs.shape[1]):
            n = int((lengths > t).sum())
            state, cell = state[:n], cell[:n]
            scores = torch.tanh(keys[:n] + self.query(state)[:, None]) @ self.v
            weights = scores.softmax(1)
            z = torch.sigmoid(self.gate(state)) * (weights[:, None] @ h[:n])[:, 0]
            state, cell = self.lstm(torch.cat([embedded[:n, t], z], 1), (state, cell))
            mixed.append(embedded[:n, t] + self.out_state(state) + self.out_context(z))
            gaze.append(weights)
        return self.out(self.drop(torch.cat(mixed))), torch.cat(gaze)

    def encode(self, pictures):
        x = pictures
        for layer in self.layers:
            x = F.relu(layer(x))
        h = self.norm(x.flatten(2).transpose(1, 2) + self.position)
        return h, self.key(h)

    def drop(self, x):
        return x


class PhotographCaptioner(Captioner):
    """The same on what comes into EfficientNet-Lite's head, several sentences to a picture."""

    def __init__(self, words):
        super().__init__({"side": 10, "layers": [(512, 1)], "vocabulary": range(words), "attention": 256,
                          "hidden": 512, "embedding": 256})
        del self.layers, self.position
        self.gate = nn.Linear(512, 1)
        self.head, self.project = nn.Linear(352, 1280).requires_grad_(False), nn.Linear(1280, 512)

    def encode(self, pictures):
        grid, picture_of = pictures
        with torch.no_grad():
            cells = F.layer_norm(F.relu6(self.head(grid)), (1280,))
        h = F.dropout(F.relu(self.norm(self.project(cells))), 0.2)
        return h[picture_of], self.key(h)[picture_of]

    def drop(self, x):
        return F.dropout(x, 0.5)


class Layer(nn.Module):
    """A decoder's, norm first; the sentences of a photograph are queries of one memory."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.joined, self.query, self.seen = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.outs = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.forward_net = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def attend(self, query, key, value, causal):
        split = [x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in (query, key, value)]
        return F.scaled_dot_product_attention(*split, dropout_p=0.25, is_causal=causal).transpose(1, 2).flatten(2)

    def forward(self, x, memory):
        x = x + F.dropout(self.outs[0](self.attend(*self.joined(self.norms[0](x)).chunk(3, -1), True)), 0.25)
        query = self.query(self.norms[1](x)).reshape(len(memory), -1, x.shape[-1])
        seen = self.attend(query, *self.seen(memory).chunk(2, -1), False).reshape(x.shape)
        x = x + F.dropout(self.outs[1](seen), 0.25)
        return x + F.dropout(self.forward_net(self.norms[2](x)), 0.25)


class LayeredCaptioner(nn.Module):
    """The decoder of --decoder transformer on what comes into EfficientNet-Lite's head."""

    def __init__(self, words, width=256, layers=3, heads=8, hidden=1024):
        super().__init__()
        self.head, self.project = nn.Linear(352, 1280).requires_grad_(False), nn.Linear(1280, width)
        self.norm, self.last = nn.LayerNorm(width), nn.LayerNorm(width)
        self.words, self.bias = nn.Embedding(words, width), nn.Parameter(torch.zeros(words))
        self.layers = nn.ModuleList(Layer(width, heads, hidden) for _ in range(layers))
        self.positions = nn.Parameter(torch.randn(32, width)).requires_grad_(False)

    def forward(self, grid, inputs):
        with torch.no_grad():
            cells = F.layer_norm(F.relu6(self.head(grid)), (1280,))
        memory = self.norm(self.project(cells))
        x = self.words(inputs) * memory.shape[-1] ** 0.5 + self.positions[:inputs.shape[1]]
        x = F.dropout(x, 0.25)
        for layer in self.layers:
            x = layer(x, memory)
        return self.last(x) @ self.words.weight.T + self.bias


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


def photograph_batches(path, size):
    """Batches of `size` photographs with five captions each, and the number of words seen 5 times."""
    with open(path, newline="", encoding="utf-8") as file:
        captions = [re.findall(r"[a-z0-9']+", row[-1].lower())[:20] for row in list(csv.reader(file))[1:]]
    counts = collections.Counter(word for words in captions for word in words)
    numbers = {word: FIRST + i for i, word in enumerate(w for w, count in counts.items() if count >= 5)}
    batches = []
    for i in range(WARM + STEPS):
        some = [captions[k % len(captions)] for k in range(5 * size * i, 5 * size * (i + 1))]
        some = sorted(([numbers.get(w, FIRST) for w in words] for words in some), key=lambda ids: -len(ids))
        _, inputs, lengths, targets, _ = batch_of(some, 1, 1)
        batches.append(((torch.rand(size, 100, 352), torch.randint(size, (len(some),))), inputs, lengths, targets))
    return batches, FIRST + len(numbers)


def photograph_step(model, optimizer, batch):
    pictures, inputs, lengths, targets = batch
    start = time.perf_counter()
    optimizer.zero_grad()
    logits, weights = model(pictures, inputs, lengths)
    rows = torch.cat([torch.arange(int((lengths > t).sum())) for t in range(inputs.shape[1])])
    seen = torch.zeros(len(lengths), 100).index_add(0, rows, weights)
    loss = F.cross_entropy(logits, targets, label_smoothing=0.1) + 0.25 * ((1 - seen) ** 2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimizer.step()
    return time.perf_counter() - start


def layered_step(model, optimizer, batch):
    (grid, _), inputs, lengths, _ = batch
    photographs = len(grid)
    each = torch.arange(len(inputs)).reshape(-1, photographs).T.flatten()  # long and short ones to every photograph
    inputs, lengths = inputs[each], lengths[each]
    places = torch.arange(inputs.shape[1])[None]
    targets = F.pad(inputs[:, 1:], (0, 1)).masked_fill(places == lengths[:, None] - 1, END)
    targets = targets.masked_fill(places >= lengths[:, None], -100)
    start = time.perf_counter()
    optimizer.zero_grad()
    logits = model(grid, inputs)
    F.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=0.1).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    optimizer.step()
    return time.perf_counter() - start


def median_step(model, optimizer, batches, order):
    model.to(memory_format=order)
    ordered = [(batch[0].contiguous(memory_format=order), *batch[1:]) for batch in batches]
    return 1e3 * statistics.median([torch_step(model, optimizer, batch) for batch in ordered][WARM:])


def our_step(o, model):
    command = [o.saccade, "bench", "train", model, "--json"]
    if model == "captioner":
        command += (["--pictures", o.pictures, "--captions", o.captions, "--encoder", o.encoder, "--cache", o.cache,
                     "--views", "1", "--decoder", o.decoder] if o.pictures else ["--dataset", o.dataset])
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def captioner_steps(o, size):
    """A function that returns how long PyTorch's steps take, ms, in each order of memory."""
    if o.pictures:
        batches, words = photograph_batches(o.captions, size)
        layered = o.decoder == "transformer"
        model = (LayeredCaptioner if layered else PhotographCaptioner)(words)
        step = layered_step if layered else photograph_step
    else:
        ids = sentences(o.saccade, o.dataset, size * (WARM + STEPS))
        model = Captioner(description(WEIGHTS[o.dataset]))
        batches = [batch_of(ids[i:i + size], model.side, model.cells) for i in range(0, len(ids), size)]
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-3)
    if o.pictures:
        return lambda: [1e3 * statistics.median([step(model, optimizer, batch) for batch in batches][WARM:])]
    return lambda: [median_step(model, optimizer, batches, order)
                    for order in (torch.contiguous_format, torch.channels_last)]


def translator_steps(o, name, size):
    translators.check_losses(o.saccade, name)
    model, words = translators.load(name)
    batches = translators.batches(o.saccade, model, words, size, WARM + STEPS)
    optimizer = translators.optimizer_of(model)

    def timed(batch):
        start = time.perf_counter()
        translators.step(model, optimizer, batch)
        return time.perf_counter() - start
    return lambda: [1e3 * statistics.median([timed(batch) for batch in batches][WARM:])]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("models", nargs="*", metavar="MODEL", help="captioner, translator, transformer (all)")
    options.add_argument("--saccade", default="build/release/saccade")
    options.add_argument("--dataset", choices=WEIGHTS, default="shapes")
    options.add_argument("--rounds", type=int, default=5)
    for name in ("pictures", "captions", "encoder", "cache"):
        options.add_argument("--" + name)
    options.add_argument("--decoder", choices=("lstm", "transformer"), default="lstm")
    o = options.parse_args()
    names = o.models or ["captioner", *translators.CLASSES]
    for name in set(names) - {"captioner", *translators.CLASSES}:
        options.error(f"{name} is none of captioner, translator, transformer")
    torch.manual_seed(1)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    sizes = {name: our_step(o, name)["batch"] for name in names}
    steps = {name: captioner_steps(o, size) if name == "captioner" else translator_steps(o, name, size)
             for name, size in sizes.items()}
    ratios = collections.defaultdict(list)
    for i in range(o.rounds):
        for name in names:
            ours, theirs = our_step(o, name)["ms"], steps[name]()
            ratios[name].append(min(theirs) / ours)
            print(f"round {i + 1}, {name}: saccade {ours:.1f} ms, torch "
                  f"{' or '.join(f'{ms:.1f}' for ms in theirs)} ms, {ratios[name][-1]:.2f} x, "
                  f"load {os.getloadavg()[0]:.1f}", flush=True)
    for name in names:
        print(f"{name}: median {statistics.median(ratios[name]):.2f} x")


if __name__ == "__main__":
    main()
