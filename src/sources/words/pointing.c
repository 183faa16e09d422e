#include "sources/words/pointing.h"

#include <math.h>

void sac_place_add(sac_place *place, const sac_look *look)
{
    float cover[SAC_PLACE_CELLS];
    sac_look_cover(look, place->grid_w, place->grid_h, cover);
    for (int y = 0; y < place->grid_h; y++)
        for (int x = 0; x < place->grid_w; x++) {
            int cell = y * place->grid_w + x;
            place->cover[cell] = fmaxf(place->cover[cell], cover[cell]);
            place->holds[cell] |=
                sac_look_holds(look, (x + 0.5) / place->grid_w, (y + 0.5) / place->grid_h);
        }
    place->holds_middle |= sac_look_holds(look, 0.5, 0.5);
}

static void add_pointing(sac_pointing *sums, double pointing, double mass)
{
    sums->words++;
    sums->pointing += pointing;
    sums->mass_in_box += mass;
}

static bool peaks_inside(const sac_result *caption, int word, const sac_place *p)
{
    return p->holds[caption->outputs[word].peak_y * p->grid_w + caption->outputs[word].peak_x];
}

/* A map's sum is 1, or 0 where all is hidden. */
static double mass_inside(const sac_result *caption, int word, const sac_place *p)
{
    int cells = p->grid_w * p->grid_h;
    const float *weights = caption->weights + (size_t)word * (size_t)cells;
    double mass = 0;
    for (int i = 0; i < cells; i++)
        mass += weights[i] * p->cover[i];
    return mass;
}

static void add_centre_baseline(sac_pointing *sums, const sac_place *p)
{
    const double sigma = 2;
    double heat = 0, mass = 0;
    for (int y = 0; y < p->grid_h; y++)
        for (int x = 0; x < p->grid_w; x++) {
            double dx = x + 0.5 - p->grid_w / 2.0, dy = y + 0.5 - p->grid_h / 2.0;
            double weight = exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
            heat += weight;
            mass += weight * p->cover[y * p->grid_w + x];
        }
    add_pointing(sums, p->holds_middle, mass / heat);
}

static void add_shuffled_baseline(sac_pointing *sums, const sac_result *caption, int word,
                                  const sac_place *p)
{
    int others = caption->count - 1;
    double inside = 0, mass = 0;
    for (int i = 0; i < caption->count; i++)
        if (i != word) {
            inside += peaks_inside(caption, i, p);
            mass += mass_inside(caption, i, p);
        }
    if (others > 0)
        add_pointing(sums, inside / others, mass / others);
}

void sac_pointing_add(const sac_result *caption, int word, const sac_place *place,
                      sac_pointings *sums)
{
    add_pointing(&sums->model, peaks_inside(caption, word, place),
                 mass_inside(caption, word, place));
    int cells = place->grid_w * place->grid_h;
    double inside = 0, mass = 0;
    for (int i = 0; i < cells; i++) {
        inside += place->holds[i];
        mass += place->cover[i];
    }
    add_pointing(&sums->uniform, inside / cells, mass / cells);
    add_centre_baseline(&sums->centre, place);
    add_shuffled_baseline(&sums->shuffled, caption, word, place);
}

void sac_pointing_average(sac_pointings *sums)
{
    sac_pointing *const all[] = {&sums->model, &sums->uniform, &sums->centre, &sums->shuffled};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->pointing /= (double)all[i]->words;
        all[i]->mass_in_box /= (double)all[i]->words;
    }
}
