#!/usr/bin/env python3
"""Rows of words in no order, each row several times: what a head can learn to copy from, and nothing else.

    python3 tests/language/repeated.py TEXT ROWS LEAST MOST TIMES … > repeated.txt

The words are those of a text, each as often as another, so that what follows a word cannot be guessed but by looking
back at what followed it before (Olsson et al. 2022, "In-context Learning and Induction Heads"). A row has LEAST to
MOST of them, and is repeated as often as one of TIMES, drawn at random. With its repetitions it has to fit the context.
"""
import random
import re
import sys

rows, least, most, *times = map(int, sys.argv[2:])
words = sorted(set(re.findall(r"[A-Za-z']+", open(sys.argv[1], encoding="utf-8").read())))
draw = random.Random(0)
for _ in range(rows):
    row = " ".join(draw.choice(words) for _ in range(draw.randint(least, most)))
    print("\n".join([row] * draw.choice(times)) + "\n")
