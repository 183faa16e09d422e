/* Outputs as they are drawn: the picture under the map of the chosen one, the list beside it. */
#include <math.h>
#include <stdio.h>

#include "outputs/outputs_state.h"
#include "parts/figures/frame.h"
#include "parts/pages/paragraph.h"
#include "view/settings.h"
#include "view/words.h"

#define LINE 20.0f
#define ROW_HEIGHT 34.0f
#define LEAST_ROW 24.0f
#define TRACK 5.0f
#define TAG_HEIGHT 20.0f
#define PANEL_SHARE 0.34f /* of the width */
#define LEAST_PANEL 236.0f
#define MOST_PANEL 440.0f
#define LEAST_BAR 300.0f
#define COLUMN_GAP 28.0f
#define CLEARLY_LARGER 1.15f
#define FIGURE_GAP 10.0f

/* The controls above and below the list, of objects and of phrases. */
static const char *const above[2][OUTPUTS_CONTROLS] = {{"threshold"}, {NULL}};
static const char *const below[2][OUTPUTS_CONTROLS] = {{"layer", "head"}, {"likeness", "scale"}};
static const char query_note[] = "Each word of the query has its largest cosine with anything of "
                                 "the page: a patch, or a word of the page's prompt. "
                                 "The sum over all words is the score of the page (late "
                                 "interaction; ColPali, Faysse et al. 2024). The words of the "
                                 "query's prompt stand below, dim; they count, too.";

static const char *const bar_names[OUTPUTS_MIDDLES] = {
    "cosine; in the middle the mean of all patches",
    "cosine; in the middle 0",
    "cosine less the mean of all phrases",
};
static const char *const way_notes[SAC_LIKENESS_WAYS] = {
    [SAC_LIKENESS_STATES] = "States of patches as they leave the last layer. The model was trained "
                            "on whole pictures: what its "
                            "patches give is noisy, and CLIP's often point away from the thing.",
    [SAC_LIKENESS_VALUES] = "In the last layer each patch attends to itself alone: it is its own "
                            "value (MaskCLIP, Zhou et al. 2022).",
    [SAC_LIKENESS_VALUE_VALUE] =
        "In the last layer values are queries and keys, too, so that patches attend to those like "
        "them (CLIP Surgery, Li et al. 2023, in more layers).",
    [SAC_LIKENESS_RELEVANCE] =
        "What counted for the likeness of the whole picture, and which words: attention times the "
        "gradient of the logit, through all layers (Chefer et al. 2021). Each map sums to 1.",
};

/* What the map is. */
static const char *note_of(const outputs_view *v)
{
    return v->is_query     ? query_note
           : v->of_phrases ? way_notes[v->way]
           : v->is_asked
               ? "What the patch that gives this box looked at. Each patch of the picture gives a "
                 "box around its own "
                 "place, and how like each phrase what is in it is."
               : "What of the picture the query that found this looked at. The box and the "
                 "class come of all layers.";
}

/* ---------------------------------------------------------------- the map */

int outputs_count(const outputs_view *v)
{
    return v->of_phrases ? v->result.count : sac_result_count_above(&v->result, v->threshold);
}

int outputs_word_count(const outputs_view *v)
{
    int count = 0;
    while (count < v->result.count && !v->result.outputs[count].is_of_prompt)
        count++;
    return count;
}

const float *outputs_patch_weights(const outputs_view *v)
{
    const size_t cells = (size_t)(v->result.grid_w * v->result.grid_h);
    return v->result.weights ? v->result.weights + (size_t)v->output * cells : NULL;
}

static float mean_of_phrases(const sac_result *s, size_t patch, size_t patches)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += (double)s->weights[(size_t)i * patches + patch];
    return (float)(sum / s->count);
}

/* What counted is shares of 1: from 0 on, as light or heat, and not around a middle. */
bool outputs_are_shares(const outputs_view *v)
{
    return v->way == SAC_LIKENESS_RELEVANCE && v->middle != OUTPUTS_BESIDE;
}

/* Of a word of a query what is above the mean of all patches lights the page. */
bool outputs_are_lit(const outputs_view *v)
{
    return v->is_query && v->middle == OUTPUTS_MEAN;
}

