#!/usr/bin/env python3
"""Runs the lines of PyTorch that the lessons show, and compares what they give with the lessons' arrays.

    run_code.py PROGRAM

Each lesson's lines are run one step after the other in one namespace, which begins with what the lesson is given; every step
must have lines, and at least one of their results is compared. Without PyTorch it prints a line and ends with 77, ctest's "skipped".
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
    from torch import nn
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


class SelfAttention(nn.Module):
    """The notebook's, with its names."""

    def __init__(self, vec_size):
        super().__init__()
        self.QueryW = nn.Linear(vec_size, vec_size)
        self.KeyW = nn.Linear(vec_size, vec_size)
        self.ValueW = nn.Linear(vec_size, vec_size)
        self.Score2Prob = nn.Softmax(dim=-1)

    def forward(self, sents):
        Scores = torch.matmul(self.QueryW(sents), self.KeyW(sents).transpose(-2, -1))
        return torch.matmul(self.Score2Prob(Scores), self.ValueW(sents))


def linear(weight, bias=None):
    return lambda x: F.linear(x, weight, bias)


def self_attention(arrays):
    module = SelfAttention(10)
    with torch.no_grad():
        for name, of in (("QueryW", "q"), ("KeyW", "k"), ("ValueW", "v")):
            getattr(module, name).weight.copy_(arrays[f"W_{of}"])
            getattr(module, name).bias.copy_(arrays[f"b_{of}"])
    return module


def notes_layer(a):
    return dict(linear_q=linear(a["W_q"], a["b_q"]), linear_k=linear(a["W_k"], a["b_k"]), linear_v=linear(a["W_v"], a["b_v"]),
                linear_final=linear(a["W_out"], a["b_out"]), layer_norm=nn.LayerNorm(8), x=a["x"], B=1, T=4, D=8, H=2)


def named(*names):
    """The lesson's arrays of these names, as they are."""
    return lambda a: {n: a[n] for n in names}


def begin_scores(a):
    return dict(query=a["query"], q=a["query"], key=a["key"], W_q=linear(a["W_q"]), W_k=linear(a["W_k"]),
                w_v=linear(a["w_v"]), W_qk=a["W_qk"])


def begin_cost(a):
    n = 1024
    return dict(score=nn.ModuleList([nn.Linear(32, 8, bias=False), nn.Linear(32, 8, bias=False), nn.Linear(8, 1, bias=False)]),
                queries=torch.zeros(1, n, 8), keys=torch.zeros(1, n, 8))


def begin_notebook(a):
    torch.manual_seed(4199607231)
    return dict(batch_size=2, seq_len=4, vec_size=10)


def begin_notebook_model(_):
    torch.rand(410 - 80)  # what the notebook had drawn before
    return dict(self=SelfAttention(10))


def trained_norm(a, part):
    """Layer norm by the mean and the variance of all 128 numbers, of which the lesson shows eight."""
    return lambda x: (x - a[part + ".mean"]) / (a[part + ".variance"] + 1e-5).sqrt() * a[part + ".gain"] + a[part + ".bias"]


def head_of(part):
    return lambda a: dict(q=a[part + ".Q"], k=a[part + ".K"], v=a[part + ".V"])


def begin_block(a):
    return dict(embedding=lambda ids: a["source.embedded"], ids=None, d=128, PE=a["source.PE"], T=4, causal=a["blocked"].bool(),
                norm1=trained_norm(a, "encoder"), norm2=trained_norm(a, "encoder.ff"), linear1=lambda x: a["encoder.ff.wide"],
                linear2=lambda hidden: a["encoder.ff.out"], log_p=a["log_p"])


def begin_five_bugs(a):
    q = a["Q"]
    return dict(attn_mask=a["mask"].bool(), scores=a["scores"], a_scores=a["scores"], T=4, B=2, D=8, H=2, q=q, num_heads=2, sharpness=8)


