/* A picture is encoded once, and what a text decoder keeps of it; then all sentences of a beam go
 * on by one token at a time. */
#include "architectures/captioning/pretrained_captioner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/cancel.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- seeing */

void sac_captioner_forget(captioner *c)
{
    sac_captioner_forget_context(c);
    for (int i = 0; i < c->decoder->layers; i++)
        sac_laid_out_destroy(&c->laid_out[i]);
    sac_arena_release(&c->arena);
    sac_captioner_let_go(c);
    c->memory = c->bridged = c->logits = c->held_memory = (sac_tensor){0};
    memset(c->key, 0, sizeof c->key);
    memset(c->value, 0, sizeof c->value);
    c->recurrent = (sac_recurrent_tensors){0};
    c->mask = (sac_byte_tensor){0};
    sac_entered_forget(&c->entered);
    free(c->pixels);
    free(c->hidden);
    free(c->ids);
    c->pixels = NULL;
    c->hidden = NULL;
    c->ids = NULL;
    c->seen = 0;
}

/* Memory for what has so many tokens. */
static sac_status resize_for_token_count(captioner *c, const sac_inference *p, sac_error *error)
{
    if (c->seen != p->count)
        sac_captioner_forget(c);
    c->prefix = (size_t)p->prefix;
    c->grid_w = p->grid_w ? p->grid_w : (int)p->count; /* a text's tokens stand in one row */
    c->grid_h = p->grid_w ? p->grid_h : 1;
    if (c->seen == p->count)
        return SAC_OK;
    c->seen = p->count;
    c->hidden = calloc(p->count, 1);
    c->ids = malloc(p->count * sizeof *c->ids);
    if (!c->hidden || !c->ids)
        return sac_no_memory(error, c->decoder->name);
    sac_captioner_shape(c);
    return SAC_OK;
}

/* The encoder's weights have done their work until there is another picture: of BLIP-base 258 MB,
 * which go and come back in 40 ms. */
sac_status sac_pretrained_captioner_store_encoding(captioner *c, const sac_inference *p,
                                                   sac_error *error)
{
    const sac_pretrained_model *m = c->model;
    sac_status status = resize_for_token_count(c, p, error);
    if (status == SAC_OK && sac_architecture_has_media_encoder(m) && m->layers && p->model == m) {
        sac_entered_forget(&c->entered);
        status = sac_entered_keep(p, 1, 0, &c->entered, error);
    }
    if (status != SAC_OK) {
        sac_captioner_forget(c);
        return status;
    }
    memcpy(c->ids, p->ids, p->count * sizeof *c->ids);
    sac_device_lock(m->device);
    sac_pretrained_forget_all(m->files);
    sac_pass_write(&c->decoder->pass, c->memory, p->left);
    sac_captioner_project_memory(c);
    status = sac_model_end_pass(c->decoder, NULL, error);
    if (status == SAC_OK)
        status = sac_captioner_make_context(c, error);
    if (status != SAC_OK)
        sac_captioner_forget(c);
    return status;
}

/* ---------------------------------------------------------------- heads */

/* Whose heads are those of a kind; NULL: there are none that could be scaled. */
static const sac_pretrained_model *model_with_heads(const captioner *c, int kind)
{
    const sac_pretrained_model *d = c->decoder, *e = c->model->text_encoder;
    e = e ? e : c->model->stage_count ? NULL : c->model;
    const sac_pretrained_model *m = kind == SAC_VISION_ATTENTION    ? NULL
                                    : kind == SAC_ENCODER_ATTENTION ? e
                                                                    : d;
    bool looks = kind != SAC_CROSS_ATTENTION || d->layer[0].attention[SAC_PART_CROSS].query.w;
    return m && m->layers && looks ? m : NULL;
}

/* True where a kind is of an eye in stages: its layers are those of all stages, one after the other,
 * and each has as many heads as its stage. */
