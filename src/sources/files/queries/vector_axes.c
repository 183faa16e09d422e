/* Orders of axes, and arrays moved from one to another. */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "sources/files/queries/attention_file_parts.h"
#include "sources/files/queries/vector_axes.h"

/* ---------------------------------------------------------------- words */

static bool has(const char *axes, char letter)
{
    return letter && strchr(axes, letter);
}

/* The letters of `text` alone, in capitals; false: there are others, or too many. */
static bool normalize_axis_letters(const char *text, sac_vector_axes letters)
{
    size_t count = 0;
    for (; *text; text++) {
        if (strchr("[](), ", *text))
            continue;
        if (!isalnum((unsigned char)*text) || count + 1 == SAC_VECTOR_AXES_SIZE)
            return false;
        letters[count++] = (char)toupper((unsigned char)*text);
    }
    letters[count] = '\0';
    return true;
}

static char canonical_axis_letter(char letter, const char *all)
{
    bool jax = has(all, 'N') && has(all, 'H') && !has(all, 'D') && !has(all, 'K');
    bool positions = strpbrk(all, "TQSLMN");
    switch (letter) {
    case 'Q':
    case 'S':
    case 'L':
    case 'M':
        return 'T';
    case 'N':
        return jax ? 'H' : 'T';
    case 'H':
        return jax ? 'D' : 'H';
    case 'C':
    case 'E':
        return 'D';
    case 'K':
        return positions && !has(all, 'D') ? 'D' : 'T';
    default:
        return letter;
    }
}

sac_status sac_vector_axes_read(const char *text, sac_vector_axes axes, sac_error *error)
{
    sac_vector_axes letters;
    bool good = normalize_axis_letters(text, letters);
    axes[0] = '\0';
    for (size_t i = 0; good && letters[i]; i++) {
        char letter = canonical_axis_letter(letters[i], letters);
        good = has("BHTD32", letter) && !has(axes, letter);
        axes[i] = letter;
        axes[i + 1] = '\0';
    }
    good = good && has(axes, 'T') && has(axes, 'D') && !(has(axes, '3') && has(axes, '2'));
    if (good)
        return SAC_OK;
    return sac_fail(error, SAC_E_ARGUMENT, "axes",
                    "name each once, of B (items), H (heads), T (positions) and D (features), as "
                    "in BTHD; 3 or 2 is where query, key and value are packed",
                    "\"%.20s\" is not how queries and keys can be read", text);
}

int sac_vector_axes_packed_index(const char *axes)
{
    size_t at = strcspn(axes, "32");
    return axes[at] ? (int)at : -1;
}

void sac_vector_axes_unpack(const char *axes, sac_vector_axes unpacked)
{
    size_t count = 0;
    for (; *axes; axes++)
        if (!strchr("32", *axes))
            unpacked[count++] = *axes;
    unpacked[count] = '\0';
}

/* The size of an axis; 1 where the order has no such letter. */
static size_t vector_axes_size(const sac_array *array, const char *axes, char letter)
{
    const char *at = strchr(axes, letter);
    return at && at - axes < array->rank ? array->shape[at - axes] : 1;
}

