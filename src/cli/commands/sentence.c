/* saccade sentence: an English sentence, its French translation, and which word stands for which.
 */
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "grammar/sentence.h"

enum { MOST_SENTENCES = 1000000 };

typedef struct request {
    uint64_t seed;
    sac_text_stream stream;
    int count;
    bool figure, json;
} request;

/* ---------------------------------------------------------------- output */

static cJSON *words_json(const char (*words)[SAC_SENTENCE_WORD_SIZE], int count)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(words[i]));
    return array;
}

static sac_status print(const request *r, const sac_sentence_pair *pair, sac_error *error)
{
    if (!r->json) {
        char text[2048];
        int width = 0;
        sac_print(stdout, "%s\n",
                  sac_sentence_join(pair->source, pair->source_count, text, sizeof text));
        sac_print(stdout, "%s\n",
                  sac_sentence_join(pair->target, pair->target_count, text, sizeof text));
        for (int t = 0; t < pair->target_count; t++) {
            int columns = (int)sac_utf8_length(pair->target[t]);
            width = columns > width ? columns : width;
        }
        for (int t = 0; t < pair->target_count; t++) {
            /* "du          of the": a French word and the English ones that it stands for. */
            const char *word = pair->target[t];
            sac_print(stdout, "  %s%*s", word, width - (int)sac_utf8_length(word), "");
            for (int i = 0; i < pair->source_count; i++)
                if (pair->links[t] >> i & 1)
                    sac_print(stdout, "  %s", pair->source[i]);
            putchar('\n');
        }
        return SAC_OK;
    }
    static const char *const reasons[] = {NULL, "pair", "length", "sentence"};
    cJSON *json = cJSON_CreateObject();
    cJSON_AddItemToObject(json, "source", words_json(pair->source, pair->source_count));
    cJSON_AddItemToObject(json, "target", words_json(pair->target, pair->target_count));
    cJSON *alignment = cJSON_AddArrayToObject(json, "alignment");
    for (int t = 0; t < pair->target_count; t++) { /* the words that it stands for, from 0 */
        cJSON *links = cJSON_CreateArray();
        for (int i = 0; i < pair->source_count; i++)
            if (pair->links[t] >> i & 1)
                cJSON_AddItemToArray(links, cJSON_CreateNumber(i));
        cJSON_AddItemToArray(alignment, links);
    }
    if (reasons[pair->held_out])
        cJSON_AddStringToObject(json, "held_out", reasons[pair->held_out]);
    else
        cJSON_AddNullToObject(json, "held_out");
    sac_status status = cli_print_json_line(cJSON_PrintUnformatted(json), "sentence", error);
    cJSON_Delete(json);
    return status;
}

static int run_sentence(cli_args args)
{
    request r = {0};
    sac_error error = {0};
    sac_sentence_pair pair;
    const char *stream = NULL;
    bool is_training = false;
    int files;
    const cli_option options[] = {
        {"--seed", CLI_SEED, &r.seed, NULL, "N",
         "number of the sentence in the stream (default 0)"},
        {"--stream", CLI_TEXT, &stream, NULL, "S",
         "test (default) or training; the streams share no sentence"},
        {"--count", CLI_WHOLE, &r.count, NULL, "N",
         "number of sentences, 1 to 1000000, of consecutive seeds (default 1)"},
        {"--figure", CLI_FLAG, &r.figure, NULL, NULL,
         "the sentence of figure 3 of Bahdanau et al. (2015) instead"},
        {"--json", CLI_FLAG, &r.json, NULL, NULL, "print one JSON object per line"},
        {0},
    };
    r.count = 1;
    int parsed = cli_parse(args, options, NULL, 0, &files);
    if (parsed == CLI_DONE)
        parsed = cli_read_stream(stream, &is_training);
    r.stream = is_training ? SAC_TEXT_TRAINING : SAC_TEXT_TEST;
    if (parsed == CLI_DONE && (r.count < 1 || r.count > MOST_SENTENCES))
        parsed = cli_usage("--count", "is out of range", "give a whole number from 1 to 1000000");
    if (parsed != CLI_DONE)
        return parsed < 0 ? CLI_DONE : parsed;
    sac_status status = SAC_OK;
    for (int i = 0; i < r.count && status == SAC_OK; i++) {
        if (r.figure)
            sac_sentence_of_figure(&pair);
        else
            sac_sentence_make(r.stream, r.seed + (uint64_t)i, &pair);
        status = sac_cancel_check("sentence", &error);
        if (status == SAC_OK)
            status = print(&r, &pair, &error);
    }
    return status == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_sentence = {
    "sentence", "[--seed N] [OPTIONS]",
    "generate an English sentence, its French translation and their word alignment", run_sentence};
