#!/bin/sh
# man(1) shows every page of FOLDER without a warning. Skipped where there is no man-db.
#   test_man.sh PAGE…
set -eu
command -v man >/dev/null && man --version 2>/dev/null | grep -q '^man ' || exit 77
for page in "$@"; do
    output=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$output" ] || { echo "$page: $output" >&2; exit 1; }
done
