/* Reads regions as the programs beside the models do: Florence-2's (transformers, Florence2PostProcessor), whose
 * regular expressions stand above what does the same here, and PaliGemma's (big_vision). */
#include "sources/words/regions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 1000 /* Florence-2's */
#define BINS_BEFORE_WORDS 1024

const char *const sac_phrases_of_nothing[] = {
    "it",         "I",           "me",         "mine",          "you",      "your",
    "yours",      "he",          "him",        "his",           "she",      "her",
    "hers",       "they",        "them",       "their",         "theirs",   "one",
    "oneself",    "we",          "us",         "our",           "ours",     "its",
    "myself",     "yourself",    "himself",    "herself",       "itself",   "ourselves",
    "yourselves", "themselves",  "this",       "that",          "these",    "those",
    "who",        "whom",        "whose",      "which",         "what",     "all",
    "another",    "any",         "anybody",    "anyone",        "anything", "each",
    "everybody",  "everyone",    "everything", "few",           "many",     "nobody",
    "none",       "several",     "some",       "somebody",      "someone",  "something",
    "each other", "one another", "the image",  "image",         "images",   "the",
    "a",          "an",          "a group",    "other objects", "lots",     "a set",
    NULL};

/* ---------------------------------------------------------------- what is known of a region */

static int bin_count(const sac_regions *p)
{
    return p->form == SAC_REGIONS_BEFORE_WORDS ? BINS_BEFORE_WORDS : BINS;
}

/* Florence-2 means the middle of a bin, PaliGemma its edge. */
static float bin_middle_offset(const sac_regions *p)
{
    return p->form == SAC_REGIONS_BEFORE_WORDS ? 0 : 0.5f;
}

float sac_region_share(const sac_regions *p, const sac_region *region, int k, int axis)
{
    return ((float)p->bin[region->point + k][axis] + bin_middle_offset(p)) / (float)bin_count(p);
}

static int bin_to_pixel(const sac_regions *p, int bin, int axis)
{
    double side = axis ? p->height : p->width;
    if (p->form == SAC_REGIONS_BEFORE_WORDS)
        return (int)rint(bin * side / BINS_BEFORE_WORDS);
    return (int)(((float)bin + 0.5f) * (float)(side / BINS)); /* float32, and cut */
}

int sac_region_pixel(const sac_regions *p, const sac_region *region, int k, int axis)
{
    return bin_to_pixel(p, p->bin[region->point + k][axis], axis);
}

bool sac_region_is_of(const sac_region *region, int word)
{
    return (word >= region->first && word < region->end) ||
           (word >= region->label_first && word < region->label_end);
}

bool sac_region_is_region_token(const char *token)
{
    static const char *const marks[] = {"<poly>", "</poly>", "<sep>", "<s>", "</s>", "<pad>"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(token, marks[i]) == 0)
            return true;
    return strncmp(token, "<loc", 4) == 0 || strncmp(token, "<seg", 4) == 0;
}

const char *sac_region_label(const sac_regions *p, const sac_region *region)
{
    return p->labels + region->label;
}

/* ---------------------------------------------------------------- reading */

/* A text without "<s>" and its like, and the word of each byte. */
typedef struct text {
    char *bytes;
    int *word;
    size_t size;
} text;

static void remove_tag(text *t, const char *tag)
{
    size_t length = strlen(tag);
    for (char *at = t->bytes; (at = strstr(at, tag));) {
        size_t from = (size_t)(at - t->bytes), rest = t->size - from - length;
        memmove(at, at + length, rest + 1);
        memmove(t->word + from, t->word + from + length, rest * sizeof *t->word);
        t->size -= length;
    }
}

