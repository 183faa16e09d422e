#include "base/text/script.h"

#include <stddef.h>

#include "base/text/utf8.h"

sac_script sac_script_of(uint32_t code)
{
    static const struct {
        uint32_t first, last;
        sac_script script;
    } blocks[] = {
        {0x0e00, 0x0eff, SAC_SCRIPT_UNSPACED}, /* Thai, Lao */
        {0x1000, 0x109f, SAC_SCRIPT_UNSPACED}, /* Myanmar */
        {0x1780, 0x17ff, SAC_SCRIPT_UNSPACED}, /* Khmer */
        {0x1950, 0x19df, SAC_SCRIPT_UNSPACED}, /* Tai Le, New Tai Lue */
        {0x1a20, 0x1aaf, SAC_SCRIPT_UNSPACED}, /* Tai Tham */
        {0x3005, 0x3007, SAC_SCRIPT_UNSPACED}, /* marks of repetition, zero */
        {0x3041, 0x309f, SAC_SCRIPT_UNSPACED}, /* hiragana */
        {0x30a1, 0x30ff, SAC_SCRIPT_KATAKANA},
        {0x31f0, 0x31ff, SAC_SCRIPT_KATAKANA}, /* small ones */
        {0x3400, 0x4dbf, SAC_SCRIPT_UNSPACED}, /* Chinese characters */
        {0x4e00, 0x9fff, SAC_SCRIPT_UNSPACED},
        {0xa9e0, 0xa9ff, SAC_SCRIPT_UNSPACED},   /* Myanmar */
        {0xaa60, 0xaadf, SAC_SCRIPT_UNSPACED},   /* Myanmar, Tai Viet */
        {0xf900, 0xfaff, SAC_SCRIPT_UNSPACED},   /* Chinese characters */
        {0xff66, 0xff9f, SAC_SCRIPT_KATAKANA},   /* of half the width */
        {0x1aff0, 0x1b168, SAC_SCRIPT_KATAKANA}, /* kana, in part older ones */
        {0x20000, 0x3ffff, SAC_SCRIPT_UNSPACED}, /* Chinese characters */
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (code >= blocks[i].first && code <= blocks[i].last)
            return blocks[i].script;
    return SAC_SCRIPT_SPACED;
}

bool sac_script_needs_blank(const char *left, const char *right)
{
    uint32_t last = 0;
    while (*left)
        last = sac_utf8_next(&left);
    return sac_script_of(last) != SAC_SCRIPT_UNSPACED &&
           sac_script_of(sac_utf8_next(&right)) != SAC_SCRIPT_UNSPACED;
}
