/* The table of architectures. Opens the folder of a model. */
#include "architectures/architectures.h"

#include <cjson/cJSON.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/known.h"
#include "base/error.h"
#include "base/text/suggestion.h"
#include "gemm/gemm_in_place.h"
#include "gemm/gemm_tiled.h"
#include "gemm/launch.h"
#include "pretrained/files/places.h"
#include "pretrained/files/quantised.h"

#define ITS_ADDRESS(name) &sac_architecture_##name,
static const sac_architecture *const architectures[] = {SAC_ARCHITECTURES(ITS_ADDRESS)};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

const char *sac_architecture_type(size_t number)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        for (const char *const *type = architectures[i]->types; *type; type++)
            if (number-- == 0)
                return *type;
    return NULL;
}

/* "qwen2_vl, qwen3 or qwen2_5_vl": the known types that differ least from this one. */
static char *list_nearest_types(const char *type, char *text, size_t size)
{
    enum { NEAREST = 3 };
    const char *near[NEAREST], *candidate;
    for (int n = 0; n < NEAREST; n++) {
        sac_suggestion found = {.word = type};
        for (size_t i = 0; (candidate = sac_architecture_type(i)); i++) {
            bool is_listed = false;
            for (int k = 0; k < n; k++)
                is_listed = is_listed || near[k] == candidate;
            if (!is_listed)
                sac_suggestion_try(&found, candidate);
        }
        near[n] = found.nearest;
    }
    sac_names_join(near, NEAREST, text, size);
    return text;
}

const sac_architecture *sac_architecture_find(const char *type)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        for (const char *const *known = architectures[i]->types; *known; known++)
            if (strcmp(*known, type) == 0)
                return architectures[i];
    return NULL;
}

/* ---------------------------------------------------------------- folders without a type */

void sac_pretrained_model_note(sac_pretrained_model *m, const char *format, ...)
{
    size_t used = strlen(m->note);
    va_list arguments;
    va_start(arguments, format);
    if (used && used + 2 < sizeof m->note)
        used += (size_t)snprintf(m->note + used, sizeof m->note - used, "; ");
    vsnprintf(m->note + used, sizeof m->note - used, format, arguments);
    va_end(arguments);
}

bool sac_architecture_name_has(const sac_config *c, const char *part)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "architectures"), *one;
    cJSON_ArrayForEach(one,
                       list) if (cJSON_IsString(one) && strstr(one->valuestring, part)) return true;
    return false;
}

static const sac_architecture *find_by_tensor(const sac_pretrained *files)
{
    for (int i = 0; i < ARCHITECTURES; i++)
        if (architectures[i]->mark && sac_pretrained_has_ending(files, architectures[i]->mark))
            return architectures[i];
    return NULL;
}

/* The architecture of a config.json without a model_type. */
static const sac_architecture *guess(sac_pretrained_model *m, const sac_config *c)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "architectures");
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    const char *name = cJSON_IsString(first) ? first->valuestring : "";
    /* The longest matching beginning wins: "Dinov2WithRegisters" does not belong to
     * "Dinov2". */
    const sac_architecture *found = NULL;
    size_t longest = 0;
    for (int i = 0; i < ARCHITECTURES; i++)
        for (const char *const *own = architectures[i]->architectures; *own; own++) {
            size_t length = strlen(*own);
            if (length > longest && strncmp(name, *own, length) == 0) {
                found = architectures[i];
                longest = length;
            }
        }
    const char *by = found ? "architectures" : "the names of tensors";
    if (!found)
        found = find_by_tensor(m->files);
    if (found)
        sac_pretrained_model_note(m, "config.json has no model_type; by %s it is %s", by,
                                  found->types[0]);
    return found;
}

/* ---------------------------------------------------------------- opening */

/* Refuses quantised weights but for MXFP4, which are found by their tensors, and those that are unpacked
 * (files/quantised.h): not of a model whose linear layers lie transposed, which its library turns. */
