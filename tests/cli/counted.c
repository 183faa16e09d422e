/* The program with some of its calls counted: the linker puts these in place of what they call
 * (--wrap, in CMakeLists.txt). At its exit the file that COUNTS names has a line "NAME COUNT" for each.
 * Only calls from another file than the function's own are seen. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attention/spec/check.h"
#include "attention/spec/resolve.h"
#include "captioner/captioner.h"
#include "generate/generate.h"

/* name, type, parameters, arguments */
#define CALLS(X)                                                                                   \
    X(sac_captioner_encode_square, sac_status,                                                     \
      (sac_captioner * captioner, const sac_image *square, sac_error *error),                      \
      (captioner, square, error))                                                                  \
    X(sac_generate, sac_status,                                                                    \
      (sac_search * *generation, const sac_decoder *decoder, void *self,                           \
       const sac_result_request *request, sac_result *caption, sac_error *error),                  \
      (generation, decoder, self, request, caption, error))                                        \
    X(sac_attention_resolve, sac_status,                                                           \
      (const sac_attention_spec *spec, const sac_attention_input *input,                           \
       sac_attention_shape *shape, sac_error *error),                                              \
      (spec, input, shape, error))                                                                 \
    X(sac_attention_check_values, sac_status,                                                      \
      (const sac_attention_spec *spec, const sac_attention_input *input, sac_error *error),        \
      (spec, input, error))                                                                        \
    X(sac_check_finite, sac_status,                                                                \
      (sac_named_part part, bool allow_minus_infinity, sac_error *error),                          \
      (part, allow_minus_infinity, error))                                                         \
    X(png_create_read_struct, png_structp,                                                         \
      (png_const_charp version, png_voidp user, png_error_ptr failed, png_error_ptr warned),       \
      (version, user, failed, warned))

#define NUMBER(name, type, parameters, arguments) COUNT_##name,
enum { CALLS(NUMBER) KINDS };

static long counts[KINDS];

#define WRAPPER(name, type, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        __atomic_add_fetch(&counts[COUNT_##name], 1, __ATOMIC_RELAXED);                            \
        return __real_##name arguments;                                                            \
    }
CALLS(WRAPPER)

/* Of this process alone: those that it starts, to try drivers and to compile, may outlive it. */
static char *path;
static pid_t counting;

__attribute__((constructor)) static void begin(void)
{
    const char *counts_path = getenv("COUNTS");
    path = counts_path ? strdup(counts_path) : NULL;
    counting = getpid();
    unsetenv("COUNTS");
}

__attribute__((destructor)) static void describe(void)
{
#define NAME(name, type, parameters, arguments) #name,
    static const char *const names[] = {CALLS(NAME)};
    FILE *file = path && getpid() == counting ? fopen(path, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < KINDS; i++)
        fprintf(file, "%s %ld\n", names[i], counts[i]);
    fclose(file);
}
