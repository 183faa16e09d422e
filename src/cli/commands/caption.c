/* saccade caption: captions of pictures, and where each word attends. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/open/captioner.h"
#include "architectures/architectures.h"
#include "arrays/bytes.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "cli/commands/result_output.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/request_options.h"
#include "images/folder.h"
#include "sentence/sentence_view.h"
#include "sharing/ranks/ranks.h"
#include "sounds/sound.h"
#include "sources/words/causal.h"
#include "sources/words/subtitles.h"
#include "table/models.h"
#include "view/settings.h"

enum { MAX_FILES = 4096, MAX_BEAM = 5, MAX_CELLS = 64 * 64 };

typedef struct caption_command {
    const char *files[MAX_FILES];
    int file_count;
    cli_request request;
    bool json, verbose, causal, temperature_given, beam_given, no_sinks;
    const char *npz, *score, *hide, *words, *attribution, *normalizer, *gaze, *gaze_heads;
    bool from_given;
    int from; /* the first word that is held, from 1 */
    float temperature;
    sac_length_penalty penalty;
    int layer, head, beam;
    cli_drawing drawing;
} caption_command;

/* The state of the command while it runs. */
typedef struct caption_work {
    const caption_command *command;
    sac_picture_files pictures;
    int piece;    /* of a sound that is longer than what its model takes at once, from 0 */
    bool goes_on; /* there is another behind it */
    int unread;   /* exit status of files that are no pictures */
    bool several; /* outputs go into folders, … */
    char **names; /* … each under its picture's name: [pictures.count]; NULL: there are none */
    const char *dataset;         /* of the picture that is open; NULL: one model captions all */
    sac_image picture;           /* that is turned to next; empty: it is not read yet */
    const char *picture_dataset; /* whose it is */
    sac_source source;
    sac_result_request request;
    uint8_t hidden[MAX_CELLS];
    FILE *out;               /* what is printed of a caption, for the first process */
    char note[CLI_NOTE];     /* that was printed last: each piece of a sound has it */
    sac_subtitles subtitles; /* of all pieces so far of the sound that is open */
} caption_work;

/* ---------------------------------------------------------------- the command line */

static int parse(cli_args args, caption_command *c)
{
    static const char *const shared[] = {
        "--scene", "--dataset", "--boxes",      "--together", "--language", "--task", "--overlay",
        "--map",   "--opacity", "--brightness", "--storage",  "--device",   NULL};
    const cli_option own[] = {
        {"--json", CLI_FLAG, &c->json, NULL, NULL,
         "print one line of JSON per picture instead of text"},
        {"--verbose", CLI_FLAG, &c->verbose, NULL, NULL, "also print a table of the words"},
        {"--causal", CLI_FLAG, &c->causal, NULL, NULL,
         "ablation: repeat each word with its most attended cells masked"},
        {"--temperature", CLI_REAL, &c->temperature, &c->temperature_given, "X",
         "divisor of the attention scores, 0.25 to 4 (default 1)"},
        {"--normalizer", CLI_TEXT, &c->normalizer, NULL, "N",
         "what makes weights of them, in place of the model's own: softmax, entmax15 or sparsemax"},
        {"--beam", CLI_WHOLE, &c->beam, &c->beam_given, "N", CLI_BEAM_HELP},
        {"--length-penalty", CLI_REAL, &c->penalty.value, &c->penalty.given, "X", CLI_PENALTY_HELP},
        {"--hide", CLI_TEXT, &c->hide, NULL, "X0,Y0,X1,Y1",
         "mask a rectangle of cells, corners included; several are separated by blanks"},
        {"--gaze", CLI_TEXT, &c->gaze, NULL, "X,Y[,R]",
         "hold where the words look: a soft spot over cell X,Y, counted from 0 (fractions lie "
         "between cells), of radius R in cells (default a twentieth of the grid, at least 1)"},
        {"--from-word", CLI_WHOLE, &c->from, &c->from_given, "N",
         "with --gaze: the first word that is held, from 1 (default); those before stay"},
        {"--gaze-heads", CLI_TEXT, &c->gaze_heads, NULL, "auto|all|L.H,…",
         "with --gaze: the heads that are held, of a model whose words follow the picture in one "
         "text or that saccade trained with layers: all (default), those named, or those that look "
         "at what is described; alone: each word has a box of where these look"},
        {"--words", CLI_TEXT, &c->words, NULL, "\"a red\"",
         "words that the caption begins with; the model continues from there"},
        {"--score", CLI_TEXT, &c->score, NULL, "S",
         "model with that score: additive (default), scaled-dot or bilinear"},
        {"--weights", CLI_TEXT, &c->request.open.weights, NULL, "F",
         "weights of your own, or the folder of a pretrained model"},
        {"--layer", CLI_WHOLE, &c->layer, NULL, "N",
         "layer to show of a model that has layers, from 0 (default: mean of all)"},
        {"--head", CLI_WHOLE, &c->head, NULL, "N",
         "head to show of a model that has layers, from 0 (default: mean of all)"},
        {"--text", CLI_TEXT, &c->request.open.text, NULL, "QUESTION",
         "what a pretrained model that answers is asked (default: a description)"},
        {"--without-sinks", CLI_FLAG, &c->no_sinks, NULL, NULL,
         "of an answer: leave out what every word attends to in the picture"},
        {"--attribution", CLI_TEXT, &c->attribution, NULL, "A",
         "what maps are made of: raw (default), relevance, gradient or contrast; of a pretrained "
         "model raw, relative, encoder, activation or relevance"},
    };
    enum { OWN = sizeof own / sizeof *own };
    cli_option options[OWN + CLI_REQUEST_OPTIONS + 1] = {{0}};
    c->drawing.types = CLI_PICTURES | CLI_PAGES | CLI_TABLES | CLI_SUBTITLES;
    c->drawing.what =
        "a figure with one panel per word (an animation as .apng or .gif), the weights "
        "as numbers, what --json prints, or subtitles of a sound; of several pictures FILE is "
        "a folder, of PNGs where it has no ending";
    c->drawing.npz = &c->npz;
    c->drawing.json = &c->json;
    c->drawing.folders = true;
    memcpy(options, own, sizeof own);
    cli_request_options(&c->request, shared, options + OWN);
    return cli_parse_drawing(args, options, &c->drawing, c->files, MAX_FILES, &c->file_count);
}

