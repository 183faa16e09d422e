#!/usr/bin/env python3
"""lower_glibc.py LIBRARY SYMBOL VERSION LOWER: LIBRARY needs glibc VERSION for SYMBOL alone, which another library that it links
has as well. It is changed so that it takes the symbol from whichever there is, and needs glibc LOWER. Runs where
patchelf and pyelftools are, as with auditwheel.
"""
import struct
import subprocess
import sys

from elftools.elf.elffile import ELFFile

path, symbol, version, lower = sys.argv[1:]
subprocess.run(["patchelf", "--clear-symbol-version", symbol, path], check=True)
with open(path, "r+b") as file:
    elf = ELFFile(file)
    needs = elf.get_section_by_name(".gnu.version_r")
    libc = next(needed for library, needed in needs.iter_versions() if library.name == "libc.so.6")
    entries = {needed.name: needed for needed in libc}
    old, new = entries[version], entries[lower]
    if any(used["ndx"] == old["vna_other"] for used in elf.get_section_by_name(".gnu.version").iter_symbols()):
        sys.exit(f"lower_glibc.py: {path}: another symbol than {symbol} needs {version}")
    data = needs.data()
    entry = struct.pack("<IHHI", old["vna_hash"], old["vna_flags"], old["vna_other"], old["vna_name"])
    assert data.count(entry) == 1
    file.seek(needs["sh_offset"] + data.index(entry))
    file.write(struct.pack("<IHHI", new["vna_hash"], old["vna_flags"], old["vna_other"], new["vna_name"]))
