#!/usr/bin/env python3
"""Writes data/translation_scores.txt: the scores that sacrebleu computes of data/translations.tsv.

translations.tsv has a candidate and its references a line, with a tab between them. Each line of the scores
is: the first line of a set and the one behind its last, the tokenizer, BLEU, chrF2; then the tokens of 13a of
every text stand in data/bleu_tokens.txt, line by line.
"""
import os
import sys

import sacrebleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

data = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "data")
rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(data, "translations.tsv"), encoding="utf-8")]
sets = [(0, 6, "13a"), (0, 3, "13a"), (3, 4, "13a"), (6, 9, "zh"), (2, 3, "13a")]
with open(os.path.join(data, "translation_scores.txt"), "w") as out:
    for begin, end, tokenizer in sets:
        part = rows[begin:end]
        most = max(len(row) for row in part) - 1
        candidates = [row[0] for row in part]
        references = [[row[1 + k] if 1 + k < len(row) else None for row in part] for k in range(most)]
        bleu = sacrebleu.corpus_bleu(candidates, references, tokenize=tokenizer).score
        chrf = sacrebleu.corpus_chrf(candidates, references).score
        out.write(f"{begin} {end} {bleu:.12g} {chrf:.12g}\n")
with open(os.path.join(data, "bleu_tokens.txt"), "w", encoding="utf-8") as out:
    tokenize = Tokenizer13a()
    for row in rows[:6]:
        for text in row:
            out.write(f"{text}\t{tokenize(text)}\n")
