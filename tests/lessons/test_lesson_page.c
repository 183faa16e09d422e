/* Every step of every lesson on its page: nothing over another, nothing cut; as it is presented to a
 * room also read from the last row. */

#include "lesson/lesson_state.h"
#include "seen_texts.h"

/* Arrays lie between the formula and what stands below them, and beside the drawing. */
static void check_arrays(const lesson_layout *l, const char *where)
{
    for (int i = 0; i < l->block_count; i++) {
        viz_rect r = l->blocks[i].rect;
        if (r.y < l->formula_y || r.y + r.h > l->arithmetic_y - l->arithmetic + 4)
            fail_msg("%s: array %d is from %.0f to %.0f, its room from %.0f to %.0f", where, i,
                     (double)r.y, (double)(r.y + r.h), (double)l->formula_y,
                     (double)(l->arithmetic_y - l->arithmetic));
        for (int k = 0; k < SAC_STEP_DOORS; k++)
            if (overlap(r, l->doors[k]))
                fail_msg("%s: array %d lies over door %d", where, i, k);
        if (l->drawing.room.w > 0 && overlap(r, l->drawing.room))
            fail_msg("%s: array %d lies over the drawing", where, i);
        if (i > 0 && r.y == l->blocks[i - 1].rect.y &&
            l->blocks[i].label_h != l->blocks[i - 1].label_h)
            fail_msg("%s: the rows of array %d begin beside no rows", where, i);
    }
}

static void check_lesson(pages *p, const char *lesson, viz_canvas *canvas, const char *language)
{
    char where[160];
    restore(p, "pages", "all");
    restore(p, "language", language);
    restore(p, "settings", "");
    restore(p, "lesson", lesson);
    OK(viz_view_settle(p->view, NULL));
    for (int step = 0; draw_step(p, canvas, step); step++) {
        snprintf(where, sizeof where, "%s, step %d, %s at %d × %d, %s", lesson, step + 1, language,
                 canvas->width, canvas->height, canvas->theme->name);
        assert_true(seen_count > 0);
        float least = canvas->width >= 1280 ? 22 : 17;
        for (int i = 0; i < seen_count && canvas->theme->presents; i++) {
            if (seen[i].pixels < least)
                fail_msg("%s: “%s” has %.1f pixels", where, seen[i].text, (double)seen[i].pixels);
            if (seen[i].contrast < (seen[i].number ? 6.99f : 4.5f))
                fail_msg("%s: “%s” has a contrast of %.1f", where, seen[i].text,
                         (double)seen[i].contrast);
        }
        check_places(canvas, where);
        check_arrays(&((const lesson_view *)p->view)->layout, where);
    }
}

/* With the lines of PyTorch where `code` is "yes". */
/* Where there are signs for it. */
static const char *chinese(void)
{
    return viz_text_has_fonts("注意力") ? "zh" : "en";
}

static void check_at(int width, int height, const viz_theme *theme, const char *language,
                     const char *code)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    restore(&p, "code", code);
    OK(viz_canvas_create(width, height, viz_presented_density(width, height, 1),
                         viz_theme_presented(theme), &canvas, NULL));
    for (int i = 0; sac_lessons[i]; i++)
        check_lesson(&p, sac_lessons[i]->name, &canvas, language);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* Presenting takes nothing away: numbers and their drawing side by side, where both have room, what can be changed,
 * the way into the quiz, and at a step whose names have no room the ways on. */
static void check_presented_step(const lesson_view *v, const char *where, int *both)
{
    const lesson_layout *l = &v->layout;
    bool draws = lesson_drawing(v) && l->drawing.room.w > 0, names = l->turns.items[1].w > 0;
    *both += draws && l->block_count > 0;
    if (lesson_drawing(v) && !draws && l->drawing.turn.w <= 0)
        fail_msg("%s: no way to the drawing", where);
    if (v->buttons[LESSON_BUTTON_QUIZ].w <= 0)
        fail_msg("%s: no way into the quiz", where);
    if (!names && l->turns.on.w <= 0)
        fail_msg("%s: no way to the next step", where);
    for (int i = 0; i < v->lesson.parameter_count; i++)
        if (!lesson_is_idle(v, i) && l->switches[i].w <= 0 && l->sliders[i].rect.w <= 0)
            fail_msg("%s: %s cannot be changed", where, v->lesson.parameters[i].name);
}

