/* Maps of weights inside a page. */
#include "export/html/html_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"

/* ---------------------------------------------------------------- weights in a byte each: read, quantised to fewer
 * levels where the page would be too large, compressed, and written as base64 */

/* A code c of `levels` stands for high · (c / levels)², so that small weights are as exact as large
 * ones: 253 levels are within 0.2 % of the largest weight of the map, and within 2 % of a weight of a
 * hundredth of it. Where some weight is negative, for low + (high − low) · c / levels. */
enum { FINEST = 253, MASKED = 254, NOT_A_NUMBER = 255 };

/* The page's data as a browser holds them; 144 heads of 512 × 512 are 38 million. */
#define MOST_WEIGHTS ((size_t)48 << 20)
#define MOST_CELLS ((size_t)1 << 24) /* of one map: what a canvas holds everywhere */
/* Base64 of the compressed weights may be so long; the program, the picture and labels have the
 * rest. */
#define WEIGHTS_LARGEST ((double)VIZ_HTML_LARGEST - 2.5e6)

/* A layer of an item: heads · (2 floats and steps · positions codes). */
typedef struct viz_html_block {
    int set;
    size_t item, layer, heads, cells;
    float (*ends)[2]; /* [heads] low and high; owned */
    uint8_t *codes;   /* [heads,cells]; owned */
} viz_html_block;

static size_t steps_of(const viz_html_maps *m, size_t item)
{
    return m->source ? sac_source_steps(m->source, item) : m->steps;
}

static size_t positions_of(const viz_html_maps *m, size_t item)
{
    return m->source ? sac_source_positions(m->source, item) : m->positions;
}

/* ---------------------------------------------------------------- how much */

