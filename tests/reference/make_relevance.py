#!/usr/bin/env python3
"""Relevance (Chefer et al. 2021, arXiv 2103.15679) of models of make_references.py, by torch's autograd: each head's attention times the
gradient of the largest logit, above 0, the mean over the heads. data/relevance.safetensors has for each family FAMILY.maps
[layers,T,T], FAMILY.target and FAMILY.logit, and the input.

    make_relevance.py                  # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os
import shutil

import make_references
import torch
import transformers
from safetensors.torch import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
IDS = [3, 9, 14, 1, 6, 9, 2, 11, 5, 12, 4, 8]
SEES, GENERATES, READS, CLASSIFIES = transformers.AutoModelForImageClassification, transformers.AutoModelForCausalLM, transformers.AutoModel, transformers.AutoModelForSequenceClassification
# Each for a switch that it has: see tests/architectures/test_relevance.c.
DISTANCES = ["deberta", "deberta_queries", "deberta_v2", "deberta_v2_keys", "deberta_v3"]
EXPERTS = ["qwen2_moe", "llama4", "deepseek_v2", "deepseek_v2_lite", "deepseek_v3", "mixtral", "qwen3_moe", "olmoe", "gpt_oss"]
FAMILIES = {"vit_classifier": SEES,
            **dict.fromkeys(["gpt2", "opt", "opt_narrow", "gpt_neo", "gpt_neox", "bloom", "llama", "llama_bfloat16", "mistral", "qwen3", "phi3",
                             "smollm3", "olmo2", "gemma", "gemma2", "gemma3", "gemma4", "gemma4_joined", *EXPERTS, "olmo", "granite", "glm4", "gptj", "falcon_new", "cohere"],
                            GENERATES),
            **dict.fromkeys(["bert", "distilbert", "electra", "roberta", "mpnet", "albert", "modernbert", "dinov2_giant", "beit", "dinov3", "yolos", *DISTANCES, "gte"], READS)}
# Made here, of the sizes of another family: they classify a text, each by another layer before the logits.
CLASSES = {"bert": transformers.BertForSequenceClassification, "electra": transformers.ElectraForSequenceClassification,
           "distilbert": transformers.DistilBertForSequenceClassification,
           "modernbert": transformers.ModernBertForSequenceClassification}
POOLINGS = {"modernbert"}  # of the first state, and of the mean of all in a folder of its own


def folders_of(name):
    return {f"{name}_classifier": "cls", **({f"{name}_mean_classifier": "mean"} if name in POOLINGS else {})}


FAMILIES.update(dict.fromkeys([folder for name in CLASSES for folder in folders_of(name)], CLASSIFIES))


def make_classifiers():
    for i, (name, kind) in enumerate(CLASSES.items()):
        for folder, pooling in folders_of(name).items():
            config = transformers.AutoConfig.from_pretrained(os.path.join(DATA, name), num_labels=5)
            config.architectures = None
            if name in POOLINGS:
                config.classifier_pooling = pooling
            model = kind(config).eval()
            make_references.draw_weights(model, 70 + i)
            model.save_pretrained(os.path.join(DATA, folder))
            for file in os.listdir(os.path.join(DATA, name)):
                if file.startswith(("tokenizer", "vocab", "special")):
                    shutil.copy(os.path.join(DATA, name, file), os.path.join(DATA, folder, file))



def down(attentions, row):
    """A row at the end of the layers, (I + E_L) … (I + E_1) behind it."""
    for a in reversed(attentions):
        row = row + row @ (a * a.grad).clamp(min=0)[0].mean(0)
    return row


def to_1(row, but=None):
    row = row.clone()
    if but is not None:
        row[but] = 0
    return row / row.sum()


def likeness(family, ids):
    """Of the logit of a picture and a text: what of the patches and of the text's tokens counted. SigLIP's probe has one row more on top."""
    folder = os.path.join(DATA, family)
    model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval().double()
    pixels = load_file(os.path.join(folder, "reference.safetensors"))["pixel_values"].double()
    kept = []
    head = getattr(model.vision_model, "head", None)
    if head is not None:
        def attend(query, key, value, **_):
            m, (_, n, width) = head.attention, key.shape
            w, b = m.in_proj_weight.chunk(3), m.in_proj_bias.chunk(3)
            q, k, v = (torch.nn.functional.linear(x, w[i], b[i]).reshape(x.shape[1], m.num_heads, -1).transpose(0, 1)
                       for i, x in enumerate((query, key, value)))
            a = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, -1)
            a.retain_grad()
            kept.append(a)
            return m.out_proj((a @ v).transpose(0, 1).reshape(1, 1, width)), None
        head.attention.forward = attend
    inputs = {"input_ids": torch.tensor([ids]), "pixel_values": pixels}
    outputs = model(**inputs, output_attentions=True)
    seen, read = outputs.vision_model_output.attentions, outputs.text_model_output.attentions
    for attention in (*seen, *read):
        attention.retain_grad()
    outputs.logits_per_image[0, 0].backward()
    if head is not None:
        row = (kept[0] * kept[0].grad).clamp(min=0).mean(0)[0]
        patches = to_1(down(seen, row))
    else:
        patches = to_1(down(seen, torch.eye(seen[0].shape[-1], dtype=torch.double)[0]), 0)[1:]
    at = ids.index(19) if head is None else len(ids) - 1
    words = to_1(down(read, torch.eye(len(ids), dtype=torch.double)[at]), at)
    print(family, outputs.logits_per_image.item(), patches.max().item(), words.tolist())
    return {f"{family}.patches": patches.detach().float(), f"{family}.words": words.detach().float()}


def main():
    make_classifiers()
    tensors = {**likeness("clip", [18, 7, 9, 10, 19]), **likeness("siglip", [4, 5, 0, 1, 1, 1, 1, 1])}
    for family, kind in FAMILIES.items():
        folder = os.path.join(DATA, family)
        loops = {"experts_implementation": "eager"} if family in EXPERTS else {}  # the others have no float64
        model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32, **loops).eval().double()
        if kind is SEES or family in ("dinov2_giant", "beit", "dinov3", "yolos"):
            inputs = {"pixel_values": load_file(os.path.join(folder, "reference.safetensors"))["pixel_values"].double()}
        else:
            inputs = {"input_ids": torch.tensor([IDS])}
        outputs = model(**inputs, output_attentions=True)
        for attention in outputs.attentions:
            attention.retain_grad()
        if kind is READS:  # half the squared length of the mean of all states
            logits = (outputs.last_hidden_state[0].mean(0).square().sum() / 2).reshape(1)
        else:
            logits = outputs.logits[0, -1] if kind is GENERATES else outputs.logits[0]
        target = logits.argmax()
        logits[target].backward()
        maps = torch.stack([(a * a.grad).clamp(min=0)[0].mean(0) for a in outputs.attentions])
        if family == "yolos":  # whose tokens that detect are last there, and behind the class token here
            count = maps.shape[-1]
            order = [0, *range(count - 12, count), *range(1, count - 12)]
            maps = maps[:, order][..., order]
        tensors.update({f"{family}.maps": maps.detach().float(), f"{family}.target": target.int().reshape(1),
                        f"{family}.logit": logits[target].detach().float().reshape(1)})
        tensors.update({f"{family}.{k}": (v.float() if v.is_floating_point() else v.int()) for k, v in inputs.items()})
        print(family, tuple(maps.shape), target.item(), logits[target].item(), maps.amax().item())
    to = os.path.join(DATA, "relevance.safetensors")
    save_file({k: v.contiguous() for k, v in tensors.items()}, to)
    print(f"{to}: {os.path.getsize(to) // 1024} KB")


if __name__ == "__main__":
    main()
