#include "shell/chooser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "images/folder.h"
#include "parts/controls/spots.h"
#include "view/request.h"

#define WIDEST 820.0f
#define ROW 30.0f
#define CLOSE 28.0f

typedef enum row_kind {
    ROW_TITLE, /* is read, not chosen */
    ROW_RECENT,
    ROW_PARENT,
    ROW_PICTURES, /* all of the folder, one after the other */
    ROW_FOLDER,
    ROW_FILE
} row_kind;

typedef struct chooser_row {
    row_kind kind;
    size_t item; /* of the recent ones, or of the folder */
} chooser_row;

typedef struct chooser_view {
    viz_view base;
    viz_request listing;
    unsigned folders_entered;
    char folder[VIZ_PATH_SIZE];
    sac_folder listed; /* of that folder once it is read; owned */
    size_t pictures;   /* of the folder */
    viz_recent recent[VIZ_RECENT_MOST];
    int recent_count;
    char typed[64]; /* only names that hold this */

    chooser_row *rows; /* owned */
    int row_count, marked;
    float scroll;
    viz_rect list, close; /* as drawn last */
    bool closed, has_chosen;
    viz_recent chosen;
} chooser_view;

typedef struct folder_job {
    viz_job base;
    char path[VIZ_PATH_SIZE];
    sac_folder listed;
} folder_job;

static chooser_view *of(const viz_view *view)
{
    return (chooser_view *)view;
}

/* ---------------------------------------------------------------- rows */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const char *recent_name(const viz_recent *recent)
{
    return recent->title ? recent->title : base_name(recent->path);
}

static bool passes(const chooser_view *v, const char *name)
{
    return !v->typed[0] || strcasestr(name, v->typed);
}

static void add_row(chooser_view *v, row_kind kind, size_t item)
{
    v->rows[v->row_count++] = (chooser_row){kind, item};
}

static void add_folder_rows(chooser_view *v)
{
    add_row(v, ROW_TITLE, ROW_FOLDER);
    if (strcmp(v->folder, "/") != 0 && !v->typed[0])
        add_row(v, ROW_PARENT, 0);
    if (v->pictures > 1 && !v->typed[0])
        add_row(v, ROW_PICTURES, 0);
    for (size_t i = 0; i < v->listed.count; i++)
        if (passes(v, v->listed.entries[i].name))
            add_row(v, v->listed.entries[i].is_folder ? ROW_FOLDER : ROW_FILE, i);
}

/* Moves the mark by whole rows past headings; it stays where there is no row that way. */
static void mark(chooser_view *v, int row, int step)
{
    for (; row >= 0 && row < v->row_count; row += step)
        if (v->rows[row].kind != ROW_TITLE) {
            v->marked = row;
            return;
        }
}

/* The rows that pass the filter; the first one that opens is marked. */
static void fill(chooser_view *v)
{
    enum { OWN = 4 }; /* two headings, the folder above, all pictures */
    chooser_row *more = realloc(v->rows, (v->listed.count + VIZ_RECENT_MOST + OWN) * sizeof *more);
    v->row_count = 0;
    v->marked = -1;
    v->scroll = 0;
    if (!more)
        return;
    v->rows = more;
    int title = v->row_count;
    add_row(v, ROW_TITLE, ROW_RECENT);
    for (int i = 0; i < v->recent_count; i++)
        if (passes(v, recent_name(&v->recent[i])))
            add_row(v, ROW_RECENT, (size_t)i);
    if (v->row_count == title + 1)
        v->row_count = title; /* a heading of nothing */
    add_folder_rows(v);
    mark(v, 0, 1);
}

/* ---------------------------------------------------------------- folders */

static void enter(chooser_view *v, const char *folder)
{
    char *whole = realpath(folder, NULL);
    snprintf(v->folder, sizeof v->folder, "%s", whole ? whole : folder);
    free(whole);
    sac_folder_free(&v->listed);
    v->pictures = 0;
    v->typed[0] = '\0';
    v->folders_entered++;
    fill(v);
}

static void enter_parent(chooser_view *v)
{
    char *path = sac_path_join(v->folder, "..");
    if (path)
        enter(v, path);
    free(path);
}

static viz_job *want(viz_view *view)
{
    chooser_view *v = of(view);
    if (!viz_request_due(&v->listing, v->folders_entered))
        return NULL;
    folder_job *job = viz_job_create(view->class, sizeof *job);
    if (!job)
        return NULL;
    memcpy(job->path, v->folder, sizeof job->path);
    return viz_request_submit(&v->listing, &job->base, v->folders_entered);
}

static sac_status work(viz_view *view, viz_job *base, sac_error *error)
{
    folder_job *job = viz_job_of(base, view->class);
    return sac_folder_list(job->path, &job->listed, error);
}

