/* The layout of the caption view, from the bottom up and from the right. */

#include "caption/caption_layout.h"

#include <math.h>
#include <string.h>

#define READOUT 28.0f    /* the line of numbers below a picture, with its gap */
#define TITLE_ROW 22.0f  /* from a title's top to what it names */
#define COLUMN_GAP 32.0f /* between the picture and what stands beside it */
#define TRANSPORT 24.0f  /* the row of the timeline */
#define NOTE_ROW 22.0f
#define ROOMY_HEIGHT 560.0f /* from here on there is air */
#define CROSS 16.0f         /* room behind a replaced word */
#define LEAST_ROW 9.0f      /* of the matrix; lower ones have no legible names */
#define MOST_ROW 60.0f

const char *const caption_value_names[VALUE_COUNT] = {"",     "temperature", "score",
                                                      "beam", "layer",       "head"};

/* The caps of keys; where space is scarce the first ones are left out. */
static const viz_key_help caps[] = {{"A", "animation"}, {"H", "hide cells"}, {"S", "PNG"},
                                    {"I", "why"},       {"D", "matters?"},   {"T", "truth"},
                                    {"N", "next"},      {"?", "keys"}};

/* Down to a whole pixel, so that pictures of one size have one size in pixels too. */
static float whole(const viz_canvas *canvas, float length)
{
    return floorf(length * canvas->density + 1e-3f) / canvas->density;
}

static int words_of(const caption_content *c, int side)
{
    return c->caption[side] ? c->caption[side]->count : 0;
}

/* ---------------------------------------------------------------- the sentence */

static float line_height(float size)
{
    return ceilf(1.5f * size);
}

/* Sets the words of one sentence from (x, y) in lines of `width`; returns how many lines. */
static int set_words(const viz_canvas *canvas, const caption_content *c, int side, float x, float y,
                     float width, float size, caption_line *line)
{
    float left = x, right = x + width, space = 0.44f * size;
    int lines = 1;
    for (int i = 0; i < words_of(c, side); i++) {
        const char *text = c->caption[side]->words[i].text;
        float w = viz_text_width(canvas, VIZ_SANS, size, text);
        float cross = c->replaced[side] && c->replaced[side][i] ? CROSS : 0;
        if (x > left && x + w + cross > right) {
            x = left;
            y += line_height(size);
            lines++;
        }
        line->word[i] = (viz_rect){x, y, w, ceilf(1.4f * size)};
        line->cross[i] = (viz_rect){x + w, y, cross, ceilf(0.8f * size)};
        x += w + cross + space;
    }
    return lines;
}

static float name_width(const viz_canvas *canvas, const caption_content *c)
{
    float widest = 0;
    for (int i = 0; i < c->sides && c->sides > 1 && !c->apart; i++)
        widest = fmaxf(widest, viz_text_width(canvas, VIZ_SANS, VIZ_LABEL, c->model[i]) + 18);
    return widest;
}

/* The largest size of text, from `*size` down to `least`, at which every sentence stands in `lines`
 * lines; false: none does. */
static bool fit_size(const viz_canvas *canvas, const caption_content *c, float width, int lines,
                     float least, float *size)
{
    caption_line line;
    for (; *size >= least; *size -= 1) {
        int most = 1;
        for (int i = 0; i < c->sides; i++) {
            int needed = set_words(canvas, c, i, 0, 0, width, *size, &line);
            most = needed > most ? needed : most;
        }
        if (most <= lines)
            return true;
    }
    return false;
}

/* The width that a side's picture and sentence have: all of it, or of two apart one half. */
static viz_rect column_of(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                          int side)
{
    float x = area.x + VIZ_MARGIN, width = fmaxf(area.w - 2 * VIZ_MARGIN, 1);
    float half = whole(canvas, fmaxf((width - COLUMN_GAP) / 2, 1));
    if (!c->apart)
        return (viz_rect){x, area.y, width, area.h};
    return (viz_rect){side ? x + width - half : x, area.y, half, area.h};
}

/* Halves of a small window are narrow: smaller letters leave the pictures more room. */
static float sentence_size(const viz_canvas *canvas, const caption_content *c, float width,
                           bool roomy)
{
    bool tight = c->apart && !roomy;
    float size, largest = tight ? 16 : VIZ_SENTENCE, least = tight ? 13 : 15;
    for (int lines = 1; lines <= SAC_MAX_TOKENS; lines++) {
        size = largest;
        if (fit_size(canvas, c, width, lines, lines > 3 ? 8 : least, &size))
            break;
    }
    return size;
}

