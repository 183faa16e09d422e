/* Attention of generate(): whose rows the items of its steps are, and which keys of a cache are tokens. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "saccade_arrays.h"
#include "sources/files/weights/weights_file_parts.h"

/* The array of that name beside a group: "out.sequences" of "out.attentions.*.*"; NULL: there is none. */
static const sac_array *find_array_beside_group(const sac_weights_file *f, const char *group,
                                                const char *name, const char **full)
{
    const sac_array *found = NULL;
    size_t size = strlen(name), most = 0;
    for (size_t i = 0; i < sac_arrays_size(f->arrays); i++) {
        const char *other = sac_arrays_name(f->arrays, i);
        size_t length = strlen(other), before = length - size;
        if (length < size || strcmp(other + before, name) != 0 ||
            strncmp(other, group, before) != 0 || (found && before < most))
            continue;
        found = sac_arrays_at(f->arrays, i);
        *full = other;
        most = before;
    }
    return found;
}

static size_t sequence_list_count(const sac_array *array)
{
    return array->rank > 1 ? array->shape[0] : 1;
}

/* The beams of one sequence; −1 after its end. */
static sac_status read_sequence_beams(const float *indices, size_t count, size_t sequence,
                                      size_t steps, size_t items, const char *name, size_t *beams,
                                      size_t *used, sac_error *error)
{
    *used = 0;
    while (*used < count && indices[*used] != -1)
        ++*used;
    for (size_t s = 0; s < steps; s++)
        beams[s] = SIZE_MAX;
    for (size_t s = 0; s < count; s++) {
        float index = indices[s];
        bool beam = index >= 0 && index < (float)items && index == (float)(size_t)index;
        if (s < *used ? !beam || s >= steps : index != -1)
            return sac_fail(error, SAC_E_VALUE, name, "save what one call of generate() returned",
                            "[%zu,%zu] is %g, but the attention is of %zu steps of %zu beams",
                            sequence, s, (double)index, steps, items);
        if (s < *used)
            beams[s] = (size_t)index;
    }
    return *used ? SAC_OK
                 : sac_fail(error, SAC_E_VALUE, name, "save what one call of generate() returned",
                            "sequence %zu has no steps", sequence);
}

/* Shortens the map to the steps of the longest sequence: a search goes on after the best has ended. */
static void shorten_to_steps(sac_stored_weights *stored, size_t most)
{
    if (!stored->pieces || most >= stored->piece_count)
        return;
    const sac_array *last = stored->pieces[most - 1].array;
    stored->size[SAC_AXIS_Q] = stored->piece_rows[most];
    stored->size[SAC_AXIS_K] =
        stored->own_keys ? stored->size[SAC_AXIS_Q] : last->shape[last->rank - 1];
}

static sac_status apply_beam_indices(sac_weights_file *f, const sac_array *array, const char *name,
                                     sac_source *source, sac_error *error)
{
    sac_stored_weights *stored = &f->stored;
    size_t steps = stored->pieces ? stored->piece_count : 1, items = stored->size[SAC_AXIS_B];
    size_t count = sac_array_count(array), sequences = sequence_list_count(array), most = 0,
           least = SIZE_MAX;
    if (array->dtype == SAC_TEXT || array->rank < 1 || array->rank > 2 || !count) {
        char shape[160];
        return sac_fail(error, SAC_E_SHAPE, name, "save generate()'s own",
                        "%s %s are no indices of beams [sequences,steps]",
                        sac_dtype_name(array->dtype),
                        sac_array_shape_text(array, shape, sizeof shape));
    }
    size_t each = count / sequences;
    float *indices = malloc(count * sizeof *indices);
    stored->beams = calloc(sequences, steps * sizeof *stored->beams);
    f->sequence_steps = calloc(sequences, sizeof *f->sequence_steps);
    sac_status status = indices && stored->beams && f->sequence_steps
                            ? sac_array_to_f32(array, indices, error)
                            : sac_no_memory(error, name);
    for (size_t i = 0; i < sequences && status == SAC_OK; i++) {
        size_t *used = &f->sequence_steps[i];
        status = read_sequence_beams(indices + i * each, each, i, steps, items, name,
                                     stored->beams + i * steps, used, error);
        most = *used > most ? *used : most;
        least = *used < least ? *used : least;
    }
    free(indices);
    if (status != SAC_OK)
        return status;
    sac_array_use_mark(f, array);
    stored->size[SAC_AXIS_B] = sequences;
    shorten_to_steps(stored, most);
    if (least == most) {
        free(f->sequence_steps);
        f->sequence_steps = NULL;
    }
    sac_source_add_note(source, SAC_NOTE_SHOWN,
                        "each step's row is of the beam, of %zu, that %s names", items, name);
    return SAC_OK;
}

