/* What every model that generates sentences shares: each picture is encoded once, and each caption
 * of it decoded once, for all files that a command writes and all views of a document. */
#include "sources/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"

enum { KEPT = 6 };

/* Of the picture or sentence that is open. */
struct sac_kept_captions {
    bool encoded[SAC_SOURCE_MODELS];
    struct {
        bool known;
        sac_result_request request; /* its hidden cells are owned */
        uint8_t *hidden;
        sac_result caption; /* owned */
    } entry[KEPT];
    int latest; /* the entry that was kept last: of what was decoded last; −1: none is */
};

/* ---------------------------------------------------------------- kept captions */

/* False: no memory, or it is too large to be kept. */
static bool copy_caption(const sac_result *from, sac_result *to)
{
    size_t cells = (size_t)from->grid_w * (size_t)from->grid_h;
    size_t words = from->positions ? (size_t)from->grid_w : 0;
    size_t weights = from->weights ? (size_t)from->count * cells : 0, shares = 0;
    if (from->attentions || from->logits || from->phrase_words)
        return false;
    if (from->shares && from->count)
        shares = from->outputs[from->count - 1].share +
                 strlen(sac_result_share(from, from->count - 1)) + 1;
    *to = *from;
    to->weights = weights ? malloc(weights * sizeof *to->weights) : NULL;
    to->positions = words ? malloc(words * sizeof *to->positions) : NULL;
    to->line = from->line ? strdup(from->line) : NULL;
    to->shares = from->shares ? malloc(shares + 1) : NULL;
    to->before = NULL;     /* which is of a request that is not kept, … */
    to->gaze_heads = NULL; /* … and so are these */
    to->gaze_head_count = 0;
    if ((weights && !to->weights) || (words && !to->positions) || (from->line && !to->line) ||
        (from->shares && !to->shares)) {
        sac_result_free(to);
        return false;
    }
    if (weights)
        memcpy(to->weights, from->weights, weights * sizeof *to->weights);
    if (words)
        memcpy(to->positions, from->positions, words * sizeof *to->positions);
    if (shares)
        memcpy(to->shares, from->shares, shares);
    return true;
}

static float temperature_of(const sac_result_request *request)
{
    return request->temperature > 0 ? request->temperature : 1;
}

/* True where kept caption `i` answers the request. */
static bool kept_caption_answers(const sac_source *source, int i, const sac_result_request *b)
{
    const struct sac_kept_captions *kept = source->result.kept;
    if (i < 0 || !kept->entry[i].known)
        return false;
    const sac_result_request *a = &kept->entry[i].request;
    const sac_result *caption = &kept->entry[i].caption;
    int beam = sac_source_beam(source);
    float penalty = source->result.length_penalty;
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    if (!a->hidden != !b->hidden || (a->hidden && memcmp(a->hidden, b->hidden, cells) != 0))
        return false;
    return a->model == b->model && (a->beam ? a->beam : beam) == (b->beam ? b->beam : beam) &&
           (a->penalty.given ? a->penalty.value : penalty) ==
               (b->penalty.given ? b->penalty.value : penalty) &&
           temperature_of(a) == temperature_of(b) && a->normalizer == b->normalizer &&
           a->layer == b->layer && a->head == b->head && a->no_sinks == b->no_sinks &&
           a->attribution == b->attribution && sac_gaze_is_same(&a->gaze, &b->gaze) &&
           !b->phrases && !b->sampling && a->prefix_count == b->prefix_count &&
           memcmp(a->prefix, b->prefix, (size_t)a->prefix_count * sizeof *a->prefix) == 0;
}

static bool copy_kept_answer(const sac_source *source, const sac_result_request *request,
                             sac_result *caption)
{
    for (int i = 0; source->result.kept && i < KEPT; i++)
        if (kept_caption_answers(source, i, request))
            return copy_caption(&source->result.kept->entry[i].caption, caption);
    return false;
}

static void forget_entry(struct sac_kept_captions *kept, int i)
{
    sac_result_free(&kept->entry[i].caption);
    free(kept->entry[i].hidden);
    kept->entry[i].hidden = NULL;
    kept->entry[i].known = false;
}

