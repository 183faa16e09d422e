#include "pictures/instances.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/error.h"
#include "pictures/picture_folder.h"
#include "pictures/rows.h"

/* ---------------------------------------------------------------- reading */

/* A box of the file, before pictures and categories are known. */
typedef struct found_box {
    int picture, category; /* numbers of their ids */
    double at[4];          /* x, y, width, height in pixels */
} found_box;

typedef struct reader {
    sac_instances *made;
    sac_text_table picture_ids, category_ids;
    struct {
        char *name;
        double width, height;
    } * pictures;      /* [picture_capacity], by the id's number; names owned */
    char **categories; /* [category_capacity], owned */
    int picture_capacity, category_capacity;
    found_box *boxes;
    size_t count, capacity;
} reader;

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

/* The number of an id, with a list as large as `table` made to hold one more; −1: no memory. */
static int number_id(sac_text_table *table, const char *id, void **list, int *capacity,
                     size_t element)
{
    int number = sac_text_table_add(table, id, strlen(id));
    if (number < 0 || number < *capacity)
        return number;
    char *more = realloc(*list, (size_t)table->capacity * element);
    if (!more)
        return -1;
    memset(more + (size_t)*capacity * element, 0, (size_t)(table->capacity - *capacity) * element);
    *list = more;
    *capacity = table->capacity;
    return number;
}

static int picture_index_of_id(reader *r, const char *id)
{
    void *list = r->pictures;
    int number = number_id(&r->picture_ids, id, &list, &r->picture_capacity, sizeof *r->pictures);
    r->pictures = list;
    return number;
}

static int category_index_of_id(reader *r, const char *id)
{
    void *list = r->categories;
    int number =
        number_id(&r->category_ids, id, &list, &r->category_capacity, sizeof *r->categories);
    r->categories = list;
    return number;
}

static bool read_picture_entry(reader *r, const cJSON *object)
{
    char text[32];
    const char *id = sac_json_id(object, "id", text);
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "file_name"));
    int number = id && name ? picture_index_of_id(r, id) : 0;
    if (!id || !name || number < 0 || r->pictures[number].name)
        return number >= 0;
    r->pictures[number].width = number_of(object, "width");
    r->pictures[number].height = number_of(object, "height");
    return (r->pictures[number].name = strdup(sac_path_name(name))) != NULL;
}

static bool read_category_entry(reader *r, const cJSON *object)
{
    char text[32];
    const char *id = sac_json_id(object, "id", text);
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "name"));
    int number = id && name ? category_index_of_id(r, id) : 0;
    if (!id || !name || number < 0 || r->categories[number])
        return number >= 0;
    return (r->categories[number] = strdup(name)) != NULL;
}

static bool read_box_entry(reader *r, const cJSON *object)
{
    char text[32];
    found_box found = {0};
    const cJSON *box = cJSON_GetObjectItemCaseSensitive(object, "bbox");
    const char *picture = sac_json_id(object, "image_id", text);
    found.picture = picture ? picture_index_of_id(r, picture) : 0;
    const char *category = sac_json_id(object, "category_id", text);
    found.category = category ? category_index_of_id(r, category) : 0;
    if (found.picture < 0 || found.category < 0)
        return false;
    bool whole = picture && category && cJSON_IsArray(box) && cJSON_GetArraySize(box) == 4;
    for (int k = 0; k < 4 && whole; k++) {
        const cJSON *number = cJSON_GetArrayItem(box, k);
        whole = cJSON_IsNumber(number) && isfinite(number->valuedouble);
        found.at[k] = whole ? number->valuedouble : 0;
    }
    r->made->left_out += !whole;
    if (!whole)
        return true;
    if (r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 256;
        found_box *more = realloc(r->boxes, capacity * sizeof *more);
        if (!more)
            return false;
        r->boxes = more;
        r->capacity = capacity;
    }
    r->boxes[r->count++] = found;
    return true;
}

