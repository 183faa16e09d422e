/* Results: memory, outputs and their rows; of captions words, noun phrases, and measures of a word's map. */

#include "sources/result.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/utf8.h"
#include "sources/weights.h"
#include "sources/words/peak.h"

void sac_result_free(sac_result *result)
{
    if (!result)
        return;
    free(result->weights);
    free(result->positions);
    free(result->line);
    free(result->shares);
    free(result->before);
    free(result->gaze_heads);
    free(result->logits);
    if (result->attentions)
        sac_attentions_free(result->attentions);
    free(result->attentions);
    for (int i = 0; result->phrase_words && i < result->count; i++) {
        sac_labels_free(&result->phrase_words[i].labels);
        free(result->phrase_words[i].relevance);
    }
    free(result->phrase_words);
    sac_generation_free(&result->generation);
    *result = (sac_result){0};
}

#define AT(field) offsetof(sac_result_output, field)
const sac_output_figure sac_output_figures[SAC_OUTPUT_FIGURES] = {
    {"entropy", "entropy/bits", AT(entropy), .of_cells = true},
    {"gate", "gate", AT(gate), .of_cells = true},
    {"peak", "peak", AT(peak_x), .is_pair = true, .is_whole = true, .of_cells = true},
    {"centre", NULL, AT(centre_x), .is_pair = true, .of_cells = true},
    {"row_ends", NULL, AT(row_ends), .has = offsetof(sac_result, has_row_ends)},
    {"on_picture", NULL, AT(on_picture), .has = offsetof(sac_result, has_on_picture)},
};

bool sac_result_has_figure(const sac_result *result, const sac_output_figure *figure)
{
    const bool *has = (const bool *)((const char *)result + figure->has);
    return !(figure->of_cells && result->positions) && (!figure->has || *has);
}

void sac_result_figure(const sac_result *result, int index, const sac_output_figure *figure,
                       float values[2])
{
    const char *at = (const char *)&result->outputs[index] + figure->offset;
    for (int k = 0; k <= figure->is_pair; k++)
        values[k] = figure->is_whole ? (float)((const int *)at)[k] : ((const float *)at)[k];
}

int sac_result_count_above(const sac_result *result, float threshold)
{
    int count = 0;
    while (count < result->count && result->outputs[count].probability > threshold)
        count++;
    return count;
}

void sac_result_row(const sac_result *result, int index, int layer, int head, float *row)
{
    const size_t cells = (size_t)result->grid_w * (size_t)result->grid_h;
    if (!result->attentions) {
        memcpy(row, result->weights + (size_t)index * cells, cells * sizeof *row);
        return;
    }
    const sac_attention_kind *k = &result->attentions->kind[SAC_CROSS_ATTENTION];
    const size_t query = result->outputs[index].row;
    const size_t layers = layer < 0 ? k->layers : 1, heads = head < 0 ? k->heads : 1;
    const size_t first_layer = layer < 0 ? 0 : (size_t)layer,
                 first_head = head < 0 ? 0 : (size_t)head;
    memset(row, 0, cells * sizeof *row);
    for (size_t l = first_layer; l < first_layer + layers; l++)
        for (size_t h = first_head; h < first_head + heads; h++) {
            const float *map = k->weights + ((l * k->heads + h) * k->steps + query) * cells;
            for (size_t i = 0; i < cells; i++)
                row[i] += map[i] / (float)(layers * heads);
        }
}

static void find_centre(const float *map, int grid_w, int grid_h, sac_result_output *output)
{
    double sum = 0, x_sum = 0, y_sum = 0;
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++) {
            double weight = map[y * grid_w + x];
            sum += weight;
            x_sum += weight * (x + 0.5);
            y_sum += weight * (y + 0.5);
        }
    output->centre_x = (float)(sum > 0 ? x_sum / sum : grid_w / 2.0);
    output->centre_y = (float)(sum > 0 ? y_sum / sum : grid_h / 2.0);
}

