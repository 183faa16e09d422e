/* A training that a test moves by hand: drawn pictures, their true sentences, and captions of any
 * words, whose maps are Gaussians that sharpen. */
#ifndef TESTS_VIZ_FAKE_TRAINING_H
#define TESTS_VIZ_FAKE_TRAINING_H

#include "fake_caption.h"

typedef struct fake_training {
    sac_source source;
    size_t step, steps, points, measured_every;
    int pictures;
    const char *generated[6];       /* NULL: nothing yet */
    float sigma;                    /* of the maps, in cells */
    bool reads;                     /* no pictures: words over the words of the truth */
    bool fails, has_ended, rewards; /* by a reward */
    const char *figure; /* what is judged in place of the share of exact captions; NULL */
    bool several;       /* people wrote several captions: "red" is in none of them */
    int looks;
    bool wide;   /* pictures are of 4:3 */
    bool writes; /* a text, in place of pictures; what is judged is a loss */
    bool
        heads; /* with heads: the first looks at the token before, the fifth is an induction head, the more so the
                    later; none is kept before step `first_kept` */
    size_t first_kept;
    const float
        *curve; /* [points] of the loss and of what is exact; NULL: as they are in a training */
} fake_training;

static const char *const fake_truths[6] = {
    "a small red circle above a large blue square and a small yellow star",
    "a large green circle",
    "a large orange triangle right of a large purple diamond and a small white square",
    "a small white square above a large blue square",
    "a large green circle",
    "a small red circle above a large blue square and a small yellow star"};

static inline void fake_generate_tokens(const fake_training *fake, const char *text, int shift,
                                        sac_result *c)
{
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    *c = (sac_result){.grid_w = FAKE_GRID, .grid_h = FAKE_GRID, .finished = true};
    c->weights = calloc(SAC_MAX_TOKENS * FAKE_GRID * FAKE_GRID, sizeof *c->weights);
    for (char *t = strtok_r(copy, " ", &rest); t && c->count < SAC_MAX_TOKENS;
         t = strtok_r(NULL, " ", &rest)) {
        float *map = c->weights + c->count * FAKE_GRID * FAKE_GRID, sum = 0;
        sac_result_output *word = &c->outputs[c->count];
        float x0 = (float)((3 * c->count + shift) % FAKE_GRID) + 0.5f;
        float y0 = (float)((5 * c->count + 2 * shift) % FAKE_GRID) + 0.5f;
        snprintf(word->text, sizeof word->text, "%s", t);
        for (int i = 0; i < FAKE_GRID * FAKE_GRID; i++) {
            float dx = (float)(i % FAKE_GRID) + 0.5f - x0, dy = (float)(i / FAKE_GRID) + 0.5f - y0;
            map[i] = expf(-(dx * dx + dy * dy) / (2 * fake->sigma * fake->sigma));
            sum += map[i];
        }
        for (int i = 0; i < FAKE_GRID * FAKE_GRID; i++) {
            map[i] /= sum;
            c->max_weight = fmaxf(c->max_weight, map[i]);
        }
        word->centre_x = x0;
        word->centre_y = y0;
        c->count++;
    }
}

/* Word i of the source for word i of the output, and some of it for all others. */
static inline void fake_align(const char *source_words, const char *generated, sac_result *c)
{
    char copies[2][512], *rest = NULL;
    snprintf(copies[0], sizeof copies[0], "%s", source_words);
    snprintf(copies[1], sizeof copies[1], "%s", generated ? generated : "");
    *c = (sac_result){.grid_h = 1, .finished = true, .max_weight = 0.6f};
    c->positions = calloc(SAC_MAX_TOKENS, sizeof *c->positions);
    for (char *t = strtok_r(copies[0], " ", &rest); t; t = strtok_r(NULL, " ", &rest))
        strcpy(c->positions[c->grid_w++], t);
    c->weights = calloc((size_t)SAC_MAX_TOKENS * (size_t)c->grid_w, sizeof *c->weights);
    for (char *t = strtok_r(copies[1], " ", &rest); t; t = strtok_r(NULL, " ", &rest)) {
        for (int i = 0; i < c->grid_w; i++)
            c->weights[c->count * c->grid_w + i] =
                i == c->count ? 0.6f : 0.4f / (float)(c->grid_w - 1);
        strcpy(c->outputs[c->count++].text, t);
    }
}

