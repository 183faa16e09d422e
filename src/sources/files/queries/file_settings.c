/* Settings by name, and what each does to a spec. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sources/files/queries/attention_file_parts.h"

/* One number or two, as float64 holds them: `count` is 0 where the file has none. */
typedef struct setting {
    const char *name;
    double number[2];
    size_t count;
} setting;

static sac_status read_numbers(const sac_file_finder *finder, sac_names names, size_t most,
                               setting *s, sac_error *error)
{
    char shape[160];
    float numbers[2];
    *s = (setting){0};
    const sac_array *array = sac_file_find_any(finder, names, &s->name);
    if (!array)
        return SAC_OK;
    size_t count = sac_array_count(array);
    if (array->dtype == SAC_TEXT || count < 1 || count > most)
        return sac_fail(error, SAC_E_VALUE, s->name,
                        most == 1 ? "give one number" : "give one number, or a pair",
                        "%s %s is not one number%s", sac_dtype_name(array->dtype),
                        sac_array_shape_text(array, shape, sizeof shape),
                        most == 1 ? "" : ", nor two");
    sac_status status = sac_array_to_f32(array, numbers, error);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        s->number[i] = (double)numbers[i];
        if (!isfinite(s->number[i]))
            return sac_fail(error, SAC_E_VALUE, s->name, "give a number", "is %g", s->number[i]);
    }
    s->count = count;
    return status;
}

static sac_status refuse_setting(const setting *s, const char *what, const char *remedy,
                                 sac_error *error)
{
    return sac_fail(error, SAC_E_VALUE, s->name, remedy, "%g %s", s->number[0], what);
}

/* ---------------------------------------------------------------- scale and causal */

static sac_status read_scale(const sac_file_finder *finder, sac_attention_file *file,
                             sac_error *error)
{
    setting s;
    sac_status status = read_numbers(finder, SAC_NAMES_SCALE, 1, &s, error);
    if (status != SAC_OK || !s.count)
        return status;
    float scale = (float)s.number[0];
    if (file->spec.use_scale && file->spec.scale != scale)
        sac_file_note(file, "%s %g of the file gives way to --scale %g", s.name, s.number[0],
                      (double)file->spec.scale);
    else
        file->spec.scale = scale;
    file->spec.use_scale = true;
    return SAC_OK;
}

static sac_status read_softcap(const sac_file_finder *finder, sac_attention_file *file,
                               sac_error *error)
{
    setting s;
    sac_status status = read_numbers(finder, SAC_NAMES_SOFTCAP, 1, &s, error);
    if (status != SAC_OK || !s.count)
        return status;
    float cap = (float)s.number[0];
    if (cap != 0 && !(cap >= 1e-30f && cap <= 1e30f))
        return refuse_setting(&s, "caps no scores", "give a number above 0, or 0 for none", error);
    if (file->spec.softcap != 0 && file->spec.softcap != cap)
        sac_file_note(file, "%s %g of the file gives way to --softcap %g", s.name, s.number[0],
                      (double)file->spec.softcap);
    else
        file->spec.softcap = cap;
    return SAC_OK;
}

/* PyTorch's is_causal begins at the first key, flash-attention's causal and its window end at the
 * last. */
static void set_default_alignment(sac_alignment alignment, sac_attention_file *file)
{
    if (file->spec.alignment == SAC_ALIGN_AUTO)
        file->spec.alignment = alignment;
}

