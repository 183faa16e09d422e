#!/usr/bin/env python3
"""What `transformers` makes of a pair of texts with models of make_references.py: data/segments.safetensors has for each
family the tokens and types that its tokenizer gives to the pair, and the attentions of every layer.

    make_segments.py                   # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os

import torch
import transformers
from safetensors.torch import save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
PAIR = ("the bank of money", "a river")
FAMILIES = ("bert", "xlm_roberta", "electra", "distilbert")


def main():
    tensors = {}
    for name in FAMILIES:
        folder = os.path.join(DATA, name)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        given = tokenizer(*PAIR, return_tensors="pt")
        with torch.no_grad():
            outputs = model(**given, output_attentions=True)
        ids = given["input_ids"]
        types = given.get("token_type_ids", torch.zeros_like(ids))
        print(name, tokenizer.convert_ids_to_tokens(ids[0]), types.tolist())
        tensors[f"{name}.ids"] = ids[0].int()
        tensors[f"{name}.types"] = types[0].int()
        tensors[f"{name}.attentions"] = torch.stack([a[0] for a in outputs.attentions]).contiguous().clone()
    save_file(tensors, os.path.join(DATA, "segments.safetensors"))


if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    main()