/* Weights that `train` wrote, among the pictures, are those that caption them. */
static int take_own_weights(caption_command *c)
{
    int kept = 0;
    const char *weights = NULL;
    for (int i = 0; i < c->file_count; i++) {
        const char *path = c->files[i];
        const sac_model_class *class = sac_model_of_own_file(path);
        if (class && (weights || c->request.open.weights))
            return cli_usage(path, "is a second file of weights", "give one");
        if (class && class->read)
            return cli_usage(path, "is a translator", "ask it with `saccade translate --weights`");
        weights = class ? path : weights;
        if (!class)
            c->files[kept++] = path;
    }
    if (!weights)
        return CLI_DONE;
    c->file_count = kept;
    c->request.open.weights = weights;
    return kept || c->request.open.scene_given
               ? CLI_DONE
               : cli_usage(weights, "is a captioner: which picture?", "give one too, or --scene N");
}

static int check(caption_command *c)
{
    app_request *open = &c->request.open;
    const char *stored;
    const int own = take_own_weights(c);
    if (own != CLI_DONE)
        return own;
    if (!c->file_count && !open->scene_given)
        return cli_usage("caption", "needs a picture", "give one, or --scene N");
    if (c->file_count && open->scene_given)
        return cli_usage("--scene", "is given beside a picture", "give one of the two");
    if (open->together && (!open->weights || c->file_count < 1))
        return cli_usage("--together", "is given without --weights and pictures",
                         "give the folder of a model that answers, and several pictures");
    if (c->causal && c->json)
        return cli_usage("--causal", "is given beside --json", "give one of the two");
    if (c->score && open->weights)
        return cli_usage("--score", "is given beside --weights", "give one of the two");
    if (c->temperature_given && !(c->temperature >= 0.25f && c->temperature <= 4.0f))
        return cli_usage("--temperature", "is out of range", "give a number from 0.25 to 4");
    const bool all_heads = c->gaze_heads && strcmp(c->gaze_heads, "all") == 0;
    if (!c->gaze && (c->from_given || all_heads))
        return cli_usage(c->from_given ? "--from-word" : "--gaze-heads all",
                         "is given without --gaze", "give a place, too");
    if (c->from_given && c->from < 1)
        return cli_usage("--from-word", "is out of range", "give a word from 1 on");
    if (c->gaze_heads && strlen(c->gaze_heads) >= SAC_GAZE_HEADS)
        return cli_usage("--gaze-heads", "is too long", "give fewer heads");
    sac_normalizer normalizer;
    if (c->normalizer && !sac_normalizer_from_name(c->normalizer, &normalizer))
        return cli_usage("--normalizer", "is unknown", "give softmax, entmax15 or sparsemax");
    if (c->beam_given && (c->beam < 1 || c->beam > MAX_BEAM))
        return cli_usage("--beam", "is out of range", "give a whole number from 1 to 5");
    if (cli_penalty_check(&c->penalty, c->beam) != CLI_DONE)
        return CLI_USAGE;
    int status = cli_request_check_and_fill(&c->request);
    if (status == CLI_DONE && (stored = app_find_setting(open, "storage")))
        sac_model_storage_find(stored, &open->spec.storage);
    return status;
}

/* ---------------------------------------------------------------- what is asked of the model */

