#include "pretrained/files/places.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "arrays/json.h"
#include "base/error.h"
#include "images/folder.h"
#include "pretrained/files/adapter.h"
#include "pretrained/files/gguf/gguf.h"
#include "pretrained/files/original.h"

/* False: it is too long. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
write_path(char path[SAC_PLACE_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, SAC_PLACE_SIZE, format, arguments);
    va_end(arguments);
    return length > 0 && length < SAC_PLACE_SIZE;
}

static bool is_gguf(const char *path)
{
    uint8_t start[8];
    return sac_gguf_is(start, sac_file_read_start(path, start, sizeof start));
}

static bool has_config(const char *folder)
{
    char path[SAC_PLACE_SIZE];
    return write_path(path, "%s/config.json", folder) && sac_is_regular(path);
}

/* The folder of the first module, as modules.json lists them. */
static bool find_module(const char *folder, char place[SAC_PLACE_SIZE])
{
    char path[SAC_PLACE_SIZE];
    cJSON *modules = NULL;
    sac_bytes bytes;
    bool found = false;
    if (!write_path(path, "%s/modules.json", folder) || !sac_is_regular(path) ||
        sac_bytes_read(path, &bytes, NULL) != SAC_OK)
        return false;
    if (bytes.size <= SAC_JSON_CONFIG_MOST &&
        sac_json_parse((const char *)bytes.data, bytes.size, &modules, NULL) == SAC_OK) {
        const cJSON *at = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(modules, 0), "path");
        bool is_inside = cJSON_IsString(at) && at->valuestring[0] && at->valuestring[0] != '.' &&
                         !strchr(at->valuestring, '/');
        found =
            is_inside && write_path(place, "%s/%s", folder, at->valuestring) && has_config(place);
    }
    cJSON_Delete(modules);
    sac_bytes_free(&bytes);
    return found;
}

/* The file of a GGUF's part that sees, which is no model by itself. */
static bool is_vision_name(const char *name)
{
    return strstr(name, "mmproj") != NULL;
}

/* Those in a folder that see, or the others, and the first of them by name. */
static size_t count_ggufs(const char *folder, bool sees, char first[SAC_PLACE_SIZE])
{
    sac_folder names;
    char path[SAC_PLACE_SIZE];
    size_t count = 0;
    if (sac_folder_list_names(folder, &names, NULL) != SAC_OK)
        return 0;
    for (size_t i = 0; i < names.count; i++) {
        const char *ending = strrchr(names.entries[i].name, '.');
        if (ending && strcasecmp(ending, ".gguf") == 0 &&
            is_vision_name(names.entries[i].name) == sees &&
            write_path(path, "%s/%s", folder, names.entries[i].name) && count++ == 0)
            memcpy(first, path, sizeof path);
    }
    sac_folder_free(&names);
    return count;
}

size_t sac_gguf_count_in(const char *folder, char first[SAC_PLACE_SIZE])
{
    return count_ggufs(folder, false, first);
}

size_t sac_gguf_find_vision(const char *model, char path[SAC_PLACE_SIZE])
{
    char folder[SAC_PLACE_SIZE];
    const char *slash = strrchr(model, '/');
    const int length = slash ? (int)(slash - model) : 1;
    if (is_vision_name(slash ? slash + 1 : model) ||
        !write_path(folder, "%.*s", length, slash ? model : "."))
        return 0;
    return count_ggufs(length ? folder : "/", true, path);
}

/* The only file of its kind in a folder that is none of pictures. */
static bool find_only_gguf(const char *folder, char place[SAC_PLACE_SIZE])
{
    return sac_gguf_count_in(folder, place) == 1 && is_gguf(place) &&
           !sac_folder_has_pictures(folder);
}