/* A copy, in the place of the oldest; without memory none. */
void sac_source_keep(sac_source *source, const sac_result_request *request,
                     const sac_result *caption)
{
    struct sac_kept_captions *kept = source->result.kept;
    int i = kept->latest = (kept->latest + 1) % KEPT;
    size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
    forget_entry(kept, i);
    kept->entry[i].request = *request;
    if (request->hidden) {
        kept->entry[i].hidden = malloc(cells);
        if (!kept->entry[i].hidden)
            return;
        memcpy(kept->entry[i].hidden, request->hidden, cells);
        kept->entry[i].request.hidden = kept->entry[i].hidden;
    }
    kept->entry[i].known = copy_caption(caption, &kept->entry[i].caption);
}

void sac_source_forget(sac_source *source)
{
    struct sac_kept_captions *kept = source->result.kept;
    for (int i = 0; kept && i < KEPT; i++)
        forget_entry(kept, i);
    free(kept);
    source->result.kept = NULL;
}

/* ---------------------------------------------------------------- generation */

/* Has the model encode what is open, unless it has. */
sac_status sac_source_encode(sac_source *source, int model, sac_error *error)
{
    sac_result_source *s = &source->result;
    if (model < 0 || model >= s->models)
        return sac_fail(error, SAC_E_ARGUMENT, "model", NULL, "there is no model %d of %d",
                        model + 1, s->models);
    if (!s->encode)
        return SAC_OK;
    if (!s->kept)
        s->kept = calloc(1, sizeof *s->kept);
    if (!s->kept)
        return sac_no_memory(error, source->title);
    if (s->kept->encoded[model])
        return SAC_OK;
    sac_status status = s->encode(source, model, error);
    s->kept->encoded[model] = status == SAC_OK;
    return status;
}

/* Of what the model has encoded, in so many milliseconds. */
static sac_status decode(sac_source *source, const sac_result_request *request, double encoding,
                         sac_result *caption, sac_error *error)
{
    sac_status status = source->result.generate(source->self, request, caption, error);
    caption->normalizer = request->normalizer;
    caption->gaze = request->gaze;
    if (status == SAC_OK && source->picture.counted) /* the next piece of a sound is known now */
        source->picture.count = source->picture.counted(source->self);
    if (status == SAC_OK && source->result.encode && request->sampling)
        source->result.kept->latest = -1; /* what is explained then is decoded anew */
    else if (status == SAC_OK && source->result.encode) {
        caption->milliseconds += encoding;
        sac_source_keep(source, request, caption);
    } else if (status != SAC_OK)
        sac_source_forget(source); /* whatever the model holds now */
    return status;
}

/* What a model is asked for a request: a contrast is made of its attention. */
static sac_result_request request_for_model(const sac_result_request *request)
{
    sac_result_request asked = *request;
    if (asked.attribution == SAC_ATTRIBUTION_CONTRAST)
        asked.attribution = SAC_ATTRIBUTION_RAW;
    if (!sac_gaze_is_held(&asked.gaze)) /* its heads are looked for in what is generated */
        asked.gaze = (sac_gaze){0};
    return asked;
}

/* A gradient goes back through the weights as the model makes them itself. */
static sac_status check_normalizer(const sac_source *source, const sac_result_request *request,
                                   sac_error *error)
{
    if (!request->normalizer)
        return SAC_OK;
    if (request->normalizer < 0 || request->normalizer > SAC_NORMALIZER_COUNT)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", NULL, "there is no number %d",
                        request->normalizer - 1);
    if (!source->result.normalizes)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", "leave it out",
                        "the attention of %.60s has its own", source->title);
    if (request->attribution)
        return sac_fail(error, SAC_E_ARGUMENT, "normalizer", "leave one of both out",
                        "the map \"%s\" is known of the model's own alone",
                        sac_attribution_names[request->attribution]);
    return SAC_OK;
}

static sac_status check_gaze(const sac_source *source, const sac_result_request *request,
                             sac_error *error)
{
    if (!source->result.holds_gaze)
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "leave it out",
                        "no word of %.60s looks at cells of a picture", source->title);
    if (request->attribution && request->attribution != SAC_ATTRIBUTION_CONTRAST)
        return sac_fail(error, SAC_E_ARGUMENT, "gaze", "leave one of both out",
                        "the map \"%s\" is known of where the model looks by itself alone",
                        sac_attribution_names[request->attribution]);
    return request->sampling ? sac_fail(error, SAC_E_ARGUMENT, "gaze", "leave one of both out",
                                        "is held in a search alone, and not token by token")
                             : SAC_OK;
}

