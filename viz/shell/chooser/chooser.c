/* The dialogs of opening and saving: what is typed, chosen and pressed. How they look is
 * chooser_draw.c. */
#include "shell/chooser/chooser.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "images/resample.h"
#include "shell/chooser/chooser_state.h"
#include "view/words.h"

static chooser_view *as_chooser_view(const viz_view *view)
{
    return (chooser_view *)view;
}

/* ---------------------------------------------------------------- what is listed */

static bool name_contains(const char *name, const char *part)
{
    return !part[0] || strcasestr(name, part);
}

static bool wants_text(const chooser_view *v)
{
    return !v->saving && v->opens.purpose && v->opens.wanted == VIZ_WANTS_A_TEXT;
}

static bool wants_folder(const chooser_view *v)
{
    return !v->saving && v->opens.purpose && v->opens.wanted == VIZ_WANTS_A_FOLDER;
}

static void add_left_item(chooser_view *v, chooser_kind kind, size_t index)
{
    v->left[v->left_count++] = (chooser_item){.kind = kind, .index = index};
}

/* What the folder has of what is typed; to save, all of it. */
static void fill_folder_list(chooser_view *v)
{
    enum { OWN = 2 }; /* the folder above, all pictures */
    const viz_listing *l = &v->listing;
    const char *part = v->saving ? "" : viz_path_leaf(v->field.text);
    size_t count = l->read ? l->count : 0;
    chooser_item *more = realloc(v->left, (count + OWN) * sizeof *more);
    v->left_count = 0;
    if (!more)
        return;
    v->left = more;
    if (strcmp(l->folder, "/") != 0 && !part[0])
        add_left_item(v, CHOOSER_PARENT, 0);
    if (!part[0] && !v->saving && !wants_text(v))
        add_left_item(v, CHOOSER_PICTURES, 0);
    for (size_t i = 0; i < count; i++) {
        const viz_entry *entry = &l->entries[i];
        const char *name = entry->name;
        bool suits = !wants_text(v) || entry->is_folder || entry->what == VIZ_OPENS;
        if (suits && (name[0] != '.' || part[0] == '.') && name_contains(name, part))
            add_left_item(v, CHOOSER_ENTRY, i);
    }
}

/* How well a name is what is typed; 0: it is not marked for that. */
static int match_quality(const char *name, const char *part)
{
    size_t length = strlen(part);
    return strcmp(name, part) == 0                ? 4
           : strncmp(name, part, length) == 0     ? 3
           : strncasecmp(name, part, length) == 0 ? 2
                                                  : 1;
}

/* With a purpose: this folder, or the first file in it. */
static size_t first_that_is_wanted(const chooser_view *v)
{
    size_t i = 0;
    for (; v->opens.purpose && i < v->left_count; i++) {
        const chooser_item *item = &v->left[i];
        if (item->kind == CHOOSER_PICTURES ||
            (item->kind == CHOOSER_ENTRY && !v->listing.entries[item->index].is_folder))
            return i;
    }
    return 0;
}

/* Marks what Return opens: of what is typed the name that is most like it. A path that ends with a
 * slash is the folder itself. */
static void mark_best(chooser_view *v)
{
    const char *part = viz_path_leaf(v->field.text);
    int best = 0;
    v->mark = (chooser_mark){.side = CHOOSER_NONE};
    if (v->saving || (v->field.text[0] && !part[0]))
        return;
    if (v->right_count && !v->field.text[0])
        v->mark = (chooser_mark){CHOOSER_RIGHT, 0};
    else if (!part[0])
        v->mark = (chooser_mark){CHOOSER_LEFT, first_that_is_wanted(v)};
    for (size_t i = 0; part[0] && i < v->left_count; i++) {
        int like = match_quality(v->listing.entries[v->left[i].index].name, part);
        if (like > best)
            v->mark = (chooser_mark){CHOOSER_LEFT, i};
        best = like > best ? like : best;
    }
    if (v->mark.side == CHOOSER_NONE && v->right_count)
        v->mark = (chooser_mark){CHOOSER_RIGHT, 0};
}

