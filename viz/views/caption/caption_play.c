/* Time in the caption view: words one after the other, and the heat on its way between them. */
#include "caption/caption_state.h"

/* ---------------------------------------------------------------- the glide */

void caption_glide_to(caption_view *v)
{
    const viz_player *p = &v->player;
    viz_glide_to(&v->glide, &v->caption, caption_word_of(v), p->now, !p->has_clock || p->exporting);
}

static bool glide_step(caption_view *v)
{
    return viz_glide_step(&v->glide, v->player.now, viz_player_glide_seconds(&v->player));
}

/* ---------------------------------------------------------------- words */

int caption_word_of(const caption_view *v)
{
    int count = v->caption.count;
    return v->player.step < count ? v->player.step : count - 1;
}

bool caption_go(caption_view *v, int word)
{
    v->fresh = false;
    bool moved = viz_player_go(&v->player, v->caption.count, word);
    if (moved)
        caption_glide_to(v);
    return moved;
}

void caption_play(caption_view *v, bool playing)
{
    if (viz_player_play(&v->player, v->caption.count, playing))
        caption_glide_to(v);
}

float caption_progress(const caption_view *v)
{
    return viz_player_progress(&v->player, v->caption.count);
}

/* ---------------------------------------------------------------- the clock of a window */

static void begin_clock(caption_view *v)
{
    v->glide.start = v->player.now - VIZ_GLIDE_SECONDS;
    if (v->fresh && v->caption.count > 0) {
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
    bool was_playing = p->playing;
    bool stepped = !v->figure && viz_player_advance(p, v->caption.count);
    if (stepped)
        caption_glide_to(v);
    bool moves = glide_step(v);
    return moves || stepped || was_playing != p->playing || viz_player_is_near_step(p);
}

/* ---------------------------------------------------------------- the story, for export */

int caption_frames(const viz_view *view, int fps)
{
    const caption_view *v = (const caption_view *)view;
    if (v->figure || !v->caption.count)
        return 1;
    return viz_player_frames(&v->player, v->caption.count, fps);
}

void caption_frame(viz_view *view, int index, int fps)
{
    caption_view *v = caption_of(view);
    if (v->figure || !v->caption.count)
        return;
    v->fresh = false;
    viz_player_frame(&v->player, v->caption.count, index, fps);
    viz_glide_from_before(&v->glide, &v->caption, v->player.step, v->player.step_since);
    glide_step(v);
}
