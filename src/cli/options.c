/* Options of a command out of its arguments, by a table, and the help of the same table. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "base/text/utf8.h"
#include "cli/cli.h"

/* ---------------------------------------------------------------- help */

enum { COLUMNS = 80, OPTION_COLUMNS = 24, MAX_TEXT = 1024 };

/* ---------------------------------------------------------------- help */

/* `text` in lines of at most 80 columns, indented by `indent`; the first goes on from there. */
static void print_wrapped(const char *text, int indent)
{
    char word[256];
    int column = indent, used;
    for (; sscanf(text, " %255s%n", word, &used) == 1; text += used) {
        int length = (int)sac_utf8_length(word);
        if (column > indent && column + 1 + length > COLUMNS) {
            sac_print(stdout, "\n%*s", indent, "");
            column = indent;
        }
        sac_print(stdout, "%s%s", column > indent ? " " : "", word);
        column += length + (column > indent);
    }
    putchar('\n');
}

static void print_option(const char *name, const char *value_name, const char *help)
{
    char left[128];
    snprintf(left, sizeof left, "%s%s%s", name, value_name ? " " : "",
             value_name ? value_name : "");
    int length = (int)sac_utf8_length(left);
    sac_print(stdout, "  %s", left);
    if (length > OPTION_COLUMNS - 4)
        sac_print(stdout, "\n%*s", OPTION_COLUMNS, "");
    else
        sac_print(stdout, "%*s", OPTION_COLUMNS - 2 - length, "");
    print_wrapped(help, OPTION_COLUMNS);
}

enum { MOST_UNGROUPED = 40 }; /* options that are one list */

static void print_help(const cli_command *command, const cli_option *options)
{
    sac_print(stdout, "usage: saccade %s %s\n\n", command->name, command->arguments);
    print_wrapped(command->summary, 0);
    int count = 0;
    for (const cli_option *o = options; o->name; o++)
        count += o->help != NULL;
    const bool grouped = count > MOST_UNGROUPED;
    sac_print(stdout, grouped ? "\nfiles that are written:\n" : "\noptions:\n");
    for (const cli_option *o = options; o->name; o++) {
        if (grouped && o->group)
            sac_print(stdout, "\n%s:\n", o->group);
        if (o->help)
            print_option(o->name, o->value_name, o->help);
    }
    if (grouped)
        putchar('\n');
    print_option("--help", NULL, "print this help");
    sac_print(stdout, "\n`man saccade-%s` has the details.\n", command->name);
}

/* ---------------------------------------------------------------- a page of the manual */

/* As roff prints it: what it would obey is escaped, and what is not ASCII is named, so that a page
 * is the same in every locale. */
static const char *escape(const char *text, char *roff, size_t size)
{
    size_t used = 0;
    for (uint32_t code; *text && used + 16 < size;) {
        size_t length = sac_utf8_at(text, SIZE_MAX, &code);
        if (code > 126)
            used += (size_t)snprintf(roff + used, size - used, "\\[u%04X]", (unsigned)code);
        else if (*text == '\\')
            used += (size_t)snprintf(roff + used, size - used, "\\e");
        else if (*text == '\'')
            used += (size_t)snprintf(roff + used, size - used, "\\(aq");
        else if (*text == '`')
            used += (size_t)snprintf(roff + used, size - used, "\\(ga");
        else
            used += (size_t)snprintf(roff + used, size - used, *text == '-' ? "\\-" : "%c", *text);
        text += length;
    }
    roff[used] = '\0';
    return roff;
}

void cli_page_print_text(const char *text)
{
    char roff[4 * MAX_TEXT];
    escape(text, roff, sizeof roff);
    sac_print(stdout, "%s%s\n", roff[0] == '.' ? "\\&" : "", roff);
}

void cli_page_print_item(const char *name, const char *value)
{
    char roff[2][256];
    sac_print(stdout, ".TP\n\\fB%s\\fR", escape(name, roff[0], sizeof roff[0]));
    if (value)
        sac_print(stdout, " \\fI%s\\fR", escape(value, roff[1], sizeof roff[1]));
    putchar('\n');
}

void cli_page_begin(const char *name, const char *summary)
{
    char roff[2][MAX_TEXT];
    sac_print(stdout,
              ".TH %s 1 \"\" \"Saccade " SAC_VERSION "\" \"User Commands\"\n.SH NAME\n%s \\- %s\n",
              escape(name, roff[0], sizeof roff[0]), roff[0],
              escape(summary, roff[1], sizeof roff[1]));
}

