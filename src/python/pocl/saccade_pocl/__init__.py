"""PoCL, an OpenCL driver for any CPU. The package `saccade` uses it where no PoCL is installed."""
import os

_folder = os.path.dirname(os.path.abspath(__file__))

#: The driver, which an .icd file names.
library = os.path.join(_folder, "lib", "x86_64-linux-gnu", "libpocl.so.2")

#: Folders that come first in these variables, so that the driver finds its linker and what it links.
folders = {"COMPILER_PATH": os.path.join(_folder, "bin"), "LIBRARY_PATH": os.path.join(_folder, "lib", "empty")}