/* "<loc_52>", or "<loc0052>" where a box is before its words. Returns its end; NULL: there is none here. */
static const char *read_bin(const sac_regions *p, const char *at, int *bin)
{
    bool before = p->form == SAC_REGIONS_BEFORE_WORDS;
    const char *begin = before ? "<loc" : "<loc_";
    if (strncmp(at, begin, strlen(begin)) != 0)
        return NULL;
    const char *digits = at + strlen(begin);
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 6 || digits[count] != '>' || (before && count != 4))
        return NULL;
    *bin = atoi(digits);
    return digits + count + 1;
}

/* Exactly `count` of them; NULL: there are less. */
static const char *read_bins(const sac_regions *p, const char *at, int count, int *bins)
{
    for (int i = 0; i < count && at; i++)
        at = read_bin(p, at, &bins[i]);
    return at;
}

/* The end of all that follow each other here, and how many they are. */
static const char *skip_bins(const sac_regions *p, const char *at, int *count)
{
    int bin;
    *count = 0;
    for (const char *next; (next = read_bin(p, at, &bin)); at = next)
        ++*count;
    return at;
}

static bool is_blank(char c)
{
    return isspace((unsigned char)c) || (c >= 0x1c && c <= 0x1f);
}

/* Without blanks at its ends. */
static void strip(const char **begin, const char **end)
{
    while (*begin < *end && is_blank(**begin))
        ++*begin;
    while (*end > *begin && is_blank((*end)[-1]))
        --*end;
}

/* A region in the making: what it is called, and by which words. */
typedef struct naming {
    int label, thing, first, end;
} naming;

static int word_at(const text *t, const char *at)
{
    return t->word[at - t->bytes];
}

/* Keeps begin … end as a label, `ascii` alone where that is so; its words are those of the bytes. */
static naming store_region_label(sac_regions *p, const text *t, const char *begin, const char *end,
                                 bool ascii)
{
    naming n = {.label = p->labels_size};
    strip(&begin, &end);
    if (begin < end) {
        n.first = word_at(t, begin);
        n.end = word_at(t, end - 1) + 1;
    }
    int used = p->labels_size;
    for (const char *at = begin; at < end && used < SAC_REGION_LABELS - 1; at++)
        if (!ascii || !((unsigned char)*at & 0x80))
            p->labels[used++] = *at;
    p->labels[used++] = '\0';
    p->labels_size = used < SAC_REGION_LABELS ? used : SAC_REGION_LABELS - 1;
    return n;
}

/* `points` pairs of numbers, given by the text from `from` to `to`. */
static void add_region(sac_regions *p, const text *t, naming n, bool is_box, const int *bins,
                       int points, const char *from, const char *to)
{
    if (p->count == SAC_MOST_REGIONS || p->points + points > SAC_REGION_POINTS)
        return;
    sac_region *region = &p->region[p->count++];
    *region = (sac_region){.is_box = is_box,
                           .point = p->points,
                           .points = points,
                           .label = n.label,
                           .thing = n.thing,
                           .asked = !t->word,
                           .first = -1,
                           .label_first = n.first,
                           .label_end = n.end};
    if (t->word && to > from) {
        region->first = word_at(t, from);
        region->end = word_at(t, to - 1) + 1;
    }
    for (int i = 0; i < points; i++, p->points++) {
        bool turned = p->form == SAC_REGIONS_BEFORE_WORDS; /* y, x */
        p->bin[p->points][0] = bins[2 * i + turned];
        p->bin[p->points][1] = bins[2 * i + !turned];
    }
}

static bool names_nothing(const sac_regions_rules *rules, const char *begin, const char *end)
{
    strip(&begin, &end);
    size_t length = (size_t)(end - begin);
    for (const char *const *one = rules->nothing; one && *one; one++)
        if (strlen(*one) == length && memcmp(*one, begin, length) == 0)
            return true;
    return false;
}

/* "." is no new line: a label may have some before it alone. */
static bool is_one_line(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    return !memchr(begin, '\n', (size_t)(end - begin));
}

static const char *next_mark(const char *at)
{
    return at + strcspn(at, "<");
}

