#!/usr/bin/env python3
"""Makes data/folders.json and data/pieces, which test_folders.c compares with: folders without a tokenizer.json
(lists of tokens, models of SentencePiece), folders with settings beside one, and the tokens that AutoTokenizer of
`transformers` gives, and the texts that it makes of them again.

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
MORE = ["<0x41>a", "<s>NOTUSED", "Hello, World!  It's 2024.", "fra_Latn x", "x\n\ny", "a`` b''c", "trail  ", "don't STOP-now (a_b)", "𝔘𝔫 ½ﬁ"]
LANGUAGES = transformers.models.nllb.tokenization_nllb.FAIRSEQ_LANGUAGE_CODES
# A few of the rules that models have for characters, whose table takes 240 KB.
RULES = {"\u00bd": "1\u20442", "\ufb01": "fi", "\u3000": " ", "\u00a0": " ", "\t": " ", "\n": " ", "e\u0301": "\u00e9", "\u212b": "\u00c5", "\u200b": " ", "\u2167": "VIII", "\u2581": " "}


def flags(content, **more):
    return {"content": content, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False, **more}


def model_of(folder, name):
    with open(os.path.join(folder, name, "tokenizer.json")) as file:
        return json.load(file)["model"]


def lists_of(model):
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    return {"vocab.json": json.dumps(model["vocab"], ensure_ascii=False),
            "merges.txt": "#version: 0.2\n" + "\n".join(merges) + "\n"}


MAPPED = {"Marian": ["</s>", "<unk>", ">>fra<<"], "M2M-100": ["<s>", "<pad>", "</s>", "<unk>"]}


def vocabulary(folder, name, first):
    """The numbers of pieces beside a model of SentencePiece, without a few of them."""
    model = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "pieces", name + ".model"))
    own = [i for i in range(model.get_piece_size()) if not model.is_control(i) and not model.is_unknown(i)]
    tokens = first + [model.id_to_piece(i) for i in reversed(own) if i % 50] + ["<pad>"]
    return {token: i for i, token in enumerate(dict.fromkeys(tokens))}


def lists(folder, stock):
    """Small lists of each kind, by name."""
    gpt2, roberta = model_of(folder, "gpt2"), model_of(folder, "roberta")
    for token in ("<s>", "<pad>", "</s>", "<unk>"):
        roberta["vocab"].setdefault(token, len(roberta["vocab"]))
    neox = {"vocab.json": json.dumps({**gpt2["vocab"], "<|padding|>": len(gpt2["vocab"])}), "merges.txt": lists_of(gpt2)["merges.txt"]}
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
    frame = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>"}
    mpnet = [frame.get(w, w) for w in words] + ["<mask>"]
    mapped = {f"{kind} of {name}": {"vocab.json": json.dumps(vocabulary(folder, name, first), ensure_ascii=False)} for kind, first in MAPPED.items()
              for name in ("bytes", "pairs", "siglip")}
    return {**mapped, "neox": neox, "mpnet": {"vocab.txt": "\n".join(mpnet) + "\n"}, "bert": {"vocab.txt": "\n".join(words) + "\n"}, "gpt2": lists_of(gpt2), "roberta": lists_of(roberta), "clip": lists_of(clip)}


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
             "bytes": {"vocab_size": 800, "byte_fallback": True, "user_defined_symbols": ["<sep>"]},
             "nllb": {"vocab_size": 800, "model_type": "bpe", "normalization_rule_tsv": "rules.tsv"},
             "siglip": {"vocab_size": 600, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1, "normalization_rule_tsv": "rules.tsv"},
             "gemma": {"vocab_size": 900, "model_type": "bpe", "byte_fallback": True, "pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3,
                       "pad_piece": "<pad>", "eos_piece": "<eos>", "bos_piece": "<bos>", "add_dummy_prefix": False, "remove_extra_whitespaces": False,
                       "user_defined_symbols": ["<mask>", "<start_of_turn>", "\n", "\n\n"], "split_digits": True}}
    write("rules.tsv", "".join("\t".join(" ".join(f"{ord(c):X}" for c in side) for side in rule) + "\n" for rule in sorted(RULES.items())))
    for name, options in kinds.items():
        out = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(stock), model_writer=out, **{**plain, **options})
        with open(os.path.join(folder, "pieces", name + ".model"), "wb") as file:
            file.write(out.getvalue())
    os.remove("rules.tsv")


def cases(folder):
    """(name, lists or None, copied file, its name, model_type, tokenizer_config, special_tokens_map, added_tokens); `asked`:
    the tokenizer_config by which the reference gives what the model has, where it is not the same."""
    bert = "BertTokenizer"
    stripped = flags("<mask>", lstrip=True, normalized=True)
    made = []

    def add(name, of=None, copied=None, to="tokenizer.json", model=None, config=None, map=None, added=None, asked=None):
        made.append({"name": name, "lists": of, "copied": copied, "to": to, "model": model, "config": config, "map": map, "added": added,
                     "asked": asked})

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
    for config in (None, {"tokenizer_class": "PegasusTokenizer", "mask_token": "<mask_2>", "mask_token_sent": "<mask_1>", "offset": 103}):
        add("Pegasus's pieces", copied="t5", to="spiece.model", model="pegasus", config=config)
    for config in (None, {"do_lower_case": False, "keep_accents": True}):
        add("ALBERT's pieces", copied="albert", to="spiece.model", model="albert", config=config)
    for config in ({"do_lower_case": False, "vocab_type": "spm"}, {"do_lower_case": True}):
        add("DeBERTa's pieces", copied="deberta", to="spm.model", model="deberta-v2", config=config)
    for config in ({}, {"add_bos_token": True, "add_eos_token": False}, {"add_bos_token": True, "add_eos_token": True, "legacy": True},
                   {"add_prefix_space": False}):
        add("LLaMA's pieces", copied="pairs", to="tokenizer.model", model="llama", config={"tokenizer_class": "LlamaTokenizer", **config})
    for name in ("pairs", "defined", "bytes"):
        add(f"pieces of no class, {name}", copied=name, to="tokenizer.model", model="llama")
    for model in ("git", "distilbert", "electra"):
        add("vocab.txt", "bert", model=model)
    for config in (None, {"tokenizer_class": "MPNetTokenizer", "strip_accents": None, "do_lower_case": True, "mask_token": {"__type": "AddedToken", **stripped}}):
        add("MPNet's list", "mpnet", model="mpnet", config=config)
    for config in (None, {"tokenizer_class": "GPTNeoXTokenizer", "add_prefix_space": False}):
        add("GPT-NeoX's lists", "neox", model="gpt_neox", config=config)
    for model, of in (("qwen2_vl", "gpt2"), ("qwen3_moe", "gpt2"), ("blip-2", "gpt2"), ("florence2", "roberta")):
        add("lists by the model's type", of, model=model)
    special = {"unk_token": flags("</s>", normalized=True), "bos_token": flags("</s>", normalized=True)}
    add("OPT's lists", "roberta", model="opt", config={"add_bos_token": True, "tokenizer_class": "GPT2Tokenizer"}, map={**special, "eos_token": "</s>"})
    for model in ("mt5", "t5"):
        add("T5's pieces by the model's type", copied="t5", to="spiece.model", model=model)
    add("DeBERTa's pieces", copied="deberta", to="spm.model", model="deberta-v2", config={"split_by_punct": True})
    add("XLM-R's pieces", copied="unigrams", to="sentencepiece.bpe.model", model="trocr")
    for config in (None, {"tokenizer_class": "MBart50Tokenizer"}):
        add("mBART's pieces", copied="unigrams", to="sentencepiece.bpe.model", model="mbart", config=config)
    add_nllb(folder, add)
    for config in (None, {"tokenizer_class": "GemmaTokenizer", "add_bos_token": True}):
        add("Gemma's pieces", copied="gemma", to="tokenizer.model", model="gemma2", config=config)
    add("Gemma's pieces of SigLIP 2", copied="gemma", to="tokenizer.model", model="siglip2", config={"tokenizer_class": "GemmaTokenizer", "add_eos_token": True})
    for config in (None, {"tokenizer_class": "SiglipTokenizer", "do_lower_case": False},
                   {"added_tokens_decoder": {"1": flags("</s>", special=True, lstrip=True, rstrip=True)}}):
        add("SigLIP's pieces", copied="siglip", to="spiece.model", model="siglip", config=config)
    for model in ("mistral", "mixtral", "phi3"):
        add("LLaMA's pieces of a model without a class", copied="pairs", to="tokenizer.model", model=model,
            config={"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "legacy": True})
    for name in ("bytes", "pairs", "siglip"):
        add("Marian's pieces", "Marian of " + name, copied=name, to="source.spm", model="marian")
        add("M2M-100's pieces", "M2M-100 of " + name, copied=name, to="sentencepiece.bpe.model", model="m2m_100")
    add("beside a tokenizer.json that decides", copied="cl100k", model="olmo2", config={"tokenizer_class": "GPT2Tokenizer"})
    add("beside a tokenizer.json that decides", copied="unigram_xlmr", model="umt5", config={"tokenizer_class": "T5Tokenizer", "extra_ids": 0})
    add("beside MPNet's tokenizer.json", copied="bert_cased", model="mpnet", config={"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"})
    return made


def add_nllb(folder, add):
    """The places of languages and of the mask are NLLB's, which the reference takes from a list alone."""
    model = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "pieces", "nllb.model"))
    tokens = [flags(token, special=True) for token in LANGUAGES] + [flags("<mask>", special=True, lstrip=True, normalized=True)]
    listed = {"tokenizer_class": "NllbTokenizer", "additional_special_tokens": LANGUAGES,
              "added_tokens_decoder": {str(model.get_piece_size() + 1 + i): token for i, token in enumerate(tokens)}}
    for config in (None, {"tokenizer_class": "NllbTokenizer", "src_lang": "fra_Latn"}, {"tokenizer_class": "NllbTokenizer", "legacy_behaviour": True}):
        add("NLLB's pieces", copied="nllb", to="sentencepiece.bpe.model", model="m2m_100", config=config, asked={**listed, **(config or {})})


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def encode(folder, texts, case):
    """The tokens of each line in a folder of the case, and their texts: not of a model that generates nothing, nor where
    the reference writes a language or an added token as a text that is not its own."""
    with tempfile.TemporaryDirectory() as work:
        for name, text in texts.get(case["lists"], {}).items():
            write(os.path.join(work, name), text)
        if case["copied"]:
            source = (case["copied"], "tokenizer.json") if case["to"] == "tokenizer.json" else ("pieces", case["copied"] + ".model")
            for name in (case["to"], "target.spm" if case["to"] == "source.spm" else case["to"]):
                shutil.copy(os.path.join(folder, *source), os.path.join(work, name))
        write(os.path.join(work, "config.json"), json.dumps({"model_type": case["model"]}))
        config = case.pop("asked") or case["config"]
        for given, name in ((config, "tokenizer_config.json"), (case["map"], "special_tokens_map.json"), (case["added"], "added_tokens.json")):
            if given is not None:
                write(os.path.join(work, name), json.dumps(given))
        t = transformers.AutoTokenizer.from_pretrained(work)
        ids = [t(line)["input_ids"] for line in LINES + MORE]
        silent = case["model"] == "siglip" or case["added"] or case["name"].startswith(("M2M", "vocab.txt"))
        return ids, [] if silent else [t.decode(i, skip_special_tokens=True, clean_up_tokenization_spaces=False) for i in ids]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "data")
    rng = random.Random(6)
    words = make_references.make_words(rng, 200)
    stock = [" ".join(rng.choice(words) for _ in range(8)) for _ in range(600)] + [line for line in LINES if line.strip()] * 10
    pieces(folder, stock)
    texts = lists(folder, stock)
    made = []
    for case in cases(folder):
        ids, decoded = encode(folder, texts, case)
        made.append({**case, "ids": ids, "texts": decoded})
    with open(os.path.join(folder, "folders.json"), "w") as file:
        json.dump({"lines": LINES + MORE, "lists": texts, "folders": made}, file, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
