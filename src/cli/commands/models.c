/* saccade models: the models that other programs have fetched, and which of them open here. */
#include <string.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "images/folder.h"
#include "pretrained/files/places.h"

enum { FOLDERS = 64, ABOUT = 200 };

/* A model and what it is, in two lines, or as an object of `list`. */
static void print_one(const sac_found_model *model, int width, cJSON *list)
{
    char about[ABOUT];
    sac_model_facts facts;
    sac_error error = {0};
    bool opens = sac_pretrained_model_read_facts(model->path, &facts, &error) == SAC_OK;
    if (!list) {
        char heads[48] = "";
        if (opens && facts.layers > 0)
            snprintf(heads, sizeof heads, ", %d layers × %d heads", facts.layers, facts.heads);
        if (opens)
            snprintf(about, sizeof about, "%s%s, %zu wide", facts.type, heads, facts.width);
        else
            snprintf(about, sizeof about, "does not open: %.180s", error.what);
        sac_print(stdout, "%-*s  %s\n", width, model->name, about);
        sac_print(stdout, "%-*s  %s\n", width, "", model->path);
        return;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", model->name);
    cJSON_AddStringToObject(json, "path", model->path);
    cJSON_AddBoolToObject(json, "opens", opens);
    if (opens) {
        cJSON_AddStringToObject(json, "architecture", facts.type);
        cJSON_AddNumberToObject(json, "layers", facts.layers);
        cJSON_AddNumberToObject(json, "heads", facts.heads);
        cJSON_AddNumberToObject(json, "width", (double)facts.width);
    } else {
        cJSON_AddStringToObject(json, "why", error.what);
    }
    cJSON_AddItemToArray(list, json);
}

static void print_all(const sac_found_models *found, bool json)
{
    int width = 0;
    cJSON *list = json ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < found->count; i++)
        if ((int)strlen(found->list[i].name) > width)
            width = (int)strlen(found->list[i].name);
    for (size_t i = 0; i < found->count; i++)
        print_one(&found->list[i], width, list);
    if (json)
        cli_print_json(list);
    else if (found->count == 0)
        sac_print(stdout,
                  "no model was found; `man saccade-models` lists where they are looked for\n");
    else
        sac_print(
            stdout,
            "\nopen one with: saccade PATH --text TEXT, or with a picture: saccade PATH PICTURE\n");
}

/* A line each, or an array. */
static void print_types(bool json)
{
    const char *type;
    cJSON *list = json ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; (type = sac_architecture_type(i)); i++) {
        if (json)
            cJSON_AddItemToArray(list, cJSON_CreateString(type));
        else
            sac_print(stdout, "%s\n", type);
    }
    if (json)
        cli_print_json(list);
}

static int run_models(cli_args args)
{
    bool json = false, types = false;
    int count;
    const char *folders[FOLDERS];
    sac_error error = {0};
    sac_found_models found = {0};
    const cli_option options[] = {
        {"--types", CLI_FLAG, &types, NULL, NULL,
         "list the types of models that are known, as config.json names them, instead"},
        {"--json", CLI_FLAG, &json, NULL, NULL, CLI_JSON_HELP},
        {0},
    };
    int status = cli_parse(args, options, folders, FOLDERS, &count);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (types && count)
        return cli_usage("--types", "is given beside a folder", "give one of the two");
    if (types) {
        print_types(json);
        return CLI_DONE;
    }
    sac_status searched = count ? SAC_OK : sac_find_kept_models(&found, &error);
    for (int i = 0; i < count && searched == SAC_OK; i++)
        searched = sac_is_folder(folders[i])
                       ? sac_find_models(folders[i], &found, &error)
                       : sac_fail(&error, SAC_E_FILE, folders[i], NULL, "there is no such folder");
    if (searched == SAC_OK)
        print_all(&found, json);
    else
        status = cli_report(&error);
    sac_found_models_free(&found);
    return status;
}

const cli_command cli_models = {"models", "[FOLDER…] [--types] [--json]",
                                "list the models that are on this machine, and which of them open",
                                run_models};

/* ---------------------------------------------------------------- saccade example: Python that makes a file of attention
 * out of a model, or a folder that is run here */

/* src/cli/examples/NAME.py */
extern const char cli_example_hf[], cli_example_vit[], cli_example_vlm[];
extern const char cli_example_stable_diffusion[], cli_example_show_attend_tell[];

static const struct {
    const char *name, *of, *script;
} examples[] = {
    {"hf", "a language model of transformers over a sentence", cli_example_hf},
    {"vit", "a vision transformer of timm over a picture", cli_example_vit},
    {"vlm", "a vision-language model of transformers over a picture", cli_example_vlm},
    {"diffusers", "a diffusion model: the words of a prompt over the generated picture",
     cli_example_stable_diffusion},
    {"show-attend-tell", "the checkpoint of the PyTorch tutorial on captions, as a folder to open",
     cli_example_show_attend_tell},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static int report_unknown_example(const char *name)
{
    char what[128], remedy[128];
    sac_suggestion suggestion = {.word = name};
    for (int i = 0; i < EXAMPLES; i++)
        sac_suggestion_try(&suggestion, examples[i].name);
    const char *best = sac_suggestion_get(&suggestion);
    snprintf(what, sizeof what, "unknown example \"%.60s\"", name);
    snprintf(remedy, sizeof remedy,
             best ? "did you mean %s?" : "give hf, vit, vlm, diffusers or show-attend-tell", best);
    return cli_usage("example", what, remedy);
}

static int run_example(cli_args args)
{
    int count;
    const char *name;
    const cli_option options[] = {{0}};
    int status = cli_parse(args, options, &name, 1, &count);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (!count) {
        puts("usage: saccade example NAME | python3 - ARGUMENTS    (the first line of the script "
             "lists "
             "them)\n");
        for (int i = 0; i < EXAMPLES; i++)
            sac_print(stdout, "  %-17s %s\n", examples[i].name, examples[i].of);
        return CLI_DONE;
    }
    for (int i = 0; i < EXAMPLES; i++)
        if (strcmp(examples[i].name, name) == 0) {
            sac_print_text(stdout, examples[i].script);
            return CLI_DONE;
        }
    return report_unknown_example(name);
}

const cli_command cli_example = {"example", "[hf|vit|vlm|diffusers|show-attend-tell]",
                                 "print a Python script that saves the attention of your model",
                                 run_example};
