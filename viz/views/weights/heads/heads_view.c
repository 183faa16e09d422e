/* Small maps of all heads beside each other, with the colour of what each does, and one of them large;
 * or, where the keys lie over a picture, that picture large, each head of a layer as a small one below,
 * and all heads as a grid of maps beside it. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "canvas/heat.h"
#include "view/settings.h"
#include "view/words.h"
#include "weights/heads/ask_line.h"
#include "weights/heads/head_lists.h"
#include "weights/heads/head_maps.h"
#include "weights/heads/heads_effect.h"
#include "weights/weights_view.h"

extern const viz_view_class viz_heads_class;

#define SMALLEST 14.0f /* a thumbnail's width */
#define SEEN 24.0f     /* where all at once would be smaller than that, they are scrolled instead */
#define SCROLL_ROOM 12.0f /* for the bar beside them … */
#define SCROLL_BAR 6.0f   /* … so wide */
#define SPACE 6.0f /* between thumbnails; below each in it, what its head does, as a colour … */
#define KIND 3.0f  /* … so thick */
#define CAPTION 18.0f   /* below a thumbnail … */
#define CAPTIONED 58.0f /* … that is at least so wide, … */
#define NAMED 30.0f     /* … or so wide where its place does not identify the head */
#define NUMBERS 24.0f   /* layer numbers at the left */
#define GROUP_GAP 10.0f /* more, between heads of one key and those of the next */
#define BLOCK_GAP 34.0f /* between some layers and the next, whose numbers stand in it */
#define MOST_BLOCKS 8
#define BLOCKS_GAIN 1.2f   /* layers stand in several blocks where maps are so much larger then */
#define LEAST_KINDS 190.0f /* height of the grid below the legend of kinds */
#define EFFECT_MOST 460.0f
#define COLUMN 232.0f /* beside the enlarged map, for the keys of a row and what comes next */
#define ROW_SECONDS 0.9
#define UPRIGHT 1.15f /* height of the area in widths, from which on it is stacked */

typedef struct layout {
    viz_rect grid;        /* what is seen of the thumbnails, numbers not included */
    size_t rows, columns; /* of thumbnails, of a block */
    size_t blocks;        /* side by side: the first `rows` layers, the next, … */
    bool in_order;        /* one after the other; else layers × heads */
    size_t group;         /* heads side by side that share a key, apart from others; else 0 */
    float thumb_w, thumb_h, step_x, step_y, block_w;
    bool captions;
    viz_head_kinds kinds;
    viz_rect track_x, track_y; /* of the bars to scroll them with; empty: all are seen */
    float whole_w, whole_h;    /* of all of them */
    viz_rect bar;              /* of the thumbnails */
    viz_rect panel_bar;        /* of the enlarged map, where its scale is another; else empty */
    viz_rect effect;           /* what comes next; empty: nothing is known, or there is no room */
    float left, right_x, title_x, readout_y, readout_w;
    viz_caps turn; /* between all heads and the picture; count 0: there is no picture */
    float turn_x;  /* its left edge, or that of the margin */
} layout;

/* A map's place among layers × heads, and what it is sorted by. */
typedef struct sorted_map {
    float key;
    size_t map;
} sorted_map;

typedef struct heads_view {
    viz_weights_view base;
    layout layout;
    float scroll_x, scroll_y; /* if the grid is larger than its area */
    bool drags_x, drags_y;    /* one of the bars */
    bool scrolled;            /* by a person: else the chosen one is in view */
    sorted_map *order;        /* [layers · heads shown], the first comes first */
    viz_head_maps maps;
    viz_asked_list asked;
    viz_ask_line ask;
    char *typed;    /* the text that was handed out last; owned */
    bool all_heads; /* although there is a picture */
    size_t other;   /* the map of the view beside it, likewise from 1; 0: there is none */
    size_t pointed; /* the map under the pointer, among layers × heads, from 1; 0: none … */
    char description[200]; /* … and its description */
    viz_token_line tokens;
} heads_view;

static heads_view *as_heads_view(viz_view *view)
{
    return (heads_view *)view;
}

static size_t map_count(const heads_view *v)
{
    return v->base.model->source->weights.layers * viz_weights_model_heads(v->base.model);
}

static bool has_picture(const heads_view *v)
{
    return viz_weights_view_has_picture(v->base.model->source);
}

static bool shows_picture(const heads_view *v)
{
    return has_picture(v) && !v->all_heads;
}

/* ---------------------------------------------------------------- order */

static float sort_key(const viz_weights_model *model, size_t place)
{
    size_t heads = viz_weights_model_heads(model);
    const viz_head_entry *entry = viz_weights_model_entry(model, place / heads, place % heads);
    if (model->sort == VIZ_BY_LAYER)
        return (float)place;
    if (model->sort == VIZ_BY_ASKED) {
        float score;
        bool known = heads == model->source->weights.heads &&
                     viz_weights_model_asked_score(model, place / heads, place % heads, &score);
        return known ? -score : INFINITY;
    }
    if (!entry) /* not known yet: at the end */
        return INFINITY;
    if (viz_is_signed(model)) /* the largest first, whatever heads do */
        return -viz_head_entry_most(entry);
    if (model->sort == VIZ_BY_KIND) {
        float share;
        return (float)sac_weights_kind_of(&entry->scan.stats, &share) - share / 2;
    }
    return model->sort == VIZ_BY_ENTROPY ? entry->scan.stats.entropy : entry->scan.stats.distance;
}

static int by_key(const void *a, const void *b)
{
    const sorted_map *x = a, *y = b;
    int keys = (x->key > y->key) - (x->key < y->key);
    return keys ? keys : (x->map > y->map) - (x->map < y->map);
}

static void sort_maps(heads_view *v)
{
    size_t count = map_count(v);
    for (size_t i = 0; i < count; i++)
        v->order[i] = (sorted_map){sort_key(v->base.model, i), i};
    qsort(v->order, count, sizeof *v->order, by_key);
}

static size_t place_of_current(const heads_view *v)
{
    const viz_weights_model *model = v->base.model;
    size_t heads = viz_weights_model_heads(model);
    size_t current = model->layer * heads + (heads > 1 ? model->head : 0), i = 0;
    while (v->order[i].map != current)
        i++;
    return i;
}

/* ---------------------------------------------------------------- layout */

static bool thumbs_are_pooled(const heads_view *v)
{
    const viz_weights_model *model = v->base.model;
    const viz_panel_layout *p = &v->base.panel.layout;
    const viz_head_entry *entry = viz_weights_model_entry(model, model->layer, model->head);
    return entry && (entry->thumb.rows < p->rows || entry->thumb.cols < p->columns);
}

/* Heads that share a key stand together, where they stand by their numbers. */
static size_t group_size(const viz_weights_model *model)
{
    const sac_source *source = model->source;
    bool shared = source->weights.made.key_heads > 1 &&
                  source->weights.heads > source->weights.made.key_heads;
    bool by_number =
        model->sort == VIZ_BY_LAYER && viz_weights_model_heads(model) == source->weights.heads;
    return shared && by_number ? source->weights.heads / source->weights.made.key_heads : 0;
}

/* What stands between groups of columns, in all. */
static float group_gaps_width(size_t columns, size_t group)
{
    return group ? GROUP_GAP * (float)(columns / group - 1) : 0;
}

/* The size of the largest thumbnails that all fit into `room`, for so many columns. */
static float thumb_width(viz_rect room, size_t rows, size_t columns, size_t group, float ratio,
                         bool captions)
{
    float most = fmaxf(168, 0.2f * room.h); /* one alone need not fill half the window */
    float gap = captions ? CAPTION + SPACE : SPACE;
    float across = (room.w - group_gaps_width(columns, group) + SPACE) / (float)columns - SPACE;
    float down = ((room.h + SPACE) / (float)rows - gap) / ratio;
    return floorf(fminf(fminf(across, down), most));
}

/* The number of columns that makes the largest thumbnails, where columns need not be heads; a
 * group is not broken. */
static size_t best_columns(viz_rect room, size_t count, size_t group, float ratio, bool captions)
{
    size_t least = group ? group : 1, best = least;
    float widest = 0;
    for (size_t columns = least; columns <= count; columns += least) {
        float w =
            thumb_width(room, (count + columns - 1) / columns, columns, group, ratio, captions);
        if (w > widest) {
            widest = w;
            best = columns;
        }
    }
    return best;
}

/* Layers × heads would be a strip of stamps where heads one after the other are pictures. */
static bool should_wrap_heads(viz_rect room, size_t layers, size_t heads, size_t group, float ratio)
{
    size_t count = layers * heads, columns = best_columns(room, count, group, ratio, true);
    float strip = thumb_width(room, layers, heads, group, ratio, false);
    float pictures =
        thumb_width(room, (count + columns - 1) / columns, columns, group, ratio, true);
    return layers <= 3 && heads > 4 && pictures > 1.5f * strip;
}

