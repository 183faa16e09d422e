/* Settings by their names. What a class does follows `transformers` 5. */
#include "tokenizers/files/tokenizer_config.h"

#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"

/* ---------------------------------------------------------------- the files */

/* Out of the folder, or where that is NULL out of `files`. */
static sac_status load(const char *folder, const cJSON *files, const char *name, bool large,
                       cJSON **json, sac_error *error)
{
    char path[4096];
    const cJSON *file = cJSON_GetObjectItemCaseSensitive(files, name);
    *json = cJSON_IsObject(file) ? cJSON_Duplicate(file, true) : NULL;
    if (!folder)
        return *json || !cJSON_IsObject(file) ? SAC_OK : sac_no_memory(error, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!sac_is_regular(path))
        return SAC_OK;
    return (large ? sac_json_load : sac_json_load_config)(path, json, error);
}

static const cJSON *item(const cJSON *json, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(json, name);
}

static const char *text_of(const cJSON *json, const char *name)
{
    const cJSON *text = item(json, name);
    return cJSON_IsString(text) ? text->valuestring : "";
}

/* "Fast", which older names of classes end with, has no meaning. Those that only mean that it is a
 * tokenizer, or just follow the files, are other classes. */
static sac_tokenizer_class class_named(const char *name)
{
    static const struct {
        const char *name;
        sac_tokenizer_class kind;
    } names[] = {
        {"BertTokenizer", SAC_CLASS_BERT},           {"DistilBertTokenizer", SAC_CLASS_BERT},
        {"ElectraTokenizer", SAC_CLASS_BERT},        {"MobileBertTokenizer", SAC_CLASS_BERT},
        {"ConvBertTokenizer", SAC_CLASS_BERT},       {"LayoutLMTokenizer", SAC_CLASS_BERT},
        {"RobertaTokenizer", SAC_CLASS_ROBERTA},     {"BartTokenizer", SAC_CLASS_ROBERTA},
        {"LongformerTokenizer", SAC_CLASS_ROBERTA},  {"LEDTokenizer", SAC_CLASS_ROBERTA},
        {"GPT2Tokenizer", SAC_CLASS_GPT2},           {"Qwen2Tokenizer", SAC_CLASS_QWEN2},
        {"CLIPTokenizer", SAC_CLASS_CLIP},           {"XLMRobertaTokenizer", SAC_CLASS_XLM_ROBERTA},
        {"CamembertTokenizer", SAC_CLASS_CAMEMBERT}, {"T5Tokenizer", SAC_CLASS_T5},
        {"PegasusTokenizer", SAC_CLASS_PEGASUS},     {"EsmTokenizer", SAC_CLASS_ESM},
        {"LlamaTokenizer", SAC_CLASS_LLAMA},         {"CodeLlamaTokenizer", SAC_CLASS_LLAMA},
        {"MBartTokenizer", SAC_CLASS_MBART},         {"MBart50Tokenizer", SAC_CLASS_MBART50},
        {"NllbTokenizer", SAC_CLASS_NLLB},           {"M2M100Tokenizer", SAC_CLASS_M2M_100},
        {"AlbertTokenizer", SAC_CLASS_ALBERT},       {"DebertaV2Tokenizer", SAC_CLASS_DEBERTA_V2},
        {"DebertaTokenizer", SAC_CLASS_DEBERTA},     {"MPNetTokenizer", SAC_CLASS_MPNET},
        {"GPTNeoXTokenizer", SAC_CLASS_NEOX},        {"SiglipTokenizer", SAC_CLASS_SIGLIP},
        {"CodeGenTokenizer", SAC_CLASS_GPT2},        {"Siglip2Tokenizer", SAC_CLASS_SIGLIP2},
        {"PreTrainedTokenizer", SAC_CLASS_OTHER},    {"TokenizersBackend", SAC_CLASS_OTHER},
        {"PythonBackend", SAC_CLASS_OTHER},          {"SentencePieceBackend", SAC_CLASS_OTHER},
        {"GemmaTokenizer", SAC_CLASS_GEMMA},         {"WhisperTokenizer", SAC_CLASS_OTHER},
        {"BloomTokenizer", SAC_CLASS_OTHER},         {"MarianTokenizer", SAC_CLASS_OTHER},
    };
    size_t size = strlen(name);
    size -= size > 4 && strcmp(name + size - 4, "Fast") == 0 ? 4 : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == size && memcmp(names[i].name, name, size) == 0)
            return names[i].kind;
    return SAC_CLASS_UNKNOWN;
}