static sac_status read_annotation_part(void *user, const char *key, const cJSON *part,
                                       sac_error *error)
{
    reader *r = user;
    bool done = true;
    if (cJSON_IsObject(part) && strcmp(key, "images") == 0)
        done = read_picture_entry(r, part);
    else if (cJSON_IsObject(part) && strcmp(key, "categories") == 0)
        done = read_category_entry(r, part);
    else if (cJSON_IsObject(part) && strcmp(key, "annotations") == 0)
        done = read_box_entry(r, part);
    return done ? SAC_OK : sac_no_memory(error, NULL);
}

/* ---------------------------------------------------------------- joining */

/* The box in shares of its picture; false where it does not lie in it. A pixel beyond the edge is
 * rounding. */
static bool box_to_shares(const double at[4], double width, double height, float box[4])
{
    const double size[2] = {width, height};
    for (int axis = 0; axis < 2; axis++) {
        double low = at[axis], high = low + at[axis + 2];
        if (!(size[axis] >= 1 && low >= -1 && high > low && high <= size[axis] + 1))
            return false;
        box[axis] = (float)fmax(0, low / size[axis]);
        box[axis + 2] = (float)fmin(1, high / size[axis]);
    }
    return true;
}

static bool add_instance(sac_instances *made, int picture, sac_instance instance)
{
    sac_instances_of_picture *of = &made->pictures[picture];
    sac_instance *more = realloc(of->list, ((size_t)of->count + 1) * sizeof *more);
    if (!more)
        return false;
    of->list = more;
    of->list[of->count++] = instance;
    return true;
}

static bool join_boxes_to_pictures(reader *r)
{
    sac_instances *made = r->made;
    made->pictures = calloc((size_t)r->picture_ids.count + 1, sizeof *made->pictures);
    bool done = made->pictures != NULL;
    for (size_t i = 0; done && i < r->count; i++) {
        const found_box *found = &r->boxes[i];
        const char *name = r->pictures[found->picture].name;
        const char *category = r->categories[found->category];
        double width = r->pictures[found->picture].width;
        double height = r->pictures[found->picture].height;
        sac_instance instance;
        if (!name || !category || !box_to_shares(found->at, width, height, instance.box)) {
            made->left_out++;
            continue;
        }
        int picture = sac_text_table_add(&made->names, name, strlen(name));
        instance.category = sac_text_table_add(&made->categories, category, strlen(category));
        done = picture >= 0 && instance.category >= 0 && add_instance(made, picture, instance);
        if (done) {
            made->pictures[picture].width = (int)width;
            made->pictures[picture].height = (int)height;
        }
    }
    return done;
}

sac_status sac_instances_open(const char *path, sac_instances *instances, sac_error *error)
{
    reader r = {.made = instances};
    sac_bytes bytes;
    *instances = (sac_instances){0};
    sac_status status = sac_bytes_map(path, &bytes, error);
    if (status != SAC_OK)
        return status;
    status = sac_json_each((const char *)bytes.data, bytes.size, read_annotation_part, &r, error);
    sac_bytes_free(&bytes);
    if (status == SAC_OK && !join_boxes_to_pictures(&r))
        status = sac_no_memory(error, NULL);
    if (status == SAC_OK && !instances->names.count)
        status =
            sac_fail(error, SAC_E_FORMAT, NULL, "give the instances of COCO, or JSON in their form",
                     "has no boxes that lie in pictures");
    for (int i = 0; i < r.picture_capacity; i++)
        free(r.pictures[i].name);
    for (int i = 0; i < r.category_capacity; i++)
        free(r.categories[i]);
    free(r.pictures);
    free(r.categories);
    free(r.boxes);
    sac_text_table_free(&r.picture_ids);
    sac_text_table_free(&r.category_ids);
    return sac_error_within(error, status, path);
}

void sac_instances_free(sac_instances *instances)
{
    for (int i = 0; i < instances->names.count; i++)
        free(instances->pictures[i].list);
    free(instances->pictures);
    sac_text_table_free(&instances->names);
    sac_text_table_free(&instances->categories);
    *instances = (sac_instances){0};
}

/* ---------------------------------------------------------------- asking */

const sac_instances_of_picture *sac_instances_find(const sac_instances *instances, const char *name)
{
    int picture = sac_text_table_find(&instances->names, name, strlen(name));
    return picture >= 0 ? &instances->pictures[picture] : NULL;
}

