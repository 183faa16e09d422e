#!/usr/bin/env python3
"""The output of `transformers` for models of make_references.py whose heads are held at a place of the picture, in float64: from a word
on, the weights of a row that lie on the picture's tokens are their sum times a Gaussian over the cells. data/gaze.safetensors has for
each case the probability of each word and where it looked, the mean of all heads over the picture's cells; and of each model what its
heads look at by themselves, and how much that is the word's own place (src/sources/words/gaze_heads.h), with parts of maps by scipy.

    make_gaze.py                       # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os

import numpy as np
import scipy.ndimage
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
WORDS = [8, 12, 7, 15, 9]
X, Y, RADIUS = 1.25, 2.5, 0.8
# The first held word, and the heads; None: all.
CASES = {"vit_gpt2": {"all": (2, None), "first": (0, None)}, "blip": {"all": (1, None)},
         "git": {"all": (1, None), "some": (2, [(1, 0), (0, 3)]), "first": (0, None)},
         "llava": {"all": (2, None), "some": (1, [(0, 1), (2, 3)]), "first": (0, None)}}


def spot(across, down):
    y, x = torch.meshgrid(torch.arange(down).double(), torch.arange(across).double(), indexing="ij")
    weights = torch.exp(-((x - X) ** 2 + (y - Y) ** 2) / (2 * RADIUS ** 2))
    return (weights / weights.sum()).flatten()


class Held:
    """Stands in for the softmax of attention modules, and keeps what each head looks at."""

    def __init__(self, modules, share, rows, heads):
        self.share, self.rows, self.heads, self.layer, self.kept = share, rows, heads, None, {}
        self.own = torch.nn.functional.softmax
        for i, module in enumerate(modules):
            module.register_forward_pre_hook(lambda *_, i=i: setattr(self, "layer", i))
            module.register_forward_hook(lambda *_: setattr(self, "layer", None))

    def __call__(self, x, *options, **named):
        weights = self.own(x, *options, **named)
        if self.layer is None:
            return weights
        weights, seen = weights.clone().double(), self.share >= 0
        for head in range(weights.shape[1]):
            if self.heads is None or (self.layer, head) in self.heads:
                for row in range(self.rows, weights.shape[2]):
                    held = weights[0, head, row, :len(seen)]
                    held[seen] = held[seen].sum() * self.share[seen]
        self.kept[self.layer] = weights
        return weights.to(x.dtype)


def figures(maps):
    """Of maps [words,height,width] of a head: its score, spatial entropy in bits, and share on the picture."""
    places, entropy = [], 0
    for m in maps:
        parts, count = scipy.ndimage.label(m > m.mean() * (1 + 1e-6), np.ones((3, 3)))
        weight = scipy.ndimage.sum(m, parts, range(1, count + 1))
        p = weight / weight.sum()
        entropy -= (p * np.log2(p)).sum() / len(maps)
        places.append(parts == 1 + weight.argmax())
    on = np.array([[m[place].sum() for m in maps] for place in places])  # [place's word, word]
    own, others = np.diag(on).sum(), on.sum() - np.diag(on).sum()
    return max(0, (own - others / (len(maps) - 1)) / len(maps)), entropy, maps.sum() / len(maps)


def run(name, first, heads):
    folder = os.path.join(DATA, name)
    known = load_file(os.path.join(folder, "reference.safetensors"))
    words = torch.tensor(WORDS)
    kind = {"vit_gpt2": transformers.VisionEncoderDecoderModel, "blip": transformers.BlipForConditionalGeneration,
            "git": transformers.GitForCausalLM, "llava": transformers.LlavaForConditionalGeneration}[name]
    model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval().double()
    if name == "llava":
        from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
        rules = {"size": {"shortest_edge": 16}, "crop_size": {"height": 16, "width": 16}, "do_center_crop": True, "resample": 3}
        pixels = CLIPImageProcessorPil(**rules)(Image.open(os.path.join(folder, "picture.png")), return_tensors="pt")["pixel_values"].double()
        prompt = known["prompt"].long()
        ids = torch.cat([prompt[0], words[:-1]])[None]
        share = torch.full((prompt.shape[1],), -1.0, dtype=torch.double)
        share[prompt[0] == model.config.image_token_index] = spot(4, 4)
        modules, before = [l.self_attn for l in model.model.language_model.layers], prompt.shape[1] - 1
        inputs = {"input_ids": ids, "pixel_values": pixels}
    else:
        start = known["greedy"][0, :1].long()
        ids = torch.cat([start, words[:-1]])[None]
        share = torch.cat([torch.zeros(1).double(), spot(5, 5)])  # the class token first
        pixels = known["pixel_values"].double()
        before = 0
        if name == "vit_gpt2":
            modules = [l.crossattention for l in model.decoder.transformer.h]
            inputs = {"pixel_values": pixels, "decoder_input_ids": ids}
        elif name == "blip":
            modules = [l.crossattention.self for l in model.text_decoder.bert.encoder.layer]
            inputs = {"pixel_values": pixels, "input_ids": ids}
        else:
            modules, before = [l.attention.self for l in model.git.encoder.layer], len(share)
            inputs = {"pixel_values": pixels, "input_ids": ids}
    held = Held(modules, share, before + first, heads)
    torch.nn.functional.softmax = held
    try:
        with torch.no_grad():
            logits = model(**inputs).logits[0, -len(WORDS):]
    finally:
        torch.nn.functional.softmax = held.own
    assert len(held.kept) == len(modules), (name, held.kept.keys())
    rows = torch.stack([held.kept[i][0] for i in range(len(modules))])[:, :, before:before + len(WORDS)]
    each = rows[..., :len(share)][..., share >= 0][..., (0 if name == "llava" else 1):]
    if heads == []:
        side = round(each.shape[-1] ** 0.5)
        found = [[figures(maps.reshape(-1, side, side)) for maps in layer] for layer in each.numpy()]
        return {"heads.maps": each.float(), "heads.figures": torch.tensor(found).float()}
    cells = each.mean((0, 1))
    return {"probability": torch.softmax(logits.double(), -1)[torch.arange(len(WORDS)), words].float(),
            "maps": (cells / cells.sum(1, keepdim=True)).float()}


def main():
    tensors = {}
    for name, cases in CASES.items():
        for case, (first, heads) in cases.items():
            found = run(name, first, heads)
            print(name, case, found["probability"].tolist())
            tensors.update({f"{name}.{case}.{key}": value.contiguous() for key, value in found.items()})
        found = run(name, 0, [])
        print(name, found["heads.figures"].tolist())
        tensors.update({f"{name}.{key}": value.contiguous() for key, value in found.items()})
    save_file(tensors, os.path.join(DATA, "gaze.safetensors"))


if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    main()