/* Sentences from `y` on, below each other or apart, a line each where that leaves them legible.
 * Returns their lower edge. */
static float lay_sentences(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                           float y, caption_layout *l)
{
    float name = name_width(canvas, c), width = column_of(canvas, c, area, 0).w - name, bottom = y;
    l->text_size = sentence_size(canvas, c, width, l->roomy);
    float height = line_height(l->text_size);
    for (int i = 0; i < c->sides; i++) {
        float x = column_of(canvas, c, area, i).x, top = c->apart ? y : bottom;
        int used = set_words(canvas, c, i, x + name, top, width, l->text_size, &l->line[i]);
        l->line[i].first = (viz_rect){x + name, top, width, height};
        if (name > 0)
            l->line[i].name = (viz_rect){x, top, name - VIZ_GAP, height};
        bottom = fmaxf(bottom, top + (float)used * height);
    }
    return bottom;
}

/* ---------------------------------------------------------------- the timeline */

static float value_width(const viz_canvas *canvas, const caption_content *c, caption_value value)
{
    const char *beam = c->beams ? "0, 0" : "0";
    const char *const widest[VALUE_COUNT] = {"0.00×", "0.00", "", beam, "mean", "mean"};
    const char *label = caption_value_names[value];
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
                                                         : true;
}

static viz_caps lay_caps(const viz_canvas *canvas, const caption_content *c, float right, float y,
                         float width)
{
    bool shown[] = {true, true, true, c->explains, true, c->truth, c->turns, true};
    return viz_caps_layout_of(canvas, right, y, width, caps, 8, shown);
}

/* Play, track, values, keys. The track ends with the picture above it, where that leaves room for
 * the rest; a short track goes before keys, which the sheet of keys has too. */
static void lay_transport(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                          float y, float picture_right, caption_layout *l)
{
    float x = area.x + VIZ_MARGIN, right = area.x + area.w - VIZ_MARGIN;
    float gap = l->roomy ? 18 : 13;
    float values = -gap, widths[VALUE_COUNT];
    viz_caps last = viz_caps_layout(canvas, 0, 0, 1e6f, caps + 7, 1); /* ? is always there */
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

/* Lays out, from the bottom up: timeline, note, sentences, rule. */
static void lay_bottom(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                       caption_layout *l)
{
    float padding = l->roomy ? 18 : 9, bottom = area.y + area.h;
    float transport = bottom - (l->roomy ? 19 : 8) - TRANSPORT;
    float height = lay_sentences(canvas, c, area, 0, l), below = l->roomy ? 14 : 5;
    float note = c->note ? NOTE_ROW : 0;
    float top = transport - below - note - height;
    lay_sentences(canvas, c, area, top, l);
    for (int i = 0; i < (c->apart ? c->sides : 1); i++) {
        viz_rect column = column_of(canvas, c, area, i);
        l->line[i].column = (viz_rect){column.x, top, column.w, height + note};
        if (c->note)
            l->line[i].note =
                (viz_rect){column.x, transport - below - note + 2, column.w, NOTE_ROW - 2};
    }
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

/* The places that were laid out for squares, for pictures of another aspect: below the large one
 * its line follows it, … */
static void fit_picture(const viz_canvas *canvas, float aspect, caption_side_layout *side)
{
    float less = side->picture.h;
    viz_rect fit = viz_caption_fit(canvas, side->picture, aspect);
    less -= fit.h;
    fit.y = side->picture.y;
    side->picture = fit;
    side->readout.y -= less;
    side->measures.y -= less;
}

/* … above the small ones there is room. */
static void fit_thumbs(const viz_canvas *canvas, float aspect, caption_side_layout *side, int words)
{
    for (int i = 0; i < words; i++)
        if (side->thumb[i].w > 0)
            side->thumb[i] = viz_caption_fit(canvas, side->thumb[i], aspect);
}

/* ---------------------------------------------------------------- strip and matrix */

static float label_size(float row)
{
    return row >= 15 ? VIZ_LABEL : fmaxf(row - 1.5f, 7);
}

static float names_width(const viz_canvas *canvas, const sac_caption *caption, float row)
{
    float widest = 0;
    for (int i = 0; i < caption->count; i++)
        widest = fmaxf(widest,
                       viz_text_width(canvas, VIZ_SANS, label_size(row), caption->words[i].text));
    return ceilf(widest) + VIZ_GAP;
}

static void lay_matrix(const viz_canvas *canvas, const sac_caption *caption, viz_rect room,
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

/* That of the higher one. */
static float tallest(const caption_content *c)
{
    return height_of(c->sides > 1 ? fminf(c->aspect[0], c->aspect[1]) : c->aspect[0]);
}

/* Finds the number of columns that makes the pictures largest, which are `tall` times as high as
 * wide; `numbers`: there are some below the words. */
static strip_plan plan_strip(float width, float height, int count, bool numbers, float tall)
{
    float below = numbers ? 33 : 17;
    strip_plan best = {.below = below};
    float best_value = 0;
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        float across = (width - VIZ_GAP * (float)(columns - 1)) / (float)columns;
        float down = (height - VIZ_GAP * (float)(rows - 1)) / (float)rows - below;
        float size = fminf(fminf(across, down / tall), 240);
        /* Rather a little smaller than with an empty place at the right. */
        float value = size * (0.7f + 0.3f * fminf(size * (float)columns / width, 1));
        if (size > 0 && value > best_value) {
            best = (strip_plan){columns, rows, size, tall, below, VIZ_GAP, numbers};
            best_value = value;
        }
    }
    return best;
}

static float strip_height(const viz_canvas *canvas, strip_plan plan)
{
    return (whole(canvas, plan.size * plan.tall) + plan.below + plan.gap) * (float)plan.rows -
           plan.gap;
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
    strip_plan plan = plan_strip(room.w, room.h, words_of(c, 0), l->roomy, tallest(c));
    if (plan.size < 20)
        return 0;
    lay_strip(canvas, room, words_of(c, 0), plan, &l->side[0]);
    return strip_height(canvas, plan);
}

/* The bar at the foot of `room`, where `baseline` is its last line of text. Returns the room above
 * it. */
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
    int count = words_of(c, 0);
    float gap = l->roomy ? 20 : 10;
    viz_rect above = lay_bar(room, baseline, gap, l);
    l->side[0].strip_title = (viz_rect){room.x, room.y, room.w, 16};
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
        l->side[0].strip_title = (viz_rect){0};
        row = (height - TITLE_ROW) / (float)count;
        if (row * canvas->density >= 1)
            lay_matrix(canvas, c->caption[0], room, whole(canvas, row), &l->side[0]);
        return;
    }
    row = fminf(row + (strip.h - used) / (float)count, MOST_ROW);
    strip.y += used + gap;
    lay_matrix(canvas, c->caption[0], strip, whole(canvas, row), &l->side[0]);
}

