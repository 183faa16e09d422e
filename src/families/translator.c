/* A translator of others and a person's sentence. */
#include "families/translator.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "families/captioner.h"
#include "families/family.h"
#include "trace/said.h"

typedef struct translation {
    sac_family_captioner *captioner;
    sac_family_model *model;    /* lent by the captioner */
    int read[SAC_SPOKEN_WORDS]; /* the tokens of the sentence … */
    size_t count;               /* … and how many */
    sac_said said;              /* of them */
} translation;

static sac_status speak(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error)
{
    translation *t = self;
    int beam = t->model->decoder->voice.search.width;
    *caption = (sac_caption){0};
    if (sac_said_find(&t->said, request, beam, caption))
        return SAC_OK;
    sac_status status = sac_family_captioner_speak(t->captioner, request, caption, error);
    if (status == SAC_OK)
        sac_said_keep(&t->said, request, caption);
    return status;
}

static sac_status attentions(void *self, int model, const sac_caption *said, sac_attentions *a,
                             sac_error *error)
{
    const translation *t = self;
    int ids[SAC_SPOKEN_WORDS];
    (void)model; /* there is one */
    for (int i = 0; i < said->count; i++)
        ids[i] = said->words[i].word;
    return sac_family_sentence_attentions(t->model, t->read, t->count, ids, (size_t)said->count, a,
                                          error);
}

static bool has_read(const translation *t, const sac_tokens *tokens)
{
    return sac_family_captioner_seen(t->captioner) > 0 && t->count == tokens->count &&
           memcmp(t->read, tokens->ids, t->count * sizeof *t->read) == 0;
}

/* Of the tokens that it knows already nothing is computed again. */
static sac_status read_tokens(translation *t, const sac_tokens *tokens, sac_error *error)
{
    if (has_read(t, tokens))
        return SAC_OK;
    sac_said_forget(&t->said);
    sac_status status =
        sac_family_captioner_read_tokens(t->captioner, tokens->ids, tokens->count, error);
    if (status == SAC_OK) {
        t->count = tokens->count;
        memcpy(t->read, tokens->ids, t->count * sizeof *t->read);
    }
    return status;
}

static sac_status read_text(sac_trace *trace, const char *text, sac_error *error)
{
    translation *t = trace->self;
    sac_tokens tokens = {0};
    sac_status status = sac_tokenizer_encode(t->model->tokenizer, text, true, &tokens, error);
    if (status == SAC_OK && tokens.count < 2) /* the end alone */
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give some words", "has no words");
    else if (status == SAC_OK && strlen(text) >= sizeof trace->text)
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give a shorter one",
                          "has more than %zu bytes", sizeof trace->text - 1);
    if (status == SAC_OK)
        status = read_tokens(t, &tokens, error);
    sac_tokens_free(&tokens);
    if (status == SAC_OK && text != trace->text)
        snprintf(trace->text, sizeof trace->text, "%s", text);
    return status;
}

static sac_status turn(sac_trace *trace, int number, sac_error *error)
{
    if (number != 0)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "type one",
                        "there is none beside this one");
    return read_text(trace, trace->text, error);
}

static void destroy(void *self)
{
    translation *t = self;
    sac_said_forget(&t->said);
    sac_family_captioner_destroy(t->captioner);
    free(t);
}

static bool may_say(const void *self, int word)
{
    const translation *t = self;
    return sac_beam_may_hold(&t->model->decoder->voice.search, word);
}

static void fill(translation *t, sac_trace *trace)
{
    const sac_family_model *m = t->model;
    *trace = (sac_trace){.self = t,
                         .pictures = 1,
                         .may_say = may_say,
                         .speak = speak,
                         .attentions = attentions,
                         .turn = turn,
                         .read = read_text,
                         .destroy = destroy};
    snprintf(trace->title, sizeof trace->title, "%.120s", m->name);
    trace->vocabulary = sac_family_captioner_words(t->captioner, &trace->vocabulary_count);
    trace->beam = m->decoder->voice.search.width;
    sac_trace_add_model(trace, m->name);
    snprintf(trace->origin.file, sizeof trace->origin.file, "%s", m->folder);
    sac_device_short_name(sac_device_get_info(m->device), trace->origin.device,
                          sizeof trace->origin.device);
}

sac_status sac_family_translation_open(sac_family_model *model, const char *text, sac_trace *trace,
                                       sac_error *error)
{
    *trace = (sac_trace){0};
    if (!sac_family_translates(model))
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder of a translator",
                        "is of a model that does not translate");
    translation *t = calloc(1, sizeof *t);
    if (!t)
        return sac_fail(error, SAC_E_MEMORY, model->name, NULL, "no memory for its sentence");
    t->model = model;
    sac_status status = sac_family_captioner_create(model, &t->captioner, error);
    if (status != SAC_OK) {
        free(t);
        return status;
    }
    fill(t, trace);
    status = read_text(trace, text, error);
    if (status != SAC_OK)
        sac_trace_destroy(trace);
    return status;
}

bool sac_family_is_translation(const sac_trace *trace)
{
    return trace->destroy == destroy;
}

char *sac_family_translation_text(const sac_trace *trace, const sac_caption *said)
{
    const translation *t = trace->self;
    int ids[SAC_SPOKEN_WORDS];
    for (int i = 0; i < said->count; i++)
        ids[i] = said->words[i].word;
    return sac_tokenizer_decode(t->model->decoder->tokenizer, ids, (size_t)said->count);
}
