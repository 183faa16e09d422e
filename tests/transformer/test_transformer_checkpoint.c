/* A transformer's weights come back as they were, norms after each part or before it, and damaged
 * files are refused with one clear line. */
#include "damaged.h"

#include "models/checkpoint.h"
#include "status.h"
#include "tiny.h"
#include "transformer/transformer.h"
#include "translation/translation.h"

#define ANOTHER "; give weights that `saccade train transformer` wrote"
#define DEPTH "\"format\":1,\"depth\":2"

static sac_model *create(bool norm_first)
{
    return &tiny_transformer(norm_first)->base;
}

TEST(weights_come_back_as_they_were)
{
    refuse_nothing(create(false), weights_path);
    refuse_nothing(create(true), weights_path);
}

static sac_result translate(sac_model *model)
{
    static const int sentence[] = {5, 9, 4, 12, 7};
    sac_result caption;
    sac_result_request request = {.beam = 2};
    OK(sac_translation_read(model, sentence, 5, &failure));
    OK(sac_translation_generate(model, &request, &caption, &failure));
    return caption;
}

/* Where the norms are is in the file, so that its output is the same again, but for the rounding: a model
 * that learns adds in the order of all rows. */
TEST(norms_before_each_part_stay_there)
{
    sac_model *one = create(true), *other;
    OK(sac_checkpoint_save(one, weights_path, 1, 2, NULL, &failure));
    OK(sac_checkpoint_load(&sac_transformer_class, device, weights_path, &other, &failure));
    assert_true(((const sac_transformer *)other)->sizes.norm_first);
    sac_result first = translate(one), second = translate(other);
    assert_int_equal(first.count, second.count);
    assert_true(first.count > 0);
    for (int i = 0; i < first.count; i++) {
        assert_string_equal(first.outputs[i].text, second.outputs[i].text);
        assert_float_equal(first.outputs[i].probability, second.outputs[i].probability, 1e-6);
    }
    sac_result_free(&first);
    sac_result_free(&second);
    sac_model_destroy(one);
    sac_model_destroy(other);
}

static void refuse(const char *model, const char *line)
{
    refuse_description(&sac_transformer_class, weights_path, model, line);
}

TEST(descriptions_that_lie_are_refused)
{
    refuse(NULL, "does not describe the model that its weights belong to" ANOTHER);
    refuse("{", "model: is not JSON" ANOTHER);
    refuse("{\"format\":2}", "model: format is 2; it is a whole number from 1 to 1" ANOTHER);
    refuse("{\"format\":1,\"depth\":7}",
           "model: depth is 7; it is a whole number from 1 to 6" ANOTHER);
    refuse("{" DEPTH ",\"heads\":0}",
           "model: heads is 0; it is a whole number from 1 to 16" ANOTHER);
    refuse("{" DEPTH ",\"heads\":5,\"width\":12,\"hidden\":20,\"norm_first\":false}",
           "model: 5 heads do not divide a width of 12" ANOTHER);
    refuse("{" DEPTH ",\"heads\":2,\"width\":12,\"hidden\":20,\"norm_first\":true}",
           "model: has no list \"english\"" ANOTHER);
}

TEST(every_name_shape_and_number_is_checked)
{
    damage d = begin_damage(create(false), weights_path);
    refuse_damaged(&d, "decoder.1.forward.in.weight", damage_sides, SAC_E_SHAPE,
                   "decoder.1.forward.in.weight: shape [12,20], not [20,12]; give weights of this "
                   "very model");
    d = begin_damage(create(false), weights_path);
    refuse_damaged(&d, "encoder.0.self.norm.bias", damage_number, SAC_E_VALUE,
                   "encoder.0.self.norm.bias: number 2 is nan; take a copy that is not damaged");
    d = begin_damage(create(true), weights_path);
    refuse_damaged(&d, "decoder.norm.weight", damage_type, SAC_E_FORMAT,
                   "decoder.norm.weight: is int32, not float32; give weights of this very model");
}

TEST(cut_files_and_headers_that_lie_are_refused)
{
    refuse_cut(create(true), weights_path);
}

TEST_MAIN(open_weights, close_weights)
