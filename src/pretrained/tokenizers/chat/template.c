/* Jinja for templates of chats, evaluated as it is read: blocks and expressions are walked in the source, and values
 * are those of cJSON; NULL is an undefined one. */
#include "tokenizers/chat/template.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/error.h"
#include "base/text/utf8.h"
#include "tokenizers/text/text_buffer.h"

enum {
    DEEPEST = 24,         /* expressions, and blocks, in each other */
    MOST_STEPS = 2000000, /* values that are looked at */
    MOST_VARIABLES = 128, /* at once */
    MOST_ARGUMENTS = 8,
    MOST_BYTES = 16 << 20, /* of all values that are made */
    NAME = 64
};

typedef enum part_kind { TEXT_PART, VALUE_PART, BLOCK_PART } part_kind;

/* Of the source: text as it comes out, or what stands between {{ }} or {% %}. */
typedef struct part {
    part_kind kind;
    const char *from, *end;
} part;

typedef struct variable {
    char name[NAME];
    const cJSON *value;
} variable;

typedef struct renderer {
    part *parts;
    size_t count;
    const char *at, *end; /* of the expression that is read */
    variable variables[MOST_VARIABLES];
    int variable_count,
        scope;   /* where those of the innermost loop begin, which are forgotten behind it */
    cJSON *made; /* an array: all values that were made on the way */
    char *out;
    size_t length, capacity, bytes;
    long steps;
    int depth, dry; /* dry: what is read has no effect, and does not fail */
    sac_status status;
    sac_error *error;
} renderer;

static void refuse(renderer *r, const char *format, ...)
{
    char what[160];
    va_list list;
    if (r->status != SAC_OK || r->dry)
        return;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    r->status = sac_fail(r->error, SAC_E_FORMAT, "chat template",
                         "give the text as the model reads it, with --text", "%s", what);
}

/* ---------------------------------------------------------------- values */

static size_t count_bytes(const cJSON *v)
{
    size_t bytes = sizeof *v;
    const cJSON *one;
    bytes += cJSON_IsString(v) ? strlen(v->valuestring) : 0;
    cJSON_ArrayForEach(one, v) bytes += count_bytes(one);
    return bytes;
}

/* The renderer frees it. */
static const cJSON *keep_value(renderer *r, cJSON *value)
{
    r->bytes += value ? count_bytes(value) : 0;
    if (r->bytes > MOST_BYTES)
        refuse(r, "it makes more than %d MiB", MOST_BYTES >> 20);
    if (!value || !cJSON_AddItemToArray(r->made, value)) {
        cJSON_Delete(value);
        if (r->status == SAC_OK)
            r->status = sac_no_memory(r->error, "chat template");
        return NULL;
    }
    return value;
}

static const cJSON *make_flag(renderer *r, bool flag)
{
    return keep_value(r, cJSON_CreateBool(flag));
}

static const cJSON *make_number(renderer *r, double number)
{
    return keep_value(r, cJSON_CreateNumber(number));
}

static const cJSON *make_text(renderer *r, const char *from, size_t size)
{
    char *text = strndup(from, size);
    const cJSON *value = keep_value(r, text ? cJSON_CreateString(text) : NULL);
    free(text);
    return value;
}

/* The same of a text that is freed; NULL: there was no memory for it. */
static const cJSON *keep_text(renderer *r, char *text, size_t size)
{
    const cJSON *value = text ? make_text(r, text, size) : keep_value(r, NULL);
    free(text);
    return value;
}

/* An undefined value becomes none. `name` NULL: to a list. */
static void add_copy(cJSON *list, const char *name, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, true) : cJSON_CreateNull();
    if (name)
        cJSON_AddItemToObject(list, name, copy);
    else
        cJSON_AddItemToArray(list, copy);
}

static bool is_true(const cJSON *v)
{
    if (!v || cJSON_IsNull(v) || cJSON_IsFalse(v))
        return false;
    if (cJSON_IsNumber(v))
        return v->valuedouble != 0;
    if (cJSON_IsString(v))
        return v->valuestring[0] != '\0';
    return cJSON_IsTrue(v) || v->child;
}

static const char *text_in(const cJSON *v)
{
    return cJSON_IsString(v) ? v->valuestring : "";
}

static void print_number(FILE *out, double number)
{
    fprintf(out, number == floor(number) && fabs(number) < 1e15 ? "%.0f" : "%.17g", number);
}

/* As json.dumps does it, characters as they are; step by step further in, or (0) in one line. */
static void print_json(FILE *out, const cJSON *v, int indent, int level)
{
    const bool is_object = cJSON_IsObject(v);
    const cJSON *one;
    if (cJSON_IsNumber(v)) {
        print_number(out, v->valuedouble);
    } else if (!v || !(is_object || cJSON_IsArray(v))) {
        char *text = v ? cJSON_PrintUnformatted(v) : NULL;
        fputs(text ? text : "null", out);
        cJSON_free(text);
    } else {
        fputc(is_object ? '{' : '[', out);
        cJSON_ArrayForEach(one, v)
        {
            fputs(one == v->child ? "" : indent ? "," : ", ", out);
            if (indent)
                fprintf(out, "\n%*s", indent * (level + 1), "");
            if (is_object) {
                char *name = cJSON_PrintUnformatted(
                    &(cJSON){.type = cJSON_String, .valuestring = one->string});
                fprintf(out, "%s: ", name ? name : "");
                cJSON_free(name);
            }
            print_json(out, one, indent, level + 1);
        }
        if (indent && v->child)
            fprintf(out, "\n%*s", indent * level, "");
        fputc(is_object ? '}' : ']', out);
    }
}

