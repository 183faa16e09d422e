/* The settings of the views of weights. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/numbers.h"
#include "sources/heads/several.h"
#include "view/settings.h"
#include "view/words.h"
#include "weights/weights_view.h"

static viz_weights_view *as_weights_view(const viz_view *view)
{
    return (viz_weights_view *)view;
}

static void *model_of(viz_view *view)
{
    return as_weights_view(view)->model;
}

/* The one that is only shown until the most informative is known is not handed on as if it was meant. */
static bool is_head_choice_settled(const viz_view *view)
{
    return !viz_weights_model_seeks_informative(as_weights_view(view)->model);
}

/* A layer or a head that was named. */
static void set_layer_or_head(viz_view *view, const viz_setting *s, double number)
{
    viz_setting_store(s, view, number);
    as_weights_view(view)->model->chosen = true;
    as_weights_view(view)->model->layer_given |= s->kind == VIZ_LAYER;
}

static void set_reduce(viz_view *view, const viz_setting *s, double number)
{
    (void)s;
    as_weights_view(view)->model->layer_given = false;
    viz_weights_model_set_reduce(as_weights_view(view)->model, (sac_reduce)number);
}

/* A reduction that a person chooses goes to its own layer; one that was named beside a layer stays there. */
static void restore_reduce(viz_view *view, const viz_setting *s, const char *value)
{
    double number;
    if (!viz_setting_read(s, view, value, &number))
        return;
    if (as_weights_view(view)->model->layer_given)
        as_weights_view(view)->model->reduce = (sac_reduce)number;
    else
        set_reduce(view, s, number);
}

static size_t position_count(const viz_view *view)
{
    return view->source->weights.positions;
}

/* The query's word, or the key's if the weights are transposed. */
static void set_query_word(viz_view *view, const viz_setting *s, double number)
{
    viz_weights_model *model = as_weights_view(view)->model;
    (void)s;
    size_t steps = sac_source_steps(view->source, model->batch);
    size_t row = number < (double)steps ? (size_t)number : model->row;
    model->column_chosen = model->column_chosen && row == model->row;
    model->row = row;
    model->chosen = true;
}

/* Whether boxes of the ground truth are drawn, if it is known. */
static void save_truth(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name,
        view->source->result.has_truth ? viz_off_on[!as_weights_view(view)->model->without_boxes]
                                       : "");
}

static void save_scales(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_weights_source *weights = &view->source->weights;
    char *text = sac_head_scales_text(as_weights_view(view)->model->head_scale, weights->layers,
                                      weights->heads);
    put(user, s->name, text ? text : "");
    free(text);
}

static void restore_scales(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    viz_weights_model_take_scales(as_weights_view(view)->model, value);
}

static void save_queries(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const viz_weights_model *model = as_weights_view(view)->model;
    char text[512] = "";
    if (model->several_count)
        sac_several_text(model->several, sac_source_steps(view->source, model->batch), text,
                         sizeof text);
    put(user, s->name, text);
}

static void restore_queries(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    viz_weights_model_take_queries(as_weights_view(view)->model, value);
}

static bool is_sorted_by_pair(const viz_view *view)
{
    return as_weights_view(view)->model->sort == VIZ_BY_ASKED &&
           !as_weights_view(view)->model->kind_alone;
}

static void keep_cell(viz_view *view)
{
    viz_weights_model_keep_cell(as_weights_view(view)->model);
}

static void ask_current(viz_view *view)
{
    viz_weights_model_ask_current(as_weights_view(view)->model);
}

static void save_ask(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const sac_ask *ask = &as_weights_view(view)->model->ask;
    char text[64];
    snprintf(text, sizeof text, "%zu %zu", ask->step, ask->position);
    put(user, s->name, text);
}

static void restore_ask(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    viz_weights_view_ask(as_weights_view(view), value);
}

static const char *const reduce_tips[] = {
    "Each head by itself.",
    "The mean of a layer's heads.",
    "The largest weight of a layer's heads, cell by cell.",
    "The smallest weight of a layer's heads, cell by cell.",
    "The layers multiplied up to this one, with what the residual lets pass.",
    "Attention times gradient, up to this layer: what counted for the output, in the row of the "
    "last token or of class.",
    "The contacts of a protein's residues, which the model predicts from all heads up to this "
    "layer.",
};
static const char *const prefix_tips[] = {
    "Leading tokens, such as CLS, are shown with the others.",
    "Leading tokens are left out, and rows no longer sum to 1.",
    "Leading tokens are masked, and the other weights made to sum to 1.",
};
static const char *const pool_tips[] = {
    "A dot is the mean of the weights that share it.",
    "A dot is the largest of the weights that share it.",
};
static const char *const sort_tips[] = {
    "Heads by layer and number.",
    "Heads that look at few places come first.",
    "Heads that look near by come first.",
    "Heads that do the same stand together.",
    "All heads by the weight of the chosen pair of tokens, or by the kind chosen in the legend.",
};

