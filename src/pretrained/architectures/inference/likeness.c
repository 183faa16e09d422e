/* Compares a picture and its patches with phrases, in the space that both become in CLIP's kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/inference/relevance.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/attention/attention.h"
#include "nn/layers.h"

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
    return p->grid_w && p->model->shared.width && !p->model->detector.shift.w &&
           sac_architecture_has_text_encoder(p->model);
}

void sac_normalise_rows(float *rows, size_t count, size_t width)
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
static sac_status compute_variant_states(const sac_inference *p, sac_likeness_way way,
                                         float *states, sac_error *error)
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
    sac_transformer_run run = sac_pretrained_model_run_settings(m, last, NULL);
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
    status = sac_model_end_pass(m, &arena, error);
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

/* What the trained query of SigLIP finds among patches, and what it goes through to be compared. */
typedef struct probe {
    sac_attention_tensors attention;
    sac_tensor found, normed, before, hidden; /* [1 + N,D], [1 + N,F] */
} probe;

/* y = found + down(f(up(norm(found)))), found what the query finds in x [N,D]; with y [1 + N,D] also what it finds in
 * each patch alone, which has all of its attention then, so that its value is what is found. */
static void pool_by_probe(sac_pass *pass, sac_arena *arena, const sac_pretrained_model *m, probe *p,
                          sac_tensor y, sac_tensor x)
{
    const sac_shared_space *s = &m->shared;
    const sac_attention_layer layer = {.spec = {.heads = m->run.heads}, .batch = 1};
    const size_t D = x.width, patches = y.rows - 1;
    sac_attention_tensors *t = &p->attention;
    sac_tensor all = {0};
    sac_tensor *const wide[] = {&all, &p->found, &p->normed};
    sac_arena_shape(arena, pass, &t->query, 1, D);
    sac_arena_shape(arena, pass, &t->key, x.rows, D);
    sac_arena_shape(arena, pass, &t->value, x.rows, D);
    sac_arena_shape(arena, pass, &t->output, 1, D);
    sac_arena_shape(arena, pass, &t->stats, (size_t)m->run.heads, 2);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        sac_arena_shape(arena, pass, wide[i], y.rows, D);
    sac_arena_shape(arena, pass, &p->before, y.rows, m->hidden);
    sac_arena_shape(arena, pass, &p->hidden, y.rows, m->hidden);
    apply(pass, t->query, s->probe->value, &s->pooling.query);
    apply(pass, t->key, x, &s->pooling.key);
    apply(pass, t->value, x, &s->pooling.value);
    sac_attention_layer_forward(pass, &layer, t);
    sac_pass_copy(pass, sac_tensor_rows(all, 0, 1), t->output);
    if (patches)
        sac_pass_copy(pass, sac_tensor_rows(all, 1, patches), t->value);
    apply(pass, p->found, all, &s->pooling.out);
    sac_layer_norm_forward(pass, &s->norm, p->normed, p->found);
    apply(pass, p->before, p->normed, &s->up);
    sac_pass_copy(pass, p->hidden, p->before);
    sac_activate(pass, p->hidden, m->run.activation);
    apply(pass, y, p->hidden, &s->down);
    sac_add(pass, y, p->found);
}

/* Fills compared->seen[way]. */
static sac_status embed_picture_features(sac_inference *p, sac_likeness_way way, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    sac_pass *pass = &m->pass;
    size_t P = m->shared.width, patches = (size_t)p->grid_w * (size_t)p->grid_h;
    size_t first = m->shared.probe ? (size_t)p->prefix : 0, rows = p->count - first;
    float *states = malloc(p->count * m->width * sizeof *states);
    float *seen = malloc((1 + patches) * P * sizeof *seen);
    sac_status status = states && seen ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK && way != SAC_LIKENESS_STATES)
        status = compute_variant_states(p, way, states, error);
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
            pool_by_probe(pass, &arena, m, &(probe){0}, y, x);
        else
            project(pass, &m->shared, y, x);
        sac_pass_read(pass, y, seen);
        status = sac_model_end_pass(m, &arena, error);
    }
    free(states);
    if (status != SAC_OK) {
        free(seen);
        return status;
    }
    sac_normalise_rows(seen, 1 + patches, P);
    p->compared->seen[way] = seen;
    return SAC_OK;
}

/* ---------------------------------------------------------------- phrases */

/* The token whose state is the text's. */
static size_t text_token_index(const sac_shared_space *s, const sac_inference *text)
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
    memcpy(state, text->left + text_token_index(&p->model->shared, text) * width,
           width * sizeof *state);
    sac_inference_free(text);
    return SAC_OK;
}

