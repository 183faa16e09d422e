/* The window's loop with SDL's dummy driver: what keys and dropped files do, and that it waits for
 * nothing that is opened. */
#include <SDL.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "base/error.h"
#include "canvas/text.h"
#include "status.h"
#include "test.h"
#include "window/window.h"

/* ---- a view that remembers what it was given */

typedef struct listening_view {
    viz_view base;
    int keys[16], key_count;
    bool types; /* letters are text to it */
    int jobs_wanted, jobs_done;
    bool wants_for_pictures; /* one job more, once it is drawn for a picture to be saved */
    pthread_t worked_on;
    size_t table_rows;  /* of its numbers; 0: it has none */
    int turned, chosen; /* N: to so many pictures; the one that is to be opened, 0: none */
} listening_view;

static viz_shell shell;
static bool presented, drawn_light; /* in the frame drawn last */
static char shell_drawn[256];       /* the text of a wait when a frame was drawn last */

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    listening_view *listening_one = (listening_view *)view;
    if (shell.work && listening_one->wants_for_pictures)
        listening_one->jobs_wanted = 1;
    if (shell.progress[0])
        memcpy(shell_drawn, shell.progress, sizeof shell_drawn);
    presented = canvas->theme->presents && area.y == 0;
    drawn_light = canvas->theme->light;
    viz_fill(canvas, area, canvas->theme->panel);
}

