/* Translators and a sentence as a source that generates translations. */

#include "translation/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "grammar/sentence.h"
#include "grammar/words.h"
#include "models/checkpoint.h"
#include "models/token_run.h"
#include "saccade_arrays.h"
#include "translation/translation.h"

typedef struct translations {
    sac_device *device;
    sac_word_list english, french;
    const char **vocabulary; /* [french.count] */
    sac_model *models[SAC_SOURCE_MODELS];
    int model_count;
    uint64_t scene; /* the number in the test stream of the second sentence to turn to */
    int words[SAC_TRANSLATION_SOURCE], count; /* the sentence */
} translations;

/* ---------------------------------------------------------------- generation */

static sac_status encode(sac_source *source, int model, sac_error *error)
{
    const translations *c = source->self;
    return sac_translation_read(c->models[model], c->words, c->count, error);
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *result,
                           sac_error *error)
{
    sac_model *model = ((const translations *)self)->models[request->model];
    return request->sampling ? sac_model_step(model, model->class->attentions, request->sampling,
                                              &result->generation, error)
                             : sac_translation_generate(model, request, result, error);
}

static sac_status attentions(void *self, int model, const sac_result *caption,
                             sac_attentions *attentions, sac_error *error)
{
    const translations *c = self;
    return sac_translation_attentions(c->models[model], caption, attentions, error);
}

static sac_status find_candidates(void *self, size_t step, const sac_sampling *how,
                                  sac_candidate *candidates, int *count, int *kept,
                                  sac_error *error)
{
    const translations *c = self;
    return sac_model_candidates(c->models[0], step, how, candidates, count, kept, error);
}

static bool token_allowed(const void *self, int word)
{
    (void)self;
    return word >= SAC_TOKENS_SPECIAL;
}

/* ---------------------------------------------------------------- sentences */

static void sentence_to_turn_to(const translations *c, int number, sac_sentence_pair *pair)
{
    if (number == 0)
        sac_sentence_of_figure(pair);
    else
        sac_sentence_make(SAC_TEXT_TEST, c->scene + (uint64_t)number - 1, pair);
}

/* The truth of the sentence that is open, where it is one of those that were turned to so far. */
static bool find_truth(const translations *c, sac_source *source)
{
    sac_sentence_pair pair;
    char text[sizeof source->result.text];
    for (int i = 0; i < source->picture.count; i++) {
        sentence_to_turn_to(c, i, &pair);
        if (strcmp(sac_sentence_join(pair.source, pair.source_count, text, sizeof text),
                   source->result.text) == 0) {
            sac_alignment_truth *truth = &source->result.alignment;
            *truth = (sac_alignment_truth){.count = pair.target_count};
            for (int t = 0; t < pair.target_count; t++) {
                snprintf(truth->words[t], sizeof *truth->words, "%s", pair.target[t]);
                truth->links[t] = pair.links[t];
            }
            return true;
        }
    }
    return false;
}

/* The first sentence of the text. */
static sac_status take_words(translations *c, const sac_source_text *read, sac_error *error)
{
    int count = read->ends[0];
    if (count > SAC_TRANSLATION_SOURCE)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "give 1 to 40 words", "has %d words",
                        count);
    c->count = count;
    memcpy(c->words, read->words, (size_t)count * sizeof *c->words);
    return SAC_OK;
}

static sac_status read_text(sac_source *source, const char *text, sac_error *error)
{
    translations *c = source->self;
    sac_source_text read = {0};
    sac_status status = sac_source_text_read(&c->english, text, &read, error);
    if (status == SAC_OK)
        status = take_words(c, &read, error);
    if (status == SAC_OK) {
        /* Words of the vocabulary, joined by blanks. */
        size_t size = sizeof source->result.text;
        size_t used = 0;
        source->result.text[0] = '\0';
        for (int i = 0; i < c->count && used < size; i++)
            used += (size_t)snprintf(source->result.text + used, size - used, "%s%s", i ? " " : "",
                                     c->english.words[c->words[i]]);
        source->result.has_truth = find_truth(c, source);
        sac_source_clear_note(source);
        if (read.sentences > 1)
            sac_source_add_note(source, SAC_NOTE_SHOWN, "only the first sentence is translated");
    }
    sac_source_text_free(&read);
    return status;
}

static sac_status turn(sac_source *source, int number, sac_error *error)
{
    sac_sentence_pair pair;
    char text[sizeof source->result.text];
    int pictures = source->picture.count;
    if (source->picture.count <= number)
        source->picture.count = number + 1;
    sentence_to_turn_to(source->self, number, &pair);
    sac_status status = read_text(
        source, sac_sentence_join(pair.source, pair.source_count, text, sizeof text), error);
    if (status == SAC_OK)
        source->picture.number = number;
    else
        source->picture.count = pictures;
    return status;
}

