# awk -f drawings.awk *.txt: the drawings as tables of sac_part and sac_drawing, for drawing.h. A line of no known form
# stops the build here; a word or a number that drawing.h does not have stops the compiler, at the same file and line.
function fail(what)
{
    printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
    failed = 1
    exit 1
}

function code(word) { gsub("-", "_", word); return toupper(word) }

# Numbers from field i on: one as it is, several in braces, in pairs where `pairs`.
function numbers(i, pairs,    text, n)
{
    for (; $i ~ /^-?[0-9.]+$/; i++)
        text = text (n++ ? ", " : "") (pairs && n % 2 ? "{" : "") $i (pairs && n % 2 == 0 ? "}" : "")
    if (!n || (pairs && n % 2))
        fail("numbers are missing behind " $(i - n - 1))
    return n > 1 ? "{" text "}" : text
}

# Ends the table that is open: of parts that drawings share, or of a drawing.
function end_table()
{
    if (shared)
        parts[shared] = rows
    else if (rows)
        printf "static const sac_part parts_%d[] = {\n%s};\n", drawing, rows
    shared = rows = ""
}

BEGIN { print "/* Made from *.txt by drawings.awk. */\n#include \"book/nouns/drawing.h\"" }
/^ *(#.*)?$/ { next }
{ place = sprintf("#line %d \"%s\"\n", FNR, FILENAME) }
/^parts [a-z]+$/ { end_table(); shared = $2; next }
/^[a-z]+ [a-z]+ / {
    end_table()
    row = sprintf("%s{SAC_%s, SAC_POSE_%s, PARTS(parts_%d)", place, $1 == "nameless" ? "NOUNS" : code($1), code($2), ++drawing)
    for (i = 3; i <= NF; i++)
        if ($i !~ /^-?[0-9.]+$/)
            row = row sprintf(", .%s = %s", $i, numbers(i + 1, $i == "anchor"))
    drawings = drawings row "},\n"
    next
}
/^    parts [a-z]+$/ {
    if (!($2 in parts))
        fail("there are no parts of the name " $2)
    rows = rows parts[$2]
    next
}
/^    [a-z]+ +[a-z-]+ +-?[0-9]+ +[0-9.]+ +[a-z0-9+-]+ +[A-Z][A-Z0-9. -]*$/ {
    path = $6
    for (i = 7; i <= NF; i++)
        path = path " " $i
    when = $5 == "-" ? 0 : code($5)
    gsub("[+]", " | ", when)
    rows = rows sprintf("%s{\"%s\", %s, %s, %s, %s, %s},\n", place, path, code($1), code($2), $3, $4, when)
    next
}
{ fail("neither a drawing, nor a part: FILL PIGMENT SHADE LINE WHEN PATH") }
END {
    if (failed)
        exit 1
    end_table()
    printf "const sac_drawing sac_drawings[] = {\n%s};\nconst int sac_drawing_count = %d;\n", drawings, drawing
}
