#include "fuzz.h"

/* Files of torch.save. Their pickles are read in full before 1.6 wrote them in a zip, of which a
 * fuzzer seldom gets the checksums right: the corpus has both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_arrays(data, size);
}
