/* The order of the axes found, and packed arrays taken apart. */

#include "sources/files/queries/attention_file_parts.h"

#include <string.h>

#include "base/error.h"

sac_status sac_file_vectors_find(const sac_file_finder *finder, sac_file_vectors *vectors,
                                 sac_error *error)
{
    const sac_attention_request *request = finder->request;
    sac_vector_axes asked = "";
    *vectors = (sac_file_vectors){.asked = request->axes && request->axes[0]};
    vectors->packing = sac_query_find(finder->arrays, request->query, vectors->part);
    for (int i = 0; i < 3; i++)
        sac_mark_used(finder->arrays, vectors->part[i], finder->used);
    if (vectors->asked) {
        sac_status status = sac_vector_axes_read(request->axes, asked, error);
        if (status != SAC_OK)
            return status;
    }
    const sac_array *first = vectors->part[vectors->packing == SAC_PACK_KV ? 1 : 0];
    if (!first || first->dtype == SAC_TEXT)
        return SAC_OK;
    vectors->count = sac_vector_axes_list(first, vectors->packing, asked, vectors->order);
    char shape[160], order[24];
    if (!vectors->count && vectors->asked)
        return sac_fail(error, SAC_E_ARGUMENT, "axes", "give a letter for each of its sizes",
                        "%s does not fit shape %s",
                        sac_vector_axes_text(asked, order, sizeof order),
                        sac_array_shape_text(first, shape, sizeof shape));
    if (!vectors->count && vectors->packing != SAC_PACK_NONE)
        return sac_fail(error, SAC_E_SHAPE, request->query, "give --axes, such as BT3HD",
                        "shape %s has no axis of size %d on which vectors are packed",
                        sac_array_shape_text(first, shape, sizeof shape), (int)vectors->packing);
    return SAC_OK;
}

/* ---------------------------------------------------------------- packed arrays */

/* The share of heads or features of query, key or value where no axis is packed: one after the
 * other, those of the query first. */
static sac_status cut(const sac_file_vectors *vectors, const char *order,
                      const sac_attention_spec *spec, int role, sac_vector_part *part,
                      sac_error *error)
{
    bool has_query = vectors->packing == SAC_PACK_QKV;
    const sac_array *array = vectors->part[1];
    part->cut = strchr(order, 'H') ? 'H' : 'D';
    size_t total = sac_vector_axes_size(array, order, part->cut);
    size_t heads = spec->heads > 0 ? (size_t)spec->heads : 1;
    size_t key_heads = spec->key_heads > 0 ? (size_t)spec->key_heads : heads;
    size_t query_shares = has_query ? heads : 0, shares = query_shares + 2 * key_heads;
    char shape[160];
    if (total % shares)
        return sac_fail(error, SAC_E_SHAPE, NULL, "give --heads and --kv-heads, or --axes",
                        "shape %s: %zu %s cannot be shared by %zu heads of queries and %zu each of "
                        "keys and values",
                        sac_array_shape_text(array, shape, sizeof shape), total,
                        part->cut == 'H' ? "heads" : "features", query_shares, key_heads);
    size_t share = total / shares;
    part->width = share * (role == 0 ? heads : key_heads);
    part->from = share * (role == 0 ? 0 : query_shares + (role == 2 ? key_heads : 0));
    return SAC_OK;
}

static sac_status take_part(const sac_file_vectors *vectors, const char *order, int role,
                            sac_attention_file *file, const sac_array **place, sac_error *error)
{
    static const char *const names[] = {"query", "key", "value"};
    const sac_array *array = vectors->part[role];
    sac_vector_part part = {0};
    sac_vector_axes own_order;
    bool is_packed =
        vectors->packing == SAC_PACK_QKV || (vectors->packing == SAC_PACK_KV && role > 0);
    sac_status status = SAC_OK;
    *place = array;
    if (!array || !order[0])
        return SAC_OK;
    snprintf(own_order, sizeof own_order, "%s", order);
    if (!is_packed)
        sac_vector_axes_unpack(order, own_order);
    else if (sac_vector_axes_packed(order) >= 0)
        part.packed = (size_t)(vectors->packing == SAC_PACK_KV ? role - 1 : role);
    else
        status = cut(vectors, order, &file->spec, role, &part, error);
    bool is_other = strlen(own_order) != (size_t)array->rank && !vectors->asked;
    if (is_other) /* the attention finds the mistake, and reports it */
        return SAC_OK;
    *place = &file->own[SAC_OWN_QUERY + role];
    if (status == SAC_OK)
        status = sac_vectors_take(array, own_order, &part, &file->own[SAC_OWN_QUERY + role], error);
    return sac_error_within(error, status, names[role]);
}

