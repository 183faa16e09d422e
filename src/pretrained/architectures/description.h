/* An architecture as a table: which keys of config.json hold its sizes, which names its tensors
 * have, and the switches in which transformers differ. describe.c reads the table for encoders,
 * decoders and models that see: what is 0 or NULL, the model does not have.
 *
 * To add a family: a file in text/ or vision/ with
 *   1. its table, `static const sac_description of_NAME = {…}`. Families that differ in little share
 *      a macro of what they have in common (OF_LLAMA in text/llama.c);
 *   2. the table of all keys of its config.json (config_keys.h), from its class in transformers;
 *   3. its sac_architecture, with `.describes = &of_NAME`, whose name stands twice in
 *      architectures.c;
 *   4. a tiny model of it in tests/reference/make_references.py, its line in tests/architectures,
 *      and its class in tests/reference/make_config_keys.py and test_variants.c.
 * What config.json says beyond the table is read by a `declare` of its own, which calls
 * sac_describe. Arithmetic that no model has yet is a layer or a kernel of nn/ (transformer.h), and
 * a field here.
 *
 * Names of tensors are those of the file, after `prefix` and `layer`; those of linear layers and
 * norms without ".weight" and ".bias". */
#ifndef SAC_ARCHITECTURES_DESCRIPTION_H
#define SAC_ARCHITECTURES_DESCRIPTION_H

#include <stdbool.h>

#include "nn/transformer.h"

/* What the key says, or without a key `otherwise`. */
typedef struct sac_switch {
    const char *key;
    bool otherwise;
} sac_switch;

/* Which linear layers have a bias. */
enum { SAC_BIAS_QUERY, SAC_BIAS_KEY, SAC_BIAS_VALUE, SAC_BIAS_OUT, SAC_BIAS_FORWARD, SAC_BIASES };
#define SAC_BIASED                                                                                 \
    {                                                                                              \
        NULL, true                                                                                 \
    }
#define SAC_ALL_BIASED                                                                             \
    {                                                                                              \
        SAC_BIASED, SAC_BIASED, SAC_BIASED, SAC_BIASED, SAC_BIASED                                 \
    }

/* Linear layers of an attention. */
typedef struct sac_attention_names {
    const char *query, *key, *value, *out;
    const char
        *fused; /* one tensor, whose rows are those of query, key and value that have no name,
                          in this order */
} sac_attention_names;

typedef struct sac_description {
    /* ---- keys of config.json; what a file leaves out has the value of the architecture's table of
     * keys */
    const char *width, *layers, *heads;
    const char *key_heads; /* of keys and values; NULL: as many as heads */
    const char *depth;     /* of a head; NULL, or not told: width / heads */
    const char *hidden;    /* of the feed-forward network; not told: four times the width */
    const char *ratio;     /* … or so many times the width */
    const char *swiglu; /* true: that network is gated, `gated_up` has gates and gated values, and
                              is two thirds as wide */
    const char *places; /* most tokens of a text */
    const char *activation;
    const char *epsilon; /* of all norms; NULL: 1e-5 */

    /* ---- tensors */
    const char *prefix[4]; /* of all that follow but the head: the first with which the file has the
                              words or the patches, or else the last; ends with NULL */
    const char *words, *positions, *kinds; /* whole names */
    const char *first_norm, *last_norm;    /* before all layers and after them */
    const char *head;                      /* whole name; of what comes next */
    const char *layer;                     /* "layers.%d", of all that follow */
    sac_attention_names attention[2];      /* SAC_PART_SELF, SAC_PART_CROSS */
    const char *norm[SAC_PARTS];           /* before the part or after the sum, by norm_first */
    const char *scale[SAC_PARTS];          /* whole names; LayerScale */
    const char *up, *gate, *down;          /* D → F, F → D; gate: its activation times up */
    const char *gated_up, *gated_down;     /* with `swiglu` */
    bool transposed;                       /* linear layers lie as [in,out] */

    /* ---- switches */
    bool norm_first; /* x + f(norm(x)), and not norm(x + f(x)) */
    bool rms;        /* norms are RMSNorm */
    sac_switch causal;
    sac_switch bias[SAC_BIASES];
    bool rotary;                      /* positions turn queries and keys (rope.c) */
    const char *kind_count;           /* key; of the table `kinds` */
    const char *padding;              /* key: a token whose place comes before the first, as fairseq
                                          has it; `places` counts those before the first too */
    const char *scaled_words;         /* key: words are multiplied by √width */
    const char *scaled, *scale_falls; /* keys: scores are scaled by 1/√depth; divided by the number
                                          of their layer */
    const char *window, *window_switch; /* keys: tokens that a layer sees; whether there is one */
    const char *window_from;            /* key: the first layer that has it … */
    const char *crosses; /* key: layers that look at another model are left out, and that is told */

    /* ---- models that see */
    const char *class_token, *second_token, *registers; /* whole names */
    const char *register_count;                         /* key */
    const char *patches;                                /* a convolution */
    bool is_smooth;        /* positions are interpolated with antialias=True */
    const char *processor; /* the class of its picture rules, where a folder names none */
} sac_description;

#endif
