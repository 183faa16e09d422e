/* src/sources/files/vector_axes: words for the order of axes, and numbers moved from one to
 * another. */

#include "sources/files/queries/vector_axes.h"
#include "status.h"
#include "test.h"

TEST(an_order_is_read_in_the_letters_of_the_field)
{
    static const char *const words[][2] = {
        {"BTHD", "BTHD"},
        {"bhtd", "BHTD"},
        {"[B, S, H, D]", "BTHD"},
        {"BQHD", "BTHD"},
        {"BLHE", "BTHD"},
        {"BTNH", "BTHD"},
        {"BNTH", "BHTD"},
        {"BMHK", "BTHD"},
        {"BHQK", "BHTD"},
        {"HQK", "HTD"},
        {"QK", "TD"},
        {"BKHD", "BTHD"},
        {"(batch", ""},
        {"BNHD", "BTHD"},
        {"BT3HD", "BT3HD"},
        {"3,B,H,N,D", "3BHTD"},
        {"TBC", "TBD"},
        {"BT", ""},
        {"BHTDD", ""},
        {"LHQK", ""},
        {"BT3H2D", ""},
        {"", ""},
        {"BXTD", ""},
        {"BTHDBTHDBTHD", ""},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        sac_vector_axes axes;
        sac_error error = {0};
        sac_status status = sac_vector_axes_read(words[i][0], axes, &error);
        assert_int_equal(status, words[i][1][0] ? SAC_OK : SAC_E_ARGUMENT);
        if (status == SAC_OK)
            assert_string_equal(axes, words[i][1]);
        else
            assert_string_equal(error.where, "axes");
    }
}

