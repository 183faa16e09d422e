/* Sounds in through libsndfile: every container and codec that it reads, mixed to one channel and
 * brought to the rate that is requested while they are read, so that no more is held than is kept. */
#include <dlfcn.h>
#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/foreign.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/notice.h"
#include "sounds/resample.h"
#include "sounds/sound.h"

enum { LEAST_RATE = 1000, MOST_RATE = 768000, MOST_CHANNELS = 64, BLOCK = 1 << 14 };

/* ---------------------------------------------------------------- kinds of file */

/* A frame of MPEG audio, layer II or III: its first bits are set, and no field holds what is
 * reserved. AAC (ADTS) has layer 0. */
static bool is_mpeg(const uint8_t *b)
{
    unsigned version = b[1] >> 3 & 3, layer = b[1] >> 1 & 3;
    return b[0] == 0xff && b[1] >> 5 == 7 && version != 1 && (layer == 1 || layer == 2) &&
           b[2] >> 4 != 15 && b[2] >> 4 != 0 && (b[2] >> 2 & 3) != 3;
}

bool sac_sound_is(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *mark;
        size_t at;
        const char *second; /* NULL: the first is enough */
    } kinds[] = {{"RIFF", 8, "WAVE"},
                 {"RIFX", 8, "WAVE"},
                 {"RF64", 8, "WAVE"},
                 {"BW64", 8, "WAVE"},
                 {"FORM", 8, "AIFF"},
                 {"FORM", 8, "AIFC"},
                 {"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb", 0, NULL}, /* W64 */
                 {"fLaC", 0, NULL},
                 {"OggS", 0, NULL},
                 {"ID3", 0, NULL},
                 {".snd", 0, NULL},
                 {"caff", 0, NULL},
                 {"NIST_1A", 0, NULL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && size >= 12; i++)
        if (memcmp(bytes, kinds[i].mark, strlen(kinds[i].mark)) == 0 &&
            (!kinds[i].second || memcmp(bytes + kinds[i].at, kinds[i].second, 4) == 0))
            return true;
    return size >= 4 && is_mpeg(bytes);
}

/* ---------------------------------------------------------------- the file in memory */

/* A RIFF WAVE is handed on as a head of three chunks and its samples: programs that write to a pipe
 * leave the size of the data 0 or FFFFFFFF, recorders that die leave it too small, and some leave
 * out the byte behind a chunk of odd size. libsndfile takes such sizes as they stand. */
typedef struct memory {
    uint8_t *head;    /* [head_size], owned */
    size_t head_size; /* 0: the file is read as it is */
    const uint8_t *data;
    size_t size;     /* of data */
    bool breaks_off; /* it promises more */
    bool is_guessed; /* how many samples there are: of MPEG audio that does not count its frames */
    sf_count_t at;
} memory;

static size_t u32(const uint8_t *b)
{
    return (size_t)b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16 | (size_t)b[3] << 24;
}

