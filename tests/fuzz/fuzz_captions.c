#include "fuzz_folder.h"

#include "base/text/utf8.h"
#include "pictures/instances.h"
#include "pictures/pictures.h"

static void check(const sac_pictures *p)
{
    char line[300];
    size_t of_splits = 0;
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < p->items[i].caption_count; k++) {
            const sac_picture_caption *c = &p->items[i].captions[k];
            if (!c->plain[0] || !sac_utf8_valid(c->text, strlen(c->text)) || c->count < 1)
                abort();
            for (int w = 0; w < c->count; w++)
                if (c->words[w] < SAC_VOCABULARY_UNKNOWN || c->words[w] >= p->vocabulary.count)
                    abort();
            char *again = sac_caption_plain(c->plain);
            if (!again || strcmp(again, c->plain) != 0)
                abort();
            free(again);
        }
    for (int s = 0; s < SAC_SPLITS; s++)
        of_splits += p->of_split[s];
    for (int i = 0; sac_pictures_report_line(p, i, line, sizeof line); i++)
        if (!line[0])
            abort();
    if (of_splits != p->count)
        abort();
}

static void check_instances(const sac_instances *instances)
{
    for (int i = 0; i < instances->names.count; i++) {
        const sac_instances_of_picture *of =
            sac_instances_find(instances, instances->names.texts[i]);
        for (int k = 0; k < of->count; k++) {
            const float *box = of->list[k].box;
            if (!(box[0] >= 0 && box[0] <= box[2] && box[2] <= 1 && box[1] >= 0 &&
                  box[1] <= box[3] && box[3] <= 1) ||
                of->list[k].category >= instances->categories.count)
                abort();
        }
    }
    for (int i = 0; i < instances->categories.count; i++)
        if (sac_instances_category(instances, instances->categories.texts[i]) != i)
            abort();
}

/* The bytes as captions, as the list of a split, beside a picture, and as instances. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.jpg", "b.jpg", "a.txt", "captions", "good", NULL};
    static const char good[] = "image,caption\na.jpg,a dog\nb.jpg,a cat\n";
    sac_pictures p;
    if (!fuzz_names) {
        fuzz_open_folder(names);
        fuzz_write("a.jpg", "\xff\xd8\xff\xe0", 4);
        fuzz_write("b.jpg", "\xff\xd8\xff\xe0", 4);
        fuzz_write("good", good, sizeof good - 1);
    }
    fuzz_write("captions", data, size);
    fuzz_write("a.txt", data, size);
    char path[256], of_good[256];
    strcpy(path, fuzz_path("captions"));
    strcpy(of_good, fuzz_path("good"));
    const sac_pictures_options ways[] = {
        {.sets = {{fuzz_folder, .captions = path}}, .least = 1},
        {.sets = {{fuzz_folder, .captions = of_good, .val = path}}},
        {.sets = {{fuzz_folder}, {fuzz_folder, .captions = path}}},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        sac_error error = {0};
        sac_status status = sac_pictures_open(&ways[i], &p, &error);
        if (status != SAC_OK)
            fuzz_refused(status, &error);
        else
            check(&p);
        sac_pictures_free(&p);
    }
    sac_instances instances;
    sac_error error = {0};
    sac_status status = sac_instances_open(path, &instances, &error);
    if (status != SAC_OK)
        fuzz_refused(status, &error);
    else
        check_instances(&instances);
    sac_instances_free(&instances);
    return 0;
}
