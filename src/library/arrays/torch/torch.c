/* Reads what torch.save writes: a pickle beside the numbers of its tensors, in a zip file, or one
 * after the other as PyTorch wrote it before 1.6. No code in it is run. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/numpy/archive.h"
#include "arrays/torch/pickled_arrays.h"
#include "base/cancel.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "saccade_arrays.h"

/* ---------------------------------------------------------------- tensors in pickles */

/* The functions that would make tensors (torch/_utils.py) are recognised by name, and their arguments are
 * read. */

/* A storage is a run of numbers beside the pickle. */
typedef struct torch_storage {
    const char *key; /* lent, not terminated */
    size_t key_size;
    size_t item; /* bytes of an element; 1 where the storage has no type */
    size_t count;
} torch_storage;

typedef struct torch_tensor {
    torch_storage storage;
    sac_dtype dtype;
    int rank;
    size_t offset, shape[SAC_MAX_RANK], stride[SAC_MAX_RANK]; /* elements */
    size_t count;                                             /* elements of the tensor */
    size_t last;       /* the last element that it takes of the storage, where count > 0 */
    bool is_row_major; /* without gaps */
} torch_tensor;

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

static sac_status fail_unread_tensor(const sac_pickled *value, sac_error *error)
{
    char text[200];
    return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to float32 before saving",
                    "is a tensor of %s, which is not read",
                    value ? sac_pickled_kind_text(value, text, sizeof text) : "a part missing");
}

static bool take_size(const sac_pickled *value, size_t *size)
{
    bool fits = value && value->kind == SAC_PICKLED_INT && value->whole >= 0;
    *size = fits ? (size_t)value->whole : 0;
    return fits;
}

/* ("storage", class, key, where it was, elements, part of another storage or None) */
static sac_status read_storage(const sac_pickled *kept, torch_storage *storage, int *type,
                               sac_error *error)
{
    const sac_pickled *key = sac_pickled_at(kept, 2), *part = sac_pickled_at(kept, 5);
    *storage = (torch_storage){0};
    if (!kept || kept->kind != SAC_PICKLED_KEPT || !is_word(sac_pickled_at(kept, 0), "storage") ||
        !key || (key->kind != SAC_PICKLED_TEXT && key->kind != SAC_PICKLED_BYTES) ||
        !take_size(sac_pickled_at(kept, 4), &storage->count) ||
        (part && part->kind != SAC_PICKLED_NONE))
        return sac_fail(error, SAC_E_FORMAT, NULL, "save it by a newer PyTorch",
                        "has a storage of a kind that is not read");
    *type = find_type(sac_pickled_at(kept, 1), true);
    if (*type < 0)
        return fail_unread_tensor(sac_pickled_at(kept, 1), error);
    storage->key = key->text;
    storage->key_size = key->size;
    storage->item = types[*type].item;
    return SAC_OK;
}

/* The storage that a SAC_PICKLED_KEPT names. SAC_E_FORMAT where its type is not known. */
static sac_status read_known_storage(const sac_pickled *kept, torch_storage *storage,
                                     sac_error *error)
{
    int type;
    return read_storage(kept, storage, &type, error);
}

/* ---------------------------------------------------------------- shape and strides */

static sac_status read_sizes(const sac_pickled *sizes, const sac_pickled *strides, torch_tensor *t,
                             sac_error *error)
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
static sac_status compute_tensor_extent(torch_tensor *t, sac_error *error)
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
static sac_status read_rebuild_call(const sac_pickled *function, const sac_pickled *arguments,
                                    torch_tensor *t, sac_error *error)
{
    int type = -1;
    bool typed = sac_pickled_is(function, "torch._utils", "_rebuild_tensor_v3");
    if (!typed && !sac_pickled_is(function, "torch._utils", "_rebuild_tensor_v2") &&
        !sac_pickled_is(function, "torch._utils", "_rebuild_tensor"))
        return fail_unread_tensor(function, error);
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
        status = fail_unread_tensor(typed ? named : sac_pickled_at(sac_pickled_at(arguments, 0), 1),
                                    error);
    /* Such as the flag of a view whose numbers are the negative of those that are stored. */
    const sac_pickled *metadata = sac_pickled_at(arguments, typed ? 7 : 6);
    if (status == SAC_OK && metadata && metadata->kind != SAC_PICKLED_NONE &&
        !(metadata->kind == SAC_PICKLED_DICT && !metadata->count))
        status = sac_fail(error, SAC_E_FORMAT, NULL, "save a copy of it: tensor.clone()",
                          "is a view that PyTorch computes of a tensor, which is not read");
    if (status != SAC_OK)
        return status;
    t->dtype = types[type].dtype;
    return compute_tensor_extent(t, error);
}

