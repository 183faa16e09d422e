/* The settings beside a tokenizer: tokenizer_config.json, special_tokens_map.json,
 * added_tokens.json, and the model_type of config.json. */
#ifndef SAC_TOKENIZERS_FILES_TOKENIZER_CONFIG_H
#define SAC_TOKENIZERS_FILES_TOKENIZER_CONFIG_H

#include "tokenizers/inside.h"

struct cJSON;

/* Classes of tokenizers, with what each does beyond its files. */
typedef enum sac_tokenizer_class {
    SAC_CLASS_OTHER,   /* by its files */
    SAC_CLASS_UNKNOWN, /* a class that is not known here is named */
    SAC_CLASS_BERT,
    SAC_CLASS_ROBERTA,
    SAC_CLASS_GPT2,
    SAC_CLASS_QWEN2,
    SAC_CLASS_CLIP,
    SAC_CLASS_XLM_ROBERTA,
    SAC_CLASS_CAMEMBERT,
    SAC_CLASS_T5,
    SAC_CLASS_ESM,
    SAC_CLASS_PEGASUS,
    SAC_CLASS_LLAMA,
    SAC_CLASS_MBART,
    SAC_CLASS_MBART50,
    SAC_CLASS_NLLB,
    SAC_CLASS_M2M_100,
    SAC_CLASS_ALBERT,
    SAC_CLASS_DEBERTA,
    SAC_CLASS_DEBERTA_V2,
    SAC_CLASS_MPNET,
    SAC_CLASS_NEOX,
    SAC_CLASS_GEMMA,
    SAC_CLASS_SIGLIP,
    SAC_CLASS_SIGLIP2,
} sac_tokenizer_class;

/* <extra_id_0> and so on: T5's sentinel tokens. */
enum { SAC_EXTRA_IDS = 100, SAC_EXTRA_IDS_MOST = 4096 };

typedef struct sac_settings {
    struct cJSON *config, *map, *added, *model; /* NULL: the file is not there; owned */
    const char *name;         /* of the class, as given; "": it is not. Lent from those */
    sac_tokenizer_class kind; /* as named, or of the model's type; else other */
    bool file_decides;        /* tokenizer.json has all, whatever the class */
    bool cuts_only;           /* a model of SentencePiece without special tokens */
} sac_settings;

/* Of a folder, or where that is NULL of `files`, an object of such files by their names. Fails as
 * sac_json_load_config does for a file that is there. Close it in any case. */
sac_status sac_settings_open(const char *folder, const struct cJSON *files, sac_settings *settings,
                             sac_error *error);
void sac_settings_close(sac_settings *settings);
/* Where there is no tokenizer.json: a class that is not given is that of the model, or of its part
 * that reads or generates texts. */
void sac_settings_infer_class(sac_settings *settings);

bool sac_settings_flag(const sac_settings *settings, const char *name, bool otherwise);
/* "": it is not given. */
const char *sac_settings_text(const sac_settings *settings, const char *name);
/* A whole number from 0 to `most`. */
double sac_settings_number(const sac_settings *settings, const char *name, double otherwise,
                           double most);
/* The text of a special token, such as "bos_token": as given, or that of the class; NULL: none. */
const char *sac_settings_special(const sac_settings *settings, const char *name);

/* The added and special tokens that are given, each in the vocabulary behind it where it is not
 * there. */
void sac_settings_add_tokens(const sac_settings *settings, sac_tokenizer *tokenizer);
/* bos_token and eos_token around a text, where add_bos_token and add_eos_token ask for them. */
void sac_settings_add_frame_tokens(const sac_settings *settings, sac_tokenizer *tokenizer);
/* The tokens of the languages that its class has, each in the vocabulary behind it where it is not
 * there (language_codes.c); and once all tokens are there, which of them are languages. */
void sac_settings_add_languages(const sac_settings *settings, sac_tokenizer *tokenizer);
void sac_settings_apply_languages(const sac_settings *settings, sac_tokenizer *tokenizer);
/* The normalizer of a BERT, in place of what is there; and all that is done to a text before
 * unigrams. */
void sac_settings_apply_bert(const sac_settings *settings, sac_tokenizer *tokenizer);
void sac_settings_apply_unigrams(const sac_settings *settings, sac_tokenizer *tokenizer);
/* What is done to a decoded text beyond the decoder. */
void sac_settings_apply_decoding(const sac_settings *settings, sac_tokenizer *tokenizer);
/* A tokenizer of tokenizer.json as its class makes it of the settings, which win over the file
 * where there are any. */
void sac_settings_apply(sac_settings *settings, sac_tokenizer *tokenizer);

#endif
