#!/usr/bin/env python3
"""Holds what the program shows, writes and computes against what it gave before.

golden.py check PROGRAM       against tests/golden/golden.json: what holds on every machine and PoCL
golden.py compare OLD NEW     exactly: arrays, JSON without times and device, pixels, files
golden.py store PROGRAM       writes golden.json anew
golden.py list                names the cases

Options: --only REGEX (cases whose name it matches), --few (those that try every view, command, option and format), --jobs N (programs at a time; 2), --keep DIR
(outputs stay there). Exit status: 0 the same, 1 different, 2 used wrongly.

Needs Python alone. Compiled kernels are taken from XDG_CACHE_HOME, SACCADE_TEST_CACHE or build/test-cache."""
import argparse, array, base64, concurrent.futures, contextlib, io, json, math, os, pathlib, re, shutil
import signal, struct, subprocess, sys, tempfile, threading, xml.etree.ElementTree, zipfile, zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STORE = HERE / "golden.json"
SIZE = ["--size", "320x200", "--layout", "window"]
PAGE = ["--size", "640x400", "--layout", "window"]  # of a lesson, whose sentences and arrays need more
SOUND_TYPES = {"whisper", "wav2vec2", "hubert", "wavlm", "moonshine", "parakeet_ctc", "qwen2_audio", "qwen2_audio_encoder", "audio-spectrogram-transformer"}  # model types that take sounds
NO_TEXT = {"audio-spectrogram-transformer", "qwen2_audio_encoder"}  # those that make no text of them
# What differs from run to run, or from machine to machine.
UNSTABLE = {"ms", "milliseconds", "gflops", "device", "variant", "times_the_dot"}

# ---- The cases -------------------------------------------------------------------------------------


class Case:
    """Commands that run in a folder of their own, beside copies of `inputs`, or files of a (name, text). All files that they leave,
    and what they print as JSON, is their result. Where `reopens` names a PNG that the first command
    writes, the others open it: a PNG of the older program, and one of the stored texts, have to open
    as well, in `size`. `slack` is what a machine's rounding may change, relative to the array's size."""

    def __init__(self, name, inputs, *commands, reopens=None, size=SIZE, slack=1e-4):
        self.name, self.inputs, self.commands = name, inputs, commands
        self.reopens, self.size, self.slack = reopens, size, slack


def attend_cases():
    # Scores so large that their rounding shows in the weights.
    rough = {"huge_logits": 1e-3, "gaussian_far": 1e-3}
    for path in sorted((ROOT / "tests/attention/data").glob("*.in.npz")):
        name = path.name[: -len(".in.npz")]
        arguments = path.with_name(name + ".args").read_text().split()
        yield Case("attend." + name, [path],
                   ["attend", path.name, "out.npz", "--json", *arguments],
                   slack=rough.get(name, 1e-4))
    path = ROOT / "tests/attention/data/scaled_dot.in.npz"
    for name, options in {"no_weights": ["--no-weights"], "float16": ["--storage", "float16"],
                          "naive": ["--variant", "naive"], "window": ["--window", "3"],
                          "dropout": ["--dropout", "0.3", "--seed", "5"],
                          "part": ["--rows", "2:5", "--columns", "1:4", "--causal"],
                          "figures": ["--figures", "--causal"]}.items():
        yield Case("attend." + name, [path], ["attend", path.name, "out.npz", "--json", *options])


PICTURES = ROOT / "assets/pictures"
EVERY_FORMAT = ["--png", "o.png", "--svg", "o.svg", "--pdf", "o.pdf", "--tsv", "o.tsv", "--csv", "o.csv",
                "--apng", "o.apng", "--gif", "o.gif", "--fps", "2", *SIZE]
FEW_FORMATS = ["--json", "--npz", "o.npz", "--png", "o.png", *SIZE]


def caption_cases():
    garden, harbour = PICTURES / "garden.png", PICTURES / "harbour.png"
    for world, scene, hidden, begin in (("book", "3", "9,12,12,15", "rain"),
                                        ("shapes", "7", "1,1,8,8", "a small blue")):
        given = ["caption", "--dataset", world, "--scene", scene]
        name = "caption." + world
        yield Case(name + ".every_format", [], given + ["--json", "--npz", "o.npz"] + EVERY_FORMAT)
        yield Case(name + ".frames", [], given + ["--frames", "frames", "--fps", "1", *SIZE])
        yield Case(name + ".hide", [], given + ["--hide", hidden] + FEW_FORMATS)
        yield Case(name + ".words", [], given + ["--words", begin] + FEW_FORMATS)
        yield Case(name + ".beam1", [], given + ["--beam", "1"] + FEW_FORMATS)
        yield Case(name + ".beam5", [], given + ["--beam", "5"] + FEW_FORMATS)
        yield Case(name + ".temperature", [], given + ["--temperature", "2"] + FEW_FORMATS)
        yield Case(name + ".contour", [], given + ["--overlay", "contour", "--map", "viridis", "--theme", "light",
                                                   "--png", "o.png", "--density", "2", *SIZE])
        yield Case(name + ".pictures", [garden, harbour],
                   ["caption", "--dataset", world, garden.name, harbour.name, "--json"],
                   ["caption", "--dataset", world, garden.name, "--png", "a.png", "--npz", "a.npz", *SIZE],
                   ["caption", "--dataset", world, harbour.name, "--png", "b.png", *SIZE])
    for score in ("scaled-dot", "bilinear"):
        yield Case("caption.shapes." + score, [],
                   ["caption", "--dataset", "shapes", "--scene", "7", "--score", score] + FEW_FORMATS)


def translate_cases():
    text = "the red house sleeps"
    for name, options in {"additive": [], "scaled-dot": ["--score", "scaled-dot"],
                          "transformer": ["--model", "transformer"]}.items():
        yield Case("translate." + name, [], ["translate", text, *options, "--json", "--npz", "o.npz", *EVERY_FORMAT])
        yield Case("translate." + name + ".beam", [],
                   ["translate", "the child sees a white dog and the cat sleeps", *options, "--beam", "1"] + FEW_FORMATS)
        weights = ["--weights", str(ROOT / "assets/translator" / (name + ".safetensors"))]
        yield Case("translate." + name + ".next", [],
                   ["view", "--text", text, *weights, "--continue", "6", "--json", "--npz", "o.npz", "--png", "o.png", "--size", "960x640"])