/* ---- heads that look at what is described */

static sac_status check_gaze_heads(const sac_source *source, const sac_result_request *request,
                                   sac_error *error)
{
    if (!source->result.head_maps || !source->weights.layers)
        return sac_fail(error, SAC_E_ARGUMENT, "heads", "leave them out",
                        "%.60s has no heads that look at cells of a picture", source->title);
    return request->sampling ? sac_fail(error, SAC_E_ARGUMENT, "heads", "leave one of both out",
                                        "are looked for in a search alone, and not token by token")
                             : SAC_OK;
}

/* A layer's maps [heads,tokens,cells] of the caption that was decoded last. */
typedef struct layer_maps {
    sac_source *source;
    const sac_result_request *request;
    int tokens;
    size_t cells;
    int layer;   /* that `maps` are of; −1: of none yet */
    float *maps; /* owned */
    int *work;   /* [cells]; owned */
} layer_maps;

static sac_status read_layer_maps(layer_maps *m, int layer, sac_error *error)
{
    if (m->layer == layer)
        return SAC_OK;
    sac_status status = sac_cancel_check("heads", error);
    m->layer = layer;
    return status == SAC_OK ? m->source->result.head_maps(m->source->self, m->request, layer,
                                                          m->tokens, m->maps, error)
                            : status;
}

static const float *map_at(const layer_maps *m, size_t head, int token)
{
    return m->maps + (head * (size_t)m->tokens + (size_t)token) * m->cells;
}

/* A head's figures over the words. */
static sac_status measure_head(layer_maps *m, const sac_result *caption, sac_gaze_head *head,
                               sac_error *error)
{
    sac_gaze_scan scan;
    sac_status status = read_layer_maps(m, (int)head->layer, error);
    if (status == SAC_OK)
        status = sac_gaze_scan_begin(&scan, (size_t)caption->count, caption->grid_w,
                                     caption->grid_h, error);
    if (status != SAC_OK)
        return status;
    for (int t = 0; t < caption->count; t++)
        sac_gaze_scan_map(&scan, map_at(m, head->head, sac_result_step(caption, t)));
    sac_gaze_scan_finish(&scan, head);
    sac_gaze_scan_free(&scan);
    return SAC_OK;
}

static sac_status measure_heads(layer_maps *m, sac_result *caption, sac_error *error)
{
    const size_t H = m->source->weights.heads;
    sac_status status = SAC_OK;
    for (size_t i = 0; i < caption->gaze_head_count && status == SAC_OK; i++) {
        caption->gaze_heads[i] = (sac_gaze_head){.layer = i / H, .head = i % H};
        status = measure_head(m, caption, &caption->gaze_heads[i], error);
    }
    return status;
}

/* Chooses those that are named, or that look at what is described. */
static sac_status choose_heads(const sac_source *source, const sac_gaze *gaze, sac_result *caption,
                               sac_error *error)
{
    const size_t H = source->weights.heads, count = caption->gaze_head_count;
    sac_status status = SAC_OK;
    if (sac_gaze_is_auto(gaze)) {
        sac_gaze_heads_choose(caption->gaze_heads, count, source->result.heads_together);
        return SAC_OK;
    }
    uint8_t *named = malloc(count + 1);
    status = named ? sac_gaze_find_heads(gaze, source->weights.layers, H, named, error)
                   : sac_no_memory(error, source->title);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        sac_gaze_head *head = &caption->gaze_heads[i];
        head->is_chosen = named[head->layer * H + head->head];
    }
    free(named);
    return status;
}

/* Adds a head's maps of the layer that was read to means [words,cells]. */
static void add_head_maps(const layer_maps *m, const sac_result *caption, size_t head, float *means)
{
    for (size_t i = 0; i < (size_t)caption->count * m->cells; i++)
        means[i] += map_at(m, head, sac_result_step(caption, (int)(i / m->cells)))[i % m->cells];
}

