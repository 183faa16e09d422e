/* Places everything in a scene: first the objects of actions, then those who act, then what is in
 * the sky. Places are drawn again until nothing is hidden that should be visible. */

#include "arrange.h"

#include <string.h>

#include "colours.h"

const sac_terrain *sac_terrain_of(sac_spot spot)
{
    static const sac_terrain terrains[SAC_SPOTS] = {
        [SAC_MEADOW] = {0.52f, 0.68f, 0.93f},  [SAC_HILLS] = {0.50f, 0.72f, 0.93f},
        [SAC_SEA] = {0.46f, 0.60f, 0.88f},     [SAC_BEACH] = {0.42f, 0.70f, 0.93f},
        [SAC_STREET] = {0.60f, 0.69f, 0.74f},  [SAC_FOREST] = {0.46f, 0.70f, 0.93f},
        [SAC_IN_SNOW] = {0.54f, 0.68f, 0.93f}, [SAC_MOUNTAINS] = {0.56f, 0.70f, 0.93f},
    };
    return &terrains[spot];
}

/* ---------------------------------------------------------------- kinds of nouns */

static bool is_vehicle(sac_noun noun)
{
    return noun == SAC_CAR || noun == SAC_BUS || noun == SAC_TRUCK;
}

static bool is_building(sac_noun noun)
{
    return noun == SAC_HOUSE || noun == SAC_CASTLE || noun == SAC_LIGHTHOUSE;
}

static bool flies(const sac_group *group)
{
    return group->noun <= SAC_ROCKET || group->noun == SAC_BALLOON ||
           group->noun == SAC_BUTTERFLY || group->pose == SAC_POSE_FLY;
}

/* ---------------------------------------------------------------- one thing */

/* How large things look whose feet are at y. */
static float perspective_scale(const sac_terrain *terrain, float y)
{
    float share = (y - terrain->back) / (terrain->front - terrain->back);
    return 0.80f + 0.24f * (share < 0 ? 0 : share > 1 ? 1 : share);
}

static void place_thing(sac_thing *thing, float x, float y)
{
    const float *shape = thing->shape;
    float scale = thing->figure.scale;
    bool flipped = thing->figure.flipped;
    thing->figure.x = x;
    thing->figure.y = y;
    thing->box[0] = x + scale * (flipped ? -shape[2] : shape[0]);
    thing->box[1] = y + scale * shape[1];
    thing->box[2] = x + scale * (flipped ? -shape[0] : shape[2]);
    thing->box[3] = y + scale * shape[3];
    if (thing->figure.tilt != 0)
        sac_figure_box(&thing->figure, thing->box);
    thing->depth = thing->shadow = y;
}

static void turn_thing(sac_thing *thing, bool left)
{
    thing->figure.flipped = left;
    place_thing(thing, thing->figure.x, thing->figure.y);
}

static float width_of(const sac_thing *thing)
{
    return thing->box[2] - thing->box[0];
}

