#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/labels.h"
#include "formats/utf8.h"

static void check(const sac_labels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        if (!sac_utf8_valid(labels->text[i], strlen(labels->text[i])))
            abort();
}

/* The bytes as a file of labels in memory, whose pieces of tokens are merged into readable text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    sac_labels rows, columns;
    sac_error error = {0};
    int file = memfd_create("labels", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sac_status status = sac_labels_load(path, &rows, &columns, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
    } else if (sac_labels_make_readable(&rows, &error) != SAC_OK ||
               sac_labels_make_readable(&columns, &error) != SAC_OK) {
        abort();
    } else {
        check(&rows);
        check(&columns);
    }
    sac_labels_free(&rows);
    sac_labels_free(&columns);
    close(file);
    return 0;
}
