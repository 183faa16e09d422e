/* The dialogs of opening and saving, as they look. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/pages/paragraph.h"
#include "shell/chooser/chooser_state.h"
#include "view/words.h"

#define WIDEST 1180.0f
#define FIELD 36.0f
#define MESSAGE 26.0f /* the line below the field */
#define TITLE 26.0f   /* above a list */
#define CLOSE 30.0f
#define APART 28.0f /* between the two lists */
#define TILE_WIDTH 112.0f
#define TILE_GAP 12.0f
#define TILE_NAME 24.0f
#define THUMB_WIDTH 36.0f
#define THUMB_HEIGHT 27.0f

/* ---------------------------------------------------------------- layout */

static float tiles_height(float width)
{
    return width * CHOOSER_TILE_H / CHOOSER_TILE_W + TILE_NAME;
}

/* Recent documents are rows; samples are tiles below them. */
static void lay_right(chooser_view *v)
{
    float w = v->lists[CHOOSER_RIGHT].w, x = 0, y = 0, tile = 0;
    chooser_kind before = CHOOSER_ENTRY;
    for (size_t i = 0; i < v->right_count; i++) {
        chooser_item *item = &v->right[i];
        if (item->kind != before) {
            y += before == CHOOSER_RECENT ? 14 : 0;
            y += TITLE;
            before = item->kind;
            x = 0;
        }
        if (item->kind == CHOOSER_RECENT) {
            item->rect = (viz_rect){0, y, w, CHOOSER_ROW};
            y += CHOOSER_ROW;
            continue;
        }
        float columns = fmaxf(floorf((w + TILE_GAP) / (TILE_WIDTH + TILE_GAP)), 1);
        tile = (w - TILE_GAP * (columns - 1)) / columns;
        if (x + tile > w + 1) {
            x = 0;
            y += tiles_height(tile) + TILE_GAP;
        }
        item->rect = (viz_rect){x, y, tile, tiles_height(tile)};
        x += tile + TILE_GAP;
    }
    v->lengths[CHOOSER_RIGHT] = y + (tile > 0 ? tiles_height(tile) : 0);
}

static const char *const form_names[VIZ_SAVE_FORMS] = {N_("as it is"), N_("figure"), N_("motion")};
static const char *const form_tips[VIZ_SAVE_FORMS] = {
    N_("What the window shows, with its controls; Saccade opens a PNG again as it was."),
    N_("The chosen panel alone, with the names of its axes, as for paper (ctrl F)."),
    N_("The play, word by word or step by step.")};
static const char *const ground_names[] = {N_("white"), N_("dark")};
static const char ground_label[] = "ground";

#define LEAST_WITH_PREVIEW 560.0f /* wide */

/* What is saved, as which type, how wide and on which ground, a line each; returns where they end. */
static float lay_saves(chooser_view *v, const viz_canvas *canvas, float x, float y, float width)
{
    const viz_saves *s = &v->saves;
    const viz_save_kind *now = &s->kinds[s->kind];
    const char *forms[VIZ_SAVE_FORMS], *kinds[VIZ_SAVE_KINDS_MOST], *widths[VIZ_SAVE_WIDTHS],
        *grounds[] = {viz_word(ground_names[0]), viz_word(ground_names[1])};
    int form_count = 0, kind_count = 0, width_count = 0;
    for (int i = 0; i < s->kind_count; i++) {
        if (!form_count || v->form_at[form_count - 1] != (int)s->kinds[i].form) {
            forms[form_count] = viz_word(form_names[s->kinds[i].form]);
            v->form_at[form_count++] = (int)s->kinds[i].form;
        }
        if (s->kinds[i].form == now->form) {
            kinds[kind_count] = viz_word(s->kinds[i].name);
            v->kind_at[kind_count++] = i;
        }
    }
    for (int i = 0; i < VIZ_SAVE_WIDTHS && now->form == VIZ_SAVE_AS_FIGURE; i++)
        if (!viz_save_widths[i].paper || now->has_sheets)
            widths[width_count++] = viz_word(viz_save_widths[i].name);
    v->forms = viz_chips_layout(canvas, x, y, width, forms, form_count);
    y += v->forms.rect.h + 8;
    v->kinds = viz_chips_layout(canvas, x, y, width, kinds, kind_count);
    y += v->kinds.rect.h + 8;
    if (width_count) {
        v->widths = viz_chips_layout(canvas, x, y, width, widths, width_count);
        y += v->widths.rect.h + 8;
    }
    if (now->is_picture) {
        const float label =
            viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, viz_word(ground_label)) + VIZ_GAP + 2;
        v->ground_at = x;
        v->grounds = viz_chips_layout(canvas, x + label, y, width - label, grounds, 2);
        y += v->grounds.rect.h + 8;
    }
    return y;
}

