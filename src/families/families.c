/* The table of families, and the opening of a folder by it. */
#include "families/families.h"

#include <cjson/cJSON.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "families/family.h"

extern const sac_family sac_family_bert, sac_family_blip, sac_family_deit, sac_family_dinov2,
    sac_family_dinov2_with_registers, sac_family_distilbert, sac_family_gpt2, sac_family_llama,
    sac_family_marian, sac_family_qwen2, sac_family_roberta, sac_family_show_attend_tell,
    sac_family_vision_encoder_decoder, sac_family_vit;

static const sac_family *const families[] = {&sac_family_bert,
                                             &sac_family_blip,
                                             &sac_family_deit,
                                             &sac_family_dinov2,
                                             &sac_family_dinov2_with_registers,
                                             &sac_family_distilbert,
                                             &sac_family_gpt2,
                                             &sac_family_llama,
                                             &sac_family_marian,
                                             &sac_family_qwen2,
                                             &sac_family_roberta,
                                             &sac_family_show_attend_tell,
                                             &sac_family_vision_encoder_decoder,
                                             &sac_family_vit};
enum { FAMILIES = sizeof families / sizeof *families };

char *sac_family_names(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < FAMILIES; i++)
        for (const char *const *type = families[i]->types; *type && used < size; type++)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", *type);
    return text;
}

static const sac_family *find(const char *type)
{
    for (int i = 0; i < FAMILIES; i++)
        for (const char *const *known = families[i]->types; *known; known++)
            if (strcmp(*known, type) == 0)
                return families[i];
    return NULL;
}

/* ---------------------------------------------------------------- folders that do not say */

void sac_family_tell(sac_family_model *m, const char *format, ...)
{
    size_t used = strlen(m->told);
    va_list arguments;
    va_start(arguments, format);
    if (used && used + 2 < sizeof m->told)
        used += (size_t)snprintf(m->told + used, sizeof m->told - used, "; ");
    vsnprintf(m->told + used, sizeof m->told - used, format, arguments);
    va_end(arguments);
}

bool sac_family_is_architecture(const sac_config *c, const char *part)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "architectures"), *one;
    cJSON_ArrayForEach(one,
                       list) if (cJSON_IsString(one) && strstr(one->valuestring, part)) return true;
    return false;
}

/* The longest beginning counts: "Dinov2WithRegisters" is none of "Dinov2". */
static const sac_family *find_by_architecture(const char *name)
{
    const sac_family *found = NULL;
    size_t longest = 0;
    for (int i = 0; i < FAMILIES; i++)
        for (const char *const *own = families[i]->architectures; *own; own++) {
            size_t length = strlen(*own);
            if (length > longest && strncmp(name, *own, length) == 0) {
                found = families[i];
                longest = length;
            }
        }
    return found;
}

static const sac_family *find_by_tensor(const sac_pretrained *files)
{
    for (int i = 0; i < FAMILIES; i++)
        if (families[i]->mark && sac_pretrained_has_ending(files, families[i]->mark))
            return families[i];
    return NULL;
}

/* Of a config.json that names no model_type. */
static const sac_family *guess(sac_family_model *m, const sac_config *c)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "architectures");
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    const char *name = cJSON_IsString(first) ? first->valuestring : "";
    const sac_family *found = find_by_architecture(name);
    const char *by = found ? "architectures" : "the names of tensors";
    if (!found)
        found = find_by_tensor(m->files);
    if (found)
        sac_family_tell(m, "config.json has no model_type; by %s it is %s", by, found->types[0]);
    return found;
}

/* ---------------------------------------------------------------- opening */

/* Numbers that stand for others. */
static void refuse_quantised(sac_config *c)
{
    static const char *const names[] = {"quantization_config", "quantization",
                                        "compression_config"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sac_config inside = sac_config_inside(c, names[i]);
        if (!sac_config_has(c, names[i]))
            continue;
        const char *method = sac_config_text(&inside, "quant_method");
        sac_config_refuse(
            c, names[i],
            "the weights are quantised%s%.40s, which is not read here; take the model "
            "in float32, float16 or bfloat16",
            method[0] ? " by " : "", method);
    }
}

sac_status sac_family_declare(sac_family_model *m, sac_config *c)
{
    char names[400];
    m->prefix = "";
    m->word_scale = 1;
    m->padding = -1;
    const char *type = sac_config_text(c, "model_type");
    m->family = type[0] ? find(type) : guess(m, c);
    if (c->status == SAC_OK && !m->family)
        sac_config_refuse(c, "model_type", "\"%.60s\" is of no family that is known here: %s", type,
                          sac_family_names(names, sizeof names));
    refuse_quantised(c);
    if (c->status == SAC_OK && m->family->keys)
        sac_config_follow(c, m->family->keys);
    if (c->status == SAC_OK)
        m->family->declare(m, c);
    return sac_config_end(c);
}

