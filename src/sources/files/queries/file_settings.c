/* Settings by name, and what each does to a spec. */

#include "sources/files/queries/attention_file_parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

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

static sac_status not_this(const setting *s, const char *what, const char *remedy, sac_error *error)
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
        return not_this(&s, "caps no scores", "give a number above 0, or 0 for none", error);
    if (file->spec.softcap != 0 && file->spec.softcap != cap)
        sac_file_note(file, "%s %g of the file gives way to --softcap %g", s.name, s.number[0],
                      (double)file->spec.softcap);
    else
        file->spec.softcap = cap;
    return SAC_OK;
}

/* PyTorch's is_causal begins at the first key, flash-attention's causal and its window end at the
 * last. */
static void align_as(sac_alignment alignment, sac_attention_file *file)
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
        return not_this(&s, "is neither true nor false", "give 0 or 1", error);
    if (file->spec.causal && s.number[0] == 0)
        sac_file_note(file, "%s of the file is false, and gives way to --causal", s.name);
    if (!file->spec.causal && s.number[0] == 1)
        align_as(strcmp(s.name, "causal") == 0 ? SAC_ALIGN_BOTTOM_RIGHT : SAC_ALIGN_TOP_LEFT, file);
    file->spec.causal = file->spec.causal || s.number[0] == 1;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the window */

/* A window (left, right) of flash-attention: keys so far before the query and after it, −1 for all.
 * It is one of the spec's where both are the same, or nothing is seen on the right. */
static sac_status read_pair(const setting *s, bool *causal, double *keys, sac_error *error)
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
        return not_this(&s, "is not how many keys a query sees",
                        "give 1 or more, −1 for all, or a pair of flash-attention's", error);
    double keys = s.number[0] < 0 ? 0 : s.number[0];
    bool causal = spec->causal;
    if (s.count == 2) {
        align_as(SAC_ALIGN_BOTTOM_RIGHT, file);
        status = read_pair(&s, &causal, &keys, error);
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
        return not_this(&s, "is no number of heads", "give 1 or more", error);
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
static sac_status read_dropout(const sac_file_finder *finder, sac_attention_file *file,
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
        read_scale, read_softcap, read_causal, read_window, read_heads, read_dropout};
    sac_status status = SAC_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sac_status one = all[i](finder, file, status == SAC_OK ? error : NULL);
        status = status == SAC_OK ? one : status;
    }
    return status;
}