/* The strip beside the picture, matrix and bar below both. */
static void lay_around(const viz_canvas *canvas, const caption_content *c, viz_rect beside,
                       viz_rect below, caption_layout *l)
{
    int count = words_of(c, 0);
    viz_rect room = lay_bar(below, below.y + below.h - 4, 20, l);
    l->side[0].strip_title = (viz_rect){beside.x, beside.y, beside.w, 16};
    if (!count)
        return;
    beside.y += TITLE_ROW;
    beside.h -= TITLE_ROW;
    lay_own_strip(canvas, c, beside, l);
    float row = fminf((room.h - TITLE_ROW) / (float)count, MOST_ROW);
    if (row >= LEAST_ROW)
        lay_matrix(canvas, c->caption[0], room, whole(canvas, row), &l->side[0]);
}

/* ---------------------------------------------------------------- one model */

#define WIDE_SHARE 0.482f /* of the width, for a picture at the left … */
#define FLAT_SHARE 0.55f  /* … that is wider than high */

/* The picture at the left, the rest at its right. */
static void lay_wide(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                     caption_layout *l)
{
    float tall = tallest(c), share = tall < 1 ? FLAT_SHARE : WIDE_SHARE;
    float size = fminf(share * (room.w - COLUMN_GAP), (room.h - READOUT) / tall);
    size = whole(canvas, fmaxf(size, 1));
    lay_side(&l->side[0], room.x, room.y, size);
    viz_rect rest = {room.x + size + COLUMN_GAP, room.y, room.w - size - COLUMN_GAP, room.h};
    float foot = tall < 1 ? room.h - READOUT : size; /* both end there */
    lay_column(canvas, c, rest, room.y + foot + VIZ_GAP + 14, l);
}

#define LEAST_BESIDE 150.0f /* a strip beside the picture is at least so wide */

