/* Every head of what encoded a picture or a sound: of an encoder of layers, of one in stages, of the queries between what
 * sees and what reads, and of an encoder of text that reads both. What entered the first of them is kept, and goes
 * through their layers once more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

sac_status sac_inference_fill_kind(const sac_inference *p, int part, size_t item,
                                   sac_attention_kind *k, sac_error *error)
{
    const size_t items = k->items ? k->items : 1, maps = k->heads * k->steps * k->positions;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < k->layers && status == SAC_OK; i++)
        status = sac_inference_read_heads(p, (int)i, part, k->weights + (i * items + item) * maps,
                                          error);
    return status;
}

/* What sees is "vision" where another encoder reads what it sees. */
static const char *name_of(const captioner *c)
{
    return c->model->text_encoder ? "vision" : "encoder";
}

/* Rows and columns are what was encoded, and named so. */
static sac_status name_encoded(const captioner *c, sac_attention_kind *k, sac_error *error)
{
    sac_status status = sac_captioner_name_encoded(c, &k->step_labels, error);
    return status == SAC_OK ? sac_labels_copy(&k->step_labels, &k->position_labels, error) : status;
}

/* ---------------------------------------------------------------- queries between what sees and what reads */

/* "queries" [L,H,Q,Q] look at each other, and "queries_cross" in some layers at all that was seen. */
static sac_status add_queries(const sac_inference *seen, sac_attentions *a, sac_error *error)
{
    const sac_pretrained_model *q = seen->model->resampler;
    const size_t Q = q->detector.queries, H = (size_t)q->run.heads;
    const sac_attention_kind own = {
        .name = "queries", .layers = (size_t)q->layers, .heads = H, .steps = Q, .positions = Q};
    const sac_attention_kind cross = {.name = "queries_cross",
                                      .layers = sac_resampler_looks(q),
                                      .heads = H,
                                      .steps = Q,
                                      .positions = seen->count};
    sac_attention_kind *part;
    sac_status status = sac_attentions_add_part(a, &own, &part, error);
    float *weights = part ? part->weights : NULL; /* the part moves when another comes */
    if (status == SAC_OK)
        status = sac_attentions_add_part(a, &cross, &part, error);
    return status == SAC_OK && weights && part
               ? sac_inference_resample_heads(seen, weights, part->weights, error)
               : status;
}

/* ---------------------------------------------------------------- layers */

/* Of a picture in tiles each of them is an item. */
static sac_status add_layers(const captioner *c, sac_attentions *a, sac_error *error)
{
    const sac_image_tokens *picture = c->prompted.picture;
    const bool is_kept = picture && picture->entered.states;
    const sac_embedded_input *entered = is_kept ? &picture->entered : &c->entered;
    const size_t tiles = is_kept ? picture->tiles : 1;
    sac_attention_kind form = {.layers = (size_t)c->model->layers,
                               .items = tiles > 1 ? tiles : 0,
                               .heads = (size_t)c->model->run.heads,
                               .steps = entered->count,
                               .positions = entered->count};
    sac_attention_kind *part;
    if (!entered->states)
        return SAC_OK;
    snprintf(form.name, sizeof form.name, "%s", name_of(c));
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    const bool fits = part != NULL, has_queries = c->model->resampler != NULL;
    const size_t at = a->parts - fits; /* parts move when another comes */
    if (status == SAC_OK && fits && !is_kept && entered->count == c->seen)
        status = name_encoded(c, part, error);
    for (size_t i = 0; i < tiles && (fits || has_queries) && status == SAC_OK; i++) {
        sac_inference *seen = NULL;
        status = sac_inference_enter(c->model, entered, i, &seen, error);
        if (status == SAC_OK && fits)
            status = sac_inference_fill_kind(seen, SAC_PART_SELF, i, &a->part[at], error);
        if (status == SAC_OK && has_queries && i == 0)
            status = add_queries(seen, a, error);
        sac_inference_free(seen);
    }
    sac_pretrained_rest(c->model->files);
    return status;
}

/* ---------------------------------------------------------------- stages */

