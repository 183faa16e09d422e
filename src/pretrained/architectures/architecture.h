/* An architecture of pretrained models: which config.json it knows, and how that and the names of
 * tensors become layers of nn. description.h describes how one is added.
 */
#ifndef SAC_ARCHITECTURES_ARCHITECTURE_H
#define SAC_ARCHITECTURES_ARCHITECTURE_H

#include <stdatomic.h>

#include "architectures/architectures.h"
#include "architectures/description.h"
#include "architectures/load_tensors.h"
#include "architectures/vision/stages.h"
#include "generate/beam.h"
#include "nn/attention/positions.h"
#include "nn/delta_net.h"
#include "nn/layers.h"
#include "nn/pass.h"
#include "pretrained/files/config.h"
#include "pretrained/files/picture_rules.h"
#include "pretrained/files/places.h"
#include "pretrained/files/pretrained.h"
#include "tokenizers/tokenizer.h"

/* ---- the keys of config.json */

/* The tables (config_keys.h) that not only the file of their architecture reads. */
extern const sac_config_key sac_keys_of_gpt2[], sac_keys_of_vit[], sac_keys_of_blip_text[],
    sac_keys_of_blip_vision[], sac_keys_of_blip2_vision[], sac_keys_of_blip2_queries[],
    sac_keys_of_idefics3_vision[], sac_keys_of_swin[], sac_keys_of_mbart[], sac_keys_of_resnet[],
    sac_keys_of_bart[], sac_keys_of_t5[], sac_keys_of_davit[], sac_keys_of_qwen2_vl_vision[],
    sac_keys_of_qwen2_5_vl_vision[], sac_keys_of_qwen3_vl_vision[], sac_keys_of_qwen3_5_vision[],
    sac_keys_of_owlvit_vision[], sac_keys_of_owlv2_vision[], sac_keys_of_owl_text[],
    sac_keys_of_internvl_vision[], sac_keys_of_idefics2_vision[], sac_keys_of_idefics2_perceiver[],
    sac_keys_of_rt_detr[], sac_keys_of_rt_detr_v2[], sac_keys_of_parakeet_encoder[],
    sac_keys_of_gemma4_vision[];
/* Pixtral's, of a picture in one piece, whose rows each end with a token that is no picture's (captioning/mistral3.c). */
char *sac_make_picture_rows(const sac_tokenizer *tokenizer, int token,
                            const sac_picture_tiles *tiles, size_t each);

/* Tables that another architecture has as a part of its own. */
extern const sac_description sac_clip_vision, sac_gpt2_as_decoder, sac_vit_as_encoder,
    sac_deit_as_encoder, sac_siglip_vision, sac_bart_encoder, sac_bart_decoder, sac_blip_vision,
    sac_whisper_encoder;
/* The encoder of Whisper, by that table with names of its own. */
void sac_whisper_declare_encoder(sac_pretrained_model *m, sac_config *c,
                                 const sac_description *description);
/* What sees in Idefics 2 and 3: SigLIP by other names, with the keys of that class. */
void sac_declare_idefics_vision(sac_pretrained_model *m, sac_config *c, const sac_config_key *keys,
                                const char *processor, sac_spread spread);
extern const sac_architecture sac_t5_encoder, sac_t5_decoder;

/* ---- positions of patches */

typedef struct sac_patch_grid {
    int width, height; /* in patches */
} sac_patch_grid;

/* Interpolates trained positions [from.height,from.width,depth] to [to.height,to.width,depth].
 * SAC_E_MEMORY. */
sac_status sac_patch_positions(const float *trained, sac_patch_grid from, sac_patch_grid to,
                               size_t depth, sac_spread spread, float *positions, sac_error *error);

/* ---- residual networks */

/* A residual network (ResNet, He et al. 2016) that encodes a picture, without the layers that
 * classify: of any depth. */
typedef struct sac_resnet sac_resnet;

enum { SAC_RESNET_STAGES = 4 };
/* A network of transformers' ResNetModel, or of timm. */
typedef struct sac_resnet_layout {
    bool is_timms; /* its names are timm's, and depths are as many blocks as the file has */
    int stages, depth[SAC_RESNET_STAGES];
    bool is_basic; /* blocks of two 3 × 3 convolutions, and not bottlenecks */
    bool
        is_deep; /* three convolutions begin it, and a block that halves adds the means of squares (ResNet-D) */
    bool halves_first; /* the first stage has a stride of 2 too */
    bool halves_early; /* a bottleneck's stride is that of its first convolution */
} sac_resnet_layout;

/* Reads it from the keys of ResNetConfig, and returns the width of what it gives. */
size_t sac_resnet_read_layout(sac_config *config, sac_resnet_layout *layout);

/* Reads tensors that have the names of the layout after `prefix`; where there is no
 * layout, those of an nn.Sequential of torchvision's bottlenecks: "0.weight", "1.running_mean",
 * "4.0.conv1.weight" … The files are not needed afterwards. Fails as sac_pretrained_require_tensor does;
 * SAC_E_VALUE where there are no numbers. */
sac_status sac_resnet_create(const sac_pretrained *files, const char *prefix,
                             const sac_resnet_layout *layout, sac_pass *pass, sac_resnet **net,
                             sac_error *error);
void sac_resnet_destroy(sac_resnet *net);                   /* takes NULL */
size_t sac_resnet_width(const sac_resnet *net);             /* D */
size_t sac_resnet_side(const sac_resnet *net, size_t side); /* cells along so many pixels */

/* Computes the features [cells²,D] of pixels [3,height,width]; both are in host memory. They are
 * the last layer's feature map, pooled to a grid of cells × cells, or where cells is 0 as it is. */
sac_status sac_resnet_see(const sac_resnet *net, sac_pass *pass, const float *pixels, size_t height,
                          size_t width, size_t cells, float *features, sac_error *error);

/* The same of the maps that stages leave, each [cells,channels of the stage]; NULL: not wanted. */
sac_status sac_resnet_see_stages(const sac_resnet *net, sac_pass *pass, const float *pixels,
                                 size_t height, size_t width, float *const *maps, sac_error *error);
size_t sac_resnet_stage_width(const sac_resnet *net, int stage); /* 0: there is none */

/* A convolution with the norm behind it in its numbers. */
typedef struct sac_filter {
    size_t in, out, taps, stride;
    sac_tensor panels, bias; /* no buffer: there is no such filter */
} sac_filter;
typedef struct sac_filter_source {
    const sac_pretrained *files;
    const char *prefix, *remedy; /* of names; where a shape is another; NULL: none */
    sac_pass *pass;
    sac_arena *arena; /* of the filter's memory */
    sac_error *error;
} sac_filter_source;
/* Reads the tensor “LAYER.weight”, whose in, taps and stride are set, and the norm of that name. */
sac_status sac_filter_load(const sac_filter_source *from, const char *layer, const char *norm,
                           sac_filter *filter);
/* One filter that is the sum of two, the second of 1 × 1 (RepVGG, Ding et al. 2021). */
sac_status sac_filter_load_sum(const sac_filter_source *from, const char *const layer[2],
                               const char *const norm[2], sac_filter *filter);

/* ---- architectures */

struct sac_architecture {
    const char *types[8]; /* of config.json's model_type; ends with NULL */
    const sac_config_key
        *keys; /* all that its config.json has; NULL: transformers has no such class */
    /* A config.json without a model_type belongs to the architecture if one of its `architectures`
     * begins with one of these, or else if a tensor's name ends in `mark`, as in no other
     * architecture. */
    const char *architectures[4];
    const char *mark;
    const sac_description *describes; /* the model as a table … */
    /* … or what reads `config`, and declares the model's parameters and layers under the names that
     * tensors have in the folder. */
    void (*declare)(sac_pretrained_model *model, sac_config *config);
    /* transformers has a part of the model generate, which knows no settings of the folder. */
    bool part_generates;
    /* Reads what the files hold besides parameters; NULL: nothing. */
    sac_status (*take)(sac_pretrained_model *model, sac_error *error);
};

