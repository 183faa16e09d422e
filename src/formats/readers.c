/* The table of readers, and what asks it. */

#include "formats/readers.h"

#include <string.h>
#include <unistd.h>

#include "formats/arrays.h"
#include "formats/image_read.h"

static const sac_reader readers[] = {
    {"PNG", SAC_FILE_PICTURE, sac_png_is, .decode = sac_png_decode},
    {"JPEG", SAC_FILE_PICTURE, sac_jpeg_is, .decode = sac_jpeg_decode},
    {"WebP", SAC_FILE_PICTURE, sac_webp_is, .decode = sac_webp_decode},
    {"GIF", SAC_FILE_PICTURE, sac_gif_is, .decode = sac_gif_decode},
    {"AVIF or HEIC", SAC_FILE_PICTURE, sac_heif_is, .decode = sac_heif_decode},
    {".pt", SAC_FILE_ARRAYS, sac_torch_is, .open = sac_torch_open}, /* before .npz: a zip too */
    {".npz", SAC_FILE_ARRAYS, sac_npz_is, .open = sac_npz_open},
    {".npy", SAC_FILE_ARRAYS, sac_npy_is, .open = sac_npy_open},
    {".safetensors", SAC_FILE_ARRAYS, sac_safetensors_is, .open = sac_safetensors_open},
};
enum { READERS = sizeof readers / sizeof *readers };

const sac_reader *sac_reader_find(sac_file_kind kind, const uint8_t *bytes, size_t size)
{
    for (const sac_reader *reader = readers; reader < readers + READERS; reader++)
        if (reader->kind == kind && reader->is(bytes, size))
            return reader;
    return NULL;
}

char *sac_reader_names(sac_file_kind kind, const char *last, char *text, size_t size)
{
    size_t used = 0;
    int left = 0;
    for (int i = 0; i < READERS; i++)
        left += readers[i].kind == kind;
    text[0] = '\0';
    for (int i = 0, done = 0; i < READERS; i++) {
        if (readers[i].kind != kind || used >= size)
            continue;
        const char *between = done == 0 ? "" : done + 1 == left ? last : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, readers[i].name);
        done++;
    }
    return text;
}

sac_file_kind sac_file_kind_of(const char *path)
{
    uint8_t start[SAC_READER_START];
    size_t size;
    int file;
    if (!sac_is_regular(path) || sac_open_regular(path, &file, &size, NULL) != SAC_OK)
        return SAC_FILE_UNREAD;
    ssize_t got = read(file, start, sizeof start);
    close(file);
    if (got <= 0)
        return SAC_FILE_UNREAD;
    for (sac_file_kind kind = SAC_FILE_PICTURE; kind <= SAC_FILE_ARRAYS; kind++)
        if (sac_reader_find(kind, start, (size_t)got))
            return kind;
    return SAC_FILE_OTHER;
}
