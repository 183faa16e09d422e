/* Views tested by rows: what a person does to a view, as a text, and what the view is like afterwards.
 *
 * Events, with blanks between them; after each, what is wanted is computed:
 *     n  N  ^z  left  Return            keys; a capital is with shift, ^ is with ctrl
 *     'the king'                        letters that are typed
 *     {layer=2}                         a setting
 *     press 9,8    press "heat"         the left button at a place and up again; press3: the right one
 *     hold 9,8  drag 12,8  release      the same one by one; hold3; Press, Hold, Drag: with shift
 *     move 9,8    leave                 the pointer alone
 *     wheel+2 9,8                       notches
 *     wait 0.5                          seconds, in frames of a 60th
 *     size 640x400                      of the window
 *     call NAME                         a function of the file (view_calls)
 *     stop                              what is wanted is not computed any more: go
 * A place is a cell of the map, column and row; "a text" that is drawn; or <a tip>, a spot by a part of its
 * sentence, behind it #3: the third of them; and behind that @0.5,0.5: where in it.
 *
 * Then NAME=VALUE, NAME~PART, NAME!=VALUE, NAME!~PART, NAME<NUMBER or NAME>NUMBER, with "; " between
 * them, of a setting, or of:
 *     rows, columns      names of the table's rows and columns, with blanks between them
 *     value 2,3          a number of the table, of row 2 and column 3
 *     map 2,3            of the map
 *     drawn              all texts that are drawn
 *     size TEXT          the size of that text; 0: it is not drawn
 *     tips               of all spots;  tip: of the one under the pointer
 *     status, message, command, retyped, copied, picks, choose
 *     answered, typing, moves        yes or no; the first of the last event
 *     reopens            yes: another view with the same settings is drawn with the same pixels
 *     calls, turns, rebuilds     how often the source has computed, turned to another picture, and …
 */
#ifndef TESTS_VIZ_VIEW_ROWS_H
#define TESTS_VIZ_VIEW_ROWS_H

#include <strings.h>

#include "canvas/recording.h"
#include "every_view.h"
#include "test.h"
#include "view/map.h"
#include "view/settings.h"

typedef struct view_row {
    const char *events, *expected;
    void (*begin)(one_view *v); /* changes the source before there is a view of it; NULL: nothing */
} view_row;

/* For view_row's `begin`: shows heads as one_heads does. */
#define VIEW_HEADS(name, ...)                                                                      \
    static void name(one_view *v)                                                                  \
    {                                                                                              \
        one_heads(v, __VA_ARGS__);                                                                 \
    }

typedef struct view_call {
    const char *name;
    void (*call)(one_view *v);
} view_call;

typedef struct view_hand {
    one_view *v;
    const char *class, *events;
    const char *at; /* what of them is being done */
    const view_call *calls;
    viz_event last; /* of the pointer */
    double now;
    bool answered, stopped;
    int failures; /* of what was expected */
    void (*begin)(one_view *v);
} view_hand;

enum { VIEW_TEXT = 16384 };