/* A parameter is a tensor with a flag, and a tensor that has attributes of its own is made by a
 * function and its arguments. SAC_E_FORMAT and SAC_E_SHAPE: it is not supported, and why. */
static sac_status read_torch_tensor(const sac_pickled *value, torch_tensor *tensor,
                                    sac_error *error)
{
    enum { NESTED = 4 };
    *tensor = (torch_tensor){0};
    for (int depth = 0; depth < NESTED && value && sac_pickled_is_tensor(value); depth++) {
        bool parameter =
            sac_pickled_is(value->called, "torch._utils", "_rebuild_parameter") ||
            sac_pickled_is(value->called, "torch._utils", "_rebuild_parameter_with_state");
        if (sac_pickled_is(value->called, "torch._tensor", "_rebuild_from_type_v2"))
            return read_rebuild_call(sac_pickled_at(value, 0), sac_pickled_at(value, 2), tensor,
                                     error);
        if (!parameter)
            return read_rebuild_call(value->called, value->arguments, tensor, error);
        value = sac_pickled_at(value, 0);
    }
    return sac_fail(error, SAC_E_FORMAT, NULL, "save it again", "is a parameter without a tensor");
}

/* ---------------------------------------------------------------- files */

/* A storage's bytes. */
typedef struct run {
    const uint8_t *data;
    size_t size;
} run;

/* Of a file before 1.6: what its storages are called, and where they lie. */
typedef struct old_storage {
    const sac_pickled *key;
    run bytes;
} old_storage;

typedef struct reader {
    sac_arrays *arrays;
    sac_pickle *pickle, *keys; /* keys: of a file before 1.6 */
    bool big_endian;
    zip_t *zip;   /* NULL: a file before 1.6 */
    char *folder; /* of the zip's members, "archive/" */
    sac_archive_place *places;
    run *members;     /* [members of the zip] what was unpacked or found */
    old_storage *old; /* by key */
    size_t old_count;
    sac_pickled_walk walk;
} reader;

/* ---------------------------------------------------------------- storages of a zip */

/* Members that are not packed are lent from the file, others unpacked once. */
static sac_status load_member(reader *r, const char *name, run *bytes, sac_error *error)
{
    zip_stat_t stat;
    zip_int64_t index = zip_name_locate(r->zip, name, 0);
    if (index < 0)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "has no member \"%.80s\"",
                        name);
    run *known = &r->members[index];
    if (known->data) {
        *bytes = *known;
        return SAC_OK;
    }
    uint8_t *own = NULL;
    const sac_archive_place *place = &r->places[index];
    sac_status status = sac_archive_member(r->zip, (zip_uint64_t)index, &stat, error);
    if (status == SAC_OK)
        status = sac_archive_check(&stat, r->arrays->file.size, error);
    bool lies = status == SAC_OK && place->start && place->size == stat.size;
    if (status == SAC_OK && !lies)
        status = sac_take_room(&r->arrays->room, (size_t)stat.size, error);
    if (status == SAC_OK && !lies)
        status = sac_archive_read(r->zip, &stat, &own, error);
    if (status == SAC_OK && own)
        status = sac_arrays_own_memory(r->arrays, own, error);
    if (status == SAC_OK)
        *known = *bytes =
            (run){lies ? r->arrays->file.data + place->start : own, (size_t)stat.size};
    return status;
}

static sac_status load_zip_storage(reader *r, const torch_storage *storage, run *bytes,
                                   sac_error *error)
{
    char *name = NULL;
    if (memchr(storage->key, '\0', storage->key_size) || storage->key_size > 4096)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "has a storage's name that "
                        "is damaged");
    if (asprintf(&name, "%sdata/%.*s", r->folder, (int)storage->key_size, storage->key) < 0)
        return sac_no_memory(error, NULL);
    sac_status status = load_member(r, name, bytes, error);
    free(name);
    return status;
}

/* ---------------------------------------------------------------- storages of old files */

