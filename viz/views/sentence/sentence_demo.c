/* The first ten seconds: the sentence word by word; then a thing of the sentence is covered by
 * itself, and the sentence plays again up to the word that changed; the cover is lifted, and it is
 * the person's turn. Any key or press ends it. Until then an unrequested picture shows
 * itself again from time to time. */
#include <stdlib.h>
#include <string.h>

#include "sentence/sentence_state.h"
#include "view/words.h"

#define DEMO_SPEED 2.0f     /* words, compared with their usual time */
#define REST_SECONDS 1.2    /* at the end of the sentence */
#define COVER_SECONDS 1.0   /* before another place is covered, as nothing changed */
#define LOOK_SECONDS 3.0    /* at the word that changed */
#define TURN_SECONDS 20.0   /* for the person, before it plays again */
#define WORDS_BEFORE 4      /* played again before it */
#define LEAST_COVERED 0.05f /* of a cell, by the thing */
#define LEAST_LOOKED 0.5f   /* of the most that the word looked at a cell */
#define MOST_PLACES 3       /* covered one after the other until the sentence changes */

/* The first thing that two words name, a colour and itself, is covered, as it will be named in
 * another way; −1: there is none. */
static int thing_to_cover(const sentence_view *v)
{
    for (int i = 0; i < v->result.count; i++)
        for (int k = i + 1; k < v->result.count; k++)
            if (v->marks[i].names && v->marks[k].names && v->marks[i].object >= 0 &&
                v->marks[i].object == v->marks[k].object)
                return v->marks[i].object;
    return -1;
}

/* Number `place`, from 0, of the words in the order of how narrowly each looked when nothing was
 * covered; −1: there is none. */
static int narrowest_word(const sentence_view *v, int place)
{
    const sentence_words *caption = &v->unasked;
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

bool sentence_introduce(viz_view *view)
{
    sentence_view *v = sentence_of(view);
    bool shows = v->scene.has_truth || v->base.source->picture.leads;
    if (!shows || v->hidden_count > 0 || v->prefix.count > 0 || v->numbers)
        return false;
    v->demo = (sentence_demo){.state = DEMO_GENERATES};
    v->player.speed = DEMO_SPEED;
    if (v->result.count > 0 && !v->player.playing) {
        sentence_go(v, 0);
        v->player.playing = true;
    }
    return true;
}

bool sentence_demo_runs(const sentence_view *v)
{
    return v->demo.state == DEMO_GENERATES || v->demo.state == DEMO_COVERS;
}

void sentence_demo_end(sentence_view *v, bool whole)
{
    if (sentence_demo_runs(v)) {
        v->player.speed = 1;
        if (v->hidden_count > 0)
            sentence_mark_changed(&v->base);
        v->hidden_count = 0;
    }
    v->demo = (sentence_demo){.state = whole ? DEMO_TURN : DEMO_OFF, .since = v->player.now};
}

/* Covers what the first thing lies on; where no truth has one, where the next word looked. Where
 * nothing is left to be covered, it is the person's turn. */
static void cover_next(sentence_view *v)
{
    int w, h;
    sentence_grid(v, &w, &h);
    int object = thing_to_cover(v), word = object < 0 ? narrowest_word(v, v->demo.covered) : -1;
    size_t cells = (size_t)w * (size_t)h;
    float *covered = viz_allocate(cells, sizeof *covered), most = 0, least = LEAST_COVERED;
    bool any = covered &&
               (object >= 0 ? v->demo.covered == 0 : word >= 0 && v->demo.covered < MOST_PLACES);
    if (any && object >= 0) {
        sac_look_cover(&v->scene.truth.object[object].look, w, h, covered);
    } else if (any) {
        memcpy(covered, sentence_map(&v->result, word), cells * sizeof *covered);
        for (size_t i = 0; i < cells; i++)
            most = covered[i] > most ? covered[i] : most;
        least = LEAST_LOOKED * most;
    }
    for (size_t i = 0; any && i < cells; i++)
        v->hidden[i] = covered[i] >= least;
    free(covered);
    if (any) {
        sentence_update_hidden_count(v);
        v->demo = (sentence_demo){DEMO_COVERS, -1, v->demo.covered + 1, v->player.now};
    }
    if (!any || !v->hidden_count)
        sentence_demo_end(v, true);
}

/* The new sentence has come: it plays up to the word that changed, and rests there. */
static void tick_covered(sentence_view *v)
{
    viz_player *p = &v->player;
    int word = v->demo.word;
    if (word < 0) {
        do
            word++;
        while (word < v->result.count && !v->changes.fresh[word]);
        if (word == v->result.count) {
            if (p->now - v->demo.since >= COVER_SECONDS)
                cover_next(v);
            return;
        }
        v->demo.word = word;
        sentence_go(v, word > WORDS_BEFORE ? word - WORDS_BEFORE : 0);
        p->playing = true;
    }
    if (p->step < word)
        return;
    p->playing = false;
    if (p->now - p->step_since > LOOK_SECONDS)
        sentence_demo_end(v, true);
}

bool sentence_demo_tick(sentence_view *v)
{
    bool came = v->request.demand == v->revision && !v->request.out && v->result.count > 0;
    const sentence_demo before = v->demo;
    const viz_player *p = &v->player;
    bool alone = v->demo.state == DEMO_TURN && v->base.source->picture.leads &&
                 v->player.now - v->demo.since > TURN_SECONDS;
    if (alone && came && v->wanted < 0)
        sentence_introduce(&v->base);
    if (!sentence_demo_runs(v) || !came || !v->player.has_clock)
        return before.state != v->demo.state;
    if (v->request.problem[0] || v->wanted >= 0)
        sentence_demo_end(v, false);
    else if (v->demo.state == DEMO_COVERS)
        tick_covered(v);
    else if (!p->playing && p->step + 1 >= v->result.count &&
             p->now - p->step_since >= REST_SECONDS)
        cover_next(v); /* the sentence is over */
    return before.state != v->demo.state || before.word != v->demo.word ||
           before.covered != v->demo.covered;
}

/* All that stands in the place of what is gone: "grey dog" for "brown cat". Returns `text`. */
static const char *join_fresh_words(const sentence_view *v, int word, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = word; i < v->result.count && v->changes.fresh[i] && used < size &&
                       (i == word || !v->changes.gone[i][0]);
         i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
                                 v->result.outputs[i].text);
    return text;
}

const char *sentence_demo_line(const sentence_view *v, char *text, size_t size)
{
    int word = v->demo.word;
    char fresh[128];
    if (v->demo.state == DEMO_TURN)
        return viz_word("Your turn: cover something.");
    bool there = v->demo.state == DEMO_COVERS && word >= 0 && sentence_current_word(v) == word;
    if (!there || !v->changes.gone[word][0])
        return NULL;
    snprintf(
        text, size,
        viz_word("It cannot see what is covered: it generates “%s” for “%s”, and looked there."),
        join_fresh_words(v, word, fresh, sizeof fresh), v->changes.gone[word]);
    return text;
}
