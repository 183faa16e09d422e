/* A tiny network of random weights against PyTorch (tests/reference/make_efficientnet.py): cells,
 * and the gradients of as many of its parts as learn; and files that are not what they should be. */
#include <unistd.h>

#include "efficientnet/efficientnet.h"
#include "on_device.h"
#include "saccade_arrays.h"
#include "status.h"

enum { BATCH = 2, ALL = 0, HEAD = 5, NONE = 6 };

static const sac_efficientnet_shape tiny = {
    .stem = 5,
    .head = 13,
    .blocks = 4,
    .block = {{5, 5, 7, 3, 1}, {7, 21, 9, 3, 2}, {9, 27, 9, 5, 1}, {9, 18, 11, 5, 2}},
};

static sac_arrays *reference;

static int open_all(void **state)
{
    OK(sac_arrays_open(TESTS "/efficientnet/tiny.npz", &reference, &failure));
    return open_device(state);
}

static int close_all(void **state)
{
    sac_arrays_close(reference);
    return close_device(state);
}

static const float *find(const char *part, size_t side, const char *name, size_t *count)
{
    char full[128];
    snprintf(full, sizeof full, "%s.%zu%s%s", part, side, *name ? "." : "", name);
    const sac_array *array = sac_arrays_find(reference, full);
    if (!array)
        fail_msg("tiny.npz has no %s", full);
    *count = sac_array_count(array);
    return array->data;
}

static void hold_line(const sac_error *error, const char *expected)
{
    char line[1200];
    assert_string_equal(sac_error_line(error, line, sizeof line), expected);
}

static void hold(const float *found, const float *expected, size_t count, const char *what)
{
    double scale = 0, off = 0;
    for (size_t i = 0; i < count; i++) {
        scale = fmax(scale, fabs((double)expected[i]));
        off = fmax(off, fabs((double)found[i] - (double)expected[i]));
    }
    if (!(off <= 1e-5 * scale))
        fail_msg("%s: off by %g of %g", what, off, scale);
}

/* The network, of which the parts from `learning` on learn. */
typedef struct network {
    sac_efficientnet net;
    sac_parameters frozen, learning;
    sac_pass pass;
    sac_efficientnet_run run;
    size_t side;
} network;

static void open_network(network *n, size_t side, int learning)
{
    *n = (network){.side = side};
    n->net.shape = tiny;
    n->net.shape.side = side;
    sac_efficientnet_declare(&n->net, &n->frozen, "", 0, learning);
    sac_efficientnet_declare(&n->net, &n->learning, "", learning, NONE);
    OK(sac_parameters_create(&n->frozen, device, false, 0, &failure));
    OK(sac_parameters_create(&n->learning, device, learning < NONE, 0, &failure));
    OK(sac_efficientnet_load(&n->net, reference, TESTS "/efficientnet/tiny.npz", &failure));
    sac_pass_open(&n->pass, device);
}

static void close_network(network *n)
{
    sac_efficientnet_release(&n->run);
    sac_pass_close(&n->pass);
    sac_parameters_destroy(&n->frozen);
    sac_parameters_destroy(&n->learning);
}

static void hold_tensor(network *n, sac_tensor x, const float *expected, size_t count,
                        const char *what)
{
    float *found = malloc(count * sizeof *found);
    assert_non_null(found);
    assert_int_equal(sac_tensor_count(x), count);
    sac_pass_read(&n->pass, x, found);
    OK(sac_pass_end(&n->pass, &failure));
    hold(found, expected, count, what);
    free(found);
}

static void see(network *n, size_t batch)
{
    size_t pixels, cells;
    const float *x = find("pixels", n->side, "", &pixels), *y = find("cells", n->side, "", &cells);
    sac_efficientnet_prepare(&n->net, &n->pass, &n->run, batch);
    sac_efficientnet_write(&n->net, &n->pass, &n->run, x);
    sac_efficientnet_forward(&n->net, &n->pass, &n->run);
    hold_tensor(n, n->run.cells, y, cells / BATCH * batch, "cells");
}

