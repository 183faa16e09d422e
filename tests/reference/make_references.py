#!/usr/bin/env python3
"""Makes what the tests of pretrained families compare with: for each family a folder as `transformers` saves it,
of a tiny model of the true architecture with random weights, and beside it reference.safetensors: inputs, and the
hidden states and attentions of each layer.

    make_references.py [FAMILY…]       # default: all; into data, beside this file

Needs torch and transformers 5, and for Marian sentencepiece 0.2; the tests need none of them."""
import copy
import io
import json
import math
import os
import re
import shutil
import sys
import types

import PIL.Image
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
ENCODERS = os.path.join(os.path.dirname(DATA), "encoders")  # what sees, and has no heads to be shown


# ---------------------------------------------------------------- what all families share

def draw_weights(model, seed):
    """Large enough that attention is far from uniform, and no two parameters are alike."""
    random = torch.Generator().manual_seed(seed)
    for name, weight in sorted(model.named_parameters()):
        noise = torch.randn(weight.shape, generator=random)
        if weight.dim() > 1 and "embeddings." not in name.replace("patch_embeddings.", ""):
            noise *= 1.5 / (weight[0].numel() ** 0.5)
        elif weight.dim() > 1:
            noise *= 0.5
        elif "bias" in name:
            noise *= 0.2
        else:  # gains of norms, layer scale
            noise = 1 + 0.3 * noise
        weight.data = noise


def states(outputs, prefix=""):
    """hidden_states.0 is what enters layer 0, hidden_states.N what leaves layer N − 1."""
    found = {f"{prefix}last_hidden_state": outputs.last_hidden_state}
    for i, x in enumerate(outputs.hidden_states):
        found[f"{prefix}hidden_states.{i}"] = x
    for i, x in enumerate(outputs.attentions):
        found[f"{prefix}attentions.{i}"] = x
    return found


def run(model, prefix="", **inputs):
    """The inputs and all that comes out of `model`, under names that begin with `prefix`."""
    with torch.no_grad():
        outputs = model(**inputs, output_hidden_states=True, output_attentions=True)
    tensors = {f"{prefix}{k}": v for k, v in inputs.items() if torch.is_tensor(v)}
    return {**tensors, **states(outputs, prefix)}


def prepare(model_class, config, seed, **options):
    config._attn_implementation = "eager"  # the others do not return their attentions
    model = model_class(config, **options).eval()
    draw_weights(model, seed)
    return model


def save(family, model, tensors, files=None, parent=DATA):
    """`files`: name → JSON, as preprocessor_config.json."""
    folder = os.path.join(parent, family)
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder, safe_serialization=True)
    for name, value in (files or {}).items():
        with open(os.path.join(folder, name), "w") as file:
            json.dump(value, file, indent=2)
    tensors = {k: v.to(torch.int32 if v.dtype == torch.int64 else v.dtype).contiguous().clone() for k, v in tensors.items()}
    save_file(tensors, os.path.join(folder, "reference.safetensors"))
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    print(f"{family}: {size // 1024} KB, {len(load_file(os.path.join(folder, 'reference.safetensors')))} tensors")


# ---------------------------------------------------------------- families that see

PATCH, SIDE = 4, 20  # pixels: 5 × 5 patches were trained
SEEN = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3, "image_size": SIDE, "patch_size": PATCH}


def picture(height, width, seed):
    """Batch of one, in the range that models see: waves, and noise."""
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    waves = torch.stack([torch.sin(x / 5), torch.cos(y / 3), torch.sin((x + y) / 7)])
    return (waves + 0.5 * torch.randn(waves.shape, generator=torch.Generator().manual_seed(seed)))[None]


def preprocessor(**more):
    return {"preprocessor_config.json": {"do_resize": True, "size": {"height": SIDE, "width": SIDE}, "resample": 3,
                                         "do_normalize": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3,
                                         "do_center_crop": False, **more}}


def see(family, model, rules, **options):
    """The trained size, and a picture wider than high, whose positions are interpolated."""
    trained = run(model, pixel_values=picture(SIDE, SIDE, 1))
    wide = run(model, "wide.", pixel_values=picture(3 * PATCH, 8 * PATCH, 2), **options)
    save(family, model, {**trained, **wide}, rules)


def vit():
    config = transformers.ViTConfig(**SEEN, intermediate_size=40)
    see("vit", prepare(transformers.ViTModel, config, 1, add_pooling_layer=False), preprocessor(),
        interpolate_pos_encoding=True)


def vit_classifier():
    """Names with a prefix, and an unused head; queries without a bias."""
    config = transformers.ViTConfig(**SEEN, intermediate_size=40, qkv_bias=False, num_labels=5)
    model = prepare(transformers.ViTForImageClassification, config, 2)
    save("vit_classifier", model, run(model.vit, pixel_values=picture(SIDE, SIDE, 1)), preprocessor())


def deit():
    config = transformers.DeiTConfig(**SEEN, intermediate_size=40)
    see("deit", prepare(transformers.DeiTModel, config, 3, add_pooling_layer=False), preprocessor(),
        interpolate_pos_encoding=True)


def dinov2():
    config = transformers.Dinov2Config(**SEEN, mlp_ratio=2)
    see("dinov2", prepare(transformers.Dinov2Model, config, 4),
        preprocessor(size={"shortest_edge": SIDE}))


def dinov2_giant():
    config = transformers.Dinov2Config(**SEEN, mlp_ratio=2, use_swiglu_ffn=True)
    see("dinov2_giant", prepare(transformers.Dinov2Model, config, 5), preprocessor())


def dinov2_with_registers():
    config = transformers.Dinov2WithRegistersConfig(**SEEN, mlp_ratio=2, num_register_tokens=4)
    see("dinov2_with_registers", prepare(transformers.Dinov2WithRegistersModel, config, 6), preprocessor())


def depth_anything():
    """DINOv2, behind which something makes depths."""
    seen = transformers.Dinov2Config(**SEEN, mlp_ratio=2, out_indices=[0, 1, 2, 3], reshape_hidden_states=False)
    config = transformers.DepthAnythingConfig(backbone_config=seen, patch_size=PATCH, reassemble_hidden_size=24, neck_hidden_sizes=[2] * 4,
                                              fusion_hidden_size=2, head_hidden_size=2)
    whole = prepare(transformers.DepthAnythingForDepthEstimation, config, 125)
    seen._attn_implementation = "eager"
    model = transformers.Dinov2Model(seen).eval()
    model.load_state_dict(whole.backbone.state_dict())
    see_named("depth_anything", whole, model)
    with open(os.path.join(DATA, "depth_anything", "preprocessor_config.json"), "w") as file:
        json.dump({"image_processor_type": "DPTImageProcessor", "size": {"height": SIDE, "width": SIDE}, "keep_aspect_ratio": True,
                   "ensure_multiple_of": PATCH, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}, file, indent=2)


def vit_mae():
    """Without hidden patches, and in their order; its other half restores pictures."""
    config = transformers.ViTMAEConfig(**SEEN, intermediate_size=40, mask_ratio=0.0, decoder_hidden_size=16, decoder_num_hidden_layers=1,
                                       decoder_num_attention_heads=2, decoder_intermediate_size=16)
    model = prepare(transformers.ViTMAEForPreTraining, config, 33)
    order = torch.arange(25.0)[None]
    save("vit_mae", model, {k: v for k, v in run(model.vit, pixel_values=picture(SIDE, SIDE, 1), noise=order).items() if k != "noise"},
         preprocessor())


def vit_msn():
    config = transformers.ViTMSNConfig(**SEEN, intermediate_size=40)
    see("vit_msn", prepare(transformers.ViTMSNModel, config, 34), preprocessor(), interpolate_pos_encoding=True)


def beit():
    """A table of distances in each layer, as in classifiers; positions are not added."""
    config = transformers.BeitConfig(**SEEN, intermediate_size=40, use_relative_position_bias=True, num_labels=5)
    model = prepare(transformers.BeitForImageClassification, config, 60)
    for name, x in model.named_parameters():
        if name.endswith("bias_table"):
            x.data = torch.randn(x.shape, generator=torch.Generator().manual_seed(len(name)))
    see_named("beit", model, model.beit)


def beit_shared():
    """One table for all layers, as in models trained on masks; positions, and a norm at the end."""
    config = transformers.BeitConfig(**SEEN, intermediate_size=40, use_shared_relative_position_bias=True, use_absolute_position_embeddings=True,
                                     use_mean_pooling=False, use_mask_token=True, vocab_size=11)
    model = prepare(transformers.BeitForMaskedImageModeling, config, 61)
    for name, x in model.named_parameters():
        if name.endswith("bias_table"):
            x.data = torch.randn(x.shape, generator=torch.Generator().manual_seed(62))
    see_named("beit_shared", model, model.beit)


def see_named(family, whole, model):
    """A picture of the trained size and a wide one, of a model whose names have a prefix; both go through `model`."""
    save(family, whole, {**run(model, pixel_values=picture(SIDE, SIDE, 1)), **run(model, "wide.", pixel_values=picture(3 * PATCH, 8 * PATCH, 2))},
         preprocessor())


def dinov3():
    """Heads of 8 numbers, two frequencies in each axis."""
    config = transformers.DINOv3ViTConfig(**SEEN, intermediate_size=40, num_register_tokens=4)
    see("dinov3", prepare(transformers.DINOv3ViTModel, config, 35), preprocessor())


def dinov3_gated():
    """As the larger ones are, under the names that files of the hub have."""
    config = transformers.DINOv3ViTConfig(**SEEN, intermediate_size=40, use_gated_mlp=True, hidden_act="silu", num_register_tokens=2)
    see("dinov3_gated", prepare(transformers.DINOv3ViTModel, config, 36), preprocessor())
    path = os.path.join(DATA, "dinov3_gated", "model.safetensors")
    save_file({name.removeprefix("model."): x for name, x in load_file(path).items()}, path)


def rename_as_timm(family, image, registers=False):
    """The folder's tensors and config.json as timm has them, in whose hub a position of the class token is in that token."""
    folder = os.path.join(DATA, family)
    old, new = load_file(os.path.join(folder, "model.safetensors")), {}
    places = {"layernorm_before": "norm1", "layernorm_after": "norm2", "attention.output.dense": "attn.proj", "intermediate.dense": "mlp.fc1",
              "output.dense": "mlp.fc2", "layer_scale1.lambda1": "ls1.gamma", "layer_scale2.lambda1": "ls2.gamma"}
    for name, x in old.items():
        if name.startswith("encoder.layer."):
            name = name.replace("encoder.layer", "blocks")
            for here, there in places.items():
                name = name.replace(here, there)
            new[name] = x
    for i in range(3):
        for kind in ("weight", "bias"):
            parts = [new.pop(f"blocks.{i}.attention.attention.{part}.{kind}") for part in ("query", "key", "value")]
            new[f"blocks.{i}.attn.qkv.{kind}"] = torch.cat(parts)
    for kind in ("weight", "bias"):
        new[f"patch_embed.proj.{kind}"] = old[f"embeddings.patch_embeddings.projection.{kind}"]
        new[f"norm.{kind}"] = old[f"layernorm.{kind}"]
    token, positions = old["embeddings.cls_token"], old["embeddings.position_embeddings"]
    if registers:
        new["reg_token"] = old["embeddings.register_tokens"]
        token, positions = token + positions[:, :1], positions[:, 1:].clone()
    save_file({**new, "cls_token": token, "pos_embed": positions}, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump({"architecture": "vit_tiny_patch4_20", "num_classes": 0, "model_args": {"num_heads": 3}, "pretrained_cfg": {
            "input_size": [3, image, image], "interpolation": "bicubic", "crop_pct": 0.9, "mean": [0.5] * 3, "std": [0.5] * 3}}, file, indent=2)


def timm():
    config = transformers.ViTConfig(**SEEN, intermediate_size=40, layer_norm_eps=1e-6)
    model = prepare(transformers.ViTModel, config, 51, add_pooling_layer=False)
    save("timm", model, run(model, pixel_values=picture(SIDE, SIDE, 1)))
    rename_as_timm("timm", SIDE)


def timm_registers():
    """With layer scale, and positions of patches alone, as DINOv2 has in timm."""
    config = transformers.Dinov2WithRegistersConfig(**SEEN, mlp_ratio=2, num_register_tokens=4)
    see("timm_registers", prepare(transformers.Dinov2WithRegistersModel, config, 52), {})
    rename_as_timm("timm_registers", SIDE, registers=True)


def in_place(layer, size, weights, partition):
    """Weights [windows,H,T,T] of windows of a grid → [1,H,n,n] of its cells; 0 outside of a cell's window. Where the cells went is asked of
    the layer itself, which pads and rolls numbers of cells as it does states."""
    height, width = size
    cells = torch.arange(1.0, height * width + 1).view(1, height, width, 1)
    padded, _ = layer.maybe_pad(cells, height, width)
    moved = torch.roll(padded, shifts=(-layer.shift_size, -layer.shift_size), dims=(1, 2)) if layer.shift_size > 0 else padded
    windows = partition(moved, layer.window_size).view(weights.shape[0], -1).long() - 1
    whole = torch.zeros(weights.shape[1], height * width, height * width)
    for window, its in zip(windows, weights):
        own = window >= 0
        at = window[own]
        whole[:, at[:, None], at[None, :]] = its[:, own][:, :, own]
    return whole[None]


def see_stages(encoder, layers, partition, prefix, **inputs):
    """Of each stage what enters its layers, what leaves the last, and the attention of all."""
    tensors = {f"{prefix}{k}": v for k, v in inputs.items()}
    hooks, inside = [], {}
    for s, stage in enumerate(layers):
        for i, layer in enumerate(stage.blocks):
            def note(module, args, output, s=s, i=i, layer=layer):
                height, width = args[1]
                tensors[f"{prefix}stage.{s + 1}.hidden_states.{i}"] = args[0]
                tensors[f"{prefix}stage.{s + 1}.hidden_states.{i + 1}"] = output[0]
                tensors[f"{prefix}stage.{s + 1}.attentions.{i}"] = in_place(layer, (height, width), inside[s, i], partition)
            def look(module, args, output, s=s, i=i):
                inside[s, i] = output[1]
            hooks += [layer.register_forward_hook(note), layer.attention.register_forward_hook(look)]
    with torch.no_grad():
        tensors[f"{prefix}last_hidden_state"] = encoder(**inputs, output_attentions=True).last_hidden_state
    for hook in hooks:
        hook.remove()
    return tensors


STAGES = {"patch_size": 2, "embed_dim": 8, "depths": [2, 3], "num_heads": [2, 4], "window_size": 3, "mlp_ratio": 2.0}


def swin():
    """Grids of 8 × 8 and 4 × 4 cells; and one whose sides are of no whole windows, nor patches."""
    config = transformers.SwinConfig(**STAGES, image_size=16, num_labels=5)
    model = prepare(transformers.SwinForImageClassification, config, 61)
    partition = transformers.models.swin.modeling_swin.window_partition
    see = lambda prefix, pixels: see_stages(model.swin, model.swin.encoder.layers, partition, prefix, pixel_values=pixels)
    save("swin", model, {**see("", picture(16, 16, 1)), **see("wide.", picture(13, 21, 2))}, preprocessor(size={"height": 16, "width": 16}))


def whole_picture(pixels):
    return {"pixel_values": pixels}


def compare(model, ids, embed, sees=whole_picture):
    """The output of model(…) for a picture and texts, and the cosines of patches and texts, in float64: of patches as they leave the last layer, of
    patches that see only themselves there, and of patches whose values are queries and keys, too. `embed`: states → what is compared."""
    model = copy.deepcopy(model).double()
    pixels = picture(SIDE, SIDE, 1).double()
    with torch.no_grad():
        outputs = [model(input_ids=torch.tensor([one]), **sees(pixels)) for one in ids]
        texts = torch.cat([one.text_embeds for one in outputs])
        entered = model.vision_model(**sees(pixels), output_hidden_states=True).hidden_states[-2]
        last = model.vision_model.encoder.layers[-1]
        usual = last(entered, None)
        alone = torch.cat([last(x, None) for x in entered.split(1, dim=1)], dim=1)
        last.self_attn.q_proj = last.self_attn.k_proj = last.self_attn.v_proj
        ways = [torch.nn.functional.normalize(embed(model, x), dim=-1)[0] @ texts.T for x in (usual, alone, last(entered, None))]
    return {"likeness.logits": torch.cat([one.logits_per_image for one in outputs], dim=1)[0].float(),
            "likeness.patches": torch.stack(ways).transpose(1, 2).float()}  # [ways,phrases,patches]


def see_and_read(family, model, vision, text, ids, embed):
    """Both halves of a model: the picture's, and under "text." the text's; of the first of `ids`."""
    trained = run(vision, pixel_values=picture(SIDE, SIDE, 1))
    wide = run(vision, "wide.", pixel_values=picture(3 * PATCH, 8 * PATCH, 2), interpolate_pos_encoding=True)
    save(family, model, {**trained, **wide, **run(text, "text.", input_ids=torch.tensor(ids[:1])), **compare(model, ids, embed)},
         preprocessor())


def clip():
    config = transformers.CLIPConfig(
        vision_config={**SEEN, "intermediate_size": 40},
        text_config={"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40, "vocab_size": 20,
                     "max_position_embeddings": 12, "bos_token_id": 18, "eos_token_id": 19}, projection_dim=16)
    for part in (config.vision_config, config.text_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.CLIPModel, config, 37)
    see_and_read("clip", model, model.vision_model, model.text_model, [[18, 7, 9, 10, 19], [18, 10, 19]],
                 lambda whole, x: whole.visual_projection(whole.vision_model.post_layernorm(x[:, 1:])))
    pieces = ["a", "b", "c", "d", "o", "g", "t", "a</w>", "do", "dog</w>", "cat</w>", "g</w>", "t</w>", "ca", "!", "!</w>", "o</w>", "b</w>",
              "<|startoftext|>", "<|endoftext|>"]
    merges = ["d o", "do g</w>", "c a", "ca t</w>"]
    for name, text in {"vocab.json": json.dumps({piece: i for i, piece in enumerate(pieces)}),
                       "merges.txt": "\n".join(["#version: 0.2", *merges, ""]),
                       "tokenizer_config.json": json.dumps({"tokenizer_class": "CLIPTokenizer"})}.items():
        with open(os.path.join(DATA, "clip", name), "w") as file:
            file.write(text)


def siglip():
    config = transformers.SiglipConfig(
        vision_config={**SEEN, "intermediate_size": 40},
        text_config={"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "vocab_size": 20,
                     "max_position_embeddings": 8, "projection_size": 24})
    for part in (config.vision_config, config.text_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.SiglipModel, config, 38)
    see_and_read("siglip", model, model.vision_model, model.text_model, [[4, 5, 0, 1, 1, 1, 1, 1], [5, 0, 1, 1, 1, 1, 1, 1]],
                 lambda whole, x: torch.stack([whole.vision_model.head(one) for one in whole.vision_model.post_layernorm(x).split(1, dim=1)], 1))
    pieces = [("</s>", 0.0), ("<pad>", 0.0), ("<unk>", 0.0), ("▁", -3.0), ("▁a", -1.0), ("▁dog", -1.5), ("d", -4.0), ("o", -4.0)]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, unk_id=2))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 0)])
    tokenizer.save(os.path.join(DATA, "siglip", "tokenizer.json"), pretty=False)