sac_status viz_html_choose(const viz_html_maps *m, size_t item, size_t layer, size_t head,
                           viz_html_range *range, char *note, size_t note_size, sac_error *error)
{
    size_t items = m->source ? m->source->weights.batch : 1;
    size_t rows = steps_of(m, item), columns = positions_of(m, item);
    size_t most_rows = m->steps, most_columns = m->positions, cells, all;
    *note = 0;
    if (!sac_checked_mul(rows, columns, &cells) || cells > MOST_CELLS)
        return sac_fail(error, SAC_E_SHAPE, "page",
                        "write a PNG, which pools them, or a table, which has all",
                        "one map of %zu x %zu weights is too large for a page", rows, columns);
    *range = (viz_html_range){0, items, 0, m->layers, 0, m->heads};
    const size_t shape[] = {items, m->layers, m->heads, most_rows, most_columns};
    bool fits = sac_checked_mul_shape(shape, 5, 1, &all) && all <= MOST_WEIGHTS;
    if (!fits && items > 1) {
        range->item = item;
        range->items = 1;
        snprintf(note, note_size, "this page has item %zu of %zu alone", item, items);
        const size_t one[] = {m->layers, m->heads, rows, columns};
        fits = sac_checked_mul_shape(one, 4, 1, &all) && all <= MOST_WEIGHTS;
    }
    if (!fits && m->layers > 1) {
        range->layer = layer;
        range->layers = 1;
        snprintf(note, note_size, "this page has layer %zu of %zu alone",
                 m->source ? sac_source_layer_number(m->source, layer) : layer, m->layers);
        const size_t one[] = {m->heads, rows, columns};
        fits = sac_checked_mul_shape(one, 3, 1, &all) && all <= MOST_WEIGHTS;
    }
    if (!fits && m->heads > 1) {
        range->head = head;
        range->heads = 1;
        snprintf(note, note_size, "this page has layer %zu, head %zu alone",
                 m->source ? sac_source_layer_number(m->source, layer) : layer, head);
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- reading */

static viz_html_block *add_block(viz_html_bytes *bytes, size_t heads, size_t cells)
{
    if (bytes->count == bytes->room) {
        size_t room = 2 * bytes->room + 16;
        viz_html_block *more = realloc(bytes->blocks, room * sizeof *more);
        if (!more)
            return NULL;
        bytes->blocks = more;
        bytes->room = room;
    }
    viz_html_block *block = &bytes->blocks[bytes->count];
    *block = (viz_html_block){.heads = heads, .cells = cells};
    block->ends = malloc(heads * sizeof *block->ends);
    block->codes = malloc(heads * cells);
    if (!block->ends || !block->codes) {
        free(block->ends);
        free(block->codes);
        return NULL;
    }
    bytes->count++;
    return block;
}

static void code_map(const float *weights, const uint8_t *masked, size_t cells, float ends[2],
                     uint8_t *codes, size_t of_code[256])
{
    float low = 0, high = 0;
    for (size_t i = 0; i < cells; i++) /* no comparison with NaN is true */
        if (weights[i] < low)
            low = weights[i];
        else if (weights[i] > high)
            high = weights[i];
    ends[0] = low;
    ends[1] = high;
    float one = high > low ? 1 / (high - low) : 0;
    for (size_t i = 0; i < cells; i++) {
        float share = (weights[i] - low) * one;
        float place = low < 0 ? share : sqrtf(share);
        codes[i] = masked && masked[i] ? MASKED
                   : isnan(weights[i]) ? NOT_A_NUMBER
                                       : (uint8_t)lrintf(place * FINEST);
        of_code[codes[i]]++;
    }
}

/* One map into weights [cells] and masked [cells]; *has_mask: which are masked is known. */
static sac_status read_map(const viz_html_maps *m, size_t layer, const sac_tile *tile,
                           float *weights, uint8_t *masked, bool *has_mask, sac_error *error)
{
    size_t cells = tile->rows * tile->cols;
    *has_mask = m->source ? m->source->weights.masked != NULL : m->is_causal;
    if (!m->source) {
        memcpy(weights, m->weights + (layer * m->heads + tile->head) * cells,
               cells * sizeof *weights);
        return m->is_causal ? sac_mask_later(NULL, layer, tile, masked, error) : SAC_OK;
    }
    const sac_weights_source *w = &m->source->weights;
    sac_status status = w->tile(m->source->self, layer, tile, weights, error);
    if (status == SAC_OK && *has_mask)
        status = w->masked(m->source->self, layer, tile, masked, error);
    return status;
}

static sac_status read_layer(const viz_html_maps *m, const viz_html_range *range, int set,
                             size_t item, size_t layer, viz_html_bytes *bytes, sac_error *error)
{
    size_t rows = steps_of(m, item), columns = positions_of(m, item), cells = rows * columns;
    float *weights = malloc(cells * sizeof *weights);
    uint8_t *masked = malloc(cells);
    viz_html_block *block = weights && masked ? add_block(bytes, range->heads, cells) : NULL;
    sac_status status = block ? SAC_OK : sac_no_memory(error, "page");
    for (size_t i = 0; i < range->heads && status == SAC_OK; i++) {
        const sac_tile tile = {item, range->head + i, 0, rows, 0, columns};
        bool has_mask;
        status = read_map(m, layer, &tile, weights, masked, &has_mask, error);
        if (status == SAC_OK)
            code_map(weights, has_mask ? masked : NULL, cells, block->ends[i],
                     block->codes + i * cells, bytes->of_code);
    }
    if (block) {
        block->set = set;
        block->item = item - range->item;
        block->layer = layer - range->layer;
        bytes->weights += (double)range->heads * (double)cells;
    }
    free(weights);
    free(masked);
    return status;
}

sac_status viz_html_read(const viz_html_maps *m, const viz_html_range *range, int set,
                         const sac_progress *progress, viz_html_bytes *bytes, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < range->items && status == SAC_OK; i++)
        for (size_t k = 0; k < range->layers && status == SAC_OK; k++) {
            double done = (double)(i * range->layers + k) / (double)(range->items * range->layers);
            if (progress && progress->step && !progress->step(progress->user, done))
                return sac_fail(error, SAC_E_CANCELLED, "page", NULL, "stopped on request");
            status = read_layer(m, range, set, range->item + i, range->layer + k, bytes, error);
        }
    return status;
}

void viz_html_bytes_free(viz_html_bytes *bytes)
{
    for (size_t i = 0; i < bytes->count; i++) {
        free(bytes->blocks[i].ends);
        free(bytes->blocks[i].codes);
    }
    free(bytes->blocks);
    *bytes = (viz_html_bytes){0};
}

/* ---------------------------------------------------------------- writing */

static int coarsen_code(int code, int levels)
{
    return code > FINEST ? code : (code * levels + FINEST / 2) / FINEST;
}

/* What entropy coding needs at least, and deflate about. */
static double estimated_bits(const viz_html_bytes *bytes, int levels)
{
    double of_code[256] = {0}, bits = 0;
    for (int i = 0; i < 256; i++)
        of_code[coarsen_code(i, levels)] += (double)bytes->of_code[i];
    for (int i = 0; i < 256; i++)
        if (of_code[i] > 0)
            bits -= of_code[i] * log2(of_code[i] / bytes->weights);
    return bits;
}

int viz_html_levels(const viz_html_bytes *bytes)
{
    int levels = FINEST;
    while (levels > 15 && estimated_bits(bytes, levels) / 6 > WEIGHTS_LARGEST)
        levels /= 2;
    return levels;
}

static sac_status put_block(FILE *file, const viz_html_block *b, int levels, sac_error *error)
{
    size_t size = b->heads * (sizeof *b->ends + b->cells);
    uLongf packed_size = compressBound(size);
    uint8_t *plain = malloc(size), *packed = malloc(packed_size);
    sac_status status = plain && packed ? SAC_OK : sac_no_memory(error, "page");
    for (size_t h = 0; h < b->heads && status == SAC_OK; h++) {
        uint8_t *out = plain + h * (sizeof *b->ends + b->cells);
        memcpy(out, b->ends[h], sizeof *b->ends);
        out += sizeof *b->ends;
        for (size_t i = 0; i < b->cells; i++)
            out[i] = (uint8_t)coarsen_code(b->codes[h * b->cells + i], levels);
    }
    if (status == SAC_OK && compress2(packed, &packed_size, plain, size, 6) != Z_OK)
        status = sac_no_memory(error, "page");
    if (status == SAC_OK) {
        fprintf(file, "<script type=\"text/plain\" id=\"w-%d-%zu-%zu\">", b->set, b->item,
                b->layer);
        sac_base64_put(file, packed, packed_size);
        fputs("</script>\n", file);
    }
    free(plain);
    free(packed);
    return status;
}

sac_status viz_html_put_weights(FILE *file, viz_html_bytes *bytes, int levels, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; i < bytes->count && status == SAC_OK; i++)
        status = put_block(file, &bytes->blocks[i], levels, error);
    return status;
}

