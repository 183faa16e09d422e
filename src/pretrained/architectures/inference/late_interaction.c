/* Late interaction (ColBERT, Khattab and Zaharia 2020; ColPali, Faysse et al. 2024): what reads makes a vector of each
 * token of a page, its picture's and those of a prompt, and of each token of a query. What a token of the query has of the
 * page is its largest cosine with any of the page's; the sum of these is the score of the page. */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/clock.h"
#include "base/error.h"
#include "nn/layers.h"
#include "tokenizers/chat/conversation.h"

enum { AUGMENTATION = 10 }; /* tokens of padding behind a query, whose states go on with it */

/* ---------------------------------------------------------------- the model */

sac_config sac_late_config(sac_config *c, const char *type, const sac_config_key *keys)
{
    sac_config whole = sac_config_inside(c, "vlm_config");
    const char *own = sac_config_text(&whole, "model_type");
    if (own[0] && strcmp(own, type) != 0)
        sac_config_refuse(&whole, "vlm_config", "is of the type \"%.40s\", and %s alone is known",
                          own, type);
    sac_config_apply_keys(&whole, keys);
    return whole;
}

void sac_late_declare(sac_pretrained_model *m, sac_config *c, const sac_late_prompts *prompts)
{
    sac_shared_space *s = &m->shared;
    sac_pretrained_model *reader = m->reader;
    s->late = prompts;
    s->width = (size_t)sac_config_size(c, "embedding_dim", 1, SAC_ARCHITECTURE_WIDTH);
    s->read = sac_dense_declare(&m->parameters, "", "embedding_proj_layer", s->width, reader->width,
                                true);
    if (!reader->text_decoder.connector.is_bidirectional)
        return;
    reader->run.causal = false; /* all is a prefix, which no window cuts */
    memset(reader->window, 0, sizeof reader->window);
}

/* ---------------------------------------------------------------- prompts */

static const char *text_or(const cJSON *json, const char *name, const char *otherwise)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
    return text ? text : otherwise;
}

sac_status sac_late_read_prompts(sac_pretrained_model *m, sac_error *error)
{
    const sac_late_prompts *own = m->shared.late;
    sac_text_decoder *t = &m->reader->text_decoder;
    const char *picture = sac_tokenizer_token(m->tokenizer, t->connector.token);
    const char *padding = sac_tokenizer_padding(m->tokenizer);
    char path[sizeof m->folder + 32], filled[AUGMENTATION * 64] = "";
    cJSON *json = NULL;
    snprintf(path, sizeof path, "%s/processor_config.json", m->folder);
    if (!picture || !padding[0])
        return sac_fail(error, SAC_E_FORMAT, m->folder, "give the tokenizer of this very model",
                        "its tokenizer has no token %s",
                        picture ? "for padding" : "for a part of a picture");
    sac_status status = sac_is_regular(path) ? sac_json_load_config(path, &json, error) : SAC_OK;
    if (status != SAC_OK)
        return status;
    const char *query = text_or(json, "query_prefix", own->query);
    const char *page = text_or(json, "visual_prompt_prefix", own->page);
    for (int i = 0; i < AUGMENTATION; i++)
        strcat(filled, padding);
    int used = snprintf(t->query, sizeof t->query, "%s%s" SAC_CHAT_QUESTION "%s\n", own->start,
                        query, filled);
    const bool has_picture = own->start[0] == '\0';
    int used_by_page = snprintf(t->chat, sizeof t->chat, "%s%s%s%s", has_picture ? "" : picture,
                                own->start, page, has_picture ? "" : "\n");
    if (used >= (int)sizeof t->query || used_by_page >= (int)sizeof t->chat)
        status = sac_fail(error, SAC_E_FORMAT, path, "give shorter ones", "has prompts too long");
    cJSON_Delete(json);
    return status;
}

