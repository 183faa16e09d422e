/* Time in the caption view: words one after the other, and the heat on its way between them. */
#include "caption/caption_state.h"

/* ---------------------------------------------------------------- the glide */

void caption_glide_to(caption_view *v, int side)
{
    const viz_player *p = &v->player;
    viz_glide_to(&v->side[side].glide, &v->side[side].caption, caption_word_of(v, side), p->now,
                 !p->has_clock || p->exporting);
}

static bool glide_step(caption_view *v, int side)
{
    return viz_glide_step(&v->side[side].glide, v->player.now,
                          viz_player_glide_seconds(&v->player));
}

static void glide_all(caption_view *v)
{
    for (int i = 0; i < caption_sides(v); i++)
        caption_glide_to(v, i);
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
    return v->player.step < count ? v->player.step : count - 1;
}

bool caption_go(caption_view *v, int word)
{
    v->fresh = false;
    bool moved = viz_player_go(&v->player, caption_words(v), word);
    if (moved)
        glide_all(v);
    return moved;
}

void caption_play(caption_view *v, bool playing)
{
    if (viz_player_play(&v->player, caption_words(v), playing))
        glide_all(v);
}

float caption_progress(const caption_view *v)
{
    return viz_player_progress(&v->player, caption_words(v));
}

/* ---------------------------------------------------------------- the clock of a window */

static void begin_clock(caption_view *v)
{
    for (int i = 0; i < CAPTION_SIDES; i++)
        v->side[i].glide.start = v->player.now - VIZ_GLIDE_SECONDS;
    if (v->fresh && caption_words(v) > 0) {
        caption_go(v, 0);
        v->player.playing = true;
    }
}

bool caption_tick(viz_view *view, double now)
{
    caption_view *v = caption_of(view);
    viz_player *p = &v->player;
    if (viz_player_set_time(p, now))
        begin_clock(v);
    bool was_playing = p->playing, moves = false;
    bool stepped = !v->figure && viz_player_advance(p, caption_words(v));
    if (stepped)
        glide_all(v);
    for (int i = 0; i < caption_sides(v); i++)
        moves |= glide_step(v, i);
    return moves || stepped || was_playing != p->playing || viz_player_is_near_step(p);
}

/* ---------------------------------------------------------------- the story, for export */

int caption_frames(const viz_view *view, int fps)
{
    const caption_view *v = (const caption_view *)view;
    if (v->figure || !caption_words(v))
        return 1;
    return viz_player_frames(&v->player, caption_words(v), fps);
}

void caption_frame(viz_view *view, int index, int fps)
{
    caption_view *v = caption_of(view);
    if (v->figure || !caption_words(v))
        return;
    v->fresh = false;
    viz_player_frame(&v->player, caption_words(v), index, fps);
    for (int i = 0; i < caption_sides(v); i++) {
        viz_glide_from_before(&v->side[i].glide, &v->side[i].caption, v->player.step,
                              v->player.step_since);
        glide_step(v, i);
    }
}