static size_t u32_big(const uint8_t *b)
{
    return (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | (size_t)b[3];
}

static void put_u32(uint8_t *to, size_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void put_chunk(memory *m, const char *name, const uint8_t *body, size_t size)
{
    memcpy(m->head + m->head_size, name, 4);
    put_u32(m->head + m->head_size + 4, size);
    if (body)
        memcpy(m->head + m->head_size + 8, body, size);
    m->head_size += 8 + (body ? size + (size & 1) : 0);
}

/* A name of a chunk is four printable letters. */
static bool is_chunk_name(const uint8_t *b)
{
    for (int i = 0; i < 4; i++)
        if (b[i] < ' ' || b[i] > '~')
            return false;
    return true;
}

static sac_status mend_wave_chunks(const uint8_t *bytes, size_t size, memory *m, sac_error *error)
{
    const uint8_t *format = NULL, *fact = NULL;
    size_t format_size = 0;
    for (size_t at = 12; at + 8 <= size;) {
        const uint8_t *name = bytes + at;
        size_t stated = u32(bytes + at + 4), left = size - at - 8;
        size_t length = stated < left ? stated : left;
        if (memcmp(name, "data", 4) == 0) {
            if (!format)
                return sac_fail(error, SAC_E_FORMAT, NULL, "take another copy",
                                "has no format before its data");
            bool is_open = stated == 0 || stated > 0xffffff00;
            m->data = bytes + at + 8;
            m->size = is_open ? left : length;
            m->breaks_off = !is_open && stated > length;
            m->head = malloc(512);
            if (!m->head)
                return sac_no_memory(error, "sound");
            memcpy(m->head, "RIFF\0\0\0\0WAVE", m->head_size = 12);
            put_chunk(m, "fmt ", format, format_size);
            if (fact)
                put_chunk(m, "fact", fact, 4);
            put_chunk(m, "data", NULL, m->size < 0xfffffe00 ? m->size : 0xfffffe00);
            put_u32(m->head + 4, u32(m->head + m->head_size - 4) + m->head_size - 8);
            return SAC_OK;
        }
        if (memcmp(name, "fmt ", 4) == 0 && length >= 14 && length <= 256) {
            format = bytes + at + 8;
            format_size = length;
        } else if (memcmp(name, "fact", 4) == 0 && length >= 4) {
            fact = bytes + at + 8;
        }
        at += 8 + length;
        if ((length & 1) && !(at + 4 <= size && is_chunk_name(bytes + at)))
            at++;
    }
    return sac_fail(error, SAC_E_FORMAT, NULL, "take another copy", "has no %s",
                    format ? "data" : "format before its data");
}

/* The data of a CAF that breaks off: its size becomes what is there. */
static sac_status mend_caf(const uint8_t *bytes, size_t size, memory *m, sac_error *error)
{
    for (size_t at = 8; at + 12 <= size;) {
        const size_t left = size - at - 12, high = u32_big(bytes + at + 4);
        const size_t stated = high << 32 | u32_big(bytes + at + 8);
        if (stated <= left) {
            at += 12 + stated;
            continue;
        }
        if (memcmp(bytes + at, "data", 4) != 0 || stated == SIZE_MAX)
            return SAC_OK;
        m->head = malloc(m->head_size = at + 12);
        if (!m->head)
            return sac_no_memory(error, "sound");
        memcpy(m->head, bytes, m->head_size);
        for (int i = 0; i < 8; i++)
            m->head[at + 4 + (size_t)i] = (uint8_t)(left >> (56 - 8 * i));
        m->data = bytes + at + 12;
        m->size = left;
        m->breaks_off = true;
        return SAC_OK;
    }
    return SAC_OK;
}

/* Behind a tag of ID3v2. */
static size_t id3_tag_size(const uint8_t *b, size_t size)
{
    if (size < 10 || memcmp(b, "ID3", 3) != 0)
        return 0;
    return 10 + ((size_t)(b[6] & 127) << 21 | (size_t)(b[7] & 127) << 14 |
                 (size_t)(b[8] & 127) << 7 | (size_t)(b[9] & 127));
}

/* The first frame of MPEG audio may state how many bytes the stream has ("Xing" of a variable rate, "Info" of a
 * constant one). That becomes the true size, as libmpg123 prints a line of its own of any other. */
static sac_status mend_mpeg(const uint8_t *bytes, size_t size, memory *m, sac_error *error)
{
    const size_t at = id3_tag_size(bytes, size);
    m->is_guessed = true;
    if (at > size || size - at < 64 || !is_mpeg(bytes + at))
        return SAC_OK;
    const uint8_t *b = bytes + at;
    const bool is_first = (b[1] >> 3 & 3) == 3, is_mono = b[3] >> 6 == 3; /* MPEG-1 */
    const size_t tag = 4 + (size_t)(is_first ? is_mono ? 17 : 32 : is_mono ? 9 : 17);
    const size_t field = tag + 8 + 4 * (size_t)(b[tag + 7] & 1), there = size - at;
    if ((memcmp(b + tag, "Xing", 4) != 0 && memcmp(b + tag, "Info", 4) != 0) || !(b[tag + 7] & 2))
        return SAC_OK;
    m->is_guessed = !(b[tag + 7] & 1);
    m->breaks_off = u32_big(b + field) > there;
    m->head = malloc(m->head_size = at + field + 4);
    if (!m->head)
        return sac_no_memory(error, "sound");
    memcpy(m->head, bytes, m->head_size);
    for (int i = 0; i < 4; i++)
        m->head[at + field + (size_t)i] = (uint8_t)(there >> (24 - 8 * i));
    m->data = bytes + m->head_size;
    m->size = size - m->head_size;
    return SAC_OK;
}

/* True for a last page of Ogg that is not whole, or not marked as the stream's last. */
static bool ogg_breaks_off(const uint8_t *b, size_t size)
{
    for (size_t at = size >= 27 ? size - 26 : 0; at-- > 0 && size - at < 70000;) {
        if (memcmp(b + at, "OggS", 4) != 0)
            continue;
        size_t end = at + 27 + b[at + 26];
        for (size_t i = at + 27; i < at + 27 + b[at + 26] && i < size; i++)
            end += b[i];
        return end > size || !(b[at + 5] & 4);
    }
    return true;
}

/* True where the stated length is more than the file has. A size of FFFFFFFF states none. */
static bool breaks_off(const uint8_t *b, size_t size)
{
    size_t stated = 0;
    if (size < 40)
        return false;
    if (memcmp(b, "OggS", 4) == 0)
        return ogg_breaks_off(b, size);
    if (memcmp(b, "FORM", 4) == 0 || memcmp(b, "RIFX", 4) == 0)
        stated = 8 + u32_big(b + 4);
    else if (memcmp(b, ".snd", 4) == 0)
        stated = u32_big(b + 4) + u32_big(b + 8);
    else if (memcmp(b, "riff", 4) == 0)
        stated = u32(b + 16) | u32(b + 20) << 32;
    else if (memcmp(b + 12, "ds64", 4) == 0)
        stated = 8 + (u32(b + 20) | u32(b + 24) << 32);
    return stated > size && stated < 0xffffffff;
}

static sf_count_t length_of(void *self)
{
    const memory *m = self;
    return (sf_count_t)(m->head_size + m->size);
}

static sf_count_t seek(sf_count_t offset, int whence, void *self)
{
    memory *m = self;
    sf_count_t from = whence == SEEK_CUR ? m->at : whence == SEEK_END ? length_of(self) : 0;
    if (offset < -from || offset > length_of(self) - from)
        return -1;
    return m->at = from + offset;
}

static sf_count_t read_some(void *to, sf_count_t wanted, void *self)
{
    memory *m = self;
    sf_count_t taken = 0, head = (sf_count_t)m->head_size;
    for (; taken < wanted && m->at < length_of(self); taken++, m->at++) {
        if (m->at >= head) {
            sf_count_t left = length_of(self) - m->at, rest = wanted - taken;
            rest = rest < left ? rest : left;
            memcpy((uint8_t *)to + taken, m->data + (m->at - head), (size_t)rest);
            m->at += rest;
            return taken + rest;
        }
        ((uint8_t *)to)[taken] = m->head[m->at];
    }
    return taken;
}

static sf_count_t position(void *self)
{
    return ((memory *)self)->at;
}

/* ---------------------------------------------------------------- what libmpg123 prints */

/* libsndfile reads MPEG audio by libmpg123, which prints on stderr what it meets in a damaged file, and libsndfile
 * has no way to ask for silence. Its call comes here, as a program's symbol goes before a library's. */
__attribute__((visibility("default"))) void *mpg123_new(const char *decoder, int *error);

void *mpg123_new(const char *decoder, int *error)
{
    enum { ADD_FLAGS = 2, QUIET = 0x20 }; /* of mpg123.h, which need not be installed */
    void *(*create)(const char *, int *);
    int (*set)(void *, int, long, double);
    *(void **)&create = dlsym(RTLD_NEXT, "mpg123_new");
    *(void **)&set = dlsym(RTLD_NEXT, "mpg123_param");
    void *made = create ? create(decoder, error) : NULL;
    if (made && set)
        set(made, ADD_FLAGS, QUIET, 0);
    return made;
}

/* ---------------------------------------------------------------- samples */

/* The mean of all channels. Floats may be anything, and what is no number is silent. */
static void mix_to_mono(const float *block, size_t frames, size_t channels, float *mixed)
{
    for (size_t i = 0; i < frames; i++) {
        double sum = 0;
        for (size_t channel = 0; channel < channels; channel++) {
            float sample = block[i * channels + channel];
            sum += isfinite(sample) ? fmaxf(-1e6f, fminf(1e6f, sample)) : 0;
        }
        mixed[i] = (float)(sum / (double)channels);
    }
}

/* Reads until the sound ends, or has as many samples at the new rate as are wanted. */
static sac_status read_all(SNDFILE *file, const SF_INFO *info, bool is_guessed, size_t most,
                           sac_sound *sound, sac_error *error)
{
    sf_count_t count = 0;
    const size_t channels = (size_t)info->channels;
    float *block = malloc(BLOCK * channels * sizeof *block), *mixed = malloc(BLOCK * sizeof *mixed);
    sac_resampler *resampler = sac_resampler_create(info->samplerate, sound->rate);
    sac_status status = block && mixed && resampler ? SAC_OK : sac_no_memory(error, "sound");
    bool ends = false;
    while (status == SAC_OK && !ends && sound->count <= most) {
        sf_count_t frames = sf_readf_float(file, block, BLOCK);
        ends = frames < BLOCK;
        count += frames > 0 ? frames : 0;
        mix_to_mono(block, frames > 0 ? (size_t)frames : 0, channels, mixed);
        status = sac_cancel_check("sound", error);
        if (status == SAC_OK)
            status = sac_resampler_push(resampler, mixed, frames > 0 ? (size_t)frames : 0, ends,
                                        sound, error);
    }
    sac_resampler_destroy(resampler);
    free(block);
    free(mixed);
    if (status == SAC_OK && sound->count == 0)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "take another copy", "has no samples");
    sound->is_cut = sound->count > most;
    sound->is_damaged = ends && !is_guessed && count < info->frames && info->frames < SF_COUNT_MAX;
    if (sound->is_cut)
        sound->count = most;
    return status;
}

static sac_status check(const SF_INFO *info, sac_error *error)
{
    if (info->samplerate < LEAST_RATE || info->samplerate > MOST_RATE)
        return sac_fail(error, SAC_E_FORMAT, NULL, "take another copy",
                        "has %d samples a second; %d to %d are read", info->samplerate, LEAST_RATE,
                        MOST_RATE);
    if (info->channels < 1 || info->channels > MOST_CHANNELS)
        return sac_fail(error, SAC_E_FORMAT, NULL, "mix it to fewer",
                        "has %d channels; up to %d are read", info->channels, MOST_CHANNELS);
    return SAC_OK;
}

sac_status sac_sound_from_bytes(const uint8_t *bytes, size_t size, int rate, size_t most,
                                sac_sound *sound, sac_error *error)
{
    SF_VIRTUAL_IO io = {length_of, seek, read_some, NULL, position};
    memory m = {.data = bytes, .size = size};
    SF_INFO info = {0};
    *sound = (sac_sound){0};
    sac_status status = SAC_OK;
    if (!sac_sound_is(bytes, size)) {
        status = sac_foreign_check(bytes, size, error);
        return status != SAC_OK
                   ? status
                   : sac_fail(error, SAC_E_FORMAT, NULL, "convert it: ffmpeg -i FILE sound.wav",
                              "is not a sound that is read here (" SAC_SOUND_FORMATS ")");
    }
    if (memcmp(bytes, "RIFF", 4) == 0)
        status = mend_wave_chunks(bytes, size, &m, error);
    else if (memcmp(bytes, "caff", 4) == 0)
        status = mend_caf(bytes, size, &m, error);
    else if (memcmp(bytes, "ID3", 3) == 0 || is_mpeg(bytes))
        status = mend_mpeg(bytes, size, &m, error);
    else
        m.breaks_off = breaks_off(bytes, size);
    SNDFILE *file = status == SAC_OK ? sf_open_virtual(&io, SFM_READ, &info, &m) : NULL;
    if (status == SAC_OK && !file)
        status = sac_fail(error, SAC_E_FORMAT, NULL, "convert it: ffmpeg -i FILE sound.wav",
                          "is a damaged sound, or one of a kind that is not read: %s",
                          sf_strerror(NULL));
    if (status == SAC_OK)
        status = check(&info, error);
    if (status == SAC_OK) {
        sound->rate = rate ? rate : info.samplerate;
        status = read_all(file, &info, m.is_guessed, most, sound, error);
    }
    if (status == SAC_OK && !sound->is_cut)
        sound->is_damaged |= m.breaks_off || sf_error(file) != SF_ERR_NO_ERROR;
    if (file)
        sf_close(file);
    free(m.head);
    if (status != SAC_OK)
        sac_sound_free(sound);
    return status;
}

sac_status sac_sound_load(const char *path, int rate, size_t most, sac_sound *sound,
                          sac_error *error)
{
    sac_bytes file;
    *sound = (sac_sound){0};
    sac_status status = sac_bytes_read(path, &file, error);
    if (status != SAC_OK)
        return status;
    status = sac_sound_from_bytes(file.data, file.size, rate, most, sound, error);
    sac_error_within(error, status, path);
    if (status == SAC_OK && sound->is_damaged)
        sac_notice(
            "%s: is cut or damaged: its first %.1f s are there, and used; get the file again", path,
            (double)sound->count / sound->rate);
    sac_bytes_free(&file);
    return status;
}

void sac_sound_free(sac_sound *sound)
{
    free(sound->samples);
    *sound = (sac_sound){0};
}
