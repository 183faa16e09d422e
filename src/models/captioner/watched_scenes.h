/* Scenes that a captioner is watched on while it trains. */
#ifndef SAC_CAPTIONER_WATCHED_SCENES_H
#define SAC_CAPTIONER_WATCHED_SCENES_H

#include "captioner/captioner.h"
#include "models/model_class.h"

sac_status sac_watched_scenes(const sac_captioner_shape *shape, sac_watched *watched,
                              sac_error *error);

#endif
