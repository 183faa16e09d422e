/* src/app/document_loader: a picture that names files of others asks before it opens them. */
#include <sys/stat.h>

#include "app/document_loader.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "export/export.h"
#include "home.h"
#include "saccade_arrays.h"

static void run(viz_opening *opening)
{
    assert_non_null(opening);
    OK(opening->open(opening, &failure));
    opening->take(opening);
    opening->destroy(opening);
}

static const char *shown(const app_document *document)
{
    return viz_shell_tab_view(&document->shell)->class->name;
}

/* Weights in a folder, a picture of them beside them, and one in a folder below. */
static int make_files(void **state)
{
    if (make_home(state) || viz_text_open(NULL) != SAC_OK || mkdir(in("figures"), 0700))
        return 1;
    float weights[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sac_array array = sac_array_view(SAC_F32, 2, (size_t[]){3, 3}, weights);
    sac_named_array named = {"attentions", &array};
    if (sac_npz_save(in("weights.npz"), &named, 1, NULL) != SAC_OK)
        return 1;
    app_document document = {0};
    app_request request = {
        .files = (const char *const[]){in("weights.npz")}, .file_count = 1, .windowless = true};
    sac_status status = app_open(&document, &request, NULL);
    if (status == SAC_OK)
        status = viz_export_png(&document.shell, NULL, in("figures/a.png"), NULL);
    if (status == SAC_OK)
        status = viz_export_png(&document.shell, NULL, in("a.png"), NULL);
    app_document_close(&document);
    return status != SAC_OK;
}

static int remove_files(void **state)
{
    viz_text_close();
    return remove_home(state);
}

TEST(a_window_asks_before_it_opens_what_a_picture_names)
{
    for (int yes = 0; yes < 2; yes++) {
        app_document document = {0};
        app_request request = {.files = (const char *const[]){in("figures/a.png")},
                               .file_count = 1,
                               .tab = "picture",
                               .device = "cpu"};
        run(app_load_first(&document, &request, NULL));
        assert_string_equal(shown(&document), "picture"); /* as it is saved */
        assert_non_null(strstr(document.shell.question, "../weights.npz"));
        assert_null(app_load_requested_in_views(&document, NULL)); /* it waits */
        document.request.tab = NULL;
        document.shell.answer = yes ? VIZ_ANSWER_YES : VIZ_ANSWER_NO;
        run(app_load_requested_in_views(&document, NULL));
        assert_true((document.weights != NULL) == yes);
        assert_string_equal(document.shell.question, "");
        assert_null(app_load_requested_in_views(&document, NULL)); /* and does not ask again */
        assert_true(!yes == (strstr(document.note, "this is the picture itself") != NULL));
        app_document_close(&document);
    }
}

TEST(what_lies_beside_a_picture_is_opened_unasked)
{
    app_document document = {0};
    app_request request = {.files = (const char *const[]){in("a.png")}, .file_count = 1};
    run(app_load_first(&document, &request, NULL));
    assert_string_equal(document.shell.question, "");
    assert_non_null(document.weights);
    assert_string_equal(document.note, "made from weights.npz");
    app_document_close(&document);
}

static const viz_place *place_named(app_document *document, const char *name)
{
    viz_places_list(&document->shell);
    for (int i = 0; i < document->shell.bar.count; i++)
        if (strcmp(document->shell.bar.items[i].class->name, name) == 0)
            return &document->shell.bar.items[i];
    fail_msg("%s is not in the bar", name);
    return NULL;
}

/* Arrays of a person's own leave for a sample, and come back; the beginning is one, and what can be typed over is
 * none of it. */
TEST(what_came_with_the_program_is_marked)
{
    app_document document = {0};
    app_request request = {
        .files = (const char *const[]){in("weights.npz")}, .file_count = 1, .device = "cpu"};
    run(app_load_first(&document, &request, NULL));
    assert_false(document.shell.sample);
    assert_false(place_named(&document, "matrix")->leaves);
    assert_true(place_named(&document, "caption")->leaves);
    run(app_load_beginning(&document, NULL));
    assert_string_equal(shown(&document), "caption");
    assert_true(document.shell.sample);
    assert_false(place_named(&document, "caption")->leaves);
    assert_true(place_named(&document, "translation")->leaves);
    run(app_load_before(&document, NULL));
    assert_false(document.shell.sample);
    run(app_load_document_for_view(&document, viz_views_find("lesson"), NULL));
    assert_false(document.shell.sample);
    app_document_close(&document);
}

TEST_MAIN(make_files, remove_files)
