#!/usr/bin/env python3
"""Makes data/folders.json and data/pieces, which test_folders.c compares with: folders without a tokenizer.json
(lists of tokens, models of SentencePiece), folders with settings beside one, and the tokens that AutoTokenizer of
`transformers` gives.

    make_folders.py [FOLDER]        # default: data, beside this file

Needs transformers 5.24, tokenizers, sentencepiece and protobuf; the test needs none."""
import io
import json
import os
import random
import shutil
import sys
import tempfile

import sentencepiece
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

import make_references

HERE = os.path.dirname(os.path.abspath(__file__))
LINES = ["", " ", "hello there", " hello", "  two  blanks ", "The [E1] river [E2] of it", "A Café at 北京 river, Ünder it", "xCafé Café. Café [e1]",
         "<|user|>hello there<|bot|> two words", "hello<s> </s> <mask>, x<mask>y <pad> <unk>", "Café x [MASK] y [MASK]. [PAD] [CLS]",
         "<|endoftext|> a <|endoftext|>b <|im_start|>", "Don't CAN'T I'LL", "a<extra_id_3>b <extra_id_99> c", "▁x ▁▁y", "a<sep>b foo  bar <ctl> c",
         "tab\tnew\nline\r\n  two ", "\n", "e\u0301 ÅÅ ﬁ ½ Ⅷ", "👩‍👩‍👧 🙂🇩🇪", "a\u200bb\u00a0c\u3000d", "12345 3.14 x=f(y)+1", "\x01\x7f\u202e", "日本語の文"]


def flags(content, **more):
    return {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, **more}


def model_of(folder, name):
    with open(os.path.join(folder, name, "tokenizer.json")) as file:
        return json.load(file)["model"]


def lists_of(model):
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    return {"vocab.json": json.dumps(model["vocab"], ensure_ascii=False),
            "merges.txt": "#version: 0.2\n" + "\n".join(merges) + "\n"}


def lists(folder, stock):
    """Small lists of each kind, by name."""
    gpt2, roberta = model_of(folder, "gpt2"), model_of(folder, "roberta")
    for token in ("<s>", "<pad>", "</s>", "<unk>"):
        roberta["vocab"].setdefault(token, len(roberta["vocab"]))
    bert = model_of(folder, "bert")["vocab"]
    words = sorted(bert, key=bert.get) + [w for w in ("The", "Cat", "é", "café", "cafe", "Caf", "北") if w not in bert]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    t = Tokenizer(models.BPE(end_of_word_suffix="</w>"))
    t.normalizer, t.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(stock, trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=alphabet, end_of_word_suffix="</w>", show_progress=False,
        special_tokens=["<|startoftext|>", "<|endoftext|>"]))
    clip = json.loads(t.to_str())["model"]
    for letter in sorted(alphabet):
        clip["vocab"].setdefault(letter + "</w>", len(clip["vocab"]))
    return {"bert": {"vocab.txt": "\n".join(words) + "\n"}, "gpt2": lists_of(gpt2), "roberta": lists_of(roberta), "clip": lists_of(clip)}


def pieces(folder, stock):
    """Models of SentencePiece, into a folder of their own."""
    os.makedirs(os.path.join(folder, "pieces"), exist_ok=True)
    plain = {"normalization_rule_name": "identity", "character_coverage": 0.98, "minloglevel": 2, "num_threads": 1,
             "hard_vocab_limit": False}
    kinds = {"unigrams": {"vocab_size": 600},
             "albert": {"vocab_size": 600, "pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1, "control_symbols": ["[CLS]", "[SEP]"],
                        "user_defined_symbols": ["[MASK]"], "unk_piece": "<unk>", "pad_piece": "<pad>"},
             "deberta": {"vocab_size": 600, "pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3, "pad_piece": "[PAD]", "bos_piece": "[CLS]",
                         "eos_piece": "[SEP]", "unk_piece": "[UNK]"},
             "t5": {"vocab_size": 600, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
             "pairs": {"vocab_size": 800, "model_type": "bpe", "byte_fallback": True, "remove_extra_whitespaces": False},
             "defined": {"vocab_size": 800, "model_type": "bpe", "byte_fallback": True, "user_defined_symbols": ["<sep>", "foo  bar"],
                         "control_symbols": ["<ctl>"]},
             "bytes": {"vocab_size": 800, "byte_fallback": True, "user_defined_symbols": ["<sep>"]}}
    for name, options in kinds.items():
        out = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(stock), model_writer=out, **plain, **options)
        with open(os.path.join(folder, "pieces", name + ".model"), "wb") as file:
            file.write(out.getvalue())


