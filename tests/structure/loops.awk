# Of readers of files, the loops that may take long, as "FILE FUNCTION: what": loops within loops over what a file counts, in
# a function that does not ask whether to stop; and in a loop what looks at all of a list, by a name or a number.
# No such loops are those over a table of our own (sizeof, a constant), over what belongs to the item of the loop
# around (`k < item[i].count`, a list in a list), where the one around goes on behind it (`i = next`), and over the axes of
# one array (`rows` and `columns`), whose numbers are each looked at once.
function is_loop(line) { return line ~ /(ArrayForEach|(^|[^a-z_])(for|while)) ?\(/ }
function is_of_ours(line) { return line ~ /(^|[^a-z_])for \(.*[<>]=? (sizeof [^;]*|[0-9]+|[A-Z][A-Z0-9_]+)( [-+] [0-9A-Z_]+)?( &&[^;]*)?;/ }
function is_of_axis(line) { return line ~ /[<>]=? [^;]*(rows|columns|cols|width|height|cells|queries|keys|heads|layers|maps|items|channels|grid_w|grid_h|tile_h|SAC_AXIS_.\]|shape\[[^;]*\])( - [a-z0-9_]+)?( &&[^;]*)?;/ }

function counts(line) { return is_loop(line) && !is_of_ours(line) && line ~ /count|size|ArrayForEach|next|length|shape|rows|columns/ }
# Two of the same place, or neighbours; or what a name of our own is looked for in.
function is_of_a_pair(line) { return line ~ /strcmp\([^,]*\[[^,]*, [^,]*\[/ || line ~ /strcmp\([^,]*, ("[^"]*"|[A-Z_]+)\)/ }
function variable_of(line,  name)
{
    name = line
    if (name ~ /ArrayForEach ?\(/)
        sub(/.*ArrayForEach ?\(/, "", name)
    else {
        sub(/.*(for|while) \(/, "", name)
        sub(/^(const )?[a-z_0-9]+ \**/, "", name)
    }
    sub(/[^a-z_0-9A-Z].*/, "", name)
    return name
}
# The loop is over what the loop around stands at.
function is_of_item(line, around,  name)
{
    name = variable_of(around)
    if (around ~ /; [a-z_]+ = (next|end|until)\)/ || (is_of_axis(line) && is_of_axis(around)))
        return 1
    if (line ~ /ArrayForEach/)
        return line ~ (", *" name "\\)")
    return line ~ ("[<>!]=? [^;]*\\[" name "\\]")
}
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
    if (depth > 0 && counts($0) && !is_of_item($0, at_depth[depth]))
        what[++found] = "loop in a loop"
    while (tables > 0 && $0 ~ /[^ ]/ && indent <= table[tables])
        tables--
    if (is_loop($0) && is_of_ours($0))
        table[++tables] = indent
    if ((depth > 0 || (is_loop($0) && !is_of_ours($0))) && $0 ~ /strcmp\(/ && !tables && !is_of_a_pair($0))
        what[++found] = "compares with each"
    if ((depth > 0 || is_loop($0)) && $0 ~ /cJSON_GetArrayItem\([^,]*, [a-z]/)
        what[++found] = "counts a list anew"
    if ((depth > 0 || is_loop($0)) && $0 ~ /cJSON_GetObjectItem(CaseSensitive)?\([^()]*(\([^()]*\))?[^()]*, [a-z]/)
        what[++found] = "looks at all keys"
    if (counts($0)) {
        level[++depth] = indent
        at_depth[depth] = $0
    }
}
/^}/ { end_function() }