static void refuse_quantised(const sac_pretrained_model *m, sac_config *c)
{
    static const char *const names[] = {"quantization_config", "quantization",
                                        "compression_config"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_config inside = sac_config_inside(c, names[i]);
        if (!sac_config_has(c, names[i]))
            continue;
        const char *method = sac_config_text(&inside, "quant_method");
        const sac_description *d = m->architecture ? m->architecture->describes : NULL;
        if (strcmp(method, "mxfp4") == 0 ||
            (i == 0 && sac_quantised_is_known(c) && !(d && d->transposed)))
            continue;
        sac_config_refuse(
            c, names[i],
            "the weights are quantised%s%.40s, which is not supported; take the model "
            "in float32, float16 or bfloat16",
            method[0] ? " by " : "", method);
    }
}

sac_status sac_architecture_declare(sac_pretrained_model *m, sac_config *c)
{
    char names[320]; /* with the rest of it an error holds them whole */
    sac_unknown_keys unknown = {0};
    c->unknown = &unknown;
    m->word_scale = m->logit_scale = 1;
    m->padding = m->dropped_word = -1;
    const char *wrapper = sac_pretrained_wrapper(m->files);
    if (wrapper[0])
        sac_pretrained_model_note(
            m, "“%s”, with which all names of its weights begin, is taken off", wrapper);
    if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(c->json, "auto_map")))
        sac_pretrained_model_note(m, "its folder has code of its own (auto_map), which is not run");
    const char *type = sac_config_text(c, "model_type");
    m->architecture = type[0] ? sac_architecture_find(type) : guess(m, c);
    if (c->status == SAC_OK && !m->architecture)
        sac_config_refuse(c, "model_type",
                          "\"%.60s\" is not known here; the nearest types are %s, and "
                          "\"saccade models --types\" lists all",
                          type, list_nearest_types(type, names, sizeof names));
    refuse_quantised(m, c);
    if (c->status == SAC_OK && m->architecture->keys)
        sac_config_apply_keys(c, m->architecture->keys);
    if (c->status == SAC_OK)
        sac_architecture_declare_own(m, c);
    c->unknown = NULL;
    sac_config_unknown_text(&unknown, names, 160);
    if (names[0])
        sac_pretrained_model_note(m, "keys of config.json that are not used: %s", names);
    return sac_config_status(c);
}

static void free_experts(sac_experts *experts)
{
    if (experts)
        free(experts->list);
    free(experts);
}

/* What of the layers is not among the parameters. */
static void free_layers(sac_pretrained_model *m)
{
    for (int i = 0; i < m->parameters.count; i++)
        free(m->parameters.list[i]->clip);
    for (int i = 0; i < SAC_ARCHITECTURE_LAYERS; i++) {
        free(m->relative.numbers[i]);
        free_experts(m->layer[i].experts);
    }
    for (int i = 0; i < m->net_count; i++)
        free_experts(m->nets[i].layer.experts);
    free(m->nets);
}

static void close_part(sac_pretrained_model *d)
{
    if (!d)
        return;
    free_layers(d);
    sac_pass_close(&d->pass);
    sac_parameters_destroy(&d->made);
    sac_parameters_destroy(&d->parameters);
    free(d->located.list);
    free(d->stage.channels);
    free(d->text_decoder.recurrent);
    free(d->text_decoder.lists);
    free(d->detector.names);
    free(d->deformable);
    free(d->classifier.names);
    sac_pictured_release(d->text_decoder.pictured);
    free(d);
}

