/* Runs a fuzz target over the files and folders that are named, without libFuzzer, and ends it
 * where one file takes more time or memory than any may. Fails where there are no files: a corpus
 * that went missing is no passed test. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/* Seconds of CPU for one file: a reader takes 5 at most, and what goes over a row too often takes
 * minutes; between the two there is room for a busy machine and for code that is not optimised. */
enum { SECONDS = 30 };

/* Bytes of address space; sanitizers reserve terabytes of it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ADDRESS_SPACE RLIM_INFINITY
#else
#define ADDRESS_SPACE ((rlim_t)1500000000)
#endif

static const char *now; /* the file that is replayed */
static rlim_t address_space = ADDRESS_SPACE;

static void too_slow(int signal_number)
{
    (void)signal_number;
    static const char text[] = ": takes too long\n";
    if (write(STDERR_FILENO, now, strlen(now)) < 0 ||
        write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

/* Limits are those of the whole process, so each file gets its seconds on top of what was used. */
static void limit(const char *path)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    rlim_t seconds = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 2 + SECONDS);
    now = path;
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, RLIM_INFINITY});
    setrlimit(RLIMIT_AS, &(struct rlimit){address_space, RLIM_INFINITY});
}

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
    limit(path);
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
    signal(SIGXCPU, too_slow);
    for (int i = 1; i < argc; i++) {
        static const char memory[] = "--memory="; /* MB, of the files that are named behind it */
        if (strncmp(argv[i], memory, sizeof memory - 1) == 0) {
            if (ADDRESS_SPACE != RLIM_INFINITY)
                address_space = strtoul(argv[i] + sizeof memory - 1, NULL, 10) * 1000000;
            continue;
        }
        int more = replay_folder(argv[i]);
        if (more < 0)
            return 1;
        count += more;
    }
    printf("%d files\n", count);
    return count ? 0 : 1;
}
