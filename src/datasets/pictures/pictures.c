/* Reads a folder and caption files into pictures with captions, split and numbered. */
#include "pictures/pictures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/order.h"
#include "images/folder.h"
#include "pictures/people.h"
#include "pictures/picture_folder.h"
#include "pictures/rows.h"

/* ---------------------------------------------------------------- joining files and captions */

/* While files and captions are joined, `items` has a place for each file of the folder, and those
 * that no caption has named yet have no path. */
typedef struct joining {
    const sac_picture_set *set;
    sac_pictures *pictures; /* of this set alone */
    sac_picture_folder folder;
    bool *broken;           /* [files] */
    sac_text_table missing; /* names that were reported already */
    sac_error *error;
} joining;

static sac_status no_memory(const joining *j)
{
    return sac_no_memory(j->error, j->set->folder);
}

static sac_status record_skipped(const joining *j, sac_pictures_skip kind, const char *name)
{
    return sac_pictures_skip_add(&j->pictures->sets[0].skipped[kind], name) ? SAC_OK : no_memory(j);
}

static int find_file_of_row(joining *j, const sac_caption_row *row)
{
    return row->is_id ? sac_picture_folder_find_id(&j->folder, row->name)
                      : sac_picture_folder_find(&j->folder, row->name);
}

/* Finds the file that a row names and gives its item a path. Returns SAC_NO_FILE if there is none or
 * if it is no picture; each of these is reported once. */
static sac_status find_file_and_set_path(joining *j, const sac_caption_row *row, int *file)
{
    char several[4096];
    const char *name = row->name;
    *file = find_file_of_row(j, row);
    if (*file == SAC_SEVERAL_FILES) {
        snprintf(several, sizeof several, "%s (several files)", name);
        name = several;
    }
    if (*file < 0) {
        *file = SAC_NO_FILE;
        int known = j->missing.count, number = sac_text_table_add(&j->missing, name, strlen(name));
        return number < 0        ? no_memory(j)
               : number == known ? record_skipped(j, SAC_SKIP_MISSING, name)
                                 : SAC_OK;
    }
    const char *within = j->folder.files.texts[*file];
    sac_captioned_picture *item = &j->pictures->items[*file];
    if (!item->path && !j->broken[*file]) {
        item->path = sac_path_join(j->set->folder, within);
        if (!item->path)
            return no_memory(j);
        item->name = sac_path_name(item->path);
        j->broken[*file] = sac_file_kind_of(item->path) != SAC_FILE_PICTURE;
        if (j->broken[*file] && record_skipped(j, SAC_SKIP_BROKEN, within) != SAC_OK)
            return SAC_E_MEMORY;
    }
    if (j->broken[*file])
        *file = SAC_NO_FILE;
    return SAC_OK;
}

static sac_status add_caption(joining *j, sac_captioned_picture *item, const char *text)
{
    sac_picture_caption caption = {.text = strdup(text), .plain = sac_caption_plain(text)};
    sac_picture_caption *more =
        realloc(item->captions, ((size_t)item->caption_count + 1) * sizeof *more);
    bool whole = caption.text && caption.plain && more, empty = whole && !caption.plain[0];
    item->captions = more ? more : item->captions;
    if (!whole || empty) {
        free(caption.text);
        free(caption.plain);
        return empty ? record_skipped(j, SAC_SKIP_EMPTY, item->name) : no_memory(j);
    }
    item->captions[item->caption_count++] = caption;
    return SAC_OK;
}

/* Reports the rows of the file of captions that were not read, and its note, of `path`. */
static sac_status report_unread_rows(joining *j, const char *path, sac_caption_rows *rows)
{
    sac_pictures_of_set *of = &j->pictures->sets[0];
    sac_pictures_skipped *all = &of->skipped[SAC_SKIP_ROW];
    for (int i = 0; i < SAC_SKIP_NAMES && rows->bad.names[i]; i++)
        if (record_skipped(j, SAC_SKIP_ROW, rows->bad.names[i]) != SAC_OK)
            return SAC_E_MEMORY;
    if (rows->bad.count > SAC_SKIP_NAMES)
        all->count += rows->bad.count - SAC_SKIP_NAMES;
    if (!rows->note || of->note)
        return SAC_OK;
    size_t size = strlen(path) + strlen(rows->note) + 3;
    if (!(of->note = malloc(size)))
        return no_memory(j);
    snprintf(of->note, size, "%s: %s", path, rows->note);
    return SAC_OK;
}