void sac_result_measure(sac_result *result)
{
    const int w = result->grid_w, h = result->grid_h;
    const size_t cells = (size_t)w * (size_t)h;
    result->max_weight = 0;
    for (int i = 0; i < result->count; i++) {
        const float *map = result->weights + (size_t)i * cells;
        sac_result_output *output = &result->outputs[i];
        const int peak = cells ? sac_map_peak(map, w, h) : 0;
        output->entropy = sac_entropy(map, cells);
        output->peak_x = cells ? peak % w : 0;
        output->peak_y = cells ? peak / w : 0;
        find_centre(map, w, h, output);
        for (size_t k = 0; k < cells; k++)
            result->max_weight = fmaxf(result->max_weight, map[k]);
    }
}

int sac_result_narrowest(const sac_result *result)
{
    const sac_result_output *best = NULL;
    for (int i = 0; i < result->count; i++) {
        const sac_result_output *word = &result->outputs[i];
        if (word->describes &&
            (!best ||
             (word->unsure == best->unsure ? word->entropy < best->entropy : best->unsure)))
            best = word;
    }
    return best ? (int)(best - result->outputs) : -1;
}

void sac_result_finish_maps(sac_result *result, sac_attribution attribution)
{
    const size_t cells = (size_t)result->grid_w * (size_t)result->grid_h;
    for (int i = 0; i < result->count; i++) {
        float *map = result->weights + (size_t)i * cells;
        double sum = 0;
        for (size_t k = 0; k < cells; k++)
            sum += (double)map[k];
        for (size_t k = 0; k < cells && sum > 0; k++)
            map[k] = (float)((double)map[k] / sum);
    }
    result->attribution = attribution;
    sac_result_measure(result);
}

void sac_result_contrast(sac_result *result)
{
    const size_t cells = (size_t)result->grid_w * (size_t)result->grid_h;
    for (size_t k = 0; k < cells && result->count > 1; k++) {
        float mean = 0;
        for (int i = 0; i < result->count; i++)
            mean += result->weights[(size_t)i * cells + k] / (float)result->count;
        for (int i = 0; i < result->count; i++) {
            float *weight = &result->weights[(size_t)i * cells + k];
            *weight = fmaxf(*weight - mean, 0);
        }
    }
    sac_result_finish_maps(result, SAC_ATTRIBUTION_CONTRAST);
}

int sac_result_tokens(const sac_result *result, int *tokens)
{
    int count = 0;
    for (int i = 0, s = 0; i <= result->count; i++) {
        while (s < result->special_count && result->specials[s].before == i)
            tokens[count++] = result->specials[s++].token;
        if (i < result->count)
            tokens[count++] = result->outputs[i].word;
    }
    return count;
}

int sac_result_step(const sac_result *result, int index)
{
    int before = 0;
    while (before < result->special_count && result->specials[before].before <= index)
        before++;
    return index + before;
}

int sac_result_word_at(const sac_result *result, int step)
{
    for (int i = 0; i < result->count; i++)
        if (sac_result_step(result, i) == step)
            return i;
    return -1;
}

/* The words of regions by their new numbers. */
static void renumber(sac_regions *regions, const int *number)
{
    for (int i = 0; i < regions->count; i++) {
        sac_region *r = &regions->region[i];
        int *const words[] = {&r->first, &r->end, &r->label_first, &r->label_end};
        for (int k = 0; k < 4 && !r->asked; k++)
            *words[k] = *words[k] < 0 ? *words[k] : number[*words[k]];
    }
}

