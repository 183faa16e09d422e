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
for header in saccade.h saccade_cl.h saccade_tools.h; do
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

# The library needs OpenCL, CLBlast, zlib, libzip and cJSON, and nothing of images; neither does who links it.
library=$LD_LIBRARY_PATH/libsaccade.so
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p')
for name in $needed; do
    case $name in
    libOpenCL | libclblast | libz | libzip | libcjson | libm | libc | libpthread | libdl | ld-linux* | lib*san) ;;
    *) fail "$library needs $name" ;;
    esac
done
[ "$(pkg-config --print-requires saccade)" = OpenCL ] || fail "saccade.pc: $(pkg-config --print-requires saccade)"
mkdir "$place/static"
cp "$LD_LIBRARY_PATH/libsaccade.a" "$place/static"
# shellcheck disable=SC2046,SC2086
$compiler -Wall -Wextra -Werror ${sanitizers:+-fsanitize=$sanitizers} "$here/example.c" -o "$place/example" \
    -L"$place/static" $(pkg-config --cflags --libs saccade) $(grep '^Libs.private' "$PKG_CONFIG_PATH/saccade.pc" | cut -d: -f2)
answers "$place/example"

unset PKG_CONFIG_PATH LD_LIBRARY_PATH
consume -DCMAKE_PREFIX_PATH="$prefix" ${sanitizers:+"-DCMAKE_EXE_LINKER_FLAGS=-fsanitize=$sanitizers"}
