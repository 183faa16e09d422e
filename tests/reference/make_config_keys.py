#!/usr/bin/env python3
"""The keys of the configuration classes of `transformers`, with their defaults: data/config_keys.json, to which the tables of
the files in src/pretrained/architectures are held. A key of a later version that no table has fails the test.
data/config_nulls.json: what None is to each class: the keys of "default" then have their default, and with None for those of
"none" the model computes. Every other key fails, in the class, in the model that is made of it or in its first text or picture.

    make_config_keys.py [CLASS …]      # of those alone, or all; needs transformers 5"""
import json
import os
import sys

import torch
import transformers as t

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")

CLASSES = {"bert": t.BertConfig, "roberta": t.RobertaConfig, "distilbert": t.DistilBertConfig, "gpt2": t.GPT2Config,
           "llama": t.LlamaConfig, "qwen2": t.Qwen2Config, "vit": t.ViTConfig, "deit": t.DeiTConfig, "dinov2": t.Dinov2Config,
           "dinov2_with_registers": t.Dinov2WithRegistersConfig, "resnet": t.ResNetConfig, "blip": t.BlipConfig, "blip_text": t.BlipTextConfig,
           "blip_vision": t.BlipVisionConfig, "blip2": t.Blip2Config, "blip2_vision": t.Blip2VisionConfig, "blip2_queries": t.Blip2QFormerConfig, "marian": t.MarianConfig, "bart": t.BartConfig, "mbart": t.MBartConfig, "t5": t.T5Config, "mt5": t.MT5Config, "umt5": t.UMT5Config, "trocr": t.TrOCRConfig, "smolvlm": t.SmolVLMConfig, "whisper": t.WhisperConfig, "m2m_100": t.M2M100Config, "electra": t.ElectraConfig, "mpnet": t.MPNetConfig, "albert": t.AlbertConfig, "modernbert": t.ModernBertConfig, "deberta": t.DebertaConfig, "deberta_v2": t.DebertaV2Config, "detr": t.DetrConfig, "table_transformer": t.TableTransformerConfig, "yolos": t.YolosConfig, "owlvit": t.OwlViTConfig, "owlvit_text": t.OwlViTTextConfig, "owlvit_vision": t.OwlViTVisionConfig,
           "owlv2": t.Owlv2Config, "owlv2_text": t.Owlv2TextConfig, "owlv2_vision": t.Owlv2VisionConfig, "beit": t.BeitConfig, "vit_mae": t.ViTMAEConfig, "vit_msn": t.ViTMSNConfig,
           "dinov3": t.DINOv3ViTConfig, "clip": t.CLIPConfig, "clip_text": t.CLIPTextConfig, "clip_vision": t.CLIPVisionConfig,
           "siglip": t.SiglipConfig, "siglip_text": t.SiglipTextConfig, "siglip_vision": t.SiglipVisionConfig,
           "git": t.GitConfig, "siglip2": t.Siglip2Config, "siglip2_text": t.Siglip2TextConfig, "siglip2_vision": t.Siglip2VisionConfig, "qwen3": t.Qwen3Config,
           "mistral": t.MistralConfig, "phi3": t.Phi3Config, "smollm3": t.SmolLM3Config, "olmo2": t.Olmo2Config, "gemma2": t.Gemma2Config,
           "gemma3": t.Gemma3TextConfig, "gemma3_whole": t.Gemma3Config, "gemma4": t.Gemma4TextConfig, "gemma4_whole": t.Gemma4Config, "gemma4_vision": t.Gemma4VisionConfig, "gpt_neox": t.GPTNeoXConfig, "opt": t.OPTConfig, "gpt_neo": t.GPTNeoConfig, "bloom": t.BloomConfig, "gpt_oss": t.GptOssConfig, "mixtral": t.MixtralConfig, "qwen3_moe": t.Qwen3MoeConfig, "qwen3_next": t.Qwen3NextConfig, "olmoe": t.OlmoeConfig, "idefics2": t.Idefics2Config, "idefics2_vision": t.models.idefics2.configuration_idefics2.Idefics2VisionConfig, "idefics2_perceiver": t.models.idefics2.configuration_idefics2.Idefics2PerceiverConfig, "idefics3": t.Idefics3Config, "mistral3": t.Mistral3Config, "pixtral": t.PixtralVisionConfig, "internvl": t.InternVLConfig, "internvl_vision": t.models.internvl.configuration_internvl.InternVLVisionConfig, "llava": t.LlavaConfig, "llava_next": t.LlavaNextConfig, "gemma": t.GemmaConfig, "rt_detr": t.RTDetrConfig, "rt_detr_v2": t.RTDetrV2Config, "paligemma": t.PaliGemmaConfig, "colpali": t.ColPaliConfig, "colqwen2": t.ColQwen2Config,
           "swin": t.SwinConfig, "florence2": t.Florence2Config, "davit": t.models.florence2.configuration_florence2.Florence2VisionConfig, "donut_swin": t.DonutSwinConfig, "llava_onevision": t.LlavaOnevisionConfig, "qwen2_vl": t.Qwen2VLConfig, "qwen2_vl_text": t.Qwen2VLTextConfig,
           "qwen2_vl_vision": t.models.qwen2_vl.configuration_qwen2_vl.Qwen2VLVisionConfig, "qwen2_5_vl": t.Qwen2_5_VLConfig,
           "qwen3_vl": t.Qwen3VLConfig, "qwen3_vl_text": t.Qwen3VLTextConfig, "qwen3_vl_vision": t.Qwen3VLVisionConfig,
           "qwen3_5": t.Qwen3_5Config, "qwen3_5_text": t.Qwen3_5TextConfig, "qwen3_5_moe": t.Qwen3_5MoeConfig, "qwen3_5_moe_text": t.Qwen3_5MoeTextConfig, "qwen3_5_vision": t.Qwen3_5VisionConfig, "qwen3_vl_moe": t.Qwen3VLMoeConfig, "qwen3_vl_moe_text": t.Qwen3VLMoeTextConfig,
           "qwen2_5_vl_vision": t.models.qwen2_5_vl.configuration_qwen2_5_vl.Qwen2_5_VLVisionConfig,
           "ernie": t.ErnieConfig, "roformer": t.RoFormerConfig, "nomic_bert": t.NomicBertConfig, "gte": t.GteConfig,
           "jina_embeddings_v3": t.JinaEmbeddingsV3Config, "olmo": t.OlmoConfig, "olmo3": t.Olmo3Config, "granite": t.GraniteConfig,
           "starcoder2": t.Starcoder2Config, "ernie4_5": t.Ernie4_5Config, "glm": t.GlmConfig, "glm4": t.Glm4Config, "eurobert": t.EuroBertConfig,
           "phi": t.PhiConfig, "stablelm": t.StableLmConfig, "gptj": t.GPTJConfig, "falcon": t.FalconConfig, "falcon_h1": t.FalconH1Config, "cohere": t.CohereConfig,
           "cohere2": t.Cohere2Config, "pegasus": t.PegasusConfig, "qwen2_moe": t.Qwen2MoeConfig, "llama4": t.Llama4TextConfig, "deepseek_v2": t.DeepseekV2Config, "deepseek_v3": t.DeepseekV3Config, "esm": t.EsmConfig, "depth_anything": t.DepthAnythingConfig,
           "wav2vec2": t.Wav2Vec2Config, "hubert": t.HubertConfig, "wavlm": t.WavLMConfig, "ast": t.ASTConfig, "moonshine": t.MoonshineConfig, "parakeet": t.ParakeetCTCConfig, "parakeet_encoder": t.ParakeetEncoderConfig, "qwen2_audio": t.Qwen2AudioConfig, "qwen2_audio_encoder": t.Qwen2AudioEncoderConfig,
           "idefics3_vision": t.models.idefics3.configuration_idefics3.Idefics3VisionConfig}
