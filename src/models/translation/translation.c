/* Text that a person types, cut into sentences and words of the vocabulary; and what is translated of it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/suggestion.h"
#include "base/text/utf8.h"
#include "grammar/sentence.h"
#include "grammar/words.h"
#include "translation/translation.h"

/* ---------------------------------------------------------------- sentences */

enum { WORD = 64, NEAREST = 3 };

/* A text on its way through the words. */
typedef struct reader {
    const sac_word_list *list;
    sac_source_text *read;
    char word[WORD]; /* that is being read, in small letters */
    size_t length;
    sac_error *error;
} reader;

/* ---------------------------------------------------------------- words */

/* "did you mean king, thing or kind?": up to NEAREST of the list, the nearest first. */
static void suggest(const sac_word_list *list, const char *word, char *remedy, size_t size)
{
    const char *found[NEAREST];
    int count = 0;
    for (; count < NEAREST; count++) {
        sac_suggestion suggestion = {.word = word};
        for (size_t i = SAC_TOKENS_SPECIAL; i < list->count; i++) {
            bool taken = !isalnum((unsigned char)list->words[i][0]);
            for (int k = 0; k < count; k++)
                taken = taken || found[k] == list->words[i];
            if (!taken)
                sac_suggestion_try(&suggestion, list->words[i]);
        }
        found[count] = sac_suggestion_get(&suggestion);
        if (!found[count])
            break;
    }
    size_t used = (size_t)snprintf(remedy, size, count ? "did you mean" : "see --list-words");
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(remedy + used, size - used, "%s %s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ","
                                                 : " or",
                                 found[i]);
    if (count && used < size)
        snprintf(remedy + used, size - used, "?");
}

static sac_status append(reader *r, int number)
{
    sac_source_text *t = r->read;
    int *words = realloc(t->words, ((size_t)t->count + 1) * sizeof *words);
    if (!words)
        return sac_no_memory(r->error, "sentence");
    t->words = words;
    words[t->count++] = number;
    return SAC_OK;
}

static sac_status end_word(reader *r)
{
    char plain[WORD], remedy[160];
    if (!r->length)
        return SAC_OK;
    r->word[r->length] = '\0';
    r->length = 0;
    int number = sac_word_list_find(r->list, r->word);
    sac_accents_off(r->word, plain, sizeof plain);
    if (number < 0)
        number = sac_word_list_find(r->list, plain);
    if (number >= 0)
        return append(r, number);
    suggest(r->list, plain, remedy, sizeof remedy);
    return sac_fail(r->error, SAC_E_ARGUMENT, r->word, remedy,
                    "is no word that the translator knows");
}

/* A sentence needs a word before its full stop. */
static sac_status end_sentence(reader *r, bool stop)
{
    sac_source_text *t = r->read;
    int begun = t->sentences ? t->ends[t->sentences - 1] : 0;
    if (t->count == begun)
        return SAC_OK;
    sac_status status = stop ? append(r, sac_word_list_find(r->list, ".")) : SAC_OK;
    if (status != SAC_OK)
        return status;
    int *ends = realloc(t->ends, ((size_t)t->sentences + 1) * sizeof *ends);
    if (!ends)
        return sac_no_memory(r->error, "sentence");
    t->ends = ends;
    ends[t->sentences++] = t->count;
    return SAC_OK;
}

/* Takes one character, of `*used` bytes. */
static sac_status read_character(reader *r, const char *at, int *used)
{
    unsigned code = sac_latin_letter(at);
    unsigned char c = (unsigned char)*at;
    *used = code ? 2 : 1;
    bool ends = c == '.' || c == '!' || c == '?';
    bool belongs = code || isalnum(c) || (c == '\'' && r->length);
    if (belongs && r->length + 2 < WORD) {
        if (code)
            r->word[r->length++] = (char)0xc3;
        r->word[r->length++] = code ? (char)(0x80 | (code & 0x3f)) : (char)tolower(c);
    }
    if (belongs)
        return SAC_OK;
    sac_status status = end_word(r);
    return status == SAC_OK && ends ? end_sentence(r, true) : status;
}

