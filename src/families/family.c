/* What families' declarations have in common: numbers out of config.json, and a second model that
 * speaks. */
#include "families/family.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "families/text.h"

/* ---------------------------------------------------------------- config.json */

sac_activation sac_family_activation(sac_config *c, const char *name)
{
    static const char *const names[] = {
        "gelu", "gelu_python", "gelu_new", "gelu_fast", "gelu_pytorch_tanh",
        "relu", "silu",        "swish",    NULL};
    static const sac_activation meant[] = {SAC_GELU,      SAC_GELU, SAC_GELU_TANH, SAC_GELU_TANH,
                                           SAC_GELU_TANH, SAC_RELU, SAC_SILU,      SAC_SILU};
    return meant[sac_config_choice(c, name, names)];
}

sac_activation sac_family_activation_or(sac_config *c, const char *name, sac_activation otherwise)
{
    return sac_config_has(c, name) ? sac_family_activation(c, name) : otherwise;
}

int sac_family_heads(sac_config *c, const char *name, size_t width)
{
    int heads = sac_config_size(c, name, 1, SAC_FAMILY_WIDTH);
    if (width % (size_t)heads != 0)
        sac_config_refuse(c, name, "%d heads do not divide a width of %zu", heads, width);
    return heads;
}

void sac_family_text_sizes(sac_family_model *m, sac_config *c, const char *width,
                           const char *layers, const char *heads)
{
    m->width = (size_t)sac_config_size(c, width, 1, SAC_FAMILY_WIDTH);
    m->layers = sac_config_size(c, layers, 1, SAC_FAMILY_LAYERS);
    m->vocabulary = (size_t)sac_config_size(c, "vocab_size", 1, SAC_FAMILY_TOKENS);
    m->run.batch = 1;
    m->run.heads = sac_family_heads(c, heads, m->width);
}

void sac_family_read_ends(sac_family_model *m, sac_config *c)
{
    m->end_count =
        sac_config_sizes(c, "eos_token_id", 0, SAC_FAMILY_TOKENS, m->ends, SAC_FAMILY_ENDS);
}

/* ---------------------------------------------------------------- decoders */

void sac_family_add_decoder(sac_family_model *m, const sac_family *family, sac_config *c)
{
    if (c->status != SAC_OK)
        return;
    sac_family_model *d = m->decoder = calloc(1, sizeof *d);
    if (!d) {
        c->status = sac_fail(c->error, SAC_E_MEMORY, m->name, NULL, "no memory to open it");
        return;
    }
    d->family = family;
    d->files = m->files;
    d->prefix = "";
    d->word_scale = 1;
    d->voice.class = &sac_voice_of_layers;
    d->voice.longest = SAC_SPOKEN_WORDS;
    memcpy(d->folder, m->folder, sizeof d->folder);
    memcpy(d->name, m->name, sizeof d->name);
    d->voice.seen = m->width;
    family->declare(d, c);
}
