/* Options of what is to be opened, and their checks. */

#include "cli/request_options.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/open/captioner.h"
#include "base/error.h"
#include "base/text/suggestion.h"
#include "classes/views.h"
#include "cli/drawing.h"
#include "datasets/dataset.h"
#include "images/folder.h"
#include "pretrained/files/places.h"
#include "pretrained/files/pretrained.h"

enum { MAX_GRID = 4096, MAX_CONTINUATION = 100000 };

#define AT(member) offsetof(cli_request, member)
static const struct {
    const char *name;
    cli_kind kind;
    size_t at;
    const char *value_name, *help, *group;
} rules[] = {
    {"--tab", CLI_TEXT, AT(open.tab), "T", NULL},
    {"--difference", CLI_FLAG, AT(difference), NULL,
     "show how these states differ from the first, or the second file's weights from the "
     "first's"},
    {"--with", CLI_TEXT, AT(open.with), "S", CLI_WITH_HELP},
    {"--between", CLI_TEXT, AT(open.between), "P,P", CLI_BETWEEN_HELP},
    {"--scene", CLI_SEED, AT(open.scene), "N",
     "caption scene N of the test stream instead of a picture"},
    {"--dataset", CLI_TEXT, AT(open.dataset), "D",
     "captioner trained on " CLI_CAPTIONER_HELP " (default: that of the picture)"},
    {"--text", CLI_TEXT, AT(open.text), "TEXT",
     "sentence to translate, text for a pretrained model, or what it is asked of a picture",
     "models, and what they read"},
    {"--text-pair", CLI_TEXT, AT(pair_text), "TEXT",
     "second text, which an encoder reads with that one as a pair"},
    {"--chat", CLI_LIST, AT(chat), "TURN",
     "turn of a conversation as \"user: …\", or a JSON file of them; by the folder's template"},
    {"--from", CLI_TEXT, AT(open.from), "L",
     "language of that sentence, by the code of a translator between many"},
    {"--to", CLI_TEXT, AT(open.to), "L", "language that it is translated to"},
    {"--language", CLI_TEXT, AT(open.language), "L", CLI_LANGUAGE_HELP},
    {"--task", CLI_TEXT, AT(open.task), "T", CLI_TASK_HELP},
    {"--continue", CLI_WHOLE, AT(open.continuation), "N",
     "tokens to generate after the text; with --temperature they are sampled"},
    {"--seed", CLI_SEED, AT(open.draw.seed), "N", "seed of that sampling"},
    {"--top-k", CLI_WHOLE, AT(open.draw.top_k), "K",
     "sample from the K most probable tokens alone"},
    {"--top-p", CLI_REAL, AT(open.draw.top_p), "P",
     "sample from the most probable tokens that have P of the probability together"},
    {"--as-trained", CLI_FLAG, AT(open.as_trained), NULL, "preprocess the picture as in training"},
    {"--together", CLI_FLAG, AT(open.together), NULL,
     "ask one question about all pictures, of a pretrained model that answers"},
    {"--boxes", CLI_TEXT, AT(open.boxes), "F",
     "JSON file of the objects in the picture, for a pretrained model"},
    {"--weights", CLI_TEXT, AT(open.weights), "F", "captioner or translator of your own"},
    {"--ignore", CLI_LIST, AT(ignored), "KEY",
     "pass over a key of a GGUF that is not known or not supported"},
    {"--follow", CLI_FLAG, AT(open.follow), NULL,
     "open every file that a PNG of Saccade refers to; only for PNGs you trust"},
    {"--device", CLI_TEXT, AT(open.device), "S", CLI_DEVICES_HELP},
    {"--take", CLI_TEXT, AT(open.array), "NAME",
     "array of weights or of queries; * stands for the number of the layer; or a model's stage",
     "files of arrays"},
    {"--axes", CLI_TEXT, AT(open.axes), "AXES",
     "axes of the weights (such as LBHQK), or of the queries (such as BTHD)"},
    {"--labels", CLI_TEXT, AT(open.labels), "F",
     "tokens: text with one per line, JSON, .npz or .npy"},
    {"--grid", CLI_TEXT, AT(grid), "WxH", "columns x rows that the keys form over a picture"},
    {"--prefix", CLI_WHOLE, AT(open.prefix), "N", "number of leading tokens that are not cells"},
    {"--leave-out", CLI_TEXT, AT(open.leave_out), "NAMES",
     "arrays to ignore, separated by commas; * matches any text"},
    {"--softmax", CLI_FLAG, AT(open.softmax), NULL, "the array holds scores: show their softmax"},
    {"--padding", CLI_FLAG, AT(open.padding), NULL, "show padding that a mask in the file marks"},
    {"--allow-nan", CLI_FLAG, AT(open.allow_nan), NULL,
     "accept NaN in weights: hatch and count it"},
    {"--causal", CLI_CHOICE, AT(causal), CLI_CAUSAL_WORDS,
     "query i sees keys 0 to i; with fewer queries than keys counted from the end",
     "queries and keys, whose weights are computed"},
    {"--heads", CLI_WHOLE, AT(open.spec.heads), "H", "number of heads in queries and keys"},
    {"--kv-heads", CLI_WHOLE, AT(open.spec.key_heads), "H",
     "number of heads in keys, each shared by several heads of queries"},
    {"--softcap", CLI_REAL, AT(open.spec.softcap), "C",
     "queries and keys: a score s becomes C tanh(s/C)"},
    {"--window", CLI_WHOLE, AT(window), "N", "query i sees keys less than N away"},
};
enum { RULES = sizeof rules / sizeof *rules };
static_assert(RULES + APP_MAX_VIEW_OPTIONS <= CLI_REQUEST_OPTIONS, "callers have room for as many");