# What a lesson's lines begin with, and what of a step's results is which array; by a number, within which tolerance.
LESSONS = {
    "kernel-regression": (lambda a: dict(named("x", "query")(a), w=a["width"]),
                          [dict(y="y"), dict(scores="scores"), dict(weights="weights"), dict(estimate="estimate")]),
    "sharper-than-softmax": (lambda a: dict(named("scores")(a), T=1),
                             [dict(softmax="softmax"), dict(ordered="sorted", sums="sums"), dict(thresholds="thresholds", tau="tau"),
                              dict(sparsemax="sparsemax"), dict(halves="entmax15.halves", entmax15="entmax15"), None,
                              {"scaled.softmax(-1)": "scaled.softmax"},
                              {"slopes(softmax[0])": "slopes.softmax", "slopes((sparsemax[0] > 0).float())": "slopes.sparsemax",
                               "slopes(entmax15[0].sqrt())": "slopes.entmax15"}]),
    "similarity": (named("query", "key"), [dict(dot="score.dot"), dict(cosine="score.cosine"), dict(gaussian="score.gaussian")]),
    "scores": (begin_scores, [dict(scores="score.dot"), {"scores": "score.scaled-dot"}, dict(scores="score.additive"),
                              dict(scores="score.bilinear"), dict(scores="score.gaussian")]),
    "cost": (begin_cost, [{"torch.tensor(float(parameters))": ("parameters", 2)}, {"torch.tensor(megabytes)": ("megabytes", 2)}, None]),
    "why-scale": (lambda a: dict(d=64), [{"far": "far.weights", "near": "near.weights"}, {"gradient": "near.gradient"},
                                         {"variance / 128": ("variance / 128", .08)},
                                         {"weights.amax(-1).mean()": ("largest", .02),
                                          "scaled_weights.amax(-1).mean()": ("scaled_largest", .02)}]),
    "step-by-step": (lambda a: dict(named("query", "key", "value")(a), blocked=a["blocked"].bool()),
                     [dict(scores="scores"), dict(scaled="scaled"), dict(masked="masked"), dict(weights="weights"),
                      dict(output="output")]),
    "image-as-set": (lambda a: dict(picture=a["picture"], queries=a["Q"].T),
                     [dict(X="X"), dict(Q="Q"), dict(E="E"), dict(A="A"), {"wrong": "A.dim1", "wrong_sums": "sums.dim1", "sums": "sums.dim0"}, dict(Y="Y")]),
    "caption-step": (lambda a: dict(features=a["h"].reshape(14, 14, 3), f_att=lambda s, h: a["e.all"].reshape(15, 14, 14), s=None, t=2,
                                    logits=a["log_p"], words=torch.tensor([1, 9, 13, 21, 3, 5, 1, 8, 15, 20, 2, 1, 8, 17, 18])),
                     [dict(h="h", v="v"), dict(e="e"), dict(a="a"), dict(c="c"), dict(p="p.all"), dict(right="p.right")]),
    "seq2seq": (lambda a: dict(h=a["h"], exact=a["exact"], s=None, f_att=lambda s, h: a["e"]),
                [dict(c="last"), dict(e="e"), dict(a="a"), dict(c="c"), dict(a="translator.a"), dict(gap="gap")]),
    "alignment": (named("e"), [dict(a="a"), dict(diagonal="a.diagonal"), dict(turned="a.reversed"),
                               dict(two_on_one="a.two_on_one"), dict(H="bits")]),
    "self-attention": (lambda a: dict(begin_notebook(a), S=a["head.scores"]), [dict(sents="sents"), dict(Q="Q", K="K", V="V"), dict(Scores="scores"),
                                        dict(Scores="weights"), dict(Out="output"), {"P": "head.weights"}]),
    "untrained-averages": (named("sents"), [dict(output="output"), dict(spread="spread"), dict(loss="loss"),
                                            {"model(sents)": ("trained.output", 2e-3)}, dict(spread=("spread.trained", 2e-3))]),
    "permutation": (lambda a: dict(X=a["X"], query=a["query"], model=self_attention(a),
                                   attend=lambda q, x: (q @ x.T).softmax(-1) @ x),
                    [dict(PX="PX"), dict(difference="difference"), dict(change="c_change")]),
    "positions": (lambda a: dict(d=8, PE=torch.zeros(12, 8)), [dict(PE="encoding"), dict(wavelengths=("wavelengths", 1e-2)),
                                                               dict(products="products")]),
    "masks": (named("ids_q", "ids_k", "scores"),
              [dict(is_padding="is_padding"), dict(pad_mask="pad_mask"), dict(sequence_mask="sequence_mask"), dict(mask="mask"),
               dict(weights="weights")]),
    "mask-conventions": (lambda a: dict(scores=a["scores"], blocked=a["blocked"].bool(), q=a["scores"][None],
                                        k=2 * torch.eye(4)[None], v=torch.eye(4)[None]),
                         [dict(weights="weights"), {"output[0]": "weights"}, {"output[0]": "weights.float", "float_mask": "float_mask"}]),
    "dropout": (lambda a: dict(named("weights", "value", "kept", "kept_all")(a), p=.5),
                [dict(output="plain_output"), dict(dropped="dropped"), dict(output="output"), dict(mean_output="mean_output")]),
    "multi-head": (lambda a: dict(notes_layer(a), S_h=a["trained.scores"]), [dict(q="Q", k="K", v="V"), {"q[0]": "Q.heads", "v[0]": "V.heads"}, {"weights[0]": "weights"},
                                 {"trained": "trained.weights"}, dict(output="output"), dict(output="norm")]),
    "reshape-is-not-transpose": (lambda a: dict(notes_layer(a), q=a["Q"], k=a["K"], v=a["V"]),
                                 [dict(q="Q.heads", v="V.heads"), dict(weights="weights"), dict(influence="influence"),
                                  dict(output="norm")]),
    "five-bugs": (begin_five_bugs, [{"torch.tensor(failed)": ("1.0", 0)}, {"torch.tensor(failed)": ("1.0", 0), "blocked": ("ones_like(mask[0])", 0),
                                    "a_scores.masked_fill(blocked, -math.inf).softmax(-1)": ("nan * ones_like(scores)", 0)},
                                    {"torch.tensor(q.shape)": ("tensor([4, 4, 4])", 0)}, dict(attn_mask="mask.repeat"),
                                    dict(weights="weights.scale")]),
    "transformer-block": (begin_block, [dict(x="source.x"), dict(P="encoder.weights", head="encoder.head"), dict(x="encoder.norm"),
                                        dict(memory="memory"), dict(P="decoder.weights", head="decoder.head"),
                                        dict(P="cross.weights", head="cross.head"), dict(p="words")]),
    "generating": (lambda a: dict(logits=a["logits"], T=1, START=7),
                   [dict(p="p"), {"torch.stack(greedy_p)": "greedy.p", "greedy_total": "greedy.total"}, dict(candidates="candidates.1"),
                    dict(best_total="best.total"), {"short_bits": "short.bits", "long_bits": "long.bits",
                                                    "long_per_word": "long.per_word"}]),
    "kept-keys": (lambda a: dict(named("Q", "K", "V")(a), blocked=a["blocked"].bool()),
                  [dict(weights="weights"), dict(p="p", y="y"), dict(gap="gap"), dict(before="before", after="after", change="change"),
                   {"torch.tensor(again)": "again", "torch.tensor(again / kept)": "saved"}, {"torch.tensor(megabytes)": "megabytes"}]),
    "path-length": (lambda a: dict(),
                    [dict(recurrence="recurrence", convolution="convolution", attention="attention"),
                     {f"paths[{i}]": f"path.{kind}" for i, kind in enumerate(("recurrence", "convolution", "attention"))},
                     {f"torch.tensor(millions[{i}])": f"millions.{kind}" for i, kind in enumerate(("recurrence", "convolution", "attention"))},
                     {"torch.tensor(sequential)": "sequential", "torch.tensor(longest)": "longest"}]),
    "copying-head": (lambda a: dict(named("E", "P", "log_p")(a), blocked=a["blocked"].bool(), first=1),
                     [dict(x="x"), dict(S="before.masked"), dict(P="before.weights"), dict(head="before.taken"),
                      dict(S="after.masked"), dict(P="after.weights"), dict(head="after.head"), dict(p="p")]),
    "saccade": (lambda a: dict(named("E", "cells", "fixation", "picture", "centre")(a), degrees=2.5),
                [dict(acuity="acuity"), {"E": "angles"}, {"seen": "seen"}, dict(jump="jump")]),
    "when": (lambda a: dict(named("a", "bits")(a), inputs=torch.eye(13), S=a["trained.scores"][0]),
             [dict(output="a"), dict(words_seen="words_seen"), dict(cells_seen="cells_seen"), dict(P="P")]),
}
# Before a step: what it takes the place of.
BETWEEN = {
    ("transformer-block", 2): head_of("encoder"),
    ("transformer-block", 3): lambda a: dict(x=a["encoder.x"], a=a["encoder.a"]),
    ("transformer-block", 5): head_of("decoder"),
    ("transformer-block", 6): head_of("cross"),
    ("copying-head", 2): head_of("before"),
    ("copying-head", 5): head_of("after"),
    ("self-attention", 2): begin_notebook_model,
    ("seq2seq", 5): lambda a: dict(e=a["translator.e"]),
    ("five-bugs", 5): lambda a: dict(query=a["Q.heads"], key=a["K.heads"], mask=a["mask.right"].bool()),
}
RAISES = {("five-bugs", 1): RuntimeError, ("five-bugs", 2): RuntimeError}


