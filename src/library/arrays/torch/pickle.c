/* Reads pickles with a small stack machine: a stack, marks, a memo, and the values that it
 * makes. */

#include "arrays/torch/pickle.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "base/cancel.h"
#include "base/error.h"

enum { CHUNK = 256, MALLOC = 16 }; /* MALLOC: bytes that it adds to each piece */

/* Values stay where they are made. */
typedef sac_pickled chunk[CHUNK];

struct sac_pickle {
    chunk **chunks; /* [count of values / CHUNK, rounded up], space for the most that can occur */
    size_t count;   /* of values */
    const sac_pickled *value;
};

/* A list of values that grows. */
typedef struct values {
    const sac_pickled **at;
    size_t count, room;
} values;

typedef struct machine {
    const uint8_t *start, *at, *end;
    sac_pickle *pickle;
    values stack, memo; /* the memo has NULL where nothing is remembered */
    size_t *marks;      /* heights of the stack */
    size_t mark_count, mark_room;
    size_t *room;
    sac_error *error;
    bool done;
} machine;

/* ---------------------------------------------------------------- failures */

static sac_status no_memory(const machine *m)
{
    return sac_fail(m->error, SAC_E_MEMORY, NULL, NULL, "out of memory to read its pickle");
}

static sac_status fail_damaged_pickle(const machine *m, const char *what)
{
    return sac_fail(m->error, SAC_E_FORMAT, NULL, "get the file again",
                    "its pickle is damaged at byte %zu: %s", (size_t)(m->at - m->start), what);
}

static sac_status fail_too_many_values(const machine *m)
{
    return sac_fail(m->error, SAC_E_FORMAT, NULL, "save tensors and few other values",
                    "its pickle holds more than %d values", SAC_PICKLE_VALUES);
}

/* ---------------------------------------------------------------- values */

/* A fresh value; freed with the pickle. */
static sac_status create_value(machine *m, sac_pickled_kind kind, sac_pickled **value)
{
    sac_pickle *p = m->pickle;
    *value = NULL;
    if (p->count == SAC_PICKLE_VALUES)
        return fail_too_many_values(m);
    chunk **place = &p->chunks[p->count / CHUNK];
    if (!*place && sac_take_room(m->room, sizeof **place, m->error) != SAC_OK)
        return SAC_E_FORMAT;
    if (!*place && !(*place = calloc(1, sizeof **place)))
        return no_memory(m);
    *value = &(**place)[p->count++ % CHUNK];
    (*value)->kind = kind;
    return SAC_OK;
}

static sac_status add(const machine *m, values *list, const sac_pickled *value)
{
    if (list->count == SAC_PICKLE_VALUES)
        return fail_too_many_values(m);
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        if (sac_take_room(m->room, room * sizeof *list->at, m->error) != SAC_OK)
            return SAC_E_FORMAT;
        const sac_pickled **at = realloc(list->at, room * sizeof *at);
        if (!at)
            return no_memory(m);
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = value;
    return SAC_OK;
}

static sac_status push(machine *m, const sac_pickled *value)
{
    return add(m, &m->stack, value);
}

static sac_status push_new(machine *m, sac_pickled_kind kind, sac_pickled **value)
{
    sac_status status = create_value(m, kind, value);
    return status == SAC_OK ? push(m, *value) : status;
}

static size_t last_mark_height(const machine *m)
{
    return m->mark_count ? m->marks[m->mark_count - 1] : 0;
}

/* The top of the stack, taken off; NULL where nothing is above the last mark. */
static const sac_pickled *pop(machine *m)
{
    return m->stack.count > last_mark_height(m) ? m->stack.at[--m->stack.count] : NULL;
}

/* Puts values of the stack from `first` on behind the items of `into`, and takes them off. */
static sac_status move_items_from_stack(machine *m, sac_pickled *into, size_t first)
{
    size_t more = m->stack.count - first;
    /* Doubles the capacity: a power of two that holds `count`. */
    size_t room = into->count ? 4 : 0, wanted = into->count + more;
    while (room && room < into->count)
        room *= 2;
    if (wanted > SAC_PICKLE_VALUES)
        return fail_too_many_values(m);
    if (wanted > room) {
        for (room = room ? room : 4; room < wanted;)
            room *= 2;
        if (sac_take_room(m->room, room * sizeof *into->items + MALLOC, m->error) != SAC_OK)
            return SAC_E_FORMAT;
        const sac_pickled **items = realloc(into->items, room * sizeof *items);
        if (!items)
            return no_memory(m);
        into->items = items;
    }
    if (more)
        memcpy(into->items + into->count, m->stack.at + first, more * sizeof *into->items);
    into->count = wanted;
    m->stack.count = first;
    return SAC_OK;
}

