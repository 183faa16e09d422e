#!/usr/bin/env python3
"""Makes data/show_attend_tell: a tiny model of random weights with the architecture, the names of tensors and the search
of the PyTorch tutorial on image captioning (github.com/sgrvinod), and PyTorch's output: the features, each step
of the decoder, and the sentences of beams.

    make_show_attend_tell.py            # into data, beside this file
    make_show_attend_tell.py FOLDER     # a model of the true sizes, and the caption of FOLDER/photo.png, if it is there

Needs torch, numpy, Pillow and safetensors; the tests need none of them."""
import json
import os
import shutil
import sys
import time

import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
TINY = {"image_size": 64, "encoded_image_size": 5, "encoder_dim": 40, "attention_dim": 12, "embed_dim": 10,
        "decoder_dim": 14, "first": 8, "narrow": [4, 6, 8, 10], "blocks": [2, 1, 2, 1]}
TRUE = {"image_size": 256, "encoded_image_size": 14, "encoder_dim": 2048, "attention_dim": 512, "embed_dim": 512,
        "decoder_dim": 512, "first": 64, "narrow": [64, 128, 256, 512], "blocks": [3, 4, 23, 3]}
WORDS = "a man dog cat on the beach with riding skateboard red of and two people stand street white small large".split()
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


# ---------------------------------------------------------------- the model, under the tutorial's names