/* True where no row has weight on a key after it: the keys of a cache that is larger than the text. */
static bool is_causal(sac_stored_weights *stored, float *row)
{
    const size_t *size = stored->size;
    bool causal = true;
    for (size_t i = 0; causal && i < size[SAC_AXIS_L] * size[SAC_AXIS_H] * size[SAC_AXIS_Q]; i++) {
        size_t query = i % size[SAC_AXIS_Q], map = i / size[SAC_AXIS_Q];
        sac_tile tile = {.head = map % size[SAC_AXIS_H],
                         .row = query,
                         .rows = 1,
                         .col = query + 1,
                         .cols = size[SAC_AXIS_K] - query - 1};
        causal =
            sac_stored_weights_tile(stored, map / size[SAC_AXIS_H], &tile, row, NULL) == SAC_OK;
        for (size_t c = 0; c < tile.cols && causal; c++)
            causal = row[c] == 0;
    }
    return causal;
}

/* A static cache has room for more keys than there are: those that were never filled are left out. */
static sac_status drop_unfilled_keys(sac_weights_file *f, const sac_array_group *group,
                                     sac_source *source, sac_error *error)
{
    sac_stored_weights *stored = &f->stored;
    size_t rows = stored->size[SAC_AXIS_Q], keys = stored->size[SAC_AXIS_K];
    if (!stored->pieces || keys <= rows || strcasestr(group->name, "cross"))
        return SAC_OK;
    float *row = malloc(keys * sizeof *row);
    if (!row)
        return sac_no_memory(error, group->name);
    if (is_causal(stored, row)) {
        stored->size[SAC_AXIS_K] = rows;
        sac_source_add_note(source, SAC_NOTE_SHOWN,
                            "%zu keys of the cache that no token has filled are left out",
                            keys - rows);
    }
    free(row);
    return SAC_OK;
}

sac_status sac_weights_beams_read(sac_weights_file *f, const sac_array_group *group,
                                  sac_source *source, sac_error *error)
{
    const char *name = NULL;
    const sac_array *beams = find_array_beside_group(f, group->name, "beam_indices", &name);
    bool encodes = strcasestr(group->name, "encoder") && !strcasestr(group->name, "decoder");
    sac_status status = SAC_OK;
    if (beams && !encodes && f->stored.axis[SAC_AXIS_B] < 0)
        status = sac_fail(error, SAC_E_SHAPE, group->name, "give --axes, with B for the beams",
                          "no axis is that of the beams which %s names", name);
    else if (beams && !encodes)
        status = apply_beam_indices(f, beams, name, source, error);
    return status == SAC_OK ? drop_unfilled_keys(f, group, source, error) : status;
}

bool sac_weights_lists_fit(const sac_weights_file *f, size_t lists, size_t items)
{
    bool prompts = (f->stored.pieces || f->stored.beams) && lists && items % lists == 0;
    return lists == 1 || lists == items || prompts;
}

size_t sac_weights_list_of_item(size_t lists, size_t items, size_t item)
{
    return lists > 1 ? item / (items / lists) : 0;
}

/* ---------------------------------------------------------------- items that are no sequences */

