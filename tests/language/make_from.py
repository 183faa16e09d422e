#!/usr/bin/env python3
"""Makes tests/language/data: a small GPT-2 and a small LLaMA as transformers writes them, and what a step of learning makes of
them in PyTorch, in float64: losses, gradients, weights after a step of AdamW, and the same of an adapter of low rank.

    make_from.py    # into tests/language/data

Needs torch, transformers and tokenizers; the test needs none of them."""
import json
import os
import pathlib

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

DATA = pathlib.Path(__file__).parent / "data"
LETTERS = "Ġabcdefghijklmnopqrstuvwxyz.,Ċ"
MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("a", "t"), ("e", "r")]
BATCH, STEPS, RANK, RATE, DECAY, BETAS, EPSILON = 2, 7, 3, 0.01, 0.1, (0.9, 0.99), 1e-8


def tokenizer():
    vocabulary = {token: i for i, token in enumerate([*LETTERS, *("".join(pair) for pair in MERGES)])}
    made = Tokenizer(models.BPE(vocabulary, MERGES))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=made, clean_up_tokenization_spaces=False), len(vocabulary)


def randomise(model, dtype):
    """Parameters alone: the frequencies of rotary positions stay as they are."""
    for name, p in model.named_parameters():
        is_gain = p.dim() == 1 and name.endswith("weight")
        with torch.no_grad():
            p.copy_((torch.randn(p.shape) * (0.3 if p.dim() > 1 else 0.1) + is_gain).to(dtype))
    return model, dtype


def loss_of(model, words, targets):
    return torch.nn.functional.cross_entropy(model(words).logits.flatten(0, 1), targets.flatten())


def step(parameters):
    """Of gradients whose norm is brought to 1."""
    norm = torch.nn.utils.clip_grad_norm_([p for _, p in parameters], 1.0)
    matrices = [p for _, p in parameters if p.dim() > 1]
    vectors = [p for _, p in parameters if p.dim() == 1]
    torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0}], lr=RATE,
                      betas=BETAS, eps=EPSILON).step()
    return norm


def reference(model, folder, kept, modules):
    model = model.double()
    count = model.config.vocab_size
    torch.manual_seed(5)
    text = torch.randint(count, (BATCH, STEPS + 1))
    words, targets = text[:, :-1], text[:, 1:]
    out = {"words": words.int(), "targets": targets.int()}
    with torch.no_grad():
        out["logits"] = model(words).logits
    # An adapter: y += 2 x Aᵀ Bᵀ of each module.
    pairs, hooks = {}, []
    for name in modules:
        module = model.get_submodule(name)
        width, given = (module.nx, module.nf) if hasattr(module, "nf") else (module.in_features, module.out_features)
        a = torch.nn.Parameter(torch.randn(RANK, width, dtype=torch.float64) * 0.3)
        b = torch.nn.Parameter(torch.randn(given, RANK, dtype=torch.float64) * 0.3)
        pairs[name] = (a, b)
        hooks.append(module.register_forward_hook(lambda _, x, y, a=a, b=b: y + 2 * x[0] @ a.T @ b.T))
    loss = loss_of(model, words, targets)
    out["adapter.loss"] = loss.detach()
    named = [(f"{name}.lora_{letter}", p) for name, pair in pairs.items() for letter, p in zip("AB", pair)]
    for name, gradient in zip((name for name, _ in named), torch.autograd.grad(loss, [p for _, p in named])):
        out[f"adapter.gradient.{name}"] = gradient
    for name, p in named:
        out[f"adapter.{name}"] = p.detach()
    for hook in hooks:
        hook.remove()
    # All weights.
    loss = loss_of(model, words, targets)
    loss.backward()
    out["loss"] = loss.detach()
    parameters = list(model.named_parameters())
    for name, p in parameters:
        if name in kept:
            out[f"gradient.{name}"] = p.grad.clone()
    out["norm"] = step(parameters)
    for name, p in parameters:
        if name in kept:
            out[f"after.{name}"] = p.detach()
    save_file({name: (t if t.dtype == torch.int32 else t.float()).contiguous() for name, t in out.items()},
              folder / "reference.safetensors")


def gpt2(words):
    torch.manual_seed(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=words, n_positions=24, n_embd=16, n_layer=2, n_head=2, bos_token_id=None,
                                       eos_token_id=None, layer_norm_epsilon=1e-4, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))
    return randomise(model, torch.float16)


def llama(words):
    torch.manual_seed(2)
    model = LlamaForCausalLM(LlamaConfig(vocab_size=words, max_position_embeddings=24, hidden_size=16, num_hidden_layers=2,
                                         num_attention_heads=4, num_key_value_heads=2, intermediate_size=24, rms_norm_eps=1e-4,
                                         rope_theta=500.0, bos_token_id=None, eos_token_id=None, tie_word_embeddings=False))
    return randomise(model, torch.bfloat16)


def main():
    made, words = tokenizer()
    kept = {"gpt2": ["transformer.wpe.weight", "transformer.h.0.attn.c_attn.weight", "transformer.h.1.mlp.c_proj.weight",
                     "transformer.h.1.ln_2.bias", "transformer.ln_f.weight"],
            "llama": ["lm_head.weight", "model.layers.0.self_attn.k_proj.weight", "model.layers.1.self_attn.v_proj.weight",
                      "model.layers.1.mlp.gate_proj.weight", "model.layers.0.input_layernorm.weight"]}
    modules = {"gpt2": [f"transformer.h.{i}.attn.c_attn" for i in range(2)],
               "llama": [f"model.layers.{i}.self_attn.{part}_proj" for i in range(2) for part in "qv"]}
    for make in (gpt2, llama):
        name = make.__name__
        folder = DATA / name
        folder.mkdir(parents=True, exist_ok=True)
        model, dtype = make(words)
        model.config.torch_dtype = dtype
        model.config.save_pretrained(folder)
        made.save_pretrained(folder)
        state = {key: value.to(dtype).contiguous() for key, value in model.state_dict().items()}
        if name == "gpt2":  # as those that the hub has: without a prefix, and with the mask
            state = {key.removeprefix("transformer."): value for key, value in state.items() if key != "lm_head.weight"}
            state |= {f"h.{i}.attn.bias": torch.ones(1, 1, 24, 24).tril() for i in range(2)}
        save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
        reference(model, folder, kept[name], modules[name])
        with open(folder / "config.json", encoding="utf-8") as file:
            print(name, json.load(file))


if __name__ == "__main__":
    main()
