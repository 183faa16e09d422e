/* Jinja for templates of chats: the source in parts, and its blocks, which are evaluated as they are read. */
#include "tokenizers/chat/template.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizers/chat/jinja.h"

/* ---------------------------------------------------------------- blocks */

static void write_text(sac_jinja *r, const char *text, size_t size)
{
    if (r->length + size + 1 > r->capacity) {
        const size_t capacity = 2 * (r->length + size) + 64;
        char *more = capacity < SAC_JINJA_BYTES ? realloc(r->out, capacity) : NULL;
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

static void enter_part(sac_jinja *r, size_t i)
{
    r->at = r->parts[i].from;
    r->end = r->parts[i].end;
}

/* The first part from `i` on that ends the block, or is `other` of it ("else" …), at the same level. */
static size_t find_block_end(sac_jinja *r, size_t i, const char *const ends[4])
{
    static const char *const opening[] = {"if", "for", "macro", "call", "filter", "raw"};
    char name[SAC_JINJA_NAME];
    int level = 0;
    for (; i < r->count; i++) {
        if (r->parts[i].kind != BLOCK_PART)
            continue;
        enter_part(r, i);
        if (!sac_jinja_read_name(r, name))
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
    sac_jinja_refuse(r, "a block has no end");
    return r->count;
}

static void render_parts(sac_jinja *r, size_t from, size_t end);

/* Returns the part of its "endif". */
static size_t render_if(sac_jinja *r, size_t i)
{
    static const char *const ends[4] = {"elif", "else", "endif"};
    bool done = false, is_end = false;
    while (r->status == SAC_OK && !is_end) { /* behind "if", "elif" or "else" */
        char name[SAC_JINJA_NAME] = "";
        enter_part(r, i);
        sac_jinja_read_name(r, name);
        is_end = strcmp(name, "endif") == 0;
        if (is_end)
            break;
        const bool is_so =
            !done && (strcmp(name, "else") == 0 || sac_jinja_is_true(sac_jinja_read_expression(r)));
        const size_t next = r->status == SAC_OK ? find_block_end(r, i + 1, ends) : r->count;
        if (is_so && r->status == SAC_OK)
            render_parts(r, i + 1, next);
        done = done || is_so;
        i = next;
    }
    return i;
}

static void set_loop(sac_jinja *r, const cJSON *list, int index, int count)
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
        sac_jinja_add_copy(loop, "previtem", cJSON_GetArrayItem(list, index - 1));
    if (index < count - 1)
        sac_jinja_add_copy(loop, "nextitem", cJSON_GetArrayItem(list, index + 1));
    sac_jinja_set_variable(r, "loop", sac_jinja_keep_value(r, loop));
}

/* The items of a list for which `condition` is true. */
static const cJSON *select_items(sac_jinja *r, const cJSON *list,
                                 const char names[2][SAC_JINJA_NAME], const char *condition)
{
    cJSON *chosen = cJSON_CreateArray();
    const cJSON *one;
    const int from = r->variable_count, outer = r->scope;
    r->scope = from;
    cJSON_ArrayForEach(one, list)
    {
        sac_jinja_set_variable(r, names[0], one);
        r->at = condition;
        if (sac_jinja_is_true(sac_jinja_read_expression(r)))
            sac_jinja_add_copy(chosen, NULL, one);
    }
    r->variable_count = from;
    r->scope = outer;
    return sac_jinja_keep_value(r, chosen);
}

/* Returns the part of its "endfor". */
static size_t render_for(sac_jinja *r, size_t i)
{
    static const char *const ends[4] = {"else", "endfor"};
    char names[2][SAC_JINJA_NAME] = {"", ""}, name[SAC_JINJA_NAME] = "";
    if (!sac_jinja_read_name(r, names[0]) ||
        (sac_jinja_accept(r, ",") && !sac_jinja_read_name(r, names[1])))
        sac_jinja_expect(r, "a name");
    sac_jinja_expect(r, "in");
    r->depth++; /* as read_expression, but for its "if" */
    const cJSON *list = sac_jinja_read_or(r), *one;
    r->depth--;
    if (sac_jinja_accept(r, "if")) {
        sac_jinja_skip_blanks(r);
        list = select_items(r, list, names, r->at);
    }
    const size_t then = r->status == SAC_OK ? find_block_end(r, i + 1, ends) : r->count;
    if (r->status != SAC_OK)
        return r->count;
    enter_part(r, then);
    sac_jinja_read_name(r, name);
    const size_t end = strcmp(name, "else") == 0
                           ? find_block_end(r, then + 1, (const char *const[4]){"endfor"})
                           : then;
    const int from = r->variable_count, outer = r->scope, count = cJSON_GetArraySize(list);
    int index = 0;
    r->scope = from;
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *item =
            cJSON_IsObject(list) ? sac_jinja_make_text(r, one->string, strlen(one->string)) : one;
        sac_jinja_set_variable(r, names[0], names[1][0] ? cJSON_GetArrayItem(item, 0) : item);
        if (names[1][0])
            sac_jinja_set_variable(r, names[1], cJSON_GetArrayItem(item, 1));
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
static void run_set(sac_jinja *r)
{
    char name[SAC_JINJA_NAME], member[SAC_JINJA_NAME] = "";
    if (!sac_jinja_read_name(r, name) ||
        (sac_jinja_accept(r, ".") && !sac_jinja_read_name(r, member)))
        sac_jinja_expect(r, "a name");
    sac_jinja_expect(r, "=");
    const cJSON *value = sac_jinja_read_expression(r);
    if (r->status != SAC_OK)
        return;
    if (!member[0]) {
        sac_jinja_set_variable(r, name, value);
        return;
    }
    cJSON *space =
        (cJSON *)sac_jinja_find_variable(r, name); /* namespaces are made here, and may change */
    if (!cJSON_IsObject(space)) {
        sac_jinja_refuse(r, "\"%s\" is no namespace", name);
        return;
    }
    cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(space, member);
    if (old)
        sac_jinja_keep_value(r, old); /* other variables may be the same value */
    sac_jinja_add_copy(space, member, value);
}

static void render_parts(sac_jinja *r, size_t from, size_t end)
{
    if (++r->depth > SAC_JINJA_DEEPEST)
        sac_jinja_refuse(r, "its blocks are nested too deeply");
    for (size_t i = from; i < end && r->status == SAC_OK; i++) {
        const sac_jinja_part *p = &r->parts[i];
        char name[SAC_JINJA_NAME] = "";
        if (++r->steps > SAC_JINJA_STEPS)
            sac_jinja_refuse(r, "it does not come to an end");
        enter_part(r, i);
        if (p->kind == TEXT_PART) {
            write_text(r, p->from, (size_t)(p->end - p->from));
        } else if (p->kind == VALUE_PART) {
            char *text = sac_jinja_print_value(r, sac_jinja_read_expression(r));
            if (text)
                write_text(r, text, strlen(text));
            free(text);
        } else if (!sac_jinja_read_name(r, name)) {
            sac_jinja_refuse(r, "a block is empty");
        } else if (strcmp(name, "if") == 0) {
            i = render_if(r, i);
        } else if (strcmp(name, "for") == 0) {
            i = render_for(r, i);
        } else if (strcmp(name, "set") == 0) {
            run_set(r);
        } else if (strcmp(name, "generation") != 0 && strcmp(name, "endgeneration") != 0) {
            sac_jinja_refuse(r, "the block \"%s\" is not known here", name);
        }
        sac_jinja_skip_blanks(r);
        if (r->status == SAC_OK && p->kind == VALUE_PART && r->at != r->end)
            sac_jinja_refuse(r, "\"%.*s\" is not understood",
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
static bool cut_source(sac_jinja *r, const char *source)
{
    const char *at = source;
    while (*at) {
        const char *open = at;
        while ((open = strchr(open, '{')) && !strchr("{%#", open[1] ? open[1] : 'x'))
            open++;
        const char *end = open ? open : at + strlen(at);
        sac_jinja_part *more = realloc(r->parts, (r->count + 2) * sizeof *more);
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
        r->parts[r->count++] = (sac_jinja_part){TEXT_PART, at, end};
        if (!open)
            break;
        const char close = open[1] == '{' ? '}' : open[1], *from = open + 2;
        const char *to = find_close(from, close);
        if (!to) {
            sac_jinja_refuse(r, "\"%.20s\" has no end", open);
            return true;
        }
        from += *from == '-' || *from == '+';
        at = to + 2;
        const bool strips = to > from && to[-1] == '-';
        if (close != '#')
            r->parts[r->count++] =
                (sac_jinja_part){close == '}' ? VALUE_PART : BLOCK_PART, from, to - strips};
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
    sac_jinja *r = calloc(1, sizeof *r);
    sac_status status = SAC_OK;
    const cJSON *one;
    *text = NULL;
    if (!r || !(r->made = cJSON_CreateArray())) {
        free(r);
        return sac_no_memory(error, "chat template");
    }
    r->error = error;
    cJSON_ArrayForEach(one, variables) sac_jinja_set_variable(r, one->string, one);
    if (!cut_source(r, source))
        r->status = sac_no_memory(error, "chat template");
    /* One line break at the end of a template is none of its text. */
    if (r->count && r->parts[r->count - 1].kind == TEXT_PART) {
        sac_jinja_part *last = &r->parts[r->count - 1];
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
