# paths.awk LIST DOCUMENTS…: prints each path in backquotes, links and pictures of the documents (and in the text of
# manual pages) that is not in LIST, the files and folders of the repository, one a line. A path begins at the root,
# at the document's folder, or anywhere: `gemm/launch.h`.
BEGIN {
    known["opencl-c.h"]                # clang's
    known["models.py"]                 # these two: the PyTorch tutorial's
    known["caption.py"]
    known["photos"]                    # a reader's own
    path = "[A-Za-z0-9_.+-]+(/[A-Za-z0-9_.+-]+)*/?"
}
NR == FNR {
    known[$0]
    for (rest = $0; (at = index(rest, "/")) > 0;)
        known[rest = substr(rest, at + 1)]
    next
}
function resolved(name, from,  parts, count, i, out) {
    count = split(from "/" name, parts, "/")
    out = ""
    for (i = 1; i <= count; i++)
        if (parts[i] == "..")
            sub(/\/?[^\/]*$/, "", out)
        else if (parts[i] != "." && parts[i] != "")
            out = out (out == "" ? "" : "/") parts[i]
    return out
}
function check(name,  folder) {
    folder = FILENAME
    if (!sub(/\/[^\/]*$/, "", folder))
        folder = ""
    sub(/\/$/, "", name)
    if (name !~ /^(build\/|https?$|\.[a-z]+$)/ && name !~ /NAME|KIND/ && !(name in known) && !(resolved(name, folder) in known) &&
        name !~ /^saccade\/share\//) # of the wheel
        print FILENAME ":" FNR ": " name
}
{
    gsub(/\\-/, "-")
    line = $0
    if (FILENAME ~ /\.md$/) {
        count = split(line, quoted, "`")
        for (i = 2; i <= count; i += 2) {
            words = split(quoted[i], word, " ")
            for (k = 1; k <= words; k++) {
                gsub(/^[(]|[,.:;)]+$/, "", word[k])
                if (word[k] ~ ("^" path "$") && word[k] ~ /\/|\.(c|h|cl|clh|cmake|awk|sh|py|md|man|js|css)$/)
                    check(word[k])
            }
        }
        while (match(line, /\]\([^)#:]+|src="[^":]+/)) {
            check(substr(line, RSTART + (substr(line, RSTART, 1) == "]" ? 2 : 5), RLENGTH - (substr(line, RSTART, 1) == "]" ? 2 : 5)))
            line = substr(line, RSTART + RLENGTH)
        }
    } else
        while (match(line, "(src|viz|cl|tests|assets)/" path)) {
            if (RSTART == 1 || substr(line, RSTART - 1, 1) !~ /[A-Za-z0-9_\/.~-]/) {
                name = substr(line, RSTART, RLENGTH)
                sub(/\.$/, "", name)
                check(name)
            }
            line = substr(line, RSTART + RLENGTH)
        }
}
