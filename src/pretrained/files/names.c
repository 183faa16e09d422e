/* The names of transformers 5. */
#include "pretrained/files/names.h"

#include <stdio.h>
#include <string.h>

typedef struct renaming {
    const char *in_file, *in_memory;
} renaming;

/* Of a layer's parts, those of the attention first. */
static const renaming parts[] = {
    {".attention.attention.query.", ".attention.q_proj."},
    {".attention.attention.key.", ".attention.k_proj."},
    {".attention.attention.value.", ".attention.v_proj."},
    {".attention.output.dense.", ".attention.o_proj."},
    {".intermediate.dense.", ".mlp.fc1."},
    {".output.dense.", ".mlp.fc2."},
};
enum { ATTENTION = 4, PARTS = sizeof parts / sizeof *parts };

/* True where it was found, and has room. */
static bool rename_one(const char *name, const renaming *r, char *other, size_t size)
{
    const char *at = strstr(name, r->in_file);
    if (!at)
        return false;
    return (size_t)snprintf(other, size, "%.*s%s%s", (int)(at - name), name, r->in_memory,
                            at + strlen(r->in_file)) < size;
}

static bool rename_part(const char *name, int count, char *other, size_t size)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, parts[i].in_file))
            return rename_one(name, &parts[i], other, size);
    return false;
}

/* DINOv2 has other names in its attention alone, ViT and DeiT of all in a layer, and of it. */
bool sac_tensor_other_name(const char *name, int way, char *other, size_t size)
{
    static const renaming layer = {"encoder.layer.", "layers."};
    char within[256];
    if (way == 0)
        return rename_part(name, ATTENTION, other, size) || rename_one(name, &layer, other, size);
    if (way > 1 || !rename_part(name, PARTS, within, sizeof within))
        return false;
    return rename_one(within, &layer, other, size);
}
