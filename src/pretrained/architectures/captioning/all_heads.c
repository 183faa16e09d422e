/* Every head, as arrays: of the decoder where it generates some tokens of what was encoded, and of what encoded that: of
 * an encoder of layers, of one in stages, of the queries between what sees and what reads, and of an encoder of text that
 * reads both. What entered the first of them is kept, and goes through their layers once more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* Every head of a part of the layers of an inference, into item `item` of a kind of its form. */
static sac_status fill_kind(const sac_inference *p, int part, size_t item, sac_attention_kind *k,
                            sac_error *error)
{
    const size_t items = k->items ? k->items : 1, maps = k->heads * k->steps * k->positions;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < k->layers && status == SAC_OK; i++)
        status = sac_inference_read_heads(p, (int)i, part, k->weights + (i * items + item) * maps,
                                          error);
    return status;
}

/* ---------------------------------------------------------------- of a decoder beside a memory */

/* One kind, of a part of the layers. */
static sac_status add_kind(const sac_inference *p, int part, int kind, sac_attentions *a,
                           sac_error *error)
{
    const size_t keys = part == SAC_PART_CROSS ? p->memory->states.rows : p->count;
    sac_status status = sac_attentions_add(a, kind, (size_t)p->model->layers,
                                           (size_t)p->model->run.heads, p->count, keys, error);
    return status == SAC_OK ? fill_kind(p, part, 0, &a->kind[kind], error) : status;
}

/* Rows are the words that are generated, columns of the decoder the token before each. */
static sac_status label_kinds(const captioner *c, const sac_inference *text, int last,
                              const sac_inference *source, sac_attentions *a, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const size_t T = text->count;
    sac_attention_kind *own = &a->kind[SAC_DECODER_ATTENTION],
                       *cross = &a->kind[SAC_CROSS_ATTENTION],
                       *read = &a->kind[SAC_ENCODER_ATTENTION];
    int *steps = malloc(T * sizeof *steps);
    if (!steps)
        return sac_no_memory(error, d->name);
    memcpy(steps, text->ids + 1, (T - 1) * sizeof *steps);
    steps[T - 1] = last;
    sac_status status = sac_architecture_label_tokens(d, steps, T, &own->step_labels, error);
    free(steps);
    if (status == SAC_OK)
        status = sac_architecture_label_tokens(d, text->ids, T, &own->position_labels, error);
    if (status == SAC_OK)
        status = sac_labels_copy(&own->step_labels, &cross->step_labels, error);
    if (status == SAC_OK && !source)
        status = sac_captioner_name_encoded(c, &cross->position_labels, error);
    sac_labels *of_source[] = {&read->step_labels, &read->position_labels, &cross->position_labels};
    for (int i = 0; source && i < 3 && status == SAC_OK; i++)
        status = sac_architecture_label_tokens(source->model, source->ids, source->count,
                                               of_source[i], error);
    return status;
}

static sac_status add_beside_memory(captioner *c, const int *words, size_t count, sac_attentions *a,
                                    sac_error *error)
{
    sac_inference *source = NULL, *text;
    sac_attended memory;
    sac_status status = sac_captioner_reread(c, words, count, &memory, &text, error);
    if (status == SAC_OK && !sac_architecture_has_media_encoder(c->model))
        status = sac_captioner_encode_text(
            c, c->model, (sac_prompt){.ids = c->ids, .count = c->seen}, &source, error);
    if (status == SAC_OK && source)
        status = add_kind(source, SAC_PART_SELF, SAC_ENCODER_ATTENTION, a, error);
    if (status == SAC_OK)
        status = add_kind(text, SAC_PART_SELF, SAC_DECODER_ATTENTION, a, error);
    if (status == SAC_OK)
        status = add_kind(text, SAC_PART_CROSS, SAC_CROSS_ATTENTION, a, error);
    if (status == SAC_OK)
        status = label_kinds(c, text, words[count - 1], source, a, error);
    sac_inference_free(text);
    sac_inference_free(source);
    return status;
}

/* ---------------------------------------------------------------- of a decoder after a context */

/* Columns are what stands before, and the words before the last. */
static sac_status name_columns(const captioner *c, const int *words, size_t count,
                               sac_attention_kind *kind, sac_error *error)
{
    const bool has_prompt = sac_captioner_reads_picture_in_prompt(c);
    const size_t before = has_prompt ? c->seen : 1;
    const int start = c->generates.start(c).tokens.start;
    int *all = malloc((before + count) * sizeof *all);
    sac_labels behind = {0};
    if (!all)
        return sac_no_memory(error, c->decoder->name);
    memcpy(all, has_prompt ? c->ids : &start, before * sizeof *all);
    memcpy(all + before, words, (count - 1) * sizeof *all);
    sac_status status =
        sac_architecture_label_tokens(c->decoder, words, count, &kind->step_labels, error);
    if (status == SAC_OK && !has_prompt)
        status = sac_captioner_name_encoded(c, &kind->position_labels, error);
    if (status == SAC_OK)
        status =
            sac_architecture_label_tokens(c->decoder, all, before + count - 1,
                                          has_prompt ? &kind->position_labels : &behind, error);
    free(all);
    return status == SAC_OK && !has_prompt
               ? sac_labels_append(&kind->position_labels, &behind, error)
               : status;
}

