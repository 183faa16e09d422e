/* What the shipped captioner says of scenes, as a person sees it in the caption view: the heat has
 * the colour of its bar, and is lighter than the picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "canvas/text.h"
#include "caption/caption_state.h"
#include "seen_heat.h"
#include "table/models.h"

enum { FIRST_SCENE = 91, LAST_SCENE = 99 };

static sac_trace open_scene(uint64_t seed)
{
    static const char *const weights[] = {CAPTIONER_WEIGHTS "/additive.safetensors"};
    sac_model_open_options options = {.scene = seed, .weights = weights, .weight_count = 1};
    sac_trace trace = {0};
    sac_error error = {0};
    if (sac_model_open(&options, &trace, &error) != SAC_OK)
        fail_msg("%s %s", error.where, error.what);
    return trace;
}

static void check_word(caption_view *v, viz_canvas *canvas, uint64_t scene, int word)
{
    const sac_caption *caption = &v->side[0].caption;
    caption_go(v, word);
    viz_clear(canvas);
    caption_draw(&v->base, canvas, (viz_rect){0, 0, viz_width(canvas), viz_height(canvas)});
    seen_map seen = {canvas, v->layout.side[0].picture,
                     caption->weights + word * caption->grid_w * caption->grid_h, caption->grid_w,
                     caption->grid_h};
    viz_scale scale = caption_scale(v);
    double off = peak_difference(&seen, viz_heat_colors(v->style.map), &scale);
    double gain = lightness_gain(&seen);
    if (!(off < 15) || !(gain >= 25))
        fail_msg("scene %d, \"%s\", %s: %.1f from the bar, %.1f lighter", (int)scene,
                 caption->words[word].text, viz_colormap_name(v->style.map), off, gain);
}

static void the_heat_of_a_word_is_read_at_a_glance(void **state)
{
    (void)state;
    viz_canvas canvas;
    assert_int_equal(viz_text_open(NULL), SAC_OK);
    for (uint64_t scene = FIRST_SCENE; scene <= LAST_SCENE; scene++) {
        sac_trace trace = open_scene(scene);
        viz_view *view;
        assert_int_equal(viz_caption_view_create(&trace, &view, NULL), SAC_OK);
        caption_view *v = caption_of(view);
        v->style.map = (viz_colormap)(scene % 3);
        assert_int_equal(viz_canvas_create(1280, 800, 1,
                                           scene % 2 ? &viz_theme_light : &viz_theme_dark, &canvas,
                                           NULL),
                         SAC_OK);
        assert_int_equal(viz_view_settle(view, NULL), SAC_OK);
        assert_true(v->side[0].caption.count > 2);
        for (int word = 0; word < v->side[0].caption.count; word++)
            check_word(v, &canvas, scene, word);
        viz_canvas_free(&canvas);
        viz_view_destroy(view);
        sac_trace_destroy(&trace);
    }
    viz_text_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heat_of_a_word_is_read_at_a_glance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
