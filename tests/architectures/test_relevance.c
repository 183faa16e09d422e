/* Relevance against torch's autograd (tests/reference/make_relevance.py), and as a map of a source. */
#include <math.h>
#include <string.h>

#include "architectures/inference/relevance.h"
#include "saccade_arrays.h"
#include "sources/heads/head_choice.h"
#include "status.h"
#include "trial.h"

typedef struct relevant {
    sac_pretrained_model *model;
    sac_inference *inference;
    sac_arrays *expected;
} relevant;

static const sac_array *expected_of(const relevant *r, const char *family, const char *name)
{
    char full[80];
    snprintf(full, sizeof full, "%s.%s", family, name);
    return sac_arrays_find(r->expected, full);
}

static void open_relevant(relevant *r, const char *family)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, family);
    OK(sac_arrays_open(REFERENCES "/relevance.safetensors", &r->expected, &failure));
    OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &r->model, &failure));
    const sac_array *ids = expected_of(r, family, "input_ids");
    const sac_array *pixels = expected_of(r, family, "pixel_values");
    if (ids)
        OK(sac_inference_read_tokens(r->model, ids->data, sac_array_count(ids), &r->inference,
                                     &failure));
    else
        OK(sac_inference_see_pixels(r->model, pixels->data, (int)pixels->shape[3],
                                    (int)pixels->shape[2], &r->inference, &failure));
}

static void close_relevant(relevant *r)
{
    sac_inference_free(r->inference);
    sac_arrays_close(r->expected);
    sac_pretrained_model_close(r->model);
}

/* To 1e-4 of the largest number of each layer. */
static void check_relevance(const char *family)
{
    relevant r;
    sac_logit logit;
    open_relevant(&r, family);
    const sac_array *maps = expected_of(&r, family, "maps");
    size_t numbers = maps->shape[1] * maps->shape[2];
    float *made = malloc(maps->shape[0] * numbers * sizeof *made);
    assert_int_equal(maps->shape[1], r.inference->count);
    assert_true(sac_inference_has_relevance(r.inference));
    OK(sac_inference_relevance(r.inference, &logit, made, &failure));
    assert_int_equal(logit.id, *(const int *)expected_of(&r, family, "target")->data);
    assert_true(fabsf(logit.logit - *(const float *)expected_of(&r, family, "logit")->data) <
                1e-3f);
    for (size_t l = 0; l < maps->shape[0]; l++) {
        const float *layer = (const float *)maps->data + l * numbers;
        float most = 0, apart = 0;
        for (size_t i = 0; i < numbers; i++) {
            most = fmaxf(most, layer[i]);
            apart = fmaxf(apart, fabsf(made[l * numbers + i] - layer[i]));
        }
        if (!(apart < 1e-4f * most))
            fail_msg("%s, layer %zu: %g apart, of %g", family, l, (double)apart, (double)most);
    }
    free(made);
    close_relevant(&r);
}

TEST(relevance_is_that_of_autograd)
{
    static const char *const families[] = {
        "vit_classifier",
        "gpt2",
        "opt",
        "gpt_neo",        /* windows */
        "opt_narrow",     /* words and head of another width, norms behind the parts */
        "gpt_neox",       /* parallel parts, a part of each head turned */
        "bloom",          /* ALiBi */
        "llama",          /* RMSNorm, gates, keys of fewer heads */
        "llama_bfloat16", /* weights in 16 bits */
        "mistral",
        "qwen3", /* norms of queries and keys */
        "phi3",
        "smollm3",
        "olmo2", /* norms of what a part gives, and none before it */
        "gemma",
        "gemma2",        /* capped scores and logits */
        "gemma3",        /* two rotations */
        "gemma4",        /* keys that are lent to several layers; words of each */
        "gemma4_joined", /* keys for values, which are normed; words of each layer */
        "olmo",          /* norms that are not trained */
        "granite",       /* factors of words, scores, parts and logits */
        "glm4",          /* numbers turned in pairs, norms of what a part gives */
        "gptj",          /* one norm for both parts */
        "falcon_new",    /* queries before the keys that they share */
        "cohere",        /* norms without biases */
        "gte",           /* gates behind what they let through */
        "bert",
        "distilbert",
        "electra",
        "roberta",
        "mpnet", /* biases by the distance */
        "albert",
        "modernbert",   /* windows around each token, GELU's gates */
        "dinov2_giant", /* gates that are rows of one matrix, scaled parts */
        "beit",         /* biases by both axes */
        "mixtral",      /* experts: shares of those that are chosen, … */
        "qwen3_moe",
        "qwen2_moe",        /* and one of all tokens */
        "llama4",           /* shares that scale what enters */
        "deepseek_v2",      /* keys and values of latents, and queries, … */
        "deepseek_v2_lite", /* … or not */
        "deepseek_v3",      /* shares by sigmoids that make a sum */
        "olmoe",            /* … of all, … */
        "gpt_oss",          /* … of gates with limits; sinks */
        "dinov3",           /* patches that are turned */
        "yolos",            /* positions between layers */
        "deberta", /* terms of distances, by buckets or not, of one's own matrices or those of queries and keys */
        "deberta_queries",
        "deberta_v2",
        "deberta_v2_keys",
        "deberta_v3",
        "bert_classifier",
        "electra_classifier",
        "distilbert_classifier",
        "modernbert_classifier",      /* a norm behind what is pooled, … */
        "modernbert_mean_classifier", /* … which is the mean of all states */
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        check_relevance(families[i]);
}

static void check_near(const float *made, const float *expected, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(made[i] - expected[i]) < 1e-4f))
            fail_msg("%s, %zu: %g, not %g", name, i, (double)made[i], (double)expected[i]);
}

