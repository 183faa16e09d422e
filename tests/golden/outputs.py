#!/usr/bin/env python3
"""Holds what the program writes against itself.

outputs.py PROGRAM            every case: a file that is written alone is the one that is written beside all others,
                              and a saved PNG, opened again, gives the numbers that were saved
outputs.py list               names the cases

Options: --only REGEX (cases whose name it matches), --jobs N (programs at a time; 2), --keep DIR (outputs stay there). Exit status: 0 all hold, 1 some differ, 2 used wrongly.

Cases are all stored models and other sources, each with one of many settings; models whose outputs are made in more
ways have all of them. Needs Python alone."""
import argparse, contextlib, itertools, json, os, pathlib, re, shutil, sys, zlib

from golden import NO_TEXT, SOUND_TYPES, ROOT, differences, each_case, in_folder, read_json, read_npy, read_npz

DATA, PICTURE = ROOT / "tests/reference/data", ROOT / "tests/pretrained/data/picture.png"
SOUND = DATA / "whisper/sound.wav"
SIZE = ["--size", "320x200", "--fps", "1"]
NUMBERS = ("tsv", "csv", "npz", "json")
DRAWN = ("png", "svg", "pdf", "html", "apng", "gif")
ALL = {*NUMBERS, *DRAWN}


class Case:
    """`arguments` with all `kinds` of files at once; then `alone`, each by itself. The PNG is opened again and has to give the
    `reopened` kinds; `given` are arguments that name no state of what is shown, and are given then as well."""

    def __init__(self, name, inputs, arguments, alone=None, kinds=NUMBERS + DRAWN, reopened=("tsv", "npz", "json"), given=()):
        self.name, self.inputs, self.arguments, self.kinds = name, inputs, arguments, set(kinds)
        self.alone = [kind for kind in (alone or kinds) if kind in kinds]
        self.reopened = [kind for kind in reopened if kind in kinds] if "png" in kinds else []
        self.given = list(given)


TEXT = ["--text", "the cat sat on the bank"]
TEXTS = {  # settings of a model that reads a text
    "plain": [], "head": ["--layer", "1", "--head", "1"], "without": ["--layer", "1", "--head", "0", "--without", "0.1"],
    "matrix": ["--tab", "matrix", "--without", "0.0,1.1=0.5", "--query", "1,2"],
    "ask": ["--ask", "previous"], "reduce": ["--reduce", "mean", "--layer", "1"],
    "rollout": ["--reduce", "rollout"], "relevance": ["--reduce", "relevance"],
    "first": ["--first", "masked", "--reduce", "max"]}
GENERATED = {  # and goes on
    "next": ["--tab", "next"], "continue": ["--continue", "4"],
    "sampled": ["--continue", "5", "--temperature", "1.5", "--seed", "3", "--top-k", "9"],
    "next_without": ["--tab", "next", "--continue", "4", "--without", "0.0"],
    "beam": ["--continue", "4", "--beam", "2", "--layer", "1", "--head", "1"]}
SEEN = {  # of a vision encoder
    "plain": [], "head": ["--layer", "1", "--head", "1", "--query", "1,1"], "without": ["--layer", "1", "--without", "0.1"],
    "reduce": ["--reduce", "rollout"], "matrix": ["--tab", "matrix", "--layer", "1"], "trained": ["--as-trained", "--head", "0"],
    "heat": ["--overlay", "heat", "--reduce", "mean"]}
CAPTIONED = {  # of what captions a picture
    "plain": [], "word": ["--word", "1"], "without": ["--without", "0.0"], "heads": ["--tab", "heads", "--layer", "0", "--head", "1"], "heads_without": ["--tab", "heads", "--without", "0.0"],
    "heads_reduced": ["--tab", "heads", "--reduce", "rollout"]}
CROSSED = {"cross": ["--take", "cross", "--head", "1"], "decoder": ["--take", "decoder", "--tab", "matrix", "--layer", "1"],
           "cross_reduced": ["--take", "cross", "--reduce", "mean"]}  # and whose decoder looks at it by heads
