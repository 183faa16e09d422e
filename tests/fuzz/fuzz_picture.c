#include "fuzz.h"

#include "captioner/captioner.h"
#include "images/image_read.h"
#include "images/resample.h"
#include "sources/files/picture/features.h"

enum { SHOWN = 896, SIDE = 112, LONGEST = 1024, CELLS = 48 }; /* as the program has them */

/* All that is done to the pixels of a picture before it is shown, within the limits of one reader:
 * what is read must also be cheap to use. */
static void use(const sac_image *image)
{
    sac_image shown, square;
    sac_light_image linear;
    sac_cells cells;
    if (sac_image_fit_in_square(image, SHOWN, &shown, NULL) != SAC_OK ||
        sac_image_fit_in_square(image, SIDE, &square, NULL) != SAC_OK ||
        sac_light_image_create(image, LONGEST, &linear, NULL) != SAC_OK ||
        sac_cells_measure(&linear, CELLS, CELLS, &cells, NULL) != SAC_OK)
        abort();
    fuzz_touch(shown.rgba, 4 * SHOWN * SHOWN);
    fuzz_touch(cells.look, CELLS * CELLS * sizeof *cells.look);
    sac_cells_free(&cells);
    sac_light_image_free(&linear);
    sac_image_free(&square);
    sac_image_free(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_image image;
    sac_error error = {0};
    sac_status status = sac_image_from_bytes(data, size, &image, &error);
    if (status == SAC_OK)
        use(&image);
    else
        fuzz_refused(status, &error);
    sac_image_free(&image);
    return 0;
}
