#!/usr/bin/env python3
"""Rows of words in no order, each row several times: what a head can learn to copy from, and nothing else.

    python3 tests/language/repeated.py TEXT ROWS [LEAST MOST] > repeated.txt

The words are those of a text, each as often as another, so that what follows a word cannot be guessed but by looking
back at what followed it before (Olsson et al. 2022, "In-context Learning and Induction Heads"). A row has LEAST to
MOST of them; with its repetition it is to fit the context that learns from it.
"""
import random
import re
import sys

words = sorted(set(re.findall(r"[A-Za-z']+", open(sys.argv[1], encoding="utf-8").read())))
least, most = map(int, sys.argv[3:5] or (3, 10))
draw = random.Random(0)
for _ in range(int(sys.argv[2])):
    row = " ".join(draw.choice(words) for _ in range(draw.randint(least, most)))
    print("\n".join([row] * draw.choice((2, 3, 4) if most <= 10 else (2, 2, 3))) + "\n")
