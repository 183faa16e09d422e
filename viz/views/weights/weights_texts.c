/* What is shown, in words: titles, names of rows and columns, what a map does. */
#include "weights/weights_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/controls/widgets.h"
#include "view/words.h"

static void write_head_title(const viz_weights_model *model, char *text, size_t size)
{
    size_t layer = model->layer, heads = model->source->weights.heads,
           first = sac_source_layer_number(model->source, 0),
           number = sac_source_layer_number(model->source, layer);
    if (model->reduce == SAC_REDUCE_ROLLOUT && layer == 0)
        snprintf(text, size, viz_word("rollout of layer %zu"), first);
    else if (model->reduce == SAC_REDUCE_ROLLOUT)
        snprintf(text, size, viz_word("rollout of layers %zu to %zu"), first, number);
    else if (model->reduce == SAC_REDUCE_RELEVANCE)
        snprintf(text, size, viz_word("relevance for %s, layers %zu to %zu (arXiv 2103.15679)"),
                 viz_word(model->of[0] ? model->of : "the output"), first, number);
    else if (model->reduce == SAC_REDUCE_CONTACTS)
        snprintf(text, size,
                 viz_word("how probable it is that two residues touch, by layers %zu to %zu"),
                 first, number);
    else if (model->reduce != SAC_REDUCE_NONE)
        snprintf(text, size,
                 viz_word(heads == 1 ? "layer %zu, %s of %zu head" : "layer %zu, %s of %zu heads"),
                 number, viz_word(sac_reduce_name(model->reduce)), heads);
    else if (heads * model->source->weights.layers > 1)
        snprintf(text, size, viz_word("layer %zu, head %zu"), number, model->head);
    else
        snprintf(text, size, "%s",
                 viz_word(model->source->weights.is_signed ? "attributions" : "attention weights"));
}

/* How much of the weight the map leaves out, where a person asked for that; else nothing. */
static const char *write_hidden_share(const viz_weights_model *model, const sac_head_choice *choice,
                                      char *text, size_t size)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    bool asked = choice->special == SAC_SPECIAL_HIDDEN || choice->segments != SAC_SEGMENTS_ALL;
    *text = '\0';
    if (asked && entry && model->source->weights.steps)
        snprintf(text, size, viz_word(" (%.0f %% of the weight is hidden)"),
                 100 * fmax(0, 1 - (double)sac_weights_scan_mean_share(&entry->scan)));
    return text;
}

/* Puts the sides before the title of a map of differences, or in its place where there is but one map. */
static void prepend_side_names(const viz_weights_model *model, char *title, size_t size)
{
    const sac_source *source = model->source;
    char place[164] = "";
    if (!viz_is_difference(model))
        return;
    if (source->weights.layers * source->weights.heads > 1)
        snprintf(place, sizeof place, ": %s", title);
    if (snprintf(title, size, "%s%s", source->title, place) < 0) /* a long title is cut */
        *title = '\0';
}

char *viz_weights_model_title(const viz_weights_model *model, char *text, size_t size)
{
    static const char *const prefixes[SAC_PREFIX_COUNT][2] = {
        [SAC_PREFIX_SHOWN] = {"", ""},
        [SAC_PREFIX_DROPPED] = {", first token dropped", ", first tokens dropped"},
        [SAC_PREFIX_MASKED] = {", first token masked, the rest sums to 1",
                               ", first tokens masked, the rest sums to 1"}};
    static const char *const segments[SAC_SEGMENTS_COUNT] = {"", ", A → A", ", B → B", ", A → B",
                                                             ", B → A"};
    static const char *const specials[SAC_SPECIAL_COUNT] = {
        "", ", special tokens hidden", ", special tokens masked, the rest sums to 1"};
    char here[160], item[32] = "", hidden[64];
    const sac_head_choice choice = viz_weights_model_current(model);
    write_head_title(model, here, sizeof here);
    prepend_side_names(model, here, sizeof here);
    if (model->source->weights.batch > 1)
        snprintf(item, sizeof item, viz_word("item %zu, "), model->batch);
    snprintf(text, size, "%s%s%s%s%s%s", item, here,
             viz_word(prefixes[model->prefix][model->prefix_count > 1]), segments[choice.segments],
             viz_word(specials[choice.special]),
             write_hidden_share(model, &choice, hidden, sizeof hidden));
    return text;
}

bool viz_weights_model_aligns(const viz_weights_model *model, size_t layer, size_t head,
                              float *share, bool *best)
{
    const sac_source *s = model->source;
    size_t best_layer, best_head;
    if (model->reduce != SAC_REDUCE_NONE ||
        !sac_best_head(s->weights.head_alignment, s->weights.layers, s->weights.heads, &best_layer,
                       &best_head))
        return false;
    *share = s->weights.head_alignment[layer * s->weights.heads + head];
    *best = layer == best_layer && head == best_head;
    return true;
}

