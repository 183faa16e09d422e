#!/usr/bin/env python3
"""try_transformers.py SACCADE: what `saccade train language` writes is a folder of transformers', and gives there what
it gives here: tokens, the loss of the text that is held out, and the probabilities of what follows; and a folder of its own is
evaluated, trained, and written again as it was. 77: no transformers."""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    from transformers import (AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                              LlamaForCausalLM)
except ImportError:
    print("skipped: Python has no torch and transformers")
    sys.exit(77)

program = sys.argv[1]
SIZES = {"context": 24, "layers": 2, "heads": 3, "width": 48}


def run(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return done.stdout


def make_text():
    draw = random.Random(4)
    words = ["der", "Käse", "the", "cat", "naïve", "日本", "x = 1;", "🙂", "don't", "12", "Straße"]
    return "".join(draw.choice(words) + draw.choice([" ", " ", " ", "\n", ", ", ".  "]) for _ in range(1500))


def held_out_loss(model, ids):
    """The mean over contexts one after the other, which the program prints."""
    context = SIZES["context"]
    held = ids[len(ids) - len(ids) // 10:]
    starts = range(0, (len(held) - 1) // context * context, context)
    with torch.no_grad():
        losses = [model(torch.tensor([held[s:s + context]])).logits.log_softmax(-1)[0]
                  .gather(1, torch.tensor(held[s + 1:s + 1 + context])[:, None]).mean() for s in starts]
    return float(sum(losses)) / -len(losses)


def check_next(folder, model, tokenizer, text):
    """Probabilities of each token that is generated, and of what else might have come."""
    opened = json.loads(run("view", folder, "--text", text, "--continue", "6", "--json"))
    ids = tokenizer(text)["input_ids"]
    assert opened["ids"][:len(ids)] == ids, (opened["ids"], ids)
    with torch.no_grad():
        for step in opened["generated"]:
            log = model(torch.tensor([ids])).logits[0, -1].log_softmax(-1)
            for each in step["next"]:
                difference = abs(float(log[each["id"]]) - float(torch.tensor(each["probability"]).log()))
                assert difference < 1e-4, (text, each, difference)
            ids = ids + [step["id"]]
    assert tokenizer.decode(ids) == text + opened["continuation"], (text, opened["continuation"])


def check_evaluation(folder, model, tokenizer, path):
    """Every token but the first, in contexts one after the other."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    printed = json.loads(run("evaluate", "language", "--weights", folder, "--text", path, "--json"))
    ids, context = tokenizer(text)["input_ids"], printed["context"]
    with torch.no_grad():
        losses = [-model(torch.tensor([ids[s:s + context]])).logits.log_softmax(-1)[0, :len(ids[s + 1:s + 1 + context])]
                  .gather(1, torch.tensor(ids[s + 1:s + 1 + context])[:, None]) for s in range(0, len(ids) - 1, context)]
    loss = float(torch.cat(losses).mean())
    assert printed["tokens"] == len(ids) - 1 and abs(printed["loss"] - loss) < 1e-4, (printed, loss)
    assert abs(printed["perplexity"] / math.exp(loss) - 1) < 1e-3
    size = len(text.encode()) - len(tokenizer.decode(ids[:1]).encode())
    assert abs(printed["bits_per_byte"] - loss * (len(ids) - 1) / math.log(2) / size) < 1e-4, printed


def check_begun_as(folder, kind, path, out):
    """A folder of transformers' in bfloat16: written again it gives the same, trained another, which opens there."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    arguments = ["train", "language", "--from", folder, "--text", path, "--context", str(SIZES["context"])]
    run(*arguments, "--steps", "0", "--out", out)
    again = AutoModelForCausalLM.from_pretrained(out)
    ids = torch.tensor([tokenizer("the cat, der Käse")["input_ids"]])
    with torch.no_grad():
        assert torch.equal(model.float()(ids).logits, again(ids).logits)
    check_evaluation(folder, model.float(), tokenizer, path)
    run(*arguments, "--steps", "40", "--rate", "0.01", "--out", out)
    trained = AutoModelForCausalLM.from_pretrained(out)
    check_next(out, trained, AutoTokenizer.from_pretrained(out), "the cat")
    losses = [held_out_loss(m, tokenizer(open(path, encoding="utf-8").read())["input_ids"]) for m in (model, trained)]
    assert losses[1] < losses[0] - 0.5, losses
    print(f"{kind}, as a folder: loss {losses[0]:.3f}, after 40 steps {losses[1]:.3f}")
    try:
        from peft import PeftModel
    except ImportError:
        return
    run(*arguments, "--steps", "40", "--rate", "0.01", "--lora", "4", "--out", out + "-low")
    low = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(folder).float(), out + "-low").eval()
    check_next(out + "-low", low, tokenizer, "the cat")
    print(f"{kind}, an adapter: loss {held_out_loss(low, tokenizer(open(path, encoding='utf-8').read())['input_ids']):.3f}")


with tempfile.TemporaryDirectory() as folder:
    text = make_text()
    path, out, again = (os.path.join(folder, name) for name in ("text.txt", "own", "again"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for tokens, kind in [(tokens, "gpt2") for tokens in sys.argv[2:] or ["characters"]] + [("characters", "llama")]:
        sizes = [word for name, value in SIZES.items() for word in (f"--{name}", str(value))]
        printed = run("train", "language", "--text", path, "--tokens", tokens, "--kind", kind, *sizes, "--steps", "120",
                      "--rate", "0.01", "--warm-up", "10", "--out", out)
        model, tokenizer = AutoModelForCausalLM.from_pretrained(out), AutoTokenizer.from_pretrained(out)
        of_kind = {"gpt2": GPT2LMHeadModel, "llama": LlamaForCausalLM}[kind]
        assert isinstance(model, of_kind)
        ids = tokenizer(text)["input_ids"]
        assert tokenizer.decode(ids) == text
        loss = float(re.search(r"wrote .*: held-out loss ([\d.]+), of step", printed)[1])
        difference = abs(held_out_loss(model, ids) - loss)
        assert difference < 6e-4, (loss, difference)  # it is printed with three places
        for start in ("der Käse ", "the cat", "日本"):
            check_next(out, model, tokenizer, start)
        # The other way: weights of transformers' own, beside the same tokenizer.
        torch.manual_seed(1)
        other = of_kind(model.config).eval()
        other.save_pretrained(again)
        tokenizer.save_pretrained(again)
        check_next(again, other, tokenizer, "x = 1; ")
        check_evaluation(again, other, tokenizer, path)
        print(f"{kind}, {tokens}: loss {loss}, {difference:.1e} from transformers'")
    # Of GPT-2 as many heads of keys as of queries, of LLaMA fewer, and a head of its own.
    configs = [GPT2Config(vocab_size=other.config.vocab_size, n_positions=40, n_embd=48, n_layer=2, n_head=3, bos_token_id=None,
                          eos_token_id=None),
               LlamaConfig(vocab_size=other.config.vocab_size, max_position_embeddings=40, hidden_size=48, num_hidden_layers=2,
                           num_attention_heads=4, num_key_value_heads=2, intermediate_size=64, bos_token_id=None,
                           eos_token_id=None, rope_theta=1000.0)]
    for config in configs:
        begun = os.path.join(folder, config.model_type)
        AutoModelForCausalLM.from_config(config).to(torch.bfloat16).save_pretrained(begun)
        tokenizer.save_pretrained(begun)
        check_begun_as(begun, config.model_type, path, os.path.join(folder, "of-" + config.model_type))
