/* The model behind the matrix view and the heads view: the source of weights, what is chosen of it,
 * and what was computed of it so far. Jobs for the worker are made and taken back here; the views
 * only state what they need. */
#ifndef VIZ_WEIGHTS_WEIGHTS_MODEL_H
#define VIZ_WEIGHTS_WEIGHTS_MODEL_H

#include <math.h>

#include "canvas/heat.h"
#include "sources/heads/ask.h"
#include "view/request.h"

typedef enum viz_sort {
    VIZ_BY_LAYER = 0,
    VIZ_BY_ENTROPY,
    VIZ_BY_DISTANCE,
    VIZ_BY_KIND,
    VIZ_BY_ASKED, /* by the weight of a pair, or by the kind that stands out */
    VIZ_SORT_COUNT
} viz_sort;
extern const char *const viz_sort_names[VIZ_SORT_COUNT];
extern const char *const viz_kind_alone_names[SAC_KIND_COUNT + 1]; /* "all", "previous", … */

/* A map pooled to a small picture. */
typedef struct viz_thumb {
    float *cells;    /* [rows,cols]; owned */
    uint8_t *masked; /* [rows,cols] 1 where a mask keeps all that was pooled at 0; owned; NULL:
                        none, or not known */
    size_t rows, cols;
    float high; /* the largest of them */
} viz_thumb;

/* One head's (or reduced layer's) figures and small picture. */
typedef struct viz_head_entry {
    bool known, failed;
    sac_weights_scan scan;  /* its stats are true once known */
    sac_weights_scan begun; /* the next ones, as far as they have come */
    viz_thumb thumb;
    bool old_scan, old_thumb; /* they are of heads as they were scaled before */
    float peak_sides[2];      /* of a difference: both weights where it is largest */
    size_t all_until; /* where `scan` is of every n-th row: of all rows before this one meanwhile */
} viz_head_entry;

typedef struct viz_weights_model {
    int references;
    sac_source *source;    /* lent; asked on the worker only */
    sac_reader reader;     /* the worker's */
    size_t reader_scaling; /* the worker's: of which scaling is what the reader keeps */

    /* The choices. */
    size_t layer, batch, head;
    sac_reduce reduce;
    sac_prefix prefix;
    size_t prefix_count;          /* how many first tokens are meant */
    sac_segments segments;        /* of a pair of texts … */
    sac_segments segments_before; /* … those in which the current cell is described */
    sac_special special;
    size_t last_layer, last_head; /* what was chosen before this */
    size_t layer_before; /* the layer of before rollout or relevance, which lead through layers … */
    bool layer_given;    /* … but to the one that a setting named */
    char prefix_label[48]; /* "first 3 tokens" */
    sac_pool pool;
    viz_scale_kind scale;
    viz_heat_style look; /* of maps, and of rows over a picture; each has its own scale */
    viz_sort sort;
    int kind_alone;     /* heads of this kind stand out, viz_kind_alone_names; 0: all alike */
    size_t row, column; /* the current cell, of the current map */
    uint8_t *several;   /* [steps] 1: a query whose rows are shown in the mean of them; owned … */
    size_t several_count, several_number; /* … so many; and how often that changed */
    bool opened; /* the most informative head and row were opened by default */
    /* Head or row are a person's, or were given; else the most informative are opened, once all are known. */
    bool chosen;
    bool column_chosen; /* false: the column is where the row's largest weight is */
    bool without_boxes; /* those that are known of the picture are not shown */
    float *head_scale;  /* [layers,heads] what each head gives is multiplied by; owned; NULL: it
                            cannot be */
    size_t scalings;    /* how often that changed */

    sac_ask ask;      /* the pair by which heads are ranked */
    bool seeks_asked; /* the head that has most of it is opened, once all are known */
    float *asked;     /* [layers,heads] its weights; owned; NULL: they are not known yet … */
    sac_ask asked_of; /* … and of what was requested last … */
    size_t asked_scaling, asked_batch; /* … with heads so scaled, from 1, of this item */

    /* What the heads as they are scaled make of the input. */
    sac_heads_effect effect;
    bool shows_next; /* a view shows what comes behind the current row */
    sac_candidate next[SAC_EFFECT_NEXT];
    int next_count; /* 0: it is not known */
    size_t next_of; /* the step that it is behind, … */
    size_t next_asked,
        next_scaling;        /* … the one that was requested last, and its scaling, both from 1 */
    int instead;             /* the token that a person wants there, + 1; 0: none */
    char *generated_instead; /* the text with it; owned; NULL: there is none yet */
    size_t effect_of, effect_asked; /* of this scaling, and of the one requested last, from 1 */

    /* The state of each map under these choices. */
    viz_head_entry *entries; /* [layers, heads shown] */
    size_t entry_count;
    size_t thumbs_until, figures_until; /* none before it lacks a picture, or figures */
    sac_head_choice entries_of;         /* the choices, with layer and head 0 */
    sac_pool entries_pool;

    viz_request request;            /* of either view: the reader answers one at a time */
    char of[64];                    /* what relevance is of, given by the source */
    char problem[512];              /* the last error, as a line; empty: none */
    sac_head_choice problem_choice; /* it came from this map, which is not requested again */
    double milliseconds;            /* the last job's */
} viz_weights_model;

