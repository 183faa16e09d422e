/* Which residues of a protein touch each other, as ESM-2 predicts it (Rao et al. 2021): of each head
 * attention is made symmetric and freed of what a row and a column have in common,
 *
 *     s = a + aᵀ,    c[i,j] = s[i,j] − s[i,·] s[·,j] / s[·,·]
 *
 * and the probability is σ(Σ w c + b) over all heads of all layers; of a layer it is that of the heads up
 * to it. */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"

/* Adds w · c of one head: a [T,T], whose first and last tokens are no residues, nor is an end inside. */
static void add_head(const sac_inference *p, const float *a, double w, double *sums, double *map)
{
    enum { END = 2 }; /* whatever the vocabulary */
    const size_t T = p->count;
    double total = 0;
    for (size_t i = 1; i + 1 < T; i++) {
        sums[i] = 0;
        for (size_t j = 1; j + 1 < T && p->ids[i] != END; j++)
            if (p->ids[j] != END)
                sums[i] += (double)a[i * T + j] + (double)a[j * T + i];
        total += sums[i];
    }
    for (size_t i = 1; i + 1 < T && total > 0; i++)
        for (size_t j = 1; j + 1 < T; j++) {
            bool is_end = p->ids[i] == END || p->ids[j] == END;
            double s = is_end ? 0 : (double)a[i * T + j] + (double)a[j * T + i];
            map[i * T + j] += w * (s - sums[i] * sums[j] / total);
        }
}

sac_status sac_inference_contacts(const sac_inference *p, float *contacts, sac_error *error)
{
    sac_pretrained_model *m = p->model;
    const size_t T = p->count, heads = (size_t)m->run.heads;
    sac_device_lock(m->device);
    float *w = sac_model_read_parameter(m, m->contacts.w);
    float *b = sac_model_read_parameter(m, m->contacts.b);
    sac_status status = sac_model_end_pass(m, NULL, error);
    float *a = malloc(heads * T * T * sizeof *a);
    double *map = calloc(T * T + T, sizeof *map);
    if (status == SAC_OK && (!a || !map || !w || !b))
        status = sac_no_memory(error, m->name);
    for (int l = 0; l < m->layers && status == SAC_OK; l++, contacts += T * T) {
        status = sac_inference_read_heads(p, l, SAC_PART_SELF, a, error);
        for (size_t h = 0; h < heads && status == SAC_OK; h++)
            add_head(p, a + h * T * T, (double)w[(size_t)l * heads + h], map + T * T, map);
        for (size_t i = 0; i < T * T && status == SAC_OK; i++) {
            size_t row = i / T, column = i % T;
            bool is_residue = row && column && row + 1 < T && column + 1 < T;
            contacts[i] = is_residue ? (float)(1 / (1 + exp(-map[i] - (double)b[0]))) : 0;
        }
    }
    free(map);
    free(a);
    free(b);
    free(w);
    return status;
}
