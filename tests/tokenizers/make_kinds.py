#!/usr/bin/env python3
"""Makes data/kinds.json, which test_kinds.c compares with: a small tokenizer for every way that Hugging
Face's `tokenizers` has to cut a text, for the expressions that real models have, and for models and
normalizers that make_references.py has not; lines in many scripts, and the tokens of each.

    make_kinds.py [FOLDER]        # default: data, beside this file

Needs tokenizers 0.23; the test does not."""
import json
import os
import random
import sys

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import make_references

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
TAIL = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SMALL = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
LARGE = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"

# Expressions of real tokenizers, and what they may have in them.
EXPRESSIONS = {
    "clip": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "falcon": r"[0-9][0-9][0-9]",
    "cl100k": ENDING + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + TAIL,
    "tiktoken": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|"
                r"\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": rf"[^\r\n\p{{L}}\p{{N}}]?{LARGE}*{SMALL}+{ENDING}?|[^\r\n\p{{L}}\p{{N}}]?{LARGE}+{SMALL}*{ENDING}?|"
             r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "deepseek": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+"
                r"[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "kana": "[一-龥\u3040-ゟ゠-ヿ]+",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "escapes": r" ?[^(\s|[.,!?\u2026])]+",
    "scripts": r"\p{Han}+|\p{Hiragana}+|[\p{Katakana}]+|\p{^Latin}\p{Greek}",
    "words": r"\w+|[^\w\s]+",
    "borders": r"\d{1,3}(?=(?:\d{3})*\b)|\Bx",
    "lines": r"^\s*a|b$|\Ax",
    "posix": r"[[:alpha:]]+|[[:punct:]]",
    "negated": r"\P{L}+|\h",
    "flags": r"(?m:a.b)|(?i)X",
    "lazy": r"a.*?b|(?<=x)y|(?<!q)u|(a|e)\1",
    "nothing": r"a|",
}
BEHAVIORS = ["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]

LINES = ["", "  ", "a", "don't You'LL we'RE x'Sy", "12345 1992 3.14 1234567", "x=foo(bar)+1", "a\u200bb\u00a0c\u3000d",
         "ﬁne ½ ① Ⅷ", "İstanbul ıI ſtraße", "\u202eabc", "def f(x):\n    return x**2  # c\n\n\nclass A:\n\tpass",
         "...!!!???---___***", "snake_case camelCase HTMLParser's", "  two  leading", "trail  ", "\n\nlines\n", "a\r\n\r\nb",
         "ÅÅÅ Ω", "e\u0301\u0323x", "👩‍👩‍👧 🙂🇩🇪", "<s> </s> <mask> [MASK]", "<|endoftext|>hi<|endoftext|>",
         "１２３ 123 ٣٤٥ 4567890", "日本語の文 日本 トウキョウ。東京", "naïve café", "x", "xa\nb a b aab eeaa quy xy", "αβ γ aα",
         "\u0378\u0379 unassigned \U0001f900", "\u2e43\u2e44 marks\u0378"]


def level(pre_tokenizer, lines, normalizer=None):
    t = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizer
    if normalizer:
        t.normalizer = normalizer
    t.train_from_iterator(lines, trainers.WordLevelTrainer(special_tokens=["[UNK]"], show_progress=False))
    return t


def cuts():
    p = pre_tokenizers
    made = {"whitespace": p.Whitespace(), "blanks": p.WhitespaceSplit(), "digits": p.Digits(), "each_digit": p.Digits(True),
            "delimiter": p.CharDelimiterSplit("a"), "bert": p.BertPreTokenizer(),
            "nested": p.Sequence([p.Sequence([p.WhitespaceSplit(), p.Digits()]), p.Punctuation()]),
            "falcon": p.Sequence([p.Punctuation("contiguous"), p.ByteLevel(add_prefix_space=False), p.Digits(),
                                  p.Split(Regex("[0-9][0-9][0-9]"), "isolated")])}
    for behavior in BEHAVIORS:
        made[f"punctuation, {behavior}"] = p.Punctuation(behavior)
        for invert in (False, True):
            made[f"a letter, {behavior}, {invert}"] = p.Split(Regex("[aeiou]"), behavior, invert)
            made[f"a text, {behavior}, {invert}"] = p.Split("  ", behavior, invert)
    for name, expression in EXPRESSIONS.items():
        made[f"expression {name}"] = p.Split(Regex(expression), "isolated")
    return made


def others(lines):
    n = normalizers
    p = pre_tokenizers
    made = {name: level(p.WhitespaceSplit(), lines, normalizer) for name, normalizer in {
        "replaced by an expression": n.Replace(Regex(r"\s{2,}"), "_"),
        "replaced, and long": n.Replace("unassigned \U0001f900", "replaced by a longer text than before"),
        "bytes": n.ByteLevel(),
        "repeated": n.Replace(Regex(r"(.)\1"), "="),
        "lower": n.Sequence([n.Sequence([n.NFD(), n.StripAccents()]), n.Lowercase()])}.items()}
    long = Tokenizer(models.BPE({"x": 0, "y": 1, "x" * 1500: 2, "x" * 1500 + "y": 3, "a": 4, "b": 5, "ab": 6},
                                [("x" * 1500, "y"), ("a", "b")], unk_token="x"))
    made["long merges"] = long
    prefixed = Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"))
    prefixed.pre_tokenizer = p.Whitespace()
    prefixed.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=250, special_tokens=["[UNK]"], show_progress=False,
                                                            continuing_subword_prefix="##"))
    made["BPE with a prefix"] = prefixed
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.normalizer = n.BertNormalizer()
    pieces.pre_tokenizer = p.BertPreTokenizer()
    pieces.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[UNK]"], show_progress=False))
    made["characters that are unassigned"] = pieces
    return made