/* "2,3,5,6 8,8,9,9": rectangles of cells, their corners included. */
static sac_status parse_hidden_cells(caption_work *w, sac_error *error)
{
    int grid_w = w->source.picture.grid_w, grid_h = w->source.picture.grid_h, x0, y0, x1, y1, used;
    for (const char *at = w->command->hide; *at; at += used) {
        int found = sscanf(at, " %d,%d,%d,%d%n", &x0, &y0, &x1, &y1, &used);
        if (found == EOF)
            break;
        if (found != 4 || x0 < 0 || y0 < 0 || x1 < x0 || y1 < y0 || x1 >= grid_w || y1 >= grid_h)
            return sac_fail(error, SAC_E_ARGUMENT, "--hide",
                            "give X0,Y0,X1,Y1, the first and the last cell",
                            "\"%.60s\" is not a rectangle of the %d × %d cells, counted from 0", at,
                            grid_w, grid_h);
        for (int y = y0; y <= y1; y++)
            memset(w->hidden + y * grid_w + x0, 1, (size_t)(x1 - x0 + 1));
    }
    w->request.hidden = w->hidden;
    return SAC_OK;
}

static sac_status parse_gaze(caption_work *w, sac_error *error)
{
    const caption_command *c = w->command;
    const sac_picture_source *picture = &w->source.picture;
    const bool is_named = c->gaze_heads && strcmp(c->gaze_heads, "all") != 0;
    sac_status status = SAC_OK;
    if (c->gaze && strchr(c->gaze, ' ')) /* what a description has more is other options' */
        return sac_fail(error, SAC_E_ARGUMENT, "--gaze", "give X,Y or X,Y,R, without blanks",
                        "\"%.60s\" is no place of a picture", c->gaze);
    if (c->gaze)
        status = sac_gaze_read(c->gaze, picture->grid_w, picture->grid_h, &w->request.gaze, error);
    if (status == SAC_OK && c->from_given)
        w->request.gaze.from = c->from - 1;
    if (status == SAC_OK && is_named)
        snprintf(w->request.gaze.heads, SAC_GAZE_HEADS, "%s", c->gaze_heads);
    return status;
}

static sac_status fail_unknown_word(const sac_source *source, const char *word, sac_error *error)
{
    char remedy[128] = "give words of a caption, such as \"a small\"";
    sac_suggestion suggestion = {.word = word};
    for (int i = 0; i < source->result.vocabulary_count; i++)
        if (sac_source_allows_token(source, i))
            sac_suggestion_try(&suggestion, source->result.vocabulary[i]);
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(remedy, sizeof remedy, "did you mean %s?", best);
    return sac_fail(error, SAC_E_ARGUMENT, "--words", remedy,
                    "\"%.60s\" is not in the vocabulary of this model", word);
}

static sac_status parse_prefix_words(caption_work *w, sac_error *error)
{
    sac_result_request *request = &w->request;
    char word[64];
    int used;
    for (const char *at = w->command->words; sscanf(at, " %63s%n", word, &used) == 1; at += used) {
        int number = viz_vocabulary_find(&w->source, word);
        if (number < 0)
            return fail_unknown_word(&w->source, word, error);
        if (request->prefix_count == SAC_MAX_TOKENS)
            return sac_fail(error, SAC_E_ARGUMENT, "--words", NULL,
                            "a caption has at most %d words", SAC_MAX_TOKENS);
        request->prefix[request->prefix_count++] = number;
    }
    return SAC_OK;
}

static sac_status make_request(caption_work *w, sac_error *error)
{
    sac_status status = SAC_OK;
    const cli_drawing subtitles = cli_drawing_only(&w->command->drawing, CLI_SUBTITLES);
    if (subtitles.file_count && !w->source.result.has_times)
        return sac_fail(error, SAC_E_ARGUMENT, subtitles.files[0].path,
                        "give a sound to a model of speech, such as Whisper",
                        "the words of %.60s have no times", w->source.result.model[0]);
    for (int i = 0; i < subtitles.file_count && !w->several && status == SAC_OK; i++)
        status = sac_output_check(subtitles.files[i].path, error); /* a sound may take long */
    w->request.temperature = w->command->temperature;
    if (w->command->normalizer) {
        sac_normalizer normalizer = SAC_NORMALIZER_SOFTMAX;
        sac_normalizer_from_name(w->command->normalizer, &normalizer); /* which was checked */
        w->request.normalizer = 1 + (int)normalizer;
    }
    w->request.beam = w->command->beam;
    w->request.penalty = w->command->penalty;
    w->request.layer = w->command->layer + 1;
    w->request.head = w->command->head + 1;
    w->request.no_sinks = w->command->no_sinks;
    if (status == SAC_OK)
        status = cli_penalty_check_beam(&w->command->penalty, w->command->beam,
                                        sac_source_beam(&w->source), error);
    if (status == SAC_OK && w->command->attribution)
        status = sac_attribution_find(w->command->attribution, &w->request.attribution, error);
    if (status == SAC_OK && w->command->hide &&
        w->source.picture.grid_w * w->source.picture.grid_h <= MAX_CELLS)
        status = parse_hidden_cells(w, error);
    if (status == SAC_OK)
        status = parse_gaze(w, error);
    if (status == SAC_OK && w->command->words)
        status = parse_prefix_words(w, error);
    return status;
}

/* ---------------------------------------------------------------- what is printed */

static int figure_column_width(const sac_output_figure *figure)
{
    const int least = figure->is_pair ? 7 : 6, width = (int)strlen(figure->heading);
    return width > least ? width : least;
}

