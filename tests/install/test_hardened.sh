#!/bin/sh
# test_hardened.sh PROGRAM LIBRARY: what a mistake in a parser could do is made small by the flags that
# both are built with. A build type without optimisation has no checked copies.
set -eu
program=$1 library=$2

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# What readelf prints of a file must have a line, or must not.
has() { readelf -W "$1" "$2" | grep -Eq -- "$3" || fail "$2 has no $4"; }
has_no() { ! readelf -W "$1" "$2" | grep -Eq -- "$3" || fail "$2 has $4"; }

has -h "$program" 'Type: *DYN' "position-independent code"
for file in "$program" "$library"; do
    has -l "$file" 'GNU_RELRO' "relocations that are read-only once done"
    has -d "$file" 'BIND_NOW|FLAGS_1.*NOW' "binding at once"
    has -l "$file" 'GNU_STACK.* RW ' "stack of its own"
    has_no -l "$file" 'GNU_STACK.*RWE' "an executable stack"
    has_no -l "$file" 'LOAD.*RWE' "memory that is written and executed"
    has --dyn-syms "$file" '__stack_chk_fail' "stack protector"
    has --dyn-syms "$file" '__(v?snprintf|memcpy|f?read|strcpy)_chk' "checked copies (_FORTIFY_SOURCE)"
    has_no -d "$file" 'RPATH|RUNPATH' "a search path of its own"
done