static int compare_keys(const void *a, const void *b)
{
    const sac_pickled *x = ((const old_storage *)a)->key, *y = ((const old_storage *)b)->key;
    size_t size = x->size < y->size ? x->size : y->size;
    int order = size && x->text != y->text ? memcmp(x->text, y->text, size) : 0;
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

static sac_status find_old_storage(const reader *r, const torch_storage *storage, run *bytes,
                                   sac_error *error)
{
    const sac_pickled key = {
        .kind = SAC_PICKLED_TEXT, .text = storage->key, .size = storage->key_size};
    const old_storage wanted = {.key = &key};
    const old_storage *found =
        r->old_count ? bsearch(&wanted, r->old, r->old_count, sizeof *r->old, compare_keys) : NULL;
    if (!found)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "has no storage \"%.*s\"",
                        (int)(key.size < 80 ? key.size : 80), key.text);
    *bytes = found->bytes;
    return SAC_OK;
}

/* ---------------------------------------------------------------- tensors */

/* Elements at any strides, one after the other. */
static void copy_strided_elements(const torch_tensor *t, const uint8_t *in, uint8_t *out)
{
    size_t size = sac_dtype_size(t->dtype), index[SAC_MAX_RANK] = {0};
    const uint8_t *from = in + t->offset * size;
    for (size_t done = 0; done < t->count; done++, out += size) {
        memcpy(out, from, size);
        for (int i = t->rank - 1; i >= 0; i--) {
            from += t->stride[i] * size;
            if (++index[i] < t->shape[i])
                break;
            from -= t->stride[i] * size * t->shape[i];
            index[i] = 0;
        }
    }
}

static sac_status copy_elements(reader *r, const torch_tensor *t, const uint8_t *in,
                                sac_array *array, sac_error *error)
{
    sac_status status = sac_take_room(&r->arrays->room, t->count * sac_dtype_size(t->dtype), error);
    if (status == SAC_OK)
        status = sac_array_create(t->dtype, t->rank, t->shape, array, error);
    if (status == SAC_OK) {
        copy_strided_elements(t, in, array->data);
        sac_elements_to_native(t->dtype, array->data, t->count, r->big_endian);
    }
    return status;
}

/* `why` has the reason of a tensor that is not read, *error what is wrong with the file. */
static sac_status read_tensor(void *context, const sac_pickled *value, sac_array *array,
                              sac_error *why, sac_error *error)
{
    reader *r = context;
    torch_tensor t;
    run bytes = {0};
    *array = (sac_array){0};
    if (read_torch_tensor(value, &t, why) != SAC_OK)
        return SAC_OK;
    size_t size = sac_dtype_size(t.dtype);
    sac_status status = r->zip ? load_zip_storage(r, &t.storage, &bytes, error)
                               : find_old_storage(r, &t.storage, &bytes, error);
    if (status != SAC_OK)
        return status;
    if (t.storage.count > bytes.size / t.storage.item)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "its storage is of %zu elements, the file holds %zu bytes of it",
                        t.storage.count, bytes.size);
    if (t.count && t.last >= t.storage.count * t.storage.item / size)
        return sac_fail(error, SAC_E_FORMAT, NULL, "save the file again",
                        "ends at element %zu of its storage, which has %zu", t.last + 1,
                        t.storage.count * t.storage.item / size);
    const uint8_t *start = bytes.data + (t.count ? t.offset * size : 0);
    bool lies = t.is_row_major && t.dtype != SAC_BOOL && (uintptr_t)start % size == 0 &&
                (size == 1 || r->big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
    if (lies)
        *array = sac_array_view(t.dtype, t.rank, t.shape, start);
    else
        copy_elements(r, &t, bytes.data, array, why);
    return SAC_OK;
}

static bool has_tensors(const sac_pickled *dict)
{
    for (size_t i = 0; i + 1 < dict->count; i += 2)
        if (sac_pickled_is_tensor(dict->items[i + 1]))
            return true;
    return false;
}

/* ---------------------------------------------------------------- state dicts */

/* What training scripts put a state dict under, beside the epoch, the optimizer and the like. */
static const char *const state_dict_keys[] = {"model_state_dict", "state_dict", "model", "module",
                                              "net"};
enum {
    STATE_DICT_KEYS = sizeof state_dict_keys / sizeof *state_dict_keys,
    STATE_DICTS = 3 /* how deep they may be */
};

static size_t find_state_dict(reader *r, const sac_pickled *dict, int depth);

static bool holds_weights(reader *r, const sac_pickled *value, int depth)
{
    size_t looks = STATE_DICT_KEYS + 1; /* at each item */
    if (!sac_pickled_is_dict(value) || depth == STATE_DICTS || r->walk.left / looks < value->count)
        return false;
    r->walk.left -= looks * value->count;
    return has_tensors(value) || find_state_dict(r, value, depth);
}

