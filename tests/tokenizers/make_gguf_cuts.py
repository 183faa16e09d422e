#!/usr/bin/env python3
"""Makes data/gguf_cuts.json, which test_gguf_keys.c compares with: for each name of tokenizer.ggml.pre the tokens that
Hugging Face's `tokenizers` gives a few lines, cut by the expressions that llama.cpp has for the name, in its order. The
tokens are of pairs that cross every border, so that a line that is cut otherwise has other ones.

    make_gguf_cuts.py [FOLDER]        # default: data, beside this file

Needs tokenizers 0.23; the test does not."""
import json
import os
import sys

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"


def words(digits):
    return END + r"|[^\r\n\p{L}\p{N}]?\p{L}+|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|" + TAIL


def cased(end, digits):
    up, low = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
    first = r"[^\r\n\p{L}\p{N}]?"
    return f"{first}{up}*{low}+{end}|{first}{up}+{low}*{end}|{digits}" + r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + TAIL


DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+")
HAN = "[一-龥ࠀ-一가-퟿]+"
KANA = "[一-龥\u3040-ゟ゠-ヿ]+"
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"
SPACES = "".join(rf"\s{{{n}}}(?!\S)|" for n in (512, 256, 128, 64, 32, 16, 8, 4)) + r"\s{1,2}(?!\S)|\s{1}"
LETTERS = r"[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳΑ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅＡ-Ｚａ-ｚ]+"  # of those of our lines
CUTS = {
    (None, "default"): [r"[\p{P}$+<=>^~|]+", GPT2, r"\p{N}+", r"[0-9][0-9][0-9]"],
    ("gpt-2", "phi-2", "mpt", "olmo", "jais", "gigachat", "a.x-4.0", "mellum", "exaone4", "trillion"): [GPT2],
    ("smollm", "refact", "starcoder", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"): [r"\p{N}", GPT2],
    ("falcon",): [r"[\p{P}$+<=>^~|`]+", GPT2, r"[0-9][0-9][0-9]"],
    ("qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez", "kormo", "grok-2"): [words(r"\p{N}")],
    ("qwen35",): [END + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + TAIL],
    ("seed-coder",): [END + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|" + TAIL],
    ("bailingmoe", "llada-moe"): [r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
                                  r"|\s*[\r\n]|\s+(?!\S)|\s+"],
    ("gpt-4o", "llama4", "minimax-m2"): [cased(END + "?", r"\p{N}{1,3}")],
    ("tiny_aya",): [r"\d{1,3}(?=(?:\d{3})*\b)", cased(END + "?", r"\p{N}{1,3}")],
    ("tekken",): [cased("", r"\p{N}")],
    ("bloom", "gpt3-finnish", "poro-chat"): [BLOOM],
    ("viking",): [BLOOM, r"\p{N}"],
    ("llama-bpe", "llama3", "falcon3", "pixtral", "dbrx", "smaug-bpe", "chatglm-bpe", "glm4"): [words(r"\p{N}{1,3}")],
    ("minicpm5",): [r"\p{N}{1,3}", words(r"\p{N}+")],
    ("jais-2",): [END + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|" + SPACES],
    ("superbpe",): [r"\p{N}+", r"(?=(\d{3})+(?!\d))"],
    ("deepseek-llm",): [r"[\r\n]", r"\s?" + LETTERS, r"\s?[!-/:-~！-／：-～‘-‟　-。]+", r"\s+$", HAN, r"\p{N}+"],
    ("deepseek-coder",): [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", HAN, r"\p{N}"],
    ("deepseek-v3", "hunyuan-dense"): [r"\p{N}{1,3}", KANA, DEEPSEEK + r"[\r\n]*|" + TAIL],
}
# Those of whose pieces one that is a token is not merged.
WHOLE = ("llama-bpe", "llama3", "falcon3", "pixtral", "tekken", "minicpm5")

LINES = ["the cat sat 1234567", "don't You'LL we'RE it's", "x=foo(bar)+1 `a` $5 <b>", "  two   leading and trail  ",
         "12 1992 3.14 1000000 ١٢٣٤", "def f(x):\n    return x**2\r\n\n\tpass", "camelCase HTMLParser's/\n",
         "日本語の文 トウキョウ。東京 한국어", "naïve café Ωμέγα Привет", "...!!!???---___*** a"]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    t.train_from_iterator(LINES * 4, trainers.BpeTrainer(vocab_size=560, show_progress=False, initial_alphabet=sorted(
        pre_tokenizers.ByteLevel.alphabet())))
    model = json.loads(t.to_str())["model"]
    tokens = [k for k, _ in sorted(model["vocab"].items(), key=lambda x: x[1])]
    merges = [" ".join(m) for m in model["merges"]]
    cuts = []
    for names, expressions in CUTS.items():
        steps = [pre_tokenizers.Split(Regex(e), "isolated") for e in expressions]
        t.pre_tokenizer = pre_tokenizers.Sequence([*steps, pre_tokenizers.ByteLevel(add_prefix_space=False,
                                                                                   use_regex=False)])
        for name in names:
            whole = Tokenizer(models.BPE(model["vocab"], [tuple(m) for m in model["merges"]],
                                         ignore_merges=name in WHOLE))
            whole.pre_tokenizer = t.pre_tokenizer
            cuts.append({"pre": name, "ids": [whole.encode(line).ids for line in LINES]})
    with open(os.path.join(folder, "gguf_cuts.json"), "w", encoding="utf-8") as f:
        json.dump({"keys": {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": tokens,
                            "tokenizer.ggml.merges": merges, "tokenizer.ggml.add_bos_token": False},
                   "lines": LINES, "cuts": cuts}, f, ensure_ascii=False, separators=(",", ":"))
    print(len({json.dumps(c["ids"]) for c in cuts}), "ways of", len(cuts), "names")


main()