def lesson_of(program, name, folder):
    npz = os.path.join(folder, f"{name}.npz")
    reported = subprocess.run([program, "lesson", name, "--json", "--npz", npz], capture_output=True, text=True, check=True)
    with np.load(npz) as file:
        arrays = {n: torch.from_numpy(file[n].copy()) for n in file.files}
    return [step.get("code") for step in json.loads(reported.stdout)["steps"]], arrays


def expected(arrays, of):
    """An array by its name, part of one by (name, row), or within a tolerance by (name, tolerance)."""
    name, number = of if isinstance(of, tuple) else (of, 1e-5)
    if isinstance(number, int) and number:
        return arrays[name][number], 1e-5
    if name in arrays:
        return arrays[name], number
    names = {n: v for n, v in arrays.items() if n.isidentifier()}
    return torch.as_tensor(eval(name, dict(names, ones_like=torch.ones_like, tensor=torch.tensor, nan=math.nan))), number


def compare(where, value, want, tolerance):
    value, want = value.detach().double().flatten(), want.detach().double().flatten()
    same = value.shape == want.shape and torch.allclose(value, want, rtol=tolerance, atol=tolerance, equal_nan=True)
    if not same:
        sys.exit(f"{where}: PyTorch gives {value[:6].tolist()}, the lesson {want[:6].tolist()}")