/* ([^<]+(?:<loc_\d+>){4,}), or without what stands before; then each four of them. */
static void read_boxes(sac_regions *p, const text *t, const sac_regions_rules *rules)
{
    bool labelled = p->form != SAC_REGIONS_BOXES;
    for (const char *at = t->bytes; *at;) {
        const char *mark = labelled ? next_mark(at) : at;
        int count = 0, bins[4];
        const char *end = skip_bins(p, mark, &count);
        if (count < 4 || (labelled && mark == at)) {
            at = labelled && mark > at ? mark : at + 1;
            continue;
        }
        bool left_out = p->form == SAC_REGIONS_PHRASES && names_nothing(rules, at, mark);
        if (!left_out && is_one_line(at, mark)) {
            naming n = store_region_label(p, t, at, mark, true);
            for (const char *next; (next = read_bins(p, mark, 4, bins)); mark = next) {
                n.thing = p->count;
                add_region(p, t, n, true, bins, 2, mark, next);
            }
        }
        at = end;
    }
}

/* Half of the three first terms of the corners' area, as it is computed there. */
static bool is_quad_too_small(const sac_regions *p, const int *bins, double least)
{
    double sum = 0;
    int xy[8];
    for (int i = 0; i < 8; i++)
        xy[i] = bin_to_pixel(p, bins[i], i % 2);
    for (int i = 0; i < 3; i++)
        sum += (double)xy[2 * i] * xy[2 * i + 3] - (double)xy[2 * i + 2] * xy[2 * i + 1];
    return least > 0 && fabs(sum) / 2 < (double)p->width * p->height * least;
}

/* (.+?)<loc_(\d+)> … eight of them */
static void read_quads(sac_regions *p, const text *t, const sac_regions_rules *rules)
{
    const char *begin = t->bytes;
    for (const char *at = begin; *at; at++) {
        int bins[8];
        const char *end = at > begin ? read_bins(p, at, 8, bins) : NULL;
        if (end) {
            if (!is_quad_too_small(p, bins, rules->least_area)) {
                naming n = store_region_label(p, t, begin, at, false);
                n.thing = p->count;
                add_region(p, t, n, false, bins, 4, at, end);
            }
            begin = end;
            at = end - 1;
        } else if (*at == '\n') {
            begin = at + 1;
        }
    }
}

