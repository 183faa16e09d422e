/* saccade attend: attention on arrays out of a file, the results into another. */
#include <math.h>
#include <string.h>

#include "arrays/arrays.h"
#include "attention/attention.h"
#include "attention/spec/resolve.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "base/text/suggestion.h"
#include "cli/cli.h"
#include "cli/commands/attend_part.h"
#include "cli/drawing.h"
#include "cli/json.h"
#include "device/device.h"
#include "saccade_arrays.h"
#include "scores/scores.h"
#include "sharing/attention/devices.h"
#include "sharing/attention/ring.h"
#include "sharing/ranks/ranks.h"
#include "sources/files/queries/attention_file.h"

typedef struct cli_shared {
    sac_array output; /* the form of the output, in the file's order of axes */
    sac_variant variant;
    char device[256];
    double seconds;  /* of the slowest process, from its first key to its last */
    double waited_s; /* of that process, for keys and values */
    double sent;     /* bytes of keys and values, by all processes */
} cli_shared;

/* ---------------------------------------------------------------- by several processes, whose results go
 * into one file */

enum { MOST_PROCESSES = 1024 };

/* Output and log-sum-exp, or the second alone. */
typedef struct results {
    sac_array own[2][2]; /* [result][piece of this process], in the file's order of axes */
    sac_array forms[2];  /* of the whole */
    sac_gathered all[2];
    sac_gathered_piece pieces[2][2 * MOST_PROCESSES];
} results;

/* A result of the whole: its form, the axis of the queries, and where its pieces lie. */
static void describe_gathered_result(results *r, int result, int axis, size_t queries)
{
    int processes = sac_ranks_count(), me = sac_ranks_me();
    sac_array *form = &r->forms[result];
    sac_gathered *all = &r->all[result];
    *form = r->own[result][0];
    form->data = NULL;
    form->shape[axis] = queries;
    *all = (sac_gathered){.before = 1,
                          .item_bytes = sizeof(float),
                          .pieces = r->pieces[result],
                          .count = 2 * processes};
    for (int i = 0; i < axis; i++)
        all->before *= form->shape[i];
    for (int i = axis + 1; i < form->rank; i++)
        all->item_bytes *= form->shape[i];
    for (int i = 0; i < all->count; i++) {
        int owner = sac_ring_owner(processes, i);
        r->pieces[result][i] =
            (sac_gathered_piece){.owner = owner,
                                 .count = sac_ring_piece(queries, processes, i).count,
                                 .data = owner == me ? r->own[result][i >= processes].data : NULL};
    }
}

/* The results of the ring as arrays, in the file's order of axes: log-sum-exp lent from it, output copied. */
static sac_status collect_ring_results(const sac_attention_file *file, sac_ring *ring, results *r,
                                       sac_error *error)
{
    const sac_attention_shape *s = &file->shape;
    sac_status status = SAC_OK;
    int lse = file->input.value ? 1 : 0;
    for (int piece = 0; piece < 2 && status == SAC_OK; piece++) {
        size_t rows = ring->queries[piece].count, shape[SAC_MAX_RANK];
        sac_array *output = &r->own[0][piece];
        r->own[lse][piece] = sac_array_view(SAC_F32, 3, (size_t[]){s->batch, s->heads, rows},
                                            ring->results[piece].lse);
        if (!lse)
            continue;
        memcpy(shape, s->output_shape, sizeof s->output_shape);
        shape[s->output_rank - 2] = rows;
        status = sac_array_create(SAC_F32, s->output_rank, shape, output, error);
        if (status != SAC_OK)
            break;
        memcpy(output->data, ring->results[piece].output, sac_array_count(output) * sizeof(float));
        status = sac_vectors_restore(output, file->axes, error);
    }
    if (status != SAC_OK)
        return status;
    if (lse) { /* without the packed axis, which outputs have not */
        sac_vector_axes axes;
        sac_vector_axes_unpack(file->axes, axes);
        describe_gathered_result(r, 0, (int)(strchr(axes, 'T') - axes), s->queries);
    }
    describe_gathered_result(r, lse, 2, s->queries);
    return SAC_OK;
}

static sac_status next_bytes(void *user, void *bytes, size_t size, sac_error *error)
{
    return sac_gathered_next(user, bytes, size, error);
}

