/* Names behind a prefix. */

#include "saccade_arrays.h"
#include "sources/files/queries/attention_file_parts.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

sac_file_finder sac_file_finder_begin(const sac_arrays *arrays,
                                      const sac_attention_request *request, bool *used)
{
    sac_file_finder finder = {arrays, request, 0, "", used, NULL};
    sac_query_split(request->query, &finder.prefix, &finder.suffix);
    return finder;
}

bool sac_file_is_left_out(const sac_file_finder *finder, const char *whole, const char *name)
{
    const char *list = finder->request->leave_out;
    for (size_t length; list && *list; list += length + (list[length] == ',')) {
        char pattern[256];
        length = strcspn(list, ",");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, list);
        if (fnmatch(pattern, whole, FNM_NOESCAPE) == 0 || fnmatch(pattern, name, FNM_NOESCAPE) == 0)
            return true;
    }
    return false;
}

static const sac_array *find_named(const sac_file_finder *f, const char *name)
{
    const sac_array *found = sac_arrays_find(f->arrays, name);
    if (!found && f->unread && !*f->unread && sac_arrays_unread_reason(f->arrays, name))
        *f->unread = sac_unread_find(f->arrays, name);
    return found;
}

static const sac_array *find_behind(const sac_file_finder *f, size_t prefix, const char *name,
                                    const char *suffix)
{
    char *whole = NULL;
    if (asprintf(&whole, "%.*s%s%s", (int)prefix, f->request->query, name, suffix) < 0)
        return NULL;
    const sac_array *found = sac_file_is_left_out(f, whole, name) ? NULL : find_named(f, whole);
    free(whole);
    return found;
}

const sac_array *sac_file_find(const sac_file_finder *finder, const char *name)
{
    const sac_array *found = find_behind(finder, finder->prefix, name, finder->suffix);
    if (!found)
        found = find_behind(finder, finder->prefix, name, "");
    if (!found)
        found = find_behind(finder, 0, name, "");
    sac_mark_used(finder->arrays, found, finder->used);
    return found;
}

const sac_array *sac_file_find_any(const sac_file_finder *finder, sac_names list, const char **name)
{
    for (const char *const *names = sac_names_of[list]; *names; names++) {
        const sac_array *found = sac_file_find(finder, *names);
        *name = *names;
        if (found)
            return found;
    }
    return NULL;
}

void sac_file_note(sac_attention_file *file, const char *format, ...)
{
    size_t used = strlen(file->note);
    va_list arguments;
    if (used && used + 2 < sizeof file->note)
        used += (size_t)snprintf(file->note + used, sizeof file->note - used, "; ");
    va_start(arguments, format);
    vsnprintf(file->note + used, sizeof file->note - used, format, arguments);
    va_end(arguments);
}
