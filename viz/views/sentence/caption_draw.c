/* Drawing over a picture: its heat, the small maps, the matrix, the sentence, the figure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/notice.h"
#include "base/text/printable.h"
#include "canvas/scanpath.h"
#include "parts/figures/overlays.h"
#include "parts/figures/seconds.h"
#include "sentence/sentence_state.h"
#include "sources/words/peak.h"
#include "view/words.h"

static int visible_cells(const sentence_view *v)
{
    return v->base.source->picture.grid_w * v->base.source->picture.grid_h - v->hidden_count;
}

/* The weight that each cell would have were all equal; 0: none is visible. */
static float uniform_cell_weight(const sentence_view *v)
{
    int visible = visible_cells(v);
    return visible > 0 ? 1.0f / (float)visible : 0;
}

/* The message of the moment, over the picture; NULL: none. */
static const char *message_of(const sentence_view *v)
{
    const viz_glide *g = &v->glide;
    bool alike = sentence_current_word(v) >= 0 && g->grid_w > 0 &&
                 viz_heat_is_even(g->now, g->grid_w * g->grid_h, visible_cells(v));
    return v->request.problem[0]   ? v->request.problem
           : v->message[0]         ? v->message
           : visible_cells(v) == 0 ? "every cell is hidden: U shows them again"
           : v->hide_mode ? "drag over the picture, or arrows and space: what is covered, the "
                            "model does not see"
           : v->gaze_mode ? "drag over the picture: from this word on it looks there"
           : v->numbers && alike ? VIZ_EVEN_NOTE
                                 : NULL;
}