void sac_architecture_note_cut_phrases(const sac_pretrained_model *model, sac_source *source)
{
    const sac_pretrained_model *reader = model->reader;
    char phrase[SAC_PHRASES][SAC_PHRASE_SIZE];
    int count = 0;
    if (model->shared.late ||
        sac_phrases_read(source->result.phrases, phrase, &count, NULL) != SAC_OK)
        return;
    for (int i = 0; i < count; i++) {
        sac_tokens tokens = {0};
        if (sac_tokenizer_encode(reader->tokenizer, phrase[i], true, &tokens, NULL) == SAC_OK &&
            tokens.count > reader->max_positions)
            sac_source_add_note(source, SAC_NOTE_SHOWN,
                                "only %zu of the %zu tokens of “%.24s…” are read",
                                reader->max_positions, tokens.count, phrase[i]);
        sac_tokens_free(&tokens);
    }
}

/* Fills compared->read with phrases [count] that are others than before. */
static sac_status embed_phrases(sac_inference *p, char (*phrase)[SAC_PHRASE_SIZE], int count,
                                sac_error *error)
{
    sac_pretrained_model *m = p->model;
    struct sac_compared *c = p->compared;
    sac_pass *pass = &m->pass;
    size_t n = (size_t)count, P = m->shared.width, D = m->reader->width;
    size_t bytes = n * sizeof *phrase;
    if (c->count == count && memcmp(c->phrase, phrase, bytes) == 0)
        return SAC_OK;
    float *states = malloc(n * D * sizeof *states), *read = malloc(n * P * sizeof *read);
    sac_status status = states && read ? SAC_OK : sac_no_memory(error, m->name);
    for (size_t i = 0; i < n && status == SAC_OK; i++)
        status = read_state(p, phrase[i], states + i * D, error);
    if (status == SAC_OK) {
        sac_arena arena = {0};
        sac_tensor x = {0}, y = {0};
        sac_device_lock(m->device);
        sac_arena_shape(&arena, pass, &x, n, D);
        sac_arena_shape(&arena, pass, &y, n, P);
        sac_pass_write(pass, x, states);
        apply(pass, y, x, &m->shared.read);
        sac_pass_read(pass, y, read);
        status = sac_model_end_pass(m, &arena, error);
    }
    free(states);
    if (status != SAC_OK) {
        free(read);
        return status;
    }
    sac_normalise_rows(read, n, P);
    free(c->read);
    c->read = read;
    c->count = count;
    memcpy(c->phrase, phrase, bytes);
    return SAC_OK;
}

sac_status sac_inference_embed_phrases(sac_inference *p, const char *phrases, const float **rows,
                                       char (**phrase)[SAC_PHRASE_SIZE], int *count,
                                       sac_error *error)
{
    char asked[SAC_PHRASES][SAC_PHRASE_SIZE] = {{0}};
    sac_status status = sac_phrases_read(phrases ? phrases : "", asked, count, error);
    if (status == SAC_OK && !p->compared)
        p->compared = calloc(1, sizeof *p->compared);
    if (status == SAC_OK && !p->compared)
        status = sac_no_memory(error, p->model->name);
    if (status == SAC_OK)
        status = embed_phrases(p, asked, *count, error);
    if (status != SAC_OK)
        return status;
    *rows = p->compared->read;
    *phrase = p->compared->phrase;
    return SAC_OK;
}

/* ---------------------------------------------------------------- what counted
 * Relevance of patches and of words for the logit of a picture and a phrase, as Chefer et al. 2021
 * (arXiv 2103.15679) have it of CLIP: the gradient goes back through what sees and what reads. */

/* What is compared, y [P], and what it was made of. */
typedef struct whole {
    sac_pretrained_model *m;
    sac_arena arena;
    sac_tensor x, normed, y, dy, dx;         /* [1,D], [1,P]; of SigLIP x and dx [N,D] */
    probe probe;                             /* of SigLIP's picture, and … */
    sac_attention_layer_gradients gradients; /* … of its attention */
} whole;