/* As Python writes a value in a text; free() it. */
static char *print_value(renderer *r, const cJSON *v)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (cJSON_IsString(v))
        fputs(v->valuestring, out);
    else if (cJSON_IsNumber(v))
        print_number(out, v->valuedouble);
    else if (cJSON_IsArray(v) || cJSON_IsObject(v))
        refuse(r, "it writes a list or an object, without tojson");
    else if (v)
        fputs(cJSON_IsTrue(v) ? "True" : cJSON_IsFalse(v) ? "False" : "None", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

static const cJSON *find_variable(const renderer *r, const char *name)
{
    for (int i = r->variable_count - 1; i >= 0; i--)
        if (strcmp(r->variables[i].name, name) == 0)
            return r->variables[i].value;
    return NULL;
}

/* As in Jinja, what an "if" sets stays, and what a loop sets does not. */
static void set_variable(renderer *r, const char *name, const cJSON *value)
{
    int i = r->scope;
    while (i < r->variable_count && strcmp(r->variables[i].name, name) != 0)
        i++;
    if (i == MOST_VARIABLES) {
        refuse(r, "it has more than %d variables", MOST_VARIABLES);
        return;
    }
    snprintf(r->variables[i].name, NAME, "%s", name);
    r->variables[i].value = value;
    r->variable_count = i < r->variable_count ? r->variable_count : i + 1;
}

/* ---------------------------------------------------------------- reading */

static void skip_blanks(renderer *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Passes over a sign or a word, if it comes next. */
static bool accept(renderer *r, const char *sign)
{
    const size_t size = strlen(sign);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < size || strncmp(r->at, sign, size) != 0 ||
        (is_name_character(*sign) && r->at + size < r->end && is_name_character(r->at[size])))
        return false;
    r->at += size;
    return true;
}

static void expect(renderer *r, const char *sign)
{
    if (!accept(r, sign)) {
        if (r->status == SAC_OK)
            r->dry = 0; /* the source itself is malformed */
        refuse(r, "there is no \"%s\" before \"%.*s\"", sign,
               (int)(r->end - r->at < 30 ? r->end - r->at : 30), r->at);
    }
}

static bool read_name(renderer *r, char name[NAME])
{
    size_t size = 0;
    skip_blanks(r);
    if (r->at == r->end || !is_name_character(*r->at) || isdigit((unsigned char)*r->at))
        return false;
    while (r->at + size < r->end && is_name_character(r->at[size]))
        size++;
    snprintf(name, NAME, "%.*s", (int)size, r->at);
    r->at += size;
    return true;
}

static const cJSON *read_expression(renderer *r);

/* ---------------------------------------------------------------- functions, methods, filters, tests */

typedef struct arguments {
    const cJSON *value[MOST_ARGUMENTS];
    char name[MOST_ARGUMENTS][NAME]; /* "": it has none */
    int count;
} arguments;

/* Behind "(". */
static void read_arguments(renderer *r, arguments *a)
{
    *a = (arguments){0};
    while (r->status == SAC_OK && !accept(r, ")")) {
        if (a->count == MOST_ARGUMENTS) {
            refuse(r, "a call has more than %d arguments", MOST_ARGUMENTS);
            return;
        }
        const char *before = r->at;
        if (!read_name(r, a->name[a->count]) || accept(r, "==") || !accept(r, "=")) {
            a->name[a->count][0] = '\0';
            r->at = before;
        }
        a->value[a->count++] = read_expression(r);
        if (!accept(r, ",")) {
            expect(r, ")");
            return;
        }
    }
}

static const cJSON *find_argument(const arguments *a, const char *name)
{
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->name[i], name) == 0)
            return a->value[i];
    return NULL;
}

static const cJSON *strip(renderer *r, const char *text, const char *signs, bool left, bool right)
{
    size_t size = strlen(text), from = 0;
    signs = signs[0] ? signs : " \t\n\r\f\v";
    while (left && from < size && strchr(signs, text[from]))
        from++;
    while (right && size > from && strchr(signs, text[size - 1]))
        size--;
    return make_text(r, text + from, size - from);
}

/* By the first letter of upper, lower, capitalize and title. Words of a title begin behind one of `apart` (NULL: behind
 * all but a letter). */
static const cJSON *change_case(renderer *r, const char *text, char how, const char *apart)
{
    sac_text_buffer made = {0};
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text;
    utf8proc_int32_t code;
    bool begins = true;
    for (utf8proc_ssize_t size; *at && (size = utf8proc_iterate(at, -1, &code)) > 0; at += size) {
        const bool is_letter = utf8proc_category(code) <= UTF8PROC_CATEGORY_LO;
        const bool is_up = how == 'u' || (begins && how != 'l');
        sac_text_append_code(&made,
                             (uint32_t)(is_up ? utf8proc_toupper(code) : utf8proc_tolower(code)));
        begins = how == 't' && (apart ? code < 128 && strchr(apart, code) : !is_letter);
    }
    const cJSON *value = make_text(r, made.bytes ? made.bytes : "", made.size);
    sac_text_free(&made);
    return value;
}

