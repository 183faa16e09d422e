/* Writes an .npz of arrays of zeros that take no room on the disk, as numpy.savez stores them: members one
 * after the other, their data aligned to nothing. */
#ifndef TESTS_SPARSE_NPZ_H
#define TESTS_SPARSE_NPZ_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct sparse_array {
    const char *name, *descr, *shape; /* "query", "<f4", "(3, 4)" */
    uint64_t bytes;                   /* of its elements; the file stays below 4 GiB */
    uint64_t at;                      /* where they lie then */
    uint32_t checksum; /* of one that is not too large, which may be read as a whole; else 0 */
} sparse_array;

static inline void sparse_number(uint8_t *to, uint64_t number, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = (uint8_t)(number >> 8 * i);
}

/* CRC-32 as in zip files, with `count` more zeros or bytes. */
static inline uint32_t sparse_checksum(uint32_t sum, const char *bytes, uint64_t count)
{
    sum = ~sum;
    for (uint64_t i = 0; i < count; i++) {
        sum ^= bytes ? (uint8_t)bytes[i] : 0;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

/* A header of a member, local or in the directory. */
static inline void sparse_header(FILE *file, const sparse_array *array, uint64_t local, int central)
{
    uint8_t record[46] = "PK\3\4";
    char name[64];
    int length = snprintf(name, sizeof name, "%s.npy", array->name), from = central ? 6 : 4;
    uint64_t size = 128 + array->bytes;
    if (central)
        memcpy(record, "PK\1\2", 4);
    sparse_number(record + from, 20, 2);
    sparse_number(record + from + 10, array->checksum, 4);
    sparse_number(record + from + 14, size, 4);
    sparse_number(record + from + 18, size, 4);
    sparse_number(record + from + 22, (uint64_t)length, 2);
    if (central)
        sparse_number(record + 42, local, 4);
    fwrite(record, 1, central ? 46 : 30, file);
    fwrite(name, 1, (size_t)length, file);
}

static inline void sparse_npz(const char *path, sparse_array *arrays, size_t count)
{
    FILE *file = fopen(path, "wb");
    uint8_t end[22] = "PK\5\6";
    uint64_t local[8], start;
    for (size_t i = 0; i < count; i++) {
        char header[128];
        memset(header, ' ', sizeof header);
        memcpy(header, "\x93NUMPY\1\0\x76\0", 10);
        int used = snprintf(header + 10, sizeof header - 10,
                            "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                            arrays[i].descr, arrays[i].shape);
        header[10 + used] = ' ';
        header[127] = '\n';
        arrays[i].checksum = 0;
        if (arrays[i].bytes <= 1 << 26)
            arrays[i].checksum =
                sparse_checksum(sparse_checksum(0, header, sizeof header), NULL, arrays[i].bytes);
        local[i] = (uint64_t)ftello(file);
        sparse_header(file, &arrays[i], 0, 0);
        fwrite(header, 1, sizeof header, file);
        arrays[i].at = (uint64_t)ftello(file);
        fseeko(file, (off_t)arrays[i].bytes, SEEK_CUR);
    }
    start = (uint64_t)ftello(file);
    for (size_t i = 0; i < count; i++)
        sparse_header(file, &arrays[i], local[i], 1);
    sparse_number(end + 8, count, 2);
    sparse_number(end + 10, count, 2);
    sparse_number(end + 12, (uint64_t)ftello(file) - start, 4);
    sparse_number(end + 16, start, 4);
    fwrite(end, 1, sizeof end, file);
    fclose(file);
}

#endif