/* ---------------------------------------------------------------- marks and the memo */

static sac_status push_mark(machine *m)
{
    if (m->mark_count == SAC_PICKLE_VALUES)
        return fail_too_many_values(m);
    if (m->mark_count == m->mark_room) {
        size_t room = m->mark_room ? 2 * m->mark_room : 16;
        if (sac_take_room(m->room, room * sizeof *m->marks, m->error) != SAC_OK)
            return SAC_E_FORMAT;
        size_t *marks = realloc(m->marks, room * sizeof *marks);
        if (!marks)
            return no_memory(m);
        m->marks = marks;
        m->mark_room = room;
    }
    m->marks[m->mark_count++] = m->stack.count;
    return SAC_OK;
}

static sac_status pop_mark(machine *m, size_t *height)
{
    *height = 0;
    if (!m->mark_count)
        return fail_damaged_pickle(m, "there is no mark");
    *height = m->marks[--m->mark_count];
    return SAC_OK;
}

/* Python numbers what it remembers one after the other, so that a number is never above the bytes
 * read so far. */
static sac_status store_top_in_memo(machine *m, size_t number)
{
    sac_status status = SAC_OK;
    if (m->stack.count <= last_mark_height(m))
        return fail_damaged_pickle(m, "there is nothing to remember");
    if (number > (size_t)(m->at - m->start))
        return fail_damaged_pickle(m, "it remembers under a number that is too large");
    while (status == SAC_OK && m->memo.count <= number)
        status = add(m, &m->memo, NULL);
    if (status == SAC_OK)
        m->memo.at[number] = m->stack.at[m->stack.count - 1];
    return status;
}

static sac_status push_from_memo(machine *m, size_t number)
{
    if (number >= m->memo.count || !m->memo.at[number])
        return fail_damaged_pickle(m, "it recalls what it has not remembered");
    return push(m, m->memo.at[number]);
}

/* ---------------------------------------------------------------- the bytes of the program */

static sac_status take_bytes(machine *m, size_t size, const uint8_t **bytes)
{
    *bytes = m->at;
    if ((size_t)(m->end - m->at) < size)
        return sac_fail(m->error, SAC_E_FORMAT, NULL, "get the file again",
                        "its pickle is cut at byte %zu", (size_t)(m->end - m->start));
    m->at += size;
    return SAC_OK;
}

/* A little-endian number of up to 8 bytes. */
static sac_status take_number(machine *m, size_t size, uint64_t *number)
{
    const uint8_t *bytes;
    *number = 0;
    sac_status status = take_bytes(m, size, &bytes);
    for (size_t i = size; status == SAC_OK && i-- > 0;)
        *number = *number << 8 | bytes[i];
    return status;
}

/* Bytes behind their length, which takes `size` bytes. */
static sac_status take_counted_bytes(machine *m, size_t size, const uint8_t **bytes, size_t *count)
{
    uint64_t length;
    *count = 0;
    sac_status status = take_number(m, size, &length);
    if (status != SAC_OK)
        return status;
    *count = (size_t)length;
    return take_bytes(m, *count, bytes);
}

static sac_status push_text_argument(machine *m, sac_pickled_kind kind, size_t size)
{
    const uint8_t *bytes;
    size_t count;
    sac_pickled *value;
    sac_status status = take_counted_bytes(m, size, &bytes, &count);
    if (status == SAC_OK)
        status = push_new(m, kind, &value);
    if (status == SAC_OK) {
        value->text = (const char *)bytes;
        value->size = count;
    }
    return status;
}

/* Two's complement of any length. */
static sac_status push_long_argument(machine *m, size_t size)
{
    const uint8_t *bytes;
    size_t count;
    sac_pickled *value;
    sac_status status = take_counted_bytes(m, size, &bytes, &count);
    if (status == SAC_OK)
        status = push_new(m, count <= 8 ? SAC_PICKLED_INT : SAC_PICKLED_OTHER, &value);
    if (status != SAC_OK || count > 8)
        return status;
    uint64_t number = count && bytes[count - 1] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = count; i-- > 0;)
        number = number << 8 | bytes[i];
    value->whole = (int64_t)number;
    return SAC_OK;
}

