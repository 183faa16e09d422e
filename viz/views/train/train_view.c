/* What can be trained, and to begin it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parts/controls/controls.h"
#include "parts/controls/text_field.h"
#include "parts/pages/paragraph.h"
#include "view/view.h"
#include "view/words.h"

extern const viz_view_class viz_train_class;

#define ROW 42.0f
#define FIELD 34.0f
#define LABEL 18.0f     /* above a field */
#define NAME_ROOM 24.0f /* beside the name of what can be trained */

typedef enum train_field { OWN = 0, OWN_TOO, OUT, FIELDS } train_field;
/* By what of a person's own is asked for. */
static const char *const field_names[][FIELDS] = {
    [SAC_OWN_NOTHING] = {NULL, NULL, N_("the weights go to")},
    [SAC_OWN_PICTURES] = {N_("folder of pictures"),
                          N_("file of captions: image,caption in each line, or JSON (empty: "
                             "NAME.txt beside each picture)"),
                          N_("the weights go to")},
    [SAC_OWN_TEXT] = {N_("file of text, or a folder of such; its last tenth is held out"), NULL,
                      N_("the weights go to")},
    [SAC_OWN_PAIRS] = {N_("file of sentence pairs, with a tab between two; or of sentences"),
                       N_("file of their translations, line by line (empty: the first has both)"),
                       N_("the weights go to")},
};
static const char *const picks[][FIELDS] = {
    [SAC_OWN_NOTHING] = {NULL},
    [SAC_OWN_PICTURES] = {N_("the folder of pictures"), N_("the file of captions")},
    [SAC_OWN_TEXT] = {N_("the file of text")},
    [SAC_OWN_PAIRS] = {N_("the file of sentence pairs"), N_("the file of translations")},
};

enum { LENGTHS = 3 };

typedef struct train_view {
    viz_view base;
    int offer, length;
    viz_text_field field[FIELDS];
    bool named;          /* the person named the file of weights */
    char problem[1200];  /* why the training cannot begin; "": it can */
    bool replaces;       /* a file may be replaced: the person was asked */
    bool begins, copies; /* for the window, once */
    int picks;           /* the field that a path is chosen for, once; −1: none */
    int picked;          /* the field that waits for it */
    char text[4096];     /* the command */

    viz_rect rows[SAC_TRAINING_OFFERS], fields[FIELDS], choose[FIELDS], begin;
    viz_controls controls;
    char length_names[LENGTHS][40];
    viz_choices copy; /* as drawn last */
} train_view;

static train_view *as_train_view(const viz_view *view)
{
    return (train_view *)view;
}

static const sac_trainer_source *trainer(const train_view *v)
{
    return &v->base.source->trainer;
}

static const sac_training_offer *offer_of(const train_view *v)
{
    return &trainer(v)->offers[v->offer];
}

/* ---------------------------------------------------------------- what is chosen */

static size_t steps_of(const train_view *v, int length)
{
    size_t whole = offer_of(v)->steps, tries[LENGTHS] = {200, whole / 4, whole};
    return tries[length];
}

static sac_training_wish wish_of(const train_view *v)
{
    sac_training_wish wish = {.offer = v->offer, .steps = steps_of(v, v->length)};
    snprintf(wish.out, sizeof wish.out, "%.1023s", v->field[OUT].text);
    for (int i = 0; i < SAC_OWN_PATHS; i++)
        snprintf(wish.own[i], sizeof wish.own[i], "%.1023s", v->field[OWN + i].text);
    return wish;
}

static void forget_problem(train_view *v)
{
    v->problem[0] = '\0';
    v->replaces = false;
}

/* "a try: 200" */
static int lengths(const viz_view *view, const viz_setting *s, const char **names,
                   const char **tips)
{
    train_view *v = as_train_view(view);
    for (int i = 0; i < LENGTHS; i++) {
        names[i] = v->length_names[i];
        snprintf(v->length_names[i], sizeof v->length_names[i], "%s: %zu", viz_word(s->names[i]),
                 steps_of(v, i));
        tips[i] = s->tips[i];
    }
    return LENGTHS;
}

