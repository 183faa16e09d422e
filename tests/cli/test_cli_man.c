/* The pages of the manual, beside the help that the program prints: both come from one table, and
 * what is written by hand names no option that does not exist. */
#include "extent.h"
#include "run.h"

#include <ctype.h>

enum { MOST_OPTIONS = 800, OPTION_SIZE = 40 };

static program_run help;
static char commands[32][24];
static int command_count;
static char known[MOST_OPTIONS][OPTION_SIZE]; /* "--score": of any command, aliases too */
static int known_count;

/* ---------------------------------------------------------------- reading */

/* The page as it is read: roff's escapes as what they stand for. */
static char *plain(char *roff)
{
    static const char *const signs[][2] = {{"\\-", "-"},   {"\\e", "\\"},   {"\\(aq", "'"},
                                           {"\\(ga", "`"}, {"\\(mu", "×"},  {"\\&", ""},
                                           {"\\fB", ""},   {"\\fI", ""},    {"\\fR", ""},
                                           {"\\fP", ""},   {"\\(dq", "\""}, {"\\(bu", "•"}};
    char *out = roff, *at = roff;
    while (*at) {
        unsigned code;
        int used = 0;
        size_t i = 0;
        while (i < sizeof signs / sizeof *signs && strncmp(at, signs[i][0], strlen(signs[i][0])))
            i++;
        if (i < sizeof signs / sizeof *signs) {
            at += strlen(signs[i][0]);
            out += sprintf(out, "%s", signs[i][1]);
        } else if (sscanf(at, "\\[u%x]%n", &code, &used) == 1 && used) {
            at += used;
            if (code < 0x800)
                *out++ = (char)(0xc0 | code >> 6);
            else
                *out++ = (char)(0xe0 | code >> 12), *out++ = (char)(0x80 | (code >> 6 & 63));
            *out++ = (char)(0x80 | (code & 63));
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
    return roff;
}

/* free() it */
static char *read_page(const char *command)
{
    char path[512];
    size_t size;
    snprintf(path, sizeof path, "%s/saccade%s%s.1", MAN_PAGES, command[0] ? "-" : "", command);
    char *page = file_read(path, &size);
    assert_non_null(page);
    page = realloc(page, size + 1);
    assert_non_null(page);
    page[size] = '\0';
    return plain(page);
}

/* The output of `saccade COMMAND --help`, into help.out. */
static void ask_help(const char *command)
{
    run_saccade(&help, command, "--help", NULL);
    assert_done(&help);
}

/* The option that begins at *text, "--out FILE", and its help in one line; moves *text behind it.
 * False: there are no more. */
static bool next_option(char **text, char *option, char *words, size_t size)
{
    char *at = strncmp(*text, "  --", 4) == 0 ? *text : strstr(*text, "\n  --");
    if (!at)
        return false;
    at += *at == '\n';
    char *end = strchr(at, '\n'), *gap = strstr(at + 2, "  ");
    bool own_line = !gap || gap > end;
    sprintf(option, "%.*s", (int)((own_line ? end : gap) - at - 2), at + 2);
    size_t used = 0;
    for (at = own_line ? end : gap; *at && strncmp(at, "\n  --", 5) && strncmp(at, "\n\n", 2);) {
        at += strspn(at, " \n");
        size_t length = strcspn(at, " \n");
        used +=
            (size_t)snprintf(words + used, size - used, "%s%.*s", used ? " " : "", (int)length, at);
        at += length;
    }
    *text = at;
    return true;
}

static void learn(const char *word, size_t length)
{
    assert_true(known_count < MOST_OPTIONS && length < OPTION_SIZE);
    snprintf(known[known_count++], OPTION_SIZE, "%.*s", (int)length, word);
}

/* The length of an option's name that begins at `text`; 0: none does. */
static size_t name_length(const char *text)
{
    size_t length = 2;
    if (strncmp(text, "--", 2) != 0 || !islower((unsigned char)text[2]))
        return 0;
    while (islower((unsigned char)text[length]) || text[length] == '-')
        length++;
    return length;
}

static int enter(void **state)
{
    (void)state;
    ask_help("--help");
    char *at = strstr(help.out, "\ncommands:\n");
    assert_non_null(at);
    for (at += strlen("\ncommands:\n"); strncmp(at, "  ", 2) == 0; at = strchr(at, '\n') + 1)
        assert_int_equal(sscanf(at, " %23s", commands[command_count++]), 1);
    for (int i = 0; i < command_count; i++) {
        ask_help(commands[i]);
        for (at = help.out; (at = strstr(at, "--")); at += 2)
            if (name_length(at))
                learn(at, name_length(at));
    }
    /* those of the models but the first, which `saccade train --help` shows */
    static const char *const models[] = {"translator", "transformer", "language"};
    for (int i = 0; i < 3; i++) {
        run_saccade(&help, "train", models[i], "--help", NULL);
        for (at = help.out; (at = strstr(at, "--")); at += 2)
            if (name_length(at))
                learn(at, name_length(at));
    }
    learn("--version", 9);
    return 0;
}

/* ---------------------------------------------------------------- tests */

TEST(every_command_has_a_page_with_the_options_of_its_help)
{
    char option[128], words[1024], line[1300];
    assert_true(command_count > 10);
    for (int i = 0; i < command_count; i++) {
        char *page = read_page(commands[i]), *at = help.out;
        int options = 0;
        ask_help(commands[i]);
        while (next_option(&at, option, words, sizeof words)) {
            snprintf(line, sizeof line, ".TP\n%s\n%s\n", option, words);
            if (!strstr(page, line))
                fail_msg("the page of %s does not have: %s", commands[i], line);
            options++;
        }
        assert_true(options > 0);
        free(page);
    }
}

TEST(the_overview_lists_every_command)
{
    char *page = read_page("");
    for (int i = 0; i < command_count; i++) {
        char line[64];
        snprintf(line, sizeof line, "\nsaccade %s\n", commands[i]);
        assert_non_null(strstr(page, line));
    }
    assert_non_null(strstr(page, ".SS To "));
    free(page);
}

static void check_names(const char *text, const char *end, const char *where)
{
    for (; (text = strstr(text, "--")) && text < end; text += 2) {
        size_t length = name_length(text);
        int i = 0;
        while (length && i < known_count &&
               !(strlen(known[i]) == length && strncmp(known[i], text, length) == 0))
            i++;
        if (length && i == known_count)
            fail_msg("%s: no command has the option %.*s", where, (int)length, text);
    }
}

/* `saccade train MODEL --help` has the options of one model, the page those of all. */
TEST(the_page_of_train_has_the_options_of_every_model)
{
    char option[128], words[1024], line[140];
    char *page = read_page("train");
    run_saccade(&help, "train", "transformer", "--help", NULL);
    for (char *at = help.out; next_option(&at, option, words, sizeof words);) {
        snprintf(line, sizeof line, ".TP\n%s\n", option);
        if (!strstr(page, line))
            fail_msg("the page of train does not have: %s", option);
    }
    free(page);
}

TEST(pages_name_no_option_that_does_not_exist)
{
    for (int i = -1; i < command_count; i++) {
        char *page = read_page(i < 0 ? "" : commands[i]);
        check_names(page, page + strlen(page), i < 0 ? "saccade.1" : commands[i]);
        free(page);
    }
}

/* Those that keep all of their values. */
static bool may_be_repeated(const char *command, const char *name)
{
    static const char *const own[][2] = {
        {NULL, "--out"},         {NULL, "--ignore"},      {"bench", "--case"},
        {"lesson", "--set"},     {"train", "--average"},  {"train", "--pictures"},
        {"train", "--captions"}, {"train", "--val"},      {"train", "--test"},
        {"bench", "--pictures"}, {"bench", "--captions"}, {"bench", "--val"},
        {"bench", "--test"},     {"train", "--pairs"},    {"evaluate", "--pairs"},
        {"bench", "--pairs"},    {"evaluate", "--text"},  {"train", "--text"},
        {NULL, "--chat"},
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if ((!own[i][0] || strcmp(own[i][0], command) == 0) && strcmp(own[i][1], name) == 0)
            return true;
    return false;
}

/* Of every option of every command but those that keep all of their values: flags, and also after "=". Where not all
 * is tried, of one in eight. */
TEST(an_option_given_twice_is_refused_where_it_keeps_one_value_or_none)
{
    static program_run twice;
    char option[128], words[1024], name[128], joined[160];
    int tried = 0;
    for (int i = 0; i < command_count; i++) {
        ask_help(commands[i]);
        for (char *at = help.out; next_option(&at, option, words, sizeof words);) {
            char *value = option + strcspn(option, " ");
            snprintf(name, sizeof name, "%.*s", (int)(value - option), option);
            snprintf(joined, sizeof joined, "%s=1", name);
            if (may_be_repeated(commands[i], name))
                continue;
            if (strcmp(name, "--help") == 0)
                continue; /* nothing behind it is read */
            if (tried++ % 8 && !test_is_thorough())
                continue;
            if (!*value || value[1] == '[')
                run_saccade(&twice, commands[i], name, name, NULL);
            else
                run_saccade(&twice, commands[i], joined, name, "2", NULL);
            if (twice.status != 2 || !strstr(twice.err, ": is given twice; give it once"))
                fail_msg("%s %s twice: %s", commands[i], name, twice.err);
        }
    }
    assert_true(tried > 100);
}

/* In the documents a command begins with "saccade " and ends with its line or its code. */
TEST(documents_name_no_option_that_does_not_exist)
{
    static const char *const documents[] = {"README.md",
                                            "src/lessons/README.md",
                                            "src/pretrained/README.md",
                                            "assets/captioner/README.md",
                                            "assets/translator/README.md",
                                            "tests/bench/README.md"};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        char path[512];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", SOURCES, documents[i]);
        char *text = file_read(path, &size);
        text = realloc(text, size + 1);
        assert_non_null(text);
        text[size] = '\0';
        for (const char *at = text; (at = strstr(at, "saccade ")); at++)
            check_names(at, at + strcspn(at, "`#|\n"), documents[i]);
        free(text);
    }
}

TEST_MAIN(enter, NULL)
