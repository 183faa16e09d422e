#!/usr/bin/env python3
"""Makes data/decoded.json, which test_decoded.c compares with: small tokenizers of every way that tokens become text, with what
tokenizer_config.json adds to it, lists of ids drawn at random (special tokens, lone bytes, parts of letters and unknown ids among them), and
what decode(ids, skip_special_tokens=True) of `transformers` makes of each.

    make_decoded.py [FOLDER [LISTS]]        # default: data, beside this file, 24 lists for each tokenizer

Needs transformers 5 and tokenizers 0.23; the test needs neither."""
import json
import os
import random
import sys
import tempfile

import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

TEXT = ["No. 12-34/B: $5.00 (50%) it's a@b.co, isn't it? We've 1984!", "Crème brûlée 日本語のテキスト 👩‍👩‍👧 🙂🇩🇪 Привет मन्दिर",
        "he generated: \" I 'm here , you 're not . \" they do n't 've 's", "ﬁne ½ ① a\tb\nc\r\nd   e", "Total: 1,234.56 EUR [paid] #7", "京 ar 都 x"] * 3
SPECIAL = ["<s>", "</s>", "<pad>"]


def byte_level(**more):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=360, special_tokens=SPECIAL, show_progress=False,
                                                    initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.add_tokens(["<é中>", "Ġ x", "é", "<|0.02|>", "<|1.5|>"])
    return t


def whisper():
    t = byte_level()
    t.add_special_tokens(["<|endoftext|>", "<|startoftranscript|>", "<|notimestamps|>", "<|startofprev|>"])
    t.add_tokens([f"<|{i * 0.02:.2f}|>" for i in range(4)] + ["<|", "3.25", "|>"])
    return t


def suffixed():
    t = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.BPEDecoder(suffix="</w>")
    t.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=300, special_tokens=SPECIAL, end_of_word_suffix="</w>", show_progress=False))
    return t