void sac_result_set_apart(sac_result *result, const bool *special)
{
    const size_t cells = (size_t)result->grid_w * (size_t)result->grid_h;
    int number[SAC_MAX_TOKENS + 1], left = 0;
    for (int i = 0; i < result->count; i++) {
        number[i] = left;
        if (special[i]) {
            result->specials[result->special_count++] =
                (sac_special_token){.before = left, .token = result->outputs[i].word};
            continue;
        }
        result->outputs[left] = result->outputs[i];
        if (cells)
            memmove(result->weights + (size_t)left * cells, result->weights + (size_t)i * cells,
                    cells * sizeof *result->weights);
        left++;
    }
    number[result->count] = left;
    renumber(&result->regions, number);
    result->count = left;
    result->max_weight = 0;
    for (size_t i = 0; i < (size_t)left * cells; i++)
        result->max_weight = fmaxf(result->max_weight, result->weights[i]);
}

bool sac_result_is_place(const sac_result *result, int index)
{
    return result->regions.form != SAC_REGIONS_NONE &&
           sac_region_is_region_token(result->outputs[index].text);
}

/* ---------------------------------------------------------------- words and their line */

const char *sac_result_share(const sac_result *result, int index)
{
    const sac_result_output *word = &result->outputs[index];
    return result->shares ? result->shares + word->share : word->text;
}

/* The last share before word `index` that is not empty; "": there is none. */
static const char *share_before(const sac_result *caption, int index)
{
    while (index > 0 && !*sac_result_share(caption, index - 1))
        index--;
    return index > 0 ? sac_result_share(caption, index - 1) : "";
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool sac_result_has_gaze_box(const sac_result *result, int index)
{
    const float *box = result->outputs[index].box;
    return result->gaze_heads && box[2] > box[0];
}

bool sac_result_joins(const sac_result *result, int index)
{
    const char *share = sac_result_share(result, index), *before = share_before(result, index);
    if (!result->line || !*before)
        return index > 0 && !*share;
    return !is_blank(*share) && !is_blank(before[strlen(before) - 1]);
}

bool sac_result_goes_on(const sac_result *result, int index)
{
    const char *share = sac_result_share(result, index), *before = share_before(result, index);
    unsigned char first = (unsigned char)*share,
                  last = *before ? (unsigned char)before[strlen(before) - 1] : 0;
    bool are_letters = (isalnum(first) || first >= 0x80) && (isalnum(last) || last >= 0x80);
    return result->line && sac_result_joins(result, index) &&
           (!first || (are_letters && sac_script_needs_blank(before, share)));
}

/* A share as a label: breaks of lines are seen, and blanks where there is nothing else. */
static void format_share_as_label(const char *share, char text[SAC_MAX_TOKEN_TEXT])
{
    const char *end = share + strlen(share), *at = share;
    size_t used = 0;
    text[0] = '\0';
    while (at < end && *at == ' ')
        at++;
    while (end > at && end[-1] == ' ')
        end--;
    if (at == end && *share)
        snprintf(text, SAC_MAX_TOKEN_TEXT, "␣");
    while (at < end) {
        char letter[5];
        uint32_t code = sac_utf8_next(&at);
        size_t size = sac_utf8_encode(code == '\n'   ? 0x23ce /* ⏎ */
                                      : code == '\r' ? 0x240d /* ␍ */
                                      : code == '\t' ? 0x21e5 /* ⇥ */
                                                     : code,
                                      letter);
        if (used + size >= SAC_MAX_TOKEN_TEXT)
            break;
        memcpy(text + used, letter, size);
        text[used += size] = '\0';
    }
}

bool sac_result_take_line(sac_result *result, char *line, const size_t *ends, const bool *keeps)
{
    size_t used = 0, begin = 0;
    char *shares = malloc(strlen(line) + (size_t)result->count + 1);
    if (!shares)
        return false;
    result->line = line;
    result->shares = shares;
    for (int i = 0; i < result->count; begin = ends[i++]) {
        const size_t size = ends[i] - begin;
        memcpy(shares + used, line + begin, size);
        shares[used + size] = '\0';
        result->outputs[i].share = used;
        if (size || !keeps[i])
            format_share_as_label(shares + used, result->outputs[i].text);
        used += size + 1;
    }
    return true;
}

bool sac_result_best_patch(const sac_result *result, int index, int *x, int *y)
{
    const int patches = result->grid_w * result->grid_h;
    const float *row = result->weights + (size_t)index * (size_t)patches;
    int best = 0;
    for (int i = 1; i < patches; i++)
        best = row[i] > row[best] ? i : best;
    *x = best % result->grid_w;
    *y = best / result->grid_w;
    return row[best] >= result->outputs[index].cosine;
}

bool sac_result_set_output_name(sac_result *result, int index, const char *name)
{
    sac_result_output *output = &result->outputs[index];
    if (index)
        output->share = output[-1].share + strlen(sac_result_share(result, index - 1)) + 1;
    char *shares = realloc(result->shares, output->share + strlen(name) + 1);
    if (!shares)
        return false;
    result->shares = shares;
    strcpy(shares + output->share, name);
    format_share_as_label(name, output->text);
    return true;
}

/* Of at most `size` bytes with their end. */
static void append(char *text, size_t size, size_t *used, const char *more)
{
    size_t length = strlen(more), room = size - *used - 1;
    length = length < room ? length : room;
    memcpy(text + *used, more, length);
    text[ *used += length] = '\0';
}

static char *join_words(const sac_result *caption, bool places, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < caption->count; i++) {
        const char *share = sac_result_share(caption, i), *before = share_before(caption, i);
        if (!places && sac_result_is_place(caption, i))
            continue;
        if (!caption->line && used && sac_script_needs_blank(before, share))
            append(text, size, &used, " ");
        append(text, size, &used, share);
    }
    return text;
}

