/* A model that spells a sound: each cell of a sound has a letter or none (CTC, Graves et al. 2006). The most probable
 * one of each cell makes the text: the same letter side by side is one, no letter is left out, and a word is what stands
 * between two of the token that parts words, or of a model with a tokenizer, whose letters are pieces of words, what begins
 * with a mark. Where a word's letters lie is the piece of sound that it came from; its map
 * is where the cells of its letters look in the encoder. */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "sounds/sound.h"
#include "tokenizers/text/unicode.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- letters */

/* Files before tokenizer_config.json give no settings; the class's own apply where there are none. */
static cJSON *read_settings(const captioner *c, sac_status *status, sac_error *error)
{
    char path[1100];
    cJSON *settings = NULL;
    snprintf(path, sizeof path, "%s/tokenizer_config.json", c->model->folder);
    if (*status == SAC_OK && sac_is_regular(path))
        *status = sac_json_load_config(path, &settings, error);
    return settings;
}

/* The tokens of the folder, and which of them parts words. */
sac_status sac_captioner_read_letters(captioner *c, sac_error *error)
{
    static const char *const classes[] = {"Wav2Vec2CTCTokenizer", "Wav2Vec2Tokenizer"};
    const sac_pretrained_model *d = c->decoder;
    c->spelling.between = -1;
    if (d->tokenizer)
        return sac_token_texts_make(d->tokenizer, (int)d->vocabulary, &c->words, error);
    sac_status status =
        sac_token_texts_read_letters(c->model->folder, (int)d->vocabulary, &c->words, error);
    cJSON *settings = read_settings(c, &status, error);
    const cJSON *between = cJSON_GetObjectItemCaseSensitive(settings, "word_delimiter_token");
    const char *class =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, "tokenizer_class"));
    const char *mark = cJSON_IsString(between) ? between->valuestring : "|";
    if (status == SAC_OK && class && strcmp(class, classes[0]) != 0 &&
        strcmp(class, classes[1]) != 0)
        status =
            sac_fail(error, SAC_E_FORMAT, c->model->folder, "take a model whose tokens are letters",
                     "its tokens are those of a %.60s, which are not read here", class);
    for (int i = 0; i < c->words.count && status == SAC_OK; i++)
        if (strcmp(c->words.text[i], mark) == 0)
            c->spelling.between = i;
    c->spelling.lowers = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(settings, "do_lower_case"));
    cJSON_Delete(settings);
    return status;
}

/* ---------------------------------------------------------------- the sound */

void sac_captioner_forget_sound(captioner *c)
{
    if (c->spelling.now != c->spelling.whole)
        sac_inference_free(c->spelling.now);
    sac_inference_free(c->spelling.whole);
    c->spelling.now = c->spelling.whole = NULL;
}

/* Takes it; its heads are scaled already. */
sac_status sac_captioner_keep_sound(captioner *c, sac_inference *whole, sac_error *error)
{
    sac_captioner_forget(c);
    sac_captioner_forget_sound(c);
    c->prefix = 0;
    c->grid_w = whole->grid_w;
    c->grid_h = whole->grid_h;
    sac_status status = sac_entered_keep(whole, 1, 0, &c->entered, error);
    if (status != SAC_OK)
        return status;
    c->seen = whole->count;
    c->spelling.now = c->spelling.whole = whole;
    return SAC_OK;
}

static bool hides_same(const sac_inference *p, const uint8_t *hidden)
{
    return p->hidden && hidden ? memcmp(p->hidden, hidden, p->count) == 0 : p->hidden == hidden;
}

/* Brings c->spelling.now to the request's temperature and hidden cells. */
static sac_status encode_as_asked(captioner *c, const sac_result_request *r, sac_error *error)
{
    sac_inference *whole = c->spelling.whole, *other = NULL;
    const float temperature = r->temperature == 1 ? 0 : r->temperature;
    const uint8_t *hidden = r->hidden && memchr(r->hidden, 1, whole->count) ? r->hidden : NULL;
    if (c->spelling.now->temperature == temperature && hides_same(c->spelling.now, hidden))
        return SAC_OK;
    sac_status status = SAC_OK;
    if (temperature == 0 && !hidden)
        other = whole;
    else
        status = sac_inference_reencode_sound(whole, temperature, hidden, &other, error);
    if (status != SAC_OK)
        return status;
    if (c->spelling.now != whole)
        sac_inference_free(c->spelling.now);
    c->spelling.now = other;
    return SAC_OK;
}

