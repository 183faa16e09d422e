/* The training view: its curves and pictures, their tips, time and events, and its looks at the training. */
#include "training/training_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/text.h"
#include "parts/figures/frame.h"
#include "parts/figures/grid.h"
#include "parts/pages/paragraph.h"
#include "training/training_state.h"
#include "view/settings.h"
#include "view/words.h"

/* ---------------------------------------------------------------- drawing of the training view: the watched pictures under their heat, and the sentences */

/* A share that the colours reach at least: a map without focus looks faint from the first step on,
 * and grows brighter as it sharpens. In weights that all cells would have were they equal. */
#define SHARP 16.0f
#define LARGEST_CELL 40.0f /* of an alignment */

static void draw_text_line(viz_canvas *canvas, viz_rect r, float size, viz_color color,
                           const char *text)
{
    viz_text_within(canvas, VIZ_SANS, size, r.x, r.y + 1.02f * size, r.w + 1, VIZ_LEFT, color,
                    text);
}

/* ---------------------------------------------------------------- generated captions */

/* Generated words are bright, the current one has the accent colour, later ones are faint. */
static void draw_generated(const training_view *v, viz_canvas *canvas, int picture, int word)
{
    const viz_theme *theme = canvas->theme;
    const sac_result *caption = &v->state.picture[picture].caption;
    viz_rect r = v->words[picture].generated[word];
    float size = v->layout.text_size;
    bool wrong = v->picture[picture].wrong[word];
    viz_color color = word == v->player.step  ? theme->accent
                      : word > v->player.step ? theme->faint
                      : wrong                 ? theme->text2
                                              : theme->text;
    if (!(r.w > 0))
        return;
    draw_text_line(canvas, r, size, color, caption->outputs[word].text);
    if (wrong) {
        /* Through the middle of a word that is not true. */
        viz_fill(canvas, (viz_rect){r.x - 1, r.y + 0.7f * size, r.w + 2, 1}, color);
    }
}

/* Draws the alignment in place of a picture, where the model reads: the words of its sentence over
 * those of its source. */
static void draw_alignment(const training_view *v, viz_canvas *canvas, int picture,
                           const viz_heat_style *style)
{
    const sac_result *caption = &v->state.picture[picture].caption;
    const char *rows[SAC_MAX_TOKENS], *columns[SAC_MAX_TOKENS];
    viz_grid grid = {.values = caption->weights,
                     .rows = caption->count,
                     .columns = caption->grid_w < SAC_MAX_TOKENS ? caption->grid_w : 0,
                     .row_labels = rows,
                     .column_labels = columns,
                     .scale = style->scale,
                     .colors = style->map,
                     .row = training_word_of(v, picture),
                     .column = -1,
                     .hover_row = -1,
                     .hover_column = -1};
    viz_grid_layout layout;
    if (grid.rows < 1 || grid.columns < 1)
        return;
    for (int i = 0; i < grid.rows; i++)
        rows[i] = caption->outputs[i].text;
    for (int i = 0; i < grid.columns; i++)
        columns[i] = caption->positions[i];
    viz_grid_lay(&layout, canvas, &grid, v->layout.picture[picture], LARGEST_CELL);
    viz_grid_draw(&layout, canvas, &grid);
}

static void draw_picture(training_view *v, viz_canvas *canvas, int picture,
                         const viz_heat_style *style)
{
    viz_rect r = v->layout.picture[picture];
    training_picture *p = &v->picture[picture];
    const sac_image *image = &v->state.picture[picture].image;
    const viz_glide *g = &p->glide;
    v->words[picture] = (training_words){0};
    if (!(r.w > 0))
        return;
    if (image->rgba) { /* in its own proportions, above its words */
        const float scale = fminf(r.w / (float)image->width, r.h / (float)image->height);
        const float width = fminf(roundf(scale * (float)image->width), r.w),
                    height = fminf(roundf(scale * (float)image->height), r.h);
        r = (viz_rect){r.x, r.y + r.h - height, width, height};
    }
    if (image->rgba)
        viz_image_kept(canvas, &p->kept, image, p->stamp, r, true);
    if (v->state.picture[picture].caption.positions)
        draw_alignment(v, canvas, picture, style);
    else if (training_word_of(v, picture) >= 0 && g->grid_w > 0)
        viz_heat(canvas, &p->kept, r, g->now, g->grid_w, g->grid_h, style);
    const sac_result *caption = &v->state.picture[picture].caption;
    training_words *w = &v->words[picture];
    *w = viz_training_words(canvas, &v->layout, picture, caption, p->truth, p->truth_count);
    for (int i = 0; i < caption->count; i++)
        draw_generated(v, canvas, picture, i);
    if (w->dots.w > 0)
        draw_text_line(canvas, w->dots, v->layout.text_size, canvas->theme->faint, "…");
    /* Below a caption that is wrong the true one, what it missed underlined. */
    const viz_color color = canvas->theme->text2;
    float size = v->layout.truth_size;
    if (p->right && w->verdict.w > 0) {
        r = (viz_rect){w->verdict.x + 15, w->verdict.y, w->verdict.w - 15, w->verdict.h};
        float y = r.y + 0.62f * size - 4;
        viz_line(canvas, w->verdict.x, y + 4, w->verdict.x + 3, y + 7.5f, 1.5f, color);
        viz_line(canvas, w->verdict.x + 3, y + 7.5f, w->verdict.x + 9, y, 1.5f, color);
        draw_text_line(canvas, r, size, color, viz_word("right"));
        return;
    }
    for (int i = 0; i < p->truth_count; i++) {
        r = w->truth[i];
        if (!(r.w > 0))
            continue;
        draw_text_line(canvas, r, size, color, p->truth[i]);
        if (caption->count > 0 && p->missed[i])
            viz_fill(canvas, (viz_rect){r.x, r.y + ceilf(1.2f * size), r.w, 1},
                     canvas->theme->faint);
    }
}

