#!/usr/bin/env python3
"""Makes tests/efficientnet/tiny.npz: a network of the architecture of EfficientNet-Lite, tiny and of random weights under the
names of PyTorch's port, and PyTorch's output for pictures of two sides: the cells, and the gradients of Σ cells · dcells
by the weights with their batch norms folded in, named and laid out as Saccade has them.

    make_efficientnet.py                       # into tests/efficientnet
    make_efficientnet.py WEIGHTS.pth SIDE OUT  # of published weights and a random picture

Needs torch and numpy; the tests need neither. The table of blocks is also in test_efficientnet.c."""
import pathlib
import sys

import numpy
import torch
from torch.nn import functional as F

STEM, HEAD = 5, 13
BLOCKS = [(5, 5, 7, 3, 1), (7, 21, 9, 3, 2), (9, 27, 9, 5, 1), (9, 18, 11, 5, 2)]  # in, expanded, out, taps, stride
BATCH, SIDES = 2, (19, 22)
EPSILON = 1e-3


def same(x, weight, stride=1, groups=1, bias=None):
    """TensorFlow's padding: the smaller half of the zeros comes first."""
    taps = weight.shape[2]
    zeros = [max((-(-side // stride) - 1) * stride + taps - side, 0) for side in x.shape[2:]]
    x = F.pad(x, (zeros[1] // 2, zeros[1] - zeros[1] // 2, zeros[0] // 2, zeros[0] - zeros[0] // 2))
    return F.conv2d(x, weight, bias, stride, groups=groups)


def layers(blocks):
    """(name in the file, its norm, name here, kind)"""
    yield "_conv_stem", "_bn0", "stem", "full"
    for i, (into, expanded, _, _, _) in enumerate(blocks):
        if expanded != into:
            yield f"_blocks.{i}._expand_conv", f"_blocks.{i}._bn0", f"blocks.{i}.expand", "pointwise"
        yield f"_blocks.{i}._depthwise_conv", f"_blocks.{i}._bn1", f"blocks.{i}.depthwise", "depthwise"
        yield f"_blocks.{i}._project_conv", f"_blocks.{i}._bn2", f"blocks.{i}.project", "pointwise"
    yield "_conv_head", "_bn1", "head", "pointwise"


def random_weights():
    shapes = {"_conv_stem": (STEM, 3, 3, 3), "_conv_head": (HEAD, BLOCKS[-1][2], 1, 1)}
    for i, (into, expanded, out, taps, _) in enumerate(BLOCKS):
        shapes[f"_blocks.{i}._expand_conv"] = (expanded, into, 1, 1)
        shapes[f"_blocks.{i}._depthwise_conv"] = (expanded, 1, taps, taps)
        shapes[f"_blocks.{i}._project_conv"] = (out, expanded, 1, 1)
    weights = {}
    for convolution, norm, _, _ in layers(BLOCKS):
        shape = shapes[convolution]
        spread = 1.5 / numpy.sqrt(numpy.prod(shape[1:]))
        weights[convolution + ".weight"] = torch.randn(shape) * spread
        weights[norm + ".weight"] = torch.rand(shape[0]) + 0.5
        weights[norm + ".bias"] = torch.randn(shape[0])
        weights[norm + ".running_mean"] = torch.randn(shape[0]) / 2
        weights[norm + ".running_var"] = torch.rand(shape[0]) + 0.75
    return weights


def run(x, blocks, layer):
    """`layer(name, x, stride, is_depthwise)` is a convolution and its norm."""
    x = F.relu6(layer("stem", x, 2, False))
    for i, (into, expanded, out, _, stride) in enumerate(blocks):
        y = x
        if expanded != into:
            y = F.relu6(layer(f"blocks.{i}.expand", y, 1, False))
        y = F.relu6(layer(f"blocks.{i}.depthwise", y, stride, True))
        y = layer(f"blocks.{i}.project", y, 1, False)
        x = x + y if stride == 1 and into == out else y
    return F.relu6(layer("head", x, 1, False))


def by_norms(weights, blocks):
    """As the published network runs: each convolution, and then its norm."""
    names = {here: (convolution, norm) for convolution, norm, here, _ in layers(blocks)}

    def layer(name, x, stride, is_depthwise):
        convolution, norm = names[name]
        x = same(x, weights[convolution + ".weight"], stride, x.shape[1] if is_depthwise else 1)
        return F.batch_norm(x, weights[norm + ".running_mean"], weights[norm + ".running_var"], weights[norm + ".weight"],
                            weights[norm + ".bias"], eps=EPSILON)
    return layer


def fold(weights, blocks):
    folded = {}
    for convolution, norm, here, _ in layers(blocks):
        scale = weights[norm + ".weight"] / torch.sqrt(weights[norm + ".running_var"] + EPSILON)
        folded[here + ".weight"] = (weights[convolution + ".weight"] * scale[:, None, None, None]).requires_grad_()
        folded[here + ".bias"] = (weights[norm + ".bias"] - scale * weights[norm + ".running_mean"]).requires_grad_()
    return folded


def laid_out(name, kind, x):
    """In Saccade's layout: channels side by side."""
    if not name.endswith(".weight"):
        return x
    if kind == "depthwise":
        return x[:, 0].permute(1, 2, 0)
    return x.permute(0, 2, 3, 1) if kind == "full" else x[:, :, 0, 0]


def judge(weights, blocks, side, pixels, found):
    x = pixels.permute(0, 3, 1, 2)
    wide = {name: array.double() for name, array in weights.items()}
    cells = run(x, blocks, by_norms(wide, blocks))
    folded = fold(wide, blocks)
    again = run(x, blocks, lambda name, x, stride, is_depthwise: same(
        x, folded[name + ".weight"], stride, x.shape[1] if is_depthwise else 1, folded[name + ".bias"]))
    assert (cells - again).abs().max() < 1e-9 * cells.abs().max()
    dcells = torch.randn(again.permute(0, 2, 3, 1).shape).double()
    (again.permute(0, 2, 3, 1) * dcells).sum().backward()
    found[f"pixels.{side}"] = pixels
    found[f"cells.{side}"] = cells.permute(0, 2, 3, 1)
    found[f"dcells.{side}"] = dcells
    for _, _, here, kind in layers(blocks):
        for part in ("weight", "bias"):
            name = f"{here}.{part}"
            found[f"d.{side}.{name}"] = laid_out(name, kind, folded[name].grad)


def published(path):
    """Weights, and the blocks that they are of: strides are those of every variant."""
    weights = {name: array.float() for name, array in torch.load(path, map_location="cpu").items()}
    blocks, strides, stage = [], [1, 2, 2, 2, 1, 2, 1], -1
    while f"_blocks.{len(blocks)}._project_conv.weight" in weights:
        i = len(blocks)
        expanded, _, taps, _ = weights[f"_blocks.{i}._depthwise_conv.weight"].shape
        into = weights.get(f"_blocks.{i}._expand_conv.weight", torch.empty(expanded, expanded)).shape[1]
        out = weights[f"_blocks.{i}._project_conv.weight"].shape[0]
        stage += into != out
        blocks.append((into, expanded, out, taps, strides[stage] if into != out else 1))
    return weights, blocks


def main():
    torch.manual_seed(39)
    found = {}
    if len(sys.argv) > 1:
        weights, blocks = published(sys.argv[1])
        sides, batch, to = [int(sys.argv[2])], 1, pathlib.Path(sys.argv[3])
    else:
        weights, blocks = random_weights(), BLOCKS
        sides, batch, to = SIDES, BATCH, pathlib.Path(__file__).parents[1] / "efficientnet" / "tiny.npz"
        found.update(weights)
    for side in sides:
        pixels = (torch.rand(batch, side, side, 3, dtype=torch.float64) * 2 - 1).float().double()
        judge(weights, blocks, side, pixels, found)
    numpy.savez_compressed(to, **{name: array.detach().numpy().astype(numpy.float32) for name, array in found.items()})


if __name__ == "__main__":
    main()
