/* Queries and keys of the heads on a page, from which its reader may have other weights computed. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/output.h"
#include "export/html/html_parts.h"
#include "scores/scores.h"

enum {
    MOST_NUMBERS = 1 << 20, /* of all heads */
    MOST_ROWS = 2048        /* queries, each of which the source is asked for */
};

/* Of each head [steps,dim] queries, [positions,dim] keys, and of an additive score [dim] w_v. */
static size_t numbers_of_head(const viz_html_vectors *v, size_t steps, size_t positions)
{
    return (steps + positions + (v->has_w_v ? 1 : 0)) * v->dim;
}

/* True where a reader's settings are all that the weights depend on, beside these. */
static bool can_be_computed(const sac_explanation *e)
{
    return e->dim > 0 && e->normalizer == SAC_NORMALIZER_SOFTMAX && !e->has_sink && e->softcap == 0;
}

static bool is_alike(const viz_html_vectors *v, const sac_explanation *e)
{
    return can_be_computed(e) && e->score == v->score && e->dim == v->dim && e->scale == v->scale &&
           e->inverse_width == v->inverse_width && e->temperature == v->temperature &&
           !e->w_v == !v->has_w_v;
}

/* The vectors of one head, the rows one after the other; *alike: false, some are none that can be written. */
static sac_status read_head(sac_source *s, const viz_html_vectors *v,
                            sac_explanation_request request, size_t steps, size_t positions,
                            float *numbers, bool *alike, sac_error *error)
{
    sac_status status = SAC_OK;
    for (size_t row = 0; row < steps && status == SAC_OK && *alike; row++) {
        sac_explanation e = {0};
        request.step = row;
        status = s->weights.explain(s->self, &request, &e, error);
        *alike = status == SAC_OK && is_alike(v, &e) && e.keys == positions;
        if (*alike) {
            memcpy(numbers + row * v->dim, e.query, v->dim * sizeof *numbers);
            if (row == 0)
                memcpy(numbers + steps * v->dim, e.key, positions * v->dim * sizeof *numbers);
            if (row == 0 && v->has_w_v)
                memcpy(numbers + (steps + positions) * v->dim, e.w_v, v->dim * sizeof *numbers);
        }
        sac_explanation_free(&e);
    }
    return status;
}

sac_status viz_html_read_vectors(const viz_html_maps *m, const viz_html_range *range,
                                 viz_html_vectors *v, sac_error *error)
{
    sac_source *s = m->source;
    const size_t heads = range->items * range->layers * range->heads;
    sac_explanation first = {0};
    sac_explanation_request request = {
        .layer = range->layer, .batch = range->item, .head = range->head};
    *v = (viz_html_vectors){.heads = heads, .steps = m->steps, .positions = m->positions};
    /* A source that cannot take its weights apart has none, and the page is written without them. */
    if (!s || !s->weights.explain || s->weights.items || s->weights.turned ||
        heads > MOST_ROWS / (m->steps ? m->steps : 1) ||
        s->weights.explain(s->self, &request, &first, NULL) != SAC_OK)
        return SAC_OK;
    v->score = first.score;
    v->dim = first.dim;
    v->scale = first.scale;
    v->inverse_width = first.inverse_width;
    v->temperature = first.temperature;
    v->has_w_v = first.w_v != NULL;
    bool alike = can_be_computed(&first);
    sac_explanation_free(&first);
    const size_t size = numbers_of_head(v, m->steps, m->positions);
    if (!alike || size > MOST_NUMBERS / heads)
        return SAC_OK;
    if (!(v->numbers = malloc(heads * size * sizeof *v->numbers)))
        return sac_no_memory(error, "page");
    sac_status status = SAC_OK;
    for (size_t i = 0; i < heads && status == SAC_OK && alike; i++) {
        request.head = range->head + i % range->heads;
        request.layer = range->layer + i / range->heads % range->layers;
        request.batch = range->item + i / range->heads / range->layers;
        status =
            read_head(s, v, request, m->steps, m->positions, v->numbers + i * size, &alike, error);
    }
    if (status != SAC_OK || !alike) {
        free(v->numbers);
        v->numbers = NULL;
    }
    return status;
}

void viz_html_put_vector_sizes(FILE *file, const viz_html_vectors *v)
{
    if (!v->numbers)
        return;
    fprintf(file, ",\n\"vectors\":{\"score\":\"%s\",\"dim\":%zu,\"scale\":%.9g,\"width\":%.9g",
            sac_score_class_of(v->score)->name, v->dim, v->scale / v->temperature,
            v->inverse_width);
    fprintf(file, ",\"hidden\":%s}", v->has_w_v ? "true" : "false");
}

sac_status viz_html_put_vectors(FILE *file, const viz_html_vectors *v, sac_error *error)
{
    if (!v->numbers)
        return SAC_OK;
    const size_t size = v->heads * numbers_of_head(v, v->steps, v->positions) * sizeof *v->numbers;
    uLongf packed_size = compressBound(size);
    uint8_t *packed = malloc(packed_size);
    if (!packed || compress2(packed, &packed_size, (const uint8_t *)v->numbers, size, 6) != Z_OK) {
        free(packed);
        return sac_no_memory(error, "page");
    }
    fputs("<script type=\"text/plain\" id=\"vectors\">", file);
    sac_base64_put(file, packed, packed_size);
    fputs("</script>\n", file);
    free(packed);
    return SAC_OK;
}
