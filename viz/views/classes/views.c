/* The table of views: each view of the program is a line. */

#include "classes/views.h"

#include <strings.h>

#include "alignment/alignment_view.h"
#include "base/text/suggestion.h"
#include "contents/contents_view.h"
#include "lesson/lesson_view.h"
#include "next/next_view.h"
#include "outputs/outputs_view.h"
#include "picture/picture_view.h"
#include "sentence/sentence_view.h"
#include "train/train_view.h"
#include "training/training_view.h"
#include "weights/heads/heads_view.h"
#include "weights/matrix_view.h"

const viz_view_class *const viz_views[] = {
    &viz_caption_class,  &viz_picture_class,
    &viz_matrix_class,   &viz_heads_class,
    &viz_next_class,     &viz_likeness_class,
    &viz_found_class,    &viz_alignment_class,
    &viz_contents_class, &viz_translation_class,
    &viz_lesson_class,   &viz_train_class,
    &viz_training_class, NULL,
};

const viz_view_class *viz_views_find(const char *name)
{
    if (strcasecmp(name, "pair") == 0) /* what two beside each other were called */
        name = viz_heads_class.name;
    for (const viz_view_class *const *class = viz_views; *class; class ++)
        if (strcasecmp((*class)->name, name) == 0 || strcasecmp((*class)->tab, name) == 0)
            return *class;
    return NULL;
}

void viz_views_list(char *text, size_t size)
{
    const char *names[sizeof viz_views / sizeof *viz_views];
    int count = 0;
    for (const viz_view_class *const *class = viz_views; *class; class ++)
        if (!(*class)->is_live)
            names[count++] = (*class)->name;
    sac_names_join(names, count, text, size);
}