/* Other words for COCO's categories, and those that distinguish two senses of one word; plurals in -s
 * are understood. What may be a thing of another kind too (a bowler, a group) is left out. */
static const struct {
    const char *category, *words; /* with a blank between them */
} other_words[] = {
    {"person", "man men woman women people adult teen teenager youth male female fellow "
               "individual gentleman gentlemen lady ladies guy boy girl child children kid kiddie "
               "toddler infant newborn baby babies"},
    {"person", "mother mom father dad parent brother sister son daughter husband wife friend owner "
               "bride groom bridesmaid groomsman groomsmen"},
    {"person", "player athlete teammate opponent competitor footballer goalie goalkeeper "
               "quarterback pitcher catcher batter batsman baseman umpire referee golfer boxer "
               "wrestler fencer gymnast acrobat cheerleader"},
    {"person", "cyclist bicyclist bicycler biker motorcyclist rider jockey racer runner jogger "
               "sprinter hurdler jumper climber hiker backpacker skier skiier snowboarder boarder "
               "sledder skateboarder skater rollerblader surfer windsurfer wakeboarder waterskier "
               "swimmer diver kayaker canoeist rower"},
    {"person", "dancer singer musician guitarist drummer performer artist clown photographer "
               "cameraman student teacher instructor soldier policeman policemen officer fireman "
               "firemen firefighter fisherman fishermen farmer worker waiter waitress vendor chef "
               "cowboy cowgirl driver passenger pedestrian spectator onlooker"},
    {"bicycle", "bike"},
    {"motorcycle", "motorbike moped"},
    {"car", "taxi cab jeep suv"},
    {"airplane", "plane jet aircraft airliner"},
    {"truck", "pickup firetruck"},
    {"boat", "sailboat rowboat canoe kayak ferry raft ship yacht"},
    {"fire hydrant", "hydrant"},
    {"bird", "seagull gull pigeon duck goose geese swan pelican parrot"},
    {"dog", "puppy puppies poodle beagle retriever labrador terrier greyhound collie dalmatian "
            "pitbull husky dachshund doberman hound"},
    {"cat", "kitten kitty kitties"},
    {"cow", "cattle calf calves bull"},
    {"sheep", "lamb"},
    {"horse", "pony ponies foal"},
    {"handbag", "purse"},
    {"suitcase", "luggage"},
    {"tie", "necktie"},
    {"skis", "ski"},
    {"sports ball", "ball"},
    {"tennis racket", "racket racquet"},
    {"baseball bat", "bat"},
    {"baseball glove", "glove mitt"},
    {"wine glass", "wineglass"},
    {"cup", "mug"},
    {"knife", "knives"},
    {"hot dog", "hotdog"},
    {"donut", "doughnut"},
    {"couch", "sofa"},
    {"potted plant", "plant"},
    {"dining table", "table"},
    {"tv", "television"},
    {"cell phone", "phone cellphone"},
    {"oven", "stove"},
    {"refrigerator", "fridge"},
    {"laptop", "computer"},
    {"teddy bear", "teddy"},
};

/* `word` is `name` [size], or its plural. */
static bool is_name_or_plural(const char *word, const char *name, size_t size)
{
    return strncmp(word, name, size) == 0 &&
           (word[size] == '\0' || strcmp(word + size, "s") == 0 || strcmp(word + size, "es") == 0);
}

static bool is_one_of(const char *word, const char *names)
{
    for (size_t size; *names; names += size + (names[size] == ' ')) {
        size = strcspn(names, " ");
        if (is_name_or_plural(word, names, size))
            return true;
    }
    return false;
}

int sac_instances_category(const sac_instances *instances, const char *word)
{
    const sac_text_table *own = &instances->categories;
    int category = sac_text_table_find(own, word, strlen(word));
    for (int i = 0; i < own->count && category < 0; i++)
        if (is_name_or_plural(word, own->texts[i], strlen(own->texts[i])))
            category = i;
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words && category < 0; i++)
        if (is_one_of(word, other_words[i].words))
            category =
                sac_text_table_find(own, other_words[i].category, strlen(other_words[i].category));
    return category;
}
