#!/usr/bin/env python3
"""Other people's models in saccade beside `transformers`, of the same folder.

    venv/bin/python tests/bench/compare_families.py FOLDER [--text "the bank of"] [--tokens 32]
        [--picture photo.jpg --beam 3] [--rounds 5] [--threads 2] [--saccade build/release/saccade] [--gpu]

A model that continues a text generates so many tokens, greedily; a vision model goes through all layers with a picture; one that
captions generates a sentence for it; one that answers generates so many tokens for a picture, greedily. Both do it one after the other and round after round, so that what disturbs the machine disturbs
both. A ratio is the time of transformers over Saccade's, by the clock and by processor time (which includes the time
that PyTorch's threads wait for each other, spinning). --gpu: both on an NVIDIA GPU.

Warm is held against warm: of a caption a run with little to do is taken off one with much; of the others the median of a process
that goes on is taken (`saccade bench folder`). What is left is without the start of the program, the driver, and the first reading of
the weights. That start is printed apart; of an answer it is part of the time to the first token. The tokens of both are compared first. `--continue` reads the whole text once more, to show
what its tokens looked at, so what it takes is not what they take.
"""
import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time

import torch
import transformers
from PIL import Image

PICTURES = 4  # of a run with much to do; the other has one


def spent():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), children.ru_utime + children.ru_stime


def run(arguments, *words):
    """Seconds by the clock and of processors, and the last line of what it prints as JSON."""
    start = spent()
    done = subprocess.run([arguments.saccade, *words, "--json"], capture_output=True, text=True, check=True)
    end = spent()
    lines = done.stdout.strip()
    return end[0] - start[0], end[1] - start[1], json.loads(lines if lines.startswith("{\n") else lines.splitlines()[-1])


def timed(call):
    start = time.perf_counter(), time.process_time()
    with torch.no_grad():
        result = call()
    if torch.get_default_device().type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start[0], time.process_time() - start[1], result


def each(much, little, count):
    """What one of `count` takes, by the clock and of processors."""
    return [(more - less) / count for more, less in zip(much[:2], little[:2])]


def load(arguments, kind):
    return kind.from_pretrained(arguments.folder, dtype=torch.float32).eval().to(torch.get_default_device())


def compare_texts(arguments):
    model = load(arguments, transformers.AutoModelForCausalLM)
    few, many = 1, 1 + arguments.tokens

    def theirs(count):
        return timed(lambda: model.generate(ids, max_new_tokens=count, do_sample=False, eos_token_id=None, pad_token_id=0))

    reported = run(arguments, arguments.folder, "--text", arguments.text, "--continue", str(many))[2]["ids"]
    ids = torch.tensor([reported[:len(reported) - many]])
    if theirs(many)[2][0].tolist() != reported:
        print("they generate other tokens")
    for _ in range(arguments.rounds):
        reported = run(arguments, "bench", "folder", arguments.folder)[2]
        yield [reported["token_ms"] / 1e3, reported["token_cpu_ms"] / 1e3], each(theirs(many), theirs(few), arguments.tokens)


def compare_pictures(arguments):
    model = load(arguments, transformers.AutoModel)
    side = model.config.image_size
    height, width = (side, side) if isinstance(side, int) else side
    pixels = torch.rand(1, 3, height, width)
    firsts = []
    timed(lambda: model(pixel_values=pixels))
    for _ in range(arguments.rounds):
        reported = run(arguments, "bench", "folder", arguments.folder)[2]
        firsts.append(reported["first_ms"] + reported["open_ms"])
        yield [reported["ms"] / 1e3, reported["cpu_ms"] / 1e3], timed(lambda: model(pixel_values=pixels))[:2]
    print(f"opening it and the first picture: {statistics.median(firsts):.0f} ms")


def compare_captions(arguments):
    model = load(arguments, transformers.AutoModelForImageTextToText)
    seeing = getattr(model.config, "vision_config", None) or model.config.encoder  # of BLIP, or of a pair
    pixels = torch.randn(1, 3, seeing.image_size, seeing.image_size)

    def ours(count):
        return run(arguments, "caption", "--weights", arguments.folder, *[arguments.picture] * count,
                   "--beam", str(arguments.beam))

    def theirs(words):
        return timed(lambda: model.generate(pixel_values=pixels, num_beams=arguments.beam, max_length=words, min_length=words))

    words = len(ours(1)[2]["words"]) + 1
    theirs(words)
    for _ in range(arguments.rounds):
        yield each(ours(1 + PICTURES), ours(1), PICTURES), theirs(words)[:2]


@contextlib.contextmanager
def limited_to(folder, tokens):
    """The same model in a folder that ends its answers so."""
    with tempfile.TemporaryDirectory() as limited:
        for name in os.listdir(folder):
            if name != "generation_config.json":
                os.symlink(os.path.abspath(os.path.join(folder, name)), os.path.join(limited, name))
        with open(os.path.join(limited, "generation_config.json"), "w") as file:
            json.dump({"max_new_tokens": tokens}, file)
        yield limited


def compare_answers(arguments):
    """The time to the first token, picture and start included, then what each further token takes."""
    model = load(arguments, transformers.AutoModelForImageTextToText)
    processor = transformers.AutoProcessor.from_pretrained(arguments.folder)
    message = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": arguments.text}]}]
    prompt = processor.apply_chat_template(message, add_generation_prompt=True)
    picture = Image.open(arguments.picture).convert("RGB")

    def ours(tokens):
        with limited_to(arguments.folder, tokens) as folder:
            return run(arguments, "caption", "--weights", folder, "--text", arguments.text, "--beam", "1", arguments.picture)

    def theirs(tokens):
        return timed(lambda: model.generate(**processor(images=[picture], text=prompt, return_tensors="pt").to(model.device), do_sample=False,
                                            max_new_tokens=tokens, min_new_tokens=tokens, eos_token_id=None, pad_token_id=0))

    firsts = []
    theirs(1)
    for _ in range(arguments.rounds):
        first, other = ours(1), theirs(1)
        firsts.append([first[0], other[0]])
        yield (each(ours(1 + arguments.tokens), first, arguments.tokens),
               each(theirs(1 + arguments.tokens), other, arguments.tokens))
    mine, other = (statistics.median(times) for times in zip(*firsts))
    print(f"the first token: saccade {mine:.2f} s with its start, transformers {other:.2f} s, ratio {other / mine:.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--picture")
    parser.add_argument("--text", default="the bank of")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--beam", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--saccade", default="build/release/saccade")
    parser.add_argument("--gpu", action="store_true", help="both on an NVIDIA GPU")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.gpu:
        torch.set_default_device("cuda")
        os.environ.setdefault("SACCADE_DEVICE", "gpu")
    config = transformers.AutoConfig.from_pretrained(arguments.folder)
    if hasattr(config, "patch_size"):  # of a picture of its own size, whether one is given or not
        what, compare = "a picture", compare_pictures
    elif arguments.picture and hasattr(config, "vision_config") and getattr(config, "image_token_id", None):
        what, compare = "a token of an answer", compare_answers
    elif arguments.picture:
        what, compare = "a caption", compare_captions
    else:
        what, compare = "a token", compare_texts
    rounds = list(compare(arguments))
    for clock, name in enumerate(["by the clock", "of processors"]):
        mine = statistics.median(ours[clock] for ours, _ in rounds)
        other = statistics.median(theirs[clock] for _, theirs in rounds)
        ratio = statistics.median(theirs[clock] / ours[clock] for ours, theirs in rounds)
        print(f"{what} {name}: saccade {1e3 * mine:.1f} ms, transformers {1e3 * other:.1f} ms, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
