/* Reading a folder by jobs, and the paths that a person types. */
#include "shell/chooser/listing.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

enum { LOOKS = 48 }; /* at so many files in one job */

typedef struct listing_job {
    viz_job base;
    uint64_t asked; /* of the listing then */
    viz_look *look;
    char folder[VIZ_PATH_SIZE];
    bool looks;        /* at entries; else reads the names */
    sac_folder listed; /* what it read … */
    struct {
        size_t entry;
        const char *name; /* lent: only `take` changes entries */
        viz_what what;
        char about[VIZ_ABOUT_SIZE];
    } seen[LOOKS]; /* … or looked at: [seen_count] */
    int seen_count;
} listing_job;

static void free_entries(viz_listing *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->entries[i].name);
    free(l->entries);
    l->entries = NULL;
    l->count = l->unlooked = l->pictures = l->known = 0;
    l->read = false;
}

void viz_listing_enter(viz_listing *l, const char *folder)
{
    if (l->asked && strcmp(l->folder, folder) == 0)
        return;
    snprintf(l->folder, sizeof l->folder, "%s", folder);
    l->asked++;
    if (!l->request.out) /* else a job lends the names */
        free_entries(l);
    l->read = false;
}

/* ---------------------------------------------------------------- jobs */

static void queue_entry_lookup(listing_job *job, const viz_listing *l, size_t i)
{
    const viz_entry *e = &l->entries[i];
    for (int k = 0; k < job->seen_count; k++)
        if (job->seen[k].entry == i)
            return;
    if (e->what || job->seen_count == LOOKS)
        return;
    job->seen[job->seen_count].entry = i;
    job->seen[job->seen_count++].name = e->name;
}

viz_job *viz_listing_create_job(viz_listing *l, const viz_view_class *class, const size_t *seen,
                                size_t seen_count)
{
    bool names = !l->read && l->request.demand != l->asked;
    bool looks = l->read && l->known < l->count && l->look;
    if (l->request.out || (!names && !looks))
        return NULL;
    listing_job *job = viz_job_create(class, sizeof *job);
    if (!job)
        return NULL;
    job->asked = l->asked;
    job->look = l->look;
    job->looks = !names;
    memcpy(job->folder, l->folder, sizeof job->folder);
    for (size_t i = 0; looks && i < seen_count; i++)
        queue_entry_lookup(job, l, seen[i]);
    for (size_t i = l->unlooked; looks && i < l->count && job->seen_count < LOOKS; i++)
        queue_entry_lookup(job, l, i);
    return viz_request_submit(&l->request, &job->base, l->asked);
}

sac_status viz_listing_run_job(viz_job *base, sac_error *error)
{
    listing_job *job = (listing_job *)base;
    if (!job->looks)
        return sac_folder_list_names(job->folder, &job->listed, error);
    for (int i = 0; i < job->seen_count; i++) {
        char *path = sac_path_join(job->folder, job->seen[i].name);
        job->seen[i].what = path ? job->look(path, job->seen[i].about) : VIZ_OPENS;
        free(path);
    }
    return SAC_OK;
}

static void store_looked_entries(viz_listing *l, const listing_job *job)
{
    for (int i = 0; i < job->seen_count; i++) {
        viz_entry *e = &l->entries[job->seen[i].entry];
        e->what = job->seen[i].what;
        memcpy(e->about, job->seen[i].about, sizeof e->about);
        l->known++;
        l->pictures += e->what == VIZ_OPENS_AS_PICTURE && e->name[0] != '.';
    }
    while (l->unlooked < l->count && l->entries[l->unlooked].what)
        l->unlooked++;
}

bool viz_listing_take(viz_listing *l, viz_job *base, const sac_error *error)
{
    listing_job *job = (listing_job *)base;
    bool current = job->asked == l->asked, names = current && !job->looks && !error;
    viz_request_take(&l->request, current ? error : NULL);
    if (names) {
        free_entries(l);
        l->entries = job->listed.count ? calloc(job->listed.count, sizeof *l->entries) : NULL;
        l->read = true;
        for (size_t i = 0; l->entries && i < job->listed.count; i++) {
            l->entries[l->count++] = (viz_entry){.name = job->listed.entries[i].name,
                                                 .is_folder = job->listed.entries[i].is_folder};
            job->listed.entries[i].name = NULL;
        }
    } else if (current && job->looks)
        store_looked_entries(l, job);
    else
        free_entries(l);
    if (current && error)
        l->read = true; /* there is nothing to be read; the request's problem has the reason */
    sac_folder_free(&job->listed);
    free(job);
    return names;
}

