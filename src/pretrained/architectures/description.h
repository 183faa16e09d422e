/* An architecture as a table: which keys of config.json hold its sizes, which names its tensors
 * have, and the switches in which transformers differ. describe.c reads the table for encoders,
 * decoders and models that see: what is 0 or NULL, the model does not have.
 *
 * To add a family: a file in text/ or vision/ with
 *   1. its table, `static const sac_description of_NAME = {…}`. Families that differ in little share
 *      a macro of what they have in common (OF_LLAMA in text/llama.c);
 *   2. the table of all keys of its config.json (config_keys.h), from its class in transformers;
 *   3. its sac_architecture, with `.describes = &of_NAME`, and its name in known.h;
 *   4. a tiny model of it in tests/reference/make_references.py, its line in tests/architectures,
 *      and its class in tests/reference/make_config_keys.py and test_variants.c.
 * What config.json has beyond the table is read by a `declare` of its own, which calls
 * sac_describe. Arithmetic that no model has yet is a layer or a kernel of nn/ (transformer.h), and
 * a field here.
 *
 * Names of tensors are those of the file, after `prefix` and `layer`; those of linear layers and
 * norms without ".weight" and ".bias". */
#ifndef SAC_ARCHITECTURES_DESCRIPTION_H
#define SAC_ARCHITECTURES_DESCRIPTION_H

#include <stdbool.h>

#include "nn/transformer.h"

/* The value of the key, or without a key `otherwise`. */
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

/* Linear layers of an attention. `fused`: one tensor, whose rows are those of query, key and value
 * that have no name, in this order. */
typedef struct sac_attention_names {
    const char *query, *key, *value, *out, *fused;
    const char *bias[3]; /* vectors of query, key and value that lie apart from the matrices */
} sac_attention_names;

/* Positions that are sines in the first half of the columns and cosines in the second (sinusoids.c).
 */
typedef enum sac_sinusoids {
    SAC_NO_SINUSOIDS = 0,
    SAC_SINUSOIDS_OF_MARIAN,  /* the first token has place 0 */
    SAC_SINUSOIDS_OF_FAIRSEQ, /* it has the place after that of pad_token_id, which has zeros */
} sac_sinusoids;

/* torch's interpolation with align_corners=False. */
typedef enum sac_spread {
    SAC_SPREAD_BICUBIC = 0,
    SAC_SPREAD_BICUBIC_SMOOTH, /* with antialias=True, as … */
    SAC_SPREAD_LINEAR_SMOOTH,  /* … bilinear */
    SAC_SPREAD_LINEAR,         /* bilinear without it */
    SAC_SPREAD_CORNERS,        /* bilinear with align_corners=True */
    SAC_SPREAD_NEAREST         /* the one in whose part of the side a patch begins */
} sac_spread;

