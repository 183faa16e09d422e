/* The layer MultiHeadAttention of the notes on "Attention Is All You Need": as they meant it, and
 * as they printed it. */
#ifndef SAC_LESSONS_SHARED_NOTES_LAYER_H
#define SAC_LESSONS_SHARED_NOTES_LAYER_H

#include "lessons/shared/heads.h"

/* MultiHeadAttention(depth, heads), drawn after torch.manual_seed(lesson->seed) in its order: key,
 * value, query, final. By a view alone, the scale is the one that the notes print,
 * (depth_of_head // heads)^−½. */
sac_heads sac_notes_layer(sac_lesson *lesson, size_t depth, size_t heads, bool by_view,
                          float scale);
/* (depth_of_head // heads)^−½; 0 where that divides by 0. */
float sac_notes_printed_scale(size_t depth, size_t heads);

/* Which word row r of head h is made of: "member" [H,T,T], a 1 in each row. */
sac_node sac_notes_members(sac_graph *graph, size_t words, size_t heads, bool by_view);
/* "influence" [T,T]: 1 where word j can change the output of word i, as they share a head. */
sac_node sac_notes_influence(sac_graph *graph, sac_node member);

/* Layer norm of x's rows with gain 1 and bias 0, by "mean", "variance" and `name`. */
sac_node sac_rows_standardised(sac_graph *graph, const char *name, sac_node x);

#endif
