/* A split view: its sides, how they follow each other, and the view that they form together. */

#include "shell/split/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "shell/split/split_state.h"
#include "view/settings.h"

static const char *const ordinals[VIZ_SPLIT_MOST] = {"", "second ", "third ", "fourth "};

int viz_split_count(const viz_view *split)
{
    return split_of(split)->count;
}

viz_view *viz_split_side(const viz_view *split, int side)
{
    return split_of(split)->side[side].view;
}

viz_rect viz_split_area(const viz_view *split, int side)
{
    return split_of(split)->side[side].area;
}

bool viz_split_is_parted(const viz_view *split)
{
    return split_of(split)->parted;
}

void viz_split_part(viz_view *split, bool parted)
{
    split_of(split)->parted = parted;
}

bool viz_split_subtracts(const viz_view *split)
{
    return split_of(split)->difference;
}

bool viz_split_subtract(viz_view *split, bool difference)
{
    split_view *s = split_of(split);
    s->difference = difference && s->class.map;
    return s->class.map;
}

/* ---------------------------------------------------------------- following */

typedef struct follower {
    split_view *split;
    split_side *side;
} follower;

/* The picture belongs to the source, which all sides share. Sides may differ in the model, and in
 * the head where their difference is shown. */
static void copy_setting_to_side(void *user, const char *key, const char *value)
{
    const follower *f = user;
    viz_view *leader = split_in_focus(f->split), *view = f->side->view;
    bool one_source = f->side->source == f->split->side[f->split->focus].source;
    bool always = one_source && strcmp(key, "picture") == 0;
    bool head = strcmp(key, "layer") == 0 || strcmp(key, "head") == 0;
    if ((f->split->parted && !always) || (f->split->difference && head) ||
        (one_source && strcmp(key, "model") == 0))
        return;
    if (!view->class->follow || !view->class->follow(view, leader, key))
        viz_view_restore(view, key, value);
}

static void remember_focus_settings(split_view *s)
{
    viz_snapshot_free(&s->known);
    s->known = viz_snapshot_take(split_in_focus(s), NULL);
    s->base.source = split_in_focus(s)->source;
}

/* What changed in the side in focus changes in the others. */
static void copy_changes_to_others(split_view *s)
{
    if (s->count < 2)
        return;
    viz_snapshot now = viz_snapshot_take(split_in_focus(s), NULL);
    for (int i = 0; i < s->count; i++)
        if (i != s->focus)
            viz_snapshot_changes(&now, &s->known, copy_setting_to_side,
                                 &(follower){s, &s->side[i]});
    viz_snapshot_free(&s->known);
    s->known = now;
}

void viz_split_focus(viz_view *split, int side)
{
    split_view *s = split_of(split);
    if (side == s->focus || side < 0 || side >= s->count)
        return;
    s->focus = side;
    remember_focus_settings(s);
}

/* ---------------------------------------------------------------- sides */

static void swap_sides(split_view *s, int a, int b)
{
    split_side kept = s->side[a];
    s->side[a] = s->side[b];
    s->side[b] = kept;
}

/* Puts a view of that source at a place: the next one of those behind it, or a new one. */
static bool place_side_for_source(split_view *s, int place, int source)
{
    viz_view *view;
    int from = place;
    while (from < s->made && s->side[from].source != source)
        from++;
    if (from == s->made) {
        if (place >= VIZ_SPLIT_MOST || !split_source(s, source) ||
            s->class.create(split_source(s, source), NULL, &view, NULL) != SAC_OK)
            return false;
        s->side[s->made++] = (split_side){.view = view, .source = source, .shrink = 1};
    }
    swap_sides(s, place, from);
    return true;
}

static bool shows_source(const split_view *s, int source)
{
    for (int i = 0; i < s->count; i++)
        if (s->side[i].source == source)
            return true;
    return false;
}

static void restore_side_setting(void *view, const char *key, const char *value)
{
    viz_view_restore(view, key, value);
}

bool viz_split_add(viz_view *split)
{
    split_view *s = split_of(split);
    const sac_source *other = split_source(s, 1);
    bool both = other && s->class.accepts(other) && !shows_source(s, 1);
    if (s->count == VIZ_SPLIT_MOST ||
        !place_side_for_source(s, s->count, both ? 1 : s->side[s->focus].source))
        return false;
    s->count++;
    viz_snapshot settings = viz_snapshot_take(split_in_focus(s), NULL);
    viz_snapshot_changes(&settings, &(viz_snapshot){0}, restore_side_setting,
                         s->side[s->count - 1].view);
    viz_snapshot_free(&settings);
    viz_split_focus(split, s->count - 1);
    return true;
}

