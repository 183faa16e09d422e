/* What a drawing lacked. */
#include "canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static _Thread_local int failure; /* errno; 0: none */

void viz_drawing_begin(void)
{
    failure = 0;
}

void viz_drawing_report_failure(int code)
{
    failure = code;
}

void *viz_allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        viz_drawing_lacks_memory();
    return memory;
}

sac_status viz_drawing_check(sac_error *error)
{
    if (!failure)
        return SAC_OK;
    return sac_fail(error, failure == ENOMEM ? SAC_E_MEMORY : SAC_E_FILE, "picture",
                    failure == ENOMEM ? "close other programs or give a smaller size" : NULL,
                    "cannot be drawn whole: %s", strerror(failure));
}
