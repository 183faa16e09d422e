/* Values of templates as Python has them, and what functions, methods, filters and tests make of them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/text/utf8.h"
#include "tokenizers/chat/jinja.h"
#include "tokenizers/text/text_buffer.h"

void sac_jinja_refuse(sac_jinja *r, const char *format, ...)
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

const cJSON *sac_jinja_keep_value(sac_jinja *r, cJSON *value)
{
    r->bytes += value ? count_bytes(value) : 0;
    if (r->bytes > SAC_JINJA_BYTES)
        sac_jinja_refuse(r, "it makes more than %d MiB", SAC_JINJA_BYTES >> 20);
    if (!value || !cJSON_AddItemToArray(r->made, value)) {
        cJSON_Delete(value);
        if (r->status == SAC_OK)
            r->status = sac_no_memory(r->error, "chat template");
        return NULL;
    }
    return value;
}

const cJSON *sac_jinja_make_flag(sac_jinja *r, bool flag)
{
    return sac_jinja_keep_value(r, cJSON_CreateBool(flag));
}

const cJSON *sac_jinja_make_number(sac_jinja *r, double number)
{
    return sac_jinja_keep_value(r, cJSON_CreateNumber(number));
}

const cJSON *sac_jinja_make_text(sac_jinja *r, const char *from, size_t size)
{
    char *text = strndup(from, size);
    const cJSON *value = sac_jinja_keep_value(r, text ? cJSON_CreateString(text) : NULL);
    free(text);
    return value;
}

const cJSON *sac_jinja_keep_text(sac_jinja *r, char *text, size_t size)
{
    const cJSON *value = text ? sac_jinja_make_text(r, text, size) : sac_jinja_keep_value(r, NULL);
    free(text);
    return value;
}

void sac_jinja_add_copy(cJSON *list, const char *name, const cJSON *value)
{
    cJSON *copy = value ? cJSON_Duplicate(value, true) : cJSON_CreateNull();
    if (name)
        cJSON_AddItemToObject(list, name, copy);
    else
        cJSON_AddItemToArray(list, copy);
}

bool sac_jinja_is_true(const cJSON *v)
{
    if (!v || cJSON_IsNull(v) || cJSON_IsFalse(v))
        return false;
    if (cJSON_IsNumber(v))
        return v->valuedouble != 0;
    if (cJSON_IsString(v))
        return v->valuestring[0] != '\0';
    return cJSON_IsTrue(v) || v->child;
}

const char *sac_jinja_text_in(const cJSON *v)
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

char *sac_jinja_print_value(sac_jinja *r, const cJSON *v)
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
        sac_jinja_refuse(r, "it writes a list or an object, without tojson");
    else if (v)
        fputs(cJSON_IsTrue(v) ? "True" : cJSON_IsFalse(v) ? "False" : "None", out);
    return fclose(out) == 0 ? text : (free(text), NULL);
}

/* ---------------------------------------------------------------- functions, methods, filters, tests */

static const cJSON *find_argument(const sac_jinja_arguments *a, const char *name)
{
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->name[i], name) == 0)
            return a->value[i];
    return NULL;
}

static const cJSON *strip(sac_jinja *r, const char *text, const char *signs, bool left, bool right)
{
    size_t size = strlen(text), from = 0;
    signs = signs[0] ? signs : " \t\n\r\f\v";
    while (left && from < size && strchr(signs, text[from]))
        from++;
    while (right && size > from && strchr(signs, text[size - 1]))
        size--;
    return sac_jinja_make_text(r, text + from, size - from);
}

/* By the first letter of upper, lower, capitalize and title. Words of a title begin behind one of `apart` (NULL: behind
 * all but a letter). */
static const cJSON *change_case(sac_jinja *r, const char *text, char how, const char *apart)
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
    const cJSON *value = sac_jinja_make_text(r, made.bytes ? made.bytes : "", made.size);
    sac_text_free(&made);
    return value;
}

static const cJSON *replace_text(sac_jinja *r, const char *text, const char *old, const char *new)
{
    char *made = NULL;
    size_t size = 0;
    FILE *out = old[0] ? open_memstream(&made, &size) : NULL;
    if (!out)
        return sac_jinja_make_text(r, text, strlen(text));
    for (const char *found; (found = strstr(text, old)); text = found + strlen(old))
        fprintf(out, "%.*s%s", (int)(found - text), text, new);
    fputs(text, out);
    fclose(out);
    return sac_jinja_keep_text(r, made, size);
}

static const cJSON *split_text(sac_jinja *r, const char *text, const cJSON *by, double most)
{
    cJSON *list = cJSON_CreateArray();
    const char *sign = sac_jinja_text_in(by);
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
    return sac_jinja_keep_value(r, list);
}

