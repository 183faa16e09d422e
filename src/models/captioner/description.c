/* The captioner's shape in its weights' file. */
#include "models/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/json.h"
#include "base/error.h"
#include "captioner/model.h"
#include "captioner/photographs/domain.h"
#include "pictures/pictures.h"
#include "saccade_arrays.h"
#include "shapes/vocabulary.h"

enum {
    FORMAT = 1,            /* of the description */
    MOST_PIXELS = 1 << 26, /* floats that a layer takes and gives back for one picture */
};

static const char *word(const void *dataset, int number)
{
    return ((const sac_dataset *)dataset)->word_text(number);
}

static sac_description_vocabulary words_of(const sac_dataset *dataset)
{
    return (sac_description_vocabulary){dataset, word};
}

/* ---------------------------------------------------------------- writing */

static bool add_layers(cJSON *model, const sac_captioner_shape *shape)
{
    cJSON *layers = cJSON_AddArrayToObject(model, "layers");
    bool done = layers != NULL;
    for (int i = 0; i < shape->layers && done; i++) {
        const int layer[] = {shape->layer[i].channels, shape->layer[i].stride};
        done = cJSON_AddItemToArray(layers, cJSON_CreateIntArray(layer, 2));
    }
    return done;
}

static bool add_lstm(cJSON *model, const sac_captioner_shape *shape)
{
    return cJSON_AddStringToObject(model, "score", sac_score_name(shape->score)) &&
           cJSON_AddNumberToObject(model, "attention", shape->attention) &&
           cJSON_AddNumberToObject(model, "hidden", shape->hidden) &&
           cJSON_AddNumberToObject(model, "embedding", shape->embedding);
}

static bool add_numbers(cJSON *to, const char *name, const float *numbers)
{
    cJSON *list = cJSON_CreateFloatArray(numbers, 3);
    return list && cJSON_AddItemToObject(to, name, list);
}

static bool add_pretrained(cJSON *model, const sac_captioner_pretrained *p)
{
    cJSON *of = cJSON_AddObjectToObject(model, "encoder"), *config;
    return of && sac_json_parse(p->config, strlen(p->config), &config, NULL) == SAC_OK &&
           cJSON_AddNumberToObject(of, "grid", p->grid) &&
           cJSON_AddNumberToObject(of, "width", p->width) &&
           cJSON_AddNumberToObject(of, "factor", (double)p->factor) &&
           add_numbers(of, "mean", p->mean) && add_numbers(of, "deviation", p->deviation) &&
           cJSON_AddItemToObject(of, "config", config);
}

/* Without "layers" the error names the model that the file belongs to. */
static char *describe_photographs(const sac_captioner_shape *shape)
{
    cJSON *model = cJSON_CreateObject();
    cJSON *words = sac_caption_vocabulary_json(&shape->words->table);
    bool layers = sac_captioner_has_layers(shape);
    bool whole =
        words && cJSON_AddNumberToObject(model, "format", FORMAT) && add_layers(model, shape) &&
        cJSON_AddStringToObject(model, "network", shape->network.name) &&
        (!shape->network.pretrained || add_pretrained(model, shape->network.pretrained)) &&
        cJSON_AddStringToObject(model, "decoder", layers ? "transformer" : "lstm") &&
        cJSON_AddNumberToObject(model, "side", shape->side) &&
        cJSON_AddNumberToObject(model, "detail", shape->network.detail) &&
        cJSON_AddNumberToObject(model, "features", shape->network.features) &&
        (layers ? (cJSON_AddNumberToObject(model, "depth", shape->stack.layers) &&
                   cJSON_AddNumberToObject(model, "heads", shape->stack.heads) &&
                   cJSON_AddNumberToObject(model, "hidden", shape->stack.hidden))
                : add_lstm(model, shape)) &&
        sac_description_add_normalizer(model, shape->normalizer) &&
        cJSON_AddNumberToObject(model, "longest", shape->longest) &&
        cJSON_AddNumberToObject(model, "no_repeat", shape->no_repeat) &&
        (!shape->once || cJSON_AddStringToObject(model, "once", "content")) &&
        (!(shape->sure > 0) || cJSON_AddNumberToObject(model, "sure", shape->sure)) &&
        (!(shape->limit > 0) || cJSON_AddNumberToObject(model, "limit", shape->limit)) &&
        (shape->length_penalty == 0 ||
         cJSON_AddNumberToObject(model, "length_penalty", shape->length_penalty)) &&
        (!(shape->least_log < 0) || cJSON_AddNumberToObject(model, "least_log", shape->least_log));
    whole = whole && cJSON_AddItemToObject(model, "words", words);
    if (!whole)
        cJSON_Delete(words);
    return sac_description_print_and_free(model, whole);
}