/* Those behind it come forward. */
bool viz_split_close(viz_view *split)
{
    split_view *s = split_of(split);
    if (s->count < 2)
        return false;
    for (int i = s->focus; i + 1 < s->count; i++)
        swap_sides(s, i, i + 1);
    s->count--;
    s->focus = s->focus < s->count ? s->focus : s->count - 1;
    s->held = -1;
    s->difference &= s->count > 1;
    remember_focus_settings(s);
    return true;
}

/* ---------------------------------------------------------------- events */

static int side_at(const split_view *s, float x, float y)
{
    for (int i = 0; i < s->count; i++) {
        viz_rect r = s->side[i].area, title = s->side[i].title;
        if (viz_inside((viz_rect){r.x, title.y, r.w, r.y + r.h - title.y}, x, y))
            return i;
    }
    return -1;
}

static bool send_event_to_side(split_view *s, int side, const viz_event *event)
{
    const split_side *to = &s->side[side];
    viz_event scaled = *event;
    scaled.x *= to->shrink;
    scaled.y *= to->shrink;
    return to->view->class->event && to->view->class->event(to->view, &scaled);
}

static viz_rect side_map_rect(const split_side *side)
{
    const viz_view *view = side->view;
    viz_rect r = view->class->map_rect ? view->class->map_rect(view) : (viz_rect){0};
    return (viz_rect){r.x / side->shrink, r.y / side->shrink, r.w / side->shrink,
                      r.h / side->shrink};
}

/* The same place of the other maps; they are left where it is in none. */
static bool point_others(split_view *s, int side, const viz_event *event)
{
    viz_rect map = side_map_rect(&s->side[side]);
    bool was = s->pointed, changed = false;
    s->pointed = viz_inside(map, event->x, event->y);
    if (s->pointed) {
        s->at_x = (event->x - map.x) / map.w;
        s->at_y = (event->y - map.y) / map.h;
    }
    for (int i = 0; i < s->count && (was || s->pointed); i++) {
        viz_event other = *event;
        map = side_map_rect(&s->side[i]);
        other.kind = s->pointed && map.w > 0 ? VIZ_MOVE : VIZ_LEAVE;
        other.x = map.x + s->at_x * map.w;
        other.y = map.y + s->at_y * map.h;
        if (i != side)
            changed |= send_event_to_side(s, i, &other);
    }
    return changed || was != s->pointed || (s->pointed && s->difference);
}

/* On the difference the pointer is at the same place of the map in focus; on what both share it is that
 * side's as well. */
static int side_of_pair(const split_view *s, viz_event *event)
{
    int side = side_at(s, event->x, event->y);
    if (viz_inside(s->minus, event->x, event->y))
        event->x -= s->minus.x - s->side[s->focus].area.x;
    return side >= 0 ? side : s->focus;
}

/* The button that is held belongs to the side in which it was pressed. */
static bool pointer_event(split_view *s, const viz_event *sent)
{
    viz_event here = *sent, *event = &here;
    int side = s->paired ? side_of_pair(s, event) : side_at(s, event->x, event->y),
        focus = s->focus;
    bool changed = false;
    side = s->held >= 0 ? s->held : side;
    if (side < 0)
        return false;
    const split_side *at = &s->side[side];
    bool on_title = viz_inside(at->title, event->x, event->y), press = event->kind == VIZ_PRESS;
    if (press && event->button == 1 && viz_inside(at->close, event->x, event->y)) {
        viz_split_focus(&s->base, side);
        return viz_split_close(&s->base);
    }
    /* Of a pair the one that is pressed, else that which the others are compared with. */
    if (!s->difference || (press && (on_title || s->paired)))
        viz_split_focus(&s->base, side);
    if (press && on_title)
        return true;
    if (event->kind == VIZ_MOVE)
        changed = point_others(s, side, event);
    if (!s->difference || s->paired || side == s->focus)
        changed |= send_event_to_side(s, side, event);
    s->held = press ? side : event->kind == VIZ_RELEASE ? -1 : s->held;
    copy_changes_to_others(s);
    return changed || focus != s->focus;
}

