/* The user's data in place of a lesson's own: a sentence, a picture, arrays. */
#ifndef SAC_LESSONS_ENGINE_OWN_DATA_H
#define SAC_LESSONS_ENGINE_OWN_DATA_H

#include "images/image.h"
#include "lessons/engine/lesson.h"
#include "saccade_arrays.h"

/* The kind of a file, by its content: a picture, or arrays. */
typedef struct sac_own_file {
    sac_image picture; /* its rgba NULL: it is none */
    sac_arrays *arrays;
} sac_own_file;
sac_status sac_own_file_open(const char *path, sac_own_file *file, sac_error *error);
void sac_own_file_close(sac_own_file *file); /* takes a zeroed one */

/* The words of `text`, 1 to SAC_LESSON_ROWS, in place of the lesson's. */
sac_status sac_lesson_read(sac_lesson *lesson, const char *text, sac_error *error);

/* ---- for the lessons */

/* [rows,columns] of numbers between 0 and 1: `numbers`, or the brightness of a person's picture. */
sac_node sac_lesson_picture(sac_lesson *lesson, const char *name, sac_small_shape shape,
                            float *numbers);
/* [3,rows,columns]: red, green and blue, 0 to 1, of a person's picture or of that which comes along; 0:
 * there is neither. */
sac_node sac_lesson_sight(sac_lesson *lesson, const char *name, size_t rows, size_t columns);
/* Author and licence of that picture; NULL: not named, or it is a person's own. */
const char *sac_lesson_sight_credit(const sac_lesson *lesson);
size_t sac_lesson_word_count(sac_lesson *lesson); /* 0: it has its own */
/* Where the word stands first: the same number for the same word. */
size_t sac_lesson_first_place(const sac_lesson *lesson, size_t word);
void sac_lesson_label_words(sac_lesson *lesson, sac_node node, bool rows, bool columns);

#endif