static void learn(network *n)
{
    size_t count;
    const float *dcells = find("dcells", n->side, "", &count);
    OK(sac_parameters_zero_gradients(&n->learning, &failure));
    sac_pass_write(&n->pass, n->run.dcells, dcells);
    sac_efficientnet_backward(&n->net, &n->pass, &n->run);
    for (int i = 0; i < n->learning.count; i++) {
        const sac_parameter *p = n->learning.list[i];
        const float *gradient = find("d", n->side, p->name, &count);
        hold_tensor(n, p->gradient, gradient, count, p->name);
    }
}

TEST(cells_are_those_of_pytorch_whatever_learns)
{
    static const size_t sides[] = {19, 22}; /* of both, halves that are odd and that are even */
    for (size_t i = 0; i < 2; i++)
        for (int learning = ALL; learning <= NONE; learning++) {
            network n;
            open_network(&n, sides[i], learning);
            see(&n, BATCH);
            if (learning < NONE)
                learn(&n);
            close_network(&n);
        }
}

TEST(a_run_takes_batches_of_any_size)
{
    network n;
    open_network(&n, 22, HEAD - 1);
    see(&n, 1);
    see(&n, BATCH);
    see(&n, 1);
    see(&n, BATCH);
    learn(&n);
    close_network(&n);
}

/* As where what comes into the part was kept: cells, and gradients of that part and those after it. */
TEST(a_run_may_end_before_a_part_and_another_begin_there)
{
    for (int part = 1; part <= HEAD; part++)
        for (int learns = 0; learns < 2; learns++) {
            network before, after;
            size_t count;
            open_network(&before, 22, NONE);
            open_network(&after, 22, learns ? part : NONE);
            const float *pixels = find("pixels", 22, "", &count);
            sac_efficientnet_prepare(&before.net, &before.pass, &before.run, BATCH);
            sac_efficientnet_write(&before.net, &before.pass, &before.run, pixels);
            sac_efficientnet_forward_to(&before.net, &before.pass, &before.run, part);
            after.run.first = part;
            sac_efficientnet_prepare(&after.net, &after.pass, &after.run, BATCH);
            sac_pass_copy(&before.pass, after.run.part[part].x, before.run.part[part].x);
            sac_efficientnet_forward(&after.net, &after.pass, &after.run);
            const float *cells = find("cells", 22, "", &count);
            hold_tensor(&after, after.run.cells, cells, count, "cells");
            if (learns)
                learn(&after);
            OK(sac_pass_end(&before.pass, &failure));
            close_network(&before);
            close_network(&after);
        }
}

/* What a run has packed of weights is theirs no longer. */
TEST(weights_that_change_are_packed_anew)
{
    static const float zeros[3 * 3 * 13];
    network n;
    open_network(&n, 22, NONE);
    OK(sac_span_fill(device, n.frozen.values, n.frozen.floats, 0, &failure));
    sac_efficientnet_prepare(&n.net, &n.pass, &n.run, 1);
    sac_efficientnet_forward(&n.net, &n.pass, &n.run);
    hold_tensor(&n, n.run.cells, zeros, sizeof zeros / sizeof *zeros, "cells");
    OK(sac_efficientnet_load(&n.net, reference, TESTS "/efficientnet/tiny.npz", &failure));
    see(&n, 1);
    close_network(&n);
}

TEST(variants_have_their_sizes)
{
    static const struct {
        const char *name;
        int blocks;
        size_t numbers; /* of PyTorch's port without its classifier, a bias in place of each norm */
    } variants[] = {{"lite0", 16, 3350000},
                    {"lite1", 21, 4108848},
                    {"lite2", 21, 4782024},
                    {"lite3", 24, 6877760},
                    {"lite4", 30, 11669384}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        sac_efficientnet net = {0};
        sac_parameters all = {0};
        OK(sac_efficientnet_shape_by_name(variants[i].name, 320, &net.shape, &failure));
        assert_int_equal(net.shape.blocks, variants[i].blocks);
        assert_int_equal(sac_efficientnet_grid(&net.shape), 10);
        sac_efficientnet_declare(&net, &all, "", 0, sac_efficientnet_parts(&net.shape));
        assert_int_equal(sac_parameters_numbers(&all), variants[i].numbers);
        sac_parameters_destroy(&all);
    }
    sac_efficientnet_shape shape;
    sac_error error = {0};
    assert_int_equal(sac_efficientnet_shape_by_name("lite5", 224, &shape, &error), SAC_E_ARGUMENT);
    hold_line(&error, "EfficientNet: there is no variant \"lite5\"; give lite0, lite1, "
                      "lite2, lite3 or lite4");
}