TRANSLATED = {
    "plain": [], "cross": ["--take", "cross", "--head", "1"], "heads": ["--tab", "heads", "--head", "1"],
    "decoder": ["--take", "decoder", "--tab", "matrix"], "without": ["--without", "0.0"], "next": ["--tab", "next", "--continue", "4"],
    "cross_without": ["--take", "cross", "--without", "0.1"], "reduce": ["--take", "decoder", "--reduce", "max"]}
ALONE = itertools.cycle([("tsv", "npz"), ("json", "html"), ("tsv", "svg"), ("csv", "png"), ("npz", "pdf"), ("tsv", "gif"), ("json", "apng")])


def kind_of(folder):
    config = json.loads((folder / "config.json").read_text())
    return config.get("model_type", "")


def model_cases():
    counters, crossed = {}, itertools.cycle(CROSSED)
    everything = {"gpt2", "bert", "vit", "vit_gpt2", "marian", "smolvlm"}
    for folder in sorted(path for path in DATA.iterdir() if (path / "config.json").exists() or (path / "adapter_config.json").exists()):
        inputs, kind = [folder], "llama" if folder.name == "llama_adapter" else kind_of(folder)
        if folder.name == "llama_adapter":
            inputs = [DATA / "llama", folder]
        given = []
        sees = (folder / "preprocessor_config.json").exists() or folder.name.startswith(("show_attend_tell", "timm", "moondream"))
        if kind in ("marian", "pegasus", "bart", "mbart", "m2m_100", "t5", "mt5", "umt5"):
            settings, first = TRANSLATED, TEXT + {"mbart50": ["--to", "fr_XX"], "m2m_100": ["--to", "fr"]}.get(folder.name, [])
        elif kind in NO_TEXT:
            settings, first = {name: SEEN[name] for name in ("plain", "head", "reduce", "matrix")}, [SOUND.name]
            inputs.append(SOUND)
        elif kind in SOUND_TYPES:
            settings, first = {"plain": [], "word": ["--word", "1"], **(CROSSED if folder.name == "whisper" else {})}, [SOUND.name]
            inputs.append(SOUND)
        elif sees:
            generates = kind not in ("vit", "dinov2", "dinov2_with_registers", "dinov3_vit", "deit", "beit", "data2vec-vision", "swin", "vit_mae",
                                  "vit_msn", "clip", "siglip", "siglip2", "detr", "table-transformer", "yolos", "owlvit", "owlv2", "rt_detr", "rt_detr_v2", "siglip_vision_model", "colpali", "colqwen2") and not folder.name.startswith("timm")
            settings, first = CAPTIONED if generates else SEEN, [PICTURE.name]
            if folder.name in ("blip", "vit_gpt2", "trocr", "donut", "florence2", "blip2_t5"):
                own = next(crossed)
                settings = CAPTIONED | (CROSSED if folder.name in everything else {own: CROSSED[own]})
            if folder.name in ("blip2_t5", "gemma4_seeing"):  # without head 0.0 they generate special tokens alone, and there is no page of no words
                settings = settings | {"without": ["--without", "0.1"]}
            if folder.name == "clip":
                settings = settings | {"likeness": ["--text", "a dog | a cat", "--without", "0.1"]}
            if folder.name.startswith("rt_detr"):  # whose encoder has one layer
                settings = {name: ["0" if value == "1" else value for value in SEEN[name]] for name in SEEN}
            if folder.name == "colqwen2":
                settings = settings | {"likeness": ["--text", "the river's bank"]}
            if folder.name == "show_attend_tell":  # whose words look once, without heads
                settings = {name: CAPTIONED[name] for name in ("plain", "word")}
            inputs.append(PICTURE)
        else:
            settings, first = dict(TEXTS, **(GENERATED if (folder / "generation_config.json").exists() else {})), TEXT
            if kind in ("falcon_h1", "qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"):  # whose layers mix tokens by a state, too
                settings = {name: settings[name] for name in settings if name not in ("rollout", "relevance")}
        names = [name for name in settings if name != "likeness"]
        like = names[1]  # of settings that differ in what a few models have besides
        count = counters[like] = counters.get(like, -1) + 1
        chosen = names if folder.name in everything else [names[count % len(names)]] + [name for name in names if name in CROSSED and settings is not TRANSLATED]
        finds = kind in ("detr", "table-transformer", "yolos", "owlvit", "owlv2", "rt_detr", "rt_detr_v2")
        chosen += ["without"] * finds + ["likeness"] * ("likeness" in settings)
        for name in dict.fromkeys(chosen):
            yield Case(f"{folder.name}.{name}", inputs, ["view", folder.name, *first, *settings[name]],
                       DRAWN + NUMBERS if folder.name == "gpt2" and name == "without" else next(ALONE),
                       ALL - {"html"} if "next" in settings[name] or name == "likeness" or finds else ALL,  # which have no page
                       given=given)



