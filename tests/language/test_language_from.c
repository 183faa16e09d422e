/* A training that begins as a folder of others: it begins with what the folder has, its gradients and a step of it are
 * PyTorch's (make_from.py), and what does not fit is refused. */
#include <unistd.h>

#include "gradients.h"
#include "models/checkpoint.h"
#include "models/train.h"
#include "pretrained/files/pretrained.h"
#include "saccade_arrays.h"
#include "test.h"
#include "tiny.h"

enum { B = 2, T = 7, RANK = 3 };

static const char *const kinds[] = {[SAC_GPT_2] = "gpt2", [SAC_GPT_LLAMA] = "llama"};

static const char some_text[] =
    "the cat sat at the gate. later the other cat ate.\n"
    "there were letters, and a tether that never tethers the cat.\n"
    "the heater at the theatre is hot, a father and a mother gather there.\n";

/* DATA/KIND, or DATA/KIND/FILE. */
static const char *data_path(sac_gpt_kind kind, const char *file)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], TEST_DATA "/%s%s%s", kinds[kind], file ? "/" : "",
             file ? file : "");
    return path;
}

static sac_model_values values_of(const char *from, int rank)
{
    static char text[96];
    sac_model_values values = sac_model_defaults(&sac_language_class);
    snprintf(text, sizeof text, "%s", tiny_path("some"));
    tiny_write(text, some_text, sizeof some_text - 1);
    tiny_set(&values, "context", T);
    values.text[0][sac_model_option_find(&sac_language_class, "text")] = text;
    values.text[0][sac_model_option_find(&sac_language_class, "from")] = from;
    if (rank)
        tiny_set(&values, "lora", (float)rank);
    return values;
}

static sac_gpt *begin_as(const char *from, int rank)
{
    sac_model *model;
    const sac_model_values values = values_of(from, rank);
    OK(sac_language_class.create(device, &values, 3, &model, &failure));
    return (sac_gpt *)model;
}

/* ---------------------------------------------------------------- PyTorch's numbers */

static const float *numbers_of(const sac_arrays *reference, const char *name, size_t count)
{
    const sac_array *array = sac_arrays_find(reference, name);
    if (!array)
        fail_msg("there is no %s", name);
    assert_int_equal(sac_array_count(array), count);
    assert_int_equal(array->dtype, SAC_F32);
    return array->data;
}

static const sac_parameter *find_parameter(const sac_parameters *parameters, const char *name)
{
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i]->name, name) == 0)
            return parameters->list[i];
    return NULL;
}

/* Numbers of a parameter as files have them: transposed where these are. */
static float *read_parameter(const sac_parameter *p, sac_tensor which)
{
    const size_t rows = which.rows, width = which.width;
    float *own = calloc(2 * p->count, sizeof *own);
    OK(sac_span_read(device, sac_tensor_span(which), p->count, own + p->count, &failure));
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < width; k++)
            own[p->transposed ? k * rows + r : r * width + k] = own[p->count + r * width + k];
    return own;
}

/* All arrays of the reference whose names begin with `start`, against the parameters of the rest of the name: to the
 * rounding of float32 in sums of some hundred terms. Returns how many there were. */
static int compare(const sac_arrays *reference, const char *start, const sac_parameters *parameters,
                   bool gradient, double tolerance)
{
    int count = 0;
    for (size_t i = 0; i < sac_arrays_size(reference); i++) {
        const char *name = sac_arrays_name(reference, i), *rest = name + strlen(start);
        if (strncmp(name, start, strlen(start)) != 0)
            continue;
        char full[128];
        snprintf(full, sizeof full, strstr(rest, ".lora_") ? "base_model.model.%s.weight" : "%s",
                 rest);
        const sac_parameter *p = find_parameter(parameters, full);
        if (!p)
            fail_msg("no parameter is %s", full);
        const float *theirs = numbers_of(reference, name, p->count);
        float *own = read_parameter(p, gradient ? p->gradient : p->value);
        for (size_t k = 0; k < p->count; k++)
            if (!(fabs((double)own[k] - (double)theirs[k]) <=
                  tolerance * (1 + fabs((double)theirs[k]))))
                fail_msg("%s[%zu] is %g, not %g", name, k, (double)own[k], (double)theirs[k]);
        free(own);
        count++;
    }
    return count;
}

