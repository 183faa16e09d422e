/* The layout over a picture, from the bottom up and from the right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parts/figures/seconds.h"
#include "sentence/sentence_state.h"
#include "view/words.h"

#define READOUT 28.0f       /* the line of numbers below a picture, with its gap */
#define TITLE_ROW 22.0f     /* from a title's top to what it names */
#define COLUMN_GAP 32.0f    /* between the picture and the column beside it */
#define TRANSPORT 24.0f     /* the row of the timeline */
#define NOTE_SIZE 0.0225f   /* of the window's height: it is read from where the sentence is */
#define ROOMY_HEIGHT 560.0f /* from here on there is air */
#define CROSS 16.0f         /* space after a replaced word */
#define LEAST_ROW 9.0f      /* of the matrix; lower ones have no legible names */
#define MOST_ROW 60.0f

/* Down to a whole pixel, so that pictures of one size have one size in pixels too. */
static float round_down_to_pixel(const viz_canvas *canvas, float length)
{
    return floorf(length * canvas->density + 1e-3f) / canvas->density;
}

/* Below a picture: the axis of a sound. */
static float seconds_axis_height(const sentence_view *v)
{
    return v->result.seconds > 0 ? VIZ_SECONDS_HEIGHT : 0;
}

float caption_aspect(const sentence_view *v)
{
    const sac_image *image = &v->scene.image;
    return image->height > 0 ? (float)image->width / (float)image->height : 1;
}

/* The height of a picture, by its width; 1 where that is more. */
static float relative_height(float aspect)
{
    return aspect > 1 ? 1 / aspect : 1;
}

viz_rect caption_fit_picture(const sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    float w = room.w, h = room.h, aspect = caption_aspect(v);
    if (w < h * aspect)
        h = fmaxf(round_down_to_pixel(canvas, w / aspect), 1);
    else if (w > h * aspect)
        w = fmaxf(round_down_to_pixel(canvas, h * aspect), 1);
    return (viz_rect){room.x, room.y + room.h - h, w, h};
}

/* ---------------------------------------------------------------- the note */

/* Whose weights are shown, of a model that has layers of heads. */
static void write_layer_and_head(const sentence_view *v, char *text, size_t size)
{
    const sac_source *source = v->base.source;
    char layer[48], head[48];
    if (v->layer != VIZ_MEAN)
        snprintf(layer, sizeof layer, viz_word("layer %d"), v->layer);
    else
        snprintf(layer, sizeof layer, viz_word("mean of %zu layers"), source->weights.layers);
    if (v->head != VIZ_MEAN)
        snprintf(head, sizeof head, viz_word("head %d"), v->head);
    else
        snprintf(head, sizeof head, viz_word("mean of %zu heads"), source->weights.heads);
    snprintf(text, size, "%s, %s", layer, head);
    if (source->result.queries)
        snprintf(text + strlen(text), size - strlen(text), viz_word(", through %d queries"),
                 source->result.queries);
    if (v->no_sinks && v->result.sinks)
        snprintf(text + strlen(text), size - strlen(text), viz_word(", without %d sinks"),
                 v->result.sinks);
}

static size_t count_chosen_heads(const sac_result *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->gaze_head_count; i++)
        count += c->gaze_heads[i].is_chosen;
    return count;
}

/* Each is named by layer and head, the best first, as many as fit a line. */
static void write_chosen_heads(const sac_result *c, char *text, size_t size)
{
    enum { MOST = 6 };
    size_t used = 0, named = 0;
    text[0] = '\0';
    for (size_t i = 0; i < c->gaze_head_count && named < MOST && used < size; i++) {
        const sac_gaze_head *head = &c->gaze_heads[i];
        if (head->is_chosen)
            used += (size_t)snprintf(text + used, size - used, "%s%zu.%zu", named++ ? ", " : "",
                                     head->layer, head->head);
    }
    if (count_chosen_heads(c) > MOST && used < size)
        snprintf(text + used, size - used, " …");
}

void caption_write_gaze_heads(const sentence_view *v, char *text, size_t size)
{
    char heads[80];
    const size_t count = count_chosen_heads(&v->result);
    write_chosen_heads(&v->result, heads, sizeof heads);
    if (count)
        snprintf(text, size, viz_word("box: the look of %zu of %zu heads: %s"), count,
                 v->result.gaze_head_count, heads);
    else
        snprintf(text, size, "%s", viz_word("no head looks at places of its words"));
}