bool outputs_fill_map(outputs_view *v)
{
    const float *patches = outputs_patch_weights(v);
    const size_t cells = (size_t)(v->result.grid_w * v->result.grid_h);
    double sum = 0;
    if (!outputs_count(v) || !v->map)
        return false;
    if (!v->of_phrases) {
        sac_result_row(&v->result, v->output, v->layer, v->head, v->map);
        return true;
    }
    for (size_t i = 0; i < cells; i++)
        sum += (double)patches[i];
    const bool is_mean = v->middle == OUTPUTS_MEAN && !outputs_are_shares(v);
    v->mean = is_mean ? (float)(sum / (double)cells) : 0;
    v->most = 0;
    for (size_t i = 0; i < cells; i++) {
        float middle =
            v->middle == OUTPUTS_BESIDE ? mean_of_phrases(&v->result, i, cells) : v->mean;
        v->map[i] = patches[i] - middle;
        if (outputs_are_lit(v))
            v->map[i] = fmaxf(v->map[i], 0);
        v->most = fmaxf(v->most, fabsf(v->map[i]));
    }
    v->most = fmaxf(v->most, 1e-6f);
    return true;
}

/* ---------------------------------------------------------------- layout */

static viz_rect fit_picture(const outputs_view *v, viz_rect room)
{
    const sac_image *image = v->base.source->picture.image;
    float aspect = (float)image->width / (float)image->height;
    float w = floorf(fmaxf(fminf(room.w, room.h * aspect), 1));
    return (viz_rect){room.x, room.y, w, floorf(fmaxf(w / aspect, 1))};
}

/* Controls one below the other; returns their height. `keeps` false: it is only measured. */
static float lay_controls(outputs_view *v, const viz_canvas *canvas, const char *const *names,
                          float x, float y, float width, bool keeps)
{
    float top = y;
    for (int i = 0; i < OUTPUTS_CONTROLS && names[i]; i++) {
        viz_control c = viz_control_lay_out(&v->base, canvas, names[i], x, y, width, 0);
        if (keeps)
            viz_controls_append(&v->controls, &c);
        y += c.rect.h > 0 ? c.rect.h + 6 : 0;
    }
    return y - top;
}

/* Rows from `top` on, so many that the chosen one is among them; returns where they end. */
static float lay_rows(outputs_view *v, viz_rect room)
{
    outputs_layout *l = &v->layout;
    int count = outputs_count(v), fit = (int)(room.h / LEAST_ROW);
    fit = fit < 1 ? 1 : fit > OUTPUTS_ROWS ? OUTPUTS_ROWS : fit;
    bool all = count <= fit;
    l->count = all ? count : fit > 1 ? fit - 1 : 1;
    int last = count - l->count, first = v->output - l->count / 2;
    l->first = first < 0 || last < 0 ? 0 : first > last ? last : first;
    float height = l->count ? fminf(ROW_HEIGHT, room.h / (float)(l->count + !all)) : LINE;
    float y = room.y;
    for (int i = 0; i < l->count; i++, y += height)
        l->rows[i] = (viz_rect){room.x, y, room.w, height - 4};
    if (!all)
        l->more = (viz_rect){room.x, y, room.w, LINE};
    return all && count ? y : y + LINE; /* in an empty list a line has room */
}

static float note_height(const outputs_view *v, const viz_canvas *canvas, float width)
{
    return viz_paragraph_height(canvas, VIZ_SANS, VIZ_LABEL, width, viz_word(note_of(v)));
}

/* Controls, the list, controls, and the note where there is room. */
static void lay_panel(outputs_view *v, const viz_canvas *canvas, viz_rect panel)
{
    const char *const *under = below[v->of_phrases];
    float y =
        panel.y + lay_controls(v, canvas, above[v->of_phrases], panel.x, panel.y, panel.w, true);
    float controls = lay_controls(v, canvas, under, panel.x, 0, panel.w, false) + 12;
    float note = note_height(v, canvas, panel.w) + 6, room = panel.y + panel.h - y - controls;
    bool has_note = room - note >= LEAST_ROW * (float)outputs_count(v);
    y = lay_rows(v, (viz_rect){panel.x, y, panel.w, room - (has_note ? note : 0)}) + 10;
    y += lay_controls(v, canvas, under, panel.x, y, panel.w, true);
    if (has_note)
        v->layout.note = (viz_rect){panel.x, y, panel.w, note - 6};
}

