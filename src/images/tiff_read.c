/* TIFF in through libtiff, where its header was there when the program was built. The library is loaded when the first such
 * picture is opened. */
#include "images/image_read.h"

#include <string.h>

#include "base/error.h"

bool sac_tiff_is(const uint8_t *bytes, size_t size)
{
    static const char marks[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (size >= 8 && memcmp(bytes, marks[i], 4) == 0)
            return true;
    return false;
}

#ifdef SACCADE_TIFF

#include <dlfcn.h>
#include <pthread.h>
#include <tiffio.h>

#include "base/cancel.h"

/* The functions of libtiff that are used, under the names that they have there. */
#define FUNCTIONS(X)                                                                               \
    X(TIFFClientOpen)                                                                              \
    X(TIFFClose)                                                                                   \
    X(TIFFGetField)                                                                                \
    X(TIFFLastDirectory)                                                                           \
    X(TIFFReadRGBAImageOriented)                                                                   \
    X(TIFFRGBAImageOK)                                                                             \
    X(TIFFSetErrorHandler)                                                                         \
    X(TIFFSetWarningHandler)

#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
    bool loaded;
} tiff;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_libtiff(void)
{
    void *library = dlopen("libtiff.so.6", RTLD_NOW | RTLD_LOCAL);
    library = library ? library : dlopen("libtiff.so.5", RTLD_NOW | RTLD_LOCAL);
    tiff.loaded = library != NULL;
    if (!library)
        return;
#define FIND(name)                                                                                 \
    tiff.name = (__typeof__(name) *)dlsym(library, #name);                                         \
    tiff.loaded = tiff.loaded && tiff.name;
    FUNCTIONS(FIND)
    if (tiff.loaded) { /* which would print */
        tiff.TIFFSetErrorHandler(NULL);
        tiff.TIFFSetWarningHandler(NULL);
    }
}

/* The file in memory, as libtiff reads one. */
typedef struct memory {
    const uint8_t *bytes;
    size_t size, at;
} memory;

static tmsize_t read_memory(thandle_t self, void *out, tmsize_t wanted)
{
    memory *m = self;
    const size_t left = m->at < m->size ? m->size - m->at : 0;
    if (wanted < 0 || sac_cancel_asked())
        return -1;
    const size_t size = (size_t)wanted < left ? (size_t)wanted : left;
    memcpy(out, m->bytes + (left ? m->at : 0), size);
    m->at += size;
    return (tmsize_t)size;
}

static tmsize_t refuse_write(thandle_t self, void *out, tmsize_t size)
{
    (void)self, (void)out, (void)size;
    return -1;
}

static toff_t seek_memory(thandle_t self, toff_t to, int whence)
{
    memory *m = self;
    m->at = (size_t)to + (whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->size : 0);
    return m->at;
}

static int close_memory(thandle_t self)
{
    (void)self;
    return 0;
}

static toff_t memory_size(thandle_t self)
{
    return ((memory *)self)->size;
}

static sac_status decode(TIFF *file, size_t size, sac_image *image, sac_picture_facts *facts,
                         sac_error *error)
{
    enum {
        RATIO = 4096
    }; /* of a pixel to bits of the file: the strongest coding, of white pages */
    uint32_t width = 0, height = 0;
    char why[1024] = "";
    if (!tiff.TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width) ||
        !tiff.TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height) || !width || !height)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a damaged TIFF");
    sac_status status = sac_image_check_size(width, height, 3 * (size_t)width, error);
    if (status != SAC_OK)
        return status;
    if ((size_t)width * height / RATIO > size)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "promises %u x %u pixels, more than the file has", width, height);
    uint32_t tile[2] = {1, 1}; /* one is decoded at a time */
    tiff.TIFFGetField(file, TIFFTAG_TILEWIDTH, &tile[0]);
    tiff.TIFFGetField(file, TIFFTAG_TILELENGTH, &tile[1]);
    status = sac_image_check_size(tile[0], tile[1], 3 * (size_t)tile[0], error);
    if (status != SAC_OK)
        return status;
    if (!tiff.TIFFRGBAImageOK(file, why))
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to PNG",
                        "is a TIFF that cannot be decoded here: %.200s", why);
    status = sac_image_create((int)width, (int)height, image, error);
    if (status != SAC_OK)
        return status;
    memset(image->rgba, 0, 4 * (size_t)width * height);
    const bool whole = tiff.TIFFReadRGBAImageOriented(file, width, height, (uint32_t *)image->rgba,
                                                      ORIENTATION_TOPLEFT, 1);
    status = sac_cancel_check(NULL, error);
    if (status == SAC_OK && !whole)
        status =
            sac_fail(error, SAC_E_FORMAT, NULL, "get the file again", "is a cut or damaged TIFF");
    for (size_t i = 0; i < (size_t)width * height && status == SAC_OK; i++) {
        uint8_t *p =
            image->rgba + 4 * i; /* words of alpha, blue, green, red; colours times alpha */
        uint32_t value;
        memcpy(&value, p, 4);
        const unsigned alpha = TIFFGetA(value),
                       colour[] = {TIFFGetR(value), TIFFGetG(value), TIFFGetB(value)};
        for (int c = 0; c < 3; c++) {
            const unsigned straight = alpha ? (colour[c] * 255 + alpha / 2) / alpha : 0;
            p[c] = (uint8_t)(straight < 255 ? straight : 255);
        }
        p[3] = (uint8_t)alpha;
    }
    if (status == SAC_OK && !tiff.TIFFLastDirectory(file))
        facts->frames = 2;
    return status;
}

sac_status sac_tiff_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    memory m = {bytes, size, 0};
    pthread_once(&once, load_libtiff);
    if (!tiff.loaded)
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "install libtiff (Debian: libtiff6), or convert it to PNG",
                        "is a TIFF, and libtiff cannot be loaded");
    TIFF *file = tiff.TIFFClientOpen("TIFF", "rm", &m, read_memory, refuse_write, seek_memory,
                                     close_memory, memory_size, NULL, NULL);
    if (!file)
        return sac_fail(error, SAC_E_FORMAT, NULL, "get the file again",
                        "is a cut or damaged TIFF");
    const sac_status status = decode(file, size, image, facts, error);
    tiff.TIFFClose(file);
    return status;
}

#else

sac_status sac_tiff_decode(const uint8_t *bytes, size_t size, sac_image *image,
                           sac_picture_facts *facts, sac_error *error)
{
    (void)bytes, (void)size, (void)image, (void)facts;
    return sac_fail(error, SAC_E_FORMAT, NULL,
                    "install libtiff-dev and build again, or convert it to PNG",
                    "is a TIFF, which this build cannot read");
}

#endif