/* Pairs of name and value. */
static const cJSON *list_items(sac_jinja *r, const cJSON *object)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *one;
    cJSON_ArrayForEach(one, object)
    {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(pair, cJSON_CreateString(one->string ? one->string : ""));
        sac_jinja_add_copy(pair, NULL, one);
        cJSON_AddItemToArray(list, pair);
    }
    return sac_jinja_keep_value(r, list);
}

double sac_jinja_length(const cJSON *v)
{
    return cJSON_IsString(v) ? (double)sac_utf8_length(v->valuestring) : cJSON_GetArraySize(v);
}

const cJSON *sac_jinja_call_method(sac_jinja *r, const cJSON *of, const char *name,
                                   const sac_jinja_arguments *a)
{
    const char *text = sac_jinja_text_in(of),
               *first = sac_jinja_text_in(a->count ? a->value[0] : NULL);
    const size_t size = strlen(text), begin = strlen(first);
    if (cJSON_IsObject(of) && strcmp(name, "items") == 0)
        return list_items(r, of);
    if (cJSON_IsObject(of) && strcmp(name, "get") == 0) {
        const cJSON *found = cJSON_GetObjectItemCaseSensitive(of, first);
        return found          ? found
               : a->count > 1 ? a->value[1]
                              : sac_jinja_keep_value(r, cJSON_CreateNull());
    }
    if (!cJSON_IsString(of)) {
    } else if (strcmp(name, "strip") == 0 || strcmp(name, "lstrip") == 0 ||
               strcmp(name, "rstrip") == 0)
        return strip(r, text, first, *name != 'r', *name != 'l');
    else if (strcmp(name, "startswith") == 0)
        return sac_jinja_make_flag(r, strncmp(text, first, begin) == 0);
    else if (strcmp(name, "endswith") == 0)
        return sac_jinja_make_flag(r, size >= begin && strcmp(text + size - begin, first) == 0);
    else if (strcmp(name, "upper") == 0 || strcmp(name, "lower") == 0 ||
             strcmp(name, "title") == 0 || strcmp(name, "capitalize") == 0)
        return change_case(r, text, *name, NULL);
    else if (strcmp(name, "replace") == 0 && a->count == 2)
        return replace_text(r, text, first, sac_jinja_text_in(a->value[1]));
    else if (strcmp(name, "split") == 0)
        return split_text(r, text, a->count ? a->value[0] : NULL,
                          a->count > 1 && a->value[1] ? a->value[1]->valuedouble : -1);
    sac_jinja_refuse(r, "the method \"%s\" is not known here", name);
    return NULL;
}

const cJSON *sac_jinja_call_function(sac_jinja *r, const char *name, const sac_jinja_arguments *a)
{
    if (strcmp(name, "raise_exception") == 0) {
        sac_jinja_refuse(r, "it refuses these messages: %.100s",
                         sac_jinja_text_in(a->count ? a->value[0] : NULL));
        return NULL;
    }
    if (strcmp(name, "namespace") == 0 || strcmp(name, "dict") == 0) {
        cJSON *object = cJSON_CreateObject();
        for (int i = 0; i < a->count; i++)
            sac_jinja_add_copy(object, a->name[i], a->value[i]);
        return sac_jinja_keep_value(r, object);
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
            if (++r->steps > SAC_JINJA_STEPS)
                break;
            cJSON_AddItemToArray(list, cJSON_CreateNumber(i));
        }
        return sac_jinja_keep_value(r, list);
    }
    sac_jinja_refuse(r, "the function \"%s\" is not known here", name);
    return NULL;
}

static const cJSON *last_in(const cJSON *list)
{
    return cJSON_GetArrayItem(list, cJSON_GetArraySize(list) - 1);
}

static const cJSON *join_list(sac_jinja *r, const cJSON *list, const char *between)
{
    char *made = NULL;
    size_t size = 0;
    const cJSON *one;
    FILE *out = open_memstream(&made, &size);
    if (!out)
        return sac_jinja_keep_value(r, NULL);
    cJSON_ArrayForEach(one, list)
    {
        char *text = sac_jinja_print_value(r, one);
        fprintf(out, "%s%s", one == list->child ? "" : between, text ? text : "");
        free(text);
    }
    fclose(out);
    return sac_jinja_keep_text(r, made, size);
}

static const cJSON *write_json(sac_jinja *r, const cJSON *v, int indent)
{
    char *made = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&made, &size);
    if (!out)
        return sac_jinja_keep_value(r, NULL);
    print_json(out, v, indent, 0);
    fclose(out);
    return sac_jinja_keep_text(r, made, size);
}

