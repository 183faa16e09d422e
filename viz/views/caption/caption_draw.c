/* Drawing of the caption view: the picture under its heat, the small maps, the matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"
#include "canvas/scanpath.h"
#include "caption/caption_state.h"
#include "parts/figures/overlays.h"
#include "parts/figures/seconds.h"
#include "view/words.h"

/* ---------------------------------------------------------------- what is on show */

static const char *score_of(const caption_view *v)
{
    return v->g.source->weights.layers ? NULL : v->g.source->speaker.model[v->g.model];
}

static int visible_cells(const caption_view *v)
{
    return v->g.source->picture.grid_w * v->g.source->picture.grid_h - v->hidden_count;
}

/* Whose weights are shown, of a model that has layers of heads. */
static void save_part(const caption_view *v, char *text, size_t size)
{
    const sac_source *source = v->g.source;
    char layer[48], head[48];
    if (v->layer)
        snprintf(layer, sizeof layer, viz_word("layer %d"), v->layer - 1);
    else
        snprintf(layer, sizeof layer, viz_word("mean of %zu layers"), source->weights.layers);
    if (v->head)
        snprintf(head, sizeof head, viz_word("head %d"), v->head - 1);
    else
        snprintf(head, sizeof head, viz_word("mean of %zu heads"), source->weights.heads);
    snprintf(text, size, "%s, %s", layer, head);
    if (source->speaker.queries)
        snprintf(text + strlen(text), size - strlen(text), viz_word(", through %d queries"),
                 source->speaker.queries);
    if (v->no_sinks && v->g.caption.sinks)
        snprintf(text + strlen(text), size - strlen(text), viz_word(", without %d sinks"),
                 v->g.caption.sinks);
}

void caption_note(const caption_view *v, char *text, size_t size)
{
    const caption_scene *scene = &v->scene;
    bool wrong = v->g.truth && scene->has_truth && v->g.caption.count && !v->right;
    if (wrong)
        snprintf(text, size, viz_word("truly: %s"), scene->truth.caption);
    else
        snprintf(text, size, "%s",
                 viz_word(v->g.caption.note[0] ? v->g.caption.note : scene->note));
    if (v->g.caption.attribution) /* what it is made of, and whose it is */
        snprintf(text, size, "%s", viz_word(sac_attribution_phrase(v->g.caption.attribution)));
    else if (!text[0] && v->g.source->weights.layers > 0)
        save_part(v, text, size);
}

static bool looks_alike(const caption_view *v)
{
    const viz_glide *g = &v->glide;
    return viz_generation_word(&v->g) >= 0 && g->grid_w > 0 &&
           viz_heat_is_even(g->now, g->grid_w * g->grid_h, visible_cells(v));
}

const char *caption_message(const caption_view *v)
{
    return v->g.request.problem[0] ? v->g.request.problem
           : v->g.message[0]       ? v->g.message
           : visible_cells(v) == 0 ? "every cell is hidden: U shows them again"
           : v->hide_mode ? "drag over the picture, or arrows and space: what is covered, the "
                            "model does not see"
           : v->numbers && looks_alike(v) ? VIZ_EVEN_NOTE
                                          : NULL;
}

static caption_content contents_of(const caption_view *v)
{
    char note[sizeof v->scene.note];
    const sac_image *image = &v->scene.image;
    caption_note(v, note, sizeof note);
    return (caption_content){
        .caption = &v->g.caption,
        .word = v->g.player.step,
        .score = score_of(v),
        .changes = v->changes.any ? &v->changes : NULL,
        .plain = !v->numbers,
        .doors = v->demo.state != DEMO_OFF,
        .hides = v->hidden_count > 0,
        .ended = !v->g.player.playing && v->g.player.step + 1 >= v->g.caption.count,
        .replaced = v->g.chosen,
        .note = note[0],
        .truth = v->scene.has_truth,
        .turns = v->scene.scenes || v->scene.pictures > 1,
        .explains = v->g.base.source->weights.explain != NULL,
        .layered = v->g.source->weights.layers > 0,
        .mapped = v->g.source->speaker.attributions,
        .aspect = image->height > 0 ? (float)image->width / (float)image->height : 0};
}

/* ---------------------------------------------------------------- text */

static const float *map_of(const sac_result *caption, int word)
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

/* ---------------------------------------------------------------- scales and boxes */

/* The scale's end is at least so many times the weight that all cells would have were they equal:
 * a map that looks at everything looks like it. */
#define LEAST_END 8.0f

viz_scale caption_scale_of(const caption_view *v, const float *map)
{
    int cells = (int)caption_cells(v);
    float end = fmaxf(v->scale_end, LEAST_END / (float)cells), own = 0;
    for (int i = 0; v->scale == VIZ_PER_MAP && i < cells; i++)
        own = fmaxf(own, map[i]);
    return viz_scale_for(v->scale, v->scale == VIZ_PER_MAP ? own : end);
}