/* Adds the maps of all that are chosen, layer by layer. */
static sac_status add_chosen_maps(layer_maps *m, const sac_result *caption, float *means,
                                  sac_error *error)
{
    const size_t H = m->source->weights.heads, count = caption->gaze_head_count;
    bool *is_chosen = calloc(count + 1, sizeof *is_chosen); /* [layers,heads] */
    sac_status status = is_chosen ? SAC_OK : sac_no_memory(error, m->source->title);
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        const sac_gaze_head *head = &caption->gaze_heads[i];
        is_chosen[head->layer * H + head->head] = head->is_chosen;
    }
    for (size_t i = 0; i < count && status == SAC_OK; i++) {
        if (!is_chosen[i])
            continue;
        status = read_layer_maps(m, (int)(i / H), error);
        if (status == SAC_OK)
            add_head_maps(m, caption, i % H, means);
    }
    free(is_chosen);
    return status;
}

static sac_status find_boxes(layer_maps *m, sac_result *caption, sac_error *error)
{
    const float w = (float)caption->grid_w, h = (float)caption->grid_h;
    float *means = calloc((size_t)caption->count * m->cells, sizeof *means);
    sac_status status =
        means ? add_chosen_maps(m, caption, means, error) : sac_no_memory(error, m->source->title);
    for (int t = 0; t < caption->count && status == SAC_OK; t++) {
        float *box = caption->outputs[t].box;
        if (!sac_gaze_box(means + (size_t)t * m->cells, caption->grid_w, caption->grid_h, m->work,
                          box))
            continue;
        for (int k = 0; k < 4; k++)
            box[k] /= k % 2 ? h : w;
    }
    free(means);
    return status;
}

/* Ranks all heads by where they look at the words of a caption that `request` gave, chooses those of the gaze, and gives
 * each word a box of these. */
static sac_status find_gaze_heads(sac_source *source, const sac_result_request *request,
                                  const sac_gaze *gaze, sac_result *caption, sac_error *error)
{
    const sac_result_request asked = request_for_model(request);
    int tokens[SAC_MAX_TOKENS];
    const size_t L = source->weights.layers, H = source->weights.heads;
    layer_maps m = {.source = source,
                    .request = &asked,
                    .tokens = sac_result_tokens(caption, tokens),
                    .layer = -1,
                    .cells = (size_t)caption->grid_w * (size_t)caption->grid_h};
    sac_status status = SAC_OK;
    sac_result again = {0};
    if (!caption->count)
        return SAC_OK;
    if (source->result.encode && !kept_caption_answers(source, source->result.kept->latest, &asked))
        status = decode(source, &asked, 0, &again, error);
    sac_result_free(&again);
    m.maps = malloc(H * (size_t)m.tokens * m.cells * sizeof *m.maps);
    m.work = malloc(m.cells * sizeof *m.work);
    caption->gaze_heads = calloc(L * H, sizeof *caption->gaze_heads);
    caption->gaze_head_count = caption->gaze_heads ? L * H : 0;
    if (status == SAC_OK && !(m.maps && m.work && caption->gaze_heads))
        status = sac_no_memory(error, source->title);
    if (status == SAC_OK)
        status = measure_heads(&m, caption, error);
    if (status == SAC_OK) {
        sac_gaze_heads_rank(caption->gaze_heads, caption->gaze_head_count);
        status = choose_heads(source, gaze, caption, error);
    }
    if (status == SAC_OK)
        status = find_boxes(&m, caption, error);
    free(m.maps);
    free(m.work);
    return status;
}

/* A caption with the heads that its request names, and nothing held. */
static sac_status generate_with_heads(sac_source *source, const sac_result_request *request,
                                      sac_result *caption, sac_error *error)
{
    sac_result_request plain = *request;
    sac_status status = check_gaze_heads(source, request, error);
    plain.gaze = (sac_gaze){0};
    if (status == SAC_OK)
        status = sac_source_generate(source, &plain, caption, error);
    if (status == SAC_OK)
        status = find_gaze_heads(source, &plain, &request->gaze, caption, error);
    caption->gaze = request->gaze;
    return status;
}

/* ---- a place at which it is held */

/* The tokens before the first that is held are those of the sentence without that, whatever a search would make of them
 * in view of what follows. */
