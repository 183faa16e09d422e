/* The transcript of a sound as subtitles: cues of one or two lines with their times. */
#ifndef SAC_SOURCES_SUBTITLES_H
#define SAC_SOURCES_SUBTITLES_H

#include "sources/result.h"

/* A line has at most so many columns (a Chinese character takes two), but for a longer token. */
enum { SAC_CUE_LINE = 42, SAC_CUE_MOST_MS = 7000, SAC_CUE_LEAST_MS = 20 };

typedef struct sac_cue {
    long begin, end; /* in milliseconds of the whole sound */
    char *text;      /* UTF-8, one line or two with '\n' between them; owned */
} sac_cue;

/* Zeroed: none. */
typedef struct sac_subtitles {
    sac_cue *list;
    size_t count, room;
} sac_subtitles;

typedef enum sac_subtitles_form { SAC_SUBTITLES_SRT, SAC_SUBTITLES_VTT } sac_subtitles_form;

/* Adds the cues of a sound, or of the next piece of it. What stands between two tokens of times is a cue with these
 * times, if it is short enough; all other cues begin with the first of their words and end where the next word begins,
 * or after SAC_CUE_MOST_MS.
 * SAC_E_ARGUMENT where words have no times, as those of pictures. */
sac_status sac_subtitles_add(sac_subtitles *subtitles, const sac_result *caption, sac_error *error);
/* Writes SubRip (.srt), or WebVTT (.vtt). */
sac_status sac_subtitles_save(const sac_subtitles *subtitles, sac_subtitles_form form,
                              const char *path, sac_error *error);
void sac_subtitles_free(sac_subtitles *subtitles);

#endif
