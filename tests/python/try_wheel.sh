#!/bin/sh
# try_wheel.sh WHEELS: what README of src/python promises of the wheels in that folder, with nothing else to install from.
set -eu
wheels=$1
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export XDG_CACHE_HOME="$place/cache" TMPDIR="$place"
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES FONTCONFIG_FILE SACCADE DISPLAY WAYLAND_DISPLAY 2>/dev/null || true

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# A file of a kind, by how it begins.
begins() { [ "$(head -c ${#2} "$1")" = "$2" ] || fail "$1 does not begin with $2"; }

python3 -m venv "$place/python"
pip="$place/python/bin/pip -q install --disable-pip-version-check --no-index --find-links $wheels"
saccade=$place/python/bin/saccade
wheel=$(ls "$wheels"/saccade-*.whl)

$pip "$wheel"
status=0
output=$("$saccade" caption "$here/../../assets/pictures/garden.png" 2>&1) || status=$?
[ "$status" -eq 3 ] || fail "without a driver the command ended with $status: $output"
case "$output" in *"saccade[pocl]"*) ;; *) fail "without a driver: $output" ;; esac

$pip "$wheel[pocl]"
"$saccade" devices
cd "$place"
output=$("$saccade" caption "$here/../../assets/pictures/garden.png" --png caption.png 2>&1)
case "$output" in *unreliable*) fail "no captioner of photographs: $output" ;; esac
begins caption.png "$(printf '\211PNG')"
output=$("$saccade" translate "the cat sees a dog" --svg translation.svg 2>&1 >translation.txt)
[ -z "$output" ] || fail "the translation is not silent: $output"
"$saccade" selftest >selftest.txt || { cat selftest.txt; fail "the self-test"; }
tail -1 selftest.txt
"$place/python/bin/python" - <<'END'
import numpy, saccade
weights = numpy.random.default_rng(0).dirichlet(numpy.ones(4), (2, 1, 3, 4)).astype("float32")
saccade.show(weights, ["I", "see", "a", "cat"])
assert saccade.page(weights, ["I", "see", "a", "cat"]).text.startswith("<!doctype html>")
assert saccade.picture(weights).png.startswith(b"\x89PNG")
END
echo "the wheels work"