/* Of each window the weights of its cells, and which cells of the stage's grid they are. */
static sac_status read_windows(const sac_inference *p, sac_attention_kind *k, sac_error *error)
{
    const size_t W = k->items, map = k->steps * k->positions;
    sac_status status = SAC_OK;
    k->cells = malloc(k->layers * W * k->steps * sizeof *k->cells);
    if (!k->cells)
        return sac_no_memory(error, p->model->name);
    for (size_t layer = 0; layer < k->layers && status == SAC_OK; layer++) {
        const sac_windows *w = sac_windows_of(p, (int)layer);
        sac_window_heads *heads = NULL;
        for (size_t i = 0; i < W * k->steps; i++)
            k->cells[layer * W * k->steps + i] =
                (size_t)w->cell[i] < w->grid_cells ? w->cell[i] : -1;
        status = sac_window_heads_create(p, (int)layer, &heads, error);
        for (size_t head = 0; head < k->heads && status == SAC_OK; head++) {
            const float *weights;
            status = sac_window_heads_find(heads, head, &weights, error);
            for (size_t i = 0; i < W && status == SAC_OK; i++)
                memcpy(k->weights + ((layer * W + i) * k->heads + head) * map, weights + i * map,
                       map * sizeof *weights);
        }
        sac_window_heads_destroy(heads);
    }
    return status;
}

static sac_status add_windows(const captioner *c, const sac_inference *p, sac_attentions *a,
                              sac_error *error)
{
    const sac_pretrained_model *stage = p->model;
    const sac_windows *w = sac_windows_of(p, 0);
    sac_attention_kind form = {.layers = (size_t)stage->layers,
                               .items = sac_windows_count(w),
                               .heads = (size_t)stage->run.heads,
                               .steps = w->cells,
                               .positions = w->cells};
    sac_attention_kind *part;
    snprintf(form.name, sizeof form.name, "%s_stage_%d", name_of(c), stage->stage.number);
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    return status == SAC_OK && part ? read_windows(p, part, error) : status;
}

/* DaViT's channels, which look at those of their group. */
static sac_status add_channels(const captioner *c, const sac_inference *p, sac_attentions *a,
                               sac_error *error)
{
    const sac_pretrained_model *stage = p->model;
    if (!stage->stage.channels)
        return SAC_OK;
    const size_t groups = stage->stage.channels[0].groups, each = stage->width / groups;
    sac_attention_kind form = {
        .layers = (size_t)stage->layers, .heads = groups, .steps = each, .positions = each};
    sac_attention_kind *part;
    snprintf(form.name, sizeof form.name, "%s_stage_%d_channels", name_of(c), stage->stage.number);
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    for (size_t i = 0; part && i < form.layers && status == SAC_OK; i++)
        memcpy(part->weights + i * groups * each * each, p->layer[i].channels,
               groups * each * each * sizeof *part->weights);
    return status;
}

static sac_status add_stages(const captioner *c, sac_attentions *a, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 1; c->pixels && i <= c->model->stage_count && status == SAC_OK; i++) {
        sac_inference *p = NULL;
        status = sac_stages_see(c->model, c->pixels, c->pixels_w, c->pixels_h, i, true,
                                sac_captioner_scale_of_stages(c), &p, error);
        if (status == SAC_OK)
            status = add_windows(c, p, a, error);
        if (status == SAC_OK)
            status = add_channels(c, p, a, error);
        sac_inference_free(p);
    }
    sac_pretrained_rest(c->model->files);
    return status;
}

/* ---------------------------------------------------------------- what reads what was seen */

static sac_status add_reader(captioner *c, sac_attentions *a, sac_error *error)
{
    sac_inference *read = NULL;
    sac_attention_kind *part = NULL;
    if (!c->decoder->text_decoder.class->read)
        return SAC_OK;
    sac_status status = sac_joint_read_again(c, &read, error);
    if (status == SAC_OK) {
        const sac_attention_kind form = {.name = "encoder",
                                         .layers = (size_t)read->model->layers,
                                         .heads = (size_t)read->model->run.heads,
                                         .steps = read->count,
                                         .positions = read->count};
        status = sac_attentions_add_part(a, &form, &part, error);
    }
    if (status == SAC_OK && part)
        status = sac_inference_fill_kind(read, SAC_PART_SELF, 0, part, error);
    if (status == SAC_OK && part)
        status = name_encoded(c, part, error);
    sac_inference_free(read);
    return status;
}

sac_status sac_pretrained_captioner_encoders(captioner *c, sac_attentions *a, sac_error *error)
{
    sac_status status = SAC_OK;
    if (!sac_architecture_has_vision(
            c->model)) /* the encoder of a text is one of the kinds already */
        return SAC_OK;
    status = c->model->stage_count ? add_stages(c, a, error) : add_layers(c, a, error);
    return status == SAC_OK ? add_reader(c, a, error) : status;
}
