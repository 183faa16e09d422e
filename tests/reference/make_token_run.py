#!/usr/bin/env python3
"""The output of `transformers`, word by word, of models of make_references.py, make_pairs.py and make_whisper.py that encode
something: with all heads, and with some of the encoder's, of the decoder's and of its cross attention's switched off or scaled, where a hook
multiplies what each head gives before the output projection. data/token_run.safetensors has for each family the scales [L,H] of each kind, and
for both ways ("whole", "scaled") the words, the logits of each, and where each looked in the mean of all layers and heads: over what was
encoded, and the words before it. With all heads also relevance of each word on what was encoded, in float64 by torch's autograd (Chefer et al. 2021, arXiv
2103.15679): the rules for self attention, or of a decoder that attends to it, equations 6 to 11 as the authors' code for DETR has them, with an encoder's R of I.

    make_token_run.py                     # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os
import re

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers.generation.utils import GenerationMixin

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
KINDS = ("encoder", "decoder", "cross", "vision")
# The class, and for each kind the modules whose input is what the heads give side by side.
PAIRS = (r"model\.encoder\..*self_attn\.out_proj", r"model\.decoder\..*self_attn\.out_proj", r"model\.decoder\..*encoder_attn\.out_proj")
BERT = r"encoder\.layer\.\d+\."
FAMILIES = {
    "blip": (transformers.BlipForConditionalGeneration, r"vision_model\..*self_attn\.projection",
             rf"text_decoder\..*{BERT}attention\.output\.dense", rf"text_decoder\..*{BERT}crossattention\.output\.dense"),
    "vit_gpt2": (transformers.VisionEncoderDecoderModel, r"encoder\..*(attention\.output\.dense|attention\.o_proj)",
                 r"decoder\..*\.attn\.c_proj", r"decoder\..*crossattention\.c_proj"),
    "trocr": (transformers.VisionEncoderDecoderModel, r"encoder\..*(attention\.output\.dense|attention\.o_proj)",
              r"decoder\..*self_attn\.out_proj", r"decoder\..*encoder_attn\.out_proj"),
    "git": (transformers.GitForCausalLM, r"git\.image_encoder\..*self_attn\.out_proj", rf"git\.{BERT}attention\.output\.dense", None),
    "marian": (transformers.MarianMTModel, *PAIRS),
    "bart": (transformers.BartForConditionalGeneration, *PAIRS),
    "t5": (transformers.T5ForConditionalGeneration, r"encoder\..*SelfAttention\.o", r"decoder\..*SelfAttention\.o", r"decoder\..*EncDecAttention\.o"),
    "whisper": (transformers.WhisperForConditionalGeneration, *PAIRS),
    "florence2": (transformers.Florence2ForConditionalGeneration, r".*language_model\.encoder\..*self_attn\.out_proj",
                  r".*language_model\.decoder\..*self_attn\.out_proj", r".*language_model\.decoder\..*encoder_attn\.out_proj",
                  r".*vision_tower\..*window_attn\.proj"),
    "blip2_t5": (transformers.Blip2ForConditionalGeneration, r"language_model\.encoder\..*SelfAttention\.o", r"language_model\.decoder\..*SelfAttention\.o",
                 r"language_model\.decoder\..*EncDecAttention\.o"),
    "donut": (transformers.VisionEncoderDecoderModel, r"encoder\..*attention\.output\.dense", r"decoder\..*self_attn\.out_proj",
              r"decoder\..*encoder_attn\.out_proj"),
    "llava": (transformers.LlavaForConditionalGeneration, r".*vision_tower\..*self_attn\.out_proj", r".*language_model\..*self_attn\.o_proj", None),
    "idefics3": (transformers.Idefics3ForConditionalGeneration, r".*vision_model\..*self_attn\.out_proj", r".*text_model\..*self_attn\.o_proj", None),
}
JOINED = ("florence2", "blip2_t5")  # an encoder of text reads what was seen
WHISPER_PROMPT = [1, 2, 4, 6]


def hook(table, layer, heads):
    def scale(module, given):
        x = given[0]
        return ((x.reshape(*x.shape[:-1], heads, -1) * table[layer][:heads, None]).reshape(x.shape), *given[1:])
    return scale


def heads_of_stages(model):
    """Of each layer of an eye in stages, one stage after the other; None: the eye is in none."""
    eye = getattr(model.config, "vision_config", None) or getattr(model.config, "encoder", None)
    depths = getattr(eye, "depths", None)
    return depths and [heads for depth, heads in zip(depths, eye.num_heads) for _ in range(depth)]


def heads_of(model, kind):
    """Of the first attention that has such a projection: as many heads as in its configuration."""
    c = model.config
    text, seen = getattr(c, "text_config", None) or getattr(c, "decoder", c), getattr(c, "vision_config", None) or getattr(c, "encoder", c)
    reads = isinstance(model, (transformers.Florence2ForConditionalGeneration, transformers.Blip2ForConditionalGeneration))
    config = seen if kind == "encoder" and not reads else text
    names = ("encoder_attention_heads",) if kind == "encoder" else ("decoder_attention_heads",)
    for name in (*names, "num_attention_heads", "num_heads", "n_head"):
        if getattr(config, name, None):
            return getattr(config, name)
    raise KeyError(kind)


def inputs_of(family):
    folder = os.path.join(DATA, family)
    known = load_file(os.path.join(folder, "reference.safetensors"))
    if family == "whisper":
        return {"input_features": known["features"]}
    if family in ("llava", "idefics3"):
        from PIL import Image
        processor = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")
        image = Image.open(os.path.join(folder, "picture.png")).convert("RGB")
        image = [[image]] if family == "idefics3" else image
        ids = known["prompt"].long()
        return {**processor(images=image, return_tensors="pt"), "input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if family in JOINED:
        import tokenizers
        asked, cells = ("What does the image describe?", 17) if family == "florence2" else ("a photo of", 6)
        task = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json")).encode(asked).ids
        shown = transformers.AutoConfig.from_pretrained(folder).image_token_id
        ids = torch.tensor([[shown] * cells + task])
        return {"pixel_values": known["pixel_values"], "input_ids": ids, "attention_mask": torch.ones_like(ids)}
    name = "pixel_values" if "pixel_values" in known else "input_ids"
    return {name: known[name].long() if name == "input_ids" else known[name]}


def generate(model, family, inputs):
    """All tokens, and how many of them come before the output."""
    if family == "whisper":
        folder = os.path.join(DATA, family)
        config = transformers.GenerationConfig.from_pretrained(folder, max_length=12 + len(WHISPER_PROMPT) - 1, do_sample=False)
        generated = GenerationMixin.generate(model, inputs=inputs["input_features"], decoder_input_ids=torch.tensor([WHISPER_PROMPT]),
                                        generation_config=config)
        return generated[0], len(WHISPER_PROMPT)
    prompt = inputs["input_ids"].shape[1] if family in ("llava", "idefics3") else 0
    length = {"max_new_tokens": 6} if prompt else {"max_length": 12}
    forced = {"forced_bos_token_id": 0} if family == "bart" else {}
    return model.generate(**inputs, do_sample=False, num_beams=1, **length, **forced)[0], prompt or 1


def run(model, family, inputs, before, grad=False):
    with torch.set_grad_enabled(grad):
        if family == "blip":
            seen = model.vision_model(pixel_values=inputs["pixel_values"])[0]
            out = model.text_decoder(input_ids=before, encoder_hidden_states=seen, output_attentions=True)
        elif family == "git" or "input_ids" in inputs and "pixel_values" in inputs and family not in JOINED:
            rest = {k: v for k, v in inputs.items() if k not in ("input_ids", "attention_mask")}
            out = model(input_ids=before, **rest, output_attentions=True)
        else:
            out = model(**inputs, decoder_input_ids=before, output_attentions=True)
    return getattr(out, "language_model_outputs", out)


def normalized(R):
    """handle_residual() of the authors' code; rows without relevance stay those of I."""
    eye = torch.eye(len(R), dtype=R.dtype)
    sums = (R - eye).sum(1, keepdim=True)
    return (R - eye) / torch.where(sums == 0, torch.ones_like(sums), sums) + eye