/* True where items 0 and `item` have the same first step, as all beams of a prompt do. */
static bool has_same_first_step(sac_stored_weights *stored, size_t item, float *rows)
{
    const sac_array *first = stored->pieces[0].array;
    size_t keys = stored->size[SAC_AXIS_K];
    bool alike = true;
    for (size_t r = 0; r < first->shape[first->rank - 2] && alike; r++) {
        sac_tile tile = {.row = r, .rows = 1, .cols = keys}, other = tile;
        other.batch = item;
        alike = sac_stored_weights_tile(stored, 0, &tile, rows, NULL) == SAC_OK &&
                sac_stored_weights_tile(stored, 0, &other, rows + keys, NULL) == SAC_OK;
        for (size_t c = 0; c < keys && alike; c++)
            alike = rows[c] - rows[keys + c] < 1e-5f && rows[keys + c] - rows[c] < 1e-5f;
    }
    return alike;
}

/* True where the first generated token has the row of the first token, in all layers and heads. That is what
 * generate() returns with an assistant model: it counts the rows of its first pass from the prompt on. */
static bool repeats_first_token_row(sac_stored_weights *stored, float *rows)
{
    const size_t *size = stored->size, keys = size[SAC_AXIS_K];
    bool same = size[SAC_AXIS_B] == 1 && !stored->beams && stored->piece_count > 1 && keys > 1;
    for (size_t i = 0; i < size[SAC_AXIS_L] * size[SAC_AXIS_H] && same; i++) {
        sac_tile first = {.head = i % size[SAC_AXIS_H], .rows = 1, .cols = keys}, next = first;
        next.row = stored->piece_rows[1];
        size_t layer = i / size[SAC_AXIS_H];
        bool uniform = true;
        same = sac_stored_weights_tile(stored, layer, &first, rows, NULL) == SAC_OK &&
               sac_stored_weights_tile(stored, layer, &next, rows + keys, NULL) == SAC_OK &&
               memcmp(rows, rows + keys, keys * sizeof *rows) == 0;
        for (size_t c = 1; c < keys; c++)
            uniform = uniform && rows[c] == rows[0];
        same = same && !uniform;
    }
    return same;
}

static sac_status refuse_missing_beams(size_t items, size_t sequences, sac_error *error)
{
    char many[48] = "";
    if (sequences)
        snprintf(many, sizeof many, " for %zu sequence%s", sequences, sequences == 1 ? "" : "s");
    return sac_fail(error, SAC_E_FORMAT, "beam_indices",
                    "pass generate()'s beam_indices too, or of items that are no beams a list of "
                    "tokens for each",
                    "are missing: there are %zu items%s, which may be beams of a search", items,
                    many);
}

sac_status sac_weights_beams_check(sac_weights_file *f, const sac_weights_file_options *options,
                                   sac_error *error)
{
    sac_stored_weights *stored = &f->stored;
    size_t items = stored->size[SAC_AXIS_B], keys = stored->size[SAC_AXIS_K];
    if (!stored->pieces || stored->beams)
        return SAC_OK;
    const char *taken = stored->layers[0].name, *name;
    const sac_array *sequences = find_array_beside_group(f, taken, "sequences", &name);
    bool known = sequences && sequences->dtype != SAC_TEXT && sac_array_count(sequences);
    size_t lists = known           ? sequence_list_count(sequences)
                   : f->rows.count ? f->rows.count
                                   : f->columns.count;
    if (lists && items > 1 && stored->axis[SAC_AXIS_B] >= 0)
        return lists == items ? SAC_OK : refuse_missing_beams(items, lists, error);
    float *rows = malloc(2 * keys * sizeof *rows);
    if (!rows)
        return sac_no_memory(error, taken);
    bool alike = false, repeats = repeats_first_token_row(stored, rows);
    for (size_t i = 1; i < items && !alike && !(options->axes && options->axes[0]); i++)
        alike = has_same_first_step(stored, i, rows);
    free(rows);
    if (repeats)
        return sac_fail(
            error, SAC_E_VALUE, taken,
            "take that of one pass over the sequence: model(out.sequences, "
            "output_attentions=True)",
            "has the first token's row for the first generated token too, as generate() "
            "returns it with an assistant");
    return alike ? refuse_missing_beams(items, 0, error) : SAC_OK;
}