static const cJSON *replace_text(renderer *r, const char *text, const char *old, const char *new)
{
    char *made = NULL;
    size_t size = 0;
    FILE *out = old[0] ? open_memstream(&made, &size) : NULL;
    if (!out)
        return make_text(r, text, strlen(text));
    for (const char *found; (found = strstr(text, old)); text = found + strlen(old))
        fprintf(out, "%.*s%s", (int)(found - text), text, new);
    fputs(text, out);
    fclose(out);
    return keep_text(r, made, size);
}

static const cJSON *split_text(renderer *r, const char *text, const cJSON *by, double most)
{
    cJSON *list = cJSON_CreateArray();
    const char *sign = text_in(by);
    for (const char *found; sign[0] && most-- != 0 && (found = strstr(text, sign));
         text = found + strlen(sign)) {
        char *piece = strndup(text, (size_t)(found - text));
        cJSON_AddItemToArray(list, cJSON_CreateString(piece ? piece : ""));
        free(piece);
    }
    if (sign[0])
        cJSON_AddItemToArray(list, cJSON_CreateString(text));
    for (size_t size; !sign[0] && text[strspn(text, " \t\n\r")]; text += size) {
        text += strspn(text, " \t\n\r");
        size = strcspn(text, " \t\n\r");
        char *piece = strndup(text, size);
        cJSON_AddItemToArray(list, cJSON_CreateString(piece ? piece : ""));
        free(piece);
    }
    return keep_value(r, list);
}

/* Pairs of name and value. */
static const cJSON *list_items(renderer *r, const cJSON *object)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *one;
    cJSON_ArrayForEach(one, object)
    {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(pair, cJSON_CreateString(one->string ? one->string : ""));
        add_copy(pair, NULL, one);
        cJSON_AddItemToArray(list, pair);
    }
    return keep_value(r, list);
}

/* Of a text its characters. */
static double length(const cJSON *v)
{
    return cJSON_IsString(v) ? (double)sac_utf8_length(v->valuestring) : cJSON_GetArraySize(v);
}

static const cJSON *call_method(renderer *r, const cJSON *of, const char *name, const arguments *a)
{
    const char *text = text_in(of), *first = text_in(a->count ? a->value[0] : NULL);
    const size_t size = strlen(text), begin = strlen(first);
    if (cJSON_IsObject(of) && strcmp(name, "items") == 0)
        return list_items(r, of);
    if (cJSON_IsObject(of) && strcmp(name, "get") == 0) {
        const cJSON *found = cJSON_GetObjectItemCaseSensitive(of, first);
        return found ? found : a->count > 1 ? a->value[1] : keep_value(r, cJSON_CreateNull());
    }
    if (!cJSON_IsString(of)) {
    } else if (strcmp(name, "strip") == 0 || strcmp(name, "lstrip") == 0 ||
               strcmp(name, "rstrip") == 0)
        return strip(r, text, first, *name != 'r', *name != 'l');
    else if (strcmp(name, "startswith") == 0)
        return make_flag(r, strncmp(text, first, begin) == 0);
    else if (strcmp(name, "endswith") == 0)
        return make_flag(r, size >= begin && strcmp(text + size - begin, first) == 0);
    else if (strcmp(name, "upper") == 0 || strcmp(name, "lower") == 0 ||
             strcmp(name, "title") == 0 || strcmp(name, "capitalize") == 0)
        return change_case(r, text, *name, NULL);
    else if (strcmp(name, "replace") == 0 && a->count == 2)
        return replace_text(r, text, first, text_in(a->value[1]));
    else if (strcmp(name, "split") == 0)
        return split_text(r, text, a->count ? a->value[0] : NULL,
                          a->count > 1 && a->value[1] ? a->value[1]->valuedouble : -1);
    refuse(r, "the method \"%s\" is not known here", name);
    return NULL;
}

static const cJSON *call_function(renderer *r, const char *name, const arguments *a)
{
    if (strcmp(name, "raise_exception") == 0) {
        refuse(r, "it refuses these messages: %.100s", text_in(a->count ? a->value[0] : NULL));
        return NULL;
    }
    if (strcmp(name, "namespace") == 0 || strcmp(name, "dict") == 0) {
        cJSON *object = cJSON_CreateObject();
        for (int i = 0; i < a->count; i++)
            add_copy(object, a->name[i], a->value[i]);
        return keep_value(r, object);
    }
    if (strcmp(name, "range") == 0 && a->count >= 1 && a->count <= 3) {
        double bound[3] = {0, 0, 1};
        for (int i = 0; i < a->count; i++)
            bound[a->count == 1 ? 1 : i] = a->value[i] ? a->value[i]->valuedouble : 0;
        cJSON *list = cJSON_CreateArray();
        for (double i = bound[0]; bound[2] > 0   ? i < bound[1]
                                  : bound[2] < 0 ? i > bound[1]
                                                 : false;
             i += bound[2]) {
            if (++r->steps > MOST_STEPS)
                break;
            cJSON_AddItemToArray(list, cJSON_CreateNumber(i));
        }
        return keep_value(r, list);
    }
    refuse(r, "the function \"%s\" is not known here", name);
    return NULL;
}

static const cJSON *last_in(const cJSON *list)
{
    return cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);
}

static const cJSON *join_list(renderer *r, const cJSON *list, const char *between)
{
    char *made = NULL;
    size_t size = 0;
    const cJSON *one;
    FILE *out = open_memstream(&made, &size);
    if (!out)
        return keep_value(r, NULL);
    cJSON_ArrayForEach(one, list)
    {
        char *text = print_value(r, one);
        fprintf(out, "%s%s", one == list->child ? "" : between, text ? text : "");
        free(text);
    }
    fclose(out);
    return keep_text(r, made, size);
}