void caption_write_gaze(const sentence_view *v, char *text, size_t size)
{
    const int word = sac_result_word_at(&v->result, v->result.gaze.from);
    const char *from = word >= 0 ? v->result.outputs[word].text : "";
    const size_t count = count_chosen_heads(&v->result);
    if (count)
        snprintf(text, size, viz_word("from “%s” on, heads held: %zu of %zu; by itself: %s"), from,
                 count, v->result.gaze_head_count, v->result.before);
    else
        snprintf(text, size, viz_word("from “%s” on it looks where it is held; by itself: %s"),
                 from, v->result.before);
}

void caption_note(const sentence_view *v, char *text, size_t size)
{
    const sentence_scene *scene = &v->scene;
    const char *note = v->result.note;
    const sac_attribution a = v->result.attribution;
    bool wrong = v->truth && scene->has_truth && v->result.count && !v->right;
    if (wrong)
        snprintf(text, size, viz_word("truly: %s"), scene->truth.caption);
    else if (v->result.before && !v->changes.none)
        caption_write_gaze(v, text, size);
    else if (v->result.gaze_heads && !v->result.before)
        caption_write_gaze_heads(v, text, size);
    else if (a)
        snprintf(text, size, "%s%s%s", viz_word(sac_attribution_phrase(a)), note[0] ? "  ·  " : "",
                 viz_word(note));
    else
        snprintf(text, size, "%s", viz_word(note[0] ? note : scene->note));
    if (!text[0] && v->base.source->weights.layers > 0)
        write_layer_and_head(v, text, size);
}

/* ---------------------------------------------------------------- the sentence */

static float line_height(float size)
{
    return ceilf(1.5f * size);
}

viz_face caption_word_face(const sentence_view *v, int word)
{
    return v->changes.fresh[word] ? VIZ_SANS_BOLD : VIZ_SANS;
}

/* Between words. */
static float space_of(const sentence_view *v, float size)
{
    return (v->numbers ? 0.44f : 0.3f) * size;
}

/* Before a word, behind another: as in the line; of whole words none before a full stop. */
static float space_before(const sentence_view *v, int word, float size)
{
    const sac_result *c = &v->result;
    const char *text = word < c->count ? c->outputs[word].text : "";
    bool is_sign = text[0] && !text[1] && strchr(".,;:!?)", text[0]);
    bool joins = word < c->count && (sac_result_joins(c, word) || (!c->line && is_sign));
    bool alone = v->changes.gone[word][0]; /* what is gone stands before it */
    return joins && !alone ? 0 : space_of(v, size);
}

/* Of what is gone before a word, with the space behind it. */
static float struck_out_width(const sentence_view *v, const viz_canvas *canvas, int word,
                              float size)
{
    const char *gone = v->changes.gone[word];
    return gone[0] ? viz_text_width(canvas, VIZ_SANS, size, gone) + space_of(v, size) : 0;
}

/* Sets the words from (x, y) in lines of `width`, into `row`, NULL: they are only measured; returns how
 * many lines. */
static int lay_words_in_lines(const sentence_view *v, const viz_canvas *canvas, float x, float y,
                              float width, float size, sentence_row *row)
{
    const int count = v->result.count;
    float left = x, right = x + width, space = space_of(v, size), high = ceilf(1.4f * size);
    int lines = 1;
    if (v->result.is_doubtful && count) {
        float w = viz_text_width(canvas, VIZ_SANS, size, viz_word("perhaps:"));
        if (row)
            row->perhaps = (viz_rect){x, y, w, high};
        x += w + space;
    }
    for (int i = 0; i < count; i++) {
        float w = viz_text_width(canvas, caption_word_face(v, i), size, v->result.outputs[i].text);
        float cross = sentence_is_replaced(v, i) ? CROSS : 0;
        float gone = struck_out_width(v, canvas, i, size);
        if (x > left && x + gone + w + cross > right) {
            x = left;
            y += line_height(size);
            lines++;
        }
        if (row && gone > 0)
            row->gone[i] = (viz_rect){x, y, gone - space, high};
        x += gone;
        if (row) {
            row->word[i] = (viz_rect){x, y, w, high};
            row->cross[i] = (viz_rect){x + w, y, cross, ceilf(0.8f * size)};
        }
        x += w + cross + space_before(v, i + 1, size);
    }
    float gone = struck_out_width(v, canvas, count, size);
    if (row && gone > 0 && x + gone - space <= right)
        row->gone[count] = (viz_rect){x, y, gone - space, high};
    return lines;
}