static viz_rect block_room(viz_rect room, size_t blocks)
{
    room.w = (room.w - BLOCK_GAP * (float)(blocks - 1)) / (float)blocks;
    return room;
}

/* In how many blocks layers × heads are largest: many layers of few heads would be a column of
 * stamps beside an empty space. */
static size_t best_blocks(viz_rect room, size_t layers, size_t heads, size_t group, float ratio)
{
    size_t best = 1;
    float widest = thumb_width(room, layers, heads, group, ratio, false);
    for (size_t blocks = 2; blocks <= layers && blocks <= MOST_BLOCKS; blocks++) {
        viz_rect each = block_room(room, blocks);
        float least = (SMALLEST + SPACE) * (float)heads - SPACE + group_gaps_width(heads, group);
        float w = thumb_width(each, (layers + blocks - 1) / blocks, heads, group, ratio, false);
        if (each.w >= least && w > BLOCKS_GAIN * widest) {
            widest = w;
            best = blocks;
        }
    }
    return best;
}

static viz_rect thumb_rect(const heads_view *v, size_t place)
{
    const layout *l = &v->layout;
    size_t column = place % l->columns, row = place / l->columns;
    float x = (float)column * l->step_x + group_gaps_width(column + l->group, l->group);
    x += (float)(row / l->rows) * (l->block_w + BLOCK_GAP);
    return (viz_rect){l->grid.x + x - v->scroll_x,
                      l->grid.y + (float)(row % l->rows) * l->step_y - v->scroll_y, l->thumb_w,
                      l->thumb_h};
}

/* Brings the chosen thumbnail into view. */
static void scroll_to_current(heads_view *v)
{
    const layout *l = &v->layout;
    v->scrolled = false;
    if (!l->columns)
        return;
    viz_rect r = thumb_rect(v, place_of_current(v));
    /* Of one that is larger than the room the top left corner. */
    float right = fmaxf(0, r.x + r.w - l->grid.x - l->grid.w);
    float down = fmaxf(0, r.y + l->step_y - SPACE - l->grid.y - l->grid.h);
    v->scroll_x += right + fminf(0, r.x - right - l->grid.x);
    v->scroll_y += down + fminf(0, r.y - down - l->grid.y);
}

/* Larger ones than fit, which are scrolled; returns their width. */
static float lay_scrolled(layout *l, viz_rect room, size_t count, float ratio)
{
    size_t step = l->group ? l->group : 1, layers = count / l->columns;
    if (l->in_order) {
        size_t most = (size_t)fmaxf((room.w + SPACE) / (SEEN + SPACE), 1) / step * step;
        l->columns = most > step ? most : step;
        l->rows = (count + l->columns - 1) / l->columns;
        l->blocks = 1;
    } else {
        l->blocks = 1;
        while (l->blocks < layers && thumb_width(block_room(room, l->blocks + 1), 1, l->columns,
                                                 l->group, 1e-3f * ratio, false) >= SEEN)
            l->blocks++;
        l->rows = (layers + l->blocks - 1) / l->blocks;
    }
    room = block_room(room, l->blocks);
    return fminf(thumb_width(room, 1, l->columns, l->group, 1e-3f * ratio, false), 1.2f * SEEN);
}

static void lay_scroll_bars(heads_view *v)
{
    layout *l = &v->layout;
    const viz_rect g = l->grid;
    v->scroll_x = fmaxf(fminf(v->scroll_x, l->whole_w - g.w), 0);
    v->scroll_y = fmaxf(fminf(v->scroll_y, l->whole_h - g.h), 0);
    l->track_x = l->track_y = (viz_rect){0};
    if (l->whole_h > g.h + 1)
        l->track_y = (viz_rect){g.x + g.w + SCROLL_ROOM - SCROLL_BAR, g.y, SCROLL_BAR, g.h};
    if (l->whole_w > g.w + 1)
        l->track_x = (viz_rect){g.x, g.y + g.h + 4, g.w, SCROLL_BAR};
}

/* `scrolls`: they may be larger than the room, as they are in a window. */
static void lay_grid(heads_view *v, viz_rect room, bool scrolls)
{
    const viz_weights_model *model = v->base.model;
    layout *l = &v->layout;
    size_t count = map_count(v);
    sac_rect map = viz_weights_model_map(model);
    float ratio = fminf(fmaxf((float)map.rows / (float)map.cols, 0.34f), 3);
    l->group = group_size(model);
    size_t heads = viz_weights_model_heads(model);
    l->in_order = model->sort != VIZ_BY_LAYER || heads == 1 ||
                  should_wrap_heads(room, count / heads, heads, l->group, ratio);
    float least = l->in_order ? NAMED : CAPTIONED;
    l->columns = l->in_order ? best_columns(room, count, l->group, ratio, true) : heads;
    l->rows = (count + l->columns - 1) / l->columns;
    if (l->in_order && thumb_width(room, l->rows, l->columns, l->group, ratio, true) < least) {
        l->columns = best_columns(room, count, l->group, ratio, false);
        l->rows = (count + l->columns - 1) / l->columns;
    }
    l->blocks = l->in_order ? 1 : best_blocks(room, l->rows, heads, l->group, ratio);
    l->rows = (l->rows + l->blocks - 1) / l->blocks;
    viz_rect block = block_room(room, l->blocks);
    float captioned = thumb_width(block, l->rows, l->columns, l->group, ratio, true);
    l->captions = captioned >= least;
    l->thumb_w =
        l->captions ? captioned : thumb_width(block, l->rows, l->columns, l->group, ratio, false);
    if (scrolls && l->thumb_w < SEEN) {
        room.w -= SCROLL_ROOM;
        l->thumb_w = lay_scrolled(l, room, count, ratio);
    }
    l->thumb_w = fmaxf(l->thumb_w, SMALLEST);
    l->thumb_h = fmaxf(floorf(l->thumb_w * ratio), 4);
    l->step_x = l->thumb_w + SPACE;
    l->step_y = l->thumb_h + SPACE + (l->captions ? CAPTION : 0);
    l->grid = room;
    l->block_w = l->step_x * (float)l->columns - SPACE + group_gaps_width(l->columns, l->group);
    l->whole_w = (l->block_w + BLOCK_GAP) * (float)l->blocks - BLOCK_GAP;
    l->whole_h = l->step_y * (float)l->rows - SPACE;
    l->grid.w = fminf(room.w, l->whole_w);
    l->grid.h = fminf(room.h, l->whole_h);
    lay_scroll_bars(v);
    if (!v->scrolled && scrolls) {
        scroll_to_current(v);
        lay_scroll_bars(v);
    }
}

/* The legend of kinds at the top of `room`, where there is height for it; returns what is left. */
static viz_rect lay_kinds(heads_view *v, const viz_canvas *canvas, viz_rect room)
{
    viz_head_kinds *kinds = &v->layout.kinds;
    viz_head_kinds_lay(kinds, v->base.model, canvas, room.x, room.y, room.w);
    if (room.h < LEAST_KINDS + kinds->height)
        *kinds = (viz_head_kinds){0};
    float used = kinds->count ? kinds->height + VIZ_GAP : 0;
    return (viz_rect){room.x, room.y + used, room.w, room.h - used};
}

#define LOW_ROOM 240.0f /* where the line of the question is in place of the title */

/* The question at the top of `room`, of which the rest is returned. */
static viz_rect lay_ask(heads_view *v, const viz_canvas *canvas, viz_rect room)
{
    bool low = room.h < LOW_ROOM;
    float y = low ? v->base.title_y - 19 : room.y;
    viz_ask_line_lay(&v->ask, v->base.model, canvas, room.x, y, room.w);
    float used = low || v->ask.rect.w <= 0 ? 0 : VIZ_ASK_LINE;
    return (viz_rect){room.x, room.y + used, room.w, room.h - used};
}

/* What is requested takes the place of the current row's list. */
static void lay_asked(heads_view *v)
{
    viz_asked_list_lay(&v->asked, v->base.model, v->base.row.list);
    if (v->asked.rect.w > 0)
        v->base.row.list = (viz_rect){0};
}