static void draw_title(viz_canvas *canvas, viz_rect rect, const char *text)
{
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, rect.x, rect.y + 12, rect.w, VIZ_LEFT,
                    canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- scales and boxes */

/* The scale's end is at least so many times the weight that all cells would have were they equal:
 * a map that looks at everything looks like it. */
#define LEAST_END 8.0f

viz_scale caption_map_scale(const sentence_view *v, const float *map)
{
    const sac_source *source = v->base.source;
    const int cells = source->picture.grid_w * source->picture.grid_h;
    float end = fmaxf(v->scale_end, LEAST_END / (float)cells), own = 0;
    for (int i = 0; v->scale == VIZ_PER_MAP && i < cells; i++)
        own = fmaxf(own, map[i]);
    return viz_scale_for(v->scale, v->scale == VIZ_PER_MAP ? own : end);
}

viz_scale caption_current_scale(const sentence_view *v)
{
    bool any = sentence_current_word(v) >= 0 && v->glide.grid_w > 0;
    return any ? caption_map_scale(v, v->glide.now)
               : viz_scale_for(v->scale == VIZ_PER_MAP ? VIZ_FIXED : v->scale, v->scale_end);
}

/* What the colours of the current word mean: of what lies over the picture, or in any case of heat. */
static void draw_bar(const sentence_view *v, viz_canvas *canvas, viz_rect bar, bool as_drawn)
{
    int word = sentence_current_word(v);
    bool own = v->scale == VIZ_PER_MAP && word >= 0;
    viz_heat_style style = v->style;
    char name[96];
    snprintf(name, sizeof name, "%s%s%s%s", viz_word(viz_scale_name(v->scale)),
             own ? "; the numbers are of “" : "", own ? v->result.outputs[word].text : "",
             own ? "”" : "");
    style.scale = caption_current_scale(v);
    if (as_drawn)
        viz_heat_bar_draw(canvas, bar, &style, uniform_cell_weight(v), name);
    else
        viz_bar_draw(canvas, bar, viz_heat_colors(canvas->theme, style.map), &style.scale,
                     uniform_cell_weight(v), name);
}

static void draw_boxes(const sentence_view *v, viz_canvas *canvas, viz_rect picture, int word,
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

/* The picture, over it the heat of a map [grid_h,grid_w], and what is hidden. */
static void draw_heat(const sentence_view *v, viz_canvas *canvas, viz_scaled *kept,
                      viz_rect picture, const float *map, int grid_w, int grid_h)
{
    const sac_source *source = v->base.source;
    viz_image_kept(canvas, kept, &v->scene.image, v->scene.stamp, picture, true);
    if (map) {
        viz_heat_style style = v->style;
        style.scale = caption_map_scale(v, map);
        style.cells = visible_cells(v);
        viz_heat(canvas, kept, picture, map, grid_w, grid_h, &style);
    }
    viz_parts_separate(canvas, picture, &source->picture);
    if (v->hidden_count > 0)
        viz_hidden_draw(canvas, picture, v->hidden, source->picture.grid_w, source->picture.grid_h);
}

/* ---------------------------------------------------------------- on the picture */

/* Words that look at nearly the same place, in cells, are one fixation. */
#define SAME_PLACE 1.5f

static bool has_faint_map(const sentence_view *v, int word)
{
    const sac_result *c = &v->result;
    return viz_heat_is_faint(sentence_map(c, word), sentence_cells(c), visible_cells(v));
}

/* Draws the cells attended to so far, but by words that looked everywhere alike; the last ring is the
 * current one, which moves with the heat. */
static void draw_path(const sentence_view *v, viz_canvas *canvas, viz_rect picture)
{
    const viz_glide *g = &v->glide;
    const sac_result *caption = &v->result;
    int word = sentence_current_word(v), count = 0;
    bool lit = !v->numbers && v->style.overlay == VIZ_LIGHT; /* its rim marks where it looks */
    float w = picture.w / (float)g->grid_w, h = picture.h / (float)g->grid_h;
    viz_fixation path[SAC_MAX_TOKENS];
    if (has_faint_map(v, word))
        return;
    for (int i = 0; i <= word; i++) {
        float x, y;
        if (has_faint_map(v, i))
            continue;
        sac_map_heaviest(sentence_map(caption, i), caption->grid_w, caption->grid_h, &x, &y);
        count = viz_fixation_add(path, count, picture.x + x * w, picture.y + y * h, i + 1,
                                 SAME_PLACE * w);
    }
    path[count - 1].x = picture.x + g->now_x * w;
    path[count - 1].y = picture.y + g->now_y * h;
    const sac_result_output *current = &caption->outputs[word];
    float peak[2] = {picture.x + ((float)current->peak_x + 0.5f) * w,
                     picture.y + ((float)current->peak_y + 0.5f) * h};
    /* Without numbers the last jump alone, and none to the word that it rests on. */
    const bool rests = v->ended && !v->player.playing;
    int from = v->numbers ? 0 : rests ? count - 1 : count < 3 ? 0 : count - 2;
    for (int i = 0; i < count && !v->numbers; i++)
        path[i].first = 0; /* not written */
    if (count > 1 || v->numbers)
        viz_scan_path(canvas, picture, path + from, count - from,
                      lit ? 0 : fminf(fmaxf(0.45f * w, 6), 22), peak);
}

/* Where it is held: the spot's radius, and its middle; faint while the current word looks by itself. */
static void draw_gaze(const sentence_view *v, viz_canvas *canvas, viz_rect picture, int word)
{
    const sac_gaze *gaze = &v->gaze;
    const sac_picture_source *source = &v->base.source->picture;
    const float w = picture.w / (float)source->grid_w, h = picture.h / (float)source->grid_h;
    const float x = picture.x + (gaze->x + 0.5f) * w, y = picture.y + (gaze->y + 0.5f) * h;
    if (!sac_gaze_is_held(gaze))
        return;
    const bool held = sentence_is_held(v, word);
    viz_ring(canvas, x, y, fmaxf(gaze->radius * w, 4), 2, held ? 1 : 0.5f);
    viz_disc(canvas, x, y, held ? 3 : 2, canvas->theme->accent);
}

/* Where the gaze heads look at a word. */
static void draw_gaze_box(const sentence_view *v, viz_canvas *canvas, viz_rect picture, int word,
                          float thickness)
{
    if (word < 0 || !sac_result_has_gaze_box(&v->result, word))
        return;
    sac_look look = {.count = 1};
    memcpy(look.box[0], v->result.outputs[word].box, sizeof look.box[0]);
    viz_look_draw(canvas, picture, &look, true, thickness);
}

static void draw_picture(sentence_view *v, viz_canvas *canvas)
{
    viz_rect picture = v->layout.picture;
    const viz_glide *g = &v->glide;
    int word = sentence_current_word(v);
    uint8_t top[SENTENCE_MARKED];
    draw_heat(v, canvas, &v->picture_kept, picture, word >= 0 && g->grid_w > 0 ? g->now : NULL,
              g->grid_w, g->grid_h);
    if (sentence_matters_mark(v, top))
        viz_hidden_draw(canvas, picture, top, v->result.grid_w, v->result.grid_h);
    viz_clip(canvas, picture);
    if (v->truth && v->scene.has_truth)
        draw_boxes(v, canvas, picture, word, false, 1.5f);
    if (word >= 0 && g->grid_w > 0)
        draw_path(v, canvas, picture);
    viz_regions_draw(canvas, picture, &v->result.regions, word);
    if (word >= 0 && g->grid_w > 0)
        viz_parts_draw_shares(canvas, picture, &v->base.source->picture, g->now);
    draw_gaze_box(v, canvas, picture, word, 1.5f);
    draw_gaze(v, canvas, picture, word);
    if (v->column >= 0) {
        const sac_source *source = v->base.source;
        const int across = source->picture.grid_w;
        float w = picture.w / (float)across, h = picture.h / (float)source->picture.grid_h;
        viz_rect r = {picture.x + (float)(v->column % across) * w,
                      picture.y + (float)(v->column / across) * h, w, h};
        viz_frame_apart(canvas, r, 1);
    }
    viz_clip_none(canvas);
    const sac_result *caption = &v->result;
    bool timed = word >= 0 && caption->outputs[word].is_timed;
    viz_seconds_draw(canvas, v->layout.seconds, caption->from, caption->seconds,
                     timed ? caption->outputs[word].begin : -1,
                     timed ? caption->outputs[word].end : -1);
}

/* ---------------------------------------------------------------- numbers below it */

/* The weight of the cell under the pointer. */
static void draw_readout(const sentence_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.readout;
    const sac_result *c = &v->result;
    const int across = v->base.source->picture.grid_w > 0 ? v->base.source->picture.grid_w : 1;
    const viz_color text = canvas->theme->text;
    char place[32], number[32];
    const int cell_x = v->column % across, cell_y = v->column / across;
    if (v->column < 0 || cell_x >= v->glide.grid_w || cell_y >= v->glide.grid_h ||
        v->row >= c->count)
        return;
    const float *map = v->row < 0 ? v->glide.now : sentence_map(c, v->row);
    snprintf(place, sizeof place, "(%d, %d)", cell_x, cell_y);
    viz_number(map[cell_y * v->glide.grid_w + cell_x], number, sizeof number);
    float x = r.x, right = r.x + r.w, y = r.y + 14;
    float numbers = viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, place) + 8 +
                    viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, number);
    const char *label = viz_word("cell under the pointer");
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 8 + numbers > r.w)
        label = viz_word("cell");
    if (v->row >= 0)
        label = c->outputs[v->row].text;
    if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 8 + numbers <= r.w)
        x += viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, x, y, right - x, VIZ_LEFT,
                             canvas->theme->text2, label) +
             8;
    x += viz_text_within(canvas, VIZ_MONO, VIZ_LABEL, x, y, right - x, VIZ_LEFT, text, place) + 8;
    viz_text_within(canvas, VIZ_MONO, VIZ_LABEL, x, y, right - x, VIZ_LEFT, text, number);
}

