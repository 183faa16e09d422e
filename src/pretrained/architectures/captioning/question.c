/* What a person asks: tokens with which the output begins (Donut), a text that an encoder reads with what was seen
 * (Florence-2, BLIP-2 with T5), or a question in one prompt with the picture (LLaVA). What is kept of a picture are its
 * tokens, so that something else is asked without seeing it anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- the first question */

sac_status sac_captioner_set_first_question(captioner *c, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const char *first = d->text_decoder.connector.first;
    sac_status status = SAC_OK;
    switch (d->text_decoder.question) {
    case SAC_ASKED_BY_START: /* at first the token by which the output begins by itself */
        first = sac_tokenizer_token(d->tokenizer, c->search.start);
        break;
    case SAC_ASKED_OF_ENCODER:
        first = first ? first : "<CAPTION>";
        c->regions.asks = !c->model->resampler;
        if (c->regions.asks)
            status = sac_generated_regions_read(c->model->folder, &c->regions, error);
        break;
    case SAC_ASKED_IN_PROMPT:
        first = first ? first : "Describe this image.";
        if (sac_tokenizer_find(d->tokenizer, "<loc0000>") >= 0) /* PaliGemma's */
            c->regions = (sac_generated_regions){.form = SAC_REGIONS_BEFORE_WORDS, .asks = true};
        c->longest = c->search.length;
        c->states = malloc((size_t)c->longest * d->width * sizeof *c->states);
        status = c->states ? SAC_OK : sac_no_memory(error, c->model->name);
        break;
    case SAC_ASKED_NOWHERE:
        return SAC_OK;
    }
    snprintf(c->question, sizeof c->question, "%s", first ? first : "");
    return status;
}

/* ---------------------------------------------------------------- read by an encoder */

/* The tasks of Florence-2's processor, and what its text is in place of them: a %s is what stands behind the task.
 * Of the answers that give regions, their form; a text that is no task may have any. */
static const struct {
    const char *name, *text;
    sac_regions_form form;
} tasks[] = {
    {"<OCR>", "What is the text in the image?", SAC_REGIONS_NONE},
    {"<OCR_WITH_REGION>", "What is the text in the image, with regions?", SAC_REGIONS_QUADS},
    {"<CAPTION>", "What does the image describe?", SAC_REGIONS_NONE},
    {"<DETAILED_CAPTION>", "Describe in detail what is shown in the image.", SAC_REGIONS_NONE},
    {"<MORE_DETAILED_CAPTION>", "Describe with a paragraph what is shown in the image.",
     SAC_REGIONS_NONE},
    {"<OD>", "Locate the objects with category name in the image.", SAC_REGIONS_LABELLED},
    {"<DENSE_REGION_CAPTION>", "Locate the objects in the image, with their descriptions.",
     SAC_REGIONS_LABELLED},
    {"<REGION_PROPOSAL>", "Locate the region proposals in the image.", SAC_REGIONS_BOXES},
    {"<CAPTION_TO_PHRASE_GROUNDING>", "Locate the phrases in the caption: %s", SAC_REGIONS_PHRASES},
    {"<REFERRING_EXPRESSION_SEGMENTATION>", "Locate %s in the image with mask",
     SAC_REGIONS_POLYGONS},
    {"<REGION_TO_SEGMENTATION>", "What is the polygon mask of region %s", SAC_REGIONS_POLYGONS},
    {"<OPEN_VOCABULARY_DETECTION>", "Locate %s in the image.", SAC_REGIONS_ANY},
    {"<REGION_TO_CATEGORY>", "What is the region %s?", SAC_REGIONS_NONE},
    {"<REGION_TO_DESCRIPTION>", "What does the region %s describe?", SAC_REGIONS_NONE},
    {"<REGION_TO_OCR>", "What text is in the region %s?", SAC_REGIONS_NONE}};

/* The text that is read for what a person asks: of a task its own, else as it is; free() it. And how
 * the answer gives regions. */