/* The place of the value of a state dict among the items, which may be below another such key; 0:
 * there is none. */
static size_t find_state_dict(reader *r, const sac_pickled *dict, int depth)
{
    for (int k = 0; k < STATE_DICT_KEYS; k++)
        for (size_t i = 0; i + 1 < dict->count; i += 2)
            if (is_word(dict->items[i], state_dict_keys[k]) &&
                holds_weights(r, dict->items[i + 1], depth + 1))
                return i + 1;
    return 0;
}

static sac_status add_others_as_unread(reader *r, const sac_pickled *dict, size_t taken,
                                       sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i + 1 < dict->count && status == SAC_OK; i += 2) {
        char *key = NULL;
        if (i + 1 != taken)
            status = sac_pickled_key(dict->items[i], &key, error);
        if (status == SAC_OK)
            status = sac_cancel_check(NULL, error);
        if (status == SAC_OK && key)
            status = sac_pickled_add_unread(&r->walk, key, dict->items[i + 1],
                                            " beside the weights", error);
        free(key);
    }
    return status;
}

/* Bytes that all keys begin with: wrappers of a model put "module." or "_orig_mod." before each. */
static size_t shared_prefix_length(const sac_pickled *dict)
{
    static const char *const prefixes[] = {"module.", "_orig_mod."};
    size_t skip = 0;
    for (bool more = dict->count > 0; more;) {
        size_t length = 0;
        for (int p = 0; p < 2 && !length; p++) {
            length = strlen(prefixes[p]);
            for (size_t i = 0; i + 1 < dict->count && length; i += 2) {
                const sac_pickled *key = dict->items[i];
                if (key->kind != SAC_PICKLED_TEXT || key->size <= skip + length ||
                    memcmp(key->text + skip, prefixes[p], length) != 0)
                    length = 0;
            }
        }
        skip += length;
        more = length > 0;
    }
    return skip;
}

static sac_status add_all_values(reader *r, sac_error *error)
{
    const sac_pickled *root = sac_pickle_value(r->pickle);
    sac_status status = SAC_OK;
    r->walk = sac_pickled_walk_begin(r->arrays);
    r->walk.read_tensor = read_tensor;
    r->walk.context = r;
    for (int depth = 0; depth < STATE_DICTS && sac_pickled_is_dict(root) && status == SAC_OK;
         depth++) {
        size_t at = has_tensors(root) ? 0 : find_state_dict(r, root, depth);
        if (!at)
            break;
        status = add_others_as_unread(r, root, at, error);
        root = root->items[at];
    }
    if (status != SAC_OK)
        return status;
    if (sac_pickled_is_dict(root) && has_tensors(root))
        return sac_pickled_add_items(&r->walk, "", root, shared_prefix_length(root), error);
    char kind[200];
    if ((sac_pickled_is_dict(root) || sac_pickled_is_list(root)) && !root->count)
        return SAC_OK;
    bool opens = sac_pickled_is_dict(root) || sac_pickled_is_list(root) ||
                 sac_pickled_is_tensor(root) || sac_pickled_is_numpy(root);
    if (!opens)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "save its tensors: torch.save(model.state_dict(), \"new.pt\")", "is %s%s",
                        sac_pickled_kind_text(root, kind, sizeof kind),
                        root->kind == SAC_PICKLED_CALL ? ", which would have to be run"
                                                       : " and no tensor");
    return sac_pickled_add(&r->walk, "", root, error);
}

/* ---------------------------------------------------------------- a zip file */

static sac_status read_byte_order(reader *r, sac_error *error)
{
    char *name = NULL;
    run bytes = {0};
    if (asprintf(&name, "%sbyteorder", r->folder) < 0)
        return sac_no_memory(error, NULL);
    sac_status status =
        zip_name_locate(r->zip, name, 0) < 0 ? SAC_OK : load_member(r, name, &bytes, error);
    free(name);
    r->big_endian = bytes.size == 3 && memcmp(bytes.data, "big", 3) == 0;
    return status;
}

static bool has_member(const reader *r, const char *member)
{
    char *name = NULL;
    bool found =
        asprintf(&name, "%s%s", r->folder, member) >= 0 && zip_name_locate(r->zip, name, 0) >= 0;
    free(name);
    return found;
}

