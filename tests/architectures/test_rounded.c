/* Models in bfloat16 (`--storage bfloat16`): what is stored, and how far the last states are from those of `transformers`. */
#include "status.h"
#include "trial.h"

/* What rounding alone costs, by tests/reference/rounded_errors.py. */
static const struct {
    const char *architecture;
    double rounding;
} models[] = {{"vit", 6.72e-3}, {"deit", 5.64e-3}, {"dinov2", 6.53e-3}, {"beit", 6.41e-3}};

static double error_of(const trial *t)
{
    size_t numbers = t->inference->count * t->inference->model->width;
    const float *right = expect(t, "last_hidden_state", numbers);
    double off = 0, whole = 0;
    for (size_t i = 0; i < numbers; i++) {
        double difference = (double)t->inference->left[i] - (double)right[i];
        off += difference * difference;
        whole += (double)right[i] * (double)right[i];
    }
    return sqrt(off / whole);
}

/* Where the processor has no pairs weights alone are rounded, which is an error too. */
TEST(rounded_models_are_as_near_as_rounding_allows)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        trial t;
        open_named_stored(&t, models[i].architecture, "", SAC_STORAGE_BF16);
        double error = error_of(&t);
        print_message("%s: %.2e\n", models[i].architecture, error);
        assert_true(error > 0.2 * models[i].rounding && error < 1.5 * models[i].rounding);
        close_trial(&t);
    }
}

TEST(what_linear_layers_read_is_stored_in_16_bits)
{
    trial t;
    size_t narrow = 0;
    open_named_stored(&t, "vit", "", SAC_STORAGE_BF16);
    const sac_parameters *p = &t.model->parameters;
    for (int i = 0; i < p->count; i++) {
        assert_int_equal(p->list[i]->value.stored,
                         p->list[i]->may_be_narrow ? SAC_STORED_BF16 : SAC_STORED_F32);
        narrow += p->list[i]->may_be_narrow;
    }
    assert_true(narrow >= 6 * 3); /* of each of three layers */
    close_trial(&t);
}

/* A file's blocks are fewer bits already, and half-precision floats become others. */
TEST(weights_of_a_file_in_float16_are_rounded_too)
{
    trial t;
    open_named_stored(&t, "llama_float16", "", SAC_STORAGE_BF16);
    const sac_parameters *p = &t.model->parameters;
    for (int i = 0; i < p->count; i++)
        assert_true(!p->list[i]->may_be_narrow || p->list[i]->value.stored == SAC_STORED_BF16);
    close_trial(&t);
}

TEST_MAIN(open_device, close_device)