static bool is_in_stages(const captioner *c, int kind)
{
    bool has_text = c->model->text_encoder;
    return c->model->stage_count &&
           kind == (has_text ? SAC_VISION_ATTENTION : SAC_ENCODER_ATTENTION);
}

/* By which they are scaled; NULL: they give all of it. */
const float *sac_captioner_scale_of_stages(const captioner *c)
{
    int kind = c->model->text_encoder ? SAC_VISION_ATTENTION : SAC_ENCODER_ATTENTION;
    return is_in_stages(c, kind) ? c->scale[kind] : NULL;
}

/* Not every layer has as many heads as the widest. */
static sac_status check_stage_head_scales(const captioner *c, int kind, const float *scale,
                                          sac_error *error)
{
    size_t layers, heads, layer = 0;
    if (!scale || !is_in_stages(c, kind))
        return SAC_OK;
    sac_pretrained_captioner_head_counts(c, kind, &layers, &heads);
    for (int s = 0; s < c->model->stage_count; s++) {
        const sac_pretrained_model *stage = c->model->stages[s];
        for (int i = 0; i < stage->layers; i++, layer++)
            for (size_t h = (size_t)stage->run.heads; h < heads; h++)
                if (scale[layer * heads + h] != 1)
                    return sac_fail(error, SAC_E_ARGUMENT, "heads", NULL,
                                    "%zu.%zu is not there: layer %zu, of stage %d, has %d heads",
                                    layer, h, layer, s + 1, stage->run.heads);
    }
    return SAC_OK;
}

bool sac_pretrained_captioner_head_counts(const captioner *c, int kind, size_t *layers,
                                          size_t *heads)
{
    const sac_pretrained_model *m = model_with_heads(c, kind);
    if (is_in_stages(c, kind)) {
        *layers = *heads = 0;
        for (int i = 0; i < c->model->stage_count; i++) {
            size_t own = (size_t)c->model->stages[i]->run.heads;
            *layers += (size_t)c->model->stages[i]->layers;
            *heads = own > *heads ? own : *heads;
        }
        return true;
    }
    *layers = m ? (size_t)m->layers : 0;
    *heads = m ? (size_t)m->run.heads : 0;
    return m;
}

sac_status sac_pretrained_captioner_scale(captioner *c, int kind, const float *scale,
                                          sac_error *error)
{
    size_t layers, heads;
    float *own = NULL;
    if (!sac_pretrained_captioner_head_counts(c, kind, &layers, &heads))
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, "choose heads of another part",
                        "has no heads of its %s that can be scaled",
                        sac_attention_kind_names[kind]);
    sac_status status = check_stage_head_scales(c, kind, scale, error);
    if (status != SAC_OK)
        return status;
    if (scale && !sac_head_scales_are_all_one(scale, layers * heads)) {
        own = malloc(layers * heads * sizeof *own);
        if (!own)
            return sac_no_memory(error, c->model->name);
        memcpy(own, scale, layers * heads * sizeof *own);
    }
    free(c->scale[kind]);
    c->scale[kind] = own;
    return SAC_OK;
}

sac_status sac_captioner_scale_encoder_heads(const captioner *c, sac_inference **seen,
                                             sac_error *error)
{
    sac_inference *whole = *seen, *scaled;
    if (!c->scale[SAC_ENCODER_ATTENTION] ||
        model_with_heads(c, SAC_ENCODER_ATTENTION) != whole->model)
        return SAC_OK;
    sac_status status =
        sac_inference_scaled(whole, c->scale[SAC_ENCODER_ATTENTION], &scaled, error);
    if (status == SAC_OK) {
        scaled->image = whole->image;
        whole->image = (sac_image){0};
    }
    sac_inference_free(whole);
    *seen = scaled;
    return status;
}

sac_status sac_captioner_encode_text(const captioner *c, sac_pretrained_model *encoder,
                                     sac_prompt prompt, sac_inference **read, sac_error *error)
{
    prompt.scale = c->scale[SAC_ENCODER_ATTENTION];
    return sac_inference_read_prompt(encoder, &prompt, read, error);
}

