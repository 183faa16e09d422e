/* The forms of numbers in a GGUF by the numbers of ggml_type. Those in blocks that weights keep on the device
 * are base/stored.h's. Number 4, which ggml uses no more, stands in Ollama's first files of gpt-oss. */
#include "pretrained/files/gguf/gguf.h"

static const struct {
    const char *name;
    sac_dtype dtype;
} as_they_are[] = {[0] = {"F32", SAC_F32},  [1] = {"F16", SAC_F16},   [24] = {"I8", SAC_I8},
                   [25] = {"I16", SAC_I16}, [26] = {"I32", SAC_I32},  [27] = {"I64", SAC_I64},
                   [28] = {"F64", SAC_F64}, [30] = {"BF16", SAC_BF16}};

enum { MXFP4_IN_PAIRS = 4 };

/* SAC_STORED_F32: no blocks. */
static const sac_stored in_blocks[] = {
    [2] = SAC_STORED_Q4_0,    [3] = SAC_STORED_Q4_1,  [MXFP4_IN_PAIRS] = SAC_STORED_MXFP4,
    [6] = SAC_STORED_Q5_0,    [7] = SAC_STORED_Q5_1,  [8] = SAC_STORED_Q8_0,
    [10] = SAC_STORED_Q2_K,   [11] = SAC_STORED_Q3_K, [12] = SAC_STORED_Q4_K,
    [13] = SAC_STORED_Q5_K,   [14] = SAC_STORED_Q6_K, [20] = SAC_STORED_IQ4_NL,
    [23] = SAC_STORED_IQ4_XS, [39] = SAC_STORED_MXFP4};

sac_gguf_form sac_gguf_form_of(unsigned kind)
{
    if (kind < sizeof as_they_are / sizeof *as_they_are && as_they_are[kind].name) {
        sac_dtype dtype = as_they_are[kind].dtype;
        return (sac_gguf_form){as_they_are[kind].name, 1, sac_dtype_size(dtype), dtype};
    }
    if (kind < sizeof in_blocks / sizeof *in_blocks && in_blocks[kind]) {
        const sac_stored_form *form = sac_stored_form_of(in_blocks[kind]);
        return (sac_gguf_form){form->name, form->numbers,   form->bytes,
                               SAC_F32,    in_blocks[kind], kind == MXFP4_IN_PAIRS};
    }
    return (sac_gguf_form){0};
}

const char *sac_gguf_refused_name(unsigned kind)
{
    static const char *const names[] = {
        [9] = "Q8_1",     [15] = "Q8_K",  [16] = "IQ2_XXS", [17] = "IQ2_XS",
        [18] = "IQ3_XXS", [19] = "IQ1_S", [21] = "IQ3_S",   [22] = "IQ2_S",
        [29] = "IQ1_M",   [34] = "TQ1_0", [35] = "TQ2_0",   [40] = "NVFP4"};
    return kind < sizeof names / sizeof *names && names[kind] ? names[kind] : "of an unknown form";
}
