/* The text line below the tabs: the text that the open document was made from. While the user
 * types, it is opened again with the new text. */
#include <string.h>

#include "parts/controls/widgets.h"
#include "shell/shell.h"

/* The source whose text is shown: that of the current view, unless another view is shown over
 * it. */
static const sac_source *trace_of(const viz_shell *shell)
{
    const viz_view *view = viz_shell_view(shell);
    bool shown =
        view && view == viz_shell_tab(shell) && view->source && view->source->speaker.typed;
    return shown ? view->source : NULL;
}

const char *viz_shell_typed(const viz_shell *shell)
{
    const sac_source *source = trace_of(shell);
    bool there = source && shell->typed_rect.w > 0 && shell->typed.text[0];
    bool other = there && strcmp(shell->typed.text, source->speaker.text) != 0;
    return other ? shell->typed.text : NULL;
}

void viz_shell_hand_typed(const viz_shell *from, viz_shell *to)
{
    to->typed = from->typed;
    to->typed_rect = from->typed_rect;
}

/* A text that is too long for the line stays what it is, and is not typed. */
static bool fits(const sac_source *source)
{
    return strlen(source->speaker.text) < VIZ_TEXT_FIELD_SIZE;
}

float viz_shell_draw_typed(viz_shell *shell, viz_canvas *canvas, float top)
{
    const sac_source *source = trace_of(shell);
    if (!source || !fits(source)) {
        shell->typed.typing = false;
        shell->typed_rect = (viz_rect){0};
        return 0;
    }
    if (shell->typed_rect.w <= 0)
        viz_text_field_set(&shell->typed, source->speaker.text);
    viz_view *view = viz_shell_tab(shell);
    const char *text = view->class->retyped ? view->class->retyped(view) : NULL;
    if (text && strlen(text) < VIZ_TEXT_FIELD_SIZE)
        viz_text_field_set(&shell->typed, text);
    shell->typed_rect =
        (viz_rect){VIZ_MARGIN, top + 6, viz_width(canvas) - 2 * VIZ_MARGIN, VIZ_TYPED_HEIGHT - 10};
    viz_text_field_draw(&shell->typed, canvas, shell->typed_rect, "a text");
    return VIZ_TYPED_HEIGHT;
}

static bool begin(viz_shell *shell, bool *changed)
{
    viz_text_field_begin(&shell->typed);
    *changed = true;
    return true;
}

bool viz_shell_typed_event(viz_shell *shell, const viz_event *e, bool *changed)
{
    viz_text_field *f = &shell->typed;
    *changed = false;
    if (!trace_of(shell) || shell->typed_rect.w <= 0)
        return false;
    if (e->kind == VIZ_PRESS) {
        if (e->button == 1 && viz_inside(shell->typed_rect, e->x, e->y))
            return begin(shell, changed);
        f->typing = f->all = false;
        return false;
    }
    if (e->kind != VIZ_KEY)
        return false;
    if (e->ctrl && e->key == 'l')
        return begin(shell, changed);
    if (e->ctrl && e->key == 'v')
        return *changed = viz_text_field_paste(f, e->text ? e->text : "");
    if (!f->typing)
        return false;
    bool taken = viz_text_field_key(f, e, changed) || !e->ctrl;
    *changed = taken; /* the caret may have moved */
    return taken;
}