static sac_status expand_task_prompt(const char *asked, char **text, sac_regions_form *regions,
                                     sac_error *error)
{
    const char *form = "%s", *rest = asked;
    *regions = SAC_REGIONS_ANY;
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        size_t size = strlen(tasks[i].name);
        if (strncmp(asked, tasks[i].name, size) == 0) {
            form = tasks[i].text;
            *regions = tasks[i].form;
            rest = asked + size + strspn(asked + size, " ");
            if (!strstr(form, "%s") == (rest[0] == '\0'))
                break;
            return sac_fail(error, SAC_E_ARGUMENT, "task",
                            rest[0] ? "leave out what stands behind it" : "give it behind the task",
                            "%s %s", tasks[i].name, rest[0] ? "stands alone" : "is of some words");
        }
    }
    const char *at = strstr(form, "%s");
    size_t before = at ? (size_t)(at - form) : strlen(form), size = strlen(form) + strlen(rest) + 1;
    *text = malloc(size);
    if (!*text)
        return sac_no_memory(error, "task");
    snprintf(*text, size, "%.*s%s%s", (int)before, form, at ? rest : "", at ? at + 2 : "");
    return SAC_OK;
}

/* The text that is read for what is asked; free() it. */
static sac_status make_question_text(const captioner *c, const char *asked, char **text,
                                     sac_regions_form *regions, sac_error *error)
{
    if (c->regions.asks)
        return expand_task_prompt(asked, text, regions, error);
    *regions = SAC_REGIONS_NONE;
    *text = strdup(asked);
    return *text ? SAC_OK : sac_no_memory(error, c->model->name);
}

/* Reads the picture's tokens and the task. The first token is the mean of all cells, where they are cells. */
static sac_status encode_picture_and_task(captioner *c, const char *task, sac_inference **read,
                                          sac_error *error)
{
    sac_pretrained_model *e = c->model->text_encoder;
    const sac_image_tokens *p = c->picture;
    const int token = c->decoder->text_decoder.connector.token;
    sac_tokens tokens = {0};
    char *text = NULL;
    sac_regions_form form;
    sac_status status = make_question_text(c, task, &text, &form, error);
    *read = NULL;
    if (status == SAC_OK)
        status = sac_tokenizer_encode(c->model->tokenizer, text, true, &tokens, error);
    free(text);
    int *ids = malloc((p->count + tokens.count + 1) * sizeof *ids);
    if (status == SAC_OK && !ids)
        status = sac_no_memory(error, c->model->name);
    for (size_t i = 0; status == SAC_OK && i < p->count + tokens.count; i++) {
        ids[i] = i < p->count ? token : tokens.ids[i - p->count];
        if (i >= p->count && ids[i] == token)
            status = sac_fail(error, SAC_E_ARGUMENT, "task", "leave it out",
                              "has the token that stands for the picture here");
    }
    const sac_prompt prompt = {
        .ids = ids, .count = p->count + tokens.count, .picture = token, .pictured = p->tokens};
    if (status == SAC_OK)
        status = sac_captioner_encode_text(c, e, prompt, read, error);
    if (status == SAC_OK) {
        (*read)->prefix = p->looks ? 0 : 1;
        (*read)->grid_w = p->grid_w;
        (*read)->grid_h = p->grid_h;
        c->regions.form = form;
    }
    sac_tokens_free(&tokens);
    free(ids);
    return status;
}

sac_status sac_captioner_read_question(captioner *c, sac_inference **read, sac_error *error)
{
    return encode_picture_and_task(c, c->question, read, error);
}

/* ---------------------------------------------------------------- in a prompt */

/* A template may write the token that begins a text, which a tokenizer then puts before it once more. */
static void drop_second_start(const captioner *c, sac_tokens *ids)
{
    if (ids->count < 2 || ids->ids[0] != ids->ids[1] ||
        ids->ids[0] == c->decoder->text_decoder.connector.token ||
        !sac_tokenizer_is_special(c->decoder->tokenizer, ids->ids[0]))
        return;
    ids->count--;
    memmove(ids->ids, ids->ids + 1, ids->count * sizeof *ids->ids);
}

static sac_status check_prompt(const captioner *c, const sac_tokens *ids, sac_error *error)
{
    const sac_pretrained_model *d = c->decoder;
    const bool is_sound = sac_architecture_has_audio(c->model);
    const char *what = is_sound ? "sound" : "picture";
    size_t found = 0;
    for (size_t i = 0; i < ids->count; i++)
        found += ids->ids[i] == d->text_decoder.connector.token;
    if (found != c->picture->count)
        return sac_fail(error, SAC_E_FORMAT, c->model->folder,
                        "give the tokenizer of this very model",
                        "its tokenizer makes %zu tokens of a %s, and the model makes %zu", found,
                        what, c->picture->count);
    if (ids->count >= d->max_positions)
        return sac_fail(error, SAC_E_ARGUMENT, "question",
                        is_sound
                            ? "give a shorter question, or a shorter sound"
                            : "give a shorter question, or a picture that is nearer to a square",
                        "with the %s there are %zu tokens, and %s has places for %zu", what,
                        ids->count, c->model->name, d->max_positions);
    return SAC_OK;
}

