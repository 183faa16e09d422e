/* The lesson view: the numbers that the user can change, its settings, its input and its class. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/printable.h"
#include "canvas/text.h"
#include "lesson/lesson_state.h"
#include "lesson/lesson_view.h"
#include "parts/pages/steps.h"
#include "view/settings.h"
#include "view/words.h"

/* Back to the lesson's own numbers; false: it has them. */
static bool lesson_reset(lesson_view *v)
{
    bool changed = v->wanted.settings[0] || v->wanted.text[0];
    v->wanted.settings[0] = v->wanted.text[0] = '\0';
    v->demand += changed;
    return changed;
}

/* ---------------------------------------------------------------- the numbers of a step for a file: of the array that a person chose a cell of, else of what the step is about */

/* NULL: nothing is shown, or its numbers are what a question asks for. */
static const sac_shown_array *table_array(const lesson_view *v)
{
    lesson_cell cell = {0};
    if (v->known && !v->lists)
        cell = lesson_shows(v, v->chosen) ? v->chosen : lesson_usual_cell(v);
    return cell.array && !lesson_hides(v, cell.array) ? lesson_array(v, cell.array) : NULL;
}

/* The matrices of a batch below one another. */
static bool lesson_table(const viz_view *view, viz_table *table)
{
    const sac_shown_array *array = table_array((const lesson_view *)view);
    if (!array)
        return false;
    *table = (viz_table){.rows = array->batch * array->rows, .columns = array->columns};
    snprintf(table->title, sizeof table->title, "%s", array->name);
    return true;
}

static char *lesson_table_name(const viz_view *view, bool of_row, size_t index, char *text,
                               size_t size)
{
    const sac_shown_array *array = table_array((const lesson_view *)view);
    const char *const *labels = of_row ? array->row_labels : array->column_labels;
    size_t number = of_row ? index % array->rows : index;
    size_t used = 0;
    if (of_row && array->batch > 1)
        used = (size_t)snprintf(text, size, "%zu,", index / array->rows);
    if (labels)
        snprintf(text + used, size - used, "%s", labels[number]);
    else
        snprintf(text + used, size - used, "%zu", number);
    return text;
}

static sac_status lesson_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    const sac_shown_array *array = table_array(lesson_of(view));
    (void)error;
    memcpy(values, array->numbers + row * array->columns, array->columns * sizeof *values);
    return SAC_OK;
}

/* ---------------------------------------------------------------- the lesson view's table: what it asks for, and its settings in words */

typedef struct lesson_job {
    viz_job base;
    sac_lesson_request request;
    int step;  /* asked for before the lesson was known; 0: none was */
    int entry; /* of the gallery, whose picture it is for, from 1; 0: to be shown */
    sac_shown_lesson lesson;
} lesson_job;

/* ---------------------------------------------------------------- jobs */

static viz_job *lesson_create_job(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    if (!v->wanted.name[0] || !viz_request_due(&v->request, v->demand)) {
        int entry = lesson_gallery_next_missing(v);
        lesson_job *job = entry >= 0 && !v->request.out && !v->gallery.out
                              ? viz_job_create(&viz_lesson_class, sizeof *job)
                              : NULL;
        if (!job)
            return NULL;
        job->entry = entry + 1;
        job->request.asks = v->quiz;
        snprintf(job->request.name, sizeof job->request.name, "%s",
                 v->source->lesson.entries[entry].name);
        v->gallery.asked[entry] = v->gallery.out = true;
        return &job->base;
    }
    if (v->gallery.out)
        return NULL;
    lesson_job *job = viz_job_create(&viz_lesson_class, sizeof *job);
    if (!job)
        return NULL;
    job->request = v->wanted;
    job->step = v->known ? 0 : v->step + 1;
    return viz_request_submit(&v->request, &job->base, v->demand);
}

