/* Every program that a CPU is given is built by its driver, with the options that cl/list_kernels
 * prints. This is the first of the tests of a device: what PoCL reads before a process compiles its
 * first program takes it as long as three of them, and two tests that ran at once would both
 * compile what they share. */

#include "device/device.h"
#include "device/sources.h"
#include "gemm/launch.h"
#include "status.h"
#include "test.h"

static const char *list; /* the command */

static bool is_among(const char *source, const char *const *names)
{
    while (*names && !strstr(source, *names))
        names++;
    return *names != NULL;
}

/* True of what is launched on such a CPU, also where the self-test fails, but for what `bench`
 * measures by, and for declarations. */
static bool is_given(const sac_device *device, const char *source, const char *options)
{
    static const char *const never[] = {"_gpu", "_matrix", "bench", "builtins", NULL};
    static const char *const same_everywhere[] = {"adam", "overflow", "widen", NULL};
    char fma[16];
    unsigned width = 0;
    const char *generated = strstr(options, "-DWIDTH=");
    bool constant = is_among(source, same_everywhere);
    if (is_among(source, never) || strstr(options, "GROUP_ITEMS=128"))
        return false;
    snprintf(fma, sizeof fma, "FAST_FMA=%d", !constant && device->info.has_fma);
    return !generated || (sscanf(generated, "-DWIDTH=%u", &width) == 1 && strstr(options, fma) &&
                          (constant || width == 1 || width == device->profile.vector_width));
}

/* The name of the first kernel in the text that no macro puts together. */
static void read_kernel_name(const char *text, char *name)
{
    char after = '\0';
    while (after != '(') {
        text = strstr(text, "__kernel");
        assert_non_null(text);
        text = strstr(text, "void");
        assert_int_equal(sscanf(text, "void%*[ \n]%63[a-z0-9_]%c", name, &after), 2);
    }
}

/* A source without options of its own gets, but for `loops`, those of all launches nevertheless. */
static sac_status build(sac_device *device, const char *source, const char *options,
                        const char *name, sac_error *error)
{
    cl_kernel kernel;
    if (!*options && strcmp(source, "loops") != 0)
        return sac_launch_items_build(device, source, name, error);
    return sac_kernel_get(device, source, options, name, &kernel, error);
}

static void build_program(sac_device *device, const char *source, const char *options)
{
    char name[64];
    const char *text = sac_kernel_source_find(source);
    bool is_joint = strcmp(source, "few_rows") != 0 || strstr(options, "-DJOINT=1");
    const char *joint = is_joint ? NULL : strstr(text, "run_token_layer("); /* and multiply_joint */
    bool is_backward = strstr(options, "-DBACKWARD=1");
    /* Kernels that the options leave out stand before the others. */
    read_kernel_name(is_backward ? strstr(text, "#else\n/* dx") : joint ? joint : text, name);
    sac_status status = build(device, source, options, name, &failure);
    if (status != SAC_OK) {
        print_message("%s %s\n", source, options);
        sac_error_print(&failure, stderr);
    }
    assert_int_equal(status, SAC_OK);
}

TEST(every_program_of_a_cpu_is_built)
{
    char line[512];
    int built = 0;
    sac_device *device;
    OK(sac_device_open(NULL, &device, NULL));
    FILE *lines = popen(list, "r");
    assert_non_null(lines);
    while (fgets(line, sizeof line, lines)) {
        line[strcspn(line, "\n")] = '\0';
        char *options = line + strcspn(line, " ");
        if (*options)
            *options++ = '\0';
        if (is_given(device, line, options)) {
            build_program(device, line, options);
            built++;
        }
    }
    assert_int_equal(pclose(lines), 0);
    assert_true(built > 40);
    sac_device_close(device);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    list = argv[1];
    return test_run(NULL, NULL);
}
