/* Templates of chats: what transformers renders by Jinja. All that such templates use is here: if, for, set,
 * expressions, filters and tests; a template that has more is refused by the name of it. Nothing of a template
 * reaches files or memory, and how long it works is bounded. */
#ifndef SAC_TOKENIZERS_TEMPLATE_H
#define SAC_TOKENIZERS_TEMPLATE_H

#include "saccade.h"

struct cJSON;

/* The text that the template makes of the members of the object `variables`: free() it. SAC_E_FORMAT where the template
 * is malformed, has what is not known here, or refuses the variables (its raise_exception). */
sac_status sac_template_render(const char *source, const struct cJSON *variables, char **text,
                               sac_error *error);

#endif