char *sac_captioner_describe(const sac_captioner_shape *shape)
{
    if (sac_captioner_is_for_photographs(shape))
        return describe_photographs(shape);
    cJSON *model = cJSON_CreateObject();
    const sac_description_vocabulary words = words_of(sac_captioner_dataset(shape));
    /* Files of the dataset of shapes are older than the name. */
    bool whole = strcmp(sac_captioner_dataset(shape)->name, "shapes") == 0 ||
                 cJSON_AddStringToObject(model, "world", shape->dataset->name);
    whole = whole && cJSON_AddNumberToObject(model, "format", FORMAT) &&
            cJSON_AddNumberToObject(model, "side", shape->side) && add_layers(model, shape) &&
            add_lstm(model, shape) && sac_description_add_normalizer(model, shape->normalizer) &&
            (!shape->masks_colours || cJSON_AddStringToObject(model, "unheard", "colours")) &&
            (!shape->all_pairs || cJSON_AddStringToObject(model, "pairs", "all")) &&
            sac_description_add_words(model, "vocabulary", &words, shape->vocabulary);
    return sac_description_print_and_free(model, whole);
}

/* ---------------------------------------------------------------- reading */

static const sac_dataset *read_dataset(sac_description *d)
{
    const char *name = sac_description_text_or(d, "world", "shapes");
    const sac_dataset *dataset = sac_dataset_find(name);
    if (!dataset)
        sac_description_refuse(
            d, "was trained on the dataset \"%.40s\", which this version does not have", name);
    return dataset ? dataset : sac_dataset_find("shapes");
}

static void read_layer(sac_description *d, const cJSON *layer, sac_captioner_shape *shape, int i)
{
    const cJSON *channels = cJSON_GetArrayItem(layer, 0), *stride = cJSON_GetArrayItem(layer, 1);
    if (!cJSON_IsNumber(channels) || !cJSON_IsNumber(stride)) {
        sac_description_refuse(d, "layer %d is not [channels, stride]", i);
        return;
    }
    shape->layer[i].channels =
        sac_description_check(d, channels->valuedouble, "a layer's channels", 1, 512);
    shape->layer[i].stride =
        sac_description_check(d, stride->valuedouble, "a layer's stride", 1, 4);
}

static void read_layers(sac_description *d, sac_captioner_shape *shape)
{
    const cJSON *layers = sac_description_list(d, "layers");
    shape->layers = sac_description_check(d, cJSON_GetArraySize(layers), "the number of layers", 1,
                                          SAC_CAPTIONER_LAYERS);
    for (int i = 0; i < shape->layers && d->status == SAC_OK; i++)
        read_layer(d, cJSON_GetArrayItem(layers, i), shape, i);
}

