/* Hashes that distinguish contents. */
#ifndef SAC_BASE_HASH_H
#define SAC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits (Fowler, Noll, Vo), which is no defence against forgery. The first call starts
 * from SAC_HASH_START; the hash of a part that follows starts from the hash of what came before. */
#define SAC_HASH_START 0xcbf29ce484222325u
uint64_t sac_hash(uint64_t hash, const void *data, size_t size);

/* A hash for tables in memory. Its key is random for each process, so a file cannot be made with
 * names that collide. SipHash-1-3 (Aumasson and Bernstein 2012). */
uint64_t sac_table_hash(const void *data, size_t size);

#endif
