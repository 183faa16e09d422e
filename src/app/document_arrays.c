/* A document of arrays: weights, or queries and keys. */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "alignment/alignment_view.h"
#include "app/document_parts.h"
#include "base/error.h"
#include "sources/files/weights_file.h"

sac_status app_check_map(const app_request *request, const sac_source *source, sac_error *error)
{
    const struct {
        const char *key, *option;
        size_t count;
    } axes[] = {{"layer", "--layer", source->weights.layers},
                {"head", "--head", source->weights.heads},
                {"batch", "--batch", source->weights.batch}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        const char *value = app_find_setting(request, axes[i].key);
        size_t layer;
        bool there =
            !value || (i == 0 ? sac_source_find_layer(source, strtoull(value, NULL, 10), &layer)
                              : strtoull(value, NULL, 10) < axes[i].count);
        if (!there && i == 0 && source->weights.layer_numbers)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s does not exist; of the layers %zu to %zu there are %zu in %s",
                            value, sac_source_layer_number(source, 0),
                            sac_source_layer_number(source, source->weights.layers - 1),
                            source->weights.layers, source->title);
        if (!there)
            return sac_fail(error, SAC_E_ARGUMENT, axes[i].option, NULL,
                            "%s is out of range; %s goes from 0 to %zu in %s", value, axes[i].key,
                            axes[i].count - 1, source->title);
    }
    return app_check_query(request, source->weights.positions, source->weights.steps, error);
}

/* The Contents tab is what asks, in a picture as well. */
static bool shows_contents(const app_request *request)
{
    return request->tab && strcasecmp(request->tab, "contents") == 0;
}

/* Words on both sides let expect an Alignment tab. */
static void note_missing_alignment(sac_source *source)
{
    bool words =
        sac_source_step_labels(source, 0)->count && sac_source_position_labels(source, 0)->count;
    size_t most = source->weights.steps > source->weights.positions ? source->weights.steps
                                                                    : source->weights.positions;
    if (words && most > VIZ_ALIGNMENT_MOST)
        sac_source_add_note(source, "no Alignment tab: it has up to %d words a side, not %zu",
                            VIZ_ALIGNMENT_MOST, most);
}

/* Several maps are first seen side by side, unless there is a picture to lay them over. */
sac_status app_open_arrays(app_document *document, const app_request *request, const char *arrays,
                           const char *picture, sac_error *error)
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
                                        .ask = !request->windowless || shows_contents(request)};
    const char *cells = app_find_setting(request, "cells");
    options.cells_given = cells != NULL;
    options.cells = cells ? (int)strtoul(cells, NULL, 10) : 0;
    sac_source *source = document->weights = calloc(1, sizeof *source);
    if (!source)
        return sac_fail(error, SAC_E_MEMORY, arrays, NULL, "no memory to open it");
    sac_status status = sac_weights_file_open(&options, source, error);
    bool many = source->weights.layers * source->weights.heads > 1;
    if (status == SAC_OK && source->weights.tile)
        status = app_check_map(request, source, error);
    if (status == SAC_OK && source->weights.tile)
        note_missing_alignment(source);
    if (status == SAC_OK)
        status = app_open_views(document, NULL, error);
    viz_shell_show(&document->shell, many && !source->picture.image ? "heads" : "matrix");
    return status;
}
