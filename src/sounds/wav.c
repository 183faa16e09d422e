/* RIFF WAVE files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "sounds/sound.h"

enum { PCM = 1, FLOATS = 3, EXTENSIBLE = 0xfffe, MOST_CHANNELS = 64, MOST_RATE = 192000 };

typedef struct format {
    unsigned tag, channels, rate, block, bits; /* tag 0: not told yet */
} format;

static unsigned whole(const uint8_t *bytes, int count)
{
    unsigned value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

bool sac_sound_is(const uint8_t *bytes, size_t size)
{
    return size >= 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WAVE", 4) == 0;
}

static sac_status read_format(const uint8_t *at, size_t size, format *f, sac_error *error)
{
    if (size < 16)
        return sac_fail(error, SAC_E_FORMAT, "fmt", NULL, "is too short");
    *f = (format){.tag = whole(at, 2),
                  .channels = whole(at + 2, 2),
                  .rate = whole(at + 4, 4),
                  .block = whole(at + 12, 2),
                  .bits = whole(at + 14, 2)};
    if (f->tag == EXTENSIBLE && size >= 26)
        f->tag = whole(at + 24, 2);
    bool is_whole = f->tag == PCM && f->bits >= 8 && f->bits <= 32 && f->bits % 8 == 0;
    bool is_float = f->tag == FLOATS && (f->bits == 32 || f->bits == 64);
    if (!is_whole && !is_float)
        return sac_fail(error, SAC_E_FORMAT, "fmt", "convert it to PCM of 16 bits",
                        "samples of kind %u with %u bits are not supported", f->tag, f->bits);
    if (f->channels < 1 || f->channels > MOST_CHANNELS || f->rate < 1 || f->rate > MOST_RATE ||
        f->block != f->channels * (f->bits / 8))
        return sac_fail(error, SAC_E_FORMAT, "fmt", NULL,
                        "%u channels at %u Hz in blocks of %u bytes do not fit together",
                        f->channels, f->rate, f->block);
    return SAC_OK;
}

static float sample_of(const uint8_t *at, const format *f)
{
    if (f->tag == FLOATS) {
        float single;
        double number;
        memcpy(&single, at, sizeof single);
        if (f->bits == 64)
            memcpy(&number, at, sizeof number);
        else
            number = single;
        return isfinite(number) ? (float)fmax(-1e6, fmin(1e6, number)) : 0;
    }
    if (f->bits == 8) /* without a sign */
        return ((float)at[0] - 128) / 128;
    int32_t number = (int32_t)(whole(at, (int)f->bits / 8) << (32 - f->bits));
    return (float)((double)number / 2147483648.0);
}

static sac_status read_samples(const uint8_t *at, size_t size, const format *f, sac_sound *sound,
                               sac_error *error)
{
    const size_t most = (size_t)1 << 27;
    size_t count = size / f->block;
    if (count == 0)
        return sac_fail(error, SAC_E_FORMAT, "data", NULL, "has no samples");
    if (count > most)
        return sac_fail(error, SAC_E_SHAPE, "data", "cut it into parts",
                        "has %zu samples; up to %zu are read", count, most);
    sound->samples = malloc(count * sizeof *sound->samples);
    if (!sound->samples)
        return sac_no_memory(error, "data");
    sound->count = count;
    sound->rate = (int)f->rate;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        if (i % 65536 == 0 && sac_cancel_asked())
            return sac_cancel_check("data", error);
        for (unsigned channel = 0; channel < f->channels; channel++)
            sum += sample_of(at + i * f->block + channel * (f->bits / 8), f);
        sound->samples[i] = (float)(sum / f->channels);
    }
    return SAC_OK;
}

sac_status sac_sound_from_bytes(const uint8_t *bytes, size_t size, sac_sound *sound,
                                sac_error *error)
{
    format f = {0};
    sac_status status = SAC_OK;
    *sound = (sac_sound){0};
    if (!sac_sound_is(bytes, size))
        return sac_fail(error, SAC_E_FORMAT, NULL, "convert it to WAV",
                        "is not a sound that is read here (WAV)");
    for (size_t at = 12; at + 8 <= size && status == SAC_OK;) {
        const uint8_t *name = bytes + at;
        size_t told = whole(bytes + at + 4, 4), left = size - at - 8;
        size_t length = told < left ? told : left; /* programs that stream leave it open */
        if (memcmp(name, "fmt ", 4) == 0)
            status = read_format(bytes + at + 8, length, &f, error);
        else if (memcmp(name, "data", 4) == 0 && f.tag)
            return read_samples(bytes + at + 8, length, &f, sound, error);
        at += 8 + length + (length & 1);
    }
    return status != SAC_OK ? status
                            : sac_fail(error, SAC_E_FORMAT, NULL, "take another copy", "has no %s",
                                       f.tag ? "data" : "format before its data");
}

sac_status sac_sound_load(const char *path, sac_sound *sound, sac_error *error)
{
    sac_bytes file;
    *sound = (sac_sound){0};
    sac_status status = sac_bytes_read(path, &file, error);
    if (status != SAC_OK)
        return status;
    status = sac_sound_from_bytes(file.data, file.size, sound, error);
    sac_error_within(error, status, path);
    sac_bytes_free(&file);
    if (status != SAC_OK)
        sac_sound_free(sound);
    return status;
}

void sac_sound_free(sac_sound *sound)
{
    free(sound->samples);
    *sound = (sac_sound){0};
}
