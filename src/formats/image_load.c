/* The choice of a picture's decoder, by the file's first bytes. */
#include "base/error.h"
#include "base/notice.h"
#include "formats/bytes.h"
#include "formats/foreign.h"
#include "formats/image.h"
#include "formats/image_read.h"
#include "formats/readers.h"

static sac_status decode(const uint8_t *bytes, size_t size, sac_image *image,
                         sac_picture_facts *facts, sac_error *error)
{
    char names[96];
    const sac_reader *reader = sac_reader_find(SAC_FILE_PICTURE, bytes, size);
    *image = (sac_image){0};
    *facts = (sac_picture_facts){.orientation = 1, .frames = 1};
    sac_status status = reader ? reader->decode(bytes, size, image, facts, error)
                               : sac_foreign_check(bytes, size, error);
    if (!reader && status == SAC_OK)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to one of these",
                        "is not a picture that is read here (%s)",
                        sac_reader_names(SAC_FILE_PICTURE, ", ", names, sizeof names));
    if (status == SAC_OK)
        status = sac_image_orient(image, facts->orientation, error);
    if (status != SAC_OK)
        sac_image_free(image);
    return status;
}

sac_status sac_image_from_bytes(const uint8_t *bytes, size_t size, sac_image *image,
                                sac_error *error)
{
    sac_picture_facts facts;
    return decode(bytes, size, image, &facts, error);
}

sac_status sac_image_load(const char *path, sac_image *image, sac_error *error)
{
    sac_picture_facts facts;
    sac_bytes file;
    *image = (sac_image){0};
    sac_status status = sac_bytes_read(path, &file, error);
    if (status != SAC_OK)
        return status;
    status = decode(file.data, file.size, image, &facts, error);
    if (status == SAC_OK && facts.frames > 1)
        sac_notice("%s: holds several pictures, of which the first is taken", path);
    sac_error_within(error, status, path);
    sac_bytes_free(&file);
    return status;
}
