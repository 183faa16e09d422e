/* viz/shell/why/why, why_steps and steps: a weight taken apart, over the view that shows it. */

#include <ctype.h>

#include "base/text/numbers.h"
#include "canvas/recording.h"
#include "every_view.h"
#include "scores/normalizers.h"
#include "scores/scores.h"
#include "shell/why/why.h"
#include "shell/why/why_chain.h"
#include "shell/why/why_steps.h"
#include "status.h"
#include "test.h"
#include "view/keys.h"
#include "view/settings.h"
#include "view/words.h"

enum { DIM = 64, VALUES = 6 };

/* Whole numbers of a place, small, of both signs. */
static float some(size_t a, size_t b)
{
    return (float)((a * 37 + b * 101 + a * b * 7) % 41) / 20 - 1;
}

static float *numbers(size_t rows, size_t columns, size_t kind)
{
    float *all = malloc(rows * columns * sizeof *all);
    for (size_t i = 0; i < rows * columns; i++)
        all[i] = some(i / columns + 5 * kind, i % columns + kind);
    return all;
}

/* Everything but what is computed of it. */
static sac_explanation make_up_by(sac_normalizer normalizer, sac_score score, size_t dim,
                                  size_t keys, size_t position)
{
    sac_explanation e = {.score = score,
                         .normalizer = normalizer,
                         .keys = keys,
                         .position = position,
                         .dim = dim,
                         .value_dim = VALUES,
                         .scale = score == SAC_SCORE_SCALED_DOT ? 1 / sqrt((double)dim) : 1,
                         .temperature = 2,
                         .inverse_width = 0.5,
                         .gate = 1};
    e.query = numbers(1, dim, 1);
    e.key = numbers(keys, dim, 2);
    e.value = numbers(keys, VALUES, 3);
    e.weights = numbers(1, keys, 4);
    e.bias = calloc(keys, sizeof *e.bias);
    e.bias[keys - 1] = -INFINITY;
    if (score == SAC_SCORE_ADDITIVE)
        e.w_v = numbers(1, dim, 5);
    OK(sac_explanation_compute(&e, NULL));
    return e;
}

static sac_explanation make_up(sac_score score, size_t dim, size_t keys, size_t position)
{
    return make_up_by(SAC_NORMALIZER_SOFTMAX, score, dim, keys, position);
}

static char *key_name(const void *user, size_t position, char *text, size_t size)
{
    (void)user;
    snprintf(text, size, "cell (%zu, 1)", position);
    return text;
}

static const viz_why_names names = {"the query", key_name, NULL};

/* ---------------------------------------------------------------- the steps */

static double row_sum(const viz_step_row *row, size_t columns)
{
    double sum = 0;
    for (size_t i = 0; i < columns; i++)
        sum += row->numbers[i];
    return sum;
}

static const viz_step *step_of(const viz_why_steps *steps, viz_why_kind kind)
{
    for (int i = 0; i < steps->count; i++)
        if (steps->kind[i] == kind)
            return &steps->steps[i];
    fail_msg("there is no step %d", (int)kind);
    return NULL;
}

/* Signs of people's as a program reads them. */
static const char *ascii(const char *text)
{
    static char out[256];
    size_t used = 0;
    for (; *text && used + 8 < sizeof out; text++) {
        if (strncmp(text, "−", strlen("−")) == 0) {
            out[used++] = '-';
            text += strlen("−") - 1;
        } else if (strncmp(text, "√", strlen("√")) == 0) {
            used += (size_t)snprintf(out + used, sizeof out - used, "sqrt");
            text += strlen("√") - 1;
        } else
            out[used++] = *text;
    }
    out[used] = '\0';
    return out;
}

static void expect_number(const char *text, double expected)
{
    char number[32];
    assert_string_equal(text, sac_number_text(expected, number, sizeof number));
}

