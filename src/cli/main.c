/* The table of commands, and the choice of one. */

#include "cli/cli.h"
#include "cli/json.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/notice.h"
#include "base/printable.h"
#include "base/suggestion.h"
#include "device/compiler.h"
#include "device/quarantine.h"

static const cli_command commands[] = {
    {"devices", "[--json]", "what there is to compute on, what it can do, and which one is taken",
     cli_devices},
    {"attend", "IN.npz OUT.npz [OPTIONS]",
     "attention on arrays: query, key and value in; output, weights and log-sum-exp out",
     cli_attend},
    {"caption", "[OPTIONS] IMAGE…|FOLDER|--scene N",
     "say what is in a picture, and where each word looked", cli_caption},
    {"scene", "[--seed N] [OPTIONS]", "draw a scene and tell its truth", cli_scene},
    {"sentence", "[--seed N] [OPTIONS]",
     "an English sentence, its French translation, and which word stands for which", cli_sentence},
    {"lesson", "[NAME] [OPTIONS]", "an idea of attention in steps, each number with its arithmetic",
     cli_lesson},
    {"train", "MODEL [OPTIONS]", "train a model, such as the captioner on scenes", cli_train},
    {"translate", "\"TEXT\" [OPTIONS]", "English to French, and which words each word looked at",
     cli_translate},
    {"evaluate", "MODEL [OPTIONS]", "the figures that a model is held to", cli_evaluate},
    {"selftest", "[--device S] [--json]", "known-answer tests of every kernel on the device",
     cli_selftest},
    {"tune", "[--device S] [--seconds X] [--json] [--reset]",
     "find the fastest kernels for this device, in 20 seconds, and remember them", cli_tune},
    {"bench",
     "[view|attention|gemm|train [MODEL]|decode [MODEL]|folder FOLDER] [--json] [--device S]",
     "how fast this device is, beside what it could reach", cli_bench},
    {"example", "[hf|vit|vlm|diffusers]",
     "Python that makes a file of attention out of a model of yours", cli_example},
    {"view", "[OPTIONS] FILE…",
     "open pictures, weights or arrays in a window, or write them as PNG", cli_view},
    {0},
};

/* NULL: there is none of that name. */
static const cli_command *find_command(const char *name)
{
    for (const cli_command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static void print_help(void)
{
    puts("saccade: computes attention with OpenCL and shows it moving\n"
         "\n"
         "usage: saccade [OPTIONS] [FILE…]    open a scene, pictures, weights or arrays (as "
         "`saccade view`)\n"
         "       saccade COMMAND [ARGUMENTS]\n"
         "\n"
         "commands:");
    for (const cli_command *c = commands; c->name; c++)
        sac_print(stdout, "  %-10s %s\n", c->name, c->summary);
    puts("\n"
         "`saccade COMMAND --help` lists the options of a command; `man saccade` tells it all.\n"
         "exit status: 0 done, 1 failed, 2 used wrongly, 3 no usable device");
}

/* A word that is no file and does not look like one was meant as a command. */
static bool looks_like_command(const char *word)
{
    return word[0] && word[0] != '-' && !strpbrk(word, "./") && access(word, F_OK) != 0;
}

static int unknown_command(const char *word)
{
    sac_suggestion suggestion = {.word = word};
    for (const cli_command *c = commands; c->name; c++)
        sac_suggestion_try(&suggestion, c->name);
    char todo[128];
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(todo, sizeof todo, "did you mean `saccade %s`?", best);
    else
        snprintf(todo, sizeof todo, "see `saccade --help`");
    return cli_usage(word, "is neither a command nor a file", todo);
}

static int run(int count, char **words)
{
    const char *first = count ? words[0] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        print_help();
        return CLI_DONE;
    }
    if (strcmp(first, "--version") == 0) {
        puts("saccade " SAC_VERSION);
        return CLI_DONE;
    }
    const cli_command *command = find_command(first);
    if (command)
        return command->run((cli_args){command, count - 1, words + 1});
    if (looks_like_command(first))
        return unknown_command(first);
    return cli_view((cli_args){find_command("view"), count, words});
}

static void show_notice(const char *text)
{
    cli_progress_clear();
    sac_print(stderr, "saccade: %s\n", text);
}

/* The exit status: `status`, or that of a failure where the output is not whole. */
static int check_output(int status)
{
    if (cli_json_has_gap() && status == CLI_DONE) {
        sac_error error = {
            .status = SAC_E_MEMORY, .where = "JSON", .what = "no memory for all of it"};
        status = cli_report(&error);
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_DONE) {
        sac_error error = {.status = SAC_E_FILE, .where = "standard output"};
        snprintf(error.what, sizeof error.what, "cannot be written: %s", strerror(errno));
        status = cli_report(&error);
    }
    return status;
}

#define COMPILER "--compile-kernels" /* what this program says to itself, and no person */

/* By its own path: a list of processes then has its name. */
static void offer_compiler(void)
{
    static char path[PATH_MAX], *const command[] = {path, COMPILER, NULL};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0)
        sac_compiler_set(command);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], COMPILER) == 0)
        return sac_compiler_serve();
    offer_compiler();
    cli_interrupt_install(cli_report);
    sac_quarantine_watch();
    cli_cut_files_report();
    cli_json_watch();
    cli_waits_show(true);
    sac_notice_listen(show_notice);
    int status = run(argc > 0 ? argc - 1 : 0, argv + 1);
    cli_progress_clear();
    return check_output(status);
}