static bool key_event(split_view *s, const viz_event *event)
{
    viz_view *view = split_in_focus(s);
    bool typing = view->class->typing && view->class->typing(view);
    if (!typing && !event->ctrl && s->count > 1)
        switch (event->key) {
        case VIZ_KEY_F6:
            viz_split_focus(&s->base, (s->focus + (event->shift ? s->count - 1 : 1)) % s->count);
            return true;
        case VIZ_KEY_BACKSPACE:
            return viz_split_close(&s->base);
        case 'c':
            if (viz_split_subtract(&s->base, !s->difference))
                return true;
            break;
        default:
            break;
        }
    bool changed = send_event_to_side(s, s->focus, event);
    copy_changes_to_others(s);
    return changed;
}

static bool split_event(viz_view *view, const viz_event *event)
{
    split_view *s = split_of(view);
    bool changed = false;
    if (event->kind == VIZ_KEY)
        return key_event(s, event);
    if (event->kind != VIZ_LEAVE)
        return pointer_event(s, event);
    s->held = -1;
    s->pointed = false;
    for (int i = 0; i < s->count; i++)
        changed |= send_event_to_side(s, i, event);
    return changed;
}

static bool split_tick(viz_view *view, double now)
{
    split_view *s = split_of(view);
    bool moves = false;
    for (int i = 0; i < s->count; i++)
        moves |= s->side[i].view->class->tick(s->side[i].view, now);
    copy_changes_to_others(s);
    return moves;
}

static bool split_introduce(viz_view *view)
{
    split_view *s = split_of(view);
    viz_view *v = s->side[s->focus].view;
    return s->count == 1 && v->class->introduce(v);
}

static void split_arrive(viz_view *view)
{
    split_view *s = split_of(view);
    for (int i = 0; i < s->count; i++)
        s->side[i].view->class->arrive(s->side[i].view);
}

/* ---------------------------------------------------------------- work */

typedef struct split_job {
    viz_job base;
    viz_view *view; /* whose it is */
    viz_job *job;
} split_job;

/* The first job that a side wants, the one in focus before the others; or one that may wait. */
static viz_job *create_first_job(split_view *s, bool rest)
{
    for (int i = 0; i < s->count && !s->out; i++) {
        viz_view *side = s->side[(s->focus + i) % s->count].view;
        viz_job *job = rest ? side->class->create_idle_job(side) : side->class->create_job(side);
        split_job *wrapped = job ? viz_allocate(1, sizeof *wrapped) : NULL;
        if (wrapped) {
            *wrapped = (split_job){{&s->class}, side, job};
            s->out = true;
            return &wrapped->base;
        }
        if (job)
            side->class->finish_job(side, job, &(sac_error){.status = SAC_E_MEMORY});
    }
    return NULL;
}

static viz_job *split_create_job(viz_view *view)
{
    return create_first_job(split_of(view), false);
}

static viz_job *split_create_idle_job(viz_view *view)
{
    return create_first_job(split_of(view), true);
}

static sac_status split_run_job(viz_view *view, viz_job *base, sac_error *error)
{
    split_job *job = (split_job *)base;
    (void)view;
    return job->view->class->run_job(job->view, job->job, error);
}

static void split_finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    split_view *s = split_of(view);
    split_job *job = (split_job *)base;
    job->view->class->finish_job(job->view, job->job, error);
    free(job);
    s->out = false;
    s->takes++;
    copy_changes_to_others(s);
}

/* ---------------------------------------------------------------- settings */

/* The setting's new owner may keep its name. */
static const char *side_setting_name(split_view *s, int side, const char *key)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", ordinals[side], key);
    for (size_t i = 0; i < s->name_count; i++)
        if (strcmp(s->names[i], name) == 0)
            return s->names[i];
    char **more = realloc(s->names, (s->name_count + 1) * sizeof *more);
    if (more)
        s->names = more;
    if (!more || !(more[s->name_count] = strdup(name)))
        return NULL;
    return s->names[s->name_count++];
}

typedef struct side_put {
    split_view *split;
    int side;
    viz_put *put;
    void *user;
} side_put;

