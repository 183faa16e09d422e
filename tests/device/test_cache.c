/* The cache on disk without any device: whose folder is trusted, and what an entry may be. */
#include <glob.h>
#include <unistd.h>

#include <sys/stat.h>

#include "device/cache/cache.h"
#include "test.h"

static char home[64], folder[96];

static int make_home(void **state)
{
    (void)state;
    strcpy(home, "/tmp/saccade-test-XXXXXX");
    if (!mkdtemp(home))
        return -1;
    snprintf(folder, sizeof folder, "%s/saccade", home);
    unsetenv("SACCADE_CACHE");
    return setenv("XDG_CACHE_HOME", home, 1);
}

static int remove_home(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", home);
    return system(command);
}

static void store(void)
{
    sac_cache_store("thing", "key", "data", 4);
}

static bool is_found(void)
{
    char *data;
    size_t size;
    bool found = sac_cache_load("thing", "key", &data, &size);
    if (found)
        assert_string_equal(data, "data");
    free(data);
    return found;
}

/* The path of the one entry. */
static void find_entry(char *path, size_t size)
{
    char pattern[128];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/thing-*", folder);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    snprintf(path, size, "%s", files.gl_pathv[0]);
    globfree(&files);
}

#define AT_HOME(name) TEST_WITH(name, make_home, remove_home)

AT_HOME(what_is_stored_is_found_again_in_a_folder_of_ones_own)
{
    struct stat info;
    assert_false(is_found());
    store();
    assert_true(is_found());
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
}

AT_HOME(a_folder_that_others_can_write_is_not_used)
{
    static const mode_t modes[] = {0770, 0702, 01777};
    store();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(folder, modes[i]), 0);
        assert_false(is_found());
    }
    assert_int_equal(chmod(folder, 0755), 0);
    assert_true(is_found());
}

AT_HOME(a_folder_of_another_user_is_not_used)
{
    store();
    if (chown(folder, 65534, 65534) != 0)
        skip(); /* only root can give a folder away */
    assert_false(is_found());
}

AT_HOME(a_folder_that_is_a_link_is_not_used)
{
    char moved[112];
    store();
    snprintf(moved, sizeof moved, "%s-moved", folder);
    assert_int_equal(rename(folder, moved), 0);
    assert_int_equal(symlink(moved, folder), 0);
    assert_false(is_found());
}

/* A FIFO blocks a process that opens it, to read or to write. */
AT_HOME(an_entry_that_is_a_fifo_or_a_link_is_not_read_but_replaced)
{
    char entry[192], moved[200];
    store();
    find_entry(entry, sizeof entry);
    snprintf(moved, sizeof moved, "%s-moved", entry);
    assert_int_equal(rename(entry, moved), 0);
    assert_int_equal(symlink(moved, entry), 0);
    assert_false(is_found());
    assert_int_equal(unlink(entry), 0);
    assert_int_equal(mkfifo(entry, 0600), 0);
    alarm(600); /* ends a test that hangs */
    assert_false(is_found());
    store(); /* in its place */
    assert_true(is_found());
    alarm(0);
}

TEST_MAIN(NULL, NULL)
