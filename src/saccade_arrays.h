/* Saccade: named arrays in files, .npz, .npy, .safetensors, what torch.save writes, tables and JSON. They are in a
 * library of their own, saccade-arrays, which needs libzip, zlib and cJSON; the library that
 * computes needs none of these. The conventions of saccade.h are those of this header, too.
 */
#ifndef SACCADE_ARRAYS_H
#define SACCADE_ARRAYS_H

#include <saccade.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Named arrays out of a file: .npz, .npy (one array named "array"), .safetensors, a table of numbers as text
 * (.csv, .tsv: "array", with texts "rows" and "columns"), JSON (a list of lists of numbers, or an object of them) or what torch.save
 * writes (mapped into memory, not read until used; of an .npz, arrays of 64 MiB and more that it stores
 * uncompressed, whose data need not be aligned to their type: read them by sac_array_to_f32 or memcpy). The kind is
 * found by the content, not by the name. Of torch.save's, a tensor alone is named "array" and a tuple of them "arr_0", "arr_1"
 * …; the names of dicts and lists in others are joined by dots, "attentions.0". A state dict among
 * other things, such as the optimizer's, is found, and the rest is not read. Nothing in
 * a pickle is run. Files are mapped: one that another program cuts in
 * the meantime raises SIGBUS where it is read, as with any mmap. Saving as this library does,
 * beside the file and then renamed, does not cut it. */
typedef struct sac_arrays sac_arrays;
/* SAC_E_FILE where it cannot be read, SAC_E_FORMAT where it is damaged or of another kind, or all
 * that it holds is not read. */
sac_status sac_arrays_open(const char *path, sac_arrays **arrays, sac_error *error);
size_t sac_arrays_size(const sac_arrays *arrays); /* how many there are */
/* Name and array number `index`, in the file's order; NULL past the last. */
const char *sac_arrays_name(const sac_arrays *arrays, size_t index);
const sac_array *sac_arrays_at(const sac_arrays *arrays, size_t index);
const sac_array *sac_arrays_find(const sac_arrays *arrays, const char *name); /* NULL: not there */
/* Name of what else the file holds, number `index`, and is not read: Python objects, numbers of a
 * kind that is not known here, a text among the members of a zip. NULL past the last. */
const char *sac_arrays_unread(const sac_arrays *arrays, size_t index);
/* Why it is not read, and what to do; NULL where nothing of that name was left out. */
const char *sac_arrays_unread_reason(const sac_arrays *arrays, const char *name);
/* safetensors' metadata; NULL where there is none under that key. */
const char *sac_arrays_metadata(const sac_arrays *arrays, const char *key);
/* Frees the arrays: what was lent of them is gone. */
void sac_arrays_close(sac_arrays *arrays);

typedef struct sac_named_array {
    const char *name;
    const sac_array *array;
} sac_named_array;
/* Both write beside `path` and rename, so that a half-written file never stands under that name. */
sac_status sac_npz_save(const char *path, const sac_named_array *arrays, size_t count,
                        sac_error *error);
/* `metadata`: key, value, key, value, …, NULL; or NULL. SAC_E_ARGUMENT for text, for a name or
 * metadata that is not UTF-8, and for a key without its value. */
sac_status sac_safetensors_save(const char *path, const sac_named_array *arrays, size_t count,
                                const char *const *metadata, sac_error *error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