static void lay(chooser_view *v, const viz_canvas *canvas, viz_rect area)
{
    bool low = area.h < 420;
    float w = fminf(area.w - 2 * VIZ_MARGIN, WIDEST), x = area.x + (area.w - w) / 2;
    float y = area.y + (low ? 6 : 18), button = 84;
    v->close = (viz_rect){x + w - CLOSE, y + (FIELD - CLOSE) / 2, CLOSE, CLOSE};
    v->button = (viz_rect){v->close.x - 8 - button, y, button, FIELD};
    y += FIELD + MESSAGE;
    v->forms = v->kinds = v->widths = v->grounds = (viz_choices){0};
    v->preview_room = (viz_rect){0};
    float right = v->saving ? 0 : fminf(fmaxf(0.42f * w, 200), 480);
    if (v->saving) {
        const float all = y;
        right = w >= LEAST_WITH_PREVIEW ? floorf(0.46f * w) : 0;
        y = lay_saves(v, canvas, x, y + 4, w - right - (right > 0 ? APART : 0)) + 8;
        v->preview_room =
            (viz_rect){x + w - right, all + 4, right, area.y + area.h - all - 2 * VIZ_GAP};
    }
    v->folders = (viz_choices){0};
    if (!v->saving && v->opens.folder_count) {
        const char *names[VIZ_FOLDERS_MOST];
        for (int i = 0; i < v->opens.folder_count; i++)
            names[i] = v->opens.folders[i].title;
        v->folders = viz_chips_layout(canvas, x, y + 4, w, names, v->opens.folder_count);
        y += v->folders.rect.h + (low ? 4 : 10);
    }
    y += TITLE;
    float h = area.y + area.h - y - (low ? 2 : VIZ_GAP);
    float rows = fmaxf(floorf(h / CHOOSER_ROW), 1) * CHOOSER_ROW; /* none is cut in two */
    v->lists[CHOOSER_LEFT] = (viz_rect){x, y, w - right - (right > 0 ? APART : 0), rows};
    if (!v->saving)
        v->lists[CHOOSER_RIGHT] = (viz_rect){x + w - right, y - TITLE, right, h + TITLE};
    else
        v->lists[CHOOSER_RIGHT] = (viz_rect){0};
    v->lengths[CHOOSER_LEFT] = CHOOSER_ROW * (float)v->left_count;
    lay_right(v);
}

static viz_rect rect_of(const chooser_view *v, int side, size_t index)
{
    viz_rect list = v->lists[side];
    viz_rect r = side == CHOOSER_LEFT
                     ? (viz_rect){0, CHOOSER_ROW * (float)index, list.w, CHOOSER_ROW}
                     : v->right[index].rect;
    return (viz_rect){list.x + r.x, list.y + r.y - v->scroll[side], r.w, r.h};
}

void chooser_scroll(chooser_view *v, int side, float by)
{
    float most = fmaxf(v->lengths[side] - v->lists[side].h, 0);
    v->scroll[side] = fminf(fmaxf(v->scroll[side] + by, 0), most);
}

/* From *first on, up to *end. */
void chooser_seen_rows(const chooser_view *v, size_t *first, size_t *end)
{
    size_t count = (size_t)(v->lists[CHOOSER_LEFT].h / CHOOSER_ROW) + 2;
    *first = (size_t)(v->scroll[CHOOSER_LEFT] / CHOOSER_ROW);
    *first = *first < v->left_count ? *first : v->left_count;
    *end = *first + count < v->left_count ? *first + count : v->left_count;
}