def folder_cases():
    """Folders of other people's models, tiny and of random weights."""
    data, picture = ROOT / "tests/reference/data", ROOT / "tests/pretrained/data/picture.png"
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        if not (folder / "config.json").exists():  # files of another kind
            continue
        kind = json.loads((folder / "config.json").read_text()).get("model_type", "")
        sees = (folder / "preprocessor_config.json").exists() or folder.name.startswith(("show_attend_tell", "timm", "moondream"))
        given = [picture.name] if sees else ["--text", "the cat sat on the bank"]
        translates = kind in ("marian", "bart", "mbart", "m2m_100", "t5", "mt5", "umt5")
        into = {"mbart50": ["--to", "fr_XX"], "m2m_100": ["--to", "fr"]}.get(folder.name, [])
        given += into
        if kind in SOUND_TYPES:
            given = [folder.name + "/sound.wav"]
        name = "folder." + folder.name
        commands = [["view", folder.name, *given] + FEW_FORMATS]
        if (folder / "generation_config.json").exists() and not sees and not translates and kind not in SOUND_TYPES:
            commands.append(["view", folder.name, *given, "--continue", "6", "--json"])
        if kind in SOUND_TYPES and kind not in NO_TEXT:
            commands.append(["caption", *given, "--weights", folder.name, "--json"])
        if translates:
            commands.append(["translate", "the cat sat", "--weights", folder.name, *into, "--json", "--npz", "t.npz",
                             "--png", "t.png", *SIZE])
        if (folder / "chat_template.jinja").exists() or kind == "moondream1":
            commands.append(["view", folder.name, *given, "--text", "the bank of a", "--json"])
            commands.append(["caption", given[0] if kind in SOUND_TYPES else picture.name, "--weights", folder.name, "--json", "--npz", "c.npz", "--png", "c.png", *SIZE])
        if kind in ("clip", "siglip", "siglip2"):
            commands.append(["view", folder.name, *given, "--text", "a dog | dog", "--likeness", "values", "--json",
                             "--npz", "l.npz", "--png", "l.png", *SIZE])
        if kind in ("colpali", "colqwen2"):
            commands.append(["view", folder.name, *given, "--text", "the river's bank", "--json", "--npz", "l.npz", "--png", "l.png", *SIZE])
        if kind in ("owlvit", "owlv2"):
            commands.append(["view", folder.name, *given, "--text", "a dog | a cat", "--threshold", "0.2", "--layer", "1", "--json",
                             "--npz", "l.npz", "--png", "l.png", *SIZE])
        if kind == "detr" or folder.name == "yolos":
            commands.append(["view", folder.name, *given, "--threshold", "0.1", "--head", "0", "--json", "--npz", "b.npz", "--png", "b.png", "--size", "640x400"])
        if folder.name in ("blip", "git", "vit_gpt2", "show_attend_tell"):
            commands.append(["caption", picture.name, "--weights", folder.name, "--json", "--npz", "c.npz",
                             "--png", "c.png", "--tsv", "c.tsv", *SIZE])
            commands.append(["caption", picture.name, "--weights", folder.name, "--hide", "0,0,2,2",
                             "--beam", "2", "--json"])
        yield Case(name, [folder, picture], *commands)
        if folder.name in ("donut", "florence2"):
            yield Case(name + ".cross", [folder, picture],
                       ["view", folder.name, picture.name, "--tab", "heads", "--take", "cross", "--npz", "h.npz", "--png", "h.png", *SIZE],
                       ["view", folder.name, picture.name, "--tab", "heads", "--take", "stage 1", "--png", "s.png", *SIZE])
        if folder.name == "florence2":
            yield Case(name + ".regions", [folder, picture],
                       ["caption", picture.name, "--weights", folder.name, "--text", "<OD>",
                        "--words", "##d ##o ##g <loc_0> <loc_0> <loc_1> <loc_1>", "--json", "--png", "c.png", *SIZE])
        if folder.name in ("gpt2", "bert", "vit"):
            yield Case(name + ".without", [folder, picture],
                       ["view", folder.name, *given, "--without", "0.1,1.0=0.5", "--json", "--npz", "o.npz", "--png", "o.png",
                        "--size", "960x640"] + (["--continue", "4"] if folder.name == "gpt2" else []))
        if folder.name in ("smolvlm", "llava_onevision", "qwen2_vl"):
            yield Case(name + ".relevance", [folder, picture],
                       ["caption", picture.name, "--weights", folder.name, "--attribution", "relevance", "--json", "--npz", "c.npz",
                        "--png", "c.png", *SIZE])
        if folder.name in ("clip", "siglip"):
            yield Case(name + ".relevance", [folder, picture],
                       ["view", folder.name, *given, "--text", "a dog | cat", "--likeness", "relevance", "--json", "--npz", "l.npz",
                        "--png", "l.png", *SIZE])
        if folder.name in ("gpt2", "llama"):
            yield Case(name + ".next", [folder],
                       ["view", folder.name, *given, "--tab", "next", "--png", "o.png", "--tsv", "o.tsv", "--size", "960x640"],
                       ["view", folder.name, *given, "--tab", "next", "--continue", "5", "--temperature", "1.5", "--top-k", "4",
                        "--theme", "light", "--png", "p.png", "--size", "640x400"])
        if folder.name in ("bert", "xlm_roberta"):
            yield Case(name + ".pair", [folder],
                       *(["view", folder.name, "--text", "the bank of the", "--text-pair", "a river", *part, "--json",
                          "--npz", f"{i}.npz", "--png", f"{i}.png", "--size", "960x640"]
                         for i, part in enumerate(([], ["--segments", "A-B"], ["--segments", "B-B", "--special", "masked"]))))
        if folder.name == "bert":
            yield Case(name + ".asked", [folder],
                       *(["view", folder.name, *given, "--ask", ask, "--json", "--png", f"{i}.png", "--size", "960x640"]
                         for i, ask in enumerate(("bank the", "delimiter", "2 5"))))


