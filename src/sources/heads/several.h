/* Several places as a person writes them: "3,5-8". */
#ifndef SAC_SOURCES_SEVERAL_H
#define SAC_SOURCES_SEVERAL_H

#include "saccade.h"

/* Marks them in `chosen` [count], all others are 0; an empty text marks none. SAC_E_ARGUMENT, and nothing
 * is written, where it is something else, or names what is not there. */
sac_status sac_several_read(const char *text, size_t count, uint8_t *chosen, sac_error *error);
/* The same text of those that are marked; into `text`, which is returned. */
char *sac_several_text(const uint8_t *chosen, size_t count, char *text, size_t size);

#endif
