/* Time in the caption view: words one after the other, and the heat on its way between them. */
#include <math.h>

#include "caption/caption_state.h"

/* ---------------------------------------------------------------- the glide */

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Fast speech leaves the heat less time. */
static double glide_seconds(const caption_view *v)
{
    return fmin(VIZ_GLIDE_SECONDS, 0.75 * WORD_SECONDS / (double)v->speed);
}

void caption_glide_to(caption_view *v, int side)
{
    viz_glide_to(&v->side[side].glide, &v->side[side].caption, caption_word_of(v, side), v->now,
                 !v->has_clock || v->exporting);
}

static bool glide_step(caption_view *v, int side)
{
    return viz_glide_step(&v->side[side].glide, v->now, glide_seconds(v));
}

/* ---------------------------------------------------------------- words */

int caption_words(const caption_view *v)
{
    int most = 0;
    for (int i = 0; i < caption_sides(v); i++)
        if (v->side[i].caption.count > most)
            most = v->side[i].caption.count;
    return most;
}

int caption_word_of(const caption_view *v, int side)
{
    int count = v->side[side].caption.count;
    return v->word < count ? v->word : count - 1;
}

/* How far the heat has come, 0 to 1, eased. */
static float way_done(const caption_view *v)
{
    const viz_glide *g = &v->side[0].glide;
    return g->moving ? viz_eased((float)((v->now - g->start) / glide_seconds(v))) : 1;
}

static float shown_place(const caption_view *v)
{
    return v->place_from + ((float)v->word - v->place_from) * way_done(v);
}

bool caption_go(caption_view *v, int word)
{
    int before = v->word;
    float place = shown_place(v);
    v->fresh = false;
    v->word = clamp(word, 0, caption_words(v) > 0 ? caption_words(v) - 1 : 0);
    v->word_since = v->now;
    if (v->word == before)
        return false;
    v->place_from = place;
    for (int i = 0; i < caption_sides(v); i++)
        caption_glide_to(v, i);
    return true;
}

void caption_play(caption_view *v, bool playing)
{
    v->playing = playing;
    if (playing && v->word >= caption_words(v) - 1)
        caption_go(v, 0);
    v->word_since = v->now;
}

static double word_seconds(const caption_view *v)
{
    return WORD_SECONDS / (double)v->speed;
}

float caption_progress(const caption_view *v)
{
    int words = caption_words(v);
    return words > 1 ? shown_place(v) / (float)(words - 1) : words > 0 ? 1 : 0;
}

/* ---------------------------------------------------------------- the clock of a window */

/* It starts, or goes on after frames were drawn by another. */
static void set_clock(caption_view *v, double now)
{
    v->now = v->word_since = now;
    v->has_clock = true;
    v->exporting = false;
    for (int i = 0; i < CAPTION_SIDES; i++)
        v->side[i].glide.start = now - VIZ_GLIDE_SECONDS;
    if (v->fresh && caption_words(v) > 0) {
        caption_go(v, 0);
        v->playing = true;
    }
}

/* The next word when its time has come; at the end rest, or begin again. */
static void play_on(caption_view *v)
{
    int words = caption_words(v);
    bool last = v->word >= words - 1;
    double due = v->word_since + word_seconds(v) + (last && v->loops ? REST_SECONDS : 0);
    if (v->now < due)
        return;
    if (last && !v->loops) {
        v->playing = false;
        return;
    }
    double late = v->now - due;
    caption_go(v, last ? 0 : v->word + 1);
    v->word_since -= fmin(late, 0.1); /* the beat goes on from when it should have been */
}

/* An idle window looks at the time only now and then: it is kept awake shortly before a word. */
#define AWAKE 0.15

bool caption_tick(viz_view *view, double now)
{
    caption_view *v = caption_of(view);
    if (!v->has_clock || v->exporting)
        set_clock(v, now);
    v->now = now;
    int before = v->word;
    bool was_playing = v->playing, moves = false;
    if (v->playing && caption_words(v) > 0 && !v->figure)
        play_on(v);
    for (int i = 0; i < caption_sides(v); i++)
        moves |= glide_step(v, i);
    bool soon = v->playing && now > v->word_since + word_seconds(v) - AWAKE;
    return moves || soon || before != v->word || was_playing != v->playing;
}

/* ---------------------------------------------------------------- the story, for export */

int caption_frames(const viz_view *view, int fps)
{
    const caption_view *v = (const caption_view *)view;
    if (v->figure || !caption_words(v))
        return 1;
    return (int)ceil(fps * (caption_words(v) * word_seconds(v) + REST_SECONDS) - 1e-6);
}

void caption_frame(viz_view *view, int index, int fps)
{
    caption_view *v = caption_of(view);
    int words = caption_words(v);
    if (v->figure || !words)
        return;
    v->exporting = true;
    v->fresh = false;
    v->now = (double)index / fps;
    v->word = clamp((int)(v->now / word_seconds(v) + 1e-6), 0, words - 1);
    v->playing = v->now < words * word_seconds(v) - 1e-6;
    v->word_since = v->word * word_seconds(v);
    v->place_from = (float)(v->word > 0 ? v->word - 1 : 0);
    for (int i = 0; i < caption_sides(v); i++) {
        viz_glide_from_before(&v->side[i].glide, &v->side[i].caption, v->word, v->word_since);
        glide_step(v, i);
    }
}
