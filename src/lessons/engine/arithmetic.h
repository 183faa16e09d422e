/* The arithmetic of a cell of a graph: its operands and the expression over them. */
#ifndef SAC_LESSONS_ENGINE_ARITHMETIC_H
#define SAC_LESSONS_ENGINE_ARITHMETIC_H

#include "lessons/engine/graph.h"

/* For people "exp(0.707) / (exp(0) + exp(0.707))": with the fewest digits by which the result can be
 * reckoned, or with the relation "≈"; what no step shows is written by what it is made of. For
 * programs all nine digits, as Python reads them after `from math import *`; what is given has its
 * value as expression. The graph is computed. Free it in any case. */
typedef enum sac_reader { SAC_FOR_PEOPLE = 0, SAC_FOR_PROGRAMS } sac_reader;
sac_status sac_arithmetic_of(const sac_graph *graph, sac_node node, size_t cell, sac_reader reader,
                             sac_arithmetic *arithmetic, sac_error *error);

#endif
