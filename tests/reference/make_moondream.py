#!/usr/bin/env python3
"""Moondream 2 (vikhyat/moondream), which transformers has no class for: its forward pass in PyTorch, written from its description, of tiny
models with random weights. data/moondream has the first tokenizer's form of prompt and a picture in several tiles, data/moondream_late that of
the second tokenizer, with tokens of its own around a question, and a picture of one tile. Beside each: what is generated greedily for a question
and for a caption, logits and attentions; make_maps.py has the maps of words by what stands here.

    make_moondream.py [FAMILY …]       # default: both; into data, beside this file; needs torch and transformers, the tests need neither"""
import json
import math
import os
import sys

import numpy as np
import PIL.Image
import torch
import transformers
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from transformers.modeling_outputs import CausalLMOutput

import make_references as references

WORDS = 6


# ---------------------------------------------------------------- the model

class Attention(nn.Module):
    def __init__(self, width, heads, key_heads):
        super().__init__()
        self.heads, self.key_heads, self.depth = heads, key_heads, width // heads
        self.qkv = nn.Linear(width, (heads + 2 * key_heads) * self.depth)
        self.proj = nn.Linear(width, width)

    def forward(self, x, turn=None, mask=None):
        """x [B,T,D]; the weights [B,H,T,T] are returned too."""
        count, d = x.shape[:2], self.depth
        q, k, v = self.qkv(x).split([self.heads * d, self.key_heads * d, self.key_heads * d], -1)
        q, k, v = (y.view(*count, -1, d).transpose(1, 2) for y in (q, k, v))
        if turn is not None:
            q, k = turn(q), turn(k)
        k, v = (y.repeat_interleave(self.heads // self.key_heads, 1) for y in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        weights = scores.softmax(-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(*count, -1)), weights


class Perceptron(nn.Module):
    def __init__(self, width, hidden, out):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, hidden), nn.Linear(hidden, out)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x), approximate="tanh"))


class SeeingLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        D = c["enc_dim"]
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(D), Attention(D, c["enc_n_heads"], c["enc_n_heads"]), nn.LayerNorm(D)
        self.mlp = Perceptron(D, c["enc_ff_dim"], D)

    def forward(self, x):
        seen, weights = self.attn(self.ln1(x))
        x = x + seen
        return x + self.mlp(self.ln2(x)), weights


