/* A model that begins as a folder of others: its files, its tokenizer and its weights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/load_tensors.h"
#include "arrays/json.h"
#include "base/error.h"
#include "base/text/utf8.h"
#include "images/folder.h"
#include "language/language.h"
#include "pretrained/files/places.h"

/* ---------------------------------------------------------------- files and tokenizer */

/* Those of the files that there are. */
static sac_status read_files(const char *folder, cJSON *files, sac_error *error)
{
    sac_status status = SAC_OK;
    for (int i = 0; sac_gpt_file_names[i] && status == SAC_OK; i++) {
        cJSON *json = NULL;
        char *path = sac_path_join(folder, sac_gpt_file_names[i]);
        if (!path)
            return sac_no_memory(error, folder);
        if (sac_is_regular(path))
            status = sac_json_load(path, &json, error);
        if (json && !cJSON_AddItemToObject(files, sac_gpt_file_names[i], json)) {
            cJSON_Delete(json);
            status = sac_no_memory(error, folder);
        }
        free(path);
    }
    return status;
}

sac_status sac_gpt_open_folder(const char *path, sac_gpt *l, sac_pretrained **weights,
                               sac_error *error)
{
    char folder[SAC_PLACE_SIZE], config[SAC_PLACE_SIZE + 16];
    *weights = NULL;
    sac_status status = sac_place_check(path, error);
    if (status == SAC_OK && !sac_pretrained_place(path, folder))
        return sac_fail(error, SAC_E_FILE, path, "give a folder with a config.json",
                        "is no folder of a model");
    if (status == SAC_OK && !sac_is_folder(folder))
        return sac_fail(error, SAC_E_FORMAT, path, "give a folder as transformers writes it",
                        "is a GGUF, which is not trained");
    if (status != SAC_OK)
        return status;
    snprintf(config, sizeof config, "%s/config.json", folder);
    status = (l->files = cJSON_CreateObject()) ? SAC_OK : sac_no_memory(error, folder);
    if (status == SAC_OK)
        status = read_files(folder, l->files, error);
    if (status == SAC_OK)
        status = sac_gpt_read_config(cJSON_GetObjectItemCaseSensitive(l->files, "config.json"),
                                     config, &l->sizes, error);
    if (status == SAC_OK && !cJSON_GetObjectItemCaseSensitive(l->files, "tokenizer.json"))
        status = sac_fail(error, SAC_E_FILE, folder,
                          "write one: AutoTokenizer.from_pretrained(…).save_pretrained(…)",
                          "has no tokenizer.json");
    if (status == SAC_OK)
        status = sac_error_within(error, sac_tokenizer_open_files(l->files, &l->tokenizer, error),
                                  folder);
    if (status == SAC_OK && sac_tokenizer_size(l->tokenizer) > (size_t)l->sizes.words)
        status = sac_fail(error, SAC_E_FORMAT, folder, "give the tokenizer of this model",
                          "has %zu tokens in tokenizer.json, and %d in config.json",
                          sac_tokenizer_size(l->tokenizer), l->sizes.words);
    l->sizes.context = l->sizes.places < SAC_GPT_CONTEXT ? l->sizes.places : SAC_GPT_CONTEXT;
    return status == SAC_OK ? sac_pretrained_open(path, weights, error) : status;
}

/* ---------------------------------------------------------------- weights */

/* Declares what the files have, and where: matrices of GPT-2 lie as their transposes. */
static bool declare_stored(const sac_gpt *l, const sac_pretrained *files, sac_parameters *stored,
                           sac_gpt_weights *weights, sac_tensor_places *places)
{
    static const char *const prefixes[][3] = {{"transformer.", "", NULL}, {"model.", "", NULL}},
                             *const tables[] = {"wte.weight", "embed_tokens.weight"};
    const sac_gpt_kind kind = l->sizes.kind;
    bool added = true;
    sac_gpt_declare(&l->sizes, sac_pretrained_prefix(files, prefixes[kind], tables[kind]), stored,
                    weights);
    for (int i = 0; i < stored->count && added; i++) {
        sac_parameter *parameter = stored->list[i];
        /* What nothing but products and the table of words reads may stay in the bits of the file. */
        parameter->may_be_narrow =
            l->adapter && parameter->rank == 2 && parameter != weights->positions;
        if (parameter->transposed)
            added = sac_tensor_places_add(places, &(sac_tensor_place){.parameter = parameter,
                                                                      .transposed = true,
                                                                      .all = parameter->shape[0]});
    }
    return added;
}

sac_status sac_gpt_load_folder(sac_gpt *l, const sac_pretrained *files, sac_error *error)
{
    sac_tensor_places places = {0};
    sac_parameters read = {0}, *stored = l->adapter ? &l->frozen : &read;
    sac_gpt_weights *unused = calloc(1, sizeof *unused);
    sac_gpt_weights *weights = l->adapter ? &l->weights : unused;
    sac_status status = unused && declare_stored(l, files, stored, weights, &places)
                            ? SAC_OK
                            : sac_no_memory(error, "language");
    if (status == SAC_OK)
        status = sac_pretrained_load_parameters(files, &places, stored, l->base.device, error);
    for (int i = 0; i < read.count && status == SAC_OK; i++)
        sac_pass_copy(&l->base.pass, l->base.parameters.list[i]->value, read.list[i]->value);
    if (status == SAC_OK)
        status = sac_pass_end(&l->base.pass, error);
    const sac_status done = sac_device_finish(l->base.device, status == SAC_OK ? error : NULL);
    status = status == SAC_OK ? done : status; /* the files may be closed from here on */
    l->base.parameters.changes++;
    free(places.list);
    free(unused);
    sac_parameters_destroy(&read);
    return status;
}

/* ---------------------------------------------------------------- a text */

/* A tokenizer without bytes and without an unknown token leaves out characters that it does not know. */
static sac_status check_characters(const sac_gpt *l, const char *text, sac_error *error)
{
    enum { CODES = 0x110000 };
    bool *seen = calloc(CODES, sizeof *seen);
    sac_status status = seen ? SAC_OK : sac_no_memory(error, "tokens");
    uint32_t code;
    for (size_t at = 0, size; text[at] && status == SAC_OK; at += size) {
        char one[8] = "";
        sac_tokens tokens = {0};
        size = sac_utf8_at(text + at, strnlen(text + at, 4), &code);
        if (code >= CODES || seen[code])
            continue;
        seen[code] = true;
        memcpy(one, text + at, size);
        status = sac_tokenizer_encode(l->tokenizer, one, false, &tokens, error);
        if (status == SAC_OK && !tokens.count && code > ' ')
            status = sac_fail(error, SAC_E_VALUE, "--text",
                              "give a text of the characters that it was trained on before",
                              "has a \"%s\", for which the model has no token", one);
        sac_tokens_free(&tokens);
    }
    free(seen);
    return status;
}

sac_status sac_gpt_encode(const sac_gpt *l, const char *text, sac_tokens *tokens, sac_error *error)
{
    sac_status status = check_characters(l, text, error);
    return status == SAC_OK ? sac_tokenizer_encode(l->tokenizer, text, false, tokens, error)
                            : status;
}
