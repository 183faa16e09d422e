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
    return v->player.step < count ? v->player.step : count - 1;
}

void training_glide_to(training_view *v, int picture)
{
    const viz_player *p = &v->player;
    viz_glide_to(&v->picture[picture].glide, &v->state.picture[picture].caption,
                 training_word_of(v, picture), p->now, !p->has_clock || p->exporting);
}

/* Captions that are over keep their last word. */
static void glide_from(training_view *v, int before)
{
    for (int i = 0; i < v->state.pictures; i++)
        if (before < v->state.picture[i].caption.count ||
            v->player.step < v->state.picture[i].caption.count)
            training_glide_to(v, i);
}

/* True where it was another word. */
static bool go(training_view *v, int word)
{
    int before = v->player.step;
    bool moved = viz_player_go(&v->player, training_longest(v), word);
    if (moved)
        glide_from(v, before);
    return moved;
}

/* ---------------------------------------------------------------- the clock of a window */

/* A window begins to speak; a still shows all that was said. */
static void begin_clock(training_view *v, bool first)
{
    if (first)
        go(v, 0);
    for (int i = 0; i < TRAINING_PICTURES; i++)
        v->picture[i].glide.start = v->player.now - VIZ_GLIDE_SECONDS;
}

bool training_tick(viz_view *view, double now)
{
    training_view *v = training_of(view);
    viz_player *p = &v->player;
    bool first = !p->has_clock, moves = false;
    if (viz_player_set_time(p, now))
        begin_clock(v, first);
    int before = p->step;
    bool stepped = viz_player_advance(p, training_longest(v));
    if (stepped)
        glide_from(v, before);
    for (int i = 0; i < v->state.pictures; i++)
        moves |= viz_glide_step(&v->picture[i].glide, now, viz_player_glide_seconds(p));
    return moves || stepped || viz_player_is_near_step(p);
}

/* ---------------------------------------------------------------- the story, for export */

int training_frames(const viz_view *view, int fps)
{
    const training_view *v = (const training_view *)view;
    int words = training_longest(v);
    return words > 0 ? viz_player_frames(&v->player, words, fps) : 1;
}

/* A person's pause is shown, and stays as it is. */
void training_frame(viz_view *view, int index, int fps)
{
    training_view *v = training_of(view);
    viz_player *p = &v->player;
    bool playing = p->playing;
    if (training_longest(v) == 0)
        return;
    viz_player_frame(p, training_longest(v), index, fps);
    p->playing = playing;
    for (int i = 0; i < v->state.pictures; i++) {
        viz_glide *g = &v->picture[i].glide;
        viz_glide_from_before(g, &v->state.picture[i].caption, p->step, p->step_since);
        viz_glide_step(g, p->now, viz_player_glide_seconds(p));
    }
}

/* ---------------------------------------------------------------- events */

static void play(training_view *v, bool playing)
{
    int before = v->player.step;
    if (viz_player_play(&v->player, training_longest(v), playing))
        glide_from(v, before);
}

static bool step_word(training_view *v, int word)
{
    bool was = v->player.playing;
    v->player.playing = false;
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
        play(v, !v->player.playing);
        return true;
    case VIZ_KEY_LEFT:
        return step_word(v, v->player.step - 1);
    case VIZ_KEY_RIGHT:
        return step_word(v, v->player.step + 1);
    case VIZ_KEY_HOME:
        return step_word(v, 0);
    case VIZ_KEY_END:
        return step_word(v, SAC_MAX_TOKENS);
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

/* A word that is pressed is held. */
static bool press(training_view *v, const viz_event *event)
{
    if (event->button != 1)
        return false;
    for (int i = 0; i < v->state.pictures; i++)
        for (int k = 0; k < v->state.picture[i].caption.count; k++)
            if (viz_inside(v->words[i].said[k], event->x, event->y))
                return step_word(v, k);
    return false;
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