/* The text of the picture, and a space where letters would follow it in a prompt that parts them: free() it. */
static char *make_spaced_picture(const captioner *c, const char *form, const char *question)
{
    const char *at = strchr(form, SAC_CHAT_PICTURE[0]), *text = c->picture->text;
    const char next = !at ? '\0' : at[1] == SAC_CHAT_QUESTION[0] ? question[0] : at[1];
    const size_t size = strlen(text) + 2;
    char *spaced = malloc(size);
    if (spaced)
        snprintf(spaced, size, "%s%s", text, next && !strchr(" \t\n<", next) ? " " : "");
    return spaced;
}

const sac_asked_form *sac_captioner_form_of(const captioner *c, const char *question)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const sac_asked_form *other = NULL;
    for (int i = 0; i < k->forms; i++) {
        if (k->form[i].name && strcmp(k->form[i].name, question) == 0)
            return &k->form[i];
        if (!k->form[i].name)
            other = &k->form[i];
    }
    return other;
}

static sac_status join_form(const captioner *c, const char *question, sac_tokens *ids,
                            sac_error *error)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const sac_asked_form *form = sac_captioner_form_of(c, question);
    sac_tokens asked = {0};
    char *text = NULL;
    if (!form || (form->name && !form->before_count))
        return sac_fail(error, SAC_E_ARGUMENT, "question",
                        form ? "ask something else" : "ask for <CAPTION>",
                        "config.json of %s has no prompt for %s", c->model->name,
                        form ? form->name : "questions");
    sac_status status = SAC_OK;
    if (!form->name && asprintf(&text, "%s%s", k->parted, question) < 0)
        status = sac_no_memory(error, c->model->name);
    if (status == SAC_OK && !form->name)
        status = sac_tokenizer_encode(c->decoder->tokenizer, text, false, &asked, error);
    free(text);
    const size_t before = (size_t)form->before_count, after = (size_t)form->after_count;
    const size_t seen = c->picture->count, count = 1 + seen + before + asked.count + after;
    int *all = status == SAC_OK ? malloc(count * sizeof *all) : NULL;
    if (status == SAC_OK && !all)
        status = sac_no_memory(error, c->model->name);
    if (status == SAC_OK) {
        all[0] = k->start;
        for (size_t i = 0; i < seen; i++)
            all[1 + i] = k->token;
        memcpy(all + 1 + seen, form->before, before * sizeof *all);
        if (asked.count)
            memcpy(all + 1 + seen + before, asked.ids, asked.count * sizeof *all);
        memcpy(all + count - after, form->after, after * sizeof *all);
        *ids = (sac_tokens){.ids = all, .count = count};
    }
    sac_tokens_free(&asked);
    return status;
}

/* The text of the prompt as tokens. */
static sac_status tokenize_chat(const captioner *c, const char *question, sac_tokens *ids,
                                sac_error *error)
{
    const sac_connector *k = &c->decoder->text_decoder.connector;
    const sac_image_tokens *p = c->picture;
    const char *pictures[SAC_PICTURE_PARTS] = {p->text};
    for (int i = 0; i < p->parts; i++)
        pictures[i] = p->part[i]->text;
    const char *form = c->form ? c->form : c->decoder->text_decoder.chat;
    char *spaced = k->is_spaced ? make_spaced_picture(c, form, question) : NULL;
    if (spaced)
        pictures[0] = spaced;
    char *text = sac_chat_fill(form, pictures, question);
    free(spaced);
    sac_status status =
        text ? sac_tokenizer_encode(c->decoder->tokenizer, text, !k->is_bare, ids, error)
             : sac_no_memory(error, c->model->name);
    free(text);
    if (status == SAC_OK)
        drop_second_start(c, ids);
    return status;
}

sac_status sac_captioner_tokenize_question(const captioner *c, const char *question,
                                           sac_tokens *ids, sac_error *error)
{
    const bool has_forms = c->decoder->text_decoder.connector.forms > 0;
    sac_status status = (has_forms ? join_form : tokenize_chat)(c, question, ids, error);
    return status == SAC_OK ? check_prompt(c, ids, error) : status;
}

