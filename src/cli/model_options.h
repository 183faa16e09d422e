/* The model that a command is about, and the model's own options on its command line. */
#ifndef SAC_CLI_MODEL_OPTIONS_H
#define SAC_CLI_MODEL_OPTIONS_H

#include "cli/cli.h"
#include "table/models.h"

/* The model that the arguments name, "translator" with `--model` too; where they name none the
 * first of the table, whose options `--help` then shows. */
const sac_model_class *cli_find_model_class(cli_args args);
/* The model that translates and is called so, "rnn" or "transformer" (NULL: the first); else NULL.
 */
const sac_model_class *cli_translator_of(const char *name);
/* Refuses what `--model` gives, where there is no such model or the command is about another. */
int cli_translator_check(const char *name, const sac_model_class *class);
/* Refuses a missing name, "train: needs the name of a model; give captioner, translator or transformer",
 * and one that no model has: "is not a model that can be trained; give captioner, translator or
 * transformer". */
int cli_model_check(const char *name, const char *command, const char *done);

/* `--storage` (may be NULL) of a pretrained model into `storage`; refuses a way that there is not. */
int cli_parse_storage(const char *name, sac_storage *storage);
/* Refuses a `--length-penalty` that is out of range, or beside a greedy search: the width of the beam,
 * 0 where it is not given; and that of the model's own search (0: not known yet). */
int cli_penalty_check(const sac_length_penalty *penalty, int beam);
sac_status cli_penalty_check_beam(const sac_length_penalty *penalty, int beam, int own,
                                  sac_error *error);

/* The options of a class, as they were given. */
typedef struct cli_model_options {
    const sac_model_class *class;
    const char *choice[SAC_MODEL_OPTIONS];
    cli_of_set of_set[SAC_MODEL_OPTIONS];
    int last_set;
    float number[SAC_MODEL_OPTIONS];
    bool flag[SAC_MODEL_OPTIONS], given[SAC_MODEL_OPTIONS];
    char name[SAC_MODEL_OPTIONS][32]; /* "--score" */
} cli_model_options;
/* Fills `options` with those of the class, up to CLI_MODEL_OPTIONS; returns how many. */
enum { CLI_MODEL_OPTIONS = 2 * SAC_MODEL_OPTIONS };
int cli_model_options_of(const sac_model_class *class, cli_model_options *given,
                         cli_option *options);
/* The values, with defaults for what was not given; or CLI_USAGE. */
int cli_model_values(const cli_model_options *given, sac_model_values *values);

#endif
