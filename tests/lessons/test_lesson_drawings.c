/* The drawings of all lessons, in windows of all sizes: their texts keep off each other, and what is
 * drawn are the lesson's numbers. */
#include "computed.h"
#include "extent.h"
#include "lesson/lesson_state.h"
#include "parts/figures/lines.h"
#include "seen_texts.h"

static void check_at(int width, int height, const viz_theme *theme, const char *language)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    restore(&p, "pages", "all");
    restore(&p, "language", language);
    OK(viz_canvas_create(width, height, 1, theme, &canvas, NULL));
    for (int i = 0; sac_lessons[i]; i++) {
        char where[160];
        if (!computed_as_it_is(sac_lessons[i]->name)->drawing_count)
            continue;
        restore(&p, "lesson", sac_lessons[i]->name);
        OK(viz_view_settle(p.view, NULL));
        for (int shown = 0; shown < 2; shown++) {
            restore(&p, "shown", shown ? "drawing" : "both");
            for (int step = 0; draw_step(&p, &canvas, step); step++) {
                snprintf(where, sizeof where, "%s, step %d, %s at %d × %d", sac_lessons[i]->name,
                         step + 1, language, width, height);
                if (((lesson_view *)p.view)->layout.drawing.room.w > 0)
                    check_places(&canvas, where);
            }
        }
    }
    viz_canvas_free(&canvas);
    close_pages(&p);
}

TEST(texts_of_drawings_keep_off_each_other)
{
    const char *chinese = viz_text_has_fonts("注意力") ? "zh" : "en";
    check_at(1000, 640, &viz_theme_light, chinese);
    if (!test_is_thorough())
        return;
    check_at(640, 400, &viz_theme_dark, "en");
    check_at(1280, 800, &viz_theme_light, "en");
    check_at(800, 1200, &viz_theme_dark, chinese);
}

/* In a figure a drawing stands below the formula, and below the arrays where it leaves them no room beside it. */
TEST(a_drawing_of_a_figure_lies_over_no_text)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    restore(&p, "pages", "all");
    const lesson_layout *l = &((lesson_view *)p.view)->layout;
    ((lesson_view *)p.view)->base.figure = true;
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    static const char *const lessons[] = {"multi-head", "path-length", "image-as-set"};
    for (size_t i = 0; i < sizeof lessons / sizeof *lessons; i++) {
        restore(&p, "lesson", lessons[i]);
        OK(viz_view_settle(p.view, NULL));
        for (int step = 0; draw_step(&p, &canvas, step); step++) {
            if (l->drawing.room.w <= 0 || l->drawing.alone)
                continue;
            assert_true(l->drawing.room.y > l->formula_y);
            assert_true(!l->drawing.below || l->drawing.room.y >= l->room.y + l->room.h);
        }
    }
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* A low window has no room for both: it begins with the drawing where most of the numbers would be cut. */
TEST(a_small_window_begins_with_what_can_be_seen)
{
    static const struct {
        int width, height, step;
        bool alone;
    } cases[] = {{640, 400, 0, true}, {640, 400, 1, false}, {1280, 800, 0, false}};
    pages p = {0};
    open_pages(&p);
    restore(&p, "pages", "all");
    restore(&p, "lesson", "alignment");
    OK(viz_view_settle(p.view, NULL));
    for (int i = 0; i < 3; i++) {
        viz_canvas canvas;
        const lesson_layout *l = &((lesson_view *)p.view)->layout;
        OK(viz_canvas_create(cases[i].width, cases[i].height, 1, &viz_theme_dark, &canvas, NULL));
        assert_true(draw_step(&p, &canvas, cases[i].step));
        assert_true(l->drawing.alone == cases[i].alone);
        assert_true(cases[i].alone || l->block_count == 1);
        viz_canvas_free(&canvas);
    }
    close_pages(&p);
}

/* A picture is narrow enough for a low window, beside the numbers. */
TEST(a_picture_stands_beside_numbers_in_a_low_window)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    restore(&p, "pages", "all");
    restore(&p, "lesson", "saccade");
    OK(viz_view_settle(p.view, NULL));
    OK(viz_canvas_create(640, 400, 1, &viz_theme_dark, &canvas, NULL));
    const lesson_layout *l = &((lesson_view *)p.view)->layout;
    assert_true(draw_step(&p, &canvas, 3));
    assert_true(l->drawing.room.w > 0 && l->block_count == 2);
    assert_true(l->blocks[1].rect.x + l->blocks[1].rect.w < l->drawing.room.x);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* A decoder that is given the last state alone does not attend, and its bands do not show it as attending. */