static sac_status join_captions(joining *j, const sac_caption_rows *rows)
{
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < rows->count; i++) {
        const sac_caption_row *row = &rows->rows[i];
        int file = SAC_NO_FILE;
        status = i % 1024 ? SAC_OK : sac_cancel_check("captions", j->error);
        if (row->caption && status == SAC_OK)
            status = find_file_and_set_path(j, row, &file);
        if (status != SAC_OK || file < 0)
            continue;
        sac_captioned_picture *item = &j->pictures->items[file];
        if (row->split >= 0)
            item->split = (sac_pictures_split)row->split;
        status = add_caption(j, item, row->caption);
    }
    return status;
}

/* The ids of pictures, for files that call them so. */
static sac_status set_picture_ids(joining *j, const sac_caption_rows *rows)
{
    for (int i = 0; i < rows->ids.count; i++) {
        int file = sac_picture_folder_find(&j->folder, rows->names[i]);
        if (file >= 0 && !j->pictures->items[file].id &&
            !(j->pictures->items[file].id = strdup(rows->ids.texts[i])))
            return no_memory(j);
    }
    return SAC_OK;
}

static sac_status read_captions(joining *j, const char *path)
{
    sac_caption_rows rows;
    bool has_captions = false;
    sac_status status = sac_caption_rows_load(path, false, &rows, j->error);
    for (size_t i = 0; i < rows.count && !has_captions; i++)
        has_captions = rows.rows[i].caption != NULL;
    if (status == SAC_OK && !has_captions)
        status = sac_fail(j->error, SAC_E_FORMAT, path, "give the file that has the captions",
                          rows.count ? "names pictures and has no captions" : "has no captions");
    if (status == SAC_OK)
        status = join_captions(j, &rows);
    if (status == SAC_OK)
        status = set_picture_ids(j, &rows);
    if (status == SAC_OK)
        status = report_unread_rows(j, path, &rows);
    sac_caption_rows_free(&rows);
    return status;
}

char *sac_captions_find(const char *folder)
{
    static const char *const names[] = {"captions.csv",   "captions.tsv",  "captions.json",
                                        "captions.jsonl", "captions.txt",  "captions.token",
                                        "metadata.csv",   "metadata.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = sac_path_join(folder, names[i]);
        if (path && access(path, R_OK) == 0 && !sac_is_folder(path))
            return path;
        free(path);
    }
    return NULL;
}

/* Reads NAME.txt beside each picture. One that cannot be read is reported as a bad row is. */
static sac_status read_caption_files(joining *j)
{
    sac_caption_rows rows = {0};
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < j->folder.files.count; i++) {
        const char *name = j->folder.files.texts[i], *dot = strrchr(name, '.');
        char beside[4096];
        if (!sac_is_picture_name(name, strlen(name)))
            continue;
        snprintf(beside, sizeof beside, "%.*s.txt", (int)(dot - name), name);
        if (sac_text_table_find(&j->folder.files, beside, strlen(beside)) < 0)
            continue;
        char *path = sac_path_join(j->set->folder, beside);
        status = path ? sac_caption_rows_add_lines(path, name, &rows, j->error) : no_memory(j);
        if (status == SAC_E_FILE || status == SAC_E_FORMAT)
            status = record_skipped(j, SAC_SKIP_ROW, beside);
        free(path);
    }
    if (status == SAC_OK)
        status = join_captions(j, &rows);
    if (status == SAC_OK)
        status = report_unread_rows(j, j->set->folder, &rows);
    sac_caption_rows_free(&rows);
    return status;
}

/* The pictures that `path` names are of the split; captions in it are those of pictures that have
 * none yet, as COCO's are in a file for each split. */
