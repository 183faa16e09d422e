#!/usr/bin/env python3
"""The tiny LLaMA, Qwen2 and GPT-2 of data as llama.cpp's converter writes them: data/gguf/NAME.gguf; and a file with a tensor of
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
LLAMA = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
LLAMA_LAYER = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
               "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
GPT2 = {"transformer.wte": "token_embd", "transformer.wpe": "position_embd", "transformer.ln_f": "output_norm", "lm_head": "output"}
GPT2_LAYER = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}


def tensors(folder):
    with safe_open(os.path.join(DATA, folder, "model.safetensors"), "pt") as file:
        return {name: file.get_tensor(name).float().numpy() for name in file.keys()}


def paired(x, heads):
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def write_model(folder, architecture, whole, layer, layers, keys):
    with open(os.path.join(DATA, folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    with open(os.path.join(DATA, folder, "vocab.json"), encoding="utf-8") as file:
        tokens = sorted(json.load(file).items(), key=lambda pair: pair[1])
    with open(os.path.join(DATA, folder, "merges.txt"), encoding="utf-8") as file:
        merges = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    writer = gguf.GGUFWriter(os.path.join(OUT, folder + ".gguf"), architecture)
    for name, key in keys.items():
        value = config.get(key)
        if value is not None:
            (writer.add_float32 if isinstance(value, float) else writer.add_uint32)(f"{architecture}.{name}", value)
    heads = config.get("num_attention_heads")
    rope = config.get("rope_parameters") or ({"rope_theta": config["rope_theta"], "rope_type": "default"} if "rope_theta" in config else None)
    if rope:
        depth = config["hidden_size"] // heads
        writer.add_uint32(f"{architecture}.rope.dimension_count", depth)
        writer.add_float32(f"{architecture}.rope.freq_base", rope["rope_theta"])
        if rope["rope_type"] == "llama3":  # a divisor for each frequency
            turns = rope["original_max_position_embeddings"] / (2 * np.pi * rope["rope_theta"] ** (np.arange(0, depth, 2) / depth))
            stays = np.clip((turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"]), 0, 1)
            writer.add_tensor("rope_freqs.weight", (1 / (stays + (1 - stays) / rope["factor"])).astype(np.float32))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_types([1] * len(tokens))
    writer.add_token_merges(merges)
    for name, x in tensors(folder).items():
        stem, ending = name.rsplit(".", 1)
        if name.startswith(layers):
            number, stem = stem[len(layers):].split(".", 1)
            theirs = f"blk.{number}.{layer[stem]}.{ending}"
        else:
            theirs = f"{whole[stem]}.{ending}"
        if architecture == "llama" and stem.endswith(("q_proj", "k_proj")):
            x = paired(x, heads if stem.endswith("q_proj") else config["num_key_value_heads"])
        if architecture == "gpt2" and x.ndim == 2 and stem in layer:
            x = x.T.copy()
        writer.add_tensor(theirs, x)
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
KEYS = {"context_length": "max_position_embeddings", "embedding_length": "hidden_size", "block_count": "num_hidden_layers", "feed_forward_length": "intermediate_size",
        "attention.head_count": "num_attention_heads", "attention.head_count_kv": "num_key_value_heads", "attention.layer_norm_rms_epsilon": "rms_norm_eps"}
write_model("llama", "llama", LLAMA, LLAMA_LAYER, "model.layers.", KEYS)
write_model("qwen2", "qwen2", LLAMA, LLAMA_LAYER, "model.layers.", KEYS)
write_model("gpt2", "gpt2", GPT2, GPT2_LAYER, "transformer.h.",
            {"context_length": "n_positions", "embedding_length": "n_embd", "block_count": "n_layer", "feed_forward_length": "n_inner", "attention.head_count": "n_head",
             "attention.layer_norm_epsilon": "layer_norm_epsilon"})
write_forms()