TEST(bands_show_who_attends)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    restore(&p, "pages", "all");
    restore(&p, "lesson", "seq2seq");
    OK(viz_view_settle(p.view, NULL));
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    for (int step = 0; step < 3; step += 2) {
        int attend = 0;
        assert_true(draw_step(&p, &canvas, step));
        for (int i = 0; i < seen_count; i++)
            attend += strstr(seen[i].text, "attends to") != NULL;
        assert_true((attend > 0) == (step == 2));
    }
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* Every mark has as many numbers as it needs, and what a handle sets can be set. */
TEST(drawings_read_what_their_lessons_have)
{
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *l = computed_as_it_is(sac_lessons[i]->name);
        for (int k = 0; k < l->drawing_count; k++) {
            const sac_lesson_drawing *d = &l->drawings[k];
            for (int m = 0; m < d->mark_count; m++) {
                const sac_drawing_mark *mark = &d->marks[m];
                assert_true(mark->panel < d->panel_count && (mark->x || mark->y));
                if (mark->sets.array)
                    assert_true(l->graph.arrays[mark->sets.array - 1].settable);
                size_t y = mark->y ? sac_small_count(l->graph.arrays[mark->y - 1].shape) : 0;
                size_t x = mark->x ? sac_small_count(l->graph.arrays[mark->x - 1].shape) : 0;
                if (mark->x && mark->y && y % x != 0)
                    fail_msg("%s: mark %d has %zu x and %zu y", sac_lessons[i]->name, m, x, y);
            }
            for (int h = 0; h < d->handle_count; h++) {
                const sac_drawing_handle *handle = &d->handles[h];
                const sac_drawing_target *targets[] = {&handle->sets_x, &handle->sets_y};
                assert_ptr_not_equal(handle->does, sac_translate(SAC_IN_CHINESE, handle->does));
                for (int t = 0; t < 2; t++) {
                    if (targets[t]->parameter)
                        sac_lesson_value(l, targets[t]->parameter);
                    if (targets[t]->number.array)
                        assert_true(l->graph.arrays[targets[t]->number.array - 1].settable);
                }
            }
        }
    }
}

/* Both show the same marks in the same places, and light the same parts. */
static bool draws_the_same(const sac_lesson *l, int one, int other)
{
    const sac_lesson_step *steps[] = {&l->steps[one], &l->steps[other]};
    const int at[] = {one, other};
    const sac_drawing_mark *shown[2][SAC_DRAWING_MARKS];
    int count[2] = {0}, kind[2];
    for (int i = 0; i < 2; i++) {
        const sac_lesson_drawing *d = &l->drawings[steps[i]->drawing - 1];
        kind[i] = d->kind;
        for (int m = 0; m < d->mark_count; m++) {
            const sac_drawing_mark *mark = &d->marks[m];
            if (at[i] >= mark->since && (!mark->before || at[i] < mark->before) &&
                at[i] >= d->panels[mark->panel].since)
                shown[i][count[i]++] = mark;
        }
    }
    bool same = kind[0] == kind[1] && count[0] == count[1] && steps[0]->block == steps[1]->block;
    for (int m = 0; m < count[0] && same; m++) {
        const sac_drawing_mark *a = shown[0][m], *b = shown[1][m];
        same = a->kind == b->kind && a->panel == b->panel && a->x == b->x && a->y == b->y &&
               a->weights == b->weights;
    }
    return same;
}

/* A drawing shows its step: what was there before shows the step before. */
TEST(a_drawing_differs_from_that_of_the_step_before)
{
    int missing = 0;
    for (int i = 0; sac_lessons[i]; i++) {
        const sac_lesson *l = computed_as_it_is(sac_lessons[i]->name);
        for (int s = 1; s < l->step_count; s++)
            if (l->steps[s].drawing && l->steps[s - 1].drawing && draws_the_same(l, s, s - 1)) {
                print_error("%s: step %d draws what step %d does\n", l->class->name, s + 1, s);
                missing++;
            }
    }
    assert_int_equal(missing, 0);
}

