#include "cli/arrays_file.h"

#include <stdarg.h>
#include <stdio.h>

void cli_arrays_file_add(cli_arrays_file *file, sac_array array, const char *name, ...)
{
    size_t i = file->count++;
    va_list values;
    va_start(values, name);
    vsnprintf(file->names[i], sizeof file->names[i], name, values);
    va_end(values);
    file->array[i] = array;
    file->named[i] = (sac_named_array){file->names[i], &file->array[i]};
}