static void take(viz_view *view, viz_job *base, const sac_error *error)
{
    chooser_view *v = of(view);
    folder_job *job = viz_job_of(base, view->class);
    if (viz_request_take(&v->listing, error) && v->listing.demand == v->folders_entered) {
        sac_folder_free(&v->listed);
        v->listed = job->listed;
        job->listed = (sac_folder){0};
        v->pictures = 0;
        for (size_t i = 0; i < v->listed.count; i++)
            v->pictures += v->listed.entries[i].kind == SAC_FILE_PICTURE;
        fill(v);
    }
    sac_folder_free(&job->listed);
    free(job);
}

/* ---------------------------------------------------------------- choosing */

static void choose_path(chooser_view *v, const char *path)
{
    v->chosen = (viz_recent){0};
    snprintf(v->chosen.path, sizeof v->chosen.path, "%s", path);
    v->has_chosen = true;
}

static void choose(chooser_view *v, int row)
{
    const chooser_row *r = row >= 0 && row < v->row_count ? &v->rows[row] : NULL;
    char *path = r && r->kind >= ROW_FOLDER
                     ? sac_path_join(v->folder, v->listed.entries[r->item].name)
                     : NULL;
    if (r && r->kind == ROW_RECENT) {
        v->chosen = v->recent[r->item];
        v->has_chosen = true;
    } else if (r && r->kind == ROW_PARENT) {
        enter_parent(v);
    } else if (r && r->kind == ROW_PICTURES) {
        choose_path(v, v->folder);
    } else if (path && r->kind == ROW_FOLDER) {
        enter(v, path);
    } else if (path) {
        choose_path(v, path);
    }
    free(path);
}

/* ---------------------------------------------------------------- drawing */

static viz_rect row_at(const chooser_view *v, int row)
{
    return (viz_rect){v->list.x, v->list.y + ROW * (float)row - v->scroll, v->list.w, ROW};
}

static void scroll_to(chooser_view *v, float scroll)
{
    float most = fmaxf(ROW * (float)v->row_count - v->list.h, 0);
    v->scroll = fminf(fmaxf(scroll, 0), most);
}

static void tell_size(uint64_t bytes, char *text, size_t size)
{
    if (bytes < 10 * 1024)
        snprintf(text, size, "%llu B", (unsigned long long)bytes);
    else if (bytes < 10 * 1024 * 1024)
        snprintf(text, size, "%.0f KiB", (double)bytes / 1024);
    else
        snprintf(text, size, "%.0f MiB", (double)bytes / (1024 * 1024));
}

/* What stands at the left of a row and what, fainter, at its right. */
static void tell_row(const chooser_view *v, const chooser_row *row, char *name, char *about,
                     size_t size)
{
    const sac_folder_entry *entry = row->kind >= ROW_FOLDER ? &v->listed.entries[row->item] : NULL;
    const viz_recent *recent = row->kind == ROW_RECENT ? &v->recent[row->item] : NULL;
    char bytes[32];
    *about = '\0';
    if (recent) {
        bool two = recent->beside[0];
        snprintf(name, size, "%s%s%s", recent_name(recent), two ? "  +  " : "",
                 two ? base_name(recent->beside) : "");
        snprintf(about, size, "%.*s", (int)(base_name(recent->path) - recent->path), recent->path);
        if (recent->about)
            snprintf(about, size, "%s", recent->about);
    } else if (row->kind == ROW_PARENT) {
        snprintf(name, size, "..");
        snprintf(about, size, "the folder above");
    } else if (row->kind == ROW_PICTURES) {
        snprintf(name, size, "all %zu pictures", v->pictures);
        snprintf(about, size, "one after the other: N");
    } else if (row->kind == ROW_FOLDER) {
        snprintf(name, size, "%s/", entry->name);
    } else {
        tell_size(entry->bytes, bytes, sizeof bytes);
        snprintf(name, size, "%s", entry->name);
        snprintf(about, size, "%s  ·  %s", entry->kind == SAC_FILE_PICTURE ? "picture" : "arrays",
                 bytes);
    }
}

static void draw_title(const chooser_view *v, viz_canvas *canvas, const chooser_row *row,
                       viz_rect r)
{
    char fit[VIZ_PATH_SIZE];
    viz_text_fit(canvas, VIZ_SANS_BOLD, VIZ_LABEL, r.w - 20,
                 row->item == ROW_RECENT ? "recent" : v->folder, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_LABEL, r.x + 10, r.y + 21, VIZ_LEFT, canvas->theme->text2,
             fit);
}