/* Draws the measures of the word's map, as many as fit the line. */
static void draw_measures(const sentence_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.measures;
    int word = sentence_current_word(v), visible = visible_cells(v);
    char text[4][200], ends[40] = "";
    if (word < 0)
        return;
    const sac_result_output *w = &v->result.outputs[word];
    const double entropy = (double)w->entropy, most = visible > 0 ? log2(visible) : 0;
    const double beta = (double)w->gate;
    const size_t size = sizeof *text;
    if (v->result.has_row_ends)
        snprintf(ends, sizeof ends, viz_word("  ·  row ends %.2f"), (double)w->row_ends);
    snprintf(text[0], size, viz_word("attention of “%s”  ·  entropy %.1f of %.1f bits  ·  β %.2f"),
             w->text, entropy, most, beta);
    snprintf(text[1], size, viz_word("“%s”  ·  entropy %.1f of %.1f bits  ·  β %.2f"), w->text,
             entropy, most, beta);
    snprintf(text[2], size, viz_word("“%s”  ·  %.1f of %.1f bits  ·  β %.2f"), w->text, entropy,
             most, beta);
    snprintf(text[3], size, viz_word("%.1f bits  ·  β %.2f"), entropy, beta);
    for (int i = v->result.attribution ? 1 : 0; i < 4; i++) { /* other maps are named above */
        size_t used = strlen(text[i]);
        snprintf(text[i] + used, size - used, "%s", ends);
        if (viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text[i]) > r.w)
            continue;
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, r.x + r.w, r.y + 14, VIZ_RIGHT, canvas->theme->text2,
                 text[i]);
        return;
    }
}

/* ---------------------------------------------------------------- one small map per word */

