/* A folder of a test's own, which is the person's folder of settings too; and what a window does with an opening. */
#ifndef TESTS_APP_HOME_H
#define TESTS_APP_HOME_H

#include <limits.h>
#include <unistd.h>

#include "status.h"
#include "test.h"

static char home[PATH_MAX];

/* "HOME/NAME" in one of four buffers that take turns. */
TEST_UNUSED static const char *in(const char *name)
{
    static char paths[4][PATH_MAX + 256];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", home, name);
    return path;
}

TEST_UNUSED static int make_home(void **state)
{
    char made[] = "/tmp/saccade-home-XXXXXX";
    (void)state;
    return !mkdtemp(made) || !realpath(made, home) || setenv("XDG_CONFIG_HOME", home, 1);
}

/* With all that is in it. */
TEST_UNUSED static int remove_home(void **state)
{
    char command[PATH_MAX + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return system(command);
}

#endif
