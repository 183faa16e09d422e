#!/usr/bin/env python3
"""A training step of a translator by saccade beside the same model in PyTorch, eager.

    venv/bin/python tests/bench/compare_translator.py [--model transformer] [--rounds 5]
        [--saccade build/release/saccade]

Both learn from batches of 64 sentences of the same grammar, on the same number of threads, one
after the other and round after round, so that what disturbs the machine disturbs both. A ratio over
1 says how many times as long PyTorch takes. Sizes are those of `saccade train translator` and `saccade train transformer`.
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

EMBEDDING, HIDDEN, KEYS, BATCH = 96, 192, 128, 64
WIDTH, HEADS, FEED_FORWARD, LAYERS, PLACES = 128, 4, 384, 2, 64
PAD, START, END, SPECIAL = 0, 1, 2, 3
WARM, STEPS = 2, 12


class Translator(nn.Module):
    """The formulas of src/models/translator/translator.h."""

    def __init__(self, source_words, target_words):
        super().__init__()
        self.source = nn.Embedding(source_words, EMBEDDING)
        self.target = nn.Embedding(target_words, EMBEDDING)
        self.encoder = nn.GRU(EMBEDDING, HIDDEN, bidirectional=True, batch_first=True)
        self.start = nn.Linear(2 * HIDDEN, HIDDEN)
        self.key = nn.Linear(2 * HIDDEN, KEYS)
        self.query = nn.Linear(HIDDEN, KEYS, bias=False)
        self.v = nn.Parameter(torch.randn(KEYS) / KEYS**0.5)
        self.decoder = nn.GRUCell(EMBEDDING + 2 * HIDDEN, HIDDEN)
        self.out_state = nn.Linear(HIDDEN, EMBEDDING, bias=False)
        self.out_context = nn.Linear(2 * HIDDEN, EMBEDDING, bias=False)
        self.out = nn.Linear(EMBEDDING, target_words)

    def forward(self, source, lengths, inputs):
        packed = nn.utils.rnn.pack_padded_sequence(self.source(source), lengths, batch_first=True)
        features, last = self.encoder(packed)
        features, _ = nn.utils.rnn.pad_packed_sequence(features, batch_first=True)
        keys = self.key(features)
        padding = torch.arange(features.shape[1])[None] >= lengths[:, None]
        state = torch.tanh(self.start(torch.cat([last[0], last[1]], 1)))
        embedded, mixed = self.target(inputs), []
        for t in range(inputs.shape[1]):
            scores = torch.tanh(keys + self.query(state)[:, None]) @ self.v
            weights = scores.masked_fill(padding, float("-inf")).softmax(1)
            context = (weights[:, None] @ features)[:, 0]
            state = self.decoder(torch.cat([embedded[:, t], context], 1), state)
            mixed.append(embedded[:, t] + self.out_state(state) + self.out_context(context))
        return self.out(torch.stack(mixed, 1))


class Transformer(nn.Module):
    """The formulas of src/models/transformer/transformer.h: norms after the sum, no dropout, tied words."""

    def __init__(self, source_words, target_words):
        super().__init__()
        self.source = nn.Embedding(source_words, WIDTH)
        self.target = nn.Embedding(target_words, WIDTH)
        sizes = dict(d_model=WIDTH, nhead=HEADS, dim_feedforward=FEED_FORWARD, dropout=0.0,
                     batch_first=True)
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(**sizes) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(**sizes) for _ in range(LAYERS))
        self.register_buffer("places", torch.randn(PLACES, WIDTH))
        self.bias = nn.Parameter(torch.zeros(target_words))

    def forward(self, source, lengths, inputs):
        padding = torch.arange(source.shape[1])[None] >= lengths[:, None]
        later = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).triu(1)
        memory = self.source(source) * WIDTH**0.5 + self.places[:source.shape[1]]
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=padding)
        said = self.target(inputs) * WIDTH**0.5 + self.places[:inputs.shape[1]]
        for layer in self.decoder:
            said = layer(said, memory, tgt_mask=later, tgt_key_padding_mask=inputs == PAD,
                         memory_key_padding_mask=padding)
        return said @ self.target.weight.T + self.bias


def sentences(program, count):
    """[(source words, target words)] of the training stream."""
    text = subprocess.run([program, "sentence", "--stream", "training", "--count", str(count),
                           "--json"], check=True, capture_output=True, text=True).stdout
    pairs = [json.loads(line) for line in text.splitlines()]
    return [(p["source"], p["target"]) for p in pairs]


def numbers(pairs):
    words = [{}, {}]
    for pair in pairs:
        for side in (0, 1):
            for word in pair[side]:
                words[side].setdefault(word, SPECIAL + len(words[side]))
    ids = [[[words[side][w] for w in pair[side]] for side in (0, 1)] for pair in pairs]
    return ids, [SPECIAL + len(w) for w in words]


def batch_of(ids):
    """Source, its lengths (falling), inputs and targets of the decoder; −1 is no target."""
    ids = sorted(ids, key=lambda pair: -len(pair[0]))
    lengths = torch.tensor([len(s) for s, _ in ids])
    pad = nn.utils.rnn.pad_sequence
    source = pad([torch.tensor(s) for s, _ in ids], True, PAD)
    inputs = pad([torch.tensor([START] + t) for _, t in ids], True, PAD)
    targets = pad([torch.tensor(t + [END]) for _, t in ids], True, -1)
    return source, lengths, inputs, targets


def torch_step(model, optimizer, batch, smoothing):
    source, lengths, inputs, targets = batch
    start = time.perf_counter()
    optimizer.zero_grad()
    logits = model(source, lengths, inputs)
    F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1,
                    label_smoothing=smoothing).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimizer.step()
    return time.perf_counter() - start


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--saccade", default="build/release/saccade")
    options.add_argument("--model", choices=("translator", "transformer"), default="translator")
    options.add_argument("--rounds", type=int, default=5)
    o = options.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    ids, (source_words, target_words) = numbers(sentences(o.saccade, BATCH * (WARM + STEPS)))
    batches = [batch_of(ids[i:i + BATCH]) for i in range(0, len(ids), BATCH)]
    kind, smoothing = (Translator, 0.0) if o.model == "translator" else (Transformer, 0.1)
    model = kind(max(source_words, 467), max(target_words, 775))
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    ratios = []
    for i in range(o.rounds):
        ours = json.loads(subprocess.run([o.saccade, "bench", "train", o.model, "--json"],
                                         check=True, capture_output=True, text=True).stdout)
        times = [torch_step(model, optimizer, batch, smoothing) for batch in batches][WARM:]
        theirs = 1e3 * statistics.median(times)
        ratios.append(theirs / ours["ms"])
        print(f"round {i + 1}: saccade {ours['ms']:.1f} ms, torch {theirs:.1f} ms, "
              f"{ratios[-1]:.2f} x, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"median {statistics.median(ratios):.2f} x")


if __name__ == "__main__":
    main()
