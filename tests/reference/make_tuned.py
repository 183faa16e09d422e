#!/usr/bin/env python3
"""Makes tests/captioner/tuned.npz: gradients by PyTorch, in float64, of a caption's loss by weights of the network that sees the
photograph, from its first convolution to the decoder. Weights, pixels and captions are made by a rule that
tests/captioner/test_tuned.c has too.

    make_tuned.py    # into tests/captioner

Needs torch and numpy; the test needs neither."""
import pathlib

import numpy
import torch
from torch.nn import functional as F

SIDE, DEPTH, KEYS, HIDDEN, EMBEDDING = 64, 24, 16, 32, 32
CELLS, HEAD, PICTURES, WORDS = 4, 1280, 2, 12
PICTURE_OF = [1, 0, 0]
SENTENCES = [[5, 7, 4, 9, 6], [8, 4, 10], [11, 5, 7]]
START, END = 1, 2  # of a vocabulary, whose words begin with 4
# of EfficientNet-Lite0: blocks, taps, stride, expansion, in, out
STAGES = [(1, 3, 1, 1, 32, 16), (2, 3, 2, 6, 16, 24), (2, 5, 2, 6, 24, 40), (3, 3, 2, 6, 40, 80), (3, 5, 1, 6, 80, 112),
          (4, 5, 2, 6, 112, 192), (1, 3, 1, 6, 192, 320)]
KEPT = ["network.stem.weight", "network.stem.bias", "network.blocks.0.depthwise.weight", "network.blocks.3.depthwise.bias",
        "network.blocks.8.depthwise.bias", "network.blocks.15.project.bias", "network.head.bias", "encoder.project.bias",
        "attention.v"]


def noise(name, count):
    """Uniform in ±1, multiples of 2⁻²³."""
    seed = 0
    for letter in name.encode():
        seed = (seed * 31 + letter) % 2**32
    x = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(0x9E3779B1) + numpy.uint32(seed)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        x = (x ^ (x >> numpy.uint32(shift))) * numpy.uint32(factor)
    return (x >> numpy.uint32(8)).astype(numpy.float32) / numpy.float32(2**23) - numpy.float32(1)


parameters = {}


def weight(name, *shape):
    """A matrix's is small where its rows are long, as that of a depthwise convolution is where its windows are large."""
    if name not in parameters:
        numbers = noise(name, int(numpy.prod(shape)))
        if len(shape) > 1:
            inputs = 9 if len(shape) == 3 else int(numpy.prod(shape[1:]))
            numbers *= numpy.float32(2) / numpy.sqrt(numpy.float32(inputs))
        else:
            numbers *= numpy.float32(0.125)
            if name == "encoder.norm.weight":
                numbers += numpy.float32(1)
        parameters[name] = torch.tensor(numbers.reshape(shape), dtype=torch.float64, requires_grad=True)
    return parameters[name]


def pointwise(x, name, out):
    return torch.einsum("bihw,oi->bohw", x, weight(name + ".weight", out, x.shape[1])) + \
        weight(name + ".bias", out)[:, None, None]


def convolve(x, kernel, stride, bias, groups=1):
    """With TensorFlow's padding: the smaller half of the zeros comes first."""
    taps = kernel.shape[2]
    zeros = [max((-(-side // stride) - 1) * stride + taps - side, 0) for side in x.shape[2:]]
    x = F.pad(x, (zeros[1] // 2, zeros[1] - zeros[1] // 2, zeros[0] // 2, zeros[0] - zeros[0] // 2))
    return F.conv2d(x, kernel, bias, stride, groups=groups)


def network(pixels):
    x = convolve(pixels.permute(0, 3, 1, 2), weight("network.stem.weight", 32, 3, 3, 3).permute(0, 3, 1, 2), 2,
                 weight("network.stem.bias", 32))
    x, index = F.relu6(x), 0
    for blocks, taps, stride, expansion, into, out in STAGES:
        for i in range(blocks):
            name, y = f"network.blocks.{index}", x
            wide = x.shape[1] * expansion
            if expansion > 1:
                y = F.relu6(pointwise(y, name + ".expand", wide))
            kernel = weight(name + ".depthwise.weight", taps, taps, wide).permute(2, 0, 1)[:, None]
            y = F.relu6(convolve(y, kernel, stride if i == 0 else 1, weight(name + ".depthwise.bias", wide), wide))
            y = pointwise(y, name + ".project", out)
            x, index = y + x if y.shape == x.shape else y, index + 1
    return F.relu6(pointwise(x, "network.head", HEAD)).flatten(2).transpose(1, 2)  # [B,N,C]


def linear(x, name, out, bias=True):
    return F.linear(x, weight(name + ".weight", out, x.shape[-1]), weight(name + ".bias", out) if bias else None)


def loss():
    pixels = torch.tensor(noise("pixels", PICTURES * SIDE * SIDE * 3), dtype=torch.float64)
    h = F.layer_norm(network(pixels.reshape(PICTURES, SIDE, SIDE, 3)), (HEAD,))
    h = F.layer_norm(linear(h, "encoder.project", DEPTH), (DEPTH,), weight("encoder.norm.weight", DEPTH),
                     weight("encoder.norm.bias", DEPTH))
    h = F.relu(h)[PICTURE_OF]
    state, cell = (torch.tanh(linear(h.mean(1), f"start.{part}", HIDDEN)) for part in ("state", "cell"))
    keys, terms = linear(h, "attention.key", KEYS), []
    embedding = weight("words.embedding", WORDS, EMBEDDING)
    for t in range(len(SENTENCES[0]) + 1):
        before = torch.tensor([START if t == 0 else (s + [END] * 9)[t - 1] for s in SENTENCES])
        word = embedding[before]
        query = linear(state, "attention.query", KEYS, bias=False)
        weights = torch.softmax(torch.tanh(query[:, None] + keys) @ weight("attention.v", KEYS), 1)
        gate = torch.sigmoid(linear(state, "attention.gate", 1))
        z = gate * torch.einsum("bn,bnd->bd", weights, h)
        gates = F.linear(word, weight("lstm.word.weight", 4 * HIDDEN, EMBEDDING), weight("lstm.bias", 4 * HIDDEN)) + \
            linear(z, "lstm.context", 4 * HIDDEN, bias=False) + linear(state, "lstm.state", 4 * HIDDEN, bias=False)
        i, f, g, o = gates.chunk(4, 1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        state = torch.sigmoid(o) * torch.tanh(cell)
        mixed = word + linear(state, "words.state", EMBEDDING, bias=False) + linear(z, "words.context", EMBEDDING, bias=False)
        logits = F.log_softmax(linear(mixed, "words.out", WORDS), 1)
        terms += [-logits[b, (s + [END])[t]] for b, s in enumerate(SENTENCES) if t <= len(s)]
    return sum(terms) / len(terms)


total = loss()
total.backward()
arrays = {"loss": numpy.float32([total.item()])}
for name in KEPT:
    gradient = parameters[name].grad.numpy()
    arrays[name] = gradient.astype(numpy.float32)
    print(f"{name}: {numpy.abs(gradient).max():.3g}")
print(f"loss {total.item():.4f}")
numpy.savez_compressed(pathlib.Path(__file__).parent.parent / "captioner" / "tuned.npz", **arrays)