/* ---------------------------------------------------------------- seeing and reading */

/* A sound becomes a part of the prompt. */
static sac_status store_sound_in_prompt(captioner *c, const sac_inference *p, sac_error *error)
{
    sac_captioner_forget(c);
    sac_status status = sac_captioner_make_picture_tokens(c, p, error);
    sac_pretrained_forget_all(c->model->files); /* the encoder's weights: until the next sound */
    if (status != SAC_OK)
        return status;
    c->grid_w = c->picture->grid_w;
    c->grid_h = c->picture->grid_h;
    return sac_captioner_build_prompt(c, error);
}

/* What was seen, or what is read of it. */
static sac_status store_decoder_memory(captioner *c, const sac_inference *p, sac_error *error)
{
    sac_inference *read = NULL;
    if (sac_captioner_reads_picture_in_prompt(c))
        return store_sound_in_prompt(c, p, error);
    if (c->decoder->text_decoder.question != SAC_ASKED_OF_ENCODER)
        return sac_pretrained_captioner_store_encoding(c, p, error);
    sac_status status = sac_captioner_make_picture_tokens(c, p, error);
    if (status == SAC_OK)
        status = sac_captioner_read_question(c, &read, error);
    if (status == SAC_OK)
        status = sac_pretrained_captioner_store_encoding(c, read, error);
    sac_inference_free(read);
    return status;
}

/* Takes off the columns behind the first `width`. */
static void crop_to_width(sac_image *image, int width)
{
    const size_t row = 4 * (size_t)width, before = 4 * (size_t)image->width;
    for (size_t y = 1; row < before && y < (size_t)image->height; y++)
        memmove(image->rgba + y * row, image->rgba + y * before, row);
    image->width = width;
}

/* What the encoder made of `p`, which is freed; its picture moves to *shown, unless that is NULL. */
static sac_status consume_encoded_picture(captioner *c, sac_inference *p, sac_image *shown,
                                          sac_error *error)
{
    const bool spells = c->decoder->text_decoder.spells;
    sac_status status = sac_captioner_scale_encoder_heads(c, &p, error);
    if (status == SAC_OK)
        status = spells ? sac_captioner_keep_sound(c, p, error) : store_decoder_memory(c, p, error);
    if (status == SAC_OK && p->pixels) {
        free(c->pixels);
        c->pixels = p->pixels;
        c->pixels_w = p->pixels_w;
        c->pixels_h = p->pixels_h;
        p->pixels = NULL;
    }
    if (status == SAC_OK && shown) {
        *shown = p->image;
        p->image = (sac_image){0};
        if (sac_captioner_reads_picture_in_prompt(c)) /* what no token is made of is left out */
            crop_to_width(shown, shown->width / p->grid_w * c->grid_w *
                                     c->decoder->text_decoder.connector.shuffle);
    }
    if (!spells || status != SAC_OK)
        sac_inference_free(p);
    return status;
}

sac_status sac_pretrained_captioner_encode_picture(captioner *c, const sac_image *picture,
                                                   sac_image *shown, sac_error *error)
{
    sac_inference *p;
    c->regions.width = picture->width;
    c->regions.height = picture->height;
    if (sac_captioner_reads_picture_in_prompt(c))
        return sac_captioner_encode_for_prompt(c, picture, 1, shown, error);
    sac_status status = sac_inference_see_scaled(c->model, picture, SAC_FIT_SHOWN,
                                                 sac_captioner_scale_of_stages(c), &p, error);
    return status == SAC_OK ? consume_encoded_picture(c, p, shown, error) : status;
}