/* Of a picture and a phrase, whose tokens that frame it have no part: the first is number `first`. */
static void check_likeness(const char *family, const char *phrase, size_t first, size_t words)
{
    char folder[512];
    relevant r;
    sac_result result;
    sac_arrays *reference;
    snprintf(folder, sizeof folder, "%s/%s/reference.safetensors", REFERENCES, family);
    OK(sac_arrays_open(folder, &reference, &failure));
    const sac_array *pixels = sac_arrays_find(reference, "pixel_values");
    snprintf(folder, sizeof folder, "%s/%s", REFERENCES, family);
    OK(sac_arrays_open(REFERENCES "/relevance.safetensors", &r.expected, &failure));
    OK(sac_pretrained_model_open_stored(folder, NULL, SAC_STORAGE_F32, &r.model, &failure));
    OK(sac_inference_see_pixels(r.model, pixels->data, (int)pixels->shape[3], (int)pixels->shape[2],
                                &r.inference, &failure));
    const sac_result_request asked = {.phrases = phrase, .way = SAC_LIKENESS_RELEVANCE};
    OK(sac_inference_compare(r.inference, &asked, &result, &failure));
    const sac_array *patches = expected_of(&r, family, "patches");
    const float *all = (const float *)expected_of(&r, family, "words")->data + first;
    float wanted[8], sum = 0;
    check_near(result.weights, patches->data, sac_array_count(patches), family);
    assert_int_equal(result.phrase_words[0].labels.count, words);
    for (size_t i = 0; i < words; i++)
        sum += all[i];
    for (size_t i = 0; i < words; i++)
        wanted[i] = all[i] / sum;
    check_near(result.phrase_words[0].relevance, wanted, words, phrase);
    sac_result_free(&result);
    sac_arrays_close(reference);
    close_relevant(&r);
}

TEST(what_counted_for_a_picture_and_a_phrase_is_that_of_autograd)
{
    check_likeness("clip", "a dog cat", 1, 3);
    check_likeness("siglip", "a dog", 0, 2);
}

/* The map of layer 1: R = (I + E₁)(I + E₀), without what a token has of itself. */
TEST(relevance_is_a_map_of_heads)
{
    relevant r;
    sac_source source;
    open_relevant(&r, "gpt2");
    const sac_array *maps = expected_of(&r, "gpt2", "maps");
    const float *first = maps->data, *second = first + 12 * 12;
    OK(sac_inference_open_source(r.inference, &source, &failure));
    r.inference = NULL;
    assert_int_equal(sac_source_reduction_count(&source), SAC_REDUCE_CONTACTS);
    sac_reader reader = {.source = &source};
    const sac_head_choice choice = {.layer = 1, .reduce = SAC_REDUCE_RELEVANCE};
    const sac_rect all = {0, 12, 0, 12};
    float made[12 * 12], row[12], sum = 0;
    OK(sac_head_choice_read(&reader, &choice, &all, SAC_POOL_MEAN, 12, 12, made, &failure));
    for (int j = 0; j < 12; j++) {
        row[j] = first[11 * 12 + j] + second[11 * 12 + j];
        for (int k = 0; k < 12; k++)
            row[j] += second[11 * 12 + k] * first[k * 12 + j];
        sum += row[j];
    }
    for (int j = 0; j < 12; j++)
        assert_true(fabsf(made[11 * 12 + j] - row[j] / sum) < 1e-4f);
    assert_non_null(strstr(reader.of, " next"));
    sac_reader_free(&reader);
    sac_source_destroy(&source);
    close_relevant(&r);
}

