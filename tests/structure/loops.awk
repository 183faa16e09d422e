# Of readers of files, the loops that may take long, as "FILE FUNCTION: what": loops within loops over what a file counts, in
# a function that does not ask whether to stop; and in a loop what looks at all of a list, by a name or a number.
function is_loop(line) { return line ~ /(ArrayForEach|(^|[^a-z_])(for|while)) ?\(/ }
function counts(line) { return is_loop(line) && line ~ /count|size|ArrayForEach|next|length|shape|rows|columns/ }
function end_function(  i)
{
    for (i = 1; i <= found; i++)
        if (!(asks && what[i] ~ /^loop/))
            print FILENAME " " name ": " what[i]
    found = depth = asks = 0
}
FNR == 1 { depth = found = asks = 0; name = "" }
/^[a-z].*\(/ && !/;$/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    depth = found = asks = 0
}
/sac_cancel/ { asks = 1 }
{
    match($0, /^ */)
    if ($0 ~ /[^ ]/)
        while (depth > 0 && RLENGTH <= level[depth])
            depth--
    indent = RLENGTH
    if (depth > 0 && counts($0))
        what[++found] = "loop in a loop"
    if ((depth > 0 || is_loop($0)) && $0 ~ /strcmp\(/)
        what[++found] = "compares with each"
    if ((depth > 0 || is_loop($0)) && $0 ~ /cJSON_GetArrayItem\([^,]*, [a-z]/)
        what[++found] = "counts a list anew"
    if ((depth > 0 || is_loop($0)) && $0 ~ /cJSON_GetObjectItem(CaseSensitive)?\([^()]*(\([^()]*\))?[^()]*, [a-z]/)
        what[++found] = "looks at all keys"
    if (counts($0))
        level[++depth] = indent
}
/^}/ { end_function() }
