/* Gathers the data of a page, and writes it between the two pieces of the program. */
#include "export/html/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text/printable.h"
#include "canvas/heat.h"
#include "export/html/html_parts.h"
#include "images/jpeg_write.h"
#include "images/png_write.h"
#include "images/resample.h"
#include "scores/normalizers.h"
#include "view/settings.h"

enum { SETS = 1 + SAC_ATTENTION_KINDS };
_Static_assert((int)SAC_NORMALIZER_COUNT <= (int)SETS, "maps by each of them");
enum { PICTURE_SIDE = 1280, SMALL_PNG = 400000, JPEG_QUALITY = 90 };
#define MOST_LOOKS ((size_t)1 << 24) /* weights of a picture that attends to itself: 4096 cells */

typedef struct html_page {
    viz_view *view;
    viz_subject subject; /* what the view shows */
    viz_html_maps maps[SETS];
    viz_html_range range[SETS];
    int sets;
    viz_html_bytes bytes;
    viz_html_vectors vectors; /* of the first maps */
    char left_out[120];

    sac_result caption;                                      /* of a source that generates */
    char *words[SAC_MAX_TOKENS], *positions[SAC_MAX_TOKENS]; /* its texts; lent */
    sac_labels word_labels, position_labels;                 /* of these */
    sac_attentions attentions;
    float *looks
        [SAC_NORMALIZER_COUNT]; /* [cells,cells] each of a picture that attends to itself; owned */
} html_page;

/* ---------------------------------------------------------------- what is shown */

static void list_weights_maps(html_page *p)
{
    sac_source *s = p->view->source;
    p->maps[p->sets++] = (viz_html_maps){.name = "",
                                         .source = s,
                                         .layers = s->weights.layers,
                                         .heads = s->weights.heads,
                                         .steps = s->weights.steps,
                                         .positions = s->weights.positions,
                                         .grid_w = s->picture.image ? s->picture.grid_w : 0,
                                         .grid_h = s->picture.image ? s->picture.grid_h : 0};
}

static void list_attention_maps(html_page *p)
{
    for (int i = 0; i < SAC_ATTENTION_KINDS; i++) {
        const sac_attention_kind *k = &p->attentions.kind[i];
        if (k->weights)
            p->maps[p->sets++] = (viz_html_maps){.name = k->name,
                                                 .weights = k->weights,
                                                 .rows = &k->step_labels,
                                                 .columns = &k->position_labels,
                                                 .layers = k->layers,
                                                 .heads = k->heads,
                                                 .steps = k->steps,
                                                 .positions = k->positions,
                                                 .is_causal = i == SAC_DECODER_ATTENTION};
    }
}

/* The sentence that the view shows, which the source has kept. */
static sac_status generate_sentence_maps(html_page *p, sac_error *error)
{
    sac_source *s = p->view->source;
    sac_result *c = &p->caption;
    const sac_result_request *request = p->subject.request.caption;
    sac_status status = sac_source_generate(s, request, c, error);
    if (status == SAC_OK && c->count == 0)
        status = sac_fail(error, SAC_E_ARGUMENT, "page", "choose another model or temperature",
                          "no word was generated");
    if (status != SAC_OK)
        return status;
    for (int i = 0; i < c->count; i++)
        p->words[i] = c->outputs[i].text;
    p->word_labels = (sac_labels){(size_t)c->count, p->words};
    for (int i = 0; c->positions && i < c->grid_w && i < SAC_MAX_TOKENS; i++)
        p->positions[i] = c->positions[i];
    p->position_labels = (sac_labels){
        c->positions && c->grid_w <= SAC_MAX_TOKENS ? (size_t)c->grid_w : 0, p->positions};
    bool on_picture = s->picture.image && !c->positions;
    p->maps[p->sets++] = (viz_html_maps){.name = "",
                                         .weights = c->weights,
                                         .rows = &p->word_labels,
                                         .columns = &p->position_labels,
                                         .layers = 1,
                                         .heads = 1,
                                         .steps = (size_t)c->count,
                                         .positions = (size_t)c->grid_w * (size_t)c->grid_h,
                                         .grid_w = on_picture ? c->grid_w : 0,
                                         .grid_h = on_picture ? c->grid_h : 0};
    if (s->result.attentions && request->model >= s->result.layered)
        status = sac_source_attentions(s, request->model, c, &p->attentions, error);
    list_attention_maps(p);
    return status;
}

/* What each cell of the picture attends to by the normalizer `place` places after the view's, round and
 * round. */
