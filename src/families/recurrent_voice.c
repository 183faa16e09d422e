/* An LSTM that looks once a word: the weights of each step come along with it. */
#include <stdio.h>
#include <string.h>

#include "families/voice.h"

typedef sac_family_captioner captioner;

/* The words of a file that gives them numbers. */
static sac_status create(captioner *c, sac_error *error)
{
    const sac_family_model *d = c->decoder;
    char path[sizeof d->folder + sizeof d->voice.wordmap];
    snprintf(path, sizeof path, "%s/%s", d->folder, d->voice.wordmap);
    return sac_token_texts_read(path, (int)d->vocabulary, &c->words, error);
}

static sac_status prepare(captioner *c, sac_error *error)
{
    (void)c; /* all of it is on the device */
    (void)error;
    return SAC_OK;
}

static void forget(captioner *c)
{
    c->recurrent = (sac_recurrent_tensors){0};
}

static void shape(captioner *c)
{
    (void)c; /* a step's tensors are all that there are */
}

static void shape_step(captioner *c, size_t rows)
{
    sac_family_model *d = c->decoder;
    sac_recurrent_shape(d->voice.recurrent, &d->pass, &c->arena, c->seen, rows, &c->recurrent);
}

static void begin(captioner *c)
{
    sac_family_model *d = c->decoder;
    sac_recurrent_begin(d->voice.recurrent, &d->pass, c->memory, &c->recurrent);
}

static void step(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    sac_family_model *d = c->decoder;
    int words[SAC_VOICE_ROWS], parents[SAC_VOICE_ROWS];
    sac_beam_last(beam, words, parents);
    const sac_recurrent_step step = {.is_first = beam->step == 0,
                                     .words = words,
                                     .parents = parents,
                                     .temperature = c->temperature,
                                     .hidden = c->hides ? c->mask.buffer : NULL};
    sac_recurrent_go_on(d->voice.recurrent, &d->pass, &step, c->memory, c->logits, &c->recurrent);
    sac_pass_read(&d->pass, c->logits, result->logits);
    sac_pass_read(&d->pass, c->recurrent.weights, result->weights);
    sac_pass_read(&d->pass, c->recurrent.open, result->gate);
}

static sac_status weights_of(captioner *c, int word, int layer, int head, float *weights,
                             sac_error *error)
{
    (void)layer;
    (void)head;
    (void)error;
    memcpy(weights, sac_decoded_step_at(&c->base, word).weights, c->seen * sizeof *weights);
    return SAC_OK;
}

const sac_voice_class sac_voice_of_recurrent = {.score = "w·relu(W₁a + W₂h)",
                                                .looks_once = true,
                                                .create = create,
                                                .prepare = prepare,
                                                .forget = forget,
                                                .shape = shape,
                                                .shape_step = shape_step,
                                                .begin = begin,
                                                .step = step,
                                                .weights = weights_of};