/* The weights are differences of two sides (sources/difference.h), of either sign. */
static inline bool viz_is_difference(const viz_weights_model *model)
{
    return model->source->weights.sides != NULL;
}
/* The same, or numbers of either sign that have no sides: attributions. */
static inline bool viz_is_signed(const viz_weights_model *model)
{
    return viz_is_difference(model) || model->source->weights.is_signed;
}
/* The rows of the maps are weights, which add up to 1: neither differences nor how probable contacts are. */
static inline bool viz_rows_are_weights(const viz_weights_model *model)
{
    return !viz_is_signed(model) && model->reduce != SAC_REDUCE_CONTACTS;
}
/* The largest weight of a map whose figures are known, of a difference by magnitude. */
static inline float viz_head_entry_most(const viz_head_entry *entry)
{
    const sac_weights_stats *stats = &entry->scan.stats;
    return entry->scan.finds_peak ? fabsf(stats->peak) : stats->high;
}

/* Begins with one reference. */
sac_status viz_weights_model_create(sac_source *source, viz_weights_model **model,
                                    sac_error *error);
viz_weights_model *viz_weights_model_retain(viz_weights_model *model);
void viz_weights_model_release(viz_weights_model *model); /* takes NULL */

/* ---- choosing */

/* The map at a place of the grid under the present choices; fields that do not count are 0. */
sac_head_choice viz_weights_model_choice(const viz_weights_model *model, size_t layer, size_t head);
sac_head_choice viz_weights_model_current(const viz_weights_model *model);
/* A map among the source's queries and keys: where it begins, and its size. Then that which is current. */
sac_rect viz_map_of(const sac_source *source, const sac_head_choice *choice);
sac_rect viz_weights_model_map(const viz_weights_model *model);
size_t viz_weights_model_heads(
    const viz_weights_model *model); /* columns of the grid: heads, or 1 where reduced */
/* After other texts of a pair were chosen: the current cell is of the same tokens, if they are seen. */
void viz_weights_model_keep_cell(viz_weights_model *model);
void viz_weights_model_select(viz_weights_model *model, size_t layer, size_t head);
/* Rollout and relevance lead through all layers, whichever was shown; back from them it is shown again. */
void viz_weights_model_set_reduce(viz_weights_model *model, sac_reduce reduce);
/* Opens the most informative head and row (stats.information), unless something was chosen, or not all
 * heads are known yet; true: it did. */
bool viz_weights_model_open_informative(viz_weights_model *model);
/* True as long as the statistics of all heads are needed for that. */
bool viz_weights_model_seeks_informative(const viz_weights_model *model);
/* Of signed numbers: opens the row of the current head where it is largest, unless something was chosen or
 * it is not known yet; true: it did. */
bool viz_difference_select_peak_row(viz_weights_model *model);
/* The map's weights are one side less the other as the source has them, so that both can be shown. */
bool viz_difference_has_sides(const viz_weights_model *model, const sac_head_choice *choice);
/* The entry of a map, or NULL while nothing is known of it. */
const viz_head_entry *viz_weights_model_entry(const viz_weights_model *model, size_t layer,
                                              size_t head);

/* ---- heads that are switched off */

/* Gives the current head, or where heads are reduced to one map all of its layer, this scale; or 1
 * where it has that already. False: these heads cannot be scaled. */
bool viz_weights_model_scale_current(viz_weights_model *model, float scale);
/* Sets them from the text (sources/head_scales.h); nothing where it is malformed. */
void viz_weights_model_take_scales(viz_weights_model *model, const char *text);

/* ---- what comes next */

/* Puts token `place` of model->next behind the current row; false: it is there already. */
bool viz_weights_model_request_instead(viz_weights_model *model, int place);

/* ---- heads that are requested */

/* Asks for the current pair of tokens; or for what `text` names (sources/ask.h), nothing where it is
 * something else. */