LESSONS = {"kernel-regression": 4, "similarity": 3, "scores": 5, "cost": 3, "why-scale": 4, "step-by-step": 5,
           "image-as-set": 6, "caption-step": 4, "seq2seq": 6, "alignment": 5, "self-attention": 6,
           "untrained-averages": 5, "permutation": 3, "positions": 3, "masks": 5, "mask-conventions": 3,
           "dropout": 4, "multi-head": 6, "reshape-is-not-transpose": 4, "five-bugs": 5,
           "transformer-block": 7, "saccade": 4, "when": 4, "sharper-than-softmax": 8, "kept-keys": 6, "path-length": 4, "generating": 5, "copying-head": 8}  # and how many steps each has


def lesson_cases():
    for name, steps in LESSONS.items():
        measured = name == "cost"  # its arrays and its last page hold times
        commands = [["lesson", name, "--json"] + ([] if measured else ["--npz", "o.npz"]),
                    ["lesson", name, "--step", "1", "--png", "first.png", *PAGE]]
        if not measured:
            commands.append(["lesson", name, "--step", str(steps), "--png", "last.png", *PAGE])
        yield Case("lesson." + name, [], *commands)
    yield Case("lesson.masks.every_format", [], ["lesson", "masks", "--step", "2", "--svg", "o.svg", "--pdf", "o.pdf",
                                                 "--tsv", "o.tsv", "--apng", "o.apng", "--gif", "o.gif", "--fps", "1", *PAGE])
    yield Case("lesson.scores.set", [], ["lesson", "scores", "--set", "equal=2", "--code", "--json"])


def view_cases():
    data = {path.name: path for path in ROOT.glob("tests/*/data/*.*")}
    attentions = ROOT / "assets/samples/attentions.npz"
    plays = ROOT / "assets/language/shakespeare"
    yield Case("view.plays", [plays], ["view", plays.name, "--text", "My name is Romeo.\nMy name is", "--continue", "12", "--json",
                                       "--tsv", "o.tsv", "--png", "o.png", *SIZE])
    for tab in ("matrix", "heads"):
        yield Case("view.weights." + tab, [attentions],
                   ["view", attentions.name, "--tab", tab, "--layer", "1", "--head", "2", "--tsv", "o.tsv", "--svg", "o.svg",
                    "--pdf", "o.pdf", "--png", "o.png", *SIZE])
    for name, options in {"first": ["--first", "masked", "--scale", "fixed", "--map", "viridis"],
                          "reduce": ["--reduce", "max", "--head", "0"],
                          "pin": ["--pin", "layer 0; layer 1", "--difference"],
                          "theme": ["--theme", "light", "--present"]}.items():
        yield Case("view.weights." + name, [attentions],
                   ["view", attentions.name, "--tab", "matrix", *options, "--png", "o.png", *SIZE])
    for name in ("torch_tensor.pt", "torch_output.pt", "torch_tuple.pt", "beside.npz", "plain.npy"):
        yield Case("view.arrays." + name, [data[name]], ["view", name, "--png", "o.png", *SIZE])
    for name, options in {"rows": ["--rows", "3:9", "--columns", "2:12"], "columns": ["--columns", "4:", "--pool", "max"]}.items():
        yield Case("view.part." + name, [attentions],
                   ["view", attentions.name, *options, "--layer", "1", "--head", "2", "--png", "o.png", "--size", "640x400"])
    for name, options in {"scaled_dot": [], "mha_self": ["--heads", "2"], "causal_self": ["--causal"],
                          "gaussian_1d": ["--score", "gaussian"], "softcap": ["--softcap", "5"]}.items():
        path = ROOT / f"tests/attention/data/{name}.in.npz"
        yield Case("view.queries." + name, [path],
                   ["view", path.name, *options, "--tab", "matrix", "--png", "o.png", "--tsv", "o.tsv", *SIZE])
    yield Case("view.safetensors", [ROOT / "tests/reference/data/bert/reference.safetensors"],
               ["view", "reference.safetensors", "--png", "o.png", *SIZE])
    book = ROOT / "assets/captioner/book.safetensors"
    yield Case("view.safetensors.take", [book],
               ["view", book.name, "--take", "words.embedding", "--softmax", "--png", "o.png", *SIZE])
    for name in ("grey1.png", "rgb16.png", "interlaced.png", "palette_alpha.png", "transparent_colour.png",
                 "cmyk_adobe.jpg", "progressive.jpg", "orientation6.jpg", "lossless_alpha.webp", "animated.gif"):
        yield Case("view.picture." + name, [data[name]],
                   ["view", name, "--tab", "picture", "--png", "o.png", *SIZE])
    garden, harbour = PICTURES / "garden.png", PICTURES / "harbour.png"
    shapes = ["--dataset", "shapes"]  # whether the captioner of photographs is there or not
    given = ["view", harbour.name, "--tab", "picture"]
    yield Case("view.picture.formats", [harbour], [*given, "--svg", "o.svg", "--pdf", "o.pdf", "--png", "o.png", *SIZE],
               [*given, "--apng", "o.apng", "--gif", "o.gif", "--fps", "1", "--size", "200x160"])
    for name, options in {"score": ["--score", "dot", "--temperature", "0.5", "--cells", "24", "--query", "3,4"],
                          "contour": ["--overlay", "contour", "--opacity", "0.5", "--map", "cividis"],
                          "pin": ["--pin", "temperature 0.5; temperature 2, score dot"]}.items():
        yield Case("view.picture." + name, [harbour], [*given, *options, "--png", "o.png", *SIZE])
    yield Case("view.pictures", [garden, harbour], ["view", garden.name, harbour.name, *shapes, "--png", "o.png", *SIZE],
               ["view", garden.name, harbour.name, *shapes, "--tab", "pair", "--png", "pair.png", *SIZE])
    for world in ("book", "shapes"):
        yield Case("view.scene." + world, [],
                   ["view", "--scene", "5", "--dataset", world, "--word", "2", "--truth", "on", "--png", "o.png", *SIZE])
    yield Case("view.compare", [], ["view", "--scene", "5", "--dataset", "shapes", "--compare", "scaled-dot",
                                    "--png", "o.png", *SIZE])
    yield Case("view.page", [attentions, harbour],
               ["view", attentions.name, "--layer", "1", "--head", "2", "--html", "heads.html"],
               ["caption", "--scene", "3", "--dataset", "book", "--html", "caption.html"],
               [*given, "--cells", "16", "--html", "picture.html"])
    yield Case("view.text", [], ["view", "--text", "the red house sleeps", "--png", "o.png", *SIZE])