static void fill_lists(chooser_view *v)
{
    fill_folder_list(v);
    const char *part = v->field.text;
    v->right_count = 0;
    for (int i = 0; !v->saving && i < v->opens.recent_count; i++)
        if (name_contains(viz_path_leaf(v->opens.recent[i].path), part))
            v->right[v->right_count++] = (chooser_item){.kind = CHOOSER_RECENT, .index = (size_t)i};
    for (int i = 0; !v->saving && i < v->opens.sample_count; i++)
        if (name_contains(v->opens.samples[i].title, part))
            v->right[v->right_count++] = (chooser_item){.kind = CHOOSER_SAMPLE, .index = (size_t)i};
    v->scroll[CHOOSER_LEFT] = v->scroll[CHOOSER_RIGHT] = 0;
    mark_best(v);
}

/* ---------------------------------------------------------------- folders */

/* The folder that what is typed stands in is listed, and the rest is looked for in it. */
static void list_typed_folder(chooser_view *v)
{
    const char *text = v->field.text;
    int length = (int)(viz_path_leaf(text) - text);
    char start[VIZ_PATH_SIZE], path[VIZ_PATH_SIZE];
    v->problem[0] = v->confirmed[0] = '\0';
    v->waits = false;
    snprintf(start, sizeof start, "%.*s", length, text);
    bool fits = length > 0 && !viz_path_read(v->base_folder, start, path);
    size_t end = fits ? strlen(path) : 0;
    while (end > 1 && path[end - 1] == '/')
        path[--end] = '\0';
    viz_listing_enter(&v->listing, fits ? path : v->base_folder);
    fill_lists(v);
}

static void set_typed_text(chooser_view *v, const char *text)
{
    viz_text_field_set(&v->field, text);
    v->field.all = false;
    list_typed_folder(v);
}

static void enter_folder(chooser_view *v, const char *folder)
{
    char *whole = realpath(folder, NULL), text[2 * VIZ_PATH_SIZE];
    const char *path = whole ? whole : folder, *name = viz_path_leaf(v->field.text);
    snprintf(text, sizeof text, "%s%s%s", path, strcmp(path, "/") == 0 ? "" : "/", name);
    if (!v->saving)
        snprintf(v->base_folder, sizeof v->base_folder, "%s", path);
    free(whole);
    set_typed_text(v, v->saving ? text : "");
}

static void enter_parent(chooser_view *v)
{
    char *path = sac_path_join(v->listing.folder, "..");
    if (path)
        enter_folder(v, path);
    free(path);
}

/* ---------------------------------------------------------------- jobs */

bool chooser_row_picture(const chooser_view *v, const chooser_item *item, char path[VIZ_PATH_SIZE])
{
    const viz_listing *l = &v->listing;
    if (item->kind == CHOOSER_RECENT) {
        const char *recent = v->opens.recent[item->index].path, *leaf = viz_path_leaf(recent);
        memcpy(path, recent, VIZ_PATH_SIZE);
        return sac_is_picture_name(leaf, strlen(leaf));
    }
    return item->kind == CHOOSER_ENTRY && l->entries[item->index].what == VIZ_OPENS_AS_PICTURE &&
           snprintf(path, VIZ_PATH_SIZE, "%s/%s", strcmp(l->folder, "/") == 0 ? "" : l->folder,
                    l->entries[item->index].name) < VIZ_PATH_SIZE;
}

const chooser_thumb *chooser_find_thumb(const chooser_view *v, const char *path)
{
    for (size_t i = 0; i < CHOOSER_THUMBS; i++)
        if (strcmp(v->thumbs[i].path, path) == 0)
            return &v->thumbs[i];
    return NULL;
}

static viz_job *submit_picture_job(chooser_view *v, int sample, const char *path)
{
    chooser_picture *job = viz_job_create(v->base.class, sizeof *job);
    if (!job)
        return NULL;
    job->sample = sample;
    snprintf(job->path, sizeof job->path, "%s", path);
    if (sample < 0) {
        chooser_thumb *thumb = &v->thumbs[job->thumb = v->next_thumb];
        v->next_thumb = (v->next_thumb + 1) % CHOOSER_THUMBS;
        sac_image_free(&thumb->tile);
        snprintf(thumb->path, sizeof thumb->path, "%s", path);
    }
    v->picture_job = &job->base;
    return &job->base;
}

