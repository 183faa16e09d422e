#!/usr/bin/env python3
"""The keys of the configuration classes of `transformers`, with their defaults: data/config_keys.json, to which the tables of
the files in src/pretrained/architectures are held. A key of a later version that no table has fails the test.

    make_config_keys.py                # needs transformers 5"""
import json
import os

import transformers as t

CLASSES = {"bert": t.BertConfig, "roberta": t.RobertaConfig, "distilbert": t.DistilBertConfig, "gpt2": t.GPT2Config,
           "llama": t.LlamaConfig, "qwen2": t.Qwen2Config, "vit": t.ViTConfig, "deit": t.DeiTConfig, "dinov2": t.Dinov2Config,
           "dinov2_with_registers": t.Dinov2WithRegistersConfig, "resnet": t.ResNetConfig, "blip": t.BlipConfig, "blip_text": t.BlipTextConfig,
           "blip_vision": t.BlipVisionConfig, "blip2": t.Blip2Config, "blip2_vision": t.Blip2VisionConfig, "blip2_queries": t.Blip2QFormerConfig, "marian": t.MarianConfig, "bart": t.BartConfig, "mbart": t.MBartConfig, "t5": t.T5Config, "whisper": t.WhisperConfig, "m2m_100": t.M2M100Config, "electra": t.ElectraConfig, "mpnet": t.MPNetConfig, "albert": t.AlbertConfig, "modernbert": t.ModernBertConfig, "deberta": t.DebertaConfig, "deberta_v2": t.DebertaV2Config, "detr": t.DetrConfig, "table_transformer": t.TableTransformerConfig, "beit": t.BeitConfig, "vit_mae": t.ViTMAEConfig, "vit_msn": t.ViTMSNConfig,
           "dinov3": t.DINOv3ViTConfig, "clip": t.CLIPConfig, "clip_text": t.CLIPTextConfig, "clip_vision": t.CLIPVisionConfig,
           "siglip": t.SiglipConfig, "siglip_text": t.SiglipTextConfig, "siglip_vision": t.SiglipVisionConfig,
           "git": t.GitConfig, "siglip2": t.Siglip2Config, "siglip2_text": t.Siglip2TextConfig, "siglip2_vision": t.Siglip2VisionConfig, "qwen3": t.Qwen3Config,
           "mistral": t.MistralConfig, "phi3": t.Phi3Config, "smollm3": t.SmolLM3Config, "olmo2": t.Olmo2Config, "gemma2": t.Gemma2Config,
           "gemma3": t.Gemma3TextConfig, "gemma3_whole": t.Gemma3Config, "gpt_neox": t.GPTNeoXConfig, "opt": t.OPTConfig, "gpt_neo": t.GPTNeoConfig, "bloom": t.BloomConfig, "gpt_oss": t.GptOssConfig, "mixtral": t.MixtralConfig, "qwen3_moe": t.Qwen3MoeConfig, "olmoe": t.OlmoeConfig, "idefics3": t.Idefics3Config, "llava": t.LlavaConfig, "gemma": t.GemmaConfig, "paligemma": t.PaliGemmaConfig,
           "swin": t.SwinConfig, "florence2": t.Florence2Config, "davit": t.models.florence2.configuration_florence2.Florence2VisionConfig, "donut_swin": t.DonutSwinConfig, "llava_onevision": t.LlavaOnevisionConfig, "qwen2_vl": t.Qwen2VLConfig, "qwen2_vl_text": t.Qwen2VLTextConfig,
           "qwen2_vl_vision": t.models.qwen2_vl.configuration_qwen2_vl.Qwen2VLVisionConfig, "qwen2_5_vl": t.Qwen2_5_VLConfig,
           "qwen2_5_vl_vision": t.models.qwen2_5_vl.configuration_qwen2_5_vl.Qwen2_5_VLVisionConfig,
           "idefics3_vision": t.models.idefics3.configuration_idefics3.Idefics3VisionConfig}
# Made out of other keys, where a file does not tell them.
MADE = {"no_rope_layers", "attention_layers", "num_key_value_heads", "head_dim", "layer_types", "rope_parameters", "text_config", "vision_config", "qformer_config", "transformers_version",
        "model_type", "id2label", "label2id", "stage_names", "out_features", "out_indices", "backbone_config"}


def main():
    found = {}
    for name, kind in CLASSES.items():
        values = kind().to_dict()
        found[name] = {key: None if key in MADE else value for key, value in sorted(values.items())}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "config_keys.json"), "w") as file:
        json.dump(found, file, indent=0)


if __name__ == "__main__":
    main()
