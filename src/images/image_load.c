/* The choice of a picture's decoder, by the file's first bytes. */
#include "arrays/bytes.h"
#include "arrays/foreign.h"
#include "base/error.h"
#include "base/notice.h"
#include "images/image.h"
#include "images/image_read.h"
#include "sounds/sound.h"

typedef struct reader {
    bool (*is)(const uint8_t *bytes, size_t size);
    sac_status (*decode)(const uint8_t *bytes, size_t size, sac_image *image,
                         sac_picture_facts *facts, sac_error *error);
} reader;

static const reader readers[] = {
    {sac_png_is, sac_png_decode}, {sac_jpeg_is, sac_jpeg_decode}, {sac_webp_is, sac_webp_decode},
    {sac_gif_is, sac_gif_decode}, {sac_heif_is, sac_heif_decode}, {sac_pnm_is, sac_pnm_decode},
    {sac_bmp_is, sac_bmp_decode}, {sac_tiff_is, sac_tiff_decode}, {sac_sound_is, sac_sound_decode}};

static const reader *find_reader(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].is(bytes, size))
            return &readers[i];
    return NULL;
}

bool sac_image_is(const uint8_t *bytes, size_t size)
{
    return find_reader(bytes, size) != NULL;
}

static sac_status decode(const uint8_t *bytes, size_t size, sac_image *image,
                         sac_picture_facts *facts, sac_error *error)
{
    const reader *known = find_reader(bytes, size);
    *image = (sac_image){0};
    *facts = (sac_picture_facts){.orientation = 1, .frames = 1};
    sac_status status = known ? known->decode(bytes, size, image, facts, error)
                              : sac_foreign_check(bytes, size, error);
    if (!known && status == SAC_OK)
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to one of these",
                        "is not a picture that is read here (" SAC_IMAGE_FORMATS ")");
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
    if (status == SAC_OK && facts.trouble && facts.share < 1)
        sac_notice(
            "%s: %s, and is shown as far as it goes, about %.0f %% of it; get the file again", path,
            facts.trouble, 100 * facts.share);
    else if (status == SAC_OK && facts.trouble)
        sac_notice("%s: %s, and is shown as far as it goes, with fewer details; get the file again",
                   path, facts.trouble);
    sac_error_within(error, status, path);
    sac_bytes_free(&file);
    return status;
}