/* For the first row in view that has none yet. */
static viz_job *create_thumb_job(chooser_view *v)
{
    char path[VIZ_PATH_SIZE];
    size_t first, end;
    chooser_seen_rows(v, &first, &end);
    for (size_t i = first; i < end; i++)
        if (chooser_row_picture(v, &v->left[i], path) && !chooser_find_thumb(v, path))
            return submit_picture_job(v, -1, path);
    for (size_t i = 0; i < v->right_count; i++)
        if (chooser_row_picture(v, &v->right[i], path) && !chooser_find_thumb(v, path))
            return submit_picture_job(v, -1, path);
    return NULL;
}

static viz_job *create_picture_job(chooser_view *v)
{
    const viz_opens *o = &v->opens;
    if (v->saving || v->picture_job)
        return NULL;
    viz_job *job = create_thumb_job(v);
    while (!job && v->pictured < o->sample_count && !o->samples[v->pictured].is_picture)
        v->pictured++;
    if (job || v->pictured >= o->sample_count)
        return job;
    job = submit_picture_job(v, v->pictured, o->samples[v->pictured].path);
    v->pictured += job != NULL;
    return job;
}

/* Names first, then what is seen of them, then pictures, then the rest of a long folder. */
static viz_job *create_job(viz_view *view)
{
    chooser_view *v = as_chooser_view(view);
    enum { SEEN = 64 };
    size_t seen[SEEN], count = 0, row = (size_t)(v->scroll[CHOOSER_LEFT] / CHOOSER_ROW);
    bool known = v->listing.read;
    for (size_t i = row; i < v->left_count && count < SEEN; i++)
        if (v->left[i].kind == CHOOSER_ENTRY) {
            seen[count++] = v->left[i].index;
            known = known && v->listing.entries[v->left[i].index].what;
        }
    viz_job *job = known ? create_picture_job(v) : NULL;
    job = job ? job : viz_listing_create_job(&v->listing, view->class, seen, count);
    return job ? job : create_picture_job(v);
}

/* A file that cannot be read has no picture here; why not is shown when it is opened. */
static sac_status run_job(viz_view *view, viz_job *base, sac_error *error)
{
    if (as_chooser_view(view)->picture_job != base)
        return viz_listing_run_job(base, error);
    chooser_picture *job = (chooser_picture *)base;
    sac_image image = {0};
    sac_status status = SAC_OK;
    if (sac_image_load(job->path, &image, NULL) == SAC_OK) {
        /* The middle of the picture in the proportions of a tile. */
        sac_image part;
        bool thumb = job->sample < 0;
        int w = image.width, h = image.height;
        w = w > h * CHOOSER_TILE_W / CHOOSER_TILE_H ? h * CHOOSER_TILE_W / CHOOSER_TILE_H : w;
        h = h > w * CHOOSER_TILE_H / CHOOSER_TILE_W ? w * CHOOSER_TILE_H / CHOOSER_TILE_W : h;
        w = w > 0 ? w : 1;
        h = h > 0 ? h : 1;
        int left = (image.width - w) / 2, top = (image.height - h) / 2;
        status = sac_image_create(w, h, &part, error);
        for (int y = 0; status == SAC_OK && y < h; y++)
            memcpy(part.rgba + 4 * (size_t)y * (size_t)w,
                   image.rgba + 4 * ((size_t)(top + y) * (size_t)image.width + (size_t)left),
                   4 * (size_t)w);
        if (status == SAC_OK)
            status =
                sac_image_scale(&part, thumb ? CHOOSER_THUMB_W : CHOOSER_TILE_W,
                                thumb ? CHOOSER_THUMB_H : CHOOSER_TILE_H, true, &job->tile, error);
        sac_image_free(&part);
    }
    sac_image_free(&image);
    return status;
}

static void finish_job(viz_view *view, viz_job *base, const sac_error *error)
{
    chooser_view *v = as_chooser_view(view);
    if (v->picture_job != base) {
        bool names = viz_listing_take(&v->listing, base, error);
        if (names)
            fill_lists(v);
        else if (wants_text(v)) /* what suits is known bit by bit */
            fill_folder_list(v);
        const chooser_item *marked = chooser_marked(v);
        if (!marked || (wants_text(v) && marked->kind == CHOOSER_PARENT))
            mark_best(v);
        return;
    }
    chooser_picture *job = (chooser_picture *)base;
    v->picture_job = NULL;
    if (job->sample >= 0) {
        sac_image_free(&v->tiles[job->sample]);
        v->tiles[job->sample] = job->tile;
    } else if (strcmp(v->thumbs[job->thumb].path, job->path) == 0) {
        v->thumbs[job->thumb].tile = job->tile;
        v->thumbs[job->thumb].number = ++v->thumb_number;
    } else { /* the dialog began anew */
        sac_image_free(&job->tile);
    }
    free(job);
}

