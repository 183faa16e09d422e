#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arrays/labels.h"
#include "base/text/utf8.h"

static void check(sac_label_lists *lists)
{
    for (size_t l = 0; l < lists->count; l++) {
        sac_labels *labels = &lists->list[l];
        if (sac_labels_make_readable(labels, labels->count % 2 == 0, NULL) != SAC_OK)
            abort();
        for (size_t i = 0; i < labels->count; i++)
            if (!sac_utf8_valid(labels->text[i], strlen(labels->text[i])))
                abort();
    }
    sac_label_lists_free(lists);
}

/* The bytes as a file of labels in memory, whose pieces of tokens are merged into readable text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    sac_label_lists rows, columns;
    sac_error error = {0};
    int file = memfd_create("labels", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sac_status status = sac_labels_load(path, &rows, &columns, &error);
    if (status != SAC_OK) {
        fuzz_refused(status, &error);
    } else {
        check(&rows);
        check(&columns);
    }
    close(file);
    return 0;
}
