#!/usr/bin/env python3
"""Makes what test_tokenizers compares with: small tokenizers of the kinds that checkpoints have, trained
on words made up here, lines in many scripts, and what Hugging Face's `tokenizers` makes of them.

    make_references.py [FOLDER]        # default: data, beside this file

Needs numpy and tokenizers 0.23; the tests need neither."""
import json
import os
import random
import sys
import unicodedata

import numpy as np
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

LINES, DECODED, VOCABULARY = 2000, 150, 640

# Letters of a script, as ranges of code points.
SCRIPTS = {
    "latin": [(0x61, 0x7a)] * 6 + [(0xe0, 0xf6), (0xf8, 0x17f)],
    "capitals": [(0x41, 0x5a)] * 4 + [(0xc0, 0xd6)],
    "greek": [(0x3b1, 0x3c9), (0x391, 0x3a1), (0x3ac, 0x3ce)],
    "cyrillic": [(0x430, 0x44f), (0x410, 0x42f), (0x450, 0x45f)],
    "armenian": [(0x561, 0x586)],
    "hebrew": [(0x5d0, 0x5ea), (0x5b0, 0x5bc)],
    "arabic": [(0x621, 0x63a), (0x641, 0x652), (0x660, 0x669)],
    "devanagari": [(0x904, 0x939), (0x93e, 0x94d), (0x966, 0x96f)],
    "bengali": [(0x995, 0x9a8), (0x9be, 0x9c4)],
    "tamil": [(0xb95, 0xb95), (0xbae, 0xbb9), (0xbbe, 0xbc2)],
    "thai": [(0xe01, 0xe3a), (0xe40, 0xe4e)],
    "georgian": [(0x10d0, 0x10f0)],
    "hangul": [(0xac00, 0xd7a3)],
    "jamo": [(0x1100, 0x1112), (0x1161, 0x1175)],
    "kana": [(0x3041, 0x3096), (0x30a1, 0x30fa)],
    "han": [(0x4e00, 0x4eff), (0x3400, 0x3410), (0x20000, 0x20010), (0xf900, 0xf910)],
    "math": [(0x2200, 0x22ff), (0x1d400, 0x1d433)],
    "wide": [(0xff21, 0xff5a), (0xff10, 0xff19)],
    "numbers": [(0x30, 0x39)] * 5 + [(0xb2, 0xb3), (0xbc, 0xbe), (0x2160, 0x216b), (0x2460, 0x2468)],
    "signs": [(0x21, 0x2f), (0x3a, 0x40), (0x5b, 0x60), (0x7b, 0x7e), (0xa1, 0xbf), (0x2010, 0x2027),
              (0x3001, 0x3011), (0x20a0, 0x20ac)],
    "pictures": [(0x1f600, 0x1f64f), (0x1f300, 0x1f320), (0x2600, 0x26ff)],
    "accents": [(0x300, 0x315)],
}
BLANKS = [" "] * 24 + ["  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n ", "\u00a0", "\u3000", "\u2009", "\u2028", "\x0b"]
ODD = ["\u200b", "\u200d", "\u00ad", "\ufeff", "\x01", "\x7f", "\u0130", "\u1e9e", "\u00df", "\ufb01", "\u01c5", "\u017f",
       "e\u0301", "A\u030a", "\u212b", "\u1100\u1161\u11a8", "\u0928\u093c", "\ufffd", "\ue000", "'", "''", "<", "</w>"]
ENDINGS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'RE", "n't", "'x"]
SPECIAL = ["[CLS]", "[MASK]", "[SEP]", "<|endoftext|>", "<mask>"]


def word(rng, script, longest=9):
    return "".join(chr(rng.randint(*rng.choice(SCRIPTS[script]))) for _ in range(rng.randint(1, longest)))


def make_words(rng, count):
    """A fixed stock, so that words come back and pieces are worth a token."""
    scripts = list(SCRIPTS)
    return [word(rng, "latin" if rng.random() < 0.5 else rng.choice(scripts), 7) for _ in range(count)]