static sac_status lesson_run_job(viz_view *view, viz_job *base, sac_error *error)
{
    lesson_job *job = viz_job_of(base, &viz_lesson_class);
    sac_status status =
        view->source->lesson.teach(view->source->self, &job->request, &job->lesson, error);
    int steps = job->lesson.step_count;
    if (job->entry)
        return SAC_OK; /* one that does not come has no picture */
    if (status != SAC_OK || job->step <= steps)
        return status;
    sac_shown_lesson_free(&job->lesson);
    return sac_fail(error, SAC_E_ARGUMENT, "--step", NULL, "%s has steps 1 to %d",
                    job->request.name, steps);
}

static void lesson_finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    lesson_view *v = lesson_of(view);
    lesson_job *job = viz_job_of(base, &viz_lesson_class);
    if (job->entry) {
        sac_shown_lesson **lesson = &v->gallery.lessons[job->entry - 1];
        v->gallery.out = false;
        *lesson = job->lesson.step_count ? malloc(sizeof **lesson) : NULL;
        if (*lesson)
            **lesson = job->lesson;
        else
            sac_shown_lesson_free(&job->lesson);
    } else if (viz_request_take(&v->request, error)) {
        bool other = !v->known || strcmp(v->lesson.name, job->lesson.name) != 0;
        sac_shown_lesson_free(&v->lesson);
        sac_arithmetic_free(&v->arithmetic);
        v->lesson = job->lesson;
        v->known = true;
        v->taught++;
        v->lists = v->lists && !v->opening;
        v->opening = false;
        v->current = v->hovered = (lesson_cell){0};
        lesson_choose(v, lesson_cell_named(v, v->cell_name)); /* none of a name that it has not */
        int last = v->lesson.step_count - 1;
        v->step = v->step > last ? last : v->step;
        if (lesson_moves(v)) /* and the rest at a step goes on */
            lesson_motion_end(v);
        v->draws.on &= !other;
        if (other)
            lesson_motion_begin(v, -1, v->step);
        v->knows_asks = job->request.asks;
        if (v->quiz && v->knows_asks)
            lesson_refresh_questions(v);
        if (v->ends)
            lesson_choose_end_cards(v);
    }
    free(job);
}

/* ---------------------------------------------------------------- settings in words */

/* Empty where a name in it cannot be pasted into a shell. */
static char *lesson_command(const viz_view *view, char *text, size_t size)
{
    const lesson_view *v = (const lesson_view *)view;
    char number[24];
    sac_command_line line = sac_command_begin(text, size, "saccade lesson");
    if (v->wanted.name[0]) {
        snprintf(number, sizeof number, "%d", v->step + 1);
        sac_command_add(&line, v->wanted.name);
        sac_command_add_option(&line, "--step", number);
    }
    if (v->wanted.text[0])
        sac_command_add_option(&line, "--text", v->wanted.text);
    /* "a=1 b=2" as " --set a=1 --set b=2". */
    char word[sizeof((sac_lesson_request *)0)->settings];
    for (const char *at = v->wanted.settings; *at;) {
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        sac_command_add_option(&line, "--set", word);
        at += length + (at[length] == ' ');
    }
    if (v->cell_name[0])
        sac_command_add_option(&line, "--cell", v->cell_name);
    if (v->quiz)
        sac_command_add_option(&line, "--quiz", "");
    if (v->quiz || v->wanted.seed_given) {
        snprintf(number, sizeof number, "%" PRIu64, v->quiz ? v->quiz_seed : v->wanted.seed);
        sac_command_add_option(&line, "--seed", number);
    }
    if (v->language != SAC_IN_ENGLISH)
        sac_command_add_option(&line, "--language", sac_locale_names[v->language]);
    if (v->map)
        sac_command_add_option(&line, "--map", viz_colormap_name(v->map));
    if (v->codes)
        sac_command_add_option(&line, "--code", "");
    if (v->shown)
        sac_command_add_option(&line, "--show", lesson_shown_names[v->shown]);
    if (v->source->origin.file[0])
        sac_command_add_option(&line, "--from", v->source->origin.file);
    return text;
}