/* dy ← the gradient of e^scale · cosine(y, other) by y; `other` [P] has length 1. */
static void compute_cosine_gradient(whole *w, const float *other)
{
    const size_t P = w->m->shared.width;
    const double scale = exp((double)w->m->shared.scale);
    float *y = malloc(P * sizeof *y);
    double length = 0, cosine = 0;
    if (!y)
        SAC_PASS_CALL(&w->m->pass, sac_no_memory(&w->m->pass.error, w->m->name));
    if (y)
        sac_pass_read(&w->m->pass, w->y, y);
    for (size_t i = 0; y && i < P; i++)
        length += (double)y[i] * (double)y[i];
    length = sqrt(length);
    for (size_t i = 0; y && i < P; i++)
        cosine += (double)y[i] * (double)other[i] / length;
    for (size_t i = 0; y && i < P; i++)
        y[i] = (float)(scale * ((double)other[i] - cosine * (double)y[i] / length) / length);
    if (y)
        sac_pass_write(&w->m->pass, w->dy, y);
    free(y);
}

static void allocate_tensors(whole *w, size_t rows, size_t width)
{
    sac_pass *pass = &w->m->pass;
    sac_tensor *const compared[] = {&w->y, &w->dy}, *const entered[] = {&w->x, &w->dx, &w->normed};
    for (size_t i = 0; i < 2; i++)
        sac_arena_shape(&w->arena, pass, compared[i], 1, w->m->shared.width);
    for (size_t i = 0; i < 3; i++)
        sac_arena_shape(&w->arena, pass, entered[i], rows, width);
}

/* y = project(norm(x)), and back; norm NULL: there is none. */
static void backpropagate_projection(whole *w, const sac_layer_norm *norm, const sac_dense *project,
                                     const float *other)
{
    sac_pass *pass = &w->m->pass;
    sac_tensor in = w->x;
    if (norm) {
        sac_layer_norm_forward(pass, norm, w->normed, w->x);
        in = w->normed;
    }
    sac_linear_forward(pass, w->y, in, project->w, project->b);
    compute_cosine_gradient(w, other);
    sac_linear_backward_input(pass, w->dx, w->dy, project->w);
    if (norm)
        sac_layer_norm_backward(pass, norm, w->dx, w->x);
}

/* y by the probe, and back. */
static void backpropagate_probe(whole *w, const float *other)
{
    sac_pretrained_model *m = w->m;
    sac_pass *pass = &m->pass;
    const sac_shared_space *s = &m->shared;
    const sac_multihead *p = &s->pooling;
    const sac_attention_layer layer = {.spec = {.heads = m->run.heads}, .batch = 1};
    sac_attention_layer_gradients *g = &w->gradients;
    sac_tensor added = {0}, dhidden = {0};
    pool_by_probe(pass, &w->arena, m, &w->probe, w->y, w->x);
    compute_cosine_gradient(w, other);
    sac_arena_shape(&w->arena, pass, &added, 1, m->width);
    sac_arena_shape(&w->arena, pass, &dhidden, 1, m->hidden);
    sac_arena_shape(&w->arena, pass, &g->dquery, 1, m->width);
    sac_arena_shape(&w->arena, pass, &g->doutput, 1, m->width);
    sac_arena_shape(&w->arena, pass, &g->dkey, w->x.rows, m->width);
    sac_arena_shape(&w->arena, pass, &g->dvalue, w->x.rows, m->width);
    sac_linear_backward_input(pass, dhidden, w->dy, s->down.w);
    sac_activate_backward(pass, dhidden, w->probe.before, m->run.activation);
    sac_linear_backward_input(pass, added, dhidden, s->up.w);
    sac_layer_norm_backward(pass, &s->norm, added, w->probe.found);
    sac_add(pass, w->dy, added);
    sac_linear_backward_input(pass, g->doutput, w->dy, p->out.w);
    sac_attention_layer_backward(pass, &layer, &w->probe.attention, g);
    sac_linear_backward_input(pass, w->dx, g->dkey, p->key.w);
    sac_linear_backward_add(pass, w->dx, g->dvalue, p->value.w);
}

