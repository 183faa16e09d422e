/* The regions of the picture that a captioner's sentence gives as tokens, and its folder's settings of
 * how they are read. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- the folder's rules */

static sac_status copy_phrases(const cJSON *list, sac_generated_regions *r, sac_error *error)
{
    const cJSON *one;
    size_t count = 0;
    r->nothing = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *r->nothing);
    if (!r->nothing)
        return sac_no_memory(error, "phrases");
    cJSON_ArrayForEach(one, list)
    {
        if (!cJSON_IsString(one))
            return sac_fail(error, SAC_E_FORMAT, "banned_grounding_tokens", NULL,
                            "is not a list of texts");
        if (!(r->nothing[count++] = strdup(one->valuestring)))
            return sac_no_memory(error, "phrases");
    }
    return SAC_OK;
}

sac_status sac_generated_regions_read(const char *folder, sac_generated_regions *r,
                                      sac_error *error)
{
    char path[4096];
    cJSON *json = NULL;
    snprintf(path, sizeof path, "%s/processor_config.json", folder);
    sac_status status = sac_is_regular(path) ? sac_json_load_config(path, &json, error) : SAC_OK;
    const cJSON *rules = cJSON_GetObjectItemCaseSensitive(json, "post_processor_config");
    const cJSON *grounding = cJSON_GetObjectItemCaseSensitive(rules, "phrase_grounding");
    const cJSON *ocr = cJSON_GetObjectItemCaseSensitive(rules, "ocr");
    const cJSON *area = cJSON_GetObjectItemCaseSensitive(ocr, "AREA_THRESHOLD");
    if (cJSON_IsNumber(area))
        r->least_area = area->valuedouble;
    if (cJSON_IsObject(rules)) /* without a list there, nothing is left out */
        status = sac_error_within(
            error,
            copy_phrases(cJSON_GetObjectItemCaseSensitive(grounding, "banned_grounding_tokens"), r,
                         error),
            path);
    cJSON_Delete(json);
    return status;
}

void sac_generated_regions_free(sac_generated_regions *r)
{
    for (char **one = r->nothing; one && *one; one++)
        free(*one);
    free(r->nothing);
    *r = (sac_generated_regions){0};
}

/* ---------------------------------------------------------------- the words as one text */

/* The text of all words, those that are marks among them, and which word each byte is of. */
typedef struct decoded_text {
    const sac_tokenizer *tokenizer;
    char *bytes;
    int *word;
    size_t size;
} decoded_text;

static bool append(decoded_text *t, const char *bytes, size_t size, int word)
{
    char *more = realloc(t->bytes, t->size + size + 1);
    int *words = more ? realloc(t->word, (t->size + size + 1) * sizeof *words) : NULL;
    t->bytes = more ? more : t->bytes;
    t->word = words ? words : t->word;
    if (!more || !words)
        return false;
    memcpy(t->bytes + t->size, bytes, size);
    for (size_t i = 0; i < size; i++)
        t->word[t->size + i] = word;
    t->size += size;
    t->bytes[t->size] = '\0';
    return true;
}

/* True for a token that stands as it is: special ones, which are no text otherwise, and those of places. */
static bool is_mark(const decoded_text *t, int id, const char **mark)
{
    *mark = sac_tokenizer_token(t->tokenizer, id);
    return *mark && (sac_tokenizer_is_special(t->tokenizer, id) || strncmp(*mark, "<loc", 4) == 0 ||
                     strncmp(*mark, "<seg", 4) == 0);
}

/* Words first … end, which are text. */
static bool append_text(decoded_text *t, const int *ids, int first, int end)
{
    size_t used = 0;
    bool done = true;
    for (int i = first; i < end && done; i++) {
        char *text = sac_tokenizer_decode(t->tokenizer, ids + first, (size_t)(i + 1 - first));
        size_t size = text ? strlen(text) : 0;
        done = text && (size <= used || append(t, text + used, size - used, i));
        used = size > used ? size : used;
        free(text);
    }
    return done;
}

sac_status sac_captioner_find_regions(const captioner *c, sac_result *caption, sac_error *error)
{
    decoded_text t = {.tokenizer = c->decoder->tokenizer};
    const sac_generated_regions *r = &c->regions;
    int ids[SAC_MAX_TOKENS], count = caption->count;
    caption->regions = (sac_regions){.form = r->form, .width = r->width, .height = r->height};
    bool done = append(&t, "", 0, 0);
    for (int i = 0; i < count; i++)
        ids[i] = caption->outputs[i].word;
    for (int i = 0; i < count && done;) {
        const char *mark;
        int end = i;
        if (is_mark(&t, ids[i], &mark)) {
            done = append(&t, mark, strlen(mark), i++);
            continue;
        }
        while (end < count && !is_mark(&t, ids[end], &mark))
            end++;
        done = append_text(&t, ids, i, end);
        i = end;
    }
    if (done)
        sac_regions_read(&caption->regions, t.bytes, t.word, c->question,
                         &(sac_regions_rules){r->nothing ? (const char *const *)r->nothing
                                                         : sac_phrases_of_nothing,
                                              r->least_area});
    free(t.bytes);
    free(t.word);
    return done ? SAC_OK : sac_no_memory(error, c->model->name);
}
