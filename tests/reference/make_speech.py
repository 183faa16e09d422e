#!/usr/bin/env python3
"""Makes data/wav2vec2 and its relatives: tiny models with random weights that spell a sound (sound.wav), and what transformers makes
of it: states, every head, the logits of each cell, the text, and when each word begins and ends.

    make_speech.py [FAMILY…]"""
import json
import os
import sys

import numpy as np
import torch
import transformers
from make_references import DATA, draw_weights, save
from make_whisper import RATE, write_wav

LETTERS = ["<pad>", "<s>", "</s>", "<unk>", "|", *"ETAONI'É", "中", "文"]
SMALL = {"vocab_size": len(LETTERS), "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
         "conv_dim": (16,) * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4, "pad_token_id": 0}


def sound(seconds=0.9):
    t = np.arange(int(seconds * RATE)) / RATE
    noise = np.random.default_rng(5).standard_normal(len(t))
    x = 0.3 * np.sin(2 * np.pi * (200 + 1800 * t) * t) * (np.sin(9 * t) ** 2) + 0.2 * np.sin(2 * np.pi * 900 * t) * (t > 0.4) + 0.03 * noise
    return (np.clip(x + 0.05, -1, 1) * 32767).astype("<i2")


def spell(family, model, seed, normalises=True, old_names=False, lower=False, heads=None):
    model = model.eval()
    model.config._attn_implementation = "eager"
    draw_weights(model, seed)
    for name, weight in model.named_parameters():
        if name.endswith("original0"):  # lengths
            weight.data = 2 + weight.data.abs()
    base = getattr(model, model.base_model_prefix)
    samples = sound()
    extractor = transformers.Wav2Vec2FeatureExtractor(do_normalize=normalises)
    values = torch.from_numpy(extractor(samples.astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="np").input_values)
    with torch.no_grad():  # no letter is more probable than the others all the time, but that there is none
        model.lm_head.weight.data *= 1.5 / model(values).logits.std(1)[0, :, None]
        model.lm_head.bias.data -= model(values).logits.mean(1)[0]
        model.lm_head.bias.data += torch.tensor([2.0, -3, -3, 0, 1] + [0] * (len(LETTERS) - 5))
        if heads is not None:
            heads.clear()
        outputs = model(values, output_attentions=True, output_hidden_states=True)
        attentions = outputs.attentions if heads is None else list(heads)
        features = base.feature_projection(base.feature_extractor(values).transpose(1, 2))
        features = features[0] if isinstance(features, tuple) else features
        shown = torch.ones(features.shape[:2], dtype=torch.bool)
        shown[:, 7:12] = False
        part = base.encoder(features.clone(), attention_mask=shown, output_attentions=True)
        whole = base(values)
    found = {"samples": values, "logits": outputs.logits, "last_hidden_state": whole.last_hidden_state, "hidden": ~shown,
             "hidden.last_hidden_state": part.last_hidden_state}
    for i, x in enumerate(outputs.hidden_states):
        found[f"hidden_states.{i}"] = x
    for i, x in enumerate(attentions):
        found[f"attentions.{i}"] = x
    folder = os.path.join(DATA, family)
    os.makedirs(folder, exist_ok=True)
    settings = {"tokenizer_class": "Wav2Vec2CTCTokenizer", "pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
                "word_delimiter_token": "|", "do_lower_case": lower}
    vocabulary = {letter: i for i, letter in enumerate(LETTERS)}
    with open("/tmp/vocab.json", "w") as file:
        json.dump(vocabulary, file)
    tokenizer = transformers.Wav2Vec2CTCTokenizer("/tmp/vocab.json", do_lower_case=lower)
    decoded = tokenizer.decode(outputs.logits.argmax(-1)[0], output_word_offsets=True)
    print(family, outputs.logits.shape, repr(decoded.text), [(w["word"], w["start_offset"], w["end_offset"]) for w in decoded.word_offsets])
    found["text"] = torch.tensor(list(decoded.text.encode()), dtype=torch.uint8)
    found["words"] = torch.tensor([[w["start_offset"], w["end_offset"]] for w in decoded.word_offsets])
    save(family, model, found, {"vocab.json": vocabulary, "tokenizer_config.json": settings,
                                "preprocessor_config.json": {"feature_extractor_type": "Wav2Vec2FeatureExtractor", "feature_size": 1,
                                                             "sampling_rate": RATE, "padding_value": 0.0, "do_normalize": normalises,
                                                             "return_attention_mask": False}})
    if old_names:
        rename(os.path.join(folder, "model.safetensors"))
    write_wav(os.path.join(folder, "sound.wav"), samples)


