/* The choice of a picture's decoder, by the file's first bytes. */
#include "base/error.h"
#include "formats/bytes.h"
#include "formats/image.h"
#include "formats/image_read.h"
#include "formats/readers.h"

sac_status sac_image_from_bytes(const uint8_t *bytes, size_t size, sac_image *image,
                                sac_error *error)
{
    *image = (sac_image){0};
    int orientation = 1;
    char names[64];
    const sac_reader *reader = sac_reader_find(SAC_FILE_PICTURE, bytes, size);
    if (!reader)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to one of these", "is neither a %s",
                        sac_reader_names(SAC_FILE_PICTURE, " nor a ", names, sizeof names));
    sac_status status = reader->decode(bytes, size, image, &orientation, error);
    if (status == SAC_OK)
        status = sac_image_orient(image, orientation, error);
    if (status != SAC_OK)
        sac_image_free(image);
    return status;
}

sac_status sac_image_load(const char *path, sac_image *image, sac_error *error)
{
    *image = (sac_image){0};
    sac_bytes file;
    sac_status status = sac_bytes_read(path, &file, error);
    if (status != SAC_OK)
        return status;
    status = sac_image_from_bytes(file.data, file.size, image, error);
    sac_error_within(error, status, path);
    sac_bytes_free(&file);
    return status;
}
