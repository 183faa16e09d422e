/* The layout of the caption view, from the bottom up and from the right. */

#include "caption/caption_layout.h"

#include "parts/figures/seconds.h"

#include "view/words.h"

#include <math.h>
#include <string.h>

#define READOUT 28.0f       /* the line of numbers below a picture, with its gap */
#define TITLE_ROW 22.0f     /* from a title's top to what it names */
#define COLUMN_GAP 32.0f    /* between the picture and the column beside it */
#define TRANSPORT 24.0f     /* the row of the timeline */
#define NOTE_SIZE 0.0225f   /* of the window's height: it is read from where the sentence is */
#define ROOMY_HEIGHT 560.0f /* from here on there is air */
#define CROSS 16.0f         /* space after a replaced word */
#define LEAST_ROW 9.0f      /* of the matrix; lower ones have no legible names */
#define MOST_ROW 60.0f

const char *const caption_value_names[VALUE_COUNT] = {"",      "temperature", "score", "beam",
                                                      "layer", "head",        "map"};

/* The caps of keys; where space is scarce the first ones are left out. */
static const viz_key_row caps[] = {{"A", "animation"}, {"H", "hide cells"}, {"S", "PNG"},
                                   {"I", "why"},       {"D", "matters?"},   {"T", "truth"},
                                   {"N", "next"},      {"=", "numbers"},    {"?", "keys"}};
enum { CAPS = sizeof caps / sizeof *caps };

/* Down to a whole pixel, so that pictures of one size have one size in pixels too. */
static float whole(const viz_canvas *canvas, float length)
{
    return floorf(length * canvas->density + 1e-3f) / canvas->density;
}

/* Below a picture: the axis of a sound. */
static float seconds_height(const caption_content *c)
{
    return c->caption && c->caption->seconds > 0 ? VIZ_SECONDS_HEIGHT : 0;
}

static int words_of(const caption_content *c)
{
    return c->caption ? c->caption->count : 0;
}

/* ---------------------------------------------------------------- the sentence */

static float line_height(float size)
{
    return ceilf(1.5f * size);
}

viz_face viz_caption_word_face(const caption_content *c, int word)
{
    return c->changes && c->changes->fresh[word] ? VIZ_SANS_BOLD : VIZ_SANS;
}

/* Between words. */
static float space_of(const caption_content *c, float size)
{
    return (c->plain ? 0.3f : 0.44f) * size;
}

/* Before a word, behind another: as in the line; of whole words none before a full stop. */
static float space_before(const caption_content *c, int word, float size)
{
    const char *text = word < words_of(c) ? c->caption->outputs[word].text : "";
    bool is_sign = text[0] && !text[1] && strchr(".,;:!?)", text[0]);
    bool joins = word < words_of(c) &&
                 (sac_result_joins(c->caption, word) || (!c->caption->line && is_sign));
    bool alone = c->changes && c->changes->gone[word][0]; /* what is gone stands before it */
    return joins && !alone ? 0 : space_of(c, size);
}

/* Of what is gone before a word, with the space behind it. */
static float gone_width(const viz_canvas *canvas, const caption_content *c, int word, float size)
{
    const char *gone = c->changes ? c->changes->gone[word] : "";
    return gone[0] ? viz_text_width(canvas, VIZ_SANS, size, gone) + space_of(c, size) : 0;
}

/* Sets the words of one sentence from (x, y) in lines of `width`; returns how many lines. */
static int set_words(const viz_canvas *canvas, const caption_content *c, float x, float y,
                     float width, float size, caption_line *line)
{
    float left = x, right = x + width, space = space_of(c, size);
    int lines = 1;
    for (int i = 0; i < words_of(c); i++) {
        const char *text = c->caption->outputs[i].text;
        float w = viz_text_width(canvas, viz_caption_word_face(c, i), size, text);
        float cross = c->replaced && c->replaced[i] ? CROSS : 0;
        float gone = gone_width(canvas, c, i, size);
        if (x > left && x + gone + w + cross > right) {
            x = left;
            y += line_height(size);
            lines++;
        }
        if (gone > 0)
            line->gone[i] = (viz_rect){x, y, gone - space, ceilf(1.4f * size)};
        x += gone;
        line->word[i] = (viz_rect){x, y, w, ceilf(1.4f * size)};
        line->cross[i] = (viz_rect){x + w, y, cross, ceilf(0.8f * size)};
        x += w + cross + space_before(c, i + 1, size);
    }
    int count = words_of(c);
    float gone = gone_width(canvas, c, count, size);
    if (gone > 0 && x + gone - space <= right)
        line->gone[count] = (viz_rect){x, y, gone - space, ceilf(1.4f * size)};
    return lines;
}

