#!/bin/sh
# check_kernels.sh CLANG LIST_KERNELS FOLDER: clang reads every kernel in every specialisation, for a
# target without doubles, and compiles those with matrix instructions, as far as it knows them; a source
# that has options must not be readable without them, and those for CPUs are the same code with
# builtins.cl in place of clang's header.
set -eu
clang=$1 list=$2 folder=$3
mkdir -p "$folder"
"$list" "$folder" >"$folder/specialisations"

# A program that was linked anew mostly carries the kernels that passed before.
now=$("$clang" --version | cat - "$0" "$folder"/*.cl "$folder/specialisations" | cksum)
[ "$now" != "$(cat "$folder/passed" 2>/dev/null)" ] || exit 0

# compiled_for MATRIX: clang's options for the instruction of attend_matrix.cl with that number; none
# where this clang does not know it. Intel's compiler has its own built in.
knows() { # ARCHITECTURE FUNCTION
    printf '#if !__has_builtin(%s)\n#error\n#endif\n' "$2" |
        "$clang" -x cl -cl-std=CL1.2 -target amdgcn -mcpu="$1" -nogpulib -fsyntax-only - 2>/dev/null
}
compiled_for() {
    case $1 in
    1 | 7) echo "-target nvptx64" ;;
    2) knows gfx90a __builtin_amdgcn_mfma_f32_16x16x16f16 && echo "-target amdgcn -mcpu=gfx90a" ;;
    3) knows gfx1100 __builtin_amdgcn_wmma_f32_16x16x16_f16_w32 &&
        echo "-target amdgcn -mcpu=gfx1100" ;;
    4) knows gfx1200 __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12 &&
        echo "-target amdgcn -mcpu=gfx1200" ;;
    *) echo "-target spir64 -include $folder/intel.h" ;;
    esac
}
cat >"$folder/intel.h" <<'END'
float8 __attribute__((overloadable)) intel_sub_group_f16_f16_matrix_mad_k16(int8, int8, float8);
float8 __attribute__((overloadable)) intel_sub_group_f16_f16_matrix_mad_k16(short8, int8, float8);
END
grep -v -e -DBY_LOOPS=0 "$folder/specialisations" | sed 's/$/ -target spir64/' >"$folder/runs"
grep -e '^few_rows_dots .*-DBY_LOOPS=0' -e '^attend_cpu .*-DBY_LOOPS=0' -e '^gemm_matrix .*-DBY_LOOPS=0' "$folder/specialisations" |
    sed 's/$/ -target x86_64-linux -march=skylake-avx512/' >>"$folder/runs"
for matrix in $(sed -n 's/.*-DMATRIX=\([0-9]*\) .*/\1/p' "$folder/specialisations" | sort -u); do
    if target=$(compiled_for "$matrix"); then
        grep -e "-DMATRIX=$matrix -DBY_LOOPS=0" "$folder/specialisations" |
            sed -e 's/ -cl-intel[^ ]*//' -e "s|\$| $target|" >>"$folder/runs"
    else
        echo "check_kernels: this clang does not know matrix instruction $matrix" >&2
    fi
done

export clang folder
# Constants of a specialisation may be operands of && and ||, which clang 14 takes for a slip.
# shellcheck disable=SC2016 # expanded by the inner shell
check='set -f
source=$1; shift
exec "$clang" -x cl -cl-std=CL1.2 -Xclang -cl-ext=-cl_khr_fp64 -nogpulib -fsyntax-only \
    -Wall -Wextra -Wno-unused-parameter -Wno-constant-logical-operand -Wundef -Werror "$@" "$folder/$source.cl"'
xargs -L 1 -P "$(nproc)" sh -c "$check" check <"$folder/runs" || {
    echo "check_kernels: clang does not accept the kernels" >&2
    exit 1
}

# compiles MATRIX INSTRUCTION: to machine code that has the instruction, in each shape.
compiles() {
    target=$(compiled_for "$1") || return 0
    grep -e "-DSCORE=1 -DFAST_FMA=1 .*-DMATRIX=$1 -DBY_LOOPS=0" "$folder/specialisations" |
        while read -r source options; do
            # shellcheck disable=SC2086 # lists of words
            "$clang" -x cl -cl-std=CL1.2 -O2 -nogpulib -w -S -o - $target $options "$folder/$source.cl" |
                grep -q "$2" || {
                echo "check_kernels: no $2 comes of $source.cl $options" >&2
                return 1
            }
        done
}
compiles 1 mma.sync
compiles 2 v_mfma
compiles 3 v_wmma
compiles 4 v_wmma
compiles 7 "mma.sync.*tf32"

for source in $(sed -n 's/^\([^ ]*\) -D.*/\1/p' "$folder/specialisations" | sort -u); do
    if sh -c "$check" check "$source" -target spir64 2>/dev/null; then
        echo "check_kernels: $source.cl builds without its macros; add an #error for each" >&2
        exit 1
    fi
done
# shellcheck disable=SC2016 # expanded by the inner shell
compare='set -f
source=$1; shift
emits() {
    "$clang" -x cl -cl-std=CL1.2 -w -O1 -Xclang -disable-llvm-passes -nogpulib -S -emit-llvm -o - \
        -target x86_64-linux -march=skylake-avx512 "$@" "$folder/$source.cl"
}
[ "$(emits "$@")" = "$(emits "$@" -cl-no-stdinc -include opencl-c-base.h -include "$folder/builtins.cl")" ] ||
    { echo "check_kernels: $source.cl is other code with builtins.cl: $*" >&2; exit 1; }'
grep -v -e -DBY_LOOPS=0 -e '^[a-z_]*_gpu ' -e '^attend_matrix ' "$folder/specialisations" |
    xargs -L 1 -P "$(nproc)" sh -c "$compare" compare || exit 1

echo "$now" >"$folder/passed"
echo "check_kernels: $(wc -l <"$folder/runs") specialisations are fine"
