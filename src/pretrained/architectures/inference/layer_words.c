/* The words of each layer (sac_layer_words). */
#include <math.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "nn/attention/positions.h"
#include "nn/layers.h"

/* numbers [L,T,P] = √P · the table's rows of these tokens, of which the file has few pages read. */
static sac_status gather_words(const sac_pretrained_model *m, const int *ids, size_t count,
                               float *row, float *numbers, sac_error *error)
{
    const sac_layer_words *w = &m->layer_words;
    const size_t P = w->width, L = (size_t)m->layers, width = L * P;
    const float scale = sqrtf((float)P);
    sac_status status = SAC_OK;
    for (size_t t = 0; t < count && status == SAC_OK; t++) {
        const size_t id = (size_t)sac_architecture_word_of(m, ids[t]);
        if (id >= w->table->shape[0])
            return sac_fail(error, SAC_E_FORMAT, m->folder, "give the whole model",
                            "token %zu has no words of the layers, which are of %zu tokens", id,
                            w->table->shape[0]);
        const sac_array of = sac_array_view(w->table->dtype, 1, &width,
                                            (const char *)w->table->data +
                                                id * width * sac_dtype_size(w->table->dtype));
        status = sac_array_to_f32(&of, row, error);
        for (size_t i = 0; i < width; i++)
            numbers[(i / P * count + t) * P + i % P] = scale * row[i];
    }
    return status;
}

void sac_architecture_build_layer_words(sac_pretrained_model *m, sac_arena *arena,
                                        sac_position_ids *placing, const int *ids, sac_tensor x)
{
    const sac_layer_words *w = &m->layer_words;
    const size_t P = w->width, L = (size_t)m->layers, T = x.rows;
    const size_t each = T == 1 ? L : 1; /* layers whose words lie one behind the other in a row */
    sac_pass *pass = &m->pass;
    if (!P)
        return;
    float *numbers = malloc((T + 1) * L * P * sizeof *numbers);
    if (!numbers)
        SAC_PASS_CALL(pass, sac_no_memory(&pass->error, m->name));
    else
        SAC_PASS_CALL(pass, gather_words(m, ids, T, numbers + T * L * P, numbers, &pass->error));
    sac_arena_shape(arena, pass, &placing->words, L * T, P);
    sac_arena_shape(arena, pass, &placing->projected, each * T, P);
    if (sac_pass_runs(pass))
        sac_pass_write(pass, placing->words, numbers);
    free(numbers);
    for (size_t i = 0; i < L && sac_pass_runs(pass); i += each) {
        sac_parameter project = *w->project;
        project.value = sac_tensor_rows(project.value, i * P, each * P);
        sac_linear_forward(pass, sac_tensor_shaped(placing->projected, T, each * P), x, &project,
                           NULL);
        sac_scale(pass, placing->projected, 1 / sqrtf((float)m->width));
        sac_layer_norm_forward(pass, &w->norm, placing->projected, placing->projected);
        sac_add(pass, sac_tensor_rows(placing->words, i * T, each * T), placing->projected);
    }
    sac_scale(pass, placing->words, sqrtf(0.5f));
}
