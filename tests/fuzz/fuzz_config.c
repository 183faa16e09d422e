#include "fuzz.h"

#include <cjson/cJSON.h>

#include "architectures/architecture.h"
#include "architectures/architectures.h"

/* Any folder's weights: their names are those of the tensors, and nothing else is taken of them. */
static sac_pretrained *open_files(void)
{
    static sac_pretrained *files;
    sac_error error;
    if (!files && sac_pretrained_open(REFERENCES "/gpt2", &files, &error) != SAC_OK)
        abort();
    return files;
}

/* Whatever is accepted, its sizes may be allocated and computed with. */
static void check(const sac_pretrained_model *m)
{
    const sac_vision_encoder *s = &m->vision_encoder;
    /* A residual network has no layers of heads, and an encoder in stages has them there. */
    int least = s->cells || s->layout.stages || m->stage_count || m->text_decoder.spells ? 0 : 1;
    const sac_parameter *query = m->layer[0].attention[SAC_PART_SELF].query.w;
    size_t queries = query ? query->shape[0] : m->width; /* heads may have a size of their own */
    if (m->width < 1 || m->layers < least || m->layers > SAC_ARCHITECTURE_LAYERS ||
        (!m->stage_count && (m->run.heads < 1 || queries % (size_t)m->run.heads != 0)))
        abort();
    for (int i = 0; i < m->parameters.count; i++)
        for (int k = 0; k < m->parameters.list[i]->rank; k++)
            if (m->parameters.list[i]->shape[k] < 1 || m->parameters.list[i]->shape[k] > (size_t)1
                                                                                             << 40)
                abort();
    for (int i = 0; i < s->layout.stages; i++)
        if (s->layout.depth[i] < 1)
            abort();
    fuzz_touch(m, sizeof *m);
    for (int i = 0; i < m->stage_count; i++)
        check(m->stages[i]);
    if (m->decoder)
        check(m->decoder);
    if (m->reader)
        check(m->reader);
    if (m->text_encoder)
        check(m->text_encoder);
}

/* config.json of a folder. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_error error = {0};
    cJSON *json = cJSON_ParseWithLength((const char *)data, size);
    sac_pretrained_model *m = calloc(1, sizeof *m);
    if (m && cJSON_IsObject(json)) {
        m->users = 1;
        m->files = open_files();
        sac_config config = sac_config_of(json, "config.json", &error);
        sac_status status = sac_architecture_declare(m, &config);
        if (status == SAC_OK)
            check(m);
        else
            fuzz_refused(status, &error);
        m->files = NULL; /* they stay open */
        sac_pretrained_model_close(m);
    } else {
        free(m);
    }
    cJSON_Delete(json);
    return 0;
}
