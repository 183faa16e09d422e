#!/usr/bin/env python3
"""Every head of models of make_references.py and make_whisper.py that encode a picture or a sound and generate a text, by `transformers`, where they
generate what reference.safetensors has under "greedy": of the encoder and of the encoder of text, [L,H,S,S] or of tiles [L,tiles,H,S,S], of the
queries of a Q-Former and of decoders that have the prompt and the words in one text, [L,H,K,K]. data/heads.safetensors; names begin with the
family's. Encoders in stages are in make_stages.py's.

    make_heads.py                      # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import json
import os
import sys

import PIL.Image
import torch
import transformers
from safetensors.torch import load_file, save_file

from make_maps import attentions_of_sound
from make_references import sound_features

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
TASK = "What does the image describe?"


def open_family(family, kind):
    model = kind.from_pretrained(os.path.join(DATA, family), attn_implementation="eager").eval()
    return model, load_file(os.path.join(DATA, family, "reference.safetensors"))


def stacked(layers):
    """Layers of [1,H,T,S] → [L,H,T,S]; of several items [L,items,H,T,S]."""
    layers = torch.stack([x for x in layers if x is not None])
    return layers[:, 0] if layers.shape[1] == 1 else layers


def captions(family, kind, sees):
    model, known = open_family(family, kind)
    return {f"{family}.encoder": stacked(sees(model)(known["pixel_values"], output_attentions=True).attentions)}


def whisper():
    model, known = open_family("whisper", transformers.WhisperForConditionalGeneration)
    return {"whisper.encoder": stacked(model.model.encoder(known["features"], output_attentions=True).attentions)}


def git():
    model, known = open_family("git", transformers.GitForCausalLM)
    ids = known["greedy"].long()
    found = model(input_ids=ids, pixel_values=known["pixel_values"], output_attentions=True).attentions
    return {"git.decoder": stacked(found)}


def florence2():
    model, known = open_family("florence2", transformers.Florence2ForConditionalGeneration)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=os.path.join(DATA, "florence2", "tokenizer.json"))
    ids = torch.tensor([[model.config.image_token_id] * 17 + tokenizer.encode(TASK)])
    outputs = model(input_ids=ids, pixel_values=known["pixel_values"], decoder_input_ids=known["greedy"].long()[:, :1], output_attentions=True)
    return {"florence2.encoder": stacked(outputs.encoder_attentions)}


def qwen2_audio():
    """The cells of the sound alone."""
    model, known = open_family("qwen2_audio", transformers.Qwen2AudioForConditionalGeneration)
    seen = sound_features()[1]
    ids = torch.cat([known["prompt"].long(), known["greedy"].long()[:, 1:-1]], 1)
    cells = int(seen["feature_attention_mask"].sum() + 1) // 2
    return {"qwen2_audio.decoder": stacked(model(input_ids=ids, **seen, output_attentions=True).attentions),
            "qwen2_audio.encoder": torch.stack(attentions_of_sound(model, seen))[..., :cells, :cells]}


def processor(family):
    with open(os.path.join(DATA, family, "preprocessor_config.json")) as file:
        rules = json.load(file)
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil
    from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil
    from transformers.models.idefics2.image_processing_pil_idefics2 import Idefics2ImageProcessorPil
    kinds = {"idefics2_whole": Idefics2ImageProcessorPil, "blip2": BlipImageProcessorPil, "llava": CLIPImageProcessorPil, "paligemma": SiglipImageProcessorPil, "idefics3": SmolVLMImageProcessorPil}
    return kinds[family](**{k: v for k, v in rules.items() if k != "image_processor_type"})


def answers(family, kind, tower, typed=False):
    model, known = open_family(family, kind)
    image = PIL.Image.open(os.path.join(DATA, family, "picture.png")).convert("RGB")
    seen = dict(processor(family)(image, return_tensors="pt"))
    seen.pop("rows", None), seen.pop("cols", None)
    prompt = known["prompt"].long()
    ids = torch.cat([prompt, known["greedy"].long()[:, 1:-1]], 1)
    types = {"token_type_ids": (torch.arange(ids.shape[1]) >= prompt.shape[1]).long()[None]} if typed else {}
    outputs = model(input_ids=ids, **seen, **types, output_attentions=True)
    found = {f"{family}.decoder": stacked(getattr(outputs, "language_model_outputs", outputs).attentions)}
    pixels = seen["pixel_values"][0] if seen["pixel_values"].dim() == 5 else seen["pixel_values"]
    tiles = [stacked(tower(model)(tile[None], output_attentions=True).attentions) for tile in pixels]
    if family == "llava":  # the last layer is not used
        tiles = [tile[:-1] for tile in tiles]
    found[f"{family}.encoder"] = torch.stack(tiles, 1) if len(tiles) > 1 else tiles[0]
    if family == "blip2":
        states = model.vision_model(pixels).last_hidden_state
        queries = model.qformer(query_embeds=model.query_tokens, encoder_hidden_states=states, output_attentions=True)
        own = [x for x in queries.attentions if x is not None and x.shape[-1] == model.config.num_query_tokens]
        found[f"{family}.queries"] = stacked(own)
        found[f"{family}.queries_cross"] = stacked(queries.cross_attentions)
    if family == "idefics2_whole":
        states = tower(model)(pixels).last_hidden_state
        module, joint = sys.modules[type(model).__module__], []
        before = module.eager_attention_forward
        module.eager_attention_forward = lambda *rest, **more: (lambda out: joint.append(out[1]) or out)(before(*rest, **more))
        model.model.connector(states, attention_mask=torch.ones(states.shape[:2]))
        module.eager_attention_forward = before
        found[f"{family}.queries_cross"], found[f"{family}.queries"] = stacked(joint).split([states.shape[1], joint[0].shape[-1] - states.shape[1]], -1)
    return found


if __name__ == "__main__":
    with torch.no_grad():
        made = {**captions("blip", transformers.BlipForConditionalGeneration, lambda model: model.vision_model),
                **captions("vit_gpt2", transformers.VisionEncoderDecoderModel, lambda model: model.encoder),
                **whisper(), **git(), **florence2(), **qwen2_audio(),
                **answers("llava", transformers.LlavaForConditionalGeneration, lambda model: model.model.vision_tower),
                **answers("paligemma", transformers.PaliGemmaForConditionalGeneration, lambda model: model.model.vision_tower, typed=True),
                **answers("idefics3", transformers.Idefics3ForConditionalGeneration, lambda model: model.model.vision_model),
                **answers("idefics2_whole", transformers.Idefics2ForConditionalGeneration, lambda model: model.model.vision_model),
                **answers("blip2", transformers.Blip2ForConditionalGeneration, lambda model: model.vision_model)}
    save_file({name: x.float().clone().contiguous() for name, x in made.items()}, os.path.join(DATA, "heads.safetensors"))
    print({name: list(x.shape) for name, x in made.items()})
