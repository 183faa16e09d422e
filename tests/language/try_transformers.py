#!/usr/bin/env python3
"""try_transformers.py SACCADE: what `saccade train language` writes is a folder of transformers', and gives there what
it gives here: tokens, the loss of the text that is held out, and the probabilities of what follows. 77: no transformers."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2LMHeadModel, LlamaForCausalLM
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
        print(f"{kind}, {tokens}: loss {loss}, {difference:.1e} from transformers'")
