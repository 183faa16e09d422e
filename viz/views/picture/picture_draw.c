/* Layout and drawing of the picture view, in wide and in tall windows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/scanpath.h"
#include "parts/figures/frame.h"
#include "parts/figures/overlays.h"
#include "picture/picture_state.h"
#include "scores/scores.h"
#include "view/words.h"

#define TITLE_ROW 22.0f   /* from a title's top to its picture's */
#define BELOW_ROOMY 75.0f /* for read-outs and colour bar, with air */
#define BELOW_DENSE 60.0f
#define TOGETHER 36.0f   /* between pictures that stand together … */
#define FAR_APART 100.0f /* … as more than this would be between them */
#define COLUMN_GAP 44.0f
#define SLIDER_PITCH 49.0f
#define WORDS_PITCH 24.0f
#define WORDS_TITLE 62.0f /* space for "overlay" and the like */
#define SIDE_PANEL 316.0f

static const char *const choices[] = {"normalizer", "scale", "overlay", "map"};
enum { CHOICES = 4, OF_LOOKS = 1 }; /* those from the second on change no weight */

static const viz_key_row long_caps[] = {
    {"S", "PNG"},
    {"A", "animation", .tips = {N_("Save the play as an animation (A).")}},
    {"space", "let the gaze wander", .tips = {N_("Let the gaze wander, or hold it (space).")}},
    {"I", "why"},
    {"?", "keys"}};
static const viz_key_row short_caps[] = {
    {"S", "PNG"},
    {"A", "animation", .tips = {N_("Save the play as an animation (A).")}},
    {"space", "wander", .tips = {N_("Let the gaze wander, or hold it (space).")}},
    {"I", "why"},
    {"?", "keys"}};

/* The chips of the scores; returns where they end, x and y. */
static viz_rect add_score_chips(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                                float x, float y, float width)
{
    viz_controls_clear(&l->controls);
    viz_controls_add(&l->controls, view, canvas, "score", x, y, width);
    return l->controls.items[0].rect;
}

/* ---------------------------------------------------------------- the pictures */

/* Lays out two columns, titles above and numbers below, from the top of the area. The left one is
 * at the left edge and the right one at the right edge, where the controls end too; narrow ones would
 * be far apart so, and stand together in the middle. */
static void lay_side_by_side(picture_layout *l, viz_rect room, float aspect, float below)
{
    float column = fmaxf((room.w - VIZ_MARGIN) / 2, 1);
    float height = fmaxf(room.h - TITLE_ROW - below, 1);
    float w = fmaxf(fminf(column, height * aspect), 1), h = w / aspect;
    float line = fmaxf(w, fminf(column, 240)); /* as wide as what is written around a picture */
    float x1 = room.x, x2 = room.x + room.w - line, y = room.y + TITLE_ROW, under = y + h;
    float apart = x2 - x1 - line;
    if (apart > FAR_APART) {
        x1 += (apart - TOGETHER) / 2;
        x2 -= (apart - TOGETHER) / 2;
    }
    bool narrow = line < 400; /* both read-outs do not fit one line */
    l->left_title = (viz_rect){x1, room.y, line, 16};
    l->right_title = (viz_rect){x2, room.y, line, 16};
    l->left = (viz_rect){x1, y, w, h};
    l->right = (viz_rect){x2, y, w, h};
    l->readout = (viz_rect){x1, under + 8, narrow ? line : line - 150, 20};
    l->entropy = narrow ? (viz_rect){x1, under + 28, line, 20}
                        : (viz_rect){x1 + line - 150, under + 8, 150, 20};
    l->bar = (viz_rect){x2, under + (below > BELOW_DENSE ? 16 : 8), line, VIZ_BAR_NAMED_HEIGHT};
}