def run_lesson(program, name, folder):
    codes, arrays = lesson_of(program, name, folder)
    begin, steps = LESSONS[name]
    space = dict(torch=torch, nn=nn, F=F, f=F,  # as the notebook calls it
                 math=math, SelfAttention=SelfAttention)
    space.update(begin(arrays))
    if len(codes) != len(steps):
        sys.exit(f"{name}: {len(codes)} steps, and {len(steps)} are known here")
    compared = 0
    for number, (code, checks) in enumerate(zip(codes, steps), 1):
        where = f"{name}, step {number}"
        if not code:
            sys.exit(f"{where}: has no lines")
        if (name, number) in BETWEEN:
            space.update(BETWEEN[name, number](arrays))
        space["failed"] = 0.0
        try:
            exec(code, space)
        except RAISES.get((name, number), ()):
            space["failed"] = 1.0
        for expression, of in (checks or {}).items():
            compare(f"{where}: {expression}", torch.as_tensor(eval(expression, space)), *expected(arrays, of))
            compared += 1
    return compared


def main():
    program = os.path.abspath(sys.argv[1])
    listed = subprocess.run([program, "lesson"], capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split()[0] for line in listed if line.startswith("  ")]
    if set(names) != set(LESSONS):
        sys.exit(f"not in this table: {set(names) ^ set(LESSONS)}")
    with tempfile.TemporaryDirectory() as folder:
        total = sum(run_lesson(program, name, folder) for name in names)
    print(f"{len(names)} lessons: {total} results of their lines are the lessons' arrays")


if __name__ == "__main__":
    main()
