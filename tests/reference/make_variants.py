#!/usr/bin/env python3
"""The output of `transformers` for the tiny models of make_references.py under other values of config.json and
generation_config.json: data/variants.json has the values, data/variants.safetensors what comes of them, with the weights
of the folder that each names: what leaves the last layer, what its heads look at, the logits of what comes next, the generation.

    make_variants.py [FOLDER …]        # of those alone, or all; into data, beside this file; needs torch and transformers 5, the tests need neither"""
import json
import os
import shutil
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
IDS = [3, 9, 14, 1, 6, 9, 2, 11, 5, 12, 4, 8]
ROPE = {"rope_theta": 500.0}
NULL = "null"  # in a file; None takes the key away


def rope(**more):
    return {"rope_parameters": {**ROPE, **more}}


def windows(*types):
    kinds = {"f": "full_attention", "s": "sliding_attention"}
    return {"use_sliding_window": True, "sliding_window": 3, "layer_types": [kinds[t] for t in types]}


TEXTS = {
    "bert.decoder": ("bert", {"is_decoder": True, "architectures": ["BertLMHeadModel"]}),
    "bert.without_act": ("bert", {"hidden_act": None, "model_type": None}),
    "roberta.decoder": ("roberta", {"is_decoder": True}),
    "roberta.padded": ("roberta", {"pad_token_id": 2}),
    "llama.everyone": ("llama", {"is_causal": False, "architectures": ["LlamaModel"]}),
    "llama.yarn": ("llama", rope(rope_type="yarn", factor=4.0, original_max_position_embeddings=8)),
    "llama.yarn_spread": ("llama", rope(rope_type="yarn", factor=4.0, original_max_position_embeddings=8, beta_fast=4.0, beta_slow=0.5,
                                        mscale=1.2, mscale_all_dim=0.4, truncate=False)),
    "llama.longrope_short": ("llama", rope(rope_type="longrope", factor=4.0, original_max_position_embeddings=16,
                                           short_factor=[1.0, 1.1, 1.3, 2.0], long_factor=[1.5, 2.0, 3.0, 4.0])),
    "llama.longrope_long": ("llama", rope(rope_type="longrope", factor=4.0, original_max_position_embeddings=8,
                                          short_factor=[1.0, 1.1, 1.3, 2.0], long_factor=[1.5, 2.0, 3.0, 4.0])),
    "llama.dynamic_short": ("llama", rope(rope_type="dynamic", factor=3.0)),
    "llama.dynamic_long": ("llama", {**rope(rope_type="dynamic", factor=3.0), "max_position_embeddings": 8}),
    "llama.linear_old": ("llama", {"rope_parameters": None, "rope_theta": 500.0, "rope_scaling": {"type": "linear", "factor": 2.0}}),
    "llama.gelu": ("llama", {"hidden_act": "gelu"}),
    "llama.own_head": ("llama", {"tie_word_embeddings": True}),
    "llama.base": ("qwen2", {"tie_word_embeddings": False, "architectures": ["Qwen2Model"]}),
    "qwen2.classifier": ("qwen2", {"architectures": ["Qwen2ForSequenceClassification"]}),
    "olmo3.stretched": ("olmo3", {"rope_parameters": None, "rope_theta": 500000.0, "layer_types": None, "sliding_window": 4, "rope_scaling": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}}),
    "phi.quarter": ("phi", {"rope_parameters": None, "rope_theta": 300.0, "partial_rotary_factor": 0.25}),
    "falcon_new.one_norm": ("falcon", {"new_decoder_architecture": True, "num_kv_heads": 1, "num_ln_in_parallel_attn": 1}),
    "cohere2.pattern": ("cohere2", {"layer_types": None, "sliding_window_pattern": 2, "sliding_window": 4}),
    "qwen2.windows": ("qwen2", windows(*"fsf")),
    "gemma2.uncapped": ("gemma2", {"attn_logit_softcapping": NULL, "final_logit_softcapping": NULL, "use_bidirectional_attention": NULL}),
    "mistral.windowless": ("mistral", {"sliding_window": NULL, "head_dim": NULL}),
    "gemma3.both_ways": ("gemma3", {"use_bidirectional_attention": True}),
    "gemma3.both_ways_odd": ("gemma3", {"use_bidirectional_attention": True, "sliding_window": 5}),
    "gemma4.authors": ("gemma4", {"per_layer_config": None, "global_head_dim": 12}),
    "gemma4.last": ("gemma4", {"layer_types": ["sliding_attention", "full_attention", *3 * ["sliding_attention"]], "rope_parameters": None}),
    "gemma4_joined.both_ways": ("gemma4_joined", {"use_bidirectional_attention": "all", "final_logit_softcapping": None,
                                                  "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 1000.0},
                                                                      "sliding_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.5, "rope_theta": 100.0}}}),
    "qwen2.window_from_1": ("qwen2", {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    "llama4.unnormed": ("llama4", {"use_qk_norm": False}),
    "deepseek_v2.greedy": ("deepseek_v2", {"topk_method": "greedy"}),
    "deepseek_v2.all_dims": ("deepseek_v2", rope(rope_type="linear", factor=3.0, mscale_all_dim=0.8)),
    "deepseek_v3.halves": ("deepseek_v3", {"rope_interleave": False}),
    "deepseek_v3.unnormed": ("deepseek_v3", {"norm_topk_prob": False}),
    "qwen3_next.every_second": ("qwen3_next", {"layer_types": None, "full_attention_interval": 2}),
    "gpt2.unscaled": ("gpt2", {"scale_attn_weights": False}),
    "gpt2.falling": ("gpt2", {"scale_attn_by_inverse_layer_idx": True, "reorder_and_upcast_attn": True}),
    "gpt2.both": ("gpt2", {"scale_attn_by_inverse_layer_idx": True, "scale_attn_weights": False}),
}
for activation in ("gelu_10", "quick_gelu", "relu2", "relu6", "leaky_relu", "mish", "sigmoid", "tanh", "hardswish", "laplace",
                   "sqrtsoftplus", "linear", "gelu_accurate", "gelu_python_tanh"):
    TEXTS[f"gpt2.{activation}"] = ("gpt2", {"activation_function": activation})

# Positions are those of 5 × 5 patches of 4 pixels.
PICTURES = {
    "vit.lists": ({"image_size": [20, 20], "patch_size": [4, 4]}, (20, 20)),
    "vit.rest": ({"image_size": 22}, (22, 22)),
    "vit.wide": ({"image_size": [4, 100]}, (4, 100)),
}

CONTINUED = {
    "gpt2.repetition": ("gpt2", {"repetition_penalty": 1.4}),
    "gpt2.no_repeat": ("gpt2", {"no_repeat_ngram_size": 2, "suppress_tokens": [3, 30]}),
    "gpt2.banned": ("gpt2", {"bad_words_ids": [[16], [3, 1], [5]], "begin_suppress_tokens": [1, 2, 16, 20]}),
    "gpt2.endless": ("gpt2", {}, {"eos_token_id": NULL, "bos_token_id": NULL}),
    "gpt2.ends": ("gpt2", {"eos_token_id": [30, 9]}),
    "gpt2.least": ("gpt2", {"eos_token_id": [30, 9], "min_new_tokens": 5}),
    "gpt2.length": ("gpt2", {"eos_token_id": 0, "forced_eos_token_id": 0, "min_length": 15}),
    "llama.repetition": ("llama", {"repetition_penalty": 1.4}),
    "gpt2.beams_long": ("gpt2", {"num_beams": 4, "length_penalty": 2.0, "eos_token_id": [30, 9], "early_stopping": True}),
    "gpt2.beams_short": ("gpt2", {"num_beams": 3, "length_penalty": -1.0, "eos_token_id": [30, 9, 3]}),
    "gpt2.beams_never": ("gpt2", {"num_beams": 2, "eos_token_id": [30, 9, 3], "early_stopping": "never"}),
    "gpt2.beams_varied": ("gpt2", {"num_beams": 3, "no_repeat_ngram_size": 2, "repetition_penalty": 1.3, "min_new_tokens": 4,
                                   "eos_token_id": [30, 9, 3]}),
    "gpt2.beams_length": ("gpt2", {"num_beams": 3, "eos_token_id": 0, "forced_eos_token_id": 0, "min_length": 15}),
    **{f"{name}.beams": (name, {"num_beams": 3}) for name in (
        "gpt2", "gpt_neo", "gpt_neox", "opt", "bloom", "llama", "mistral", "mixtral", "phi3", "gemma", "gemma2", "gemma3", "qwen2", "qwen3",
        "qwen3_moe", "qwen2_moe", "olmo2", "olmoe", "smollm3", "gpt_oss", "olmo", "olmo3", "granite", "starcoder2", "ernie4_5", "glm", "glm4", "phi", "stablelm",
        "gptj", "falcon", "falcon_new", "cohere", "cohere2", "llama4", "deepseek_v2", "deepseek_v2_lite", "deepseek_v3",
        "gemma4", "gemma4_joined", "gemma4_experts", "qwen3_next", "falcon_h1", "falcon_h1_normed", "qwen3_5_text", "qwen3_5_moe_text")},
    "qwen2.windows_generated": ("qwen2", {}, windows(*"sfs")),
    "llama.dynamic_generated": ("llama", {}, {**rope(rope_type="dynamic", factor=3.0), "max_position_embeddings": 14}),
}

PAD = 33  # Marian's
TOKENS = {"decoder_start_token_id": PAD, "eos_token_id": 0, "pad_token_id": PAD, "bos_token_id": 0}
GENERATED = {
    "marian.renormalized": ("marian", {**TOKENS, "num_beams": 4, "max_length": 12, "bad_words_ids": [[PAD]], "renormalize_logits": True}),
    "marian.banned": ("marian", {**TOKENS, "num_beams": 3, "max_length": 12, "bad_words_ids": [[PAD], [5, 6], [4]], "suppress_tokens": [7],
                                 "begin_suppress_tokens": [8, 9], "renormalize_logits": True}),
    "marian.forced": ("marian", {**TOKENS, "num_beams": 3, "max_length": 12, "bad_words_ids": [[PAD]], "forced_bos_token_id": 10,
                                 "forced_eos_token_id": 0, "min_new_tokens": 4, "begin_suppress_tokens": [11, 12]}),
    "marian.ends": ("marian", {**TOKENS, "num_beams": 2, "max_new_tokens": 9, "bad_words_ids": [[PAD]], "eos_token_id": [0, 5, 11]}),
    "marian.plain": ("marian", {k: v for k, v in TOKENS.items()}),
    "t5_gated.mt5": ("t5_gated", {"num_beams": 4, "max_length": 16, "decoder_start_token_id": 0, "eos_token_id": 1, "pad_token_id": 0},
                     {"model_type": "mt5", "architectures": ["MT5ForConditionalGeneration"], "tie_word_embeddings": True,
                      "scale_decoder_outputs": None}),
    "vit_gpt2.plain": ("vit_gpt2", {"decoder_start_token_id": 35, "eos_token_id": 35, "pad_token_id": 35}),
    "vit_gpt2.narrow": ("vit_gpt2", {"decoder_start_token_id": 35, "eos_token_id": [35, 4], "pad_token_id": 35, "num_beams": 3,
                                     "max_new_tokens": 8, "no_repeat_ngram_size": 2, "renormalize_logits": True}),
}

# Of a picture and a question, whose prompt counts too.
ANSWERED = {f"{name}.{what}": (name, {"max_new_tokens": 8, **rules}) for name in (
    "llava", "llava_onevision", "idefics3", "smolvlm", "paligemma", "qwen2_vl", "qwen2_5_vl") for what, rules in (
    ("discouraged", {"repetition_penalty": 2.5}), ("unrepeated", {"no_repeat_ngram_size": 1}),
    ("beams", {"num_beams": 3, "repetition_penalty": 1.8, "no_repeat_ngram_size": 2, "min_new_tokens": 3}))}


def folder_of(weights, changes, generation, into):
    """The folder with other values; None takes a key away."""
    source = os.path.join(DATA, weights)
    for name in os.listdir(source):
        shutil.copy(os.path.join(source, name), into)
    with open(os.path.join(source, "config.json")) as file:
        config = {**json.load(file), **changes}
    with open(os.path.join(into, "config.json"), "w") as file:
        json.dump({k: None if v == NULL else v for k, v in config.items() if v is not None or changes.get(k, 0) is not None}, file)
    if generation is not None:
        with open(os.path.join(into, "generation_config.json"), "w") as file:
            json.dump(generation, file)
    return into


def load(kind, folder, **more):
    return kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32, **more).eval()


def read_text(weights, config, folder):
    ids = torch.tensor([IDS])
    kind = {"bert": transformers.BertModel, "roberta": transformers.RobertaModel}.get(weights)
    named = config.get("architectures", ["ForCausalLM"])[0]
    has_head = kind is None and "ForCausalLM" in named
    model = load(kind or (transformers.AutoModelForCausalLM if has_head else transformers.AutoModel), folder)
    outputs = model(input_ids=ids, output_attentions=True, output_hidden_states=True)
    found = {"input_ids": ids.int(), "left": outputs.hidden_states[-1],
             "attentions": outputs.attentions[-1][0]}
    return {**found, "logits": outputs.logits[0, -1]} if has_head else found


def see(config, sides, folder):
    y, x = torch.meshgrid(torch.arange(sides[0]), torch.arange(sides[1]), indexing="ij")
    pixels = torch.stack([torch.sin(x / 5), torch.cos(y / 3), torch.sin((x + y) / 7)])[None]
    outputs = load(transformers.ViTModel, folder, add_pooling_layer=False)(pixel_values=pixels, output_attentions=True,
                                                                           output_hidden_states=True)
    return {"pixel_values": pixels, "left": outputs.hidden_states[-1], "attentions": outputs.attentions[-1][0]}


def go_on(folder):
    ids = torch.tensor([IDS])
    model = load(transformers.AutoModelForCausalLM, folder)
    generated = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, do_sample=False)[0, len(IDS):]
    return {"input_ids": ids.int(), "generated": generated.int()}


def generate_words(weights, folder):
    with transformers_reference(weights) as tensors:
        if "input_ids" in tensors:
            ids = tensors["input_ids"].long()
            generated = load(transformers.AutoModelForSeq2SeqLM, folder).generate(input_ids=ids, do_sample=False)
            return {"input_ids": ids.int(), "generated": generated[0, 1:].int()}
        model = load(transformers.VisionEncoderDecoderModel, folder)
        generated = model.generate(pixel_values=tensors["pixel_values"], do_sample=False)
        return {"pixel_values": tensors["pixel_values"], "generated": generated[0, 1:].int()}


def answer(weights, folder):
    from PIL import Image
    rules = transformers.AutoImageProcessor.from_pretrained(folder)
    seen = rules(images=Image.open(os.path.join(folder, "picture.png")).convert("RGB"), return_tensors="pt")
    model = load(transformers.AutoModelForImageTextToText, folder)
    with transformers_reference(weights) as tensors:
        ids = tensors["prompt"].long()
    if weights == "paligemma":
        seen["token_type_ids"] = torch.zeros_like(ids)
    if "qwen" in weights:
        seen["mm_token_type_ids"] = (ids == model.config.image_token_id).int()
    if "onevision" in weights:
        seen["vision_aspect_ratio"] = model.config.vision_aspect_ratio
    generated = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **seen, do_sample=False)
    return {"answered": generated[0, ids.shape[1]:].int()}


