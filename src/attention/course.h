/* A problem that shapes of tiles are timed on, in turn with the shipped shape. */
#ifndef SAC_ATTENTION_COURSE_H
#define SAC_ATTENTION_COURSE_H

#include "attention/internal.h"

/* Scaled-dot attention of random queries, keys and values. */
typedef struct sac_course_kind {
    size_t heads, queries, keys, dim;
    bool causal;
} sac_course_kind;

typedef struct sac_course {
    sac_device *device;
    const sac_progress *progress; /* asked after every launch; may be NULL */
    sac_course_kind kind;
    sac_attention_spec spec;
    sac_array arrays[3];    /* query, key, value [1,H,T,d] */
    sac_attention *shipped; /* NULL: there is no course here yet */
    float *output, *other;  /* the shipped shape's [1,H,Tq,d], and room for another */
} sac_course;

/* Leaves something to sac_course_free also where it fails. */
sac_status sac_course_create(sac_device *device, sac_variant variant, const sac_course_kind *kind,
                             const sac_progress *progress, sac_course *course, sac_error *error);
void sac_course_free(sac_course *course);

/* Prepares another shape and runs it once, which compiles it. *attention is the caller's to destroy
 * in any case. SAC_E_VALUE where its output is not the shipped shape's. */
sac_status sac_course_prepare(sac_course *course, const sac_tiling *tiling,
                              sac_attention **attention, sac_error *error);

/* Medians over pairs of runs, of one shape and the shipped one: what slows the machine slows both.
 */
typedef struct sac_race {
    int pairs, won;          /* won: in which it was the faster one */
    double ratio;            /* of the shape's time over the shipped one's, pair by pair */
    double seconds, shipped; /* of a run of each: the kernels alone, nothing is read back */
} sac_race;
enum { SAC_RACE_PAIRS = 31 };
/* At least 3 pairs; more, up to `most`, as long as they fit into `seconds` and the shape is not
 * much slower in every one of them. `attention` has run before. */
sac_status sac_course_race(const sac_course *course, sac_attention *attention, int most,
                           double seconds, sac_race *race, sac_error *error);

#endif
