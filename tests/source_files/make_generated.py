#!/usr/bin/env python3
"""What generate() returns, of tiny models with random weights, beside the attention of one forward pass over each of its sequences:

    python3 tests/source_files/make_generated.py tests/source_files/generated

NAME.npz has the steps under the names that torch.save gives them, and want.self.I, want.cross.I [L,H,Tq,Tk] of sequence I. NAME.pt is
torch.save's own, with its caches. By transformers 5.24 and PyTorch 2.15.
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


TEXT = dict(vocab_size=40, hidden_size=8, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=64,
            initializer_range=0.8)
SEES = dict(hidden_size=8, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=8, patch_size=4)
SHOWN = 3  # stands in the prompt for a piece of the picture


def sees_and_answers():
    """Models that read a picture in their prompt: name, model, prompt, and what else generate() and forward() take."""
    def made(kind, **config):
        torch.manual_seed(4)
        config = getattr(tf, kind.split("For")[0] + "Config")(**config, attn_implementation="eager")
        made = getattr(tf, kind)(config).eval()
        made.generation_config = tf.GenerationConfig(pad_token_id=0)
        return made
    pixels = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(5))
    llama = dict(TEXT, model_type="llama", num_key_value_heads=1)
    clip = dict(SEES, model_type="clip_vision_model", projection_dim=8)
    siglip = dict(SEES, model_type="siglip_vision_model", vision_use_head=False)
    yield ("llava", made("LlavaForConditionalGeneration", text_config=llama, vision_config=clip, image_token_index=SHOWN, vision_feature_layer=-1),
           [[1, 5] + [SHOWN] * 4 + [9, 11]], lambda ids: dict(pixel_values=pixels))
    yield ("paligemma", made("PaliGemmaForConditionalGeneration", text_config=dict(TEXT, model_type="gemma", num_key_value_heads=1, head_dim=4),
                             vision_config=siglip, image_token_index=SHOWN, projection_dim=8, hidden_size=8),
           [[SHOWN] * 4 + [1, 5, 9]], lambda ids: dict(pixel_values=pixels, token_type_ids=(torch.arange(ids.shape[1]) >= 7).long()[None]))
    yield ("qwen2_vl", made("Qwen2VLForConditionalGeneration",
                            text_config=dict(TEXT, num_key_value_heads=1, rope_scaling={"type": "mrope", "mrope_section": [1, 0, 1], "rope_type": "default"}),
                            vision_config=dict(depth=1, embed_dim=8, hidden_size=8, num_heads=2, patch_size=4, mlp_ratio=2, spatial_merge_size=2,
                                               temporal_patch_size=2), image_token_id=SHOWN, video_token_id=4, vision_start_token_id=30, vision_end_token_id=31),
           [[1, 30] + [SHOWN] * 4 + [31, 9]],
           lambda ids: dict(pixel_values=torch.randn(16, 96, generator=torch.Generator().manual_seed(5)), image_grid_thw=torch.tensor([[1, 4, 4]]),
                            mm_token_type_ids=(ids == SHOWN).int()))
    queries = dict(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, cross_attention_frequency=1)
    opt = dict(model_type="opt", hidden_size=8, num_hidden_layers=2, num_attention_heads=2, ffn_dim=16, word_embed_proj_dim=8, vocab_size=40,
               max_position_embeddings=64, bos_token_id=2, eos_token_id=2, pad_token_id=1, init_std=0.8)
    yield ("blip2", made("Blip2ForConditionalGeneration", text_config=opt, vision_config=SEES, qformer_config=queries, num_query_tokens=4,
                         image_token_index=SHOWN), [[SHOWN] * 4 + [2, 5, 9]], lambda ids: dict(pixel_values=pixels))


def see_and_answer(save, folder):
    """Greedily and with beams; the file of torch.save, and the attention of a forward pass over each sequence."""
    for name, of, prompt, inputs in sees_and_answers():
        ids = torch.tensor(prompt)
        given = {key: torch.zeros_like(ids) if key == "token_type_ids" else value for key, value in inputs(ids).items()}
        for how, options in (("", {}), ("_beams", dict(num_beams=3, num_return_sequences=2))):
            with torch.no_grad():
                out = of.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **given, return_dict_in_generate=True, output_attentions=True,
                                  max_new_tokens=6, do_sample=False, suppress_tokens=[0, SHOWN, 4, 30, 31], **options)
            wanted = {}
            for i, ids_of in enumerate(out.sequences):
                read = ids_of[:-1][None]
                with torch.no_grad():
                    passed = of(input_ids=read, attention_mask=torch.ones_like(read), **inputs(read), output_attentions=True)
                wanted[f"want.self.{i}"] = torch.stack(getattr(passed, "language_model_outputs", passed).attentions)[:, 0]
            save(name + how, {**arrays_of(out), **wanted})
            torch.save(out, f"{folder}/{name}{how}.pt")
            print(name + how, list(out.keys()), out.sequences.tolist())


def main(folder):
    def save(name, arrays):
        np.savez_compressed(f"{folder}/{name}.npz", **{key: np.asarray(value) for key, value in arrays.items()})

    see_and_answer(save, folder)
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