static const cJSON *write_json(renderer *r, const cJSON *v, int indent)
{
    char *made = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&made, &size);
    if (!out)
        return keep_value(r, NULL);
    print_json(out, v, indent, 0);
    fclose(out);
    return keep_text(r, made, size);
}

static const cJSON *apply_filter(renderer *r, const cJSON *v, const char *name, const arguments *a)
{
    const cJSON *first = a->count ? a->value[0] : NULL;
    if (strcmp(name, "default") == 0 || strcmp(name, "d") == 0)
        return !v || (a->count > 1 && is_true(a->value[1]) && !is_true(v)) ? first : v;
    if (strcmp(name, "tojson") == 0) {
        const cJSON *indent = find_argument(a, "indent");
        return write_json(r, v, indent ? (int)indent->valuedouble & 15 : 0);
    }
    if (strcmp(name, "length") == 0 || strcmp(name, "count") == 0)
        return make_number(r, length(v));
    if (strcmp(name, "first") == 0)
        return v ? v->child : NULL;
    if (strcmp(name, "last") == 0)
        return last_in(v);
    if (strcmp(name, "join") == 0)
        return join_list(r, v, text_in(first));
    if (strcmp(name, "items") == 0)
        return list_items(r, v);
    if (strcmp(name, "list") == 0 || strcmp(name, "safe") == 0)
        return v;
    if (strcmp(name, "int") == 0)
        return make_number(r, cJSON_IsString(v) ? trunc(strtod(v->valuestring, NULL))
                                                : trunc(v ? v->valuedouble : 0));
    char *text = print_value(r, v);
    const cJSON *value = NULL, shown = {.type = cJSON_String, .valuestring = text};
    if (!text)
        value = keep_value(r, NULL);
    else if (strcmp(name, "trim") == 0)
        value = call_method(r, &shown, "strip", a);
    else if (strcmp(name, "title") == 0)
        value = change_case(r, text, 't', "- \t\n\r({[<");
    else if (strcmp(name, "string") == 0)
        value = make_text(r, text, strlen(text));
    else if (strcmp(name, "upper") == 0 || strcmp(name, "lower") == 0 ||
             strcmp(name, "capitalize") == 0 || strcmp(name, "replace") == 0)
        value = call_method(r, &shown, name, a);
    else
        refuse(r, "the filter \"%s\" is not known here", name);
    free(text);
    return value;
}

static bool passes_test(renderer *r, const cJSON *v, const char *name)
{
    if (strcmp(name, "defined") == 0)
        return v;
    if (strcmp(name, "undefined") == 0)
        return !v;
    if (strcmp(name, "none") == 0)
        return cJSON_IsNull(v);
    if (strcmp(name, "string") == 0)
        return cJSON_IsString(v);
    if (strcmp(name, "mapping") == 0)
        return cJSON_IsObject(v);
    if (strcmp(name, "iterable") == 0 || strcmp(name, "sequence") == 0)
        return cJSON_IsString(v) || cJSON_IsArray(v) || cJSON_IsObject(v);
    if (strcmp(name, "number") == 0)
        return cJSON_IsNumber(v);
    if (strcmp(name, "boolean") == 0)
        return cJSON_IsBool(v);
    if (strcmp(name, "true") == 0)
        return cJSON_IsTrue(v);
    if (strcmp(name, "false") == 0)
        return cJSON_IsFalse(v);
    refuse(r, "the test \"%s\" is not known here", name);
    return false;
}

/* ---------------------------------------------------------------- expressions */

/* 'text' with its escapes, the first quote being behind us. */
static const cJSON *read_quoted(renderer *r, char quote)
{
    static const char escapes[] = "n\nt\tr\rf\fv\v";
    char *text = malloc((size_t)(r->end - r->at) + 1);
    size_t size = 0;
    if (!text)
        return keep_value(r, NULL);
    while (r->at < r->end && *r->at != quote) {
        char c = *r->at++;
        if (c == '\\' && r->at < r->end) {
            c = *r->at++;
            const char *found = c ? strchr(escapes, c) : NULL;
            if (found && (found - escapes) % 2 == 0)
                c = found[1];
            else if (!strchr("\\'\"", c)) {
                refuse(r, "the escape \"\\%c\" is not known here", c);
            }
        }
        text[size++] = c;
    }
    expect(r, (char[]){quote, '\0'});
    return keep_text(r, text, size);
}

static const cJSON *read_list(renderer *r, cJSON *list, const char *end)
{
    while (r->status == SAC_OK && !accept(r, end)) {
        add_copy(list, NULL, read_expression(r));
        if (!accept(r, ",")) {
            expect(r, end);
            break;
        }
    }
    return keep_value(r, list);
}

static const cJSON *read_object(renderer *r)
{
    cJSON *object = cJSON_CreateObject();
    while (r->status == SAC_OK && !accept(r, "}")) {
        const cJSON *name = read_expression(r);
        expect(r, ":");
        add_copy(object, text_in(name), read_expression(r));
        if (!accept(r, ",")) {
            expect(r, "}");
            break;
        }
    }
    return keep_value(r, object);
}

