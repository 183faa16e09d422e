#!/usr/bin/env python3
"""What a word's map is beside its raw attention, of models of make_references.py: the row over that of a neutral question
(mllms_know, arXiv 2502.17422), carried on through the vision encoder by rollout (arXiv 2005.00928), token activation maps
(TAM, arXiv 2506.23270), and relevance (Chefer et al. 2021, arXiv 2103.15679) by torch's autograd. All in float64 from the outputs of
`transformers`; data/maps.safetensors has for each family FAMILY.raw, .relative, .encoder, .activation and .relevance
[words,rows,columns], FAMILY.on_picture [words], the share of relevance there, and what is generated with beams.

    make_maps.py [FAMILY …]            # of those alone, or all; into data, beside this file; needs torch and transformers 5, the tests need neither"""
import os
import sys
import tempfile

import numpy as np
import torch
from safetensors.torch import load_file, save_file

import make_references as references
from make_token_run import relevance_of

NEUTRAL = "Write a general description of the image."
tensors = {}


# ---------------------------------------------------------------- what all families share

def rollout(attentions):
    """[T,T] of layers, the first one first."""
    carried = None
    for layer in attentions:
        step = layer.double().mean(0)
        step = (step + torch.eye(step.shape[0], dtype=step.dtype)) / 2
        carried = step if carried is None else step @ carried
    return carried


def closed(maps):
    """Of a sum of 1; where all is 0 it stays."""
    sums = maps.flatten(1).sum(1)[:, None, None]
    return maps / torch.where(sums > 0, sums, torch.ones_like(sums))


# ---------------------------------------------------------------- relevance

def as_doubles(inputs):
    return {k: v.double() if torch.is_tensor(v) and v.is_floating_point() else v for k, v in inputs.items()}


def words_back(logits, generated, first, attentions):
    """For each word its place, and of each layer (A · gradient of the word's logit)⁺, the mean over the heads, for each list of attentions."""
    for attention in (a for some in attentions for a in some):
        attention.retain_grad()
    for at in range(first, logits.shape[0]):
        logits[at, generated[at + 1]].backward(retain_graph=True)
        yield at, [[(a * a.grad).clamp(min=0)[0].mean(0) for a in some] for some in attentions]
        for attention in (a for some in attentions for a in some):
            attention.grad = None


def relevance(model, generated, first, **inputs):
    """Rows [words,tokens] of (I + E_L) … (I + E_1) − I where each word is generated."""
    before = next(model.parameters()).dtype
    model.double()
    outputs = model(input_ids=generated[:, :-1], **as_doubles(inputs), output_attentions=True)
    rows = []
    for at, (layers,) in words_back(outputs.logits[0], generated[0].tolist(), first, [getattr(outputs, "language_model_outputs", outputs).attentions]):
        row = torch.eye(layers[0].shape[0], dtype=torch.double)[at]
        for layer in reversed(layers):
            row = row + row @ layer
        row[at] -= 1
        rows.append(row)
    model.to(before)
    return torch.stack(rows).detach()


# ---------------------------------------------------------------- token activation maps

def rank_gaussian(image, size=3):
    """As in the authors' code."""
    pad = size // 2
    padded, filtered = np.pad(image, pad, mode="reflect"), np.zeros_like(image)
    at = np.arange(size ** 2) - size ** 2 // 2
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            window = np.sort(padded[y:y + size, x:x + size].flatten())
            if window.mean() > 0 and window.std() > 0:
                width = window.std() / window.mean()
                kernel = np.exp(-(at ** 2) / (2 * width ** 2))
                filtered[y, x] = (window * kernel).sum() / kernel.sum()
            else:
                filtered[y, x] = window.mean()
    return filtered


