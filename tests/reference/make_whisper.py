#!/usr/bin/env python3
"""Makes data/whisper: a tiny Whisper with random weights that encodes 0.4 seconds, a sound (sound.wav), and what transformers makes of
it: its spectrogram, the encoder's states, what each token looked at, and the tokens of several searches.

    make_whisper.py"""
import json
import os
import struct

import numpy as np
import tokenizers
import torch
import transformers
from make_references import DATA, SEARCHES, draw_weights, save

RATE, PLACES = 16000, 20
SOUND = 4800  # samples, of the 6400 that are encoded


def sound():
    t = np.arange(SOUND) / RATE
    noise = np.random.default_rng(3).standard_normal(SOUND)
    x = 0.4 * np.sin(2 * np.pi * (300 + 2500 * t) * t) + 0.2 * np.sin(2 * np.pi * 1200 * t) * (t > 0.15) + 0.02 * noise
    return (np.clip(x, -1, 1) * 32767).astype("<i2")


def write_wav(path, samples):
    data = samples.tobytes()
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, RATE, 2 * RATE, 2, 16)
                   + b"data" + struct.pack("<I", len(data)) + data)


def main():
    transformers.utils.logging.disable_progress_bar()
    words = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|transcribe|>", "<|translate|>", "<|notimestamps|>",
             *"abcdefghijklmnop", "Ġa", "Ġb", "Ġc", "Ġd", "Ġ", "Ġcat", "Ġdog", "Ġsees", "Ġthe"]
    V = len(words)
    config = transformers.WhisperConfig(
        vocab_size=V, num_mel_bins=16, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3, decoder_attention_heads=4,
        encoder_ffn_dim=40, decoder_ffn_dim=48, max_source_positions=PLACES, max_target_positions=40, decoder_start_token_id=1, eos_token_id=0,
        pad_token_id=0, bos_token_id=0, suppress_tokens=None, begin_suppress_tokens=None,
        scale_embedding=True)  # which its model does not heed
    config._attn_implementation = "eager"
    model = transformers.WhisperForConditionalGeneration(config).eval()
    draw_weights(model, 3)
    model.proj_out.weight = model.model.decoder.embed_tokens.weight
    prompt = [1, 2, 4, 6]
    rules = {"suppress_tokens": [1, 2, 3, 4, 5, 6], "begin_suppress_tokens": [7, 0]}
    heads = [[1, 0], [1, 3], [0, 2]]
    extractor = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    extractor.n_samples, extractor.nb_max_frames = 2 * PLACES * 160, 2 * PLACES
    samples = sound()
    features = torch.from_numpy(extractor(samples.astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="np").input_features)
    assert features.shape == (1, 16, 2 * PLACES), features.shape
    from transformers.generation.utils import GenerationMixin
    ids = torch.tensor([prompt])
    searches = {**{k: SEARCHES[k] for k in ("greedy", "beam", "long", "short", "never")}, "two": {"num_beams": 2}}
    with torch.no_grad():
        generated, times = {}, {}  # times: when each token ends
        for name, search in searches.items():
            options = {"max_length": 12, **search}
            options["max_length"] += len(prompt) - 1
            config_of = transformers.GenerationConfig(decoder_start_token_id=1, eos_token_id=0, pad_token_id=0, bos_token_id=0, do_sample=False,
                                                      forced_eos_token_id=0, **rules, **options)
            found_by = GenerationMixin.generate(model, inputs=features, decoder_input_ids=ids, generation_config=config_of,
                                                return_dict_in_generate=True, output_attentions=True, output_scores=True)
            generated[name] = found_by.sequences
            ends = model._extract_token_timestamps(found_by, heads, num_frames=-(-SOUND // 160), num_input_ids=len(prompt))
            times[name] = ends[0, len(prompt):len(prompt) + int((generated[name][0, len(prompt):] != 0).sum())]
            print(name, generated[name][0].tolist(), times[name].tolist())
        outputs = model(input_features=features, decoder_input_ids=generated["greedy"], output_attentions=True, output_hidden_states=True)
    first = len(prompt) - 1
    found = {"features": features, **{k: v[:, first:] for k, v in generated.items()}, "logits": outputs.logits[:, first:],
             "last_hidden_state": outputs.encoder_last_hidden_state}
    for i, x in enumerate(outputs.cross_attentions):
        found[f"cross_attentions.{i}"] = x[:, :, first:]
    for i, x in enumerate(outputs.encoder_hidden_states):
        found[f"hidden_states.{i}"] = x
    found.update({f"times.{name}": x for name, x in times.items()})
    model.generation_config = transformers.GenerationConfig(
        max_length=11, num_beams=1, decoder_start_token_id=1, eos_token_id=0, pad_token_id=0, bos_token_id=0, forced_eos_token_id=0, **rules)
    save("whisper", model, found)
    folder = os.path.join(DATA, "whisper")
    path = os.path.join(folder, "generation_config.json")
    with open(path) as file:
        reported = json.load(file)
    reported.update({"lang_to_id": {"<|en|>": 2, "<|de|>": 3}, "task_to_id": {"transcribe": 4, "translate": 5}, "no_timestamps_token_id": 6,
                 "is_multilingual": True, "alignment_heads": heads})
    with open(path, "w") as file:
        json.dump(reported, file, indent=1)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={w: i for i, w in enumerate(words)}, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(words[:7])
    tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
    write_wav(os.path.join(folder, "sound.wav"), samples)
    print(sorted((os.path.getsize(os.path.join(folder, name)), name) for name in os.listdir(folder)))


if __name__ == "__main__":
    main()