char *sac_result_text(const sac_result *result, char *text, size_t size)
{
    return join_words(result, true, text, size);
}

static char *join_words_allocated(const sac_result *caption, bool places)
{
    size_t size = (caption->line ? strlen(caption->line) : 0) + SAC_TEXT_SIZE;
    char *text = malloc(size);
    return text ? join_words(caption, places, text, size) : NULL;
}

char *sac_result_make_line(const sac_result *result)
{
    return join_words_allocated(result, true);
}

char *sac_result_make_placeless_line(const sac_result *result)
{
    return join_words_allocated(result, false);
}

/* ---------------------------------------------------------------- boxes */

/* The share of cell `cell` of `cells` that lies between `low` and `high`, along one axis. */
static float overlap(float low, float high, int cell, int cells)
{
    float from = low * (float)cells - (float)cell, to = high * (float)cells - (float)cell;
    from = from > 0 ? from : 0;
    to = to < 1 ? to : 1;
    return to > from ? to - from : 0;
}

static float cell_cover(const sac_look *look, int grid_w, int grid_h, int x, int y)
{
    float most = 0;
    for (int i = 0; i < look->count; i++) {
        const float *box = look->box[i];
        most = fmaxf(most, overlap(box[0], box[2], x, grid_w) * overlap(box[1], box[3], y, grid_h));
    }
    return most;
}

void sac_look_cover(const sac_look *look, int grid_w, int grid_h, float *cover)
{
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++)
            cover[y * grid_w + x] = cell_cover(look, grid_w, grid_h, x, y);
}

bool sac_look_holds(const sac_look *look, double x, double y)
{
    for (int i = 0; i < look->count; i++) {
        const float *box = look->box[i];
        if (x >= (double)box[0] && x <= (double)box[2] && y >= (double)box[1] &&
            y <= (double)box[3])
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- what a word belongs to */

typedef enum word_kind { ARTICLE, SIZE, LINK, NAME } word_kind;

/* The words that are neither colour nor shape are few and known; all others name. */
static word_kind classify_word(const char *word)
{
    static const struct {
        const char *word;
        word_kind kind;
    } known[] = {{"a", ARTICLE},  {"an", ARTICLE}, {"the", ARTICLE}, {"small", SIZE},
                 {"large", SIZE}, {"and", LINK},   {"left", LINK},   {"right", LINK},
                 {"of", LINK},    {"to", LINK},    {"above", LINK},  {"below", LINK},
                 {"<end>", LINK}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].word, word) == 0)
            return known[i].kind;
    return NAME;
}

