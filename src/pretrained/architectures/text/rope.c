/* Rotary positions in the ways that models stretch them for longer texts: linear, of LLaMA 3.1,
 * YaRN (Peng et al. 2023), dynamic by NTK, and LongRoPE (Ding et al. 2024). Numbers are those of
 * transformers' modeling_rope_utils. */
#include <math.h>

#include "architectures/architecture.h"

enum { PLACES = 1 << 24 };
#define PI 3.14159265358979323846

/* How positions are stretched for longer texts, from rope_parameters. */
typedef struct stretch {
    sac_config *c, *outer;
    size_t depth;
    double base, factor, trained; /* tokens of a text that they were trained on first */
} stretch;

/* LLaMA 3.1: low frequencies are divided by `factor`, high ones stay, those between are blended. */
static void scale_llama3_frequencies(const stretch *s, sac_rotary *rotary)
{
    double low = (double)sac_config_number_or(s->c, "low_freq_factor", 1);
    double high = (double)sac_config_number_or(s->c, "high_freq_factor", 4);
    if (!(high > low))
        sac_config_refuse(s->c, "high_freq_factor", "is not above low_freq_factor");
    for (size_t i = 0; i < s->depth / 2; i++) {
        double turns = s->trained * (double)rotary->frequency[i] / (2 * PI);
        double stays = fmin(fmax((turns - low) / (high - low), 0), 1);
        rotary->frequency[i] *= (float)(stays + (1 - stays) / s->factor);
    }
}

/* The index of the frequency that makes so many turns over the trained length. */
static double frequency_index(const stretch *s, double turns)
{
    return (double)s->depth * log(s->trained / (turns * 2 * PI)) / (2 * log(s->base));
}

static double yarn_length_scale(double factor, double by)
{
    return factor <= 1 ? 1 : 0.1 * by * log(factor) + 1;
}

/* YaRN: frequencies are blended by their index, and vectors scaled by `length`. */
static void blend_yarn_frequencies(const stretch *s, sac_rotary *rotary)
{
    double fast = (double)sac_config_number_or(s->c, "beta_fast", 32);
    double slow = (double)sac_config_number_or(s->c, "beta_slow", 1);
    double scale = (double)sac_config_number_or(s->c, "mscale", 0);
    double all = (double)sac_config_number_or(s->c, "mscale_all_dim", 0);
    double low = frequency_index(s, fast > 0 ? fast : 32),
           high = frequency_index(s, slow > 0 ? slow : 1);
    if (sac_config_flag_or(s->c, "truncate", true)) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, (double)s->depth - 1);
    high += high == low ? 0.001 : 0;
    for (size_t i = 0; i < s->depth / 2; i++) {
        double slows = fmin(fmax(((double)i - low) / (high - low), 0), 1);
        rotary->frequency[i] *= (float)(1 - slows + slows / s->factor);
    }
    double length = scale != 0 && all != 0
                        ? yarn_length_scale(s->factor, scale) / yarn_length_scale(s->factor, all)
                        : yarn_length_scale(s->factor, 1);
    rotary->length = sac_config_number_or(s->c, "attention_factor", (float)length);
}

/* LongRoPE: each frequency has a divisor, another for longer texts; vectors are scaled by `length`.
 */
static void divide_longrope_frequencies(const stretch *s, const char *name, sac_rotary *rotary)
{
    float by[SAC_ROTARY_DEPTH / 2] = {0};
    double length =
        s->factor > 1 && s->trained > 1 ? sqrt(1 + log(s->factor) / log(s->trained)) : 1;
    if (!sac_config_has(s->c, name))
        sac_config_refuse(s->c, name, "is missing");
    sac_config_numbers(s->c, name, by, (int)(s->depth / 2));
    for (size_t i = 0; i < s->depth / 2 && s->c->status == SAC_OK; i++) {
        if (!(by[i] > 0))
            sac_config_refuse(s->c, name, "has a number that is not above 0");
        else
            rotary->frequency[i] /= by[i];
    }
    rotary->length = sac_config_number_or(s->c, "attention_factor", (float)length);
}

enum { NONE, DEFAULT, AXIAL, MROPE, PROPORTIONAL, LINEAR, LLAMA3, YARN, DYNAMIC, LONGROPE };

/* `kind` of LINEAR or more. */
static void apply_rope_scaling(sac_pretrained_model *m, sac_rope *rope, stretch *s, int kind)
{
    static const char name[] = "original_max_position_embeddings";
    sac_config *by = sac_config_has(s->c, name) ? s->c : s->outer; /* in Phi-3 it is there */
    bool has_trained = sac_config_has(by, name);
    bool was_extended = kind != LINEAR && kind != DYNAMIC;
    s->trained = sac_config_size_or(by, name, 2, PLACES,
                                    (int)m->max_positions > 1 ? (int)m->max_positions : 2);
    if (!was_extended || !has_trained)
        s->trained = (double)m->max_positions;
    s->factor = (double)sac_config_number_or(s->c, "factor",
                                             (float)((double)m->max_positions / s->trained));
    if (!(s->factor >= 1) || s->factor > PLACES) {
        sac_config_refuse(s->c, "factor",
                          "is not a number from 1 on, by which positions are stretched");
        return;
    }
    if (kind == LINEAR)
        for (size_t i = 0; i < s->depth / 2; i++)
            rope->rotary.frequency[i] /= (float)s->factor;
    else if (kind == LLAMA3)
        scale_llama3_frequencies(s, &rope->rotary);
    else if (kind == YARN)
        blend_yarn_frequencies(s, &rope->rotary);
    else if (kind == DYNAMIC) {
        rope->trained = m->max_positions;
        rope->growth = s->factor;
    } else {
        rope->longer = rope->rotary;
        divide_longrope_frequencies(s, "short_factor", &rope->rotary);
        divide_longrope_frequencies(s, "long_factor", &rope->longer);
        rope->trained = (size_t)s->trained;
    }
    /* Stretched positions reach further than max_position_embeddings. */
    double most = s->factor * s->trained;
    if (most > (double)m->max_positions && most < PLACES)
        m->max_positions = (size_t)most;
}

