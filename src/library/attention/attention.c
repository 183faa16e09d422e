/* The public creation of an attention: checks the input, chooses the variant and the shape of its
 * tiles, and has it built. The self-test, which decides whether kernels are right, builds
 * attentions itself, below this file. */
#include "attention/attention.h"
#include "attention/plan/tuning.h"
#include "attention/prepare/prepared.h"
#include "attention/selftest/selftest.h"
#include "attention/spec/resolve.h"
#include "base/error.h"
#include "scores/scores.h"

/* The shape of tiles that was tuned for it, where the self-test passes with it: it was measured on
 * the dot product, and is used for no other form of score. NULL: what ships. */
static const sac_tiling *tuned_shape(sac_device *device, sac_variant variant, sac_score form,
                                     bool softcap)
{
    sac_variant tuned;
    if (form != SAC_SCORE_DOT || variant == SAC_VARIANT_NAIVE)
        return NULL;
    const sac_tiling *tiling = sac_tuning_get(device, &tuned);
    bool usable =
        tiling && tuned == variant && sac_tiling_passes(device, variant, form, softcap, tiling);
    return usable ? tiling : NULL;
}

sac_status sac_attention_choose(sac_device *device, const sac_attention_spec *spec,
                                sac_variant *variant, const sac_tiling **tiling, sac_error *error)
{
    sac_score form = sac_score_form(spec->score);
    bool softcap = spec->softcap > 0;
    sac_status status = SAC_OK;
    *variant = spec->variant;
    *tiling = NULL;
    if (spec->variant == SAC_VARIANT_AUTO)
        status = sac_variant_choose(device, form, softcap, spec->storage, variant, error);
    if (status == SAC_OK && spec->storage == SAC_STORAGE_F32) /* tuned shapes were tested with it */
        *tiling = tuned_shape(device, *variant, form, softcap);
    return status;
}

/* `tiling`: NULL for the tuned one, or else what ships. */
static sac_status choose_and_build(sac_device *device, const sac_attention_spec *spec,
                                   const sac_attention_shape *shape,
                                   const sac_attention_input *input, const sac_tiling *tiling,
                                   sac_attention **attention, sac_error *error)
{
    const sac_tiling *tuned;
    sac_attention_spec chosen = *spec;
    sac_status status = sac_attention_choose(device, spec, &chosen.variant, &tuned, error);
    return status == SAC_OK ? sac_attention_build(device, &chosen, shape, input,
                                                  tiling ? tiling : tuned, attention, error)
                            : status;
}

sac_status sac_attention_create_tiled(sac_device *device, const sac_attention_spec *spec,
                                      const sac_attention_input *input, const sac_tiling *tiling,
                                      sac_attention **attention, sac_error *error)
{
    sac_attention_shape shape;
    *attention = NULL;
    sac_status status = sac_attention_resolve(spec, input, &shape, error);
    return status == SAC_OK
               ? choose_and_build(device, spec, &shape, input, tiling, attention, error)
               : status;
}

sac_status sac_attention_create_resolved(sac_device *device, const sac_attention_spec *spec,
                                         const sac_attention_shape *shape,
                                         const sac_attention_input *input,
                                         sac_attention **attention, sac_error *error)
{
    *attention = NULL;
    sac_device_lock(device);
    sac_status status = choose_and_build(device, spec, shape, input, NULL, attention, error);
    sac_device_unlock(device);
    return status;
}

sac_status sac_attention_create(sac_device *device, const sac_attention_spec *spec,
                                const sac_attention_input *input, sac_attention **attention,
                                sac_error *error)
{
    sac_status status = sac_need(attention, "attention", error);
    if (status != SAC_OK)
        return status;
    *attention = NULL;
    status = sac_need(device, "device", error);
    if (status != SAC_OK)
        return status;
    sac_device_lock(device);
    status = sac_attention_create_tiled(device, spec, input, NULL, attention, error);
    sac_device_unlock(device);
    return status;
}