def naflex(pixels):
    """A picture as rows of patches, each by row, column and channel."""
    _, _, height, width = pixels.shape
    rows = pixels.reshape(1, 3, height // PATCH, PATCH, width // PATCH, PATCH).permute(0, 2, 4, 3, 5, 1).flatten(1, 2).flatten(2)
    shape = torch.tensor([[height // PATCH, width // PATCH]])
    return {"pixel_values": rows, "pixel_attention_mask": torch.ones(1, rows.shape[1], dtype=torch.int32), "spatial_shapes": shape}


def siglip2():
    """NaFlex; 5 × 5 patches were trained."""
    seen = {k: v for k, v in SEEN.items() if k != "image_size"}
    config = transformers.Siglip2Config(
        vision_config={**seen, "intermediate_size": 40, "num_patches": 25},
        text_config={"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "vocab_size": 20,
                     "max_position_embeddings": 8, "projection_size": 24})
    for part in (config.vision_config, config.text_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Siglip2Model, config, 39)
    ids, found = [[4, 5, 0, 1, 1, 1, 1, 1], [5, 0, 1, 1, 1, 1, 1, 1]], {}
    for prefix, pixels in (("", picture(SIDE, SIDE, 1)), ("wide.", picture(3 * PATCH, 8 * PATCH, 2))):
        ran = run(model.vision_model, prefix, **naflex(pixels))
        found |= {k: v for k, v in ran.items() if "mask" not in k and "spatial" not in k} | {prefix + "pixel_values": pixels}
    save("siglip2", model, {**found, **run(model.text_model, "text.", input_ids=torch.tensor(ids[:1])), **compare(
        model, ids, lambda whole, x: torch.stack([whole.vision_model.head(one) for one in whole.vision_model.post_layernorm(x).split(1, dim=1)], 1),
        naflex)}, {"preprocessor_config.json": {"image_processor_type": "Siglip2ImageProcessor", "patch_size": PATCH, "max_num_patches": 40,
                                                "image_mean": [0.5] * 3, "image_std": [0.5] * 3}})
    shutil.copy(os.path.join(DATA, "siglip", "tokenizer.json"), os.path.join(DATA, "siglip2"))


# ---------------------------------------------------------------- residual networks

def residual(family, model, seed):
    """Batch norms have statistics of their own, and sides of pictures are odd on the way down: 40, 20, 10, 5, 3, 2."""
    side, random = 40, torch.Generator().manual_seed(seed)
    model = model.eval()
    draw_weights(model, seed)
    for name, values in model.named_buffers():
        if name.endswith("running_mean"):
            values.copy_(0.3 * torch.randn(values.shape, generator=random))
        elif name.endswith("running_var"):
            values.copy_(0.5 + torch.rand(values.shape, generator=random))
    pixels = picture(side, side, seed)
    with torch.no_grad():
        seen = getattr(model, "resnet", model)(pixel_values=pixels).last_hidden_state
    save(family, model, {"pixel_values": pixels, "last_hidden_state": seen},
         {"preprocessor_config.json": {"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": side},
                                       "crop_pct": 1, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}},
         parent=ENCODERS)


RESIDUAL = {"embedding_size": 8, "hidden_sizes": [16, 24, 32, 40], "depths": [2, 1, 1, 1]}


def resnet():
    residual("resnet", transformers.ResNetModel(transformers.ResNetConfig(**RESIDUAL)), 30)


def resnet_basic():
    residual("resnet_basic", transformers.ResNetModel(transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 12, 16, 20], depths=[2, 1, 2, 1], layer_type="basic")), 31)


def resnet_classifier():
    """Names with a prefix, and an unused head; strides where other implementations have them."""
    residual("resnet_classifier", transformers.ResNetForImageClassification(transformers.ResNetConfig(
        **{**RESIDUAL, "depths": [1, 2, 1, 1]}, downsample_in_first_stage=True, downsample_in_bottleneck=True, num_labels=3)), 32)


# ---------------------------------------------------------------- what finds things

def draw_norms(model, seed):
    """Batch norms with statistics of their own."""
    random = torch.Generator().manual_seed(seed)
    for name, values in model.named_buffers():
        if name.endswith("running_mean"):
            values.copy_(0.3 * torch.randn(values.shape, generator=random))
        elif name.endswith("running_var"):
            values.copy_(0.5 + torch.rand(values.shape, generator=random))
        elif "normalization" in name:
            values.copy_((1 if name.endswith("weight") else 0) + 0.2 * torch.randn(values.shape, generator=random))


def be_sure(heads):
    """Last layers of classes and boxes become such that a model is sure of some of what it finds."""
    for layer, (values, spread, middle) in heads.items():
        scale = spread / values[0].std(0).mean()
        layer.weight.data *= scale
        layer.bias.data = torch.tensor(middle) - scale * (values[0].mean(0) - layer.bias.data)


def find(family, seed, height, width, backbone, side, kind="Detr", **options):
    """A tiny DETR that is sure of some of what it finds."""
    config = getattr(transformers, kind + "Config")(
        use_timm_backbone=False, backbone=None, backbone_config=transformers.ResNetConfig(embedding_size=8, **backbone),
        d_model=32, encoder_layers=2, decoder_layers=3, encoder_attention_heads=4, decoder_attention_heads=2, encoder_ffn_dim=40, decoder_ffn_dim=48,
        num_queries=12, id2label={0: "cat", 1: "dog", 2: "N/A", 3: "a very small boat"}, **options)
    model = prepare(getattr(transformers, kind + "ForObjectDetection"), config, seed)
    draw_norms(model, seed)
    model.model.query_position_embeddings.weight.data *= 4
    pixels = picture(height, width, seed)
    with torch.no_grad():
        entered = model(pixel_values=pixels, output_hidden_states=True).encoder_hidden_states[0]
        model.model.input_projection.weight.data /= entered.std()
        outputs = model(pixel_values=pixels)
        be_sure({model.class_labels_classifier: (outputs.logits, 4, [0, 0, 0, 0, 2]),
                          model.bbox_predictor.layers[2]: (torch.logit(outputs.pred_boxes), 0.7, [0, 0, -1, -1])})
        outputs = model(pixel_values=pixels, output_attentions=True, output_hidden_states=True)
    found = {"pixel_values": pixels, "logits": outputs.logits, "pred_boxes": outputs.pred_boxes, "last_hidden_state": outputs.encoder_last_hidden_state}
    for name, kind in (("hidden_states", outputs.encoder_hidden_states), ("attentions", outputs.encoder_attentions),
                       ("decoder_attentions", outputs.decoder_attentions), ("cross_attentions", outputs.cross_attentions)):
        found |= {f"{name}.{i}": x for i, x in enumerate(kind)}
    one = transformers.DetrImageProcessor().post_process_object_detection(outputs, threshold=0.7, target_sizes=[(480, 640)])[0]
    found |= {"found.scores": one["scores"], "found.labels": one["labels"], "found.boxes": one["boxes"]}
    save(family, model, found, {"preprocessor_config.json": {
        "image_processor_type": "DetrImageProcessor", "do_pad": True, "format": "coco_detection", "size": {"shortest_edge": side, "longest_edge": 2 * side},
        "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}})
    print(family, len(one["scores"]), "found", one["labels"].tolist())


def detr():
    find("detr", 50, 64, 90, {"hidden_sizes": [16, 24, 32], "depths": [1, 1, 1]}, 96, auxiliary_loss=False)


def yolos_of(family, seed, height, width, **options):
    """Tokens that detect stand behind the patches there, and before them here."""
    config = transformers.YolosConfig(**{**SEEN, "image_size": [16, 24]}, intermediate_size=40, num_detection_tokens=12,
                                      id2label={0: "cat", 1: "dog", 2: "N/A", 3: "a very small boat"}, **options)
    model = prepare(transformers.YolosForObjectDetection, config, seed)
    model.vit.embeddings.detection_tokens.data *= 4
    pixels = picture(height, width, seed)
    with torch.no_grad():
        outputs = model(pixel_values=pixels)
        be_sure({model.class_labels_classifier.layers[2]: (outputs.logits, 4, [0, 0, 0, 0, 2]),
                 model.bbox_predictor.layers[2]: (torch.logit(outputs.pred_boxes), 0.7, [0, 0, -1, -1])})
        entered = []
        hooks = [layer.register_forward_pre_hook(lambda module, args: entered.append(args[0])) for layer in model.vit.encoder.layer]
        hooks.append(model.vit.layernorm.register_forward_pre_hook(lambda module, args: entered.append(args[0])))
        outputs = model(pixel_values=pixels, output_attentions=True)
        for hook in hooks:
            hook.remove()
    count = outputs.last_hidden_state.shape[1]
    order = [0, *range(count - 12, count), *range(1, count - 12)]
    found = {"pixel_values": pixels, "logits": outputs.logits, "pred_boxes": outputs.pred_boxes,
             "last_hidden_state": outputs.last_hidden_state[:, order]}
    found |= {f"hidden_states.{i}": x[:, order] for i, x in enumerate(entered)}
    for i, x in enumerate(outputs.attentions):
        found |= {f"attentions.{i}": x[:, :, order][..., order], f"cross_attentions.{i}": x[:, :, -12:, 1:-12], f"decoder_attentions.{i}": x[:, :, -12:, -12:]}
    one = transformers.YolosImageProcessor().post_process_object_detection(outputs, threshold=0.7, target_sizes=[(480, 640)])[0]
    found |= {"found.scores": one["scores"], "found.labels": one["labels"], "found.boxes": one["boxes"]}
    save(family, model, found, {"preprocessor_config.json": {
        "image_processor_type": "YolosImageProcessor", "format": "coco_detection", "size": {"shortest_edge": 40, "longest_edge": 100},
        "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}})
    print(family, len(one["scores"]), "found", one["labels"].tolist())


def yolos():
    """Positions between layers, too, in the trained size and in another one."""
    yolos_of("yolos", 130, 13, 38)


def yolos_plain():
    yolos_of("yolos_plain", 131, 16, 24, use_mid_position_embeddings=False, qkv_bias=False)


def owl(family, kind, seed):
    """Boxes of patches for two phrases, in the trained size and in another; a text that is filled up gives what it gives alone."""
    pieces = [{"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40, "vocab_size": 20,
               "max_position_embeddings": 12, "bos_token_id": 18, "eos_token_id": 19}, {**SEEN, "intermediate_size": 40}]
    config = getattr(transformers, kind + "Config")(text_config=pieces[0], vision_config=pieces[1], projection_dim=32)
    for part in (config.vision_config, config.text_config):
        part._attn_implementation = "eager"
    model = prepare(getattr(transformers, kind + "ForObjectDetection"), config, seed)
    clip = getattr(model, kind.lower())
    phrases = torch.tensor([[18, 7, 9, 10, 19, 0, 0, 0, 0, 0, 0, 0], [18, 10, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    found = {}
    for prefix, pixels, options in (("", picture(SIDE, SIDE, 1), {}), ("wide.", picture(3 * PATCH, 8 * PATCH, 2), {"interpolate_pos_encoding": True})):
        found |= run(clip.vision_model, prefix, pixel_values=pixels, **options)
        with torch.no_grad():
            outputs = model(pixel_values=pixels, input_ids=phrases, attention_mask=(phrases > 0).long(), **options)
        found |= {f"{prefix}logits": outputs.logits, f"{prefix}pred_boxes": outputs.pred_boxes}
        if getattr(outputs, "objectness_logits", None) is not None:
            found[f"{prefix}objectness_logits"] = outputs.objectness_logits
    save(family, model, {**found, **run(clip.text_model, "text.", input_ids=phrases[:1, :5])},
         {"preprocessor_config.json": {"image_processor_type": kind + "ImageProcessor", "size": {"height": SIDE, "width": SIDE}}})
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        shutil.copy(os.path.join(DATA, "clip", name), os.path.join(DATA, family))


def owlvit():
    owl("owlvit", "OwlViT", 132)


def owlv2():
    owl("owlv2", "Owlv2", 133)


def table_transformer():
    """Norms before each part, and a network of basic blocks."""
    find("table_transformer", 52, 40, 70, {"hidden_sizes": [16, 24, 32, 40], "depths": [2, 1, 1, 1], "layer_type": "basic"}, 96, kind="TableTransformer",
         auxiliary_loss=True)


def detr_timm():
    """The names that files of the hub have, whose network is timm's, and rules of before 2023; the other way of norms."""
    find("detr_timm", 51, 40, 70, {"hidden_sizes": [16, 24, 32, 40], "depths": [2, 1, 1, 1]}, 96, auxiliary_loss=True)
    folder = os.path.join(DATA, "detr_timm")
    tensors = {}
    for name, x in load_file(os.path.join(folder, "model.safetensors")).items():
        name = name.replace("model.backbone.conv_encoder.model.", "model.backbone.model.").replace("model.backbone.model.", "model.backbone.conv_encoder.model.")
        for here, there in (("embedder.embedder.convolution", "conv1"), ("embedder.embedder.normalization", "bn1"), ("shortcut.convolution", "downsample.0"),
                            ("shortcut.normalization", "downsample.1")):
            name = name.replace(here, there)
        name = re.sub(r"encoder\.stages\.(\d)\.layers", lambda m: f"layer{int(m[1]) + 1}", name)
        name = re.sub(r"layer\.(\d)\.(convolution|normalization)", lambda m: f"{'conv' if m[2][0] == 'c' else 'bn'}{int(m[1]) + 1}", name)
        tensors[name] = x
    save_file(tensors, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    config |= {"backbone": "resnet50", "use_timm_backbone": True, "backbone_config": None}
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
    with open(os.path.join(folder, "preprocessor_config.json"), "w") as file:
        json.dump({"feature_extractor_type": "DetrFeatureExtractor", "format": "coco_detection", "max_size": 192, "size": 96, "do_normalize": True,
                   "do_resize": True, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}, file, indent=2)


def deformable_rows(locations, shares, shapes, values, output):
    """What each head of each query has of each cell of the coarsest level [H,Q,cells], in float64: a point's share by how near the cell's
    middle is, the cells of finer levels with the one that they lie in. Held to the output that values have by it."""
    (_, Q, H, _, P, _), first = locations.shape, 0
    found = torch.zeros(H, Q, output.shape[-1] // H, dtype=torch.float64)
    rows = torch.zeros(H, Q, shapes[-1][0] * shapes[-1][1], dtype=torch.float64)
    for level, (height, width) in enumerate(shapes):
        cells = torch.zeros(H, Q, height, width, dtype=torch.float64)
        for q in range(Q):
            for h in range(H):
                for i in range(P):
                    x, y = (float(v) * side - 0.5 for v, side in zip(locations[0, q, h, level, i].double(), (width, height)))
                    for cx in (math.floor(x), math.floor(x) + 1):
                        for cy in (math.floor(y), math.floor(y) + 1):
                            if 0 <= cx < width and 0 <= cy < height:
                                cells[h, q, cy, cx] += float(shares[0, q, h, level, i]) * (1 - abs(x - cx)) * (1 - abs(y - cy))
        here = values[0, first:first + height * width].double()  # [cells,H,d]
        found += torch.einsum("hqc,chd->hqd", cells.flatten(2), here)
        step, first = height // shapes[-1][0], first + height * width
        rows += cells.unflatten(3, (-1, step)).unflatten(2, (-1, step)).sum((3, 5)).flatten(2)
    assert (found.transpose(0, 1).flatten(1) - output[0]).abs().max() < 1e-4
    return rows.float()


def find_by_points(family, seed, kind, backbone, **options):
    """RT-DETR: three levels, whose points queries look at."""
    height, width = 64, 96
    sizes = backbone["hidden_sizes"][1:]
    config = getattr(transformers, kind + "Config")(
        backbone_config=transformers.RTDetrResNetConfig(embedding_size=8, out_indices=[2, 3, 4], **backbone), encoder_in_channels=sizes, encoder_hidden_dim=12,
        d_model=12, encoder_attention_heads=3, decoder_attention_heads=3, encoder_ffn_dim=40, decoder_ffn_dim=48, decoder_layers=3, num_queries=12,
        decoder_in_channels=[12] * 3, num_denoising=0, id2label={0: "cat", 1: "dog", 2: "a very small boat"}, **options)
    model = prepare(getattr(transformers, kind + "ForObjectDetection"), config, seed)
    draw_norms(model, seed)
    pixels, sampled = picture(height, width, seed), []
    entered = []
    with torch.no_grad():  # numbers of the size that trained models have
        for projection in model.model.decoder_input_proj:
            projection.register_forward_hook(lambda m, x, y: entered.append(y.std()))
        model(pixel_values=pixels)
        for projection, deviation in zip(model.model.decoder_input_proj, entered):
            projection[1].weight.data /= deviation
            projection[1].bias.data /= deviation
            projection[1].running_mean.zero_()
        for head in [model.model.enc_bbox_head, *model.model.decoder.bbox_embed]:
            head.layers[2].weight.data *= 0.4
    if kind == "RTDetrV2":
        code = transformers.models.rt_detr_v2.modeling_rt_detr_v2
        first = code.multi_scale_deformable_attention_v2

        def sample(values, shapes, locations, shares, *others):
            output = first(values, shapes, locations, shares, *others)
            sampled.append((locations.unflatten(3, (3, -1)), shares.unflatten(3, (3, -1)), shapes, values, output))
            return output
        code.multi_scale_deformable_attention_v2 = sample
    for module in model.modules():
        if type(module).__name__ == "RTDetrMultiscaleDeformableAttention":
            module.attn.register_forward_hook(lambda m, x, y: sampled.append((x[4], x[5], x[2], x[0], y)))
    found = {}
    shapes = [("", pixels)]
    if family == "rt_detr":  # outer cells that are too near to an edge for an anchor
        shapes.append(("wide.", picture(32, 416, seed)))
    for prefix, seen in shapes:
        sampled.clear()
        with torch.no_grad():
            outputs = model(pixel_values=seen, output_attentions=True)
        found |= {prefix + "pixel_values": seen, prefix + "logits": outputs.logits, prefix + "pred_boxes": outputs.pred_boxes}
        for name, all_layers in (("decoder_attentions", outputs.decoder_attentions), ("attentions", outputs.encoder_attentions),
                                 ("rows", [deformable_rows(*x) for x in sampled])):
            found |= {f"{prefix}{name}.{i}": x for i, x in enumerate(all_layers)}
    save(family, model, found, {"preprocessor_config.json": {"image_processor_type": "RTDetrImageProcessor", "do_normalize": False, "do_pad": False,
                                                             "size": {"height": height, "width": width}}})
    print(family, outputs.logits.sigmoid().max(-1), outputs.pred_boxes[0, :3])


def rt_detr():
    find_by_points("rt_detr", 91, "RTDetr", {"hidden_sizes": [16, 24, 32, 40], "depths": [1, 2, 1, 1]})


def rt_detr_basic():
    """Basic blocks, and blocks of half the width between the levels."""
    find_by_points("rt_detr_basic", 92, "RTDetr", {"hidden_sizes": [8, 24, 32, 40], "depths": [1, 2, 1, 1], "layer_type": "basic"}, hidden_expansion=0.5)


def rt_detr_v2():
    find_by_points("rt_detr_v2", 93, "RTDetrV2", {"hidden_sizes": [16, 24, 32, 40], "depths": [1, 1, 1, 1]}, decoder_n_points=2, decoder_offset_scale=0.7)


# ---------------------------------------------------------------- families that read

READ = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 40}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "bank", "of", "river", "##s", "a", "money", "##y", "m", "##on", "##e"]
SENTENCE = "The bank of the river"


def save_vocabulary(family, words):
    """One word a line, as in WordPiece's vocab.txt."""
    with open(os.path.join(DATA, family, "vocab.txt"), "w") as file:
        file.write("\n".join(words) + "\n")


def read(family, model, ids, base=None):
    """`base`: the model without its head, where it has one."""
    save(family, model, run(base or model, input_ids=torch.tensor([ids])))


def word_pieces(text):
    return [WORDS.index(word) for word in ["[CLS]", *text.lower().split(), "[SEP]"]]


def bert():
    config = transformers.BertConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=16)
    read("bert", prepare(transformers.BertModel, config, 11, add_pooling_layer=False), word_pieces(SENTENCE))
    save_vocabulary("bert", WORDS)


def bert_masked():
    """Names with a prefix, another activation, a large epsilon, and weights of half the size."""
    config = transformers.BertConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=16, hidden_act="gelu_new",
                                     layer_norm_eps=0.01)
    model = prepare(transformers.BertForMaskedLM, config, 12)
    model.half().float()
    tensors = run(model.bert, input_ids=torch.tensor([word_pieces(SENTENCE)]))
    save("bert_masked", model.half(), tensors)
    save_vocabulary("bert_masked", WORDS)


def distilbert():
    config = transformers.DistilBertConfig(dim=24, n_layers=3, n_heads=3, hidden_dim=40, vocab_size=len(WORDS),
                                           max_position_embeddings=16)
    model = prepare(transformers.DistilBertForMaskedLM, config, 13)
    read("distilbert", model, word_pieces(SENTENCE), model.distilbert)
    save_vocabulary("distilbert", WORDS)


def electra():
    """Words narrower than the layers."""
    config = transformers.ElectraConfig(**READ, embedding_size=16, vocab_size=len(WORDS), max_position_embeddings=16)
    model = prepare(transformers.ElectraForPreTraining, config, 39)
    read("electra", model, word_pieces(SENTENCE), model.electra)
    save_vocabulary("electra", WORDS)


def mpnet():
    """Trained numbers for distances; of more tokens than have a distance of their own."""
    config = transformers.MPNetConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=40)
    model = prepare(transformers.MPNetForMaskedLM, config, 90)
    read("mpnet", model, [0, 4, 5, 6, 4, 7, 8, 9, 10, 11, 12, 13, 4, 5, 6, 7, 8, 9, 2], model.mpnet)
    save_vocabulary("mpnet", WORDS)


def albert():
    """Four layers, of which the file has two; words narrower than they."""
    config = transformers.AlbertConfig(**{**READ, "num_hidden_layers": 4}, num_hidden_groups=2, embedding_size=16, vocab_size=20,
                                       max_position_embeddings=16)
    model = prepare(transformers.AlbertForMaskedLM, config, 91)
    pieces = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]", "▁", "▁the", "▁bank", "▁of", "▁river", "s", "t", "h", "e", "b", "r", "i", "v", "▁a", "n"]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram([(p, -float(i > 4) * i) for i, p in enumerate(pieces)], unk_id=1))
    tokenizer.normalizer = tokenizers.normalizers.Sequence([
        tokenizers.normalizers.Replace("``", '"'), tokenizers.normalizers.Replace("''", '"'), tokenizers.normalizers.NFKD(),
        tokenizers.normalizers.StripAccents(), tokenizers.normalizers.Lowercase(), tokenizers.normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    read("albert", model, tokenizer.encode(SENTENCE + "s").ids, model.albert)
    tokenizer.save(os.path.join(DATA, "albert", "tokenizer.json"), pretty=False)


def modernbert():
    """The first and the fourth layer see all, the others two tokens on each side."""
    config = transformers.ModernBertConfig(**{**READ, "num_hidden_layers": 4}, vocab_size=len(WORDS), max_position_embeddings=32,
                                           local_attention=4, pad_token_id=0, bos_token_id=2, cls_token_id=2, eos_token_id=3, sep_token_id=3)
    model = prepare(transformers.ModernBertForMaskedLM, config, 92)
    read("modernbert", model, word_pieces(SENTENCE + " the money of the bank"), model.model)
    save_vocabulary("modernbert", WORDS)


def modernbert_old():
    """The keys that files of the hub have, all with a bias."""
    config = transformers.ModernBertConfig(
        **{**READ, "num_hidden_layers": 4}, vocab_size=len(WORDS), max_position_embeddings=32, local_attention=4, pad_token_id=0, bos_token_id=2,
        cls_token_id=2, eos_token_id=3, sep_token_id=3, norm_bias=True, attention_bias=True, mlp_bias=True,
        rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 500.0}, "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}})
    read("modernbert_old", prepare(transformers.ModernBertModel, config, 93), word_pieces(SENTENCE + " the money of the bank"))
    save_vocabulary("modernbert_old", WORDS)
    path = os.path.join(DATA, "modernbert_old", "config.json")
    with open(path) as file:
        old = json.load(file)
    del old["rope_parameters"], old["layer_types"]
    with open(path, "w") as file:
        json.dump({**old, "global_rope_theta": 500.0, "local_rope_theta": 50.0, "global_attn_every_n_layers": 3}, file, indent=2)


def ernie():
    """With a table of tasks; a pair of texts has two kinds."""
    config = transformers.ErnieConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=16, use_task_id=True)
    read("ernie", prepare(transformers.ErnieModel, config, 101, add_pooling_layer=False), word_pieces(SENTENCE))
    save_vocabulary("ernie", WORDS)


def roformer():
    """Numbers next to each other are turned; words narrower than the layers."""
    config = transformers.RoFormerConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=16, embedding_size=16)
    model = prepare(transformers.RoFormerForMaskedLM, config, 102)
    positions = model.roformer.encoder.embed_positions  # sinusoids, which are no parameter that is trained
    positions.weight.data.copy_(positions.create_weight() if hasattr(positions, "create_weight") else positions._init_weight())
    read("roformer", model, word_pieces(SENTENCE), model.roformer)
    save_vocabulary("roformer", WORDS)


RESIDUES = ["<cls>", "<pad>", "<eos>", "<unk>", *"LAGVSERTIDPKQNFYMHWCXBUZO.-", "<null_1>", "<mask>"]


def esm():
    """A protein of which two residues are masked and one is none; frequencies that were rounded to 16 bits."""
    config = transformers.EsmConfig(**READ, vocab_size=len(RESIDUES), max_position_embeddings=40, position_embedding_type="rotary", token_dropout=True,
                                    emb_layer_norm_before=False, mask_token_id=RESIDUES.index("<mask>"), pad_token_id=1, layer_norm_eps=1e-5,
                                    rope_theta=50.0)
    model = prepare(transformers.EsmForMaskedLM, config, 124, )
    model.esm.rotary_embeddings.inv_freq.copy_(model.esm.rotary_embeddings.inv_freq.half().float())
    os.makedirs(os.path.join(DATA, "esm"), exist_ok=True)
    save_vocabulary("esm", RESIDUES)
    ids = transformers.EsmTokenizer(os.path.join(DATA, "esm", "vocab.txt"))(PROTEIN).input_ids
    with torch.no_grad():
        touching = model.esm.predict_contacts(torch.tensor([ids]), torch.ones(1, len(ids)))
    save("esm", model, {**run(model.esm, input_ids=torch.tensor([ids])), "contacts": touching})
    save_vocabulary("esm", RESIDUES)


PROTEIN = "MKT<mask>YIAK jj QRQI<mask>SFVKSH"


def nomic_bert():
    """Under the names that files of the hub have."""
    config = transformers.NomicBertConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=32)
    read("nomic_bert", prepare(transformers.NomicBertModel, config, 103, add_pooling_layer=False), word_pieces(SENTENCE))
    save_vocabulary("nomic_bert", WORDS)


def nomic_bert_old():
    """With the keys that they have, too."""
    nomic_bert()
    source, folder = (os.path.join(DATA, name) for name in ("nomic_bert", "nomic_bert_old"))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump({"activation_function": "swiglu", "architectures": ["NomicBertModel"], "causal": False, "fused_bias_fc": True, "layer_norm_epsilon": 1e-12,
                   "mlp_fc1_bias": False, "mlp_fc2_bias": False, "model_type": "nomic_bert", "n_embd": 24, "n_head": 3, "n_inner": 40, "n_layer": 3,
                   "n_positions": 32, "parallel_block": False, "prenorm": False, "qkv_proj_bias": False, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
                   "rotary_emb_interleaved": False, "rotary_emb_scale_base": None, "rotary_scaling_factor": None, "scale_attn_weights": True,
                   "type_vocab_size": 2, "use_rms_norm": False, "vocab_size": len(WORDS)}, file, indent=2)


def gte():
    """Without kinds of texts, as the English one is."""
    config = transformers.GteConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=32, type_vocab_size=0,
                                    rope_parameters={"rope_type": "default", "rope_theta": 500.0})
    read("gte", prepare(transformers.GteModel, config, 104), word_pieces(SENTENCE))
    save_vocabulary("gte", WORDS)


def jina3():
    config = transformers.JinaEmbeddingsV3Config(**READ, vocab_size=len(WORDS), max_position_embeddings=32)
    model = prepare(transformers.JinaEmbeddingsV3ForMaskedLM, config, 105)
    read("jina3", model, word_pieces(SENTENCE), model.roberta)
    save_vocabulary("jina3", WORDS)


class Jina2(torch.nn.Module):
    """JinaBERT (Günther et al. 2023, arXiv 2310.19923), whose code is the hub's: BERT without trained positions, whose scores fall by
    slope · |i − j| (ALiBi to both sides, Press et al. 2022), and gated linear units in place of its feed-forward networks."""

    def __init__(self, width, layers, heads, hidden, words):
        super().__init__()
        linear, norm, named = torch.nn.Linear, (lambda: torch.nn.LayerNorm(width, eps=1e-12)), torch.nn.ModuleDict
        self.heads, self.hidden = heads, hidden
        self.embeddings = named({"word_embeddings": torch.nn.Embedding(words, width), "token_type_embeddings": torch.nn.Embedding(2, width),
                                 "LayerNorm": norm()})
        self.encoder = named({"layer": torch.nn.ModuleList([named({
            "attention": named({"self": named({part: linear(width, width) for part in ("query", "key", "value")}),
                                "output": named({"dense": linear(width, width), "LayerNorm": norm()})}),
            "mlp": named({"gated_layers": linear(width, 2 * hidden, bias=False), "wo": linear(hidden, width), "layernorm": norm()})})
            for _ in range(layers)])})

    def slopes(self):
        """2^(−8/n), … of the next lower power of 2, then every other one of twice that."""
        power = 2 ** int(math.log2(self.heads))
        return torch.tensor(([2 ** (-8 * (i + 1) / power) for i in range(power)] + [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * power, 2)])[:self.heads])

    def forward(self, input_ids, **_):
        places = torch.arange(input_ids.shape[1])
        falls = -self.slopes()[:, None, None] * (places[:, None] - places).abs()
        e = self.embeddings
        x = e["LayerNorm"](e["word_embeddings"](input_ids) + e["token_type_embeddings"].weight[0])
        states, attentions = [x], []
        for layer in self.encoder["layer"]:
            q, k, v = (layer["attention"]["self"][part](x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in ("query", "key", "value"))
            attentions.append(torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + falls, -1))
            out = layer["attention"]["output"]
            x = out["LayerNorm"](x + out["dense"]((attentions[-1] @ v).transpose(1, 2).flatten(-2)))
            gate, up = layer["mlp"]["gated_layers"](x).split(self.hidden, -1)
            x = layer["mlp"]["layernorm"](x + layer["mlp"]["wo"](torch.nn.functional.gelu(gate) * up))
            states.append(x)
        return types.SimpleNamespace(last_hidden_state=x, hidden_states=states, attentions=attentions)

    def save_pretrained(self, folder, **_):
        os.makedirs(folder)
        save_file({name: x.contiguous() for name, x in self.state_dict().items()}, os.path.join(folder, "model.safetensors"))


def jina2():
    model = Jina2(24, 3, 3, 40, len(WORDS)).eval()
    draw_weights(model, 140)
    save("jina2", model, run(model, input_ids=torch.tensor([word_pieces(SENTENCE) + [4, 9, 10, 8, 3]])), {"config.json": {
        "architectures": ["JinaBertModel"], "model_type": "bert", **READ, "vocab_size": len(WORDS), "type_vocab_size": 2,
        "max_position_embeddings": 8192, "position_embedding_type": "alibi", "feed_forward_type": "geglu", "emb_pooler": "mean",
        "hidden_act": "gelu", "layer_norm_eps": 1e-12, "attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.1}})
    save_vocabulary("jina2", WORDS)


def deberta_of(family, seed, **more):
    config = transformers.DebertaV2Config(**{**READ, **more}, vocab_size=len(WORDS), max_position_embeddings=40, relative_attention=True)
    model = prepare(transformers.DebertaV2ForMaskedLM, config, seed)
    read(family, model, word_pieces(SENTENCE + " the money of the bank the river a bank of a river the money"), model.deberta)
    save_vocabulary(family, WORDS)


def deberta_v3():
    """Distances in buckets, through the layers' own queries and keys."""
    deberta_of("deberta_v3", 94, pos_att_type=["p2c", "c2p"], position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True,
               position_biased_input=False)


def deberta_v2():
    """Behind the first layer a convolution; distances one by one, through layers of their own."""
    deberta_of("deberta_v2", 95, pos_att_type=["p2c", "c2p"], conv_kernel_size=3, conv_act="gelu", max_relative_positions=6, type_vocab_size=2)


def deberta_v2_keys():
    """One of the two terms, as files of once write it."""
    deberta_of("deberta_v2_keys", 96, pos_att_type="c2p", conv_kernel_size=3)


def deberta_first(family, seed, **more):
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    config = transformers.DebertaConfig(**{**READ, **more}, vocab_size=len(letters()[0]) + len(special), max_position_embeddings=40, relative_attention=True)
    model = prepare(transformers.DebertaForMaskedLM, config, seed)
    read(family, model, pieces_of(["the", "Ġbank", "Ġ", "o", "f", "Ġthe", "Ġ", "m", "o", "n", "e", "y", "Ġthe", "Ġbank"]), model.deberta)
    save_letters(family, special)


def deberta():
    """Query, key and value of a head together, with biases apart; distances of at most 6, of which there are more."""
    deberta_first("deberta", 97, pos_att_type=["c2p", "p2c"], max_relative_positions=6, type_vocab_size=2)


def deberta_queries():
    """One of the two terms, and no positions beside the distances."""
    deberta_first("deberta_queries", 98, pos_att_type="p2c", position_biased_input=False)


def letters():
    """A vocabulary of bytes and some pairs, as in byte-level BPE, and its merges."""
    merges = ["t h", "th e", "Ġ the", "Ġ b", "a n", "Ġb an", "Ġban k"]
    pieces = sorted(chr(c) for c in range(ord("a"), ord("z") + 1)) + ["Ġ", "."]
    return pieces + [merge.replace(" ", "") for merge in merges], merges


def save_letters(family, after=()):
    pieces, merges = letters()
    tokens = pieces + list(after)
    with open(os.path.join(DATA, family, "vocab.json"), "w") as file:
        json.dump({token: i for i, token in enumerate(tokens)}, file)
    with open(os.path.join(DATA, family, "merges.txt"), "w") as file:
        file.write("#version: 0.2\n" + "\n".join(merges) + "\n")


def pieces_of(tokens):
    pieces, _ = letters()
    return [pieces.index(token) for token in tokens]


def roberta():
    """Places begin after that of padding; what is read are tokens, for its tokenizer frames them otherwise."""
    config = transformers.RobertaConfig(**READ, vocab_size=len(WORDS), max_position_embeddings=18, type_vocab_size=1)
    read("roberta", prepare(transformers.RobertaModel, config, 14, add_pooling_layer=False), [0, 4, 5, 6, 4, 7, 2])
    save_vocabulary("roberta", WORDS)


def xlm_roberta():
    """RoBERTa's layers behind unigrams."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁the", "▁bank", "▁of", "▁ri", "ver", "s", "▁The", "e"]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram([(p, -float(i > 3) * i) for i, p in enumerate(pieces)], unk_id=3))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A </s>",
                                                                        special_tokens=[("<s>", 0), ("</s>", 2)])
    config = transformers.XLMRobertaConfig(**READ, vocab_size=len(pieces), max_position_embeddings=18, type_vocab_size=1)
    model = prepare(transformers.XLMRobertaForMaskedLM, config, 31)
    read("xlm_roberta", model, tokenizer.encode(SENTENCE + "s").ids, model.roberta)
    tokenizer.save(os.path.join(DATA, "xlm_roberta", "tokenizer.json"), pretty=False)


def go_on(family, model, base, saved=None, attends=None):
    """With the logits, and its continuation of "the bank": 8 tokens, greedily. `attends`: the layers with attention; what leaves these alone is kept."""
    ids = torch.tensor([pieces_of(["the", "Ġbank", "Ġ", "o", "f"])])
    with torch.no_grad():
        logits = model(ids).logits
    generated, left = ids, 8
    while left:
        with torch.no_grad():
            best = model(generated).logits[:, -1].argmax(-1, keepdim=True)
        generated, left = torch.cat([generated, best], 1), left - 1
    tensors = {**run(base, input_ids=ids), "logits": logits, "generated": generated}
    if attends:
        every = [tensors.pop(f"hidden_states.{i}") for i in range(model.config.num_hidden_layers + 1)]
        tensors.update({f"hidden_states.{i}": every[layer + 1] for i, layer in enumerate([-1, *attends[:-1], -2])})
    save(family, saved(model) if saved else model, tensors)
    save_letters(family)


def go_on_stored(family, model, base, dtype):
    """The same with weights of 16 bits; computed is with them as float32."""
    for weight in model.parameters():  # not the frequencies, which stay as they are
        weight.data = weight.data.to(dtype).float()
    go_on(family, model, base, lambda model: model.to(dtype))


def small_gpt2():
    config = transformers.GPT2Config(n_embd=24, n_layer=3, n_head=3, n_positions=32, vocab_size=len(letters()[0]),
                                     bos_token_id=0, eos_token_id=0)
    return prepare(transformers.GPT2LMHeadModel, config, 15)


def gpt2():
    model = small_gpt2()
    go_on("gpt2", model, model.transformer)


def gpt2_float16():
    model = small_gpt2()
    go_on_stored("gpt2_float16", model, model.transformer, torch.float16)


def gpt2_bfloat16():
    model = small_gpt2()
    go_on_stored("gpt2_bfloat16", model, model.transformer, torch.bfloat16)


# Heads of 8 numbers, keys and values of fewer heads.
SHARED = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 40,
          "max_position_embeddings": 64, "vocab_size": len(letters()[0]), "bos_token_id": None, "eos_token_id": None}


def small_llama():
    rope = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 32}
    config = transformers.LlamaConfig(**SHARED, num_key_value_heads=2, rope_parameters=rope, tie_word_embeddings=False)
    return prepare(transformers.LlamaForCausalLM, config, 16)


def llama():
    """Slow turns are slowed down: of its four frequencies one stays, one is mixed, two are a quarter."""
    model = small_llama()
    go_on("llama", model, model.model)


def llama_adapter():
    """Two matrices with an adapter of low rank each, as PEFT saves it; its base is next to it."""
    model, random = small_llama(), torch.Generator().manual_seed(57)
    folder = os.path.join(DATA, "llama_adapter")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    pairs = {}
    for layer, part in enumerate(("self_attn.q_proj", "mlp.down_proj")):
        weight = model.get_parameter(f"model.layers.{layer}.{part}.weight")
        a, b = (0.2 * torch.randn(shape, generator=random) for shape in ((4, weight.shape[1]), (weight.shape[0], 4)))
        weight.data += 6 / 4 * b @ a
        pairs.update({f"base_model.model.model.layers.{layer}.{part}.lora_{which}.weight": x for which, x in (("A", a), ("B", b))})
    save_file(pairs, os.path.join(folder, "adapter_model.safetensors"))
    with open(os.path.join(folder, "adapter_config.json"), "w") as file:
        json.dump({"peft_type": "LORA", "base_model_name_or_path": "owner/llama", "r": 4, "lora_alpha": 6, "bias": "none", "use_dora": False,
                   "target_modules": ["q_proj", "down_proj"], "fan_in_fan_out": False, "modules_to_save": None}, file, indent=2)
    ids = torch.tensor([pieces_of(["the", "Ġbank", "Ġ", "o", "f"])])
    tensors = {k: v.to(torch.int32 if v.dtype == torch.int64 else v.dtype).contiguous().clone() for k, v in run(model.model, input_ids=ids).items()}
    save_file(tensors, os.path.join(folder, "reference.safetensors"))


def llama_float16():
    model = small_llama()
    go_on_stored("llama_float16", model, model.model, torch.float16)


def llama_bfloat16():
    model = small_llama()
    go_on_stored("llama_bfloat16", model, model.model, torch.bfloat16)


def qwen2():
    """Biases, tied words, weights in bfloat16, and the base beside the sizes, as in files of earlier versions."""
    rope = {"rope_type": "default", "rope_theta": 1e6}
    config = transformers.Qwen2Config(**SHARED, num_key_value_heads=1, rope_parameters=rope, tie_word_embeddings=True)
    model = prepare(transformers.Qwen2ForCausalLM, config, 17)
    go_on_stored("qwen2", model, model.model, torch.bfloat16)
    path = os.path.join(DATA, "qwen2", "config.json")
    with open(path) as file:
        old = json.load(file)
    del old["rope_parameters"]
    with open(path, "w") as file:
        json.dump({**old, "rope_theta": 1e6, "eos_token_id": [33, 34]}, file, indent=2)


SMALL = {**SHARED, "num_hidden_layers": 2, "num_key_value_heads": 2}


def qwen3():
    """Norms of queries and keys, in heads wider than their share."""
    model = prepare(transformers.Qwen3ForCausalLM, transformers.Qwen3Config(**SMALL, head_dim=12), 40)
    go_on("qwen3", model, model.model)


def mistral():
    """A window of 4 tokens."""
    config = transformers.MistralConfig(**SMALL, head_dim=8, sliding_window=4)
    model = prepare(transformers.MistralForCausalLM, config, 41)
    go_on("mistral", model, model.model)


def phi3():
    """A part of each head is turned; query, key and value are one matrix, gate and up another."""
    rope = {"rope_type": "longrope", "rope_theta": 500.0, "short_factor": [1.0, 1.5, 2.0], "long_factor": [1.0, 3.0, 4.0],
            "partial_rotary_factor": 0.75, "original_max_position_embeddings": 32}
    config = transformers.Phi3Config(**SMALL, rope_parameters=rope, original_max_position_embeddings=32)
    config.pad_token_id = None
    model = prepare(transformers.Phi3ForCausalLM, config, 42)
    go_on("phi3", model, model.model)


def smollm3():
    """Its second layer has no positions."""
    config = transformers.SmolLM3Config(**SMALL, no_rope_layers=[1, 0], pad_token_id=None)
    model = prepare(transformers.SmolLM3ForCausalLM, config, 43)
    go_on("smollm3", model, model.model)


def olmo2():
    model = prepare(transformers.Olmo2ForCausalLM, transformers.Olmo2Config(**SMALL, pad_token_id=None), 44)
    go_on("olmo2", model, model.model)


def olmo():
    """Norms without trained numbers."""
    model = prepare(transformers.OlmoForCausalLM, transformers.OlmoConfig(**SMALL, pad_token_id=None), 106)
    go_on("olmo", model, model.model)


def olmo3():
    """The first and the third layer have a window, the second has positions that are stretched."""
    rope = {"full_attention": {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "original_max_position_embeddings": 16},
            "sliding_attention": {"rope_type": "default", "rope_theta": 500.0}}
    config = transformers.Olmo3Config(**{**SMALL, "num_hidden_layers": 3}, pad_token_id=None, sliding_window=3, rope_parameters=rope,
                                      layer_types=["sliding_attention", "full_attention", "sliding_attention"])
    model = prepare(transformers.Olmo3ForCausalLM, config, 107)
    go_on("olmo3", model, model.model)


def granite():
    config = transformers.GraniteConfig(**SMALL, embedding_multiplier=3.0, attention_multiplier=0.2, residual_multiplier=0.7, logits_scaling=2.5,
                                        tie_word_embeddings=True)
    model = prepare(transformers.GraniteForCausalLM, config, 108)
    go_on("granite", model, model.model)


def falcon_h1():
    """State spaces beside attention, and each factor that the config has; values of two heads share what enters their states."""
    config = transformers.FalconH1Config(**SMALL, mamba_d_ssm=None, mamba_n_heads=4, mamba_d_state=6, mamba_n_groups=2, mamba_chunk_size=4, lm_head_multiplier=0.4,
                                         embedding_multiplier=2.5, mlp_multipliers=[0.7, 1.3], key_multiplier=0.6, attention_out_multiplier=0.9, attention_in_multiplier=1.2,
                                         ssm_multipliers=[0.8, 1.1, 0.9, 1.2, 0.7], ssm_in_multiplier=1.25, ssm_out_multiplier=0.5, pad_token_id=None, tie_word_embeddings=True)
    model = prepare(transformers.FalconH1ForCausalLM, config, 130)
    go_on("falcon_h1", model, model.model)


def falcon_h1_normed():
    """What is read of a state is normed, by groups, behind its gate, and all layers have biases but attention's; a head of its own of 12 numbers."""
    config = transformers.FalconH1Config(**SMALL, head_dim=12, mamba_d_ssm=48, mamba_n_heads=4, mamba_d_state=5, mamba_n_groups=2, mamba_d_conv=3, mamba_rms_norm=True,
                                         mamba_norm_before_gate=False, mamba_proj_bias=True, projectors_bias=True, mlp_bias=True, attention_bias=True, key_multiplier=1.4,
                                         ssm_out_multiplier=0.7, ssm_multipliers=[0.8, 1.1, 0.9, 1.2, 0.7], pad_token_id=None)
    model = prepare(transformers.FalconH1ForCausalLM, config, 131)
    go_on("falcon_h1_normed", model, model.model)


def starcoder2():
    config = transformers.Starcoder2Config(**SMALL, sliding_window=4)
    model = prepare(transformers.Starcoder2ForCausalLM, config, 109)
    go_on("starcoder2", model, model.model)


def ernie4_5():
    """Numbers next to each other are turned, as in what follows."""
    config = transformers.Ernie4_5Config(**SMALL, head_dim=12, use_bias=True, pad_token_id=None)
    model = prepare(transformers.Ernie4_5ForCausalLM, config, 110)
    go_on("ernie4_5", model, model.model)


def glm():
    config = transformers.GlmConfig(**SMALL, head_dim=8, pad_token_id=None)
    config.eos_token_id = None
    model = prepare(transformers.GlmForCausalLM, config, 111)
    go_on("glm", model, model.model)


def glm4():
    config = transformers.Glm4Config(**SMALL, head_dim=8, pad_token_id=None)
    config.eos_token_id = None
    model = prepare(transformers.Glm4ForCausalLM, config, 112)
    go_on("glm4", model, model.model)


def eurobert():
    """Llama's layers, whose tokens see all others."""
    config = transformers.EuroBertConfig(**{**SMALL, "vocab_size": len(WORDS)}, pad_token_id=0, mask_token_id=1)
    model = prepare(transformers.EuroBertForMaskedLM, config, 113)
    read("eurobert", model, word_pieces(SENTENCE), model.model)
    save_vocabulary("eurobert", WORDS)


def gemma(family, model, base=None):
    """Gains count from 1."""
    for name, weight in model.named_parameters():
        if weight.dim() == 1:
            weight.data -= 1
    go_on(family, model, base or model.model)


def gemma1():
    config = transformers.GemmaConfig(**{**SMALL, "num_hidden_layers": 2}, head_dim=12, pad_token_id=None)
    gemma("gemma", prepare(transformers.GemmaForCausalLM, config, 65))


def gemma2():
    config = transformers.Gemma2Config(**{**SMALL, "num_hidden_layers": 2}, head_dim=12, query_pre_attn_scalar=10, sliding_window=3,
                                       attn_logit_softcapping=3.0, final_logit_softcapping=5.0, pad_token_id=None)
    gemma("gemma2", prepare(transformers.Gemma2ForCausalLM, config, 45))


def gemma3():
    """Layers with a window are turned by another base."""
    config = transformers.Gemma3TextConfig(**{**SMALL, "num_hidden_layers": 3}, head_dim=12, query_pre_attn_scalar=10, sliding_window=3,
                                           layer_types=["sliding_attention", "full_attention", "sliding_attention"], pad_token_id=None,
                                           rope_parameters={"full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 1000.0},
                                                            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}})
    gemma("gemma3", prepare(transformers.Gemma3ForCausalLM, config, 46))


def gemma3_whole():
    """Beside a half that sees, of which nothing is read."""
    text = {**SMALL, "head_dim": 12, "query_pre_attn_scalar": 10, "sliding_window": 3, "pad_token_id": None,
            "layer_types": ["sliding_attention", "full_attention"]}
    config = transformers.Gemma3Config(text_config=text, vision_config={**SEEN, "num_hidden_layers": 1, "intermediate_size": 16},
                                       mm_tokens_per_image=4)
    config.text_config._attn_implementation = "eager"
    model = prepare(transformers.Gemma3ForConditionalGeneration, config, 53)
    gemma("gemma3_whole", model, model.model.language_model)


GEMMA4 = {**SMALL, "head_dim": 8, "global_head_dim": 12, "sliding_window": 3, "final_logit_softcapping": 5.0, "pad_token_id": 1}


def scale_layers(model):
    """By numbers that are no parameters."""
    for i, layer in enumerate(model.layers):
        layer.layer_scalar.fill_(0.7 + 0.1 * i)


def small_gemma4(family, seed, **own):
    kinds = [{"s": "sliding_attention", "f": "full_attention"}[kind] for kind in own.pop("kinds")]
    config = transformers.Gemma4TextConfig(**{**GEMMA4, "vocab_size_per_layer_input": GEMMA4["vocab_size"], "num_hidden_layers": len(kinds), **own}, layer_types=kinds)
    model = prepare(transformers.Gemma4ForCausalLM, config, seed)
    scale_layers(model.model)
    go_on(family, model, model.model)


def gemma4():
    """As E2B: words of each layer, and two layers that share keys with others and are wider; half a head is turned in those that see all."""
    small_gemma4("gemma4", 157, kinds="sfssf", num_kv_shared_layers=2, use_double_wide_mlp=True, hidden_size_per_layer_input=6,
                 rope_parameters={"full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.5, "rope_theta": 1000.0, "factor": 2.0},
                                  "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}})


def gemma4_joined():
    """As 31B, but for the words of each layer: where a layer sees all, keys are its values."""
    small_gemma4("gemma4_joined", 142, kinds="ssf", attention_k_eq_v=True, num_global_key_value_heads=1, hidden_size_per_layer_input=6,
                 attention_bias=True)


def gemma4_experts():
    """As 26B-A4B: experts beside the feed-forward network."""
    small_gemma4("gemma4_experts", 144, kinds="sf", attention_k_eq_v=True, num_global_key_value_heads=1, hidden_size_per_layer_input=0,
                 enable_moe_block=True, num_experts=4, top_k_experts=2, moe_intermediate_size=12, tie_word_embeddings=False)


PLAIN = {key: value for key, value in SHARED.items()} | {"num_hidden_layers": 2}


def gpt_neox():
    """Parts side by side; the first 4 numbers of a head of 8 are turned."""
    config = transformers.GPTNeoXConfig(**{**PLAIN, "eos_token_id": 33}, rope_parameters={"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.5})
    model = prepare(transformers.GPTNeoXForCausalLM, config, 47)
    go_on("gpt_neox", model, model.gpt_neox)


def phi():
    """One norm for both parts; the head has a bias."""
    config = transformers.PhiConfig(**{**SMALL, "num_key_value_heads": 4})
    model = prepare(transformers.PhiForCausalLM, config, 114)
    go_on("phi", model, model.model)


def stablelm():
    config = transformers.StableLmConfig(**SMALL, use_qkv_bias=True, rope_parameters={"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.25})
    model = prepare(transformers.StableLmForCausalLM, config, 115)
    go_on("stablelm", model, model.model)


def stablelm_parallel():
    config = transformers.StableLmConfig(**SMALL, use_parallel_residual=True)
    model = prepare(transformers.StableLmForCausalLM, config, 116)
    go_on("stablelm_parallel", model, model.model)


def gptj():
    """The first 6 numbers of a head of 8 are turned, each beside its neighbour."""
    config = transformers.GPTJConfig(n_embd=32, n_layer=2, n_head=4, n_inner=40, n_positions=64, rotary_dim=6, vocab_size=len(letters()[0]),
                                     bos_token_id=None, eos_token_id=None)
    model = prepare(transformers.GPTJForCausalLM, config, 117)
    go_on("gptj", model, model.transformer)


FALCON = {**{k: v for k, v in PLAIN.items() if k != "intermediate_size"}, "ffn_hidden_size": 40}


def falcon():
    """One head of keys, and one norm, as 7B has."""
    model = prepare(transformers.FalconForCausalLM, transformers.FalconConfig(**FALCON), 118)
    go_on("falcon", model, model.transformer)


def falcon_new():
    """Two heads of keys, whose queries lie before each, and two norms, as 40B has."""
    model = prepare(transformers.FalconForCausalLM, transformers.FalconConfig(**FALCON, new_decoder_architecture=True, num_kv_heads=2), 119)
    go_on("falcon_new", model, model.transformer)


def falcon_serial():
    """Heads with keys of their own, and parts one behind the other."""
    model = prepare(transformers.FalconForCausalLM, transformers.FalconConfig(**FALCON, multi_query=False, parallel_attn=False, bias=True), 120)
    go_on("falcon_serial", model, model.transformer)


def cohere():
    model = prepare(transformers.CohereForCausalLM, transformers.CohereConfig(**SMALL, pad_token_id=None, logit_scale=0.5), 121)
    go_on("cohere", model, model.model)


def cohere2():
    """Its second layer sees all and is not turned."""
    config = transformers.Cohere2Config(**SMALL, pad_token_id=None, sliding_window=3, layer_types=["sliding_attention", "full_attention"])
    model = prepare(transformers.Cohere2ForCausalLM, config, 122)
    go_on("cohere2", model, model.model)


def opt():
    config = transformers.OPTConfig(**{k: v for k, v in PLAIN.items() if k != "intermediate_size"}, ffn_dim=40, word_embed_proj_dim=32,
                                    pad_token_id=1)
    model = prepare(transformers.OPTForCausalLM, config, 48)
    go_on("opt", model, model.model.decoder)


def opt_narrow():
    """As OPT-350m: words narrower than the layers, and norms behind. The last state is that before it is narrowed."""
    config = transformers.OPTConfig(**{k: v for k, v in PLAIN.items() if k != "intermediate_size"}, ffn_dim=40, word_embed_proj_dim=20,
                                    do_layer_norm_before=False, pad_token_id=1)
    model = prepare(transformers.OPTForCausalLM, config, 85)
    decoder = model.model.decoder
    wide = copy.deepcopy(decoder)
    wide.project_out = None
    go_on("opt_narrow", model, wide)


def gpt_neo():
    """Scores that are not scaled, and a window of 4 in every other layer."""
    config = transformers.GPTNeoConfig(hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]], window_size=4,
                                       max_position_embeddings=64, vocab_size=len(letters()[0]), bos_token_id=None, eos_token_id=None)
    model = prepare(transformers.GPTNeoForCausalLM, config, 49)
    go_on("gpt_neo", model, model.transformer)


def bloom():
    """Six heads, no power of 2: two of them have slopes between the others'."""
    config = transformers.BloomConfig(hidden_size=36, n_layer=2, n_head=6, vocab_size=len(letters()[0]), bos_token_id=None, eos_token_id=None)
    model = prepare(transformers.BloomForCausalLM, config, 50)
    go_on("bloom", model, model.transformer)


EXPERTS = {**SMALL, "num_experts_per_tok": 2, "pad_token_id": None}


def enlarge(model):
    """Tensors of all experts: draw_weights takes their outputs for inputs."""
    for name, weight in model.named_parameters():
        if weight.dim() == 3:
            weight.data *= weight.shape[-1] ** 0.5
    return model


def small_gpt_oss(trained=16, limit=1.5, **more):
    rope = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
            "original_max_position_embeddings": trained}
    config = transformers.GptOssConfig(**{**EXPERTS, **more}, num_local_experts=5, head_dim=8, sliding_window=3, rope_parameters=rope, swiglu_limit=limit)
    return enlarge(prepare(transformers.GptOssForCausalLM, config, 80))


def gpt_oss():
    """Sinks; a window in every other layer; of five experts two, whose gates are bounded."""
    model = small_gpt_oss()
    go_on("gpt_oss", model, model.model)


def gpt_oss_bfloat16():
    model = small_gpt_oss()
    go_on_stored("gpt_oss_bfloat16", model, model.model, torch.bfloat16)


def gpt_oss_mxfp4():
    """Experts in blocks of four bits, as the hub has them. Gates are bounded where they always are, and some reach it; where
    turns begin to be slowed lies between two of them."""
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors
    model, random, packed = small_gpt_oss(trained=40, limit=7.0, intermediate_size=32), torch.Generator().manual_seed(81), {}
    for name, weight in model.named_parameters():
        if name.endswith("gate_up_proj_bias"):
            weight.data[:, :6] += 9
        if weight.dim() == 3:
            experts, rows, columns = weight.shape
            blocks = torch.randint(0, 256, (experts, columns, rows // 32, 16), generator=random, dtype=torch.uint8)
            scales = torch.randint(122, 126, (experts, columns, rows // 32), generator=random, dtype=torch.uint8)
            weight.data = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)
            packed |= {name + "_blocks": blocks, name + "_scales": scales}
    go_on("gpt_oss_mxfp4", model, model.model)
    folder = os.path.join(DATA, "gpt_oss_mxfp4")
    tensors = {name: x for name, x in load_file(os.path.join(folder, "model.safetensors")).items() if name + "_blocks" not in packed}
    save_file(tensors | packed, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump({**config, "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}}, file, indent=2)


def mixtral():
    """Of four experts two, with shares over the chosen."""
    config = transformers.MixtralConfig(**EXPERTS, num_local_experts=4, head_dim=8, sliding_window=4)
    model = enlarge(prepare(transformers.MixtralForCausalLM, config, 82))
    go_on("mixtral", model, model.model)


def qwen3_moe():
    config = transformers.Qwen3MoeConfig(**EXPERTS, num_experts=4, head_dim=12, moe_intermediate_size=24, norm_topk_prob=True)
    model = enlarge(prepare(transformers.Qwen3MoeForCausalLM, config, 83))
    go_on("qwen3_moe", model, model.model)


def qwen2_moe():
    """Beside three experts one that all tokens go through, which is wider."""
    config = transformers.Qwen2MoeConfig(**EXPERTS, num_experts=3, moe_intermediate_size=16, shared_expert_intermediate_size=32)
    model = enlarge(prepare(transformers.Qwen2MoeForCausalLM, config, 123))
    go_on("qwen2_moe", model, model.model)


def qwen3_next():
    """Three of five layers are gated delta nets, before each of the others and behind them; they have heads of keys for two of values."""
    kinds = ["linear_attention", "full_attention", "linear_attention", "full_attention", "linear_attention"]
    config = transformers.Qwen3NextConfig(**{**EXPERTS, "num_hidden_layers": 5}, layer_types=kinds, head_dim=8, num_experts=3, moe_intermediate_size=16,
                                          shared_expert_intermediate_size=24, linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8,
                                          linear_value_head_dim=6, linear_conv_kernel_dim=3)
    model = lasting(prepare(transformers.Qwen3NextForCausalLM, config, 285))
    go_on("qwen3_next", model, model.model, attends=[1, 3])


def lasting(model):
    """States of delta nets last for some tokens; norms have gains less 1, and states of what sees, where there is such, as they are."""
    for name, weight in enlarge(model).named_parameters():
        if name.endswith("A_log"):
            weight.data -= 2.5
        elif name.endswith("norm.weight") and "linear_attn" not in name and "visual" not in name:
            weight.data -= 1
    return model


NETS = {"layer_types": ["linear_attention", "full_attention"] * 2, "num_hidden_layers": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
        "linear_key_head_dim": 8, "linear_value_head_dim": 6, "linear_conv_kernel_dim": 3, "head_dim": 12,
        "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 1], "mrope_interleaved": True, "rope_theta": 50.0, "partial_rotary_factor": 0.5}}
NET_EXPERTS = {"num_experts": 3, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 24}


def qwen3_5_text():
    """The linear layers of nets are tensors of their own."""
    config = transformers.Qwen3_5TextConfig(**{**SMALL, **NETS}, pad_token_id=None)
    model = lasting(prepare(transformers.Qwen3_5ForCausalLM, config, 286))
    go_on("qwen3_5_text", model, model.model, attends=[1, 3])


def qwen3_5_moe_text():
    config = transformers.Qwen3_5MoeTextConfig(**{k: v for k, v in {**SMALL, **NETS, **NET_EXPERTS}.items() if k != "intermediate_size"}, pad_token_id=None)
    model = lasting(prepare(transformers.Qwen3_5MoeForCausalLM, config, 287))
    go_on("qwen3_5_moe_text", model, model.model, attends=[1, 3])


def small_llama4(seed, **more):
    config = transformers.Llama4TextConfig(**{**EXPERTS, "num_hidden_layers": 4, **more}, head_dim=8, intermediate_size_mlp=24,
                                           num_local_experts=3, attention_chunk_size=48, floor_scale=60)
    return enlarge(prepare(transformers.Llama4ForCausalLM, config, seed))


def llama4():
    """Every second layer has experts, whose shares are sigmoids and scale what enters; the last layer is not turned."""
    model = small_llama4(141, interleave_moe_layer_step=2)
    go_on("llama4", model, model.model)


def llama4_dense():
    """As MobileLLM-R1: without experts."""
    model = small_llama4(142, moe_layers=[], no_rope_layers=[1, 1, 1, 1], attn_temperature_tuning=False)
    go_on("llama4_dense", model, model.model)


LATENT = {**EXPERTS, "num_key_value_heads": 4, "num_hidden_layers": 3, "moe_intermediate_size": 12, "first_k_dense_replace": 1, "kv_lora_rank": 20,
          "qk_nope_head_dim": 10, "qk_rope_head_dim": 6}
YARN = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 16}


def small_deepseek(name, seed, **more):
    config = getattr(transformers, name + "Config")(**{**LATENT, **more})
    model = enlarge(prepare(getattr(transformers, name + "ForCausalLM"), config, seed))
    random = torch.Generator().manual_seed(seed)
    for layer in model.model.layers:  # no parameter, and zeros
        if hasattr(layer.mlp, "gate") and hasattr(layer.mlp.gate, "e_score_correction_bias"):
            layer.mlp.gate.e_score_correction_bias = 0.3 * torch.randn(config.n_routed_experts, generator=random)
    return model


def deepseek_v2():
    """Queries out of a latent of their own; values narrower than keys; experts in three groups, of which two are chosen; norms of latents with an epsilon of their own."""
    model = small_deepseek("DeepseekV2", 151, q_lora_rank=14, v_head_dim=8, n_routed_experts=6, n_shared_experts=2, topk_method="group_limited_greedy", rms_norm_eps=0.01,
                           n_group=3, topk_group=2, routed_scaling_factor=1.7, rope_parameters={**YARN, "mscale": 0.707, "mscale_all_dim": 0.5})
    go_on("deepseek_v2", model, model.model)


def deepseek_v2_lite():
    """Queries of the state itself; values wider than keys; biases; experts in no groups."""
    model = small_deepseek("DeepseekV2", 152, q_lora_rank=None, v_head_dim=24, n_routed_experts=5, n_shared_experts=1, attention_bias=True)
    go_on("deepseek_v2_lite", model, model.model)


def deepseek_v3():
    """Experts chosen by sigmoids and a correction, in groups by their best two; values as wide as keys."""
    model = small_deepseek("DeepseekV3", 153, q_lora_rank=14, v_head_dim=16, n_routed_experts=9, n_shared_experts=1, n_group=3, topk_group=2,
                           routed_scaling_factor=1.3, rope_parameters={**YARN, "mscale": 1.0, "mscale_all_dim": 1.0})
    go_on("deepseek_v3", model, model.model)


def olmoe():
    """Shares over all experts; norms of all queries and keys."""
    config = transformers.OlmoeConfig(**EXPERTS, num_experts=4)
    model = enlarge(prepare(transformers.OlmoeForCausalLM, config, 84))
    go_on("olmoe", model, model.model)


# ---------------------------------------------------------------- families that caption

CAPTION_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "man", "dog", "cat", "on", "the", "beach", "with", "rid", "##ing", "skate",
          "##board", "red", "of", "and", "two", "people", "stand", "street", ".", "[DEC]", "[ENC]"]
SEARCHES = {"greedy": {"num_beams": 1}, "beam": {"num_beams": 3}, "long": {"num_beams": 3, "length_penalty": 3.0},
            "short": {"num_beams": 4, "length_penalty": -1.0, "early_stopping": True},
            "never": {"num_beams": 2, "early_stopping": "never", "max_length": 9},
            "varied": {"num_beams": 3, "no_repeat_ngram_size": 2, "min_length": 8},
            "careful": {"num_beams": 1, "repetition_penalty": 1.5, "min_length": 6},
            "rare": {"num_beams": 4, "repetition_penalty": 1.3, "no_repeat_ngram_size": 3}}


def caption(model, decoder, memory, pixels, **forced):
    """The tokens of each search, with the token that it begins with; of the greedy sentence the logits and what each
    token looked at."""
    with torch.no_grad():
        generated = {name: model.generate(pixel_values=pixels, do_sample=False, **{"max_length": 12, **search})
                for name, search in SEARCHES.items()}
        outputs = decoder(input_ids=generated["greedy"], encoder_hidden_states=memory(pixels), output_attentions=True, **forced)
    looked = {f"cross_attentions.{i}": x for i, x in enumerate(outputs.cross_attentions)}
    return {"pixel_values": pixels, **generated, "logits": outputs.logits, **looked}


def blip():
    """Text of another width than the picture's, and another number of heads."""
    vision = {**SEEN, "intermediate_size": 40, "hidden_act": "gelu"}
    text = {"hidden_size": 32, "encoder_hidden_size": 24, "intermediate_size": 48, "num_hidden_layers": 2,
            "num_attention_heads": 4, "vocab_size": len(CAPTION_WORDS), "max_position_embeddings": 16,
            "bos_token_id": CAPTION_WORDS.index("[DEC]"), "sep_token_id": CAPTION_WORDS.index("[SEP]"), "eos_token_id": 2, "pad_token_id": 0}
    config = transformers.BlipConfig(text_config=text, vision_config=vision)
    for part in (config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.BlipForConditionalGeneration, config, 25)
    tensors = caption(model, model.text_decoder, lambda x: model.vision_model(pixel_values=x)[0], picture(SIDE, SIDE, 1))
    save("blip", model, tensors, preprocessor())
    save_vocabulary("blip", CAPTION_WORDS)


def vit_gpt2():
    """The encoder's states are brought to the decoder's width."""
    pieces = len(letters()[0])
    encoder = transformers.ViTConfig(**SEEN, intermediate_size=40)
    decoder = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=32, vocab_size=pieces + 1,
                                      add_cross_attention=True, is_decoder=True, bos_token_id=pieces, eos_token_id=pieces)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = config.eos_token_id = config.pad_token_id = pieces
    model = prepare(transformers.VisionEncoderDecoderModel, config, 27)
    model.generation_config = transformers.GenerationConfig(max_length=12, num_beams=3, decoder_start_token_id=pieces,
                                                            eos_token_id=pieces, pad_token_id=pieces)
    project = lambda x: model.enc_to_dec_proj(model.encoder(pixel_values=x)[0])
    tensors = caption(model, model.decoder, project, picture(SIDE, SIDE, 1))
    save("vit_gpt2", model, tensors, preprocessor())
    save_letters("vit_gpt2", after=["<|endoftext|>"])


def trocr_of(family, seed, **options):
    pieces = len(letters()[0])
    encoder = transformers.DeiTConfig(**SEEN, intermediate_size=40) if seed % 2 else transformers.ViTConfig(**SEEN, intermediate_size=40, qkv_bias=False)
    decoder = transformers.TrOCRConfig(d_model=32, decoder_layers=2, decoder_attention_heads=4, decoder_ffn_dim=40, max_position_embeddings=16,
                                       vocab_size=pieces + 2, is_decoder=True, add_cross_attention=True, bos_token_id=pieces, eos_token_id=pieces,
                                       decoder_start_token_id=pieces, pad_token_id=pieces + 1, **options)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = config.eos_token_id = pieces
    config.pad_token_id = pieces + 1
    model = prepare(transformers.VisionEncoderDecoderModel, config, seed)
    model.generation_config = transformers.GenerationConfig(max_length=12, num_beams=3, decoder_start_token_id=pieces, eos_token_id=pieces,
                                                            pad_token_id=pieces + 1, suppress_tokens=[pieces + 1])
    project = lambda x: model.enc_to_dec_proj(model.encoder(pixel_values=x)[0]) if hasattr(model, "enc_to_dec_proj") else model.encoder(pixel_values=x)[0]
    tensors = caption(model, model.decoder, project, picture(SIDE, SIDE, 1))
    save(family, model, tensors, preprocessor())
    save_letters(family, after=["<|endoftext|>", "<pad>"])


def trocr():
    """Keys and values of the picture are made of its own width; a head of its own."""
    trocr_of("trocr", 60, cross_attention_hidden_size=24, tie_word_embeddings=False)


def trocr_sinusoids():
    """As the large ones are; a bridge, and DeiT sees."""
    trocr_of("trocr_sinusoids", 61, use_learned_position_embeddings=False, layernorm_embedding=False, scale_embedding=True,
             activation_function="relu")


def donut():
    """Swin in three stages on a page, the last of one window's width; mBART's decoder, whose first tokens are the task."""
    from transformers.models.donut.image_processing_pil_donut import DonutImageProcessorPil
    specials = ["</s>", "<pad>", "<s_cord>", "<s_menu>"]
    tokenizer = save_words("donut", specials, {})
    end, pad, start, menu = (tokenizer.token_to_id(token) for token in specials)
    encoder = transformers.DonutSwinConfig(**{**STAGES, "depths": [1, 2, 2], "num_heads": [2, 2, 4], "window_size": 2}, image_size=[24, 16])
    decoder = transformers.MBartConfig(d_model=32, decoder_layers=2, decoder_attention_heads=4, decoder_ffn_dim=40, max_position_embeddings=20,
                                       vocab_size=tokenizer.get_vocab_size(), is_decoder=True, add_cross_attention=True, scale_embedding=True,
                                       eos_token_id=end, pad_token_id=pad, bos_token_id=start)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id = start
    model = prepare(transformers.VisionEncoderDecoderModel, config, 64)
    model.generation_config = transformers.GenerationConfig(max_length=12, num_beams=3, decoder_start_token_id=start, eos_token_id=end,
                                                            pad_token_id=pad, suppress_tokens=[pad])
    rules = {"size": {"height": 24, "width": 16}, "do_align_long_axis": True}
    image = photograph(50, 21)
    pixels = DonutImageProcessorPil(**rules)(image, return_tensors="pt").pixel_values
    tensors = caption(model, model.decoder, lambda x: model.encoder(pixel_values=x)[0], pixels)
    asked = torch.tensor([[start, menu]])
    with torch.no_grad():
        for name in ("greedy", "beam"):
            generated = model.generate(pixel_values=pixels, decoder_input_ids=asked, do_sample=False, **{"max_length": 12, **SEARCHES[name]})
            tensors[f"asked.{name}"] = generated[:, 1:]
    for name in (*SEARCHES, "asked.greedy", "asked.beam"):
        print(name, tensors[name][0].tolist())
    save("donut", model, tensors, {"preprocessor_config.json": {"image_processor_type": "DonutImageProcessor", **rules, "resample": 2,
                                                                "image_mean": [0.5] * 3, "image_std": [0.5] * 3}})
    save_words("donut", specials, {})
    image.save(os.path.join(DATA, "donut", "picture.png"))


def save_bytes(family, specials):
    """All bytes as GPT-2 has them, in BART's frame."""
    pieces = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    _, merges = letters()
    tokens = pieces + [merge.replace(" ", "") for merge in merges]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({piece: i for i, piece in enumerate(tokens)}, [tuple(m.split(" ")) for m in merges]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(specials)
    token = tokenizer.token_to_id
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", token("<s>")), ("</s>", token("</s>"))])
    os.makedirs(os.path.join(DATA, family), exist_ok=True)
    tokenizer.save(os.path.join(DATA, family, "tokenizer.json"), pretty=False)
    with open(os.path.join(DATA, family, "tokenizer_config.json"), "w") as file:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}, file)
    return tokenizer


def generate_jointly(model, pixels, ids):
    """As `caption`, of a text in which the picture stands."""
    inputs = {"pixel_values": pixels, "input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
    with torch.no_grad():
        generated = {name: model.generate(**inputs, do_sample=False, **{"max_length": 12, **search}) for name, search in SEARCHES.items()}
        outputs = model(**inputs, decoder_input_ids=generated["greedy"], output_attentions=True)
        if hasattr(model, "qformer"):
            seen, outputs = outputs.vision_outputs.last_hidden_state, outputs.language_model_outputs
        else:
            seen = model.model.vision_tower(pixels).last_hidden_state.flatten(2).transpose(1, 2)
    looked = {f"cross_attentions.{i}": x for i, x in enumerate(outputs.cross_attentions)}
    return {"pixel_values": pixels, **generated, "logits": outputs.logits, **looked, "last_hidden_state": seen,
            "encoder_last_hidden_state": outputs.encoder_last_hidden_state}


def as_microsoft(family):
    """The folder under the names of the files that Microsoft has beside its own code."""
    source, folder = (os.path.join(DATA, name) for name in ("florence2", family))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    names = [("model.vision_tower.", "vision_tower."), ("model.language_model.", "language_model.model."), ("lm_head.", "language_model.lm_head."),
             ("model.multi_modal_projector.image_projection.weight", "image_projection"), ("model.multi_modal_projector.image_proj_norm", "image_proj_norm"),
             ("model.multi_modal_projector.image_position_embed", "image_pos_embed"), ("model.multi_modal_projector.", "")]
    inside = [(".conv.", ".proj."), ("conv1.", "conv1.fn.dw."), ("conv2.", "conv2.fn.dw."), ("ffn.fc", "ffn.fn.net.fc"), (".norm2.", ".ffn.norm."),
              ("window_attn.", "window_attn.fn."), ("channel_attn.", "channel_attn.fn."), ("spatial_block.norm1", "spatial_block.window_attn.norm"),
              ("channel_block.norm1", "channel_block.channel_attn.norm")]
    new = {}
    for name, x in load_file(os.path.join(folder, "model.safetensors")).items():
        for here, there in names:
            if name.startswith(here):
                name = there + name.removeprefix(here)
                break
        if name.startswith("vision_tower."):
            for here, there in inside:
                name = name.replace(here, there)
        new[name] = x.T.contiguous() if name == "image_projection" else x
    words = new["language_model.model.shared.weight"]
    new["language_model.final_logits_bias"] = torch.zeros(1, words.shape[0])
    save_file(new, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    vision, text = config["vision_config"], config["text_config"]
    vision.update(model_type="davit", dim_embed=vision.pop("embed_dim"), image_feature_source=["spatial_avg_pool", "temporal_avg_pool"],
                  image_pos_embed={"type": "learned_abs_2d", "max_pos_embeddings": vision.pop("max_position_embeddings")},
                  visual_temporal_embedding={"type": "COSINE", "max_temporal_embeddings": vision.pop("max_temporal_embeddings")})
    text["model_type"] = "florence2_language"
    config = {"model_type": "florence2", "architectures": ["Florence2ForConditionalGeneration"], "vision_config": vision, "text_config": text}
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=2)


def florence2():
    """DaViT in two stages, whose grids have no whole windows, and BART; a task by its name."""
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    specials = ["<s>", "<pad>", "</s>", "<image>", "<loc_0>", "<loc_1>"]
    tokenizer = save_bytes("florence2", specials)
    start, pad, end, shown = (tokenizer.token_to_id(token) for token in specials[:4])
    vision = {"depths": [1, 2], "patch_size": [7, 3], "patch_stride": [4, 2], "patch_padding": [3, 1], "patch_prenorm": [False, True],
              "embed_dim": [8, 16], "num_heads": [2, 4], "num_groups": [2, 4], "window_size": 3, "mlp_ratio": 2.0, "projection_dim": 24,
              "max_position_embeddings": 6, "max_temporal_embeddings": 4}
    text = {"d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3, "decoder_attention_heads": 4, "encoder_ffn_dim": 40,
            "decoder_ffn_dim": 48, "max_position_embeddings": 64, "vocab_size": tokenizer.get_vocab_size(), "bos_token_id": start, "pad_token_id": pad,
            "eos_token_id": end, "decoder_start_token_id": end, "forced_eos_token_id": end, "forced_bos_token_id": start, "model_type": "bart"}
    config = transformers.Florence2Config(vision_config=vision, text_config=text, image_token_id=shown)
    for part in (config, config.vision_config, config.text_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Florence2ForConditionalGeneration, config, 66)
    model.generation_config = transformers.GenerationConfig(max_length=12, num_beams=3, decoder_start_token_id=end, eos_token_id=end, pad_token_id=pad,
                                                            suppress_tokens=[pad, shown])
    rules = {"size": {"height": 32, "width": 32}, "do_center_crop": False, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    image = photograph(40, 28)
    pixels = CLIPImageProcessorPil(**rules)(image, return_tensors="pt").pixel_values
    ids = [shown] * 17 + tokenizer.encode("What does the image describe?").ids
    tensors = generate_jointly(model, pixels, ids)
    another = [shown] * 17 + tokenizer.encode("Locate the bank in the image.").ids
    tensors["asked.greedy"] = generate_jointly(model, pixels, another)["greedy"]
    for name in (*SEARCHES, "asked.greedy"):
        print(name, tensors[name][0].tolist())
    save("florence2", model, tensors, {"preprocessor_config.json": {"image_processor_type": "CLIPImageProcessor", **rules, "image_seq_length": 17}})
    save_bytes("florence2", specials)
    image.save(os.path.join(DATA, "florence2", "picture.png"))
    as_microsoft("florence2_microsoft")


def git():
    """The picture's tokens stand before the words in one text."""
    words = [word for word in CAPTION_WORDS if word not in ("[DEC]", "[ENC]")]
    vision = {**SEEN, "intermediate_size": 40}
    config = transformers.GitConfig(vision_config=vision, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                                    vocab_size=len(words), max_position_embeddings=16, bos_token_id=2, eos_token_id=3, pad_token_id=0)
    config.vision_config._attn_implementation = "eager"
    model = prepare(transformers.GitForCausalLM, config, 62)
    model.generation_config = transformers.GenerationConfig(max_length=12, num_beams=3, bos_token_id=2, eos_token_id=3, pad_token_id=0)
    pixels, seen = picture(SIDE, SIDE, 1), 26
    with torch.no_grad():
        generated = {name: model.generate(pixel_values=pixels, do_sample=False, **{"max_length": 12, **search}) for name, search in SEARCHES.items()}
        outputs = model(input_ids=generated["greedy"], pixel_values=pixels, output_attentions=True)
    looked = {f"cross_attentions.{i}": x[:, :, seen:, :seen] for i, x in enumerate(outputs.attentions)}
    save("git", model, {"pixel_values": pixels, **generated, "logits": outputs.logits[:, -generated["greedy"].shape[1]:], **looked}, preprocessor())
    save_vocabulary("git", words)


# ---------------------------------------------------------------- families that answer

def photograph(width, height):
    """Some shapes, and noise, in bytes."""
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    waves = torch.stack([120 + 90 * torch.sin(x / 5), 120 + 90 * torch.cos(y / 7), 20 + 3 * ((x + y) % 60)], -1)
    noise = torch.randint(-12, 12, waves.shape, generator=torch.Generator().manual_seed(5))
    return PIL.Image.fromarray((waves + noise).clamp(0, 255).to(torch.uint8).numpy())


QUESTION = "the bank of a"


def save_words(family, specials, config):
    """Bytes in pairs, as GPT-2 has them, and tokens of their own."""
    pieces, merges = letters()
    pieces = pieces + [":", "U", "A", "R", "S", "E", "I", "N", "T", "Ċ", "<", ">", "_", "1", "2", "?"]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({piece: i for i, piece in enumerate(pieces)}, [tuple(m.split(" ")) for m in merges]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(specials)
    os.makedirs(os.path.join(DATA, family), exist_ok=True)
    tokenizer.save(os.path.join(DATA, family, "tokenizer.json"), pretty=False)
    with open(os.path.join(DATA, family, "tokenizer_config.json"), "w") as file:
        json.dump({"tokenizer_class": "PreTrainedTokenizerFast", **config}, file)
    return tokenizer


def keep_sound(family, samples):
    from make_whisper import write_wav  # which imports this file
    write_wav(os.path.join(DATA, family, "sound.wav"), samples)


def answer(family, model, tokenizer, prompt, image, seen, rules, template, words=6, typed=False, marked=None, shown=None):
    """Its output for a picture, or samples of a sound, behind a prompt, greedily, and each word's attention to all before it: under cross_attentions that to the
    prompt. `seen`: the inputs of the part that sees, by an image processor; `marked`: the token of the picture, of a model that is given which they are; `shown`: of one whose
    token_type_ids are those."""
    ids = torch.tensor([tokenizer.encode(prompt).ids])
    types = {"token_type_ids": torch.zeros_like(ids)} if typed else {"mm_token_type_ids": (ids == marked).int()} if marked else {"token_type_ids": (ids == shown).long()} if shown else {}
    generated = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **seen, **types, max_new_tokens=words, do_sample=False)
    first = ids.shape[1] - 1
    if typed:  # the output is a suffix
        types = {"token_type_ids": (torch.arange(generated.shape[1] - 1) > first).long()[None]}
    if shown:
        types = {"token_type_ids": (generated[:, :-1] == shown).long()}
    if marked:
        types = {"mm_token_type_ids": (generated[:, :-1] == marked).int()}
    with torch.no_grad():
        outputs = model(input_ids=generated[:, :-1], **seen, **types, output_attentions=True)
    tensors = {"prompt": ids, "greedy": generated[:, first:], "logits": outputs.logits[:, first:]}
    for i, x in enumerate(getattr(outputs, "language_model_outputs", outputs).attentions):
        tensors[f"cross_attentions.{i}"] = x[0, :, first:, :first + 1]
    folder = os.path.join(DATA, family)
    kept = {name: open(os.path.join(folder, name), "rb").read() for name in ("tokenizer.json", "tokenizer_config.json")}
    save(family, model, tensors, rules)
    for name, text in kept.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    if template:
        with open(os.path.join(folder, "chat_template.jinja"), "w") as file:
            file.write(template)
    if isinstance(image, PIL.Image.Image):
        image.save(os.path.join(folder, "picture.png"))
    else:
        keep_sound(family, image)


SMOLVLM = ("<|im_start|>{% for message in messages %}{{message['role'] | capitalize}}{% if message['content'][0]['type'] == 'image' %}{{':'}}"
           "{% else %}{{': '}}{% endif %}{% for line in message['content'] %}{% if line['type'] == 'text' %}{{line['text']}}"
           "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
           "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}")


def small_idefics2(family, seed, size, splits):
    """Latents gather a picture in its own size, or each of its quarters and all of it."""
    from transformers.models.idefics2.image_processing_pil_idefics2 import Idefics2ImageProcessorPil
    specials = ["<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>"]
    tokenizer = save_words(family, specials, {"eos_token": "<end_of_utterance>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "model_type": "mistral", "sliding_window": None,
            "eos_token_id": token("<end_of_utterance>"), "pad_token_id": None}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 36, "num_hidden_layers": 2}
    gathers = {"hidden_size": 32, "resampler_n_latents": 6, "resampler_depth": 2, "resampler_n_heads": 4, "resampler_head_dim": 12, "num_key_value_heads": 2}
    config = transformers.Idefics2Config(text_config=text, vision_config=vision, perceiver_config=gathers, image_token_id=token("<image>"))
    for part in (config, config.text_config, config.vision_config, config.perceiver_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Idefics2ForConditionalGeneration, config, seed)
    rules, image = {"size": {"shortest_edge": 18, "longest_edge": 34}, "do_image_splitting": splits}, photograph(*size)
    seen = Idefics2ImageProcessorPil(**rules)(image, return_tensors="pt")
    around = "<fake_token_around_image>"
    shown = around + ("<image>" * 6 + around) * (5 if splits else 1)
    prompt = f"<|im_start|>User:{shown} {QUESTION}<end_of_utterance>\nAssistant:"
    answer(family, model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {"image_processor_type": "Idefics2ImageProcessor", **rules}}, SMOLVLM)


def idefics2():
    """In five pieces, which have three sizes."""
    small_idefics2("idefics2", 86, (51, 40), True)


def idefics2_whole():
    """In one, which is made smaller, but not to less than its shortest side."""
    small_idefics2("idefics2_whole", 87, (75, 30), False)


def small_idefics3(family, kind, config_kind, seed, size, tied=False):
    from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil
    specials = ["<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>", "<global-img>", "<row_1_col_1>", "<row_1_col_2>", "<row_2_col_1>"]
    tokenizer = save_words(family, specials, {"eos_token": "<end_of_utterance>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "model_type": "llama",
            "eos_token_id": token("<end_of_utterance>")}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40, "num_hidden_layers": 2}
    config = config_kind(text_config=text, vision_config=vision, scale_factor=2, image_token_id=token("<image>"), tie_word_embeddings=tied)
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(kind, config, seed)
    rules = {"size": {"longest_edge": 32}, "max_image_size": {"longest_edge": 16}, "do_image_splitting": True, "resample": 1,
             "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    processor, image = SmolVLMImageProcessorPil(**rules), photograph(*size)
    seen = processor(image, return_tensors="pt", return_row_col_info=True)
    rows, columns = seen.pop("rows")[0][0], seen.pop("cols")[0][0]
    from transformers.models.smolvlm.processing_smolvlm import get_image_prompt_string
    shown = get_image_prompt_string(rows, columns, 4, "<fake_token_around_image>", "<image>", "<global-img>")
    prompt = f"<|im_start|>User:{shown}{QUESTION}<end_of_utterance>\nAssistant:"
    answer(family, model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "Idefics3ImageProcessor" if family == "idefics3" else "SmolVLMImageProcessor", **rules, "do_pad": True}}, SMOLVLM)


def idefics3():
    """Two tiles and all of the picture; patches by fours."""
    small_idefics3("idefics3", transformers.Idefics3ForConditionalGeneration, transformers.Idefics3Config, 61, (64, 28))


def smolvlm():
    """Two tiles one above the other; the words' head is their table."""
    small_idefics3("smolvlm", transformers.SmolVLMForConditionalGeneration, transformers.SmolVLMConfig, 62, (30, 64), tied=True)


LLAVA = ("{% for message in messages %}{% if message['role'] != 'system' %}{{ message['role'].upper() + ': '}}{% endif %}"
         "{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}{{ '<image>\\n' }}{% endfor %}"
         "{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ content['text'] + ' '}}{% endfor %}{% endfor %}"
         "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}")


def llava():
    """CLIP's last layer but one, without its class token, of the middle of a picture."""
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
    tokenizer = save_words("llava", ["</s>", "<image>"], {"eos_token": "</s>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 4, "eos_token_id": token("</s>"), "model_type": "llama"}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40, "model_type": "clip_vision_model", "projection_dim": 16}
    config = transformers.LlavaConfig(text_config=text, vision_config=vision, image_token_index=token("<image>"))
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.LlavaForConditionalGeneration, config, 63)
    rules = {"size": {"shortest_edge": 16}, "crop_size": {"height": 16, "width": 16}, "do_center_crop": True, "resample": 3}
    image = photograph(40, 28)
    seen = CLIPImageProcessorPil(**rules)(image, return_tensors="pt")
    prompt = f"USER: {'<image>' * 16}\n{QUESTION} ASSISTANT:"
    answer("llava", model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "CLIPImageProcessor", **rules}}, LLAVA)


ONEVISION = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + ' '}}{% for content in message['content'] | selectattr('type', 'equalto', 'image') %}"
             "{{ '<image>' }}{% endfor %}{% for content in message['content'] | selectattr('type', 'equalto', 'text') %}{{ '\n' + content['text'] }}{% endfor %}"
             "{{'<|im_end|>'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def small_onevision(family, seed, size, most):
    from transformers.models.llava_onevision.image_processing_pil_llava_onevision import LlavaOnevisionImageProcessorPil
    tokenizer = save_words(family, ["<|im_start|>", "<|im_end|>", "<image>"], {"eos_token": "<|im_end|>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("<|im_end|>"),
            "model_type": "qwen2"}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40, "num_hidden_layers": 2, "model_type": "siglip_vision_model", "vision_use_head": False}
    sizes = [[16 * h, 16 * w] for h in (1, 2, 3) for w in (1, 2, 3)]
    config = transformers.LlavaOnevisionConfig(text_config=text, vision_config=vision, image_token_index=token("<image>"), image_grid_pinpoints=sizes,
                                               vision_aspect_ratio=f"anyres_max_{most}")
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.LlavaOnevisionForConditionalGeneration, config, seed)
    rules = {"size": {"height": 16, "width": 16}, "image_grid_pinpoints": sizes, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    image = photograph(*size)
    seen = LlavaOnevisionImageProcessorPil(**rules)(image, return_tensors="pt")
    with torch.no_grad():
        count = model.model.get_image_features(**seen, vision_feature_layer=-1, vision_feature_select_strategy="full",
                                               vision_aspect_ratio=f"anyres_max_{most}").pooler_output[0].shape[0]
    prompt = f"<|im_start|>user {'<image>' * count}\n{QUESTION}<|im_end|><|im_start|>assistant\n"
    answer(family, model, tokenizer, prompt, image, {**seen, "vision_aspect_ratio": f"anyres_max_{most}"}, {"preprocessor_config.json": {
        "image_processor_type": "LlavaOnevisionImageProcessor", **rules}}, ONEVISION)


def llava_onevision():
    """Three tiles beside each other, of whose rows some are filled up."""
    small_onevision("llava_onevision", 67, (75, 24), 9)


def llava_onevision_smaller():
    """More tiles than one, which is all that there may be of tokens."""
    small_onevision("llava_onevision_smaller", 68, (40, 60), 1)


NEXT = ("{% for message in messages %}{% if message['role'] == 'user' %}{{ '[INST] ' }}{% for item in message['content'] %}{% if item['type'] == 'image' %}"
        "{{ '<image>\n' }}{% else %}{{ item['text'] }}{% endif %}{% endfor %}{{ ' [/INST]' }}{% else %}{{ ' ' + message['content'][0]['text'] + '</s>' }}"
        "{% endif %}{% endfor %}")


def llava_next():
    """Four tiles, half of which is filled up, of CLIP's last layer but one; rows are not made fewer, and each has an end."""
    from transformers.models.llava_next.image_processing_pil_llava_next import LlavaNextImageProcessorPil
    tokenizer = save_words("llava_next", ["</s>", "<image>", "[INST]", "[/INST]"], {"eos_token": "</s>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("</s>"),
            "model_type": "mistral", "sliding_window": None}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40, "model_type": "clip_vision_model", "projection_dim": 16}
    sizes = [[16, 32], [32, 16], [32, 32], [48, 16], [16, 48]]
    config = transformers.LlavaNextConfig(text_config=text, vision_config=vision, image_token_index=token("<image>"), image_grid_pinpoints=sizes)
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.LlavaNextForConditionalGeneration, config, 72)
    rules = {"size": {"shortest_edge": 16}, "crop_size": {"height": 16, "width": 16}, "image_grid_pinpoints": sizes}
    image = photograph(34, 20)
    seen = LlavaNextImageProcessorPil(**rules)(image, return_tensors="pt")
    with torch.no_grad():
        count = model.model.get_image_features(**seen, vision_feature_layer=-2, vision_feature_select_strategy="default").pooler_output[0].shape[0]
    prompt = f"[INST] {'<image>' * count}\n{QUESTION} [/INST]"
    answer("llava_next", model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "LlavaNextImageProcessor", **rules}}, NEXT)


INTERNVL = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n'}}{% if message['content'] is string %}{{ message['content'] }}{% else %}"
            "{% for content in message['content'] %}{% if content['type'] == 'image' %}{{ '<IMG_CONTEXT>\n' }}{% elif content['type'] == 'video' %}{{ '<video>\n' }}"
            "{% elif content['type'] == 'text' %}{{ content['text'] }}{% endif %}{% endfor %}{% endif %}{{'<|im_end|>\n'}}{% endfor %}"
            "{% if add_generation_prompt %}{{'<|im_start|>assistant\n' }}{% endif %}")


def small_internvl(family, seed, size, reads, sees):
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil
    tokenizer = save_words(family, ["<|im_start|>", "<|im_end|>", "<img>", "</img>", "<IMG_CONTEXT>"], {"eos_token": "<|im_end|>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("<|im_end|>"), **reads}
    vision = {**SEEN, "image_size": [16, 16], "patch_size": [PATCH, PATCH], "intermediate_size": 40, "num_hidden_layers": 2, **sees}
    config = transformers.InternVLConfig(text_config=text, vision_config=vision, image_token_id=token("<IMG_CONTEXT>"), tie_word_embeddings=False)
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.InternVLForConditionalGeneration, config, seed)
    rules = {"size": {"height": 16, "width": 16}, "min_patches": 1, "max_patches": 4, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.4] * 3}
    image = photograph(*size)
    seen = GotOcr2ImageProcessorPil(**rules, crop_to_patches=True)(image, return_tensors="pt")
    tiles = int(seen.pop("num_patches")[0])
    prompt = f"<|im_start|>user\n<img>{'<IMG_CONTEXT>' * 4 * tiles}</img>\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    answer(family, model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "GotOcr2ImageProcessor", **rules, "crop_to_patches": False}}, INTERNVL)


def internvl():
    """Three tiles and all of the picture; Qwen2 reads. The processor has it cut whatever the folder has for that."""
    small_internvl("internvl", 78, (75, 24), {"model_type": "qwen2"}, {"attention_bias": True})


def internvl_large():
    """The larger one that sees: RMSNorm, also of queries and keys, and no biases; Qwen3 reads a picture of one tile."""
    small_internvl("internvl_large", 79, (20, 18), {"model_type": "qwen3", "head_dim": 8}, {"norm_type": "rms_norm", "use_qk_norm": True})


MISTRAL = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}[INST]{% for item in message['content'] %}{% if item['type'] == 'text' %}"
           "{{ item['text'] }}{% elif item['type'] == 'image' %}[IMG]{% endif %}{% endfor %}[/INST]{% endif %}{% endfor %}")


def small_mistral(family, seed, size, merged):
    """A picture in its own size; Mistral reads. Patches by fours, or (LLaVA's class, which Pixtral has) each by itself."""
    from transformers.models.pixtral.image_processing_pil_pixtral import PixtralImageProcessorPil
    tokenizer = save_words(family, ["</s>", "<s>", "[INST]", "[/INST]", "[IMG]", "[IMG_BREAK]", "[IMG_END]"], {"eos_token": "</s>", "bos_token": "<s>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("</s>"),
            "bos_token_id": token("<s>"), "model_type": "mistral", "sliding_window": None, "head_dim": 8}
    vision = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "patch_size": PATCH, "image_size": 32, "model_type": "pixtral",
              "hidden_act": "silu", "rope_parameters": {"rope_type": "axial", "rope_theta": 10000.0}}
    if merged > 1:
        config = transformers.Mistral3Config(text_config=text, vision_config=vision, image_token_index=token("[IMG]"), spatial_merge_size=merged, tie_word_embeddings=False)
    else:
        config = transformers.LlavaConfig(text_config=text, vision_config=vision, image_token_index=token("[IMG]"), vision_feature_layer=-1, vision_feature_select_strategy="full")
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Mistral3ForConditionalGeneration if merged > 1 else transformers.LlavaForConditionalGeneration, config, seed)
    rules, image = {"size": {"longest_edge": 32}, "patch_size": {"height": PATCH, "width": PATCH}}, photograph(*size)
    seen = PixtralImageProcessorPil(**{**rules, "patch_size": {"height": PATCH * merged, "width": PATCH * merged}})(image, return_tensors="pt")
    down, across = (int(side) // (PATCH * merged) for side in seen["image_sizes"][0])
    shown = "[IMG_BREAK]".join(["[IMG]" * across] * down) + "[IMG_END]"
    prompt = f"<s>[INST]{shown}{QUESTION}[/INST]"
    answer(family, model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {"image_processor_type": "PixtralImageProcessor", **rules}}, MISTRAL)


def mistral3():
    """A picture that is made smaller; patches by fours."""
    small_mistral("mistral3", 84, (75, 42), 2)


def pixtral():
    """One that is not, each patch a token."""
    small_mistral("pixtral", 83, (27, 18), 1)


def paligemma(name="paligemma", **reads):
    """All of the prompt sees all of it; Gemma 1 reads, or the one of `reads`."""
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil
    tokenizer = save_words(name, ["<eos>", "<bos>", "<image>"], {"eos_token": "<eos>", "bos_token": "<bos>", "add_bos_token": False})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 1, "eos_token_id": token("<eos>"), "model_type": "gemma",
            "head_dim": 8, **reads}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40, "model_type": "siglip_vision_model", "vision_use_head": False}
    config = transformers.PaliGemmaConfig(text_config=text, vision_config=vision, image_token_index=token("<image>"), projection_dim=32,
                                          hidden_size=32)
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.PaliGemmaForConditionalGeneration, config, 64)
    rules = {"size": {"height": 16, "width": 16}, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    image = photograph(40, 28)
    seen = SiglipImageProcessorPil(**rules)(image, return_tensors="pt")
    prompt = f"{'<image>' * 16}<bos>{QUESTION}\n"
    answer(name, model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "SiglipImageProcessor", **rules}}, None, typed=True)


