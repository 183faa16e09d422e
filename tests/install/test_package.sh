#!/bin/sh
# `cpack` makes a Debian package of all that is installed, with what it needs; unpacked anywhere, its program
# finds its files and its library is found by pkg-config. The captioner of photographs is a package of its own,
# which the program finds where it is unpacked too, and goes without where it is not.
# usage: test_package.sh BUILD CC VIEWER
set -eu
build=$1 compiler=$2 viewer=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"
command -v dpkg-shlibdeps >/dev/null || exit 77

quietly cpack --config "$build/CPackConfig.cmake" -G DEB -B "$place/made"
package=$(echo "$place"/made/saccade_*.deb)
[ -s "$package" ] || fail "there is no package"

# has_field NAME PATTERN
has_field() {
    dpkg-deb -f "$package" "$1" | grep -Eq -- "$2" || fail "$1: $(dpkg-deb -f "$package" "$1")"
}
has_field Version '^[0-9]+\.[0-9]+\.[0-9]+-[0-9]+$'
has_field Depends '^pocl-opencl-icd \| opencl-icd, .*libc6 \(>= '
has_field Depends 'libOpenCL|libopencl1'
[ "$viewer" != ON ] || has_field Depends 'fonts-.*libsdl2-2\.0-0'

# Nothing but its own package needs MPI.
! dpkg-deb -f "$package" Depends | grep -i mpi || fail "the package needs MPI"
mpi=$(echo "$place"/made/saccade-mpi_*.deb)
if [ -s "$mpi" ]; then # a build without MPI has none
    dpkg-deb -c "$mpi" | grep -Eq '/saccade/saccade-mpi\.so$' || fail "saccade-mpi.so is not in its package"
fi

# Everything belongs to root and lies under /usr.
dpkg-deb -c "$package" >"$place/files"
grep -Ev '^[-dl][rwx-]{9} root/root +[0-9]+ [0-9-]+ [0-9:]+ \./(usr/.*)?$' "$place/files" && fail "these files"
grep 'photograph' "$place/files" && fail "these belong to the package saccade-photographs"
for file in include/saccade.h lib/.*libsaccade.so.0 lib/.*libsaccade.a lib/.*pkgconfig/saccade.pc \
    share/doc/saccade/copyright share/doc/saccade/changelog.gz; do
    grep -Eq "/usr/$file( ->|$)" "$place/files" || fail "$file is not in the package"
done

# As it is installed it compiles kernels for the machine, for all users, and it takes them away.
dpkg-deb -e "$package" "$place/control"
for script in postinst postrm; do
    [ -x "$place/control/$script" ] && sh -n "$place/control/$script" || fail "$script is not a script of the package"
done

dpkg -x "$package" "$place/root"
PKG_CONFIG_PATH=$(dirname "$(find "$place/root" -name saccade.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir saccade)
# shellcheck disable=SC2046
$compiler "$here/example.c" -o "$place/example" $(pkg-config --cflags --libs saccade)
LD_LIBRARY_PATH=$LD_LIBRARY_PATH answers "$place/example"

[ "$viewer" = ON ] || exit 0
for file in share/applications/saccade.desktop share/icons/hicolor/scalable/apps/saccade.svg share/man/man1/saccade.1.gz \
    share/man/man1/saccade-attend.1.gz share/man/man5/saccade-arrays.5.gz; do
    [ -s "$place/root/usr/$file" ] || fail "$file is not in the package"
done
# captions WORDS…: of a photograph; the notes too
captions() {
    "$place/root/usr/bin/saccade" caption "$place/root/usr/share/saccade/pictures/harbour.png" --device pocl "$@" 2>&1
}
captions | tee "$place/captions" | grep -E '^(perhaps: )?an? ' || fail "the program of the package finds no captioner"

photographs=$(echo "$place"/made/saccade-photographs_*_all.deb)
[ -s "$photographs" ] || exit 0 # a copy of Saccade may be without it
has_field Recommends '^saccade-photographs, '
grep 'the package saccade-photographs has a captioner' "$place/captions" || fail "no message names the other package"
! captions --dataset photographs || fail "a captioner of photographs is in the wrong package"
package=$photographs
has_field Enhances '^saccade$'
has_field Description '^captioner of photographs .*research and teaching$'
[ -z "$(dpkg-deb -f "$package" Depends)" ] || fail "Depends: $(dpkg-deb -f "$package" Depends)"
dpkg -x "$photographs" "$place/root"
for file in saccade/captioner/photograph.md saccade/captioner/photograph.LICENSE.txt doc/saccade-photographs/copyright; do
    [ -s "$place/root/usr/share/$file" ] || fail "$file is not in the package"
done
captions --dataset photographs | grep -E '^(perhaps: )?an? ' || fail "the program does not find the other package's captioner"
