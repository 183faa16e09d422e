/* The languages of a translator between many of them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tokenizers/files/tokenizer_config.h"
#include "tokenizers/inside.h"

/* ---------------------------------------------------------------- codes */

/* In the order of their tokens, which folders with a model of SentencePiece alone lack. */
static const char of_mbart[] = "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT "
                               "ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP nl_XX ro_RO ru_RU si_LK "
                               "tr_TR vi_VN zh_CN";
static const char more_of_mbart50[] =
    "af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF "
    "pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI";
static const char of_m2m_100[] =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu "
    "ha "
    "he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my "
    "ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz "
    "vi "
    "wo xh yi yo zh zu";
static const char of_nllb[] =
    "ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn amh_Ethi apc_Arab "
    "arb_Arab ars_Arab ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn "
    "bak_Cyrl bam_Latn ban_Latn bel_Cyrl bem_Latn ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt "
    "bos_Latn bug_Latn bul_Cyrl cat_Latn ceb_Latn ces_Latn cjk_Latn ckb_Arab crh_Latn cym_Latn "
    "dan_Latn deu_Latn dik_Latn dyu_Latn dzo_Tibt ell_Grek eng_Latn epo_Latn est_Latn eus_Latn "
    "ewe_Latn fao_Latn pes_Arab fij_Latn fin_Latn fon_Latn fra_Latn fur_Latn fuv_Latn gla_Latn "
    "gle_Latn glg_Latn grn_Latn guj_Gujr hat_Latn hau_Latn heb_Hebr hin_Deva hne_Deva hrv_Latn "
    "hun_Latn hye_Armn ibo_Latn ilo_Latn ind_Latn isl_Latn ita_Latn jav_Latn jpn_Jpan kab_Latn "
    "kac_Latn kam_Latn kan_Knda kas_Arab kas_Deva kat_Geor knc_Arab knc_Latn kaz_Cyrl kbp_Latn "
    "kea_Latn khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn kon_Latn kor_Hang kmr_Latn lao_Laoo "
    "lvs_Latn lij_Latn lim_Latn lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn lua_Latn lug_Latn "
    "luo_Latn lus_Latn mag_Deva mai_Deva mal_Mlym mar_Deva min_Latn mkd_Cyrl plt_Latn mlt_Latn "
    "mni_Beng khk_Cyrl mos_Latn mri_Latn zsm_Latn mya_Mymr nld_Latn nno_Latn nob_Latn npi_Deva "
    "nso_Latn nus_Latn nya_Latn oci_Latn gaz_Latn ory_Orya pag_Latn pan_Guru pap_Latn pol_Latn "
    "por_Latn prs_Arab pbt_Arab quy_Latn ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Beng "
    "scn_Latn shn_Mymr sin_Sinh slk_Latn slv_Latn smo_Latn sna_Latn snd_Arab som_Latn sot_Latn "
    "spa_Latn als_Latn srd_Latn srp_Cyrl ssw_Latn sun_Latn swe_Latn swh_Latn szl_Latn tam_Taml "
    "tat_Cyrl tel_Telu tgk_Cyrl tgl_Latn tha_Thai tir_Ethi taq_Latn taq_Tfng tpi_Latn tsn_Latn "
    "tso_Latn tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng uig_Arab ukr_Cyrl umb_Latn urd_Arab "
    "uzn_Latn vec_Latn vie_Latn war_Latn wol_Latn xho_Latn ydd_Hebr yor_Latn yue_Hant zho_Hans "
    "zho_Hant zul_Latn";
static const char of_wmt21[] = "en ha is ja cs ru zh de";

static void add_language_tokens(sac_tokenizer *t, const char *codes, const char *around)
{
    while (*codes && t->status == SAC_OK) {
        size_t size = strcspn(codes, " ");
        char token[24];
        snprintf(token, sizeof token, "%s%.*s%s", around, (int)size, codes, around);
        if (sac_tokenizer_find(t, token) < 0) {
            SAC_TRY(
                t, sac_vocabulary_add(&t->vocabulary, token, (double)t->vocabulary.size, t->error));
            if (t->model == SAC_UNIGRAM)
                SAC_TRY(t, sac_unigram_add(&t->unigram, token, 0, t->error));
        }
        sac_tokenizer_mark_special(t, token);
        codes += size + strspn(codes + size, " ");
    }
}

void sac_settings_add_languages(const sac_settings *s, sac_tokenizer *t)
{
    const char *named = sac_settings_text(s, "language_codes");
    bool is_mbart50 = s->kind == SAC_CLASS_MBART50;
    if (is_mbart50 || s->kind == SAC_CLASS_MBART)
        add_language_tokens(t, of_mbart, "");
    if (is_mbart50)
        add_language_tokens(t, more_of_mbart50, "");
    if (s->kind == SAC_CLASS_NLLB)
        add_language_tokens(t, of_nllb, "");
    if (s->kind == SAC_CLASS_M2M_100)
        add_language_tokens(t, strcmp(named, "wmt21") == 0 ? of_wmt21 : of_m2m_100, "__");
}

/* "aaa_Aaaa" fits "fra_Latn": a small letter for each a, a large one for each A. */
static bool matches_letter_form(const char *text, const char *form)
{
    for (; *text && *form; text++, form++) {
        unsigned char c = (unsigned char)*text;
        if (*form == 'a' ? !islower(c) : *form == 'A' ? !isupper(c) : c != (unsigned char)*form)
            return false;
    }
    return !*text && !*form;
}