static void lay_panel(heads_view *v, const viz_canvas *canvas, float left, float top, float right,
                      float bottom)
{
    layout *l = &v->layout;
    const viz_panel_layout *p = &v->base.panel.layout;
    bool own = thumbs_are_pooled(v) || map_count(v) == 1;
    float effect = viz_heads_effect_height(v->base.model, bottom - top), width = right - left;
    float bar = own ? VIZ_BAR_NAMED_HEIGHT + VIZ_GAP : 0, high = bottom - top - 28 - bar;
    float below = effect > 0 ? effect + VIZ_GAP : 0, column = COLUMN + 32;
    /* What comes next is below the map, or in a column at its right, whichever leaves the map larger. */
    bool beside = below > 0 && fminf(high, width - column) > fminf(high - below, width);
    viz_rect room = {left, top, width - (beside ? column : 0), high - (beside ? 0 : below)};
    viz_panel_lay(&v->base.panel, canvas, room);
    l->right_x = l->title_x = left;
    l->readout_y = p->cells.y + p->cells.h + 20;
    l->readout_w =
        fmaxf(p->cells.x + p->cells.w, fminf(left + 340, beside ? left + room.w : right)) - left;
    float row = l->right_x + l->readout_w + 32; /* where the matrix leaves space at its right */
    viz_rect list = {row, p->cells.y, right - row, p->cells.h};
    l->effect = (viz_rect){left, bottom - effect, fminf(width, EFFECT_MOST), effect};
    if (beside) {
        list.h -= below + VIZ_GAP;
        l->effect = (viz_rect){row, list.y + list.h + 2 * VIZ_GAP, list.w, effect};
    } else if (effect > 0 && list.w < 200) { /* both below the map */
        l->effect.w = fminf((width - 32) / 2, EFFECT_MOST);
        list = (viz_rect){left + l->effect.w + 32, l->effect.y, l->effect.w, effect};
    }
    v->base.row.picture = v->base.row.list = (viz_rect){0};
    if (list.w >= 200)
        viz_row_panel_lay(&v->base.row, list, 0.6f);
    lay_asked(v);
    if (bar > 0)
        l->panel_bar = (viz_rect){left, l->readout_y + 14, l->readout_w, VIZ_BAR_NAMED_HEIGHT};
}

/* In an upright window the thumbnails stand above the enlarged map. */
static void lay_upright(heads_view *v, const viz_canvas *canvas, viz_rect room)
{
    layout *l = &v->layout;
    float right = room.x + room.w, bottom = room.y + room.h, top = room.y;
    room = lay_kinds(v, canvas, lay_ask(v, canvas, room));
    lay_grid(v,
             (viz_rect){room.x + NUMBERS, room.y + 14, room.w - NUMBERS,
                        0.4f * (bottom - top) - (room.y - top)},
             true);
    float width = fminf(fmaxf(NUMBERS + l->grid.w, 220), room.w);
    l->bar = (viz_rect){room.x, l->grid.y + l->grid.h + 14, width, VIZ_BAR_NAMED_HEIGHT};
    lay_panel(v, canvas, room.x, l->bar.y + l->bar.h + 14, right, bottom);
    l->title_x = room.x + 0.5f * room.w;
}

/* Thumbnails at the left, as wide as they need to be but at most half, or a third beside what comes next;
 * the enlarged map has the rest. */
static void lay_all_heads(heads_view *v, const viz_canvas *canvas, viz_rect area)
{
    layout *l = &v->layout;
    const viz_panel_layout *p = &v->base.panel.layout;
    bool pooled = thumbs_are_pooled(v) || (p->columns && (p->pool_rows > 1 || p->pool_cols > 1));
    viz_rect room = viz_weights_view_lay(&v->base, canvas, area, pooled, map_count(v) > 1, false);
    bool next =
        viz_heads_effect_height(v->base.model, room.h) > 0; /* it is beside the map, or below it */
    float half = (next ? 0.36f : 0.485f) * area.w - VIZ_MARGIN, right = room.x + room.w,
          bottom = room.y + room.h;
    if (map_count(v) == 1) { /* its thumbnail would be the same once more */
        l->rows = l->columns = l->blocks = 1;
        lay_panel(v, canvas, room.x, room.y, right, bottom);
        return;
    }
    if (room.h > UPRIGHT * room.w) {
        lay_upright(v, canvas, room);
        return;
    }
    viz_rect grid = lay_ask(v, canvas, (viz_rect){room.x, room.y, half, room.h});
    grid = lay_kinds(v, canvas, grid);
    lay_grid(v,
             (viz_rect){grid.x + NUMBERS, grid.y + 14, half - NUMBERS,
                        grid.h - 14 - VIZ_BAR_NAMED_HEIGHT - 14},
             true);
    float scroll = l->track_y.w > 0 ? SCROLL_ROOM : 0;
    float width = fmaxf(NUMBERS + l->grid.w + scroll, fmaxf(l->kinds.width, fminf(220, half)));
    if (v->ask.rect.w > 0) { /* with the answer where there is room for it */
        float line = v->ask.end_x + 26 - room.x, answered = fminf(line + 150, half);
        width = fmaxf(width, next ? fminf(line + 30, half) : answered);
        v->ask.rect.w = width;
    }
    l->bar = (viz_rect){room.x, l->grid.y + l->grid.h + 14, width, VIZ_BAR_NAMED_HEIGHT};
    lay_panel(v, canvas, room.x + width + 32, room.y, right, bottom);
}

/* ---------------------------------------------------------------- layout around a picture */

#define FOLDED 430.0f /* the height of a view whose controls are one line */
#define SIDE 230.0f   /* the column beside the picture is at least so wide … */
#define SIDE_MOST 640.0f
#define SIDE_GAP 28.0f
#define LEAST_STRIP 66.0f
#define MOST_STRIP 190.0f
#define GRID_SHARE 0.66f /* of the height that is left beside the picture, for the grid of heads */
#define BELOW (34 + VIZ_BAR_NAMED_HEIGHT) /* read-out and bar, where there is no column */

/* Read-out, bar, tokens and list in a column at the picture's right. */
static void lay_column_beside_picture(heads_view *v, const viz_canvas *canvas, viz_rect picture,
                                      float right)
{
    layout *l = &v->layout;
    float x = picture.x + picture.w + SIDE_GAP, w = fminf(right - x, SIDE_MOST), y = picture.y;
    l->readout_y = y + 12;
    l->right_x = x;
    l->readout_w = w;
    l->bar = (viz_rect){x, y + 28, w, VIZ_BAR_NAMED_HEIGHT};
    y = l->bar.y + l->bar.h + 14;
    int most = VIZ_MAX_CHOICES;
    do
        viz_token_line_lay(&v->tokens, v->base.model, canvas, x, y, w, most);
    while (y + v->tokens.choices.rect.h > picture.y + picture.h &&
           (most /= 2) >= VIZ_FEW_TOKENS / 2);
    y += v->tokens.choices.count ? v->tokens.choices.rect.h + 12 : 0;
    float grid =
        viz_head_grid_lay(&v->maps, (viz_rect){x, y, w, GRID_SHARE * (picture.y + picture.h - y)});
    y += grid > 0 ? grid + 4 : 0;
    if (grid > 0)
        viz_head_kinds_lay(&l->kinds, v->base.model, canvas, x, y, w);
    y += grid > 0 ? l->kinds.height + 10 : 0;
    v->base.row.list = (viz_rect){x, y, w, picture.y + picture.h - y};
}

/* The same below it. */
static void lay_lines_below_picture(heads_view *v, const viz_canvas *canvas, viz_rect picture,
                                    viz_rect room)
{
    layout *l = &v->layout;
    float y = picture.y + picture.h, w = fminf(room.w, fmaxf(picture.w, SIDE_MOST));
    float bar = fminf(w, SIDE_MOST);
    l->readout_y = y + 18;
    l->right_x = room.x;
    l->readout_w = w;
    l->bar = (viz_rect){room.x, y + 30, bar, VIZ_BAR_NAMED_HEIGHT};
    if (room.w - bar > SIDE / 2 + SIDE_GAP)
        viz_token_line_lay(&v->tokens, v->base.model, canvas, room.x + bar + SIDE_GAP, y + 26,
                           room.w - bar - SIDE_GAP, VIZ_FEW_TOKENS);
}

/* The picture takes what a strip of heads and, whichever leaves it larger, a column beside it or
 * two lines below it leave. */
static void lay_picture(heads_view *v, const viz_canvas *canvas, viz_rect area)
{
    viz_rect room = viz_weights_view_lay(&v->base, canvas, area, false, false, area.h < FOLDED);
    const sac_image *image = v->base.model->source->picture.image;
    float aspect = (float)image->width / (float)image->height, right = room.x + room.w,
          bottom = room.y + room.h;
    float strip = fminf(fmaxf(0.22f * room.h, LEAST_STRIP), MOST_STRIP), high = room.h - strip - 14;
    float beside = fminf(room.w - SIDE - SIDE_GAP, high * aspect);
    float below = fminf(room.w, (high - BELOW) * aspect);
    bool column = beside >= 0.95f * below;
    float w = floorf(fmaxf(column ? beside : below, 8)), h = floorf(w / aspect);
    viz_rect picture = {room.x, room.y, w, h};
    v->base.row.picture = picture;
    v->base.row.list = (viz_rect){0};
    if (column)
        lay_column_beside_picture(v, canvas, picture, right);
    else
        lay_lines_below_picture(v, canvas, picture, room);
    float y = picture.y + h + (column ? 14 : BELOW + 14);
    y += viz_head_strip_lay(
        &v->maps,
        (viz_rect){room.x, y, room.w, fminf(bottom - y, column ? strip + 40 : 0.34f * room.h)});
    if (!column)
        v->base.row.list = (viz_rect){room.x, y + 18, fminf(room.w, SIDE_MOST), bottom - y - 18};
    viz_rect *list = &v->base.row.list;
    if (list->h < 4 * 22 || list->w < 150) /* it is worth its space from three keys on */
        *list = (viz_rect){0};
    lay_asked(v);
    viz_panel_lay(&v->base.panel, canvas, picture);
}

