/* saccade attend: what it computes, and the one clear line that bad input gets. */
#include "run.h"

#include <unistd.h>
#include <zip.h>

#include <sys/mount.h>

#include "saccade_arrays.h"

/* ---------------------------------------------------------------- files to attend to */

/* In the folder of each test: in.npz with query [2,8,16], key [2,12,16], value [2,12,10]. */
static char in[80], out[80];

static sac_array ramp(int rank, const size_t *shape)
{
    sac_array array;
    assert_int_equal(sac_array_create(SAC_F32, rank, shape, &array, NULL), SAC_OK);
    for (size_t i = 0; i < sac_array_count(&array); i++)
        ((float *)array.data)[i] = sinf((float)i);
    return array;
}

static void save(const char *path, const sac_array *query, const sac_array *key,
                 const sac_array *value)
{
    sac_named_array all[] = {{"query", query}, {"key", key}, {"value", value}};
    sac_error error = {0};
    if (sac_npz_save(path, all, 3, &error) != SAC_OK)
        fail_msg("%s: %s", error.where, error.what);
}

/* query [Tq,d], key [Tk,d], value [Tk,dv]. */
static void save_sizes(const char *path, size_t queries, size_t keys, size_t dim, size_t value_dim)
{
    sac_array query = ramp(2, (size_t[]){queries, dim}), key = ramp(2, (size_t[]){keys, dim});
    sac_array value = ramp(2, (size_t[]){keys, value_dim});
    save(path, &query, &key, &value);
    sac_array_free(&query);
    sac_array_free(&key);
    sac_array_free(&value);
}

static int enter(void **state)
{
    make_folder(state);
    snprintf(in, sizeof in, "%s", here("in.npz"));
    snprintf(out, sizeof out, "%s", here("out.npz"));
    sac_array query = ramp(3, (size_t[]){2, 8, 16}), key = ramp(3, (size_t[]){2, 12, 16});
    sac_array value = ramp(3, (size_t[]){2, 12, 10});
    save(in, &query, &key, &value);
    sac_array_free(&query);
    sac_array_free(&key);
    sac_array_free(&value);
    return 0;
}

/* in.npz, an array in it, and the error about it: "FOLDER/in.npz: query: what". */
static const char *in_line(const char *what)
{
    static char line[1024];
    snprintf(line, sizeof line, "%s: %s", in, what);
    return line;
}

/* Nothing stands in the folder but in.npz: no output, not even a part of one. */
static void assert_no_output(void)
{
    assert_int_equal(folder_count(folder), 1);
}

/* ---------------------------------------------------------------- what it computes */

static double distance(const sac_array *mine, const sac_array *wanted)
{
    double difference = 0, norm = 0;
    assert_non_null(mine);
    assert_int_equal(mine->dtype, SAC_F32);
    assert_int_equal(mine->rank, wanted->rank);
    for (int i = 0; i < mine->rank; i++)
        assert_int_equal(mine->shape[i], wanted->shape[i]);
    const float *a = mine->data, *b = wanted->data;
    for (size_t i = 0; i < sac_array_count(wanted); i++) {
        if (isinf(b[i])) {
            assert_true(a[i] == b[i]);
            continue;
        }
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        norm += (double)b[i] * b[i];
    }
    return sqrt(difference / norm);
}

static void compare(const char *mine, const char *wanted)
{
    sac_arrays *a, *b;
    assert_int_equal(sac_arrays_open(mine, &a, NULL), SAC_OK);
    assert_int_equal(sac_arrays_open(wanted, &b, NULL), SAC_OK);
    assert_int_equal(sac_arrays_size(a), 3);
    const char *names[] = {"output", "weights", "lse"};
    for (int i = 0; i < 3; i++)
        assert_true(distance(sac_arrays_find(a, names[i]), sac_arrays_find(b, names[i])) <= 2e-6);
    sac_arrays_close(a);
    sac_arrays_close(b);
}

#define IN_FOLDER(name) TEST_WITH(name, enter, remove_folder)