static void draw_row(const chooser_view *v, viz_canvas *canvas, int row)
{
    const viz_theme *theme = canvas->theme;
    char name[2 * VIZ_PATH_SIZE], about[2 * VIZ_PATH_SIZE], fit[512];
    viz_rect r = row_at(v, row);
    if (v->rows[row].kind == ROW_TITLE) {
        draw_title(v, canvas, &v->rows[row], r);
        return;
    }
    tell_row(v, &v->rows[row], name, about, sizeof name);
    if (row == v->marked) {
        viz_fill_round(canvas, (viz_rect){r.x, r.y + 1, r.w, r.h - 2}, 6, theme->panel);
        viz_fill(canvas, (viz_rect){r.x, r.y + 7, 3, r.h - 14}, theme->accent);
    }
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, 0.6f * r.w, name, fit, sizeof fit);
    float end =
        r.x + 22 +
        viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + 22, r.y + 20, VIZ_LEFT, theme->text, fit);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w - 12 - end - 16, about, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w - 12, r.y + 20, VIZ_RIGHT, theme->text2, fit);
}

static void draw_close(viz_canvas *canvas, viz_rect r)
{
    viz_color color = canvas->theme->text2;
    float x = r.x + r.w / 2, y = r.y + r.h / 2;
    viz_line(canvas, x - 5, y - 5, x + 5, y + 5, 1.8f, color);
    viz_line(canvas, x - 5, y + 5, x + 5, y - 5, 1.8f, color);
}

/* Where there is nothing to choose: why not. */
static void draw_nothing(const chooser_view *v, viz_canvas *canvas)
{
    const char *text = v->listing.problem[0] ? v->listing.problem
                       : v->listing.out      ? "reading the folder …"
                       : v->typed[0] ? "no name here has that in it; Backspace takes a letter back"
                                     : "no picture and no arrays are in this folder";
    char fit[512];
    bool empty = v->listed.count == 0 || v->marked < 0;
    float y = v->list.y + ROW * (float)v->row_count + 24;
    if (!empty || y > v->list.y + v->list.h)
        return;
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, v->list.w - 32, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, v->list.x + 22, y, VIZ_LEFT, canvas->theme->text2, fit);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    chooser_view *v = of(view);
    float w = fminf(area.w - 2 * VIZ_MARGIN, WIDEST), x = area.x + (area.w - w) / 2;
    float y = area.y + (area.h < 420 ? 6 : 20);
    viz_text(canvas, VIZ_SANS, VIZ_SENTENCE, x, y + 24, VIZ_LEFT, canvas->theme->text,
             "Open a file");
    v->close = (viz_rect){x + w - CLOSE, y + 2, CLOSE, CLOSE};
    draw_close(canvas, v->close);
    /* What was typed, or what may be. */
    viz_rect field = (viz_rect){x, y + 40, w, 32};
    const viz_theme *theme = canvas->theme;
    bool typed = v->typed[0];
    viz_fill_round(canvas, field, 6, theme->panel);
    viz_frame_round(canvas, field, 6, 1, theme->faint);
    float end =
        field.x + 12 +
        viz_text(canvas, VIZ_SANS, VIZ_BODY, field.x + 12, field.y + 21, VIZ_LEFT,
                 typed ? theme->text : theme->text2, typed ? v->typed : "type a part of the name");
    if (typed)
        viz_fill(canvas, (viz_rect){end + 1, field.y + 8, 2, field.h - 16}, theme->accent);
    v->list = (viz_rect){x, y + 80, w, area.y + area.h - y - 80 - VIZ_GAP};
    scroll_to(v, v->scroll);
    viz_clip(canvas, v->list);
    for (int row = 0; row < v->row_count; row++)
        draw_row(v, canvas, row);
    draw_nothing(v, canvas);
    viz_clip_none(canvas);
}

/* ---------------------------------------------------------------- events */

/* Escape takes back what was typed, then the chooser. */
static void escape(chooser_view *v)
{
    v->closed = !v->typed[0];
    v->typed[0] = '\0';
    fill(v);
}

