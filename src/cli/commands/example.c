/* saccade example: Python that makes a file of attention out of a model, or a folder that
 * is run here. */
#include <string.h>

#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "cli/cli.h"

/* src/cli/examples/NAME.py */
extern const char cli_example_hf[], cli_example_vit[], cli_example_vlm[];
extern const char cli_example_stable_diffusion[], cli_example_show_attend_tell[];

static const struct {
    const char *name, *of, *script;
} examples[] = {
    {"hf", "a language model of transformers over a sentence", cli_example_hf},
    {"vit", "a vision transformer of timm over a picture", cli_example_vit},
    {"vlm", "a vision-language model of transformers over a picture", cli_example_vlm},
    {"diffusers", "a diffusion model: the words of a prompt over the generated picture",
     cli_example_stable_diffusion},
    {"show-attend-tell", "the checkpoint of the PyTorch tutorial on captions, as a folder to open",
     cli_example_show_attend_tell},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static int unknown(const char *name)
{
    char what[128], remedy[128];
    sac_suggestion suggestion = {.word = name};
    for (int i = 0; i < EXAMPLES; i++)
        sac_suggestion_try(&suggestion, examples[i].name);
    const char *best = sac_suggestion_get(&suggestion);
    snprintf(what, sizeof what, "unknown example \"%.60s\"", name);
    snprintf(remedy, sizeof remedy,
             best ? "did you mean %s?" : "give hf, vit, vlm, diffusers or show-attend-tell", best);
    return cli_usage("example", what, remedy);
}

static int run_example(cli_args args)
{
    int count;
    const char *name;
    const cli_option options[] = {{0}};
    int status = cli_parse(args, options, &name, 1, &count);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (!count) {
        puts("usage: saccade example NAME | python3 - ARGUMENTS    (the first line of the script "
             "lists "
             "them)\n");
        for (int i = 0; i < EXAMPLES; i++)
            sac_print(stdout, "  %-17s %s\n", examples[i].name, examples[i].of);
        return CLI_DONE;
    }
    for (int i = 0; i < EXAMPLES; i++)
        if (strcmp(examples[i].name, name) == 0) {
            sac_print_text(stdout, examples[i].script);
            return CLI_DONE;
        }
    return unknown(name);
}

const cli_command cli_example = {"example", "[hf|vit|vlm|diffusers|show-attend-tell]",
                                 "print a Python script that saves the attention of your model",
                                 run_example};
