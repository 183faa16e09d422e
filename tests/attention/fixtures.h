/* The cases in data/: NAME.in.npz, NAME.args (as for `saccade attend`) and NAME.ref.npz, results in
 * float64 by another program, rounded to float32. */
#ifndef TESTS_ATTENTION_FIXTURES_H
#define TESTS_ATTENTION_FIXTURES_H

#include "saccade_arrays.h"
#include "sources/files/queries/attention_file.h"

typedef struct fixture {
    const char *name;
    sac_arrays *in, *ref;
    sac_attention_spec spec;
    sac_attention_file file;
    sac_attention_input input;               /* lends from `in` and `file` */
    const sac_array *output, *lse, *weights; /* lend from `ref` */
} fixture;

extern const char *const fixture_names[]; /* ends with NULL */
void fixture_open(fixture *f, const char *name);
void fixture_close(fixture *f);

#endif