sac_status sac_source_text_read(const sac_word_list *words, const char *text, sac_source_text *read,
                                sac_error *error)
{
    reader r = {.list = words, .read = read, .error = error};
    sac_status status = SAC_OK;
    *read = (sac_source_text){0};
    for (int used; status == SAC_OK && *text; text += used)
        status = read_character(&r, text, &used);
    if (status == SAC_OK)
        status = end_word(&r);
    if (status == SAC_OK)
        status = end_sentence(&r, false);
    if (status == SAC_OK && !read->count)
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give an English one, between quotes",
                          "has no words");
    if (status != SAC_OK)
        sac_source_text_free(read);
    return status;
}

/* ---------------------------------------------------------------- in a person's own languages */

/* Bytes of the first sentence of a text: up to behind its mark and what closes with it, where a blank follows or
 * a letter of a script without blanks; or up to the end of the line. */
static size_t sentence_size(const char *text)
{
    bool ended = false;
    const char *at = text;
    for (const char *next = text; *at && *at != '\n'; at = next) {
        uint32_t code = sac_utf8_next(&next);
        size_t size = (size_t)(next - at);
        bool is_mark = sac_token_is_mark(at, size);
        if (ended && (code == ' ' || code == '\t' || (code > 0x2e7f && !is_mark)))
            break;
        ended = sac_token_ends_sentence(at, size) || (ended && is_mark);
    }
    return (size_t)(at - text);
}

/* Adds a sentence, which it takes over, and its `count` words. False: no memory. */
static bool add_sentence(sac_source_text *read, char *sentence, const int *numbers, int count)
{
    int *words = realloc(read->words, (size_t)(read->count + count) * sizeof *words);
    read->words = words ? words : read->words;
    int *ends = realloc(read->ends, ((size_t)read->sentences + 1) * sizeof *ends);
    read->ends = ends ? ends : read->ends;
    char **own = realloc(read->own, ((size_t)read->sentences + 1) * sizeof *own);
    read->own = own ? own : read->own;
    if (!words || !ends || !own)
        return false;
    memcpy(words + read->count, numbers, (size_t)count * sizeof *words);
    read->count += count;
    own[read->sentences] = sentence;
    ends[read->sentences++] = read->count;
    return true;
}

/* The words of a sentence in its own letters; a sentence without a mark at its end, which has fewer than `most`
 * words, gets the stop. */
static bool make_typed_sentence(const sac_language_pair *l, char *sentence, int most, char **typed)
{
    sac_sentence_tokens tokens;
    *typed = NULL;
    bool made = sac_sentence_tokens_cut(sentence, false, &tokens);
    bool ended = false; /* also in front of what closes */
    size_t size;
    for (const char *word = made ? tokens.text : ""; (word = sac_sentence_tokens_next(word, &size));
         word += size)
        ended = sac_token_ends_sentence(word, size) || (ended && sac_token_is_mark(word, size));
    bool stops = made && tokens.count && tokens.count < most && l->stop[0] && !ended;
    if (stops)
        strcat(sentence, l->stop);
    if (made && asprintf(typed, "%s%s%s", tokens.text, stops ? " " : "", stops ? l->stop : "") < 0)
        *typed = NULL;
    sac_sentence_tokens_free(&tokens);
    return *typed != NULL;
}

/* Takes one sentence of `size` bytes; one without a word is left out. */
static sac_status take_sentence(const sac_language_pair *l, const char *text, size_t size,
                                sac_source_text *read, sac_error *error)
{
    int numbers[SAC_TRANSLATION_SOURCE], most = SAC_TRANSLATION_SOURCE, count = -1;
    for (; size && strchr(" \t", *text); size--)
        text++;
    char *sentence = malloc(size + sizeof l->stop), *typed = NULL;
    if (sentence) {
        memcpy(sentence, text, size);
        sentence[size] = '\0';
        if (make_typed_sentence(l, sentence, most, &typed))
            count = sac_language_pair_number(l, sentence, numbers, most, read->unknown,
                                             sizeof read->unknown);
    }
    sac_status status = count < 0 ? sac_no_memory(error, "sentence") : SAC_OK;
    if (count > most)
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give 1 to 40 words", "has %d words",
                          count);
    bool is_first = !read->sentences;
    if (status == SAC_OK && count > 0 && !add_sentence(read, sentence, numbers, count))
        status = sac_no_memory(error, "sentence");
    bool taken = status == SAC_OK && count > 0;
    if (taken && is_first)
        read->typed = typed;
    else
        free(typed);
    if (!taken)
        free(sentence);
    return status;
}