def cases():
    """(name, lists or None, copied file, its name, model_type, tokenizer_config, special_tokens_map, added_tokens)"""
    bert = "BertTokenizer"
    stripped = flags("<mask>", lstrip=True, normalized=True)
    made = []

    def add(name, of=None, copied=None, to="tokenizer.json", model=None, config=None, map=None, added=None):
        made.append({"name": name, "lists": of, "copied": copied, "to": to, "model": model, "config": config, "map": map, "added": added})

    for config in (None, {}, {"do_lower_case": False}, {"do_lower_case": False, "strip_accents": True}, {"strip_accents": False},
                   {"tokenize_chinese_chars": False}, {"never_split": ["Café"]}, {"additional_special_tokens": ["[E1]"]},
                   {"added_tokens_decoder": {"0": flags("[PAD]", special=True),
                                             "700": flags("Café", rstrip=True, normalized=True, single_word=True, special=False)}}):
        add("vocab.txt", "bert", model="bert", config=config)
    add("added words", "bert", model="bert", config={"tokenizer_class": bert}, added={"[E1]": 700, "[E2]": 701, "Café x": 702})
    add("added and special", "bert", model="bert", config={"additional_special_tokens": ["[E1]"]}, added={"[E1]": 700, "[E2]": 701})
    for config in (None, {"add_prefix_space": True}, {"add_bos_token": True, "add_eos_token": True}, {"bos_token": "<s>", "add_bos_token": True},
                   {"unk_token": {"__type": "AddedToken", **flags("<|endoftext|>", lstrip=True, rstrip=True, normalized=True)}}):
        add("GPT-2's lists", "gpt2", model="gpt2", config=config)
    add("GPT-2's with more", "gpt2", model="gpt2", config={"tokenizer_class": "GPT2Tokenizer"}, map={"additional_special_tokens": ["<|user|>"]},
        added={"<|user|>": 640, "<|bot|>": 641, "two words": 642})
    for config in (None, {"add_prefix_space": True}, {"tokenizer_class": "BartTokenizer"}, {"mask_token": {"__type": "AddedToken", **stripped}}):
        add("RoBERTa's lists", "roberta", model="roberta", config=config)
    for config in (None, {"do_lower_case": False, "vocab_type": "gpt2"}, {"tokenizer_class": "DebertaTokenizer", "add_prefix_space": True}):
        add("DeBERTa's lists", "gpt2", model="deberta", config=config)
    add("RoBERTa's with a map", "roberta", model="roberta", config={}, map={"mask_token": stripped})
    add("Qwen2's lists", "gpt2", model="other", config={"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_start|>", "add_bos_token": False,
                                                         "added_tokens_decoder": {"640": flags("<|im_start|>", special=True)}})
    add("CLIP's lists", "clip", model="clip")
    for low, config in ((True, {"do_lower_case": False, "tokenizer_class": bert}), (True, {"do_lower_case": False}),
                        (False, {"tokenizer_class": bert + "Fast"}), (False, {"do_lower_case": False, "strip_accents": True, "tokenizer_class": bert}),
                        (False, {"do_lower_case": True, "tokenizer_class": "PreTrainedTokenizerFast"}),
                        (True, {"tokenize_chinese_chars": False, "do_lower_case": True})):
        add("beside BERT's tokenizer.json", copied="bert" if low else "bert_cased", model="bert", config=config)
    for config in ({"add_prefix_space": True}, {"add_bos_token": True, "tokenizer_class": "GPT2Tokenizer"},
                   {"add_prefix_space": True, "tokenizer_class": "PreTrainedTokenizerFast"},
                   {"additional_special_tokens": ["<|user|>"], "pad_token": "[PAD]"}):
        add("beside GPT-2's tokenizer.json", copied="gpt2", model="gpt2", config=config)
    for config in ({}, {"add_prefix_space": True}):
        add("beside RoBERTa's tokenizer.json", copied="roberta", model="roberta", config=config)
    add("beside T5's tokenizer.json", copied="unigram_t5", model="t5", config={})
    for config in (None, {"tokenizer_class": "XLMRobertaTokenizer"}):
        add("XLM-R's pieces", copied="unigrams", to="sentencepiece.bpe.model", model="xlm-roberta", config=config)
    add("CamemBERT's pieces", copied="unigrams", to="sentencepiece.bpe.model", model="camembert", config={})
    for config in (None, {"extra_ids": 10, "tokenizer_class": "T5Tokenizer"}):
        add("T5's pieces", copied="t5", to="spiece.model", model="t5", config=config)
    for config in (None, {"do_lower_case": False, "keep_accents": True}):
        add("ALBERT's pieces", copied="albert", to="spiece.model", model="albert", config=config)
    for config in ({"do_lower_case": False, "vocab_type": "spm"}, {"do_lower_case": True}):
        add("DeBERTa's pieces", copied="deberta", to="spm.model", model="deberta-v2", config=config)
    for config in ({}, {"add_bos_token": True, "add_eos_token": False}, {"add_bos_token": True, "add_eos_token": True, "legacy": True},
                   {"add_prefix_space": False}):
        add("LLaMA's pieces", copied="pairs", to="tokenizer.model", model="llama", config={"tokenizer_class": "LlamaTokenizer", **config})
    for name in ("pairs", "defined", "bytes"):
        add(f"pieces of no class, {name}", copied=name, to="tokenizer.model", model="llama")
    return made


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def encode(folder, texts, case):
    """The tokens of each line in a folder as the case has it."""
    with tempfile.TemporaryDirectory() as work:
        for name, text in texts.get(case["lists"], {}).items():
            write(os.path.join(work, name), text)
        if case["copied"]:
            source = (case["copied"], "tokenizer.json") if case["to"] == "tokenizer.json" else ("pieces", case["copied"] + ".model")
            shutil.copy(os.path.join(folder, *source), os.path.join(work, case["to"]))
        write(os.path.join(work, "config.json"), json.dumps({"model_type": case["model"]}))
        for key, name in (("config", "tokenizer_config.json"), ("map", "special_tokens_map.json"), ("added", "added_tokens.json")):
            if case[key] is not None:
                write(os.path.join(work, name), json.dumps(case[key]))
        t = transformers.AutoTokenizer.from_pretrained(work)
        return [t(line)["input_ids"] for line in LINES]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "data")
    rng = random.Random(6)
    words = make_references.make_words(rng, 200)
    stock = [" ".join(rng.choice(words) for _ in range(8)) for _ in range(600)] + [line for line in LINES if line.strip()] * 10
    texts = lists(folder, stock)
    pieces(folder, stock)
    made = [{**case, "ids": encode(folder, texts, case)} for case in cases()]
    with open(os.path.join(folder, "folders.json"), "w") as file:
        json.dump({"lines": LINES, "lists": texts, "folders": made}, file, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