TEST(orders_are_those_that_the_shape_allows)
{
    static const struct {
        int rank;
        size_t shape[5];
        sac_packing packing;
        const char *asked, *first;
        int count;
    } cases[] = {
        {4, {2, 3, 5, 7}, SAC_PACK_NONE, "", "BHTD", 3},
        {3, {2, 5, 7}, SAC_PACK_NONE, NULL, "BTD", 4},
        {2, {5, 7}, SAC_PACK_NONE, "", "TD", 1},
        {5, {2, 5, 3, 4, 7}, SAC_PACK_QKV, "", "BT3HD", 2},
        {5, {3, 2, 4, 5, 7}, SAC_PACK_QKV, "", "3BHTD", 3},
        {5, {2, 5, 2, 4, 7}, SAC_PACK_KV, "BTHD", "2BTHD", 2},
        {5, {4, 5, 2, 6, 7}, SAC_PACK_KV, "BTHD", "BT2HD", 1},
        {4, {1, 5, 9, 7}, SAC_PACK_QKV, "BTHD", "BTHD", 1},
        {4, {1, 5, 9, 7}, SAC_PACK_QKV, "", "", 0},
        {3, {2, 5, 21}, SAC_PACK_QKV, "", "BTD", 2},
        {4, {2, 3, 5, 7}, SAC_PACK_NONE, "BTD", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sac_vector_axes orders[SAC_VECTOR_ORDERS];
        sac_array array = sac_array_view(SAC_F32, cases[i].rank, cases[i].shape, NULL);
        int count = sac_vector_axes_list(&array, cases[i].packing, cases[i].asked, orders);
        assert_int_equal(count, cases[i].count);
        if (count)
            assert_string_equal(orders[0], cases[i].first);
    }
}

enum { B = 2, T = 5, H = 3, D = 4, P = 3 };

/* The number of an element, whatever the order. */
static float number(size_t p, size_t b, size_t h, size_t t, size_t d)
{
    return (float)((((p * B + b) * H + h) * T + t) * D + d);
}

/* An array [B,T,H,D] or the like with these numbers. */
static void fill(const char *axes, float *numbers, size_t shape[5])
{
    static const char letters[] = "3BHTD";
    const size_t sizes[] = {P, B, H, T, D};
    size_t total = 1, rank = strlen(axes);
    for (size_t i = 0; i < rank; i++) {
        shape[i] = sizes[strchr(letters, axes[i]) - letters];
        total *= shape[i];
    }
    for (size_t i = 0; i < total; i++) {
        size_t at[5] = {0}, rest = i;
        for (size_t a = rank; a-- > 0; rest /= shape[a])
            at[strchr(letters, axes[a]) - letters] = rest % shape[a];
        numbers[i] = number(at[0], at[1], at[2], at[3], at[4]);
    }
}

TEST(any_order_gives_the_same_vectors_and_goes_back)
{
    static const char *const orders[] = {"BHTD",  "BTHD",  "TBHD",  "HBTD",  "DTHB",  "BT3HD",
                                         "3BHTD", "BTH3D", "BTHD3", "TB3HD", "B3HTD", "BHDT"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        float numbers[P * B * T * H * D], plain[B * T * H * D];
        size_t shape[5], plain_shape[5];
        sac_vector_axes unpacked;
        fill(orders[i], numbers, shape);
        sac_vector_axes_unpack(orders[i], unpacked);
        bool is_packed = sac_vector_axes_packed_index(orders[i]) >= 0;
        sac_array array = sac_array_view(SAC_F32, (int)strlen(orders[i]), shape, numbers), vectors;
        sac_vector_part second = {.packed = is_packed ? 1 : 0};
        OK(sac_vectors_take(&array, orders[i], &second, &vectors, NULL));
        assert_int_equal(vectors.rank, 4);
        const float *v = vectors.data;
        for (size_t b = 0; b < B; b++)
            for (size_t h = 0; h < H; h++)
                for (size_t t = 0; t < T; t++)
                    for (size_t d = 0; d < D; d++)
                        assert_true(*v++ == number(second.packed, b, h, t, d));
        sac_array copy;
        OK(sac_array_create(SAC_F32, 4, vectors.shape, &copy, NULL));
        memcpy(copy.data, vectors.data, sac_array_count(&copy) * sizeof(float));
        OK(sac_vectors_restore(&copy, orders[i], NULL));
        fill(unpacked, plain, plain_shape);
        assert_int_equal(copy.rank, 4);
        for (size_t k = 0; k < B * T * H * D; k++)
            assert_true(((float *)copy.data)[k] ==
                        plain[k] + (is_packed ? number(1, 0, 0, 0, 0) : 0));
        for (int a = 0; a < 4; a++)
            assert_int_equal(copy.shape[a], plain_shape[a]);
        sac_array_free(&copy);
        sac_array_free(&vectors);
    }
}

TEST(what_lies_in_order_is_lent_and_pieces_are_cut)
{
    float numbers[B * T * H * D];
    size_t shape[5];
    fill("BHTD", numbers, shape);
    sac_array vectors, array = sac_array_view(SAC_F32, 4, shape, numbers);
    OK(sac_vectors_take(&array, "BHTD", &(sac_vector_part){0}, &vectors, NULL));
    assert_ptr_equal(vectors.data, numbers);
    sac_vector_part piece = {.cut = 'D', .from = 1, .width = 2};
    OK(sac_vectors_take(&array, "BHTD", &piece, &vectors, NULL));
    assert_int_equal(vectors.shape[3], 2);
    assert_true(((float *)vectors.data)[2] == number(0, 0, 0, 1, 1));
    sac_array_free(&vectors);
    piece = (sac_vector_part){.cut = 'H', .from = 2, .width = 1};
    OK(sac_vectors_take(&array, "BHTD", &piece, &vectors, NULL));
    assert_int_equal(vectors.shape[1], 1);
    assert_true(((float *)vectors.data)[T * D] == number(0, 1, 2, 0, 0));
    sac_array_free(&vectors);
    assert_int_equal(sac_vectors_take(&array, "BTD", &piece, &vectors, NULL), SAC_E_SHAPE);
}

TEST_MAIN(NULL, NULL)
