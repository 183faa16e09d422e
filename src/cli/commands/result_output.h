/* Results for other programs: as JSON, and as arrays. */
#ifndef SAC_CLI_COMMANDS_RESULT_OUTPUT_H
#define SAC_CLI_COMMANDS_RESULT_OUTPUT_H

#include <cjson/cJSON.h>

#include "cli/drawing.h"
#include "sources/source.h"
#include "sources/words/subtitles.h"

/* One line: {"caption","device","ms","grid":[w,h],"words":[{"word","probability","entropy",
 * "peak":[x,y],"weights":[grid_w · grid_h, row by row],"gate","centre":[x,y]}],"finished","model",
 * "title"}, then what is known: "file", "note", and "truth":{"caption","exact","objects":[{"words",
 * "box":[x0,y0,x1,y1] as shares of width and height}]}, where each word also has "object" (its
 * index, or null) and, with one, "inside","mass","box_share". Of a translation "translation", "source"
 * and of each word its weights over them. free() it; NULL: no memory. */
char *cli_result_json(const sac_source *source, int model, const sac_result *result);
/* Adds the phrases that a picture was compared with, or the objects in it above the threshold. */
sac_status cli_add_outputs(cJSON *root, const sac_source *source, const sac_result *result,
                           sac_error *error);
enum { CLI_NOTE = 1100 }; /* bytes of a source's note and a caption's */
/* The model's name: that of its folder, or of one of ours that of its score. Lent. */
const char *cli_model_name(const sac_source *source, int model);
/* Saves them as .srt or .vtt. */
sac_status cli_save_subtitles(const sac_subtitles *subtitles, cli_file_type type, const char *path,
                              sac_error *error);
/* Adds "words": what names that object of the truth. */
void cli_add_object_words(cJSON *json, const sac_caption_truth *truth, int object);

typedef union cli_result_number {
    float real;
    int32_t whole;
} cli_result_number;

/* The outputs' numbers, one array for each, [T] or [T,N]. */
typedef struct cli_result_columns {
    const char *text[SAC_MAX_TOKENS];
    float probability[SAC_MAX_TOKENS], box[SAC_MAX_TOKENS][4];
    float cosine[SAC_MAX_TOKENS], logit[SAC_MAX_TOKENS], objectness[SAC_MAX_TOKENS];
    int32_t class[SAC_MAX_TOKENS], patch[SAC_MAX_TOKENS];
    cli_result_number figure[SAC_OUTPUT_FIGURES][2 * SAC_MAX_TOKENS];
} cli_result_columns;
/* Adds the same as cli_add_outputs, of objects those of all queries; lends the columns. */
void cli_arrays_file_add_outputs(cli_arrays_file *file, const sac_source *source,
                                 const sac_result *result, cli_result_columns *columns);

/* Names the parts that are too large for the file, if any are. */
void cli_print_left_out(const char *path, const sac_attentions *attentions);
/* An .npz of a caption: "weights" [T,grid_h,grid_w], "words" [T], "probability", "entropy", "gate" [T],
 * "peak" [T,2] (x, y), "centre" [T,2] and "image" [S,S,3] u8, the square that the model looks at;
 * the attentions of all layers and heads, as cli_arrays_file_add_attentions has them; and
 * `reduced`, one map of all heads: without weights there is none. Of a translation in place of the first
 * "weights" [T,S], the labels of its rows and columns, and "probability" [T]. */
sac_status cli_result_save(const char *path, const sac_source *source, const sac_result *result,
                           const sac_attentions *attentions, const sac_attention_kind *reduced,
                           sac_error *error);

#endif
