#!/usr/bin/python3
"""Captions of drawings that other programs made, row by row.

    tests/captioner/drawings/table.py --saccade build/release/saccade [--weights F] [--count 80] [--row NAME …] [--keep DIR]

Needs Debian's python3-pil; and python3-cairo, python3-matplotlib, librsvg2-bin, imagemagick and ghostscript for the rows of
those programs, which are left out where one is missing. The pictures are made anew each time; `saccade caption` runs once a row.
"exact": sentences that are right to the last word; "held": of those with a pair that the evaluated model never saw;
"pointing": colour and shape words of right phrases whose heat is highest within the object's box; 0.99 is to be reached of all.
"to reach": what "exact" is held to, "-" where nothing is; the rows of a group are held to it together.
At the end: how many sentences, right and wrong, have the note that they are a guess.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import painters
import scenes
import styles


def other_check(drawing, r):
    """A tone for every other field that differs from the ground and from every shape."""
    tones = [scenes.rgb(c) for c in scenes.GROUNDS + ["5b3a8c", "8fb996", "c9a27a", "a8c5e8"]]
    able = [t for t in tones if scenes.contrast(t, drawing.ground) > 150 and
            all(scenes.contrast(t, s.rgb) > 150 for s in drawing.shapes)]
    return r.choice(able) if able else tuple(min(255, v + 30) for v in drawing.ground)


PAPER = ["ffffff", "fbf8ef", "f3f0e6", "e9e9e4"]
ANY = math.pi
ROWS = [{"name": name, "painter": name, "group": "plain"} for name in painters.PAINTERS]
ROWS += [
    {"name": "one big shape, 0.7 to 0.95", "counts": (1,), "large": (0.7, 0.95)},
    {"name": "one shape, 0.45 to 0.6", "counts": (1,), "large": (0.45, 0.6)},
    {"name": "turned, any angle", "how": {"turn": ANY}},
    {"name": "turned 30°, but squares", "how": {"exactly": math.radians(30)}, "shapes": ("circle", "triangle", "star", "cross")},
    {"name": "triangles upside down", "shapes": ("triangle",), "how": {"upside_down": True}, "counts": (1, 2)},
    {"name": "right triangles", "shapes": ("triangle",), "how": {"right": True}, "counts": (1, 2)},
    {"name": "× crosses", "shapes": ("cross",), "how": {"exactly": math.pi / 4}, "counts": (1, 2)},
    {"name": "narrow diamonds", "shapes": ("diamond",), "how": {"narrow": True}, "counts": (1, 2)},
    {"name": "thin crosses", "shapes": ("cross",), "how": {"bar": 0.2}, "counts": (1, 2)},
    {"name": "thick crosses", "shapes": ("cross",), "how": {"bar": 0.5}, "counts": (1, 2)},
    {"name": "outlined, thin", "style": {"line": 4 / 448}, "large": (0.29, 0.4), "small": (0.15, 0.205)},
    {"name": "outlined, thick", "style": {"line": 12 / 448}, "large": (0.29, 0.4), "small": (0.15, 0.19)},
    {"name": "hatched", "style": {"hatched": True}, "large": (0.29, 0.4), "small": (0.15, 0.205)},
    {"name": "wobbly hand", "how": {"wobble": 0.06}},
    {"name": "very wobbly hand", "how": {"wobble": 0.1}},
    {"name": "blur of 8 pixels", "style": {"blur": 8}},
    {"name": "size 0.10 to 0.14", "small": (0.10, 0.14)},
    {"name": "size 0.05 to 0.09", "small": (0.05, 0.09)},
    {"name": "blotched paper", "style": {"blotches": 18}, "grounds": PAPER},
    {"name": "strong checks", "style": {"checks": other_check}},
    {"name": "four objects", "counts": (4,), "large": (0.29, 0.36), "small": (0.14, 0.2)},
    {"name": "five objects", "counts": (5,), "large": (0.29, 0.33), "small": (0.12, 0.18)},
    {"name": "nothing", "counts": (0,)},
    {"name": "nothing, blotched", "counts": (0,), "style": {"blotches": 18}, "grounds": PAPER},
    {"name": "held pairs, one shape", "counts": (1,), "pairs": "held", "painter": "cairo"},
]
ROWS += [{"name": name, "palette": name, "painter": "cairo", "group": "palettes"}
         for name in ("tab10", "material", "x11", "lego", "excel")]


TO_REACH = {
    "plain": 0.985, "palettes": 0.97, "one big shape, 0.7 to 0.95": 0.97, "turned, any angle": 0.95, "outlined, thin": 0.9,
    "outlined, thick": 0.9, "hatched": 0.88, "wobbly hand": 0.93, "blur of 8 pixels": 0.9, "size 0.10 to 0.14": 0.93,
    "size 0.05 to 0.09": 0.7, "blotched paper": 0.97, "strong checks": 0.95, "held pairs, one shape": 0.97,
}


# ---------------------------------------------------------------- a row

def draw_row(row, count, folder):
    """Paints the row's pictures; returns the drawings in the order of their files."""
    drawings = [scenes.make(row, seed) for seed in range(count)]
    paint = painters.PAINTERS[row["painter"]] if "painter" in row else styles.paint
    for i, drawing in enumerate(drawings):
        paint(drawing, os.path.join(folder, f"{i:04d}.png"))
    return drawings


