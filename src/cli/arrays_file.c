#include "cli/arrays_file.h"
#include "saccade_arrays.h"

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

void cli_arrays_file_add_labels(cli_arrays_file *file, const char *of, size_t rows,
                                const void *row_labels, size_t columns, const void *column_labels)
{
    const char *joint = of[0] ? "_" : "";
    cli_arrays_file_add(file, sac_array_view(SAC_TEXT, 1, &rows, row_labels), "%s%srow_labels", of,
                        joint);
    cli_arrays_file_add(file, sac_array_view(SAC_TEXT, 1, &columns, column_labels),
                        "%s%scolumn_labels", of, joint);
}

void cli_arrays_file_add_kind(cli_arrays_file *file, const sac_attention_kind *k)
{
    const size_t shape[] = {k->layers, k->heads, k->steps, k->positions};
    const size_t of_items[] = {k->layers, k->items, k->heads, k->steps, k->positions};
    const size_t cells[] = {k->layers, k->items, k->steps};
    cli_arrays_file_add(file,
                        k->items ? sac_array_view(SAC_F32, 5, of_items, k->weights)
                                 : sac_array_view(SAC_F32, 4, shape, k->weights),
                        "%s", k->name);
    if (k->cells)
        cli_arrays_file_add(file, sac_array_view(SAC_I32, 3, cells, k->cells), "%s_cells", k->name);
    if (k->step_labels.count == k->steps && k->position_labels.count == k->positions)
        cli_arrays_file_add_labels(file, k->name, k->steps, k->step_labels.text, k->positions,
                                   k->position_labels.text);
    if (k->alignment)
        cli_arrays_file_add(file, sac_array_view(SAC_F32, 2, shape, k->alignment), "%s_alignment",
                            k->name);
}

void cli_arrays_file_add_attentions(cli_arrays_file *file, const sac_attentions *attentions)
{
    for (int k = 0; k < SAC_ATTENTION_KINDS; k++)
        if (attentions->kind[k].weights)
            cli_arrays_file_add_kind(file, &attentions->kind[k]);
    for (size_t i = 0; i < attentions->parts; i++)
        cli_arrays_file_add_kind(file, &attentions->part[i]);
}