sac_status sac_late_frame_query(const sac_pretrained_model *m, const char *text,
                                sac_conversation *query, sac_error *error)
{
    const char *form = m->reader->text_decoder.query;
    *query = (sac_conversation){.text = sac_chat_fill(form, NULL, text),
                                .turns = calloc(1, sizeof *query->turns),
                                .count = 1};
    if (!query->text || !query->turns) {
        sac_conversation_free(query);
        return sac_no_memory(error, m->name);
    }
    query->turns[0] =
        (sac_turn_text){"query", (size_t)(strchr(form, SAC_CHAT_QUESTION[0]) - form), strlen(text)};
    return SAC_OK;
}

/* ---------------------------------------------------------------- vectors */

/* *rows [count,P], of length 1 each: free() them. Out of what leaves the last layer. */
static sac_status embed_tokens(sac_pretrained_model *m, const sac_inference *text, float **rows,
                               sac_error *error)
{
    const size_t P = m->shared.width, T = text->count;
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0};
    *rows = malloc(T * P * sizeof **rows);
    if (!*rows)
        return sac_no_memory(error, m->name);
    sac_device_lock(m->device);
    sac_arena_shape(&arena, &m->pass, &x, T, text->model->width);
    sac_arena_shape(&arena, &m->pass, &y, T, P);
    sac_pass_write(&m->pass, x, text->left);
    sac_linear_forward(&m->pass, y, x, m->shared.read.w, m->shared.read.b);
    sac_pass_read(&m->pass, y, *rows);
    sac_status status = sac_model_end_pass(m, &arena, error);
    if (status == SAC_OK)
        sac_normalise_rows(*rows, T, P);
    return status;
}

/* The tokens of a page's prompt, in which those of the picture, `count`, lie from *first on. */
static sac_status tokenize_page(const sac_pretrained_model *m, size_t count, sac_tokens *page,
                                size_t *first, sac_error *error)
{
    const sac_text_decoder *t = &m->reader->text_decoder;
    const int token = t->connector.token;
    sac_tokens one = {0};
    size_t found = 0;
    sac_status status = sac_tokenizer_encode(m->tokenizer, t->chat, false, &one, error);
    page->ids = malloc((one.count + count + 1) * sizeof *page->ids);
    if (status == SAC_OK && !page->ids)
        status = sac_no_memory(error, m->name);
    for (size_t i = 0; i < one.count && status == SAC_OK; i++) {
        const bool is_picture = one.ids[i] == token;
        *first = is_picture && found == 0 ? page->count : *first;
        found += is_picture;
        for (size_t k = 0; k < (is_picture && found == 1 ? count : 1); k++)
            page->ids[page->count++] = one.ids[i];
    }
    sac_tokens_free(&one);
    if (status == SAC_OK && found != 1)
        status = sac_fail(error, SAC_E_FORMAT, m->folder, "give the prompt of this very model",
                          "the prompt of a page has %zu places for its picture", found);
    return status;
}

/* Fills what is kept of the page. */
static sac_status embed_page(sac_inference *p, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    struct sac_compared *c = p->compared;
    sac_tokens ids = {0};
    sac_inference *page = NULL;
    float *pictured = NULL;
    size_t count;
    sac_status status = sac_picture_tokens_of(p, m->reader, &pictured, &count, error);
    if (status == SAC_OK)
        status = tokenize_page(m, count, &ids, &c->first, error);
    const sac_prompt prompt = {.ids = ids.ids,
                               .count = ids.count,
                               .picture = m->reader->text_decoder.connector.token,
                               .pictured = pictured};
    if (status == SAC_OK)
        status = sac_inference_read_prompt(m->reader, &prompt, &page, error);
    if (status == SAC_OK) {
        c->page = page->count;
        status = embed_tokens(m, page, &c->seen[SAC_LIKENESS_STATES], error);
    }
    if (status != SAC_OK) {
        free(c->seen[SAC_LIKENESS_STATES]);
        c->seen[SAC_LIKENESS_STATES] = NULL;
    }
    sac_inference_free(page);
    sac_tokens_free(&ids);
    free(pictured);
    return status;
}

/* ---------------------------------------------------------------- both */

