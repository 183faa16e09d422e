"""What libraries call attention, as the named arrays that the program reads."""
from __future__ import annotations

import os
import re
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

#: The attentions that models of transformers return, by the names of their fields.
KINDS = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
#: Numbers of either sign, which are no attention.
SIGNED = "attributions"

Tokens = Sequence[Union[str, int]]
#: (rows, columns), or "WxH"
Grid = Union[Tuple[int, int], str]


def array_of(value: Any) -> np.ndarray:
    """A tensor of any library as an array of NumPy. What NumPy has no type for (bfloat16, float8) becomes float32."""
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu()
        if value.is_floating_point() and str(value.dtype) not in ("torch.float16", "torch.float32", "torch.float64"):
            value = value.float()
        return value.numpy()
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":  # such as JAX's bfloat16 of ml_dtypes
        array = array.astype(np.float32)
    return array


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and not np.isscalar(value[0])


def _depth(value: Any) -> int:
    """Lists around an array: 1 for layers, 2 for layers of steps."""
    depth = 0
    while _is_list(value):
        value = value[0]
        depth += 1
    return depth


def _numbers_in_lists(kind: str, value: Any) -> dict[str, np.ndarray]:
    """Lists of numbers as one array; as steps of layers of arrays where a generation made them of several lengths."""
    def rectangle(lists: Any) -> Optional[np.ndarray]:
        try:
            array = np.asarray(lists, np.float64)
        except (TypeError, ValueError):
            return None
        return array if array.ndim <= 5 else None
    whole = rectangle(value)
    if whole is not None:
        return {kind: whole.astype(np.float32)}
    arrays = {}
    for step, layers in enumerate(value):
        for layer, one in enumerate(layers if isinstance(layers, (list, tuple)) else [layers]):
            array = rectangle(one)
            if array is None or array.ndim < 2:
                raise ValueError(f"{kind}: its lists of numbers are of several lengths; give an array, or layers of arrays")
            arrays[f"{kind}.step_{step}.layer_{layer}"] = array.astype(np.float32)
    return arrays


def _named(kind: str, value: Any) -> dict[str, np.ndarray]:
    depth = 0 if hasattr(value, "shape") else _depth(value)
    if depth == 0:
        return {kind: array_of(value)}
    leaf = value
    while isinstance(leaf, (list, tuple)) and len(leaf):
        leaf = leaf[0]
    if np.isscalar(leaf):
        return _numbers_in_lists(kind, value)
    if depth == 1:
        arrays = {f"{kind}.{layer}": array_of(one) for layer, one in enumerate(value) if one is not None}
    elif depth == 2:
        arrays = {f"{kind}.step_{step}.layer_{layer}": array_of(one)
                  for step, layers in enumerate(value) for layer, one in enumerate(layers) if one is not None}
    else:
        arrays = {kind: array_of(value)}
    if not arrays:
        raise ValueError(f"{kind}: holds no weights; ask the model for them with output_attentions=True "
                         "(and attn_implementation=\"eager\")")
    return arrays


def _field(attentions: Any, name: str) -> Any:
    """What a model's output, or a mapping, has under that name; None: it has none."""
    if isinstance(attentions, Mapping):
        return attentions.get(name)
    return None if hasattr(attentions, "shape") else getattr(attentions, name, None)


