/* Maps over a picture that a file has already, and numbers of either sign: how they are read. */
#include "path.h"

#include "saccade_arrays.h"
#include "sources/files/weights/weights_file.h"
#include "status.h"

typedef enum values { FREE, BYTES, EITHER_SIGN, SOFTMAX, PART_OF_SOFTMAX, WHOLE_SOFTMAX } values;

/* Numbers of the kind, by row and place. */
static sac_array make(values kind, int rank, const size_t *shape)
{
    sac_array array;
    OK(sac_array_create(SAC_F32, rank, shape, &array, NULL));
    float *v = array.data;
    size_t count = sac_array_count(&array), keys = shape[rank - 1], each = keys;
    if (kind == WHOLE_SOFTMAX)
        each *= shape[rank - 2];
    for (size_t i = 0; i < count; i++)
        v[i] = (float)((i / keys * 7 + i % keys * 5) % 13 + 1) / 13;
    for (size_t i = 0; i < count; i += each) {
        float sum = 0;
        for (size_t k = 0; k < each; k++)
            sum += v[i + k];
        for (size_t k = 0; k < each; k++)
            v[i + k] = kind == BYTES             ? v[i + k] * 255
                       : kind == EITHER_SIGN     ? v[i + k] - 0.5f
                       : kind == FREE            ? v[i + k]
                       : kind == PART_OF_SOFTMAX ? 0.9f * v[i + k] / sum
                                                 : v[i + k] / sum;
    }
    return array;
}

static void save(const char *name, const sac_array *array, size_t words, bool picture)
{
    static char *texts[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                            "i", "j", "k", "l", "m", "n", "o", "p"};
    sac_array labels = sac_array_view(SAC_TEXT, 1, &words, texts), image;
    sac_named_array arrays[] = {{name, array}, {"words", &labels}, {"image", NULL}};
    OK(sac_array_create(SAC_U8, 3, (size_t[]){48, 64, 3}, &image, NULL));
    arrays[2].array = &image;
    if (!words)
        arrays[1] = arrays[2];
    OK(sac_npz_save(path, arrays, 1 + (words > 0) + picture, &failure));
    sac_array_free(&image);
}