/* ---------------------------------------------------------------- choosing */

void viz_chooser_show_problem(viz_view *view, const char *problem)
{
    chooser_view *v = as_chooser_view(view);
    v->waits = false;
    snprintf(v->problem, sizeof v->problem, "%s", viz_word(problem));
}

static void choose_path(chooser_view *v, const char *path)
{
    v->chosen = (viz_recent){0};
    snprintf(v->chosen.path, sizeof v->chosen.path, "%s", path);
    v->has_chosen = v->waits = true;
    v->problem[0] = '\0';
}

/* ---------------------------------------------------------------- kinds of files, and what is asked before one is written */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length > size && strcasecmp(text + length - size, ending) == 0;
}

const viz_save_width viz_save_widths[VIZ_SAVE_WIDTHS] = {
    {"90 mm", 90, NULL},    {"140 mm", 140, NULL},          {"180 mm", 180, NULL},
    {N_("on A4"), 0, "a4"}, {N_("on Letter"), 0, "letter"},
};

static const viz_save_kind *kind_now(const chooser_view *v)
{
    return &v->saves.kinds[v->saves.kind];
}

/* Of another kind, width or ground. */
static void change_saves(chooser_view *v)
{
    v->wants_preview = v->saving;
    v->problem[0] = '\0';
}

static void set_kind_by_ending(chooser_view *v)
{
    viz_saves *s = &v->saves;
    if (!v->saving || ends_with(v->field.text, s->kinds[s->kind].ending))
        return;
    for (int i = 0; i < s->kind_count; i++)
        if (ends_with(v->field.text, s->kinds[i].ending)) {
            s->kind = i;
            change_saves(v);
            return;
        }
}

/* The name keeps all but its ending. */
static void set_kind(chooser_view *v, int kind)
{
    viz_saves *s = &v->saves;
    const char *before = s->kinds[s->kind].ending;
    char text[VIZ_TEXT_FIELD_SIZE];
    size_t kept = strlen(v->field.text);
    if (ends_with(v->field.text, before))
        kept -= strlen(before);
    snprintf(text, sizeof text, "%.*s%s", (int)kept, v->field.text, s->kinds[kind].ending);
    s->kind = kind;
    if (viz_save_widths[s->width].paper && !kind_now(v)->has_sheets)
        s->width = 0;
    viz_text_field_set(&v->field, text);
    change_saves(v);
}

/* The first kind of that form, or the one with the ending that is there; a figure begins on white. False: it
 * has none. */
static bool set_form(chooser_view *v, viz_save_form form)
{
    const viz_saves *s = &v->saves;
    const viz_save_form before = kind_now(v)->form;
    int kind = -1;
    for (int i = 0; i < s->kind_count; i++)
        if (s->kinds[i].form == form &&
            (kind < 0 || strcmp(s->kinds[i].ending, kind_now(v)->ending) == 0))
            kind = i;
    if (kind < 0 || form == before)
        return false;
    v->saves.light = form == VIZ_SAVE_AS_FIGURE || s->light_shown;
    set_kind(v, kind);
    return true;
}

/* The kind after the current one, or before it, of its form. */
static int next_kind(const chooser_view *v, int step)
{
    const viz_saves *s = &v->saves;
    int kind = s->kind;
    do
        kind = (int)viz_next((size_t)kind, step, (size_t)s->kind_count);
    while (s->kinds[kind].form != kind_now(v)->form);
    return kind;
}

static bool turn_width(chooser_view *v, int step)
{
    const int count = kind_now(v)->has_sheets ? VIZ_SAVE_WIDTHS : VIZ_SAVE_WIDTHS - 2;
    if (kind_now(v)->form != VIZ_SAVE_AS_FIGURE)
        return false;
    v->saves.width = (int)viz_next((size_t)v->saves.width, step, (size_t)count);
    change_saves(v);
    return true;
}