def _sequences_of(attentions: Any, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """By `generate()` with beams: which beam each step of a sequence is of, as one more array."""
    steps = [array for name, array in arrays.items() if ".step_" in name]
    beams, sequences = _field(attentions, "beam_indices"), _field(attentions, "sequences")
    if beams is not None:
        return {"beam_indices": array_of(beams)}
    if steps and sequences is not None and steps[0].ndim == 4 and len(sequences) != len(steps[0]):
        raise ValueError(f"beam_indices: are missing, with {len(steps[0])} items for {len(sequences)} sequences; give all "
                         "that generate() returned, or generate with num_beams=1")
    return {}


def attentions_of(attentions: Any) -> dict[str, np.ndarray]:
    """The arrays of weights in `attentions`, by name:

    - attributions of either sign, likewise, or [T] or [T,h,w]: on a scale with zero in its middle;
    - an array, or lists of numbers, [Tq,Tk], [H,Tq,Tk], [B,H,Tq,Tk] or [L,B,H,Tq,Tk]; with one list of tokens for all
      [L,H,Tq,Tk] too;
    - a list of one a layer, [B,H,Tq,Tk] each, as models of transformers return them;
    - a tuple of steps, each a tuple of layers, as `generate()` returns them;
    - an object or a mapping that has some of `attentions`, `encoder_attentions`, `decoder_attentions` and
      `cross_attentions`: what a model, or `generate(return_dict_in_generate=True, output_attentions=True)`, returns.
      Of a beam search its `beam_indices` are followed.
    """
    found = {}
    for kind in KINDS:
        value = _field(attentions, kind)
        if value is not None:
            found.update(_named(kind, value))
    if found:
        return found
    if isinstance(attentions, Mapping) or (not _is_list(attentions) and not hasattr(attentions, "shape")
                                           and not hasattr(attentions, "__array__")):
        raise ValueError("attentions: has none of " + ", ".join(KINDS) + "; ask the model for them with "
                         "output_attentions=True (and attn_implementation=\"eager\")")
    arrays = _named("attentions", attentions)
    if any(array.dtype.kind == "f" and array.size and np.nanmin(array) < -1e-6 for array in arrays.values()):
        return {name.replace("attentions", "attributions", 1): array for name, array in arrays.items()}
    return arrays


def image_of(image: Any) -> np.ndarray:
    """A picture as uint8 [H,W,3]: of PIL, a file, an array [H,W,3], or a tensor [3,H,W]; numbers from 0 to 1 or to 255."""
    if isinstance(image, (str, os.PathLike)):
        from PIL import Image
        image = Image.open(image)
    if hasattr(image, "convert"):  # PIL
        return np.asarray(image.convert("RGB"))
    array = array_of(image)
    if array.ndim == 3 and array.shape[0] in (1, 3) and array.shape[-1] not in (1, 3):
        array = np.moveaxis(array, 0, -1)
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.shape[-1] not in (1, 3, 4):
        raise ValueError(f"image: has the shape {list(array.shape)}; give [H,W,3] or [3,H,W]")
    if array.dtype.kind == "f":
        if array.size and (array.min() < 0 or array.max() > 255):
            raise ValueError("image: its numbers are not those of a picture; give them from 0 to 1, before they are normalized")
        array = np.rint(array * (255 if array.max() <= 1 else 1))
    array = array.astype(np.uint8)[..., :3]
    return np.repeat(array, 3, axis=-1) if array.shape[-1] == 1 else array


def labels_of(tokens: Any, name: str) -> np.ndarray:
    """Tokens as text: strings, or the numbers of tokens; [T], or [B,T] for each item."""
    if hasattr(tokens, "detach"):
        tokens = array_of(tokens)
    labels = np.asarray(tokens)
    if labels.dtype.kind == "O":
        raise ValueError(f"{name}: holds {type(np.ravel(labels)[0]).__name__}; give strings or whole numbers, "
                         "and as many for each item")
    if labels.dtype.kind not in "Uiu" or labels.ndim not in (1, 2):
        raise ValueError(f"{name}: give a list of strings or of whole numbers")
    return labels


def _chosen(arrays: dict[str, np.ndarray], which: Optional[str]) -> Tuple[str, dict[str, np.ndarray]]:
    """The arrays of one kind of attention, and the kind: the one asked for ("cross" is short for "cross_attentions"), or
    what a person asks a model for first."""
    def of(kind: str) -> dict[str, np.ndarray]:
        return {name: array for name, array in arrays.items() if name.split(".")[0] == kind}
    if which is None:
        kind = next(kind for kind in ("attentions", "cross_attentions", "decoder_attentions", "encoder_attentions", SIGNED)
                    if of(kind))
    else:
        kind = which if which in KINDS else which + "_attentions"
    if not of(kind):
        there = [other for other in KINDS if of(other)]
        raise ValueError(f"which: there is no {which!r}; give one of " + ", ".join(there))
    return kind, of(kind)


def _fit(labels: np.ndarray, count: int, first: bool) -> np.ndarray:
    """One label more than there are: `generate()` returns the start and the last token beside those that attend."""
    if labels.shape[-1] != count + 1:
        return labels
    return labels[..., 1:] if first else labels[..., :-1]


def grid_of(grid: Grid) -> np.ndarray:
    """(rows, columns) as they are; "14x10" is width and height, columns and rows, as on the command line."""
    if isinstance(grid, str):
        sides = re.fullmatch(r"\s*(\d+)\s*[x×]\s*(\d+)\s*", grid)
        if not sides:
            raise ValueError(f'grid: {grid!r} is not "WxH", such as "14x10", which has 14 columns and 10 rows')
        grid = int(sides.group(2)), int(sides.group(1))
    if len(grid) != 2 or any(side != int(side) or side < 1 for side in grid):
        raise ValueError(f'grid: {grid!r} is not (rows, columns), nor "WxH"')
    return np.array(grid, np.int64)


def named_arrays(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, image: Any = None,
                 grid: Optional[Grid] = None, prefix: Optional[int] = None,
                 which: Optional[str] = None) -> dict[str, np.ndarray]:
    """All that the program is given, as arrays of an .npz (saccade-arrays(5)).

    `tokens` are those of the keys, and of the queries too where `rows` does not name them. Of an encoder and a decoder
    `tokens` are what was read and `rows` what was generated, whichever attention is chosen. A list that is one longer than
    the map, as `generate()` returns it, loses its last token, whose attention was never computed; that of the words which
    cross-attention generates its first, the start.
    """
    kind, arrays = _chosen(attentions_of(attentions), which)
    keys = max(array.shape[-1] for array in arrays.values())
    steps = [array.shape[-2] if array.ndim > 1 else 1 for array in arrays.values()]
    layers = len({name.split("layer_")[-1] for name in arrays})
    generated = any(".step_" in name for name in arrays)
    queries = sum(steps) // layers if generated else max(steps)
    if kind != "encoder_attentions":
        beams = _sequences_of(attentions, arrays)
        for indices in beams.values():  # a search goes on after the best sequence has ended
            unused = len(arrays) // layers - int((indices >= 0).sum(-1).max())
            queries -= unused
            keys -= 0 if kind == "cross_attentions" else unused
        arrays.update(beams)
    if generated and kind != "cross_attentions" and keys < queries:  # of a sliding window
        keys = queries
    if kind == "decoder_attentions" and rows is not None:
        tokens, rows = rows, None
    elif kind == "encoder_attentions":
        rows = None
    if tokens is not None:
        arrays["tokens" if rows is None else "columns"] = _fit(labels_of(tokens, "tokens"), keys, False)
    if rows is not None:
        arrays["rows"] = _fit(labels_of(rows, "rows"), queries, kind == "cross_attentions")
    if image is not None:
        arrays["image"] = image_of(image)
    if grid is not None:
        arrays["grid"] = grid_of(grid)
    if prefix is not None:
        arrays["prefix"] = np.array(prefix, np.int64)
    return arrays


def axes_of(arrays: Mapping[str, np.ndarray]) -> Optional[str]:
    """The axes of one array, where tokens or a picture mean others than the number of axes does: one list of tokens for all
    of [N,H,T,T] is of layers, which read the same text, a list for each of [N,T,T] is of items. None: no others."""
    found = [array for name, array in arrays.items() if name.split(".")[0] in KINDS]
    if len(found) != 1 or any(".step_" in name for name in arrays) or found[0].ndim < 2 or found[0].shape[0] == 1:
        return None
    array = found[0]
    labels = [arrays[name] for name in ("tokens", "columns", "rows") if name in arrays]
    lists = max((one.shape[0] if one.ndim == 2 else 1 for one in labels), default=0)
    if array.ndim == 4 and (lists == 1 or (lists == 0 and "image" in arrays)):
        return "LHQK"
    if array.ndim == 3 and lists > 1 and lists == array.shape[0]:
        return "BQK"
    return None