def make_line(rng, stock):
    parts = []
    for _ in range(rng.randint(0, 12)):
        kind = rng.random()
        if kind < 0.62:
            parts.append(rng.choice(stock))
        elif kind < 0.80:
            parts.append(word(rng, rng.choice(list(SCRIPTS))))
        elif kind < 0.86:
            parts.append(rng.choice(ENDINGS))
        elif kind < 0.92:
            parts.append(rng.choice(ODD))
        elif kind < 0.94:
            parts.append(rng.choice(SPECIAL))
        elif kind < 0.97:
            parts.append(str(rng.randint(0, 10 ** rng.randint(1, 9))))
        else:
            parts.append(word(rng, "signs", 5))
        if rng.random() < 0.8:
            parts.append(rng.choice(BLANKS))
    return "".join(parts)


def assigned(text):
    """Whether every character was there before tables began to differ: Unicode 8."""
    return all(unicodedata.category(c) != "Cn" for c in text)


def bert(stock, lower):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=lower)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(stock, trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=special,
                                                            limit_alphabet=500, show_progress=False))
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", t.token_to_id("[CLS]")), ("[SEP]", t.token_to_id("[SEP]"))])
    t.decoder = decoders.WordPiece()
    return t


def byte_level(stock, pre_tokenizer, normalizer=None, special=("<|endoftext|>",), frame=False, **options):
    t = Tokenizer(models.BPE(**options))
    t.pre_tokenizer = pre_tokenizer
    if normalizer:
        t.normalizer = normalizer
    t.train_from_iterator(stock, trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=list(special),
                                                     initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                                     show_progress=False))
    t.decoder = decoders.ByteLevel()
    t.post_processor = processors.ByteLevel(trim_offsets=False)
    if frame:
        t.post_processor = processors.RobertaProcessing(("</s>", t.token_to_id("</s>")), ("<s>", t.token_to_id("<s>")))
    return t


def cl100k(digits):
    pattern = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" + digits +
               "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def o200k():
    small, large, ending = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    pattern = (rf"[^\r\n\p{{L}}\p{{N}}]?{large}*{small}+{ending}|[^\r\n\p{{L}}\p{{N}}]?{large}+{small}*{ending}|"
               r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def suffixed(stock):
    """Characters, not bytes, and </w> after a word."""
    t = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    t.train_from_iterator(stock, trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=["<unk>"], limit_alphabet=300,
                                                     end_of_word_suffix="</w>", show_progress=False))
    t.decoder = decoders.BPEDecoder(suffix="</w>")
    return t


def make_all(stock):
    roberta = byte_level(stock, pre_tokenizers.ByteLevel(add_prefix_space=True), special=("<s>", "</s>"), frame=True)
    roberta.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                      pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return {
        "bert": bert(stock, True),
        "bert_cased": bert(stock, False),
        "gpt2": byte_level(stock, pre_tokenizers.ByteLevel(add_prefix_space=False)),
        "roberta": roberta,
        "digits": byte_level(stock, digits),
        "cl100k": byte_level(stock, cl100k("\\p{N}{1,3}"), ignore_merges=True),
        "o200k": byte_level(stock, o200k()),
        "nfc": byte_level(stock, cl100k("\\p{N}"), normalizer=normalizers.NFC()),
        "suffixed": suffixed(stock),
    }


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    rng = random.Random(1)
    stock = make_words(rng, 1500)
    training = [" ".join(rng.choice(stock) for _ in range(8)) for _ in range(3000)]
    lines = [line for line in (make_line(rng, stock) for _ in range(3 * LINES)) if assigned(line)][:LINES]
    expected, decoded = {}, {}
    for name, tokenizer in make_all(training).items():
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        tokenizer.save(os.path.join(folder, name, "tokenizer.json"), pretty=False)
        rows = [tokenizer.encode(line).ids for line in lines]
        expected[f"{name}.counts"] = np.array([len(row) for row in rows], np.int32)
        expected[f"{name}.ids"] = np.array([i for row in rows for i in row], np.int32)
        decoded[name] = [tokenizer.decode(row) for row in rows[:DECODED]]
    with open(os.path.join(folder, "lines.json"), "w") as file:
        json.dump({"lines": lines, "decoded": decoded}, file, ensure_ascii=False, separators=(",", ":"))
    np.savez_compressed(os.path.join(folder, "expected.npz"), **expected)


if __name__ == "__main__":
    main()
