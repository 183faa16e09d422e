/* A guess is told by the least sure word, and by the grammar: a long sentence hides one unsure word
 * in any mean, and of what it does not know a model makes sentences that no scene has. */
#include "captioner/guess.h"

#include <stdio.h>

#include "scenes/scene.h"

void sac_caption_mark_unsure(sac_caption *caption, int given)
{
    for (int i = 0; i < caption->count; i++)
        caption->words[i].unsure = i >= given && caption->words[i].probability < SAC_SURE;
}

/* ---------------------------------------------------------------- the grammar */

/* A sentence that is read from left to right. */
typedef struct reading {
    const sac_caption *caption;
    int at;
} reading;

static bool take(reading *r, int first, int last)
{
    if (r->at == r->caption->count)
        return false;
    int word = r->caption->words[r->at].word;
    r->at += word >= first && word <= last;
    return word >= first && word <= last;
}

/* "a large red circle" */
static bool take_object(reading *r)
{
    return take(r, SAC_WORD_A, SAC_WORD_A) && take(r, SAC_WORD_SMALL, SAC_WORD_LARGE) &&
           take(r, SAC_WORD_COLOUR, SAC_WORD_SHAPE - 1) &&
           take(r, SAC_WORD_SHAPE, SAC_WORD_SHAPE + SAC_SHAPES - 1);
}

static bool take_relation(reading *r)
{
    if (take(r, SAC_WORD_LEFT, SAC_WORD_RIGHT))
        return take(r, SAC_WORD_OF, SAC_WORD_OF);
    return take(r, SAC_WORD_ABOVE, SAC_WORD_BELOW);
}

/* True for what scenes/sentence.c says of some scene: "nothing", or objects, the second after a
 * relation, those that follow after "and". */
static bool is_sentence(const sac_caption *caption)
{
    reading r = {caption, 0};
    if (caption->count == 1 && caption->words[0].word == SAC_WORD_NOTHING)
        return caption->finished;
    bool fits = caption->finished && take_object(&r);
    for (int object = 1; fits && r.at < caption->count; object++)
        fits = object < SAC_SCENE_OBJECTS &&
               (object == 1 ? take_relation(&r) : take(&r, SAC_WORD_AND, SAC_WORD_AND)) &&
               take_object(&r);
    return fits;
}

/* ---------------------------------------------------------------- the note */

void sac_caption_doubt(const sac_caption *caption, char *note, size_t size)
{
    const sac_caption_word *least = NULL;
    note[0] = '\0';
    for (int i = 0; i < caption->count; i++)
        if (caption->words[i].unsure &&
            (!least || caption->words[i].probability < least->probability))
            least = &caption->words[i];
    if (!is_sentence(caption))
        snprintf(note, size,
                 "this model knows only scenes of flat shapes; no scene has this sentence");
    else if (least)
        snprintf(note, size, "“%s” is a guess (%.2f); this model knows only scenes of flat shapes",
                 least->text, (double)least->probability);
}
