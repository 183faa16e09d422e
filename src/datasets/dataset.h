/* The datasets that a captioner can learn: flat shapes, and the picture book. The interface
 * through which training and `evaluate` use a dataset.
 *
 *     const sac_dataset *dataset = sac_dataset_find("book");
 *     void *scene = malloc(dataset->scene_size);
 *     dataset->make(SAC_STREAM_TRAINING, seed, scene);
 *     int count = dataset->sentence(scene, words);
 */
#ifndef SAC_DATASETS_DATASET_H
#define SAC_DATASETS_DATASET_H

#include "base/look.h"
#include "shapes/scene.h"
#include "shapes/truth.h"

enum { SAC_DATASET_WORDS = 32 }; /* no sentence of any dataset has more, with its end */

typedef struct sac_dataset {
    const char *name;
    const char *title;   /* of a scene, before its seed: "scene" */
    uint64_t first_seen; /* the test stream's scene that a person meets first */
    int vocabulary;      /* words; 0, 1 and 2 are pad, start and end in each */
    int longest;         /* words of a sentence with its end, at most SAC_DATASET_WORDS */
    size_t scene_size;
    const char *(*word_text)(int word);
    void (*make)(sac_stream stream, uint64_t seed, void *scene);
    /* Words from `masked.first` on, the colours, are masked in the decoder's input: SAC_WORD_PAD
     * stands in their place. So it recognises a thing by attention, not by the colours that go with
     * it. */
    struct {
        int first, count;
    } masked;
    /* A scene to learn from, of a stream for training. By `chance`, 32 random bits, half of the
     * scenes have colours (those of shapes: also shapes) that no word covers, and SAC_WORD_PAD
     * where the word would be; of shapes with all pairs none has. */
    void (*make_for_training)(sac_stream stream, uint64_t seed, uint32_t chance, void *scene);
    /* rgb [side,side,3]. SAC_E_MEMORY. */
    sac_status (*draw)(const void *scene, int side, uint8_t *rgb, sac_error *error);
    /* The same as an image with alpha 255. */
    sac_status (*image)(const void *scene, int side, sac_image *image, sac_error *error);
    /* The words with the end into word [longest]; returns their number. */
    int (*sentence)(const void *scene, int *word);
    /* True for a word that names a thing or its colour. */
    bool (*names)(int word);
    /* True for a word that names a thing: of flat shapes a shape. */
    bool (*names_thing)(int word);
    /* The regions of the picture that the word at `t` describes. */
    void (*look)(const void *scene, int t, sac_look *look);
    /* The sentence, and all of that. */
    void (*truth)(const void *scene, sac_truth *truth);
    /* The word at `t` as the decoder's input in training: masked words are SAC_WORD_PAD, and by
     * `chance`, 32 random bits, so are some nouns of the picture book. */
    int (*input)(const void *scene, int t, uint32_t chance);
    /* What a model trained on it can caption: "scenes of flat shapes". */
    const char *knows;
    /* How its pictures differ from photographs: at a side of 32 pixels, at most the share `most` of
     * neighbouring pixels differ by more than `levels` of 255. With `fields` they have plain fields, or
     * grain all over, and faint shades are a photograph's too. */
    struct {
        int levels;
        double most;
        bool fields;
    } plain;
    /* True for what is the sentence of some scene: `count` words, without the end. */
    bool (*has_sentence)(const int *word, int count);
    /* True where the scene has a pair that training never has. */
    bool (*has_unseen_pair)(const void *scene);
} sac_dataset;

/* "shapes" or "book"; NULL: there is none of that name. */
const sac_dataset *sac_dataset_find(const char *name);
/* NULL: there are no more. */
const sac_dataset *sac_dataset_at(int index);

#endif
