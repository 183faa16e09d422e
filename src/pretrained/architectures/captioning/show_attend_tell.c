/* "Show, Attend and Tell" (Xu et al. 2015) as in the best-known PyTorch tutorial on image captioning
 * (github.com/sgrvinod): a ResNet encodes, an LSTM that looks once a word decodes. Its checkpoint is a
 * pickle; `saccade example show-attend-tell` makes a folder of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

enum {
    LONGEST = 26, /* of a caption, where config.json has none */
    SIDE_LEAST = 32,
    SIDE_MOST = 1024,
    CELLS_MOST = 64,
    BEAM = 5
};

/* ---------------------------------------------------------------- the decoder */

static void declare_decoder(sac_pretrained_model *m, sac_config *c)
{
    size_t scored = (size_t)sac_config_size_or(c, "attention_dim", 1, SAC_ARCHITECTURE_WIDTH, 512);
    size_t embedded = (size_t)sac_config_size_or(c, "embed_dim", 1, SAC_ARCHITECTURE_WIDTH, 512);
    m->width = (size_t)sac_config_size_or(c, "decoder_dim", 1, SAC_ARCHITECTURE_WIDTH, 512);
    m->vocabulary = (size_t)sac_config_size(c, "vocab_size", 1, SAC_ARCHITECTURE_TOKENS);
    m->layers = m->run.heads = 1;
    m->text_decoder.memory = m->text_decoder.seen;
    /* A file of this folder, and nothing else. */
    const char *name = sac_config_text(c, "wordmap");
    if (!name[0])
        name = "wordmap.json";
    if (name[0] == '.' || strchr(name, '/') || strlen(name) >= sizeof m->text_decoder.wordmap)
        sac_config_refuse(c, "wordmap", "\"%.60s\" is not a file of this folder", name);
    snprintf(m->text_decoder.wordmap, sizeof m->text_decoder.wordmap, "%s", name);
    /* The tutorial's beam search: the likeliest sentence, however long. */
    int last = (int)m->vocabulary - 1;
    m->text_decoder.search = (sac_beam_options){
        .width = sac_config_size_or(c, "num_beams", 1, SAC_BEAM_WIDTH, BEAM),
        .vocabulary = (int)m->vocabulary,
        .length = sac_config_size_or(c, "max_length", 1, m->text_decoder.longest, LONGEST),
        .pad = sac_config_size(c, "pad_token_id", 0, last),
        .start = sac_config_size(c, "bos_token_id", 0, last),
        .end = sac_config_size(c, "eos_token_id", 0, last),
        .narrows = true,
    };
    m->text_decoder.recurrent = calloc(1, sizeof *m->text_decoder.recurrent);
    if (!m->text_decoder.recurrent)
        c->status = sac_no_memory(c->error, m->name);
    if (c->status == SAC_OK)
        sac_recurrent_declare(m->text_decoder.recurrent, &m->parameters, m->text_decoder.seen,
                              scored, embedded, m->width, m->vocabulary);
}

static const sac_architecture decoder_of_tutorial = {.declare = declare_decoder};

/* ---------------------------------------------------------------- both */

static void declare(sac_pretrained_model *m, sac_config *c)
{
    m->width = (size_t)sac_config_size_or(c, "encoder_dim", 1, SAC_ARCHITECTURE_WIDTH, 2048);
    m->run.heads = 1;
    m->vision_encoder.cells = sac_config_size_or(c, "encoded_image_size", 1, CELLS_MOST, 14);
    /* The colours of ImageNet; the whole picture, out of shape. */
    int side = sac_config_size_or(c, "image_size", SIDE_LEAST, SIDE_MOST, 256);
    m->vision_encoder.rules = (sac_picture_rules){.resizes = true,
                                                  .width = side,
                                                  .height = side,
                                                  .resampling = SAC_RESAMPLE_BILINEAR,
                                                  .factor = 1.0f / 255,
                                                  .mean = {0.485f, 0.456f, 0.406f},
                                                  .deviation = {0.229f, 0.224f, 0.225f}};
    sac_config_numbers(c, "image_mean", m->vision_encoder.rules.mean, 3);
    sac_config_numbers(c, "image_std", m->vision_encoder.rules.deviation, 3);
    for (int i = 0; i < 3; i++)
        if (!(m->vision_encoder.rules.deviation[i] > 0))
            sac_config_refuse(c, "image_std", "has a number that is not above 0");
    sac_architecture_add_decoder(m, &decoder_of_tutorial, true, c);
}

static sac_status create_encoder_net(sac_pretrained_model *m, sac_error *error)
{
    sac_device_lock(m->device);
    sac_status status = sac_resnet_create(m->files, "encoder.resnet.", NULL, &m->pass,
                                          &m->vision_encoder.net, error);
    sac_device_unlock(m->device);
    if (status == SAC_OK && sac_resnet_width(m->vision_encoder.net) != m->width)
        status = sac_fail(error, SAC_E_SHAPE, "encoder_dim", NULL,
                          "is %zu, and the encoder gives %zu channels", m->width,
                          sac_resnet_width(m->vision_encoder.net));
    return sac_error_within(error, status, m->folder);
}

const sac_architecture sac_architecture_show_attend_tell = {
    .types = {"show-attend-tell"}, .declare = declare, .take = create_encoder_net};