chooser_mark chooser_under(const chooser_view *v, float x, float y)
{
    const viz_rect *lists = v->lists;
    if (viz_inside(lists[CHOOSER_LEFT], x, y)) {
        float row = floorf((y - lists[CHOOSER_LEFT].y + v->scroll[CHOOSER_LEFT]) / CHOOSER_ROW);
        if (row >= 0 && row < (float)v->left_count)
            return (chooser_mark){CHOOSER_LEFT, (size_t)row};
    }
    for (size_t i = 0; i < v->right_count && viz_inside(lists[CHOOSER_RIGHT], x, y); i++)
        if (viz_inside(rect_of(v, CHOOSER_RIGHT, i), x, y))
            return (chooser_mark){CHOOSER_RIGHT, i};
    return (chooser_mark){.side = CHOOSER_NONE};
}

/* ---------------------------------------------------------------- moving the mark */

static void scroll_to_mark(chooser_view *v)
{
    int side = v->mark.side;
    viz_rect r = rect_of(v, side, v->mark.index), list = v->lists[side];
    float above = side == CHOOSER_RIGHT ? TITLE : 0; /* with its heading */
    if (r.y - above < list.y)
        chooser_scroll(v, side, r.y - above - list.y);
    else if (r.y + r.h > list.y + list.h)
        chooser_scroll(v, side, r.y + r.h - list.y - list.h);
}

/* The item at the right that is next to a place in the direction of the key; false: none is. */
static bool find_next_item(const chooser_view *v, viz_rect from, int key, size_t *found)
{
    float best = INFINITY;
    for (size_t i = 0; i < v->right_count; i++) {
        viz_rect r = rect_of(v, CHOOSER_RIGHT, i);
        float dx = r.x - from.x, dy = r.y + r.h / 2 - from.y - from.h / 2;
        bool level = fabsf(dy) < fmaxf(r.h, from.h) / 2;
        bool there = key == VIZ_KEY_DOWN   ? r.y >= from.y + from.h - 1
                     : key == VIZ_KEY_UP   ? r.y + r.h <= from.y + 1
                     : key == VIZ_KEY_LEFT ? level && dx < -1
                                           : level && dx > 1;
        bool upright = key == VIZ_KEY_DOWN || key == VIZ_KEY_UP;
        float far = upright ? 1000 * fabsf(dy) + fabsf(dx) : fabsf(dx) + 1000 * fabsf(dy);
        if (there && far < best) {
            best = far;
            *found = i;
        }
    }
    return best < INFINITY;
}

static void move_mark_in_right_list(chooser_view *v, int key)
{
    size_t last = v->right_count - 1, first, end;
    viz_rect from = rect_of(v, CHOOSER_RIGHT, v->mark.index);
    if (key == VIZ_KEY_HOME || key == VIZ_KEY_PAGE_UP)
        v->mark.index = 0;
    else if (key == VIZ_KEY_END || key == VIZ_KEY_PAGE_DOWN)
        v->mark.index = last;
    else if (!find_next_item(v, from, key, &v->mark.index) && key == VIZ_KEY_LEFT &&
             v->left_count) {
        chooser_seen_rows(v, &first, &end);
        float row =
            floorf((from.y - v->lists[CHOOSER_LEFT].y + v->scroll[CHOOSER_LEFT]) / CHOOSER_ROW);
        size_t level = row > (float)first ? (size_t)row : first;
        v->mark = (chooser_mark){CHOOSER_LEFT, level < end ? level : end - 1};
    }
}