/* Draws how each thing of a group looks: all but where it is. */
static void pick_looks(sac_rng *rng, sac_book_scene *scene, int index)
{
    sac_group *group = &scene->tale.group[index];
    const sac_drawing *named = sac_drawing_find(group->noun, group->pose);
    const sac_drawing *drawing = group->nameless ? sac_drawing_nameless() : named;
    int variants = group->noun == SAC_TREE && scene->tale.verb == SAC_HANG ? 2 : 9;
    int limit = sac_drawing_variants(drawing);
    int variant = sac_rng_pick(rng, limit < variants ? limit : variants);
    bool flipped = sac_rng_pick(rng, 2);
    float size = sac_drawing_scale(named) * sac_rng_between(rng, 0.94f, 1.08f);
    sac_figure figure = {drawing, variant, .scale = 1};
    float shape[4];
    sac_figure_box(&figure, shape);
    figure.flipped = flipped;
    if (group->colour == SAC_UNNAMED)
        sac_natural_colour(rng, group->noun, figure.rgb);
    else if (group->colour == SAC_UNMENTIONED)
        sac_unnamed_colour(rng, figure.rgb);
    else
        sac_book_colour(rng, group->colour, figure.rgb);
    if (group->odd) {
        /* A patchwork has three parts at least, so that no colour is its own. */
        enum { LEAST_PATCHES = 3 };
        figure.odd = sac_rng_bits(rng, rng->next++) | 1;
        figure.patched = group->colour == SAC_UNMENTIONED && sac_rng_pick(rng, 2) &&
                         sac_figure_slot_count(&figure) >= LEAST_PATCHES;
    }
    group->first = scene->count;
    for (int i = 0; i < group->count; i++) {
        sac_thing *thing = &scene->thing[scene->count++];
        *thing = (sac_thing){.figure = figure, .group = index, .size = size};
        memcpy(thing->shape, shape, sizeof shape);
        sac_accent_colour(rng, thing->figure.accent);
    }
}

/* ---------------------------------------------------------------- groups */

static sac_thing *first_thing_of_group(sac_book_scene *scene, int index)
{
    return &scene->thing[scene->tale.group[index].first];
}

/* Sets the group side by side around (x, y); those in the air less even. */
static void place_row(sac_rng *rng, sac_book_scene *scene, int index, float x, float y)
{
    const sac_group *group = &scene->tale.group[index];
    const sac_terrain *terrain = sac_terrain_of(scene->tale.spot);
    bool air = flies(group);
    sac_thing *thing = first_thing_of_group(scene, index);
    float near = air ? 1 : perspective_scale(terrain, y), width;
    float gap = sac_rng_between(rng, 1.08f, 1.3f), uneven = air ? 0.05f : 0.014f;
    for (int i = 0; i < group->count; i++)
        thing[i].figure.scale *= near;
    place_thing(thing, x, y);
    width = width_of(thing) * gap;
    for (int i = 0; i < group->count; i++) {
        float along = x + ((float)i - (float)(group->count - 1) / 2) * width;
        float dy = group->count > 1 ? sac_rng_between(rng, -uneven, uneven) : 0;
        place_thing(&thing[i], along, y + dy);
        if (air)
            thing[i].shadow = -1;
    }
}

/* A y where the group may be with nothing to be near. */
static float pick_height(sac_rng *rng, const sac_tale *tale, const sac_group *group)
{
    const sac_terrain *terrain = sac_terrain_of(tale->spot);
    if (flies(group))
        return sac_rng_between(rng, 0.13f, terrain->horizon - 0.12f);
    if (is_vehicle(group->noun))
        return sac_rng_between(rng, 0.81f, 0.91f);
    if (group->noun == SAC_TRAIN)
        return terrain->back + 0.07f;
    if (group->noun == SAC_FISH)
        return sac_rng_between(rng, 0.76f, 0.90f);
    return sac_rng_between(rng, terrain->back, terrain->front);
}

/* ---------------------------------------------------------------- relations */

/* A child's hand: what it holds hangs there. */
static void place_holder_and_held(sac_rng *rng, sac_book_scene *scene, float x, float y)
{
    place_row(rng, scene, 0, x, y);
    sac_thing *child = first_thing_of_group(scene, 0), *held = first_thing_of_group(scene, 1);
    float hand[2], side = child->figure.flipped ? -1 : 1;
    sac_figure_anchor(&child->figure, hand);
    if (scene->tale.group[1].noun == SAC_KITE) {
        float kx = x + side * sac_rng_between(rng, 0.16f, 0.38f);
        held->figure.tilt = side * sac_rng_between(rng, 0.15f, 0.5f);
        held->figure.flipped = side < 0;
        place_thing(held, kx, sac_rng_between(rng, 0.14f, 0.32f));
        memcpy(scene->string[0], hand, sizeof hand);
        sac_figure_anchor(&held->figure, scene->string[1]);
        scene->has_string = true;
    } else if (scene->tale.group[1].noun == SAC_BALLOON) {
        place_thing(held, hand[0] + side * 0.01f, hand[1] - 0.79f * held->figure.scale);
    } else {
        held->figure.flipped = side < 0;
        place_thing(held, hand[0], hand[1]);
    }
    held->shadow = -1;
    held->depth = child->depth - 0.001f;
}

