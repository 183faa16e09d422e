#!/usr/bin/env python3
"""Tiny models of data as llama.cpp's converter writes them: data/gguf/NAME.gguf; and a file with a tensor of
every form of numbers that is read, of random blocks, with what gguf makes of them: data/gguf/forms.gguf, forms.safetensors.

    make_gguf.py                   # into data, beside this file; needs gguf, numpy and safetensors, the tests need none of them"""
import json
import os

import gguf
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
OUT = os.path.join(DATA, "gguf")
FORMS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "F16", "F32", "BF16")


def tensors(folder):
    with safe_open(os.path.join(DATA, folder, "model.safetensors"), "pt") as file:
        return {name: file.get_tensor(name).float().numpy() for name in file.keys()}


def paired(x, heads):
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def write_rope(writer, architecture, config):
    heads = config["num_attention_heads"]
    depth = config.get("head_dim") or config["hidden_size"] // heads
    rope = config.get("rope_parameters") or {"rope_theta": config["rope_theta"], "rope_type": "default"}
    if "full_attention" in rope:
        writer.add_float32(f"{architecture}.rope.freq_base_swa", rope["sliding_attention"]["rope_theta"])
        rope = rope["full_attention"]
    writer.add_rope_dimension_count(int(depth * rope.get("partial_rotary_factor", 1)))
    writer.add_rope_freq_base(rope["rope_theta"])
    if config.get("head_dim"):
        writer.add_key_length(depth)
        writer.add_value_length(depth)
    if rope["rope_type"] == "llama3":  # a divisor for each frequency
        turns = rope["original_max_position_embeddings"] / (2 * np.pi * rope["rope_theta"] ** (np.arange(0, depth, 2) / depth))
        stays = np.clip((turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"]), 0, 1)
        writer.add_tensor("rope_freqs.weight", (1 / (stays + (1 - stays) / rope["factor"])).astype(np.float32))
    if rope["rope_type"] == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "longrope":
        trained, longest = rope["original_max_position_embeddings"], config["max_position_embeddings"]
        writer.add_rope_scaling_orig_ctx_len(trained)
        writer.add_rope_scaling_attn_factors(float(np.sqrt(1 + np.log(longest / trained) / np.log(trained))))
        for length in ("short", "long"):
            writer.add_tensor(f"rope_factors_{length}.weight", np.array(rope[length + "_factor"], np.float32))


def write_gemma(writer, architecture, config):
    writer.add_sliding_window(config["sliding_window"])
    writer.add_array(f"{architecture}.attention.sliding_window_pattern", [kind == "sliding_attention" for kind in config["layer_types"]])
    writer.add_float32(f"{architecture}.attention.scale", config["query_pre_attn_scalar"] ** -0.5)
    if architecture == "gemma2":
        writer.add_attn_logit_softcapping(config["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"])


def together(x, heads):
    """Query, key and value of all heads, one after the other."""
    return x.reshape(heads, 3, x.shape[0] // heads // 3, *x.shape[1:]).swapaxes(0, 1).reshape(x.shape)


def write_model(folder, architecture, called=None, blocks=None, split=0):
    with open(os.path.join(DATA, folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    with open(os.path.join(DATA, folder, "vocab.json"), encoding="utf-8") as file:
        tokens = sorted(json.load(file).items(), key=lambda pair: pair[1])
    with open(os.path.join(DATA, folder, "merges.txt"), encoding="utf-8") as file:
        merges = [line for line in file.read().splitlines() if line and not line.startswith("#")]

    def value(*names):
        return next((config[name] for name in names if config.get(name) is not None), None)

    writer = gguf.GGUFWriter(os.path.join(OUT, (called or folder) + ".gguf"), architecture, split_max_tensors=split)
    layers, heads = value("num_hidden_layers", "n_layer"), value("num_attention_heads", "n_head")
    writer.add_context_length(value("max_position_embeddings", "n_positions") or 64)
    writer.add_embedding_length(value("hidden_size", "n_embd"))
    writer.add_block_count(layers)
    writer.add_feed_forward_length(value("intermediate_size", "n_inner") or 4 * value("n_embd", "hidden_size"))
    writer.add_head_count(heads)
    if architecture in ("gpt2", "bloom", "gptneox"):
        writer.add_layer_norm_eps(value("layer_norm_epsilon", "layer_norm_eps"))
    if architecture == "gptneox":
        writer.add_parallel_residual(config["use_parallel_residual"])
        write_rope(writer, architecture, config)
    if architecture.startswith("gemma"):
        write_gemma(writer, architecture, config)
    if architecture not in ("gpt2", "bloom", "gptneox"):
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        write_rope(writer, architecture, config)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_types([1] * len(tokens))
    writer.add_token_merges(merges)
    kind = next(kind for kind, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(kind, layers)
    for name, x in tensors(folder).items():
        if architecture.startswith("gemma") and name.endswith("norm.weight"):
            x = x + 1
        if "query_key_value" in name:
            x = together(x, heads)
        if architecture in ("llama", "smollm3") and name.endswith(("q_proj.weight", "k_proj.weight")):
            x = paired(x, heads if name.endswith("q_proj.weight") else config["num_key_value_heads"])
        if architecture == "gpt2" and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
            x = x.T.copy()
        name = names.get_name(name.removeprefix("transformer.") if architecture == "bloom" else name, try_suffixes=(".weight", ".bias"))
        if blocks and x.ndim == 2 and x.shape[1] % 32 == 0:  # gguf shapes quantised tensors by their bytes
            kind = gguf.GGMLQuantizationType[blocks]
            writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(x, np.float32), kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, x)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_forms():
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(os.path.join(OUT, "forms.gguf"), "llama")
    expected = {}
    for name in FORMS:
        kind = gguf.GGMLQuantizationType[name]
        numbers, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = random.integers(0, 256, (2, 512 // numbers, size), np.uint8)
        # scales of float16, and numbers of 16 and 32 bits: finite and of a usual size
        scales = {"F32": [3], "F16": [1], "BF16": [1], "Q6_K": [209], "Q4_0": [1], "Q5_0": [1], "Q8_0": [1]}.get(name, [1, 3])
        blocks[:, :, scales] = blocks[:, :, scales] & 0x80 | 0x38
        raw = blocks.reshape(2, -1)
        writer.add_tensor(name, raw, raw_shape=raw.shape, raw_dtype=kind)
        expected[name] = gguf.quants.dequantize(raw, kind).astype(np.float32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    save_file(expected, os.path.join(OUT, "forms.safetensors"))


os.makedirs(OUT, exist_ok=True)
for model in ("llama", "qwen2", "qwen3", "phi3", "olmo2", "gpt2"):
    write_model(model, model)
for model, architecture in (("gemma2", "gemma2"), ("gemma3", "gemma3"), ("gpt_neox", "gptneox"), ("bloom", "bloom")):
    write_model(model, architecture)
write_model("llama", "smollm3", "smollm3")
write_model("qwen2", "qwen2", "qwen2_split", split=14)
for model, architecture, form in (("llama", "llama", "Q8_0"), ("phi3", "phi3", "Q4_0"), ("gpt_neox", "gptneox", "Q4_1")):
    write_model(model, architecture, f"{model}_{form}", form)
write_forms()