/* Side by side or stacked, whichever makes the pictures larger. */
static void lay_pictures_larger(picture_layout *l, viz_rect room, float aspect, float below)
{
    picture_layout stacked = *l;
    lay_side_by_side(l, room, aspect, below);
    /* Lays out one below the other, each with its numbers, in the middle of the area. */
    const float own = TITLE_ROW + 52, bar = TITLE_ROW + 14 + VIZ_BAR_NAMED_HEIGHT;
    float height = fmaxf((room.h - own - bar) / 2, 1);
    float w = fmaxf(fminf(room.w, height * aspect), 1), h = w / aspect;
    float x = room.x + (room.w - w) / 2, y = room.y + (room.h - own - bar - 2 * h) / 2;
    float line = fmaxf(w, fminf(room.w, 400)), left = fminf(x, room.x + room.w - line);
    stacked.left_title = (viz_rect){left, y, line, 16};
    stacked.left = (viz_rect){x, y + TITLE_ROW, w, h};
    y += TITLE_ROW + h;
    bool narrow = line < 400;
    stacked.readout = (viz_rect){left, y + 8, narrow ? line : line - 150, 20};
    stacked.entropy =
        narrow ? (viz_rect){left, y + 28, line, 20} : (viz_rect){left + line - 150, y + 8, 150, 20};
    y += own - TITLE_ROW;
    stacked.right_title = (viz_rect){left, y, line, 16};
    stacked.right = (viz_rect){x, y + TITLE_ROW, w, h};
    stacked.bar = (viz_rect){left, y + TITLE_ROW + h + 10, line, VIZ_BAR_NAMED_HEIGHT};
    if (room.w < room.h && stacked.left.w > 1.1f * l->left.w) {
        *l = stacked;
        return;
    }
    float spare = room.y + room.h - below - l->left.y - l->left.h;
    if (spare > 1) { /* wide, low pictures stand in the middle of their area */
        room.y += spare / 2;
        room.h -= spare / 2;
        lay_side_by_side(l, room, aspect, below);
    }
}

/* ---------------------------------------------------------------- controls */

/* What changes no weight: titles in one column, words in the next. */
static void stack_choices(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                          float x, float y, float width)
{
    l->controls.label_width = WORDS_TITLE;
    for (int i = OF_LOOKS; i < CHOICES; i++)
        y += viz_controls_add(&l->controls, view, canvas, choices[i], x, y, width) + WORDS_PITCH -
             VIZ_WORDS_HEIGHT;
}

#define ROOMY_HEIGHT 240.0f

static void lay_roomy_controls(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                               viz_rect area)
{
    float bottom = area.y + area.h, y = bottom - ROOMY_HEIGHT + 24;
    float inner = area.w - 2 * VIZ_MARGIN - 2 * COLUMN_GAP, w = 0.308f * inner;
    float x1 = area.x + VIZ_MARGIN, w1 = inner - 2 * w;
    float x2 = x1 + w1 + COLUMN_GAP, x3 = x2 + w + COLUMN_GAP;
    l->rule = (viz_rect){area.x, bottom - ROOMY_HEIGHT, area.w, 1};
    l->score_title = (viz_rect){x1, y, w1, 16};
    viz_rect scores = add_score_chips(view, canvas, l, x1, y + 24, w1);
    float under = scores.y + scores.h;
    l->formula = (viz_rect){x1, under + 18, w1, 24};
    l->explanation = (viz_rect){x1, under + 48, w1, 56};
    const char *sliders[VIZ_CONTROLS_MOST];
    int count = viz_controls_list_names(view->class, VIZ_SLIDER, sliders);
    for (int i = 0; i < count; i++)
        viz_controls_add(&l->controls, view, canvas, sliders[i], i < 3 ? x2 : x3,
                         y + SLIDER_PITCH * (float)(i < 3 ? i : i - 3), w);
    viz_controls_add(&l->controls, view, canvas, choices[0], x2, y + 3 * SLIDER_PITCH - 4, w);
    stack_choices(view, canvas, l, x3, y + (float)(count - 3) * SLIDER_PITCH - 4, w);
    l->caps = viz_caps_layout(canvas, x3 + w, bottom - 32, w + COLUMN_GAP + w, long_caps, 5);
}

