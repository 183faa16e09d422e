/* src/generate/generate: the best sentence of a model that reads, by arithmetic: it repeats its source
 * backwards, looks at the word that it repeats, and knows one other word for each. */

#include "base/error.h"
#include "generate/generate.h"
#include "generate/token_run.h"
#include "sources/words/causal.h"
#include "status.h"
#include "test.h"

enum { PAD, START, END, A, B, C, WORDS };

typedef struct reader {
    sac_search *generation;
    int count, source[SAC_MAX_TOKENS]; /* what it has encoded */
    int failing_step;                  /* −1: none */
    bool as_generated;                 /* of the search */
    const sac_token_rules *rules;
} reader;

static sac_sequence start(const void *self)
{
    const reader *r = self;
    return (sac_sequence){.tokens = {.vocabulary = WORDS,
                                     .length = SAC_MAX_TOKENS,
                                     .pad = PAD,
                                     .start = START,
                                     .end = END,
                                     .as_generated = r->as_generated,
                                     .rules = r->rules},
                          .grid_w = r->count,
                          .grid_h = 1};
}

static const char *word(const void *self, int token)
{
    static const char *const texts[WORDS] = {"<pad>", "<start>", "<end>", "a", "b", "c"};
    (void)self;
    return texts[token];
}

static const char *position(const void *self, int index)
{
    return word(self, ((const reader *)self)->source[index]);
}

/* Of the word that comes next 0.8, of the two others 0.15 and 0.05 in the order a, b, c, a; the end
 * is certain. */
static float probability(int word, int next)
{
    if (word == next)
        return 0.8f;
    if (next == END || word < A)
        return 1e-9f;
    return (word - next + 3) % 3 == 1 ? 0.15f : 0.05f;
}

/* Three quarters of the weights lie on the word that is repeated. */
static sac_status step(void *self, const sac_beam *beam, const sac_result_request *request,
                       const sac_step_result *result, sac_error *error)
{
    const reader *r = self;
    int at = r->count - 1 - beam->step;
    int next = at >= 0 ? r->source[at] : END;
    (void)request;
    if (beam->step == r->failing_step)
        return sac_fail(error, SAC_E_DEVICE, "device", NULL, "is gone");
    for (int row = 0; row < beam->rows; row++) {
        for (int w = 0; w < WORDS; w++)
            result->logits[row * WORDS + w] = logf(probability(w, next)) + 7;
        for (int i = 0; i < r->count; i++)
            result->weights[row * r->count + i] = i == at ? 0.75f : 0.25f / (float)(r->count - 1);
        result->gate[row] = row == 0 ? 0.5f : result->gate[row];
    }
    return SAC_OK;
}

static const sac_decoder decoder = {
    .name = "reader", .start = start, .token = word, .position = position, .step = step};

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    reader *r = self;
    return sac_generate(&r->generation, &decoder, r, request, caption, error);
}

static reader read_sentence(int count, const int *source)
{
    reader r = {.count = count, .failing_step = -1};
    memcpy(r.source, source, (size_t)count * sizeof *source);
    return r;
}

static const sac_result_request greedy = {.beam = 1};

static void finish(reader *r, sac_result *caption)
{
    sac_result_free(caption);
    sac_generation_destroy(r->generation);
}

TEST(a_model_that_reads_generates_over_the_words_of_its_source)
{
    reader r = read_sentence(3, (const int[]){A, B, C});
    sac_result generated;
    OK(generate(&r, &greedy, &generated, NULL));
    assert_int_equal(generated.count, 3);
    assert_true(generated.finished);
    assert_int_equal(generated.grid_w, 3);
    assert_int_equal(generated.grid_h, 1);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(generated.positions[i], word(NULL, r.source[i]));
        assert_string_equal(generated.outputs[i].text, generated.positions[2 - i]);
        assert_int_equal(generated.outputs[i].peak_x, 2 - i);
        assert_float_equal(generated.weights[i * 3 + 2 - i], 0.75f, 0);
        assert_float_equal(generated.outputs[i].gate, 0.5f, 0);
    }
    assert_float_equal(generated.max_weight, 0.75f, 0);
    /* The second word is b of 0.8, beside c and no token that is excluded. */
    assert_float_equal(generated.outputs[1].probability, 0.8, 1e-5);
    assert_int_equal(generated.outputs[1].alternative[0], C);
    assert_float_equal(generated.outputs[1].alternative_probability[0], 0.15, 1e-5);
    assert_int_equal(generated.outputs[1].alternative[1], A);
    assert_float_equal(generated.outputs[1].alternative_probability[1], 0.05, 1e-5);
    assert_int_equal(generated.outputs[1].alternative[2], -1);
    finish(&r, &generated);
}