def paligemma2():
    """Gemma 2 reads, whose windows are of words alone."""
    paligemma("paligemma2", model_type="gemma2", sliding_window=6, query_pre_attn_scalar=8, num_hidden_layers=4,
              layer_types=["sliding_attention", "full_attention"] * 2)


GEMMA = ("{{ bos_token }}{% for message in messages %}{{ '<start_of_turn>' + message['role'] + '\n' }}{% for item in message['content'] %}"
         "{% if item['type'] == 'image' %}{{ '<start_of_image>' }}{% elif item['type'] == 'text' %}{{ item['text'] | trim }}{% endif %}{% endfor %}"
         "{{ '<end_of_turn>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}")


def gemma3_seeing():
    """Squares of 2 × 2 patches are averaged to a token; those of the picture see all of it, in layers with a window, too."""
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
    specials = ["<eos>", "<bos>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<end_of_image>", "<image_soft_token>"]
    tokenizer = save_words("gemma3_seeing", specials, {"eos_token": "<eos>", "bos_token": "<bos>"})
    token = tokenizer.token_to_id
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="<bos> $A", pair="<bos> $A <bos> $B", special_tokens=[("<bos>", token("<bos>"))])
    tokenizer.save(os.path.join(DATA, "gemma3_seeing", "tokenizer.json"), pretty=False)
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "head_dim": 12, "query_pre_attn_scalar": 10, "sliding_window": 6,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "eos_token_id": token("<eos>"), "bos_token_id": token("<bos>"), "pad_token_id": None,
            "max_position_embeddings": 128}
    vision = {**SEEN, "image_size": 32, "intermediate_size": 40, "vision_use_head": False}
    config = transformers.Gemma3Config(text_config=text, vision_config=vision, mm_tokens_per_image=16, image_token_index=token("<image_soft_token>"),
                                       boi_token_index=token("<start_of_image>"), eoi_token_index=token("<end_of_image>"))
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Gemma3ForConditionalGeneration, config, 71)
    rules = {"size": {"height": 32, "width": 32}, "resample": 2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3, "do_pan_and_scan": None}
    image = photograph(40, 28)
    seen = Gemma3ImageProcessorPil(**rules)(image, return_tensors="pt")
    seen.pop("num_crops")
    prompt = (f"<start_of_turn>user\n\n\n<start_of_image>{'<image_soft_token>' * 16}<end_of_image>\n\n{QUESTION}<end_of_turn>\n"
              "<start_of_turn>model\n")
    answer("gemma3_seeing", model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "Gemma3ImageProcessor", **rules}}, GEMMA, shown=token("<image_soft_token>"))