/* The largest size of text, from `*size` down to `least`, at which the sentence stands in `lines`
 * lines; false: none does. */
static bool fit_size(const sentence_view *v, const viz_canvas *canvas, float width, int lines,
                     float least, float *size)
{
    for (; *size >= least; *size -= 1) {
        if (lay_words_in_lines(v, canvas, 0, 0, width, *size, NULL) <= lines)
            return true;
    }
    return false;
}

#define MOST_SENTENCE 0.4f /* of the height, for a sentence in lines */
enum { FEW_LINES = 3, LEAST_TEXT = 8, SCROLLED_TEXT = 13 };

static int most_lines(viz_rect area, float size)
{
    int most = (int)(MOST_SENTENCE * area.h / line_height(size));
    return most > 1 ? most : 1;
}

/* As large as wanted, and smaller down to `legible` before it takes another line; in more than a few lines down to
 * the smallest text, and where that is too much for the area it scrolls. */
static float sentence_size(const sentence_view *v, const viz_canvas *canvas, viz_rect area,
                           float width, float wanted, float legible)
{
    float size = wanted;
    int least = lay_words_in_lines(v, canvas, 0, 0, width, LEAST_TEXT, NULL);
    for (int lines = least; lines <= FEW_LINES; lines++, size = wanted)
        if (fit_size(v, canvas, width, lines, legible, &size))
            return size;
    if (least > most_lines(area, LEAST_TEXT))
        return fminf(wanted, SCROLLED_TEXT);
    size = wanted;
    fit_size(v, canvas, width, least > FEW_LINES ? least : FEW_LINES + 1, LEAST_TEXT, &size);
    return fmaxf(size, LEAST_TEXT);
}

static void scroll_rect(viz_rect *r, float top, float bottom, float by)
{
    r->y -= by;
    if (r->y < top - 0.5f || r->y > bottom - 1)
        *r = (viz_rect){0};
}

/* Of a sentence in more lines than `most` those around the current word are left, from y on. */
static void scroll_words(const sentence_view *v, float y, int lines, int most, float height,
                         sentence_row *row)
{
    const int count = v->result.count;
    if (lines <= most || !count)
        return;
    int first = (int)roundf((row->word[sentence_current_word(v)].y - y) / height) - most / 2;
    first = first > lines - most ? lines - most : first < 0 ? 0 : first;
    const float bottom = y + (float)most * height, by = (float)first * height;
    for (int i = 0; i < count; i++) {
        scroll_rect(&row->word[i], y, bottom, by);
        scroll_rect(&row->cross[i], y, bottom, by);
        scroll_rect(&row->gone[i], y, bottom, by);
    }
    scroll_rect(&row->gone[count], y, bottom, by);
    scroll_rect(&row->perhaps, y, bottom, by);
}

/* Brings each line of the sentence into the middle. */
static void centre_words(const sentence_view *v, sentence_row *row, float right)
{
    int count = v->result.count, first = 0;
    for (int i = 0; i < count; i++) {
        if (i + 1 < count && row->word[i + 1].y == row->word[i].y)
            continue;
        bool ends = i + 1 == count && row->gone[count].w > 0;
        viz_rect last = ends ? row->gone[count] : row->cross[i];
        float by = floorf((right - last.x - last.w) / 2);
        row->perhaps.x += first == 0 ? by : 0;
        for (int k = first; k <= i; k++) {
            row->gone[k].x += row->gone[k].w > 0 ? by : 0;
            row->word[k].x += row->word[k].w > 0 ? by : 0;
            row->cross[k].x += by;
        }
        row->gone[count].x += ends ? by : 0;
        first = i + 1;
    }
}

/* The sentence so that it ends at `bottom`; returns its upper edge. Where it is long, the lines around the
 * current word. */
static float lay_sentence(sentence_view *v, const viz_canvas *canvas, viz_rect area, float bottom,
                          float wanted, float legible)
{
    float x = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    float size = sentence_size(v, canvas, area, width, wanted, legible), height = line_height(size);
    int lines = lay_words_in_lines(v, canvas, x, 0, width, size, NULL);
    const int most = most_lines(area, size);
    float y = bottom - (float)(lines < most ? lines : most) * height;
    lay_words_in_lines(v, canvas, x, y, width, size, &v->layout.line);
    if (!v->numbers)
        centre_words(v, &v->layout.line, x + width);
    scroll_words(v, y, lines, most, height, &v->layout.line);
    v->layout.line.size = size;
    v->layout.first = (viz_rect){x, y, width, height};
    return y;
}