/* The folder's settings of pictures and words, beside the model itself. */
static sac_status read_processor_and_tokenizer(sac_pretrained_model *m, sac_error *error)
{
    sac_status status = SAC_OK;
    sac_vision_encoder *s = &m->vision_encoder;
    if (sac_pretrained_note(m->files)[0])
        sac_pretrained_model_note(m, "%s", sac_pretrained_note(m->files));
    if ((s->patch_w || s->layout.stages) && !s->has_rules) {
        const sac_picture_guess guess = {s->processor, s->image_w, s->image_h, s->token_side,
                                         sac_pretrained_gguf_pictures(m->files)};
        status = sac_picture_rules_read(m->folder, &guess, &s->rules, error);
        if (status == SAC_OK && s->rules.assumed[0])
            sac_pretrained_model_note(m, "%s", s->rules.assumed);
    }
    bool has_words = !sac_architecture_has_media_encoder(m) ||
                     (m->decoder && !m->decoder->text_decoder.wordmap[0]);
    sac_error own = {0};
    if (status == SAC_OK && m->reader && /* pictures are seen all the same */
        sac_tokenizer_open(m->folder, &m->tokenizer, &own) != SAC_OK)
        sac_pretrained_model_note(m, "it reads no text: %.60s: %.120s", own.where, own.what);
    if (status == SAC_OK && m->tokenizer && m->shared.late)
        status = sac_late_read_prompts(m, error);
    if (status != SAC_OK || !has_words)
        return status;
    const cJSON *keys = sac_pretrained_gguf_keys(m->files);
    if (sac_pretrained_ignored_keys(m->files)[0])
        sac_pretrained_model_note(m, "%.200s is passed over by --ignore",
                                  sac_pretrained_ignored_keys(m->files));
    status = keys ? sac_tokenizer_open_gguf(keys, &m->tokenizer, error)
                  : sac_tokenizer_open(m->folder, &m->tokenizer, error);
    if (status == SAC_OK && sac_tokenizer_note(m->tokenizer))
        sac_pretrained_model_note(m, "%s", sac_tokenizer_note(m->tokenizer));
    if (status == SAC_OK && m->decoder)
        status = sac_chat_read(m, error);
    return keys ? sac_error_within(error, status, m->folder) : status;
}

static sac_status load_weights(sac_pretrained_model *m, sac_error *error)
{
    sac_pass_open(&m->pass, m->device);
    sac_status status =
        sac_pretrained_load_parameters(m->files, &m->located, &m->parameters, m->device, error);
    if (status == SAC_OK)
        status = sac_architecture_read_bias_tables(m, error);
    if (status == SAC_OK && m->architecture->take)
        status = m->architecture->take(m, error);
    return status == SAC_OK && m->made.count ? sac_architecture_make_sinusoids(m, error) : status;
}

/* Where a model is: in a folder, or `inside` another file; and the device, or else its selector. */
typedef struct place {
    const char *folder;
    const sac_pretrained_inside *inside;
    sac_device *device;
    const char *selector;
    sac_storage storage;
} place;

/* An adapter's folder stays so: the model's folder, where its tokenizer is, is the base's. */
static sac_status open_files(sac_pretrained_model *m, const place *at, sac_error *error)
{
    char adapter[SAC_PLACE_SIZE];
    if (at->inside)
        return sac_pretrained_open_inside(at->inside, &m->files, error);
    if (!sac_adapter_place(at->folder, adapter))
        return sac_pretrained_open(m->folder, &m->files, error);
    sac_place_name(adapter, m->name);
    return sac_pretrained_open(adapter, &m->files, error);
}

/* What every model needs is compiled while its weights are read. */
static void expect_programs(sac_device *device)
{
    sac_launch_items_expect(device, "layers");
    sac_launch_groups_expect(device, "layer_norm", "", false);
    sac_tiled_expect(device);
    sac_gemm_in_place_expect(device, SAC_STORED_F32);
}

/* What is left of the weights: a tensor inside a layer would change what that computes, and is refused. */
static sac_status check_unused(sac_pretrained_model *m, sac_error *error)
{
    sac_unused_tensors unused;
    sac_pretrained_unused(m->files, &unused);
    if (unused.in_layer[0])
        return sac_error_within(
            error,
            sac_fail(error, SAC_E_FORMAT, sac_pretrained_weights_name(m->files),
                     "give config.json the model_type that the weights are of",
                     "\"%.100s\" is in a layer, and a layer of %s has no such tensor",
                     unused.in_layer, m->architecture->types[0]),
            m->folder);
    if (unused.count)
        sac_pretrained_model_note(m, "%zu tensor%s %s not used: %s%s", unused.count,
                                  unused.count > 1 ? "s" : "", unused.count > 1 ? "are" : "is",
                                  unused.first, unused.is_cut ? " …" : "");
    return SAC_OK;
}

