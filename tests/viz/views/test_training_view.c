/* viz/view: a training watched: what it shows at any size and moment, how it follows the training,
 * and what a person can do to it. */

#include "canvas/text.h"
#include "fake_training.h"
#include "rects.h"
#include "shell/shell.h"
#include "status.h"
#include "test.h"
#include "training/training_state.h"
#include "view/settings.h"

#define LONGEST 14 /* words, of what the source says */

typedef struct scene {
    fake_training fake;
    viz_shell shell;
    training_view *v;
    viz_canvas canvas;
} scene;

static int begin(void **state)
{
    scene *s = calloc(1, sizeof *s);
    OK(viz_text_open(&failure));
    fake_training_open(&s->fake);
    viz_view *view;
    assert_int_equal(viz_training_view_create(&s->fake.source, NULL, &view, &failure), SAC_OK);
    assert_int_equal(viz_shell_add(&s->shell, view, &failure), SAC_OK);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &s->canvas, &failure));
    s->v = (training_view *)view;
    *state = s;
    return 0;
}

static int end(void **state)
{
    scene *s = *state;
    viz_shell_free(&s->shell);
    viz_canvas_free(&s->canvas);
    free(s);
    return 0;
}

static void draw(scene *s)
{
    viz_shell_draw(&s->shell, &s->canvas);
}

/* A look, if the view wants one; true where it did. */
static bool look(scene *s)
{
    viz_view *view = s->shell.tabs[0].view;
    viz_job *job = view->class->want(view);
    if (!job)
        return false;
    sac_status status = view->class->work(view, job, &failure);
    view->class->take(view, job, status == SAC_OK ? NULL : &failure);
    return true;
}

static bool press_key(scene *s, int key)
{
    const viz_event event = {.kind = VIZ_KEY, .key = key};
    return viz_shell_event(&s->shell, &event);
}

static int pixels_of(const viz_canvas *canvas, viz_rect r, viz_color color)
{
    viz_pixels p = viz_to_pixels(canvas, r);
    int count = 0;
    for (int y = p.y0; y < p.y1; y++)
        for (int x = p.x0; x < p.x1; x++)
            count += memcmp(canvas->rgba + 4 * (y * canvas->width + x), &color, 3) == 0;
    return count;
}

/* ---------------------------------------------------------------- layout */

static void add_plot(rect_list *list, const training_plot *plot, int number)
{
    add(list, "title", number, plot->title);
    add(list, "numbers", number, plot->numbers);
    add(list, "plot", number, plot->plot);
}

static void collect(const training_view *v, rect_list *list)
{
    const training_layout *l = &v->layout;
    list->count = 0;
    for (int i = 0; i < v->state.pictures; i++) {
        const training_words *w = &v->words[i];
        add(list, "picture", i, l->picture[i]);
        for (int k = 0; k < SAC_MAX_TOKENS; k++) {
            add(list, "said", k, w->generated[k]);
            if (!v->picture[i].right)
                add(list, "truth", k, w->truth[k]);
        }
        if (v->picture[i].right)
            add(list, "verdict", i, w->verdict);
        add(list, "dots", i, w->dots);
    }
    add_plot(list, &l->loss, 0);
    add_plot(list, &l->exact, 1);
    add(list, "steps", 0, l->steps[0]);
    add(list, "steps", 1, l->steps[1]);
    add(list, "bar", 0, l->bar);
    add(list, "rule", 0, l->rule);
    add(list, "track", 0, l->track);
    for (int i = 0; i < FIGURE_COUNT; i++)
        add(list, "figure", i, l->figure[i]);
    for (int i = 0; i < l->caps.count; i++)
        add(list, "cap", i, l->caps.items[i]);
}

static void check_rects(scene *s)
{
    static rect_list list;
    float w = viz_width(&s->canvas), h = viz_height(&s->canvas);
    collect(s->v, &list);
    for (int i = 0; i < list.count; i++) {
        viz_rect r = list.items[i].rect;
        if (r.x < -0.01f || r.y < VIZ_TABS_HEIGHT - 0.01f || r.x + r.w > w + 0.01f ||
            r.y + r.h > h + 0.01f)
            fail_msg("%s leaves %g×%g", list.items[i].name, (double)w, (double)h);
        for (int k = 0; k < i; k++)
            if (overlap(r, list.items[k].rect))
                fail_msg("%s overlaps %s at %g×%g", list.items[i].name, list.items[k].name,
                         (double)w, (double)h);
    }
}

