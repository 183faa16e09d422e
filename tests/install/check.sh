# Sourced by the tests of this folder.

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# quietly COMMAND…: shows its output where it fails.
quietly() {
    "$@" >"$place/log" 2>&1 && return
    cat "$place/log"
    fail "$*"
}

# answers PROGRAM: example.c, as built, gives the right numbers.
answers() {
    "$1" | tee "$place/answer"
    # Row 0 sees itself alone, so its weight is exactly 1 and it becomes its own value.
    grep -q '^token 0 attends 1.000 0.000 0.000 and becomes 1.000$' "$place/answer" || fail "$1: row 0"
    # q2·k = (1, 1, 2)/√2: softmax 0.2483 0.2483 0.5035, output 0.2483 + 2·0.2483 + 3·0.5035 = 2.255.
    grep -q '^token 2 attends 0.248 0.248 0.503 and becomes 2.255$' "$place/answer" || fail "$1: row 2"
}

# saves PROGRAM: example_arrays.c, as built, reads what it wrote.
saves() {
    [ "$("$1" "$place/numbers.npz")" = "numbers [2,3], the last 6" ] || fail "$1: arrays"
}

# consume OPTIONS…: the project in consumer/ is configured with these, built with all libraries, and run.
consume() {
    quietly cmake -S "$here/consumer" -B "$place/consumer" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DEXAMPLES="$here" "$@"
    quietly cmake --build "$place/consumer" --parallel 2
    answers "$place/consumer/with_saccade"
    answers "$place/consumer/with_static"
    saves "$place/consumer/with_arrays"
    saves "$place/consumer/with_arrays_static"
}