sac_status sac_file_vectors_take(const sac_file_vectors *vectors, const char *order,
                                 sac_attention_file *file, sac_error *error)
{
    const sac_array **place[] = {&file->input.query, &file->input.key, &file->input.value};
    sac_status status = SAC_OK;
    snprintf(file->axes, sizeof file->axes, "%s", order);
    for (int role = 0; role < 3 && status == SAC_OK; role++)
        status = take_part(vectors, order, role, file, place[role], error);
    return status;
}

/* ---------------------------------------------------------------- doubt */

/* What an order makes of queries and keys. */
typedef struct sizes {
    size_t batch[2], heads[2], length[2]; /* of the query and the key */
    bool fit;
} sizes;

static sizes measure(const sac_file_vectors *vectors, const char *order)
{
    sizes s = {.fit = true};
    for (int i = 0; i < 2; i++) {
        sac_vector_axes unpacked;
        const sac_array *array = vectors->part[i];
        bool is_packed = vectors->packing == SAC_PACK_QKV || (vectors->packing == SAC_PACK_KV && i);
        sac_vector_axes_unpack(order, unpacked);
        const char *axes = is_packed ? order : unpacked;
        s.fit = s.fit && strlen(axes) == (size_t)array->rank;
        s.batch[i] = sac_vector_axes_size(array, axes, 'B');
        s.heads[i] = sac_vector_axes_size(array, axes, 'H');
        s.length[i] = sac_vector_axes_size(array, axes, 'T');
    }
    s.fit = s.fit && s.batch[0] == s.batch[1] && s.heads[1] && s.heads[0] % s.heads[1] == 0;
    return s;
}

/* True where `other` is the likelier: it alone is of a sentence with itself; or numbers of heads
 * are odd, or of more heads than positions odd or large, where the other way round they are what
 * models have; or there is a single position, which has nothing to attend to but itself. */
static bool is_likelier(const sizes *mine, const sizes *other)
{
    bool self = mine->length[0] == mine->length[1],
         other_self = other->length[0] == other->length[1];
    if (!other->fit || !other_self)
        return false;
    if (!self)
        return true;
    size_t heads = mine->heads[0], length = mine->length[0];
    if (heads == 1 && mine->heads[1] == 1)
        return length == 1 && other->heads[0] == 1 && other->length[0] > 1;
    bool odd = length % 4 == 0 && heads % (heads > length ? 4 : 2);
    return (odd && heads > 1) || (heads > length && heads > 64);
}

int sac_file_vectors_likelier(const sac_file_vectors *vectors, int chosen)
{
    sizes mine = measure(vectors, vectors->order[chosen]);
    for (int i = 0; i < vectors->count && !vectors->asked; i++) {
        sizes other = measure(vectors, vectors->order[i]);
        if (i != chosen && is_likelier(&mine, &other))
            return i;
    }
    return -1;
}

void sac_file_vectors_doubt(const sac_file_vectors *vectors, int chosen, int other,
                            sac_attention_file *file)
{
    char mine_text[24], other_text[24];
    const char *order = vectors->order[chosen], *likelier = vectors->order[other];
    sizes mine = measure(vectors, order);
    sac_file_note(
        file, "read as %s: %zu heads, %zu queries, %zu keys; if they are %s, give --axes %s",
        sac_vector_axes_text(order, mine_text, sizeof mine_text), mine.heads[0], mine.length[0],
        mine.length[1], sac_vector_axes_text(likelier, other_text, sizeof other_text), likelier);
}