static sac_status read_split(joining *j, const char *path, sac_pictures_split split)
{
    sac_caption_rows rows;
    size_t found = 0;
    sac_status status = sac_caption_rows_load(path, true, &rows, j->error);
    for (size_t i = 0; status == SAC_OK && i < rows.count; i++) {
        int file = find_file_of_row(j, &rows.rows[i]);
        rows.rows[i].split = (int)split;
        if (file < 0 || !j->pictures->items[file].caption_count)
            continue;
        j->pictures->items[file].split = split;
        free(rows.rows[i].caption);
        rows.rows[i].caption = NULL;
    }
    if (status == SAC_OK)
        status = join_captions(j, &rows);
    if (status == SAC_OK)
        status = set_picture_ids(j, &rows);
    for (size_t i = 0; status == SAC_OK && i < rows.count; i++) {
        int file = find_file_of_row(j, &rows.rows[i]);
        bool has = file >= 0 && (j->broken[file] || j->pictures->items[file].caption_count > 0);
        found += has;
        if (!rows.rows[i].caption && !has)
            status = record_skipped(j, SAC_SKIP_SPLIT, rows.rows[i].name);
    }
    if (status == SAC_OK && !found)
        status = sac_fail(j->error, SAC_E_ARGUMENT, path,
                          "give a file that names pictures as the captions do",
                          "names no picture that has captions");
    if (status == SAC_OK)
        status = report_unread_rows(j, path, &rows);
    sac_caption_rows_free(&rows);
    return status;
}

static void free_item(sac_captioned_picture *item)
{
    for (int k = 0; k < item->caption_count; k++) {
        free(item->captions[k].text);
        free(item->captions[k].plain);
        free(item->captions[k].words);
    }
    free(item->captions);
    free(item->path);
    free(item->id);
}

/* Notes the captions that their picture has already. */
static sac_status note_repeated_captions(joining *j, const sac_captioned_picture *item)
{
    sac_status status = SAC_OK;
    const size_t count = (size_t)item->caption_count;
    char **texts = malloc(count * sizeof *texts);
    if (!texts)
        return no_memory(j);
    for (size_t k = 0; k < count; k++)
        texts[k] = item->captions[k].plain;
    qsort(texts, count, sizeof *texts, sac_compare_texts);
    for (size_t k = 1; k < count && status == SAC_OK; k++)
        if (strcmp(texts[k - 1], texts[k]) == 0 &&
            !sac_pictures_skip_add(&j->pictures->sets[0].twice, item->name))
            status = no_memory(j);
    free(texts);
    return status;
}

/* Leaves the items that have captions. */
static sac_status remove_captionless(joining *j)
{
    sac_pictures *p = j->pictures;
    const sac_pictures_skipped *missing = &p->sets[0].skipped[SAC_SKIP_MISSING];
    sac_status status = SAC_OK;
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        sac_captioned_picture item = p->items[i];
        const char *name = j->folder.files.texts[i];
        p->items[i] = (sac_captioned_picture){0};
        if (item.caption_count) {
            status = status == SAC_OK ? note_repeated_captions(j, &item) : status;
            p->items[kept++] = item;
            continue;
        }
        free_item(&item);
        if (status == SAC_OK && !j->broken[i] && sac_is_picture_name(name, strlen(name)))
            status = record_skipped(j, SAC_SKIP_CAPTIONLESS, name);
    }
    p->count = kept;
    if (status == SAC_OK && !kept)
        status = sac_fail(j->error, SAC_E_ARGUMENT, j->set->folder,
                          "give the folder of the pictures that the captions name",
                          missing->count ? "has none of the pictures that captions name, such as %s"
                                         : "has no picture with a caption%s",
                          missing->count ? missing->names[0] : "");
    return status;
}

/* Names that were found in other letters, beside what the file of captions has to be noted of. */
static sac_status add_case_note(joining *j)
{
    char **note = &j->pictures->sets[0].note, text[320], *both;
    if (!sac_picture_folder_case_note(&j->folder, text, sizeof text))
        return SAC_OK;
    if (asprintf(&both, "%s%s%s", *note ? *note : "", *note ? "; " : "", text) < 0)
        return no_memory(j);
    free(*note);
    *note = both;
    return SAC_OK;
}

