#include "fuzz_folder.h"
#include "fuzz_tokens.h"

/* A vocabulary of lines; or where it begins with a brace, up to its first NUL vocab.json, and after
 * it merges.txt. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"vocab.txt", "vocab.json", "merges.txt", NULL};
    bool is_json = size > 0 && data[0] == '{';
    const uint8_t *end = is_json ? memchr(data, '\0', size) : NULL;
    size_t first = end ? (size_t)(end - data) : size;
    sac_tokenizer *t;
    sac_error error = {0};
    fuzz_open_folder(names);
    for (int i = 0; names[i]; i++)
        unlink(fuzz_path(names[i]));
    fuzz_write(is_json ? "vocab.json" : "vocab.txt", data, first);
    if (is_json)
        fuzz_write("merges.txt", data + first + (end != NULL), size - first - (end != NULL));
    sac_status status = sac_tokenizer_open(fuzz_folder, &t, &error);
    return fuzz_opened(t, status, &error);
}
