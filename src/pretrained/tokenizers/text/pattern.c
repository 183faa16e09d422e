/* An expression of Oniguruma's becomes one of PCRE2's: where the two differ, in what \s, \w, \h and
 * the names of \p{…} mean, in `{1,3}+` and in the flag m, it is written another way. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "tokenizers/text/pattern.h"

#include <pcre2.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cancel.h"
#include "base/error.h"
#include "tokenizers/text/text_buffer.h"

struct sac_pattern {
    pcre2_code *code;
};

enum { LONGEST = 1 << 16, DEPTH = 64 };

/* ---------------------------------------------------------------- translation */

typedef struct translation {
    const char *at; /* what is still to be read */
    sac_text_buffer out;
    size_t atom;          /* where the last piece begins that a quantifier would repeat */
    size_t groups[DEPTH]; /* where those begin that are open */
    int depth;
    int in_class;        /* brackets that are open */
    const char *unknown; /* what cannot be translated; NULL: nothing */
} translation;

static void put(translation *t, const char *text)
{
    sac_text_append(&t->out, text, strlen(text));
}

/* A set of characters, alone or within brackets. */
static void put_set(translation *t, const char *set, bool negated)
{
    if (!t->in_class)
        put(t, negated ? "[^" : "[");
    put(t, set);
    if (!t->in_class)
        put(t, "]");
}

#define WORD SAC_CHARS_WORD
#define LATIN_NUMBERS "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}" /* of \w outside of brackets */

