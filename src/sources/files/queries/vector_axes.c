/* Orders of axes, and arrays moved from one to another. */

#include "sources/files/queries/vector_axes.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"

/* ---------------------------------------------------------------- words */

static bool has(const char *axes, char letter)
{
    return letter && strchr(axes, letter);
}

/* The letters of `text` alone, in capitals; false: there are others, or too many. */
static bool clean(const char *text, sac_vector_axes letters)
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

static char meaning_of(char letter, const char *all)
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
    bool good = clean(text, letters);
    axes[0] = '\0';
    for (size_t i = 0; good && letters[i]; i++) {
        char letter = meaning_of(letters[i], letters);
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

int sac_vector_axes_packed(const char *axes)
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

size_t sac_vector_axes_size(const sac_array *array, const char *axes, char letter)
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
    int packed = sac_vector_axes_packed(axes);
    return strlen(axes) == (size_t)array->rank &&
           (packed < 0 || array->shape[packed] == (size_t)packing);
}

static void put_digit(const char *from, size_t at, bool replaces, sac_packing packing,
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
            put_digit(usual_orders[i], at, true, packing, orders[count]);
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
    bool may_insert = packing != SAC_PACK_NONE && sac_vector_axes_packed(asked) < 0 &&
                      length + 1 < SAC_VECTOR_AXES_SIZE;
    for (size_t at = 0; may_insert && at < length; at++) {
        put_digit(asked, at, false, packing, orders[count]);
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

static lie find_lie(const size_t *shape, const char *axes, const sac_vector_part *part)
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
static void move(const lie *l, size_t width, char *dense, char *lying, bool to_dense)
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
    lie l = find_lie(array->shape, axes, part);
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
        move(&l, width, vectors->data, array->data, true);
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
        shape[i] = sac_vector_axes_size(vectors, from, order[i]);
    lie l = find_lie(shape, order, &(sac_vector_part){0});
    if (is_dense(&l)) {
        vectors->rank = (int)rank;
        memcpy(vectors->shape, shape, rank * sizeof *shape);
        return SAC_OK;
    }
    sac_array moved;
    sac_status status = sac_array_create(vectors->dtype, (int)rank, shape, &moved, error);
    if (status != SAC_OK)
        return status;
    move(&l, sac_dtype_size(vectors->dtype), vectors->data, moved.data, false);
    sac_array_free(vectors);
    *vectors = moved;
    return SAC_OK;
}
