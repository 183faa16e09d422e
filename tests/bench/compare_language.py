#!/usr/bin/env python3
"""A language model's training by saccade beside the same model in PyTorch, eager and compiled.

    venv/bin/python tests/bench/compare_language.py [--rounds 5] [--layers 4 --heads 4 --width 128 --context 64 --batch 12]
    … --text FILE [--steps 2000] [--dropout 0]

Without a text it is steps alone: one after the other and round after round, on all cores, so that what disturbs
the machine disturbs both. A ratio is how many times as long PyTorch takes. The model, the optimizer and the defaults are those of
nanoGPT for a CPU: GPT-2's layers with scaled_dot_product_attention, AdamW (0.9, 0.99, decay 0.1 of matrices),
gradients clipped to 1.

With a text both train `--steps` on its characters, the last tenth held out. The losses are PyTorch's of both, on the
same contexts: those of our weights are loaded into its model, which also shows that it is the same one.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
import time

import torch
import torch.nn.functional as F
from torch import nn

WARM, STEPS = 3, 20


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.joined, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        p = self.dropout if self.training else 0
        query, key, value = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                             for part in self.joined(self.ln_1(x)).chunk(3, -1))
        seen = F.scaled_dot_product_attention(query, key, value, dropout_p=p, is_causal=True)
        x = x + F.dropout(self.out(seen.transpose(1, 2).flatten(2)), p)
        return x + F.dropout(self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh")), p)


class GPT(nn.Module):
    """The formulas of src/models/language/language.h."""

    def __init__(self, words, o):
        super().__init__()
        self.dropout = o.dropout
        self.words, self.places = nn.Embedding(words, o.width), nn.Embedding(o.context, o.width)
        self.blocks = nn.ModuleList(Block(o.width, o.heads, o.dropout) for _ in range(o.layers))
        self.norm = nn.LayerNorm(o.width)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                joins = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(parameter, 0, 0.02 / (2 * o.layers) ** 0.5 if joins else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, ids):
        x = self.words(ids) + self.places.weight[:ids.shape[1]]
        x = F.dropout(x, self.dropout if self.training else 0)
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.T

    def load(self, folder):
        from safetensors.torch import load_file
        file = load_file(os.path.join(folder, "model.safetensors"))
        named = {"words.weight": file["transformer.wte.weight"], "places.weight": file["transformer.wpe.weight"]}
        for kind in ("weight", "bias"):
            named[f"norm.{kind}"] = file[f"transformer.ln_f.{kind}"]
            for i in range(len(self.blocks)):
                for here, there in (("ln_1", "ln_1"), ("ln_2", "ln_2"), ("joined", "attn.c_attn"), ("out", "attn.c_proj"),
                                    ("up", "mlp.c_fc"), ("down", "mlp.c_proj")):
                    of = file[f"transformer.h.{i}.{there}.{kind}"]
                    named[f"blocks.{i}.{here}.{kind}"] = of.T if of.dim() > 1 else of
        self.load_state_dict(named)
        return self


def optimizer_of(model):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0}],
                             1e-3, (0.9, 0.99))


def step(model, run, optimizer, ids, targets):
    optimizer.zero_grad(set_to_none=True)
    F.cross_entropy(run(ids).flatten(0, 1), targets.flatten()).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    optimizer.step()


def batch_of(ids, o):
    starts = torch.randint(len(ids) - o.context, (o.batch,))
    return (torch.stack([ids[s:s + o.context] for s in starts]),
            torch.stack([ids[s + 1:s + 1 + o.context] for s in starts]))


def sizes(o):
    return [word for name in ("layers", "heads", "width", "context") for word in (f"--{name}", str(getattr(o, name)))]


def our_step(o):
    command = [o.saccade, "bench", "train", "language", "--json", "--batch", str(o.batch), *sizes(o)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["ms"]


def compare_steps(o):
    ids = torch.randint(65, (100000,))
    runs = {}
    for name in ("eager", "compiled"):
        model = GPT(65, o)
        runs[name] = (model, torch.compile(model) if name == "compiled" else model, optimizer_of(model))
    ratios = {name: [] for name in runs}
    for i in range(o.rounds):
        ours, theirs = our_step(o), {}
        for name, (model, run, optimizer) in runs.items():
            times = []
            for _ in range(WARM + STEPS):
                batch = batch_of(ids, o)
                start = time.perf_counter()
                step(model, run, optimizer, *batch)
                times.append(time.perf_counter() - start)
            theirs[name] = 1e3 * statistics.median(times[WARM:])
            ratios[name].append(theirs[name] / ours)
        print(f"round {i + 1}: saccade {ours:.1f} ms, torch "
              + ", ".join(f"{name} {ms:.1f} ms ({ms / ours:.2f} x)" for name, ms in theirs.items())
              + f", load {os.getloadavg()[0]:.1f}", flush=True)
    for name, all_of in ratios.items():
        print(f"{name}: median {statistics.median(all_of):.2f} x")


def held_out_loss(model, held, o):
    model.eval()
    count = min((len(held) - 1) // o.context, max(16384 // o.context, 1))
    starts = [i * ((len(held) - 1) // o.context) // count * o.context for i in range(count)]
    with torch.no_grad():
        return statistics.mean(F.cross_entropy(model(held[None, s:s + o.context])[0], held[s + 1:s + 1 + o.context]).item()
                               for s in starts)


def compare_trainings(o):
    with open(o.text, encoding="utf-8") as file:
        text = file.read()
    numbers = {character: i for i, character in enumerate(sorted(set(text)))}
    ids = torch.tensor([numbers[character] for character in text])
    learnt = len(ids) - len(ids) // 10
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        printed = subprocess.run([o.saccade, "train", "language", "--text", o.text, "--steps", str(o.steps), "--batch",
                                  str(o.batch), "--dropout", str(o.dropout), *sizes(o), "--out", os.path.join(folder, "own")],
                                 check=True, capture_output=True, text=True).stdout
        ours = time.perf_counter() - start
        own = float(re.search(r"held-out loss ([\d.]+), of step", printed)[1])
        loss = held_out_loss(GPT(len(numbers), o).load(os.path.join(folder, "own")), ids[learnt:], o)
    print(f"saccade: held-out loss {own:.3f}, {loss:.3f} by torch, {ours:.0f} s", flush=True)
    for name in ("eager", "compiled"):
        torch.manual_seed(1)
        model = GPT(len(numbers), o)
        run, optimizer, best = torch.compile(model) if name == "compiled" else model, optimizer_of(model), float("inf")
        start = time.perf_counter()
        for i in range(1, o.steps + 1):
            part = max(i - 100, 0) / max(o.steps - 100, 1)  # a line up, then half a cosine down to a tenth, like that of nanoGPT
            rate = 1e-3 * min(i / 100, 1) * (0.1 + 0.9 * 0.5 * (1 + torch.cos(torch.tensor(torch.pi * part)).item()))
            for group in optimizer.param_groups:
                group["lr"] = rate
            model.train()
            step(model, run, optimizer, *batch_of(ids[:learnt], o))
            if i % 250 == 0 or i == o.steps:
                best = min(best, held_out_loss(model, ids[learnt:], o))
        took = time.perf_counter() - start
        print(f"torch, {name}: held-out loss {best:.3f}, {took:.0f} s, {took / ours:.2f} x", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--saccade", default="build/release/saccade")
    options.add_argument("--text")
    options.add_argument("--dropout", type=float, default=0)
    for name, usual in {"layers": 4, "heads": 4, "width": 128, "context": 64, "batch": 12, "rounds": 5, "steps": 2000}.items():
        options.add_argument(f"--{name}", type=int, default=usual)
    o = options.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    compare_trainings(o) if o.text else compare_steps(o)


if __name__ == "__main__":
    main()