static void close_decoder(sac_family_model *d)
{
    if (!d)
        return;
    sac_pass_close(&d->pass);
    sac_parameters_destroy(&d->parameters);
    free(d->voice.recurrent);
    free(d->voice.lists);
    free(d);
}

static sac_status read_rules(sac_family_model *m, sac_error *error)
{
    sac_sight *s = &m->sight;
    const sac_picture_guess guess = {s->processor, s->image_w, s->image_h};
    sac_status status = sac_picture_rules_read(m->folder, &guess, &s->rules, error);
    if (status == SAC_OK && s->rules.assumed[0])
        sac_family_tell(m, "%s", s->rules.assumed);
    return status;
}

static sac_status open_files(sac_family_model *m, sac_error *error)
{
    sac_status status = sac_pretrained_open(m->folder, &m->files, error);
    if (status != SAC_OK)
        return status;
    sac_config config = sac_pretrained_config(m->files, error);
    status = sac_family_declare(m, &config);
    if (status == SAC_OK && m->sight.patch_w)
        status = read_rules(m, error);
    bool has_words = !sac_family_sees(m) || (m->decoder && !m->decoder->voice.wordmap[0]);
    if (status != SAC_OK || !has_words)
        return status;
    return sac_tokenizer_open(m->folder, &m->tokenizer, error);
}

static sac_status take(sac_family_model *m, sac_error *error)
{
    sac_pass_open(&m->pass, m->device);
    sac_status status = sac_pretrained_take_from(m->files, m->prefix, m->family->locate, m,
                                                 &m->parameters, m->device, error);
    if (status == SAC_OK && m->family->take)
        status = m->family->take(m, error);
    return status == SAC_OK && m->made.count ? sac_family_make_sinusoids(m, error) : status;
}

static sac_status open_model(sac_family_model *m, const char *device, sac_error *error)
{
    sac_status status = open_files(m, error);
    if (status == SAC_OK)
        status = sac_device_open(device, &m->device, error);
    if (status != SAC_OK)
        return status;
    status = take(m, error);
    if (status != SAC_OK || !m->decoder)
        return status;
    m->decoder->device = m->device;
    m->decoder->tokenizer = m->tokenizer ? sac_tokenizer_said(m->tokenizer) : NULL;
    return take(m->decoder, error);
}

static void name_model(sac_family_model *m, const char *folder)
{
    char *absolute = realpath(folder, NULL);
    snprintf(m->folder, sizeof m->folder, "%s", absolute ? absolute : folder);
    const char *slash = strrchr(m->folder, '/');
    snprintf(m->name, sizeof m->name, "%.120s", slash && slash[1] ? slash + 1 : m->folder);
    free(absolute);
}

sac_status sac_family_open(const char *folder, const char *device, sac_family_model **model,
                           sac_error *error)
{
    sac_family_model *m = *model = calloc(1, sizeof *m);
    if (!m)
        return sac_fail(error, SAC_E_MEMORY, folder, NULL, "no memory to open it");
    m->users = 1;
    m->kept = (size_t)64 << 20; /* of a long text not all layers */
    name_model(m, folder);
    sac_status status = open_model(m, device, error);
    if (status != SAC_OK) {
        sac_family_close(m);
        *model = NULL;
    }
    return status;
}

sac_family_model *sac_family_keep(sac_family_model *m)
{
    atomic_fetch_add(&m->users, 1);
    return m;
}

void sac_family_close(sac_family_model *m)
{
    if (!m || atomic_fetch_sub(&m->users, 1) > 1)
        return;
    close_decoder(m->decoder);
    free(m->voice.lists);
    sac_resnet_destroy(m->sight.net);
    sac_pass_close(&m->pass);
    sac_parameters_destroy(&m->made);
    sac_parameters_destroy(&m->parameters); /* before what they lend from */
    sac_device_close(m->device);
    sac_tokenizer_destroy(m->tokenizer);
    sac_pretrained_close(m->files);
    free(m);
}

const char *sac_family_told(const sac_family_model *m)
{
    return m->told;
}

bool sac_family_is_of(const sac_family_model *m, const char *folder)
{
    char *absolute = realpath(folder, NULL);
    bool same = absolute && strcmp(absolute, m->folder) == 0;
    free(absolute);
    return same;
}

bool sac_family_continues(const sac_family_model *m)
{
    return m->tells_next;
}

bool sac_family_speaks(const sac_family_model *m)
{
    return m->decoder && sac_family_sees(m);
}

bool sac_family_translates(const sac_family_model *m)
{
    return m->decoder && !sac_family_sees(m);
}

bool sac_family_sees(const sac_family_model *m)
{
    return m->sight.patch_w > 0 || m->sight.cells > 0;
}

bool sac_family_has_heads(const sac_family_model *m)
{
    return m->layers > 0;
}