/* The largest size of text, from `*size` down to `least`, at which the sentence stands in `lines`
 * lines; false: none does. */
static bool fit_size(const viz_canvas *canvas, const caption_content *c, float width, int lines,
                     float least, float *size)
{
    caption_line line;
    for (; *size >= least; *size -= 1) {
        if (set_words(canvas, c, 0, 0, width, *size, &line) <= lines)
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
static float sentence_size(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                           float width, float wanted, float legible)
{
    caption_line line;
    float size = wanted;
    int least = set_words(canvas, c, 0, 0, width, LEAST_TEXT, &line);
    for (int lines = least; lines <= FEW_LINES; lines++, size = wanted)
        if (fit_size(canvas, c, width, lines, legible, &size))
            return size;
    if (least > most_lines(area, LEAST_TEXT))
        return fminf(wanted, SCROLLED_TEXT);
    size = wanted;
    fit_size(canvas, c, width, least > FEW_LINES ? least : FEW_LINES + 1, LEAST_TEXT, &size);
    return fmaxf(size, LEAST_TEXT);
}

static void scroll_rect(viz_rect *r, float top, float bottom, float by)
{
    r->y -= by;
    if (r->y < top - 0.5f || r->y > bottom - 1)
        *r = (viz_rect){0};
}

/* Of a sentence in more lines than `most` those around the current word are left, from y on. */
static void scroll_words(const caption_content *c, float y, int lines, int most, float height,
                         caption_line *line)
{
    const int count = words_of(c);
    if (lines <= most || !count)
        return;
    const int word = c->word < 0 ? 0 : c->word < count ? c->word : count - 1;
    int first = (int)roundf((line->word[word].y - y) / height) - most / 2;
    first = first > lines - most ? lines - most : first < 0 ? 0 : first;
    const float bottom = y + (float)most * height, by = (float)first * height;
    for (int i = 0; i < count; i++) {
        scroll_rect(&line->word[i], y, bottom, by);
        scroll_rect(&line->cross[i], y, bottom, by);
        scroll_rect(&line->gone[i], y, bottom, by);
    }
    scroll_rect(&line->gone[count], y, bottom, by);
}

/* The sentence from `y` on, in a line where that leaves it legible. Returns its lower edge. */
static float lay_sentence(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                          float y, caption_layout *l)
{
    float x = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    l->text_size = sentence_size(canvas, c, area, width, VIZ_SENTENCE, 15);
    float height = line_height(l->text_size);
    int used = set_words(canvas, c, x, y, width, l->text_size, &l->line);
    const int most = most_lines(area, l->text_size);
    scroll_words(c, y, used, most, height, &l->line);
    used = used < most ? used : most;
    l->line.first = (viz_rect){x, y, width, height};
    return y + (float)used * height;
}

/* ---------------------------------------------------------------- the timeline */

static float value_width(const viz_canvas *canvas, const caption_content *c, caption_value value)
{
    const char *const widest[VALUE_COUNT] = {"0.00×",          "0.00",           "",          "0",
                                             viz_word("mean"), viz_word("mean"), "activation"};
    const char *label = viz_word(caption_value_names[value]);
    if (value == VALUE_SCORE)
        return viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 6 +
               viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, c->score);
    return (label[0] ? viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, label) + 6 : 0) +
           viz_text_width(canvas, VIZ_MONO, VIZ_LABEL, widest[value]);
}