static const cJSON *read_primary(renderer *r)
{
    char name[NAME];
    skip_blanks(r);
    if (r->at < r->end && (*r->at == '\'' || *r->at == '"'))
        return read_quoted(r, *r->at++);
    if (r->at < r->end && isdigit((unsigned char)*r->at)) {
        char *end;
        const double number = strtod(r->at, &end);
        r->at = end;
        return make_number(r, number);
    }
    if (accept(r, "(")) {
        const cJSON *value = read_expression(r);
        if (accept(r, ",")) {
            cJSON *list = cJSON_CreateArray();
            add_copy(list, NULL, value);
            return read_list(r, list, ")");
        }
        expect(r, ")");
        return value;
    }
    if (accept(r, "["))
        return read_list(r, cJSON_CreateArray(), "]");
    if (accept(r, "{"))
        return read_object(r);
    if (!read_name(r, name)) {
        expect(r, "a value");
        return NULL;
    }
    if (strcasecmp(name, "true") == 0 || strcasecmp(name, "false") == 0)
        return make_flag(r, tolower((unsigned char)*name) == 't');
    if (strcasecmp(name, "none") == 0)
        return keep_value(r, cJSON_CreateNull());
    const cJSON *found = find_variable(r, name);
    if (!found && accept(r, "(")) {
        arguments a;
        read_arguments(r, &a);
        return r->dry ? NULL : call_function(r, name, &a);
    }
    return found;
}

/* of[a], or of[a:b:c], behind "[". */
static const cJSON *read_subscript(renderer *r, const cJSON *of)
{
    const cJSON *bound[3] = {0};
    int colons = 0;
    while (r->status == SAC_OK && !accept(r, "]")) {
        if (accept(r, ":")) {
            if (++colons > 2)
                refuse(r, "a slice has more than three numbers");
        } else if (colons <= 2)
            bound[colons] = read_expression(r);
    }
    if (r->status != SAC_OK)
        return NULL;
    if (!colons) {
        if (cJSON_IsString(bound[0]))
            return cJSON_GetObjectItemCaseSensitive(of, bound[0]->valuestring);
        double i = bound[0] ? bound[0]->valuedouble : 0, count = length(of);
        i = i < 0 ? i + count : i;
        if (!cJSON_IsString(of))
            return cJSON_IsArray(of) && i >= 0 && i < count ? cJSON_GetArrayItem(of, (int)i) : NULL;
        return i >= 0 && i < count && count == (double)strlen(of->valuestring)
                   ? make_text(r, of->valuestring + (size_t)i, 1)
                   : NULL;
    }
    const int count = (int)length(of);
    const int step = bound[2] ? bound[2]->valueint : 1;
    int from = bound[0] ? bound[0]->valueint : step < 0 ? count - 1 : 0;
    int to = bound[1] ? bound[1]->valueint : step < 0 ? -1 - count : count;
    from = from < 0 ? from + count : from;
    to = to < 0 ? to + count : to;
    if (cJSON_IsString(of)) {
        if (step != 1 || count != (int)strlen(of->valuestring)) {
            refuse(r, "it slices a text of other letters, or in steps");
            return NULL;
        }
        from = from < 0 ? 0 : from;
        to = to > count ? count : to;
        return make_text(r, of->valuestring + (from < to ? from : 0),
                         from < to ? (size_t)(to - from) : 0);
    }
    cJSON *list = cJSON_CreateArray();
    for (int i = step > 0 && from < 0 ? 0 : from; step && (step > 0 ? i < to : i > to); i += step)
        if (i >= 0 && i < count)
            add_copy(list, NULL, cJSON_GetArrayItem(of, i));
        else
            break;
    return keep_value(r, list);
}

static const cJSON *read_postfix(renderer *r)
{
    const cJSON *value = read_primary(r);
    char name[NAME];
    while (r->status == SAC_OK) {
        arguments a = {0};
        if (accept(r, ".")) {
            if (!read_name(r, name)) {
                expect(r, "a name");
            } else if (accept(r, "(")) {
                read_arguments(r, &a);
                value = r->dry ? NULL : call_method(r, value, name, &a);
            } else
                value = cJSON_GetObjectItemCaseSensitive(value, name);
        } else if (accept(r, "[")) {
            value = read_subscript(r, value);
        } else if (accept(r, "|")) {
            if (!read_name(r, name))
                expect(r, "a filter");
            if (accept(r, "("))
                read_arguments(r, &a);
            value = r->dry ? NULL : apply_filter(r, value, name, &a);
        } else if (accept(r, "is")) {
            const bool turned = accept(r, "not");
            if (!read_name(r, name))
                expect(r, "a test");
            value = make_flag(r, passes_test(r, value, name) != turned);
        } else
            break;
    }
    return value;
}

static const cJSON *read_unary(renderer *r)
{
    const bool turned = accept(r, "-");
    const cJSON *value = read_postfix(r);
    return turned ? make_number(r, value ? -value->valuedouble : 0) : value;
}

static const cJSON *read_product(renderer *r)
{
    const cJSON *value = read_unary(r);
    while (r->status == SAC_OK) {
        const char *sign = accept(r, "//")  ? "//"
                           : accept(r, "*") ? "*"
                           : accept(r, "/") ? "/"
                           : accept(r, "%") ? "%"
                                            : NULL;
        if (!sign)
            break;
        const cJSON *other = read_unary(r);
        const double a = value ? value->valuedouble : 0, b = other ? other->valuedouble : 0;
        value = make_number(r, *sign == '*'     ? a * b
                               : b == 0         ? 0
                               : *sign == '%'   ? a - floor(a / b) * b
                               : sign[1] == '/' ? floor(a / b)
                                                : a / b);
    }
    return value;
}

