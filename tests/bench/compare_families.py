#!/usr/bin/env python3
"""Other people's models in saccade beside `transformers`, of the same folder.

    venv/bin/python tests/bench/compare_families.py FOLDER [--picture photo.jpg] [--text "the bank of"] [--tokens 32]
        [--rounds 5] [--threads 2] [--saccade build/release/saccade]

A model that continues a text says so many tokens, greedily; one that sees goes through all layers with a picture. Both do it
one after the other and round after round, so that what disturbs the machine disturbs both. A ratio over 1 says how many times
as long transformers takes. A run of saccade that says one token is taken off one that says all: what is left is without
the start of the program, the driver, and the reading of weights. The tokens of both are compared first. A picture is seen as
the model was trained, by a saccade that has just started and reads its weights for the first time.
"""
import argparse
import json
import statistics
import subprocess
import time

import torch
import transformers


def run(arguments, *more):
    start = time.perf_counter()
    done = subprocess.run([arguments.saccade, arguments.folder, *more, "--json"], capture_output=True, text=True, check=True)
    return time.perf_counter() - start, json.loads(done.stdout)


def say(model, ids, count):
    start = time.perf_counter()
    with torch.no_grad():
        said = model.generate(ids, max_new_tokens=count, do_sample=False, eos_token_id=None, pad_token_id=0)
    return time.perf_counter() - start, said[0, ids.shape[1]:].tolist()


def compare_texts(arguments):
    model = transformers.AutoModelForCausalLM.from_pretrained(arguments.folder, dtype=torch.float32).eval()
    few, many = 1, 1 + arguments.tokens
    once = ["--text", arguments.text, "--continue"]
    _, told = run(arguments, *once, str(many))
    ids = torch.tensor([told["ids"][:len(told["ids"]) - many]])
    if say(model, ids, many)[1] != told["ids"][ids.shape[1]:]:
        print("they say other tokens")
    ours, theirs = [], []
    for _ in range(arguments.rounds):
        ours.append((run(arguments, *once, str(many))[0] - run(arguments, *once, str(few))[0]) / arguments.tokens)
        theirs.append((say(model, ids, many)[0] - say(model, ids, few)[0]) / arguments.tokens)
    return "a token", ours, theirs


def compare_pictures(arguments):
    model = transformers.AutoModel.from_pretrained(arguments.folder, dtype=torch.float32).eval()
    config = model.config
    pixels = torch.rand(1, 3, config.image_size, config.image_size)
    ours, theirs = [], []
    for _ in range(arguments.rounds):
        ours.append(run(arguments, arguments.picture, "--as-trained")[1]["ms"] / 1e3)
        start = time.perf_counter()
        with torch.no_grad():
            model(pixel_values=pixels)
        theirs.append(time.perf_counter() - start)
    return "a picture", ours, theirs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--picture")
    parser.add_argument("--text", default="the bank of")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--saccade", default="build/release/saccade")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    what, ours, theirs = (compare_pictures if arguments.picture else compare_texts)(arguments)
    mine, other = statistics.median(ours), statistics.median(theirs)
    print(f"{what}: saccade {1e3 * mine:.1f} ms, transformers {1e3 * other:.1f} ms, ratio {other / mine:.2f}")


if __name__ == "__main__":
    main()
