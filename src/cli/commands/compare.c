/* saccade compare: the weights of two files, or of one on two devices, weight by weight. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/document.h"
#include "base/error.h"
#include "base/text/printable.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "cli/request_options.h"
#include "sources/heads/difference.h"
#include "view/settings.h"
#include "weights/matrix_view.h"

#define SLAB ((size_t)1 << 20) /* weights of either side at a time */

typedef struct request {
    const char *files[2];
    float most;
    bool most_given, json;
    cli_request request;
    cli_drawing drawing;
} request;

/* How the second side differs from the first, in one head or in all. */
typedef struct difference {
    size_t layer, batch, head, row, column; /* where it is largest … */
    double largest, first, second;          /* … by magnitude, and both weights there */
    double sum, squares, count;             /* of magnitudes, of squares; weights that were read */
} difference;

static void compare_rows(const sac_tile *tile, const float *a, const float *b, difference *d)
{
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t c = 0; c < tile->cols; c++, a++, b++) {
            double away = (double)*b - (double)*a, size = fabs(away);
            d->sum += size;
            d->squares += away * away;
            if (!(size <= d->largest)) { /* NaN is farther than anything */
                d->largest = isnan(size) ? INFINITY : size;
                d->row = tile->row + r;
                d->column = tile->col + c;
                d->first = (double)*a;
                d->second = (double)*b;
            }
        }
    d->count += (double)tile->rows * (double)tile->cols;
}

/* One head of both sides, a slab of rows at a time. `lines` has room for two slabs. */
static sac_status compare_head(const sac_source *source, float *lines, difference *d,
                               sac_error *error)
{
    const sac_weights_source *w = &source->weights;
    size_t step = SLAB / w->positions, rows = step ? step : 1;
    sac_progress progress = cli_progress("comparing");
    for (size_t row = 0; row < w->steps; row += rows) {
        size_t count = w->steps - row < rows ? w->steps - row : rows;
        sac_tile tile = {d->batch, d->head, row, count, 0, w->positions};
        float *other = lines + count * w->positions;
        sac_status status = w->sides(source->self, d->layer, &tile, lines, other, error);
        if (status != SAC_OK)
            return status;
        compare_rows(&tile, lines, other, d);
        double heads = (double)(w->layers * w->batch * w->heads);
        double done = (double)((d->layer * w->batch + d->batch) * w->heads + d->head);
        if (!progress.step(progress.user,
                           (done + (double)(row + count) / (double)w->steps) / heads))
            return sac_fail(error, SAC_E_CANCELLED, "compare", NULL, "stopped on request");
    }
    return SAC_OK;
}

/* ---------------------------------------------------------------- output */

static cJSON *difference_json(const difference *d)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "layer", (double)d->layer);
    cJSON_AddNumberToObject(json, "item", (double)d->batch);
    cJSON_AddNumberToObject(json, "head", (double)d->head);
    cJSON_AddNumberToObject(json, "largest", d->largest);
    cJSON_AddNumberToObject(json, "row", (double)d->row);
    cJSON_AddNumberToObject(json, "column", (double)d->column);
    cJSON_AddNumberToObject(json, "first", d->first);
    cJSON_AddNumberToObject(json, "second", d->second);
    cJSON_AddNumberToObject(json, "mean", d->sum / d->count);
    cJSON_AddNumberToObject(json, "rms", sqrt(d->squares / d->count));
    return json;
}

static void print(const request *r, const sac_source *source, const difference *all,
                  const difference *heads, size_t count)
{
    const sac_source *a = sac_difference_side(source, 0), *b = sac_difference_side(source, 1);
    if (r->json) {
        cJSON *root = cJSON_CreateObject();
        cJSON_AddStringToObject(root, "first", a->title);
        cJSON_AddStringToObject(root, "second", b->title);
        cJSON_AddStringToObject(root, "first_device", a->origin.device);
        cJSON_AddStringToObject(root, "second_device", b->origin.device);
        cJSON_AddItemToObject(root, "all", difference_json(all));
        cJSON *list = cJSON_AddArrayToObject(root, "heads");
        for (size_t i = 0; i < count; i++)
            cJSON_AddItemToArray(list, difference_json(&heads[i]));
        if (r->most_given)
            cJSON_AddBoolToObject(root, "held", all->largest <= (double)r->most);
        cli_print_json(root);
        return;
    }
    sac_print(stdout, "%5s %5s %5s %12s %12s %8s %8s %12s %12s\n", "layer", "item", "head", "mean",
              "largest", "row", "column", "first", "second");
    for (size_t i = 0; i < count; i++)
        sac_print(stdout, "%5zu %5zu %5zu %12.3g %12.3g %8zu %8zu %12.6g %12.6g\n", heads[i].layer,
                  heads[i].batch, heads[i].head, heads[i].sum / heads[i].count, heads[i].largest,
                  heads[i].row, heads[i].column, heads[i].first, heads[i].second);
    sac_print(stdout, "largest difference %.3g: layer %zu, head %zu, row %zu, column %zu; %s, %s\n",
              all->largest, all->layer, all->head, all->row, all->column,
              source->weights.side_names[0], source->weights.side_names[1]);
}