enum {
    SAC_ARCHITECTURE_LAYERS = 128,
    SAC_ARCHITECTURE_WIDTH = 16384,
    SAC_ARCHITECTURE_TOKENS = 1 << 21,
    SAC_ARCHITECTURE_ENDS = 8,      /* tokens that end a text */
    SAC_ARCHITECTURE_PREFIX = 1024, /* tokens before patches */
    SAC_STAND_INS = 3,
    SAC_PICTURE_LEVELS = 8 /* layers that a picture's tokens are made of, beside the last */
};

/* The parts of a model that only a vision encoder has. It is a vision transformer, whose tokens
 * other than patches come first (those with a position before those without), or a residual
 * network, which has no attention. */
typedef struct sac_vision_encoder {
    int cells; /* along a side of what the network sees; 0: as many as there are … */
    sac_resnet_layout layout; /* … of a network of this layout; no stages: there is none */
    sac_resnet *net;          /* owned */
    sac_picture_rules rules;  /* of pictures for it; a model of patches has a file of them, … */
    bool has_rules;           /* … or config.json has them */
    const char *processor;    /* the class of its rules, where a folder names none */
    int token_side; /* pixels of a token of a text; rules that bring a picture to whole patches bring it to these; 0: to their own */
    int patch_w, patch_h;   /* pixels of a patch; 0: the model reads text, or is a network */
    int image_w, image_h;   /* pixels of a picture that it was trained on */
    sac_patch_grid trained; /* that there are positions for */
    int placed, registers;  /* tokens with a position, and without; prefix: both */
    int detections; /* of placed ones the last so many have theirs behind those of patches */
    int prefix;
    sac_spread spread;  /* of positions */
    size_t axis_places; /* positions are [2,so many,D], of columns and of rows; 0: they are not */
    bool by_pixel;      /* a patch lies by row, column and channel */
    int level[SAC_PICTURE_LEVELS], levels; /* layers whose states are kept, too */
    /* [1,·,D]: class, DeiT's second, those that detect, registers; NULL: none */
    const sac_parameter *tokens[4];
    const sac_parameter
        *between; /* [layers − 1,1,T,D]: positions that are added to what leaves a layer
                                     for the next; NULL: none are */
    const sac_parameter *patches,
        *bias; /* [D,3,patch_h,patch_w], or as one row, by_pixel [D,patch_h·patch_w·3]; [D] */
} sac_vision_encoder;

/* Rotary positions, which may depend on how long a text is (rope.c). */
typedef struct sac_rope {
    sac_rotary rotary;   /* of a text that is no longer than … */
    size_t trained;      /* … so many tokens; 0: of any … */
    sac_rotary longer;   /* … of a longer one; or where its base grows with the length: */
    double base, growth; /* growth 0: it does not */
    size_t
        section[3];   /* how many of its angles are of a token's time, of its row and of its column,
                            where a text has a picture in it; all 0: all are of its place */
    bool interleaves; /* each third angle is of a row and each third of a column, as long as there
                         are such, and not one section after the other */
} sac_rope;

typedef enum sac_rope_use { SAC_ROPE_GLOBAL = 0, SAC_ROPE_NONE, SAC_ROPE_LOCAL } sac_rope_use;

/* A convolution over time of what an audio encoder reads, or of the states of a layer. */
typedef enum sac_sound_norm {
    SAC_SOUND_NORM_NONE = 0,
    SAC_SOUND_NORM_TIMES, /* of the numbers of each time: layer norm … */
    SAC_SOUND_NORM_CHANNELS, /* … or of each number over all times: group norm of as many groups … */
    SAC_SOUND_NORM_ALL, /* … or of all numbers of all times, behind the activation: of one group */
} sac_sound_norm;
typedef struct sac_sound_layer {
    const sac_parameter *w, *b;   /* [out,taps,in/groups], [out]; b NULL: none; w NULL: no layer */
    size_t step, groups, around;  /* 0: 1; zeros before what it reads, and behind it */
    sac_sound_norm normed;        /* before … */
    const sac_parameter *norm[2]; /* … (gain and bias [out]) … */
    sac_activation activation;    /* … this */
} sac_sound_layer;
/* Declares its weights, which lie as NAME.WEIGHT [out,in,taps], where `in` is of a group, and NAME.bias. */
sac_sound_layer sac_sound_layer_declare(sac_pretrained_model *model, sac_config *config,
                                        const char *name, const char *weight, size_t out, size_t in,
                                        size_t taps, bool has_bias);

enum { SAC_ALIGNED_HEADS = 64, SAC_SOUND_LAYERS = 16 };
/* Patches of a spectrogram, which may overlap. */
typedef struct sac_audio_patches {
    size_t side; /* frames and bins of one; 0: there are none */
    size_t step_x, step_y, across, down;
    size_t frames;         /* that there always are */
    float mean, deviation; /* what is taken off, and half of what it is divided by */
} sac_audio_patches;
/* The parts of an audio encoder: convolutions over the samples of a sound or its spectrogram, each of every so many
 * times of what the one before gives; then a norm and a linear layer to the width of its own layers. */
typedef struct sac_audio_encoder {
    size_t cell;               /* samples from one cell to the next; 0: it has no audio */
    size_t bins;               /* of its spectrogram; 0: it reads samples, … */
    bool leaves_silence;       /* cells of silence behind the end of a sound are left out */
    bool scales_samples;       /* … brought to a mean of 0 and a deviation of 1 */
    sac_audio_patches patches; /* in place of what follows */
    sac_sound_layer layer[SAC_SOUND_LAYERS];
    int layers;
    sac_layer_norm norm;
    sac_dense project;
    sac_sound_layer
        places; /* what this makes of states is added to them, before they enter the first layer */
    char gains[160]; /* of its weights, see load_tensors.h */
    /* Heads of the decoder's cross attention that follow speech, by which words get their times. */
    int aligned_layer[SAC_ALIGNED_HEADS], aligned_head[SAC_ALIGNED_HEADS], aligned;
    int median; /* times over which their weights are smoothed */
} sac_audio_encoder;

/* What a conformer has beside attention and the half of a feed-forward network behind it (audio/conformer.c). */
enum { SAC_HALVINGS = 5 };
typedef struct sac_conformer_layer {
    sac_layer_norm first_norm, norm,
        last_norm;                 /* of what stands before attention, between, and of all */
    sac_dense first_in, first_out; /* of the half before it */
    sac_dense value,
        gate; /* of the convolution: D → D each, of which the second opens the first; … */
    sac_dense
        near; /* … [taps,taps,D], of whose rows one is not 0, and [D]; with the norm behind it; … */
    sac_dense exit;               /* … and D → D */
    const sac_parameter *content; /* [H,d]: added to queries; … */
    const sac_parameter *apart;   /* … [D]: and once more where they meet distances */
} sac_conformer_layer;
typedef struct sac_conformer {
    sac_parameters folded; /* made of several tensors each */
    char prefix[16];       /* of its tensors */
    size_t bins, channels;
    int halvings;
    sac_dense halving[SAC_HALVINGS]; /* [channels,3,3,in], [channels], … */
    sac_dense join;                  /* … and what is left of bins → D, … */
    float scale;                     /* … times this */
    float emphasis; /* so much of each sample is taken off the next, before the spectrogram */
    size_t taps;
    const sac_parameter *half; /* [D] of ½ */
    sac_conformer_layer layer[SAC_ARCHITECTURE_LAYERS];
} sac_conformer;
typedef struct sac_conformer_tensors {
    sac_tensor x, normed, added, gate, hidden, query; /* [T,D], but for hidden [T,F] */
} sac_conformer_tensors;

/* Trained numbers that are added to scores, by the distance of query and key (position_ids.c). */
typedef struct sac_relative {
    const sac_parameter *table[SAC_ARCHITECTURE_LAYERS]; /* [buckets,H]; NULL: of the first layer */
    float *numbers[SAC_ARCHITECTURE_LAYERS];             /* the same on the host; owned */
    int buckets, max_distance;                           /* 0: there are none */
    bool looks_ahead; /* half of the buckets are of keys behind the query */
    /* By what each head has of a query they are multiplied, by gates of d → 8 with a number of each head [1,H,1,1]
     * (WavLM, Chen et al. 2022); no w: they are not. */
    sac_dense gate[SAC_ARCHITECTURE_LAYERS];
    const sac_parameter *gate_by[SAC_ARCHITECTURE_LAYERS];
    bool is_of_grid; /* rows are of distances in both axes of the trained grid */
} sac_relative;

