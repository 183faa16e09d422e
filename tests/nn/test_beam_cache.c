/* Keys of the words of a beam: those of each row are its parent's and its own, however long it gets, and there is
 * memory for what is there. */
#include "nn/attention/beam_cache.h"

#include "nn/layers.h"
#include "reference.h"
#include "test.h"

enum { WIDTH = 2, BEAM = 3, STEPS = 200, MOST_ROWS = 16, MOST_WORDS = 1024, SHARED = 70 };

/* What stands at each place of each row: the step, and the row that it was made in. */
typedef struct written {
    float word[BEAM][SHARED + STEPS][WIDTH];
} written;

static void go_on(sac_beam_cache *c, int step, size_t before, written *now)
{
    static written next;
    sac_pass *pass = reference_pass();
    const int rows = step ? BEAM : 1, parents[BEAM] = {step % BEAM, (2 * step) % BEAM, 0};
    const int first[BEAM] = {0};
    float made[BEAM][WIDTH];
    sac_beam_cache_step(pass, c, step < 2 ? first : parents, rows);
    for (int r = 0; r < rows; r++) {
        made[r][0] = (float)step;
        made[r][1] = (float)r;
        memcpy(next.word[r], now->word[step < 2 ? 0 : parents[r]], sizeof next.word[r]);
        memcpy(next.word[r][before], made[r], sizeof made[r]);
    }
    *now = next;
    for (int i = 0; i < 2; i++) {
        sac_tensor from = c->key[i][c->now], to = c->key[i][1 - c->now];
        sac_pass_write(pass, sac_tensor_rows(from, c->rows * c->words, (size_t)rows), made[0]);
        sac_gather_rows(pass, sac_tensor_rows(to, 0, c->gathered.count), from, c->gathered);
    }
}

static void check(const sac_beam_cache *c, size_t words, const written *now)
{
    static float read[BEAM * (SHARED + STEPS) * WIDTH];
    assert_int_equal(c->gathered.count, BEAM * words);
    for (int i = 0; i < 2; i++) {
        sac_pass_read(reference_pass(),
                      sac_tensor_rows(c->key[i][1 - c->now], 0, c->gathered.count), read);
        reference_end();
        for (size_t r = 0; r < BEAM; r++)
            assert_memory_equal(read + r * words * WIDTH, now->word[r],
                                words * WIDTH * sizeof *read);
    }
}

static void check_beam(size_t shared)
{
    static written now;
    sac_arena arena = {0};
    sac_beam_cache c = {0};
    sac_parameter as_wide = {.value = {.rows = WIDTH}};
    const sac_multihead self = {.key.w = &as_wide, .value.w = &as_wide};
    const sac_transformer_layer layer[2] = {{.attention = {self}}, {.attention = {self}}};
    now = (written){0};
    sac_beam_cache_shape(reference_pass(), &arena, &c, layer, 2, MOST_ROWS, MOST_WORDS);
    for (int time = 0; time < 2; time++) {
        if (shared) {
            sac_beam_cache_begin_behind(reference_pass(), &c, shared);
            for (size_t i = 0; i < shared; i++)
                now.word[0][i][0] = now.word[0][i][1] = (float)i;
            for (int i = 0; i < 2; i++)
                sac_pass_write(reference_pass(), sac_tensor_rows(c.key[i][0], 0, shared),
                               now.word[0][0]);
        } else {
            sac_beam_cache_empty(&c);
        }
        for (int step = 0; step < STEPS; step++)
            go_on(&c, step, shared + (size_t)step, &now);
        check(&c, shared + STEPS, &now);
        for (int i = 0; i < 2; i++) /* at most twice as much as is there */
            assert_true(c.room[i] <= 2 * BEAM * (shared + STEPS) + MOST_ROWS);
        assert_int_equal(arena.count, 2 * 2 * 2 + 1); /* what was too small is gone */
    }
    sac_arena_release(&arena);
}

TEST(rows_go_on_from_their_parents_and_take_memory_for_what_is_there)
{
    check_beam(0);
}

TEST(rows_go_on_behind_what_they_share)
{
    check_beam(SHARED);
}

TEST_MAIN(NULL, reference_close)