sac_status sac_pretrained_captioner_encode_pictures(captioner *c, const sac_image *pictures,
                                                    int count, sac_image *shown, sac_error *error)
{
    if (count == 1)
        return sac_pretrained_captioner_encode_picture(c, pictures, shown, error);
    if (!sac_captioner_reads_picture_in_prompt(c))
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, "give one picture at a time",
                        "sees one picture, and no several together");
    c->regions.width = c->regions.height = 0;
    return sac_captioner_encode_for_prompt(c, pictures, count, shown, error);
}

sac_status sac_pretrained_captioner_read_audio(captioner *c, const sac_sound *sound,
                                               sac_image *shown, sac_error *error)
{
    sac_inference *p;
    sac_status status = sac_sound_pieces_make(c, sound, error);
    if (status == SAC_OK && c->pieces.numbers) {
        c->cut_seconds = sound->is_cut ? (double)sound->count / SAC_MEL_RATE : 0;
        return sac_pretrained_captioner_read_piece(c, 0, shown, error);
    }
    if (status == SAC_OK)
        status = sac_inference_read_audio(c->model, sound, &p, error);
    if (status != SAC_OK)
        return status;
    c->cut_seconds =
        p->cut ? (double)(c->model->max_positions * c->model->audio.cell) / SAC_MEL_RATE : 0;
    return sac_captioner_store_encoded_audio(c, p, shown, error);
}

sac_status sac_captioner_store_encoded_audio(captioner *c, sac_inference *p, sac_image *shown,
                                             sac_error *error)
{
    sac_status status = consume_encoded_picture(c, p, shown, error);
    bool is_known = c->pieces.numbers && c->pieces.at > 0; /* the first piece decides */
    return status == SAC_OK && !is_known ? sac_captioner_choose_language(c, error) : status;
}

sac_status sac_pretrained_captioner_encode_pixels(captioner *c, const float *pixels, int width,
                                                  int height, sac_error *error)
{
    sac_inference *p;
    c->regions.width = width;
    c->regions.height = height;
    sac_status status = c->model->stage_count
                            ? sac_stages_see(c->model, pixels, width, height, c->model->stage_count,
                                             false, sac_captioner_scale_of_stages(c), &p, error)
                            : sac_inference_see_pixels(c->model, pixels, width, height, &p, error);
    return status == SAC_OK ? consume_encoded_picture(c, p, NULL, error) : status;
}

sac_status sac_pretrained_captioner_check_tokens(const captioner *c, size_t count, sac_error *error)
{
    size_t places = c->model->max_positions,
           most = places < SAC_MAX_TOKENS ? places : SAC_MAX_TOKENS;
    return count <= most ? SAC_OK
                         : sac_fail(error, SAC_E_ARGUMENT, "sentence", "give a shorter name",
                                    "has %zu pieces; up to %zu are translated here", count, most);
}

sac_status sac_pretrained_captioner_read_tokens(captioner *c, const int *ids, size_t count,
                                                sac_error *error)
{
    sac_inference *p;
    sac_status status = sac_pretrained_captioner_check_tokens(c, count, error);
    if (status == SAC_OK)
        status = sac_captioner_encode_text(c, c->model, (sac_prompt){.ids = ids, .count = count},
                                           &p, error);
    if (status != SAC_OK)
        return status;
    status = store_decoder_memory(c, p, error);
    sac_inference_free(p);
    return status;
}

/* The token of the language stands first, or is forced behind the start. */
void sac_pretrained_captioner_set_language(captioner *c, int language)
{
    const sac_text_decoder *d = &c->decoder->text_decoder;
    bool begins = sac_tokenizer_begins_with_target(c->model->tokenizer);
    c->search.start = begins && language >= 0 ? language : d->search.start;
    c->rules.forced = !begins && language >= 0 ? language + 1 : d->rules.forced;
    c->rules.first_at = c->rules.forced ? 2 : 1;
}

/* ---------------------------------------------------------------- what is known of it */

