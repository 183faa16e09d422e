#include "parts/figures/head_kinds.h"

#define RGB(hex)                                                                                   \
    {                                                                                              \
        (hex) >> 16 & 255, (hex) >> 8 & 255, (hex)&255, 255                                        \
    }

/* On a dark ground and on a light one; as text, either is read. */
static const viz_color colors[SAC_KIND_COUNT][2] = {
    [SAC_KIND_PREVIOUS] = {RGB(0x4dd0a8), RGB(0x0b7a5c)},
    [SAC_KIND_SELF] = {RGB(0xe58fd0), RGB(0xa8328c)},
    [SAC_KIND_NEXT] = {RGB(0xc3d84f), RGB(0x5f7300)},
    [SAC_KIND_FIRST] = {RGB(0x63b3ff), RGB(0x0f62b0)},
    [SAC_KIND_ALIKE] = {RGB(0xff7d5c), RGB(0xc03a12)},
    [SAC_KIND_REPEATS] = {RGB(0xb49bff), RGB(0x6a43c8)},
    [SAC_KIND_DELIMITER] = {RGB(0xf2a7b8), RGB(0x9c2f55)},
    [SAC_KIND_ONE] = {RGB(0xd8b48a), RGB(0x7a5a2a)},
    [SAC_KIND_GAZE] = {RGB(0xf6c344), RGB(0x8f6400)},
    [SAC_KIND_NEAR] = {RGB(0x5fd7e8), RGB(0x08707f)},
    [SAC_KIND_BROAD] = {RGB(0x8b94a3), RGB(0x59626f)},
    [SAC_KIND_MIXED] = {RGB(0xe8eaee), RGB(0x16191d)},
};

viz_color viz_kind_color(const viz_theme *theme, sac_weights_kind kind)
{
    return colors[kind][theme->light];
}
