/* The names of arrays that would change the weights, and how each is handled. */

#include "sources/files/queries/attention_file_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"

/* How an array of a known name is handled. */
typedef enum effect {
    CHANGES,          /* the numbers: refused */
    CHANGES_IF_TRUE,  /* a switch: refused unless it is 0 */
    BELONGS_TO_INPUT, /* of vectors before their projections: refused beside those, else noted */
} effect;

typedef struct other {
    const char *names[10]; /* the last is NULL */
    effect effect;
    const char *what, *remedy; /* BELONGS_TO_INPUT: the error for vectors that are projected */
} other;

static const char leave_out[] = "leave it out of the file, or with --leave-out, if that is meant";

static const other others[] = {
    {{"bias_k", "bias_v"},
     CHANGES,
     "adds a key and a value to each sentence, which is not supported",
     leave_out},
    {{"add_zero_attn"}, CHANGES_IF_TRUE, "adds a key of zeros, which is not supported", leave_out},
    {{"head_mask", "layer_head_mask", "cross_attn_head_mask", "dropout_mask"},
     CHANGES,
     "multiplies the weights, which is not supported",
     leave_out},
    {{"cu_seqlens", "cu_seqlens_q", "cu_seqlens_k", "seqlens_k", "cache_seqlens", "seqused_k",
      "seq_lens", "block_table", "page_table"},
     CHANGES,
     "means that several sentences share a row, which is not supported",
     "give each sentence as an item, with a key_padding_mask"},
    {{"k_cache", "v_cache", "key_cache", "value_cache", "past_key", "past_value", "past_keys",
      "past_values", "past_key_values"},
     CHANGES,
     "holds keys or values that come before those of the file",
     "join them to key and value, or leave it out with --leave-out"},
    {{"relative_position_bias_table", "rel_pos_h", "rel_pos_w", "relative_attention_bias.weight",
      "rel_pos_bias.relative_position_bias_table", "rel_embeddings.weight"},
     CHANGES,
     "is a table of a position bias, which is not worked out here",
     "give the bias [H,Tq,Tk] that it stands for, or leave it out with --leave-out"},
    {{"q_descale", "k_descale", "v_descale", "q_scale", "k_scale", "v_scale"},
     CHANGES,
     "scales numbers of 8 bits, which is not supported",
     "multiply query, key or value by it"},
    {{"logit_scale", "temperature", "tau"},
     CHANGES,
     "changes the scale of the scores",
     "give the factor as scale, or leave it out with --leave-out"},
    {{"mask", "padding_mask", "causal_mask", "query_mask", "attention_bias_mask"},
     CHANGES,
     "has a name that does not define whether 1 hides a key or keeps it",
     "call it attn_mask or key_padding_mask (true = hidden), or attention_mask (1 = kept)"},
    {{"q_norm.weight", "k_norm.weight", "q_norm.bias", "k_norm.bias"},
     BELONGS_TO_INPUT,
     "queries and keys are taken as normed already",
     "give query and key behind their norm, as q and k"},
    {{"cos", "sin", "rotary_cos", "rotary_sin", "cos_cached", "sin_cached", "freqs_cis",
      "rotary_emb", "inv_freq"},
     BELONGS_TO_INPUT,
     "queries and keys are taken as rotated already",
     "give query and key behind their rotation, as q and k"},
    {{"in_proj_weight", "qkv.weight", "Wqkv.weight", "q_proj.weight", "k_proj.weight",
      "v_proj.weight"},
     BELONGS_TO_INPUT,
     "queries and keys are taken as projected already",
     "give query and key in front of their projection, as query and key"},
};
enum { OTHERS = sizeof others / sizeof *others };

static bool is_zero(const sac_array *array)
{
    float number;
    return array->dtype != SAC_TEXT && sac_array_count(array) == 1 &&
           sac_array_to_f32(array, &number, NULL) == SAC_OK && number == 0;
}

/* True of vectors before their projections, and of a packed qkv: timm applies its norms after it.
 */
static bool is_input(const sac_file_finder *finder, const sac_attention_file *file)
{
    const sac_array *parts[3];
    sac_packing packing = sac_query_find(finder->arrays, finder->request->query, parts);
    return file->input.q_proj_weight || file->input.k_proj_weight || packing == SAC_PACK_QKV;
}

static sac_status check_known(const sac_file_finder *finder, const other *o, bool is_raw,
                              sac_attention_file *file, sac_error *error)
{
    bool noted = false;
    for (int i = 0; o->names[i]; i++) {
        const sac_array *array = sac_file_find(finder, o->names[i]);
        if (!array || (o->effect == CHANGES_IF_TRUE && is_zero(array)))
            continue;
        if (o->effect != BELONGS_TO_INPUT || is_raw)
            return sac_fail(error, SAC_E_ARGUMENT, o->names[i], o->remedy, "%s", o->what);
        if (!noted)
            sac_file_note(file, "%s is not used: %s", o->names[i], o->what);
        noted = true;
    }
    return SAC_OK;
}

/* The array's name without the query's prefix; NULL: it belongs to another layer. */
static const char *own_name(const sac_file_finder *finder, const char *name)
{
    size_t prefix = finder->prefix;
    bool is_own = strncmp(name, finder->request->query, prefix) == 0;
    const char *rest = is_own ? name + prefix : name;
    return strpbrk(rest, is_own ? "./:" : "./:0123456789") ? NULL : rest;
}

static bool ends_in(const char *name, const char *tail)
{
    size_t length = strlen(name), size = strlen(tail);
    return length >= size && strcmp(name + length - size, tail) == 0;
}

static bool describes_queries(const sac_array *array, const sac_attention_shape *shape)
{
    size_t last = array->rank ? array->shape[array->rank - 1] : 0;
    return array->rank <= 2 && last == shape->queries && last != shape->keys;
}

sac_status sac_file_unknown_check(const sac_file_finder *finder, const sac_attention_file *file,
                                  const bool *used, sac_error *error)
{
    for (size_t i = 0; i < sac_arrays_size(finder->arrays); i++) {
        const sac_array *array = sac_arrays_at(finder->arrays, i);
        const char *name = own_name(finder, sac_arrays_name(finder->arrays, i));
        bool is_mask = name && ends_in(name, "mask"), is_bias = name && ends_in(name, "_bias");
        if (used[i] || (!is_mask && !is_bias) || sac_name_is(SAC_NAMES_HARMLESS_MASK, name) ||
            array->dtype == SAC_TEXT || describes_queries(array, &file->shape) ||
            sac_file_is_left_out(finder, sac_arrays_name(finder->arrays, i), name))
            continue;
        return sac_fail(error, SAC_E_ARGUMENT, sac_arrays_name(finder->arrays, i),
                        is_mask ? "call it attn_mask (true = hidden) or attention_mask (1 = kept), "
                                  "or leave it out with --leave-out"
                                : "call it bias, or leave it out with --leave-out",
                        "is a %s by a name that is not known, or one too many",
                        is_mask ? "mask" : "bias");
    }
    return SAC_OK;
}

sac_status sac_file_others_check(const sac_file_finder *finder, sac_attention_file *file,
                                 sac_error *error)
{
    bool is_raw = is_input(finder, file);
    bool projects = sac_query_is_projected(finder->request->query);
    sac_status status = SAC_OK;
    for (int i = 0; i < OTHERS && status == SAC_OK; i++) {
        bool are_projections = strcmp(others[i].names[0], "in_proj_weight") == 0;
        if (!are_projections || !projects)
            status = check_known(finder, &others[i], is_raw && !are_projections, file, error);
    }
    return status;
}