/* The note above `bottom`, where there is one, or its place is `kept`; returns its upper edge. */
static float lay_note(sentence_view *v, const viz_canvas *canvas, viz_rect area, float bottom,
                      bool kept)
{
    /* Of what should be known before the sentence is trusted. */
    v->layout.note_size = fmaxf(roundf(NOTE_SIZE * viz_height(canvas)), VIZ_BODY);
    char note[sizeof v->scene.note];
    caption_note(v, note, sizeof note);
    if (!note[0] && !kept)
        return bottom;
    float height = line_height(v->layout.note_size);
    v->layout.note = (viz_rect){area.x + VIZ_MARGIN, bottom - height + 2,
                                fmaxf(area.w - 2 * VIZ_MARGIN, 1), height - 2};
    return bottom - height;
}

/* ---------------------------------------------------------------- strip and matrix */

static void lay_matrix(sentence_layout *l, const viz_canvas *canvas, const sac_result *c,
                       viz_rect room, float row)
{
    float size = row >= 15 ? VIZ_LABEL : fmaxf(row - 1.5f, 7), height = row * (float)c->count;
    float names = 0; /* their width */
    for (int i = 0; i < c->count && row >= LEAST_ROW; i++)
        names = fmaxf(names, viz_text_width(canvas, VIZ_SANS, size, c->outputs[i].text));
    if (row >= LEAST_ROW)
        names = ceilf(names) + VIZ_GAP;
    if (room.w < 3 * names)
        return;
    l->matrix_title = (viz_rect){room.x, room.y, room.w, 16};
    if (names > 0)
        l->matrix_names = (viz_rect){room.x, room.y + TITLE_ROW, names - VIZ_GAP, height};
    l->matrix = (viz_rect){room.x + names, room.y + TITLE_ROW, room.w - names, height};
}

/* The small maps in the number of columns that makes them largest; returns the height that they take. */
static float lay_strip(sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    sentence_layout *l = &v->layout;
    const int count = v->result.count;
    float tall = relative_height(caption_aspect(v)), below = l->roomy ? 33 : 17, size = 0, best = 0;
    int columns = 1;
    for (int wide = 1; wide <= count; wide++) {
        int rows = (count + wide - 1) / wide;
        float across = (room.w - VIZ_GAP * (float)(wide - 1)) / (float)wide;
        float down = (room.h - VIZ_GAP * (float)(rows - 1)) / (float)rows - below;
        float side = fminf(fminf(across, down / tall), 240);
        /* Rather a little smaller than with an empty place at the right. */
        float value = side * (0.7f + 0.3f * fminf(side * (float)wide / room.w, 1));
        if (side > 0 && value > best) {
            columns = wide;
            size = side;
            best = value;
        }
    }
    if (size < 20)
        return 0;
    float high = round_down_to_pixel(canvas, size * tall), step = high + below + VIZ_GAP;
    size = round_down_to_pixel(canvas, size);
    /* The last column ends where the matrix ends, unless that tears the pictures apart. */
    float spare = room.w - size * (float)columns;
    float gap = columns > 1 ? fminf(spare / (float)(columns - 1), 5 * VIZ_GAP) : 0;
    for (int i = 0; i < count; i++) {
        float x = round_down_to_pixel(canvas, room.x + (size + gap) * (float)(i % columns));
        float y = round_down_to_pixel(canvas, room.y + step * (float)(i / columns));
        l->thumb[i] = (viz_rect){x, y, size, high};
        l->label[i] = (viz_rect){x, y + high + 1, size, 16};
        if (l->roomy)
            l->small[i] = (viz_rect){x, y + high + 17, size, 16};
    }
    return step * (float)((count + columns - 1) / columns) - VIZ_GAP;
}

/* Lays out the bar at the foot of `room`, where `baseline` is its last line of text. Returns the
 * space above it. */