static sac_status read_set_of_pictures(joining *j)
{
    const sac_picture_set *o = j->set;
    sac_pictures *p = j->pictures;
    sac_status status = sac_picture_folder_open(o->folder, &j->folder, j->error);
    size_t files = (size_t)j->folder.files.count;
    if (status != SAC_OK)
        return status;
    p->items = calloc(files + 1, sizeof *p->items);
    j->broken = calloc(files + 1, sizeof *j->broken);
    if (!p->items || !j->broken)
        return no_memory(j);
    p->count = files;
    char *found = o->captions ? NULL : sac_captions_find(o->folder);
    const char *captions = o->captions ? o->captions : found;
    status = captions ? read_captions(j, captions) : read_caption_files(j);
    free(found);
    if (status == SAC_OK && o->val)
        status = read_split(j, o->val, SAC_SPLIT_VAL);
    if (status == SAC_OK && o->test)
        status = read_split(j, o->test, SAC_SPLIT_TEST);
    if (status == SAC_OK)
        status = add_case_note(j);
    return status == SAC_OK ? remove_captionless(j) : status;
}

/* ---------------------------------------------------------------- splits and words */

static uint64_t hash_of(const sac_captioned_picture *item)
{
    uint64_t hash = sac_hash(SAC_HASH_START, item->name, strlen(item->name));
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u; /* all of it decides the highest bits */
}

/* Where nothing is `val`, a share of the training pictures is, at least one of several: those of
 * the lowest hashes, so that a few pictures more hardly change which. */
static sac_status hold_out(sac_pictures *p, double share, sac_error *error)
{
    size_t training = 0, held = 0;
    uint64_t *hashes = malloc((p->count + 1) * sizeof *hashes);
    if (!hashes)
        return sac_no_memory(error, "pictures");
    for (size_t i = 0; i < p->count; i++) {
        held += p->items[i].split == SAC_SPLIT_VAL;
        if (p->items[i].split == SAC_SPLIT_TRAIN)
            hashes[training++] = hash_of(&p->items[i]);
    }
    qsort(hashes, training, sizeof *hashes, sac_compare_hashes);
    size_t wanted = (size_t)(share * (double)training + 0.5);
    wanted = wanted ? wanted : 1;
    p->sets[0].drawn = !held;
    for (size_t i = 0; i < p->count && !held && wanted < training; i++)
        if (p->items[i].split == SAC_SPLIT_TRAIN && hash_of(&p->items[i]) <= hashes[wanted - 1])
            p->items[i].split = SAC_SPLIT_VAL;
    free(hashes);
    return SAC_OK;
}

/* The training picture of the set with the lowest hash, unless it is the only one, is `val`. */
static void hold_out_one_more(sac_pictures *p, int set)
{
    sac_captioned_picture *next = NULL;
    size_t training = 0;
    for (size_t i = 0; i < p->count; i++) {
        sac_captioned_picture *item = &p->items[i];
        if (item->set != set || item->split != SAC_SPLIT_TRAIN)
            continue;
        training++;
        if (!next || hash_of(item) < hash_of(next))
            next = item;
    }
    if (training < 2)
        return;
    next->split = SAC_SPLIT_VAL;
    p->of_split[SAC_SPLIT_TRAIN]--;
    p->of_split[SAC_SPLIT_VAL]++;
}

static sac_status generalize_people(sac_pictures *p, sac_error *error)
{
    for (size_t i = 0; i < p->count; i++) {
        sac_captioned_picture *item = &p->items[i];
        bool changed = false;
        sac_status status = item->split == SAC_SPLIT_TRAIN
                                ? sac_captions_generalize_people(
                                      item->captions, item->caption_count, &changed, error)
                                : SAC_OK;
        if (status != SAC_OK)
            return status;
        p->generalized += changed;
    }
    return SAC_OK;
}

/* The words of training captions. */
static bool count_words(const sac_pictures *p, sac_text_counts *all)
{
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; p->items[i].split == SAC_SPLIT_TRAIN && k < p->items[i].caption_count;
             k++) {
            size_t size;
            const char *word = p->items[i].captions[k].plain;
            for (; (word = sac_caption_next_word(word, &size)); word += size)
                if (!sac_text_counts_add(all, word, size))
                    return false;
        }
    return true;
}