#define FOLDED_HEIGHT 430.0f /* below it keys alone change what a score does not need */

/* Lays out buttons and key caps, words, and sliders: in three rows if there is space, else in more.
 * Returns the total height. */
static float lay_dense_controls(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                                viz_rect area, float top)
{
    float x0 = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN, right = x0 + width;
    float x = x0, y = top + 10;
    l->rule = (viz_rect){area.x, top, area.w, 1};
    viz_rect scores = add_score_chips(view, canvas, l, x, y, width);
    l->caps = viz_caps_layout(canvas, right, y + 3, width - scores.w - VIZ_MARGIN, short_caps, 5);
    y += scores.h + 8;
    bool folded = area.h < FOLDED_HEIGHT;
    const char *sliders[VIZ_CONTROLS_MOST];
    int count = viz_controls_list_names(view->class, VIZ_SLIDER, sliders);
    count = folded ? 3 : count;
    for (int i = 0; i < CHOICES && !folded; i++) {
        float label = i < OF_LOOKS ? 0 : WORDS_TITLE - 10;
        viz_control words = viz_control_lay_out(view, canvas, choices[i], x, y, width, label);
        if (x > x0 && x + words.rect.w > right) {
            x = x0;
            y += VIZ_WORDS_HEIGHT;
            words = viz_control_lay_out(view, canvas, choices[i], x, y, width, label);
        }
        viz_controls_append(&l->controls, &words);
        x += words.rect.w + 20;
        y += words.rect.h - VIZ_WORDS_HEIGHT;
    }
    y += folded ? 0 : VIZ_WORDS_HEIGHT + 8;
    int per_row = width >= 5 * 130 + 4 * VIZ_MARGIN ? 5 : width >= 3 * 130 ? 3 : 2;
    float w = (width - (float)(per_row - 1) * VIZ_MARGIN) / (float)per_row;
    for (int i = 0; i < count; i++)
        viz_controls_add(&l->controls, view, canvas, sliders[i],
                         x0 + (w + VIZ_MARGIN) * (float)(i % per_row),
                         y + (VIZ_SLIDER_HEIGHT + 4) * (float)(i / per_row), w);
    return y + (VIZ_SLIDER_HEIGHT + 4) * (float)((count - 1) / per_row) + VIZ_SLIDER_HEIGHT + 8 -
           top;
}

/* ---------------------------------------------------------------- the whole */

#define BESIDE_HEIGHT 600.0f /* what the controls need one above the other */

static picture_layout lay_with_controls_below(const viz_view *view, const viz_canvas *canvas,
                                              viz_rect area, float aspect)
{
    picture_layout l = {0};
    bool roomy = area.h >= 640 && area.w >= 1130;
    float controls = ROOMY_HEIGHT;
    if (roomy)
        lay_roomy_controls(view, canvas, &l, area);
    else { /* once to learn the height, once in its place */
        controls = lay_dense_controls(view, canvas, &l, area, 0);
        lay_dense_controls(view, canvas, &l, area, area.y + area.h - controls);
    }
    viz_rect room = {area.x + VIZ_MARGIN, area.y + (roomy ? 12 : 4), area.w - 2 * VIZ_MARGIN, 0};
    room.h = area.y + area.h - controls - room.y;
    float below = roomy ? BELOW_ROOMY : BELOW_DENSE;
    lay_pictures_larger(&l, room, aspect, below);
    return l;
}

