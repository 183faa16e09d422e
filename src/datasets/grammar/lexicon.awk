# awk -f lexicon.awk lexicon.txt: the words as the tables of lexicon.h. A line that does not fit its table stops the build
# here, a kind that lexicon.h does not have stops the compiler: both name the file and the line.
function fail(what)
{
    printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
    failed = 1
    exit 1
}

# A word by the form of its column: t, a text; c, a constant of below; k, kinds of lexicon.h.
function field(form, word)
{
    if (word == "-")
        return form == "t" ? "NULL" : 0
    if (form == "t") {
        gsub("_", " ", word)
        return "\"" word "\""
    }
    gsub("-", "_", word)
    gsub("[+]", " | SAC_", word)
    return (form == "k" ? "SAC_" : "") toupper(word)
}

function end_table()
{
    if (table)
        print "    {0},\n};"
    if (table in type)
        printf "const int sac_%s_count = %d;\n", table, rows
    rows = 0
}

BEGIN {
    type["nouns"] = "lexicon_noun"
    forms["nouns"] = "ttttck"
    type["adjectives"] = "adjective"
    forms["adjectives"] = "ttttttkk"
    type["verbs"] = "verb"
    forms["verbs"] = "tttt{ttttt}tckk"
    type["determiners"] = "determiner"
    forms["determiners"] = "tttt"
    type["pronouns"] = "pronoun"
    forms["pronouns"] = "ttkccttt"
    type["named_places"] = "named_place"
    forms["named_places"] = "ttt"
    print "/* Made from lexicon.txt by lexicon.awk. */\n#include \"grammar/lexicon.h\"\n\n#include <stddef.h>\n"
    print "enum { M = false, F = true, AVOIR = false, ETRE = true, SINGULAR = false, PLURAL = true };"
}
/^ *(#.*)?$/ { next }
/^[a-z_]+$/ {
    end_table()
    table = $1
    form = table in forms ? forms[table] : "tt"
    printf "const sac_%s sac_%s[] = {\n", table in type ? type[table] : "word_pair", table
    next
}
{
    row = ""
    used = 0
    for (i = 1; i <= length(form); i++) {
        f = substr(form, i, 1)
        row = row (f ~ /[{}]/ ? f : field(f, $(++used)) ",")
    }
    gsub("}", "},", row)
    if (used != NF || /^[^ ]/)
        fail("a row of " table " has " used " words, this one has " NF)
    rows++
    printf "#line %d \"%s\"\n    {%s},\n", FNR, FILENAME, row
}
END {
    if (failed)
        exit 1
    end_table()
}
