/* What the shipped captioner says of scenes, as a person sees it in the caption view: the heat has
 * the colour of its bar, and is lighter than the picture; while it glides, little is sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "canvas/text.h"
#include "caption/caption_state.h"
#include "seen_heat.h"
#include "table/models.h"
#include "window/changes.h"

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

/* A display that remembers what it shows, and how much it was sent. */
typedef struct remote {
    viz_canvas canvas;
    uint32_t *pixels;
    SDL_Rect *changed;
    size_t most; /* bytes of a frame */
} remote;

static void show_frame(remote *r, viz_view *view)
{
    size_t bytes = 0;
    viz_clear(&r->canvas);
    view->class->draw(view, &r->canvas, (viz_rect){0, 44, 1280, 756});
    int count =
        viz_changes_copy(&r->canvas, r->pixels, 1280 * sizeof *r->pixels, false, r->changed);
    for (int i = 0; i < count; i++)
        bytes += 4 * (size_t)r->changed[i].w * (size_t)r->changed[i].h;
    r->most = bytes > r->most ? bytes : r->most;
}

/* 1.2 MB are a tenth of a second where a link carries 12 MB/s: the heat glides by ten frames a
 * second even there. */
static void a_frame_of_gliding_heat_is_at_most_1_2_megabytes(void **state)
{
    (void)state;
    enum { FRAMES = 240, LIMIT = 1200000 };
    remote r = {0};
    viz_view *view;
    sac_trace trace = open_scene(FIRST_SCENE);
    assert_int_equal(viz_text_open(NULL), SAC_OK);
    assert_int_equal(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &r.canvas, NULL), SAC_OK);
    r.pixels = calloc(1280 * 800, sizeof *r.pixels);
    r.changed = malloc(viz_changes_most(&r.canvas) * sizeof *r.changed);
    assert_int_equal(viz_caption_view_create(&trace, &view, NULL), SAC_OK);
    assert_int_equal(viz_view_settle(view, NULL), SAC_OK);
    for (int frame = 0; frame < FRAMES; frame++) { /* five words, with their rests */
        view->class->tick(view, frame / 60.0);
        show_frame(&r, view);
        r.most = frame < 2 ? 0 : r.most; /* the first frame of all is the whole window */
    }
    print_message("most bytes of a frame: %zu\n", r.most);
    assert_true(r.most > 0 && r.most <= LIMIT);
    viz_view_destroy(view);
    viz_canvas_free(&r.canvas);
    sac_trace_destroy(&trace);
    free(r.pixels);
    free(r.changed);
    viz_text_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heat_of_a_word_is_read_at_a_glance),
        cmocka_unit_test(a_frame_of_gliding_heat_is_at_most_1_2_megabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