unsigned sac_pretrained_captioner_attribution_bits(const captioner *c)
{
    const sac_pretrained_model *m = c->model;
    /* Quarters have sizes of their own, and what entered the encoder is not kept of them. */
    const bool in_prompt = sac_captioner_reads_picture_in_prompt(c);
    const bool carries = sac_architecture_is_captioner(m) &&
                         (in_prompt || !sac_architecture_has_audio(m)) && m->layers > 0 &&
                         !m->vision_encoder.rules.quarters;
    unsigned maps = c->decoder->nets ? 0 : 1u << SAC_ATTRIBUTION_RELEVANCE;
    if (c->decoder->text_decoder.recurrent)
        return 0;
    if (c->decoder->text_decoder.spells)
        return 1u << SAC_ATTRIBUTION_ENCODER;
    if (in_prompt)
        maps |= 1u << SAC_ATTRIBUTION_RELATIVE | 1u << SAC_ATTRIBUTION_ACTIVATION;
    return carries ? maps | 1u << SAC_ATTRIBUTION_ENCODER : maps;
}

/* ---------------------------------------------------------------- generation */

static sac_sequence start(const void *self)
{
    const captioner *c = self;
    sac_sequence begin = {.tokens = c->search, .grid_w = c->grid_w, .grid_h = c->grid_h};
    if (c->listening.is_asked)
        begin.tokens.start = c->listening.prompt[0];
    else if (c->pieces.numbers)
        begin.tokens.start = c->listening.prompt[c->decoder->text_decoder.prompt_count - 1];
    if (c->task.count) { /* all of its tokens count as generated */
        begin.tokens.start = c->task.ids[c->task.count - 1];
        begin.tokens.length -= (int)c->task.count - 1;
    }
    if (sac_architecture_has_audio(c->model)) { /* what stands before needs places, too */
        size_t before, places = c->decoder->max_positions;
        sac_captioner_start_tokens(c, &before);
        int room = places > before + 1 ? (int)(places - before - 1) : 1;
        begin.tokens.length = begin.tokens.length < room ? begin.tokens.length : room;
    }
    return begin;
}

static const char *token(const void *self, int token)
{
    return sac_token_text(&((const captioner *)self)->words, token);
}

/* A word of what was read. */
static const char *input_token_text(const void *self, int index)
{
    const captioner *c = self;
    return sac_token_text(&c->words, c->ids[index]);
}

static sac_status check_request(const captioner *c, const sac_result_request *r, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder->layers ? c->decoder : c->model;
    if (!c->seen)
        return sac_fail(error, SAC_E_ARGUMENT, c->model->name, NULL,
                        "has seen or read nothing yet");
    if (r->layer < 0 || r->layer > d->layers)
        return sac_fail(error, SAC_E_ARGUMENT, "layer", NULL,
                        "%d is out of range; layer goes from 0 to %d", r->layer - 1, d->layers - 1);
    if (r->head < 0 || r->head > d->run.heads)
        return sac_fail(error, SAC_E_ARGUMENT, "head", NULL,
                        "%d is out of range; head goes from 0 to %d", r->head - 1,
                        d->run.heads - 1);
    return sac_attribution_check(sac_pretrained_captioner_attribution_bits(c), r->attribution,
                                 c->model->name, error);
}

bool sac_captioner_has_queries(const captioner *c)
{
    return c->picture && c->picture->looks;
}

size_t sac_captioner_picture_token_count(const captioner *c)
{
    return sac_captioner_has_queries(c) ? c->picture->count
                                        : c->prefix + (size_t)c->grid_w * (size_t)c->grid_h;
}

float sac_captioner_cell_seconds(const captioner *c)
{
    const int joined = c->decoder->text_decoder.connector.shuffle;
    return (float)(c->model->audio.cell * (size_t)(joined ? joined : 1)) / SAC_MEL_RATE;
}

float sac_captioner_seconds(const captioner *c)
{
    return (float)c->grid_w * sac_captioner_cell_seconds(c);
}