static inline void fake_curves(const fake_training *fake, sac_training_snapshot *view)
{
    view->points = fake->points;
    view->loss = malloc((fake->points + 1) * sizeof *view->loss);
    view->exact = malloc((fake->points + 1) * sizeof *view->exact);
    view->at = malloc((fake->points + 1) * sizeof *view->at);
    for (int k = 0; k < SAC_TRAINING_REWARDS && fake->rewards; k++)
        view->reward[k] = malloc((fake->points + 1) * sizeof *view->reward[k]);
    for (size_t i = 0; i < fake->points; i++) {
        float t = (float)(i + 1) / 500;
        size_t every = fake->measured_every;
        view->at[i] = fake->step * (i + 1) / fake->points;
        view->loss[i] = 0.12f + 5 * expf(-9 * t) + 0.03f * sinf(7.1f * (float)i);
        view->exact[i] = every && (i + 1) % every == 0 ? 1 - expf(-4 * t * t) : NAN;
        for (int k = 0; k < SAC_TRAINING_REWARDS && view->reward[k]; k++)
            view->reward[k][i] = fake->curve ? fake->curve[i] : (float)(60 + 10 * k) + 5 * t;
        if (fake->curve)
            view->loss[i] = view->exact[i] = fake->curve[i];
    }
}

enum {
    FAKE_GPT_LAYERS = 2,
    FAKE_GPT_HEADS = 3,
    FAKE_GPT_TOKENS = 8,
    FAKE_POINTS = 10,
    FAKE_INDUCTION = 4
};

static inline size_t fake_point_step(const fake_training *fake, size_t point)
{
    return fake->step * (point + 1) / FAKE_POINTS;
}

/* How much a head has of a kind after a step: previous token, induction, same token, first token. */
static inline float fake_score(const fake_training *fake, size_t step, size_t head, int kind)
{
    const float learnt = (float)step / (float)fake->steps;
    return (head == 0 && kind == 0) || (head == FAKE_INDUCTION && kind == 1) ? 4 * learnt
           : kind == 3                                                       ? 0.2f
                                                                             : 0.1f;
}

static inline void fake_gpt_heads(const fake_training *fake, sac_training_heads *h)
{
    *h = (sac_training_heads){.layers = FAKE_GPT_LAYERS,
                              .heads = FAKE_GPT_HEADS,
                              .tokens = FAKE_GPT_TOKENS,
                              .points = FAKE_POINTS};
    h->at = calloc(FAKE_POINTS, sizeof *h->at);
    h->kept = calloc(FAKE_POINTS, sizeof *h->kept);
    h->score = calloc(FAKE_POINTS * FAKE_GPT_LAYERS * FAKE_GPT_HEADS * SAC_TRAINING_KINDS,
                      sizeof *h->score);
    for (size_t i = 0, at = 0; i < FAKE_POINTS; i++) {
        h->at[i] = fake_point_step(fake, i);
        h->kept[i] = h->at[i] >= fake->first_kept;
        for (size_t m = 0; m < FAKE_GPT_LAYERS * FAKE_GPT_HEADS; m++)
            for (int k = 0; k < SAC_TRAINING_KINDS; k++)
                h->score[at++] = fake_score(fake, h->at[i], m, k);
    }
}

/* The weights after a step. */
typedef struct fake_moment {
    size_t step;
} fake_moment;

static inline sac_status fake_moment_tile(void *self, size_t layer, const sac_tile *tile,
                                          float *weights, sac_error *error)
{
    const fake_moment *m = self;
    (void)error;
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++) {
            const size_t i = tile->row + r, j = tile->col + c;
            const bool lit =
                layer * FAKE_GPT_HEADS + tile->head == FAKE_INDUCTION && i >= 4 && j == i - 4 + 1;
            weights[r * tile->cols + c] = j > i ? 0 : lit ? (float)m->step / 6000 : 0.05f;
        }
    return SAC_OK;
}

