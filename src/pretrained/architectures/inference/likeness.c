/* Compares a picture and its patches with phrases, in the space that both become in CLIP's kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/inference/likeness_relevance.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"

/* What was computed, each row of length 1. */
struct sac_compared {
    float
        *seen[SAC_LIKENESS_WAYS]; /* [1 + patches,P] the whole picture, then its patches; NULL: not
                                       yet */
    float *read;                  /* [count,P] of these phrases: */
    char phrase[SAC_PHRASES][SAC_PHRASE_SIZE];
    int count;
};

void sac_compared_free(sac_inference *p)
{
    if (!p->compared)
        return;
    for (int i = 0; i < SAC_LIKENESS_WAYS; i++)
        free(p->compared->seen[i]);
    free(p->compared->read);
    free(p->compared);
    p->compared = NULL;
}

bool sac_inference_compares(const sac_inference *p)
{
    return p->grid_w && p->model->shared.width && sac_architecture_has_text_encoder(p->model);
}

static void bring_to_length(float *rows, size_t count, size_t width)
{
    for (float *row = rows; row < rows + count * width; row += width) {
        double sum = 0;
        for (size_t i = 0; i < width; i++)
            sum += (double)row[i] * (double)row[i];
        float factor = sum > 0 ? (float)(1 / sqrt(sum)) : 0;
        for (size_t i = 0; i < width; i++)
            row[i] *= factor;
    }
}

/* ---------------------------------------------------------------- the picture */

/* The states of all tokens [T,D] where the last layer attends otherwise. */
static sac_status attend_otherwise(const sac_inference *p, sac_likeness_way way, float *states,
                                   sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    int last = m->layers - 1;
    size_t numbers = p->count * m->width;
    float *all = malloc(((size_t)m->layers + 1) * numbers * sizeof *all);
    sac_status status = all ? sac_inference_states(p, all, error) : sac_no_memory(error, m->name);
    if (status != SAC_OK) {
        free(all);
        return status;
    }
    sac_arena arena = {0};
    sac_tensor x = {0};
    const sac_tensor none = {0};
    sac_transformer_tensors tensors = {0};
    sac_transformer_layer layer = m->layer[last];
    sac_transformer_run run = sac_pretrained_model_run(m, last, NULL);
    sac_multihead *self = &layer.attention[SAC_PART_SELF];
    if (way == SAC_LIKENESS_VALUES)
        run.window = 1;
    else
        self->query = self->key = self->value;
    sac_device_lock(m->device);
    sac_arena_shape(&arena, pass, &x, p->count, m->width);
    sac_pass_write(pass, x, all + (size_t)last * numbers);
    sac_transformer_layer_shape(pass, &arena, &layer, &run, p->count, 0, &tensors);
    x = sac_transformer_layer_forward(pass, &layer, &run, x, none, &tensors);
    if (m->last_norm.gain)
        sac_layer_norm_forward(pass, &m->last_norm, x, x);
    sac_pass_read(pass, x, states);
    status = sac_pass_end(pass, error);
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    free(all);
    return status;
}

static void apply(sac_pass *pass, sac_tensor y, sac_tensor x, const sac_dense *dense)
{
    sac_linear_forward(pass, y, x, dense->w, dense->b);
}

/* CLIP's: the class token and the patches x [1 + patches,D] → y [1 + patches,P]. */
static void project(sac_pass *pass, const sac_shared_space *s, sac_tensor y, sac_tensor x)
{
    sac_layer_norm_forward(pass, &s->norm, x, x);
    apply(pass, y, x, &s->seen);
}

/* SigLIP's: patches x [patches,D] → y [1 + patches,D]. A patch alone has all of the query's attention,
 * so that its value is what is found. */
