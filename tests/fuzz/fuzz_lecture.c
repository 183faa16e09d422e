#include "fuzz.h"

#include "sources/lecture.h"

/* A lecture is taken whole, or refused with a reason that names the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_lecture lecture;
    sac_error error = {0};
    sac_status status = sac_lecture_parse((const char *)data, size, "fuzz", &lecture, &error);
    if (status != SAC_OK && (error.status != status || !error.what[0]))
        abort();
    if (status == SAC_OK && (lecture.count < 1 || !lecture.title))
        abort();
    for (int i = 0; status == SAC_OK && i < lecture.count; i++) {
        const sac_lecture_stop *stop = &lecture.stops[i];
        if (!stop->title || !stop->note || stop->shows.count < 1)
            abort();
        for (size_t k = 0; k < stop->shows.count; k++) {
            fuzz_touch(stop->shows.at[k].key, strlen(stop->shows.at[k].key));
            fuzz_touch(stop->shows.at[k].value, strlen(stop->shows.at[k].value));
        }
    }
    sac_lecture_free(&lecture);
    return 0;
}