viz_scale caption_scale(const caption_view *v)
{
    const viz_glide *g = &v->glide;
    bool any = viz_generation_word(&v->g) >= 0 && g->grid_w > 0;
    return any ? caption_scale_of(v, g->now)
               : viz_scale_for(v->scale == VIZ_PER_MAP ? VIZ_FIXED : v->scale, v->scale_end);
}

static float uniform(const caption_view *v)
{
    int visible = visible_cells(v);
    return visible > 0 ? 1.0f / (float)visible : 0;
}

char *caption_scale_name(const caption_view *v, char *text, size_t size)
{
    int word = viz_generation_word(&v->g);
    bool own = v->scale == VIZ_PER_MAP && word >= 0;
    snprintf(text, size, "%s%s%s%s", viz_word(viz_scale_name(v->scale)),
             own ? "; the numbers are of “" : "", own ? v->g.caption.outputs[word].text : "",
             own ? "”" : "");
    return text;
}

static viz_heat_style heat_style(const caption_view *v, const float *map)
{
    viz_heat_style style = v->style;
    style.scale = caption_scale_of(v, map);
    style.cells = visible_cells(v);
    return style;
}

static void draw_boxes(const caption_view *v, viz_canvas *canvas, viz_rect picture, int word,
                       bool only_own, float thickness)
{
    const sac_caption_truth *truth = &v->scene.truth;
    int current = word >= 0 ? v->marks[word].object : -1;
    for (int i = 0; i < truth->objects * 2; i++) { /* the word's own over the others */
        int object = i % truth->objects;
        bool own = object == current;
        bool named = truth->object[object].words[0][0] || !truth->by_word;
        if (own != (i >= truth->objects) || (!own && (only_own || !named)))
            continue;
        viz_look_draw(canvas, picture, &truth->object[object].look, own, thickness);
    }
}

/* ---------------------------------------------------------------- on the picture */

/* Words that look at nearly the same place, in cells, are one fixation. */
#define SAME_PLACE 1.5f

/* Draws the cells attended to so far; the last ring is the current one, which moves with the
 * heat. */
static void draw_path(const caption_view *v, viz_canvas *canvas, viz_rect picture)
{
    const viz_glide *g = &v->glide;
    const sac_result *caption = &v->g.caption;
    int word = viz_generation_word(&v->g), count = 0;
    bool lit = !v->numbers && v->style.overlay == VIZ_LIGHT; /* its rim marks where it looks */
    float w = picture.w / (float)g->grid_w, h = picture.h / (float)g->grid_h;
    viz_fixation path[SAC_MAX_TOKENS];
    for (int i = 0; i <= word; i++) {
        float x, y;
        viz_heaviest(map_of(caption, i), caption->grid_w, caption->grid_h, &x, &y);
        count = viz_fixation_add(path, count, picture.x + x * w, picture.y + y * h, i + 1,
                                 SAME_PLACE * w);
    }
    path[count - 1].x = picture.x + g->now_x * w;
    path[count - 1].y = picture.y + g->now_y * h;
    const sac_result_output *current = &caption->outputs[word];
    float peak[2] = {picture.x + ((float)current->peak_x + 0.5f) * w,
                     picture.y + ((float)current->peak_y + 0.5f) * h};
    int from = v->numbers || count < 3 ? 0 : count - 2; /* without numbers the last jump alone */
    for (int i = 0; i < count && !v->numbers; i++)
        path[i].first = 0; /* not written */
    if (count > 1 || v->numbers)
        viz_scan_path(canvas, picture, path + from, count - from,
                      lit ? 0 : fminf(fmaxf(0.45f * w, 6), 22), peak);
}

static void draw_picture(caption_view *v, viz_canvas *canvas)
{
    viz_rect picture = v->layout.main.picture;
    const viz_glide *g = &v->glide;
    int word = viz_generation_word(&v->g);
    viz_image_kept(canvas, &v->picture_kept, &v->scene.image, v->scene.stamp, picture, true);
    if (word >= 0 && g->grid_w > 0) {
        viz_heat_style style = heat_style(v, g->now);
        viz_heat(canvas, &v->picture_kept, picture, g->now, g->grid_w, g->grid_h, &style);
    }
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, picture, v->hidden, v->g.source->picture.grid_w,
                        v->g.source->picture.grid_h);
    caption_matters_mark(v, canvas, picture);
    viz_clip(canvas, picture);
    if (v->g.truth && v->scene.has_truth)
        draw_boxes(v, canvas, picture, word, false, 1.5f);
    if (word >= 0 && g->grid_w > 0)
        draw_path(v, canvas, picture);
    viz_regions_draw(canvas, picture, &v->g.caption.regions, word);
    if (v->pointed) {
        const sac_source *source = v->g.source;
        float w = picture.w / (float)source->picture.grid_w,
              h = picture.h / (float)source->picture.grid_h;
        viz_rect r = {picture.x + (float)v->cell_x * w, picture.y + (float)v->cell_y * h, w, h};
        viz_frame_apart(canvas, r, 1);
    }
    viz_clip_none(canvas);
    const sac_result *caption = &v->g.caption;
    bool timed = word >= 0 && caption->outputs[word].is_timed;
    viz_seconds_draw(canvas, v->layout.main.seconds, caption->from, caption->seconds,
                     timed ? caption->outputs[word].begin : -1);
}

