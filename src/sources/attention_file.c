/* One attention read out of a file, by the names of its arrays. */

#include "sources/attention_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/attention_masks.h"

/* A file that is being read, and behind which prefix. */
typedef struct reading {
    const sac_arrays *arrays;
    const sac_attention_request *request;
    size_t prefix;      /* bytes of the query's name before its last word … */
    const char *suffix; /* … and the number behind that, "" where there is none */
    bool *used;
} reading;

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
    if (count && size > sizeof head) {
        memcpy(text, head, sizeof head);
        sac_named_arrays_text(left, count, text + sizeof head - 1, size - sizeof head + 1);
    }
    free(left);
    return text;
}

/* ---------------------------------------------------------------- finding */

static const sac_array *find_behind(const reading *r, size_t prefix, const char *name,
                                    const char *suffix)
{
    char *whole = NULL;
    if (asprintf(&whole, "%.*s%s%s", (int)prefix, r->request->query, name, suffix) < 0)
        return NULL;
    const sac_array *found = sac_arrays_find(r->arrays, whole);
    free(whole);
    return found;
}

/* The layer's own array of that name, or that of all layers. */
static const sac_array *find(const reading *r, const char *name)
{
    const sac_array *found = find_behind(r, r->prefix, name, r->suffix);
    if (!found)
        found = find_behind(r, r->prefix, name, "");
    if (!found)
        found = sac_arrays_find(r->arrays, name);
    sac_mark_used(r->arrays, found, r->used);
    return found;
}

static const sac_array *find_any(const reading *r, const char *const names[], const char **name)
{
    for (; *names; names++) {
        const sac_array *found = find(r, *names);
        *name = *names;
        if (found)
            return found;
    }
    return NULL;
}

/* Arrays beyond the extent count as used all the same, as they say nothing about the weights.
 * Projections belong to arrays that are called query, key and value: others are projected already.
 */
static void find_layers(const reading *r, sac_attention_input *input)
{
    bool plain = strcmp(r->request->query, "query") == 0;
    bool values = r->request->extent != SAC_EXTENT_WEIGHTS;
    bool all = r->request->extent == SAC_EXTENT_ALL;
    const struct {
        const char *name;
        const sac_array **place;
        bool wanted;
    } parts[] = {
        {"score.W_q", &input->score_W_q, true},
        {"score.W_k", &input->score_W_k, true},
        {"score.w_v", &input->score_w_v, true},
        {"score.W_qk", &input->score_W_qk, true},
        {"q_proj.weight", &input->q_proj_weight, plain},
        {"q_proj.bias", &input->q_proj_bias, plain},
        {"k_proj.weight", &input->k_proj_weight, plain},
        {"k_proj.bias", &input->k_proj_bias, plain},
        {"v_proj.weight", &input->v_proj_weight, plain && values},
        {"v_proj.bias", &input->v_proj_bias, plain && values},
        {"out_proj.weight", &input->out_proj_weight, plain && all},
        {"out_proj.bias", &input->out_proj_bias, plain && all},
        {"norm.weight", &input->norm_weight, plain && all},
        {"norm.bias", &input->norm_bias, plain && all},
    };
    for (size_t i = 0; plain && i < sizeof parts / sizeof *parts; i++) {
        const sac_array *found = find(r, parts[i].name);
        *parts[i].place = parts[i].wanted ? found : NULL;
    }
    for (size_t i = 0; !plain && i < 4; i++)
        *parts[i].place = find(r, parts[i].name);
}

/* ---------------------------------------------------------------- queries, keys and values */

static void find_vectors(const reading *r, sac_attention_input *input)
{
    const char *query = r->request->query;
    const sac_array *value = sac_query_partner(r->arrays, query, 2);
    input->query = sac_arrays_find(r->arrays, query);
    input->key = sac_query_partner(r->arrays, query, 1);
    input->value = r->request->extent == SAC_EXTENT_WEIGHTS ? NULL : value;
    sac_mark_used(r->arrays, input->query, r->used);
    sac_mark_used(r->arrays, input->key, r->used);
    sac_mark_used(r->arrays, value, r->used);
}

