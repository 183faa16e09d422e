/* The picture under weights: where it comes from, and which keys, or queries, are its cells. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/names.h"
#include "sources/files/weights/weights_file_parts.h"

/* ---------------------------------------------------------------- out of the file */

/* Reads whole numbers out of the file; false where there is no such array, or it is none. */
static bool read_integers(sac_weights_file *f, const char *name, size_t count, int *numbers)
{
    const sac_array *array = sac_arrays_find(f->arrays, name);
    float read[2];
    if (!array || array->dtype == SAC_TEXT)
        return false;
    if (sac_array_count(array) != count || sac_array_to_f32(array, read, NULL) != SAC_OK) {
        sac_array_use_explain(f, array, "%zu numbers, not %zu", sac_array_count(array), count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!(read[i] >= 0 && read[i] <= 1 << 20)) {
            sac_array_use_explain(f, array, "%g is no size", (double)read[i]);
            return false;
        }
        numbers[i] = (int)read[i];
    }
    sac_array_use_mark(f, array);
    return true;
}

/* uint8 [H,W], [H,W,3] or [H,W,4] as a picture. */
static sac_status image_from_array(const sac_array *array, sac_image *image, sac_error *error)
{
    char shape[160];
    size_t channels = array->rank == 3 ? array->shape[2] : array->rank == 2 ? 1 : 0, bytes;
    bool fits = array->dtype == SAC_U8 && sac_array_count(array) > 0 &&
                (channels == 1 || channels == 3 || channels == 4) &&
                array->shape[0] <= INT_MAX / 4 && array->shape[1] <= INT_MAX / 4 &&
                sac_checked_mul(array->shape[0] * array->shape[1], 4, &bytes);
    if (!fits)
        return sac_fail(error, SAC_E_SHAPE, "image", "give uint8 [H,W,3]", "%s %s is no picture",
                        sac_dtype_name(array->dtype),
                        sac_array_shape_text(array, shape, sizeof shape));
    *image = (sac_image){(int)array->shape[1], (int)array->shape[0], malloc(bytes)};
    if (!image->rgba)
        return sac_fail(error, SAC_E_MEMORY, "image", NULL, "out of memory for %zu bytes", bytes);
    const uint8_t *in = array->data;
    for (size_t i = 0; i < bytes / 4; i++, in += channels) {
        uint8_t *out = image->rgba + 4 * i;
        for (size_t c = 0; c < 3; c++)
            out[c] = in[channels == 1 ? 0 : c];
        out[3] = channels == 4 ? in[3] : 255;
    }
    return SAC_OK;
}

/* Grid, prefix and picture of the file, where the options do not give them. */
static sac_status read_grid_and_picture(sac_weights_file *f, sac_weights_file_options *options,
                                        sac_error *error)
{
    int grid[2], prefix;
    bool finds_grid = !options->grid_w && !options->grid_h;
    const char *taken = f->stored.count ? f->stored.layers[0].name : "";
    if (strcasestr(taken, "decoder") && !strcasestr(taken, "encoder_decoder") &&
        !strcasestr(taken, "cross") && !options->image && finds_grid) {
        static const char *const others[] = {"grid", "prefix", "image"}; /* of what it reads */
        for (int i = 0; i < 3; i++)
            sac_array_use_explain(f, sac_arrays_find(f->arrays, others[i]),
                                  "it is of the encoder's tokens");
        return SAC_OK;
    }
    if (finds_grid && read_integers(f, "grid", 2, grid)) {
        options->grid_h = grid[0];
        options->grid_w = grid[1];
    } else if (!finds_grid)
        sac_array_use_explain(f, sac_arrays_find(f->arrays, "grid"), "--grid is given");
    if (f->stored.map_w)
        sac_array_use_explain(f, sac_arrays_find(f->arrays, "prefix"), "maps have cells alone");
    else if (!options->prefix && read_integers(f, "prefix", 1, &prefix))
        options->prefix = prefix;
    const sac_array *image = sac_arrays_find(f->arrays, "image");
    if (options->image)
        return sac_image_load(options->image, &f->image, error);
    if (!image)
        return SAC_OK;
    if (image->dtype != SAC_U8) {
        sac_array_use_explain(f, image, "a picture is uint8 [H,W,3]");
        return SAC_OK;
    }
    sac_array_use_mark(f, image);
    return sac_error_within(error, image_from_array(image, &f->image, error), options->path);
}

