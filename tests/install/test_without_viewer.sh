#!/bin/sh
# Without SDL2, Pango and fontconfig the library and its tests are built and pass; the viewer, which
# needs them, cannot be configured.
# usage: test_without_viewer.sh SOURCE CC
set -eu
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"

export WITHOUT="sdl2 SDL2 fontconfig"
configure() {
    cmake -S "$1" -B "$place/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
        -DPKG_CONFIG_EXECUTABLE="$here/pkg-config-without" -DSACCADE_VIEWER="$2" \
        -DCLANG=OFF # the kernels are the same, and were checked
}

configure "$1" ON >"$place/log" 2>&1 && fail "the viewer is configured without SDL2"
grep -q sdl2 "$place/log" || fail "$(cat "$place/log")"
quietly configure "$1" OFF
quietly cmake --build "$place/build" --parallel 2
[ ! -e "$place/build/saccade" ] || fail "the program was built"
# They compute the same as beside the viewer, so a few of them are run.
ctest --test-dir "$place/build" -R '^(base|cache|arrays|images|beam|decoding)$' --output-on-failure
