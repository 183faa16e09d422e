/* The one sentence of a scene, inside of this box. */
#ifndef SAC_SHAPES_SENTENCE_H
#define SAC_SHAPES_SENTENCE_H

#include "shapes/scene.h"

/* True where `a` is mentioned before `b`: large before small, then from left to right. */
bool sac_is_mentioned_before(const sac_scene_object *a, const sac_scene_object *b);
/* Fills words, word and object_of_word from the objects, which are in the order of mention. */
void sac_scene_describe(sac_scene *scene);

#endif
