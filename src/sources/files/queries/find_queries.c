/* The arrays of a file that hold queries, keys and values, found by their names. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/names.h"
#include "sources/files/queries/attention_file.h"

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

typedef enum name_kind { NOT_A_QUERY, A_FAMILY, PACKED, ITSELF } name_kind;

/* A query's name: what its last word is, where that begins, and which it is of its kind. */
typedef struct query_name {
    name_kind kind;
    size_t at;
    const char *word;
    int family;
} query_name;

static bool match_last_word(const char *name, sac_names list, query_name *found)
{
    const char *const *words = sac_names_of[list];
    for (int i = 0; words[i]; i++)
        if (is_last_word(name, words[i], &found->at)) {
            found->word = words[i];
            return true;
        }
    return false;
}

static query_name read_name(const char *name)
{
    query_name found = {NOT_A_QUERY, 0, "", 0};
    for (int f = 0; f < SAC_NAME_FAMILIES; f++)
        if (is_last_word(name, sac_query_families[f][0], &found.at))
            return (query_name){A_FAMILY, found.at, sac_query_families[f][0], f};
    if (match_last_word(name, SAC_NAMES_QKV, &found))
        found.kind = PACKED;
    else if (match_last_word(name, SAC_NAMES_INPUT, &found))
        found.kind = ITSELF;
    return found;
}

void sac_query_split(const char *query, size_t *prefix, const char **suffix)
{
    query_name name = read_name(query);
    bool is_one = name.kind != NOT_A_QUERY;
    *prefix = is_one ? name.at : 0;
    *suffix = is_one ? query + name.at + strlen(name.word) : "";
}

bool sac_query_is_projected(const char *query)
{
    return strcmp(query, sac_query_families[0][0]) == 0 || read_name(query).kind == ITSELF;
}

/* That word in place of the query's own; NULL: no memory. */
static char *sibling_name(const char *query, const query_name *name, const char *word)
{
    char *whole = NULL;
    if (asprintf(&whole, "%.*s%s%s", (int)name->at, query, word,
                 query + name->at + strlen(name->word)) < 0)
        return NULL;
    return whole;
}

static const sac_array *find_sibling_array(const sac_arrays *arrays, const char *query,
                                           const query_name *name, const char *word)
{
    char *whole = sibling_name(query, name, word);
    const sac_array *found = sac_arrays_find(arrays, whole);
    free(whole);
    return found;
}

const char *sac_query_unread(const sac_arrays *arrays, const char *query)
{
    query_name name = read_name(query);
    const char *unread = NULL;
    if (sac_arrays_unread_reason(arrays, query))
        return sac_unread_find(arrays, query);
    for (int role = 1; role < 3 && name.kind == A_FAMILY && !unread; role++) {
        char *whole = sibling_name(query, &name, sac_query_families[name.family][role]);
        if (sac_arrays_unread_reason(arrays, whole))
            unread = sac_unread_find(arrays, whole);
        free(whole);
    }
    return unread;
}

static bool has_projection(const sac_arrays *arrays, const char *query, const query_name *name)
{
    const char *const *weights = sac_names_of[SAC_NAMES_ANY_PROJECTION];
    for (int i = 0; weights[i]; i++)
        if (find_sibling_array(arrays, query, name, weights[i]))
            return true;
    return false;
}

sac_packing sac_query_find(const sac_arrays *arrays, const char *query, const sac_array *found[3])
{
    query_name name = read_name(query);
    const sac_array *itself = sac_arrays_find(arrays, query);
    found[0] = itself;
    found[1] = found[2] = NULL;
    if (!itself || name.kind == NOT_A_QUERY)
        return SAC_PACK_NONE;
    bool is_self = name.kind == ITSELF && has_projection(arrays, query, &name);
    if (name.kind == PACKED || is_self) {
        found[1] = found[2] = itself;
        return is_self ? SAC_PACK_NONE : SAC_PACK_QKV;
    }
    if (name.kind == ITSELF)
        return SAC_PACK_NONE;
    for (int role = 1; role < 3; role++)
        found[role] =
            find_sibling_array(arrays, query, &name, sac_query_families[name.family][role]);
    const char *const *together = sac_names_of[SAC_NAMES_KV];
    for (int i = 0; together[i] && !found[1] && !found[2]; i++) {
        found[1] = find_sibling_array(arrays, query, &name, together[i]);
        if (found[1]) {
            found[2] = found[1];
            return SAC_PACK_KV;
        }
    }
    return SAC_PACK_NONE;
}

sac_status sac_queries_find(const sac_arrays *arrays, const char *wanted, sac_array_groups *groups,
                            sac_error *error)
{
    size_t total = sac_arrays_size(arrays), count = 0;
    *groups = (sac_array_groups){0};
    sac_named_array *found = calloc(total + 1, sizeof *found);
    if (!found)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu arrays", total);
    for (size_t i = 0; i < total; i++) {
        sac_named_array named = {sac_arrays_name(arrays, i), sac_arrays_at(arrays, i)};
        bool fits = !wanted || strcmp(wanted, named.name) == 0 ||
                    fnmatch(wanted, named.name, FNM_NOESCAPE) == 0;
        const sac_array *parts[3];
        sac_query_find(arrays, named.name, parts);
        /* A single vector is no sequence of vectors. Other mistakes of an array are found when it is read. */
        if (fits && named.array->dtype != SAC_TEXT && named.array->rank >= 2 && parts[1])
            found[count++] = named;
    }
    sac_status status = sac_array_groups_make(found, count, groups, error);
    free(found);
    return status;
}
