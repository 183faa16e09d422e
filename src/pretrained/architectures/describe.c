/* Reads tables of architectures (description.h): declares a model's sizes, parameters and layers.
 */
#include <cjson/cJSON.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/architecture.h"
#include "architectures/description.h"
#include "base/error.h"

enum { PIXELS = 16384, PLACES = 1 << 24, EXPERTS = 1024 };

typedef struct reading {
    sac_pretrained_model *m;
    sac_config *c;
    const sac_description *d;
    const char *prefix;
    char layer[64];            /* of the layer that is declared, or of one of its experts */
    size_t query, key;         /* numbers of a token: of queries, of keys and of values */
    size_t depth, value_depth; /* of a head, and of its values */
    size_t depths[SAC_ARCHITECTURE_LAYERS], keys[SAC_ARCHITECTURE_LAYERS]; /* of each layer */
    int lent_from; /* the first layer that is lent keys */
    bool has_experts, has_clips;
    const sac_parameter *spread; /* of all layers with latent attention; NULL: not declared yet */
    bool bias[SAC_BIASES], is_gated; /* by swiglu */
    bool has_gate;
    float epsilon;
    float parts_times; /* 1: parts join the sum as they are */
    bool norm_biased;
    bool has_term[2];                       /* of distances: with their keys, with their queries */
    sac_experts experts;                    /* what those of all layers have in common … */
    bool is_dense[SAC_ARCHITECTURE_LAYERS]; /* … but for these, which have none */
    int number[SAC_ARCHITECTURE_LAYERS], net_number[SAC_ARCHITECTURE_LAYERS]; /* in the file */
} reading;

typedef char tensor_name[sizeof((sac_parameter *)0)->name];

/* ---------------------------------------------------------------- sizes */

static bool is_on(sac_config *c, sac_switch s)
{
    return s.key ? sac_config_flag_or(c, s.key, s.otherwise) : s.otherwise;
}

static int size_or(sac_config *c, const char *key, int low, int high, int otherwise)
{
    return key ? sac_config_size_or(c, key, low, high, otherwise) : otherwise;
}

static bool looks_both_ways(reading *r)
{
    static const char *const known[] = {"vision", "all", NULL};
    const char *key = r->d->both_ways;
    if (key && cJSON_IsString(cJSON_GetObjectItemCaseSensitive(r->c->json, key)))
        return sac_config_choice(r->c, key, known) == 1;
    return key && sac_config_flag_or(r->c, key, false);
}

static void read_heads(reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const sac_description *d = r->d;
    int heads = m->run.heads = sac_config_size(c, d->heads, 1, SAC_ARCHITECTURE_WIDTH);
    bool has_depth = d->unturned || (d->depth && sac_config_has(c, d->depth));
    if (!has_depth && m->width % (size_t)heads != 0)
        sac_config_refuse(c, d->heads, "%d heads do not divide a width of %zu", heads, m->width);
    if (d->key_heads)
        m->run.key_heads = sac_config_size_or(c, d->key_heads, 1, heads, heads);
    int key_heads = m->run.key_heads ? m->run.key_heads : heads;
    if (heads % key_heads != 0)
        sac_config_refuse(c, d->key_heads, "%d do not divide %d heads", key_heads, heads);
    r->depth = (size_t)size_or(c, d->depth, 1, SAC_ROTARY_DEPTH, (int)m->width / heads);
    if (d->unturned)
        r->depth = (size_t)(sac_config_size(c, d->unturned, 1, SAC_ROTARY_DEPTH / 2) +
                            sac_config_size(c, d->rope_numbers, 2, SAC_ROTARY_DEPTH / 2));
    r->value_depth = (size_t)size_or(c, d->value_depth, 1, SAC_ROTARY_DEPTH, (int)r->depth);
    if (d->unturned && sac_config_size_or(c, "num_key_value_heads", 1, 1 << 20, heads) != heads)
        sac_config_refuse(c, "num_key_value_heads",
                          "is not the number of heads, which each have "
                          "a key of their own");
    r->query = r->depth * (size_t)heads;
    r->key = r->depth * (size_t)key_heads;
}

static void read_layer_depth(reading *r, sac_config *c, const char *depth, int i)
{
    r->depths[i] = (size_t)size_or(c, depth, 1, SAC_ROTARY_DEPTH, (int)r->depths[i]);
}

static void read_layer_key_heads(reading *r, sac_config *c, const char *heads, int i)
{
    const int all = r->m->run.heads, own = size_or(c, heads, 1, all, (int)r->keys[i]);
    if (all % own != 0)
        sac_config_refuse(c, heads, "%d do not divide %d heads", own, all);
    r->keys[i] = (size_t)own;
}

/* The heads of each layer, whose windows are known. */
static void read_layer_heads(reading *r)
{
    const sac_description *d = r->d;
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const bool has_own = d->layer_sizes && sac_config_has(c, d->layer_sizes);
    const bool is_joined = d->full_joined && sac_config_flag_or(c, d->full_joined, false);
    sac_config all = has_own ? sac_config_inside(c, d->layer_sizes) : *c;
    for (int i = 0; i < m->layers && c->status == SAC_OK; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        sac_config own = sac_config_inside(&all, number);
        r->depths[i] = r->depth;
        r->keys[i] = r->key / r->depth;
        if (has_own) {
            read_layer_depth(r, &own, d->depth, i);
            read_layer_key_heads(r, &own, d->key_heads, i);
            c->status = own.status;
        } else if (!m->window[i] && d->full_depth) {
            read_layer_depth(r, c, d->full_depth, i);
            read_layer_key_heads(r, c, is_joined ? d->full_key_heads : NULL, i);
        }
    }
}

/* Which layers are lent keys and values, and by which. */
static void read_lent_layers(reading *r)
{
    sac_pretrained_model *m = r->m;
    const char *key = r->d->lent_layers;
    r->lent_from = m->layers - size_or(r->c, key, 0, m->layers, 0);
    for (int i = r->lent_from; i < m->layers && r->c->status == SAC_OK; i++) {
        int by = r->lent_from - 1;
        while (by >= 0 && !m->window[by] != !m->window[i])
            by--;
        if (by < 0 || r->depths[by] != r->depths[i] || r->keys[by] != r->keys[i])
            sac_config_refuse(r->c, key,
                              "layer %d has no layer of its kind before %d to share keys with", i,
                              r->lent_from);
        m->layer[i].lent = (size_t)(i - by);
    }
}

/* A list of names, or one text with bars between them. */
static bool has_term(const sac_config *c, const char *key, const char *term)
{
    const cJSON *terms = cJSON_GetObjectItemCaseSensitive(c->json, key), *one;
    if (cJSON_IsString(terms))
        return strstr(terms->valuestring, term) != NULL;
    cJSON_ArrayForEach(one, terms) if (cJSON_IsString(one) &&
                                       strcmp(one->valuestring, term) == 0) return true;
    return false;
}

/* How many numbers a head has in layers with a window, or in those without one, which are turned alike. */
static size_t find_depth(const reading *r, bool has_window)
{
    const sac_pretrained_model *m = r->m;
    size_t depth = 0;
    for (int i = 0; i < m->layers && r->d->local_base; i++)
        if (!m->window[i] == !has_window) {
            if (depth && depth != r->depths[i])
                sac_config_refuse(r->c, r->d->layer_sizes,
                                  "layers of one kind have heads of %zu and of %zu", depth,
                                  r->depths[i]);
            depth = r->depths[i];
        }
    return depth ? depth : r->depth;
}

/* The turns of layers with a window, where rope_parameters distinguishes kinds of layers, or else of a
 * base of their own. */
static void read_local_rope(reading *r)
{
    const sac_description local = {.rope_base = r->d->local_base};
    const size_t depth = find_depth(r, true);
    double base = (double)sac_config_number_or(r->c, r->d->local_base, 10000);
    if (sac_config_has(r->c, "rope_parameters"))
        sac_architecture_read_rope(r->m, r->c, &local, depth, "sliding_attention",
                                   &r->m->local_rope);
    else
        r->m->local_rope = (sac_rope){.rotary = sac_rotary_of(depth, base), .base = base};
}