static sac_status generate_held(sac_source *source, const sac_result_request *request,
                                sac_result *caption, sac_error *error)
{
    sac_result_request held = request_for_model(request);
    sac_result before = {0};
    int tokens[SAC_MAX_TOKENS], count = 0;
    sac_status status = check_gaze(source, request, error);
    held.gaze = (sac_gaze){0};
    if (sac_gaze_is_auto(&request->gaze))
        memcpy(held.gaze.heads, request->gaze.heads, sizeof held.gaze.heads);
    if (status == SAC_OK)
        status = sac_source_generate(source, &held, &before, error);
    if (status == SAC_OK)
        count = sac_result_tokens(&before, tokens);
    held.gaze = request->gaze;
    if (before.gaze_heads)
        sac_gaze_heads_write(before.gaze_heads, before.gaze_head_count, held.gaze.heads);
    if (status == SAC_OK && before.gaze_heads && !held.gaze.heads[0])
        status = sac_fail(error, SAC_E_ARGUMENT, "heads", "name some, or hold all",
                          "none of %zu looks at places of its words", before.gaze_head_count);
    if (status == SAC_OK && held.gaze.from >= count && held.gaze.from > 0)
        status = sac_fail(error, SAC_E_ARGUMENT, "gaze", "hold it from an earlier word on",
                          "there is no word %d; the sentence has %d without it", held.gaze.from + 1,
                          count);
    if (status == SAC_OK && held.gaze.from > held.prefix_count) {
        memcpy(held.prefix, tokens, (size_t)held.gaze.from * sizeof *tokens);
        held.prefix_count = held.gaze.from;
    }
    if (status == SAC_OK && !copy_kept_answer(source, &held, caption))
        status = decode(source, &held, 0, caption, error);
    if (status == SAC_OK && !(caption->before = sac_result_make_line(&before)))
        status = sac_no_memory(error, source->title);
    if (status == SAC_OK && request->attribution == SAC_ATTRIBUTION_CONTRAST)
        sac_result_contrast(caption);
    if (status == SAC_OK) {
        caption->gaze = request->gaze;
        caption->gaze_heads = before.gaze_heads;
        caption->gaze_head_count = before.gaze_head_count;
        before.gaze_heads = NULL;
    }
    sac_result_free(&before);
    return status;
}

sac_status sac_source_generate(sac_source *source, const sac_result_request *request,
                               sac_result *caption, sac_error *error)
{
    double start = sac_now();
    *caption = (sac_result){0};
    if (sac_gaze_is_held(&request->gaze))
        return generate_held(source, request, caption, error);
    if (request->gaze.heads[0])
        return generate_with_heads(source, request, caption, error);
    if (copy_kept_answer(source, request, caption))
        return SAC_OK;
    sac_status status = sac_attribution_check(source->result.attributions, request->attribution,
                                              source->title, error);
    if (status == SAC_OK)
        status = check_normalizer(source, request, error);
    if (status == SAC_OK && request->attribution == SAC_ATTRIBUTION_CONTRAST) {
        const sac_result_request asked = request_for_model(request);
        status = sac_source_generate(source, &asked, caption, error);
        if (status == SAC_OK)
            sac_result_contrast(caption);
        return status;
    }
    if (status == SAC_OK)
        status = sac_source_encode(source, request->model, error);
    double encoding = 1e3 * (sac_now() - start);
    if (status != SAC_OK ||
        copy_kept_answer(source, request, caption)) /* generated while it encoded */
        return status;
    return decode(source, request, encoding, caption, error);
}

sac_status sac_source_explain(sac_source *source, const sac_explanation_request *request,
                              sac_explanation *explanation, sac_error *error)
{
    sac_status status = SAC_OK;
    sac_explanation_request whole = *request;
    sac_result_request asked;
    *explanation = (sac_explanation){0};
    if (request->caption && sac_gaze_is_held(&request->caption->gaze)) {
        if (request->step >= (size_t)request->caption->gaze.from)
            return sac_fail(error, SAC_E_ARGUMENT, "weight", "choose a word before that",
                            "is held from word %d on, and made of no query and key",
                            request->caption->gaze.from + 1);
        asked = *request->caption;
        asked.gaze = (sac_gaze){0};
        whole.caption = &asked;
        return sac_source_explain(source, &whole, explanation, error);
    }
    if (request->caption && source->result.encode) {
        sac_result caption = {0};
        asked = request_for_model(request->caption);
        status = sac_source_encode(source, asked.model, error);
        if (status == SAC_OK && !kept_caption_answers(source, source->result.kept->latest, &asked))
            status = decode(source, &asked, 0, &caption, error);
        sac_result_free(&caption);
    }
    return status == SAC_OK ? source->weights.explain(source->self, request, explanation, error)
                            : status;
}

