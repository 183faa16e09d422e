/* Translators and a sentence as a source that generates translations. */

#include "translation/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "grammar/sentence.h"
#include "grammar/words.h"
#include "models/checkpoint.h"
#include "models/token_run.h"
#include "saccade_arrays.h"
#include "sources/origin.h"
#include "sources/translate.h"
#include "translation/translation.h"

typedef struct translations {
    sac_device *device;
    sac_translating words;   /* without pairs */
    const char **vocabulary; /* of the target */
    const char **source_words;
    sac_model *models[SAC_SOURCE_MODELS];
    int model_count;
    uint64_t scene; /* the number in the test stream of the second sentence to turn to */
    int sentence[SAC_TRANSLATION_SOURCE], count; /* words of it */
    char *
        typed; /* the same in a person's own letters, which the model may not know; NULL: in its own */
} translations;

/* ---------------------------------------------------------------- generation */

static sac_status encode(sac_source *source, int model, sac_error *error)
{
    const translations *c = source->self;
    return sac_translation_read(c->models[model], c->sentence, c->count, error);
}

static void label_as_typed(const char *typed, sac_result *result)
{
    size_t size;
    for (int i = 0; i < result->grid_w && (typed = sac_sentence_tokens_next(typed, &size)); i++) {
        char word[SAC_MAX_TOKEN_TEXT + 4];
        snprintf(word, sizeof word, "%.*s", (int)size, typed);
        word[sac_utf8_valid_size(word, strlen(word))] = '\0'; /* the last letter may be cut */
        sac_utf8_copy(result->positions[i], SAC_MAX_TOKEN_TEXT, word);
        typed += size;
    }
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *result,
                           sac_error *error)
{
    const translations *c = self;
    sac_model *model = c->models[request->model];
    if (!request->sampling) {
        sac_status status = sac_translation_generate(model, request, result, error);
        if (status == SAC_OK && c->typed)
            label_as_typed(c->typed, result);
        return status;
    }
    return sac_model_generate_tokens(model, model->class->attentions, request->sampling,
                                     &result->generation, error);
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
    const translations *c = self;
    return word >= (c->words.languages ? (int)SAC_PAIR_MARKS : (int)SAC_TOKENS_SPECIAL);
}

/* ---------------------------------------------------------------- sentences */

static void make_numbered_sentence(const translations *c, int number, sac_sentence_pair *pair)
{
    if (number == 0)
        sac_sentence_make_for_figure(pair);
    else
        sac_sentence_make(SAC_TEXT_TEST, c->scene + (uint64_t)number - 1, pair);
}

/* The text of sentence `number`: of a person's own languages one of those that the model keeps. */
static const char *numbered_sentence_text(const translations *c, int number, char *text,
                                          size_t size)
{
    sac_sentence_pair pair;
    const sac_language_pair *own = c->words.languages;
    if (own)
        return own->examples[number % own->example_count][SAC_SOURCE_SIDE];
    make_numbered_sentence(c, number, &pair);
    return sac_sentence_join(pair.source, pair.source_count, text, size);
}