def rename(path):
    """As torch named the parts of a weight before it had parametrizations."""
    from safetensors.torch import load_file, save_file
    tensors = load_file(path)
    save_file({k.replace("parametrizations.weight.original0", "weight_g").replace("parametrizations.weight.original1", "weight_v"): v
               for k, v in tensors.items()}, path, metadata={"format": "pt"})


def wav2vec2():
    spell("wav2vec2", transformers.Wav2Vec2ForCTC(transformers.Wav2Vec2Config(**SMALL)), 301)


def wav2vec2_stable():
    config = transformers.Wav2Vec2Config(**{**SMALL, "num_conv_pos_embeddings": 7}, feat_extract_norm="layer", do_stable_layer_norm=True,
                                         conv_bias=True)
    spell("wav2vec2_stable", transformers.Wav2Vec2ForCTC(config), 302, normalises=False, old_names=True, lower=True)


def hubert():
    config = transformers.HubertConfig(**SMALL, feat_extract_norm="layer", feat_proj_layer_norm=False)
    spell("hubert", transformers.HubertForCTC(config), 303)


def with_heads(kind):
    """torch gives the mean of all heads: the weights of each, as its multi_head_attention_forward computes them."""
    found, whole = [], kind.torch_multi_head_self_attention

    def attend(self, states, mask, bias):
        query, key = ((layer(states)[0].view(states.shape[1], self.num_heads, -1)).transpose(0, 1) for layer in (self.q_proj, self.k_proj))
        scores = query @ key.transpose(1, 2) * self.scaling + bias
        if mask is not None:
            scores = scores.masked_fill(mask.ne(1)[:, None], float("-inf"))
        found.append(scores.softmax(-1)[None])
        return whole(self, states, mask, bias)

    kind.torch_multi_head_self_attention = attend
    return found


def wavlm(family="wavlm", seed=304, **more):
    config = transformers.WavLMConfig(**SMALL, num_buckets=12, max_bucket_distance=16, **more)
    model = transformers.WavLMForCTC(config)
    spell(family, model, seed, heads=with_heads(transformers.models.wavlm.modeling_wavlm.WavLMAttention))


def wavlm_stable():
    wavlm("wavlm_stable", 305, feat_extract_norm="layer", do_stable_layer_norm=True, conv_bias=True)


def ast():
    """Patches of a spectrogram that is longer than the sound; classes with names."""
    names = ["Speech", "Music", "Dog", "Rain", "Bell"]
    config = transformers.ASTConfig(hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40, patch_size=8,
                                    frequency_stride=5, time_stride=6, max_length=100, num_mel_bins=32,
                                    id2label=dict(enumerate(names)), label2id={name: i for i, name in enumerate(names)})
    config._attn_implementation = "eager"
    model = transformers.ASTForAudioClassification(config).eval()
    draw_weights(model, 306)
    settings = {"feature_extractor_type": "ASTFeatureExtractor", "feature_size": 1, "sampling_rate": RATE, "num_mel_bins": 32, "max_length": 100,
                "do_normalize": True, "mean": -4.2677393, "std": 4.5689974, "padding_value": 0.0}
    extractor = transformers.ASTFeatureExtractor(num_mel_bins=32, max_length=100)
    samples = sound()
    values = extractor(samples.astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="pt").input_values
    with torch.no_grad():
        outputs = model(values, output_attentions=True, output_hidden_states=True)
        whole = model.audio_spectrogram_transformer(values)
    found = {"input_values": values, "logits": outputs.logits, "last_hidden_state": whole.last_hidden_state}
    for i, x in enumerate(outputs.hidden_states):
        found[f"hidden_states.{i}"] = x
    for i, x in enumerate(outputs.attentions):
        found[f"attentions.{i}"] = x
    print("ast", values.shape, outputs.attentions[0].shape, outputs.logits)
    save("ast", model, found, {"preprocessor_config.json": settings})
    write_wav(os.path.join(DATA, "ast", "sound.wav"), samples)


