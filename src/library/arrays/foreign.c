/* The table of foreign kinds of file. */
#include "arrays/foreign.h"

#include <ctype.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/error.h"

typedef struct foreign_kind {
    const char *what, *remedy;
    size_t at; /* where in the file its mark stands */
    const char *mark;
    size_t length; /* of the mark; 0: it is text, whose capitals do not matter */
} foreign_kind;

static const char as_png[] = "convert it to PNG, JPEG or WebP";
static const char as_arrays[] = "save its arrays with numpy.savez or safetensors";
static const char unpack[] = "unpack it";
static const char one_frame[] =
    "save a picture of it as PNG, or its sound: ffmpeg -i FILE sound.wav";
static const char as_wav[] = "convert it: ffmpeg -i FILE sound.wav";

/* Longer marks stand before those that they begin with. */
static const foreign_kind kinds[] = {
    {"is a Git LFS pointer, not the file itself", "fetch the file: git lfs pull", 0,
     "version https://git-lfs", 0},
    {"is a page that Saccade wrote",
     "open it in a browser; the file that it was made from opens here", 63,
     "<meta name=\"generator\" content=\"Saccade\">", 41}, /* as its pages begin */
    {"is a web page (HTML), not the file itself", "download the file, not the page about it", 0,
     "<!doctype html", 0},
    {"is a web page (HTML), not the file itself", "download the file, not the page about it", 0,
     "<html", 0},
    {"is an SVG drawing", "save it as PNG", 0, "<svg", 0},
    {"is an XML text, perhaps an SVG drawing", "save a drawing as PNG", 0, "<?xml", 0},
    {"is a PDF", "save its picture as PNG", 0, "%PDF-", 5},
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
    {"is an AVIF picture", as_png, 4, "ftypavi", 7},
    {"is a HEIC picture", as_png, 4, "ftyphe", 6},
    {"is an AVIF or HEIC picture", as_png, 4, "ftypmif1", 8},
    {"is an AVIF or HEIC picture", as_png, 4, "ftypmsf1", 8},
    {"is an AAC sound (M4A)", as_wav, 4, "ftypM4A", 7},
    {"is an AAC sound (M4B)", as_wav, 4, "ftypM4B", 7},
    {"is a video", one_frame, 4, "ftyp", 4},
    {"is a video or a sound (Matroska or WebM)", one_frame, 0, "\x1a\x45\xdf\xa3", 4},
    {"is a video", one_frame, 8, "AVI ", 4},
    {"is a video or a sound (WMV or WMA)", one_frame, 0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8},
    {"is an AAC sound", as_wav, 0, "\xff\xf1", 2},
    {"is an AAC sound", as_wav, 0, "\xff\xf9", 2},
    {"is an AMR sound", as_wav, 0, "#!AMR", 5},
    {"is a WavPack sound", as_wav, 0, "wvpk", 4},
    {"is an APE sound", as_wav, 0, "MAC ", 4},
    {"is a PAM picture", as_png, 0, "P7\n", 3},
    {"is a PFM picture", as_png, 0, "PF\n", 3},
    {"is a PFM picture", as_png, 0, "Pf\n", 3},
    {"is a PCX picture", as_png, 0, "\x0a\5\1\x8", 4},
    {"is a PCX picture", as_png, 0, "\x0a\5\1\1", 4},
    {"is a DICOM picture", as_png, 128, "DICM", 4},
    {"is a FITS picture", as_png, 0, "SIMPLE  =", 9},
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

/* A Targa picture has no mark at its start: its kind, a table of colours that there is or not, and
 * its bits are held to what the format has, and its size is not 0. */
static bool is_targa(const uint8_t *b, size_t size)
{
    if (size < 18 || b[1] > 1 || (b[17] & 0xc0))
        return false;
    unsigned kind = b[2] & ~8u, bits = b[16];
    bool is_known = (kind == 1 && b[1] == 1 && bits == 8) ||
                    (kind == 2 && (bits == 16 || bits == 24 || bits == 32)) ||
                    (kind == 3 && bits == 8);
    bool has_table = b[3] || b[4] || b[5] || b[6] || b[7];
    return is_known && has_table == (b[1] == 1) && (b[12] || b[13]) && (b[14] || b[15]);
}

sac_status sac_foreign_check(const uint8_t *bytes, size_t size, sac_error *error)
{
    for (const foreign_kind *kind = kinds; kind < kinds + KINDS; kind++) {
        bool is = kind->length ? kind->at + kind->length <= size &&
                                     memcmp(bytes + kind->at, kind->mark, kind->length) == 0
                               : begins_with_text(bytes, size, kind->mark);
        if (is)
            return sac_fail(error, SAC_E_FORMAT, NULL, kind->remedy, "%s", kind->what);
    }
    if (is_targa(bytes, size))
        return sac_fail(error, SAC_E_FORMAT, NULL, as_png, "is a Targa picture (TGA)");
    if (is_onnx(bytes, size))
        return sac_fail(error, SAC_E_FORMAT, NULL,
                        "give the folder of the same model with config.json and safetensors",
                        "is an ONNX model");
    return SAC_OK;
}

sac_status sac_foreign_check_file(const char *path, sac_error *error)
{
    uint8_t start[START];
    size_t size = sac_file_read_start(path, start, sizeof start);
    return sac_error_within(error, sac_foreign_check(start, size, error), path);
}