/* Qwen2-VL's and Qwen3-VL's: which angles of a head are of time, of rows and of columns. */
static void read_sections(sac_config *c, size_t depth, bool interleaved, size_t section[3])
{
    static const char name[] = "mrope_section";
    const bool is_quarter = interleaved && depth == 64; /* Qwen3.5's */
    int sizes[3] = {is_quarter    ? 11
                    : interleaved ? 24
                                  : 16,
                    is_quarter    ? 11
                    : interleaved ? 20
                                  : 24,
                    is_quarter    ? 10
                    : interleaved ? 20
                                  : 24};
    int count = sac_config_sizes(c, name, 1, SAC_ROTARY_DEPTH, sizes, 3);
    size_t all = 0;
    for (int i = 0; i < 3; i++)
        all += section[i] = (size_t)sizes[i];
    if ((count && count != 3) || all != depth / 2)
        sac_config_refuse(c, name, "%d + %d + %d are not the %zu angles of a head", sizes[0],
                          sizes[1], sizes[2], depth / 2);
}

/* `rope_parameters`, or `rope_scaling` and a base beside it. */
void sac_architecture_read_rope(sac_pretrained_model *m, sac_config *c, const sac_description *d,
                                size_t depth, const char *layers, sac_rope *rope)
{
    static const char *const types[] = {"",       "default", "axial", "mrope",   "proportional",
                                        "linear", "llama3",  "yarn",  "dynamic", "longrope",
                                        NULL};
    const char *name = sac_config_has(c, "rope_parameters") ? "rope_parameters" : "rope_scaling";
    const char *base_key = d->rope_base ? d->rope_base : "rope_theta";
    sac_config inside = sac_config_inside(c, name);
    if (sac_config_has(&inside, layers))
        inside = sac_config_inside(&inside, layers);
    float base = sac_config_number_or(c, base_key, 10000);
    base = sac_config_number_or(&inside, "rope_theta", base);
    int kind = sac_config_choice(
        &inside, sac_config_has(&inside, "rope_type") ? "rope_type" : "type", types);
    if ((kind == AXIAL && !d->turns_patches) || (kind == MROPE && !d->mrope))
        sac_config_refuse(&inside, "rope_type", "\"%s\" is not of this kind of model", types[kind]);
    float part = sac_config_number_or(c, d->rope_part ? d->rope_part : "partial_rotary_factor", 1);
    part = sac_config_number_or(&inside, "partial_rotary_factor", part);
    if (d->rope_numbers)
        depth = (size_t)sac_config_size(c, d->rope_numbers, 2, (int)depth);
    else if (d->rope_part)
        depth = (size_t)((float)depth * part);
    else if (kind >= LINEAR && part != 1) /* models like LLaMA rotate all numbers of a head */
        sac_config_refuse(&inside, "partial_rotary_factor", "must be 1 here");
    if (depth % 2 || depth < 2 || depth > SAC_ROTARY_DEPTH || !(base > 1)) {
        sac_config_refuse(c, base_key, "no rotary positions turn heads of %zu by %g", depth,
                          (double)base);
        return;
    }
    *rope = (sac_rope){.rotary = sac_rotary_of(depth, (double)base), .base = (double)base};
    if (kind ==
        PROPORTIONAL) { /* the first angles of a head are as of all of it; the others stay 0 */
        const float factor = sac_config_number_or(&inside, "factor", 1);
        if (!(factor > 0) || !(part >= 0 && part <= 1) || d->rope_part || d->rope_numbers)
            sac_config_refuse(&inside, "rope_type", "turns no part of %g by a factor of %g",
                              (double)part, (double)factor);
        for (size_t i = 0; i < depth / 2; i++)
            rope->rotary.frequency[i] = i < (size_t)floor((double)part * (double)depth / 2)
                                            ? rope->rotary.frequency[i] / factor
                                            : 0;
    }
    if (d->mrope && inside.status == SAC_OK)
        read_sections(&inside, depth, d->mrope_interleaved, rope->section);
    rope->interleaves = d->mrope_interleaved;
    stretch s = {.c = &inside, .outer = c, .depth = depth, .base = (double)base};
    if (kind >= LINEAR && inside.status == SAC_OK)
        apply_rope_scaling(m, rope, &s, kind);
    const double all = (double)sac_config_number_or(&inside, "mscale_all_dim", 0);
    for (int i = 0; i < m->layers && d->rope_scales_scores && kind >= LINEAR && all != 0; i++)
        m->scale[i] *= (float)pow(yarn_length_scale(s.factor, all), 2);
    if (c->status == SAC_OK)
        c->status = inside.status;
}

sac_rotary sac_architecture_rotary(const sac_rope *r, size_t tokens)
{
    size_t depth = r->rotary.depth;
    if (!r->trained || tokens <= r->trained)
        return r->rotary;
    if (r->growth <= 0 || depth <= 2)
        return r->growth > 0 ? r->rotary : r->longer;
    double stretched = r->growth * (double)tokens / (double)r->trained - (r->growth - 1);
    return sac_rotary_of(depth, r->base * pow(stretched, (double)depth / ((double)depth - 2)));
}
