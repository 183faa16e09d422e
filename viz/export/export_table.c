/* Writes a view's numbers as a file. */

#include "base/output.h"
#include "export/export.h"

sac_status viz_export_table(viz_shell *shell, viz_table_kind kind, const viz_export_size *size,
                            const char *path, const sac_progress *progress, sac_error *error)
{
    viz_view *view = viz_shell_tab(shell);
    viz_table table;
    sac_output output = {0};
    sac_status status = viz_export_settle(shell, size, error);
    if (status == SAC_OK)
        status = viz_table_find(view, &table, error);
    if (status == SAC_OK)
        status = sac_output_open(&output, path, error);
    if (status == SAC_OK)
        status = viz_table_write(view, &table, 0, table.rows, kind, output.file, progress, error);
    if (status == SAC_OK)
        status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
