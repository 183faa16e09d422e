/* In Chinese no text is in English: all lines of the sheet of every view, the legends of heat, and what is put
 * together while it is drawn. */

#include <ctype.h>

#include "canvas/recording.h"
#include "every_view.h"
#include "test.h"
#include "view/keys.h"
#include "view/words.h"

static void assert_chinese(const char *where, const char *english)
{
    const char *reported = viz_word(english);
    if (strcmp(reported, english) == 0)
        fail_msg("%s: “%s” has no translation", where, english);
}

TEST(every_line_of_every_sheet_of_keys_is_translated)
{
    viz_set_language(SAC_IN_CHINESE);
    for (int i = 0; viz_views[i]; i++)
        for (const viz_key_row *row = viz_views[i]->keys; row && row->key; row++)
            assert_chinese(viz_views[i]->name, row->does);
    viz_set_language(SAC_IN_ENGLISH);
}

static bool draws(one_view *v, const char *text)
{
    bool found = false;
    viz_recording r = {0};
    v->canvas.recording = &r;
    viz_shell_draw(&v->shell, &v->canvas);
    v->canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++)
        found |= r.shapes[i].kind == VIZ_SHAPE_TEXT && strstr(r.shapes[i].text, text);
    viz_recording_free(&r);
    return found;
}

TEST(legends_gestures_and_axes_are_translated)
{
    static const struct {
        const char *view, *english, *chinese;
        bool sheet;
    } texts[] = {{"dimmed:", "变暗：", false},
                 {"entropy", "熵", false},
                 {"matrix", "key", "键", false},
                 {"matrix", "wheel", "滚轮", true},
                 {"contents", "Click to open", "点击打开", false}};
    if (!viz_text_has_fonts("注意力"))
        skip();
    viz_set_language(SAC_IN_CHINESE);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int i = 0; viz_views[i]; i++) {
            if (strcmp(viz_views[i]->name, texts[t].view) != 0)
                continue;
            one_view *v = one_open(viz_views[i], 1280, 800);
            if (texts[t].sheet)
                viz_shell_event(&v->shell, &(viz_event){.kind = VIZ_KEY, .key = '?'});
            if (!draws(v, texts[t].chinese) || draws(v, texts[t].english))
                fail_msg("%s: “%s” is not “%s”", texts[t].view, texts[t].english, texts[t].chinese);
            one_close(v);
        }
    viz_set_language(SAC_IN_ENGLISH);
}

/* Words of the made-up sources, names, and what is typed. */
static const char *const names[] = {
    "entmax",  "sparsemax",   "Zhou",     "MaskCLIP",  "PyTorch",  "abc",     "out",
    "steps",   "tmp",         "exp",      "query",     "tab",      "picture", "sea",
    "top",     "float",       "large",    "above",     "additive", "and",     "are",
    "area",    "attention",   "black",    "blue",      "boat",     "caption", "captioner",
    "cat",     "circle",      "cividis",  "community", "cross",    "ctrl",    "device",
    "diamond", "dog",         "dot",      "economic",  "european", "fake",    "founded",
    "free",    "green",       "inferno",  "king",      "left",     "lesson",  "model",
    "npz",     "orange",      "png",      "purple",    "python",   "red",     "right",
    "saccade", "safetensors", "sapphire", "scaled",    "scene",    "scores",  "shape",
    "shapes",  "sleeps",      "small",    "softmax",   "square",   "star",    "the",
    "train",   "triangle",    "viridis",  "was",       "weights",  "white",   "yellow",
    "zero"};

/* A word of three letters or more, none of them a capital behind the first. */
static bool next_word(const char **at, char *word, size_t size)
{
    while (**at) {
        size_t length = 0;
        while (isalpha((unsigned char)(*at)[length]))
            length++;
        bool word_of_text = length >= 3 && length < size && !isupper((unsigned char)(*at)[1]);
        if (word_of_text)
            snprintf(word, size, "%.*s", (int)length, *at);
        *at += length ? length : 1;
        if (word_of_text)
            return true;
    }
    return false;
}

static void assert_no_english(one_view *v, const char *when)
{
    viz_recording r = {0};
    char word[40];
    v->canvas.recording = &r;
    viz_shell_draw(&v->shell, &v->canvas);
    v->canvas.recording = NULL;
    for (size_t i = 0; i < r.count; i++) {
        const char *at = r.shapes[i].text;
        while (r.shapes[i].kind == VIZ_SHAPE_TEXT && next_word(&at, word, sizeof word)) {
            bool known = false;
            for (size_t k = 0; k < sizeof names / sizeof *names; k++)
                known |= strcmp(names[k], word) == 0;
            if (!known)
                fail_msg("%s, %s: “%s” is English in “%s”", v->class->name, when, word,
                         r.shapes[i].text);
        }
    }
    viz_recording_free(&r);
}

/* As each view opens, and after each of its keys. */
TEST(what_is_put_together_is_translated)
{
    if (!viz_text_has_fonts("注意力"))
        skip();
    viz_set_language(SAC_IN_CHINESE);
    for (int i = 0; viz_views[i]; i++) {
        one_view *v = one_open(viz_views[i], 1280, 800);
        assert_no_english(v, "opened");
        for (const viz_key_row *row = viz_views[i]->keys; row && row->key; row++) {
            if (row->key[1])
                continue;
            viz_shell_event(&v->shell, &(viz_event){.kind = VIZ_KEY,
                                                    .key = tolower((unsigned char)row->key[0])});
            one_draw(v);
            assert_no_english(v, row->key);
        }
        one_close(v);
    }
    viz_set_language(SAC_IN_ENGLISH);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
