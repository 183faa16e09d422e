/* Reads Python's pickles without running them. A pickle is a program for a small stack machine;
 * here, importing a name gives that name, and a call gives a record of the call: SAC_PICKLED_CALL.
 * The callers (torch.c, objects.c) know the meaning of a few calls and ignore all others. */
#ifndef SAC_ARRAYS_TORCH_PICKLE_H
#define SAC_ARRAYS_TORCH_PICKLE_H

#include "saccade.h"

enum {
    SAC_PICKLE_MOST = 64 << 20,  /* bytes of one pickle */
    SAC_PICKLE_VALUES = 4 << 20, /* values in it, and places of its stack */
};

typedef enum sac_pickled_kind {
    SAC_PICKLED_NONE = 0,
    SAC_PICKLED_BOOL,
    SAC_PICKLED_INT,
    SAC_PICKLED_FLOAT,
    SAC_PICKLED_TEXT,
    SAC_PICKLED_BYTES,
    SAC_PICKLED_TUPLE,
    SAC_PICKLED_LIST,
    SAC_PICKLED_SET,
    SAC_PICKLED_DICT,
    SAC_PICKLED_NAME, /* module.name, of a class or a function */
    SAC_PICKLED_CALL, /* what a call of such a name would give, and what would be put into it */
    SAC_PICKLED_KEPT, /* something stored beside the pickle, identified by `arguments` */
    SAC_PICKLED_OTHER /* a whole number of more than 64 bits */
} sac_pickled_kind;

typedef struct sac_pickled sac_pickled;
struct sac_pickled {
    sac_pickled_kind kind;
    union {
        int64_t whole; /* BOOL, INT */
        double number; /* FLOAT */
        struct {
            const char *text; /* TEXT (any bytes: check that it is UTF-8), BYTES; lent */
            size_t size;
        };
        struct {
            const char *module, *name; /* NAME; lent, not terminated */
            uint32_t module_size, name_size;
        };
        struct {
            const sac_pickled *called, *arguments, *state; /* CALL; KEPT has arguments alone */
        };
    };
    /* TUPLE, LIST, SET: the elements. DICT, and a CALL into which items are put: key, value, key,
     * value. */
    const sac_pickled **items;
    size_t count;
};

typedef struct sac_pickle sac_pickle;

/* Reads one pickle of protocol 2 to 5, which begins at `bytes`; all values are lent from there and
 * from *pickle. *used: the bytes it takes; more may follow. *room: bytes that values may still take, as in
 * arrays.h. SAC_E_FORMAT where it is damaged,
 * larger than the limits, or has an instruction of another protocol. */
sac_status sac_pickle_read(const uint8_t *bytes, size_t size, size_t *room, sac_pickle **pickle,
                           size_t *used, sac_error *error);
const sac_pickled *sac_pickle_value(const sac_pickle *pickle);
/* Number `index` of the values in the order in which they were made; NULL past the last. */
const sac_pickled *sac_pickle_at(const sac_pickle *pickle, size_t index);
void sac_pickle_free(sac_pickle *pickle);

/* True of "module.name". */
bool sac_pickled_is(const sac_pickled *value, const char *module, const char *name);
/* True of a call of it; a module of NumPy is known by its name before 2.0 ("numpy.core.x") and
 * since
 * ("numpy._core.x"): give the latter. */
bool sac_pickled_calls(const sac_pickled *value, const char *module, const char *name);
/* Argument `index` of a call, or element of a tuple; NULL where there is none. */
const sac_pickled *sac_pickled_at(const sac_pickled *value, size_t index);
/* What a value is, for a person: "a number", "an object of argparse.Namespace", into `text`, which
 * is returned. */
char *sac_pickled_kind_text(const sac_pickled *value, char *text, size_t size);

#endif
