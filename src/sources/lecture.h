/* A lecture: views with their settings in an order, as one file of JSON that a person may edit:
 *
 *     {"saccade lecture": 1,
 *      "title": "What attention sees",
 *      "stops": [
 *       {"title": "A kite", "note": "What does it name when the kite is covered?",
 *        "shows": {"Software": "Saccade 1.0.0", "view": "caption", "file": "kite.png", "hidden": "3,4"}},
 *       …]}
 *
 * What a stop shows are the texts that a saved picture of it holds: files are named from the folder of the
 * lecture, with their hashes. */
#ifndef SAC_SOURCES_LECTURE_H
#define SAC_SOURCES_LECTURE_H

#include "images/png_write.h"

enum {
    SAC_LECTURE_STOPS = 500, /* more are refused, … */
    SAC_LECTURE_TEXTS = 200  /* … and more texts of a stop */
};
#define SAC_LECTURE_MOST ((size_t)16 << 20) /* bytes of a file */

typedef struct sac_lecture_stop {
    char *title, *note;  /* owned; "" where there is none */
    sac_png_texts shows; /* owned */
} sac_lecture_stop;

typedef struct sac_lecture {
    char *title;             /* owned; "" where there is none */
    sac_lecture_stop *stops; /* [count], owned */
    int count;
} sac_lecture;

/* By the first key of the file, or its ending ".lecture": one that is damaged is a lecture too. Never waits. */
bool sac_is_lecture(const char *path);
/* Of a text; `where` is for the error, which names the stop that is wrong. SAC_E_FORMAT; *lecture is to be
 * freed in any case. */
sac_status sac_lecture_parse(const char *text, size_t size, const char *where, sac_lecture *lecture,
                             sac_error *error);
/* The same of a file; SAC_E_FILE where it cannot be read. */
sac_status sac_lecture_load(const char *path, sac_lecture *lecture, sac_error *error);
sac_status sac_lecture_save(const char *path, const sac_lecture *lecture, sac_error *error);
/* A copy of the texts as a stop before that of number `at`, or behind the last one. False: no memory, or it
 * has as many as a lecture may have. */
bool sac_lecture_insert(sac_lecture *lecture, int at, const char *title, const sac_png_text *shows,
                        size_t count);
void sac_lecture_remove(sac_lecture *lecture, int at);
void sac_lecture_free(sac_lecture *lecture); /* takes a zeroed one */

#endif