static void print_table(FILE *out, const sac_source *source, const sac_result *caption)
{
    sac_caption_mark marks[SAC_MAX_TOKENS];
    if (source->result.has_truth)
        sac_caption_judge(caption, &source->result.truth, marks);
    sac_print(out, "%-10s %11s", "word", "probability");
    for (int k = 0; k < SAC_OUTPUT_FIGURES; k++)
        if (sac_output_figures[k].heading && sac_result_has_figure(caption, &sac_output_figures[k]))
            sac_print(out, " %*s", figure_column_width(&sac_output_figures[k]),
                      sac_output_figures[k].heading);
    sac_print(out, "%s\n", source->result.has_truth ? "  in its box" : "");
    for (int i = 0; i < caption->count; i++) {
        const sac_result_output *word = &caption->outputs[i];
        char box[32] = "";
        sac_print(out, "%-10s %11.3f", word->text, (double)word->probability);
        for (int k = 0; k < SAC_OUTPUT_FIGURES; k++) {
            const sac_output_figure *figure = &sac_output_figures[k];
            char text[48];
            float value[2];
            if (!figure->heading || !sac_result_has_figure(caption, figure))
                continue;
            sac_result_figure(caption, i, figure, value);
            const int digits = figure->is_whole ? 0 : 2;
            int used = snprintf(text, sizeof text, "%.*f", digits, (double)value[0]);
            if (figure->is_pair)
                snprintf(text + used, sizeof text - (size_t)used, ",%.*f", digits,
                         (double)value[1]);
            sac_print(out, " %*s", figure_column_width(figure), text);
        }
        if (source->result.has_truth && marks[i].object >= 0)
            snprintf(box, sizeof box, "  %3.0f %% %s", 100 * (double)marks[i].localization.mass,
                     marks[i].localization.inside ? "✓" : "");
        sac_print(out, "%s%s\n", box, word->unsure ? "  unsure" : "");
    }
    sac_print(out, "%.1f ms on %s\n", caption->milliseconds, source->origin.device);
}

static const char *causal_word(const sac_source *source, int word)
{
    return word == SAC_CAUSAL_SAME  ? ""
           : word == SAC_CAUSAL_END ? "(end)"
                                    : source->result.vocabulary[word];
}

/* Each word without the cells that it looked at, and without as many others. */
static sac_status print_causal(caption_work *w, const sac_result *caption, sac_error *error)
{
    sac_source *source = &w->source;
    sac_status status = SAC_OK;
    sac_print(w->out, "%-10s %11s %6s %8s %-10s %10s\n", "word", "probability", "cells", "without",
              "", "elsewhere");
    for (int i = 0; i < caption->count && status == SAC_OK; i++) {
        sac_causal c;
        status = sac_causal_ask(source, &w->request, caption, i, (uint32_t)i, &c, error);
        if (status != SAC_OK)
            break;
        sac_print(w->out, "%-10s %11.3f %6d ", caption->outputs[i].text, (double)c.probability,
                  c.cells);
        if (c.cells)
            sac_print(w->out, "%8.3f %-10s ", (double)c.hidden, causal_word(source, c.instead));
        if (c.draws)
            sac_print(w->out, "%10.3f  another word in %d of %d", (double)c.elsewhere, c.changed,
                      c.draws);
        if (c.usual != SAC_CAUSAL_SAME)
            sac_print(w->out, "  (likeliest anyway: %s)", causal_word(source, c.usual));
        putc('\n', w->out);
    }
    return status;
}

static void print_line(const caption_work *w, const char *name, const char *line)
{
    if (w->several)
        sac_print(w->out, "%s: ", name);
    sac_print_text(w->out, line);
    putc('\n', w->out);
}

/* "dog: x 52 to 332, y 104 to 250", in pixels of the picture. */
static void print_region(const caption_work *w, const char *name, const sac_regions *all,
                         const sac_region *region)
{
    const char *label = sac_region_label(all, region);
    char line[SAC_REGION_LABELS + 128], outline[40] = "";
    int low[2], high[2];
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = high[axis] = sac_region_pixel(all, region, 0, axis);
        for (int k = 1; k < region->points; k++) {
            int at = sac_region_pixel(all, region, k, axis);
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
    if (!region->is_box)
        snprintf(outline, sizeof outline, ", an outline of %d points", region->points);
    snprintf(line, sizeof line, "%s%sx %d to %d, y %d to %d%s", label, label[0] ? ": " : "", low[0],
             high[0], low[1], high[1], outline);
    print_line(w, name, line);
}

/* True where a sentence has more than its regions and their names. */
static bool has_text_beside_regions(const sac_result *caption)
{
    for (int i = 0; i < caption->count; i++) {
        bool named = sac_result_is_place(caption, i);
        for (int k = 0; k < caption->regions.count; k++)
            named |= sac_region_is_of(&caption->regions.region[k], i);
        for (const char *at = caption->outputs[i].text; *at && !named; at++)
            if (isalnum((unsigned char)*at) || (*at & 0x80))
                return true;
    }
    return false;
}

/* "heads that look at what is described: 2.3 (0.61), 1.0 (0.55)", with their scores. */
static void print_heads(const caption_work *w, const char *name, const sac_result *caption)
{
    char line[2048] = "";
    size_t used = 0;
    for (size_t i = 0; i < caption->gaze_head_count && used < sizeof line; i++) {
        const sac_gaze_head *head = &caption->gaze_heads[i];
        if (head->is_chosen)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s %zu.%zu (%.2f)",
                                     used ? "," : "", head->layer, head->head, (double)head->score);
    }
    if (sac_gaze_is_auto(&caption->gaze)) {
        char all[sizeof line + 64];
        snprintf(all, sizeof all, "heads that look at what is described:%s", used ? line : " none");
        print_line(w, name, all);
    }
}

