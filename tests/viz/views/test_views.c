/* viz/views/classes: which views a source opens in. */

#include "every_view.h"
#include "status.h"
#include "test.h"
#include "view/settings.h"

/* The names of the views that accept a source, one after the other. */
static const char *accepted(const sac_source *source)
{
    static char names[256];
    names[0] = '\0';
    for (int i = 0; viz_views[i]; i++)
        if (viz_views[i]->accepts(source)) {
            strcat(names, names[0] ? " " : "");
            strcat(names, viz_views[i]->name);
        }
    return names;
}

static sac_status no_speech(void *self, const sac_result_request *request, sac_result *caption,
                            sac_error *error)
{
    (void)self, (void)request, (void)caption, (void)error;
    return SAC_OK;
}

static sac_status no_attention(void *self, const sac_picture_request *request,
                               sac_picture_result *result, sac_error *error)
{
    (void)self, (void)request, (void)result, (void)error;
    return SAC_OK;
}

static sac_status no_look(void *self, size_t step, sac_training_snapshot *snapshot, bool *changed,
                          sac_error *error)
{
    (void)self, (void)step, (void)snapshot, (void)changed, (void)error;
    return SAC_OK;
}

TEST(a_trace_opens_in_the_views_of_what_it_has)
{
    const sac_image image = {0};
    fake_matrix *fake = fake_create(2, 1, 3, 9, 9);
    assert_string_equal(accepted(&(sac_source){0}), "");
    assert_string_equal(
        accepted(&(sac_source){.picture.image = &image, .result.generate = no_speech}), "caption");
    assert_string_equal(
        accepted(&(sac_source){.picture.image = &image, .picture.attend = no_attention}),
        "picture");
    assert_string_equal(accepted(&(sac_source){.training.look = no_look}), "training");
    assert_string_equal(accepted(&fake->source), "matrix heads");
    fake_label(&fake->source.weights.step_labels, 9);
    fake_label(&fake->source.weights.position_labels, 9);
    assert_string_equal(accepted(&fake->source), "matrix heads alignment");
    fake_free(fake);
}

TEST(names_are_apart_and_found_in_any_case)
{
    for (int i = 0; viz_views[i]; i++) {
        assert_ptr_equal(viz_views_find(viz_views[i]->name), viz_views[i]);
        assert_ptr_equal(viz_views_find(viz_views[i]->tab), viz_views[i]);
    }
    assert_null(viz_views_find("lesson list"));
}

static char layer_saved[32];

static void expect_layer(void *user, const char *key, const char *value)
{
    (void)user;
    if (strcmp(key, "layer") == 0)
        snprintf(layer_saved, sizeof layer_saved, "%s", value);
}

static const char *layer_of(const viz_view *view)
{
    viz_view_describe(view, expect_layer, NULL);
    return layer_saved;
}

TEST(views_of_weights_beside_each_other_share_what_is_chosen)
{
    fake_matrix *fake = fake_create(3, 1, 2, 9, 9);
    const viz_view_class *matrix = viz_views_find("matrix"), *heads = viz_views_find("heads");
    viz_view *first, *beside, *alone;
    OK(matrix->create(&fake->source, NULL, &first, NULL));
    OK(heads->create(&fake->source, first, &beside, NULL));
    OK(heads->create(&fake->source, NULL, &alone, NULL));
    viz_view_restore(first, "layer", "2");
    assert_string_equal(layer_of(beside), "2");
    layer_saved[0] = '\0';
    assert_string_equal(layer_of(alone),
                        ""); /* none is chosen, and the most informative is sought */
    viz_view_destroy(first);
    viz_view_destroy(beside);
    viz_view_destroy(alone);
    fake_free(fake);
}

TEST(a_short_status_is_cut_not_overrun)
{
    for (int i = 0; viz_views[i]; i++) {
        char text[12];
        one_view *v = one_open(viz_views[i], 640, 400);
        text[0] = '\0';
        if (viz_views[i]->status)
            viz_views[i]->status(one_of(v), text, sizeof text);
        assert_true(strlen(text) < sizeof text);
        one_close(v);
    }
}

/* What is pointed at has a sentence that names what happens, and not the key's meaning in all views ("the first"). */
TEST(a_tip_is_a_sentence)
{
    for (int i = 0; viz_views[i]; i++) {
        static viz_spots spots;
        one_view *v = one_open(viz_views[i], 1280, 800);
        viz_shell_spots(&v->shell, &spots);
        for (int s = 0; s < spots.count; s++) {
            const char *tip = spots.items[s].tip;
            size_t size = tip ? strlen(tip) : 0;
            if (size && !strchr(".?", tip[size - 1]))
                fail_msg("%s: “%s”", viz_views[i]->name, tip);
        }
        one_close(v);
    }
}

TEST_MAIN(NULL, NULL)