static sac_gpt_batch batch_of(const sac_arrays *reference)
{
    return (sac_gpt_batch){.batch = B,
                           .steps = T,
                           .whole = B,
                           .words = sac_arrays_find(reference, "words")->data,
                           .targets = sac_arrays_find(reference, "targets")->data};
}

static void check_logits(sac_gpt *l, const sac_arrays *reference)
{
    sac_arena arena = {0};
    sac_gpt_tensors t = {0};
    const size_t count = (size_t)(B * T * l->sizes.words);
    const float *theirs = numbers_of(reference, "logits", count);
    float *own = calloc(count, sizeof *own);
    sac_gpt_shape(l, &arena, B, T, &t);
    sac_pass_write_ints(&l->base.pass, t.words, batch_of(reference).words);
    sac_gpt_place(l, &t, 0);
    sac_gpt_forward(l, 0, 0, &t);
    sac_pass_read(&l->base.pass, t.logits, own);
    OK(sac_pass_end(&l->base.pass, &failure));
    for (size_t i = 0; i < count; i++)
        assert_float_equal(own[i], theirs[i], 1e-4);
    free(own);
    sac_arena_release(&arena);
}

/* ---------------------------------------------------------------- all weights */

static void check_step(sac_gpt_kind kind)
{
    sac_arrays *reference;
    sac_losses losses;
    float norm, loss;
    sac_gpt *l = begin_as(data_path(kind, NULL), 0);
    OK(sac_arrays_open(data_path(kind, "reference.safetensors"), &reference, &failure));
    const sac_gpt_batch batch = batch_of(reference);
    const sac_model_values values = values_of(NULL, 0);
    check_logits(l, reference);
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    OK(sac_gpt_learn(l, &batch, 0, &loss, &failure));
    assert_float_equal(loss, *numbers_of(reference, "loss", 1), 1e-5);
    assert_int_equal(compare(reference, "gradient.", &l->base.parameters, true, 1e-5), 5);
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    OK(sac_training_step(&l->base, &batch, &values, 0.01f, 0.01f, 1, &losses, &norm, &failure));
    assert_float_equal(norm, *numbers_of(reference, "norm", 1), 1e-4);
    /* A first step of Adam is the gradient's sign times the rate, where the gradient is above rounding. */
    assert_int_equal(compare(reference, "after.", &l->base.parameters, false, 2e-5), 5);
    sac_arrays_close(reference);
    sac_model_destroy(&l->base);
}

TEST(a_step_of_gpt_2_in_float16_is_pytorchs)
{
    check_step(SAC_GPT_2);
}

TEST(a_step_of_llama_in_bfloat16_with_fewer_keys_and_a_head_is_pytorchs)
{
    check_step(SAC_GPT_LLAMA);
}

/* ---------------------------------------------------------------- an adapter */

/* The reference's pairs in the place of the first ones. */
static void write_pairs(sac_gpt *l, const sac_arrays *reference)
{
    for (int i = 0; i < l->base.parameters.count; i++) {
        const sac_parameter *p = l->base.parameters.list[i];
        char name[128];
        snprintf(name, sizeof name, "adapter.%s", p->name + strlen("base_model.model."));
        name[strlen(name) - strlen(".weight")] = '\0';
        OK(sac_span_write(device, sac_tensor_span(p->value), p->count,
                          numbers_of(reference, name, p->count), &failure));
    }
    l->base.parameters.changes++;
}

static void check_adapter(sac_gpt_kind kind)
{
    sac_arrays *reference;
    float loss;
    sac_gpt *l = begin_as(data_path(kind, NULL), RANK);
    OK(sac_arrays_open(data_path(kind, "reference.safetensors"), &reference, &failure));
    const sac_gpt_batch batch = batch_of(reference);
    check_logits(l, reference); /* B is 0 at first */
    write_pairs(l, reference);
    OK(sac_parameters_zero_gradients(&l->base.parameters, &failure));
    OK(sac_gpt_learn(l, &batch, 0, &loss, &failure));
    assert_float_equal(loss, *numbers_of(reference, "adapter.loss", 1), 1e-5);
    assert_int_equal(compare(reference, "adapter.gradient.", &l->base.parameters, true, 1e-5),
                     l->base.parameters.count);
    sac_arrays_close(reference);
    sac_model_destroy(&l->base);
}