/* Every head of the context by itself. */
static sac_status add_context(const captioner *c, sac_attentions *a, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const sac_inference *context = c->context;
    const sac_attention_kind form = {.name = "prompt",
                                     .layers = (size_t)d->layers,
                                     .heads = (size_t)d->run.heads,
                                     .steps = context->count,
                                     .positions = context->count};
    sac_attention_kind *part;
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    if (status != SAC_OK || !part)
        return status;
    status = fill_kind(context, SAC_PART_SELF, 0, part, error);
    if (status == SAC_OK)
        status = sac_captioner_reads_picture_in_prompt(c)
                     ? sac_architecture_label_tokens(d, context->ids, context->count,
                                                     &part->step_labels, error)
                     : sac_captioner_name_encoded(c, &part->step_labels, error);
    return status == SAC_OK ? sac_labels_copy(&part->step_labels, &part->position_labels, error)
                            : status;
}

static sac_status add_after_context(captioner *c, const int *words, size_t count, sac_attentions *a,
                                    sac_error *error)
{
    const size_t L = (size_t)c->decoder->layers, H = (size_t)c->decoder->run.heads;
    sac_attention_kind *kind = &a->kind[SAC_DECODER_ATTENTION];
    sac_captioner_set_decoding(c);
    const sac_context_rows rows = sac_captioner_context_rows(c, (int)count);
    sac_status status = sac_captioner_replay_words(c, words, (int)count, error);
    if (status == SAC_OK)
        status = sac_attentions_add(a, SAC_DECODER_ATTENTION, L, H, count, rows.keys, error);
    for (size_t i = 0; i < L * H && status == SAC_OK; i++)
        status = sac_context_rows_mean(&rows, (int)(i / H) + 1, (int)(i % H) + 1, rows.keys,
                                       rows.keys, kind->weights + i * count * rows.keys, error);
    if (status == SAC_OK)
        status = name_columns(c, words, count, kind, error);
    return status == SAC_OK ? add_context(c, a, error) : status;
}

sac_status sac_pretrained_captioner_attentions(captioner *c, const int *words, size_t count,
                                               sac_attentions *a, sac_error *error)
{
    *a = (sac_attentions){0};
    if (c->decoder->text_decoder.recurrent)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "has no layers that attend to what it sees");
    if (count < 1 || count > SAC_MAX_TOKENS)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "there are weights of 1 to %d tokens, not of %zu", SAC_MAX_TOKENS, count);
    sac_status status = SAC_OK;
    if ((sac_captioner_reads_picture_in_prompt(c) && !c->context) || sac_gaze_is_held(&c->gaze))
        status = sac_captioner_apply_request(c, &(sac_result_request){0}, error);
    if (status == SAC_OK)
        status = c->context ? add_after_context(c, words, count, a, error)
                            : add_beside_memory(c, words, count, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    return status;
}

/* ---------------------------------------------------------------- of encoders */

/* What sees is "vision" where another encoder reads what it sees. */
static const char *encoder_name(const captioner *c)
{
    return c->model->text_encoder ? "vision" : "encoder";
}

/* Rows and columns are what was encoded, and named so. */
static sac_status label_encoded_positions(const captioner *c, sac_attention_kind *k,
                                          sac_error *error)
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
                                      .layers = sac_resampler_cross_layer_count(q),
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
    const sac_image_tokens *picture = c->picture;
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
    snprintf(form.name, sizeof form.name, "%s", encoder_name(c));
    sac_status status = sac_attentions_add_part(a, &form, &part, error);
    const bool fits = part != NULL, has_queries = c->model->resampler != NULL;
    const size_t at = a->parts - fits; /* parts move when another comes */
    if (status == SAC_OK && fits && !is_kept && entered->count == c->seen)
        status = label_encoded_positions(c, part, error);
    for (size_t i = 0; i < tiles && (fits || has_queries) && status == SAC_OK; i++) {
        sac_inference *seen = NULL;
        status = sac_inference_run_embedded(c->model, entered, i, &seen, error);
        if (status == SAC_OK && fits)
            status = fill_kind(seen, SAC_PART_SELF, i, &a->part[at], error);
        if (status == SAC_OK && has_queries && i == 0)
            status = add_queries(seen, a, error);
        sac_inference_free(seen);
    }
    sac_pretrained_forget_all(c->model->files);
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
            status = sac_window_heads_compute(heads, head, &weights, error);
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
    snprintf(form.name, sizeof form.name, "%s_stage_%d", encoder_name(c), stage->stage.number);
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
    snprintf(form.name, sizeof form.name, "%s_stage_%d_channels", encoder_name(c),
             stage->stage.number);
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
    sac_pretrained_forget_all(c->model->files);
    return status;
}

/* ---------------------------------------------------------------- what reads what was seen */

static sac_status add_reader(captioner *c, sac_attentions *a, sac_error *error)
{
    sac_inference *read = NULL;
    sac_attention_kind *part = NULL;
    if (c->decoder->text_decoder.question != SAC_ASKED_OF_ENCODER)
        return SAC_OK;
    sac_status status = sac_captioner_read_question(c, &read, error);
    if (status == SAC_OK) {
        const sac_attention_kind form = {.name = "encoder",
                                         .layers = (size_t)read->model->layers,
                                         .heads = (size_t)read->model->run.heads,
                                         .steps = read->count,
                                         .positions = read->count};
        status = sac_attentions_add_part(a, &form, &part, error);
    }
    if (status == SAC_OK && part)
        status = fill_kind(read, SAC_PART_SELF, 0, part, error);
    if (status == SAC_OK && part)
        status = label_encoded_positions(c, part, error);
    sac_inference_free(read);
    return status;
}

sac_status sac_pretrained_captioner_encoders(captioner *c, sac_attentions *a, sac_error *error)
{
    sac_status status = SAC_OK;
    if (!sac_architecture_has_media_encoder(
            c->model)) /* the encoder of a text is one of the kinds already */
        return SAC_OK;
    status = c->model->stage_count ? add_stages(c, a, error) : add_layers(c, a, error);
    return status == SAC_OK ? add_reader(c, a, error) : status;
}