static void save_command(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    char command[LESSON_COMMAND];
    put(user, s->name, lesson_command(view, command, sizeof command));
}

/* Settings may come from outside: a value that is not of its kind changes nothing. */
static void restore_checked_text(lesson_view *v, char *to, size_t size, const char *value)
{
    if (sac_has_control(value) || strlen(value) >= size)
        return;
    v->demand += strcmp(to, value) != 0;
    snprintf(to, size, "%s", value);
}

static void restore_lesson(viz_view *view, const viz_setting *s, const char *name)
{
    lesson_view *v = lesson_of(view);
    (void)s;
    bool known = false;
    for (int i = 0; i < v->source->lesson.entry_count && !known; i++)
        known = !strcmp(v->source->lesson.entries[i].name, name);
    if (!known)
        return;
    v->step = strcmp(v->wanted.name, name) ? 0 : v->step;
    v->opening = true;
    restore_checked_text(v, v->wanted.name, sizeof v->wanted.name, name);
}

/* Of a lesson that is not known yet the name is kept, until the lesson has such a cell or not. */
static void restore_cell(viz_view *view, const viz_setting *s, const char *name)
{
    lesson_view *v = lesson_of(view);
    (void)s;
    bool plain = !sac_has_control(name) && strlen(name) < sizeof v->cell_name;
    snprintf(v->cell_name, sizeof v->cell_name, "%s", plain ? name : "");
    if (v->known)
        lesson_choose(v, lesson_cell_named(v, v->cell_name));
}

static bool parse_whole_number(const char *value, uint64_t *seed)
{
    char *end;
    errno = 0;
    uint64_t read = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || errno)
        return false;
    *seed = read;
    return true;
}

static void restore_step(viz_view *view, const viz_setting *s, const char *value)
{
    lesson_view *v = lesson_of(view);
    (void)s;
    uint64_t step;
    if (!parse_whole_number(value, &step) || step < 1 || step > INT_MAX)
        return;
    v->step = (int)step - 1;
    if (v->known && v->step >= v->lesson.step_count)
        v->step = v->lesson.step_count - 1;
}

/* Nothing at all ends the questions. */
static void restore_quiz(viz_view *view, const viz_setting *s, const char *value)
{
    lesson_view *v = lesson_of(view);
    (void)s;
    if (value[0] && !parse_whole_number(value, &v->quiz_seed))
        return;
    if (!value[0]) {
        lesson_quiz_leave(v);
        return;
    }
    v->quiz = true;
    if (v->knows_asks)
        lesson_make_questions(v);
    else
        lesson_request_questions(v);
}

static void restore_settings_or_text(viz_view *view, const viz_setting *s, const char *value)
{
    lesson_view *v = lesson_of(view);
    if (!strcmp(s->name, "settings"))
        restore_checked_text(v, v->wanted.settings, sizeof v->wanted.settings, value);
    else
        restore_checked_text(v, v->wanted.text, sizeof v->wanted.text, value);
}

static void save_step(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    viz_put_whole(put, user, s->name, ((const lesson_view *)view)->step + 1);
}

static void save_seed(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const lesson_view *v = (const lesson_view *)view;
    viz_put_whole(put, user, s->name,
                  (long long)(!strcmp(s->name, "quiz") ? v->quiz_seed : v->wanted.seed));
}

static void restore_seed(viz_view *view, const viz_setting *s, const char *value)
{
    lesson_view *v = lesson_of(view);
    (void)s;
    if (!parse_whole_number(value, &v->wanted.seed))
        return;
    v->wanted.seed_given = true;
    v->demand++;
}

static bool is_quiz(const viz_view *view)
{
    return ((const lesson_view *)view)->quiz;
}