static void move_mark_in_left_list(chooser_view *v, int key)
{
    size_t page = (size_t)fmaxf(v->lists[CHOOSER_LEFT].h / CHOOSER_ROW - 1, 1);
    size_t last = v->left_count - 1, at = v->mark.index;
    bool up = key == VIZ_KEY_UP || key == VIZ_KEY_PAGE_UP;
    size_t step = key == VIZ_KEY_PAGE_UP || key == VIZ_KEY_PAGE_DOWN ? page : 1;
    if (key == VIZ_KEY_RIGHT) {
        if (v->right_count) {
            viz_rect from = rect_of(v, CHOOSER_LEFT, at);
            size_t best = 0;
            for (size_t i = 1; i < v->right_count; i++)
                if (fabsf(rect_of(v, CHOOSER_RIGHT, i).y - from.y) <
                    fabsf(rect_of(v, CHOOSER_RIGHT, best).y - from.y))
                    best = i;
            v->mark = (chooser_mark){CHOOSER_RIGHT, best};
        }
    } else if (key == VIZ_KEY_HOME || key == VIZ_KEY_END) {
        v->mark.index = key == VIZ_KEY_HOME ? 0 : last;
    } else if (key != VIZ_KEY_LEFT) {
        v->mark.index = up ? (at > step ? at - step : 0) : (at + step < last ? at + step : last);
    }
}

void chooser_move(chooser_view *v, int key)
{
    bool none = !chooser_marked(v);
    if (none && v->left_count)
        v->mark = (chooser_mark){CHOOSER_LEFT, 0};
    else if (none && v->right_count)
        v->mark = (chooser_mark){CHOOSER_RIGHT, 0};
    else if (v->mark.side == CHOOSER_LEFT && v->left_count)
        move_mark_in_left_list(v, key);
    else if (v->mark.side == CHOOSER_RIGHT && v->right_count)
        move_mark_in_right_list(v, key);
    if (chooser_marked(v))
        scroll_to_mark(v);
}

/* ---------------------------------------------------------------- rows */

static bool is_marked(const chooser_view *v, int side, size_t index)
{
    return v->mark.side == side && v->mark.index == index;
}

/* What stands at the left of a row and what, fainter, at its right; false: it cannot be opened. */
static bool describe_row(const chooser_view *v, const chooser_item *item, char *name, char *about,
                         size_t size)
{
    const viz_listing *l = &v->listing;
    const viz_entry *entry = item->kind == CHOOSER_ENTRY ? &l->entries[item->index] : NULL;
    const viz_recent *recent = item->kind == CHOOSER_RECENT ? &v->opens.recent[item->index] : NULL;
    *about = '\0';
    if (recent) {
        bool two = recent->beside[0];
        const char *leaf = viz_path_leaf(recent->path);
        snprintf(name, size, "%s%s%s", leaf, two ? "  +  " : "",
                 two ? viz_path_leaf(recent->beside) : "");
        snprintf(about, size, "%.*s", (int)(leaf - recent->path), recent->path);
    } else if (item->kind == CHOOSER_PARENT) {
        snprintf(name, size, "..");
        snprintf(about, size, "%s", viz_word("the folder above"));
    } else if (item->kind == CHOOSER_PICTURES) {
        bool all = l->read && l->known == l->count;
        snprintf(name, size, "%s",
                 viz_word(v->opens.purpose ? "this folder" : "all pictures of this folder"));
        if (l->pictures || all)
            snprintf(about, size,
                     viz_word(!all               ? "%zu or more pictures"
                              : l->pictures == 1 ? "%zu picture"
                                                 : "%zu pictures"),
                     l->pictures);
        return l->pictures || !all || v->opens.purpose;
    } else {
        snprintf(name, size, "%s%s", entry->name, entry->is_folder ? "/" : "");
        snprintf(about, size, "%s", v->saving ? "" : viz_word(entry->about));
        bool any = v->opens.purpose && v->opens.wanted == VIZ_WANTS_A_TEXT;
        return v->saving || (v->opens.purpose && !any) ? entry->is_folder
                                                       : entry->what != VIZ_OPENS_NOT;
    }
    return true;
}