/* ---------------------------------------------------------------- opening */

static void destroy(void *self)
{
    translations *c = self;
    for (int i = 0; i < c->model_count; i++)
        sac_model_destroy(c->models[i]);
    sac_device_close(c->device);
    sac_word_list_free(&c->english);
    sac_word_list_free(&c->french);
    free(c->vocabulary);
    free(c);
}

static sac_status open_model(translations *c, const sac_model_class *class, const char *path,
                             sac_source *source, sac_error *error)
{
    char name[sizeof *source->result.model];
    sac_model **model = &c->models[c->model_count];
    sac_status status = sac_checkpoint_load(class, c->device, path, model, error);
    if (status != SAC_OK)
        return status;
    if (class->attentions && !source->result.attentions) {
        source->result.layered = c->model_count;
        source->result.attentions = attentions;
    }
    c->model_count++;
    class->describe_short(*model, name, sizeof name);
    sac_source_add_model(source, name);
    return SAC_OK;
}

/* A comparison may have models of another class than `class`. */
static sac_status find_class(const sac_model_open_options *options, const char *path,
                             const sac_model_class **class, sac_error *error)
{
    sac_arrays *file = NULL;
    sac_status status = options->class_of ? sac_arrays_open(path, &file, error) : SAC_OK;
    if (status == SAC_OK && file)
        *class = options->class_of(file);
    sac_arrays_close(file);
    if (status == SAC_OK && !(*class)->read)
        status = sac_fail(error, SAC_E_ARGUMENT, path, "give weights of a model that translates",
                          "are of the %s", (*class)->name);
    return status;
}

static sac_status open_models(translations *c, const sac_model_class *class,
                              const sac_model_open_options *options, sac_source *source,
                              sac_error *error)
{
    if (options->weight_count < 1 || options->weight_count > SAC_SOURCE_MODELS)
        return sac_fail(error, SAC_E_ARGUMENT, "weights", NULL, "1 to %d files can be compared",
                        SAC_SOURCE_MODELS);
    sac_status status = SAC_OK;
    for (int i = 0; i < options->weight_count && status == SAC_OK; i++) {
        status = find_class(options, options->weights[i], &class, error);
        if (status == SAC_OK)
            status = open_model(c, class, options->weights[i], source, error);
    }
    return status;
}

static sac_status make_vocabulary(translations *c, sac_source *source, sac_error *error)
{
    sac_status status = sac_word_list_create(SAC_ENGLISH, &c->english, error);
    if (status == SAC_OK)
        status = sac_word_list_create(SAC_FRENCH, &c->french, error);
    if (status != SAC_OK)
        return status;
    c->vocabulary = malloc(c->french.count * sizeof *c->vocabulary);
    if (!c->vocabulary)
        return sac_no_memory(error, "translations");
    for (size_t i = 0; i < c->french.count; i++)
        c->vocabulary[i] = c->french.words[i];
    source->result.vocabulary = c->vocabulary;
    source->result.vocabulary_count = (int)c->french.count;
    return SAC_OK;
}

static sac_status open_all(translations *c, const sac_model_class *class,
                           const sac_model_open_options *options, sac_source *source,
                           sac_error *error)
{
    *source = (sac_source){.self = c,
                           .title = "translation",
                           .picture.scenes = true,
                           .result.encode = encode,
                           .result.generate = generate,
                           .result.token_allowed = token_allowed,
                           .result.candidates = find_candidates,
                           .result.sampling.count = SAC_TRANSLATION_WORDS,
                           .picture.turn = turn,
                           .result.read = read_text,
                           .destroy = destroy};
    sac_status status = make_vocabulary(c, source, error);
    if (status == SAC_OK)
        status = turn(source, options->picture > 0 ? options->picture : 0, error);
    if (status == SAC_OK && options->text)
        status = read_text(source, options->text, error);
    if (status == SAC_OK)
        status = sac_device_open(options->device, &c->device, error);
    if (status == SAC_OK)
        status = open_models(c, class, options, source, error);
    if (status == SAC_OK)
        sac_device_short_name(sac_device_get_info(c->device), source->origin.device,
                              sizeof source->origin.device);
    return status;
}

sac_status sac_translation_open(const sac_model_class *class, const sac_model_open_options *options,
                                sac_source *source, sac_error *error)
{
    *source = (sac_source){0};
    if (options->picture_count > 0)
        return sac_fail(error, SAC_E_ARGUMENT, options->weights[0],
                        "ask it with `saccade translate`", "is a translator: it reads sentences");
    translations *c = calloc(1, sizeof *c);
    if (!c)
        return sac_no_memory(error, "translations");
    c->scene = options->scene;
    sac_status status = open_all(c, class, options, source, error);
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
