#include "cli/commands/generation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "cli/commands/result_output.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "saccade_arrays.h"

enum { STEP_NEXT = 5 };

/* ---------------------------------------------------------------- JSON */

cJSON *cli_token_json(int id, const char *text, float probability)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "token", text);
    cJSON_AddNumberToObject(json, "id", id);
    cJSON_AddItemToObject(json, "probability", cli_json_real(probability));
    return json;
}

static cJSON *candidate_json(const sac_candidate *one)
{
    return cli_token_json(one->id, one->text, one->probability);
}

/* A word, how probable it was, and what else might have come there: `left` is what temperature, top-k,
 * top-p and the model's own rules leave of that. */
static sac_status add_step(cJSON *list, sac_source *source, size_t step, const sac_sampling *how,
                           sac_error *error)
{
    sac_candidate one[SAC_GENERATION_CANDIDATES];
    int count, kept;
    sac_sampling drawn = *how; /* where nothing is drawn, as of texts, as if it were */
    drawn.draw.temperature = how->draw.temperature > 0 ? how->draw.temperature : 1;
    sac_status status =
        source->result.candidates(source->self, step, &drawn, one, &count, &kept, error);
    if (status != SAC_OK)
        return status;
    cJSON *word = NULL, *next = cJSON_CreateArray();
    for (int i = 0; i < count; i++) {
        if (one[i].stands)
            word = candidate_json(&one[i]);
        if (i >= STEP_NEXT)
            continue;
        cJSON *json = candidate_json(&one[i]);
        cJSON_AddItemToObject(json, "left", cli_json_real(one[i].left));
        cJSON_AddItemToArray(next, json);
    }
    word = word ? word : cJSON_CreateObject();
    cJSON_AddItemToObject(word, "next", next);
    cJSON_AddItemToArray(list, word);
    return SAC_OK;
}

/* {"turns": [{"role", "from", "tokens"}]}, and of each word of `list` "turns", the share of its attention on each of
 * them, "template" and "generated". */
static sac_status add_turns(cJSON *root, cJSON *list, const sac_generation *g, sac_error *error)
{
    const size_t turns = g->turn_count;
    float *shares = malloc((turns + 2) * sizeof *shares);
    if (!shares)
        return sac_no_memory(error, "turns");
    cJSON *all = cJSON_AddArrayToObject(root, "turns"), *word;
    for (size_t i = 0; i < turns; i++) {
        cJSON *turn = cJSON_CreateObject();
        cJSON_AddStringToObject(turn, "role", g->turns[i].role);
        cJSON_AddNumberToObject(turn, "from", (double)g->turns[i].from);
        cJSON_AddNumberToObject(turn, "tokens", (double)g->turns[i].count);
        cJSON_AddItemToArray(all, turn);
    }
    size_t step = 0;
    cJSON_ArrayForEach(word, list)
    {
        sac_generation_turn_shares(g, step++, shares);
        cJSON_AddItemToObject(word, "turns", cli_json_reals(shares, (int)turns));
        cJSON_AddItemToObject(word, "template", cli_json_real(shares[turns]));
        cJSON_AddItemToObject(word, "generated", cli_json_real(shares[turns + 1]));
    }
    free(shares);
    return SAC_OK;
}

sac_status cli_add_generation(cJSON *root, sac_source *source, const sac_generation *generation,
                              const sac_sampling *how, sac_error *error)
{
    sac_status status = SAC_OK;
    cJSON_AddStringToObject(root, "continuation", generation->text ? generation->text : "");
    cJSON *list = cJSON_AddArrayToObject(root, "generated");
    for (size_t i = 0; i < generation->generated && status == SAC_OK; i++)
        status = add_step(list, source, i, how, error);
    return status == SAC_OK && generation->turn_count ? add_turns(root, list, generation, error)
                                                      : status;
}

