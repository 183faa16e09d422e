#!/usr/bin/env python3
"""Writes torch_values.npz: inputs, results and gradients of PyTorch's layers, to which
test_layers.c holds the layers of src/nn.

    python3 -m venv venv && venv/bin/pip install torch numpy
    venv/bin/python tests/nn/torch_values.py

Numbers are computed in float64 and stored as float32; what a layer is given are multiples of 1/64,
which both hold exactly. The gradients are those of the sum of y · dy. Names are LAYER.PART, and of
gradients LAYER.dPART.
"""
import pathlib

import numpy
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

BATCH = 3
found = {}


def numbers(*shape):
    """A leaf of multiples of 1/64 with a spread of about 1/2."""
    drawn = torch.randn(*shape, dtype=torch.float64) / 2
    return ((drawn * 64).round() / 64).requires_grad_()


def keep(layer, part, x):
    dtype = numpy.uint8 if x.dtype == torch.bool else numpy.float32
    found[f"{layer}.{part}"] = x.detach().numpy().astype(dtype)


def set_parameters(module):
    """Replaces what the module begins with, so that none of it is zero or one everywhere."""
    module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(numbers(*parameter.shape))


def keep_all(layer, module, inputs, results):
    """Values and gradients; `inputs` and `results` are dictionaries of tensors."""
    leaves = {**inputs, **{name.replace(".", "_"): p for name, p in module.named_parameters()}}
    loss = 0
    for name, result in results.items():
        slope = numbers(*result.shape).detach()
        keep(layer, name, result)
        keep(layer, "d" + name, slope)
        loss = loss + (result * slope).sum()
    loss.backward()
    for name, leaf in leaves.items():
        keep(layer, name, leaf)
        keep(layer, "d" + name, leaf.grad)


def linear():
    module, x = torch.nn.Linear(7, 5), numbers(6, 7)
    set_parameters(module)
    keep_all("linear", module, {"x": x}, {"y": module(x)})


def layer_norm():
    """Of x after its position, as in nn/layer_norm.h."""
    module, x, position = torch.nn.LayerNorm(9), numbers(BATCH, 4, 9), numbers(4, 9)
    set_parameters(module)
    keep_all("layer_norm", module, {"x": x, "position": position}, {"y": module(x + position)})


def gru():
    """Both directions over sentences of 5, 3 and 1 words; x is [T,B,E] and y [B,T,2H]."""
    lengths, hidden = torch.tensor([5, 3, 1]), 4
    module = torch.nn.GRU(3, hidden, bidirectional=True)
    set_parameters(module)
    x, first = numbers(5, BATCH, 3), numbers(2, BATCH, hidden)
    packed, last = module(pack_padded_sequence(x, lengths), first)
    y = pad_packed_sequence(packed, batch_first=True)[0]
    keep_all("gru", module, {"x": x, "first": first},
             {"y": y, "last": torch.cat([last[0], last[1]], -1)})


def padding_mask(keys):
    """The last keys of the second and the third of the batch."""
    return torch.arange(keys)[None, :] >= keys - torch.arange(BATCH)[:, None]


def causal_mask(words):
    return torch.ones(words, words, dtype=torch.bool).triu(1)


def attention(layer, queries, keys, causal):
    """The last keys of the second and the third of the batch are padding."""
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    set_parameters(module)
    query, key, value = numbers(BATCH, queries, 8), numbers(BATCH, keys, 8), numbers(BATCH, keys, 8)
    padding = padding_mask(keys)
    hidden = causal_mask(keys) if causal else None
    y = module(query, key, value, key_padding_mask=padding, attn_mask=hidden,
               need_weights=False)[0]
    keep(layer, "padding", padding)
    keep_all(layer, module, {"query": query, "key": key, "value": value}, {"y": y})


def transformer(layer, kind, norm_first):
    """A layer of 4 words that see none after themselves; the decoder's also looks at 5 others. The
    last words of the second and the third of the batch are padding."""
    module = kind(8, 2, 12, dropout=0, batch_first=True, norm_first=norm_first)
    set_parameters(module)
    words, others = 4, 5
    inputs = {"x": numbers(BATCH, words, 8)}
    if kind is torch.nn.TransformerDecoderLayer:
        inputs["memory"] = numbers(BATCH, others, 8)
        y = module(*inputs.values(), tgt_mask=causal_mask(words),
                   tgt_key_padding_mask=padding_mask(words),
                   memory_key_padding_mask=padding_mask(others))
    else:
        y = module(*inputs.values(), src_mask=causal_mask(words),
                   src_key_padding_mask=padding_mask(words))
    keep_all(layer, module, inputs, {"y": y})


def main():
    torch.manual_seed(1)
    linear()
    layer_norm()
    gru()
    attention("self", 5, 5, causal=True)
    attention("cross", 3, 6, causal=False)
    for norm_first in (False, True):
        ending = "_norm_first" if norm_first else ""
        transformer("encoder" + ending, torch.nn.TransformerEncoderLayer, norm_first)
        transformer("decoder" + ending, torch.nn.TransformerDecoderLayer, norm_first)
    numpy.savez_compressed(pathlib.Path(__file__).with_suffix(".npz"), **found)


if __name__ == "__main__":
    main()
