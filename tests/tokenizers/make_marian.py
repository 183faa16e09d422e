#!/usr/bin/env python3
"""Makes what test_marian compares with: a small tokenizer of Marian's kind, trained on words made up here, and what
`transformers` makes of the lines that make_references.py left.

    make_marian.py [FOLDER]        # default: data, beside this file

Needs numpy, transformers 5 and sentencepiece 0.2; the test needs none of them."""
import io
import json
import os
import random
import sys
import unicodedata

import numpy as np
import sentencepiece
import transformers

from make_references import DECODED, ODD, SCRIPTS, make_words

EXTRA = ["", " ", "   \t ", "▁", "▁▁ a ▁", ">>fra<< the sky", ">>fra<<the sky", ">>xyz<< the", ">> fra<<", "a >>fra<< b",
         "the</s>sky", " <pad>  sky<unk>", "<s> x", "\u200b", "\x01", "a\u200b\u200bb", "e\u0301e\u0301", "\ufb01\ufb01 n"]


def write_rules(path):
    """What characters become, a small part of SentencePiece's nmt_nfkc: the whole takes 240 KB."""
    codes = {c for script in ("latin", "wide", "numbers", "signs", "hangul", "math") for low, high in SCRIPTS[script]
             for c in range(low, min(high, low + 700) + 1)}
    pairs = {chr(c): unicodedata.normalize("NFKC", chr(c)) for c in codes}
    pairs.update({text: unicodedata.normalize("NFKC", text) for text in ODD})
    pairs.update({blank: " " for blank in "\t\n\r\u00a0\u3000\u2009\u2028\u200b\ufeff"})
    pairs.update({c: "" for c in "\x01\x7f\u00ad"})
    with open(path, "w") as file:
        for text, to in sorted(pairs.items()):
            if text != to:
                file.write(" ".join(f"{ord(c):X}" for c in text) + "\t" + " ".join(f"{ord(c):X}" for c in to) + "\n")


def train_pieces(lines, path, size, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, vocab_size=size,
                                             model_type="unigram", num_threads=1, minloglevel=2, **options)
    with open(path, "wb") as file:
        file.write(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_file=path)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size()) if not processor.is_control(i)
            and not processor.is_unknown(i)]


def make_tokenizer(lines, **options):
    """The target has pieces that the source has not, and the vocabulary lacks some of the source's."""
    source, target = "source.spm", "target.spm"
    here = train_pieces(lines[::2], source, 1500, character_coverage=0.98, **options)
    there = train_pieces(lines[1::2], target, 1500, character_coverage=0.99)
    pieces = sorted(set(here[::7] + [p for i, p in enumerate(here) if i % 9] + there))
    vocabulary = {piece: i for i, piece in enumerate(["</s>", "<unk>", ">>fra<<", *pieces, "<pad>"])}
    with open("vocab.json", "w") as file:
        json.dump(vocabulary, file, ensure_ascii=False, separators=(",", ":"))
    return transformers.MarianTokenizer(source, target, "vocab.json")


def main():
    data = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    folder = os.path.join(data, "marian")
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(1)
    stock = make_words(rng, 1500)
    training = [" ".join(rng.choice(stock) for _ in range(8)) for _ in range(3000)]
    os.chdir(folder)  # the model keeps the rules' path as it is given here: only their name
    write_rules("rules.tsv")
    # SACCADE_NMT_NFKC=1 compares with the rules that models have, and writes no small fixture.
    options = {} if os.environ.get("SACCADE_NMT_NFKC") else {"normalization_rule_tsv": "rules.tsv"}
    tokenizer = make_tokenizer(training, **options)
    with open(os.path.join(data, "lines.json")) as file:
        lines = json.load(file)["lines"] + EXTRA
    rows = [tokenizer(line).input_ids for line in lines]
    decoded = [tokenizer.decode(row, skip_special_tokens=True) for row in rows[:DECODED]]
    with open("text.json", "w") as file:
        json.dump({"extra": EXTRA, "decoded": decoded}, file, ensure_ascii=False, separators=(",", ":"))
    np.savez_compressed("expected.npz", counts=np.array([len(row) for row in rows], np.int32),
                        ids=np.array([i for row in rows for i in row], np.int32))
    os.remove("rules.tsv")
    os.remove("target.spm")


if __name__ == "__main__":
    main()