/* Below the word: its probability, or with a ground truth, how well it pointed. */
static void draw_word_measure(const sentence_view *v, viz_canvas *canvas, int word)
{
    const viz_theme *theme = canvas->theme;
    const sac_caption_mark *mark = &v->marks[word];
    viz_rect r = v->layout.small[word];
    char text[32];
    if (!(r.w > 0))
        return;
    if (!v->truth || !v->scene.has_truth) {
        snprintf(text, sizeof text, "%.2f", (double)v->result.outputs[word].probability);
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

static void draw_thumb(sentence_view *v, viz_canvas *canvas, int word)
{
    const sac_result *caption = &v->result;
    viz_rect r = v->layout.thumb[word], label = v->layout.label[word];
    bool current = word == sentence_current_word(v);
    if (!(r.w > 0))
        return;
    draw_heat(v, canvas, &v->thumb_kept, r, sentence_map(caption, word), caption->grid_w,
              caption->grid_h);
    if (v->truth && v->scene.has_truth)
        draw_boxes(v, canvas, r, word, true, 1);
    viz_regions_draw_own(canvas, r, &caption->regions, word);
    if (current)
        viz_frame(canvas, (viz_rect){r.x - 2, r.y - 2, r.w + 4, r.h + 4}, 3, canvas->theme->accent);
    float size = r.w < 52 ? 10 : VIZ_LABEL;
    viz_text_within(canvas, VIZ_SANS, size, label.x, label.y + 13, label.w + 4, VIZ_LEFT,
                    current ? canvas->theme->accent : canvas->theme->text,
                    caption->outputs[word].text);
    draw_word_measure(v, canvas, word);
}

/* "pointing 8 of 8 · mass in box 0.81 · caption right"; of boxes alone no sentence is right. */
static void write_truth_summary(const sentence_view *v, bool boxes_alone, char *text, size_t size)
{
    int named = 0, inside = 0;
    double mass = 0;
    for (int i = 0; i < v->result.count; i++)
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

static void draw_strip(sentence_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.strip_title;
    char text[96];
    if (!(r.w > 0))
        return;
    const sentence_scene *scene = &v->scene;
    if (v->truth && scene->has_truth) {
        write_truth_summary(v, scene->truth.by_name, text, sizeof text);
        draw_title(canvas, r, text);
    } else {
        const sac_attribution a = v->result.attribution;
        snprintf(text, sizeof text, "%s%s%s", viz_word("one map per word"), a ? ": " : "",
                 a ? viz_word(sac_attribution_names[a]) : "");
        draw_title(canvas, r, text);
    }
    for (int i = 0; i < v->result.count; i++)
        draw_thumb(v, canvas, i);
}

/* ---------------------------------------------------------------- words × cells */

static void draw_row(const sentence_view *v, viz_canvas *canvas, int word)
{
    const sac_result *caption = &v->result;
    viz_scale scale = caption_map_scale(v, sentence_map(caption, word));
    const sentence_layout *l = &v->layout;
    float h = l->matrix.h / (float)caption->count, size = h >= 15 ? VIZ_LABEL : fmaxf(h - 1.5f, 7);
    float line = h >= 4 ? 1 : 0; /* between rows; thin ones touch */
    viz_rect row = {l->matrix.x, l->matrix.y + (float)word * h, l->matrix.w, h - line};
    bool current = word == sentence_current_word(v);
    viz_cells(canvas, row, sentence_map(caption, word), 1, (size_t)sentence_cells(caption),
              viz_heat_colors(canvas->theme, v->style.map), &scale);
    if (l->matrix_names.w > 0 && size >= viz_least_text(canvas, size))
        viz_text(canvas, VIZ_SANS, size, l->matrix_names.x + l->matrix_names.w,
                 row.y + h / 2 + 0.34f * size, VIZ_RIGHT,
                 current ? canvas->theme->accent : canvas->theme->text2,
                 caption->outputs[word].text);
    else if (current)
        viz_fill(canvas, (viz_rect){row.x - 6, row.y, 4, fmaxf(h, 2)}, canvas->theme->accent);
}

static void draw_matrix(const sentence_view *v, viz_canvas *canvas)
{
    const sentence_layout *l = &v->layout;
    const sac_source *source = v->base.source;
    int cells = source->picture.grid_w * source->picture.grid_h;
    char text[96];
    if (!(l->matrix.w > 0))
        return;
    snprintf(text, sizeof text, viz_word("words × %d cells"), cells);
    draw_title(canvas, l->matrix_title, text);
    viz_fill(canvas, l->matrix, canvas->theme->between);
    for (int i = 0; i < v->result.count; i++)
        draw_row(v, canvas, i);
    float w = l->matrix.w / (float)cells;
    viz_rect column = {l->matrix.x + (float)v->column * w - 1, l->matrix.y - 1, w + 2,
                       l->matrix.h + 1};
    if (v->column >= 0)
        viz_frame_apart(canvas, column, 1);
}

/* ---------------------------------------------------------------- the sentence */

static void draw_wavy_underline(viz_canvas *canvas, float x, float y, float width)
{
    int teeth = (int)fmaxf(1, roundf(width / 4));
    float step = width / (float)teeth;
    for (int i = 0; i < teeth; i++) {
        float left = x + (float)i * step, up = i % 2 ? 0 : 2;
        viz_line(canvas, left, y + up, left + step, y + 2 - up, 1.25f, canvas->theme->text2);
    }
}

/* While the words are played, those behind the current one are still to come. */
static bool is_generated(const sentence_view *v, int word)
{
    return word <= sentence_current_word(v) || (v->ended && !v->player.playing);
}

/* Generated words are bright, the current one has the accent colour, later ones are faint. */
static void draw_word(const sentence_view *v, viz_canvas *canvas, int word)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = v->layout.line.word[word];
    float size = v->layout.line.size;
    int current = sentence_current_word(v);
    if (!(r.h > 0))
        return;
    bool here = word == current && v->player.step < v->result.count;
    viz_color color = here ? theme->accent : is_generated(v, word) ? theme->text : theme->faint;
    viz_text(canvas, caption_word_face(v, word), size, r.x, r.y + 0.98f * size, VIZ_LEFT, color,
             v->result.outputs[word].text);
    bool wrong = v->truth && v->scene.has_truth && !v->marks[word].right;
    if (wrong) /* struck out, as in a training */
        viz_line(canvas, r.x - 2, r.y + 0.66f * size, r.x + r.w + 2, r.y + 0.66f * size, 1.5f,
                 color);
    if (here)
        viz_fill(canvas, (viz_rect){r.x, r.y + floorf(1.3f * size), r.w, 2}, theme->accent);
    if (v->result.outputs[word].unsure)
        draw_wavy_underline(canvas, r.x, r.y + floorf(1.3f * size) + (here ? 5 : 1), r.w);
    if (sentence_is_replaced(v, word)) {
        viz_disc(canvas, r.x + r.w + 7.5f, r.y + 0.78f * size, 2.5f, theme->accent);
        sentence_draw_cross(canvas, v->layout.line.cross[word].x + 5,
                            v->layout.line.cross[word].y + 3);
    }
}

/* What the sentence had before a word, struck out. */
static void draw_struck_out_words(const sentence_view *v, viz_canvas *canvas, int word)
{
    static const viz_color stroke = {222, 82, 70, 255};
    viz_rect r = v->layout.line.gone[word];
    float size = v->layout.line.size, y = r.y + 0.68f * size;
    bool is_shown = is_generated(v, word) || sentence_current_word(v) + 1 == v->result.count;
    if (!(r.w > 0) || !is_shown)
        return;
    viz_text(canvas, VIZ_SANS, size, r.x, r.y + 0.98f * size, VIZ_LEFT, canvas->theme->faint,
             v->changes.gone[word]);
    viz_line(canvas, r.x - 3, y, r.x + r.w + 3, y, fmaxf(0.06f * size, 1.5f), stroke);
}

/* Where the current word looked, in words; returns how long the text is. */
static size_t describe_look(const sentence_view *v, int word, char *text, size_t size)
{
    const sac_result *c = &v->result;
    const sac_result_output *w = &c->outputs[word];
    const float *map = sentence_map(c, word);
    const int cells = sentence_cells(c), visible = visible_cells(v);
    char name[SAC_MAX_TOKEN_TEXT * 4];
    sac_result_word_of(c, word, name, sizeof name);
    const char *looked =
        sentence_is_held(v, word) ? viz_word("it looked where you hold it for “%s”")
        : viz_heat_is_even(map, cells, visible) ? viz_word("it looked everywhere alike for “%s”")
        : viz_heat_is_faint(map, cells, visible)
            ? viz_word("it looked nearly everywhere alike for “%s”")
        : c->attribution == SAC_ATTRIBUTION_ACTIVATION
            ? viz_word("where the picture itself activates “%s”")
        : c->attribution == SAC_ATTRIBUTION_RELEVANCE || c->attribution == SAC_ATTRIBUTION_GRADIENT
            ? viz_word("what counted for “%s”")
        : c->attribution == SAC_ATTRIBUTION_CONTRAST
            ? viz_word("where it looked more for “%s” than for other words")
            : viz_word("where it looked for “%s”");
    size_t used = (size_t)snprintf(text, size, looked, name);
    if (w->describes && !c->attribution && has_faint_map(v, word)) /* of what has such a map */
        used +=
            (size_t)snprintf(text + used, size - used, "%s", viz_word("  ·  Z shows what counted"));
    if (!sentence_demo_runs(v))
        used += (size_t)snprintf(text + used, size - used, viz_word("  ·  sure %.2f"),
                                 (double)w->probability);
    if (w->is_timed)
        used += (size_t)snprintf(text + used, size - used, viz_word("  ·  %.2f to %.2f s"),
                                 (double)w->begin, (double)w->end);
    bool typed = v->base.source->result.typed;
    if (c->has_on_picture)
        used += (size_t)snprintf(text + used, size - used,
                                 viz_word("  ·  %.0f %% of it is on the picture"),
                                 100 * (double)w->on_picture);
    else if (typed && c->has_row_ends)
        used += (size_t)snprintf(text + used, size - used,
                                 viz_word("  ·  %.0f %% of its attention is on the picture, %.0f "
                                          "%% on the ends of its rows"),
                                 100 * (double)w->gate, 100 * (double)w->row_ends);
    else if (typed) /* the question and the words before have the rest */
        used += (size_t)snprintf(text + used, size - used,
                                 viz_word("  ·  %.0f %% of its attention is on the picture"),
                                 100 * (double)w->gate);
    return used;
}

/* The line below the sentence. */
static void draw_look_description(const sentence_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.plain;
    const viz_theme *theme = canvas->theme;
    const int word = sentence_current_word(v);
    char text[256];
    if (word < 0 || !(r.w > 0))
        return;
    const char *line = sentence_demo_line(v, text, sizeof text), *message = message_of(v);
    if (line) { /* as large as its row has room for, and as the note below it */
        float size = fminf(v->layout.note_size, 0.82f * r.h);
        while (size > VIZ_LABEL && viz_text_width(canvas, VIZ_SANS_BOLD, size, line) > r.w)
            size -= 1;
        viz_text(canvas, VIZ_SANS_BOLD, size, r.x + r.w / 2, r.y + 16, VIZ_CENTER, theme->text,
                 line);
        return;
    }
    size_t used = describe_look(v, word, text, sizeof text);
    if (v->changes.none && v->hidden_count > 0)
        snprintf(text + used, sizeof text - used, "%s",
                 viz_word("  ·  the same words without what is covered"));
    else if (v->changes.none && sac_gaze_is_held(&v->result.gaze))
        snprintf(text + used, sizeof text - used, "%s",
                 viz_word("  ·  the same words as where it looks by itself"));
    viz_text_within(canvas, VIZ_SANS, VIZ_BODY, r.x + r.w / 2, r.y + 15, r.w, VIZ_CENTER,
                    message ? theme->text : theme->text2, message ? viz_word(message) : text);
}

static void draw_sentence(const sentence_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const sac_result *caption = &v->result;
    float size = v->layout.line.size;
    viz_rect perhaps = v->layout.line.perhaps;
    if (perhaps.w > 0)
        viz_text(canvas, VIZ_SANS, size, perhaps.x, perhaps.y + 0.98f * size, VIZ_LEFT,
                 theme->text2, viz_word("perhaps:"));
    for (int i = 0; i <= caption->count; i++)
        draw_struck_out_words(v, canvas, i);
    for (int i = 0; i < caption->count; i++)
        draw_word(v, canvas, i);
    viz_rect first = v->layout.first;
    char busy[SAC_ACTIVITY_SIZE], text[SAC_ACTIVITY_SIZE + 8];
    bool looks = v->request.out && caption->count == 0;
    const char *instead = caption->count > 0 ? NULL
                          : looks            ? "looking …"
                          : caption->special_count
                              ? "only special tokens were generated, which are no text"
                          : caption->finished ? "it generated no words: the sentence ended at once"
                                              : NULL;
    if (looks && sac_activity_text(busy)) { /* the first time: programs are built */
        snprintf(text, sizeof text, "%s …", viz_word(busy));
        instead = text;
    }
    if (instead)
        viz_text_within(canvas, VIZ_SANS, looks ? size : VIZ_BODY,
                        v->numbers ? first.x : first.x + first.w / 2, first.y + 0.98f * size,
                        first.w, v->numbers ? VIZ_LEFT : VIZ_CENTER, theme->faint,
                        viz_word(instead));
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

static void draw_note(const sentence_view *v, viz_canvas *canvas)
{
    viz_rect r = v->layout.note;
    char note[512], fit[512];
    if (!(r.w > 0))
        return;
    caption_note(v, note, sizeof note);
    float size = fit_note(canvas, v->layout.note_size, r.w, note, fit, sizeof fit);
    viz_text(canvas, VIZ_SANS, size, v->numbers ? r.x : r.x + r.w / 2, r.y + r.h / 2 + 0.36f * size,
             v->numbers ? VIZ_LEFT : VIZ_CENTER, canvas->theme->text, fit);
}

/* ---------------------------------------------------------------- the figure of a paper */

static void draw_panel(sentence_view *v, viz_canvas *canvas, viz_rect panel, int word)
{
    const sac_result *c = &v->result;
    panel = caption_fit_picture(v, canvas, panel);
    draw_heat(v, canvas, &v->picture_kept, panel, word >= 0 ? sentence_map(c, word) : NULL,
              c->grid_w, c->grid_h);
    if (v->truth && v->scene.has_truth)
        draw_boxes(v, canvas, panel, word, word >= 0, 1.25f);
    draw_gaze_box(v, canvas, panel, word, 1.25f);
    (word < 0 ? viz_regions_draw : viz_regions_draw_own)(canvas, panel, &c->regions, word);
    if (word >= 0 && c->outputs[word].is_timed)
        viz_seconds_mark(canvas, (viz_rect){panel.x, panel.y + panel.h, panel.w, 0}, c->from,
                         c->seconds, c->outputs[word].begin, c->outputs[word].end);
}

#define FOOT_SENTENCE 34.0f
#define FOOT_MARGIN 10.0f /* below the legend */
#define TWO_SAMPLES 32.0f /* the legend of light and contours, in two lines */
#define FOOT_NOTE 26.0f
#define FOOT_NOTE_SIZE 16.0f
#define LEAST_WITH_FOOT 240.0f /* of the figure's height */

static float legend_height(const sentence_view *v)
{
    return v->style.overlay == VIZ_HEAT ? VIZ_BAR_NAMED_HEIGHT : TWO_SAMPLES;
}

static bool has_foot_note(const sentence_view *v)
{
    return v->result.attribution || v->result.before || v->result.gaze_heads;
}

/* The sentence as one line of text, cut where it has no room for all. */
static void write_caption_sentence(const sentence_view *v, char *text, size_t size)
{
    char *read = sac_result_make_placeless_line(&v->result);
    size_t used =
        v->result.is_doubtful ? (size_t)snprintf(text, size, "%s ", viz_word("perhaps:")) : 0;
    sac_printable(read ? read : "", text + used, size - used);
    free(read);
}

/* In one line; else the words below the panels have to do. */
static bool sentence_fits(const sentence_view *v, const viz_canvas *canvas, float whole)
{
    char text[512];
    write_caption_sentence(v, text, sizeof text);
    return viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) <= whole - 2 * VIZ_GAP;
}

/* The sentence as large as fits, and below it the bar as wide as the panels. */
static void draw_foot(const sentence_view *v, viz_canvas *canvas, float whole, viz_rect room)
{
    char text[512], fit[512];
    float size = VIZ_SENTENCE;
    write_caption_sentence(v, text, sizeof text);
    float width = whole - 2 * VIZ_GAP; /* centred where the panels are narrower */
    while (size > VIZ_LABEL && viz_text_width(canvas, VIZ_SANS, size, text) > room.w)
        size -= 1;
    viz_text_fit(canvas, VIZ_SANS, size, width, text, fit, sizeof fit);
    bool wide = viz_text_width(canvas, VIZ_SANS, size, fit) > room.w;
    if (sentence_fits(v, canvas, whole))
        viz_text(canvas, VIZ_SANS, size, wide ? room.x + room.w / 2 : room.x, room.y + VIZ_SENTENCE,
                 wide ? VIZ_CENTER : VIZ_LEFT, canvas->theme->text, fit);
    const float legend = legend_height(v);
    viz_rect bar = {room.x, room.y + room.h - legend - FOOT_MARGIN, room.w, legend};
    if (has_foot_note(v)) { /* no message, but what the maps are */
        float at = wide ? width : fmaxf(room.w, whole - room.x - VIZ_GAP), note;
        if (v->result.before)
            caption_write_gaze(v, text, sizeof text);
        else if (v->result.gaze_heads)
            caption_write_gaze_heads(v, text, sizeof text);
        else
            snprintf(text, sizeof text, "%s",
                     viz_word(sac_attribution_phrase(v->result.attribution)));
        note = fit_note(canvas, FOOT_NOTE_SIZE, at, text, fit, sizeof fit);
        viz_text(canvas, VIZ_SANS, note, wide ? room.x + room.w / 2 : room.x, bar.y - 12,
                 wide ? VIZ_CENTER : VIZ_LEFT, canvas->theme->text, fit);
    }
    draw_bar(v, canvas, bar, true);
}

static float foot_height(const sentence_view *v, const viz_canvas *canvas, viz_rect area)
{
    if (area.h < LEAST_WITH_FOOT || v->result.count == 0)
        return 0;
    return (sentence_fits(v, canvas, area.w) ? FOOT_SENTENCE : 0) + legend_height(v) + FOOT_MARGIN +
           (has_foot_note(v) ? FOOT_NOTE : 0);
}

caption_figure caption_lay_figure(const sentence_view *v, const viz_canvas *canvas, viz_rect area)
{
    area.h -= foot_height(v, canvas, area);
    return caption_lay_panels(canvas, area, v->result.count, caption_aspect(v));
}

float caption_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const sentence_view *v = sentence_of(view);
    float panels = caption_panels_height(width, v->result.count, caption_aspect(v));
    float foot = foot_height(v, canvas, (viz_rect){0, 0, width, LEAST_WITH_FOOT});
    return fmaxf(panels + foot, LEAST_WITH_FOOT);
}

void caption_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    sentence_view *v = sentence_of(view);
    const sac_result *caption = &v->result;
    float foot = foot_height(v, canvas, area);
    caption_figure f = caption_lay_figure(v, canvas, area);
    float right = 0;
    for (int i = 0; i < f.panels; i++) {
        viz_rect label = f.label[i];
        right = fmaxf(right, f.panel[i].x + f.panel[i].w);
        draw_panel(v, canvas, f.panel[i], i - 1);
        if (i == 0)
            continue;
        float end =
            viz_text_within(canvas, VIZ_SANS, f.text_size, label.x, label.y + 1.25f * f.text_size,
                            label.w, VIZ_LEFT, canvas->theme->text, caption->outputs[i - 1].text);
        if (caption->outputs[i - 1].unsure)
            draw_wavy_underline(canvas, label.x, label.y + 1.4f * f.text_size, end);
    }
    if (foot > 0)
        draw_foot(v, canvas, area.w,
                  (viz_rect){f.panel[0].x, area.y + area.h - foot, right - f.panel[0].x, foot});
}