/* The page of the manual as roff. What is written by hand for it, assets/man/COMMAND.man, is put in
 * place of its two comments by page.cmake. */
static void print_manual_page(const cli_command *command, const cli_option *options)
{
    char name[64], roff[MAX_TEXT];
    snprintf(name, sizeof name, "saccade-%s", command->name);
    cli_page_begin(name, command->summary);
    sac_print(stdout, ".SH SYNOPSIS\n\\fBsaccade %s\\fR %s\n", command->name,
              escape(command->arguments, roff, sizeof roff));
    puts(".SH DESCRIPTION\n" CLI_PAGE_DESCRIPTION "\n.SH OPTIONS");
    puts("An option takes its value as the next argument or after an equals sign.");
    for (const cli_option *o = options; o->name; o++)
        if (o->help) {
            cli_page_print_item(o->name, o->value_name);
            cli_page_print_text(o->help);
        }
    cli_page_print_item("--help", NULL);
    puts("print this help");
    sac_print(stdout, CLI_PAGE_SECTIONS
              "\n.SH SEE ALSO\n\\fBsaccade\\fR(1), \\fBsaccade\\-arrays\\fR(5)\n");
}

static int unknown_option(const cli_command *command, const cli_option *options, const char *word,
                          size_t length)
{
    char name[64], remedy[128];
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), word);
    sac_suggestion suggestion = {.word = name};
    for (const cli_option *o = options; o->name; o++)
        sac_suggestion_try(&suggestion, o->name);
    sac_suggestion_try(&suggestion, "--help");
    const char *best = sac_suggestion_get(&suggestion);
    if (best)
        snprintf(remedy, sizeof remedy, "did you mean %s?", best);
    else
        snprintf(remedy, sizeof remedy, "see `saccade %s --help`", command->name);
    return cli_usage(name, "unknown option", remedy);
}

/* False where a number cannot be read out of all of the text. */
static bool read_number(const cli_option *option, const char *text)
{
    char *end;
    errno = 0;
    if (option->kind == CLI_REAL) {
        float read = strtof(text, &end);
        if (end == text || *end || !isfinite(read))
            return false;
        *(float *)option->value = read;
    } else if (option->kind == CLI_WHOLE) {
        long read = strtol(text, &end, 10);
        if (end == text || *end || errno || read < INT_MIN || read > INT_MAX)
            return false;
        *(int *)option->value = (int)read;
    } else {
        unsigned long long read = strtoull(text, &end, 10);
        if (end == text || *end || errno || strchr(text, '-'))
            return false;
        *(uint64_t *)option->value = read;
    }
    return true;
}

static int parse_option_value(const cli_option *option, const char *text)
{
    static const char *const wants[] = {
        [CLI_REAL] = "give a number, such as 0.5",
        [CLI_WHOLE] = "give a whole number, such as 4",
        [CLI_SEED] = "give a whole number from 0 to 18446744073709551615",
    };
    char what[128];
    cli_list *list = option->value;
    cli_of_set *of = option->value;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)option->value = true;
        break;
    case CLI_TEXT:
    case CLI_CHOICE:
        *(const char **)option->value = text;
        break;
    case CLI_REAL:
    case CLI_WHOLE:
    case CLI_SEED:
        if (read_number(option, text))
            break;
        snprintf(what, sizeof what, "\"%.60s\" is not a valid number", text);
        return cli_usage(option->name, what, wants[option->kind]);
    case CLI_LIST:
        if (list->count == CLI_LIST_SIZE)
            return cli_usage(option->name, "is given too often", "give it at most 64 times");
        list->values[list->count++] = text;
        break;
    case CLI_OF_SET:
        if (of->values[*of->last] && ++*of->last == CLI_SETS)
            return cli_usage(option->name, "is given too often", "give at most 8 sets");
        of->values[*of->last] = text;
        break;
    }
    if (option->given)
        *option->given = true;
    return CLI_DONE;
}

/* True where `word` is one of a choice's. */
static bool is_choice(const cli_option *option, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = option->value_name + 1; *at; at += strcspn(at, "|]") + 1)
        if (strcspn(at, "|]") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}

