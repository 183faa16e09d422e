/* Text of others, made fit to be printed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/printable.h"
#include "base/text/utf8.h"

/* ---------------------------------------------------------------- characters */

bool sac_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

bool sac_has_control(const char *text)
{
    uint32_t code;
    for (const char *at = text; *at;) {
        at += sac_utf8_at(at, SIZE_MAX, &code);
        if (code == UINT32_MAX || sac_is_control(code))
            return true;
    }
    return false;
}

/* What is printed for the character at *text, which it moves past; its length. */
static size_t next_printed(const char **text, bool lines, const char **printed)
{
    uint32_t code;
    size_t length = sac_utf8_at(*text, SIZE_MAX, &code);
    bool is_space = code == '\n' || code == '\r' || code == '\t';
    bool stays = lines && (code == '\n' || code == '\t');
    bool bad = code == UINT32_MAX || sac_is_control(code);
    *printed = !bad || stays ? *text : is_space && !lines ? " " : SAC_REPLACEMENT;
    *text += length;
    return *printed[0] == ' ' ? 1 : bad && !stays ? strlen(SAC_REPLACEMENT) : length;
}

char *sac_printable(const char *text, char *line, size_t size)
{
    size_t used = 0;
    const char *printed;
    if (size == 0)
        return line;
    while (*text) {
        size_t length = next_printed(&text, false, &printed);
        if (used + length >= size)
            break;
        memcpy(line + used, printed, length);
        used += length;
    }
    line[used] = '\0';
    return line;
}

char *sac_printable_copy(const char *text)
{
    size_t size = strlen(SAC_REPLACEMENT) * strlen(text) + 1;
    char *line = malloc(size);
    return line ? sac_printable(text, line, size) : NULL;
}

char *sac_valid_utf8_copy(const char *text)
{
    char *copy = malloc(strlen(SAC_REPLACEMENT) * strlen(text) + 1);
    uint32_t code;
    size_t used = 0;
    while (copy && *text) {
        size_t length = sac_utf8_at(text, SIZE_MAX, &code);
        bool valid = code != UINT32_MAX;
        size_t more = valid ? length : strlen(SAC_REPLACEMENT);
        memcpy(copy + used, valid ? text : SAC_REPLACEMENT, more);
        used += more;
        text += length;
    }
    if (copy)
        copy[used] = '\0';
    return copy;
}

/* ---------------------------------------------------------------- printing */

/* By fprintf, which needs nothing but the file: an error must be printed where all else fails. */
static void put(FILE *file, const char *text, size_t length)
{
    fprintf(file, "%.*s", (int)length, text);
}

void sac_print_text(FILE *file, const char *text)
{
    const char *printed;
    while (*text) {
        size_t length = next_printed(&text, true, &printed);
        put(file, printed, length);
    }
}

void sac_print_json(FILE *file, const char *json)
{
    uint32_t code;
    const char *plain = json; /* from here on nothing needs an escape; cJSON escapes what is below
                                 0x20, and lays its text out with the others */
    for (const char *at = json; *at;) {
        size_t length = sac_utf8_at(at, SIZE_MAX, &code);
        bool escaped = code == UINT32_MAX || (code >= 0x7f && sac_is_control(code));
        if (escaped) {
            put(file, plain, (size_t)(at - plain));
            fprintf(file, "\\u%04x", code == UINT32_MAX ? 0xfffdu : (unsigned)code);
            plain = at + length;
        }
        at += length;
    }
    fputs(plain, file);
    fputc('\n', file);
}

/* Texts are padded by characters, so that columns stand below each other. */
static void print_string(FILE *file, const char *text, int width, int precision, bool left)
{
    size_t bytes = 0, most = precision < 0 ? SIZE_MAX : (size_t)precision;
    int columns = 0;
    uint32_t code;
    while (bytes < most && text[bytes]) {
        size_t length = sac_utf8_at(text + bytes, SIZE_MAX, &code);
        if (length > most - bytes)
            break;
        bytes += length;
        columns++;
    }
    if (!left && width > columns)
        fprintf(file, "%*s", width - columns, "");
    for (const char *at = text, *printed; at < text + bytes;) {
        size_t length = next_printed(&at, false, &printed);
        put(file, printed, length);
    }
    if (left && width > columns)
        fprintf(file, "%*s", width - columns, "");
}

/* One conversion of a format. */
typedef struct conversion {
    char spec[32];        /* "%-*.3f" */
    int width, precision; /* 0 and −1: none */
    bool left, wide, stars[2];
    char kind;
} conversion;

/* Digits or a star at *at. */
static int read_size(const char **at, bool *star)
{
    if ((*star = **at == '*')) {
        ++*at;
        return 0;
    }
    char *end;
    int size = (int)strtol(*at, &end, 10);
    *at = end;
    return size;
}