TEST(an_estimate_lies_on_the_curve_of_estimates)
{
    const sac_lesson *l = computed((asked){"kernel-regression", "query=2 w=3", -1});
    const float *at = numbers_of(l, "curve.query", 161), *curve = numbers_of(l, "curve", 161);
    const float estimate = *numbers_of(l, "estimate", 1);
    assert_true(fabsf(at[80] - 2) < 1e-6f && fabsf(curve[80] - estimate) < 1e-5f);
    assert_true(fabsf(*numbers_of(l, "edge.nearness", 1) - expf(-0.5f)) < 1e-5f);
}

/* At whole positions the sum of the waves is the dot product with position 0. */
TEST(waves_of_positions_add_up_to_the_dot_product)
{
    const sac_lesson *l = computed((asked){"positions", "length=13 p=6", -1});
    const float *sum = numbers_of(l, "waves.sum", 241), *dot = numbers_of(l, "dot_by_distance", 13);
    for (int p = 0; p < 13; p++)
        assert_true(fabsf(sum[20 * p] - dot[p]) < 1e-4f);
    assert_true(*numbers_of(l, "dot[p]", 1) == dot[6]);
    /* It rises again where the fastest wave is back, at 2π. */
    assert_true(dot[6] > dot[3] && dot[6] < dot[0]);
}

TEST(shares_over_the_temperature_meet_those_of_the_lesson)
{
    const sac_lesson *l = computed((asked){"step-by-step", "temperature=1", -1});
    const float *curves = numbers_of(l, "shares.over", 3 * 81),
                *shares = numbers_of(l, "weights", 9) + 3; /* the row before the last */
    for (int k = 0; k < 3; k++)
        assert_true(fabsf(curves[81 * k + 40] - shares[k]) < 1e-5f);
}

/* Of each normalizer; and the slope of the moved key is 0 where it has no weight. */
TEST(curves_of_normalizers_meet_their_weights)
{
    enum { KEYS = 5, TEMPERATURES = 81, SWEPT = 161 };
    static const char *const names[] = {"softmax", "entmax15", "sparsemax"};
    const sac_lesson *l = computed_as_it_is("sharper-than-softmax");
    for (int n = 0; n < 3; n++) {
        char name[32];
        const float *weights = numbers_of(l, names[n], KEYS);
        snprintf(name, sizeof name, "%s.over", names[n]);
        const float *curves = numbers_of(l, name, KEYS * TEMPERATURES);
        for (int k = 0; k < KEYS; k++)
            assert_true(fabsf(curves[TEMPERATURES * k + 40] - weights[k]) < 1e-5f);
        snprintf(name, sizeof name, "swept.%s.weight", names[n]);
        const float *weight = numbers_of(l, name, SWEPT);
        snprintf(name, sizeof name, "swept.%s.rate", names[n]);
        const float *rate = numbers_of(l, name, SWEPT);
        snprintf(name, sizeof name, "slopes.%s", names[n]);
        assert_true(fabsf(weight[64] - weights[0]) < 1e-5f); /* −1.5 + 64 · 0.025 = 0.1 */
        assert_true(fabsf(rate[64] - *numbers_of(l, name, KEYS * KEYS)) < 1e-5f);
        for (int i = 0; i < SWEPT; i++)
            assert_true((rate[i] != 0) == (weight[i] != 0 && weight[i] < 1));
    }
}

/* Divided by √d the scores of all sizes spread alike, and so they do not as they come. */
TEST(scores_spread_with_their_size_and_alike_when_divided)
{
    const sac_lesson *l = computed_as_it_is("why-scale");
    const float *small = numbers_of(l, "spread.0", 241), *large = numbers_of(l, "spread.2", 241);
    const float *a = numbers_of(l, "spread.scaled.0", 121),
                *b = numbers_of(l, "spread.scaled.2", 121);
    float apart = 0;
    assert_true(small[150] < 0.01f &&
                large[150] > 0.5f); /* at 30: ten deviations √(2d), or less than one */
    for (int i = 0; i < 121; i++)
        apart = fmaxf(apart, fabsf(a[i] - b[i]));
    assert_true(apart < 0.3f);
    const float *gradient = numbers_of(l, "sizes.gradient", 6),
                *scaled = numbers_of(l, "sizes.scaled_gradient", 6);
    for (int i = 1; i < 6; i++)
        assert_true(gradient[i] < gradient[i - 1] && fabsf(scaled[i] - scaled[0]) < 0.01f);
}