/* Disentangled attention: by which distances, and how scores are scaled with its terms. */
static void read_distances(reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const sac_description *d = r->d;
    int own = (int)sac_config_number_or(c, d->spans, -1);
    int spans = own > 0 ? own : sac_config_size(c, d->max_positions, 1, PLACES);
    int buckets = (int)sac_config_number_or(c, d->distance_buckets, -1);
    int terms = 1;
    if (spans > PLACES || buckets > PLACES || (buckets > 0 && buckets < 4))
        sac_config_refuse(c, d->spans, "there are no such distances");
    r->has_term[0] = has_term(c, d->distance_terms, "c2p");
    r->has_term[1] = has_term(c, d->distance_terms, "p2c");
    terms += r->has_term[0] + r->has_term[1];
    m->distances.rows = buckets > 0 ? buckets : spans;
    m->distances.max_distance = buckets > 0 ? spans : 0;
    m->distances.scale = 1 / sqrtf((float)r->depth * (float)terms);
    for (int i = 0; i < m->layers; i++)
        m->scale[i] = m->distances.scale;
}

/* How positions enter the layers, beside those that are added to words. */
static void read_position_encoding(reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const sac_description *d = r->d;
    m->has_biases |= d->alibi;
    m->turns_patches = d->turns_patches;
    m->counts_patches = d->counts_patches;
    m->staggers_patches = d->staggers_patches;
    if (d->turns_patches && r->depth % 4)
        sac_config_refuse(c, d->heads, "heads of %zu numbers are not turned in two axes", r->depth);
    if (d->rotary || d->turns_patches)
        sac_architecture_read_rope(m, c, d, find_depth(r, false), "full_attention", &m->rope);
    if (d->local_base && c->status == SAC_OK)
        read_local_rope(r);
    if (d->distances)
        read_distances(r);
}

/* Layers that are not turned. */
static void read_unturned(reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const sac_description *d = r->d;
    int turned[SAC_ARCHITECTURE_LAYERS];
    int count = d->no_rope ? sac_config_sizes(c, d->no_rope, 0, 1, turned, m->layers) : 0;
    int each = size_or(c, d->no_rope_every, 1, 1 << 20, 0);
    for (int i = 0; i < m->layers; i++)
        if (count > 0 ? i < count && !turned[i] : each > 0 && (i + 1) % each == 0)
            m->turn[i] = SAC_ROPE_NONE;
}

/* 1 without a key. */
static float read_factor(sac_config *c, const char *key)
{
    float factor = key ? sac_config_number_or(c, key, 1) : 1;
    if (!(factor > 0))
        sac_config_refuse(c, key, "is not above 0");
    return factor;
}

/* By what each layer's scores are multiplied: 1/√d, or 1; divided by the layer's number, from 1 on,
 * where they are. */
static void read_scales(reading *r)
{
    sac_pretrained_model *m = r->m;
    bool scaled = !r->d->scaled || sac_config_flag_or(r->c, r->d->scaled, true);
    bool falls = r->d->scale_falls && sac_config_flag_or(r->c, r->d->scale_falls, false);
    scaled = scaled && !r->d->is_unscaled;
    bool is_own =
        falls || !scaled || r->d->scale_by || r->d->scale_times || r->d->rope_scales_scores;
    float by = (float)r->depth;
    if (r->d->scale_by)
        by = sac_config_number_or(r->c, r->d->scale_by, by);
    if (!(by > 0))
        sac_config_refuse(r->c, r->d->scale_by ? r->d->scale_by : r->d->heads,
                          "leaves nothing to divide scores by");
    float scale = scaled ? 1 / sqrtf(by) : 1;
    if (r->d->scale_times)
        scale = read_factor(r->c, r->d->scale_times);
    for (int i = 0; i < m->layers && is_own; i++)
        m->scale[i] = falls ? scale / (float)(i + 1) : scale;
}

/* Layers that see a window of tokens alone: those that layer_types names, or else those that the
 * table gives. */
static void read_windows(reading *r)
{
    static const char *const kinds[] = {"full_attention", "sliding_attention", NULL};
    const sac_description *d = r->d;
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    bool slides = !d->window_switch || sac_config_flag_or(c, d->window_switch, false);
    int window = slides ? sac_config_size_or(c, d->window, 1, 1 << 30, 0) : 0;
    if (window && (d->window_around || looks_both_ways(r)))
        window = window / 2 + 1 + d->window_inclusive;
    int first = size_or(c, d->window_from, 0, 1 << 20, 0);
    int each = size_or(c, d->full_every, 1, 1 << 20, d->full_each);
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(c->json, "layer_types");
    if (cJSON_IsArray(types) && cJSON_GetArraySize(types) != m->layers)
        sac_config_refuse(c, "layer_types", "names %d layers of %d", cJSON_GetArraySize(types),
                          m->layers);
    for (int i = 0; i < m->layers && c->status == SAC_OK; i++) {
        const cJSON *type = cJSON_GetArrayItem(types, i);
        bool is_mentioned = cJSON_IsString(type);
        bool is_window = is_mentioned
                             ? strcmp(type->valuestring, kinds[1]) == 0
                             : i >= first && !(each && (i + !d->full_from_0) % each == 0) &&
                                   !(d->window_no_rope && m->turn[i] != SAC_ROPE_NONE);
        is_window = is_window && !(d->last_is_full && i + 1 == m->layers);
        if (is_mentioned && strcmp(type->valuestring, kinds[1]) != 0 &&
            strcmp(type->valuestring, kinds[0]) != 0)
            sac_config_refuse(c, "layer_types", "\"%.40s\" is not supported; there are %s, %s",
                              type->valuestring, kinds[0], kinds[1]);
        if (is_window && is_mentioned && !window)
            sac_config_refuse(c, "layer_types", "layer %d slides, and there is no %s%s%s", i,
                              d->window, d->window_switch ? " with " : "",
                              d->window_switch ? d->window_switch : "");
        m->window[i] = is_window ? (size_t)window : 0;
    }
}

/* Scores that depend on the distance of tokens. */
static void read_relative(reading *r)
{
    sac_relative *to = &r->m->relative;
    if (!r->d->relative)
        return;
    r->m->has_biases = true;
    to->buckets = sac_config_size(r->c, r->d->buckets, 4, 1 << 16);
    to->max_distance = size_or(r->c, r->d->max_distance, to->buckets, 1 << 24, 128);
    to->looks_ahead = !r->m->run.causal;
}

static void read_vocabulary_keys(reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const sac_description *d = r->d;
    m->vocabulary = (size_t)sac_config_size(c, "vocab_size", 1, SAC_ARCHITECTURE_TOKENS);
    m->max_positions =
        d->max_positions ? (size_t)sac_config_size(c, d->max_positions, 1, PLACES) : PLACES;
    m->first_place = d->skipped;
    if (d->words_by_width || (d->scaled_words && sac_config_flag_or(c, d->scaled_words, false)))
        m->word_scale = sqrtf((float)m->width);
    if (d->words_times)
        m->word_scale = read_factor(c, d->words_times);
    m->logit_scale = read_factor(c, d->logit_times) / read_factor(c, d->logit_over);
    if (d->padding) {
        m->padding = sac_config_size_or(c, d->padding, 0, 1024, 1);
        m->first_place = (size_t)m->padding + 1;
        if (m->max_positions <= m->first_place)
            sac_config_refuse(c, d->max_positions, "leaves no places for tokens");
        else
            m->max_positions -= m->first_place;
    }
    if (d->sinusoids == SAC_SINUSOIDS_OF_FAIRSEQ) {
        m->padding = sac_config_size_or(c, "pad_token_id", 0, 1024, 1);
        m->first_place = (size_t)m->padding + 1;
    }
    m->is_filled = d->filler != NULL;
    m->filler = size_or(c, d->filler, 0, SAC_ARCHITECTURE_TOKENS, 0);
    read_relative(r);
    if (d->logit_cap)
        m->logit_cap = sac_config_number_or(c, d->logit_cap, 0);
    if (d->head)
        sac_architecture_read_ends(m, c);
    if (d->crosses && sac_config_flag_or(c, d->crosses, false) && !m->text_decoder.longest)
        sac_pretrained_model_note(m, "its layers that look at another model are left out");
}

/* A number of pixels for both sides, or a list of the height and the width. */
static void read_sides(sac_config *c, const char *name, int *width, int *height)
{
    int sides[2] = {1, 1};
    int count = sac_config_sizes(c, name, 1, PIXELS, sides, 2);
    *height = sides[0];
    *width = count == 1 ? sides[0] : sides[1];
}