/* Every case of tests/attention/data, with its own options. */
IN_FOLDER(results_agree_with_another_program)
{
    static const char *const names[] = {"additive",
                                        "bilinear",
                                        "causal_self",
                                        "dot",
                                        "dot_scale",
                                        "gaussian_1d",
                                        "gaussian_far",
                                        "huge_logits",
                                        "key_padding",
                                        "mask_bias",
                                        "mask_full_row",
                                        "mha_cross_pad",
                                        "mha_self",
                                        "mha_view_split",
                                        "mha_wide_heads",
                                        "mha_norm_causal",
                                        "scaled_dot",
                                        "self_unscaled",
                                        "softcap",
                                        "sinks_causal",
                                        "softcap_sinks_first",
                                        "blind_queries"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[3][512], *words[8] = {0};
        const char *endings[] = {"in.npz", "ref.npz", "args"};
        for (int k = 0; k < 3; k++)
            snprintf(path[k], sizeof path[k], "%s/%s.%s", ATTENTION_DATA, names[i], endings[k]);
        size_t length;
        char *args = file_read(path[2], &length);
        args[length] = '\0';
        int count = 0;
        for (char *word = strtok(args, " \n"); word && count < 7; word = strtok(NULL, " \n"))
            words[count++] = word;
        PASSES("attend", path[0], out, words[0], words[1], words[2], words[3], words[4], words[5],
               words[6]); /* lines may report rows that see nothing, and where
                                            causal masks begin */
        compare(out, path[1]);
        free(args);
    }
}

IN_FOLDER(the_summary_is_one_line_or_json)
{
    DONE("attend", in, out);
    assert_true(strncmp(ran.out, "scaled-dot attention [2,1,8,12] of [B,T,D] in ", 46) == 0);
    assert_true(strchr(ran.out, '\n') == ran.out + strlen(ran.out) - 1);
    assert_non_null(strstr(ran.out, "out.npz\n"));
    DONE("attend", "--json", in, out, "--score=dot");
    assert_true(ran.out[0] == '{');
    assert_non_null(strstr(ran.out, "\"weights\":\t[2, 1, 8, 12]"));
    assert_non_null(strstr(ran.out, "\"output\":\t[2, 8, 10]"));
    assert_non_null(strstr(ran.out, "\"score\":\t\"dot\""));
}

/* Flat [T,H·d] and [T,Hk·d], with a loss that no attention has a use for. */
IN_FOLDER(shared_heads_are_reported_and_so_is_what_was_not_used)
{
    sac_array query = ramp(2, (size_t[]){6, 32}), key = ramp(2, (size_t[]){6, 8});
    sac_array loss = ramp(1, (size_t[]){3});
    sac_named_array all[] = {{"q", &query}, {"k", &key}, {"v", &key}, {"loss", &loss}};
    assert_int_equal(sac_npz_save(in, all, 4, NULL), SAC_OK);
    PASSES("attend", in, out, "--heads", "8", "--kv-heads", "2", "--window", "3");
    char line[256];
    snprintf(line, sizeof line, "saccade: %s: not used: loss [3]\n", in);
    assert_string_equal(ran.err, line);
    assert_non_null(strstr(ran.out, "[1,8,6,6] (4 heads to each of 2 keys) of [T,D] in "));
    sac_arrays *file;
    assert_int_equal(sac_arrays_open(out, &file, NULL), SAC_OK);
    sac_attention_spec spec = {.heads = 8, .key_heads = 2, .window = 3};
    sac_attention_input input = {.query = &query, .key = &key, .value = &key};
    double wanted[8 * 6 * 6];
    assert_int_equal(sac_attention_reference(&spec, &input, NULL, NULL, wanted, NULL), SAC_OK);
    const float *weights = sac_arrays_find(file, "weights")->data;
    for (int i = 0; i < 8 * 6 * 6; i++)
        assert_true(fabs(weights[i] - wanted[i]) <= 2e-6);
    sac_arrays_close(file);
    sac_array_free(&query);
    sac_array_free(&key);
    sac_array_free(&loss);
}

