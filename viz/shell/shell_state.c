/* The state of the shell: the current view and the current message. */
#include <math.h>
#include <string.h>

#include "shell/shell.h"
#include "view/words.h"

#define MESSAGE_SECONDS 3.0
#define LETTERS_A_SECOND 15.0

viz_view *viz_shell_tab(const viz_shell *shell)
{
    return shell->current < shell->count ? shell->tabs[shell->current].view : NULL;
}

viz_view *viz_shell_view(const viz_shell *shell)
{
    return shell->chooses ? shell->chooser : shell->asks ? shell->why : viz_shell_tab(shell);
}

bool viz_shell_typing(const viz_shell *shell)
{
    const viz_view *view = viz_shell_view(shell);
    return shell->typed.typing || (view && view->class->typing && view->class->typing(view));
}

bool viz_shell_undoes_message(const viz_shell *shell)
{
    return shell->message_undone && shell->message[0];
}

void viz_shell_message(viz_shell *shell, const char *text)
{
    strncpy(shell->message, viz_word(text), sizeof shell->message - 1);
    shell->message[sizeof shell->message - 1] = 0;
    shell->message_undone = false;
    double reading = (double)strlen(shell->message) / LETTERS_A_SECOND;
    shell->message_until = shell->now + fmax(MESSAGE_SECONDS, 1 + reading);
}