char *viz_weights_sizes(size_t layers, size_t heads, char *text, size_t size)
{
    const char *one = heads == 1 ? "%zu layer × %zu head" : "%zu layer × %zu heads";
    const char *many = heads == 1 ? "%zu layers × %zu head" : "%zu layers × %zu heads";
    snprintf(text, size, viz_word(layers == 1 ? one : many), layers, heads);
    return text;
}

char *viz_stats_caption(const sac_weights_stats *stats, bool brief, char *text, size_t size)
{
    float share, most = log2f((float)stats->columns);
    const char *kind = viz_word(sac_weights_kind_name(sac_weights_kind_of(stats, &share)));
    if (viz_language() == SAC_IN_ENGLISH)
        return sac_weights_caption(stats, brief, text, size);
    if (share > 0)
        snprintf(text, size, "%s %.2f", kind, (double)share);
    else if (brief)
        snprintf(text, size, viz_word("%.1f bits"), (double)stats->entropy);
    else
        snprintf(text, size,
                 viz_word(stats->entropy > 0.98f * most ? "uniform, %.1f of %.1f bits"
                                                        : "mean entropy %.1f of %.1f bits"),
                 (double)stats->entropy, (double)most);
    return text;
}

/* ", by one row in 64 (all rows: 37 %)": which rows the figures of a map are of; empty: of all. */
static char *write_row_sample(const viz_head_entry *entry, char *text, size_t size)
{
    const sac_weights_stats *stats = &entry->scan.stats;
    *text = 0;
    if (stats->row_step > 1 && entry->all_until)
        snprintf(text, size, viz_word(", by one row in %zu (all rows: %.0f %%)"), stats->row_step,
                 floor(100 * (double)entry->all_until / (double)stats->rows));
    else if (stats->row_step > 1)
        snprintf(text, size, viz_word(", by one row in %zu"), stats->row_step);
    return text;
}

char *viz_difference_peak(const viz_weights_model *model, char *text, size_t size)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    const sac_head_choice choice = viz_weights_model_current(model);
    char row[160], column[160], number[3][32], rows[96], sides[96] = "";
    *text = 0;
    if (!entry)
        return text;
    const sac_weights_stats *stats = &entry->scan.stats;
    write_row_sample(entry, rows, sizeof rows);
    if (stats->peak == 0) {
        snprintf(text, size, "%s%s",
                 viz_word(viz_is_difference(model) ? "no weight differs" : "all are 0"), rows);
        return text;
    }
    if (viz_difference_has_sides(model, &choice))
        snprintf(sides, sizeof sides, " = %s − %s",
                 viz_number(entry->peak_sides[1], number[1], sizeof number[1]),
                 viz_number(entry->peak_sides[0], number[2], sizeof number[2]));
    snprintf(text, size, viz_word("largest: %s → %s, %s%s%s"),
             viz_weights_model_row_name(model, stats->peak_row, row, sizeof row),
             viz_weights_model_column_name(model, stats->peak_column, column, sizeof column),
             viz_signed_number(stats->peak, number[0], sizeof number[0]), sides, rows);
    return text;
}

char *viz_weights_model_caption(const viz_weights_model *model, char *text, size_t size)
{
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    char figure[160], rows[96], aligns[64] = "", name[96];
    size_t used;
    float share;
    bool best;
    *text = 0;
    if (!entry)
        return text;
    const sac_weights_stats *stats = &entry->scan.stats;
    write_row_sample(entry, rows, sizeof rows);
    if (viz_is_signed(model)) {
        viz_difference_peak(model, text, size);
        return text;
    }
    const sac_weights_kind kind = sac_weights_kind_of(stats, &share);
    if (kind == SAC_KIND_ONE)
        snprintf(figure, sizeof figure, "%s %.2f",
                 viz_weights_model_column_name(model, stats->focus_column, name, sizeof name),
                 (double)share);
    else
        viz_stats_caption(stats, false, figure, sizeof figure);
    used = strlen(figure);
    if (kind == SAC_KIND_GAZE)
        snprintf(figure + used, sizeof figure - used,
                 viz_word(", spatial entropy %.1f bits, %.2f on the picture"),
                 (double)stats->gaze_entropy, (double)stats->on_picture);
    if (viz_weights_model_aligns(model, model->layer, model->head, &share, &best))
        snprintf(aligns, sizeof aligns, viz_word("aligns %.0f %% of the words%s, "),
                 100 * (double)share, best ? viz_word(", the best") : "");
    snprintf(text, size, "%s%s%s", aligns, figure, rows);
    return text;
}

static const char *label_at(const sac_labels *labels, size_t index)
{
    return index < labels->count ? labels->text[index] : NULL;
}