static bool has_seed(const viz_view *view)
{
    return ((const lesson_view *)view)->wanted.seed_given;
}

static const char *const page_names[] = {"shown", "one", "all"};

#define IN(member) offsetof(lesson_view, member)

static const viz_setting lesson_settings[] = {
    {"command", .save = save_command},
    VIZ_SOURCE_TEXT("from", origin.file),
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"lesson", VIZ_TEXT, IN(wanted.name), .moves = true, .take = restore_lesson},
    {"settings", VIZ_TEXT, IN(wanted.settings), .take = restore_settings_or_text},
    {"text", VIZ_TEXT, IN(wanted.text), .take = restore_settings_or_text},
    {"cell", VIZ_TEXT, IN(cell_name), .take = restore_cell},
    {"language", VIZ_CHOICE, IN(language), VIZ_NAMES(sac_locale_names)},
    {"map", VIZ_CHOICE, IN(map), .names = viz_colormap_names, .count = VIZ_DIVERGING},
    {"shown", VIZ_CHOICE, IN(shown), VIZ_NAMES(lesson_shown_names)},
    {"code", VIZ_SWITCH, IN(codes), VIZ_NAMES(viz_no_yes)},
    {"step", .moves = true, .save = save_step, .take = restore_step},
    {"quiz", .moves = true, .only = is_quiz, .save = save_seed, .take = restore_quiz},
    {"seed", .only = has_seed, .save = save_seed, .take = restore_seed},
    {"pages", VIZ_CHOICE, IN(pages), VIZ_NAMES(page_names), .unmentioned = true},
    {"pace", VIZ_CHOICE, IN(pace), VIZ_NAMES(viz_pace_names)},
    {0},
};

static void lesson_status(const viz_view *view, char *text, size_t size)
{
    const lesson_view *v = (const lesson_view *)view;
    const char *pace = v->pace == VIZ_PACE_USUAL ? "" : viz_pace_names[v->pace];
    snprintf(text, size, "%s%s%s%s%s", v->wanted.name, v->wanted.name[0] ? "  ·  " : "",
             v->source->origin.device, pace[0] ? "  ·  " : "", pace);
}

/* The number of the door that a person opened, once, among those of all its steps. */
static int lesson_take_opened_door(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    int chosen = v->opens ? (int)(v->opens - v->source->lesson.doors) : -1;
    v->opens = NULL;
    return chosen;
}

/* ---------------------------------------------------------------- frames */

static bool lesson_typing(const viz_view *view)
{
    const lesson_view *v = (const lesson_view *)view;
    return v->known && !v->lists && (lesson_asks(v) || v->writes);
}

#define DRAWN_HIGHER 0.7f /* so much of the width a page with a drawing may have more of height */

/* A page is laid out from its foot up: on a high one, what it does not need is left. */
static float lesson_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    lesson_view *v = lesson_of(view);
    float height = (width < 600                    ? 1.6f
                    : v->pages == LESSON_ALL_PAGES ? 0.68f
                                                   : 0.9f) *
                   width; /* two on a sheet */
    if (lesson_is_sheet(v))
        return lesson_sheet_height(v, canvas, width);
    if (v->lists)
        return lesson_gallery_height(v, canvas, width);
    if (!v->known)
        return VIZ_FIGURE_HEIGHT * width;
    lesson_update_current(v);
    height += lesson_drawing(v) ? DRAWN_HIGHER * width : 0;
    return height - lesson_lay(v, canvas, (viz_rect){0, 0, width, height});
}

static int lesson_pages(const viz_view *view)
{
    const lesson_view *v = (const lesson_view *)view;
    if (lesson_is_sheet(v))
        return lesson_sheet_pages(v);
    return v->pages == LESSON_ALL_PAGES ? v->lesson.step_count : 1;
}

/* The answers are on a sheet of their own, and each lesson begins one. */
static bool lesson_breaks_before(const viz_view *view, int page)
{
    return lesson_sheet_breaks((const lesson_view *)view, page);
}

