/* Maps over a picture that a file has already: a number for each of its cells, for each word or alone. */
#include <string.h>

#include "saccade_arrays.h"
#include "sources/files/weights/weights_file_parts.h"

/* Of a picture that is read: more are attention, of which rows alone are looked at. */
enum { MOST_CELLS = 1 << 26 };

static bool is_about_one(float low, float high)
{
    return low > 0.98f && high < 1.02f;
}

/* The grid of the options, or of the file; false: neither has one. */
static bool find_grid(const sac_weights_file *f, const sac_weights_file_options *options, size_t *w,
                      size_t *h)
{
    float read[2];
    const sac_array *array = sac_arrays_find(f->arrays, "grid");
    *w = (size_t)options->grid_w;
    *h = (size_t)options->grid_h;
    if (*w || *h || !array || array->dtype == SAC_TEXT || sac_array_count(array) != 2 ||
        sac_array_to_f32(array, read, NULL) != SAC_OK || !(read[0] > 0 && read[1] > 0))
        return *w || *h;
    *h = (size_t)read[0];
    *w = (size_t)read[1];
    return true;
}

static bool has_labels_for_count(const sac_weights_file *f, size_t count)
{
    return sac_weights_label_list_count(f, count, count) == 1;
}

/* What the axes would be, and how many words there would be a map for; NULL: they would be too many. */
static const char *guess_map_axes(const sac_weights_file *f, const sac_array *array, size_t *words)
{
    const size_t *shape = array->shape;
    *words = 0;
    if (array->rank == 2)
        return "YX";
    *words = shape[array->rank - 3];
    if (array->rank == 3)
        return "QYX";
    if (array->rank == 5)
        return has_labels_for_count(f, *words) ? "LHQYX" : NULL;
    if (array->rank != 4)
        return NULL;
    if (shape[0] == 1)
        return "BQYX";
    if (shape[1] == 1 ||
        (has_labels_for_count(f, shape[0]) && !has_labels_for_count(f, shape[1]))) {
        *words = shape[0];
        return "QHYX";
    }
    return has_labels_for_count(f, *words) ? "HQYX" : NULL;
}

/* True where so many keys, but for leading ones, are a square of cells. */
static bool may_be_cells(size_t keys, size_t leading)
{
    for (size_t prefix = 0; prefix <= leading && prefix < keys; prefix++)
        if (sac_square_side(keys - prefix))
            return true;
    return false;
}

/* Rows of attention sum to 1, or less where keys were taken out of them. */
static bool are_maps(const sac_weights_file *f, const sac_array_group *group, size_t words,
                     bool picture, const sac_weights_survey *survey)
{
    const sac_array *array = group->layers[0].array;
    size_t h = array->shape[array->rank - 2], w = array->shape[array->rank - 1];
    bool labelled = words && has_labels_for_count(f, words),
         whole = is_about_one(survey->low_map, survey->high_map);
    if (is_about_one(survey->low_row, survey->high_row) && !survey->negative)
        return false;
    if (labelled && words != h && words != w)
        return true;
    if (labelled)
        return picture || whole;
    if (!picture || sac_weights_label_list_count(f, h, w))
        return false;
    bool attention = sac_weights_are_attention(group->layers[0].name);
    if (attention && sac_array_count(array) > h * w)
        return false;
    bool rows = !survey->negative && survey->high_row < 1.02f && !whole;
    return !(rows && may_be_cells(w, attention ? 8 : 1));
}

sac_status sac_weights_map_axes_find(const sac_weights_file *f, const sac_array_group *group,
                                     const sac_weights_file_options *options, const char **axes,
                                     sac_error *error)
{
    const sac_array *array = group->layers[0].array, *image = sac_arrays_find(f->arrays, "image");
    const sac_array *prefix = sac_arrays_find(f->arrays, "prefix");
    size_t words, grid_w, grid_h;
    *axes = NULL;
    if (group->pieces || array->rank < 2 || options->softmax || options->prefix ||
        options->cells_given)
        return SAC_OK;
    size_t h = array->shape[array->rank - 2], w = array->shape[array->rank - 1];
    bool fits = h > 1 && w > 1 && h <= MOST_CELLS / w; /* else too large to be read whole */
    const char *maps = fits ? guess_map_axes(f, array, &words) : NULL;
    if (!maps || (group->count > 1 && strchr(maps, 'L')))
        return SAC_OK;
    if (find_grid(f, options, &grid_w, &grid_h)) { /* of the maps, or of the keys */
        *axes = grid_w == w && grid_h == h && grid_w * grid_h != w ? maps : NULL;
        return SAC_OK;
    }
    if (prefix)
        return SAC_OK;
    sac_stored_weights stored;
    sac_weights_survey survey = {0};
    sac_status status = sac_stored_weights_take(&stored, group, maps, error);
    if (status == SAC_OK)
        status = sac_stored_weights_survey(&stored, &survey, error);
    sac_stored_weights_free(&stored);
    bool picture = options->image || (image && image->dtype == SAC_U8 && image->rank <= 3);
    if (status == SAC_OK && are_maps(f, group, words, picture, &survey))
        *axes = maps;
    return status;
}
