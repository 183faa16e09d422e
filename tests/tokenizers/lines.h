/* Files of lines and of the tokens that the reference gives them. */
#ifndef TESTS_TOKENIZERS_LINES_H
#define TESTS_TOKENIZERS_LINES_H

#include <cjson/cJSON.h>

#include "arrays/bytes.h"
#include "scratch.h"
#include "status.h"
#include "tokenizers/tokenizer.h"

static inline cJSON *read_json(const char *path)
{
    sac_bytes bytes;
    if (sac_bytes_read(path, &bytes, NULL) != SAC_OK)
        fail_msg("%s is not there", path);
    cJSON *json = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    sac_bytes_free(&bytes);
    assert_non_null(json);
    return json;
}

/* Fails unless `line` gives `ids`; `name`: the tokenizer's. */
static inline void compare_line(const sac_tokenizer *t, const char *name, const char *line,
                                const cJSON *ids)
{
    sac_tokens tokens = {0};
    const cJSON *id;
    size_t i = 0;
    OK(sac_tokenizer_encode(t, line, true, &tokens, NULL));
    cJSON_ArrayForEach(id, ids)
    {
        if (i >= tokens.count || tokens.ids[i] != id->valueint)
            fail_msg("%s: token %zu of “%s” is not %d", name, i, line, id->valueint);
        i++;
    }
    if (i != tokens.count)
        fail_msg("%s: “%s” has %zu tokens, not %zu", name, line, tokens.count, i);
    sac_tokens_free(&tokens);
}

#endif
