"""The translator and the transformer in PyTorch, as torch.nn has their parts, and batches of the
sentences that saccade learns from: for compare_training.py.

They start from the weights that come along. check_losses has saccade and PyTorch learn from the same
batches, made here as src/models/translation/sentence_batches.c makes them, at the same rates.
"""
import json
import re
import subprocess
import tempfile

import torch
import torch.nn.functional as F
from safetensors import safe_open
from torch import nn

EMBEDDING, HIDDEN, KEYS = 96, 192, 128
WIDTH, HEADS, FEED_FORWARD, LAYERS, PLACES = 128, 4, 384, 2, 64
PAD, START, END = 0, 1, 2
POOL = 8
RATES, CHECKED = (1e-3, 2e-3), 8  # of the steps whose losses are compared, and sentences of each
PARTS, UNENDED, OF_KINDS, OF_PARTS, OF_ORDER = 0.12, 0.08, 1 << 29, 1 << 30, 3 << 29


class Translator(nn.Module):
    """The formulas of src/models/translator/translator.h."""

    weights = "assets/translator/additive.safetensors"
    smoothing, shifts = 0.0, False

    def __init__(self, source_words, target_words):
        super().__init__()
        self.source = nn.Embedding(source_words, EMBEDDING)
        self.target = nn.Embedding(target_words, EMBEDDING)
        self.encoder = nn.GRU(EMBEDDING, HIDDEN, bidirectional=True, batch_first=True)
        self.start = nn.Linear(2 * HIDDEN, HIDDEN)
        self.key = nn.Linear(2 * HIDDEN, KEYS)
        self.query = nn.Linear(HIDDEN, KEYS, bias=False)
        self.v = nn.Parameter(torch.zeros(KEYS))
        self.decoder = nn.GRUCell(EMBEDDING + 2 * HIDDEN, HIDDEN)
        self.out_state = nn.Linear(HIDDEN, EMBEDDING, bias=False)
        self.out_context = nn.Linear(2 * HIDDEN, EMBEDDING, bias=False)
        self.out = nn.Linear(EMBEDDING, target_words)

    @staticmethod
    def rename(w):
        """Saccade's names and parts → those of this module."""
        renamed = {name: w[name] for name in w if name.startswith(("encoder.", "start."))}
        renamed |= {
            "source.weight": w["source.embedding"], "target.weight": w["target.embedding"],
            "key.weight": w["attention.key.weight"], "key.bias": w["attention.key.bias"],
            "query.weight": w["attention.query.weight"], "v": w["attention.v"],
            "decoder.weight_ih": torch.cat([w["decoder.word.weight"], w["decoder.context.weight"]], 1),
            "decoder.bias_ih": w["decoder.bias"], "decoder.weight_hh": w["decoder.state.weight"],
            "decoder.bias_hh": w["decoder.state.bias"], "out_state.weight": w["target.state.weight"],
            "out_context.weight": w["target.context.weight"], "out.weight": w["target.out.weight"],
            "out.bias": w["target.out.bias"]}
        return renamed

    def forward(self, source, lengths, inputs, offsets):
        packed = nn.utils.rnn.pack_padded_sequence(self.source(source), lengths, batch_first=True)
        features, last = self.encoder(packed)
        features, _ = nn.utils.rnn.pad_packed_sequence(features, batch_first=True)
        keys = self.key(features)
        padding = torch.arange(features.shape[1])[None] >= lengths[:, None]
        state = torch.tanh(self.start(torch.cat([last[0], last[1]], 1)))
        embedded, mixed = self.target(inputs), []
        for t in range(inputs.shape[1]):
            scores = torch.tanh(keys + self.query(state)[:, None]) @ self.v
            weights = scores.masked_fill(padding, float("-inf")).softmax(1)
            context = (weights[:, None] @ features)[:, 0]
            state = self.decoder(torch.cat([embedded[:, t], context], 1), state)
            mixed.append(embedded[:, t] + self.out_state(state) + self.out_context(context))
        return self.out(torch.stack(mixed, 1))


