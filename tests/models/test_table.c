/* The table of models: what each row has, and whose a file is. */
#include <unistd.h>

#include "saccade_arrays.h"
#include "status.h"
#include "table/models.h"
#include "test.h"

TEST(every_model_has_all_that_a_model_has)
{
    assert_non_null(sac_models[0]);
    for (int i = 0; sac_models[i]; i++) {
        const sac_model_class *c = sac_models[i];
        assert_ptr_equal(sac_model_find(c->name), c); /* so its name is its own */
        assert_true(c->samples && c->sample && c->losses[0] && c->options && c->mark);
        assert_true(!c->open || (c->bundled && c->bundled->name && c->bundled->file));
        assert_true(c->training.steps && c->training.batch && c->training.rate > 0);
        assert_true(c->create && c->create_like && c->check && c->describe && c->describe_short);
        assert_true(c->destroy && c->batches && c->learn && c->watch);
        /* Without a view of its own the folder that it writes is opened as one of others. */
        assert_true((c->evaluate && c->open) || c->save_beside);
        assert_true(!c->open ||
                    (c->decoder && c->decoder->start && c->decoder->token && c->decoder->step));
    }
    assert_null(sac_model_find("absent"));
}

TEST(options_and_their_defaults_fit_their_table)
{
    for (int i = 0; sac_models[i]; i++) {
        const sac_model_option *options = sac_models[i]->options;
        sac_model_values values = sac_model_defaults(sac_models[i]);
        int count = 0;
        for (; options[count].name; count++) {
            bool flag = !options[count].value_name;
            assert_non_null(options[count].help);
            assert_true(flag || options[count].choices || options[count].is_text ||
                        options[count].remedy);
            assert_true(values.value[count] >= 0 && !values.given[count]);
            if (sac_models[i]->trainings && !options[count].of)
                fail_msg("--%s counts in no training of %s: give `of`, those in which it does",
                         options[count].name, sac_models[i]->name);
            for (int c = 0; options[count].choices && c <= (int)values.value[count]; c++)
                assert_non_null(options[count].choices[c]);
        }
        assert_true(count <= SAC_MODEL_OPTIONS);
    }
}

/* A file of one number whose "model" is `description`. */
static const sac_model_class *class_of(const char *path, const char *description)
{
    float number = 1;
    const size_t shape[] = {1};
    sac_array array = sac_array_view(SAC_F32, 1, shape, &number);
    sac_named_array named = {"x", &array};
    const char *const metadata[] = {"model", description, NULL};
    sac_arrays *file;
    OK(sac_safetensors_save(path, &named, 1, description ? metadata : NULL, NULL));
    OK(sac_arrays_open(path, &file, NULL));
    const sac_model_class *class = sac_model_of_file(file);
    sac_arrays_close(file);
    assert_ptr_equal(sac_model_of_own_file(path),
                     description && strstr(description, ":") ? class : NULL);
    return class;
}

TEST(weights_choose_their_class_or_the_first_refuses_them)
{
    char folder[] = "/tmp/saccade-table-XXXXXX", path[64], description[64];
    sac_source source = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w", folder);
    for (int i = 0; sac_models[i]; i++) {
        snprintf(description, sizeof description, "{%s1}", sac_models[i]->mark);
        assert_ptr_equal(class_of(path, description), sac_models[i]);
    }
    assert_ptr_equal(class_of(path, "{}"), sac_models[0]);
    assert_ptr_equal(class_of(path, NULL), sac_models[0]);
    const char *weights[] = {path};
    sac_model_open_options options = {.weights = weights, .weight_count = 1};
    assert_int_equal(sac_model_open(&options, &source, &failure), SAC_E_FORMAT);
    assert_string_equal(failure.where, path);
    assert_string_equal(failure.what, "does not describe the model that its weights belong to");
    FILE *other = fopen(path, "w");
    fputs("no weights", other);
    fclose(other);
    assert_null(sac_model_of_own_file(path));
    unlink(path);
    assert_null(sac_model_of_own_file(path));
    options.weight_count = 0;
    assert_int_equal(sac_model_open(&options, &source, &failure), SAC_E_ARGUMENT);
    options.weight_count = 1;
    assert_int_equal(sac_model_open(&options, &source, &failure), SAC_E_FILE);
    rmdir(folder);
}

TEST_MAIN(NULL, NULL)
