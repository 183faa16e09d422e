/* Reads tensors in PyTorch's pickles. The functions that would make them (torch/_utils.py) are
 * recognised by name, and their arguments are read. */

#include "arrays/torch/torch_tensor.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"

/* ---------------------------------------------------------------- types */

/* `dtype` SAC_TEXT: its size is known, it is not read. */
static const struct {
    const char *storage, *name;
    sac_dtype dtype;
    size_t item;
} types[] = {
    {"FloatStorage", "float32", SAC_F32, 4},
    {"HalfStorage", "float16", SAC_F16, 2},
    {"BFloat16Storage", "bfloat16", SAC_BF16, 2},
    {"DoubleStorage", "float64", SAC_F64, 8},
    {"LongStorage", "int64", SAC_I64, 8},
    {"IntStorage", "int32", SAC_I32, 4},
    {"ShortStorage", "int16", SAC_I16, 2},
    {"CharStorage", "int8", SAC_I8, 1},
    {"ByteStorage", "uint8", SAC_U8, 1},
    {"BoolStorage", "bool", SAC_BOOL, 1},
    {"", "uint16", SAC_U16, 2},
    {"", "uint32", SAC_U32, 4},
    {"", "uint64", SAC_U64, 8},
    {"UntypedStorage", "", SAC_TEXT, 1},
    {"ComplexFloatStorage", "complex64", SAC_TEXT, 8},
    {"ComplexDoubleStorage", "complex128", SAC_TEXT, 16},
    {"QInt8Storage", "qint8", SAC_TEXT, 1},
    {"QUInt8Storage", "quint8", SAC_TEXT, 1},
    {"QInt32Storage", "qint32", SAC_TEXT, 4},
};
enum { TYPES = sizeof types / sizeof *types };

static bool is_word(const sac_pickled *value, const char *word)
{
    bool is_text = value && (value->kind == SAC_PICKLED_TEXT || value->kind == SAC_PICKLED_BYTES);
    return is_text && value->size == strlen(word) && memcmp(value->text, word, value->size) == 0;
}

/* The row of a storage's class, or of a dtype; −1: none. */
static int find_type(const sac_pickled *named, bool storage)
{
    for (int i = 0; i < TYPES; i++) {
        const char *name = storage ? types[i].storage : types[i].name;
        if (name[0] && (sac_pickled_is(named, "torch", name) ||
                        (storage && (sac_pickled_is(named, "torch.cuda", name) ||
                                     sac_pickled_is(named, "torch.storage", name)))))
            return i;
    }
    return -1;
}

static sac_status not_read(const sac_pickled *value, sac_error *error)
{
    char text[200];
    return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to float32 before saving",
                    "is a tensor of %s, which is not read",
                    value ? sac_pickled_text(value, text, sizeof text) : "a part missing");
}

static bool take_size(const sac_pickled *value, size_t *size)
{
    bool fits = value && value->kind == SAC_PICKLED_INT && value->whole >= 0;
    *size = fits ? (size_t)value->whole : 0;
    return fits;
}

/* ("storage", class, key, where it was, elements, part of another storage or None) */
static sac_status read_storage(const sac_pickled *kept, sac_torch_storage *storage, int *type,
                               sac_error *error)
{
    const sac_pickled *key = sac_pickled_at(kept, 2), *part = sac_pickled_at(kept, 5);
    *storage = (sac_torch_storage){0};
    if (!kept || kept->kind != SAC_PICKLED_KEPT || !is_word(sac_pickled_at(kept, 0), "storage") ||
        !key || (key->kind != SAC_PICKLED_TEXT && key->kind != SAC_PICKLED_BYTES) ||
        !take_size(sac_pickled_at(kept, 4), &storage->count) ||
        (part && part->kind != SAC_PICKLED_NONE))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it by a newer PyTorch",
                        "has a storage of a kind that is not read");
    *type = find_type(sac_pickled_at(kept, 1), true);
    if (*type < 0)
        return not_read(sac_pickled_at(kept, 1), error);
    storage->key = key->text;
    storage->key_size = key->size;
    storage->item = types[*type].item;
    return SAC_OK;
}

sac_status sac_torch_storage_read(const sac_pickled *kept, sac_torch_storage *storage,
                                  sac_error *error)
{
    int type;
    return read_storage(kept, storage, &type, error);
}

/* ---------------------------------------------------------------- shape and strides */

static sac_status read_sizes(const sac_pickled *sizes, const sac_pickled *strides,
                             sac_torch_tensor *t, sac_error *error)
{
    bool are_lists = sizes && strides && sizes->kind == SAC_PICKLED_TUPLE &&
                     strides->kind == SAC_PICKLED_TUPLE && sizes->count == strides->count;
    if (!are_lists)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it again", "is a tensor without a shape");
    if (sizes->count > SAC_MAX_RANK)
        return sac_fail(error, SAC_E_SHAPE, NULL, "reshape it before saving",
                        "has more than %d dimensions", SAC_MAX_RANK);
    t->rank = (int)sizes->count;
    for (int i = 0; i < t->rank; i++)
        if (!take_size(sizes->items[i], &t->shape[i]) ||
            !take_size(strides->items[i], &t->stride[i]))
            return sac_fail(error, SAC_E_SHAPE, NULL, "save it again", "dimension %d is not a size",
                            i);
    return SAC_OK;
}

