/* Sounds of all containers, as a model of speech takes them. */
#include "fuzz.h"

#include "sounds/sound.h"

/* libsndfile 1.2 keeps a little of some damaged OGG files that it refuses. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libvorbis\nleak:libsndfile\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_sound sound;
    sac_error error = {0};
    sac_status status =
        sac_sound_from_bytes(data, size, SAC_MEL_RATE, 30 * SAC_MEL_RATE, &sound, &error);
    if (status != SAC_OK && sound.samples)
        abort();
    if (status != SAC_OK)
        fuzz_refused(status, &error);
    else
        fuzz_touch(sound.samples, sound.count * sizeof *sound.samples);
    sac_sound_free(&sound);
    return 0;
}