/* A curtain over a sentence's padding covers what its mask blocks. */
TEST(curtains_cover_what_masks_block)
{
    const sac_lesson *l = computed_as_it_is("masks");
    const float *mask = numbers_of(l, "mask", 50), *first = numbers_of(l, "joined.0", 25),
                *second = numbers_of(l, "joined.1", 25);
    assert_memory_equal(first, mask, 25 * sizeof *mask);
    assert_memory_equal(second, mask + 25, 25 * sizeof *mask);
}

/* Between neighbours that a permutation sets, the same output comes in the same place. */
TEST(rows_that_change_places_take_their_outputs_along)
{
    const sac_lesson *l = computed((asked){"permutation", "P,0,2=0 P,0,0=1 P,1,0=0 P,1,2=1", -1});
    const float *turned = numbers_of(l, "P_output", 40), *plain = numbers_of(l, "output.rows", 40),
                *of_turned = numbers_of(l, "output_of_PX", 40);
    for (int i = 0; i < 10; i++)
        assert_true(turned[i] == plain[i] && fabsf(of_turned[i] - plain[i]) < 1e-6f);
}

/* A picture keeps its pixels at the fixation and loses them away from it. */
TEST(the_eye_sees_sharply_where_it_looks)
{
    enum { HIGH = 96, WIDE = 144 };
    static uint8_t pixels[4 * HIGH * WIDE];
    for (int i = 0; i < HIGH * WIDE; i++)
        memset(pixels + 4 * i, (i / WIDE + i % WIDE) % 2 ? 255 : 0, 4);
    const sac_image image = {.width = WIDE, .height = HIGH, .rgba = pixels};
    sac_lesson *l = calloc(1, sizeof *l);
    sac_lesson_begin(l, sac_lesson_find("saccade"));
    l->sight = &image;
    OK(sac_lesson_set(l, "row=3", &failure));
    OK(sac_lesson_set(l, "column=3", &failure));
    OK(sac_lesson_compute(l, device, &failure));
    const float *sight = numbers_of(l, "sight.seen", 3 * HIGH * WIDE);
    int middle = HIGH / 2 * WIDE + WIDE / 2;
    assert_true(fabsf(sight[middle] - sight[middle + 1]) > 0.8f);
    assert_true(fabsf(sight[0] - sight[1]) < 0.2f);
    release(l);
}

/* A query of large numbers looks at the brightest cell of a person's photograph, over which it is drawn;
 * a photograph that comes along, whose numbers are nowhere, is not. */
TEST(a_photograph_of_ones_own_is_asked_by_the_queries_of_the_set)
{
    enum { SIDE = 9, CELLS = 27, BRIGHT = 20 };
    static uint8_t pixels[4 * SIDE * SIDE];
    memset(pixels, 40, sizeof pixels);
    memset(pixels + 4 * 3 * BRIGHT, 255, 4 * 3);
    const sac_image image = {.width = SIDE, .height = SIDE, .rgba = pixels};
    for (int own = 0; own < 2; own++) {
        sac_lesson *l = calloc(1, sizeof *l);
        sac_lesson_begin(l, sac_lesson_find("image-as-set"));
        l->sight = &image;
        l->picture = own ? &image : NULL;
        OK(sac_lesson_compute(l, device, &failure));
        const sac_drawing_mark *mark = &l->drawings[l->steps[3].drawing - 1].marks[0];
        const sac_small_array *shown = &l->graph.arrays[mark->y - 1];
        assert_string_equal(shown->name, own ? "sight" : "picture");
        const float *maps = numbers_of(l, "A.maps", 9 * CELLS);
        assert_true((maps[2 * CELLS + BRIGHT] > 0.99f) == own);
        release(l);
    }
}

