/* "temperature 0.5; temperature 2, score dot": states of the view that is shown, pinned one after
 * the other, each going on from the one before. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/view_options.h"
#include "base/error.h"
#include "cli/drawing.h"
#include "shell/split/split.h"
#include "view/settings.h"

#define MOST_TEXT 512

/* Without the blanks around it; ends where `stops` does. Moves *text behind that. */
static char *next_word(char **text, const char *stops)
{
    char *word = *text + strspn(*text, " "), *end = word + strcspn(word, stops);
    *text = end + (*end != 0);
    *end = 0;
    while (end > word && isspace((unsigned char)end[-1]))
        *--end = 0;
    return word;
}

/* "temperature 0.5", as the option --temperature takes it. */
static sac_status take_setting(char *text, const char *values[], sac_error *error)
{
    char *rest = text, *key = next_word(&rest, " "), *value = next_word(&rest, "");
    for (int i = 0; app_view_option_rules[i].option; i++)
        if (strcmp(app_view_option_rules[i].option + 2, key) == 0 && value[0]) {
            values[i] = value;
            return SAC_OK;
        }
    return sac_fail(error, SAC_E_ARGUMENT, "--pin",
                    "name settings as their options, such as \"temperature 2\"",
                    "\"%.60s\" is not a setting and a value", key);
}

static sac_status set_state(viz_view *view, char *state, sac_error *error)
{
    const char *values[APP_MAX_VIEW_OPTIONS] = {0};
    app_view_option settings[APP_MAX_VIEW_OPTIONS];
    int count = 0;
    sac_status status = SAC_OK;
    while (*state && status == SAC_OK)
        status = take_setting(next_word(&state, ","), values, error);
    if (status == SAC_OK)
        status = app_view_options_take(values, settings, &count, error);
    for (int i = 0; i < count && status == SAC_OK; i++)
        viz_view_restore(view, settings[i].key, settings[i].value);
    return status;
}

sac_status cli_split_states(const char *states, bool difference, viz_shell *shell, sac_error *error)
{
    char copy[MOST_TEXT], *rest = copy;
    viz_view *view = viz_shell_tab(shell);
    if (strlen(states) >= sizeof copy)
        return sac_fail(error, SAC_E_ARGUMENT, "--pin", "give fewer of them", "is too long");
    memcpy(copy, states, strlen(states) + 1);
    if (!view || !view->class->map)
        return sac_fail(error, SAC_E_ARGUMENT, "--pin", "choose another by --tab",
                        "this view shows no map to compare");
    sac_status status = set_state(view, next_word(&rest, ";"), error);
    while (*rest && status == SAC_OK) {
        if (!viz_shell_split(shell))
            status = sac_fail(error, SAC_E_ARGUMENT, "--pin", "give four at most",
                              "has more states than can be side by side");
        view = viz_shell_tab(shell);
        viz_split_part(view, true);
        if (status == SAC_OK)
            status = set_state(viz_split_side(view, viz_split_count(view) - 1),
                               next_word(&rest, ";"), error);
    }
    if (status == SAC_OK && viz_is_split(view)) {
        viz_split_focus(view, 0);
        viz_split_subtract(view, difference);
    }
    shell->message[0] = '\0';
    return status;
}
