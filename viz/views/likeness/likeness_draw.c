/* Layout and drawing of the likeness view. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "likeness/likeness_state.h"
#include "parts/figures/frame.h"
#include "parts/pages/paragraph.h"
#include "view/words.h"

#define FIELD_HEIGHT 34.0f
#define LINE 20.0f
#define ROW_HEIGHT 34.0f
#define LEAST_ROW 24.0f
#define TRACK 5.0f
#define PANEL_SHARE 0.36f /* of the width */
#define LEAST_PANEL 236.0f
#define MOST_PANEL 440.0f
#define COLUMN_GAP 28.0f
#define MOST_BAR 420.0f
#define CLEARLY_LARGER 1.15f

const char *const likeness_way_notes[SAC_LIKENESS_WAYS] = {
    [SAC_LIKENESS_STATES] = "States of patches as they leave the last layer. The model was trained "
                            "on whole pictures: what its "
                            "patches say is noisy, and CLIP's often point away from the thing.",
    [SAC_LIKENESS_VALUES] = "In the last layer each patch attends to itself alone: it is its own "
                            "value (MaskCLIP, Zhou et al. 2022).",
    [SAC_LIKENESS_VALUE_VALUE] =
        "In the last layer values are queries and keys, too, so that patches attend to those like "
        "them (CLIP Surgery, Li et al. 2023, has it in more layers).",
    [SAC_LIKENESS_RELEVANCE] =
        "What counted for the likeness of the whole picture, and which words: attention times the "
        "gradient of the logit, through all layers (Chefer et al. 2021). Each map sums to 1.",
};

static const char *const bar_names[MIDDLE_COUNT] = {
    "cosine; in the middle the mean of all patches",
    "cosine; in the middle 0",
    "cosine less the mean of all phrases",
};
/* By relevance: how its shares are drawn, and what is drawn otherwise. */
static const char *const counted_names[MIDDLE_COUNT] = {"light", "heat", "beside others"};

/* ---------------------------------------------------------------- layout */

static viz_rect fit_picture(const likeness_view *v, viz_rect room)
{
    const sac_image *image = v->base.source->picture.image;
    float aspect = (float)image->width / (float)image->height;
    float w = floorf(fmaxf(fminf(room.w, room.h * aspect), 1));
    return (viz_rect){room.x, room.y, w, floorf(fmaxf(w / aspect, 1))};
}

static int row_count(const likeness_view *v)
{
    return v->likeness.count;
}

/* Rows, choices and the note below each other in `panel`, as far as there is room. */
static void lay_panel(likeness_view *v, const viz_canvas *canvas, viz_rect panel)
{
    likeness_layout *l = &v->layout;
    int rows = row_count(v);
    float choices = 2 * (LINE + 4) + 12, y = panel.y;
    float height = fminf(ROW_HEIGHT, (panel.h - choices) / (float)(rows ? rows : 1));
    height = fmaxf(height, LEAST_ROW);
    for (int i = 0; i < rows; i++, y += height)
        l->rows[i] = (viz_rect){panel.x, y, panel.w, height - 4};
    y += 12;
    l->ways = viz_words_layout(canvas, panel.x, y, panel.w, "compare", sac_likeness_way_names,
                               SAC_LIKENESS_WAYS);
    y += l->ways.rect.h + 4;
    const bool counts = v->way == SAC_LIKENESS_RELEVANCE;
    l->middles = viz_words_layout(canvas, panel.x, y, panel.w, counts ? "show" : "scale",
                                  counts ? counted_names : likeness_middle_names, MIDDLE_COUNT);
    y += l->middles.rect.h + 8;
    float note = viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, panel.w,
                                      viz_word(likeness_way_notes[v->way]));
    if (y + note <= panel.y + panel.h)
        l->note = (viz_rect){panel.x, y, panel.w, note};
}

/* What lay_panel takes of a column of that width. */
static float panel_height(const likeness_view *v, const viz_canvas *canvas, float width)
{
    return ROW_HEIGHT * (float)row_count(v) + 12 + 2 * (LINE + 8) +
           viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, width,
                                viz_word(likeness_way_notes[v->way]));
}