def activations(logits, ids, prompt, seen, asked):
    """logits [T,V] of the prompt and all words but the last; ids [T + 1]: maps [words,tokens] before the filter."""
    logits = logits.double().numpy()
    words = list(range(prompt, len(ids)))
    places = asked + [at - 1 for at in words]   # where the text has each of them …
    tokens = [ids[at] for at in asked + words]  # … and what it is
    classes = list(tokens)
    if asked:
        classes[0] = int(logits[asked[0]].argmax())
    images, maps = [], []
    for i, which in enumerate(classes):
        scores = logits[:, which].clip(min=0)
        images.append(scores[seen])
        others = [k for k in range(i) if tokens[k] != tokens[i]]
        if i < len(asked):
            continue
        weights = np.array([scores[places[k]] for k in others])
        weights = weights / (weights.sum() + 1e-8)
        interfering = sum((w * images[k] for w, k in zip(weights, others)), np.zeros_like(images[i]))
        length = (interfering * interfering).sum()
        share = (images[i] * interfering).sum() / length if length else 0
        maps.append((images[i] - share * interfering).clip(min=0))
    return maps


# ---------------------------------------------------------------- families that answer

BOXES = {"llava": (4, 4, [(i % 4, i // 4, 1, 1) for i in range(16)]),
         "qwen2_vl": (8, 4, [(i % 8, i // 8, 1, 1) for i in range(32)]),
         "qwen3_vl": (7, 5, [(i % 7, i // 7, 1, 1) for i in range(35)]),
         "paligemma": (4, 4, [(i % 4, i // 4, 1, 1) for i in range(16)]),
         "gemma3_seeing": (4, 4, [(i % 4, i // 4, 1, 1) for i in range(16)]),
         "gemma4_seeing": (10, 7, [(i % 10, i // 10, 1, 1) for i in range(70)]),
         "gemma4_seeing_large": (6, 10, [(i % 6, i // 6, 1, 1) for i in range(60)]),
         "qwen2_audio": (7, 1, [(i, 0, 1, 1) for i in range(7)]),
         # Two tiles side by side, and all of the picture.
         "idefics3": (4, 2, [(i // 4 * 2 + i % 2, i % 4 // 2, 1, 1) for i in range(8)] + [(2 * (i % 2), i // 2, 2, 1) for i in range(4)])}


SEARCHED = ("idefics2", "idefics2_whole", "mistral3", "pixtral", "qwen3_vl_moe", "qwen3_5")  # whose beams alone are kept

looks = {}  # of queries that gather a picture for a text: [queries,cells], the mean of all layers and heads


def find_looks(model, seen):
    with torch.no_grad():
        states = model.vision_model(seen["pixel_values"]).last_hidden_state
        found = model.qformer(query_embeds=model.query_tokens, encoder_hidden_states=states, output_attentions=True).cross_attentions
    return torch.stack([x for x in found if x is not None]).double().mean((0, 1, 2))[:, 1:]


def shares(count, first, wide, all):
    """[count,all]: what part of each of `count` cells, which lie evenly on `wide` others from `first` on, is on each of `all`."""
    size = wide / count
    return torch.tensor([[max(min(first + (u + 1) * size, x + 1) - max(first + u * size, x), 0) / size for x in range(all)] for u in range(count)], dtype=torch.float64)


def answer_gathered(family, model, options, first, seen, picture):
    """Of Idefics 2 the parts of a word's row over the latents, spread as each looked at what was seen; the last piece is all of the picture."""
    module, patch = sys.modules[type(model).__module__], model.config.vision_config.patch_size
    kept, before = [], module.eager_attention_forward

    def attend(layer, *rest, **more):
        out = before(layer, *rest, **more)
        if "Perceiver" in type(layer).__name__:
            kept.append(out[1].double().mean(1))
        return out
    module.eager_attention_forward = attend
    generated = model.generate(**options)
    module.eager_attention_forward = before
    grids = [(int(m[:, 0].sum()) // patch, int(m[0].sum()) // patch) for m in seen["pixel_attention_mask"][0]]
    wide, pieces = seen["pixel_values"].shape[-1] // patch, len(grids)
    high, across = seen["pixel_values"].shape[-2] // patch, 2 if pieces > 1 else 1
    all_h, all_w = across * grids[0][0], across * grids[0][1]
    found = torch.stack(kept[:model.config.perceiver_config.resampler_depth]).mean(0)  # [pieces,latents,cells + latents]
    looks = []
    for i, (h, w) in enumerate(grids):
        whole = i == pieces - 1
        down = shares(h, 0 if whole else i // 2 * grids[0][0], all_h if whole else grids[0][0], all_h)
        right = shares(w, 0 if whole else i % 2 * grids[0][1], all_w if whole else grids[0][1], all_w)
        cells = found[i, :, :high * wide].reshape(-1, high, wide)[:, :h, :w]
        looks.append(torch.einsum("lhw,hy,wx->lyx", cells, down, right))
    looks = torch.cat(looks)
    more = {k: v for k, v in options.items() if k in ("pixel_values", "pixel_attention_mask")}
    with torch.no_grad():
        attentions = model(input_ids=generated[:, :-1], **more, output_attentions=True).attentions
    at = [i for i, token in enumerate(generated[0].tolist()) if token == picture]
    rows = torch.stack(attentions).double().mean((0, 1, 2))[first:, at]
    counted = relevance(model, generated, first, **more)
    tensors[f"{family}.on_picture"] = (counted[:, at].sum(1) / counted.sum(1)).float()
    tensors[f"{family}.raw"] = closed(torch.einsum("tl,lyx->tyx", rows, looks)).float()
    tensors[f"{family}.relevance"] = closed(torch.einsum("tl,lyx->tyx", counted[:, at].double(), looks)).float()


def place(family, row, mean=False):
    if family in looks:
        return (torch.as_tensor(row).double() @ looks[family] / (looks[family].sum(0) if mean else 1)).reshape(4, 4)
    wide, high, boxes = BOXES[family]
    cells, covers = torch.zeros(high, wide, dtype=torch.float64), torch.zeros(high, wide, dtype=torch.float64)
    for value, (x, y, w, h) in zip(row, boxes):
        cells[y:y + h, x:x + w] += value if mean else value / (w * h)
        covers[y:y + h, x:x + w] += 1
    return cells / covers if mean else cells


def beams(family, model, options):
    """What is generated in each search."""
    for name in ("beam", "long", "short", "never"):
        search = {k: v for k, v in references.SEARCHES[name].items() if k != "max_length"}
        tensors[f"{family}.{name}"] = model.generate(**{**options, **search})[:, options["input_ids"].shape[1] - 1:]


def packing(model, image, aspect, tiles, each):
    """[packed tokens,tiles · each]: how much of each tile's tokens a token of the joined picture is, of its ends of rows nothing."""
    one = torch.eye(tiles * each, dtype=torch.float64).reshape(tiles, each, -1)
    how = {"vision_aspect_ratio": aspect} if aspect else {"vision_feature_select_strategy": "default"}
    packed, _ = model.model.pack_image_features([one], torch.tensor([[image.height, image.width]]), image_newline=torch.zeros(tiles * each, dtype=torch.float64), **how)
    return packed[0]


def place_packed(model, image, matrix, carried, tiles, across):
    """Weights [tiles · each] on the cells of the joined picture; the first tile is all of it."""
    from transformers.models.llava_onevision.modeling_llava_onevision import get_anyres_image_grid_shape
    each = across * across
    columns = torch.arange(tiles * each, dtype=torch.float64)
    # Where rows end nothing is; the width of the joined picture is where the first such token stands.
    matrix = matrix[each:]
    wide = int((matrix.sum(1) == 0).nonzero()[0])
    high = matrix.shape[0] // (wide + 1)
    down, right = get_anyres_image_grid_shape((image.height, image.width), model.config.image_grid_pinpoints, model.config.vision_config.image_size)
    full_w, full_h = right * across, down * across
    scale = min(full_w / image.width, full_h / image.height)
    left = (full_w - int(round(image.width * scale, 7))) // 2 if image.width / image.height <= full_w / full_h else 0
    above = (full_h - int(round(image.height * scale, 7))) // 2 if image.width / image.height > full_w / full_h else 0
    shown_w, shown_h = full_w - 2 * left, full_h - 2 * above
    cells = torch.zeros(high, wide, dtype=torch.float64)

    def spread(value, x0, y0, x1, y1):
        x0, x1 = (min(max(x, 0), wide) for x in (x0, x1))
        y0, y1 = (min(max(y, 0), high) for y in (y0, y1))
        for y in range(high):
            for x in range(wide):
                part = max(min(x1, x + 1) - max(x0, x), 0) * max(min(y1, y + 1) - max(y0, y), 0)
                if part:
                    cells[y, x] += value * part / ((x1 - x0) * (y1 - y0))

    for i in columns.long().tolist():
        tile, at = i // each - 1, i % each
        x, y = at % across, at // across
        if tile < 0:
            spread(carried[i], x * wide / across, y * high / across, (x + 1) * wide / across, (y + 1) * high / across)
            continue
        x, y = tile % right * across + x - left, tile // right * across + y - above
        spread(carried[i], x * wide / shown_w, y * high / shown_h, (x + 1) * wide / shown_w, (y + 1) * high / shown_h)
    return cells


def answer_packed(family, model, tokenizer, prompt, image, seen):
    """Of tiles that are joined to one picture the map that is carried on, tile by tile, and relevance."""
    ids = torch.tensor([tokenizer.encode(prompt).ids])
    options = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **seen, "do_sample": False, "max_new_tokens": 6}
    generated = model.generate(**options)
    beams(family, model, options)
    prefix = 1 if family == "llava_next" else 0  # CLIP's class token; its last layer is not used
    with torch.no_grad():
        outputs = model(input_ids=generated[:, :-1], **seen, output_attentions=True)
        tower = model.model.vision_tower(seen["pixel_values"][0], output_attentions=True).attentions
    tower = tower[:-1] if prefix else tower
    tiles, each = tower[0].shape[0], tower[0].shape[-1] - prefix
    at = (ids[0] == tokenizer.token_to_id("<image>")).nonzero().flatten().tolist()
    rows = torch.stack(outputs.attentions).double().mean((0, 1, 2))[ids.shape[1] - 1:, at]
    matrix = packing(model, image, seen.get("vision_aspect_ratio"), tiles, each)
    unpacked = rows @ matrix
    maps = []
    for row in unpacked.reshape(-1, tiles, each):
        parts = []
        for i in range(tiles):
            flow = rollout([layer[i] for layer in tower])[prefix:, prefix:]
            parts.append(row[i] @ (flow / flow.sum(1, keepdim=True)))
        maps.append(place_packed(model, image, matrix, torch.cat(parts), tiles, int(each ** 0.5)))
    tensors[f"{family}.encoder"] = closed(torch.stack(maps)).float()
    counted = relevance(model, generated, ids.shape[1] - 1, **seen)
    on_picture, across, shown = counted[:, at], int(each ** 0.5), tensors[f"{family}.encoder"].shape
    maps = []
    for row in on_picture:  # first all of the picture, then the joined one, with a token at the end of each row
        whole = torch.cat([row[:each], torch.zeros((tiles - 1) * each, dtype=torch.float64)])
        joined = row[each:].reshape(shown[1], shown[2] + 1)[:, :-1]
        maps.append(place_packed(model, image, matrix, whole, tiles, across) + joined)
    tensors[f"{family}.relevance"] = closed(torch.stack(maps)).float()
    tensors[f"{family}.on_picture"] = (on_picture.sum(1) / counted.sum(1)).float()
    print(family, tuple(tensors[f"{family}.encoder"].shape))


def flow_of_qwen(model, seen):
    """Its encoder does not return its attention; its patches lie in groups of four."""
    module = sys.modules[type(model).__module__]
    kept, before = [], module.eager_attention_forward
    module.eager_attention_forward = lambda *rest, **options: (lambda out: kept.append(out[1][0]) or out)(before(*rest, **options))
    with torch.no_grad():
        model.model.visual(seen["pixel_values"], grid_thw=seen["image_grid_thw"])
    module.eager_attention_forward = before
    carried = rollout(kept)
    to = torch.eye(carried.shape[0] // 4, dtype=torch.float64).repeat_interleave(4, 1)
    flow = to / 4 @ carried @ to.T
    return flow / flow.sum(1, keepdim=True)


def attentions_of_sound(model, seen):
    """Of each layer of the encoder, [H,cells,cells]; silence behind the sound is not looked at."""
    kept = []
    hooks = [layer.self_attn.register_forward_hook(lambda module, given, out: kept.append(out[1][0])) for layer in model.model.audio_tower.layers]
    frames = int(seen["feature_attention_mask"].sum())
    with torch.no_grad():
        model(input_ids=torch.full((1, (frames + 1) // 4), model.config.audio_token_id), **seen)
    for hook in hooks:
        hook.remove()
    return kept


def flows(family, model, seen):
    """[tokens,tokens] of each tile."""
    if family == "qwen2_audio":
        cells = int(seen["feature_attention_mask"].sum() + 1) // 2
        carried = rollout(attentions_of_sound(model, seen))[:cells, :cells]
        to = torch.eye(cells // 2, dtype=torch.float64).repeat_interleave(2, 1)
        flow = to / 2 @ carried[:2 * (cells // 2), :2 * (cells // 2)] @ to.T
        return [flow / flow.sum(1, keepdim=True)]
    if family in ("qwen2_vl", "qwen3_vl"):
        return [flow_of_qwen(model, seen)]
    if family.startswith("gemma4"):  # squares of 2 × 2 patches, and rows of zeros behind all of them
        places = seen["image_position_ids"][0]
        places = places[places[:, 0] >= 0]
        with torch.no_grad():
            layers = model.model.vision_tower(seen["pixel_values"], seen["image_position_ids"], output_attentions=True).attentions
        carried = rollout([layer[0, :, :len(places), :len(places)] for layer in layers])
        token = places[:, 1] // 2 * BOXES[family][0] + places[:, 0] // 2
        to = torch.nn.functional.one_hot(token).T.double()
        flow = to / 4 @ carried @ to.T
        return [flow / flow.sum(1, keepdim=True)]
    with torch.no_grad():
        if family == "idefics3":
            pixels = seen["pixel_values"][0]
            tiles = [model.model.vision_model(pixel_values=tile[None], output_attentions=True).attentions for tile in pixels]
            side, group, prefix = 4, 2, 0
        elif family in looks:
            tiles, side, group, prefix = [model.vision_model(seen["pixel_values"], output_attentions=True).attentions], 4, 1, 1
        else:
            outputs = model.model.vision_tower(seen["pixel_values"], output_attentions=True)
            tiles = [outputs.attentions[:-1] if family == "llava" else outputs.attentions]
            side, group, prefix = 4, 1, 1 if family == "llava" else 0
            if family == "gemma3_seeing":
                side, group = 8, 2
    found = []
    for tile in tiles:
        carried = rollout([layer[0] for layer in tile])[prefix:, prefix:]
        across = side // group
        to = torch.zeros(across * across, side * side, dtype=torch.float64)
        for y in range(side):
            for x in range(side):
                to[y // group * across + x // group, y * side + x] = 1
        flow = (to / to.sum(1, keepdim=True)) @ carried @ to.T
        found.append(flow / flow.sum(1, keepdim=True))
    return found


def answer(family, model, tokenizer, prompt, image, seen, rules, template, words=6, typed=False, marked=None, shown=None):
    if family.startswith(("llava_onevision", "llava_next")):
        answer_packed(family, model, tokenizer, prompt, image, seen)
    if family in SEARCHED:
        ids = torch.tensor([tokenizer.encode(prompt).ids])
        types = {"mm_token_type_ids": (ids == marked).int()} if marked else {}
        options = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **seen, **types, "do_sample": False, "max_new_tokens": 6}
        beams(family, model, options)
        if "idefics2" in family:
            answer_gathered(family, model, options, ids.shape[1] - 1, seen, tokenizer.token_to_id("<image>"))
    if family == "blip2":
        looks[family] = find_looks(model, seen)
    elif family not in BOXES:
        return
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    picture = marked or shown or tokenizer.token_to_id("<|AUDIO|>" if family == "qwen2_audio" else "<image>")

    def read(prompt, words):
        ids = torch.tensor([tokenizer.encode(prompt).ids])
        types = {"token_type_ids": torch.zeros_like(ids)} if typed else {"mm_token_type_ids": (ids == marked).int()} if marked else {"token_type_ids": (ids == shown).long()} if shown else {}
        options = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **seen, **types, "do_sample": False, "max_new_tokens": 6}
        generated = model.generate(**options) if words else ids
        if words:
            beams(family, model, options)
        if typed:
            types = {"token_type_ids": (torch.arange(generated.shape[1] - bool(words)) >= ids.shape[1]).long()[None]}
        if shown:
            types = {"token_type_ids": ((generated[:, :-1] if words else generated) == shown).long()}
        if marked:
            types = {"mm_token_type_ids": ((generated[:, :-1] if words else generated) == marked).int()}
        with torch.no_grad():
            outputs = model(input_ids=generated[:, :-1] if words else generated, **seen, **types, output_attentions=True)
        return ids, generated, outputs, getattr(outputs, "language_model_outputs", outputs).attentions, types

    ids, generated, outputs, attentions, types = read(prompt, words)
    first = ids.shape[1] - 1
    at = [i for i, token in enumerate(ids[0].tolist()) if token == picture]
    asked = at[-1] + 1
    while ids[0, asked].item() in special:
        asked += 1
    end = asked
    while end <= first and ids[0, end].item() not in special:
        end += 1
    rows = torch.stack(attentions).double().mean((0, 1, 2))[first:, at]  # [words,tokens]
    raw = closed(torch.stack([place(family, row) for row in rows]))
    _, _, _, general, _ = read(prompt.replace(references.QUESTION, NEUTRAL.replace("image", "sound") if family == "qwen2_audio" else NEUTRAL), 0)
    neutral = place(family, torch.stack(general).double().mean((0, 1, 2))[-1, at])
    flow = flows(family, model, seen)
    each = flow[0].shape[0]
    if family in looks:  # it is cells that are carried on
        carried = raw.flatten(1) @ flow[0]
        placed = carried.reshape(-1, 4, 4)
    else:
        carried = torch.cat([rows[:, i * each:(i + 1) * each] @ f for i, f in enumerate(flow)], 1)
        placed = torch.stack([place(family, row) for row in carried])
    active = activations(outputs.logits[0], generated[0].tolist(), first + 1, at, list(range(asked, end)))
    active = torch.stack([torch.from_numpy(rank_gaussian(place(family, row, mean=True).numpy())) for row in active])
    counted = relevance(model, generated, first, **seen, **types)
    tensors[f"{family}.on_picture"] = (counted[:, at].sum(1) / counted.sum(1)).float()
    maps = {"raw": raw, "relative": closed(raw / neutral), "encoder": closed(placed),
            "activation": closed(active), "relevance": closed(torch.stack([place(family, row) for row in counted[:, at]]))}
    for name, value in maps.items():
        tensors[f"{family}.{name}"] = value.float()
    print(family, {name: tuple(value.shape) for name, value in maps.items()})


# ---------------------------------------------------------------- families that caption

def caption(model, decoder, memory, pixels, **forced):
    with torch.no_grad():
        sees = getattr(model, "vision_model", None) or model.encoder
        seen = sees(pixel_values=pixels, output_attentions=True).attentions
        generated = model.generate(pixel_values=pixels, do_sample=False, max_length=12, num_beams=1)
        outputs = decoder(input_ids=generated, encoder_hidden_states=memory(pixels), output_attentions=True, **forced)
    rows = torch.stack(outputs.cross_attentions).double().mean((0, 1, 2))
    carried = (rows @ rollout([layer[0] for layer in seen]))[:, 1:]
    side = references.SIDE // references.PATCH
    tensors[f"{references.captions}.encoder"] = closed(carried.reshape(-1, side, side)).float()
    return {}


def generate_jointly(model, pixels, ids):
    """Of BLIP-2 with T5: the part of a word's row over the queries, spread as each looked; relevance is that of make_token_run.py."""
    name, nothing = references.captions, dict.fromkeys(references.SEARCHES, torch.zeros(1, 1))
    if f"{name}.raw" in tensors:  # of what is generated to the first question
        return nothing
    inputs = {"pixel_values": pixels, "input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
    Q, side = model.config.num_query_tokens, model.config.vision_config.image_size // references.PATCH
    looks[name] = find_looks(model, {"pixel_values": pixels})
    generated = model.generate(**inputs, do_sample=False, num_beams=1, max_length=12)
    with torch.no_grad():
        outputs = model(**inputs, decoder_input_ids=generated[:, :-1], output_attentions=True)
    rows = torch.stack(outputs.language_model_outputs.cross_attentions).double().mean((0, 1, 2))[:, :Q]
    raw = closed((rows @ looks[name]).reshape(-1, side, side))
    flow = flows(name, model, {"pixel_values": pixels})[0]
    counted = relevance_of(model, name, inputs, generated[0], 1)[:, :Q].double()
    tensors[f"{name}.raw"] = raw.float()
    tensors[f"{name}.encoder"] = closed((raw.flatten(1) @ flow).reshape(-1, side, side)).float()
    tensors[f"{name}.relevance"] = closed((counted @ looks[name]).reshape(-1, side, side)).float()
    return nothing


def main():
    to, only = os.path.join(references.DATA, "maps.safetensors"), sys.argv[1:]
    tensors.update(load_file(to) if only else {})
    references.answer, references.caption, references.generate_jointly = answer, caption, generate_jointly
    references.save = lambda family, *rest, **options: os.makedirs(os.path.join(references.DATA, family), exist_ok=True)
    references.rename = lambda *rest: None
    with tempfile.TemporaryDirectory() as folder:
        references.DATA = folder  # what is made on the way goes
        for make in (references.llava, references.idefics3, references.paligemma, references.gemma3_seeing, references.gemma4_seeing, references.gemma4_seeing_large, references.qwen2_vl, references.qwen3_vl, references.qwen2_audio, references.blip2, references.blip2_t5, references.llava_onevision,
                     references.llava_onevision_smaller, references.llava_next, references.idefics2, references.idefics2_whole, references.mistral3, references.pixtral, references.qwen3_vl_moe, references.qwen3_5, references.blip, references.vit_gpt2):
            if only and make.__name__ not in only:
                continue
            references.captions = make.__name__
            references.QUESTION = "what is on the table" if make.__name__ == "qwen2_vl" else "the bank of a"
            make()
        import make_moondream  # which takes what stands here
        for family in make_moondream.FAMILIES:
            if not only or family.__name__ in only:
                references.QUESTION = "the bank of a"
                tensors.update(make_moondream.maps(family))
    save_file({k: v.to(torch.int32 if v.dtype == torch.int64 else v.dtype).contiguous() for k, v in tensors.items()}, to)
    print(f"{to}: {os.path.getsize(to) // 1024} KB, {len(load_file(to))} tensors")


if __name__ == "__main__":
    main()
