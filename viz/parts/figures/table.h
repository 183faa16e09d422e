/* The numbers that a view shows, as text: a name for each row and column, tabs or commas between.
 * It goes into files and onto the clipboard. Names are one line without control characters, as
 * base/text/printable.h has them; one that a spreadsheet would run as a formula, for it begins with =,
 * +,
 * - or @ and is no number, begins with a ' instead. */
#ifndef VIZ_PARTS_TABLE_H
#define VIZ_PARTS_TABLE_H

#include "view/view.h"

typedef enum viz_table_kind {
    VIZ_TSV = 0, /* tabs between */
    VIZ_CSV      /* commas between, names quoted where they need it (RFC 4180) */
} viz_table_kind;

/* The view's table; SAC_E_ARGUMENT where the view has none now. */
sac_status viz_table_find(const viz_view *view, viz_table *table, sac_error *error);
/* The title and the columns' names, then the rows from `row` on, each with its name. Numbers have
 * the digits that give the same float32 again. Asks the source: only while no job of it is out.
 * `progress` may be NULL. */
sac_status viz_table_write(viz_view *view, const viz_table *table, size_t row, size_t rows,
                           viz_table_kind kind, FILE *file, const sac_progress *progress,
                           sac_error *error);

#endif
