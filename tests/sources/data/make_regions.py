#!/usr/bin/env python3
"""The boxes and outlines that answers give as tokens: random answers, and what `transformers` (Florence2PostProcessor) makes of them; for
PaliGemma's form, what the regular expression of big_vision's demonstration does.

    make_regions.py                     # into regions.json, beside this file; needs torch and transformers 5, the test needs neither"""
import json
import os
import random
import re
import types

from transformers.models.florence2.processing_florence2 import Florence2PostProcessor

HERE = os.path.dirname(os.path.abspath(__file__))
LOC = [f"<loc_{i}>" for i in range(1000)]
WORDS = ["dog", " cat", "traffic light", " a group", "the image", "café", " it ", "two\nlines", "\n", "a < b", "日本", "STOP 24", " ", "it", "</s>", "<s>",
         "<pad>", "<sep>", "<poly>", "</poly>", "<od>"]
NOTHING = ["it", "I", "the image", "a group", "each other", "something"]
FORMS = {"labelled": "description_with_bboxes", "boxes": "bboxes", "phrases": "phrase_grounding", "quads": "ocr", "polygons": "polygons",
         "any": "description_with_bboxes_or_polygons"}


def answer(form, rng):
    """Well formed for the most part, and some with a token too many or too few."""
    parts = []
    for _ in range(rng.randint(1, 4)):
        if form != "boxes" or rng.random() < 0.2:
            parts.append(rng.choice(WORDS))
        size = {"quads": 8, "polygons": 10, "any": rng.choice([4, 8, 9])}.get(form, 4) * rng.choice([1, 1, 2])
        size += rng.choice([0, 0, 0, 0, 1, -1, 2])
        locs = [rng.choice(LOC) for _ in range(size)]
        if form in ("polygons", "any") and rng.random() < 0.6:
            for mark in rng.choice([["<sep>"], ["<poly>", "</poly>"], ["<poly>", "<sep>", "</poly>"], ["<poly>", "</poly>", "<poly>", "</poly>"]]):
                locs.insert(rng.choice([0, len(locs), rng.randint(0, len(locs))]), mark)
            if "<poly>" in locs and rng.random() < 0.7:
                locs = ["<poly>"] + [x for x in locs if "poly" not in x] + ["</poly>"]
        parts += locs
    return "".join(parts)


def florence(form, text, size, least):
    config = {name: {} for name in FORMS.values()}
    config["phrase_grounding"]["banned_grounding_tokens"] = NOTHING
    config["ocr"]["AREA_THRESHOLD"] = least
    post = Florence2PostProcessor(config, types.SimpleNamespace(all_special_tokens=[]))
    regions = []
    for thing, one in enumerate(post(text=text, image_size=size, parse_tasks=FORMS[form])[FORMS[form]]):
        if "quad_box" in one:
            regions.append([one["text"], thing, one["quad_box"]])
        elif "polygons" in one:
            regions += [[one["cat_name"], thing, polygon] for polygon in one["polygons"]]
        elif form == "phrases":
            regions += [[one["cat_name"], None, box] for box in one["bbox"]]
        else:
            regions.append([one["cat_name"], thing, one["bbox"]])
    return regions


PALIGEMMA = re.compile(r"(.*?)" + r"<loc(\d{4})>" * 4 + r"\s*" + "(?:%s)?" % (r"<seg(\d{3})>" * 16) + r"\s*([^;<>]+)? ?(?:; )?")


def paligemma(text, size):
    regions = []
    while match := PALIGEMMA.match(text):
        groups = list(match.groups())
        y0, x0, y1, x1 = (int(x) / 1024 for x in groups[1:5])
        regions.append([(groups[-1] or "").strip(), None, [round(x0 * size[0]), round(y0 * size[1]), round(x1 * size[0]), round(y1 * size[1])]])
        text = text[match.end():]
    return regions


def main():
    rng, cases = random.Random(7), []
    for form in FORMS:
        for i in range(24):
            text, size = answer(form, rng), (rng.randint(20, 2000), rng.randint(20, 2000))
            least = 0.02 if form == "quads" and i % 4 == 0 else 0
            regions = florence(form, text, size, least)
            cases.append({"form": form, "text": text, "size": size, "least_area": least, "regions": regions})
    for _ in range(20):
        parts = []
        for _ in range(rng.randint(1, 3)):
            locs = "".join(f"<loc{rng.randint(0, 1023):04}>" for _ in range(rng.choice([4, 4, 4, 3])))
            segments = "".join(f"<seg{rng.randint(0, 127):03}>" for _ in range(16)) if rng.random() < 0.3 else ""
            parts.append(locs + segments + rng.choice([" dog", " a red car ", "", " café"]))
        text, size = " ; ".join(parts), (rng.randint(20, 2000), rng.randint(20, 2000))
        cases.append({"form": "before_words", "text": text, "size": size, "least_area": 0, "regions": paligemma(text, size)})
    with open(os.path.join(HERE, "regions.json"), "w", encoding="utf-8") as file:
        lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
        file.write(f'{{"nothing":{json.dumps(NOTHING)},\n"cases":[\n{lines}]}}\n')
    print(len(cases), "answers,", sum(len(case["regions"]) for case in cases), "regions")


if __name__ == "__main__":
    main()