static sac_status compute_picture_attention(html_page *p, int place, const sac_progress *progress,
                                            sac_error *error)
{
    sac_source *s = p->view->source;
    sac_picture_request request = *p->subject.request.picture;
    request.settings.normalizer =
        (sac_normalizer)(((int)request.settings.normalizer + place) % SAC_NORMALIZER_COUNT);
    int w, h;
    sac_picture_grid(s->picture.image->width, s->picture.image->height, request.settings.cells, &w,
                     &h);
    size_t cells = (size_t)w * (size_t)h;
    if (cells > MOST_LOOKS / cells)
        return sac_fail(error, SAC_E_SHAPE, "page", "give --cells 64",
                        "%zu cells, each of which attends to all, are too many", cells);
    float *looks = p->looks[place] = malloc(cells * cells * sizeof *looks);
    if (!looks)
        return sac_no_memory(error, "page");
    for (size_t i = 0; i < cells; i++) {
        sac_picture_result result = {0};
        request.query_x = (int)(i % (size_t)w);
        request.query_y = (int)(i / (size_t)w);
        if (progress && progress->step &&
            !progress->step(progress->user,
                            ((double)place + (double)i / (double)cells) / SAC_NORMALIZER_COUNT))
            return sac_fail(error, SAC_E_CANCELLED, "page", NULL, "stopped on request");
        sac_status status = s->picture.attend(s->self, &request, &result, error);
        if (status == SAC_OK)
            memcpy(looks + i * cells, result.weights, cells * sizeof *looks);
        sac_picture_result_free(&result);
        if (status != SAC_OK)
            return status;
    }
    p->maps[p->sets++] =
        (viz_html_maps){.name = sac_normalizer_class_of(request.settings.normalizer)->words.label,
                        .weights = looks,
                        .layers = 1,
                        .heads = 1,
                        .steps = cells,
                        .positions = cells,
                        .grid_w = w,
                        .grid_h = h};
    return SAC_OK;
}

static sac_status gather_page_content(html_page *p, const sac_progress *progress, sac_error *error)
{
    viz_view *view = p->view;
    sac_source *s = view ? view->source : NULL;
    bool shows = s && view->class->subject && view->class->subject(view, &p->subject);
    const sac_explanation_request *shown = &p->subject.request;
    sac_status status = SAC_OK;
    if (shows && shown->caption)
        status = generate_sentence_maps(p, error);
    else if (shows && shown->picture)
        for (int i = 0; i < SAC_NORMALIZER_COUNT && status == SAC_OK; i++)
            status = compute_picture_attention(p, i, progress, error);
    else if (shows && s->weights.tile && !s->weights.sides)
        list_weights_maps(p);
    else if (shows && s->weights.sides)
        status = sac_fail(error, SAC_E_ARGUMENT, "page", "write a PNG, SVG or PDF",
                          "shows weights, and this is a difference of weights");
    else
        status =
            sac_fail(error, SAC_E_ARGUMENT, "page",
                     "choose one of attention with --tab, or write a PNG", "this view has no page");
    for (int i = 0; i < p->sets && status == SAC_OK; i++) {
        const viz_html_maps *m = &p->maps[i];
        bool same = m->source != NULL;
        status = viz_html_choose(m, same ? shown->batch : 0, same ? shown->layer : 0,
                                 same ? shown->head : 0, &p->range[i], p->left_out,
                                 sizeof p->left_out, error);
        if (status == SAC_OK)
            status = viz_html_read(m, &p->range[i], i, progress, &p->bytes, error);
    }
    if (status == SAC_OK && p->maps[0].source)
        status = viz_html_read_vectors(&p->maps[0], &p->range[0], &p->vectors, error);
    return status;
}

/* ---------------------------------------------------------------- writing */

static sac_status encode_png_bytes(const sac_image *image, char **bytes, size_t *size,
                                   sac_error *error)
{
    FILE *memory = open_memstream(bytes, size);
    if (!memory)
        return sac_no_memory(error, "page");
    sac_status status = sac_png_write(memory, "page", image, NULL, 0, error);
    if (fclose(memory) != 0 && status == SAC_OK)
        status = sac_no_memory(error, "page");
    return status;
}

/* No larger than a screen needs it: as PNG where that is small or the picture has alpha, else as
 * JPEG. */
