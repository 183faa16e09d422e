/* Drawing of the caption view: the picture under its heat, the small maps, the matrix. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas/scanpath.h"
#include "caption/caption_state.h"
#include "parts/hidden.h"

static const float *map_of(const sac_caption *caption, int word)
{
    return caption->weights + (size_t)word * (size_t)caption->grid_w * (size_t)caption->grid_h;
}

/* A piece of one line; what does not fit `width` is cut. Returns its width. */
static float piece(viz_canvas *canvas, viz_face face, float x, float y, float width,
                   viz_color color, const char *text)
{
    char fit[256];
    if (width < 12)
        return 0;
    viz_text_fit(canvas, face, VIZ_LABEL, width, text, fit, sizeof fit);
    return viz_text(canvas, face, VIZ_LABEL, x, y, VIZ_LEFT, color, fit);
}

static void title(viz_canvas *canvas, viz_rect rect, const char *text)
{
    piece(canvas, VIZ_SANS, rect.x, rect.y + 12, rect.w, canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- on the picture */

/* Words that look at nearly the same place, in cells, are one fixation. */
#define SAME_PLACE 1.5f

/* Draws the cells looked at so far; the last ring is the gaze itself, which travels with the heat.
 */
static void draw_path(const caption_view *v, viz_canvas *canvas, viz_rect picture)
{
    const viz_glide *g = &v->glide;
    const sac_caption *caption = &v->caption;
    int word = caption_word_of(v), count = 0;
    float w = picture.w / (float)g->grid_w, h = picture.h / (float)g->grid_h;
    viz_fixation path[SAC_MAX_TOKENS];
    for (int i = 0; i <= word; i++)
        count = viz_fixation_add(path, count, picture.x + caption->words[i].centre_x * w,
                                 picture.y + caption->words[i].centre_y * h, i + 1, SAME_PLACE * w);
    path[count - 1].x = picture.x + g->now_x * w;
    path[count - 1].y = picture.y + g->now_y * h;
    const sac_caption_word *current = &caption->words[word];
    float peak[2] = {picture.x + ((float)current->peak_x + 0.5f) * w,
                     picture.y + ((float)current->peak_y + 0.5f) * h};
    viz_scan_path(canvas, picture, path, count, fminf(fmaxf(0.45f * w, 6), 22), peak);
}

static void draw_pointed(const caption_view *v, viz_canvas *canvas, viz_rect picture)
{
    const sac_source *source = v->source;
    float w = picture.w / (float)source->picture.grid_w,
          h = picture.h / (float)source->picture.grid_h;
    viz_rect r = {picture.x + (float)v->cell_x * w, picture.y + (float)v->cell_y * h, w, h};
    viz_frame(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, 3,
              viz_with_alpha((viz_color){0, 0, 0, 255}, 0.35f));
    viz_frame(canvas, r, 1, canvas->theme->pale);
}

static void draw_picture(caption_view *v, viz_canvas *canvas)
{
    viz_rect picture = v->layout.main.picture;
    const viz_glide *g = &v->glide;
    int word = caption_word_of(v);
    viz_image_kept(canvas, &v->picture_kept, &v->scene.image, v->scene.stamp, picture, true);
    if (word >= 0 && g->grid_w > 0) {
        viz_heat_style style = caption_heat_style(v, g->now);
        viz_heat(canvas, &v->picture_kept, picture, g->now, g->grid_w, g->grid_h, &style);
    }
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, picture, v->hidden, v->source->picture.grid_w,
                        v->source->picture.grid_h);
    caption_matters_mark(v, canvas, picture);
    viz_clip(canvas, picture);
    if (v->truth && v->scene.has_truth)
        caption_draw_boxes(v, canvas, picture, word, false, 1.5f);
    if (word >= 0 && g->grid_w > 0)
        draw_path(v, canvas, picture);
    if (v->pointed)
        draw_pointed(v, canvas, picture);
    viz_clip_none(canvas);
}

/* ---------------------------------------------------------------- numbers below it */

static void draw_readout(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.main.readout;
    const viz_glide *g = &v->glide;
    const sac_caption *caption = &v->caption;
    char place[32], number[32];
    if (!v->pointed || !g->grid_w || v->cell_word >= caption->count)
        return;
    int cell = v->cell_y * g->grid_w + v->cell_x;
    float x = r.x, right = r.x + r.w, y = r.y + 14;
    float weight = v->cell_word < 0 ? g->now[cell] : map_of(caption, v->cell_word)[cell];
    snprintf(place, sizeof place, "(%d, %d)", v->cell_x, v->cell_y);
    viz_number(weight, number, sizeof number);
    float numbers = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, place) + 8 +
                    viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, number);
    const char *label = "cell under the pointer";
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 8 + numbers > r.w)
        label = "cell";
    if (v->cell_word >= 0)
        label = caption->words[v->cell_word].text;
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 8 + numbers <= r.w)
        x += piece(canvas, VIZ_SANS, x, y, right - x, canvas->theme->text2, label) + 8;
    x += piece(canvas, VIZ_MONO, x, y, right - x, canvas->theme->text, place) + 8;
    piece(canvas, VIZ_MONO, x, y, right - x, canvas->theme->text, number);
}