/* The snapshot that refs/main names, or else the one that was changed last. */
static bool find_snapshot(const char *folder, char place[SAC_PLACE_SIZE])
{
    char path[SAC_PLACE_SIZE];
    uint8_t commit[65] = {0};
    if (write_path(path, "%s/refs/main", folder) &&
        sac_file_read_start(path, commit, sizeof commit - 1)) {
        commit[strcspn((char *)commit, "\r\n")] = '\0';
        if (commit[0] && commit[0] != '.' && !strchr((char *)commit, '/') &&
            write_path(place, "%s/snapshots/%s", folder, (char *)commit) && sac_is_folder(place))
            return true;
    }
    sac_folder snapshots;
    time_t newest = 0;
    bool found = false;
    if (!write_path(path, "%s/snapshots", folder) ||
        sac_folder_list_names(path, &snapshots, NULL) != SAC_OK)
        return false;
    for (size_t i = 0; i < snapshots.count; i++) {
        struct stat info;
        if (!write_path(path, "%s/snapshots/%s", folder, snapshots.entries[i].name) ||
            stat(path, &info) != 0 || !S_ISDIR(info.st_mode) || (found && info.st_mtime <= newest))
            continue;
        found = true;
        newest = info.st_mtime;
        memcpy(place, path, sizeof path);
    }
    sac_folder_free(&snapshots);
    return found;
}

/* What a path means that is no adapter. */
static bool find_model(const char *path, char place[SAC_PLACE_SIZE])
{
    char snapshot[SAC_PLACE_SIZE];
    if (!write_path(place, "%s", path))
        return false;
    if (!sac_is_folder(path))
        return is_gguf(path) || sac_original_is(path);
    if (has_config(path) || find_module(path, place) || find_only_gguf(path, place))
        return true;
    if (!find_snapshot(path, snapshot))
        return false;
    memcpy(place, snapshot, sizeof snapshot);
    return has_config(snapshot) || find_module(snapshot, place) || find_only_gguf(snapshot, place);
}

static const char hub_start[] = "models--";

char *sac_place_name(const char *place, char name[SAC_PLACE_NAME])
{
    size_t used = 0;
    const char *slash = strrchr(place, '/'), *from = strstr(place, hub_start);
    bool of_hub = from && (from == place || from[-1] == '/');
    from = of_hub ? from + strlen(hub_start) : slash && slash[1] ? slash + 1 : place;
    for (; *from && used + 1 < SAC_PLACE_NAME && !(of_hub && *from == '/'); from++) {
        bool cut = of_hub && from[0] == '-' && from[1] == '-';
        name[used++] = cut ? '/' : *from;
        from += cut;
    }
    name[used] = '\0';
    return name;
}

/* ---------------------------------------------------------------- caches */

/* Each false where its place is unknown. */
static bool hub_folder(char path[SAC_PLACE_SIZE])
{
    const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME"), *hub = getenv("HF_HOME");
    const char *own = getenv("HF_HUB_CACHE");
    return own && own[0]     ? write_path(path, "%s", own)
           : hub && hub[0]   ? write_path(path, "%s/hub", hub)
           : cache && *cache ? write_path(path, "%s/huggingface/hub", cache)
                             : home && write_path(path, "%s/.cache/huggingface/hub", home);
}

static bool ollama_folder(char path[SAC_PLACE_SIZE])
{
    const char *home = getenv("HOME"), *ollama = getenv("OLLAMA_MODELS");
    return ollama && ollama[0] ? write_path(path, "%s", ollama)
                               : home && write_path(path, "%s/.ollama/models", home);
}

static sac_status add(sac_found_models *found, const char *name, const char *path, sac_error *error)
{
    sac_found_model *grown = realloc(found->list, (found->count + 1) * sizeof *grown);
    if (!grown)
        return sac_no_memory(error, path);
    found->list = grown;
    sac_found_model *one = &found->list[found->count];
    *one = (sac_found_model){strdup(name), strdup(path)};
    if (one->name && one->path) {
        found->count++;
        return SAC_OK;
    }
    free(one->name);
    free(one->path);
    return sac_no_memory(error, path);
}

void sac_found_models_free(sac_found_models *found)
{
    for (size_t i = 0; i < found->count; i++) {
        free(found->list[i].name);
        free(found->list[i].path);
    }
    free(found->list);
    *found = (sac_found_models){0};
}