TEST(each_step_begins_with_what_the_one_before_gave)
{
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        sac_explanation e = make_up((sac_score)score, DIM, 9, 2);
        viz_why_steps steps;
        assert_true(viz_why_steps_make(&e, &names, &steps));
        assert_int_equal(steps.count, VIZ_WHY_KINDS);
        const viz_step *terms = step_of(&steps, VIZ_WHY_TERMS);
        double raw = row_sum(&terms->table.row[terms->table.rows - 1], DIM);
        expect_number(step_of(&steps, VIZ_WHY_RAW)->result, raw);
        double scaled = raw * e.scale / 2;
        expect_number(step_of(&steps, VIZ_WHY_SCALE)->result, scaled);
        expect_number(step_of(&steps, VIZ_WHY_MASK)->result, scaled);
        expect_number(step_of(&steps, VIZ_WHY_EXP)->result, exp(scaled - e.shift));
        const viz_step *sum = step_of(&steps, VIZ_WHY_SUM);
        double whole = row_sum(&sum->table.row[0], 9);
        expect_number(sum->result, whole);
        const viz_step *share = step_of(&steps, VIZ_WHY_SHARE);
        assert_true(fabs(atof(share->result) - exp(scaled - e.shift) / whole) < 1e-5);
        assert_true(fabs(row_sum(&share->table.row[1], 9) - 1) < 1e-12);
        assert_true(share->table.row[1].numbers[8] == 0);
        viz_why_steps_free(&steps);
        sac_explanation_free(&e);
    }
}

/* Of normalizers with a threshold: what is reckoned with the numbers shown is the next step's. */
TEST(a_threshold_and_what_lies_above_it_give_the_share)
{
    static const sac_normalizer normalizers[] = {SAC_NORMALIZER_ENTMAX15, SAC_NORMALIZER_SPARSEMAX};
    for (int n = 0; n < 2; n++)
        for (size_t position = 0; position < 9; position++) {
            bool squared = normalizers[n] == SAC_NORMALIZER_ENTMAX15;
            sac_explanation e = make_up_by(normalizers[n], SAC_SCORE_SCALED_DOT, DIM, 9, position);
            viz_why_steps steps;
            assert_true(viz_why_steps_make(&e, &names, &steps));
            assert_int_equal(steps.count, squared ? VIZ_WHY_KINDS : VIZ_WHY_KINDS - 1);
            double right[9], tau = sac_normalize(normalizers[n], 9, e.masked, right);
            const viz_step *threshold = step_of(&steps, VIZ_WHY_EXP);
            const viz_step *share = step_of(&steps, VIZ_WHY_SHARE);
            expect_number(threshold->result, tau);
            assert_true(fabs(atof(share->result) - right[position]) < 1e-5);
            const viz_step_row *shares = &share->table.row[share->table.rows - 1];
            assert_true(fabs(row_sum(shares, 9) - 1) < 1e-12 && shares->numbers[8] == 0);
            size_t kept = 0, shown, of;
            for (size_t i = 0; i < 9; i++)
                kept += right[i] > 0;
            assert_int_equal(sscanf(threshold->notice, "Of %zu keys %zu lie above it", &of, &shown),
                             2);
            assert_true(of == 9 && shown == kept);
            if (squared) {
                double mean, apart;
                assert_int_equal(sscanf(ascii(threshold->formula),
                                        "%lf - sqrt((1 - %lf) / %zu) =", &mean, &apart, &shown),
                                 3);
                assert_true(shown == kept &&
                            fabs(mean - sqrt((1 - apart) / (double)kept) - tau) < 0.01);
                double above = fmax(0, e.masked[position] / 2 - tau);
                expect_number(step_of(&steps, VIZ_WHY_SUM)->result, above);
            } else
                assert_non_null(strstr(threshold->formula, " − 1) / "));
            viz_why_steps_free(&steps);
            sac_explanation_free(&e);
        }
}

static char *chinese_name(const void *user, size_t position, char *text, size_t size)
{
    (void)user;
    snprintf(text, size, viz_word("cell (%zu, %zu)"), position, (size_t)1);
    return text;
}