def relevance_of(model, family, inputs, ids, first):
    """[words,encoded] of each generated word."""
    model.double()
    given = {k: v.double() if v.is_floating_point() else v for k, v in inputs.items()}
    out = run(model, family, given, ids[None, :-1], grad=True)
    own, cross = getattr(out, "decoder_attentions", None) or out.attentions, getattr(out, "cross_attentions", None) or ()
    for attention in (*own, *cross):
        attention.retain_grad()
    count, rows = len(ids) - first, []
    logits = out.logits[0, -count:]
    for t in range(count):
        logits[t, ids[first + t]].backward(retain_graph=True)
        E, C = ([(a * a.grad).clamp(min=0)[0].mean(0) for a in some] for some in (own, cross))
        for attention in (*own, *cross):
            attention.grad = None
        R = torch.eye(E[0].shape[0], dtype=torch.double)
        Q = torch.zeros(len(R), C[0].shape[1], dtype=torch.double) if cross else None
        for i, e in enumerate(E):
            if cross:
                Q = Q + e @ Q
            R = R + e @ R
            if cross:  # (R̄ᵀ C) R̄ of the encoder, which is I
                Q = Q + normalized(R).T @ C[i]
        rows.append(Q[len(Q) - count + t] if cross else (R - torch.eye(len(R)))[len(R) - count + t, :len(R) - (len(ids) - 1)])
    model.float()
    return torch.stack(rows).detach().float()