static void clear_layout(heads_view *v)
{
    v->layout = (layout){0};
    v->tokens.choices = (viz_choices){0};
    v->maps.grid.maps = (viz_rect){0};
    v->asked.rect = (viz_rect){0};
    v->asked.lines = 0;
    v->ask.rect = (viz_rect){0};
}

static void lay(heads_view *v, const viz_canvas *canvas, viz_rect area)
{
    clear_layout(v);
    v->other = 0;
    v->base.panel.hidden = shows_picture(v);
    if (shows_picture(v))
        lay_picture(v, canvas, area);
    else
        lay_all_heads(v, canvas, area);
    v->base.model->shows_next = v->layout.effect.h > 0;
    v->layout.left = area.x + VIZ_MARGIN;
    float right = area.x + area.w - VIZ_MARGIN;
    static const viz_key_row all[] = {{"F", "all heads",
                                       .tips = {N_("The maps of all heads (F).")}}},
                             picture[] = {
                                 {"F", "picture", .tips = {N_("The picture under one head (F).")}}};
    layout *l = &v->layout;
    l->turn_x = right;
    if (!has_picture(v))
        return;
    l->turn =
        viz_caps_layout(canvas, right, v->base.title_y - 14, 160, v->all_heads ? picture : all, 1);
    l->turn_x = l->turn.items[0].w > 0 ? l->turn.items[0].x - 16 : right;
}

/* ---------------------------------------------------------------- drawing */

/* The entry at a place even while only its small picture is known; NULL: nothing is. */
static const viz_head_entry *thumb_entry(const heads_view *v, size_t map)
{
    const viz_weights_model *model = v->base.model;
    sac_head_choice now = viz_weights_model_choice(model, 0, 0);
    if (!model->entries || map >= model->entry_count || model->entries_pool != model->pool ||
        !sac_head_choice_same(&now, &model->entries_of) || !model->entries[map].thumb.cells)
        return NULL;
    return &model->entries[map];
}

static viz_scale thumb_scale(const heads_view *v, const viz_head_entry *entry)
{
    const viz_weights_model *model = v->base.model;
    return viz_weights_model_scale(model, viz_weights_model_shares_scale(model)
                                              ? viz_weights_model_largest_weight(model, true)
                                              : entry->thumb.high);
}

static void thumb_caption(const heads_view *v, const viz_head_entry *entry, size_t map, char *text,
                          size_t size)
{
    const viz_weights_model *model = v->base.model;
    const sac_weights_stats *stats = &entry->scan.stats;
    size_t heads = viz_weights_model_heads(model);
    char name[48] = "", figure[64] = "";
    float share, asked;
    bool best;
    if (v->layout.in_order && heads == 1)
        snprintf(name, sizeof name, viz_word("layer %zu  "),
                 sac_source_layer_number(model->source, map));
    else if (v->layout.in_order)
        snprintf(name, sizeof name, "%zu.%zu  ",
                 sac_source_layer_number(model->source, map / heads), map % heads);
    if (!entry->known)
        ;
    else if (model->sort == VIZ_BY_ASKED && heads > 1 &&
             viz_weights_model_asked_score(model, map / heads, map % heads, &asked))
        snprintf(figure, sizeof figure, "%.2f", (double)asked);
    else if (viz_is_signed(model))
        viz_signed_number(stats->peak, figure, sizeof figure);
    else if (!viz_rows_are_weights(model))
        snprintf(figure, sizeof figure, "%.2f", (double)stats->peak);
    else if (model->sort == VIZ_BY_DISTANCE)
        snprintf(figure, sizeof figure, viz_word("%.1f away"), (double)stats->distance);
    else if (model->sort == VIZ_BY_ENTROPY)
        snprintf(figure, sizeof figure, viz_word("%.1f bits"), (double)stats->entropy);
    else if (viz_weights_model_aligns(model, map / heads, map % heads, &share, &best))
        snprintf(figure, sizeof figure, viz_word("aligns %.0f %%"), 100 * (double)share);
    else if (heads > 1 &&
             viz_head_scale_name(model, map / heads, map % heads, figure, sizeof figure)[0])
        ;
    else if (sac_weights_are_constant(stats))
        snprintf(figure, sizeof figure, "%s", viz_word("constant"));
    else
        viz_stats_caption(stats, true, figure, sizeof figure);
    snprintf(text, size, "%s%s", name, figure);
}

/* The head that aligns best is marked, in a corner that its own map leaves dark. */
static void draw_best_mark(const heads_view *v, viz_canvas *canvas, size_t map, viz_rect rect)
{
    const viz_weights_model *model = v->base.model;
    size_t heads = viz_weights_model_heads(model);
    const char *text = rect.w >= CAPTIONED ? "best" : "";
    float share, width = text[0] ? viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) + 10 : 10;
    bool best;
    if (!viz_weights_model_aligns(model, map / heads, map % heads, &share, &best) || !best)
        return;
    viz_rect mark = {rect.x + rect.w - width - 3, rect.y + 3, width, text[0] ? 18 : 10};
    viz_fill_round(canvas, mark, 4, canvas->theme->pale);
    viz_text(canvas, VIZ_SANS, VIZ_LABEL, mark.x + 5, mark.y + 13, VIZ_LEFT, viz_theme_dark.ground,
             text);
}

static void draw_caption(const heads_view *v, viz_canvas *canvas, const viz_head_entry *entry,
                         size_t map, viz_rect rect, viz_color color)
{
    char text[128];
    thumb_caption(v, entry, map, text, sizeof text);
    char *figure = strstr(text, "  ");
    if (figure && viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) > rect.w)
        *figure = '\0'; /* a name alone is better than half a number */
    char *zero = strstr(text, " 0.");
    if (zero && viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, text) > rect.w)
        memmove(zero + 1, zero + 2, strlen(zero + 2) + 1); /* "same .55" */
    viz_text_within(canvas, VIZ_SANS, VIZ_LABEL, rect.x, rect.y + rect.h + 16, rect.w, VIZ_LEFT,
                    color, text);
}

/* NaN in place of those of `cells` [rows,cols] that stand for nothing but masked weights. */
static void mark_masked(const viz_thumb *thumb, float *cells, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows * cols; i++) {
        size_t top = i / cols * thumb->rows / rows, bottom = (i / cols + 1) * thumb->rows / rows;
        size_t left = i % cols * thumb->cols / cols, right = (i % cols + 1) * thumb->cols / cols;
        bool all = true;
        for (size_t r = top; r < bottom; r++)
            for (size_t c = left; c < right; c++)
                all = all && thumb->masked[r * thumb->cols + c];
        cells[i] = all ? NAN : cells[i];
    }
}

/* No more cells than pixels: a picture that is drawn smaller is pooled once more. */
static void draw_cells(const heads_view *v, viz_canvas *canvas, const viz_head_entry *entry,
                       viz_rect rect)
{
    viz_scale scale = thumb_scale(v, entry);
    size_t wide = (size_t)fmaxf(1, rect.w * canvas->density);
    size_t high = (size_t)fmaxf(1, rect.h * canvas->density);
    size_t rows = entry->thumb.rows, cols = entry->thumb.cols;
    size_t less_rows = rows / ((rows + high - 1) / high),
           less_cols = cols / ((cols + wide - 1) / wide);
    float *copy = viz_allocate(rows * cols + less_rows * less_cols, sizeof *copy);
    if (!copy)
        return;
    float *pooled = copy + rows * cols;
    memcpy(copy, entry->thumb.cells, rows * cols * sizeof *copy);
    sac_weights_pool(copy, rows, cols, v->base.model->pool, less_rows, less_cols, pooled);
    if (entry->thumb.masked)
        mark_masked(&entry->thumb, pooled, less_rows, less_cols);
    viz_cells(canvas, rect, pooled, less_rows, less_cols,
              viz_map_colors(canvas->theme, v->base.model->look.map), &scale);
    free(copy);
}

