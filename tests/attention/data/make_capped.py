#!/usr/bin/env python3
"""Fixtures of scores with a soft cap and of sinks, and of causal masks from either corner: results in
float64 by PyTorch, by the formulas of Hugging Face's Gemma 2 (eager_attention_forward: cap, then mask)
and gpt-oss (a sink beside the logits, dropped after the softmax).

    make_capped.py      writes NAME.in.npz, NAME.args and NAME.ref.npz beside itself
"""
import os

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def attend(query, key, value, cap=None, sinks=None, offset=None):
    groups = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(groups, dim=1) for x in (key, value))
    scores = query @ key.transpose(2, 3) / query.shape[-1] ** 0.5
    if cap:
        scores = torch.tanh(scores / cap) * cap
    if offset is not None:
        rows = torch.arange(query.shape[2])[:, None] + offset
        scores = scores.masked_fill(torch.arange(key.shape[2])[None] > rows, -torch.inf)
    if sinks is not None:
        beside = sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, beside], dim=-1)
    lse = torch.logsumexp(scores, dim=-1)
    weights = torch.softmax(scores, dim=-1)[..., : key.shape[2]].nan_to_num(0)
    return {"output": weights @ value, "weights": weights, "lse": lse}


def write(name, args, arrays, **options):
    as_written = {k: v.astype(np.float32) for k, v in arrays.items()}
    np.savez_compressed(f"{HERE}/{name}.in.npz", **as_written)
    query, key, value = (torch.from_numpy(as_written[k]).double() for k in ("query", "key", "value"))
    results = attend(query, key, value, **options)
    np.savez_compressed(f"{HERE}/{name}.ref.npz", **{k: v.numpy().astype(np.float32) for k, v in results.items()})
    with open(f"{HERE}/{name}.args", "w") as file:
        file.write(args + "\n")


def main():
    random = np.random.default_rng(7)

    def draw(heads, key_heads, queries, keys, dim, spread):
        return {"query": spread * random.standard_normal((2, heads, queries, dim)),
                "key": spread * random.standard_normal((2, key_heads, keys, dim)),
                "value": random.standard_normal((2, key_heads, keys, dim))}

    write("softcap", "--softcap 5", draw(4, 2, 13, 29, 16, 2), cap=5)
    arrays = draw(4, 1, 7, 31, 8, 1)
    sinks = np.array([0.5, -2, 3, 0], np.float32)
    write("sinks_causal", "--causal", arrays | {"sinks": sinks}, sinks=torch.from_numpy(sinks).double(), offset=24)
    write("softcap_sinks_first", "--softcap 2.5 --causal=top-left", arrays | {"sinks": sinks}, cap=2.5,
          sinks=torch.from_numpy(sinks).double(), offset=0)
    write("blind_queries", "--causal=bottom-right", draw(2, 2, 19, 11, 8, 1), offset=-8)


if __name__ == "__main__":
    main()
