/* Pictures, a folder of them, or scenes, with the bundled models behind them, as a viewer's source.
 */
#ifndef SAC_CAPTIONER_SOURCE_H
#define SAC_CAPTIONER_SOURCE_H

#include "captioner/captioner.h"
#include "models/model_class.h"
#include "shapes/truth.h"
#include "sources/result.h"

/* The weights are of `class`. Strings are copied. Errors: a picture's (only the one that is begun
 * with is loaded now), the weights' (their headers are read now, they themselves when a model is
 * first asked for a caption), the device's. SAC_E_ARGUMENT where the models' grids differ. Captions of a
 * picture without truth that the model is not sure of get the note of what it knows. */
sac_status sac_caption_open(const sac_model_class *class, const sac_model_open_options *options,
                            sac_source *source, sac_error *error);

/* Decides whether a caption is a guess. */

/* Below this probability a word of a scene is unsure, and is marked. */
#define SAC_SURE 0.9f
/* The same of photographs, where the model's file has no value. Of 1,019 content words of captions
 * of 200 photographs that a model had not seen, those below are right (a person's caption of the
 * picture has them) less than half the time: 0.38 of them, and 0.64 of the rest. */
#define SAC_SURE_OF_PHOTOGRAPHS 0.27f
/* Below this the sentence is called a guess. Of 306 flat drawings that other programs made 1 is; of
 * 64 photographs and the halves of each, 191 of 192, together with the rule of their texture. */
#define SAC_DOUBTED 0.7f

/* Marks the words that are unsure; the first `given` are not the model's own. Of photographs content
 * words only: there is no truth by which an article is right. */
void sac_result_mark_unsure(sac_result *caption, int given, const sac_captioner_shape *shape);
/* Writes into `note` why the caption should not be trusted: an unsure word, or a sentence that the
 * dataset has not; else empty. */
void sac_caption_doubt(const sac_result *caption, const sac_dataset *dataset, char *note,
                       size_t size);
/* Below this mean of its words' log probability a caption of a photograph is a guess, where the model's file
 * has no value: of 1,000 photographs of Flickr8k that the bundled model was not trained on, the captions of
 * 50 are below. */
#define SAC_LEAST_LOG_OF_PHOTOGRAPHS -1.256f
/* That mean, of the model's own words, which the first `given` are not; 0: there are none. */
float sac_caption_mean_log(const sac_result *caption, int given);
/* Sets whether a photograph's caption is a guess, and its note: `doubt` is what is wrong with the photograph
 * (empty: nothing). */
void sac_caption_judge_photograph(sac_result *caption, int given, const char *doubt,
                                  const sac_captioner_shape *shape);
/* Adds to `note` which word of a photograph's caption is the least sure of those that are unsure. */
void sac_caption_doubt_photograph(const sac_result *caption, char *note, size_t size);

/* The ground truth of a picture in the form of the source: sentence, boxes, and the words that name
 * each object. */
void sac_captioner_truth(const sac_truth *from, sac_caption_truth *truth);

#endif
