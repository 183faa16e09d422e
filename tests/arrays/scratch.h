/* A folder of its own for each test, files made in it, and the one line an error gives. */
#ifndef TESTS_FORMATS_SCRATCH_H
#define TESTS_FORMATS_SCRATCH_H

#include <dirent.h>
#include <unistd.h>

#include "saccade.h"
#include "test.h"
#include "wording.h"

typedef struct scratch {
    char folder[64];
    char path[160]; /* of the file that scratch_path named last */
} scratch;

static inline int scratch_setup(void **state)
{
    scratch *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    strcpy(s->folder, "/tmp/saccade-formats-XXXXXX");
    *state = s;
    return mkdtemp(s->folder) ? 0 : -1;
}

static inline size_t scratch_count(const scratch *s)
{
    size_t count = 0;
    DIR *folder = opendir(s->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static inline int scratch_teardown(void **state)
{
    scratch *s = *state;
    DIR *folder = opendir(s->folder);
    char path[400];
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        unlink(path);
    }
    closedir(folder);
    int result = rmdir(s->folder);
    free(s);
    return result;
}

static inline const char *scratch_path(scratch *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

static inline const char *scratch_write(scratch *s, const char *name, const void *bytes,
                                        size_t size)
{
    FILE *file = fopen(scratch_path(s, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return s->path;
}

/* free() it. */
static inline uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Asserts the line that `error` gives, with the scratch folder left out of it; "…" in `expected`
 * as in wording.h. */
static inline void assert_line(const scratch *s, const sac_error *error, const char *expected)
{
    char line[1200];
    sac_error_line(error, line, sizeof line);
    char *path = strstr(line, s->folder);
    size_t skipped = path == line ? strlen(s->folder) + 1 : 0;
    if (!test_line_is(line + skipped, expected))
        fail_msg("\"%s\" is not \"%s\"", line + skipped, expected);
}

#define IN_SCRATCH(name) TEST_ON(scratch, s, name, scratch_setup, scratch_teardown)

/* Of pages in the page tables of this process: bit 63 of their entries. */
static inline int pages_held(const void *data, size_t count, size_t page)
{
    int held = 0;
    FILE *map = fopen("/proc/self/pagemap", "rb");
    assert_non_null(map);
    for (size_t i = 0; i < count; i++) {
        uint64_t entry;
        assert_int_equal(fseek(map, (long)(((uintptr_t)data / page + i) * sizeof entry), SEEK_SET),
                         0);
        assert_int_equal(fread(&entry, sizeof entry, 1, map), 1);
        held += (int)(entry >> 63);
    }
    fclose(map);
    return held;
}

#endif
