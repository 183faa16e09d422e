/* A pretrained captioner and pictures, or a pretrained translator and a sentence, as a source that
 * generates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "architectures/captioning/pretrained_captioner.h"
#include "architectures/captioning/text_decoder.h"
#include "base/error.h"
#include "images/folder.h"
#include "sources/words/boxes.h"

enum { MOST_SECONDS = 2 * 60 * 60 }; /* of a sound, whose spectrogram is held */

typedef struct generator {
    sac_pretrained_captioner *captioner;
    sac_pretrained_model *model; /* lent by the captioner */
    /* Of a captioner. */
    sac_picture_files files;
    char *boxes;   /* the file of where things are in the only picture; NULL: none */
    bool together; /* its pictures are one example */
    int encoded;   /* the picture that the captioner encoded last; −1: none */
    sac_image shown;
    sac_sound_piece
        *pieces; /* [piece_count]: of sounds, in the order in which they are turned to; owned */
    int piece_count;
    int languages; /* the file whose spectrogram the captioner holds; −1: none */
    /* Of a translator: the tokens of the sentence. */
    int tokens[SAC_MAX_TOKENS];
    size_t token_count;
} generator;

/* ---------------------------------------------------------------- pictures */

/* A model that cuts the middle of a picture out sees something of another form. */
static bool sees_whole_picture(const sac_image *picture, const sac_image *seen)
{
    double stretch =
        (double)seen->width * picture->height / ((double)seen->height * picture->width);
    return fabs(stretch - 1) <= 0.02;
}

/* Boxes are of all of the picture. */
static sac_status read_boxes(const generator *s, const sac_image *whole, const sac_image *seen,
                             sac_caption_truth *truth, sac_error *error)
{
    if (!sees_whole_picture(whole, seen))
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "cut the picture to a square first",
                        "%s sees only the middle of %s", s->model->name, s->files.paths[0]);
    return sac_boxes_load(s->boxes, whole->width, whole->height, truth, error);
}

/* Remembers where the piece behind the one that was captioned last begins: it comes before the next sound. */
static sac_status insert_next_piece(generator *s, sac_result *caption, sac_error *error)
{
    const size_t next = sac_pretrained_captioner_next_piece(s->captioner);
    const int behind = s->encoded + 1;
    caption->goes_on = s->piece_count && next;
    if (!caption->goes_on ||
        (behind < s->piece_count && s->pieces[behind].file == s->pieces[s->encoded].file))
        return SAC_OK;
    sac_sound_piece *more = realloc(s->pieces, ((size_t)s->piece_count + 1) * sizeof *more);
    if (!more)
        return sac_no_memory(error, s->model->name);
    s->pieces = more;
    memmove(more + behind + 1, more + behind, (size_t)(s->piece_count - behind) * sizeof *more);
    more[behind] = (sac_sound_piece){more[s->encoded].file, next};
    s->piece_count++;
    return SAC_OK;
}

static int file_number_of_picture(const generator *s, int number)
{
    return s->piece_count ? s->pieces[number].file : number;
}

/* The first piece of the file. */
static sac_status encode_file(generator *s, int file, sac_image *shown, sac_error *error)
{
    sac_sound sound = {0};
    sac_status status = sac_sound_load(s->files.paths[file], SAC_MEL_RATE,
                                       (size_t)MOST_SECONDS * SAC_MEL_RATE, &sound, error);
    if (status == SAC_OK) {
        s->languages = -1;
        status = sac_pretrained_captioner_read_audio(s->captioner, &sound, shown, error);
    }
    if (status == SAC_OK && s->captioner->pieces.numbers)
        s->languages = file;
    sac_sound_free(&sound);
    return status;
}

/* The same of a sound, whose picture is its spectrogram. The first piece of a file decides on the language
 * of the others. */
static sac_status encode_sound(generator *s, int number, sac_image *shown, bool *whole,
                               sac_error *error)
{
    const sac_sound_piece p = s->pieces[number];
    const bool is_there = s->languages == p.file;
    sac_status status = SAC_OK;
    s->encoded = -1;
    if (!is_there)
        status = encode_file(s, p.file, p.at ? NULL : shown, error);
    if (status == SAC_OK && (is_there || p.at))
        status = sac_pretrained_captioner_read_piece(s->captioner, p.at, shown, error);
    if (status == SAC_OK && shown)
        *whole = true;
    if (status == SAC_OK)
        s->encoded = number;
    return status;
}