def other_cases():
    attentions, harbour = ROOT / "assets/samples/attentions.npz", ROOT / "assets/pictures/harbour.png"
    for name, options in {"plain": [], "head": ["--layer", "1", "--head", "2", "--query", "3,4"], "matrix": ["--tab", "matrix", "--rows", "2:6"],
                          "reduce": ["--reduce", "max", "--first", "masked"], "queries": ["--queries", "3,5-8", "--layer", "1"],
                          "ask": ["--ask", "previous"], "alignment": ["--tab", "alignment", "--layer", "1"]}.items():
        yield Case("weights." + name, [attentions], ["view", attentions.name, *options], next(ALONE), ALL - {"npz", "json"})
    for name, options in {"plain": [], "score": ["--score", "gaussian", "--bandwidth", "2", "--tab", "matrix"]}.items():
        path = ROOT / "tests/attention/data/mha_self.in.npz"
        yield Case("queries." + name, [path], ["view", path.name, "--heads", "2", *options], next(ALONE), ALL - {"npz", "json"})
    yield Case("picture", [harbour], ["view", harbour.name, "--tab", "picture", "--cells", "16", "--query", "3,4", "--temperature", "0.5"],
               ("svg", "html"), ALL - {*NUMBERS})
    for name, options in {"plain": [], "hide": ["--hide", "2,2,6,6"], "words": ["--words", "a red"], "sampled": ["--temperature", "2"],
                          "beam": ["--beam", "2"]}.items():
        yield Case("caption." + name, [harbour], ["caption", harbour.name, "--dataset", "shapes", *options], next(ALONE), ALL,
                   reopened=("tsv",), given=["--dataset", "shapes"])
    yield Case("caption.scene", [], ["caption", "--scene", "5", "--dataset", "book"], next(ALONE), ALL, reopened=("tsv",))
    for name, options in {"additive": [], "scaled-dot": ["--score", "scaled-dot"], "transformer": ["--model", "transformer"],
                          "beam": ["--beam", "2"]}.items():
        yield Case("translate." + name, [], ["translate", "the dog is red", *options], next(ALONE), ALL, reopened=("tsv",))
        if name != "beam":
            yield Case("translate.text." + name, [], ["view", "--text", "the dog is red", "--weights",
                       str(ROOT / f"assets/translator/{name}.safetensors")], next(ALONE), ALL - {"npz", "json"}, given=["--weights", str(ROOT / f"assets/translator/{name}.safetensors")])
    yield Case("lesson.masks", [], ["lesson", "masks", "--step", "2", "--set", "causal=0"], next(ALONE), ALL - {"html", "npz", "json"})


def all_cases():
    yield from model_cases()
    yield from other_cases()


# ---- The work --------------------------------------------------------------------------------------


def files_of(case, stem, kinds):
    """--out STEM.KIND for each; an apng has an ending of its own."""
    return [word for kind in kinds for word in ("--out", f"{stem}.{kind}")]


def pdf_contents(data):
    """What a PDF draws: its streams unpacked, in any order and with any names of resources, which Cairo 1.18 gives by
    addresses in memory."""
    streams = []
    for found in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", data, re.S):
        if re.search(rb"/(XRef|ObjStm)\b", data[max(0, found.start() - 200):found.start()].rsplit(b"obj", 1)[-1]):
            continue  # where objects lie
        stream = found[1]
        with contextlib.suppress(zlib.error):  # where it is not packed
            stream = zlib.decompress(stream)
        streams.append(re.sub(rb"/[a-z]+[\d-]+", b"/n", stream))
    return sorted(streams)


