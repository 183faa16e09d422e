/* The drawing of a transformer's encoder and decoder layer: what is computed runs from the left to
 * the right, the encoder above; a residual path goes over each part to the sum behind it. The parts
 * that a step is about are lit. */
#include <math.h>

#include "canvas/text.h"
#include "lesson/lesson_state.h"

#define WIDTH 8.65f /* of the drawing, in widths of a large box */
#define TEXT 13.0f
#define SECOND_LINE 7.8f /* widths of a letter that a large box has, where it has two lines */
#define LEAST_ROOM 90.0f /* that arrays keep; where they have less there is no drawing */

/* A box at `x`, in widths of a large box; the encoder's row is 0. */
typedef struct block_part {
    unsigned bit;
    int row;
    float x, w;
    sac_text name, brief, below; /* `brief` in place of a name that has no room */
} block_part;

#define NOTHING                                                                                    \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define ATTENTION SAC_TEXT_IN("attention", "注意力"), NOTHING
#define NORM SAC_TEXT_IN("norm", "归一"), NOTHING, NOTHING
#define FORWARD SAC_TEXT_IN("feed-forward", "前馈"), SAC_TEXT_IN("forward", "前馈")
#define EMBEDDING SAC_TEXT_IN("embedding", "嵌入"), SAC_TEXT_IN("embed", "嵌入")

/* A part with a residual path over it comes before its norm. */
static const block_part parts[] = {
    {SAC_BLOCK_EMBEDDING, 0, 0, .86f, EMBEDDING, SAC_TEXT_IN("+ position", "+ 位置")},
    {SAC_BLOCK_ENCODER_ATTENTION, 0, 1.02f, 1, ATTENTION, SAC_TEXT_IN("1: all words", "1：所有词")},
    {SAC_BLOCK_ENCODER_NORM, 0, 2.28f, .5f, NORM},
    {SAC_BLOCK_ENCODER_FORWARD, 0, 2.94f, 1, FORWARD, SAC_TEXT_IN("each word", "逐词")},
    {SAC_BLOCK_ENCODER_NORM, 0, 4.2f, .5f, NORM},
    {SAC_BLOCK_EMBEDDING, 1, 1.01f, .86f, EMBEDDING, SAC_TEXT_IN("+ position", "+ 位置")},
    {SAC_BLOCK_DECODER_ATTENTION, 1, 2.03f, 1, ATTENTION,
     SAC_TEXT_IN("2: earlier words", "2：之前的词")},
    {SAC_BLOCK_DECODER_NORM, 1, 3.29f, .5f, NORM},
    {SAC_BLOCK_CROSS_ATTENTION, 1, 3.95f, 1, ATTENTION, SAC_TEXT_IN("3: the memory", "3：memory")},
    {SAC_BLOCK_DECODER_NORM, 1, 5.21f, .5f, NORM},
    {SAC_BLOCK_DECODER_FORWARD, 1, 5.87f, 1, FORWARD, SAC_TEXT_IN("each word", "逐词")},
    {SAC_BLOCK_DECODER_NORM, 1, 7.13f, .5f, NORM},
    {SAC_BLOCK_WORDS, 1, 7.79f, .86f, SAC_TEXT_IN("softmax", "softmax"), NOTHING,
     SAC_TEXT_IN("next word", "下一个词")},
};
enum { PARTS = sizeof parts / sizeof *parts, LAST_OF_ENCODER = 4, CROSS = 8 };

/* ---------------------------------------------------------------- places */

/* The sizes of a drawing in its rectangle. */
typedef struct block_sizes {
    float text, wide, box,
        arc; /* of letters, a large box's width, a box's height, a path over it */
} block_sizes;

static float text_size(const lesson_layout *l)
{
    return fmaxf(12, TEXT * l->unit);
}

static block_sizes sizes_of(const lesson_layout *l)
{
    block_sizes s = {.text = text_size(l), .wide = l->block.w / WIDTH};
    s.box = (s.wide < SECOND_LINE * s.text ? 1.8f : 2.9f) * s.text;
    s.arc = 0.75f * s.text;
    return s;
}

