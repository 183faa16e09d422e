#!/bin/sh
# Installs into a folder of its own, then builds and runs programs that know only pkg-config, or only
# find_package.
# usage: test_install.sh BUILD CC VIEWER [SANITIZERS]
set -eu
build=$1 compiler=$2 viewer=$3 sanitizers=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"

DESTDIR="$place" quietly cmake --install "$build"
prefix=$place$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
for header in saccade.h saccade_cl.h saccade_tools.h saccade_arrays.h; do
    [ -s "$prefix/include/$header" ] || fail "$header was not installed"
done

if [ "$viewer" = ON ]; then
    for file in bin/saccade share/man/man1/saccade.1 share/man/man1/saccade-attend.1 share/man/man5/saccade-arrays.5 \
        share/applications/saccade.desktop \
        share/icons/hicolor/scalable/apps/saccade.svg share/saccade/pictures/harbour.png \
        share/saccade/captioner/additive.safetensors share/saccade/translator/additive.safetensors; do
        [ -s "$prefix/$file" ] || fail "$file was not installed"
    done
    if command -v desktop-file-validate >/dev/null; then
        desktop-file-validate "$prefix/share/applications/saccade.desktop" || fail "desktop entry"
    fi
    "$prefix/bin/saccade" --version
fi

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name saccade.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir saccade)
export LD_LIBRARY_PATH
# shellcheck disable=SC2046,SC2086
$compiler -Wall -Wextra -Werror ${sanitizers:+-fsanitize=$sanitizers} "$here/example.c" -o "$place/example" \
    $(pkg-config --cflags --libs saccade)
answers "$place/example"

# shellcheck disable=SC2046,SC2086
$compiler -Wall -Wextra -Werror ${sanitizers:+-fsanitize=$sanitizers} "$here/example_arrays.c" -o "$place/example_arrays" \
    $(pkg-config --cflags --libs saccade-arrays)
saves "$place/example_arrays"

# The library needs OpenCL and CLBlast, that of files of arrays zlib, libzip and cJSON; neither has any of images.
library=$LD_LIBRARY_PATH/libsaccade.so
# needs LIBRARY PATTERN…: it links what they match, and the system's own.
needs() {
    of=$1
    shift
    for name in $(readelf -d "$of" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p'); do
        case " $* " in
        *" $name "*) continue ;;
        esac
        case $name in
        libm | libc | libpthread | libdl | ld-linux* | lib*san) ;;
        *) fail "$of needs $name" ;;
        esac
    done
}
needs "$library" libOpenCL libclblast
needs "$LD_LIBRARY_PATH/libsaccade-arrays.so" libsaccade libz libzip libcjson
# Each shows the names of its headers and no other.
shown=$(nm -D --defined-only "$LD_LIBRARY_PATH/libsaccade-arrays.so" | awk '{ print $3 }' | sort | tr '\n' ' ')
declared=$(sed -n 's/^[a-z].*[ *]\(sac_[a-z_]*\)(.*/\1/p' "$prefix/include/saccade_arrays.h" | sort | tr '\n' ' ')
[ "$shown" = "$declared" ] || fail "libsaccade-arrays.so shows $shown, saccade_arrays.h declares $declared"
[ "$(pkg-config --print-requires saccade)" = OpenCL ] || fail "saccade.pc: $(pkg-config --print-requires saccade)"
mkdir "$place/static"
cp "$LD_LIBRARY_PATH/libsaccade.a" "$place/static"
# shellcheck disable=SC2046,SC2086
$compiler -Wall -Wextra -Werror ${sanitizers:+-fsanitize=$sanitizers} "$here/example.c" -o "$place/example" \
    -L"$place/static" $(pkg-config --cflags --libs saccade) $(grep '^Libs.private' "$PKG_CONFIG_PATH/saccade.pc" | cut -d: -f2)
answers "$place/example"

unset PKG_CONFIG_PATH LD_LIBRARY_PATH
consume -DCMAKE_PREFIX_PATH="$prefix" ${sanitizers:+"-DCMAKE_EXE_LINKER_FLAGS=-fsanitize=$sanitizers"}