/* All pictures of the request at once; `shown` has them beside each other. */
static sac_status encode_together(generator *s, sac_image *shown, sac_error *error)
{
    sac_image images[SAC_PICTURE_PARTS] = {0};
    sac_status status = SAC_OK;
    s->encoded = -1;
    for (int i = 0; i < s->files.count && status == SAC_OK; i++)
        status = sac_image_load(s->files.paths[i], &images[i], error);
    if (status == SAC_OK)
        status = sac_pretrained_captioner_encode_pictures(s->captioner, images, s->files.count,
                                                          shown, error);
    for (int i = 0; i < s->files.count; i++)
        sac_image_free(&images[i]);
    if (status == SAC_OK)
        s->encoded = 0;
    return status;
}

/* `shown` (NULL: not wanted) is what the cells lie over, *whole where that is all of the picture. */
static sac_status encode_picture(generator *s, int picture, sac_image *shown, bool *whole,
                                 sac_caption_truth *truth, sac_error *error)
{
    sac_image image = {0};
    if (sac_architecture_has_audio(s->model))
        return encode_sound(s, picture, shown, whole, error);
    if (s->together)
        return encode_together(s, shown, error);
    s->encoded = -1;
    sac_status status = sac_image_load(s->files.paths[picture], &image, error);
    if (status == SAC_OK)
        status = sac_pretrained_captioner_encode_picture(s->captioner, &image, shown, error);
    if (status == SAC_OK && shown)
        *whole = sees_whole_picture(&image, shown);
    if (status == SAC_OK && shown && s->boxes)
        status = read_boxes(s, &image, shown, truth, error);
    sac_image_free(&image);
    if (status == SAC_OK)
        s->encoded = picture;
    return status;
}

/* All pictures have one grid, that of the first; a sound has as many cells as it is long. */
static sac_status set_or_check_grid(const generator *s, const char *path, sac_source *source,
                                    sac_error *error)
{
    const int grid_w = s->captioner->grid_w, grid_h = s->captioner->grid_h;
    if (!source->picture.grid_w || s->piece_count) {
        source->picture.grid_w = grid_w;
        source->picture.grid_h = grid_h;
    }
    if (grid_w == source->picture.grid_w && grid_h == source->picture.grid_h)
        return SAC_OK;
    return sac_fail(error, SAC_E_SHAPE, path, "open it by itself",
                    "gives the model %d x %d cells, and the first picture %d x %d", grid_w, grid_h,
                    source->picture.grid_w, source->picture.grid_h);
}

static void set_picture_title(const generator *s, const char *path, sac_source *source)
{
    const char *slash = strrchr(path, '/');
    char *absolute = realpath(path, NULL);
    snprintf(source->title, sizeof source->title, "%.60s, %.60s", s->model->name,
             slash ? slash + 1 : path);
    snprintf(source->weights.opened.image_file, sizeof source->weights.opened.image_file, "%s",
             absolute ? absolute : path);
    free(absolute);
}

/* Which cells are of which picture. "qwen, a.png + b.png" */
static void name_parts(const generator *s, sac_source *source)
{
    const sac_image_tokens *p = s->captioner->picture;
    size_t used = (size_t)snprintf(source->title, sizeof source->title, "%.60s,", s->model->name);
    source->picture.parts = p->parts;
    for (int i = 0; i < p->parts; i++) {
        const char *path = s->files.paths[i], *slash = strrchr(path, '/');
        char *absolute = realpath(path, NULL), *to = source->picture.part_file[i];
        source->picture.part[i] = p->place[i];
        snprintf(to, sizeof source->picture.part_file[i], "%s", absolute ? absolute : path);
        free(absolute);
        if (used < sizeof source->title)
            used += (size_t)snprintf(source->title + used, sizeof source->title - used, "%s %.40s",
                                     i ? " +" : "", slash ? slash + 1 : path);
    }
}