void viz_listing_free(viz_listing *l)
{
    free_entries(l);
}

/* ---------------------------------------------------------------- paths */

static int hex(char digit)
{
    return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

static const char too_long[] = "this path is too long";

/* "file:///a%20b", "file://localhost/a%20b" → "/a b" */
static const char *read_address(const char *address, char path[VIZ_PATH_SIZE])
{
    static const char here[] = "localhost";
    size_t used = 0;
    if (strncmp(address, here, sizeof here - 1) == 0)
        address += sizeof here - 1;
    if (address[0] != '/')
        return "this address is not of a file on this machine";
    for (const char *c = address; *c; c++) {
        bool coded = *c == '%' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2]);
        if (used + 1 == VIZ_PATH_SIZE)
            return too_long;
        path[used] = coded ? (char)(16 * hex(c[1]) + hex(c[2])) : *c;
        if (!path[used++])
            return "this address holds %00, which no path has";
        c += coded ? 2 : 0;
    }
    path[used] = '\0';
    return NULL;
}

const char *viz_path_read(const char *base, const char *typed, char path[VIZ_PATH_SIZE])
{
    static const char address[] = "file://";
    const char *home = getenv("HOME");
    int length;
    if (strncmp(typed, address, sizeof address - 1) == 0)
        return read_address(typed + sizeof address - 1, path);
    if (typed[0] == '~' && (!typed[1] || typed[1] == '/') && home)
        length = snprintf(path, VIZ_PATH_SIZE, "%s%s", home, typed + 1);
    else if (typed[0] == '/')
        length = snprintf(path, VIZ_PATH_SIZE, "%s", typed);
    else
        length =
            snprintf(path, VIZ_PATH_SIZE, "%s%s%s", base, strcmp(base, "/") == 0 ? "" : "/", typed);
    return length >= VIZ_PATH_SIZE ? too_long : NULL;
}

const char *viz_path_leaf(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The bytes that both have in common, in whole characters. */
static size_t common_prefix_length(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    while (n > 0 && ((a[n] & 0xc0) == 0x80 || (b[n] & 0xc0) == 0x80))
        n--;
    return n;
}

/* The longest start of all names that begin with `start`; NULL: no name does. */
static const viz_entry *find_common(const viz_listing *l, const char *start, bool any_case,
                                    size_t *length, int *count)
{
    const viz_entry *first = NULL;
    size_t begins = strlen(start);
    *count = 0;
    for (size_t i = 0; i < l->count; i++) {
        const char *name = l->entries[i].name;
        bool hidden = name[0] == '.' && start[0] != '.';
        if (hidden || (any_case ? strncasecmp(name, start, begins) : strncmp(name, start, begins)))
            continue;
        size_t shared = first ? common_prefix_length(first->name, name) : strlen(name);
        *length = !first || shared < *length ? shared : *length;
        first = first ? first : &l->entries[i];
        ++*count;
    }
    return first;
}

bool viz_listing_complete(const viz_listing *l, const char *start, char rest[VIZ_PATH_SIZE],
                          bool *whole)
{
    size_t length = 0;
    int count;
    if (!l->read)
        return false;
    const viz_entry *found = find_common(l, start, false, &length, &count);
    *whole = !found;
    if (!found)
        found = find_common(l, start, true, &length, &count);
    if (!found)
        return false;
    if (length < strlen(start)) /* names differ in what they capitalise, or within a character */
        return false;
    size_t from = *whole ? 0 : strlen(start);
    snprintf(rest, VIZ_PATH_SIZE, "%.*s%s", (int)(length - from), found->name + from,
             count == 1 && found->is_folder ? "/" : "");
    return true;
}