/* The panel is beside the picture, or where the picture is clearly larger then, below it. */
static void lay(outputs_view *v, const viz_canvas *canvas, viz_rect area)
{
    outputs_layout *l = &v->layout;
    *l = (outputs_layout){0};
    viz_controls_clear(&v->controls);
    float x = area.x + VIZ_MARGIN, w = area.w - 2 * VIZ_MARGIN, y = area.y + 10;
    const float header = v->of_phrases || v->is_asked ? OUTPUTS_FIELD + LINE + 8 : 0;
    l->header = (viz_rect){x, y, w, header};
    y += header;
    float panel = fminf(fmaxf(PANEL_SHARE * w, LEAST_PANEL), MOST_PANEL);
    float height = area.y + area.h - 10 - y;
    float under = lay_controls(v, canvas, above[v->of_phrases], x, 0, w, false) +
                  lay_controls(v, canvas, below[v->of_phrases], x, 0, w, false) +
                  ROW_HEIGHT * (float)outputs_count(v) + note_height(v, canvas, w) + 40;
    viz_rect room = {x, y + LINE + 4, w - panel - COLUMN_GAP,
                     height - LINE - 4 - 10 - VIZ_BAR_NAMED_HEIGHT};
    viz_rect wide = {x, room.y, w, fmaxf(room.h - under, 1)};
    viz_rect beside = fit_picture(v, room), over = fit_picture(v, wide);
    bool stacked = over.w > CLEARLY_LARGER * beside.w;
    l->picture = stacked ? over : beside;
    room.w = stacked ? w : room.w;
    /* What is left of the width goes to both sides of the two columns. */
    float spare = room.w - fmaxf(l->picture.w, LEAST_BAR);
    float shift = stacked ? 0 : floorf(fmaxf(spare, 0) / 2);
    l->picture.x += shift;
    l->title = (viz_rect){l->picture.x, y, room.w - 2 * shift, LINE};
    l->bar = (viz_rect){l->picture.x, l->picture.y + l->picture.h + 10,
                        fminf(fmaxf(l->picture.w, LEAST_BAR), l->title.w), VIZ_BAR_NAMED_HEIGHT};
    float top = l->bar.y + l->bar.h + 12;
    lay_panel(v, canvas,
              stacked ? (viz_rect){x, top, w, y + height - top}
                      : (viz_rect){x + w - panel - shift, y, panel, height});
}

/* ---------------------------------------------------------------- text and rows */

/* What fits, at the left of a line. */
static void draw_text(viz_canvas *canvas, viz_face face, float size, viz_rect line, viz_color color,
                      const char *text)
{
    char fit[512];
    viz_text_fit(canvas, face, size, line.w, text, fit, sizeof fit);
    viz_text(canvas, face, size, line.x, line.y + 14, VIZ_LEFT, color, fit);
}

static void draw_row(const outputs_view *v, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    const sac_result_output *output = &v->result.outputs[v->layout.first + i];
    viz_rect r = v->layout.rows[i];
    char fit[256], number[32] = "", numbers[64];
    /* A softmax over one phrase has no meaning. */
    bool has_probability = !v->of_phrases || v->result.is_independent || v->result.count > 1;
    const double percent = 100 * (double)output->probability;
    const float length = v->is_query ? output->cosine : output->probability;
    if (v->of_phrases)
        viz_number(output->cosine, number, sizeof number);
    if (v->is_query)
        snprintf(numbers, sizeof numbers, "%s", number);
    else if (!v->of_phrases)
        snprintf(numbers, sizeof numbers, "%.1f %%", percent);
    else if (has_probability)
        snprintf(numbers, sizeof numbers, "%s  %5.1f %%", number, percent);
    bool current = v->layout.first + i == v->output, lit = current && !canvas->figure;
    viz_face face = lit ? VIZ_SANS_BOLD : VIZ_SANS;
    float y = r.y + r.h - TRACK - 6;
    float used = viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + r.w, y, VIZ_RIGHT, theme->text,
                          has_probability ? numbers : number);
    viz_text_fit(canvas, face, VIZ_LABEL, r.w - used - 12,
                 sac_result_share(&v->result, v->layout.first + i), fit, sizeof fit);
    viz_text(canvas, face, VIZ_LABEL, r.x, y, VIZ_LEFT,
             lit                    ? theme->accent
             : output->is_of_prompt ? theme->text2
                                    : theme->text,
             fit);
    if (!has_probability)
        return;
    viz_rect track = {r.x, r.y + r.h - TRACK, r.w, TRACK};
    viz_fill_round(canvas, track, TRACK / 2, theme->panel);
    track.w = fmaxf(track.w * fminf(length, 1), TRACK);
    if (length > 0)
        viz_fill_round(canvas, track, TRACK / 2, current ? theme->accent : theme->text2);
}

