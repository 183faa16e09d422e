/* Names behind a prefix. */
#include "saccade_arrays.h"
#include "sources/files/queries/attention_file_parts.h"
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/error.h"
#include "sources/files/queries/attention_file_parts.h"

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

static const sac_array *find_with_prefix(const sac_file_finder *f, size_t prefix, const char *name,
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
    const sac_array *found = find_with_prefix(finder, finder->prefix, name, finder->suffix);
    if (!found)
        found = find_with_prefix(finder, finder->prefix, name, "");
    if (!found)
        found = find_with_prefix(finder, 0, name, "");
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

/* ---------------------------------------------------------------- what is used */

/* The arrays of a file stand in one block of memory, in its order. */
void sac_mark_used(const sac_arrays *arrays, const sac_array *array, bool *used)
{
    size_t low = 0, high = used && array ? sac_arrays_size(arrays) : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sac_arrays_at(arrays, middle) == array)
            used[middle] = true;
        if (sac_arrays_at(arrays, middle) < array)
            low = middle + 1;
        else
            high = middle;
    }
}

char *sac_not_used_text(const sac_arrays *arrays, const bool *used, char *text, size_t size)
{
    static const char head[] = "not used: ";
    size_t total = sac_arrays_size(arrays), count = 0;
    sac_named_array *left = calloc(total + 1, sizeof *left);
    for (size_t i = 0; left && i < total; i++)
        if (!used[i])
            left[count++] = (sac_named_array){sac_arrays_name(arrays, i), sac_arrays_at(arrays, i)};
    text[0] = '\0';
    if ((count || sac_arrays_unread(arrays, 0)) && size > sizeof head) {
        memcpy(text, head, sizeof head);
        sac_named_arrays_text(left, count, text + sizeof head - 1, size - sizeof head + 1);
        sac_arrays_unread_text(arrays, text, size);
    }
    free(left);
    return text;
}

/* ---------------------------------------------------------------- layers: three layers in one array */

/* Rows of the query's layer, then of the key's and the value's: [3·D,D] as in PyTorch, and
 * [3·D] of a bias. Fewer heads of keys have fewer rows. */
static sac_status split_packed_rows(const char *name, const sac_array *array, int rank,
                                    const sac_attention_spec *spec, sac_array own[3],
                                    sac_error *error)
{
    size_t heads = spec->heads > 0 ? (size_t)spec->heads : 1;
    size_t key_heads = spec->key_heads > 0 ? (size_t)spec->key_heads : heads;
    size_t shares = heads + 2 * key_heads, from = 0, width = sac_dtype_size(array->dtype);
    char shape[160];
    bool fits = array->dtype != SAC_TEXT && array->rank == rank && array->shape[0] % shares == 0;
    if (!fits)
        return sac_fail(error, SAC_E_SHAPE, name,
                        rank == 2 ? "give [3·D,D], the rows of query, key and value in turn"
                                  : "give [3·D], those of query, key and value in turn",
                        "shape %s cannot be shared by %zu heads of queries and %zu each of keys "
                        "and values",
                        sac_array_shape_text(array, shape, sizeof shape), heads, key_heads);
    size_t columns = rank == 2 ? array->shape[1] : 1;
    for (int role = 0; role < 3; role++) {
        size_t rows = array->shape[0] / shares * (role ? key_heads : heads);
        own[role] = sac_array_view(array->dtype, rank, (size_t[]){rows, columns},
                                   (const char *)array->data + from * columns * width);
        from += rows;
    }
    return SAC_OK;
}

static sac_status read_packed_projections(const sac_file_finder *finder, sac_attention_file *file,
                                          sac_error *error)
{
    static const sac_names names[2] = {SAC_NAMES_QKV_WEIGHT, SAC_NAMES_QKV_BIAS};
    sac_attention_input *in = &file->input;
    const sac_array **places[2][3] = {
        {&in->q_proj_weight, &in->k_proj_weight, &in->v_proj_weight},
        {&in->q_proj_bias, &in->k_proj_bias, &in->v_proj_bias},
    };
    sac_status status = SAC_OK;
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        const char *name;
        const sac_array *array = sac_file_find_any(finder, names[i], &name);
        if (!array)
            continue;
        if (*places[i][0] || *places[i][1] || *places[i][2])
            return sac_fail(error, SAC_E_ARGUMENT, name, "leave one of them out",
                            "conflicts with separate layers of query, key or value");
        sac_array *own = &file->own[i ? SAC_OWN_BIAS : SAC_OWN_WEIGHT];
        status = split_packed_rows(name, array, 2 - i, &file->spec, own, error);
        int roles = finder->request->extent == SAC_EXTENT_WEIGHTS ? 2 : 3;
        for (int role = 0; role < roles && status == SAC_OK; role++)
            *places[i][role] = &own[role];
    }
    return status;
}

/* ---------------------------------------------------------------- all of them */

/* Projections belong to arrays that are called query, key and value: others are projected already.
 */
sac_status sac_file_parameters_read(const sac_file_finder *finder, sac_attention_file *file,
                                    sac_error *error)
{
    file->input.sinks = sac_file_find(finder, "sinks");
    file->input.score_W_q = sac_file_find(finder, "score.W_q");
    file->input.score_W_k = sac_file_find(finder, "score.W_k");
    file->input.score_w_v = sac_file_find(finder, "score.w_v");
    file->input.score_W_qk = sac_file_find(finder, "score.W_qk");
    if (!sac_query_is_projected(finder->request->query))
        return SAC_OK;
    bool values = finder->request->extent != SAC_EXTENT_WEIGHTS;
    bool all = finder->request->extent == SAC_EXTENT_ALL;
    const struct {
        sac_names names;
        const sac_array **place;
        bool wanted;
    } parts[] = {
        {SAC_NAMES_Q_WEIGHT, &file->input.q_proj_weight, true},
        {SAC_NAMES_Q_BIAS, &file->input.q_proj_bias, true},
        {SAC_NAMES_K_WEIGHT, &file->input.k_proj_weight, true},
        {SAC_NAMES_K_BIAS, &file->input.k_proj_bias, true},
        {SAC_NAMES_V_WEIGHT, &file->input.v_proj_weight, values},
        {SAC_NAMES_V_BIAS, &file->input.v_proj_bias, values},
        {SAC_NAMES_OUT_WEIGHT, &file->input.out_proj_weight, all},
        {SAC_NAMES_OUT_BIAS, &file->input.out_proj_bias, all},
        {SAC_NAMES_NORM_WEIGHT, &file->input.norm_weight, all},
        {SAC_NAMES_NORM_BIAS, &file->input.norm_bias, all},
    };
    sac_file_finder others = *finder; /* for what has no part in what is requested */
    others.unread = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *name;
        const sac_array *found =
            sac_file_find_any(parts[i].wanted ? finder : &others, parts[i].names, &name);
        *parts[i].place = parts[i].wanted ? found : NULL;
    }
    return read_packed_projections(finder, file, error);
}
