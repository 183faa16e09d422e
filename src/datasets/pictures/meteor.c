#include "pictures/meteor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "pictures/words.h"

enum {
    MOST = SAC_METEOR_WORDS,
    WORD = 48, /* bytes of a word with its end; a longer one is not stemmed */
    BEAM = 40  /* alignments that are followed at once, as METEOR's own search does */
};

typedef struct words {
    int count, all; /* that may match; of the caption */
    const char *text[MOST];
    size_t size[MOST];
    char stem[MOST][WORD]; /* "": none */
} words;

static void read_words(const char *plain, words *w)
{
    size_t size;
    w->count = w->all = 0;
    for (const char *at = plain; (at = sac_caption_next_word(at, &size)); at += size, w->all++) {
        if (w->all >= MOST)
            continue;
        w->text[w->count] = at;
        w->size[w->count] = size;
        w->stem[w->count][0] = '\0';
        if (size < WORD)
            sac_porter_stem(at, size, w->stem[w->count]);
        w->count++;
    }
}

/* An alignment of the first words of a caption: each has a word of the reference, or −1. */
typedef struct alignment {
    int equal, stems; /* words that match by each stage */
    int crossings;    /* pairs of them whose order is the other way round there */
    int chunks;       /* runs of neighbours that are neighbours there, too */
    signed short to[MOST];
} alignment;

/* The better first: more equal words, then more equal stems, then fewer crossings, then fewer chunks. */
static int compare_alignments(const void *a, const void *b)
{
    const alignment *x = a, *y = b;
    return x->equal != y->equal           ? y->equal - x->equal
           : x->stems != y->stems         ? y->stems - x->stems
           : x->crossings != y->crossings ? x->crossings - y->crossings
                                          : x->chunks - y->chunks;
}

static bool is_taken(const alignment *a, int count, int word)
{
    for (int i = 0; i < count; i++)
        if (a->to[i] == word)
            return true;
    return false;
}

/* The same with word `at` of the caption at `word` of the reference. */
static void extend(alignment *a, int at, int word, bool equal)
{
    a->equal += equal;
    a->stems += !equal;
    for (int i = 0; i < at; i++)
        a->crossings += a->to[i] > word;
    a->chunks += !(at > 0 && a->to[at - 1] >= 0 && a->to[at - 1] + 1 == word);
    a->to[at] = (signed short)word;
}

static double score_against(const words *c, const words *r, alignment *beam)
{
    int states = 1;
    beam[0] = (alignment){0};
    for (int at = 0; at < c->count; at++) {
        int next = states;
        for (int s = 0; s < states; s++) {
            beam[s].to[at] = -1;
            for (int k = 0; k < r->count && next < BEAM * (MOST + 1); k++) {
                const bool equal =
                    c->size[at] == r->size[k] && memcmp(c->text[at], r->text[k], c->size[at]) == 0;
                if (!equal && (!c->stem[at][0] || strcmp(c->stem[at], r->stem[k]) != 0))
                    continue;
                if (is_taken(&beam[s], at, k))
                    continue;
                beam[next] = beam[s];
                extend(&beam[next++], at, k, equal);
            }
        }
        if (next > 1)
            qsort(beam, (size_t)next, sizeof *beam, compare_alignments);
        states = next < BEAM ? next : BEAM;
    }
    const double m = beam[0].equal + beam[0].stems;
    if (m == 0)
        return 0;
    const double precision = m / c->all, recall = m / r->all;
    return 10 * precision * recall / (recall + 9 * precision) *
           (1 - 0.5 * pow(beam[0].chunks / m, 3));
}

sac_status sac_meteor(const char *candidate, const char *const *references, int count,
                      double *score, sac_error *error)
{
    words *sides = malloc(2 * sizeof *sides);
    alignment *beam = malloc((size_t)BEAM * (MOST + 1) * sizeof *beam);
    sac_status status = sides && beam ? SAC_OK : sac_no_memory(error, "scores");
    *score = 0;
    if (status == SAC_OK)
        read_words(candidate, &sides[0]);
    for (int i = 0; i < count && status == SAC_OK; i++) {
        read_words(references[i], &sides[1]);
        *score = fmax(*score, score_against(&sides[0], &sides[1], beam));
        status = sac_cancel_check("scores", error);
    }
    free(sides);
    free(beam);
    return status;
}