static viz_rect lay_bar(sentence_layout *l, viz_rect room, float baseline, float gap)
{
    bool named = room.h > 480 || l->roomy;
    l->bar = (viz_rect){room.x, baseline - (named ? 46 : 28), room.w,
                        named ? VIZ_BAR_NAMED_HEIGHT : VIZ_BAR_HEIGHT};
    return (viz_rect){room.x, room.y, room.w, l->bar.y - gap - room.y};
}

/* Strip, matrix and colour bar one below the other. */
static void lay_column(sentence_view *v, const viz_canvas *canvas, viz_rect room, float baseline)
{
    sentence_layout *l = &v->layout;
    const int count = v->result.count;
    float gap = l->roomy ? 20 : 10;
    viz_rect above = lay_bar(l, room, baseline, gap);
    l->strip_title = (viz_rect){room.x, room.y, room.w, 16};
    if (!count)
        return;
    float height = above.h - TITLE_ROW;
    float row = fminf(fmaxf(0.38f * height / (float)count, LEAST_ROW), 22);
    bool matrix = row * (float)count < 0.5f * height;
    float below = matrix ? row * (float)count + TITLE_ROW + gap : 0;
    viz_rect strip = {room.x, room.y + TITLE_ROW, room.w, height - below};
    float used = lay_strip(v, canvas, strip);
    if (matrix) {
        row = fminf(row + (strip.h - used) / (float)count, MOST_ROW);
        strip.y += used + gap;
        lay_matrix(l, canvas, &v->result, strip, round_down_to_pixel(canvas, row));
    } else if (!(used > 0)) { /* so many words: rather thin rows than no maps */
        l->strip_title = (viz_rect){0};
        row = (height - TITLE_ROW) / (float)count;
        if (row * canvas->density >= 1)
            lay_matrix(l, canvas, &v->result, room, round_down_to_pixel(canvas, row));
    }
}

/* The strip beside the picture, matrix and bar below both. */
static void lay_strip_beside_picture(sentence_view *v, const viz_canvas *canvas, viz_rect beside,
                                     viz_rect below)
{
    sentence_layout *l = &v->layout;
    viz_rect room = lay_bar(l, below, below.y + below.h - 4, 20);
    l->strip_title = (viz_rect){beside.x, beside.y, beside.w, 16};
    if (!v->result.count)
        return;
    beside.y += TITLE_ROW;
    beside.h -= TITLE_ROW;
    lay_strip(v, canvas, beside);
    float row = fminf((room.h - TITLE_ROW) / (float)v->result.count, MOST_ROW);
    if (row >= LEAST_ROW)
        lay_matrix(l, canvas, &v->result, room, round_down_to_pixel(canvas, row));
}

/* ---------------------------------------------------------------- with numbers */

#define WIDE_SHARE 0.482f   /* of the width, for a picture at the left … */
#define FLAT_SHARE 0.55f    /* … that is wider than high */
#define LEAST_BESIDE 150.0f /* a strip beside the picture is at least so wide */
#define LEAST_TITLE 130.0f  /* "one map per word", and a gap */

/* A square place for the picture, and below it a line: the pointer's cell at the left, and the word's numbers. */
static void lay_picture_square(sentence_layout *l, float x, float y, float size)
{
    float measures = size >= 540 ? 0.58f * size : 0.66f * size, readout = size - measures;
    l->picture = (viz_rect){x, y, size, size};
    y += size + VIZ_GAP;
    l->measures = (viz_rect){x + readout, y, measures, 20};
    l->readout = (viz_rect){x, y, fmaxf(readout - VIZ_GAP, 0), 20};
}

/* The picture at the left, the rest at its right. */
static void lay_wide(sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    float tall = relative_height(caption_aspect(v)), share = tall < 1 ? FLAT_SHARE : WIDE_SHARE;
    float readout = READOUT + seconds_axis_height(v);
    float size = fminf(share * (room.w - COLUMN_GAP), (room.h - readout) / tall);
    size = round_down_to_pixel(canvas, fmaxf(size, 1));
    lay_picture_square(&v->layout, room.x, room.y, size);
    viz_rect rest = {room.x + size + COLUMN_GAP, room.y, room.w - size - COLUMN_GAP, room.h};
    float foot = tall < 1 ? room.h - readout : size; /* both end there */
    lay_column(v, canvas, rest, room.y + foot + VIZ_GAP + 14);
}