static sac_tokenizer_class class_of_model(const char *type)
{
    static const struct {
        const char *type;
        sac_tokenizer_class kind;
    } types[] = {
        {"bert", SAC_CLASS_BERT},
        {"distilbert", SAC_CLASS_BERT},
        {"electra", SAC_CLASS_BERT},
        {"blip", SAC_CLASS_BERT},
        {"git", SAC_CLASS_BERT},
        {"mpnet", SAC_CLASS_MPNET},
        {"convbert", SAC_CLASS_BERT},
        {"mobilebert", SAC_CLASS_BERT},
        {"layoutlm", SAC_CLASS_BERT},
        {"roberta", SAC_CLASS_ROBERTA},
        {"bart", SAC_CLASS_ROBERTA},
        {"longformer", SAC_CLASS_ROBERTA},
        {"led", SAC_CLASS_ROBERTA},
        {"florence2", SAC_CLASS_ROBERTA},
        {"gpt2", SAC_CLASS_GPT2},
        {"gpt_neo", SAC_CLASS_GPT2},
        {"gptj", SAC_CLASS_GPT2},
        {"opt", SAC_CLASS_GPT2},
        {"blip-2", SAC_CLASS_GPT2},
        {"gpt_neox", SAC_CLASS_NEOX},
        {"olmoe", SAC_CLASS_NEOX},
        {"qwen2", SAC_CLASS_QWEN2},
        {"qwen2_vl", SAC_CLASS_QWEN2},
        {"qwen2_5_vl", SAC_CLASS_QWEN2},
        {"qwen3", SAC_CLASS_QWEN2},
        {"qwen3_moe", SAC_CLASS_QWEN2},
        {"qwen2_moe", SAC_CLASS_QWEN2},
        {"clip", SAC_CLASS_CLIP},
        {"gemma", SAC_CLASS_GEMMA},
        {"gemma2", SAC_CLASS_GEMMA},
        {"gemma3", SAC_CLASS_GEMMA},
        {"gemma3_text", SAC_CLASS_GEMMA},
        {"siglip", SAC_CLASS_SIGLIP},
        {"siglip2", SAC_CLASS_SIGLIP2},
        {"xlm-roberta", SAC_CLASS_XLM_ROBERTA},
        {"trocr", SAC_CLASS_XLM_ROBERTA},
        {"camembert", SAC_CLASS_CAMEMBERT},
        {"t5", SAC_CLASS_T5},
        {"mt5", SAC_CLASS_T5},
        {"umt5", SAC_CLASS_T5},
        {"esm", SAC_CLASS_ESM},
        {"pegasus", SAC_CLASS_PEGASUS},
        {"ernie", SAC_CLASS_BERT},
        {"nomic_bert", SAC_CLASS_BERT},
        {"mbart", SAC_CLASS_MBART},
        {"m2m_100", SAC_CLASS_M2M_100},
        {"albert", SAC_CLASS_ALBERT},
        {"deberta", SAC_CLASS_DEBERTA},
        {"deberta-v2", SAC_CLASS_DEBERTA_V2},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].type) == 0)
            return types[i].kind;
    return SAC_CLASS_OTHER;
}