/* Trained vectors of distances, for disentangled attention (position_ids.c). */
typedef struct sac_distance_table {
    const sac_parameter *vectors; /* [2·rows,D]; NULL: there are none */
    sac_layer_norm norm;          /* of each; no gain: none */
    int rows,
        max_distance; /* of each sign; where those are buckets, the distance of the last; 0: they
                                     are distances */
    float scale;
} sac_distance_table;

/* What a person can ask of a model that generates, and where that goes (captioning/question.c). */
typedef enum sac_question_place {
    SAC_ASKED_NOWHERE = 0,
    SAC_ASKED_BY_START,   /* its tokens are those with which the output begins (Donut) */
    SAC_ASKED_OF_ENCODER, /* an encoder of text reads it with what was seen (Florence-2) */
    SAC_ASKED_IN_PROMPT, /* the decoder reads it in one text with the picture, and answers (LLaVA) */
} sac_question_place;

/* A form of question that is made of tokens: those before and behind what is asked. */
enum { SAC_ASKED_FORMS = 4, SAC_ASKED_TOKENS = 16 };
typedef struct sac_asked_form {
    const char
        *name; /* by which a person asks, and nothing stands between them; NULL: of any other */
    int before[SAC_ASKED_TOKENS], before_count; /* of a name 0: there is no such form */
    int after[SAC_ASKED_TOKENS], after_count;
} sac_asked_form;

/* How a model whose text has pictures in it makes tokens of one (captioning/prompts/image_tokens.c). */
typedef struct sac_connector {
    int token;   /* the number of the token that takes the place of each in the prompt */
    int shuffle; /* s: s × s patches beside each other are one of them, s²·D wide … */
    bool pools;  /* … or D, their mean */
    bool
        by_number; /* … in which the first numbers of all of them stand first; else one patch after the other */
    /* Before all that it is (times · x − less) · gain; times 0: it is not; no less: it is times · x. */
    float times;
    const sac_parameter *less, *gain; /* [D] */
    sac_layer_norm entry;             /* of it, before `project`; no gain: none */
    sac_dense merge;                  /* from s²·D to D, between the two; no w: there is none */
    sac_dense
        project[2]; /* to the width of words, with `activation` between; no w: there is none */
    sac_activation activation;
    /* The same of what left each of the vision encoder's levels; that is added to the tokens where they leave the first
     * layers of what reads (DeepStack, Meng et al. 2024). */
    struct {
        sac_layer_norm entry;
        sac_dense project[2];
    } level[SAC_PICTURE_LEVELS];
    int levels;
    const char *mark; /* that a chat template has for a picture; NULL: the token's name */
    /* The text that stands for a picture of those tiles, of which each has so many tokens: free()
     * it. NULL: no memory. */
    char *(*write)(const sac_tokenizer *tokenizer, int token, const sac_picture_tiles *tiles,
                   size_t each);
    const char *neutral; /* a question about nothing in particular; NULL: about a picture */
    int begins, ends;    /* tokens around what that writes; 0: none */
    const char *
        chat; /* a prompt where the folder has no template that has a place for it (captioning/chat.c) … */
    /* Or of tokens: the one that begins a text, the picture, and the form of what is asked, behind `parted`. The picture's
     * token is then the first that is none of the vocabulary. */
    sac_asked_form form[SAC_ASKED_FORMS];
    int forms, start; /* forms 0: not so */
    const char *parted;
    const char *first;     /* asked where a person asks nothing; NULL: to describe the picture */
    bool is_bare;          /* … which nothing else has, and no tokens are put around it */
    bool is_spaced;        /* letters behind a picture are parted from it by a space */
    bool is_bidirectional; /* its tokens look at those behind them, too */
    bool sees_itself;      /* those of a picture alone do so, among themselves … */
    bool sees_start;       /* … and those before it with them */
    bool sees_near;        /* … in layers with a window */
    bool only_reads;       /* nothing is generated: what reads is the whole's reader */
    const sac_parameter *row_end; /* [D]: tiles are joined to one picture, and behind each row of it
                                     stands this; NULL: tiles follow one another */
    int most_tiles; /* that a joined picture is made smaller to, if it is larger; 0: any */
    /* Tiles have `margin` tokens on every side in common with those beside them, and what is seen in them is averaged where each
     * token of all of the picture lies, behind whose numbers it stands (captioning/prompts/overlapping_tiles.c). */
    bool overlaps;
    int margin;
    /* Of a question that is encoded: what is added to cells, and the norm behind `project`. */
    const sac_parameter *rows, *columns; /* [·,C/2], [·,C − C/2] */
    sac_layer_norm norm;
} sac_connector;

enum { SAC_AUDIO_LANGUAGES = 128 };
/* The tokens of the languages that a model of speech knows (Whisper). */
typedef struct sac_audio_languages {
    int token[SAC_AUDIO_LANGUAGES], count; /* 0: it has one, or the folder lists none */
    int configured; /* the one of its folder; −1: it is found in each sound */
    int task[2];    /* to transcribe speech, and to translate it; −1: there is none */
} sac_audio_languages;

/* The parts of a model that only a text decoder has, which describes what an encoder saw. */
typedef struct sac_text_decoder {
    sac_question_place question;
    size_t seen, memory;    /* widths of what was encoded, and of what layers attend to */
    sac_dense bridge;       /* from the one to the other; no w: they are the same … */
    sac_layer_norm bridged; /* … and a norm behind it; no gain: none */
    bool joins; /* what was seen stands before the words in one text, all of whose seen tokens see
                   each other: layers have no other attention to it */
    sac_dense change;            /* of the last state, activated, … */
    sac_layer_norm changed;      /* … and normed; no w: there is none of it */
    const sac_parameter *bias;   /* [V], of the logits; NULL: none */
    bool narrows;                /* the last state is multiplied by 1/√D before the logits */
    bool is_tied;                /* by the config of both */
    int prompt[4], prompt_count; /* tokens that stand before the start of each sentence */
    bool
        spells; /* it has no layers, but a head by which each cell has a letter or none (captioning/ctc.c) … */
    int nothing;                   /* … which is this token */
    sac_audio_languages languages; /* of that prompt */
    int times, latest_first;       /* sac_token_rules', where the last of that prompt is left out */
    int longest;                   /* tokens of a sentence that a caption has room for */
    int most_tokens;               /* of an answer and what is asked; 0: any */
    const char *limit;             /* what the length of a sentence follows from */
    sac_beam_options search;
    sac_token_rules rules;           /* of the search */
    int *lists;                      /* of the rules, owned */
    bool has_text;                   /* what was read has tokens */
    bool has_search_note;            /* of its folder's search, once */
    struct sac_recurrent *recurrent; /* an LSTM in place of layers; owned; NULL: layers */
    char wordmap[128];               /* the file of its words, where it has no tokenizer */
    sac_connector connector;         /* of a question in a text with the picture */
    char chat[4096];                 /* its prompt, by the folder's template (captioning/chat.c) */
    char query[1024]; /* of one that only reads: what a text stands in; empty: in nothing */
    struct sac_image_tokens *pictured; /* the picture that it read last; one user of it */
} sac_text_decoder;

/* The words that each layer has beside those that enter the first (Gemma 3n 2025), for its part behind the others:
 *
 *     words[i] = (norm(project[i] · x / √D) + √P · table[token][i]) / √2        x: what enters the first layer */
typedef struct sac_layer_words {
    size_t width;                 /* P; 0: there are none */
    const sac_array *table;       /* [V,L·P], of the file; lent */
    const sac_parameter *project; /* [L·P,D] */
    sac_layer_norm norm;          /* [P] */
} sac_layer_words;