TURNS = ("{{ bos_token }}{% for message in messages %}{{ '<|turn>' + message['role'] + '\n' }}{% for item in message['content'] %}"
         "{% if item['type'] == 'image' %}{{ '<|image|>' }}{% elif item['type'] == 'text' %}{{ item['text'] | trim }}{% endif %}{% endfor %}"
         "{{ '<turn|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|turn>model\n' }}{% endif %}")


def small_gemma4_seeing(family, seed, sides, kinds, vision, audio=None, **own):
    """Squares of 2 × 2 patches are averaged to a token, of which there are up to 70."""
    from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil
    specials = ["<eos>", "<bos>", "<|turn>", "<turn|>", "<|image>", "<|image|>", "<image|>", "<|audio|>", "<|video|>"]
    tokenizer = save_words(family, specials, {"eos_token": "<eos>", "bos_token": "<bos>"})
    token, size = tokenizer.token_to_id, tokenizer.get_vocab_size()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="<bos> $A", pair="<bos> $A <bos> $B", special_tokens=[("<bos>", token("<bos>"))])
    tokenizer.save(os.path.join(DATA, family, "tokenizer.json"), pretty=False)
    kinds = [{"s": "sliding_attention", "f": "full_attention"}[kind] for kind in kinds]
    text = {**GEMMA4, "vocab_size": size, "vocab_size_per_layer_input": size, "num_hidden_layers": len(kinds), "layer_types": kinds,
            "sliding_window": 20, "max_position_embeddings": 256, "eos_token_id": token("<eos>"), "bos_token_id": token("<bos>"), "pad_token_id": 3, **own}
    seen = {"hidden_size": 24, "intermediate_size": 28, "num_hidden_layers": 2, "num_attention_heads": 3, "num_key_value_heads": 3, "head_dim": 8,
            "patch_size": 4, "pooling_kernel_size": 2, "position_embedding_size": 48, **vision}
    config = transformers.Gemma4Config(
        text_config=transformers.Gemma4TextConfig(**text), vision_config=transformers.Gemma4VisionConfig(**seen), audio_config=audio,
        image_token_id=token("<|image|>"), boi_token_id=token("<|image>"), eoi_token_id=token("<image|>"), audio_token_id=token("<|audio|>"),
        video_token_id=token("<|video|>"), boa_token_id=token("<|turn>"), eoa_token_index=token("<turn|>"))
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Gemma4ForConditionalGeneration, config, seed)
    scale_layers(model.model.language_model)
    random = torch.Generator().manual_seed(seed)
    for name, bound in model.model.vision_tower.named_buffers():
        if name.endswith(("_min", "_max")):
            bound.fill_((-1 if name.endswith("_min") else 1) * (0.7 + torch.rand((), generator=random)))
        elif "std_" in name:
            bound.copy_(1 + 0.5 * torch.randn(bound.shape, generator=random))
    rules = {"patch_size": 4, "max_soft_tokens": 70, "pooling_kernel_size": 2}
    image = photograph(*sides)
    seen = Gemma4ImageProcessorPil(**rules)(image, return_tensors="pt")
    count = seen.pop("num_soft_tokens_per_image")[0]
    prompt = f"<bos><|turn>user\n<|image>{'<|image|>' * int(count)}<image|>{QUESTION}<turn|>\n<|turn>model\n"
    plain = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    plain.post_processor = tokenizers.processors.TemplateProcessing(single="$A", pair="$A $B", special_tokens=[])
    answer(family, model, plain, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "Gemma4ImageProcessor", **rules}}, TURNS, marked=token("<|image|>"))


