/* Replaces words for people by more general ones where the captions of a picture disagree. */
#include "pictures/people.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef enum question { SEX, AGE, QUESTIONS } question;
typedef enum answer { NEITHER, MALE = 1, FEMALE = 2, YOUNG = 1, GROWN = 2, BOTH = 3 } answer;

/* What the word answers, and the word instead of it where that answer is open; NULL: it stays. */
static const struct person {
    const char *word;
    answer answers[QUESTIONS];
    const char *instead[QUESTIONS];
} persons[] = {
    {"man", {MALE, GROWN}, {"person", "person"}},
    {"men", {MALE, GROWN}, {"people", "people"}},
    {"woman", {FEMALE, GROWN}, {"person", "person"}},
    {"women", {FEMALE, GROWN}, {"people", "people"}},
    {"guy", {MALE, GROWN}, {"person", "person"}},
    {"guys", {MALE, GROWN}, {"people", "people"}},
    {"gentleman", {MALE, GROWN}, {"person", "person"}},
    {"gentlemen", {MALE, GROWN}, {"people", "people"}},
    {"lady", {FEMALE, GROWN}, {"person", "person"}},
    {"ladies", {FEMALE, GROWN}, {"people", "people"}},
    {"father", {MALE, GROWN}, {"parent", NULL}},
    {"dad", {MALE, GROWN}, {"parent", NULL}},
    {"mother", {FEMALE, GROWN}, {"parent", NULL}},
    {"mom", {FEMALE, GROWN}, {"parent", NULL}},
    {"adult", {NEITHER, GROWN}, {NULL, "person"}},
    {"adults", {NEITHER, GROWN}, {NULL, "people"}},
    {"boy", {MALE, YOUNG}, {"child", "person"}},
    {"boys", {MALE, YOUNG}, {"children", "people"}},
    {"girl", {FEMALE, YOUNG}, {"child", "person"}},
    {"girls", {FEMALE, YOUNG}, {"children", "people"}},
    {"child", {NEITHER, YOUNG}, {NULL, "person"}},
    {"children", {NEITHER, YOUNG}, {NULL, "people"}},
    {"kid", {NEITHER, YOUNG}, {NULL, "person"}},
    {"kids", {NEITHER, YOUNG}, {NULL, "people"}},
    {"toddler", {NEITHER, YOUNG}, {NULL, "person"}},
    {"baby", {NEITHER, YOUNG}, {NULL, "person"}},
    {"males", {MALE, NEITHER}, {"people", NULL}},
    {"females", {FEMALE, NEITHER}, {"people", NULL}},
    {"his", {NEITHER, NEITHER}, {"their", NULL}}, /* follows a word that answers */
    {"her", {NEITHER, NEITHER}, {"their", NULL}},
    {"himself", {NEITHER, NEITHER}, {"themselves", NULL}},
    {"herself", {NEITHER, NEITHER}, {"themselves", NULL}},
};
enum { PERSONS = sizeof persons / sizeof *persons };

static const struct person *find_person(const char *word, size_t size)
{
    for (size_t i = 0; i < PERSONS; i++)
        if (strlen(persons[i].word) == size && memcmp(persons[i].word, word, size) == 0)
            return &persons[i];
    return NULL;
}

/* The answers that the words of a caption give together. */
static void read_answers(const char *plain, int answers[QUESTIONS])
{
    size_t size;
    for (; (plain = sac_caption_next_word(plain, &size)); plain += size) {
        const struct person *person = find_person(plain, size);
        for (int q = 0; person && q < QUESTIONS; q++)
            answers[q] |= person->answers[q];
    }
}

/* Of an English word for a person the more general one is at most two bytes longer: "his", "their". */
static char *generalize(const char *plain, const bool open[QUESTIONS], bool *changed)
{
    const size_t room = 2 * strlen(plain) + 1;
    char *general = malloc(room);
    size_t used = 0, size;
    for (; general && (plain = sac_caption_next_word(plain, &size)); plain += size) {
        const struct person *person = find_person(plain, size);
        const char *instead = NULL;
        for (int q = 0; person && q < QUESTIONS; q++)
            if (open[q] && person->instead[q])
                instead = person->instead[q];
        *changed |= instead != NULL;
        const size_t length = instead ? strlen(instead) : size;
        if (used)
            general[used++] = ' ';
        memcpy(general + used, instead ? instead : plain, length);
        used += length;
    }
    if (general)
        general[used] = '\0';
    return general;
}

sac_status sac_captions_generalize_people(sac_picture_caption *captions, int count, bool *changed,
                                          sac_error *error)
{
    bool has[QUESTIONS][BOTH + 1] = {{false}}, open[QUESTIONS];
    *changed = false;
    for (int k = 0; k < count; k++) {
        int answers[QUESTIONS] = {NEITHER, NEITHER};
        read_answers(captions[k].plain, answers);
        for (int q = 0; q < QUESTIONS; q++)
            has[q][answers[q]] = true;
    }
    for (int q = 0; q < QUESTIONS; q++)
        open[q] = has[q][1] && has[q][2] && !has[q][BOTH];
    for (int k = 0; k < count && (open[SEX] || open[AGE]); k++) {
        char *general = generalize(captions[k].plain, open, changed);
        if (!general)
            return sac_no_memory(error, "captions");
        free(captions[k].plain);
        captions[k].plain = general;
    }
    return SAC_OK;
}