static void put_labels(FILE *file, const char *name, const sac_labels *labels)
{
    if (!labels || !labels->count)
        return;
    fprintf(file, ",\"%s\":[", name);
    for (size_t i = 0; i < labels->count; i++) {
        fputs(i ? "," : "", file);
        sac_write_json_text(file, labels->text[i]);
    }
    fputc(']', file);
}

static void put_item(FILE *file, const viz_html_maps *m, size_t item)
{
    const sac_source *s = m->source;
    fprintf(file, "{\"number\":%zu,\"steps\":%zu,\"positions\":%zu", item, steps_of(m, item),
            positions_of(m, item));
    put_labels(file, "rows", s ? sac_source_step_labels(s, item) : m->rows);
    put_labels(file, "columns", s ? sac_source_position_labels(s, item) : m->columns);
    size_t cells = (size_t)m->grid_w * (size_t)m->grid_h;
    if (s && cells) {
        fputs(",\"cells\":[", file);
        for (size_t i = 0; i < cells; i++)
            fprintf(file, "%s%zu", i ? "," : "", sac_source_cell_position(s, item, i));
        fputc(']', file);
    }
    fputc('}', file);
}

float viz_html_most(const viz_html_bytes *bytes, int set)
{
    float most = 0;
    for (size_t i = 0; i < bytes->count; i++)
        for (size_t h = 0; h < bytes->blocks[i].heads && bytes->blocks[i].set == set; h++)
            most = fmaxf(most, bytes->blocks[i].ends[h][1]);
    return most;
}

void viz_html_put_maps(FILE *file, const viz_html_maps *m, const viz_html_range *range, float most)
{
    const sac_source *s = m->source;
    fputs("{\"name\":", file);
    sac_write_json_text(file, m->name);
    fputs(",\"layers\":[", file);
    for (size_t i = 0; i < range->layers; i++)
        fprintf(file, "%s%zu", i ? "," : "",
                s ? sac_source_layer_number(s, range->layer + i) : range->layer + i);
    fputs("],\"heads\":[", file);
    for (size_t i = 0; i < range->heads; i++)
        fprintf(file, "%s%zu", i ? "," : "", range->head + i);
    fprintf(file, "],\"most\":%.9g,\"turned\":%s", (double)most,
            s && s->weights.turned ? "true" : "false");
    if (m->grid_w)
        fprintf(file, ",\"grid\":[%d,%d]", m->grid_w, m->grid_h);
    fputs(",\"items\":[", file);
    for (size_t i = 0; i < range->items; i++) {
        fputs(i ? ",\n" : "", file);
        put_item(file, m, range->item + i);
    }
    fputs("]}", file);
}

/* ---------------------------------------------------------------- colours */

void viz_html_put_colors(FILE *file, const char *name, const viz_color *colors)
{
    fprintf(file, "\"%s\":\"", name);
    for (int i = 0; i < 256; i++)
        fprintf(file, "%02x%02x%02x", colors[i].r, colors[i].g, colors[i].b);
    fputc('"', file);
}