/* Pixels after the last whole patch of a side are not read. */
static void read_patch_sizes(reading *r)
{
    const sac_description *d = r->d;
    sac_config *c = r->c;
    sac_vision_encoder *s = &r->m->vision_encoder;
    read_sides(c, "patch_size", &s->patch_w, &s->patch_h);
    if (d->patch_count) {
        int count = sac_config_size(c, d->patch_count, 1, PIXELS), side = (int)sqrt(count);
        if (side * side != count)
            sac_config_refuse(c, d->patch_count, "%d is no square", count);
        s->image_w = side * s->patch_w;
        s->image_h = side * s->patch_h;
    } else if (d->any_size)
        s->image_w = s->image_h = 0;
    else
        read_sides(c, "image_size", &s->image_w, &s->image_h);
    if (!d->any_size && (s->patch_w > s->image_w || s->patch_h > s->image_h))
        sac_config_refuse(c, "patch_size", "%d does not fit into an image_size of %d",
                          s->patch_w > s->image_w ? s->patch_w : s->patch_h,
                          s->patch_w > s->image_w ? s->image_w : s->image_h);
    if (sac_config_size_or(c, "num_channels", 1, 64, 3) != 3)
        sac_config_refuse(c, "num_channels", "is not 3, and pictures have three colours");
    s->trained = (sac_patch_grid){s->image_w / s->patch_w, s->image_h / s->patch_h};
    if (d->any_size)
        s->image_w = s->image_h = 0;
    s->registers = size_or(c, d->register_count, 0, SAC_ARCHITECTURE_PREFIX - 2, 0);
    int named = (d->class_token != NULL) + (d->second_token != NULL);
    s->detections =
        d->detections ? sac_config_size(c, d->detection_count, 1, SAC_ARCHITECTURE_PREFIX - 2) : 0;
    named += s->detections;
    s->placed = d->unplaced_tokens ? 0 : named;
    s->prefix = named + s->registers;
    s->spread = d->spread;
    s->by_pixel = d->patches_by_pixel;
    s->processor = d->processor;
}

/* Which layers have no experts; false: none has any. */
static bool read_expert_layers(reading *r)
{
    int listed[SAC_ARCHITECTURE_LAYERS], layers = r->m->layers, dense = 0;
    if (r->d->expert_layers_from) {
        const int from = sac_config_size(r->c, r->d->expert_layers_from, 0, 1 << 20);
        for (int i = 0; i < layers; i++)
            r->is_dense[i] = i < from;
        return from < layers;
    }
    if (!r->d->expert_layers)
        return true;
    const bool is_list = sac_config_has(r->c, r->d->expert_layers);
    const int count = is_list ? sac_config_sizes(r->c, r->d->expert_layers, 0, layers - 1, listed,
                                                 SAC_ARCHITECTURE_LAYERS)
                              : 0;
    const int each = is_list ? 1 : sac_config_size(r->c, r->d->expert_layers_every, 1, 1 << 20);
    for (int i = 0; i < layers; i++)
        r->is_dense[i] = is_list || (i + 1) % each != 0;
    for (int i = 0; i < count && r->c->status == SAC_OK; i++)
        r->is_dense[listed[i]] = false;
    for (int i = 0; i < layers; i++)
        dense += r->is_dense[i];
    return dense < layers;
}

/* Groups of experts, of which a token goes through those of some. */
static void read_expert_groups(reading *r)
{
    const sac_description *d = r->d;
    sac_experts *e = &r->experts;
    static const char *const methods[] = {"greedy", "group_limited_greedy", NULL};
    const bool is_grouped = !d->groups_method || sac_config_choice(r->c, d->groups_method, methods);
    if (!d->expert_groups || !is_grouped)
        return;
    e->groups = (size_t)sac_config_size(r->c, d->expert_groups, 1, EXPERTS);
    e->groups_chosen = (size_t)sac_config_size(r->c, d->groups_chosen, 1, EXPERTS);
    if (e->count % e->groups)
        sac_config_refuse(r->c, d->expert_groups, "%zu do not divide %zu experts", e->groups,
                          e->count);
    else if (e->groups_chosen > e->groups || e->chosen > e->groups_chosen * (e->count / e->groups))
        sac_config_refuse(r->c, d->groups_chosen,
                          "%zu of %zu groups of %zu do not have %zu experts", e->groups_chosen,
                          e->groups, e->count / e->groups, e->chosen);
    else if (d->correction && e->count / e->groups < 2)
        sac_config_refuse(r->c, d->expert_groups,
                          "leaves groups of one, and they are chosen by two");
}

static void read_experts(reading *r)
{
    const sac_description *d = r->d;
    sac_config *c = r->c;
    if (!read_expert_layers(r))
        return;
    bool is_second = d->experts[1] && !sac_config_has(c, d->experts[0]);
    int count = sac_config_size(c, d->experts[is_second], 1, EXPERTS);
    int chosen = sac_config_size(c, d->experts_chosen, 1, EXPERTS);
    if (chosen > count)
        sac_config_refuse(c, d->experts_chosen, "%d are more than the %d that there are", chosen,
                          count);
    r->experts = (sac_experts){.count = (size_t)count,
                               .chosen = (size_t)chosen,
                               .of_all = !is_on(c, d->shares_of_chosen),
                               .by_sigmoid = d->shares_by_sigmoid,
                               .scales_input = d->scales_input,
                               .times = read_factor(c, d->shares_times),
                               .has_shared = d->shared_expert != NULL};
    read_expert_groups(r);
    if (d->limit) {
        r->experts.limit = sac_config_number_or(c, d->limit, 0);
        r->experts.steepness = sac_config_number_or(c, d->steepness, 1);
        if (!(r->experts.limit > 0))
            sac_config_refuse(c, d->limit, "is not above 0");
    }
}

/* Scores that depend on the distance of patches. */
static void read_grid_distances(reading *r)
{
    sac_pretrained_model *m = r->m;
    const sac_patch_grid *grid = &m->vision_encoder.trained;
    if (!r->d->relative)
        return;
    if (m->vision_encoder.prefix != 1)
        sac_config_refuse(r->c, "use_relative_position_bias", "has no class token");
    if (grid->width > 256 || grid->height > 256)
        sac_config_refuse(r->c, "image_size",
                          "has over 256 patches in a row, and a table of distances");
    else
        m->relative.buckets = (2 * grid->height - 1) * (2 * grid->width - 1) + 3;
    m->has_biases = m->relative.is_of_grid = true;
}

/* Which layers have attention: of layer_types, or else every so-manyth. The others become nets between them. */
static void read_delta_nets(reading *r)
{
    static const char types[] = "layer_types", every[] = "full_attention_interval";
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, types);
    const int all = m->layers, each = sac_config_size_or(c, every, 1, 1 << 20, 4);
    char shown[200] = "";
    size_t used = 0;
    m->layers = 0;
    m->nets = calloc((size_t)all, sizeof *m->nets);
    if (!m->nets)
        c->status = sac_no_memory(c->error, m->name);
    if (cJSON_IsArray(list) && cJSON_GetArraySize(list) != all)
        sac_config_refuse(c, types, "has %d entries for %d layers", cJSON_GetArraySize(list), all);
    for (int i = 0; i < all && c->status == SAC_OK; i++) {
        const char *type = cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
        const bool attends = type ? strcmp(type, "full_attention") == 0
                                  : !cJSON_IsArray(list) && (i + 1) % each == 0;
        if (!attends && cJSON_IsArray(list) && (!type || strcmp(type, "linear_attention") != 0))
            sac_config_refuse(c, types, "“%.40s” is not known here", type ? type : "");
        if (attends) {
            r->number[m->layers++] = i;
            if (used < sizeof shown)
                used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%d",
                                         used ? ", " : "", i);
        } else {
            r->net_number[m->net_count] = i;
            m->nets[m->net_count++].before = m->layers;
        }
    }
    if (c->status == SAC_OK && !m->layers)
        sac_config_refuse(c, types, "leaves no layer with attention");
    if (c->status == SAC_OK && m->net_count)
        sac_pretrained_model_note(
            m,
            "of its %d layers those with attention are shown, %s; the others are gated delta nets",
            all, shown);
}