static void print_sentence(caption_work *w, const char *name, const sac_result *caption)
{
    const sac_regions *regions = &caption->regions;
    char *text = sac_result_make_placeless_line(caption);
    int found = 0;
    for (int i = 0; i < regions->count; i++)
        found += !regions->region[i].asked;
    if (text && !*text) { /* places that are no region, at least */
        free(text);
        text = sac_result_make_line(caption);
    }
    char *line = NULL;
    if (text && text[0] &&
        asprintf(&line, "%s%s", caption->is_doubtful ? "perhaps: " : "", text) < 0)
        line = NULL;
    if (!found || has_text_beside_regions(caption))
        print_line(w, name, line ? line : "(no words)");
    free(line);
    if (caption->before && asprintf(&line, "without the gaze: %s", caption->before) >= 0) {
        print_line(w, name, line);
        free(line);
    }
    print_heads(w, name, caption);
    free(text);
    for (int i = 0; i < regions->count; i++)
        if (!regions->region[i].asked)
            print_region(w, name, regions, &regions->region[i]);
    if (w->command->verbose)
        print_table(w->out, &w->source, caption);
    char note[CLI_NOTE];
    sac_source_whole_note(&w->source, caption, note, sizeof note);
    if (note[0] && (!w->piece || strcmp(w->note, note) != 0))
        sac_print(stderr, "saccade: %s: %s\n", name, note);
    snprintf(w->note, sizeof w->note, "%s", note);
}

/* ---------------------------------------------------------------- what is written */

/* The path of picture `index`'s output: `target` itself, or for several pictures the file of the
 * picture's name in the folder `target`, which is made if need be. */
static sac_status compose_output_path(const caption_work *w, const char *target, const char *ending,
                                      int index, char *path, size_t size, sac_error *error)
{
    char piece[16] = ""; /* "out-2.png": of the second piece */
    if (w->piece)
        snprintf(piece, sizeof piece, "-%d", w->piece + 1);
    if (!w->several) {
        const size_t tail = strlen(ending), whole = strlen(target);
        const size_t stem = whole > tail ? whole - tail : whole;
        int made = snprintf(path, size, "%.*s%s%s", (int)stem, target, piece, target + stem);
        return (size_t)made < size ? SAC_OK
                                   : sac_fail(error, SAC_E_FILE, target, "give a shorter name",
                                              "the name of the file is too long");
    }
    if (mkdir(target, 0777) != 0 && !(errno == EEXIST && sac_is_folder(target)))
        return sac_fail(error, SAC_E_FILE, target, "several pictures are written into a folder",
                        "cannot make the folder: %s", strerror(errno));
    int used = snprintf(path, size, "%s/%s%s%s", target, w->names[index], piece, ending);
    return (size_t)used < size ? SAC_OK
                               : sac_fail(error, SAC_E_FILE, target, "give a shorter name",
                                          "the name of the folder is too long");
}

/* The same request to the view. */
static sac_status draw(caption_work *w, const cli_drawing *drawing, sac_error *error)
{
    const app_request *look = &w->command->request.open;
    viz_view *view;
    sac_status status = viz_caption_class.create(&w->source, NULL, &view, error);
    if (status != SAC_OK)
        return status;
    viz_sentence_view_apply_request(view, &w->request);
    for (int i = 0; i < look->setting_count; i++)
        viz_view_restore(view, look->settings[i].key, look->settings[i].value);
    return cli_drawing_write_view(drawing, view, error);
}

/* Each file by itself: its name is of its input. */
static sac_status draw_all(caption_work *w, int index, sac_error *error)
{
    const cli_drawing *asked = &w->command->drawing;
    sac_status status = SAC_OK;
    for (int i = 0; i < asked->file_count && status == SAC_OK; i++) {
        cli_file file = asked->files[i];
        if (CLI_BIT(file.type) & CLI_SUBTITLES)
            continue;
        cli_drawing one = *asked;
        char path[4096];
        status = compose_output_path(w, file.path, cli_file_ending(file.type), index, path,
                                     sizeof path, error);
        one.file_count = 1;
        one.files[0] = (cli_file){file.type, path};
        if (status == SAC_OK)
            status = draw(w, &one, error);
    }
    return status;
}

