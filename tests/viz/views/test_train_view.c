/* The Train view: what can be trained is chosen and begun, and nothing is written unasked. */
#include "canvas/recording.h"
#include "canvas/text.h"
#include "classes/views.h"
#include "fake_trainer.h"
#include "rects.h"
#include "shell/shell.h"
#include "status.h"
#include "test.h"

typedef struct bench {
    sac_source source;
    viz_shell shell;
    viz_canvas canvas;
} bench;

static int open_bench(void **state)
{
    bench *b = calloc(1, sizeof *b);
    viz_view *view;
    fake_progress = (sac_training_progress){0};
    fake_exists = false;
    fake_trainer_open(&b->source);
    OK(viz_train_class.create(&b->source, NULL, &view, NULL));
    OK(viz_shell_add(&b->shell, view, NULL));
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &b->canvas, NULL));
    viz_shell_draw(&b->shell, &b->canvas);
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    bench *b = *state;
    viz_shell_free(&b->shell);
    viz_canvas_free(&b->canvas);
    free(b);
    return 0;
}

#define AT_A_BENCH(name) TEST_ON(bench, b, name, open_bench, close_bench)

static void look(bench *b)
{
    b->shell.now += 1;
    viz_shell_tick(&b->shell, b->shell.now);
    viz_shell_draw(&b->shell, &b->canvas);
}

/* Presses the n-th spot whose tip holds this. */
static void press_nth(bench *b, const char *tip, int n)
{
    static viz_spots spots;
    viz_shell_spots(&b->shell, &spots);
    for (int i = 0; i < spots.count; i++)
        if (spots.items[i].tip && strstr(spots.items[i].tip, tip) && --n == 0) {
            viz_rect r = spots.items[i].rect;
            viz_shell_event(&b->shell, &(viz_event){.kind = VIZ_PRESS,
                                                    .button = 1,
                                                    .x = r.x + r.w / 2,
                                                    .y = r.y + r.h / 2});
            look(b);
            return;
        }
    fail_msg("no text is “%s”", tip);
}

static void press(bench *b, const char *tip)
{
    press_nth(b, tip, 1);
}

static void assert_picks(viz_view *view, const char *purpose, const char *from)
{
    viz_pick pick;
    assert_true(view->class->picks(view, &pick));
    assert_string_equal(pick.purpose, purpose);
    if (from)
        assert_string_equal(pick.from, from);
    else
        assert_null(pick.from);
}

static void down(bench *b, int times)
{
    for (; times > 0; times--)
        viz_shell_event(&b->shell, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_DOWN});
    look(b);
}

static int chosen(bench *b)
{
    viz_view *view = viz_shell_tab_view(&b->shell);
    return view->class->choose(view);
}

AT_A_BENCH(what_is_chosen_is_what_begins)
{
    char text[4096];
    viz_view *view = viz_shell_tab_view(&b->shell);
    assert_int_equal(chosen(b), -1);
    down(b, 2);
    press(b, "were trained");
    view->class->command(view, text, sizeof text);
    assert_string_equal(text,
                        "saccade train translator --steps 3000 --out /tmp/weights-2.safetensors");
    press(b, "Copy the command");
    assert_string_equal(view->class->copied(view), text);
    press(b, "Begin this");
    assert_int_equal(chosen(b), 2);
    assert_int_equal(chosen(b), -1); /* once */
    assert_int_equal(b->source.trainer.wish.steps, 3000);
    assert_string_equal(b->source.trainer.wish.out, "/tmp/weights-2.safetensors");
}

AT_A_BENCH(a_file_that_is_there_is_asked_about)
{
    fake_exists = true;
    press(b, "Begin this");
    assert_int_equal(chosen(b), -1);
    down(b, 2); /* that question was of another file */
    press(b, "Begin this");
    assert_int_equal(chosen(b), -1);
    press(b, "Begin this");
    assert_int_equal(chosen(b), 2);
}