/* [H,T,d] is [1,H,T,d]. */
static void view_as_heads(const sac_array **array, sac_array *own)
{
    const sac_array *from = *array;
    if (!from || from->rank != 3)
        return;
    size_t shape[] = {1, from->shape[0], from->shape[1], from->shape[2]};
    *own = sac_array_view(from->dtype, 4, shape, from->data);
    *array = own;
}

static sac_status read_axes(const reading *r, sac_attention_file *file, sac_error *error)
{
    const char *axes = r->request->axes;
    int rank = file->input.query ? file->input.query->rank : 0;
    static const char *const by_rank[] = {"", "", "QK", "BQK", "BHQK"};
    if (!axes || !axes[0] || (rank >= 2 && rank <= 4 && strcmp(axes, by_rank[rank]) == 0))
        return SAC_OK;
    if (rank != 3 || strcmp(axes, "HQK") != 0)
        return sac_fail(error, SAC_E_ARGUMENT, "axes",
                        "of queries and keys [H,T,d] they are HQK; else leave them out",
                        "\"%.20s\" is not how queries and keys can be read", axes);
    view_as_heads(&file->input.query, &file->own[SAC_OWN_QUERY]);
    view_as_heads(&file->input.key, &file->own[SAC_OWN_KEY]);
    view_as_heads(&file->input.value, &file->own[SAC_OWN_VALUE]);
    return SAC_OK;
}

/* ---------------------------------------------------------------- masks */

enum { BLOCKS, KEEPS, BIAS, SLOPES, PARTS };

/* The arrays of the file that hide keys from queries, or add to their scores. */
typedef struct file_masks {
    sac_mask_part parts[PARTS];
    const char *window_name;
    const sac_array *window, *padding;
} file_masks;

static void find_masks(const reading *r, file_masks *masks)
{
    static const char *const biases[] = {"bias", "attn_bias", "attention_bias", "position_bias",
                                         NULL};
    static const char *const slopes[] = {"alibi", "alibi_slopes", "slopes", NULL};
    static const char *const windows[] = {"window", "sliding_window", NULL};
    sac_mask_part *parts = masks->parts;
    parts[BLOCKS] = (sac_mask_part){"attn_mask", find(r, "attn_mask"), SAC_MASK_BLOCKS};
    parts[KEEPS] = (sac_mask_part){"attention_mask", find(r, "attention_mask"), SAC_MASK_KEEPS};
    parts[BIAS].kind = SAC_MASK_ADDS;
    parts[BIAS].array = find_any(r, biases, &parts[BIAS].name);
    parts[SLOPES].kind = SAC_MASK_SLOPES;
    parts[SLOPES].array = find_any(r, slopes, &parts[SLOPES].name);
    masks->window = find_any(r, windows, &masks->window_name);
    masks->padding = find(r, "key_padding_mask");
}

static sac_status read_window(const file_masks *masks, sac_attention_spec *spec, sac_error *error)
{
    float keys;
    const sac_array *window = masks->window;
    if (!window || spec->window)
        return SAC_OK;
    if (window->dtype == SAC_TEXT || sac_array_count(window) != 1 ||
        sac_array_to_f32(window, &keys, NULL) != SAC_OK || !(keys >= 1 && keys <= 0x1p31f))
        return sac_fail(error, SAC_E_VALUE, masks->window_name, "give how many keys a query sees",
                        "is not one number of 1 or more");
    spec->window = (size_t)keys;
    return SAC_OK;
}

static void add_mask_name(sac_attention_file *file, const char *name)
{
    size_t used = strlen(file->masks);
    snprintf(file->masks + used, sizeof file->masks - used, "%s%s", used ? ", " : "", name);
}

