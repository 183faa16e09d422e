/* What the tables of keys of config.json are written with. Each key that a config.json may have is
 * read, or ignored because it changes no output, or accepted with certain values only
 * (pretrained/files/config.h). The tables, which stand in the files of their architectures, follow
 * the configuration classes of transformers 5.24, and have the keys that only version 4 had as
 * well. U: used, with what the class takes where a file lacks it, and null is refused; N: the
 * same, and null is no value; D: the same, and null is the default; H: harmless; O: followed with
 * that value alone, or with those of a list. */
#ifndef SAC_ARCHITECTURES_CONFIG_KEYS_H
#define SAC_ARCHITECTURES_CONFIG_KEYS_H

#include <stddef.h>

#include "pretrained/files/config.h"

#define U(name, value)                                                                             \
    {                                                                                              \
        name, SAC_KEY_USED, value                                                                  \
    }
#define N(name, value)                                                                             \
    {                                                                                              \
        name, SAC_KEY_USED, value, SAC_NULL_NONE                                                   \
    }
#define D(name, value)                                                                             \
    {                                                                                              \
        name, SAC_KEY_USED, value, SAC_NULL_DEFAULT                                                \
    }
#define H(name)                                                                                    \
    {                                                                                              \
        name, SAC_KEY_HARMLESS, NULL                                                               \
    }
#define O(name, value)                                                                             \
    {                                                                                              \
        name, SAC_KEY_ONLY, value                                                                  \
    }

/* Keys about the file itself, about training, and of a model's outputs; and of heads other than that
 * of the next token. */
#define COMMON                                                                                     \
    U("model_type", NULL), U("architectures", NULL), U("quantization_config", NULL),               \
        H("transformers_version"), H("_name_or_path"), H("dtype"), H("torch_dtype"),               \
        H("torchscript"), H("return_dict"), H("output_attentions"), H("output_hidden_states"),     \
        H("use_cache"), H("id2label"), H("label2id"), H("problem_type"), H("initializer_range"),   \
        H("chunk_size_feed_forward"), H("classifier_dropout"), H("is_encoder_decoder"),            \
        O("pruned_heads", "[{}, null]")
#define END                                                                                        \
    {                                                                                              \
        NULL, 0, NULL                                                                              \
    }

/* Of architectures that see. */
#define SEEN                                                                                       \
    COMMON, U("hidden_size", "768"), U("num_hidden_layers", "12"), U("num_attention_heads", "12"), \
        U("hidden_act", "\"gelu\""), U("patch_size", "16"), H("attention_dropout")

#endif
