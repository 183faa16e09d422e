/* A weight of a prepared attention, taken apart. */
#ifndef SAC_SOURCES_FILES_EXPLAIN_ROW_H
#define SAC_SOURCES_FILES_EXPLAIN_ROW_H

#include "sources/explanation.h"

/* `temperature` is what the attention's scale was divided by. Free the explanation. */
sac_status sac_explain_attention(sac_attention *attention, const sac_explanation_request *request,
                                 double temperature, sac_explanation *explanation,
                                 sac_error *error);
/* The same of the keys `kept` [count] alone, which ascend; NULL: of all. The request's position is
 * one of theirs, and keys that are left out have to be masked. */
sac_status sac_explain_kept(sac_attention *attention, const sac_explanation_request *request,
                            double temperature, const size_t *kept, size_t count,
                            sac_explanation *explanation, sac_error *error);

#endif
