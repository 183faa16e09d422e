/* A view of a model's results whose heads are scaled by its setting "without". */
#ifndef TESTS_VIZ_SCALED_HEADS_H
#define TESTS_VIZ_SCALED_HEADS_H

#include "every_view.h"
#include "test.h"
#include "view/settings.h"

/* The source of two layers of two heads keeps what it was scaled by last. */
static float scaled[4];

static inline sac_status scale(void *self, const float *factors, sac_heads_effect *effect,
                               sac_error *error)
{
    (void)self;
    (void)effect;
    (void)error;
    memcpy(scaled, factors, sizeof scaled);
    return SAC_OK;
}

/* `weights` are of the view's source, and `scales` is its setting. Closes the view. */
static inline void check_scaled_heads(one_view *v, sac_weights_source *weights, char *const *scales)
{
    weights->layers = weights->heads = 2;
    weights->scale_heads = scale;
    viz_view_restore(one_of(v), "without", "0.1,1.0=0.5");
    one_draw(v);
    assert_float_equal(scaled[0], 1, 0);
    assert_float_equal(scaled[1], 0, 0);
    assert_float_equal(scaled[2], 0.5, 0);
    char status[256];
    v->class->status(one_of(v), status, sizeof status);
    assert_non_null(strstr(status, "without 0.1,1.0=0.5"));
    viz_view_restore(one_of(v), "without", "7.0"); /* there is none */
    assert_string_equal(*scales, "0.1,1.0=0.5");
    scaled[0] = 0; /* by another view of the source */
    viz_view_restore(one_of(v), "without", "");
    one_draw(v);
    assert_float_equal(scaled[0], 1, 0);
    assert_float_equal(scaled[1], 1, 0);
    one_close(v);
}

#endif