/* What the model writes, as many lines as there is room for. */
static void draw_sample(const training_view *v, viz_canvas *canvas)
{
    const viz_rect r = v->layout.sample;
    const float size = r.h < 260 ? VIZ_BODY : r.h < 520 ? 16 : 18;
    if (!(r.w > 0))
        return;
    /* Of a step that is held its own. */
    const bool held = v->heads.at && v->heads.step[MAP_A];
    char text[sizeof v->state.sample], *rest = NULL;
    if (held)
        snprintf(text, sizeof text, viz_word("what it wrote by step %zu, after the text it learns"),
                 v->heads.step[MAP_A]);
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, r.x, r.y + 12, r.w, VIZ_LEFT, canvas->theme->text2,
                    held ? text : viz_word("what it writes now, after the text it learns"));
    viz_clip(canvas, (viz_rect){r.x, r.y + 22, r.w, r.h - 22});
    float y = r.y + 24 + 1.1f * size;
    memcpy(text, held ? v->heads.sample : v->state.sample, sizeof text);
    if (!text[0] && v->state.step > 0) /* it comes when the curve moves already */
        viz_text(canvas, VIZ_SANS, size, r.x, y, VIZ_LEFT, canvas->theme->faint, "…");
    for (char *line = strtok_r(text, "\n", &rest); line && y + 3 < r.y + r.h;
         line = strtok_r(NULL, "\n", &rest)) {
        viz_paragraph_draw(canvas, VIZ_SANS, size, r.x, y, r.w, canvas->theme->text, line);
        y += viz_paragraph_height(canvas, VIZ_SANS, size, r.w, line) + 2;
    }
    viz_clip_none(canvas);
}

/* ---------------------------------------------------------------- figures */

/* A label and a number, in the order in which they are read. */
static void draw_labelled_number(viz_canvas *canvas, viz_rect r, const char *before,
                                 const char *number, const char *after)
{
    float x = r.x, y = r.y + r.h / 2 + 4.5f;
    if (!(r.w > 0))
        return;
    if (before[0])
        x += viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2,
                      viz_word(before)) +
             6;
    x += viz_text(canvas, VIZ_MONO, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text, number) + 6;
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, y, VIZ_LEFT, canvas->theme->text2, viz_word(after));
}

static void draw_progress_numbers(const training_view *v, viz_canvas *canvas)
{
    const sac_training_snapshot *s = &v->state;
    const training_layout *l = &v->layout;
    char step[48], speed[32], time[32];
    snprintf(step, sizeof step, viz_word("%zu of %zu"), s->step, s->steps);
    snprintf(speed, sizeof speed, "%.0f", s->samples_per_second);
    /* "41 s", "12 min", "1 h 05 min" */
    double seconds = v->ended ? s->seconds : s->seconds_left;
    size_t size = sizeof time;
    int minutes = (int)(fmin(fmax(seconds, 0), 3e8) / 60 + 0.5); /* of NaN 0 */
    if (!isfinite(seconds))
        snprintf(time, size, "–");
    else if (seconds < 100)
        snprintf(time, size, "%.0f s", fmax(seconds, 0));
    else if (minutes < 100)
        snprintf(time, size, viz_word("%d min"), minutes);
    else
        snprintf(time, size, viz_word("%d h %02d min"), minutes / 60, minutes % 60);
    viz_fill(canvas, l->rule, canvas->theme->line);
    if (s->step == 0)
        return;
    viz_rect r = v->layout.track;
    float y = r.y + r.h / 2, done = s->steps ? (float)s->step / (float)s->steps : 0;
    viz_fill_round(canvas, (viz_rect){r.x, y - 2, r.w, 4}, 2, canvas->theme->line);
    if (done > 0)
        viz_fill_round(canvas, (viz_rect){r.x, y - 2, fmaxf(fminf(done, 1) * r.w, 4), 4}, 2,
                       canvas->theme->accent);
    draw_labelled_number(canvas, l->figure[FIGURE_STEP], "step", step, "");
    draw_labelled_number(canvas, l->figure[FIGURE_SPEED], "", speed, "samples/s");
    draw_labelled_number(canvas, l->figure[FIGURE_TIME], v->ended ? "took" : "", time,
                         v->ended ? "" : "left");
}

/* ---------------------------------------------------------------- steering */

static const char *const chips_running[] = {N_("pause"), N_("save the weights now"), N_("stop")};
static const char *const chips_resting[] = {N_("go on"), N_("save the weights now"), N_("stop")};
/* The first ones are what the weights are for, where they are there. */
static const char *const chips_ended[] = {
    [SAC_TRAINING_USES] = N_("train on"), N_("show the file"), N_("train another")};
enum { CHIP_USE = 0, CHIP_MORE = SAC_TRAINING_USES, CHIP_FILE, CHIP_ANOTHER, CHIPS_RUNNING = 3 };

static bool is_steered(const training_view *v)
{
    return v->source->trainer.progress != NULL;
}

static int count_uses(const training_view *v)
{
    int count = 0;
    while (count < SAC_TRAINING_USES && v->steering.seen.use[count])
        count++;
    return count;
}

