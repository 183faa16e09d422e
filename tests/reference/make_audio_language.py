#!/usr/bin/env python3
"""Makes data/audio_language.safetensors: sounds for the tiny Whisper of data/whisper, the language that transformers finds in
each and how probable it is among all, and the words that follow: greedily, and by the other task.

    make_audio_language.py"""
import os

import numpy as np
import safetensors.torch
import torch
import transformers
from make_references import DATA
from make_whisper import PLACES, RATE, SOUND

SOUNDS = 3
LANGUAGES = [2, 3, *range(7, 30)]  # tokens that stand for languages, so that not all sounds have the same one


def sound(number):
    t = np.arange(SOUND) / RATE
    noise = np.random.default_rng(number).standard_normal(SOUND)
    x = [0.7 * noise, 0.5 * np.sin(2 * np.pi * 700 * t), 0.9 * np.sin(2 * np.pi * 5000 * t * t) * (t < 0.1)][number]
    return (np.clip(x, -1, 1) * 32767).astype("<i2")


def main():
    folder = os.path.join(DATA, "whisper")
    model = transformers.WhisperForConditionalGeneration.from_pretrained(folder, attn_implementation="eager").eval()
    extractor = transformers.WhisperFeatureExtractor(feature_size=16, chunk_length=1)
    extractor.n_samples, extractor.nb_max_frames = 2 * PLACES * 160, 2 * PLACES
    reported = model.generation_config
    reported.lang_to_id = {f"<|{i}|>": t for i, t in enumerate(LANGUAGES)}
    languages = LANGUAGES
    found = {"sounds": torch.from_numpy(np.stack([sound(i) for i in range(SOUNDS)]).astype(np.int32))}
    language, probability, greedy = [], [], {"transcribe": [], "translate": []}
    for i in range(SOUNDS):
        features = torch.from_numpy(extractor(sound(i).astype(np.float32) / 32768, sampling_rate=RATE, return_tensors="np").input_features)
        with torch.no_grad():
            one = int(model.detect_language(input_features=features, generation_config=reported)[0])
            logits = model(input_features=features, decoder_input_ids=torch.tensor([[reported.decoder_start_token_id]])).logits[0, -1]
            language.append(one)
            probability.append(float(torch.softmax(logits[languages].double(), -1)[languages.index(one)]))
            for task, generated in greedy.items():
                ids = torch.tensor([[reported.decoder_start_token_id, one, reported.task_to_id[task], reported.no_timestamps_token_id]])
                words = transformers.generation.utils.GenerationMixin.generate(
                    model, inputs=features, decoder_input_ids=ids,
                    generation_config=transformers.GenerationConfig(
                        max_length=15, do_sample=False, decoder_start_token_id=reported.decoder_start_token_id, eos_token_id=reported.eos_token_id,
                        pad_token_id=reported.pad_token_id, suppress_tokens=reported.suppress_tokens,
                        begin_suppress_tokens=reported.begin_suppress_tokens, forced_eos_token_id=0))[0, 4:].tolist()
                generated.append((words + [-1] * 12)[:12])
    found |= {"language": torch.tensor(language, dtype=torch.int32), "probability": torch.tensor(probability, dtype=torch.float32)}
    found |= {task: torch.tensor(generated, dtype=torch.int32) for task, generated in greedy.items()}
    print(language, probability, greedy)
    safetensors.torch.save_file(found, os.path.join(DATA, "audio_language.safetensors"))


if __name__ == "__main__":
    main()