/* flash-attention's order, with two heads of keys for six of queries. */
IN_FOLDER(the_output_comes_back_in_the_order_of_the_file)
{
    enum { T = 5, HQ = 6, HK = 2, D = 4 };
    sac_arrays *file;
    sac_array query = ramp(4, (size_t[]){1, T, HQ, D}), key = ramp(4, (size_t[]){1, T, HK, D});
    sac_named_array all[] = {{"q", &query}, {"k", &key}, {"v", &key}};
    assert_int_equal(sac_npz_save(in, all, 3, NULL), SAC_OK);
    DONE("attend", in, out, "--axes", "BTHD");
    assert_non_null(strstr(ran.out, "[1,6,5,5] (3 heads to each of 2 keys) of [B,T,H,D] in "));
    assert_int_equal(sac_arrays_open(out, &file, NULL), SAC_OK);
    const sac_array *output = sac_arrays_find(file, "output");
    assert_int_equal(output->rank, 4);
    assert_int_equal(output->shape[1], T);
    assert_int_equal(output->shape[2], HQ);
    const float *q = query.data, *k = key.data, *o = output->data;
    for (int t = 0; t < T; t++)
        for (int h = 0; h < HQ; h++) {
            double sum = 0, wanted[D] = {0};
            for (int j = 0; j < T; j++) {
                const float *vector = k + (j * HK + h / 3) * D;
                double score = 0;
                for (int d = 0; d < D; d++)
                    score += (double)q[(t * HQ + h) * D + d] * vector[d];
                double weight = exp(score / sqrt(D));
                sum += weight;
                for (int d = 0; d < D; d++)
                    wanted[d] += weight * vector[d];
            }
            for (int d = 0; d < D; d++)
                assert_true(fabs(o[(t * HQ + h) * D + d] - wanted[d] / sum) < 1e-5);
        }
    sac_arrays_close(file);
    FAILS_WITH(1, in_line("axes: \"BTXD\" is not how"), "attend", in, out, "--axes", "BTXD");
    sac_array_free(&query);
    sac_array_free(&key);
}

IN_FOLDER(of_several_layers_one_is_to_be_named)
{
    sac_array vectors = ramp(2, (size_t[]){6, 4});
    sac_named_array all[] = {
        {"h.0.q", &vectors}, {"h.0.k", &vectors}, {"h.1.q", &vectors}, {"h.1.k", &vectors}};
    assert_int_equal(sac_npz_save(in, all, 4, NULL), SAC_OK);
    FAILS(1,
          in_line("more than one array of queries fits: h.*.q [6,4]; choose a layer with "
                  "--take NAME, with its number"),
          "attend", in, out);
    PASSES("attend", in, out, "--take", "h.1.q");
    assert_non_null(strstr(ran.err, "not used: h.0.q [6,4], h.0.k [6,4]\n"));
    sac_array_free(&vectors);
}

IN_FOLDER(no_weights_and_safetensors_are_as_asked)
{
    sac_arrays *npz, *tensors;
    DONE("attend", in, out, "--no-weights");
    DONE("attend", in, "out.safetensors");
    assert_int_equal(sac_arrays_open(out, &npz, NULL), SAC_OK);
    assert_int_equal(sac_arrays_open(here("out.safetensors"), &tensors, NULL), SAC_OK);
    assert_int_equal(sac_arrays_size(npz), 2);
    assert_null(sac_arrays_find(npz, "weights"));
    assert_int_equal(sac_arrays_size(tensors), 3);
    const sac_array *a = sac_arrays_find(npz, "output"), *b = sac_arrays_find(tensors, "output");
    assert_memory_equal(a->data, b->data, sac_array_count(a) * sizeof(float));
    sac_arrays_close(npz);
    sac_arrays_close(tensors);
}

/* Numbers of 11 binary digits: another result, but not by more than a few times 2^-12. */
IN_FOLDER(float16_is_stored_where_it_is_asked_for)
{
    sac_arrays *wide, *narrow;
    PASSES("attend", in, out);
    assert_int_equal(sac_arrays_open(out, &wide, NULL), SAC_OK);
    PASSES("attend", in, out, "--storage", "float16");
    assert_int_equal(sac_arrays_open(out, &narrow, NULL), SAC_OK);
    double apart = distance(sac_arrays_find(narrow, "output"), sac_arrays_find(wide, "output"));
    assert_true(apart > 1e-5 && apart < 2e-3);
    sac_arrays_close(wide);
    sac_arrays_close(narrow);
}

