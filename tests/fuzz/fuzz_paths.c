#include "fuzz.h"

#include "shell/chooser/listing.h"

static void hold(bool promise)
{
    if (!promise)
        abort();
}

/* What a person types in a folder of strange names: lines, of which the first is typed and the others are the names. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 16 };
    char *lines = calloc(size + 1, 1), *names[MOST] = {NULL}, path[VIZ_PATH_SIZE],
         rest[VIZ_PATH_SIZE];
    viz_entry entries[MOST] = {0};
    viz_listing listing = {.entries = entries, .read = true};
    bool whole;
    if (size)
        memcpy(lines, data, size);
    char *typed = lines, *end = strchr(lines, '\n');
    while (end && listing.count < MOST) {
        *end = '\0';
        size_t i = listing.count++;
        entries[i].name = names[i] = end + 1;
        end = strchr(end + 1, '\n');
        if (end)
            entries[i].is_folder = end[-1] == '/';
    }
    if (end)
        *end = '\0';

    if (!viz_path_read("/base", typed, path)) {
        hold(path[0] == '/' || typed[0] == '~');
        hold(strlen(path) < sizeof path);
        fuzz_touch(viz_path_leaf(path), strlen(viz_path_leaf(path)));
    }
    if (viz_listing_complete(&listing, typed, rest, &whole)) {
        char made[2 * VIZ_PATH_SIZE];
        bool found = false;
        snprintf(made, sizeof made, "%.*s%s", whole ? 0 : VIZ_PATH_SIZE - 1, typed, rest);
        size_t length = strlen(made);
        length -= length > 0 && made[length - 1] == '/';
        for (size_t i = 0; i < listing.count; i++)
            found = found || strncmp(names[i], made, length) == 0;
        hold(found || length >= VIZ_PATH_SIZE - 1);
    }
    free(lines);
    return 0;
}