static float find_largest_cosine(const float *word, const float *rows, size_t count, size_t width,
                                 float *each)
{
    float most = -INFINITY;
    for (size_t n = 0; n < count; n++, rows += width) {
        double sum = 0;
        for (size_t k = 0; k < width; k++)
            sum += (double)word[k] * (double)rows[k];
        each[n] = (float)sum;
        most = fmaxf(most, each[n]);
    }
    return most;
}

/* Words of the query, then what of its prompt stands around them; `each` [page]. */
static sac_status fill_words(const sac_inference *p, const sac_inference *text, const float *rows,
                             float *each, sac_result *result, sac_error *error)
{
    const struct sac_compared *c = p->compared;
    const size_t P = p->model->shared.width, cells = (size_t)(result->grid_w * result->grid_h);
    const sac_turn *words = &text->turns[0];
    sac_labels labels = {0};
    sac_status status = sac_inference_labels(text, &labels, error);
    double score = 0;
    for (int i = 0; i < result->count && status == SAC_OK; i++) {
        const size_t n = (size_t)i, of = words->count;
        const size_t at = n < of ? words->from + n : n - of + (n - of < words->from ? 0 : of);
        sac_result_output *output = &result->outputs[i];
        output->cosine =
            find_largest_cosine(rows + at * P, c->seen[SAC_LIKENESS_STATES], c->page, P, each);
        output->is_of_prompt = n >= of;
        score += (double)output->cosine;
        memcpy(result->weights + n * cells, each + c->first, cells * sizeof *each);
        if (!sac_result_set_output_name(result, i, labels.text[at]))
            status = sac_no_memory(error, p->model->name);
    }
    result->score = (float)score;
    sac_labels_free(&labels);
    return status;
}

static sac_status compare_with_query(const sac_inference *p, const sac_inference *text,
                                     sac_result *result, sac_error *error)
{
    const sac_pretrained_model *m = p->model;
    const int s = m->reader->text_decoder.connector.shuffle;
    const size_t cells = (size_t)(p->grid_w / s) * (size_t)(p->grid_h / s);
    if (text->count > SAC_MAX_TOKENS)
        return sac_fail(error, SAC_E_ARGUMENT, "text", "give a shorter one",
                        "has %zu tokens; up to %d are possible", text->count, SAC_MAX_TOKENS);
    float *rows = NULL, *each = malloc(p->compared->page * sizeof *each);
    *result = (sac_result){.grid_w = p->grid_w / s,
                           .grid_h = p->grid_h / s,
                           .count = (int)text->count,
                           .has_score = true,
                           .weights = malloc(text->count * cells * sizeof *result->weights)};
    sac_status status = embed_tokens(text->model->whole, text, &rows, error);
    if (status == SAC_OK && (!each || !result->weights))
        status = sac_no_memory(error, m->name);
    if (status == SAC_OK)
        status = fill_words(p, text, rows, each, result, error);
    free(rows);
    free(each);
    return status;
}

sac_status sac_late_compare(sac_inference *p, const sac_result_request *request, sac_result *result,
                            sac_error *error)
{
    const double begin = sac_now();
    const char *query = request->phrases ? request->phrases : "";
    sac_inference *text = NULL;
    *result = (sac_result){0};
    if (request->way != SAC_LIKENESS_STATES)
        return sac_fail(error, SAC_E_ARGUMENT, "--likeness", "leave it out",
                        "is of models that compare whole pictures, and %s compares each token",
                        p->model->name);
    if (!query[strspn(query, " ")])
        return sac_fail(error, SAC_E_ARGUMENT, "text", "give what is to be found", "is empty");
    if (!p->compared && !(p->compared = calloc(1, sizeof *p->compared)))
        return sac_no_memory(error, p->model->name);
    sac_status status = sac_inference_read(p->model, query, &text, error);
    if (status == SAC_OK && !p->compared->seen[SAC_LIKENESS_STATES])
        status = embed_page(p, error);
    if (status == SAC_OK)
        status = compare_with_query(p, text, result, error);
    sac_inference_free(text);
    if (status != SAC_OK)
        sac_result_free(result);
    result->milliseconds = (sac_now() - begin) * 1e3;
    return status;
}