/* The matrix and the bar below the picture, and the strip beside it if there is space. */
static void lay_upright(sentence_view *v, const viz_canvas *canvas, viz_rect room)
{
    float tall = relative_height(caption_aspect(v)), size = fminf(room.w, 0.54f * room.h / tall);
    /* A little smaller where that leaves the matrix its place below the strip. */
    float column = 2 * LEAST_ROW * (float)v->result.count + 2 * TITLE_ROW + VIZ_BAR_NAMED_HEIGHT;
    float readout = READOUT + seconds_axis_height(v);
    float less = (room.h - readout - VIZ_GAP - column) / tall;
    size = round_down_to_pixel(canvas, fmaxf(less > 0.8f * size ? fminf(size, less) : size, 1));
    float high = tall * size, taken = high + readout + VIZ_GAP, spare = room.w - size - COLUMN_GAP;
    viz_rect beside = {room.x + size + COLUMN_GAP, room.y, spare, high};
    viz_rect below = {room.x, room.y + taken, room.w, room.h - taken};
    lay_picture_square(&v->layout, room.x, room.y, size);
    if (spare >= LEAST_BESIDE)
        lay_strip_beside_picture(v, canvas, beside, below);
    else
        lay_column(v, canvas, below, below.y + below.h - 4);
}

/* Adds the words of a setting so that they end at *right, where `least` is left before them; then *right is
 * where they begin. */
static void add_words_control(sentence_view *v, const viz_canvas *canvas, const char *name,
                              bool is_named, float least, float y, float *right)
{
    v->controls.label_width = is_named ? 0 : -1;
    float width =
        viz_control_lay_out(&v->base, canvas, name, 0, y, 1e6f, v->controls.label_width).rect.w;
    if (!(width > 0) || *right - width < least || canvas->theme->presents)
        return;
    *right -= width;
    viz_controls_add(&v->controls, &v->base, canvas, name, *right, y, 1e6f);
}

static bool explains(const viz_view *view)
{
    return view->source->weights.explain != NULL;
}

/* From the bottom up: timeline, note, sentence, rule; and the pictures in the rest. */
static void lay_page_with_numbers(sentence_view *v, const viz_canvas *canvas, viz_rect area)
{
    static const viz_key_row caps[] = {
        {"A", "animation", .tips = {N_("Save the play as an animation (A).")}},
        {"H", "hide cells",
         .tips = {N_("The left button hides cells from the model, or points again (H).")}},
        {"S", "PNG"},
        {"I", "why", .acts = explains},
        {"D", "matters?",
         .tips = {N_("Hides what the word looked at, and asks the model again (D).")}},
        {"T", "truth", .tips = {N_("What the picture truly shows, and where (T).")},
         .acts = sentence_has_truth},
        {"N", "next", .tips = {N_("The next picture (N).")}, .acts = sentence_has_other_pictures},
        {"=", "numbers", .tips = {N_("The numbers of each word, or the picture alone (=).")}},
        {"?", "keys"},
    };
    sentence_layout *l = &v->layout;
    float transport = area.y + area.h - (l->roomy ? 19 : 8) - TRANSPORT;
    float y = lay_note(v, canvas, area, transport - (l->roomy ? 14 : 5), false);
    y = lay_sentence(v, canvas, area, y, VIZ_SENTENCE, 15);
    l->rule = (viz_rect){area.x, y - (l->roomy ? 18 : 9), area.w, 1};
    float top = area.y + (l->roomy ? 12 : 8);
    viz_rect room = {area.x + VIZ_MARGIN, top, fmaxf(area.w - 2 * VIZ_MARGIN, 1),
                     fmaxf(l->rule.y - (l->roomy ? 10 : 4) - top, 1)};
    if (room.w < 0.95f * room.h)
        lay_upright(v, canvas, room);
    else
        lay_wide(v, canvas, room);
    sentence_lay_transport(v, canvas, area, transport, l->picture.x + l->picture.w, caps,
                           sizeof caps / sizeof *caps);
    float right = l->strip_title.x + l->strip_title.w;
    add_words_control(v, canvas, "overlay", false, l->strip_title.x + LEAST_TITLE,
                      l->strip_title.y - 3, &right);
    if (right < l->strip_title.x + l->strip_title.w)
        l->strip_title.w = right - VIZ_GAP - l->strip_title.x;
    /* The places that were laid out for squares, for pictures of another aspect: below the large
     * one its line follows it, … */
    viz_rect fit = caption_fit_picture(v, canvas, l->picture);
    float more = seconds_axis_height(v) + fit.h - l->picture.h;
    fit.y = l->picture.y;
    l->picture = fit;
    l->readout.y += more;
    l->measures.y += more;
    /* … there is space above the small ones. */
    for (int i = 0; i < v->result.count; i++)
        if (l->thumb[i].w > 0)
            l->thumb[i] = caption_fit_picture(v, canvas, l->thumb[i]);
}