/* The gaze begins on the star and ends on the circle of the scene below it. */
TEST(a_path_lies_over_what_it_looks_at)
{
    enum { SCENE = 84, WORDS = 15 };
    const sac_lesson *l = computed_as_it_is("saccade");
    const sac_lesson_drawing *d = &l->drawings[l->steps[3].drawing - 1];
    assert_true(d->kind == SAC_DRAWS_PICTURES && d->marks[1].kind == SAC_MARK_LINE);
    const float *scene = numbers_of(l, "scene", 3 * SCENE * SCENE),
                *path = numbers_of(l, "centre", 2 * WORDS);
    float begins[3], ends[3];
    for (int c = 0; c < 3; c++) {
        const float *plane = scene + c * SCENE * SCENE, *last = path + 2 * (WORDS - 1);
        begins[c] = plane[(int)(6 * path[1]) * SCENE + (int)(6 * path[0])];
        ends[c] = plane[(int)(6 * last[1]) * SCENE + (int)(6 * last[0])];
    }
    assert_true(begins[1] > 0.7f && begins[0] < 0.3f && begins[2] < 0.3f);
    assert_true(ends[0] < 0.1f && ends[1] < 0.1f && ends[2] < 0.1f);
}

/* A map for each query: a column of A, as it lies in the picture. */
TEST(a_picture_shows_the_weights_of_each_query)
{
    const sac_lesson *l = computed_as_it_is("image-as-set");
    const float *a = numbers_of(l, "A", 27 * 9), *maps = numbers_of(l, "A.maps", 9 * 27);
    for (int query = 0; query < 9; query++)
        for (int cell = 0; cell < 27; cell++)
            assert_true(maps[27 * query + cell] == a[9 * cell + query]);
}

/* The bands of three heads are those of one sentence, and the trained heads look elsewhere. */
TEST(bands_are_of_the_heads_of_one_sentence)
{
    const sac_lesson *l = computed((asked){"self-attention", "heads=3", -1});
    const float *all = numbers_of(l, "weights", 6 * 16);
    assert_memory_equal(numbers_of(l, "weights.first", 3 * 16), all, 3 * 16 * sizeof *all);
    const float *heads = numbers_of(computed_as_it_is("multi-head"), "trained.weights", 128);
    assert_true(heads[2] > 0.8f && heads[64 + 2] < 0.1f); /* "the" looks at "cat", or does not */
}

/* The curves meet what the lesson has at its own sizes; twice the tokens take four times the memory. */
TEST(curves_of_cost_meet_the_numbers_of_the_lesson)
{
    const sac_lesson *l = computed((asked){"cost", "h=64 tokens=4096", -1});
    const float *parameters = numbers_of(l, "parameters", 5),
                *memory = numbers_of(l, "megabytes", 5);
    const float *learned = numbers_of(l, "parameters.additive", 256);
    const float *many = numbers_of(l, "megabytes.additive", 65);
    assert_true(fabsf(learned[63] / parameters[2] - 1) < 1e-5f);
    assert_true(fabsf(*numbers_of(l, "parameters.bilinear", 256) / parameters[3] - 1) < 1e-5f);
    assert_true(fabsf(many[32] / memory[2] - 1) < 1e-5f && fabsf(many[64] / many[32] - 4) < 1e-4f);
    assert_true(fabsf(numbers_of(l, "megabytes.dot", 65)[32] / memory[0] - 1) < 1e-5f);
}

/* Untrained, all words get about a quarter; trained, the first looks at the next, whose output it is to
 * be. */
TEST(training_gives_the_first_word_somewhere_to_look)
{
    const sac_lesson *l = computed_as_it_is("untrained-averages");
    const float *before = numbers_of(l, "word.weights", 4),
                *after = numbers_of(l, "word.trained", 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(before[i] - 0.25f) < 0.05f);
    assert_true(after[1] > 0.9f);
    const float *steps = numbers_of(l, "losses.steps", 81),
                *loss = numbers_of(l, "losses.curve", 81);
    assert_true(steps[80] == 200 && fabsf(loss[80] - *numbers_of(l, "loss.trained", 1)) < 1e-5f);
}

