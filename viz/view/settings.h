/* The settings of a view: one table, by which they are written as text, read back, undone, and
 * given on the command line. Their names are stored in saved PNGs. */
#ifndef VIZ_VIEW_SETTINGS_H
#define VIZ_VIEW_SETTINGS_H

#include <stddef.h>

#include "canvas/heat.h"
#include "view/settings.h"
#include "view/view.h"

typedef enum viz_setting_kind {
    VIZ_OWN = 0, /* by the row's own `save` and `take`; without `take` it is write-only */
    VIZ_REAL,    /* float */
    VIZ_WHOLE,   /* int */
    VIZ_INDEX,   /* size_t, below `below` */
    VIZ_LAYER,   /* size_t: a layer of the source's weights, which text has by its number */
    VIZ_CHOICE,  /* an enumeration, by `names`, or of the view's own `choices` */
    VIZ_SWITCH,  /* bool, by names [2], that of false first */
    VIZ_PLACE,   /* int below `choices` less 1, or to `most`; or VIZ_MEAN, its last: "mean" */
    VIZ_TEXT     /* char []; only written */
} viz_setting_kind;
enum { VIZ_MEAN = -1, VIZ_MAX_CHOICES = 24 };

/* What the pointer changes a setting by (parts/controls/controls.h). */
typedef enum viz_widget { VIZ_NO_WIDGET = 0, VIZ_SLIDER, VIZ_WORDS, VIZ_CHIPS } viz_widget;

