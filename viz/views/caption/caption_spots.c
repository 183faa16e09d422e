/* The spots of the caption view that answer the pointer, each with its sentence. */
#include "caption/caption_state.h"

static const char *const value_tips[VALUE_COUNT] = {
    "How fast the words follow each other; 1.0× is one word in 0.8 seconds.",
    "Scores are divided by it before the softmax: above 1 the attention spreads, below 1 it "
    "gathers.",
    "How query and key are compared: each score is a model of its own, trained with it.",
    "How many sentences are followed at once; the most probable one is said.",
    "The layer whose attention is shown; else the mean of all.",
    "The head whose attention is shown; else the mean of all.",
};

static void add_words(const caption_view *v, viz_spots *spots)
{
    const caption_side_layout *s = &v->layout.main;
    const caption_line *line = &v->layout.line;
    int current = caption_word_of(v);
    for (int i = 0; i < v->caption.count; i++) {
        viz_rect r = line->word[i];
        viz_spots_add(spots, (viz_rect){r.x - 4, r.y, r.w + 8, r.h}, VIZ_SPOT_PRESSES,
                      i == current ? "Click to say another word here."
                                   : "Click to see where this word looks.");
        if (v->prefix.replaced[i])
            viz_spots_add(spots, line->cross[i], VIZ_SPOT_PRESSES,
                          "Take back the word that you chose.");
        viz_spots_add(spots, s->thumb[i], VIZ_SPOT_PRESSES, "Where this word looks.");
        viz_spots_add(spots, s->label[i], VIZ_SPOT_PRESSES, "Where this word looks.");
        viz_spots_add(spots, s->small[i], VIZ_SPOT_PRESSES,
                      v->truth && v->scene.has_truth
                          ? "The share of the attention that lies on the word's own object."
                          : "How probable this word was to the model.");
    }
}

static void add_main(const caption_view *v, viz_spots *spots)
{
    const caption_side_layout *s = &v->layout.main;
    viz_spots_add(spots, s->picture, VIZ_SPOT_AREA,
                  v->source->weights.explain
                      ? "Point at a cell for its weight, double click to see why; drag with the "
                        "right button to hide cells, with shift a rectangle."
                      : "Point at a cell for its weight; drag with the right button to hide cells, "
                        "with shift a rectangle.");
    if (v->caption.count > 0) {
        viz_rect rows = {s->matrix_names.x, s->matrix.y,
                         s->matrix.x + s->matrix.w - s->matrix_names.x, s->matrix.h};
        viz_spots_add(spots, rows, VIZ_SPOT_AREA,
                      "One row a word, one column a cell of the picture; click a row to see it.");
        viz_spots_add(
            spots, s->measures, VIZ_SPOT_READS,
            "Entropy says how far the attention spreads, 0 bits being a single cell; β is "
            "how much the picture counts for this word.");
    }
    add_words(v, spots);
}

void caption_spots(const viz_view *view, viz_spots *spots)
{
    const caption_view *v = (const caption_view *)view;
    const caption_layout *l = &v->layout;
    if (v->figure)
        return;
    add_main(v, spots);
    viz_spots_add_press(spots, l->bar, "L",
                        "What the colours mean, 1/N being the weight that every cell would have, "
                        "were all equal; click for the next scale.");
    viz_spots_add(spots, l->play, VIZ_SPOT_PRESSES, "Play the words one after the other, or rest.");
    if (v->caption.count > 0)
        viz_spots_add(spots, (viz_rect){l->track.x - 8, l->track.y, l->track.w + 16, l->track.h},
                      VIZ_SPOT_SLIDES, "Drag to go through the words.");
    for (int i = 0; i < VALUE_COUNT; i++) {
        viz_rect r = l->value[i];
        if (r.w > 0)
            viz_spots_add(spots,
                          (viz_rect){r.x - VIZ_STEP_ARROW, r.y, r.w + 2 * VIZ_STEP_ARROW, r.h},
                          VIZ_SPOT_STEPS, value_tips[i]);
    }
    viz_spots_add_caps(spots, &l->caps);
    if (v->list.open) {
        spots->count = 0; /* all else waits */
        viz_word_list_spots(&v->list, spots);
    }
}