/* Where it fails, the picture of before is encoded again when it is requested. */
static sac_status turn_to_picture(sac_source *source, int picture, sac_error *error)
{
    generator *s = source->self;
    const char *path = s->files.paths[file_number_of_picture(s, picture)];
    sac_image shown = {0};
    sac_caption_truth truth = {0};
    bool whole = false;
    sac_status status = encode_picture(s, picture, &shown, &whole, &truth, error);
    if (status == SAC_OK)
        status = set_or_check_grid(s, path, source, error);
    if (status != SAC_OK) {
        sac_image_free(&shown);
        return status;
    }
    sac_image_free(&s->shown);
    s->shown = shown;
    set_picture_title(s, path, source);
    if (s->captioner->picture && s->captioner->picture->parts)
        name_parts(s, source);
    source->picture.image = &s->shown;
    source->picture.file_box[2] = source->picture.file_box[3] = whole ? 1 : 0;
    source->picture.number = picture;
    source->picture.file = file_number_of_picture(s, picture);
    source->result.has_truth = s->boxes != NULL;
    source->result.truth = truth;
    return SAC_OK;
}

/* ---------------------------------------------------------------- sentences */

/* The language that a text is put into. A folder without the first token needs
 * the language as an option. */
static sac_status find_target_language(const generator *s, const char *text, int *target,
                                       sac_error *error)
{
    const sac_tokenizer *t = s->model->tokenizer;
    char known[380];
    sac_status status = sac_tokenizer_target_language(t, text, target, error);
    bool is_free = !sac_tokenizer_knows_languages(t) || sac_tokenizer_begins_with_target(t);
    if (status == SAC_OK && *target < 0 && !is_free &&
        !s->model->decoder->text_decoder.rules.forced)
        return sac_fail(error, SAC_E_ARGUMENT, "language",
                        "give one with --to, or before the sentence, as >>CODE<<",
                        "%.40s has no target language; it knows %s", s->model->name,
                        sac_tokenizer_languages(t, known, sizeof known));
    return status;
}

static sac_status read_text(sac_source *source, const char *text, sac_error *error)
{
    generator *s = source->self;
    sac_tokens tokens = {0};
    int target = -1;
    sac_status status = sac_tokenizer_encode(s->model->tokenizer, text, true, &tokens, error);
    if (status == SAC_OK)
        status = find_target_language(s, text, &target, error);
    if (status == SAC_OK && tokens.count <= sac_tokenizer_frame_size(s->model->tokenizer))
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give some words", "has no words");
    else if (status == SAC_OK && strlen(text) >= sizeof source->result.text)
        status = sac_fail(error, SAC_E_ARGUMENT, "sentence", "give a shorter name",
                          "has more than %zu bytes", sizeof source->result.text - 1);
    if (status == SAC_OK)
        status = sac_pretrained_captioner_check_tokens(s->captioner, tokens.count, error);
    if (status == SAC_OK) {
        s->token_count = tokens.count;
        sac_pretrained_captioner_set_language(s->captioner, target);
        memcpy(s->tokens, tokens.ids, tokens.count * sizeof *s->tokens);
        if (text != source->result.text)
            snprintf(source->result.text, sizeof source->result.text, "%s", text);
    }
    sac_tokens_free(&tokens);
    return status;
}

static sac_status attentions(void *self, int model, const sac_result *caption, sac_attentions *a,
                             sac_error *error)
{
    const generator *s = self;
    int ids[SAC_MAX_TOKENS];
    size_t count = (size_t)sac_result_tokens(caption, ids);
    (void)model; /* there is one */
    return sac_pretrained_captioner_attentions(s->captioner, ids, count, a, error);
}

static sac_status head_maps(void *self, const sac_result_request *request, int layer, int count,
                            float *maps, sac_error *error)
{
    (void)request; /* it was decoded by it just now */
    return sac_pretrained_captioner_head_maps(((const generator *)self)->captioner, layer, count,
                                              maps, error);
}

/* A recurrent decoder looks once a word: of it there are the encoders alone. */
static sac_status all_attentions(void *self, const sac_result *caption, sac_attentions *a,
                                 sac_error *error)
{
    const generator *s = self;
    sac_status status = SAC_OK;
    *a = (sac_attentions){0};
    if (caption->count && s->model->decoder->layers && !s->model->decoder->text_decoder.recurrent)
        status = attentions(self, 0, caption, a, error);
    if (status == SAC_OK)
        status = sac_pretrained_captioner_encoders(s->captioner, a, error);
    if (status != SAC_OK)
        sac_attentions_free(a);
    return status;
}

/* The tokens before the cells of a picture among what words look at; false: its tokens are not its cells, one after the
 * other. */