/* ---------------------------------------------------------------- the text */

/* A run of cells with one token. */
typedef struct letter {
    int token, begin, end; /* cells [begin,end) */
    float probability;     /* the highest of them */
} letter;

/* Letters of a word: [first,end) of all. */
typedef struct spelled_word {
    int first, end;
} spelled_word;

typedef struct spelled_text {
    letter *letter; /* [count] with those that part words; owned */
    int count;
    spelled_word *word; /* [words], owned */
    int words;
} spelled_text;

static void free_text(spelled_text *t)
{
    free(t->letter);
    free(t->word);
}

sac_status sac_captioner_spelling_logits(captioner *c, float *logits, sac_error *error)
{
    sac_pretrained_model *d = c->decoder;
    const sac_inference *p = c->spelling.now;
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0};
    sac_device_lock(d->device);
    sac_arena_shape(&arena, &d->pass, &x, p->count, d->width);
    sac_arena_shape(&arena, &d->pass, &y, p->count, d->vocabulary);
    sac_pass_write(&d->pass, x, p->left);
    sac_linear_forward(&d->pass, y, x, d->head, d->text_decoder.bias);
    sac_pass_read(&d->pass, y, logits);
    return sac_model_end_pass(d, &arena, error);
}

/* The most probable token of each cell; runs of one become one, and those of no letter none. */
static sac_status read_letters(captioner *c, spelled_text *text, sac_error *error)
{
    const int V = (int)c->decoder->vocabulary, T = (int)c->spelling.now->count;
    float *logits = malloc((size_t)T * (size_t)V * sizeof *logits);
    text->letter = malloc((size_t)T * sizeof *text->letter);
    sac_status status = logits && text->letter ? sac_captioner_spelling_logits(c, logits, error)
                                               : sac_no_memory(error, c->decoder->name);
    int before = -1;
    for (int t = 0; t < T && status == SAC_OK; t++) {
        const float *row = logits + (size_t)t * (size_t)V;
        int best = 0;
        for (int i = 1; i < V; i++)
            best = row[i] > row[best] ? i : best;
        const float probability = sac_logits_probability(row, (size_t)V, best);
        letter *last = text->count ? &text->letter[text->count - 1] : NULL;
        if (c->spelling.now->hidden && c->spelling.now->hidden[t] && c->model->conformer)
            best = c->decoder->text_decoder.nothing; /* as of padding */
        if (best == before && last && best != c->decoder->text_decoder.nothing) {
            last->end = t + 1;
            last->probability = fmaxf(last->probability, probability);
        } else if (best != c->decoder->text_decoder.nothing)
            text->letter[text->count++] = (letter){best, t, t + 1, probability};
        before = best;
    }
    free(logits);
    return status;
}

/* Whether a letter begins a word, where the one before is no gap. */
static bool begins_word(const captioner *c, int token, int before)
{
    static const char mark[] = "▁";
    const char *one = c->decoder->tokenizer ? sac_tokenizer_token(c->decoder->tokenizer, token)
                                            : c->words.text[token];
    const char *last = c->decoder->tokenizer ? sac_tokenizer_token(c->decoder->tokenizer, before)
                                             : c->words.text[before];
    if (!one || !last)
        return false;
    return strncmp(one, mark, strlen(mark)) == 0 || !sac_script_needs_blank(last, one);
}

/* A word ends where words are parted, and before a letter of a script that sets none apart. */
static sac_status find_words(const captioner *c, spelled_text *text, sac_error *error)
{
    text->word = malloc(((size_t)text->count + 1) * sizeof *text->word);
    if (!text->word)
        return sac_no_memory(error, c->decoder->name);
    bool is_inside = false;
    for (int i = 0; i < text->count; i++) {
        const int token = text->letter[i].token;
        const bool parts = token == c->spelling.between;
        if (!parts && (!is_inside || begins_word(c, token, text->letter[i - 1].token)))
            text->word[text->words++] = (spelled_word){i, i};
        is_inside = !parts;
        if (is_inside)
            text->word[text->words - 1].end = i + 1;
    }
    return SAC_OK;
}