#define VIEW_FAIL(h, ...)                                                                          \
    do {                                                                                           \
        print_error("%s: %s\n  at %s\n", (h)->class, (h)->events, (h)->at);                        \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static inline void view_compute(view_hand *h)
{
    if (!h->stopped)
        viz_view_settle(one_of(h->v), NULL); /* what is made up may fail */
}

static inline void view_send(view_hand *h, viz_event event)
{
    h->answered = viz_shell_event(&h->v->shell, &event);
    view_compute(h);
    one_lay(h->v);
}

/* What is drawn now; to be freed. */
static inline viz_recording view_drawn(view_hand *h)
{
    viz_recording r = {0};
    h->v->canvas.recording = &r;
    one_lay(h->v);
    h->v->canvas.recording = NULL;
    return r;
}

/* ---------------------------------------------------------------- places */

static inline viz_rect view_cell(view_hand *h, float x, float y)
{
    viz_map map = {0};
    viz_view *view = one_of(h->v);
    if (!view->class->map || !view->class->map(view, &map))
        VIEW_FAIL(h, "there is no map");
    viz_rect r = view->class->map_rect(view);
    viz_rect cell = {r.x + r.w * x / (float)map.columns, r.y + r.h * y / (float)map.rows,
                     r.w / (float)map.columns, r.h / (float)map.rows};
    viz_map_free(&map);
    return cell;
}

static inline bool view_find_text(view_hand *h, const char *text, int nth, viz_rect *rect)
{
    viz_recording r = view_drawn(h);
    bool found = false;
    float density = h->v->canvas.density;
    for (size_t i = 0; i < r.count && !found; i++) {
        const viz_shape *s = &r.shapes[i];
        if (s->kind != VIZ_SHAPE_TEXT || strcmp(s->text, text) != 0 || --nth > 0)
            continue;
        float high = 0.6f * (float)s->size;
        *rect = s->upwards ? (viz_rect){s->points[0].x - high, s->points[0].y - s->advance, high,
                                        s->advance}
                           : (viz_rect){s->points[0].x, s->points[0].y - high, s->advance, high};
        *rect =
            (viz_rect){rect->x / density, rect->y / density, rect->w / density, rect->h / density};
        found = true;
    }
    viz_recording_free(&r);
    return found;
}

static inline bool view_find_spot(view_hand *h, const char *tip, int nth, viz_rect *rect)
{
    static viz_spots spots;
    *rect = (viz_rect){0};
    spots.count = 0;
    one_lay(h->v);
    viz_shell_spots(&h->v->shell, &spots);
    for (int i = 0; i < spots.count; i++)
        if (spots.items[i].tip && strstr(spots.items[i].tip, tip) && --nth <= 0) {
            *rect = spots.items[i].rect;
            return true;
        }
    return false;
}

/* Reads a place and returns what follows it; x and y are its middle, or a given part of it. */
static inline const char *view_place(view_hand *h, const char *s, float *x, float *y)
{
    viz_rect rect;
    char name[256] = "";
    float in_x = 0.5f, in_y = 0.5f, column, row;
    int used = 0, nth = 1;
    if (*s == '"' || *s == '<') {
        char kind = *s, end = kind == '<' ? '>' : '"';
        const char *close = strchr(s + 1, end);
        if (!close)
            VIEW_FAIL(h, "the place does not end");
        snprintf(name, sizeof name, "%.*s", (int)(close - s - 1), s + 1);
        s = close + 1;
        if (*s == '#')
            nth = (int)strtol(s + 1, (char **)&s, 10);
        if (!(kind == '<' ? view_find_spot(h, name, nth, &rect)
                          : view_find_text(h, name, nth, &rect)))
            VIEW_FAIL(h, "“%s” is not there", name);
    } else if (sscanf(s, "%f,%f%n", &column, &row, &used) == 2) {
        one_lay(h->v);
        rect = view_cell(h, column, row);
        s += used;
    } else
        VIEW_FAIL(h, "no place");
    if (*s == '@' && sscanf(s, "@%f,%f%n", &in_x, &in_y, &used) == 2)
        s += used;
    *x = rect.x + in_x * rect.w;
    *y = rect.y + in_y * rect.h;
    return s;
}

/* ---------------------------------------------------------------- events */

static inline int view_key(const char *name)
{
    static const struct {
        const char *name;
        int key;
    } keys[] = {{"left", VIZ_KEY_LEFT},
                {"right", VIZ_KEY_RIGHT},
                {"up", VIZ_KEY_UP},
                {"down", VIZ_KEY_DOWN},
                {"Home", VIZ_KEY_HOME},
                {"End", VIZ_KEY_END},
                {"PgUp", VIZ_KEY_PAGE_UP},
                {"PgDn", VIZ_KEY_PAGE_DOWN},
                {"Esc", VIZ_KEY_ESCAPE},
                {"Return", VIZ_KEY_RETURN},
                {"Tab", VIZ_KEY_TAB},
                {"Backspace", VIZ_KEY_BACKSPACE},
                {"space", ' '}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].name, name) == 0)
            return keys[i].key;
    return name[0] && !name[1] ? (unsigned char)name[0] : 0;
}