def moonshine():
    """Generates a text from samples."""
    import tokenizers
    words = ["<unk>", "<s>", "</s>", *"abcdefghijklm", "▁a", "▁b", "▁cat", "▁dog", "▁sees", "▁the", "▁"]
    config = transformers.MoonshineConfig(vocab_size=len(words), hidden_size=24, intermediate_size=40, encoder_num_hidden_layers=2,
                                          decoder_num_hidden_layers=2, encoder_num_attention_heads=2, decoder_num_attention_heads=2,
                                          max_position_embeddings=64)
    config._attn_implementation = "eager"
    model = transformers.MoonshineForConditionalGeneration(config).eval()
    draw_weights(model, 307)
    model.proj_out.weight = model.model.decoder.embed_tokens.weight
    samples = sound()
    values = torch.from_numpy(samples.astype(np.float32) / 32768)[None]
    found = {"samples": values}
    with torch.no_grad():
        for name, options in {"greedy": {"num_beams": 1}, "beam": {"num_beams": 3}}.items():
            found[name] = model.generate(values, max_length=12, do_sample=False, **options)
            print("moonshine", name, found[name][0].tolist())
        outputs = model(values, decoder_input_ids=found["greedy"], output_attentions=True, output_hidden_states=True)
    found["logits"], found["last_hidden_state"] = outputs.logits, outputs.encoder_last_hidden_state
    for i, x in enumerate(outputs.encoder_hidden_states):
        found[f"hidden_states.{i}"] = x
    for i, x in enumerate(outputs.encoder_attentions):
        found[f"attentions.{i}"] = x
    for i, x in enumerate(outputs.cross_attentions):
        found[f"cross_attentions.{i}"] = x
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={w: i for i, w in enumerate(words)}, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    tokenizer.add_special_tokens(words[:3])
    found["text"] = torch.tensor(list(tokenizer.decode(found["greedy"][0].tolist()).encode()), dtype=torch.uint8)
    model.generation_config = transformers.GenerationConfig(max_length=12, decoder_start_token_id=1, bos_token_id=1, eos_token_id=2, do_sample=False)
    save("moonshine", model, found, {"preprocessor_config.json": {"feature_extractor_type": "Wav2Vec2FeatureExtractor", "feature_size": 1,
                                                                  "sampling_rate": RATE, "padding_value": 0.0, "do_normalize": False}})
    tokenizer.save(os.path.join(DATA, "moonshine", "tokenizer.json"), pretty=False)
    write_wav(os.path.join(DATA, "moonshine", "sound.wav"), samples)


