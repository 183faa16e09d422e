#!/usr/bin/env python3
"""Tiny models of data as llama.cpp's converter writes them: data/gguf/NAME.gguf; and a file with a tensor of
every form of numbers that is read, of random blocks, with what gguf makes of them: data/gguf/forms.gguf, forms.safetensors.

    make_gguf.py                   # into data, beside this file; needs gguf, numpy and safetensors, the tests need none of them"""
import json
import os
import re

import gguf
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
OUT = os.path.join(DATA, "gguf")
FORMS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "F16", "F32", "BF16", "Q2_K", "Q3_K", "IQ4_NL", "IQ4_XS")

# of transformers, as of the models' own files
INTERNVL = {r"encoder\.layer\.": "vision_model.encoder.layers.", "layernorm_before": "norm1", "layernorm_after": "norm2", r"attention\.([qk])_norm": r"attn.\1_norm",
            r"attention\.projection_layer": "attn.proj", r"attention\.": "self_attn.", "lambda_([12])$": r"ls\1.weight", r"embeddings\.cls_token": "vision_model.embeddings.class_embedding",
            r"embeddings\.position_embeddings": "vision_model.embeddings.position_embedding.weight",
            r"embeddings\.patch_embeddings\.projection": "vision_model.embeddings.patch_embedding",
            r"multi_modal_projector\.layer_norm": "mlp1.0", r"multi_modal_projector\.linear_1": "mlp1.1", r"multi_modal_projector\.linear_2": "mlp1.3"}
CLIP_MEAN, CLIP_DEVIATION = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)


def tensors(folder):
    with safe_open(os.path.join(DATA, folder, "model.safetensors"), "pt") as file:
        found = {name: file.get_tensor(name) for name in file.keys()}
    return {name: (x.float() if x.is_floating_point() else x).numpy() for name, x in found.items()}


