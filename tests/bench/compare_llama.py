#!/usr/bin/env python3
"""Models of llama.cpp's files in saccade beside llama.cpp itself, of the same file.

    tests/bench/compare_llama.py LLAMA_BENCH MODEL.gguf … [--rounds 5] [--threads 2] [--saccade build/release/saccade]

LLAMA_BENCH is llama.cpp's program llama-bench, which the source archive of the Python package llama-cpp-python holds:

    pip download --no-deps --no-binary llama-cpp-python llama-cpp-python && tar xf llama_cpp_python-*.tar.gz
    cmake -S llama_cpp_python-*/vendor/llama.cpp -B llama -DCMAKE_BUILD_TYPE=Release -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF
    cmake --build llama --target llama-bench llama-quantize    # llama-quantize makes files of other widths

Both generate 32 tokens after a prompt, and read one of 128, one program after the other and round after round, so that what disturbs the
machine disturbs both; medians are printed. A ratio is llama.cpp's time over Saccade's.
"""
import argparse
import json
import os
import statistics
import subprocess

PROMPT, GENERATED = 128, 32


def run(*words):
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def ours(arguments, model):
    reported = run(arguments.saccade, "bench", "folder", model, "--json")
    reported = reported.get("folder", reported)
    return 1e3 / reported["token_ms"], 1e3 * PROMPT / reported["prompt_ms"]


def theirs(arguments, model):
    reported = run(arguments.bench, "-m", model, "-t", str(arguments.threads), "-p", str(PROMPT), "-n", str(GENERATED), "-r", "3", "-o", "json")
    speed = {bool(one["n_gen"]): one["avg_ts"] for one in reported}
    return speed[True], speed[False]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", metavar="LLAMA_BENCH")
    parser.add_argument("models", nargs="+", metavar="MODEL.gguf")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--saccade", default="build/release/saccade")
    arguments = parser.parse_args()
    print(f"{'tokens a second':32} {'saccade':>7} {'llama':>7} {'ratio':>6}   {f'prompt {PROMPT}':>10} {'llama':>7} {'ratio':>6}")
    for model in arguments.models:
        pairs = [(ours(arguments, model), theirs(arguments, model)) for _ in range(arguments.rounds)]
        row = f"{os.path.basename(model)[-32:]:32}"
        for what, width in ((0, 7), (1, 10)):
            mine, other = (statistics.median(pair[who][what] for pair in pairs) for who in (0, 1))
            row += f" {mine:{width}.1f} {other:7.1f} {statistics.median(a[what] / b[what] for a, b in pairs):6.2f}  "
        print(row.rstrip(), flush=True)
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
