/* Time in the training view, and what keys and pointer do to it. */
#include <math.h>
#include <string.h>

#include "training/training_state.h"

/* ---------------------------------------------------------------- words */

int training_longest(const training_view *v)
{
    int most = 0;
    for (int i = 0; i < v->state.pictures; i++)
        if (v->state.picture[i].caption.count > most)
            most = v->state.picture[i].caption.count;
    return most;
}

int training_word_of(const training_view *v, int picture)
{
    int count = v->state.picture[picture].caption.count;
    return v->word < count ? v->word : count - 1;
}

void training_glide_to(training_view *v, int picture)
{
    viz_glide_to(&v->picture[picture].glide, &v->state.picture[picture].caption,
                 training_word_of(v, picture), v->now, !v->has_clock || v->exporting);
}

/* True where it was another word. Captions that are over keep their last one. */
static bool go(training_view *v, int word)
{
    int last = training_longest(v) - 1, before = v->word;
    v->word = word > last ? last : word;
    v->word = v->word < 0 ? 0 : v->word;
    v->word_since = v->now;
    for (int i = 0; i < v->state.pictures && v->word != before; i++)
        if (before < v->state.picture[i].caption.count ||
            v->word < v->state.picture[i].caption.count)
            training_glide_to(v, i);
    return v->word != before;
}

/* ---------------------------------------------------------------- the clock of a window */

static void set_clock(training_view *v, double now)
{
    v->now = v->word_since = now;
    v->exporting = false;
    for (int i = 0; i < TRAINING_PICTURES; i++)
        v->picture[i].glide.start = now - VIZ_GLIDE_SECONDS;
    if (!v->has_clock) /* it begins to speak; a still shows all that was said */
        go(v, 0);
    v->has_clock = true;
}

static void play_on(training_view *v)
{
    bool last = v->word >= training_longest(v) - 1;
    double due = v->word_since + TRAINING_WORD_SECONDS + (last ? TRAINING_REST_SECONDS : 0);
    if (v->now < due)
        return;
    double late = v->now - due;
    go(v, last ? 0 : v->word + 1);
    v->word_since -= fmin(late, 0.1); /* the beat goes on from when it should have been */
}

/* An idle window looks at the time only now and then: it is kept awake shortly before a word. */
#define AWAKE 0.12

bool training_tick(viz_view *view, double now)
{
    training_view *v = training_of(view);
    if (!v->has_clock || v->exporting)
        set_clock(v, now);
    v->now = now;
    int before = v->word;
    bool moves = false, speaks = v->playing && training_longest(v) > 0;
    if (speaks)
        play_on(v);
    for (int i = 0; i < v->state.pictures; i++)
        moves |= viz_glide_step(&v->picture[i].glide, now, VIZ_GLIDE_SECONDS);
    bool soon = speaks && now > v->word_since + TRAINING_WORD_SECONDS - AWAKE;
    return moves || soon || before != v->word;
}

/* ---------------------------------------------------------------- the story, for export */

int training_frames(const viz_view *view, int fps)
{
    const training_view *v = (const training_view *)view;
    int words = training_longest(v);
    if (words == 0)
        return 1;
    return (int)ceil(fps * (words * TRAINING_WORD_SECONDS + TRAINING_REST_SECONDS) - 1e-6);
}

void training_frame(viz_view *view, int index, int fps)
{
    training_view *v = training_of(view);
    int last = training_longest(v) - 1;
    if (last < 0)
        return;
    v->exporting = true;
    v->now = (double)index / fps;
    v->word = (int)(v->now / TRAINING_WORD_SECONDS + 1e-6);
    v->word = v->word > last ? last : v->word;
    v->word_since = v->word * TRAINING_WORD_SECONDS;
    for (int i = 0; i < v->state.pictures; i++) {
        viz_glide *g = &v->picture[i].glide;
        viz_glide_from_before(g, &v->state.picture[i].caption, v->word, v->word_since);
        viz_glide_step(g, v->now, VIZ_GLIDE_SECONDS);
    }
}

/* ---------------------------------------------------------------- events */

static void play(training_view *v, bool playing)
{
    v->playing = playing;
    v->word_since = v->now;
}

static bool step_word(training_view *v, int word)
{
    bool was = v->playing;
    v->playing = false;
    return go(v, word) || was;
}

static bool change_opacity(training_view *v, float by)
{
    float before = v->style.opacity;
    v->style.opacity = fminf(fmaxf(before + by, 0), 1);
    return v->style.opacity != before;
}

static bool take_look_key(training_view *v, int key)
{
    viz_heat_style *s = &v->style;
    switch (key) {
    case '[':
        return change_opacity(v, -0.1f);
    case ']':
        return change_opacity(v, 0.1f);
    case 'o':
        s->overlay = (viz_overlay)((s->overlay + 1) % VIZ_OVERLAY_COUNT);
        return true;
    case 'm': /* all but the one for differences */
        s->map = (viz_colormap)((s->map + 1) % VIZ_DIVERGING);
        return true;
    case 'b':
        s->blocky = !s->blocky;
        return true;
    default:
        return false;
    }
}

static bool take_key(training_view *v, const viz_event *event)
{
    if (event->ctrl)
        return false;
    switch (event->key) {
    case ' ':
        play(v, !v->playing);
        return true;
    case VIZ_KEY_LEFT:
        return step_word(v, v->word - 1);
    case VIZ_KEY_RIGHT:
        return step_word(v, v->word + 1);
    case VIZ_KEY_HOME:
        return step_word(v, 0);
    case VIZ_KEY_END:
        return step_word(v, SAC_CAPTION_WORDS);
    default:
        return take_look_key(v, event->key);
    }
}

static bool point_at(training_view *v, const viz_event *event)
{
    bool was = v->pointed;
    v->pointer_x = event->x;
    v->pointer_y = event->y;
    v->pointed = event->kind == VIZ_MOVE && (viz_inside(v->layout.loss.plot, event->x, event->y) ||
                                             viz_inside(v->layout.exact.plot, event->x, event->y));
    return was || v->pointed;
}

/* A cap that is pressed is the key it names, where the key is the view's own. */
static bool press_cap(training_view *v, const viz_event *event)
{
    int cap = viz_caps_hit(&v->layout.caps, event->x, event->y);
    const viz_event space = {.kind = VIZ_KEY, .key = ' '};
    return cap >= 0 && strcmp(v->layout.caps.keys[cap].key, "space") == 0 && take_key(v, &space);
}

/* A word that is pressed is held. */
static bool press(training_view *v, const viz_event *event)
{
    if (event->button != 1)
        return false;
    for (int i = 0; i < v->state.pictures; i++)
        for (int k = 0; k < v->state.picture[i].caption.count; k++)
            if (viz_inside(v->words[i].said[k], event->x, event->y))
                return step_word(v, k);
    return press_cap(v, event);
}

bool training_event(viz_view *view, const viz_event *event)
{
    training_view *v = training_of(view);
    switch (event->kind) {
    case VIZ_MOVE:
    case VIZ_LEAVE:
        return point_at(v, event);
    case VIZ_PRESS:
        return press(v, event);
    case VIZ_KEY:
        return take_key(v, event);
    default:
        return false;
    }
}