/* Weights below a causal mask: what stands for a file of arrays. */
static void draw_arrays_icon(viz_canvas *canvas, viz_rect r)
{
    enum { SIDE = 7 };
    float cell = fminf(r.w, r.h) * 0.72f / SIDE;
    float x = r.x + (r.w - SIDE * cell) / 2, y = r.y + (r.h - SIDE * cell) / 2;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column <= row; column++) {
            float weight = 1 / (1 + 0.7f * (float)((3 * row + 5 * column) % 7));
            viz_fill(
                canvas,
                (viz_rect){x + cell * (float)column, y + cell * (float)row, cell - 1, cell - 1},
                viz_with_alpha(canvas->theme->accent, weight));
        }
}

/* A folder with its tab. */
static void draw_folder_icon(viz_canvas *canvas, viz_rect r)
{
    float w = 20, h = 14, x = r.x + (r.w - w) / 2, y = r.y + (r.h - h) / 2 + 1;
    viz_color color = canvas->theme->faint;
    viz_fill_round(canvas, (viz_rect){x, y - 3, w * 0.45f, 6}, 2, color);
    viz_fill_round(canvas, (viz_rect){x, y, w, h}, 2, color);
}

/* Lines on a page. */
static void draw_text_icon(viz_canvas *canvas, viz_rect r)
{
    static const float lengths[] = {16, 12, 16, 9};
    float x = r.x + (r.w - 16) / 2, y = r.y + (r.h - 14) / 2;
    for (int i = 0; i < 4; i++)
        viz_fill(canvas, (viz_rect){x, y + 4 * (float)i, lengths[i], 2}, canvas->theme->text2);
}

/* What stands before a name: the picture itself, small, or what kind of thing it is. */
static void draw_row_icon(chooser_view *v, viz_canvas *canvas, const chooser_item *item, viz_rect r)
{
    const viz_entry *entry = item->kind == CHOOSER_ENTRY ? &v->listing.entries[item->index] : NULL;
    char path[VIZ_PATH_SIZE];
    if (chooser_row_picture(v, item, path)) {
        chooser_thumb *thumb = (chooser_thumb *)chooser_find_thumb(v, path);
        viz_fill(canvas, r, canvas->theme->panel);
        if (thumb && thumb->tile.rgba)
            viz_image_kept(canvas, &thumb->kept, &thumb->tile, thumb->number, r, true);
    } else if (item->kind == CHOOSER_PARENT || item->kind == CHOOSER_PICTURES ||
               (entry && entry->is_folder)) {
        draw_folder_icon(canvas, r);
    } else if (entry && v->opens.purpose && entry->what == VIZ_OPENS) {
        draw_text_icon(canvas, r);
    } else if (item->kind == CHOOSER_RECENT || (entry && entry->what == VIZ_OPENS)) {
        draw_arrays_icon(canvas, r);
    }
}

static void draw_row(chooser_view *v, viz_canvas *canvas, int side, size_t index)
{
    const viz_theme *theme = canvas->theme;
    const chooser_item *item = side == CHOOSER_LEFT ? &v->left[index] : &v->right[index];
    char name[2 * VIZ_PATH_SIZE + 8], about[2 * VIZ_PATH_SIZE + 8], fit[512];
    viz_rect r = rect_of(v, side, index);
    bool opens = describe_row(v, item, name, about, sizeof name);
    if (is_marked(v, side, index)) {
        viz_fill_round(canvas, (viz_rect){r.x, r.y + 1, r.w, r.h - 2}, 6, theme->panel);
        viz_fill(canvas, (viz_rect){r.x, r.y + 7, 3, r.h - 14}, theme->accent);
    }
    float left = r.x + (v->saving ? 12 : 12 + THUMB_WIDTH + 10), base = r.y + CHOOSER_ROW / 2 + 5;
    if (!v->saving)
        draw_row_icon(v, canvas, item,
                      (viz_rect){r.x + 12, r.y + (CHOOSER_ROW - THUMB_HEIGHT) / 2, THUMB_WIDTH,
                                 THUMB_HEIGHT});
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, 0.64f * (r.x + r.w - left), name, fit, sizeof fit);
    float end = left + viz_text(canvas, VIZ_SANS, VIZ_BODY, left, base, VIZ_LEFT,
                                opens ? theme->text : theme->faint, fit);
    float room = r.x + r.w - 10 - end - 16;
    if (room < 40)
        return;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, room, about, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w - 10, base, VIZ_RIGHT,
             opens ? theme->text2 : theme->faint, fit);
}

