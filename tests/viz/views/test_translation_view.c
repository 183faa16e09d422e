/* viz/views/sentence between words: a sentence is translated as it is typed, and every word can be asked about. */
#include "view_rows.h"

#include "base/text/utf8.h"

static const view_call view_calls[] = {{0}};

/* ---------------------------------------------------------------- typing */

VIEW_ROWS("translation", what_is_typed_is_translated_letter_by_letter,
          {"", "rows=DORT ROI LE; typing=no"}, {"^l", "typing=yes"},
          /* the whole sentence is marked: the first letter takes its place */
          {"^l 'the x'", "rows=LE; drawn~x: is no word"},
          {"^l 'the summer'", "rows=été LE; drawn!~is no word"},
          {"^l 'the summer' Return", "typing=no"},
          /* the caret */
          {"^l 'king' Home 'the '", "sentence=the king"},
          {"^l 'king' Home 'the ' End left Backspace", "sentence=the kig"},
          {"^l 'king' Home 'the ' End left Backspace right '!'", "sentence=the kig!"},
          {"^l End ^a 'k'", "sentence=k"}, /* all is marked again */
          {"{sentence=zebra sleeps}", "drawn~zebra: is no word; rows=DORT ROI LE"},
          /* up to the first word that is not known */
          {"{sentence=the zebra sleeps here}", "drawn~zebra: is no word; rows=LE"},
          {"{sentence=}", "drawn~type a sentence"},
          {"{sentence=} {sentence=king}", "rows=ROI; drawn!~is no word"},
          /* letters are taken back one by one */
          {"^l 'king' ^z", "sentence=kin"}, {"^l 'king' ^z ^z ^z ^z", "sentence=the king sleeps"})

/* The words that are known, of those that begin so; → takes the first. */
VIEW_ROWS("translation", words_that_are_known_are_shown_while_one_types,
          {"^l 'the '", "rows=LE; drawn~yesterday; drawn~sleeps; drawn~king"},
          {"^l 's'", "drawn~sleeps; drawn~summer; drawn!~yesterday; drawn!~is no word"},
          {"^l 'the su' right", "sentence=the summer ; rows=été LE; typing=yes"},
          {"^l 'the su' press \"summer\"", "sentence=the summer ; typing=yes"},
          {"^l 's' left", "drawn!~summer"}, {"{sentence=s}", "drawn!~summer"})

/* Pixels that are rather green than red: neither the ground's, nor those of a weight or of what is current. */
static int count_green_pixels(view_hand *h)
{
    viz_canvas *canvas = &h->v->canvas;
    int count = 0;
    viz_shell_draw(&h->v->shell, canvas);
    for (int y = 190; y < 700; y++)
        for (int x = 0; x < canvas->width; x++) {
            const uint8_t *p = viz_pixel_at(canvas, x, y);
            count += p[1] > p[0] + 40;
        }
    return count;
}

/* The translator turns the order of the words around. */
TEST(bands_that_cross_have_colours)
{
    view_hand h = view_open("translation", view_calls, NULL);
    view_run(&h, "^l 'king' Return");
    assert_int_equal(count_green_pixels(&h), 0);
    view_run(&h, "^l 'the king here yesterday' Return");
    assert_true(count_green_pixels(&h) > 1000);
    view_close(&h);
}

/* How far the pixels between the read-out of the source and the timeline are from the ground, on the whole. */
static double contrast(view_hand *h)
{
    viz_canvas *canvas = &h->v->canvas;
    const viz_color *ground = &canvas->theme->ground;
    double sum = 0;
    viz_shell_draw(&h->v->shell, &h->v->canvas);
    for (int y = 190; y < 720; y++)
        for (int x = 0; x < canvas->width; x++) {
            const uint8_t *p = viz_pixel_at(canvas, x, y);
            sum += abs(p[0] - ground->r) + abs(p[1] - ground->g) + abs(p[2] - ground->b);
        }
    return sum;
}

TEST(what_an_earlier_sentence_gave_is_veiled)
{
    view_hand h = view_open("translation", view_calls, NULL);
    view_run(&h, "");
    double clear = contrast(&h);
    view_run(&h, "{sentence=zebra sleeps}");
    assert_true(contrast(&h) < 0.4 * clear);
    view_run(&h, "{sentence=king}");
    assert_true(contrast(&h) > 0.3 * clear);
    view_close(&h);
}

static void paste(view_hand *h, const char *text)
{
    view_send(h, (viz_event){.kind = VIZ_KEY, .key = 'v', .ctrl = true, .text = text});
}