/* Prompts by which all tokens of a page and of a query are read, to be compared (inference/late_interaction.c). */
typedef struct sac_late_prompts {
    const char *
        start; /* before a query, and between a picture's tokens and what is asked of a page; "": what is asked has
                          the picture's token in it */
    const char *query, *page; /* before what a person types, and asked of a page */
} sac_late_prompts;

/* What a picture and a text become, to be compared, in a model that sees and reads. */
typedef struct sac_shared_space {
    size_t width; /* P, of both; 0: the model does not compare them */
    sac_layer_norm
        norm;       /* of states of patches and of the class token, which is the whole picture; no
                            gain: they are normed already … */
    sac_dense seen; /* … and D → P (CLIP) … */
    /* … or the whole picture is what a trained query finds among its patches, and a patch what it
     * would find were that patch alone: x + down(activation(up(norm(x)))) of the attention's output
     * x, where P is D (SigLIP) */
    const sac_parameter *probe; /* [1,1,D]; NULL: CLIP's */
    sac_multihead pooling;
    sac_dense up, down;
    sac_dense read; /* a text's state → P: that of its last token, or … */
    int end; /* … of its first token of this number; −1: the last; where it is 2, as in files
                       of 2022, of the token with the largest number */
    const sac_late_prompts *late; /* each token with each, all by `read`; NULL: whole with whole */
    float scale, bias;            /* logit = cosine · e^scale + bias */
    bool each;                    /* the probability is its sigmoid; else a softmax over texts */
} sac_shared_space;

enum { SAC_CLASS_NAME = 64 };

/* Classifies by the first token's last state, or by the mean of all. */
typedef struct sac_classifier {
    bool is_of_mean;
    int first;                     /* the mean of so many first tokens; 0: of one */
    char (*names)[SAC_CLASS_NAME]; /* [classes], owned; NULL: they are not shown */
    sac_dense pool;                /* [D,D], with … */
    sac_activation activated;      /* … behind it; no w: neither is there, … */
    sac_layer_norm normed;         /* … nor is this; no gain: it is not */
    sac_dense logits;              /* [classes,D]; no w: the model is no classifier */
} sac_classifier;

enum { SAC_PERCEPTRON_LAYERS = 3 };

/* Linear layers one behind the other, with an activation between. */
typedef struct sac_perceptron {
    sac_dense layer[SAC_PERCEPTRON_LAYERS];
    int count;
    sac_activation between;
} sac_perceptron;

/* What a model has that detects objects in a picture: its layers attend to what another one sees,
 * from trained places that each look for one object; or it has tokens for that among its patches. */
typedef struct sac_detector {
    size_t queries, classes;     /* of classes one more stands for nothing */
    const sac_parameter *places; /* [queries,D]; NULL: the last tokens before patches are queries */
    sac_perceptron classify, box; /* D → classes + 1; D → 4 */
    /* Of a model whose patches are queries, and phrases classes (inference/phrase_boxes.c): the norm of a patch times the
     * class token; D → 1, D → 1, of its logits; no w: it is not one */
    sac_layer_norm merged;
    sac_dense shift, scale;
    sac_perceptron
        thing; /* D → 1, that a patch is of a thing, whichever (OWLv2); no layers: not known */
    bool norms_each; /* what leaves a layer goes through the last norm before it enters the next */
    sac_expert
        entry; /* of a resampler: what was seen → as wide as its queries; no w: it is so already */
    sac_activation entry_activation;
    char (*names)[SAC_CLASS_NAME]; /* [classes], owned */
} sac_detector;

/* ---- maps of several levels, the finest first, each with cells of twice the side of the one before (vision/pyramid.c) */

enum { SAC_PYRAMID_LEVELS = 3, SAC_DEFORMABLE_LAYERS = 12 };
typedef struct sac_pyramid sac_pyramid;
/* Of the last stages of the network, under RT-DETR's names. SAC_E_MEMORY, and as sac_filter_load. */
sac_status sac_pyramid_create(const sac_pretrained *files, const char *prefix,
                              const sac_resnet *net, size_t width, sac_activation activation,
                              sac_pass *pass, sac_pyramid **pyramid, sac_error *error);
void sac_pyramid_destroy(sac_pyramid *pyramid); /* takes NULL */
/* features [cells,D] of what a stage gave, [cells,channels]. */
void sac_pyramid_enter(const sac_pyramid *pyramid, sac_pass *pass, int level, const float *seen,
                       size_t height, size_t width, float *features);
/* memory [all cells,D] of the features of the finer levels and the coarsest, of height × width cells. */
void sac_pyramid_join(const sac_pyramid *pyramid, sac_pass *pass, const float *finer,
                      const float *coarsest, size_t height, size_t width, float *memory);

/* What queries have that look at points of such levels (inference/deformable.c), beside the layers of a finder, whose other
 * attention is to each other. */
typedef struct sac_deformable_layer {
    sac_dense offsets, shares, value,
        out; /* D → heads · levels · points · 2, and without 2; D → D */
    sac_layer_norm norm;
    sac_perceptron box;
    sac_dense classify; /* of the last */
} sac_deformable_layer;
typedef struct sac_deformable {
    size_t points;   /* of a head in a level, … */
    float reach;     /* … whose distances are in so many of the box's sides */
    sac_dense entry; /* of each cell, … */
    sac_layer_norm entry_norm;
    sac_dense score;           /* … D → classes: the highest become queries, … */
    sac_perceptron box, place; /* … with a box; and what is added to them for its place */
    sac_deformable_layer layer[SAC_DEFORMABLE_LAYERS];
} sac_deformable;
/* The logits and attentions of a result, and boxes [queries,4] (middle x, middle y, width, height). */
sac_status sac_deformable_find(const sac_inference *picture, sac_result *result, float *boxes,
                               sac_error *error);

enum { SAC_MODEL_PARTS = 5 + SAC_STAGES };

/* A model that reads text:
 *
 *     x = norm(scale · words[token] + places[t + first_place] + kinds[0]),  layers,  norm
 *     logits = x headᵀ, where it predicts the next token
 *
 * or sees a picture: x = tokens, patches · pixels + bias; with their positions. */
