/* A weight of a person's own tensors, taken apart, saved as a picture and opened again. */

#include "app/document.h"
#include "base/random/random.h"
#include "canvas/text.h"
#include "export/export.h"
#include "home.h"
#include "png_texts.h"
#include "saccade_arrays.h"

enum { T = 9, D = 16 };

static int make_tensors(void **state)
{
    static float numbers[3][T * D];
    size_t shape[] = {T, D};
    sac_array arrays[3];
    for (uint32_t a = 0; a < 3; a++) {
        for (uint32_t i = 0; i < T * D; i++)
            numbers[a][i] = 4 * sac_philox_uniform(i, a, 9) - 2;
        arrays[a] = sac_array_view(SAC_F32, 2, shape, numbers[a]);
    }
    sac_named_array named[] = {{"query", &arrays[0]}, {"key", &arrays[1]}, {"value", &arrays[2]}};
    return make_home(state) || sac_npz_save(in("own.npz"), named, 3, NULL) != SAC_OK;
}

static void open_document(app_document *document, const char *file, sac_score score)
{
    app_request request = {.files = &file,
                           .file_count = 1,
                           .windowless = true,
                           .spec = {.score = score, .causal = true}};
    *document = (app_document){0};
    OK(app_open(document, &request, &failure));
}

/* A window can hatch and count it; who gets a file has to ask for that. */
TEST(one_nan_does_not_keep_weights_from_a_window)
{
    float weights[] = {0.5f, 0.5f, NAN, 1};
    sac_array array = sac_array_view(SAC_F32, 2, (size_t[]){2, 2}, weights);
    sac_named_array named = {"attention", &array};
    OK(sac_npz_save(in("nan.npz"), &named, 1, NULL));
    for (int windowless = 0; windowless < 2; windowless++) {
        app_document *document = calloc(1, sizeof *document);
        const char *file = in("nan.npz");
        app_request request = {.files = &file, .file_count = 1, .windowless = windowless};
        sac_status status = app_open(document, &request, NULL);
        assert_int_equal(status, windowless ? SAC_E_VALUE : SAC_OK);
        if (status == SAC_OK)
            assert_string_equal(document->weights->note, "1 value is NaN: hatched");
        app_document_close(document);
        free(document);
    }
}

static void save(app_document *document, const char *name)
{
    OK(viz_export_png(&document->shell, NULL, in(name), &failure));
}

static void press(app_document *document, int key)
{
    assert_true(viz_shell_event(&document->shell, &(viz_event){.kind = VIZ_KEY, .key = key}));
}

/* Pixels below the tabs, where no time is shown, that differ. */
static int differing(const char *a, const char *b)
{
    sac_image one = {0}, other = {0};
    int count = 0;
    OK(sac_image_load(in(a), &one, NULL));
    OK(sac_image_load(in(b), &other, NULL));
    assert_true(one.width == other.width && one.height == other.height);
    for (int i = (int)VIZ_TABS_HEIGHT * one.width; i < one.width * one.height; i++)
        count += memcmp(one.rgba + 4 * i, other.rgba + 4 * i, 4) != 0;
    sac_image_free(&one);
    sac_image_free(&other);
    return count;
}

TEST(a_step_is_saved_and_opened_again)
{
    static const sac_score scores[] = {SAC_SCORE_SCALED_DOT, SAC_SCORE_GAUSSIAN};
    for (int i = 0; i < 2; i++) {
        app_document *document = calloc(1, sizeof *document);
        open_document(document, in("own.npz"), scores[i]);
        save(document, "below.png");
        press(document, 'i');
        save(document, "first.png");
        press(document, VIZ_KEY_END);
        press(document, VIZ_KEY_LEFT);
        save(document, "share.png");
        app_document_close(document);
        assert_true(differing("below.png", "first.png") > 10000);
        assert_true(differing("first.png", "share.png") > 1000);
        char *why = png_text(in("share.png"), "why");
        assert_non_null(why);
        free(why);
        open_document(document, in("share.png"), scores[i]);
        assert_true(document->shell.asks);
        save(document, "again.png");
        assert_int_equal(differing("share.png", "again.png"), 0);
        app_document_close(document);
        free(document);
    }
    viz_text_close();
}

TEST_MAIN(make_tensors, remove_home)