def reopened_cases():
    """PNGs that an earlier command wrote, opened and written again."""
    attentions, harbour = ROOT / "assets/samples/attentions.npz", PICTURES / "harbour.png"
    data = ROOT / "tests/reference/data"
    for name, inputs, first in (
            ("matrix", [attentions], ["view", attentions.name, "--tab", "matrix", "--layer", "1", "--head", "2",
                                      "--query", "3,4", "--map", "viridis", "--scale", "fixed", "--first", "masked"]),
            ("heads", [attentions], ["view", attentions.name, "--tab", "heads", "--layer", "1"]),
            ("picture", [harbour], ["view", harbour.name, "--tab", "picture", "--score", "dot", "--temperature", "0.5",
                                    "--cells", "24", "--query", "3,4", "--overlay", "heat"]),
            ("pin", [harbour], ["view", harbour.name, "--tab", "picture", "--pin", "temperature 0.5; temperature 2"]),
            ("caption", [harbour], ["caption", harbour.name, "--dataset", "book", "--hide", "2,2,6,6", "--beam", "2"]),
            ("book", [harbour], ["caption", harbour.name, "--dataset", "book", "--hide", "2,2,6,6", "--beam", "2"]),
            ("scene", [], ["caption", "--scene", "5", "--dataset", "shapes", "--words", "a red", "--temperature", "2"]),
            ("translation", [], ["translate", "the red house sleeps", "--score", "scaled-dot", "--beam", "2"]),
            ("transformer", [], ["translate", "the red house sleeps", "--model", "transformer"]),
            ("lesson", [], ["lesson", "masks", "--step", "2", "--set", "causal=0"]),
            ("folder", [data / "bert"], ["view", "bert", "--text", "the cat sat", "--layer", "1", "--head", "2"]),
            ("sight", [data / "vit", harbour], ["view", "vit", harbour.name, "--layer", "1"]),
            ("generated", [data / "vit_gpt2", harbour], ["caption", harbour.name, "--weights", "vit_gpt2"])):
        # One of an earlier version does not name the dataset of its captions, and was of flat shapes.
        world = ["--dataset", "shapes"] if name == "caption" else []
        size = PAGE if name == "lesson" else SIZE
        commands = [first + ["--png", "a.png", *size], ["view", "a.png", "--png", "b.png", *size, *world]]
        if name in ("matrix", "caption", "translation"):
            commands.append(["view", "a.png", *world, "--svg", "b.svg", "--tsv", "b.tsv", *size])
        yield Case("reopened." + name, inputs, *commands, reopens="a.png", size=size)


def evaluate_pictures_case():
    """Pictures and captions of a person's own, and boxes of what the pictures show: scenes, drawn first."""
    captions = {3: ("A large yellow cross.", "a yellow cross"), 5: ("a black diamond", "a small black diamond on white"),
            8: ("a large blue square left of a star", "a blue star and a large blue square"),
            11: ("an orange star above a large orange triangle and a small circle", "three shapes")}
    rows = "".join(f"{seed}.png,{text}\n" for seed, texts in captions.items() for text in texts)
    boxes = {"images": [{"id": seed, "file_name": f"{seed}.png", "width": 112, "height": 112} for seed in captions],
             "categories": [{"id": 1, "name": "cross"}, {"id": 2, "name": "star"}],
             "annotations": [{"image_id": 3, "category_id": 1, "bbox": [32, 27, 42, 42]},
                             {"image_id": 8, "category_id": 2, "bbox": [66, 55, 43, 42]},
                             {"image_id": 11, "category_id": 2, "bbox": [40, 13, 45, 43]}]}
    shapes = ["--dataset", "shapes"]
    return Case("evaluate.pictures", [("captions.csv", "image,caption\n" + rows + "missing.png,nothing\n"),
                                      ("boxes.json", json.dumps(boxes))],
                *(["scene", *shapes, "--seed", str(seed), "--side", "112", "--png", f"{seed}.png"] for seed in captions),
                ["evaluate", "captioner", "--pictures", ".", "--captions", "captions.csv", "--split", "all",
                 "--boxes", "boxes.json", *shapes, "--json"], slack=0.02)


def evaluate_cases():
    yield evaluate_pictures_case()
    # One sentence more or less of the hundred is what another processor's rounding may change.
    for name, options in {"captioner.book": ["captioner", "--dataset", "book"],
                          "captioner.shapes": ["captioner", "--dataset", "shapes"],
                          "translator": ["translator"], "transformer": ["transformer"]}.items():
        yield Case("evaluate." + name, [], ["evaluate", *options, "--count", "100", "--json"], slack=0.02)
    yield Case("evaluate.by_length", [], ["evaluate", "translator", "--count", "60", "--by-length", "--png", "o.png", *SIZE])


def all_cases():
    for cases in (attend_cases, caption_cases, translate_cases, folder_cases, lesson_cases, view_cases,
                  reopened_cases, evaluate_cases):
        yield from cases()


CHOICES = {"--tab", "--dataset", "--model", "--overlay", "--take", "--reduce", "--score", "--storage", "--attribution", "--likeness"}


