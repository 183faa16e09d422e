/* The first ten seconds, shown once: the sentence word by word; then a thing that it told of is
 * covered by itself, and the sentence is said again up to the word that changed; the cover is lifted,
 * and it is the person's turn. Any key or press ends it. */
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"

#define DEMO_SPEED 2.0f     /* words, compared with their usual time */
#define REST_SECONDS 1.2    /* at the end of the sentence */
#define LOOK_SECONDS 3.0    /* at the word that changed */
#define WORDS_BEFORE 4      /* said again before it */
#define LEAST_COVERED 0.05f /* of a cell, by the thing */

/* The first thing that two words name, a colour and itself, is covered, as it will be named in
 * another way; −1: there is none. */
static int thing_to_cover(const caption_view *v)
{
    for (int i = 0; i < v->g.caption.count; i++)
        for (int k = i + 1; k < v->g.caption.count; k++)
            if (v->marks[i].names && v->marks[k].names && v->marks[i].object >= 0 &&
                v->marks[i].object == v->marks[k].object)
                return v->marks[i].object;
    return -1;
}

static bool cover(caption_view *v, int object)
{
    int w = v->g.source->picture.grid_w, h = v->g.source->picture.grid_h;
    size_t cells = caption_cells(v);
    float *covered = viz_allocate(cells, sizeof *covered);
    if (!covered)
        return false;
    sac_look_cover(&v->scene.truth.object[object].look, w, h, covered);
    for (size_t i = 0; i < cells; i++)
        v->hidden[i] = covered[i] >= LEAST_COVERED;
    free(covered);
    caption_hidden_changed(v);
    return v->hidden_count > 0;
}

static int first_change(const caption_view *v)
{
    for (int i = 0; i < v->g.caption.count; i++)
        if (v->changes.fresh[i])
            return i;
    return -1;
}

bool caption_introduce(viz_view *view)
{
    caption_view *v = caption_of(view);
    if (!v->scene.has_truth || v->hidden_count > 0 || v->g.prefix.count > 0 || v->numbers)
        return false;
    v->demo = (caption_demo){.state = DEMO_SPEAKS};
    v->g.player.speed = DEMO_SPEED;
    return true;
}

bool caption_demo_runs(const caption_view *v)
{
    return v->demo.state == DEMO_SPEAKS || v->demo.state == DEMO_COVERS;
}

void caption_demo_end(caption_view *v, bool whole)
{
    if (caption_demo_runs(v)) {
        v->g.player.speed = 1;
        memset(v->hidden, 0, caption_cells(v));
        if (v->hidden_count > 0)
            caption_hidden_changed(v);
    }
    v->demo = (caption_demo){.state = whole ? DEMO_TURN : DEMO_OFF};
}

/* The sentence is over: the thing is covered, or there is nothing more to show. */
static void tick_speech(caption_view *v)
{
    const viz_player *p = &v->g.player;
    int object = thing_to_cover(v);
    if (p->playing || p->step + 1 < v->g.caption.count || p->now - p->step_since < REST_SECONDS)
        return;
    if (object >= 0 && cover(v, object))
        v->demo = (caption_demo){.state = DEMO_COVERS, .word = -1};
    else
        caption_demo_end(v, true);
}

/* The new sentence has come: it is said up to the word that changed, which is rested at. */
static void tick_covered(caption_view *v)
{
    viz_player *p = &v->g.player;
    int word = v->demo.word;
    if (word < 0) {
        v->demo.word = word = first_change(v);
        if (word < 0) {
            caption_demo_end(v, true);
            return;
        }
        viz_generation_go(&v->g, word > WORDS_BEFORE ? word - WORDS_BEFORE : 0);
        p->playing = true;
    }
    if (p->step < word)
        return;
    p->playing = false;
    if (p->now - p->step_since > LOOK_SECONDS)
        caption_demo_end(v, true);
}

bool caption_demo_tick(caption_view *v)
{
    bool came = v->g.request.demand == v->g.revision && !v->g.request.out && v->g.caption.count > 0;
    caption_demo before = v->demo;
    if (!caption_demo_runs(v) || !came || !v->g.player.has_clock)
        return false;
    if (v->g.request.problem[0] || v->wanted_picture != v->scene.picture)
        caption_demo_end(v, false);
    else if (v->demo.state == DEMO_SPEAKS)
        tick_speech(v);
    else
        tick_covered(v);
    return memcmp(&before, &v->demo, sizeof before) != 0;
}

const char *caption_demo_line(const caption_view *v, char *text, size_t size)
{
    int word = v->demo.word;
    if (v->demo.state == DEMO_TURN)
        return "Your turn: cover something.";
    bool there = v->demo.state == DEMO_COVERS && word >= 0 && viz_generation_word(&v->g) == word;
    if (!there || !v->changes.gone[word][0])
        return NULL;
    snprintf(text, size, "It cannot see what is covered: it says “%s” for “%s”, and looked there.",
             v->g.caption.words[word].text, v->changes.gone[word]);
    return text;
}