TEST(gradients_of_an_adapter_of_gpt_2_are_pytorchs)
{
    check_adapter(SAC_GPT_2);
}

TEST(gradients_of_an_adapter_of_llama_are_pytorchs)
{
    check_adapter(SAC_GPT_LLAMA);
}

/* The model that a folder is, as `evaluate` opens it, gives this loss of the batch. */
static void check_loss(const char *folder, const sac_gpt_batch *batch, float wanted)
{
    sac_model *model;
    float loss;
    OK(sac_checkpoint_load(&sac_language_class, device, folder, &model, &failure));
    sac_gpt *l = (sac_gpt *)model;
    l->sizes.context = T;
    OK(sac_gpt_learn(l, batch, 0, &loss, &failure));
    assert_float_equal(loss, wanted, 1e-5);
    sac_model_destroy(model);
}

TEST(an_adapter_is_written_as_peft_has_it_and_opens_on_its_base)
{
    for (sac_gpt_kind kind = SAC_GPT_2; kind <= SAC_GPT_LLAMA; kind++) {
        char path[96];
        sac_arrays *reference;
        sac_pretrained *opened;
        sac_gpt *l = begin_as(data_path(kind, NULL), RANK);
        OK(sac_arrays_open(data_path(kind, "reference.safetensors"), &reference, &failure));
        const sac_gpt_batch batch = batch_of(reference);
        write_pairs(l, reference);
        snprintf(path, sizeof path, "%s", tiny_path(kind == SAC_GPT_2 ? "low2" : "lowllama"));
        OK(sac_checkpoint_save(&l->base, path, 7, 3, NULL, &failure));
        OK(sac_checkpoint_save(&l->base, path, 8, 3, NULL, &failure)); /* its own is replaced */
        OK(sac_pretrained_open(path, &opened, &failure));
        assert_string_equal(sac_pretrained_adapter_folder(opened), path);
        sac_pretrained_close(opened);
        check_loss(path, &batch, *numbers_of(reference, "adapter.loss", 1));
        check_loss(data_path(kind, NULL), &batch, *numbers_of(reference, "loss", 1));
        sac_arrays_close(reference);
        sac_model_destroy(&l->base);
    }
}

/* ---------------------------------------------------------------- a training */

static bool report(void *user, sac_model *model, const sac_training_report *r)
{
    (void)model;
    return r->step != *(size_t *)user;
}

static sac_status train(const char *from, int rank, const char *out, const char *resume,
                        size_t stop_at, bool measures)
{
    sac_training_options options = {.steps = measures ? 0 : 12,
                                    .batch = 2,
                                    .rate = 1e-2f,
                                    .warm_up = 2,
                                    .seed = 3,
                                    .measures = measures,
                                    .values = values_of(from, rank),
                                    .out = out,
                                    .resume = resume};
    sac_model *model;
    if (!from)
        options.values.given[sac_model_option_find(&sac_language_class, "context")] = false;
    OK(sac_training_create(&sac_language_class, device, &options, &model, &failure));
    OK(sac_training_prepare(model, &options, &failure));
    const sac_status status = measures ? sac_training_measure(model, &options, &failure)
                                       : sac_train(model, &options, report, &stop_at, &failure);
    sac_model_destroy(model);
    return status;
}

static void check_same_files(const char *a, const char *b)
{
    sac_arrays *files[2];
    OK(sac_arrays_open(a, &files[0], &failure));
    OK(sac_arrays_open(b, &files[1], &failure));
    assert_int_equal(sac_arrays_size(files[0]), sac_arrays_size(files[1]));
    for (size_t i = 0; i < sac_arrays_size(files[0]); i++) {
        const sac_array *own = sac_arrays_at(files[0], i);
        const sac_array *its = sac_arrays_find(files[1], sac_arrays_name(files[0], i));
        assert_non_null(its);
        assert_int_equal(own->dtype, its->dtype);
        assert_memory_equal(own->data, its->data,
                            sac_array_count(own) * sac_dtype_size(own->dtype));
    }
    sac_arrays_close(files[0]);
    sac_arrays_close(files[1]);
}