/* What names stand for that PCRE2 has not, or has for something else; NULL: as they are. */
static const char *character_set_named(const char *name)
{
    static const char *const names[][2] = {
        {"Alpha", "\\p{Alphabetic}"},
        {"Alnum", "\\p{Alphabetic}\\p{Nd}"},
        {"Upper", "\\p{Uppercase}"},
        {"Lower", "\\p{Lowercase}"},
        {"Punct", "\\p{P}\\p{S}"},
        {"Digit", "\\p{Nd}"},
        {"Space", SAC_CHARS_SPACE},
        {"Word", WORD},
        {"Letter", "\\p{L}"},
        {"Uppercase_Letter", "\\p{Lu}"},
        {"Lowercase_Letter", "\\p{Ll}"},
        {"Number", "\\p{N}"},
        {"Decimal_Number", "\\p{Nd}"},
        {"Mark", "\\p{M}"},
        {"Nonspacing_Mark", "\\p{Mn}"},
        {"Punctuation", "\\p{P}"},
        {"Symbol", "\\p{S}"},
        {"Separator", "\\p{Z}"},
        {"Other", "\\p{C}"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static bool is_script(const char *name)
{
    static const char *const others[] = {"Any", "Alphabetic", "Uppercase", "Lowercase", "Emoji"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(name, others[i]) == 0)
            return false;
    return strlen(name) > 2 && !strpbrk(name, "_=:");
}

/* \p{…} and \P{…}. A script is that of the character alone, without those that share it. */
static void put_property(translation *t, char kind)
{
    char name[40], whole[64];
    const char *begin = t->at + 1, *end = strchr(begin, '}');
    size_t size = end ? (size_t)(end - begin) : 0;
    bool negated = *begin == '^';
    if (*t->at != '{' || !end || size - negated >= sizeof name) {
        t->unknown = "\\p without a name";
        return;
    }
    memcpy(name, begin + negated, size - negated);
    name[size - negated] = '\0';
    t->at = end + 1;
    const char *set = character_set_named(name);
    negated = (kind == 'P') != negated;
    if (set && !(negated && t->in_class)) {
        put_set(t, set, negated);
        return;
    }
    if (set)
        t->unknown = "what is not of a kind, within brackets";
    snprintf(whole, sizeof whole, "\\%c{%s%s}", negated ? 'P' : 'p', is_script(name) ? "sc:" : "",
             name);
    put(t, whole);
}

/* Between a character of a word and one that is none; or not so. */
static void put_word_boundary(translation *t, bool negated)
{
#define IN "[" WORD LATIN_NUMBERS "])"
    put(t, negated ? "(?:(?<=" IN "(?=" IN "|(?<!" IN "(?!" IN ")"
                   : "(?:(?<=" IN "(?!" IN "|(?<!" IN "(?=" IN ")");
#undef IN
}

static void put_escape(translation *t)
{
    char pair[3] = {'\\', *t->at, '\0'};
    bool negated = isupper((unsigned char)*t->at) != 0;
    if (!*t->at) {
        t->unknown = "a backslash at the end";
        return;
    }
    t->at++;
    switch (pair[1]) {
    case 's':
    case 'S':
        if (t->in_class && negated)
            put(t, pair);
        else
            put_set(t, SAC_CHARS_SPACE, negated);
        break;
    case 'w':
    case 'W':
        if (t->in_class && negated)
            t->unknown = "\\W within brackets";
        else
            put_set(t, t->in_class ? WORD : WORD LATIN_NUMBERS, negated);
        break;
    case 'b':
    case 'B':
        if (t->in_class)
            put(t, pair);
        else
            put_word_boundary(t, negated);
        break;
    case 'h':
    case 'H':
        if (t->in_class && negated)
            t->unknown = "\\H within brackets";
        else
            put_set(t, "0-9A-Fa-f", negated);
        break;
    case 'u': /* \u2026 */
        put(t, "\\x{");
        sac_text_append(&t->out, t->at, strnlen(t->at, 4));
        put(t, "}");
        t->at += strnlen(t->at, 4);
        break;
    case 'p':
    case 'P':
        put_property(t, pair[1]);
        break;
    default:
        put(t, pair);
    }
}

/* One character, a class of POSIX's, or brackets, whose characters are of the class too. */
static void put_in_class(translation *t)
{
    const char *end = strncmp(t->at, "[:", 2) == 0 ? strstr(t->at, ":]") : NULL;
    if (end) {
        /* [:alpha:], within brackets. */
        char name[16];
        size_t size = (size_t)(end - t->at) - 2;
        snprintf(name, sizeof name, "%.*s", (int)(size < 15 ? size : 15), t->at + 2);
        const char *set = character_set_named(name);
        if (set)
            put(t, set);
        else
            sac_text_append(&t->out, t->at, size + 4);
        t->at = end + 2;
    } else if (strncmp(t->at, "[^", 2) == 0 || strncmp(t->at, "&&", 2) == 0) {
        t->unknown = "brackets that take from others";
    } else if (*t->at == '[') {
        t->in_class++;
        t->at++;
    } else {
        if (*t->at != ']' || t->in_class == 1)
            sac_text_append(&t->out, t->at, 1);
        t->in_class -= *t->at++ == ']';
    }
}

/* "(", with the flags behind it: m is PCRE2's s. */
static void open_group(translation *t)
{
    if (t->depth == DEPTH) {
        t->unknown = "so many groups";
        return;
    }
    t->groups[t->depth++] = t->out.size;
    sac_text_append(&t->out, t->at++, 1);
    size_t flags = *t->at == '?' ? 1 + strspn(t->at + 1, "imx-") : 0;
    if (flags < 2 || (t->at[flags] != ':' && t->at[flags] != ')'))
        return;
    for (; flags; flags--, t->at++)
        sac_text_append(&t->out, *t->at == 'm' ? "s" : t->at, 1);
}

/* {n,m}: a + behind it repeats it once more, and a missing n is 0. */
static void put_counts(translation *t)
{
    size_t size = 1 + strspn(t->at + 1, "0123456789,");
    bool counts = size > 1 && t->at[size] == '}';
    bool again = counts && t->at[size + 1] == '+';
    char rest[256];
    if (again) { /* what stands before it goes into a group */
        size_t length = t->out.size - t->atom;
        if (length >= sizeof rest) {
            t->unknown = "so long a group";
            return;
        }
        memcpy(rest, t->out.bytes + t->atom, length);
        t->out.size = t->atom;
        put(t, "(?:");
        sac_text_append(&t->out, rest, length);
    }
    put(t, counts ? "{" : "\\{");
    if (counts && t->at[1] == ',')
        put(t, "0");
    t->at++;
    if (!counts)
        return;
    sac_text_append(&t->out, t->at, size);
    t->at += size;
    if (again)
        put(t, ")");
}

static void translate(translation *t)
{
    while (*t->at && !t->unknown) {
        bool quantifies = !t->in_class && strchr("*+?{|", *t->at);
        if (!quantifies && !t->in_class && *t->at != ')')
            t->atom = t->out.size;
        if (*t->at == '\\') {
            t->at++;
            put_escape(t);
        } else if (t->in_class) {
            put_in_class(t);
        } else if (*t->at == '[') {
            t->in_class = 1;
            put(t, "[");
            t->at++;
            if (*t->at == '^')
                sac_text_append(&t->out, t->at++, 1);
            if (*t->at == ']') { /* the first one is a character */
                put(t, "\\]");
                t->at++;
            }
        } else if (*t->at == '(') {
            open_group(t);
        } else if (*t->at == '{') {
            put_counts(t);
        } else {
            if (*t->at == ')' && t->depth)
                t->atom = t->groups[--t->depth];
            sac_text_append(&t->out, t->at++, 1);
        }
    }
}

/* ---------------------------------------------------------------- compiling */

static sac_status refuse(const char *expression, const char *what, sac_error *error)
{
    return sac_fail(error, SAC_E_FORMAT, "pattern", "give a tokenizer without it",
                    "\"%.120s\" is not supported: %s", expression, what);
}

sac_status sac_pattern_compile(const char *expression, bool literal, sac_pattern **pattern,
                               sac_error *error)
{
    translation t = {.at = expression};
    int code;
    PCRE2_SIZE where;
    *pattern = NULL;
    if (strlen(expression) >= LONGEST)
        return refuse(expression, "it is too long", error);
    if (literal)
        put(&t, expression);
    else
        translate(&t);
    sac_pattern *p = calloc(1, sizeof *p);
    bool there = p && !t.out.failed;
    if (there && !t.unknown && t.out.size)
        p->code = pcre2_compile((PCRE2_SPTR)t.out.bytes, t.out.size,
                                literal ? PCRE2_UTF | PCRE2_LITERAL
                                        : PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE |
                                              PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT,
                                &code, &where, NULL);
    sac_text_free(&t.out);
    if (p && p->code) {
        *pattern = p;
        return SAC_OK;
    }
    free(p);
    return there
               ? refuse(expression, t.unknown ? t.unknown : "it is not a regular expression", error)
               : sac_no_memory(error, "pattern");
}

void sac_pattern_free(sac_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    free(pattern);
}

/* ---------------------------------------------------------------- matching */

/* A step is a part of an expression that is tried at a place; an expression as it should be takes a few for each
 * character. 32 million take about a second. */
size_t sac_pattern_step_limit(size_t size)
{
    return ((size_t)32 << 20) + 256 * size;
}

/* PCRE2's own limit is begun anew at every place of a text, and does not bound the whole. */
static int count_step(pcre2_callout_block *block, void *matcher)
{
    enum { BETWEEN = 1 << 16 };
    size_t *steps = ((sac_matcher *)matcher)->steps;
    (void)block;
    *steps -= *steps > 0;
    bool stops = *steps == 0 || (*steps % BETWEEN == 0 && sac_cancel_asked());
    return stops ? PCRE2_ERROR_CALLOUT : 0;
}

bool sac_matcher_begin(sac_matcher *m, const sac_pattern *pattern, size_t *steps)
{
    enum { HEAP = 1 << 17 }; /* KB */
    *m = (sac_matcher){.pattern = pattern,
                       .data = pcre2_match_data_create(1, NULL),
                       .limits = pcre2_match_context_create(NULL),
                       .steps = steps};
    if (!m->data || !m->limits)
        return false;
    pcre2_set_match_limit(m->limits, UINT32_MAX);
    pcre2_set_heap_limit(m->limits, HEAP);
    pcre2_set_callout(m->limits, count_step, m);
    return true;
}

void sac_matcher_set_text(sac_matcher *m, const char *text, size_t size)
{
    m->text = text;
    m->size = size;
    m->at = m->begin = m->end = 0;
}

/* The text is UTF-8: every step of a tokenizer makes it so. An empty match moves on by a character.
 */
bool sac_matcher_next(sac_matcher *m)
{
    if (m->at > m->size || m->gave_up)
        return false;
    if (count_step(NULL, m) != 0) { /* an expression may be none but its end */
        m->gave_up = true;
        return false;
    }
    int found = pcre2_match(m->pattern->code, (PCRE2_SPTR)m->text, m->size, m->at,
                            PCRE2_NO_UTF_CHECK, m->data, m->limits);
    const PCRE2_SIZE *place = pcre2_get_ovector_pointer(m->data);
    m->gave_up = found < 0 && found != PCRE2_ERROR_NOMATCH;
    if (found < 0 || place[0] < m->at || place[1] < place[0] || place[1] > m->size)
        return false;
    m->begin = place[0];
    m->end = m->at = place[1];
    if (m->begin == m->end)
        for (m->at++; m->at < m->size && ((unsigned char)m->text[m->at] & 0xc0) == 0x80;)
            m->at++;
    return true;
}

void sac_matcher_end(sac_matcher *m)
{
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->limits);
    *m = (sac_matcher){0};
}
