/* Several places as text. */
#include "sources/heads/several.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A whole number of digits alone; false: there is none. */
static bool read_place(const char **text, size_t *place)
{
    size_t digits = strspn(*text, "0123456789");
    if (!digits || digits > 9)
        return false;
    *place = strtoul(*text, NULL, 10);
    *text += digits;
    return true;
}

sac_status sac_several_read(const char *text, size_t count, uint8_t *chosen, sac_error *error)
{
    uint8_t *read = calloc(count + 1, sizeof *read);
    const char *at = text;
    bool fits = true;
    if (!read)
        return sac_no_memory(error, "--queries");
    while (*at && fits) {
        size_t first, last;
        fits = read_place(&at, &first);
        last = first;
        if (fits && *at == '-') {
            at++;
            fits = read_place(&at, &last);
        }
        fits = fits && first <= last && last < count && (!*at || *at == ',');
        for (size_t i = first; fits && i <= last; i++)
            read[i] = 1;
        at += fits && *at == ',';
    }
    if (fits)
        memcpy(chosen, read, count);
    free(read);
    return fits ? SAC_OK
                : sac_fail(error, SAC_E_ARGUMENT, "--queries", "give their numbers, such as 3,5-8",
                           "\"%.40s\" names no queries of the %zu", text, count);
}

char *sac_several_text(const uint8_t *chosen, size_t count, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0, end; i < count && used < size; i = end) {
        for (end = i + 1; chosen[i] && end < count && chosen[end];)
            end++;
        if (!chosen[i])
            continue;
        int more = end - i == 1 ? snprintf(text + used, size - used, "%s%zu", used ? "," : "", i)
                                : snprintf(text + used, size - used, "%s%zu-%zu", used ? "," : "",
                                           i, end - 1);
        used += (size_t)more;
    }
    return text;
}