/* A sentence that is as long as may be might have gone on. */
static void note_unfinished_caption(const captioner *c, sac_result *caption)
{
    const sac_beam_options options = start(c).tokens;
    const char *limit = c->decoder->text_decoder.limit;
    bool is_forced = options.ends_at_length && caption->count + 1 >= options.length;
    size_t used = strlen(caption->note);
    if (caption->finished && !is_forced)
        return;
    caption->finished = false; /* an end that is forced is none of the model's */
    snprintf(caption->note + used, sizeof caption->note - used, "%scut at %d token%s%s%s%s",
             used ? "; " : "", caption->count, caption->count == 1 ? "" : "s", limit ? " (" : "",
             limit ? limit : "", limit ? ")" : "");
}

static void note_cut_sound(const captioner *c, sac_result *caption)
{
    const size_t used = strlen(caption->note);
    if (c->cut_seconds > 0)
        snprintf(caption->note + used, sizeof caption->note - used,
                 "%sonly the first %g s of the sound are used", used ? "; " : "", c->cut_seconds);
}

/* As transformers decodes with skip_special_tokens: special tokens are no text, nor are times. */
static bool is_text(const captioner *c, int token)
{
    return sac_sound_token_time(c, token) < 0 &&
           !sac_tokenizer_is_special(c->decoder->tokenizer, token);
}

/* The text of all words; tokens that are none of it keep their names. */
static sac_status decode_words(const captioner *c, sac_result *caption, sac_error *error)
{
    int ids[SAC_MAX_TOKENS] = {0}, texts = 0; /* without the times */
    size_t ends[SAC_MAX_TOKENS];
    bool keeps[SAC_MAX_TOKENS];
    const int count = caption->count;
    for (int i = 0; i < count; i++) {
        const int id = caption->outputs[i].word;
        keeps[i] = !is_text(c, id);
        if (sac_sound_token_time(c, id) < 0)
            ids[texts++] = id;
    }
    char *line = sac_tokenizer_decode_with_ends(c->decoder->tokenizer, ids, (size_t)texts, ends);
    for (int i = count; texts < count && i-- > 0;) {
        const bool is_time = sac_sound_token_time(c, caption->outputs[i].word) >= 0;
        texts -= !is_time;
        ends[i] = !is_time ? ends[texts] : texts ? ends[texts - 1] : 0;
    }
    if (line && sac_result_take_line(caption, line, ends, keeps))
        return SAC_OK;
    free(line);
    return sac_no_memory(error, "words");
}

void sac_pretrained_captioner_separate_specials(const captioner *c, sac_result *caption)
{
    bool special[SAC_MAX_TOKENS] = {false};
    for (int i = 0; i < caption->count && c->decoder->tokenizer; i++)
        special[i] = !is_text(c, caption->outputs[i].word) && !sac_result_is_place(caption, i);
    sac_result_set_apart(caption, special);
    for (int i = 0; i < caption->special_count; i++) {
        sac_special_token *one = &caption->specials[i];
        const float time = sac_sound_token_time(c, one->token);
        one->is_time = time >= 0;
        one->time = one->is_time ? caption->from + time : 0;
    }
}

