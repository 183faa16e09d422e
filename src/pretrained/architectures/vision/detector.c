/* What models of objects in a picture have in common: the names of classes, and the layers that make classes and boxes. */
#include <stdio.h>

#include "architectures/architecture.h"

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
        m->detector.names = sac_architecture_read_class_names(m, c, m->detector.classes);
}