static void length_changed(viz_view *view)
{
    forget_problem(as_train_view(view));
}

static void choose_offer(train_view *v, int offer);

static void save_offer(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name, offer_of((const train_view *)view)->name);
}

static void restore_offer(viz_view *view, const viz_setting *s, const char *value)
{
    train_view *v = as_train_view(view);
    (void)s;
    for (int i = 0; i < trainer(v)->count; i++)
        if (strcmp(trainer(v)->offers[i].name, value) == 0)
            choose_offer(v, i);
}

static void save_steps(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const train_view *v = (const train_view *)view;
    viz_put_whole(put, user, s->name, (long long)steps_of(v, v->length));
}

static void restore_steps(viz_view *view, const viz_setting *s, const char *value)
{
    train_view *v = as_train_view(view);
    (void)s;
    for (int i = 0; i < LENGTHS; i++)
        if (strtoull(value, NULL, 10) == steps_of(v, i))
            v->length = i;
}

static void restore_own(viz_view *view, const viz_setting *s, const char *value)
{
    train_view *v = as_train_view(view);
    viz_text_field_set(&v->field[strcmp(s->name, "own") == 0 ? OWN : OWN_TOO], value);
}

#define FIELD_TEXT(field_) (offsetof(train_view, field[field_]) + offsetof(viz_text_field, text))

static const char *const length_names[LENGTHS] = {N_("a try"), N_("a quarter"), N_("all")};
static const char *const length_tips[LENGTHS] = {
    "Enough to see that it begins to learn.", "Enough to see what it will be like.",
    "As the models that come with Saccade were trained."};
static const viz_setting settings[] = {
    {"length", VIZ_CHOICE, offsetof(train_view, length), VIZ_NAMES(length_names),
     .changed = length_changed, .widget = VIZ_CHIPS, .choices = lengths, .tips = length_tips},
    {"training", .moves = true, .save = save_offer, .take = restore_offer},
    {"steps", .moves = true, .save = save_steps, .take = restore_steps},
    {"own", VIZ_TEXT, FIELD_TEXT(OWN), .moves = true, .take = restore_own},
    {"own too", VIZ_TEXT, FIELD_TEXT(OWN_TOO), .moves = true, .take = restore_own},
    {0},
};

static void choose_offer(train_view *v, int offer)
{
    char out[SAC_TRAINING_PATH];
    for (int i = 0; i < SAC_OWN_PATHS && trainer(v)->offers[offer].own != offer_of(v)->own; i++)
        viz_text_field_set(&v->field[OWN + i], ""); /* they are of something else */
    v->offer = offer;
    forget_problem(v);
    if (v->named)
        return;
    sac_training_wish wish = wish_of(v);
    trainer(v)->propose(v->base.source->self, &wish, out);
    viz_text_field_set(&v->field[OUT], out);
}

static char *command(const viz_view *view, char *text, size_t size)
{
    const train_view *v = as_train_view(view);
    sac_training_wish wish = wish_of(v);
    return trainer(v)->command(view->source->self, &wish, text, size);
}

static void begin(train_view *v)
{
    bool exists;
    sac_training_wish wish = wish_of(v);
    v->problem[0] = '\0';
    if (!trainer(v)->check(v->base.source->self, &wish, &exists, v->problem, sizeof v->problem) &&
        !(exists && v->replaces)) {
        v->replaces = exists;
        return;
    }
    v->problem[0] = '\0';
    v->base.source->trainer.wish = wish;
    v->base.source->trainer.next = SAC_NEXT_TRAINING;
    v->begins = true;
}

/* ---------------------------------------------------------------- layout and looks */

static float draw_text(viz_canvas *canvas, viz_face face, float size, float x, float y, float width,
                       viz_color color, const char *text)
{
    return viz_text_within(canvas, face, size, x, y, width, VIZ_LEFT, color, viz_word(text));
}