def shows(commands):
    """What commands try: commands, options, endings of files, kinds of inputs, and choices of what is shown."""
    for command in commands:
        yield command[0]
        for i, word in enumerate(command[1:], 1):
            ending = word.rsplit(".", 1)[-1] if re.search(r"\w\.[a-z0-9]{2,11}$", word) else "a folder or a text"
            yield word if word.startswith("--") else (command[i - 1], word) if command[i - 1] in CHOICES else ending


def few(cases):
    """The fewest cases, about, that try all that `cases` try: one after the other, the one that adds the most for each of its
    commands."""
    left, chosen = [(case, {*shows(case.commands)}) for case in cases], []
    tried = set()
    while left:
        best = max(left, key=lambda pair: len(pair[1] - tried) / len(pair[0].commands))
        if not best[1] - tried:
            break
        tried |= best[1]
        chosen.append(best[0])
        left.remove(best)
    return [case for case in cases if case in chosen]


# ---- Running the program ----------------------------------------------------------------------------


class Failure(Exception):
    pass


class Runner:
    """Runs cases below one temporary folder, and ends what it started when it is stopped."""

    def __init__(self, folder):
        self.folder, self.running, self.lock, self.stopped = pathlib.Path(folder), set(), threading.Lock(), False
        self.environment = dict(os.environ)
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "LANGUAGE"):
            self.environment.pop(name, None)
        cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("SACCADE_TEST_CACHE")
        if not cache:
            cache = ROOT / "build/test-cache"
            cache = cache if cache.is_dir() else self.folder / "cache"
        home = self.folder / "home"
        home.mkdir()
        self.environment.update(XDG_CACHE_HOME=str(pathlib.Path(cache).resolve()), HOME=str(home), LC_ALL="C.UTF-8",
                                SDL_VIDEODRIVER="dummy", SOURCE_DATE_EPOCH="1700000000", TZ="UTC",
                                SACCADE_PHOTOGRAPHS="")
        self.environment.setdefault("SACCADE_DEVICE", "pocl")

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.kill()

    def call(self, program, arguments, folder):
        with self.lock:
            if self.stopped:
                raise Failure("stopped")
            process = subprocess.Popen([program, *arguments], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.running.add(process)
        try:
            out, err = process.communicate()
        finally:
            with self.lock:
                self.running.discard(process)
        if process.returncode != 0:
            raise Failure(f"saccade {' '.join(arguments)}: exit status {process.returncode}: "
                          f"{err.decode(errors='replace').strip()[-400:]}")
        return out

    def run(self, case, name, writer, program, texts=None):
        """Returns {file: bytes}. The writer runs the first command of a case that reopens; `texts` are
        those of a stored PNG, which is next to the one that it wrote."""
        folder = self.folder / name / case.name
        folder.mkdir(parents=True)
        for path in case.inputs:
            if isinstance(path, tuple):
                (folder / path[0]).write_text(path[1])
                continue
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, folder / path.name)
        kept = {path for path in folder.rglob("*")}
        results = {}
        commands = list(case.commands)
        if texts:
            (folder / "stored.png").write_bytes(blank_png(texts))
            commands.append(["view", "stored.png", "--png", "stored.again.png", *case.size])
        for number, command in enumerate(commands):
            out = self.call(writer if number == 0 and case.reopens else program, command, folder)
            if "--json" in command:
                out = out.replace((str(folder) + "/").encode(), b"")
                results[f"out{number}.json"] = out
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path not in kept and path.name != "stored.png":
                results[str(path.relative_to(folder))] = path.read_bytes()
        if not os.environ.get("GOLDEN_KEEP"):
            shutil.rmtree(folder)
        return results


# ---- Reading what it wrote --------------------------------------------------------------------------


def read_json(data):
    """All values of a text of JSON, without what differs from run to run."""
    text, values, at = data.decode(), [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = json.JSONDecoder().raw_decode(text, at)
        values.append(without_unstable(value))
    return values


def without_unstable(value):
    if isinstance(value, dict):
        return {key: without_unstable(member) for key, member in value.items()
                if key not in UNSTABLE
                and not (key == "weights" and isinstance(member, str))}  # a path
    if isinstance(value, list):
        return [without_unstable(member) for member in value]
    return value


def read_npz(data):
    """{name: bytes of its .npy}"""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_npy(data):
    """(dtype, shape, the numbers or texts as a list)"""
    length, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    header = data[start:start + length].decode("latin-1")
    dtype = re.search(r"'descr': '([^']+)'", header)[1]
    shape = [int(n) for n in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1])]
    body = data[start + length:]
    if dtype[1] == "U":
        width = int(dtype[2:]) * 4
        return dtype, shape, [body[i:i + width].decode("utf-32-le").rstrip("\0") for i in range(0, len(body), width)]
    code = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "u1": "B", "b1": "B", "i2": "h", "u2": "H",
            "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}[dtype[1:]]
    if code == "e":
        return dtype, shape, list(struct.unpack(f"<{len(body) // 2}e", body))
    return dtype, shape, array.array(code, body).tolist()


def png_chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise Failure("is no PNG")
    at, chunks = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks.append((kind, data[at + 8:at + 8 + size]))
        at += size + 12
    return chunks


def png_frames(data):
    """[what each frame is besides its pixels, its rows as they are filtered]"""
    frames = []
    for kind, body in png_chunks(data):
        if kind == b"fcTL":
            frames.append([body[4:], b""])
        elif kind in (b"IDAT", b"fdAT"):
            if not frames:
                frames.append([b"", b""])
            frames[-1][1] += body if kind == b"IDAT" else body[4:]
        elif kind == b"IHDR":
            header = body
    return header, [(control, zlib.decompress(packed)) for control, packed in frames]


def png_texts(data):
    texts = []
    for kind, body in png_chunks(data):
        if kind == b"iTXt":
            key, rest = body.split(b"\0", 1)
            packed, rest = rest[0], rest[2:]
            text = rest.split(b"\0", 2)[2]
            texts.append([key.decode(), (zlib.decompress(text) if packed else text).decode()])
        elif kind == b"tEXt":
            key, text = body.split(b"\0", 1)
            texts.append([key.decode("latin-1"), text.decode("latin-1")])
    return texts


