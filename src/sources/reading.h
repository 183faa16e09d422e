/* The ways to read a file of arrays that holds more than one attention. */
#ifndef SAC_SOURCES_READING_H
#define SAC_SOURCES_READING_H

typedef struct sac_reading {
    char take[128], axes[8]; /* what to ask for to get it, as --take and --axes */
    char array[200];         /* "attentions [12,12,24,24] float32" */
    char meaning[120];       /* "12 items × 12 heads of 24 × 24 weights" */
} sac_reading;

#endif
