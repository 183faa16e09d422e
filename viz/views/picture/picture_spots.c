/* The spots of the picture view that answer the pointer, each with its sentence. */
#include "picture/picture_state.h"

static const char *const slider_tips[SLIDE_COUNT] = {
    [SLIDE_WIDTH] = "The width of the Gaussian, 1/w: how far away a key may be and still count.",
    [SLIDE_TEMPERATURE] = "Scores are divided by it before the softmax: above 1 the attention "
                          "spreads, below 1 it gathers.",
    [SLIDE_POSITION] = "How much a cell's place counts in queries and keys, beside its colours.",
    [SLIDE_CELLS] = "How many cells the longer side of the picture is cut into.",
    [SLIDE_OPACITY] = "How strongly the colours lie over the picture.",
};

static const char *const scale_tips[] = {
    "Colours go up to this map's largest weight.",
    "Colours go up to the largest weight of all queries.",
    "The same, by the square root: faint weights show beside strong ones.",
    "Equal steps of colour are equal factors of weight.",
    "Colours go from 0 to 1.",
};
static const char *const overlay_tips[] = {
    "Colours over the picture, which is dimmed.",
    "The picture bright where the attention is, dark elsewhere.",
    "Lines around half and nine tenths of the attention.",
};
static const char *const map_tips[] = {
    "Black to yellow by way of purple.",
    "Blue to yellow by way of green.",
    "Blue to yellow, the same to eyes that do not tell red from green.",
};
static const char *const *const choice_tips[CHOOSE_COUNT] = {scale_tips, overlay_tips, map_tips};

void picture_spots(const viz_view *view, viz_spots *spots)
{
    const picture_view *v = (const picture_view *)view;
    const picture_layout *l = &v->layout;
    viz_spots_add(spots, l->left, VIZ_SPOT_AREA,
                  "The cell under the pointer is the query; click to hold it, drag with the right "
                  "button to hide cells.");
    viz_spots_add(spots, l->right, VIZ_SPOT_READS,
                  "Each cell again as the sum of all cells, weighted by its attention.");
    viz_spots_add_press(spots, l->readout, "I",
                        "The cell that asks, and the weight of the cell under the pointer; click "
                        "to see why.");
    viz_spots_add(spots, l->entropy, VIZ_SPOT_READS,
                  "How far the attention spreads: 0 bits for one cell, the second number for all "
                  "alike.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READS,
                  "What the colours mean; 1/N is the weight that every cell would have, were all "
                  "equal.");
    viz_spots_add(spots, l->formula, VIZ_SPOT_READS,
                  "The score of one query q and one key k; the softmax of the scores is the "
                  "attention.");
    for (int i = 0; i < l->scores.count; i++)
        viz_spots_add(spots, l->scores.items[i], VIZ_SPOT_PRESSES,
                      sac_score_class_of(sac_score_at_place(i))->words.help);
    for (int i = 0; i < SLIDE_COUNT; i++)
        viz_spots_add_slider(spots, &l->sliders[i], slider_tips[i]);
    for (int i = 0; i < CHOOSE_COUNT; i++)
        viz_spots_add_choices(spots, &l->choices[i], choice_tips[i]);
    viz_spots_add_caps(spots, &l->caps);
}