/* Of much text words that are seldom in it are no loss, and are badly learnt; of little text they are
 * most of it. */
static size_t least_word_count(const sac_text_counts *all)
{
    enum { LEAST = 5, KNOWN = 20 }; /* a twentieth of the words may be unknown */
    size_t least = LEAST, whole = 0, unknown;
    for (int i = 0; i < all->table.count; i++)
        whole += all->counts[i];
    for (;; least--) {
        unknown = 0;
        for (int i = 0; i < all->table.count; i++)
            unknown += all->counts[i] < least ? all->counts[i] : 0;
        if (KNOWN * unknown <= whole)
            return least;
    }
}

static sac_status make_vocabulary(sac_pictures *p, size_t least, sac_error *error)
{
    sac_text_counts all = {0};
    int count = 0, kept = 0;
    sac_counted_text *words = NULL;
    const char **texts = NULL;
    if (count_words(p, &all)) {
        least = least ? least : least_word_count(&all);
        words = sac_text_counts_frequent(&all, least, &count);
        texts = calloc((size_t)count + 1, sizeof *texts);
    }
    p->least = (int)least;
    for (int i = 0; words && texts && i < count; i++)
        if (strlen(words[i].text) < SAC_VOCABULARY_BYTES)
            texts[kept++] = words[i].text;
    sac_status status = words && texts
                            ? sac_caption_vocabulary_create(texts, kept, &p->vocabulary, error)
                            : sac_no_memory(error, "the vocabulary");
    free(texts);
    free(words);
    sac_text_counts_free(&all);
    return status;
}

/* The words of a caption as numbers, and those that have none into `strange`. */
static sac_status number_caption(sac_pictures *p, sac_picture_caption *c, sac_text_counts *strange,
                                 sac_error *error)
{
    int numbers[SAC_PICTURES_WORDS];
    size_t size;
    const char *word = c->plain;
    for (; (word = sac_caption_next_word(word, &size)) && c->count < p->longest; word += size) {
        const int number = sac_caption_vocabulary_find(&p->vocabulary, word, size);
        numbers[c->count++] = number;
        if (number == SAC_VOCABULARY_UNKNOWN && !sac_text_counts_add(strange, word, size))
            return sac_no_memory(error, "captions");
        p->unknown += number == SAC_VOCABULARY_UNKNOWN;
    }
    p->words += (size_t)c->count;
    p->cut += word != NULL;
    c->words = malloc(((size_t)c->count + 1) * sizeof *c->words);
    if (!c->words)
        return sac_no_memory(error, "captions");
    memcpy(c->words, numbers, (size_t)c->count * sizeof *numbers);
    return SAC_OK;
}

static sac_status number_words(sac_pictures *p, int longest, sac_error *error)
{
    sac_text_counts strange = {0};
    sac_status status = SAC_OK;
    p->longest = longest;
    for (size_t i = 0; i < p->count && status == SAC_OK; i++) {
        sac_captioned_picture *item = &p->items[i];
        p->of_split[item->split]++;
        p->captions += (size_t)item->caption_count;
        for (int k = 0; k < item->caption_count && status == SAC_OK; k++)
            status = number_caption(p, &item->captions[k], &strange, error);
    }
    int count = 0;
    sac_counted_text *words =
        status == SAC_OK ? sac_text_counts_frequent(&strange, 1, &count) : NULL;
    if (status == SAC_OK && !words)
        status = sac_no_memory(error, "captions");
    for (int i = 0; i < SAC_SKIP_NAMES && i < count && status == SAC_OK; i++)
        if (!(p->strange[i] = strdup(words[i].text)))
            status = sac_no_memory(error, "captions");
    free(words);
    sac_text_counts_free(&strange);
    return status;
}

double sac_pictures_unknown_share(const sac_pictures *p)
{
    return p->words ? (double)p->unknown / (double)p->words : 0;
}

/* ---------------------------------------------------------------- all of it */