/* Process 0 writes what the others send. */
static sac_status save_shared(const char *path, results *r, int count, sac_error *error)
{
    static const char *const names[] = {"output", "lse"};
    sac_named_array arrays[2];
    sac_array_stream streams[2];
    sac_status status = SAC_OK;
    for (int i = 0; i < count; i++) {
        arrays[i] = (sac_named_array){names[i + 2 - count], &r->forms[i]};
        streams[i] = (sac_array_stream){next_bytes, &r->all[i]};
    }
    if (sac_ranks_me() == 0)
        status = sac_npz_save_streams(path, arrays, streams, (size_t)count, error);
    for (int i = 0; i < count; i++)
        if (sac_ranks_me() == 0)
            sac_gathered_end(&r->all[i]);
        else if (status == SAC_OK)
            status = sac_gathered_send_own(&r->all[i], error);
    return sac_ranks_agree(status, error);
}

/* Computes the attention of a file with the other processes and writes output and log-sum-exp to
 * `path`, a .npz. Each reads its own queries, keys and values, and process 0 writes. */
static sac_status attend_shared(const char *device_name, const sac_attention_file *file,
                                const char *path, const sac_progress *progress, cli_shared *shared,
                                sac_error *error)
{
    static results r; /* too large for a stack */
    sac_ring ring = {0};
    sac_device *device = NULL;
    sac_status status = sac_ranks_count() <= MOST_PROCESSES
                            ? sac_device_open(cli_own_device(device_name), &device, error)
                            : sac_fail(error, SAC_E_ARGUMENT, "processes", NULL,
                                       "%d are more than %d", sac_ranks_count(), MOST_PROCESSES);
    status = sac_ranks_agree(status, error);
    if (status == SAC_OK) {
        sac_device_short_name(sac_device_get_info(device), shared->device, sizeof shared->device);
        status =
            sac_ring_run(device, &file->spec, &file->input, &file->shape, &ring, progress, error);
        cli_progress_clear();
        status = sac_ranks_agree(status, error);
    }
    if (status == SAC_OK) {
        /* What each process measured, as one. */
        double mine[] = {ring.computed_s + ring.waited_s, ring.waited_s, ring.sent};
        double all[3 * MOST_PROCESSES];
        status = sac_ranks_share(mine, all, sizeof mine, error);
        for (int i = 0; status == SAC_OK && i < sac_ranks_count(); i++) {
            if (all[3 * i] > shared->seconds) {
                shared->seconds = all[3 * i];
                shared->waited_s = all[3 * i + 1];
            }
            shared->sent += all[3 * i + 2];
        }
    }
    if (status == SAC_OK)
        status = sac_ranks_agree(collect_ring_results(file, &ring, &r, error), error);
    if (status == SAC_OK)
        status = save_shared(path, &r, file->input.value ? 2 : 1, error);
    shared->variant = ring.variant;
    if (file->input.value) {
        shared->output = r.forms[0];
        for (int piece = 0; piece < 2; piece++)
            sac_array_free(&r.own[0][piece]);
    }
    sac_ring_free(&ring);
    sac_device_close(device);
    return status;
}

/* The options, as they were given. */
typedef struct request {
    const char *files[2]; /* in, out */
    const char *score, *normalizer, *split, *variant, *storage, *device, *take, *axes, *leave_out,
        *causal;
    int window;
    bool no_weights, json, bandwidth_given, heads_given, window_given;
    sac_attention_spec spec;
    cli_attend_part part;
} request;

/* The results. */
typedef struct outcome {
    sac_attention_shape shape;
    sac_variant variant;
    char device[256];
    char unused[400];               /* "not used: …"; empty: all was */
    char note[240];                 /* of the file; empty: nothing */
    sac_vector_axes axes;           /* how the file has queries, keys and values */
    double seconds, operations;     /* of the run */
    cli_shared shared;              /* where several processes compute */
    sac_device_shares shares;       /* where several devices do; count 0: one */
    sac_array output, lse, weights; /* owned; rank 0 and no data: not requested */
    cli_attend_part part;           /* in place of those */
} outcome;

/* ---------------------------------------------------------------- options */