static bool press_saves(chooser_view *v, float x, float y)
{
    const int form = viz_choices_hit(&v->forms, x, y), kind = viz_choices_hit(&v->kinds, x, y),
              width = viz_choices_hit(&v->widths, x, y),
              ground = viz_choices_hit(&v->grounds, x, y);
    if (form >= 0)
        set_form(v, (viz_save_form)v->form_at[form]);
    else if (kind >= 0)
        set_kind(v, v->kind_at[kind]);
    else if (width >= 0 || ground >= 0) {
        v->saves.width = width >= 0 ? width : v->saves.width;
        v->saves.light = ground >= 0 ? ground == 0 : v->saves.light;
        change_saves(v);
    }
    return form >= 0 || kind >= 0 || width >= 0 || ground >= 0;
}

static void choose_save_path(chooser_view *v)
{
    viz_saves *s = &v->saves;
    const char *ending = s->kinds[s->kind].ending;
    char path[VIZ_PATH_SIZE], folder[VIZ_PATH_SIZE];
    v->problem[0] = '\0';
    const char *wrong = viz_path_read(v->base_folder, v->field.text, path);
    const char *name = wrong ? "" : viz_path_leaf(path);
    if (!wrong && !name[0])
        wrong = "the file has no name yet: type one behind the folder";
    if (!wrong && !ends_with(path, ending)) {
        if (strlen(path) + strlen(ending) < sizeof path)
            strcat(path, ending);
        else
            wrong = "this path is too long";
    }
    if (wrong) {
        viz_chooser_show_problem(&v->base, wrong);
        return;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path > 1 ? name - path : 1), path);
    if (!sac_is_folder(folder)) {
        snprintf(v->problem, sizeof v->problem, viz_word("%s: there is no such folder"), folder);
    } else if (sac_is_folder(path)) {
        snprintf(v->problem, sizeof v->problem, viz_word("%s is a folder; type a name behind it"),
                 path);
    } else if (access(path, F_OK) == 0 && !s->kinds[s->kind].adds &&
               strcmp(v->confirmed, path) != 0) {
        memcpy(v->confirmed, path, sizeof path);
        snprintf(v->problem, sizeof v->problem,
                 viz_word("%s is there already: Save (Return) once more replaces it"), name);
    } else {
        s->replaces = access(path, F_OK) == 0;
        memcpy(s->path, path, sizeof path);
        v->has_chosen = v->waits = true;
        v->confirmed[0] = '\0';
    }
}

/* ---------------------------------------------------------------- choosing an entry */

static void choose_entry(chooser_view *v, const viz_entry *entry)
{
    char *path = sac_path_join(v->listing.folder, entry->name);
    if (!path)
        return;
    if (v->saving && !entry->is_folder) {
        /* A file that is pressed gives its name; before it is replaced, the person is asked. */
        set_typed_text(v, path);
        set_kind_by_ending(v);
    } else if (entry->what == VIZ_OPENS_NOT && !v->saving && !v->opens.purpose)
        snprintf(v->problem, sizeof v->problem, "%s: %s", entry->name, entry->about);
    else if (wants_folder(v) && !entry->is_folder)
        viz_chooser_show_problem(&v->base,
                                 "choose a folder; \"this folder\" is the one that is shown");
    else if (entry->is_folder &&
             (v->saving || v->opens.purpose || entry->what != VIZ_OPENS_AS_MODEL))
        enter_folder(v, path);
    else
        choose_path(v, path);
    free(path);
}

static void choose_item(chooser_view *v, const chooser_item *item)
{
    bool none = v->listing.read && v->listing.known == v->listing.count && !v->listing.pictures;
    switch (item->kind) {
    case CHOOSER_RECENT:
        v->chosen = v->opens.recent[item->index];
        v->has_chosen = v->waits = true;
        break;
    case CHOOSER_SAMPLE:
        choose_path(v, v->opens.samples[item->index].path);
        break;
    case CHOOSER_PARENT:
        enter_parent(v);
        break;
    case CHOOSER_PICTURES:
        if (none && !v->opens.purpose)
            snprintf(v->problem, sizeof v->problem, "%s",
                     viz_word("there is no picture in this folder"));
        else
            choose_path(v, v->listing.folder);
        break;
    case CHOOSER_ENTRY:
        choose_entry(v, &v->listing.entries[item->index]);
        break;
    }
}

