/* The language of a sound: the one that a person or the folder gives, or else, as Whisper was trained to,
 * the most probable of its languages' tokens behind the start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* "de" of "<|de|>". */
static void copy_language_code(const captioner *c, int token, char *code, size_t size)
{
    const char *text = sac_tokenizer_token(c->decoder->tokenizer, token);
    const size_t length = text ? strlen(text) : 0;
    const bool is_marked = length > 4 && strncmp(text, "<|", 2) == 0;
    snprintf(code, size, "%.*s", is_marked ? (int)length - 4 : (int)length,
             text ? text + 2 * is_marked : "");
}

/* The token of a code; −1: there is none. */
static int find_code(const captioner *c, const char *code)
{
    const sac_audio_languages *all = &c->decoder->text_decoder.languages;
    char one[SAC_LANGUAGE_CODE];
    for (int i = 0; i < all->count; i++) {
        copy_language_code(c, all->token[i], one, sizeof one);
        if (strcmp(one, code) == 0)
            return all->token[i];
    }
    return -1;
}

static char *list_codes(const captioner *c, char *text, size_t size)
{
    const sac_audio_languages *all = &c->decoder->text_decoder.languages;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < all->count && used + SAC_LANGUAGE_CODE + 8 < size; i++) {
        char one[SAC_LANGUAGE_CODE];
        copy_language_code(c, all->token[i], one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", one);
    }
    return text;
}

/* The output begins with the start, a language, a task, and the token for no times. */
static void set_prompt_token(captioner *c, int place, int token)
{
    const sac_text_decoder *d = &c->decoder->text_decoder;
    if (place < d->prompt_count)
        c->listening.prompt[place] = token;
    else
        c->search.start = token;
}

sac_status sac_pretrained_captioner_set_audio_task(captioner *c, const char *language,
                                                   const char *task, sac_error *error)
{
    const sac_audio_languages *all = &c->decoder->text_decoder.languages;
    char known[380];
    if (!all->count && (language || task))
        return sac_fail(error, SAC_E_ARGUMENT, language ? "--language" : "--task", "leave it out",
                        "is given, and %.60s does not know several languages", c->model->name);
    const int token = language ? find_code(c, language) : all->configured;
    if (language && token < 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--language", "give one of them",
                        "%.20s is not known to %.60s; its languages are %s", language,
                        c->model->name, list_codes(c, known, sizeof known));
    const bool translates = task && strcmp(task, "translate") == 0;
    if (task && !translates && strcmp(task, "transcribe") != 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--task", "give transcribe or translate",
                        "%.20s is not known", task);
    if (task && all->task[translates] < 0)
        return sac_fail(error, SAC_E_ARGUMENT, "--task", "leave it out",
                        "%.60s has no tasks, as its generation_config.json has none",
                        c->model->name);
    c->listening.language = token;
    if (task)
        set_prompt_token(c, 2, all->task[translates]);
    return SAC_OK;
}

/* The token behind the start alone, of all languages; and its share of what they have. */
static int choose_language_token(const sac_audio_languages *all, const float *logits,
                                 float *probability)
{
    int best = all->token[0];
    double sum = 0;
    for (int i = 1; i < all->count; i++)
        if (logits[all->token[i]] > logits[best])
            best = all->token[i];
    for (int i = 0; i < all->count; i++)
        sum += exp((double)logits[all->token[i]] - (double)logits[best]);
    *probability = (float)(1 / sum);
    return best;
}

static sac_status detect_language(captioner *c, int *language, float *probability, sac_error *error)
{
    sac_token_run run = {0};
    sac_status status = sac_captioner_apply_request(c, &(sac_result_request){0}, error);
    c->listening.is_asked = true; /* the start alone stands before */
    if (status == SAC_OK)
        status = sac_token_run_generate(&run, &c->generates, c, NULL, 0,
                                        &(sac_sampling){.count = 1}, error);
    c->listening.is_asked = false;
    if (status == SAC_OK)
        *language =
            choose_language_token(&c->decoder->text_decoder.languages, run.logits, probability);
    sac_token_run_free(&run);
    return status;
}

sac_status sac_captioner_choose_language(captioner *c, sac_error *error)
{
    int language = c->listening.language;
    float probability = 0;
    if (!c->decoder->text_decoder.languages.count)
        return SAC_OK;
    sac_status status = language < 0 ? detect_language(c, &language, &probability, error) : SAC_OK;
    if (status != SAC_OK)
        return status;
    set_prompt_token(c, 1, language);
    copy_language_code(c, language, c->listening.code, sizeof c->listening.code);
    c->listening.probability = probability;
    return SAC_OK;
}