/* Four letters in a row are English, but for the names of functions; "softmax" is one, too. */
static void assert_no_english(const char *text)
{
    size_t letters = 0;
    for (const char *c = text; *c; c++) {
        letters = isalpha((unsigned char)*c) ? letters + 1 : 0;
        if (letters > 3 && strncmp(c - 3, "tanh", 4) != 0)
            fail_msg("“%s” is English", text);
    }
}

TEST(steps_and_cells_are_in_the_language_of_the_window)
{
    viz_set_language(SAC_IN_CHINESE);
    const viz_why_names chinese = {"格子 (0, 1)", chinese_name, NULL};
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        sac_explanation e = make_up((sac_score)score, DIM, 9, 2);
        viz_why_steps steps;
        assert_true(viz_why_steps_make(&e, &chinese, &steps));
        for (int i = 0; i < steps.count; i++) {
            const viz_step *step = &steps.steps[i];
            assert_no_english(step->name);
            assert_no_english(step->sentence);
            assert_no_english(step->notice);
            assert_no_english(step->table.name);
            for (int r = 0; r < (int)step->table.rows; r++)
                assert_no_english(step->table.row[r].name);
        }
        viz_why_steps_free(&steps);
        sac_explanation_free(&e);
    }
    size_t x = 0, y = 0;
    assert_true(viz_why_parse_cell("格子 (3, 4)", &x, &y) && x == 3 && y == 4);
    viz_set_language(SAC_IN_ENGLISH);
    assert_true(viz_why_parse_cell("cell (5, 6)", &x, &y) && x == 5 && y == 6);
    assert_false(viz_why_parse_cell("garden", &x, &y));
}

/* One coordinate: q = 0.5, k = −0.25, w = 2, an inverse width of 0.5. */
static sac_explanation one_coordinate(sac_score score)
{
    sac_explanation e = make_up(score, 1, 2, 0);
    e.query[0] = 0.5f;
    e.key[0] = -0.25f;
    if (e.w_v)
        e.w_v[0] = 2;
    return e;
}

TEST(a_term_is_reported_with_its_own_numbers)
{
    static const char *const formulas[SAC_SCORE_COUNT] = {
        [SAC_SCORE_SCALED_DOT] = "0.500 × −0.250 =",
        [SAC_SCORE_DOT] = "0.500 × −0.250 =",
        [SAC_SCORE_ADDITIVE] = "2 × tanh(0.500 − 0.250) =",
        [SAC_SCORE_BILINEAR] = "0.500 × −0.250 =",
        [SAC_SCORE_GAUSSIAN] = "−½ ((0.500 + 0.250) × 0.500)² =",
    };
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        sac_explanation e = one_coordinate((sac_score)score);
        viz_why_steps steps;
        assert_true(viz_why_steps_make(&e, &names, &steps));
        if (formulas[score])
            assert_string_equal(step_of(&steps, VIZ_WHY_TERMS)->formula, formulas[score]);
        viz_why_steps_free(&steps);
        sac_explanation_free(&e);
    }
}

/* A row of the table that lacks words shows here, before a person meets it. */
TEST(every_score_of_the_table_has_its_words_and_a_place)
{
    bool taken[SAC_SCORE_COUNT] = {false};
    for (int score = 0; score < SAC_SCORE_COUNT; score++) {
        const sac_score_class *class = sac_score_class_of((sac_score)score);
        const sac_score_words *w = &class->words;
        if (!(w->label && w->formula && w->help && w->meaning && w->query && w->key && w->sum &&
              w->terms))
            fail_msg("%s lacks words", class->name);
        const sac_term_words *t = w->terms;
        assert_true(t->name && t->term && t->sentence && t->numbers && t->notice);
        assert_true(!class->inner == !t->inner && !w->scale == !w->scale_notice);
        if (w->place < 0 || w->place >= SAC_SCORE_COUNT || taken[w->place])
            fail_msg("%s has no place of its own: %d", class->name, w->place);
        taken[w->place] = true;
        assert_int_equal(sac_score_at_place(w->place), score);
    }
}