static bool is_name_wanted(const char *const *names, const char *name)
{
    while (names && *names && strcmp(*names, name) != 0)
        names++;
    return !names || *names;
}

int cli_request_options(cli_request *r, const char *const *names, cli_option *options)
{
    int count = 0;
    char *tabs = r->help[APP_MAX_VIEW_OPTIONS];
    const size_t size = sizeof *r->help;
    snprintf(tabs, size, "tab to open: ");
    viz_views_list(tabs + strlen(tabs), size - strlen(tabs));
    for (int i = 0; i < RULES; i++)
        if (is_name_wanted(names, rules[i].name))
            options[count++] = (cli_option){
                .name = rules[i].name,
                .kind = rules[i].kind,
                .value = (char *)r + rules[i].at,
                .given = rules[i].at == AT(open.scene) ? &r->open.scene_given : NULL,
                .value_name = rules[i].value_name,
                .help = rules[i].help ? rules[i].help : tabs,
                .group = rules[i].group,
            };
    const viz_setting *setting;
    for (int i = 0; (setting = app_view_option_at(i)); i++)
        if (is_name_wanted(names, setting->option))
            options[count++] =
                (cli_option){setting->option,
                             CLI_TEXT,
                             &r->settings[i],
                             NULL,
                             setting->value_name,
                             app_view_option_help(setting, r->help[i], sizeof r->help[i]),
                             i ? NULL : "what the views show"};
    return count;
}

/* Both texts of a pair as one, as a person types it. */
static int join_pair(cli_request *r)
{
    static const char between[] = " [SEP] ";
    app_request *open = &r->open;
    if (!r->pair_text)
        return CLI_DONE;
    if (!open->text)
        return cli_usage("--text-pair", "is given without --text", "give both texts");
    if (!open->text[strspn(open->text, " ")] || !r->pair_text[strspn(r->pair_text, " ")] ||
        strstr(open->text, "[SEP]") || strstr(r->pair_text, "[SEP]"))
        return cli_usage("--text-pair", "is not a pair with --text",
                         "give two texts with words in them, and without [SEP]");
    size_t size = strlen(open->text) + strlen(r->pair_text) + sizeof between;
    r->pair = malloc(size);
    sac_error error = {0};
    if (!r->pair) {
        sac_no_memory(&error, "--text-pair");
        return cli_report(&error);
    }
    snprintf(r->pair, size, "%s%s%s", open->text, between, r->pair_text);
    open->text = r->pair;
    open->is_pair = true;
    return CLI_DONE;
}

