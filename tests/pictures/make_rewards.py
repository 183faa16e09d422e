#!/usr/bin/env python3
"""Writes data/rewards.txt: CIDEr-D of single captions of the pictures in data/sentences.txt, with which sac_cider_score is compared.

The formula (Vedantam et al. 2015, with the σ of pycocoevalcap, 6) once more, in a page of Python. It is compared with pycocoevalcap's
own scores (data/scores.txt) first. For rewards the last two pictures are held out, so that the document frequencies are those of
the others, and the end of a caption is a word, ".". A line: picture, 1 where the caption ended, score, caption."""
import math, pathlib
from collections import Counter

data = pathlib.Path(__file__).parent / "data"
blocks = [b.split("\n") for b in (data / "sentences.txt").read_text().strip().split("\n\n")]


def grams(text, n):
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def frequencies(pictures):
    """In the captions of how many pictures each n-gram is."""
    return Counter(g for references in pictures for g in {g for r in references for n in range(1, 5) for g in grams(r, n)})


def cider_d(candidate, references, seen, pictures):
    score = 0
    off = lambda reference: sum(grams(candidate, 2).values()) - sum(grams(reference, 2).values())
    weights = lambda text, n: {g: t * (math.log(pictures) - math.log(max(1, seen[g]))) for g, t in grams(text, n).items()}
    for n in range(1, 5):
        for reference in references:
            a, b = weights(candidate, n), weights(reference, n)
            norms = math.sqrt(sum(w * w for w in a.values())) * math.sqrt(sum(w * w for w in b.values()))
            product = sum(min(a[g], b[g]) * b[g] for g in a if g in b)
            score += product / norms * math.exp(-off(reference) ** 2 / 72) if norms else 0
    return 10 * score / 4 / len(references)


for line in (data / "scores.txt").read_text().splitlines():
    count, wanted = int(line.split()[0]), float(line.split()[-1])
    some = blocks[:count]
    seen = frequencies(b[1:] for b in some)
    mean = sum(cider_d(b[0], b[1:], seen, count) for b in some) / count
    assert abs(mean - wanted) < 1e-8, (count, mean, wanted)

train = blocks[:-2]
ended = [[r + " ." for r in b[1:]] for b in train]
seen = frequencies(ended)
with open(data / "rewards.txt", "w") as file:
    for i, block in enumerate(train):
        words = block[0].split()
        for caption in (block[0], block[1], " ".join(words[: len(words) // 2]), block[0] + " zebra of a zebra of a", ""):
            for end in (1, 0):
                score = cider_d(caption + " ." * end, ended[i], seen, len(train))
                print(i, end, "%.12g" % score, caption, file=file)