static void resize(scene *s, int width, int height)
{
    OK(viz_canvas_resize(&s->canvas, width, height, NULL));
    draw(s);
}

#define IN_VIEW(name) TEST_ON(scene, s, name, begin, end)

IN_VIEW(nothing_overlaps_at_any_size)
{
    static const int heights[] = {200, 300, 420, 500, 620, 800, 1080, 1400};
    look(s);
    for (int width = 160; width <= 2000; width += 115)
        for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
            resize(s, width, heights[i]);
            check_rects(s);
        }
}

IN_VIEW(nothing_overlaps_whatever_is_said)
{
    static const char *const generated[] = {
        "", "a", "a a a a a a a a a a a a a a a a a a a a a a a a",
        "triangle triangle triangle triangle triangle triangle triangle triangle triangle triangle "
        "triangle triangle triangle triangle triangle triangle triangle triangle triangle triangle "
        "triangle triangle triangle triangle"};
    static const int sizes[][2] = {{800, 500}, {1280, 800}, {640, 900}};
    for (size_t n = 0; n < sizeof generated / sizeof *generated; n++) {
        for (int i = 0; i < 6; i++)
            s->fake.generated[i] = generated[n];
        s->fake.step++;
        training_tick(s->shell.tabs[0].view, (double)n);
        assert_true(look(s));
        for (int i = 0; i < 3; i++) {
            resize(s, sizes[i][0], sizes[i][1]);
            check_rects(s);
        }
    }
    resize(s, 1280, 800);
    assert_true(s->v->words[0].cut && s->v->words[0].dots.w > 0);
    assert_true(s->v->words[0].truth[0].w > 0); /* what is cut leaves the truth its room */
}

IN_VIEW(the_smallest_window_has_everything_but_the_colours)
{
    look(s);
    resize(s, 800, 526); /* in a lower one three pictures are shown, and larger */
    for (int i = 0; i < 6; i++)
        assert_true(s->v->layout.picture[i].w >= 100);
    assert_true(s->v->layout.loss.plot.h >= 80 && s->v->layout.exact.plot.h >= 80);
    for (int i = 0; i < FIGURE_COUNT; i++)
        assert_true(s->v->layout.figure[i].w > 0);
    assert_true(s->v->layout.track.w >= 100);
    assert_true(s->v->layout.caps.items[0].w > 0);
}

IN_VIEW(edges_line_up)
{
    look(s);
    draw(s);
    const training_layout *l = &s->v->layout;
    assert_float_equal(l->picture[0].x, VIZ_MARGIN, 0.01);
    assert_float_equal(l->picture[0].x, l->picture[3].x, 0.01);
    assert_float_equal(l->picture[0].y, l->picture[2].y, 0.01);
    assert_float_equal(l->picture[0].w, l->words[0].w, 0.5);
    assert_float_equal(l->loss.plot.x, l->exact.plot.x, 0.01);
    assert_float_equal(l->loss.title.x + l->loss.title.w, 1280 - VIZ_MARGIN, 0.5);
    assert_float_equal(l->bar.x + l->bar.w, 1280 - VIZ_MARGIN, 0.5);
}

IN_VIEW(nothing_moves_while_the_training_goes_on)
{
    look(s);
    draw(s);
    training_layout before = s->v->layout;
    s->fake.step = 5990;
    s->fake.generated[1] = "a a a a a a a a a a";
    training_tick(s->shell.tabs[0].view, 1);
    look(s);
    draw(s);
    assert_memory_equal(before.picture, s->v->layout.picture, sizeof before.picture);
    assert_memory_equal(&before.loss, &s->v->layout.loss, sizeof before.loss);
    assert_memory_equal(before.figure, s->v->layout.figure, sizeof before.figure);
}

/* ---------------------------------------------------------------- words */

IN_VIEW(wrong_words_are_those_that_the_truth_does_not_share)
{
    static const struct {
        const char *generated, *truth, *wrong, *missed; /* x: is so */
        bool right;
    } all[] = {
        {"a red star", "a red star", "...", "...", true},
        {"a red star", "a blue star", ".x.", ".x.", false},
        {"a large red star", "a red star", ".x..", "...", false},
        {"a star", "a small red star", "..", ".xx.", false},
        {"a red star and a red star", "a red star", "...xxxx", "...", false},
        {"", "a star", "", "xx", false},
    };
    fake_training fake = {.sigma = 1};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        training_picture p = {0};
        sac_caption caption;
        fake_generate_tokens(&fake, all[n].generated, 0, &caption);
        training_judge(&p, all[n].truth, &caption);
        assert_int_equal(p.right, all[n].right);
        for (int i = 0; i < caption.count; i++)
            assert_int_equal(p.wrong[i], all[n].wrong[i] == 'x');
        assert_int_equal(p.truth_count, (int)strlen(all[n].missed));
        for (int i = 0; i < p.truth_count; i++)
            assert_int_equal(p.missed[i], all[n].missed[i] == 'x');
        sac_caption_free(&caption);
    }
}