static sac_status push_int_argument(machine *m, size_t size)
{
    uint64_t number;
    sac_pickled *value;
    sac_status status = take_number(m, size, &number);
    if (status == SAC_OK)
        status = push_new(m, SAC_PICKLED_INT, &value);
    if (status == SAC_OK)
        value->whole = size == 4 ? (int32_t)(uint32_t)number : (int64_t)number;
    return status;
}

static sac_status take_float(machine *m) /* big-endian, unlike all others */
{
    uint64_t number;
    sac_pickled *value;
    sac_status status = take_number(m, 8, &number);
    if (status == SAC_OK)
        status = push_new(m, SAC_PICKLED_FLOAT, &value);
    number = __builtin_bswap64(number);
    if (status == SAC_OK)
        memcpy(&value->number, &number, sizeof number);
    return status;
}

static sac_status take_line(machine *m, const char **line, size_t *size)
{
    const uint8_t *end = memchr(m->at, '\n', (size_t)(m->end - m->at));
    *line = (const char *)m->at;
    *size = end ? (size_t)(end - m->at) : 0;
    if (!end)
        return fail_damaged_pickle(m, "a name has no end");
    m->at = end + 1;
    return SAC_OK;
}

/* ---------------------------------------------------------------- names and calls */

static sac_status push_name(machine *m, const char *module, size_t module_size, const char *name,
                            size_t name_size)
{
    sac_pickled *value;
    sac_status status = push_new(m, SAC_PICKLED_NAME, &value);
    if (status != SAC_OK)
        return status;
    value->module = module;
    value->module_size = (uint32_t)module_size;
    value->name = name;
    value->name_size = (uint32_t)name_size;
    return SAC_OK;
}

static sac_status push_name_argument(machine *m)
{
    const char *module, *name = NULL;
    size_t module_size, name_size = 0;
    sac_status status = take_line(m, &module, &module_size);
    if (status == SAC_OK)
        status = take_line(m, &name, &name_size);
    return status == SAC_OK ? push_name(m, module, module_size, name, name_size) : status;
}

static sac_status push_name_from_stack(machine *m)
{
    const sac_pickled *name = pop(m), *module = pop(m);
    if (!name || !module || name->kind != SAC_PICKLED_TEXT || module->kind != SAC_PICKLED_TEXT)
        return fail_damaged_pickle(m, "a name is no text");
    return push_name(m, module->text, module->size, name->text, name->size);
}

/* Notes that something would be called. */
static sac_status push_call(machine *m)
{
    const sac_pickled *arguments = pop(m), *called = pop(m);
    sac_pickled *value;
    if (!arguments || !called)
        return fail_damaged_pickle(m, "there is nothing to call");
    sac_status status = push_new(m, SAC_PICKLED_CALL, &value);
    if (status == SAC_OK) {
        value->called = called;
        value->arguments = arguments;
    }
    return status;
}

static sac_status push_kept_object(machine *m)
{
    const sac_pickled *arguments = pop(m);
    sac_pickled *value;
    if (!arguments)
        return fail_damaged_pickle(m, "an object outside the pickle has no name");
    sac_status status = push_new(m, SAC_PICKLED_KEPT, &value);
    if (status == SAC_OK)
        value->arguments = arguments;
    return status;
}

/* The value that things are put into lies below them. All values are this machine's own. */
static sac_pickled *container_below(const machine *m, size_t first)
{
    return first > last_mark_height(m) ? (sac_pickled *)m->stack.at[first - 1] : NULL;
}

static sac_status set_call_state(machine *m)
{
    const sac_pickled *state = pop(m);
    sac_pickled *into = container_below(m, m->stack.count);
    if (!state || !into)
        return fail_damaged_pickle(m, "there is nothing to build");
    if (into->kind == SAC_PICKLED_CALL)
        into->state = state;
    return SAC_OK;
}

/* Into a list (of `elements`), a set, a dict or what a call gives. What is put into a list that a
 * class of its own makes is no pair, and is let go. */