static void draw_thumb(const heads_view *v, viz_canvas *canvas, size_t place, size_t current)
{
    const viz_theme *theme = canvas->theme;
    viz_rect rect = thumb_rect(v, place), around = {rect.x - 2, rect.y - 2, rect.w + 4, rect.h + 4};
    const viz_head_entry *entry = thumb_entry(v, v->order[place].map);
    if (rect.y > v->layout.grid.y + v->layout.grid.h || rect.y + rect.h < v->layout.grid.y)
        return;
    if (entry) {
        sac_weights_kind kind;
        bool known = viz_kind_of(entry, &kind) && map_count(v) > 1;
        viz_rect strip = {rect.x, rect.y + rect.h + 1, rect.w, rect.w < NAMED ? KIND / 2 : KIND};
        draw_cells(v, canvas, entry, rect);
        if (known)
            viz_fill(canvas, strip, viz_kind_color(theme, kind));
        if (v->layout.captions)
            draw_caption(v, canvas, entry, v->order[place].map, rect,
                         known ? viz_kind_color(theme, kind) : theme->text2);
        const viz_weights_model *model = v->base.model;
        bool alone = model->kind_alone && model->sort != VIZ_BY_ASKED;
        if (known && alone && model->kind_alone != (int)kind + 1) { /* another one stands out */
            viz_color over = theme->ground;
            over.a = 210;
            viz_fill(canvas,
                     (viz_rect){rect.x, rect.y, rect.w,
                                rect.h + (v->layout.captions ? CAPTION : KIND + 1)},
                     over);
        }
    } else {
        viz_fill(canvas, rect, theme->panel);
    }
    size_t heads = viz_weights_model_heads(v->base.model), map = v->order[place].map;
    if (heads > 1)
        viz_head_draw_scale_mark(v->base.model, canvas, rect, map / heads, map % heads);
    draw_best_mark(v, canvas, map, rect);
    if (v->order[place].map + 1 == v->other)
        viz_frame(canvas, around, 2, theme->text);
    if (place == current && !canvas->figure)
        viz_frame(canvas, around, 2, theme->accent);
}

/* Numbers of layers and heads along each block, as many as fit. */
static void draw_layer_and_head_numbers(const heads_view *v, viz_canvas *canvas)
{
    const layout *l = &v->layout;
    const viz_weights_model *m = v->base.model;
    const viz_theme *theme = canvas->theme;
    size_t skip_heads = (size_t)ceilf(20 / l->step_x), skip_layers = (size_t)ceilf(15 / l->step_y);
    size_t layers = map_count(v) / l->columns;
    char number[32];
    if (l->in_order)
        return;
    for (size_t i = 0; i < layers; i++) {
        viz_rect first = thumb_rect(v, i * l->columns);
        float y = first.y + first.h / 2;
        bool current = i == m->layer && !canvas->figure;
        snprintf(number, sizeof number, "%zu", sac_source_layer_number(m->source, i));
        if (i % l->rows % skip_layers == 0 && y >= l->grid.y && y <= l->grid.y + l->grid.h)
            viz_text(canvas, VIZ_SANS, VIZ_LABEL, fmaxf(first.x, l->grid.x) - 9, y + 4, VIZ_RIGHT,
                     current ? theme->accent : theme->text2, number);
        for (size_t h = 0; i % l->rows == 0 && h < l->columns; h += skip_heads) {
            float x = thumb_rect(v, i * l->columns + h).x + l->thumb_w / 2;
            current = h == m->head && !canvas->figure;
            snprintf(number, sizeof number, "%zu", h);
            if (x >= l->grid.x && x <= l->grid.x + l->grid.w)
                viz_text(canvas, VIZ_SANS, VIZ_LABEL, x, l->grid.y - 5, VIZ_CENTER,
                         current ? theme->accent : theme->text2, number);
        }
    }
}

/* The knob of a bar: the share of `whole` that is seen. */
static viz_rect scroll_knob(viz_rect track, float at, float whole)
{
    bool down = track.h > track.w;
    float length = down ? track.h : track.w, knob = fmaxf(length * length / whole, 24);
    float from = (length - knob) * at / (whole - length);
    return down ? (viz_rect){track.x, track.y + from, track.w, knob}
                : (viz_rect){track.x + from, track.y, knob, track.h};
}

static void draw_scroll_bar(viz_canvas *canvas, viz_rect track, float at, float whole)
{
    if (track.w <= 0 || canvas->figure)
        return;
    viz_fill_round(canvas, track, 3, canvas->theme->line);
    viz_fill_round(canvas, scroll_knob(track, at, whole), 3, canvas->theme->text2);
}

static void draw_grid(const heads_view *v, viz_canvas *canvas)
{
    const layout *l = &v->layout;
    size_t count = map_count(v), current = place_of_current(v);
    viz_rect clip = {l->grid.x - 2, l->grid.y - 2, l->grid.w + 4 + SPACE, l->grid.h + 4 + SPACE};
    viz_clip(canvas, clip);
    for (size_t i = 0; l->group && i < count;
         i += l->group) { /* a line over the heads of each key */
        viz_rect from = thumb_rect(v, i), to = thumb_rect(v, i + l->group - 1);
        viz_fill(canvas, (viz_rect){from.x, from.y - 2, to.x + to.w - from.x, 1},
                 canvas->theme->text2);
    }
    for (size_t i = 0; i < count; i++)
        if (i != current)
            draw_thumb(v, canvas, i, current);
    draw_thumb(v, canvas, current, current); /* its frame over its neighbours */
    viz_clip_none(canvas);
    draw_layer_and_head_numbers(v, canvas);
    draw_scroll_bar(canvas, l->track_y, v->scroll_y, l->whole_h);
    draw_scroll_bar(canvas, l->track_x, v->scroll_x, l->whole_w);
}

/* How many layers and heads there are, how they are sorted, and which aligns best, up to `end`. */
static void draw_gallery_title(const heads_view *v, viz_canvas *canvas, float end)
{
    const viz_theme *theme = canvas->theme;
    const layout *l = &v->layout;
    const sac_source *s = v->base.model->source;
    char text[320], fit[320], aligns[96] = "", shared[64] = "", sizes[64], sorted[48];
    bool many = map_count(v) > 1;
    size_t layer, head;
    if (viz_weights_model_heads(v->base.model) == s->weights.heads &&
        sac_best_head(s->weights.head_alignment, s->weights.layers, s->weights.heads, &layer,
                      &head))
        snprintf(aligns, sizeof aligns,
                 viz_word("; layer %zu, head %zu aligns best: %.0f %% of the words"),
                 sac_source_layer_number(s, layer), head,
                 100 * (double)s->weights.head_alignment[layer * s->weights.heads + head]);
    if (l->group)
        snprintf(shared, sizeof shared, viz_word(", %zu to each of %zu keys"), l->group,
                 s->weights.made.key_heads);
    snprintf(sorted, sizeof sorted, viz_word(", sorted by %s"),
             viz_word(viz_sort_names[v->base.model->sort]));
    viz_weights_sizes(s->weights.layers, s->weights.heads, sizes, sizeof sizes);
    snprintf(text, sizeof text, "%s%s%s%s", sizes, shared, many ? sorted : "", aligns);
    viz_text_fit(canvas, VIZ_SANS, VIZ_LABEL, end - l->left, text, fit, sizeof fit);
    if (many)
        viz_text(canvas, VIZ_SANS, VIZ_LABEL, l->left, v->base.title_y, VIZ_LEFT, theme->text2,
                 fit);
}

static void draw_bars(const heads_view *v, viz_canvas *canvas)
{
    const viz_weights_model *model = v->base.model;
    const layout *l = &v->layout;
    size_t heads = viz_weights_model_heads(model);
    const viz_head_entry *entry =
        thumb_entry(v, model->layer * heads + (heads > 1 ? model->head : 0));
    char name[192], text[64], pooled[64] = "";
    viz_scale scale = viz_panel_scale(&v->base.panel);
    viz_weights_model_scale_name(model, text, sizeof text);
    if (l->panel_bar.w > 0) {
        bool any = viz_panel_pooling(&v->base.panel, pooled, sizeof pooled);
        snprintf(name, sizeof name, "%s%s%s", text, any ? viz_word("; each dot ") : "", pooled);
        viz_bar_draw(canvas, l->panel_bar, viz_map_colors(canvas->theme, model->look.map), &scale,
                     viz_weights_model_uniform(model), name);
        if (entry)
            scale = thumb_scale(v, entry);
    }
    if (l->bar.w <= 0)
        return;
    bool own = model->scale == VIZ_PER_MAP;
    snprintf(name, sizeof name, "%s%s%s", text,
             own && map_count(v) > 1 ? viz_word("; the numbers are the chosen one's") : "",
             l->panel_bar.w > 0 ? viz_word("; pooled") : "");
    viz_bar_draw(canvas, l->bar, viz_map_colors(canvas->theme, model->look.map), &scale,
                 viz_weights_model_uniform(model), name);
}

static void draw_all_heads(heads_view *v, viz_canvas *canvas)
{
    if (v->ask.rect.w <= 0 || v->ask.rect.y > v->base.title_y) /* else the question is there */
        draw_gallery_title(v, canvas, v->layout.title_x - 32);
    viz_weights_view_draw_title(&v->base, canvas, v->layout.title_x, v->layout.turn_x);
    viz_head_kinds_draw(&v->layout.kinds, v->base.model, canvas);
    if (v->layout.grid.w > 0)
        draw_grid(v, canvas);
    viz_panel_draw(&v->base.panel, canvas);
    viz_row_panel_draw(&v->base.row, canvas);
    viz_asked_list_draw(&v->asked, v->base.model, canvas);
    viz_heads_effect_draw(v->base.model, canvas, v->layout.effect);
    draw_bars(v, canvas);
    viz_ask_line_draw(&v->ask, &v->asked, v->base.model, canvas);
}

