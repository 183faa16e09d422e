/* list_kernels FOLDER: writes every kernel source there, as it travels inside the program, and
 * prints a line "SOURCE OPTIONS" for each of its specialisations: those of attention's plans and those
 * that are listed here, or else those that gemm/launch.h builds it with. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "attention/plan/variants.h"
#include "device/sources.h"

static bool write_source(const char *folder, const sac_kernel_source *source)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.cl", folder, source->name);
    FILE *file = fopen(path, "w");
    bool written = file && fputs(source->text, file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* What else they are built with than what gemm/launch.h gives all: a row each. */
static const struct {
    const char *source, *more;
} more_options[] = {{"caption_step", " -DNORMALIZER=0 -DADDITIVE=0 -DTOGETHER=1"},
                    {"caption_step", " -DNORMALIZER=0 -DADDITIVE=1 -DTOGETHER=3"},
                    {"caption_step", " -DNORMALIZER=1 -DADDITIVE=1 -DTOGETHER=3"},
                    {"caption_step", " -DNORMALIZER=2 -DADDITIVE=0 -DTOGETHER=1"},
                    {"attend_sparse", " -DNORMALIZER=1 -DROWS=4 -DHALVES=0"},
                    {"attend_sparse", " -DNORMALIZER=2 -DROWS=1 -DHALVES=1"},
                    {"one_query", " -DNORMALIZER=0 -DADDITIVE=0"},
                    {"one_query", " -DNORMALIZER=0 -DADDITIVE=1"},
                    {"one_query", " -DNORMALIZER=1 -DADDITIVE=0"},
                    {"one_query", " -DNORMALIZER=2 -DADDITIVE=1"},
                    {"attention_loss", " -DNORMALIZER=0"},
                    {"attention_loss", " -DNORMALIZER=1"},
                    {"attention_loss", " -DNORMALIZER=2"},
                    {"relu_attention", " -DNORMALIZER=0 -DADDITIVE=0"},
                    {"depthwise", " -DTAPS=3 -DSTRIDE=1 -DNARROW=1 -DBACKWARD=0"},
                    {"depthwise", " -DTAPS=3 -DSTRIDE=1 -DNARROW=0 -DBACKWARD=1"},
                    {"depthwise", " -DTAPS=3 -DSTRIDE=2 -DNARROW=0 -DBACKWARD=0"},
                    {"depthwise", " -DTAPS=3 -DSTRIDE=2 -DNARROW=1 -DBACKWARD=1"},
                    {"depthwise", " -DTAPS=5 -DSTRIDE=1 -DNARROW=0 -DBACKWARD=0"},
                    {"depthwise", " -DTAPS=5 -DSTRIDE=1 -DNARROW=1 -DBACKWARD=1"},
                    {"depthwise", " -DTAPS=5 -DSTRIDE=2 -DNARROW=0 -DBACKWARD=0"},
                    {"depthwise", " -DTAPS=5 -DSTRIDE=2 -DNARROW=1 -DBACKWARD=1"},
                    {"few_rows", " -DSTORAGE=0"},
                    {"few_rows", " -DSTORAGE=1"},
                    {"few_rows", " -DSTORAGE=2"},
                    {"few_rows", " -DSTORAGE=3"},
                    {"few_rows", " -DSTORAGE=4"},
                    {"few_rows", " -DSTORAGE=5"},
                    {"few_rows", " -DSTORAGE=6"},
                    {"few_rows", " -DSTORAGE=7"},
                    {"few_rows", " -DSTORAGE=8"},
                    {"few_rows", " -DSTORAGE=9"},
                    {"few_rows", " -DSTORAGE=10"},
                    {"few_rows", " -DSTORAGE=11"},
                    {"few_rows", " -DSTORAGE=12"},
                    {"few_rows", " -DSTORAGE=13"},
                    {"few_rows", " -DSTORAGE=14"},
                    {"few_rows", " -DSTORAGE=15"}};

/* Other sources with options of their own. What is launched by gemm/launch.h needs no row: its
 * options are read from its text. */