/* What a chip of an ended training is; without weights there is the last one alone. */
static int ended_chip(const training_view *v, int chip)
{
    const int uses = count_uses(v);
    return !uses ? CHIP_ANOTHER : chip < uses ? chip : chip - uses + CHIP_MORE;
}

/* Draws a text in at most so many lines of `width`; returns how many it took. */
static int draw_lines(viz_canvas *canvas, float x, float y, float width, int most, viz_color color,
                      const char *text)
{
    int lines = viz_paragraph_lines(canvas, VIZ_SANS, VIZ_LABEL, width, text);
    if (most < 1)
        return 0;
    if (lines > most || lines == 1) {
        viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, x, y, width, VIZ_LEFT, color, text);
        return 1;
    }
    viz_paragraph_draw(canvas, VIZ_SANS, VIZ_LABEL, x, y, width, color, text);
    return lines;
}

/* Chips, what happened last, and what a person should know of what it learns from. Returns the height. */
static float draw_steering(training_view *v, viz_canvas *canvas, viz_rect area)
{
    const viz_theme *theme = canvas->theme;
    training_steering *s = &v->steering;
    const sac_training_progress *p = &s->seen;
    const bool ended = p->state == SAC_TRAINING_ENDED;
    const float x = area.x + VIZ_MARGIN, width = area.w - 2 * VIZ_MARGIN,
                leading = VIZ_LEADING * VIZ_LABEL;
    const char *names[TRAINING_CHIPS];
    char text[1400], *rest = NULL;
    const int uses = count_uses(v), left = area.h < 420 ? 2 : area.h < 560 ? 3 : 6;
    int count = !ended ? CHIPS_RUNNING : uses ? uses + TRAINING_CHIPS - SAC_TRAINING_USES : 1;
    for (int i = 0; i < count; i++)
        names[i] = !ended ? (p->state == SAC_TRAINING_RESTS ? chips_resting : chips_running)[i]
                   : ended_chip(v, i) < CHIP_MORE ? p->use[i]
                                                  : chips_ended[ended_chip(v, i)];
    s->chips = viz_chips_layout(canvas, x, area.y + 12, width, names, count);
    viz_chips_draw(canvas, &s->chips, ended && uses ? CHIP_USE : -1);
    float y = s->chips.rect.y + s->chips.rect.h + 6 + VIZ_LABEL;
    snprintf(text, sizeof text, viz_word("the weights go to %s"), p->out);
    int lines = draw_lines(canvas, x, y, width, left, s->problem[0] ? theme->accent : theme->text,
                           s->problem[0]   ? s->problem
                           : p->message[0] ? p->message
                                           : text);
    char notes[sizeof p->notes];
    memcpy(notes, p->notes, sizeof notes);
    for (char *note = strtok_r(notes, "\n", &rest); note; note = strtok_r(NULL, "\n", &rest))
        lines += draw_lines(canvas, x, y + leading * (float)lines, width, left - lines,
                            theme->text2, note);
    return y + leading * (float)lines - area.y - VIZ_LABEL + 2;
}

static void press_ended_chip(training_view *v, int chip)
{
    sac_trainer_source *trainer = &v->source->trainer;
    v->steering.problem[0] = '\0';
    if (chip == CHIP_FILE) {
        v->steering.shows = true;
    } else {
        trainer->next = chip < CHIP_MORE ? SAC_NEXT_USE : SAC_NEXT_MORE;
        trainer->use = chip < CHIP_MORE ? chip : 0;
        v->steering.opens = true;
    }
}

/* A chip under the pointer; that of another training opens a place (training_add_spots). */
static bool press_steering(training_view *v, float x, float y)
{
    static const sac_training_order orders[CHIPS_RUNNING] = {SAC_TRAINING_PAUSE, SAC_TRAINING_SAVE,
                                                             SAC_TRAINING_STOP};
    training_steering *s = &v->steering;
    const int chip = is_steered(v) ? viz_choices_hit(&s->chips, x, y) : -1;
    const bool rests = s->seen.state == SAC_TRAINING_RESTS;
    if (chip < 0)
        return false;
    if (s->seen.state == SAC_TRAINING_ENDED)
        press_ended_chip(v, ended_chip(v, chip));
    else
        v->source->trainer.order(v->source->self,
                                 chip == 0 && rests ? SAC_TRAINING_GO_ON : orders[chip]);
    s->seen_at = 0;
    return true;
}

static bool has_weights(const viz_view *view)
{
    const training_view *v = (const training_view *)view;
    return is_steered(v) && v->steering.seen.use[0];
}

static bool press_use(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    if (!has_weights(view))
        return false;
    press_ended_chip(training_of(view), CHIP_USE);
    return true;
}

static void add_steering_spots(const training_view *v, viz_spots *spots)
{
    static const char *const running[CHIPS_RUNNING] = {
        "Rest between two steps, or go on.", "Write the weights as they are now.",
        "Stop, with the weights and a checkpoint to go on from."};
    static const char *const ended[TRAINING_CHIPS] = {
        "See what the weights do with a picture, or a sentence (Return).",
        "See where the heads of these weights look, over the beginning of their text.",
        "As many steps more, from these weights on.", "The file of the weights, in its folder.",
        "Back to what can be trained."};
    const viz_choices *chips = &v->steering.chips;
    const bool has_ended = v->steering.seen.state == SAC_TRAINING_ENDED;
    if (!is_steered(v))
        return;
    for (int i = 0; i < chips->count; i++) {
        const char *tip = has_ended ? ended[ended_chip(v, i)] : running[i];
        if (has_ended && ended_chip(v, i) == CHIP_ANOTHER)
            viz_spots_add_place(spots, chips->items[i], v->base.class->within, tip);
        else
            viz_spots_add(spots, chips->items[i], VIZ_SPOT_PRESSES, tip);
    }
}

