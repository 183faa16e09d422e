/* The layout of the picture view, in wide and in tall windows. */

#include "picture/picture_state.h"

#include <math.h>

#include "scores/scores.h"

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

static const char *const choices[] = {"scale", "overlay", "map"};
enum { CHOICES = 3 };

static const viz_key_row long_caps[] = {{"S", "PNG"},
                                        {"A", "animation"},
                                        {"space", "let the gaze wander"},
                                        {"I", "why"},
                                        {"?", "keys"}};
static const viz_key_row short_caps[] = {
    {"S", "PNG"}, {"A", "animation"}, {"space", "wander"}, {"I", "why"}, {"?", "keys"}};

/* The chips of the scores; returns where they end, x and y. */
static viz_rect add_scores(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
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
static void place_pictures(picture_layout *l, viz_rect room, float aspect, float below)
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
static void set_pictures(picture_layout *l, viz_rect room, float aspect, float below)
{
    picture_layout stacked = *l;
    place_pictures(l, room, aspect, below);
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
        place_pictures(l, room, aspect, below);
    }
}

/* ---------------------------------------------------------------- controls */

/* Titles in one column, words in the next. */
static void stack_choices(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                          float x, float y, float width)
{
    l->controls.label_width = WORDS_TITLE;
    for (int i = 0; i < CHOICES; i++)
        y += viz_controls_add(&l->controls, view, canvas, choices[i], x, y, width) + WORDS_PITCH -
             VIZ_WORDS_HEIGHT;
}

#define ROOMY_HEIGHT 240.0f

static void controls_roomy(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                           viz_rect area)
{
    float bottom = area.y + area.h, y = bottom - ROOMY_HEIGHT + 24;
    float inner = area.w - 2 * VIZ_MARGIN - 2 * COLUMN_GAP, w = 0.308f * inner;
    float x1 = area.x + VIZ_MARGIN, w1 = inner - 2 * w;
    float x2 = x1 + w1 + COLUMN_GAP, x3 = x2 + w + COLUMN_GAP;
    l->rule = (viz_rect){area.x, bottom - ROOMY_HEIGHT, area.w, 1};
    l->score_title = (viz_rect){x1, y, w1, 16};
    viz_rect scores = add_scores(view, canvas, l, x1, y + 24, w1);
    float under = scores.y + scores.h;
    l->formula = (viz_rect){x1, under + 18, w1, 24};
    l->explanation = (viz_rect){x1, under + 48, w1, 56};
    const char *sliders[VIZ_CONTROLS_MOST];
    int count = viz_controls_named(view->class, VIZ_SLIDER, sliders);
    for (int i = 0; i < count; i++)
        viz_controls_add(&l->controls, view, canvas, sliders[i], i < 3 ? x2 : x3,
                         y + SLIDER_PITCH * (float)(i < 3 ? i : i - 3), w);
    stack_choices(view, canvas, l, x3, y + (float)(count - 3) * SLIDER_PITCH - 4, w);
    l->caps = viz_caps_layout(canvas, x3 + w, bottom - 32, w + COLUMN_GAP + w, long_caps, 5);
}

#define FOLDED_HEIGHT 430.0f /* below it keys alone change what a score does not need */

/* Lays out buttons and key caps, words, and sliders: in three rows if there is space, else in more.
 * Returns the total height. */
static float controls_dense(const viz_view *view, const viz_canvas *canvas, picture_layout *l,
                            viz_rect area, float top)
{
    float x0 = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN, right = x0 + width;
    float x = x0, y = top + 10;
    l->rule = (viz_rect){area.x, top, area.w, 1};
    viz_rect scores = add_scores(view, canvas, l, x, y, width);
    l->caps = viz_caps_layout(canvas, right, y + 3, width - scores.w - VIZ_MARGIN, short_caps, 5);
    y += scores.h + 8;
    bool folded = area.h < FOLDED_HEIGHT;
    const char *sliders[VIZ_CONTROLS_MOST];
    int count = viz_controls_named(view->class, VIZ_SLIDER, sliders);
    count = folded ? 3 : count;
    l->controls.label_width = WORDS_TITLE - 10;
    for (int i = 0; i < CHOICES && !folded; i++) {
        float label = l->controls.label_width;
        viz_control words = viz_control_at(view, canvas, choices[i], x, y, width, label);
        if (x > x0 && x + words.rect.w > right) {
            x = x0;
            y += VIZ_WORDS_HEIGHT;
            words = viz_control_at(view, canvas, choices[i], x, y, width, label);
        }
        viz_controls_put(&l->controls, &words);
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

static picture_layout lay_below(const viz_view *view, const viz_canvas *canvas, viz_rect area,
                                float aspect)
{
    picture_layout l = {0};
    bool roomy = area.h >= 640 && area.w >= 1130;
    float controls = ROOMY_HEIGHT;
    if (roomy)
        controls_roomy(view, canvas, &l, area);
    else { /* once to learn the height, once in its place */
        controls = controls_dense(view, canvas, &l, area, 0);
        controls_dense(view, canvas, &l, area, area.y + area.h - controls);
    }
    viz_rect room = {area.x + VIZ_MARGIN, area.y + (roomy ? 12 : 4), area.w - 2 * VIZ_MARGIN, 0};
    room.h = area.y + area.h - controls - room.y;
    float below = roomy ? BELOW_ROOMY : BELOW_DENSE;
    set_pictures(&l, room, aspect, below);
    return l;
}

static picture_layout lay_beside(const viz_view *view, const viz_canvas *canvas, viz_rect area,
                                 float aspect)
{
    picture_layout l = {0};
    float x = area.x + area.w - VIZ_MARGIN - SIDE_PANEL, y = area.y + 12, w = SIDE_PANEL;
    l.rule = (viz_rect){x - VIZ_MARGIN, area.y, 1, area.h};
    l.score_title = (viz_rect){x, y, w, 16};
    viz_rect scores = add_scores(view, canvas, &l, x, y + 24, w);
    y = scores.y + scores.h;
    l.formula = (viz_rect){x, y + 14, w, 24};
    l.explanation = (viz_rect){x, y + 44, w, 74};
    y += 44 + 74 + 8;
    const char *sliders[VIZ_CONTROLS_MOST];
    int count = viz_controls_named(view->class, VIZ_SLIDER, sliders);
    for (int i = 0; i < count; i++, y += SLIDER_PITCH)
        viz_controls_add(&l.controls, view, canvas, sliders[i], x, y, w);
    stack_choices(view, canvas, &l, x, y, w);
    l.caps = viz_caps_layout(canvas, x + w, area.y + area.h - 32, w, short_caps, 5);
    viz_rect room = {area.x + VIZ_MARGIN, area.y + 12, area.w - SIDE_PANEL - 4 * VIZ_MARGIN,
                     area.h - 12};
    place_pictures(&l, room, aspect, BELOW_ROOMY);
    return l;
}

picture_layout viz_picture_layout(const viz_view *view, const viz_canvas *canvas, viz_rect area,
                                  int image_width, int image_height)
{
    float aspect = (float)image_width / (float)image_height;
    picture_layout below = lay_below(view, canvas, area, aspect);
    if (area.h < BESIDE_HEIGHT || area.w < 900)
        return below;
    picture_layout beside = lay_beside(view, canvas, area, aspect);
    return beside.left.w > 1.03f * below.left.w ? beside : below;
}
