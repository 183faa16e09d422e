#!/usr/bin/env python3
"""Writes data/scores.txt: pycocoevalcap 1.2's scores of data/sentences.txt, to which sac_caption_score is held.

    pip download --no-deps pycocoevalcap==1.2 && unzip pycocoevalcap-1.2-*.whl -d SOMEWHERE
    make_scores.py SOMEWHERE

Its scorers are called on words between blanks, without its tokenizer, which needs Java. A block of sentences.txt is a
picture: the candidate, then the references."""
import pathlib, sys

sys.path.insert(0, sys.argv[1])
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge

data = pathlib.Path(__file__).parent / "data"
blocks = [b.split("\n") for b in (data / "sentences.txt").read_text().strip().split("\n\n")]


def scores(blocks):
    candidates = {i: b[:1] for i, b in enumerate(blocks)}
    references = {i: b[1:] for i, b in enumerate(blocks)}
    bleu = Bleu(4).compute_score(references, candidates, verbose=0)[0]
    return [*bleu, Rouge().compute_score(references, candidates)[0], Cider().compute_score(references, candidates)[0]]


with open(data / "scores.txt", "w") as file:
    for count in (len(blocks), 2, 4):  # of the first blocks
        print(count, *("%.9g" % s for s in scores(blocks[:count])), file=file)