static sac_status write_all(caption_work *w, int index, const sac_result *caption, sac_error *error)
{
    char path[4096];
    const char *npz = w->command->npz;
    sac_attentions attentions = {0};
    sac_status status = SAC_OK;
    if (npz)
        status = compose_output_path(w, npz, ".npz", index, path, sizeof path, error);
    if (status == SAC_OK && npz && sac_gaze_is_held(&caption->gaze))
        sac_print(stderr, "saccade: %s: the heads are left out, for some are held\n", path);
    else if (status == SAC_OK && npz)
        status = sac_source_all_attentions(&w->source, caption, &attentions, error);
    if (status == SAC_OK && npz)
        cli_print_left_out(path, &attentions);
    if (status == SAC_OK && npz)
        status = cli_result_save(path, &w->source, caption, &attentions, &(sac_attention_kind){0},
                                 error);
    sac_attentions_free(&attentions);
    return status == SAC_OK ? draw_all(w, index, error) : status;
}

/* Of all pieces of the sound. */
static sac_status write_subtitles(caption_work *w, int index, sac_error *error)
{
    const cli_drawing *asked = &w->command->drawing;
    sac_status status = SAC_OK;
    for (int i = 0; i < asked->file_count && status == SAC_OK; i++) {
        const cli_file *file = &asked->files[i];
        char path[4096];
        if (!(CLI_BIT(file->type) & CLI_SUBTITLES))
            continue;
        status = compose_output_path(w, file->path, cli_file_ending(file->type), index, path,
                                     sizeof path, error);
        if (status == SAC_OK)
            status = cli_save_subtitles(&w->subtitles, file->type, path, error);
    }
    return status;
}

/* ---------------------------------------------------------------- the work */

/* Of the dataset that is requested; else that of the picture, or for scenes the first that has the
 * score. */
static sac_status open_generator(caption_work *w, sac_error *error)
{
    const app_request *request = &w->command->request.open;
    app_captioner captioner = {
        .request = request,
        .dataset = w->dataset ? w->dataset : request->dataset,
        .score = w->command->score,
        .chosen = request->dataset || request->weights,
        .pictures = (const char *const *)w->pictures.paths,
        .picture_count = w->pictures.count,
        .picture = -1,
        .scene = request->scene,
    };
    sac_status status = app_captioner_open(&captioner, &w->source, error);
    return status == SAC_OK ? make_request(w, error) : status;
}

/* Reads the picture, unless it is there, where it decides which model captions it. */
static sac_status find_dataset(caption_work *w, int index, const char **dataset, sac_error *error)
{
    const app_request *request = &w->command->request.open;
    *dataset = NULL;
    if (request->dataset || request->weights || !w->pictures.count)
        return SAC_OK;
    if (!w->picture.rgba) {
        sac_status status = sac_image_load(w->pictures.paths[index], &w->picture, error);
        if (status != SAC_OK)
            return status;
        w->picture_dataset = app_dataset_of_picture(w->pictures.paths[index], &w->picture);
    }
    *dataset = w->picture_dataset;
    return SAC_OK;
}

/* Outputs of pieces of a sound have numbers behind their names. */
static bool has_sounds(const caption_work *w)
{
    uint8_t start[16];
    for (int i = 0; w->command->request.open.weights && i < w->pictures.count; i++)
        if (sac_sound_is(start, sac_file_read_start(w->pictures.paths[i], start, sizeof start)))
            return true;
    return false;
}

static sac_status choose_output_names(caption_work *w, sac_error *error)
{
    int renamed;
    if (!w->several || (!w->command->npz && !cli_drawing_wanted(&w->command->drawing)))
        return SAC_OK;
    sac_status status = cli_output_names(w->pictures.paths, w->pictures.count, has_sounds(w),
                                         &w->names, &renamed, error);
    for (int i = 0; i < w->pictures.count && status == SAC_OK && renamed && !sac_ranks_me(); i++) {
        const char *slash = strrchr(w->pictures.paths[i], '/');
        const char *name = slash ? slash + 1 : w->pictures.paths[i];
        const size_t size = strlen(w->names[i]);
        if (strncmp(name, w->names[i], size) == 0 && strrchr(name, '.') == name + size)
            continue; /* is called as usual */
        sac_print(
            stderr,
            "saccade: caption: %d pictures have the names of others: their outputs have folders "
            "or endings in their names, such as %s of %s\n",
            renamed, w->names[i], w->pictures.paths[i]);
        break;
    }
    return status;
}

/* A file of a folder that is no picture, by its name alone. Returns the exit status. */
static int report_unread(const char *path)
{
    sac_image image = {0};
    sac_error error = {0};
    if (sac_image_load(path, &image, &error) != SAC_OK)
        return cli_report_now(&error);
    sac_image_free(&image);
    return CLI_DONE;
}

