#!/bin/sh
# test_install.sh BUILD CC example.c [SANITIZERS]
set -eu
build=$1 compiler=$2 example=$3 sanitizers=${4:-}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
DESTDIR="$place" cmake --install "$build" >"$place/log" 2>&1 || { cat "$place/log"; fail "install"; }
prefix=$place$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")

for file in bin/saccade include/saccade.h share/man/man1/saccade.1 share/applications/saccade.desktop \
    share/icons/hicolor/scalable/apps/saccade.svg share/saccade/pictures/harbour.png \
    share/saccade/captioner/additive.safetensors; do
    [ -s "$prefix/$file" ] || fail "$file was not installed"
done
if command -v desktop-file-validate >/dev/null; then
    desktop-file-validate "$prefix/share/applications/saccade.desktop" || fail "desktop entry"
fi

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name saccade.pc)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR="$place"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir saccade | sed "s|^|$place|;s|^$place$place|$place|")
export LD_LIBRARY_PATH
# shellcheck disable=SC2046,SC2086
$compiler -Wall -Wextra -Werror ${sanitizers:+-fsanitize=$sanitizers} "$example" -o "$place/example" \
    $(pkg-config --cflags --libs saccade)
"$place/example" | tee "$place/answer"
# Row 0 sees itself alone, so its weight is exactly 1 and it becomes its own value.
grep -q '^token 0 attends 1.000 0.000 0.000 and becomes 1.000$' "$place/answer" || fail "row 0"
# q2·k = (1, 1, 2)/√2: softmax 0.2483 0.2483 0.5035, output 0.2483 + 2·0.2483 + 3·0.5035 = 2.255.
grep -q '^token 2 attends 0.248 0.248 0.503 and becomes 2.255$' "$place/answer" || fail "row 2"
"$prefix/bin/saccade" --version
