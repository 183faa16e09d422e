/* The help of a command, and its page of the manual: both print the command's table of options. */
#include "cli/cli.h"

#include <string.h>

#include "base/text/printable.h"
#include "base/text/utf8.h"

enum { COLUMNS = 80, OPTION_COLUMNS = 24, MAX_TEXT = 1024 };

/* ---------------------------------------------------------------- help */

void cli_print_wrapped(const char *text, int indent)
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
    cli_print_wrapped(help, OPTION_COLUMNS);
}

void cli_print_help(const cli_command *command, const cli_option *options)
{
    sac_print(stdout, "usage: saccade %s %s\n\n", command->name, command->arguments);
    cli_print_wrapped(command->summary, 0);
    puts("\noptions:");
    for (const cli_option *o = options; o->name; o++)
        if (o->help)
            print_option(o->name, o->value_name, o->help);
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

void cli_page_text(const char *text)
{
    char roff[4 * MAX_TEXT];
    escape(text, roff, sizeof roff);
    sac_print(stdout, "%s%s\n", roff[0] == '.' ? "\\&" : "", roff);
}

void cli_page_item(const char *name, const char *value)
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

void cli_print_page(const cli_command *command, const cli_option *options)
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
            cli_page_item(o->name, o->value_name);
            cli_page_text(o->help);
        }
    cli_page_item("--help", NULL);
    puts("print this help");
    sac_print(stdout, CLI_PAGE_SECTIONS
              "\n.SH SEE ALSO\n\\fBsaccade\\fR(1), \\fBsaccade\\-arrays\\fR(5)\n");
}