sac_status sac_captioner_build_prompt(captioner *c, sac_error *error)
{
    const sac_text_decoder *d = &c->decoder->text_decoder;
    sac_tokens ids = {0};
    sac_status status = sac_captioner_tokenize_question(c, c->question, &ids, error);
    uint8_t *hidden = status == SAC_OK ? calloc(ids.count, 1) : NULL;
    if (status == SAC_OK && !hidden)
        status = sac_no_memory(error, c->model->name);
    if (status != SAC_OK) {
        sac_tokens_free(&ids);
        return status;
    }
    sac_captioner_forget_context(c);
    free(c->ids);
    free(c->hidden);
    const size_t most = (size_t)d->most_tokens;
    size_t room = c->decoder->max_positions - ids.count;
    if (most && most < ids.count + room)
        room = most > ids.count ? most - ids.count : 1;
    c->search.length = room < (size_t)c->longest ? (int)room : c->longest;
    c->ids = ids.ids;
    c->seen = ids.count;
    c->hidden = hidden;
    /* The tokens allowed depend on the whole prompt, the picture's tokens among it. */
    c->search.before = ids.ids;
    c->search.before_count = (int)ids.count - 1;
    c->search.shortest = d->search.shortest;
    if (d->rules.counts_fresh)
        c->search.shortest += c->search.before_count;
    c->rules.first_at = (int)ids.count;
    return SAC_OK;
}

/* ---------------------------------------------------------------- another question */

/* Tokens with which the output begins, in the places of words. */
static sac_status set_output_prefix(captioner *c, const char *task, sac_error *error)
{
    const int room = c->search.length;
    sac_tokens ids = {0};
    sac_status status = sac_tokenizer_encode(c->decoder->tokenizer, task, false, &ids, error);
    if (status == SAC_OK && !ids.count)
        status = sac_fail(error, SAC_E_ARGUMENT, "task", "give some words", "has no words");
    else if (status == SAC_OK && (strlen(task) >= sizeof c->question || ids.count > (size_t)room))
        status = sac_fail(error, SAC_E_ARGUMENT, "task", "give a shorter one",
                          "has %zu tokens, and with its answer there is room for %d", ids.count,
                          room + 1);
    if (status != SAC_OK) {
        sac_tokens_free(&ids);
        return status;
    }
    sac_tokens_free(&c->task);
    c->task = ids;
    return SAC_OK;
}

static sac_status reencode_with_task(captioner *c, const char *task, sac_error *error)
{
    sac_inference *read = NULL;
    sac_regions_form form;
    char *text = NULL;
    sac_status status = make_question_text(c, task, &text, &form, error);
    free(text);
    if (status == SAC_OK && c->picture)
        status = encode_picture_and_task(c, task, &read, error);
    if (status == SAC_OK && read)
        status = sac_pretrained_captioner_store_encoding(c, read, error);
    sac_inference_free(read);
    return status;
}

sac_status sac_pretrained_captioner_ask(captioner *c, const char *question, sac_error *error)
{
    const sac_question_place kind = c->decoder->text_decoder.question;
    const char *what = kind == SAC_ASKED_IN_PROMPT ? "question" : "task";
    char before[sizeof c->question];
    if (kind != SAC_ASKED_BY_START && !question[strspn(question, " \t\n")])
        return sac_fail(error, SAC_E_ARGUMENT, what, "give some words", "has no words");
    if (kind != SAC_ASKED_BY_START && strlen(question) >= sizeof c->question)
        return sac_fail(error, SAC_E_ARGUMENT, what, "give a shorter one",
                        "has more than %zu bytes", sizeof c->question - 1);
    sac_status status = SAC_OK;
    if (kind == SAC_ASKED_BY_START)
        status = set_output_prefix(c, question, error);
    else if (kind == SAC_ASKED_OF_ENCODER)
        status = reencode_with_task(c, question, error);
    if (status != SAC_OK)
        return status;
    memcpy(before, c->question, sizeof before);
    snprintf(c->question, sizeof c->question, "%s", question);
    if (kind == SAC_ASKED_IN_PROMPT && c->seen)
        status = sac_captioner_build_prompt(c, error);
    if (status != SAC_OK)
        memcpy(c->question, before, sizeof before);
    return status;
}