static void find_by_probe(sac_pass *pass, sac_arena *arena, const sac_pretrained_model *m,
                          sac_tensor y, sac_tensor x)
{
    const sac_shared_space *s = &m->shared;
    const sac_attention_layer layer = {.spec = {.heads = m->run.heads}, .batch = 1};
    sac_tensor found = {0}, normed = {0}, hidden = {0};
    sac_attention_tensors t = {0};
    sac_arena_shape(arena, pass, &t.query, 1, x.width);
    sac_arena_shape(arena, pass, &t.key, x.rows, x.width);
    sac_arena_shape(arena, pass, &t.value, x.rows, x.width);
    sac_arena_shape(arena, pass, &t.output, 1, x.width);
    sac_arena_shape(arena, pass, &t.stats, (size_t)m->run.heads, 2);
    sac_arena_shape(arena, pass, &found, y.rows, x.width);
    sac_arena_shape(arena, pass, &normed, y.rows, x.width);
    sac_arena_shape(arena, pass, &hidden, y.rows, m->hidden);
    apply(pass, t.query, s->probe->value, &s->pooling.query);
    apply(pass, t.key, x, &s->pooling.key);
    apply(pass, t.value, x, &s->pooling.value);
    sac_attention_layer_forward(pass, &layer, &t);
    sac_pass_copy(pass, sac_tensor_rows(found, 0, 1), t.output);
    sac_pass_copy(pass, sac_tensor_rows(found, 1, x.rows), t.value);
    apply(pass, y, found, &s->pooling.out);
    sac_layer_norm_forward(pass, &s->norm, normed, y);
    apply(pass, hidden, normed, &s->up);
    sac_activate(pass, hidden, m->run.activation);
    apply(pass, found, hidden, &s->down);
    sac_add(pass, y, found);
}

/* Fills compared->seen[way]. */
static sac_status see(sac_inference *p, sac_likeness_way way, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    size_t P = m->shared.width, patches = (size_t)p->grid_w * (size_t)p->grid_h;
    size_t first = m->shared.probe ? (size_t)p->prefix : 0, rows = p->count - first;
    float *states = malloc(p->count * m->width * sizeof *states);
    float *seen = malloc((1 + patches) * P * sizeof *seen);
    sac_status status = states && seen ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK && way != SAC_LIKENESS_STATES)
        status = attend_otherwise(p, way, states, error);
    else if (status == SAC_OK)
        memcpy(states, p->left, p->count * m->width * sizeof *states);
    if (status == SAC_OK) {
        sac_arena arena = {0};
        sac_tensor x = {0}, y = {0};
        sac_device_lock(m->device);
        sac_arena_shape(&arena, pass, &x, rows, m->width);
        sac_arena_shape(&arena, pass, &y, 1 + patches, P);
        sac_pass_write(pass, x, states + first * m->width);
        if (m->shared.probe)
            find_by_probe(pass, &arena, m, y, x);
        else
            project(pass, &m->shared, y, x);
        sac_pass_read(pass, y, seen);
        status = sac_pass_end(pass, error);
        sac_arena_release(&arena);
        sac_device_unlock(m->device);
    }
    free(states);
    if (status != SAC_OK) {
        free(seen);
        return status;
    }
    bring_to_length(seen, 1 + patches, P);
    p->compared->seen[way] = seen;
    return SAC_OK;
}

/* ---------------------------------------------------------------- phrases */

/* The token whose state is the text's. */
static size_t text_token(const sac_shared_space *s, const sac_inference *text)
{
    size_t found = text->count - 1;
    for (size_t i = text->count; s->end >= 0 && i-- > 0;)
        if (s->end == 2 ? text->ids[i] >= text->ids[found] : text->ids[i] == s->end)
            found = i;
    return found;
}

static sac_status read_state(const sac_inference *p, const char *phrase, float *state,
                             sac_error *error)
{
    sac_inference *text;
    sac_status status = sac_inference_read(p->model, phrase, &text, error);
    if (status != SAC_OK)
        return status;
    size_t width = sac_inference_width(text);
    memcpy(state, text->left + text_token(&p->model->shared, text) * width, width * sizeof *state);
    sac_inference_free(text);
    return SAC_OK;
}