static picture_layout lay_with_controls_beside(const viz_view *view, const viz_canvas *canvas,
                                               viz_rect area, float aspect)
{
    picture_layout l = {0};
    float x = area.x + area.w - VIZ_MARGIN - SIDE_PANEL, y = area.y + 12, w = SIDE_PANEL;
    l.rule = (viz_rect){x - VIZ_MARGIN, area.y, 1, area.h};
    l.score_title = (viz_rect){x, y, w, 16};
    viz_rect scores = add_score_chips(view, canvas, &l, x, y + 24, w);
    y = scores.y + scores.h;
    l.formula = (viz_rect){x, y + 14, w, 24};
    l.explanation = (viz_rect){x, y + 44, w, 74};
    y += 44 + 74 + 4;
    viz_controls_add(&l.controls, view, canvas, choices[0], x, y, w);
    y += WORDS_PITCH + 8;
    const char *sliders[VIZ_CONTROLS_MOST];
    int count = viz_controls_list_names(view->class, VIZ_SLIDER, sliders);
    for (int i = 0; i < count; i++, y += SLIDER_PITCH)
        viz_controls_add(&l.controls, view, canvas, sliders[i], x, y, w);
    stack_choices(view, canvas, &l, x, y, w);
    l.caps = viz_caps_layout(canvas, x + w, area.y + area.h - 32, w, short_caps, 5);
    viz_rect room = {area.x + VIZ_MARGIN, area.y + 12, area.w - SIDE_PANEL - 4 * VIZ_MARGIN,
                     area.h - 12};
    lay_side_by_side(&l, room, aspect, BELOW_ROOMY);
    return l;
}

static picture_layout lay_picture(const viz_view *view, const viz_canvas *canvas, viz_rect area,
                                  int image_width, int image_height)
{
    float aspect = (float)image_width / (float)image_height;
    picture_layout below = lay_with_controls_below(view, canvas, area, aspect);
    if (area.h < BESIDE_HEIGHT || area.w < 900)
        return below;
    picture_layout beside = lay_with_controls_beside(view, canvas, area, aspect);
    return beside.left.w > 1.03f * below.left.w ? beside : below;
}

/* ---------------------------------------------------------------- text */

/* Words set in lines of `width`; what does not fit the rectangle is left out. */
static void draw_paragraph(viz_canvas *canvas, viz_rect rect, viz_color color, const char *text)
{
    char line[256];
    for (float y = rect.y + 13; *text && y <= rect.y + rect.h; y += 18) {
        size_t length = viz_text_line_bytes(canvas, VIZ_SANS, VIZ_LABEL, rect.w, text);
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, rect.x, y, VIZ_LEFT, color, line);
        text += length + (text[length] == ' ');
    }
}

/* A piece of one line; returns where the next one starts. */
static float draw_text_piece(viz_canvas *canvas, viz_rect line, float x, viz_face face,
                             viz_color color, const char *text)
{
    if (x >= line.x + line.w)
        return x;
    return x + viz_text_within(canvas, face, VIZ_LABEL, x, line.y + 14, line.x + line.w - x,
                               VIZ_LEFT, color, text);
}