/* The state of a reader of a sentence: a noun phrase begins with an article, or with the first word
 * after a link that is none, and lasts until the next link or article. */
typedef struct phrases {
    int count; /* begun so far */
    bool inside;
} phrases;

/* The number of the phrase that the next word belongs to, from 0; −1: to none. */
static int next_phrase(phrases *p, word_kind kind)
{
    if (kind == LINK) {
        p->inside = false;
        return -1;
    }
    if (kind == ARTICLE || !p->inside)
        p->count++;
    p->inside = true;
    return p->count - 1;
}

/* The true sentence, cut into words. */
typedef struct true_words {
    int count;
    const char *word[SAC_TRUE_WORDS];
    char text[sizeof((sac_caption_truth *)NULL)->caption];
} true_words;

static int object_named_by_word(const sac_caption_truth *truth, int word)
{
    int named = word >= 0 && word < truth->words ? truth->object_of_word[word] : -1;
    return named < truth->objects ? named : -1;
}

/* The object of each phrase of the true sentence into object[SAC_MAX_TOKENS]; returns how many
 * phrases there are. */
static int list_phrase_objects(const sac_caption_truth *truth, const true_words *w, int *object)
{
    phrases p = {0};
    for (int i = 0; i < w->count; i++) {
        int before = p.count, phrase = next_phrase(&p, classify_word(w->word[i]));
        int named = object_named_by_word(truth, i);
        if (p.count > before)
            object[phrase] = -1;
        if (phrase >= 0 && named >= 0)
            object[phrase] = named;
    }
    return p.count;
}

/* ---------------------------------------------------------------- words in the place of words */

enum { PLACES = SAC_MAX_TOKENS + 1 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The true word in whose place each generated one stands into place[count], −1: in none's. Levenshtein
 * distance: cost[i][k] is that of the generated words from i on against the true ones from k on. */
static void align_to_true_words(const sac_result *caption, const true_words *w, int *place)
{
    uint16_t cost[PLACES][SAC_TRUE_WORDS + 1];
    int count = caption->count, i = 0, k = 0;
    for (i = count; i >= 0; i--)
        for (k = w->count; k >= 0; k--) {
            if (i == count || k == w->count) {
                cost[i][k] = (uint16_t)(count - i + w->count - k);
                continue;
            }
            bool other = strcmp(caption->outputs[i].text, w->word[k]) != 0;
            cost[i][k] = (uint16_t)least(cost[i + 1][k + 1] + other,
                                         1 + least(cost[i + 1][k], cost[i][k + 1]));
        }
    for (i = 0, k = 0; i < count;) { /* a colour too many is left out, and the noun exchanged */
        bool both = k < w->count;
        bool same = both && strcmp(caption->outputs[i].text, w->word[k]) == 0;
        if (!same && cost[i][k] == cost[i + 1][k] + 1)
            place[i++] = -1;
        else if (!same && both && cost[i][k] == cost[i][k + 1] + 1)
            k++;
        else
            place[i++] = k++;
    }
}

/* ---------------------------------------------------------------- judging */

sac_localization sac_look_localize(const sac_look *look, const float *heat, int grid_w, int grid_h,
                                   int peak)
{
    double all = 0, inside = 0, cells = 0, w = grid_w, h = grid_h;
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++) {
            float cover = cell_cover(look, grid_w, grid_h, x, y);
            all += heat[y * grid_w + x];
            inside += heat[y * grid_w + x] * cover;
            cells += cover;
        }
    int x = peak % grid_w, y = peak / grid_w;
    bool holds = sac_look_holds(look, (x + 0.5) / w, (y + 0.5) / h);
    return (sac_localization){.inside = all > 0 && holds,
                              .mass = all > 0 ? (float)(inside / all) : 0.0f,
                              .box_share = (float)(cells / (w * h))};
}