/* The matrix and the bar below the picture, and the strip beside it where there is room. */
static void lay_upright(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                        caption_layout *l)
{
    float tall = tallest(c), size = fminf(room.w, 0.54f * room.h / tall);
    /* A little smaller where that leaves the matrix its place below the strip. */
    float column = 2 * LEAST_ROW * (float)words_of(c, 0) + 2 * TITLE_ROW + VIZ_BAR_NAMED_HEIGHT;
    float less = (room.h - READOUT - VIZ_GAP - column) / tall;
    size = whole(canvas, fmaxf(less > 0.8f * size ? fminf(size, less) : size, 1));
    float high = tall * size, taken = high + READOUT + VIZ_GAP, spare = room.w - size - COLUMN_GAP;
    viz_rect beside = {room.x + size + COLUMN_GAP, room.y, spare, high};
    viz_rect below = {room.x, room.y + taken, room.w, room.h - taken};
    lay_side(&l->side[0], room.x, room.y, size);
    if (spare >= LEAST_BESIDE)
        lay_around(canvas, c, beside, below, l);
    else
        lay_column(canvas, c, below, below.y + below.h - 4, l);
}

/* ---------------------------------------------------------------- two models */

#define LEAST_COLUMN 250.0f /* for the matrices beside the pictures */

static void lay_matrices(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                         caption_layout *l)
{
    float half = (room.h - 20) / 2;
    for (int i = 0; i < c->sides; i++) {
        int count = words_of(c, i);
        float row = count ? fminf((half - TITLE_ROW) / (float)count, MOST_ROW) : 0;
        viz_rect part = {room.x, room.y + (float)i * (half + 20), room.w, half};
        if (row >= 4)
            lay_matrix(canvas, c->caption[i], part, whole(canvas, row), &l->side[i]);
    }
}

#define STRIPS_GAP 12.0f  /* above their titles */
#define LEAST_STRIP 40.0f /* a small map that says more than the empty room */

/* For the longer sentence, below a title. */
static strip_plan plan_strips(const caption_content *c, float width, float height, bool roomy)
{
    int most = words_of(c, 0) > words_of(c, 1) ? words_of(c, 0) : words_of(c, 1);
    float tall = tallest(c);
    strip_plan plan = plan_strip(width, height - TITLE_ROW, most, roomy, tall);
    if (plan.size < LEAST_STRIP) /* rather maps without numbers than none */
        plan = plan_strip(width, height - TITLE_ROW, most, false, tall);
    return plan;
}

/* Below each picture, so wide, its maps; in both of one size, so that they compare. */
static void lay_strips(const viz_canvas *canvas, const caption_content *c, float width, float y,
                       float bottom, caption_layout *l)
{
    float top = y + TITLE_ROW;
    strip_plan plan = plan_strips(c, width, bottom - y, l->roomy);
    if (plan.size < LEAST_STRIP)
        return;
    for (int i = 0; i < c->sides; i++) {
        caption_side_layout *side = &l->side[i];
        side->strip_title = (viz_rect){side->picture.x, y, width, 16};
        lay_strip(canvas, (viz_rect){side->picture.x, top, width, bottom - top}, words_of(c, i),
                  plan, side);
    }
}

/* Two pictures, and beside them their matrices, for which they may become a little smaller. */
static void lay_double(const viz_canvas *canvas, const caption_content *c, viz_rect room,
                       caption_layout *l)
{
    float bar = VIZ_BAR_HEIGHT + VIZ_GAP, gap = l->roomy ? COLUMN_GAP : VIZ_MARGIN;
    float size = fminf((room.w - gap) / 2, room.h - TITLE_ROW - READOUT - bar);
    float less = fminf(size, (room.w - 2 * gap - LEAST_COLUMN) / 2);
    bool column = less > 0.85f * size;
    size = whole(canvas, fmaxf(column ? less : size, 1));
    for (int i = 0; i < 2; i++) {
        float x = whole(canvas, room.x + (size + gap) * (float)i);
        l->side[i].title = (viz_rect){x, room.y, size, 16};
        lay_side(&l->side[i], x, room.y + TITLE_ROW, size);
    }
    float x = room.x + 2 * (size + gap), right = room.x + room.w;
    float width = column ? room.w : 2 * size + gap;
    float under = l->side[0].readout.y + 20 + VIZ_GAP;
    bool named = room.y + room.h - under >= VIZ_BAR_NAMED_HEIGHT;
    l->bar = (viz_rect){room.x, under, width, named ? VIZ_BAR_NAMED_HEIGHT : VIZ_BAR_HEIGHT};
    lay_strips(canvas, c, size, l->bar.y + l->bar.h + STRIPS_GAP, room.y + room.h, l);
    if (column)
        lay_matrices(canvas, c, (viz_rect){x, room.y, right - x, size + TITLE_ROW}, l);
}

