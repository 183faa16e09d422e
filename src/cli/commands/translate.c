/* saccade translate: a sentence in another language, and which words each word attends to. */
#include <stdlib.h>
#include <string.h>

#include "app/assets.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "cli/commands/result_output.h"
#include "cli/commands/view.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/request_options.h"
#include "pretrained/files/pretrained.h"
#include "sentence/sentence_view.h"
#include "translation/translation.h"
#include "view/view.h"

enum { MAX_WORDS = 512, MAX_BEAM = 5 };

typedef struct translate_command {
    const char *words[MAX_WORDS]; /* the text, in one argument or in several */
    int word_count, beam;
    sac_length_penalty penalty;
    bool beam_given, json, verbose, list, view, presents, is_pretrained;
    const char *npz, *model, *score, *attribution;
    const char *folder; /* of a model of others, which takes the text as it is */
    cli_request request;
    cli_drawing drawing;
} translate_command;

/* The state of the command while it runs. */
typedef struct translate_work {
    const translate_command *command;
    app_document document;
    sac_source *source;    /* its translation: the model at work */
    sac_translating words; /* of ours */
    sac_source_text text;
} translate_work;

/* ---------------------------------------------------------------- the command line */

static int parse(cli_args args, translate_command *c)
{
    c->drawing.types = CLI_PICTURES | CLI_PAGES | CLI_TABLES;
    c->drawing.what = "a picture of both sentences and their alignment, the weights as numbers, or "
                      "what --json prints";
    c->drawing.npz = &c->npz;
    c->drawing.json = &c->json;
    static const char *const shared[] = {"--from", "--to", "--word", NULL};
    const cli_option own[] = {
        {"--json", CLI_FLAG, &c->json, NULL, NULL,
         "print one line of JSON per sentence instead of text"},
        {"--verbose", CLI_FLAG, &c->verbose, NULL, NULL, "also print a table of the words"},
        {"--view", CLI_FLAG, &c->view, NULL, NULL,
         "open the window, where a sentence is translated while it is typed"},
        {"--present", CLI_FLAG, &c->presents, NULL, NULL, CLI_PRESENT_HELP "; with --view"},
        {"--list-words", CLI_FLAG, &c->list, NULL, NULL, "print the words that the model knows"},
        {"--beam", CLI_WHOLE, &c->beam, &c->beam_given, "N", CLI_BEAM_HELP},
        {"--length-penalty", CLI_REAL, &c->penalty.value, &c->penalty.given, "X", CLI_PENALTY_HELP},
        {"--model", CLI_TEXT, &c->model, NULL, "M", "rnn (default) or transformer"},
        {"--score", CLI_TEXT, &c->score, NULL, "S",
         "model with that score: additive (default) or scaled-dot"},
        {"--weights", CLI_TEXT, &c->request.open.weights, NULL, "F",
         "weights of your own, or the folder of a pretrained model"},
        {"--attribution", CLI_TEXT, &c->attribution, NULL, "A",
         "of a pretrained model, what weights are made of: raw (default) or relevance"},
        {"--device", CLI_TEXT, &c->request.open.device, NULL, "S", CLI_DEVICE_HELP},
    };
    enum { OWN = sizeof own / sizeof *own };
    cli_option options[OWN + CLI_REQUEST_OPTIONS + 1] = {{0}};
    memcpy(options, own, sizeof own);
    cli_request_options(&c->request, shared, options + OWN);
    return cli_parse_drawing(args, options, &c->drawing, c->words, MAX_WORDS, &c->word_count);
}

static int check(translate_command *c)
{
    app_request *open = &c->request.open;
    if (!c->word_count && !c->list && !c->view)
        return cli_usage("translate", "needs a sentence",
                         "give an English one, between quotes, or --list-words");
    if (c->presents && !c->view)
        return cli_usage("--present", "is of the window", "give --view, too");
    if (c->view && (c->json || c->npz || cli_drawing_wanted(&c->drawing)))
        return cli_usage("--view", "is given beside a file or --json", "give one of the two");
    if ((c->score || c->model) && open->weights)
        return cli_usage(c->score ? "--score" : "--model", "is given beside --weights",
                         "give one of the two");
    c->is_pretrained = open->weights && sac_is_pretrained(open->weights);
    if ((open->from || open->to) && !c->is_pretrained)
        return cli_usage(open->to ? "--to" : "--from", "needs a translator between many languages",
                         "give its folder with --weights");
    if (c->model && cli_translator_check(c->model, cli_translator_of(c->model)) != CLI_DONE)
        return CLI_USAGE;
    if (c->beam_given && (c->beam < 1 || c->beam > MAX_BEAM))
        return cli_usage("--beam", "is out of range", "give a whole number from 1 to 5");
    if (cli_penalty_check(&c->penalty, c->beam) != CLI_DONE ||
        cli_request_check_and_fill(&c->request) != CLI_DONE)
        return CLI_USAGE;
    if (open->setting_count && !c->view && !cli_drawing_wanted(&c->drawing))
        return cli_usage("--word", "needs a picture to draw", "add --out FILE.png");
    if (c->is_pretrained) {
        c->folder = open->weights;
        open->weights = NULL;
        open->files = &c->folder;
        open->file_count = 1;
    }
    return CLI_DONE;
}