/* The truth of the sentence that is open, where it is one of those that were turned to so far. */
static bool set_alignment_truth(const translations *c, sac_source *source)
{
    sac_sentence_pair pair;
    char text[sizeof source->result.text];
    for (int i = 0; !c->words.languages && i < source->picture.count; i++) {
        make_numbered_sentence(c, i, &pair);
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
static sac_status copy_first_sentence(translations *c, const sac_source_text *read,
                                      sac_error *error)
{
    int count = read->ends[0];
    if (count > SAC_TRANSLATION_SOURCE)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "give 1 to 40 words", "has %d words",
                        count);
    c->count = count;
    memcpy(c->sentence, read->words, (size_t)count * sizeof *c->sentence);
    return SAC_OK;
}

static sac_status read_text(sac_source *source, const char *text, sac_error *error)
{
    translations *c = source->self;
    sac_source_text read = {0};
    const sac_language_pair *own = c->words.languages;
    sac_status status = own ? sac_language_pair_read(own, text, &read, error)
                            : sac_source_text_read(&c->words.english, text, &read, error);
    if (status == SAC_OK)
        status = copy_first_sentence(c, &read, error);
    if (status == SAC_OK) {
        /* As it was typed, or words of the vocabulary, joined by blanks. */
        size_t size = sizeof source->result.text;
        size_t used = 0;
        free(c->typed);
        c->typed = read.typed;
        read.typed = NULL;
        snprintf(source->result.text, size, "%s", read.own ? read.own[0] : "");
        for (int i = 0; !read.own && i < c->count && used < size; i++)
            used +=
                (size_t)snprintf(source->result.text + used, size - used, "%s%s", i ? " " : "",
                                 sac_translating_word(&c->words, SAC_SOURCE_SIDE, c->sentence[i]));
        source->result.has_truth = set_alignment_truth(c, source);
        sac_source_clear_note(source);
        if (read.sentences > 1)
            sac_source_add_note(source, SAC_NOTE_SHOWN,
                                N_("only the first sentence is translated"));
        if (read.unknown[0])
            sac_source_add_note(source, SAC_NOTE_SHOWN,
                                "the model does not know, and reads as <unknown>: %s",
                                read.unknown);
    }
    sac_source_text_free(&read);
    return status;
}

static sac_status turn(sac_source *source, int number, sac_error *error)
{
    char text[sizeof source->result.text];
    int pictures = source->picture.count;
    if (source->picture.count <= number)
        source->picture.count = number + 1;
    sac_status status =
        read_text(source, numbered_sentence_text(source->self, number, text, sizeof text), error);
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
    sac_translating_close(&c->words);
    free(c->vocabulary);
    free(c->source_words);
    free(c->typed);
    free(c);
}

/* True where both have the same words, or are the grammar's. */
static bool are_same(const sac_language_pair *a, const sac_language_pair *b)
{
    for (int side = 0; a && b && side < SAC_SIDES; side++) {
        if (a->words[side].count != b->words[side].count)
            return false;
        for (int i = 0; i < a->words[side].count; i++)
            if (strcmp(a->words[side].texts[i], b->words[side].texts[i]) != 0)
                return false;
    }
    return !a == !b;
}

static sac_status open_model(translations *c, const sac_model_class *class, const char *path,
                             sac_source *source, sac_error *error)
{
    char name[sizeof *source->result.model];
    sac_model **model = &c->models[c->model_count];
    sac_status status = sac_checkpoint_load(class, c->device, path, model, error);
    if (status == SAC_OK && !are_same(sac_translation_languages(*model), c->words.languages)) {
        sac_model_destroy(*model);
        *model = NULL;
        status = sac_fail(error, SAC_E_ARGUMENT, path, "give models of the same sentence pairs",
                          "has other words than the model before it");
    }
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

/* A saved picture names weights of a person's own; those that come along need no name. */
static sac_status record_file_origin(const char *path, sac_source *source, sac_error *error)
{
    char *absolute = realpath(path, NULL);
    snprintf(source->origin.file, sizeof source->origin.file, "%s", absolute ? absolute : path);
    free(absolute);
    return sac_origin_hash(path, source->origin.hash, error);
}

/* The words of both languages, by the first file. */
static sac_status make_vocabulary(translations *c, const sac_model_open_options *options,
                                  sac_source *source, sac_error *error)
{
    sac_language_pair *own = NULL;
    sac_status status = options->weight_count > 0
                            ? sac_language_pair_of_file(options->weights[0], &own, error)
                            : SAC_OK;
    if (status == SAC_OK)
        status = sac_translating_open(&c->words, own, error);
    sac_language_pair_release(own);
    if (status != SAC_OK)
        return status;
    const int count = sac_translation_word_count(own, SAC_TARGET_SIDE);
    const int words = sac_translation_word_count(own, SAC_SOURCE_SIDE);
    const int first = own ? (int)SAC_PAIR_MARKS : (int)SAC_TOKENS_SPECIAL;
    c->vocabulary = malloc((size_t)(count + 1) * sizeof *c->vocabulary);
    c->source_words = malloc((size_t)(words + 1) * sizeof *c->source_words);
    if (!c->vocabulary || !c->source_words || count == 0)
        return sac_no_memory(error, "translations");
    for (int i = 0; i < count; i++)
        c->vocabulary[i] = sac_translating_word(&c->words, SAC_TARGET_SIDE, i);
    for (int i = first; i < words; i++)
        c->source_words[i - first] = sac_translating_word(&c->words, SAC_SOURCE_SIDE, i);
    source->result.vocabulary = c->vocabulary;
    source->result.vocabulary_count = count;
    source->result.source_words = c->source_words;
    source->result.source_word_count = words > first ? words - first : 0;
    for (int side = 0; own && side < SAC_SIDES; side++)
        snprintf(source->result.languages[side], sizeof *source->result.languages, "%s",
                 sac_language_pair_name(own, side));
    if (own)
        status = record_file_origin(options->weights[0], source, error);
    if (own)
        snprintf(source->title, sizeof source->title, "%s to %s", source->result.languages[0],
                 source->result.languages[1]);
    return status;
}

static sac_status open_all(translations *c, const sac_model_class *class,
                           const sac_model_open_options *options, sac_source *source,
                           sac_error *error)
{
    *source = (sac_source){.self = c,
                           .title = "translation",
                           .picture.scenes = true,
                           .result.encode = encode,
                           .result.normalizes = true,
                           .result.generate = generate,
                           .result.token_allowed = token_allowed,
                           .result.candidates = find_candidates,
                           .result.sampling.count = SAC_TRANSLATION_WORDS,
                           .picture.turn = turn,
                           .result.read = read_text,
                           .destroy = destroy};
    sac_status status = make_vocabulary(c, options, source, error);
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