static void draw_picture(heads_view *v, viz_canvas *canvas)
{
    const layout *l = &v->layout;
    viz_weights_view_draw_title(&v->base, canvas, l->left, l->turn_x);
    viz_row_panel_draw(&v->base.row, canvas);
    viz_row_panel_draw_bar(&v->base.row, canvas, l->bar);
    viz_asked_list_draw(&v->asked, v->base.model, canvas);
    viz_token_line_draw(&v->tokens, v->base.model, canvas);
    viz_head_grid_draw(&v->maps, canvas);
    viz_head_kinds_draw(&l->kinds, v->base.model, canvas);
    viz_head_strip_draw(&v->maps, canvas);
}

static void draw(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    heads_view *v = as_heads_view(view);
    sort_maps(v);
    lay(v, canvas, area);
    if (shows_picture(v))
        draw_picture(v, canvas);
    else
        draw_all_heads(v, canvas);
    viz_panel_draw_readout(&v->base.panel, canvas, v->layout.right_x, v->layout.readout_y,
                           v->layout.readout_w);
    viz_caps_draw(canvas, &v->layout.turn);
    viz_weights_view_draw_controls(&v->base, canvas);
}

/* ---------------------------------------------------------------- beside another map */

#define PAIR_GRID 0.22f /* of the height, at least, for the gallery … */
#define PAIR_MAP 0.6f   /* … where maps keep such a share of their width */
#define PAIR_AROUND                                                                                \
    160.0f /* a map is so much higher than its cells: title, labels, read-out, bar */

static viz_rect pair_room(viz_view *view, const viz_view *other, const viz_canvas *canvas,
                          viz_rect area)
{
    heads_view *v = as_heads_view(view);
    if (shows_picture(v))
        return (viz_rect){0};
    clear_layout(v);
    sort_maps(v);
    const viz_weights_model *beside = ((const viz_weights_view *)other)->model;
    size_t heads = viz_weights_model_heads(v->base.model);
    bool same = beside->source == v->base.model->source &&
                viz_weights_model_heads(beside) == heads && map_count(v) > 1;
    v->other = same ? beside->layer * heads + (heads > 1 ? beside->head : 0) + 1 : 0;
    viz_rect room =
        viz_weights_view_lay(&v->base, canvas, area, thumbs_are_pooled(v), map_count(v) > 1, false);
    float top = v->base.title_y + 8, bottom = room.y + room.h;
    float high = fmaxf(bottom - top - area.w / 3 - PAIR_AROUND, PAIR_GRID * (bottom - top));
    v->base.note = (viz_rect){0}; /* it was seen before */
    v->layout.left = room.x;
    v->layout.title_x = room.x + room.w;
    bool small = bottom - top - high < PAIR_AROUND + PAIR_MAP * area.w / 3;
    if (small || map_count(v) == 1)
        return (viz_rect){area.x, area.y, area.w, bottom - area.y};
    viz_ask_line_lay(&v->ask, v->base.model, canvas, room.x + room.w / 2, v->base.title_y - 19,
                     room.w / 2);
    top += v->ask.rect.w > 0 ? VIZ_GAP : 0;
    viz_rect grid = lay_kinds(v, canvas, (viz_rect){room.x, top, room.w, high});
    lay_grid(v, (viz_rect){grid.x + NUMBERS, grid.y + 14, grid.w - NUMBERS, grid.h - 14}, true);
    top = v->layout.grid.y + v->layout.grid.h + VIZ_GAP;
    return (viz_rect){area.x, top, area.w, bottom - top};
}

static float pair_lay(viz_view *view, const viz_canvas *canvas, viz_rect own, bool shares)
{
    heads_view *v = as_heads_view(view);
    layout *l = &v->layout;
    if (!shares)
        clear_layout(v);
    v->base.model->shows_next = false;
    float end = viz_weights_view_lay_pair(&v->base, canvas, own, shares);
    l->panel_bar = v->base.pair.bar;
    l->right_x = v->base.pair.x;
    l->readout_y = v->base.pair.y;
    l->readout_w = v->base.pair.w;
    return end;
}

static void pair_draw(viz_view *view, viz_canvas *canvas, float end)
{
    heads_view *v = as_heads_view(view);
    viz_weights_view_draw_pair(&v->base, canvas, end);
    if (!v->base.pair.shares || v->layout.grid.w <= 0)
        return;
    draw_gallery_title(v, canvas, v->ask.rect.w > 0 ? v->ask.rect.x - 32 : v->layout.title_x);
    viz_head_kinds_draw(&v->layout.kinds, v->base.model, canvas);
    draw_grid(v, canvas);
    viz_ask_line_draw(&v->ask, &v->asked, v->base.model, canvas);
}

/* ---------------------------------------------------------------- as a figure */

/* The picture under the current row, what the row is, and the bar. */
static void draw_picture_figure(viz_weights_view *v, viz_canvas *canvas, viz_rect area)
{
    char title[256], row[160], text[480];
    float ratio = viz_row_panel_ratio(&v->row), dx, dy;
    viz_figure_frame f = viz_figure_frame_lay(area, true, false);
    float width = floorf(fminf(f.panel.w, f.panel.h / ratio));
    viz_rect picture = {f.panel.x, f.panel.y, width, floorf(width * ratio)};
    viz_figure_centre(&f, picture, &dx, &dy);
    picture.x += dx;
    picture.y += dy;
    f.title_y += dy;
    v->row.picture = picture;
    v->row.list = (viz_rect){0};
    viz_panel_lay(&v->panel, canvas, picture);
    viz_weights_model_title(v->model, title, sizeof title);
    viz_weights_model_row_name(v->model, v->model->row, row, sizeof row);
    snprintf(text, sizeof text, "%s, %s %s", title,
             v->model->source->weights.turned ? "key" : "query", row);
    viz_weights_figure_draw_title(v, canvas, &f, picture, text);
    viz_row_panel_draw(&v->row, canvas);
    viz_row_panel_draw_bar(&v->row, canvas, viz_figure_bar(&f, picture));
}

/* The grid in the frame, all of it: what is scrolled out of a window is there. Below it the legend of
 * kinds. `whole`: both. */
static viz_figure_frame lay_figure(heads_view *v, const viz_canvas *canvas, viz_rect area,
                                   viz_rect *whole)
{
    layout *l = &v->layout;
    viz_figure_frame f = viz_figure_frame_lay(area, false, true);
    float x = f.panel.x + NUMBERS, width = f.panel.w - NUMBERS;
    *l = (layout){0};
    viz_head_kinds_lay(&l->kinds, v->base.model, canvas, x, 0, width);
    float below = l->kinds.count ? VIZ_GAP + l->kinds.height : 0;
    lay_grid(v, (viz_rect){x, f.panel.y + 14, width, f.panel.h - 14 - below}, false);
    viz_head_kinds_lay(&l->kinds, v->base.model, canvas, x, l->grid.y + l->grid.h + VIZ_GAP, width);
    *whole = (viz_rect){l->grid.x, l->grid.y, fmaxf(l->grid.w, l->kinds.width), l->grid.h + below};
    return f;
}

static float figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    heads_view *v = as_heads_view(view);
    viz_rect whole;
    if (shows_picture(v)) {
        viz_figure_frame f = viz_figure_frame_lay((viz_rect){0, 0, width, 0}, true, false);
        float high = f.panel.w * viz_row_panel_ratio(&v->base.row);
        return f.around + floorf(fminf(high, VIZ_FIGURE_TALLEST * width));
    }
    sort_maps(v);
    viz_figure_frame f =
        lay_figure(v, canvas, (viz_rect){0, 0, width, VIZ_FIGURE_TALLEST * width}, &whole);
    return f.around + whole.y + whole.h - f.panel.y;
}

static void draw_figure(viz_view *view, viz_canvas *canvas, viz_rect area)
{
    heads_view *v = as_heads_view(view);
    const viz_weights_model *model = v->base.model;
    layout *l = &v->layout;
    char name[128], scale_name[64];
    float dx, dy;
    sort_maps(v);
    v->base.panel.hidden = true; /* its map is one of those that are drawn */
    if (shows_picture(v)) {
        draw_picture_figure(&v->base, canvas, area);
        return;
    }
    viz_rect whole;
    viz_figure_frame f = lay_figure(v, canvas, area, &whole);
    viz_figure_centre(&f, whole, &dx, &dy);
    f = lay_figure(v, canvas, (viz_rect){area.x + dx, area.y + dy, area.w, area.h}, &whole);
    if (!l->in_order) {
        viz_axis_name_draw(canvas, l->grid, f.name_y, "head");
        viz_axis_name_draw_up(canvas, l->grid, f.name_x, "layer");
    }
    viz_panel_lay(&v->base.panel, canvas, l->grid);
    draw_grid(v, canvas);
    viz_head_kinds_draw(&l->kinds, model, canvas);
    const viz_head_entry *entry = thumb_entry(v, v->order[place_of_current(v)].map);
    viz_scale scale = entry ? thumb_scale(v, entry) : viz_weights_model_scale(model, 1);
    viz_weights_model_scale_name(model, scale_name, sizeof scale_name);
    snprintf(name, sizeof name, "%s", scale_name);
    whole.w = l->grid.w;
    viz_bar_draw(canvas, viz_figure_bar(&f, whole), viz_map_colors(canvas->theme, model->look.map),
                 &scale, viz_weights_model_uniform(model), name);
}