/* A file like the reference, but for one array; loading it fails so. */
static void refuse(const char *name, void (*change)(sac_named_array *), sac_status expected,
                   const char *line)
{
    char path[] = "/tmp/efficientnet.XXXXXX", text[512];
    size_t count = sac_arrays_size(reference);
    sac_named_array *named = calloc(count, sizeof *named);
    sac_array *arrays = calloc(count, sizeof *arrays);
    sac_arrays *file = NULL;
    network n;
    assert_true(named && arrays);
    for (size_t i = 0; i < count; i++) {
        arrays[i] = *sac_arrays_at(reference, i);
        named[i] = (sac_named_array){sac_arrays_name(reference, i), &arrays[i]};
        if (strcmp(named[i].name, name) == 0)
            change(&named[i]);
    }
    close(mkstemp(path));
    OK(sac_npz_save(path, named, count, &failure));
    OK(sac_arrays_open(path, &file, &failure));
    open_network(&n, 19, NONE);
    assert_int_equal(sac_efficientnet_load(&n.net, file, path, &failure), expected);
    snprintf(text, sizeof text, "%s: %s", path, line);
    hold_line(&failure, text);
    close_network(&n);
    sac_arrays_close(file);
    unlink(path);
    free(named);
    free(arrays);
}

static void rename_it(sac_named_array *named)
{
    named->name = "another";
}

static void turn_it(sac_named_array *named)
{
    sac_array *array = (sac_array *)named->array;
    array->shape[0] = named->array->shape[1];
    array->shape[1] = 9;
}

static void no_numbers(sac_named_array *named)
{
    static const float variances[9] = {1, 1, -1, 1, 1, 1, 1, 1, 1};
    ((sac_array *)named->array)->data = (void *)variances;
}

TEST(damaged_weights_are_refused)
{
    refuse("_blocks.2._bn2.running_mean", rename_it, SAC_E_FORMAT,
           "_blocks.2._bn2.running_mean: is not in the file; give weights of EfficientNet-Lite");
    refuse("_blocks.1._project_conv.weight", turn_it, SAC_E_SHAPE,
           "_blocks.1._project_conv.weight: shape [21,9,1,1], not [9,21,1,1]; give weights of this "
           "very variant");
    refuse("_blocks.1._bn2.running_var", no_numbers, SAC_E_VALUE,
           "_blocks.1._project_conv.weight: with its batch norm, number 42 is no finite one; take "
           "a copy that "
           "is not damaged");
}

TEST(weights_of_no_variant_are_reported)
{
    sac_efficientnet_shape shape;
    assert_int_equal(sac_efficientnet_recognise(reference, "x.pth", 224, &shape, &failure),
                     SAC_E_FORMAT);
    hold_line(&failure, "x.pth: are not those of a variant of EfficientNet-Lite; give "
                        "the weights of lite0 to lite4");
}

/* White and black halves, beyond what the network sees of a smaller square. */
TEST(pictures_become_numbers)
{
    sac_image image = {0};
    float pixels[8 * 8 * 3];
    OK(sac_image_create(4, 2, &image, &failure));
    for (int i = 0; i < 4 * 4 * 2; i++)
        image.rgba[i] = i / 4 % 4 < 2 ? 255 : 0;
    OK(sac_efficientnet_image_pixels(&image, 0, 8, pixels, &failure));
    assert_true(pixels[0] == 1 && pixels[7 * 3] == -127.0f / 128);
    OK(sac_efficientnet_image_pixels(&image, 1, 8, pixels, &failure));
    for (int i = 1; i < 8 * 8 * 3; i++)
        assert_true(pixels[i] == pixels[0] && fabsf(pixels[i]) < 0.1f);
    sac_image_free(&image);
}

TEST_MAIN(open_all, close_all)