/* Of one source the file is named once. */
static void put_side_setting(void *user, const char *key, const char *value)
{
    static const char *const of_source[] = {"file", "hash", "image", "image hash", "labels"};
    const side_put *to = user;
    bool named = to->split->side[to->side].source != to->split->side[0].source;
    for (size_t i = 0; i < sizeof of_source / sizeof *of_source && !named; i++)
        if (strcmp(of_source[i], key) == 0)
            return;
    const char *name =
        strcmp(key, "view") != 0 ? side_setting_name(to->split, to->side, key) : NULL;
    if (name)
        to->put(to->user, name, value);
}

static void split_describe(const viz_view *view, viz_put *put, void *user)
{
    split_view *s = split_of(view);
    char sides[2 * VIZ_SPLIT_MOST] = "";
    for (int i = 0; i < s->count; i++)
        snprintf(sides + (i ? 2 * i - 1 : 0), 3, i ? " %c" : "%c", '1' + s->side[i].source);
    put(user, VIZ_SPLIT_SIDES, sides);
    for (int i = 0; i < s->count; i++) {
        const viz_view *side = s->side[i].view;
        if (i == 0)
            viz_view_describe(side, put, user);
        else
            viz_view_describe(side, put_side_setting, &(side_put){s, i, put, user});
    }
    viz_put_whole(put, user, "sides focus", s->focus + 1);
    put(user, "sides settings", s->parted ? "parted" : "together");
    put(user, "sides shown", s->difference ? "difference" : "side by side");
}

/* The side that a setting is of, and its name there. */
static int parse_side_prefix(const char **key)
{
    for (int i = 1; i < VIZ_SPLIT_MOST; i++)
        if (strncmp(*key, ordinals[i], strlen(ordinals[i])) == 0) {
            *key += strlen(ordinals[i]);
            return i;
        }
    return 0;
}

/* What a view undoes is undone in each side, and so is a side that came or went. */
static bool split_undoes(const viz_view *view, const char *key)
{
    if (strcmp(key, VIZ_SPLIT_SIDES) == 0)
        return true;
    parse_side_prefix(&key);
    return viz_view_undoes(split_in_focus(split_of(view)), key);
}

/* What has no ordinal is the first side's, which the others follow where nothing is parted. */
static void split_restore(viz_view *view, const char *key, const char *value)
{
    split_view *s = split_of(view);
    int side = parse_side_prefix(&key);
    if (side > 0) {
        if (side < s->count)
            restore_side_setting(s->side[side].view, key, value);
    } else if (strcmp(key, VIZ_SPLIT_SIDES) == 0) {
        /* "1 1 2"; what there is no view for is left out. */
        const char *text = value;
        int count = 0;
        for (; *text && count < VIZ_SPLIT_MOST; text++)
            if (*text >= '1' && *text < '1' + SPLIT_SOURCES)
                count += place_side_for_source(s, count, *text - '1');
        s->count = count > 0 ? count : s->count;
        s->focus = s->focus < s->count ? s->focus : 0;
        s->held = -1;
        s->difference &= s->count > 1;
        remember_focus_settings(s);
    } else if (strcmp(key, "sides focus") == 0) {
        viz_split_focus(view, atoi(value) - 1);
    } else if (strcmp(key, "layout") == 0) { /* of all sides at once */
        for (int i = 0; i < s->count; i++)
            viz_view_restore(s->side[i].view, key, value);
    } else if (strcmp(key, "sides settings") == 0) {
        s->parted = strcmp(value, "parted") == 0;
    } else if (strcmp(key, "sides shown") == 0) {
        viz_split_subtract(view, strcmp(value, "difference") == 0);
    } else {
        int focus = s->focus;
        viz_split_focus(view, 0);
        restore_side_setting(s->side[0].view, key, value);
        copy_changes_to_others(s);
        viz_split_focus(view, focus);
    }
    remember_focus_settings(s);
}

/* ---------------------------------------------------------------- what the side in focus answers */

static void split_status(const viz_view *view, char *text, size_t size)
{
    const viz_view *v = split_in_focus(split_of(view));
    v->class->status(v, text, size);
}

static bool split_typing(const viz_view *view)
{
    const viz_view *v = split_in_focus(split_of(view));
    return v->class->typing(v);
}