/* A token that outlines are made of. */
static const char *skip_outline_token(const sac_regions *p, const char *at)
{
    static const char *const marks[] = {"<sep>", "<poly>", "</poly>"};
    int bin;
    for (int i = 0; i < 3; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return at + strlen(marks[i]);
    return read_bin(p, at, &bin);
}

/* ((?:<loc_\d+>)+)(?:<sep>|$) between `at` and `end` */
static void read_mask(sac_regions *p, const text *t, naming n, const char *at, const char *end)
{
    n.thing = p->count;
    while (at < end) {
        int count = 0, bins[2 * SAC_REGION_POINTS];
        const char *to = skip_bins(p, at, &count);
        bool ends = count && (to == end || strncmp(to, "<sep>", 5) == 0);
        if (ends && count <= 2 * SAC_REGION_POINTS) {
            read_bins(p, at, count, bins);
            add_region(p, t, n, false, bins, count / 2, at, to);
        }
        at = count ? to : at + 1;
    }
}

/* The outlines begin … end behind a label at `label`; each <poly>(.*?)</poly> is a mask, or all is. */
static void read_masks(sac_regions *p, const text *t, const char *label, const char *begin,
                       const char *end)
{
    static const char open[] = "<poly>", shut[] = "</poly>";
    const char *name, *first = strstr(begin, open), *last = strstr(begin, shut);
    bool several = first && first < end && last && last < end;
    int bin;
    /* What stands before the first of these but one is the label: of outlines without words a mark. */
    const char *skipped = label == begin ? read_bin(p, label, &bin) : NULL;
    for (name = skipped ? skipped : begin; name < end; name = skip_outline_token(p, name))
        if (read_bin(p, name, &bin) || strncmp(name, open, strlen(open)) == 0)
            break;
    if (name >= end || !is_one_line(label, begin))
        return;
    naming n = store_region_label(p, t, skipped ? skipped : label, name, false);
    if (!several) {
        read_mask(p, t, n, begin, end);
        return;
    }
    for (const char *at = begin; (at = strstr(at, open)) && at < end;) {
        const char *to = strstr(at + strlen(open), shut);
        if (!to || to >= end)
            return;
        read_mask(p, t, n, at + strlen(open), to);
        at = to + strlen(shut);
    }
}

/* ([^<]+(?:<loc_\d+>|<sep>|<poly>|</poly>){4,}), or without what stands before */
static void read_polygons(sac_regions *p, const text *t)
{
    bool labelled = p->form != SAC_REGIONS_POLYGONS;
    for (const char *at = t->bytes; *at;) {
        const char *mark = labelled ? next_mark(at) : at, *end = mark;
        int count = 0;
        for (const char *next; (next = skip_outline_token(p, end)); end = next)
            count++;
        if (count < 4 || (labelled && mark == at)) {
            at = labelled && mark > at ? mark : at + 1;
            continue;
        }
        read_masks(p, t, at, mark, end);
        at = end;
    }
}

/* (.*?)<loc(\d{4})> … four of them, then \s*(<seg\d{3}> … 16)?\s*([^;<>]+)? */
static void read_boxes_before_words(sac_regions *p, const text *t)
{
    for (const char *at = t->bytes; *at;) {
        int bins[4];
        const char *end = read_bins(p, at, 4, bins);
        if (!end) {
            at++;
            continue;
        }
        const char *label = end + strspn(end, " \t\n\r\f\v");
        for (int i = 0; i < 16 && strncmp(label, "<seg", 4) == 0 && strchr(label, '>'); i++)
            label = strchr(label, '>') + 1;
        const char *to = label + strcspn(label, ";<>");
        naming n = store_region_label(p, t, label, to, false);
        n.thing = p->count;
        add_region(p, t, n, true, bins, 2, at, end);
        at = to;
    }
}

/* A region that is asked about: four numbers are a box, more of them an outline. */
static void read_asked(sac_regions *p, const char *asked)
{
    const text t = {0};
    for (const char *at = asked; *at;) {
        int count = 0, bins[2 * SAC_REGION_POINTS];
        const char *end = skip_bins(p, at, &count);
        if (count >= 4 && count % 2 == 0 && count <= 2 * SAC_REGION_POINTS) {
            const naming n = {.label = p->labels_size, .thing = p->count};
            read_bins(p, at, count, bins);
            add_region(p, &t, n, count == 4, bins, count / 2, at, end);
        }
        at = count ? end : at + 1;
    }
}

void sac_regions_read(sac_regions *p, const char *text_in, const int *word, const char *asked,
                      const sac_regions_rules *rules)
{
    size_t size = strlen(text_in);
    text t = {strdup(text_in), malloc((size + 1) * sizeof *t.word), size};
    if (t.bytes && t.word) {
        memcpy(t.word, word, size * sizeof *word);
        remove_tag(&t, "<s>");
        remove_tag(&t, "</s>");
        remove_tag(&t, "<pad>");
        bool outlines = p->form == SAC_REGIONS_POLYGONS ||
                        (p->form == SAC_REGIONS_ANY && strstr(text_in, "<poly>"));
        if (outlines)
            read_polygons(p, &t);
        else if (p->form == SAC_REGIONS_QUADS)
            read_quads(p, &t, rules);
        else if (p->form == SAC_REGIONS_BEFORE_WORDS)
            read_boxes_before_words(p, &t);
        else if (p->form != SAC_REGIONS_NONE)
            read_boxes(p, &t, rules);
    }
    if (asked)
        read_asked(p, asked);
    free(t.bytes);
    free(t.word);
}