static sac_status put_items_in_container(machine *m, size_t first, bool pairs)
{
    sac_pickled *into = container_below(m, first);
    if (!into || (pairs && (m->stack.count - first) % 2))
        return fail_damaged_pickle(m, "there is nothing to put items into");
    bool fits = pairs ? into->kind == SAC_PICKLED_DICT || into->kind == SAC_PICKLED_CALL
                      : into->kind == SAC_PICKLED_LIST || into->kind == SAC_PICKLED_SET;
    if (fits)
        return move_items_from_stack(m, into, first);
    if (into->kind != SAC_PICKLED_CALL)
        return fail_damaged_pickle(m, "items are put into what takes none");
    m->stack.count = first;
    return SAC_OK;
}

static sac_status put_last_items(machine *m, size_t count, bool pairs)
{
    if (m->stack.count < last_mark_height(m) + count)
        return fail_damaged_pickle(m, "there is nothing to put");
    return put_items_in_container(m, m->stack.count - count, pairs);
}

static sac_status put_marked_items(machine *m, bool pairs)
{
    size_t first;
    sac_status status = pop_mark(m, &first);
    return status == SAC_OK ? put_items_in_container(m, first, pairs) : status;
}

static sac_status collect_items(machine *m, sac_pickled_kind kind, size_t first)
{
    sac_pickled *value;
    sac_status status = create_value(m, kind, &value);
    if (status == SAC_OK && kind == SAC_PICKLED_DICT && (m->stack.count - first) % 2)
        status = fail_damaged_pickle(m, "a key has no value");
    if (status == SAC_OK)
        status = move_items_from_stack(m, value, first);
    return status == SAC_OK ? push(m, value) : status;
}

static sac_status collect_last_into_tuple(machine *m, size_t count)
{
    if (m->stack.count < last_mark_height(m) + count)
        return fail_damaged_pickle(m, "there is nothing to collect");
    return collect_items(m, SAC_PICKLED_TUPLE, m->stack.count - count);
}

static sac_status collect_marked_items(machine *m, sac_pickled_kind kind)
{
    size_t first;
    sac_status status = pop_mark(m, &first);
    return status == SAC_OK ? collect_items(m, kind, first) : status;
}

/* ---------------------------------------------------------------- instructions */

static sac_status finish_with_top(machine *m)
{
    m->pickle->value = pop(m);
    m->done = true;
    return m->pickle->value ? SAC_OK : fail_damaged_pickle(m, "it ends with nothing");
}

static sac_status push_truth(machine *m, bool truth)
{
    sac_pickled *value;
    sac_status status = push_new(m, SAC_PICKLED_BOOL, &value);
    if (status == SAC_OK)
        value->whole = truth;
    return status;
}

static sac_status push_empty(machine *m, sac_pickled_kind kind)
{
    sac_pickled *value;
    return push_new(m, kind, &value);
}

static sac_status run_with_number(machine *m, size_t size, sac_status (*act)(machine *, size_t))
{
    uint64_t number;
    sac_status status = take_number(m, size, &number);
    return status == SAC_OK ? act(m, (size_t)number) : status;
}

static sac_status skip(machine *m, size_t size)
{
    const uint8_t *bytes;
    return take_bytes(m, size, &bytes);
}

static sac_status take_and_check_protocol(machine *m)
{
    uint64_t protocol;
    sac_status status = take_number(m, 1, &protocol);
    if (status == SAC_OK && protocol > 5)
        status = sac_fail(m->error, SAC_E_FORMAT, NULL, "save it by protocol 2 to 5",
                          "its pickle is of protocol %d, which is not read", (int)protocol);
    return status;
}

static sac_status duplicate(machine *m)
{
    if (m->stack.count <= last_mark_height(m))
        return fail_damaged_pickle(m, "there is nothing to double");
    return push(m, m->stack.at[m->stack.count - 1]);
}

static sac_status drop_marked(machine *m)
{
    size_t first;
    sac_status status = pop_mark(m, &first);
    if (status == SAC_OK)
        m->stack.count = first;
    return status;
}

/* A mark is dropped where nothing lies on it. */
static sac_status drop(machine *m)
{
    if (pop(m))
        return SAC_OK;
    return drop_marked(m);
}