/* The panel stands beside the picture, or where the picture is clearly larger then, below it. */
static void lay(likeness_view *v, const viz_canvas *canvas, viz_rect area)
{
    likeness_layout *l = &v->layout;
    *l = (likeness_layout){0};
    float x = area.x + VIZ_MARGIN, w = area.w - 2 * VIZ_MARGIN, y = area.y + 8;
    l->field = (viz_rect){x, y, w, FIELD_HEIGHT};
    y += FIELD_HEIGHT + 4;
    l->hint = (viz_rect){x, y, w, LINE};
    y += LINE + 4;
    float panel = fminf(fmaxf(PANEL_SHARE * w, LEAST_PANEL), MOST_PANEL);
    float height = area.y + area.h - 10 - y, below = panel_height(v, canvas, w) + 12;
    viz_rect room = {x, y + LINE + 2, w - panel - COLUMN_GAP,
                     height - LINE - 2 - 10 - VIZ_BAR_NAMED_HEIGHT};
    viz_rect wide = {x, room.y, w, fmaxf(room.h - below, 1)};
    viz_rect upper = fit_picture(v, wide);
    l->picture = fit_picture(v, room);
    bool stacked = upper.w > CLEARLY_LARGER * l->picture.w;
    if (stacked) {
        l->picture = upper;
        room = wide;
    }
    l->title = (viz_rect){x, y, room.w, LINE};
    /* What is left of the width goes to both sides of the two columns. */
    float spare = room.w - l->picture.w;
    if (spare > 0 && !stacked) {
        float shift = floorf(fminf(spare / 2, fmaxf(spare - MOST_BAR, 0)));
        l->picture.x += shift;
        l->title.x = l->picture.x;
        l->title.w -= shift;
    }
    l->bar = (viz_rect){l->picture.x, l->picture.y + l->picture.h + 10,
                        fminf(fmaxf(l->picture.w, 300), l->title.w), VIZ_BAR_NAMED_HEIGHT};
    float top = l->bar.y + l->bar.h + 12;
    lay_panel(v, canvas,
              stacked ? (viz_rect){x, top, w, y + height - top}
                      : (viz_rect){x + w - panel, y, panel, height});
}

/* ---------------------------------------------------------------- the picture */

static void draw_map(likeness_view *v, viz_canvas *canvas)
{
    const likeness_layout *l = &v->layout;
    const sac_likeness *s = &v->likeness;
    const sac_image *image = v->base.source->picture.image;
    viz_image_kept(canvas, &v->kept, image, 0, l->picture, true);
    if (!likeness_fill_map(v))
        return;
    viz_heat_style style = v->style;
    style.scale = (viz_scale){VIZ_FIXED, -v->most, v->most};
    if (likeness_is_share(v)) {
        style.overlay = v->middle == MIDDLE_MEAN ? VIZ_LIGHT : VIZ_HEAT;
        style.map = VIZ_INFERNO;
        style.scale.low = 0;
    }
    viz_heat(canvas, &v->kept, l->picture, v->map, s->grid_w, s->grid_h, &style);
    if (v->pointed && !canvas->figure) {
        float w = l->picture.w / (float)s->grid_w, h = l->picture.h / (float)s->grid_h;
        viz_rect cell = {l->picture.x + w * (float)v->column, l->picture.y + h * (float)v->row, w,
                         h};
        viz_frame_apart(canvas, cell, 2);
    }
    if (likeness_is_share(v)) {
        const float even = 1 / (float)(s->grid_w * s->grid_h);
        viz_heat_bar_draw(canvas, l->bar, &style, even, "relevance; 1 in all");
        return;
    }
    const viz_scale named = {VIZ_FIXED, v->mean - v->most, v->mean + v->most};
    viz_bar_draw(canvas, l->bar, viz_map_colors(canvas->theme, VIZ_DIVERGING), &named, 0,
                 v->way == SAC_LIKENESS_RELEVANCE ? "relevance less the mean of all phrases"
                                                  : bar_names[v->middle]);
}

/* The words of a phrase beside each other, each on as much colour as it counted for; those that find
 * no room are left out. */
static void draw_words(viz_canvas *canvas, const sac_phrase_words *words, viz_rect r, float room)
{
    const viz_color strong = viz_map_color(canvas->theme, VIZ_DIVERGING, 0.8f);
    float x = r.x, most = 1e-6f;
    for (size_t i = 0; i < words->labels.count; i++)
        most = fmaxf(most, words->relevance[i]);
    for (size_t i = 0; i < words->labels.count; i++) {
        const char *label = words->labels.text[i];
        viz_rect box = {x, r.y, viz_text_width(canvas, VIZ_SANS, VIZ_BODY, label) + 10, r.h - 3};
        if (box.x + box.w > r.x + room)
            return;
        viz_fill_round(canvas, box, 4, viz_with_alpha(strong, 0.6f * words->relevance[i] / most));
        viz_text(canvas, VIZ_SANS, VIZ_BODY, x + 5, r.y + 14, VIZ_LEFT, canvas->theme->text, label);
        x += box.w + 3;
    }
}

/* “a dog”, and at the right what the patch under the pointer has. */
static void draw_title(const likeness_view *v, viz_canvas *canvas)
{
    const sac_likeness *s = &v->likeness;
    const float *patches = likeness_patches(v);
    viz_rect r = v->layout.title;
    char text[SAC_PHRASE_SIZE + 8], fit[SAC_PHRASE_SIZE + 8], number[32];
    float room = r.w;
    if (!patches)
        return;
    if (v->pointed && !canvas->figure) {
        snprintf(text, sizeof text, "(%d, %d)  %s", v->column, v->row,
                 viz_number(patches[v->row * s->grid_w + v->column], number, sizeof number));
        room -= 16 + viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + fminf(r.w, v->layout.bar.w),
                              r.y + 14, VIZ_RIGHT, canvas->theme->text, text);
    }
    if (s->words[v->phrase].labels.count) {
        draw_words(canvas, &s->words[v->phrase], r, room);
        return;
    }
    snprintf(text, sizeof text, "“%s”", s->phrase[v->phrase]);
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, room, text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x, r.y + 14, VIZ_LEFT, canvas->theme->text, fit);
}