def parakeet():
    """Spells words in pieces, from a spectrogram that convolutions make an eighth as long."""
    import tokenizers
    pieces = ["<unk>", *"abcdefghi", "▁a", "▁b", "▁cat", "▁dog", "▁sees", "▁the", ".", "é", "<pad>"]
    nothing, bins = len(pieces) - 1, 16
    encoder = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "conv_kernel_size": 5,
               "subsampling_conv_channels": 8, "num_mel_bins": bins}
    config = transformers.ParakeetCTCConfig(vocab_size=len(pieces), pad_token_id=nothing, encoder_config=encoder)
    config._attn_implementation = "eager"
    model = transformers.ParakeetForCTC(config).eval()
    draw_weights(model, 308)
    model.encoder.subsampling.linear.weight.data *= 0.2  # states of about 1
    random = torch.Generator().manual_seed(309)
    for name, numbers in sorted(model.named_buffers()):
        if name.endswith("running_mean"):
            numbers.copy_(0.3 * torch.randn(numbers.shape, generator=random))
        elif name.endswith("running_var"):
            numbers.copy_(0.5 + torch.rand(numbers.shape, generator=random))
    samples = sound(1.7)
    extractor = transformers.ParakeetFeatureExtractor(feature_size=bins)
    inputs = extractor(samples.astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="pt")
    shown = inputs.attention_mask.sum()  # the last frame is filled up
    with torch.no_grad():
        model.ctc_head.weight.data *= 1.5 / model(**inputs).logits.std(1)[0, :, None, None]
        model.ctc_head.bias.data -= model(**inputs).logits.mean(1)[0]
        model.ctc_head.bias.data[nothing] += 1
        outputs = model(**inputs, output_attentions=True, output_hidden_states=True)
        whole = model.encoder(**inputs).last_hidden_state
        x = model.encoder.subsampling(inputs.input_features, inputs.attention_mask) * model.encoder.input_scale
        places = model.encoder.encode_positions(x)
        kept = torch.ones(x.shape[:2], dtype=torch.bool)
        kept[:, 7:10] = False
        for layer in model.encoder.layers:
            x = layer(x, attention_mask=(kept[:, None] & kept[:, :, None])[:, None], position_embeddings=places)
    found = {"features": inputs.input_features[:, :shown], "logits": outputs.logits, "last_hidden_state": whole, "hidden": ~kept,
             "hidden.last_hidden_state": x}
    for i, x in enumerate(outputs.hidden_states):
        found[f"hidden_states.{i}"] = x
    for i, x in enumerate(outputs.attentions):
        found[f"attentions.{i}"] = x
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={p: i for i, p in enumerate(pieces)}, merges=[], unk_token="<unk>"))
    made.pre_tokenizer, made.decoder = tokenizers.pre_tokenizers.Metaspace(), tokenizers.decoders.Metaspace()
    made.add_special_tokens(["<unk>", "<pad>"])
    tokenizer = transformers.ParakeetTokenizer(tokenizer_object=made, unk_token="<unk>", pad_token="<pad>")
    ids = model.generate(**inputs)[0].tolist()
    text = tokenizer.decode(ids, skip_special_tokens=True)
    words = []
    for at, (piece, before) in enumerate(zip(ids, [nothing] + ids)):
        if piece not in (nothing, before) and (pieces[piece].startswith("▁") or not words):
            words.append([at, at])
        if piece != nothing:
            words[-1][1] = at + 1
    print("parakeet", outputs.logits.shape, ids, repr(text), words)
    found["text"], found["words"] = torch.tensor(list(text.encode()), dtype=torch.uint8), torch.tensor(words)
    save("parakeet", model, found, {"preprocessor_config.json": {"feature_extractor_type": "ParakeetFeatureExtractor", "feature_size": bins,
                                                                 "sampling_rate": RATE, "hop_length": 160, "n_fft": 512, "win_length": 400,
                                                                 "preemphasis": 0.97, "padding_value": 0.0, "return_attention_mask": True}})
    made.save(os.path.join(DATA, "parakeet", "tokenizer.json"), pretty=False)
    with open(os.path.join(DATA, "parakeet", "tokenizer_config.json"), "w") as file:
        json.dump({"tokenizer_class": "ParakeetTokenizer", "unk_token": "<unk>", "pad_token": "<pad>"}, file, indent=2)
    write_wav(os.path.join(DATA, "parakeet", "sound.wav"), samples)


FAMILIES = [wav2vec2, wav2vec2_stable, hubert, wavlm, wavlm_stable, ast, moonshine, parakeet]

if __name__ == "__main__":
    transformers.utils.logging.disable_progress_bar()
    for family in FAMILIES:
        if not sys.argv[1:] or family.__name__ in sys.argv[1:]:
            family()
