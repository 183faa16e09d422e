/* Asks the user a yes-or-no question at the lower left, while everything else goes on. */
#include "parts/controls/widgets.h"
#include "shell/shell.h"
#include "shell/toast.h"

bool viz_shell_draw_question(viz_shell *shell, viz_canvas *canvas, float bottom)
{
    shell->yes = shell->no = (viz_rect){0};
    if (!shell->question[0])
        return false;
    viz_toast toast =
        (viz_toast){.texts = {shell->question, "Return  yes, open them", "Esc  no, leave them"}};
    viz_toast_draw(canvas, bottom, &toast);
    shell->yes = viz_toast_text(canvas, bottom, &toast, 1);
    shell->no = viz_toast_text(canvas, bottom, &toast, 2);
    return true;
}

/* Return opens wherever it means anything, and Escape leaves things as they are. */
bool viz_shell_question_event(viz_shell *shell, const viz_event *event)
{
    if (!shell->question[0])
        return false;
    bool key = event->kind == VIZ_KEY && !event->ctrl, press = event->kind == VIZ_PRESS;
    if ((key && event->key == VIZ_KEY_RETURN) ||
        (press && viz_inside(shell->yes, event->x, event->y)))
        shell->answer = VIZ_ANSWER_YES;
    else if ((key && event->key == VIZ_KEY_ESCAPE) ||
             (press && viz_inside(shell->no, event->x, event->y)))
        shell->answer = VIZ_ANSWER_NO;
    else
        return false;
    shell->question[0] = '\0';
    return true;
}

viz_answer viz_shell_take_answer(viz_shell *shell)
{
    viz_answer answer = shell->answer;
    shell->answer = VIZ_ANSWER_NONE;
    return answer;
}