class Bottleneck(nn.Module):
    def __init__(self, width, narrow, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width, narrow, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(narrow)
        self.conv2 = nn.Conv2d(narrow, narrow, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(narrow)
        self.conv3 = nn.Conv2d(narrow, 4 * narrow, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * narrow)
        self.downsample = None
        if stride > 1 or width != 4 * narrow:
            self.downsample = nn.Sequential(nn.Conv2d(width, 4 * narrow, 1, stride, bias=False),
                                            nn.BatchNorm2d(4 * narrow))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + (self.downsample(x) if self.downsample else x))


class Encoder(nn.Module):
    def __init__(self, s):
        super().__init__()
        layers = [nn.Conv2d(3, s["first"], 7, 2, 3, bias=False), nn.BatchNorm2d(s["first"]), nn.ReLU(),
                  nn.MaxPool2d(3, 2, 1)]
        width = s["first"]
        for stage, (narrow, blocks) in enumerate(zip(s["narrow"], s["blocks"])):
            stack = []
            for i in range(blocks):
                stack.append(Bottleneck(width, narrow, 2 if stage and i == 0 else 1))
                width = 4 * narrow
            layers.append(nn.Sequential(*stack))
        self.resnet = nn.Sequential(*layers)
        self.enc_image_size = s["encoded_image_size"]

    def forward(self, pixels):
        return F.adaptive_avg_pool2d(self.resnet(pixels), self.enc_image_size).permute(0, 2, 3, 1).flatten(1, 2)


class Attention(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.encoder_att = nn.Linear(s["encoder_dim"], s["attention_dim"])
        self.decoder_att = nn.Linear(s["decoder_dim"], s["attention_dim"])
        self.full_att = nn.Linear(s["attention_dim"], 1)

    def forward(self, seen, h):
        scores = self.full_att(F.relu(self.encoder_att(seen) + self.decoder_att(h)[:, None]))[..., 0]
        weights = scores.softmax(1)
        return (seen * weights[..., None]).sum(1), weights


class Decoder(nn.Module):
    def __init__(self, s, vocabulary):
        super().__init__()
        self.vocab_size = vocabulary
        for size in ("encoder_dim", "attention_dim", "embed_dim", "decoder_dim"):
            setattr(self, size, s[size])
        self.attention = Attention(s)
        self.embedding = nn.Embedding(vocabulary, s["embed_dim"])
        self.decode_step = nn.LSTMCell(s["embed_dim"] + s["encoder_dim"], s["decoder_dim"])
        self.init_h = nn.Linear(s["encoder_dim"], s["decoder_dim"])
        self.init_c = nn.Linear(s["encoder_dim"], s["decoder_dim"])
        self.f_beta = nn.Linear(s["decoder_dim"], s["encoder_dim"])
        self.fc = nn.Linear(s["decoder_dim"], vocabulary)

    def begin(self, seen):
        return self.init_h(seen.mean(1)), self.init_c(seen.mean(1))

    def step(self, seen, words, h, c):
        context, weights = self.attention(seen, h)
        gate = torch.sigmoid(self.f_beta(h))
        h, c = self.decode_step(torch.cat([self.embedding(words), gate * context], 1), (h, c))
        return self.fc(h), h, c, weights, gate.mean(1)


def draw_weights(model, seed):
    """As in He et al. (2015), and norms that change what goes through them."""
    random = torch.Generator().manual_seed(seed)
    added = 0.4 * (6 / sum(isinstance(x, Bottleneck) for x in model.modules())) ** 0.5  # sums of many blocks stay small
    for name, x in sorted(model.state_dict().items()):
        noise = torch.randn(x.shape, generator=random)
        if "num_batches" in name:
            continue
        if name.endswith("running_var"):
            noise = 0.5 + torch.rand(x.shape, generator=random)
        elif x.dim() > 1 and "embedding" not in name:
            noise *= (2 / x[0].numel()) ** 0.5
        elif name.endswith("weight") and x.dim() == 1:
            noise = (added if "bn3" in name else 0.4 if "downsample" in name else 1) * (1 + 0.2 * noise)
        elif x.dim() == 1:
            noise *= 0.2
        x.copy_(noise)


# ---------------------------------------------------------------- captions

def search(decoder, seen, wordmap, k, longest):
    """The search of the tutorial's caption.py: a sentence that ends takes a place of the beam."""
    going, ended = [([wordmap["<start>"]], 0.0, decoder.begin(seen))], []
    for _ in range(longest):
        after = []
        for words, score, (h, c) in going:
            logits, h, c, *_ = decoder.step(seen, torch.tensor([words[-1]]), h, c)
            log = logits.log_softmax(1)[0].tolist()
            after += [(words + [word], score + log[word], (h, c)) for word in range(len(wordmap))]
        best = sorted(after, key=lambda x: -x[1])[: k - len(ended)]
        ended += [x for x in best if x[0][-1] == wordmap["<end>"]]
        going = [x for x in best if x[0][-1] != wordmap["<end>"]]
        if not going:
            break
    return max(ended or going, key=lambda x: x[1])[0]


def follow(decoder, seen, words):
    """Each step of a sentence."""
    h, c = decoder.begin(seen)
    steps = []
    for word in words[:-1]:
        logits, h, c, weights, gate = decoder.step(seen, torch.tensor([word]), h, c)
        steps.append((logits, h, c, weights, gate))
    return dict(zip(["logits", "states", "cells", "weights", "gates"], map(torch.cat, zip(*steps))))


def waves(height, width):
    """A picture of bytes."""
    y, x = np.mgrid[:height, :width]
    light = np.stack([np.sin(x / 5), np.cos(y / 3), np.sin((x + y) / 7)], -1)
    return (127.5 + 80 * light + 40 * np.random.default_rng(1).uniform(-1, 1, light.shape)).clip(0, 255).astype("uint8")


def pixels_of(picture, side):
    light = np.asarray(Image.fromarray(picture).resize((side, side), Image.BILINEAR)) / 255
    return torch.tensor((light - MEAN) / STD, dtype=torch.float32).permute(2, 0, 1)[None]


# ---------------------------------------------------------------- folders

def make(folder, sizes, words, seed, end):
    wordmap = {"<pad>": 0, **{word: i + 1 for i, word in enumerate(words)}}
    for word in ("<unk>", "<start>", "<end>"):
        wordmap[word] = len(wordmap)
    model = nn.ModuleDict({"encoder": Encoder(sizes), "decoder": Decoder(sizes, len(wordmap))}).eval()
    draw_weights(model, seed)
    for layer, factor in ((model.decoder.attention.full_att, 6), (model.decoder.embedding, 3), (model.decoder.fc, 2)):
        layer.weight *= factor  # so that attention is far from uniform, and words from each other
    model.decoder.fc.bias[wordmap["<end>"]] = end
    os.makedirs(folder, exist_ok=True)
    save_file({name: x.contiguous() for name, x in model.state_dict().items()},
              os.path.join(folder, "model.safetensors"))
    config = {"model_type": "show-attend-tell", "image_mean": MEAN, "image_std": STD, "vocab_size": len(wordmap),
              "pad_token_id": 0, "bos_token_id": wordmap["<start>"], "eos_token_id": wordmap["<end>"],
              "wordmap": "wordmap.json", **{name: x for name, x in sizes.items() if isinstance(x, int) and name != "first"}}
    for name, value in (("config.json", config), ("wordmap.json", wordmap)):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(value, file, indent=2)
    return model, wordmap


def tiny():
    folder = os.path.join(DATA, "show_attend_tell")
    shutil.rmtree(folder, ignore_errors=True)
    model, wordmap = make(folder, TINY, WORDS, 7, 0.5)
    picture = waves(40, 56)
    high = pixels_of(waves(90, 90), 96)[..., :67]  # 96 × 67: no side is the other
    seen = model.encoder(high)
    generated = {f"beam.{k}": torch.tensor(search(model.decoder, seen, wordmap, k, 12), dtype=torch.int32) for k in (1, 2, 3, 5, 8)}
    short = torch.tensor(search(model.decoder, seen, wordmap, 3, 2), dtype=torch.int32)
    photo = model.encoder(pixels_of(picture, TINY["image_size"]))
    tensors = {"pixel_values": high, "features": seen[0], **generated, "short": short, **follow(model.decoder, seen, generated["beam.5"].tolist()),
               "photo": torch.tensor(picture), "photo.features": photo[0],
               "photo.generated": torch.tensor(search(model.decoder, photo, wordmap, 5, 26), dtype=torch.int32)}
    save_file({name: x.contiguous().clone() for name, x in tensors.items()}, os.path.join(folder, "reference.safetensors"))
    print({name: x.tolist() for name, x in tensors.items() if x.dtype == torch.int32 and x.dim() == 1})
    print(sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)) // 1024, "KB")
    print(tensors["weights"].max(1).values, seen.abs().max())


def true(folder):
    model, wordmap = make(folder, TRUE, [f"word{i}" for i in range(9486)], 4, 0)
    path = os.path.join(folder, "photo.png")
    if not os.path.exists(path):
        return
    pixels = pixels_of(np.asarray(Image.open(path).convert("RGB")), TRUE["image_size"])
    begin = time.time()
    seen = model.encoder(pixels)
    print(f"seen in {time.time() - begin:.2f} s by {torch.get_num_threads()} threads")
    generated = search(model.decoder, seen, wordmap, 5, 26)
    names = {number: word for word, number in wordmap.items()}
    print(" ".join(names[word] for word in generated))
    exact = model.encoder.double()(pixels.double())[0]
    print(f"features up to {exact.abs().max():.3g}, off by {(seen[0] - exact).abs().max():.2g} in float32")
    save_file({"pixel_values": pixels.contiguous(), "features": exact.float().contiguous(), **follow(model.decoder, seen, generated)}, os.path.join(folder, "reference.safetensors"))


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    true(sys.argv[1]) if len(sys.argv) > 1 else tiny()