/* Where the tensor lies in its storage. A size of 0 makes the product 0, yet the others must not
 * overflow among themselves. */
static sac_status place(sac_torch_tensor *t, sac_error *error)
{
    size_t whole = 1, step, count = 1;
    bool fits = true;
    t->last = t->offset;
    t->is_row_major = true;
    for (int i = t->rank - 1; i >= 0; i--) {
        size_t size = t->shape[i];
        t->is_row_major = t->is_row_major && (size <= 1 || t->stride[i] == whole);
        fits = fits && sac_checked_mul(whole, size ? size : 1, &whole) &&
               sac_checked_mul(t->stride[i], size ? size - 1 : 0, &step) &&
               sac_checked_add(t->last, step, &t->last);
        count = size && count ? whole : 0;
    }
    t->count = count;
    t->is_row_major = t->is_row_major || !count;
    size_t bytes;
    if (fits && sac_checked_mul(whole, 8, &bytes) && sac_checked_mul(t->last, 8, &bytes))
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, NULL, "save the file again",
                    "its shape overflows the address space");
}

/* ---------------------------------------------------------------- tensors */

/* `function` of torch._utils with `arguments`: how a tensor is made of its storage. */
static sac_status rebuild(const sac_pickled *function, const sac_pickled *arguments,
                          sac_torch_tensor *t, sac_error *error)
{
    int type = -1;
    bool typed = sac_pickled_is(function, "torch._utils", "_rebuild_tensor_v3");
    if (!typed && !sac_pickled_is(function, "torch._utils", "_rebuild_tensor_v2") &&
        !sac_pickled_is(function, "torch._utils", "_rebuild_tensor"))
        return not_read(function, error);
    sac_status status = read_storage(sac_pickled_at(arguments, 0), &t->storage, &type, error);
    if (status == SAC_OK && !take_size(sac_pickled_at(arguments, 1), &t->offset))
        status =
            sac_fail(error, SAC_E_FORMAT, NULL, "save it again", "is a tensor without a place");
    if (status == SAC_OK)
        status = read_sizes(sac_pickled_at(arguments, 2), sac_pickled_at(arguments, 3), t, error);
    const sac_pickled *named = sac_pickled_at(arguments, 6);
    if (status == SAC_OK && typed)
        type = find_type(named, false);
    if (status == SAC_OK && (type < 0 || types[type].dtype == SAC_TEXT))
        status = not_read(typed ? named : sac_pickled_at(sac_pickled_at(arguments, 0), 1), error);
    /* Such as the flag of a view whose numbers are the negative of those that are stored. */
    const sac_pickled *metadata = sac_pickled_at(arguments, typed ? 7 : 6);
    if (status == SAC_OK && metadata && metadata->kind != SAC_PICKLED_NONE &&
        !(metadata->kind == SAC_PICKLED_DICT && !metadata->count))
        status = sac_fail(error, SAC_E_FORMAT, NULL, "save a copy of it: tensor.clone()",
                          "is a view that PyTorch computes of a tensor, which is not read");
    if (status != SAC_OK)
        return status;
    t->dtype = types[type].dtype;
    return place(t, error);
}

static bool makes_tensor(const sac_pickled *value)
{
    static const char module[] = "torch._", rebuild_[] = "_rebuild_";
    const sac_pickled *called = value->called;
    return called->kind == SAC_PICKLED_NAME && called->module_size >= sizeof module - 1 &&
           memcmp(called->module, module, sizeof module - 1) == 0 &&
           called->name_size >= sizeof rebuild_ - 1 &&
           memcmp(called->name, rebuild_, sizeof rebuild_ - 1) == 0;
}

bool sac_torch_is_tensor(const sac_pickled *value)
{
    return value->kind == SAC_PICKLED_CALL && makes_tensor(value);
}

/* A parameter is a tensor with a flag, and a tensor that has attributes of its own is made by a
 * function and its arguments. */
sac_status sac_torch_tensor_read(const sac_pickled *value, sac_torch_tensor *tensor,
                                 sac_error *error)
{
    enum { NESTED = 4 };
    *tensor = (sac_torch_tensor){0};
    for (int depth = 0; depth < NESTED && value && sac_torch_is_tensor(value); depth++) {
        bool parameter =
            sac_pickled_is(value->called, "torch._utils", "_rebuild_parameter") ||
            sac_pickled_is(value->called, "torch._utils", "_rebuild_parameter_with_state");
        if (sac_pickled_is(value->called, "torch._tensor", "_rebuild_from_type_v2"))
            return rebuild(sac_pickled_at(value, 0), sac_pickled_at(value, 2), tensor, error);
        if (!parameter)
            return rebuild(value->called, value->arguments, tensor, error);
        value = sac_pickled_at(value, 0);
    }
    return sac_fail(error, SAC_E_FORMAT, NULL, "save it again", "is a parameter without a tensor");
}