TEST(without_a_step_the_folder_is_written_again_with_the_same_loss)
{
    for (sac_gpt_kind kind = SAC_GPT_2; kind <= SAC_GPT_LLAMA; kind++) {
        static const char *const files[] = {"config.json", "tokenizer.json",
                                            "tokenizer_config.json"};
        const char *out = kind == SAC_GPT_2 ? "again2" : "againllama";
        char path[96], name[64];
        sac_arrays *reference;
        snprintf(path, sizeof path, "%s", tiny_path(out));
        OK(train(data_path(kind, NULL), 0, path, NULL, 0, true));
        for (size_t i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "%s/%s", out, files[i]);
            assert_int_equal(access(tiny_path(name), R_OK), 0);
        }
        OK(sac_arrays_open(data_path(kind, "reference.safetensors"), &reference, &failure));
        const sac_gpt_batch batch = batch_of(reference);
        check_loss(path, &batch, *numbers_of(reference, "loss", 1));
        sac_arrays_close(reference);
    }
}

/* What a checkpoint has is enough, also where it is an adapter's, to whose base it leads. */
TEST(a_training_of_a_folder_that_was_stopped_ends_with_the_weights_of_one_that_was_not)
{
    static const struct {
        sac_gpt_kind kind;
        int rank;
        const char *file;
    } of[] = {{SAC_GPT_2, 0, "model.safetensors"},
              {SAC_GPT_LLAMA, RANK, "adapter_model.safetensors"}};
    for (size_t i = 0; i < 2; i++) {
        char whole[96], parts[96], name[2][160];
        snprintf(whole, sizeof whole, "%s%zu", tiny_path("whole"), i);
        snprintf(parts, sizeof parts, "%s%zu", tiny_path("parts"), i);
        OK(train(data_path(of[i].kind, NULL), of[i].rank, whole, NULL, 0, false));
        assert_int_equal(train(data_path(of[i].kind, NULL), of[i].rank, parts, NULL, 5, false),
                         SAC_E_CANCELLED);
        snprintf(name[0], sizeof name[0], "%s.checkpoint", parts);
        OK(train(NULL, 0, parts, name[0], 0, false));
        snprintf(name[0], sizeof name[0], "%s/%s", whole, of[i].file);
        snprintf(name[1], sizeof name[1], "%s/%s", parts, of[i].file);
        check_same_files(name[0], name[1]);
    }
}

/* ---------------------------------------------------------------- what is refused */

static void refuse(const sac_model_values *values, sac_status wanted, const char *line)
{
    sac_model *model;
    REFUSES(wanted, line, sac_language_class.create(device, values, 3, &model, &failure));
    assert_null(model);
}