struct viz_setting {
    const char *name; /* NULL: `save` writes several, none of which is read back */
    viz_setting_kind kind;
    size_t at;                             /* its offset in the view's struct, or … */
    double low, high;                      /* numbers beyond are brought to these; both 0: any */
    size_t (*below)(const viz_view *view); /* how many there are of an index; others mean nothing */
    const char *const *names;
    int count;
    const char *const *former; /* names of before, each followed by that of today; ends with NULL */
    bool moves;                /* time, the pointer or a result changes it: it is not undone */
    bool unmentioned;          /* read, but never written */
    bool implied;              /* undo goes back to its value where `only` leaves it out, too */
    void *(*in)(viz_view *view);        /* … in this struct of the view's */
    bool (*only)(const viz_view *view); /* it is written only if this is true */
    /* Used in place of the value at `at`; NULL: that is read and set. `set` gets numbers of the
     * range. */
    void (*save)(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
    void (*take)(viz_view *view, const viz_setting *setting, const char *value);
    void (*set)(viz_view *view, const viz_setting *setting, double number);
    void (*changed)(viz_view *view); /* after the value at `at` became another */
    double (*most)(const viz_view *view, const viz_setting *setting); /* `high` of this view */
    bool (*turn)(viz_view *view, int step); /* to the next value; NULL: by its kind */

    /* Its control. */
    viz_widget widget;
    const char *label,
        *(*label_of)(const viz_view *view); /* NULL: none; what depends on the view */
    const char *tip, *const *tips;          /* a sentence for all of it, or one for each choice */
    const char *const *words;               /* the choices as a person reads them; NULL: `names` */
    bool logarithmic;                       /* equal ways on a slider are equal factors */
    double grain;                           /* a slider gives its multiples; 0: any number */
    /* What `set` sets, in place of the value at `at`. */
    double (*get)(const viz_view *view, const viz_setting *setting);
    /* The choices where they depend on the view, into names [VIZ_MAX_CHOICES] (NULL: that one is not
     * there), and sentences of their own into tips; returns their number, 0: there is no control. */
    int (*choices)(const viz_view *view, const viz_setting *setting, const char **names,
                   const char **tips);
    /* The number beside a slider. NULL: two decimals. */
    void (*show)(const viz_view *view, double number, char *text, size_t size);
    bool (*idle)(const viz_view *view);    /* a slider that has no effect now */
    double (*usual)(const viz_view *view); /* a number that is faint; NULL: 0, or the mean */

    /* Its option of the command line: several views may have it, each by the same name. */
    const char *option, *value_name; /* "--first", "F"; NULL: it has none */
    const char *help;                /* of the option, without its full stop; NULL: `tip` */
    const char *const *spelled;      /* the option's words in place of `names` */
    /* What it takes and what is valid of that, where neither a range nor names decide it; without
     * `valid` any text is. */
    const char *form, *(*form_of)(char *text, size_t size);
    bool (*valid)(const char *text);
};

/* Calls `put` for "view" and each setting, in the tables' order. */
void viz_view_describe(const viz_view *view, viz_put *put, void *user);
/* The same for what undo takes back. */
void viz_view_describe_undoable(const viz_view *view, viz_put *put, void *user);
/* Sets what `name` names; names and values that mean nothing change nothing. */
void viz_view_restore(viz_view *view, const char *name, const char *value);
/* The next value of a choice or a switch, or the one before it, round and round; of the first `what`
 * of them, 0: of all. A real number goes `what` hundredths up or down, within its range. False: it is
 * as it was. */
bool viz_view_step_setting(viz_view *view, const char *name, int step, int what);
/* Ctrl+Z takes it back: it can be set, and a person alone changes it. */
bool viz_view_undoes(const viz_view *view, const char *name);
/* A setting's number, the place of a choice among all. Then sets it, within the range and to a
 * multiple of the grain; true: it was another one. */
double viz_setting_number(const viz_setting *setting, const viz_view *view);
bool viz_setting_change(const viz_setting *setting, viz_view *view, double number);
/* How many there are of an index or of layers; 0: any number. */
size_t viz_setting_count(const viz_setting *setting, const viz_view *view);
/* The same without `set`, which may call it: the value at `at` alone. */
bool viz_setting_store(const viz_setting *setting, viz_view *view, double number);
/* The number that a text stands for; false: it is none of the setting's. */
bool viz_setting_read(const viz_setting *setting, const viz_view *view, const char *text,
                      double *number);
/* What can be chosen, as a person reads it, and a sentence for each, [VIZ_MAX_CHOICES]. */
int viz_setting_choices(const viz_setting *setting, const viz_view *view, const char **names,
                        const char **tips);
/* The setting of that name; NULL: the class has none. */
const viz_setting *viz_view_setting(const viz_view_class *class, const char *name);

void viz_put_real(viz_put *put, void *user, const char *key, double value); /* to 9 digits */
void viz_put_whole(viz_put *put, void *user, const char *key, long long value);
/* False, and *number left as it is, where `value` does not begin with a finite number. */
bool viz_read_real(const char *value, float *number);

/* ---- rows that several views have */

extern const char *const viz_overlays_of_before[];

extern const char *const viz_no_yes[2], *const viz_off_on[2], *const viz_smooth_blocky[2];

/* A setting of every view that can be a figure; Esc leaves it, not undo. It is saved where the view is one, and as a row always. */
extern const char *const viz_layout_names[2];
#define VIZ_LAYOUT_SETTING                                                                         \
    "layout", VIZ_SWITCH, offsetof(viz_view, figure), VIZ_NAMES(viz_layout_names), .moves = true

#define VIZ_NAMES(array) .names = (array), .count = (int)(sizeof(array) / sizeof *(array))

#define VIZ_OPTION(name, value, line) .option = (name), .value_name = (value), .help = (line)

/* Behind the row for a word that a viz_player plays: whether it was chosen, as one that is named is. */
#define VIZ_WORD_CHOSEN_SETTING(IN)                                                                \
    "word chosen", VIZ_SWITCH, IN(player.chosen), VIZ_NAMES(viz_no_yes), .moves = true

/* How weights lie over a picture, in the viz_heat_style at `style`; the scale is the view's own.
 * `IN(member)` is where a member is, as in the view's other rows. */
#define VIZ_STYLE_SETTINGS(IN, style)                                                              \
    {"map",                                                                                        \
     VIZ_CHOICE,                                                                                   \
     IN(style.map),                                                                                \
     VIZ_NAMES(viz_colormap_names),                                                                \
     .widget = VIZ_WORDS,                                                                          \
     .label = "colours",                                                                           \
     .choices = viz_colormap_choices,                                                              \
     VIZ_OPTION("--map", "M", "colour map")},                                                      \
        {"overlay",                                                                                \
         VIZ_CHOICE,                                                                               \
         IN(style.overlay),                                                                        \
         VIZ_NAMES(viz_overlay_names),                                                             \
         .former = viz_overlays_of_before,                                                         \
         .widget = VIZ_WORDS,                                                                      \
         .label = "show",                                                                          \
         .tips = viz_overlay_tips,                                                                 \
         VIZ_OPTION("--overlay", "O", "how weights are drawn over a picture")},                    \
        {"brightness",                                                                             \
         VIZ_REAL,                                                                                 \
         IN(style.brightness),                                                                     \
         .low = 0,                                                                                 \
         .high = 1,                                                                                \
         VIZ_OPTION("--brightness", "B", "brightness of a picture where it is not attended")},     \
        {"opacity",                                                                                \
         VIZ_REAL,                                                                                 \
         IN(style.opacity),                                                                        \
         .low = 0,                                                                                 \
         .high = 1,                                                                                \
         VIZ_OPTION("--opacity", "A", "opacity of the heat, or of the rim of light")},             \
    {                                                                                              \
        "cells drawn", VIZ_SWITCH, IN(style.blocky), VIZ_NAMES(viz_smooth_blocky)                  \
    }
int viz_colormap_choices(const viz_view *view, const viz_setting *setting, const char **names,
                         const char **tips); /* but the one of signed numbers */
/* The scale of the colours. */
extern const char *const viz_scale_words[VIZ_SCALE_COUNT],
    *const viz_scale_tips[VIZ_SCALE_COUNT], *const viz_scale_options[VIZ_SCALE_COUNT];
#define VIZ_SCALE_SETTING(at)                                                                      \
    "scale", VIZ_CHOICE, at, VIZ_NAMES(viz_scale_names),                                           \
        .widget = VIZ_WORDS, .label = "scale", .words = viz_scale_words, .tips = viz_scale_tips,   \
        .spelled = viz_scale_options, VIZ_OPTION("--scale", "K", "colour scale")
/* The keys of most of these. */
#define VIZ_STYLE_KEYS                                                                             \
    {"O", "light, heat or contour", .setting = "overlay"},                                         \
        {"[  ]", "less, more of that", viz_press_change_strength},                                 \
    {                                                                                              \
        "M", "the next colour map", .setting = "map", .what = VIZ_DIVERGING                        \
    }
/* How bright the picture is beside what is lit, or how strong heat and lines are. */
bool viz_press_change_strength(viz_view *view, viz_pressed pressed);

void *viz_setting_source(viz_view *view); /* for `in` */
size_t viz_source_items(const viz_view *view),
    viz_source_heads(const viz_view *view); /* for `below` */
void viz_save_version(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
#define VIZ_SOURCE_TEXT(name, member)                                                              \
    {                                                                                              \
        name, VIZ_TEXT, offsetof(sac_source, member), .in = viz_setting_source                     \
    }
#define VIZ_VERSION_SETTING                                                                        \
    {                                                                                              \
        "version", .save = viz_save_version                                                        \
    }
/* The heads of a generator that are scaled, where any are. */
void viz_save_without(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
/* The heads that are scaled where a view shows what a model makes of its input: their text
 * (sources/heads/head_scales.h) is the view's char * at `at`, owned; NULL: none. Another view may have
 * scaled others since: each job has a copy, and scales by it before it computes. */
#define VIZ_SCALES_SETTING(at, then)                                                               \
    {                                                                                              \
        "without", VIZ_OWN, (at), .save = viz_save_scales, .take = viz_take_scales,                \
                                  .changed = (then)                                                \
    }
void viz_save_scales(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
void viz_take_scales(viz_view *view, const viz_setting *setting, const char *value);
sac_status viz_scale_heads(sac_source *source, const char *scales, sac_error *error);
/* What weights were opened from, and how. */
void viz_save_source(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
/* The part of it that all sources have. */
void viz_save_origin(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);

#endif