sac_status sac_source_attentions(sac_source *source, int model, const sac_result *caption,
                                 sac_attentions *attentions, sac_error *error)
{
    *attentions = (sac_attentions){0};
    if (!source->result.attentions)
        return SAC_OK;
    sac_status status = sac_source_encode(source, model, error);
    return status == SAC_OK
               ? source->result.attentions(source->self, model, caption, attentions, error)
               : status;
}

sac_status sac_source_all_attentions(sac_source *source, const sac_result *caption,
                                     sac_attentions *attentions, sac_error *error)
{
    const sac_result_source *s = &source->result;
    *attentions = (sac_attentions){0};
    if (s->attentions && s->layered == 0 && caption->count)
        return sac_source_attentions(source, 0, caption, attentions, error);
    if (!s->all_attentions)
        return SAC_OK;
    sac_status status = sac_source_encode(source, 0, error);
    return status == SAC_OK ? s->all_attentions(source->self, caption, attentions, error) : status;
}

/* ---------------------------------------------------------------- heads */

sac_status sac_source_scale_kind(sac_source *source, int kind, const float *scale, sac_error *error)
{
    const sac_result_source *s = &source->result;
    if (!s->scale_heads)
        return sac_fail(error, SAC_E_ARGUMENT, source->title, "leave all heads at work",
                        "has no heads that can be scaled");
    sac_status status = s->scale_heads(source->self, kind, scale, error);
    if (status == SAC_OK)
        sac_source_forget(source);
    return status;
}

/* The sentence as text; free() it. */
static sac_status generate(sac_source *source, char **text, sac_error *error)
{
    sac_result caption;
    sac_status status = sac_source_generate(source, &(sac_result_request){0}, &caption, error);
    if (status == SAC_OK && !(*text = sac_result_make_line(&caption)))
        status = sac_no_memory(error, source->title);
    sac_result_free(&caption);
    return status;
}

/* Scales heads for a while. What is kept of all heads is put aside, … */
static sac_status begin_scaled_heads(sac_source *source, int kind, const float *scale,
                                     struct sac_kept_captions **kept, sac_error *error)
{
    *kept = source->result.kept;
    source->result.kept = NULL;
    return source->result.scale_heads(source->self, kind, scale, error);
}

/* … and stays; what was encoded by them is encoded anew when it is requested. */
static sac_status end_scaled_heads(sac_source *source, int kind, struct sac_kept_captions *kept,
                                   sac_status status, sac_error *error)
{
    sac_source_forget(source);
    sac_status back =
        source->result.scale_heads(source->self, kind, NULL, status == SAC_OK ? error : NULL);
    if (kept)
        memset(kept->encoded, 0, sizeof kept->encoded);
    source->result.kept = kept;
    return status == SAC_OK ? back : status;
}

sac_status sac_source_generate_without(sac_source *source, int kind, const float *scale,
                                       sac_heads_effect *effect, sac_error *error)
{
    struct sac_kept_captions *kept;
    sac_status status = generate(source, &effect->before, error);
    if (status != SAC_OK)
        return status;
    status = begin_scaled_heads(source, kind, scale, &kept, error);
    if (status == SAC_OK)
        status = generate(source, &effect->now, error);
    return end_scaled_heads(source, kind, kept, status, error);
}

sac_status sac_source_attentions_without(sac_source *source, int kind, const float *scale,
                                         const sac_result *caption, sac_attentions *attentions,
                                         sac_error *error)
{
    struct sac_kept_captions *kept;
    *attentions = (sac_attentions){0};
    sac_status status = begin_scaled_heads(source, kind, scale, &kept, error);
    if (status == SAC_OK)
        status = sac_source_attentions(source, 0, caption, attentions, error);
    status = end_scaled_heads(source, kind, kept, status, error);
    if (status != SAC_OK)
        sac_attentions_free(attentions);
    return status;
}

/* The kind whose name stands before a colon at *at, which moves behind it; else `kind`. */
static int parse_kind_prefix(const char **at, int kind)
{
    for (int i = 0; i < SAC_HEAD_KINDS; i++) {
        size_t size = strlen(sac_attention_kind_names[i]);
        if (strncmp(*at, sac_attention_kind_names[i], size) == 0 && (*at)[size] == ':') {
            *at += size + 1;
            return i;
        }
    }
    return kind;
}

