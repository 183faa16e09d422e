#!/bin/sh
# check_kernels.sh CLANG LIST_KERNELS FOLDER: clang reads every kernel in every specialisation, for a
# target without doubles, and a source that has options must not be readable without them.
set -eu
clang=$1 list=$2 folder=$3
mkdir -p "$folder"
"$list" "$folder" >"$folder/specialisations"

export clang folder
# shellcheck disable=SC2016 # expanded by the inner shell
check='set -f
source=$1; shift
target=spir64
case "$*" in *-DPTX=1*) target=nvptx64;; esac # whose registers its instructions name
exec "$clang" -x cl -cl-std=CL1.2 -Xclang -cl-ext=-cl_khr_fp64 -target "$target" -fsyntax-only \
    -Wall -Wextra -Wno-unused-parameter -Wundef -Werror "$@" "$folder/$source.cl"'
xargs -L 1 -P "$(nproc)" sh -c "$check" check <"$folder/specialisations" || {
    echo "check_kernels: clang does not accept the kernels" >&2
    exit 1
}

for source in $(sed -n 's/^\([^ ]*\) -D.*/\1/p' "$folder/specialisations" | sort -u); do
    if sh -c "$check" check "$source" 2>/dev/null; then
        echo "check_kernels: $source.cl builds without its macros; add an #error for each" >&2
        exit 1
    fi
done
echo "check_kernels: $(wc -l <"$folder/specialisations") specialisations are fine"