static sac_status open_model(sac_pretrained_model *m, const place *at, sac_error *error)
{
    sac_status status = open_files(m, at, error);
    if (status != SAC_OK)
        return status;
    sac_config config = sac_pretrained_config(m->files, error);
    status = sac_architecture_declare(m, &config);
    if (status == SAC_OK && !at->inside)
        status = read_processor_and_tokenizer(m, error);
    if (status == SAC_OK && !at->device)
        status = sac_device_open(at->selector, &m->device, error);
    if (status != SAC_OK)
        return status;
    if (at->device) {
        sac_device_retain(at->device);
        m->device = at->device;
    } else
        m->device->rounds = at->storage == SAC_STORAGE_BF16;
    expect_programs(m->device);
    status = load_weights(m, error);
    if (m->decoder)
        m->decoder->tokenizer = m->tokenizer ? sac_tokenizer_of_target(m->tokenizer) : NULL;
    if (m->reader)
        m->reader->tokenizer = m->tokenizer;
    for (int i = 0; i < SAC_MODEL_PARTS && status == SAC_OK; i++)
        if (m->part[i]) {
            m->part[i]->device = m->device;
            status = load_weights(m->part[i], error);
        }
    return status == SAC_OK ? check_unused(m, error) : status;
}

static sac_status open_at(const place *at, sac_pretrained_model **model, sac_error *error)
{
    const char *path = at->inside ? at->inside->file : at->folder;
    sac_pretrained_model *m = *model = calloc(1, sizeof *m);
    if (!m)
        return sac_no_memory(error, path);
    m->users = 1;
    m->kept = (size_t)64 << 20; /* of a long text not all layers */
    char found[SAC_PLACE_SIZE];
    char *absolute =
        realpath(!at->inside && sac_pretrained_place(path, found) ? found : path, NULL);
    snprintf(m->folder, sizeof m->folder, "%s", absolute ? absolute : path);
    sac_place_name(m->folder, m->name);
    free(absolute);
    sac_status status = open_model(m, at, error);
    if (status != SAC_OK) {
        sac_pretrained_model_close(m);
        *model = NULL;
    }
    return status;
}

const char *const sac_model_storage_names[] = {"float32", "bfloat16"};

bool sac_model_storage_find(const char *name, sac_storage *storage)
{
    *storage = strcmp(name, sac_model_storage_names[1]) == 0 ? SAC_STORAGE_BF16 : SAC_STORAGE_F32;
    return *storage != SAC_STORAGE_F32 || strcmp(name, sac_model_storage_names[0]) == 0;
}

sac_status sac_pretrained_model_open_stored(const char *folder, const char *device,
                                            sac_storage storage, sac_pretrained_model **model,
                                            sac_error *error)
{
    return open_at(&(place){.folder = folder, .selector = device, .storage = storage}, model,
                   error);
}

sac_status sac_pretrained_model_open_on(const char *folder, sac_device *device,
                                        sac_pretrained_model **model, sac_error *error)
{
    return open_at(&(place){.folder = folder, .device = device}, model, error);
}

sac_status sac_pretrained_model_open_inside(const sac_pretrained_inside *inside, sac_device *device,
                                            sac_pretrained_model **model, sac_error *error)
{
    return open_at(&(place){.inside = inside, .device = device}, model, error);
}

sac_pretrained_model *sac_architecture_retain(sac_pretrained_model *m)
{
    atomic_fetch_add(m->whole ? &m->whole->users : &m->users, 1);
    return m;
}

void sac_architecture_origin(const sac_pretrained_model *m, sac_origin *origin)
{
    const char *adapter = m->files ? sac_pretrained_adapter_folder(m->files) : NULL;
    char *absolute = adapter ? realpath(adapter, NULL) : NULL;
    snprintf(origin->file, sizeof origin->file, "%s",
             absolute  ? absolute
             : adapter ? adapter
                       : m->folder);
    free(absolute);
    sac_device_short_name(sac_device_get_info(m->device), origin->device, sizeof origin->device);
    snprintf(origin->ignored, sizeof origin->ignored, "%s", sac_pretrained_ignored_keys(m->files));
    if (m->device->rounds)
        snprintf(origin->storage, sizeof origin->storage, "%s", sac_model_storage_names[1]);
}