/* `value`: what is behind "=", or NULL; `next`: the word behind the option's, or NULL. Sets *taken
 * where that is its value. */
static int parse_optional_choice(const cli_option *option, const char *value, const char *next,
                                 bool *taken)
{
    char what[128], remedy[128];
    *taken = !value && next && is_choice(option, next);
    if (*taken)
        value = next;
    if (!value || is_choice(option, value))
        return parse_option_value(option, value ? value : "");
    snprintf(what, sizeof what, "unknown value \"%.60s\"", value);
    snprintf(remedy, sizeof remedy, "give one of %s, or no value", option->value_name);
    return cli_usage(option->name, what, remedy);
}

enum { MOST_OPTIONS = 256 };

/* Reads the option at args.values[*index] and moves *index on to its last word. `taken_before` has
 * those that were given before. */
static int parse_option(cli_args args, const cli_option *options, bool taken_before[MOST_OPTIONS],
                        int *index)
{
    const char *word = args.values[*index];
    size_t length = strcspn(word, "=");
    const cli_option *option = options;
    while (option->name &&
           (strlen(option->name) != length || strncmp(option->name, word, length) != 0))
        option++;
    if (!option->name)
        return unknown_option(args.command, options, word, length);
    assert(option - options < MOST_OPTIONS);
    bool keeps_all = option->kind == CLI_LIST || option->kind == CLI_OF_SET;
    if (taken_before[option - options] && !keeps_all)
        return cli_usage(option->name, "is given twice", "give it once");
    taken_before[option - options] = true;
    const char *value = word[length] ? word + length + 1 : NULL;
    if (option->kind == CLI_FLAG)
        return value ? cli_usage(option->name, "takes no value", "leave out what follows =")
                     : parse_option_value(option, NULL);
    if (option->kind == CLI_CHOICE) {
        const char *next = *index + 1 < args.count ? args.values[*index + 1] : NULL;
        bool taken;
        int status = parse_optional_choice(option, value, next, &taken);
        *index += taken;
        return status;
    }
    bool follows = *index + 1 < args.count && strncmp(args.values[*index + 1], "--", 2) != 0;
    if (!value && follows)
        value = args.values[++*index];
    if (!value || !*value) {
        char remedy[128];
        snprintf(remedy, sizeof remedy, "write %s %s", option->name, option->value_name);
        return cli_usage(option->name, "needs a value", remedy);
    }
    return parse_option_value(option, value);
}

bool cli_asks_for_page(cli_args args)
{
    return args.count == 1 && strcmp(args.values[0], "--help=man") == 0;
}

int cli_parse(cli_args args, const cli_option *options, const char **files, int max_files,
              int *file_count)
{
    bool only_files = false; /* after "--" */
    bool taken[MOST_OPTIONS] = {false};
    *file_count = 0;
    for (int i = 0; i < args.count; i++) {
        const char *word = args.values[i];
        if (!only_files && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(args.command, options);
            return -1;
        }
        if (!only_files && strcmp(word, "--help=man") == 0) {
            print_manual_page(args.command, options);
            return -1;
        }
        if (!only_files && strcmp(word, "--") == 0) {
            only_files = true;
        } else if (!only_files && word[0] == '-' && word[1]) {
            int status = parse_option(args, options, taken, &i);
            if (status != CLI_DONE)
                return status;
        } else if (*file_count == max_files) {
            char remedy[128];
            snprintf(remedy, sizeof remedy, "usage: saccade %s %s", args.command->name,
                     args.command->arguments);
            return cli_usage(word, "unexpected argument", remedy);
        } else {
            files[(*file_count)++] = word;
        }
    }
    return CLI_DONE;
}

void cli_parse_causal(const char *text, sac_attention_spec *spec)
{
    spec->causal = spec->causal || text;
    for (int i = 0; text && i < SAC_ALIGN_COUNT; i++)
        if (strcmp(text, sac_alignment_name((sac_alignment)i)) == 0)
            spec->alignment = (sac_alignment)i;
}

int cli_read_stream(const char *text, bool *is_training)
{
    char what[128];
    *is_training = text && strcmp(text, "training") == 0;
    if (!text || *is_training || strcmp(text, "test") == 0)
        return CLI_DONE;
    snprintf(what, sizeof what, "unknown stream \"%.60s\"", text);
    return cli_usage("--stream", what, "give test or training");
}