static void draw_tile(chooser_view *v, viz_canvas *canvas, size_t index)
{
    const viz_theme *theme = canvas->theme;
    size_t number = v->right[index].index;
    const viz_sample *sample = &v->opens.samples[number];
    const sac_image *tile = &v->tiles[number];
    viz_rect r = rect_of(v, CHOOSER_RIGHT, index), picture = r;
    char fit[160];
    picture.h -= TILE_NAME;
    viz_fill(canvas, picture, theme->panel);
    if (tile->rgba)
        viz_image_kept(canvas, &v->kept[number], tile, (unsigned)number + 1, picture, true);
    else if (!sample->is_picture)
        draw_arrays_icon(canvas, picture);
    if (is_marked(v, CHOOSER_RIGHT, index))
        viz_frame(canvas, (viz_rect){picture.x - 3, picture.y - 3, picture.w + 6, picture.h + 6}, 3,
                  theme->accent);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w, sample->title, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + r.h - 7, VIZ_LEFT,
             is_marked(v, CHOOSER_RIGHT, index) ? theme->text : theme->text2, fit);
}

static void draw_title(viz_canvas *canvas, float x, float y, float width, const char *text)
{
    char fit[VIZ_PATH_SIZE];
    viz_text_fit(canvas, VIZ_SANS_BOLD, VIZ_LABEL, width, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_LABEL, x, y + 17, VIZ_LEFT, canvas->theme->text2, fit);
}

/* Where there is nothing to choose: why not. */
static void draw_empty_reason(const chooser_view *v, viz_canvas *canvas)
{
    const viz_listing *l = &v->listing;
    const char *part = viz_path_leaf(v->field.text);
    viz_rect list = v->lists[CHOOSER_LEFT];
    bool entries = v->left_count && v->left[v->left_count - 1].kind == CHOOSER_ENTRY;
    bool text_is_wanted = !v->saving && v->opens.purpose && v->opens.wanted == VIZ_WANTS_A_TEXT;
    const char *text = l->read && l->request.problem[0] ? l->request.problem
                       : !l->read || (text_is_wanted && l->known < l->count)
                           ? "reading the folder …"
                       : text_is_wanted        ? "there is no file of text in this folder"
                       : part[0] && !v->saving ? "no name here has that in it"
                                               : "this folder is empty";
    float y = list.y + CHOOSER_ROW * (float)v->left_count + 20;
    if (!entries && y < list.y + list.h)
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_BODY, list.x + 12, y, list.w - 24,
                           canvas->theme->text2, viz_word(text));
}

static void draw_right(chooser_view *v, viz_canvas *canvas)
{
    viz_rect list = v->lists[CHOOSER_RIGHT];
    chooser_kind before = CHOOSER_ENTRY;
    viz_clip(canvas, (viz_rect){list.x - 4, list.y, list.w + 8, list.h});
    for (size_t i = 0; i < v->right_count; i++) {
        const chooser_item *item = &v->right[i];
        viz_rect r = rect_of(v, CHOOSER_RIGHT, i);
        bool recent = item->kind == CHOOSER_RECENT;
        if (item->kind != before)
            draw_title(canvas, recent ? r.x + 12 : r.x, r.y - TITLE, list.w - 12,
                       viz_word(recent ? "recent" : "samples"));
        before = item->kind;
        if (r.y + r.h < list.y || r.y > list.y + list.h)
            continue;
        if (recent)
            draw_row(v, canvas, CHOOSER_RIGHT, i);
        else
            draw_tile(v, canvas, i);
    }
    viz_clip_none(canvas);
}

/* ---------------------------------------------------------------- the whole */

static void draw_close(viz_canvas *canvas, viz_rect r)
{
    viz_color color = canvas->theme->text2;
    float x = r.x + r.w / 2, y = r.y + r.h / 2;
    viz_line(canvas, x - 5, y - 5, x + 5, y + 5, 1.8f, color);
    viz_line(canvas, x - 5, y + 5, x + 5, y - 5, 1.8f, color);
}