static void draw_title(viz_canvas *canvas, viz_rect rect, const char *text)
{
    draw_text_piece(canvas, (viz_rect){rect.x, rect.y - 3, rect.w, rect.h}, rect.x, VIZ_SANS,
                    canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- on the picture */

/* At least fourteen units, so that a cell of a fine grid can still be found. */
static viz_rect cell_frame(const picture_view *v, viz_rect picture, int x, int y)
{
    float w = picture.w / (float)v->grid_w, h = picture.h / (float)v->grid_h;
    float more_w = fmaxf(14 - w, 2) / 2, more_h = fmaxf(14 - h, 2) / 2;
    return (viz_rect){picture.x + (float)x * w - more_w, picture.y + (float)y * h - more_h,
                      w + 2 * more_w, h + 2 * more_h};
}

/* The scale that the heat on screen is drawn with. */
static viz_scale current_scale(const picture_view *v)
{
    float most = 0;
    for (int i = 0; i < v->glide.grid_w * v->glide.grid_h; i++)
        most = fmaxf(most, v->glide.now[i]);
    bool shared = v->scale == VIZ_SHARED || v->scale == VIZ_ROOT;
    if (shared) /* over all queries, as soon as that is known */
        most = fmaxf(most, v->rebuild_max);
    return viz_scale_for(v->scale, most);
}

static int visible_cells(const picture_view *v)
{
    return v->grid_w * v->grid_h - v->hidden_count;
}

/* The last fixations, numbered from the oldest; the query's frame stands for the newest. */
static void draw_path(const picture_view *v, viz_canvas *canvas, viz_rect picture)
{
    const viz_gaze *gaze = &v->gaze;
    viz_fixation path[GAZE_PATH];
    int count = 0;
    for (int i = 0; i < gaze->path_count; i++)
        count = viz_fixation_add(path, count, picture.x + gaze->path[i].x * picture.w,
                                 picture.y + gaze->path[i].y * picture.h, i + 1, 1);
    if (!count || !v->glide.grid_w)
        return;
    const gaze_point *newest = &gaze->path[gaze->path_count - 1];
    bool framed = picture_cell(newest->x, v->grid_w) == picture_query_x(v) &&
                  picture_cell(newest->y, v->grid_h) == picture_query_y(v);
    const viz_glide *g = &v->glide;
    int best = 0;
    for (int i = 1; i < g->grid_w * g->grid_h; i++)
        best = g->now[i] > g->now[best] ? i : best;
    const float peak[2] = {
        picture.x + ((float)(best % g->grid_w) + 0.5f) / (float)g->grid_w * picture.w,
        picture.y + ((float)(best / g->grid_w) + 0.5f) / (float)g->grid_h * picture.h};
    viz_scan_path(canvas, picture, path, count, framed ? 0 : 5, peak);
}

static void draw_attention_picture(picture_view *v, viz_canvas *canvas, const viz_scale *scale)
{
    viz_rect picture = v->layout.left;
    draw_title(canvas, v->layout.left_title,
               canvas->figure ? "attention of the query" : viz_word("what this cell attends to"));
    viz_image_kept(canvas, &v->picture_kept, picture_image(v), 0, picture, true);
    viz_heat_style style = v->style;
    style.scale = *scale;
    style.cells = visible_cells(v);
    if (v->glide.grid_w > 0)
        viz_heat(canvas, &v->picture_kept, picture, v->glide.now, v->glide.grid_w, v->glide.grid_h,
                 &style);
    viz_hidden_draw(canvas, picture, v->hidden, v->grid_w, v->grid_h);
    viz_clip(canvas, picture);
    draw_path(v, canvas, picture);
    int x = picture_query_x(v), y = picture_query_y(v);
    int px = picture_cell(v->pointer.x, v->grid_w), py = picture_cell(v->pointer.y, v->grid_h);
    if (v->pointed && (px != x || py != y))
        viz_frame_apart(canvas, cell_frame(v, picture, px, py), 1);
    viz_rect r = cell_frame(v, picture, x, y);
    viz_frame_apart(canvas, r, 2);
    viz_clip_none(canvas);
}

/* ---------------------------------------------------------------- the picture rebuilt */

/* Writes how long the rebuilding took, where there is space for it. Returns the width it takes. */
static float draw_rebuild_time(const picture_view *v, viz_canvas *canvas, viz_rect line)
{
    bool late = v->rebuild.out && v->now - v->asked_at > 0.3;
    char text[32] = "computing";
    if (line.w < 290 || canvas->for_file || (!late && !(v->rebuild_ms > 0)))
        return 0;
    if (!late)
        snprintf(text, sizeof text, "%.1f ms", v->rebuild_ms);
    viz_text(canvas, VIZ_MONO, VIZ_LABEL, line.x + line.w, line.y + 11, VIZ_RIGHT,
             canvas->theme->text2, text);
    return viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, "0000.0 ms");
}

static void draw_rebuilt_picture(picture_view *v, viz_canvas *canvas)
{
    const picture_layout *l = &v->layout;
    viz_rect line = l->right_title;
    line.w -= draw_rebuild_time(v, canvas, line);
    draw_title(canvas, line,
               canvas->figure ? "Σ weights · cells"
                              : viz_word("the picture rebuilt: Σ weights · cells"));
    if (v->rebuilt.rgba)
        viz_image_kept(canvas, &v->rebuilt_kept, &v->rebuilt, v->rebuilt_stamp, l->right,
                       !v->style.blocky);
    else
        viz_fill(canvas, l->right, canvas->theme->panel);
}

/* ---------------------------------------------------------------- numbers */

static void draw_readout(const picture_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const viz_glide *g = &v->glide;
    viz_rect line = v->layout.readout;
    char text[96];
    snprintf(text, sizeof text, viz_word("query (%d, %d)%s"), picture_query_x(v),
             picture_query_y(v),
             v->held      ? viz_word(" held")
             : v->wanders ? viz_word(" wandering")
                          : "");
    float x = draw_text_piece(canvas, line, line.x, VIZ_SANS, theme->text2, text) + 10;
    bool current = g->grid_w == v->grid_w && g->grid_h == v->grid_h;
    if (v->pointed && current) {
        int px = picture_cell(v->pointer.x, v->grid_w), py = picture_cell(v->pointer.y, v->grid_h);
        snprintf(text, sizeof text, viz_word("pointer (%d, %d)"), px, py);
        x = draw_text_piece(canvas, line, x, VIZ_SANS, theme->text2, text) + 6;
        char number[32];
        viz_number(g->now[py * g->grid_w + px], number, sizeof number);
        draw_text_piece(canvas, line, x, VIZ_MONO, theme->text, number);
    }
    viz_rect e = v->layout.entropy;
    int visible = visible_cells(v);
    snprintf(text, sizeof text, viz_word("entropy %.1f of %.1f bits"), (double)v->entropy,
             visible > 0 ? log2(visible) : 0);
    bool own_line = e.y > line.y;
    if (g->grid_w > 0)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, own_line ? e.x : e.x + e.w, e.y + 14,
                 own_line ? VIZ_LEFT : VIZ_RIGHT, theme->text2, text);
}