void viz_weights_model_ask_current(viz_weights_model *model);
bool viz_weights_model_ask(viz_weights_model *model, const char *text);
/* What a head has of it; false: that is not known yet. */
bool viz_weights_model_asked_score(const viz_weights_model *model, size_t layer, size_t head,
                                   float *score);
/* Opens the head that has most, where that is sought and known; true: it did. */
bool viz_weights_model_open_asked(viz_weights_model *model);

/* ---- several queries */

/* Adds row `row` of the current map to those that are shown in the mean, or takes it away; the current
 * row is the first of them. */
void viz_weights_model_toggle_query(viz_weights_model *model, size_t row);
/* Adds it, if it is not there. */
void viz_weights_model_add_query(viz_weights_model *model, size_t row);
/* The current row alone is shown. True where there were others. */
bool viz_weights_model_unmark_queries(viz_weights_model *model);
/* Sets them from the text (sources/several.h); nothing where it is malformed. */
void viz_weights_model_take_queries(viz_weights_model *model, const char *text);
/* True where row `row` of the current map is one of several. */
bool viz_weights_model_is_query(const viz_weights_model *model, size_t row);
/* It stands for several, below. */
static inline bool viz_is_several(size_t query)
{
    return query > SIZE_MAX / 2;
}
/* What rows are asked for by: the current row, or a number beyond all rows that stands for several as
 * they are now, whose name viz_weights_model_row_name gives, too. */
size_t viz_weights_model_query(const viz_weights_model *model);

/* ---- names and numbers */

/* How well a head aligns, if that is known and it is the only one shown; *best: none does
 * better. */
bool viz_weights_model_aligns(const viz_weights_model *model, size_t layer, size_t head,
                              float *share, bool *best);
/* "layer 3, head 5", "layer 3, mean of 8 heads". */
char *viz_weights_model_title(const viz_weights_model *model, char *text, size_t size);
/* "3 layers × 8 heads". */
char *viz_weights_sizes(size_t layers, size_t heads, char *text, size_t size);
/* What a map does, by sac_weights_caption, in the current language. */
char *viz_stats_caption(const sac_weights_stats *stats, bool brief, char *text, size_t size);
/* Where a map of signed numbers is largest and what both sides have there, or that no weight differs.
 * Empty: it is not known. */
char *viz_difference_peak(const viz_weights_model *model, char *text, size_t size);
/* Writes what the current map is mostly for, and from which rows that is known; empty: not known.
 */
char *viz_weights_model_caption(const viz_weights_model *model, char *text, size_t size);
/* "“zone”", "cell (3, 4)" or "17" for a row or column of the current map. */
char *viz_weights_model_row_name(const viz_weights_model *model, size_t row, char *text,
                                 size_t size);
char *viz_weights_model_column_name(const viz_weights_model *model, size_t column, char *text,
                                    size_t size);
/* The same of a position of the source. */
char *viz_weights_model_position_name(const viz_weights_model *model, size_t position, char *text,
                                      size_t size);
/* The cell of the picture that is column `column` of the current map (with as many rows as columns,
 * a row likewise), and back; false: it is a token that is no cell, or it was dropped. */
bool viz_weights_model_cell(const viz_weights_model *model, size_t column, size_t *x, size_t *y);
bool viz_weights_model_column_of(const viz_weights_model *model, size_t x, size_t y,
                                 size_t *column);
/* The bare label, NULL where there is none. */
const char *viz_weights_model_row_label(const viz_weights_model *model, size_t row);
const char *viz_weights_model_column_label(const viz_weights_model *model, size_t column);
/* True where the scale ends at the largest weight of all maps. */
bool viz_weights_model_shares_scale(const viz_weights_model *model);
/* The scale for a map whose largest weight, as it is shown, is `high`. */
viz_scale viz_weights_model_scale(const viz_weights_model *model, float high);
/* The largest weight over all maps that are known: of their small pictures, or of every weight;
 * −FLT_MAX where none is known. */
float viz_weights_model_largest_weight(const viz_weights_model *model, bool of_thumbs);
float viz_weights_model_uniform(
    const viz_weights_model *model); /* 1/N; 0: of numbers that are no weights */
char *viz_weights_model_scale_name(const viz_weights_model *model, char *text, size_t size);
void viz_weights_model_status(const viz_weights_model *model, char *text, size_t size);

/* ---- work */

