/* Two lists of states: those to go back to, and those to go forward to. */

#include "view/history.h"

#include <stdlib.h>
#include <string.h>

#include "view/settings.h"

#define MOST_STEPS 200

/* "key\0value\0key\0value\0", the settings that are undone. */
typedef struct state {
    char *text; /* owned; NULL: not known */
    size_t size;
} state;

struct viz_history {
    viz_view *view;
    state subject; /* what is open in the view: with another one the steps mean nothing */
    state now;
    state past[MOST_STEPS], future[MOST_STEPS];
    int past_count, future_count;
};

/* ---------------------------------------------------------------- states */

typedef struct reading {
    const viz_view *view;
    bool subject; /* what is open; else the settings that are undone */
    state *into;
    bool failed;
} reading;

static void append(reading *r, const char *text)
{
    size_t length = strlen(text) + 1;
    char *grown = r->failed ? NULL : realloc(r->into->text, r->into->size + length);
    r->failed = !grown;
    if (!grown)
        return;
    memcpy(grown + r->into->size, text, length);
    r->into->text = grown;
    r->into->size += length;
}

static bool is_subject(const char *key)
{
    static const char *const keys[] = {"file", "hash", "title", "picture"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void put(void *user, const char *key, const char *value)
{
    reading *r = user;
    if (r->subject ? is_subject(key) : viz_view_undoes(r->view, key)) {
        append(r, key);
        append(r, value ? value : "");
    }
}

static void forget(state *s)
{
    free(s->text);
    *s = (state){0};
}

static state read_state(const viz_view *view, bool subject)
{
    state s = {0};
    reading r = {view, subject, &s, false};
    viz_view_describe(view, put, &r);
    if (r.failed)
        forget(&s);
    return s;
}

static bool same(const state *a, const state *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->text, b->text, a->size) == 0);
}

/* Gives the view those settings of `to` that are not so now. */
static void restore(viz_view *view, const state *to, const state *now)
{
    const char *other = now->text;
    for (const char *key = to->text; key < to->text + to->size;) {
        const char *value = key + strlen(key) + 1, *was = NULL;
        if (other && other < now->text + now->size) { /* the keys of both come in one order */
            was = other + strlen(other) + 1;
            other = was + strlen(was) + 1;
        }
        if (!was || strcmp(was, value) != 0)
            viz_view_restore(view, key, value);
        key = value + strlen(value) + 1;
    }
}

/* ---------------------------------------------------------------- steps */

static void forget_all(state *states, int *count)
{
    while (*count > 0)
        forget(&states[--*count]);
}

static void push(state *states, int *count, state s)
{
    if (*count == MOST_STEPS) { /* the oldest goes */
        forget(&states[0]);
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
    h->subject = read_state(view, true);
    h->now = read_state(view, false);
    return h;
}

void viz_history_free(viz_history *h)
{
    if (!h)
        return;
    forget_all(h->past, &h->past_count);
    forget_all(h->future, &h->future_count);
    forget(&h->subject);
    forget(&h->now);
    free(h);
}

/* True where something else is open than before. */
static bool look_at_subject(viz_history *h)
{
    state subject = read_state(h->view, true);
    bool other = !same(&subject, &h->subject);
    forget(&h->subject);
    h->subject = subject;
    if (!other)
        return false;
    forget_all(h->past, &h->past_count);
    forget_all(h->future, &h->future_count);
    forget(&h->now);
    h->now = read_state(h->view, false);
    return true;
}

bool viz_history_note(viz_history *h)
{
    if (!h || look_at_subject(h))
        return false;
    state now = read_state(h->view, false);
    if (!now.text || same(&now, &h->now)) {
        forget(&now);
        return false;
    }
    push(h->past, &h->past_count, h->now);
    forget_all(h->future, &h->future_count);
    h->now = now;
    return true;
}

/* Goes to the last state of one list, and puts the present one at the end of the other. */
static bool go(viz_history *h, state *from, int *from_count, state *to, int *to_count)
{
    if (look_at_subject(h) || *from_count == 0)
        return false;
    state next = from[--*from_count];
    restore(h->view, &next, &h->now);
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