static float draw_field(train_view *v, viz_canvas *canvas, train_field f, float x, float y, float w)
{
    const viz_theme *theme = canvas->theme;
    const sac_training_own own = offer_of(v)->own;
    float button = picks[own][f] ? 84 : 0;
    draw_text(canvas, VIZ_SANS, VIZ_LABEL, x, y + 13, w, theme->text2, field_names[own][f]);
    v->fields[f] = (viz_rect){x, y + LABEL, w - button, FIELD};
    viz_text_field_draw(&v->field[f], canvas, v->fields[f],
                        f == OUT ? "a file" : "none chosen yet");
    if (picks[own][f]) {
        viz_rect r = v->choose[f] = (viz_rect){x + w - button + 8, y + LABEL, button - 8, FIELD};
        viz_fill_round(canvas, r, 6, theme->panel);
        viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + r.w / 2, r.y + 22, VIZ_CENTER, theme->text,
                 viz_word("choose"));
    }
    return y + LABEL + FIELD + 8;
}

static void draw_button(viz_canvas *canvas, viz_rect r, const char *text)
{
    viz_fill_round(canvas, r, 6, canvas->theme->accent);
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, r.x + r.w / 2, r.y + r.h / 2 + 5, VIZ_CENTER,
             canvas->theme->on_accent, viz_word(text));
}

/* Title and button, what is chosen, and the command where there is room for it. */
static void draw_form(train_view *v, viz_canvas *canvas, viz_rect area)
{
    static const char *const copy[] = {"copy"};
    const viz_theme *theme = canvas->theme;
    const sac_training_offer *offer = offer_of(v);
    float x = area.x, w = area.w, y = area.y;
    v->begin = (viz_rect){x + w - 96, y, 96, FIELD};
    draw_button(canvas, v->begin, "Start");
    draw_text(canvas, VIZ_SANS, VIZ_SENTENCE, x, y + 24, w - 110, theme->text, offer->name);
    draw_text(canvas, VIZ_SANS, VIZ_LABEL, x, y + 52, w,
              v->problem[0] ? theme->accent : theme->text2,
              v->problem[0] ? v->problem : offer->from);
    y += 66;
    draw_text(canvas, VIZ_SANS, VIZ_LABEL, x, y + 17, 50, theme->text2, "steps");
    y += viz_controls_add(&v->controls, &v->base, canvas, "length", x + 46, y, w - 46) + 10;
    viz_controls_draw(&v->controls, &v->base, canvas);
    for (int i = OWN; i <= OWN_TOO; i++)
        if (field_names[offer->own][i])
            y = draw_field(v, canvas, (train_field)i, x, y, w);
    y = draw_field(v, canvas, OUT, x, y, w) + 14;
    if (y + 60 > area.y + area.h)
        return;
    command(&v->base, v->text, sizeof v->text);
    draw_text(canvas, VIZ_SANS, VIZ_LABEL, x, y + 18, w - 80, theme->text2,
              "the same in a terminal (ctrl C copies it)");
    v->copy = viz_chips_layout(canvas, x + w - 56, y, 60, copy, 1);
    viz_chips_draw(canvas, &v->copy, -1);
    viz_clip(canvas, (viz_rect){x, y, w, area.y + area.h - y});
    viz_paragraph_draw(canvas, VIZ_MONO, VIZ_LABEL, x, y + 46, w, theme->text, v->text);
    viz_clip_none(canvas);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    train_view *v = as_train_view(view);
    bool low = area.h < 420;
    float w = fminf(area.w - 2 * VIZ_MARGIN, 1180), x = area.x + (area.w - w) / 2;
    float top = area.y + (low ? 6 : 24), list = fminf(0.28f * w, 320);
    for (int i = 0; i < trainer(v)->count; i++)
        list = fmaxf(list, fminf(NAME_ROOM + viz_text_width(canvas, VIZ_SANS, VIZ_BODY,
                                                            trainer(v)->offers[i].name),
                                 0.45f * w));
    viz_rect right = {x + list + 28, top, w - list - 28, area.y + area.h - top - 4};
    v->begin = (viz_rect){0};
    v->copy = (viz_choices){0};
    viz_controls_clear(&v->controls);
    for (int i = 0; i < FIELDS; i++)
        v->fields[i] = v->choose[i] = (viz_rect){0};
    const viz_theme *theme = canvas->theme;
    for (int i = 0; i < trainer(v)->count && i < SAC_TRAINING_OFFERS; i++) {
        viz_rect r = v->rows[i] = (viz_rect){x, top + ROW * (float)i, list, ROW};
        const char *name = trainer(v)->offers[i].name;
        bool current = i == v->offer;
        if (current) {
            viz_fill_round(canvas, (viz_rect){r.x, r.y + 1, r.w, r.h - 2}, 6, theme->panel);
            viz_fill(canvas, (viz_rect){r.x, r.y + 10, 3, r.h - 20}, theme->accent);
        }
        draw_text(canvas, VIZ_SANS, VIZ_BODY, r.x + 14, r.y + 26, r.w - NAME_ROOM,
                  current ? theme->text : theme->text2, name);
    }
    draw_form(v, canvas, right);
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    static const char *const copy_tips[] = {"Copy the command."};
    const train_view *v = as_train_view(view);
    for (int i = 0; i < trainer(v)->count && i < SAC_TRAINING_OFFERS; i++)
        viz_spots_add(spots, v->rows[i], VIZ_SPOT_PRESSES, "Another model to train (↑ ↓).");
    for (int i = 0; i < FIELDS; i++) {
        viz_spots_add(spots, v->fields[i], VIZ_SPOT_PRESSES, "Click to type a path.");
        viz_spots_add(spots, v->choose[i], VIZ_SPOT_PRESSES, "Choose it from a folder.");
    }
    viz_controls_spots(&v->controls, view, spots);
    viz_spots_add_choices(spots, &v->copy, copy_tips);
    viz_spots_add(spots, v->begin, VIZ_SPOT_PRESSES, "Begin this training (Return).");
}