/* A problem, what is being opened, or how the line is used. */
static void draw_status_line(const chooser_view *v, viz_canvas *canvas, float x, float y,
                             float width)
{
    const viz_theme *theme = canvas->theme;
    const char *use =
        v->saving
            ? "Tab completes  ·  ↑ ↓ type  ·  PgUp PgDn width  ·  ctrl F figure  ·  Return saves"
            : "a path, or a part of a name  ·  Tab completes  ·  files can be "
              "dropped anywhere";
    bool problem = v->problem[0];
    char text[VIZ_PATH_SIZE + 32], fit[1400];
    snprintf(text, sizeof text, "%s", viz_word(use));
    if (!v->saving && v->opens.purpose)
        snprintf(text, sizeof text, viz_word("choose %s  ·  Tab completes"),
                 viz_word(v->opens.purpose));
    if (v->waits)
        snprintf(text, sizeof text, viz_word(v->saving ? "writing %s …" : "opening %s …"),
                 viz_path_leaf(v->saving ? v->saves.path : v->chosen.path));
    if (problem)
        viz_disc(canvas, x + 12, y + 13, 3, theme->accent);
    float indent = problem ? 22 : 12;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, width - indent, problem ? v->problem : text, fit,
                 sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, x + indent, y + 17, VIZ_LEFT,
             problem ? theme->text : theme->text2, fit);
}

static int place_of(const int *values, int count, int value)
{
    int place = 0;
    while (place < count && values[place] != value)
        place++;
    return place;
}

/* The picture of the file as it will be, in a frame. */
static void draw_preview(chooser_view *v, viz_canvas *canvas)
{
    const viz_rect room = v->preview_room;
    if (room.w <= 0)
        return;
    const char *none = v->wants_preview ? "" : viz_word("no picture of this type of file");
    if (!v->preview.rgba) {
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, room.x + room.w / 2, room.y + 40, room.w,
                        VIZ_CENTER, canvas->theme->faint, none);
        return;
    }
    const float aspect = (float)v->preview.width / (float)v->preview.height;
    const float w = fminf(room.w, room.h * aspect), h = w / aspect;
    const viz_rect r = {room.x + (room.w - w) / 2, room.y, w, h};
    viz_image_kept(canvas, &v->preview_kept, &v->preview, v->preview_stamp, r, true);
    viz_frame(canvas, r, 1, canvas->theme->line);
}

static void draw_saves(chooser_view *v, viz_canvas *canvas)
{
    const viz_saves *s = &v->saves;
    viz_chips_draw(canvas, &v->forms,
                   place_of(v->form_at, v->forms.count, (int)s->kinds[s->kind].form));
    viz_chips_draw(canvas, &v->kinds, place_of(v->kind_at, v->kinds.count, s->kind));
    viz_chips_draw(canvas, &v->widths, s->width);
    viz_chips_draw(canvas, &v->grounds, s->light ? 0 : 1);
    if (v->grounds.count)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, v->ground_at,
                 v->grounds.rect.y + v->grounds.items[0].h / 2 + 4, VIZ_LEFT, canvas->theme->text2,
                 viz_word(ground_label));
    draw_preview(v, canvas);
}