static bool has_value(const caption_content *c, caption_value value)
{
    return value == VALUE_SCORE                          ? c->score != NULL
           : value == VALUE_LAYER || value == VALUE_HEAD ? c->layered
           : value == VALUE_ATTRIBUTION                  ? c->mapped != 0
                                                         : true;
}

static viz_caps lay_caps(const viz_canvas *canvas, const caption_content *c, float right, float y,
                         float width)
{
    bool shown[] = {true, true, true, c->explains, true, c->truth, c->turns, true, true};
    return viz_caps_layout_of(canvas, right, y, width, caps, CAPS, shown);
}

/* Lays out play, track, values and keys. The track ends with the picture above it, if that leaves
 * space for the rest; a short track goes before keys, which the sheet of keys shows too. */
static void lay_transport(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                          float y, float picture_right, caption_layout *l)
{
    float x = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN;
    float gap = l->roomy ? 18 : 13;
    float values = -gap, widths[VALUE_COUNT];
    viz_caps last = viz_caps_layout(canvas, 0, 0, 1e6f, caps + CAPS - 1, 1); /* ? is always there */
    float sheet = last.items[0].w + gap;
    for (int i = 0; i < VALUE_COUNT; i++) {
        widths[i] = has_value(c, i) ? value_width(canvas, c, i) : 0;
        values += widths[i] > 0 ? widths[i] + gap : 0;
    }
    l->play = (viz_rect){x - 2, y, 28, TRANSPORT};
    float start = x + 43, most = right - values - sheet - COLUMN_GAP;
    float end = picture_right > start + 120 ? fminf(picture_right, most) : most;
    end = fmaxf(fminf(end, most), fminf(start + 60, right));
    l->track = (viz_rect){start, y, fmaxf(end - start, 0), TRANSPORT};
    float at = end + COLUMN_GAP;
    for (int i = 0; i < VALUE_COUNT; i++) {
        bool fits = widths[i] > 0 && at + widths[i] + sheet <= right;
        l->value[i] = fits ? (viz_rect){at, y, widths[i], TRANSPORT} : (viz_rect){0};
        at += fits ? widths[i] + gap : 0;
    }
    l->caps = lay_caps(canvas, c, right, y + 2, right - at);
}

/* Of what should be known before the sentence is trusted. */
static float note_size(const viz_canvas *canvas)
{
    return fmaxf(roundf(NOTE_SIZE * viz_height(canvas)), VIZ_BODY);
}

/* Lays out, from the bottom up: timeline, note, sentence, rule. */
static void lay_bottom(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                       caption_layout *l)
{
    float padding = l->roomy ? 18 : 9, bottom = area.y + area.h;
    float transport = bottom - (l->roomy ? 19 : 8) - TRANSPORT;
    float height = lay_sentence(canvas, c, area, 0, l), below = l->roomy ? 14 : 5;
    l->note_size = note_size(canvas);
    float note = c->note ? line_height(l->note_size) : 0;
    float top = transport - below - note - height;
    lay_sentence(canvas, c, area, top, l);
    if (c->note)
        l->line.note = (viz_rect){area.x + VIZ_MARGIN, transport - below - note + 2,
                                  fmaxf(area.w - 2 * VIZ_MARGIN, 1), note - 2};
    l->rule = (viz_rect){area.x, top - padding, area.w, 1};
    l->play.y = transport; /* the rest of its row follows when the picture stands */
}

/* ---------------------------------------------------------------- a picture and its line */

static void lay_line(caption_side_layout *side, float x, float y, float width)
{
    float measures = width >= 540 ? 0.58f * width : 0.66f * width, readout = width - measures;
    side->measures = (viz_rect){x + readout, y, measures, 20};
    side->readout = (viz_rect){x, y, fmaxf(readout - VIZ_GAP, 0), 20};
}

static void lay_side(caption_side_layout *side, float x, float y, float size)
{
    side->picture = (viz_rect){x, y, size, size};
    lay_line(side, x, y + size + VIZ_GAP, size);
}

