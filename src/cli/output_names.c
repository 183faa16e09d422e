#include "cli/output_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { DEEPEST = 64 }; /* folders of a path that may be in a name */

typedef struct input {
    const char *given; /* lent */
    char *path;        /* without links and dots, where the file is there; owned */
    char *name;        /* owned */
    int number;        /* place among the inputs as they were given */
    int first;         /* of those that would share its name, which are … */
    int next, last;    /* … the next of them, −1: none, and of the first the last */
} input;

/* The name with `folders` of the folders that it is in, "a-b-x" or with the ending "a-b-x.png"; NULL: no memory. */
static char *name_of(const char *path, int folders, bool ending)
{
    const char *begin = path + strlen(path);
    for (; begin > path; begin--)
        if (begin[-1] == '/' && folders-- == 0)
            break;
    char *name = strdup(begin);
    char *last = name ? strrchr(name, '/') : NULL, *own = last ? last + 1 : name;
    char *dot = own ? strrchr(own, '.') : NULL;
    if (dot && dot != own && !ending)
        *dot = '\0';
    for (char *c = name; c && *c; c++)
        *c = *c == '/' ? '-' : *c;
    return name;
}

/* "x-2" is a piece of "x". */
static bool is_piece(const char *name, const char *of)
{
    const size_t size = strlen(of);
    return strncmp(name, of, size) == 0 && name[size] == '-' && name[size + 1] &&
           !name[size + 1 + strspn(name + size + 1, "0123456789")];
}

static bool share(const input *a, const input *b, bool pieces)
{
    return strcmp(a->path, b->path) != 0 &&
           (strcmp(a->name, b->name) == 0 ||
            (pieces && (is_piece(a->name, b->name) || is_piece(b->name, a->name))));
}

static int by_name(const void *a, const void *b)
{
    const input *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->number - y->number;
}

static int by_number(const void *a, const void *b)
{
    return ((const input *)a)->number - ((const input *)b)->number;
}

/* True where some share their names. Those that are alike stand side by side. */
static bool find_groups(input *all, int count, bool pieces)
{
    bool found = false;
    qsort(all, (size_t)count, sizeof *all, by_name);
    for (int i = 0; i < count; i++) {
        all[i].first = all[i].last = i;
        all[i].next = -1;
        for (int k = i - 1; k >= 0 && (pieces || strcmp(all[k].name, all[i].name) == 0); k--)
            if (share(&all[k], &all[i], pieces)) {
                input *first = &all[all[k].first];
                all[i].first = all[k].first;
                all[first->last].next = i;
                first->last = i;
                found = true;
                break;
            }
    }
    return found;
}

static bool is_distinct(const input *all, int first, bool pieces)
{
    for (int i = first; i >= 0; i = all[i].next)
        for (int k = all[i].next; k >= 0; k = all[k].next)
            if (share(&all[i], &all[k], pieces))
                return false;
    return true;
}

/* Gives those that share a name a form of their names in which these differ: with the endings, then with folders, without
 * and with them. */
static sac_status make_distinct(input *all, int first, bool pieces, sac_error *error)
{
    for (int form = 1; form < 2 * DEEPEST; form++) {
        for (int i = first; i >= 0; i = all[i].next) {
            char *name = name_of(all[i].path, form / 2, form % 2);
            if (!name)
                return sac_no_memory(error, "outputs");
            free(all[i].name);
            all[i].name = name;
        }
        if (is_distinct(all, first, pieces))
            return SAC_OK;
    }
    return sac_fail(error, SAC_E_ARGUMENT, all[first].given, "give it another name",
                    "has the name of another input, and both outputs would be one file");
}

static sac_status name_all(input *all, int count, bool pieces, int *renamed, sac_error *error)
{
    sac_status status = SAC_OK;
    if (!find_groups(all, count, pieces))
        return SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++) {
        *renamed += all[i].first != i || all[i].next >= 0;
        if (all[i].first == i && all[i].next >= 0)
            status = make_distinct(all, i, pieces, error);
    }
    if (status != SAC_OK || !find_groups(all, count, pieces))
        return status;
    int i = 0; /* what a name became is another's */
    while (all[i].first == i)
        i++;
    return sac_fail(error, SAC_E_ARGUMENT, all[i].given, "give it another name",
                    "has an output %s, as another input has", all[i].name);
}

sac_status cli_output_names(char *const *paths, int count, bool pieces, char ***names, int *renamed,
                            sac_error *error)
{
    input *all = calloc((size_t)count + 1, sizeof *all);
    sac_status status = SAC_OK;
    *names = calloc((size_t)count + 1, sizeof **names);
    *renamed = 0;
    for (int i = 0; all && i < count; i++) {
        char *path = realpath(paths[i], NULL);
        path = path ? path
                    : strdup(paths[i]); /* one that is not there is reported when it is opened */
        all[i] = (input){.given = paths[i],
                         .path = path,
                         .name = path ? name_of(path, 0, false) : NULL,
                         .number = i};
        if (!all[i].name)
            status = sac_no_memory(error, "outputs");
    }
    if (!all || !*names)
        status = sac_no_memory(error, "outputs");
    if (status == SAC_OK)
        status = name_all(all, count, pieces, renamed, error);
    if (all && status == SAC_OK)
        qsort(all, (size_t)count, sizeof *all, by_number);
    for (int i = 0; all && i < count; i++) {
        if (status == SAC_OK)
            (*names)[i] = all[i].name;
        else
            free(all[i].name);
        free(all[i].path);
    }
    free(all);
    return status;
}