/* Draws the measures of the word's map, as many as fit the line. */
static void draw_measures(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.main.measures;
    int word = caption_word_of(v), visible = caption_visible_cells(v);
    char text[4][160];
    if (word < 0)
        return;
    const sac_caption_word *w = &v->caption.words[word];
    double entropy = (double)w->entropy, most = visible > 0 ? log2(visible) : 0;
    snprintf(text[0], sizeof *text, "attention of “%s”  ·  entropy %.1f of %.1f bits  ·  β %.2f",
             w->text, entropy, most, (double)w->gate);
    snprintf(text[1], sizeof *text, "“%s”  ·  entropy %.1f of %.1f bits  ·  β %.2f", w->text,
             entropy, most, (double)w->gate);
    snprintf(text[2], sizeof *text, "“%s”  ·  %.1f of %.1f bits  ·  β %.2f", w->text, entropy, most,
             (double)w->gate);
    snprintf(text[3], sizeof *text, "%.1f bits  ·  β %.2f", entropy, (double)w->gate);
    for (int i = 0; i < 4; i++)
        if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text[i]) <= r.w) {
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w, r.y + 14, VIZ_RIGHT,
                     canvas->theme->text2, text[i]);
            return;
        }
}

/* Draws the message of the moment over the lower edge of the picture. */
static void draw_message(const caption_view *v, viz_canvas *canvas)
{
    viz_rect picture = v->layout.main.picture;
    const char *message = caption_message(v);
    if (message && picture.h > 2 * VIZ_NOTE_HEIGHT)
        viz_note_draw(canvas, picture.x + VIZ_GAP,
                      picture.y + picture.h - VIZ_NOTE_HEIGHT - VIZ_GAP, picture.w - 2 * VIZ_GAP,
                      message);
}

static void draw_main(caption_view *v, viz_canvas *canvas)
{
    draw_picture(v, canvas);
    draw_readout(v, canvas);
    draw_measures(v, canvas);
}

/* ---------------------------------------------------------------- one small map per word */

/* A tick for the gaze that found its object, a cross for one that did not. */
static void draw_verdict(viz_canvas *canvas, float x, float y, bool inside, viz_color color)
{
    if (inside) {
        viz_line(canvas, x, y + 4, x + 3, y + 7.5f, 1.5f, color);
        viz_line(canvas, x + 3, y + 7.5f, x + 9, y, 1.5f, color);
    } else {
        viz_line(canvas, x + 1, y, x + 8, y + 7, 1.5f, color);
        viz_line(canvas, x + 8, y, x + 1, y + 7, 1.5f, color);
    }
}

