/* The first ten seconds, shown once: the sentence word by word; then a thing of the sentence is
 * covered by itself, and the sentence plays again up to the word that changed; the cover is lifted,
 * and it is the person's turn. Any key or press ends it. Until then unrequested pictures follow each
 * other so. */
#include <stdlib.h>
#include <string.h>

#include "caption/caption_state.h"
#include "view/words.h"

#define DEMO_SPEED 2.0f     /* words, compared with their usual time */
#define REST_SECONDS 1.2    /* at the end of the sentence */
#define COVER_SECONDS 1.0   /* before another place is covered, as nothing changed */
#define LOOK_SECONDS 3.0    /* at the word that changed */
#define TURN_SECONDS 9.0    /* for the person, before the next picture */
#define WORDS_BEFORE 4      /* played again before it */
#define LEAST_COVERED 0.05f /* of a cell, by the thing */
#define LEAST_LOOKED 0.5f   /* of the most that the word looked at a cell */
#define MOST_PLACES 3       /* covered one after the other until the sentence changes */

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

/* Number `place`, from 0, of the words in the order of how narrowly each looked when nothing was
 * covered; −1: there is none. */
static int narrowest_word(const caption_view *v, int place)
{
    const earlier_caption *caption = &v->unasked;
    for (int i = 0; i < caption->count; i++) {
        int before = 0;
        for (int k = 0; k < caption->count; k++)
            before += caption->words[k].entropy < caption->words[i].entropy ||
                      (caption->words[k].entropy == caption->words[i].entropy && k < i);
        if (before == place)
            return i;
    }
    return -1;
}

/* Covers what the first thing lies on; where no truth has one, where the next word looked. False:
 * nothing is left to be covered. */
static bool cover_next(caption_view *v)
{
    int w = v->g.source->picture.grid_w, h = v->g.source->picture.grid_h;
    int object = thing_to_cover(v), word = object < 0 ? narrowest_word(v, v->demo.covered) : -1;
    size_t cells = caption_cells(v);
    float *covered = viz_allocate(cells, sizeof *covered), most = 0, least = LEAST_COVERED;
    bool any = covered &&
               (object >= 0 ? v->demo.covered == 0 : word >= 0 && v->demo.covered < MOST_PLACES);
    if (any && object >= 0) {
        sac_look_cover(&v->scene.truth.object[object].look, w, h, covered);
    } else if (any) {
        memcpy(covered, v->g.caption.weights + (size_t)word * cells, cells * sizeof *covered);
        for (size_t i = 0; i < cells; i++)
            most = covered[i] > most ? covered[i] : most;
        least = LEAST_LOOKED * most;
    }
    for (size_t i = 0; any && i < cells; i++)
        v->hidden[i] = covered[i] >= least;
    free(covered);
    if (!any)
        return false;
    caption_hidden_changed(v);
    v->demo = (caption_demo){DEMO_COVERS, -1, v->demo.covered + 1, v->g.player.now};
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
    bool shows = v->scene.has_truth || v->g.source->picture.leads;
    if (!shows || v->hidden_count > 0 || v->g.prefix.count > 0 || v->numbers)
        return false;
    v->demo = (caption_demo){.state = DEMO_GENERATES};
    v->g.player.speed = DEMO_SPEED;
    if (v->g.caption.count > 0 && !v->g.player.playing) {
        viz_generation_go(&v->g, 0);
        v->g.player.playing = true;
    }
    return true;
}

bool caption_demo_runs(const caption_view *v)
{
    return v->demo.state == DEMO_GENERATES || v->demo.state == DEMO_COVERS;
}

void caption_demo_end(caption_view *v, bool whole)
{
    if (caption_demo_runs(v)) {
        v->g.player.speed = 1;
        memset(v->hidden, 0, caption_cells(v));
        if (v->hidden_count > 0)
            caption_hidden_changed(v);
    }
    v->demo = (caption_demo){.state = whole ? DEMO_TURN : DEMO_OFF, .since = v->g.player.now};
}

void caption_demo_wait(caption_view *v)
{
    if (v->demo.state == DEMO_TURN)
        v->demo.since = v->g.player.now;
}

/* The sentence is over: the thing is covered, or there is nothing more to show. */
static void tick_speech(caption_view *v)
{
    const viz_player *p = &v->g.player;
    if (p->playing || p->step + 1 < v->g.caption.count || p->now - p->step_since < REST_SECONDS)
        return;
    if (!cover_next(v))
        caption_demo_end(v, true);
}

/* The new sentence has come: it plays up to the word that changed, and rests there. */
static void tick_covered(caption_view *v)
{
    viz_player *p = &v->g.player;
    int word = v->demo.word;
    if (word < 0) {
        v->demo.word = word = first_change(v);
        if (word < 0 && p->now - v->demo.since < COVER_SECONDS)
            return;
        if (word < 0) {
            if (!cover_next(v))
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

/* The next picture, where the person does nothing; where it did not come, the one after it. */
static void tick_turn(caption_view *v)
{
    int from = v->failed_picture >= 0 ? v->failed_picture : v->scene.picture;
    bool asked =
        v->g.request.out || v->chosen_picture >= 0 || v->wanted_picture != v->scene.picture;
    if (asked || !v->g.source->picture.leads || v->scene.pictures < 2)
        return;
    if (v->demo.state == DEMO_TURNS) {
        v->demo = (caption_demo){.state = DEMO_TURN, .since = v->g.player.now};
    } else if (v->g.player.now - v->demo.since > TURN_SECONDS) {
        v->demo.state = DEMO_TURNS;
        v->failed_picture = -1;
        v->wanted_picture = viz_picture_after(from, 1, v->scene.pictures, v->scene.scenes);
    }
}

bool caption_demo_tick(caption_view *v)
{
    bool came = v->g.request.demand == v->g.revision && !v->g.request.out && v->g.caption.count > 0;
    caption_demo before = v->demo;
    if (v->demo.state == DEMO_TURN || v->demo.state == DEMO_TURNS)
        tick_turn(v);
    if (!caption_demo_runs(v) || !came || !v->g.player.has_clock)
        return before.state != v->demo.state;
    if (v->g.request.problem[0] || v->wanted_picture != v->scene.picture)
        caption_demo_end(v, false);
    else if (v->demo.state == DEMO_GENERATES)
        tick_speech(v);
    else
        tick_covered(v);
    return before.state != v->demo.state || before.word != v->demo.word ||
           before.covered != v->demo.covered;
}

const char *caption_demo_line(const caption_view *v, char *text, size_t size)
{
    int word = v->demo.word;
    if (v->demo.state == DEMO_TURN || v->demo.state == DEMO_TURNS)
        return viz_word("Your turn: cover something.");
    bool there = v->demo.state == DEMO_COVERS && word >= 0 && viz_generation_word(&v->g) == word;
    if (!there || !v->changes.gone[word][0])
        return NULL;
    snprintf(
        text, size,
        viz_word("It cannot see what is covered: it generates “%s” for “%s”, and looked there."),
        v->g.caption.outputs[word].text, v->changes.gone[word]);
    return text;
}