def blank_png(texts):
    """One pixel with these texts: all that is opened are the texts."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + b"".join(chunk(b"iTXt", key.encode() + b"\0\0\0\0\0" + text.encode()) for key, text in texts)
            + chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND", b""))


def png_rows(header, filtered):
    width, height, depth, colour = struct.unpack(">IIBB", header[:10])
    if depth != 8 or colour not in (2, 6) or header[12]:
        raise Failure("is a PNG of another kind than 8 bits of RGB or RGBA")
    each = 3 if colour == 2 else 4
    stride, rows, above = width * each, [], bytes(width * each)
    for y in range(height):
        kind = filtered[y * (stride + 1)]
        row = bytearray(filtered[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1:
            for i in range(each, stride):
                row[i] = (row[i] + row[i - each]) & 255
        elif kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif kind == 3:
            for i in range(stride):
                row[i] = (row[i] + ((row[i - each] if i >= each else 0) + above[i]) // 2) & 255
        elif kind == 4:
            for i in range(stride):
                a, b, c = (row[i - each], above[i], above[i - each]) if i >= each else (0, above[i], 0)
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - c - c)
                row[i] = (row[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return width, height, each, rows


# ---- The exact comparison ---------------------------------------------------------------------------


def differences(name, a, b):
    """What differs between two files of one name: lines, none if they are the same."""
    kind = name.rsplit(".", 1)[-1]
    if a == b:
        return []
    if kind == "json":
        return [f"{name}: {line}" for line in json_differences(read_json(a), read_json(b))]
    if kind == "npz":
        a, b = read_npz(a), read_npz(b)
        if list(a) != list(b):
            return [f"{name}: arrays {' '.join(a)} became {' '.join(b)}"]
        return [f"{name}: {array_name}: {array_difference(a[array_name], b[array_name])}"
                for array_name in a if a[array_name] != b[array_name]]
    if kind in ("png", "apng"):
        (header_a, frames_a), (header_b, frames_b) = png_frames(a), png_frames(b)
        if (header_a[:8], len(frames_a)) != (header_b[:8], len(frames_b)):
            return [f"{name}: another size or number of frames"]
        if (header_a, frames_a) == (header_b, frames_b):
            return []  # texts alone
        for number, (frame_a, frame_b) in enumerate(zip(frames_a, frames_b)):
            if frame_a[0] != frame_b[0]:
                return [f"{name}: frame {number + 1}: another time or place"]
            if frame_a[1] != frame_b[1] and not frame_a[0]:
                _, _, each_a, rows_a = png_rows(header_a, frame_a[1])
                _, _, each_b, rows_b = png_rows(header_b, frame_b[1])
                count, first = 0, None
                for y, (row_a, row_b) in enumerate(zip(rows_a, rows_b)):
                    for x in range(len(row_a) // each_a if row_a != row_b or each_a != each_b else 0):
                        p, q = row_a[x * each_a:][:each_a], row_b[x * each_b:][:each_b]
                        if p + b"\xff" * (4 - each_a) != q + b"\xff" * (4 - each_b):
                            count, first = count + 1, first or (x, y)
                if count:
                    return [f"{name}: {count} pixels, the first at {first[0]},{first[1]}"]
            elif frame_a[1] != frame_b[1]:
                return [f"{name}: pixels of frame {number + 1}"]
        return []
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return [f"{name}: differs from byte {at} on: {a[at:at + 40]!r} became {b[at:at + 40]!r}"]


def json_differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            if key not in a or key not in b:
                yield f"{path}.{key} " + ("is new" if key in b else "is gone")
            else:
                yield from json_differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from json_differences(x, y, f"{path}[{i}]")
    elif a != b or type(a) is not type(b):
        yield f"{path}: {str(a)[:60]} became {str(b)[:60]}"


def array_difference(a, b):
    (type_a, shape_a, values_a), (type_b, shape_b, values_b) = read_npy(a), read_npy(b)
    if (type_a, shape_a) != (type_b, shape_b):
        return f"{type_a} {shape_a} became {type_b} {shape_b}"
    unequal = [i for i, (x, y) in enumerate(zip(values_a, values_b)) if x != y and not (x != x and y != y)]
    if not unequal:
        return "other bytes"
    return f"{len(unequal)} of {len(values_a)} values, the first {values_a[unequal[0]]!r} became {values_b[unequal[0]]!r}"


# ---- The comparison that holds on any machine -------------------------------------------------------
# A summary is made of dictionaries, lists, texts and numbers, which may differ a little. {"array": …} is an
# array, whose numbers may differ by a part of their size, {"thumbnail": …} a picture.

COLUMNS, ROWS, SPOTS, LONG_TEXT = 16, 10, 4, 32


def summary_of_numbers(values, shape=None, dtype=""):
    """Of an array: how many of its values are not finite, their sum, the root of their mean square, and some of them."""
    finite = [v for v in values if math.isfinite(v)]
    spots = [values[(2 * i + 1) * len(values) // (2 * SPOTS)] for i in range(SPOTS)] if values else []
    size = math.sqrt(math.fsum(v * v for v in finite) / max(len(finite), 1))
    return {"kind": f"{dtype}{shape or [len(values)]}".replace(" ", ""), "array":
            [len(values) - len(finite), rounded(math.fsum(finite)), rounded(size), *map(rounded, spots)]}


def rounded(value):
    return float(f"{value:.6g}") if math.isfinite(value) else str(value)


def summary_of_json(value):
    if isinstance(value, dict):
        return {key: summary_of_json(member) for key, member in value.items()}
    if isinstance(value, list):
        flat = flattened(value)
        if len(flat) > SPOTS and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in flat):
            return summary_of_numbers(flat, shape_of(value))
        return [summary_of_json(member) for member in value]
    if isinstance(value, str) and len(value) > LONG_TEXT:
        return f"{value[:LONG_TEXT // 2]}… {zlib.crc32(value.encode()):08x}"
    return rounded(value) if isinstance(value, float) else value


def flattened(value):
    return [v for member in value for v in flattened(member)] if isinstance(value, list) else [value]


def shape_of(value):
    return [len(value)] + (shape_of(value[0]) if value else []) if isinstance(value, list) else []


def summary_of_npz(data):
    result = {}
    for name, npy in read_npz(data).items():
        dtype, shape, values = read_npy(npy)
        if dtype[1] == "U":
            result[name] = {"shape": shape, "texts": summary_of_json(" ".join(values))}
        else:
            result[name] = summary_of_numbers(values, shape, dtype)
    return result


def summary_of_png(data):
    header, frames = png_frames(data)
    width, height, each, rows = png_rows(header, frames[0][1])
    thumbnail = bytearray()
    for r in range(ROWS):
        part = rows[r * height // ROWS:(r + 1) * height // ROWS]
        for c in range(COLUMNS):
            x0, x1 = c * width // COLUMNS, (c + 1) * width // COLUMNS
            for channel in range(3):
                total = sum(sum(row[x0 * each + channel:x1 * each:each]) for row in part)
                thumbnail.append(round(total / (len(part) * (x1 - x0))))
    return {"width": width, "height": height, "frames": len(frames), "thumbnail": base64.b64encode(zlib.compress(thumbnail, 9)).decode()}


def summary_of_table(data, between):
    """Of TSV and CSV: its words exactly, its numbers as an array."""
    cells = [cell for line in data.decode().splitlines() for cell in line.split(between)]
    words, numbers = [], []
    for cell in cells:
        try:
            numbers.append(float(cell))
        except ValueError:
            words.append(cell)
    return {"lines": len(data.splitlines()), "words": zlib.crc32("\n".join(words).encode()) & 0xffffffff,
            "numbers": summary_of_numbers(numbers)}


def summary_of_svg(data):
    """That it is well-formed, and its size. Where the glyphs stand depends on the fonts."""
    root = xml.etree.ElementTree.fromstring(data)
    return {"width": root.get("width"), "height": root.get("height"), "root": root.tag.rsplit("}")[-1]}


def summary_of_pdf(data):
    """Cairo 1.18 packs its objects into streams, earlier ones write them as they are."""
    objects = [data]
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S):
        try:
            objects.append(zlib.decompressobj().decompress(stream))
        except zlib.error:
            pass  # packed otherwise, or not at all
    return {"header": data[:5].decode("latin-1"), "end": data.rstrip()[-5:].decode("latin-1"),
            "pages": len(re.findall(rb"/Type */Page[^s]", b"\n".join(objects)))}


def summary_of_gif(data):
    """Its size and how many pictures it holds: blocks are passed over one by one."""
    at, pictures = 13 + (3 << (data[10] & 7) + 1 if data[10] & 128 else 0), 0
    while data[at] != 0x3b:
        if data[at] == 0x2c:
            pictures += 1
            at += 11 + (3 << (data[at + 9] & 7) + 1 if data[at + 9] & 128 else 0)
        else:
            at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    return {"header": data[:6].decode("latin-1"), "width": data[6] | data[7] << 8, "height": data[8] | data[9] << 8, "frames": pictures}


def summary_of_html(data):
    """The page's data, and its weights as codes; the program beside them is plain text of ours."""
    page = json.loads(re.search(rb'<script type="application/json" id="data">(.*?)</script>', data, re.S)[1])
    page.pop("device", None)
    page.pop("made", None)
    if "picture" in page:
        page["picture"]["src"] = page["picture"]["src"][:20]
    weights = {}
    for name, packed in re.findall(rb'<script type="text/plain" id="w-([0-9-]+)">(.*?)</script>', data, re.S):
        plain = zlib.decompress(base64.b64decode(packed))
        weights[name.decode()] = summary_of_numbers(list(map(float, plain)), [len(plain)], "|u1")
    return {"data": summary_of_json(page), "weights": weights}