/* The number of the member FOLDER/data.pkl that has FOLDER/version beside it, or −1. */
static zip_int64_t find_pickle(zip_t *zip)
{
    static const char pickle[] = "/data.pkl";
    zip_int64_t index = zip_name_locate(zip, pickle + 1, ZIP_FL_NODIR);
    const char *name = index < 0 ? NULL : zip_get_name(zip, (zip_uint64_t)index, 0);
    size_t length = name ? strlen(name) : 0;
    char *version = NULL;
    if (length < sizeof pickle ||
        asprintf(&version, "%.*s/version", (int)(length - strlen(pickle)), name) < 0)
        return -1;
    index = zip_name_locate(zip, version, 0) < 0 ? -1 : index;
    free(version);
    return index;
}

static sac_status read_zip(reader *r, sac_error *error)
{
    run bytes;
    size_t used;
    zip_int64_t count = zip_get_num_entries(r->zip, 0), index = find_pickle(r->zip);
    const char *name = zip_get_name(r->zip, (zip_uint64_t)index, 0);
    r->folder = strndup(name, strlen(name) - strlen("data.pkl"));
    r->members = calloc((size_t)count + 1, sizeof *r->members);
    if (!r->folder || !r->members)
        return sac_no_memory(error, NULL);
    if (has_member(r, "constants.pkl"))
        return sac_fail(
            error, SAC_E_FORMAT, NULL,
            "convert it in Python: torch.save(torch.jit.load(F).state_dict(), \"new.pt\")",
            "is a TorchScript archive, which is a program");
    sac_status status =
        sac_archive_locate_members(&r->arrays->file, (size_t)count, &r->places, error);
    if (status == SAC_OK)
        status = read_byte_order(r, error);
    if (status == SAC_OK)
        status = load_member(r, name, &bytes, error);
    if (status == SAC_OK)
        status =
            sac_pickle_read(bytes.data, bytes.size, &r->arrays->room, &r->pickle, &used, error);
    return status == SAC_OK ? add_all_values(r, error) : status;
}

/* ---------------------------------------------------------------- files before 1.6 */

/* The pickle of a number that only such files begin with. */
static const uint8_t old_magic[] = {0x80, 2,    0x8a, 10,   0x6c, 0xfc, 0x9c, 0x46,
                                    0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};

static bool is_old(const uint8_t *bytes, size_t size)
{
    return size >= sizeof old_magic && memcmp(bytes, old_magic, sizeof old_magic) == 0;
}

static sac_status next_pickle(sac_arrays *arrays, size_t *at, sac_pickle **pickle, sac_error *error)
{
    size_t used;
    const sac_bytes *file = &arrays->file;
    sac_status status =
        sac_pickle_read(file->data + *at, file->size - *at, &arrays->room, pickle, &used, error);
    *at += status == SAC_OK ? used : 0;
    return status;
}

/* Sets the bytes of an element of each storage that the pickle names, in bytes.size. */
static sac_status set_element_sizes(reader *r, sac_error *error)
{
    const sac_pickled *value;
    for (size_t i = 0; (value = sac_pickle_at(r->pickle, i)); i++) {
        torch_storage storage;
        if (value->kind != SAC_PICKLED_KEPT)
            continue;
        sac_status status = read_known_storage(value, &storage, error);
        if (status != SAC_OK)
            return status;
        const sac_pickled key = {
            .kind = SAC_PICKLED_TEXT, .text = storage.key, .size = storage.key_size};
        const old_storage wanted = {.key = &key};
        old_storage *found =
            r->old_count ? bsearch(&wanted, r->old, r->old_count, sizeof *r->old, compare_keys)
                         : NULL;
        if (found)
            found->bytes.size = storage.item;
    }
    return SAC_OK;
}

/* Each storage is the number of its elements and then they, in the order of the list of keys. */
static sac_status locate_old_storages(reader *r, const sac_pickled *keys, size_t at,
                                      sac_error *error)
{
    const sac_bytes *file = &r->arrays->file;
    for (size_t i = 0; i < keys->count; i++) {
        const old_storage wanted = {.key = keys->items[i]};
        old_storage *one = bsearch(&wanted, r->old, r->old_count, sizeof *r->old, compare_keys);
        uint64_t count = 0;
        size_t size;
        if (file->size - at < 8)
            return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                            "is cut after %zu of %zu storages", i, keys->count);
        for (int b = 8; b-- > 0;)
            count = count << 8 | file->data[at + (size_t)b];
        at += 8;
        if (!sac_checked_mul((size_t)count, one->bytes.size, &size) || size > file->size - at ||
            one->bytes.data)
            return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                            "storage %zu promises %llu elements, more than the file holds", i,
                            (unsigned long long)count);
        one->bytes = (run){file->data + at, size};
        at += size;
    }
    return SAC_OK;
}