/* Apples in the crown of a tree. */
static void place_apples_in_crown(sac_rng *rng, sac_book_scene *scene, const sac_thing *tree)
{
    float crown[4];
    sac_figure_feature_box(&tree->figure, crown);
    const sac_group *group = &scene->tale.group[0];
    float middle = (crown[0] + crown[2]) / 2, half = (crown[2] - crown[0]) / 2;
    for (int i = 0; i < group->count; i++) {
        sac_thing *apple = &scene->thing[group->first + i];
        float slot = ((float)i - (float)(group->count - 1) / 2) * 0.5f;
        float aside = slot + sac_rng_between(rng, -0.08f, 0.08f);
        float down = sac_rng_between(rng, 0.35f, 0.78f);
        place_thing(apple, middle + half * aside, crown[1] + (crown[3] - crown[1]) * down);
        apple->depth = tree->depth + 0.001f;
        apple->shadow = -1;
    }
}

static void place_seated(sac_rng *rng, sac_book_scene *scene, const sac_thing *seat)
{
    float at[2], wide = width_of(seat) * 0.26f;
    sac_figure_anchor(&seat->figure, at);
    bool ridge = scene->tale.relation == SAC_ON_ROOF;
    place_row(rng, scene, 0, at[0] + (ridge ? 0 : sac_rng_between(rng, -wide, wide)), at[1]);
    const sac_group *group = &scene->tale.group[0];
    for (int i = 0; i < group->count; i++) {
        sac_thing *thing = &scene->thing[group->first + i];
        place_thing(thing, thing->figure.x, at[1]);
        thing->depth = seat->depth + 0.002f;
        thing->shadow = -1;
    }
}

/* Turns all of a group to the right, or to the left. */
static void face_group(sac_book_scene *scene, int index, bool left)
{
    const sac_group *group = &scene->tale.group[index];
    for (int i = 0; i < group->count; i++)
        turn_thing(&scene->thing[group->first + i], left);
}

/* Where who does it stands, as seen from the other: how far to a side, and how far down. */
typedef struct approach {
    bool beyond;    /* aside is counted from the other's edge in shares of the side, else from its
                       middle in halves of its width */
    float aside[2]; /* from and to */
    float down[2];  /* of the feet; for what is over the other, up from its top */
} approach;

static approach relation_approach(const sac_tale *tale)
{
    switch (tale->relation) {
    case SAC_UNDER:
        if (tale->group[1].noun == SAC_BOAT)
            return (approach){false, {-0.6f, 0.6f}, {0.11f, 0.2f}};
        if (tale->group[0].count > 1)
            return (approach){false, {0.1f, 0.2f}, {0.005f, 0.04f}};
        return (approach){false, {0.3f, 0.6f}, {0.005f, 0.04f}};
    case SAC_OVER:
        if (tale->verb == SAC_JUMP)
            return (approach){false, {-0.4f, 0.4f}, {0.01f, 0.015f}};
        return (approach){false, {-0.4f, 0.4f}, {0.03f, 0.12f}};
    case SAC_BEHIND:
        return (approach){false, {-0.3f, 0.3f}, {-0.04f, -0.02f}};
    case SAC_FRONT:
        return (approach){false, {-0.7f, 0.7f}, {0.04f, 0.1f}};
    case SAC_AFTER:
        return (approach){true, {0.05f, 0.14f}, {-0.01f, 0.015f}};
    default:
        return (approach){true, {0.01f, 0.05f}, {-0.01f, 0.03f}};
    }
}

