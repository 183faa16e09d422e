/* What the processes of a run read: all have to read the same, and a machine may have an old copy. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "cli/cli.h"
#include "sharing/ranks/ranks.h"

typedef struct input {
    char *path;
    bool whole;
} input;

static struct {
    pthread_mutex_t lock;
    input *of;
    size_t count, room;
    bool is_lost; /* no memory for one */
} inputs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add(const char *path, bool whole)
{
    pthread_mutex_lock(&inputs.lock);
    if (inputs.count == inputs.room) {
        size_t room = inputs.room ? 2 * inputs.room : 64;
        input *larger = realloc(inputs.of, room * sizeof *larger);
        inputs.of = larger ? larger : inputs.of;
        inputs.room = larger ? room : inputs.room;
    }
    char *copy = inputs.count < inputs.room ? strdup(path) : NULL;
    if (copy)
        inputs.of[inputs.count++] = (input){copy, whole};
    inputs.is_lost = inputs.is_lost || !copy;
    pthread_mutex_unlock(&inputs.lock);
}

void cli_inputs_watch(void)
{
    if (sac_ranks_count() > 1 && sac_ranks_launched())
        sac_bytes_listen(add);
}

/* By path; of one path that which was read as a whole first. */
static int by_path(const void *a, const void *b)
{
    const input *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : y->whole - x->whole;
}

static int by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "in.npz (7f3a…)", a line for each file: its folder may be another on another machine. */
static char *describe_inputs(void)
{
    char *text = NULL, **lines = calloc(inputs.count + 1, sizeof *lines);
    size_t size, count = 0;
    FILE *all = open_memstream(&text, &size);
    bool is_whole = lines && all && !inputs.is_lost;
    if (inputs.count)
        qsort(inputs.of, inputs.count, sizeof *inputs.of, by_path);
    for (size_t i = 0; is_whole && i < inputs.count && !cli_interrupted(); i++) {
        const input *in = &inputs.of[i];
        const char *slash = strrchr(in->path, '/');
        if (i && strcmp(inputs.of[i - 1].path, in->path) == 0)
            continue;
        is_whole = asprintf(&lines[count], "%s (%016" PRIx64 ")", slash ? slash + 1 : in->path,
                            sac_file_number(in->path, in->whole)) >= 0;
        count += is_whole;
    }
    if (count)
        qsort(lines, count, sizeof *lines, by_line);
    for (size_t i = 0; i < count; i++) {
        if (is_whole)
            fprintf(all, "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
    if (all && fclose(all) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

sac_status cli_inputs_agree(sac_status status, sac_error *error)
{
    status = sac_ranks_agree(status, error);
    if (status != SAC_OK || sac_ranks_count() == 1 || sac_ranks_device_of(0))
        return status;
    sac_bytes_listen(NULL);
    char *lines = describe_inputs();
    status = sac_ranks_agree(lines ? SAC_OK : sac_no_memory(error, "MPI"), error);
    if (status == SAC_OK)
        status = sac_ranks_compare(lines, "give all processes the same files", error);
    free(lines);
    for (size_t i = 0; i < inputs.count; i++)
        free(inputs.of[i].path);
    free(inputs.of);
    inputs.of = NULL;
    inputs.count = inputs.room = 0;
    return status;
}
