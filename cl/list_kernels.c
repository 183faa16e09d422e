/* list_kernels FOLDER: writes every kernel source there, as it travels inside the program, and
 * prints a line "SOURCE OPTIONS" for each of its specialisations. Fails where a source has none. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "attention/variants.h"
#include "device/sources.h"

static bool write_source(const char *folder, const sac_kernel_source *source)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.cl", folder, source->name);
    FILE *file = fopen(path, "w");
    bool written = file && fputs(source->text, file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* Prints the specialisations of one source, and says how many there are. */
static size_t print_specialisations(const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < sac_specialisation_count(); i++) {
        const char *source;
        char options[1024];
        sac_specialisation_get(i, &source, options, sizeof options);
        if (strcmp(source, name) != 0)
            continue;
        printf("%s%s%s\n", name, options[0] ? " " : "", options);
        found++;
    }
    return found;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc != 2)
        return 2;
    for (const sac_kernel_source *source = sac_kernel_sources; source->name; source++) {
        if (!write_source(argv[1], source)) {
            fprintf(stderr, "cannot write %s.cl to %s\n", source->name, argv[1]);
            status = 1;
        }
        if (print_specialisations(source->name) == 0) {
            fprintf(stderr, "%s.cl: no specialisation is listed in src/attention/variants.c\n",
                    source->name);
            status = 1;
        }
    }
    return status;
}
