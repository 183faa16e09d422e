#include "fuzz.h"

#include "shapes/truth.h"

/* A truth is taken whole, so that a viewer may index by it, or refused with a reason. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_truth truth;
    sac_error error = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    sac_status status = sac_truth_parse(text, "fuzz", &truth, &error);
    free(text);
    if (status != SAC_OK && (truth.words || error.status != status || !error.what[0]))
        abort();
    if (status == SAC_OK && truth.words < 1)
        abort();
    for (int i = 0; i < truth.words; i++)
        if (!truth.word[i][0] || truth.object_of_word[i] < -1 ||
            truth.object_of_word[i] >= truth.count)
            abort();
    fuzz_touch(truth.boxes, sizeof truth.boxes);
    return 0;
}