void sac_inference_note_phrases(sac_source *source)
{
    const sac_pretrained_model *reader = sac_inference_of(source)->model->reader;
    char phrase[SAC_PHRASES][SAC_PHRASE_SIZE];
    int count = 0;
    if (sac_phrases_read(source->likeness.text, phrase, &count, NULL) != SAC_OK)
        return;
    for (int i = 0; i < count; i++) {
        sac_tokens tokens = {0};
        if (sac_tokenizer_encode(reader->tokenizer, phrase[i], true, &tokens, NULL) == SAC_OK &&
            tokens.count > reader->max_positions)
            sac_source_add_note(source, "only %zu of the %zu tokens of “%.24s…” are read",
                                reader->max_positions, tokens.count, phrase[i]);
        sac_tokens_free(&tokens);
    }
}

/* Fills compared->read with phrases that are others than before. */
static sac_status read_phrases(sac_inference *p, const sac_likeness *likeness, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    struct sac_compared *c = p->compared;
    sac_pass *pass = &m->pass;
    size_t n = (size_t)likeness->count, P = m->shared.width, D = m->reader->width;
    size_t bytes = n * sizeof *likeness->phrase;
    if (c->count == likeness->count && memcmp(c->phrase, likeness->phrase, bytes) == 0)
        return SAC_OK;
    float *states = malloc(n * D * sizeof *states), *read = malloc(n * P * sizeof *read);
    sac_status status = states && read ? SAC_OK : sac_no_memory(error, m->name);
    for (size_t i = 0; i < n && status == SAC_OK; i++)
        status = read_state(p, likeness->phrase[i], states + i * D, error);
    if (status == SAC_OK) {
        sac_arena arena = {0};
        sac_tensor x = {0}, y = {0};
        sac_device_lock(m->device);
        sac_arena_shape(&arena, pass, &x, n, D);
        sac_arena_shape(&arena, pass, &y, n, P);
        sac_pass_write(pass, x, states);
        apply(pass, y, x, &m->shared.read);
        sac_pass_read(pass, y, read);
        status = sac_pass_end(pass, error);
        sac_arena_release(&arena);
        sac_device_unlock(m->device);
    }
    free(states);
    if (status != SAC_OK) {
        free(read);
        return status;
    }
    bring_to_length(read, n, P);
    free(c->read);
    c->read = read;
    c->count = likeness->count;
    memcpy(c->phrase, likeness->phrase, bytes);
    return SAC_OK;
}

/* ---------------------------------------------------------------- both */

static float cosine(const float *a, const float *b, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (double)a[i] * (double)b[i];
    return (float)sum;
}

static void describe_probabilities(sac_likeness *likeness)
{
    double sum = 0, most = -INFINITY;
    for (int i = 0; i < likeness->count; i++)
        most = fmax(most, (double)likeness->logit[i]);
    for (int i = 0; i < likeness->count; i++)
        sum += exp((double)likeness->logit[i] - most);
    for (int i = 0; i < likeness->count; i++)
        likeness->probability[i] =
            (float)(likeness->each ? 1 / (1 + exp(-(double)likeness->logit[i]))
                                   : exp((double)likeness->logit[i] - most) / sum);
}

/* Tokens of the text that frame it and fill it up are left out. */
static sac_status keep_words(const sac_inference *text, const float *row, sac_phrase_words *words,
                             sac_error *error)
{
    const sac_pretrained_model *reader = text->model;
    size_t end = text->count;
    double sum = 0;
    sac_labels all = {0};
    sac_status status = sac_inference_labels(text, &all, error);
    words->relevance = calloc(text->count, sizeof *words->relevance);
    words->labels.text = calloc(text->count, sizeof *words->labels.text);
    if (status == SAC_OK && !(words->relevance && words->labels.text))
        status = sac_no_memory(error, text->model->name);
    while (reader->is_filled && end > 0 && text->ids[end - 1] == reader->filler)
        end--;
    for (size_t i = 0; i < end && status == SAC_OK; i++) {
        if (sac_tokenizer_is_special(reader->tokenizer, text->ids[i]) ||
            sac_tokenizer_frames(reader->tokenizer, text->ids[i]))
            continue;
        words->labels.text[words->labels.count] = all.text[i];
        all.text[i] = NULL;
        words->relevance[words->labels.count++] = row[i];
        sum += (double)row[i];
    }
    for (size_t i = 0; i < words->labels.count && sum > 0; i++)
        words->relevance[i] = (float)((double)words->relevance[i] / sum);
    sac_labels_free(&all);
    return status;
}