def caption_folder(options, folder):
    command = [options.saccade, "caption", "--json", folder]
    if options.weights:
        command += ["--weights", options.weights]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def points_at(caption, drawing):
    """(words, of them in the box) of colour and shape words whose phrase is one of the drawing's."""
    grid_w, grid_h = caption["grid"]
    words = inside = 0
    index = -1
    for word in caption["words"]:
        index += word["word"] == "a"
        if index >= len(drawing.shapes) or word["word"] not in scenes.COLOURS + scenes.SHAPES:
            continue
        box, (x, y) = drawing.shapes[index].box, word["peak"]
        # a peak counts where its cell touches the box: small objects are less than a cell
        words += 1
        inside += (x + 1) / grid_w >= box[0] and x / grid_w <= box[2] and \
            (y + 1) / grid_h >= box[1] and y / grid_h <= box[3]
    return words, inside


def judge(captions, drawings):
    result = dict(count=len(drawings), exact=0, held=0, held_exact=0, words=0, inside=0, right_noted=0, wrong_noted=0, wrong=[])
    for i, (caption, drawing) in enumerate(zip(captions, drawings)):
        held = any((s.colour, s.shape) in scenes.HELD for s in drawing.shapes)
        right = caption["caption"] == drawing.sentence
        words, inside = points_at(caption, drawing)
        result["exact"] += right
        result["held"] += held
        result["held_exact"] += held and right
        result["words"] += words
        result["inside"] += inside
        result["right_noted" if right else "wrong_noted"] += bool(caption.get("note"))
        if not right:
            result["wrong"].append(f"{i:04d}: {drawing.sentence} -> {caption['caption']}")
    return result


# ---------------------------------------------------------------- the table

def share(part, whole):
    return f"{part / whole:.3f}" if whole else "  -  "


def print_row(name, r):
    print(f"{name:28} {r['count']:5} {share(r['exact'], r['count'])}  {share(r['held_exact'], r['held'])}  "
          f"{share(r['inside'], r['words'])}     {TO_REACH.get(name.removeprefix('all: '), '-')}", flush=True)


def add(sums, result):
    for key, value in result.items():
        sums[key] = sums[key] + value if key in sums else value


def print_notes(r):
    print(f"noted as a guess: {r['right_noted']} of {r['exact']} right sentences, {r['wrong_noted']} of {r['count'] - r['exact']} wrong ones")


def run(options):
    groups, everything = {}, {}
    print(f"{'':28} {'n':>5} exact  held   pointing  to reach")
    for row in ROWS:
        if options.row and not any(part in row["name"] or part == row.get("group") for part in options.row):
            continue
        package = painters.missing(row.get("painter", ""))
        if package:
            print(f"{row['name']:28} left out: Debian's {package} is not installed")
            continue
        with tempfile.TemporaryDirectory() as made:
            folder = os.path.join(options.keep, row["name"].replace(" ", "_")) if options.keep else made
            os.makedirs(folder, exist_ok=True)
            drawings = draw_row(row, options.count, folder)
            result = judge(caption_folder(options, folder), drawings)
        print_row(row["name"], result)
        if options.wrong:
            print("\n".join("    " + line for line in result["wrong"]))
        add(everything, result)
        if "group" in row:
            add(groups.setdefault(row["group"], {}), result)
    for name, sums in groups.items():
        print_row("all: " + name, sums)
    if everything:
        print_notes(everything)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saccade", default="saccade")
    parser.add_argument("--weights")
    parser.add_argument("--count", type=int, default=80, help="pictures a row; 80")
    parser.add_argument("--row", nargs="*", help="rows whose names hold this, or a group: plain, palettes")
    parser.add_argument("--keep", help="a folder for the pictures")
    parser.add_argument("--wrong", action="store_true", help="the wrong sentences as well")
    run(parser.parse_args())


if __name__ == "__main__":
    main()