/* ---------------------------------------------------------------- picture and sentence alone */

#define PLAIN_SENTENCE 0.055f /* of the window's height */
#define LEAST_SENTENCE 18.0f
#define PLAIN_ROW 22.0f
#define BUTTON_GAP 24.0f
#define LEAST_TRACK 90.0f

/* The buttons from the right, the first ones left out where there is no space. */
static void lay_buttons(sentence_view *v, const viz_canvas *canvas, float left, float right,
                        float y)
{
    sentence_layout *l = &v->layout;
    /* Before the first action: ways to go on, in place of what can be done. */
    const bool doors = v->demo.state != DEMO_OFF, hides = v->hidden_count > 0;
    const bool ended = !v->player.playing && (v->ended || v->player.step + 1 >= v->result.count);
    const struct {
        const char *name, *cap;
        bool shown;
    } all[] = {{"hold its look", "X", sentence_holds(&v->base) && !doors},
               {"again", "space", ended && !doors},
               {"show all", "U", hides && !doors},
               {"cover something", "H", !hides && !doors},
               {"does it matter?", "D", !doors && !v->base.source->result.is_spelled},
               {"open a model", "ctrl O", doors},
               {"learn how it works", NULL, doors},
               {"a picture of yours", "ctrl O", doors},
               {"next", "N", sentence_has_other_pictures(&v->base)},
               {"numbers", "=", !doors}};
    const char *names[VIZ_MAX_CHOICES];
    int most = (int)(sizeof all / sizeof *all);
    for (int from = 0; from < most; from++) {
        int count = 0;
        for (int i = from; i < most; i++)
            if (all[i].shown) {
                names[count] = all[i].name;
                l->button_caps[count++] = all[i].cap;
            }
        float width = viz_chips_layout(canvas, 0, y, 1e6f, names, count).rect.w;
        if (right - width < left && from + 1 < most)
            continue;
        l->buttons = viz_chips_layout(canvas, right - width, y, 1e6f, names, count);
        return;
    }
}

static void lay_plain_transport(sentence_view *v, const viz_canvas *canvas, viz_rect area, float y)
{
    float x = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN, start = x + 43;
    const float least = start + LEAST_TRACK + BUTTON_GAP;
    lay_buttons(v, canvas, least, right, y - 1);
    right = v->layout.buttons.rect.x - BUTTON_GAP;
    for (int i = 0; i < 2; i++) {
        float before = right;
        add_words_control(v, canvas, i ? "attribution" : "overlay", i, least, y + 2, &right);
        right -= right < before ? BUTTON_GAP : 0;
    }
    v->layout.play = (viz_rect){x - 2, y, 28, TRANSPORT};
    v->layout.track = (viz_rect){start, y, fmaxf(right - start, 0), TRANSPORT};
}

/* From the bottom up: timeline and buttons, note, where the word looked, the sentence; and the
 * picture in the rest. */
static void lay_plain(sentence_view *v, const viz_canvas *canvas, viz_rect area)
{
    sentence_layout *l = &v->layout;
    float x = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    float transport = area.y + area.h - (l->roomy ? 18 : 8) - TRANSPORT;
    float wanted = fmaxf(roundf(PLAIN_SENTENCE * viz_height(canvas)), LEAST_SENTENCE);
    lay_plain_transport(v, canvas, area, transport);
    float y = lay_note(v, canvas, area, transport - (l->roomy ? 16 : 8), l->roomy) - PLAIN_ROW;
    l->plain = (viz_rect){x, y, width, PLAIN_ROW - 2};
    /* The picture keeps its size while words are struck out, which makes the sentence longer and smaller, and
     * notes come and go. */
    y = fminf(lay_sentence(v, canvas, area, y, wanted, 0.6f * wanted), y - line_height(wanted));
    float top = area.y + (l->roomy ? 12 : 6), gap = l->roomy ? 14 : 6;
    viz_rect room = {x, top, width, fmaxf(y - gap - top - seconds_axis_height(v), 1)};
    l->picture = caption_fit_picture(v, canvas, room);
    l->picture.y = top + round_down_to_pixel(canvas, (room.h - l->picture.h) / 2);
    l->picture.x += round_down_to_pixel(canvas, (room.w - l->picture.w) / 2);
}

