/* Where a source came from, in a form that cannot be forged: the hashes that a saved picture
 * keeps of the files that it names. */
#ifndef SAC_SOURCES_ORIGIN_H
#define SAC_SOURCES_ORIGIN_H

#include "saccade.h"

#define SAC_ORIGIN_HASH 80                  /* bytes of one, with its end */
#define SAC_ORIGIN_MOST ((size_t)256 << 20) /* bytes; reading more would keep a person waiting */

/* A file of a model, and its name in its folder. */
typedef sac_status sac_origin_each(void *user, const char *path, const char *name,
                                   sac_error *error);
/* Every file that a model may be read from, which are those that are hashed: of a folder what is in it, of a
 * GGUF in parts all of them, and of an adapter's folder also what its base is read from. Stops where `each`
 * fails. */
sac_status sac_origin_files(const char *path, sac_origin_each *each, void *user, sac_error *error);
/* "sha256:" and 64 digits. Of a file: its content. Of a folder with a config.json: that file, and
 * of every other file of a model beside it (weights, their index, what its tokenizer reads) the
 * name, the size and both ends. Empty for what is neither, such as a pipe, and for a file of more
 * than SAC_ORIGIN_MOST bytes. */
sac_status sac_origin_hash(const char *path, char hash[SAC_ORIGIN_HASH], sac_error *error);
/* Whether the file or folder is the one that `hash` was made of. Pictures of earlier versions have
 * hashes of another kind ("fnv1a64:…", of files alone), which are compared too. False for an empty
 * one, and where the file cannot be read. */
bool sac_origin_is(const char *path, const char *hash);
/* True where no link leads from the path, or from a file of the folder that is hashed, out of
 * `folder`. Relative paths are those of the working folder. */
bool sac_origin_within(const char *path, const char *folder);

#endif