TEST(columns_are_named_shortly_and_sentences_in_full)
{
    sac_explanation e = make_up(SAC_SCORE_DOT, DIM, 9, 2);
    viz_why_steps steps;
    char text[64];
    assert_true(viz_why_steps_make(&e, &names, &steps));
    const viz_step *share = step_of(&steps, VIZ_WHY_SHARE);
    assert_string_equal(share->table.label(share->table.user, 8, text, sizeof text), "(8, 1)");
    assert_non_null(strstr(share->sentence, "cell (2, 1)"));
    viz_why_steps_free(&steps);
    sac_explanation_free(&e);
}

TEST(its_sheet_names_keys_of_the_table)
{
    for (const viz_key_row *keys = viz_why_class.keys; keys->key; keys++)
        for (const char *rest = keys->key; rest;)
            assert_non_null(viz_key_named(rest, &rest));
}

TEST(of_weights_alone_the_steps_report_it)
{
    float weights[] = {0.5f, 0.25f, 0.125f, 0.0625f};
    sac_explanation e = {.keys = 4, .position = 1, .weights = weights};
    viz_why_steps steps;
    assert_true(viz_why_steps_make(&e, &names, &steps));
    assert_int_equal(steps.count, 2);
    expect_number(steps.steps[0].result, 0.9375);
    assert_non_null(strstr(steps.steps[0].notice, "Only weights are known"));
    assert_true(fabs(atof(steps.steps[1].result) - 0.25 / 0.9375) < 1e-5);
    viz_why_steps_free(&steps);
}

TEST(long_rows_show_the_largest_terms_and_the_sum_of_the_rest)
{
    sac_explanation e = make_up(SAC_SCORE_DOT, 512, 300, 7);
    viz_why_steps steps;
    assert_true(viz_why_steps_make(&e, &names, &steps));
    const viz_step_table *terms = &step_of(&steps, VIZ_WHY_RAW)->table;
    for (size_t i = 1; i < 512; i++)
        assert_true(fabs(e.terms[terms->order[i - 1]]) >= fabs(e.terms[terms->order[i]]));
    const viz_step_table *keys = &step_of(&steps, VIZ_WHY_SHARE)->table;
    assert_int_equal(keys->order[0], 7);
    for (size_t i = 2; i < 300; i++)
        assert_true(e.shares[keys->order[i - 1]] >= e.shares[keys->order[i]]);
    viz_why_steps_free(&steps);
    sac_explanation_free(&e);
}

/* ---------------------------------------------------------------- the page */

static void check_page(const viz_page *page, const viz_canvas *canvas, viz_rect area)
{
    viz_page_layout l = viz_page_lay(page, canvas, area);
    float bottom = area.y + area.h, right = area.x + area.w;
    char where[64];
    snprintf(where, sizeof where, "%s at %d × %d", page->steps[page->current].name, canvas->width,
             canvas->height);
    bool formula = page->steps[page->current].formula[0];
    viz_rect name = l.turns.items[page->current];
    if (!(l.title_y < l.subtitle_y && l.subtitle_y < name.y + name.h / 2 &&
          name.y + name.h < l.sentence_y && l.sentence_y < l.table.y &&
          l.table.y + l.table.h < l.notice_y && l.table.y + l.table.h < l.formula_y &&
          (!formula || l.formula_y < l.notice_y)))
        fail_msg("%s: out of order", where);
    if (l.notice_y > bottom || l.cells.x + l.cells.w > right || l.cells.h < 10)
        fail_msg("%s: cut off, the last line at %g of %g, cells of %g", where, (double)l.notice_y,
                 (double)bottom, (double)l.cells.h);
    if (l.first + l.shown > page->steps[page->current].table.columns)
        fail_msg("%s: more columns than there are", where);
}