TEST(a_longer_source_than_the_last_finds_room)
{
    int source[SAC_MAX_TOKENS];
    for (int i = 0; i < SAC_MAX_TOKENS; i++)
        source[i] = A + i % 3;
    reader r = read_sentence(SAC_MAX_TOKENS, source);
    r.count = 2;
    sac_result generated;
    OK(generate(&r, &greedy, &generated, NULL));
    assert_int_equal(generated.count, 2);
    sac_result_free(&generated);
    r.count = SAC_MAX_TOKENS;
    OK(generate(&r, &greedy, &generated, NULL));
    assert_int_equal(generated.count, SAC_MAX_TOKENS);
    assert_false(generated.finished); /* its end would have been one word more */
    for (int i = 0; i < SAC_MAX_TOKENS; i++)
        assert_int_equal(generated.outputs[i].word, source[SAC_MAX_TOKENS - 1 - i]);
    finish(&r, &generated);
}

TEST(beam_keeps_given_words_and_reports_a_failed_step)
{
    reader r = read_sentence(3, (const int[]){A, B, C});
    sac_result generated;
    sac_result_request request = {.prefix = {A, A}, .prefix_count = 2};
    OK(generate(&r, &request, &generated, &failure));
    assert_int_equal(generated.outputs[0].word, A);
    assert_int_equal(generated.outputs[1].word, A);
    assert_int_equal(generated.outputs[2].word, A);
    sac_result_free(&generated);
    r.failing_step = 2;
    REFUSES(SAC_E_DEVICE, "…is gone…", generate(&r, &request, &generated, &failure));
    assert_null(generated.weights);
    request.prefix[0] = END;
    assert_int_equal(generate(&r, &request, &generated, &failure), SAC_E_ARGUMENT);
    finish(&r, &generated);
}

/* As `generate` does, which keeps no token but the end from standing in a sentence. */
TEST(decode_accepts_its_own_output_as_given_words)
{
    reader r = read_sentence(3, (const int[]){PAD, START, B});
    sac_result generated;
    sac_causal causal;
    sac_source source = {.self = &r, .result.models = 1, .result.generate = generate};
    r.as_generated = true;
    OK(generate(&r, &greedy, &generated, &failure));
    assert_int_equal(generated.count, 3);
    assert_int_equal(generated.outputs[1].word, START);
    assert_int_equal(generated.outputs[2].word, PAD);
    for (int i = 0; i < 3; i++) {
        OK(sac_causal_ask(&source, &greedy, &generated, i, 1, &causal, &failure));
        assert_int_equal(causal.cells, 3);
        assert_int_equal(causal.instead, SAC_CAUSAL_SAME);
    }
    finish(&r, &generated);
}

static sac_status read_text(void *self, const int *tokens, int count, sac_error *error)
{
    (void)self;
    (void)tokens;
    (void)error;
    assert_true(count >= 2);
    return SAC_OK;
}

/* After a text of two tokens. */
static sac_status go_on(reader *r, const sac_sampling *how, sac_token_run *run)
{
    sac_decoder after_text = decoder;
    after_text.read = read_text;
    return sac_token_run_generate(run, &after_text, r, (const int[]){START, A}, 2, how, NULL);
}

/* Until the end, or as many as are requested. */
TEST(a_text_goes_on_token_by_token)
{
    reader r = read_sentence(3, (const int[]){A, B, C});
    sac_token_run run = {0};
    OK(go_on(&r, &(sac_sampling){.count = 16}, &run));
    assert_int_equal(run.count, 3);
    assert_memory_equal(run.words, ((const int[]){START, A, C, B, A}), 5 * sizeof *run.words);
    assert_null(run.logits);
    OK(go_on(&r, &(sac_sampling){.count = 2}, &run));
    assert_int_equal(run.count, 2);
    OK(go_on(&r, &(sac_sampling){0}, &run));
    assert_int_equal(run.count, 0);
    r = read_sentence(1, (const int[]){A}); /* sampled: each token, as often as it is probable */
    int often[WORDS] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        OK(go_on(&r, &(sac_sampling){.count = 1, .draw = {.temperature = 1, .seed = seed}}, &run));
        assert_int_equal(run.count, 1);
        often[run.words[2]]++;
    }
    assert_in_range(often[A], 290, 350);
    r.failing_step = 1;
    assert_int_equal(
        go_on(&r, &(sac_sampling){.count = 16, .draw = {.temperature = 2, .seed = 4}}, &run),
        SAC_E_DEVICE);
    sac_token_run_free(&run);
}