static sac_status open_set(const sac_picture_set *set, double held_out, sac_pictures *p,
                           sac_error *error)
{
    joining j = {.set = set, .pictures = p, .error = error};
    *p = (sac_pictures){.set_count = 1};
    p->sets[0].folder = strdup(set->folder);
    sac_status status =
        p->sets[0].folder ? read_set_of_pictures(&j) : sac_no_memory(error, "pictures");
    sac_picture_folder_free(&j.folder);
    sac_text_table_free(&j.missing);
    free(j.broken);
    return status == SAC_OK ? hold_out(p, held_out, error) : status;
}

/* Moves the pictures of `part`, which is empty then, behind those of `p`. */
static sac_status append(sac_pictures *p, sac_pictures *part, sac_error *error)
{
    sac_captioned_picture *items = realloc(p->items, (p->count + part->count + 1) * sizeof *items);
    if (!items)
        return sac_no_memory(error, "pictures");
    for (size_t i = 0; i < part->count; i++) {
        items[p->count + i] = part->items[i];
        items[p->count + i].set = p->set_count;
    }
    p->items = items;
    p->count += part->count;
    p->sets[p->set_count++] = part->sets[0];
    free(part->items);
    *part = (sac_pictures){0};
    return SAC_OK;
}

sac_status sac_pictures_open(const sac_pictures_options *o, sac_pictures *p, sac_error *error)
{
    const sac_caption_vocabulary *given = o->vocabulary;
    int longest = o->longest ? o->longest : 20;
    *p = (sac_pictures){0};
    sac_status status = longest < 1 || longest > SAC_PICTURES_WORDS
                            ? sac_fail(error, SAC_E_ARGUMENT, "captions", "give 1 to 40 words",
                                       "cannot be cut at %d words", longest)
                            : SAC_OK;
    for (int i = 0; i < SAC_PICTURE_SETS && o->sets[i].folder && status == SAC_OK; i++) {
        sac_pictures part;
        status = open_set(&o->sets[i], o->held_out > 0 ? (double)o->held_out : 0.1, &part, error);
        if (status == SAC_OK)
            status = append(p, &part, error);
        sac_pictures_free(&part);
    }
    if (status == SAC_OK && o->general_people)
        status = generalize_people(p, error);
    if (status == SAC_OK)
        status = given ? sac_caption_vocabulary_create(
                             (const char *const *)given->texts + SAC_VOCABULARY_MARKS,
                             given->count - SAC_VOCABULARY_MARKS, &p->vocabulary, error)
                       : make_vocabulary(p, (size_t)(o->least > 0 ? o->least : 0), error);
    if (status == SAC_OK)
        status = number_words(p, longest, error);
    for (size_t i = 0; status == SAC_OK && i < p->count; i++)
        sac_bytes_announce_read(p->items[i].path);
    if (status != SAC_OK)
        sac_pictures_free(p);
    return status;
}

void sac_pictures_free(sac_pictures *p)
{
    for (size_t i = 0; i < p->count; i++)
        free_item(&p->items[i]);
    free(p->items);
    for (int s = 0; s < p->set_count; s++) {
        free(p->sets[s].folder);
        free(p->sets[s].note);
        for (int i = 0; i < SAC_SKIPS; i++)
            sac_pictures_skip_free(&p->sets[s].skipped[i]);
        sac_pictures_skip_free(&p->sets[s].twice);
    }
    for (int i = 0; i < SAC_SKIP_NAMES; i++)
        free(p->strange[i]);
    sac_caption_vocabulary_free(&p->vocabulary);
    *p = (sac_pictures){0};
}

void sac_pictures_remove(sac_pictures *p, size_t index)
{
    sac_captioned_picture *item = &p->items[index];
    p->of_split[item->split]--;
    p->captions -= (size_t)item->caption_count;
    free_item(item);
    p->count--;
    memmove(item, item + 1, (p->count - index) * sizeof *item);
}

void sac_pictures_drop_broken(sac_pictures *p, size_t index)
{
    const int set = p->items[index].set;
    const bool held_out = p->items[index].split == SAC_SPLIT_VAL;
    sac_pictures_skipped *broken = &p->sets[set].skipped[SAC_SKIP_BROKEN];
    if (!sac_pictures_skip_add(broken, p->items[index].name))
        broken->count++; /* without memory for its name it counts all the same */
    sac_pictures_remove(p, index);
    if (held_out && p->sets[set].drawn)
        hold_out_one_more(p, set);
}

