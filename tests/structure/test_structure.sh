#!/bin/sh
# Holds the modules apart, beside what the build does: no OpenCL under viz/, no SDL under src/ but in
# app/ and cli/, no pictures in the library, and no way round the modules' include folders.
# usage: test_structure.sh ROOT
set -u
root=$1
status=0

# forbid WHAT PATTERN FOLDERS…: no #include line in C files of these folders may match.
forbid()
{
    what=$1
    pattern=$2
    shift 2
    found=$(grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" \
        "$@")
    [ -z "$found" ] && return
    echo "$what:"
    echo "$found"
    status=1
}

cd "$root" || exit 1
computing=$(find src -mindepth 1 -maxdepth 1 ! -name cli ! -name app)
[ -n "$(find viz src -name '*.c')" ] || { echo "no sources under $root"; exit 1; }

forbid "viz/ includes OpenCL" '(CL/|clblast)' viz
forbid "viz/ includes a module that computes" '(device|gemm|attention|nn|models|captioner|sources/files|architectures|lessons|app|cli)/' viz
forbid "src/ outside app/ and cli/ includes SDL" 'SDL' $computing
forbid "src/ outside app/ and cli/ includes a module of viz/" \
    '(canvas|view|parts|shell|alignment|sentence|picture|training|weights|classes|export|window)/' $computing
forbid "app/ includes the commands" 'cli/' src/app
forbid "src/library includes pictures" 'images/' src/library
forbid "a module is reached through its parent" '(views|models|library|pretrained/(tokenizers|architectures))/[a-z_]+/' src viz tests
forbid "an include climbs out of its module" '[^>"]*\.\./' src viz tests
# What a view shows of a score is in the table of scores.
found=$(grep -rnE --include='*.[ch]' 'SAC_SCORE_[A-Z_]+' viz | grep -v 'SAC_SCORE_COUNT')
if [ -n "$found" ]; then
    echo "viz/ knows a score by name:"
    echo "$found"
    status=1
fi
# What comes from elsewhere, a file's name as well as what is in it, is printed by base/text/printable.h.
found=$(grep -rnE --include='*.c' --exclude-dir=examples --exclude=printable.c \
    -e '(^|[^a-z_])(v?printf\(|perror\(|puts\([^"]|putchar\([^'"'"'])' \
    -e '(v?fprintf\(|fwrite\(|fputs\([^"]|fputc\([^'"'"']).*(stdout|stderr)' src viz)
if [ -n "$found" ]; then
    echo "text goes to a terminal by another way than base/text/printable.h:"
    echo "$found"
    status=1
fi
# JSON from outside is checked before it is parsed (arrays/json.h).
found=$(grep -rnE --include='*.c' 'cJSON_Parse' src viz | grep -v '^src/library/arrays/json.c:')
if [ -n "$found" ]; then
    echo "JSON is parsed without sac_json_parse:"
    echo "$found"
    status=1
fi
# Loops over what a file counts are linear, or ask whether to stop (loops.awk); loops.txt has those that are meant.
here=$(cd "$(dirname "$0")" && pwd)
readers="src/library/arrays src/pretrained/files src/pretrained/tokenizers src/datasets src/sources src/images src/sounds src/app
    src/cli/commands src/models/captioner/description.c src/models/captioner/photographs"
found=$(find $readers -name '*.c' -exec awk -f "$here/loops.awk" {} + 2>/dev/null |
    sed 's|^src/||' | while read -r file name what; do
        grep -qF "$file ${name%:}  " "$here/loops.txt" || echo "src/$file: ${name%:}: $what"
    done | sort -u)
if [ -n "$found" ]; then
    echo "a reader's loop may take long (sort, look up, or ask sac_cancel_check; or give tests/structure/loops.txt the reason why it ends soon):"
    echo "$found"
    status=1
fi
# Every target of fuzzing is named in SECURITY.md.
if [ -f tests/fuzz/CMakeLists.txt ]; then
    targets=$(sed -n 's/^set(kinds \(.*\))/\1/p; s/^ *list(APPEND kinds \(.*\))/\1/p' tests/fuzz/CMakeLists.txt)
    named=$(sed -n 's/^Fuzzing takes clang.*target: `\(.*\)`.*/\1/p' SECURITY.md 2>/dev/null)
    if [ "$(printf '%s\n' $targets | sort)" != "$(printf '%s\n' $named | sort)" ]; then
        echo "SECURITY.md does not name the targets of tests/fuzz:"
        echo $targets
        status=1
    fi
fi
# Names and prose are in the terms of the field: a function returns, prints, reports or generates (words.sed has the exceptions).
word='(^|[^a-z])(said|unsaid|saying|says?|told|untold|retold|tells?|telling|spoken|speaks?|speaking|heard|unheard|hears?|hearing'
word="$word|nobody|whoever|goes by|go by|stands? beside|lies? beside|as [a-z0-9 .\`']{1,30} ha(s|ve) it)([^a-z]|$)"
found=$(LC_ALL=C grep -rnIiE --exclude=golden.json --exclude-dir=data --exclude-dir=corpus --exclude-dir=structure "$word" \
    src viz cl tests ./*.md assets/man assets/*/*.md 2>/dev/null | LC_ALL=C sed -E -f "$here/words.sed" |
    LC_ALL=C grep -iE "^[^:]*:[0-9]+:.*$word" | cut -c1-200)
if [ -n "$found" ]; then
    echo "a word that this repository does not use (write what the code does, in the field's terms):"
    echo "$found"
    status=1
fi
# Every path that a document names exists.
documents=$(find . -name build -prune -o -name .git -prune -o \( -name '*.md' -o -path './assets/man/*' \) -type f -print | sed 's|^\./||')
if [ -n "$documents" ]; then
    found=$(find . -name build -prune -o -name .git -prune -o -print | sed 's|^\./||' | awk -f "$here/paths.awk" - $documents)
    if [ -n "$found" ]; then
        echo "a document names what is not there:"
        echo "$found"
        status=1
    fi
fi
exit $status