def decoded(lines):
    """Tokenizers whose tokens become a text in a way of their own."""
    d = decoders
    p = pre_tokenizers
    bytes_ = [f"<0x{i:02X}>" for i in range(256)]
    made = {}

    def pairs(name, decoder, pre_tokenizer=None, normalizer=None):
        t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
        t.normalizer = normalizers.Replace(" ", "▁") if normalizer is None else normalizer
        if pre_tokenizer:
            t.pre_tokenizer = pre_tokenizer
        t.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>"] + bytes_, limit_alphabet=60,
                                                         show_progress=False))
        t.decoder = decoder
        made[name] = t

    pairs("text by ▁", d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse()]))
    pairs("text by ▁ but the first", d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", 1, 0)]))
    pairs("text by Metaspace", d.Metaspace(), p.Metaspace(), normalizers.Sequence([]))
    pairs("text by Metaspace, never", d.Metaspace(prepend_scheme="never"), p.Metaspace(prepend_scheme="never"), normalizers.Sequence([]))
    for cleanup in (True, False):
        t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        t.pre_tokenizer = p.BertPreTokenizer()
        t.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False))
        t.decoder = d.WordPiece(cleanup=cleanup)
        made[f"text of pieces, {cleanup}"] = t
    made["text of words"] = level(p.Whitespace(), lines)
    plain = Tokenizer(models.BPE(unk_token="<unk>"))
    plain.pre_tokenizer = p.Whitespace()
    plain.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>"], show_progress=False))
    made["text of pairs"] = plain
    return made


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    rng = random.Random(4)
    stock = make_references.make_words(rng, 60)
    lines = LINES + [line for line in (make_references.make_line(rng, stock) for _ in range(30))
                     if make_references.assigned(line)][:16]
    made = {name: level(cut, lines) for name, cut in cuts().items()}
    made.update(others(lines))
    decoders = decoded([line for line in lines if "\x0b" not in line])
    made.update(decoders)
    kinds = [{"name": name, "tokenizer": json.loads(t.to_str()), "ids": [t.encode(line).ids for line in lines]}
             for name, t in made.items()]
    for kind in kinds:
        if kind["name"] in decoders:
            kind["texts"] = [decoders[kind["name"]].decode(ids) for ids in kind["ids"]]
    with open(os.path.join(folder, "kinds.json"), "w") as file:
        json.dump({"lines": lines, "kinds": kinds}, file, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