TEST(every_step_has_room_in_every_window)
{
    static const int sizes[][2] = {{640, 400}, {800, 500}, {1280, 800}, {800, 1200}, {1920, 1080}};
    for (int score = 0; score < SAC_SCORE_COUNT; score++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            sac_explanation e = make_up((sac_score)score, DIM, 196, 2);
            viz_why_steps steps;
            viz_canvas canvas;
            assert_true(viz_why_steps_make(&e, &names, &steps));
            OK(viz_canvas_create(sizes[i][0], sizes[i][1], 1, &viz_theme_dark, &canvas, NULL));
            viz_rect area = {0, VIZ_TABS_HEIGHT, (float)sizes[i][0],
                             (float)sizes[i][1] - VIZ_TABS_HEIGHT - 48};
            for (int s = 0; s < steps.count; s++)
                check_page(
                    &(viz_page){"Why?", "“a” attends to “b”", steps.steps, steps.count, s, 0},
                    &canvas, area);
            viz_canvas_free(&canvas);
            viz_why_steps_free(&steps);
            sac_explanation_free(&e);
        }
}

/* All steps are on one page: a line for each below the other, beside what meets, as pictures where
 * the keys are cells of one. */
TEST(all_steps_have_room_on_one_page_in_every_window)
{
    static const int sizes[][2] = {{640, 400}, {800, 500}, {1280, 800}, {800, 1200}, {3840, 2160}};
    sac_explanation e = make_up(SAC_SCORE_DOT, DIM, 196, 2);
    sac_image image;
    viz_why_names cells = {"cell (3, 1)", key_name, NULL};
    viz_why_steps steps;
    OK(sac_image_create(196, 2, &image, NULL));
    assert_true(viz_why_steps_make(&e, &cells, &steps));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        viz_rect area = {0, 44, (float)sizes[i][0], (float)sizes[i][1] - 44 - 48};
        viz_chain chain = {"Why?", "“a” attends to “b”", &steps, &e, &image, &cells};
        viz_chain_layout l = viz_chain_lay(&chain, area);
        assert_int_equal(l.count, steps.count);
        assert_true(area.w < 720 || (l.query.w > 50 && l.key.w > 50 && l.term_count >= 3));
        for (int k = 0; k < l.count; k++) {
            viz_rect r = l.links[k];
            assert_true(r.h >= 16 && r.y + r.h <= area.y + area.h && r.x + r.w <= area.w);
            assert_true(r.x >= l.key.x + l.key.w && r.x >= l.terms.x + l.terms.w);
            assert_int_equal(viz_chain_hit(&l, r.x + 5, r.y + r.h / 2), k);
        }
        assert_true(l.terms.y >= l.key.y + l.key.h && l.terms.y + l.terms.h <= area.y + area.h);
    }
    viz_why_steps_free(&steps);
    sac_image_free(&image);
    sac_explanation_free(&e);
}

TEST(scrolled_columns_end_with_the_last_one)
{
    sac_explanation e = make_up(SAC_SCORE_DOT, DIM, 196, 2);
    viz_why_steps steps;
    viz_canvas canvas;
    assert_true(viz_why_steps_make(&e, &names, &steps));
    OK(viz_canvas_create(1280, 800, 1, &viz_theme_dark, &canvas, NULL));
    viz_page page = {"Why?", "", steps.steps, steps.count, VIZ_WHY_SHARE, 10000};
    viz_page_layout l = viz_page_lay(&page, &canvas, (viz_rect){0, 44, 1280, 700});
    assert_true(l.rest && l.first + l.shown == 196);
    size_t last = viz_page_column_at(&page, &l, l.cells.x + l.cells.w - 2, l.cells.y + 2);
    assert_int_equal(last, steps.steps[VIZ_WHY_SHARE].table.order[195]);
    viz_canvas_free(&canvas);
    viz_why_steps_free(&steps);
    sac_explanation_free(&e);
}

