/* What models of objects in a picture have in common: the names of classes, and the layers that make classes and boxes. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>

#include "architectures/architecture.h"
#include "base/error.h"
#include "base/text/utf8.h"

enum { CLASSES = 1 << 14 };

sac_perceptron sac_detector_declare_head(sac_pretrained_model *m, const char *name, int count,
                                         size_t out)
{
    sac_perceptron head = {.count = count, .between = SAC_RELU};
    for (int i = 0; i < count; i++) {
        char layer[24];
        snprintf(layer, sizeof layer, "layers.%d", i);
        head.layer[i] =
            sac_dense_declare(&m->parameters, count > 1 ? name : "", count > 1 ? layer : name,
                              i == count - 1 ? out : m->width, m->width, true);
    }
    return head;
}

static void read_class_names(sac_pretrained_model *m, sac_config *c)
{
    sac_detector *d = &m->detector;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(c->json, "id2label");
    d->names = calloc(d->classes, sizeof *d->names);
    if (!d->names) {
        c->status = sac_no_memory(c->error, m->name);
        return;
    }
    for (size_t i = 0; i < d->classes; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        const cJSON *one = cJSON_GetObjectItemCaseSensitive(list, key);
        const char *text = cJSON_IsString(one) ? one->valuestring : "";
        sac_utf8_copy(d->names[i], SAC_CLASS_NAME, text);
        if (!d->names[i][0])
            snprintf(d->names[i], sizeof d->names[i], "class %zu", i);
    }
}

void sac_detector_read_classes(sac_pretrained_model *m, sac_config *c, const char *name)
{
    static const char *const layers[] = {".weight", ".layers.2.weight"};
    size_t rows = 0;
    for (int i = 0; i < 2 && !rows; i++) {
        char full[sizeof((sac_parameter *)0)->name];
        snprintf(full, sizeof full, "%s%s", name, layers[i]);
        const sac_array *found = sac_pretrained_find(m->files, full);
        rows = found && found->rank ? found->shape[0] : 0;
    }
    if (rows < 2 || rows > CLASSES)
        sac_config_refuse(c, "id2label", "%zu rows of %s are no classes", rows, name);
    m->detector.classes = rows - 1;
    if (c->status == SAC_OK)
        read_class_names(m, c);
}