/* ---------------------------------------------------------------- grids */

size_t sac_square_side(size_t cells)
{
    size_t side = (size_t)llround(sqrt((double)cells));
    return cells > 1 && side * side == cells && side <= INT_MAX ? side : 0;
}

/* A square of `count` cells, or, where `image` is given, a rectangle with its sides; false: none.
 */
static bool fit_grid(size_t count, const sac_image *image, int *w, int *h)
{
    size_t side = sac_square_side(count);
    double aspect = image ? (double)image->width / image->height : 1, best = 0.12;
    bool found = false;
    for (size_t down = 1; image && down <= count && down <= INT_MAX; down++) {
        double error = fabs(log((double)(count / down) / (double)down / aspect));
        if (count % down == 0 && count / down <= INT_MAX && error < best) {
            best = error;
            *h = (int)down;
            *w = (int)(count / down);
            found = true;
        }
    }
    if (!found && side) {
        *w = *h = (int)side;
        found = true;
    }
    return found;
}

/* Cells that follow each other from `first` on. */
static sac_status set_cell_range(sac_weights_file *f, size_t first, size_t count, sac_error *error)
{
    f->cells = malloc(count * sizeof *f->cells);
    if (!f->cells)
        return sac_fail(error, SAC_E_MEMORY, "grid", NULL, "out of memory for %zu cells", count);
    f->cell_count = count;
    f->cell_lists = 1;
    for (size_t i = 0; i < count; i++)
        f->cells[i] = first + i;
    return SAC_OK;
}

/* ---------------------------------------------------------------- cells amid a text */

/* Takes what `is_one` (of each list [each]) marks as cells, as many in each list. */
static sac_status set_marked_cells(sac_weights_file *f, const uint8_t *marks, size_t lists,
                                   size_t each, const char *from, sac_error *error)
{
    size_t count = 0;
    for (size_t l = 0; l < lists; l++) {
        size_t here = 0;
        for (size_t i = 0; i < each; i++)
            here += marks[l * each + i];
        if (l && here != count)
            return sac_fail(error, SAC_E_SHAPE, from, "give items with as many cells each",
                            "%zu cells in item %zu, %zu in item 0", here, l, count);
        count = here;
    }
    if (!count)
        return SAC_OK;
    f->cells = calloc(lists * count, sizeof *f->cells);
    if (!f->cells)
        return sac_fail(error, SAC_E_MEMORY, from, NULL, "out of memory for %zu cells", count);
    f->cell_lists = lists;
    f->cell_count = count;
    for (size_t i = 0, next = 0; i < lists * each; i++)
        if (marks[i])
            f->cells[next++] = i % each;
    return SAC_OK;
}

/* Of two numbers the first is where cells begin, and the second where they end: the column behind
 * the last, or the last itself where the grid has one cell more (`area`; 0: not known). */
static sac_status mark_ranges(const float *numbers, size_t lists, size_t keys, size_t area,
                              uint8_t *marks, const char *name, sac_error *error)
{
    for (size_t l = 0; l < lists; l++) {
        float first = numbers[2 * l], end = numbers[2 * l + 1];
        end += area && (float)area == end - first + 1;
        if (!(first >= 0 && end > first && end <= (float)keys))
            return sac_fail(error, SAC_E_VALUE, name,
                            "give the first column and the one behind "
                            "the last",
                            "%g to %g are not among the %zu columns", (double)first, (double)end,
                            keys);
        memset(marks + l * keys + (size_t)first, 1, (size_t)end - (size_t)first);
    }
    return SAC_OK;
}

/* An array of the file that marks which keys are cells: a mask of the keys, or their numbers; a
 * mask may be under the name of numbers. */