/* 64 keys, where a row of cells holds ten or so. */
TEST(an_upright_page_shows_long_rows_whole_in_bands)
{
    sac_explanation e = make_up(SAC_SCORE_DOT, DIM, 64, 2);
    viz_why_steps steps;
    viz_canvas canvas;
    assert_true(viz_why_steps_make(&e, &names, &steps));
    OK(viz_canvas_create(800, 1200, 1, &viz_theme_dark, &canvas, NULL));
    viz_page page = {"Why?", "", steps.steps, steps.count, VIZ_WHY_SHARE, 0};
    viz_page_layout l = viz_page_lay(&page, &canvas, (viz_rect){0, 44, 800, 1100});
    assert_true(!l.rest && l.shown == 64 && l.across < 64);
    for (size_t i = 0; i < 64; i++) {
        viz_rect cell = viz_page_column(&page, &l, i);
        assert_true(cell.x >= l.area.x && cell.x + cell.w <= l.area.x + l.area.w);
        assert_true(cell.y + cell.h <= l.formula_y - 8);
        assert_int_equal(viz_page_column_at(&page, &l, cell.x + 2, cell.y + 2), i);
        assert_int_equal(viz_page_column_at(&page, &l, cell.x + 2, cell.y + cell.h + 8), SIZE_MAX);
    }
    viz_canvas_free(&canvas);
    viz_why_steps_free(&steps);
    sac_explanation_free(&e);
}

TEST(numbers_are_written_for_people)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-3, "−3"},
                 {0.35267, "0.353"},
                 {-12.345, "−12.35"},
                 {123.45, "123.5"},
                 {0.01234, "0.0123"},
                 {1.5e-7, "1.5e−7"},
                 {-INFINITY, "−∞"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(sac_number_text(cases[i].number, text, sizeof text), cases[i].text);
}

/* ---------------------------------------------------------------- over a view */

/* What was requested last; what a request lends is copied. */
static sac_explanation_request asked;
static sac_result_request asked_caption;
static sac_picture_request asked_picture;
static bool asked_hidden[400];
static size_t cells_of_view = 9;

static sac_status explain(void *self, const sac_explanation_request *request, sac_explanation *e,
                          sac_error *error)
{
    (void)self;
    (void)error;
    asked = *request;
    asked_caption = request->caption ? *request->caption : (sac_result_request){0};
    asked_picture = request->picture ? *request->picture : (sac_picture_request){0};
    const uint8_t *hidden = request->caption   ? request->caption->hidden
                            : request->picture ? request->picture->hidden
                                               : NULL;
    for (size_t i = 0; i < cells_of_view; i++)
        asked_hidden[i] = hidden && hidden[i];
    *e = make_up(SAC_SCORE_SCALED_DOT, DIM, cells_of_view, request->position);
    return SAC_OK;
}

static one_view *open_view(const char *name)
{
    one_view *v = one_open(viz_views_find(name), 1280, 800);
    v->source->weights.explain = explain;
    return v;
}

static one_view *open_matrix(void)
{
    return open_view("matrix");
}

static void press_key(one_view *v, int key)
{
    assert_true(viz_shell_event(&v->shell, &(viz_event){.kind = VIZ_KEY, .key = key}));
    one_draw(v);
}

typedef struct described {
    char view[32], why[64];
} described;

static void put(void *user, const char *key, const char *value)
{
    described *d = user;
    if (strcmp(key, "view") == 0)
        snprintf(d->view, sizeof d->view, "%s", value);
    if (strcmp(key, "why") == 0)
        snprintf(d->why, sizeof d->why, "%s", value);
}

static described describe(const one_view *v)
{
    described d = {0};
    const viz_view *view = viz_shell_view(&v->shell);
    viz_view_describe(view, put, &d);
    return d;
}

