/* A weight taken apart on one page: what meets, as pictures where it is seen, what they have in
 * common, term by term, and the chain from the query and the key to the weight, a line for each
 * step. */
#ifndef VIZ_SHELL_WHY_CHAIN_H
#define VIZ_SHELL_WHY_CHAIN_H

#include "images/image.h"
#include "shell/why/why_steps.h"

#define VIZ_CHAIN_TERMS 8

typedef struct viz_chain {
    const char *title, *subtitle;
    const viz_why_steps *steps;
    const sac_explanation *explanation;
    const sac_image *image; /* NULL: there is no picture */
    const viz_why_names *names;
} viz_chain;

typedef struct viz_chain_layout {
    float unit;                /* of letters: 1 at 1280 × 756 */
    viz_rect area, query, key; /* the pictures of both; empty: they are no cells */
    viz_rect terms;            /* those that count most; empty: none are known */
    int term_count;
    viz_rect links[VIZ_WHY_KINDS]; /* a line for each step */
    int count;
} viz_chain_layout;

viz_chain_layout viz_chain_lay(const viz_chain *chain, viz_rect area);
void viz_chain_draw(const viz_chain *chain, const viz_chain_layout *layout, viz_canvas *canvas);
/* The step whose line is at a point; −1: none. */
int viz_chain_hit(const viz_chain_layout *layout, float x, float y);

#endif