void sac_pretrained_model_close(sac_pretrained_model *m)
{
    if (m && m->whole)
        m = m->whole;
    if (!m || atomic_fetch_sub(&m->users, 1) > 1)
        return;
    if (m->device) /* which others may go on using: what still runs reads the file's pages */
        sac_device_finish(m->device, NULL);
    for (int i = 0; i < SAC_MODEL_PARTS; i++)
        close_part(m->part[i]);
    free(m->text_decoder.lists);
    free_layers(m);
    free(m->located.list);
    sac_conformer_destroy(m->conformer);
    free(m->classifier.names);
    sac_resnet_destroy(m->vision_encoder.net);
    sac_pyramid_destroy(m->pyramid);
    sac_pass_close(&m->pass);
    sac_parameters_destroy(&m->made);
    sac_parameters_destroy(&m->parameters); /* before what they lend from */
    sac_device_close(m->device);
    sac_tokenizer_destroy(m->tokenizer);
    sac_pretrained_close(m->files);
    free(m);
}

sac_status sac_pretrained_model_read_facts(const char *path, sac_model_facts *facts,
                                           sac_error *error)
{
    sac_pretrained_model *m = calloc(1, sizeof *m);
    *facts = (sac_model_facts){0};
    if (!m)
        return sac_no_memory(error, path);
    m->users = 1;
    sac_status status = sac_pretrained_open(path, &m->files, error);
    if (status == SAC_OK) {
        sac_config config = sac_pretrained_config(m->files, error);
        status = sac_architecture_declare(m, &config);
    }
    if (status == SAC_OK)
        *facts = (sac_model_facts){.type = m->architecture->types[0],
                                   .layers = m->layers,
                                   .heads = m->run.heads,
                                   .width = m->width};
    for (int i = 0; i < m->stage_count && status == SAC_OK; i++) {
        facts->layers += m->stages[i]->layers;
        facts->heads = m->stages[i]->run.heads; /* the last has most */
    }
    sac_pretrained_model_close(m);
    return status;
}

const char *sac_architecture_note(const sac_pretrained_model *m)
{
    return m->note;
}

bool sac_architecture_is_of(const sac_pretrained_model *m, const char *folder)
{
    char found[SAC_PLACE_SIZE];
    char *absolute = realpath(sac_pretrained_place(folder, found) ? found : folder, NULL);
    bool same = absolute && strcmp(absolute, m->folder) == 0;
    free(absolute);
    return same;
}

const sac_pretrained *sac_architecture_files(const sac_pretrained_model *m)
{
    return m->files;
}

bool sac_architecture_continues(const sac_pretrained_model *m)
{
    return m->predicts_next;
}

bool sac_architecture_is_captioner(const sac_pretrained_model *m)
{
    return m->decoder && sac_architecture_has_media_encoder(m);
}

bool sac_architecture_translates(const sac_pretrained_model *m)
{
    return m->decoder && !sac_architecture_has_media_encoder(m);
}

bool sac_architecture_has_media_encoder(const sac_pretrained_model *m)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    return s->patch_w > 0 || s->cells > 0 || s->layout.stages > 0 || m->audio.cell > 0;
}

bool sac_architecture_has_text_encoder(const sac_pretrained_model *m)
{
    return !sac_architecture_has_media_encoder(m) || (m->reader && m->tokenizer);
}

bool sac_architecture_reads_prompts(const sac_pretrained_model *m)
{
    return m->decoder && m->decoder->text_decoder.question == SAC_ASKED_IN_PROMPT && m->tokenizer;
}

sac_pretrained_model *sac_architecture_reader(sac_pretrained_model *m)
{
    return m->reader ? m->reader : sac_architecture_reads_prompts(m) ? m->decoder : m;
}

bool sac_architecture_has_audio(const sac_pretrained_model *m)
{
    return m->audio.cell > 0;
}

bool sac_architecture_has_staged_vision(const sac_pretrained_model *m)
{
    return m->stage_count > 0;
}

bool sac_architecture_has_heads(const sac_pretrained_model *m)
{
    const bool has_silent_tokens = /* behind the cells of a sound */
        m->audio.bins && m->decoder && !m->audio.leaves_silence;
    return (m->layers > 0 && !has_silent_tokens) || m->stage_count > 0;
}
