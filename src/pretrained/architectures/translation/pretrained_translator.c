/* A translator of others and a person's sentence. */
#include "architectures/translation/pretrained_translator.h"

#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/captioning/pretrained_captioner.h"
#include "base/error.h"
#include "generate/cached_caption.h"

typedef struct translation {
    sac_pretrained_captioner *captioner;
    sac_pretrained_model *model; /* lent by the captioner */
    int read[SAC_MAX_TOKENS];    /* the tokens of the sentence … */
    size_t count;                /* … and how many */
    sac_caption_cache cache;     /* of what was said of them */
} translation;

static sac_status speak(void *self, const sac_caption_request *request, sac_caption *caption,
                        sac_error *error)
{
    translation *t = self;
    int beam = t->model->decoder->text_decoder.search.width;
    *caption = (sac_caption){0};
    if (sac_caption_cache_find(&t->cache, request, beam, caption))
        return SAC_OK;
    sac_status status = sac_pretrained_captioner_speak(t->captioner, request, caption, error);
    if (status == SAC_OK)
        sac_caption_cache_keep(&t->cache, request, caption);
    return status;
}

static sac_status attentions(void *self, int model, const sac_caption *said, sac_attentions *a,
                             sac_error *error)
{
    const translation *t = self;
    int ids[SAC_MAX_TOKENS];
    (void)model; /* there is one */
    for (int i = 0; i < said->count; i++)
        ids[i] = said->words[i].word;
    return sac_architecture_sentence_attentions(t->model, t->read, t->count, ids,
                                                (size_t)said->count, a, error);
}

static bool has_read(const translation *t, const sac_tokens *tokens)
{
    return sac_pretrained_captioner_seen(t->captioner) > 0 && t->count == tokens->count &&
           memcmp(t->read, tokens->ids, t->count * sizeof *t->read) == 0;
}

/* Of the tokens that it knows already nothing is computed again. */
static sac_status read_tokens(translation *t, const sac_tokens *tokens, sac_error *error)
{
    if (has_read(t, tokens))
        return SAC_OK;
    sac_caption_cache_forget(&t->cache);
    sac_status status =
        sac_pretrained_captioner_read_tokens(t->captioner, tokens->ids, tokens->count, error);
    if (status == SAC_OK) {
        t->count = tokens->count;
        memcpy(t->read, tokens->ids, t->count * sizeof *t->read);
    }
    return status;
}

static sac_status read_text(sac_source *source, const char *text, sac_error *error)
{
    translation *t = source->self;
    sac_tokens tokens = {0};
    sac_status status = sac_tokenizer_encode(t->model->tokenizer, text, true, &tokens, error);
    if (status == SAC_OK && tokens.count < 2) /* the end alone */
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give some words", "has no words");
    else if (status == SAC_OK && strlen(text) >= sizeof source->speaker.text)
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give a shorter name",
                          "has more than %zu bytes", sizeof source->speaker.text - 1);
    if (status == SAC_OK)
        status = read_tokens(t, &tokens, error);
    sac_tokens_free(&tokens);
    if (status == SAC_OK && text != source->speaker.text)
        snprintf(source->speaker.text, sizeof source->speaker.text, "%s", text);
    return status;
}

static sac_status turn(sac_source *source, int number, sac_error *error)
{
    if (number != 0)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "type one",
                        "there is none beside this one");
    return read_text(source, source->speaker.text, error);
}

static void destroy(void *self)
{
    translation *t = self;
    sac_caption_cache_forget(&t->cache);
    sac_pretrained_captioner_destroy(t->captioner);
    free(t);
}

static bool may_say(const void *self, int word)
{
    const translation *t = self;
    return sac_beam_may_hold(&t->model->decoder->text_decoder.search, word);
}

static char *join(const void *self, const sac_caption *said)
{
    const translation *t = self;
    int ids[SAC_MAX_TOKENS];
    for (int i = 0; i < said->count; i++)
        ids[i] = said->words[i].word;
    return sac_tokenizer_decode(t->model->decoder->tokenizer, ids, (size_t)said->count);
}

static void fill(translation *t, sac_source *source)
{
    const sac_pretrained_model *m = t->model;
    *source = (sac_source){.self = t,
                           .picture.count = 1,
                           .speaker.may_say = may_say,
                           .speaker.speak = speak,
                           .speaker.join = join,
                           .speaker.attentions = attentions,
                           .picture.turn = turn,
                           .speaker.read = read_text,
                           .destroy = destroy};
    snprintf(source->title, sizeof source->title, "%.120s", m->name);
    source->speaker.vocabulary =
        sac_pretrained_captioner_words(t->captioner, &source->speaker.vocabulary_count);
    source->speaker.beam = m->decoder->text_decoder.search.width;
    sac_source_add_model(source, m->name);
    snprintf(source->origin.file, sizeof source->origin.file, "%s", m->folder);
    sac_device_short_name(sac_device_get_info(m->device), source->origin.device,
                          sizeof source->origin.device);
}

sac_status sac_pretrained_translation_open(sac_pretrained_model *model, const char *text,
                                           sac_source *source, sac_error *error)
{
    *source = (sac_source){0};
    if (!sac_architecture_translates(model))
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder of a translator",
                        "is not a translator");
    translation *t = calloc(1, sizeof *t);
    if (!t)
        return sac_no_memory(error, model->name);
    t->model = model;
    sac_status status = sac_pretrained_captioner_create(model, &t->captioner, error);
    if (status != SAC_OK) {
        free(t);
        return status;
    }
    fill(t, source);
    status = read_text(source, text, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