float lesson_block_lay(lesson_view *v, viz_rect room)
{
    lesson_layout *l = &v->layout;
    l->block = (viz_rect){room.x, room.y, room.w, 0};
    block_sizes s = sizes_of(l);
    float height = 2 * (s.arc + s.box) + 0.9f * s.text;
    l->block.h = lesson_step(v)->block && room.h - height >= LEAST_ROOM ? height : 0;
    return l->block.h;
}

static viz_rect part_rect(const lesson_layout *l, const block_part *part)
{
    block_sizes s = sizes_of(l);
    float y = part->row ? l->block.y + l->block.h - s.box : l->block.y + s.arc;
    return (viz_rect){l->block.x + part->x * s.wide, y, part->w * s.wide, s.box};
}

static bool is_norm(const block_part *part)
{
    return part->bit == SAC_BLOCK_ENCODER_NORM || part->bit == SAC_BLOCK_DECODER_NORM;
}

int lesson_block_hit(const lesson_view *v, float x, float y)
{
    for (int i = 0; v->layout.block.h > 0 && i < PARTS; i++)
        for (int s = 0;
             viz_inside(part_rect(&v->layout, &parts[i]), x, y) && s < v->lesson.step_count; s++)
            if (v->lesson.steps[s].block & parts[i].bit)
                return s;
    return -1;
}

/* ---------------------------------------------------------------- looks */

/* In the letters of the drawing, with some room beside them. */
static const char *name_of(const lesson_view *v, const viz_canvas *canvas, const block_part *part,
                           float size, float room)
{
    const char *name = lesson_text(v, part->name);
    bool fits = viz_text_width(canvas, VIZ_SANS, size, name) + 0.4f * size <= room;
    return fits || !part->brief.in[0] ? name : lesson_text(v, part->brief);
}

static void draw_part(const lesson_view *v, viz_canvas *canvas, const block_part *part)
{
    const viz_theme *theme = canvas->theme;
    viz_rect r = part_rect(&v->layout, part);
    float size = text_size(&v->layout), middle = r.x + r.w / 2, y = r.y + r.h / 2;
    bool lit = lesson_step(v)->block & part->bit, two = r.h > 2 * size && part->below.in[0];
    viz_color ink = lit ? theme->on_accent : theme->text;
    viz_fill_round(canvas, r, 5, lit ? theme->accent : theme->panel);
    if (!lit)
        viz_frame_round(canvas, r, 5, 1, theme->line);
    viz_text(canvas, VIZ_SANS, size, middle, y + (two ? -0.25f : 0.36f) * size, VIZ_CENTER, ink,
             name_of(v, canvas, part, size, r.w));
    if (two)
        viz_text(canvas, VIZ_SANS, size, middle, y + 1.0f * size, VIZ_CENTER, ink,
                 lesson_text(v, part->below));
}

static void draw_arrow(viz_canvas *canvas, float x0, float x1, float y, float size, viz_color color)
{
    float head = 0.3f * size;
    viz_line(canvas, x0, y, x1, y, 1.5f, color);
    viz_line(canvas, x1 - head, y - head, x1, y, 1.5f, color);
    viz_line(canvas, x1 - head, y + head, x1, y, 1.5f, color);
}

/* The path over a part, from the line before it to the sum behind it. */
static void draw_residual(const lesson_view *v, viz_canvas *canvas, const block_part *part,
                          viz_color color)
{
    const lesson_layout *l = &v->layout;
    block_sizes s = sizes_of(l);
    viz_rect r = part_rect(l, part);
    float from = r.x - 0.09f * s.wide, to = r.x + r.w + 0.13f * s.wide, y = r.y + r.h / 2,
          top = r.y - 0.6f * s.arc, radius = 0.42f * s.text, sign = 0.22f * s.text;
    viz_line(canvas, from, y, from, top, 1.5f, color);
    viz_line(canvas, from, top, to, top, 1.5f, color);
    viz_line(canvas, to, top, to, y, 1.5f, color);
    viz_disc(canvas, to, y, radius + 1.5f, color);
    viz_disc(canvas, to, y, radius, canvas->theme->ground);
    viz_line(canvas, to - sign, y, to + sign, y, 1.5f, color);
    viz_line(canvas, to, y - sign, to, y + sign, 1.5f, color);
}

