/* A caption for other programs: as JSON, and as arrays. */
#ifndef SAC_CLI_COMMANDS_CAPTION_JSON_H
#define SAC_CLI_COMMANDS_CAPTION_JSON_H

#include <cjson/cJSON.h>

#include "cli/drawing.h"
#include "sources/source.h"
#include "sources/words/subtitles.h"

/* One line: {"caption","device","ms","grid":[w,h],"words":[{"word","probability","entropy",
 * "peak":[x,y],"weights":[grid_w · grid_h, row by row],"gate","centre":[x,y]}],"finished","model",
 * "title"}, then what is known: "file", "note", and "truth":{"caption","exact","objects":[{"words",
 * "box":[x0,y0,x1,y1] as shares of width and height}]}, where each word also has "object" (its
 * index, or null) and, with one, "inside","mass","box_share". free() it; NULL: no memory. */
char *cli_caption_json(const sac_source *source, int model, const sac_result *caption);
enum { CLI_NOTE = 1100 }; /* bytes of a source's note and a caption's */
/* The model's name: that of its folder, or of one of ours that of its score. Lent. */
const char *cli_model_name(const sac_source *source, int model);
/* Saves them as .srt or .vtt. */
sac_status cli_save_subtitles(const sac_subtitles *subtitles, cli_file_type type, const char *path,
                              sac_error *error);
/* Adds "word", the word's share of the text; where it has none, as tokens of regions, its name as "token". */
void cli_add_word(cJSON *json, const sac_result *caption, int index);
/* Adds "words": what names that object of the truth. */
void cli_add_object_words(cJSON *json, const sac_caption_truth *truth, int object);

/* All heads of what generated the caption: of a model without any none. Free them. */
sac_status cli_find_attentions(sac_source *source, const sac_result *caption,
                               sac_attentions *attentions, sac_error *error);
/* Names the parts that are too large for the file, if any are. */
void cli_print_left_out(const char *path, const sac_attentions *attentions);
/* An .npz of "weights" [T,grid_h,grid_w], "words" [T], "probability", "entropy", "gate" [T],
 * "peak" [T,2] (x, y), "centre" [T,2] and "image" [S,S,3] u8, the square that the model looks at;
 * the attentions of all layers and heads, as cli_arrays_file_add_attentions has them; and
 * `reduced`, one map of all heads: without weights there is none. */
sac_status cli_caption_save(const char *path, const sac_source *source, const sac_result *caption,
                            const sac_attentions *attentions, const sac_attention_kind *reduced,
                            sac_error *error);
/* The same of "weights" [T,S], the labels of its rows and columns, and "probability" [T]. */
sac_status cli_translation_save(const char *path, const sac_result *caption,
                                const sac_attentions *attentions, const sac_attention_kind *reduced,
                                sac_error *error);

#endif