/* A rectangle of a map at some shrinking: what the panel draws. */
typedef struct viz_block {
    sac_head_choice choice;
    sac_pool pool;
    sac_rect rect;
    size_t step_rows, step_cols; /* so many weights become one dot; 1: as they are */
    size_t out_rows, out_cols;
    bool sampled;     /* a coarse picture: some of the rows of each row of dots stand for all */
    size_t rows_done; /* rows of the rectangle that are in `values` */
    float *values;    /* [out_rows,out_cols]; owned */
    uint8_t *masked;  /* which of them a mask keeps at 0; owned; NULL: none, or not known */
    float high;       /* the largest of them */
    float *
        places; /* of `values` on the logarithmic scale places_of: kept, for logarithms are slow; */
    viz_scale places_of; /* … owned; NULL: not needed yet */
    unsigned used;       /* when it was last drawn */
} viz_block;

typedef enum viz_weights_job_kind {
    VIZ_JOB_ROW,
    VIZ_JOB_HEADS,
    VIZ_JOB_BLOCKS,
    VIZ_JOB_ENTRY,
    VIZ_JOB_EFFECT,
    VIZ_JOB_ASKED,
    VIZ_JOB_NEXT,
    VIZ_JOB_INSTEAD
} viz_weights_job_kind;
#define VIZ_JOB_MAX_BLOCKS 16

/* The views set its class, as either of them may ask. */
typedef struct viz_weights_job {
    viz_job base;
    viz_weights_job_kind kind;
    sac_head_choice choice;
    sac_pool pool;
    char of[64];        /* what the reader's relevance is of; empty: there is none */
    uint8_t *several;   /* of the model, at that time; owned; NULL: `row` alone is requested */
    size_t row;         /* ROW: of the map, as viz_weights_model_query gives it … */
    float *weights;     /* … its weights [columns]; HEADS: those of all heads [heads,columns] */
    uint8_t *masked;    /* ROW: [columns] 1 where a mask keeps it at 0; NULL: see viz_block */
    size_t block_count; /* BLOCKS: asked for … */
    size_t blocks_done; /* … and computed before time was up; the next may have begun */
    viz_block blocks[VIZ_JOB_MAX_BLOCKS];
    size_t entry;            /* ENTRY: which … */
    bool thumb_only;         /* … whether its picture is to be made, or its figures … */
    viz_thumb thumb;         /* … and what came out; empty: the entry keeps the one it has */
    sac_weights_scan scan;   /* taken out of the entry as far as it had come */
    bool all_rows;           /* … of all rows, and not of some … */
    size_t from_row;         /* … of which these are the next */
    float peak_sides[2];     /* see viz_head_entry */
    float *sides;            /* ROW of one query of a difference: [2,columns] what either side has;
                                NULL: they are not known */
    sac_ask ask;             /* ASKED: what for; its scores go into `weights` [layers,heads] */
    float *head_scale;       /* the model's, at that time; owned */
    sac_heads_effect effect; /* EFFECT: what came out */
    sac_candidate next[SAC_EFFECT_NEXT]; /* NEXT: behind step `row`; INSTEAD: `instead` there, … */
    int next_count, instead;
    char *text; /* … and the text with it; owned */
    double milliseconds;
} viz_weights_job;

/* A job for figures and small pictures that are still missing: the current map's, or `all`; NULL
 * where nothing is. */
viz_weights_job *viz_weights_model_create_entry_job(viz_weights_model *model, bool all);
/* A job for the rest of the current map's rows, where its figures are of every n-th; NULL where they are
 * of all, or the map is so large that a processor would be busy for more than minutes. */
viz_weights_job *viz_weights_model_create_rest_job(viz_weights_model *model);
/* A job for the weights of the pair that is requested, unless they are known. */
viz_weights_job *viz_weights_model_create_asked_job(viz_weights_model *model);
/* A job for what comes behind the current row, and for the text with another token there. */
viz_weights_job *viz_weights_model_create_next_job(viz_weights_model *model);
/* A job for what the heads as they are scaled make of the input, unless it is known. */
viz_weights_job *viz_weights_model_create_effect_job(viz_weights_model *model);
viz_weights_job *viz_weights_model_create_row_job(viz_weights_model *model, size_t row);
/* Row `row` of every head of the layer of `choice`. */
viz_weights_job *viz_weights_model_create_heads_job(viz_weights_model *model,
                                                    const sac_head_choice *choice, size_t row);
/* False where the current map cannot be had and must not be requested. */
bool viz_weights_model_usable(const viz_weights_model *model);
sac_status viz_weights_model_run_job(viz_weights_model *model, viz_weights_job *job,
                                     sac_error *error);
/* Keeps entries and errors; the caller has taken rows and blocks out before. Frees the job. */
void viz_weights_model_finish_job(viz_weights_model *model, viz_weights_job *job,
                                  const sac_error *error);
void viz_block_free(viz_block *block);

#endif