static sac_status cells_from_array(sac_weights_file *f, const char *name, bool positions,
                                   size_t keys, size_t items, size_t area, sac_error *error)
{
    const sac_array *array = sac_arrays_find(f->arrays, name);
    size_t total = sac_array_count(array), each = total ? array->shape[array->rank - 1] : 0;
    size_t lists = each ? total / each : 0;
    bool mask = !positions || array->dtype == SAC_BOOL;
    if (array->dtype == SAC_TEXT || !total || array->rank < 1 || (lists != 1 && lists != items) ||
        (mask && each != keys)) {
        sac_array_use_explain(f, array, "it has %zu items of %zu tokens, not %zu of %zu", lists,
                              each, items, keys);
        return SAC_OK;
    }
    float *numbers = malloc(total * sizeof *numbers);
    uint8_t *marks = calloc(lists, keys);
    sac_status status =
        numbers && marks ? sac_array_to_f32(array, numbers, error) : sac_no_memory(error, name);
    if (status == SAC_OK && !mask && each == 2)
        status = mark_ranges(numbers, lists, keys, area, marks, name, error);
    for (size_t i = 0; i < total && status == SAC_OK && (mask || each != 2); i++)
        if (mask)
            marks[i] = numbers[i] != 0;
        else if (!(numbers[i] >= 0 && numbers[i] < (float)keys))
            status =
                sac_fail(error, SAC_E_VALUE, name, "give columns from 0 on",
                         "[%zu] is %g, and there are %zu columns", i, (double)numbers[i], keys);
        else
            marks[i / each * keys + (size_t)numbers[i]] = 1;
    if (status == SAC_OK)
        status = set_marked_cells(f, marks, lists, keys, name, error);
    sac_array_use_mark(f, array);
    free(numbers);
    free(marks);
    return status;
}

/* "<image>", "<|image_pad|>", "[IMG]": words that stand in a prompt for a piece of a picture. */
static bool is_image_word(const char *word)
{
    size_t length = strlen(word);
    bool special = length > 2 && ((word[0] == '<' && word[length - 1] == '>') ||
                                  (word[0] == '[' && word[length - 1] == ']'));
    return special && (strcasestr(word, "image") || strcasestr(word, "img") ||
                       strcasestr(word, "patch") || strcasestr(word, "vision"));
}

static int by_word(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* The one that stands most often, and at least four times: one alone marks where pictures begin. *word
 * is lent; NULL: there is none. */
static sac_status find_image_word(const sac_labels *labels, const char **word, sac_error *error)
{
    size_t most = 3, count = 0;
    const char **words = malloc((labels->count + 1) * sizeof *words);
    *word = NULL;
    if (!words)
        return sac_no_memory(error, "labels");
    for (size_t i = 0; i < labels->count; i++)
        if (is_image_word(labels->text[i]))
            words[count++] = labels->text[i];
    qsort(words, count, sizeof *words, by_word);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(words[i], words[next]) == 0;)
            next++;
        if (next - i > most) {
            most = next - i;
            *word = words[i];
        }
    }
    free(words);
    return SAC_OK;
}

/* Of labels that are the ids of tokens, as of generate()'s sequences, the first that stands four times in a row, and in all
 * as often as there are cells (0: unknown): what is generated comes behind the picture. Lent; NULL: there is none. */
static const char *find_image_id(const sac_labels *labels, size_t cells)
{
    for (size_t i = 0; i < labels->count; i++)
        if (!labels->text[i][0] || labels->text[i][strspn(labels->text[i], "0123456789")])
            return NULL;
    for (size_t i = 0, next; i < labels->count; i = next) {
        size_t all = 0;
        for (next = i + 1;
             next < labels->count && strcmp(labels->text[next], labels->text[i]) == 0;)
            next++;
        for (size_t k = i; next - i > 3 && k < labels->count; k++)
            all += strcmp(labels->text[k], labels->text[i]) == 0;
        if (next - i > 3 && (!cells || cells == all))
            return labels->text[i];
    }
    return NULL;
}

static sac_status cells_from_labels(sac_weights_file *f, sac_source *source, size_t keys,
                                    size_t area, sac_error *error)
{
    const sac_label_lists *lists = &f->columns;
    const char *word = NULL;
    sac_status status = lists->count ? find_image_word(&lists->list[0], &word, error) : SAC_OK;
    const bool is_id = !word && lists->count;
    if (is_id && status == SAC_OK)
        word = find_image_id(&lists->list[0], area);
    if (!word)
        return status;
    if (is_id)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "the tokens %.20s are taken as those of the picture (--cells "
                            "FROM and --grid WxH change it)",
                            word);
    uint8_t *marks = calloc(lists->count, keys);
    if (!marks)
        return sac_no_memory(error, "labels");
    for (size_t l = 0; l < lists->count; l++)
        for (size_t i = 0; i < keys && i < lists->list[l].count; i++)
            marks[l * keys + i] = strcmp(lists->list[l].text[i], word) == 0;
    status = set_marked_cells(f, marks, lists->count, keys, word, error);
    free(marks);
    return status;
}