/* ---------------------------------------------------------------- what is printed */

/* "zone            0.998  area             0.97": a word, and the one that it looked at most. */
static void print_table(const translate_work *w, const sac_result *c)
{
    bool attends = c->max_weight > 0;
    sac_print(stdout, "%-16s %11s  %s\n", "word", "probability", attends ? "looks at" : "");
    for (int i = 0; i < c->count; i++) {
        const sac_result_output *word = &c->outputs[i];
        int best = sac_heaviest(c->weights + (size_t)i * (size_t)c->grid_w, c->grid_w);
        sac_print(stdout, "%s%*s %11.3f", word->text, 16 - (int)sac_utf8_length(word->text), "",
                  (double)word->probability);
        if (attends)
            sac_print(stdout, "  %s %.2f", c->positions[best],
                      (double)c->weights[(size_t)i * (size_t)c->grid_w + (size_t)best]);
        putchar('\n');
    }
    sac_print(stdout, "%.1f ms on %s\n", c->milliseconds, w->source->origin.device);
}

static void print_sentence(const translate_work *w, const sac_result *c)
{
    char *text = sac_result_make_line(c);
    sac_print_text(stdout, text ? text : "");
    putchar('\n');
    free(text);
    if (w->command->verbose)
        print_table(w, c);
    char note[CLI_NOTE];
    if (sac_source_whole_note(w->source, c, note, sizeof note)[0])
        sac_print(stderr, "saccade: translate: %s\n", note);
}

/* ---------------------------------------------------------------- what is written */

/* The arrays with the weights of all layers and heads, where the model has any. */
static sac_status write_all(translate_work *w, const sac_result *c, sac_error *error)
{
    const translate_command *command = w->command;
    sac_attentions attentions = {0};
    viz_view *view; /* of the sentence that was read last */
    sac_status status = SAC_OK;
    if (command->npz)
        status = sac_source_attentions(w->source, 0, c, &attentions, error);
    if (status == SAC_OK && command->npz)
        status = cli_result_save(command->npz, w->source, c, &attentions, &(sac_attention_kind){0},
                                 error);
    sac_attentions_free(&attentions);
    if (status != SAC_OK || !cli_drawing_wanted(&command->drawing))
        return status;
    status = viz_translation_class.create(w->source, NULL, &view, error);
    if (status == SAC_OK)
        viz_sentence_view_apply_request(view, &(sac_result_request){.attribution = c->attribution});
    const app_request *look = &command->request.open;
    for (int i = 0; i < look->setting_count && status == SAC_OK; i++)
        viz_view_restore(view, look->settings[i].key, look->settings[i].value);
    return status == SAC_OK ? cli_drawing_write_view(&command->drawing, view, error) : status;
}

/* ---------------------------------------------------------------- the work */

/* The words of our model, whose weights may be of a person's own pairs. */
static sac_status open_vocabulary(const translate_command *c, sac_translating *words,
                                  sac_error *error)
{
    sac_language_pair *own = NULL;
    sac_status status = c->request.open.weights
                            ? sac_language_pair_of_file(c->request.open.weights, &own, error)
                            : SAC_OK;
    if (status == SAC_OK)
        status = sac_translating_open(words, own, error);
    sac_language_pair_release(own);
    return status;
}

static sac_status list_words(const translate_command *c, sac_error *error)
{
    sac_translating words = {0};
    sac_status status = open_vocabulary(c, &words, error);
    const sac_language_pair *own = words.languages;
    int first = own ? (int)SAC_PAIR_MARKS : (int)SAC_TOKENS_SPECIAL;
    int count = status == SAC_OK ? sac_translation_word_count(own, SAC_SOURCE_SIDE) : 0;
    for (int i = first; i < count; i++)
        sac_print(stdout, "%s\n", sac_translating_word(&words, SAC_SOURCE_SIDE, i));
    sac_translating_close(&words);
    return status;
}