static void lesson_turn_to(viz_view *view, int page)
{
    lesson_view *v = lesson_of(view);
    if (lesson_is_sheet(v))
        lesson_sheet_turn(v, page);
    else if (lesson_pages(view) > 1)
        lesson_turn(v, page);
    lesson_motion_end(v);
}

static int lesson_frames(const viz_view *view, int fps)
{
    return lesson_motion_frames((const lesson_view *)view, fps);
}

static void lesson_frame(viz_view *view, int index, int fps)
{
    lesson_motion_frame(lesson_of(view), index, fps);
}

static bool lesson_tick(viz_view *view, double now)
{
    return lesson_motion_tick(lesson_of(view), now);
}

/* ---------------------------------------------------------------- input: typing, keys and presses */

static void add_written_letters(lesson_view *v, const char *letters)
{
    size_t used = strlen(v->written);
    for (; *letters && used + 1 < sizeof v->written; letters++)
        v->written[used++] = *letters == '\n' || *letters == '\t' ? ' ' : *letters;
    v->written[used] = '\0';
}

static bool lesson_text_input_event(lesson_view *v, const viz_event *e)
{
    if (e->ctrl && e->key == 'l') {
        v->writes = true;
        memcpy(v->written, v->wanted.text, sizeof v->written);
        return true;
    }
    if (e->ctrl && e->key == 'v' && e->text && !lesson_asks(v)) {
        v->writes = true;
        add_written_letters(v, e->text);
        return true;
    }
    if (!v->writes || e->ctrl)
        return false;
    if (e->key == VIZ_KEY_RETURN) {
        v->writes = false;
        if (strcmp(v->wanted.text, v->written) != 0) {
            memcpy(v->wanted.text, v->written, sizeof v->wanted.text);
            v->demand++;
        }
        return true;
    }
    if (e->key == VIZ_KEY_BACKSPACE) {
        /* Whole letters go, of which UTF-8 has several bytes. */
        size_t used = strlen(v->written);
        while (used > 0 && ((unsigned char)v->written[--used] & 0xc0) == 0x80)
            ;
        v->written[used] = '\0';
    } else if (e->key == VIZ_KEY_ESCAPE)
        v->writes = false;
    else if (e->key == VIZ_KEY_TEXT)
        add_written_letters(v, e->text);
    else if (e->key >= ' ' && e->key < 127)
        add_written_letters(v, (char[]){(char)e->key, '\0'});
    return true;
}

/* ---------------------------------------------------------------- keys and pointer on a lesson's page: what can be changed */

static void drag_slider(lesson_view *v, float x)
{
    lesson_set_parameter(v, v->dragged, viz_slider_value(&v->layout.sliders[v->dragged], x));
}

/* ---------------------------------------------------------------- cells and steps */

static lesson_cell cell_at(const lesson_view *v, float x, float y)
{
    const lesson_layout *l = &v->layout;
    lesson_cell cell = {0};
    for (int i = 0; i < l->block_count; i++)
        if (lesson_cell_at(&l->blocks[i], lesson_array(v, l->blocks[i].node), x, y, &cell.cell))
            cell.array = l->blocks[i].node;
    return cell;
}

static bool hover(lesson_view *v, lesson_cell cell)
{
    bool changed = cell.array != v->hovered.array || cell.cell != v->hovered.cell;
    v->hovered = cell;
    return changed;
}