static void read_sizes(reading *r)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const sac_description *d = r->d;
    m->width = (size_t)sac_config_size(c, d->width, 1, SAC_ARCHITECTURE_WIDTH);
    m->layers = sac_config_size(c, d->layers, 1, SAC_ARCHITECTURE_LAYERS);
    if (d->delta_net)
        read_delta_nets(r);
    m->run.batch = 1;
    m->run.norm_first =
        d->norm_first && (!d->norm_first_key || sac_config_flag_or(c, d->norm_first_key, true));
    m->last_state_unnormed = d->patches || d->last_state_unnormed;
    m->run.parallel = is_on(c, d->parallel);
    m->run.softcap = d->softcap ? sac_config_number_or(c, d->softcap, 0) : 0;
    m->run.causal = is_on(c, d->causal) && !looks_both_ways(r);
    m->run.activation =
        d->activation ? sac_architecture_activation(c, d->activation) : d->activated;
    m->hidden =
        d->ratio ? m->width * (size_t)sac_config_size(c, d->ratio, 1, 16)
                 : (size_t)size_or(c, d->hidden, 1, 8 * SAC_ARCHITECTURE_WIDTH, 4 * (int)m->width);
    r->is_gated = d->swiglu && sac_config_flag_or(c, d->swiglu, false);
    if (r->is_gated)
        m->hidden = (m->hidden * 2 / 3 + 7) / 8 * 8;
    r->has_gate = d->gate && (!d->gate_switch.key || is_on(c, d->gate_switch));
    r->norm_biased = !d->norms_unbiased && (!d->norm_biased.key || is_on(c, d->norm_biased));
    r->parts_times = read_factor(c, d->parts_times);
    r->has_clips = d->clips && sac_config_flag_or(c, d->clips, false);
    r->has_experts =
        d->experts[0] && (!d->experts_switch || sac_config_flag_or(c, d->experts_switch, false));
    if (r->has_experts)
        read_experts(r);
    r->epsilon = d->epsilon_of > 0 ? d->epsilon_of : 1e-5f;
    if (d->epsilon)
        r->epsilon = sac_config_number_or(c, d->epsilon, r->epsilon);
    for (int i = 0; i < SAC_BIASES; i++)
        r->bias[i] = is_on(c, d->bias[i]);
    if (d->patches) {
        read_patch_sizes(r);
        read_grid_distances(r);
    } else if (!d->custom_embedding)
        read_vocabulary_keys(r);
    else
        read_relative(r);
    read_heads(r);
    read_scales(r);
    read_unturned(r);
    if (d->window)
        read_windows(r);
    read_layer_heads(r);
    read_lent_layers(r);
    if (c->status == SAC_OK)
        read_position_encoding(r);
    for (int i = 0; i < m->layers && d->local_base; i++)
        m->turn[i] = m->window[i] ? SAC_ROPE_LOCAL : SAC_ROPE_GLOBAL;
    for (int i = 0; i < m->layers && d->full_no_rope; i++)
        m->turn[i] = m->window[i] ? SAC_ROPE_GLOBAL : SAC_ROPE_NONE;
}

/* ---------------------------------------------------------------- tensors */

static const char *write_tensor_name(const reading *r, const char *name, const char *ending,
                                     tensor_name full)
{
    const char *layer = r->layer;
    snprintf(full, sizeof(tensor_name), "%s%s%s%s%s", r->prefix, layer, layer[0] ? "." : "", name,
             ending);
    return full;
}

/* Notes where a parameter lies in its tensor. */
static void note_tensor_place(const reading *r, const sac_parameter *parameter, sac_tensor_place at)
{
    at.parameter = parameter;
    if (parameter && !sac_tensor_places_add(&r->m->located, &at))
        r->c->status = sac_no_memory(r->c->error, r->m->name);
}

/* The same of a linear layer's weight or bias. `part`: some rows of its tensor; all 0: all of them. */
static void note_dense_place(const reading *r, const sac_parameter *parameter,
                             sac_tensor_place part)
{
    if (!parameter || (!part.all && !r->d->transposed))
        return;
    part.transposed = r->d->transposed && parameter->rank == 2;
    if (!part.all)
        part.all = parameter->shape[0];
    note_tensor_place(r, parameter, part);
}

/* Of the linear layer that was declared last, whose name ends in "linear". */
static void read_clip(const reading *r, const char *name)
{
    static const char *const bounds[] = {"input_min", "input_max", "output_min", "output_max"};
    sac_parameters *p = &r->m->parameters;
    sac_clip *clip = calloc(1, sizeof *clip);
    const int stem = (int)(strlen(name) - strlen("linear"));
    char own[32];
    tensor_name full;
    if (!clip || p->no_memory)
        r->c->status = sac_no_memory(r->c->error, r->m->name);
    else
        p->list[p->count - 1]->clip = clip;
    for (int i = 0; i < 4 && r->c->status == SAC_OK; i++) {
        float *number = NULL;
        snprintf(own, sizeof own, "%.*s%s", stem, name, bounds[i]);
        r->c->status = sac_pretrained_floats(r->m->files, "", write_tensor_name(r, own, "", full),
                                             0, NULL, &number, r->c->error);
        if (number)
            (i < 2 ? clip->in : clip->out)[i % 2] = *number;
        free(number);
    }
}

static sac_dense declare_dense_rows(const reading *r, const char *name, size_t out, size_t in,
                                    bool bias, sac_tensor_place part)
{
    tensor_name full;
    sac_parameters *p = &r->m->parameters;
    sac_dense dense = {
        .w = sac_parameter_weight(p, write_tensor_name(r, name, ".weight", full), out, in)};
    note_dense_place(r, dense.w, part);
    if (r->has_clips)
        read_clip(r, name);
    if (bias) {
        dense.b = sac_parameter_vector(p, write_tensor_name(r, name, ".bias", full), out);
        note_dense_place(r, dense.b, part);
    }
    return dense;
}

static sac_dense declare_dense(const reading *r, const char *name, size_t out, size_t in, bool bias)
{
    return declare_dense_rows(r, name, out, in, bias, (sac_tensor_place){0});
}

/* Files of 2018 call a norm's weight gamma and its bias beta. */
static const sac_parameter *declare_norm_vector(const reading *r, const char *name,
                                                const char *today, const char *once, size_t width)
{
    tensor_name full, old;
    const sac_pretrained *files = r->m->files;
    write_tensor_name(r, name, today, full);
    bool is_old = !sac_pretrained_has(files, full) &&
                  sac_pretrained_has(files, write_tensor_name(r, name, once, old));
    return sac_parameter_vector(&r->m->parameters, is_old ? old : full, width);
}

static sac_layer_norm declare_norm(const reading *r, const char *name, size_t width)
{
    sac_layer_norm norm = {.epsilon = r->epsilon};
    if (!name)
        return norm;
    norm.gain = declare_norm_vector(r, name, ".weight", ".gamma", width);
    if (r->d->norm_offset_one)
        note_tensor_place(r, norm.gain, (sac_tensor_place){.added = 1});
    if (r->d->norms_without_gain)
        note_tensor_place(r, norm.gain, (sac_tensor_place){.is_made = true, .added = 1});
    if (!r->d->rms)
        norm.bias = declare_norm_vector(r, name, ".bias", ".beta", width);
    if (!r->d->rms && !r->norm_biased)
        note_tensor_place(r, norm.bias, (sac_tensor_place){.is_made = true});
    return norm;
}

static const sac_parameter *declare_matrix(const reading *r, const char *name, size_t out,
                                           size_t in)
{
    tensor_name full;
    return name ? sac_parameter_matrix(&r->m->parameters, write_tensor_name(r, name, "", full), out,
                                       in)
                : NULL;
}

/* ---------------------------------------------------------------- layers */

/* A layer whose rows are a part of its tensor's. */
static sac_latent declare_latent(const reading *r, const char *name, const char *norm, size_t rank,
                                 bool bias, float epsilon, sac_tensor_place part)
{
    reading own = *r;
    own.epsilon = epsilon;
    return (sac_latent){.down = declare_dense_rows(r, name, rank, r->m->width, bias, part),
                        .norm = declare_norm(&own, norm, rank)};
}