static bool key(chooser_view *v, int key)
{
    int page = (int)fmaxf(v->list.h / ROW - 1, 1), last = v->row_count - 1;
    if (key == VIZ_KEY_ESCAPE)
        escape(v);
    else if (key == VIZ_KEY_RETURN)
        choose(v, v->marked);
    else if (key == VIZ_KEY_UP || key == VIZ_KEY_DOWN)
        mark(v, v->marked + (key == VIZ_KEY_UP ? -1 : 1), key == VIZ_KEY_UP ? -1 : 1);
    else if (key == VIZ_KEY_PAGE_UP || key == VIZ_KEY_HOME)
        mark(v, key == VIZ_KEY_HOME || v->marked < page ? 0 : v->marked - page, 1);
    else if (key == VIZ_KEY_PAGE_DOWN || key == VIZ_KEY_END)
        mark(v, key == VIZ_KEY_END || v->marked + page > last ? last : v->marked + page, -1);
    else {
        size_t length = strlen(v->typed);
        if (key >= ' ' && key < 127 && length + 1 < sizeof v->typed) {
            v->typed[length] = (char)key;
            v->typed[length + 1] = '\0';
        } else if (key == VIZ_KEY_BACKSPACE && length > 0) {
            v->typed[length - 1] = '\0';
        } else if (key == VIZ_KEY_BACKSPACE) {
            enter_parent(v);
            return true;
        } else {
            return false;
        }
        fill(v);
        return true;
    }
    float top = ROW * (float)v->marked;
    if (v->marked >= 0 && top - ROW < v->scroll)
        scroll_to(v, top - ROW); /* with its heading */
    else if (v->marked >= 0 && top + ROW > v->scroll + v->list.h)
        scroll_to(v, top + ROW - v->list.h);
    return true;
}

/* The row that can be chosen at a place; −1: none. */
static int row_under(const chooser_view *v, float x, float y)
{
    int row = (int)floorf((y - v->list.y + v->scroll) / ROW);
    bool inside = viz_inside(v->list, x, y) && row >= 0 && row < v->row_count;
    return inside && v->rows[row].kind != ROW_TITLE ? row : -1;
}

static bool press(chooser_view *v, float x, float y)
{
    int row = row_under(v, x, y);
    if (viz_inside(v->close, x, y))
        v->closed = true;
    else if (row >= 0)
        choose(v, row);
    else
        return false;
    return true;
}

static bool event(viz_view *view, const viz_event *e)
{
    chooser_view *v = of(view);
    if (e->kind == VIZ_KEY)
        return !e->ctrl && key(v, e->key);
    if (e->kind == VIZ_WHEEL) {
        scroll_to(v, v->scroll - 2 * ROW * e->wheel_y);
        return true;
    }
    int row = e->kind == VIZ_MOVE ? row_under(v, e->x, e->y) : -1;
    if (row >= 0 && row != v->marked) {
        v->marked = row;
        return true;
    }
    return e->kind == VIZ_PRESS && e->button == 1 && press(v, e->x, e->y);
}

static bool typing(const viz_view *view)
{
    (void)view;
    return true;
}

static void spots(const viz_view *view, viz_spots *spots)
{
    const chooser_view *v = of(view);
    viz_spots_add(spots, v->close, VIZ_SPOT_PRESSES, "Back to what is open (Esc).");
    for (int row = 0; row < v->row_count; row++) {
        viz_rect r = row_at(v, row);
        bool seen = r.y >= v->list.y && r.y + r.h <= v->list.y + v->list.h;
        if (seen && v->rows[row].kind != ROW_TITLE)
            viz_spots_add(spots, r, VIZ_SPOT_PRESSES, NULL);
    }
}

static const viz_key_row keys[] = {
    {"click", "open it"},
    {"↑  ↓", "the row before, the next one"},
    {"PgUp  PgDn", "a page of rows"},
    {"Home  End", "the first row, the last one"},
    {"Return", "open the marked one"},
    {"Backspace", "take a letter back, or to the folder above"},
    {"Esc", "take back what was typed, then close"},
    {NULL, NULL},
};

/* ---------------------------------------------------------------- the view */

static void destroy(viz_view *view)
{
    chooser_view *v = of(view);
    sac_folder_free(&v->listed);
    free(v->rows);
    free(v);
}

static const viz_view_class chooser_class = {
    .name = "open",
    .tab = "Open",
    .draw = draw,
    .event = event,
    .want = want,
    .work = work,
    .take = take,
    .keys = keys,
    .spots = spots,
    .typing = typing,
    .destroy = destroy,
};

sac_status viz_chooser_create(viz_view **view, sac_error *error)
{
    chooser_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_no_memory(error, "open");
    v->base.class = &chooser_class;
    *view = &v->base;
    return SAC_OK;
}

void viz_chooser_begin(viz_view *view, const char *folder, const viz_recent *recent, int count)
{
    chooser_view *v = of(view);
    v->recent_count = count;
    if (count) /* else `recent` may be NULL */
        memcpy(v->recent, recent, (size_t)count * sizeof *recent);
    v->closed = v->has_chosen = false;
    enter(v, folder);
}

bool viz_chooser_take(viz_view *view, viz_recent *chosen)
{
    chooser_view *v = of(view);
    bool has = v->has_chosen;
    *chosen = v->chosen;
    v->has_chosen = false;
    return has;
}

bool viz_chooser_is_closed(const viz_view *view)
{
    return of(view)->closed;
}