/* row [N]: of the trained query, the mean over its heads of attention times its gradient, above 0. */
static sac_status compute_probe_relevance(whole *w, float *row, sac_error *error)
{
    sac_pretrained_model *m = w->m;
    const size_t D = m->width, N = w->x.rows, H = (size_t)m->run.heads, d = D / H;
    float *numbers = malloc((2 * N + 2) * D * sizeof *numbers), *a = malloc(N * sizeof *a);
    float *query = numbers, *doutput = numbers + D, *key = doutput + D, *value = key + N * D;
    sac_status status = numbers && a ? SAC_OK : sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        sac_pass_read(&m->pass, w->probe.attention.query, query);
        sac_pass_read(&m->pass, w->gradients.doutput, doutput);
        sac_pass_read(&m->pass, w->probe.attention.key, key);
        sac_pass_read(&m->pass, w->probe.attention.value, value);
        status = sac_pass_end(&m->pass, error);
        memset(row, 0, N * sizeof *row);
    }
    for (size_t h = 0; h < H && status == SAC_OK; h++) {
        double most = -INFINITY, sum = 0;
        for (size_t n = 0; n < N; n++) {
            double score = 0;
            for (size_t k = h * d; k < (h + 1) * d; k++)
                score += (double)query[k] * (double)key[n * D + k];
            a[n] = (float)(score / sqrt((double)d));
            most = fmax(most, (double)a[n]);
        }
        for (size_t n = 0; n < N; n++)
            sum += exp((double)a[n] - most);
        for (size_t n = 0; n < N; n++) {
            double gradient = 0;
            for (size_t k = h * d; k < (h + 1) * d; k++)
                gradient += (double)doutput[k] * (double)value[n * D + k];
            row[n] += (float)(fmax(exp((double)a[n] - most) / sum * gradient, 0) / (double)H);
        }
    }
    free(numbers);
    free(a);
    return status;
}

/* What token `at` has from others, brought to a sum of 1; `at` T: it is none of them. */
static void normalise_without_token(float *row, size_t T, size_t at)
{
    double sum = 0;
    if (at < T)
        row[at] = 0;
    for (size_t i = 0; i < T; i++)
        sum += (double)row[i];
    for (size_t i = 0; i < T && sum > 0; i++)
        row[i] = (float)((double)row[i] / sum);
}

/* Of each token of the picture what counted for a phrase [P] of length 1, row [T]. */
static sac_status find_patch_relevance(const sac_inference *p, const float *phrase, float *row,
                                       sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const sac_shared_space *s = &m->shared;
    const size_t T = p->count, D = m->width;
    whole w = {.m = m};
    float *dleft = calloc(T * D, sizeof *dleft);
    if (!dleft)
        return sac_no_memory(error, m->name);
    memset(row, 0, T * sizeof *row);
    sac_device_lock(m->device);
    allocate_tensors(&w, s->probe ? T : 1, D);
    sac_pass_write(&m->pass, w.x, p->left);
    if (s->probe)
        backpropagate_probe(&w, phrase);
    else {
        backpropagate_projection(&w, &s->norm, &s->seen, phrase);
        row[0] = 1;
    }
    sac_pass_read(&m->pass, w.dx, dleft);
    sac_status status = sac_pass_end(&m->pass, error);
    if (status == SAC_OK && s->probe)
        status = compute_probe_relevance(&w, row, error);
    sac_arena_release(&w.arena);
    sac_device_unlock(m->device);
    if (status == SAC_OK)
        status = sac_text_relevance(p, 1, NULL, dleft, row, error);
    if (status == SAC_OK)
        normalise_without_token(row, T, s->probe ? T : 0);
    free(dleft);
    return status;
}

/* Of each token of the phrase what counted for the picture [P] of length 1; token `at` is compared. */
static sac_status find_word_relevance(const sac_inference *p, const sac_inference *text, size_t at,
                                      const float *seen, float *row, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const size_t T = text->count, D = text->model->width;
    whole w = {.m = m};
    float *dleft = calloc(T * D, sizeof *dleft);
    if (!dleft)
        return sac_no_memory(error, m->name);
    memset(row, 0, T * sizeof *row);
    row[at] = 1;
    sac_device_lock(m->device);
    allocate_tensors(&w, 1, D);
    sac_pass_write(&m->pass, w.x, text->left + at * D);
    backpropagate_projection(&w, NULL, &m->shared.read, seen);
    sac_pass_read(&m->pass, w.dx, dleft + at * D);
    sac_status status = sac_model_end_pass(m, &w.arena, error);
    if (status == SAC_OK)
        status = sac_text_relevance(text, 1, NULL, dleft, row, error);
    if (status == SAC_OK)
        normalise_without_token(row, T, at);
    free(dleft);
    return status;
}

/* ---------------------------------------------------------------- both */

static float cosine(const float *a, const float *b, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (double)a[i] * (double)b[i];
    return (float)sum;
}

static void fill_probabilities(sac_result *result)
{
    double sum = 0, most = -INFINITY;
    for (int i = 0; i < result->count; i++)
        most = fmax(most, (double)result->outputs[i].logit);
    for (int i = 0; i < result->count; i++)
        sum += exp((double)result->outputs[i].logit - most);
    for (int i = 0; i < result->count; i++) {
        const double logit = (double)result->outputs[i].logit;
        result->outputs[i].probability =
            (float)(result->is_independent ? 1 / (1 + exp(-logit)) : exp(logit - most) / sum);
    }
}