/* The model's file of a manifest: the layer of a type that ends in ".model". */
static bool find_blob(const char *manifest, const char *folder, char path[SAC_PLACE_SIZE])
{
    cJSON *json = NULL;
    const cJSON *layer;
    bool found = false;
    if (sac_json_load_config(manifest, &json, NULL) != SAC_OK)
        return false;
    cJSON_ArrayForEach(layer, cJSON_GetObjectItemCaseSensitive(json, "layers"))
    {
        const char *type =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(layer, "mediaType"));
        const char *digest =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(layer, "digest"));
        const char *ending = type ? strrchr(type, '.') : NULL;
        if (ending && strcmp(ending, ".model") == 0 && digest &&
            strncmp(digest, "sha256:", 7) == 0 && !strchr(digest, '/'))
            found = write_path(path, "%s/blobs/sha256-%s", folder, digest + 7);
    }
    cJSON_Delete(json);
    return found;
}

/* Manifests lie four folders deep: HOST/OWNER/NAME/TAG, of which the last two, and an owner that is not "library", are
 * the name. */
static sac_status find_manifests(const char *folder, const char *below, int depth,
                                 sac_found_models *found, sac_error *error)
{
    sac_folder names;
    char path[SAC_PLACE_SIZE], blob[SAC_PLACE_SIZE], name[256];
    sac_status status = SAC_OK;
    if (!write_path(path, "%s/manifests/%s", folder, below) ||
        sac_folder_list_names(path, &names, NULL) != SAC_OK)
        return SAC_OK;
    for (size_t i = 0; i < names.count && status == SAC_OK; i++) {
        char next[SAC_PLACE_SIZE];
        if (!write_path(next, "%s%s%s", below, below[0] ? "/" : "", names.entries[i].name))
            continue;
        if (depth < 3) {
            status = find_manifests(folder, next, depth + 1, found, error);
            continue;
        }
        const char *owner = strchr(next, '/');
        owner = owner ? owner + 1 : next;
        owner += strncmp(owner, "library/", 8) == 0 ? 8 : 0;
        char *tag = strlen(owner) < sizeof name ? strrchr(strcpy(name, owner), '/') : NULL;
        if (!tag)
            continue;
        *tag = ':';
        if (write_path(path, "%s/manifests/%s", folder, next) && find_blob(path, folder, blob))
            status = add(found, name, blob, error);
    }
    sac_folder_free(&names);
    return status;
}

/* ---------------------------------------------------------------- by name */

/* OWNER/NAME or NAME in the hub's cache, where a slash is two dashes. */
static bool find_in_hub(const char *name, char path[SAC_PLACE_SIZE])
{
    char hub[SAC_PLACE_SIZE];
    const char *slash = strchr(name, '/');
    if (!hub_folder(hub) || strchr(name, ':') || (slash && strchr(slash + 1, '/')))
        return false;
    bool fits = slash ? write_path(path, "%s/%s%.*s--%s", hub, hub_start, (int)(slash - name), name,
                                   slash + 1)
                      : write_path(path, "%s/%s%s", hub, hub_start, name);
    return fits && sac_is_folder(path);
}

/* NAME:TAG or OWNER/NAME:TAG in Ollama's; without a tag it is "latest", and a host's name may go before. */
static bool find_in_ollama(const char *name, char path[SAC_PLACE_SIZE])
{
    char folder[SAC_PLACE_SIZE], whole[300];
    sac_found_models kept = {0};
    const char *slash = strchr(name, '/'), *dot = strchr(name, '.');
    const char *without_host = slash && dot && dot < slash ? slash + 1 : name;
    without_host += strncmp(without_host, "library/", 8) == 0 ? 8 : 0;
    bool found = false;
    snprintf(whole, sizeof whole, "%s%s", name, strchr(name, ':') ? "" : ":latest");
    if (ollama_folder(folder))
        find_manifests(folder, "", 0, &kept, NULL);
    for (size_t i = 0; i < kept.count && !found; i++)
        found = (strcmp(kept.list[i].name, whole) == 0 ||
                 strcmp(kept.list[i].name, whole + (without_host - name)) == 0) &&
                write_path(path, "%s", kept.list[i].path);
    sac_found_models_free(&kept);
    return found;
}