class Transformer(nn.Module):
    """The formulas of src/models/transformer/transformer.h: norms after the sum, no dropout, tied words."""

    weights = "assets/translator/transformer.safetensors"
    smoothing, shifts = 0.1, True

    def __init__(self, source_words, target_words):
        super().__init__()
        self.source = nn.Embedding(source_words, WIDTH)
        self.target = nn.Embedding(target_words, WIDTH)
        sizes = dict(d_model=WIDTH, nhead=HEADS, dim_feedforward=FEED_FORWARD, dropout=0.0,
                     batch_first=True)
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(**sizes) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(**sizes) for _ in range(LAYERS))
        angles = torch.arange(PLACES)[:, None] / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        self.register_buffer("places", torch.stack([angles.sin(), angles.cos()], 2).flatten(1), False)
        self.bias = nn.Parameter(torch.zeros(target_words))

    @staticmethod
    def rename(w):
        renamed = {"source.weight": w["encoder.words"], "target.weight": w["decoder.words"],
                   "bias": w["decoder.out.bias"]}
        for stack in ("encoder", "decoder"):
            kinds = {"self": "self_attn", "cross": "multihead_attn"}
            kinds = kinds if stack == "decoder" else {"self": "self_attn"}
            for i in range(LAYERS):
                for part in ("weight", "bias"):
                    for kind, name in kinds.items():
                        joined = [w[f"{stack}.{i}.{kind}.{of}.{part}"] for of in ("query", "key", "value")]
                        renamed[f"{stack}.{i}.{name}.in_proj_{part}"] = torch.cat(joined)
                        renamed[f"{stack}.{i}.{name}.out_proj.{part}"] = w[f"{stack}.{i}.{kind}.out.{part}"]
                    for n, kind in enumerate([*kinds, "forward"], 1):
                        renamed[f"{stack}.{i}.norm{n}.{part}"] = w[f"{stack}.{i}.{kind}.norm.{part}"]
                    for n, of in enumerate(("in", "out"), 1):
                        renamed[f"{stack}.{i}.linear{n}.{part}"] = w[f"{stack}.{i}.forward.{of}.{part}"]
        return renamed

    def embed(self, table, words, offsets):
        places = offsets[:, None] + torch.arange(words.shape[1])[None]
        return table(words) * WIDTH**0.5 + self.places[places]

    def forward(self, source, lengths, inputs, offsets):
        padding = torch.arange(source.shape[1])[None] >= lengths[:, None]
        later = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).triu(1)
        memory = self.embed(self.source, source, offsets)
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=padding)
        generated = self.embed(self.target, inputs, offsets)
        for layer in self.decoder:
            generated = layer(generated, memory, tgt_mask=later, tgt_key_padding_mask=inputs == PAD,
                         memory_key_padding_mask=padding)
        return generated @ self.target.weight.T + self.bias


CLASSES = {"translator": Translator, "transformer": Transformer}


def load(name):
    """The model with the weights that come along, and numbers of its words by language."""
    kind = CLASSES[name]
    with safe_open(kind.weights, "pt") as file:
        shape = json.loads(file.metadata()["model"])
        weights = {key: file.get_tensor(key) for key in file.keys()}
    words = [{word: i for i, word in enumerate(shape[language])} for language in ("english", "french")]
    model = kind(*map(len, words))
    model.load_state_dict(kind.rename(weights))
    return model, words


def optimizer_of(model):
    return torch.optim.Adam(model.parameters(), 1e-3, (0.9, 0.99))


# ---------------------------------------------------------------- sentences


