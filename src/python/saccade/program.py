"""The program `saccade`: where it is, and running it."""
from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import warnings
from typing import Optional


class SaccadeError(RuntimeError):
    """What the program said of a failure."""


class ProgramNotFound(SaccadeError):
    """The program is not installed."""


def find_program(program: Optional[str] = None) -> str:
    """The path of the program: `program` itself, the environment variable SACCADE, the one inside this package (a wheel
    has it), beside this Python, or on the PATH."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "saccade")
    beside = os.path.join(sysconfig.get_path("scripts") or "", "saccade")
    asked = program or os.environ.get("SACCADE")
    for path in [asked] if asked else [own, beside, shutil.which("saccade")]:
        found = path and shutil.which(path)
        if found:
            return found
    raise ProgramNotFound((f"{asked}: is no program" if asked else "the program saccade is not installed") +
                          "; install Saccade's package or build it (its README.md says how), put it on the PATH, or set "
                          "SACCADE to its path")


def environment() -> dict[str, str]:
    """That of a run: where no OpenCL driver is installed, the one of the Python package pocl-binary-distribution is taken."""
    own = dict(os.environ)
    vendors = own.get("OCL_ICD_VENDORS") or "/etc/OpenCL/vendors"
    installed = os.path.isdir(vendors) and any(name.endswith(".icd") for name in os.listdir(vendors))
    if not installed and "OCL_ICD_VENDORS" not in own:
        try:
            import pocl_binary_distribution
        except ImportError:
            return own
        own["OCL_ICD_VENDORS"] = pocl_vendors(os.path.dirname(pocl_binary_distribution.__file__))
    return own


def pocl_vendors(folder: str) -> str:
    """The folder of the .icd file in that package."""
    for place, _, files in os.walk(folder):
        if any(name.endswith(".icd") for name in files):
            return place
    return folder


def run(*words: str, program: Optional[str] = None) -> str:
    """Runs `saccade WORDS…` and returns what it printed. SaccadeError with its message where it fails; what it says of a
    success (tokens that do not fit, say) is a warning."""
    done = subprocess.run([find_program(program), *words], capture_output=True, text=True, encoding="utf-8",
                          errors="replace", env=environment())
    lines = [line.removeprefix("saccade: ") for line in done.stderr.splitlines() if line.strip()]
    if done.returncode:
        raise SaccadeError(lines[-1] if lines else f"saccade ended with {done.returncode}")
    for line in lines:
        for word in words:  # a temporary file says nothing to the reader
            line = line.replace(word + ": ", "")
        if "joined to one map" not in line:  # which is what generate()'s steps are given for
            warnings.warn(line, stacklevel=4)
    return done.stdout
