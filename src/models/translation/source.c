#include "translation/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "language/sentence.h"
#include "language/words.h"
#include "models/checkpoint.h"
#include "trace/reduce.h"
#include "translation/text.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- the weights */

typedef struct alignment {
    size_t steps, positions;
    float weights[]; /* [steps,positions] */
} alignment;

static sac_status check_tile(const alignment *a, const sac_tile *tile, sac_error *error)
{
    bool inside = tile->row <= a->steps && tile->rows <= a->steps - tile->row &&
                  tile->col <= a->positions && tile->cols <= a->positions - tile->col;
    return inside ? SAC_OK
                  : sac_fail(error, SAC_E_SHAPE, "weights", NULL, "a tile lies outside [%zu,%zu]",
                             a->steps, a->positions);
}

static sac_status tile(void *self, size_t layer, const sac_tile *tile, float *weights,
                       sac_error *error)
{
    const alignment *a = self;
    sac_status status = check_tile(a, tile, error);
    (void)layer;
    for (size_t r = 0; r < tile->rows && status == SAC_OK; r++)
        memcpy(weights + r * tile->cols, a->weights + (tile->row + r) * a->positions + tile->col,
               tile->cols * sizeof *weights);
    return status;
}

static sac_status pool(void *self, size_t layer, const sac_tile *part, sac_pool how,
                       size_t out_rows, size_t out_cols, float *pooled, sac_error *error)
{
    float *all = malloc((part->rows * part->cols + 1) * sizeof *all);
    if (!all)
        return sac_fail(error, SAC_E_MEMORY, "weights", NULL, "no memory to pool them");
    sac_status status = tile(self, layer, part, all, error);
    if (status == SAC_OK)
        sac_weights_pool(all, part->rows, part->cols, how, out_rows, out_cols, pooled);
    free(all);
    return status;
}

/* ---------------------------------------------------------------- a translation as a trace */

static bool copy_label(const char *text, sac_labels *labels)
{
    labels->text[labels->count] = strdup(text);
    return labels->text[labels->count++] != NULL;
}

static bool make_labels(const sac_caption *c, sac_trace *trace)
{
    trace->step_labels.text = calloc((size_t)c->count + 1, sizeof(char *));
    trace->position_labels.text = calloc((size_t)c->grid_w + 1, sizeof(char *));
    bool made = trace->step_labels.text && trace->position_labels.text;
    for (int i = 0; made && i < c->count; i++)
        made = copy_label(c->words[i].text, &trace->step_labels);
    for (int i = 0; made && i < c->grid_w; i++)
        made = copy_label(c->positions[i], &trace->position_labels);
    return made;
}

sac_status sac_translation_trace(const sac_caption *c, const char *device, sac_trace *trace,
                                 sac_error *error)
{
    size_t steps = (size_t)c->count, positions = (size_t)c->grid_w;
    alignment *a = malloc(sizeof *a + steps * positions * sizeof *a->weights);
    *trace = (sac_trace){.self = a, .layers = 1, .batch = 1, .heads = 1, .destroy = free};
    if (!a || !make_labels(c, trace)) {
        sac_trace_destroy(trace);
        return sac_fail(error, SAC_E_MEMORY, "translation", NULL, "no memory to show it");
    }
    a->steps = trace->steps = steps;
    a->positions = trace->positions = positions;
    memcpy(a->weights, c->weights, steps * positions * sizeof *a->weights);
    trace->tile = tile;
    trace->pool = pool;
    snprintf(trace->dtype, sizeof trace->dtype, "float32");
    snprintf(trace->origin.device, sizeof trace->origin.device, "%s", device);
    snprintf(trace->note, sizeof trace->note, "%s", c->note);
    snprintf(trace->title, sizeof trace->title, "translation");
    return SAC_OK;
}

/* ---------------------------------------------------------------- opening */

/* The words to translate: the first sentence of the text, or one of the test stream. */
static sac_status find_words(const sac_model_open_options *options, sac_source_text *text,
                             sac_error *error)
{
    sac_word_list english = {0};
    sac_sentence_pair pair;
    char line[SAC_SENTENCE_MOST * SAC_SENTENCE_WORD_SIZE];
    sac_sentence_make(SAC_TEXT_TEST, options->scene, &pair);
    sac_sentence_join(pair.source, pair.source_count, line, sizeof line);
    sac_status status = sac_word_list_create(SAC_ENGLISH, &english, error);
    if (status == SAC_OK)
        status = sac_source_text_read(&english, options->text ? options->text : line, text, error);
    sac_word_list_free(&english);
    return status;
}

static sac_status translate(sac_model *model, const sac_model_open_options *options,
                            sac_caption *caption, sac_error *error)
{
    sac_source_text text = {0};
    sac_status status = find_words(options, &text, error);
    if (status == SAC_OK)
        status = sac_translation_read(model, text.words, text.ends[0], error);
    if (status == SAC_OK && !sac_translation_attends(model))
        status = sac_fail(error, SAC_E_ARGUMENT, options->weights[0], "give weights with attention",
                          "has no attention to show");
    if (status == SAC_OK)
        status = sac_translation_speak(model, &(sac_caption_request){0}, caption, error);
    sac_source_text_free(&text);
    return status;
}

sac_status sac_translation_open(const sac_model_class *class, const sac_model_open_options *options,
                                sac_trace *trace, sac_error *error)
{
    sac_device *device = NULL;
    sac_model *model = NULL;
    sac_caption caption = {0};
    char name[160];
    *trace = (sac_trace){0};
    if (options->picture_count > 0 || options->weight_count != 1)
        return sac_fail(error, SAC_E_ARGUMENT, options->weights[0],
                        "ask it with `saccade translate`", "is a translator: it reads sentences");
    sac_status status = sac_device_open(options->device, &device, error);
    if (status == SAC_OK)
        status = sac_checkpoint_load(class, device, options->weights[0], &model, error);
    if (status == SAC_OK)
        status = translate(model, options, &caption, error);
    if (status == SAC_OK) {
        sac_device_short_name(sac_device_get_info(device), name, sizeof name);
        status = sac_translation_trace(&caption, name, trace, error);
    }
    sac_caption_free(&caption);
    sac_model_destroy(model);
    sac_device_close(device);
    return status;
}