static const struct {
    const char *source, *options;
} others[] = {
    {"adam", "-DWIDTH=8 -DFAST_FMA=0"},
    {"attend_cpu",
     "-DSCORE=1 -DSOFTCAP=0 -DNORMALIZER=0 -DFAST_FMA=1 -DWIDTH=16 -DTILE_ROWS=128 "
     "-DBLOCK_KEYS=256 "
     "-DMICRO_ROWS=8 -DTILE_FLOATS=32768 -DWEIGHT_ROWS=16 -DPAIRS=1 -DSQUARES=0 -DBY_LOOPS=0"},
    {"attend_cpu",
     "-DSCORE=1 -DSOFTCAP=1 -DNORMALIZER=0 -DFAST_FMA=1 -DWIDTH=8 -DTILE_ROWS=128 -DBLOCK_KEYS=256 "
     "-DMICRO_ROWS=8 -DTILE_FLOATS=32768 -DWEIGHT_ROWS=16 -DPAIRS=1 -DSQUARES=0 -DBY_LOOPS=1"},
    {"attend_cpu", "-DSCORE=1 -DSOFTCAP=0 -DNORMALIZER=0 -DFAST_FMA=1 -DWIDTH=16 -DTILE_ROWS=512 "
                   "-DBLOCK_KEYS=256 -DMICRO_ROWS=8 -DTILE_FLOATS=32768 -DWEIGHT_ROWS=32 -DPAIRS=0 "
                   "-DSQUARES=1 -DA_PARTS=3 -DB_PARTS=3 -DBY_LOOPS=0"},
    {"attend_cpu", "-DSCORE=1 -DSOFTCAP=1 -DNORMALIZER=0 -DFAST_FMA=1 -DWIDTH=16 -DTILE_ROWS=512 "
                   "-DBLOCK_KEYS=256 -DMICRO_ROWS=8 -DTILE_FLOATS=32768 -DWEIGHT_ROWS=32 -DPAIRS=0 "
                   "-DSQUARES=1 -DA_PARTS=3 -DB_PARTS=3 -DBY_LOOPS=1"},
    {"attend_backward_cpu",
     "-DSCORE=1 -DSOFTCAP=0 -DNORMALIZER=0 -DFAST_FMA=1 -DWIDTH=16 -DTILE_ROWS=64 "
     "-DBLOCK_KEYS=128 -DMICRO_ROWS=8 -DTILE_FLOATS=32768 -DWEIGHT_ROWS=64 -DPAIRS=0 "
     "-DSQUARES=1 -DA_PARTS=3 -DB_PARTS=3 -DBY_LOOPS=0"},
    {"attend_backward_cpu",
     "-DSCORE=1 -DSOFTCAP=1 -DNORMALIZER=0 -DFAST_FMA=1 -DWIDTH=16 -DTILE_ROWS=64 "
     "-DBLOCK_KEYS=128 -DMICRO_ROWS=8 -DTILE_FLOATS=32768 -DWEIGHT_ROWS=64 -DPAIRS=0 "
     "-DSQUARES=1 -DA_PARTS=3 -DB_PARTS=3 -DBY_LOOPS=1"},
    {"bench", "-DFAST_FMA=0"},
    {"bench", "-DFAST_FMA=1"},
    {"gemm_tiled", "-DWIDTH=16 -DFAST_FMA=1 -DMICRO_ROWS=8 -DTILES=6 -DACROSS=1 -DCHUNK=288"},
    {"gemm_tiled", "-DWIDTH=16 -DFAST_FMA=1 -DMICRO_ROWS=8 -DTILES=16 -DACROSS=3 -DCHUNK=64"},
    {"gemm_tiled", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DTILES=8 -DACROSS=1 -DCHUNK=288"},
    {"gemm_tiled", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DTILES=22 -DACROSS=6 -DCHUNK=64"},
    {"gemm_tiled", "-DWIDTH=4 -DFAST_FMA=0 -DMICRO_ROWS=8 -DTILES=1 -DACROSS=1 -DCHUNK=16"},
    {"gemm_in_place", "-DWIDTH=16 -DFAST_FMA=1 -DMICRO_ROWS=8 -DSTORAGE=0"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=0"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=1"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=2"},
    {"gemm_in_place", "-DWIDTH=4 -DFAST_FMA=0 -DMICRO_ROWS=6 -DSTORAGE=2"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=3"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=4"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=5"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=6"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=7"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=8"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=9"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=10"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=11"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=12"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=13"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=14"},
    {"gemm_in_place", "-DWIDTH=8 -DFAST_FMA=1 -DMICRO_ROWS=6 -DSTORAGE=15"},
    {"gemm_matrix",
     "-DWIDTH=16 -DFAST_FMA=1 -DSQUARES=1 -DBY_LOOPS=0 -DA_PARTS=3 -DB_PARTS=3 -DSTORAGE=0"},
    {"gemm_matrix",
     "-DWIDTH=16 -DFAST_FMA=1 -DSQUARES=1 -DBY_LOOPS=0 -DA_PARTS=1 -DB_PARTS=1 -DSTORAGE=2"},
    {"gemm_matrix",
     "-DWIDTH=16 -DFAST_FMA=1 -DSQUARES=1 -DBY_LOOPS=1 -DA_PARTS=3 -DB_PARTS=2 -DSTORAGE=1"},
    {"gemm_pairs", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=0 -DSTORAGE=0"},
    {"gemm_pairs", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=0 -DSTORAGE=2"},
    {"gemm_pairs", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=2"},
    {"gemm_pairs", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=3"},
    {"few_rows", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP_ITEMS=1 -DJOINT=1 -DSTORAGE=0"},
    {"few_rows", "-DWIDTH=8 -DFAST_FMA=1 -DGROUP_ITEMS=1 -DJOINT=1 -DSTORAGE=6"},
    {"few_rows", "-DWIDTH=16 -DFAST_FMA=1 -DGROUP_ITEMS=1 -DJOINT=1 -DSTORAGE=2 -DVECTORS=4"},
    {"attend_token", "-DWIDTH=16 -DFAST_FMA=1 -DVECTORS=4"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=3"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=4"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=5"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=0 -DSTORAGE=5"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=10"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=0 -DSTORAGE=6"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=8"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=0 -DSTORAGE=9"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=13"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=1 -DSTORAGE=3 -DVECTORS=4"},
    {"few_rows_dots", "-DWIDTH=16 -DFAST_FMA=1 -DBY_LOOPS=0 -DSTORAGE=3 -DVECTORS=4"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=1"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=3"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=4"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=5"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=6"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=7"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=8"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=9"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=10"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=11"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=12"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=13"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=14"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=15"},
    {"widen", "-DWIDTH=16 -DFAST_FMA=0 -DSTORAGE=2"}};

static bool print_if(bool is_its_own, const char *source, const char *options)
{
    if (is_its_own)
        printf("%s %s\n", source, options);
    return is_its_own;
}

/* Prints the specialisations of one source, and returns how many there are. */
static size_t print_specialisations(const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < sac_specialisation_count(); i++) {
        const char *source;
        char options[1024];
        sac_specialisation_get(i, &source, options, sizeof options);
        found += print_if(strcmp(source, name) == 0, source, options);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        found += print_if(strcmp(others[i].source, name) == 0, name, others[i].options);
    return found;
}

/* As sac_launch_groups and sac_launch_items build a source; which of them launches it shows in what
 * it asks for by #error. One that asks for neither has no options. */
static void print_usual(const sac_kernel_source *source, const char *more)
{
    static const char *const groups[] = {" -DWIDTH=1 -DFAST_FMA=1 -DGROUP_ITEMS=128",
                                         " -DWIDTH=4 -DFAST_FMA=0 -DGROUP_ITEMS=1",
                                         " -DWIDTH=8 -DFAST_FMA=1 -DGROUP_ITEMS=1",
                                         " -DWIDTH=16 -DFAST_FMA=1 -DGROUP_ITEMS=1", NULL};
    static const char *const items[] = {" -DWIDTH=1 -DFAST_FMA=0", " -DWIDTH=1 -DFAST_FMA=1", NULL};
    static const char *const none[] = {"", NULL};
    const char *const *options = strstr(source->text, "#error \"define GROUP_ITEMS") ? groups
                                 : strstr(source->text, "#error \"define WIDTH")     ? items
                                                                                     : none;
    for (; *options; options++)
        printf("%s%s%s\n", source->name, *options, more);
}

/* Prints what a source is built with by more than the usual options, and returns whether there is any. */
static bool print_more(const sac_kernel_source *source)
{
    bool printed = false;
    for (size_t i = 0; i < sizeof more_options / sizeof *more_options; i++)
        if (strcmp(more_options[i].source, source->name) == 0) {
            print_usual(source, more_options[i].more);
            printed = true;
        }
    return printed;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc != 2)
        return 2;
    for (const sac_kernel_source *source = sac_kernel_sources; source->name; source++) {
        if (!write_source(argv[1], source)) {
            fprintf(stderr, "cannot write %s.cl to %s\n", source->name, argv[1]);
            status = 1;
        }
        bool printed = print_more(source);
        if (print_specialisations(source->name) == 0 && !printed)
            print_usual(source, "");
    }
    return status;
}