void chooser_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    chooser_view *v = (chooser_view *)view;
    const viz_theme *theme = canvas->theme;
    lay(v, canvas, area);
    for (int side = 0; side < CHOOSER_SIDES; side++)
        chooser_scroll(v, side, 0);
    float x = v->lists[CHOOSER_LEFT].x, top = v->button.y;
    viz_text_field_draw(&v->field, canvas, (viz_rect){x, top, v->button.x - x - 8, FIELD},
                        v->opens.purpose && !v->saving ? v->opens.purpose
                                                       : "a file, a folder, a model …");
    viz_fill_round(canvas, v->button, 6, theme->accent);
    viz_text(canvas, VIZ_SANS_BOLD, VIZ_BODY, v->button.x + v->button.w / 2, top + FIELD / 2 + 5,
             VIZ_CENTER, theme->on_accent,
             viz_word(v->saving          ? "Save"
                      : v->opens.purpose ? "Choose"
                                         : "Open"));
    draw_close(canvas, v->close);
    draw_status_line(v, canvas, x, top + FIELD, v->close.x + v->close.w - x);
    if (v->saving)
        draw_saves(v, canvas);
    int folder = v->opens.folder_count - 1;
    while (folder >= 0 && strcmp(v->opens.folders[folder].path, v->listing.folder) != 0)
        folder--;
    viz_chips_draw(canvas, &v->folders, folder);
    viz_rect list = v->lists[CHOOSER_LEFT];
    size_t first, end;
    chooser_seen_rows(v, &first, &end);
    char names[40] = "";
    if (v->listing.read && v->listing.count > 200)
        snprintf(names, sizeof names, viz_word("%zu names"), v->listing.count);
    float width = viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, names);
    draw_title(canvas, list.x + 12, list.y - TITLE, list.w - 36 - width, v->listing.folder);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, list.x + list.w - 10, list.y - TITLE + 17, VIZ_RIGHT,
             canvas->theme->text2, names);
    viz_clip(canvas, list);
    for (size_t i = first; i < end; i++)
        draw_row(v, canvas, CHOOSER_LEFT, i);
    draw_empty_reason(v, canvas);
    viz_clip_none(canvas);
    if (!v->saving)
        draw_right(v, canvas);
}

/* What of a rectangle is seen in a list; empty: nothing. */
static viz_rect seen_part(viz_rect r, viz_rect list)
{
    float top = fmaxf(r.y, list.y), bottom = fminf(r.y + r.h, list.y + list.h);
    return bottom - top > 4 ? (viz_rect){r.x, top, r.w, bottom - top} : (viz_rect){0};
}

void chooser_spots(const viz_view *view, viz_spots *spots)
{
    const chooser_view *v = (const chooser_view *)view;
    size_t first, end;
    chooser_seen_rows(v, &first, &end);
    viz_spots_add(spots, v->button, VIZ_SPOT_PRESSES,
                  v->saving ? "Write the file that is named (Return)."
                            : "Open what is marked, or typed (Return).");
    viz_spots_add(spots, v->close, VIZ_SPOT_PRESSES, "Back to what is open (Esc).");
    for (int i = 0; i < v->forms.count; i++)
        viz_spots_add(spots, v->forms.items[i], VIZ_SPOT_PRESSES, form_tips[v->form_at[i]]);
    for (int i = 0; i < v->kinds.count; i++)
        viz_spots_add(spots, v->kinds.items[i], VIZ_SPOT_PRESSES,
                      v->saves.kinds[v->kind_at[i]].tip);
    for (int i = 0; i < v->widths.count; i++)
        viz_spots_add(spots, v->widths.items[i], VIZ_SPOT_PRESSES,
                      "How wide the figure is on paper (PgUp PgDn).");
    for (int i = 0; i < v->grounds.count; i++)
        viz_spots_add(spots, v->grounds.items[i], VIZ_SPOT_PRESSES,
                      "The ground of what is saved, whatever the window has.");
    for (int i = 0; i < v->folders.count; i++)
        viz_spots_add(spots, v->folders.items[i], VIZ_SPOT_PRESSES, "This folder is listed.");
    for (size_t i = first; i < end; i++)
        viz_spots_add(spots, seen_part(rect_of(v, CHOOSER_LEFT, i), v->lists[CHOOSER_LEFT]),
                      VIZ_SPOT_PRESSES, NULL);
    for (size_t i = 0; i < v->right_count; i++) {
        const chooser_item *item = &v->right[i];
        viz_spots_add(spots, seen_part(rect_of(v, CHOOSER_RIGHT, i), v->lists[CHOOSER_RIGHT]),
                      VIZ_SPOT_PRESSES,
                      item->kind == CHOOSER_SAMPLE ? v->opens.samples[item->index].about : NULL);
    }
}