static sac_status read_causal(const sac_file_finder *finder, sac_attention_file *file,
                              sac_error *error)
{
    setting s;
    sac_status status = read_numbers(finder, SAC_NAMES_CAUSAL, 1, &s, error);
    if (status != SAC_OK || !s.count)
        return status;
    if (s.number[0] != 0 && s.number[0] != 1)
        return refuse_setting(&s, "is neither true nor false", "give 0 or 1", error);
    if (file->spec.causal && s.number[0] == 0)
        sac_file_note(file, "%s of the file is false, and gives way to --causal", s.name);
    if (!file->spec.causal && s.number[0] == 1)
        set_default_alignment(
            strcmp(s.name, "causal") == 0 ? SAC_ALIGN_BOTTOM_RIGHT : SAC_ALIGN_TOP_LEFT, file);
    file->spec.causal = file->spec.causal || s.number[0] == 1;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the window */

/* A window (left, right) of flash-attention: keys so far before the query and after it, −1 for all.
 * It is one of the spec's where both are the same, or nothing is seen on the right. */
static sac_status read_window_pair(const setting *s, bool *causal, double *keys, sac_error *error)
{
    double left = s->number[0], right = *causal ? 0 : s->number[1];
    *keys = left < 0 ? 0 : left + 1;
    *causal = right == 0;
    if (left == right || right == 0)
        return SAC_OK;
    return sac_fail(error, SAC_E_VALUE, s->name, "give an attn_mask that blocks the other keys",
                    "a window of %g keys before and %g after the query is not supported", left,
                    right);
}

static bool is_whole(double number)
{
    return number >= -1 && number <= 0x1p31 && floor(number) == number;
}

static sac_status read_window(const sac_file_finder *finder, sac_attention_file *file,
                              sac_error *error)
{
    setting s;
    sac_attention_spec *spec = &file->spec;
    sac_status status = read_numbers(finder, SAC_NAMES_WINDOW, 2, &s, error);
    if (status != SAC_OK || !s.count)
        return status;
    if (!is_whole(s.number[0]) || !is_whole(s.number[1]) || (s.count == 1 && s.number[0] == 0))
        return refuse_setting(&s, "is not how many keys a query sees",
                              "give 1 or more, −1 for all, or a pair of flash-attention's", error);
    double keys = s.number[0] < 0 ? 0 : s.number[0];
    bool causal = spec->causal;
    if (s.count == 2) {
        set_default_alignment(SAC_ALIGN_BOTTOM_RIGHT, file);
        status = read_window_pair(&s, &causal, &keys, error);
    }
    if (status != SAC_OK)
        return status;
    if (spec->window && (double)spec->window != keys)
        sac_file_note(file, "%s of the file gives way to --window %zu", s.name, spec->window);
    else
        spec->window = (size_t)keys;
    spec->causal = causal;
    return SAC_OK;
}

/* ---------------------------------------------------------------- heads and dropout */

static sac_status read_count(const sac_file_finder *finder, sac_names names, const char *option,
                             int *count, sac_attention_file *file, sac_error *error)
{
    setting s;
    sac_status status = read_numbers(finder, names, 1, &s, error);
    if (status != SAC_OK || !s.count)
        return status;
    if (!is_whole(s.number[0]) || s.number[0] < 1)
        return refuse_setting(&s, "is no number of heads", "give 1 or more", error);
    if (*count && *count != (int)s.number[0])
        sac_file_note(file, "%s %g of the file gives way to %s %d", s.name, s.number[0], option,
                      *count);
    else
        *count = (int)s.number[0];
    return SAC_OK;
}

static sac_status read_heads(const sac_file_finder *finder, sac_attention_file *file,
                             sac_error *error)
{
    sac_status status =
        read_count(finder, SAC_NAMES_HEADS, "--heads", &file->spec.heads, file, error);
    sac_status other = read_count(finder, SAC_NAMES_KEY_HEADS, "--kv-heads", &file->spec.key_heads,
                                  file, status == SAC_OK ? error : NULL);
    return status == SAC_OK ? other : status;
}

/* Which weights a framework dropped cannot be known, and trained models drop none. */
static sac_status note_ignored_dropout(const sac_file_finder *finder, sac_attention_file *file,
                                       sac_error *error)
{
    setting s;
    sac_status status = read_numbers(finder, SAC_NAMES_DROPOUT, 1, &s, error);
    if (status == SAC_OK && s.count && s.number[0] != 0 && file->spec.dropout == 0)
        sac_file_note(file, "%s %g of the file is not applied; --dropout does", s.name,
                      s.number[0]);
    return status;
}

/* ---------------------------------------------------------------- all of them */

sac_status sac_file_settings_read(const sac_file_finder *finder, sac_attention_file *file,
                                  sac_error *error)
{
    sac_status (*const all[])(const sac_file_finder *, sac_attention_file *, sac_error *) = {
        read_scale, read_softcap, read_causal, read_window, read_heads, note_ignored_dropout};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_status one = all[i](finder, file, status == SAC_OK ? error : NULL);
        status = status == SAC_OK ? one : status;
    }
    return status;
}

/* ---------------------------------------------------------------- what is refused */

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
static bool is_before_projection(const sac_file_finder *finder, const sac_attention_file *file)
{
    const sac_array *parts[3];
    sac_packing packing = sac_query_find(finder->arrays, finder->request->query, parts);
    return file->input.q_proj_weight || file->input.k_proj_weight || packing == SAC_PACK_QKV;
}

static sac_status refuse_or_note_known_array(const sac_file_finder *finder, const other *o,
                                             bool is_raw, sac_attention_file *file,
                                             sac_error *error)
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
static const char *name_without_prefix(const sac_file_finder *finder, const char *name)
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
        const char *name = name_without_prefix(finder, sac_arrays_name(finder->arrays, i));
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

sac_status sac_file_unsupported_check(const sac_file_finder *finder, sac_attention_file *file,
                                      sac_error *error)
{
    bool is_raw = is_before_projection(finder, file);
    bool projects = sac_query_is_projected(finder->request->query);
    sac_status status = SAC_OK;
    for (int i = 0; i < OTHERS && status == SAC_OK; i++) {
        bool are_projections = strcmp(others[i].names[0], "in_proj_weight") == 0;
        if (!are_projections || !projects)
            status = refuse_or_note_known_array(finder, &others[i], is_raw && !are_projections,
                                                file, error);
    }
    return status;
}