IN_VIEW(a_caption_without_an_end_is_not_right)
{
    fake_training fake = {.sigma = 1};
    training_picture p = {0};
    sac_caption caption;
    fake_generate_tokens(&fake, "a red star", 0, &caption);
    caption.finished = false;
    training_judge(&p, "a red star", &caption);
    assert_false(p.right);
    sac_caption_free(&caption);
}

/* ---------------------------------------------------------------- a model that reads */

IN_VIEW(a_model_that_reads_shows_its_words_over_those_of_its_source)
{
    static const int sizes[][2] = {{640, 400}, {1280, 800}, {800, 1200}};
    s->fake.reads = true;
    look(s);
    for (int i = 0; i < 3; i++) {
        resize(s, sizes[i][0], sizes[i][1]);
        check_rects(s);
    }
    resize(s, 1280, 800);
    for (int i = 0; i < 6; i++) {
        const sac_caption *c = &s->v->state.picture[i].caption;
        viz_scale scale = viz_scale_for(VIZ_ROOT, 1);
        viz_color most = viz_colormap_color(s->v->style.map, viz_scale_at(&scale, 0.6f));
        assert_null(s->v->state.picture[i].image.rgba);
        assert_true(c->count > 0 &&
                    pixels_of(&s->canvas, s->v->layout.picture[i], most) > c->count);
    }
    /* The legend is that of these maps. */
    viz_color middle = viz_colormap_color(s->v->style.map, 0.5f);
    assert_true(pixels_of(&s->canvas, s->v->layout.bar, middle) > 0);
}

/* ---------------------------------------------------------------- following the training */

IN_VIEW(before_the_first_step_the_pictures_are_there_and_say_so)
{
    s->fake.step = s->fake.points = 0;
    for (int i = 0; i < 6; i++)
        s->fake.generated[i] = NULL;
    assert_true(look(s));
    draw(s);
    assert_int_equal(s->v->state.pictures, 6);
    assert_int_equal(training_longest(s->v), 0);
    viz_rect note = {VIZ_MARGIN, VIZ_TABS_HEIGHT + 12, 200, 44};
    assert_true(pixels_of(&s->canvas, note, viz_theme_dark.panel) > 1000);
    assert_int_equal(pixels_of(&s->canvas, s->v->layout.loss.plot, viz_theme_dark.accent), 0);
}

IN_VIEW(before_the_first_look_the_view_is_empty)
{
    draw(s);
    assert_int_equal(s->v->state.pictures, 0);
    check_rects(s);
}

IN_VIEW(a_still_looks_once)
{
    assert_true(look(s));
    assert_false(look(s));
    assert_int_equal(s->v->player.step, LONGEST - 1); /* all was said */
}

IN_VIEW(a_window_looks_again_until_the_training_has_ended)
{
    viz_view *view = s->shell.tabs[0].view;
    training_tick(view, 10);
    assert_true(look(s));
    assert_false(look(s));
    training_tick(view, 10.1);
    assert_false(look(s));
    training_tick(view, 10.3);
    s->fake.step = 1300;
    assert_true(look(s));
    assert_int_equal(s->v->state.step, 1300);
    s->fake.step = 1400;
    s->fake.has_ended = true;
    training_tick(view, 10.6);
    assert_true(look(s)); /* the last one, with what came after the one before */
    assert_int_equal(s->v->state.step, 1400);
    training_tick(view, 20);
    assert_false(look(s));
    char status[256];
    view->class->status(view, status, sizeof status);
    assert_string_equal(status, "the training was stopped  ·  no device");
}

IN_VIEW(a_look_that_fails_is_told_and_the_state_stays)
{
    training_tick(s->shell.tabs[0].view, 0);
    look(s);
    s->fake.fails = true;
    training_tick(s->shell.tabs[0].view, 1);
    assert_true(look(s));
    assert_non_null(strstr(s->v->request.problem, "out of memory to show it"));
    assert_int_equal(s->v->state.step, 1200);
    s->fake.fails = false;
    training_tick(s->shell.tabs[0].view, 2);
    assert_true(look(s));
    assert_string_equal(s->v->request.problem, "");
}