static void check_presented(int width, int height, int least_both)
{
    pages p = {0};
    viz_canvas canvas;
    int both = 0;
    char where[160];
    open_pages(&p);
    restore(&p, "pages", "all");
    OK(viz_canvas_create(width, height, viz_presented_density(width, height, 1),
                         &viz_theme_dark_presented, &canvas, NULL));
    for (int i = 0; sac_lessons[i]; i++) {
        restore(&p, "lesson", sac_lessons[i]->name);
        OK(viz_view_settle(p.view, NULL));
        for (int step = 0; draw_step(&p, &canvas, step); step++) {
            snprintf(where, sizeof where, "%s, step %d at %d × %d", sac_lessons[i]->name, step + 1,
                     width, height);
            check_presented_step((const lesson_view *)p.view, where, &both);
        }
    }
    if (both < least_both)
        fail_msg("%d steps show numbers and drawing at %d × %d", both, width, height);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

TEST(presented_a_lesson_keeps_numbers_drawing_controls_and_quiz)
{
    check_presented(1280, 800, 50);
    check_presented(1920, 1080, 50);
}

TEST(every_step_is_read_from_the_last_row_at_1280)
{
    check_at(1280, 800, &viz_theme_dark, "en", "no");
    check_at(1280, 800, &viz_theme_light, chinese(), "no");
}

TEST(every_step_is_read_from_the_last_row_at_1024)
{
    check_at(1024, 768, &viz_theme_light, "en", "no");
    check_at(1024, 768, &viz_theme_dark, chinese(), "no");
}

TEST(every_step_is_read_from_the_last_row_at_1920)
{
    check_at(1920, 1080, &viz_theme_dark, "en", "no");
    check_at(1920, 1080, &viz_theme_light, chinese(), "no");
}

TEST(lines_of_pytorch_are_read_too)
{
    check_at(1280, 800, &viz_theme_light, "en", "yes");
}

/* In a window, where a page has its drawing, controls and doors. */
TEST(nothing_lies_over_another_in_a_window)
{
    static const struct {
        int width, height;
        const viz_theme *theme;
        const char *language;
    } looks[] = {{640, 400, &viz_theme_dark, "en"},
                 {640, 400, &viz_theme_light, "zh"},
                 {1280, 800, &viz_theme_light, "en"}};
    for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) {
        pages p = {0};
        viz_canvas canvas;
        open_pages(&p);
        OK(viz_canvas_create(looks[k].width, looks[k].height, 1, looks[k].theme, &canvas, NULL));
        for (int i = 0; sac_lessons[i]; i++)
            check_lesson(&p, sac_lessons[i]->name, &canvas, looks[k].language);
        viz_canvas_free(&canvas);
        close_pages(&p);
    }
}

static bool crosses(viz_rect r, float x, float y, float to_x, float to_y)
{
    for (int i = 0; i <= 200; i++)
        if (viz_inside(r, x + (to_x - x) * (float)i / 200, y + (to_y - y) * (float)i / 200))
            return true;
    return false;
}

/* The text is drawn in the panel, and over none of the arrows of a drawing. */
static void check_name(const lesson_view *v, const char *name, const char *where)
{
    const sac_lesson_drawing *d = &v->lesson.drawings[lesson_step(v)->drawing - 1];
    const lesson_panel *p = v->layout.drawing.panels;
    float unit_x = p->frame.w / (p->x.high - p->x.low),
          unit_y = p->frame.h / (p->y.high - p->y.low);
    float x = p->frame.x - p->x.low * unit_x, y = p->frame.y + p->y.high * unit_y;
    for (int i = 0; i < seen_count; i++) {
        if (strcmp(seen[i].text, name) || !overlap(seen[i].rect, p->frame))
            continue;
        for (int k = 0; k < d->mark_count; k++) {
            const sac_drawing_mark *mark = &d->marks[k];
            if (mark->kind != SAC_MARK_ARROWS || mark->since > v->step)
                continue;
            const sac_shown_array *array = lesson_array(v, mark->y);
            float half = mark->weights ? 3 : 1; /* of the thickest arrow */
            viz_rect r = seen[i].rect,
                     near = {r.x - half, r.y - half, r.w + 2 * half, r.h + 2 * half};
            for (size_t n = 0; n < array->rows; n++)
                if (crosses(near, x, y, x + array->numbers[2 * n] * unit_x,
                            y - array->numbers[2 * n + 1] * unit_y))
                    fail_msg("%s: “%s” lies over an arrow", where, name);
        }
        return;
    }
    fail_msg("%s: “%s” is not there", where, name);
}