/* Models that have no class of their own, or whose folders are known to name another one. */
static bool follows_json_over_class(const char *type)
{
    static const char *const types[] = {"qwen2",      "phi3",    "modernbert", "llava",
                                        "llava_next", "smolvlm", "nemotron",   "umt5",
                                        "olmo2",      "mistral", "mixtral"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* Of the model's type, or of the type of its part that reads or generates texts. */
static sac_tokenizer_class class_of_parts(const cJSON *model)
{
    const char *const types[] = {text_of(model, "model_type"),
                                 text_of(item(model, "text_config"), "model_type"),
                                 text_of(item(model, "decoder"), "model_type")};
    sac_tokenizer_class kind = SAC_CLASS_OTHER;
    for (size_t i = 0; i < sizeof types / sizeof *types && kind == SAC_CLASS_OTHER; i++)
        kind = class_of_model(types[i]);
    return kind;
}

sac_status sac_settings_open(const char *folder, const cJSON *files, sac_settings *s,
                             sac_error *error)
{
    *s = (sac_settings){0};
    sac_status status = load(folder, files, "tokenizer_config.json", true, &s->config, error);
    if (status == SAC_OK)
        status = load(folder, files, "special_tokens_map.json", false, &s->map, error);
    if (status == SAC_OK)
        status = load(folder, files, "added_tokens.json", true, &s->added, error);
    if (status == SAC_OK)
        status = load(folder, files, "config.json", false, &s->model, error);
    const char *type = text_of(s->model, "model_type");
    s->name = text_of(s->config, "tokenizer_class");
    s->name = s->name[0] ? s->name : text_of(s->model, "tokenizer_class");
    s->kind = s->name[0] ? class_named(s->name) : class_of_model(type);
    if (strcmp(type, "siglip2") == 0) /* whatever its folder names */
        s->kind = SAC_CLASS_SIGLIP2;
    s->file_decides = follows_json_over_class(type);
    return status;
}

void sac_settings_infer_class(sac_settings *s)
{
    if (s->kind == SAC_CLASS_OTHER)
        s->kind = class_of_parts(s->model);
}

void sac_settings_close(sac_settings *s)
{
    cJSON_Delete(s->config);
    cJSON_Delete(s->map);
    cJSON_Delete(s->added);
    cJSON_Delete(s->model);
    *s = (sac_settings){0};
}

/* ---------------------------------------------------------------- one setting */

bool sac_settings_flag(const sac_settings *s, const char *name, bool otherwise)
{
    const cJSON *flag = item(s->config, name);
    return cJSON_IsBool(flag) ? cJSON_IsTrue(flag) : otherwise;
}

const char *sac_settings_text(const sac_settings *s, const char *name)
{
    return text_of(s->config, name);
}

double sac_settings_number(const sac_settings *s, const char *name, double otherwise, double most)
{
    const cJSON *number = item(s->config, name);
    bool fits = cJSON_IsNumber(number) && number->valuedouble >= 0 && number->valuedouble <= most;
    return fits ? number->valuedouble : otherwise;
}

/* "<s>", or {"content": "<s>", …}; NULL where it is neither. */
static const char *content_of(const cJSON *token)
{
    const cJSON *content = cJSON_IsObject(token) ? item(token, "content") : token;
    return cJSON_IsString(content) && content->valuestring[0] ? content->valuestring : NULL;
}

/* special_tokens_map.json goes before tokenizer_config.json, but where that lists all tokens. */
static const cJSON *special_of(const sac_settings *s, const char *name)
{
    const cJSON *own = item(s->config, name);
    const cJSON *mapped = item(s->config, "added_tokens_decoder") ? NULL : item(s->map, name);
    return mapped ? mapped : own;
}

/* ---------------------------------------------------------------- added tokens */

static void add_token(sac_tokenizer *t, const char *text, int id, sac_added_token added)
{
    int known = sac_tokenizer_find(t, text);
    if (known < 0 && id >= 0 && sac_tokenizer_token(t, id))
        id = -1; /* it is another token's */
    added.id = known >= 0 ? known : id >= 0 ? id : (int)t->vocabulary.size;
    if (known < 0)
        SAC_TRY(t, sac_vocabulary_add(&t->vocabulary, text, added.id, t->error));
    if (t->status == SAC_OK && !sac_tokenizer_add(t, added))
        t->status = sac_no_memory(t->error, "tokens");
}

/* The flags of {"content": …, "lstrip": true, …}; of a text alone those of a special token. */
static sac_added_token flags_of(const cJSON *token, bool special)
{
    sac_added_token added = {.special = special};
    const cJSON *flag = item(token, "special"), *normalized = item(token, "normalized");
    if (!cJSON_IsObject(token))
        return added;
    added.special = special || cJSON_IsTrue(flag);
    added.normalized = cJSON_IsBool(normalized) ? cJSON_IsTrue(normalized) : !added.special;
    added.strips_left = cJSON_IsTrue(item(token, "lstrip"));
    added.strips_right = cJSON_IsTrue(item(token, "rstrip"));
    added.is_word = cJSON_IsTrue(item(token, "single_word"));
    return added;
}

/* {"32000": {"content": …}, …} */
static void add_decoder_tokens(const cJSON *decoder, sac_tokenizer *t)
{
    const cJSON *token;
    cJSON_ArrayForEach(token, decoder)
    {
        char *end;
        long id = strtol(token->string, &end, 10);
        bool is_id = !*end && id >= 0 && id < SAC_VOCABULARY_MOST;
        const char *text = content_of(token);
        if (t->status == SAC_OK && text)
            add_token(t, text, is_id ? (int)id : -1, flags_of(token, false));
    }
}

/* Of two entries for one token the last wins; listed added tokens come first. */
static void add_special(sac_tokenizer *t, size_t listed, const char *text, sac_added_token flags)
{
    int id = text ? sac_tokenizer_find(t, text) : -1;
    bool is_listed = id >= 0 && (size_t)id < t->added_at_count && t->added_at[id] >= 0 &&
                     (size_t)t->added_at[id] < listed;
    if (is_listed)
        t->added[t->added_at[id]].special = true;
    else if (text)
        add_token(t, text, -1, flags);
}

static const char *const special_names[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                            "pad_token", "cls_token", "mask_token"};
enum { SPECIALS = sizeof special_names / sizeof *special_names };

/* "additional_special_tokens" of older files: a list, or names with texts. */
static const cJSON *more_specials(const sac_settings *s)
{
    const cJSON *more = special_of(s, "extra_special_tokens");
    return more && more->child ? more : special_of(s, "additional_special_tokens");
}

static void note_special(sac_tokenizer *t, sac_vocabulary *specials, const char *text)
{
    if (text && t->status == SAC_OK && sac_vocabulary_find(specials, text, strlen(text)) < 0)
        t->status = sac_vocabulary_add(specials, text, (double)specials->size, t->error);
}

/* {"[E1]": 30522, …} of added_tokens.json */
static void add_listed_tokens(const sac_settings *s, sac_tokenizer *t)
{
    sac_vocabulary specials = {0};
    const cJSON *one, *more = more_specials(s);
    for (int i = 0; i < SPECIALS; i++) {
        const cJSON *token = special_of(s, special_names[i]);
        note_special(t, &specials, token ? content_of(token) : NULL);
    }
    cJSON_ArrayForEach(one, more) note_special(t, &specials, content_of(one));
    for (one = s->added ? s->added->child : NULL; one && t->status == SAC_OK; one = one->next) {
        bool special = sac_vocabulary_find(&specials, one->string, strlen(one->string)) >= 0;
        bool is_id =
            cJSON_IsNumber(one) && one->valuedouble >= 0 && one->valuedouble < SAC_VOCABULARY_MOST;
        if (one->string[0])
            add_token(t, one->string, is_id ? (int)one->valuedouble : -1,
                      (sac_added_token){.special = special, .normalized = !special});
    }
    sac_vocabulary_free(&specials);
}

/* What a class calls its special tokens by default. */
static const char *default_special_token(sac_tokenizer_class kind, const char *name)
{
    static const struct {
        sac_tokenizer_class kind;
        const char *texts[SPECIALS]; /* in the order of special_names */
    } defaults[] = {
        {SAC_CLASS_BERT, {NULL, NULL, "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}},
        {SAC_CLASS_MPNET, {"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_ROBERTA, {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_XLM_ROBERTA, {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_CAMEMBERT, {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_GPT2, {"<|endoftext|>", "<|endoftext|>", "<|endoftext|>"}},
        {SAC_CLASS_QWEN2, {NULL, "<|endoftext|>", "<|endoftext|>", NULL, "<|endoftext|>"}},
        {SAC_CLASS_NEOX, {"<|endoftext|>", "<|endoftext|>", "<|endoftext|>", NULL, "<|padding|>"}},
        {SAC_CLASS_SIGLIP, {NULL, "</s>", "<unk>", NULL, "</s>"}},
        {SAC_CLASS_GEMMA, {"<bos>", "<eos>", "<unk>", NULL, "<pad>", NULL, "<mask>"}},
        {SAC_CLASS_SIGLIP2, {"<bos>", "<eos>", "<unk>", NULL, "<pad>", NULL, "<mask>"}},
        {SAC_CLASS_CLIP,
         {"<|startoftext|>", "<|endoftext|>", "<|endoftext|>", NULL, "<|endoftext|>"}},
        {SAC_CLASS_T5, {NULL, "</s>", "<unk>", NULL, "<pad>"}},
        {SAC_CLASS_PEGASUS, {NULL, "</s>", "<unk>", NULL, "<pad>", NULL, "<mask_2>"}},
        {SAC_CLASS_ESM, {NULL, "<eos>", "<unk>", NULL, "<pad>", "<cls>", "<mask>"}},
        {SAC_CLASS_LLAMA, {"<s>", "</s>", "<unk>"}},
        {SAC_CLASS_MBART, {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_MBART50, {NULL, "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_NLLB, {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}},
        {SAC_CLASS_M2M_100, {"<s>", "</s>", "<unk>", "</s>", "<pad>"}},
        {SAC_CLASS_ALBERT, {"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"}},
        {SAC_CLASS_DEBERTA, {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}},
        {SAC_CLASS_DEBERTA_V2, {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}},
    };
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        for (int k = 0; k < SPECIALS && defaults[i].kind == kind; k++)
            if (strcmp(special_names[k], name) == 0)
                return defaults[i].texts[k];
    return NULL;
}

const char *sac_settings_special(const sac_settings *s, const char *name)
{
    const cJSON *token = special_of(s, name);
    return token ? content_of(token) : default_special_token(s->kind, name);
}

/* Of a special token that is given as a text alone, or not at all. */
static sac_added_token flags_of_named(const sac_settings *s, const char *name)
{
    const cJSON *token = special_of(s, name);
    bool takes_blank = s->kind == SAC_CLASS_MPNET || s->kind == SAC_CLASS_MBART ||
                       s->kind == SAC_CLASS_MBART50 || s->kind == SAC_CLASS_NLLB;
    sac_added_token flags = flags_of(token, true);
    if (cJSON_IsObject(token))
        return flags;
    flags.strips_left =
        s->kind == SAC_CLASS_SIGLIP || (takes_blank && strcmp(name, "mask_token") == 0);
    flags.strips_right = s->kind == SAC_CLASS_SIGLIP;
    return flags;
}

/* T5 has them wherever its settings name none. */
static void add_extra_ids(const sac_settings *s, sac_tokenizer *t, size_t listed)
{
    int count = (int)sac_settings_number(s, "extra_ids", SAC_EXTRA_IDS, SAC_EXTRA_IDS_MOST);
    const cJSON *more = more_specials(s);
    for (const cJSON *one = more ? more->child : NULL; one; one = one->next)
        if (content_of(one) && strstr(content_of(one), "<extra_id_"))
            return;
    for (int i = 0; i < count && t->status == SAC_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "<extra_id_%d>", i);
        add_special(t, listed, name, (sac_added_token){.special = true});
    }
}

void sac_settings_add_tokens(const sac_settings *s, sac_tokenizer *t)
{
    const cJSON *decoder = item(s->config, "added_tokens_decoder"), *more = more_specials(s);
    if (decoder)
        add_decoder_tokens(decoder, t);
    else
        add_listed_tokens(s, t);
    size_t listed = t->added_count;
    const char *padding = sac_settings_special(s, "pad_token");
    snprintf(t->padding, sizeof t->padding, "%s", padding ? padding : "");
    for (int i = 0; i < SPECIALS && t->status == SAC_OK; i++)
        add_special(t, listed, sac_settings_special(s, special_names[i]),
                    flags_of_named(s, special_names[i]));
    for (const cJSON *one = more ? more->child : NULL; one && t->status == SAC_OK; one = one->next)
        add_special(t, listed, content_of(one), flags_of(one, true));
    if (s->kind == SAC_CLASS_T5)
        add_extra_ids(s, t, listed);
}

void sac_settings_add_frame_tokens(const sac_settings *s, sac_tokenizer *t)
{
    sac_tokenizer_set_frame(
        t,
        sac_settings_flag(s, "add_bos_token", false) ? sac_settings_special(s, "bos_token") : NULL,
        sac_settings_flag(s, "add_eos_token", false) ? sac_settings_special(s, "eos_token") : NULL);
}

/* ---------------------------------------------------------------- beside a tokenizer.json */

void sac_settings_apply_bert(const sac_settings *s, sac_tokenizer *t)
{
    bool lowers = sac_settings_flag(s, "do_lower_case", true);
    const sac_bert_rules rules = {.cleans = true,
                                  .spaces_ideographs =
                                      sac_settings_flag(s, "tokenize_chinese_chars", true),
                                  .strips_accents = sac_settings_flag(s, "strip_accents", lowers),
                                  .lowers = lowers};
    sac_text_normalizer_free(&t->normalizer);
    sac_tokenizer_add_bert_normalizers(t, rules);
}

/* What classes by unigrams do to a text: the table of their model, and words at any blank. */
void sac_settings_apply_unigrams(const sac_settings *s, sac_tokenizer *t)
{
    sac_charsmap map = t->normalizer.charsmap;
    bool marks = s->kind == SAC_CLASS_T5 || s->kind == SAC_CLASS_PEGASUS ||
                 sac_settings_flag(s, "add_prefix_space", true);
    t->normalizer.charsmap = (sac_charsmap){0};
    sac_text_normalizer_free(&t->normalizer);
    sac_splitter_free(&t->splitter);
    t->normalizer.charsmap = map;
    if (map.count)
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_CHARSMAP, NULL, NULL);
    else if (s->kind == SAC_CLASS_PEGASUS)
        sac_tokenizer_add_replacement(t, "\n", " ");
    if (s->kind == SAC_CLASS_MBART50 || s->kind == SAC_CLASS_PEGASUS)
        sac_tokenizer_add_replacement(t, " {2,}", " ");
    else
        sac_tokenizer_add_blank_split(t);
    sac_tokenizer_add_mark_splits(t, marks ? SAC_MARK_ALWAYS : SAC_MARK_NEVER, true);
}

void sac_settings_apply(sac_settings *s, sac_tokenizer *t)
{
    bool pairs =
        s->kind == SAC_CLASS_GPT2 || s->kind == SAC_CLASS_ROBERTA || s->kind == SAC_CLASS_DEBERTA;
    bool unigrams = s->kind == SAC_CLASS_T5 || s->kind == SAC_CLASS_XLM_ROBERTA ||
                    s->kind == SAC_CLASS_CAMEMBERT || s->kind == SAC_CLASS_MBART ||
                    s->kind == SAC_CLASS_MBART50;
    bool separates_twice = s->kind == SAC_CLASS_ROBERTA || s->kind == SAC_CLASS_MPNET ||
                           s->kind == SAC_CLASS_XLM_ROBERTA || s->kind == SAC_CLASS_CAMEMBERT ||
                           s->kind == SAC_CLASS_DEBERTA;
    if (separates_twice && !s->file_decides && t->status == SAC_OK)
        sac_tokenizer_separate_twice(t); /* whatever its file has for a pair */
    if (s->kind == SAC_CLASS_SIGLIP2 && t->status == SAC_OK)
        sac_tokenizer_add_normalizer(t, SAC_NORMALIZE_LOWERCASE, NULL, NULL);
    if (!s->config || t->status != SAC_OK)
        return;
    if (s->file_decides) {
        s->kind = SAC_CLASS_OTHER;
    } else if ((s->kind == SAC_CLASS_BERT || s->kind == SAC_CLASS_MPNET) &&
               t->model == SAC_WORDPIECE) {
        sac_settings_apply_bert(s, t);
    } else if (unigrams && t->model == SAC_UNIGRAM) {
        sac_settings_apply_unigrams(s, t);
    } else if (pairs && t->model == SAC_BPE && t->byte_level) {
        sac_text_normalizer_free(&t->normalizer);
        sac_splitter_free(&t->splitter);
        sac_tokenizer_add_byte_splits(t, sac_settings_flag(s, "add_prefix_space", false), true);
    } else {
        s->kind = SAC_CLASS_OTHER;
    }
    sac_settings_add_tokens(s, t);
}

/* Of byte-pair encodings transformers 5 cleans nothing, whatever the file has. */
void sac_settings_apply_decoding(const sac_settings *s, sac_tokenizer *t)
{
    static const char forced[] =
        "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output";
    t->cleans = sac_settings_flag(s, "clean_up_tokenization_spaces", false) &&
                (t->model != SAC_BPE || sac_settings_flag(s, forced, false));
    t->drops_times = t->status == SAC_OK && sac_tokenizer_find(t, "<|startoftranscript|>") >= 0;
    if (t->target)
        t->target->cleans = t->cleans;
}