/* The last folder of a path that is there. */
static void cut_to_existing_folder(char *path)
{
    while (!sac_is_folder(path) && strrchr(path, '/')) {
        char *slash = strrchr(path, '/');
        slash[slash == path] = '\0';
        if (slash == path)
            return;
    }
}

/* Opens what is typed, where no row is it. */
static void choose_typed(chooser_view *v)
{
    char path[VIZ_PATH_SIZE], about[VIZ_ABOUT_SIZE], near[VIZ_PATH_SIZE];
    const char *wrong = viz_path_read(v->base_folder, v->field.text, path);
    if (wrong) {
        viz_chooser_show_problem(&v->base, wrong);
        return;
    }
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        path[--end] = '\0';
    bool folder = sac_is_folder(path);
    if (access(path, F_OK) != 0) {
        memcpy(near, path, sizeof near);
        cut_to_existing_folder(near);
        snprintf(v->problem, sizeof v->problem,
                 viz_word("%.400s: there is no such file or folder; the nearest folder is %.400s"),
                 path, near);
    } else if (folder && (!v->opens.look || v->opens.look(path, about) != VIZ_OPENS_AS_MODEL)) {
        enter_folder(v, path);
    } else {
        choose_path(v, path);
    }
}

static void choose_marked_or_typed(chooser_view *v)
{
    const chooser_item *item = chooser_marked(v);
    if (v->saving)
        choose_save_path(v);
    else if (item)
        choose_item(v, item);
    else if (v->field.text[0])
        choose_typed(v);
}

/* ---------------------------------------------------------------- keys */

/* What all names go on with; where nothing is typed yet, the folder itself, to be gone on from. */
static void complete_typed_path(chooser_view *v)
{
    char rest[VIZ_PATH_SIZE], text[VIZ_TEXT_FIELD_SIZE];
    const char *typed = v->field.text, *part = viz_path_leaf(typed);
    bool whole;
    if (!typed[0]) {
        snprintf(text, sizeof text, "%s%s", v->listing.folder,
                 strcmp(v->listing.folder, "/") == 0 ? "" : "/");
    } else if (strcmp(typed, "~") == 0) {
        snprintf(text, sizeof text, "~/");
    } else if (viz_listing_complete(&v->listing, part, rest, &whole)) {
        int kept = (int)(whole ? (size_t)(part - typed) : strlen(typed));
        snprintf(text, sizeof text, "%.*s%s", kept, typed, rest);
    } else {
        return;
    }
    if (strcmp(text, typed) != 0)
        set_typed_text(v, text);
}

static bool edit(chooser_view *v, const viz_event *e)
{
    bool changed;
    if (e->key == VIZ_KEY_BACKSPACE && !v->field.text[0]) {
        enter_parent(v);
        return true;
    }
    if (!viz_text_field_key(&v->field, e, &changed))
        return false;
    if (changed) {
        list_typed_folder(v);
        set_kind_by_ending(v);
    }
    return true;
}

static bool handle_key(chooser_view *v, const viz_event *e)
{
    bool up = e->key == VIZ_KEY_UP, moves = up || e->key == VIZ_KEY_DOWN;
    bool pages = e->key == VIZ_KEY_PAGE_UP || e->key == VIZ_KEY_PAGE_DOWN;
    bool sideways = e->key == VIZ_KEY_LEFT || e->key == VIZ_KEY_RIGHT || e->key == VIZ_KEY_HOME ||
                    e->key == VIZ_KEY_END;
    if (e->key == VIZ_KEY_ESCAPE) {
        /* Escape takes back what was typed, then the dialog. */
        v->closed = v->saving || !v->field.text[0];
        if (!v->closed)
            set_typed_text(v, "");
    } else if (e->key == VIZ_KEY_RETURN)
        choose_marked_or_typed(v);
    else if (e->key == VIZ_KEY_TAB)
        complete_typed_path(v);
    else if (v->saving && moves)
        set_kind(v, next_kind(v, up ? -1 : 1));
    else if (v->saving && pages)
        turn_width(v, e->key == VIZ_KEY_PAGE_UP ? -1 : 1);
    else if (moves || pages || (sideways && !v->field.text[0]))
        chooser_move(v, e->key);
    else
        return edit(v, e);
    return true;
}