/* ---------------------------------------------------------------- numbers below it */

static void draw_readout(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.main.readout;
    const viz_glide *g = &v->glide;
    const sac_result *caption = &v->g.caption;
    char place[32], number[32];
    if (!v->pointed || v->cell_x >= g->grid_w || v->cell_y >= g->grid_h ||
        v->cell_word >= caption->count)
        return;
    int cell = v->cell_y * g->grid_w + v->cell_x;
    float x = r.x, right = r.x + r.w, y = r.y + 14;
    float weight = v->cell_word < 0 ? g->now[cell] : map_of(caption, v->cell_word)[cell];
    snprintf(place, sizeof place, "(%d, %d)", v->cell_x, v->cell_y);
    viz_number(weight, number, sizeof number);
    float numbers = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, place) + 8 +
                    viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, number);
    const char *label = viz_word("cell under the pointer");
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 8 + numbers > r.w)
        label = viz_word("cell");
    if (v->cell_word >= 0)
        label = caption->outputs[v->cell_word].text;
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 8 + numbers <= r.w)
        x += piece(canvas, VIZ_SANS, x, y, right - x, canvas->theme->text2, label) + 8;
    x += piece(canvas, VIZ_MONO, x, y, right - x, canvas->theme->text, place) + 8;
    piece(canvas, VIZ_MONO, x, y, right - x, canvas->theme->text, number);
}

/* Draws the measures of the word's map, as many as fit the line. */
static void draw_measures(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.main.measures;
    int word = viz_generation_word(&v->g), visible = visible_cells(v);
    char text[4][200], ends[40] = "";
    if (word < 0)
        return;
    const sac_result_output *w = &v->g.caption.outputs[word];
    double entropy = (double)w->entropy, most = visible > 0 ? log2(visible) : 0;
    if (v->g.caption.has_row_ends)
        snprintf(ends, sizeof ends, viz_word("  ·  row ends %.2f"), (double)w->row_ends);
    snprintf(text[0], sizeof *text,
             viz_word("attention of “%s”  ·  entropy %.1f of %.1f bits  ·  β %.2f"), w->text,
             entropy, most, (double)w->gate);
    snprintf(text[1], sizeof *text, viz_word("“%s”  ·  entropy %.1f of %.1f bits  ·  β %.2f"),
             w->text, entropy, most, (double)w->gate);
    snprintf(text[2], sizeof *text, viz_word("“%s”  ·  %.1f of %.1f bits  ·  β %.2f"), w->text,
             entropy, most, (double)w->gate);
    snprintf(text[3], sizeof *text, viz_word("%.1f bits  ·  β %.2f"), entropy, (double)w->gate);
    for (int i = 0; i < 4; i++) {
        size_t used = strlen(text[i]);
        snprintf(text[i] + used, sizeof *text - used, "%s", ends);
        if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text[i]) <= r.w) {
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w, r.y + 14, VIZ_RIGHT,
                     canvas->theme->text2, text[i]);
            return;
        }
    }
}

/* ---------------------------------------------------------------- one small map per word */

/* Below the word: its probability, or with a ground truth, how well it pointed. */
static void draw_small(const caption_view *v, viz_canvas *canvas, int word)
{
    const viz_theme *theme = canvas->theme;
    const sac_caption_mark *mark = &v->marks[word];
    viz_rect r = v->layout.main.small[word];
    char text[32];
    if (!(r.w > 0))
        return;
    if (!v->g.truth || !v->scene.has_truth) {
        snprintf(text, sizeof text, "%.2f", (double)v->g.caption.outputs[word].probability);
        viz_text(canvas, VIZ_MONO, 11, r.x, r.y + 11, VIZ_LEFT, theme->text2, text);
    } else if (mark->object >= 0) {
        snprintf(text, sizeof text, "%.0f%%", 100 * (double)mark->localization.mass);
        if (mark->names) {
            /* A tick if the attention found its object, a cross if it did not. */
            float y = r.y + 3;
            if (mark->localization.inside) {
                viz_line(canvas, r.x, y + 4, r.x + 3, y + 7.5f, 1.5f, theme->text);
                viz_line(canvas, r.x + 3, y + 7.5f, r.x + 9, y, 1.5f, theme->text);
            } else {
                viz_line(canvas, r.x + 1, y, r.x + 8, y + 7, 1.5f, theme->text);
                viz_line(canvas, r.x + 8, y, r.x + 1, y + 7, 1.5f, theme->text);
            }
        }
        viz_text(canvas, VIZ_MONO, 11, r.x + (mark->names ? 15 : 0), r.y + 11, VIZ_LEFT,
                 theme->text2, text);
    }
}