/* Reads the conversion that begins at *at, and moves past it. */
static conversion read_conversion(const char **at)
{
    conversion c = {.precision = -1};
    const char *begin = (*at)++;
    for (; **at && strchr("-+ #0", **at); ++*at)
        c.left |= **at == '-';
    if (**at == '*' || (**at >= '1' && **at <= '9'))
        c.width = read_size(at, &c.stars[0]);
    if (**at == '.') {
        ++*at;
        c.precision = read_size(at, &c.stars[1]);
    }
    for (; **at && strchr("hlz", **at); ++*at)
        c.wide |= **at != 'h';
    c.kind = **at;
    *at += **at != '\0';
    snprintf(c.spec, sizeof c.spec, "%.*s", (int)(*at - begin), begin);
    return c;
}

static void print_formatted(FILE *file, const char *format, va_list list)
{
    va_list here;
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        put(file, at, plain);
        at += plain;
        if (!*at)
            break;
        conversion c = read_conversion(&at);
        va_copy(here, list); /* printf takes what this conversion needs; `list` moves on below */
        if (c.kind != 's')
            vfprintf(file, c.spec, here);
        va_end(here);
        if (c.stars[0])
            c.width = va_arg(list, int);
        if (c.stars[1])
            c.precision = va_arg(list, int);
        if (c.kind == 's') {
            const char *text = va_arg(list, const char *);
            bool left = c.left || c.width < 0;
            print_string(file, text ? text : "(null)", abs(c.width), c.precision, left);
        } else if (strchr("feg", c.kind)) {
            (void)va_arg(list, double);
        } else if (c.kind != '%') {
            if (c.wide)
                (void)va_arg(list, long long);
            else
                (void)va_arg(list, int);
        }
    }
}

/* Standard error is unbuffered. The text goes out in one write, so that the lines of two threads do
 * not mix. */
void sac_print(FILE *file, const char *format, ...)
{
    va_list list;
    char *text = NULL;
    size_t size;
    FILE *whole = file == stderr ? open_memstream(&text, &size) : NULL;
    va_start(list, format);
    print_formatted(whole ? whole : file, format, list);
    va_end(list);
    if (whole)
        fclose(whole);
    if (text)
        fputs(text, file);
    free(text);
}

/* ---------------------------------------------------------------- commands */

static void discard_command(sac_command_line *line)
{
    line->whole = false;
    line->used = 0;
    if (line->size)
        line->text[0] = '\0';
}

static void add(sac_command_line *line, const char *text, size_t length)
{
    if (!line->whole)
        return;
    if (length >= line->size - line->used) {
        discard_command(line);
        return;
    }
    memcpy(line->text + line->used, text, length);
    line->used += length;
    line->text[line->used] = '\0';
}

sac_command_line sac_command_begin(char *text, size_t size, const char *command)
{
    sac_command_line line = {.text = text, .size = size, .whole = size > 0};
    add(&line, command, strlen(command));
    return line;
}

/* ~ and = begin what a shell replaces; behind a first letter both are plain. */
static bool needs_no_quotes(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./=:@%+,-";
    return word[0] && word[0] != '=' && !word[strspn(word, plain)];
}

void sac_command_add(sac_command_line *line, const char *word)
{
    if (sac_has_control(word)) {
        discard_command(line);
        return;
    }
    bool plain = needs_no_quotes(word);
    add(line, plain ? " " : " '", plain ? 1 : 2);
    for (const char *rest = word; *rest;) {
        size_t length = plain ? strlen(rest) : strcspn(rest, "'");
        add(line, rest, length);
        rest += length;
        if (*rest == '\'') { /* closes the quotes, is escaped, and opens them again */
            add(line, "'\\''", 4);
            rest++;
        }
    }
    if (!plain)
        add(line, "'", 1);
}

void sac_command_add_option(sac_command_line *line, const char *option, const char *word)
{
    add(line, " ", 1);
    add(line, option, strlen(option));
    if (word[0])
        sac_command_add(line, word);
}

/* ---------------------------------------------------------------- text, as JSON that no parser of HTML takes for an end
 * of the script */

static void write_json_unit(FILE *file, uint32_t unit)
{
    fprintf(file, "\\u%04x", unit);
}

void sac_write_json_text(FILE *file, const char *utf8)
{
    uint32_t code;
    fputc('"', file);
    for (const char *at = utf8; *at;) {
        size_t length = sac_utf8_at(at, SIZE_MAX, &code);
        bool is_special = code == '"' || code == '\\' || code == '<' || code == '>' ||
                          code == '&' || code == 0x2028 || code == 0x2029;
        if (code == UINT32_MAX)
            write_json_unit(file, 0xfffd);
        else if (is_special || sac_is_control(code))
            write_json_unit(file, code);
        else
            fwrite(at, 1, length, file);
        at += length;
    }
    fputc('"', file);
}
