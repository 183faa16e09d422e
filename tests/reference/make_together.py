#!/usr/bin/env python3
"""What models that answer make of two pictures in one prompt: data/FAMILY/together.safetensors has the prompt's tokens, what is generated (greedy, and with
beams), logits, and in cross_attentions.LAYER each word's attention to all of the prompt. The first picture is the family's own, the second data/together.png.

    make_together.py [FAMILY …]        # into data, beside this file; needs torch and transformers 5, the tests need neither"""
import json
import os
import sys

import PIL.Image
import torch
import transformers
from safetensors.torch import save_file
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil
from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil
from transformers.models.llava_next.image_processing_pil_llava_next import LlavaNextImageProcessorPil
from transformers.models.pixtral.image_processing_pil_pixtral import PixtralImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil
from transformers.models.smolvlm.processing_smolvlm import get_image_prompt_string

import make_references as references

DATA = references.DATA
WORDS = 6


def parts_of(text, mark, put):
    """The text with those in place of the marks, in turn."""
    pieces = text.split(mark)
    assert len(pieces) == len(put) + 1, text
    return "".join(piece + part for piece, part in zip(pieces, [*put, ""]))


def qwen(model, processor, images):
    seen = dict(processor(images=images, return_tensors="pt"))
    return seen, "<|image_pad|>", ["<|image_pad|>" * (int(grid.prod()) // 4) for grid in seen["image_grid_thw"]]


def llava(model, processor, images):
    seen = dict(processor(images=images, return_tensors="pt"))
    return seen, "<image>", ["<image>" * 16] * 2


def llava_next(model, processor, images):
    seen = dict(processor(images=images, return_tensors="pt"))
    found = model.model.get_image_features(**seen, vision_feature_layer=-2, vision_feature_select_strategy="default").pooler_output
    return seen, "<image>", ["<image>" * one.shape[0] for one in found]


def internvl(model, processor, images):
    seen = processor(images=images, crop_to_patches=True, return_tensors="pt")
    tiles = seen.pop("num_patches")
    return dict(seen), "<IMG_CONTEXT>", ["<img>" + "<IMG_CONTEXT>" * 4 * int(count) + "</img>" for count in tiles]


def mistral3(model, processor, images):
    processor.patch_size = {"height": 8, "width": 8}  # pixels of a token, as the folder of either model sets them
    seen = dict(processor(images=images, return_tensors="pt"))
    return seen, "[IMG]", ["[IMG_BREAK]".join(["[IMG]" * (int(w) // 8)] * (int(h) // 8)) + "[IMG_END]" for h, w in seen["image_sizes"]]


def smolvlm(model, processor, images):
    seen = processor(images=[images], return_tensors="pt", return_row_col_info=True)
    rows, columns = seen.pop("rows")[0], seen.pop("cols")[0]
    return dict(seen), "<image>", [get_image_prompt_string(r, c, 4, "<fake_token_around_image>", "<image>", "<global-img>") for r, c in zip(rows, columns)]


def gemma3(model, processor, images):
    seen = processor(images=images, return_tensors="pt")
    seen.pop("num_crops", None)
    return dict(seen), "<start_of_image>", ["\n\n<start_of_image>" + "<image_soft_token>" * 16 + "<end_of_image>\n\n"] * 2


def gemma4(model, processor, images):
    seen = processor(images=images, return_tensors="pt")
    counts = seen.pop("num_soft_tokens_per_image")
    return dict(seen), "<|image|>", ["<|image>" + "<|image|>" * int(count) + "<image|>" for count in counts]


FAMILIES = {"llava": (llava, CLIPImageProcessorPil), "llava_next": (llava_next, LlavaNextImageProcessorPil), "internvl": (internvl, GotOcr2ImageProcessorPil), "mistral3": (mistral3, PixtralImageProcessorPil), "idefics3": (smolvlm, SmolVLMImageProcessorPil),
            "gemma3_seeing": (gemma3, Gemma3ImageProcessorPil), "gemma4_seeing": (gemma4, Gemma4ImageProcessorPil), "gemma4_seeing_large": (gemma4, Gemma4ImageProcessorPil), "qwen2_vl": (qwen, Qwen2VLImageProcessorPil),
            "qwen2_5_vl": (qwen, Qwen2VLImageProcessorPil), "qwen3_vl": (qwen, Qwen2VLImageProcessorPil)}


def main():
    second = references.photograph(47, 29).transpose(PIL.Image.Transpose.ROTATE_180)
    second.save(os.path.join(DATA, "together.png"))
    for family, (see, kind) in FAMILIES.items():
        if len(sys.argv) > 1 and family not in sys.argv[1:]:
            continue
        tensors = {}
        folder = os.path.join(DATA, family)
        with open(os.path.join(folder, "preprocessor_config.json")) as file:
            rules = json.load(file)
        rules.pop("image_processor_type")
        model = transformers.AutoModelForImageTextToText.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        with open(os.path.join(folder, "chat_template.jinja")) as file:
            template = file.read()
        images = [PIL.Image.open(os.path.join(folder, "picture.png")).convert("RGB"), second]
        content = [{"type": "image"}, {"type": "image"}, {"type": "text", "text": references.QUESTION}]
        with torch.no_grad():
            seen, mark, put = see(model, kind(**rules), images)
            text = tokenizer.apply_chat_template([{"role": "user", "content": content}], chat_template=template, add_generation_prompt=True, tokenize=False)
            ids = torch.tensor([tokenizer(parts_of(text, mark, put), add_special_tokens=False).input_ids])
            picture = tokenizer.convert_tokens_to_ids("<image_soft_token>" if "gemma3" in family else "<|image|>" if "gemma4" in family else "<|image_pad|>" if "qwen" in family else "<IMG_CONTEXT>" if "internvl" in family else "[IMG]" if family == "mistral3" else "<image>")

            def types(ids):
                marked = (ids == picture).long()
                return {"mm_token_type_ids": marked.int()} if "qwen" in family or "gemma4" in family else {"token_type_ids": marked} if "gemma3" in family else {}

            options = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **seen, **types(ids), "max_new_tokens": WORDS, "do_sample": False}
            first = ids.shape[1] - 1
            generated = model.generate(**options, num_beams=1)
            tensors["beam"] = model.generate(**options, num_beams=3)[:, first:]
            outputs = model(input_ids=generated[:, :-1], **seen, **types(generated[:, :-1]), output_attentions=True)
        tensors["prompt"], tensors["greedy"] = ids, generated[:, first:]
        tensors["logits"] = outputs.logits[:, first:]
        for i, x in enumerate(outputs.attentions):
            tensors[f"cross_attentions.{i}"] = x[0, :, first:, :first + 1]
        print(family, ids.shape[1], generated[0, first + 1:].tolist(), tensors["beam"][0, 1:].tolist(), repr(text))
        save_file({k: v.to(torch.int32 if v.dtype == torch.int64 else v.dtype).contiguous() for k, v in tensors.items()}, os.path.join(folder, "together.safetensors"))


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    main()
