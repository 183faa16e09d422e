/* The attention that a model gave is looked at as if a file held it. */

#include "sources/files/weights/model_weights.h"
#include "status.h"
#include "test.h"

enum { LAYERS = 2, HEADS = 3, SOURCE = 4, TARGET = 5 };

static float weight_at(size_t index)
{
    return 0.001f * (float)(index % 700);
}

static void fill_labels(size_t count, sac_labels *labels)
{
    const char *text[] = {"a", "b", "c", "d", "e"};
    sac_array array = sac_array_view(SAC_TEXT, 1, &count, text);
    OK(sac_labels_from_array(&array, labels, NULL));
}

static void fill_kind(sac_attentions *a, int which, size_t steps, size_t positions)
{
    sac_attention_kind *k = &a->kind[which];
    *k = (sac_attention_kind){
        .layers = LAYERS, .heads = HEADS, .steps = steps, .positions = positions};
    snprintf(k->name, sizeof k->name, "%s", sac_attention_kind_names[which]);
    size_t count = LAYERS * HEADS * steps * positions;
    k->weights = malloc(count * sizeof *k->weights);
    assert_non_null(k->weights);
    for (size_t i = 0; i < count; i++)
        k->weights[i] = weight_at(i);
    fill_labels(steps, &k->step_labels);
    fill_labels(positions, &k->position_labels);
}

static sac_attentions made_up(void)
{
    sac_attentions a = {0};
    fill_kind(&a, SAC_ENCODER_ATTENTION, SOURCE, SOURCE);
    fill_kind(&a, SAC_DECODER_ATTENTION, TARGET, TARGET);
    fill_kind(&a, SAC_CROSS_ATTENTION, TARGET, SOURCE);
    float *alignment = a.kind[SAC_CROSS_ATTENTION].alignment =
        malloc(LAYERS * HEADS * sizeof(float));
    assert_non_null(alignment);
    for (size_t i = 0; i < LAYERS * HEADS; i++)
        alignment[i] = i == 4 ? 0.9f : 0.1f;
    return a;
}

TEST(every_layer_and_head_of_each_kind_is_there)
{
    for (int k = 0; k < SAC_ATTENTION_KINDS; k++) {
        sac_source source;
        sac_attentions a = made_up();
        size_t steps = a.kind[k].steps, positions = a.kind[k].positions;
        OK(sac_model_weights_open(&a, sac_attention_kind_names[k], &source, NULL));
        assert_int_equal(source.weights.layers, LAYERS);
        assert_int_equal(source.weights.heads, HEADS);
        assert_int_equal(source.weights.steps, steps);
        assert_int_equal(source.weights.positions, positions);
        assert_int_equal(source.weights.step_labels.count, steps);
        assert_int_equal(source.weights.position_labels.count, positions);
        float map[TARGET * TARGET];
        sac_tile tile = {.head = 2, .rows = steps, .cols = positions};
        OK(source.weights.tile(source.self, 1, &tile, map, NULL));
        for (size_t i = 0; i < steps * positions; i++)
            assert_true(map[i] == weight_at((1 * HEADS + 2) * steps * positions + i));
        sac_source_destroy(&source);
    }
}

TEST(what_looks_at_the_sentence_comes_first_and_knows_how_its_heads_align)
{
    sac_source source;
    sac_attentions a = made_up();
    size_t layer, head;
    OK(sac_model_weights_open(&a, NULL, &source, NULL));
    assert_int_equal(source.weights.opened.reading_count, SAC_ATTENTION_KINDS);
    assert_string_equal(source.weights.opened.readings[source.weights.opened.reading].take,
                        "cross");
    assert_string_equal(source.weights.opened.readings[0].meaning,
                        "2 layers × 3 heads of 4 × 4 weights");
    assert_true(sac_best_head(source.weights.head_alignment, source.weights.layers,
                              source.weights.heads, &layer, &head));
    assert_true(layer == 1 && head == 1);
    assert_null(source.weights.masked);
    sac_source_destroy(&source);
}

/* Of a captioner: its words look at each other, and at the cells of a picture. */
TEST(cells_of_a_picture_lie_over_it)
{
    sac_source source;
    for (int k = SAC_DECODER_ATTENTION; k <= SAC_CROSS_ATTENTION; k++) {
        bool cross = k == SAC_CROSS_ATTENTION;
        sac_attentions a = {.grid_w = 2, .grid_h = 2};
        fill_kind(&a, SAC_DECODER_ATTENTION, TARGET, TARGET);
        fill_kind(&a, SAC_CROSS_ATTENTION, TARGET, 4);
        OK(sac_image_create(6, 6, &a.picture, NULL));
        OK(sac_model_weights_open(&a, sac_attention_kind_names[k], &source, NULL));
        assert_int_equal(source.weights.opened.reading_count, 2);
        assert_string_equal(source.weights.opened.readings[source.weights.opened.reading].take,
                            sac_attention_kind_names[k]);
        assert_int_equal(source.weights.positions, cross ? 4 : TARGET);
        assert_true((source.picture.image != NULL) == cross);
        assert_int_equal(source.picture.grid_w, cross ? 2 : 0);
        float map[4];
        sac_tile tile = {.head = 2, .row = 3, .rows = 1, .cols = 4};
        OK(source.weights.tile(source.self, 1, &tile, map, NULL));
        size_t at = ((HEADS + 2) * TARGET + 3) * source.weights.positions;
        for (size_t i = 0; i < 4; i++)
            assert_true(map[i] == weight_at(at + i));
        sac_source_destroy(&source);
    }
    sac_attentions a = {0};
    fill_kind(&a, SAC_CROSS_ATTENTION, TARGET, SOURCE);
    REFUSES(SAC_E_ARGUMENT, "encoder: is no attention of this model; give decoder or cross",
            sac_model_weights_open(&a, "encoder", &source, &failure));
}

TEST(a_word_does_not_see_those_after_it)
{
    sac_source source;
    sac_attentions a = made_up();
    uint8_t masked[2 * TARGET];
    sac_tile tile = {.row = 1, .rows = 2, .cols = TARGET};
    OK(sac_model_weights_open(&a, "decoder", &source, NULL));
    OK(source.weights.masked(source.self, 0, &tile, masked, NULL));
    const uint8_t expected[2 * TARGET] = {0, 0, 1, 1, 1, 0, 0, 0, 1, 1};
    assert_memory_equal(masked, expected, sizeof expected);
    assert_null(source.weights.head_alignment);
    sac_source_destroy(&source);
}

TEST(another_kind_is_refused)
{
    sac_source source;
    sac_attentions a = made_up();
    REFUSES(SAC_E_ARGUMENT, "…is no attention of this model…",
            sac_model_weights_open(&a, "crosss", &source, &failure));
    assert_null(source.weights.tile);
}

TEST_MAIN(NULL, NULL)
