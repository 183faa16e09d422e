#!/bin/sh
# A project that adds this one by add_subdirectory gets the library alone: no tests, no program.
# usage: test_subproject.sh SOURCE CC
set -eu
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/check.sh"

consume -DSACCADE_SOURCE="$1" -DPKG_CONFIG_EXECUTABLE="$here/pkg-config-without-viewer"
extra=$(find "$place/consumer" -name 'test_*' -type f -o -name saccade -type f)
[ -z "$extra" ] || fail "it was built as well: $extra"