static bool press(lesson_view *v, float x, float y)
{
    if (lesson_buttons_press(v, x, y) || lesson_card_press(v, &v->card, x, y))
        return true;
    if (v->ends && lesson_end_press(v, x, y))
        return true;
    if (!v->ends && lesson_quiz_press(v, cell_at(v, x, y)))
        return true;
    const lesson_layout *l = &v->layout;
    int step = viz_turns_hit(&l->turns, x, y), control = l->control_count - 1;
    while (control >= 0 &&
           !(l->switches[control].w > 0 ? viz_inside(l->switches[control], x, y)
                                        : viz_slider_hit(&l->sliders[control], x, y)))
        control--;
    lesson_cell cell = cell_at(v, x, y);
    if (step < 0 && !v->ends) {
        step = lesson_block_step_at(v, x, y);
        if (step >= 0 && v->layout.block_large) { /* a part of the large diagram is entered */
            v->shown = LESSON_BOTH;
            lesson_turn(v, step);
            return true;
        }
    }
    if (step >= 0)
        return lesson_turn(v, step);
    if (viz_inside(v->layout.reset, x, y))
        return lesson_reset(v);
    if (viz_inside(v->layout.back, x, y))
        return lesson_gallery_show(v);
    if (lesson_doors_press(v, x, y))
        return true;
    if (control >= 0) {
        if (v->layout.switches[control].w > 0) {
            lesson_set_parameter(v, control, v->lesson.values[control] == 0);
        } else {
            v->dragged = control;
            drag_slider(v, x);
        }
    } else if (cell.array) {
        /* A number that the lesson is given grows with the pointer's way up or to the right. */
        const sac_shown_array *array = lesson_array(v, cell.array);
        lesson_choose(v, cell);
        v->held = array->given ? cell : (lesson_cell){0};
        v->held_value = array->numbers[cell.cell];
        v->held_step = lesson_heat_of(array, v->map).most > 1 ? 0.1f : 0.01f;
        v->held_x = x;
        v->held_y = y;
    }
    return control >= 0 || cell.array;
}

static bool press_step(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    int last = v->lesson.step_count - 1, from = v->step + v->ends;
    v->motion.plays = false;
    if (v->ends && !pressed.what && pressed.step > 0)
        return lesson_end_go_on(v);
    return lesson_turn(v, !pressed.what ? from + pressed.step : pressed.step < 0 ? 0 : last);
}

static bool press_play(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    (void)pressed;
    return lesson_motion_play(v, !v->motion.plays);
}

static bool press_move_cell(viz_view *view, viz_pressed pressed)
{
    return lesson_move(lesson_of(view), pressed.what ? 0 : pressed.step,
                       pressed.what ? pressed.step : 0);
}

static bool press_toggle_code(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    (void)pressed;
    v->codes = !v->codes;
    v->code_copied = v->codes;
    return true;
}

static bool press_next_colormap(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    v->map = (v->map + pressed.step + VIZ_DIVERGING) % VIZ_DIVERGING;
    return true;
}

static bool press_cycle_shown(viz_view *view, viz_pressed pressed)
{
    return lesson_turn_shown(lesson_of(view), pressed.step);
}

static bool has_drawing(const viz_view *view)
{
    const lesson_view *v = (const lesson_view *)view;
    return v->known && !v->lists && lesson_drawing(v);
}

static bool press_show_gallery(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    return lesson_gallery_show(lesson_of(view));
}

static bool press_mark_or_open_door(viz_view *view, viz_pressed pressed)
{
    lesson_view *v = lesson_of(view);
    if (v->ends)
        return pressed.what && lesson_end_press_default(v);
    return lesson_mark_or_open_door(v, pressed.what ? 0 : pressed.step);
}

static bool press_reset(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    lesson_reset(lesson_of(view));
    lesson_choose(lesson_of(view), (lesson_cell){0});
    return true;
}