static inline void view_press_key(view_hand *h, const char *name)
{
    viz_event event = {.kind = VIZ_KEY};
    if (name[0] == '^' && name[1]) {
        event.ctrl = true;
        name++;
    }
    event.key = view_key(name);
    if (event.key >= 'A' && event.key <= 'Z') {
        event.shift = true;
        event.key += 'a' - 'A';
    }
    if (!event.key)
        VIEW_FAIL(h, "no event is called “%s”", name);
    view_send(h, event);
}

static inline void view_wait(view_hand *h, double seconds)
{
    for (double until = h->now + seconds; h->now < until - 1e-9;) {
        h->now += 1.0 / 60;
        viz_shell_tick(&h->v->shell, h->now);
        view_compute(h);
    }
}

static inline void view_call_named(view_hand *h, const char *name)
{
    const view_call *c = h->calls;
    while (c && c->name && strcmp(c->name, name) != 0)
        c++;
    if (!c || !c->name)
        VIEW_FAIL(h, "no call is named “%s”", name);
    c->call(h->v);
    view_compute(h);
}

/* An event of the pointer at the place that follows, and what follows that. */
static inline const char *view_point(view_hand *h, const char *word, const char *s)
{
    static const struct {
        const char *name;
        viz_event_kind kind;
        int button;
    } kinds[] = {{"press", VIZ_PRESS, 1}, {"press3", VIZ_PRESS, 3}, {"hold", VIZ_PRESS, 1},
                 {"hold3", VIZ_PRESS, 3}, {"drag", VIZ_MOVE, -1},   {"move", VIZ_MOVE, 0}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcasecmp(kinds[i].name, word) != 0)
            continue;
        int button = kinds[i].button < 0 ? h->last.button : kinds[i].button;
        bool shift = word[0] != kinds[i].name[0];
        h->last = (viz_event){.kind = kinds[i].kind, .button = button, .shift = shift};
        s = view_place(h, s, &h->last.x, &h->last.y);
        view_send(h, h->last);
        if (kinds[i].name[0] == 'p') {
            bool answered = h->answered;
            h->last.kind = VIZ_RELEASE;
            view_send(h, h->last);
            h->answered = answered;
        }
        return s;
    }
    if (strncmp(word, "wheel", 5) != 0)
        return NULL;
    viz_event event = {.kind = VIZ_WHEEL, .wheel_y = strtof(word + 5, NULL)};
    s = view_place(h, s, &event.x, &event.y);
    view_send(h, event);
    return s;
}

/* Does the first event of `s`; returns what follows it. */
static inline const char *view_do(view_hand *h, const char *s)
{
    char word[256];
    int used = 0;
    h->at = s;
    if (*s == '\'') {
        for (s++; *s != '\''; s++)
            view_send(h, (viz_event){.kind = VIZ_KEY, .key = *s});
        return s + 1;
    }
    if (*s == '{') {
        char key[64], value[192] = "";
        if (sscanf(s, "{%63[^=]=%191[^}]}%n", key, value, &used) < 1)
            VIEW_FAIL(h, "no setting");
        viz_view_restore(one_of(h->v), key, value);
        view_compute(h);
        return strchr(s, '}') + 1;
    }
    sscanf(s, "%255s%n", word, &used);
    s += used;
    const char *rest = s + strspn(s, " "), *after;
    if (strcmp(word, "wait") == 0)
        view_wait(h, strtod(rest, (char **)&s));
    else if (strcmp(word, "size") == 0) {
        int w = 0, height = 0;
        sscanf(rest, "%dx%d%n", &w, &height, &used);
        s = rest + used;
        if (viz_canvas_resize(&h->v->canvas, w, height, NULL) != SAC_OK)
            VIEW_FAIL(h, "no canvas");
        one_draw(h->v);
    } else if (strcmp(word, "call") == 0) {
        sscanf(rest, "%255s%n", word, &used);
        s = rest + used;
        view_call_named(h, word);
    } else if (strcmp(word, "stop") == 0 || strcmp(word, "go") == 0) {
        h->stopped = word[0] == 's';
        view_compute(h);
    } else if (strcmp(word, "release") == 0) {
        h->last.kind = VIZ_RELEASE;
        view_send(h, h->last);
        h->last.button = 0;
    } else if (strcmp(word, "leave") == 0)
        view_send(h, (viz_event){.kind = VIZ_LEAVE});
    else if ((after = view_point(h, word, rest)))
        s = after;
    else
        view_press_key(h, word);
    return s;
}

