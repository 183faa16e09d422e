#!/usr/bin/env python3
"""Files of PyTorch in data/, each with a .npz of the arrays that are to come out of it, and arrays of
Python's objects:

    python3 tests/arrays/make_torch.py tests/arrays/data

By PyTorch 2.15 and NumPy 2.4. bfloat16, which NumPy has not, is float32 in the .npz.
"""
import argparse
import collections
import io
import struct
import sys
import warnings
import zipfile

import numpy as np
import torch


def save(folder, name, value, arrays, **options):
    torch.save(value, f"{folder}/{name}.pt", **options)
    np.savez_compressed(f"{folder}/{name}.npz", **{
        key: array.detach().float().numpy() if isinstance(array, torch.Tensor) and array.dtype == torch.bfloat16
        else array.detach().numpy() if isinstance(array, torch.Tensor) else np.asarray(array)
        for key, array in arrays.items()})


def deflate(path, big_endian=False):
    """The same archive with its members packed; and as a machine of the other byte order writes it."""
    with zipfile.ZipFile(path) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            if big_endian and name.endswith("/byteorder"):
                content = b"big"
            if big_endian and "/data/" in name:
                content = np.frombuffer(content, "<f4").astype(">f4").tobytes()
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def layouts():
    base = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    shared = torch.arange(10, dtype=torch.float32)
    return {
        "transposed": base.transpose(0, 2),
        "expanded": torch.tensor([[1.0], [2.0]]).expand(2, 3),
        "first_half": shared[:5],
        "second_half": shared[5:],
        "every_third": shared[1::3],
        "empty": torch.zeros(0, 4),
        "no_rows_of_none": torch.zeros(3, 0),
        "scalar": torch.tensor(2.5),
        "parameter": torch.nn.Parameter(torch.tensor([1.0, -2.0])),
    }


def types():
    tensors = {str(t).removeprefix("torch."): torch.tensor([0, 1, 2, 3]).to(t) for t in [
        torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
        torch.int8, torch.uint8, torch.bool, torch.uint16, torch.uint32, torch.uint64]}
    marked = torch.nn.Parameter(torch.tensor([7.0]))
    marked.colour = "red"
    named = torch.tensor([8.0])
    named.colour = "red"
    return tensors | {"marked": marked, "named": named}


class Output(collections.OrderedDict):
    """As the outputs of transformers: a class of its own, into which items are put."""


def main(folder):
    torch.manual_seed(0)
    save(folder, "torch_layouts", layouts(), layouts())
    save(folder, "torch_types", types(), types())

    weights = collections.OrderedDict((f"layer.{i}.weight", torch.randn(2, 3)) for i in range(2))
    save(folder, "torch_old", weights, weights, _use_new_zipfile_serialization=False)
    save(folder, "torch_packed", weights, weights)
    deflate(f"{folder}/torch_packed.pt")
    save(folder, "torch_big_endian", weights, weights)
    deflate(f"{folder}/torch_big_endian.pt", big_endian=True)
    training = {"epoch": 3, "state_dict": collections.OrderedDict((f"module.{k}", v) for k, v in weights.items()),
                "args": argparse.Namespace(rate=0.1), "best": np.float64(0.5),
                "optimizer": {"state": {0: {"step": torch.tensor(1.0)}}, "param_groups": [{"lr": 0.1}]}}
    save(folder, "torch_training", training, weights)

    heads = [torch.softmax(torch.randn(1, 2, 3, 3), -1) for _ in range(2)]
    save(folder, "torch_tensor", heads[0], {"array": heads[0]})
    save(folder, "torch_tuple", tuple(heads), {f"arr_{i}": h for i, h in enumerate(heads)})
    output = Output(attentions=tuple(heads), last_hidden_state=torch.ones(1, 3, 2))
    Output.__module__, sys.modules["other"] = "other", sys.modules[__name__]
    save(folder, "torch_output",
         {"output": output, "tokens": ["the", "cat", "sät"], "scale": 0.5, "count": 3, "causal": True,
          "spans": [[0, 1], [1, 3]], "ragged": [["a"], ["b", "c"]], "sizes": torch.Size([1, 2]),
          "numpy": np.arange(6, dtype=">i2").reshape(2, 3).T, "words": np.array(["a", "bc"]),
          "objects": np.array(["x", "yz"], dtype=object),
          "nothing": None, "set": {1, 2}, "f8": torch.zeros(2).to(torch.float8_e4m3fn),
          "complex": torch.zeros(2, dtype=torch.complex64), "sparse": torch.eye(2).to_sparse(),
          "negative": torch._neg_view(torch.ones(2)),
          (1, 2): torch.ones(1)},
         {"output.attentions.0": heads[0], "output.attentions.1": heads[1],
          "output.last_hidden_state": torch.ones(1, 3, 2), "tokens": ["the", "cat", "sät"], "scale": 0.5, "count": 3,
          "causal": True, "spans": [[0, 1], [1, 3]], "ragged.0": ["a"], "ragged.1": ["b", "c"], "sizes": [1, 2],
          "numpy": np.arange(6, dtype="i2").reshape(2, 3).T, "words": ["a", "bc"], "objects": ["x", "yz"]})

    module = torch.jit.script(torch.nn.Linear(2, 1))
    torch.jit.save(module, f"{folder}/torch_script.pt")
    torch.save(argparse.Namespace(rate=0.1), f"{folder}/torch_object.pt")

    texts = np.array([["the", np.str_("cat")], [b"sat", "schön"]], dtype=object)
    numbers = np.array([1, 2.5, True], dtype=object)
    np.savez_compressed(f"{folder}/objects_read.npz", texts=texts, columns=np.asfortranarray(texts), numbers=numbers,
                        one=np.array("word", dtype=object), strings=np.array(["a", "bc"], dtype=np.dtypes.StringDType()))
    # The names that NumPy had before 2.0, by protocol 3.
    plain = io.BytesIO()
    np.save(plain, np.array(["the", "cat"], dtype=object))
    content = plain.getvalue()
    old = content.replace(b"\x8c\x16numpy._core.multiarray", b"\x8c\x15numpy.core.multiarray")
    at = old.index(b"\x80\x04\x95") + 3
    old = old[:at] + struct.pack("<Q", len(old) - at - 8) + old[at + 8:]
    with open(f"{folder}/objects_numpy1.npy", "wb") as file:
        file.write(old)
    # Arrays within objects: of a list of layers, and of a dict that numpy.save was given.
    layers = np.empty(3, dtype=object)
    layers[:] = [np.full((1, 2, 2), 1.5, np.float32), None, np.full((1, 2, 2), 2.5, np.float32)]
    np.savez_compressed(f"{folder}/objects_layers.npz", attn=layers,
                        all=np.array({"attn": np.ones((2, 2)), "tokens": ["a", "b"]}, dtype=object))
    np.save(f"{folder}/objects_dict.npy", {"attn": np.eye(2), "tokens": ["a", "b"], "heads": 4})
    # One array beside members of all kinds that are not read.
    with zipfile.ZipFile(f"{folder}/beside.npz", "w") as archive:
        for name, array in [("attentions", np.eye(3, dtype=np.float32)[None]),
                            ("config", np.array({"heads": 2})), ("ragged", np.array([[1], [2, 3]], dtype=object)),
                            ("complex", np.zeros(2, np.complex64)), ("records", np.zeros(2, "f4,i4"))]:
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array)
        archive.writestr("readme.txt", "hello, world")
        archive.writestr("folder/", "")
        with archive.open("folder/inner.npy", "w") as file:
            np.lib.format.write_array(file, np.arange(3.0))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1])