/* ---------------------------------------------------------------- events and time */

static viz_text_field *active_field(const train_view *v)
{
    for (int i = 0; i < FIELDS; i++)
        if (v->field[i].typing)
            return (viz_text_field *)&v->field[i];
    return NULL;
}

static bool typing(const viz_view *view)
{
    return active_field(as_train_view(view));
}

static bool press(train_view *v, const viz_event *e)
{
    float x = e->x, y = e->y;
    for (int i = 0; i < FIELDS; i++)
        v->field[i].typing = v->field[i].all = false;
    bool changed;
    if (viz_controls_event(&v->controls, &v->base, e, &changed))
        return true;
    for (int i = 0; i < FIELDS; i++) {
        if (viz_inside(v->fields[i], x, y)) {
            viz_text_field_begin(&v->field[i]);
            return true;
        }
        if (viz_inside(v->choose[i], x, y)) {
            v->picks = i;
            return true;
        }
    }
    for (int i = 0; i < trainer(v)->count; i++)
        if (viz_inside(v->rows[i], x, y)) {
            choose_offer(v, i);
            return true;
        }
    if (viz_choices_hit(&v->copy, x, y) >= 0)
        v->copies = true;
    else if (viz_inside(v->begin, x, y))
        begin(v);
    else
        return false;
    return true;
}

static bool press_next_offer(viz_view *view, viz_pressed pressed)
{
    train_view *v = as_train_view(view);
    choose_offer(v, (int)viz_next((size_t)v->offer, pressed.step, (size_t)trainer(v)->count));
    return true;
}

static bool press_begin(viz_view *view, viz_pressed pressed)
{
    train_view *v = as_train_view(view);
    (void)pressed;
    begin(v);
    return true;
}

static const viz_key_row keys[] = {
    {"click", "choose, or press"},
    {"↑  ↓", "another model", press_next_offer},
    {"Return", "begin this training", press_begin},
    {NULL, NULL},
};

