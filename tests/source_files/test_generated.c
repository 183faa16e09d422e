/* What generate() returns, by make_generated.py: each sequence's map is that of a forward pass over it. */
#include "path.h"

#include "saccade_arrays.h"
#include "sources/files/weights/weights_file.h"
#include "status.h"

/* Two computations in float32 by PyTorch. */
#define BOUND 5e-6f

static sac_source open_file(const char *file, const char *take)
{
    char full[300];
    sac_source source;
    snprintf(full, sizeof full,
             TESTS "/source_files/generated"
                   "/%s",
             file);
    sac_weights_file_options options = {.path = full, .array = take};
    OK(sac_weights_file_open(&options, &source, &failure));
    return source;
}

/* All weights of sequence `b` against want.KIND.B of the .npz. */
static void assert_is(const sac_source *s, const sac_arrays *wanted, const char *kind, size_t b)
{
    char name[40];
    snprintf(name, sizeof name, "want.%s.%zu", kind, b);
    const sac_array *want = sac_arrays_find(wanted, name);
    assert_non_null(want);
    size_t heads = want->shape[1], rows = want->shape[2], keys = want->shape[3];
    assert_int_equal(s->weights.layers, want->shape[0]);
    assert_int_equal(s->weights.heads, heads);
    assert_int_equal(sac_source_steps(s, b), rows);
    assert_int_equal(sac_source_positions(s, b), keys);
    float tile[256];
    assert_true(rows * keys <= 256);
    for (size_t map = 0; map < want->shape[0] * heads; map++) {
        sac_tile whole = {.batch = b, .head = map % heads, .rows = rows, .cols = keys};
        OK(s->weights.tile(s->self, map / heads, &whole, tile, &failure));
        for (size_t i = 0; i < rows * keys; i++)
            assert_true(fabsf(tile[i] - ((const float *)want->data)[map * rows * keys + i]) <
                        BOUND);
    }
}

TEST(each_sequence_of_a_generation_has_the_attention_of_its_own_tokens)
{
    static const struct {
        const char *file, *take, *kind;
        size_t sequences;
    } rows[] = {
        {"beams", NULL, "self", 3},
        {"beams_of_a_batch", NULL, "self", 4},
        {"beams_that_end", NULL, "self", 4},
        {"static_cache", NULL, "self", 1},
        {"sampled", NULL, "self", 2},
        {"window", NULL, "self", 1},
        {"window_passed", NULL, "self", 1},
        {"window_ahead", NULL, "self", 1},
        {"windows_alone", NULL, "self", 1},
        {"one_step", NULL, "self", 1},
        {"encoder_decoder", "decoder_attentions.*.*", "self", 4},
        {"encoder_decoder", "cross_attentions.*.*", "cross", 4},
        {"decoder_prompt", "decoder_attentions.*.*", "self", 1},
        {"decoder_prompt", "cross_attentions.*.*", "cross", 1},
        /* models that read a picture in their prompt */
        {"llava", NULL, "self", 1},
        {"llava_beams", NULL, "self", 2},
        {"paligemma", NULL, "self", 1},
        {"paligemma_beams", NULL, "self", 2},
        {"qwen2_vl", NULL, "self", 1},
        {"qwen2_vl_beams", NULL, "self", 2},
        {"blip2", NULL, "self", 1},
        {"blip2_beams", NULL, "self", 2},
    };
    static const char *const endings[] = {"npz", "pt"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char file[80], reference[300];
        sac_arrays *wanted;
        snprintf(reference, sizeof reference,
                 TESTS "/source_files/generated"
                       "/%s.npz",
                 rows[i].file);
        OK(sac_arrays_open(reference, &wanted, &failure));
        for (int e = 0; e < 2; e++) {
            snprintf(file, sizeof file,
                     TESTS "/source_files/generated"
                           "/%s.%s",
                     rows[i].file, endings[e]);
            if (access(file, R_OK) != 0)
                continue;
            snprintf(file, sizeof file, "%s.%s", rows[i].file, endings[e]);
            sac_source s = open_file(file, rows[i].take);
            assert_int_equal(s.weights.batch, rows[i].sequences);
            for (size_t b = 0; b < rows[i].sequences; b++)
                assert_is(&s, wanted, rows[i].kind, b);
            sac_source_destroy(&s);
        }
        sac_arrays_close(wanted);
    }
}

