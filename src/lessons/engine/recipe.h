/* A lesson as a page of the web computes it, in JSON. A lesson's graph is built by C, so the recipe has
 * what it builds at each stop of its sliders: whatever is built the same at several stops stands in it once. */
#ifndef SAC_LESSONS_ENGINE_RECIPE_H
#define SAC_LESSONS_ENGINE_RECIPE_H

#include "lessons/engine/lesson.h"

/* Writes the recipe of a lesson that is computed, with its questions:
 *     {"name", "title", "summary",
 *      "parameters": [{"name", "label", "at", "stops": [0.5, 1, 2]}],   at: the stop of its value
 *      "records": [...],                                                all that is built at some stop
 *      "arrays", "steps", "drawings": [{"by": [0, 2], "of": [7, 8, 9]}],
 *      "problems": {"by", "of"},                                        why nothing is built there
 *      "questions": [{"step", "text", "choices", "answer", "why"}]}
 * Array n of the graph is arrays[n − 1]: its record is that of the stops of the parameters `by`, the last of which
 * goes on fastest; −1: there is none. The record of an array has "op", a sac_operation, its inputs "in", "f", "g",
 * and its "numbers", or as "base64" their bytes, or where cells come from: "index", or "way", the first cell and how far it is to the
 * next one along each dimension. null is no number, 1e999 is ∞. */
sac_status sac_lesson_write_recipe(const sac_lesson *lesson, sac_locale language, FILE *file,
                                   sac_error *error);

#endif