struct sac_pretrained_model {
    const sac_architecture *architecture;
    atomic_int users;
    char folder[1024], name[SAC_PLACE_NAME]; /* absolute; as places.h names it */
    sac_pretrained *files;
    sac_tokenizer *tokenizer;
    sac_device *device;
    sac_pass pass;
    sac_parameters parameters;
    sac_layer_words layer_words;
    int stand_in[SAC_STAND_INS],
        stood_for; /* these tokens, of pictures and sounds, have the words of that one; 0: none */
    sac_parameters made;       /* positions that are sinusoids: no file has them */
    sac_sinusoids sinusoids;   /* which they are */
    sac_tensor_places located; /* of parameters that are a part of a tensor */
    /* Filled by the architecture: */
    size_t width, hidden, vocabulary, max_positions; /* D, F, V, most tokens of a text */
    size_t first_place;                              /* of the first token */
    int padding; /* RoBERTa's: a token that has the place before the first, and none after it moves
                    on by it; −1: there is none */
    bool is_filled; /* a text is filled up with this token to as many as there are places: */
    int filler;
    float word_scale; /* of words before positions are added; 1 */
    int dropped_word; /* a token whose word is 0, and for each of which the others grow by their share of
                         the text; −1: there is none */
    int ends[SAC_ARCHITECTURE_ENDS], end_count; /* each of these tokens ends a text */
    int layers;
    const sac_parameter *tasks; /* [·,D], whose first row is of all tokens; NULL: none */
    const sac_parameter *words, *positions, *kinds; /* [V,D], [places + first_place,D], [·,D]; the
                                                       last two NULL: none; of a model that sees
                                                       positions [1,placed + trained,D] */
    const sac_parameter *head;                      /* [V,D], of the logits; NULL: words */
    sac_dense
        projection; /* [D,E], of words that are narrower, behind their norm; no w: they are not */
    bool projects_words; /* … but of words alone, before positions are added, … */
    sac_dense narrowing; /* … and [E,D], of states before the head; no w: they stay */
    sac_rope rope, local_rope;
    sac_rope_use turn[SAC_ARCHITECTURE_LAYERS]; /* by which of the two a layer is turned */
    bool places_by_number; /* … of their numbers, and not of their shares of the picture */
    bool places_cells; /* sines of both axes of a picture are added to what queries and keys of each
                          layer are made of, as in DETR */
    bool turns_patches; /* by rope.base, in the two axes of a picture, whose other tokens stay … */
    bool counts_patches, staggers_patches; /* … as the description has them */
    int square;                            /* patches of a side of the squares within which … */
    bool squared
        [SAC_ARCHITECTURE_LAYERS]; /* … these layers see; the others see all of the picture */
    bool has_biases;               /* of scores, by the distance of keys: ALiBi, or … */
    sac_relative relative;         /* … these, or … */
    sac_distance_table distances;  /* … by what queries and keys are, too */
    sac_sound_layer
        widened; /* of tokens as they enter the first layer: is added to what leaves it … */
    sac_layer_norm widen_norm;              /* … and then that is normed; no w: nothing is */
    float logit_scale;                      /* of logits; 1 */
    float logit_cap;                        /* c: then they become c · tanh(l/c); 0: they stay */
    float scale[SAC_ARCHITECTURE_LAYERS];   /* of a layer's scores; 0: 1/√d */
    size_t window[SAC_ARCHITECTURE_LAYERS]; /* of a layer: as of sac_attention_spec; 0: none */
    sac_layer_norm first_norm, last_norm;   /* no gain: none */
    bool last_state_unnormed;               /* the last of its states is that before last_norm */
    sac_transformer_layer layer[SAC_ARCHITECTURE_LAYERS];
    sac_delta_net *
        nets; /* [net_count] that stand between those layers, in their order; owned; NULL: there are none */
    int net_count;
    sac_vision_encoder vision_encoder;
    sac_stage stage; /* where it is a stage of a vision encoder */
    int stage_count;
    sac_audio_encoder audio;
    sac_conformer *conformer; /* of an audio encoder that is one; owned; NULL: it is not */
    sac_transformer_run run;
    sac_classifier classifier;
    sac_dense
        contacts; /* [1,layers·heads], of what two residues of a protein have in the heads; no w: it
                           predicts none */
    bool predicts_next; /* it has a head that predicts the next token */
    char note[640];     /* what is assumed, or left aside, of its folder; "": nothing */
    size_t kept;        /* bytes of layers that the source of an inference keeps on the device */
    /* Parts of the same folder, each with layers of its own: owned, with files and device of this one; NULL: it has
     * no such part. */
    union {
        struct {
            sac_pretrained_model *decoder; /* generates text of what this one encoded */
            sac_pretrained_model *
                text_encoder; /* reads what this one saw in one text with a task, for the decoder */
            sac_pretrained_model
                *stages[SAC_STAGES];      /* of a vision encoder, in place of own layers */
            sac_pretrained_model *reader; /* reads text, where this one sees */
            sac_pretrained_model
                *resampler; /* trained queries gather what this one saw, for the decoder */
            sac_pretrained_model *finder; /* finds things in what this one sees */
        };
        sac_pretrained_model *part[SAC_MODEL_PARTS];
    };
    sac_text_decoder text_decoder; /* of a decoder */
    sac_shared_space shared;       /* with a reader */
    sac_detector detector;         /* of a finder; of a resampler its queries */
    sac_deformable *deformable;    /* of a finder whose attention is that; owned; NULL: it is not */
    sac_pyramid *pyramid;          /* of what sees for such a one, activated by `joins`; owned */
    sac_activation joins;
    sac_pretrained_model *whole; /* that this one is a part of; NULL: of none */
};

/* Ends a pass under the lock of the device: releases the arena (NULL: none), and unlocks. */
sac_status sac_model_end_pass(sac_pretrained_model *model, sac_arena *arena, sac_error *error);
/* The numbers of a parameter on the host, under that lock: free() them. NULL: there is no parameter, or no memory, and the
 * pass has failed. */
float *sac_model_read_parameter(sac_pretrained_model *model, const sac_parameter *parameter);

/* Finds the architecture by its model_type, and declares the model of `config`; m->files are open. */
sac_status sac_architecture_declare(sac_pretrained_model *model, sac_config *config);

/* The architecture of that model_type; NULL: it is not known. */
const sac_architecture *sac_architecture_find(const char *type);
/* The part of it that reads texts, or itself. */
sac_pretrained_model *sac_architecture_reader(sac_pretrained_model *model);
/* Adds a line to m->note. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sac_pretrained_model_note(sac_pretrained_model *model, const char *format, ...);
/* The names of so many classes by config.json's id2label, or "class 3": free() them. NULL: no memory, and the config has
 * failed. */
char (*sac_architecture_read_class_names(sac_pretrained_model *model, sac_config *config,
                                         size_t classes))[SAC_CLASS_NAME];
/* The logits [classes] of what was read, seen or taken in. Nothing of a model without classes. */
sac_status sac_inference_classify(const sac_inference *inference, float *logits, sac_error *error);
/* True where config.json names an architecture with such a part: "ForCausalLM". */
bool sac_architecture_name_has(const sac_config *config, const char *part);

/* ---- models that encode and generate */

/* Gives the model a decoder of that architecture, which `config` is of; its text_decoder knows what
 * is encoded, and whether the config of both ties its head to its words. */
void sac_architecture_add_decoder(sac_pretrained_model *model, const sac_architecture *architecture,
                                  bool is_tied, sac_config *config);
/* The table of the architecture that a part of a whole is of, by its own model_type, or else `usual`;
 * names of tensors begin with one of `prefix`. False: it is none, and that is refused. */
bool sac_architecture_describe_part(sac_config *config, const char *usual,
                                    const char *const prefix[6], sac_description *description);
/* A connector's `write` of a picture in one piece: its token, again and again. */
char *sac_make_picture_tokens(const sac_tokenizer *tokenizer, int token,
                              const sac_picture_tiles *tiles, size_t each);
/* Gives it a decoder that reads pictures in its text: text_config, of the architecture `usual` where
 * it names none. The connector's layers are to be
 * declared among the decoder's parameters afterwards. */
void sac_architecture_add_prompted(sac_pretrained_model *model, sac_config *config,
                                   const char *usual, const sac_connector *connector);
/* LLaVA's, which others have, too (captioning/llava.c). The layers up to that of vision_feature_layer: −1 is the last. There is no
 * norm behind it. */
void sac_llava_keep_layers(sac_pretrained_model *model, sac_config *config, int usual);
/* Two linear layers, among the decoder's parameters; returns the name before theirs. */
const char *sac_llava_declare_projector(sac_pretrained_model *model, sac_config *config);
/* The prompt of a model that answers is what its folder's chat template makes of pictures and a question about them: a text
 * in which SAC_CHAT_PICTURE stands for a picture and SAC_CHAT_QUESTION for the question (captioning/chat.c). */
#define SAC_CHAT_PICTURE "\1"
#define SAC_CHAT_OF_MISTRAL "<s>[INST]" SAC_CHAT_PICTURE SAC_CHAT_QUESTION "[/INST]"
#define SAC_CHAT_QUESTION "\2"

/* Reads that of one picture, where the model's tokenizer is open; where the folder's template has no place for it, a note. */
sac_status sac_chat_read(sac_pretrained_model *model, sac_error *error);
/* That of several pictures: free() it. SAC_E_ARGUMENT where the folder's template has no place for them. */
sac_status sac_chat_form(const sac_pretrained_model *model, int pictures, char **form,
                         sac_error *error);
/* The prompt with all in their places: free() it. NULL: no memory. */
char *sac_chat_fill(const char *prompt, const char *const *pictures, const char *question);
/* Gives a model that sees another part, *part of it, of that architecture, which `config` is of; NULL: no memory, or
 * the config has failed. */
sac_pretrained_model *sac_architecture_add_part(sac_pretrained_model *model,
                                                sac_pretrained_model **part,
                                                const sac_architecture *architecture,
                                                sac_config *config);