static sac_status open_source(caption_work *w, sac_error *error)
{
    const caption_command *c = w->command;
    sac_status status = sac_picture_files_find(c->files, c->file_count, &w->pictures, error);
    if (status != SAC_OK)
        return status;
    for (int i = 0; i < w->pictures.unread_count && sac_ranks_me() == 0; i++)
        w->unread = report_unread(w->pictures.unread[i]);
    w->several = !c->request.open.together &&
                 (c->file_count > 1 || (c->file_count == 1 && sac_is_folder(c->files[0])));
    status = choose_output_names(w, error);
    if (status != SAC_OK)
        return status;
    /* A damaged first picture is reported when it is turned to. */
    return find_dataset(w, 0, &w->dataset, NULL) == SAC_OK ? open_generator(w, error) : SAC_OK;
}

/* A picture of another dataset than the one before has another model. */
static sac_status turn_to(caption_work *w, int index, sac_error *error)
{
    const char *dataset;
    sac_status status = find_dataset(w, index, &dataset, error);
    if (status != SAC_OK)
        return status;
    bool same = dataset && w->dataset ? !strcmp(dataset, w->dataset) : dataset == w->dataset;
    if (!same || !w->source.picture.turn) { /* none is open where the last could not be */
        sac_source_destroy(&w->source);
        w->dataset = dataset;
        w->request = (sac_result_request){0};
        memset(w->hidden, 0, sizeof w->hidden);
        status = open_generator(w, error);
    }
    if (status != SAC_OK)
        return status;
    w->source.picture.next = w->picture.rgba ? &w->picture : NULL;
    /* Pictures are captioned in order: pieces that are known are of sounds before this one. */
    const int pieces = w->pictures.count ? w->source.picture.count - w->pictures.count : 0;
    status = sac_source_turn_to_example(&w->source, index + (pieces > 0 ? pieces : 0), error);
    w->source.picture.next = NULL;
    return status;
}

/* Of the picture that is open, or of piece w->piece of a sound. */
static sac_status caption_opened_picture(caption_work *w, int index, sac_error *error)
{
    sac_result caption = {0};
    char name[1100];
    sac_source *source = &w->source;
    sac_status status = sac_source_generate(source, &w->request, &caption, error);
    w->goes_on = status == SAC_OK && caption.goes_on;
    if (status == SAC_OK && cli_drawing_has(&w->command->drawing, CLI_SUBTITLES))
        status = sac_subtitles_add(&w->subtitles, &caption, error);
    if (status == SAC_OK)
        status = write_all(w, index, &caption, error);
    if (source->picture.scenes || source->picture.parts || !w->piece)
        snprintf(name, sizeof name, "%s",
                 source->picture.scenes || source->picture.parts ? source->title
                                                                 : w->pictures.paths[index]);
    else
        snprintf(name, sizeof name, "%.1000s, from %.2f s", w->pictures.paths[index],
                 (double)caption.from);
    if (status == SAC_OK && w->command->json) {
        char *text = cli_result_json(source, 0, &caption);
        if (w->out != stdout && text) {
            fprintf(w->out, "%s\n", text);
            cJSON_free(text);
        } else
            status = cli_print_json_line(text, "caption", error);
    } else if (status == SAC_OK)
        print_sentence(w, name, &caption);
    if (status == SAC_OK && w->command->causal)
        status = print_causal(w, &caption, error);
    sac_result_free(&caption);
    return status;
}

/* A sound is captioned to its end: each piece ends where the next begins. */
static sac_status caption_one(caption_work *w, int index, sac_error *error)
{
    sac_status status = turn_to(w, index, error);
    sac_image_free(&w->picture);
    w->piece = 0;
    if (status == SAC_OK)
        status = caption_opened_picture(w, index, error);
    while (status == SAC_OK && w->goes_on) {
        w->piece++;
        status = sac_source_turn_to_example(&w->source, w->source.picture.number + 1, error);
        if (status == SAC_OK)
            status = caption_opened_picture(w, index, error);
    }
    w->piece = 0;
    if (status == SAC_OK)
        status = write_subtitles(w, index, error);
    sac_subtitles_free(&w->subtitles);
    return status;
}

/* Each process captions the next picture that is not taken, and the first prints what all have, a round at a time, in
 * the order of the pictures. Errors are printed by the process that meets them; one bad picture of many does not keep
 * the others from being captioned. */
typedef struct caption_round {
    caption_work *w;
    int first;    /* picture */
    FILE *mine;   /* for each picture its number, the bytes of its text, and that */
    double worst; /* exit status */
} caption_round;

static sac_status caption_in_round(void *user, size_t item, sac_error *error)
{
    caption_round *r = user;
    caption_work *w = r->w;
    int index = r->first + (int)item;
    const bool alone = sac_ranks_count() == 1; /* prints each piece of a long sound at once */
    char *text = NULL;
    size_t size = 0;
    if (cli_interrupted())
        return sac_fail(error, SAC_E_CANCELLED, "caption", NULL,
                        "stopped on request after %d of %d pictures", index, w->pictures.count);
    w->out = alone ? stdout : open_memstream(&text, &size);
    if (!w->out)
        return sac_no_memory(error, "caption");
    if (index > 0 || sac_ranks_me() > 0) /* the first was read to find the model */
        sac_image_free(&w->picture);
    sac_status status = caption_one(w, index, error);
    if (!alone && fclose(w->out) != 0)
        status = sac_no_memory(error, "caption");
    /* Another process goes on where the device of this one failed. */
    if (status != SAC_OK && status != SAC_E_CANCELLED && (alone || status != SAC_E_DEVICE)) {
        r->worst = cli_report_now(error);
        status = SAC_OK;
    }
    if (status == SAC_OK && !alone)
        fprintf(r->mine, "%zu %zu\n%s", item, size, text);
    free(text);
    return status;
}

