#include "fixtures.h"

#include "saccade_arrays.h"
#include "sources/files/queries/attention_file.h"
#include "trial.h"

const char *const fixture_names[] = {"additive",
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
                                     "mha_norm_causal",
                                     "mha_self",
                                     "mha_view_split",
                                     "mha_wide_heads",
                                     "scaled_dot",
                                     "self_unscaled",
                                     "softcap",
                                     "sinks_causal",
                                     "softcap_sinks_first",
                                     "blind_queries",
                                     NULL};

static sac_arrays *open_arrays(const char *name, const char *ending)
{
    char path[512];
    sac_arrays *arrays;
    sac_error error = {0};
    snprintf(path, sizeof path, "%s/%s.%s", TEST_DATA, name, ending);
    if (sac_arrays_open(path, &arrays, &error) != SAC_OK)
        fail_msg("%s: %s", error.where, error.what);
    return arrays;
}

/* One option and its value. */
static void read_option(sac_attention_spec *spec, const char *option, const char *value)
{
    if (strcmp(option, "--score") == 0)
        assert_true(sac_score_from_name(value, &spec->score));
    else if (strcmp(option, "--scale") == 0)
        spec->scale = strtof(value, NULL), spec->use_scale = true;
    else if (strcmp(option, "--bandwidth") == 0)
        spec->bandwidth = strtof(value, NULL);
    else if (strcmp(option, "--heads") == 0)
        spec->heads = atoi(value);
    else if (strcmp(option, "--softcap") == 0)
        spec->softcap = strtof(value, NULL);
    else if (strcmp(option, "--head-split") == 0)
        spec->split = strcmp(value, "view") == 0 ? SAC_SPLIT_VIEW : SAC_SPLIT_TRANSPOSE;
    else
        fail_msg("%s is not known here", option);
}

static void read_spec(sac_attention_spec *spec, const char *name)
{
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/%s.args", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
        if (strncmp(word, "--causal", 8) == 0) {
            spec->causal = true;
            spec->alignment = strcmp(word, "--causal=top-left") == 0       ? SAC_ALIGN_TOP_LEFT
                              : strcmp(word, "--causal=bottom-right") == 0 ? SAC_ALIGN_BOTTOM_RIGHT
                                                                           : SAC_ALIGN_AUTO;
        } else
            read_option(spec, word, strtok(NULL, " \n"));
}

void fixture_open(fixture *f, const char *name)
{
    *f = (fixture){.name = name};
    f->in = open_arrays(name, "in.npz");
    f->ref = open_arrays(name, "ref.npz");
    read_spec(&f->spec, name);
    sac_attention_request request = {.query = "query", .spec = f->spec};
    assert_int_equal(sac_attention_file_read(f->in, &request, &f->file, NULL), SAC_OK);
    f->input = f->file.input;
    f->output = sac_arrays_find(f->ref, "output");
    f->lse = sac_arrays_find(f->ref, "lse");
    f->weights = sac_arrays_find(f->ref, "weights");
    assert_true(f->output && f->lse && f->weights);
}

void fixture_close(fixture *f)
{
    sac_attention_file_free(&f->file);
    sac_arrays_close(f->in);
    sac_arrays_close(f->ref);
    *f = (fixture){0};
}
