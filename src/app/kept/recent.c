#include "app/kept/recent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/kept/settings.h"
#include "app/open/open_parts.h"
#include "app/samples.h"
#include "images/folder.h"

enum { KEPT = VIZ_RECENT_MOST + 1, MOST_BYTES = KEPT * 2 * VIZ_PATH_SIZE };

static bool is_same(const viz_recent *a, const viz_recent *b)
{
    return strcmp(a->path, b->path) == 0 && strcmp(a->beside, b->beside) == 0;
}

/* The whole path of one that a line can hold; false where it cannot. */
static bool take_path(const char *path, char *whole)
{
    char *found = realpath(path, NULL);
    int length = found ? snprintf(whole, VIZ_PATH_SIZE, "%s", found) : -1;
    free(found);
    return length > 0 && length < VIZ_PATH_SIZE && !strpbrk(whole, "\t\n");
}

/* False where the document has no file, or more than a line holds. */
static bool read_document(const app_document *document, viz_recent *open)
{
    int count = 0;
    *open = (viz_recent){0};
    for (; document->paths && document->paths[count]; count++)
        if (count > 1 || !take_path(document->paths[count], count ? open->beside : open->path))
            return false;
    return count > 0;
}

static bool take_line(char *line, viz_recent *recent)
{
    char *beside = strchr(line, '\t');
    if (beside)
        *beside++ = '\0';
    *recent = (viz_recent){0};
    bool fits = strlen(line) < VIZ_PATH_SIZE && (!beside || strlen(beside) < VIZ_PATH_SIZE);
    if (!fits || line[0] != '/')
        return false;
    strcpy(recent->path, line);
    strcpy(recent->beside, beside ? beside : "");
    return access(recent->path, R_OK) == 0 && (!beside || access(beside, R_OK) == 0);
}

/* Those in the file that are still there, but for `without`. */
static int load(viz_recent *recent, int most, const viz_recent *without)
{
    char path[1000], *rest = NULL, *text = malloc(MOST_BYTES);
    int count = 0;
    bool is_there = text && app_settings_path("recent", path, sizeof path) &&
                    app_settings_read(path, text, MOST_BYTES);
    for (char *line = is_there ? strtok_r(text, "\n", &rest) : NULL; line && count < most;
         line = strtok_r(NULL, "\n", &rest))
        if (take_line(line, &recent[count]) && !is_same(&recent[count], without))
            count++;
    free(text);
    return count;
}

/* Of what is open; the folder that the program runs in where that is no file. */
static void find_folder(const viz_recent *open, char *folder)
{
    snprintf(folder, VIZ_PATH_SIZE, "%s", open->path[0] ? open->path : ".");
    char *slash = sac_is_folder(folder) ? NULL : strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
}

void app_offer(void *document, viz_opens *opens)
{
    app_sample samples[APP_SAMPLES_MOST];
    viz_recent open;
    read_document(document, &open);
    find_folder(&open, opens->folder);
    opens->look = app_look;
    opens->recent_count = load(opens->recent, VIZ_RECENT_MOST, &open);
    opens->sample_count = app_samples(NULL, samples);
    for (int i = 0; i < opens->sample_count; i++) {
        viz_sample *sample = &opens->samples[i];
        *sample = (viz_sample){.title = samples[i].title,
                               .about = samples[i].credit,
                               .is_picture = samples[i].kind != APP_SAMPLE_ATTENTION};
        memcpy(sample->path, samples[i].path, sizeof samples[i].path);
    }
}

_Static_assert(APP_SAMPLES_MOST <= VIZ_SAMPLES_MOST && APP_SAMPLE_PATH <= VIZ_PATH_SIZE,
               "the dialog has room for all");

void app_recent_note(const app_document *document)
{
    viz_recent recent[KEPT], open;
    sac_output out = {0};
    if (!read_document(document, &open))
        return;
    int count = load(recent, KEPT - 1, &open);
    if (app_settings_open("recent", &out, NULL) != SAC_OK)
        return;
    fprintf(out.file, "%s%s%s\n", open.path, open.beside[0] ? "\t" : "", open.beside);
    for (int i = 0; i < count; i++)
        fprintf(out.file, "%s%s%s\n", recent[i].path, recent[i].beside[0] ? "\t" : "",
                recent[i].beside);
    sac_output_commit(&out, NULL);
}
