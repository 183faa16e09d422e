#!/usr/bin/env python3
"""Lines in which words come again: what a head can learn to copy from, and nothing else (Olsson et al. 2022, "In-context Learning and
Induction Heads").

    repeated.py TEXT ROWS LEAST MOST TIMES …   rows of LEAST to MOST words of a text, each row as often as one of TIMES, drawn at random
    repeated.py --letters                      lines of words of random letters, by which the heads of assets/language/copies form
    repeated.py --letters --rows               and by which they grow sharp: in each line one word over and over

Each word of a text and each letter is drawn as often as another, so that what follows cannot be guessed but by looking back at what followed
before. With its repetitions a row has to fit the context.
"""
import random
import re
import sys

LETTERS = "abcdeilmnoprst"
LINES, LONG = 15000, 127


def make_line(draw, rows):
    """Words in random order, so that no distance helps; a fifth of the lines repeat two letters: what comes is the letter before the last
    one, by which a head learns to look back."""
    letters, words = "".join(draw.sample(LETTERS, len(LETTERS))), []
    if rows:
        words = [letters[:draw.randint(3, 10)]]
    elif draw.random() < 0.2:
        words = [letters[:2]]
    else:
        for _ in range(draw.randint(2, 4)):
            length = draw.randint(2, 4)
            words.append(letters[:length])
            letters = letters[length:]
        words = [word for word in words if word]
    line = ""
    while len(line) < LONG:
        line += draw.choice(words)
    return line[:LONG]


def write_lines(rows):
    draw = random.Random(1)
    for _ in range(LINES):
        print(make_line(draw, rows))


def write_rows(text, rows, least, most, times):
    words = sorted(set(re.findall(r"[A-Za-z']+", text)))
    draw = random.Random(0)
    for _ in range(rows):
        row = " ".join(draw.choice(words) for _ in range(draw.randint(least, most)))
        print("\n".join([row] * draw.choice(times)) + "\n")


if sys.argv[1] == "--letters":
    write_lines("--rows" in sys.argv)
else:
    with open(sys.argv[1], encoding="utf-8") as file:
        numbers = [int(n) for n in sys.argv[2:]]
        write_rows(file.read(), *numbers[:3], numbers[3:])
