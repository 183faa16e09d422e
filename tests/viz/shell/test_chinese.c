/* In Chinese no key is told of in English: all lines of the sheet of every view, and the legends of heat. */

#include "canvas/recording.h"
#include "every_view.h"
#include "test.h"
#include "view/keys.h"
#include "view/words.h"

static void assert_chinese(const char *where, const char *english)
{
    const char *told = viz_word(english);
    if (strcmp(told, english) == 0)
        fail_msg("%s: “%s” has no translation", where, english);
}

TEST(every_line_of_every_sheet_of_keys_is_translated)
{
    viz_speak(SAC_IN_CHINESE);
    for (int i = 0; viz_views[i]; i++)
        for (const viz_key_row *row = viz_views[i]->keys; row && row->key; row++)
            assert_chinese(viz_views[i]->name, row->does);
    viz_speak(SAC_IN_ENGLISH);
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
    } texts[] = {{"picture", "dimmed:", "变暗：", false},
                 {"picture", "entropy", "熵", false},
                 {"matrix", "key", "键", false},
                 {"matrix", "wheel", "滚轮", true},
                 {"contents", "Click to open", "点击打开", false}};
    if (!viz_text_has_fonts("注意力"))
        skip();
    viz_speak(SAC_IN_CHINESE);
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
    viz_speak(SAC_IN_ENGLISH);
}

int main(void)
{
    int failed = test_run(NULL, NULL);
    viz_text_close();
    return failed;
}