static const char *const segment_tips[] = {
    "Both texts, with all of their queries and keys.",
    "From the tokens of text A to those of text A.",
    "From the tokens of text B to those of text B.",
    "From the tokens of text A to those of text B.",
    "From the tokens of text B to those of text A.",
};
static const char *const special_tips[] = {
    "Special tokens and padding are keys as others are.",
    "Keys that are special tokens or padding are hidden; the other weights stay as they are.",
    "Keys that are special tokens or padding are hidden, and the rest of each row sums to 1.",
};

static const char *const segment_words[] = {"all", "A → A", "B → B", "A → B", "B → A"};

static int reductions(const viz_view *view, const viz_setting *s, const char **names,
                      const char **tips)
{
    int count = sac_source_reduction_count(view->source);
    memcpy(names, s->names, (size_t)count * sizeof *names);
    memcpy(tips, reduce_tips, (size_t)count * sizeof *tips);
    return count;
}

static const char *prefix_label(const viz_view *view)
{
    viz_weights_model *model = as_weights_view(view)->model;
    if (model->prefix_count == 1)
        return "first token";
    snprintf(model->prefix_label, sizeof model->prefix_label, viz_word("first %zu tokens"),
             model->prefix_count);
    return model->prefix_label;
}

static const char *const truth_names[] = {"on", "off"}; /* boxes, or none */
static const char *const pool_names[] = {[SAC_POOL_MEAN] = "mean", [SAC_POOL_MAX] = "max"};

#define IN(member) offsetof(viz_weights_model, member), .in = model_of

const viz_setting viz_weights_settings[] = {
    {NULL, .save = viz_save_source},
    {"layer", VIZ_LAYER, IN(layer), .set = set_layer_or_head, .only = is_head_choice_settled,
     .implied = true, VIZ_OPTION("--layer", "N", "layer to show")},
    {"head", VIZ_INDEX, IN(head), .below = viz_source_heads, .set = set_layer_or_head,
     .only = is_head_choice_settled, .implied = true, VIZ_OPTION("--head", "N", "head to show")},
    {"batch", VIZ_INDEX, IN(batch), .below = viz_source_items,
     VIZ_OPTION("--batch", "N", "item of the batch to show")},
    {"reduce", VIZ_CHOICE, IN(reduce), VIZ_NAMES(sac_reduce_names), .set = set_reduce,
     .take = restore_reduce, .widget = VIZ_WORDS, .label = "reduce", .choices = reductions,
     VIZ_OPTION("--reduce", "R", "how heads are combined")},
    {"first tokens", VIZ_CHOICE, IN(prefix), VIZ_NAMES(sac_prefix_names), .changed = keep_cell,
     .widget = VIZ_WORDS, .label_of = prefix_label, .tips = prefix_tips,
     VIZ_OPTION("--first", "F", "leading tokens")},
    {"first tokens count", VIZ_INDEX, IN(prefix_count), .below = position_count},
    {"segments", VIZ_CHOICE, IN(segments), VIZ_NAMES(sac_segments_names),
     .only = viz_weights_is_pair, .implied = true, .changed = keep_cell, .widget = VIZ_WORDS,
     .label = "texts", .words = segment_words, .tips = segment_tips,
     VIZ_OPTION("--segments", "S",
                "of a pair of texts, whose tokens are the queries and the keys")},
    {"special tokens", VIZ_CHOICE, IN(special), VIZ_NAMES(sac_special_names),
     .only = viz_weights_knows_special, .implied = true, .changed = keep_cell, .widget = VIZ_WORDS,
     .label = "special tokens", .tips = special_tips,
     VIZ_OPTION("--special", "S", "special tokens and padding, as keys")},
    {VIZ_SCALE_SETTING(IN(scale))},
    VIZ_STYLE_SETTINGS(IN, look),
    {"pooling", VIZ_CHOICE, IN(pool), VIZ_NAMES(pool_names), .widget = VIZ_WORDS,
     .label = "pooled by", .tips = pool_tips,
     VIZ_OPTION("--pool", "P", "how weights that share a pixel are pooled")},
    {"sort", VIZ_CHOICE, IN(sort), VIZ_NAMES(viz_sort_names), .changed = ask_current,
     .widget = VIZ_WORDS, .label = "sort", .tips = sort_tips},
    {"heads that", VIZ_CHOICE, IN(kind_alone), VIZ_NAMES(viz_kind_alone_names)},
    {"ask", .save = save_ask, .take = restore_ask, .only = is_sorted_by_pair,
     .form = "it animal, 9 2 or induction",
     VIZ_OPTION("--ask", "ASK", "pair of tokens, or pattern, that heads are ranked by")},
    {"truth", VIZ_SWITCH, IN(without_boxes), VIZ_NAMES(truth_names), .save = save_truth,
     VIZ_OPTION("--truth", "T", "show the ground truth of a scene")},
    {"without", .save = save_scales, .take = restore_scales, .only = viz_weights_scales_heads,
     .form = "3.2, 3.2,5.0 or 3.2=0.5",
     VIZ_OPTION("--without", "HEADS", "heads to switch off, or to scale")},
    {"queries", .save = save_queries, .take = restore_queries, .form = "3,5-8",
     VIZ_OPTION("--queries", "LIST", "several queries, which are shown in the mean")},
    {"word", VIZ_INDEX, .unmentioned = true, .set = set_query_word,
     VIZ_OPTION("--word", "N", "word of a caption, or row of weights, to show")},
    {0},
};

