/* Expressions of templates, evaluated as they are read: the source is walked from `at` to `end`. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizers/chat/jinja.h"

/* ---------------------------------------------------------------- variables */

const cJSON *sac_jinja_find_variable(const sac_jinja *r, const char *name)
{
    for (int i = r->variable_count - 1; i >= 0; i--)
        if (strcmp(r->variables[i].name, name) == 0)
            return r->variables[i].value;
    return NULL;
}

void sac_jinja_set_variable(sac_jinja *r, const char *name, const cJSON *value)
{
    int i = r->scope;
    while (i < r->variable_count && strcmp(r->variables[i].name, name) != 0)
        i++;
    if (i == SAC_JINJA_VARIABLES) {
        sac_jinja_refuse(r, "it has more than %d variables", SAC_JINJA_VARIABLES);
        return;
    }
    snprintf(r->variables[i].name, SAC_JINJA_NAME, "%s", name);
    r->variables[i].value = value;
    r->variable_count = i < r->variable_count ? r->variable_count : i + 1;
}

/* ---------------------------------------------------------------- reading */

void sac_jinja_skip_blanks(sac_jinja *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool sac_jinja_accept(sac_jinja *r, const char *sign)
{
    const size_t size = strlen(sign);
    sac_jinja_skip_blanks(r);
    if ((size_t)(r->end - r->at) < size || strncmp(r->at, sign, size) != 0 ||
        (is_name_character(*sign) && r->at + size < r->end && is_name_character(r->at[size])))
        return false;
    r->at += size;
    return true;
}

void sac_jinja_expect(sac_jinja *r, const char *sign)
{
    if (!sac_jinja_accept(r, sign)) {
        if (r->status == SAC_OK)
            r->dry = 0; /* the source itself is malformed */
        sac_jinja_refuse(r, "there is no \"%s\" before \"%.*s\"", sign,
                         (int)(r->end - r->at < 30 ? r->end - r->at : 30), r->at);
    }
}

bool sac_jinja_read_name(sac_jinja *r, char name[SAC_JINJA_NAME])
{
    size_t size = 0;
    sac_jinja_skip_blanks(r);
    if (r->at == r->end || !is_name_character(*r->at) || isdigit((unsigned char)*r->at))
        return false;
    while (r->at + size < r->end && is_name_character(r->at[size]))
        size++;
    snprintf(name, SAC_JINJA_NAME, "%.*s", (int)size, r->at);
    r->at += size;
    return true;
}

/* Behind "(". */
static void read_arguments(sac_jinja *r, sac_jinja_arguments *a)
{
    *a = (sac_jinja_arguments){0};
    while (r->status == SAC_OK && !sac_jinja_accept(r, ")")) {
        if (a->count == SAC_JINJA_ARGUMENTS) {
            sac_jinja_refuse(r, "a call has more than %d arguments", SAC_JINJA_ARGUMENTS);
            return;
        }
        const char *before = r->at;
        if (!sac_jinja_read_name(r, a->name[a->count]) || sac_jinja_accept(r, "==") ||
            !sac_jinja_accept(r, "=")) {
            a->name[a->count][0] = '\0';
            r->at = before;
        }
        a->value[a->count++] = sac_jinja_read_expression(r);
        if (!sac_jinja_accept(r, ",")) {
            sac_jinja_expect(r, ")");
            return;
        }
    }
}

/* ---------------------------------------------------------------- expressions */

/* 'text' with its escapes, the first quote being behind us. */
static const cJSON *read_quoted(sac_jinja *r, char quote)
{
    static const char escapes[] = "n\nt\tr\rf\fv\v";
    char *text = malloc((size_t)(r->end - r->at) + 1);
    size_t size = 0;
    if (!text)
        return sac_jinja_keep_value(r, NULL);
    while (r->at < r->end && *r->at != quote) {
        char c = *r->at++;
        if (c == '\\' && r->at < r->end) {
            c = *r->at++;
            const char *found = c ? strchr(escapes, c) : NULL;
            if (found && (found - escapes) % 2 == 0)
                c = found[1];
            else if (!strchr("\\'\"", c)) {
                sac_jinja_refuse(r, "the escape \"\\%c\" is not known here", c);
            }
        }
        text[size++] = c;
    }
    sac_jinja_expect(r, (char[]){quote, '\0'});
    return sac_jinja_keep_text(r, text, size);
}

static const cJSON *read_list(sac_jinja *r, cJSON *list, const char *end)
{
    while (r->status == SAC_OK && !sac_jinja_accept(r, end)) {
        sac_jinja_add_copy(list, NULL, sac_jinja_read_expression(r));
        if (!sac_jinja_accept(r, ",")) {
            sac_jinja_expect(r, end);
            break;
        }
    }
    return sac_jinja_keep_value(r, list);
}

static const cJSON *read_object(sac_jinja *r)
{
    cJSON *object = cJSON_CreateObject();
    while (r->status == SAC_OK && !sac_jinja_accept(r, "}")) {
        const cJSON *name = sac_jinja_read_expression(r);
        sac_jinja_expect(r, ":");
        sac_jinja_add_copy(object, sac_jinja_text_in(name), sac_jinja_read_expression(r));
        if (!sac_jinja_accept(r, ",")) {
            sac_jinja_expect(r, "}");
            break;
        }
    }
    return sac_jinja_keep_value(r, object);
}

static const cJSON *read_primary(sac_jinja *r)
{
    char name[SAC_JINJA_NAME];
    sac_jinja_skip_blanks(r);
    if (r->at < r->end && (*r->at == '\'' || *r->at == '"'))
        return read_quoted(r, *r->at++);
    if (r->at < r->end && isdigit((unsigned char)*r->at)) {
        char *end;
        const double number = strtod(r->at, &end);
        r->at = end;
        return sac_jinja_make_number(r, number);
    }
    if (sac_jinja_accept(r, "(")) {
        const cJSON *value = sac_jinja_read_expression(r);
        if (sac_jinja_accept(r, ",")) {
            cJSON *list = cJSON_CreateArray();
            sac_jinja_add_copy(list, NULL, value);
            return read_list(r, list, ")");
        }
        sac_jinja_expect(r, ")");
        return value;
    }
    if (sac_jinja_accept(r, "["))
        return read_list(r, cJSON_CreateArray(), "]");
    if (sac_jinja_accept(r, "{"))
        return read_object(r);
    if (!sac_jinja_read_name(r, name)) {
        sac_jinja_expect(r, "a value");
        return NULL;
    }
    if (strcasecmp(name, "true") == 0 || strcasecmp(name, "false") == 0)
        return sac_jinja_make_flag(r, tolower((unsigned char)*name) == 't');
    if (strcasecmp(name, "none") == 0)
        return sac_jinja_keep_value(r, cJSON_CreateNull());
    const cJSON *found = sac_jinja_find_variable(r, name);
    if (!found && sac_jinja_accept(r, "(")) {
        sac_jinja_arguments a;
        read_arguments(r, &a);
        return r->dry ? NULL : sac_jinja_call_function(r, name, &a);
    }
    return found;
}

/* of[a], or of[a:b:c], behind "[". */
static const cJSON *read_subscript(sac_jinja *r, const cJSON *of)
{
    const cJSON *bound[3] = {0};
    int colons = 0;
    while (r->status == SAC_OK && !sac_jinja_accept(r, "]")) {
        if (sac_jinja_accept(r, ":")) {
            if (++colons > 2)
                sac_jinja_refuse(r, "a slice has more than three numbers");
        } else if (colons <= 2)
            bound[colons] = sac_jinja_read_expression(r);
    }
    if (r->status != SAC_OK)
        return NULL;
    if (!colons) {
        if (cJSON_IsString(bound[0]))
            return cJSON_GetObjectItemCaseSensitive(of, bound[0]->valuestring);
        double i = bound[0] ? bound[0]->valuedouble : 0, count = sac_jinja_length(of);
        i = i < 0 ? i + count : i;
        if (!cJSON_IsString(of))
            return cJSON_IsArray(of) && i >= 0 && i < count ? cJSON_GetArrayItem(of, (int)i) : NULL;
        return i >= 0 && i < count && count == (double)strlen(of->valuestring)
                   ? sac_jinja_make_text(r, of->valuestring + (size_t)i, 1)
                   : NULL;
    }
    const int count = (int)sac_jinja_length(of);
    const int step = bound[2] ? bound[2]->valueint : 1;
    int from = bound[0] ? bound[0]->valueint : step < 0 ? count - 1 : 0;
    int to = bound[1] ? bound[1]->valueint : step < 0 ? -1 - count : count;
    from = from < 0 ? from + count : from;
    to = to < 0 ? to + count : to;
    if (cJSON_IsString(of)) {
        if (step != 1 || count != (int)strlen(of->valuestring)) {
            sac_jinja_refuse(r, "it slices a text of other letters, or in steps");
            return NULL;
        }
        from = from < 0 ? 0 : from;
        to = to > count ? count : to;
        return sac_jinja_make_text(r, of->valuestring + (from < to ? from : 0),
                                   from < to ? (size_t)(to - from) : 0);
    }
    cJSON *list = cJSON_CreateArray();
    for (int i = step > 0 && from < 0 ? 0 : from; step && (step > 0 ? i < to : i > to); i += step)
        if (i >= 0 && i < count)
            sac_jinja_add_copy(list, NULL, cJSON_GetArrayItem(of, i));
        else
            break;
    return sac_jinja_keep_value(r, list);
}

static const cJSON *read_postfix(sac_jinja *r)
{
    const cJSON *value = read_primary(r);
    char name[SAC_JINJA_NAME];
    while (r->status == SAC_OK) {
        sac_jinja_arguments a = {0};
        if (sac_jinja_accept(r, ".")) {
            if (!sac_jinja_read_name(r, name)) {
                sac_jinja_expect(r, "a name");
            } else if (sac_jinja_accept(r, "(")) {
                read_arguments(r, &a);
                value = r->dry ? NULL : sac_jinja_call_method(r, value, name, &a);
            } else
                value = cJSON_GetObjectItemCaseSensitive(value, name);
        } else if (sac_jinja_accept(r, "[")) {
            value = read_subscript(r, value);
        } else if (sac_jinja_accept(r, "|")) {
            if (!sac_jinja_read_name(r, name))
                sac_jinja_expect(r, "a filter");
            if (sac_jinja_accept(r, "("))
                read_arguments(r, &a);
            value = r->dry ? NULL : sac_jinja_apply_filter(r, value, name, &a);
        } else if (sac_jinja_accept(r, "is")) {
            const bool turned = sac_jinja_accept(r, "not");
            if (!sac_jinja_read_name(r, name))
                sac_jinja_expect(r, "a test");
            value = sac_jinja_make_flag(r, sac_jinja_passes_test(r, value, name) != turned);
        } else
            break;
    }
    return value;
}

static const cJSON *read_unary(sac_jinja *r)
{
    const bool turned = sac_jinja_accept(r, "-");
    const cJSON *value = read_postfix(r);
    return turned ? sac_jinja_make_number(r, value ? -value->valuedouble : 0) : value;
}

static const cJSON *read_product(sac_jinja *r)
{
    const cJSON *value = read_unary(r);
    while (r->status == SAC_OK) {
        const char *sign = sac_jinja_accept(r, "//")  ? "//"
                           : sac_jinja_accept(r, "*") ? "*"
                           : sac_jinja_accept(r, "/") ? "/"
                           : sac_jinja_accept(r, "%") ? "%"
                                                      : NULL;
        if (!sign)
            break;
        const cJSON *other = read_unary(r);
        const double a = value ? value->valuedouble : 0, b = other ? other->valuedouble : 0;
        value = sac_jinja_make_number(r, *sign == '*'     ? a * b
                                         : b == 0         ? 0
                                         : *sign == '%'   ? a - floor(a / b) * b
                                         : sign[1] == '/' ? floor(a / b)
                                                          : a / b);
    }
    return value;
}

static const cJSON *join_values(sac_jinja *r, const cJSON *a, const cJSON *b)
{
    char *first = sac_jinja_print_value(r, a), *second = sac_jinja_print_value(r, b), *both = NULL;
    const size_t size = strlen(first ? first : "") + strlen(second ? second : "");
    const cJSON *value = NULL;
    if (first && second && (both = malloc(size + 1))) {
        snprintf(both, size + 1, "%s%s", first, second);
        value = sac_jinja_keep_text(r, both, size);
    }
    free(first);
    free(second);
    return value;
}

static const cJSON *read_sum(sac_jinja *r)
{
    const cJSON *value = read_product(r);
    while (r->status == SAC_OK) {
        const bool minus = sac_jinja_accept(r, "-"), joins = !minus && sac_jinja_accept(r, "~");
        if (!minus && !joins && !sac_jinja_accept(r, "+"))
            break;
        const cJSON *other = read_product(r), *one;
        if (r->dry)
            continue;
        if (joins || (!minus && cJSON_IsString(value) && cJSON_IsString(other)))
            value = join_values(r, value, other);
        else if (cJSON_IsNumber(value) && cJSON_IsNumber(other))
            value = sac_jinja_make_number(
                r, value->valuedouble + (minus ? -other->valuedouble : other->valuedouble));
        else if (!minus && cJSON_IsArray(value) && cJSON_IsArray(other)) {
            cJSON *list = cJSON_Duplicate(value, true);
            cJSON_ArrayForEach(one, other) sac_jinja_add_copy(list, NULL, one);
            value = sac_jinja_keep_value(r, list);
        } else
            sac_jinja_refuse(r, "it adds what cannot be added: a message may lack its content");
    }
    return value;
}

static bool has_part(const cJSON *whole, const cJSON *piece)
{
    const cJSON *one;
    if (cJSON_IsString(whole))
        return strstr(whole->valuestring, sac_jinja_text_in(piece)) != NULL;
    if (cJSON_IsObject(whole))
        return cJSON_HasObjectItem(whole, sac_jinja_text_in(piece));
    cJSON_ArrayForEach(one, whole) if (sac_jinja_are_equal(one, piece)) return true;
    return false;
}

static double order(const cJSON *a, const cJSON *b)
{
    return cJSON_IsString(a) ? strcmp(a->valuestring, sac_jinja_text_in(b))
                             : (a ? a->valuedouble : 0) - (b ? b->valuedouble : 0);
}

static const cJSON *read_comparison(sac_jinja *r)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">", "not in", "in"};
    const cJSON *value = read_sum(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs && r->status == SAC_OK; i++) {
        if (!sac_jinja_accept(r, signs[i]))
            continue;
        const cJSON *other = read_sum(r);
        const double apart = order(value, other);
        const bool result[] = {sac_jinja_are_equal(value, other),
                               !sac_jinja_are_equal(value, other),
                               apart <= 0,
                               apart >= 0,
                               apart<0, apart> 0,
                               !has_part(other, value),
                               has_part(other, value)};
        return sac_jinja_make_flag(r, result[i]);
    }
    return value;
}