static sac_status print_json(sac_source *source, const sac_sampling *how,
                             const sac_generation *generation, const char *without,
                             const char *before, sac_error *error)
{
    cJSON *root = cJSON_CreateObject();
    const char *text = generation->text ? generation->text : "";
    const char *model = source->result.model[0];
    bool is_named = strncmp(source->title, model, strlen(model)) == 0;
    cJSON_AddStringToObject(root, "model", cli_model_name(source, 0));
    if (!is_named && source->picture.image)
        cJSON_AddStringToObject(root, "picture", source->title);
    if (source->result.text[0])
        cJSON_AddStringToObject(root, source->picture.image ? "question" : "text",
                                source->result.text);
    cJSON_AddStringToObject(root, "device", source->origin.device);
    cJSON_AddItemToObject(root, "ms", cli_json_real((float)generation->milliseconds));
    sac_status status = cli_add_generation(root, source, generation, how, error);
    if (without) {
        cJSON_AddStringToObject(root, "without", without);
        cJSON_AddStringToObject(root, "output", text);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(root, "with_all_heads"), "output", before);
    }
    if (status == SAC_OK)
        cli_print_json(root);
    else
        cJSON_Delete(root);
    return status;
}

/* ---------------------------------------------------------------- arrays */

/* "generated_rows" [generated,T], "tokens" [T], "picture_tokens" (the first and how many), and of a
 * picture "generated_cells" [generated,h,w] and "image". */
static sac_status save_rows(const char *path, const sac_source *source,
                            const sac_generation *generation, sac_error *error)
{
    const sac_image *image = source->picture.image;
    const size_t rows[] = {generation->generated, generation->count}, two = 2;
    const size_t cells[] = {generation->generated, (size_t)generation->grid_h,
                            (size_t)generation->grid_w};
    const int picture[] = {(int)generation->picture, (int)generation->pictured};
    cli_arrays_file f = {0};
    cli_arrays_file_add(&f, sac_array_view(SAC_F32, 2, rows, generation->rows), "generated_rows");
    cli_arrays_file_add(
        &f, sac_array_view(SAC_TEXT, 1, &generation->count, generation->tokens.text), "tokens");
    if (generation->pictured)
        cli_arrays_file_add(&f, sac_array_view(SAC_I32, 1, &two, picture), "picture_tokens");
    if (generation->cells)
        cli_arrays_file_add(&f, sac_array_view(SAC_F32, 3, cells, generation->cells),
                            "generated_cells");
    if (generation->cells && image && image->rgba) {
        const size_t shape[] = {(size_t)image->height, (size_t)image->width, 4};
        cli_arrays_file_add(&f, sac_array_view(SAC_U8, 3, shape, image->rgba), "image");
    }
    return sac_npz_save(path, f.named, f.count, error);
}

/* ---------------------------------------------------------------- all of it */

static void print_text(const char *label, const char *text)
{
    sac_print(stdout, "%s", label);
    sac_print_text(stdout, text);
    putchar('\n');
}

/* Generates with all heads, into *text, and then scales the heads. */
static sac_status generate_then_scale_heads(sac_source *source, const sac_sampling *how,
                                            const char *without, char **text, sac_error *error)
{
    sac_result result = {0};
    sac_status status = sac_source_scale_heads(source, "", error);
    if (status == SAC_OK)
        status =
            sac_source_generate(source, &(sac_result_request){.sampling = how}, &result, error);
    if (status == SAC_OK && !(*text = strdup(result.generation.text ? result.generation.text : "")))
        status = sac_no_memory(error, source->title);
    if (status == SAC_OK)
        status = sac_source_scale_heads(source, without, error);
    sac_result_free(&result);
    return status;
}

sac_status cli_generate_and_print(sac_source *source, const sac_sampling *how, const char *without,
                                  bool json, const char *npz, sac_error *error)
{
    char *before = NULL;
    sac_result result = {0};
    const sac_generation *generation = &result.generation;
    sac_status status =
        without ? generate_then_scale_heads(source, how, without, &before, error) : SAC_OK;
    if (status == SAC_OK)
        status =
            sac_source_generate(source, &(sac_result_request){.sampling = how}, &result, error);
    if (status == SAC_OK && npz)
        status = save_rows(npz, source, generation, error);
    if (status == SAC_OK && json)
        status = print_json(source, how, generation, without, before, error);
    else if (status == SAC_OK) {
        if (without)
            print_text("all heads: ", before);
        print_text(without ? "without:   " : "", generation->text ? generation->text : "");
    }
    free(before);
    sac_result_free(&result);
    return status;
}