/* Letters [first,end) as they are written; returns how many bytes those are. */
static size_t write_letters(const captioner *c, const spelled_text *text, int first, int end,
                            char *to)
{
    size_t used = 0;
    for (int i = first; i < end; i++) {
        const char *one = c->words.text[text->letter[i].token];
        const size_t size = strlen(one);
        if (text->letter[i].token == c->spelling.between)
            to[used++] = ' ';
        else if (c->spelling.lowers)
            used += sac_unicode_lower(one, size, to + used);
        else {
            memcpy(to + used, one, size);
            used += size;
        }
    }
    return used;
}

/* A word at the end of a piece may be cut there: it is left to the next piece, which begins in the middle of the pause before
 * it. */
static void end_piece(captioner *c, spelled_text *text, sac_result *result)
{
    const float second = (float)c->model->audio.cell / SAC_MEL_RATE;
    const size_t at = c->pieces.at;
    size_t cells = (size_t)c->grid_w;
    if (at + cells < c->pieces.frames && text->words > 1) {
        const spelled_word *last = &text->word[--text->words];
        cells =
            (size_t)(text->letter[last[-1].end - 1].end + text->letter[last->first].begin + 1) / 2;
    }
    c->pieces.next = at + cells;
    result->from = (float)at * second;
    result->until = (float)(at + cells) * second;
}

/* The text of the words, and where each of them ends in it; NULL: no memory. */
static char *write_words(const captioner *c, const spelled_text *text, size_t *ends)
{
    size_t used = 0;
    char *line = malloc((size_t)text->count * 2 * SAC_MAX_TOKEN_TEXT + 1);
    for (int w = 0; w < text->words && line; w++) {
        const spelled_word *word = &text->word[w];
        used +=
            write_letters(c, text, w ? text->word[w - 1].end : word->first, word->end, line + used);
        ends[w] = used;
    }
    if (line)
        line[used] = '\0';
    return line;
}

/* The same by the tokenizer. */
static char *decode_words(const captioner *c, const spelled_text *text, size_t *ends)
{
    const int first = text->words ? text->word[0].first : 0,
              count = text->words ? text->word[text->words - 1].end - first : 0;
    int *ids = calloc((size_t)count + 1, sizeof *ids);
    size_t *each = calloc((size_t)count + 1, sizeof *each);
    char *line = NULL;
    for (int i = 0; ids && i < count; i++)
        ids[i] = text->letter[first + i].token;
    if (ids && each)
        line = sac_tokenizer_decode_with_ends(c->decoder->tokenizer, ids, (size_t)count, each);
    for (int w = 0; w < text->words && line; w++)
        ends[w] = each[text->word[w].end - first - 1];
    free(ids);
    free(each);
    return line;
}

/* The words become outputs, with their letters' cells as times. The text begins and ends with a word. */
static sac_status fill_outputs(const captioner *c, const spelled_text *text, sac_result *result,
                               sac_error *error)
{
    const float second = (float)c->model->audio.cell / SAC_MEL_RATE;
    const bool keeps[SAC_MAX_TOKENS] = {false};
    size_t ends[SAC_MAX_TOKENS];
    char *line = c->decoder->tokenizer ? decode_words(c, text, ends) : write_words(c, text, ends);
    if (!line)
        return sac_no_memory(error, c->decoder->name);
    for (int w = 0; w < text->words; w++) {
        const spelled_word *word = &text->word[w];
        const letter *first = &text->letter[word->first], *last = &text->letter[word->end - 1];
        float probability = 1;
        for (const letter *l = first; l <= last; l++)
            probability *= l->probability;
        result->outputs[w] =
            (sac_result_output){.word = -1,
                                .probability = probability,
                                .gate = 1,
                                .is_timed = true,
                                .begin = result->from + (float)first->begin * second,
                                .end = result->from + (float)last->end * second,
                                .alternative = {-1, -1, -1, -1}};
    }
    result->count = text->words;
    if (sac_result_take_line(result, line, ends, keeps))
        return SAC_OK;
    free(line);
    return sac_no_memory(error, c->decoder->name);
}