def paired(x, heads):
    return x.reshape(heads, 2, x.shape[0] // heads // 2, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def write_rope(writer, architecture, config):
    heads = config["num_attention_heads"]
    depth = config.get("head_dim") or config["hidden_size"] // heads
    rope = config.get("rope_parameters") or {"rope_theta": config["rope_theta"], "rope_type": "default"}
    if "full_attention" in rope and architecture != "olmo2":  # of OLMo 3 both have one base
        writer.add_float32(f"{architecture}.rope.freq_base_swa", rope["sliding_attention"]["rope_theta"])
    rope = rope.get("full_attention", rope)
    section = (config.get("rope_scaling") or rope).get("mrope_section")
    if section:
        writer.add_rope_dimension_sections([*section, 0])
    writer.add_rope_dimension_count(int(depth * rope.get("partial_rotary_factor", 1)))
    writer.add_rope_freq_base(rope["rope_theta"])
    if config.get("head_dim"):
        writer.add_key_length(depth)
        writer.add_value_length(depth)
    if rope["rope_type"] == "llama3":  # a divisor for each frequency
        turns = rope["original_max_position_embeddings"] / (2 * np.pi * rope["rope_theta"] ** (np.arange(0, depth, 2) / depth))
        stays = np.clip((turns - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"]), 0, 1)
        writer.add_tensor("rope_freqs.weight", (1 / (stays + (1 - stays) / rope["factor"])).astype(np.float32))
    if rope["rope_type"] == "yarn":
        if architecture != "gptoss":
            writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        writer.add_rope_scaling_yarn_beta_fast(rope.get("beta_fast", 32))
        writer.add_rope_scaling_yarn_beta_slow(rope.get("beta_slow", 1))
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


def grouped(x, heads, kv):
    """Queries of all heads, then keys, then values, of rows of a head of keys with its queries."""
    x = x.reshape(kv, heads // kv + 2, -1, x.shape[-1])
    return np.concatenate([part.reshape(-1, x.shape[-1]) for part in (x[:, :-2], x[:, -2:-1], x[:, -1:])])


def write_layer_norm(writer, architecture, config):
    """Of decoders after LLaMA whose norms are of layers, and what Granite and Cohere multiply."""
    writer.add_layer_norm_eps(next((config[name] for name in ("layer_norm_eps", "norm_epsilon", "layer_norm_epsilon") if name in config), 1e-5))
    if architecture == "stablelm":
        writer.add_parallel_residual(config["use_parallel_residual"])
    if architecture in ("command-r", "cohere2"):
        writer.add_logit_scale(config["logit_scale"])
    if architecture == "falcon":
        writer.add_tensor_data_layout("jploski")


def write_windows(writer, architecture, config):
    writer.add_sliding_window(config["sliding_window"])
    if "layer_types" in config:
        writer.add_array(f"{architecture}.attention.sliding_window_pattern", [kind == "sliding_attention" for kind in config["layer_types"]])


def write_experts(writer, architecture, config):
    writer.add_expert_count(config.get("num_local_experts") or config["num_experts"])
    writer.add_expert_used_count(config["num_experts_per_tok"])
    if architecture == "qwen2moe":
        writer.add_expert_shared_feed_forward_length(config["shared_expert_intermediate_size"])
    if architecture in ("qwen2moe", "qwen3moe"):
        writer.add_expert_feed_forward_length(config["moe_intermediate_size"])
    if architecture == "gpt-oss":
        writer.add_expert_feed_forward_length(config["intermediate_size"])
    if config.get("sliding_window"):
        writer.add_sliding_window(config["sliding_window"])


def joined_experts(found):
    """Matrices of each expert as one tensor [E,F,D]."""
    apart = {}
    for name in [name for name in found if ".experts." in name]:
        before, number, behind = re.fullmatch(r"(.*\.experts)\.(\d+)\.(.*)", name).groups()
        apart.setdefault(f"{before}.{behind}", {})[int(number)] = found.pop(name)
    of_mixtral = re.compile(r"model\.(layers\.\d+)\.block_sparse_moe\.")
    return found | {of_mixtral.sub(r"\1.feed_forward.", name): np.stack([parts[k] for k in range(len(parts))]) for name, parts in apart.items()}


def of_gpt_oss(found):
    """Gates and values, which take turns, apart; matrices [E,F,D]; blocks of MXFP4 with their scale before them, in ggml's
    order: a byte has number i, and number i + 16."""
    made = {}
    for name, x in found.items():
        kind = None
        if name.endswith("_scales"):
            continue
        if name.endswith("_blocks"):
            numbers = np.stack([x & 15, x >> 4], -1).reshape(*x.shape[:-1], 32)
            x = np.concatenate([found[name.replace("_blocks", "_scales")][..., None], numbers[..., :16] | numbers[..., 16:] << 4], -1)
            x, kind, name = x.reshape(*x.shape[:2], -1), "MXFP4", name.removesuffix("_blocks") + ".weight"
        elif name.endswith("_proj_bias"):
            name = name.removesuffix("_bias") + ".bias"
        elif name.endswith("sinks"):
            name += ".weight"
        if "gate_up_proj" in name:
            made[name.replace("gate_up_proj", "gate_proj")] = x[:, ::2], kind
            made[name.replace("gate_up_proj", "up_proj")] = x[:, 1::2], kind
        else:
            made[name] = x, kind
    return made


def together(x, heads):
    """Query, key and value of all heads, one after the other."""
    return x.reshape(heads, 3, x.shape[0] // heads // 3, *x.shape[1:]).swapaxes(0, 1).reshape(x.shape)


def words_of(folder):
    """Tokens with their numbers, merges, and which tokens are special."""
    path = os.path.join(DATA, folder)
    if not os.path.exists(os.path.join(path, "vocab.json")):
        with open(os.path.join(path, "tokenizer.json"), encoding="utf-8") as file:
            known = json.load(file)
        special = {one["content"]: one["id"] for one in known["added_tokens"]}
        tokens = {**known["model"]["vocab"], **special}
        return sorted(tokens.items(), key=lambda pair: pair[1]), [" ".join(pair) for pair in known["model"]["merges"]], set(special)
    with open(os.path.join(path, "vocab.json"), encoding="utf-8") as file:
        tokens = sorted(json.load(file).items(), key=lambda pair: pair[1])
    with open(os.path.join(path, "merges.txt"), encoding="utf-8") as file:
        return tokens, [line for line in file.read().splitlines() if line and not line.startswith("#")], set()


def text_of(found):
    """The part that reads, of a model that answers about pictures, under its own names."""
    place = re.compile(r"^(model\.text_model|model\.language_model|language_model\.model|language_model(?=\.lm_head)|model(?=\.(?:layers|embed_tokens|norm)\.))\.")
    return {place.sub("" if "lm_head" in name else "model.", name): x for name, x in found.items() if place.match(name) or name.startswith("lm_head")}


def write_model(folder, architecture, called=None, blocks=None, split=0, apart=False):
    with open(os.path.join(DATA, folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    answers, levels = "vision_config" in config, config.get("vision_config", {}).get("deepstack_visual_indexes", [])
    config = config.get("text_config", config)
    tokens, merges, special = words_of(folder)

    def value(*names):
        return next((config[name] for name in names if config.get(name) is not None), None)

    writer = gguf.GGUFWriter(os.path.join(OUT, (called or folder) + ".gguf"), architecture, split_max_tensors=split)
    layers, heads = value("num_hidden_layers", "n_layer"), value("num_attention_heads", "n_head")
    writer.add_context_length(value("max_position_embeddings", "n_positions") or 64)
    writer.add_embedding_length(value("hidden_size", "n_embd"))
    writer.add_block_count(layers)
    writer.add_feed_forward_length(value("intermediate_size", "n_inner", "ffn_hidden_size") or 4 * value("n_embd", "hidden_size"))
    writer.add_head_count(heads)
    if architecture in ("gpt2", "bloom", "gptneox"):
        writer.add_layer_norm_eps(value("layer_norm_epsilon", "layer_norm_eps"))
    if architecture == "gptneox":
        writer.add_parallel_residual(config["use_parallel_residual"])
        write_rope(writer, architecture, config)
    if architecture in ("gemma2", "gemma3"):
        write_gemma(writer, architecture, config)
    if architecture not in ("gpt2", "bloom", "gptneox"):
        kv = config["num_key_value_heads"] if architecture != "falcon" else config["num_kv_heads"] if config["new_decoder_architecture"] else 1
        writer.add_head_count_kv(kv)
        if config.get("rms_norm_eps"):
            writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        else:
            write_layer_norm(writer, architecture, config)
        if architecture == "granite":
            writer.add_attention_scale(config["attention_multiplier"])
            writer.add_embedding_scale(config["embedding_multiplier"])
            writer.add_residual_scale(config["residual_multiplier"])
            writer.add_logit_scale(config["logits_scaling"])
        if config.get("sliding_window") and architecture in ("starcoder2", "cohere2", "olmo2"):
            write_windows(writer, architecture, config)
        write_rope(writer, architecture, config)
    if "num_experts_per_tok" in config:
        write_experts(writer, architecture, config)
    if levels:
        writer.add_num_deepstack_layers(len(levels))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-4o" if architecture == "gpt-oss" else "gpt-2")
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_types([3 if token in special else 1 for token, _ in tokens])
    writer.add_token_merges(merges)
    if answers:
        with open(os.path.join(DATA, folder, "chat_template.jinja"), encoding="utf-8") as file:
            writer.add_chat_template(file.read())
        if config.get("bos_token_id"):
            writer.add_bos_token_id(config["bos_token_id"])
    if isinstance(config.get("eos_token_id"), int) and config["eos_token_id"]:
        writer.add_eos_token_id(config["eos_token_id"])
    kind = next(kind for kind, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture.replace("gptoss", "gpt-oss"))
    names = gguf.get_tensor_name_map(kind, layers)
    found = text_of(tensors(folder)) if answers else tensors(folder)
    found = of_gpt_oss(found) if folder == "gpt_oss_mxfp4" else {name: (x, None) for name, x in joined_experts(found).items()}
    for name, (x, stored) in found.items():
        if architecture.startswith("gemma") and name.endswith("norm.weight"):
            x = x + 1
        if "query_key_value" in name and architecture == "falcon":
            x = grouped(x, heads, kv)
        elif "query_key_value" in name:
            x = together(x, heads)
        if architecture in ("llama", "smollm3", "granite", "olmo") and name.endswith(("q_proj.weight", "k_proj.weight")):
            x = paired(x, heads if name.endswith("q_proj.weight") else config["num_key_value_heads"])
        if architecture == "gpt2" and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
            x = x.T.copy()
        if name.endswith("shared_expert_gate.weight"):
            x = x[0]
        name = names.get_name(name.removeprefix("transformer.") if architecture == "bloom" else name, try_suffixes=(".weight", ".bias"))
        if architecture == "gptoss":  # as Ollama wrote it
            for theirs, its in (("attn_output", "attn_out"), ("attn_sinks.weight", "attn_sinks"), ("post_attention_norm", "ffn_norm")):
                name = name.replace(theirs, its)
        kind = gguf.GGMLQuantizationType[blocks or "F32"]
        if stored:  # a model of MXFP4 has experts alone in another form, if any
            mxfp4 = gguf.GGMLQuantizationType.MXFP4
            numbers = gguf.quants.quantize(gguf.quants.dequantize(x, mxfp4).astype(np.float32), kind) if blocks else x
            writer.add_tensor(name, numbers, raw_dtype=kind if blocks else mxfp4)
        elif blocks and folder != "gpt_oss_mxfp4" and x.ndim == 2 and x.shape[1] % 32 == 0:  # gguf shapes quantised tensors by their bytes
            writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(x, np.float32), kind), raw_dtype=kind)
        elif apart and "_exps" in name:  # as files of 2023 have experts
            for k, expert in enumerate(x):
                writer.add_tensor(name.replace("_exps", f".{k}"), expert)
        else:
            writer.add_tensor(name, x)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_vision(folder, projector, legacy=False):
    """What sees, in a file of its own beside model.gguf; legacy: before names of the network's matrices were mended."""
    with open(os.path.join(DATA, folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    with open(os.path.join(DATA, folder, "preprocessor_config.json"), encoding="utf-8") as file:
        rules = json.load(file)
    seen = config["vision_config"]
    if "depth" in seen:  # of Qwen2-VL llama.cpp's converter gives the tokens' width for that of the network
        seen |= {"num_hidden_layers": seen["depth"], "num_attention_heads": seen["num_heads"],
                 "image_size": int(seen.get("num_position_embeddings", 140 ** 2) ** 0.5 * seen["patch_size"])}
        if "embed_dim" in seen:
            seen |= {"hidden_size": seen["embed_dim"], "intermediate_size": seen["hidden_size"]}
    seen |= {name: seen[name][0] for name in ("image_size", "patch_size") if isinstance(seen[name], list)}
    layers = seen["num_hidden_layers"] - (projector == "mlp")  # LLaVA's own converter: up to the one that is taken
    writer = gguf.GGUFWriter(os.path.join(OUT, folder, "mmproj-model.gguf"), "clip")
    writer.add_clip_has_vision_encoder(True)
    writer.add_clip_projector_type(projector)
    writer.add_vision_projection_dim(config.get("text_config", config)["hidden_size"])
    writer.add_vision_image_size(seen["image_size"])
    writer.add_vision_patch_size(seen["patch_size"])
    writer.add_vision_embedding_length(seen["hidden_size"])
    writer.add_vision_feed_forward_length(seen["intermediate_size"])
    writer.add_vision_block_count(layers)
    writer.add_vision_head_count(seen["num_attention_heads"])
    writer.add_vision_attention_layernorm_eps(seen.get("layer_norm_eps", 1e-5))
    writer.add_vision_image_mean(rules.get("image_mean", CLIP_MEAN))
    writer.add_vision_image_std(rules.get("image_std", CLIP_DEVIATION))
    if projector == "qwen2.5vl_merger":
        writer.add_vision_use_silu(True)
        writer.add_vision_n_wa_pattern(seen["fullatt_block_indexes"][0] + 1)
        writer.add_uint32("clip.vision.window_size", seen["window_size"])
    elif projector != "qwen2vl_merger":
        (writer.add_vision_use_silu if projector == "pixtral" else writer.add_vision_use_gelu)(seen["hidden_act"] != "quick_gelu")
    if "depth" in seen:
        edges = rules.get("size", {})
        writer.add_uint32("clip.vision.image_min_pixels", edges.get("shortest_edge") or rules["min_pixels"])
        writer.add_uint32("clip.vision.image_max_pixels", edges.get("longest_edge") or rules["max_pixels"])
    if "spatial_merge_size" in config:
        writer.add_vision_spatial_merge_size(config["spatial_merge_size"])
    if projector == "idefics3":
        writer.add_vision_projector_scale_factor(config["scale_factor"])
        writer.add_uint32("clip.vision.preproc_image_size", rules["size"]["longest_edge"])
    if projector == "internvl":
        writer.add_vision_projector_scale_factor(int(1 / config["downsample_ratio"]))
        writer.add_uint32("clip.vision.preproc_min_tiles", rules["min_patches"])
        writer.add_uint32("clip.vision.preproc_max_tiles", rules["max_patches"])
    if projector == "gemma3":
        writer.add_vision_projector_scale_factor(int(seen["image_size"] // seen["patch_size"] // config["mm_tokens_per_image"] ** 0.5))
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.MMPROJ, max(layers, 4))  # numbers of the projector are among those of layers
    own = {"multi_modal_projector.linear_1": "mm.0", "multi_modal_projector.linear_2": "mm.2"} if projector == "mlp" else {}
    if projector == "qwen3vl_merger":
        own = {"visual.merger.norm": "v.post_ln", "visual.merger.linear_fc1": "mm.0", "visual.merger.linear_fc2": "mm.2"}
        writer.add_vision_is_deepstack_layers([layer in seen["deepstack_visual_indexes"] for layer in range(layers)])
        writer.add_vision_spatial_merge_size(seen["spatial_merge_size"])
    for name, x in tensors(folder).items():
        number = re.search(r"\.layers\.(\d+)\.", name)
        if not re.search("vision_tower|vision_model|connector|multi_modal_projector|visual", name) or (number and int(number[1]) >= layers):
            continue
        name = re.sub(r"^model\.(?=vision_tower|multi_modal|visual)", "", name).replace("_weight", ".weight")
        if "patch_embed.proj.weight" in name and x.ndim == 5:  # a tensor for each of two frames
            writer.add_tensor("v.patch_embd.weight", np.ascontiguousarray(x[:, :, 0]))
            writer.add_tensor("v.patch_embd.weight.1", np.ascontiguousarray(x[:, :, 1]))
            continue
        if "deepstack_merger_list" in name:  # by the number of its layer
            level, part, ending = re.search(r"list\.(\d+)\.(?:linear_)?(\w+)\.(\w+)$", name).groups()
            writer.add_tensor(f"v.deepstack.{seen['deepstack_visual_indexes'][int(level)]}.{part}.{ending}", x)
            continue
        if ".qkv." in name and projector != "qwen3vl_merger":
            for part, rows in zip("qkv", np.split(x, 3)):
                writer.add_tensor(names.get_name(name.replace("qkv", part), try_suffixes=(".weight", ".bias")), rows)
            continue
        if projector == "internvl":
            for ours, theirs in INTERNVL.items():
                name = re.sub(ours, theirs, name)
        elif projector != "pixtral":
            name = re.sub(r"^vision_tower\.(?!vision_model)", "vision_tower.vision_model.", name)
        elif name.endswith(("q_proj.weight", "k_proj.weight")):
            x = paired(x, seen["num_attention_heads"])
        stem, _, ending = name.rpartition(".")
        theirs = f"{own[stem]}.{ending}" if stem in own else names.get_name(name, try_suffixes=(".weight", ".bias"))
        if legacy and ".ffn_" in theirs:
            theirs = theirs.replace("ffn_up", "ffn_down") if "ffn_up" in theirs else theirs.replace("ffn_down", "ffn_up")
        writer.add_tensor(theirs, x + 1 if "soft_emb_norm" in name else x)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def phantom(token):
    """WordPiece in the form of llama.cpp: ▁ before what begins a word, and nothing before what goes on with one."""
    return token if re.fullmatch(r"\[[A-Z]+\]", token) else token[2:] if token.startswith("##") else "\u2581" + token


def write_embedding(folder, architecture, called=None, form=None):
    """A model that embeds texts, with its vocab.txt."""
    with open(os.path.join(DATA, folder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    with open(os.path.join(DATA, folder, "vocab.txt"), encoding="utf-8") as file:
        tokens = file.read().split("\n")[:-1]
    writer = gguf.GGUFWriter(os.path.join(OUT, (called or folder) + ".gguf"), architecture)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    if architecture == "nomic-bert":
        writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([phantom(token) for token in tokens])
    writer.add_token_types([3 if phantom(token) == token else 1 for token in tokens])
    writer.add_unk_token_id(tokens.index("[UNK]"))
    writer.add_sep_token_id(tokens.index("[SEP]"))
    writer.add_pad_token_id(tokens.index("[PAD]"))
    writer.add_bos_token_id(tokens.index("[CLS]"))
    kind = next(kind for kind, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(kind, config["num_hidden_layers"])
    for name, x in tensors(folder).items():
        if "pooler" in name or "position_ids" in name:
            continue
        name = names.get_name(name.removeprefix("bert."), try_suffixes=(".weight", ".bias"))
        if form and x.ndim == 2 and x.shape[1] % 32 == 0 and "embd" not in name and "types" not in name:
            writer.add_tensor(name, gguf.quants.quantize(x, gguf.GGMLQuantizationType[form]), raw_dtype=gguf.GGMLQuantizationType[form])
        else:
            writer.add_tensor(name, x)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def as_ollamas_first(path):
    """Blocks of MXFP4 under number 4: a byte has two numbers that follow each other."""
    reader = gguf.GGUFReader(path, "r+")
    for tensor in reader.tensors:
        if tensor.tensor_type == gguf.GGMLQuantizationType.MXFP4:
            blocks = tensor.data.reshape(-1, 17)
            numbers = np.concatenate([blocks[:, 1:] & 15, blocks[:, 1:] >> 4], -1)
            blocks[:, 1:] = numbers[:, ::2] | numbers[:, 1::2] << 4
            tensor.field.parts[4][:] = 4
    reader.data.flush()


def write_forms():
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(os.path.join(OUT, "forms.gguf"), "llama")
    expected = {}
    for name in FORMS:
        kind = gguf.GGMLQuantizationType[name]
        numbers, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = random.integers(0, 256, (2, 512 // numbers, size), np.uint8)
        # scales of float16, and numbers of 16 and 32 bits: finite and of a usual size
        scales = {"F32": [3], "F16": [1], "BF16": [1], "Q6_K": [209], "Q4_0": [1], "Q5_0": [1], "Q8_0": [1],
                  "Q2_K": [81, 83], "Q3_K": [109], "IQ4_NL": [1], "IQ4_XS": [1]}.get(name, [1, 3])
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
for model, architecture in (("gemma", "gemma"), ("mixtral", "llama"), ("qwen3_moe", "qwen3moe"), ("olmoe", "olmoe")):
    write_model(model, architecture)
for model in ("granite", "olmo", "stablelm", "starcoder2", "cohere2", "ernie4_5", "glm4"):
    write_model(model, model)
for model, architecture in (("olmo3", "olmo2"), ("phi", "phi2"), ("falcon", "falcon"), ("falcon_new", "falcon"), ("cohere", "command-r"),
                            ("glm", "chatglm"), ("qwen2_moe", "qwen2moe")):
    write_model(model, architecture)
write_model("mixtral", "llama", "mixtral_apart", apart=True)
for form in (None, "BF16", "F16", "Q8_0"):
    write_model("gpt_oss_mxfp4", "gpt-oss", "_".join(filter(None, ("gpt_oss", form))), form)
write_model("gpt_oss_mxfp4", "gptoss", "gptoss")
as_ollamas_first(os.path.join(OUT, "gptoss.gguf"))
write_model("llama", "smollm3", "smollm3")
write_model("qwen2", "qwen2", "qwen2_split", split=14)
for model, architecture, form in (("llama", "llama", "Q8_0"), ("llama", "llama", "Q5_0"), ("phi3", "phi3", "Q4_0"), ("gpt_neox", "gptneox", "Q4_1"),
                                  ("falcon_new", "falcon", "Q8_0")):
    write_model(model, architecture, f"{model}_{form}", form)
for model, architecture, projector in (("llava", "llama", "mlp"), ("gemma3_seeing", "gemma3", "gemma3"), ("idefics3", "llama", "idefics3"),
                                       ("mistral3", "llama", "pixtral"), ("pixtral", "llama", "pixtral"),
                                       ("qwen2_vl", "qwen2vl", "qwen2vl_merger"), ("qwen2_5_vl", "qwen2vl", "qwen2.5vl_merger"),
                                       ("qwen3_vl", "qwen3vl", "qwen3vl_merger"), ("internvl", "qwen2", "internvl"), ("internvl_large", "qwen3", "internvl")):
    os.makedirs(os.path.join(OUT, model), exist_ok=True)
    write_model(model, architecture, os.path.join(model, "model"))
    write_vision(model, projector, legacy=model in ("llava", "qwen2_vl"))
write_embedding("bert", "bert")
write_embedding("nomic_bert", "nomic-bert")
write_forms()