/* ---------------------------------------------------------------- events */

static void select_place(heads_view *v, size_t place)
{
    viz_weights_model *model = v->base.model;
    size_t heads = viz_weights_model_heads(model), map = v->order[place].map;
    viz_weights_model_select(model, map / heads, heads > 1 ? map % heads : model->head);
}

/* The place of the thumbnail there; false: there is none. */
static bool thumb_at(const heads_view *v, float x, float y, size_t *place)
{
    bool found = false;
    for (size_t i = 0; i < map_count(v) && !found && viz_inside(v->layout.grid, x, y); i++) {
        found = viz_inside(thumb_rect(v, i), x, y);
        *place = i;
    }
    return found;
}

static bool press_thumb(heads_view *v, const viz_event *event)
{
    size_t place;
    if (event->kind != VIZ_PRESS || !thumb_at(v, event->x, event->y, &place))
        return false;
    select_place(v, place);
    if (event->button == 3)
        viz_weights_model_scale_current(v->base.model, 0);
    return true;
}

/* Which head it is, what it does, and the figures by which heads are sorted. */
static void write_map_description(heads_view *v, size_t map)
{
    const viz_weights_model *model = v->base.model;
    size_t heads = viz_weights_model_heads(model);
    const viz_head_entry *entry = viz_weights_model_entry(model, map / heads, map % heads);
    size_t layer = sac_source_layer_number(model->source, map / heads),
           size = sizeof v->description;
    size_t used =
        (size_t)(heads > 1 ? snprintf(v->description, size, viz_word("layer %zu, head %zu"), layer,
                                      map % heads)
                           : snprintf(v->description, size, viz_word("layer %zu"), layer));
    if (!entry || !entry->known)
        return;
    const sac_weights_stats *stats = &entry->scan.stats;
    char scaled[24];
    if (heads > 1 && viz_head_scale_name(model, map / heads, map % heads, scaled, sizeof scaled)[0])
        used += (size_t)snprintf(v->description + used, size - used, "  ·  %s", scaled);
    float share, asked;
    if (model->sort == VIZ_BY_ASKED && heads > 1 &&
        viz_weights_model_asked_score(model, map / heads, map % heads, &asked))
        used += (size_t)snprintf(v->description + used, size - used, "  ·  %s %.3f",
                                 viz_word("asked"), (double)asked);
    if (viz_is_signed(model)) {
        viz_signed_number(stats->peak, scaled, sizeof scaled);
        snprintf(
            v->description + used, size - used,
            viz_word(viz_is_difference(model) ? "  ·  largest difference %s" : "  ·  largest %s"),
            scaled);
        return;
    }
    const char *kind = viz_word(sac_weights_kind_name(sac_weights_kind_of(stats, &share)));
    used += (size_t)snprintf(v->description + used, size - used, "  ·  %s", kind);
    if (share > 0)
        used += (size_t)snprintf(v->description + used, size - used, " %.2f", (double)share);
    used += (size_t)snprintf(v->description + used, size - used, viz_word("  ·  entropy %.1f bits"),
                             (double)stats->entropy);
    if (stats->is_square)
        snprintf(v->description + used, size - used, viz_word("  ·  %.1f keys away"),
                 (double)stats->distance);
}

static bool point_at_map(heads_view *v, const viz_event *event)
{
    size_t before = v->pointed, place, layer, head;
    v->pointed = 0;
    if (event->kind == VIZ_LEAVE)
        return before != 0;
    if (shows_picture(v)) {
        if (viz_head_grid_at(&v->maps, event->x, event->y, &layer, &head))
            v->pointed = layer * viz_weights_model_heads(v->base.model) + head + 1;
    } else if (thumb_at(v, event->x, event->y, &place)) {
        v->pointed = v->order[place].map + 1;
    }
    if (v->pointed)
        write_map_description(v, v->pointed - 1);
    return v->pointed != before;
}

static bool scroll(heads_view *v, const viz_event *event)
{
    viz_rect reach = v->layout.grid;
    if (event->kind != VIZ_WHEEL || !viz_inside(reach, event->x, event->y))
        return false;
    v->scrolled = true;
    v->scroll_x -= 40 * (event->shift ? event->wheel_y : event->wheel_x);
    v->scroll_y -= event->shift ? 0 : 40 * event->wheel_y;
    return true;
}

/* A little wider than it is drawn. */
static viz_rect scroll_reach(viz_rect track)
{
    return (viz_rect){track.x - 4, track.y - 4, track.w > 0 ? track.w + 8 : 0, track.h + 8};
}

/* The middle of the knob follows the pointer. */
static bool drag_scroll_bars(heads_view *v, const viz_event *event)
{
    const layout *l = &v->layout;
    const viz_rect x = l->track_x, y = l->track_y;
    if (event->kind == VIZ_PRESS && event->button == 1) {
        v->drags_x = viz_inside(scroll_reach(x), event->x, event->y);
        v->drags_y = viz_inside(scroll_reach(y), event->x, event->y);
    } else if (event->kind != VIZ_MOVE) {
        v->drags_x = v->drags_y = false;
        return false;
    }
    if (v->drags_y && y.h > 0) {
        float knob = scroll_knob(y, 0, l->whole_h).h;
        v->scroll_y = (event->y - y.y - knob / 2) / (y.h - knob) * (l->whole_h - y.h);
    }
    if (v->drags_x && x.w > 0) {
        float knob = scroll_knob(x, 0, l->whole_w).w;
        v->scroll_x = (event->x - x.x - knob / 2) / (x.w - knob) * (l->whole_w - x.w);
    }
    v->scrolled |= v->drags_x || v->drags_y;
    return v->drags_x || v->drags_y;
}

/* Arrows walk through the grid as it is seen. */
static bool press_move_head(viz_view *view, viz_pressed pressed)
{
    heads_view *v = as_heads_view(view);
    bool down = pressed.key == VIZ_KEY_UP || pressed.key == VIZ_KEY_DOWN;
    size_t count = map_count(v), at = place_of_current(v), columns = v->layout.columns;
    if (!v->layout.in_order) {
        viz_weights_view_step(&v->base, down, pressed.step);
    } else {
        if (!down)
            at = viz_next(at, pressed.step, count);
        else if (pressed.step < 0 ? at >= columns : at + columns < count)
            at = pressed.step < 0 ? at - columns : at + columns;
        select_place(v, at);
    }
    scroll_to_current(v);
    return true;
}

static bool press_select_first_head(viz_view *view, viz_pressed pressed)
{
    (void)pressed;
    viz_weights_model_select(as_heads_view(view)->base.model, 0, 0);
    scroll_to_current(as_heads_view(view));
    return true;
}

/* Between the picture and all heads; a map that was zoomed is fitted first. */
static bool press_toggle_all_heads(viz_view *view, viz_pressed pressed)
{
    heads_view *v = as_heads_view(view);
    if (!has_picture(v) || (v->all_heads && v->base.panel.zoomed))
        return viz_weights_press_fit(view, pressed);
    v->all_heads = !v->all_heads;
    return true;
}

static const viz_key_row keys[] = {
    {"←  →  ↑  ↓", "head, layer", press_move_head},
    {"space", "play the queries one after the other, or rest", viz_weights_press_play},
    {"K", "sort by layer, entropy, distance, kind, or what is asked for", .setting = "sort"},
    {"J", "the next query (shift: before)", viz_weights_press_row},
    {"N  P", "another of several pictures", viz_weights_press_next_picture,
     .acts = viz_weights_has_pictures},
    {"wheel", "zoom the map, scroll the heads"},
    {"+  −", "zoom in, zoom out", viz_weights_press_zoom},
    {"Home", "the first head", press_select_first_head},
    {"F", "fit the whole map; all heads, or the picture", press_toggle_all_heads},
    VIZ_WEIGHTS_KEYS,
};

