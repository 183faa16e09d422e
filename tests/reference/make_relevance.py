#!/usr/bin/env python3
"""Relevance (Chefer et al. 2021, arXiv 2103.15679) of models of make_references.py, by torch's autograd: each head's attention times the
gradient of the largest logit, above 0, the mean over the heads. data/relevance.safetensors has for each family FAMILY.maps
[layers,T,T], FAMILY.target and FAMILY.logit, and the input.

    make_relevance.py                  # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os

import torch
import transformers
from safetensors.torch import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
IDS = [3, 9, 14, 1, 6, 9, 2, 11, 5, 12, 4, 8]
SEES, SAYS = transformers.AutoModelForImageClassification, transformers.AutoModelForCausalLM
# Each for a switch that it has: see tests/architectures/test_relevance.c.
FAMILIES = {"vit_classifier": SEES,
            **dict.fromkeys(["gpt2", "opt", "opt_narrow", "gpt_neo", "gpt_neox", "bloom", "llama", "llama_bfloat16", "mistral", "qwen3", "phi3",
                             "smollm3", "olmo2", "gemma", "gemma2", "gemma3"], SAYS)}


def main():
    tensors = {}
    for family, kind in FAMILIES.items():
        folder = os.path.join(DATA, family)
        model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval().double()
        if kind is SEES:
            inputs = {"pixel_values": load_file(os.path.join(folder, "reference.safetensors"))["pixel_values"].double()}
        else:
            inputs = {"input_ids": torch.tensor([IDS])}
        outputs = model(**inputs, output_attentions=True)
        for attention in outputs.attentions:
            attention.retain_grad()
        logits = outputs.logits[0] if kind is SEES else outputs.logits[0, -1]
        target = logits.argmax()
        logits[target].backward()
        maps = torch.stack([(a * a.grad).clamp(min=0)[0].mean(0) for a in outputs.attentions])
        tensors.update({f"{family}.maps": maps.detach().float(), f"{family}.target": target.int().reshape(1),
                        f"{family}.logit": logits[target].detach().float().reshape(1)})
        tensors.update({f"{family}.{k}": (v.float() if v.is_floating_point() else v.int()) for k, v in inputs.items()})
        print(family, tuple(maps.shape), target.item(), logits[target].item(), maps.amax().item())
    to = os.path.join(DATA, "relevance.safetensors")
    save_file({k: v.contiguous() for k, v in tensors.items()}, to)
    print(f"{to}: {os.path.getsize(to) // 1024} KB")


if __name__ == "__main__":
    main()
