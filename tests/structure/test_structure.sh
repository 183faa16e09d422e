#!/bin/sh
# Holds the boxes apart, beside what the build does: no OpenCL under viz/, no SDL under src/ but in
# cli/, and no way round the boxes' include folders.
# usage: test_structure.sh ROOT
set -u
root=$1
status=0

# forbid WHAT PATTERN FOLDERS…: no #include line in C files of these folders may match.
forbid()
{
    what=$1
    pattern=$2
    shift 2
    found=$(grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" \
        "$@")
    [ -z "$found" ] && return
    echo "$what:"
    echo "$found"
    status=1
}

cd "$root" || exit 1
[ -n "$(find viz src -name '*.c')" ] || { echo "no sources under $root"; exit 1; }

forbid "viz/ includes OpenCL" '(CL/|clblast)' viz
forbid "viz/ includes a box that computes" '(device|attention|nn|models|lessons)/' viz
forbid "src/ outside cli/ includes SDL" 'SDL' $(find src -mindepth 1 -maxdepth 1 ! -name cli)
forbid "src/ outside cli/ includes a box of viz/" '(canvas|view|export|window)/' \
    $(find src -mindepth 1 -maxdepth 1 ! -name cli)
forbid "an include climbs out of its box" '[^>"]*\.\./' src viz tests
exit $status