static void draw_thumb(caption_view *v, viz_canvas *canvas, int word)
{
    const sac_result *caption = &v->g.caption;
    viz_heat_style style = heat_style(v, map_of(caption, word));
    viz_rect r = v->layout.main.thumb[word], label = v->layout.main.label[word];
    bool current = word == viz_generation_word(&v->g);
    char fit[64];
    if (!(r.w > 0))
        return;
    viz_image_kept(canvas, &v->thumb_kept, &v->scene.image, v->scene.stamp, r, true);
    viz_heat(canvas, &v->thumb_kept, r, map_of(caption, word), caption->grid_w, caption->grid_h,
             &style);
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, r, v->hidden, caption->grid_w, caption->grid_h);
    if (v->g.truth && v->scene.has_truth)
        draw_boxes(v, canvas, r, word, true, 1);
    viz_regions_draw_own(canvas, r, &caption->regions, word);
    if (current)
        viz_frame(canvas, (viz_rect){r.x - 2, r.y - 2, r.w + 4, r.h + 4}, 3, canvas->theme->accent);
    float size = r.w < 52 ? 10 : VIZ_LABEL;
    viz_text_fit(canvas, VIZ_SANS, size, label.w + 4, caption->outputs[word].text, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, size, label.x, label.y + 13, VIZ_LEFT,
             current ? canvas->theme->accent : canvas->theme->text, fit);
    draw_small(v, canvas, word);
}

/* "pointing 8 of 8 · mass in box 0.81 · caption right"; of boxes alone no sentence is right. */
static void summary(const caption_view *v, bool boxes_alone, char *text, size_t size)
{
    int named = 0, inside = 0;
    double mass = 0;
    for (int i = 0; i < v->g.caption.count; i++)
        if (v->marks[i].names && v->marks[i].object >= 0) {
            named++;
            inside += v->marks[i].localization.inside;
            mass += (double)v->marks[i].localization.mass;
        }
    const char *verdict = boxes_alone ? ""
                          : v->right  ? viz_word("  ·  caption right")
                                      : viz_word("  ·  caption wrong");
    if (named > 0)
        snprintf(text, size, viz_word("pointing %d of %d  ·  mass in box %.2f%s"), inside, named,
                 mass / named, verdict);
    else
        snprintf(text, size, viz_word("no word names an object%s"), verdict);
}

static void draw_strip(caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.main.strip_title;
    char text[96];
    if (!(r.w > 0))
        return;
    const caption_scene *scene = &v->scene;
    if (v->g.truth && scene->has_truth) {
        summary(v, scene->truth.by_name, text, sizeof text);
        title(canvas, r, text);
    } else {
        title(canvas, r, viz_word("one map per word"));
    }
    for (int i = 0; i < v->g.caption.count; i++)
        draw_thumb(v, canvas, i);
}

/* ---------------------------------------------------------------- words × cells */

static void draw_row(const caption_view *v, viz_canvas *canvas, int word)
{
    const sac_result *caption = &v->g.caption;
    viz_scale scale = caption_scale_of(v, map_of(caption, word));
    const caption_side_layout *l = &v->layout.main;
    float h = l->matrix.h / (float)caption->count, size = h >= 15 ? VIZ_LABEL : fmaxf(h - 1.5f, 7);
    float line = h >= 4 ? 1 : 0; /* between rows; thin ones touch */
    viz_rect row = {l->matrix.x, l->matrix.y + (float)word * h, l->matrix.w, h - line};
    bool current = word == viz_generation_word(&v->g);
    viz_cells(canvas, row, map_of(caption, word), 1,
              (size_t)caption->grid_w * (size_t)caption->grid_h,
              viz_heat_colors(canvas->theme, v->style.map), &scale);
    if (l->matrix_names.w > 0 && size >= viz_least_text(canvas, size))
        viz_text(canvas, VIZ_SANS, size, l->matrix_names.x + l->matrix_names.w,
                 row.y + h / 2 + 0.34f * size, VIZ_RIGHT,
                 current ? canvas->theme->accent : canvas->theme->text2,
                 caption->outputs[word].text);
    else if (current)
        viz_fill(canvas, (viz_rect){row.x - 6, row.y, 4, fmaxf(h, 2)}, canvas->theme->accent);
}

static void draw_matrix(const caption_view *v, viz_canvas *canvas)
{
    const caption_side_layout *l = &v->layout.main;
    const sac_source *source = v->g.source;
    int cells = source->picture.grid_w * source->picture.grid_h;
    char text[96];
    if (!(l->matrix.w > 0))
        return;
    snprintf(text, sizeof text, viz_word("words × %d cells"), cells);
    title(canvas, l->matrix_title, text);
    viz_fill(canvas, l->matrix, canvas->theme->between);
    for (int i = 0; i < v->g.caption.count; i++)
        draw_row(v, canvas, i);
    if (!v->pointed)
        return;
    int place = v->cell_y * source->picture.grid_w + v->cell_x;
    float w = l->matrix.w / (float)cells;
    viz_rect column = {l->matrix.x + (float)place * w - 1, l->matrix.y - 1, w + 2, l->matrix.h + 1};
    viz_frame_apart(canvas, column, 1);
}

/* ---------------------------------------------------------------- the sentence */