/* Rows of panels that are as high as the highest of them. */
static float split_figure_height(viz_view *view, const viz_canvas *canvas, float width)
{
    split_view *s = split_of(view);
    const int columns = split_figure_columns(s, width), rows = (s->count + columns - 1) / columns;
    const float each = width / (float)columns;
    float height = 0;
    split_join_panels(s, canvas, each);
    for (int i = 0; i < s->count; i++)
        height = fmaxf(height, viz_view_figure_height(s->side[i].view, canvas, each));
    return (height + split_title_height(s)) * (float)rows;
}

static viz_view *split_focused_view(const viz_view *view)
{
    return split_in_focus(split_of(view));
}

static bool split_subject(const viz_view *view, viz_subject *subject)
{
    const split_side *side = &split_of(view)->side[split_of(view)->focus];
    subject->x *= side->shrink;
    subject->y *= side->shrink;
    return side->view->class->subject(side->view, subject);
}

static char *split_key_name(const viz_view *view, size_t position, char *text, size_t size)
{
    const viz_view *v = split_in_focus(split_of(view));
    return v->class->key_name(v, position, text, size);
}

static int split_choose(viz_view *view)
{
    viz_view *v = split_in_focus(split_of(view));
    return v->class->choose(v);
}

static char *split_command(const viz_view *view, char *text, size_t size)
{
    const viz_view *v = split_in_focus(split_of(view));
    return v->class->command(v, text, size);
}

static const char *split_copied(viz_view *view)
{
    viz_view *v = split_in_focus(split_of(view));
    return v->class->copied(v);
}

static int split_pages(const viz_view *view)
{
    const viz_view *v = split_in_focus(split_of(view));
    return v->class->pages(v);
}

static bool split_breaks_before(const viz_view *view, int page)
{
    const viz_view *v = split_in_focus(split_of(view));
    return v->class->breaks_before(v, page);
}

static void split_turn_to(viz_view *view, int page)
{
    viz_view *v = split_in_focus(split_of(view));
    v->class->turn_to(v, page);
}

static int split_frames(const viz_view *view, int fps)
{
    const split_view *s = split_of(view);
    int most = 1;
    for (int i = 0; i < s->count; i++) {
        int frames = s->side[i].view->class->frames(s->side[i].view, fps);
        most = frames > most ? frames : most;
    }
    return most;
}

static void split_frame(viz_view *view, int index, int fps)
{
    split_view *s = split_of(view);
    for (int i = 0; i < s->count; i++) {
        viz_view *side = s->side[i].view;
        int last = side->class->frames(side, fps) - 1;
        side->class->frame(side, index < last ? index : last, fps);
    }
}

static void split_spots(const viz_view *view, viz_spots *spots)
{
    const split_view *s = split_of(view);
    viz_spots of_side;
    for (int n = 1; n <= s->count; n++) { /* the side in focus last: a list that it opened */
        int i = (s->focus + n) % s->count;
        const split_side *side = &s->side[i];
        if (s->difference && !s->paired && i != s->focus)
            continue;
        of_side.count = 0;
        side->view->class->spots(side->view, &of_side);
        for (int k = 0; k < of_side.count && spots->count < VIZ_SPOTS_MOST; k++) {
            viz_spot spot = of_side.items[k];
            spot.rect = (viz_rect){spot.rect.x / side->shrink, spot.rect.y / side->shrink,
                                   spot.rect.w / side->shrink, spot.rect.h / side->shrink};
            spots->items[spots->count++] = spot;
        }
    }
    for (int i = 0; i < s->count; i++) {
        viz_spots_add(spots, s->side[i].title, VIZ_SPOT_PRESSES,
                      s->paired
                          ? "Click, and the head that you choose in the gallery is shown here."
                      : s->difference ? "Click to subtract this map from the others."
                                      : "What is not the same in all of them.");
        viz_spots_add(spots, s->side[i].close, VIZ_SPOT_PRESSES, "Take this one away.");
    }
}

/* ---------------------------------------------------------------- numbers */

/* The tables of all sides below each other, where they have the same columns; else that of the side
 * in focus. */
static bool can_join_tables(const split_view *s)
{
    size_t columns = 0;
    for (int i = 0; i < s->count; i++) {
        viz_table table = {0};
        if (!s->class.table || !s->side[i].view->class->table(s->side[i].view, &table) ||
            (i && table.columns != columns))
            return false;
        columns = table.columns;
    }
    return s->count > 1;
}