TEST(what_is_pasted_is_the_sentence_or_comes_in_at_the_caret)
{
    enum { LONG = 8192 };
    static char longer[LONG], typed[VIEW_TEXT];
    view_hand h = view_open("translation", view_calls, NULL);
    view_run(&h, "");
    paste(&h, "");
    view_claim(&h, "sentence=the king sleeps");
    paste(&h, "the\nking");
    view_claim(&h, "sentence=the king; rows=ROI LE");
    view_run(&h, "Home");
    paste(&h, "é\tthe ");
    view_claim(&h, "sentence=é the the king");
    paste(&h, "\xff");
    view_claim(&h, "sentence=é the the king");
    view_run(&h, "'x'"); /* the caret is behind what was pasted */
    view_claim(&h, "sentence=é the xthe king");
    for (size_t i = 0; i + 2 < sizeof longer; i += 2)
        memcpy(longer + i, "é", 3);
    view_run(&h, "End");
    paste(&h, longer); /* as many as there is room for, and no half of one */
    view_ask(&h, "sentence", typed);
    assert_true(strlen(typed) > 1000 && strlen(typed) < LONG - 2);
    assert_true(sac_utf8_valid(typed, strlen(typed)));
    view_close(&h);
}

/* ---------------------------------------------------------------- words */

#define KING "<Click to hide this word>#2"
#define WORD "<Click to see what this word>#2"
VIEW_ROWS(
    "translation", words_are_hidden_replaced_and_played,
    {"press " KING, "value 0,1=0; value 1,1=0; value 2,1=0; hidden!="},
    {"press " KING " press3 <Click>#3", "value 1,1>0.5; hidden="},
    {"{hidden=3x1: 2} {sentence=the king here}", "hidden="}, /* another sentence of as many words */
    {"press " WORD, "word=1; typing=no"}, {"press " WORD " press <Click to put>", "typing=yes"},
    /* accents need no key of their own */
    {"press " WORD " press <Click to put> 'ete' Return", "rows=DORT été LE; replaced=1"},
    {"press " WORD " press <Click to put> 'ete' Return press <Take back>", "rows=DORT ROI LE"},
    {"wait 0.1 Home space wait 10", "word=2; moves=no"},
    /* each word of three looks at its own with 0.8, and at two with 0.9 */
    {"{word=1} d", "matters=on; drawn~Does it matter where “ROI” looked?; drawn~2 words that it"},
    {"{word=1} d", "drawn~not as many other words"}, {"{word=1} d Esc", "matters=off"})

/* ---------------------------------------------------------------- models, truth, turning */

VIEW_ROWS("translation", models_truth_and_sentences_take_turns,
          {"", "value 0,2=0.8; drawn~looks at"},
          {"g",
           "rows=DORT ROI LE; drawn~looks at nothing; model=no attention"}, /* which has none */
          {"t", "truth=on; drawn!~reference alignment"},
          {"{sentence=king} t", "drawn~reference alignment"},
          {"n", "sentence=the king here yesterday; rows=HIER ICI ROI LE"},
          {"n p", "sentence=the king sleeps"}, {"n p p", "drawn~this is the first sentence"},
          {"{sentence=the king here yesterday} {prefix=LE} {replaced=0} {hidden=4x1: 2} g e",
           "reopens=yes; hidden=4x1: 2; replaced=0"})

/* ---------------------------------------------------------------- layout */

/* Of a long sentence the words are in lines, each right of the one before it, or below. */
TEST(a_long_sentence_is_read_line_by_line)
{
    enum { LONG = 128 };
    static const char *const words[] = {"the", "king", "sleeps", "here", "yesterday"};
    static const char *const sizes[] = {"1280x800", "800x500", "800x1200", "1920x1080"};
    char text[LONG * 10] = "", size[32];
    view_hand h = view_open("translation", view_calls, NULL);
    for (int i = 0; i < LONG; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 words[i % 5]);
    viz_view_restore(one_of(h.v), "sentence", text);
    for (int i = 0; i < 4; i++) {
        viz_rect before = {0}, word;
        snprintf(size, sizeof size, "size %s", sizes[i]);
        view_run(&h, size);
        for (int k = 1; view_find_spot(&h, "Click to hide this word", k, &word); k++) {
            assert_true(word.y > before.y || word.x >= before.x + before.w - 9);
            assert_true(word.y >= before.y && word.h >= 9);
            before = word;
        }
        assert_true(before.w > 0);
    }
    view_close(&h);
}

VIEW_ROWS_MAIN
