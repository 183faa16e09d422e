#!/usr/bin/env python3
"""readme.py PROGRAM: the outputs that README.md shows of commands that need nothing but the repository are theirs."""
import os, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
failed = tried = 0
for block in re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.S):
    if not re.match(r"\$ saccade (lesson|assets/samples)", block):
        continue
    commands = "\n".join(line[2:] for line in block.splitlines() if line.startswith("$ "))
    wanted = "".join(line + "\n" for line in block.splitlines() if not line.startswith("$ "))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "assets", f"{folder}/assets")
        os.symlink(pathlib.Path(sys.argv[1]).resolve(), f"{folder}/saccade")
        printed = subprocess.run(["sh", "-ec", commands], cwd=folder, text=True, stdout=subprocess.PIPE,
                                 env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}).stdout
    tried += 1
    if printed != wanted:
        failed += 1
        print(f"README.md has\n{wanted}and printed is\n{printed}")
print(f"{tried} blocks, {failed} differ")
sys.exit(failed > 0 or tried < 2)