static bool split_table(const viz_view *view, viz_table *table)
{
    const split_view *s = split_of(view);
    const viz_view *focus = split_in_focus(s);
    if (!can_join_tables(s))
        return focus->class->table(focus, table);
    *table = (viz_table){0};
    for (int i = 0; i < s->count; i++) {
        viz_table of_side = {0};
        s->side[i].view->class->table(s->side[i].view, &of_side);
        if (i == s->focus)
            table->row = table->rows + of_side.row;
        table->rows += of_side.rows;
        table->columns = of_side.columns;
        size_t used = strlen(table->title);
        snprintf(table->title + used, sizeof table->title - used, "%s%.120s", i ? ", " : "",
                 of_side.title);
    }
    return true;
}

/* Finds the side that row *row belongs to; *row becomes the index in that side's table. */
static int side_of_row(const split_view *s, size_t *row)
{
    for (int i = 0; i < s->count && can_join_tables(s); i++) {
        viz_table table = {0};
        s->side[i].view->class->table(s->side[i].view, &table);
        if (*row < table.rows)
            return i;
        *row -= table.rows;
    }
    return s->focus;
}

static char *split_table_name(const viz_view *view, bool of_row, size_t index, char *text,
                              size_t size)
{
    const split_view *s = split_of(view);
    char title[160];
    int side = of_row ? side_of_row(s, &index) : s->focus;
    size_t used =
        of_row && can_join_tables(s)
            ? (size_t)snprintf(text, size, "%s: ", split_title(s, side, title, sizeof title))
            : 0;
    const viz_view *v = s->side[side].view;
    if (used < size)
        v->class->table_name(v, of_row, index, text + used, size - used);
    return text;
}

static sac_status split_table_row(viz_view *view, size_t row, float *values, sac_error *error)
{
    split_view *s = split_of(view);
    viz_view *v = s->side[side_of_row(s, &row)].view;
    return v->class->table_row(v, row, values, error);
}

/* ---------------------------------------------------------------- the class */

static void split_destroy(viz_view *view)
{
    split_view *s = split_of(view);
    for (int i = 0; i < s->made; i++) {
        viz_view_destroy(s->side[i].view);
        viz_scaled_free(&s->side[i].kept);
    }
    for (size_t i = 0; i < s->name_count; i++)
        free(s->names[i]);
    free(s->names);
    viz_snapshot_free(&s->known);
    free(s);
}

#define TAKES_PLACE(slot) s->class.slot = s->class.slot ? split_##slot : NULL

sac_status viz_split_create(viz_view *first, viz_view **split, sac_error *error)
{
    split_view *s = calloc(1, sizeof *s);
    *split = NULL;
    if (!s)
        return sac_no_memory(error, first->class->name);
    s->side[0] = (split_side){.view = first, .shrink = 1};
    s->count = s->made = 1;
    s->held = -1;
    s->class = *first->class;
    s->base = (viz_view){&s->class, first->source};
    s->class.draw = split_draw;
    s->class.figure = first->class->figure ? split_draw : NULL;
    s->class.shows = split_focused_view;
    s->class.destroy = split_destroy;
    s->class.event = split_event;
    s->class.describe = split_describe;
    s->class.restore = split_restore;
    s->class.undoes = split_undoes;
    TAKES_PLACE(tick);
    TAKES_PLACE(introduce);
    TAKES_PLACE(arrive);
    TAKES_PLACE(create_job);
    TAKES_PLACE(create_idle_job);
    TAKES_PLACE(run_job);
    TAKES_PLACE(finish_job);
    TAKES_PLACE(choose);
    TAKES_PLACE(status);
    TAKES_PLACE(spots);
    TAKES_PLACE(typing);
    TAKES_PLACE(figure_height);
    TAKES_PLACE(subject);
    TAKES_PLACE(key_name);
    TAKES_PLACE(table);
    TAKES_PLACE(table_name);
    TAKES_PLACE(table_row);
    TAKES_PLACE(command);
    TAKES_PLACE(copied);
    TAKES_PLACE(pages);
    TAKES_PLACE(turn_to);
    TAKES_PLACE(breaks_before);
    TAKES_PLACE(frames);
    TAKES_PLACE(frame);
    remember_focus_settings(s);
    *split = &s->base;
    return SAC_OK;
}

bool viz_is_split(const viz_view *view)
{
    return view && view->class->draw == split_draw;
}
