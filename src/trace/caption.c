/* Captions: memory, words, noun phrases, and measures of a word's map. */

#include "trace/caption.h"

#include <stdlib.h>
#include <string.h>

void sac_caption_free(sac_caption *caption)
{
    if (!caption)
        return;
    free(caption->weights);
    free(caption->positions);
    *caption = (sac_caption){0};
}

char *sac_caption_text(const sac_caption *caption, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < caption->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
                                 caption->words[i].text);
    return text;
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

static float cell_cover(const float box[4], int grid_w, int grid_h, int x, int y)
{
    return overlap(box[0], box[2], x, grid_w) * overlap(box[1], box[3], y, grid_h);
}

void sac_box_cover(const float box[4], int grid_w, int grid_h, float *cover)
{
    for (int y = 0; y < grid_h; y++)
        for (int x = 0; x < grid_w; x++)
            cover[y * grid_w + x] = cell_cover(box, grid_w, grid_h, x, y);
}

/* ---------------------------------------------------------------- what a word speaks of */

typedef enum word_kind { ARTICLE, SIZE, LINK, NAME } word_kind;

/* The words that are neither colour nor shape are few and known; all others name. */
static word_kind kind_of(const char *word)
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

/* The object of each phrase of the true sentence into object[SAC_CAPTION_WORDS]; returns how many
 * phrases there are. */
static int true_objects(const sac_caption_truth *truth, int *object)
{
    char text[sizeof truth->caption], *rest = NULL;
    phrases p = {0};
    int word = 0;
    memcpy(text, truth->caption, sizeof text);
    text[sizeof text - 1] = '\0';
    for (char *t = strtok_r(text, " ", &rest); t && word < SAC_CAPTION_WORDS;
         t = strtok_r(NULL, " ", &rest), word++) {
        int before = p.count, phrase = next_phrase(&p, kind_of(t));
        int named = word < truth->words ? truth->object_of_word[word] : -1;
        if (p.count > before)
            object[phrase] = -1;
        if (phrase >= 0 && named >= 0 && named < truth->objects)
            object[phrase] = named;
    }
    return p.count;
}

static void measure(const sac_caption *caption, int word, const float box[4],
                    sac_caption_mark *mark)
{
    int w = caption->grid_w, h = caption->grid_h;
    const float *weights = caption->weights + (size_t)word * (size_t)w * (size_t)h;
    double heat = 0, in_box = 0, cells = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float cover = cell_cover(box, w, h, x, y);
            heat += weights[y * w + x];
            in_box += weights[y * w + x] * cover;
            cells += cover;
        }
    float x = ((float)caption->words[word].peak_x + 0.5f) / (float)w;
    float y = ((float)caption->words[word].peak_y + 0.5f) / (float)h;
    mark->inside = heat > 0 && x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
    mark->mass = heat > 0 ? (float)(in_box / heat) : 0.0f;
    mark->box_share = (float)(cells / ((double)w * h));
}

void sac_caption_judge(const sac_caption *caption, const sac_caption_truth *truth,
                       sac_caption_mark *marks)
{
    int object[SAC_CAPTION_WORDS], known = true_objects(truth, object);
    phrases p = {0};
    for (int i = 0; i < caption->count; i++) {
        word_kind kind = kind_of(caption->words[i].text);
        int phrase = next_phrase(&p, kind);
        marks[i] = (sac_caption_mark){.object = -1, .names = kind == NAME};
        if (phrase >= 0 && phrase < known)
            marks[i].object = object[phrase];
        if (marks[i].object >= 0)
            measure(caption, i, truth->object[marks[i].object].box, &marks[i]);
    }
}