AT_A_BENCH(own_pictures_are_chosen_in_the_dialog)
{
    viz_view *view = viz_shell_tab_view(&b->shell);
    down(b, 1);
    viz_pick pick;
    assert_false(view->class->picks(view, &pick));
    press(b, "Choose it from a folder");
    assert_picks(view, "the folder of pictures", NULL);
    view->class->picked(view, "/home/me/my pictures");
    press(b, "Begin this");
    assert_int_equal(chosen(b), 1);
    assert_string_equal(b->source.trainer.wish.own[0], "/home/me/my pictures");
    /* Those of that folder, in which others are looked for; those of another are its own. */
    assert_string_equal(b->source.trainer.wish.own[1], "/home/me/my pictures/captions.csv");
    press_nth(b, "Choose it from a folder", 2);
    assert_picks(view, "the file of captions", "/home/me/my pictures");
    view->class->picked(view, "/home/me/all.json");
    press(b, "Begin this");
    assert_string_equal(b->source.trainer.wish.own[1], "/home/me/all.json");
    press(b, "Choose it from a folder");
    assert_picks(view, "the folder of pictures", "/home/me/my pictures");
    view->class->picked(view, "/home/me/others");
    press(b, "Begin this");
    assert_string_equal(b->source.trainer.wish.own[1], "/home/me/others/captions.csv");
}

AT_A_BENCH(own_pairs_are_of_one_file_or_two_and_no_pictures)
{
    viz_view *view = viz_shell_tab_view(&b->shell);
    down(b, 1);
    press(b, "Choose it from a folder");
    assert_picks(view, "the folder of pictures", NULL);
    view->class->picked(view, "/home/me/my pictures");
    down(b, 2);
    press(b, "Choose it from a folder");
    assert_picks(view, "the file of sentence pairs", NULL);
    press(b, "Begin this");
    assert_int_equal(chosen(b), 3);
    assert_string_equal(b->source.trainer.wish.own[0], "");
    view->class->picked(view, "/home/me/deu-eng.tsv");
    press(b, "Begin this");
    assert_int_equal(chosen(b), 3);
    assert_string_equal(b->source.trainer.wish.own[0], "/home/me/deu-eng.tsv");
    assert_string_equal(b->source.trainer.wish.own[1], "");
}

AT_A_BENCH(the_keyboard_begins_a_training)
{
    down(b, 2);
    viz_shell_event(&b->shell, &(viz_event){.kind = VIZ_KEY, .key = VIZ_KEY_RETURN});
    assert_int_equal(chosen(b), 2);
    assert_int_equal(b->source.trainer.next, SAC_NEXT_TRAINING);
}

/* The baseline of the text that begins so; −1: none does. */
static float baseline_of(bench *b, const char *begin)
{
    viz_recording recording = {0};
    float y = -1;
    b->canvas.recording = &recording;
    viz_shell_draw(&b->shell, &b->canvas);
    b->canvas.recording = NULL;
    for (size_t i = 0; i < recording.count; i++) {
        const viz_shape *shape = &recording.shapes[i];
        if (shape->text && strncmp(shape->text, begin, strlen(begin)) == 0)
            y = shape->points[0].y;
    }
    viz_recording_free(&recording);
    return y;
}

AT_A_BENCH(why_a_training_cannot_begin_stands_in_the_form)
{
    viz_view *view = viz_shell_tab_view(&b->shell);
    press(b, "Begin this");
    view->class->refused(view, "captions.json: no captions of these pictures");
    look(b);
    assert_true(baseline_of(b, "captions.json") > 0);
    down(b, 1); /* it was of the other one */
    assert_true(baseline_of(b, "captions.json") < 0);
}

AT_A_BENCH(all_of_the_form_is_in_the_smallest_window)
{
    static viz_spots spots;
    OK(viz_canvas_resize(&b->canvas, 640, 400, NULL));
    look(b);
    down(b, 1);
    viz_shell_spots(&b->shell, &spots);
    for (int i = 0; i < spots.count; i++) {
        viz_rect r = spots.items[i].rect;
        assert_true(r.x >= 0 && r.y >= 0 && r.x + r.w <= 640 && r.y + r.h <= 400);
    }
    press(b, "Begin this");
    assert_int_equal(chosen(b), 1);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
