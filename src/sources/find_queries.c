/* The arrays of a file that hold queries, keys and values, found by their names. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/attention_file.h"

/* The names of a query, its key and its value. */
static const char *const families[][3] = {
    {"query", "key", "value"},
    {"q", "k", "v"},
    {"Q", "K", "V"},
    {"queries", "keys", "values"},
    {"query_states", "key_states", "value_states"},
    {"query_layer", "key_layer", "value_layer"},
    {"q_proj", "k_proj", "v_proj"},
    {"to_q", "to_k", "to_v"},
};
enum { FAMILIES = sizeof families / sizeof *families };

static bool ends_in(const char *name, size_t length, const char *tail)
{
    size_t size = strlen(tail);
    return length >= size && memcmp(name + length - size, tail, size) == 0;
}

/* True where a word may begin at `at`: the name's first, one behind a separator, or, as in
 * "layer3_q" and "attn_q", behind a _ that follows a number or the attention's own name. "W_q" is a
 * weight. */
static bool begins_word(const char *name, size_t at)
{
    if (at == 0 || strchr("./:", name[at - 1]))
        return true;
    return name[at - 1] == '_' && at > 1 &&
           (isdigit((unsigned char)name[at - 2]) || ends_in(name, at - 1, "attn") ||
            ends_in(name, at - 1, "attention"));
}

/* True where `word` is the last one of the name, but for a number: "q", "h.3.q", "h.q.3", "q_3". */
static bool is_last_word(const char *name, const char *word, size_t *at)
{
    size_t end = strlen(name), size = strlen(word);
    while (end && (isdigit((unsigned char)name[end - 1]) || strchr("./:_", name[end - 1])))
        end--;
    *at = end - size;
    return ends_in(name, end, word) && begins_word(name, *at);
}

/* The name's family; −1: these are no queries. */
static int find_family(const char *name, size_t *at)
{
    for (int f = 0; f < FAMILIES; f++)
        if (is_last_word(name, families[f][0], at))
            return f;
    return -1;
}

void sac_query_split(const char *query, size_t *prefix, const char **suffix)
{
    int f = find_family(query, prefix);
    *suffix = f < 0 ? "" : query + *prefix + strlen(families[f][0]);
    if (f < 0)
        *prefix = 0;
}

const sac_array *sac_query_partner(const sac_arrays *arrays, const char *query, int role)
{
    size_t at;
    char *name = NULL;
    int f = find_family(query, &at);
    if (f < 0 || asprintf(&name, "%.*s%s%s", (int)at, query, families[f][role],
                          query + at + strlen(families[f][0])) < 0)
        return NULL;
    const sac_array *partner = sac_arrays_find(arrays, name);
    free(name);
    return partner;
}

/* A single vector is no sequence of vectors. Other mistakes of an array are found when it is read.
 */
static bool may_be_vectors(const sac_array *array)
{
    return array->dtype != SAC_TEXT && array->rank >= 2;
}

sac_status sac_queries_find(const sac_arrays *arrays, const char *wanted, sac_array_groups *groups,
                            sac_error *error)
{
    size_t total = sac_arrays_size(arrays), count = 0;
    *groups = (sac_array_groups){0};
    sac_named_array *found = calloc(total + 1, sizeof *found);
    if (!found)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "no memory for %zu arrays", total);
    for (size_t i = 0; i < total; i++) {
        sac_named_array named = {sac_arrays_name(arrays, i), sac_arrays_at(arrays, i)};
        bool fits = !wanted || strcmp(wanted, named.name) == 0 ||
                    fnmatch(wanted, named.name, FNM_NOESCAPE) == 0;
        if (fits && may_be_vectors(named.array) && sac_query_partner(arrays, named.name, 1))
            found[count++] = named;
    }
    sac_status status = sac_array_groups_make(found, count, groups, error);
    free(found);
    return status;
}