IN_VIEW(the_heat_travels_to_what_is_said_anew)
{
    viz_view *view = s->shell.tabs[0].view;
    training_tick(view, 0);
    look(s);
    float before[FAKE_GRID * FAKE_GRID];
    const viz_glide *g = &s->v->picture[0].glide;
    memcpy(before, g->now, sizeof before);
    s->fake.step++;
    s->fake.sigma = 1; /* sharper */
    training_tick(view, 0.3);
    look(s);
    assert_memory_equal(before, g->now, sizeof before);
    assert_true(training_tick(view, 0.45));
    assert_memory_not_equal(before, g->now, sizeof before);
    assert_memory_not_equal(g->to, g->now, sizeof before);
    training_tick(view, 0.61);
    assert_memory_equal(g->to, g->now, sizeof before);
    assert_memory_equal(g->to, s->v->state.picture[0].caption.weights, sizeof before);
}

IN_VIEW(the_loss_curve_grows_to_the_right)
{
    int before = 0;
    static const size_t steps[] = {1000, 3600, 6000};
    training_tick(s->shell.tabs[0].view, 0);
    for (int i = 0; i < 3; i++) {
        s->fake.step = steps[i];
        s->fake.points = steps[i] / 12 + 1;
        training_tick(s->shell.tabs[0].view, 1 + i);
        look(s);
        draw(s);
        viz_rect plot = s->v->layout.loss.plot;
        float reach = (float)steps[i] / (steps[i] == 1000 ? 2000.0f : 6000.0f);
        viz_rect dot = {plot.x + reach * plot.w - 5, plot.y, 10, plot.h};
        assert_true(pixels_of(&s->canvas, dot, viz_theme_dark.accent) > 10);
        viz_rect beyond = {dot.x + 12, plot.y, plot.x + plot.w - dot.x - 12, plot.h};
        assert_int_equal(pixels_of(&s->canvas, beyond, viz_theme_dark.text), 0);
        int line = pixels_of(&s->canvas, plot, viz_theme_dark.text);
        assert_true(line > 20 && (int)dot.x > before);
        before = (int)dot.x;
    }
}

IN_VIEW(a_curve_of_anything_is_drawn)
{
    static const float strange[][3] = {{1, 1, 1},     {NAN, NAN, NAN},
                                       {0, -1, 2},    {INFINITY, 1, 1e-9f},
                                       {1e30f, 1, 1}, {0.5f, NAN, 5}};
    look(s);
    for (size_t n = 0; n < sizeof strange / sizeof *strange; n++) {
        memcpy(s->v->state.loss, strange[n], sizeof strange[n]);
        memcpy(s->v->state.exact, strange[n], sizeof strange[n]);
        s->v->state.points = 3;
        draw(s);
        check_rects(s);
    }
}

/* ---------------------------------------------------------------- time and events */

IN_VIEW(all_captions_go_on_in_step_and_begin_again)
{
    viz_view *view = s->shell.tabs[0].view;
    training_tick(view, 0);
    look(s);
    int seen = 0;
    for (double t = 0; t < LONGEST * TRAINING_WORD_SECONDS - 0.01; t += 0.01) {
        training_tick(view, t);
        assert_in_range(s->v->player.step, seen, seen + 1);
        seen = s->v->player.step;
        assert_int_equal(training_word_of(s->v, 1), seen < 4 ? seen : 3);
    }
    assert_int_equal(seen, LONGEST - 1);
    training_tick(view, LONGEST * TRAINING_WORD_SECONDS + TRAINING_REST_SECONDS - 0.05);
    assert_int_equal(s->v->player.step, LONGEST - 1);
    training_tick(view, LONGEST * TRAINING_WORD_SECONDS + TRAINING_REST_SECONDS + 0.02);
    assert_int_equal(s->v->player.step, 0);
}

IN_VIEW(space_holds_the_words_and_not_the_training)
{
    viz_view *view = s->shell.tabs[0].view;
    training_tick(view, 0);
    look(s);
    assert_true(press_key(s, ' '));
    training_tick(view, 5);
    assert_int_equal(s->v->player.step, 0);
    s->fake.step = 1500;
    assert_true(look(s));
    assert_int_equal(s->v->state.step, 1500);
    assert_true(press_key(s, ' '));
    training_tick(view, 5.5);
    assert_int_equal(s->v->player.step, 0);
    training_tick(view, 5.71);
    assert_int_equal(s->v->player.step, 1);
}

