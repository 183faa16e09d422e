/* Groups of arrays: names compared number by number. */

#include "sources/files/array_groups.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/cancel.h"
#include "base/error.h"
#include "saccade_arrays.h"

/* Numbers of a name that are compared; further ones are taken as they are. A name that is longer is a
 * group of its own: each group looks at all names. */
enum { MAX_NUMBERS = 16, LONG_NAME = 512 };

typedef struct member {
    sac_named_array named;
    unsigned long layer;
    bool taken;
} member;

/* ---------------------------------------------------------------- numbers in names */

/* Finds where number `index` of the name begins; false: it has no such number. */
static bool find_number(const char *name, int index, size_t *at)
{
    for (size_t i = 0; name[i]; i++)
        if (isdigit((unsigned char)name[i]) && (!i || !isdigit((unsigned char)name[i - 1])) &&
            index-- == 0) {
            *at = i;
            return true;
        }
    return false;
}

static bool is_same_form(const sac_array *a, const sac_array *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

/* True where `other` is `first` but for the number at `at`. */
static bool is_layer_of(const sac_named_array *first, size_t at, const sac_named_array *other,
                        unsigned long *layer)
{
    const char *tail = first->name + at + strspn(first->name + at, "0123456789");
    char *end;
    if (strncmp(first->name, other->name, at) != 0 || !isdigit((unsigned char)other->name[at]))
        return false;
    *layer = strtoul(other->name + at, &end, 10);
    return strcmp(end, tail) == 0 && is_same_form(first->array, other->array);
}

/* ---------------------------------------------------------------- one group */

/* The number by which most others differ from the first; false: there is none but itself. */
static bool choose_number(const member *members, size_t count, size_t first, size_t *best)
{
    size_t at, most = 1;
    for (int n = 0; n < MAX_NUMBERS && find_number(members[first].named.name, n, &at); n++) {
        size_t layers = 0;
        unsigned long layer;
        for (size_t i = first; i < count; i++)
            layers += !members[i].taken &&
                      is_layer_of(&members[first].named, at, &members[i].named, &layer);
        if (layers > most) {
            most = layers;
            *best = at;
        }
    }
    return most > 1;
}

static int by_layer(const void *a, const void *b)
{
    unsigned long x = ((const member *)a)->layer, y = ((const member *)b)->layer;
    return (x > y) - (x < y);
}

/* The group of member `first`, gathered into `scratch` [count]. */
static sac_status make_group(member *members, size_t count, size_t first, member *scratch,
                             sac_array_group *group, sac_error *error)
{
    size_t at = 0, found = 0;
    bool several =
        strlen(members[first].named.name) <= LONG_NAME && choose_number(members, count, first, &at);
    for (size_t i = first; i < count; i++) {
        member *m = &members[i];
        bool belongs = i == first || (several && !m->taken);
        if (!belongs || (several && !is_layer_of(&members[first].named, at, &m->named, &m->layer)))
            continue;
        m->taken = true;
        scratch[found++] = *m;
    }
    qsort(scratch, found, sizeof *scratch, by_layer);
    group->layers = calloc(found, sizeof *group->layers);
    group->numbers = several ? calloc(found, sizeof *group->numbers) : NULL;
    if (!group->layers || (several && !group->numbers))
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu layers", found);
    for (size_t i = 0; i < found; i++) {
        group->layers[i] = scratch[i].named;
        if (several)
            group->numbers[i] = scratch[i].layer;
    }
    group->count = found;
    size_t digits = strspn(members[first].named.name + at, "0123456789");
    if (several)
        snprintf(group->name, sizeof group->name, "%.*s*%s", (int)at, members[first].named.name,
                 members[first].named.name + at + digits);
    else
        snprintf(group->name, sizeof group->name, "%s", members[first].named.name);
    return SAC_OK;
}

/* ---------------------------------------------------------------- all groups */

void sac_array_groups_free(sac_array_groups *groups)
{
    for (size_t i = 0; groups->group && i < SAC_MAX_GROUPS; i++) {
        free(groups->group[i].layers);
        free(groups->group[i].numbers);
        free(groups->group[i].pieces);
    }
    free(groups->group);
    *groups = (sac_array_groups){0};
}

sac_status sac_array_groups_make(const sac_named_array *arrays, size_t count,
                                 sac_array_groups *groups, sac_error *error)
{
    member *members = calloc(2 * count + 1, sizeof *members), *scratch = members + count;
    if (!groups->group)
        groups->group = calloc(SAC_MAX_GROUPS, sizeof *groups->group);
    sac_status status = SAC_OK;
    if (!members || !groups->group)
        status = sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu arrays", count);
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        members[i].named = arrays[i];
    for (size_t i = 0; i < count && status == SAC_OK && !groups->more; i++) {
        if (members[i].taken)
            continue;
        groups->more = groups->count == SAC_MAX_GROUPS;
        status = sac_cancel_check(members[i].named.name, error);
        if (!groups->more && status == SAC_OK)
            status = make_group(members, count, i, scratch, &groups->group[groups->count++], error);
    }
    free(members);
    if (status != SAC_OK)
        sac_array_groups_free(groups);
    return status;
}

void sac_array_group_sizes(const sac_array_group *group, size_t *queries, size_t *keys)
{
    size_t arrays = group->pieces ? group->piece_count : 1;
    *queries = *keys = 0;
    for (size_t i = 0; i < arrays; i++) {
        const sac_array *array = group->pieces ? group->pieces[i].array : group->layers[0].array;
        *queries += array->rank < 2 ? 1 : array->shape[array->rank - 2];
        *keys = group->own_keys ? *queries : array->shape[array->rank - 1];
    }
}

/* ---------------------------------------------------------------- as text */

/* Adds number `i` of `count` to a list; false where only "… and 12 more" had room. */
static bool add_to_list(const char *name, const sac_array *array, size_t i, size_t count,
                        char *text, size_t size)
{
    enum { TAIL = 40 }; /* room for " … and 12345 more" */
    char shape[160];
    size_t used = strlen(text);
    const char *between = i ? ", " : "";
    sac_array_shape_text(array, shape, sizeof shape);
    bool fits = used + strlen(name) + strlen(shape) + 3 + TAIL <= size;
    if (fits)
        snprintf(text + used, size - used, "%s%s %s", between, name, shape);
    else
        snprintf(text + used, size - used, "%s… and %zu more", between, count - i);
    return fits;
}

char *sac_named_arrays_text(const sac_named_array *arrays, size_t count, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0;
         i < count && add_to_list(arrays[i].name, arrays[i].array, i, count, text, size); i++)
        continue;
    return text;
}