def gemma4_seeing():
    """As E2B, beside a half that listens: linear layers of what sees have bounds."""
    audio = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "subsampling_conv_channels": [4, 2], "output_proj_dims": 8}
    small_gemma4_seeing("gemma4_seeing", 165, (40, 28), "sfssf", {"use_clipped_linears": True}, audio, num_kv_shared_layers=2, use_double_wide_mlp=True,
                        hidden_size_per_layer_input=6)


def gemma4_seeing_large():
    """As 31B: what was seen is standardised, and its tokens see each other where there is a window. A head of keys for two."""
    small_gemma4_seeing("gemma4_seeing_large", 166, (33, 57), "ssf", {"standardize": True, "num_attention_heads": 4, "num_key_value_heads": 2}, attention_k_eq_v=True,
                        num_global_key_value_heads=1, hidden_size_per_layer_input=0, use_bidirectional_attention="vision")


def blip2():
    """Six queries, which look at the picture in every other layer; OPT reads what they gathered, without a template."""
    from transformers.models.blip.image_processing_pil_blip import BlipImageProcessorPil
    tokenizer = save_words("blip2", ["</s>", "<image>"], {"eos_token": "</s>"})
    token = tokenizer.token_to_id
    text = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "ffn_dim": 40, "word_embed_proj_dim": 32, "max_position_embeddings": 128,
            "vocab_size": tokenizer.get_vocab_size(), "bos_token_id": token("</s>"), "eos_token_id": token("</s>"), "pad_token_id": 1, "model_type": "opt"}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40}
    queries = {"hidden_size": 20, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 28, "cross_attention_frequency": 2}
    config = transformers.Blip2Config(text_config=text, vision_config=vision, qformer_config=queries, num_query_tokens=6, image_token_index=token("<image>"))
    for part in (config, config.text_config, config.vision_config, config.qformer_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Blip2ForConditionalGeneration, config, 99)
    rules = {"size": {"height": 16, "width": 16}, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.4] * 3}
    image = photograph(40, 28)
    seen = BlipImageProcessorPil(**rules)(image, return_tensors="pt")
    prompt = f"{'<image>' * 6}</s>{QUESTION}"
    answer("blip2", model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {
        "image_processor_type": "BlipImageProcessor", **rules}}, None)


