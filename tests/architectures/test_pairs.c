/* Translators whose halves are an encoder and a decoder (make_pairs.py), against `transformers`:
 * the tokens of the text, the encoder's states and weights, what each word looks at, and what each
 * search generates. */
#include <math.h>

#include "generator.h"
#include "saccade_arrays.h"

typedef struct family {
    const char *name;
    const char *text; /* with the languages, where the folder has none */
} family;

#define TEXT "the cat sees the red house"
static const family families[] = {
    {"bart", TEXT},
    {"mbart", TEXT},
    {"mbart50", ">>fr_XX<< " TEXT},
    {"m2m_100", ">>en fr<< " TEXT},
    {"nllb", TEXT},
    {"pegasus", TEXT},
    {"t5", TEXT},
    {"t5_gated", TEXT},
    {"umt5", TEXT},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* The model, which has read the text; what it begins with is set as a source sets it. */
static void open_pair(generator *s, const family *f)
{
    sac_tokens tokens = {0};
    int language;
    load_generator(s, f->name);
    const sac_array *ids = sac_arrays_find(s->expected, "input_ids");
    OK(sac_tokenizer_target_language(s->model->tokenizer, f->text, &language, &failure));
    sac_pretrained_captioner_set_language(s->captioner, language);
    OK(sac_tokenizer_encode(s->model->tokenizer, f->text, true, &tokens, &failure));
    assert_int_equal(tokens.count, sac_array_count(ids));
    assert_memory_equal(tokens.ids, ids->data, tokens.count * sizeof *tokens.ids);
    s->read = (int)tokens.count;
    OK(sac_pretrained_captioner_read_tokens(s->captioner, tokens.ids, tokens.count, &failure));
    sac_tokens_free(&tokens);
}

TEST(encoders_have_the_states_and_weights_of_transformers)
{
    for (int i = 0; i < FAMILIES; i++)
        check_family(families[i].name, "");
}

/* ---------------------------------------------------------------- decoders */

static void check_searches(const family *f)
{
    generator s;
    open_pair(&s, f);
    for (size_t i = 0; i < SEARCHES; i++) {
        sac_result caption;
        check_search(&s, i, &caption);
        if (i == 0) {
            check_looks(&s, caption.count);
            check_probabilities(&s, &caption);
        }
        sac_result_free(&caption);
    }
    close_generator(&s);
}

TEST(each_search_generates_what_generate_does)
{
    for (int i = 0; i < FAMILIES; i++)
        check_searches(&families[i]);
}

TEST(all_heads_of_both_halves_are_those_of_transformers)
{
    for (int i = 0; i < FAMILIES; i++) {
        generator s;
        sac_attentions all;
        open_pair(&s, &families[i]);
        const sac_array *greedy = sac_arrays_find(s.expected, "greedy");
        OK(sac_pretrained_captioner_attentions(s.captioner, (const int *)greedy->data + 1,
                                               sac_array_count(greedy) - 1, &all, &failure));
        check_kind(&s, &all.kind[SAC_ENCODER_ATTENTION], "attentions");
        check_kind(&s, &all.kind[SAC_DECODER_ATTENTION], "decoder_attentions");
        check_kind(&s, &all.kind[SAC_CROSS_ATTENTION], "cross_attentions");
        sac_attentions_free(&all);
        close_generator(&s);
    }
}

/* ---------------------------------------------------------------- languages */

/* A translation begins with the token of its language. */
static void check_first(sac_source *source, const sac_pretrained_model *m, const char *language)
{
    sac_result caption;
    int tokens[SAC_MAX_TOKENS];
    OK(sac_source_generate(source, &(sac_result_request){0}, &caption, &failure));
    assert_true(sac_result_tokens(&caption, tokens) > 0);
    assert_int_equal(tokens[0], sac_tokenizer_find(m->tokenizer, language));
    sac_result_free(&caption);
}

TEST(languages_are_reported_before_a_sentence_or_by_the_folder)
{
    sac_pretrained_model *m;
    sac_source source, other;
    OK(sac_pretrained_model_open_stored(REFERENCES "/mbart50", NULL, SAC_STORAGE_F32, &m,
                                        &failure));
    assert_true(sac_pretrained_translates_to(m, "fr_XX"));
    assert_int_equal(sac_pretrained_translation_open(m, TEXT, &source, &failure), SAC_E_ARGUMENT);
    assert_non_null(strstr(failure.what, "it knows ar_AR, cs_CZ, de_DE"));
    assert_int_equal(sac_pretrained_translation_open(m, ">>xx_XX<< " TEXT, &source, &failure),
                     SAC_E_ARGUMENT);
    assert_non_null(strstr(failure.what, "\"xx_XX\" is not known; there are ar_AR"));
    OK(sac_pretrained_translation_open(m, ">>de_DE fr_XX<< " TEXT, &source, &failure));
    check_first(&source, m, "fr_XX");
    OK(sac_source_read(&source, ">>ro_RO<< " TEXT, &failure));
    check_first(&source, m, "ro_RO");
    assert_int_equal(sac_source_read(&source, ">>ro_RO<< ", &failure), SAC_E_ARGUMENT);
    /* Two of one model each keep their own. */
    OK(sac_pretrained_translation_open(m, ">>de_DE fr_XX<< " TEXT, &other, &failure));
    check_first(&other, m, "fr_XX");
    sac_source_forget(&source);
    check_first(&source, m, "ro_RO");
    sac_source_destroy(&other);
    sac_source_destroy(&source);
    sac_pretrained_model_close(m);
    OK(sac_pretrained_model_open_stored(REFERENCES "/bart", NULL, SAC_STORAGE_F32, &m, &failure));
    assert_false(sac_pretrained_translates_to(m, "fr_XX"));
    sac_pretrained_model_close(m);
}

TEST(errors_by_word_and_character_are_those_of_transformers_texts)
{
    check_rates();
}

TEST_MAIN(open_device, close_device)
