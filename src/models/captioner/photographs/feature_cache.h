/* A file of features that took long to compute, float16, by a key of 64 bits each. It only grows:
 * what a run that was stopped had computed is there for the next one, and another run of other
 * pictures finds what it knows of them.
 *
 *     "saccfeat", version, numbers of a record        header, 16 bytes
 *     key, numbers                                     records, one after the other
 *
 * It is read where it is requested, and not mapped: a file that another program cuts is an error,
 * and pages of it stay in memory no longer than the system sees fit. */
#ifndef SAC_CAPTIONER_FEATURE_CACHE_H
#define SAC_CAPTIONER_FEATURE_CACHE_H

#include "saccade.h"

typedef struct sac_feature_cache sac_feature_cache;

/* Opens the file for reading and adding, or makes it. A last record that was not written whole is
 * written over. SAC_E_FILE; SAC_E_FORMAT where it is something else, or has records of another
 * size; SAC_E_MEMORY. */
sac_status sac_feature_cache_open(const char *path, size_t numbers, sac_feature_cache **cache,
                                  sac_error *error);
void sac_feature_cache_close(sac_feature_cache *cache); /* takes NULL */

bool sac_feature_cache_has(const sac_feature_cache *cache, uint64_t key);
/* Bytes of the file with so many records more. */
uint64_t sac_feature_cache_bytes(const sac_feature_cache *cache, size_t more);
/* Adds numbers of a key that it has not. */
sac_status sac_feature_cache_add(sac_feature_cache *cache, uint64_t key, const float *numbers,
                                 sac_error *error);
/* The numbers of a key that it has; on any thread while nothing is added. SAC_E_FILE; SAC_E_FORMAT
 * where one is not finite. */
sac_status sac_feature_cache_read(const sac_feature_cache *cache, uint64_t key, float *numbers,
                                  sac_error *error);

#endif