char *sac_vector_axes_text(const char *axes, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; axes[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%c%c", i ? ',' : '[', axes[i]);
    if (used && used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

/* ---------------------------------------------------------------- orders of an array */

/* X is the packed axis. Heads come before positions by default, as in PyTorch's
 * scaled_dot_product_attention; what is packed lies as in timm and flash-attention. */
static const char *const usual_orders[] = {"TD",    "BTD",   "TBD",   "HTD",   "THD",   "BHTD",
                                           "BTHD",  "TBHD",  "XTD",   "TXD",   "XBTD",  "TXHD",
                                           "BTXD",  "BXTD",  "XHTD",  "XTHD",  "XBHTD", "BTXHD",
                                           "BXHTD", "BTHXD", "XBTHD", "BXTHD", "TBXHD", "XTBHD"};
enum { USUAL_ORDERS = sizeof usual_orders / sizeof *usual_orders };

static bool fits(const char *axes, const sac_array *array, sac_packing packing)
{
    int packed = sac_vector_axes_packed_index(axes);
    return strlen(axes) == (size_t)array->rank &&
           (packed < 0 || array->shape[packed] == (size_t)packing);
}

static void insert_packing_digit(const char *from, size_t at, bool replaces, sac_packing packing,
                                 sac_vector_axes axes)
{
    snprintf(axes, SAC_VECTOR_AXES_SIZE, "%.*s%d%s", (int)at, from, (int)packing,
             from + at + replaces);
}

/* Heads are cut out of [B,T,H,D] only on request: [B,T,H,3·d] looks the same. */
static int list_usual(const sac_array *array, sac_packing packing,
                      sac_vector_axes orders[SAC_VECTOR_ORDERS])
{
    int count = 0;
    for (int i = 0; i < USUAL_ORDERS && count < SAC_VECTOR_ORDERS; i++) {
        size_t at = strcspn(usual_orders[i], "X");
        bool is_packed = usual_orders[i][at] != '\0';
        if (packing == SAC_PACK_NONE ? is_packed : !is_packed && has(usual_orders[i], 'H'))
            continue;
        if (is_packed)
            insert_packing_digit(usual_orders[i], at, true, packing, orders[count]);
        else
            snprintf(orders[count], SAC_VECTOR_AXES_SIZE, "%s", usual_orders[i]);
        count += fits(orders[count], array, packing);
    }
    return count;
}

int sac_vector_axes_list(const sac_array *array, sac_packing packing, const char *asked,
                         sac_vector_axes orders[SAC_VECTOR_ORDERS])
{
    int count = 0;
    if (!asked || !asked[0])
        return list_usual(array, packing, orders);
    snprintf(orders[0], SAC_VECTOR_AXES_SIZE, "%s", asked);
    if (fits(asked, array, packing))
        return 1;
    size_t length = strlen(asked);
    bool may_insert = packing != SAC_PACK_NONE && sac_vector_axes_packed_index(asked) < 0 &&
                      length + 1 < SAC_VECTOR_AXES_SIZE;
    for (size_t at = 0; may_insert && at < length; at++) {
        insert_packing_digit(asked, at, false, packing, orders[count]);
        count += fits(orders[count], array, packing);
    }
    return count;
}

/* ---------------------------------------------------------------- moving numbers */

enum { B, H, T, D, AXES };
static const char letters[AXES + 1] = "BHTD";

/* Elements [B,H,T,D] as they lie in an array: sizes, and the steps from one to the next. */
typedef struct lie {
    size_t size[AXES], step[AXES];
    size_t first;
} lie;

static lie compute_strided_layout(const size_t *shape, const char *axes,
                                  const sac_vector_part *part)
{
    lie l = {.size = {1, 1, 1, 1}};
    size_t step = 1;
    for (size_t i = strlen(axes); i-- > 0;) {
        const char *at = strchr(letters, axes[i]);
        if (!at) {
            l.first += part->packed * step;
        } else {
            bool is_cut = part->cut == axes[i];
            l.size[at - letters] = is_cut ? part->width : shape[i];
            l.step[at - letters] = step;
            l.first += is_cut ? part->from * step : 0;
        }
        step *= shape[i];
    }
    return l;
}

static bool is_dense(const lie *l)
{
    size_t step = 1;
    for (int a = AXES - 1; a >= 0; a--) {
        if (l->size[a] != 1 && l->step[a] != step)
            return false;
        step *= l->size[a];
    }
    return true;
}

/* Copies between elements in the order [B,H,T,D], at `dense`, and those in the layout `l`. */
static void copy_between_layouts(const lie *l, size_t width, char *dense, char *lying,
                                 bool to_dense)
{
    for (size_t b = 0; b < l->size[B]; b++)
        for (size_t h = 0; h < l->size[H]; h++)
            for (size_t t = 0; t < l->size[T]; t++) {
                size_t at = l->first + b * l->step[B] + h * l->step[H] + t * l->step[T];
                bool is_row = l->size[D] == 1 || l->step[D] == 1;
                size_t pieces = is_row ? 1 : l->size[D];
                size_t bytes = is_row ? l->size[D] * width : width;
                for (size_t d = 0; d < pieces; d++, dense += bytes) {
                    char *other = lying + (at + d * l->step[D]) * width;
                    memcpy(to_dense ? dense : other, to_dense ? other : dense, bytes);
                }
            }
}

sac_status sac_vectors_take(const sac_array *array, const char *axes, const sac_vector_part *part,
                            sac_array *vectors, sac_error *error)
{
    char text[160], order[24];
    size_t shape[AXES];
    *vectors = (sac_array){0};
    if (strlen(axes) != (size_t)array->rank)
        return sac_fail(error, SAC_E_SHAPE, NULL, "give --axes a letter for each of its sizes",
                        "shape %s is not %s", sac_array_shape_text(array, text, sizeof text),
                        sac_vector_axes_text(axes, order, sizeof order));
    lie l = compute_strided_layout(array->shape, axes, part);
    /* The rank of what the order gives, and its sizes: without items and heads that it
     * has not. */
    int rank = 0;
    for (int a = 0; a < AXES; a++)
        if (a >= T || has(axes, letters[a]) || (a == B && has(axes, 'H')))
            shape[rank++] = l.size[a];
    size_t width = sac_dtype_size(array->dtype);
    if (is_dense(&l)) {
        *vectors =
            sac_array_view(array->dtype, rank, shape, (const char *)array->data + l.first * width);
        return SAC_OK;
    }
    sac_status status = sac_array_create(array->dtype, rank, shape, vectors, error);
    if (status == SAC_OK)
        copy_between_layouts(&l, width, vectors->data, array->data, true);
    return status;
}

sac_status sac_vectors_restore(sac_array *vectors, const char *axes, sac_error *error)
{
    sac_vector_axes order;
    size_t shape[AXES];
    sac_vector_axes_unpack(axes, order);
    size_t rank = strlen(order);
    const char *from = vectors->rank == 4 ? "BHTD" : vectors->rank == 3 ? "BTD" : "TD";
    for (size_t i = 0; i < rank; i++)
        shape[i] = vector_axes_size(vectors, from, order[i]);
    lie l = compute_strided_layout(shape, order, &(sac_vector_part){0});
    if (is_dense(&l)) {
        vectors->rank = (int)rank;
        memcpy(vectors->shape, shape, rank * sizeof *shape);
        return SAC_OK;
    }
    sac_array moved;
    sac_status status = sac_array_create(vectors->dtype, (int)rank, shape, &moved, error);
    if (status != SAC_OK)
        return status;
    copy_between_layouts(&l, sac_dtype_size(vectors->dtype), vectors->data, moved.data, false);
    sac_array_free(vectors);
    *vectors = moved;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the vectors of a file */

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
static sac_status cut_packed_share(const sac_file_vectors *vectors, const char *order,
                                   const sac_attention_spec *spec, int role, sac_vector_part *part,
                                   sac_error *error)
{
    bool has_query = vectors->packing == SAC_PACK_QKV;
    const sac_array *array = vectors->part[1];
    part->cut = strchr(order, 'H') ? 'H' : 'D';
    size_t total = vector_axes_size(array, order, part->cut);
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

static sac_status read_vector_part(const sac_file_vectors *vectors, const char *order, int role,
                                   sac_attention_file *file, const sac_array **place,
                                   sac_error *error)
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
    else if (sac_vector_axes_packed_index(order) >= 0)
        part.packed = (size_t)(vectors->packing == SAC_PACK_KV ? role - 1 : role);
    else
        status = cut_packed_share(vectors, order, &file->spec, role, &part, error);
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
        status = read_vector_part(vectors, order, role, file, place[role], error);
    return status;
}

/* ---------------------------------------------------------------- doubt */

/* What an order makes of queries and keys. */
typedef struct sizes {
    size_t batch[2], heads[2], length[2]; /* of the query and the key */
    bool fit;
} sizes;

static sizes measure_axis_sizes(const sac_file_vectors *vectors, const char *order)
{
    sizes s = {.fit = true};
    for (int i = 0; i < 2; i++) {
        sac_vector_axes unpacked;
        const sac_array *array = vectors->part[i];
        bool is_packed = vectors->packing == SAC_PACK_QKV || (vectors->packing == SAC_PACK_KV && i);
        sac_vector_axes_unpack(order, unpacked);
        const char *axes = is_packed ? order : unpacked;
        s.fit = s.fit && strlen(axes) == (size_t)array->rank;
        s.batch[i] = vector_axes_size(array, axes, 'B');
        s.heads[i] = vector_axes_size(array, axes, 'H');
        s.length[i] = vector_axes_size(array, axes, 'T');
    }
    s.fit = s.fit && s.batch[0] == s.batch[1] && s.heads[1] && s.heads[0] % s.heads[1] == 0;
    return s;
}

/* True where `other` is the likelier: it alone is of a sentence with itself; or numbers of heads
 * are odd, or of more heads than positions odd or large, where the other way round they are what
 * models have; or there is a single position, which has nothing to attend to but itself. */
static bool is_other_likelier(const sizes *mine, const sizes *other)
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
    sizes mine = measure_axis_sizes(vectors, vectors->order[chosen]);
    for (int i = 0; i < vectors->count && !vectors->asked; i++) {
        sizes other = measure_axis_sizes(vectors, vectors->order[i]);
        if (i != chosen && is_other_likelier(&mine, &other))
            return i;
    }
    return -1;
}

void sac_file_vectors_note_doubt(const sac_file_vectors *vectors, int chosen, int other,
                                 sac_attention_file *file)
{
    char mine_text[24], other_text[24];
    const char *order = vectors->order[chosen], *likelier = vectors->order[other];
    sizes mine = measure_axis_sizes(vectors, order);
    sac_file_note(
        file, "read as %s: %zu heads, %zu queries, %zu keys; if they are %s, give --axes %s",
        sac_vector_axes_text(order, mine_text, sizeof mine_text), mine.heads[0], mine.length[0],
        mine.length[1], sac_vector_axes_text(likelier, other_text, sizeof other_text), likelier);
}
