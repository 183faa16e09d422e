/* The table of commands, and the choice of one. */

#include "cli/cli.h"
#include "cli/json.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/notice.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "device/compiler.h"
#include "device/quarantine.h"
#include "lessons/engine/lesson.h"
#include "pretrained/files/pretrained.h"
#include "view/keys.h"
#include "view/words.h"

#define SUMMARY "compute attention with OpenCL, and show it"

extern const cli_command cli_attend, cli_bench, cli_caption, cli_compare, cli_devices, cli_evaluate,
    cli_example, cli_lecture, cli_lesson, cli_models, cli_scene, cli_selftest, cli_sentence,
    cli_train, cli_translate, cli_tune, cli_view;

static const cli_command *const commands[] = {
    &cli_devices,  &cli_models, &cli_attend,  &cli_compare, &cli_caption,   &cli_scene,
    &cli_sentence, &cli_lesson, &cli_lecture, &cli_train,   &cli_translate, &cli_evaluate,
    &cli_selftest, &cli_tune,   &cli_bench,   &cli_example, &cli_view,      NULL,
};

/* NULL: there is none of that name. */
static const cli_command *find_command(const char *name)
{
    for (const cli_command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void print_help(void)
{
    puts("saccade: " SUMMARY "\n"
         "\n"
         "usage: saccade [OPTIONS] [FILE…]    the same as `saccade view`\n"
         "       saccade COMMAND [ARGUMENTS]\n"
         "\n"
         "commands:");
    for (const cli_command *const *c = commands; *c; c++)
        sac_print(stdout, "  %-10s %s\n", (*c)->name, (*c)->summary);
    puts("\n"
         "`saccade COMMAND --help` lists the options of a command; `man saccade` is the manual.\n"
         "exit status: 0 done, 1 failed, 2 used wrongly, 3 no usable device");
}

/* The overview of the manual: commands and keys, out of their tables. */
static void print_manual_page(void)
{
    char name[64];
    cli_page_begin("saccade", SUMMARY);
    puts(".SH SYNOPSIS\n\\fBsaccade\\fR [\\fIoptions\\fR] [\\fIfile\\fR ...]\n.br\n"
         "\\fBsaccade\\fR \\fIcommand\\fR [\\fIarguments\\fR]\n"
         ".SH DESCRIPTION\n" CLI_PAGE_DESCRIPTION "\n.SH COMMANDS\n"
         "Each has its own page, such as \\fBsaccade\\-attend\\fR(1).");
    for (const cli_command *const *c = commands; *c; c++) {
        snprintf(name, sizeof name, "saccade %s", (*c)->name);
        cli_page_print_item(name, NULL);
        cli_page_print_text((*c)->summary);
    }
    puts(".SH KEYS\nA key means one thing in all views; \\fB?\\fR lists those of the view.");
    for (int group = 0; group < VIZ_KEYS_GROUPS; group++) {
        sac_print(stdout, ".SS To %s\n", viz_key_group_names[group]);
        for (const viz_key *key = viz_keys; key->cap; key++)
            if (key->group == (viz_key_group)group && key->owner != VIZ_KEY_RESERVED) {
                cli_page_print_item(key->cap, NULL);
                cli_page_print_text(key->meaning);
            }
    }
    sac_print(stdout, CLI_PAGE_SECTIONS "\n.SH SEE ALSO\n");
    for (const cli_command *const *c = commands; *c; c++)
        sac_print(stdout, "\\fBsaccade\\-%s\\fR(1),\n", (*c)->name);
    puts("\\fBsaccade\\-arrays\\fR(5)");
}

/* A word that is no file, does not look like one and is no name of a model was meant as a command. */
static bool looks_like_command(const char *word)
{
    return word[0] && word[0] != '-' && !strpbrk(word, "./") && access(word, F_OK) != 0 &&
           !sac_is_pretrained(word);
}

static int unknown_command(const char *word)
{
    sac_suggestion suggestion = {.word = word};
    for (const cli_command *const *c = commands; *c; c++)
        sac_suggestion_try(&suggestion, (*c)->name);
    char remedy[128];
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(remedy, sizeof remedy, "did you mean `saccade %s`?", best);
    else
        snprintf(remedy, sizeof remedy, "see `saccade --help`");
    return cli_usage(word, "unknown command, and no such file", remedy);
}

/* `words` without the program's name. */
static int run(int count, char **words)
{
    const char *first = count ? words[0] : "";
    bool helps = strcmp(first, "help") == 0 && looks_like_command(first);
    const cli_command *about = helps && count == 2 ? find_command(words[1]) : NULL;
    static char help[] = "--help";
    if (about)
        return about->run((cli_args){about, 1, (char *[]){help}});
    if ((helps && count == 1) || strcmp(first, help) == 0 || strcmp(first, "-h") == 0) {
        print_help();
        return CLI_DONE;
    }
    if (strcmp(first, "--help=man") == 0) {
        print_manual_page();
        return CLI_DONE;
    }
    if (strcmp(first, "--version") == 0) {
        puts("saccade " SAC_VERSION);
        return CLI_DONE;
    }
    const cli_command *command = find_command(first);
    if (!command && looks_like_command(first))
        return unknown_command(first);
    int status = cli_check_alone(command ? command : &cli_view);
    if (status != CLI_DONE)
        return status;
    return command ? command->run((cli_args){command, count - 1, words + 1})
                   : cli_view.run((cli_args){&cli_view, count, words});
}

/* The exit status: `status`, or that of a failure where the output is not whole. */
static int finish_output(int status)
{
    sac_error json_error = {0};
    if (cli_json_close(!cli_json_is_out_of_memory(), &json_error) != SAC_OK && status == CLI_DONE)
        status = cli_report(&json_error);
    if (cli_json_is_out_of_memory() && status == CLI_DONE) {
        sac_error error = {.status = SAC_E_MEMORY, .where = "JSON", .what = "out of memory"};
        status = cli_report(&error);
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_DONE) {
        sac_error error = {.status = SAC_E_FILE, .where = "standard output"};
        snprintf(error.what, sizeof error.what, "cannot be written: %s", strerror(errno));
        status = cli_report(&error);
    }
    return status;
}

#define COMPILER "--compile-kernels" /* for this program's own child process */

/* Drivers compile on this stack and on those of their threads, which are as large. */
static void raise_stack_limit(void)
{
    const rlim_t enough = 8u << 20;
    struct rlimit stack;
    pthread_attr_t threads;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= enough / 8)
        return;
    rlim_t most = stack.rlim_max;
    stack = (struct rlimit){enough, most > enough ? most : enough};
    if (setrlimit(RLIMIT_STACK, &stack) != 0) { /* where the hard limit may not be raised */
        stack = (struct rlimit){most < enough ? most : enough, most};
        setrlimit(RLIMIT_STACK, &stack);
    }
    if (pthread_attr_init(&threads) != 0)
        return;
    if (pthread_attr_setstacksize(&threads, enough) == 0)
        pthread_setattr_default_np(&threads);
    pthread_attr_destroy(&threads);
}

int main(int argc, char **argv)
{
    raise_stack_limit();
    if (argc == 2 && strcmp(argv[1], COMPILER) == 0)
        return sac_compiler_serve();
    /* By its own path: a list of processes then has its name. */
    static char path[PATH_MAX], *const command[] = {path, COMPILER, NULL};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0)
        sac_compiler_set(command);
    cli_interrupt_install(cli_report);
    sac_quarantine_watch();
    cli_install_cut_file_handler();
    cli_json_install_hooks();
    cli_waits_show(true);
    viz_set_language(sac_locale_of_environment());
    sac_notice_listen(cli_notice_show, NULL);
    int status = cli_join_processes(argv);
    if (status == CLI_DONE)
        status = run(argc > 0 ? argc - 1 : 0, argv + 1);
    cli_progress_clear();
    return cli_leave_processes(finish_output(status));
}