viz_rect viz_caption_fit(const viz_canvas *canvas, viz_rect room, float aspect)
{
    float w = room.w, h = room.h;
    aspect = aspect > 0 ? aspect : 1;
    if (w < h * aspect)
        h = fmaxf(whole(canvas, w / aspect), 1);
    else if (w > h * aspect)
        w = fmaxf(whole(canvas, h * aspect), 1);
    return (viz_rect){room.x, room.y + room.h - h, w, h};
}

/* ---------------------------------------------------------------- strip and matrix */

static float label_size(float row)
{
    return row >= 15 ? VIZ_LABEL : fmaxf(row - 1.5f, 7);
}

static float names_width(const viz_canvas *canvas, const sac_result *caption, float row)
{
    float widest = 0;
    for (int i = 0; i < caption->count; i++)
        widest = fmaxf(widest,
                       viz_text_width(canvas, VIZ_SANS, label_size(row), caption->outputs[i].text));
    return ceilf(widest) + VIZ_GAP;
}

static void lay_matrix(const viz_canvas *canvas, const sac_result *caption, viz_rect room,
                       float row, caption_side_layout *side)
{
    bool named = row >= LEAST_ROW;
    float names = named ? names_width(canvas, caption, row) : 0;
    float height = row * (float)caption->count;
    if (room.w < 3 * names)
        return;
    side->matrix_title = (viz_rect){room.x, room.y, room.w, 16};
    if (named)
        side->matrix_names = (viz_rect){room.x, room.y + TITLE_ROW, names - VIZ_GAP, height};
    side->matrix = (viz_rect){room.x + names, room.y + TITLE_ROW, room.w - names, height};
}

typedef struct strip_plan {
    int columns, rows;
    float size, tall, below, gap;
    bool numbers;
} strip_plan;

/* The height of a picture, by its width; 1 where that is more. */
static float height_of(float aspect)
{
    return aspect > 1 ? 1 / aspect : 1;
}

static float tallest(const caption_content *c)
{
    return height_of(c->aspect);
}

static void lay_strip(const viz_canvas *canvas, viz_rect room, int count, strip_plan plan,
                      caption_side_layout *side)
{
    float size = whole(canvas, plan.size), high = whole(canvas, plan.size * plan.tall);
    float step_y = high + plan.below + plan.gap;
    /* The last column ends where the matrix ends, unless that tears the pictures apart. */
    float spare = room.w - size * (float)plan.columns;
    float gap = plan.columns > 1 ? fminf(spare / (float)(plan.columns - 1), 5 * VIZ_GAP) : 0;
    for (int i = 0; i < count; i++) {
        float x = whole(canvas, room.x + (size + gap) * (float)(i % plan.columns));
        float y = whole(canvas, room.y + step_y * (float)(i / plan.columns));
        side->thumb[i] = (viz_rect){x, y, size, high};
        side->label[i] = (viz_rect){x, y + high + 1, size, 16};
        if (plan.numbers)
            side->small[i] = (viz_rect){x, y + high + 17, size, 16};
    }
}

/* The strip of the one model there is; returns the height that it takes. */
static float lay_own_strip(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                           caption_layout *l)
{
    /* Finds the number of columns that makes the pictures largest, which are `tall` times as high
     * as wide; `numbers`: there are some below the words. */
    int count = words_of(c);
    float tall = tallest(c);
    float below = l->roomy ? 33 : 17;
    strip_plan best = {.below = below};
    float best_value = 0;
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        float across = (room.w - VIZ_GAP * (float)(columns - 1)) / (float)columns;
        float down = (room.h - VIZ_GAP * (float)(rows - 1)) / (float)rows - below;
        float size = fminf(fminf(across, down / tall), 240);
        /* Rather a little smaller than with an empty place at the right. */
        float value = size * (0.7f + 0.3f * fminf(size * (float)columns / room.w, 1));
        if (size > 0 && value > best_value) {
            best = (strip_plan){columns, rows, size, tall, below, VIZ_GAP, l->roomy};
            best_value = value;
        }
    }
    strip_plan plan = best;
    if (plan.size < 20)
        return 0;
    lay_strip(canvas, room, words_of(c), plan, &l->main);
    return (whole(canvas, plan.size * plan.tall) + plan.below + plan.gap) * (float)plan.rows -
           plan.gap;
}