TEST(a_step_of_the_page_is_a_click_away_and_features_have_names)
{
    static const char *const features[] = {"lightness"};
    sac_explanation e = one_coordinate(SAC_SCORE_DOT);
    viz_why_steps steps;
    char text[32];
    e.features = features;
    assert_true(viz_why_steps_make(&e, &names, &steps));
    const viz_step *terms = step_of(&steps, VIZ_WHY_TERMS);
    assert_string_equal(terms->table.label(terms->table.user, 0, text, sizeof text), "lightness");
    viz_why_steps_free(&steps);
    sac_explanation_free(&e);
    one_view *v = open_matrix();
    int kind = 0;
    press_key(v, 'i');
    assert_int_equal(sscanf(describe(v).why, "%*u %d", &kind), 1);
    assert_int_equal(kind, -1); /* the whole */
    viz_event click = {.kind = VIZ_PRESS, .x = 700, .y = 300, .button = 1};
    assert_true(viz_shell_event(&v->shell, &click));
    one_draw(v);
    assert_int_equal(sscanf(describe(v).why, "%*u %d", &kind), 1);
    assert_true(kind >= 0);
    press_key(v, VIZ_KEY_HOME);
    assert_int_equal(sscanf(describe(v).why, "%*u %d", &kind), 1);
    assert_int_equal(kind, -1);
    one_close(v);
}

TEST(a_weight_is_asked_about_step_by_step_and_left_again)
{
    one_view *v = open_matrix();
    viz_view *matrix = viz_shell_view(&v->shell);
    press_key(v, 'i');
    assert_ptr_equal(viz_shell_view(&v->shell)->class, &viz_why_class);
    assert_ptr_equal(viz_shell_tab_view(&v->shell), matrix);
    size_t position = asked.position;
    press_key(v, VIZ_KEY_END);
    press_key(v, VIZ_KEY_LEFT);
    assert_string_equal(describe(v).view, "matrix");
    int kind = -1;
    assert_int_equal(sscanf(describe(v).why, "%*u %d", &kind), 1);
    assert_int_equal(kind, VIZ_WHY_SHARE);
    press_key(v, VIZ_KEY_DOWN);
    assert_true(asked.position != position);
    press_key(v, VIZ_KEY_UP);
    assert_int_equal(asked.position, position);
    press_key(v, VIZ_KEY_ESCAPE);
    assert_ptr_equal(viz_shell_view(&v->shell), matrix);
    one_close(v);
}

/* As wide as a column and as a page. */
TEST(it_makes_a_figure_for_paper)
{
    for (int width = 340; width <= 680; width += 340) {
        viz_recording r = {0};
        one_view *v = open_matrix();
        press_key(v, 'i');
        viz_view *why = viz_shell_view(&v->shell);
        viz_view_restore(why, "layout", "figure");
        v->canvas.theme = &viz_theme_light;
        assert_int_equal(viz_canvas_resize(&v->canvas, width, 600, NULL), SAC_OK);
        one_draw(v);
        float height = viz_view_figure_height(why, &v->canvas, (float)width);
        assert_true(height >= 50 && height <= 3 * (float)width);
        assert_int_equal(viz_canvas_resize(&v->canvas, width, (int)height + 1, NULL), SAC_OK);
        v->canvas.recording = &r;
        one_draw(v);
        int texts = 0;
        for (size_t i = 0; i < r.count; i++) {
            const viz_shape *s = &r.shapes[i];
            if (s->kind != VIZ_SHAPE_TEXT)
                continue;
            texts++;
            if (s->size < 8 || s->points[0].x < 0 || s->points[0].x + s->advance > (float)width ||
                s->points[0].y > (float)v->canvas.height)
                fail_msg("“%s” of %d units is cut at %d", s->text, s->size, width);
        }
        assert_true(texts > 5);
        viz_recording_free(&r);
        one_close(v);
    }
}

TEST(a_double_click_asks_and_a_single_one_does_not)
{
    one_view *v = open_matrix();
    viz_event click = {.kind = VIZ_PRESS, .x = 200, .y = 300, .button = 1};
    viz_shell_tick(&v->shell, 10);
    viz_shell_event(&v->shell, &click);
    viz_shell_tick(&v->shell, 12);
    viz_shell_event(&v->shell, &click);
    assert_false(v->shell.asks);
    viz_shell_tick(&v->shell, 12.2);
    viz_shell_event(&v->shell, &click);
    assert_true(v->shell.asks);
    one_close(v);
}

