/* The source of the lessons. A view asks it for a lesson with the given numbers. */
#ifndef SAC_LESSONS_LESSON_SOURCE_H
#define SAC_LESSONS_LESSON_SOURCE_H

#include "images/image.h"
#include "lessons/engine/lesson.h"
#include "sources/source.h"

typedef struct sac_lessons_options {
    sac_lesson_request lesson; /* that is shown first; its name empty: none is */
    const char *from;          /* arrays or a picture in place of the lessons' own; NULL: none */
    sac_image sight; /* taken over: what drawings show where `from` is no picture; empty: none */
    char sight_credit[SAC_LESSON_CREDIT]; /* its author and licence; empty: not named */
    const char *device;                   /* as sac_device_open takes it */
    /* Whether a person finished the lesson of that name; NULL: it is not kept. */
    bool (*is_finished)(const char *lesson);
    void (*finish)(const char *lesson);
} sac_lessons_options;

/* Fills a zeroed source; sac_source_destroy closes it. */
sac_status sac_lessons_open(const sac_lessons_options *options, sac_source *source,
                            sac_error *error);
/* A lesson as views take it, which owns `lesson` from then on. It is computed. */
void sac_lesson_describe(sac_lesson *lesson, sac_shown_lesson *shown);

#endif