/* The tokens before one that is chosen stay, in a beam search too; a token that does not exist is refused. */
TEST(chosen_tokens_stand_in_the_text)
{
    reader r = read_sentence(4, (const int[]){A, B, C, A});
    sac_token_run run = {0};
    sac_sampling how = {.count = 16, .changes = 1, .change = {{1, B}}};
    r.as_generated = true;
    for (how.beam = 1; how.beam <= 3; how.beam += 2) {
        OK(go_on(&r, &how, &run));
        assert_true(run.count > 2 && run.words[2] == A && run.words[3] == B);
    }
    how.change[0].id = WORDS;
    assert_int_equal(go_on(&r, &how, &run), SAC_E_ARGUMENT);
    sac_token_run_free(&run);
}

/* Of four tokens with probabilities 0.5, 0.3, 0.15, 0.05. */
TEST(top_k_and_top_p_leave_the_most_probable_tokens)
{
    const float logits[] = {logf(0.15f), logf(0.5f), logf(0.05f), logf(0.3f)};
    const struct {
        sac_draw by;
        int kept;
        float first; /* its probability among those that are left */
    } cases[] = {{{0}, 4, 0.5f},
                 {{.top_k = 2}, 2, 0.625f},
                 {{.top_k = 9}, 4, 0.5f},
                 {{.top_p = 0.79f}, 2, 0.625f},
                 {{.top_p = 0.81f}, 3, 0.5f / 0.95f},
                 {{.top_p = 1e-9f}, 1, 1},
                 {{.top_p = 1}, 4, 0.5f},
                 {{.top_k = 3, .top_p = 0.6f}, 2, 0.625f},
                 {{.temperature = 0.5f, .top_k = 2}, 2, 0.25f / 0.34f}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_drawable left[4];
        assert_int_equal(sac_draw_rank_and_cut(&cases[i].by, logits, 4, left), cases[i].kept);
        assert_int_equal(left[0].token, 1);
        assert_true(cases[i].kept < 2 || left[1].token == 3);
        assert_float_equal(left[0].probability, cases[i].first, 1e-5);
    }
    reader r = read_sentence(1, (const int[]){A}); /* A, and now and then another */
    sac_token_run run = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        const sac_draw one = {.temperature = 3, .seed = seed, .top_k = 1};
        OK(go_on(&r, &(sac_sampling){.count = 1, .draw = one}, &run));
        assert_int_equal(run.words[2], A);
    }
    sac_token_run_free(&run);
}

TEST(decode_refuses_banned_words_as_given)
{
    static const int banned[] = {1, PAD, 2, A, C}, never[] = {B}, ends[] = {C};
    static const sac_token_rules no_padding = {.banned = banned, .banned_count = 5};
    static const sac_token_rules two_ends = {
        .never = never, .never_count = 1, .ends = ends, .end_count = 1};
    const struct {
        bool as_generated;
        const sac_token_rules *rules;
        bool takes[WORDS];
    } searches[] = {
        {false, NULL, {[A] = true, [B] = true, [C] = true}},
        {true, NULL, {[PAD] = true, [START] = true, [A] = true, [B] = true, [C] = true}},
        {true, &no_padding, {[START] = true, [A] = true, [B] = true, [C] = true}},
        {true, &two_ends, {[PAD] = true, [START] = true, [A] = true}}};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        for (int w = 0; w < WORDS; w++) {
            reader r = read_sentence(3, (const int[]){A, B, C});
            sac_result generated;
            sac_result_request request = {.prefix = {w}, .prefix_count = 1};
            r.as_generated = searches[i].as_generated;
            r.rules = searches[i].rules;
            assert_int_equal(generate(&r, &request, &generated, NULL),
                             searches[i].takes[w] ? SAC_OK : SAC_E_ARGUMENT);
            finish(&r, &generated);
        }
}

TEST_MAIN(NULL, NULL)