/* Below the word: how probable it was, or, beside the truth, how well it pointed. */
static void draw_small(const caption_view *v, viz_canvas *canvas, int word)
{
    const viz_theme *theme = canvas->theme;
    const sac_caption_mark *mark = &v->marks[word];
    viz_rect r = v->layout.main.small[word];
    char text[32];
    if (!(r.w > 0))
        return;
    if (!v->truth || !v->scene.has_truth) {
        snprintf(text, sizeof text, "%.2f", (double)v->caption.words[word].probability);
        viz_text(canvas, VIZ_MONO, 11, r.x, r.y + 11, VIZ_LEFT, theme->text2, text);
    } else if (mark->object >= 0) {
        snprintf(text, sizeof text, "%.0f%%", 100 * (double)mark->gaze.mass);
        if (mark->names)
            draw_verdict(canvas, r.x, r.y + 3, mark->gaze.inside, theme->text);
        viz_text(canvas, VIZ_MONO, 11, r.x + (mark->names ? 15 : 0), r.y + 11, VIZ_LEFT,
                 theme->text2, text);
    }
}

static void draw_thumb(caption_view *v, viz_canvas *canvas, int word)
{
    const sac_caption *caption = &v->caption;
    viz_heat_style style = caption_heat_style(v, map_of(caption, word));
    viz_rect r = v->layout.main.thumb[word], label = v->layout.main.label[word];
    bool current = word == caption_word_of(v);
    char fit[64];
    if (!(r.w > 0))
        return;
    viz_image_kept(canvas, &v->thumb_kept, &v->scene.image, v->scene.stamp, r, true);
    viz_heat(canvas, &v->thumb_kept, r, map_of(caption, word), caption->grid_w, caption->grid_h,
             &style);
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, r, v->hidden, caption->grid_w, caption->grid_h);
    if (v->truth && v->scene.has_truth)
        caption_draw_boxes(v, canvas, r, word, true, 1);
    if (current)
        viz_frame(canvas, (viz_rect){r.x - 2, r.y - 2, r.w + 4, r.h + 4}, 3, canvas->theme->accent);
    float size = r.w < 52 ? 10 : VIZ_LABEL;
    viz_text_fit(canvas, VIZ_SANS, size, label.w + 4, caption->words[word].text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, size, label.x, label.y + 13, VIZ_LEFT,
             current ? canvas->theme->accent : canvas->theme->text, fit);
    draw_small(v, canvas, word);
}

/* "pointing 8 of 8 · mass in box 0.81 · caption right"; of boxes alone no sentence is right. */
static void summary(const caption_view *v, bool boxes_alone, char *text, size_t size)
{
    int named = 0, inside = 0;
    double mass = 0;
    for (int i = 0; i < v->caption.count; i++)
        if (v->marks[i].names && v->marks[i].object >= 0) {
            named++;
            inside += v->marks[i].gaze.inside;
            mass += (double)v->marks[i].gaze.mass;
        }
    const char *verdict = boxes_alone ? "" : v->right ? "  ·  caption right" : "  ·  caption wrong";
    if (named > 0)
        snprintf(text, size, "pointing %d of %d  ·  mass in box %.2f%s", inside, named,
                 mass / named, verdict);
    else
        snprintf(text, size, "no word names an object%s", verdict);
}

static void draw_strip(caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.main.strip_title;
    char text[96];
    if (!(r.w > 0))
        return;
    const caption_scene *scene = &v->scene;
    if (v->truth && scene->has_truth) {
        summary(v, scene->truth.by_name, text, sizeof text);
        title(canvas, r, text);
    } else {
        title(canvas, r, "one map per word");
    }
    for (int i = 0; i < v->caption.count; i++)
        draw_thumb(v, canvas, i);
}

/* ---------------------------------------------------------------- words × cells */