static bool look_at_steering(training_view *v, double now)
{
    training_steering *s = &v->steering;
    const sac_training_progress before = s->seen;
    if (!is_steered(v) || (s->seen_at > 0 && now - s->seen_at < TRAINING_LOOK_SECONDS))
        return false;
    s->seen_at = now;
    v->source->trainer.progress(v->source->self, &s->seen);
    return before.state != s->seen.state || strcmp(before.message, s->seen.message) != 0 ||
           strcmp(before.notes, s->seen.notes) != 0;
}

/* For the window. */

static int take_what_opens(viz_view *view)
{
    training_steering *s = &training_of(view)->steering;
    const bool opens = s->opens;
    s->opens = false;
    return opens ? 0 : -1;
}

static void show_refusal(viz_view *view, const char *why)
{
    training_steering *s = &training_of(view)->steering;
    snprintf(s->problem, sizeof s->problem, "%.500s", why);
}

static bool take_shown_file(viz_view *view, viz_pick *pick)
{
    training_steering *s = &training_of(view)->steering;
    const bool shows = s->shows;
    s->shows = false;
    *pick = (viz_pick){.from = s->seen.out};
    return shows;
}

/* ---------------------------------------------------------------- the whole */

static void draw_bar(const training_view *v, viz_canvas *canvas, const viz_heat_style *style)
{
    const sac_result *caption = &v->state.picture[0].caption;
    static const char name[] = "attention: shared scale, square root";
    float uniform = 1.0f / (float)(caption->grid_w * caption->grid_h);
    if (!(v->layout.bar.w > 0 && v->state.pictures > 0 && caption->count > 0))
        return;
    if (caption->positions) /* maps of words, which no picture lies under */
        viz_bar_draw(canvas, v->layout.bar, viz_map_colors(canvas->theme, style->map),
                     &style->scale, uniform, name);
    else
        viz_heat_bar_draw(canvas, v->layout.bar, style, uniform, name);
}

/* What the view shows, for its layout. */
static training_content describe_content(const training_view *v)
{
    training_content content = {.pictures = v->state.pictures,
                                .writes = v->state.writes,
                                .layers = training_has_heads(v) ? v->state.heads.layers : 0,
                                .heads = v->state.heads.heads,
                                .compares = training_compares(v),
                                .steps = v->state.steps,
                                .playing = v->state.writes ? !v->heads.at : v->player.playing};
    for (int i = 0; i < content.pictures; i++) {
        const sac_image *image = &v->state.picture[i].image;
        const float height = image->rgba ? (float)image->height / (float)image->width : 1;
        content.truth[i] = v->state.picture[i].truth;
        content.height = fminf(fmaxf(content.height, height), 1);
    }
    return content;
}

static void training_draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    training_view *v = training_of(view);
    const training_content content = describe_content(v);
    if (is_steered(v)) {
        const float height = draw_steering(v, canvas, area);
        area.y += height;
        area.h -= height;
    }
    v->layout = viz_training_layout(canvas, area, &content);
    viz_heat_style style = v->style;
    float most = 0;
    for (int i = 0; i < v->state.pictures; i++) {
        const sac_result *c = &v->state.picture[i].caption;
        float cells = (float)(c->grid_w * c->grid_h);
        if (c->count > 0)
            most = fmaxf(most, fmaxf(c->max_weight, fminf(SHARP / cells, 1)));
    }
    style.scale = viz_scale_for(VIZ_ROOT, most);
    for (int i = 0; i < content.pictures; i++)
        draw_picture(v, canvas, i, &style);
    draw_sample(v, canvas);
    training_draw_heads(v, canvas);
    training_draw_curves(v, canvas);
    draw_bar(v, canvas, &style);
    draw_progress_numbers(v, canvas);
    viz_caps_draw(canvas, &v->layout.caps);
    /* Draws the problem over the upper edge of the first picture, or below the name of the sample. */
    const char *text = v->request.problem[0] ? v->request.problem
                       : v->state.step > 0   ? NULL
                       : v->ended            ? "the training ended before its first step"
                                             : viz_word("waiting for the first step");
    const viz_rect *sample = &v->layout.sample;
    if (text && area.w > 2 * VIZ_MARGIN && area.h > 120)
        viz_note_draw(canvas, area.x + VIZ_MARGIN + VIZ_GAP,
                      (sample->w > 0 ? sample->y + 24 : area.y + 12) + VIZ_GAP,
                      area.w - 2 * VIZ_MARGIN - 2 * VIZ_GAP, text);
}

static float training_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    const training_content content = describe_content(training_of(view));
    (void)canvas;
    return viz_training_curves_height(width, &content);
}

static void training_draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    training_view *v = training_of(view);
    const training_content content = describe_content(v);
    v->layout = viz_training_curves_layout(area, &content);
    training_draw_curves(v, canvas);
    for (int i = 0; i < 2; i++)
        if (v->layout.steps[i].w > 0)
            viz_axis_name_draw(canvas, v->layout.steps[i], v->layout.steps[i].y + 28, "step");
}

/* ---------------------------------------------------------------- the spots of the training view that answer the pointer, each with its sentence */

static const char *const figure_tips[FIGURE_COUNT] = {
    [FIGURE_STEP] = "Steps done of those asked for; a step is one batch.",
    [FIGURE_SPEED] = "What it learns from in a second: pictures with captions, pairs of sentences, "
                     "or pieces of a text.",
    [FIGURE_TIME] = "How long it will take at this speed, or took.",
};