/* The index of `text` among the words, which end with NULL; *index stays where `text` is NULL. */
static int find_word_index(const char *option, const char *text, const char *const *words,
                           int *index)
{
    char what[128], remedy[128] = "give one of ";
    sac_suggestion suggestion = {.word = text};
    if (!text)
        return CLI_DONE;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *index = i;
            return CLI_DONE;
        }
        sac_suggestion_try(&suggestion, words[i]);
        size_t used = strlen(remedy);
        snprintf(remedy + used, sizeof remedy - used, "%s%s", i ? ", " : "", words[i]);
    }
    if (sac_suggestion_get(&suggestion))
        snprintf(remedy, sizeof remedy, "did you mean %s?", sac_suggestion_get(&suggestion));
    snprintf(what, sizeof what, "unknown value \"%.60s\"", text);
    return cli_usage(option, what, remedy);
}

static int check_files(const request *r, int count)
{
    const char *usage = "usage: saccade attend IN.npz OUT.npz [OPTIONS]";
    if (count < 2)
        return cli_usage("attend", "needs an input file and an output file", usage);
    const char *name = strrchr(r->files[1], '/');
    const char *ending = strrchr(name ? name : r->files[1], '.');
    if (ending && strcmp(ending, ".npz") != 0 && strcmp(ending, ".safetensors") != 0)
        return cli_usage(r->files[1], "is neither .npz nor .safetensors",
                         "let the name of the output end in one of them");
    return CLI_DONE;
}

/* Values that the options' kinds let through but attention does not. */
static int check_values(const request *r)
{
    sac_error error = {0};
    if (r->part.figures && r->part.columns_text)
        return cli_usage("--columns", "is given with --figures, which are of whole rows",
                         "leave one of them out");
    if (r->heads_given && r->spec.heads < 1)
        return cli_usage("--heads", "must be at least 1", "give 1 or more");
    if (r->bandwidth_given && !(r->spec.bandwidth > 0))
        return cli_usage("--bandwidth", "must be above 0", "give a positive number");
    if (r->window_given && r->window < 1)
        return cli_usage("--window", "must be at least 1", "give 1 or more");
    if (sac_attention_check_spec(&r->spec, &error) != SAC_OK)
        return cli_report(&error);
    return CLI_DONE;
}

/* The words that were given, as what they stand for. */
static int parse_option_words(request *r)
{
    static const char *const splits[] = {"transpose", "view", NULL};
    const char *scores[SAC_SCORE_COUNT + 1] = {NULL}, *variants[SAC_VARIANT_COUNT + 1] = {NULL},
                                         *storages[SAC_STORAGE_COUNT + 1] = {NULL},
                                         *normalizers[SAC_NORMALIZER_COUNT + 1] = {NULL};
    int normalizer = 0, score = 0, split = 0, variant = 0, storage = 0;
    for (int i = 0; i < SAC_SCORE_COUNT; i++)
        scores[i] = sac_score_name((sac_score)i);
    for (int i = 0; i < SAC_NORMALIZER_COUNT; i++)
        normalizers[i] = sac_normalizer_name((sac_normalizer)i);
    for (int i = 0; i < SAC_VARIANT_COUNT; i++)
        variants[i] = sac_variant_name((sac_variant)i);
    for (int i = 0; i < SAC_STORAGE_COUNT; i++)
        storages[i] = sac_storage_name((sac_storage)i);
    int status = find_word_index("--score", r->score, scores, &score);
    if (status == CLI_DONE)
        status = find_word_index("--normalizer", r->normalizer, normalizers, &normalizer);
    if (status == CLI_DONE)
        status = find_word_index("--head-split", r->split, splits, &split);
    if (status == CLI_DONE)
        status = find_word_index("--variant", r->variant, variants, &variant);
    if (status == CLI_DONE)
        status = find_word_index("--storage", r->storage, storages, &storage);
    r->spec.score = (sac_score)score;
    r->spec.normalizer = (sac_normalizer)normalizer;
    r->spec.split = (sac_head_split)split;
    r->spec.variant = (sac_variant)variant;
    r->spec.storage = (sac_storage)storage;
    cli_parse_causal(r->causal, &r->spec);
    r->spec.window = r->window > 0 ? (size_t)r->window : 0;
    return status;
}