def blip2_t5():
    """As blip2, but its queries and the text go through the encoder of a T5 as FLAN-T5 is, and its decoder looks at what came out."""
    tokenizer = save_words("blip2_t5", ["<pad>", "</s>", "<image>"], {"eos_token": "</s>", "pad_token": "<pad>"})
    pad, end, shown = (tokenizer.token_to_id(token) for token in ("<pad>", "</s>", "<image>"))
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", end)])
    text = {"d_model": 24, "d_kv": 10, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 3, "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 12, "vocab_size": tokenizer.get_vocab_size(), "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False,
            "decoder_start_token_id": pad, "pad_token_id": pad, "eos_token_id": end, "bos_token_id": end, "model_type": "t5"}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40}
    queries = {"hidden_size": 20, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 28, "cross_attention_frequency": 2}
    config = transformers.Blip2Config(text_config=text, vision_config=vision, qformer_config=queries, num_query_tokens=6, image_token_index=shown)
    for part in (config, config.text_config, config.vision_config, config.qformer_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Blip2ForConditionalGeneration, config, 98)
    model.language_model.generation_config = transformers.GenerationConfig(max_length=12, decoder_start_token_id=pad, eos_token_id=end, pad_token_id=pad)
    rules = {"size": {"height": 16, "width": 16}, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.4] * 3}
    pixels = picture(16, 16, 6)
    tensors = generate_jointly(model, pixels, [shown] * 6 + tokenizer.encode("a photo of").ids)
    tensors["asked.greedy"] = generate_jointly(model, pixels, [shown] * 6 + tokenizer.encode(QUESTION).ids)["greedy"]
    for name in (*SEARCHES, "asked.greedy"):
        print(name, tensors[name][0].tolist())
    save("blip2_t5", model, tensors, {"preprocessor_config.json": {"image_processor_type": "BlipImageProcessor", **rules},
                                      "tokenizer_config.json": {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "</s>", "pad_token": "<pad>"}})
    tokenizer.save(os.path.join(DATA, "blip2_t5", "tokenizer.json"), pretty=False)
    photograph(40, 28).save(os.path.join(DATA, "blip2_t5", "picture.png"))


