/* A tokenizer from the files of a folder. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "formats/bytes.h"
#include "tokenizers/inside.h"

sac_status sac_tokenizer_open(const char *folder, sac_tokenizer **tokenizer, sac_error *error)
{
    char path[4096], source[4096];
    sac_tokenizer *t = calloc(1, sizeof *t);
    *tokenizer = NULL;
    if (!t)
        return sac_fail(error, SAC_E_MEMORY, folder, NULL, "no memory for its tokenizer");
    t->unknown = -1;
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    snprintf(source, sizeof source, "%s/source.spm", folder);
    sac_status status = sac_is_regular(source) ? sac_tokenizer_read_marian(t, folder, error)
                        : sac_is_regular(path) ? sac_tokenizer_read_json(t, path, error)
                                               : sac_tokenizer_read_lists(t, folder, error);
    if (status == SAC_OK)
        *tokenizer = t;
    else
        sac_tokenizer_destroy(t);
    return status;
}
