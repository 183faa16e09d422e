#!/bin/sh
# The structure test must fail on what it forbids: each planted line is found.
# usage: test_the_test.sh FOLDER_OF_THIS_SCRIPT
set -u
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir -p "$room/src/library/device" "$room/src/app" "$room/src/cli" "$room/viz/view" "$room/tests/fuzz" "$room/src/pretrained/files"
status=0

# plant FILE LINE: expects the test to fail, then takes the line away.
plant()
{
    echo "$2" >"$room/$1"
    if sh "$here/test_structure.sh" "$room" >"$room/output"; then
        echo "not found: $2 in $1"
        status=1
    fi
    : >"$room/$1"
}

here=$1
: >"$room/src/library/device/a.c"
: >"$room/viz/view/a.c"
printf '#include <SDL.h>\nputs("usage");\nsac_print(stdout, "%%s", name);\n' >"$room/src/cli/a.c"
echo '#include "shell/shell.h"' >"$room/src/app/a.c"
sh "$here/test_structure.sh" "$room" || { echo "an allowed include was refused"; exit 1; }

printf 'set(kinds png gif)\n  list(APPEND kinds paths)\n' >"$room/tests/fuzz/CMakeLists.txt"
sh "$here/test_structure.sh" "$room" >/dev/null && { echo "a target that SECURITY.md does not name was not found"; status=1; }
echo 'Fuzzing takes clang. Each has a target: `gif paths png`' >"$room/SECURITY.md"
sh "$here/test_structure.sh" "$room" || { echo "targets that SECURITY.md names were refused"; exit 1; }
loop='static void read(const list *l)
{
    for (size_t i = 0; i < l->count; i++)
        WHAT
}'
plant src/pretrained/files/a.c "$(echo "$loop" | sed 's/WHAT/for (size_t k = 0; k < l->count; k++)/')"
plant src/pretrained/files/a.c "$(echo "$loop" | sed 's/WHAT/if (strcmp(l->name[i], name) == 0)/')"
plant src/app/a.c "$(echo "$loop" | sed 's/WHAT/for (size_t k = i; k < l->count; k++)/')"
for safe in 'for (size_t k = 0; k < l->item[i].count; k++)' 'for (size_t k = 0; k < sizeof table \/ sizeof *table; k++)' \
    'if (strcmp(l->name[i], l->name[i - 1]) == 0)' 'if (strcmp(l->name[i], "title") == 0)'; do
    echo "$loop" | sed "s/WHAT/$safe/" >"$room/src/app/a.c"
    sh "$here/test_structure.sh" "$room" || { echo "a loop that ends soon was refused: $safe"; status=1; }
done
plant src/pretrained/files/a.c "$(echo "$loop" | sed 's/WHAT/add(cJSON_GetArrayItem(list, i));/')"
plant src/pretrained/files/a.c "$(echo "$loop" | sed 's/WHAT/add(cJSON_GetObjectItemCaseSensitive(keys, name));/')"
plant viz/view/a.c '#include <CL/cl.h>'
plant viz/view/a.c '#  include <clblast_c.h>'
plant viz/view/a.c '#include "device/device.h"'
plant viz/view/a.c '#include "models/image.h"'
plant src/library/device/a.c '#include <SDL2/SDL.h>'
plant src/library/device/a.c '#include "view/view.h"'
plant viz/view/a.c '#include "app/document.h"'
plant viz/view/a.c '#include "views/sentence/sentence_view.h"'
plant src/library/device/a.c '#include "images/image.h"'
plant src/library/device/a.c '#include "sentence/sentence_view.h"'
plant src/app/a.c '#include "cli/cli.h"'
plant src/library/device/a.c '#include "../base/error.h"'
plant viz/view/a.c '#include "canvas/../../src/saccade.h"'
plant viz/view/a.c 'bool has_width = score == SAC_SCORE_GAUSSIAN;'
plant src/cli/a.c 'printf("%s", name);'
plant src/app/a.c 'fprintf(stderr, "%s", name);'
plant src/cli/a.c 'puts(name);'
plant src/cli/a.c 'fputs(name, stdout);'
plant viz/view/a.c 'fwrite(name, 1, size, stderr);'
plant viz/view/a.c '/* The heads are told apart. */'
plant viz/view/a.c 'static int words_said;'
plant src/app/a.c 'puts("what nobody chose");'
plant README.md 'See `viz/view/b.c`.'
plant README.md 'See [the view](viz/view/b.c).'
for right in '`view/a.c`, `viz/view/`, [it](viz/view/a.c)' '"Show, Attend and Tell"' 'essays, foretold' '`build/release/saccade`'; do
    echo "$right" >"$room/README.md"
    sh "$here/test_structure.sh" "$room" || { echo "right text was refused: $right"; status=1; }
done
exit $status