/* A folder "odd" like that of `kind`, with one of its files as `text`. */
static const char *make_odd_folder(sac_gpt_kind kind, const char *file, const char *text)
{
    char command[512], name[64];
    const char *folder = tiny_path("odd");
    snprintf(command, sizeof command, "rm -rf %s && cp -r %s %s && chmod -R u+w %s", folder,
             data_path(kind, NULL), folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(name, sizeof name, "odd/%s", file);
    if (text)
        tiny_write(tiny_path(name), text, strlen(text));
    else
        unlink(tiny_path(name));
    return folder;
}

#define LLAMA(more)                                                                                \
    "{\"model_type\":\"llama\",\"vocab_size\":35,\"hidden_size\":16,\"num_hidden_layers\":2,"      \
    "\"num_attention_heads\":4,\"num_key_value_heads\":2,\"intermediate_size\":24" more "}"

TEST(a_folder_that_does_not_fit_is_refused_in_a_line)
{
    char odd[96];
    snprintf(odd, sizeof odd, "%s", tiny_path("odd"));
    sac_model_values values = values_of(odd, 0);
    make_odd_folder(SAC_GPT_LLAMA, "config.json", "{\"model_type\":\"bert\"}");
    refuse(&values, SAC_E_FORMAT,
           "…/odd/config.json: model_type: is \"bert\"; gpt2 and llama are what is trained here");
    make_odd_folder(SAC_GPT_LLAMA, "config.json",
                    LLAMA(",\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":4}"));
    refuse(&values, SAC_E_FORMAT,
           "…/odd/config.json: rope_scaling: is of the type \"llama3\", which is not trained here");
    make_odd_folder(SAC_GPT_LLAMA, "config.json", LLAMA(",\"attention_bias\":true"));
    refuse(&values, SAC_E_FORMAT,
           "…/odd/config.json: attention_bias: is true, which is not trained here");
    make_odd_folder(SAC_GPT_LLAMA, "config.json", LLAMA(",\"head_dim\":8"));
    refuse(&values, SAC_E_FORMAT,
           "…/odd/config.json: head_dim: is not hidden_size / num_attention_heads, 4");
    make_odd_folder(SAC_GPT_LLAMA, "config.json", LLAMA(",\"quantization_config\":{}"));
    refuse(&values, SAC_E_FORMAT,
           "…/odd/config.json: quantization_config: is there: weights of few bits are not trained");
    make_odd_folder(SAC_GPT_LLAMA, "tokenizer.json", NULL);
    refuse(&values, SAC_E_FILE, "…/odd: has no tokenizer.json; …");
    make_odd_folder(SAC_GPT_LLAMA, "model.safetensors", NULL);
    refuse(&values, SAC_E_FILE, "…/odd: has neither model.safetensors nor pytorch_model.bin; …");
    values = values_of(data_path(SAC_GPT_2, NULL), 0);
    tiny_set(&values, "context", 25);
    refuse(&values, SAC_E_ARGUMENT,
           "--context: is 25, and the model has 24 places; give a shorter one");
    values = values_of(tiny_path("nowhere"), 0);
    refuse(&values, SAC_E_FILE, "…nowhere…");
    tiny_write(tiny_path("umlaut"), "ein käse", 9);
    values = values_of(data_path(SAC_GPT_2, NULL), 0);
    values.text[0][sac_model_option_find(&sac_language_class, "text")] = tiny_path("umlaut");
    refuse(
        &values, SAC_E_VALUE,
        "--text: has a \"ä\", for which the model has no token; give a text of the characters that "
        "it was trained on before");
}

TEST(a_model_that_sees_very_much_is_opened_with_contexts_that_fit)
{
    sac_model *model;
    make_odd_folder(SAC_GPT_LLAMA, "config.json",
                    LLAMA(",\"max_position_embeddings\":8192,\"tie_word_embeddings\":false"));
    OK(sac_checkpoint_load(&sac_language_class, device, tiny_path("odd"), &model, &failure));
    assert_int_equal(((sac_gpt *)model)->sizes.context, 1024);
    sac_model_destroy(model);
}

TEST(an_adapter_and_a_model_do_not_share_a_folder)
{
    sac_gpt *low = begin_as(data_path(SAC_GPT_2, NULL), RANK),
            *whole = begin_as(data_path(SAC_GPT_2, NULL), 0);
    OK(sac_checkpoint_save(&low->base, tiny_path("low"), 1, 3, NULL, &failure));
    OK(sac_checkpoint_save(&whole->base, tiny_path("all"), 1, 3, NULL, &failure));
    REFUSES(SAC_E_FILE, "…/low: has another model, which is not replaced; …",
            sac_checkpoint_save(&whole->base, tiny_path("low"), 1, 3, NULL, &failure));
    REFUSES(SAC_E_FILE, "…/all: has another model, which is not replaced; …",
            sac_checkpoint_save(&low->base, tiny_path("all"), 1, 3, NULL, &failure));
    sac_model_destroy(&low->base);
    sac_model_destroy(&whole->base);
}

/* The memory of a training grows with the tokens of a step, and an adapter takes less. */
TEST(the_memory_of_a_training_is_known_before_it_begins)
{
    sac_gpt *low = begin_as(data_path(SAC_GPT_2, NULL), RANK),
            *whole = begin_as(data_path(SAC_GPT_2, NULL), 0);
    assert_true(sac_gpt_training_bytes(low, 0) < sac_gpt_training_bytes(whole, 0) / 4);
    assert_true(sac_gpt_training_bytes(whole, 0) >=
                16 * (double)sac_parameters_numbers(&whole->base.parameters));
    REFUSES(SAC_E_MEMORY,
            "training: takes … GB of memory, and … has … GB; give a smaller --batch or a "
            "shorter --context",
            sac_gpt_check_memory(whole, (size_t)1 << 40, &failure));
    sac_model_destroy(&low->base);
    sac_model_destroy(&whole->base);
}

TEST_MAIN(tiny_open, tiny_close)
