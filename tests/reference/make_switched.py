#!/usr/bin/env python3
"""The output of `transformers` for models of make_references.py where heads are switched off or scaled: a hook multiplies
what each head gives before the output projection. data/switched.safetensors has for each family the scales [L,H], the
inputs, what leaves the last layer, the attentions of every layer, and of decoders logits and 6 generated tokens.

    make_switched.py                   # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os

import torch
import transformers
from safetensors.torch import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
IDS = [3, 9, 14, 1, 6, 9, 2, 11, 5, 12, 4, 8]
# The class, and the module of each layer whose input is what the heads give side by side.
FAMILIES = {
    "bert": (transformers.BertModel, lambda m: [l.attention.output.dense for l in m.encoder.layer]),
    "gpt2": (transformers.GPT2LMHeadModel, lambda m: [l.attn.c_proj for l in m.transformer.h]),
    "llama": (transformers.LlamaForCausalLM, lambda m: [l.self_attn.o_proj for l in m.model.layers]),
    "gpt_neox": (transformers.GPTNeoXForCausalLM, lambda m: [l.attention.dense for l in m.gpt_neox.layers]),
    "vit": (transformers.ViTModel, None),
}


def outputs_of(model, find, kind):
    if kind != "vit":
        return find(model)
    return [module for name, module in model.named_modules() if name.endswith("attention.output.dense") or name.endswith("attention.o_proj")]


def scale(table, layer):
    def hook(module, given):
        heads = table.shape[1]
        x = given[0]
        return (x.reshape(*x.shape[:-1], heads, -1) * table[layer][:, None]).reshape(x.shape),
    return hook


def main():
    tensors = {}
    for name, (kind, find) in FAMILIES.items():
        folder = os.path.join(DATA, name)
        model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        projections = outputs_of(model, find, name)
        layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
        assert len(projections) == layers, (name, len(projections), layers)
        table = torch.ones(layers, heads)
        table[0, 1] = table[1, 0] = 0
        table[layers - 1, heads - 1] = 0.5
        for i, projection in enumerate(projections):
            projection.register_forward_pre_hook(scale(table, i))
        if name == "vit":
            inputs = {"pixel_values": load_file(os.path.join(folder, "reference.safetensors"))["pixel_values"]}
        else:
            inputs = {"input_ids": torch.tensor([IDS])}
        with torch.no_grad():
            outputs = model(**inputs, output_attentions=True, output_hidden_states=True)
            left = outputs.hidden_states[-1] if hasattr(outputs, "logits") else outputs.last_hidden_state
            found = {**inputs, "scale": table, "left": left,
                     "attentions": torch.stack([a[0] for a in outputs.attentions])}
            if hasattr(outputs, "logits"):
                found["logits"] = outputs.logits[0, -1]
                found["generated"] = model.generate(inputs["input_ids"], attention_mask=torch.ones(1, len(IDS)), max_new_tokens=6,
                                               do_sample=False, eos_token_id=None)[0, len(IDS):]
        for key, value in found.items():
            value = value.int() if value.dtype == torch.int64 else value
            tensors[f"{name}.{key}"] = value.contiguous().clone()
        print(name, tuple(left.shape), found.get("generated"))
    save_file(tensors, os.path.join(DATA, "switched.safetensors"))


if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    main()