# Made out of other keys, where a file lacks them.
MADE = {"no_rope_layers", "moe_layers", "attention_layers", "num_key_value_heads", "head_dim", "layer_types", "per_layer_config", "rope_parameters", "text_config", "vision_config", "qformer_config", "perceiver_config", "encoder_config", "audio_config", "vlm_config", "transformers_version",
        "model_type", "id2label", "label2id", "stage_names", "out_features", "out_indices", "backbone_config"}


# The part of a folder's config.json that is of the class.
PARTS = {"gemma4_whole": ("gemma4_seeing", None), "gemma4_vision": ("gemma4_seeing", "vision_config"), "parakeet_encoder": ("parakeet", "encoder_config"), "jina_embeddings_v3": ("jina3", None), "clip_text": ("clip", "text_config"), "clip_vision": ("clip", "vision_config"), "siglip_text": ("siglip", "text_config"),
         "siglip_vision": ("siglip", "vision_config"), "siglip2_text": ("siglip2", "text_config"), "owlvit_text": ("owlvit", "text_config"), "owlvit_vision": ("owlvit", "vision_config"),
         "owlv2_text": ("owlv2", "text_config"), "owlv2_vision": ("owlv2", "vision_config"),
         "siglip2_vision": ("siglip2", "vision_config"), "blip_text": ("blip", "text_config"), "blip_vision": ("blip", "vision_config"),
         "blip2_vision": ("blip2", "vision_config"), "blip2_queries": ("blip2", "qformer_config"),
         "qwen2_vl_text": ("qwen2_vl", "text_config"), "qwen2_vl_vision": ("qwen2_vl", "vision_config"),
         "qwen2_5_vl_vision": ("qwen2_5_vl", "vision_config"), "qwen3_vl_text": ("qwen3_vl", "text_config"), "qwen3_vl_vision": ("qwen3_vl", "vision_config"), "qwen3_vl_moe_text": ("qwen3_vl_moe", "text_config"), "pixtral": ("pixtral", "vision_config"), "qwen3_5_vision": ("qwen3_5", "vision_config"), "idefics2_vision": ("idefics2", "vision_config"), "idefics2_perceiver": ("idefics2", "perceiver_config"), "idefics3_vision": ("idefics3", "vision_config"),
         "davit": ("florence2", "vision_config"), "donut_swin": ("donut", "encoder"), "qwen2_vl": ("qwen2_vl", None),
         "qwen2_5_vl": ("qwen2_5_vl", None)}