SUMMARIES = {"json": lambda data: summary_of_json(read_json(data)), "npz": summary_of_npz, "png": summary_of_png,
             "apng": summary_of_png, "tsv": lambda data: summary_of_table(data, "\t"),
             "csv": lambda data: summary_of_table(data, ","), "svg": summary_of_svg, "pdf": summary_of_pdf,
             "gif": summary_of_gif, "html": summary_of_html}


def summary(results):
    return {name: SUMMARIES[name.rsplit(".", 1)[-1]](data) for name, data in results.items()}


def departures(stored, found, slack, path=""):
    """Where a summary is not the stored one, beyond what rounding and fonts explain."""
    if isinstance(stored, dict) and isinstance(found, dict):
        if stored.keys() != found.keys():
            yield f"{path}: {' '.join(sorted(stored.keys() ^ found.keys()))} is new or gone"
        elif "thumbnail" in stored:
            a, b = (zlib.decompress(base64.b64decode(one["thumbnail"])) for one in (stored, found))
            off = [abs(x - y) for x, y in zip(a, b)]
            if {k: v for k, v in stored.items() if k != "thumbnail"} != {k: v for k, v in found.items() if k != "thumbnail"}:
                yield f"{path}: another size or number of frames"
            elif max(off) > 60 or sum(off) / len(off) > 6:  # fonts of another version, with which a line moves
                yield f"{path}: looks different: its parts by {sum(off) / len(off):.1f} of 255, at most {max(off)}"
        elif "array" in stored:
            a, b = stored["array"], found["array"]
            bound = slack * a[2] + 1e-9
            count = math.prod(int(n) for n in re.findall(r"\d+", stored["kind"].split("[")[1]))
            bounds = [0, slack * max(abs(a[1]), a[2] * math.sqrt(count)) + 1e-9, bound] + [bound] * SPOTS
            if stored["kind"] != found["kind"]:
                yield f"{path}: {stored['kind']} became {found['kind']}"
            for what, x, y, most in zip(("values not finite", "sum", "size", *["a value"] * SPOTS), a, b, bounds):
                if x != y if isinstance(x, str) or isinstance(y, str) else abs(x - y) > most:
                    yield f"{path}: {what}: {x} became {y}"
        else:
            for key in stored:
                yield from departures(stored[key], found[key], slack, f"{path}.{key}")
    elif isinstance(stored, list) and isinstance(found, list):
        if len(stored) != len(found):
            yield f"{path}: {len(stored)} became {len(found)}"
        for i, (x, y) in enumerate(zip(stored, found)):
            yield from departures(x, y, slack, f"{path}[{i}]")
    elif is_number(stored) and is_number(found):
        if abs(stored - found) > slack * max(abs(stored), 1e-2):
            yield f"{path}: {stored} became {found}"
    elif stored != found:
        yield f"{path}: {str(stored)[:80]} became {str(found)[:80]}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# ---- The commands -----------------------------------------------------------------------------------