TEST(names_of_arrows_lie_over_no_arrow)
{
    static const char *const names[][2] = {{"scores", "near"},
                                           {"scores", "origin"},
                                           {"scores", "q"},
                                           {"similarity", "q"},
                                           {"similarity", "k0"}};
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        restore(&p, "lesson", names[i][0]);
        OK(viz_view_settle(p.view, NULL));
        draw_step(&p, &canvas, 0);
        check_name((const lesson_view *)p.view, names[i][1], names[i][0]);
    }
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* Also where the name of the axis would cover the last one, or a handle one. */
TEST(an_axis_has_all_its_numbers)
{
    static const struct {
        const char *lesson, *number;
        int step;
    } numbers[] = {{"why-scale", "20", 0}, {"why-scale", "1000", 3}, {"step-by-step", "10", 3}};
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        restore(&p, "lesson", numbers[i].lesson);
        OK(viz_view_settle(p.view, NULL));
        draw_step(&p, &canvas, numbers[i].step);
        const lesson_drawing_layout *l = &((const lesson_view *)p.view)->layout.drawing;
        int found = 0;
        for (int k = 0; k < seen_count; k++) {
            if (strcmp(seen[k].text, numbers[i].number) || seen[k].rect.x < l->room.x)
                continue;
            found++;
            for (int h = 0; h < SAC_DRAWING_HANDLES; h++) {
                viz_rect disc = {l->handles[h].x - 7, l->handles[h].y - 7, 14, 14};
                if (l->handles[h].rect.w > 0 && overlap(disc, seen[k].rect))
                    fail_msg("%s: a handle lies over %s", numbers[i].lesson, numbers[i].number);
            }
        }
        if (found == 0)
            fail_msg("%s: no %s", numbers[i].lesson, numbers[i].number);
    }
    viz_canvas_free(&canvas);
    close_pages(&p);
}

TEST(labels_are_shortened_before_a_matrix_is_cut)
{
    pages p = {0};
    viz_canvas canvas;
    open_pages(&p);
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    restore(&p, "lesson", "alignment");
    OK(viz_view_settle(p.view, NULL));
    draw_step(&p, &canvas, 0);
    const lesson_view *v = (const lesson_view *)p.view;
    const lesson_block *b = &v->layout.blocks[0];
    assert_true(v->layout.drawing.room.w > 0);
    assert_int_equal(b->columns, lesson_array(v, b->node)->columns);
    assert_int_equal(b->rows, lesson_array(v, b->node)->rows);
    viz_canvas_free(&canvas);
    close_pages(&p);
}

/* ---------------------------------------------------------------- numbers and state */

TEST(a_number_has_a_contrast_of_7_on_every_colour)
{
    const viz_theme *themes[] = {&viz_theme_dark, &viz_theme_light, &viz_theme_dark_presented,
                                 &viz_theme_light_presented};
    for (int i = 0; i < 24; i++)
        for (int value = -100; value <= 100; value++) {
            lesson_heat heat = {i % 2, 100, (viz_colormap)(i / 2 % 3)};
            viz_color color = lesson_heat_color(&heat, themes[i / 6], (float)value);
            assert_true(viz_contrast(color, viz_text_on(color)) >= 7);
        }
}

TEST(lesson_command_reproduces_what_is_shown)
{
    pages p = {0};
    char command[512];
    open_pages(&p);
    restore(&p, "lesson", "masks");
    restore(&p, "settings", "causal=0 padding=0");
    restore(&p, "step", "4");
    restore(&p, "cell", "mask,0,2,1");
    OK(viz_view_settle(p.view, NULL));
    assert_string_equal(p.view->class->command(p.view, command, sizeof command),
                        "saccade lesson masks --step 4 --set causal=0 --set padding=0 --cell "
                        "mask,0,2,1");
    close_pages(&p);
}

static int open_text(void **state)
{
    (void)state;
    return viz_text_open(NULL) != SAC_OK;
}

static int close_text(void **state)
{
    (void)state;
    viz_text_close();
    return 0;
}

TEST_MAIN(open_text, close_text)