static bool find_first_cell(const sac_pretrained_captioner *c, int *first)
{
    const sac_image_tokens *p = c->picture;
    const size_t cells = (size_t)c->grid_w * (size_t)c->grid_h;
    size_t at = 0, count = 0;
    *first = (int)c->prefix;
    if (!sac_captioner_reads_picture_in_prompt(c))
        return !sac_captioner_has_queries(c);
    const int token = c->decoder->text_decoder.connector.token;
    while (at < c->seen && c->ids[at] != token)
        at++;
    while (at + count < c->seen && c->ids[at + count] == token)
        count++;
    *first = (int)at;
    bool are_cells = p && !p->looks && count == cells && p->count == cells;
    for (size_t i = 0; are_cells && p->box && i < cells; i++)
        are_cells = p->box[i].width == 1 && p->box[i].height == 1 &&
                    p->box[i].x == (float)(i % (size_t)c->grid_w) &&
                    p->box[i].y == (float)(i / (size_t)c->grid_w);
    return are_cells;
}

sac_status sac_pretrained_caption_maps(sac_source *source, sac_attentions *a, int *prefix,
                                       sac_error *error)
{
    const generator *s = source->self;
    const sac_image *shown = &s->shown;
    sac_result caption = {0};
    *a = (sac_attentions){0};
    sac_status status = sac_source_encode(source, 0, error);
    if (status == SAC_OK)
        status = sac_source_generate(source, &(sac_result_request){0}, &caption, error);
    if (status == SAC_OK)
        status = attentions(source->self, 0, &caption, a, error);
    if (status == SAC_OK)
        status = sac_image_create(shown->width, shown->height, &a->picture, error);
    if (status == SAC_OK) {
        memcpy(a->picture.rgba, shown->rgba, 4 * (size_t)shown->width * (size_t)shown->height);
        a->grid_w = caption.grid_w;
        a->grid_h = caption.grid_h;
        if (!find_first_cell(s->captioner, prefix))
            sac_image_free(&a->picture);
    } else {
        sac_attentions_free(a);
    }
    sac_result_free(&caption);
    return status;
}

/* ---------------------------------------------------------------- generation */

static sac_status encode(sac_source *source, int model, sac_error *error)
{
    generator *s = source->self;
    (void)model;
    if (s->token_count)
        return sac_pretrained_captioner_read_tokens(s->captioner, s->tokens, s->token_count, error);
    return s->encoded == source->picture.number
               ? SAC_OK
               : encode_picture(s, source->picture.number, NULL, NULL, NULL, error);
}

static sac_status generate(void *self, const sac_result_request *request, sac_result *caption,
                           sac_error *error)
{
    generator *s = self;
    if (request->sampling)
        return sac_pretrained_captioner_step(s->captioner, request->sampling, &caption->generation,
                                             error);
    sac_status status = sac_pretrained_captioner_generate(s->captioner, request, caption, error);
    if (status == SAC_OK)
        sac_pretrained_captioner_separate_specials(s->captioner, caption);
    return status == SAC_OK ? insert_next_piece(s, caption, error) : status;
}

/* What is encoded is encoded anew when it is requested, with the heads as they are then. */
static sac_status scale_heads(void *self, int kind, const float *scale, sac_error *error)
{
    generator *s = self;
    s->encoded = -1;
    return sac_pretrained_captioner_scale(s->captioner, kind, scale, error);
}

static bool find_heads(const void *self, int kind, size_t *layers, size_t *heads)
{
    return sac_pretrained_captioner_head_counts(((const generator *)self)->captioner, kind, layers,
                                                heads);
}

static sac_status find_candidates(void *self, size_t step, const sac_sampling *how,
                                  sac_candidate *candidates, int *count, int *kept,
                                  sac_error *error)
{
    const generator *s = self;
    return sac_pretrained_captioner_candidates(s->captioner, step, how, candidates, count, kept,
                                               error);
}

/* Files, and the pieces of sounds that are known by now. */
static int count_pictures(const void *self)
{
    const generator *s = self;
    return s->piece_count ? s->piece_count : s->together ? 1 : s->files.count;
}

static const sac_sound_piece *pieces_of(const void *self, int *count)
{
    const generator *s = self;
    *count = s->piece_count;
    return s->pieces;
}

static bool token_allowed(const void *self, int word)
{
    return sac_beam_may_hold(&((const generator *)self)->captioner->search, word);
}