sac_status sac_language_pair_read(const sac_language_pair *l, const char *text,
                                  sac_source_text *read, sac_error *error)
{
    sac_status status = SAC_OK;
    *read = (sac_source_text){0};
    while (*text && status == SAC_OK) {
        size_t size = sentence_size(text);
        status = take_sentence(l, text, size, read, error);
        text += size + (text[size] == '\n');
    }
    if (status == SAC_OK && !read->count)
        status =
            sac_fail(error, SAC_E_ARGUMENT, "sentence", "give one, between quotes", "has no words");
    if (status != SAC_OK)
        sac_source_text_free(read);
    return status;
}

void sac_source_text_free(sac_source_text *text)
{
    for (int i = 0; text->own && i < text->sentences; i++)
        free(text->own[i]);
    free(text->own);
    free(text->typed);
    free(text->words);
    free(text->ends);
    *text = (sac_source_text){0};
}

sac_status sac_translation_read(sac_model *model, const int *words, int count, sac_error *error)
{
    if (count < 1 || count > SAC_TRANSLATION_SOURCE)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "give 1 to 40 words", "has %d words",
                        count);
    return model->class->read(model, words, count, error);
}

sac_status sac_translation_attentions(sac_model *model, const sac_result *caption,
                                      sac_attentions *attentions, sac_error *error)
{
    int words[SAC_MAX_TOKENS];
    *attentions = (sac_attentions){0};
    if (!model->class->attentions)
        return sac_fail(error, SAC_E_ARGUMENT, "model", "give a transformer",
                        "the %s has no layers of heads", model->class->name);
    return model->class->attentions(model, words, sac_result_tokens(caption, words), attentions,
                                    error);
}

bool sac_translation_attends(const sac_model *model)
{
    return !model->class->decoder->start(model).is_blind;
}

/* The sentence as its language writes it. */
static bool set_sentence_line(const sac_language_pair *l, sac_result *caption)
{
    int words[SAC_MAX_TOKENS];
    size_t ends[SAC_MAX_TOKENS], size = 1;
    static const bool keeps[SAC_MAX_TOKENS];
    for (int i = 0; i < caption->count; i++) {
        words[i] = caption->outputs[i].word;
        size +=
            strlen(sac_language_pair_word(l, SAC_TARGET_SIDE, words[i])) + 4; /* a larger capital */
    }
    char *line = malloc(size);
    if (!line)
        return false;
    sac_language_pair_join_words(l, words, caption->count, line, size, ends);
    if (sac_result_take_line(caption, line, ends, keeps))
        return true;
    free(line);
    return false;
}

sac_status sac_translation_generate(sac_model *model, const sac_result_request *request,
                                    sac_result *caption, sac_error *error)
{
    const sac_language_pair *own = sac_translation_languages(model);
    sac_status status = sac_model_decode(model, request, caption, error);
    if (status == SAC_OK && own && caption->count && !set_sentence_line(own, caption)) {
        sac_result_free(caption);
        status = sac_no_memory(error, "translation");
    }
    if (status != SAC_OK)
        return status;
    if (!caption->finished)
        snprintf(caption->note, sizeof caption->note, "the translation is cut after %d words",
                 caption->count);
    else if (!own && caption->grid_w > SAC_SENTENCE_MOST)
        snprintf(caption->note, sizeof caption->note,
                 "the sentence is longer than any that the model was made for: %d words, not %d",
                 caption->grid_w, SAC_SENTENCE_MOST);
    return SAC_OK;
}
