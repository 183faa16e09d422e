#!/bin/sh
# What is installed under another prefix than it was configured for, or moved afterwards, is right where
# it lies: saccade.pc, and the files that the program comes with. So is a build folder, wherever it is.
# usage: test_moved.sh BUILD SOURCES CC [SANITIZERS]
set -eu
build=$1 sources=$2 compiler=$3 sanitizers=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"

# build_example PREFIX: pkg-config's output for the installation under PREFIX is all that is needed.
build_example() {
    PKG_CONFIG_PATH=$(dirname "$(find "$1" -name saccade.pc)")
    export PKG_CONFIG_PATH
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir saccade)
    export LD_LIBRARY_PATH
    # shellcheck disable=SC2046,SC2086
    $compiler ${sanitizers:+-fsanitize=$sanitizers} "$here/example.c" -o "$place/example" \
        $(pkg-config --cflags --libs saccade) || fail "saccade.pc under $1"
    ldd "$place/example" | grep -q "libsaccade.* => $(realpath "$1")/" || fail "another libsaccade than in $1"
}

# check_caption PROGRAM: it finds its weights, and no others, as nothing is installed where it was to be.
check_caption() {
    "$1" caption --scene 91 --device pocl >"$place/caption" || fail "$1 does not find its weights"
    grep -q '^a ' "$place/caption" || fail "$1 prints: $(cat "$place/caption")"
}

quietly cmake --install "$build" --prefix "$place/one"
build_example "$place/one"
mv "$place/one" "$place/two"
build_example "$place/two"
answers "$place/example"
check_caption "$place/two/bin/saccade"

# Beside the program in a build folder lies what leads to the sources.
mkdir -p "$place/build/share"
cp "$build/saccade" "$place/build/"
cp -P "$build/share/saccade" "$place/build/share/"
check_caption "$place/build/saccade"

# Folders that were given as absolute ones do not move.
quietly cmake -S "$sources" -B "$place/absolute" -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/opt/s \
    -DCMAKE_INSTALL_LIBDIR=/elsewhere/lib -DCMAKE_INSTALL_INCLUDEDIR=include
PKG_CONFIG_PATH=$place/absolute
flags=$(pkg-config --cflags --libs saccade | sed 's/ *$//')
[ "$flags" = "-I/opt/s/include -L/elsewhere/lib -lsaccade -lOpenCL" ] || fail "absolute folders: $flags"
