/* Runs a fuzz target over the files and folders that are named, without libFuzzer. Fails where
 * there are none: a corpus that went missing is no passed test. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fuzz.h"

static int replay_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file)
            fclose(file);
        return -1;
    }
    size_t size = (size_t)info.st_size;
    uint8_t *bytes = malloc(size ? size : 1); /* of that very size, so that ASan sees its end */
    bool whole = bytes && fread(bytes, 1, size, file) == size;
    fclose(file);
    if (whole)
        LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return whole ? 1 : -1;
}

/* How many files were replayed; −1 where one could not be read. */
static int replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return replay_file(path);
    int count = 0;
    for (struct dirent *entry; count >= 0 && (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count = replay_file(name) < 0 ? -1 : count + 1;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        int more = replay_folder(argv[i]);
        if (more < 0)
            return 1;
        count += more;
    }
    printf("%d files\n", count);
    return count ? 0 : 1;
}