/* A row of (I + E_3) … (I + E_1) − I of so small a gradient is that of E_3 + E_2 + E_1. */
TEST(a_row_of_a_small_gradient_keeps_what_a_token_has_of_itself)
{
    relevant r;
    open_relevant(&r, "gemma2");
    const size_t T = r.inference->count, D = r.model->width, layers = (size_t)r.model->layers;
    const size_t at = T - 1;
    float *dleft = calloc(T * D, sizeof *dleft), *maps = malloc(layers * T * T * sizeof *maps);
    float *rows = malloc(T * sizeof *rows);
    for (size_t k = 0; k < D; k++)
        dleft[at * D + k] = k % 2 ? 1e-9f : -2e-9f;
    OK(sac_inference_backward(r.inference, dleft, maps, &failure));
    OK(sac_text_relevance(r.inference, 1, &at, dleft + at * D, rows, &failure));
    float most = 0;
    for (size_t j = 0; j < T; j++) {
        float sum = 0;
        for (size_t l = 0; l < layers; l++)
            sum += maps[(l * T + at) * T + j];
        most = fmaxf(most, sum);
        if (!(fabsf(rows[j] - sum) <= 1e-3f * sum + 1e-6f * most)) /* and the products */
            fail_msg("token %zu: %g, not %g", j, (double)rows[j], (double)sum);
    }
    assert_true(most > 0);
    /* The same by a mask in place of the order, where each layer has its window all the same. */
    uint8_t *unseen = malloc(T * T);
    float *masked = malloc(T * sizeof *masked);
    for (size_t i = 0; i < T * T; i++)
        unseen[i] = i % T > i / T;
    sac_inference joined = *r.inference;
    joined.unseen = unseen;
    joined.joined = 1;
    OK(sac_text_relevance(&joined, 1, &at, dleft + at * D, masked, &failure));
    for (size_t j = 0; j < T; j++)
        assert_true(fabsf(masked[j] - rows[j]) <= 1e-4f * most);
    free(unseen);
    free(masked);
    free(dleft);
    free(maps);
    free(rows);
    close_relevant(&r);
}

/* By the order and the layers' own windows, and by a mask in place of both. */
TEST(relevance_of_a_masked_text_has_the_window_of_each_layer)
{
    relevant r;
    open_relevant(&r, "gemma3");
    const size_t T = r.inference->count, D = r.model->width, at = T - 1;
    float *dleft = malloc(D * sizeof *dleft), *rows = malloc(2 * T * sizeof *rows);
    uint8_t *unseen = malloc(T * T);
    for (size_t k = 0; k < D; k++)
        dleft[k] = k % 3 ? 0.5f : -1;
    for (size_t i = 0; i < T * T; i++)
        unseen[i] = i % T > i / T;
    r.model->window[0] = 2;
    r.model->window[2] = 5;
    sac_inference text = {.model = r.model, .count = T, .entered = r.inference->entered};
    OK(sac_text_relevance(&text, 1, &at, dleft, rows, &failure));
    text.unseen = unseen;
    text.joined = 1;
    OK(sac_text_relevance(&text, 1, &at, dleft, rows + T, &failure));
    float most = 0;
    for (size_t j = 0; j < T; j++)
        most = fmaxf(most, rows[j]);
    for (size_t j = 0; j < T; j++)
        assert_true(fabsf(rows[T + j] - rows[j]) <= 1e-4f * most);
    free(dleft);
    free(rows);
    free(unseen);
    close_relevant(&r);
}

TEST(where_no_gradient_is_known_it_is_reported)
{
    sac_pretrained_model *model;
    sac_inference *whole, *scaled;
    sac_logit logit;
    const int ids[] = {3, 9, 14};
    float map[1], scale[64];
    OK(sac_pretrained_model_open_stored(REFERENCES "/bert", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    OK(sac_inference_read_tokens(model, ids, 3, &whole, &failure));
    for (int i = 0; i < 64; i++)
        scale[i] = 0.5f;
    OK(sac_inference_scaled(whole, scale, &scaled, &failure));
    assert_true(sac_inference_has_relevance(whole) && !sac_inference_has_relevance(scaled));
    REFUSES(SAC_E_ARGUMENT,
            "relevance: is not known of bert: some heads are scaled; choose another reduction",
            sac_inference_relevance(scaled, &logit, map, &failure));
    sac_inference_free(scaled);
    sac_inference_free(whole);
    sac_pretrained_model_close(model);
    OK(sac_pretrained_model_open_stored(REFERENCES "/falcon_h1", NULL, SAC_STORAGE_F32, &model,
                                        &failure));
    OK(sac_inference_read_tokens(model, ids, 3, &whole, &failure));
    REFUSES(SAC_E_ARGUMENT, "…falcon_h1: no gradient goes through its state spaces…",
            sac_inference_relevance(whole, &logit, map, &failure));
    sac_inference_free(whole);
    sac_pretrained_model_close(model);
}

TEST_MAIN(open_device, close_device)
