/* The window's loop with SDL's dummy driver: what keys and dropped files do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/text.h"
#include "window/window.h"

/* ---- a view that remembers what it was told */

typedef struct listening_view {
    viz_view base;
    int keys[8], key_count;
    bool types; /* letters are text to it */
    int jobs_wanted, jobs_done;
} listening_view;

struct viz_job {
    int unused;
};

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    (void)view;
    viz_fill(canvas, area, canvas->theme->panel);
}

static bool event(viz_view *base, const viz_event *from)
{
    listening_view *view = (listening_view *)base;
    if (from->kind == VIZ_KEY && from->key != VIZ_KEY_ESCAPE && view->key_count < 8)
        view->keys[view->key_count++] = from->key;
    return false;
}

static viz_job *want(viz_view *base)
{
    static viz_job job;
    listening_view *view = (listening_view *)base;
    return view->jobs_wanted > view->jobs_done ? &job : NULL;
}

static sac_status work(viz_view *view, viz_job *job, sac_error *error)
{
    (void)view;
    (void)job;
    (void)error;
    return SAC_OK;
}

static void take(viz_view *base, viz_job *job, const sac_error *error)
{
    (void)job;
    assert_null(error);
    ((listening_view *)base)->jobs_done++;
}

static bool typing(const viz_view *base)
{
    return ((const listening_view *)base)->types;
}

static const viz_view_class listening = {.tab = "Picture",
                                         .draw = draw,
                                         .event = event,
                                         .want = want,
                                         .work = work,
                                         .take = take,
                                         .typing = typing};

/* ---- what the person at the window does: one step each time the window asks whether to close */

static listening_view view;
static viz_shell shell;
static void (*const *steps)(void);
static int step_count, step_now;

/* One step a turn of the loop, and some turns in which nothing is done, so that the window could
 * react; then the window is closed, which a test of closing must not reach. */
static bool next_step(void)
{
    if (step_now < step_count)
        steps[step_now]();
    step_now++;
    return step_now > step_count + 3;
}

static sac_status open_file(void *user, const char *path, viz_shell *into, sac_error *error)
{
    assert_ptr_equal(into, &shell);
    if (strstr(path, "bad"))
        return sac_fail(error, SAC_E_FORMAT, path, NULL, "is damaged");
    snprintf(user, 64, "%s", path);
    return SAC_OK;
}

static sac_status count_device(void *user, viz_shell *into, sac_error *error)
{
    assert_ptr_equal(into, &shell);
    if (strcmp(user, "second device") == 0)
        return sac_fail(error, SAC_E_NO_DEVICE, "device", NULL, "there is no other here");
    strcpy(user, "second device");
    return SAC_OK;
}

static char opened[64];

/* True where the person closed the window before the steps were over. */
static bool run_steps(void (*const *todo)(void), int count)
{
    viz_window_options options = {.width = 640,
                                  .height = 400,
                                  .interrupted = next_step,
                                  .open = open_file,
                                  .next_device = count_device,
                                  .user = opened};
    sac_error error = {0};
    steps = todo;
    step_count = count;
    step_now = 0;
    view = (listening_view){.base.class = &listening};
    shell = (viz_shell){.views = {[1] = &view.base}, .current = 1};
    opened[0] = '\0';
    assert_int_equal(viz_window_run(&shell, &options, &error), SAC_OK);
    return step_now <= step_count + 3;
}

#define RUN_STEPS(...)                                                                             \
    run_steps((void (*const[])(void)){__VA_ARGS__},                                                \
              sizeof((void (*const[])(void)){__VA_ARGS__}) / sizeof(void (*)(void)))

static void press(SDL_Keycode sym, SDL_Scancode scancode)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym.sym = sym;
    down.key.keysym.scancode = scancode;
    SDL_PushEvent(&down);
}

static void type_text(const char *text)
{
    SDL_Event typed = {.type = SDL_TEXTINPUT};
    snprintf(typed.text.text, sizeof typed.text.text, "%s", text);
    SDL_PushEvent(&typed);
}

static void nothing(void)
{
}

static void press_escape(void)
{
    press(SDLK_ESCAPE, SDL_SCANCODE_ESCAPE);
}

static void type_question_mark(void)
{
    type_text("?");
}

static void assert_sheet(void)
{
    assert_true(shell.show_keys);
}

static void assert_no_sheet(void)
{
    assert_false(shell.show_keys);
}

static void escape_puts_the_sheet_away_before_it_closes_the_window(void **state)
{
    (void)state;
    assert_false(RUN_STEPS(type_question_mark, assert_sheet, press_escape, assert_no_sheet));
    assert_true(RUN_STEPS(type_question_mark, press_escape, press_escape));
}