sac_status sac_pretrained_captioner_generate(captioner *c, const sac_result_request *request,
                                             sac_result *caption, sac_error *error)
{
    *caption = (sac_result){0};
    sac_status status = check_request(c, request, error);
    if (status == SAC_OK && c->decoder->text_decoder.spells) {
        status = sac_captioner_spell(c, request, caption, error);
        note_cut_sound(c, caption);
        return status;
    }
    if (status == SAC_OK)
        status = sac_captioner_apply_request(c, request, error);
    if (status == SAC_OK)
        status = sac_generate(&c->generation, &c->generates, c, request, caption, error);
    caption->sinks = request->no_sinks ? c->sinks : 0;
    caption->attribution = request->attribution;
    caption->has_row_ends = c->picture && c->decoder->text_decoder.connector.row_end;
    for (int t = 0; t < caption->count && caption->has_row_ends; t++)
        caption->outputs[t].row_ends = c->row_ends[t];
    caption->has_on_picture = sac_captioner_reads_picture_in_prompt(c) &&
                              request->attribution == SAC_ATTRIBUTION_RELEVANCE;
    for (int t = 0; t < caption->count && caption->has_on_picture; t++)
        caption->outputs[t].on_picture = c->on_picture[t];
    if (status == SAC_OK && caption->count && c->model->audio.aligned)
        status = sac_captioner_find_times(c, caption, error);
    caption->seconds = caption->until = sac_captioner_seconds(c);
    if (status == SAC_OK && c->pieces.numbers)
        sac_sound_pieces_finish_piece(c, caption);
    if (status == SAC_OK && c->decoder->tokenizer)
        status = decode_words(c, caption, error);
    if (status == SAC_OK && c->regions.asks)
        status = sac_captioner_find_regions(c, caption, error);
    if (status == SAC_OK)
        note_cut_sound(c, caption);
    if (status == SAC_OK)
        note_unfinished_caption(c, caption);
    snprintf(caption->language, sizeof caption->language, "%s", c->listening.code);
    caption->language_probability = c->listening.probability;
    return status;
}

/* ---------------------------------------------------------------- the captioner */

sac_status sac_pretrained_captioner_create(sac_pretrained_model *model, captioner **made,
                                           sac_error *error)
{
    *made = NULL;
    if (!model->decoder)
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder of a captioner",
                        "is not a captioner");
    captioner *c = calloc(1, sizeof *c);
    if (!c)
        return sac_no_memory(error, model->name);
    c->model = sac_architecture_retain(model);
    c->decoder = model->decoder;
    const sac_text_decoder *d = &c->decoder->text_decoder;
    c->search = d->search;
    c->rules = d->rules;
    /* Whisper's generate() adds to max_length the tokens that stand before, the first among them. */
    if (model->audio.bins && d->limit && strcmp(d->limit, "max_length") == 0)
        c->search.length++;
    memcpy(c->listening.prompt, d->prompt, sizeof c->listening.prompt);
    c->listening.language = d->languages.configured;
    if (c->search.rules)
        c->search.rules = &c->rules;
    c->generates = (sac_decoder){
        .name = sac_architecture_has_media_encoder(model) ? "captioner" : "translator",
        .start = start,
        .token = token,
        .position = sac_architecture_has_media_encoder(model) ? NULL : input_token_text,
        .step = sac_captioner_step,
        .attention = d->recurrent ? NULL : sac_captioner_find_attention};
    char path[sizeof model->folder +
              sizeof d->wordmap]; /* of a file that gives words their numbers */
    const int vocabulary = (int)c->decoder->vocabulary;
    snprintf(path, sizeof path, "%s/%s", model->folder, d->wordmap);
    sac_status status =
        d->spells      ? sac_captioner_read_letters(c, error)
        : d->recurrent ? sac_token_texts_read(path, vocabulary, &c->words, error)
                       : sac_token_texts_make(c->decoder->tokenizer, vocabulary, &c->words, error);
    if (status == SAC_OK)
        status = sac_captioner_set_first_question(c, error);
    if (status == SAC_OK)
        *made = c;
    else
        sac_pretrained_captioner_destroy(c);
    return status;
}

void sac_pretrained_captioner_destroy(captioner *c)
{
    if (!c)
        return;
    sac_generation_destroy(c->generation);
    sac_captioner_forget(c);
    sac_captioner_forget_sound(c);
    sac_sound_pieces_free(c);
    sac_token_texts_free(&c->words);
    sac_token_run_free(&c->token_run);
    sac_generated_regions_free(&c->regions);
    for (int kind = 0; kind < SAC_HEAD_KINDS; kind++)
        free(c->scale[kind]);
    sac_captioner_forget_picture(c);
    sac_tokens_free(&c->task);
    free(c->states);
    sac_pretrained_model_close(c->model);
    free(c);
}
