/* What the parts of a template's evaluation share: it is evaluated as it is read. Values are those of cJSON; NULL is an
 * undefined one. Values that are made are kept until the end. After the first failure nothing more has an effect. */
#ifndef SAC_TOKENIZERS_CHAT_JINJA_H
#define SAC_TOKENIZERS_CHAT_JINJA_H

#include <cjson/cJSON.h>

#include "base/error.h"

enum {
    SAC_JINJA_DEEPEST = 24,    /* expressions, and blocks, in each other */
    SAC_JINJA_STEPS = 2000000, /* values that are looked at */
    SAC_JINJA_VARIABLES = 128, /* at once */
    SAC_JINJA_ARGUMENTS = 8,
    SAC_JINJA_BYTES = 16 << 20, /* of all values that are made */
    SAC_JINJA_NAME = 64
};

typedef enum sac_jinja_part_kind { TEXT_PART, VALUE_PART, BLOCK_PART } sac_jinja_part_kind;

/* Of the source: text as it comes out, or what stands between {{ }} or {% %}. */
typedef struct sac_jinja_part {
    sac_jinja_part_kind kind;
    const char *from, *end;
} sac_jinja_part;

typedef struct sac_jinja_variable {
    char name[SAC_JINJA_NAME];
    const cJSON *value;
} sac_jinja_variable;

typedef struct sac_jinja {
    sac_jinja_part *parts;
    size_t count;
    const char *at, *end; /* of the expression that is read */
    sac_jinja_variable variables[SAC_JINJA_VARIABLES];
    int variable_count,
        scope;   /* where those of the innermost loop begin, which are forgotten behind it */
    cJSON *made; /* an array: all values that were made on the way */
    char *out;
    size_t length, capacity, bytes;
    long steps;
    int depth, dry; /* dry: what is read has no effect, and does not fail */
    sac_status status;
    sac_error *error;
} sac_jinja;

typedef struct sac_jinja_arguments {
    const cJSON *value[SAC_JINJA_ARGUMENTS];
    char name[SAC_JINJA_ARGUMENTS][SAC_JINJA_NAME]; /* "": it has none */
    int count;
} sac_jinja_arguments;

/* Notes why the template cannot be evaluated, the first time. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_jinja_refuse(sac_jinja *r, const char *format, ...);

/* ---------------------------------------------------------------- jinja_values.c */

/* Takes `value` over; NULL: there was no memory for it. */
const cJSON *sac_jinja_keep_value(sac_jinja *r, cJSON *value);
const cJSON *sac_jinja_make_flag(sac_jinja *r, bool flag);
const cJSON *sac_jinja_make_number(sac_jinja *r, double number);
const cJSON *sac_jinja_make_text(sac_jinja *r, const char *from, size_t size);
/* The same of a text that is freed; NULL: there was no memory for it. */
const cJSON *sac_jinja_keep_text(sac_jinja *r, char *text, size_t size);
/* An undefined value becomes none. `name` NULL: to a list. */
void sac_jinja_add_copy(cJSON *list, const char *name, const cJSON *value);
bool sac_jinja_is_true(const cJSON *v);
bool sac_jinja_are_equal(const cJSON *a, const cJSON *b);
const char *sac_jinja_text_in(const cJSON *v); /* "" of what is no text */
double sac_jinja_length(const cJSON *v);       /* of a text its characters */
/* As Python writes a value in a text; free() it. */
char *sac_jinja_print_value(sac_jinja *r, const cJSON *v);

/* What a name does: range(…), text.strip(…), value | filter(…), value is test. */
const cJSON *sac_jinja_call_function(sac_jinja *r, const char *name, const sac_jinja_arguments *a);
const cJSON *sac_jinja_call_method(sac_jinja *r, const cJSON *of, const char *name,
                                   const sac_jinja_arguments *a);
const cJSON *sac_jinja_apply_filter(sac_jinja *r, const cJSON *v, const char *name,
                                    const sac_jinja_arguments *a);
bool sac_jinja_passes_test(sac_jinja *r, const cJSON *v, const char *name);

/* ---------------------------------------------------------------- jinja_expressions.c, which reads from `at` on */

const cJSON *sac_jinja_find_variable(const sac_jinja *r, const char *name);
/* As in Jinja, what an "if" sets stays, and what a loop sets does not. */
void sac_jinja_set_variable(sac_jinja *r, const char *name, const cJSON *value);
void sac_jinja_skip_blanks(sac_jinja *r);
/* Passes over a sign or a word, if it comes next. */
bool sac_jinja_accept(sac_jinja *r, const char *sign);
void sac_jinja_expect(sac_jinja *r, const char *sign);
bool sac_jinja_read_name(sac_jinja *r, char name[SAC_JINJA_NAME]);
const cJSON *sac_jinja_read_expression(sac_jinja *r);
/* One without "… if …" at its end, such as what a loop goes through. */
const cJSON *sac_jinja_read_or(sac_jinja *r);

#endif