static const viz_key_row lesson_keys[] = {
    {"←  →", "the step before, the next one", press_step},
    {"PgUp  PgDn", "the same, as a clicker has them", press_step},
    {"space", "play the steps, one after the other, or rest", press_play},
    {"+  −", "the pace of what moves: still, slow, usual, fast", .setting = "pace"},
    {"Home  End", "the first step, the last", press_step, true},
    {"↑  ↓", "the number above, below", press_move_cell},
    {"ctrl ←  ctrl →", "the number to the left, to the right", press_move_cell, true},
    {"pointer", "the arithmetic of a number"},
    {"click", "keep that number, turn to a step"},
    {"ctrl L", "a sentence of your own; ctrl V pastes it"},
    {"#", "the lines of PyTorch of this step, which are copied", press_toggle_code},
    {"M", "the colours of weights", press_next_colormap},
    {"=", "drawing and numbers, or one of them", press_cycle_shown, .acts = has_drawing},
    {"F", "the list of all lessons", press_show_gallery},
    {"N  P", "the next door of the closing lesson, the one before", press_mark_or_open_door},
    {"Return", "open the marked door; at the end, what is lit", press_mark_or_open_door, true},
    {"drag", "a slider, or a number that the lesson begins with"},
    {"ctrl R", "the lesson's own numbers again", press_reset},
    {"wheel", "through the steps"},
    {"ctrl C", "copy the command that shows this"},
    {NULL, NULL},
};

static bool lesson_event(viz_view *view, const viz_event *e)
{
    lesson_view *v = lesson_of(view);
    bool was_dragged = v->dragged >= 0;
    if (v->lists)
        return lesson_gallery_event(v, e);
    if (!v->known)
        return false;
    if (e->kind == VIZ_KEY || e->kind == VIZ_PRESS || e->kind == VIZ_WHEEL) {
        if (e->kind == VIZ_PRESS && lesson_current_beat(v) >= 0) /* a hand takes over */
            v->motion.plays = v->draws.on = false;
        bool ended = lesson_motion_end(v);
        bool turns = e->kind == VIZ_KEY && !e->ctrl &&
                     (e->key == VIZ_KEY_LEFT || e->key == VIZ_KEY_RIGHT ||
                      e->key == VIZ_KEY_PAGE_UP || e->key == VIZ_KEY_PAGE_DOWN || e->key == ' ');
        if (ended && turns) { /* it is done at once, and no more */
            v->motion.plays &= e->key != ' ';
            return true;
        }
    }
    if (lesson_bar_event(v, e) || lesson_drawing_event(v, e))
        return true;
    switch (e->kind) {
    case VIZ_KEY:
        return lesson_text_input_event(v, e) || (!e->ctrl && lesson_quiz_key(v, e->key)) ||
               viz_keys_press(lesson_keys, view, e);
    case VIZ_PRESS:
        return e->button == 1 && press(v, e->x, e->y);
    case VIZ_MOVE:
        if (was_dragged) {
            drag_slider(v, e->x);
        } else if (v->held.array) {
            char name[LESSON_CELL_NAME];
            float way = e->x - v->held_x + v->held_y - e->y, step = v->held_step;
            if (fabsf(way) < 3 || !isfinite(v->held_value))
                return false;
            float value = step * rintf((v->held_value + 0.25f * step * way) / step);
            lesson_request_setting(v, lesson_cell_name(v, v->held, name, sizeof name), value,
                                   false);
            return true;
        }
        return was_dragged || hover(v, cell_at(v, e->x, e->y));
    case VIZ_RELEASE:
        was_dragged = lesson_is_dragged(v);
        v->dragged = -1;
        v->held = (lesson_cell){0};
        return was_dragged;
    case VIZ_LEAVE:
        return hover(v, (lesson_cell){0});
    case VIZ_WHEEL:
        return lesson_turn(v, v->step + v->ends + (e->wheel_y < 0 ? 1 : -1));
    }
    return false;
}

/* ---------------------------------------------------------------- spots */

