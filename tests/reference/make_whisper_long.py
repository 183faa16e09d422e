#!/usr/bin/env python3
"""Makes data/whisper_long: a tiny Whisper with random weights and tokens of times, which takes 0.4 seconds at once, a sound of 2 s, and the
tokens of each piece of it as the long form of transformers' generate has them.

    make_whisper_long.py"""
import json
import os

import numpy as np
import tokenizers
import torch
import transformers
from make_references import DATA, draw_weights, save
from make_whisper import PLACES, RATE, write_wav

COUNT = 2 * RATE + 77


def sound():
    t = np.arange(COUNT) / RATE
    noise = np.random.default_rng(3).standard_normal(COUNT)
    x = 0.4 * np.sin(2 * np.pi * (300 + 900 * t) * t) + 0.2 * np.sin(2 * np.pi * 1200 * t) * (t > 0.7) + 0.05 * noise
    return (np.clip(x, -1, 1) * 32767 * (0.3 + 0.7 * np.sin(3 * t) ** 2)).astype("<i2")


def main():
    transformers.utils.logging.disable_progress_bar()
    text = [*"abcdefghijklmnop", "Ġa", "Ġb", "Ġc", "Ġd", "Ġ", "Ġcat", "Ġdog", "Ġsees", "Ġthe"]
    special = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|transcribe|>", "<|translate|>", "<|notimestamps|>"]
    times = [f"<|{0.02 * i:.2f}|>" for i in range(PLACES + 1)]
    words = text + special + times
    end, start, english, german, transcribe, translate, none = range(len(text), len(text) + 7)
    config = transformers.WhisperConfig(
        vocab_size=len(words), num_mel_bins=16, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
        decoder_attention_heads=4, encoder_ffn_dim=40, decoder_ffn_dim=48, max_source_positions=PLACES, max_target_positions=40,
        decoder_start_token_id=start, eos_token_id=end, pad_token_id=end, bos_token_id=end, suppress_tokens=None, begin_suppress_tokens=None)
    config._attn_implementation = "eager"
    model = transformers.WhisperForConditionalGeneration(config).eval()
    draw_weights(model, 3)
    model.proj_out.weight = model.model.decoder.embed_tokens.weight
    rules = {"suppress_tokens": [start, english, german, transcribe, translate, none], "begin_suppress_tokens": [0, end]}
    reported = {"lang_to_id": {"<|en|>": english, "<|de|>": german}, "task_to_id": {"transcribe": transcribe, "translate": translate},
            "no_timestamps_token_id": none, "is_multilingual": True, "alignment_heads": [[1, 0], [1, 3], [0, 2]],
            "max_initial_timestamp_index": 10}
    model.generation_config = transformers.GenerationConfig(
        max_length=14, num_beams=1, decoder_start_token_id=start, eos_token_id=end, pad_token_id=end, bos_token_id=end, **rules)
    for key, value in reported.items():
        setattr(model.generation_config, key, value)
    extractor = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    extractor.n_samples, extractor.nb_max_frames = 2 * PLACES * 160, 2 * PLACES
    samples = sound()
    features = extractor(samples.astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="pt", truncation=False, padding="longest",
                         return_attention_mask=True)
    set_length = model._set_max_new_tokens_and_length

    def set_length_anew(config, decoder_input_ids, generation_config):
        """Each piece is as long as the first: transformers adds the tokens that stand before to max_length once more for each."""
        generation_config.max_length = 14
        return set_length(config=config, decoder_input_ids=decoder_input_ids, generation_config=generation_config)

    model._set_max_new_tokens_and_length = set_length_anew
    with torch.no_grad():
        output = model.generate(**features, return_timestamps=True, return_segments=True, return_token_timestamps=True, language="en",
                                task="transcribe")
    pieces, ends = {}, {}  # ends: when each token ends
    for segment in output["segments"][0]:
        tokens = segment["tokens"].tolist()
        begin = round(float(segment["start"]) - 0.02 * (tokens[0] - none - 1), 2)
        pieces.setdefault(begin, []).extend(tokens)
        ends.setdefault(begin, []).extend(segment["token_timestamps"].tolist())
    print(pieces, ends)
    longest = max(map(len, pieces.values()))
    found = {"features": features.input_features, "from": torch.tensor(list(pieces), dtype=torch.float32),
             "pieces": torch.tensor([p + [-1] * (longest - len(p)) for p in pieces.values()], dtype=torch.int32),
             "times": torch.tensor([t + [-1] * (longest - len(t)) for t in ends.values()], dtype=torch.float32)}
    model.generation_config = transformers.GenerationConfig(
        max_length=14, num_beams=1, decoder_start_token_id=start, eos_token_id=end, pad_token_id=end, bos_token_id=end, **rules)
    save("whisper_long", model, found)
    folder = os.path.join(DATA, "whisper_long")
    path = os.path.join(folder, "generation_config.json")
    with open(path) as file:
        config_of = json.load(file)
    with open(path, "w") as file:
        json.dump({**config_of, **reported}, file, indent=1)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={w: i for i, w in enumerate(words)}, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    tokenizer.add_tokens([tokenizers.AddedToken(w, special=False, normalized=False) for w in times])
    tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
    write_wav(os.path.join(folder, "sound.wav"), samples)
    print(sorted((os.path.getsize(os.path.join(folder, name)), name) for name in os.listdir(folder)))


if __name__ == "__main__":
    main()