/* Of the set, of a negative one all. */
static size_t report_counts(const sac_pictures *p, int set, char *text, size_t size)
{
    size_t of_split[SAC_SPLITS] = {0}, count = 0, captions = 0;
    for (size_t i = 0; i < p->count; i++)
        if (set < 0 || p->items[i].set == set) {
            of_split[p->items[i].split]++;
            count++;
            captions += (size_t)p->items[i].caption_count;
        }
    return (size_t)snprintf(
        text, size, "%s%s%zu pictures (%zu train, %zu val, %zu test), %zu captions",
        set < 0 ? "" : p->sets[set].folder, set < 0 ? "" : ": ", count, of_split[SAC_SPLIT_TRAIN],
        of_split[SAC_SPLIT_VAL], of_split[SAC_SPLIT_TEST], captions);
}

/* "; 21.3 % of the captions' words are unknown, most often frisbee, kite, puppy" */
static void report_words(const sac_pictures *p, char *text, size_t size)
{
    size_t used =
        (size_t)snprintf(text, size, ", %d words", p->vocabulary.count - SAC_VOCABULARY_MARKS);
    if (p->least > 1 && used < size)
        used +=
            (size_t)snprintf(text + used, size - used, " that occur %d times or more", p->least);
    if (p->unknown && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 "; %.1f %% of the captions' words are unknown, most often",
                                 100 * sac_pictures_unknown_share(p));
    for (int i = 0; i < SAC_SKIP_NAMES && p->strange[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %.40s", i ? "," : "", p->strange[i]);
    if (p->cut && used < size)
        used += (size_t)snprintf(text + used, size - used, "; %zu captions are cut at %d words",
                                 p->cut, p->longest);
    if (p->generalized && used < size)
        snprintf(
            text + used, size - used,
            "; people have a more general word in the captions of %zu pictures, which disagree "
            "about their sex or age",
            p->generalized);
}

/* "TEXT: a.jpg, b.jpg, c.jpg, …" */
static void report_names(const sac_pictures_skipped *s, const char *what, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%zu %s", s->count, what);
    for (int i = 0; i < SAC_SKIP_NAMES && s->names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %.60s", i ? "," : ":", s->names[i]);
    if (s->count > SAC_SKIP_NAMES && used < size)
        snprintf(text + used, size - used, ", …");
}

bool sac_pictures_report_line(const sac_pictures *p, int index, char *text, size_t size)
{
    static const char *const kinds[SAC_SKIPS] = {
        [SAC_SKIP_MISSING] = "pictures that captions name and the folder does not have",
        [SAC_SKIP_CAPTIONLESS] = "pictures without a caption",
        [SAC_SKIP_BROKEN] = "files that cannot be read as pictures",
        [SAC_SKIP_EMPTY] = "captions without a word, of",
        [SAC_SKIP_ROW] = "rows without a picture or a caption",
        [SAC_SKIP_SPLIT] = "names of held-out pictures without captions",
    };
    bool several = p->set_count > 1;
    if (index-- == 0) {
        size_t used = report_counts(p, -1, text, size);
        if (used < size)
            report_words(p, text + used, size - used);
        return true;
    }
    for (int set = 0; set < p->set_count; set++) {
        const sac_pictures_of_set *of = &p->sets[set];
        if (several && index-- == 0) {
            (void)report_counts(p, set, text, size);
            return true;
        }
        const char *folder = several ? of->folder : "", *colon = several ? ": " : "";
        for (int kind = 0; kind <= SAC_SKIPS; kind++) {
            const bool twice = kind == SAC_SKIPS;
            const sac_pictures_skipped *s = twice ? &of->twice : &of->skipped[kind];
            if (!s->count || index-- > 0)
                continue;
            size_t used =
                (size_t)snprintf(text, size, "%s%s%s", folder, colon, twice ? "" : "left out: ");
            if (used < size)
                report_names(s,
                             twice ? "captions stand twice for their picture, and count twice"
                                   : kinds[kind],
                             text + used, size - used);
            return true;
        }
        if (of->note && index-- == 0) {
            snprintf(text, size, "%s", of->note);
            return true;
        }
    }
    return false;
}
