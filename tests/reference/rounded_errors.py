#!/usr/bin/env python3
"""What rounding to bfloat16 costs: for test_rounded.c.

    venv/bin/python tests/reference/rounded_errors.py FOLDER …

For each folder ‖rounded − right‖ / ‖right‖ of the last layer's states. Both are computed in float64; for the first, what linear layers,
convolutions and the products of attention multiply is rounded before, and tables of words are: what `--storage bfloat16` may lose.
"""
import os
import sys

import torch
import transformers
from safetensors.torch import load_file


def rounded(x):
    return x.to(torch.bfloat16).to(x.dtype)


def attend(module, query, key, value, mask, scaling=None, **_):
    """transformers' eager attention of what is rounded."""
    groups = query.shape[1] // key.shape[1]
    key, value = (rounded(x).repeat_interleave(groups, 1) for x in (key, value))
    scores = rounded(query) @ key.transpose(2, 3) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    weights = torch.softmax(scores if mask is None else scores + mask[..., :key.shape[2]], -1)
    return (rounded(weights) @ value).transpose(1, 2).contiguous(), weights


def error_of(folder):
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()
    reference = load_file(os.path.join(folder, "reference.safetensors"))
    inputs = {k: v.double() if v.is_floating_point() else v for k, v in reference.items() if k in ("pixel_values", "input_ids")}
    with torch.no_grad():
        right = model(**inputs).last_hidden_state
        for module in model.modules():
            if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d, transformers.pytorch_utils.Conv1D, torch.nn.Embedding)):
                module.weight.data = rounded(module.weight.data)
            if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d, transformers.pytorch_utils.Conv1D)):
                module.register_forward_pre_hook(lambda _, given: tuple(rounded(x) for x in given))
        transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS["rounded"] = attend
        model.set_attn_implementation("rounded")
        given = model(**inputs).last_hidden_state
    return ((given - right).norm() / right.norm()).item()


for folder in sys.argv[1:]:
    print(f"{folder}: {error_of(folder):.3e}")