/* A head begins with what is turned, as in all layers with rotations. */
static sac_multihead declare_latent_attention(reading *r, sac_transformer_layer *l)
{
    const sac_description *d = r->d;
    const sac_attention_names *n = &d->attention[SAC_PART_SELF];
    sac_config *c = r->c;
    const size_t D = r->m->width, heads = (size_t)r->m->run.heads, V = r->value_depth;
    const size_t turned = r->m->rope.rotary.depth, unturned = r->depth - turned;
    const bool pairs =
        d->in_pairs && (!d->in_pairs_key || sac_config_flag_or(c, d->in_pairs_key, false));
    const size_t rank = (size_t)sac_config_size(c, d->key_latent.rank, 1, SAC_ARCHITECTURE_WIDTH);
    const size_t query_rank =
        (size_t)sac_config_size_or(c, d->query_latent.rank, 1, SAC_ARCHITECTURE_WIDTH, 0);
    sac_tensor_place query = {.all = r->query, .depth = r->depth, .moved = turned};
    sac_tensor_place down = {.all = rank + turned}, shared = {.first = rank, .all = rank + turned};
    sac_tensor_place key = {.all = heads * (unturned + V),
                            .run = unturned,
                            .step = unturned + V,
                            .depth = r->depth,
                            .moved = turned,
                            .is_blank = true};
    sac_tensor_place value = {.first = unturned, .all = key.all, .run = V, .step = key.step};
    tensor_name full;
    query.paired = shared.paired = pairs ? turned : 0;
    shared.depth = turned;
    if (query_rank)
        l->query_latent =
            declare_latent(r, d->query_latent.down, d->query_latent.norm, query_rank,
                           r->bias[SAC_BIAS_QUERY], d->query_latent.epsilon, (sac_tensor_place){0});
    l->key_latent = declare_latent(r, d->key_latent.down, d->key_latent.norm, rank,
                                   r->bias[SAC_BIAS_KEY], d->key_latent.epsilon, down);
    l->shared_key =
        declare_dense_rows(r, d->key_latent.down, turned, D, r->bias[SAC_BIAS_KEY], shared);
    if (!r->spread) {
        r->spread = sac_parameter_matrix(&r->m->parameters,
                                         write_tensor_name(r, "self_attn.spread", "", full),
                                         r->query, turned);
        note_tensor_place(r, r->spread,
                          (sac_tensor_place){.is_made = true, .is_unit = true, .depth = r->depth});
    }
    l->spread = r->spread;
    return (sac_multihead){
        .query = declare_dense_rows(r, query_rank ? d->query_latent.up : n->query, r->query,
                                    query_rank ? query_rank : D, false, query),
        .key = declare_dense_rows(r, d->key_latent.up, r->query, rank, false, key),
        .value = declare_dense_rows(r, d->key_latent.up, heads * V, rank, false, value),
        .out = declare_dense(r, n->out, D, heads * V, r->bias[SAC_BIAS_OUT])};
}

/* Of a layer that attends to the keys and values of another, which it knows the sizes by; files of its authors have
 * some of its own all the same, which nothing reads. */
static sac_multihead declare_lent_attention(reading *r, const sac_transformer_layer *l)
{
    const sac_attention_names *n = &r->d->attention[SAC_PART_SELF];
    const char *const unread[] = {n->key, n->value, r->d->key_norm, r->d->value_norm};
    const sac_multihead *by = &l[-(ptrdiff_t)l->lent].attention[SAC_PART_SELF];
    tensor_name full;
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        sac_pretrained_find(r->m->files, write_tensor_name(r, unread[i], ".weight", full));
    return (sac_multihead){
        .query = declare_dense(r, n->query, r->query, r->m->width, r->bias[SAC_BIAS_QUERY]),
        .key = by->key,
        .value = by->value,
        .out = declare_dense(r, n->out, r->m->width, r->query, r->bias[SAC_BIAS_OUT])};
}

static sac_multihead declare_attention(reading *r, sac_transformer_layer *l, int which)
{
    const sac_attention_names *n = &r->d->attention[which];
    if (r->d->key_latent.rank)
        return declare_latent_attention(r, l);
    if (l->lent)
        return declare_lent_attention(r, l);
    const bool is_joined = r->d->full_joined &&
                           sac_config_flag_or(r->c, r->d->full_joined, false) &&
                           !r->m->window[l - r->m->layer];
    const char *const names[] = {n->query, n->key, n->value};
    size_t D = r->m->width, seen = which == SAC_PART_SELF ? D : r->m->text_decoder.memory;
    const size_t rows[] = {r->query, r->key, r->key}, in[] = {D, seen, seen};
    /* Of a head of keys: the queries that share it, and itself. */
    const size_t runs[] = {r->query / (r->key / r->depth), r->depth, r->depth};
    size_t all = 0, first = 0;
    sac_dense parts[3];
    tensor_name full;
    for (int k = 0; k < 3; k++)
        all += names[k] ? 0 : rows[k];
    for (int k = 0; k < (is_joined ? 2 : 3); k++) {
        bool bias = r->bias[SAC_BIAS_QUERY + k];
        sac_tensor_place part = {0};
        if (!names[k])
            part = (sac_tensor_place){.first = first, .all = all};
        if (!names[k] && r->d->by_heads) {
            part.run = runs[k];
            part.step = runs[0] + 2 * r->depth;
        }
        if (r->d->opened && k == 0)
            part = (sac_tensor_place){.all = 2 * r->query, .run = r->depth, .step = 2 * r->depth};
        if (r->d->halves_patches && k < 2)
            part = (sac_tensor_place){.all = rows[k], .depth = r->depth, .by_axes = true};
        if (r->d->in_pairs && k < 2) {
            part.all = names[k] ? rows[k] : all;
            part.paired = r->m->rope.rotary.depth;
            part.depth = r->depth;
        }
        parts[k] =
            declare_dense_rows(r, names[k] ? names[k] : n->fused, rows[k], in[k], bias, part);
        if (n->bias[k])
            parts[k].b = sac_parameter_vector(&r->m->parameters,
                                              write_tensor_name(r, n->bias[k], "", full), rows[k]);
        if (!names[k])
            first += part.run ? part.run : rows[k];
    }
    if (r->d->opened)
        l->open = declare_dense_rows(
            r, n->query, r->query, D, r->bias[SAC_BIAS_QUERY],
            (sac_tensor_place){
                .first = r->depth, .all = 2 * r->query, .run = r->depth, .step = 2 * r->depth});
    return (sac_multihead){.query = parts[0],
                           .key = parts[1],
                           .value = parts[is_joined ? 1 : 2],
                           .out = declare_dense(r, n->out, D, r->query, r->bias[SAC_BIAS_OUT])};
}

/* One expert's part of a tensor of all: [E,in,out·parts] and its biases [E,out·parts], of which the numbers
 * of part `which` belong to the layer: they take turns, or one part stands behind the other, and then it may be [E,out·parts,in],
 * as transformers 5 writes it. */
static sac_dense declare_expert_part(const reading *r, const char *name, int expert, size_t out,
                                     size_t in, size_t which, size_t parts)
{
    tensor_name full;
    sac_parameters *p = &r->m->parameters;
    const bool halves = r->d->joint_halves, turns = parts > 1 && !halves;
    sac_dense dense = {0};
    sac_tensor_place part = {.slices = r->experts.count,
                             .slice = (size_t)expert,
                             .first = halves ? which * out : which,
                             .all = out * parts,
                             .run = turns,
                             .step = turns ? parts : 1};
    if (!halves) {
        dense.b = sac_parameter_vector(p, write_tensor_name(r, name, "_bias", full), out);
        note_tensor_place(r, dense.b, part);
    }
    dense.w = sac_parameter_weight(p, write_tensor_name(r, name, "", full), out, in);
    const sac_array *all = sac_pretrained_find(r->m->files, full);
    part.transposed = !halves || (all && all->rank == 3 && all->shape[1] == in);
    note_tensor_place(r, dense.w, part);
    return dense;
}

/* Whether the first expert has tensors of its own, as in a GGUF; `used` characters of r->layer are the layer's. */
static bool has_own_expert_tensors(reading *r, size_t used)
{
    tensor_name full;
    r->layer[used] = '.';
    snprintf(r->layer + used + 1, sizeof r->layer - used - 1, r->d->expert, 0);
    bool has = sac_pretrained_has(r->m->files, write_tensor_name(r, r->d->up, ".weight", full));
    r->layer[used] = '\0';
    return has;
}

/* One expert's layers, which have a name of their own. */
static sac_expert declare_expert(const reading *r, size_t F)
{
    const sac_description *d = r->d;
    bool bias = r->bias[SAC_BIAS_FORWARD];
    return (sac_expert){.gate = declare_dense(r, d->gate, F, r->m->width, bias),
                        .in = declare_dense(r, d->up, F, r->m->width, bias),
                        .out = declare_dense(r, d->down, r->m->width, F, bias)};
}