/* The side of the other on which it is: −1 or 1. */
static float pick_side(sac_rng *rng, sac_relation relation)
{
    if (relation == SAC_LEFT || relation == SAC_RIGHT)
        return relation == SAC_LEFT ? -1 : 1;
    return sac_rng_pick(rng, 2) ? 1 : -1;
}

/* Those that are drawn standing jump with their head up. */
static void lift_head(sac_thing *who)
{
    const float upward = 0.22f;
    who->figure.tilt = who->figure.flipped ? upward : -upward;
}

/* The place of who does it, as seen from `other`. */
static void place_near(sac_rng *rng, sac_book_scene *scene, const sac_thing *other)
{
    const sac_tale *tale = &scene->tale;
    const sac_group *who = &tale->group[0];
    approach a = relation_approach(tale);
    if (tale->verb == SAC_JUMP && who->pose == SAC_POSE_REST)
        lift_head(first_thing_of_group(scene, 0));
    sac_thing probe = *first_thing_of_group(scene, 0);
    float oy = other->figure.y, half = width_of(other) / 2;
    probe.figure.scale *= perspective_scale(sac_terrain_of(tale->spot), oy);
    place_thing(&probe, 0, 0);
    float own = width_of(&probe) / 2 * (1.2f * (float)who->count - 0.2f);
    float side = pick_side(rng, tale->relation);
    float aside = sac_rng_between(rng, a.aside[0], a.aside[1]);
    float down = sac_rng_between(rng, a.down[0], a.down[1]);
    float x =
        (other->box[0] + other->box[2]) / 2 + side * (a.beyond ? half + own + aside : aside * half);
    float y = tale->relation == SAC_OVER ? other->box[1] - probe.box[3] - down : oy + down;
    place_row(rng, scene, 0, x, is_vehicle(who->noun) ? pick_height(rng, tale, who) : y);
    if (tale->relation == SAC_AFTER || tale->relation == SAC_WITH) {
        /* Who runs after something looks the way that it runs; who plays with an animal looks at it. */
        bool left = side > 0;
        bool same = scene->tale.relation == SAC_AFTER || scene->tale.group[1].noun == SAC_BALL;
        face_group(scene, 0, left);
        face_group(scene, 1, same ? left : !left);
    }
    if (tale->verb == SAC_JUMP)
        first_thing_of_group(scene, 0)->shadow = first_thing_of_group(scene, 0)->depth = oy + 0.01f;
}

static void place_between(sac_rng *rng, sac_book_scene *scene, float x, float y)
{
    place_row(rng, scene, 0, x, y);
    sac_thing *who = first_thing_of_group(scene, 0), *pair = first_thing_of_group(scene, 1);
    const sac_group *group = &scene->tale.group[0];
    float left = who->box[0], right = who[group->count - 1].box[2];
    for (int i = 0; i < 2; i++) {
        float at = y + sac_rng_between(rng, -0.02f, 0.01f);
        pair[i].figure.scale *= 0.85f * perspective_scale(sac_terrain_of(scene->tale.spot), at);
        place_thing(&pair[i], 0, at);
        float gap = sac_rng_between(rng, 0.0f, 0.04f), half = width_of(&pair[i]) / 2;
        place_thing(&pair[i], i ? right + gap + half : left - gap - half, at);
    }
}