IN_VIEW(arrows_step_through_the_words)
{
    training_tick(s->shell.tabs[0].view, 0);
    look(s);
    assert_true(press_key(s, VIZ_KEY_RIGHT));
    assert_int_equal(s->v->player.step, 1);
    assert_false(s->v->player.playing);
    assert_true(press_key(s, VIZ_KEY_END));
    assert_int_equal(s->v->player.step, LONGEST - 1);
    assert_false(press_key(s, VIZ_KEY_RIGHT));
    assert_true(press_key(s, VIZ_KEY_HOME));
    assert_int_equal(s->v->player.step, 0);
    assert_false(press_key(s, VIZ_KEY_LEFT));
}

IN_VIEW(a_word_that_is_pressed_is_held)
{
    training_tick(s->shell.tabs[0].view, 0);
    look(s);
    draw(s);
    viz_rect r = s->v->words[0].generated[3];
    viz_event event = {.kind = VIZ_PRESS, .x = r.x + 2, .y = r.y + 5, .button = 1};
    assert_true(viz_shell_event(&s->shell, &event));
    assert_int_equal(s->v->player.step, 3);
    assert_false(s->v->player.playing);
    r = s->v->layout.caps.items[0];
    event.x = r.x + 2;
    event.y = r.y + 5;
    assert_true(viz_shell_event(&s->shell, &event));
    assert_true(s->v->player.playing);
}

IN_VIEW(keys_that_close_the_window_are_left_to_it)
{
    look(s);
    assert_false(press_key(s, 'q'));
    assert_false(press_key(s, VIZ_KEY_ESCAPE));
}

IN_VIEW(the_pointer_at_a_curve_is_told_its_step)
{
    look(s);
    draw(s);
    viz_rect plot = s->v->layout.loss.plot;
    viz_event event = {.kind = VIZ_MOVE, .x = plot.x + 50, .y = plot.y + 20};
    assert_true(viz_shell_event(&s->shell, &event));
    draw(s);
    viz_rect column = {plot.x + 40, plot.y, 20, plot.h};
    assert_true(pixels_of(&s->canvas, column, viz_theme_dark.faint) > plot.h / 2);
    event.kind = VIZ_LEAVE;
    assert_true(viz_shell_event(&s->shell, &event));
    draw(s);
    assert_true(pixels_of(&s->canvas, column, viz_theme_dark.faint) < plot.h / 2);
}

/* ---------------------------------------------------------------- pictures of it */

static void put(void *user, const char *key, const char *value)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 2048 - used, "%s=%s\n", key, value);
}

IN_VIEW(what_it_says_of_itself_can_be_restored)
{
    viz_view *view = s->shell.tabs[0].view;
    char text[2048] = "", again[2048] = "";
    viz_view_restore(view, "word", "2");
    viz_view_restore(view, "map", "viridis");
    viz_view_restore(view, "overlay", "contour");
    viz_view_restore(view, "opacity", "0.5");
    viz_view_restore(view, "cells drawn", "blocky");
    viz_view_restore(view, "unheard of", "x");
    look(s);
    assert_int_equal(s->v->player.step, 2);
    viz_view_describe(view, put, text);
    assert_non_null(strstr(text, "view=training\ndevice=no device\n"));
    assert_non_null(strstr(text, "step=1200\nsteps=6000\nloss="));
    assert_non_null(strstr(
        text, "word=2\nplaying=yes\nmap=viridis\noverlay=contour\nbrightness=0.75\nopacity=0.5\n"
              "cells drawn=blocky\n"));
    char copy[2048], *rest = NULL;
    strcpy(copy, text);
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');
        *value = '\0';
        viz_view_restore(view, line, value + 1);
    }
    viz_view_describe(view, put, again);
    assert_string_equal(text, again);
}

IN_VIEW(the_animation_speaks_all_words_once)
{
    viz_view *view = s->shell.tabs[0].view;
    assert_int_equal(view->class->frames(view, 25), 1); /* nothing was seen yet */
    look(s);
    int frames = view->class->frames(view, 25), words = 0;
    assert_int_equal(frames,
                     (int)ceil(25 * (LONGEST * TRAINING_WORD_SECONDS + TRAINING_REST_SECONDS)));
    for (int i = 0, last = -1; i < frames; i++) {
        view->class->frame(view, i, 25);
        words += s->v->player.step != last;
        last = s->v->player.step;
    }
    assert_int_equal(words, LONGEST);
    const viz_glide *g = &s->v->picture[0].glide;
    assert_memory_equal(g->now, g->to, FAKE_GRID * FAKE_GRID * sizeof(float));
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
