/* A translator's weights come back as they were, and damaged files are refused with one clear line.
 */
#include "damaged.h"

#include "models/checkpoint.h"
#include "status.h"
#include "translator/translator.h"

#define ANOTHER "; give weights that `saccade train translator` wrote"
#define SIZES "\"attention\":5,\"hidden\":6,\"embedding\":4"

static sac_model *create(sac_score score, bool attends)
{
    sac_translator *made;
    sac_translator_shape shape;
    OK(sac_translator_default_shape(score, attends, &shape, &failure));
    shape.hidden = 6;
    shape.embedding = 4;
    shape.attention = score == SAC_SCORE_BILINEAR ? 12 : 5;
    OK(sac_translator_make(&sac_translator_class, device, &shape, true, 7, &made, &failure));
    return &made->base;
}

TEST(weights_of_every_score_and_of_none_come_back_as_they_were)
{
    refuse_nothing(create(SAC_SCORE_ADDITIVE, true), weights_path);
    refuse_nothing(create(SAC_SCORE_SCALED_DOT, true), weights_path);
    refuse_nothing(create(SAC_SCORE_BILINEAR, true), weights_path);
    refuse_nothing(create(SAC_SCORE_ADDITIVE, false), weights_path);
}

static void refuse(const char *model, const char *line)
{
    refuse_description(&sac_translator_class, weights_path, model, line);
}

TEST(descriptions_that_lie_are_refused)
{
    refuse(NULL, "does not describe the model that its weights belong to" ANOTHER);
    refuse("{", "model: is not JSON" ANOTHER);
    refuse("{\"format\":2,\"attends\":true}",
           "model: format is 2; it is a whole number from 1 to 1" ANOTHER);
    refuse("{\"format\":1,\"attends\":true,\"score\":\"gaussian\"}",
           "model: score is \"gaussian\", not additive, scaled-dot or bilinear" ANOTHER);
    refuse("{\"format\":1,\"attends\":true,\"score\":\"additive\",\"attention\":5,\"hidden\":1e9}",
           "model: hidden is 1e+09; it is a whole number from 1 to 4096" ANOTHER);
    refuse("{\"format\":1,\"attends\":true,\"score\":\"additive\"," SIZES "}",
           "model: has no list \"english\"" ANOTHER);
}

/* A model of a person's own pairs, with one thing of it changed. */
static void refuse_own(const char *languages, const char *more, const char *line)
{
    char model[1000];
    snprintf(model, sizeof model,
             "{\"format\":1,\"attends\":true,\"score\":\"additive\"," SIZES
             ",\"languages\":%s,\"held_out_by\":0%s}",
             languages, more);
    refuse(model, line);
}

TEST(languages_that_lie_are_refused)
{
#define REST ",\"capital\":true,\"stop\":\".\",\"source\":[\"a\"]"
#define WORDS REST ",\"target\":[\"b\"],\"joins_left\":[],\"joins_right\":[],\"joins_in_turns\":[]"
    refuse_own("[\"de\"]", REST, "model: \"languages\" is not a list of two names" ANOTHER);
    refuse_own("[\"de\",7]", REST, "model: \"languages\" is not a list of texts" ANOTHER);
    refuse_own("[\"de\",\"the language of a long name\"]", REST,
               "model: \"languages\" is not a list of two names" ANOTHER);
    refuse_own("[\"de\",\"en\"]", ",\"capital\":1",
               "model: \"capital\" is not true or false" ANOTHER);
    refuse_own("[\"de\",\"en\"]", REST, "model: has no list \"target\"" ANOTHER);
    refuse_own("[\"de\",\"en\"]", REST ",\"target\":[]",
               "model: the number of words is 0; it is a whole number from 1 to 100000" ANOTHER);
    refuse_own("[\"de\",\"en\"]", REST ",\"target\":[\"b\",\"b\"]",
               "the word \"b\" stands there twice; give the words that the training wrote");
    refuse_own("[\"de\",\"en\"]", REST ",\"target\":[\"b c\"]",
               "\"b c\" is no word; give the words that the training wrote");
    refuse_own("[\"de\",\"en\"]",
               REST ",\"target\":[\"b\"],\"joins_left\":[\"x\"],\"joins_right\":[],"
                    "\"joins_in_turns\":[]",
               "model: \"joins_left\" has a word that the target has not" ANOTHER);
    refuse_own("[\"de\",\"en\"]", WORDS ",\"examples\":[]", "model: has no examples" ANOTHER);
    refuse_own("[\"de\",\"en\"]", WORDS ",\"examples\":[[\"a\"]]",
               "model: an example is not a pair of texts" ANOTHER);
    refuse_own("[\"de\",\"en\"]", WORDS ",\"examples\":[[\"a\",\"b\"]]",
               "model: asks for 1179 numbers; the file holds 1" ANOTHER);
}

TEST(every_name_shape_and_number_is_checked)
{
    damage d = begin_damage(create(SAC_SCORE_ADDITIVE, true), weights_path);
    refuse_damaged(&d, "start.weight", damage_sides, SAC_E_SHAPE,
                   "start.weight: shape [12,6], not [6,12]; give weights of this very model");
    d = begin_damage(create(SAC_SCORE_ADDITIVE, true), weights_path);
    refuse_damaged(&d, "start.bias", damage_number, SAC_E_VALUE,
                   "start.bias: number 2 is nan; take a copy that is not damaged");
    d = begin_damage(create(SAC_SCORE_ADDITIVE, true), weights_path);
    refuse_damaged(&d, "start.bias", damage_type, SAC_E_FORMAT,
                   "start.bias: is int32, not float32; give weights of this very model");
}

TEST(cut_files_and_headers_that_lie_are_refused)
{
    refuse_cut(create(SAC_SCORE_ADDITIVE, true), weights_path);
}

TEST_MAIN(open_weights, close_weights)