QWEN = ("{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}"
        "<|im_start|>{{ message['role'] }}\n{% for content in message['content'] %}{% if content['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
        "{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")


QWEN3 = ("{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' }}{%- for content in message.content %}{%- if content.type == 'image' %}"
         "{{- '<|vision_start|><|image_pad|><|vision_end|>' }}{%- else %}{{- content.text }}{%- endif %}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endfor %}"
         "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}")


def small_qwen(family, kind, config_kind, vision, seed, size, flat, reads=None, template=QWEN):
    """`flat`: names of tensors and keys as in files of 2024."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
    tokenizer = save_words(family, ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"], {"eos_token": "<|im_end|>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("<|im_end|>"),
            "bos_token_id": None, "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 50.0}, **(reads or {})}
    vision = {"num_heads": 3, "patch_size": PATCH, **vision}
    config = config_kind(text_config=text, vision_config=vision, image_token_id=token("<|image_pad|>"), tie_word_embeddings=flat,
                         vision_start_token_id=token("<|vision_start|>"), vision_end_token_id=token("<|vision_end|>"))
    for part in (config, config.text_config, config.vision_config):
        part._attn_implementation = "eager"
    model = (lasting if "linear_num_key_heads" in (reads or {}) else enlarge)(prepare(kind, config, seed))
    rules = {"min_pixels": 512, "max_pixels": 2400, "patch_size": PATCH, "merge_size": 2, "temporal_patch_size": 2, "image_mean": [0.5] * 3, "image_std": [0.4] * 3}
    image = photograph(*size)
    seen = Qwen2VLImageProcessorPil(**rules)(image, return_tensors="pt")
    count = int(seen["image_grid_thw"].prod()) // 4
    system = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n" if template == QWEN else ""
    prompt = f"{system}<|im_start|>user\n<|vision_start|>{'<|image_pad|>' * count}<|vision_end|>{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
    if not flat:
        del rules["min_pixels"], rules["max_pixels"]
        rules["size"] = {"shortest_edge": 512, "longest_edge": 2400}
    answer(family, model, tokenizer, prompt, image, dict(seen), {"preprocessor_config.json": {"image_processor_type": "Qwen2VLImageProcessor", **rules}}, template,
           marked=token("<|image_pad|>"))
    rename(os.path.join(DATA, family), flat)


def rename(folder, flat):
    """transformers 5 may save either of the layouts."""
    weights, path = load_file(os.path.join(folder, "model.safetensors")), os.path.join(folder, "config.json")
    new = {}
    for name, weight in weights.items():
        bare = name.removeprefix("model.").removeprefix("language_model.")
        seen = bare.startswith("visual.")
        if ".experts." in name:  # as on the hub; the model has them transposed
            weight = weight.transpose(1, 2).contiguous()
        new[name if name.startswith("lm_head") else ("" if flat and seen else "model.") + ("" if flat or seen else "language_model.") + bare] = weight
    save_file(new, os.path.join(folder, "model.safetensors"), {"format": "pt"})
    if not flat:
        return
    with open(path) as file:
        config = json.load(file)
    text = config.pop("text_config")
    rope = text.pop("rope_parameters")
    for part in (text, config["vision_config"]):
        part.pop("model_type")
    config["vision_config"].pop("rope_parameters")
    config = {**text, **config, "rope_theta": rope["rope_theta"], "rope_scaling": {"type": "mrope", "mrope_section": rope["mrope_section"]}}
    with open(path, "w") as file:
        json.dump(config, file, indent=2)


def qwen2_vl():
    """More pixels than are allowed; names and keys of 2024, and the words' head is their table."""
    small_qwen("qwen2_vl", transformers.Qwen2VLForConditionalGeneration, transformers.Qwen2VLConfig,
               {"depth": 2, "embed_dim": 24, "mlp_ratio": 2, "hidden_size": 32}, 65, (75, 42), True)


def qwen2_5_vl():
    """Squares of 2 × 2 tokens, cut at the edges, but for one layer that sees all; names and keys of today."""
    small_qwen("qwen2_5_vl", transformers.Qwen2_5_VLForConditionalGeneration, transformers.Qwen2_5_VLConfig,
               {"depth": 3, "hidden_size": 24, "intermediate_size": 40, "out_hidden_size": 32, "window_size": 20, "fullatt_block_indexes": [1]}, 66, (57, 41), False)


def qwen3_vl():
    """Trained positions, of 3 x 3 patches; what leaves two layers is added to the tokens behind the first two that read; angles of rows and columns lie
    among those of time, with some of time behind them."""
    small_qwen("qwen3_vl", transformers.Qwen3VLForConditionalGeneration, transformers.Qwen3VLConfig,
               {"depth": 4, "hidden_size": 24, "intermediate_size": 40, "out_hidden_size": 32, "num_position_embeddings": 9, "deepstack_visual_indexes": [0, 2]},
               74, (57, 41), False, {"head_dim": 12, "rope_parameters": {"rope_type": "default", "mrope_section": [3, 2, 1], "mrope_interleaved": True, "rope_theta": 50.0}}, QWEN3)


def qwen3_5():
    """A net before each layer with attention."""
    small_qwen("qwen3_5", transformers.Qwen3_5ForConditionalGeneration, transformers.Qwen3_5Config,
               {"depth": 2, "hidden_size": 24, "intermediate_size": 40, "out_hidden_size": 32, "num_position_embeddings": 16}, 89, (57, 41), False, NETS, QWEN3)


def qwen3_vl_moe():
    """Four experts, two for a token, whose gates and values are one tensor of all."""
    small_qwen("qwen3_vl_moe", transformers.Qwen3VLMoeForConditionalGeneration, transformers.Qwen3VLMoeConfig,
               {"depth": 2, "hidden_size": 24, "intermediate_size": 40, "out_hidden_size": 32, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]},
               80, (47, 61), False, {"head_dim": 12, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "tie_word_embeddings": False,
                                     "rope_parameters": {"rope_type": "default", "mrope_section": [2, 2, 2], "mrope_interleaved": True, "rope_theta": 50.0}}, QWEN3)