static void draw_cross(viz_canvas *canvas, viz_rect r)
{
    float x = r.x + 5, y = r.y + 3, s = 5;
    viz_line(canvas, x, y, x + s, y + s, 1.25f, canvas->theme->text2);
    viz_line(canvas, x + s, y, x, y + s, 1.25f, canvas->theme->text2);
}

static void mark_unsure(viz_canvas *canvas, float x, float y, float width)
{
    int teeth = (int)fmaxf(1, roundf(width / 4));
    float step = width / (float)teeth;
    for (int i = 0; i < teeth; i++) {
        float left = x + (float)i * step, up = i % 2 ? 0 : 2;
        viz_line(canvas, left, y + up, left + step, y + 2 - up, 1.25f, canvas->theme->text2);
    }
}

/* Generated words are bright, the current one has the accent colour, later ones are faint. */
static void draw_word(const caption_view *v, viz_canvas *canvas, const caption_content *content,
                      int word)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.line.word[word];
    float size = v->layout.text_size;
    int current = viz_generation_word(&v->g);
    if (!(r.h > 0))
        return;
    bool here = word == current && v->g.player.step < v->g.caption.count;
    viz_color color = here ? theme->accent : word <= current ? theme->text : theme->faint;
    viz_text(canvas, viz_caption_word_face(content, word), size, r.x, r.y + 0.98f * size, VIZ_LEFT,
             color, v->g.caption.outputs[word].text);
    bool wrong = v->g.truth && v->scene.has_truth && !v->marks[word].right;
    if (wrong) /* struck out, as in a training */
        viz_line(canvas, r.x - 2, r.y + 0.66f * size, r.x + r.w + 2, r.y + 0.66f * size, 1.5f,
                 color);
    if (here)
        viz_fill(canvas, (viz_rect){r.x, r.y + floorf(1.3f * size), r.w, 2}, theme->accent);
    if (v->g.caption.outputs[word].unsure)
        mark_unsure(canvas, r.x, r.y + floorf(1.3f * size) + (here ? 5 : 1), r.w);
    if (v->g.chosen[word]) {
        viz_disc(canvas, r.x + r.w + 7.5f, r.y + 0.78f * size, 2.5f, theme->accent);
        draw_cross(canvas, v->layout.line.cross[word]);
    }
}

/* What the sentence had before a word, struck out. */
static void draw_gone(const caption_view *v, viz_canvas *canvas, int word)
{
    static const viz_color stroke = {222, 82, 70, 255};
    viz_rect r = v->layout.line.gone[word];
    float size = v->layout.text_size, y = r.y + 0.68f * size;
    bool is_generated =
        word <= viz_generation_word(&v->g) || viz_generation_word(&v->g) + 1 == v->g.caption.count;
    if (!(r.w > 0) || !is_generated)
        return;
    viz_text(canvas, VIZ_SANS, size, r.x, r.y + 0.98f * size, VIZ_LEFT, canvas->theme->faint,
             v->changes.gone[word]);
    viz_line(canvas, r.x - 3, y, r.x + r.w + 3, y, fmaxf(0.06f * size, 1.5f), stroke);
}

/* Where the current word looked, in words. */
static void draw_plain(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.line.plain;
    int word = viz_generation_word(&v->g);
    char name[SAC_MAX_TOKEN_TEXT * 4], text[256], fit[256];
    if (word < 0 || !(r.w > 0))
        return;
    const char *line = caption_demo_line(v, text, sizeof text);
    if (line) { /* as large as its row has room for, and as the note below it */
        float size = fminf(v->layout.note_size, 0.82f * r.h);
        while (size > VIZ_LABEL && viz_text_width(canvas, VIZ_SANS_BOLD, size, line) > r.w)
            size -= 1;
        viz_text(canvas, VIZ_SANS_BOLD, size, r.x + r.w / 2, r.y + 16, VIZ_CENTER,
                 canvas->theme->text, line);
        return;
    }
    const sac_result *caption = &v->g.caption;
    int cells = caption->grid_w * caption->grid_h;
    const float *map = map_of(caption, word);
    int visible = visible_cells(v);
    const char *message = caption_message(v);
    sac_result_word_of(caption, word, name, sizeof name);
    size_t used = 0;
    if (viz_heat_is_even(map, cells, visible))
        used += (size_t)snprintf(text, sizeof text, viz_word("it looked everywhere alike for “%s”"),
                                 name);
    else if (viz_heat_is_faint(map, cells, visible))
        used += (size_t)snprintf(text, sizeof text,
                                 viz_word("it looked nearly everywhere alike for “%s”"), name);
    else if (caption->attribution == SAC_ATTRIBUTION_ACTIVATION)
        used += (size_t)snprintf(text, sizeof text,
                                 viz_word("where the picture itself activates “%s”"), name);
    else if (caption->attribution == SAC_ATTRIBUTION_RELEVANCE)
        used += (size_t)snprintf(text, sizeof text, viz_word("what counted for “%s”"), name);
    else
        used += (size_t)snprintf(text, sizeof text, viz_word("where it looked for “%s”"), name);
    if (!caption_demo_runs(v))
        used += (size_t)snprintf(text + used, sizeof text - used, viz_word("  ·  sure %.2f"),
                                 (double)caption->outputs[word].probability);
    if (caption->outputs[word].is_timed)
        used += (size_t)snprintf(text + used, sizeof text - used, viz_word("  ·  at %.2f s"),
                                 (double)caption->outputs[word].begin);
    if (caption->has_on_picture)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 viz_word("  ·  %.0f %% of it is on the picture"),
                                 100 * (double)caption->outputs[word].on_picture);
    else if (v->g.source->speaker.typed && caption->has_row_ends)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 viz_word("  ·  %.0f %% of its attention is on the picture, %.0f "
                                          "%% on the ends of its rows"),
                                 100 * (double)caption->outputs[word].gate,
                                 100 * (double)caption->outputs[word].row_ends);
    else if (v->g.source->speaker.typed) /* the question and the words before have the rest */
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 viz_word("  ·  %.0f %% of its attention is on the picture"),
                                 100 * (double)caption->outputs[word].gate);
    if (v->changes.none && v->hidden_count > 0)
        snprintf(text + used, sizeof text - used, "%s",
                 viz_word("  ·  the same words without what is covered"));
    viz_text_fit(canvas, VIZ_SANS, VIZ_BODY, r.w, message ? viz_word(message) : text, fit,
                 sizeof fit);
    viz_text(canvas, VIZ_SANS, VIZ_BODY, r.x + r.w / 2, r.y + 15, VIZ_CENTER,
             message ? canvas->theme->text : canvas->theme->text2, fit);
}