static void lesson_add_spots(const viz_view *view, viz_spots *spots)
{
    const lesson_view *v = (const lesson_view *)view;
    const lesson_layout *l = &v->layout;
    if (v->lists)
        lesson_gallery_spots(v, spots);
    if (!v->known || v->lists)
        return;
    viz_spots_add_press(spots, l->back, "F", "Back to all lessons (F).");
    viz_spots_add(spots, l->reset, VIZ_SPOT_PRESSES, "Back to the lesson's own numbers.");
    viz_turns_spots(&l->turns, spots);
    lesson_buttons_spots(v, spots);
    if (v->ends) {
        lesson_end_spots(v, spots);
        return;
    }
    if (!v->answered)
        lesson_card_spots(&v->card, spots);
    lesson_block_spots(v, spots);
    lesson_drawing_spots(v, spots);
    lesson_doors_spots(v, spots);
    if (lesson_asks(v))
        viz_spots_add(spots, l->bar, VIZ_SPOT_SLIDES, "Drag it to your guess, and let go.");
    viz_spots_add_press(spots, l->code, "#", "The lines of PyTorch of this step: # copies them.");
    for (int i = 0; i < l->control_count; i++) {
        const char *other =
            lesson_is_idle(v, i) ? "It changes other steps, and nothing of this one." : NULL;
        viz_spots_add(spots, l->switches[i], VIZ_SPOT_PRESSES, other ? other : "On, or off.");
        viz_spots_add_slider(spots, &l->sliders[i], v->lesson.values[i],
                             other ? other : "Drag it: all that depends on it follows.");
    }
    for (int i = 0; i < l->block_count; i++)
        viz_spots_add(spots, l->blocks[i].rect, VIZ_SPOT_AREA,
                      "Point at a number: its arithmetic stands below. What the lesson begins with "
                      "is dragged, up or to the right for more.");
    viz_spots_add_caps(spots, &l->caps);
}

/* ---------------------------------------------------------------- the class */

/* Back to the list. */
static bool lesson_home(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    return !v->lists && lesson_gallery_show(v);
}

static bool lesson_accepts(const sac_source *source)
{
    return source->lesson.teach;
}

static void lesson_destroy(viz_view *view)
{
    lesson_view *v = lesson_of(view);
    sac_shown_lesson_free(&v->lesson);
    sac_arithmetic_free(&v->arithmetic);
    lesson_gallery_free(&v->gallery);
    free(v);
}

const viz_view_class viz_lesson_class = {
    .name = "lesson",
    .tab = "Lessons",
    .is_place = true,
    .about = "An idea of attention, step by step, each number with its arithmetic.",
    .home = lesson_home,
    .accepts = lesson_accepts,
    .create = viz_lesson_view_create,
    .draw = lesson_draw,
    .event = lesson_event,
    .tick = lesson_tick,
    .create_job = lesson_create_job,
    .run_job = lesson_run_job,
    .finish_job = lesson_finish_job,
    .status = lesson_status,
    .choose = lesson_take_opened_door,
    .settings = {lesson_settings},
    .keys = lesson_keys,
    .spots = lesson_add_spots,
    .typing = lesson_typing,
    .figure = lesson_draw,
    .figure_height = lesson_figure_height,
    .table = lesson_table,
    .table_name = lesson_table_name,
    .table_row = lesson_table_row,
    .command = lesson_command,
    .copied = lesson_take_copied_code,
    .pages = lesson_pages,
    .breaks_before = lesson_breaks_before,
    .turn_to = lesson_turn_to,
    .frames = lesson_frames,
    .frame = lesson_frame,
    .destroy = lesson_destroy,
};

sac_status viz_lesson_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                  sac_error *error)
{
    lesson_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "lesson");
    v->base = (viz_view){.class = &viz_lesson_class, .source = source};
    v->source = source;
    v->wanted = source->lesson.first;
    v->language = viz_language();
    v->pace = VIZ_PACE_USUAL;
    v->demand = 1;
    for (int h = 0; h < LESSON_HEADS; h++)
        v->heads_shown[h] = true;
    v->dragged = v->handle = v->handle_over = v->band_row = v->band_column = -1;
    v->lists = !v->wanted.name[0];
    *view = &v->base;
    return SAC_OK;
}