static void place_tale_groups(sac_rng *rng, sac_book_scene *scene)
{
    const sac_tale *tale = &scene->tale;
    float x = sac_rng_between(rng, 0.2f, 0.8f);
    if (tale->groups < 2) {
        place_row(rng, scene, 0, x, pick_height(rng, tale, &tale->group[0]));
        return;
    }
    if (tale->relation == SAC_DIRECT) {
        place_holder_and_held(rng, scene, x, pick_height(rng, tale, &tale->group[0]));
        return;
    }
    if (tale->relation == SAC_BETWEEN) {
        float y = pick_height(rng, tale, &tale->group[0]);
        place_between(rng, scene, sac_rng_between(rng, 0.4f, 0.6f), y);
        return;
    }
    float y = pick_height(rng, tale, &tale->group[1]);
    if (tale->relation == SAC_FRONT || is_building(tale->group[1].noun)) {
        const sac_terrain *terrain = sac_terrain_of(tale->spot);
        y = terrain->back + (y - terrain->back) * 0.6f; /* room before it */
    }
    place_row(rng, scene, 1, x, y);
    sac_thing *other = first_thing_of_group(scene, 1);
    if (tale->verb == SAC_FALL)
        return;
    if (tale->relation == SAC_IN)
        place_apples_in_crown(rng, scene, other);
    else if (tale->relation == SAC_ON || tale->relation == SAC_ON_ROOF)
        place_seated(rng, scene, other);
    else
        place_near(rng, scene, other);
}

/* ---------------------------------------------------------------- what may be */

static float shared_length(float a0, float a1, float b0, float b1)
{
    float length = (a1 < b1 ? a1 : b1) - (a0 > b0 ? a0 : b0);
    return length > 0 ? length : 0;
}

static float overlap(const float *a, const float *b)
{
    return shared_length(a[0], a[2], b[0], b[2]) * shared_length(a[1], a[3], b[1], b[3]);
}

static float area(const float *box)
{
    return (box[2] - box[0]) * (box[3] - box[1]);
}

/* How much of the smaller box both may share. */
static float allowed_overlap_share(const sac_tale *tale, const sac_thing *a, const sac_thing *b)
{
    if (a->group == 2 || b->group == 2)
        return 0;
    if (a->group == b->group)
        return tale->group[a->group].pose == SAC_POSE_REST && flies(&tale->group[a->group]) ? 0
                                                                                            : 0.12f;
    switch (tale->relation) {
    case SAC_BEHIND:
        return 0.72f;
    case SAC_FRONT:
    case SAC_IN:
    case SAC_ON:
    case SAC_DIRECT:
        return 1;
    case SAC_UNDER:
    case SAC_ON_ROOF:
        return tale->group[1].noun == SAC_BOAT ? 0.1f : 0.8f;
    default:
        return tale->verb == SAC_JUMP ? 0.3f : 0;
    }
}

static bool has_no_excess_overlap(const sac_book_scene *scene)
{
    for (int i = 0; i < scene->count; i++)
        for (int j = 0; j < i; j++) {
            const sac_thing *a = &scene->thing[i], *b = &scene->thing[j];
            float least = area(a->box) < area(b->box) ? area(a->box) : area(b->box);
            if (overlap(a->box, b->box) > allowed_overlap_share(&scene->tale, a, b) * least)
                return false;
        }
    return true;
}

/* All is in the picture, what flies above the ground, and what stands on it. */
static bool are_all_in_place(const sac_book_scene *scene)
{
    const sac_terrain *terrain = sac_terrain_of(scene->tale.spot);
    for (int i = 0; i < scene->count; i++) {
        const sac_thing *thing = &scene->thing[i];
        const sac_group *group = &scene->tale.group[thing->group];
        const float *box = thing->box;
        if (box[0] < 0.015f || box[1] < 0.015f || box[2] > 0.985f || box[3] > 0.975f)
            return false;
        bool far = thing->group == 2 || group->noun <= SAC_ROCKET ||
                   (flies(group) && scene->tale.relation == SAC_ALONE);
        if (far && box[3] > terrain->horizon - 0.01f)
            return false;
        bool stands = thing->shadow >= 0 && scene->tale.verb != SAC_JUMP;
        if (stands && (thing->figure.y < terrain->back - 0.03f || thing->figure.y > 0.96f))
            return false;
    }
    return true;
}

