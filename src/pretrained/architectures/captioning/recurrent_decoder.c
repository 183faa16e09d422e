/* An LSTM that looks once a word: the weights of each step come along with it. */
#include <stdio.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"

typedef sac_pretrained_captioner captioner;

/* The words of a file that gives them numbers. */
static sac_status create(captioner *c, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    char path[sizeof d->folder + sizeof d->text_decoder.wordmap];
    snprintf(path, sizeof path, "%s/%s", d->folder, d->text_decoder.wordmap);
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
    sac_pretrained_model *d = c->decoder;
    sac_recurrent_shape(d->text_decoder.recurrent, &d->pass, &c->arena, c->seen, rows,
                        &c->recurrent);
}

static void begin(captioner *c)
{
    sac_pretrained_model *d = c->decoder;
    sac_recurrent_begin(d->text_decoder.recurrent, &d->pass, c->memory, &c->recurrent);
}

static void step(captioner *c, const sac_beam *beam, const sac_step_result *result)
{
    sac_pretrained_model *d = c->decoder;
    int words[SAC_TEXT_DECODER_ROWS], parents[SAC_TEXT_DECODER_ROWS];
    sac_beam_last(beam, words, parents);
    const sac_recurrent_step step = {.is_first = beam->step == 0,
                                     .words = words,
                                     .parents = parents,
                                     .temperature = c->temperature,
                                     .hidden = c->hides ? c->mask.buffer : NULL};
    sac_recurrent_go_on(d->text_decoder.recurrent, &d->pass, &step, c->memory, c->logits,
                        &c->recurrent);
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
    memcpy(weights, sac_generated_step_at(c->generation, word).weights, c->seen * sizeof *weights);
    return SAC_OK;
}

const sac_text_decoder_class sac_text_decoder_of_recurrent = {.score = "w·relu(W₁a + W₂h)",
                                                              .looks_once = true,
                                                              .create = create,
                                                              .prepare = prepare,
                                                              .forget = forget,
                                                              .shape = shape,
                                                              .shape_step = shape_step,
                                                              .begin = begin,
                                                              .step = step,
                                                              .weights = weights_of};
