/* Files of weights, alone, beside each other, or compared. */
#include <stdlib.h>

#include "app/open/open_parts.h"
#include "base/error.h"
#include "sources/heads/difference.h"

bool app_wants_difference(const app_request *request)
{
    return request->difference || request->with || request->between;
}

sac_weights_file_options app_weights_options(const app_request *request, const char *arrays,
                                             const char *picture)
{
    sac_weights_file_options options = {.path = arrays,
                                        .array = request->array,
                                        .axes = request->axes,
                                        .leave_out = request->leave_out,
                                        .labels = request->labels,
                                        .image = picture,
                                        .grid_w = request->grid_w,
                                        .grid_h = request->grid_h,
                                        .prefix = request->prefix,
                                        .padding = request->padding,
                                        .device = request->device,
                                        .spec = request->spec,
                                        .softmax = request->softmax,
                                        /* a window shows and counts them, and says so */
                                        .allow_nan = request->allow_nan || !request->windowless,
                                        /* the Contents tab is what asks, in a picture as well */
                                        .ask = !request->windowless ||
                                               app_wants_tab(request, "contents")};
    const char *cells = app_find_setting(request, "cells");
    options.cells_given = cells != NULL;
    options.cells = cells ? (int)strtoul(cells, NULL, 10) : 0;
    return options;
}

/* One side of a difference into *source, from malloc; the file has weights that need no choice. */
static sac_status open_side(const app_request *request, const char *file, const char *device,
                            sac_source **source, sac_error *error)
{
    sac_weights_file_options options = app_weights_options(request, file, NULL);
    options.ask = false;
    options.padding = true; /* which hides nothing of one side that the other shows */
    options.device = device;
    sac_status status = app_make_source(source, file, error);
    return status == SAC_OK
               ? sac_error_within(error, sac_weights_file_open(&options, *source, error), file)
               : status;
}

sac_status app_open_difference(const app_request *request, const char *first, const char *second,
                               sac_source *source, sac_error *error)
{
    sac_difference_sides sides = {0};
    sac_status status =
        request->between ? sac_difference_parts_read(request->between, sides.parts, error) : SAC_OK;
    if (status == SAC_OK && !second && !request->with && !request->between)
        status = sac_fail(error, SAC_E_ARGUMENT, first,
                          "give a second file, or --with and a device, or --between and two parts",
                          "there is nothing to compare the file with");
    if (status == SAC_OK)
        status = open_side(request, first, request->device, &sides.first, error);
    if (status == SAC_OK && (second || request->with))
        status = open_side(request, second ? second : first,
                           request->with ? request->with : request->device, &sides.second, error);
    if (status != SAC_OK) {
        app_drop_source(&sides.first);
        app_drop_source(&sides.second);
        return status;
    }
    for (int i = 0; i < 2 && request->with && !second; i++)
        sides.names[i] = (i ? sides.second : sides.first)->origin.device;
    return sac_difference_open(&sides, source, error);
}

sac_status app_open_beside(const app_request *request, const char *file, sac_source *first,
                           sac_error *error)
{
    sac_weights_file_options options = app_weights_options(request, file, NULL);
    options.ask = false;
    sac_status status = app_make_source(&first->beside, file, error);
    if (status == SAC_OK)
        status =
            sac_error_within(error, sac_weights_file_open(&options, first->beside, error), file);
    return status == SAC_OK ? sac_difference_check(first, first->beside, error) : status;
}
