/* Writes pictures of extreme shape into a folder: files of up to a megabyte whose pixels, if a
 * reader went over a whole row too often or took memory for each pixel of one, would take minutes
 * and gigabytes. Some are at the limits of what is read, others beyond. */
#include "blank_png.h"

#include <sys/stat.h>

static const struct {
    const char *name;
    size_t width, height;
    bool interlaced;
} shapes[] = {
    {"wide20", 1 << 20, 1, false},          {"wide24", 1 << 24, 1, false},
    {"tall24", 1, 1 << 24, false},          {"wide28", 1 << 28, 1, false},
    {"tall28", 1, 1 << 28, false},          {"wide_at_limit", 1 << 20, 128, false},
    {"tall_at_limit", 128, 1 << 20, false}, {"interlaced_at_limit", 128, 1 << 20, true},
    {"large_at_limit", 8192, 16384, false},
};

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 2)
        return 2;
    mkdir(argv[1], 0777);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], shapes[i].name);
        if (!blank_png(path, shapes[i].width, shapes[i].height, shapes[i].interlaced)) {
            fprintf(stderr, "%s: cannot be written\n", path);
            return 1;
        }
    }
    return 0;
}