/* The same of one more stage, whose table and tensors the caller declares. */
sac_pretrained_model *sac_architecture_add_stage(sac_pretrained_model *model, sac_config *config);
/* Tokens of a decoder, and how it searches: from generation_config.json, or where there is
 * none `config`. `start` and `end` are the names of those tokens. What would change the text
 * and is not known here is refused. */
void sac_architecture_read_search(sac_pretrained_model *decoder, sac_config *config,
                                  const char *start, const char *end);

/* The same of a decoder that answers behind a prompt: until one of the model's ends. */
void sac_architecture_read_answers(sac_pretrained_model *decoder, sac_config *config);

/* The same of a model that goes on with a text of so many tokens: m->text_decoder.search and its
 * rules. */
sac_status sac_architecture_read_continuation(sac_pretrained_model *model, size_t tokens,
                                              sac_error *error);

/* Positions that no file has: declares some of the model's places, and fills what is declared. A
 * config.json may have more places than are ever used. */
void sac_architecture_declare_sinusoids(sac_pretrained_model *model);
sac_status sac_architecture_make_sinusoids(sac_pretrained_model *model, sac_error *error);
/* Makes more of them, for a text of so many; the device is locked. */
sac_status sac_architecture_extend_positions(sac_pretrained_model *model, size_t places,
                                             sac_error *error);

/* ---- detectors */

/* Linear layers with ReLU between, "NAME.layers.0" …, the last with `out` numbers; or `count` 1: "NAME". */
sac_perceptron sac_detector_declare_head(sac_pretrained_model *model, const char *name, int count,
                                         size_t out);
/* Classes, of which head `name` has one more, and their names. */
void sac_detector_read_classes(sac_pretrained_model *model, sac_config *config, const char *name);

/* ---- encoders in stages */

/* Declares a Swin, which unlike "donut-swin" may end with a norm. */
void sac_swin_declare(sac_pretrained_model *model, sac_config *config);
/* Declares a DaViT. */
void sac_davit_declare(sac_pretrained_model *model, sac_config *config);

/* ---- inferences */

/* What a layer's heads look with and at. */
typedef struct sac_inference_layer {
    cl_mem part[3]; /* queries, keys, values of all heads: [count,D] each, or of fewer heads of keys
                       and values [count,Hk·d] */
    cl_mem cross[3]; /* the same of SAC_PART_CROSS; NULL: it does not look at the memory */
    float *channels; /* [C,C/groups]: a stage's channels look at those of their group; owned; NULL:
                        there are none, or they are not kept */
} sac_inference_layer;
/* One of them; lent. */
sac_tensor sac_inference_part(const sac_inference *inference, int layer, int part);
/* The attention of a layer's heads, SAC_PART_SELF or SAC_PART_CROSS, on these very numbers. Destroy it before the
 * inference. */
sac_status sac_inference_create_attention(const sac_inference *inference, int layer, int part,
                                          sac_attention **attention, sac_error *error);
/* Adds to rows [rows of the tile,stride] `share` of the weights of a tile of each of `heads` heads from the tile's on. */
sac_status sac_attention_add_heads(sac_attention *attention, const sac_tile *tile, size_t heads,
                                   float share, size_t stride, float *rows, sac_error *error);
/* The same of a head of a layer (0: of each, else counted from 1), of `count` queries from `first` on. */
sac_status sac_inference_add_heads(const sac_inference *inference, int layer, int head, int part,
                                   size_t first, size_t count, float share, size_t stride,
                                   float *rows, sac_error *error);
/* The weights of all heads of a layer, [H,count,keys]. */
sac_status sac_inference_read_heads(const sac_inference *inference, int layer, int part,
                                    float *weights, sac_error *error);
/* The attention with that run and on the queries, keys and values in `t`. `unseen` [count,count]: in place of the layer's biases; NULL: there is none. */
sac_status sac_inference_attention_from_tensors(const sac_inference *inference, int layer, int part,
                                                const sac_transformer_run *run,
                                                const sac_multihead_tensors *t,
                                                const uint8_t *unseen, sac_attention **attention,
                                                sac_error *error);
/* What the layers of an inference attend to beside its own tokens. All of it is lent. */
typedef struct sac_attended {
    sac_tensor states;     /* [S,·] */
    const uint8_t *hidden; /* [S], 1: no token looks at it; NULL: at all */
    const float *scale;    /* [L,H] by which what heads give of it is multiplied; NULL: by 1 */
    sac_tensor places;     /* [S,·]: added where keys are made of it; empty: nothing is */
} sac_attended;
/* An inference of the model's trained queries, which attend to `memory`: those of a resampler or a finder. */
sac_status sac_inference_run_queries(sac_pretrained_model *model, const sac_attended *memory,
                                     sac_inference **inference, sac_error *error);
/* The scale of a layer's scores to a memory at a temperature (0: 1); 0: 1/√d. */
float sac_architecture_cross_scale(const sac_pretrained_model *model, int layer, float temperature);

/* to [count,T] += share · rows · A, A the weights of a layer's head (0: the mean of all, else counted from 1). */
sac_status sac_inference_carry_rows(const sac_inference *inference, int layer, int head,
                                    size_t count, const float *rows, float share, float *to,
                                    sac_error *error);
/* rows [count,T] over what leaves the last layer become those over what entered the first, by attention
 * rollout: of each layer ½ (I + A), A the mean over its heads. A row's sum stays. */
sac_status sac_inference_rollout(const sac_inference *inference, size_t count, float *rows,
                                 sac_error *error);

/* contacts [L,T,T], between 0 and 1, of a model that predicts them; 0 of tokens that are no residues. */
sac_status sac_inference_contacts(const sac_inference *inference, float *contacts,
                                  sac_error *error);

/* What entered the first layer for pictures of one form, by which an inference can be had again
 * without them: it is small beside one. Zeroed: nothing is kept. */
typedef struct sac_embedded_input {
    float *states; /* [pictures,count,D]; owned */
    float *scale;  /* of the inference's heads; owned; NULL: they give all of it */
    size_t count;
    int grid_w, grid_h, prefix;
    bool is_bidirectional;
} sac_embedded_input;
/* Keeps that of picture `index` of `most`. */
sac_status sac_entered_keep(const sac_inference *inference, size_t most, size_t index,
                            sac_embedded_input *entered, sac_error *error);
void sac_entered_forget(sac_embedded_input *entered);
/* The inference of picture `index` once more. */
sac_status sac_inference_run_embedded(sac_pretrained_model *model,
                                      const sac_embedded_input *entered, size_t index,
                                      sac_inference **inference, sac_error *error);
/* Rows of a group of s × s cells: those of a sound stand in one. */
static inline int sac_group_rows(int grid_h, int s)
{
    return grid_h < s ? grid_h : s;
}
/* flow [n,n] of groups of s × s cells: row i is where that which leaves the layers as group i comes
 * from by rollout, of cells alone, its sum 1. */
sac_status sac_entered_flow(sac_pretrained_model *model, const sac_embedded_input *entered,
                            size_t index, int s, float *flow, sac_error *error);

/* Adds what the inference of a text has for its picture's tokens to what leaves a layer. */
void sac_inference_add_level(const sac_inference *inference, sac_arena *arena, int layer,
                             sac_tensor x);
/* The convolution [T,D] of what entered the first layer that is added to what leaves it. */
void sac_inference_convolve_input(const sac_inference *inference, sac_arena *arena, sac_tensor to);

/* What the resampler's queries gather of what was seen, [queries,D], and where each looked for it: the
 * mean over all layers and heads, [queries,cells], of which a part may lie on no cell (queries.c). */
sac_status sac_inference_resample(const sac_inference *seen, float *states, float *looks,
                                  sac_error *error);
/* Every head of them: own [layers,heads,queries,queries], and of the layers that look at what was seen, so many,
 * cross [looks,heads,queries,seen]. */
size_t sac_resampler_cross_layer_count(const sac_pretrained_model *resampler);
sac_status sac_inference_resample_heads(const sac_inference *seen, float *own, float *cross,
                                        sac_error *error);