static void note_field_edit(train_view *v, const viz_text_field *field, bool changed)
{
    if (!changed)
        return;
    v->named = v->named || field == &v->field[OUT];
    forget_problem(v);
}

static bool event(viz_view *view, const viz_event *e)
{
    train_view *v = as_train_view(view);
    viz_text_field *field = active_field(v);
    bool changed = false;
    if (e->kind == VIZ_PRESS)
        return e->button == 1 && press(v, e);
    if (e->kind != VIZ_KEY)
        return false;
    if (field && e->ctrl && e->key == 'v') {
        changed = viz_text_field_paste(field, e->text ? e->text : "");
        note_field_edit(v, field, changed);
        return changed;
    }
    if (field && (!e->ctrl || e->key == 'a')) {
        viz_text_field_key(field, e, &changed);
        note_field_edit(v, field, changed);
        return true;
    }
    return !e->ctrl && viz_keys_press(keys, view, e);
}

/* ---------------------------------------------------------------- for the window */

static int take_begun_offer(viz_view *view)
{
    train_view *v = as_train_view(view);
    bool begins = v->begins;
    v->begins = false;
    return begins ? v->offer : -1;
}

/* The status line, which shows it too, soon changes. */
static void show_refusal(viz_view *view, const char *why)
{
    train_view *v = as_train_view(view);
    snprintf(v->problem, sizeof v->problem, "%s", why);
}

/* It begins where the pictures, or the pairs, lie. */
static bool take_picker_request(viz_view *view, viz_pick *pick)
{
    train_view *v = as_train_view(view);
    int field = v->picks;
    if (field < 0)
        return false;
    v->picks = -1;
    v->picked = field;
    const bool folder = offer_of(v)->own == SAC_OWN_PICTURES && field == OWN;
    const char *first = v->field[OWN].text;
    *pick = (viz_pick){.purpose = picks[offer_of(v)->own][field],
                       .wanted = folder ? VIZ_WANTS_A_FOLDER : VIZ_WANTS_A_TEXT,
                       .from = first[0] ? first : NULL};
    return true;
}

static void set_picked_path(viz_view *view, const char *path)
{
    train_view *v = as_train_view(view);
    viz_text_field_set(&v->field[v->picked], path);
    if (v->picked == OWN) {
        if (offer_of(v)->own == SAC_OWN_PICTURES)
            viz_text_field_set(&v->field[OWN_TOO], ""); /* they are of other pictures */
        sac_training_wish wish = wish_of(v);
        trainer(v)->find(view->source->self, &wish);
        viz_text_field_set(&v->field[OWN_TOO], wish.own[1]);
    }
    forget_problem(v);
}

static const char *take_copied_command(viz_view *view)
{
    train_view *v = as_train_view(view);
    bool copies = v->copies;
    v->copies = false;
    return copies ? command(view, v->text, sizeof v->text) : NULL;
}

static bool accepts(const sac_source *source)
{
    return source->trainer.offers && source->trainer.count > 0;
}

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    (void)beside;
    *view = NULL;
    train_view *v = calloc(1, sizeof *v);
    if (!v)
        return sac_no_memory(error, "train");
    v->base = (viz_view){.class = &viz_train_class, .source = source};
    v->picks = -1;
    choose_offer(v, 0);
    *view = &v->base;
    return SAC_OK;
}

static void destroy(viz_view *view)
{
    free(view);
}

const viz_view_class viz_train_class = {
    .name = "train",
    .tab = "Train",
    .is_live = true,
    .is_place = true,
    .about =
        "Train a model: a captioner, a translator or a language model, on pictures, sentences or a "
        "text of your own too.",
    .accepts = accepts,
    .create = create,
    .draw = draw,
    .event = event,
    .choose = take_begun_offer,
    .refused = show_refusal,
    .picks = take_picker_request,
    .picked = set_picked_path,
    .settings = {settings},
    .keys = keys,
    .spots = add_spots,
    .typing = typing,
    .command = command,
    .copied = take_copied_command,
    .destroy = destroy,
};
