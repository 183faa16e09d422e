/* AVIF and HEIC in through libheif, where its header was there when the program was built. The
 * library is loaded when the first such picture is opened: it brings five video codecs along, which
 * would take 5 ms of every start. */
#include "images/image_read.h"

#include <string.h>

#include "base/error.h"

/* ISO base media files name their brand, and those that they are compatible with, in their first
 * box. */
bool sac_heif_is(const uint8_t *bytes, size_t size)
{
    static const char brands[][5] = {"avif", "avis", "heic", "heix", "hevc",
                                     "hevx", "heim", "heis", "mif1", "msf1"};
    if (size < 12 || memcmp(bytes + 4, "ftyp", 4) != 0)
        return false;
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
        if (memcmp(bytes + 8, brands[i], 4) == 0)
            return true;
    return false;
}

#ifdef SACCADE_HEIF

#include <dlfcn.h>
#include <libheif/heif.h>
#include <pthread.h>

#include "base/cancel.h"

/* The functions of libheif that are used, under the names that they have there. */
#define FUNCTIONS(X)                                                                               \
    X(heif_context_alloc)                                                                          \
    X(heif_context_free)                                                                           \
    X(heif_context_read_from_memory_without_copy)                                                  \
    X(heif_context_get_primary_image_handle)                                                       \
    X(heif_context_get_number_of_top_level_images)                                                 \
    X(heif_image_handle_get_width)                                                                 \
    X(heif_image_handle_get_height)                                                                \
    X(heif_image_handle_release)                                                                   \
    X(heif_decode_image)                                                                           \
    X(heif_image_get_plane_readonly)                                                               \
    X(heif_image_get_width)                                                                        \
    X(heif_image_get_height)                                                                       \
    X(heif_image_release)

#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
    bool loaded;
} heif;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_libheif(void)
{
    void *library = dlopen("libheif.so.1", RTLD_NOW | RTLD_LOCAL);
    heif.loaded = library != NULL;
    if (!library)
        return;
#define FIND(name)                                                                                 \
    heif.name = (__typeof__(name) *)dlsym(library, #name);                                         \
    heif.loaded = heif.loaded && heif.name;
    FUNCTIONS(FIND)
}

static sac_status fail_heif_decoding(struct heif_error why, sac_error *error)
{
    if (why.code == heif_error_Memory_allocation_error)
        return sac_no_memory(error, "AVIF and HEIC decoder");
    if (why.code == heif_error_Unsupported_filetype || why.code == heif_error_Unsupported_feature)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "install libheif's decoders (libheif-plugin-libde265 for HEIC, "
                        "libheif-plugin-dav1d for AVIF), or convert it to PNG",
                        "is an AVIF or HEIC that cannot be decoded here: %s", why.message);
    return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                    "is a damaged AVIF or HEIC: %s", why.message);
}

static sac_status copy_pixels(const struct heif_image *decoded, sac_image *image, sac_error *error)
{
    int stride = 0;
    const uint8_t *rgba =
        heif.heif_image_get_plane_readonly(decoded, heif_channel_interleaved, &stride);
    int width = heif.heif_image_get_width(decoded, heif_channel_interleaved);
    int height = heif.heif_image_get_height(decoded, heif_channel_interleaved);
    if (!rgba || width <= 0 || height <= 0)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is a damaged AVIF or HEIC: it holds no pixels");
    sac_status status =
        sac_image_check_size((size_t)width, (size_t)height, 3 * (size_t)width, error);
    if (status == SAC_OK)
        status = sac_image_create(width, height, image, error);
    for (int y = 0; status == SAC_OK && y < height; y++) {
        memcpy(image->rgba + (size_t)y * (size_t)width * 4, rgba + (size_t)y * (size_t)stride,
               (size_t)width * 4);
        status = sac_cancel_check(NULL, error);
    }
    return status;
}

/* libheif turns and mirrors as the file asks; the orientation in its EXIF block is the same, and is
 * not applied again. */
sac_status sac_heif_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    pthread_once(&once, load_libheif);
    if (!heif.loaded)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "install libheif (Debian: libheif1), or convert it to PNG",
                        "is an AVIF or HEIC, and libheif cannot be loaded");
    struct heif_context *context = heif.heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *decoded = NULL;
    sac_status status = SAC_OK;
    if (!context)
        return sac_no_memory(error, "AVIF and HEIC decoder");
    struct heif_error why =
        heif.heif_context_read_from_memory_without_copy(context, bytes, size, NULL);
    if (why.code == heif_error_Ok)
        why = heif.heif_context_get_primary_image_handle(context, &handle);
    if (why.code == heif_error_Ok) {
        size_t width = (size_t)heif.heif_image_handle_get_width(handle);
        status = sac_image_check_size(width, (size_t)heif.heif_image_handle_get_height(handle),
                                      3 * width, error);
        if (status == SAC_OK)
            status = sac_cancel_check(NULL, error);
    }
    if (status == SAC_OK && why.code == heif_error_Ok)
        why = heif.heif_decode_image(handle, &decoded, heif_colorspace_RGB,
                                     heif_chroma_interleaved_RGBA, NULL);
    if (status == SAC_OK)
        status = why.code == heif_error_Ok ? copy_pixels(decoded, image, error)
                                           : fail_heif_decoding(why, error);
    facts->frames = heif.heif_context_get_number_of_top_level_images(context);
    if (decoded)
        heif.heif_image_release(decoded);
    if (handle)
        heif.heif_image_handle_release(handle);
    heif.heif_context_free(context);
    return status;
}

#else

sac_status sac_heif_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    (void)bytes, (void)size, (void)image, (void)facts;
    return sac_fail(error, SAC_E_FORMAT, NULL,
                    "install libheif-dev and build again, or convert it to PNG",
                    "is an AVIF or HEIC, which this build cannot read");
}

#endif