static bool handle_event(heads_view *v, const viz_event *e)
{
    viz_view *view = &v->base.view;
    bool changed;
    if (viz_ask_line_event(&v->ask, &v->base, e))
        return true;
    if (e->kind == VIZ_KEY) {
        bool pressed = viz_keys_press(keys, view, e);
        if (pressed && e->key == 'j')
            viz_weights_model_ask_current(v->base.model);
        return pressed;
    }
    if (!shows_picture(v) && drag_scroll_bars(v, e))
        return true;
    bool was_asked = v->base.model->sort == VIZ_BY_ASKED;
    bool pointed = (e->kind == VIZ_MOVE || e->kind == VIZ_LEAVE) && point_at_map(v, e);
    bool on_picture = shows_picture(v) && (viz_head_maps_event(&v->maps, e) ||
                                           viz_token_line_event(&v->tokens, v->base.model, e));
    bool taken = on_picture || viz_weights_view_axis_switch_event(&v->base, e) ||
                 viz_controls_event(&v->base.controls.choices, &v->base.view, e, &changed) ||
                 viz_head_kinds_event(&v->layout.kinds, v->base.model, e) || press_thumb(v, e) ||
                 viz_asked_list_event(&v->asked, v->base.model, e) ||
                 viz_heads_effect_event(v->base.model, v->layout.effect, e) || scroll(v, e) ||
                 viz_row_panel_event(&v->base.row, e) || viz_panel_event(&v->base.panel, e);
    /* A press chooses the pair that is asked for: a cell, or a query or key at the edges. */
    viz_rect asks = shows_picture(v) ? v->base.row.picture : v->base.panel.layout.area;
    if (e->kind == VIZ_PRESS && e->button == 1 && (!was_asked || viz_inside(asks, e->x, e->y)))
        viz_weights_model_ask_current(v->base.model);
    return taken || pointed;
}

/* Where a person has the heads sorted by a question, it can be typed at once. */
static bool event(viz_view *view, const viz_event *e)
{
    heads_view *v = as_heads_view(view);
    const viz_weights_model *model = v->base.model;
    const bool typed = viz_ask_line_typing(&v->ask), was_asked = model->sort == VIZ_BY_ASKED;
    bool handled = handle_event(v, e);
    if (!typed && !was_asked && model->sort == VIZ_BY_ASKED && !model->kind_alone &&
        v->ask.rect.w > 0)
        viz_ask_line_begin(&v->ask);
    return handled;
}

static bool typing(const viz_view *view)
{
    return viz_ask_line_typing(&((const heads_view *)view)->ask);
}

static void add_spots(const viz_view *view, viz_spots *spots)
{
    const heads_view *v = (const heads_view *)view;
    const layout *l = &v->layout;
    viz_weights_view_spots(&v->base, l->bar, spots);
    if (shows_picture(v)) {
        viz_head_strip_spots(&v->maps, spots);
        viz_spots_add(spots, v->maps.grid.maps, VIZ_SPOT_AREA,
                      v->pointed
                          ? v->description
                          : "Where each head looks for this query, and the colour of what it does; "
                            "click to see it large.");
        viz_token_line_spots(&v->tokens, spots);
    }
    viz_spots_add_caps(spots, &l->turn);
    viz_spots_add(spots, l->panel_bar, VIZ_SPOT_READOUT,
                  "What the colours of the enlarged map mean; 1/N is the weight that every key "
                  "would have, were all equal.");
    viz_head_kinds_spots(&l->kinds, spots);
    viz_heads_effect_spots(v->base.model, l->effect, spots);
    viz_asked_list_spots(&v->asked, spots);
    viz_ask_line_spots(&v->ask, spots);
    viz_spots_add(spots, scroll_reach(l->track_y), VIZ_SPOT_SLIDES,
                  "Drag, or turn the wheel over the heads, to see the other layers.");
    viz_spots_add(spots, scroll_reach(l->track_x), VIZ_SPOT_SLIDES, "Drag to see the other heads.");
    viz_spots_add(spots, l->grid, VIZ_SPOT_AREA,
                  v->pointed ? v->description
                  : v->base.model->head_scale
                      ? "Click a head to enlarge it; a right click, or H, switches it off."
                      : "Click a head to enlarge it; C compares it with the one before.");
    viz_spots_add_press(spots, (viz_rect){l->right_x, l->readout_y - 14, l->readout_w, 20}, "I",
                        "The weight of this key for this query, and how far the row spreads: 0 "
                        "bits for one key, the second number for all alike; click to see why.");
}

static bool tick(viz_view *view, double now)
{
    return viz_weights_view_tick(&as_heads_view(view)->base, now);
}

static const char *take_retyped_text(viz_view *view)
{
    viz_weights_model *model = as_heads_view(view)->base.model;
    free(as_heads_view(view)->typed);
    as_heads_view(view)->typed = model->generated_instead;
    model->generated_instead = NULL;
    return as_heads_view(view)->typed;
}

/* ---------------------------------------------------------------- work, words, frames */

/* With a picture the current row first, then those of all heads, then what else is seen. */
static viz_job *create_job(viz_view *view)
{
    heads_view *v = as_heads_view(view);
    viz_weights_model *model = v->base.model;
    if (!shows_picture(v))
        return viz_weights_view_create_job(&v->base, true);
    viz_weights_job *job = model->request.out || viz_panel_is_waiting(&v->base.panel)
                               ? NULL
                               : viz_head_maps_create_job(&v->maps);
    if (!job)
        return viz_weights_view_create_job(
            &v->base, model->scale == VIZ_SHARED || model->sort == VIZ_BY_ASKED ||
                          viz_weights_model_seeks_informative(model));
    job->base.class = view->class;
    return viz_request_submit(&model->request, &job->base, 0);
}

static void finish_job(viz_view *view, viz_job *job, const sac_error *error)
{
    viz_head_maps_take(&as_heads_view(view)->maps, viz_job_of(job, view->class));
    viz_weights_view_finish_job(view, job, error);
    if (viz_weights_model_open_informative(as_heads_view(view)->base.model) ||
        viz_weights_model_open_asked(as_heads_view(view)->base.model))
        scroll_to_current(as_heads_view(view));
}

static const char *const shown_names[] = {"", "all"};
static const viz_setting settings[] = {
    {"heads shown", VIZ_SWITCH, offsetof(heads_view, all_heads), VIZ_NAMES(shown_names)},
    {0},
};

/* The heads, one after the other, in the order they are sorted in. */
static int frames(const viz_view *view, int fps)
{
    return (int)map_count((const heads_view *)view) * viz_weights_view_head_frames(fps);
}

static void frame(viz_view *view, int index, int fps)
{
    heads_view *v = as_heads_view(view);
    size_t place = (size_t)(index / viz_weights_view_head_frames(fps));
    sac_head_choice before = viz_weights_model_current(v->base.model);
    select_place(v, place);
    scroll_to_current(v);
    if (index == 0)
        viz_panel_rewind(&v->base.panel);
    viz_panel_tick(&v->base.panel, (double)index / fps);
    sac_head_choice now = viz_weights_model_current(v->base.model);
    if (index > 0 && !sac_head_choice_same(&now, &before))
        viz_panel_begin_glide(&v->base.panel);
}

static void destroy(viz_view *view)
{
    free(as_heads_view(view)->order);
    viz_head_maps_free(&as_heads_view(view)->maps);
    viz_asked_list_free(&as_heads_view(view)->asked);
    free(as_heads_view(view)->typed);
    viz_weights_view_destroy(view);
}

static sac_status create(sac_source *source, viz_view *beside, viz_view **view, sac_error *error)
{
    heads_view *v = calloc(1, sizeof *v);
    viz_weights_model *model; /* which it may share with a matrix view */
    *view = NULL;
    if (v)
        v->order = calloc(source->weights.layers * source->weights.heads, sizeof *v->order);
    sac_status status = v && v->order ? viz_weights_view_create_model(source, beside, &model, error)
                                      : sac_no_memory(error, "heads");
    if (status != SAC_OK) {
        free(v ? v->order : NULL);
        free(v);
        return status;
    }
    viz_weights_view_init(&v->base, &viz_heads_class, model);
    viz_weights_model_release(model);
    v->maps.row = &v->base.row;
    v->base.player = (viz_player){.step_seconds = ROW_SECONDS, .speed = 1};
    sort_maps(v);
    *view = &v->base.view;
    return SAC_OK;
}

const viz_view_class viz_heads_class = {
    .name = "heads",
    .tab = "Heads",
    .is_place = true,
    .create = create,
    .draw = draw,
    .figure = draw_figure,
    .figure_height = figure_height,
    .event = event,
    .typing = typing,
    .tick = tick,
    .retyped = take_retyped_text,
    .create_job = create_job,
    .finish_job = finish_job,
    .settings = {viz_weights_settings, viz_panel_settings, settings},
    .map = viz_weights_map_head,
    .pair_room = pair_room,
    .pair_lay = pair_lay,
    .pair_draw = pair_draw,
    .keys = keys,
    .spots = add_spots,
    .about = "All layers and heads side by side, and one of them enlarged.",
    .frames = frames,
    .frame = frame,
    .destroy = destroy,
    VIZ_WEIGHTS_VIEW_FUNCTIONS};