/* One instruction, by the letters of Python's pickletools. */
static sac_status run_instruction(machine *m)
{
    const uint8_t *code;
    sac_status status = take_bytes(m, 1, &code);
    if (status != SAC_OK)
        return status;
    switch (*code) {
    case 0x80:
        return take_and_check_protocol(m);
    case 0x95:
        return skip(m, 8); /* FRAME: how much follows */
    case '.':
        return finish_with_top(m);
    case '(':
        return push_mark(m);
    case '0':
        return drop(m);
    case '1':
        return drop_marked(m);
    case '2':
        return duplicate(m);
    case 'N':
        return push_empty(m, SAC_PICKLED_NONE);
    case 0x88:
        return push_truth(m, true);
    case 0x89:
        return push_truth(m, false);
    case 'K':
        return push_int_argument(m, 1);
    case 'M':
        return push_int_argument(m, 2);
    case 'J':
        return push_int_argument(m, 4);
    case 0x8a:
        return push_long_argument(m, 1);
    case 0x8b:
        return push_long_argument(m, 4);
    case 'G':
        return take_float(m);
    case 0x8c:
        return push_text_argument(m, SAC_PICKLED_TEXT, 1);
    case 'X':
        return push_text_argument(m, SAC_PICKLED_TEXT, 4);
    case 0x8d:
        return push_text_argument(m, SAC_PICKLED_TEXT, 8);
    case 'U': /* str of Python 2, which is bytes */
    case 'C':
        return push_text_argument(m, SAC_PICKLED_BYTES, 1);
    case 'T':
    case 'B':
        return push_text_argument(m, SAC_PICKLED_BYTES, 4);
    case 0x8e:
    case 0x96:
        return push_text_argument(m, SAC_PICKLED_BYTES, 8);
    case ')':
        return push_empty(m, SAC_PICKLED_TUPLE);
    case 0x85:
        return collect_last_into_tuple(m, 1);
    case 0x86:
        return collect_last_into_tuple(m, 2);
    case 0x87:
        return collect_last_into_tuple(m, 3);
    case 't':
        return collect_marked_items(m, SAC_PICKLED_TUPLE);
    case ']':
        return push_empty(m, SAC_PICKLED_LIST);
    case 'l':
        return collect_marked_items(m, SAC_PICKLED_LIST);
    case 'a':
        return put_last_items(m, 1, false);
    case 'e':
    case 0x90:
        return put_marked_items(m, false);
    case '}':
        return push_empty(m, SAC_PICKLED_DICT);
    case 'd':
        return collect_marked_items(m, SAC_PICKLED_DICT);
    case 's':
        return put_last_items(m, 2, true);
    case 'u':
        return put_marked_items(m, true);
    case 0x8f:
        return push_empty(m, SAC_PICKLED_SET);
    case 0x91:
        return collect_marked_items(m, SAC_PICKLED_SET);
    case 'q':
        return run_with_number(m, 1, store_top_in_memo);
    case 'r':
        return run_with_number(m, 4, store_top_in_memo);
    case 0x94:
        return store_top_in_memo(m, m->memo.count);
    case 'h':
        return run_with_number(m, 1, push_from_memo);
    case 'j':
        return run_with_number(m, 4, push_from_memo);
    case 'c':
        return push_name_argument(m);
    case 0x93:
        return push_name_from_stack(m);
    case 'R':
    case 0x81:
        return push_call(m);
    case 0x92:
        return pop(m) ? push_call(m) : fail_damaged_pickle(m, "there is nothing to call");
    case 'b':
        return set_call_state(m);
    case 'Q':
        return push_kept_object(m);
    default:
        return sac_fail(m->error, SAC_E_FORMAT, NULL, "save it by protocol 2 to 5",
                        "its pickle has the instruction 0x%02x at byte %zu, which is not read",
                        *code, (size_t)(code - m->start));
    }
}

static sac_status run(machine *m)
{
    sac_status status = SAC_OK;
    for (size_t steps = 0; status == SAC_OK && !m->done; steps++) {
        if (steps % 65536 == 0)
            status = sac_cancel_check(NULL, m->error);
        if (status == SAC_OK)
            status = run_instruction(m);
    }
    return status;
}

sac_status sac_pickle_read(const uint8_t *bytes, size_t size, size_t *room, sac_pickle **pickle,
                           size_t *used, sac_error *error)
{
    *pickle = calloc(1, sizeof **pickle);
    if (*pickle)
        (*pickle)->chunks = calloc(SAC_PICKLE_VALUES / CHUNK, sizeof(chunk *));
    size_t most = size < SAC_PICKLE_MOST ? size : SAC_PICKLE_MOST;
    machine m = {bytes, bytes, bytes + most, *pickle, .room = room, .error = error};
    sac_status status = *pickle && (*pickle)->chunks ? run(&m) : no_memory(&m);
    if (status == SAC_E_FORMAT && size > most && m.at == m.end)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "save tensors and few other values",
                          "its pickle has more than %d MB", SAC_PICKLE_MOST >> 20);
    *used = (size_t)(m.at - m.start);
    free(m.stack.at);
    free(m.memo.at);
    free(m.marks);
    if (status != SAC_OK) {
        sac_pickle_free(*pickle);
        *pickle = NULL;
    }
    return status;
}

