#include "fuzz.h"

#include "images/image_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_image image;
    sac_error error = {0};
    sac_status status = sac_image_from_bytes(data, size, &image, &error);
    if (status != SAC_OK && image.rgba)
        abort();
    if (status != SAC_OK)
        fuzz_refused(status, &error);
    else
        fuzz_touch(image.rgba, (size_t)image.width * (size_t)image.height * 4);
    sac_image_free(&image);
    return 0;
}