static void draw_sentence(const caption_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const sac_result *caption = &v->g.caption;
    float size = v->layout.text_size;
    caption_content content = contents_of(v);
    for (int i = 0; i <= caption->count; i++)
        draw_gone(v, canvas, i);
    for (int i = 0; i < caption->count; i++)
        draw_word(v, canvas, &content, i);
    viz_rect first = v->layout.line.first;
    const char *instead = caption->count > 0 ? NULL
                          : v->g.request.out ? "looking …" /* programs are built the first time */
                          : caption->special_count
                              ? "only special tokens were generated, which are no text"
                          : caption->finished ? "it generated no words: the sentence ended at once"
                                              : NULL;
    if (instead)
        viz_text(canvas, VIZ_SANS, v->g.request.out ? size : VIZ_BODY,
                 v->numbers ? first.x : first.x + first.w / 2, first.y + 0.98f * size,
                 v->numbers ? VIZ_LEFT : VIZ_CENTER, theme->faint, viz_word(instead));
    if (caption->count > 0 && !caption->finished) {
        viz_rect last = v->layout.line.word[caption->count - 1];
        if (last.h > 0)
            viz_text(canvas, VIZ_SANS, size, last.x + last.w + 4, last.y + 0.98f * size, VIZ_LEFT,
                     theme->faint, "…");
    }
}

/* The size at which a note is as wide as `width`, down to a label's, at which it is cut. */
static float fit_note(const viz_canvas *canvas, float size, float width, const char *note,
                      char *fit, size_t bytes)
{
    while (size > VIZ_LABEL && viz_text_width(canvas, VIZ_SANS, size, note) > width)
        size -= 1;
    viz_text_fit(canvas, VIZ_SANS, size, width, note, fit, bytes);
    return size;
}

static void draw_note(const caption_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.line.note;
    char note[512], fit[512];
    caption_note(v, note, sizeof note);
    if (!(r.w > 0) || !note[0])
        return;
    float size = fit_note(canvas, v->layout.note_size, r.w, note, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, size, v->numbers ? r.x : r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size,
             v->numbers ? VIZ_LEFT : VIZ_CENTER, canvas->theme->text, fit);
}

/* ---------------------------------------------------------------- the timeline */

static int number_of(const caption_view *v, caption_value value)
{
    return value == VALUE_LAYER ? v->layer : value == VALUE_HEAD ? v->head : v->g.beam;
}

/* A layer or head is counted from 1, and 0 is none. */
static void number_text(const caption_view *v, caption_value value, char *text, size_t size)
{
    bool is_part = value != VALUE_BEAM;
    int number = number_of(v, value);
    if (is_part && number == 0)
        snprintf(text, size, "%s", viz_word("mean"));
    else
        snprintf(text, size, "%d", number - is_part);
}

/* A value that is not the usual one is bright. */
static bool is_usual(const caption_view *v, caption_value value)
{
    return value == VALUE_SPEED         ? v->g.player.speed == 1
           : value == VALUE_TEMPERATURE ? v->g.temperature == 1
           : value == VALUE_ATTRIBUTION ? v->attribution == SAC_ATTRIBUTION_RAW
           : value == VALUE_SCORE
               ? v->g.model == 0
               : number_of(v, value) == (value == VALUE_BEAM ? sac_source_beam(v->g.source) : 0);
}