/* ---------------------------------------------------------------- what is expected */

typedef struct view_wanted {
    const char *name;
    char *value; /* [VIEW_TEXT] */
    bool known;
} view_wanted;

static inline void view_take(void *user, const char *key, const char *value)
{
    view_wanted *w = user;
    if (w->name && strcmp(key, w->name) != 0)
        return;
    w->known = true;
    size_t used = w->name ? 0 : strlen(w->value);
    snprintf(w->value + used, VIEW_TEXT - used, w->name ? "%s%s%s" : "%s=%s\n", w->name ? "" : key,
             value, "");
}

static inline void view_add(char *list, const char *text)
{
    size_t used = strlen(list);
    snprintf(list + used, VIEW_TEXT - used, "%s%s", used ? " " : "", text);
}

static inline void view_names(view_hand *h, bool rows, char *value)
{
    viz_view *view = one_of(h->v);
    viz_table table = {0};
    char name[256];
    value[0] = '\0';
    if (view->class->table(view, &table))
        for (size_t i = 0; i < (rows ? table.rows : table.columns); i++)
            view_add(value, view->class->table_name(view, rows, i, name, sizeof name));
}

static inline float view_number(view_hand *h, const char *name)
{
    viz_view *view = one_of(h->v);
    int row = 0, column = 0;
    float number = NAN;
    if (sscanf(name, "map %d,%d", &column, &row) == 2) {
        viz_map map = {0};
        if (view->class->map(view, &map) && row < map.rows && column < map.columns)
            number = map.values[row * map.columns + column];
        viz_map_free(&map);
        return number;
    }
    sscanf(name, "value %d,%d", &row, &column);
    viz_table table = {0};
    if (view->class->table(view, &table) && (size_t)row < table.rows &&
        (size_t)column < table.columns) {
        float *values = calloc(table.columns, sizeof *values);
        if (view->class->table_row(view, (size_t)row, values, NULL) == SAC_OK)
            number = values[column];
        free(values);
    }
    return number;
}

static inline void view_texts(view_hand *h, const char *of, char *value)
{
    viz_recording r = view_drawn(h);
    int size = 0;
    value[0] = '\0';
    for (size_t i = 0; i < r.count; i++) {
        const viz_shape *s = &r.shapes[i];
        if (s->kind == VIZ_SHAPE_TEXT && !of[0])
            view_add(value, s->text);
        else if (s->kind == VIZ_SHAPE_TEXT && strncmp(s->text, of, strlen(of)) == 0)
            size = s->size;
    }
    if (of[0])
        snprintf(value, VIEW_TEXT, "%d", size);
    viz_recording_free(&r);
}

static inline void view_tips(view_hand *h, bool pointed, char *value)
{
    static viz_spots spots;
    spots.count = 0;
    value[0] = '\0';
    one_lay(h->v);
    viz_shell_spots(&h->v->shell, &spots);
    const viz_spot *at = viz_spots_at(&spots, h->last.x, h->last.y);
    for (int i = 0; i < spots.count; i++)
        if (spots.items[i].tip && (!pointed || at == &spots.items[i]))
            view_add(value, spots.items[i].tip);
}

static inline void view_yes(char *value, bool yes)
{
    snprintf(value, VIEW_TEXT, "%s", yes ? "yes" : "no");
}

static inline void view_restore(void *user, const char *key, const char *value)
{
    if (value[0]) /* a PNG has no empty texts */
        viz_view_restore(user, key, value);
}

static inline void view_draw_alone(one_view *v)
{
    one_draw(v);
    viz_clear(&v->canvas);
    viz_view_draw(one_of(v), &v->canvas,
                  (viz_rect){0, VIZ_TABS_HEIGHT, viz_width(&v->canvas),
                             viz_height(&v->canvas) - VIZ_TABS_HEIGHT});
}