static sac_status put_picture(FILE *file, const sac_picture_source *picture, sac_error *error)
{
    const sac_image *image = picture->image;
    const float *part = picture->file_box;
    sac_image small = {0};
    char *png = NULL;
    uint8_t *jpeg = NULL;
    size_t png_size = 0, jpeg_size = 0;
    int side = image->width > image->height ? image->width : image->height;
    sac_status status = SAC_OK;
    if (side > PICTURE_SIDE) {
        int width = image->width * (long long)PICTURE_SIDE / side;
        int height = image->height * (long long)PICTURE_SIDE / side;
        status =
            sac_image_scale(image, width ? width : 1, height ? height : 1, true, &small, error);
        image = &small;
    }
    if (status == SAC_OK)
        status = encode_png_bytes(image, &png, &png_size, error);
    bool opaque = status == SAC_OK &&
                  sac_is_opaque(image->rgba, (size_t)image->width * (size_t)image->height);
    if (opaque && png_size > SMALL_PNG)
        status = sac_jpeg_encode(image, JPEG_QUALITY, &jpeg, &jpeg_size, error);
    if (status == SAC_OK) {
        fprintf(file, ",\n\"picture\":{\"width\":%d,\"height\":%d,\"src\":\"data:image/%s;base64,",
                image->width, image->height, jpeg ? "jpeg" : "png");
        sac_base64_put(file, jpeg ? jpeg : (uint8_t *)png, jpeg ? jpeg_size : png_size);
        fputc('"', file);
        if (part[2] > part[0] && part[3] > part[1] && (part[2] - part[0]) * (part[3] - part[1]) < 1)
            fprintf(file, ",\"part\":[%.5g,%.5g,%.5g,%.5g]", (double)part[0], (double)part[1],
                    (double)part[2], (double)part[3]);
        fputc('}', file);
    }
    free(png);
    free(jpeg);
    sac_image_free(&small);
    return status;
}

static void put_words(FILE *file, const html_page *p)
{
    const sac_result_source *generator = &p->view->source->result;
    char *sentence = sac_result_make_line(&p->caption);
    fputs(",\n\"sentence\":", file);
    sac_write_json_text(file, sentence ? sentence : "");
    free(sentence);
    if (p->caption.is_doubtful)
        fputs(",\n\"perhaps\":\"perhaps:\"", file);
    if (generator->text[0]) {
        fputs(",\n\"read\":", file);
        sac_write_json_text(file, generator->text);
    }
    fprintf(file, ",\n\"rest\":%d,\n\"words\":[", sac_result_narrowest(&p->caption));
    for (int i = 0; i < p->caption.count; i++) {
        const sac_result_output *w = &p->caption.outputs[i];
        fprintf(file, "%s{\"sure\":%.4g,\"unsure\":%s,\"or\":[", i ? ",\n" : "",
                (double)w->probability, w->unsure ? "true" : "false");
        for (int k = 0, put = 0; k < 4; k++) {
            int word = w->alternative[k];
            if (word < 0 || word >= generator->vocabulary_count || !generator->vocabulary)
                continue;
            fputs(put++ ? ",[" : "[", file);
            sac_write_json_text(file, generator->vocabulary[word]);
            fprintf(file, ",%.4g]", (double)w->alternative_probability[k]);
        }
        fputs("]}", file);
    }
    fputs("]", file);
}

/* The settings of the view by which the page begins. */
static void write_view_setting(void *user, const char *key, const char *value)
{
    static const char *const names[] = {"reduce", "scale", "first tokens", "first tokens count"};
    FILE *file = user;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i]) == 0) {
            fputc(',', file);
            sac_write_json_text(file, key);
            fputc(':', file);
            sac_write_json_text(file, value);
        }
}

static void find_colormap_setting(void *user, const char *key, const char *value)
{
    if (strcmp(key, "map") == 0)
        viz_colormap_from_name(value, user);
}

/* The view's own colours on both grounds: of maps of numbers, and of heat over a picture. */
static void put_colors(FILE *file, viz_view *view)
{
    static const viz_theme *const themes[] = {&viz_theme_dark, &viz_theme_light};
    viz_colormap map = VIZ_INFERNO;
    viz_view_describe(view, find_colormap_setting, &map);
    fputs(",\n\"colors\":{", file);
    for (int i = 0; i < 2; i++) {
        fprintf(file, "%s\"%s\":{", i ? ",\n" : "", themes[i]->light ? "light" : "dark");
        viz_html_put_colors(file, "map", viz_map_colors(themes[i], map));
        fputc(',', file);
        viz_html_put_colors(file, "heat", viz_heat_colors(themes[i], map));
        fputc('}', file);
    }
    fputc('}', file);
}

/* Takes " (--axes BHQK reads items)" out of a note: who reads a page has no command line. */
static void drop_options(char *note)
{
    for (char *begin, *end; (begin = strstr(note, " (--")) && (end = strchr(begin, ')'));)
        memmove(begin, end + 1, strlen(end + 1) + 1);
}