char *sac_arrays_text(const sac_arrays *arrays, char *text, size_t size)
{
    size_t count = sac_arrays_size(arrays);
    text[0] = '\0';
    for (size_t i = 0; i < count && add_to_list(sac_arrays_name(arrays, i),
                                                sac_arrays_at(arrays, i), i, count, text, size);
         i++)
        continue;
    sac_arrays_unread_text(arrays, text, size);
    return text;
}

const char *sac_unread_find(const sac_arrays *arrays, const char *name)
{
    const char *unread = NULL;
    for (size_t i = 0; (unread = sac_arrays_unread(arrays, i)); i++)
        if (strcmp(unread, name) == 0 || fnmatch(name, unread, FNM_NOESCAPE) == 0)
            break;
    return unread;
}

char *sac_array_groups_text(const sac_array_groups *groups, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < groups->count; i++) {
        const sac_array_group *group = &groups->group[i];
        sac_array whole = *group->layers[0].array; /* as if its steps were one */
        size_t queries, keys;
        sac_array_group_sizes(group, &queries, &keys);
        if (group->pieces) {
            whole.shape[whole.rank - 2] = queries;
            whole.shape[whole.rank - 1] = keys;
        }
        if (!add_to_list(group->name, &whole, i, groups->count, text, size))
            break;
    }
    return text;
}