/* The line from a part to the next one of its row, with the residual path of what lies between two
 * norms; lit where the step is about the norm behind it. */
static void draw_line(const lesson_view *v, viz_canvas *canvas, int i)
{
    const viz_theme *theme = canvas->theme;
    viz_rect from = part_rect(&v->layout, &parts[i]), to = part_rect(&v->layout, &parts[i + 1]);
    bool lit = is_norm(&parts[i + 1]) && lesson_step(v)->block & parts[i + 1].bit;
    viz_color color = lit ? theme->accent : theme->text2;
    draw_arrow(canvas, from.x + from.w, to.x, from.y + from.h / 2, text_size(&v->layout), color);
    if (is_norm(&parts[i + 1]))
        draw_residual(v, canvas, &parts[i], color);
}

/* The encoder's result goes down into the decoder. */
static void draw_memory(const lesson_view *v, viz_canvas *canvas)
{
    const viz_theme *theme = canvas->theme;
    viz_rect from = part_rect(&v->layout, &parts[LAST_OF_ENCODER]),
             to = part_rect(&v->layout, &parts[CROSS]);
    bool lit = lesson_step(v)->block & SAC_BLOCK_MEMORY;
    viz_color color = lit ? theme->accent : theme->text2;
    float size = text_size(&v->layout), x = from.x + from.w / 2, head = 0.3f * size;
    viz_line(canvas, x, from.y + from.h, x, to.y, lit ? 3 : 1.5f, color);
    viz_line(canvas, x - head, to.y - head, x, to.y, 1.5f, color);
    viz_line(canvas, x + head, to.y - head, x, to.y, 1.5f, color);
    viz_text(canvas, VIZ_SANS, size, from.x + from.w + 0.7f * size, from.y + from.h + 0.45f * size,
             VIZ_LEFT, lit ? theme->accent : theme->text2, "memory");
}

static void draw_names(const lesson_view *v, viz_canvas *canvas)
{
    static const sac_text names[] = {SAC_TEXT_IN("encoder", "编码器"),
                                     SAC_TEXT_IN("decoder", "解码器")};
    const lesson_layout *l = &v->layout;
    viz_rect last = part_rect(l, &parts[LAST_OF_ENCODER]), first = part_rect(l, &parts[CROSS]);
    float size = text_size(l);
    viz_text(canvas, VIZ_SANS_BOLD, size, last.x + last.w + 0.7f * size, last.y + 0.9f * size,
             VIZ_LEFT, canvas->theme->text, lesson_text(v, names[0]));
    viz_text(canvas, VIZ_SANS_BOLD, size, l->block.x, first.y + first.h / 2 + 0.36f * size,
             VIZ_LEFT, canvas->theme->text, lesson_text(v, names[1]));
}

void lesson_block_draw(const lesson_view *v, viz_canvas *canvas)
{
    if (v->layout.block.h <= 0)
        return;
    draw_memory(v, canvas);
    for (int i = 0; i + 1 < PARTS; i++)
        if (parts[i].row == parts[i + 1].row)
            draw_line(v, canvas, i);
    for (int i = 0; i < PARTS; i++)
        draw_part(v, canvas, &parts[i]);
    draw_names(v, canvas);
}

void lesson_block_spots(const lesson_view *v, viz_spots *spots)
{
    for (int i = 0; v->layout.block.h > 0 && i < PARTS; i++)
        viz_spots_add(spots, part_rect(&v->layout, &parts[i]), VIZ_SPOT_PRESSES,
                      "To the step that is about this part.");
}