/* What else is in the sky is not over what is alone below: that would be another sentence. */
static bool is_tail_aside(const sac_book_scene *scene)
{
    const sac_tale *tale = &scene->tale;
    if (!tale->has_tail || tale->relation != SAC_ALONE)
        return true;
    const sac_group *who = &tale->group[0], *tail = &tale->group[2];
    for (int i = who->first; i < who->first + who->count; i++)
        for (int k = tail->first; k < tail->first + tail->count; k++)
            if (shared_length(scene->thing[i].box[0], scene->thing[i].box[2],
                              scene->thing[k].box[0], scene->thing[k].box[2]) > 0)
                return false;
    return true;
}

/* In front and behind: enough of both is seen. */
static bool is_enough_visible(const sac_book_scene *scene)
{
    const sac_tale *tale = &scene->tale;
    if (tale->groups < 2 || tale->verb == SAC_FALL)
        return true;
    const sac_thing *other = &scene->thing[tale->group[1].first];
    float hidden = 0;
    for (int i = 0; i < tale->group[0].count; i++)
        hidden += overlap(scene->thing[tale->group[0].first + i].box, other->box);
    if (tale->relation == SAC_FRONT || tale->relation == SAC_UNDER) /* its colour is seen */
        return hidden < (tale->relation == SAC_FRONT ? 0.24f : 0.4f) * area(other->box);
    for (int i = 0; tale->relation == SAC_BEHIND && i < tale->group[0].count; i++) {
        const float *box = scene->thing[tale->group[0].first + i].box;
        float wide = shared_length(box[0], box[2], other->box[0], other->box[2]);
        if (other->box[1] - box[1] < 0.38f * (box[3] - box[1]) || wide < 0.6f * (box[2] - box[0]))
            return false; /* its head looks out, and most of it is behind */
    }
    return true;
}

bool sac_scene_arrange(sac_rng *rng, sac_book_scene *scene)
{
    enum { TRIES = 60 };
    sac_tale *tale = &scene->tale;
    scene->count = 0;
    scene->has_string = false;
    for (int k = tale->verb == SAC_FALL; k < tale->groups; k++)
        pick_looks(rng, scene, k);
    if (tale->has_tail)
        pick_looks(rng, scene, 2);
    for (int i = 0; i < TRIES; i++) { /* as large as it fits */
        float zoom = (1.6f - 0.55f * (float)i / TRIES) * sac_rng_between(rng, 0.9f, 1);
        for (int k = 0; k < scene->count; k++) {
            scene->thing[k].figure.scale = zoom * scene->thing[k].size;
            scene->thing[k].figure.tilt = 0;
        }
        place_tale_groups(rng, scene);
        if (tale->has_tail) {
            const sac_terrain *terrain = sac_terrain_of(scene->tale.spot);
            float y = sac_rng_between(rng, 0.11f, terrain->horizon - 0.14f);
            place_row(rng, scene, 2, sac_rng_between(rng, 0.15f, 0.85f), y);
        }
        if (are_all_in_place(scene) && has_no_excess_overlap(scene) && is_enough_visible(scene) &&
            is_tail_aside(scene))
            return true;
    }
    return false;
}

void sac_scene_maybe_lift_runner(sac_rng *rng, sac_book_scene *scene)
{
    const sac_tale *tale = &scene->tale;
    int index = tale->verb == SAC_PLAY;
    bool leaps = tale->verb == SAC_RUN ||
                 (tale->verb == SAC_PLAY && tale->group[index].pose == SAC_POSE_RUN);
    if (!leaps || sac_rng_pick(rng, 2))
        return;
    sac_thing *runner = first_thing_of_group(scene, index), grounded = *runner;
    place_thing(runner, runner->figure.x, runner->figure.y - sac_rng_between(rng, 0.03f, 0.16f));
    runner->depth = runner->shadow = grounded.depth;
    if (runner->box[1] < 0.015f || !has_no_excess_overlap(scene))
        *runner = grounded;
}
