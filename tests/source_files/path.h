/* A file of each test's own, which FILE_TEST makes before it and removes after it. */
#ifndef TESTS_SOURCES_PATH_H
#define TESTS_SOURCES_PATH_H

#include <unistd.h>

#include "test.h"

static char path[64];

static inline int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/saccade-test-XXXXXX");
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static inline int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

#define FILE_TEST(name) TEST_WITH(name, make_path, remove_path)

#endif