static const cJSON *join_values(renderer *r, const cJSON *a, const cJSON *b)
{
    char *first = print_value(r, a), *second = print_value(r, b), *both = NULL;
    const size_t size = strlen(first ? first : "") + strlen(second ? second : "");
    const cJSON *value = NULL;
    if (first && second && (both = malloc(size + 1))) {
        snprintf(both, size + 1, "%s%s", first, second);
        value = keep_text(r, both, size);
    }
    free(first);
    free(second);
    return value;
}

static const cJSON *read_sum(renderer *r)
{
    const cJSON *value = read_product(r);
    while (r->status == SAC_OK) {
        const bool minus = accept(r, "-"), joins = !minus && accept(r, "~");
        if (!minus && !joins && !accept(r, "+"))
            break;
        const cJSON *other = read_product(r), *one;
        if (r->dry)
            continue;
        if (joins || (!minus && cJSON_IsString(value) && cJSON_IsString(other)))
            value = join_values(r, value, other);
        else if (cJSON_IsNumber(value) && cJSON_IsNumber(other))
            value = make_number(r, value->valuedouble +
                                       (minus ? -other->valuedouble : other->valuedouble));
        else if (!minus && cJSON_IsArray(value) && cJSON_IsArray(other)) {
            cJSON *list = cJSON_Duplicate(value, true);
            cJSON_ArrayForEach(one, other) add_copy(list, NULL, one);
            value = keep_value(r, list);
        } else
            refuse(r, "it adds what cannot be added: a message may lack its content");
    }
    return value;
}

static bool are_equal(const cJSON *a, const cJSON *b)
{
    return !a || !b ? a == b : cJSON_Compare(a, b, true);
}

static bool has_part(const cJSON *whole, const cJSON *piece)
{
    const cJSON *one;
    if (cJSON_IsString(whole))
        return strstr(whole->valuestring, text_in(piece)) != NULL;
    if (cJSON_IsObject(whole))
        return cJSON_HasObjectItem(whole, text_in(piece));
    cJSON_ArrayForEach(one, whole) if (are_equal(one, piece)) return true;
    return false;
}

static double order(const cJSON *a, const cJSON *b)
{
    return cJSON_IsString(a) ? strcmp(a->valuestring, text_in(b))
                             : (a ? a->valuedouble : 0) - (b ? b->valuedouble : 0);
}

static const cJSON *read_comparison(renderer *r)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">", "not in", "in"};
    const cJSON *value = read_sum(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs && r->status == SAC_OK; i++) {
        if (!accept(r, signs[i]))
            continue;
        const cJSON *other = read_sum(r);
        const double apart = order(value, other);
        const bool result[] = {are_equal(value, other),
                               !are_equal(value, other),
                               apart <= 0,
                               apart >= 0,
                               apart<0, apart> 0,
                               !has_part(other, value),
                               has_part(other, value)};
        return make_flag(r, result[i]);
    }
    return value;
}

static const cJSON *read_not(renderer *r)
{
    return accept(r, "not") ? make_flag(r, !is_true(read_not(r))) : read_comparison(r);
}

/* What is not needed is read, and has no effect. */
static const cJSON *read_and(renderer *r)
{
    const cJSON *value = read_not(r);
    while (r->status == SAC_OK && accept(r, "and")) {
        const bool decided = !is_true(value);
        r->dry += decided;
        const cJSON *other = read_not(r);
        r->dry -= decided && r->dry;
        value = decided ? value : other;
    }
    return value;
}

static const cJSON *read_or(renderer *r)
{
    const cJSON *value = read_and(r);
    while (r->status == SAC_OK && accept(r, "or")) {
        const bool decided = is_true(value);
        r->dry += decided;
        const cJSON *other = read_and(r);
        r->dry -= decided && r->dry;
        value = decided ? value : other;
    }
    return value;
}

/* "a if b else c": a is read without effect until b is known. */
static const cJSON *read_expression(renderer *r)
{
    const char *from, *behind;
    if (++r->steps > MOST_STEPS)
        refuse(r, "it does not come to an end");
    if (++r->depth > DEEPEST) {
        r->dry = 0;
        refuse(r, "its expressions are nested too deeply");
    }
    if (r->status != SAC_OK) {
        r->depth--;
        return NULL;
    }
    skip_blanks(r);
    from = r->at;
    r->dry++;
    read_or(r);
    r->dry -= r->dry > 0;
    const cJSON *value = NULL;
    if (accept(r, "if")) {
        const bool is_so = is_true(read_or(r));
        const cJSON *other = NULL;
        if (accept(r, "else")) {
            r->dry += is_so;
            other = read_expression(r);
            r->dry -= is_so && r->dry;
        }
        behind = r->at;
        r->at = from;
        value = is_so ? read_or(r) : other;
        r->at = behind;
    } else {
        r->at = from;
        value = read_or(r);
    }
    r->depth--;
    return value;
}

/* ---------------------------------------------------------------- blocks */

static void write_text(renderer *r, const char *text, size_t size)
{
    if (r->length + size + 1 > r->capacity) {
        const size_t capacity = 2 * (r->length + size) + 64;
        char *more = capacity < MOST_BYTES ? realloc(r->out, capacity) : NULL;
        if (!more) {
            r->status = r->status == SAC_OK ? sac_no_memory(r->error, "chat template") : r->status;
            return;
        }
        r->out = more;
        r->capacity = capacity;
    }
    memcpy(r->out + r->length, text, size);
    r->out[r->length += size] = '\0';
}

