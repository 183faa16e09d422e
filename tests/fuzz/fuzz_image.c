/* Pictures of any kind, and the texts of PNGs. */
#include "fuzz.h"

#include <zlib.h>

#include "images/image_read.h"
#include "images/png_write.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

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
    sac_png_texts texts = {0};
    if (sac_png_is(data, size) && sac_png_texts_from_bytes(data, size, &texts, &error) != SAC_OK &&
        texts.at)
        abort();
    for (size_t i = 0; i < texts.count; i++) {
        fuzz_touch(texts.at[i].key, strlen(texts.at[i].key));
        fuzz_touch(texts.at[i].value, strlen(texts.at[i].value));
    }
    sac_png_texts_free(&texts);
    return 0;
}

#ifdef __clang__
static uint32_t get_u32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

/* Sets every CRC of a PNG right after a mutation; almost nothing would get past libpng otherwise.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, room);
    if (seed % 16 == 0 || !sac_png_is(data, size)) /* now and then a wrong CRC stays */
        return size;
    for (size_t at = 8; at + 12 <= size;) {
        size_t length = get_u32(data + at);
        if (length > size - at - 12)
            break;
        uint32_t crc = (uint32_t)crc32(0, data + at + 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++)
            data[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += 12 + length;
    }
    return size;
}
#endif