/* A picture on the host, as the first layer reads it. */
typedef struct sac_patch_rows {
    size_t count;
    float *pixels; /* [count,3·patch²]; of a sound its times [count,bins], or its samples [count] */
    float *table; /* [T,D]: what there would be if every pixel were 0; of a sound NULL */
} sac_patch_rows;
/* How samples are scaled: preprocessor_config.json, or else `otherwise`. */
void sac_audio_read_processor(sac_pretrained_model *model, sac_config *config, bool otherwise);
/* The first frames of a sound go through a model of patches of its spectrogram (audio/ast.c). */
sac_status sac_audio_patches_see(sac_pretrained_model *model, const sac_sound *sound,
                                 sac_inference **inference, sac_error *error);
/* How many cells an encoder makes of so many samples, or times of a spectrogram; 0: they are too few. */
size_t sac_audio_cells(const sac_pretrained_model *model, size_t rows);
/* y = the layer of x [T,in]: as many rows as y has, of those that it makes. */
void sac_sound_layer_forward(sac_pretrained_model *model, sac_arena *arena,
                             const sac_sound_layer *layer, sac_tensor x, sac_tensor y);
/* A conformer's: states [cells,D] of the spectrogram [frames,bins]; what leaves a layer, lent by `tensors`, whose attention is
 * in `parts`; and its end; takes NULL. */
void sac_conformer_embed(sac_pretrained_model *model, const sac_patch_rows *sound,
                         sac_tensor states);
sac_tensor sac_conformer_run_layer(const sac_inference *inference, sac_arena *arena,
                                   sac_conformer_tensors *tensors, int layer,
                                   const sac_transformer_run *run, sac_tensor x,
                                   const sac_transformer_tensors *parts);
void sac_conformer_destroy(sac_conformer *conformer);
/* x [count,D]: what a sound, which is given to sac_inference_compute, is as it enters the first layer; and of states
 * without positions the same, those of hidden cells 0. */
void sac_sound_embed(const sac_inference *inference, const sac_patch_rows *sound, sac_arena *arena,
                     sac_tensor x);
void sac_sound_place(const sac_inference *inference, sac_arena *arena, sac_tensor x);
void sac_pictured_release(struct sac_image_tokens *pictured); /* takes NULL */
/* Adds to x [T,D], which leaves a layer of a picture, what `between` has for the next, if there is that; `spare` [T,D]. */
void sac_inference_add_positions_between(const sac_inference *picture, int layer, sac_tensor x,
                                         sac_tensor spare);
/* What a model sees in a picture that has gone through the rules. */
sac_status sac_inference_see_by_rules(sac_pretrained_model *model, const sac_picture_rules *rules,
                                      const sac_image *image, sac_inference **inference,
                                      sac_error *error);
/* One with memory for its results. Free it. */
sac_status sac_inference_create(sac_pretrained_model *model, size_t count,
                                sac_inference **inference, sac_error *error);
/* A text in which some tokens stand for a picture. */
typedef struct sac_prompt {
    const int *ids;
    size_t count;
    int picture;           /* the token that stands for a part of a picture; … */
    const float *pictured; /* … [n,D]: in place of its word, of each of them in turn, and … */
    const float *added;    /* … [levels,n,D]: what is added where they leave the first layers */
    int levels;
    const uint8_t *hidden; /* [count], 1: no token looks at it; NULL: at all */
    bool is_bidirectional; /* each of its tokens looks at all others, and not at those before it */
    bool sees_itself;      /* those of a picture look at all of it … */
    bool sees_start;       /* … and so do those before it, which they look at … */
    bool sees_near;        /* … in layers with a window alone */
    const sac_picture_part
        *grids;                 /* how the tokens of each picture lie, whose are parted by others */
    float temperature;          /* of all layers: see sac_inference */
    const float *scale;         /* [L,H] what each head gives is multiplied by; NULL: by nothing */
    const sac_attended *memory; /* that it attends to beside its own tokens; lent; NULL: nothing */
} sac_prompt;
/* Reads it; as sac_inference_read_tokens. SAC_E_ARGUMENT where it has more tokens than the model has
 * places. */
sac_status sac_inference_read_prompt(sac_pretrained_model *model, const sac_prompt *prompt,
                                     sac_inference **inference, sac_error *error);
/* Memory for a pyramid's levels below, and what is in it, NULL: nothing yet. */
sac_status sac_inference_take_finer(sac_inference *inference, const float *finer, size_t count,
                                    sac_error *error);
/* Goes through all layers: with what has entered `whole` (which may be the inference), or where that is NULL with the
 * patches, or without such with the inference's ids, and what `prompt` (may be NULL) has in place of some. */
sac_status sac_inference_compute(sac_inference *inference, const sac_patch_rows *patches,
                                 const sac_prompt *prompt, const sac_inference *whole,
                                 sac_error *error);
/* *inference = p, or after a failure NULL, and p is freed; returns the status. */
sac_status sac_inference_return_or_free(sac_inference *p, sac_status status,
                                        sac_inference **inference);

/* What a phrase of the request becomes, rows [count,P] of length 1, kept with the inference and lent, with the
 * phrases. */
sac_status sac_inference_embed_phrases(sac_inference *inference, const char *phrases,
                                       const float **rows, char (**phrase)[SAC_PHRASE_SIZE],
                                       int *count, sac_error *error);
/* What the layers of the head make of x [Q,D], behind the last of them. */
sac_tensor sac_perceptron_forward(sac_pass *pass, sac_arena *arena, sac_tensor x,
                                  const sac_perceptron *head);
/* What is kept of a comparison, each row of length 1. */
struct sac_compared {
    float
        *seen[SAC_LIKENESS_WAYS]; /* [1 + patches,P] the whole picture, then its patches; NULL: not
                                       yet; or of late interaction the first [page,P], … */
    size_t page, first; /* … of all tokens of the page, those of its picture from `first` on */
    float *read;        /* [count,P] of these phrases: */
    char phrase[SAC_PHRASES][SAC_PHRASE_SIZE];
    int count;
};
void sac_compared_free(sac_inference *inference);
/* Brings each row to a length of 1. */
void sac_normalise_rows(float *rows, size_t count, size_t width);

/* Makes a model of one that sees and reads, whose connector only_reads, by config.json's embedding_dim. */
void sac_late_declare(sac_pretrained_model *model, sac_config *config,
                      const sac_late_prompts *prompts);
/* config.json's vlm_config, the model that it is made of, which is to be of that type. */
sac_config sac_late_config(sac_config *config, const char *type, const sac_config_key *keys);
/* Its prompts, those of processor_config.json where it has them, with its tokenizer's tokens. */
sac_status sac_late_read_prompts(sac_pretrained_model *model, sac_error *error);
/* The text in its prompt, as a conversation of one turn; free it. */
struct sac_conversation;
sac_status sac_late_frame_query(const sac_pretrained_model *model, const char *text,
                                struct sac_conversation *query, sac_error *error);
/* As sac_inference_compare, of the request's phrases as one query. */
sac_status sac_late_compare(sac_inference *inference, const sac_result_request *request,
                            sac_result *result, sac_error *error);
/* The tokens [*count,D] of a picture in one piece, or of a sound, for what reads: free() them (captioning/prompts/image_tokens.c). */
sac_status sac_picture_tokens_of(const sac_inference *seen, sac_pretrained_model *reader,
                                 float **tokens, size_t *count, sac_error *error);

/* Tokens as people read them. Free the labels. */
sac_status sac_architecture_label_tokens(const sac_pretrained_model *model, const int *ids,
                                         size_t count, sac_labels *labels, sac_error *error);

/* ---- what architectures' configs have in common */

/* Declares the model by its architecture. */
void sac_architecture_declare_own(sac_pretrained_model *model, sac_config *config);
/* Declares what the table describes, with the values of config.json. */
void sac_describe(sac_pretrained_model *model, sac_config *config,
                  const sac_description *description);