static void enter_part(renderer *r, size_t i)
{
    r->at = r->parts[i].from;
    r->end = r->parts[i].end;
}

/* The first part from `i` on that ends the block, or is `other` of it ("else" …), at the same level. */
static size_t find_block_end(renderer *r, size_t i, const char *const ends[4])
{
    static const char *const opening[] = {"if", "for", "macro", "call", "filter", "raw"};
    char name[NAME];
    int level = 0;
    for (; i < r->count; i++) {
        if (r->parts[i].kind != BLOCK_PART)
            continue;
        enter_part(r, i);
        if (!read_name(r, name))
            continue;
        for (int k = 0; k < 4 && ends[k] && !level; k++)
            if (strcmp(name, ends[k]) == 0)
                return i;
        for (size_t k = 0; k < sizeof opening / sizeof *opening; k++) {
            level += strcmp(name, opening[k]) == 0;
            level -= strncmp(name, "end", 3) == 0 && strcmp(name + 3, opening[k]) == 0;
        }
    }
    r->dry = 0;
    refuse(r, "a block has no end");
    return r->count;
}

static void render_parts(renderer *r, size_t from, size_t end);

/* Returns the part of its "endif". */
static size_t render_if(renderer *r, size_t i)
{
    static const char *const ends[4] = {"elif", "else", "endif"};
    bool done = false, is_end = false;
    while (r->status == SAC_OK && !is_end) { /* behind "if", "elif" or "else" */
        char name[NAME] = "";
        enter_part(r, i);
        read_name(r, name);
        is_end = strcmp(name, "endif") == 0;
        if (is_end)
            break;
        const bool is_so = !done && (strcmp(name, "else") == 0 || is_true(read_expression(r)));
        const size_t next = r->status == SAC_OK ? find_block_end(r, i + 1, ends) : r->count;
        if (is_so && r->status == SAC_OK)
            render_parts(r, i + 1, next);
        done = done || is_so;
        i = next;
    }
    return i;
}

static void set_loop(renderer *r, const cJSON *list, int index, int count)
{
    cJSON *loop = cJSON_CreateObject();
    cJSON_AddNumberToObject(loop, "index", index + 1);
    cJSON_AddNumberToObject(loop, "index0", index);
    cJSON_AddNumberToObject(loop, "revindex", count - index);
    cJSON_AddNumberToObject(loop, "revindex0", count - index - 1);
    cJSON_AddNumberToObject(loop, "length", count);
    cJSON_AddBoolToObject(loop, "first", index == 0);
    cJSON_AddBoolToObject(loop, "last", index == count - 1);
    if (index > 0)
        add_copy(loop, "previtem", cJSON_GetArrayItem(list, index - 1));
    if (index < count - 1)
        add_copy(loop, "nextitem", cJSON_GetArrayItem(list, index + 1));
    set_variable(r, "loop", keep_value(r, loop));
}

/* The items of a list for which `condition` is true. */
static const cJSON *select_items(renderer *r, const cJSON *list, const char names[2][NAME],
                                 const char *condition)
{
    cJSON *chosen = cJSON_CreateArray();
    const cJSON *one;
    const int from = r->variable_count, outer = r->scope;
    r->scope = from;
    cJSON_ArrayForEach(one, list)
    {
        set_variable(r, names[0], one);
        r->at = condition;
        if (is_true(read_expression(r)))
            add_copy(chosen, NULL, one);
    }
    r->variable_count = from;
    r->scope = outer;
    return keep_value(r, chosen);
}

/* Returns the part of its "endfor". */
static size_t render_for(renderer *r, size_t i)
{
    static const char *const ends[4] = {"else", "endfor"};
    char names[2][NAME] = {"", ""}, name[NAME] = "";
    if (!read_name(r, names[0]) || (accept(r, ",") && !read_name(r, names[1])))
        expect(r, "a name");
    expect(r, "in");
    r->depth++; /* as read_expression, but for its "if" */
    const cJSON *list = read_or(r), *one;
    r->depth--;
    if (accept(r, "if")) {
        skip_blanks(r);
        list = select_items(r, list, names, r->at);
    }
    const size_t then = r->status == SAC_OK ? find_block_end(r, i + 1, ends) : r->count;
    if (r->status != SAC_OK)
        return r->count;
    enter_part(r, then);
    read_name(r, name);
    const size_t end = strcmp(name, "else") == 0
                           ? find_block_end(r, then + 1, (const char *const[4]){"endfor"})
                           : then;
    const int from = r->variable_count, outer = r->scope, count = cJSON_GetArraySize(list);
    int index = 0;
    r->scope = from;
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *item =
            cJSON_IsObject(list) ? make_text(r, one->string, strlen(one->string)) : one;
        set_variable(r, names[0], names[1][0] ? cJSON_GetArrayItem(item, 0) : item);
        if (names[1][0])
            set_variable(r, names[1], cJSON_GetArrayItem(item, 1));
        set_loop(r, list, index++, count);
        if (r->status == SAC_OK)
            render_parts(r, i + 1, then);
        r->variable_count = from;
        if (r->status != SAC_OK)
            break;
    }
    r->scope = outer;
    if (r->status != SAC_OK)
        return r->count;
    if (!count && end != then)
        render_parts(r, then + 1, end);
    return end;
}

