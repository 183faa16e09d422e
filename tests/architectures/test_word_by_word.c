/* Generation word by word of a picture, a sound or a text, against `transformers` (make_token_run.py): the
 * words, where each looked, and what else might have come; with all heads, and without some of the encoder's, of
 * the decoder's and of its cross attention's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "saccade_arrays.h"
#include "sources/files/weights/model_weights.h"

static sac_arrays *token_run;

typedef struct family {
    const char *name;
    int count; /* of words, at most */
    bool answers;
    const char *text; /* of a translator, or what is asked of a picture */
} family;

static const family families[] = {
    {"blip", 11, false, NULL},
    {"vit_gpt2", 11, false, NULL},
    {"trocr", 11, false, NULL},
    {"donut", 11, false, NULL},
    {"florence2", 11, false, NULL},
    {"blip2_t5", 11, false, NULL},
    {"git", 11, false, NULL},
    {"marian", 11, false, NULL},
    {"bart", 11, false, NULL},
    {"t5", 11, false, NULL},
    {"whisper", 11, false, NULL},
    {"llava", 6, true, "the bank of a"},
    {"idefics3", 6, true, "the bank of a"},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* Gives the captioner its input. */
static void encode(const generator *s, const family *f)
{
    char path[600];
    if (strcmp(f->name, "whisper") == 0) {
        sac_sound sound;
        OK(sac_sound_load(REFERENCES "/whisper/sound.wav", SAC_MEL_RATE, SIZE_MAX, &sound,
                          &failure));
        OK(sac_pretrained_captioner_read_audio(s->captioner, &sound, NULL, &failure));
        sac_sound_free(&sound);
        return;
    }
    if (f->answers) {
        sac_image picture;
        snprintf(path, sizeof path, "%s/%s/picture.png", REFERENCES, f->name);
        OK(sac_image_load(path, &picture, &failure));
        OK(sac_pretrained_captioner_encode_picture(s->captioner, &picture, NULL, &failure));
        sac_image_free(&picture);
        return;
    }
    const sac_array *ids = sac_arrays_find(s->expected, "input_ids");
    const sac_array *pixels = sac_arrays_find(s->expected, "pixel_values");
    if (ids)
        OK(sac_pretrained_captioner_read_tokens(s->captioner, ids->data, sac_array_count(ids),
                                                &failure));
    else
        OK(sac_pretrained_captioner_encode_pixels(s->captioner, pixels->data, (int)pixels->shape[3],
                                                  (int)pixels->shape[2], &failure));
}

static void open_family(generator *s, const family *f)
{
    load_generator(s, f->name);
    if (f->text)
        OK(sac_pretrained_captioner_ask(s->captioner, f->text, &failure));
    encode(s, f);
    s->captioner->search.length = f->count;
    s->captioner->search.width = 1;
}

static const sac_array *find(const family *f, const char *way, const char *what)
{
    char name[80];
    snprintf(name, sizeof name, "%s%s%s.%s", f->name, way ? "." : "", way ? way : "", what);
    return sac_arrays_find(token_run, name);
}

static void check_candidates(const generator *s, const float *logits, size_t step, int word)
{
    const sac_sampling how = {.draw.temperature = 1};
    sac_candidate one[SAC_GENERATION_CANDIDATES];
    const size_t V = s->model->decoder->vocabulary;
    double sum = 0;
    int count, kept;
    bool stands = false;
    OK(sac_pretrained_captioner_candidates(s->captioner, step, &how, one, &count, &kept, &failure));
    for (size_t i = 0; i < V; i++)
        sum += exp((double)logits[step * V + i]);
    for (int i = 0; i < count; i++) {
        double expected = exp((double)logits[step * V + (size_t)one[i].id]) / sum;
        assert_true(fabs((double)one[i].probability - expected) < 1e-3);
        assert_int_equal(one[i].stands, one[i].id == word);
        stands = stands || one[i].stands;
    }
    assert_true(stands && kept <= (int)V);
}

/* The generation is what is expected `way`, "whole" or "scaled". */
static void check_way(const generator *s, const family *f, const char *way)
{
    const sac_array *words = find(f, way, "generated"), *rows = find(f, way, "rows");
    const float *logits = find(f, way, "logits")->data;
    const int *ids = words->data;
    const size_t count = sac_array_count(words), keys = rows->shape[1];
    sac_generation generated;
    OK(sac_pretrained_captioner_step(s->captioner, &(sac_sampling){.count = f->count}, &generated,
                                     &failure));
    check_text(s, way, generated.text);
    assert_int_equal(generated.generated, count);
    assert_int_equal(generated.count, keys + 1); /* no word looks at the last */
    assert_int_equal(generated.tokens.count, generated.count);
    for (size_t t = 0; t < count; t++) {
        assert_int_equal(s->captioner->token_run.words[t + 1], ids[t]);
        compare(generated.rows + t * generated.count, (const float *)rows->data + t * keys, keys,
                1e-4, f->name);
        assert_true(generated.rows[t * generated.count + generated.count - 1] == 0);
        check_candidates(s, logits, t, ids[t]);
    }
    for (size_t i = 0; i < generated.count; i++)
        assert_true(generated.tokens.text[i] && generated.tokens.text[i][0]);
    for (size_t t = 0; t < count && generated.cells; t++) {
        double sum = 0;
        for (int i = 0; i < generated.grid_w * generated.grid_h; i++)
            sum +=
                (double)
                    generated.cells[t * (size_t)(generated.grid_w * generated.grid_h) + (size_t)i];
        assert_true(fabs(sum - 1) < 1e-4);
    }
    sac_generation_free(&generated);
    /* A search of one sentence generates the same. */
    sac_result caption;
    OK(sac_pretrained_captioner_generate(s->captioner, &(sac_result_request){.beam = 1}, &caption,
                                         &failure));
    assert_int_equal(caption.count, count);
    check_text(s, way, caption.line);
    for (size_t t = 0; t < count; t++)
        assert_int_equal(caption.outputs[t].word, ids[t]);
    sac_result_free(&caption);
}

/* What counted for each word of what was encoded, of its cells and with a sum of 1: to 1e-4 of the largest. */
static void check_relevance(const generator *s, const family *f)
{
    const sac_result_request request = {.beam = 1, .attribution = SAC_ATTRIBUTION_RELEVANCE};
    const sac_array *rows = find(f, NULL, "relevance");
    sac_result caption;
    if (!rows)
        return;
    OK(sac_pretrained_captioner_generate(s->captioner, &request, &caption, &failure));
    const size_t seen = rows->shape[1], cells = (size_t)(caption.grid_w * caption.grid_h);
    const size_t prefix = s->captioner->prefix;
    assert_int_equal(caption.count, rows->shape[0]);
    assert_true(prefix + cells <= seen);
    for (size_t t = 0; t < (size_t)caption.count; t++) {
        const float *row = (const float *)rows->data + t * seen + prefix;
        double sum = 0;
        float wanted[256], most = 0;
        assert_true(cells <= 256);
        for (size_t i = 0; i < cells; i++)
            sum += (double)row[i];
        for (size_t i = 0; i < cells; i++) {
            wanted[i] = (float)((double)row[i] / sum);
            most = fmaxf(most, wanted[i]);
        }
        assert_true(most > 1.01f / (float)cells);
        compare(caption.weights + t * cells, wanted, cells, 1e-4 * (double)most, f->name);
    }
    sac_result_free(&caption);
}

TEST(what_counted_of_what_was_encoded_is_that_of_autograd)
{
    int found = 0;
    for (int i = 0; i < FAMILIES; i++) {
        generator s;
        open_family(&s, &families[i]);
        check_relevance(&s, &families[i]);
        found += find(&families[i], NULL, "relevance") != NULL;
        close_generator(&s);
    }
    assert_int_equal(found, 10);
}

TEST(words_and_their_rows_are_those_of_transformers)
{
    for (int i = 0; i < FAMILIES; i++) {
        generator s;
        open_family(&s, &families[i]);
        check_way(&s, &families[i], "whole");
        close_generator(&s);
    }
}

TEST(without_heads_it_generates_what_transformers_does_and_with_them_as_before)
{
    for (int i = 0; i < FAMILIES; i++) {
        const family *f = &families[i];
        generator s;
        open_family(&s, f);
        for (int way = 0; way < 2; way++) {
            for (int kind = 0; kind < SAC_HEAD_KINDS; kind++) {
                const sac_array *scale = find(f, NULL, sac_attention_kind_names[kind]);
                size_t layers, heads;
                if (!scale) {
                    assert_true(kind == SAC_CROSS_ATTENTION || kind == SAC_VISION_ATTENTION);
                    assert_int_equal(
                        sac_pretrained_captioner_scale(s.captioner, kind, NULL, &failure),
                        SAC_E_ARGUMENT);
                    continue;
                }
                assert_true(
                    sac_pretrained_captioner_head_counts(s.captioner, kind, &layers, &heads));
                assert_true(scale->shape[0] == layers && scale->shape[1] == heads);
                OK(sac_pretrained_captioner_scale(s.captioner, kind, way ? NULL : scale->data,
                                                  &failure));
            }
            encode(&s, f);
            s.captioner->search.length = f->count;
            check_way(&s, f, way ? "whole" : "scaled");
        }
        close_generator(&s);
    }
}

/* A word that a person chose stands there, and what follows is what would follow it. */
TEST(a_word_that_was_chosen_is_followed_by_what_follows_it)
{
    for (int i = 0; i < FAMILIES; i++) {
        const family *f = &families[i];
        generator s;
        sac_generation generated;
        sac_sampling how = {.count = f->count};
        sac_result caption;
        open_family(&s, f);
        const int *ids = find(f, "whole", "generated")->data, other = ids[2] == 8 ? 9 : 8;
        assert_true(sac_sampling_change(&how, 2, other));
        OK(sac_pretrained_captioner_step(s.captioner, &how, &generated, &failure));
        const int count = s.captioner->token_run.count;
        int words[SAC_MAX_TOKENS];
        memcpy(words, s.captioner->token_run.words + 1, (size_t)count * sizeof *words);
        assert_true(count > 2 && words[0] == ids[0] && words[1] == ids[1] && words[2] == other);
        const sac_result_request given = {
            .beam = 1, .prefix = {words[0], words[1], words[2]}, .prefix_count = 3};
        OK(sac_pretrained_captioner_generate(s.captioner, &given, &caption, &failure));
        assert_int_equal(caption.count, count);
        for (int t = 0; t < count; t++)
            assert_int_equal(caption.outputs[t].word, words[t]);
        sac_result_free(&caption);
        sac_generation_free(&generated);
        how.change[0].id = (int)s.model->decoder->vocabulary;
        assert_int_equal(sac_pretrained_captioner_step(s.captioner, &how, &generated, &failure),
                         SAC_E_ARGUMENT);
        close_generator(&s);
    }
}

/* A caption beside the one without heads of the encoder; afterwards it is as it was. */
TEST(a_caption_without_heads_of_the_encoder_stands_beside_that_with_all)
{
    sac_pretrained_model *model;
    sac_source source;
    sac_heads_effect effect = {0};
    sac_result caption;
    size_t layers, heads;
    const char *const pictures[] = {PICTURES "/harbour.png"};
    OK(sac_pretrained_model_open_stored(REFERENCES "/blip", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    OK(sac_pretrained_caption_open(model, &(sac_pictures_request){.pictures = pictures, .count = 1},
                                   &source, &failure));
    assert_true(source.result.heads(source.self, SAC_ENCODER_ATTENTION, &layers, &heads));
    float *scale = calloc(layers * heads, sizeof *scale); /* all of them are off */
    assert_non_null(scale);
    OK(sac_source_generate_without(&source, SAC_ENCODER_ATTENTION, scale, &effect, &failure));
    assert_string_not_equal(effect.before, effect.now);
    char text[SAC_TEXT_SIZE];
    sac_source_forget(&source);
    OK(sac_source_generate(&source, &(sac_result_request){0}, &caption, &failure));
    assert_string_equal(sac_result_text(&caption, text, sizeof text), effect.before);
    sac_result_free(&caption);
    sac_source_forget(&source);
    OK(sac_source_scale_kind(&source, SAC_ENCODER_ATTENTION, scale, &failure));
    OK(sac_source_generate(&source, &(sac_result_request){0}, &caption, &failure));
    assert_string_equal(sac_result_text(&caption, text, sizeof text), effect.now);
    sac_result_free(&caption);
    sac_heads_effect_free(&effect);
    free(scale);
    sac_source_destroy(&source);
    sac_pretrained_model_close(model);
}

/* The weights that a viewer has of a kind of a translator's heads. */
static void open_maps(sac_source *translator, int kind, sac_source *weights)
{
    sac_attentions all;
    sac_result caption;
    OK(sac_source_generate(translator, &(sac_result_request){0}, &caption, &failure));
    OK(sac_source_attentions(translator, 0, &caption, &all, &failure));
    OK(sac_model_weights_open(&all, sac_attention_kind_names[kind], weights, &failure));
    sac_model_weights_let_scale(weights, translator, &caption);
    sac_result_free(&caption);
}

/* Largest difference of all its maps from those of an attention that was computed. */
static float far_from(sac_source *weights, const sac_attention_kind *kind)
{
    const size_t size = kind->steps * kind->positions;
    float *map = malloc(size * sizeof *map), far = 0;
    for (size_t m = 0; m < kind->layers * kind->heads; m++) {
        const sac_tile tile = {
            .head = m % kind->heads, .rows = kind->steps, .cols = kind->positions};
        OK(weights->weights.tile(weights->self, m / kind->heads, &tile, map, &failure));
        for (size_t i = 0; i < size; i++)
            far = fmaxf(far, fabsf(map[i] - kind->weights[m * size + i]));
    }
    free(map);
    return far;
}

TEST(maps_of_a_translator_are_computed_anew_of_the_same_words_where_heads_are_off)
{
    sac_pretrained_model *model;
    OK(sac_pretrained_model_open_stored(REFERENCES "/marian", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    for (int kind = 0; kind < SAC_ATTENTION_KINDS; kind++) {
        sac_source translator, weights;
        sac_attentions with_all, without;
        sac_result caption;
        OK(sac_pretrained_translation_open(model, "the cat sat", &translator, &failure));
        open_maps(&translator, kind, &weights);
        const size_t heads = weights.weights.layers * weights.weights.heads;
        float *scale = malloc(2 * heads * sizeof *scale), *whole = scale + heads;
        for (size_t i = 0; i < heads; i++)
            whole[i] = scale[i] = 1;
        scale[0] = scale[1] = 0; /* of layer 0, which others read */
        assert_int_equal(weights.weights.generator_kind, kind);
        OK(weights.weights.scale_heads(weights.self, scale, NULL, &failure));
        OK(sac_source_generate(&translator, &(sac_result_request){0}, &caption, &failure));
        OK(sac_source_attentions(&translator, 0, &caption, &with_all, &failure));
        OK(sac_source_attentions_without(&translator, kind, scale, &caption, &without, &failure));
        assert_true(far_from(&weights, &with_all.kind[kind]) > 1e-4f);
        assert_true(far_from(&weights, &without.kind[kind]) == 0);
        OK(weights.weights.scale_heads(weights.self, whole, NULL, &failure));
        assert_true(far_from(&weights, &with_all.kind[kind]) == 0);
        snprintf(translator.result.text, sizeof translator.result.text, "another");
        REFUSES(SAC_E_ARGUMENT, "heads: are of “the cat sat”, and another sentence is open now; …",
                weights.weights.scale_heads(weights.self, scale, NULL, &failure));
        free(scale);
        sac_result_free(&caption);
        sac_attentions_free(&with_all);
        sac_attentions_free(&without);
        sac_source_destroy(&weights);
        sac_source_destroy(&translator);
    }
    sac_pretrained_model_close(model);
}

TEST(errors_by_word_and_character_are_those_of_transformers_texts)
{
    check_rates();
}

static int open_all(void **state)
{
    int opened = open_device(state);
    return opened ? opened
           : sac_arrays_open(REFERENCES "/token_run.safetensors", &token_run, &failure) == SAC_OK
               ? 0
               : -1;
}

static int close_all(void **state)
{
    sac_arrays_close(token_run);
    return close_device(state);
}

TEST_MAIN(open_all, close_all)