static bool is_language(const sac_settings *s, const char *text)
{
    size_t size = strlen(text);
    switch (s->kind) {
    case SAC_CLASS_MBART:
    case SAC_CLASS_MBART50:
        return matches_letter_form(text, "aa_AA");
    case SAC_CLASS_NLLB:
        return matches_letter_form(text, "aaa_Aaaa");
    case SAC_CLASS_M2M_100:
        return size > 4 && size < 24 && strncmp(text, "__", 2) == 0 &&
               strcmp(text + size - 2, "__") == 0;
    default:
        return false;
    }
}

/* What the key names, or else `otherwise`; −1: no language. */
static int find_language(const sac_settings *s, const sac_tokenizer *t, const char *key,
                         const char *otherwise)
{
    const char *code = sac_settings_text(s, key);
    char token[64];
    code = code[0] ? code : otherwise;
    snprintf(token, sizeof token, s->kind == SAC_CLASS_M2M_100 ? "__%.40s__" : "%.40s", code);
    int id = sac_tokenizer_find(t, token);
    return id >= 0 && is_language(s, token) ? id : -1;
}

void sac_settings_apply_languages(const sac_settings *s, sac_tokenizer *t)
{
    sac_languages *l = &t->languages;
    const char *end = sac_settings_special(s, "eos_token");
    bool is_nllb = s->kind == SAC_CLASS_NLLB;
    for (size_t i = 0; i < t->added_count && t->status == SAC_OK; i++) {
        int id = t->added[i].id;
        if (!t->added[i].special || !is_language(s, sac_tokenizer_token(t, id)))
            continue;
        if (!l->tokens)
            l->tokens = calloc(t->added_count, sizeof *l->tokens);
        if (l->tokens)
            l->tokens[l->count++] = id;
        else
            t->status = sac_no_memory(t->error, "languages");
    }
    if (!l->count)
        return;
    l->begins = s->kind == SAC_CLASS_MBART;
    l->behind = l->begins || (is_nllb && sac_settings_flag(s, "legacy_behaviour", false));
    l->from = find_language(s, t, "src_lang",
                            is_nllb                        ? "eng_Latn"
                            : s->kind == SAC_CLASS_M2M_100 ? "en"
                                                           : "en_XX");
    if (l->from < 0)
        l->from = l->tokens[0];
    l->to = find_language(s, t, "tgt_lang", "");
    sac_tokenizer_set_frame(t, NULL, end ? end : "</s>");
}

/* ---------------------------------------------------------------- languages */

/* "fra_Latn", "fr_XX"; "fr" of the token "__fr__". */
static const char *language_code(const sac_tokenizer *t, int token, int *size)
{
    const char *text = sac_tokenizer_token(t, token);
    size_t length = strlen(text);
    bool is_framed = length > 4 && strncmp(text, "__", 2) == 0;
    *size = (int)(is_framed ? length - 4 : length);
    return is_framed ? text + 2 : text;
}

char *sac_tokenizer_languages(const sac_tokenizer *t, char *text, size_t size)
{
    const sac_languages *l = &t->languages;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < l->count; i++) {
        int length;
        const char *code = language_code(t, l->tokens[i], &length);
        if (used + (size_t)length + 24 > size) {
            snprintf(text + used, size - used, " … (%zu in all)", l->count);
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", i ? ", " : "", length, code);
    }
    return text;
}

static sac_status find_language_token(const sac_tokenizer *t, const char *code, int size,
                                      int *token, sac_error *error)
{
    const sac_languages *l = &t->languages;
    char known[380];
    for (size_t i = 0; i < l->count; i++) {
        int length;
        const char *own = language_code(t, l->tokens[i], &length);
        if (length == size && memcmp(own, code, (size_t)size) == 0) {
            *token = l->tokens[i];
            return SAC_OK;
        }
    }
    return sac_fail(error, SAC_E_ARGUMENT, "language", "give one of those",
                    "\"%.*s\" is not known; there are %s", size > 40 ? 40 : size, code,
                    sac_tokenizer_languages(t, known, sizeof known));
}

sac_status sac_languages_read_prefix(const sac_tokenizer *t, const char **text, int *from, int *to,
                                     sac_error *error)
{
    const char *begin = *text + 2, *end = strncmp(*text, ">>", 2) == 0 ? strstr(begin, "<<") : NULL;
    *from = t->languages.from;
    *to = t->languages.to;
    if (!end)
        return SAC_OK;
    const char *space = memchr(begin, ' ', (size_t)(end - begin));
    const char *second = space ? space + 1 : begin;
    sac_status status = SAC_OK;
    if (space)
        status = find_language_token(t, begin, (int)(space - begin), from, error);
    if (status == SAC_OK && end > second)
        status = find_language_token(t, second, (int)(end - second), to, error);
    *text = end + 2;
    *text += strspn(*text, " ");
    return status;
}

sac_status sac_tokenizer_target_language(const sac_tokenizer *t, const char *text, int *token,
                                         sac_error *error)
{
    int from;
    *token = -1;
    return t->languages.count ? sac_languages_read_prefix(t, &text, &from, token, error) : SAC_OK;
}

bool sac_tokenizer_knows_languages(const sac_tokenizer *t)
{
    return t->languages.count > 0;
}

bool sac_tokenizer_begins_with_target(const sac_tokenizer *t)
{
    return t->languages.begins;
}