/* "set name = value", or "set space.name = value" of a namespace. */
static void run_set(renderer *r)
{
    char name[NAME], member[NAME] = "";
    if (!read_name(r, name) || (accept(r, ".") && !read_name(r, member)))
        expect(r, "a name");
    expect(r, "=");
    const cJSON *value = read_expression(r);
    if (r->status != SAC_OK)
        return;
    if (!member[0]) {
        set_variable(r, name, value);
        return;
    }
    cJSON *space = (cJSON *)find_variable(r, name); /* namespaces are made here, and may change */
    if (!cJSON_IsObject(space)) {
        refuse(r, "\"%s\" is no namespace", name);
        return;
    }
    cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(space, member);
    if (old)
        keep_value(r, old); /* other variables may be the same value */
    add_copy(space, member, value);
}

static void render_parts(renderer *r, size_t from, size_t end)
{
    if (++r->depth > DEEPEST)
        refuse(r, "its blocks are nested too deeply");
    for (size_t i = from; i < end && r->status == SAC_OK; i++) {
        const part *p = &r->parts[i];
        char name[NAME] = "";
        if (++r->steps > MOST_STEPS)
            refuse(r, "it does not come to an end");
        enter_part(r, i);
        if (p->kind == TEXT_PART) {
            write_text(r, p->from, (size_t)(p->end - p->from));
        } else if (p->kind == VALUE_PART) {
            char *text = print_value(r, read_expression(r));
            if (text)
                write_text(r, text, strlen(text));
            free(text);
        } else if (!read_name(r, name)) {
            refuse(r, "a block is empty");
        } else if (strcmp(name, "if") == 0) {
            i = render_if(r, i);
        } else if (strcmp(name, "for") == 0) {
            i = render_for(r, i);
        } else if (strcmp(name, "set") == 0) {
            run_set(r);
        } else if (strcmp(name, "generation") != 0 && strcmp(name, "endgeneration") != 0) {
            refuse(r, "the block \"%s\" is not known here", name);
        }
        skip_blanks(r);
        if (r->status == SAC_OK && p->kind == VALUE_PART && r->at != r->end)
            refuse(r, "\"%.*s\" is not understood",
                   (int)(r->end - r->at < 40 ? r->end - r->at : 40), r->at);
    }
    r->depth--;
}

/* ---------------------------------------------------------------- the source in parts */

/* Where what begins with `open` ends, its quoted texts passed over; NULL: nowhere. */
static const char *find_close(const char *at, char close)
{
    char quote = '\0';
    for (; *at; at++) {
        if (quote && *at == '\\' && at[1])
            at++;
        else if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (close != '#' && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == close && at[1] == '}')
            return at;
    }
    return NULL;
}

/* As by trim_blocks and lstrip_blocks, which transformers sets: a line of a block alone writes no line. */
static bool cut_source(renderer *r, const char *source)
{
    const char *at = source;
    while (*at) {
        const char *open = at;
        while ((open = strchr(open, '{')) && !strchr("{%#", open[1] ? open[1] : 'x'))
            open++;
        const char *end = open ? open : at + strlen(at);
        part *more = realloc(r->parts, (r->count + 2) * sizeof *more);
        if (!more)
            return false;
        r->parts = more;
        if (open && open[2] == '-') {
            while (end > at && isspace((unsigned char)end[-1]))
                end--;
        } else if (open && open[1] != '{' && open[2] != '+') {
            const char *line = end;
            while (line > at && (line[-1] == ' ' || line[-1] == '\t'))
                line--;
            if (line == source || line[-1] == '\n')
                end = line;
        }
        r->parts[r->count++] = (part){TEXT_PART, at, end};
        if (!open)
            break;
        const char close = open[1] == '{' ? '}' : open[1], *from = open + 2;
        const char *to = find_close(from, close);
        if (!to) {
            refuse(r, "\"%.20s\" has no end", open);
            return true;
        }
        from += *from == '-' || *from == '+';
        at = to + 2;
        const bool strips = to > from && to[-1] == '-';
        if (close != '#')
            r->parts[r->count++] =
                (part){close == '}' ? VALUE_PART : BLOCK_PART, from, to - strips};
        while (strips && isspace((unsigned char)*at))
            at++;
        if (!strips && close != '}' && *at == '\n')
            at++;
    }
    return true;
}

sac_status sac_template_render(const char *source, const cJSON *variables, char **text,
                               sac_error *error)
{
    renderer *r = calloc(1, sizeof *r);
    sac_status status = SAC_OK;
    const cJSON *one;
    *text = NULL;
    if (!r || !(r->made = cJSON_CreateArray())) {
        free(r);
        return sac_no_memory(error, "chat template");
    }
    r->error = error;
    cJSON_ArrayForEach(one, variables) set_variable(r, one->string, one);
    if (!cut_source(r, source))
        r->status = sac_no_memory(error, "chat template");
    /* One line break at the end of a template is none of its text. */
    if (r->count && r->parts[r->count - 1].kind == TEXT_PART) {
        part *last = &r->parts[r->count - 1];
        last->end -= last->end > last->from && last->end[-1] == '\n';
    }
    write_text(r, "", 0);
    if (r->status == SAC_OK)
        render_parts(r, 0, r->count);
    status = r->status;
    if (status == SAC_OK)
        *text = r->out;
    else
        free(r->out);
    cJSON_Delete(r->made);
    free(r->parts);
    free(r);
    return status;
}