def sentences(program, *seeds):
    """Pairs of sentences with their links, as `saccade sentence` prints them."""
    text = subprocess.run([program, "sentence", "--stream", "training", "--json", *seeds], check=True,
                          capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def numbered(pair, words):
    return [[numbers[word] for word in pair[side]] for side, numbers in zip(("source", "target"), words)]


def by_length(pair):
    return -len(pair[0]), -len(pair[1])


def batch_of(pairs, shifts=False, number=0):
    """Source, its lengths (falling), inputs and places of the decoder, and targets; −1 is no target."""
    lengths = torch.tensor([len(s) for s, _ in pairs])
    pad = nn.utils.rnn.pad_sequence
    source = pad([torch.tensor(s) for s, _ in pairs], True, PAD)
    inputs = pad([torch.tensor([START] + t) for _, t in pairs], True, PAD)
    targets = pad([torch.tensor(t + [END]) for _, t in pairs], True, -1)
    room = PLACES - max(source.shape[1], inputs.shape[1]) + 1
    offsets = torch.tensor([philox(i, number, 1) % room if shifts else 0 for i in range(len(pairs))])
    return (source, lengths, inputs, offsets), targets


def batches(program, model, words, size, count):
    """`count` batches of whole sentences of about one length."""
    pairs = [numbered(pair, words) for pair in sentences(program, "--count", str(size * count))]
    pools = [sorted(pairs[i:i + POOL * size], key=by_length) for i in range(0, len(pairs), POOL * size)]
    return [batch_of(pool[i:i + size], model.shifts, i) for pool in pools for i in range(0, len(pool), size)]


def step(model, optimizer, batch):
    inputs, targets = batch
    optimizer.zero_grad()
    loss = F.cross_entropy(model(*inputs).flatten(0, 1), targets.flatten(), ignore_index=-1,
                           label_smoothing=model.smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1)
    optimizer.step()
    return loss.item()


# ---------------------------------------------------------------- the same batches


def philox(a, b, key):
    """src/library/base/random/random.h"""
    for _ in range(10):
        product = 0xD256D193 * a
        a, b = product >> 32 ^ key ^ b, product & 0xFFFFFFFF
        key = key + 0x9E3779B9 & 0xFFFFFFFF
    return a


def cut(pair, first, last):
    """Words first … last with their translation; None where that is more, or less."""
    inside = set(range(first, last + 1))
    generated = [t for t, links in enumerate(pair["alignment"]) if inside & set(links)]
    if not generated:
        return None
    begin, end = generated[0], generated[-1] + 1
    links = pair["alignment"][begin:end]
    if any(not own or set(own) - inside for own in links) or pair["target"][end - 1].endswith("'"):
        return None
    return {"source": pair["source"][first:last + 1], "target": pair["target"][begin:end]}


def cut_part(pair, index):
    words = len(pair["source"]) - 1
    for i in range(16):
        places = [philox(0, OF_PARTS | index * 32 + 2 * i + end, 0) % words for end in (0, 1)]
        part = cut(pair, min(places), max(places))
        if part:
            return part
    return pair


def first_batches(program, model, words, size, count):
    """Of those that a training with seed 0 learns from, the first ones."""
    pool = []
    for index in range(POOL * size):
        seed = philox(0, 2 * index, 0) << 32 | philox(0, 2 * index + 1, 0)
        pair = sentences(program, "--seed", str(seed))[0]
        kind = (philox(0, OF_KINDS | index, 0) >> 8) * 2.0**-24
        if kind < PARTS:
            pair = cut_part(pair, index)
        elif kind < PARTS + UNENDED:
            pair = cut(pair, 0, len(pair["source"]) - 2) or pair
        pool.append(numbered(pair, words))
    pool.sort(key=by_length)
    order = []
    for i in range(POOL):
        j = philox(0, OF_ORDER | i, 0) % (i + 1)
        order.append(i)
        order[i], order[j] = order[j], i
    return [batch_of(pool[place * size:(place + 1) * size], model.shifts, number)
            for number, place in enumerate(order[:count])]


def check_losses(program, name):
    """Prints the loss of both after two steps: saccade's own line has a mean in which the last counts most."""
    model, words = load(name)
    optimizer, losses = optimizer_of(model), []
    for rate, batch in zip(RATES, first_batches(program, model, words, CHECKED, len(RATES))):
        optimizer.param_groups[0]["lr"] = rate
        losses.append(step(model, optimizer, batch))
    theirs = losses[0] + (losses[1] - losses[0]) / 1.98
    with tempfile.TemporaryDirectory() as folder:
        text = subprocess.run(
            [program, "train", name, "--resume", model.weights, "--batch", str(CHECKED), "--steps", "2",
             "--warm-up", "2", "--rate", str(RATES[-1]), "--out", folder + "/w.safetensors"],
            check=True, capture_output=True, text=True).stdout
    ours = float(re.findall(r"loss ([\d.]+)", text)[-1])
    print(f"{name}: loss of the first two steps {ours:.3f}, torch {theirs:.3f}: they "
          f"{'agree' if abs(ours - theirs) < 1e-3 else 'DIFFER'}", flush=True)