const sac_pickled *sac_pickle_value(const sac_pickle *pickle)
{
    return pickle->value;
}

const sac_pickled *sac_pickle_at(const sac_pickle *pickle, size_t index)
{
    return index < pickle->count ? &(*pickle->chunks[index / CHUNK])[index % CHUNK] : NULL;
}

void sac_pickle_free(sac_pickle *pickle)
{
    for (size_t i = 0; pickle && i < pickle->count; i++)
        free(pickle->chunks[i / CHUNK][0][i % CHUNK].items);
    for (size_t i = 0; pickle && i < pickle->count; i += CHUNK)
        free(pickle->chunks[i / CHUNK]);
    if (pickle)
        free(pickle->chunks);
    free(pickle);
}

/* ---------------------------------------------------------------- what values are */

static bool is_word(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

bool sac_pickled_is(const sac_pickled *value, const char *module, const char *name)
{
    static const char now[] = "numpy._core.", before[] = "numpy.core.";
    char old[64];
    if (!value || value->kind != SAC_PICKLED_NAME || !is_word(value->name, value->name_size, name))
        return false;
    if (is_word(value->module, value->module_size, module))
        return true;
    if (strncmp(module, now, sizeof now - 1) != 0)
        return false;
    snprintf(old, sizeof old, "%s%s", before, module + sizeof now - 1);
    return is_word(value->module, value->module_size, old);
}

bool sac_pickled_calls(const sac_pickled *value, const char *module, const char *name)
{
    return value && value->kind == SAC_PICKLED_CALL && sac_pickled_is(value->called, module, name);
}

const sac_pickled *sac_pickled_at(const sac_pickled *value, size_t index)
{
    if (value && (value->kind == SAC_PICKLED_CALL || value->kind == SAC_PICKLED_KEPT))
        value = value->arguments;
    bool is_list = value && (value->kind == SAC_PICKLED_TUPLE || value->kind == SAC_PICKLED_LIST);
    return is_list && index < value->count ? value->items[index] : NULL;
}

char *sac_pickled_kind_text(const sac_pickled *value, char *text, size_t size)
{
    static const char *const kinds[] = {
        [SAC_PICKLED_NONE] = "None",      [SAC_PICKLED_BOOL] = "a truth value",
        [SAC_PICKLED_INT] = "a number",   [SAC_PICKLED_FLOAT] = "a number",
        [SAC_PICKLED_TEXT] = "a text",    [SAC_PICKLED_BYTES] = "bytes",
        [SAC_PICKLED_TUPLE] = "a tuple",  [SAC_PICKLED_LIST] = "a list",
        [SAC_PICKLED_SET] = "a set",      [SAC_PICKLED_DICT] = "a dict",
        [SAC_PICKLED_KEPT] = "a storage", [SAC_PICKLED_OTHER] = "a number of more than 64 bits",
        [SAC_PICKLED_NAME] = "",          [SAC_PICKLED_CALL] = "an object of ",
    };
    const sac_pickled *named = value;
    if (value->kind == SAC_PICKLED_CALL) /* copyreg makes objects of old classes: its argument */
        named = sac_pickled_is(value->called, "copyreg", "_reconstructor") ||
                        sac_pickled_is(value->called, "copy_reg", "_reconstructor")
                    ? sac_pickled_at(value, 0)
                    : value->called;
    bool has_name = named && named->kind == SAC_PICKLED_NAME;
    snprintf(text, size, "%s", kinds[value->kind]);
    size_t length = strlen(text);
    if (has_name)
        snprintf(text + length, size - length, "%.*s.%.*s",
                 named->module_size < 80 ? (int)named->module_size : 80, named->module,
                 named->name_size < 80 ? (int)named->name_size : 80, named->name);
    else if (value->kind == SAC_PICKLED_CALL)
        snprintf(text, size, "an object of a class without a name");
    return text;
}