/* The limits on the sizes keep these sums far below what a size_t holds. */
static void check_fits(sac_description *d, const sac_captioner_shape *shape)
{
    sac_parameters parameters = {0}, frozen = {0}, domain = {0};
    sac_captioner_weights weights = {0};
    int grid = sac_captioner_grid(shape);
    if (grid > SAC_CAPTIONER_GRID || sac_captioner_max_layer_floats(shape) > MOST_PIXELS)
        sac_description_refuse(
            d, "looks at %d × %d pixels and %d × %d cells, more than this program takes",
            shape->side, shape->side, grid, grid);
    if (d->status != SAC_OK)
        return;
    sac_captioner_declare(shape, &parameters, &frozen, &weights);
    sac_domain_declare(shape, &domain);
    parameters.others = &frozen;
    frozen.others = &domain;
    sac_description_check_number_count(d, &parameters);
    sac_parameters_destroy(&parameters);
    sac_parameters_destroy(&frozen);
    sac_parameters_destroy(&domain);
}

static void read_lstm(sac_description *d, sac_captioner_shape *shape)
{
    shape->score = sac_description_score(d);
    shape->attention = sac_description_size(d, "attention", 1, 4096);
    shape->hidden = sac_description_size(d, "hidden", 1, 4096);
    shape->embedding = sac_description_size(d, "embedding", 1, 4096);
}

static void read_stack(sac_description *d, sac_captioner_shape *shape)
{
    shape->score = SAC_SCORE_SCALED_DOT;
    shape->stack.layers = sac_description_size(d, "depth", 1, SAC_STACK_LAYERS);
    shape->stack.heads = sac_description_size(d, "heads", 1, SAC_STACK_HEADS);
    shape->stack.hidden = sac_description_size(d, "hidden", 1, 16384);
    if (d->status == SAC_OK && shape->network.features % shape->stack.heads != 0)
        sac_description_refuse(d, "%d heads do not divide a width of %d", shape->stack.heads,
                               shape->network.features);
}

static void read_three(sac_description *d, const cJSON *of, const char *name, float *numbers)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(of, name), *number;
    int count = 0;
    cJSON_ArrayForEach(number, list)
    {
        if (count < 3 && cJSON_IsNumber(number) && isfinite((float)number->valuedouble))
            numbers[count++] = (float)number->valuedouble;
    }
    if (count != 3)
        sac_description_refuse(d, "has no three numbers as its encoder's \"%s\"", name);
}

static double number_of(const cJSON *of, const char *name)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(of, name);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

static void read_pretrained(sac_description *d, sac_captioner_shape *shape)
{
    const cJSON *of = cJSON_GetObjectItemCaseSensitive(d->json, "encoder");
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(of, "config");
    if (!cJSON_IsObject(config))
        sac_description_refuse(d, "does not describe its encoder");
    if (d->status != SAC_OK)
        return;
    sac_captioner_pretrained *p = shape->network.pretrained = calloc(1, sizeof *p);
    if (!p || !(p->config = cJSON_PrintUnformatted(config))) {
        d->status = sac_no_memory(d->error, "captioner");
        return;
    }
    p->owners = 1;
    p->side = shape->side;
    p->grid = sac_description_check(d, number_of(of, "grid"), "the encoder's grid", 1,
                                    SAC_CAPTIONER_GRID);
    p->width = sac_description_check(d, number_of(of, "width"), "the encoder's width", 1,
                                     SAC_CAPTIONER_WIDTH);
    p->factor = (float)number_of(of, "factor");
    read_three(d, of, "mean", p->mean);
    read_three(d, of, "deviation", p->deviation);
    if (!(p->factor > 0) || !isfinite(p->factor) || p->deviation[0] == 0 || p->deviation[1] == 0 ||
        p->deviation[2] == 0)
        sac_description_refuse(d, "does not describe its encoder");
}