def tiny(name):
    """Values of a tiny model of that class; None where there is none."""
    folder, part = PARTS.get(name, (name, None))
    path = os.path.join(DATA, folder, "config.json")
    if not os.path.exists(path):
        return None
    with open(path) as file:
        config = json.load(file, object_hook=lambda one: float(one["__float__"]) if "__float__" in one else one)
    return config.get(part, config) if part else config


def compute(config):
    """Makes a model of the class and has it read or see something, where it can do so alone."""
    model = t.AutoModel.from_config(config, attn_implementation="eager").eval()
    ids = torch.tensor([[3, 4, 5, 6]])
    with torch.no_grad():
        if model.main_input_name == "input_ids":
            model(input_ids=ids, **({"decoder_input_ids": ids} if config.is_encoder_decoder else {}))
        elif model.main_input_name == "input_values" and config.model_type != "audio-spectrogram-transformer":
            model(torch.zeros(1, 8000), **({"decoder_input_ids": ids} if config.is_encoder_decoder else {}))
        elif model.main_input_name == "pixel_values" and isinstance(getattr(config, "image_size", None), int):
            model(pixel_values=torch.zeros(1, 3, config.image_size, config.image_size))


def works(make):
    try:
        make()
        return True
    except Exception:
        return False


def null_of(name, kind, key, default):
    """The class's own way with None comes before the check of types, which it is meant to pass (version 4 had no check)."""
    check = kind.__validators__.pop(key, None)
    try:
        made = kind(**{key: None}).to_dict()
    except Exception:
        return "fails"
    finally:
        if check:
            kind.__validators__[key] = check
    if not works(lambda: kind(**{key: None})):
        return "none" if made[key] is not None else "fails"
    if made == default and made[key] is not None:
        return "default"
    own = tiny(name)
    if own and works(lambda: compute(kind(**own))) and not works(lambda: compute(kind(**{**own, key: None}))):
        return "fails"
    return "none"


def main():
    only, found, nulls = sys.argv[1:], {}, {}
    if only:
        found, nulls = (json.load(open(os.path.join(DATA, name))) for name in ("config_keys.json", "config_nulls.json"))
    for name, kind in CLASSES.items():
        if only and name not in only:
            continue
        values = kind().to_dict()
        found[name] = {key: None if key in MADE or "inf" in str(value) else value for key, value in sorted(values.items())}  # JSON has no infinity
        of = {key: null_of(name, kind, key, values) for key in found[name] if key not in ("model_type", "transformers_version")}
        nulls[name] = {what: [key for key in of if of[key] == what] for what in ("none", "default")}
    found, nulls = ({name: of[name] for name in CLASSES} for of in (found, nulls))
    with open(os.path.join(DATA, "config_keys.json"), "w") as file:
        json.dump(found, file, indent=0)
    with open(os.path.join(DATA, "config_nulls.json"), "w") as file:
        file.write("{" + ",\n".join(f"{json.dumps(name)}: {json.dumps(of)}" for name, of in nulls.items()) + "}\n")


if __name__ == "__main__":
    t.logging.set_verbosity_error()
    main()