QWEN_AUDIO = ("{% set audio_count = namespace(value=0) %}{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system\n"
              "You are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ message['role'] }}\n{% if message['content'] is string %}{{ message['content'] }}<|im_end|>\n"
              "{% else %}{% for content in message['content'] %}{% if 'audio' in content or 'audio_url' in content or message['type'] == 'audio' %}"
              "{% set audio_count.value = audio_count.value + 1 %}Audio {{ audio_count.value }}: <|audio_bos|><|AUDIO|><|audio_eos|>\n{% elif 'text' in content %}"
              "{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
AUDIO_ENCODER = {"num_mel_bins": 16, "d_model": 24, "encoder_layers": 2, "encoder_attention_heads": 3, "encoder_ffn_dim": 40, "max_source_positions": 20}


def sound_features():
    """0.29 seconds, their spectrogram with silence up to 0.4, and which frames are of the sound."""
    from make_whisper import sound
    samples = sound()[:4640]
    extractor = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    extractor.n_samples, extractor.nb_max_frames = 40 * 160, 40
    features = extractor(samples.astype("float32") / 32768, sampling_rate=16000, return_attention_mask=True, padding="max_length", return_tensors="pt")
    return samples, {"input_features": features["input_features"], "feature_attention_mask": features["attention_mask"]}


def qwen2_audio():
    """15 cells, of which 14 are 7 tokens."""
    tokenizer = save_words("qwen2_audio", ["<|im_start|>", "<|im_end|>", "<|audio_bos|>", "<|AUDIO|>", "<|audio_eos|>"], {"eos_token": "<|im_end|>"})
    token = tokenizer.token_to_id
    text = {**SHARED, "vocab_size": tokenizer.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("<|im_end|>"),
            "bos_token_id": None, "model_type": "qwen2"}
    config = transformers.Qwen2AudioConfig(text_config=text, audio_config=AUDIO_ENCODER, audio_token_index=token("<|AUDIO|>"))
    for part in (config, config.text_config, config.audio_config):
        part._attn_implementation = "eager"
    model = prepare(transformers.Qwen2AudioForConditionalGeneration, config, 283)
    samples, features = sound_features()
    prompt = (f"<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nAudio 1: <|audio_bos|>{'<|AUDIO|>' * 7}<|audio_eos|>\n"
              f"{QUESTION}<|im_end|>\n<|im_start|>assistant\n")
    answer("qwen2_audio", model, tokenizer, prompt, samples, features, {"preprocessor_config.json": {
        "feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 16, "sampling_rate": 16000, "hop_length": 160, "n_fft": 400, "chunk_length": 1,
        "n_samples": 6400, "nb_max_frames": 40, "padding_value": 0.0, "return_attention_mask": True}}, QWEN_AUDIO)


def qwen2_audio_encoder():
    """The encoder alone, with the mask that the whole gives it."""
    model = prepare(transformers.Qwen2AudioEncoder, transformers.Qwen2AudioEncoderConfig(**AUDIO_ENCODER), 84)
    samples, features = sound_features()
    cells = int(features["feature_attention_mask"].sum() + 1) // 2
    mask = torch.zeros(1, 1, 20, 20)
    mask[..., cells:] = torch.finfo(torch.float32).min
    left = []
    model.layers[-1].register_forward_hook(lambda module, given, out: left.append(out))
    with torch.no_grad():
        outputs = model(features["input_features"], attention_mask=mask, output_attentions=True, output_hidden_states=True)
        states = [*outputs.hidden_states[:-1], left[0]]  # the last is made of pairs of those, and normed
        normed = model.layer_norm(left[0])  # of each cell
    tensors = {"last_hidden_state": normed[:, :cells], **{f"hidden_states.{i}": x[:, :cells] for i, x in enumerate(states)}}
    tensors.update({f"attentions.{i}": x[:, :, :cells, :cells] for i, x in enumerate(outputs.attentions)})
    save("qwen2_audio_encoder", model, tensors)
    keep_sound("qwen2_audio_encoder", samples)


# ---------------------------------------------------------------- families that retrieve pages by late interaction

QUERY = "the river's bank money"


def retrieve(family, model, processor, image, rules, files=None):
    """What tokens of a page and of a query become, and the page's score; prompts are those of the processor."""
    page, query = processor.process_images(images=[image]), processor.process_queries(text=[QUERY])
    page.pop("labels", None)
    with torch.no_grad():
        of_page, of_query = model(**page).embeddings, model(**query).embeddings
    score = processor.score_retrieval(list(of_query), list(of_page))
    tensors = {"page": page["input_ids"], "query": query["input_ids"], "page_embeddings": of_page, "query_embeddings": of_query, "score": score}
    folder = os.path.join(DATA, family)
    kept = {name: open(os.path.join(folder, name), "rb").read() for name in ("tokenizer.json", "tokenizer_config.json")}
    save(family, model, tensors, {"preprocessor_config.json": rules, **(files or {})})
    for name, text in kept.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    image.save(os.path.join(folder, "picture.png"))
    print(family, score.tolist(), query["input_ids"].tolist())


def colpali():
    """All tokens of a page, and all of a query, see each other; SigLIP and Gemma."""
    from transformers.models.colpali.processing_colpali import ColPaliProcessor
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil
    words = save_words("colpali", ["<eos>", "<bos>", "<image>", "<pad>"], {"eos_token": "<eos>", "bos_token": "<bos>", "pad_token": "<pad>"})
    token = words.token_to_id
    text = {**SHARED, "vocab_size": words.get_vocab_size(), "num_key_value_heads": 1, "eos_token_id": token("<eos>"), "bos_token_id": token("<bos>"),
            "pad_token_id": token("<pad>"), "model_type": "gemma", "head_dim": 8}
    vision = {**SEEN, "image_size": 16, "intermediate_size": 40, "model_type": "siglip_vision_model", "vision_use_head": False, "projection_dim": 32}
    config = transformers.ColPaliConfig(embedding_dim=16, vlm_config={
        "model_type": "paligemma", "text_config": text, "vision_config": vision, "image_token_index": token("<image>"), "projection_dim": 32, "hidden_size": 32})
    model = prepare(transformers.ColPaliForRetrieval, config, 81)
    rules = {"size": {"height": 16, "width": 16}, "resample": 3, "image_mean": [0.5] * 3, "image_std": [0.5] * 3, "image_seq_length": 16}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<eos>", bos_token="<bos>", pad_token="<pad>")
    sees = SiglipImageProcessorPil(**rules)
    sees.image_seq_length = 16
    tokenizer.image_token, tokenizer.image_token_id = "<image>", token("<image>")
    tokenizer.add_tokens = lambda more: 0  # places of PaliGemma, which are not in so small a vocabulary
    retrieve("colpali", model, ColPaliProcessor(sees, tokenizer), photograph(40, 28), {"image_processor_type": "SiglipImageProcessor", **rules})


def colqwen2():
    """The page in its own size, each token behind the one before; prompts of its own in processor_config.json."""
    from transformers.models.colqwen2.processing_colqwen2 import ColQwen2Processor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
    words = save_words("colqwen2", ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|endoftext|>"],
                       {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"})
    token = words.token_to_id
    text = {**SHARED, "vocab_size": words.get_vocab_size(), "num_key_value_heads": 2, "max_position_embeddings": 256, "eos_token_id": token("<|im_end|>"),
            "bos_token_id": None, "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 50.0}}
    vision = {"num_heads": 3, "patch_size": PATCH, "depth": 2, "embed_dim": 24, "mlp_ratio": 2, "hidden_size": 32}
    config = transformers.ColQwen2Config(embedding_dim=16, vlm_config={
        "model_type": "qwen2_vl", "text_config": text, "vision_config": vision, "image_token_id": token("<|image_pad|>")})
    model = prepare(transformers.ColQwen2ForRetrieval, config, 82)
    rules = {"min_pixels": 512, "max_pixels": 2400, "patch_size": PATCH, "merge_size": 2, "temporal_patch_size": 2, "image_mean": [0.5] * 3, "image_std": [0.4] * 3}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    prompts = {"query_prefix": "on the bank: ", "visual_prompt_prefix": "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>the bank<|im_end|><|endoftext|>"}
    retrieve("colqwen2", model, ColQwen2Processor(Qwen2VLImageProcessorPil(**rules), tokenizer, **prompts), photograph(75, 42),
             {"image_processor_type": "Qwen2VLImageProcessor", **rules}, {"processor_config.json": {"processor_class": "ColQwen2Processor", **prompts}})


# ---------------------------------------------------------------- families that translate

PAIRS = [("the cat sees a dog", "le chat voit un chien"), ("a dog sees the red house", "un chien voit la maison rouge"),
         ("the house is red", "la maison est rouge"), ("the cat is in the house", "le chat est dans la maison"),
         ("a red dog and a cat", "un chien rouge et un chat"), ("the dog is in a red house", "le chien est dans une maison rouge")]


def train_pieces(folder, name, lines, size):
    import sentencepiece  # the other families need none
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, vocab_size=size, minloglevel=2,
                                             normalization_rule_name="identity", hard_vocab_limit=False,
                                             num_threads=1)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]


def marian_tokenizer(folder):
    os.makedirs(folder, exist_ok=True)
    pieces = {**dict.fromkeys(train_pieces(folder, "source.spm", [here for here, _ in PAIRS] * 4, 40)),
              **dict.fromkeys(train_pieces(folder, "target.spm", [there for _, there in PAIRS] * 4, 40))}
    vocabulary = {piece: i for i, piece in enumerate(["</s>", "<unk>", *pieces, "<pad>"])}
    with open(os.path.join(folder, "vocab.json"), "w") as file:
        json.dump(vocabulary, file, ensure_ascii=False)
    return transformers.MarianTokenizer(*(os.path.join(folder, name) for name in ("source.spm", "target.spm", "vocab.json")))


def learn(model, tokenizer, steps):
    """A few sentences, not by heart: random weights generate one word for ever."""
    torch.manual_seed(5)
    batch = tokenizer([here for here, _ in PAIRS], text_target=[there for _, there in PAIRS], padding=True, return_tensors="pt")
    batch["labels"] = batch["labels"].masked_fill(batch["labels"] == tokenizer.pad_token_id, -100)
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    adam = torch.optim.Adam(weights, lr=4e-3)
    for _ in range(steps):
        adam.zero_grad()
        model(**batch).loss.backward()
        adam.step()


def translate(model, ids):
    """As `caption`: the tokens of each search, and of the greedy sentence what each token looked at."""
    searches = {**SEARCHES, "two": {"num_beams": 2}, "plain": {"num_beams": 3, "forced_eos_token_id": None}}
    with torch.no_grad():
        generated = {name: model.generate(input_ids=ids, do_sample=False, **{"max_length": 12, **search})
                for name, search in searches.items()}
        outputs = model(input_ids=ids, decoder_input_ids=generated["greedy"], output_attentions=True, output_hidden_states=True)
    looked = {f"cross_attentions.{i}": x for i, x in enumerate(outputs.cross_attentions)}
    read = {f"hidden_states.{i}": x for i, x in enumerate(outputs.encoder_hidden_states)}
    weighed = {f"attentions.{i}": x for i, x in enumerate(outputs.encoder_attentions)}
    back = {f"decoder_attentions.{i}": x for i, x in enumerate(outputs.decoder_attentions)}
    return {"input_ids": ids, **generated, "logits": outputs.logits, "last_hidden_state": outputs.encoder_last_hidden_state,
            **looked, **read, **weighed, **back}


def marian():
    """Layers, heads and hidden widths of the two halves differ; padding would be generated, were it not forbidden."""
    folder = os.path.join(DATA, "marian")
    shutil.rmtree(folder, ignore_errors=True)
    tokenizer = marian_tokenizer(folder)
    keep = {name: open(os.path.join(folder, name), "rb").read() for name in ("source.spm", "vocab.json")}
    pad = tokenizer.pad_token_id
    config = transformers.MarianConfig(vocab_size=pad + 1, d_model=24, encoder_layers=3, decoder_layers=2,
                                       encoder_attention_heads=3, decoder_attention_heads=4, encoder_ffn_dim=40,
                                       decoder_ffn_dim=48, max_position_embeddings=64, activation_function="swish",
                                       scale_embedding=True, pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad,
                                       forced_eos_token_id=0)
    config._attn_implementation = "eager"
    config.init_std = 0.3
    torch.manual_seed(4)
    model = transformers.MarianMTModel(config).eval()
    learn(model, tokenizer, 60)
    model.final_logits_bias = 0.3 * torch.randn(1, pad + 1, generator=torch.Generator().manual_seed(32))
    model.final_logits_bias[0, pad] = 20
    model.generation_config = transformers.GenerationConfig(
        max_length=12, num_beams=4, decoder_start_token_id=pad, eos_token_id=0, pad_token_id=pad, bad_words_ids=[[pad]],
        forced_eos_token_id=0, bos_token_id=0)
    ids = tokenizer("the cat sees the red house", return_tensors="pt").input_ids
    tensors = translate(model, ids)
    save("marian", model, tensors)
    for name, content in keep.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


# ---------------------------------------------------------------- weights of few bits

# Packed by hand, as the libraries lay them out (none of them is needed here), and unpacked in float64, from which the reference comes.

def pack_int8(name, w):
    """bitsandbytes' LLM.int8: a scale for each row."""
    most = w.abs().amax(1)
    codes = torch.round(w * 127 / most[:, None])
    scales = most.float() / 127
    return codes * (scales if w.shape[1] % 32 else scales.half()).double()[:, None], {f"{name}.weight": codes.to(torch.int8), f"{name}.SCB": most.float(),
                                         f"{name}.weight_format": torch.tensor(0, dtype=torch.uint8)}


NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
       0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]


def pack_nf4(name, w, block=64, outer=4, nested=True):
    """bitsandbytes' 4 bits: 16 values, a scale for each block of numbers, and where it is `nested` for those again."""
    flat = torch.cat([w.flatten(), torch.zeros(-w.numel() % block, dtype=w.dtype)]).view(-1, block)
    scales = flat.abs().amax(1)
    packed = {f"{name}.weight.quant_map": torch.tensor(NF4, dtype=torch.float32)}
    state = {"quant_type": "nf4", "blocksize": block, "dtype": "float16", "shape": list(w.shape)}
    if nested:
        values, offset = torch.linspace(-1, 1, 256), scales.mean().float()
        rest = torch.cat([scales - offset, torch.zeros(-len(scales) % outer)]).view(-1, outer)
        outer_scales = rest.abs().amax(1).float()
        codes = ((rest / outer_scales[:, None])[..., None] - values).abs().argmin(-1)
        scales = (values.double()[codes] * outer_scales.double()[:, None]).flatten()[:len(scales)] + offset.double()
        packed |= {f"{name}.weight.absmax": codes.flatten()[:len(scales)].to(torch.uint8), f"{name}.weight.nested_absmax": outer_scales,
                   f"{name}.weight.nested_quant_map": values}
        state |= {"nested_blocksize": outer, "nested_dtype": "float32", "nested_offset": offset.item()}
    else:
        scales = scales.float().double()
        packed[f"{name}.weight.absmax"] = scales.float()
    map64 = torch.tensor(NF4, dtype=torch.float32).double()
    codes = ((flat / scales[:, None])[..., None] - map64).abs().argmin(-1)
    unpacked = (map64[codes] * scales[:, None]).flatten()[:w.numel()].view(w.shape)
    codes = codes.flatten()[:w.numel() + w.numel() % 2].to(torch.uint8)
    packed |= {f"{name}.weight": (codes[::2] * 16 + codes[1::2])[:, None],
               f"{name}.weight.quant_state.bitsandbytes__nf4": torch.tensor(list(json.dumps(state).encode()), dtype=torch.uint8)}
    return unpacked, packed


def words_of(codes, bits, order):
    """[n,each·m] numbers → [n,m] words of 32 bits; the number at order[i] of each word stands at i."""
    each = 32 // bits
    parts = codes.view(codes.shape[0], -1, each)[..., order].long()
    words = sum(parts[..., i] << (bits * i) for i in range(each))
    return torch.where(words >= 2 ** 31, words - 2 ** 32, words).to(torch.int32)


def codes_in_groups(w, bits, groups, symmetric=False):
    """w [in,out], the group of each row → codes, zeros and float16 scales of each group, and what they stand for."""
    count, most = int(groups.max()) + 1, 2 ** bits - 1
    low = torch.stack([w[groups == g].amin(0) for g in range(count)]).clamp(max=0)
    high = torch.stack([w[groups == g].amax(0) for g in range(count)]).clamp(min=0)
    if symmetric:
        high, low = torch.maximum(high, -low), -torch.maximum(high, -low)
    scales = ((high - low) / (most - symmetric)).half()
    zeros = torch.full_like(low, 2 ** (bits - 1)) if symmetric else torch.round(-low / scales.double()).clamp(0, most)
    codes = (torch.round(w / scales.double()[groups]) + zeros[groups]).clamp(0, most)
    return codes, zeros, scales, (codes - zeros[groups]) * scales.double()[groups]


def pack_gptq(name, w, bits=4, group=8, shuffled=True, first_form=True, symmetric=False):
    """Words along the inputs; in the first form zeros are one less, and 0 is the largest then."""
    w, each = w.T.contiguous(), 32 // bits
    groups = torch.arange(w.shape[0]) // group
    if shuffled:
        groups = groups[torch.randperm(len(groups), generator=torch.Generator().manual_seed(len(name)))]
    codes, zeros, scales, unpacked = codes_in_groups(w, bits, groups, symmetric)
    order = list(range(each))
    stored = (zeros - int(first_form)) % 2 ** bits
    return unpacked.T, {f"{name}.qweight": words_of(codes.T.contiguous(), bits, order).T.contiguous(), f"{name}.qzeros": words_of(stored, bits, order),
                        f"{name}.scales": scales, f"{name}.g_idx": groups.to(torch.int32)}


def pack_awq(name, w, group=32):
    """Words along the outputs, eight of them in another order."""
    w = w.T.contiguous()
    codes, zeros, scales, unpacked = codes_in_groups(w, 4, torch.arange(w.shape[0]) // group)
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    return unpacked.T, {f"{name}.qweight": words_of(codes, 4, order), f"{name}.qzeros": words_of(zeros, 4, order), f"{name}.scales": scales}


def pack_compressed(name, w, bits=4, group=32, symmetric=False):
    """compressed-tensors' pack-quantized: as GPTQ's second form the other way round, scales as bfloat16."""
    groups = torch.arange(w.shape[1]) // group
    codes, zeros, scales, _ = codes_in_groups(w.T.contiguous(), bits, groups, symmetric)
    scales, order = scales.bfloat16(), list(range(32 // bits))
    unpacked = (codes - zeros[groups]) * scales.double()[groups]
    packed = {f"{name}.weight_packed": words_of(codes.T.contiguous(), bits, order), f"{name}.weight_scale": scales.T,
              f"{name}.weight_shape": torch.tensor(w.shape)}
    return unpacked.T, packed if symmetric else packed | {f"{name}.weight_zero_point": words_of(zeros, bits, order).T}


def packed_llama(family, pack, reported, blocks=True, **more):
    """All linear layers of it but the head, as the numbers that they stand for, or as float16 where these are in no blocks of 32."""
    model, packed = small_llama(), {}
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Linear) and name != "lm_head":
            unpacked, parts = pack(name, module.weight.data.double(), **more)
            module.weight.data = (unpacked if blocks and unpacked.shape[1] % 32 == 0 else unpacked.half()).float()
            packed |= parts
    go_on(family, model, model.model)
    folder = os.path.join(DATA, family)
    path = os.path.join(folder, "model.safetensors")
    kept = {name: x for name, x in load_file(path).items() if name.rsplit(".", 1)[0] not in {part.split(".qweight")[0].split(".SCB")[0].split(
        ".weight.absmax")[0].split(".weight_packed")[0] for part in packed}}
    save_file({**kept, **{name: x.contiguous() for name, x in packed.items()}}, path)
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump({**config, "quantization_config": reported}, file, indent=2)


def compressed(bits, symmetric):
    weights = {"num_bits": bits, "type": "int", "symmetric": symmetric, "strategy": "group", "group_size": 32}
    return {"quant_method": "compressed-tensors", "format": "pack-quantized", "quantization_status": "compressed", "ignore": ["lm_head"],
            "kv_cache_scheme": None, "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": None,
                                                                   "output_activations": None}}}


def llama_compressed():
    packed_llama("llama_compressed", pack_compressed, compressed(4, False))


def llama_compressed8():
    packed_llama("llama_compressed8", pack_compressed, compressed(8, True), bits=8, symmetric=True)


def llama_int8():
    packed_llama("llama_int8", pack_int8, {"quant_method": "bitsandbytes", "load_in_8bit": True})


def llama_nf4():
    packed_llama("llama_nf4", pack_nf4, {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4",
                                         "bnb_4bit_use_double_quant": True}, blocks=False)


def llama_gptq():
    packed_llama("llama_gptq", pack_gptq, {"quant_method": "gptq", "bits": 4, "group_size": 8, "desc_act": True, "sym": False}, blocks=False)


def llama_gptq8():
    packed_llama("llama_gptq8", pack_gptq, {"quant_method": "gptq", "bits": 8, "group_size": 32, "desc_act": False, "checkpoint_format": "gptq_v2"},
                 bits=8, group=32, shuffled=False, first_form=False, symmetric=True)


def llama_gptq_symmetric():
    packed_llama("llama_gptq_symmetric", pack_gptq, {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": True},
                 group=32, shuffled=False, symmetric=True)


def llama_awq():
    packed_llama("llama_awq", pack_awq, {"quant_method": "awq", "bits": 4, "group_size": 32, "zero_point": True, "version": "gemm"})


# ---------------------------------------------------------------- all of them

FAMILIES = [depth_anything, qwen2_moe, qwen3_next, qwen3_5_text, qwen3_5_moe_text, llama4, llama4_dense, deepseek_v2, deepseek_v2_lite, deepseek_v3, esm, ernie, roformer, nomic_bert_old, gte, jina2, jina3, olmo, olmo3, granite, starcoder2, ernie4_5, glm, glm4, eurobert, phi, stablelm,
            stablelm_parallel, gptj, falcon, falcon_new, falcon_serial, falcon_h1, falcon_h1_normed, cohere, cohere2, deberta, deberta_queries, deberta_v3, deberta_v2, deberta_v2_keys, mpnet, albert, modernbert, modernbert_old,
            detr, detr_timm, table_transformer, yolos, yolos_plain, owlvit, owlv2, rt_detr, rt_detr_basic, rt_detr_v2, beit, beit_shared, llama_int8, llama_nf4, llama_gptq, llama_gptq8, llama_gptq_symmetric, llama_awq, llama_compressed, llama_compressed8,
            vit, vit_classifier, deit, dinov2, dinov2_giant, dinov2_with_registers, resnet, resnet_basic, resnet_classifier, llama_adapter,
            vit_mae, vit_msn, timm, timm_registers, swin, dinov3, dinov3_gated, clip, siglip, siglip2, electra, qwen3, mistral, phi3, smollm3, olmo2, gemma1, gemma2, gemma3, gemma3_whole, gemma4, gemma4_joined, gemma4_experts, gpt_neox, opt, opt_narrow,
            blip2, blip2_t5, gpt_neo, bloom, gpt_oss, gpt_oss_bfloat16, gpt_oss_mxfp4, mixtral, qwen3_moe, olmoe, bert, bert_masked, distilbert, roberta,
            xlm_roberta, gpt2, gpt2_float16, gpt2_bfloat16, llama, llama_float16, llama_bfloat16, qwen2, blip, vit_gpt2, trocr, trocr_sinusoids, donut, florence2, git, idefics2, idefics2_whole, idefics3, smolvlm, llava, llava_onevision, llava_onevision_smaller, llava_next, internvl, internvl_large, mistral3, pixtral, paligemma, paligemma2, gemma3_seeing, gemma4_seeing, gemma4_seeing_large, qwen2_vl, qwen2_5_vl, qwen3_vl, qwen3_vl_moe, qwen3_5, qwen2_audio, qwen2_audio_encoder, colpali, colqwen2, marian]


def main():
    transformers.utils.logging.disable_progress_bar()
    for make in FAMILIES:
        if len(sys.argv) == 1 or make.__name__ in sys.argv[1:]:
            make()


if __name__ == "__main__":
    main()