def read_store():
    with open(STORE, encoding="utf-8") as file:
        return json.load(file)


def write_store(cases):
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
             for name, value in sorted(cases.items())]
    STORE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


LONGEST_TEXTS = 4000  # of pinned maps the PNG holds the numbers


def check_case(runner, case, options, store):
    """What departs from the store, and the store's new entry."""
    stored = store.get(case.name)
    # The texts of the PNG that was written first stay for ever: such a picture has to open in all versions.
    texts = (stored or {}).get("texts")
    results = runner.run(case, "a", options.program, options.program, texts)
    entry = {"files": summary({name: data for name, data in results.items() if name != "stored.again.png"})}
    if case.reopens:
        texts = texts or png_texts(results[case.reopens])
        if sum(len(text) for _, text in texts) < LONGEST_TEXTS:
            entry["texts"] = texts
    lines = []
    if options.command == "check":
        if not stored:
            return ["is not stored; run golden.py store PROGRAM"], entry
        lines = list(departures(stored["files"], entry["files"], case.slack))
    if "stored.again.png" in results:
        again = summary_of_png(results["stored.again.png"])
        lines += [f"a picture of an earlier version, opened: {line}" for line in
                  departures(entry["files"]["b.png"], again, case.slack)]
    return lines, entry


def compare_case(runner, case, options):
    old = runner.run(case, "old", options.program, options.program)
    lines = []
    for name, writer in (("new", options.new), *([("crossed", options.program)] if case.reopens else [])):
        new = runner.run(case, name, writer, options.new)
        prefix = "" if name == "new" else "opens the older program's picture: "
        lines += [f"{prefix}{file}: is " + ("new" if file in new else "gone") for file in sorted(old.keys() ^ new.keys())]
        for file in sorted(old.keys() & new.keys()):
            lines += [prefix + line for line in differences(file, old[file], new[file])]
    return lines, None


def each_case(runner, cases, jobs, try_case):
    """try_case(case) of every case, some at a time: (case, lines of what differs, what it returned) as each is done."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(try_case, case): case for case in cases}
        try:
            for done in concurrent.futures.as_completed(waiting):
                try:
                    lines, found = done.result()
                except Failure as failure:
                    lines, found = [str(failure)], None
                except Exception as error:  # of the readers of the program's output
                    lines, found = [f"an output cannot be read: {type(error).__name__}: {error}"], None
                case = waiting[done]
                if lines:
                    print(*(f"{case.name}: {line}" for line in lines[:8]), sep="\n", flush=True)
                    if len(lines) > 8:
                        print(f"{case.name}: and {len(lines) - 8} more", flush=True)
                yield case, lines, found
        except BaseException:
            runner.stop()
            pool.shutdown(cancel_futures=True)
            raise


def in_folder(prefix, keep, work):
    """work(runner) in a folder that goes, or that is kept as `keep`; 130 where it is interrupted."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with contextlib.ExitStack() as stack:
        if keep:
            folder = pathlib.Path(keep).resolve()
            folder.mkdir(parents=True)
            os.environ["GOLDEN_KEEP"] = "1"
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=prefix))
        runner = Runner(folder)
        try:
            return work(runner)
        except KeyboardInterrupt:
            runner.stop()
            print("stopped", file=sys.stderr)
            return 130


def work(runner, cases, options):
    store = read_store() if options.command != "compare" and STORE.exists() else {}
    one = compare_case if options.command == "compare" else lambda *given: check_case(*given, store)
    different, entries = [], {}
    for case, lines, entry in each_case(runner, cases, options.jobs, lambda case: one(runner, case, options)):
        different += [case.name] * bool(lines)
        entries[case.name] = entry
    if options.command == "store" and not different:
        write_store(dict(store if options.only or options.few else {}, **entries))
    elif options.command == "check" and not options.only and not options.few:
        gone = sorted(store.keys() - {case.name for case in cases})
        different += gone
        print(*(f"{name}: is stored, but no case" for name in gone), sep="\n", end="\n" if gone else "")
    print(f"{len(cases)} cases, {len(different)} differ" if options.command != "store" or different
          else f"{len(cases)} cases stored, {STORE.stat().st_size // 1024} KB")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "compare", "store", "list"))
    parser.add_argument("program", nargs="?", help="a built saccade; with compare the older one")
    parser.add_argument("new", nargs="?", help="with compare, the newer one")
    parser.add_argument("--only", metavar="REGEX", help="cases whose name it matches")
    parser.add_argument("--few", action="store_true", help="of the cases those that try every view, command, option and format")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs at a time; 2")
    parser.add_argument("--keep", metavar="DIR", help="the outputs are left there")
    options = parser.parse_args()
    cases = [case for case in all_cases() if not options.only or re.search(options.only, case.name)]
    if options.few:
        cases = few(cases)
    if options.command == "list":
        print(*(case.name for case in cases), sep="\n")
        return 0
    if not options.program or (options.command == "compare") != bool(options.new):
        parser.error("compare needs two programs" if options.command == "compare" else "needs one program")
    if not cases:
        parser.error(f"--only {options.only}: matches no case")
    for name in ("program", "new"):
        if getattr(options, name):
            setattr(options, name, str(pathlib.Path(getattr(options, name)).resolve(strict=True)))
    return in_folder("golden.", options.keep, lambda runner: work(runner, cases, options))


if __name__ == "__main__":
    sys.exit(main())
