#!/usr/bin/env python3
"""What `transformers` decodes the words of its generate() to, of all folders here that generate, and how far that is from one sentence:
data/texts.safetensors has of each reference.safetensors and search (and of make_token_run.py's, of each family and way) the bytes of
decode(ids, skip_special_tokens=True), and the edit distances by word and by character.

    make_texts.py [FAMILY …]           # of those alone, or all; into data, beside this file; needs transformers 5 and sentencepiece; the tests need neither"""
import os
import sys

import numpy as np
import transformers
from safetensors.numpy import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
CLASSES = {"blip": "BertTokenizer", "git": "BertTokenizer", "vit_gpt2": "GPT2Tokenizer", "trocr": "RobertaTokenizer", "trocr_sinusoids": "RobertaTokenizer",
           "marian": "MarianTokenizer", "t5": "T5Tokenizer", "whisper": "WhisperTokenizer"}  # of folders that do not name theirs
SEARCHES = ("greedy", "two", "beam", "long", "short", "never", "careful", "rare", "varied", "plain", "asked.greedy", "asked.beam")
SENTENCE = "the river bank of a town is left of the red bank"


def distance(one, other):
    """How many items are exchanged, left out or put in, at least."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        before, row[0] = row[0], i + 1
        for k, b in enumerate(other):
            before, row[k + 1] = row[k + 1], min(before + (a != b), row[k] + 1, row[k + 1] + 1)
    return row[-1]


def tokenizer_of(family):
    folder = os.path.join(DATA, family)
    pieces = {"target_spm": os.path.join(folder, "source.spm")} if family == "marian" else {}  # which serves both
    return getattr(transformers, CLASSES.get(family, "AutoTokenizer")).from_pretrained(folder, **pieces)


def add(texts, name, tokenizer, ids):
    if name.startswith("m2m_100."):  # languages, which lie behind the vocabulary, are special in published folders by special_tokens_map.json
        ids = ids[ids < len(tokenizer)]
    text = tokenizer.decode(ids.tolist(), skip_special_tokens=True)
    texts[f"{name}.text"] = np.frombuffer(text.encode() or b"\0", np.uint8)
    texts[f"{name}.errors"] = np.array([distance(SENTENCE.split(), text.split()), distance(SENTENCE, text)], np.int32)
    print(name, repr(text), *texts[f"{name}.errors"])


def main():
    only = sys.argv[1:]
    texts = load_file(os.path.join(DATA, "texts.safetensors")) if only else {}
    for family in only or sorted(os.listdir(DATA)):
        path = os.path.join(DATA, family, "reference.safetensors")
        known = load_file(path) if os.path.exists(path) else {}
        if "greedy" in known:
            tokenizer = tokenizer_of(family)
            for name in SEARCHES:
                if name in known:
                    add(texts, f"{family}.{name}", tokenizer, known[name][0, 1:])
    runs = load_file(os.path.join(DATA, "token_run.safetensors"))
    for name in [] if only else sorted(runs):
        family, way, what = (name.split(".") + ["", ""])[:3]
        if what == "generated":
            add(texts, f"{family}.{way}", tokenizer_of(family), runs[name])
    save_file(texts, os.path.join(DATA, "texts.safetensors"))


if __name__ == "__main__":
    main()
