/* Files of weights, or of queries and keys: alone, two beside each other, or compared. */
#include <stdlib.h>
#include <string.h>

#include "alignment/alignment_view.h"
#include "app/open/open_parts.h"
#include "base/error.h"
#include "sources/files/weights/weights_file.h"
#include "sources/heads/difference.h"

/* How the request has a file of arrays read. */
static sac_weights_file_options options_of(const app_request *request, const char *arrays,
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
                                        /* a window shows and counts them */
                                        .allow_nan = request->allow_nan || !request->windowless,
                                        /* the Contents tab is what asks, in a picture as well */
                                        .ask = !request->windowless ||
                                               app_wants_tab(request, "contents")};
    const char *cells = app_find_setting(request, "cells");
    options.cells_given = cells != NULL;
    options.cells = cells ? (int)strtoul(cells, NULL, 10) : 0;
    return options;
}

/* One of two into *source, from malloc; the file has weights that need no choice. */
static sac_status open_side(const app_request *request, const char *file, const char *device,
                            bool padding, sac_source **source, sac_error *error)
{
    sac_weights_file_options options = options_of(request, file, NULL);
    options.ask = false;
    options.padding = padding;
    options.device = device;
    sac_status status = app_make_source(source, file, error);
    return status == SAC_OK
               ? sac_error_within(error, sac_weights_file_open(&options, *source, error), file)
               : status;
}

/* Padding is shown, so that nothing of one side is hidden that the other shows. */
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
        status = open_side(request, first, request->device, true, &sides.first, error);
    if (status == SAC_OK && (second || request->with))
        status =
            open_side(request, second ? second : first,
                      request->with ? request->with : request->device, true, &sides.second, error);
    if (status != SAC_OK) {
        app_drop_source(&sides.first);
        app_drop_source(&sides.second);
        return status;
    }
    for (int i = 0; i < 2 && request->with && !second; i++)
        sides.names[i] = (i ? sides.second : sides.first)->origin.device;
    return sac_difference_open(&sides, source, error);
}

/* Several maps are first seen side by side, or over their picture. */
sac_status app_open_arrays(app_document *document, const app_request *request,
                           const app_files *files, sac_error *error)
{
    sac_weights_file_options options = options_of(request, files->arrays, files->picture);
    const bool differs = app_wants_difference(request);
    snprintf(document->file, sizeof document->file, "%s", files->arrays);
    options.ask = options.ask && !files->second;
    sac_status status = app_make_source(&document->weights, files->arrays, error);
    if (status != SAC_OK)
        return status;
    sac_source *source = document->weights;
    const sac_weights_source *weights = &source->weights;
    if (differs && files->picture)
        status = sac_fail(error, SAC_E_ARGUMENT, files->picture, "leave it out",
                          "is a picture, which a difference is not shown over");
    else if (differs)
        status = app_open_difference(request, files->arrays, files->second, source, error);
    else
        status = sac_weights_file_open(&options, source, error);
    if (status == SAC_OK && !differs && files->second) { /* of the same sizes and tokens */
        status = open_side(request, files->second, request->device, request->padding,
                           &source->beside, error);
        if (status == SAC_OK)
            status = sac_difference_check(source, source->beside, error);
    }
    document->first = weights->layers * weights->heads > 1 ? "heads" : "matrix";
    if (status != SAC_OK || !weights->tile)
        return status;
    size_t most = weights->steps > weights->positions ? weights->steps : weights->positions;
    if (sac_source_step_labels(source, 0)->count && sac_source_position_labels(source, 0)->count &&
        most > VIZ_ALIGNMENT_MOST) /* words on both sides let expect that tab */
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "no Alignment tab: it has up to %d words a side, not %zu",
                            VIZ_ALIGNMENT_MOST, most);
    return app_check_map(request, source, error);
}