typedef struct sac_description {
    /* ---- keys of config.json; what a file leaves out has the value of the architecture's table of
     * keys */
    const char *width, *layers, *heads;
    const char *key_heads; /* heads of keys and values; NULL: as many */
    const char *depth;     /* numbers of a head; NULL, or not in the file: width / heads */
    /* Of latent attention: how many numbers of a head of queries and keys are not turned, beside rope_numbers, and how many
     * one of values has; `depth` and `key_heads` are NULL. */
    const char *unturned, *value_depth;
    /* Keys of the same in layers without a window, and of an object that has both of single layers by their number, in place of
     * these. The heads count where the flag `full_joined` is set: then those layers have no values but their keys before
     * the norm. */
    const char *full_depth, *full_key_heads, *full_joined, *layer_sizes;
    /* Keys: so many last layers attend to the keys and values of the last of their kind before them, and have none; their F is
     * twice as large where the flag is set. */
    const char *lent_layers, *lent_wider;
    const char *hidden; /* F, of the feed-forward network; not in the file: four times the width */
    const char *ratio;  /* F divided by the width */
    const char *swiglu; /* true: that network is `gated_up` and `gated_down`, and F two thirds */
    const char *max_positions; /* most tokens of a text; NULL: any number */
    const char *activation;    /* NULL: */
    sac_activation activated;
    const char *epsilon; /* of all norms; NULL: … */
    float epsilon_of;    /* … this; 0: 1e-5 */

    /* ---- tensors */
    const char *prefix[6]; /* of all names that follow but the head's: the first with which the file
                              has the words or the patches, or else the last; ends with NULL */
    const char *words, *positions, *kinds; /* whole names */
    const char *tasks,
        *task_switch;       /* whole name; of each token the first row of a further table; the
                                        key of whether there is one */
    const char *task_count; /* key: its rows */
    const char *first_norm, *last_norm; /* before all layers and after them */
    bool begins_normed; /* the first layer has no norm of SAC_PART_SELF, for first_norm is it */
    const char *projection, *word_width; /* E → D, for words of another width; the key of E */
    bool projects_words;  /* of words alone, without a bias, before positions are added; else behind
                            first_norm */
    bool always_projects; /* words that are as wide, too */
    const char *narrowing;         /* D → E, before the head; with projects_words */
    const char *head, *other_head; /* whole names; of what comes next: one of them */
    const char *head_bias;         /* whole name; NULL: none */
    const char *layer;             /* "layers.%d", of all that follow */
    const char
        *groups; /* key: how many layers the file has; each stands for a part of the others */
    sac_attention_names attention[2]; /* SAC_PART_SELF, SAC_PART_CROSS */
    /* Latent attention (nn/transformer.h). Where the rank of queries is null they are made as those of others. Of the key's
     * `down` the last rows are the part that all heads share, and of `up` each head has the numbers of its key and
     * of its value in turn; heads of the file have what is turned behind the rest. */
    struct {
        const char *down, *norm, *up;
        const char *rank; /* key; of the key latent NULL: attention is not latent */
        float epsilon;
    } query_latent, key_latent;
    const char
        *crosses_each; /* key: SAC_PART_CROSS is of the first of so many layers; NULL: of all */
    const char *query_norm, *key_norm; /* before positions turn them */
    const char *value_norm;            /* of each head, without a gain */
    const char *times;                 /* [1]: what leaves a layer is multiplied by it */
    /* Words of each layer (sac_layer_words): names behind the prefix, keys of P and of V; and of the layer's part for them. */
    const char *layer_words, *layer_words_project, *layer_words_norm, *layer_words_width,
        *layer_words_count;
    const char *words_in, *words_out, *words_norm;
    const char *norm[SAC_PARTS]; /* before the part or after the sum, by norm_first */
    const char *
        memory_norm; /* of what the first part attends to beside its own rows (transformer.h); NULL: nothing */
    const char *after[SAC_PARTS];      /* norms of what a part gives, before the sum */
    const char *scale[SAC_PARTS];      /* whole names; LayerScale */
    const char *up, *gate, *down;      /* D → F, F → D; gate: its activation times up */
    const char *fused_gate;            /* one tensor, whose rows are those of gate and up */
    const char *gated_up, *gated_down; /* the same of `swiglu`, D → 2F */
    const char *sinks;                 /* [H]: a logit of each head beside those of its keys */
    const char *classifier, *pooler;   /* whole names, of classes by the first token: linear layers,
                                          the pooler before the other … */
    bool pools_inside;                 /* … but that it is behind `prefix`, too … */
    sac_activation pooled;             /* … and activated; the file has both, or no classes */
    const char *pooled_norm;           /* whole name; … and normed; NULL: not */
    const char *pooled_by, *pools;     /* keys: the name of that activation, and "cls" or "mean", of
                                          which state; of such a model other classes than those of a
                                          text have the same names. NULL: as above */
    bool transposed;                   /* linear layers lie as [in,out] */
    bool by_heads;        /* `fused` has the queries, key and value of each head of keys in
                                          turn */
    bool norm_offset_one; /* a norm's weight is its gain less 1 */
    bool
        opened; /* behind each head of `query` lies one of the same size, whose sigmoid its output is multiplied by */
    /* "linear_attn": layers that layer_types calls "linear_attention", or else all but every full_attention_interval-th,
     * have a gated delta net of that name in place of attention (nn/delta_net.h). */
    const char *delta_net;
    bool
        delta_apart; /* its layers of queries, keys and values, of gates, of shares and of decays are four tensors, not two by heads */
    sac_switch
        norm_biased; /* whether norms that are no RMSNorm have a bias; without a key they do */
    bool norms_unbiased, norms_without_gain; /* they have none; nor a gain */
    bool up_unbiased; /* of a feed-forward network with a bias `down` alone has one */
    bool up_first;    /* `fused_gate` has the rows of up before those of the gate */
    size_t skipped;   /* rows of `positions` before that of the first token */

    /* ---- a mixture of experts in place of the feed-forward network (nn/experts.h) */
    const char *experts[2];     /* keys of how many there are: the first that the file has */
    const char *experts_switch; /* key: false: there are none; NULL: there are */
    const char *experts_chosen; /* key: how many each token goes through */
    const char *expert_hidden;  /* key: F of each; NULL: the model's */
    /* Norms of experts beside the feed-forward network: of what that gives, of what enters them, of what they give, and of what
     * enters the router, a vector. NULL: they are in its place. */
    const char *beside, *experts_entry, *experts_exit, *router_norm;
    const char *shares_each; /* [E]: shares are multiplied by these, too */
    const char *router;      /* a linear layer D → E, with the bias of the others */
    const char *expert;      /* "experts.%d": goes before `up`, `gate` and `down` of one */
    /* The same of one that all tokens go through, whose F is that of a key of its own, and its gate D → 1, or
     * without one all of it */
    const char *shared_expert, *shared_hidden, *shared_gate;
    /* Tensors of all experts, where the files have none of one: [E,in,out] with biases [E,out] of names that
     * end in "_bias"; in joint_up gates and values take turns. NULL: there are none. */
    const char *joint_up, *joint_down;
    bool joint_halves;        /* in joint_up gates come before values, and there are no biases */
    bool shares_by_sigmoid;   /* each share is the sigmoid of its logit */
    bool scales_input;        /* tokens enter times their shares */
    const char *shares_times; /* key: shares are multiplied by it */
    const char *expert_groups, *groups_chosen; /* keys … */
    const char
        *groups_method; /* … followed where this key is "group_limited_greedy"; NULL: always */
    const char *correction; /* numbers by which experts are chosen, beside sigmoids */
    /* Keys: a list of the layers with experts; or else those whose number is a multiple have some. NULL: all have. The names
     * of the others' `up`, `gate` and `down` begin with `dense`, and their F is of a key of its own. */
    const char *expert_layers, *expert_layers_every, *dense, *dense_hidden;
    const char *expert_layers_from; /* key, in place of both: the first layer with experts */
    const char
        *shared_count; /* key: the shared one is so many times as wide as its own key gives */
    sac_switch shares_of_chosen; /* a token's shares are of a softmax over the chosen, not over all;
                                    sigmoids are divided by their sum */
    const char *limit, *steepness; /* keys: of gates; NULL: none */

    /* ---- layers */
    bool norm_first;            /* x + f(norm(x)), and not norm(x + f(x)) … */
    const char *norm_first_key; /* … unless this key is false; then there is no last_norm */
    sac_switch parallel;        /* x + f(norm(x)) + g(norm(x)) */
    bool rms;                   /* norms are RMSNorm */
    bool norms_heads; /* query_norm and key_norm are of each head, and not of all together */
    const char
        *norms_turned; /* key: layers that are turned have them, without a gain, and no others */
    bool last_state_unnormed; /* transformers gives the last state before last_norm; so it does of
                                   all models that see */
    sac_switch causal, bias[SAC_BIASES];
    const char
        *both_ways; /* key: it is not causal, and a window is of both sides: true, or "all" */
    sac_switch gate_switch; /* whether `gate` is there; without a key it is */
    const char *scaled,
        *scale_falls;        /* keys: scores are divided by √depth; and by the number of their
                                         layer */
    const char *scale_by;    /* key of a number: they are divided by its root */
    const char *scale_times; /* key: they are multiplied by it instead */
    bool is_unscaled;        /* they are not divided */
    const char *softcap, *logit_cap; /* keys: of scores, and of logits */
    /* keys: logits are multiplied by the one and divided by the other, before they are capped; words, as they
     * enter, and what each part gives, before it joins the sum, are multiplied by these */
    const char *logit_times, *logit_over, *words_times, *parts_times;
    const char *crosses; /* key: layers that look at another model are left out, with a note */

    /* A window: layer_types names the layers that have one. Where a file has no layer_types it is
     * all of them, but for these. */
    const char *window, *window_switch; /* keys: how many tokens; whether there is one */
    const char *window_from;            /* key: the first layer with one */
    const char *full_every;             /* key: layers whose number is a multiple have none … */
    int full_each;                      /* … or the number itself; 0: not so */
    bool last_is_full;                  /* the last has none, whatever layer_types has for it */
    bool full_from_0;                   /* … where numbers begin with 0, and not with 1 */
    bool window_no_rope;                /* only layers without rotation have one */
    bool window_inclusive;              /* with both_ways it is of one token more on each side */
    bool window_around; /* it is of both sides: half of it before a token and behind it */

    /* ---- how positions enter, beside `positions` */
    bool rotary;           /* they turn queries and keys (rope.c) */
    const char *rope_base; /* key of the base, where rope_parameters has none; NULL: rope_theta */
    const char *rope_part; /* key of the share of a head that is turned; NULL: all of it … */
    const char *rope_numbers; /* … or key of how many of its numbers are */
    bool in_pairs; /* it turns numbers 2i and 2i + 1 of a head as a point, not i and i + d/2 … */
    const char *in_pairs_key; /* … where this key is true */
    bool rope_scales_scores;  /* mscale_all_dim of rope_parameters multiplies scores */
    bool full_no_rope;        /* layers without a window are not turned */
    bool mrope; /* patches of a picture in a text are turned by rows and columns (rope.c) … */
    bool mrope_interleaved;    /* … whose angles lie among those of time */
    const char *local_base;    /* key: layers with a window are turned by this base */
    const char *no_rope;       /* key of a list, in which a layer that is not turned has a 0 … */
    const char *no_rope_every; /* … or else key: layers whose number is a multiple are not turned */
    bool alibi;                /* scores fall with the distance, in each head by another slope */
    /* To scores is added what a trained table [buckets,heads] has for the distance of query and key,
     * in layers of whose tensors this is one; the others take that of the first layer. */
    const char *relative;
    bool relative_whole; /* it is a whole name: all layers have the same */
    /* What they give is multiplied by gates of the layer's input: a linear layer d → 8 of each head, and numbers [1,H,1,1]. */
    const char *relative_gate, *relative_gate_by;
    /* Of a model that sees the table has a row for each distance in both axes of the trained grid, row
     * by row, and three for the class token: of its query, of its key, of both. */
    const char *buckets,
        *max_distance; /* keys: rows of it; the distance from which all are one; NULL:
                                       128 */
    /* Scores have terms of a distance's trained vector (nn/disentangled.h), a row of this, [2·spans,D]:
     * distances from −spans on, or where `distance_buckets` is there, buckets of them. */
    const char *distances, *distance_norm; /* whole names; a norm of its rows */
    const char *spans, *distance_buckets;  /* keys */
    const char *distance_terms;            /* key: "c2p|p2c" */
    const char *distance_shares;           /* key: it goes through the attention's own layers … */
    const char *distance_key, *distance_query; /* … and not through these */
    bool distance_key_unbiased;
    const char *kind_count;   /* key: rows of `kinds` */
    const char *padding;      /* key: a token whose place is the one before the first, as in
                                   fairseq; `places` counts it and those before it */
    const char *filler;       /* key: a token with which a text is filled up to `places` */
    sac_sinusoids sinusoids;  /* positions that no file has */
    const char *scaled_words; /* key: words are multiplied by √width … */
    bool words_by_width;      /* … or always */

    /* ---- models that see */
    bool
        custom_embedding; /* there are no words and no patches: who describes it declares what enters
                              its layers */
    const char *class_token, *second_token, *registers; /* whole names */
    const char *register_count;                         /* key */
    /* Whole name, and key of how many: tokens that each look for one thing, with positions of their own */
    const char *detections, *detection_count;
    const char *between, *between_switch; /* name of positions of each layer but the first; key */
    const char *patches;                  /* a convolution … */
    bool patches_unbiased;                /* … without a bias … */
    bool
        patches_by_pixel; /* … or a linear layer, for which a patch lies by row, column and channel … */
    bool patches_flat; /* … or for which it lies as for a convolution */
    const char
        *patch_count;     /* key: how many were trained, as many in a row as there are rows; NULL:
                                image_size */
    bool unplaced_tokens; /* positions are of patches alone */
    bool is_flat;         /* class_token is [D] and positions are [n,D], without a 1 before */
    sac_spread spread;    /* how positions are interpolated */
    const char *
        patch_frames; /* key: the convolution is over so many frames, of which each is the picture */
    bool
        any_size; /* it was trained on pictures of no size of its own, but `patch_count` positions */
    bool turns_patches;  /* positions turn queries and keys of patches in two axes … */
    bool counts_patches; /* … by numbers of rows and columns; else by where they lie in it … */
    bool
        halves_patches; /* … each half of a head by one axis alone, first by columns; else all of it by both … */
    bool
        staggers_patches; /* … the rows by every second angle of a head, the columns by those between; else both by the same */
    const char *
        axis_places; /* key: `positions` is [2,so many,D], of columns and of rows, which are added; NULL: it is not */
    const char *
        clips; /* key: where true, inputs and outputs of linear layers are clipped. The bounds are tensors beside the weight:
                        X.input_min, X.input_max, X.output_min and X.output_max of X.linear.weight */
    const char *processor; /* the class of its picture rules, where a folder names none */
} sac_description;

#endif
