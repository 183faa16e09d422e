"""Attention weights as a page, a picture, a file or a window."""
from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import uuid
import webbrowser
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from .arrays import Grid, Tokens, axes_of, named_arrays
from .program import environment, find_program, run

Path = Union[str, "os.PathLike[str]"]


# The page sends the notebook its height; where no script runs, the frame stays at its first height.
_FRAME = """<iframe id="{name}" srcdoc="{text}" sandbox="allow-scripts allow-downloads" title="attention"
style="width:{width};height:{height}px;border:0"></iframe>"""
_FITTED = """<script>(() => {{
  const frame = document.getElementById("{name}");
  window.addEventListener("message", (event) => {{
    if (event.source === frame.contentWindow && event.data && event.data.saccadeHeight > 0)
      frame.style.height = Math.min(event.data.saccadeHeight, 8000) + "px";
  }});
}})();</script>"""
_FIRST_HEIGHT = 760


class Page:
    """A page for a browser, which a notebook shows inline: all layers and heads, without any network. Without a `height` in
    pixels it has the height that it needs; `width` is in pixels, or what CSS reads ("60%")."""

    def __init__(self, text: str, height: Optional[int] = None, width: Union[int, str, None] = None):
        self.text, self.height, self.width = text, height, width

    def save(self, path: Path) -> None:
        with open_file(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        # apart from the notebook: what is in the frame reaches nothing outside of it, and sends its height alone
        name = "saccade-" + uuid.uuid4().hex
        width = "100%" if self.width is None else f"{self.width}px" if isinstance(self.width, int) else self.width
        frame = _FRAME.format(name=name, text=html.escape(self.text, quote=True), width=html.escape(width, quote=True),
                              height=_FIRST_HEIGHT if self.height is None else int(self.height))
        return frame + (_FITTED.format(name=name) if self.height is None else "")

    def __repr__(self) -> str:
        return f"<saccade.Page of {len(self.text) / 1e6:.1f} MB>"


class Picture:
    """A PNG, which a notebook shows inline, `shown` pixels wide (its own, where there is none). `save` writes it, or what it
    shows as another type, by the ending of the path: .svg, .pdf, .png …"""

    def __init__(self, png: bytes, shown: Optional[int] = None, write: Optional[Callable[[Path], None]] = None):
        self.png, self.shown, self._write = png, shown, write

    def save(self, path: Path) -> None:
        if self._write is not None and not os.fspath(path).lower().endswith(".png"):
            return self._write(path)
        with open_file(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self) -> Any:
        return (self.png, {"width": self.shown}) if self.shown else self.png

    def __repr__(self) -> str:
        return f"<saccade.Picture of {len(self.png) / 1e6:.1f} MB>"


open_file = open  # this module has an `open` of its own


Panels = Sequence[Union[Tuple[int, int], str]]


def _panels_of(panels: Panels) -> str:
    """[(3, 5), (0, 1)] as the program takes them: "layer 3, head 5; layer 0, head 1"."""
    return "; ".join(panel if isinstance(panel, str) else f"layer {int(panel[0])}, head {int(panel[1])}" for panel in panels)


def _width_of(width: Union[int, str]) -> str:
    return f"{width}px" if isinstance(width, int) else width


def _words(view: Optional[str], theme: Optional[str], options: Sequence[str], layer: Optional[int] = None,
           head: Optional[int] = None, width: Union[int, str, None] = None, panels: Optional[Panels] = None,
           axes: Optional[str] = None) -> List[str]:
    words = list(options)
    for name, value in (("--tab", view), ("--theme", theme), ("--layer", layer), ("--head", head), ("--axes", axes),
                        ("--width", None if width is None else _width_of(width)),
                        ("--pin", None if panels is None else _panels_of(panels))):
        if value is not None:
            words += [name, str(value)]
    return words


def _chooses_head(words: Sequence[str]) -> bool:
    return any(word.split("=")[0] in ("--layer", "--head", "--ask", "--reduce", "--tab") for word in words)


def _write_arrays(path: str, *arguments: Any) -> Optional[str]:
    """Writes the file that the program reads. Returns the axes that follow from the tokens, where the number of axes alone
    would mean others; None: it does."""
    arrays = named_arrays(*arguments)
    np.savez(path, **arrays)
    return axes_of(arrays)


def save(path: Path, attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, image: Any = None,
         grid: Optional[Grid] = None, prefix: Optional[int] = None, view: Optional[str] = None,
         which: Optional[str] = None, theme: Optional[str] = None, layer: Optional[int] = None, head: Optional[int] = None,
         width: Union[int, str, None] = None, panels: Optional[Panels] = None, axes: Optional[str] = None,
         options: Sequence[str] = (), program: Optional[str] = None) -> None:
    """Writes what `show` would show. The type follows the ending of `path`: .html, .png, .svg, .pdf, .webp, .apng, .gif,
    .tsv, .csv; or .npz, the arrays themselves, which `saccade` opens. A picture is a figure: the heads, or the view that is
    named, with the names of its axes and its legend; a PDF, and a `width` in millimetres, are on white. A table is of one
    head: the first one of the first layer where none is named, whatever a picture would open with. The arguments are those
    of `page` and `figure`."""
    path = os.fspath(path)
    if path.lower().endswith(".npz"):
        _write_arrays(path, attentions, tokens, rows, image, grid, prefix, which)
        return
    with tempfile.TemporaryDirectory(prefix="saccade-") as folder:
        name = os.path.join(folder, "attentions.npz")
        known = _write_arrays(name, attentions, tokens, rows, image, grid, prefix, which)
        words = _words(view, theme, options, layer, head, width, panels, axes or known)
        if path.lower().endswith((".tsv", ".csv")) and not _chooses_head(words):
            words += ["--layer", "0", "--head", "0"]
        run("view", name, "--no-origin", "--out", os.path.abspath(path), *words, program=program)


def page(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *,
         width: Union[int, str, None] = None, height: Optional[int] = None, **how: Any) -> Page:
    """A page of attention weights.

    attentions  see `attentions_of`
    tokens      of keys and queries; strings, or the numbers of tokens
    rows        of the queries, where they are other tokens than the keys: what a decoder generated from `tokens`
    image       a picture under the keys, with the number of tokens before its cells, `prefix`, and their
    grid        (rows, columns); or "WxH", columns and rows, as on the command line: (10, 14) is "14x10"
    view        "heads", "matrix" or "alignment": what the page begins with
    layer, head what it begins with
    which       "encoder", "decoder" or "cross", where a model returns several; else cross-attention is shown
    axes        of an array, where they are others than those of `attentions_of`, a letter each: B item, L layer, H head,
                Q query, K key
    theme       "light"; else as the reader's system is set
    options     further options of `saccade view`, such as ["--reduce", "mean"]
    width       of the page in a notebook, in pixels, or "60%"; else all there is
    height      of the page in a notebook, in pixels; else as high as it is
    """
    with tempfile.TemporaryDirectory(prefix="saccade-") as folder:
        name = os.path.join(folder, "page.html")
        save(name, attentions, tokens, rows, **how)
        with open_file(name, encoding="utf-8") as file:
            return Page(file.read(), height, width)


def picture(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *,
            size: Optional[Tuple[int, int]] = None, options: Sequence[str] = (), **how: Any) -> Picture:
    """What `save` would write as a PNG; with `size` of that many pixels. The other arguments are those of `save`."""
    if size is not None:
        options = ["--size", f"{size[0]}x{size[1]}", *options]

    def write(path: Path) -> None:
        save(path, attentions, tokens, rows, options=options, **how)

    with tempfile.TemporaryDirectory(prefix="saccade-") as folder:
        name = os.path.join(folder, "picture.png")
        write(name)
        with open_file(name, "rb") as file:
            png = file.read()
    pixels = int.from_bytes(png[16:20], "big")  # of a PNG's header; a figure is drawn finer than a screen
    width = how.get("width")
    fine = 300 / 96 if isinstance(width, str) and width.endswith("mm") else 2
    return Picture(png, round(pixels / fine) if size is None and not isinstance(width, int) else None, write)


def figure(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, width: Union[int, str] = "90mm",
           view: Optional[str] = None, layer: Optional[int] = None, head: Optional[int] = None,
           panels: Optional[Panels] = None, **how: Any) -> Picture:
    """A figure for a paper, on white: the weights of a head with their words, the names of the axes and the scale.

        saccade.figure(attn, tokens, layer=3, head=5).save("figure.pdf")
        saccade.figure(attn, tokens, panels=[(3, 5), (0, 1)], width="180mm")

    layer, head of the weights; without them those that a window opens with
    panels      up to four pairs of layer and head: (a), (b), (c), (d), beside each other where the width has room, on one
                scale; or strings of settings, such as "layer 3, head 5, scale shared"
    view        "matrix" (default), "heads" for all of them, "alignment" for lines between words
    width       in millimetres, "90mm", or in pixels
    theme       "dark" for another ground
    The other arguments are those of `page`.
    """
    how.setdefault("theme", "light")
    return picture(attentions, tokens, rows, width=width, view=view or "matrix", layer=layer, head=head, panels=panels, **how)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


def show(attentions: Any, tokens: Optional[Tokens] = None, rows: Optional[Tokens] = None, *, png: bool = False, **how: Any) -> None:
    """Shows the page in the notebook, or elsewhere in the web browser; with `png` a picture. The other arguments are those
    of `page`, or of `picture`."""
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
         grid: Optional[Grid] = None, prefix: Optional[int] = None, view: Optional[str] = None,
         which: Optional[str] = None, theme: Optional[str] = None, layer: Optional[int] = None, head: Optional[int] = None,
         axes: Optional[str] = None, options: Sequence[str] = (), program: Optional[str] = None) -> "subprocess.Popen[bytes]":
    """Opens Saccade's window on the weights and returns at once; the arguments are those of `page`. The arrays lie in a
    folder of their own until the window is closed."""
    found = find_program(program)
    folder = tempfile.mkdtemp(prefix="saccade-")
    name = os.path.join(folder, "attentions.npz")
    try:
        known = _write_arrays(name, attentions, tokens, rows, image, grid, prefix, which)
        words = _words(view, theme, options, layer, head, axes=axes or known)
        window = subprocess.Popen([found, "view", name, *words], env=environment())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

    def tidy() -> None:
        window.wait()
        shutil.rmtree(folder, ignore_errors=True)

    threading.Thread(target=tidy, daemon=True).start()
    return window
