/* The encoders of a captioner: square pictures go in, the features of their cells come out. The
 * table has an encoder of each kind:
 *
 *     layers        3 × 3 convolutions of its own, which learn with the decoder: of scenes, and of
 *                   photographs the small network "cnn"
 *     efficientnet  EfficientNet-Lite, whose last parts may learn
 *     pretrained    a model that others trained, out of its folder; it stays as it is
 *
 * Those that stay as they are in part keep what that part makes of a picture (photographs/album.h),
 * and take it in place of the picture: captioner->first is the first part that still runs. */
#ifndef SAC_CAPTIONER_ENCODER_H
#define SAC_CAPTIONER_ENCODER_H

#include "captioner/model.h"

struct sac_captioner_training;

typedef struct sac_encoder {
    int (*grid)(
        const sac_captioner_shape *shape); /* cells on a side; 0: there is no such encoder */
    void (*declare)(const sac_captioner_shape *shape, sac_parameters *parameters,
                    sac_parameters *frozen, sac_captioner_weights *weights);
    /* The same of those that were trained elsewhere and learn on, slowly; NULL: none do. */
    void (*declare_slow)(const sac_captioner_shape *shape, sac_parameters *parameters,
                         sac_captioner_weights *weights);
    /* What comes in while it learns, unless pictures do: 0: pictures do all the same. */
    int (*first)(const sac_captioner *captioner);
    /* Numbers of a picture that come in at `first`; 0: its pixels [side,side,3]. */
    size_t (*numbers)(const sac_captioner *captioner, int first);
    /* Detects pictures that are unlike those that it was trained on (photographs/domain.h): numbers
     * of a cell, and the cells [N,·] of the picture that is encoded. */
    size_t (*known_width)(const sac_captioner_shape *shape);
    sac_tensor (*known)(const sac_captioner *captioner, const sac_captioner_features *f);
    /* rgba [count,4] → pixels [count,3] */
    void (*light)(const sac_captioner_shape *shape, const uint8_t *rgba, size_t count,
                  float *pixels);
    /* Memory for `batch` pictures; f->first is set. */
    void (*reserve)(sac_captioner *captioner, sac_arena *arena, size_t batch,
                    sac_captioner_features *f);
    void (*write)(sac_captioner *captioner, sac_captioner_features *f, const float *numbers);
    void (*forward)(sac_captioner *captioner, sac_captioner_features *f); /* → f->features */
    /* From training->df_features, which it writes over, to the gradients of what learns. */
    void (*backward)(sac_captioner *captioner, struct sac_captioner_training *training);
    /* Pixels of `count` pictures → what comes in at captioner->first. NULL: nothing is kept. */
    sac_status (*keep)(sac_captioner *captioner, sac_captioner_features *f, const float *pixels,
                       size_t count, float *kept, sac_error *error);
} sac_encoder;

extern const sac_encoder sac_encoder_of_layers, sac_encoder_efficientnet, sac_encoder_pretrained;
const sac_encoder *sac_encoder_of(const sac_captioner_shape *shape);

/* ---- what encoders that were trained elsewhere share: cells [B,N,C] to features [B,N,D] */

void sac_encoder_declare_cells(const sac_captioner_shape *shape, size_t width,
                               sac_parameters *parameters, sac_parameters *frozen,
                               sac_captioner_weights *weights);
void sac_encoder_reserve_cells(sac_captioner *captioner, sac_arena *arena, size_t batch,
                               sac_captioner_features *f);
void sac_encoder_cells_forward(sac_captioner *captioner, sac_captioner_features *f,
                               sac_tensor cells);
void sac_encoder_cells_backward(sac_captioner *captioner, struct sac_captioner_training *training);

/* ---- models of others */

/* Opens the encoder of a folder, for a captioner that is about to be made with it; both are the
 * caller's. SAC_E_ARGUMENT where it does not see. */
sac_status sac_encoder_open_folder(const char *folder, sac_device *device,
                                   struct sac_pretrained_model **model,
                                   sac_captioner_pretrained **pretrained, sac_error *error);
/* The same out of a captioner's file, whose shape is known. */
sac_status sac_encoder_open_inside(const char *path, sac_device *device,
                                   const sac_captioner_shape *shape,
                                   struct sac_pretrained_model **model, sac_error *error);
/* The captioner sees with it from now on, and its file holds it; it is the captioner's in any case.
 */
sac_status sac_encoder_adopt_model(sac_captioner *captioner, struct sac_pretrained_model *model,
                                   sac_error *error);
void sac_encoder_release(sac_captioner *captioner);
/* A hash of its weights, after `hash`. */
uint64_t sac_encoder_hash(const sac_captioner *captioner, uint64_t hash);

#endif