FILE_TEST(maps_of_words_or_alone_lie_over_the_picture)
{
    static const struct {
        const char *name;
        int rank;
        size_t shape[4], words;
        bool picture;
        values kind;
        size_t rows; /* of h·w cells; 0: queries × keys */
    } rows[] = {
        {"weights", 3, {5, 6, 8}, 5, true, WHOLE_SOFTMAX, 5}, /* what caption --out writes */
        {"weights", 3, {5, 6, 8}, 5, false, WHOLE_SOFTMAX, 5},
        {"weights", 3, {14, 14, 14}, 14, true, WHOLE_SOFTMAX, 14},
        {"maps", 3, {16, 16, 16}, 16, true, FREE, 16},
        {"maps", 3, {5, 5, 5}, 5, false, WHOLE_SOFTMAX, 5},
        {"heat", 3, {5, 6, 8}, 5, true, EITHER_SIGN, 5},
        {"maps", 4, {5, 1, 6, 8}, 5, true, FREE, 5},
        {"cam", 2, {6, 8}, 0, true, FREE, 1},
        {"cam", 2, {14, 14}, 0, true, FREE, 1},
        {"cam", 2, {7, 7}, 0, true, BYTES, 1},
        {"cam", 2, {16, 16}, 0, true, EITHER_SIGN, 1},
        {"weights", 2, {16, 16}, 0, true, FREE, 1},
        {"saliency", 2, {48, 64}, 0, true, FREE, 1}, /* at the picture's own resolution */
        {"cam", 3, {1, 6, 8}, 0, true, FREE, 1},
        {"cam", 4, {1, 1, 6, 8}, 0, true, FREE, 1},
        {"attention", 2, {16, 16}, 0, true, SOFTMAX, 0},
        {"attention", 2, {16, 16}, 0, true, PART_OF_SOFTMAX, 0},
        {"attention", 3, {4, 16, 16}, 0, true, PART_OF_SOFTMAX, 0},
        {"weights", 3, {4, 4, 4}, 4, false, SOFTMAX, 0},
        {"weights", 3, {4, 9, 9}, 9, false, FREE, 0},
        {"cam", 2, {6, 8}, 0, false, FREE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_array array = make(rows[i].kind, rows[i].rank, rows[i].shape);
        size_t h = rows[i].shape[rows[i].rank - 2], w = rows[i].shape[rows[i].rank - 1];
        sac_source s;
        save(rows[i].name, &array, rows[i].words, rows[i].picture);
        sac_weights_file_options options = {.path = path};
        OK(sac_weights_file_open(&options, &s, &failure));
        size_t queries = rows[i].rows ? rows[i].rows : h, keys = rows[i].rows ? h * w : w;
        if (s.weights.steps != queries || s.weights.positions != keys)
            fail_msg("row %zu: %zu × %zu", i, s.weights.steps, s.weights.positions);
        for (size_t r = 0; r < rows[i].rows; r++) {
            float tile[48 * 64];
            sac_tile row = {.row = r, .rows = 1, .cols = keys};
            OK(s.weights.tile(s.self, 0, &row, tile, &failure));
            assert_memory_equal(tile, (const float *)array.data + r * keys, keys * sizeof *tile);
        }
        if (rows[i].rows) {
            assert_int_equal(s.picture.grid_w, w);
            assert_int_equal(s.picture.grid_h, h);
            assert_int_equal(s.weights.step_labels.count, rows[i].words);
            assert_int_equal(s.weights.is_signed, rows[i].kind == EITHER_SIGN);
            assert_null(strstr(s.note, "softmax"));
            assert_non_null(strstr(s.note, "reads queries"));
        }
        sac_source_destroy(&s);
        sac_array_free(&array);
    }
}

FILE_TEST(axes_and_grid_define_what_maps_are)
{
    sac_array array = make(SOFTMAX, 3, (size_t[]){5, 6, 8});
    sac_source s;
    save("attention", &array, 0, true);
    sac_weights_file_options options = {.path = path, .axes = "QYX"};
    OK(sac_weights_file_open(&options, &s, &failure));
    assert_true(s.weights.steps == 5 && s.weights.positions == 48 && s.picture.grid_w == 8);
    sac_source_destroy(&s);
    options = (sac_weights_file_options){.path = path, .grid_w = 8, .grid_h = 6};
    OK(sac_weights_file_open(&options, &s, &failure));
    assert_true(s.weights.steps == 5 && s.weights.positions == 48 && s.picture.grid_h == 6);
    sac_source_destroy(&s);
    options = (sac_weights_file_options){.path = path, .axes = "QYX", .grid_w = 4, .grid_h = 12};
    REFUSES(SAC_E_SHAPE, "…grid: 4 × 12 cells are not those of maps of 8 × 6…",
            sac_weights_file_open(&options, &s, &failure));
    options = (sac_weights_file_options){.path = path, .axes = "YXQ"};
    REFUSES(SAC_E_SHAPE, "…\"YXQ\" do not fit shape [5,6,8]…YX of maps",
            sac_weights_file_open(&options, &s, &failure));
    sac_array_free(&array);
}

/* Attributions, a row for each token, or one alone. What is named as attention or scores has no sign. */
FILE_TEST(numbers_of_either_sign_are_attributions_unless_their_name_shows_attention)
{
    for (int rank = 1; rank <= 2; rank++) {
        sac_array array = make(EITHER_SIGN, 2, (size_t[]){5, 5});
        sac_array shown = sac_array_view(SAC_F32, rank, array.shape, array.data);
        sac_source s;
        sac_weights_file_options options = {.path = path};
        save("attributions", &shown, 5, false);
        OK(sac_weights_file_open(&options, &s, &failure));
        assert_true(s.weights.is_signed && s.weights.positions == 5);
        assert_null(strstr(s.note, "softmax"));
        sac_source_destroy(&s);
        save("attn_scores", &shown, 5, false);
        REFUSES(SAC_E_VALUE, "…add --softmax", sac_weights_file_open(&options, &s, &failure));
        sac_array_free(&array);
    }
}

TEST_MAIN(NULL, NULL)