/* ---------------------------------------------------------------- opening */

static void destroy(void *self)
{
    generator *s = self;
    sac_pretrained_captioner_destroy(s->captioner);
    sac_image_free(&s->shown);
    sac_picture_files_free(&s->files);
    free(s->boxes);
    free(s->pieces);
    free(s);
}

/* What captioners and translators have in common. The model's name is `name`. */
static sac_status open_generator(sac_pretrained_model *model, const char *name, sac_source *source,
                                 sac_error *error)
{
    generator *s = calloc(1, sizeof *s);
    if (!s)
        return sac_no_memory(error, model->name);
    *source = (sac_source){.self = s,
                           .picture.count = 1,
                           .result.encode = encode,
                           .result.generate = generate,
                           .result.all_attentions = all_attentions,
                           .result.token_allowed = token_allowed,
                           .result.scale_heads = scale_heads,
                           .result.heads = find_heads,
                           .result.candidates = find_candidates,
                           .destroy = destroy};
    s->model = model;
    s->encoded = s->languages = -1;
    sac_status status = sac_pretrained_captioner_create(model, &s->captioner, error);
    if (status != SAC_OK)
        return status;
    const sac_beam_options *search = &s->captioner->search;
    if (model->decoder->text_decoder.spells) {
        source->result.is_spelled = true;
        source->result.candidates = NULL;
    } else {
        source->result.vocabulary = s->captioner->words.text;
        source->result.vocabulary_count = s->captioner->words.count;
    }
    source->result.beam = source->result.is_spelled ? 1 : search->width;
    source->result.length_penalty = (float)search->length_penalty;
    source->result.sampling.count =
        search->length < SAC_GENERATION_MOST ? search->length : SAC_GENERATION_MOST;
    source->result.has_times =
        sac_architecture_has_audio(model) && !sac_captioner_reads_picture_in_prompt(s->captioner);
    source->result.holds_gaze = sac_architecture_has_media_encoder(model) &&
                                !sac_architecture_has_audio(model) &&
                                !model->decoder->nets; /* which would have gone on already */
    source->result.attributions = sac_pretrained_captioner_attribution_bits(s->captioner);
    if (model->resampler)
        source->result.queries = (int)model->resampler->detector.queries;
    sac_source_add_model(source, name);
    snprintf(source->result.name, sizeof source->result.name, "%.63s", model->name);
    sac_architecture_origin(model, &source->origin);
    if (model->note[0])
        sac_source_add_note(source, SAC_NOTE_REPORTED, "%s", model->note);
    return SAC_OK;
}

/* Asks what is to be answered of pictures; without a question the captioner has one. */
static sac_status ask(const sac_pictures_request *r, sac_source *source, sac_error *error)
{
    generator *s = source->self;
    bool answers = s->model->decoder->text_decoder.question != SAC_ASKED_NOWHERE;
    if (r->question && !answers)
        return sac_fail(error, SAC_E_ARGUMENT, "--text", "leave it out",
                        "is given, and %s answers no questions", s->model->name);
    sac_status status =
        r->question ? sac_pretrained_captioner_ask(s->captioner, r->question, error) : SAC_OK;
    if (status == SAC_OK && (r->language || r->task))
        status = sac_pretrained_captioner_set_audio_task(s->captioner, r->language, r->task, error);
    snprintf(source->origin.language, sizeof source->origin.language, "%s",
             r->language ? r->language : "");
    snprintf(source->origin.task, sizeof source->origin.task, "%s", r->task ? r->task : "");
    if (status == SAC_OK && answers) {
        source->result.typed = true;
        snprintf(source->result.text, sizeof source->result.text, "%s", s->captioner->question);
    }
    return status;
}

/* Those that are known already, or the first of each sound. */
static sac_status set_sound_pieces(generator *s, const sac_pictures_request *r, sac_error *error)
{
    bool are_known = r->piece_count > 0;
    for (int i = 0; i < r->piece_count; i++)
        are_known &= r->pieces[i].file < s->files.count;
    const int count = are_known ? r->piece_count : s->files.count;
    s->pieces = calloc((size_t)count, sizeof *s->pieces);
    if (!s->pieces)
        return sac_no_memory(error, s->model->name);
    s->piece_count = count;
    for (int i = 0; i < count; i++)
        s->pieces[i] = are_known ? r->pieces[i] : (sac_sound_piece){.file = i};
    return SAC_OK;
}