/* ---------------------------------------------------------------- the whole */

void caption_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    sentence_view *v = sentence_of(view);
    caption_lay(v, canvas, area);
    const sentence_layout *l = &v->layout;
    draw_picture(v, canvas);
    draw_readout(v, canvas);
    draw_measures(v, canvas);
    draw_matrix(v, canvas);
    draw_strip(v, canvas);
    /* The matrix beside the picture has heat's colours whatever the overlay: its bar stays. */
    if (l->bar.w > 0 && v->result.count > 0)
        draw_bar(v, canvas, l->bar, false);
    if (v->numbers) /* else it stands below the sentence, and covers nothing */
        viz_note_draw_over(canvas, l->picture, message_of(v));
    if (l->rule.w > 0)
        viz_fill(canvas, l->rule, canvas->theme->line);
    draw_sentence(v, canvas);
    draw_look_description(v, canvas);
    draw_note(v, canvas);
    viz_chips_draw(canvas, &l->buttons, -1);
    sentence_draw_transport(v, canvas);
    sentence_matters_draw(v, canvas);
    if (!v->list.open)
        return;
    /* Beside the picture, which the list is about, if there is space. */
    float right = l->picture.x + l->picture.w;
    viz_rect room = {right, area.y, area.x + area.w - right, area.h};
    bool beside = v->numbers && room.w >= VIZ_WORD_LIST_WIDTH + 2 * VIZ_GAP;
    viz_word_list_draw(&v->list, canvas, beside ? room : area, l->line.word[v->list.word]);
}