/* SAC_GELU and the others by their names in config.json. */
sac_activation sac_architecture_activation(sac_config *config, const char *name);
/* Numbers of a token in the queries (0), the keys (1) or the values (2) of a layer. */
size_t sac_architecture_part_width(const sac_pretrained_model *model, int layer, int part);
/* The heads of its keys and values. */
int sac_architecture_key_heads(const sac_pretrained_model *model, int layer);
/* Reads `rope_parameters`, or what files had before them, for heads of `depth` numbers; and how
 * many places there are with them, where that is more than m->places. `layers`: the kind of layers,
 * where the file distinguishes them: "full_attention". */
void sac_architecture_read_rope(sac_pretrained_model *model, sac_config *config,
                                const sac_description *description, size_t depth,
                                const char *layers, sac_rope *rope);
/* The nets of a model that stand before a layer (m->layers: behind all of them), from *first on; before *end. */
void sac_architecture_nets_before(const sac_pretrained_model *model, int layer, int *first,
                                  int *end);
/* How many memories a model has of sentences: of nets, and behind these of each layer with a state space. And rows and width of tensor
 * i of number `which`, for so many sentences. */
int sac_architecture_memories(const sac_pretrained_model *model);
void sac_architecture_memory_size(const sac_pretrained_model *model, int which, int i,
                                  size_t sentences, size_t *rows, size_t *width);
/* The positions of a text of so many tokens. */
sac_rotary sac_architecture_rotary(const sac_rope *rope, size_t tokens);
/* The positions that layers use; each empty where the model has none. */
typedef struct sac_position_ids {
    sac_tensor turns, local; /* tables of m->rope and m->local_rope */
    sac_tensor places;       /* [T,D] of a model that places_cells */
    /* [H·Q,T] of the scores of all keys, for each query or (Q = 1) for all of them; of a layer that
     * has none of its own those of the first. */
    sac_tensor biases[SAC_ARCHITECTURE_LAYERS];
    sac_tensor ungated; /* where they are gated in each layer: those before, and … */
    sac_tensor normed, opened,
        factors; /* … what the gates are made of: [T,D], [T·H,8] and [H·T,1] */
    sac_distances
        distances; /* by which the biases of each layer are computed in those of the first */
    sac_tensor
        scales[2]; /* [L,D] of SAC_PART_SELF and SAC_PART_CROSS: by which what the heads of each
                             layer give is multiplied; of narrower ones the front of a row */
    sac_tensor words, projected; /* [L·T,P] of m->layer_words, and what it is made in */
    float temperature;           /* that all scores are divided by; 0: 1 */
    sac_byte_tensor beyond;      /* [T,T], 1: a key that is beyond the query's square */
    /* [T,T] of a text with blocks: what is unseen in layers that see all, and in those with a window */
    sac_byte_tensor unseen[2];
} sac_position_ids;
/* For `count` tokens from place `first` on, or where those of an inference stand (NULL: of a text),
 * in memory of the arena, which has room for `most` keys. */
void sac_architecture_build_positions(sac_pretrained_model *model, sac_arena *arena,
                                      sac_position_ids *placing, size_t first, size_t count,
                                      size_t most, const sac_inference *of);
/* The words of each layer, for tokens `ids` [T], which enter the first as x [T,D]. */
void sac_architecture_build_layer_words(sac_pretrained_model *model, sac_arena *arena,
                                        sac_position_ids *placing, const int *ids, sac_tensor x);
/* Which patches of a picture [T,T] a layer's `square` leaves unseen: free() it. NULL: no memory. */
uint8_t *sac_architecture_make_window_mask(const sac_inference *picture);
/* What is unseen [count,count] in a text whose tokens of a block see all of those beside each other, and else those before
 * them, of which a window (0: none) leaves so many: free() it. NULL: no memory. */
uint8_t *sac_architecture_make_block_mask(const int *ids, size_t count, sac_block block,
                                          size_t window);
/* Where the tokens of a prompt stand, [count,3] by time, row and column, and what place comes next:
 * those of a picture at one time, in their rows and columns; behind it goes on from the max_distance. */
size_t sac_architecture_place_prompt(const sac_prompt *prompt, int *places);
/* The place of what comes behind the tokens of a text. */
size_t sac_architecture_next_place(const sac_inference *text);
/* Sets the scales of what the heads of a part give, `scale` [L,H]; NULL: they give all of it. */
void sac_architecture_scale_heads(sac_pretrained_model *model, sac_arena *arena,
                                  sac_position_ids *placing, int part, const float *scale);
/* The run of a layer: m->run with what is the layer's own. `placing` NULL: without. */
sac_transformer_run sac_pretrained_model_run_settings(const sac_pretrained_model *model, int layer,
                                                      const sac_position_ids *placing);
/* The token whose words a token has: another one's where it stands for a picture, also one that is none of the vocabulary. */
int sac_architecture_word_of(const sac_pretrained_model *model, int token);
/* Writes them. */
void sac_architecture_write_words(sac_pretrained_model *model, sac_ints words, const int *ids);
/* x [T,D]: tokens as they enter the first layer. Of `narrow` memory is taken where words are
 * projected. From row `second` on they are of a second text. */
void sac_architecture_embed(sac_pretrained_model *model, sac_arena *arena, sac_tensor *narrow,
                            sac_tensor x, sac_ints ids, sac_ints places, size_t second);
/* What is added to the scores of a layer, for `count` queries from `first` on and all keys up to the
 * last of them: [1,H,Q,T], which goes into `shape`; free() it. NULL: out of memory. */
float *sac_architecture_make_biases(const sac_pretrained_model *model, int layer, size_t first,
                                    size_t count, size_t shape[4]);
/* What is added to the scores of a layer by the places of patches, into placing->biases; all layers share
 * its memory. Nothing where there is none, or the layer before has the same. */
void sac_architecture_build_layer_biases(sac_pretrained_model *model, sac_arena *arena,
                                         sac_position_ids *placing, int layer,
                                         const sac_inference *picture);
/* Multiplies them by the gates that a layer's input x has, which are kept in gates [H,T]. Nothing where there are none. */
void sac_architecture_gate_biases(sac_pretrained_model *model, sac_arena *arena,
                                  sac_position_ids *placing, int layer, sac_tensor x, float *gates);
/* The same as sac_architecture_make_biases, for the patches of a picture. */
float *sac_architecture_make_grid_biases(const sac_pretrained_model *model, int layer,
                                         const sac_inference *picture, size_t shape[4]);
/* Whether scores have terms of vectors of the distance. */
bool sac_architecture_has_distances(const sac_pretrained_model *model);
/* b [H·T,T], these terms of a layer's queries and keys; `spare` is as large as the queries. */
void sac_architecture_disentangle(sac_pretrained_model *model, int layer,
                                  const sac_distances *distances, float temperature,
                                  sac_tensor spare, sac_tensor query, sac_tensor key, sac_tensor b);
/* The same on the host, [1,H,T,T]. */
sac_status sac_architecture_distance_biases(sac_pretrained_model *model, int layer,
                                            float temperature, sac_tensor query, sac_tensor key,
                                            float *biases, sac_error *error);
/* Reads the tables of m->relative, once parameters are there. */
sac_status sac_architecture_read_bias_tables(sac_pretrained_model *model, sac_error *error);
/* The first of these tensors that the files have; of none the first name. */
const char *sac_architecture_find_name(const sac_pretrained_model *model, const char *const *names);
/* The logits [1,V] of what comes after a state [1,D] of the last layer. */
void sac_architecture_logits(sac_pretrained_model *model, sac_tensor logits, sac_tensor x);

/* True where the head `head` is to be read beside the tensor `words`: where it is not `tied`, or is
 * all the same another one in the file, which is reported. */
bool sac_architecture_owns_head(sac_pretrained_model *model, const char *head, const char *words,
                                bool tied);
/* The head of a model that may predict the next token, beside m->words; it is left out where there is
 * none, or where another head was trained in its place. `words`: the tensor of m->words. */
void sac_architecture_declare_head(sac_pretrained_model *model, sac_config *config,
                                   const char *head, const char *words);

/* ---- what architectures of text share */

/* The tokens that end a text, `eos_token_id` of generation_config.json or else of config.json. */
void sac_architecture_read_ends(sac_pretrained_model *model, sac_config *config);

#endif