static void training_add_spots(const viz_view *view, viz_spots *spots)
{
    const training_view *v = (const training_view *)view;
    const training_layout *l = &v->layout;
    for (int i = 0; i < v->state.pictures; i++) {
        const training_words *w = &v->words[i];
        viz_spots_add(spots, v->layout.picture[i], VIZ_SPOT_READOUT,
                      "A picture that the captioner never learns from, under the attention of its "
                      "current word.");
        for (int k = 0; k < SAC_MAX_TOKENS; k++) {
            const bool several = v->state.picture[i].is_one_of_several;
            viz_spots_add(spots, w->truth[k], VIZ_SPOT_READOUT,
                          several ? "One of the captions that people wrote."
                                  : "The true caption; underlined is what was not generated.");
            if (k < v->state.picture[i].caption.count)
                viz_spots_add(spots, w->generated[k], VIZ_SPOT_PRESSES,
                              several ? "Hold this word; struck out, no person's caption has it."
                                      : "Hold this word; struck out, it is not in the truth.");
        }
        viz_spots_add(spots, w->verdict, VIZ_SPOT_READOUT, "Every word is that of the truth.");
    }
    viz_spots_add(
        spots, l->loss.plot, VIZ_SPOT_AREA,
        v->state.writes ? "The loss: minus the logarithm of the true token's probability, on "
                          "average; with dots "
                          "that of the last tenth of the text, which is not learnt from."
        : v->state.reward[0]
            ? "CIDEr-D × 100 of captions that the model draws (bright), of what they are "
              "compared with, and how many of 100 differ (faint)."
            : "The loss: minus the logarithm of the true word's probability, on average.");
    viz_spots_add(
        spots, l->exact.plot, VIZ_SPOT_AREA,
        v->state.figure
            ? "How like people's captions the generated ones are, on pictures not learned from."
            : "The share of captions whose every word is right, on pictures not learned from.");
    viz_spots_add(spots, l->sample, VIZ_SPOT_READOUT,
                  "Each letter, or word, is drawn by what the model gives it; the same seed each "
                  "time.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READOUT,
                  "What the colours mean; 1/N is the weight that every cell would have, were all "
                  "equal.");
    training_heads_spots(v, spots);
    add_steering_spots(v, spots);
    viz_spots_add(spots, l->track, VIZ_SPOT_READOUT, "How far the training is.");
    for (int i = 0; i < FIGURE_COUNT; i++)
        viz_spots_add(spots, l->figure[i], VIZ_SPOT_READOUT, figure_tips[i]);
    viz_spots_add_caps(spots, &l->caps);
}

void training_compare_with_truth(training_picture *p, const char *truth, const sac_result *caption)
{
    /* shared[i][k]: words in the longest common subsequence of the generated caption from word i on
     * and the ground truth from word k on. */
    int shared[SAC_MAX_TOKENS + 1][SAC_TRUE_WORDS + 1], i, k;
    char *rest = NULL;
    snprintf(p->text, sizeof p->text, "%s", truth);
    p->truth_count = 0;
    for (char *t = strtok_r(p->text, " ", &rest); t && p->truth_count < SAC_TRUE_WORDS;
         t = strtok_r(NULL, " ", &rest))
        p->truth[p->truth_count++] = t;
    for (i = caption->count; i >= 0; i--)
        for (k = p->truth_count; k >= 0; k--) {
            int best = 0;
            if (i < caption->count && k < p->truth_count) {
                bool same = strcmp(caption->outputs[i].text, p->truth[k]) == 0;
                int skipped =
                    shared[i + 1][k] > shared[i][k + 1] ? shared[i + 1][k] : shared[i][k + 1];
                best = same ? shared[i + 1][k + 1] + 1 : skipped;
            }
            shared[i][k] = best;
        }
    for (int n = 0; n < SAC_MAX_TOKENS; n++)
        p->wrong[n] = p->missed[n] = true;
    i = k = 0;
    while (i < caption->count && k < p->truth_count) {
        if (strcmp(caption->outputs[i].text, p->truth[k]) == 0)
            p->wrong[i++] = p->missed[k++] = false;
        else if (shared[i + 1][k] >= shared[i][k + 1])
            i++;
        else
            k++;
    }
    p->right =
        caption->finished && caption->count == p->truth_count && shared[0][0] == p->truth_count;
}

void training_compare_with_references(training_picture *p, const bool *has_word, int count)
{
    memset(p->missed, 0, sizeof p->missed);
    for (int i = 0; i < count; i++)
        p->wrong[i] = !has_word[i];
}

/* ---------------------------------------------------------------- time in the training view, and what keys and pointer do to it */

static int training_longest_caption(const training_view *v)
{
    int most = 0;
    for (int i = 0; i < v->state.pictures; i++)
        if (v->state.picture[i].caption.count > most)
            most = v->state.picture[i].caption.count;
    return most;
}

static void training_start_glide(training_view *v, int picture)
{
    const viz_player *p = &v->player;
    viz_glide_to(&v->picture[picture].glide, &v->state.picture[picture].caption,
                 training_word_of(v, picture), p->now, !p->has_clock || p->exporting);
}

/* Captions that are over keep their last word. */
static void glide_from(training_view *v, int before)
{
    for (int i = 0; i < v->state.pictures; i++)
        if (before < v->state.picture[i].caption.count ||
            v->player.step < v->state.picture[i].caption.count)
            training_start_glide(v, i);
}