/* ---------------------------------------------------------------- laying it down */

static sac_status refuse_grid(const sac_source *source, size_t first, sac_error *error)
{
    return sac_fail(error, SAC_E_SHAPE, "grid",
                    "give --grid WxH and --prefix N that fit, or --cells FROM where they begin",
                    "%d × %d cells and %zu leading tokens are not the %zu columns",
                    source->picture.grid_w, source->picture.grid_h, first,
                    source->weights.positions);
}

/* Maps are of one number a cell. */
static sac_status set_grid_of_maps(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_source *source, sac_error *error)
{
    size_t w = f->stored.map_w, h = f->stored.map_h;
    if ((options->grid_w || options->grid_h) &&
        ((size_t)options->grid_w != w || (size_t)options->grid_h != h))
        return sac_fail(error, SAC_E_SHAPE, "grid", "leave it out, or give --axes",
                        "%d × %d cells are not those of maps of %zu × %zu", options->grid_w,
                        options->grid_h, w, h);
    if (options->prefix || options->cells_given || w > INT_MAX || h > INT_MAX)
        return sac_fail(error, SAC_E_ARGUMENT, options->prefix ? "prefix" : "--cells",
                        "leave it out", "maps of %zu × %zu cells have no other columns", w, h);
    source->picture.grid_w = (int)w;
    source->picture.grid_h = (int)h;
    return set_cell_range(f, 0, w * h, error);
}

/* The cells are known, one by one; the grid may be. */
static sac_status set_grid_of_known_cells(sac_weights_file *f,
                                          const sac_weights_file_options *options,
                                          sac_source *source, sac_error *error)
{
    size_t area = (size_t)options->grid_w * (size_t)options->grid_h;
    if (area && area != f->cell_count)
        return sac_fail(error, SAC_E_SHAPE, "grid", "give --grid WxH that fits",
                        "%d × %d cells are not the %zu tokens of the picture", options->grid_w,
                        options->grid_h, f->cell_count);
    if (area || fit_grid(f->cell_count, source->picture.image, &source->picture.grid_w,
                         &source->picture.grid_h))
        return SAC_OK;
    sac_source_add_note(source, SAC_NOTE_SHOWN,
                        "%zu tokens of the picture are no grid with its sides: give --grid WxH",
                        f->cell_count);
    f->cell_count = 0;
    return SAC_OK;
}

/* The number of cells is given, by a person or the file: keys, or queries where these fit and keys
 * do not. */
static sac_status set_grid_as_given(sac_weights_file *f, const sac_weights_file_options *options,
                                    sac_source *source, sac_error *error)
{
    size_t area = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
    size_t first = options->cells_given ? (size_t)options->cells : (size_t)options->prefix;
    if (!source->picture.grid_w && !source->picture.grid_h)
        return sac_fail(error, SAC_E_ARGUMENT, "--cells", "give --grid WxH",
                        "needs the size of a grid");
    if (source->picture.grid_w <= 0 || source->picture.grid_h <= 0)
        return refuse_grid(source, first, error);
    if (!options->cells_given && first + area != source->weights.positions &&
        first + area == source->weights.steps) {
        source->weights.turned = true;
        return set_cell_range(f, first, area, error);
    }
    bool inside = first < source->weights.positions && area <= source->weights.positions - first;
    bool begins = options->cells_given || options->prefix;
    if (!inside || (!begins && area != source->weights.positions))
        return refuse_grid(source, first, error);
    if (first + area < source->weights.positions && !options->cells_given)
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "the %zu tokens after the %d × %d cells are taken as text",
                            source->weights.positions - first - area, source->picture.grid_w,
                            source->picture.grid_h);
    return set_cell_range(f, first, area, error);
}