/* The arguments are one text, so that quotes may be left out; free() it. NULL: no memory. */
static char *join_arguments(const translate_command *c)
{
    size_t size = 1, used = 0;
    for (int i = 0; i < c->word_count; i++)
        size += strlen(c->words[i]) + 1;
    char *text = calloc(size, 1);
    for (int i = 0; text && i < c->word_count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", c->words[i]);
    return text;
}

/* `text`: for the model of others; ours are opened without one. */
static sac_status open_model(translate_work *w, const char *text, sac_error *error)
{
    const translate_command *c = w->command;
    app_request request = c->request.open;
    app_weights bundled;
    sac_status status = SAC_OK;
    request.windowless = true;
    if (c->is_pretrained)
        request.text = text;
    else {
        request.tab = "translation";
        if (!request.weights)
            status = app_find_weights(cli_translator_of(c->model), NULL, c->score, &bundled, error);
        if (status == SAC_OK && !request.weights)
            request.weights = bundled.paths[0];
    }
    if (status == SAC_OK)
        status = app_open(&w->document, &request, error);
    w->source = w->document.translation;
    if (status == SAC_OK && !w->source)
        return sac_fail(error, SAC_E_ARGUMENT, c->folder, "give the folder of a translator",
                        "is not a translator");
    return status;
}

static sac_status translate_text(translate_work *w, const char *text, sac_error *error)
{
    sac_result caption = {0};
    sac_result_request request = {.beam = w->command->beam, .penalty = w->command->penalty};
    sac_status status = cli_penalty_check_beam(&w->command->penalty, w->command->beam,
                                               sac_source_beam(w->source), error);
    if (status == SAC_OK && w->command->attribution)
        status = sac_attribution_find(w->command->attribution, &request.attribution, error);
    if (status == SAC_OK)
        status = sac_source_read(w->source, text, error);
    if (status == SAC_OK)
        status = sac_source_generate(w->source, &request, &caption, error);
    if (status == SAC_OK)
        status = write_all(w, &caption, error);
    if (status == SAC_OK && w->command->json)
        status = cli_print_json_line(cli_result_json(w->source, 0, &caption), "translate", error);
    else if (status == SAC_OK)
        print_sentence(w, &caption);
    sac_result_free(&caption);
    return status;
}

/* Sentence `number` of the text, words `begin` to `end`; a person's own as it was typed. */
static sac_status translate_sentence(translate_work *w, int number, int begin, int end,
                                     sac_error *error)
{
    char text[sizeof w->source->result.text] = "";
    size_t used = 0;
    if (w->text.own)
        return translate_text(w, w->text.own[number], error);
    if (end - begin > SAC_TRANSLATION_SOURCE)
        return sac_fail(error, SAC_E_ARGUMENT, "sentence", "give 1 to 40 words", "has %d words",
                        end - begin);
    for (int i = begin; i < end && used < sizeof text; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s ",
                             sac_translating_word(&w->words, SAC_SOURCE_SIDE, w->text.words[i]));
    return translate_text(w, text, error);
}

/* Our model's words are looked up before it is opened: a person waits less for a wrong one. */
static sac_status split_sentences(translate_work *w, const char *text, sac_error *error)
{
    sac_status status = open_vocabulary(w->command, &w->words, error);
    if (status != SAC_OK)
        return status;
    return w->words.languages ? sac_language_pair_read(w->words.languages, text, &w->text, error)
                              : sac_source_text_read(&w->words.english, text, &w->text, error);
}

/* A model of others takes the text as it is; ours take one sentence after the other. */
static sac_status translate(translate_work *w, sac_error *error)
{
    const translate_command *c = w->command;
    bool is_pretrained = c->is_pretrained;
    char *text = join_arguments(c);
    if (!text)
        return sac_no_memory(error, "translate");
    sac_status status = is_pretrained ? SAC_OK : split_sentences(w, text, error);
    if (status == SAC_OK && w->text.sentences > 1 && (c->npz || cli_drawing_wanted(&c->drawing)))
        status = sac_fail(error, SAC_E_ARGUMENT, "translate", "give one sentence",
                          "%d sentences do not fit into one file", w->text.sentences);
    if (status == SAC_OK)
        status = open_model(w, text, error);
    if (status == SAC_OK && is_pretrained)
        status = translate_text(w, w->source->result.text, error);
    for (int i = 0, begin = 0; status == SAC_OK && i < w->text.sentences; i++) {
        status = translate_sentence(w, i, begin, w->text.ends[i], error);
        begin = w->text.ends[i];
    }
    free(text);
    sac_source_text_free(&w->text);
    sac_translating_close(&w->words);
    app_document_close(&w->document);
    return status;
}

/* The window is the view command's. */
static int show_window(const translate_command *c)
{
    char *text = c->word_count ? join_arguments(c) : NULL;
    app_request open = c->request.open;
    const char *model = c->score   ? c->score
                        : c->model ? cli_translator_of(c->model)->bundled->name
                                   : NULL;
    open.tab = "translation";
    open.text = text;
    if (model)
        open.settings[open.setting_count++] = (app_view_option){"model", model};
    cli_drawing drawing = c->drawing;
    if (c->presents)
        drawing.size.theme = viz_theme_presented(drawing.size.theme);
    int status = cli_view_window(&open, &drawing);
    free(text);
    return status;
}

static int run_translate(cli_args args)
{
    translate_command c = {0};
    translate_work w = {.command = &c};
    sac_error error = {0};
    int status = parse(args, &c);
    if (status == CLI_DONE)
        status = check(&c);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (c.view)
        return show_window(&c);
    if (c.list)
        return list_words(&c, &error) == SAC_OK ? CLI_DONE : cli_report(&error);
    if (cli_drawing_open_fonts(&c.drawing, &error) != SAC_OK || translate(&w, &error) != SAC_OK)
        status = cli_report(&error);
    cli_drawing_close_fonts(&c.drawing);
    return status;
}

const cli_command cli_translate = {"translate", "\"TEXT\" [OPTIONS]",
                                   "translate English to French, with the attention of each word",
                                   run_translate};