/* ---------------------------------------------------------------- two pictures */

#define STRIP_SHARE 0.3f       /* of the height, for the maps below the pictures, … */
#define MOST_STRIP_SHARE 0.36f /* … where they would not be legible in it */
#define LEAST_MEASURES 300.0f  /* the line below a picture may be wider than it is */

/* A picture at the top of its column, as large as fits. */
static void lay_own_picture(const viz_canvas *canvas, float aspect, viz_rect column, float most,
                            caption_side_layout *side)
{
    viz_rect room = {column.x, column.y + TITLE_ROW, column.w, most};
    side->column = column;
    side->title = (viz_rect){column.x, column.y, column.w, 16};
    side->picture = viz_caption_fit(canvas, room, aspect);
    side->picture.y = room.y;
}

/* Two columns of one width, in which all that corresponds stands at one height. */
static void lay_apart(const viz_canvas *canvas, const caption_content *c, viz_rect area,
                      viz_rect room, caption_layout *l)
{
    float bar = l->roomy ? VIZ_BAR_NAMED_HEIGHT : VIZ_BAR_HEIGHT, high = 0;
    float most = room.h - TITLE_ROW - READOUT - VIZ_GAP - bar,
          width = column_of(canvas, c, area, 0).w;
    strip_plan plan = plan_strips(c, width, STRIP_SHARE * most - STRIPS_GAP, l->roomy);
    if (plan.size < LEAST_STRIP)
        plan = plan_strips(c, width, MOST_STRIP_SHARE * most - STRIPS_GAP, l->roomy);
    if (plan.size >= LEAST_STRIP)
        most -= STRIPS_GAP + TITLE_ROW + strip_height(canvas, plan);
    for (int i = 0; i < c->sides; i++) {
        viz_rect column = column_of(canvas, c, area, i);
        lay_own_picture(canvas, c->aspect[i], (viz_rect){column.x, room.y, width, room.h},
                        whole(canvas, fmaxf(most, 1)), &l->side[i]);
        high = fmaxf(high, l->side[i].picture.h);
    }
    float y = room.y + TITLE_ROW + high + VIZ_GAP;
    for (int i = 0; i < c->sides; i++) {
        viz_rect p = l->side[i].picture;
        lay_line(&l->side[i], p.x, y, fmaxf(p.w, fminf(width, LEAST_MEASURES)));
    }
    l->bar = (viz_rect){room.x, y + 20 + VIZ_GAP, room.w, bar};
    lay_strips(canvas, c, width, l->bar.y + bar + STRIPS_GAP, room.y + room.h, l);
}

/* ---------------------------------------------------------------- the whole */

caption_layout viz_caption_layout(const viz_canvas *canvas, viz_rect area, const caption_content *c)
{
    caption_layout l = {.roomy = area.h >= ROOMY_HEIGHT, .sides = c->sides};
    float top = area.y + (l.roomy ? 12 : 8);
    lay_bottom(canvas, c, area, &l);
    viz_rect room = {area.x + VIZ_MARGIN, top, fmaxf(area.w - 2 * VIZ_MARGIN, 1),
                     fmaxf(l.rule.y - (l.roomy ? 10 : 4) - top, 1)};
    if (c->apart)
        lay_apart(canvas, c, area, room, &l);
    else if (c->sides > 1)
        lay_double(canvas, c, room, &l);
    else if (room.w < 0.95f * room.h)
        lay_upright(canvas, c, room, &l);
    else
        lay_wide(canvas, c, room, &l);
    viz_rect first = l.side[0].picture;
    lay_transport(canvas, c, area, l.play.y, first.x + first.w, &l);
    for (int i = 0; i < c->sides; i++) {
        if (!c->apart)
            fit_picture(canvas, c->aspect[i], &l.side[i]);
        fit_thumbs(canvas, c->aspect[i], &l.side[i], words_of(c, i));
    }
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
    f.text_size = fminf(0.13f * size, 40);
    for (int i = 0; i < f.panels; i++) {
        float x = whole(canvas, x0 + (size + gap) * (float)(i % columns));
        float y = whole(canvas, y0 + (high + label + gap) * (float)(i / columns));
        f.panel[i] = (viz_rect){x, y, size, high};
        f.label[i] = (viz_rect){x, y + high, size, label};
    }
    return f;
}