def wordpieces(cleanup):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece(prefix="##", cleanup=cleanup)
    t.train_from_iterator(TEXT, trainers.WordPieceTrainer(vocab_size=260, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"], show_progress=False))
    t.add_tokens(["n't", "'ve", "'m", "'s", "'", "do", "not"])
    return t


def pieces(kind, decoder, fallback=True):
    """LLaMA's and Gemma's kind: ▁ for a space, <0x0A> for a byte."""
    letters = sorted({c for line in TEXT for c in line.replace(" ", "▁") if ord(c) < 0x3000})
    tokens = ["<unk>", *SPECIAL, *[f"<0x{b:02X}>" for b in range(256)], *letters, "▁it", "▁the", "▁▁", "▁'", "▁,", "▁.", "▁n't", "re"]
    tokens = list(dict.fromkeys(tokens))
    if kind == "bpe":
        t = Tokenizer(models.BPE(vocab={x: i for i, x in enumerate(tokens)}, merges=[], unk_token="<unk>", byte_fallback=fallback, fuse_unk=True))
    else:
        t = Tokenizer(models.Unigram([(x, -1.0 - 0.01 * i) for i, x in enumerate(tokens)], 0, byte_fallback=fallback))
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoder
    t.add_special_tokens([*SPECIAL, "<unk>"])
    t.add_tokens(["<extra ▁ token>", AddedToken("<loc_7>", normalized=False)])
    return t


def words():
    names = ["a", "dog", ".", ",", "?", "it", "'s", "n't", "'", "日本", "é", "[UNK]"]
    t = Tokenizer(models.WordLevel({x: i for i, x in enumerate(names)}, unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    t.add_special_tokens(["[UNK]"])
    return t


LLAMA = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
GEMMA = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
PLAIN, CLEANS = {"tokenizer_class": "PreTrainedTokenizerFast"}, {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": True}
FORCED = {**CLEANS, "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output": True}
CASES = {
    "byte-level": (byte_level, PLAIN), "byte-level, cleaned": (byte_level, CLEANS), "byte-level, cleaned all the same": (byte_level, FORCED),
    "whisper": (whisper, {"tokenizer_class": "WhisperTokenizer", "clean_up_tokenization_spaces": True}),
    "suffixed": (suffixed, PLAIN),
    "wordpiece": (lambda: wordpieces(True), PLAIN), "wordpiece, cleaned": (lambda: wordpieces(True), CLEANS),
    "wordpiece with gaps": (lambda: wordpieces(False), PLAIN), "wordpiece with gaps, cleaned": (lambda: wordpieces(False), CLEANS),
    "llama": (lambda: pieces("bpe", LLAMA), PLAIN), "llama, cleaned": (lambda: pieces("bpe", LLAMA), CLEANS),
    "gemma": (lambda: pieces("bpe", GEMMA), PLAIN),
    "unigram": (lambda: pieces("unigram", decoders.Metaspace(), False), PLAIN), "unigram, cleaned": (lambda: pieces("unigram", decoders.Metaspace(), False), CLEANS),
    "unigram, never first": (lambda: pieces("unigram", decoders.Metaspace(prepend_scheme="never"), False), PLAIN),
    "unigram of bytes": (lambda: pieces("unigram", LLAMA), CLEANS),
    "metaspace alone": (lambda: pieces("bpe", decoders.Metaspace(), True), PLAIN),
    "replaced alone": (lambda: pieces("bpe", decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse()]), True), PLAIN),
    "fused alone": (lambda: pieces("bpe", decoders.Fuse(), True), PLAIN),
    "fused bytes": (lambda: pieces("bpe", decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()]), True), PLAIN),
    "words": (words, PLAIN), "words, cleaned": (words, CLEANS),
}


def lists_of(t, count, seed):
    r = random.Random(seed)
    size = t.get_vocab_size()
    special = [t.token_to_id(x) for x in t.get_vocab() if x[:1] in "<[" and not x.startswith("<0x")]
    raw = [i for x, i in t.get_vocab().items() if x.startswith("<0x")] or [i for x, i in t.get_vocab().items() if len(x) == 1]
    marks = [i for x, i in t.get_vocab().items() if x.strip("Ġ▁ ") in (".", ",", "?", "!", "'", "n't", "'s", "'m", "'ve", "'re", "")]
    found = [t.encode(x, add_special_tokens=False).ids for x in TEXT[:6]]
    for n in range(count - 6):
        ids = []
        for _ in range(r.randint(1, 12)):
            ids.append(r.choice([r.randrange(size), r.choice(raw), r.choice(special), r.choice(marks or raw), r.randrange(size)]))
        if r.random() < 0.3:  # true letters of several bytes, cut somewhere
            some = t.encode(r.choice(["🙂👩‍👩‍👧", "日本語", "naïve é", "मन्दिर"]), add_special_tokens=False).ids
            at = r.randint(0, len(some))
            ids[r.randint(0, len(ids)):0] = some[:at] if r.random() < 0.5 else some[at:]
        found.append(ids)
    return found


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    cases = []
    for seed, (name, (make, config)) in enumerate(CASES.items()):
        t = make()
        with tempfile.TemporaryDirectory() as place:
            t.save(os.path.join(place, "tokenizer.json"))
            with open(os.path.join(place, "tokenizer_config.json"), "w") as file:
                json.dump(config, file)
            loaded = transformers.AutoTokenizer.from_pretrained(place)
        previous = t.token_to_id("<|startofprev|>")  # what begins with it is no answer, but a prompt
        lists = [ids for ids in lists_of(t, count, seed) if "\0" not in loaded.decode(ids) and ids[0] != previous]
        texts = [loaded.decode(ids, skip_special_tokens=True) for ids in lists]
        cases.append({"name": name, "tokenizer": json.loads(t.to_str()), "config": config, "ids": lists, "texts": texts})
        print(f"{name}: {len(lists)} lists, such as {texts[0]!r}")
    with open(os.path.join(folder, "decoded.json"), "w") as file:
        json.dump({"cases": cases}, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