/* Lays out the bar at the foot of `room`, where `baseline` is its last line of text. Returns the
 * space above it. */
static viz_rect lay_bar(viz_rect room, float baseline, float gap, caption_layout *l)
{
    bool named = room.h > 480 || l->roomy;
    l->bar = (viz_rect){room.x, baseline - (named ? 46 : 28), room.w,
                        named ? VIZ_BAR_NAMED_HEIGHT : VIZ_BAR_HEIGHT};
    return (viz_rect){room.x, room.y, room.w, l->bar.y - gap - room.y};
}

/* Strip, matrix and colour bar one below the other. */
static void lay_column(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                       float baseline, caption_layout *l)
{
    int count = words_of(c);
    float gap = l->roomy ? 20 : 10;
    viz_rect above = lay_bar(room, baseline, gap, l);
    l->main.strip_title = (viz_rect){room.x, room.y, room.w, 16};
    if (!count)
        return;
    float height = above.h - TITLE_ROW;
    float row = fminf(fmaxf(0.38f * height / (float)count, LEAST_ROW), 22);
    bool matrix = row * (float)count < 0.5f * height;
    float below = matrix ? row * (float)count + TITLE_ROW + gap : 0;
    viz_rect strip = {room.x, room.y + TITLE_ROW, room.w, height - below};
    float used = lay_own_strip(canvas, c, strip, l);
    if (!matrix && used > 0)
        return;
    if (!matrix) { /* so many words: rather thin rows than no maps */
        l->main.strip_title = (viz_rect){0};
        row = (height - TITLE_ROW) / (float)count;
        if (row * canvas->density >= 1)
            lay_matrix(canvas, c->caption, room, whole(canvas, row), &l->main);
        return;
    }
    row = fminf(row + (strip.h - used) / (float)count, MOST_ROW);
    strip.y += used + gap;
    lay_matrix(canvas, c->caption, strip, whole(canvas, row), &l->main);
}

/* The strip beside the picture, matrix and bar below both. */
static void lay_around(const viz_canvas *canvas, const caption_content *c, viz_rect beside,
                       viz_rect below, caption_layout *l)
{
    int count = words_of(c);
    viz_rect room = lay_bar(below, below.y + below.h - 4, 20, l);
    l->main.strip_title = (viz_rect){beside.x, beside.y, beside.w, 16};
    if (!count)
        return;
    beside.y += TITLE_ROW;
    beside.h -= TITLE_ROW;
    lay_own_strip(canvas, c, beside, l);
    float row = fminf((room.h - TITLE_ROW) / (float)count, MOST_ROW);
    if (row >= LEAST_ROW)
        lay_matrix(canvas, c->caption, room, whole(canvas, row), &l->main);
}

/* ---------------------------------------------------------------- one model */

#define WIDE_SHARE 0.482f /* of the width, for a picture at the left … */
#define FLAT_SHARE 0.55f  /* … that is wider than high */

/* The picture at the left, the rest at its right. */
static void lay_wide(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                     caption_layout *l)
{
    float tall = tallest(c), share = tall < 1 ? FLAT_SHARE : WIDE_SHARE;
    float readout = READOUT + seconds_height(c);
    float size = fminf(share * (room.w - COLUMN_GAP), (room.h - readout) / tall);
    size = whole(canvas, fmaxf(size, 1));
    lay_side(&l->main, room.x, room.y, size);
    viz_rect rest = {room.x + size + COLUMN_GAP, room.y, room.w - size - COLUMN_GAP, room.h};
    float foot = tall < 1 ? room.h - readout : size; /* both end there */
    lay_column(canvas, c, rest, room.y + foot + VIZ_GAP + 14, l);
}