/* Splits a text into one for each kind, [SAC_HEAD_KINDS][size] of `parts`. */
static void split_kinds(const char *text, char *parts, size_t size)
{
    int kind = SAC_DECODER_ATTENTION;
    for (const char *at = text; *at;) {
        at += strspn(at, " ,");
        kind = parse_kind_prefix(&at, kind);
        size_t length = strcspn(at, ",");
        char *part = parts + (size_t)kind * size;
        snprintf(part + strlen(part), size - strlen(part), "%s%.*s", part[0] ? "," : "",
                 (int)length, at);
        at += length;
    }
}

sac_status sac_source_scale_heads(sac_source *source, const char *text, sac_error *error)
{
    const sac_result_source *s = &source->result;
    size_t size = strlen(text) + 2, layers[SAC_HEAD_KINDS], heads[SAC_HEAD_KINDS];
    char *parts = calloc(SAC_HEAD_KINDS, size);
    float *scale[SAC_HEAD_KINDS] = {NULL};
    sac_status status = parts ? SAC_OK : sac_no_memory(error, source->title);
    if (parts)
        split_kinds(text, parts, size);
    for (int k = 0; k < SAC_HEAD_KINDS && status == SAC_OK; k++) {
        const char *part = parts + (size_t)k * size;
        bool any = s->scale_heads && s->heads(source->self, k, &layers[k], &heads[k]);
        if (any && !(scale[k] = calloc(layers[k] * heads[k] + 1, sizeof *scale[k])))
            status = sac_no_memory(error, source->title);
        else if (any)
            status = sac_head_scales_read(part, layers[k], heads[k], scale[k], error);
        else if (part[0])
            status = sac_fail(error, SAC_E_ARGUMENT, "heads", "name heads of another part",
                              "%s are of its %s, of which this model has none that can be scaled",
                              part, sac_attention_kind_names[k]);
    }
    for (int k = 0; k < SAC_HEAD_KINDS && status == SAC_OK; k++)
        if (scale[k])
            status = sac_source_scale_kind(source, k, scale[k], error);
    for (int k = 0; k < SAC_HEAD_KINDS; k++)
        free(scale[k]);
    free(parts);
    return status;
}

/* ---------------------------------------------------------------- what is open */

sac_status sac_source_turn_to_example(sac_source *source, int number, sac_error *error)
{
    const char *what = source->result.read ? "sentence" : "picture";
    if (number < 0 || (!source->picture.scenes && number >= source->picture.count))
        return sac_fail(error, SAC_E_ARGUMENT, what, NULL, "there is no %s %d of %d", what,
                        number + 1, source->picture.count);
    char before[SAC_TEXT_SIZE];
    memcpy(before, source->result.text, sizeof before);
    sac_status status = source->picture.turn ? source->picture.turn(source, number, error) : SAC_OK;
    if (!before[0] || strcmp(before, source->result.text) != 0)
        sac_source_forget(source);
    return status;
}

sac_status sac_source_read(sac_source *source, const char *text, sac_error *error)
{
    char before[SAC_TEXT_SIZE];
    memcpy(before, source->result.text, sizeof before);
    sac_status status = source->result.read(source, text, error);
    if (strcmp(before, source->result.text) != 0)
        sac_source_forget(source);
    return status;
}

/* ---------------------------------------------------------------- words */

bool sac_source_allows_token(const sac_source *source, int word)
{
    bool is_known = word >= 0 && word < source->result.vocabulary_count;
    return is_known &&
           (!source->result.token_allowed || source->result.token_allowed(source->self, word));
}

void sac_source_add_model(sac_source *source, const char *name)
{
    char *to = source->result.model[source->result.models];
    size_t length = strlen(name), size = sizeof *source->result.model;
    int same = 0;
    for (int i = 0; i < source->result.models; i++) /* "additive, entmax15" is another one */
        same += strncmp(source->result.model[i], name, length) == 0 &&
                source->result.model[i][length] != ',';
    if (same)
        snprintf(to, size, "%.19s %d", name, same + 1);
    else
        snprintf(to, size, "%s", name);
    source->result.models++;
}

int sac_source_beam(const sac_source *source)
{
    return source->result.beam ? source->result.beam : SAC_DEFAULT_BEAM;
}

int sac_source_widest_beam(const sac_source *source)
{
    return source->result.beam > 5 ? source->result.beam : 5;
}