static bool is_model_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:";
    return name[0] && !strchr("./:", name[0]) && strlen(name) < 256 &&
           !name[strspn(name, letters)] && !strstr(name, "..") && !strstr(name, "//");
}

/* Where programs that fetch models have kept what is called so. */
static bool find_cached_model(const char *name, char path[SAC_PLACE_SIZE])
{
    return is_model_name(name) && (find_in_hub(name, path) || find_in_ollama(name, path));
}

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

const char *sac_place_meant(const char *path, char kept[SAC_PLACE_SIZE])
{
    return !is_there(path) && find_cached_model(path, kept) ? kept : path;
}

bool sac_place_is_name(const char *path)
{
    char folder[256];
    const char *slash = strchr(path, '/');
    return slash && is_model_name(path) && !is_there(path) &&
           snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) > 0 &&
           !is_there(folder);
}

sac_status sac_place_check(const char *path, sac_error *error)
{
    char kept[SAC_PLACE_SIZE];
    return is_there(sac_place_meant(path, kept))
               ? SAC_OK
               : sac_fail(error, SAC_E_FILE, path, "see `saccade models` for those that are there",
                          "is neither a path nor a model in the caches of the hub and of Ollama");
}

/* ---------------------------------------------------------------- what a path means */

static bool find_adapter(const char *path, char place[SAC_PLACE_SIZE])
{
    return sac_is_folder(path) && ((write_path(place, "%s", path) && sac_is_adapter(place)) ||
                                   (find_snapshot(path, place) && sac_is_adapter(place)));
}

bool sac_adapter_place(const char *path, char place[SAC_PLACE_SIZE])
{
    char kept[SAC_PLACE_SIZE];
    return find_adapter(sac_place_meant(path, kept), place);
}

/* The base of an adapter: beside it in the folder, or at the path that it names, from here or from the folder, or under
 * that path's last name beside the folder, or kept by that name. */
static bool find_base(const char *adapter, char place[SAC_PLACE_SIZE])
{
    char base[512], path[SAC_PLACE_SIZE];
    if (has_config(adapter))
        return write_path(place, "%s", adapter);
    if (!sac_adapter_base(adapter, base, sizeof base))
        return false;
    const char *last = strrchr(base, '/');
    return find_model(base, place) ||
           (write_path(path, "%s/%s", adapter, base) && find_model(path, place)) ||
           (write_path(path, "%s/../%s", adapter, last ? last + 1 : base) &&
            find_model(path, place)) ||
           (find_cached_model(base, path) && find_model(path, place));
}

static bool find_place(const char *path, char place[SAC_PLACE_SIZE])
{
    char adapter[SAC_PLACE_SIZE];
    return find_adapter(path, adapter) ? find_base(adapter, place) : find_model(path, place);
}

bool sac_pretrained_place(const char *path, char place[SAC_PLACE_SIZE])
{
    char kept[SAC_PLACE_SIZE];
    return find_place(sac_place_meant(path, kept), place);
}

/* ---------------------------------------------------------------- lists */

sac_status sac_find_models(const char *folder, sac_found_models *found, sac_error *error)
{
    sac_folder names;
    sac_status status = SAC_OK;
    if (sac_folder_list_names(folder, &names, NULL) != SAC_OK)
        return SAC_OK;
    for (size_t i = 0; i < names.count && status == SAC_OK; i++) {
        char path[SAC_PLACE_SIZE], place[SAC_PLACE_SIZE], name[SAC_PLACE_NAME];
        const char *entry = names.entries[i].name;
        bool of_hub = strncmp(entry, hub_start, strlen(hub_start)) == 0;
        if (write_path(path, "%s/%s", folder, entry) && (find_place(path, place) || of_hub))
            status = add(found, sac_place_name(path, name), path, error);
    }
    sac_folder_free(&names);
    return status;
}

sac_status sac_find_kept_models(sac_found_models *found, sac_error *error)
{
    char path[SAC_PLACE_SIZE];
    sac_status status = hub_folder(path) ? sac_find_models(path, found, error) : SAC_OK;
    return status == SAC_OK && ollama_folder(path) ? find_manifests(path, "", 0, found, error)
                                                   : status;
}
