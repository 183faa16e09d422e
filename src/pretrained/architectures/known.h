/* Every architecture: a line for each, in the order of the alphabet. The file of its family defines
 * sac_architecture_NAME (see description.h). */
#ifndef SAC_ARCHITECTURES_KNOWN_H
#define SAC_ARCHITECTURES_KNOWN_H

#include "architectures/architecture.h"

#define SAC_ARCHITECTURES(EACH)                                                                    \
    EACH(albert)                                                                                   \
    EACH(ast)                                                                                      \
    EACH(bart)                                                                                     \
    EACH(beit)                                                                                     \
    EACH(bert)                                                                                     \
    EACH(blip)                                                                                     \
    EACH(blip2)                                                                                    \
    EACH(bloom)                                                                                    \
    EACH(clip)                                                                                     \
    EACH(clip_text)                                                                                \
    EACH(clip_vision)                                                                              \
    EACH(cohere)                                                                                   \
    EACH(cohere2)                                                                                  \
    EACH(deberta)                                                                                  \
    EACH(deberta_v2)                                                                               \
    EACH(deit)                                                                                     \
    EACH(depth_anything)                                                                           \
    EACH(detr)                                                                                     \
    EACH(dinov2)                                                                                   \
    EACH(dinov2_with_registers)                                                                    \
    EACH(dinov3)                                                                                   \
    EACH(distilbert)                                                                               \
    EACH(electra)                                                                                  \
    EACH(ernie)                                                                                    \
    EACH(ernie4_5)                                                                                 \
    EACH(esm)                                                                                      \
    EACH(eurobert)                                                                                 \
    EACH(falcon)                                                                                   \
    EACH(florence2)                                                                                \
    EACH(gemma)                                                                                    \
    EACH(gemma2)                                                                                   \
    EACH(gemma3)                                                                                   \
    EACH(gemma3_whole)                                                                             \
    EACH(git)                                                                                      \
    EACH(glm)                                                                                      \
    EACH(glm4)                                                                                     \
    EACH(gpt2)                                                                                     \
    EACH(gpt_neo)                                                                                  \
    EACH(gpt_neox)                                                                                 \
    EACH(gpt_oss)                                                                                  \
    EACH(gptj)                                                                                     \
    EACH(granite)                                                                                  \
    EACH(gte)                                                                                      \
    EACH(hubert)                                                                                   \
    EACH(idefics3)                                                                                 \
    EACH(jina_embeddings_v3)                                                                       \
    EACH(llama)                                                                                    \
    EACH(llava)                                                                                    \
    EACH(llava_next)                                                                               \
    EACH(llava_onevision)                                                                          \
    EACH(m2m_100)                                                                                  \
    EACH(marian)                                                                                   \
    EACH(mbart)                                                                                    \
    EACH(mistral)                                                                                  \
    EACH(mixtral)                                                                                  \
    EACH(modernbert)                                                                               \
    EACH(moonshine)                                                                                \
    EACH(mpnet)                                                                                    \
    EACH(nomic_bert)                                                                               \
    EACH(olmo)                                                                                     \
    EACH(olmo2)                                                                                    \
    EACH(olmo3)                                                                                    \
    EACH(olmoe)                                                                                    \
    EACH(opt)                                                                                      \
    EACH(paligemma)                                                                                \
    EACH(pegasus)                                                                                  \
    EACH(phi)                                                                                      \
    EACH(phi3)                                                                                     \
    EACH(qwen2)                                                                                    \
    EACH(qwen2_5_vl)                                                                               \
    EACH(qwen2_moe)                                                                                \
    EACH(qwen2_vl)                                                                                 \
    EACH(qwen2_vl_text)                                                                            \
    EACH(qwen3)                                                                                    \
    EACH(qwen3_moe)                                                                                \
    EACH(qwen3_vl)                                                                                 \
    EACH(qwen3_vl_text)                                                                            \
    EACH(resnet)                                                                                   \
    EACH(roberta)                                                                                  \
    EACH(roformer)                                                                                 \
    EACH(show_attend_tell)                                                                         \
    EACH(siglip)                                                                                   \
    EACH(siglip2)                                                                                  \
    EACH(siglip2_text)                                                                             \
    EACH(siglip2_vision)                                                                           \
    EACH(siglip_text)                                                                              \
    EACH(siglip_vision)                                                                            \
    EACH(smollm3)                                                                                  \
    EACH(stablelm)                                                                                 \
    EACH(starcoder2)                                                                               \
    EACH(swin)                                                                                     \
    EACH(mt5)                                                                                      \
    EACH(t5)                                                                                       \
    EACH(table_transformer)                                                                        \
    EACH(timm)                                                                                     \
    EACH(umt5)                                                                                     \
    EACH(vision_encoder_decoder)                                                                   \
    EACH(vit)                                                                                      \
    EACH(vit_mae)                                                                                  \
    EACH(vit_msn)                                                                                  \
    EACH(wav2vec2)                                                                                 \
    EACH(wavlm)                                                                                    \
    EACH(whisper)                                                                                  \
    EACH(yolos)

#define SAC_DECLARE_ARCHITECTURE(name) extern const sac_architecture sac_architecture_##name;
SAC_ARCHITECTURES(SAC_DECLARE_ARCHITECTURE)
#undef SAC_DECLARE_ARCHITECTURE

#endif