static void draw_values(const caption_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    char text[64];
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = v->layout.value[i];
        const char *label = caption_value_names[i];
        float x = r.x, y = r.y + r.h / 2 + 4.5f;
        if (!(r.w > 0))
            continue;
        caption_value value = (caption_value)i;
        size_t size = sizeof text;
        switch (value) {
        case VALUE_SPEED: {
            bool quarter = fabsf(v->g.player.speed * 2 - roundf(v->g.player.speed * 2)) > 0.01f;
            snprintf(text, size, quarter ? "%.2f×" : "%.1f×", (double)v->g.player.speed);
            break;
        }
        case VALUE_TEMPERATURE:
            snprintf(text, size, "%.2f", (double)v->g.temperature);
            break;
        case VALUE_SCORE:
            snprintf(text, size, "%s", v->g.source->speaker.model[v->g.model]);
            break;
        case VALUE_ATTRIBUTION:
            snprintf(text, size, "%s", viz_word(sac_attribution_names[v->attribution]));
            break;
        default:
            number_text(v, value, text, size);
        }
        if (label[0])
            x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, theme->text2,
                          viz_word(label)) +
                 6;
        viz_text(canvas, i == VALUE_SCORE ? VIZ_SANS : VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT,
                 is_usual(v, (caption_value)i) ? theme->text2 : theme->text, text);
    }
}

static void draw_bottom(const caption_view *v, viz_canvas *canvas)
{
    if (v->layout.rule.w > 0)
        viz_fill(canvas, v->layout.rule, canvas->theme->line);
    draw_sentence(v, canvas);
    draw_plain(v, canvas);
    draw_note(v, canvas);
    viz_timeline_draw_play(canvas, v->layout.play, v->g.player.playing);
    viz_timeline_draw_track(canvas, v->layout.track, &v->g.player, v->g.caption.count);
    draw_values(v, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
    viz_chips_draw(canvas, &v->layout.buttons, -1);
    viz_words_draw(canvas, &v->layout.modes, (int)v->style.overlay);
    viz_words_draw(canvas, &v->layout.maps,
                   sac_attribution_place(v->g.source->speaker.attributions, v->attribution));
}

/* ---------------------------------------------------------------- the figure of a paper */

static void draw_panel(caption_view *v, viz_canvas *canvas, viz_rect panel, int word)
{
    const sac_result *caption = &v->g.caption;
    panel = viz_caption_fit(canvas, panel, contents_of(v).aspect);
    viz_image_kept(canvas, &v->picture_kept, &v->scene.image, v->scene.stamp, panel, true);
    if (word >= 0) {
        size_t cells = (size_t)caption->grid_w * (size_t)caption->grid_h;
        const float *map = caption->weights + (size_t)word * cells;
        viz_heat_style style = heat_style(v, map);
        viz_heat(canvas, &v->picture_kept, panel, map, caption->grid_w, caption->grid_h, &style);
    }
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, panel, v->hidden, v->g.source->picture.grid_w,
                        v->g.source->picture.grid_h);
    if (v->g.truth && v->scene.has_truth)
        draw_boxes(v, canvas, panel, word, word >= 0, 1.25f);
    if (word < 0)
        viz_regions_draw(canvas, panel, &caption->regions, word);
    else
        viz_regions_draw_own(canvas, panel, &caption->regions, word);
}

#define FOOT (FOOT_SENTENCE + VIZ_BAR_NAMED_HEIGHT + 16)
#define FOOT_SENTENCE 34.0f
#define FOOT_NOTE 26.0f
#define FOOT_NOTE_SIZE 16.0f
#define LEAST_WITH_FOOT 240.0f /* of the figure's height */

/* The sentence as one line of text, cut where it has no room for all. */
static void caption_sentence(const caption_view *v, char *text, size_t size)
{
    char *read = sac_result_read(&v->g.caption);
    sac_printable(read ? read : "", text, size);
    free(read);
}

/* In one line; else the words below the panels have to do. */
static bool sentence_fits(const caption_view *v, const viz_canvas *canvas, float whole)
{
    char text[512];
    caption_sentence(v, text, sizeof text);
    return viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) <= whole - 2 * VIZ_GAP;
}

/* The sentence as large as fits, and below it the bar as wide as the panels. */
static void draw_foot(const caption_view *v, viz_canvas *canvas, float whole, viz_rect room)
{
    char text[512], fit[512], name[96];
    viz_heat_style style = v->style;
    style.scale = caption_scale(v);
    int visible = visible_cells(v);
    float size = VIZ_SENTENCE;
    caption_sentence(v, text, sizeof text);
    float width = whole - 2 * VIZ_GAP; /* centred where the panels are narrower */
    while (size > VIZ_LABEL && viz_text_width(canvas, VIZ_SANS, size, text) > room.w)
        size -= 1;
    viz_text_fit(canvas, VIZ_SANS, size, width, text, fit, sizeof fit);
    bool wide = viz_text_width(canvas, VIZ_SANS, size, fit) > room.w;
    if (sentence_fits(v, canvas, whole))
        viz_text(canvas, VIZ_SANS, size, wide ? room.x + room.w / 2 : room.x, room.y + VIZ_SENTENCE,
                 wide ? VIZ_CENTER : VIZ_LEFT, canvas->theme->text, fit);
    viz_rect bar = {room.x, room.y + room.h - FOOT + FOOT_SENTENCE, room.w, VIZ_BAR_NAMED_HEIGHT};
    if (v->g.caption.note[0]) { /* what should be known before it is trusted */
        float at = wide ? width : room.w,
              note = fit_note(canvas, FOOT_NOTE_SIZE, at, v->g.caption.note, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, note, wide ? room.x + room.w / 2 : room.x, bar.y - 12,
                 wide ? VIZ_CENTER : VIZ_LEFT, canvas->theme->text, fit);
    }
    float uniform = visible > 0 ? 1.0f / (float)visible : 0;
    caption_scale_name(v, name, sizeof name);
    viz_heat_bar_draw(canvas, bar, &style, uniform, name);
}