def rows_of(model, family, inputs, ids, first):
    """Logits and rows of the words from `first` on: those of what was encoded before those of the words."""
    out = run(model, family, inputs, ids[None, :-1])
    mean = lambda layers: torch.stack(list(layers)).double().mean((0, 1, 2))
    count = len(ids) - first
    crosses = getattr(out, "cross_attentions", None)
    if crosses:
        own = getattr(out, "decoder_attentions", None) or out.attentions
        rows = torch.cat([mean(crosses)[-count:], mean(own)[-count:]], 1)
    else:
        rows = mean(out.attentions)[-count:]
    return out.logits[0, -count:], rows


def add_run(model, family, inputs, way, tensors):
    ids, first = generate(model, family, inputs)
    text = getattr(model.config, "text_config", None)
    end = {"blip": "sep_token_id", "blip2_t5": "eos_token_id"}.get(family)
    end = getattr(text, end) if end else model.generation_config.eos_token_id
    ends = end if isinstance(end, list) else [end]
    if ids[-1].item() in ends:
        ids = ids[:-1]
    logits, rows = rows_of(model, family, inputs, ids, first)
    tensors.update({f"{family}.{way}.generated": ids[first:].int(), f"{family}.{way}.logits": logits, f"{family}.{way}.rows": rows.float()})
    if way == "whole" and family not in ("llava", "idefics3", "blip2_t5"):  # of which make_maps.py has relevance over the picture
        tensors[f"{family}.relevance"] = relevance_of(model, family, inputs, ids, first)
    print(family, way, ids[first:].tolist(), tuple(rows.shape))


def main():
    tensors = {}
    for family, (kind, *patterns) in FAMILIES.items():
        folder, inputs = os.path.join(DATA, family), inputs_of(family)
        if not inputs:
            continue
        model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        add_run(model, family, inputs, "whole", tensors)
        for name, pattern in zip(KINDS, patterns):
            modules = [m for path, m in model.named_modules() if pattern and re.fullmatch(pattern, path)]
            if not modules:
                assert not pattern, (family, name)
                continue
            if family == "llava" and name == "encoder":
                modules = modules[:-1]  # what leaves the last but one is taken
            staged = heads_of_stages(model) if name == "vision" or family == "donut" and name == "encoder" else None
            heads = staged or [heads_of(model, name)] * len(modules)
            table = torch.ones(len(modules), max(heads))
            table[0, 1] = 0
            table[-1, 0] = 0.25
            for layer, module in enumerate(modules):
                module.register_forward_pre_hook(hook(table, layer, heads[layer]))
            tensors[f"{family}.{name}"] = table
        add_run(model, family, inputs, "scaled", tensors)
    save_file({k: v.contiguous().clone() for k, v in tensors.items()}, os.path.join(DATA, "token_run.safetensors"))


if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    main()