static inline bool view_reopens(view_hand *h)
{
    const viz_canvas *canvas = &h->v->canvas;
    one_view *other = one_begin(h->v->class, canvas->width, canvas->height, h->begin);
    viz_view_describe(one_of(h->v), view_restore, one_of(other));
    view_draw_alone(other);
    view_draw_alone(h->v);
    bool same = memcmp(canvas->rgba, other->canvas.rgba,
                       4 * (size_t)canvas->width * (size_t)canvas->height) == 0;
    one_close(other);
    return same;
}

/* The value of that name into `value`; false: nothing has that name. */
static inline bool view_ask(view_hand *h, const char *name, char *value)
{
    viz_view *view = one_of(h->v);
    const viz_view_class *class = view->class;
    const char *text = NULL;
    viz_pick pick = {0};
    value[0] = '\0';
    if (strcmp(name, "rows") == 0 || strcmp(name, "columns") == 0)
        view_names(h, name[0] == 'r', value);
    else if (strncmp(name, "value ", 6) == 0 || strncmp(name, "map ", 4) == 0)
        snprintf(value, VIEW_TEXT, "%.9g", (double)view_number(h, name));
    else if (strcmp(name, "drawn") == 0)
        view_texts(h, "", value);
    else if (strncmp(name, "size ", 5) == 0)
        view_texts(h, name + 5, value);
    else if (strcmp(name, "tips") == 0 || strcmp(name, "tip") == 0)
        view_tips(h, !name[3], value);
    else if (strcmp(name, "status") == 0)
        class->status(view, value, VIEW_TEXT);
    else if (strcmp(name, "message") == 0)
        text = h->v->shell.message;
    else if (strcmp(name, "command") == 0)
        class->command(view, value, VIEW_TEXT);
    else if (strcmp(name, "retyped") == 0)
        text = class->retyped(view);
    else if (strcmp(name, "copied") == 0)
        text = class->copied(view);
    else if (strcmp(name, "picks") == 0) /* what for, or the file that is shown */
        text = class->picks(view, &pick) ? pick.purpose ? pick.purpose : pick.from : NULL;
    else if (strcmp(name, "choose") == 0)
        snprintf(value, VIEW_TEXT, "%d", class->choose(view));
    else if (strcmp(name, "answered") == 0)
        view_yes(value, h->answered);
    else if (strcmp(name, "typing") == 0)
        view_yes(value, viz_shell_typing(&h->v->shell));
    else if (strcmp(name, "moves") == 0)
        view_yes(value, viz_shell_tick(&h->v->shell, h->now));
    else if (strcmp(name, "reopens") == 0)
        view_yes(value, view_reopens(h));
    else if (strcmp(name, "calls") == 0)
        snprintf(value, VIEW_TEXT, "%d", one_calls(h->v));
    else if (strcmp(name, "turns") == 0)
        snprintf(value, VIEW_TEXT, "%d", h->v->caption.turns);
    else if (strcmp(name, "rebuilds") == 0)
        snprintf(value, VIEW_TEXT, "%d", h->v->picture.rebuild_calls);
    else {
        view_wanted wanted = {name, value, false};
        viz_view_describe(view, view_take, &wanted);
        return wanted.known;
    }
    if (text)
        snprintf(value, VIEW_TEXT, "%s", text);
    return true;
}

/* Numbers are the same to a part in a thousand. */
static inline bool view_same(const char *a, const char *b)
{
    char *end_a, *end_b;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    if (*a && *b && !*end_a && !*end_b && !isnan(x))
        return fabs(x - y) <= 1e-3 * fmax(fabs(x), fabs(y));
    return strcmp(a, b) == 0;
}

static inline void view_expect(view_hand *h, const char *claim)
{
    static char value[VIEW_TEXT];
    char name[256];
    size_t length = strcspn(claim, "=~!<>");
    const char *sign = claim + length, *expected;
    snprintf(name, sizeof name, "%.*s", (int)length, claim);
    bool negated = *sign == '!';
    sign += negated;
    expected = sign + 1;
    h->at = claim;
    if (!view_ask(h, name, value) && !(negated || !*expected))
        VIEW_FAIL(h, "the view has no “%s”", name);
    bool is = *sign == '='   ? view_same(value, expected)
              : *sign == '~' ? strstr(value, expected) != NULL
              : *sign == '<' ? strtod(value, NULL) < strtod(expected, NULL)
                             : strtod(value, NULL) > strtod(expected, NULL);
    if (is != negated)
        return;
    h->failures++; /* the others are asked, too */
    print_error("%s: %s\n  %s: %s is “%.2000s”\n", h->class, h->events, claim, name, value);
}

