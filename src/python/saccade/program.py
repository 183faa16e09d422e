"""The program `saccade`: where it is, its surroundings, and running it."""
from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from typing import Mapping, Optional
from xml.sax.saxutils import escape

# inside a wheel
_package = os.path.dirname(os.path.abspath(__file__))
_own_program = os.path.join(_package, "bin", "saccade")
_own_fonts = os.path.join(_package, "share", "fonts")


class SaccadeError(RuntimeError):
    """The program failed; has its message."""


class ProgramNotFound(SaccadeError):
    """The program is not installed."""


def _first_program(asked: Optional[str], *places: Optional[str]) -> str:
    for path in [asked] if asked else places:
        found = path and shutil.which(path)
        if found:
            return found
    raise ProgramNotFound((f"{asked}: is no program" if asked else "the program saccade is not installed") +
                          "; install Saccade's package or build it (see its README.md), put it on the PATH, or set "
                          "SACCADE to its path")


def find_program(program: Optional[str] = None) -> str:
    """The path of the program: `program` itself, the environment variable SACCADE, the one inside this package (that
    of a wheel), beside this Python, or on the PATH."""
    return _first_program(program or os.environ.get("SACCADE"), _own_program,
                          os.path.join(sysconfig.get_path("scripts") or "", "saccade"), "saccade")


def _is_private(folder: str) -> bool:
    """No other user (but root) can write to it, or put another in its place by a folder above."""
    place, protected = os.path.realpath(folder), 0
    while True:
        info = os.stat(place)
        if info.st_uid not in (0, os.geteuid()) or (info.st_mode & 0o022 and not info.st_mode & protected):
            return False
        if place == "/":
            return True
        place, protected = os.path.dirname(place), stat.S_ISVTX  # there users replace only what is their own


def _kept(files: Mapping[str, str]) -> str:
    """A folder of the cache with these files. Its name follows from what they hold: one that is there is the right one.
    Drivers are loaded by it, so another folder stands in where the cache is not the user's own."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    try:
        os.makedirs(folder, exist_ok=True)
        for name in ("saccade", "python", hashlib.sha256(repr(files).encode()).hexdigest()[:16]):
            folder = os.path.join(folder, name)
            os.makedirs(folder, 0o700, exist_ok=True)
        usable = _is_private(folder) and os.access(folder, os.W_OK)
    except OSError:
        usable = False
    if not usable:
        folder = tempfile.mkdtemp(prefix="saccade-")
    for name, text in files.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(f"{path}.{os.getpid()}", path)  # atomic: other processes may do the same now
    return folder


def _fonts(own: str) -> dict[str, str]:
    """The wheel's fonts beside those of the system, which may have none."""
    if "FONTCONFIG_FILE" in os.environ or not os.path.isdir(own):
        return {}
    return {"FONTCONFIG_FILE": os.path.join(_kept({"fonts.conf": f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>{escape(own)}</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""}), "fonts.conf")}


def _drivers(system: str) -> dict[str, str]:
    """The driver of the package saccade-pocl beside those of the system, unless PoCL is one of them: a process holds
    one. Nothing where a variable names drivers already."""
    if "OCL_ICD_VENDORS" in os.environ or "OCL_ICD_FILENAMES" in os.environ:
        return {}
    try:
        import saccade_pocl
    except ImportError:
        return {}
    drivers = {}
    for name in sorted(os.listdir(system)) if os.path.isdir(system) else []:
        if name.endswith(".icd"):
            with open(os.path.join(system, name), encoding="utf-8", errors="replace") as file:
                drivers[name] = file.read()
    if any("libpocl" in library for library in drivers.values()):
        return {}
    drivers["saccade-pocl.icd"] = saccade_pocl.library + "\n"
    found = {"OCL_ICD_VENDORS": _kept(drivers)}
    for variable, folder in saccade_pocl.folders.items():
        found[variable] = os.pathsep.join(filter(None, [folder, os.environ.get(variable)]))
    return found


def environment(fonts: str = _own_fonts, drivers: str = "/etc/OpenCL/vendors") -> dict[str, str]:
    """That of a run of the program: with the fonts of the wheel, and the driver of the package saccade-pocl where that is
    installed. Where nothing can be written it has neither."""
    try:
        return {**os.environ, **_fonts(fonts), **_drivers(drivers)}
    except OSError:
        return dict(os.environ)


def main() -> None:
    """The command `saccade` of a wheel: becomes the program."""
    try:
        found = _first_program(os.environ.get("SACCADE"), _own_program)  # nothing else: the command itself is on the PATH
        os.execve(found, ["saccade", *sys.argv[1:]], environment())
    except (ProgramNotFound, OSError) as error:
        sys.exit(f"saccade: {error}")


#: Options that are arguments here, with how their values are written.
_ARGUMENTS = {"tab": 'view="{}"', "theme": 'theme="{}"', "axes": 'axes="{}"', "width": 'width="{}"', "layer": "layer={}",
              "head": "head={}", "prefix": "prefix={}", "grid": "grid=(rows, columns)", "pin": "panels=[…]"}


def in_python(text: str) -> str:
    """A message of the program for those who call it from here: "--axes BHQK" is axes="BHQK", "--reduce mean" is
    options=["--reduce", "mean"]."""
    def written(found: "re.Match[str]") -> str:
        name, value = found.group(1), found.group(2)
        if name in _ARGUMENTS:
            return _ARGUMENTS[name].format(value or "…")
        return "options=[" + ", ".join(f'"{word}"' for word in ("--" + name, value) if word) + "]"
    return re.sub(r"(?<![\w\"])--([a-z][a-z-]*)(?: ([A-Z][\w.x]*|\d[\w.]*))?", written, text)


#: What a caller knows who gave such arrays: steps of generate(), numbers of tokens, attributions. No warnings.
_EXPECTED = ("joined to one map", "labels are the ids of tokens", "numbers of either sign")


def run(*words: str, program: Optional[str] = None) -> str:
    """Runs `saccade WORDS…` and returns its output. SaccadeError with its message where it fails; what it prints on
    stderr otherwise is a warning, where it is doubtful (such as tokens that do not fit)."""
    done = subprocess.run([find_program(program), *words], capture_output=True, text=True, encoding="utf-8",
                          errors="replace", env=environment())
    lines = [in_python(line.removeprefix("saccade: ")) for line in done.stderr.splitlines() if line.strip()]
    if done.returncode:
        raise SaccadeError(lines[-1] if lines else f"saccade ended with {done.returncode}")
    for line in lines:
        for word in words:  # the path of a temporary file is no use to the reader
            line = line.replace(word + ": ", "")
        doubts = [part for part in line.split("; ") if not any(known in part for known in _EXPECTED)]
        if doubts:
            warnings.warn("; ".join(doubts), stacklevel=5)
    return done.stdout
