/* A scene's ground truth as JSON: beside its picture, or inside it as the PNG text "scene" ("book"
 * for the picture book). */
#ifndef SAC_SHAPES_TRUTH_H
#define SAC_SHAPES_TRUTH_H

#include "base/look.h"
#include "shapes/scene.h"

/* The ground truth of a synthetic picture: its sentence, and the regions of its words. When read
 * from JSON it is checked; any program may write the same fields. */
typedef struct sac_truth {
    char dataset[16]; /* that it is of: "shapes", "book" */
    int words;        /* without the end */
    char word[SAC_SCENE_WORDS][16];
    int object_of_word[SAC_SCENE_WORDS]; /* object of each word, or −1 */
    int count;
    float boxes[SAC_SCENE_OBJECTS][4]; /* x0, y0, x1, y1, as shares of width and height */
    /* Other datasets have no such objects: each word has its own regions. */
    bool by_word;
    sac_look look[SAC_SCENE_WORDS];
} sac_truth;

void sac_truth_of_scene(const sac_scene *scene, sac_truth *truth);
/* {"seed","stream","side","caption","words":[{"word","object"}],"objects":[{"colour","shape","size",
 * "fill","box":[x0,y0,x1,y1],"pixels"}],"ground","unseen_pair"}; boxes in pixels of a picture of
 * `side`. free() it; NULL: out of memory. */
char *sac_scene_json(const sac_scene *scene, int side);
/* Reads that, or the JSON of another dataset, which names it: {"dataset","side","words":[{"word",
 * "boxes":[[x0,y0,x1,y1]…]}]}. SAC_E_FORMAT, naming `where`, for what is neither. */
sac_status sac_truth_parse(const char *json, const char *where, sac_truth *truth, sac_error *error);
/* Loads the truth from the PNG's text, or from the file beside it (x.png → x.json). *found is false
 * where neither is there; a damaged one is an error. */
sac_status sac_truth_load(const char *picture, sac_truth *truth, bool *found, sac_error *error);

#endif