/* Finds a grid where none is given: a square of all columns but a few leading ones. Columns with
 * words of their own are no cells; where the queries are, and have none, they are laid down. */
static bool guess_grid(const sac_weights_file *f, const sac_weights_file_options *options,
                       sac_source *source, size_t *first)
{
    size_t least = (size_t)options->prefix, most = options->prefix ? least : 8, keys = 0;
    for (size_t prefix = least; prefix <= most && prefix < source->weights.positions && !keys;
         prefix++)
        if (!f->columns.count && fit_grid(source->weights.positions - prefix, NULL,
                                          &source->picture.grid_w, &source->picture.grid_h)) {
            *first = prefix;
            keys = source->weights.positions - prefix;
        }
    int w, h;
    bool rows = source->weights.steps != source->weights.positions &&
                source->weights.steps > keys && !f->rows.count && !options->prefix &&
                fit_grid(source->weights.steps, source->picture.image, &w, &h);
    if (rows && keys && keys == source->weights.positions) /* both are squares: keys are, as ever */
        rows = false;
    if (rows) {
        source->picture.grid_w = w;
        source->picture.grid_h = h;
        source->weights.turned = true;
        *first = 0;
    }
    return rows || keys;
}

static sac_status set_guessed_grid(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_source *source, sac_error *error)
{
    size_t first = 0;
    if (guess_grid(f, options, source, &first)) {
        if (source->weights.turned)
            sac_source_add_note(source, SAC_NOTE_SHOWN,
                                "the %zu queries are laid over the picture as %d × %d cells, with "
                                "one map for each key (--grid WxH changes it)",
                                source->weights.steps, source->picture.grid_w,
                                source->picture.grid_h);
        return set_cell_range(
            f, first, (size_t)source->picture.grid_w * (size_t)source->picture.grid_h, error);
    }
    if (options->prefix)
        return sac_fail(error, SAC_E_SHAPE, "grid", "give --grid WxH and --prefix N",
                        "%zu columns are no square of cells", source->weights.positions);
    sac_source_add_note(
        source, SAC_NOTE_SHOWN,
        "the picture is not used: neither %zu columns%s nor %zu rows%s are a square "
        "of cells; give --grid WxH, and --cells FROM where they begin",
        source->weights.positions, f->columns.count ? " of words" : "", source->weights.steps,
        f->rows.count ? " of words" : "");
    source->picture.image = NULL;
    return SAC_OK;
}

/* Words of cells that are all the same get the cell's place: "<image> 3,1". */
static sac_status label_cells_with_places(const sac_weights_file *f, sac_label_lists *lists,
                                          int grid_w, sac_error *error)
{
    for (size_t l = 0; l < lists->count; l++) {
        sac_labels *labels = &lists->list[l];
        const size_t *cells = f->cells + (f->cell_lists > 1 ? l * f->cell_count : 0);
        bool same = f->cell_count > 1 && labels->count > cells[f->cell_count - 1];
        for (size_t i = 1; same && i < f->cell_count; i++)
            same = strcmp(labels->text[cells[i]], labels->text[cells[0]]) == 0;
        for (size_t i = f->cell_count; same && i-- > 0;) {
            char *text = NULL;
            if (asprintf(&text, "%s %zu,%zu", labels->text[cells[i]], i % (size_t)grid_w,
                         i / (size_t)grid_w) < 0)
                return sac_no_memory(error, "labels");
            free(labels->text[cells[i]]);
            labels->text[cells[i]] = text;
        }
    }
    return SAC_OK;
}

/* Records why arrays that mark which keys are cells are of no use. */
static void explain_markers(sac_weights_file *f, const sac_weights_file_options *options,
                            const sac_source *source)
{
    for (size_t i = 0; i < sac_arrays_size(f->arrays); i++)
        if (!f->uses[i].used &&
            (sac_name_is(SAC_NAMES_CELL_MASK, sac_arrays_name(f->arrays, i)) ||
             sac_name_is(SAC_NAMES_CELL_POSITIONS, sac_arrays_name(f->arrays, i))))
            sac_array_use_explain(f, sac_arrays_at(f->arrays, i), "%s",
                                  options->cells_given      ? "--cells is given"
                                  : options->prefix         ? "prefix locates the cells"
                                  : f->cells                ? "another array has them"
                                  : !source->picture.grid_w ? "there is no picture, nor --grid"
                                                            : "the grid locates the cells");
}

