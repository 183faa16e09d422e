/* The keys of the whole program: one table, in which a key means one thing wherever it means
 * anything. Sheets and caps take the keys' names from the table; a view's own words explain that
 * meaning in the view. */
#ifndef VIZ_VIEW_KEYS_H
#define VIZ_VIEW_KEYS_H

#include "view/view.h"

typedef enum viz_key_group {
    VIZ_KEYS_MOVE = 0,
    VIZ_KEYS_CHANGE,
    VIZ_KEYS_LOOK,
    VIZ_KEYS_SAVE,
    VIZ_KEYS_GROUPS
} viz_key_group;
extern const char *const viz_key_group_names[VIZ_KEYS_GROUPS];

/* The part of the program that answers a key. */
typedef enum viz_key_owner {
    VIZ_KEY_OF_VIEW = 0, /* where it is in the view's sheet */
    VIZ_KEY_OF_SHELL,
    VIZ_KEY_OF_WINDOW,
    VIZ_KEY_RESERVED /* unused so far; no view may use it for anything else */
} viz_key_owner;

typedef struct viz_key {
    const char *cap; /* "M", "ctrl Z", "←"; what is done with the pointer too: "right drag" */
    viz_key_group group;
    const char *meaning;
    int code; /* of its event; 0: the pointer */
    bool ctrl, shift;
    viz_key_owner owner;
    bool shared; /* explained with the key before it: "(shift: …)" */
    bool back;   /* it goes back: the other one of its row goes on */
    bool split;  /* it does something in a view that is split */
} viz_key;
extern const viz_key viz_keys[]; /* ends with a zeroed one */

/* The first key of "N  P", in which two spaces stand between keys; *rest (may be NULL) is what
 * follows it, NULL at the end. NULL: the table has no such key. */
const viz_key *viz_key_named(const char *caps, const char **rest);
/* The event is this key. */
bool viz_key_is(const viz_key *key, const viz_event *event);
/* The event that pressing it gives; the kind is VIZ_KEY. */
viz_event viz_key_event(const viz_key *key);
/* There is something that the keys of the row would act on. */
bool viz_key_acts(const viz_key_row *row, const viz_view *view);
/* Performs the action of that key's row; false: there is no such row, or nothing changed. */
bool viz_keys_press(const viz_key_row *rows, viz_view *view, const viz_event *event);

#endif