static sac_status put_page(FILE *file, html_page *p, bool light, bool no_origin, sac_error *error)
{
    const sac_source *s = p->view->source;
    const sac_explanation_request *shown = &p->subject.request;
    const viz_html_range *range = &p->range[0];
    int levels = viz_html_levels(&p->bytes);
    sac_status status = SAC_OK;
    fputs(viz_html_head, file);
    fputs("<script type=\"application/json\" id=\"data\">{\"made\":\"Saccade " SAC_VERSION "\"",
          file);
    const char *name = strrchr(s->origin.file, '/');
    char note[sizeof s->note], doubt[SAC_GAZE_HEADS + 512], heads[SAC_GAZE_HEADS];
    const sac_result *c = &p->caption; /* what its maps are made of, where that is not attention */
    size_t used = 0;
    if (sac_gaze_is_auto(&c->gaze) &&
        sac_gaze_heads_write(c->gaze_heads, c->gaze_head_count, heads)[0])
        used = (size_t)snprintf(doubt, sizeof doubt, "Heads %s look at what is described. ", heads);
    if (sac_gaze_is_held(&c->gaze))
        used +=
            (size_t)snprintf(doubt + used, sizeof doubt - used,
                             "From word %d on it looks where it is held, at cell (%.2f, %.2f); "
                             "without that: “%.200s”%s",
                             c->gaze.from + 1, (double)c->gaze.x, (double)c->gaze.y,
                             c->before ? c->before : "", c->attribution || c->note[0] ? ". " : "");
    snprintf(doubt + used, sizeof doubt - used, "%s%s%s",
             c->attribution ? sac_attribution_phrase(c->attribution) : "",
             c->attribution && c->note[0] ? ". " : "", c->note);
    sac_source_shown_note(s, note, sizeof note);
    drop_options(note);
    const char *texts[][2] = {{"title", s->title[0] ? s->title
                                        : name      ? name + 1
                                                    : "attention"},
                              {"note", note},
                              {"doubt", doubt},
                              {"left out", p->left_out},
                              {"view", p->view->class->name},
                              {"dtype", s->weights.made.dtype},
                              {"device", no_origin ? "" : s->origin.device}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(file, ",\n\"%s\":", texts[i][0]);
        sac_write_json_text(file, texts[i][1]);
    }
    fprintf(file, ",\n\"theme\":\"%s\",\"levels\":%d", light ? "light" : "auto", levels);
    fprintf(file, ",\n\"start\":{\"item\":%zu,\"layer\":%zu,\"head\":%zu,\"row\":%zu",
            shown->caption ? 0 : shown->batch - range->item,
            shown->caption ? 0 : shown->layer - range->layer,
            shown->caption ? 0 : shown->head - range->head, shown->step);
    viz_view_describe(p->view, write_view_setting, file);
    fputc('}', file);
    put_colors(file, p->view);
    if (p->maps[0].grid_w)
        status = put_picture(file, &s->picture, error);
    if (shown->caption)
        put_words(file, p);
    fputs(",\n\"sets\":[", file);
    for (int i = 0; i < p->sets; i++) {
        fputs(i ? ",\n" : "", file);
        viz_html_put_maps(file, &p->maps[i], &p->range[i], viz_html_most(&p->bytes, i));
    }
    fputs("]", file);
    viz_html_put_vector_sizes(file, &p->vectors);
    fputs("}</script>\n", file);
    if (status == SAC_OK)
        status = viz_html_put_weights(file, &p->bytes, levels, error);
    if (status == SAC_OK)
        status = viz_html_put_vectors(file, &p->vectors, error);
    fputs(viz_html_tail, file);
    return status;
}

sac_status viz_html_write(viz_view *view, bool light, bool no_origin, FILE *file,
                          const sac_progress *progress, sac_error *error)
{
    if (view && view->source && view->source->lesson.write_recipe)
        return viz_html_put_lessons(file, view, light, error);
    html_page *page = calloc(1, sizeof *page);
    if (!page)
        return sac_no_memory(error, "page");
    page->view = view;
    sac_status status = gather_page_content(page, progress, error);
    if (status == SAC_OK)
        status = put_page(file, page, light, no_origin, error);
    viz_html_bytes_free(&page->bytes);
    free(page->vectors.numbers);
    sac_result_free(&page->caption);
    sac_attentions_free(&page->attentions);
    for (int i = 0; i < SAC_NORMALIZER_COUNT; i++)
        free(page->looks[i]);
    free(page);
    return status;
}

sac_status viz_html_save(viz_view *view, bool light, bool no_origin, const char *path,
                         const sac_progress *progress, sac_error *error)
{
    sac_output output = {0};
    sac_status status = sac_output_open(&output, path, error);
    if (status == SAC_OK)
        status = viz_html_write(view, light, no_origin, output.file, progress, error);
    if (status == SAC_OK)
        status = sac_output_commit(&output, error);
    sac_output_discard(&output);
    return status;
}