static void declare_experts(reading *r, sac_transformer_layer *l)
{
    const sac_description *d = r->d;
    size_t D = r->m->width, used = strlen(r->layer);
    const size_t F = d->expert_hidden ? (size_t)sac_config_size(r->c, d->expert_hidden, 1,
                                                                8 * SAC_ARCHITECTURE_WIDTH)
                                      : r->m->hidden;
    bool bias = r->bias[SAC_BIAS_FORWARD];
    sac_experts *e = l->experts = calloc(1, sizeof *e);
    if (!e || !(e->list = calloc(r->experts.count + 1, sizeof *e->list))) {
        r->c->status = sac_no_memory(r->c->error, r->m->name);
        return;
    }
    sac_expert *list = e->list;
    *e = r->experts;
    e->list = list;
    e->router = declare_dense(r, d->router, e->count, D, bias);
    tensor_name full;
    if (d->correction)
        e->correction = sac_parameter_vector(
            &r->m->parameters, write_tensor_name(r, d->correction, "", full), e->count);
    bool is_joint = d->joint_up && !has_own_expert_tensors(r, used);
    for (int k = 0; k < (int)e->count; k++) {
        if (is_joint) {
            list[k].gate = declare_expert_part(r, d->joint_up, k, F, D, 0, 2);
            list[k].in = declare_expert_part(r, d->joint_up, k, F, D, 1, 2);
            list[k].out = declare_expert_part(r, d->joint_down, k, D, F, 0, 1);
            continue;
        }
        r->layer[used] = '.';
        snprintf(r->layer + used + 1, sizeof r->layer - used - 1, d->expert, k);
        list[k] = declare_expert(r, F);
        r->layer[used] = '\0';
    }
    if (d->beside) {
        e->entry_norm = declare_norm(r, d->experts_entry, D);
        e->exit_norm = declare_norm(r, d->experts_exit, D);
        e->router_norm = (sac_layer_norm){
            .epsilon = r->epsilon,
            .gain = sac_parameter_vector(&r->m->parameters,
                                         write_tensor_name(r, d->router_norm, "", full), D)};
        e->sharpness = 1 / sqrtf((float)D);
        e->each = sac_parameter_vector(&r->m->parameters,
                                       write_tensor_name(r, d->shares_each, "", full), e->count);
        l->beside = declare_norm(r, d->beside, D);
    }
    if (!d->shared_expert)
        return;
    if (d->shared_gate)
        e->shared_gate = declare_dense(r, d->shared_gate, 1, D, false);
    size_t own = (size_t)sac_config_size(r->c, d->shared_hidden, 1, 8 * SAC_ARCHITECTURE_WIDTH);
    own *= (size_t)size_or(r->c, d->shared_count, 1, 64, 1);
    snprintf(r->layer + used, sizeof r->layer - used, ".%s", d->shared_expert);
    list[e->count] = declare_expert(r, own);
    r->layer[used] = '\0';
}

/* `number`: what the file calls the layer. */
static void declare_feed_forward(reading *r, sac_transformer_layer *l, int number)
{
    const sac_description *d = r->d;
    const bool is_wider =
        l->lent && d->lent_wider && sac_config_flag_or(r->c, d->lent_wider, false);
    size_t D = r->m->width, F = r->m->hidden * (is_wider ? 2 : 1);
    bool biased = r->bias[SAC_BIAS_FORWARD], bias = biased && !d->up_unbiased;
    if (r->has_experts && !r->is_dense[number]) {
        declare_experts(r, l);
        if (!d->beside)
            return;
    } else if (r->has_experts) {
        size_t used = strlen(r->layer);
        snprintf(r->layer + used, sizeof r->layer - used, ".%s", d->dense);
        const sac_expert only = declare_expert(
            r, (size_t)sac_config_size(r->c, d->dense_hidden, 1, 8 * SAC_ARCHITECTURE_WIDTH));
        l->gate = only.gate, l->in = only.in, l->out = only.out;
        r->layer[used] = '\0';
        return;
    }
    if (r->has_gate)
        l->gate = declare_dense(r, d->gate, F, D, bias);
    if (d->fused_gate) {
        sac_tensor_place gate = {.first = d->up_first ? F : 0, .all = 2 * F};
        sac_tensor_place up = {.first = F - gate.first, .all = 2 * F};
        l->gate = declare_dense_rows(r, d->fused_gate, F, D, bias, gate);
        l->in = declare_dense_rows(r, d->fused_gate, F, D, bias, up);
    } else
        l->in =
            declare_dense(r, r->is_gated ? d->gated_up : d->up, r->is_gated ? 2 * F : F, D, bias);
    l->out = declare_dense(r, r->is_gated ? d->gated_down : d->down, D, F, biased);
}

static void declare_distances(const reading *r, sac_transformer_layer *l)
{
    const sac_description *d = r->d;
    const sac_multihead *self = &l->attention[SAC_PART_SELF];
    bool shares = sac_config_flag_or(r->c, d->distance_shares, false);
    size_t D = r->m->width;
    if (r->has_term[0])
        l->distance_key =
            shares ? self->key
                   : declare_dense(r, d->distance_key, r->query, D, !d->distance_key_unbiased);
    if (r->has_term[1])
        l->distance_query =
            shares ? self->query : declare_dense(r, d->distance_query, r->query, D, true);
}

/* The layer's part for its words, and what it is multiplied by. */
static void declare_layer_words(reading *r, sac_transformer_layer *l)
{
    const sac_description *d = r->d;
    const size_t D = r->m->width, P = r->m->layer_words.width, one = 1;
    tensor_name full;
    if (P) {
        l->words_in = declare_dense(r, d->words_in, P, D, false);
        l->words_out = declare_dense(r, d->words_out, D, P, false);
        l->words_norm = declare_norm(r, d->words_norm, D);
    }
    float *times = NULL;
    if (d->times && r->c->status == SAC_OK)
        r->c->status =
            sac_pretrained_floats(r->m->files, "", write_tensor_name(r, d->times, "", full), 1,
                                  &one, &times, r->c->error);
    l->times = times ? *times : 0;
    if (times && *times == 0)
        sac_config_refuse(r->c, d->times, "is 0 in the weights, and then nothing leaves the layer");
    free(times);
}

/* `number`: what the file calls it. */
static void declare_layer(reading *r, int i, int number)
{
    const sac_description *d = r->d;
    sac_transformer_layer *l = &r->m->layer[i];
    size_t D = r->m->width;
    if (d->full_depth) {
        r->depth = r->value_depth = r->depths[i];
        r->query = r->depth * (size_t)r->m->run.heads;
        r->key = r->depth * r->keys[i];
    }
    bool crosses = d->attention[SAC_PART_CROSS].out != NULL &&
                   i % size_or(r->c, d->crosses_each, 1, SAC_ARCHITECTURE_LAYERS, 1) == 0;
    tensor_name full;
    snprintf(r->layer, sizeof r->layer, d->layer, number);
    l->attention[SAC_PART_SELF] = declare_attention(r, l, SAC_PART_SELF);
    if (crosses)
        l->attention[SAC_PART_CROSS] = declare_attention(r, l, SAC_PART_CROSS);
    if (d->relative && !d->relative_whole &&
        (i == 0 || sac_pretrained_find(r->m->files, write_tensor_name(r, d->relative, "", full))))
        r->m->relative.table[i] =
            declare_matrix(r, d->relative, (size_t)r->m->relative.buckets, (size_t)r->m->run.heads);
    if (d->relative_gate) {
        r->m->relative.gate[i] = declare_dense(r, d->relative_gate, 8, r->depth, true);
        r->m->relative.gate_by[i] = sac_parameter_add(
            &r->m->parameters, write_tensor_name(r, d->relative_gate_by, "", full),
            sac_init_constant(0), 4, (size_t)1, (size_t)r->m->run.heads, (size_t)1, (size_t)1);
    }
    if (d->distances)
        declare_distances(r, l);
    const bool may_norm = !d->norms_turned || (r->m->turn[i] != SAC_ROPE_NONE &&
                                               sac_config_flag_or(r->c, d->norms_turned, true));
    if (d->query_norm && may_norm) {
        l->query_norm = declare_norm(r, d->query_norm, d->norms_heads ? r->depth : r->query);
        if (!l->lent)
            l->key_norm = declare_norm(r, d->key_norm, d->norms_heads ? r->depth : r->key);
        const sac_tensor_place made = {.is_made = true, .added = 1};
        const sac_tensor_place turned = {.all = r->depth, .depth = r->depth, .by_axes = true};
        if (d->halves_patches) {
            note_tensor_place(r, l->query_norm.gain, turned);
            note_tensor_place(r, l->key_norm.gain, turned);
        }
        if (d->norms_turned) {
            note_tensor_place(r, l->query_norm.gain, made);
            note_tensor_place(r, l->key_norm.gain, made);
        }
    }
    if (d->value_norm && !l->lent) {
        l->value_norm = declare_norm(r, d->value_norm, r->depth);
        note_tensor_place(r, l->value_norm.gain, (sac_tensor_place){.is_made = true, .added = 1});
    }
    declare_layer_words(r, l);
    if (d->sinks)
        l->sinks = sac_parameter_vector(&r->m->parameters, write_tensor_name(r, d->sinks, "", full),
                                        (size_t)r->m->run.heads);
    declare_feed_forward(r, l, number);
    l->memory_norm = declare_norm(r, d->memory_norm, D);
    for (int part = SAC_PART_SELF; part < SAC_PARTS; part++) {
        bool is_left_out = (part == SAC_PART_SELF && i == 0 && d->begins_normed) ||
                           (part == SAC_PART_CROSS && !crosses);
        l->norm[part] = declare_norm(r, is_left_out ? NULL : d->norm[part], D);
        l->after[part] = declare_norm(r, d->after[part], D);
        if (d->scale[part])
            l->scale[part] = sac_parameter_vector(
                &r->m->parameters, write_tensor_name(r, d->scale[part], "", full), D);
        else if (r->parts_times != 1) {
            l->scale[part] = sac_parameter_vector(
                &r->m->parameters, write_tensor_name(r, d->parts_times, "", full), D);
            note_tensor_place(r, l->scale[part],
                              (sac_tensor_place){.is_made = true, .added = r->parts_times});
        }
    }
    r->layer[0] = '\0';
}