static bool event(viz_view *base, const viz_event *from)
{
    listening_view *view = (listening_view *)base;
    if (from->kind == VIZ_KEY && from->key != VIZ_KEY_ESCAPE && view->key_count < 16)
        view->keys[view->key_count++] = from->key;
    if (from->kind == VIZ_KEY && from->key == 'n')
        view->chosen = ++view->turned;
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
    (void)job;
    (void)error;
    ((listening_view *)view)->worked_on = pthread_self();
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

static int choose(viz_view *base)
{
    listening_view *view = (listening_view *)base;
    int chosen = view->chosen;
    view->chosen = 0;
    return chosen ? chosen : -1;
}

/* A table whose number at (row, column) is row + column / 8. */
static bool table(const viz_view *base, viz_table *shown)
{
    const listening_view *view = (const listening_view *)base;
    *shown = (viz_table){view->table_rows, 4, 2, "layer 0, head 1"};
    return true;
}

static char *table_name(const viz_view *base, bool of_row, size_t index, char *text, size_t size)
{
    (void)base;
    snprintf(text, size, "%s\t%zu", of_row ? "row" : "key", index);
    return text;
}

static sac_status table_row(viz_view *base, size_t row, float *values, sac_error *error)
{
    (void)error;
    for (int i = 0; i < 4; i++)
        values[i] = (float)row + (float)i / 8;
    ((listening_view *)base)->worked_on = pthread_self();
    return SAC_OK;
}

static const char *picture_shown = "cat.png";

static void describe(const viz_view *base, viz_put *put, void *user)
{
    (void)base;
    put(user, "title", picture_shown);
}

static const viz_view_class listening = {.name = "picture",
                                         .tab = "Picture",
                                         .draw = draw,
                                         .event = event,
                                         .create_job = want,
                                         .run_job = work,
                                         .finish_job = take,
                                         .typing = typing,
                                         .describe = describe,
                                         .choose = choose,
                                         .table = table,
                                         .table_name = table_name,
                                         .table_row = table_row};

/* ---- what the person at the window does: one step each time the window asks whether to close */

static listening_view view;
static void (*const *steps)(void);
static int step_count, step_now;

/* Ends the loop's wait for an event, which an idle window sleeps in for a tenth of a second. */
static void wake(void)
{
    SDL_Event nothing = {.type = SDL_USEREVENT};
    SDL_Delay(2);
    SDL_PushEvent(&nothing);
}

/* One step a turn of the loop, and some turns in which nothing is done, so that the window could
 * react; then the window is closed, which a test of closing must not reach. */
static bool next_step(void)
{
    wake();
    if (step_now < step_count)
        steps[step_now]();
    step_now++;
    return step_now > step_count + 3;
}

/* ---- what is opened: a second view, on the opener's thread */

/* Each opening has a view of its own, since the one before may be in the window meanwhile. */
static listening_view opened_views[4], *second; /* the one taken last */

typedef struct test_opening {
    viz_opening base;
    viz_shell fresh;
    listening_view *view;
    bool bad;
    char path[64];
} test_opening;

static sem_t may_open, opening_begun; /* the opening waits for the first and posts the second */
static pthread_t opened_on, window_thread;
static int destroyed;

static sac_status open_second(viz_opening *base, sac_error *error)
{
    test_opening *o = (test_opening *)base;
    opened_on = pthread_self();
    sem_post(&opening_begun);
    sem_wait(&may_open);
    if (o->bad)
        return sac_fail(error, SAC_E_FORMAT, o->path, NULL, "is damaged");
    *o->view = (listening_view){.base.class = &listening, .jobs_wanted = 1};
    return viz_shell_add(&o->fresh, &o->view->base, error);
}

static void take_second(viz_opening *base)
{
    test_opening *o = (test_opening *)base;
    assert_true(pthread_equal(pthread_self(), window_thread));
    viz_history_free(shell.history);
    shell.history = NULL;
    free(shell.tabs);
    shell.tabs = o->fresh.tabs;
    shell.count = o->fresh.count;
    o->fresh = (viz_shell){0};
    second = o->view;
}

static void destroy_second(viz_opening *base)
{
    destroyed++;
    free(base);
}

static viz_opening *make_opening(const char *path)
{
    static size_t made;
    test_opening *o = calloc(1, sizeof *o);
    assert_non_null(o);
    o->base = (viz_opening){
        .shell = &o->fresh, .open = open_second, .take = take_second, .destroy = destroy_second};
    snprintf(o->path, sizeof o->path, "%s", path);
    snprintf(o->base.text, sizeof o->base.text, "opening %.100s", path);
    snprintf(o->base.name, sizeof o->base.name, "cat.png");
    snprintf(o->base.message, sizeof o->base.message, "it is open");
    o->bad = strstr(path, "bad") != NULL;
    o->view = &opened_views[made++ % (sizeof opened_views / sizeof *opened_views)];
    return &o->base;
}

static int files_opened; /* together, last */

static viz_opening *open_files(void *user, const char *const *paths, int count, sac_error *error)
{
    (void)user;
    (void)error;
    files_opened = count;
    return make_opening(paths[0]);
}

static void offer(void *user, viz_opens *opens)
{
    (void)user;
    opens->recent[0] = (viz_recent){.path = "/tmp/weights.npz", .beside = "/tmp/cat.png"};
    opens->recent_count = 1;
    strcpy(opens->folder, "/tmp");
}

static int times_back;

static viz_opening *open_before(void *user, sac_error *error)
{
    (void)user;
    if (times_back++ == 0)
        return make_opening("what was open before");
    sac_fail(error, SAC_E_ARGUMENT, "back", NULL, "no document was opened before this one");
    return NULL;
}

static int beginnings;

static viz_opening *open_beginning(void *user, sac_error *error)
{
    (void)user;
    (void)error;
    beginnings++;
    return make_opening("the beginning");
}

static bool follows; /* a view of what is open has to follow another */

static viz_opening *follow(void *user, sac_error *error)
{
    (void)user;
    (void)error;
    bool had = follows;
    follows = false;
    return had ? make_opening("the next picture") : NULL;
}

static int chosen_last;

static viz_opening *open_chosen(void *user, int reading, sac_error *error)
{
    (void)user;
    (void)error;
    chosen_last = reading;
    return make_opening("a picture");
}

static int devices_asked;

static viz_opening *next_device(void *user, sac_error *error)
{
    (void)user;
    if (devices_asked++ == 0)
        return make_opening("the next device");
    sac_fail(error, SAC_E_NO_DEVICE, "device", NULL, "there is no other device");
    return NULL;
}

/* True where the person closed the window before the steps were over. */
static bool run_steps_opening(viz_opening *first, bool *left, void (*const *remedy)(void),
                              int count, sac_status expected)
{
    viz_window_options options = {.width = 640,
                                  .height = 400,
                                  .interrupted = next_step,
                                  .first = first,
                                  .open = open_files,
                                  .offer = offer,
                                  .choose = open_chosen,
                                  .beginning = open_beginning,
                                  .back = open_before,
                                  .follow = follow,
                                  .next_device = next_device,
                                  .left_working = left};
    steps = remedy;
    step_count = count;
    step_now = 0;
    viz_shell_free(&shell);
    view = (listening_view){.base.class = &listening};
    if (!first)
        OK(viz_shell_add(&shell, &view.base, NULL));
    destroyed = devices_asked = files_opened = times_back = 0;
    window_thread = pthread_self();
    assert_int_equal(sem_init(&may_open, 0, 0), 0);
    assert_int_equal(sem_init(&opening_begun, 0, 0), 0);
    assert_int_equal(viz_window_run(&shell, &options, &failure), expected);
    return step_now <= step_count + 3;
}

static bool run_steps(void (*const *remedy)(void), int count)
{
    return run_steps_opening(NULL, NULL, remedy, count, SAC_OK);
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

static void press_q(void)
{
    press('q', SDL_SCANCODE_Q);
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

TEST(escape_puts_the_sheet_away_and_never_closes_the_window)
{
    assert_false(RUN_STEPS(type_question_mark, assert_sheet, press_escape, assert_no_sheet));
    assert_false(RUN_STEPS(type_question_mark, press_escape, press_escape, press_escape));
    assert_true(RUN_STEPS(press_q));
}

static void press_f11(void)
{
    press(SDLK_F11, SDL_SCANCODE_F11);
}

/* Comes back to this step until a frame is drawn so. */
static void wait_until_presented(void)
{
    step_now -= !presented;
}

static void wait_until_not_presented(void)
{
    step_now -= presented;
}

TEST(f11_presents_and_f11_or_escape_leaves)
{
    assert_false(RUN_STEPS(wait_until_not_presented, press_f11, wait_until_presented, press_f11,
                           wait_until_not_presented, press_f11, wait_until_presented, press_escape,
                           wait_until_not_presented));
}

static void press_t_with_ctrl(void)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym = (SDL_Keysym){.sym = 't', .scancode = SDL_SCANCODE_T, .mod = KMOD_LCTRL};
    SDL_PushEvent(&down);
}

static void press_z_with_ctrl(void)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym = (SDL_Keysym){.sym = 'z', .scancode = SDL_SCANCODE_Z, .mod = KMOD_LCTRL};
    SDL_PushEvent(&down);
}

static void wait_until_light(void)
{
    step_now -= !drawn_light;
}

static void wait_until_dark(void)
{
    step_now -= drawn_light;
}

TEST(undo_takes_the_theme_back)
{
    assert_false(RUN_STEPS(wait_until_dark, press_t_with_ctrl, wait_until_light, press_z_with_ctrl,
                           wait_until_dark));
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

TEST(each_key_reaches_the_view_once_whatever_the_keyboard)
{
    const int expected[] = {VIZ_KEY_LEFT, 'g', '+', 'g', ' '};
    assert_false(RUN_STEPS(press_many));
    assert_int_equal(view.key_count, 5);
    assert_memory_equal(view.keys, expected, sizeof expected);
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

TEST(q_and_ctrl_w_close_the_window)
{
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
    static const char *const letters[] = {"q", "s", "a", "V", "2", "?", "ü", " "};
    press('q', SDL_SCANCODE_Q); /* the letter comes as text */
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        type_text(letters[i]);
    press(SDLK_BACKSPACE, SDL_SCANCODE_BACKSPACE);
}

/* Else the word "square" would save a picture, take another device and close the window. */
TEST(to_a_view_that_takes_text_letters_are_no_commands)
{
    const int keys[] = {'q', 's', 'a', 'V', '2', '?', VIZ_KEY_TEXT, ' ', VIZ_KEY_BACKSPACE};
    assert_false(RUN_STEPS(begin_to_type, type_letters, nothing, assert_no_sheet));
    assert_memory_equal(view.keys, keys, sizeof keys);
    assert_int_equal(devices_asked, 0);
    assert_true(RUN_STEPS(begin_to_type, press_w_with_ctrl));
}

static void want_three(void)
{
    view.jobs_wanted = 3;
}

static void until_three_are_done(void)
{
    if (view.jobs_done < 3)
        step_now--;
}

static void assert_second_computed(void)
{
    assert_ptr_equal(viz_shell_view(&shell), second);
    assert_int_equal(second->jobs_done, 1);
}

static void until_named(void)
{
    if (!shell_drawn[0])
        step_now--;
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

static void until_opening(void)
{
    if (sem_trywait(&opening_begun) != 0)
        step_now--;
}

static void let_open(void)
{
    sem_post(&may_open);
}

/* A step that is not over is the next turn's too. */
static void until_destroyed(void)
{
    if (!destroyed)
        step_now--;
}

static void assert_old_view_lives(void)
{
    assert_ptr_equal(viz_shell_view(&shell), &view);
    assert_int_equal(view.keys[view.key_count - 1], 'g');
}

static void press_g(void)
{
    press('g', SDL_SCANCODE_G);
}

/* The old view takes keys and has what it wants computed while the new one is being opened. */
TEST(a_dropped_file_is_opened_beside_the_view_that_is_there)
{
    assert_false(RUN_STEPS(drop_good, until_opening, press_g, want_three, until_three_are_done,
                           assert_old_view_lives, let_open, until_destroyed));
    assert_ptr_equal(viz_shell_view(&shell), second);
    assert_false(pthread_equal(opened_on, window_thread));
    assert_string_equal(shell.message, "it is open");
}

/* Its first result is there when it is shown. */
TEST(what_was_opened_is_shown_whole)
{
    assert_false(RUN_STEPS(drop_good, let_open, until_destroyed, assert_second_computed));
}

TEST(a_file_that_is_bad_is_reported_to_be_bad_and_the_old_view_stays)
{
    assert_false(
        RUN_STEPS(drop_bad, let_open, until_destroyed, press_g, nothing, assert_old_view_lives));
    assert_string_equal(shell.message, "/tmp/bad.png: is damaged");
}

TEST(what_takes_long_is_reported)
{
    shell_drawn[0] = '\0';
    assert_false(RUN_STEPS(drop_good, until_named, let_open, until_destroyed));
    assert_memory_equal(shell_drawn, "opening /tmp/cat.png …", 24);
}

static void drop_two(void)
{
    drop("/tmp/weights.npz");
    drop("/tmp/cat.png");
}

TEST(files_dropped_together_are_opened_together)
{
    assert_false(RUN_STEPS(drop_two, let_open, until_destroyed));
    assert_int_equal(files_opened, 2);
    assert_ptr_equal(viz_shell_view(&shell), second);
}

TEST(of_files_dropped_one_after_the_other_the_last_one_is_opened)
{
    assert_false(RUN_STEPS(drop_good, until_opening, drop_bad, drop_good, let_open, until_destroyed,
                           nothing, let_open, until_destroyed));
    assert_int_equal(files_opened, 1);
}

static void press_n(void)
{
    press('n', SDL_SCANCODE_N);
}

/* The view of the first press is gone when its picture is there. */
TEST(n_pressed_twice_turns_to_the_second_picture)
{
    assert_false(RUN_STEPS(press_n, until_opening, press_n, nothing, let_open, until_opening,
                           let_open, until_destroyed));
    assert_int_equal(chosen_last, 2);
    assert_ptr_equal(viz_shell_view(&shell), second);
}

static SDL_Window *only_window(void)
{
    SDL_Window *window = NULL; /* each has another number */
    for (Uint32 id = 1; !window && id < 1000; id++)
        window = SDL_GetWindowFromID(id);
    return window;
}

static void turn_to_dog(void)
{
    picture_shown = "a dog.png";
}

static void until_titled_after_dog(void)
{
    step_now -= strcmp(SDL_GetWindowTitle(only_window()), "a-dog - Saccade") != 0;
}

static void wait_until_drawn(void)
{
    step_now -= shell.bar.mark.w <= 0;
}

/* As in a show of several pictures. */
TEST(the_title_is_that_of_the_picture_on_show)
{
    assert_false(RUN_STEPS(wait_until_drawn, turn_to_dog, until_titled_after_dog));
    picture_shown = "cat.png";
}

/* In the bar, whose last tool ends at the margin. */
static void click_in_bar(viz_rect r)
{
    const viz_caps *tools = &shell.bar.tools;
    float right = shell.bar.more.w > 0
                      ? shell.bar.more.x + shell.bar.more.w
                      : tools->items[tools->count - 1].x + tools->items[tools->count - 1].w;
    int width = 0;
    SDL_GetWindowSize(only_window(), &width, NULL);
    float pixels = (float)width / (right + VIZ_MARGIN);
    SDL_Event down = {.type = SDL_MOUSEBUTTONDOWN};
    down.button.x = (Sint32)(pixels * (r.x + 6));
    down.button.y = (Sint32)(pixels * (r.y + 12));
    down.button.button = SDL_BUTTON_LEFT;
    SDL_PushEvent(&down);
}

static void click_mark(void)
{
    click_in_bar(shell.bar.mark);
}

/* What is open does not introduce itself: the beginning is opened. */
TEST(the_name_of_the_program_opens_the_beginning)
{
    beginnings = 0;
    assert_false(RUN_STEPS(wait_until_drawn, click_mark, let_open, until_destroyed));
    assert_int_equal(beginnings, 1);
}

static void press_ctrl_b(void)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym = (SDL_Keysym){.sym = 'b', .scancode = SDL_SCANCODE_B, .mod = KMOD_LCTRL};
    SDL_PushEvent(&down);
}

TEST(ctrl_b_opens_what_was_open_before_and_reports_it_where_nothing_was)
{
    assert_false(RUN_STEPS(press_ctrl_b, let_open, until_destroyed));
    assert_ptr_equal(viz_shell_view(&shell), second);
    assert_false(
        RUN_STEPS(press_ctrl_b, let_open, until_destroyed, press_ctrl_b, nothing, nothing));
    assert_string_equal(shell.message, "back: no document was opened before this one");
}

static void turn_elsewhere(void)
{
    follows = true;
}

TEST(what_has_to_follow_another_view_is_opened_again_without_a_word)
{
    assert_false(RUN_STEPS(nothing, turn_elsewhere, let_open, until_destroyed));
    assert_ptr_equal(viz_shell_view(&shell), second);
}

static void press_ctrl_o(void)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym = (SDL_Keysym){.sym = 'o', .scancode = SDL_SCANCODE_O, .mod = KMOD_LCTRL};
    SDL_PushEvent(&down);
}

static void press_return(void)
{
    press(SDLK_RETURN, SDL_SCANCODE_RETURN);
}

static void assert_choosing(void)
{
    assert_true(shell.chooses);
}

static void assert_not_choosing(void)
{
    assert_false(shell.chooses);
}

TEST(ctrl_o_offers_recent_files_and_opens_the_one_that_is_chosen)
{
    assert_false(RUN_STEPS(press_ctrl_o, assert_choosing, press_escape, assert_not_choosing));
    assert_int_equal(files_opened, 0);
    assert_false(RUN_STEPS(press_ctrl_o, assert_choosing, press_return, let_open, until_destroyed,
                           assert_not_choosing));
    assert_int_equal(files_opened, 2); /* both files of that document */
    assert_ptr_equal(viz_shell_view(&shell), second);
}

static void press_v(void)
{
    press('v', SDL_SCANCODE_V);
}

TEST(v_takes_the_next_device_and_reports_it_where_there_is_none)
{
    assert_false(RUN_STEPS(press_v, let_open, until_destroyed));
    assert_ptr_equal(viz_shell_view(&shell), second);
    assert_false(RUN_STEPS(press_v, let_open, until_destroyed, press_v, nothing, nothing));
    assert_string_equal(shell.message, "device: there is no other device");
}

TEST(the_window_is_there_before_its_first_view)
{
    void (*const remedy[])(void) = {until_opening, type_question_mark, nothing,  assert_sheet,
                                    press_escape,  assert_no_sheet,    let_open, until_destroyed};
    assert_false(run_steps_opening(make_opening("/tmp/cat.png"), NULL, remedy, 8, SAC_OK));
    assert_ptr_equal(viz_shell_view(&shell), second);
}

TEST(where_the_first_file_is_bad_the_window_closes_with_its_error)
{
    void (*const remedy[])(void) = {let_open, until_destroyed};
    run_steps_opening(make_opening("/tmp/bad.png"), NULL, remedy, 2, SAC_E_FORMAT);
    assert_int_equal(destroyed, 1);
}

TEST(what_the_view_wants_is_computed)
{
    RUN_STEPS(want_three, until_three_are_done);
    assert_int_equal(view.jobs_done, 3);
}

/* Comes back to this step until the window has shown the outcome of the one before. */
static void until_answered(void)
{
    step_now -= shell.message[0] == '\0';
}

static void press_s_for_a_picture(void)
{
    view.wants_for_pictures = true;
    press('s', SDL_SCANCODE_S);
}

TEST(what_a_saved_picture_needs_is_computed_on_the_worker)
{
    char folder[] = "/tmp/saccade-loop-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_false(RUN_STEPS(press_s_for_a_picture, press_return, until_answered));
    char expected[256];
    snprintf(expected, sizeof expected, "saved %s/view-saccade-1.png  ·  ctrl Z removes it",
             folder);
    assert_string_equal(shell.message, expected);
    assert_int_equal(view.jobs_done, 1);
    assert_false(pthread_equal(view.worked_on, window_thread));
    assert_int_equal(unlink("view-saccade-1.png"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void press_held(SDL_Keycode sym, SDL_Scancode scancode, Uint16 held)
{
    SDL_Event down = {.type = SDL_KEYDOWN};
    down.key.keysym = (SDL_Keysym){.sym = sym, .scancode = scancode, .mod = held};
    SDL_PushEvent(&down);
}

static void press_ctrl_s(void)
{
    press_held('s', SDL_SCANCODE_S, KMOD_LCTRL);
}

static void press_ctrl_shift_s(void)
{
    press_held('s', SDL_SCANCODE_S, KMOD_LCTRL | KMOD_LSHIFT);
}

static void press_ctrl_shift_c(void)
{
    press_held('c', SDL_SCANCODE_C, KMOD_LCTRL | KMOD_LSHIFT);
}

static void press_ctrl_z(void)
{
    press_held('z', SDL_SCANCODE_Z, KMOD_LCTRL);
}

/* That `key`, and then `yes`, leaves a file of that name and nothing else, with a message of where, after
 * `before`. */
static void assert_saves(void (*key)(void), void (*yes)(void), const char *name, const char *before)
{
    char folder[] = "/tmp/saccade-loop-XXXXXX", expected[256];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_false(RUN_STEPS(key, yes, until_answered));
    snprintf(expected, sizeof expected, "%ssaved %s/%s  ·  ctrl Z removes it", before, folder,
             name);
    assert_string_equal(shell.message, expected);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST(ctrl_s_saves_shapes_and_text)
{
    assert_saves(press_ctrl_s, press_return, "view-saccade-1.svg", "");
    assert_saves(press_ctrl_shift_s, press_return, "view-saccade-1.pdf", "");
}

static float figure_width; /* of the one that was drawn last */

static void draw_figure(viz_view *drawn, viz_canvas *canvas, viz_rect area)
{
    (void)drawn;
    figure_width = area.w;
    viz_fill(canvas, area, canvas->theme->text);
}

static float figure_height(viz_view *drawn, const viz_canvas *canvas, float width)
{
    (void)drawn;
    (void)canvas;
    return width / 2;
}

static viz_view_class drawn_as_figure;

static void ask_for_a_pdf(void)
{
    view.base.class = &drawn_as_figure;
    press_ctrl_shift_s();
}

/* Past 90, 140 and 180 mm. */
static void press_to_a4(void)
{
    for (int i = 0; i < 3; i++)
        press(SDLK_PAGEDOWN, SDL_SCANCODE_PAGEDOWN);
}

/* A PDF is first that of the figure; on A4 it has 210 mm without two margins of 15. */
TEST(a_figure_is_saved_on_a_sheet_of_paper)
{
    char folder[] = "/tmp/saccade-loop-XXXXXX";
    drawn_as_figure = listening;
    drawn_as_figure.figure = draw_figure;
    drawn_as_figure.figure_height = figure_height;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_false(RUN_STEPS(ask_for_a_pdf, press_return, until_answered));
    assert_float_equal(figure_width, 90 / 25.4f * 96, 2);
    assert_int_equal(unlink("view-saccade-1.pdf"), 0);
    assert_false(RUN_STEPS(ask_for_a_pdf, press_to_a4, press_return, until_answered));
    assert_float_equal(figure_width, 180 / 25.4f * 96, 2);
    assert_int_equal(unlink("view-saccade-1.pdf"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void forget_message(void)
{
    shell.message[0] = '\0';
}

static viz_rect undo_tool(void)
{
    const viz_caps *tools = &shell.bar.tools;
    for (int i = 0; i < tools->count; i++)
        if (strcmp(tools->keys[i].does, "undo") == 0)
            return tools->items[i];
    return (viz_rect){0};
}

static void until_undo_is_drawn(void)
{
    step_now -= undo_tool().w <= 0;
}

/* In the bar, where nothing but the file can be undone. */
static void click_undo(void)
{
    click_in_bar(undo_tool());
}

/* A key by itself writes nothing; what was written is taken back. */
TEST(a_stray_key_saves_nothing_and_undo_removes_what_was_saved)
{
    char folder[] = "/tmp/saccade-loop-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_false(RUN_STEPS(press_ctrl_s, assert_choosing, press_escape, assert_not_choosing));
    assert_int_equal(access("view-saccade-1.svg", F_OK), -1);
    assert_false(RUN_STEPS(press_ctrl_s, press_return, until_answered, press_ctrl_z, nothing));
    assert_int_equal(access("view-saccade-1.svg", F_OK), -1);
    assert_non_null(strstr(shell.message, "removed"));
    assert_false(RUN_STEPS(press_ctrl_s, press_return, until_answered, until_undo_is_drawn,
                           click_undo, nothing));
    assert_int_equal(access("view-saccade-1.svg", F_OK), -1);
    /* Later it is the view's undo again. */
    assert_false(RUN_STEPS(press_ctrl_s, press_return, until_answered, forget_message, press_ctrl_z,
                           nothing));
    assert_int_equal(unlink("view-saccade-1.svg"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST(a_picture_that_no_clipboard_takes_is_saved)
{
    unsetenv("DISPLAY"); /* the window's driver is SDL's dummy */
    unsetenv("WAYLAND_DISPLAY");
    assert_saves(press_ctrl_shift_c, nothing, "view-saccade-1.png",
                 "neither wl-copy nor xclip took the picture; ");
}

static void press_ctrl_c(void)
{
    press_held('c', SDL_SCANCODE_C, KMOD_LCTRL);
}

static char clipboard[8192]; /* read while the window is open */

static void read_clipboard(void)
{
    char *text = SDL_GetClipboardText();
    snprintf(clipboard, sizeof clipboard, "%s", text);
    SDL_free(text);
}

static void show_two_rows(void)
{
    view.table_rows = 2;
}

static void show_many_rows(void)
{
    view.table_rows = 1000000;
}

TEST(ctrl_c_copies_the_numbers_shown)
{
    RUN_STEPS(show_two_rows, press_ctrl_c, until_answered, read_clipboard);
    assert_string_equal(clipboard, "layer 0, head 1\tkey 0\tkey 1\tkey 2\tkey 3\n"
                                   "row 0\t0\t0.125\t0.25\t0.375\n"
                                   "row 1\t1\t1.125\t1.25\t1.375\n");
    assert_string_equal(shell.message, "copied layer 0, head 1: 2 × 4 numbers");
    assert_int_equal(view.key_count, 0);
    assert_false(pthread_equal(view.worked_on, window_thread));
}

TEST(of_a_large_table_ctrl_c_copies_the_current_row)
{
    RUN_STEPS(show_many_rows, press_ctrl_c, until_answered, read_clipboard);
    assert_string_equal(clipboard, "layer 0, head 1\tkey 0\tkey 1\tkey 2\tkey 3\n"
                                   "row 2\t2\t2.125\t2.25\t2.375\n");
    assert_non_null(strstr(shell.message, "--tsv writes all rows"));
}

TEST(where_there_are_no_numbers_ctrl_c_reports_it)
{
    RUN_STEPS(press_ctrl_c, until_answered);
    assert_string_equal(shell.message, "Picture: has no numbers to show");
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

/* The last, as it leaves a thread. The opening would wait for ever: it goes on only once the
 * window is closed. */
TEST(closing_does_not_wait_for_what_is_being_opened)
{
    bool left = false;
    void (*const remedy[])(void) = {until_opening, press_q};
    assert_true(run_steps_opening(make_opening("/tmp/cat.png"), &left, remedy, 2, SAC_OK));
    assert_true(left);
    assert_int_equal(destroyed, 0);
    sem_post(&may_open);
}

TEST_MAIN(open_text, close_text)
