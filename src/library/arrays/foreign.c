/* The table of foreign kinds of file. */
#include "arrays/foreign.h"

#include <ctype.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/error.h"

typedef struct foreign_kind {
    const char *what, *todo;
    size_t at; /* where in the file its mark stands */
    const char *mark;
    size_t length; /* of the mark; 0: it is text, whose capitals do not matter */
} foreign_kind;

static const char as_png[] = "convert it to PNG, JPEG or WebP";
static const char as_arrays[] = "save its arrays with numpy.savez or safetensors";
static const char unpack[] = "unpack it";
static const char one_frame[] = "save a picture out of it as PNG";

/* Longer marks stand before those that they begin with. */
static const foreign_kind kinds[] = {
    {"is a Git LFS pointer, not the file itself", "fetch the file: git lfs pull", 0,
     "version https://git-lfs", 0},
    {"is a web page (HTML), not the file itself", "download the file, not the page about it", 0,
     "<!doctype html", 0},
    {"is a web page (HTML), not the file itself", "download the file, not the page about it", 0,
     "<html", 0},
    {"is an SVG drawing", "save it as PNG", 0, "<svg", 0},
    {"is an XML text, perhaps an SVG drawing", "save a drawing as PNG", 0, "<?xml", 0},
    {"is a PDF", "save its picture as PNG", 0, "%PDF-", 5},
    {"is a TIFF picture", as_png, 0, "II*\0", 4},
    {"is a TIFF picture", as_png, 0, "MM\0*", 4},
    {"is a BigTIFF picture", as_png, 0, "II+\0", 4},
    {"is a JPEG XL picture", as_png, 0, "\0\0\0\x0cJXL ", 8},
    {"is a JPEG XL picture", as_png, 0, "\xff\x0a", 2},
    {"is a JPEG 2000 picture", as_png, 0, "\0\0\0\x0cjP  ", 8},
    {"is a Photoshop picture", as_png, 0, "8BPS", 4},
    {"is an OpenEXR picture", as_png, 0, "v/1\x01", 4},
    {"is a QOI picture", as_png, 0, "qoif", 4},
    {"is a Windows icon", as_png, 0, "\0\0\1\0", 4},
    {"is a GGUF model, which holds no attention",
     "open it with a text: saccade view FILE --text TEXT", 0, "GGUF", 4},
    {"is an HDF5 file", as_arrays, 0, "\x89HDF\r\n\x1a\n", 8},
    {"is a MATLAB file", as_arrays, 0, "MATLAB 5.0", 10},
    {"is a Parquet table", as_arrays, 0, "PAR1", 4},
    {"is an Arrow file", as_arrays, 0, "ARROW1", 6},
    {"is an SQLite database", as_arrays, 0, "SQLite format 3", 15},
    {"is a video", one_frame, 4, "ftyp", 4},
    {"is a video", one_frame, 0, "\x1a\x45\xdf\xa3", 4},
    {"is a video", one_frame, 8, "AVI ", 4},
    {"is a sound", "convert it to WAV", 0, "OggS", 4},
    {"is a sound", "convert it to WAV", 0, "fLaC", 4},
    {"is a sound", "convert it to WAV", 0, "ID3", 3},
    {"is packed by gzip", unpack, 0, "\x1f\x8b", 2},
    {"is packed by bzip2", unpack, 0, "BZh", 3},
    {"is packed by xz", unpack, 0,
     "\xfd"
     "7zXZ",
     5},
    {"is packed by zstd", unpack, 0, "\x28\xb5\x2f\xfd", 4},
    {"is a 7-Zip archive", unpack, 0, "7z\xbc\xaf", 4},
    {"is a RAR archive", unpack, 0, "Rar!", 4},
    {"is a tar archive", unpack, 257, "ustar", 5},
    {"is a program", "give a picture or arrays", 0,
     "\x7f"
     "ELF",
     4},
    {"is a BMP picture", as_png, 0, "BM", 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds, START = 512 };

/* Text may begin with a byte order mark and blanks. */
static bool begins_with_text(const uint8_t *bytes, size_t size, const char *mark)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && isspace(bytes[at]))
        at++;
    for (; *mark; mark++, at++)
        if (at >= size || tolower(bytes[at]) != *mark)
            return false;
    return true;
}

/* A graph of ONNX has no mark: its first field is the version of the format, a small number, its
 * second the name of the program that wrote it. */
static bool is_onnx(const uint8_t *bytes, size_t size)
{
    return size > 5 && bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 20 && bytes[2] == 0x12 &&
           bytes[3] > 0 && isalpha(bytes[4]);
}

sac_status sac_foreign_check(const uint8_t *bytes, size_t size, sac_error *error)
{
    for (const foreign_kind *kind = kinds; kind < kinds + KINDS; kind++) {
        bool is = kind->length ? kind->at + kind->length <= size &&
                                     memcmp(bytes + kind->at, kind->mark, kind->length) == 0
                               : begins_with_text(bytes, size, kind->mark);
        if (is)
            return sac_fail(error, SAC_E_FORMAT, NULL, kind->todo, "%s", kind->what);
    }
    if (is_onnx(bytes, size))
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give the folder of the same model with config.json and safetensors",
                        "is an ONNX model");
    return SAC_OK;
}

sac_status sac_foreign_check_file(const char *path, sac_error *error)
{
    uint8_t start[START];
    size_t size = sac_file_start(path, start, sizeof start);
    return sac_error_within(error, sac_foreign_check(start, size, error), path);
}