static void read_photograph_shape(sac_description *d, sac_captioner_shape *shape)
{
    sac_efficientnet_shape network;
    const char *name = sac_description_text_or(d, "network", "");
    const char *decoder = sac_description_text_or(d, "decoder", "lstm");
    bool layers = strcmp(decoder, "transformer") == 0;
    if (!layers && strcmp(decoder, "lstm") != 0)
        sac_description_refuse(d, "has the decoder \"%.40s\", which this version does not have",
                               decoder);
    snprintf(shape->network.name, sizeof shape->network.name, "%s", name);
    bool cnn = strcmp(name, "cnn") == 0, pretrained = strcmp(name, "pretrained") == 0;
    shape->side =
        sac_description_size(d, "side", cnn || pretrained ? 8 : 32, pretrained ? 1024 : 512);
    if (cnn)
        read_layers(d, shape);
    else if (pretrained)
        read_pretrained(d, shape);
    else if (strcmp(name, shape->network.name) != 0 ||
             sac_captioner_network(shape, &network, NULL) != SAC_OK)
        sac_description_refuse(d, "has the network \"%.40s\", which this version does not have",
                               name);
    shape->network.detail = sac_description_size(d, "detail", 0, 512);
    shape->network.features = sac_description_size(d, "features", 1, 4096);
    if (cnn && d->status == SAC_OK &&
        shape->network.features != shape->layer[shape->layers - 1].channels)
        sac_description_refuse(d, "has %d features, and its last layer %d channels",
                               shape->network.features, shape->layer[shape->layers - 1].channels);
    if (layers)
        read_stack(d, shape);
    else
        read_lstm(d, shape);
    shape->normalizer = sac_description_normalizer(d);
    shape->longest = sac_description_size(d, "longest", 1, SAC_PICTURES_WORDS);
    shape->no_repeat = sac_description_size(d, "no_repeat", 0, SAC_PICTURES_WORDS);
    shape->once = strcmp(sac_description_text_or(d, "once", ""), "content") == 0;
    shape->sure = sac_description_number_or(d, "sure", 0, 0, 1);
    shape->limit = sac_description_number_or(d, "limit", 0, 0, 1e9f);
    shape->length_penalty =
        sac_description_number_or(d, "length_penalty", 0, -SAC_LENGTH_PENALTY, SAC_LENGTH_PENALTY);
    shape->least_log = sac_description_number_or(d, "least_log", 0, -100, 0);
    sac_caption_vocabulary words = {0};
    const cJSON *list = sac_description_list(d, "words");
    if (d->status == SAC_OK)
        d->status = sac_caption_vocabulary_read(list, &words, d->error);
    if (d->status != SAC_OK)
        sac_caption_vocabulary_free(&words);
    else if (!(shape->words = sac_captioner_words_create(&words)))
        d->status = sac_no_memory(d->error, "captioner");
    if (d->status == SAC_OK)
        shape->vocabulary = sac_description_check(
            d, shape->words->table.count, "the number of words", SAC_VOCABULARY_MARKS + 1, 1 << 16);
}

static void read_scene_shape(sac_description *d, sac_captioner_shape *shape)
{
    shape->dataset = read_dataset(d);
    shape->side = sac_description_size(d, "side", 8, 512);
    read_layers(d, shape);
    read_lstm(d, shape);
    shape->normalizer = sac_description_normalizer(d);
    shape->masks_colours = strcmp(sac_description_text_or(d, "unheard", ""), "colours") == 0;
    shape->all_pairs = strcmp(sac_description_text_or(d, "pairs", ""), "all") == 0;
    const sac_description_vocabulary words = words_of(sac_captioner_dataset(shape));
    shape->vocabulary = sac_description_check_words(d, "vocabulary", &words, SAC_WORD_END + 2,
                                                    shape->dataset->vocabulary);
}

sac_status sac_captioner_read_shape(const sac_arrays *file, const char *path,
                                    sac_captioner_shape *shape, sac_error *error)
{
    sac_description d = sac_description_open(file, "captioner", error);
    *shape = (sac_captioner_shape){0};
    sac_description_size(&d, "format", FORMAT, FORMAT);
    if (*sac_description_text_or(&d, "network", ""))
        read_photograph_shape(&d, shape);
    else
        read_scene_shape(&d, shape);
    if (d.status == SAC_OK)
        check_fits(&d, shape);
    sac_status status = sac_description_close(&d, path);
    if (status != SAC_OK)
        sac_captioner_shape_free(shape);
    return status;
}
