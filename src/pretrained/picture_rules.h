/* What a model's preprocessor_config.json does to a picture: another size, the middle cut out, and
 * each colour brought to the range that the model was trained on. */
#ifndef SAC_PRETRAINED_PICTURE_RULES_H
#define SAC_PRETRAINED_PICTURE_RULES_H

#include "pretrained/resample.h"

typedef struct sac_picture_rules {
    bool resizes, crops;
    int width, height; /* that it is brought to; 0: so that its shorter side is … */
    int shortest;      /* … this */
    sac_resampling resampling;
    int crop_width, crop_height;
    float factor, mean[3], deviation[3]; /* (byte · factor − mean) / deviation */
} sac_picture_rules;

/* A `folder` without the file gives the rules of ViT: 224 × 224, bilinear, −1 to 1. */
sac_status sac_picture_rules_read(const char *folder, sac_picture_rules *rules, sac_error *error);

/* The picture as the model sees it, in bytes. What a cut takes beyond the picture is black. */
sac_status sac_picture_rules_apply(const sac_picture_rules *rules, const sac_image *from,
                                   sac_image *to, sac_error *error);
/* The model's input for a byte of channel 0 to 2. */
static inline float sac_picture_rules_light(const sac_picture_rules *rules, int channel,
                                            uint8_t byte)
{
    return ((float)byte * rules->factor - rules->mean[channel]) / rules->deviation[channel];
}

#endif