def compared(kind, first, second):
    a, b = first.read_bytes(), second.read_bytes()
    if kind == "pdf" and pdf_contents(a) and pdf_contents(a) == pdf_contents(b):
        return []
    return [line.split(": ", 1)[-1] for line in differences("x." + kind, a, b)]


def reopened_differs(kind, first, second):
    if kind != "json":
        return compared(kind, first, second)
    a, b = (json.dumps(read_json(path.read_bytes()), sort_keys=True) for path in (first, second))
    return [] if a == b else compared(kind, first, second) or ["other JSON"]


def same(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-6 + 1e-5 * abs(y) for x, y in zip(a, b))


def arrays_lack(tsv, npz):
    """A map that the table has and the arrays do not."""
    title, *rows = [line.split("\t") for line in tsv.read_text().splitlines()]
    numbers = [float(number) for row in rows for number in row[1:]]
    head = re.match(r"layer (\d+), head (\d+)$", title[0])
    reduced = re.search(r"^(rollout|relevance)|^layer .* of ", title[0])
    if not (head or reduced):
        return []
    for name, npy in read_npz(npz.read_bytes()).items():
        dtype, shape, values = read_npy(npy)
        size = len(numbers)
        if dtype[1] != "f" or len(shape) < 4 or shape[-2] * shape[-1] != size:
            continue
        at = int(head[1]) * shape[-3] + int(head[2]) if head else 0
        if same(values[at * size:(at + 1) * size], numbers) and (head or name == "reduced.npy"):
            return []
    return [f"npz: has no “{title[0]}”, which the table shows"]


def try_case(runner, program, case):
    folder = runner.folder / case.name
    folder.mkdir()
    for path in case.inputs:
        (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
    lines = []
    kinds = [kind for kind in DRAWN + NUMBERS if kind in case.kinds]
    runner.call(program, [*case.arguments, *files_of(case, "all", kinds), *SIZE], folder)
    for kind in case.alone:
        runner.call(program, [*case.arguments, *files_of(case, "alone", [kind]), *SIZE], folder)
        lines += [f"{kind} alone: {line}" for line in compared(kind, folder / f"all.{kind}", folder / f"alone.{kind}")]
    if {"tsv", "npz"} <= case.kinds:
        lines += arrays_lack(folder / "all.tsv", folder / "all.npz")
    if case.reopened:
        again = [*case.reopened] + ["png"] * (case.arguments[0] == "view")  # else it has all models beside one
        runner.call(program, ["view", "all.png", *case.given, *files_of(case, "again", again), *SIZE], folder)
        for kind in again:
            lines += [f"{kind} reopened: {line}" for line in reopened_differs(kind, folder / f"all.{kind}", folder / f"again.{kind}")]
    if not os.environ.get("GOLDEN_KEEP"):
        shutil.rmtree(folder)
    return lines


def work(runner, cases, options):
    tried = each_case(runner, cases, options.jobs, lambda case: (try_case(runner, options.program, case), None))
    failed = sum(bool(lines) for _, lines, _ in tried)
    print(f"{len(cases)} cases, {failed} differ")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="a built saccade, or list")
    parser.add_argument("--only", metavar="REGEX", help="cases whose name it matches")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs at a time; 2")
    parser.add_argument("--keep", metavar="DIR", help="the outputs are left there")
    options = parser.parse_args()
    cases = [case for case in all_cases() if not options.only or re.search(options.only, case.name)]
    if options.program == "list":
        print(*(case.name for case in cases), sep="\n")
        return 0
    if not cases:
        parser.error(f"--only {options.only}: matches no case")
    options.program = str(pathlib.Path(options.program).resolve(strict=True))
    return in_folder("outputs.", options.keep, lambda runner: work(runner, cases, options))


if __name__ == "__main__":
    sys.exit(main())