static inline sac_status fake_moment_at(void *self, size_t step, sac_training_moment *moment,
                                        sac_error *error)
{
    static const char *const tokens[FAKE_GPT_TOKENS] = {"a", "b", "c", "d", "a", "b", "c", "d"};
    const fake_training *fake = self;
    const size_t count = FAKE_GPT_TOKENS;
    const sac_array text = sac_array_view(SAC_TEXT, 1, &count, tokens);
    size_t best = 0, away = SIZE_MAX;
    for (size_t i = 0; i < FAKE_POINTS; i++) {
        const size_t at = fake_point_step(fake, i), apart = at > step ? at - step : step - at;
        if (at >= fake->first_kept && apart < away) {
            best = at;
            away = apart;
        }
    }
    fake_moment *m = calloc(1, sizeof *m);
    m->step = best;
    *moment = (sac_training_moment){.step = best, .heads = calloc(1, sizeof *moment->heads)};
    snprintf(moment->sample, sizeof moment->sample, "written by then: %zu", best);
    *moment->heads = (sac_source){.self = m,
                                  .destroy = free,
                                  .weights = {.layers = FAKE_GPT_LAYERS,
                                              .batch = 1,
                                              .heads = FAKE_GPT_HEADS,
                                              .steps = FAKE_GPT_TOKENS,
                                              .positions = FAKE_GPT_TOKENS,
                                              .tile = fake_moment_tile}};
    sac_labels_from_array(&text, &moment->heads->weights.step_labels, error);
    return sac_labels_from_array(&text, &moment->heads->weights.position_labels, error);
}

static inline sac_status fake_look(void *self, size_t step, sac_training_snapshot *view,
                                   bool *changed, sac_error *error)
{
    fake_training *fake = self;
    fake->looks++;
    *changed = false;
    if (fake->fails)
        return sac_fail(error, SAC_E_MEMORY, "training", NULL, "out of memory to show it");
    if (step == fake->step)
        return SAC_OK;
    *changed = true;
    *view = (sac_training_snapshot){.step = fake->step,
                                    .steps = fake->steps,
                                    .seconds = 754,
                                    .samples_per_second = 312.4,
                                    .seconds_left = 482,
                                    .figure = fake->figure,
                                    .pictures = fake->pictures};
    fake_curves(fake, view);
    if (fake->writes) {
        view->writes = view->figure_is_loss = true;
        view->pictures = 0;
        snprintf(view->sample, sizeof view->sample, "the first line of it\nand the second");
        if (fake->heads)
            fake_gpt_heads(fake, &view->heads);
    }
    for (int i = 0; i < view->pictures; i++) {
        snprintf(view->picture[i].truth, sizeof view->picture[i].truth, "%s", fake_truths[i]);
        if (fake->reads) {
            fake_align(fake_truths[5 - i], fake->generated[i], &view->picture[i].caption);
            continue;
        }
        sac_image_create(FAKE_SIDE, fake->wide ? FAKE_SIDE * 3 / 4 : FAKE_SIDE,
                         &view->picture[i].image, NULL);
        fake_draw(&view->picture[i].image, &fake_pictures[i % 4 == 1 && i > 3 ? 1 : i % 4]);
        fake_generate_tokens(fake, fake->generated[i], i, &view->picture[i].caption);
        view->picture[i].is_one_of_several = fake->several;
        for (int k = 0; k < view->picture[i].caption.count; k++)
            view->picture[i].has_word[k] =
                strcmp(view->picture[i].caption.outputs[k].text, "red") != 0;
    }
    return SAC_OK;
}

static inline bool fake_ended(void *self)
{
    return ((fake_training *)self)->has_ended;
}

/* A training of 6000 steps that has done 1200, some of whose captions are right. */
static inline void fake_training_open(fake_training *fake)
{
    *fake = (fake_training){.step = 1200,
                            .steps = 6000,
                            .points = 100,
                            .measured_every = 20,
                            .pictures = 6,
                            .sigma = 2};
    fake->generated[0] = "a small red circle above a large blue square and a large yellow star";
    fake->generated[1] = "a large green circle";
    fake->generated[2] = "a large orange triangle left of a small square";
    fake->generated[3] = "a small white square above a large blue square";
    fake->generated[4] = "a small green circle above a";
    fake->generated[5] = "a small red circle above a large blue square and a small yellow star";
    fake->source = (sac_source){.self = fake,
                                .training.look = fake_look,
                                .training.ended = fake_ended,
                                .training.moment = fake_moment_at};
    strcpy(fake->source.origin.device, "no device");
    strcpy(fake->source.title, "captioner");
}

#endif
