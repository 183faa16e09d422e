"""Attention weights as a page, a picture, a file or a window."""
from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import webbrowser
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .arrays import Tokens, named_arrays
from .program import environment, find_program, run

Path = Union[str, "os.PathLike[str]"]


class Page:
    """A page for a browser, which a notebook shows inline: all layers and heads, without any network."""

    def __init__(self, text: str, height: int = 760):
        self.text, self.height = text, height

    def save(self, path: Path) -> None:
        with open_file(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        # apart from the notebook: what is in the frame reaches nothing outside of it
        return (f'<iframe srcdoc="{html.escape(self.text, quote=True)}" sandbox="allow-scripts allow-downloads" '
                f'style="width:100%;height:{int(self.height)}px;border:0" title="attention"></iframe>')

    def __repr__(self) -> str:
        return f"<saccade.Page of {len(self.text) / 1e6:.1f} MB>"


class Picture:
    """A PNG, which a notebook shows inline."""

    def __init__(self, png: bytes):
        self.png = png

    def save(self, path: Path) -> None:
        with open_file(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<saccade.Picture of {len(self.png) / 1e6:.1f} MB>"


open_file = open  # this module has an `open` of its own


def _words(view: Optional[str], theme: Optional[str], options: Sequence[str]) -> List[str]:
    words = list(options)
    for name, value in (("--tab", view), ("--theme", theme)):
        if value is not None:
            words += [name, value]
    return words


def _chooses_head(options: Sequence[str]) -> bool:
    return any(word.split("=")[0] in ("--layer", "--head", "--ask", "--reduce", "--tab") for word in options)


def _write_arrays(path: str, *arguments: Any) -> None:
    np.savez(path, **named_arrays(*arguments))


def save(path: Path, attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, image: Any = None,
         grid: Optional[Tuple[int, int]] = None, prefix: Optional[int] = None, view: Optional[str] = None,
         which: Optional[str] = None, theme: Optional[str] = None, options: Sequence[str] = (),
         program: Optional[str] = None) -> None:
    """Writes what `show` would show. The type follows the ending of `path`: .html, .png, .svg, .pdf, .apng, .gif, .tsv,
    .csv; or .npz, the arrays themselves, which `saccade` opens. A table is of one head: the first one of the first layer
    where `options` name none, whatever a picture would open with. The arguments are those of `page`."""
    path = os.fspath(path)
    if path.lower().endswith(".npz"):
        return _write_arrays(path, attentions, tokens, rows, image, grid, prefix, which)
    with tempfile.TemporaryDirectory(prefix="saccade-") as folder:
        name = os.path.join(folder, "attentions.npz")
        _write_arrays(name, attentions, tokens, rows, image, grid, prefix, which)
        if path.lower().endswith((".tsv", ".csv")) and view is None and not _chooses_head(options):
            options = [*options, "--layer", "0", "--head", "0"]
        run("view", name, "--no-origin", "--out", os.path.abspath(path), *_words(view, theme, options), program=program)


def page(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, image: Any = None,
         grid: Optional[Tuple[int, int]] = None, prefix: Optional[int] = None, view: Optional[str] = None,
         which: Optional[str] = None, theme: Optional[str] = None, options: Sequence[str] = (), height: int = 760,
         program: Optional[str] = None) -> Page:
    """A page of attention weights.

    attentions  see `attentions_of`
    tokens      of keys and queries; strings, or the numbers of tokens
    rows        of the queries, where they are other tokens than the keys: what a decoder generated from `tokens`
    image       a picture under the keys, with `grid` (rows, columns) of its cells and the number of tokens before them, `prefix`
    view        "heads", "matrix" or "alignment": what the page begins with
    which       "encoder", "decoder" or "cross", where a model returns several; else cross-attention is shown
    theme       "light"; else as the reader's system is set
    options     further options of `saccade view`, such as ["--layer", "3"]
    height      of the page in a notebook, in pixels
    """
    with tempfile.TemporaryDirectory(prefix="saccade-") as folder:
        name = os.path.join(folder, "page.html")
        save(name, attentions, tokens, rows, image=image, grid=grid, prefix=prefix, view=view, which=which, theme=theme,
             options=options, program=program)
        with open_file(name, encoding="utf-8") as file:
            return Page(file.read(), height)


def picture(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *,
            size: Tuple[int, int] = (1280, 800), options: Sequence[str] = (), **how: Any) -> Picture:
    """A PNG of `size` pixels. The other arguments are those of `page`."""
    with tempfile.TemporaryDirectory(prefix="saccade-") as folder:
        name = os.path.join(folder, "picture.png")
        save(name, attentions, tokens, rows, options=["--size", f"{size[0]}x{size[1]}", *options], **how)
        with open_file(name, "rb") as file:
            return Picture(file.read())


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


def show(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, png: bool = False, **how: Any) -> None:
    """Shows the page in the notebook, or elsewhere in the web browser; with `png` a picture. The other arguments are those
    of `page`."""
    shown = picture(attentions, tokens, rows, **how) if png else page(attentions, tokens, rows, **how)
    if _in_notebook():
        from IPython.display import display
        display(shown)
        return
    handle, name = tempfile.mkstemp(prefix="saccade-", suffix=".png" if png else ".html")
    os.close(handle)
    shown.save(name)
    print(name)
    webbrowser.open("file://" + name)


def open(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, image: Any = None,  # noqa: A001
         grid: Optional[Tuple[int, int]] = None, prefix: Optional[int] = None, view: Optional[str] = None,
         which: Optional[str] = None, theme: Optional[str] = None, options: Sequence[str] = (),
         program: Optional[str] = None) -> "subprocess.Popen[bytes]":
    """Opens Saccade's window on the weights and returns at once; the arguments are those of `page`. The arrays lie in a
    folder of their own until the window is closed."""
    found = find_program(program)
    folder = tempfile.mkdtemp(prefix="saccade-")
    name = os.path.join(folder, "attentions.npz")
    try:
        _write_arrays(name, attentions, tokens, rows, image, grid, prefix, which)
        window = subprocess.Popen([found, "view", name, *_words(view, theme, options)], env=environment())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

    def tidy() -> None:
        window.wait()
        shutil.rmtree(folder, ignore_errors=True)

    threading.Thread(target=tidy, daemon=True).start()
    return window
