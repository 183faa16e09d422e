/* A file of arrays and back, through the installed library:
 *     cc example_arrays.c $(pkg-config --cflags --libs saccade-arrays) && ./a.out FILE.npz */
#include <saccade_arrays.h>

int main(int argc, char **argv)
{
    float numbers[] = {1, 2, 3, 4, 5, 6};
    sac_array array = sac_array_view(SAC_F32, 2, (size_t[]){2, 3}, numbers);
    sac_named_array named = {"numbers", &array};
    sac_error error = {0};
    sac_arrays *arrays = NULL;
    char shape[64];
    if (argc == 2 && sac_npz_save(argv[1], &named, 1, &error) == SAC_OK &&
        sac_arrays_open(argv[1], &arrays, &error) == SAC_OK) {
        const sac_array *read = sac_arrays_find(arrays, "numbers");
        printf("numbers %s, the last %g\n", sac_array_shape_text(read, shape, sizeof shape),
               (double)((const float *)read->data)[5]);
    } else {
        sac_error_print(&error, stderr);
    }
    sac_arrays_close(arrays);
    return error.status != SAC_OK;
}