IN_FOLDER(what_float16_cannot_hold_is_reported)
{
    sac_array all = ramp(2, (size_t[]){3, 2});
    ((float *)all.data)[4] = -70000;
    save(in, &all, &all, &all);
    FAILS(1, "key: a number of magnitude 70000 does not fit float16…; scale it down, or…", "attend",
          in, out, "--storage", "float16");
    assert_no_output();
    sac_array_free(&all);
}

/* A query beside ten keys sees them all, as in a cache, or by the other alignment the first; a line
 * reports which it was. */
IN_FOLDER(a_causal_mask_begins_where_it_is_reported)
{
    static const struct {
        const char *words[2];
        bool is_bidirectional;
        const char *line;
    } cases[] = {
        {{NULL}, true, NULL},
        {{"--causal"},
         true,
         "causal (bottom-right): the last query is at the last key; --causal top-left begins at "
         "the first"},
        {{"--causal=bottom-right"},
         true,
         "causal (bottom-right): the last query is at the last key; --causal top-left begins at "
         "the first"},
        {{"--causal", "top-left"},
         false,
         "causal (top-left): the first query is at the first key; --causal bottom-right ends at "
         "the last"},
    };
    save_sizes(in, 1, 10, 16, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[512] = "";
        sac_arrays *file;
        if (cases[i].words[0])
            RUN("attend", in, out, cases[i].words[0], cases[i].words[1]);
        else
            PASSES("attend", in, out);
        if (cases[i].line)
            snprintf(line, sizeof line, "saccade: %s: %s\n", in, cases[i].line);
        assert_string_equal(ran.err, line);
        assert_int_equal(sac_arrays_open(out, &file, NULL), SAC_OK);
        const float *weights = sac_arrays_find(file, "weights")->data;
        for (int j = 0; j < 10; j++)
            assert_true(cases[i].is_bidirectional ? weights[j] > 0 : weights[j] == (j == 0));
        sac_arrays_close(file);
    }
}

/* ---------------------------------------------------------------- the command itself */