static void draw_rows(const outputs_view *v, viz_canvas *canvas)
{
    const outputs_layout *l = &v->layout;
    char text[160];
    for (int i = 0; i < l->count; i++)
        draw_row(v, canvas, i);
    snprintf(text, sizeof text, viz_word("and %d more: ↑ ↓"), outputs_count(v) - l->count);
    if (l->more.w > 0)
        draw_text(canvas, VIZ_SANS, VIZ_LABEL, l->more, canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- objects */

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

viz_rect outputs_box(const outputs_view *v, int object)
{
    const float *box = v->result.outputs[object].box;
    viz_rect p = v->layout.picture;
    float x0 = clamp(box[0], 0, 1), y0 = clamp(box[1], 0, 1);
    float x1 = clamp(box[2], x0, 1), y1 = clamp(box[3], y0, 1);
    return (viz_rect){floorf(p.x + x0 * p.w), floorf(p.y + y0 * p.h), ceilf((x1 - x0) * p.w),
                      ceilf((y1 - y0) * p.h)};
}

/* A thin line, which is seen on any picture, or a strong one. */
static void draw_box(viz_canvas *canvas, viz_rect r, bool strong, bool pointed)
{
    const viz_color dark = viz_with_alpha((viz_color){0, 0, 0, 255}, strong ? 0.55f : 0.35f);
    float t = strong ? 3 : pointed ? 2 : 1;
    viz_frame(canvas, (viz_rect){r.x - 1, r.y - 1, r.w + 2, r.h + 2}, t + 2, dark);
    viz_frame(canvas, r, t,
              strong ? canvas->theme->accent
                     : viz_with_alpha((viz_color){244, 246, 248, 255}, pointed ? 1 : 0.8f));
}

/* The boxes, and on the chosen one its name: above its upper edge, or where the picture ends
 * inside. */
static void draw_boxes(const outputs_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    const int count = outputs_count(v);
    viz_face face = canvas->figure ? VIZ_SANS : VIZ_SANS_BOLD; /* there titles alone are bold */
    char text[128], fit[128];
    for (int i = count - 1; i >= 0; i--)
        if (i != v->output)
            draw_box(canvas, outputs_box(v, i), false, i == v->pointed && !canvas->figure);
    if (!count)
        return;
    viz_rect p = v->layout.picture, box = outputs_box(v, v->output);
    draw_box(canvas, box, true, false);
    snprintf(text, sizeof text, "%s %.0f %%", sac_result_share(&v->result, v->output),
             100 * (double)v->result.outputs[v->output].probability);
    viz_text_fit(canvas, face, VIZ_LABEL, p.w - 16, text, fit, sizeof fit);
    float w = viz_text_width(canvas, face, VIZ_LABEL, fit) + 12;
    float x = clamp(box.x, p.x, p.x + p.w - w), y = box.y - TAG_HEIGHT;
    if (y < p.y)
        y = box.y;
    viz_fill(canvas, (viz_rect){x, y, w, TAG_HEIGHT}, theme->accent);
    viz_text(canvas, face, VIZ_LABEL, x + 6, y + 14, VIZ_LEFT, theme->on_accent, fit);
}

static void write_map_name(const outputs_view *v, char *text, size_t size)
{
    char layer[40], head[40];
    snprintf(layer, sizeof layer, viz_word(v->layer == VIZ_MEAN ? "all layers" : "layer %d"),
             v->layer);
    snprintf(head, sizeof head, viz_word(v->head == VIZ_MEAN ? "mean of heads" : "head %d"),
             v->head);
    snprintf(text, size, "%s, %s", layer, head);
}

static void draw_object_map(outputs_view *v, viz_canvas *canvas)
{
    const outputs_layout *l = &v->layout;
    const int cells = v->result.grid_w * v->result.grid_h;
    bool has_map = outputs_fill_map(v);
    if (has_map) {
        char name[96];
        write_map_name(v, name, sizeof name);
        viz_heat(canvas, &v->kept, l->picture, v->map, v->result.grid_w, v->result.grid_h,
                 &v->style);
        viz_heat_bar_draw(canvas, l->bar, &v->style, 1 / (float)cells, name);
    }
    draw_boxes(v, canvas);
    if (has_map && viz_heat_is_even(v->map, cells, 0))
        viz_note_draw_over(canvas, l->picture, viz_word(VIZ_EVEN_NOTE));
}

/* “dog, found by query 57 of 100”; of nothing the most probable object, in place of the list. */
static void draw_object_title(const outputs_view *v, viz_canvas *canvas)
{
    const sac_result *result = &v->result;
    const int count = outputs_count(v);
    char text[300] = "", name[96];
    if (v->request.problem[0])
        snprintf(text, sizeof text, "%.190s", v->request.problem);
    else if (count) {
        int used = snprintf(
            text, sizeof text,
            viz_word(v->is_asked ? "%s, found by patch %d of %d" : "%s, found by query %d of %d"),
            sac_result_share(result, v->output), (int)result->outputs[v->output].query,
            v->is_asked ? result->grid_w * result->grid_h : result->count);
        if (result->has_objectness)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             viz_word("; a thing of any kind: %.0f %%"),
                             100 * (double)result->outputs[v->output].objectness);
        write_map_name(v, name, sizeof name);
        if (canvas->figure) /* nothing else gives it there */
            snprintf(text + used, sizeof text - (size_t)used, "; %s", name);
    } else if (result->count)
        snprintf(text, sizeof text, "%s", viz_word("nothing above the threshold"));
    draw_text(canvas, VIZ_SANS, VIZ_BODY, v->layout.title, canvas->theme->text, text);
    if (count || !result->count || !v->controls.count)
        return;
    viz_rect r = v->controls.items[0].rect; /* the threshold's */
    snprintf(text, sizeof text, viz_word("the most probable: %s, %.1f %%"),
             sac_result_share(result, 0), 100 * (double)result->outputs[0].probability);
    draw_text(canvas, VIZ_SANS, VIZ_LABEL, (viz_rect){r.x, r.y + r.h + 10, r.w, 0},
              canvas->theme->text2, text);
}

/* ---------------------------------------------------------------- phrases */

/* “the page's score is 12.3: …” */
static void write_score(const outputs_view *v, char *text, size_t size)
{
    char number[32];
    if (!v->result.has_score)
        snprintf(text, size, "%s", viz_word("type what is looked for in the page"));
    else
        snprintf(
            text, size,
            viz_word("the score of the page is %s: the sum of the largest cosine of each word"),
            viz_number(v->result.score, number, sizeof number));
}

static void draw_header(const outputs_view *v, viz_canvas *canvas)
{
    const sac_result *s = &v->result;
    viz_rect r = v->layout.header;
    char score[200];
    if (v->is_query)
        write_score(v, score, sizeof score);
    const char *text =
        v->request.problem[0] ? v->request.problem
        : v->is_query         ? score
        : !v->field.text[0]   ? "type what may be in the picture"
        : v->is_asked         ? "what is looked for, with | between phrases; each box has the most "
                                "probable of them"
        : s->count < 2 && !s->is_independent ? "with | between several phrases they are compared"
        : s->is_independent
            ? "of the whole picture: its cosine to each phrase, and the probability "
              "that it fits"
            : "of the whole picture: its cosine to each phrase, and the "
              "probability among them";
    viz_text_field_draw(&v->field, canvas, (viz_rect){r.x, r.y, r.w, OUTPUTS_FIELD},
                        v->is_query ? "a query, such as: how many in each year"
                                    : "phrases, such as: a dog | a cat");
    draw_text(canvas, VIZ_SANS, VIZ_LABEL, (viz_rect){r.x, r.y + OUTPUTS_FIELD + 4, r.w, 0},
              canvas->theme->text2, viz_word(text));
}

static void draw_phrase_map(outputs_view *v, viz_canvas *canvas)
{
    const outputs_layout *l = &v->layout;
    const int columns = v->result.grid_w, rows = v->result.grid_h;
    viz_heat_style style = v->style;
    const bool shares = outputs_are_shares(v);
    if (!outputs_fill_map(v))
        return;
    const bool is_lit = shares || outputs_are_lit(v);
    style.scale = (viz_scale){VIZ_FIXED, is_lit ? 0 : -v->most, v->most};
    if (is_lit) {
        style.overlay = v->middle == OUTPUTS_MEAN ? VIZ_LIGHT : VIZ_HEAT;
        style.map = VIZ_INFERNO;
    }
    viz_heat(canvas, &v->kept, l->picture, v->map, columns, rows, &style);
    if (v->pointed >= 0 && !canvas->figure) {
        float w = l->picture.w / (float)columns, h = l->picture.h / (float)rows;
        viz_frame_apart(canvas,
                        (viz_rect){l->picture.x + w * (float)(v->pointed % columns),
                                   l->picture.y + h * (float)(v->pointed / columns), w, h},
                        2);
    }
    const viz_scale named = {VIZ_FIXED, v->mean - v->most, v->mean + v->most};
    if (shares)
        viz_heat_bar_draw(canvas, l->bar, &style, 1 / (float)(columns * rows),
                          "relevance; 1 in all");
    else if (is_lit)
        viz_heat_bar_draw(canvas, l->bar, &style, 0, "cosine above the mean of all patches");
    else
        viz_bar_draw(canvas, l->bar, viz_map_colors(canvas->theme, VIZ_DIVERGING), &named, 0,
                     v->way == SAC_LIKENESS_RELEVANCE ? "relevance less the mean of all phrases"
                                                      : bar_names[v->middle]);
}

/* The words of a phrase beside each other, each on as much colour as it counted for; those that find
 * no room are left out. */
static void draw_words(viz_canvas *canvas, const sac_phrase_words *words, viz_rect r)
{
    const viz_color strong = viz_map_color(canvas->theme, VIZ_DIVERGING, 0.8f);
    float x = r.x, most = 1e-6f;
    for (size_t i = 0; i < words->labels.count; i++)
        most = fmaxf(most, words->relevance[i]);
    for (size_t i = 0; i < words->labels.count; i++) {
        const char *label = words->labels.text[i];
        viz_rect box = {x, r.y, viz_text_width(canvas, VIZ_SANS, VIZ_BODY, label) + 10, r.h - 3};
        if (box.x + box.w > r.x + r.w)
            return;
        viz_fill_round(canvas, box, 4, viz_with_alpha(strong, 0.6f * words->relevance[i] / most));
        viz_text(canvas, VIZ_SANS, VIZ_BODY, x + 5, r.y + 14, VIZ_LEFT, canvas->theme->text, label);
        x += box.w + 3;
    }
}

/* “bank”, most like patch (3, 2): 0.71 */
static void write_word(const outputs_view *v, char *text, size_t size)
{
    const char *word = sac_result_share(&v->result, v->output);
    char number[32];
    int x, y;
    viz_number(v->result.outputs[v->output].cosine, number, sizeof number);
    if (sac_result_best_patch(&v->result, v->output, &x, &y))
        snprintf(text, size, viz_word("“%s”: %s with the patch (%d, %d)"), word, number, x, y);
    else
        snprintf(text, size, viz_word("“%s”: %s with a word of the page's prompt"), word, number);
}

/* “a dog”, and at the right what the patch under the pointer has. */
static void draw_phrase_title(const outputs_view *v, viz_canvas *canvas)
{
    const float *patches = outputs_patch_weights(v);
    const int columns = v->result.grid_w;
    viz_rect r = v->layout.title;
    char text[SAC_PHRASE_SIZE + 8], number[32];
    if (!patches)
        return;
    if (v->pointed >= 0 && !canvas->figure) {
        snprintf(text, sizeof text, "(%d, %d)  %s", v->pointed % columns, v->pointed / columns,
                 viz_number(patches[v->pointed], number, sizeof number));
        r.w -= 16 + viz_text(canvas, VIZ_MONO, VIZ_LABEL, r.x + fminf(r.w, v->layout.bar.w),
                             r.y + 14, VIZ_RIGHT, canvas->theme->text, text);
    }
    if (v->result.phrase_words && v->result.phrase_words[v->output].labels.count) {
        draw_words(canvas, &v->result.phrase_words[v->output], r);
        return;
    }
    snprintf(text, sizeof text, "“%s”", sac_result_share(&v->result, v->output));
    if (v->is_query)
        write_word(v, text, sizeof text);
    draw_text(canvas, VIZ_SANS, VIZ_BODY, r, canvas->theme->text, text);
}

/* ---------------------------------------------------------------- all of it */

static void draw_title(const outputs_view *v, viz_canvas *canvas)
{
    if (v->of_phrases)
        draw_phrase_title(v, canvas);
    else
        draw_object_title(v, canvas);
}

static void draw_picture(outputs_view *v, viz_canvas *canvas)
{
    viz_image_kept(canvas, &v->kept, v->base.source->picture.image, 0, v->layout.picture, true);
    if (v->of_phrases)
        draw_phrase_map(v, canvas);
    else
        draw_object_map(v, canvas);
}

void outputs_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    outputs_view *v = outputs_of(view);
    const viz_rect *note = &v->layout.note;
    lay(v, canvas, area);
    if (v->of_phrases || v->is_asked)
        draw_header(v, canvas);
    draw_title(v, canvas);
    draw_picture(v, canvas);
    draw_rows(v, canvas);
    viz_controls_draw(&v->controls, view, canvas);
    if (note->w > 0)
        viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, note->x, note->y + 12, note->w,
                           canvas->theme->text2, viz_word(note_of(v)));
}

