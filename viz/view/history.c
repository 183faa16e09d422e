/* Undo and redo: two lists of states. */

#include "view/history.h"

#include <stdlib.h>
#include <string.h>

#include "view/settings.h"
#include "view/snapshot.h"

#define MOST_STEPS 200

struct viz_history {
    viz_view *view;
    viz_snapshot subject; /* what is open in the view: with another one the steps mean nothing */
    viz_snapshot now;
    viz_snapshot past[MOST_STEPS], future[MOST_STEPS];
    int past_count, future_count;
};

/* ---------------------------------------------------------------- states */

static bool is_subject(const viz_view *view, const char *key)
{
    (void)view;
    static const char *const keys[] = {"file", "hash", "title", "picture"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void give(void *view, const char *key, const char *value)
{
    viz_view_restore(view, key, value);
}

/* ---------------------------------------------------------------- steps */

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

viz_history *viz_history_create(viz_view *view)
{
    viz_history *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->view = view;
    h->subject = viz_snapshot_take(view, is_subject);
    h->now = viz_snapshot_take(view, viz_view_undoes);
    return h;
}

void viz_history_lend(viz_history *h, viz_view *view)
{
    if (!h)
        return;
    h->view = view;
    viz_snapshot_free(&h->now);
    h->now = viz_snapshot_take(view, viz_view_undoes);
}

void viz_history_free(viz_history *h)
{
    if (!h)
        return;
    forget_all(h->past, &h->past_count);
    forget_all(h->future, &h->future_count);
    viz_snapshot_free(&h->subject);
    viz_snapshot_free(&h->now);
    free(h);
}

/* True where something else is open than before. */
static bool look_at_subject(viz_history *h)
{
    viz_snapshot subject = viz_snapshot_take(h->view, is_subject);
    bool other = !viz_snapshot_same(&subject, &h->subject);
    viz_snapshot_free(&h->subject);
    h->subject = subject;
    if (!other)
        return false;
    forget_all(h->past, &h->past_count);
    forget_all(h->future, &h->future_count);
    viz_snapshot_free(&h->now);
    h->now = viz_snapshot_take(h->view, viz_view_undoes);
    return true;
}

bool viz_history_note(viz_history *h)
{
    if (!h || look_at_subject(h))
        return false;
    viz_snapshot now = viz_snapshot_take(h->view, viz_view_undoes);
    if (!now.text || viz_snapshot_same(&now, &h->now)) {
        viz_snapshot_free(&now);
        return false;
    }
    push(h->past, &h->past_count, h->now);
    forget_all(h->future, &h->future_count);
    h->now = now;
    return true;
}

/* Goes to the last state of one list, and puts the present one at the end of the other. */
static bool go(viz_history *h, viz_snapshot *from, int *from_count, viz_snapshot *to, int *to_count)
{
    if (look_at_subject(h) || *from_count == 0)
        return false;
    viz_snapshot next = from[--*from_count];
    viz_snapshot_changes(&next, &h->now, give, h->view);
    push(to, to_count, h->now);
    h->now = next;
    return true;
}

bool viz_history_undo(viz_history *h)
{
    return h && go(h, h->past, &h->past_count, h->future, &h->future_count);
}

bool viz_history_redo(viz_history *h)
{
    return h && go(h, h->future, &h->future_count, h->past, &h->past_count);
}