static int unknown_dataset(const char *dataset, bool photographs)
{
    const char *names[8];
    char what[96], remedy[64] = "give ";
    int count = 0;
    for (; count < 7 && sac_dataset_at(count); count++)
        names[count] = sac_dataset_at(count)->name;
    if (photographs)
        names[count++] = APP_PHOTOGRAPHS;
    sac_names_join(names, count, remedy + strlen(remedy), sizeof remedy - strlen(remedy));
    snprintf(what, sizeof what, "unknown dataset \"%.40s\"", dataset);
    return cli_usage("--dataset", what, remedy);
}

int cli_dataset_check(const char *dataset)
{
    return !dataset || sac_dataset_find(dataset) ? CLI_DONE : unknown_dataset(dataset, false);
}

int cli_captioner_check(const char *dataset, const char *weights)
{
    if (dataset && weights)
        return cli_usage("--dataset", "is given beside --weights", "give one of the two");
    bool known = !dataset || sac_dataset_find(dataset) || strcmp(dataset, APP_PHOTOGRAPHS) == 0;
    return known ? CLI_DONE : unknown_dataset(dataset, true);
}

/* Keys of a GGUF alone can be passed over. */
static int apply_ignored_keys(const cli_request *r)
{
    const app_request *open = &r->open;
    char place[SAC_PLACE_SIZE];
    sac_error error = {0};
    if (r->ignored.count && open->file_count && sac_is_pretrained(open->files[0]) &&
        sac_pretrained_place(open->files[0], place) && sac_is_folder(place))
        return cli_usage("--ignore", "works with a GGUF only", "leave it out");
    for (int i = 0; i < r->ignored.count; i++)
        if (sac_gguf_ignore(r->ignored.values[i], &error) != SAC_OK)
            return cli_report(&error);
    return CLI_DONE;
}

static int check_and_fill_chat(cli_request *r)
{
    app_request *open = &r->open;
    if (!r->chat.count)
        return CLI_DONE;
    if (open->text)
        return cli_usage("--chat", "is given beside --text", "add the text as a turn, \"user: …\"");
    if (!open->file_count || !sac_is_pretrained(open->files[0]))
        return cli_usage("--chat", "needs the folder of a model", "give one with a chat template");
    open->chat = r->chat.values;
    open->chat_count = r->chat.count;
    return CLI_DONE;
}

int cli_request_check_and_fill(cli_request *r)
{
    app_request *open = &r->open;
    sac_error error = {0};
    if (r->grid && !cli_read_sides(r->grid, 1, MAX_GRID, &open->grid_w, &open->grid_h))
        return cli_usage("--grid", "is not a grid", "give WxH in cells, such as 14x14");
    if (open->scene_given && open->file_count)
        return cli_usage("--scene", "is given beside a file", "give one of the two");
    if (cli_captioner_check(open->dataset, open->weights) != CLI_DONE)
        return CLI_USAGE;
    if (open->prefix < 0)
        return cli_usage("--prefix", "must be at least 0",
                         "give the number of tokens before the cells");
    int status = join_pair(r);
    if (status == CLI_DONE)
        status = check_and_fill_chat(r);
    if (status != CLI_DONE)
        return status;
    if (r->window < 0 || open->spec.key_heads < 0)
        return cli_usage(r->window < 0 ? "--window" : "--kv-heads", "must be at least 1",
                         "give 1 or more");
    open->spec.window = (size_t)r->window;
    cli_parse_causal(r->causal, &open->spec);
    status = apply_ignored_keys(r);
    if (status != CLI_DONE)
        return status;
    if (open->continuation < 0 || open->continuation > MAX_CONTINUATION)
        return cli_usage("--continue", "is out of range", "give a whole number from 0 to 100000");
    if (open->draw.top_k < 0)
        return cli_usage("--top-k", "is out of range", "give 1 or more");
    if (!(open->draw.top_p >= 0 && open->draw.top_p <= 1))
        return cli_usage("--top-p", "is out of range", "give a number from 0 to 1");
    return app_view_options_parse(r->settings, open->settings, &open->setting_count, &error) ==
                   SAC_OK
               ? CLI_DONE
               : cli_report(&error);
}
