/* Undo and redo: two lists of states. */

#include "view/history.h"

#include <stdlib.h>
#include <string.h>

#include "view/snapshot.h"

#define MOST_STEPS 200

struct viz_history {
    viz_undoable what;
    viz_snapshot first, now;
    viz_snapshot past[MOST_STEPS], future[MOST_STEPS];
    int past_count, future_count;
    bool goes_on; /* the last step may go on */
};

static viz_snapshot take_snapshot(const viz_history *h)
{
    return viz_snapshot_take_from(h->what.describe, h->what.of);
}

static void forget_all(viz_snapshot *states, int *count)
{
    while (*count > 0)
        viz_snapshot_free(&states[--*count]);
}

static void push(viz_snapshot *states, int *count, viz_snapshot s)
{
    if (*count == MOST_STEPS) { /* the oldest goes */
        viz_snapshot_free(&states[0]);
        memmove(states, states + 1, (MOST_STEPS - 1) * sizeof *states);
        --*count;
    }
    states[(*count)++] = s;
}

viz_history *viz_history_create(viz_undoable what)
{
    viz_history *h = calloc(1, sizeof *h);
    if (h)
        h->what = what;
    viz_history_begin(h);
    return h;
}

void viz_history_begin(viz_history *h)
{
    if (!h || h->past_count || h->future_count)
        return;
    viz_snapshot_free(&h->first);
    h->first = take_snapshot(h);
    viz_history_refresh(h);
}

void viz_history_free(viz_history *h)
{
    if (!h)
        return;
    forget_all(h->past, &h->past_count);
    forget_all(h->future, &h->future_count);
    viz_snapshot_free(&h->first);
    viz_snapshot_free(&h->now);
    free(h);
}

void viz_history_refresh(viz_history *h)
{
    if (!h)
        return;
    viz_snapshot_free(&h->now);
    h->now = take_snapshot(h);
}

/* ---------------------------------------------------------------- steps */

/* True where from `now` to `next` only that changes which the last step changed. */
static bool changes_same_settings(const viz_history *h, const viz_snapshot *next)
{
    if (!h->past_count)
        return false;
    for (const char *key = next->text; key; key = viz_snapshot_next(next, key)) {
        const char *was = viz_snapshot_find(&h->now, key),
                   *before = viz_snapshot_find(&h->past[h->past_count - 1], key);
        bool changes = was && strcmp(was, key + strlen(key) + 1) != 0;
        if (changes && before && strcmp(before, was) == 0)
            return false;
    }
    return true;
}

bool viz_history_note(viz_history *h, bool goes_on)
{
    if (!h)
        return false;
    viz_snapshot now = take_snapshot(h);
    if (!now.text || viz_snapshot_same(&now, &h->now)) {
        viz_snapshot_free(&now);
        return false;
    }
    if (goes_on && h->goes_on && changes_same_settings(h, &now))
        viz_snapshot_free(&h->now);
    else
        push(h->past, &h->past_count, h->now);
    forget_all(h->future, &h->future_count);
    h->now = now;
    h->goes_on = goes_on;
    return true;
}

bool viz_history_is_subject(const char *name)
{
    static const char *const subjects[] = {"file", "hash", "title", "picture", "lesson"};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strcmp(name, subjects[i]) == 0)
            return true;
    return false;
}

typedef struct giving {
    const viz_history *history;
    const char *other; /* of this one something else is open now: its first word is its name */
    bool any;
} giving;

static void restore_if_not_subject(void *user, const char *key, const char *value)
{
    giving *g = user;
    size_t word = strcspn(key, " ") + 1;
    if (viz_history_is_subject(key + word))
        g->other = key;
    else if (!g->other || strncmp(g->other, key, word) != 0)
        g->any |= g->history->what.restore(g->history->what.of, key, value);
}

/* Goes to the last state of one list that is another one of what is open now, and puts the present
 * one at the end of the other. */
static bool go_to_last_state(viz_history *h, viz_snapshot *from, int *from_count, viz_snapshot *to,
                             int *to_count)
{
    giving g = {.history = h};
    viz_history_refresh(h);
    while (!g.any && *from_count > 0) {
        g.other = NULL;
        viz_snapshot next = from[--*from_count];
        viz_snapshot_changes(&next, &h->now, restore_if_not_subject, &g);
        viz_snapshot_free(&next);
    }
    if (!g.any)
        return false;
    push(to, to_count, h->now);
    h->now = take_snapshot(h);
    h->goes_on = false;
    return true;
}

bool viz_history_undo(viz_history *h)
{
    return h && go_to_last_state(h, h->past, &h->past_count, h->future, &h->future_count);
}

bool viz_history_redo(viz_history *h)
{
    return h && go_to_last_state(h, h->future, &h->future_count, h->past, &h->past_count);
}

bool viz_history_can_undo(const viz_history *h)
{
    return h && h->past_count > 0;
}

void viz_history_changes(const viz_history *h, viz_put *put, void *user)
{
    if (!h)
        return;
    viz_snapshot now = take_snapshot(h);
    viz_snapshot_changes(&h->first, &now, put, user);
    viz_snapshot_free(&now);
}
