"""Attention weights, shown: in a notebook, in a browser, in a window, as files.

    import saccade
    saccade.show(outputs, tokens)                 # in a notebook: a page of all layers and heads
    saccade.save("heads.html", outputs, tokens)   # the same as a file; also .png .svg .pdf .webp .tsv .npz
    saccade.figure(outputs, tokens, layer=3, head=5).save("figure.pdf")     # for a paper: .pdf .svg .png
    saccade.open(outputs, tokens)                 # in Saccade's window

`outputs` is an array of weights, a list of one a layer, what transformers' models and `generate()` return, or anything
else that `attentions_of` reads: of NumPy, PyTorch (on any device, in any type) or what NumPy can read. The program
`saccade` does the work; `find_program` documents where it is looked for.
"""
from typing import TYPE_CHECKING, Any

from .program import ProgramNotFound, SaccadeError, find_program, run

if TYPE_CHECKING:
    from .arrays import attentions_of
    from .pages import Page, Picture, figure, open, page, picture, save, show

__all__ = ["attentions_of", "figure", "find_program", "open", "page", "picture", "run", "save", "show", "Page", "Picture",
           "ProgramNotFound", "SaccadeError"]


def __getattr__(name: str) -> Any:
    """What needs NumPy, when it is asked for: the command `saccade` starts without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import arrays, pages
    value = globals()[name] = getattr(pages if hasattr(pages, name) else arrays, name)
    return value


def __dir__() -> "list[str]":
    return sorted([*globals(), *__all__])
