/* Scales of heads as text, and what they change. */
#include "sources/heads/head_scales.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MOST 100.0f /* of a scale: more is a mistake in writing */

void sac_heads_effect_free(sac_heads_effect *effect)
{
    free(effect->before);
    free(effect->now);
    free(effect->changes);
    *effect = (sac_heads_effect){0};
}

bool sac_head_scales_are_all_one(const float *scale, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (scale[i] != 1)
            return false;
    return true;
}

static sac_status refuse(const char *part, sac_error *error)
{
    return sac_fail(error, SAC_E_ARGUMENT, "--without",
                    "give LAYER.HEAD, several with commas, such as 3.2,5.0; 3.2=0.5 halves it",
                    "\"%.40s\" is not a head", part);
}

/* A whole number of digits alone. */
static bool read_number(const char **text, size_t *number)
{
    size_t digits = strspn(*text, "0123456789");
    *number = digits && digits < 7 ? strtoul(*text, NULL, 10) : 0;
    *text += digits;
    return digits && digits < 7;
}

/* One head, up to a comma or the end. */
static sac_status read_head(const char **text, size_t layers, size_t heads, float *scale,
                            sac_error *error)
{
    const char *begin = *text, *at = begin;
    size_t layer, head;
    float by = 0;
    if (!read_number(&at, &layer) || *at++ != '.' || !read_number(&at, &head))
        return refuse(begin, error);
    if (*at == '=') {
        char *end;
        by = strtof(++at, &end);
        if (end == at || !(by >= 0 && by <= MOST))
            return refuse(begin, error);
        at = end;
    }
    if (*at && *at != ',')
        return refuse(begin, error);
    if (layer >= layers || head >= heads)
        return sac_fail(error, SAC_E_ARGUMENT, "--without", "give a layer and head that there is",
                        "%zu.%zu is none of %zu layers × %zu heads", layer, head, layers, heads);
    scale[layer * heads + head] = by;
    *text = at;
    return SAC_OK;
}

sac_status sac_head_scales_read(const char *text, size_t layers, size_t heads, float *scale,
                                sac_error *error)
{
    size_t count = layers * heads;
    float *read = malloc((count + 1) * sizeof *read);
    sac_status status = read ? SAC_OK : sac_no_memory(error, "--without");
    for (size_t i = 0; i < count && read; i++)
        read[i] = 1;
    while (*text && status == SAC_OK) {
        status = read_head(&text, layers, heads, read, error);
        if (status == SAC_OK && *text == ',' && !*++text)
            status = refuse(",", error);
    }
    if (status == SAC_OK && count)
        memcpy(scale, read, count * sizeof *scale);
    free(read);
    return status;
}

char *sac_head_scales_text(const float *scale, size_t layers, size_t heads)
{
    enum { LONGEST = 48 }; /* "999999.999999=1.17549435e-38," */
    size_t named = 0, used = 0;
    for (size_t i = 0; i < layers * heads; i++)
        named += scale[i] != 1;
    char *text = calloc(named + 1, LONGEST);
    for (size_t i = 0; i < layers * heads && text; i++) {
        if (scale[i] == 1)
            continue;
        used += (size_t)snprintf(text + used, LONGEST, "%s%zu.%zu", used ? "," : "", i / heads,
                                 i % heads);
        if (scale[i] != 0)
            used += (size_t)snprintf(text + used, LONGEST, "=%.6g", (double)scale[i]);
    }
    return text;
}