/* ---------------------------------------------------------------- the whole picture */

/* A softmax over one phrase says nothing. */
static bool has_probability(const sac_likeness *s)
{
    return s->each || s->count > 1;
}

static void draw_row(const likeness_view *v, viz_canvas *canvas, int i)
{
    const sac_likeness *s = &v->likeness;
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.rows[i];
    char text[64], number[32], fit[SAC_PHRASE_SIZE];
    bool current = i == v->phrase, lit = current && !canvas->figure;
    viz_number(s->whole[i], number, sizeof number);
    if (has_probability(s))
        snprintf(text, sizeof text, "%s  %5.1f %%", number, 100 * (double)s->probability[i]);
    else
        snprintf(text, sizeof text, "%s", number);
    float y = r.y + r.h - TRACK - 6;
    float numbers =
        viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + r.w, y, VIZ_RIGHT, theme->text, text);
    viz_text_fit(canvas, lit ? VIZ_SANS_BOLD : VIZ_SANS, VIZ_LABEL, r.w - numbers - 12,
                 s->phrase[i], fit, sizeof fit);
    viz_text(canvas, lit ? VIZ_SANS_BOLD : VIZ_SANS, VIZ_LABEL, r.x, y, VIZ_LEFT,
             lit ? theme->accent : theme->text, fit);
    viz_rect track = {r.x, r.y + r.h - TRACK, r.w, TRACK};
    if (!has_probability(s))
        return;
    viz_fill_round(canvas, track, TRACK / 2, theme->panel);
    if (s->probability[i] > 0) {
        track.w = fmaxf(track.w * s->probability[i], TRACK);
        viz_fill_round(canvas, track, TRACK / 2, current ? theme->accent : theme->text2);
    }
}

static void draw_rows(const likeness_view *v, viz_canvas *canvas)
{
    for (int i = 0; i < v->likeness.count; i++)
        draw_row(v, canvas, i);
}

static void draw_hint(const likeness_view *v, viz_canvas *canvas)
{
    const sac_likeness *s = &v->likeness;
    char fit[512];
    const char *text =
        v->request.problem[0]      ? v->request.problem
        : !v->field.text[0]        ? "type what may be in the picture"
        : s->count < 2 && !s->each ? "with | between several phrases they are compared"
        : s->each ? "of the whole picture: its cosine to each phrase, and the probability "
                    "that it fits"
                  : "of the whole picture: its cosine to each phrase, and the "
                    "probability among them";
    viz_rect r = v->layout.hint;
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, r.w, viz_word(text), fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 14, VIZ_LEFT, canvas->theme->text2, fit);
}

void likeness_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    likeness_view *v = likeness_of(view);
    const likeness_layout *l = &v->layout;
    lay(v, canvas, area);
    viz_text_field_draw(&v->field, canvas, l->field, "phrases, such as: a dog | a cat");
    draw_hint(v, canvas);
    draw_title(v, canvas);
    draw_map(v, canvas);
    draw_rows(v, canvas);
    viz_words_draw(canvas, &l->ways, (int)v->way);
    viz_words_draw(canvas, &l->middles, (int)v->middle);
    if (l->note.w > 0)
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, l->note.x, l->note.y + 12, l->note.w,
                           canvas->theme->text2, viz_word(likeness_way_notes[v->way]));
}

/* ---------------------------------------------------------------- as a figure */

#define FIGURE_GAP 10.0f

static float figure_around(const likeness_view *v)
{
    return 2 * VIZ_FIGURE_MARGIN + LINE + FIGURE_GAP + VIZ_BAR_NAMED_HEIGHT +
           LEAST_ROW * (float)v->likeness.count;
}

float likeness_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const sac_image *image = view->source->picture.image;
    float w = width - 2 * VIZ_FIGURE_MARGIN;
    (void)canvas;
    return figure_around(likeness_of(view)) +
           floorf(w * (float)image->height / (float)image->width);
}

/* The picture under its phrase; below it the bar, and the whole picture's likeness. */
void likeness_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    likeness_view *v = likeness_of(view);
    likeness_layout *l = &v->layout;
    float x = area.x + VIZ_FIGURE_MARGIN, w = area.w - 2 * VIZ_FIGURE_MARGIN;
    float y = area.y + VIZ_FIGURE_MARGIN;
    *l = (likeness_layout){.title = {x, y, w, LINE}};
    viz_rect room = {x, y + LINE, w, fmaxf(area.h - figure_around(v), 1)};
    l->picture = fit_picture(v, room);
    l->picture.x += floorf((w - l->picture.w) / 2);
    l->title.x = l->picture.x;
    l->bar = (viz_rect){x, l->picture.y + l->picture.h + FIGURE_GAP, w, VIZ_BAR_NAMED_HEIGHT};
    for (int i = 0; i < v->likeness.count; i++)
        l->rows[i] = (viz_rect){x, l->bar.y + l->bar.h + LEAST_ROW * (float)i, w, LEAST_ROW - 4};
    draw_title(v, canvas);
    draw_map(v, canvas);
    draw_rows(v, canvas);
}