/* ---------------------------------------------------------------- maps */

/* Of each word the mean of where the cells of its letters look: in a layer and a head, or in all, or carried on through all
 * layers. */
static sac_status find_maps(const captioner *c, const sac_result_request *r,
                            const spelled_text *text, float *maps, sac_error *error)
{
    const sac_inference *p = c->spelling.now;
    const size_t words = (size_t)text->words, T = p->count;
    const int layers = p->model->layers, from = r->layer ? r->layer - 1 : 0,
              to = r->layer ? r->layer : layers;
    float *rows = calloc(words * T + 1, sizeof *rows);
    if (!rows)
        return sac_no_memory(error, c->decoder->name);
    for (size_t w = 0; w < words; w++) {
        int cells = 0;
        for (int i = text->word[w].first; i < text->word[w].end; i++)
            cells += text->letter[i].end - text->letter[i].begin;
        for (int i = text->word[w].first; i < text->word[w].end; i++)
            for (int t = text->letter[i].begin; t < text->letter[i].end; t++)
                rows[w * T + (size_t)t] = 1 / (float)cells;
    }
    sac_status status = SAC_OK;
    if (r->attribution == SAC_ATTRIBUTION_ENCODER) {
        status = sac_inference_rollout(p, words, rows, error);
        memcpy(maps, rows, words * T * sizeof *maps);
    }
    for (int i = from; i < to && r->attribution == SAC_ATTRIBUTION_RAW && status == SAC_OK; i++)
        status = sac_inference_carry_rows(p, i, r->head, words, rows, 1 / (float)(to - from), maps,
                                          error);
    free(rows);
    return status;
}

/* ---------------------------------------------------------------- all of it */

static sac_status check_spelling(const captioner *c, const sac_result_request *r, sac_error *error)
{
    if (r->beam > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "beam", "leave it out",
                        "%.60s searches for no sentence: each time has a letter of its own",
                        c->model->name);
    if (r->prefix_count)
        return sac_fail(error, SAC_E_ARGUMENT, "prefix", "leave it out",
                        "%.60s does not go on with words that are given", c->model->name);
    return SAC_OK;
}

sac_status sac_captioner_spell(captioner *c, const sac_result_request *r, sac_result *result,
                               sac_error *error)
{
    const double begin = sac_now();
    spelled_text text = {0};
    sac_status status = check_spelling(c, r, error);
    if (status == SAC_OK)
        status = encode_as_asked(c, r, error);
    if (status == SAC_OK)
        status = read_letters(c, &text, error);
    if (status == SAC_OK)
        status = find_words(c, &text, error);
    *result = (sac_result){.grid_w = c->grid_w,
                           .grid_h = c->grid_h,
                           .finished = true,
                           .attribution = r->attribution,
                           .seconds = sac_captioner_seconds(c),
                           .until = sac_captioner_seconds(c)};
    if (status == SAC_OK && text.words > SAC_MAX_TOKENS) {
        text.words = SAC_MAX_TOKENS;
        result->finished = false;
        snprintf(result->note, sizeof result->note, "cut at %d words", SAC_MAX_TOKENS);
    }
    if (status == SAC_OK && c->pieces.numbers)
        end_piece(c, &text, result);
    if (status == SAC_OK)
        status = fill_outputs(c, &text, result, error);
    if (status == SAC_OK &&
        !(result->weights = calloc((size_t)text.words * c->seen + 1, sizeof *result->weights)))
        status = sac_no_memory(error, c->decoder->name);
    if (status == SAC_OK)
        status = find_maps(c, r, &text, result->weights, error);
    free_text(&text);
    if (status != SAC_OK) {
        sac_result_free(result);
        return status;
    }
    sac_result_measure(result);
    result->milliseconds = 1e3 * (sac_now() - begin);
    return SAC_OK;
}