static void name_masks(sac_attention_file *file, const file_masks *masks)
{
    char window[40];
    if (file->spec.causal)
        add_mask_name(file, "causal");
    if (masks->padding)
        add_mask_name(file, "key padding");
    for (int i = 0; i < PARTS; i++)
        if (masks->parts[i].array)
            add_mask_name(file, masks->parts[i].name);
    snprintf(window, sizeof window, "window %zu", file->spec.window);
    if (file->spec.window)
        add_mask_name(file, window);
}

/* An attn_mask alone is taken as it is, unless it is [H,Tq,Tk]: the attention then finds its
 * mistakes, and says them in its own words. */
static sac_status merge_masks(const file_masks *masks, sac_attention_file *file, sac_error *error)
{
    const sac_mask_part *parts = masks->parts;
    sac_attention_input *input = &file->input;
    const sac_array *mask = parts[BLOCKS].array;
    bool more = parts[KEEPS].array || parts[BIAS].array || parts[SLOPES].array;
    if (!more && (!mask || mask->rank != 3)) {
        input->attn_mask = mask;
        return SAC_OK;
    }
    sac_array *own = &file->own[SAC_OWN_MASK];
    sac_status status = sac_attention_resolve(&file->spec, input, &file->shape, error);
    if (status == SAC_OK)
        status = sac_masks_merge(parts, PARTS, &file->shape, own, error);
    if (status == SAC_OK)
        input->attn_mask = own;
    return status;
}

/* ---------------------------------------------------------------- all of it */

static reading begin(const sac_arrays *arrays, const sac_attention_request *request, bool *used)
{
    reading r = {arrays, request, 0, "", used};
    sac_query_split(request->query, &r.prefix, &r.suffix);
    return r;
}

/* Puts the file's names in place of the attention's: it says `attn_mask` of a bias, and `query` of
 * q. */
static void name_source(const reading *r, const sac_attention_file *file, sac_error *error)
{
    if (strcmp(error->where, "attn_mask") == 0 && file->own[SAC_OWN_MASK].rank)
        snprintf(error->where, sizeof error->where, "%s", file->masks);
    else if (strcmp(error->where, "query") == 0)
        snprintf(error->where, sizeof error->where, "%s", r->request->query);
}

sac_status sac_attention_file_read(const sac_arrays *arrays, const sac_attention_request *request,
                                   sac_attention_file *file, sac_error *error)
{
    file_masks masks;
    sac_error wrong = {0};
    reading r = begin(arrays, request, NULL);
    *file = (sac_attention_file){.spec = request->spec};
    find_vectors(&r, &file->input);
    find_layers(&r, &file->input);
    find_masks(&r, &masks);
    sac_status status = read_axes(&r, file, &wrong);
    if (status == SAC_OK)
        status = read_window(&masks, &file->spec, &wrong);
    file->input.key_padding_mask = masks.padding;
    name_masks(file, &masks);
    if (status == SAC_OK)
        status = merge_masks(&masks, file, &wrong);
    if (status == SAC_OK)
        status = sac_attention_resolve(&file->spec, &file->input, &file->shape, &wrong);
    if (status == SAC_OK)
        return SAC_OK;
    name_source(&r, file, &wrong);
    sac_attention_file_free(file);
    if (error)
        *error = wrong;
    return status;
}

void sac_attention_file_mark(const sac_arrays *arrays, const sac_attention_request *request,
                             bool *used)
{
    file_masks masks;
    sac_attention_input input = {0};
    reading r = begin(arrays, request, used);
    find_vectors(&r, &input);
    find_layers(&r, &input);
    find_masks(&r, &masks);
}

void sac_attention_file_free(sac_attention_file *file)
{
    for (int i = 0; i < SAC_OWN_ARRAYS; i++)
        sac_array_free(&file->own[i]);
    *file = (sac_attention_file){0};
}