/* Tokens of the text that frame it and fill it up are left out. */
static sac_status fill_phrase_words(const sac_inference *text, const float *row,
                                    sac_phrase_words *words, sac_error *error)
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
            sac_tokenizer_is_frame_token(reader->tokenizer, text->ids[i]))
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
static sac_status find_phrase_relevance(const sac_inference *p, int i, float *patches,
                                        sac_phrase_words *words, sac_error *error)
{
    const struct sac_compared *c = p->compared;
    const size_t first = (size_t)p->prefix, cells = (size_t)p->grid_w * (size_t)p->grid_h;
    const float *read = c->read + (size_t)i * p->model->shared.width;
    sac_inference *text = NULL;
    sac_status status = sac_inference_read(p->model, c->phrase[i], &text, error);
    size_t most = status == SAC_OK && text->count > p->count ? text->count : p->count;
    float *row = malloc(most * sizeof *row);
    if (status == SAC_OK && !row)
        status = sac_no_memory(error, p->model->name);
    if (status == SAC_OK)
        status = find_patch_relevance(p, read, row, error);
    if (status == SAC_OK) {
        memcpy(patches, row + first, cells * sizeof *patches);
        status = find_word_relevance(p, text, text_token_index(&p->model->shared, text),
                                     c->seen[SAC_LIKENESS_STATES], row, error);
    }
    if (status == SAC_OK)
        status = fill_phrase_words(text, row, words, error);
    sac_inference_free(text);
    free(row);
    return status;
}

static sac_status compare(const sac_inference *p, sac_likeness_way way, sac_result *result,
                          sac_error *error)
{
    const sac_shared_space *s = &p->model->shared;
    const struct sac_compared *c = p->compared;
    const size_t patches = (size_t)p->grid_w * (size_t)p->grid_h, count = (size_t)c->count;
    const bool counts = way == SAC_LIKENESS_RELEVANCE;
    *result = (sac_result){.grid_w = p->grid_w,
                           .grid_h = p->grid_h,
                           .count = c->count,
                           .is_independent = s->each,
                           .weights = malloc(count * patches * sizeof *result->weights)};
    if (counts)
        result->phrase_words = calloc(count, sizeof *result->phrase_words);
    if (!result->weights || (counts && !result->phrase_words))
        return sac_no_memory(error, p->model->name);
    sac_status status = SAC_OK;
    for (int i = 0; i < c->count && status == SAC_OK; i++) {
        const float *read = c->read + (size_t)i * s->width;
        float *row = result->weights + (size_t)i * patches;
        sac_result_output *output = &result->outputs[i];
        if (counts)
            status = find_phrase_relevance(p, i, row, &result->phrase_words[i], error);
        for (size_t k = 0; k < patches && !counts; k++)
            row[k] = cosine(c->seen[way] + (1 + k) * s->width, read, s->width);
        output->cosine = cosine(c->seen[SAC_LIKENESS_STATES], read, s->width);
        output->logit = output->cosine * expf(s->scale) + s->bias;
        if (status == SAC_OK && !sac_result_set_output_name(result, i, c->phrase[i]))
            status = sac_no_memory(error, p->model->name);
    }
    fill_probabilities(result);
    return status;
}

sac_status sac_inference_compare(sac_inference *p, const sac_result_request *request,
                                 sac_result *result, sac_error *error)
{
    const sac_likeness_way way = request->way;
    char(*phrase)[SAC_PHRASE_SIZE];
    const float *rows;
    int count = 0;
    *result = (sac_result){0};
    double begin = sac_now();
    if (!sac_inference_compares(p))
        return sac_fail(error, SAC_E_ARGUMENT, p->model->folder, "give CLIP or SigLIP",
                        "compares no picture with a phrase");
    if (p->model->shared.late)
        return sac_late_compare(p, request, result, error);
    sac_status status =
        sac_inference_embed_phrases(p, request->phrases, &rows, &phrase, &count, error);
    if (status == SAC_OK && !p->compared->seen[SAC_LIKENESS_STATES])
        status = embed_picture_features(p, SAC_LIKENESS_STATES, error);
    if (status == SAC_OK && way != SAC_LIKENESS_RELEVANCE && !p->compared->seen[way])
        status = embed_picture_features(p, way, error);
    if (status == SAC_OK)
        status = compare(p, way, result, error);
    if (status != SAC_OK)
        sac_result_free(result);
    result->milliseconds = (sac_now() - begin) * 1e3;
    return status;
}