class transformers_reference(dict):
    """The inputs of the folder's own reference."""

    def __init__(self, weights):
        from safetensors.torch import load_file
        super().__init__(load_file(os.path.join(DATA, weights, "reference.safetensors")))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def main():
    only, listed, tensors, before, known = sys.argv[1:], [], {}, {}, {}
    if only:
        known = load_file(os.path.join(DATA, "variants.safetensors"))
        with open(os.path.join(DATA, "variants.json")) as file:
            before = {one["name"]: one for one in json.load(file)["variants"]}

    def add(name, weights, config, generation, make):
        if only and weights not in only:
            listed.append(before[name])
            tensors.update({k: v for k, v in known.items() if k.rsplit(".", 1)[0] == name})
            return
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            found = make(folder_of(weights, config, generation, folder))
        listed.append({"name": name, "weights": weights, "config": config, **({"generation": generation} if generation else {})})
        tensors.update({f"{name}.{k}": v.contiguous().clone() for k, v in found.items()})

    for name, (weights, config) in TEXTS.items():
        add(name, weights, config, None, lambda folder: read_text(weights, config, folder))
    for name, (config, sides) in PICTURES.items():
        add(name, "vit", config, None, lambda folder: see(config, sides, folder))
    for name, (weights, generation, *config) in CONTINUED.items():
        add(name, weights, config[0] if config else {}, {"eos_token_id": None, **generation}, go_on)
    for name, (weights, generation, *config) in GENERATED.items():
        add(name, weights, config[0] if config else {}, generation, lambda folder: generate_words(weights, folder))
    for name, (weights, generation) in ANSWERED.items():
        with open(os.path.join(DATA, weights, "generation_config.json")) as file:
            own = {k: v for k, v in json.load(file).items() if k.endswith("token_id")}
        add(name, weights, {}, {**own, **generation}, lambda folder: answer(weights, folder))
    with open(os.path.join(DATA, "variants.json"), "w") as file:
        json.dump({"variants": listed}, file, indent=1)
    save_file(tensors, os.path.join(DATA, "variants.safetensors"))
    for name in tensors:
        if name.endswith((".generated", ".answered")):
            print(name, tensors[name].tolist())
    print(len(listed), "variants,", os.path.getsize(os.path.join(DATA, "variants.safetensors")) // 1024, "KB")


if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    main()
