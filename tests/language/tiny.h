/* A language model of tiny sizes on a short text, in a folder of its own. */
#ifndef TESTS_LANGUAGE_TINY_H
#define TESTS_LANGUAGE_TINY_H

#include <sys/stat.h>
#include <unistd.h>

#include "language/language.h"
#include "on_device.h"
#include "status.h"

enum { TINY_CONTEXT = 6, TINY_LAYERS = 2, TINY_HEADS = 2, TINY_WIDTH = 8 };

static const char tiny_text[] =
    "ein café, ein tee.\nzwei cafés, zwei tees.\ndrei cafés, drei tees.\n"
    "ein tee, ein café.\nzwei tees, zwei cafés.\ndrei tees, und ein café.\n";

static char tiny_folder[] = "/tmp/saccade-language-XXXXXX";

/* FOLDER/NAME; of the last eight names. */
static inline const char *tiny_path(const char *name)
{
    static char paths[8][96];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", tiny_folder, name);
    return path;
}

static inline void tiny_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static inline void tiny_set(sac_model_values *values, const char *option, float value)
{
    int at = sac_model_option_find(&sac_language_class, option);
    values->value[at] = value;
    values->given[at] = true;
}

static inline sac_model_values tiny_values(const char *text)
{
    sac_model_values values = sac_model_defaults(&sac_language_class);
    tiny_set(&values, "context", TINY_CONTEXT);
    tiny_set(&values, "layers", TINY_LAYERS);
    tiny_set(&values, "heads", TINY_HEADS);
    tiny_set(&values, "width", TINY_WIDTH);
    values.text[0][sac_model_option_find(&sac_language_class, "text")] = text;
    return values;
}

static inline sac_gpt *tiny_language_of(sac_gpt_kind kind)
{
    sac_model *model;
    sac_model_values values = tiny_values(tiny_path("text"));
    tiny_set(&values, "kind", (float)kind);
    OK(sac_language_class.create(device, &values, 3, &model, &failure));
    return (sac_gpt *)model;
}

static inline sac_gpt *tiny_language(void)
{
    return tiny_language_of(SAC_GPT_2);
}

static inline int tiny_open(void **state)
{
    open_device(state);
    assert_non_null(mkdtemp(tiny_folder));
    tiny_write(tiny_path("text"), tiny_text, sizeof tiny_text - 1);
    return 0;
}

static inline int tiny_close(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", tiny_folder);
    return system(command) != 0 || close_device(state);
}

#endif