/* A linear layer of a net, and the taps of the convolution behind it: rows of a tensor in which each head of keys has its own. */
static void declare_delta_part(reading *r, sac_delta_net *net, int i, size_t rows,
                               sac_tensor_place part, size_t before, size_t channels, size_t taps)
{
    tensor_name full;
    net->part[i] = declare_dense_rows(r, r->d->delta_apart ? "in_proj_qkv" : "in_proj_qkvz", rows,
                                      r->m->width, false, part);
    net->taps[i] =
        sac_parameter_add(&r->m->parameters, write_tensor_name(r, "conv1d", ".weight", full),
                          sac_init_constant(0), 3, rows, (size_t)1, taps);
    note_tensor_place(r, net->taps[i], (sac_tensor_place){.first = before, .all = channels});
}

/* The gain of a norm that brings heads to a length. */
static sac_layer_norm make_unit_norm(reading *r, const char *name, size_t depth, float length)
{
    tensor_name full;
    sac_layer_norm norm = {.gain = sac_parameter_vector(
                               &r->m->parameters, write_tensor_name(r, name, "", full), depth),
                           .epsilon = 1e-6f / (float)depth};
    note_tensor_place(r, norm.gain,
                      (sac_tensor_place){.is_made = true, .added = length / sqrtf((float)depth)});
    return norm;
}

static void declare_delta_net(reading *r, sac_delta_net *net)
{
    sac_pretrained_model *m = r->m;
    sac_config *c = r->c;
    const int number = r->net_number[net - m->nets];
    const size_t D = m->width, depth = (size_t)sac_config_size(c, "linear_key_head_dim", 1, 4096),
                 values = (size_t)sac_config_size(c, "linear_value_head_dim", 1, 4096),
                 taps = (size_t)sac_config_size(c, "linear_conv_kernel_dim", 1, 64);
    net->heads = (size_t)sac_config_size(c, "linear_num_value_heads", 1, 4096);
    net->key_heads = (size_t)sac_config_size(c, "linear_num_key_heads", 1, 4096);
    if (net->heads % net->key_heads)
        sac_config_refuse(c, "linear_num_key_heads", "%zu do not divide %zu heads of values",
                          net->key_heads, net->heads);
    if (c->status != SAC_OK)
        return;
    const bool apart = r->d->delta_apart;
    const size_t K = net->key_heads * depth, V = net->heads * values, each = V / net->key_heads,
                 shares = net->heads / net->key_heads;
    /* Where they lie together, each head of keys has its query, its key, its values and their gates in turn. */
    const size_t first[3] = {0, apart ? K : depth, apart ? 2 * K : 2 * depth};
    const sac_tensor_place joint = {.all = apart ? 2 * K + V : 2 * K + 2 * V,
                                    .step = apart ? 0 : 2 * depth + 2 * each};
    const sac_tensor_place values_of = {
        .first = 2 * depth + each, .all = 2 * K + 2 * V, .run = each, .step = joint.step};
    const sac_tensor_place share = {.all = 2 * net->heads, .run = shares, .step = 2 * shares};
    sac_tensor_place decay = share;
    const sac_tensor_place whole = {0};
    decay.first = shares;
    tensor_name full;
    snprintf(r->layer, sizeof r->layer, r->d->layer, number);
    const size_t used = strlen(r->layer);
    snprintf(r->layer + used, sizeof r->layer - used, ".%s", r->d->delta_net);
    for (int i = 0; i < 3; i++) {
        sac_tensor_place part = joint;
        part.first = first[i];
        part.run = apart ? 0 : i < 2 ? depth : each;
        declare_delta_part(r, net, i, i < 2 ? K : V, part, (size_t)i * K, 2 * K + V, taps);
    }
    net->gate = declare_dense_rows(r, apart ? "in_proj_z" : "in_proj_qkvz", V, D, false,
                                   apart ? whole : values_of);
    net->share = declare_dense_rows(r, apart ? "in_proj_b" : "in_proj_ba", net->heads, D, false,
                                    apart ? whole : share);
    net->decay = declare_dense_rows(r, apart ? "in_proj_a" : "in_proj_ba", net->heads, D, false,
                                    apart ? whole : decay);
    net->rate =
        sac_parameter_vector(&m->parameters, write_tensor_name(r, "A_log", "", full), net->heads);
    net->shift =
        sac_parameter_vector(&m->parameters, write_tensor_name(r, "dt_bias", "", full), net->heads);
    net->unit[0] = make_unit_norm(r, "query_length", depth, 1 / sqrtf((float)depth));
    net->unit[1] = make_unit_norm(r, "key_length", depth, 1);
    net->norm =
        (sac_layer_norm){.gain = sac_parameter_vector(
                             &m->parameters, write_tensor_name(r, "norm", ".weight", full), values),
                         .epsilon = r->epsilon};
    net->layer.attention[SAC_PART_SELF].out = declare_dense(r, "out_proj", D, V, false);
    r->layer[used] = '\0';
    declare_feed_forward(r, &net->layer, number);
    net->layer.norm[SAC_PART_SELF] = declare_norm(r, r->d->norm[SAC_PART_SELF], D);
    net->layer.norm[SAC_PART_FORWARD] = declare_norm(r, r->d->norm[SAC_PART_FORWARD], D);
    r->layer[0] = '\0';
}

/* ---------------------------------------------------------------- what enters the first layer */

static void declare_words_of_layers(reading *r)
{
    const sac_description *d = r->d;
    sac_pretrained_model *m = r->m;
    sac_layer_words *w = &m->layer_words;
    const int P = size_or(r->c, d->layer_words_width, 0, SAC_ARCHITECTURE_WIDTH, 0);
    const size_t all = (size_t)P * (size_t)m->layers;
    const size_t shape[] = {
        (size_t)sac_config_size(r->c, d->layer_words_count, 1, SAC_ARCHITECTURE_TOKENS), all};
    tensor_name full;
    if (!P)
        return;
    w->width = (size_t)P;
    w->project = declare_dense(r, d->layer_words_project, all, m->width, false).w;
    w->norm = declare_norm(r, d->layer_words_norm, w->width);
    if (r->c->status == SAC_OK)
        r->c->status =
            sac_pretrained_require_tensor(m->files, write_tensor_name(r, d->layer_words, "", full),
                                          2, shape, &w->table, r->c->error);
}