/* Three pickles (a number, the protocol, sizes of the writer's types), that of the values, that of
 * the storages' keys, and the storages. */
static sac_status read_old(reader *r, sac_error *error)
{
    size_t at = sizeof old_magic;
    sac_pickle *skipped = NULL;
    sac_status status = SAC_OK;
    for (int i = 0; i < 2 && status == SAC_OK; i++) {
        status = next_pickle(r->arrays, &at, &skipped, error);
        const sac_pickled *about = status == SAC_OK ? sac_pickle_value(skipped) : NULL;
        for (size_t k = 0; about && about->kind == SAC_PICKLED_DICT && k + 1 < about->count; k += 2)
            if (is_word(about->items[k], "little_endian") &&
                about->items[k + 1]->kind == SAC_PICKLED_BOOL)
                r->big_endian = !about->items[k + 1]->whole;
        sac_pickle_free(skipped);
    }
    if (status == SAC_OK)
        status = next_pickle(r->arrays, &at, &r->pickle, error);
    if (status == SAC_OK)
        status = next_pickle(r->arrays, &at, &r->keys, error);
    if (status != SAC_OK)
        return status;
    const sac_pickled *keys = sac_pickle_value(r->keys);
    bool are_keys = keys->kind == SAC_PICKLED_LIST;
    for (size_t i = 0; are_keys && i < keys->count; i++)
        are_keys = (keys->items[i]->kind == SAC_PICKLED_TEXT ||
                    keys->items[i]->kind == SAC_PICKLED_BYTES) &&
                   keys->items[i]->size <= SAC_NAME_MOST;
    if (!are_keys)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "has no list of its storages");
    status = sac_take_room(&r->arrays->room, keys->count * sizeof *r->old, error);
    if (status != SAC_OK)
        return status;
    r->old = calloc(keys->count + 1, sizeof *r->old);
    if (!r->old)
        return sac_fail(error, SAC_E_MEMORY, NULL, NULL, "out of memory for %zu storages",
                        keys->count);
    r->old_count = keys->count;
    for (size_t i = 0; i < keys->count; i++)
        r->old[i] = (old_storage){keys->items[i], {NULL, 1}};
    qsort(r->old, r->old_count, sizeof *r->old, compare_keys);
    status = set_element_sizes(r, error);
    if (status == SAC_OK)
        status = locate_old_storages(r, keys, at, error);
    return status == SAC_OK ? add_all_values(r, error) : status;
}

/* ---------------------------------------------------------------- the file */

/* A pickle of protocol 2 to 5, and no length of a safetensors header. */
static bool is_pickle(const uint8_t *bytes, size_t size)
{
    return size > 8 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5 &&
           !(bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0 && bytes[8] == '{');
}

static bool is_torch_zip(const uint8_t *bytes, size_t size)
{
    zip_t *zip = NULL;
    const sac_bytes file = {.data = (uint8_t *)bytes, .size = size};
    bool is_one = sac_archive_is(bytes, size) && sac_archive_open(&file, &zip, NULL) == SAC_OK &&
                  find_pickle(zip) >= 0;
    if (zip)
        zip_discard(zip);
    return is_one;
}

bool sac_torch_is(const uint8_t *bytes, size_t size)
{
    return is_pickle(bytes, size) || is_torch_zip(bytes, size);
}

sac_status sac_torch_open(sac_arrays *arrays, sac_error *error)
{
    const sac_bytes *file = &arrays->file;
    reader r = {.arrays = arrays};
    sac_status status;
    if (is_old(file->data, file->size))
        status = read_old(&r, error);
    else if (is_pickle(file->data, file->size))
        status =
            sac_fail(error, SAC_E_FORMAT, NULL,
                     "where you trust it, convert it in Python: torch.save(pickle.load(open(F, "
                     "\"rb\")), \"new.pt\")",
                     "is a plain pickle of Python, which is a program");
    else if ((status = sac_archive_open(file, &r.zip, error)) == SAC_OK)
        status = read_zip(&r, error);
    if (r.zip)
        zip_discard(r.zip);
    sac_pickle_free(r.pickle);
    sac_pickle_free(r.keys);
    free(r.folder);
    free(r.places);
    free(r.members);
    free(r.old);
    return status;
}
