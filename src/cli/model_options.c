/* A model's own options, taken from its table into the command's. */

#include "cli/model_options.h"

#include <math.h>
#include <string.h>

#include "architectures/architectures.h"
#include "base/error.h"
#include "base/text/suggestion.h"

/* What `--model` calls the models that translate; the first is meant where it is not given. */
static const struct {
    const char *name, *class;
} translators[] = {{"rnn", "translator"}, {"transformer", "transformer"}};
enum { TRANSLATORS = sizeof translators / sizeof *translators };

const sac_model_class *cli_translator_of(const char *name)
{
    for (int i = 0; i < TRANSLATORS; i++)
        if (!name || strcmp(translators[i].name, name) == 0)
            return sac_model_find(translators[i].class);
    return NULL;
}

/* What follows `--model`, or NULL. */
static const char *translator_name(cli_args args)
{
    for (int i = 0; i < args.count; i++) {
        if (strncmp(args.values[i], "--model=", 8) == 0)
            return args.values[i] + 8;
        if (strcmp(args.values[i], "--model") == 0 && i + 1 < args.count)
            return args.values[i + 1];
    }
    return NULL;
}

const sac_model_class *cli_find_model_class(cli_args args)
{
    const char *name = translator_name(args);
    for (int i = 0; i < args.count; i++) {
        const sac_model_class *class = sac_model_find(args.values[i]);
        if (class && args.values[i] != name)
            return class == cli_translator_of(NULL) && cli_translator_of(name)
                       ? cli_translator_of(name)
                       : class;
    }
    return sac_models[0];
}

int cli_translator_check(const char *name, const sac_model_class *class)
{
    if (!name)
        return CLI_DONE;
    if (!cli_translator_of(name))
        return cli_usage("--model", "unknown translator", "give rnn or transformer");
    return class == cli_translator_of(name) ? CLI_DONE
                                            : cli_usage("--model", "works with translators only",
                                                        "leave it out, or give translator");
}

int cli_parse_storage(const char *name, sac_storage *storage)
{
    return !name || sac_model_storage_find(name, storage)
               ? CLI_DONE
               : cli_usage(name, "unknown storage", "give float32 or bfloat16");
}

static const char greedy[] = "does not count in a greedy search",
                  wider[] = "leave it out, or give --beam 2 or more";

int cli_penalty_check(const sac_length_penalty *penalty, int beam)
{
    if (penalty->given && !(fabsf(penalty->value) <= SAC_LENGTH_PENALTY))
        return cli_usage("--length-penalty", "is out of range",
                         "give a number from -10 to 10, such as 0.7");
    return penalty->given && beam == 1 ? cli_usage("--length-penalty", greedy, wider) : CLI_DONE;
}

sac_status cli_penalty_check_beam(const sac_length_penalty *penalty, int beam, int own,
                                  sac_error *error)
{
    return penalty->given && (beam ? beam : own) == 1
               ? sac_fail(error, SAC_E_ARGUMENT, "--length-penalty", wider, "%s", greedy)
               : SAC_OK;
}

int cli_model_check(const char *name, const char *command, const char *done)
{
    const char *names[16] = {NULL};
    char what[64], remedy[128] = "give ";
    int count = 0;
    if (name && sac_model_find(name))
        return CLI_DONE;
    for (; sac_models[count] && count < 16; count++)
        names[count] = sac_models[count]->name;
    sac_names_join(names, count, remedy + strlen(remedy), sizeof remedy - strlen(remedy));
    snprintf(what, sizeof what, "is not a model that can be %s", done);
    return cli_usage(name ? name : command, name ? what : "needs the name of a model", remedy);
}

static cli_kind kind_of(const sac_model_option *option)
{
    return option->of_set                       ? CLI_OF_SET
           : option->choices || option->is_text ? CLI_TEXT
           : option->value_name                 ? CLI_REAL
                                                : CLI_FLAG;
}

/* The place into which the command line puts the value of option `i`. */
static void *option_value_pointer(cli_model_options *given, int i, cli_kind kind)
{
    return kind == CLI_TEXT     ? (void *)&given->choice[i]
           : kind == CLI_OF_SET ? (void *)&given->of_set[i]
           : kind == CLI_REAL   ? (void *)&given->number[i]
                                : (void *)&given->flag[i];
}

int cli_model_options_of(const sac_model_class *class, cli_model_options *given,
                         cli_option *options)
{
    int i = 0;
    *given = (cli_model_options){.class = class};
    for (; class->options[i].name; i++) {
        const sac_model_option *option = &class->options[i];
        given->of_set[i].last = &given->last_set;
        snprintf(given->name[i], sizeof given->name[i], "--%s", option->name);
        options[i] = (cli_option){
            .name = given->name[i],
            .kind = kind_of(option),
            .value = option_value_pointer(given, i, kind_of(option)),
            .given = &given->given[i],
            .value_name = option->value_name,
            .help = option->help,
        };
    }
    return i;
}

static int parse_model_choice(const cli_model_options *given, int i, float *value)
{
    const char *const *choices = given->class->options[i].choices;
    char what[64], remedy[128] = "give ";
    int count = 0;
    for (; choices[count]; count++)
        if (strcmp(choices[count], given->choice[i]) == 0) {
            *value = (float)count;
            return CLI_DONE;
        }
    snprintf(what, sizeof what, "unknown value for the %s", given->class->name);
    sac_names_join(choices, count, remedy + strlen(remedy), sizeof remedy - strlen(remedy));
    return cli_usage(given->name[i], what, remedy);
}

int cli_model_values(const cli_model_options *given, sac_model_values *values)
{
    int status = CLI_DONE;
    *values = sac_model_defaults(given->class);
    for (int i = 0; status == CLI_DONE && given->class->options[i].name; i++) {
        const sac_model_option *option = &given->class->options[i];
        if (!given->given[i])
            continue;
        values->given[i] = true;
        if (option->choices)
            status = parse_model_choice(given, i, &values->value[i]);
        else if (option->of_set)
            for (int set = 0; set <= given->last_set; set++)
                values->text[set][i] = given->of_set[i].values[set];
        else if (option->is_text)
            values->text[0][i] = given->choice[i];
        else if (!option->value_name)
            values->value[i] = 1;
        else if (given->number[i] < 0)
            status = cli_usage(given->name[i], "must be at least 0", option->remedy);
        else
            values->value[i] = given->number[i];
    }
    return status;
}