#define LEAST_BESIDE 150.0f /* a strip beside the picture is at least so wide */

/* The matrix and the bar below the picture, and the strip beside it if there is space. */
static void lay_upright(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                        caption_layout *l)
{
    float tall = tallest(c), size = fminf(room.w, 0.54f * room.h / tall);
    /* A little smaller where that leaves the matrix its place below the strip. */
    float column = 2 * LEAST_ROW * (float)words_of(c) + 2 * TITLE_ROW + VIZ_BAR_NAMED_HEIGHT;
    float readout = READOUT + seconds_height(c);
    float less = (room.h - readout - VIZ_GAP - column) / tall;
    size = whole(canvas, fmaxf(less > 0.8f * size ? fminf(size, less) : size, 1));
    float high = tall * size, taken = high + readout + VIZ_GAP, spare = room.w - size - COLUMN_GAP;
    viz_rect beside = {room.x + size + COLUMN_GAP, room.y, spare, high};
    viz_rect below = {room.x, room.y + taken, room.w, room.h - taken};
    lay_side(&l->main, room.x, room.y, size);
    if (spare >= LEAST_BESIDE)
        lay_around(canvas, c, beside, below, l);
    else
        lay_column(canvas, c, below, below.y + below.h - 4, l);
}

/* ---------------------------------------------------------------- picture and sentence alone */

#define PLAIN_SENTENCE 0.055f /* of the window's height */
#define LEAST_SENTENCE 18.0f
#define PLAIN_ROW 22.0f
#define BUTTON_GAP 24.0f
#define LEAST_TITLE 130.0f /* "one map per word", and a gap */
#define LEAST_TRACK 90.0f

static void move(viz_rect *r, float by)
{
    r->x += r->w > 0 ? by : 0;
}

/* Brings each line of the sentence into the middle. */
static void centre_words(const caption_content *c, caption_line *line, float right)
{
    int count = words_of(c), first = 0;
    for (int i = 0; i < count; i++) {
        if (i + 1 < count && line->word[i + 1].y == line->word[i].y)
            continue;
        viz_rect last =
            i + 1 == count && line->gone[count].w > 0 ? line->gone[count] : line->cross[i];
        float by = floorf((right - last.x - last.w) / 2);
        for (int k = first; k <= i; k++) {
            move(&line->gone[k], by);
            move(&line->word[k], by);
            line->cross[k].x += by;
        }
        if (i + 1 == count)
            move(&line->gone[count], by);
        first = i + 1;
    }
}