/* True where it was another word. */
static bool go_to_word(training_view *v, int word)
{
    int before = v->player.step;
    bool moved = viz_player_go(&v->player, training_longest_caption(v), word);
    if (moved)
        glide_from(v, before);
    return moved;
}

/* ---------------------------------------------------------------- the clock of a window */

static bool training_tick(viz_view *view, double now)
{
    training_view *v = training_of(view);
    viz_player *p = &v->player;
    bool first = !p->has_clock, moves = false;
    if (viz_player_set_time(p, now)) {
        /* In a window words appear one by one; a still shows the whole caption. */
        if (first)
            go_to_word(v, 0);
        for (int i = 0; i < TRAINING_PICTURES; i++)
            v->picture[i].glide.start = v->player.now - VIZ_GLIDE_SECONDS;
    }
    int before = p->step;
    bool stepped = viz_player_advance(p, training_longest_caption(v));
    if (stepped)
        glide_from(v, before);
    for (int i = 0; i < v->state.pictures; i++)
        moves |= viz_glide_step(&v->picture[i].glide, now, viz_player_glide_seconds(p));
    moves |= look_at_steering(v, now);
    return moves || stepped || viz_player_is_near_step(p);
}

/* ---------------------------------------------------------------- the story, for export */

static int training_frames(const viz_view *view, int fps)
{
    const training_view *v = (const training_view *)view;
    int words = training_longest_caption(v);
    if (training_has_heads(v))
        return (int)ceil(fps * (TRAINING_STORY_SECONDS + TRAINING_REST_SECONDS));
    return words > 0 ? viz_player_frames(&v->player, words, fps) : 1;
}

/* A person's pause is shown, and stays as it is. */
static void training_frame(viz_view *view, int index, int fps)
{
    training_view *v = training_of(view);
    viz_player *p = &v->player;
    bool playing = p->playing;
    if (training_has_heads(v))
        v->heads.at = training_step_of_story(v, index / (fps * TRAINING_STORY_SECONDS));
    if (training_longest_caption(v) == 0)
        return;
    viz_player_set_frame(p, training_longest_caption(v), index, fps);
    p->playing = playing;
    for (int i = 0; i < v->state.pictures; i++) {
        viz_glide *g = &v->picture[i].glide;
        viz_glide_from_word(g, &v->state.picture[i].caption, (int)p->step_from, p->step,
                            p->step_since);
        viz_glide_step(g, p->now, viz_player_glide_seconds(p));
    }
}

/* ---------------------------------------------------------------- events */

static bool has_words(const viz_view *view)
{
    return !((const training_view *)view)->state.writes;
}

/* Under whose words' heat it lies: not the alignment of a model that reads, nor a text. */
static bool has_picture(const viz_view *view)
{
    return ((const training_view *)view)->state.picture[0].image.rgba;
}

static bool has_heads(const viz_view *view)
{
    return training_has_heads((const training_view *)view);
}

static bool press_heads_key(viz_view *view, viz_pressed pressed)
{
    return training_press_heads_key(training_of(view), pressed.key, pressed.step);
}

static bool press_player_key(viz_view *view, viz_pressed pressed)
{
    training_view *v = training_of(view);
    if (v->state.writes) /* the same keys, by other rows */
        return press_heads_key(view, pressed);
    int before = v->player.step;
    bool changed = viz_player_press(&v->player, training_longest_caption(v), pressed.key, NULL, 0);
    if (v->player.step != before)
        glide_from(v, before);
    return changed;
}

static bool training_key_compares(const viz_view *view)
{
    return training_compares((const training_view *)view);
}

/* What closing the window means to it: of a command it goes on, and one that was begun in the window stops. */
static bool is_going_on(const training_view *v)
{
    return is_steered(v) ? v->steering.seen.state != SAC_TRAINING_ENDED : !v->ended;
}

static bool outlives_window(const viz_view *view)
{
    const training_view *v = (const training_view *)view;
    return is_going_on(v) && (!is_steered(v) || v->steering.seen.outlives);
}

static bool stops_with_window(const viz_view *view)
{
    return is_going_on((const training_view *)view) && !outlives_window(view);
}

static const viz_key_row training_keys[] = {
    {"space", "hold the words, or go on", press_player_key, .acts = has_words},
    {"←  →", "the word before, the next", press_player_key, .acts = has_words},
    {"Home  End", "the first word, the last", press_player_key, .acts = has_words},
    {"click", "hold a word", .acts = has_words},
    {"space", "hold this step, or go on", press_heads_key, .acts = has_heads},
    {"←  →", "heads at the step before, the next", press_heads_key, .acts = has_heads},
    {"Home  End", "the first step, the newest", press_heads_key, .acts = has_heads},
    {"N  P", "the next head, the one before", press_heads_key, .acts = has_heads},
    {"↑  ↓", "the head of the layer above, below", press_heads_key, .acts = has_heads},
    {"C", "compare two steps: A, B and A − B, or not", press_heads_key, .acts = has_heads},
    {",  .", "step B: earlier, later", press_heads_key, .acts = training_key_compares},
    {"Esc", "one step, the newest, the best head", press_heads_key, .acts = has_heads},
    {"click", "choose a head, a step", .acts = has_heads},
    {"Return", "see what was trained at work", press_use, .acts = has_weights},
    {"O", "light, heat or contour", .setting = "overlay", .acts = has_picture},
    {"[  ]", "less, more of that", viz_press_change_strength, .acts = has_picture},
    {"M", "the next colour map", .setting = "map", .what = VIZ_DIVERGING},
    {"B", "blocky or smooth", .setting = "cells drawn", .acts = has_picture},
    {"Q", "close: the training goes on", .acts = outlives_window},
    {"Q", "close: it stops; its weights and a checkpoint are kept", .acts = stops_with_window},
    {NULL, NULL},
};