static const cJSON *read_not(sac_jinja *r)
{
    return sac_jinja_accept(r, "not") ? sac_jinja_make_flag(r, !sac_jinja_is_true(read_not(r)))
                                      : read_comparison(r);
}

/* Operands between which `word` stands, up to the first that is as true as `deciding`: those behind it are read without
 * effect. */
static const cJSON *read_operands(sac_jinja *r, const char *word, bool deciding,
                                  const cJSON *(*read)(sac_jinja *r))
{
    const cJSON *value = read(r);
    while (r->status == SAC_OK && sac_jinja_accept(r, word)) {
        const bool decided = sac_jinja_is_true(value) == deciding;
        r->dry += decided;
        const cJSON *other = read(r);
        r->dry -= decided && r->dry;
        value = decided ? value : other;
    }
    return value;
}

static const cJSON *read_and(sac_jinja *r)
{
    return read_operands(r, "and", false, read_not);
}

const cJSON *sac_jinja_read_or(sac_jinja *r)
{
    return read_operands(r, "or", true, read_and);
}

/* "a if b else c": a is read without effect until b is known. */
const cJSON *sac_jinja_read_expression(sac_jinja *r)
{
    const char *from, *behind;
    if (++r->steps > SAC_JINJA_STEPS)
        sac_jinja_refuse(r, "it does not come to an end");
    if (++r->depth > SAC_JINJA_DEEPEST) {
        r->dry = 0;
        sac_jinja_refuse(r, "its expressions are nested too deeply");
    }
    if (r->status != SAC_OK) {
        r->depth--;
        return NULL;
    }
    sac_jinja_skip_blanks(r);
    from = r->at;
    r->dry++;
    sac_jinja_read_or(r);
    r->dry -= r->dry > 0;
    const cJSON *value = NULL;
    if (sac_jinja_accept(r, "if")) {
        const bool is_so = sac_jinja_is_true(sac_jinja_read_or(r));
        const cJSON *other = NULL;
        if (sac_jinja_accept(r, "else")) {
            r->dry += is_so;
            other = sac_jinja_read_expression(r);
            r->dry -= is_so && r->dry;
        }
        behind = r->at;
        r->at = from;
        value = is_so ? sac_jinja_read_or(r) : other;
        r->at = behind;
    } else {
        r->at = from;
        value = sac_jinja_read_or(r);
    }
    r->depth--;
    return value;
}
