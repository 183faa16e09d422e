#!/usr/bin/env python3
"""Makes data/continued.json: with what tiny models of make_references.py go on after a text, each with tokenizers of several kinds in place of
its own, and the text that `transformers` decodes the new tokens to, by decode(ids, skip_special_tokens=True): test_cli_model.c compares both
with what the program prints, ids and text whole.

    make_continued.py                  # into data, beside this file; needs torch, transformers 5 and tokenizers 0.23; the test needs neither"""
import json
import os
import shutil
import tempfile

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
TEXTS = ["the bank of", "don't a b , the é", "of\nthe 日 .", "a"]
COUNT = 10
SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = ["<0x0A>", "<0xC3>", "<0xA9>", "<0xE6>", "<0x97>", "<0xA5>"]
PIECES = ["▁", "▁the", "▁a", "▁.", "▁n't", "▁'", "▁,", "t", "h", "e", "b", "a", "n", "k", "o", "f", "d", ".", ",", "'", "n't", "▁▁", "日", "é", "'s", "?"]


def of_pieces(decoder, prefix, cleans):
    """LLaMA's and Gemma's kind."""
    tokens = SPECIAL + BYTES + PIECES
    t = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(tokens)}, merges=[], unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    steps = [normalizers.Prepend("▁")] if prefix else []
    t.normalizer = normalizers.Sequence([*steps, normalizers.Replace(" ", "▁")])
    t.decoder = decoder
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B:1", special_tokens=[("<s>", 1)])
    t.add_special_tokens(SPECIAL)
    return t, {"clean_up_tokenization_spaces": cleans}


def of_unigrams(cleans):
    tokens = SPECIAL + PIECES
    t = Tokenizer(models.Unigram([(x, -1.0 - 0.01 * i) for i, x in enumerate(tokens)], 0))
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    t.add_special_tokens(SPECIAL)
    return t, {"clean_up_tokenization_spaces": cleans}


def of_bytes(first, **config):
    """GPT-2's kind: parts of letters are tokens, and a space belongs to the word behind it."""
    tokens = ["<s>", "Ġ", "Ġthe", "Ġa", "Ġ.", "Ġn", "'t", "t", "h", "e", "b", "a", "n", "k", "o", "f", "d", ".", ",", "'", "Ã", "©", "æ", "Ĺ", "¥", "Ċ",
              "Ġ,", "Ġ'", "s", "ĠĠ", "?", "é", "m", "ð", "Ł"]
    t = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(tokens)}, merges=[]))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=first)
    t.decoder = decoders.ByteLevel()
    t.add_special_tokens(["<s>"])
    return t, config


def of_words(cleans):
    names = ["[UNK]", "the", "bank", "of", "a", "b", ".", ",", "?", "!", "'", "n't", "'s", "'m", "'re", "don", "t", "é", "日", "do", "not", "it", "river",
             "town", "is", "left", "red", "an", "x", "y", "z", "1", "2", "3", "4"]
    t = Tokenizer(models.WordLevel({x: i for i, x in enumerate(names)}, unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    t.add_special_tokens(["[UNK]"])
    return t, {"clean_up_tokenization_spaces": cleans}


REPLACED = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
FORCED = "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output"
CASES = [("llama's", "llama", of_pieces(decoders.Sequence([*REPLACED, decoders.Strip(" ", 1, 0)]), True, False)),
         ("llama's, cleaned", "gpt2", of_pieces(decoders.Sequence([*REPLACED, decoders.Strip(" ", 1, 0)]), True, True)),
         ("gemma's", "gemma", of_pieces(decoders.Sequence(REPLACED), False, False)),
         ("unigrams", "llama", of_unigrams(False)), ("unigrams, cleaned", "gpt2", of_unigrams(True)),
         ("bytes", "gpt2", of_bytes(False)), ("bytes, a space first", "llama", of_bytes(True, clean_up_tokenization_spaces=True)),
         ("bytes, cleaned all the same", "qwen2", of_bytes(False, **{"clean_up_tokenization_spaces": True, FORCED: True})),
         ("words", "llama", of_words(False)), ("words, cleaned", "gpt2", of_words(True))]


def main():
    cases = []
    for name, family, (tokenizer, config) in CASES:
        config = {"tokenizer_class": "PreTrainedTokenizerFast", **config}
        with tempfile.TemporaryDirectory() as place:
            for file in ("config.json", "generation_config.json", "model.safetensors"):
                shutil.copy(os.path.join(DATA, family, file), place)
            tokenizer.save(os.path.join(place, "tokenizer.json"))
            with open(os.path.join(place, "tokenizer_config.json"), "w") as file:
                json.dump(config, file)
            loaded = transformers.AutoTokenizer.from_pretrained(place)
            model = transformers.AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32).eval()
        runs = []
        for text in TEXTS:
            ids = loaded(text, return_tensors="pt").input_ids
            if ids.shape[1] == 0:
                continue
            generated = model.generate(ids, max_new_tokens=COUNT, do_sample=False)[0]
            new = generated[ids.shape[1]:]
            runs.append({"text": text, "ids": ids[0].tolist(), "generated": new.tolist(), "continuation": loaded.decode(new, skip_special_tokens=True),
                         "whole": loaded.decode(generated, skip_special_tokens=True)})
            print(f"{name}: {runs[-1]['continuation']!r} {runs[-1]['whole']!r}")
        cases.append({"name": name, "model": family, "tokenizer": json.loads(tokenizer.to_str()), "config": config, "runs": runs})
    with open(os.path.join(DATA, "continued.json"), "w") as file:
        json.dump({"count": COUNT, "cases": cases}, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
