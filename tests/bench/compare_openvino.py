#!/usr/bin/env python3
"""A vision transformer, or a prompt of a language model, in saccade, PyTorch and OpenVINO, in float32 and in bfloat16, of the same folder.

    venv/bin/python tests/bench/compare_openvino.py [FOLDER] [--sizes vit-l-14-518] [--prompt 4096] [--rounds 5] [--threads 2]
        [--numbers float32,bfloat16] [--saccade build/release/saccade]

Without a folder one of ViT-B/16's sizes (197 tokens) is made, of ViT-L/14's at 518 pixels (1370 tokens), or of SmolLM2-135M's, whose weights are random. All go through all layers with
a picture, or with a prompt of so many tokens, one after
the other and round after round, so that what disturbs the machine disturbs all. Medians of the rounds, by the clock and of
processors (OpenVINO's and PyTorch's threads wait for each other, spinning). A ratio is how many times as long the other
takes as saccade in the same numbers.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import openvino
import tokenizers
import torch
import transformers


SIZES = {
    "vit-b-16": {},
    "vit-l-14-518": dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, image_size=518, patch_size=14),
    "smollm2-135m": None,
}


def make_llama(folder):
    """A folder that continues a text has to have a tokenizer: of one letter a token."""
    config = transformers.LlamaConfig(vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9,
                                      num_key_value_heads=3, max_position_embeddings=8192, tie_word_embeddings=True)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({f"w{i}": i for i in range(config.vocab_size)}, []))
    tokenizer.save(os.path.join(folder, "tokenizer.json"))


def make(folder, sizes):
    torch.manual_seed(1)
    if sizes == "smollm2-135m":
        make_llama(folder)
        return
    config = transformers.ViTConfig(**SIZES[sizes])
    transformers.ViTModel(config, add_pooling_layer=False).eval().save_pretrained(folder)
    side = config.image_size
    transformers.ViTImageProcessor(size={"height": side, "width": side}).save_pretrained(folder)


def timed(call):
    start = time.perf_counter(), time.process_time()
    call()
    return [1e3 * (end - begin) for begin, end in zip(start, (time.perf_counter(), time.process_time()))]


def ours(arguments, folder, storage):
    words = [arguments.saccade, "bench", "folder", folder, "--storage", storage, "--json"]
    reported = json.loads(subprocess.run(words + ["--prompt", str(arguments.prompt)], capture_output=True, text=True, check=True).stdout)
    return [reported["prompt_ms"], reported["prompt_cpu_ms"]] if "prompt_ms" in reported else [reported["ms"], reported["cpu_ms"]]


def with_openvino(model, inputs, arguments, numbers):
    converted = openvino.convert_model(model, example_input=inputs)
    settings = {"INFERENCE_PRECISION_HINT": {"float32": "f32", "bfloat16": "bf16"}[numbers],
                "INFERENCE_NUM_THREADS": arguments.threads, "PERFORMANCE_HINT": "LATENCY"}
    compiled = openvino.Core().compile_model(converted, "CPU", settings)
    arrays = {name: values.numpy() for name, values in inputs.items()}
    return lambda: compiled(arrays)


def load(folder, numbers):
    """Without the last product, which saccade computes of the last token alone."""
    model = transformers.AutoModel.from_pretrained(folder, dtype=numbers).eval()
    model.config.use_cache = False
    return model


def make_inputs(model, prompt):
    if not hasattr(model.config, "image_size"):
        return {"input_ids": torch.arange(prompt)[None] % 8, "attention_mask": torch.ones(1, prompt, dtype=torch.int64)}
    side = model.config.image_size
    height, width = (side, side) if isinstance(side, int) else side
    return {"pixel_values": torch.rand(1, 3, height, width)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--sizes", choices=SIZES, default="vit-b-16", help="of the folder that is made")
    parser.add_argument("--prompt", type=int, default=128, help="tokens, of a language model")
    parser.add_argument("--numbers", default="float32,bfloat16")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--saccade", default="build/release/saccade")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as made:
        folder = arguments.folder or made
        if not arguments.folder:
            make(folder, arguments.sizes)
        model = load(folder, torch.float32)
        inputs = make_inputs(model, arguments.prompt)
        for numbers in arguments.numbers.split(","):
            kind = getattr(torch, numbers)
            typed, rounded = load(folder, kind), {name: values.to(kind) if values.is_floating_point() else values for name, values in inputs.items()}
            others = {"OpenVINO": with_openvino(model, inputs, arguments, numbers), "PyTorch": lambda: typed(**rounded)}
            with torch.no_grad():
                for call in others.values():
                    call()
                rounds = [{"saccade": ours(arguments, folder, numbers),
                           **{name: [statistics.median(many) for many in zip(*(timed(call) for _ in range(5)))]
                              for name, call in others.items()}} for _ in range(arguments.rounds)]
            for name in rounds[0]:
                clock, cpu = (statistics.median(r[name][i] for r in rounds) for i in range(2))
                by_clock, by_cpu = (statistics.median(r[name][i] / r["saccade"][i] for r in rounds) for i in range(2))
                print(f"{numbers:9} {name:9} {clock:7.1f} ms, of processors {cpu:7.1f} ms, ratio {by_clock:.2f}, {by_cpu:.2f}")
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