/* What of the picture counted for phrase `i`, into patches, and what of the phrase. */
static sac_status weigh(const sac_inference *p, int i, float *patches, sac_likeness *likeness,
                        sac_error *error)
{
    const struct sac_compared *c = p->compared;
    const size_t first = (size_t)p->prefix, cells = (size_t)p->grid_w * (size_t)p->grid_h;
    const float *read = c->read + (size_t)i * p->model->shared.width;
    sac_inference *text = NULL;
    sac_status status = sac_inference_read(p->model, likeness->phrase[i], &text, error);
    size_t most = status == SAC_OK && text->count > p->count ? text->count : p->count;
    float *row = malloc(most * sizeof *row);
    if (status == SAC_OK && !row)
        status = sac_no_memory(error, p->model->name);
    if (status == SAC_OK)
        status = sac_inference_patches_for(p, read, row, error);
    if (status == SAC_OK) {
        memcpy(patches, row + first, cells * sizeof *patches);
        status = sac_inference_words_for(p, text, text_token(&p->model->shared, text),
                                         c->seen[SAC_LIKENESS_STATES], row, error);
    }
    if (status == SAC_OK)
        status = keep_words(text, row, &likeness->words[i], error);
    sac_inference_free(text);
    free(row);
    return status;
}

static sac_status compare(const sac_inference *p, sac_likeness_way way, sac_likeness *likeness,
                          sac_error *error)
{
    const sac_shared_space *s = &p->model->shared;
    const struct sac_compared *c = p->compared;
    size_t patches = (size_t)p->grid_w * (size_t)p->grid_h;
    likeness->grid_w = p->grid_w;
    likeness->grid_h = p->grid_h;
    likeness->each = s->each;
    likeness->patches = malloc((size_t)likeness->count * patches * sizeof *likeness->patches);
    if (!likeness->patches)
        return sac_no_memory(error, p->model->name);
    sac_status status = SAC_OK;
    for (int i = 0; i < likeness->count && status == SAC_OK; i++) {
        const float *read = c->read + (size_t)i * s->width;
        float *row = likeness->patches + (size_t)i * patches;
        if (way == SAC_LIKENESS_RELEVANCE)
            status = weigh(p, i, row, likeness, error);
        for (size_t k = 0; k < patches && way != SAC_LIKENESS_RELEVANCE; k++)
            row[k] = cosine(c->seen[way] + (1 + k) * s->width, read, s->width);
        likeness->whole[i] = cosine(c->seen[SAC_LIKENESS_STATES], read, s->width);
        likeness->logit[i] = likeness->whole[i] * expf(s->scale) + s->bias;
    }
    describe_probabilities(likeness);
    return status;
}

sac_status sac_inference_compare(sac_inference *p, const char *phrases, sac_likeness_way way,
                                 sac_likeness *likeness, sac_error *error)
{
    *likeness = (sac_likeness){0};
    double begin = sac_now();
    if (!sac_inference_compares(p))
        return sac_fail(error, SAC_E_ARGUMENT, p->model->folder, "give CLIP or SigLIP",
                        "compares no picture with a phrase");
    sac_status status = sac_phrases_read(phrases, likeness->phrase, &likeness->count, error);
    if (status == SAC_OK && !p->compared)
        p->compared = calloc(1, sizeof *p->compared);
    if (status == SAC_OK && !p->compared)
        status = sac_no_memory(error, p->model->name);
    if (status == SAC_OK)
        status = read_phrases(p, likeness, error);
    if (status == SAC_OK && !p->compared->seen[SAC_LIKENESS_STATES])
        status = see(p, SAC_LIKENESS_STATES, error);
    if (status == SAC_OK && way != SAC_LIKENESS_RELEVANCE && !p->compared->seen[way])
        status = see(p, way, error);
    if (status == SAC_OK)
        status = compare(p, way, likeness, error);
    if (status != SAC_OK)
        sac_likeness_free(likeness);
    likeness->milliseconds = (sac_now() - begin) * 1e3;
    return status;
}
