/* A decoder of layers that attends to a text in which a picture stands: cells become tokens, or what queries
 * gathered of them does, and an encoder of text reads them and a task (Florence-2), or what is asked (BLIP-2 with T5). What is kept of a picture are its tokens, so that another task is
 * read without seeing it anew. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/text_decoder.h"
#include "base/error.h"

typedef sac_pretrained_captioner captioner;

/* ---------------------------------------------------------------- tasks */

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
static sac_status write_task(const char *asked, char **text, sac_regions_form *regions,
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

/* ---------------------------------------------------------------- the picture's tokens */

static float *read_table(sac_pretrained_model *m, const sac_parameter *table)
{
    float *numbers = malloc(table->count * sizeof *numbers);
    if (numbers)
        sac_pass_read(&m->pass, table->value, numbers);
    return numbers;
}

/* Cells with their places, behind their mean: [1 + n,C]. To half of the numbers of a cell its column is added,
 * to the others its row, and to every second of them 1, as in sinusoids of the only time. */
static void place_cells(const sac_inference *p, const float *rows, const float *columns, float *to)
{
    size_t C = sac_inference_width(p), n = p->count, half = C - C / 2;
    float *cell = to + C;
    for (size_t i = 0; i < n; i++, cell += C)
        for (size_t k = 0; k < C; k++) {
            size_t x = i % (size_t)p->grid_w, y = i / (size_t)p->grid_w;
            float place = k < half ? columns[x * half + k] : rows[y * (C / 2) + k - half];
            cell[k] = p->left[i * C + k] + place + (float)(k % 2);
        }
    for (size_t k = 0; k < C; k++) {
        double sum = 0;
        for (size_t i = 1; i <= n; i++)
            sum += (double)to[i * C + k];
        to[k] = (float)(sum / (double)n);
    }
}

/* What was seen → tokens [1 + n,D] of a picture. */
static sac_status project(const captioner *c, const sac_inference *p, sac_image_tokens *picture,
                          sac_error *error)
{
    sac_pretrained_model *m = c->model;
    const sac_connector *k = &c->decoder->text_decoder.connector;
    size_t C = sac_inference_width(p), D = c->decoder->width, count = p->count + 1;
    sac_arena arena = {0};
    sac_tensor x = {0}, y = {0}, normed = {0};
    if ((size_t)p->grid_w > k->columns->shape[0] || (size_t)p->grid_h > k->rows->shape[0])
        return sac_fail(error, SAC_E_SHAPE, "picture", "give a smaller one",
                        "has %d x %d cells, and %s places for %zu x %zu", p->grid_w, p->grid_h,
                        m->name, k->columns->shape[0], k->rows->shape[0]);
    float *cells = malloc(count * C * sizeof *cells);
    picture->tokens = malloc(count * D * sizeof *picture->tokens);
    picture->count = count;
    picture->grid_w = p->grid_w;
    picture->grid_h = p->grid_h;
    sac_device_lock(m->device);
    float *rows = read_table(m, k->rows), *columns = read_table(m, k->columns);
    sac_status status = sac_pass_end(&m->pass, error);
    if (status == SAC_OK && (!cells || !picture->tokens || !rows || !columns))
        status = sac_no_memory(error, m->name);
    if (status == SAC_OK) {
        place_cells(p, rows, columns, cells);
        sac_arena_shape(&arena, &m->pass, &x, count, C);
        sac_arena_shape(&arena, &m->pass, &y, count, D);
        sac_arena_shape(&arena, &m->pass, &normed, count, D);
        sac_pass_write(&m->pass, x, cells);
        sac_linear_forward(&m->pass, y, x, k->project[0].w, NULL);
        sac_layer_norm_forward(&m->pass, &k->norm, normed, y);
        sac_pass_read(&m->pass, normed, picture->tokens);
        status = sac_pass_end(&m->pass, error);
    }
    sac_arena_release(&arena);
    sac_device_unlock(m->device);
    free(rows);
    free(columns);
    free(cells);
    return status;
}

/* What was seen → tokens [queries,D] of a picture, and where each of them looked. */
static sac_status gather(const captioner *c, const sac_inference *p, sac_image_tokens *picture,
                         sac_error *error)
{
    const sac_pretrained_model *q = c->model->resampler;
    const size_t Q = q->detector.queries, cells = (size_t)p->grid_w * (size_t)p->grid_h;
    float *gathered = malloc(Q * q->width * sizeof *gathered);
    picture->tokens = malloc(Q * c->decoder->width * sizeof *picture->tokens);
    picture->looks = malloc(Q * cells * sizeof *picture->looks);
    picture->count = Q;
    picture->grid_w = p->grid_w;
    picture->grid_h = p->grid_h;
    picture->tiles = 1;
    sac_status status = gathered && picture->tokens && picture->looks
                            ? sac_entered_keep(p, 1, 0, &picture->entered, error)
                            : sac_no_memory(error, c->model->name);
    if (status == SAC_OK)
        status = sac_inference_resample(p, gathered, picture->looks, error);
    if (status == SAC_OK)
        status = sac_pictured_project(c->decoder, gathered, q->width, picture, error);
    free(gathered);
    return status;
}

/* ---------------------------------------------------------------- both in one text */

/* The text that is read for what is asked; free() it. */
static sac_status write_asked(const captioner *c, const char *asked, char **text,
                              sac_regions_form *regions, sac_error *error)
{
    if (c->regions.asks)
        return write_task(asked, text, regions, error);
    *regions = SAC_REGIONS_NONE;
    *text = strdup(asked);
    return *text ? SAC_OK : sac_no_memory(error, c->model->name);
}

/* Reads the picture's tokens and the task. The first token is the mean of all cells, where they are cells. */
static sac_status read_both(captioner *c, const char *task, sac_inference **read, sac_error *error)
{
    sac_pretrained_model *e = c->model->text_encoder;
    const sac_image_tokens *p = c->prompted.picture;
    const int token = c->decoder->text_decoder.connector.token;
    sac_tokens tokens = {0};
    char *text = NULL;
    sac_regions_form form;
    sac_status status = write_asked(c, task, &text, &form, error);
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
        status = sac_captioner_read(c, e, prompt, read, error);
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

sac_status sac_joint_read_again(captioner *c, sac_inference **read, sac_error *error)
{
    return read_both(c, c->prompted.question, read, error);
}

sac_status sac_joint_create(captioner *c, sac_error *error)
{
    const char *first = c->decoder->text_decoder.connector.first;
    snprintf(c->prompted.question, sizeof c->prompted.question, "%s", first ? first : "<CAPTION>");
    if (c->model->resampler)
        return SAC_OK;
    c->regions.asks = true;
    return sac_generated_regions_read(c->model->folder, &c->regions, error);
}

sac_status sac_joint_read(captioner *c, const sac_inference *seen, sac_inference **read,
                          sac_error *error)
{
    sac_image_tokens *picture = calloc(1, sizeof *picture);
    *read = NULL;
    if (!picture)
        return sac_no_memory(error, c->model->name);
    picture->users = 1;
    sac_status status = (c->model->resampler ? gather : project)(c, seen, picture, error);
    if (status != SAC_OK) {
        sac_pictured_release(picture);
        return status;
    }
    sac_pictured_release(c->prompted.picture);
    free(c->prompted.flow);
    c->prompted.flow = NULL;
    c->prompted.picture = picture;
    return read_both(c, c->prompted.question, read, error);
}

sac_status sac_joint_ask(captioner *c, const char *task, sac_error *error)
{
    sac_inference *read = NULL;
    sac_status status = SAC_OK;
    sac_regions_form form;
    char *text = NULL;
    if (!task[strspn(task, " \t\n")])
        return sac_fail(error, SAC_E_ARGUMENT, "task", "give some words", "has no words");
    if (strlen(task) >= sizeof c->prompted.question)
        return sac_fail(error, SAC_E_ARGUMENT, "task", "give a shorter one",
                        "has more than %zu bytes", sizeof c->prompted.question - 1);
    status = write_asked(c, task, &text, &form, error);
    free(text);
    if (status == SAC_OK && c->prompted.picture)
        status = read_both(c, task, &read, error);
    if (status == SAC_OK && read)
        status = sac_pretrained_captioner_take(c, read, error);
    sac_inference_free(read);
    if (status == SAC_OK)
        snprintf(c->prompted.question, sizeof c->prompted.question, "%s", task);
    return status;
}