/* Draws the note over the lower edge of the picture. */
static void draw_note(const picture_view *v, viz_canvas *canvas)
{
    int visible = visible_cells(v);
    bool even =
        visible > 0 && viz_heat_is_even(v->glide.now, v->glide.grid_w * v->glide.grid_h, visible);
    bool uniform = v->rebuild_max > 0 && visible > 1 && !v->hidden_count &&
                   v->rebuild_max - 1.0f / (float)visible < 1e-6f;
    const char *note = picture_problem(v)[0]     ? picture_problem(v)
                       : v->identical || uniform ? "maps are identical for every query"
                       : visible == 0            ? "every cell is hidden: U shows them again"
                       : v->hide_mode            ? "drag to hide cells, U shows all, H ends"
                       : even                    ? VIZ_EVEN_NOTE
                                                 : NULL;
    viz_note_draw_over(canvas, v->layout.left, note);
}

/* ---------------------------------------------------------------- controls */

static void draw_controls(const picture_view *v, viz_canvas *canvas)
{
    const picture_layout *l = &v->layout;
    const viz_theme *theme = canvas->theme;
    const sac_score_words *score = &picture_score(v)->words;
    viz_fill(canvas, l->rule, theme->line);
    if (l->score_title.w > 0)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->score_title.x, l->score_title.y + 11, VIZ_LEFT,
                 theme->text2, viz_word("score"));
    if (l->formula.w > 0) {
        char formula[96];
        snprintf(formula, sizeof formula, "a(q,k) = %s", score->formula);
        viz_text(canvas, VIZ_MONO, 16, l->formula.x, l->formula.y + 18, VIZ_LEFT, theme->text,
                 formula);
    }
    if (l->explanation.w > 0)
        draw_paragraph(canvas, l->explanation, theme->text2, viz_word(score->meaning));
    viz_controls_draw(&l->controls, &v->base, canvas);
    viz_caps_draw(canvas, &l->caps);
}

