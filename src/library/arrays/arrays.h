/* The inside of sac_arrays, for the readers of .npy, .npz, .safetensors, PyTorch's files, tables and JSON. */
#ifndef SAC_ARRAYS_ARRAYS_H
#define SAC_ARRAYS_ARRAYS_H

#include "arrays/bytes.h"
#include "saccade_arrays.h"

struct cJSON;

typedef struct sac_entry {
    char *name;
    sac_array array; /* may lend from `file` */
} sac_entry;

/* Something in the file that is not read. */
typedef struct sac_unread {
    sac_status status;
    char *name, *reason; /* "is not a .npy array; give arrays saved by NumPy" */
} sac_unread;

struct sac_arrays {
    sac_bytes file; /* the whole file */
    size_t count, capacity;
    sac_entry *entries;  /* in the file's order */
    sac_entry **by_name; /* the same, sorted */
    sac_unread *unread;  /* in the file's order */
    size_t unread_count;
    /* Bytes that may still be taken for what the file does not hold as it is: unpacked members, texts,
     * expanded tensors, the values of a pickle, and names. */
    size_t room;
    void **kept; /* [kept_count] memory that arrays lend from beside `file` */
    size_t kept_count;
    struct cJSON *metadata; /* an object of strings, or NULL */
};

/* Takes over `file` and reads it by its first bytes. `where` of an error is the array. */
sac_status sac_arrays_from_bytes(sac_bytes *file, sac_arrays **arrays, sac_error *error);

/* sac_arrays_open for a name that comes out of a file and not from a person: it never waits, and
 * fails with SAC_E_FILE where the name leads to a pipe or a device. */
sac_status sac_arrays_open_regular(const char *path, sac_arrays **arrays, sac_error *error);

/* True for the first bytes of a file of arrays that is read here, and the formats that are. */
bool sac_arrays_is_known_format(const uint8_t *bytes, size_t size);
#define SAC_ARRAY_FORMATS ".pt, .npz, .npy, .safetensors, .csv, .tsv or .json"

/* The readers. Each recognises its format by a file's first bytes. A new one is a file with
 * prototypes here and a line in the table of arrays_open.c. */
bool sac_npy_is(const uint8_t *bytes, size_t size);
bool sac_torch_is(const uint8_t *bytes, size_t size);
bool sac_npz_is(const uint8_t *bytes, size_t size);
bool sac_safetensors_is(const uint8_t *bytes, size_t size);
/* Text without NUL: numbers in lines, two at least in each, and JSON with lists of lists of numbers. Of a
 * large file its first SAC_TEXT_START bytes do, where the first line ends within them. */
bool sac_table_is(const uint8_t *bytes, size_t size);
bool sac_json_arrays_is(const uint8_t *bytes, size_t size);
#define SAC_TEXT_START ((size_t)64 << 10)
/* True of JSON of arrays that holds whole numbers alone, which may be labels: the ids of tokens. */
bool sac_json_arrays_may_be_labels(const uint8_t *bytes, size_t size);
/* Each fills `arrays` from arrays->file. Arrays that were added before a failure are freed with
 * `arrays`. */
sac_status sac_npy_open(sac_arrays *arrays, sac_error *error);
sac_status sac_torch_open(sac_arrays *arrays, sac_error *error);
sac_status sac_npz_open(sac_arrays *arrays, sac_error *error);
sac_status sac_safetensors_open(sac_arrays *arrays, sac_error *error);
/* A table is "array", and its names are "rows" and "columns". */
sac_status sac_table_open(sac_arrays *arrays, sac_error *error);
/* A list is "array", what stands in an object has its key; the words of `--json` are "weights" and "rows". */
sac_status sac_json_arrays_open(sac_arrays *arrays, sac_error *error);

/* Adds an array under a copy of `name`; takes over `array` in any case. */
sac_status sac_arrays_add(sac_arrays *arrays, const char *name, size_t name_size, sac_array *array,
                          sac_error *error);

/* The place of an array in the file's order; the number of arrays where there is none of that name. */
size_t sac_arrays_index(const sac_arrays *arrays, const char *name);

/* Subtracts bytes from *room: SAC_E_FORMAT if fewer are left. */
sac_status sac_take_room(size_t *room, size_t bytes, sac_error *error);
/* Of one text: the pointer to it and what malloc adds, here and where it becomes a label. Its bytes
 * count twice. */
#define SAC_TEXT_ROOM ((size_t)96)
/* Bytes of the longest name of an array; one that a file gives a longer name is left out. */
#define SAC_NAME_MOST ((size_t)4096)

/* Takes over memory that arrays lend from; frees it where it fails. */
sac_status sac_arrays_own_memory(sac_arrays *arrays, void *memory, sac_error *error);

/* Notes that a member of that name is skipped: `why` gives the reason, and its status is no longer
 * a failure. Damage and lack of memory are not skipped: they fail the file. */
sac_status sac_arrays_add_unread(sac_arrays *arrays, const char *name, size_t name_size,
                                 const sac_error *why, sac_error *error);

/* Adds to a list what the file holds and is not read, each with its reason: "meta (holds Python
 * objects, which are not read)". */
void sac_arrays_unread_text(const sac_arrays *arrays, char *text, size_t size);

/* An array of little- or big-endian elements: lent from `bytes` where they can be used as they
 * stand (aligned, this machine's byte order, truth values of 0 and 1), otherwise copied. */
sac_status sac_array_from_bytes(sac_dtype dtype, int rank, const size_t *shape, const void *bytes,
                                bool big_endian, sac_array *array, sac_error *error);
/* Converts `count` elements in place: to this machine's byte order, and truth values to 0 or 1. */
void sac_elements_to_native(sac_dtype dtype, void *data, size_t count, bool big_endian);
/* malloc with SAC_E_MEMORY that names the size; never NULL on SAC_OK. */
sac_status sac_allocate(size_t bytes, void **data, sac_error *error);

/* The numbers of an array that come while its file is written: `next` fills `data` with the next
 * `size` bytes, in the order of the array. */
typedef struct sac_array_stream {
    sac_status (*next)(void *user, void *data, size_t size, sac_error *error);
    void *user;
} sac_array_stream;
/* sac_npz_save of arrays of numbers (no bfloat16) whose data is NULL, each with its stream. They are
 * asked one after the other, in order. */
sac_status sac_npz_save_streams(const char *path, const sac_named_array *arrays,
                                const sac_array_stream *streams, size_t count, sac_error *error);

/* Checks that arrays can be saved under that path: SAC_E_ARGUMENT where a name or an array is
 * missing; fails as sac_array_check does. */
sac_status sac_named_arrays_check(const char *path, const sac_named_array *arrays, size_t count,
                                  sac_error *error);

#endif
