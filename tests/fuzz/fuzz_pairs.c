#include "fuzz_folder.h"

#include "base/text/utf8.h"
#include "pairs/pairs.h"
#include "pairs/translation_scores.h"

static void check_pair(const sac_pairs *p, const sac_pair *pair)
{
    char written[4096], unknown[64] = "";
    int numbers[SAC_PAIR_WORDS];
    for (int side = 0; side < SAC_SIDES; side++) {
        if (pair->count[side] < 1 || pair->count[side] > SAC_PAIR_WORDS ||
            !sac_utf8_valid(pair->text[side], strlen(pair->text[side])))
            abort();
        for (int i = 0; i < pair->count[side]; i++)
            if (pair->words[side][i] < SAC_PAIR_UNKNOWN ||
                pair->words[side][i] >= p->languages->words[side].count)
                abort();
    }
    sac_language_pair_join_words(p->languages, pair->words[1], pair->count[1], written,
                                 sizeof written, NULL);
    if (!sac_utf8_valid(written, strlen(written)) || strlen(written) >= sizeof written)
        abort();
    if (sac_language_pair_number(p->languages, pair->text[0], numbers, SAC_PAIR_WORDS, unknown,
                                 sizeof unknown) != pair->count[0] ||
        memcmp(numbers, pair->words[0], (size_t)pair->count[0] * sizeof *numbers) != 0)
        abort();
}

static void check(const sac_pairs *p)
{
    char line[400];
    size_t held = 0;
    for (size_t i = 0; i < p->count; i++) {
        const sac_pair *first = &p->items[p->items[i].same];
        if (first->held != p->items[i].held || strcmp(first->text[0], p->items[i].text[0]) != 0)
            abort();
        check_pair(p, &p->items[i]);
        held += p->items[i].held;
    }
    if (held != p->held || held == 0 || held == p->count || p->languages->example_count == 0)
        abort();
    for (int i = 0; sac_pairs_report_line(p, i, line, sizeof line); i++)
        if (!line[0])
            abort();
    const char *reference = p->items[0].text[1];
    const sac_scored_translation one = {p->items[p->count - 1].text[1], &reference, 1};
    sac_translation_scores scores;
    if (sac_translation_score(&one, 1, &scores, NULL) != SAC_OK ||
        !(scores.bleu >= 0 && scores.bleu <= 100.001 && scores.chrf >= 0 && scores.chrf <= 100.001))
        abort();
}

/* The bytes as a table of pairs, and as both of two files. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"de-en.tsv", NULL};
    if (!fuzz_names)
        fuzz_open_folder(names);
    fuzz_write("de-en.tsv", data, size);
    char path[256];
    strcpy(path, fuzz_path("de-en.tsv"));
    const sac_pairs_options ways[] = {{.files = {path}}, {.files = {path, path}, .least = 2}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        sac_pairs p;
        sac_error error = {0};
        sac_status status = sac_pairs_open(&ways[i], &p, &error);
        if (status != SAC_OK)
            fuzz_refused(status, &error);
        else
            check(&p);
        sac_pairs_free(&p);
    }
    return 0;
}
