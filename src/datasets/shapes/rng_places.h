/* The offsets of a scene's random numbers, private to this module. */
#ifndef SAC_SHAPES_RNG_PLACES_H
#define SAC_SHAPES_RNG_PLACES_H

#include "base/random/rng.h"
#include "shapes/scene.h"

/* Numbers at places below SAC_RNG_PLACE_TEXTURE are drawn one after another: from 0, from
 * SAC_RNG_PLACE_UNNAMED on for scenes of unnamed colours, and SAC_RNG_PLACE_SECOND further for the
 * second stream of test and of training. Those above belong to noise and blotches. */
#define SAC_RNG_PLACE_SECOND 0x10000000u
#define SAC_RNG_PLACE_UNNAMED 0x20000000u
#define SAC_RNG_PLACE_TEXTURE 0x40000000u
#define SAC_RNG_PLACE_BLOTCHES 0x60000000u

static inline bool sac_stream_is_training(sac_stream stream)
{
    return stream == SAC_STREAM_TRAINING || stream == SAC_STREAM_ALL_PAIRS;
}

/* The generator of a scene, at `place`. */
static inline sac_rng sac_scene_rng(sac_stream stream, uint64_t seed, uint32_t place)
{
    bool second = stream == SAC_STREAM_VARIED || stream == SAC_STREAM_ALL_PAIRS;
    return (sac_rng){.seed = seed,
                     .stream = sac_stream_is_training(stream),
                     .next = place + (second ? SAC_RNG_PLACE_SECOND : 0)};
}

#endif
