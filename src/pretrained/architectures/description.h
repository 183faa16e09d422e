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
    const char *key_heads;  /* of keys and values; NULL: as many as heads */
    const char *depth;      /* of a head; NULL, or not told: width / heads */
    const char *hidden;     /* of the feed-forward network; not told: four times the width */
    const char *ratio;      /* … or so many times the width */
    const char *swiglu;     /* true: that network is gated, `gated_up` has gates and gated values,
                               and is two thirds as wide */
    const char *places;     /* most tokens of a text; NULL: any number */
    const char *activation; /* NULL: */
    sac_activation activated;
    const char *epsilon; /* of all norms; NULL: 1e-5 */

    /* ---- tensors */
    const char *prefix[4]; /* of all that follow but the head: the first with which the file has the
                              words or the patches, or else the last; ends with NULL */
    const char *words, *positions, *kinds; /* whole names */
    const char *first_norm, *last_norm;    /* before all layers and after them */
    const char *projection, *word_width;   /* E → D, of words that are narrower; the key of E */
    const char *head, *other_head;         /* whole names; of what comes next: one of them */
    const char *layer;                     /* "layers.%d", of all that follow */
    sac_attention_names attention[2];      /* SAC_PART_SELF, SAC_PART_CROSS */
    const char *query_norm, *key_norm;     /* before positions turn them */
    const char *norm[SAC_PARTS];           /* before the part or after the sum, by norm_first */
    const char *after[SAC_PARTS];          /* norms of what a part gives, before the sum */
    const char *scale[SAC_PARTS];          /* whole names; LayerScale */
    const char *up, *gate, *down;          /* D → F, F → D; gate: its activation times up */
    const char *fused_gate;                /* one tensor, whose rows are those of gate and up */
    const char *gated_up, *gated_down;     /* with `swiglu` */
    bool transposed;                       /* linear layers lie as [in,out] */
    bool by_heads;      /* `fused` has query, key and value of each head in turn */
    bool gain_from_one; /* a norm's weight is its gain less 1 */
    size_t skipped;     /* rows of `positions` before that of the first token */

    /* ---- layers */
    bool norm_first;          /* x + f(norm(x)), and not norm(x + f(x)) */
    const char *norm_follows; /* key: where it is false, norms follow all the same, and none is last
                               */
    sac_switch parallel;      /* x + f(norm(x)) + g(norm(x)) */
    bool
        last_state_unnormed; /* transformers gives the last state before last_norm, as of all models
                                 that see */
    bool rms;                /* norms are RMSNorm */
    bool norms_heads;        /* query_norm and key_norm are of each head, and not of all together */
    sac_switch causal;
    sac_switch bias[SAC_BIASES];
    sac_switch gate_switch;           /* whether `gate` is there; without a key it is */
    const char *scaled, *scale_falls; /* keys: scores are scaled by 1/√depth; divided by the number
                                           of their layer */
    const char *scale_by;             /* key: they are divided by its root instead */
    bool is_unscaled;                 /* they are not divided */
    const char *softcap, *logit_cap;  /* keys: of scores, and of logits */
    const char *window, *window_switch; /* keys: tokens that a layer sees; whether there is one */
    const char *window_from;            /* key: the first layer that has it, … */
    bool window_unturned;               /* … or those alone that are not turned … */
    const char *window_each;            /* … or key: each so-manieth has none … */
    int windows_each;                   /* … not told */
    const char *crosses; /* key: layers that look at another model are left out, and that is told */

    /* ---- how positions enter, beside `positions` */
    bool rotary;               /* they turn queries and keys (rope.c) */
    const char *rope_base;     /* keys where rope_parameters does not tell: the base; NULL:
                                    rope_theta … */
    const char *rope_part;     /* … and the share of a head that is turned; NULL: all */
    const char *local_base;    /* key: the base in layers with a window, which have their own */
    const char *unturned;      /* key: a list, whose layers of 0 are not turned … */
    const char *unturned_each; /* … or else key: each so-manieth is not */
    bool alibi;                /* scores fall with the distance, in each head by another slope */
    const char *kind_count;    /* key; of the table `kinds` */
    const char *padding;       /* key: a token whose place comes before the first, as fairseq has
                                    it; `places` counts those before the first too */
    const char *filler;        /* key: a token with which a text is filled up to `places` */
    const char *scaled_words;  /* key: words are multiplied by √width … */
    bool words_by_width;       /* … or always */

    /* ---- models that see */
    const char *class_token, *second_token, *registers; /* whole names */
    const char *register_count;                         /* key */
    const char *patches;                                /* a convolution */
    bool patches_unbiased;
    bool unplaced_tokens;  /* positions are of patches alone */
    bool is_flat;          /* class_token is [D] and positions are [n,D], without a 1 before */
    bool is_smooth;        /* positions are interpolated with antialias=True */
    bool turns_patches;    /* positions turn queries and keys of patches in two axes */
    const char *processor; /* the class of its picture rules, where a folder names none */
} sac_description;

#endif
