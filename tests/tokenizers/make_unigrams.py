#!/usr/bin/env python3
"""Makes what test_tokenizers compares unigrams with: small tokenizers as T5's, XLM-R's and ALBERT's kinds write them,
trained on words made up here, and what Hugging Face's `tokenizers` makes of the lines that make_references.py left.

    make_unigrams.py [FOLDER]        # default: data, beside this file

Needs numpy, tokenizers 0.23 and sentencepiece 0.2; the tests need none of them."""
import collections
import io
import json
import os
import random
import sys
import tempfile

import numpy as np
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from make_marian import EXTRA, write_rules
from make_references import DECODED, make_words
from protobuf import fields

VOCABULARY, ALPHABET = 900, 300
MORE = ["  two  spaces  ", "▁▁ a ▁", "\u00a0\u0301x", "a\r\nb", "e\u0301\u0302e\u0301", "\U0001f468\u200d\U0001f469", "``quoted''", "\t",
        "<mask> a <mask>  b", " <mask>", "\u1100\u1161\u11a8\u1100", "\u0928\u093c\u094d\u0937", "\U0001f1e9\U0001f1ea\U0001f1eb", "a\u200db"]


def charsmap(lines):
    """The table of a model of SentencePiece that was trained by a few rules: that of nmt_nfkc takes 240 KB."""
    model = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "rules.tsv")
        write_rules(rules)
        # SACCADE_NMT_NFKC=1 compares with the rules that models have, and writes no small fixture.
        options = {} if os.environ.get("SACCADE_NMT_NFKC") else {"normalization_rule_tsv": rules}
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, vocab_size=1500,
                                                 model_type="unigram", num_threads=1, minloglevel=2,
                                                 character_coverage=0.98, **options)
    normalizer = dict(fields(model.getvalue()))[3]
    return dict(fields(normalizer))[2]


def common(lines):
    """Words of the most common characters: each character of a training text becomes a piece."""
    counts = collections.Counter("".join(lines))
    known = {c for c, _ in counts.most_common(ALPHABET)}
    return [" ".join(w for w in line.split(" ") if set(w) <= known) for line in lines]


def train(lines, normalizer, pre_tokenizer, special, **options):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizer
    t.pre_tokenizer = pre_tokenizer
    t.train_from_iterator(lines, trainers.UnigramTrainer(vocab_size=VOCABULARY, special_tokens=special, unk_token="<unk>",
                                                         show_progress=False, **options))
    t.decoder = decoders.Metaspace()
    return t


def t5(lines, table):
    cut = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    normalizer = normalizers.Sequence([normalizers.Precompiled(table), normalizers.Strip(left=False, right=True),
                                       normalizers.Replace(Regex(" {2,}"), "▁")])
    t = train(lines, normalizer, cut, ["<pad>", "</s>", "<unk>"])
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", t.token_to_id("</s>"))])
    return t


def xlmr(lines, table):
    cut = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
    t = train(lines, normalizers.Precompiled(table), cut, ["<s>", "<pad>", "</s>", "<unk>"])
    t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    t.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[(x, t.token_to_id(x)) for x in ("<s>", "</s>")])
    return t


def with_bytes(lines):
    """Bytes stand for what has no piece; blanks lead the first word alone, and no cut is made at them."""
    normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.Replace("``", '"'), normalizers.Replace("''", '"'),
                                       normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
    cut = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    t = train(lines, normalizer, pre_tokenizers.Metaspace(prepend_scheme="always"), ["<unk>"])
    state = json.loads(t.to_str())
    state["model"]["vocab"] += [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]
    state["model"]["byte_fallback"] = True
    t = Tokenizer.from_str(json.dumps(state))
    t.pre_tokenizer = cut
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                   decoders.Strip(" ", 1, 0)])
    return t


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    rng = random.Random(1)
    stock = make_words(rng, 1500)
    training = [" ".join(rng.choice(stock) for _ in range(8)) for _ in range(3000)]
    table, training = charsmap(training), common(training)
    with open(os.path.join(folder, "lines.json")) as file:
        lines = json.load(file)["lines"] + EXTRA + MORE
    expected, decoded = {}, {}
    made = {"unigram_t5": t5(training, table), "unigram_xlmr": xlmr(training, table), "unigram_bytes": with_bytes(training)}
    for name, tokenizer in made.items():
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        tokenizer.save(os.path.join(folder, name, "tokenizer.json"), pretty=False)
        rows = [tokenizer.encode(line).ids for line in lines]
        expected[f"{name}.counts"] = np.array([len(row) for row in rows], np.int32)
        expected[f"{name}.ids"] = np.array([i for row in rows for i in row], np.int32)
        decoded[name] = [tokenizer.decode(row) for row in rows[:DECODED]]
    with open(os.path.join(folder, "unigrams.json"), "w") as file:
        json.dump({"extra": EXTRA + MORE, "decoded": decoded}, file, ensure_ascii=False, separators=(",", ":"))
    np.savez_compressed(os.path.join(folder, "unigrams.npz"), **expected)


if __name__ == "__main__":
    main()