/* Under a figure of phrases stands their list, of a query that of its words. */
static int figure_row_count(const outputs_view *v)
{
    const int count = !v->of_phrases ? 0 : v->is_query ? outputs_word_count(v) : outputs_count(v);
    return count < OUTPUTS_ROWS ? count : OUTPUTS_ROWS;
}

static float figure_extra_height(const outputs_view *v)
{
    float rows = LEAST_ROW * (float)figure_row_count(v);
    return 2 * VIZ_FIGURE_MARGIN + LINE + FIGURE_GAP + VIZ_BAR_NAMED_HEIGHT + rows;
}

float outputs_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const sac_image *image = view->source->picture.image;
    float w = width - 2 * VIZ_FIGURE_MARGIN;
    (void)canvas;
    return figure_extra_height(outputs_of(view)) +
           floorf(w * (float)image->height / (float)image->width);
}

/* The picture under its title; below it the bar, and the list where it belongs to the figure. */
void outputs_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    outputs_view *v = outputs_of(view);
    outputs_layout *l = &v->layout;
    float x = area.x + VIZ_FIGURE_MARGIN, w = area.w - 2 * VIZ_FIGURE_MARGIN;
    float y = area.y + VIZ_FIGURE_MARGIN;
    *l = (outputs_layout){.title = {x, y, w, LINE}};
    viz_controls_clear(&v->controls);
    l->picture =
        fit_picture(v, (viz_rect){x, y + LINE, w, fmaxf(area.h - figure_extra_height(v), 1)});
    l->picture.x += floorf((w - l->picture.w) / 2);
    l->title.x = l->picture.x;
    l->bar = (viz_rect){x, l->picture.y + l->picture.h + FIGURE_GAP, w, VIZ_BAR_NAMED_HEIGHT};
    for (; l->count < figure_row_count(v); l->count++)
        l->rows[l->count] =
            (viz_rect){x, l->bar.y + l->bar.h + LEAST_ROW * (float)l->count, w, LEAST_ROW - 4};
    draw_title(v, canvas);
    draw_picture(v, canvas);
    draw_rows(v, canvas);
}
