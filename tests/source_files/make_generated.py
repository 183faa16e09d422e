#!/usr/bin/env python3
"""What generate() returns, of tiny models with random weights, beside the attention of one forward pass over each of its sequences:

    python3 tests/source_files/make_generated.py tests/source_files/generated

NAME.npz has the steps under the names that torch.save gives them, and want.self.I, want.cross.I [L,H,Tq,Tk] of sequence I. beams.pt and
sampled.pt are torch.save's own, with their caches. By transformers 5.24 and PyTorch 2.15.
"""
import sys

import numpy as np
import torch
import transformers as tf

COMMON = dict(vocab_size=40, bos_token_id=1, eos_token_id=2, pad_token_id=0)
ROPE = dict(COMMON, hidden_size=8, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
            head_dim=4, max_position_embeddings=64, initializer_range=0.8)


def model(kind, seed=3, **config):
    torch.manual_seed(seed)
    config = getattr(tf, kind.split("For")[0].replace("LMHeadModel", "") + "Config")(**config)
    config._attn_implementation = "eager"
    return getattr(tf, kind)(config).eval()


def generate(of, prompt, **options):
    return of.generate(torch.tensor(prompt), **{**dict(return_dict_in_generate=True, output_attentions=True, max_new_tokens=6,
                                                       do_sample=False), **options})


def arrays_of(out, **beside):
    arrays = dict(beside)
    for name, value in out.items():
        if torch.is_tensor(value):
            arrays[name] = value
        elif name.endswith("attentions"):
            for i, step in enumerate(value):
                if torch.is_tensor(step):
                    arrays[f"{name}.{i}"] = step
                for layer, one in enumerate(step if isinstance(step, tuple) else ()):
                    arrays[f"{name}.{i}.{layer}"] = one
    return arrays


def forward(of, out, source=None):
    """The attention over each sequence, without its padding and its last token, which was not read again."""
    wanted = {}
    for i, ids in enumerate(out.sequences):
        if out.get("beam_indices") is not None:
            ids = ids[:len(ids) - int((out.beam_indices[i] < 0).sum())]
        ids = ids[int((ids == 0).cumprod(0).sum()):-1][None]
        with torch.no_grad():
            if source is None:
                wanted[f"want.self.{i}"] = torch.stack(of(ids, output_attentions=True).attentions)[:, 0]
                continue
            read = torch.tensor(source)[i * len(source) // len(out.sequences)][None]
            done = of(input_ids=read, attention_mask=(read != 0).long(), decoder_input_ids=ids, output_attentions=True)
            wanted[f"want.self.{i}"] = torch.stack(done.decoder_attentions)[:, 0]
            wanted[f"want.cross.{i}"] = torch.stack(done.cross_attentions)[:, 0]
    return wanted


def main(folder):
    def save(name, arrays):
        np.savez_compressed(f"{folder}/{name}.npz", **{key: np.asarray(value) for key, value in arrays.items()})

    gpt = model("GPT2LMHeadModel", **COMMON, n_positions=64, n_embd=8, n_layer=2, n_head=2, initializer_range=0.8)
    llama, prompt = model("LlamaForCausalLM", **ROPE), [[5, 9, 11, 30]]
    batch, mask = [[0, 0, 5, 9], [7, 8, 11, 30]], torch.tensor([[0, 0, 1, 1], [1, 1, 1, 1]])

    out = generate(gpt, prompt, num_beams=4, num_return_sequences=3, output_scores=True)
    save("beams", {**arrays_of(out), **forward(gpt, out)})
    torch.save(out, f"{folder}/beams.pt")
    out = generate(gpt, batch, attention_mask=mask, num_beams=3, num_return_sequences=2)
    save("beams_of_a_batch", {**arrays_of(out, attention_mask=mask), **forward(gpt, out)})
    out = generate(llama, prompt, num_beams=4, num_return_sequences=4, eos_token_id=list(range(2, 40, 3)), length_penalty=-1.0,
                   max_new_tokens=10)
    print("steps", len(out.attentions), "of sequences", (out.beam_indices >= 0).sum(1))
    save("beams_that_end", {**arrays_of(out), **forward(llama, out)})
    out = generate(llama, prompt, num_beams=3, past_key_values=tf.StaticCache(llama.config, max_cache_len=24))
    save("static_cache", {**arrays_of(out), **forward(llama, out)})
    torch.manual_seed(1)
    out = generate(llama, prompt, do_sample=True, num_return_sequences=2)
    save("sampled", {**arrays_of(out), **forward(llama, out)})
    torch.save(out, f"{folder}/sampled.pt")
    mixed = model("Gemma2ForCausalLM", **ROPE, sliding_window=4, layer_types=["sliding_attention", "full_attention"],
                  query_pre_attn_scalar=4)
    for name, size in (("window", 4), ("window_passed", 6), ("window_ahead", 3)):
        out = generate(mixed, [[5, 9, 11, 30, 6, 7][:size]], num_beams=3)
        save(name, {**arrays_of(out), **forward(mixed, out)})
    all_windowed = model("MistralForCausalLM", **ROPE, sliding_window=4)
    out = generate(all_windowed, prompt)
    save("windows_alone", {**arrays_of(out), **forward(all_windowed, out)})
    out = generate(llama, prompt, assistant_model=llama)
    save("assisted", arrays_of(out))
    out = generate(gpt, prompt, num_beams=3, max_new_tokens=1)
    save("one_step", {**arrays_of(out), **forward(gpt, out)})

    bart = model("BartForConditionalGeneration", **COMMON, d_model=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
                 decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, init_std=0.8, max_position_embeddings=64,
                 decoder_start_token_id=2, forced_eos_token_id=None)
    source = [[5, 9, 11, 30, 2], [7, 8, 2, 0, 0]]
    out = generate(bart, source, attention_mask=torch.tensor(source).ne(0).long(), num_beams=4, num_return_sequences=2)
    save("encoder_decoder", {**arrays_of(out), **forward(bart, out, source)})
    torch.save(out, f"{folder}/encoder_decoder.pt")
    out = generate(bart, source[:1], num_beams=3, decoder_input_ids=torch.tensor([[2, 7, 9]]))
    save("decoder_prompt", {**arrays_of(out), **forward(bart, out, source[:1])})


if __name__ == "__main__":
    main(sys.argv[1])
