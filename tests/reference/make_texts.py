#!/usr/bin/env python3
"""What `transformers` decodes the words of make_spoken.py's models to: data/texts.safetensors has for each family and way the bytes of
decode(ids, skip_special_tokens=True).

    make_texts.py                      # into data, beside this file; needs transformers 5 and sentencepiece; the tests need neither"""
import os

import numpy as np
import transformers
from safetensors.numpy import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
CLASSES = {"blip": "BertTokenizer", "git": "BertTokenizer", "vit_gpt2": "GPT2Tokenizer", "trocr": "RobertaTokenizer", "marian": "MarianTokenizer",
           "t5": "T5Tokenizer", "whisper": "WhisperTokenizer"}  # of folders that do not name theirs


def main():
    spoken, texts = load_file(os.path.join(DATA, "spoken.safetensors")), {}
    for name in sorted(spoken):
        family, way, what = (name.split(".") + ["", ""])[:3]
        if what != "said":
            continue
        pieces = {"target_spm": os.path.join(DATA, family, "source.spm")} if family == "marian" else {}  # which serves both
        made = getattr(transformers, CLASSES.get(family, "AutoTokenizer")).from_pretrained(os.path.join(DATA, family), **pieces)
        text = made.decode(spoken[name].tolist(), skip_special_tokens=True)
        texts[f"{family}.{way}.text"] = np.frombuffer(text.encode() or b"\0", np.uint8)
        print(family, way, repr(text))
    save_file(texts, os.path.join(DATA, "texts.safetensors"))


if __name__ == "__main__":
    main()