/* The head that differs most, at the cell that does. */
static sac_status draw(const request *r, sac_source *source, const difference *all,
                       sac_error *error)
{
    viz_weights_model *model = NULL;
    viz_view *view = NULL;
    char text[64];
    sac_status status = viz_weights_model_create(source, &model, error);
    if (status == SAC_OK)
        status = viz_matrix_view_create(model, &view, error);
    viz_weights_model_release(model);
    if (status != SAC_OK)
        return status;
    const struct {
        const char *key;
        size_t value;
    } head[] = {{"batch", all->batch},
                {"layer", sac_source_layer_number(source, all->layer)},
                {"head", all->head}};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%zu", head[i].value);
        viz_view_restore(view, head[i].key, text);
    }
    snprintf(text, sizeof text, "%zu,%zu", all->column, all->row);
    viz_view_restore(view, "query", text);
    return cli_drawing_write_view(&r->drawing, view, error);
}

static sac_status compare(const request *r, sac_error *error)
{
    sac_source source = {0};
    difference all = {0}, *heads = NULL;
    float *lines = NULL;
    size_t count = 0;
    sac_status status =
        app_open_difference(&r->request.open, r->files[0], r->files[1], &source, error);
    const sac_weights_source *w = &source.weights;
    if (status == SAC_OK) {
        size_t slab = SLAB > w->positions ? SLAB : w->positions;
        heads = calloc(w->layers * w->batch * w->heads, sizeof *heads);
        lines = malloc(2 * slab * sizeof *lines);
        status = heads && lines ? SAC_OK : sac_no_memory(error, "compare");
    }
    for (size_t i = 0; status == SAC_OK && i < w->layers * w->batch * w->heads; i++) {
        difference *d = &heads[count++];
        d->layer = i / w->heads / w->batch;
        d->batch = i / w->heads % w->batch;
        d->head = i % w->heads;
        status = compare_head(&source, lines, d, error);
        if (status != SAC_OK)
            break;
        const double sum = all.sum + d->sum, squares = all.squares + d->squares,
                     numbers = all.count + d->count;
        if (d->largest > all.largest || !all.count)
            all = *d;
        all.sum = sum;
        all.squares = squares;
        all.count = numbers;
    }
    cli_progress_clear();
    if (status == SAC_OK)
        print(r, &source, &all, heads, count);
    if (status == SAC_OK && cli_drawing_wanted(&r->drawing))
        status = draw(r, &source, &all, error);
    if (status == SAC_OK && r->most_given && !(all.largest <= (double)r->most))
        status =
            sac_fail(error, SAC_E_VALUE, r->files[0], NULL,
                     "weights differ by up to %.3g, more than %.3g", all.largest, (double)r->most);
    free(heads);
    free(lines);
    sac_source_destroy(&source);
    return status;
}

static int run_compare(cli_args args)
{
    request r = {0};
    int count;
    app_request *open = &r.request.open;
    static const char *const shared[] = {"--with", "--between", "--take", "--causal", NULL};
    cli_option options[3 + CLI_REQUEST_OPTIONS + 1] = {
        {"--most", CLI_REAL, &r.most, &r.most_given, "X",
         "exit with 1 where any weight differs by more"},
        {"--device", CLI_TEXT, &open->device, NULL, "S", CLI_DEVICE_HELP},
        {"--json", CLI_FLAG, &r.json, NULL, NULL, CLI_JSON_HELP},
    };
    cli_request_options(&r.request, shared, options + 3);
    sac_error error = {0};
    r.drawing.types = CLI_BIT(CLI_PNG) | CLI_BIT(CLI_SVG) | CLI_BIT(CLI_PDF) | CLI_TABLES;
    r.drawing.what = "the head that differs most, as a map of differences";
    r.drawing.json = &r.json;
    int status = cli_parse_drawing(args, options, &r.drawing, r.files, 2, &count);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    if (!count)
        return cli_usage("compare", "needs a file", "usage: saccade compare FILE [FILE] [OPTIONS]");
    if (count == 1 && !open->with && !open->between)
        return cli_usage("compare", "has nothing to compare the file with",
                         "give a second file, or --with and a device, or --between and two parts");
    if (r.most_given && !(r.most >= 0))
        return cli_usage("--most", "must be at least 0", "give a number from 0");
    status = cli_request_check_and_fill(&r.request);
    if (status != CLI_DONE)
        return status;
    open->windowless = true;
    sac_status done = cli_drawing_open_fonts(&r.drawing, &error);
    if (done == SAC_OK)
        done = compare(&r, &error);
    cli_drawing_close_fonts(&r.drawing);
    return done == SAC_OK ? CLI_DONE : cli_report(&error);
}

const cli_command cli_compare = {
    "compare", "FILE [FILE] [OPTIONS]",
    "how the weights of two files, or of two devices, layers or heads of one, differ", run_compare};