static int read_options(cli_args args, request *r, int *file_count)
{
    sac_attention_spec *spec = &r->spec;
    char scores[160];
    const char *out = NULL;
    cli_drawing drawing = {.what = "the results (in place of OUT.npz), or what --json prints",
                           .npz = &out,
                           .weights = &out,
                           .json = &r->json};
    const cli_option own[] = {
        {"--score", CLI_TEXT, &r->score, NULL, "S", scores},
        {"--normalizer", CLI_TEXT, &r->normalizer, NULL, "N",
         "what makes weights of scores: softmax (default), entmax15 or sparsemax, which give low "
         "scores exactly 0"},
        {"--scale", CLI_REAL, &spec->scale, &spec->use_scale, "X",
         "factor of the raw score, instead of the score's own scale"},
        {"--softcap", CLI_REAL, &spec->softcap, NULL, "C",
         "a scaled score s becomes C tanh(s/C) before biases and masks, as in Gemma 2"},
        {"--bandwidth", CLI_REAL, &spec->bandwidth, &r->bandwidth_given, "H",
         "gaussian score: what the distance is divided by (default 1)"},
        {"--heads", CLI_WHOLE, &spec->heads, &r->heads_given, "H",
         "number of heads in [T,D] and [B,T,D] inputs (default 1)"},
        {"--kv-heads", CLI_WHOLE, &spec->key_heads, NULL, "H",
         "number of heads in key and value, each shared by several heads of the query (default: as "
         "many)"},
        {"--window", CLI_WHOLE, &r->window, &r->window_given, "N",
         "query i sees keys less than N away"},
        {"--take", CLI_TEXT, &r->take, NULL, "NAME",
         "array of queries, where the file holds several"},
        {"--axes", CLI_TEXT, &r->axes, NULL, "AXES",
         "order of the axes of query, key and value, such as BTHD (default TD, BTD or BHTD)"},
        {"--leave-out", CLI_TEXT, &r->leave_out, NULL, "NAMES",
         "arrays to ignore, separated by commas; * matches any text"},
        {"--head-split", CLI_TEXT, &r->split, NULL, "HOW",
         "how heads are split: transpose (default), or view, the well-known mistake"},
        {"--causal", CLI_CHOICE, &r->causal, NULL, CLI_CAUSAL_WORDS,
         "query i sees keys 0 to i; with fewer queries than keys counted from the end"},
        {"--dropout", CLI_REAL, &spec->dropout, NULL, "P",
         "probability that a weight is dropped; the others grow by 1/(1-P)"},
        {"--seed", CLI_SEED, &spec->seed, NULL, "N", "seed of the dropout (default 0)"},
        {"--no-weights", CLI_FLAG, &r->no_weights, NULL, NULL,
         "write no weights: memory then grows with T, not with T²"},
        {"--rows", CLI_TEXT, &r->part.rows_text, NULL, "A:B",
         "only rows A to B-1: their weights and lse, over all keys"},
        {"--columns", CLI_TEXT, &r->part.columns_text, NULL, "C:D",
         "only columns C to D-1 of the weights"},
        {"--figures", CLI_FLAG, &r->part.figures, NULL, NULL,
         "in place of weights and output: entropy, peak, distance … of each row"},
        {"--device", CLI_TEXT, &r->device, NULL, "S", CLI_DEVICES_HELP},
        {"--variant", CLI_TEXT, &r->variant, NULL, "V",
         "kernels: auto (default), cpu, gpu, naive, or matrix (matrix instructions, for float16, "
         "and "
         "on NVIDIA for float32 too)"},
        {"--storage", CLI_TEXT, &r->storage, NULL, "HOW",
         "query, key and value on the device: float32 (default), float16 or bfloat16"},
        {"--json", CLI_FLAG, &r->json, NULL, NULL, "print the summary as JSON"},
        {NULL},
    };
    /* "scaled-dot, dot or gaussian (default scaled-dot)" */
    const char *names[SAC_SCORE_COUNT];
    for (int i = 0; i < SAC_SCORE_COUNT; i++)
        names[i] = sac_score_name((sac_score)i);
    sac_names_join(names, SAC_SCORE_COUNT, scores, sizeof scores);
    snprintf(scores + strlen(scores), sizeof scores - strlen(scores), " (default %s)", names[0]);
    int status = cli_parse_drawing(args, own, &drawing, r->files, 2, file_count);
    if (status == CLI_DONE && out && *file_count == 2)
        return cli_usage(out, "is a second file for the results", "give OUT.npz, or --out FILE");
    if (out && *file_count < 2)
        r->files[(*file_count)++] = out;
    return status;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* What the whole command needs to be shared among processes. */
static int check_shared(const request *r)
{
    if (sac_ranks_count() == 1)
        return CLI_DONE;
    if (cli_attend_part_wanted(&r->part))
        return cli_usage("attend", "does not compute parts in several processes",
                         "start it without mpirun");
    if (!r->no_weights)
        return cli_usage("weights", "are not written by several processes", "add --no-weights");
    if (!ends_in(r->files[1], ".npz"))
        return cli_usage(r->files[1], "is not written by several processes",
                         "give a name that ends in .npz");
    return CLI_DONE;
}

static int read_request(cli_args args, request *r)
{
    int count;
    int status = read_options(args, r, &count);
    if (status == CLI_DONE)
        status = parse_option_words(r);
    if (status == CLI_DONE)
        status = check_files(r, count);
    if (status == CLI_DONE)
        status = check_shared(r);
    return status == CLI_DONE ? check_values(r) : status;
}

/* ---------------------------------------------------------------- memory and files */

/* Bytes of memory that can be had without swapping; infinite where it is unknown. */
static double available_memory_bytes(void)
{
    char line[128];
    double kilobytes = INFINITY;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

/* Room for all weights [B,H,Tq,Tk], refused before the machine runs out of memory. */
static sac_status create_all_weights(const sac_attention_shape *s, sac_array *weights,
                                     sac_error *error)
{
    size_t shape[] = {s->batch, s->heads, s->queries, s->keys};
    char text[128];
    sac_array all = sac_array_view(SAC_F32, 4, shape, NULL);
    double bytes = 4.0 * (double)s->batch * (double)s->heads * (double)s->queries * (double)s->keys;
    if (bytes < available_memory_bytes() &&
        sac_array_create(SAC_F32, 4, shape, weights, error) == SAC_OK)
        return SAC_OK;
    return sac_fail(error, SAC_E_MEMORY, "weights", "add --no-weights",
                    "%s takes %.1f GiB, more than the memory that is free (%.1f GiB)",
                    sac_array_shape_text(&all, text, sizeof text), bytes / 0x1p30,
                    available_memory_bytes() / 0x1p30);
}

/* The output goes back into the order of axes that the file has. */
static sac_status save(const char *path, outcome *o, sac_error *error)
{
    sac_named_array arrays[10];
    if (o->output.data) {
        sac_status status = sac_vectors_restore(&o->output, o->axes, error);
        if (status != SAC_OK)
            return status;
    }
    size_t count = 0;
    if (o->output.data)
        arrays[count++] = (sac_named_array){"output", &o->output};
    if (o->weights.data)
        arrays[count++] = (sac_named_array){"weights", &o->weights};
    if (o->lse.data)
        arrays[count++] = (sac_named_array){"lse", &o->lse};
    for (size_t i = 0; i < o->part.count; i++)
        arrays[count++] = (sac_named_array){o->part.names[i], &o->part.arrays[i]};
    if (ends_in(path, ".safetensors"))
        return sac_safetensors_save(path, arrays, count, NULL, error);
    return sac_npz_save(path, arrays, count, error);
}

/* ---------------------------------------------------------------- the work */

/* The operations of the scores and the weighted sums; softmax and projections are left out. Keys
 * that --causal hides do not count, those that other masks hide do. */
static double count_operations(const sac_attention_spec *spec, const sac_attention_input *input,
                               const sac_attention_shape *s)
{
    double queries = (double)s->queries, keys = (double)s->keys, pairs = queries * keys;
    if (spec->causal) { /* each query sees one more than the one before it, from 0 to all */
        double first = (double)sac_attention_offset(spec, s->queries, s->keys) + 1;
        double blind = fmin(fmax(1 - first, 0), queries), least = fmax(first, 1);
        double rising = fmin(queries - blind, fmax(keys - least, 0));
        pairs = rising * (2 * least + rising - 1) / 2 + (queries - blind - rising) * keys;
    }
    const sac_score_class *class = sac_score_class_of(spec->score);
    bool is_hidden = class->weights == SAC_WEIGHTS_HIDDEN;
    size_t dim = is_hidden ? input->score_w_v->shape[0] : s->key_dim;
    double score = class->operations * (double)dim;
    return pairs * (double)(s->batch * s->heads) * (score + 2.0 * (double)s->value_dim);
}

/* By several devices of this machine. */
static sac_status compute_by_devices(const request *r, const sac_attention_file *file, outcome *o,
                                     sac_error *error)
{
    sac_progress progress = cli_progress("attention");
    sac_attention_output output = {o->output.data, o->lse.data, o->weights.data};
    double start = sac_now();
    sac_status status = sac_devices_attend(r->device, &file->spec, &file->input, &file->shape,
                                           &output, &progress, &o->shares, error);
    o->seconds = sac_now() - start;
    o->operations = count_operations(&file->spec, &file->input, &o->shape);
    cli_progress_clear();
    for (int i = 0; i < o->shares.count; i++) {
        size_t used = strlen(o->device);
        const sac_device_share *share = &o->shares.of[i];
        snprintf(o->device + used, sizeof o->device - used, "%s%s (%.0f %%)", i ? ", " : "",
                 share->name, 100 * (double)share->rows / (double)file->shape.queries);
        if (share->rows)
            o->variant = share->variant;
    }
    return status;
}

static sac_status compute(const request *r, const sac_attention_file *file, outcome *o,
                          sac_error *error)
{
    if (sac_devices_are_several(r->device))
        return compute_by_devices(r, file, o, error);

    const sac_attention_input *input = &file->input;
    sac_device *device = NULL;
    sac_attention *attention = NULL;
    sac_progress progress = cli_progress("attention");
    sac_status status = sac_device_open(r->device, &device, error);
    if (status == SAC_OK)
        status = sac_attention_create_resolved(device, &file->spec, &file->shape, input, &attention,
                                               error);
    if (status == SAC_OK) {
        o->operations = count_operations(&file->spec, input, &o->shape);
        sac_device_short_name(sac_device_get_info(device), o->device, sizeof o->device);
        o->variant = sac_attention_get_variant(attention);
        sac_attention_output output = {o->output.data, o->lse.data, o->weights.data};
        double start = sac_now();
        status = cli_attend_part_wanted(&o->part)
                     ? cli_attend_part_compute(
                           &o->part, attention,
                           sac_attention_offset(&file->spec, o->shape.queries, o->shape.keys),
                           &progress, error)
                     : sac_attention_run(attention, &output, &progress, error);
        o->seconds = sac_now() - start;
    }
    cli_progress_clear();
    if ((status == SAC_OK || status == SAC_E_CANCELLED) && cli_interrupted())
        status = sac_fail(error, SAC_E_CANCELLED, "attention", NULL, "stopped on request");
    sac_attention_destroy(attention);
    sac_device_close(device);
    return status;
}

/* The queries that --take names, or the only ones there are. */
static sac_status choose_queries(const request *r, const sac_arrays *arrays, char *name,
                                 size_t size, sac_error *error)
{
    char list[400];
    sac_array_groups groups;
    sac_status status = sac_queries_find(arrays, r->take, &groups, error);
    if (status != SAC_OK)
        return status;
    const sac_array_group *first = groups.group;
    const char *unread = r->take ? sac_unread_find(arrays, r->take) : NULL;
    snprintf(name, size, "%s", groups.count ? first->layers[0].name : "query");
    if (!sac_arrays_size(arrays))
        status = sac_fail(error, SAC_E_FORMAT, NULL, "check how it was made", "holds no arrays");
    else if (unread && !groups.count)
        status = sac_fail(error, SAC_E_FORMAT, unread, NULL, "%s",
                          sac_arrays_unread_reason(arrays, unread));
    else if (r->take && !groups.count)
        status = sac_fail(error, SAC_E_ARGUMENT, r->take, "give the name of an array of queries",
                          "no such array with keys beside it; the file holds %s",
                          sac_arrays_text(arrays, list, sizeof list));
    else if (!groups.count && !sac_arrays_find(arrays, "query"))
        status =
            sac_fail(error, SAC_E_ARGUMENT, "query",
                     "give query and key, or q and k, or qkv; saccade(1) has more names",
                     "is missing; the file holds %s", sac_arrays_text(arrays, list, sizeof list));
    else if (groups.count > 1 || (groups.count && first->count > 1))
        status = sac_fail(error, SAC_E_ARGUMENT, r->take,
                          groups.count > 1 ? "choose one with --take NAME"
                                           : "choose a layer with --take NAME, with its number",
                          "more than one array of queries fits: %s",
                          sac_array_groups_text(&groups, list, sizeof list));
    sac_array_groups_free(&groups);
    return status;
}

static sac_status read_arrays(const request *r, const sac_arrays *arrays, sac_attention_file *file,
                              outcome *o, sac_error *error)
{
    char query[256];
    sac_attention_request asked = {.query = query,
                                   .axes = r->axes,
                                   .leave_out = r->leave_out,
                                   .spec = r->spec,
                                   .values_later = sac_ranks_count() > 1};
    sac_status status = choose_queries(r, arrays, query, sizeof query, error);
    if (status == SAC_OK)
        status = sac_attention_file_read(arrays, &asked, file, error);
    if (status == SAC_OK) {
        o->shape = file->shape;
        memcpy(o->axes, file->axes, sizeof o->axes);
        memcpy(o->note, file->note, sizeof o->note);
        sac_not_used_text(arrays, file->used, o->unused, sizeof o->unused);
    }
    return sac_error_within(error, status, r->files[0]);
}

/* Reads, computes and writes; sets *wrong_input where the arrays in the file are at fault. */
static sac_status attend(const request *r, outcome *o, bool *wrong_input, sac_error *error)
{
    sac_arrays *arrays = NULL;
    sac_attention_file file = {0};
    sac_status status = sac_arrays_open(r->files[0], &arrays, error);
    if (status == SAC_OK) {
        status = read_arrays(r, arrays, &file, o, error);
        *wrong_input = status != SAC_OK;
    }
    if (status == SAC_OK && sac_ranks_me() == 0)
        status = sac_output_check(r->files[1], error);
    status = cli_inputs_agree(status, error);
    if (status == SAC_OK && sac_ranks_count() > 1) {
        sac_progress progress = cli_progress("attention");
        status = attend_shared(r->device, &file, r->files[1], &progress, &o->shared, error);
        o->operations = count_operations(&file.spec, &file.input, &o->shape);
        o->seconds = o->shared.seconds;
        o->variant = o->shared.variant;
        o->output = o->shared.output;
        memcpy(o->device, o->shared.device, sizeof o->device);
        goto cleanup;
    }
    o->part = r->part;
    if (status == SAC_OK && cli_attend_part_wanted(&o->part)) {
        status = cli_attend_part_parse(&o->part, &o->shape, error);
    } else if (status == SAC_OK) {
        const sac_attention_shape *s = &o->shape;
        status = sac_array_create(SAC_F32, 3, (size_t[]){s->batch, s->heads, s->queries}, &o->lse,
                                  error);
        if (status == SAC_OK && (file.input.value != NULL))
            status = sac_array_create(SAC_F32, s->output_rank, s->output_shape, &o->output, error);
        if (status == SAC_OK && !r->no_weights)
            status = create_all_weights(s, &o->weights, error);
    }
    if (status == SAC_OK)
        status = compute(r, &file, o, error);
    if (status == SAC_OK)
        status = save(r->files[1], o, error);
cleanup:
    sac_attention_file_free(&file);
    sac_arrays_close(arrays);
    return status;
}

/* ---------------------------------------------------------------- the summary */

/* The number to three digits, or as an integer: 0.0123, 36.6, 5414. */
static const char *format_figure(double number, char text[32])
{
    snprintf(text, 32, number < 100 ? "%.3g" : "%.0f", number);
    return text;
}

static cJSON *shape_json(int rank, const size_t *shape)
{
    cJSON *json = cJSON_CreateArray();
    for (int i = 0; i < rank; i++)
        cJSON_AddItemToArray(json, cJSON_CreateNumber((double)shape[i]));
    return json;
}

static void print_json(const request *r, const outcome *o)
{
    const sac_attention_shape *s = &o->shape;
    size_t weights[] = {s->batch, s->heads, s->queries, s->keys};
    bool part = cli_attend_part_wanted(&o->part);
    if (part) {
        weights[2] = o->part.rows;
        weights[3] = o->part.columns;
    }
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "score", sac_score_name(r->spec.score));
    cJSON_AddStringToObject(root, "normalizer", sac_normalizer_name(r->spec.normalizer));
    cJSON_AddItemToObject(root, "weights", shape_json(4, weights));
    cJSON_AddItemToObject(root, "output", shape_json(o->output.rank, o->output.shape));
    cJSON_AddStringToObject(root, "axes", o->axes);
    cJSON_AddStringToObject(root, "variant", sac_variant_name(o->variant));
    cJSON_AddStringToObject(root, "device", o->device);
    cJSON *devices = o->shares.count ? cJSON_AddArrayToObject(root, "devices") : NULL;
    for (int i = 0; i < o->shares.count; i++) {
        const sac_device_share *share = &o->shares.of[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "device", share->name);
        cJSON_AddStringToObject(one, "variant", sac_variant_name(share->variant));
        cJSON_AddNumberToObject(one, "rows", (double)share->rows);
        cJSON_AddNumberToObject(one, "milliseconds", 1e3 * share->seconds);
        cJSON_AddBoolToObject(one, "failed", share->failed);
        cJSON_AddItemToArray(devices, one);
    }
    cJSON_AddNumberToObject(root, "milliseconds", 1e3 * o->seconds);
    if (part)
        cli_attend_part_json(&o->part, root);
    else
        cJSON_AddNumberToObject(root, "gflops", 1e-9 * o->operations / o->seconds);
    if (sac_ranks_count() > 1) {
        cJSON_AddNumberToObject(root, "processes", sac_ranks_count());
        cJSON_AddNumberToObject(root, "waited_milliseconds", 1e3 * o->shared.waited_s);
        cJSON_AddNumberToObject(root, "exchanged_bytes", o->shared.sent);
    }
    cJSON_AddStringToObject(root, "file", r->files[1]);
    cli_print_json(root);
}

static int run_attend(cli_args args)
{
    request r = {0};
    outcome o = {0};
    bool wrong_input = false;
    sac_error error = {0};
    int status = read_request(args, &r);
    if (status != CLI_DONE)
        return status < 0 ? CLI_DONE : status;
    sac_status done = attend(&r, &o, &wrong_input, &error);
    if (o.note[0] && sac_ranks_me() == 0)
        sac_print(stderr, "saccade: %s: %s\n", r.files[0], o.note);
    if (o.unused[0] && sac_ranks_me() == 0)
        sac_print(stderr, "saccade: %s: %s\n", r.files[0], o.unused);
    if (done != SAC_OK) {
        status = cli_report(&error);
        if (wrong_input) /* the command was right: the file is not */
            status = CLI_FAILED;
    } else if (r.json) {
        print_json(&r, &o);
    } else if (cli_attend_part_wanted(&o.part)) {
        char time[32];
        cli_attend_part_print(&o.part);
        sac_print(stdout, "rows %zu to %zu of [%zu,%zu,%zu,%zu] in %s ms on %s; wrote %s\n",
                  o.part.row, o.part.row + o.part.rows - 1, o.shape.batch, o.shape.heads,
                  o.shape.queries, o.shape.keys, format_figure(1e3 * o.seconds, time), o.device,
                  r.files[1]);
    } else {
        const sac_attention_shape *s = &o.shape;
        char time[32], rate[32], axes[24];
        char shared[64] = "", processes[48] = "";
        bool is_softmax = r.spec.normalizer == SAC_NORMALIZER_SOFTMAX;
        if (sac_ranks_count() > 1)
            snprintf(processes, sizeof processes, ", %d processes", sac_ranks_count());
        if (s->key_heads != s->heads)
            snprintf(shared, sizeof shared, " (%zu heads to each of %zu keys)",
                     s->heads / s->key_heads, s->key_heads);
        sac_print(
            stdout,
            "%s%s%s attention [%zu,%zu,%zu,%zu]%s of %s in %s ms (%s GFLOP/s) by the %s kernels on "
            "%s%s; wrote %s\n",
            sac_score_name(r.spec.score), is_softmax ? "" : " ",
            is_softmax ? "" : sac_normalizer_name(r.spec.normalizer), s->batch, s->heads,
            s->queries, s->keys, shared, sac_vector_axes_text(o.axes, axes, sizeof axes),
            format_figure(1e3 * o.seconds, time),
            format_figure(1e-9 * o.operations / o.seconds, rate), sac_variant_name(o.variant),
            o.device, processes, r.files[1]);
    }
    sac_array_free(&o.output);
    sac_array_free(&o.lse);
    sac_array_free(&o.weights);
    cli_attend_part_free(&o.part);
    return status;
}

const cli_command cli_attend = {
    "attend", "IN.npz OUT.npz [OPTIONS]",
    "compute attention on arrays: query, key and value in; output, weights, log-sum-exp out",
    run_attend, .shares = true};