/* Prints the pictures of a round in their order, out of the texts of all processes. */
static sac_status print_round(const caption_work *w, size_t count, char *const *texts,
                              sac_error *error)
{
    char **of = calloc(count, sizeof *of);
    if (!of)
        return sac_no_memory(error, "caption");
    for (int p = 0; p < sac_ranks_count(); p++)
        for (char *at = texts[p]; *at;) {
            size_t item = strtoul(at, &at, 10), size = strtoul(at, &at, 10);
            of[item] = strndup(++at, size);
            at += size;
        }
    for (size_t i = 0; i < count; i++) {
        for (char *line = of[i], *end; line && *line; line = end) {
            end = line + strcspn(line, "\n");
            if (*end)
                *end++ = '\0';
            if (w->command->json)
                cli_print_json_text(line);
            else
                sac_print(stdout, "%s\n", line);
        }
        free(of[i]);
    }
    free(of);
    return SAC_OK;
}

static sac_status run_round(caption_work *w, int first, size_t count, double *worst,
                            sac_error *error)
{
    int processes = sac_ranks_count();
    char *text = NULL, **texts = calloc((size_t)processes, sizeof *texts);
    size_t size;
    caption_round r = {w, first, open_memstream(&text, &size), *worst};
    sac_status status = r.mine && texts ? SAC_OK : sac_no_memory(error, "caption");
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK)
        status = sac_ranks_each(count, caption_in_round, &r, error);
    bool is_whole = r.mine && fclose(r.mine) == 0;
    if (status == SAC_OK)
        status = sac_ranks_agree(is_whole ? SAC_OK : sac_no_memory(error, "caption"), error);
    if (status == SAC_OK && processes > 1) /* one alone has printed its own */
        status = sac_ranks_collect(text, texts, error);
    if (status == SAC_OK && processes > 1 && sac_ranks_me() == 0)
        status = print_round(w, count, texts, error);
    for (int p = 0; texts && p < processes; p++)
        free(texts[p]);
    free(texts);
    free(text);
    *worst = r.worst;
    return status;
}

/* Rounds of several processes grow, so that the first captions come soon and processes seldom wait for each other. */
static int caption_all(caption_work *w)
{
    enum { MOST = 16 }; /* pictures of a round for each process */
    int processes = sac_ranks_count(), round = processes;
    int count = w->pictures.count && !w->command->request.open.together ? w->pictures.count : 1;
    double worst = w->unread, *all = calloc((size_t)processes, sizeof *all);
    sac_error error = {0};
    sac_status status = all ? SAC_OK : sac_no_memory(&error, "caption");
    for (int first = 0; first < count && status == SAC_OK; first += round) {
        if (first > 0 && processes > 1 && round < MOST * processes)
            round *= 2;
        round = round < count - first ? round : count - first;
        status = run_round(w, first, (size_t)round, &worst, &error);
    }
    if (status == SAC_OK)
        status = sac_ranks_share(&worst, all, sizeof worst, &error);
    if (status != SAC_OK)
        worst = cli_report(&error);
    for (int i = 0; status == SAC_OK && i < processes; i++)
        worst = all[i] > worst ? all[i] : worst;
    free(all);
    return (int)worst;
}

static int run_caption(cli_args args)
{
    caption_command c = {.layer = -1, .head = -1}; /* the mean of all */
    caption_work w = {.command = &c};
    sac_error error = {0};
    int status = parse(args, &c);
    if (status == CLI_DONE)
        status = check(&c);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    status = cli_share_devices(c.request.open.device);
    if (status != CLI_DONE)
        return status;
    c.request.open.device = cli_own_device(c.request.open.device);
    sac_status opened = cli_drawing_open_fonts(&c.drawing, &error);
    if (opened == SAC_OK)
        opened = open_source(&w, &error);
    for (int i = 0; opened == SAC_OK && i < w.pictures.count; i++)
        sac_bytes_announce_read(w.pictures.paths[i]);
    if (cli_inputs_agree(opened, &error) != SAC_OK)
        status = cli_report(&error);
    else
        status = caption_all(&w);
    sac_image_free(&w.picture);
    sac_source_destroy(&w.source);
    for (int i = 0; w.names && i < w.pictures.count; i++)
        free(w.names[i]);
    free(w.names);
    sac_picture_files_free(&w.pictures);
    cli_drawing_close_fonts(&c.drawing);
    return status;
}

const cli_command cli_caption = {"caption", "[OPTIONS] IMAGE…|FOLDER|--scene N",
                                 "caption pictures, with the attention of each word", run_caption,
                                 .shares = true};