sac_status sac_weights_picture_read(sac_weights_file *f, sac_weights_file_options *options,
                                    sac_source *source, sac_error *error)
{
    sac_status status = read_grid_and_picture(f, options, error);
    if (status != SAC_OK)
        return status;
    if (options->prefix < 0 || (size_t)options->prefix >= source->weights.positions)
        return sac_fail(error, SAC_E_ARGUMENT, "prefix", "give fewer leading tokens",
                        "%d leading tokens of %zu columns", options->prefix,
                        source->weights.positions);
    bool grid = options->grid_w || options->grid_h;
    source->picture.image = f->image.rgba ? &f->image : NULL;
    source->picture.grid_w = options->grid_w;
    source->picture.grid_h = options->grid_h;
    source->picture.prefix = options->prefix;
    if (!f->stored.map_w && !options->cells_given && !options->prefix &&
        (grid || source->picture.image)) {
        size_t area = (size_t)source->picture.grid_w * (size_t)source->picture.grid_h;
        status = SAC_OK;
        for (size_t i = 0; i < sac_arrays_size(f->arrays) && status == SAC_OK && !f->cells; i++) {
            const char *name = sac_arrays_name(f->arrays, i);
            bool positions = sac_name_is(SAC_NAMES_CELL_POSITIONS, name);
            if (positions || sac_name_is(SAC_NAMES_CELL_MASK, name))
                status = cells_from_array(f, name, positions, source->weights.positions,
                                          source->weights.batch, area, error);
        }
        if (status == SAC_OK && !f->cells)
            status = cells_from_labels(f, source, source->weights.positions, area, error);
        status = sac_error_within(error, status, options->path);
    }
    if (status == SAC_OK && f->stored.map_w)
        status = set_grid_of_maps(f, options, source, error);
    else if (status == SAC_OK && f->cells)
        status = set_grid_of_known_cells(f, options, source, error);
    else if (status == SAC_OK && (grid || options->cells_given))
        status = set_grid_as_given(f, options, source, error);
    else if (status == SAC_OK && source->picture.image)
        status = set_guessed_grid(f, options, source, error);
    explain_markers(f, options, source);
    if (status == SAC_OK && f->cells && !source->weights.turned && source->picture.grid_w)
        status = label_cells_with_places(f, &f->columns, source->picture.grid_w, error);
    if (status == SAC_OK && f->cells && !source->weights.turned && source->picture.grid_w &&
        source->weights.steps == source->weights.positions)
        status = label_cells_with_places(f, &f->rows, source->picture.grid_w, error);
    return status;
}

/* ---------------------------------------------------------------- without padding */

/* The place among those kept of each cell; cells ascend, as those kept do. */
static void map_cells_to_kept(const size_t *cells, size_t count, const size_t *kept, size_t *places)
{
    for (size_t i = 0, at = 0; i < count; i++) {
        while (kept && kept[at] < cells[i])
            at++;
        places[i] = kept ? at : cells[i];
    }
}

sac_status sac_weights_picture_give(sac_weights_file *f, sac_source *source, sac_error *error)
{
    if (!f->cell_count)
        return SAC_OK;
    bool apart = f->cell_lists > 1 || f->kept;
    size_t last = f->cell_count - 1;
    source->picture.prefix = (int)f->cells[0];
    if (!apart && f->cells[last] - f->cells[0] != last)
        source->picture.cells = f->cells;
    for (size_t b = 0; apart && b < source->weights.batch && source->weights.items; b++) {
        const size_t *cells = f->cells + (f->cell_lists > 1 ? b * f->cell_count : 0);
        size_t *places = source->weights.items[b].cells = malloc(f->cell_count * sizeof *places);
        if (!places)
            return sac_no_memory(error, "grid");
        const sac_kept *kept = f->kept ? &f->kept[b] : NULL;
        map_cells_to_kept(cells, f->cell_count,
                          !kept                    ? NULL
                          : source->weights.turned ? kept->rows
                                                   : kept->columns,
                          places);
    }
    return SAC_OK;
}
