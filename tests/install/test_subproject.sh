#!/bin/sh
# A project that adds this one by add_subdirectory gets the library alone: no tests, no program, and it needs
# nothing that those link.
# usage: test_subproject.sh SOURCE CC
set -eu
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"

export WITHOUT="sdl2 SDL2 x11 fontconfig cairo libpng libjpeg libwebp sndfile libcrypto libutf8proc libpcre2 cmocka"
consume -DSACCADE_SOURCE="$1" -DPKG_CONFIG_EXECUTABLE="$here/pkg-config-without" -DCMAKE_DISABLE_FIND_PACKAGE_GIF=ON
extra=$(find "$place/consumer" -name 'test_*' -type f -o -name saccade -type f)
[ -z "$extra" ] || fail "it was built as well: $extra"
