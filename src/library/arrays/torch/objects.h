/* Arrays out of pickled values: NumPy's arrays, plain lists, and the texts of an array of objects.
 */
#ifndef SAC_ARRAYS_TORCH_OBJECTS_H
#define SAC_ARRAYS_TORCH_OBJECTS_H

#include "arrays/numpy/npy.h"
#include "arrays/torch/pickle.h"

/* For all of these *room is how many bytes may still be taken, since a pickle of a few bytes can name one
 * value a million times. SAC_E_FORMAT and SAC_E_SHAPE: the value is not a supported array.
 */

/* The elements of a .npy of objects, which are what a pickle gives: an array of texts, or of
 * numbers.
 */
sac_status sac_objects_read(const sac_npy_header *header, const sac_pickled *value, size_t *room,
                            sac_array *array, sac_error *error);

/* True of an array or a number of NumPy. */
bool sac_pickled_is_numpy(const sac_pickled *value);
sac_status sac_pickled_numpy(const sac_pickled *value, size_t *room, sac_array *array,
                             sac_error *error);

/* True of a number, a text, and a list of them, or of such lists of one length. What it looks at is
 * taken out of *left: a pickle can name one list a million times. */
bool sac_pickled_is_plain(const sac_pickled *value, size_t *left);
sac_status sac_pickled_plain(const sac_pickled *value, size_t *room, sac_array *array,
                             sac_error *error);

/* The text of a str, bytes or a text of NumPy, from malloc; NULL in *text where it is none, or not
 * UTF-8, or holds a zero. */
sac_status sac_pickled_string(const sac_pickled *value, char **text, sac_error *error);

#endif
