#!/usr/bin/env python3
"""Makes tests/captioner/stack.npz: a captioner's decoder of transformer layers, tiny and of random weights, by PyTorch in float64.
Two photographs' features, the first with three captions and the second with one: the mean loss of a word, the gradients of all
weights and of the features, and of the longest caption the logits, every head's attention, and what counts for each word: the
gradient of its log probability with respect to each cell times the cell, `counts`, and the same without the cells 1 and 3 and at
a temperature of 2, `counts_hidden`. Names of weights are those of Saccade's files; sizes and sentences are read by test_stack.c.

Needs torch and numpy; the test needs neither."""
import math
import pathlib

import numpy
import torch

LAYERS, HEADS, WIDTH, HIDDEN, WORDS, CELLS = 2, 3, 12, 20, 11, 4
PAD, START, END, UNKNOWN = range(4)
SENTENCES = [(0, [4, 7, 5, 10, 4]), (1, [6, 4, UNKNOWN, 8]), (0, [9, 4, 10]), (0, [8])]  # longer ones first
SMOOTHING = 0.1


def positions(count):
    place = torch.arange(count).double()[:, None]
    angle = place / 10000 ** (torch.arange(0, WIDTH, 2).double() / WIDTH)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def watched(attention, kept):
    """Keeps each head's weights of a MultiheadAttention."""
    forward = attention.forward

    def call(*arguments, **options):
        options.update(need_weights=True, average_attn_weights=False)
        y, weights = forward(*arguments, **options)
        kept.append(weights)
        return y, weights
    attention.forward = call


def names(layer, i):
    """The weights of a layer as Saccade calls them: (name, parameter, which third of it)."""
    for kind, attention, norm in (("self", layer.self_attn, layer.norm1), ("cross", layer.multihead_attn, layer.norm2)):
        for third, part in enumerate(("query", "key", "value")):
            yield f"{i}.{kind}.{part}.weight", attention.in_proj_weight, third
            yield f"{i}.{kind}.{part}.bias", attention.in_proj_bias, third
        yield f"{i}.{kind}.out.weight", attention.out_proj.weight, None
        yield f"{i}.{kind}.out.bias", attention.out_proj.bias, None
        yield f"{i}.{kind}.norm.weight", norm.weight, None
        yield f"{i}.{kind}.norm.bias", norm.bias, None
    for name, module in (("in", layer.linear1), ("out", layer.linear2), ("norm", layer.norm3)):
        yield f"{i}.forward.{name}.weight", module.weight, None
        yield f"{i}.forward.{name}.bias", module.bias, None


def third_of(x, third):
    return x if third is None else x[third * WIDTH:(third + 1) * WIDTH]


def main():
    torch.manual_seed(39)
    layers = [torch.nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, dropout=0, batch_first=True, norm_first=True).double()
              for _ in range(LAYERS)]
    norm = torch.nn.LayerNorm(WIDTH).double()
    words = torch.nn.Parameter(torch.randn(WORDS, WIDTH).double())
    bias = torch.nn.Parameter(torch.randn(WORDS).double())
    parameters = [("words", words, None), ("out.bias", bias, None), ("norm.weight", norm.weight, None), ("norm.bias", norm.bias, None)]
    for i, layer in enumerate(layers):
        parameters += names(layer, i)
    with torch.no_grad():
        for _, parameter, _ in parameters:
            parameter.copy_((torch.randn(parameter.shape) / 2).float())
    features = torch.randn(2, CELLS, WIDTH).float().double().requires_grad_()
    kept = {"self": [], "cross": []}

    def logits_of(photograph, sentence, cells=slice(None)):
        inputs = torch.tensor([START] + sentence)
        x = (words[inputs] * math.sqrt(WIDTH) + positions(len(inputs)))[None]
        mask = torch.ones(len(inputs), len(inputs), dtype=torch.bool).triu(1)
        for layer in layers:
            x = layer(x, features[photograph][cells][None], tgt_mask=mask)
        return norm(x)[0] @ words.T + bias

    def counts_of(photograph, sentence, cells=slice(None)):
        for t, word in enumerate(sentence):
            logp = logits_of(photograph, sentence, cells).log_softmax(-1)[t, word]
            yield (torch.autograd.grad(logp, features)[0] * features)[photograph].sum(-1)

    losses = []
    for photograph, sentence in SENTENCES:
        targets = torch.tensor(sentence + [END])
        rows = torch.nn.functional.cross_entropy(logits_of(photograph, sentence), targets, label_smoothing=SMOOTHING, reduction="none")
        losses += [row for row, target in zip(rows, targets) if target != UNKNOWN]
    loss = sum(losses) / len(losses)
    loss.backward()
    counts = torch.stack(list(counts_of(*SENTENCES[0])))
    with torch.no_grad():  # a temperature of 2 halves the queries
        for layer in layers:
            layer.multihead_attn.in_proj_weight[:WIDTH] /= 2
            layer.multihead_attn.in_proj_bias[:WIDTH] /= 2
    counts_hidden = torch.stack(list(counts_of(*SENTENCES[0], [0, 2])))
    with torch.no_grad():
        for layer in layers:
            layer.multihead_attn.in_proj_weight[:WIDTH] *= 2
            layer.multihead_attn.in_proj_bias[:WIDTH] *= 2
    for layer in layers:
        watched(layer.self_attn, kept["self"])
        watched(layer.multihead_attn, kept["cross"])
    logits = logits_of(*SENTENCES[0])
    found = {"loss": loss[None], "features": features, "dfeatures": features.grad, "logits": logits,
             "counts": counts, "counts_hidden": counts_hidden, "self": torch.cat(kept["self"]), "cross": torch.cat(kept["cross"])}
    for name, parameter, third in parameters:
        found["decoder." + name] = third_of(parameter, third)
        found["d.decoder." + name] = third_of(parameter.grad, third)
    numpy.savez_compressed(pathlib.Path(__file__).parents[1] / "captioner" / "stack.npz",
                           **{name: array.detach().numpy().astype(numpy.float32) for name, array in found.items()})


if __name__ == "__main__":
    main()
