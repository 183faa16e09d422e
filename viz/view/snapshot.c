/* Takes and compares snapshots: a view's settings as one text. */

#include "view/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "view/settings.h"

typedef struct reading {
    const viz_view *view;
    bool (*wanted)(const viz_view *view, const char *key);
    viz_snapshot *into;
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

static void append_wanted_setting(void *user, const char *key, const char *value)
{
    reading *r = user;
    if (r->wanted && !r->wanted(r->view, key))
        return;
    append(r, key);
    append(r, value ? value : "");
}

viz_snapshot viz_snapshot_take(const viz_view *view,
                               bool (*wanted)(const viz_view *view, const char *key))
{
    viz_snapshot s = {0};
    reading r = {view, wanted, &s, false};
    viz_view_describe(view, append_wanted_setting, &r);
    if (r.failed)
        viz_snapshot_free(&s);
    return s;
}

viz_snapshot viz_snapshot_take_from(void (*describe)(const void *of, viz_put *put, void *user),
                                    const void *of)
{
    viz_snapshot s = {0};
    reading r = {.into = &s};
    describe(of, append_wanted_setting, &r);
    if (r.failed)
        viz_snapshot_free(&s);
    return s;
}

void viz_snapshot_free(viz_snapshot *s)
{
    free(s->text);
    *s = (viz_snapshot){0};
}

bool viz_snapshot_same(const viz_snapshot *a, const viz_snapshot *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->text, b->text, a->size) == 0);
}

const char *viz_snapshot_next(const viz_snapshot *s, const char *key)
{
    if (!key)
        return s->text;
    const char *value = key + strlen(key) + 1, *next = value + strlen(value) + 1;
    return next < s->text + s->size ? next : NULL;
}

const char *viz_snapshot_find(const viz_snapshot *s, const char *key)
{
    for (const char *at = s->text; at; at = viz_snapshot_next(s, at))
        if (strcmp(at, key) == 0)
            return at + strlen(at) + 1;
    return NULL;
}

void viz_snapshot_changes(const viz_snapshot *s, const viz_snapshot *before, viz_put *put,
                          void *user)
{
    for (const char *key = s->text; key; key = viz_snapshot_next(s, key)) {
        const char *value = key + strlen(key) + 1, *was = viz_snapshot_find(before, key);
        if (!was || strcmp(was, value) != 0)
            put(user, key, value);
    }
}
