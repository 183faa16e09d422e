/* A view of each class over made-up numbers, computed and drawn, for what must hold in all of them.
 */
#ifndef TESTS_VIZ_EVERY_VIEW_H
#define TESTS_VIZ_EVERY_VIEW_H

#include <stdlib.h>
#include <string.h>

#include "canvas/text.h"
#include "classes/views.h"
#include "shell/shell.h"

#include "fake_matrix.h"
#define fake_open fake_picture_open
#define fake_close fake_picture_close
#define fake_weight fake_picture_weight
#include "fake_picture.h"
#undef fake_open
#undef fake_close
#undef fake_weight
#include "fake_lesson.h"
#include "fake_outputs.h"
#include "fake_trainer.h"
#include "fake_training.h"
#include "fake_translation.h"

enum { READINGS = 12 };

typedef struct one_view {
    const viz_view_class *class;
    sac_source *source;
    fake_caption caption;
    fake_picture picture;
    fake_training training;
    sac_source trainer;
    fake_translation translation;
    fake_lesson lesson;
    fake_outputs outputs;
    fake_matrix *matrix;
    sac_reading readings[READINGS];
    viz_shell shell; /* of this view alone */
    viz_canvas canvas;
} one_view;

static inline sac_source *one_trace(one_view *v)
{
    const char *name = v->class->name;
    if (strcmp(name, "caption") == 0) {
        fake_open(&v->caption);
        return &v->caption.source;
    }
    if (strcmp(name, "picture") == 0) {
        fake_picture_open(&v->picture, 96, 64);
        v->picture.source.picture.count = 3;
        return &v->picture.source;
    }
    if (strcmp(name, "training") == 0) {
        fake_training_open(&v->training);
        return &v->training.source;
    }
    if (strcmp(name, "train") == 0) {
        fake_trainer_open(&v->trainer);
        return &v->trainer;
    }
    if (strcmp(name, "translation") == 0) {
        fake_translation_open(&v->translation);
        return &v->translation.source;
    }
    if (strcmp(name, "lesson") == 0) {
        fake_lesson_open(&v->lesson);
        return &v->lesson.source;
    }
    if (strcmp(name, "found") == 0 || strcmp(name, "likeness") == 0) {
        fake_outputs_open(&v->outputs, *name == 'f' ? SAC_OUTPUT_BOXES : SAC_OUTPUT_PHRASES);
        return &v->outputs.source;
    }
    if (strcmp(name, "next") == 0) {
        fake_text_open(&v->outputs);
        return &v->outputs.source;
    }
    v->matrix = fake_create(2, 2, 3, 9, 9);
    fake_label(&v->matrix->source.weights.step_labels, 9);
    fake_label(&v->matrix->source.weights.position_labels, 9);
    v->matrix->source.weights.scale_heads = fake_scale_heads;
    v->matrix->source.picture.count = 3;
    v->matrix->source.result.has_truth = true;
    v->matrix->source.weights.opened.readings = v->readings;
    v->matrix->source.weights.opened.reading_count = READINGS;
    return &v->matrix->source;
}

static inline viz_view *one_of(const one_view *v)
{
    return viz_shell_view(&v->shell);
}

static inline void one_draw(one_view *v)
{
    for (bool any = true; any;) {
        viz_shell_draw(&v->shell, &v->canvas);
        if (viz_view_compute(one_of(v), NULL, &any, NULL) != SAC_OK)
            abort();
    }
}

/* For one_begin: shows heads of that shape; with `labels` in words, and beside a picture of grid × grid cells behind a token
 * where `grid` is not 0. */
static inline void one_heads(one_view *v, size_t layers, size_t heads, size_t rows, size_t columns,
                             bool labels, int grid)
{
    v->matrix->source.weights.opened.readings = NULL; /* they are part of `v` */
    fake_free(v->matrix);
    v->matrix = fake_create(layers, 1, heads, rows, columns);
    v->source = &v->matrix->source;
    if (labels) {
        fake_label(&v->source->weights.step_labels, rows);
        fake_label(&v->source->weights.position_labels, columns);
    }
    if (grid)
        fake_see(v->matrix, 60, 40, grid, grid, 1);
}

/* Lays out a frame, whose pixels do not matter. */
static inline void one_lay(one_view *v)
{
    viz_tiles tiles = {0};
    viz_tiles_begin_noting(&tiles, &v->canvas);
    viz_shell_draw(&v->shell, &v->canvas);
    viz_tiles_end(&tiles, &v->canvas);
    viz_tiles_free(&tiles);
}

/* In a window of that size; close it with one_close. `begin` (may be NULL) changes the source before
 * there is a view of it. Nothing is computed yet. */
static inline one_view *one_begin(const viz_view_class *class, int width, int height,
                                  void (*begin)(one_view *v))
{
    viz_view *view;
    one_view *v = calloc(1, sizeof *v);
    v->class = class;
    v->source = one_trace(v);
    if (begin)
        begin(v);
    if (class->create(v->source, NULL, &view, NULL) != SAC_OK ||
        viz_shell_add(&v->shell, view, NULL) != SAC_OK ||
        viz_canvas_create(width, height, 1, &viz_theme_dark, &v->canvas, NULL) != SAC_OK)
        abort();
    one_lay(v);
    return v;
}

static inline one_view *one_open(const viz_view_class *class, int width, int height)
{
    one_view *v = one_begin(class, width, height, NULL);
    one_draw(v);
    return v;
}

/* How often its source has computed. */
static inline int one_calls(const one_view *v)
{
    return v->caption.generates + v->translation.generates + v->picture.heat_calls +
           v->outputs.asked + v->training.looks;
}

static inline void one_close(one_view *v)
{
    viz_shell_free(&v->shell);
    viz_canvas_free(&v->canvas);
    if (v->caption.image.rgba)
        fake_close(&v->caption);
    if (v->picture.image.rgba)
        fake_picture_close(&v->picture);
    sac_image_free(&v->outputs.image);
    if (v->matrix) {
        v->matrix->source.weights.opened.readings = NULL; /* they are part of `v` */
        fake_free(v->matrix);
    }
    free(v);
}

#endif