static void press_many(void)
{
    press(SDLK_LEFT, SDL_SCANCODE_LEFT);
    press('g', SDL_SCANCODE_G);
    type_text("g"); /* the text of the key before is not a second key */
    type_text("+");
    press(0x43f, SDL_SCANCODE_G); /* a Cyrillic letter, where a Latin keyboard has its G */
    press(SDLK_SPACE, SDL_SCANCODE_SPACE);
}

static void each_key_reaches_the_view_once_whatever_the_keyboard(void **state)
{
    (void)state;
    const int expected[] = {VIZ_KEY_LEFT, 'g', '+', 'g', ' '};
    assert_false(RUN_STEPS(press_many));
    assert_int_equal(view.key_count, 5);
    assert_memory_equal(view.keys, expected, sizeof expected);
}

static void press_q(void)
{
    press('q', SDL_SCANCODE_Q);
}

static void press_w_with_ctrl(void)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym = (SDL_Keysym){.sym = 'w', .scancode = SDL_SCANCODE_W, .mod = KMOD_LCTRL};
    SDL_PushEvent(&down);
}

static void press_w(void)
{
    press('w', SDL_SCANCODE_W);
}

static void q_and_ctrl_w_close_the_window(void **state)
{
    (void)state;
    assert_true(RUN_STEPS(press_q));
    assert_true(RUN_STEPS(press_w_with_ctrl));
    assert_false(RUN_STEPS(press_w));
    assert_int_equal(view.keys[0], 'w');
}

static void begin_to_type(void)
{
    view.types = true;
}

static void type_letters(void)
{
    const SDL_Scancode codes[] = {SDL_SCANCODE_Q, SDL_SCANCODE_S, SDL_SCANCODE_A, SDL_SCANCODE_V};
    for (int i = 0; i < 4; i++)
        press("qsav"[i], codes[i]);
    type_text("2");
    type_text("?");
    press(SDLK_BACKSPACE, SDL_SCANCODE_BACKSPACE);
}

/* Else the word "square" would save a picture, take another device and close the window. */
static void to_a_view_that_takes_text_letters_are_no_commands(void **state)
{
    (void)state;
    const int keys[] = {'q', 's', 'a', 'v', '2', '?', VIZ_KEY_BACKSPACE};
    assert_false(RUN_STEPS(begin_to_type, type_letters, nothing, assert_no_sheet));
    assert_memory_equal(view.keys, keys, sizeof keys);
    assert_string_equal(opened, "");
    assert_true(RUN_STEPS(begin_to_type, press_w_with_ctrl));
}

static void drop(const char *path)
{
    SDL_Event dropped = {.type = SDL_DROPFILE};
    dropped.drop.file = SDL_strdup(path);
    SDL_PushEvent(&dropped);
}

static void drop_good(void)
{
    drop("/tmp/cat.png");
}

static void drop_bad(void)
{
    drop("/tmp/bad.png");
}

static void assert_bad_told(void)
{
    assert_string_equal(shell.message, "/tmp/bad.png: is damaged");
}

static void a_dropped_file_is_opened_and_a_bad_one_said_to_be_bad(void **state)
{
    (void)state;
    assert_false(RUN_STEPS(drop_good));
    assert_string_equal(opened, "/tmp/cat.png");
    assert_false(RUN_STEPS(drop_bad, nothing, assert_bad_told));
    assert_string_equal(opened, "");
}

static void press_v(void)
{
    press('v', SDL_SCANCODE_V);
}

static void assert_no_other_told(void)
{
    assert_string_equal(shell.message, "device: there is no other here");
}

static void v_takes_the_next_device_and_says_so_where_there_is_none(void **state)
{
    (void)state;
    assert_false(RUN_STEPS(press_v));
    assert_string_equal(opened, "second device");
    assert_false(RUN_STEPS(press_v, nothing, press_v, nothing, nothing, assert_no_other_told));
}

static void want_three(void)
{
    view.jobs_wanted = 3;
}

static void what_the_view_wants_is_computed(void **state)
{
    (void)state;
    void (*todo[24])(void) = {want_three};
    for (int i = 1; i < 24; i++)
        todo[i] = nothing; /* turns of the loop: each job's end begins one */
    run_steps(todo, 24);
    assert_int_equal(view.jobs_done, 3);
}

static int open_text(void **state)
{
    (void)state;
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    return viz_text_open(NULL);
}

static int close_text(void **state)
{
    (void)state;
    viz_text_close();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_puts_the_sheet_away_before_it_closes_the_window),
        cmocka_unit_test(each_key_reaches_the_view_once_whatever_the_keyboard),
        cmocka_unit_test(q_and_ctrl_w_close_the_window),
        cmocka_unit_test(to_a_view_that_takes_text_letters_are_no_commands),
        cmocka_unit_test(a_dropped_file_is_opened_and_a_bad_one_said_to_be_bad),
        cmocka_unit_test(v_takes_the_next_device_and_says_so_where_there_is_none),
        cmocka_unit_test(what_the_view_wants_is_computed),
    };
    return cmocka_run_group_tests(tests, open_text, close_text);
}
