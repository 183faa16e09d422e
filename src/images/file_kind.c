#include "images/file_kind.h"

#include "arrays/arrays.h"
#include "images/image_read.h"

sac_file_kind sac_file_kind_of(const char *path)
{
    uint8_t start[16];
    size_t size = sac_file_start(path, start, sizeof start);
    if (size == 0)
        return SAC_FILE_UNREAD;
    return sac_image_is(start, size)     ? SAC_FILE_PICTURE
           : sac_arrays_are(start, size) ? SAC_FILE_ARRAYS
                                         : SAC_FILE_OTHER;
}
