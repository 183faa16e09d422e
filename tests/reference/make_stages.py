#!/usr/bin/env python3
"""The heads of encoders in stages that are the eye of a captioner, by `transformers` (make_references.py has those of Swin alone): of Donut's
Swin and of Florence-2's DaViT the weights of each layer's heads, put in place over the grid of its stage; of DaViT also how the channels of a
group look at each other, of Donut the states of each layer. data/stages.safetensors; names begin with the family's.

    make_stages.py                     # into data, beside this file; needs torch and transformers 5, the test needs neither"""
import os

import torch
import transformers
from safetensors.torch import load_file, save_file

from make_references import in_place, see_stages

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def open_family(family, kind):
    folder = os.path.join(DATA, family)
    model = kind.from_pretrained(folder, attn_implementation="eager").eval()
    return model, load_file(os.path.join(folder, "reference.safetensors"))["pixel_values"]


def donut():
    model, pixels = open_family("donut", transformers.VisionEncoderDecoderModel)
    partition = transformers.models.donut.modeling_donut_swin.window_partition
    return see_stages(model.encoder, model.encoder.encoder.layers, partition, "donut.", pixel_values=pixels)


class Still:
    """How Swin's layers pad and move cells: DaViT's pad alone."""
    shift_size = 0

    def __init__(self, window):
        self.window_size = window

    def maybe_pad(self, cells, height, width):
        side = self.window_size
        return torch.nn.functional.pad(cells, (0, 0, 0, -width % side, 0, -height % side)), None


def cut(cells, side):
    one, height, width, numbers = cells.shape
    return cells.view(one, height // side, side, width // side, side, numbers).permute(0, 1, 3, 2, 4, 5).reshape(-1, side * side, numbers)


def weigh(qkv, heads, scale):
    """Queries, keys and values side by side → weights of each head."""
    query, key, _ = qkv.reshape(*qkv.shape[:-1], 3, heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
    return torch.softmax(query @ key.transpose(-1, -2) * scale, -1)


def florence2():
    model, pixels = open_family("florence2", transformers.Florence2ForConditionalGeneration)
    tower, grids = model.model.vision_tower, {}
    tensors = {"florence2.pixel_values": pixels}
    for s, stage in enumerate(tower.blocks):
        name = f"florence2.stage.{s + 1}."
        tower.convs[s].register_forward_hook(lambda module, args, output, s=s: grids.__setitem__(s, output.shape[-2:]))
        for i, block in enumerate(stage):
            window, channel = block.spatial_block.window_attn, block.channel_block.channel_attn

            def looked(module, args, output, s=s, i=i, name=name, window=window):
                weights = weigh(output, window.num_heads, window.scale)
                tensors[f"{name}attentions.{i}"] = in_place(Still(window.window_size), grids[s], weights, cut)

            def related(module, args, output, i=i, name=name, channel=channel):
                qkv = output.reshape(1, output.shape[1], 3, channel.groups, -1).permute(2, 0, 3, 4, 1)
                tensors[f"{name}channels.{i}"] = torch.softmax(qkv[0] @ qkv[1].transpose(-1, -2) * output.shape[1] ** -0.5, -1)

            window.qkv.register_forward_hook(looked)
            channel.qkv.register_forward_hook(related)
    with torch.no_grad():
        tower(pixels)
    return tensors


if __name__ == "__main__":
    found = {**donut(), **florence2()}
    save_file({name: x.detach().float().clone().contiguous() for name, x in found.items()}, os.path.join(DATA, "stages.safetensors"))
    print({name: list(x.shape) for name, x in found.items() if "attentions" in name or "channels" in name})