class Vision(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config, self.side = c, c["crop_size"] // c["enc_patch_size"]
        D = c["enc_dim"]
        self.patch_emb = nn.Linear(3 * c["enc_patch_size"] ** 2, D)
        self.pos_emb = nn.Parameter(torch.zeros(1, self.side ** 2, D))
        self.blocks = nn.ModuleList(SeeingLayer(c) for _ in range(c["enc_n_layers"]))
        self.post_ln = nn.LayerNorm(D)
        self.proj_mlp = Perceptron(2 * D, c["proj_inner_dim"], c["proj_out_dim"])

    def see(self, crops):
        """crops [n,3,side,side] → features [n,patches,D], attentions of each layer."""
        p, n = self.config["enc_patch_size"], self.side
        x = crops.reshape(len(crops), 3, n, p, n, p).permute(0, 2, 4, 1, 3, 5).reshape(len(crops), n * n, -1)
        x, kept = self.patch_emb(x) + self.pos_emb, []
        for layer in self.blocks:
            x, weights = layer(x)
            kept.append(weights)
        return self.post_ln(x), kept

    def joined(self, local, tiling):
        """Features [tiles,side,side,·] of tiles that overlap → [·,height,width] of the one picture."""
        high, wide = tiling
        n, margin = self.side, self.config["overlap_margin"]
        rows = []
        for y in range(high):
            above, below = (0 if y == 0 else margin), (n if y == high - 1 else n - margin)
            row = [local[y * wide + x][above:below, (0 if x == 0 else margin):(n if x == wide - 1 else n - margin)] for x in range(wide)]
            rows.append(torch.cat(row, 1))
        return torch.cat(rows, 0).permute(2, 0, 1)

    def pooled(self, local, tiling):
        """[side · side,·]: each token's mean of what of the joined picture it lies over."""
        return F.adaptive_avg_pool2d(self.joined(local, tiling), self.side).flatten(1).T

    def forward(self, crops, tiling):
        features, kept = self.see(crops)
        local = features[1:].view(len(crops) - 1, self.side, self.side, -1)
        return self.proj_mlp(torch.cat([features[0], self.pooled(local, tiling)], -1)), kept


class ReadingLayer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln, self.attn = nn.LayerNorm(c["dim"]), Attention(c["dim"], c["n_heads"], c["n_kv_heads"])
        self.mlp = Perceptron(c["dim"], c["ff_dim"], c["dim"])

    def forward(self, x, turn, mask):
        before = self.ln(x)
        read, weights = self.attn(before, turn, mask)
        return x + read + self.mlp(before), weights


class Text(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.config = c
        self.wte = nn.Parameter(torch.empty(c["vocab_size"], c["dim"]))
        self.blocks = nn.ModuleList(ReadingLayer(c) for _ in range(c["n_layers"]))
        self.post_ln, self.lm_head = nn.LayerNorm(c["dim"]), nn.Linear(c["dim"], c["vocab_size"])

    def forward(self, x, prefix):
        """x [T,D], of which the first `prefix` see each other: logits, and attentions of each layer."""
        T, turned = len(x), self.config["dim"] // self.config["n_heads"] // 2
        angles = torch.arange(T, dtype=x.dtype)[:, None] / 10000 ** (torch.arange(0, turned, 2, dtype=x.dtype) / turned)
        cos, sin = angles.cos(), angles.sin()

        def turn(y):  # halves of the first half of a head are points
            a, b, rest = y.split([turned // 2, turned // 2, y.shape[-1] - turned], -1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos, rest], -1)
        mask = torch.ones(T, T, dtype=torch.bool).tril()
        mask[:prefix, :prefix] = True
        x, kept = x[None], []
        for layer in self.blocks:
            x, weights = layer(x, turn, mask)
            kept.append(weights)
        return self.lm_head(self.post_ln(x))[0], kept


class Moondream(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config, self.vision, self.text = config, Vision(config["vision"]), Text(config["text"])

    def forward(self, picture, ids):
        """picture [n,D] behind the token that begins; ids: what stands behind it."""
        begin = self.text.wte[[self.config["tokenizer"]["bos_id"]]]
        return self.text(torch.cat([begin, picture, self.text.wte[ids]]), 1 + len(picture))

    def generate(self, picture, ids, end, words=WORDS):
        found, only_first = list(ids), self.config["tokenizer"].get("answer_id")
        for i in range(words):
            logits = self(picture, found)[0][-1]
            if i and only_first is not None:
                logits[only_first] = -math.inf
            found.append(int(logits.argmax()))
            if found[-1] == end:
                break
        return found


# ---------------------------------------------------------------- pictures

def choose_tiling(height, width, window, most):
    if height <= window or width <= window:
        return 1, 1
    least = math.ceil(height / window), math.ceil(width / window)
    if least[0] * least[1] > most:
        share = math.sqrt(most / (least[0] * least[1]))
        return max(1, int(least[0] * share)), max(1, int(least[1] * share))
    down = max(int(math.sqrt(most * height / width)), least[0])
    across = max(int(math.sqrt(most * width / height)), least[1])
    if down * across > most:
        if across > down:
            across = most // down
        else:
            down = most // across
    return max(1, down), max(1, across)


def cut(image, c):
    """All of the picture and its tiles, which overlap by two margins: [n,3,side,side], (down, across)."""
    side, margin = c["crop_size"], c["overlap_margin"] * c["enc_patch_size"]
    window = side - 2 * margin
    tiling = choose_tiling(image.height - 2 * margin, image.width - 2 * margin, window, c["max_crops"])
    size = tiling[1] * window + 2 * margin, tiling[0] * window + 2 * margin
    large = np.asarray(image.resize(size, PIL.Image.Resampling.LANCZOS))
    crops = [np.asarray(image.resize((side, side), PIL.Image.Resampling.LANCZOS))]
    for y in range(tiling[0]):
        for x in range(tiling[1]):
            crops.append(large[y * window:y * window + side, x * window:x * window + side])
    return (torch.tensor(np.stack(crops)).permute(0, 3, 1, 2) / 255.0 - 0.5) / 0.5, tiling


# ---------------------------------------------------------------- what the tests compare with

SMALL = {"text": {"dim": 32, "ff_dim": 40, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2},
         "vision": {"enc_dim": 24, "enc_patch_size": 4, "enc_n_layers": 4, "enc_ff_dim": 36, "enc_n_heads": 3, "proj_out_dim": 32, "crop_size": 16,
                    "max_crops": 6, "overlap_margin": 1, "proj_inner_dim": 40}}


def moondream():
    """The prompt is of words, and a space stands before a question; six tiles, three beside each other, of which others are averaged."""
    tokenizer = references.save_words("moondream", ["<|endoftext|>"], {"eos_token": "<|endoftext|>"})
    own = tokenizer.encode
    end = tokenizer.token_to_id("<|endoftext|>")
    around = {"caption": {"short": own("\n\nSRT:").ids, "normal": own("\n\nUSER:").ids}, "query": {"prefix": own("\n\nT:").ids, "suffix": own("\n\nAN:").ids}}
    return tokenizer, {"bos_id": end, "eos_id": end, "templates": around}, 94, (31, 22)


def moondream_late():
    """Tokens of their own, 0 to 3 before all others; a question is not parted, and what stands behind it stands there twice. One tile."""
    pieces, merges = references.letters()
    specials = ["<|endoftext|>", "<|md_reserved_0|>", "<|md_reserved_1|>", "<|md_reserved_2|>"]
    tokenizer = references.tokenizers.Tokenizer(references.tokenizers.models.BPE({piece: i for i, piece in enumerate(specials + pieces)},
                                                                                 [tuple(m.split(" ")) for m in merges]))
    tokenizer.pre_tokenizer = references.tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = references.tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(specials)
    folder = os.path.join(references.DATA, "moondream_late")
    os.makedirs(folder, exist_ok=True)
    tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
    with open(os.path.join(folder, "tokenizer_config.json"), "w") as file:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|endoftext|>"}, file)
    token = tokenizer.token_to_id
    around = {"caption": {"short": [1, token("a"), 2, token("s"), 3], "normal": [1, token("a"), 2, token("n"), 3], "long": [1, token("a"), 2, token("l"), 3]},
              "query": {"prefix": [1, token("q"), 2], "suffix": [3]}, "detect": None, "point": None}
    return tokenizer, {"bos_id": 0, "eos_id": 0, "answer_id": 3, "templates": around}, 95, (13, 16)


FAMILIES = (moondream, moondream_late)


def prompts(tokenizer, config, question):
    """What stands behind the picture: for the question, and for a caption."""
    around, is_late = config["templates"], config["eos_id"] == 0
    asked = tokenizer.encode(question if is_late else " " + question).ids
    return around["query"]["prefix"] + asked + around["query"]["suffix"] * (2 if is_late else 1), around["caption"]["normal"]


def make(family):
    """The model, its picture as tokens, and the tokens of its prompts."""
    tokenizer, words, seed, size = family()
    config = {"text": {**SMALL["text"], "vocab_size": tokenizer.get_vocab_size()}, "vision": SMALL["vision"], "tokenizer": words}
    model = Moondream(config).eval()
    references.draw_weights(model, seed)
    image = references.photograph(*size)
    crops, tiling = cut(image, config["vision"])
    return model, tokenizer, image, crops, tiling


def save(family):
    name = family.__name__
    model, tokenizer, image, crops, tiling = make(family)
    words, folder = model.config["tokenizer"], os.path.join(references.DATA, name)
    tensors = {}
    with torch.no_grad():
        picture, kept = model.vision(crops, tiling)
        asked, caption = prompts(tokenizer, words, references.QUESTION)
        found = model.generate(picture, asked, words["eos_id"])
        logits, attentions = model(picture, found[:-1])
        first, before = 1 + len(picture) + len(asked) - 1, [words["bos_id"]] + [model.config["text"]["vocab_size"]] * len(picture)  # a token that is none
        described = model.generate(picture, caption, words["eos_id"])
    tensors["prompt"] = torch.tensor([before + asked])
    tensors["greedy"] = torch.tensor([found[len(asked) - 1:]])
    tensors["asked.greedy"] = torch.tensor([described[len(caption) - 1:]])
    tensors["logits"] = logits[None, first:]
    for i, x in enumerate(attentions):
        tensors[f"cross_attentions.{i}"] = x[0, :, first:, :first + 1]
    tensors["vision"] = kept[-1]
    save_file({f"model.{k}": v.contiguous() for k, v in model.state_dict().items()}, os.path.join(folder, "model.safetensors"))
    save_file({k: v.to(torch.int32 if v.dtype == torch.int64 else v.dtype).contiguous().clone() for k, v in tensors.items()}, os.path.join(folder, "reference.safetensors"))
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump({"architectures": ["HfMoondream"], "config": model.config, "model_type": "moondream1", "torch_dtype": "float32"}, file, indent=2)
    image.save(os.path.join(folder, "picture.png"))
    print(name, tiling, repr(tokenizer.decode(found[len(asked):])), repr(tokenizer.decode(described[len(caption):])), sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)) // 1024, "KB")


# ---------------------------------------------------------------- maps of words and beams, of make_maps.py

class Searched(transformers.PreTrainedModel, transformers.GenerationMixin):
    """For the beams of `generate`: what stands behind the picture goes through the model anew for each token."""
    config_class = transformers.PretrainedConfig
    main_input_name = "input_ids"

    def __init__(self, model, picture):
        ends = {"eos_token_id": model.config["tokenizer"]["eos_id"], "pad_token_id": 0}
        super().__init__(transformers.PretrainedConfig(vocab_size=model.config["text"]["vocab_size"], **ends))
        self.model, self.picture, self.generation_config = model, picture, transformers.GenerationConfig(**ends)

    def prepare_inputs_for_generation(self, input_ids, **kwargs):
        return {"input_ids": input_ids}

    def forward(self, input_ids, attention_mask=None, **kwargs):
        return CausalLMOutput(logits=torch.stack([self.model(self.picture, row.tolist())[0][1 + len(self.picture):] for row in input_ids]))


def beams(model, picture, asked):
    found, ids = {}, torch.tensor([asked])
    for name in ("beam", "long", "short", "never"):
        search = {k: v for k, v in references.SEARCHES[name].items() if k != "max_length"}
        with torch.no_grad():
            generated = Searched(model, picture).generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=WORDS, use_cache=False, **search)
        found[name] = generated[:, ids.shape[1] - 1:].int()
    return found


def spread_on_cells(carried, tiling, c):
    """Weights [1 + tiles,patches], those of all of the picture first, on its side × side cells."""
    from make_maps import shares
    n, margin = c["crop_size"] // c["enc_patch_size"], c["overlap_margin"]
    step, cells = n - 2 * margin, carried[0].reshape(n, n).clone()
    high, wide = (count * step + 2 * margin for count in tiling)
    for i, tile in enumerate(carried[1:]):
        y, x = i // tiling[1] * step, i % tiling[1] * step
        cells += shares(high, 0, n, n)[y:y + n].T @ tile.reshape(n, n) @ shares(wide, 0, n, n)[x:x + n]
    return cells


def maps(family):
    import make_maps
    closed = make_maps.closed
    model, tokenizer, image, crops, tiling = make(family)
    words, c, found = model.config["tokenizer"], model.config["vision"], {}
    n = c["crop_size"] // c["enc_patch_size"]
    with torch.no_grad():
        picture, kept = model.vision(crops, tiling)
        asked, _ = prompts(tokenizer, words, references.QUESTION)
        generated = model.generate(picture, asked, words["eos_id"])
        logits, attentions = model(picture, generated[:-1])
        _, general = model(picture, prompts(tokenizer, words, make_maps.NEUTRAL)[0])
        pooled = model.vision.pooled(torch.eye((len(crops) - 1) * n * n).reshape(len(crops) - 1, n, n, -1), tiling)
    first, at = len(picture) + len(asked), slice(1, 1 + len(picture))
    mean = torch.stack(attentions).double().mean((0, 1, 2))
    raw = closed(mean[first:, at].reshape(-1, n, n))
    neutral = torch.stack(general).double().mean((0, 1, 2))[-1, at].reshape(n, n)
    flow = []
    for i in range(len(crops)):
        carried = make_maps.rollout([layer[i] for layer in kept])
        flow.append(carried / carried.sum(1, keepdim=True))
    placed = []
    for row in mean[first:, at]:
        tiles = torch.cat([row[None], (row @ pooled.double()).reshape(-1, n * n)]) / 2
        placed.append(spread_on_cells(torch.stack([tile @ f for tile, f in zip(tiles, flow)]), tiling, c))
    question = range(1 + len(picture) + len(words["templates"]["query"]["prefix"]),
                     1 + first - len(words["templates"]["query"]["suffix"]) * (2 if words["eos_id"] == 0 else 1))
    ids = [words["bos_id"]] + [-1] * len(picture) + generated
    active = make_maps.activations(logits, ids, 1 + first, list(range(at.start, at.stop)), list(question))
    active = torch.stack([torch.from_numpy(make_maps.rank_gaussian(row.reshape(n, n))) for row in active])
    model.double()
    logits, attentions = model(picture.double(), generated[:-1])
    counted = []
    for place, (layers,) in make_maps.words_back(logits, ids, first, [attentions]):
        row = torch.eye(len(logits), dtype=torch.double)[place]
        for layer in reversed(layers):
            row = row + row @ layer
        row[place] -= 1
        counted.append(row.detach())
    counted = torch.stack(counted)
    found["on_picture"] = counted[:, at].sum(1) / counted.sum(1)
    found.update({"raw": raw, "relative": closed(raw / neutral), "encoder": closed(torch.stack(placed)), "activation": closed(active),
                  "relevance": closed(counted[:, at].reshape(-1, n, n))})
    found = {name: value.float() for name, value in found.items()}
    if "answer_id" not in words:  # of which the model's own code knows no beams
        found.update(beams(model.float(), picture, asked))
    return {f"{family.__name__}.{name}": value for name, value in found.items()}


if __name__ == "__main__":
    for one in FAMILIES:
        if len(sys.argv) == 1 or one.__name__ in sys.argv[1:]:
            save(one)