bool sac_jinja_are_equal(const cJSON *a, const cJSON *b)
{
    return !a || !b ? a == b : cJSON_Compare(a, b, true);
}

/* The items whose member passes a test, "equalto" or another, or is true; `rejects`: the others. */
static const cJSON *select_by_member(sac_jinja *r, const cJSON *v, const sac_jinja_arguments *a,
                                     bool rejects)
{
    const char *name = a->count > 0 ? sac_jinja_text_in(a->value[0]) : "";
    const char *test = a->count > 1 ? sac_jinja_text_in(a->value[1]) : NULL;
    const bool compares = test && (strcmp(test, "equalto") == 0 || strcmp(test, "eq") == 0 ||
                                   strcmp(test, "==") == 0);
    cJSON *list = cJSON_CreateArray();
    const cJSON *one;
    cJSON_ArrayForEach(one, v)
    {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(one, name);
        const bool passes = compares ? a->count > 2 && sac_jinja_are_equal(member, a->value[2])
                            : test   ? sac_jinja_passes_test(r, member, test)
                                     : sac_jinja_is_true(member);
        if (passes != rejects)
            sac_jinja_add_copy(list, NULL, one);
    }
    return sac_jinja_keep_value(r, list);
}

/* That member of each item. */
static const cJSON *list_members(sac_jinja *r, const cJSON *v, const char *name)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *one;
    cJSON_ArrayForEach(one, v)
        sac_jinja_add_copy(list, NULL, cJSON_GetObjectItemCaseSensitive(one, name));
    return sac_jinja_keep_value(r, list);
}

const cJSON *sac_jinja_apply_filter(sac_jinja *r, const cJSON *v, const char *name,
                                    const sac_jinja_arguments *a)
{
    const cJSON *first = a->count ? a->value[0] : NULL;
    if (strcmp(name, "default") == 0 || strcmp(name, "d") == 0)
        return !v || (a->count > 1 && sac_jinja_is_true(a->value[1]) && !sac_jinja_is_true(v))
                   ? first
                   : v;
    if (strcmp(name, "tojson") == 0) {
        const cJSON *indent = find_argument(a, "indent");
        return write_json(r, v, indent ? (int)indent->valuedouble & 15 : 0);
    }
    if (strcmp(name, "length") == 0 || strcmp(name, "count") == 0)
        return sac_jinja_make_number(r, sac_jinja_length(v));
    if (strcmp(name, "first") == 0)
        return v ? v->child : NULL;
    if (strcmp(name, "last") == 0)
        return last_in(v);
    if (strcmp(name, "join") == 0)
        return join_list(r, v, sac_jinja_text_in(first));
    if (strcmp(name, "items") == 0)
        return list_items(r, v);
    if (strcmp(name, "list") == 0 || strcmp(name, "safe") == 0)
        return v;
    if (strcmp(name, "selectattr") == 0 || strcmp(name, "rejectattr") == 0)
        return select_by_member(r, v, a, name[0] == 'r');
    if (strcmp(name, "map") == 0 && find_argument(a, "attribute"))
        return list_members(r, v, sac_jinja_text_in(find_argument(a, "attribute")));
    if (strcmp(name, "int") == 0)
        return sac_jinja_make_number(r, cJSON_IsString(v) ? trunc(strtod(v->valuestring, NULL))
                                                          : trunc(v ? v->valuedouble : 0));
    char *text = sac_jinja_print_value(r, v);
    const cJSON *value = NULL, shown = {.type = cJSON_String, .valuestring = text};
    if (!text)
        value = sac_jinja_keep_value(r, NULL);
    else if (strcmp(name, "trim") == 0)
        value = sac_jinja_call_method(r, &shown, "strip", a);
    else if (strcmp(name, "title") == 0)
        value = change_case(r, text, 't', "- \t\n\r({[<");
    else if (strcmp(name, "string") == 0)
        value = sac_jinja_make_text(r, text, strlen(text));
    else if (strcmp(name, "upper") == 0 || strcmp(name, "lower") == 0 ||
             strcmp(name, "capitalize") == 0 || strcmp(name, "replace") == 0)
        value = sac_jinja_call_method(r, &shown, name, a);
    else
        sac_jinja_refuse(r, "the filter \"%s\" is not known here", name);
    free(text);
    return value;
}

bool sac_jinja_passes_test(sac_jinja *r, const cJSON *v, const char *name)
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
    sac_jinja_refuse(r, "the test \"%s\" is not known here", name);
    return false;
}