static bool paste(chooser_view *v, const char *pasted)
{
    char text[VIZ_TEXT_FIELD_SIZE], path[VIZ_PATH_SIZE];
    size_t end = strcspn(pasted, "\r\n"); /* the first of several files */
    snprintf(text, sizeof text, "%.*s", (int)end, pasted);
    if (strncmp(text, "file://", 7) == 0 && !viz_path_read(v->base_folder, text, path))
        snprintf(text, sizeof text, "%s", path);
    if (text[0] == '/' || text[0] == '~')
        v->field.all = true; /* a whole path takes the place of what was there */
    v->field.typing = true;
    if (!viz_text_field_paste(&v->field, text))
        return false;
    list_typed_folder(v);
    set_kind_by_ending(v);
    return true;
}

/* ---------------------------------------------------------------- events */

static bool press(chooser_view *v, float x, float y)
{
    chooser_mark under = chooser_under(v, x, y);
    int folder = v->saving ? -1 : viz_choices_hit(&v->folders, x, y);
    if (viz_inside(v->close, x, y))
        v->closed = true;
    else if (viz_inside(v->button, x, y))
        choose_marked_or_typed(v);
    else if (v->saving && press_saves(v, x, y))
        return true;
    else if (folder >= 0) {
        viz_text_field_set(&v->field, "");
        enter_folder(v, v->opens.folders[folder].path);
    } else if (under.side != CHOOSER_NONE) {
        v->mark = under;
        choose_item(v, chooser_marked(v));
    } else
        return false;
    return true;
}

static bool event(viz_view *view, const viz_event *e)
{
    chooser_view *v = as_chooser_view(view);
    if (e->kind == VIZ_KEY && e->ctrl && e->key == 'v')
        return paste(v, e->text ? e->text : "");
    if (e->kind == VIZ_KEY && e->ctrl && e->key == 'f' && v->saving) {
        set_form(v,
                 kind_now(v)->form == VIZ_SAVE_AS_FIGURE ? VIZ_SAVE_AS_IT_IS : VIZ_SAVE_AS_FIGURE);
        return true;
    }
    if (e->kind == VIZ_KEY && e->ctrl)
        return e->key == 'a' && edit(v, e);
    if (e->kind == VIZ_KEY)
        return handle_key(v, e);
    if (e->kind == VIZ_WHEEL) {
        chooser_scroll(v, viz_inside(v->lists[CHOOSER_RIGHT], e->x, e->y),
                       -2 * CHOOSER_ROW * e->wheel_y);
        return true;
    }
    chooser_mark under = chooser_under(v, e->x, e->y);
    if (e->kind == VIZ_MOVE && under.side != CHOOSER_NONE &&
        (under.side != v->mark.side || under.index != v->mark.index)) {
        v->mark = under;
        return true;
    }
    return e->kind == VIZ_PRESS && e->button == 1 && press(v, e->x, e->y);
}

static bool is_typing(const viz_view *view)
{
    (void)view;
    return true;
}

static const viz_key_row keys[] = {
    {"click", "open it"},
    {"↑  ↓", "the row before, the next one"},
    {"←  →", "the place beside it"},
    {"PgUp  PgDn", "a page of rows"},
    {"Home  End", "the first row, the last one"},
    {"Tab", "complete what is typed"},
    {"Return", "open the marked one, or what is typed"},
    {"Backspace", "take a letter back, or to the folder above"},
    {"Esc", "take back what was typed, then close"},
    {NULL, NULL},
};

/* ---------------------------------------------------------------- the view */

static void destroy(viz_view *view)
{
    chooser_view *v = as_chooser_view(view);
    viz_listing_free(&v->listing);
    sac_image_free(&v->preview);
    viz_scaled_free(&v->preview_kept);
    for (int i = 0; i < VIZ_SAMPLES_MOST; i++) {
        sac_image_free(&v->tiles[i]);
        viz_scaled_free(&v->kept[i]);
    }
    for (int i = 0; i < CHOOSER_THUMBS; i++) {
        sac_image_free(&v->thumbs[i].tile);
        viz_scaled_free(&v->thumbs[i].kept);
    }
    free(v->left);
    free(v);
}

