#!/usr/bin/env python3
"""Attention by saccade beside PyTorch, CLBlast and OpenBLAS on the same CPU, or beside PyTorch on the
same NVIDIA GPU (--gpu): a table of ratios.

    python3 -m venv venv && venv/bin/pip install torch
    venv/bin/python tests/bench/compare_torch.py [--saccade build/release/saccade]
                                                 [--openblas libopenblas.so.0] [--case NAME …] [--gpu]

Everything runs on the same number of threads and on the same processors, one after the other and
round after round, so that what disturbs the machine disturbs all. Times are medians; a ratio over 1
is how many times as long the other takes. The machine should be doing nothing else.

    torch     scaled_dot_product_attention; for other scores, the formula as one writes it down;
              of a backward pass, forward and the gradients of query, key and value;
              of 1.5-entmax and sparsemax, two products and the package entmax between them, where
              that is installed (pip install entmax)
    clblast   two products by CLBlast and a softmax between them (`clblast_attention.c`)
    openblas  two products by OpenBLAS and PyTorch's softmax between them
"""
import argparse
import ctypes
import ctypes.util
import json
import math
import os
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

try:
    import entmax
except ImportError:
    entmax = None

CASES = ["128", "512", "1000", "1024", "4096", "16384", "2048-d32", "2048-d80", "2048-d128",
         "4096-causal", "2048-padding", "query", "tile", "tile-new",
         "additive", "gaussian", "1024-entmax15", "4096-entmax15", "1024-sparsemax",
         "4096-sparsemax", "entmax15-backward", "sparsemax-backward", "1024-backward", "4096-backward",
         "d128-backward", "causal-backward"]
GPU_CASES = ["1024", "4096", "16384", "2048-d128", "4096-d128", "4096-causal", "2048-padding", "query",
             "1024-float16", "4096-float16", "16384-float16", "4096-d128-float16",
             "4096-causal-float16", "1024-entmax15", "4096-entmax15", "4096-sparsemax",
             "entmax15-backward", "sparsemax-backward", "1024-backward", "4096-backward", "d128-backward",
             "causal-backward"]
PEERS = ["torch", "clblast", "openblas"]
STORAGES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
LEAST_RUNS, ROUND_SECONDS, MOST_RUNS = 2, 0.4, 50
MOST_SCORES = 2**28  # floats of the matrices that the pairs of products keep


def fail(text):
    sys.exit(f"compare_torch: {text}")


# ---------------------------------------------------------------- timing


def time_runs(run, finish=lambda: None):
    """Seconds of each of a few runs; one before them does not count. finish: waits for a GPU."""
    run()
    finish()
    times, begin = [], time.perf_counter()
    while len(times) < LEAST_RUNS or (time.perf_counter() - begin < ROUND_SECONDS
                                      and len(times) < MOST_RUNS):
        start = time.perf_counter()
        run()
        finish()
        times.append(time.perf_counter() - start)
    return times