void caption_lay(sentence_view *v, const viz_canvas *canvas, viz_rect area)
{
    sentence_layout *l = &v->layout;
    *l = (sentence_layout){.roomy = area.h >= ROOMY_HEIGHT};
    v->area = area;
    viz_controls_clear(&v->controls);
    (v->numbers ? lay_page_with_numbers : lay_plain)(v, canvas, area);
    if (seconds_axis_height(v) > 0)
        l->seconds = (viz_rect){l->picture.x, l->picture.y + l->picture.h, l->picture.w,
                                seconds_axis_height(v)};
}

/* ---------------------------------------------------------------- the figure */

#define FIGURE_GAP 0.07f   /* between panels, of a panel's side */
#define FIGURE_LABEL 0.24f /* below a panel */

static float panel_size(viz_rect room, float tall, int columns, int rows)
{
    float across = room.w / ((float)columns + FIGURE_GAP * (float)(columns - 1));
    float down = room.h / ((tall + FIGURE_LABEL) * (float)rows + FIGURE_GAP * (float)(rows - 1));
    return fminf(across, down);
}

/* The columns that make panels largest; of those nearly as good, the ones that leave the fewest
 * places empty. */
static int figure_columns(viz_rect room, float tall, int panels)
{
    int best = 1;
    float best_value = 0;
    for (int columns = 1; columns <= panels; columns++) {
        int rows = (panels + columns - 1) / columns, empty = rows * columns - panels;
        float value = panel_size(room, tall, columns, rows) * (1 - 0.025f * (float)empty);
        if (value > best_value) {
            best_value = value;
            best = columns;
        }
    }
    return best;
}

#define LEAST_PANEL 70.0f      /* wide: its word has 6.8 points */
#define LEAST_FIGURE_TEXT 8.5f /* 6.4 points */

float caption_panels_height(float width, int words, float aspect)
{
    float room = width - 2 * fmaxf(0.035f * width, 8), tall = relative_height(aspect);
    int panels = words + 1, most = (int)(room / (LEAST_PANEL * (1 + FIGURE_GAP)));
    most = most < 1 ? 1 : most > panels ? panels : most;
    int rows = (panels + most - 1) / most, columns = (panels + rows - 1) / rows;
    float size = room / ((float)columns + FIGURE_GAP * (float)(columns - 1));
    return size * ((tall + FIGURE_LABEL) * (float)rows + FIGURE_GAP * (float)(rows - 1)) +
           2 * fmaxf(0.035f * width, 8);
}

caption_figure caption_lay_panels(const viz_canvas *canvas, viz_rect area, int words, float aspect)
{
    float tall = relative_height(aspect);
    caption_figure f = {.panels = words + 1};
    float margin = fmaxf(0.035f * fminf(area.w, area.h), 8);
    viz_rect room = {area.x + margin, area.y + margin, fmaxf(area.w - 2 * margin, 1),
                     fmaxf(area.h - 2 * margin, 1)};
    int columns = figure_columns(room, tall, f.panels), rows = (f.panels + columns - 1) / columns;
    float size = round_down_to_pixel(canvas, fmaxf(panel_size(room, tall, columns, rows), 1));
    float gap = FIGURE_GAP * size, label = FIGURE_LABEL * size;
    float high = round_down_to_pixel(canvas, fmaxf(tall * size, 1));
    float w = size * (float)columns + gap * (float)(columns - 1);
    float h = (high + label) * (float)rows + gap * (float)(rows - 1);
    float x0 = room.x + (room.w - w) / 2, y0 = room.y + (room.h - h) / 2;
    f.text_size = fmaxf(fminf(0.13f * size, 40), LEAST_FIGURE_TEXT);
    for (int i = 0; i < f.panels; i++) {
        float x = round_down_to_pixel(canvas, x0 + (size + gap) * (float)(i % columns));
        float y = round_down_to_pixel(canvas, y0 + (high + label + gap) * (float)(i / columns));
        f.panel[i] = (viz_rect){x, y, size, high};
        f.label[i] = (viz_rect){x, y + high, size, label};
    }
    return f;
}