/* Each head is switched by its square, and one is always shown; the colour of its bands goes. */
TEST(heads_are_switched_off_and_on)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    restore(&p, "lesson", "multi-head");
    OK(viz_view_settle(p.view, NULL));
    draw_step(&p, &canvas, 3);
    const lesson_view *v = (const lesson_view *)p.view;
    const bool *shown = v->heads_shown;
    for (int i = 0; i < 4; i++) {
        static const struct {
            int head;
            bool shift, first, second;
        } presses[] = {{0, false, false, true}, /* off */
                       {1, false, true, true},  /* the last one: all are on */
                       {1, true, false, true},  /* it alone */
                       {0, false, true, true}};
        viz_rect r = viz_lines_head(&v->layout.drawing.lines, presses[i].head);
        assert_true(r.w > 0);
        const viz_event press = {.kind = VIZ_PRESS,
                                 .button = 1,
                                 .shift = presses[i].shift,
                                 .x = r.x + r.w / 2,
                                 .y = r.y + r.h / 2};
        assert_true(viz_shell_event(&p.shell, &press));
        assert_true(shown[0] == presses[i].first && shown[1] == presses[i].second);
    }
    /* A word that is pressed stays in the head that is looked at. */
    viz_rect side = viz_lines_side(&v->layout.drawing.lines, true);
    const viz_event press = {
        .kind = VIZ_PRESS, .button = 1, .x = side.x + side.w - 20, .y = side.y + 5};
    viz_shell_event(&p.shell, &press);
    viz_shell_draw(&p.shell, &canvas);
    assert_true(v->current.cell / 8 == 0);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* A press on a part leads to its step, with the numbers. */
TEST(a_part_of_the_large_diagram_is_entered)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    restore(&p, "lesson", "transformer-block");
    restore(&p, "shown", "drawing");
    OK(viz_view_settle(p.view, NULL));
    draw_step(&p, &canvas, 0);
    const lesson_view *v = (const lesson_view *)p.view;
    viz_rect block = v->layout.block;
    assert_true(v->layout.block_large && block.h > 200 && v->layout.block_count == 0);
    const viz_event press = {
        .kind = VIZ_PRESS, .button = 1, .x = block.x + block.w - 20, .y = block.y + block.h - 20};
    assert_true(viz_shell_event(&p.shell, &press));
    viz_shell_draw(&p.shell, &canvas);
    assert_int_equal(v->step, v->lesson.step_count - 1); /* the next word */
    assert_true(!v->layout.block_large && v->layout.block_count > 0);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* While a lesson plays, weights are drawn anew, and words appear one after the other; at its end the
 * page is as it was. */
TEST(a_drawing_plays_in_an_animation)
{
    enum { FPS = 2, MOST = 200 };
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    const lesson_view *v = (const lesson_view *)p.view;
    static const struct {
        const char *lesson, *step;
        int parameter; /* that goes on; −1: the row of the current cell does */
    } played[] = {{"dropout", "2", 1}, {"seq2seq", "5", -1}, {"caption-step", "3", 0}};
    for (int lesson = 0; lesson < 3; lesson++) {
        const int parameter = played[lesson].parameter;
        bool was[MOST] = {false};
        int different = 0;
        restore(&p, "lesson", played[lesson].lesson);
        OK(viz_view_settle(p.view, NULL));
        restore(&p, "step", played[lesson].step);
        restore(&p, "pages", "one");
        draw_step(&p, &canvas, v->step);
        int frames = p.view->class->frames(p.view, FPS);
        for (int i = 0; i < frames; i++) {
            p.view->class->frame(p.view, i, FPS);
            OK(viz_view_settle(p.view, NULL));
            seen_count = 0;
            viz_shell_draw(&p.shell, &canvas);
            const sac_shown_array *current = lesson_array(v, v->current.array);
            size_t shown = parameter < 0 ? v->current.cell / current->columns
                                         : (size_t)v->lesson.values[parameter];
            different += shown < MOST && !was[shown];
            was[shown] = true;
        }
        assert_true(different >= 8);
        assert_true(lesson_current_beat(v) < 0 && !v->draws.on && !v->wanted.settings[0]);
        restore(&p, "pace", "still");
        assert_int_equal(p.view->class->frames(p.view, FPS), (int)(FPS * LESSON_STEP_SECONDS));
        restore(&p, "pace", "usual");
    }
    viz_canvas_free(&canvas);
    close_pages(&p);
}

static int open_all(void **state)
{
    return open_device(state) || viz_text_open(NULL) != SAC_OK;
}

static int close_all(void **state)
{
    viz_text_close();
    return close_lessons(state);
}

TEST_MAIN(open_all, close_all)