static void draw_row(const caption_view *v, viz_canvas *canvas, int word)
{
    const sac_caption *caption = &v->caption;
    viz_scale scale = caption_scale_of(v, map_of(caption, word));
    const caption_side_layout *l = &v->layout.main;
    float h = l->matrix.h / (float)caption->count, size = h >= 15 ? VIZ_LABEL : fmaxf(h - 1.5f, 7);
    float line = h >= 4 ? 1 : 0; /* between rows; thin ones touch */
    viz_rect row = {l->matrix.x, l->matrix.y + (float)word * h, l->matrix.w, h - line};
    bool current = word == caption_word_of(v);
    viz_cells(canvas, row, map_of(caption, word), 1,
              (size_t)caption->grid_w * (size_t)caption->grid_h, viz_heat_colors(v->style.map),
              &scale);
    if (l->matrix_names.w > 0 && size >= viz_least_text(canvas, size))
        viz_text(canvas, VIZ_SANS, size, l->matrix_names.x + l->matrix_names.w,
                 row.y + h / 2 + 0.34f * size, VIZ_RIGHT,
                 current ? canvas->theme->accent : canvas->theme->text2, caption->words[word].text);
    else if (current)
        viz_fill(canvas, (viz_rect){row.x - 6, row.y, 4, fmaxf(h, 2)}, canvas->theme->accent);
}

static void draw_matrix(const caption_view *v, viz_canvas *canvas)
{
    const caption_side_layout *l = &v->layout.main;
    const sac_source *source = v->source;
    int cells = source->picture.grid_w * source->picture.grid_h;
    char text[96];
    if (!(l->matrix.w > 0))
        return;
    snprintf(text, sizeof text, "words × %d cells", cells);
    title(canvas, l->matrix_title, text);
    viz_fill(canvas, l->matrix, viz_between_cells);
    for (int i = 0; i < v->caption.count; i++)
        draw_row(v, canvas, i);
    if (!v->pointed)
        return;
    int place = v->cell_y * source->picture.grid_w + v->cell_x;
    float w = l->matrix.w / (float)cells;
    viz_rect column = {l->matrix.x + (float)place * w - 1, l->matrix.y - 1, w + 2, l->matrix.h + 1};
    viz_frame(canvas, column, 1, viz_with_alpha(canvas->theme->pale, 0.8f));
}

/* ---------------------------------------------------------------- the whole */

/* The matrix beside the picture has heat's colours whatever the overlay: its bar stays. */
static void draw_bar(const caption_view *v, viz_canvas *canvas)
{
    viz_rect bar = v->layout.bar;
    viz_scale scale = caption_scale(v);
    char name[96];
    caption_scale_name(v, name, sizeof name);
    bool named = bar.h >= VIZ_BAR_NAMED_HEIGHT;
    viz_bar_draw(canvas, bar, viz_heat_colors(v->style.map), &scale, caption_uniform(v), name);
    if (named)
        viz_contour_legend_draw(canvas, bar.x + bar.w, bar.y + 35,
                                bar.w - viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, name) - 12,
                                v->style.overlay);
}

/* Beside the picture, which the list is about, where there is room. */
static viz_rect list_room(const caption_view *v)
{
    viz_rect room = v->area, picture = v->layout.main.picture;
    float right = picture.x + picture.w;
    if (room.x + room.w - right < VIZ_WORD_LIST_WIDTH + 2 * VIZ_GAP)
        return room;
    return (viz_rect){right, room.y, room.x + room.w - right, room.h};
}

static void draw_window(caption_view *v, viz_canvas *canvas, viz_rect area)
{
    caption_content content = caption_contents(v);
    v->layout = viz_caption_layout(canvas, area, &content);
    v->area = area;
    draw_main(v, canvas);
    draw_matrix(v, canvas);
    draw_strip(v, canvas);
    if (v->layout.bar.w > 0 && v->caption.count > 0)
        draw_bar(v, canvas);
    draw_message(v, canvas);
    caption_draw_bottom(v, canvas);
    caption_matters_draw(v, canvas);
    if (v->list.open)
        viz_word_list_draw(&v->list, canvas, list_room(v), v->layout.line.word[v->list.word]);
}

void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    caption_view *v = caption_of(view);
    if (v->figure)
        caption_draw_figure(v, canvas, area);
    else
        draw_window(v, canvas, area);
}