static viz_rect foot_room(const caption_figure *f, viz_rect area, float height)
{
    float left = f->panel[0].x, right = left;
    for (int i = 0; i < f->panels; i++)
        right = fmaxf(right, f->panel[i].x + f->panel[i].w);
    return (viz_rect){left, area.y + area.h - height, right - left, height};
}

static float foot_height(const caption_view *v, const viz_canvas *canvas, viz_rect area)
{
    if (area.h < LEAST_WITH_FOOT || v->g.caption.count == 0)
        return 0;
    return (sentence_fits(v, canvas, area.w) ? FOOT : FOOT - FOOT_SENTENCE) +
           (v->g.caption.note[0] ? FOOT_NOTE : 0);
}

caption_figure caption_lay_figure(const caption_view *v, const viz_canvas *canvas, viz_rect area)
{
    area.h -= foot_height(v, canvas, area);
    return viz_caption_figure(canvas, area, v->g.caption.count, contents_of(v).aspect);
}

float caption_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const caption_view *v = caption_of(view);
    float panels = viz_caption_figure_height(width, v->g.caption.count, contents_of(v).aspect);
    float foot = foot_height(v, canvas, (viz_rect){0, 0, width, LEAST_WITH_FOOT});
    return fmaxf(panels + foot, LEAST_WITH_FOOT);
}

void caption_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    caption_view *v = caption_of(view);
    const sac_result *caption = &v->g.caption;
    float foot = foot_height(v, canvas, area);
    caption_figure f = caption_lay_figure(v, canvas, area);
    char fit[64];
    for (int i = 0; i < f.panels; i++) {
        viz_rect label = f.label[i];
        draw_panel(v, canvas, f.panel[i], i - 1);
        if (i == 0)
            continue;
        viz_text_fit(canvas, VIZ_SANS, f.text_size, label.w, caption->outputs[i - 1].text, fit,
                     sizeof fit);
        float end = viz_text(canvas, VIZ_SANS, f.text_size, label.x, label.y + 1.25f * f.text_size,
                             VIZ_LEFT, canvas->theme->text, fit);
        if (caption->outputs[i - 1].unsure)
            mark_unsure(canvas, label.x, label.y + 1.4f * f.text_size, end);
    }
    if (foot > 0)
        draw_foot(v, canvas, area.w, foot_room(&f, area, foot));
}

/* ---------------------------------------------------------------- the whole */

/* Beside the picture, which the list is about, if there is space. */
static viz_rect list_room(const caption_view *v)
{
    viz_rect room = v->area, picture = v->layout.main.picture;
    float right = picture.x + picture.w;
    if (!v->numbers || room.x + room.w - right < VIZ_WORD_LIST_WIDTH + 2 * VIZ_GAP)
        return room;
    return (viz_rect){right, room.y, room.x + room.w - right, room.h};
}

static void draw_window(caption_view *v, viz_canvas *canvas, viz_rect area)
{
    caption_content content = contents_of(v);
    v->layout = viz_caption_layout(canvas, area, &content);
    v->area = area;
    draw_picture(v, canvas);
    draw_readout(v, canvas);
    draw_measures(v, canvas);
    draw_matrix(v, canvas);
    draw_strip(v, canvas);
    if (v->layout.bar.w > 0 && v->g.caption.count > 0) {
        /* The matrix beside the picture has heat's colours whatever the overlay: its bar stays. */
        viz_rect bar = v->layout.bar;
        viz_scale scale = caption_scale(v);
        char name[96];
        caption_scale_name(v, name, sizeof name);
        viz_bar_draw(canvas, bar, viz_heat_colors(canvas->theme, v->style.map), &scale, uniform(v),
                     name);
    }
    if (v->numbers) /* else it stands below the sentence, and covers nothing */
        viz_note_draw_over(canvas, v->layout.main.picture, caption_message(v));
    draw_bottom(v, canvas);
    caption_matters_draw(v, canvas);
    if (v->g.list.open)
        viz_word_list_draw(&v->g.list, canvas, list_room(v), v->layout.line.word[v->g.list.word]);
}

void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    caption_view *v = caption_of(view);
    draw_window(v, canvas, area);
}