static const viz_view_class chooser_class = {
    .name = "open",
    .tab = "Open",
    .draw = chooser_draw,
    .event = event,
    .create_job = create_job,
    .run_job = run_job,
    .finish_job = finish_job,
    .keys = keys,
    .spots = chooser_spots,
    .typing = is_typing,
    .destroy = destroy,
};

sac_status viz_chooser_create(viz_view **view, sac_error *error)
{
    chooser_view *v = calloc(1, sizeof *v);
    *view = NULL;
    if (!v)
        return sac_no_memory(error, "open");
    v->base.class = &chooser_class;
    *view = &v->base;
    return SAC_OK;
}

static void begin(chooser_view *v, bool saving)
{
    v->saving = saving;
    v->closed = v->has_chosen = v->waits = false;
    v->field.typing = true;
    v->listing.folder[0] = '\0'; /* it is read anew: something may have been written there */
    for (int i = 0; i < CHOOSER_THUMBS; i++)
        v->thumbs[i].path[0] = '\0';
}

/* As if its path was typed, in its folder. */
static void show_file(chooser_view *v, const char *path)
{
    int length = (int)(viz_path_leaf(path) - path);
    snprintf(v->base_folder, sizeof v->base_folder, "%.*s", length > 1 ? length - 1 : 1, path);
    set_typed_text(v, path);
}

/* A file that has a byte 0 near its beginning is no text. */
static viz_what look_for_text(const char *path, char about[VIZ_ABOUT_SIZE])
{
    char start[4096];
    about[0] = '\0';
    if (sac_is_folder(path))
        return VIZ_OPENS;
    FILE *file = sac_file_kind_of(path) == SAC_FILE_OTHER ? fopen(path, "rbe") : NULL;
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    return size > 0 && !memchr(start, 0, size) ? VIZ_OPENS : VIZ_OPENS_NOT;
}

void viz_chooser_begin(viz_view *view, const viz_opens *opens)
{
    chooser_view *v = as_chooser_view(view);
    bool same = v->opens.sample_count == opens->sample_count;
    v->opens = *opens;
    v->pictured = same ? v->pictured : 0;
    v->listing.look =
        opens->purpose && opens->wanted == VIZ_WANTS_A_TEXT ? look_for_text : opens->look;
    begin(v, false);
    v->problem[0] = '\0';
    if (access(opens->folder, F_OK) != 0 || sac_is_folder(opens->folder)) {
        enter_folder(v, opens->folder);
        return;
    }
    show_file(v, opens->folder);
    if (opens->purpose) /* there are others to choose from */
        set_typed_text(v, "");
}

void viz_chooser_begin_saving(viz_view *view, const viz_saves *saves)
{
    chooser_view *v = as_chooser_view(view);
    v->saves = *saves;
    begin(v, true);
    show_file(v, saves->path);
    sac_image_free(&v->preview);
    change_saves(v);
}

bool viz_chooser_wants_preview(viz_view *view, viz_saves *saves)
{
    chooser_view *v = as_chooser_view(view);
    if (!v->saving || !v->wants_preview)
        return false;
    v->wants_preview = false;
    *saves = v->saves;
    if (kind_now(v)->is_picture)
        return true;
    sac_image_free(&v->preview);
    return false;
}

void viz_chooser_take_preview(viz_view *view, sac_image *image)
{
    chooser_view *v = as_chooser_view(view);
    sac_image_free(&v->preview);
    v->preview = *image;
    v->preview_stamp++;
    *image = (sac_image){0};
}

const char *viz_chooser_purpose(const viz_view *view)
{
    const chooser_view *v = as_chooser_view(view);
    return v->saving ? NULL : v->opens.purpose;
}

bool viz_chooser_take(viz_view *view, viz_recent *chosen)
{
    chooser_view *v = as_chooser_view(view);
    bool has = v->has_chosen && !v->saving;
    *chosen = v->chosen;
    v->has_chosen = v->has_chosen && !has;
    return has;
}

bool viz_chooser_take_saves(viz_view *view, viz_saves *chosen)
{
    chooser_view *v = as_chooser_view(view);
    bool has = v->has_chosen && v->saving;
    if (has)
        *chosen = v->saves;
    v->has_chosen = v->has_chosen && !has;
    return has;
}

bool viz_chooser_is_closed(const viz_view *view)
{
    return as_chooser_view(view)->closed;
}