/* The tokens that stand for the picture are found by their id, where a grid, or a picture, is given. */
TEST(the_cells_of_a_generation_are_the_tokens_of_its_picture)
{
    static const struct {
        const char *file;
        size_t first;
    } rows[] = {
        {"llava.pt", 2}, {"llava_beams.pt", 2}, {"paligemma.pt", 0}, {"qwen2_vl_beams.pt", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char full[300];
        sac_source s;
        size_t cell;
        snprintf(full, sizeof full, TESTS "/source_files/generated/%s", rows[i].file);
        sac_weights_file_options options = {.path = full, .grid_w = 2, .grid_h = 2};
        OK(sac_weights_file_open(&options, &s, &failure));
        assert_int_equal(s.picture.grid_w, 2);
        for (size_t at = 0; at < 4; at++) {
            assert_true(sac_source_find_cell(&s, 0, rows[i].first + at, &cell));
            assert_int_equal(cell, at);
        }
        assert_non_null(strstr(s.note, "the tokens 3 are taken as those of the picture"));
        sac_source_destroy(&s);
        options.grid_w = 3; /* there are no 6 of any id */
        REFUSES(SAC_E_SHAPE, "…give --grid WxH…", sac_weights_file_open(&options, &s, &failure));
    }
}

/* The arrays of a stored file but those of these names. */
static void save_without(const char *file, const char *left_out, const char *and_this,
                         const sac_named_array *more)
{
    sac_arrays *arrays;
    char full[300];
    sac_named_array kept[128];
    size_t count = 0;
    snprintf(full, sizeof full,
             TESTS "/source_files/generated"
                   "/%s",
             file);
    OK(sac_arrays_open(full, &arrays, &failure));
    for (size_t i = 0; i < sac_arrays_size(arrays); i++)
        if (strcmp(sac_arrays_name(arrays, i), left_out) != 0 &&
            strcmp(sac_arrays_name(arrays, i), and_this) != 0)
            kept[count++] = (sac_named_array){sac_arrays_name(arrays, i), sac_arrays_at(arrays, i)};
    if (more)
        kept[count++] = *more;
    OK(sac_npz_save(path, kept, count, &failure));
    sac_arrays_close(arrays);
}

FILE_TEST(items_that_may_be_beams_are_refused_without_their_indices)
{
    sac_source s;
    sac_weights_file_options options = {.path = path};
    save_without("beams.npz", "beam_indices", "", NULL);
    REFUSES(SAC_E_FORMAT, "…beam_indices…4 items for 3 sequences…pass generate()'s beam_indices…",
            sac_weights_file_open(&options, &s, &failure));
    /* The number of sequences is not given, and all items begin with the same prompt. */
    save_without("beams.npz", "beam_indices", "sequences", NULL);
    REFUSES(SAC_E_FORMAT, "…beam_indices…4 items, which may be beams…",
            sac_weights_file_open(&options, &s, &failure));
    options.axes = "BHQK"; /* so they are items */
    OK(sac_weights_file_open(&options, &s, &failure));
    assert_int_equal(s.weights.batch, 4);
    sac_source_destroy(&s);
}

FILE_TEST(indices_of_other_beams_are_refused)
{
    int64_t indices[] = {0, 1, 2, 3, 4, 0};
    sac_array array = sac_array_view(SAC_I64, 2, (size_t[]){1, 6}, indices);
    sac_source s;
    sac_weights_file_options options = {.path = path};
    save_without("beams.npz", "beam_indices", "", &(sac_named_array){"beam_indices", &array});
    REFUSES(SAC_E_VALUE, "…[0,4] is 4…6 steps of 4 beams…",
            sac_weights_file_open(&options, &s, &failure));
    indices[4] = -1; /* a step after the end */
    save_without("beams.npz", "beam_indices", "", &(sac_named_array){"beam_indices", &array});
    REFUSES(SAC_E_VALUE, "…[0,5] is 0…", sac_weights_file_open(&options, &s, &failure));
}

TEST(rows_of_other_tokens_by_an_assistant_are_refused)
{
    sac_source s;
    sac_weights_file_options options = {.path = TESTS "/source_files/generated"
                                                      "/assisted.npz"};
    REFUSES(SAC_E_VALUE, "…with an assistant; take that of one pass…",
            sac_weights_file_open(&options, &s, &failure));
}

/* Without a cache each step has a map of all tokens: the error names what to save instead, of a decoder and of a
 * decoder behind an encoder. */
FILE_TEST(steps_without_a_cache_are_refused_with_what_to_save)
{
    static const char *const names[] = {"attentions.%d.%d", "decoder_attentions.%d.%d"};
    for (int k = 0; k < 2; k++) {
        char name[6][40];
        float weights[3][25];
        sac_array arrays[3];
        sac_named_array all[6];
        for (size_t step = 0; step < 3; step++) {
            const size_t size = step + 3, shape[] = {1, 1, size, size};
            for (size_t i = 0; i < size * size; i++)
                weights[step][i] = i % size <= i / size ? 1.0f / (float)(i / size + 1) : 0;
            arrays[step] = sac_array_view(SAC_F32, 4, shape, weights[step]);
        }
        for (int i = 0; i < 6; i++) {
            snprintf(name[i], sizeof name[i], names[k], i / 2, i % 2);
            all[i] = (sac_named_array){name[i], &arrays[i / 2]};
        }
        sac_source s;
        sac_weights_file_options options = {.path = path};
        OK(sac_npz_save(path, all, 6, &failure));
        REFUSES(SAC_E_FORMAT,
                "…more than one attention fits…steps of generate() without a cache: save one pass…",
                sac_weights_file_open(&options, &s, &failure));
        options.array = k ? "decoder_attentions.2.*" : "attentions.2.*";
        OK(sac_weights_file_open(&options, &s, &failure));
        assert_int_equal(s.weights.steps, 5);
        assert_int_equal(s.weights.layers, 2);
        sac_source_destroy(&s);
    }
}

TEST_MAIN(NULL, NULL)