static void declare_words(reading *r)
{
    const sac_description *d = r->d;
    sac_pretrained_model *m = r->m;
    tensor_name full;
    size_t E = (size_t)size_or(r->c, d->word_width, 1, SAC_ARCHITECTURE_WIDTH, (int)m->width);
    if (d->words)
        m->words = sac_parameter_weight(&m->parameters, write_tensor_name(r, d->words, "", full),
                                        m->vocabulary, E);
    if (d->layer_words)
        declare_words_of_layers(r);
    m->positions = declare_matrix(r, d->positions, m->max_positions + m->first_place,
                                  d->projects_words ? m->width : E);
    int kinds = size_or(r->c, d->kind_count, 0, 1024, 0);
    if (d->tasks && sac_config_flag_or(r->c, d->task_switch, false))
        m->tasks =
            declare_matrix(r, d->tasks, (size_t)sac_config_size(r->c, d->task_count, 1, 1024), E);
    if (d->distances)
        m->distances.vectors =
            declare_matrix(r, d->distances, 2 * (size_t)m->distances.rows, m->width);
    if (d->distances && d->distance_norm)
        m->distances.norm = declare_norm(r, d->distance_norm, m->width);
    m->sinusoids = d->sinusoids;
    if (d->sinusoids)
        sac_architecture_declare_sinusoids(m);
    m->kinds = kinds ? declare_matrix(r, d->kinds, (size_t)kinds, E) : NULL;
    if (d->first_norm)
        m->first_norm = declare_norm(r, d->first_norm, E);
    if (E == m->width && !d->always_projects)
        return;
    m->projection = declare_dense(r, d->projection, m->width, E, !d->projects_words);
    m->projects_words = d->projects_words;
    if (d->narrowing)
        m->narrowing = declare_dense(r, d->narrowing, E, m->width, false);
}

/* [1,count,D]; NULL: of none. */
static const sac_parameter *declare_prefix_tokens(const reading *r, const char *name, int count)
{
    tensor_name full;
    if (!name || count == 0)
        return NULL;
    return sac_parameter_add(&r->m->parameters, write_tensor_name(r, name, "", full),
                             sac_init_constant(0), 3, (size_t)1, (size_t)count, r->m->width);
}

static void declare_patches(reading *r)
{
    const sac_description *d = r->d;
    sac_pretrained_model *m = r->m;
    sac_vision_encoder *s = &m->vision_encoder;
    tensor_name full;
    size_t D = m->width, places = (size_t)(s->placed + s->trained.width * s->trained.height);
    if (d->is_flat && d->class_token)
        s->tokens[0] =
            sac_parameter_vector(&m->parameters, write_tensor_name(r, d->class_token, "", full), D);
    else
        s->tokens[0] = declare_prefix_tokens(r, d->class_token, 1);
    s->tokens[1] = declare_prefix_tokens(r, d->second_token, 1);
    s->tokens[2] = declare_prefix_tokens(r, d->detections, s->detections);
    s->tokens[3] = declare_prefix_tokens(r, d->registers, s->registers);
    if (d->between && m->layers > 1 && sac_config_flag_or(r->c, d->between_switch, false))
        s->between =
            sac_parameter_add(&m->parameters, write_tensor_name(r, d->between, "", full),
                              sac_init_constant(0), 4, (size_t)m->layers - 1, (size_t)1, places, D);
    s->axis_places = (size_t)size_or(r->c, d->axis_places, 1, PLACES, 0);
    if (s->axis_places)
        m->positions =
            sac_parameter_add(&m->parameters, write_tensor_name(r, d->positions, "", full),
                              sac_init_constant(0), 3, (size_t)2, s->axis_places, D);
    else
        m->positions = d->is_flat ? declare_matrix(r, d->positions, places, D)
                                  : declare_prefix_tokens(r, d->positions, (int)places);
    if (s->by_pixel || d->patches_flat)
        s->patches =
            sac_parameter_matrix(&m->parameters, write_tensor_name(r, d->patches, ".weight", full),
                                 D, (size_t)(3 * s->patch_h * s->patch_w));
    else
        s->patches = sac_parameter_add(
            &m->parameters, write_tensor_name(r, d->patches, ".weight", full), sac_init_constant(0),
            4, m->width, (size_t)3, (size_t)s->patch_h, (size_t)s->patch_w);
    int frames = size_or(r->c, d->patch_frames, 1, 16, 0);
    if (frames)
        note_tensor_place(r, s->patches, (sac_tensor_place){.frames = (size_t)frames});
    if (!d->patches_unbiased)
        s->bias = sac_parameter_vector(&m->parameters,
                                       write_tensor_name(r, d->patches, ".bias", full), D);
    if (d->first_norm)
        m->first_norm = declare_norm(r, d->first_norm, D);
}

/* ---------------------------------------------------------------- all of it */

/* The linear layer of that whole name, where it is in the folder and takes states. */
static sac_dense declare_dense_if_present(reading *r, const char *name)
{
    sac_pretrained_model *m = r->m;
    char weight[sizeof(tensor_name) + 8], bias[sizeof weight];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    const sac_array *w = sac_pretrained_find(m->files, weight);
    if (!w || w->rank != 2 || w->shape[1] != m->width || !w->shape[0])
        return (sac_dense){0};
    return (sac_dense){sac_parameter_weight(&m->parameters, weight, w->shape[0], m->width),
                       sac_pretrained_has(m->files, bias)
                           ? sac_parameter_vector(&m->parameters, bias, w->shape[0])
                           : NULL};
}

/* Where the folder has one: it only defines what relevance is of. */
static void declare_classifier(reading *r)
{
    sac_classifier *c = &r->m->classifier;
    const sac_description *d = r->d;
    tensor_name pooler = "";
    char weight[sizeof pooler + 8], classifier[sizeof pooler + 8];
    if (d->pooler && d->pools_inside)
        write_tensor_name(r, d->pooler, "", pooler);
    else if (d->pooler)
        snprintf(pooler, sizeof pooler, "%s", d->pooler);
    snprintf(weight, sizeof weight, "%s.weight", pooler);
    snprintf(classifier, sizeof classifier, "%s.weight", d->classifier);
    if ((d->pooler && !sac_pretrained_has(r->m->files, weight)) ||
        !sac_pretrained_has(r->m->files, classifier))
        return;
    if (d->pools && !sac_architecture_name_has(r->c, "ForSequenceClassification"))
        return;
    if (d->pooler)
        c->pool = declare_dense_if_present(r, pooler);
    c->activated = d->pooled_by ? sac_architecture_activation(r->c, d->pooled_by) : d->pooled;
    if (d->pooled_norm) { /* a whole name */
        reading whole = *r;
        whole.prefix = "";
        c->normed = declare_norm(&whole, d->pooled_norm, r->m->width);
    }
    if (d->pools)
        c->is_of_mean =
            sac_config_choice(r->c, d->pools, (const char *const[]){"cls", "mean", NULL});
    c->logits = declare_dense_if_present(r, d->classifier);
}

void sac_describe(sac_pretrained_model *m, sac_config *c, const sac_description *d)
{
    reading r = {.m = m, .c = c, .d = d, .prefix = ""};
    tensor_name full;
    read_sizes(&r);
    if (c->status != SAC_OK)
        return;
    if (d->attention[SAC_PART_CROSS].out && !m->text_decoder.memory)
        m->text_decoder.memory = m->width;
    const char *mark = d->patches ? write_tensor_name(&r, d->patches, ".weight", full) : d->words;
    if (!mark) { /* the words are of both halves, the layers of this one */
        snprintf(r.layer, sizeof r.layer, d->layer, 0);
        mark = write_tensor_name(&r, d->up, ".weight", full);
        r.layer[0] = '\0';
    }
    if (d->prefix[0])
        r.prefix = sac_pretrained_prefix(m->files, d->prefix, mark);
    if (d->patches)
        declare_patches(&r);
    else if (!d->custom_embedding)
        declare_words(&r);
    if (d->relative && d->relative_whole)
        m->relative.table[0] =
            declare_matrix(&r, d->relative, (size_t)m->relative.buckets, (size_t)m->run.heads);
    int groups = size_or(c, d->groups, 1, m->layers, m->layers);
    for (int i = 0, declared = 0; i < m->layers && c->status == SAC_OK; i++) {
        bool repeats = (int64_t)i * groups / m->layers < declared;
        if (repeats)
            m->layer[i] = m->layer[i - 1];
        else
            declare_layer(&r, i, d->delta_net ? r.number[i] : declared++);
    }
    for (int i = 0; i < m->net_count && c->status == SAC_OK; i++)
        declare_delta_net(&r, &m->nets[i]);
    if (d->last_norm && m->run.norm_first)
        m->last_norm = declare_norm(&r, d->last_norm, m->width);
    if (d->classifier)
        declare_classifier(&r);
    const char *head =
        d->other_head && sac_pretrained_has(m->files, d->other_head) ? d->other_head : d->head;
    if (head)
        sac_architecture_declare_head(m, c, head, write_tensor_name(&r, d->words, "", full));
    if (d->head_bias && m->predicts_next)
        m->text_decoder.bias = sac_parameter_vector(&m->parameters, d->head_bias, m->vocabulary);
}