IN_FOLDER(a_command_that_is_wrong_is_reported)
{
    static const struct {
        const char *words[4];
        const char *line;
    } wrong[] = {
        {{"--scroe", "dot"}, "--scroe: unknown option; did you mean --score?"},
        {{"--frobnicate"}, "--frobnicate: unknown option; see `saccade attend --help`"},
        {{"--score"}, "--score: needs a value; write --score S"},
        {{"--score", "additve"}, "--score: unknown value \"additve\"; did you mean additive?"},
        {{"--score", "cosine"}, "--score: unknown value \"cosine\"; give one of…"},
        {{"--head-split", "sideways"},
         "--head-split: unknown value \"sideways\"; give one of transpose, view"},
        {{"--variant", "gqu"}, "--variant: unknown value \"gqu\"; did you mean gpu?"},
        {{"--storage", "half"},
         "--storage: unknown value \"half\"; give one of float32, float16, bfloat16"},
        {{"--heads", "0"}, "--heads: must be at least 1; give 1 or more"},
        {{"--heads", "two"},
         "--heads: \"two\" is not a valid number; give a whole number, such as 4"},
        {{"--bandwidth", "0"}, "--bandwidth: must be above 0; give a positive number"},
        {{"--dropout", "1.5"},
         "dropout: 1.5 is not the probability of dropping a weight; give 0 or more and less than "
         "1"},
        {{"--causal=last"}, "--causal: unknown value \"last\"; give one of…"},
        {{"--seed", "-1"}, "--seed: \"-1\" is not a valid number; give a whole number…"},
        {{"more.npz"}, "more.npz: unexpected argument; usage: saccade attend…"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FAILS(2, wrong[i].line, "attend", in, out, wrong[i].words[0], wrong[i].words[1]);
        assert_no_output();
    }
}

IN_FOLDER(both_files_have_to_be_named_and_of_a_kind)
{
    FAILS(2, "attend: needs an input file and an output file; usage: saccade attend…", "attend",
          in);
    FAILS(2, "p.npz: is a second file for the results; …", "attend", in, out, "--out", "p.npz");
    FAILS(2, "q.npz: is the second file of its type; give one", "attend", in, "--out", "p.npz",
          "--out", "q.npz");
    FAILS(2, "out.txt: is neither .npz nor .safetensors; let the name of the…", "attend", in,
          "out.txt");
    FAILS(2, "atend: unknown command, and no such file; did you mean `saccade attend`?", "atend",
          in, out);
    assert_no_output();
}

IN_FOLDER(a_device_that_is_not_there_is_reported)
{
    program_run run = {0};
    run_saccade(&run, "attend", in, out, "--device", "abacus", NULL);
    assert_fails_with(&run, 3, "abacus");
    assert_no_output();
    run = (program_run){.environment = {"OCL_ICD_VENDORS=/nonexistent"}};
    run_saccade(&run, "attend", in, out, NULL);
    assert_fails_with(&run, 3, "OpenCL");
    assert_no_output();
}

/* ---------------------------------------------------------------- files that are broken */

IN_FOLDER(a_file_that_cannot_be_read_is_reported)
{
    FAILS_WITH(1, "/nonexistent/in.npz: ", "attend", "/nonexistent/in.npz", out);
    FAILS_WITH(1, folder, "attend", folder, out);
    file_write(in, "", 0);
    FAILS_WITH(1, in_line("is empty"), "attend", in, out);
    file_write(in, "Call me Ishmael.", 16);
    FAILS_WITH(1, in_line("is not a .pt, .npz, .npy, .safetensors, .csv, .tsv or .json file"),
               "attend", in, out);
    assert_no_output();
}

/* At every length: no cut file is taken for a whole one. */
IN_FOLDER(a_file_that_was_cut_is_reported)
{
    size_t size;
    char *whole = file_read(in, &size);
    for (size_t left = 1; left < size; left += 1 + size / 17) {
        file_write(in, whole, left);
        FAILS_WITH(1, in_line(""), "attend", in, out);
        assert_no_output();
    }
    free(whole);
}

/* in.npz with a query of this .npy header and `size` bytes of zeros after it, and nothing else. */
static void write_query(const char *header, size_t size)
{
    enum { HEADER = 128 };
    char *bytes = calloc(1, HEADER + size);
    assert_non_null(bytes);
    memcpy(bytes, "\x93NUMPY\1\0\x76\0", 10);
    memset(bytes + 10, ' ', HEADER - 11);
    memcpy(bytes + 10, header, strlen(header));
    bytes[HEADER - 1] = '\n';
    unlink(in);
    zip_t *zip = zip_open(in, ZIP_CREATE, NULL);
    assert_non_null(zip);
    zip_source_t *source = zip_source_buffer(zip, bytes, HEADER + size, 1);
    assert_true(zip_file_add(zip, "query.npy", source, 0) >= 0);
    assert_int_equal(zip_close(zip), 0);
}

IN_FOLDER(an_array_whose_header_lies_is_reported)
{
    static const struct {
        const char *header, *generated;
    } lies[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 1000), }", "query: "},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4, 16), }",
         "query: "},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4), }",
         "query: "},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }", "query: "},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 8), }", "query: "},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8)", "query: "},
        {"{'descr': '<U1', 'fortran_order': False, 'shape': (2, 8), }",
         "query: holds text, not numbers; give an array of numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }",
         "key: is missing; give both query and key"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        write_query(lies[i].header, 64);
        FAILS_WITH(1, in_line(lies[i].generated), "attend", in, out);
        assert_no_output();
    }
}

IN_FOLDER(a_file_without_queries_is_reported_with_what_it_holds)
{
    sac_array vectors = ramp(2, (size_t[]){6, 4});
    sac_named_array all[] = {{"Query", &vectors}, {"keys", &vectors}};
    assert_int_equal(sac_npz_save(in, all, 2, NULL), SAC_OK);
    FAILS(1,
          in_line("query: is missing; the file holds Query [6,4], keys [6,4]; give query "
                  "and key, or q and k, or qkv; saccade(1) has more names"),
          "attend", in, out);
    sac_array_free(&vectors);
}

