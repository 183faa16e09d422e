/* Words with times as subtitles. */
#include "sources/words/subtitles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text/utf8.h"

/* A sentence that takes less goes on in its cue; a word that takes more has a pause behind it. */
enum { SHORT_MS = 1000, PAUSE_MS = 1500 };

/* What is not broken at the end of a line. */
typedef struct unit {
    size_t at, size; /* in the text */
    int width;       /* columns */
    bool blank;      /* before it */
    long begin;      /* ms */
} unit;

/* The words between two times. */
typedef struct segment {
    char *text;
    size_t used;
    unit *units;
    size_t count;
    long begin, end; /* ms */
} segment;

/* ---------------------------------------------------------------- characters */

static bool is_among(uint32_t code, const char *characters)
{
    for (uint32_t one; (one = sac_utf8_next(&characters)) != 0;)
        if (one == code)
            return true;
    return false;
}

/* Columns as East Asian Width has them (Unicode, annex 11), by blocks. */
static int character_columns(uint32_t code)
{
    static const uint32_t none[][2] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0xfe00, 0xfe0f}};
    static const uint32_t wide[][2] = {{0x1100, 0x115f},  {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff},  {0xfe30, 0xfe6f},   {0xff01, 0xff60},
                                       {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
                                       {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (code >= none[i][0] && code <= none[i][1])
            return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

/* True where a line may end between two characters without a blank between them: in Chinese and Japanese. */
static bool may_break(uint32_t before, uint32_t code)
{
    const sac_script left = sac_script_of(before), right = sac_script_of(code);
    if (character_columns(before) < 2 || character_columns(code) < 2 ||
        (left == SAC_SCRIPT_SPACED && right == SAC_SCRIPT_SPACED) ||
        (left == SAC_SCRIPT_KATAKANA && right == SAC_SCRIPT_KATAKANA))
        return false;
    return !is_among(before, "「『（【《〈") &&
           !is_among(code,
                     "、。，．！？：；）」』】》〉～ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ");
}

/* The last character of a unit, but for quotes and brackets behind it. */
static uint32_t last_character_of_unit(const segment *s, size_t index)
{
    const char *at = s->text + s->units[index].at, *end = at + s->units[index].size;
    uint32_t last = 0;
    while (at < end) {
        uint32_t code;
        at += sac_utf8_at(at, (size_t)(end - at), &code);
        if (!is_among(code, "\"')]”’»」』）"))
            last = code;
    }
    return last;
}

/* ---------------------------------------------------------------- a segment */

/* The end of the unit: where the next begins. */
static long unit_end_time(const segment *s, size_t index)
{
    return index + 1 < s->count ? s->units[index + 1].begin : s->end;
}

/* A share of the words, which begins at `begin`. */
static void add_share(segment *s, const char *share, long begin)
{
    bool blank = false, is_first = true;
    uint32_t before = 0;
    const char *at = share;
    if (s->count) { /* the character before it */
        const unit *last = &s->units[s->count - 1];
        size_t size = 1;
        while (size < last->size && ((unsigned char)s->text[s->used - size] & 0xc0) == 0x80)
            size++;
        blank = last->size == 0;
        sac_utf8_at(s->text + s->used - size, size, &before);
    }
    for (uint32_t code; (code = sac_utf8_next(&at)) != 0; is_first = false) {
        if (code <= ' ' || code == 0x7f || (code >= 0x80 && code <= 0xa0) || code == 0x2028 ||
            code == 0x2029) {
            blank = true;
            continue;
        }
        unit *u = s->count ? &s->units[s->count - 1] : NULL;
        const int width = character_columns(code);
        if (!u || blank ||
            (is_first && (may_break(before, code) || u->width + width > SAC_CUE_LINE))) {
            if (u && u->size == 0) /* a blank that stood at the end of the share before */
                s->count--;
            u = &s->units[s->count++];
            *u = (unit){.at = s->used, .blank = blank, .begin = begin};
        }
        s->used += sac_utf8_encode(code, s->text + s->used);
        u->size = s->used - u->at;
        u->width += width;
        blank = false;
        before = code;
    }
    if (blank && s->count && s->units[s->count - 1].size)
        s->units[s->count++] = (unit){.at = s->used};
}

/* Columns of units first to end − 1 in a line. */
static int line_width(const segment *s, size_t first, size_t end)
{
    int width = 0;
    for (size_t i = first; i < end; i++)
        width += s->units[i].width + (i > first && s->units[i].blank);
    return width;
}

/* Where the second line of a cue begins, so that the longer of both is as short as may be; `end`: there is one line. */
static size_t second_line_start(const segment *s, size_t first, size_t end)
{
    size_t best = end;
    int least = line_width(s, first, end);
    const bool is_long = least > SAC_CUE_LINE;
    for (size_t k = first + 1; k < end && is_long; k++) {
        const int left = line_width(s, first, k), right = line_width(s, k, end);
        const int longer = left > right ? left : right;
        best = longer <= least ? k : best;
        least = longer < least ? longer : least;
    }
    return best;
}

/* A pause behind the last word does not count: the cue ends in it. */
static bool units_fit_cue(const segment *s, size_t first, size_t end)
{
    const size_t k = second_line_start(s, first, end);
    const long last = unit_end_time(s, end - 1), with_pause = s->units[end - 1].begin + PAUSE_MS;
    return end - first == 1 ||
           ((last < with_pause ? last : with_pause) - s->units[first].begin <= SAC_CUE_MOST_MS &&
            line_width(s, first, k) <= SAC_CUE_LINE && line_width(s, k, end) <= SAC_CUE_LINE);
}

/* Behind the last unit of the cue that begins with `first`. */
static size_t cue_end(const segment *s, size_t first)
{
    size_t end = first + 1, clause = 0;
    for (; end < s->count; end++) {
        const size_t last = end - 1;
        const uint32_t mark = last_character_of_unit(s, last);
        const long taken = unit_end_time(s, last) - s->units[first].begin;
        if (unit_end_time(s, last) - s->units[last].begin > PAUSE_MS)
            return end;
        if (is_among(mark, ".!?…。！？") && taken >= SHORT_MS)
            return end;
        if (is_among(mark, ",;:.!?…、，。！？；：") && taken >= SHORT_MS)
            clause = end;
        if (!units_fit_cue(s, first, end + 1)) /* at a comma of its second half, if there is one */
            return 2 * (clause - first) > end - first && clause ? clause : end;
    }
    return end;
}

/* ---------------------------------------------------------------- cues */

static bool append_cue(sac_subtitles *all, const segment *s, size_t first, size_t end)
{
    const size_t second = second_line_start(s, first, end);
    if (all->count == all->room) {
        const size_t room = all->room ? 2 * all->room : 64;
        sac_cue *more = realloc(all->list, room * sizeof *more);
        if (!more)
            return false;
        all->list = more;
        all->room = room;
    }
    char *text = malloc(s->used + (end - first) + 1);
    if (!text)
        return false;
    size_t used = 0;
    for (size_t i = first; i < end; i++) {
        if (i > first && (i == second || s->units[i].blank))
            text[used++] = i == second ? '\n' : ' ';
        memcpy(text + used, s->text + s->units[i].at, s->units[i].size);
        used += s->units[i].size;
    }
    text[used] = '\0';
    const long begin = s->units[first].begin, least = begin + SAC_CUE_LEAST_MS;
    long until = unit_end_time(s, end - 1), most = begin + SAC_CUE_MOST_MS;
    until = until > most ? most : until;
    all->list[all->count++] = (sac_cue){begin, until > least ? until : least, text};
    return true;
}

/* `is_timed`: it begins with a time that the model generated. */
static bool append_segment(sac_subtitles *all, segment *s, bool is_timed)
{
    bool is_whole = true;
    if (s->count && s->units[s->count - 1].size == 0)
        s->count--;
    if (s->count && is_timed)
        s->units[0].begin = s->begin;
    if (s->count && is_timed && units_fit_cue(s, 0, s->count))
        is_whole = append_cue(all, s, 0, s->count);
    else
        for (size_t first = 0, end; first < s->count && is_whole; first = end) {
            end = cue_end(s, first);
            is_whole = append_cue(all, s, first, end);
        }
    s->count = s->used = 0;
    return is_whole;
}

static long milliseconds(double seconds)
{
    return lround(1000 * seconds);
}

static bool has_times(const sac_result *caption)
{
    for (int i = 0; i < caption->special_count; i++)
        if (caption->specials[i].is_time)
            return true;
    return false;
}

/* The segment ends there, and the next one begins. */
static bool end_segment(sac_subtitles *all, segment *s, double seconds, bool is_timed)
{
    const long time = milliseconds(seconds), end = time > s->begin ? time : s->begin;
    s->end = end;
    for (size_t k = 0; k < s->count; k++) /* no word is outside of the times of its segment */
        s->units[k].begin = s->units[k].begin < end ? s->units[k].begin : end;
    const bool is_whole = append_segment(all, s, is_timed);
    s->begin = end;
    return is_whole;
}

static bool append_caption(sac_subtitles *all, const sac_result *caption, segment *s)
{
    const bool is_timed = has_times(caption);
    const sac_special_token *special = caption->specials;
    const sac_special_token *specials_end = special + caption->special_count;
    long last = milliseconds(caption->from);
    bool is_whole = true;
    s->begin = last;
    for (int i = 0; i <= caption->count && is_whole; i++) {
        for (; special < specials_end && special->before == i && is_whole; special++)
            if (special->is_time) {
                is_whole = end_segment(all, s, special->time, is_timed);
                last = s->begin;
            }
        if (i == caption->count)
            return is_whole && end_segment(all, s, caption->until, is_timed);
        const long begin = milliseconds(caption->outputs[i].begin);
        last = begin > last ? begin : last;
        add_share(s, sac_result_share(caption, i), last);
    }
    return is_whole;
}

sac_status sac_subtitles_add(sac_subtitles *all, const sac_result *caption, sac_error *error)
{
    size_t size = 1;
    for (int i = 0; i < caption->count; i++) {
        size += 3 * strlen(sac_result_share(caption, i)); /* a byte may become U+FFFD */
        if (!caption->outputs[i].is_timed)
            return sac_fail(error, SAC_E_ARGUMENT, "subtitles",
                            "give a sound to a model of speech, as Whisper",
                            "the words of this model have no times");
    }
    segment s = {.text = malloc(size),
                 .units = malloc((size + (size_t)caption->count) * sizeof *s.units)};
    bool is_whole = s.text && s.units && append_caption(all, caption, &s);
    free(s.text);
    free(s.units);
    return is_whole ? SAC_OK : sac_no_memory(error, "subtitles");
}

void sac_subtitles_free(sac_subtitles *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->list[i].text);
    free(all->list);
    *all = (sac_subtitles){0};
}

/* ---------------------------------------------------------------- files */

static void write_time(FILE *file, long ms, char point)
{
    fprintf(file, "%02ld:%02ld:%02ld%c%03ld", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, point,
            ms % 1000);
}

static void write_escaped(FILE *file, const char *text)
{
    for (; *text; text++)
        if (*text == '&' || *text == '<' || *text == '>')
            fputs(*text == '&' ? "&amp;" : *text == '<' ? "&lt;" : "&gt;", file);
        else
            putc(*text, file);
}

sac_status sac_subtitles_save(const sac_subtitles *all, sac_subtitles_form form, const char *path,
                              sac_error *error)
{
    const bool is_vtt = form == SAC_SUBTITLES_VTT;
    sac_output output;
    sac_status status = sac_output_open(&output, path, error);
    if (status != SAC_OK)
        return status;
    FILE *file = output.file;
    if (is_vtt)
        fputs("WEBVTT\n", file);
    for (size_t i = 0; i < all->count; i++) {
        const sac_cue *cue = &all->list[i];
        if (is_vtt || i > 0)
            putc('\n', file);
        if (!is_vtt)
            fprintf(file, "%zu\n", i + 1);
        write_time(file, cue->begin, is_vtt ? '.' : ',');
        fputs(" --> ", file);
        write_time(file, cue->end, is_vtt ? '.' : ',');
        putc('\n', file);
        if (is_vtt)
            write_escaped(file, cue->text);
        else
            fputs(cue->text, file);
        putc('\n', file);
    }
    return sac_output_commit(&output, error);
}
