/* The sentence of a scene: noun phrases, and the relations between them. */

#include "sentence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool sac_is_mentioned_before(const sac_scene_object *a, const sac_scene_object *b)
{
    return a->large != b->large ? a->large : a->x < b->x;
}

static void say(sac_scene *scene, int word, int object)
{
    scene->word[scene->words] = word;
    scene->object_of_word[scene->words++] = object;
}

/* "a large red circle" */
static void say_object(sac_scene *scene, int index)
{
    const sac_scene_object *object = &scene->objects[index];
    say(scene, SAC_WORD_A, index);
    say(scene, object->large ? SAC_WORD_LARGE : SAC_WORD_SMALL, index);
    say(scene, object->colour == SAC_UNNAMED ? SAC_WORD_PAD : SAC_WORD_COLOUR + object->colour,
        index);
    say(scene, object->shape == SAC_UNNAMED ? SAC_WORD_PAD : SAC_WORD_SHAPE + object->shape, index);
}

/* Adds the words for where the first object lies as seen from the second. */
static void say_relation(sac_scene *scene)
{
    float dx = scene->objects[0].x - scene->objects[1].x;
    float dy = scene->objects[0].y - scene->objects[1].y;
    if (fabsf(dx) > fabsf(dy)) {
        say(scene, dx < 0 ? SAC_WORD_LEFT : SAC_WORD_RIGHT, -1);
        say(scene, SAC_WORD_OF, -1);
    } else {
        say(scene, dy < 0 ? SAC_WORD_ABOVE : SAC_WORD_BELOW, -1);
    }
}

void sac_scene_describe(sac_scene *scene)
{
    scene->words = 0;
    for (int i = 0; i < scene->count; i++) {
        if (i == 1)
            say_relation(scene);
        else if (i > 1)
            say(scene, SAC_WORD_AND, -1);
        say_object(scene, i);
    }
    if (scene->count == 0)
        say(scene, SAC_WORD_NOTHING, -1);
    say(scene, SAC_WORD_END, -1);
    for (int i = scene->words; i < SAC_SCENE_WORDS; i++) {
        scene->word[i] = SAC_WORD_PAD;
        scene->object_of_word[i] = -1;
    }
}

char *sac_sentence_of(const char *(*word_text)(int word), const int *word, int words, char *text,
                      size_t size)
{
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (int i = 0; i < words && word[i] != SAC_WORD_END && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", word_text(word[i]));
    return text;
}

char *sac_sentence(const int *word, int words, char *text, size_t size)
{
    return sac_sentence_of(sac_word_text, word, words, text, size);
}