/* ---------------------------------------------------------------- the matrix */

static void save_query(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const viz_weights_model *model = as_weights_view(view)->model;
    char text[64];
    snprintf(text, sizeof text, "%zu,%zu", model->column, model->row);
    put(user, s->name, text);
}

static void restore_query(viz_view *view, const viz_setting *s, const char *value)
{
    size_t column, row, item = as_weights_view(view)->model->batch;
    (void)s;
    if (sscanf(value, "%zu,%zu", &column, &row) == 2 &&
        row < sac_source_steps(view->source, item) &&
        column < sac_source_positions(view->source, item))
        viz_panel_select_cell(&as_weights_view(view)->panel, row, column);
}

/* The key of the largest weight, or the one that was chosen. */
static void save_key(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    put(user, s->name, as_weights_view(view)->model->column_chosen ? "" : "largest");
}

static void restore_key(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    if (strcmp(value, "largest") == 0)
        as_weights_view(view)->model->column_chosen = false;
}

/* The camera, or the region that it fits: first and last row, first and last column. */
static void save_zoom(const viz_view *view, const viz_setting *s, viz_put *put, void *user)
{
    const viz_panel *panel = &as_weights_view(view)->panel;
    const sac_rect *fit = &panel->fit;
    char text[128];
    if (panel->fits)
        snprintf(text, sizeof text, "%zu:%zu %zu:%zu", fit->row, fit->row + fit->rows, fit->col,
                 fit->col + fit->cols);
    else
        snprintf(text, sizeof text, "%.9g %.9g %.6g %.6g", panel->x, panel->y,
                 (double)panel->cell_w, (double)panel->cell_h);
    put(user, s->name, panel->zoomed ? text : "");
}

static bool restore_fit(viz_panel *panel, const char *value)
{
    sac_rect map = viz_weights_model_map(panel->model);
    size_t row, rows_end, column, columns_end;
    if (sscanf(value, "%zu:%zu %zu:%zu", &row, &rows_end, &column, &columns_end) != 4 ||
        row >= rows_end || rows_end > map.rows || column >= columns_end || columns_end > map.cols)
        return false;
    panel->fit = (sac_rect){row, rows_end - row, column, columns_end - column};
    return true;
}

static void restore_zoom(viz_view *view, const viz_setting *s, const char *value)
{
    viz_panel *panel = &as_weights_view(view)->panel;
    const float most = VIZ_PANEL_MOST_CELL;
    double x, y;
    float w, h;
    (void)s;
    if (!value[0])
        panel->zoomed = panel->fits = false;
    if (restore_fit(panel, value)) {
        panel->fits = true;
        return;
    }
    if (sscanf(value, "%lf %lf %f %f", &x, &y, &w, &h) != 4 || !(x >= 0 && x < 1e12) ||
        !(y >= 0 && y < 1e12) || !(w > 0 && w <= most) || !(h > 0 && h <= most))
        return;
    panel->zoomed = true;
    panel->fits = false;
    panel->x = x;
    panel->y = y;
    panel->cell_w = w;
    panel->cell_h = h;
}

/* "100:200": the map opens there; `zoom` is what is kept of it. */
static void restore_range(viz_view *view, bool columns, const char *value)
{
    viz_panel *panel = &as_weights_view(view)->panel;
    size_t from, size;
    sac_rect map = viz_weights_model_map(panel->model);
    if (!panel->fits)
        panel->fit = (sac_rect){0, map.rows, 0, map.cols};
    if (!sac_range_read(value, columns ? map.cols : map.rows, &from, &size, NULL))
        return;
    *(columns ? &panel->fit.col : &panel->fit.row) = from;
    *(columns ? &panel->fit.cols : &panel->fit.rows) = size;
    panel->fits = true;
    viz_panel_select_cell(panel, panel->fit.row + panel->fit.rows / 2,
                          panel->fit.col + panel->fit.cols / 2);
}

static void restore_rows(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    restore_range(view, false, value);
}

static void restore_columns(viz_view *view, const viz_setting *s, const char *value)
{
    (void)s;
    restore_range(view, true, value);
}

static const char range_form[] = "the first and the one behind the last, such as 100:200";

static bool is_range(const char *text)
{
    size_t from, to;
    return sac_range_read(text, SIZE_MAX, &from, &to, NULL);
}

const viz_setting viz_panel_settings[] = {
    {"rows", .unmentioned = true, .take = restore_rows, .form = range_form, .valid = is_range,
     VIZ_OPTION("--rows", "A:B", "rows of the matrix to show")},
    {"columns", .unmentioned = true, .take = restore_columns, .form = range_form, .valid = is_range,
     VIZ_OPTION("--columns", "A:B", "columns of the matrix to show")},
    {"query", .moves = true, .save = save_query, .take = restore_query,
     .only = is_head_choice_settled},
    {"key", .moves = true, .save = save_key, .take = restore_key},
    {"zoom", .save = save_zoom, .take = restore_zoom},
    {0},
};