/* The pointer to a place of the window. */
static void point_at(one_view *v, viz_event_kind kind, float x, float y, int button)
{
    viz_shell_event(&v->shell, &(viz_event){.kind = kind, .x = x, .y = y, .button = button});
    one_draw(v);
}

TEST(a_captions_weight_is_asked_of_the_sentence_on_show)
{
    one_view *v = open_view("caption");
    const sac_source *source = v->source;
    cells_of_view = (size_t)(source->picture.grid_w * source->picture.grid_h);
    press_key(v, '='); /* a cell is pointed at */
    press_key(v, 'e'); /* warmer */
    point_at(v, VIZ_MOVE, 200, 200, 0);
    point_at(v, VIZ_PRESS, 200, 200, 3); /* and one cell hidden */
    point_at(v, VIZ_RELEASE, 200, 200, 3);
    press_key(v, 'i');
    assert_true(v->shell.asks && asked.caption && !asked.picture);
    assert_true(asked_caption.temperature > 1);
    assert_true(asked.position < cells_of_view && asked_hidden[asked.position]);
    size_t hidden = 0;
    for (size_t i = 0; i < cells_of_view; i++)
        hidden += asked_hidden[i];
    assert_int_equal(hidden, 1);
    cells_of_view = 9;
    one_close(v);
}

TEST(a_pictures_weight_is_asked_with_its_settings)
{
    one_view *v = open_view("picture");
    point_at(v, VIZ_MOVE, 200, 200, 0);
    cells_of_view = 400; /* of the fake's grid, no more */
    press_key(v, 'i');
    assert_true(v->shell.asks && asked.picture && !asked.caption);
    assert_true(asked_picture.settings.temperature == 1);
    int grid_w, grid_h;
    sac_picture_grid(v->source->picture.image->width, v->source->picture.image->height,
                     asked_picture.settings.cells, &grid_w, &grid_h);
    assert_int_equal(asked.step, asked_picture.query_y * grid_w + asked_picture.query_x);
    assert_true(asked.position != asked.step);
    cells_of_view = 9;
    one_close(v);
}

TEST(what_was_saved_is_asked_again)
{
    one_view *v = open_matrix();
    viz_shell_restore_why(&v->shell, "5 4");
    one_draw(v);
    assert_int_equal(asked.position, 5);
    assert_string_equal(describe(v).why, "5 4");
    one_close(v);
}

TEST(a_number_of_several_heads_is_not_taken_apart)
{
    one_view *v = open_matrix();
    press_key(v, 'r');
    press_key(v, 'i');
    assert_false(v->shell.asks);
    assert_non_null(strstr(v->shell.message, "several heads"));
    one_close(v);
}

/* ---------------------------------------------------------------- from tab to tab */

static void put_head(void *user, const char *key, const char *value)
{
    if (strcmp(key, "head") == 0)
        *(int *)user = atoi(value);
}

static int head_of(const viz_view *view)
{
    int head = -1;
    viz_view_describe(view, put_head, &head);
    return head;
}

TEST(the_head_that_is_looked_at_stays_from_tab_to_tab)
{
    one_view *v = open_matrix();
    viz_view *alignment;
    const viz_view_class *class = viz_views_find("alignment");
    OK(class->create(v->source, NULL, &alignment, NULL));
    OK(viz_shell_add(&v->shell, alignment, NULL));
    press_key(v, VIZ_KEY_RIGHT);
    assert_int_equal(head_of(viz_shell_view(&v->shell)), 1);
    assert_true(viz_shell_show(&v->shell, "alignment"));
    assert_int_equal(head_of(alignment), 1);
    press_key(v, 'n');
    assert_true(viz_shell_show(&v->shell, "matrix"));
    assert_int_equal(head_of(viz_shell_view(&v->shell)), 2);
    one_close(v);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