/* Four heads of 8, and two of keys, each kind in one row. */
IN_FOLDER(rows_of_fewer_heads_of_keys_are_reported_with_the_option_for_them)
{
    sac_array query = ramp(2, (size_t[]){8, 32}), key = ramp(2, (size_t[]){3, 16});
    sac_array value = ramp(2, (size_t[]){3, 16});
    save(in, &query, &key, &value);
    RUN("attend", in, out);
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "give --heads and --kv-heads if heads share keys"));
    RUN("attend", in, out, "--heads", "4");
    assert_int_equal(ran.status, 1);
    assert_non_null(strstr(ran.err, "give --kv-heads 2 if heads share keys"));
    PASSES("attend", in, out, "--heads", "4", "--kv-heads", "2");
    sac_array_free(&query);
    sac_array_free(&key);
    sac_array_free(&value);
}

IN_FOLDER(arrays_that_do_not_fit_are_named)
{
    sac_array query = ramp(3, (size_t[]){2, 8, 16}), key = ramp(3, (size_t[]){2, 3, 9});
    sac_array value = ramp(3, (size_t[]){2, 3, 10});
    save(in, &query, &key, &value);
    FAILS(1,
          in_line("key: shape [2,3,9] does not fit query [2,8,16]: last sizes 9 and 16 "
                  "differ; make them equal, or use the additive or bilinear score"),
          "attend", in, out);
    FAILS(1,
          in_line("score.W_qk: is missing, and the bilinear score needs it; give "
                  "[dq,dk]"),
          "attend", in, out, "--score", "bilinear");
    FAILS(1,
          in_line("heads: 5 heads do not divide the 16 features of query; choose a "
                  "number of heads that divides it"),
          "attend", in, out, "--heads", "5");
    ((float *)query.data)[3 * 16 + 5] = NAN;
    save(in, &query, &query, &query);
    FAILS(1, in_line("query: NaN at [0,3,5]; replace it by a number"), "attend", in, out);
    ((float *)query.data)[3 * 16 + 5] = -INFINITY;
    save(in, &query, &query, &query);
    FAILS(1, in_line("query: -infinity at [0,3,5]; replace it by a number"), "attend", in, out);
    assert_no_output();
    sac_array_free(&query);
    sac_array_free(&key);
    sac_array_free(&value);
}

/* ---------------------------------------------------------------- no room */

IN_FOLDER(an_output_that_cannot_be_written_is_reported)
{
    FAILS(
        1,
        "/nonexistent/out.npz: cannot be written: No such file or directory; choose a folder that…",
        "attend", in, "/nonexistent/out.npz");
    FAILS(1, "/tmp: is a folder; give the name of a file", "attend", in, "/tmp");
    assert_no_output();
}

IN_FOLDER(a_full_disk_is_reported)
{
    program_run run = {0};
    run_saccade(&run, "attend", in, "/dev/full", NULL);
    assert_fails_with(&run, 1, "/dev/full: cannot be written: No space left on device");
    save_sizes(in, 2400, 2400, 4, 4); /* weights of 23 MB */
    run.file_limit = 16 << 20;        /* all that a driver writes as it compiles is below 1 MB */
    run_saccade(&run, "attend", in, out, NULL);
    assert_fails_with(&run, 1, "out.npz: cannot be written: File too large");
    assert_no_output();
}

/* A real full disk, where the tests may mount one; 16 KiB hold a folder and little else. */
IN_FOLDER(a_full_file_system_is_reported)
{
    char disk[64];
    folder_create(disk);
    if (mount("saccade-test", disk, "tmpfs", 0, "size=16k") != 0) {
        folder_remove(disk);
        skip();
    }
    save_sizes(in, 100, 100, 4, 4); /* weights of 40 kB */
    RUN("attend", in, in_folder(disk, "out.npz"));
    int left = folder_count(disk);
    assert_int_equal(umount(disk), 0);
    folder_remove(disk);
    assert_fails_with(&ran, 1, "out.npz: cannot be written: No space left on device");
    assert_int_equal(left, 0);
}