static sac_status open_pictures(const sac_pictures_request *r, sac_source *source, sac_error *error)
{
    generator *s = source->self;
    sac_status status = sac_picture_files_find(r->pictures, r->count, &s->files, error);
    if (status != SAC_OK)
        return status;
    if (r->boxes && s->files.count > 1)
        return sac_fail(error, SAC_E_ARGUMENT, "--boxes", "give one picture",
                        "works with one picture, but %d are given", s->files.count);
    if (r->together && sac_architecture_has_audio(s->model))
        return sac_fail(error, SAC_E_ARGUMENT, "--together", "leave it out",
                        "is of pictures, and %s takes one sound at a time", s->model->name);
    s->together = r->together && s->files.count > 1;
    if (s->together && s->files.count > SAC_PICTURE_PARTS)
        return sac_fail(error, SAC_E_ARGUMENT, "--together", "give fewer pictures",
                        "is given with %d pictures; up to %d are possible", s->files.count,
                        SAC_PICTURE_PARTS);
    if (r->boxes && !(s->boxes = strdup(r->boxes)))
        return sac_no_memory(error, r->boxes);
    if (sac_architecture_has_audio(s->model)) {
        status = set_sound_pieces(s, r, error);
        if (status != SAC_OK)
            return status;
        const int joined = s->model->decoder->text_decoder.connector.shuffle;
        source->picture.most_cells = (int)s->model->max_positions / (joined ? joined : 1);
        source->picture.pieces = pieces_of;
    }
    const int count = source->picture.count = count_pictures(s);
    source->picture.turn = turn_to_picture;
    source->picture.counted = count_pictures;
    return turn_to_picture(source, r->picture < count ? r->picture : count - 1, error);
}

sac_status sac_pretrained_caption_open(sac_pretrained_model *model,
                                       const sac_pictures_request *request, sac_source *source,
                                       sac_error *error)
{
    *source = (sac_source){0};
    if (request->count < 1)
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder and pictures",
                        "is a model that captions pictures");
    if (sac_architecture_translates(model))
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder of a captioner",
                        "reads texts, and no pictures");
    const sac_pretrained_model *decoder = model->decoder;
    const bool is_recurrent = decoder && decoder->text_decoder.recurrent;
    const char *score = is_recurrent ? "w·relu(W₁a + W₂h)" : sac_score_name(SAC_SCORE_SCALED_DOT);
    sac_status status = open_generator(model, score, source, error);
    if (status == SAC_OK)
        status = ask(request, source, error);
    if (status == SAC_OK) {
        const sac_pretrained_model *looks = decoder->layers ? decoder : model;
        source->weights.layers = is_recurrent ? 0 : (size_t)looks->layers;
        source->weights.heads = is_recurrent ? 0 : (size_t)looks->run.heads;
        source->result.head_maps = source->result.holds_gaze && !is_recurrent ? head_maps : NULL;
        if (decoder->run.key_heads)
            source->result.heads_together =
                (size_t)decoder->run.heads / (size_t)decoder->run.key_heads;
        snprintf(source->weights.made.score, sizeof source->weights.made.score, "%s", score);
        status = open_pictures(request, source, error);
    }
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}

bool sac_pretrained_translates_to(const sac_pretrained_model *model, const char *to)
{
    char token[64];
    snprintf(token, sizeof token, ">>%.40s<<", to);
    return sac_architecture_translates(model) && (sac_tokenizer_knows_languages(model->tokenizer) ||
                                                  sac_tokenizer_find(model->tokenizer, token) >= 0);
}

sac_status sac_pretrained_translation_open(sac_pretrained_model *model, const char *text,
                                           sac_source *source, sac_error *error)
{
    *source = (sac_source){0};
    if (!sac_architecture_translates(model))
        return sac_fail(error, SAC_E_ARGUMENT, model->folder, "give the folder of a translator",
                        "is not a translator");
    sac_status status = open_generator(model, model->name, source, error);
    source->result.read = read_text;
    source->result.attentions = attentions;
    if (status == SAC_OK) {
        snprintf(source->title, sizeof source->title, "%.120s", model->name);
        status = read_text(source, text, error);
    }
    if (status != SAC_OK)
        sac_source_destroy(source);
    return status;
}