sac_localization sac_caption_localize(const sac_result *caption, int word, const sac_look *look)
{
    int w = caption->grid_w, h = caption->grid_h;
    const sac_result_output *chosen = &caption->outputs[word];
    return sac_look_localize(look, caption->weights + (size_t)word * (size_t)(w * h), w, h,
                             chosen->peak_y * w + chosen->peak_x);
}

const char *sac_result_word_of(const sac_result *result, int index, char *whole, size_t size)
{
    size_t used = 0;
    whole[0] = '\0';
    while (index > 0 && sac_result_goes_on(result, index))
        index--;
    do
        append(whole, size, &used, result->outputs[index].text);
    while (++index < result->count && sac_result_goes_on(result, index));
    return whole;
}

/* The object that has a word, −1: none. */
static int find_object_named(const sac_caption_truth *truth, const char *word)
{
    for (int i = 0; i < truth->objects; i++)
        for (int k = 0; k < 3; k++)
            if (word[0] && strcasecmp(truth->object[i].words[k], word) == 0)
                return i;
    return -1;
}

static void judge_by_names(const sac_result *caption, const sac_caption_truth *truth,
                           sac_caption_mark *marks)
{
    char word[SAC_MAX_TOKENS * sizeof caption->outputs->text];
    for (int i = 0; i < caption->count; i++) {
        int object = find_object_named(truth, sac_result_word_of(caption, i, word, sizeof word));
        marks[i] = (sac_caption_mark){.object = object, .right = true, .names = object >= 0};
        if (object >= 0)
            marks[i].localization = sac_caption_localize(caption, i, &truth->object[object].look);
    }
}

void sac_caption_judge(const sac_result *caption, const sac_caption_truth *truth,
                       sac_caption_mark *marks)
{
    true_words words;
    int object[SAC_MAX_TOKENS], place[SAC_MAX_TOKENS];
    if (truth->by_name) {
        judge_by_names(caption, truth, marks);
        return;
    }
    char *rest = NULL;
    words.count = 0;
    memcpy(words.text, truth->caption, sizeof words.text);
    words.text[sizeof words.text - 1] = '\0';
    for (char *t = strtok_r(words.text, " ", &rest); t && words.count < SAC_TRUE_WORDS;
         t = strtok_r(NULL, " ", &rest))
        words.word[words.count++] = t;
    align_to_true_words(caption, &words, place);
    int known = list_phrase_objects(truth, &words, object);
    phrases p = {0};
    for (int i = 0; i < caption->count; i++) {
        word_kind kind = classify_word(caption->outputs[i].text);
        int at = place[i], phrase = next_phrase(&p, kind);
        sac_caption_mark mark = {.object = -1, .names = kind == NAME};
        mark.right = at >= 0 && strcmp(caption->outputs[i].text, words.word[at]) == 0;
        if (truth->by_word)
            mark.names = at >= 0 && truth->names[at];
        if (truth->by_word)
            mark.object = object_named_by_word(truth, at);
        else if (phrase >= 0 && phrase < known)
            mark.object = object[phrase];
        marks[i] = mark;
        if (mark.object >= 0)
            marks[i].localization =
                sac_caption_localize(caption, i, &truth->object[mark.object].look);
    }
}

/* ---------------------------------------------------------------- the truth of a translation */

/* The number of words that both begin with. */
static int count_common_words(const sac_alignment_truth *truth, const sac_result *translation)
{
    int count = 0;
    while (count < truth->count && count < translation->count &&
           strcmp(truth->words[count], translation->outputs[count].text) == 0)
        count++;
    return count;
}

bool sac_alignment_is_true(const sac_alignment_truth *truth, const sac_result *translation, int t,
                           int i)
{
    return t < count_common_words(truth, translation) && i < 64 && (truth->links[t] >> i & 1);
}

bool sac_alignment_is_exact(const sac_alignment_truth *truth, const sac_result *translation)
{
    int all = count_common_words(truth, translation);
    return all == truth->count && all == translation->count;
}