IN_FOLDER(weights_beyond_memory_are_refused_at_once)
{
    save_sizes(in, 1000000, 1000000, 1, 1);
    FAILS_WITH(1, "weights: [1,1,1000000,1000000] takes 3725.3 GiB", "attend", in, out);
    assert_fails_with(&ran, 1, "; add --no-weights");
    assert_no_output();
}

/* One output of 1.5 GiB on a device that has 1. */
IN_FOLDER(a_device_without_memory_is_reported)
{
    program_run run = {.environment = {"POCL_MEMORY_LIMIT=1", "SACCADE_DEVICE=pocl"}};
    save_sizes(in, 20000, 2, 1, 20000);
    run_saccade(&run, "attend", in, out, "--no-weights", NULL);
    assert_fails_with(&run, 1, ": one array needs 1525.9 MiB, and the device allows ");
    assert_fails_with(&run, 1, "; give smaller inputs, or choose a device with more memory");
    assert_no_output();
}

/* The naive kernels take about 20 s for this; the interrupt comes in the first second. */
IN_FOLDER(ctrl_c_stops_at_once_and_leaves_nothing)
{
    program_run run = {.interrupt_after_ms = 400};
    save_sizes(in, 40000, 40000, 8, 8);
    run_saccade(&run, "attend", in, out, "--no-weights", "--variant", "naive", NULL);
    assert_fails(&run, 1, "attention: stopped on request");
    assert_no_output();
}

/* What stood under the output's name stays when the new one fails. */
IN_FOLDER(a_failure_leaves_the_old_output_alone)
{
    file_write(out, "old", 3);
    RUN("attend", in, out, "--heads", "5");
    assert_int_equal(ran.status, 1);
    size_t size;
    char *old = file_read(out, &size);
    assert_int_equal(size, 3);
    assert_memory_equal(old, "old", 3);
    free(old);
}

/* The same file by --out as by its place; a name that ends otherwise is refused before the work. */
IN_FOLDER(out_stands_for_the_second_file)
{
    size_t sizes[2];
    DONE("attend", in, out);
    char *placed = file_read(out, &sizes[0]);
    remove(out);
    DONE("attend", in, "--out", out);
    char *named = file_read(out, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(placed, named, sizes[0]);
    free(placed);
    free(named);
    FAILS(2, "out.png: …; let the name end in .npz, .json or .safetensors", "attend", in, "--out",
          "out.png");
}

/* Rows are given to two devices; here one is opened twice. */
TEST_WITH(several_devices_give_what_one_gives, enter, remove_folder)
{
    char one[80];
    snprintf(one, sizeof one, "%s", here("one.npz"));
    save_sizes(in, 600, 333, 24, 20);
    PASSES("attend", in, one, "--causal=bottom-right", "--device", "cpu");
    PASSES("attend", in, out, "--causal=bottom-right", "--device", "cpu,cpu", "--json");
    assert_non_null(strstr(ran.out, "\"failed\":\tfalse"));
    sac_arrays *a, *b;
    assert_int_equal(sac_arrays_open(one, &a, NULL), SAC_OK);
    assert_int_equal(sac_arrays_open(out, &b, NULL), SAC_OK);
    assert_int_equal(sac_arrays_size(a), 3);
    for (size_t i = 0; i < 3; i++) {
        const sac_array *x = sac_arrays_at(a, i), *y = sac_arrays_find(b, sac_arrays_name(a, i));
        assert_non_null(y);
        assert_int_equal(sac_array_count(x), sac_array_count(y));
        for (size_t k = 0; k < sac_array_count(x); k++) {
            double p = ((float *)x->data)[k], q = ((float *)y->data)[k];
            assert_true(p == q || fabs(p - q) <= 1e-6 * fmax(1, fabs(p)));
        }
    }
    sac_arrays_close(a);
    sac_arrays_close(b);
    FAILS(2, "--device: a name is missing; give numbers or names with commas between them",
          "attend", in, out, "--device", "cpu,,cpu");
    FAILS_WITH(2, "head split: heads that are split by view mix queries", "attend", in, out,
               "--device", "cpu,cpu", "--head-split", "view");
}

TEST_MAIN(NULL, NULL)