/* ---------------------------------------------------------------- as a figure */

#define FIGURE_TITLE 18.0f
#define FIGURE_GAP 12.0f
#define LEAST_FORMULA 8.5f

static float figure_extra_height(void)
{
    return 2 * VIZ_FIGURE_MARGIN + FIGURE_TITLE + FIGURE_GAP + VIZ_BAR_NAMED_HEIGHT + FIGURE_TITLE;
}

float picture_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const sac_image *image = picture_of(view)->source->picture.image;
    float w = (width - 2 * VIZ_FIGURE_MARGIN - FIGURE_GAP) / 2;
    (void)canvas;
    return figure_extra_height() + floorf(w * (float)image->height / (float)image->width);
}

/* Both pictures under their titles; below them the bar, and the score. */
void picture_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    picture_view *v = picture_of(view);
    const sac_image *image = v->source->picture.image;
    float aspect = (float)image->width / (float)image->height;
    float w = (area.w - 2 * VIZ_FIGURE_MARGIN - FIGURE_GAP) / 2,
          h = fmaxf(area.h - figure_extra_height(), 1);
    w = floorf(fmaxf(fminf(w, h * aspect), 1));
    h = floorf(w / aspect);
    float x = area.x + (area.w - 2 * w - FIGURE_GAP) / 2,
          y = area.y + (area.h - h) / 2 -
              (figure_extra_height() / 2 - VIZ_FIGURE_MARGIN - FIGURE_TITLE);
    float right = x + w + FIGURE_GAP, below = y + h + FIGURE_GAP;
    v->layout = (picture_layout){.left = {x, y, w, h},
                                 .right = {right, y, w, h},
                                 .left_title = {x, y - FIGURE_TITLE, w, 16},
                                 .right_title = {right, y - FIGURE_TITLE, w, 16},
                                 .bar = {x, below, w, VIZ_BAR_NAMED_HEIGHT}};
    viz_scale scale = current_scale(v);
    int visible = visible_cells(v);
    draw_attention_picture(v, canvas, &scale);
    draw_rebuilt_picture(v, canvas);
    viz_heat_style style = v->style;
    style.scale = scale;
    viz_heat_bar_draw(canvas, v->layout.bar, &style, visible > 0 ? 1.0f / (float)visible : 0,
                      viz_scale_name(v->scale));
    char formula[96];
    float size = VIZ_LABEL;
    snprintf(formula, sizeof formula, "a(q,k) = %s", picture_score(v)->words.formula);
    while (size > LEAST_FORMULA &&
           viz_text_width(canvas, VIZ_MONO, size, formula) > 2 * w + FIGURE_GAP)
        size -= 0.5f;
    viz_text(canvas, VIZ_MONO, size, x, below + VIZ_BAR_NAMED_HEIGHT + 16, VIZ_LEFT,
             canvas->theme->text, formula);
}

/* ---------------------------------------------------------------- the whole */

void picture_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    picture_view *v = picture_of(view);
    const sac_image *image = v->source->picture.image;
    const viz_setting *dragged = v->layout.controls.dragged;
    v->layout = lay_picture(view, canvas, area, image->width, image->height);
    v->layout.controls.dragged = dragged;
    viz_scale scale = current_scale(v);
    int visible = visible_cells(v);
    draw_attention_picture(v, canvas, &scale);
    draw_rebuilt_picture(v, canvas);
    draw_readout(v, canvas);
    viz_heat_style style = v->style;
    style.scale = scale;
    viz_heat_bar_draw(canvas, v->layout.bar, &style, visible > 0 ? 1.0f / (float)visible : 0,
                      viz_scale_name(v->scale));
    draw_note(v, canvas);
    draw_controls(v, canvas);
}
