/* What a tiny model of tests/reference says, held against `generate` of `transformers`. */
#ifndef TESTS_ARCHITECTURES_SPEAKING_H
#define TESTS_ARCHITECTURES_SPEAKING_H

#include "architectures/captioning/text_decoder.h"
#include "status.h"
#include "trial.h"

typedef struct speaking {
    sac_pretrained_model *model;
    sac_pretrained_captioner *captioner;
    sac_arrays *expected;
    int read; /* tokens, where it translates */
} speaking;

/* The model of that folder of tests/reference, which has seen and read nothing yet. */
static inline void load_speaking(speaking *s, const char *architecture)
{
    char folder[512], reference[600];
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, architecture);
    snprintf(reference, sizeof reference, "%s/reference.safetensors", folder);
    OK(sac_pretrained_model_open(folder, NULL, &s->model, &failure));
    OK(sac_arrays_open(reference, &s->expected, &failure));
    OK(sac_pretrained_captioner_create(s->model, &s->captioner, &failure));
}

static inline void close_speaking(speaking *s)
{
    sac_pretrained_captioner_destroy(s->captioner);
    sac_arrays_close(s->expected);
    sac_pretrained_model_close(s->model);
}

/* What `generate` gave: the token that it begins with, those that are said, and perhaps the end. */
static inline void check_said(const speaking *s, const char *name, const sac_caption *caption)
{
    const sac_array *array = sac_arrays_find(s->expected, name);
    assert_non_null(array);
    const int *said = (const int *)array->data + 1;
    int count = (int)sac_array_count(array) - 1;
    bool ends = said[count - 1] == s->model->decoder->text_decoder.search.end;
    assert_int_equal(caption->count, count - ends);
    assert_int_equal(caption->finished, ends);
    for (int i = 0; i < caption->count; i++)
        assert_int_equal(caption->words[i].word, said[i]);
}

/* Searches, and what `generate` says in each. */
enum { SEARCHES = 6 };

/* Says what search `which` finds; *caption is the caller's to free. */
static inline void check_search(const speaking *s, size_t which, sac_caption *caption)
{
    static const struct {
        const char *name;
        int beam, length;
        double penalty;
        sac_beam_patience patience;
    } searches[SEARCHES] = {
        {"greedy", 1, 11, 1, SAC_BEAM_WHILE_BETTER}, {"two", 2, 11, 1, SAC_BEAM_WHILE_BETTER},
        {"beam", 3, 11, 1, SAC_BEAM_WHILE_BETTER},   {"long", 3, 11, 3, SAC_BEAM_WHILE_BETTER},
        {"short", 4, 11, -1, SAC_BEAM_UNTIL_FULL},   {"never", 2, 8, 1, SAC_BEAM_TO_THE_END}};
    sac_beam_options *o = &s->captioner->search;
    o->length = searches[which].length;
    o->length_penalty = searches[which].penalty;
    o->patience = searches[which].patience;
    OK(sac_pretrained_captioner_generate(
        s->captioner, &(sac_caption_request){.beam = searches[which].beam}, caption, &failure));
    check_said(s, searches[which].name, caption);
}

/* Against each head of each layer, the tokens before the cells among what it looks at. */
static inline void check_looks(const speaking *s, int words)
{
    const sac_pretrained_model *d = s->model->decoder;
    size_t S = sac_pretrained_captioner_seen(s->captioner);
    float *weights = calloc(S, sizeof *weights);
    for (int layer = 0; layer < d->layers; layer++) {
        char name[40];
        snprintf(name, sizeof name, "cross_attentions.%d", layer);
        const sac_array *array = sac_arrays_find(s->expected, name);
        size_t T = array->shape[array->rank - 2];
        assert_true(T >= (size_t)words && sac_array_count(array) == (size_t)d->run.heads * T * S);
        for (int head = 0; head < d->run.heads; head++)
            for (int word = 0; word < words; word++) {
                const float *expected =
                    (const float *)array->data + ((size_t)head * T + (size_t)word) * S;
                OK(sac_pretrained_captioner_weights(s->captioner, word, layer, head, weights,
                                                    &failure));
                compare(weights, expected, S, 1e-4, name);
            }
    }
    free(weights);
}

/* The weights of one kind, as `outputs` of transformers has it layer by layer. */
static inline void check_kind(const speaking *s, const sac_attention_kind *kind,
                              const char *outputs)
{
    size_t map = kind->heads * kind->steps * kind->positions;
    for (size_t layer = 0; layer < kind->layers; layer++) {
        char name[40];
        snprintf(name, sizeof name, "%s.%zu", outputs, layer);
        const sac_array *array = sac_arrays_find(s->expected, name);
        assert_non_null(array);
        const float *expected = array->data, *made = kind->weights + layer * map;
        size_t T = array->shape[2], S = array->shape[3];
        for (size_t head = 0; head < kind->heads; head++)
            for (size_t row = 0; row < kind->steps; row++)
                compare(made + (head * kind->steps + row) * kind->positions,
                        expected + (head * T + row) * S, kind->positions, 1e-4, name);
    }
}

#endif
