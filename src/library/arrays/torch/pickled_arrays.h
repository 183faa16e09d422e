/* What a pickled value holds, as arrays by name: the names of dicts and the numbers of lists are
 * joined by dots. */
#ifndef SAC_ARRAYS_TORCH_PICKLED_ARRAYS_H
#define SAC_ARRAYS_TORCH_PICKLED_ARRAYS_H

#include "arrays/arrays.h"
#include "arrays/numpy/npy.h"
#include "arrays/torch/pickle.h"
#include "saccade_arrays.h"

typedef struct sac_pickled_walk {
    sac_arrays *arrays; /* takes what is found, and the names of what is not read */
    size_t parts;       /* values that may still be given a name, and … */
    size_t left; /* … visited within lists and dicts, which may hold one value many times */
    /* Reads a tensor of PyTorch: `why` is set where it is of a kind that is not read, *error where
     * the file is damaged. NULL: tensors are not read. */
    sac_status (*read_tensor)(void *context, const sac_pickled *value, sac_array *array,
                              sac_error *why, sac_error *error);
    void *context;
} sac_pickled_walk;

sac_pickled_walk sac_pickled_walk_begin(sac_arrays *arrays);

/* Adds all that a value holds: a number, a text, an array or a list of them under `name` ("": it is
 * called "array", the elements of a list "arr_0" …). What is none of these is left out by name. */
sac_status sac_pickled_add(sac_pickled_walk *walk, const char *name, const sac_pickled *value,
                           sac_error *error);
/* The items of a dict, without the first `skip` bytes of each of their names. */
sac_status sac_pickled_add_items(sac_pickled_walk *walk, const char *name, const sac_pickled *dict,
                                 size_t skip, sac_error *error);
/* Leaves it out: "is a number" and `how`. */
sac_status sac_pickled_add_unread(sac_pickled_walk *walk, const char *name,
                                  const sac_pickled *value, const char *how, sac_error *error);

/* Adds what a .npy of objects holds, whose elements are a pickle of `size` bytes: texts, numbers,
 * and of arrays or a dict of them each by its own name. What is none of these is left out, or where
 * `name` is "", of a file that is this array, SAC_E_FORMAT. */
sac_status sac_objects_add(sac_arrays *arrays, const char *name, const sac_npy_header *header,
                           const uint8_t *bytes, size_t size, sac_error *error);

/* True of a dict, and of an object of any class into which items were put by key. */
bool sac_pickled_is_dict(const sac_pickled *value);
/* True of a tensor or a parameter of PyTorch, of a kind that is read or not. */
bool sac_pickled_is_tensor(const sac_pickled *value);
bool sac_pickled_is_list(const sac_pickled *value); /* or a tuple */
/* Copies a key as text, of one longer than SAC_NAME_MOST a part that is longer, too: NULL in *name if
 * it is neither text nor an integer. */
sac_status sac_pickled_key(const sac_pickled *key, char **name, sac_error *error);

/* Arrays out of pickled values: NumPy's arrays, plain lists, and the texts of an array of objects.
 */

/* For all of these *room is how many bytes may still be taken, since a pickle of a few bytes can name one
 * value a million times. SAC_E_FORMAT and SAC_E_SHAPE: the value is not a supported array.
 */

/* True of an array or a number of NumPy. */
bool sac_pickled_is_numpy(const sac_pickled *value);

#endif