static bool training_event(viz_view *view, const viz_event *event)
{
    training_view *v = training_of(view);
    bool was;
    switch (event->kind) {
    case VIZ_MOVE:
    case VIZ_LEAVE:
        was = v->pointed;
        v->pointer_x = event->x;
        v->pointer_y = event->y;
        v->pointed =
            event->kind == VIZ_MOVE && (viz_inside(v->layout.loss.plot, event->x, event->y) ||
                                        viz_inside(v->layout.exact.plot, event->x, event->y) ||
                                        viz_inside(v->layout.scores.plot, event->x, event->y));
        return was || v->pointed || training_has_heads(v);
    case VIZ_PRESS:
        /* A word that is pressed is held. */
        if (training_heads_event(v, event))
            return true;
        if (event->button != 1)
            return false;
        if (press_steering(v, event->x, event->y))
            return true;
        for (int i = 0; i < v->state.pictures; i++)
            for (int k = 0; k < v->state.picture[i].caption.count; k++)
                if (viz_inside(v->words[i].generated[k], event->x, event->y)) {
                    was = v->player.playing;
                    v->player.playing = false;
                    return go_to_word(v, k) || was;
                }
        return false;
    case VIZ_KEY:
        return viz_keys_press(training_keys, view, event);
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- the training view's table, its looks at the training, and what they change */

/* One look. */
typedef struct training_job {
    viz_job base;
    size_t step; /* the most recent one; none is as large as the first one's */
    sac_training_snapshot state;
    bool changed, ended;
    bool wants_heads, has_heads; /* and what is to be fetched of them, and was */
    size_t heads_step;           /* A, as it is there */
    training_heads_work heads;
} training_job;

/* ---------------------------------------------------------------- jobs */

/* Headless there is one look; a window looks again and again until the training has ended. */
static viz_job *training_create_job(viz_view *view)
{
    training_view *v = training_of(view);
    bool due =
        v->player.has_clock && !v->ended && v->player.now - v->looked_at >= TRAINING_LOOK_SECONDS;
    const bool wants_heads = training_wants_heads(v);
    const bool failed = v->request.problem[0]; /* it is tried again, but not at once */
    if (v->request.out || (v->looked && !due && (!wants_heads || failed)))
        return NULL;
    training_job *job = viz_job_create(&viz_training_class, sizeof *job);
    if (!job)
        return NULL;
    job->wants_heads = wants_heads;
    job->heads_step = v->heads.step[MAP_A];
    job->heads.at = v->heads.at;
    job->heads.beside = v->heads.beside;
    job->step = v->looked ? v->state.step : SIZE_MAX;
    return viz_request_submit(&v->request, &job->base, 0);
}

/* The end is requested first: if the training has ended, the snapshot taken after it is the last.
 */
static sac_status training_run_job(viz_view *view, viz_job *base, sac_error *error)
{
    training_job *job = viz_job_of(base, &viz_training_class);
    sac_source *source = training_of(view)->source;
    job->ended = source->training.ended(source->self);
    sac_status status =
        source->training.look(source->self, job->step, &job->state, &job->changed, error);
    const sac_training_heads *h = &job->state.heads;
    const bool is_newer = status == SAC_OK && job->changed && h->points && h->kept[h->points - 1] &&
                          !job->heads.at && h->at[h->points - 1] > job->heads_step;
    if (status != SAC_OK || !(job->wants_heads || is_newer))
        return status;
    job->has_heads = true;
    return training_fetch_heads(source, &job->heads, error);
}

static bool same_caption(const sac_result *a, const sac_result *b)
{
    size_t cells = (size_t)a->grid_w * (size_t)a->grid_h;
    return a->count == b->count && a->grid_w == b->grid_w && a->grid_h == b->grid_h &&
           memcmp(a->outputs, b->outputs, sizeof a->outputs) == 0 &&
           (a->count == 0 ||
            memcmp(a->weights, b->weights, (size_t)a->count * cells * sizeof *a->weights) == 0);
}

static void training_finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    training_view *v = training_of(view);
    training_job *job = viz_job_of(base, &viz_training_class);
    bool worked = viz_request_take(&v->request, error);
    v->looked = true;
    v->looked_at = v->player.now;
    if (worked)
        v->ended = job->ended;
    if (worked && job->changed) {
        /* Starts the movement of the heat from the previous caption to the new one. */
        sac_training_snapshot before = v->state;
        v->state = job->state;
        job->state = before;
        if (v->state.pictures > TRAINING_PICTURES)
            v->state.pictures = TRAINING_PICTURES;
        int longest = training_longest_caption(v);
        if (!v->player.has_clock && !v->held)
            v->player.step = longest > 0 ? longest - 1 : 0;
        for (int i = 0; i < v->state.pictures; i++) {
            training_picture *p = &v->picture[i];
            p->stamp += !(before.picture[i].image.width == v->state.picture[i].image.width &&
                          before.picture[i].image.height == v->state.picture[i].image.height &&
                          before.picture[i].image.rgba && v->state.picture[i].image.rgba &&
                          memcmp(before.picture[i].image.rgba, v->state.picture[i].image.rgba,
                                 4 * (size_t)before.picture[i].image.width *
                                     (size_t)before.picture[i].image.height) == 0);
            if (!same_caption(&before.picture[i].caption, &v->state.picture[i].caption))
                training_start_glide(v, i);
            training_compare_with_truth(p, v->state.picture[i].truth, &v->state.picture[i].caption);
            if (v->state.picture[i].is_one_of_several)
                training_compare_with_references(p, v->state.picture[i].has_word,
                                                 v->state.picture[i].caption.count);
        }
    }
    if (worked && job->has_heads)
        training_take_heads(v, &job->heads);
    training_heads_free(&job->heads.got);
    sac_training_snapshot_free(&job->state);
    free(job);
}

/* ---------------------------------------------------------------- origin */

static void save_steps(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    viz_put_whole(put, user, s->name,
                  (long long)(!strcmp(s->name, "step") ? state->step : state->steps));
}

static void save_loss(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    if (state->points > 0 && !state->reward[0])
        viz_put_real(put, user, s->name, (double)state->loss[state->points - 1]);
}

static void save_reward(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_training_snapshot *state = &((const training_view *)view)->state;
    const int k = !strcmp(s->name, "reward") ? 0 : !strcmp(s->name, "baseline") ? 1 : 2;
    if (state->points > 0 && state->reward[k])
        viz_put_real(put, user, s->name, (double)state->reward[k][state->points - 1]);
}

static void save_exact(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    size_t measured;
    float exact = training_last_exact(&((const training_view *)view)->state, &measured);
    const char *figure = ((const training_view *)view)->state.figure;
    if (isfinite(exact))
        viz_put_real(put, user, figure ? figure : s->name, (double)exact);
}

static void set_word(viz_view *view, const viz_setting *s, double word)
{
    training_view *v = training_of(view);
    (void)s;
    v->player.step = (int)word;
    v->held = true;
    for (int i = 0; i < v->state.pictures; i++)
        training_start_glide(v, i);
}

#define IN(member) offsetof(training_view, member)

static const viz_setting training_settings[] = {
    VIZ_SOURCE_TEXT("device", origin.device),
    VIZ_VERSION_SETTING,
    {"step", .save = save_steps},
    {"steps", .save = save_steps},
    {"loss", .save = save_loss},
    {"reward", .save = save_reward},
    {"baseline", .save = save_reward},
    {"different", .save = save_reward},
    {"exact", .save = save_exact},
    {"word", VIZ_WHOLE, IN(player.step), 0, SAC_MAX_TOKENS - 1, .moves = true, .set = set_word},
    {"shown step", VIZ_WHOLE, IN(heads.at), 0, 1e9, .moves = true, .only = has_heads},
    {"compared step", VIZ_WHOLE, IN(heads.beside), 0, 1e9, .moves = true, .only = has_heads},
    {"chosen head", VIZ_WHOLE, IN(heads.chosen), -1, 1e6, .moves = true, .only = has_heads},
    {"playing", VIZ_SWITCH, IN(player.playing), VIZ_NAMES(viz_no_yes), .moves = true},
    VIZ_STYLE_SETTINGS(IN, style),
    {0},
};

/* ---------------------------------------------------------------- the table */

static void training_status(const viz_view *view, char *text, size_t size)
{
    const training_view *v = (const training_view *)view;
    const sac_training_snapshot *s = &v->state;
    const char *model = viz_word(v->source->title);
    const char *between = v->source->origin.device[0] ? "  ·  " : "",
               *device = v->source->origin.device;
    if (!v->ended)
        snprintf(text, size, viz_word("training the %s%s%s"), model, between, device);
    else if (s->step == s->steps)
        snprintf(text, size, viz_word("the %s is trained%s%s"), model, between, device);
    else
        snprintf(text, size, viz_word("the training was stopped%s%s"), between, device);
}

static void training_destroy(viz_view *view)
{
    training_view *v = training_of(view);
    for (int i = 0; i < TRAINING_PICTURES; i++) {
        viz_glide_free(&v->picture[i].glide);
        viz_scaled_free(&v->picture[i].kept);
    }
    sac_training_snapshot_free(&v->state);
    training_heads_free(&v->heads);
    free(v);
}

static bool training_accepts(const sac_source *source)
{
    return source->training.look;
}

const viz_view_class viz_training_class = {
    .name = "training",
    .tab = "Training",
    .within = "train",
    .is_live = true,
    .accepts = training_accepts,
    .create = viz_training_view_create,
    .draw = training_draw,
    .figure = training_draw_figure,
    .figure_height = training_figure_height,
    .event = training_event,
    .tick = training_tick,
    .create_job = training_create_job,
    .run_job = training_run_job,
    .finish_job = training_finish_job,
    .choose = take_what_opens,
    .refused = show_refusal,
    .picks = take_shown_file,
    .status = training_status,
    .settings = {training_settings},
    .keys = training_keys,
    .spots = training_add_spots,
    .about = "The training: what the model generates now, and how it learns.",
    .frames = training_frames,
    .frame = training_frame,
    .destroy = training_destroy,
};

sac_status viz_training_view_create(sac_source *source, viz_view *beside, viz_view **view,
                                    sac_error *error)
{
    training_view *v = calloc(1, sizeof *v);
    *view = NULL;
    (void)beside;
    if (!v)
        return sac_no_memory(error, "training view");
    v->base.class = &viz_training_class;
    v->base.source = source;
    v->source = source;
    v->player = (viz_player){.step_seconds = TRAINING_WORD_SECONDS,
                             .rest_seconds = TRAINING_REST_SECONDS,
                             .speed = 1,
                             .loops = true,
                             .playing = true};
    v->heads.chosen = -1;
    v->style = (viz_heat_style){.map = VIZ_INFERNO, VIZ_HEAT_DEFAULTS};
    look_at_steering(v, 0);
    *view = &v->base;
    return SAC_OK;
}
