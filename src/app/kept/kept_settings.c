#include "app/kept/kept_settings.h"
#include "view/settings.h"

#include <stdlib.h>
#include <string.h>

struct app_kept_setting {
    const viz_view_class *class; /* of the view */
    char *key, *value;           /* owned */
};

typedef struct keeper {
    app_kept *kept;
    const viz_view_class *class;
} keeper;

static void keep_setting(void *user, const char *key, const char *value)
{
    const keeper *k = user;
    app_kept *kept = k->kept;
    app_kept_setting setting = {k->class, strdup(key), strdup(value ? value : "")};
    app_kept_setting *more = realloc(kept->items, (kept->count + 1) * sizeof *more);
    if (more)
        kept->items = more;
    if (more && setting.key && setting.value) {
        kept->items[kept->count++] = setting;
        return;
    }
    free(setting.key);
    free(setting.value);
}

void app_keep(app_kept *kept, const viz_shell *shell)
{
    const viz_view *shown = viz_shell_tab(shell);
    app_kept_free(kept);
    kept->tab = shown ? shown->class->name : NULL;
    for (int tab = 0; tab < shell->count; tab++) {
        const viz_view *view = shell->tabs[tab].view;
        if (view)
            viz_view_describe(view, keep_setting, &(keeper){kept, shell->tabs[tab].class});
    }
}

void app_kept_restore(const app_kept *kept, viz_shell *shell)
{
    for (size_t i = 0; i < kept->count; i++) {
        const app_kept_setting *setting = &kept->items[i];
        for (int tab = 0; tab < shell->count; tab++)
            if (shell->tabs[tab].class == setting->class)
                viz_shell_restore(shell, tab, setting->key, setting->value);
    }
    if (kept->tab)
        viz_shell_show(shell, kept->tab);
}

void app_kept_copy(const app_kept *from, app_kept *to)
{
    to->tab = from->tab;
    for (size_t i = 0; i < from->count; i++)
        keep_setting(&(keeper){to, from->items[i].class}, from->items[i].key, from->items[i].value);
}

bool app_kept_has(const app_kept *kept, const viz_view_class *class)
{
    for (size_t i = 0; i < kept->count; i++)
        if (kept->items[i].class == class)
            return true;
    return false;
}

static void setting_free(const app_kept_setting *setting)
{
    free(setting->key);
    free(setting->value);
}

void app_kept_forget(app_kept *kept, const char *const *keys)
{
    size_t left = 0;
    for (size_t i = 0; i < kept->count; i++) {
        const char *const *key = keys;
        while (*key && strcmp(*key, kept->items[i].key) != 0)
            key++;
        if (*key)
            setting_free(&kept->items[i]);
        else
            kept->items[left++] = kept->items[i];
    }
    kept->count = left;
}

void app_kept_free(app_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        setting_free(&kept->items[i]);
    free(kept->items);
    *kept = (app_kept){0};
}