/* ---------------------------------------------------------------- a row, or a test in steps */

enum { VIEW_WIDTH = 1280, VIEW_HEIGHT = 800 };

/* A view on which nothing is done yet, and nothing computed; closed by view_close. `calls` end with a zeroed
 * row; NULL: there are none. */
static inline view_hand view_open(const char *class, const view_call *calls,
                                  void (*begin)(one_view *v))
{
    view_hand h = {.class = class, .events = "", .calls = calls, .at = "its beginning"};
    h.v = one_begin(viz_views_find(class), VIEW_WIDTH, VIEW_HEIGHT, begin);
    h.begin = begin;
    return h;
}

static inline void view_run(view_hand *h, const char *events)
{
    h->events = events;
    view_compute(h);
    for (const char *s = events; *(s += strspn(s, " "));)
        s = view_do(h, s);
}

static inline void view_claim(view_hand *h, const char *expected)
{
    char claims[4096], *rest = NULL;
    snprintf(claims, sizeof claims, "%s", expected);
    for (char *claim = claims; claim && *claim; claim = rest) {
        rest = strstr(claim, "; ");
        if (rest) {
            *rest = '\0';
            rest += 2;
        }
        view_expect(h, claim);
    }
}

/* Returns how much was not as expected. */
static inline int view_end(view_hand *h)
{
    one_close(h->v);
    return h->failures;
}

static inline void view_close(view_hand *h)
{
    assert_int_equal(view_end(h), 0);
}

static inline void view_rows_run(const char *class, const view_row *rows, size_t count,
                                 const view_call *calls)
{
    int failures = 0;
    for (size_t i = 0; i < count; i++) {
        view_hand h = view_open(class, calls, rows[i].begin);
        view_run(&h, rows[i].events);
        view_claim(&h, rows[i].expected);
        failures += view_end(&h);
    }
    assert_int_equal(failures, 0);
}

/* A test of rows of one view; `view_calls` are those of the file. */
#define VIEW_ROWS(class, name, ...)                                                                \
    TEST(name)                                                                                     \
    {                                                                                              \
        static const view_row rows[] = {__VA_ARGS__};                                              \
        view_rows_run(class, rows, sizeof rows / sizeof *rows, view_calls);                        \
    }

/* Prints what a row may ask after these events. */
static inline void view_print(const char *class, const char *events, const view_call *calls)
{
    static char value[VIEW_TEXT];
    static viz_spots spots;
    static const char *const names[] = {"rows", "columns", "drawn", "status"};
    view_hand h = view_open(class, calls, NULL);
    view_run(&h, events);
    view_wanted all = {NULL, value, false};
    value[0] = '\0';
    viz_view_describe(one_of(h.v), view_take, &all);
    print_message("%s", value);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((i > 1 || one_of(h.v)->class->table) && view_ask(&h, names[i], value))
            print_message("%s: %.400s\n", names[i], value);
    viz_shell_spots(&h.v->shell, &spots);
    for (int i = 0; i < spots.count; i++)
        print_message("spot %4.0f %4.0f %4.0f %4.0f %s\n", (double)spots.items[i].rect.x,
                      (double)spots.items[i].rect.y, (double)spots.items[i].rect.w,
                      (double)spots.items[i].rect.h, spots.items[i].tip);
    view_close(&h);
}

/* The whole of main: `test_NAME CLASS EVENTS` prints. */
#define VIEW_ROWS_MAIN                                                                             \
    int main(int count, char **words)                                                              \
    {                                                                                              \
        int failed = 0;                                                                            \
        if (count > 2)                                                                             \
            view_print(words[1], words[2], view_calls);                                            \
        else                                                                                       \
            failed = test_run(NULL, NULL);                                                         \
        viz_text_close();                                                                          \
        return failed;                                                                             \
    }

#endif
