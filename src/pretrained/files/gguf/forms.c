/* The forms of numbers in a GGUF by the numbers of ggml_type. Those in blocks that weights keep on the device
 * are base/stored.h's. Number 4, which ggml uses no more, stands in Ollama's first files of gpt-oss. */
#include "pretrained/files/gguf/gguf.h"

enum { SMALL = 32, LARGE = 256 };

static const sac_gguf_form forms[] = {
    [0] = {"F32", 1, 4, SAC_F32, 0},
    [1] = {"F16", 1, 2, SAC_F16, 0},
    [2] = {"Q4_0", SMALL, 18, SAC_F32, SAC_STORED_Q4_0},
    [3] = {"Q4_1", SMALL, 20, SAC_F32, SAC_STORED_Q4_1},
    [4] = {"MXFP4", SMALL, 17, SAC_F32, SAC_STORED_MXFP4, .in_pairs = true},
    [6] = {"Q5_0", SMALL, 22, SAC_F32, SAC_STORED_Q5_0},
    [7] = {"Q5_1", SMALL, 24, SAC_F32, SAC_STORED_Q5_1},
    [8] = {"Q8_0", SMALL, 34, SAC_F32, SAC_STORED_Q8_0},
    [10] = {"Q2_K", LARGE, 84, SAC_F32, SAC_STORED_Q2_K},
    [11] = {"Q3_K", LARGE, 110, SAC_F32, SAC_STORED_Q3_K},
    [12] = {"Q4_K", LARGE, 144, SAC_F32, SAC_STORED_Q4_K},
    [13] = {"Q5_K", LARGE, 176, SAC_F32, SAC_STORED_Q5_K},
    [14] = {"Q6_K", LARGE, 210, SAC_F32, SAC_STORED_Q6_K},
    [20] = {"IQ4_NL", SMALL, 18, SAC_F32, SAC_STORED_IQ4_NL},
    [23] = {"IQ4_XS", LARGE, 136, SAC_F32, SAC_STORED_IQ4_XS},
    [24] = {"I8", 1, 1, SAC_I8, 0},
    [25] = {"I16", 1, 2, SAC_I16, 0},
    [26] = {"I32", 1, 4, SAC_I32, 0},
    [27] = {"I64", 1, 8, SAC_I64, 0},
    [28] = {"F64", 1, 8, SAC_F64, 0},
    [30] = {"BF16", 1, 2, SAC_BF16, 0},
    [39] = {"MXFP4", SMALL, 17, SAC_F32, SAC_STORED_MXFP4},
};

const sac_gguf_form *sac_gguf_form_of(unsigned kind)
{
    return kind < sizeof forms / sizeof *forms && forms[kind].name ? &forms[kind] : NULL;
}

const char *sac_gguf_refused_name(unsigned kind)
{
    static const char *const names[] = {
        [9] = "Q8_1",     [15] = "Q8_K",  [16] = "IQ2_XXS", [17] = "IQ2_XS",
        [18] = "IQ3_XXS", [19] = "IQ1_S", [21] = "IQ3_S",   [22] = "IQ2_S",
        [29] = "IQ1_M",   [34] = "TQ1_0", [35] = "TQ2_0",   [40] = "NVFP4"};
    return kind < sizeof names / sizeof *names && names[kind] ? names[kind] : "of an unknown form";
}
