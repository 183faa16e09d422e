/* The dialogs' state, which their files share. */
#ifndef VIZ_SHELL_CHOOSER_STATE_H
#define VIZ_SHELL_CHOOSER_STATE_H

#include "parts/controls/spots.h"
#include "parts/controls/text_field.h"
#include "shell/chooser/chooser.h"

#define CHOOSER_ROW 34.0f

enum {
    CHOOSER_TILE_W = 256, /* pixels of a sample's picture … */
    CHOOSER_TILE_H = 192,
    CHOOSER_THUMB_W = 96, /* … and of one in a row */
    CHOOSER_THUMB_H = 72,
    CHOOSER_THUMBS = 96 /* more than rows are seen at once */
};

typedef enum chooser_kind {
    CHOOSER_PARENT,
    CHOOSER_PICTURES, /* all of the folder, one after the other */
    CHOOSER_ENTRY,
    CHOOSER_RECENT,
    CHOOSER_SAMPLE
} chooser_kind;

typedef struct chooser_item {
    chooser_kind kind;
    size_t index;  /* of the folder's entries, the recent ones or the samples */
    viz_rect rect; /* at the right, as drawn last, without scrolling */
} chooser_item;

enum { CHOOSER_LEFT = 0, CHOOSER_RIGHT, CHOOSER_SIDES, CHOOSER_NONE = -1 };

typedef struct chooser_mark {
    int side; /* CHOOSER_NONE: nothing is marked */
    size_t index;
} chooser_mark;

/* A picture, small, as it stands in a row. */
typedef struct chooser_thumb {
    char path[VIZ_PATH_SIZE]; /* empty: none */
    sac_image tile;           /* empty: not there yet, or it cannot be read */
    viz_scaled kept;
    unsigned number; /* of the pictures that were read, for `kept` */
} chooser_thumb;

/* The middle of a picture, small: of a sample, or of a row. */
typedef struct chooser_picture {
    viz_job base;
    int sample; /* < 0: `thumb` instead */
    size_t thumb;
    char path[VIZ_PATH_SIZE];
    sac_image tile;
} chooser_picture;

typedef struct chooser_view {
    viz_view base;
    bool saving; /* else it opens */
    viz_opens opens;
    viz_saves saves;
    viz_text_field field;
    char base_folder[VIZ_PATH_SIZE]; /* where names without a folder are looked for */
    char problem[1200];              /* shown in the dialog; empty: none */
    bool waits;                      /* what was chosen is being opened */
    viz_listing listing;

    chooser_item *left; /* [left_count]: the folder; owned */
    size_t left_count;
    chooser_item right[VIZ_RECENT_MOST + VIZ_SAMPLES_MOST];
    size_t right_count;
    chooser_mark mark;
    float scroll[CHOOSER_SIDES];
    float lengths[CHOOSER_SIDES]; /* of what is scrolled, as drawn last */
    viz_rect lists[CHOOSER_SIDES], close, button;
    viz_choices forms, kinds, widths, grounds;                 /* of saving */
    float ground_at;                                           /* of their label */
    int form_at[VIZ_SAVE_FORMS], kind_at[VIZ_SAVE_KINDS_MOST]; /* what their chips are */
    viz_rect preview_room;
    sac_image preview; /* owned; empty: none */
    viz_scaled preview_kept;
    unsigned preview_stamp;
    bool wants_preview;
    viz_choices folders; /* to open */

    viz_job *picture_job;              /* that is out; NULL: none */
    int pictured;                      /* so many samples were asked for their picture */
    sac_image tiles[VIZ_SAMPLES_MOST]; /* empty: not there yet */
    viz_scaled kept[VIZ_SAMPLES_MOST];
    chooser_thumb thumbs[CHOOSER_THUMBS];
    size_t next_thumb; /* that gives way to another picture */
    unsigned thumb_number;

    bool closed, has_chosen;
    viz_recent chosen;
    char confirmed[VIZ_PATH_SIZE]; /* a file that may be replaced */
} chooser_view;

/* The marked item; NULL: none is. */
static inline const chooser_item *chooser_marked(const chooser_view *v)
{
    size_t i = v->mark.index;
    return v->mark.side == CHOOSER_LEFT && i < v->left_count     ? &v->left[i]
           : v->mark.side == CHOOSER_RIGHT && i < v->right_count ? &v->right[i]
                                                                 : NULL;
}

/* The path of the picture that a row shows; false: it shows none. */
bool chooser_row_picture(const chooser_view *v, const chooser_item *item, char path[VIZ_PATH_SIZE]);
const chooser_thumb *chooser_find_thumb(const chooser_view *v, const char *path);

/* chooser_draw.c: layout, looks, and what stands where. */
void chooser_seen_rows(const chooser_view *v, size_t *first, size_t *end); /* of the folder */
void chooser_draw(viz_view *view, viz_canvas *canvas, viz_rect area);
void chooser_spots(const viz_view *view, viz_spots *spots);
chooser_mark chooser_under(const chooser_view *v, float x, float y);
void chooser_scroll(chooser_view *v, int side, float by);
void chooser_move(chooser_view *v, int key); /* the mark, by an arrow, a page, Home or End */

#endif