/* The buttons from the right, the first ones left out where there is no space. */
static void lay_buttons(const viz_canvas *canvas, const caption_content *c, float left, float right,
                        float y, caption_layout *l)
{
    const struct {
        const char *name, *cap;
        bool shown;
    } all[] = {{"again", "space", c->ended && !c->doors},
               {"show all", "U", c->hides && !c->doors},
               {"cover something", "H", !c->hides && !c->doors},
               {"does it matter?", "D", !c->doors},
               {"open a model", "ctrl O", c->doors},
               {"learn how it works", NULL, c->doors},
               {"a picture of yours", "ctrl O", c->doors},
               {"next", "N", c->turns},
               {"numbers", "=", !c->doors}};
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

static int name_maps(const caption_content *c, const char **names)
{
    int count = 0;
    for (int i = 0; i < SAC_ATTRIBUTIONS; i++)
        if (sac_attribution_is_known(c->mapped, (sac_attribution)i))
            names[count++] = sac_attribution_names[i];
    return count;
}

static void lay_plain_transport(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                                float y, caption_layout *l)
{
    float x = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN, start = x + 43;
    l->play = (viz_rect){x - 2, y, 28, TRANSPORT};
    if (!canvas->theme->presents) {
        lay_buttons(canvas, c, start + LEAST_TRACK + BUTTON_GAP, right, y - 1, l);
        right = l->buttons.rect.x - BUTTON_GAP;
        viz_choices modes =
            viz_words_layout(canvas, 0, y + 2, 1e6f, NULL, viz_overlay_names, VIZ_OVERLAY_COUNT);
        if (right - modes.rect.w - BUTTON_GAP >= start + LEAST_TRACK) {
            l->modes = viz_words_layout(canvas, right - modes.rect.w, y + 2, 1e6f, NULL,
                                        viz_overlay_names, VIZ_OVERLAY_COUNT);
            right = l->modes.rect.x - BUTTON_GAP;
        }
        const char *names[SAC_ATTRIBUTIONS];
        int count = name_maps(c, names);
        viz_choices maps = viz_words_layout(canvas, 0, y + 2, 1e6f, "map", names, count);
        if (count > 1 && right - maps.rect.w - BUTTON_GAP >= start + LEAST_TRACK) {
            l->maps =
                viz_words_layout(canvas, right - maps.rect.w, y + 2, 1e6f, "map", names, count);
            right = l->maps.rect.x - BUTTON_GAP;
        }
    }
    l->track = (viz_rect){start, y, fmaxf(right - start, 0), TRANSPORT};
}

static void lay_seconds(const caption_content *c, caption_side_layout *side)
{
    viz_rect picture = side->picture;
    if (seconds_height(c) > 0)
        side->seconds = (viz_rect){picture.x, picture.y + picture.h, picture.w, seconds_height(c)};
}

/* From the bottom up: timeline and buttons, note, where the word looked, the sentence; and the
 * picture in the rest. */
static caption_layout lay_plain(const viz_canvas *canvas, viz_rect area, const caption_content *c)
{
    caption_layout l = {.roomy = area.h >= ROOMY_HEIGHT};
    float x = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    float transport = area.y + area.h - (l.roomy ? 18 : 8) - TRANSPORT, gap = l.roomy ? 14 : 6;
    float y = transport - (l.roomy ? 16 : 8);
    lay_plain_transport(canvas, c, area, transport, &l);
    l.note_size = note_size(canvas);
    if (c->note) {
        float row = line_height(l.note_size);
        y -= row;
        l.line.note = (viz_rect){x, y + 2, width, row - 2};
    }
    y -= PLAIN_ROW;
    l.line.plain = (viz_rect){x, y, width, PLAIN_ROW - 2};
    float wanted = fmaxf(roundf(PLAIN_SENTENCE * viz_height(canvas)), LEAST_SENTENCE);
    l.text_size = sentence_size(canvas, c, area, width, wanted, 0.6f * wanted);
    float height = line_height(l.text_size);
    int lines = set_words(canvas, c, x, 0, width, l.text_size, &(caption_line){0});
    const int most = most_lines(area, l.text_size);
    y -= (float)(lines < most ? lines : most) * height;
    set_words(canvas, c, x, y, width, l.text_size, &l.line);
    centre_words(c, &l.line, x + width);
    scroll_words(c, y, lines, most, height, &l.line);
    l.line.first = (viz_rect){x, y, width, height};
    float top = area.y + (l.roomy ? 12 : 6);
    viz_rect room = {x, top, width, fmaxf(y - gap - top - seconds_height(c), 1)};
    l.main.picture = viz_caption_fit(canvas, room, c->aspect);
    l.main.picture.y = top + whole(canvas, (room.h - l.main.picture.h) / 2);
    l.main.picture.x += whole(canvas, (room.w - l.main.picture.w) / 2);
    lay_seconds(c, &l.main);
    return l;
}

/* ---------------------------------------------------------------- the whole */

/* How weights lie over a picture: at the right of the small maps' title. */
static void lay_modes(const viz_canvas *canvas, caption_layout *l)
{
    viz_rect *title = &l->main.strip_title;
    viz_choices modes =
        viz_words_layout(canvas, 0, title->y - 3, 1e6f, NULL, viz_overlay_names, VIZ_OVERLAY_COUNT);
    if (canvas->theme->presents || title->w < modes.rect.w + LEAST_TITLE)
        return;
    l->modes = viz_words_layout(canvas, title->x + title->w - modes.rect.w, modes.rect.y, 1e6f,
                                NULL, viz_overlay_names, VIZ_OVERLAY_COUNT);
    title->w -= modes.rect.w + VIZ_GAP;
}

caption_layout viz_caption_layout(const viz_canvas *canvas, viz_rect area, const caption_content *c)
{
    if (c->plain)
        return lay_plain(canvas, area, c);
    caption_layout l = {.roomy = area.h >= ROOMY_HEIGHT};
    float top = area.y + (l.roomy ? 12 : 8);
    lay_bottom(canvas, c, area, &l);
    viz_rect room = {area.x + VIZ_MARGIN, top, fmaxf(area.w - 2 * VIZ_MARGIN, 1),
                     fmaxf(l.rule.y - (l.roomy ? 10 : 4) - top, 1)};
    if (room.w < 0.95f * room.h)
        lay_upright(canvas, c, room, &l);
    else
        lay_wide(canvas, c, room, &l);
    viz_rect first = l.main.picture;
    lay_transport(canvas, c, area, l.play.y, first.x + first.w, &l);
    lay_modes(canvas, &l);
    /* The places that were laid out for squares, for pictures of another aspect: below the large
     * one its line follows it, … */
    float less = l.main.picture.h;
    viz_rect fit = viz_caption_fit(canvas, l.main.picture, c->aspect);
    less -= fit.h;
    fit.y = l.main.picture.y;
    l.main.picture = fit;
    l.main.readout.y += seconds_height(c) - less;
    l.main.measures.y += seconds_height(c) - less;
    lay_seconds(c, &l.main);
    /* … there is space above the small ones. */
    int words = words_of(c);
    for (int i = 0; i < words; i++)
        if (l.main.thumb[i].w > 0)
            l.main.thumb[i] = viz_caption_fit(canvas, l.main.thumb[i], c->aspect);
    return l;
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

float viz_caption_figure_height(float width, int words, float aspect)
{
    float room = width - 2 * fmaxf(0.035f * width, 8), tall = height_of(aspect);
    int panels = words + 1, most = (int)(room / (LEAST_PANEL * (1 + FIGURE_GAP)));
    most = most < 1 ? 1 : most > panels ? panels : most;
    int rows = (panels + most - 1) / most, columns = (panels + rows - 1) / rows;
    float size = room / ((float)columns + FIGURE_GAP * (float)(columns - 1));
    return size * ((tall + FIGURE_LABEL) * (float)rows + FIGURE_GAP * (float)(rows - 1)) +
           2 * fmaxf(0.035f * width, 8);
}

caption_figure viz_caption_figure(const viz_canvas *canvas, viz_rect area, int words, float aspect)
{
    float tall = height_of(aspect);
    caption_figure f = {.panels = words + 1};
    float margin = fmaxf(0.035f * fminf(area.w, area.h), 8);
    viz_rect room = {area.x + margin, area.y + margin, fmaxf(area.w - 2 * margin, 1),
                     fmaxf(area.h - 2 * margin, 1)};
    int columns = figure_columns(room, tall, f.panels), rows = (f.panels + columns - 1) / columns;
    float size = whole(canvas, fmaxf(panel_size(room, tall, columns, rows), 1));
    float gap = FIGURE_GAP * size, label = FIGURE_LABEL * size;
    float high = whole(canvas, fmaxf(tall * size, 1));
    float w = size * (float)columns + gap * (float)(columns - 1);
    float h = (high + label) * (float)rows + gap * (float)(rows - 1);
    float x0 = room.x + (room.w - w) / 2, y0 = room.y + (room.h - h) / 2;
    f.text_size = fmaxf(fminf(0.13f * size, 40), LEAST_FIGURE_TEXT);
    for (int i = 0; i < f.panels; i++) {
        float x = whole(canvas, x0 + (size + gap) * (float)(i % columns));
        float y = whole(canvas, y0 + (high + label + gap) * (float)(i / columns));
        f.panel[i] = (viz_rect){x, y, size, high};
        f.label[i] = (viz_rect){x, y + high, size, label};
    }
    return f;
}
