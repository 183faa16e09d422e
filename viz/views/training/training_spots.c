/* The spots of the training view that answer the pointer, each with its sentence. */
#include "training/training_state.h"

static const char *const figure_tips[FIGURE_COUNT] = {
    [FIGURE_STEP] = "Steps done of those asked for; a step is one batch.",
    [FIGURE_SPEED] = "Pictures with their captions that are learned from in a second.",
    [FIGURE_TIME] = "How long it will take at this speed, or took.",
};

static void add_picture(const training_view *v, viz_spots *spots, int picture)
{
    const training_words *w = &v->words[picture];
    viz_spots_add(spots, v->layout.picture[picture], VIZ_SPOT_READS,
                  "A picture that the captioner never learns from, under the attention of its "
                  "current word.");
    for (int i = 0; i < SAC_MAX_TOKENS; i++) {
        viz_spots_add(spots, w->truth[i], VIZ_SPOT_READS,
                      "The true caption; underlined is what was not said.");
        if (i < v->state.picture[picture].caption.count)
            viz_spots_add(spots, w->said[i], VIZ_SPOT_PRESSES,
                          "Hold this word; struck out, it is not in the truth.");
    }
    viz_spots_add(spots, w->verdict, VIZ_SPOT_READS, "Every word is that of the truth.");
}

void training_spots(const viz_view *view, viz_spots *spots)
{
    const training_view *v = (const training_view *)view;
    const training_layout *l = &v->layout;
    for (int i = 0; i < v->state.pictures; i++)
        add_picture(v, spots, i);
    viz_spots_add(spots, l->loss.plot, VIZ_SPOT_AREA,
                  "The loss: minus the logarithm of the true word's probability, on average.");
    viz_spots_add(spots, l->exact.plot, VIZ_SPOT_AREA,
                  "The share of captions whose every word is right, on pictures not learned from.");
    viz_spots_add(spots, l->bar, VIZ_SPOT_READS,
                  "What the colours mean; 1/N is the weight that every cell would have, were all "
                  "equal.");
    viz_spots_add(spots, l->track, VIZ_SPOT_READS, "How far the training is.");
    for (int i = 0; i < FIGURE_COUNT; i++)
        viz_spots_add(spots, l->figure[i], VIZ_SPOT_READS, figure_tips[i]);
    viz_spots_add_caps(spots, &l->caps);
}