const char *viz_weights_model_row_label(const viz_weights_model *model, size_t row)
{
    return label_at(sac_source_step_labels(model->source, model->batch),
                    row + viz_weights_model_map(model).row);
}

const char *viz_weights_model_column_label(const viz_weights_model *model, size_t column)
{
    column += viz_weights_model_map(model).col;
    return label_at(sac_source_position_labels(model->source, model->batch), column);
}

/* A token's name by its index in the source. */
static char *token_name(const viz_weights_model *model, const char *label, bool on_grid,
                        size_t index, char *text, size_t size)
{
    size_t cell, width = (size_t)model->source->picture.grid_w;
    if (label)
        snprintf(text, size, "“%s”", label);
    else if (on_grid && width && sac_source_find_cell(model->source, model->batch, index, &cell))
        snprintf(text, size, viz_word("cell (%zu, %zu)"), cell % width, cell / width);
    else
        snprintf(text, size, "%zu", index);
    return text;
}

char *viz_weights_model_row_name(const viz_weights_model *model, size_t row, char *text,
                                 size_t size)
{
    if (viz_is_several(row)) {
        snprintf(text, size, viz_word("the mean of %zu queries"), model->several_count);
        return text;
    }
    bool on_grid = sac_source_steps(model->source, model->batch) ==
                   sac_source_positions(model->source, model->batch);
    return token_name(model, viz_weights_model_row_label(model, row), on_grid,
                      row + viz_weights_model_map(model).row, text, size);
}

char *viz_weights_model_column_name(const viz_weights_model *model, size_t column, char *text,
                                    size_t size)
{
    return token_name(model, viz_weights_model_column_label(model, column), true,
                      column + viz_weights_model_map(model).col, text, size);
}

char *viz_weights_model_position_name(const viz_weights_model *model, size_t position, char *text,
                                      size_t size)
{
    const char *label = label_at(sac_source_position_labels(model->source, model->batch), position);
    return token_name(model, label, true, position, text, size);
}

/* What the colours mean. */
static char *legend_of(const viz_weights_model *model, char *text, size_t size)
{
    const char *second = model->source->weights.side_names[1];
    if (!viz_is_difference(model)) {
        snprintf(text, size, "%s",
                 viz_word(model->look.map == VIZ_DIVERGING ? "blue: below 0; orange: above it"
                                                           : "zero is in the middle"));
        return text;
    }
    snprintf(text, size,
             model->look.map == VIZ_DIVERGING ? viz_word("blue: %s has less; orange: more")
                                              : viz_word("below 0 %s has less, above it more"),
             second);
    return text;
}

char *viz_weights_model_scale_name(const viz_weights_model *model, char *text, size_t size)
{
    viz_scale scale = viz_weights_model_scale(model, 1);
    if (viz_is_signed(model))
        return legend_of(model, text, size);
    snprintf(text, size, "%s%s", viz_word(viz_scale_name(scale.kind)),
             scale.kind == VIZ_SHARED  ? viz_word(" by all maps, linear")
             : scale.kind == VIZ_FIXED ? viz_word(", linear")
                                       : "");
    return text;
}

/* ---------------------------------------------------------------- status */

void viz_weights_model_status(const viz_weights_model *model, char *text, size_t size)
{
    const sac_source *s = model->source;
    const sac_normalizer normalizer = s->weights.made.normalizer;
    char many[144] = "", sizes[64], shared[64] = "", batch[32] = "", place[32], origin[256];
    if (s->weights.made.key_heads && s->weights.made.key_heads != s->weights.heads)
        snprintf(shared, sizeof shared, viz_word(", %zu to each of %zu keys"),
                 s->weights.heads / s->weights.made.key_heads, s->weights.made.key_heads);
    if (s->weights.layers * s->weights.heads > 1)
        snprintf(many, sizeof many, "%s%s × ",
                 viz_weights_sizes(s->weights.layers, s->weights.heads, sizes, sizeof sizes),
                 shared);
    if (s->weights.batch > 1)
        snprintf(batch, sizeof batch, viz_word("%zu items × "), s->weights.batch);
    if (s->origin.device[0])
        snprintf(origin, sizeof origin, "%s%s%s%s%s  ·  %.1f ms", s->weights.made.score,
                 normalizer ? ", " : "", normalizer ? sac_normalizer_name(normalizer) : "",
                 s->weights.made.score[0] ? "  ·  " : "", s->origin.device, model->milliseconds);
    else
        snprintf(origin, sizeof origin, "%s", viz_word("computed elsewhere"));
    viz_picture_place(s->picture.number, s->picture.count, false, place, sizeof place);
    snprintf(text, size, "%s%s  ·  %s%s%zu × %zu  ·  %s  ·  %s", s->title, place, batch, many,
             sac_source_steps(s, model->batch), sac_source_positions(s, model->batch),
             s->weights.made.dtype, origin);
}