def run_json(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        fail(done.stderr.strip() or f"{command} failed")
    return json.loads(done.stdout)


def clblast_ms(program, case):
    """The median of CLBlast's products, by the program that is built beside saccade."""
    peer = os.path.join(os.path.dirname(program), "tests/bench/clblast_attention")
    sizes = [str(case[size]) for size in ["heads", "tokens", "keys", "dim"]]
    return run_json([peer, *sizes, case["mask"]])["ms"]


def bench(program, name):
    """The output of `saccade bench attention` for one case: the whole, and the case in it."""
    command = [program, "bench", "attention", "--json", "--case", name]
    whole = run_json(command)
    return whole, whole["cases"][0]


# ---------------------------------------------------------------- OpenBLAS


class OpenBlas:
    """cblas_sgemm on PyTorch's own memory."""

    ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112

    def __init__(self, path, threads):
        self.library = ctypes.CDLL(path)
        self.library.openblas_set_num_threads(threads)
        self.library.openblas_get_config.restype = ctypes.c_char_p

    def name(self):
        return " ".join(self.library.openblas_get_config().decode().split()[:2])

    def product(self, a, b, c, transposed=False, scale=1.0):
        """c [m,n] = scale · a [m,k] b, where b is [k,n], or [n,k] if transposed."""
        (m, k), n = a.shape, c.shape[1]
        self.library.cblas_sgemm(
            self.ROW_MAJOR, self.PLAIN, self.TRANSPOSED if transposed else self.PLAIN,
            m, n, k, ctypes.c_float(scale), ctypes.c_void_p(a.data_ptr()), k,
            ctypes.c_void_p(b.data_ptr()), k if transposed else n, ctypes.c_float(0.0),
            ctypes.c_void_p(c.data_ptr()), n)

    def rate(self, size=2048):
        """GFLOP/s of a product of two square matrices."""
        a, b, c = (torch.randn(size, size) for _ in range(3))
        seconds = min(time_runs(lambda: self.product(a, b, c)))
        return 2 * size**3 / seconds * 1e-9


def open_blas(path, threads):
    names = [path] if path else [ctypes.util.find_library("openblas"), "libopenblas.so.0"]
    for name in filter(None, names):
        try:
            return OpenBlas(name, threads)
        except OSError:
            pass
    if path:
        fail(f"{path} cannot be loaded")
    return None


# ---------------------------------------------------------------- the cases, in PyTorch


class Inputs:
    """Query, key and value [H,T,d] of a case, and its mask (True: takes part)."""

    def __init__(self, case, device="cpu"):
        self.case = case
        heads, dim = case["heads"], case["dim"]
        torch.manual_seed(1)
        kind = {"device": device, "dtype": STORAGES[case["storage"]] if device == "cuda" else None}
        self.query = torch.randn(heads, case["tokens"], dim, **kind)
        self.key = torch.randn(heads, case["keys"], dim, **kind)
        self.value = torch.randn(heads, case["keys"], dim, **kind)
        self.mask = None
        if case["mask"] == "padding":
            self.mask = torch.arange(case["keys"], device=device)[None, :] < case["keys"] // 8 * 7
        self.causal = case["mask"] == "causal"

    def hidden(self):
        """What of the scores [Tq,Tk] no query may see; None: nothing."""
        if self.causal:
            return torch.ones(self.case["tokens"], self.case["keys"], dtype=torch.bool).triu(1)
        return None if self.mask is None else ~self.mask


def scaled_dot(x):
    query, key, value = (part[None] for part in (x.query, x.key, x.value))
    return lambda: F.scaled_dot_product_attention(query, key, value, attn_mask=x.mask,
                                                  is_causal=x.causal)


def with_package(normalizer, query, key, value):
    """Exact: the package sorts each row."""
    weigh = getattr(entmax, normalizer)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    return weigh(scores, dim=-1) @ value


def sparse(x):
    return lambda: with_package(x.case["normalizer"], x.query, x.key, x.value)


def backward(x):
    """Forward, too: a call of saccade's computes it again."""
    with torch.inference_mode(False):
        leaves = [part[None].clone().requires_grad_() for part in (x.query, x.key, x.value)]
        slopes = torch.randn_like(leaves[0])

    def run():
        with torch.inference_mode(False):
            output = (F.scaled_dot_product_attention(*leaves, is_causal=x.causal)
                      if x.case["normalizer"] == "softmax"
                      else with_package(x.case["normalizer"], *leaves))
            return torch.autograd.grad(output, leaves, slopes)

    return run


def additive(x):
    """Projected before, as saccade's are; then w · tanh(q + k) over a [Tq,Tk,h] of its own."""
    weight = torch.randn(x.case["dim"])

    def run():
        sums = torch.tanh(x.query[:, :, None, :] + x.key[:, None, :, :])
        return torch.softmax(sums @ weight, -1) @ x.value

    return run


def gaussian(x, inverse_width=0.1):
    def run():
        squares = (x.query**2).sum(-1)[:, :, None] + (x.key**2).sum(-1)[:, None, :]
        distances = torch.baddbmm(squares, x.query, x.key.transpose(1, 2), alpha=-2)
        return torch.softmax(distances * (-0.5 * inverse_width**2), -1) @ x.value

    return run


def tile(x):
    """512 rows of the matrix, of which 512 columns are wanted; other rows each time. Where their
    log-sum-exps are known, the square alone is computed."""
    side, scale, at = x.case["tile"], 1 / math.sqrt(x.case["dim"]), [0]
    known = torch.randn(side, 1)

    def square():
        row = at[0]
        at[0] = (row + side) % x.case["tokens"]
        scores = x.query[0, row:row + side] @ x.key[0, row:row + side].T * scale
        return torch.exp(scores - known)

    def run():
        row = at[0]
        at[0] = (row + side) % x.case["tokens"]
        scores = x.query[0, row:row + side] @ x.key[0].T * scale
        return torch.softmax(scores, -1)[:, row:row + side].contiguous()

    return square if x.case["rows_known"] else run


def torch_run(case, device):
    x = Inputs(case, device)
    if case["tile"]:
        return tile(x)
    if case["backward"]:
        return backward(x)
    if case["normalizer"] != "softmax":
        return sparse(x)
    return {"scaled-dot": scaled_dot, "additive": additive, "gaussian": gaussian}[case["score"]](x)


def openblas_run(blas, case):
    """Head by head, so that one matrix of scores is all that is kept."""
    x = Inputs(case)
    scores, weights = (torch.empty(case["tokens"], case["keys"]) for _ in range(2))
    output, scale, hidden = torch.empty_like(x.query), 1 / math.sqrt(case["dim"]), x.hidden()

    def run():
        for head in range(case["heads"]):
            blas.product(x.query[head], x.key[head], scores, transposed=True, scale=scale)
            if hidden is not None:
                scores.masked_fill_(hidden, -math.inf)
            torch.softmax(scores, -1, out=weights)
            blas.product(weights, x.value[head], output[head])
        return output

    away = (run() - scaled_dot(x)()[0]).abs().max().item()
    if not away < 1e-4:
        fail(f"OpenBLAS and PyTorch differ by {away} on {case['name']}")
    return run


# ---------------------------------------------------------------- rounds and table


def has_pair(case, device):
    if device == "cuda":
        return False
    scores = case["tokens"] * case["keys"]
    return (case["score"] == "scaled-dot" and case["normalizer"] == "softmax" and not case["tile"] and not case["backward"]
            and scores <= MOST_SCORES)


def measure_case(program, blas, name, device, found):
    """One round of a case, added to its entry."""
    whole, case = bench(program, name)
    entry = found.setdefault(name, {who: [] for who in ["saccade", "share", *PEERS]})
    entry.update(case=case, whole=whole)
    entry["saccade"].append(case["ms"])
    entry["share"].append(case["share_of_limit"])
    if case["normalizer"] != "softmax" and not entmax:
        return
    finish = torch.cuda.synchronize if device == "cuda" else lambda: None
    entry["torch"] += [1e3 * t for t in time_runs(torch_run(case, device), finish)]
    if not has_pair(case, device):
        return
    entry["clblast"].append(clblast_ms(program, case))
    if blas:
        entry["openblas"] += [1e3 * t for t in time_runs(openblas_run(blas, case))]


def measure(options, blas):
    """{case: {"case": what saccade generated last, "saccade": [ms], "torch": [ms], …}}"""
    found = {}
    for round_number in range(options.rounds):
        for name in options.case:
            print(f"round {round_number + 1} of {options.rounds}: {name}", file=sys.stderr)
            measure_case(options.saccade, blas, name, "cuda" if options.gpu else "cpu", found)
    return found


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else os.uname().machine


def print_table(options, blas, found, rates):
    where = torch.cuda.get_device_name() if options.gpu else f"{machine()}, {options.threads} threads"
    print(f"{where}; PyTorch {torch.__version__}"
          + (f", {blas.name()}" if blas else "" if options.gpu else ", no OpenBLAS"))
    print(f"saccade on {next(iter(found.values()))['whole']['device']}; medians of "
          f"{options.rounds} rounds; × : times as long as saccade takes")
    peers = PEERS[:1] if options.gpu else PEERS
    print(f"\n{'case':19} {'saccade ms':>10} {'GFLOP/s':>9} {'share':>12}"
          + "".join(f"{peer + ' ms':>13} {'×':>6}" for peer in peers))
    for name, entry in found.items():
        ms = statistics.median(entry["saccade"])
        rate = entry["case"]["gflops"] * entry["case"]["ms"] / ms
        line = (f"{name:19} {ms:10.3f} {rate:9.1f} {statistics.median(entry['share']):4.2f} of "
                f"{entry['case']['limit']}")
        for peer in peers:
            other = statistics.median(entry[peer]) if entry[peer] else None
            line += f"{other:13.3f} {other / ms:6.2f}" if other else f"{'–':>13} {'–':>6}"
        print(line)
    if rates:
        print(f"\nOpenBLAS sgemm 2048³: {max(rates):.1f} GFLOP/s")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saccade", default="build/release/saccade", help="the program")
    parser.add_argument("--openblas", help="its shared library, where it is not found by itself")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", nargs="+", help="of `saccade bench attention`")
    parser.add_argument("--gpu", action="store_true", help="both on an NVIDIA GPU")
    options = parser.parse_args()
    options.case = options.case or (GPU_CASES if options.gpu else CASES)
    if not os.access(options.saccade, os.X_OK):
        fail(f"there is no program {options.saccade}; give --saccade")
    return options


def main():
    options = arguments()
    processors = sorted(os.sched_getaffinity(0))[:options.threads]
    os.sched_setaffinity(0, processors)  # the programs started below stay on them, too
    os.environ.setdefault("SACCADE_DEVICE", "gpu" if options.gpu else "cpu")
    os.environ["POCL_MAX_PTHREAD_COUNT"] = str(options.threads)
    torch.set_num_threads(options.threads)
    blas = None if options.gpu else open_blas(options.openblas, options.threads)
    rates = [blas.rate()] if blas else []
    with torch.inference_mode():
        found = measure(options, blas)
    if blas:
        rates.append(blas.rate())
    print_table(options, blas, found, rates)


if __name__ == "__main__":
    main()
