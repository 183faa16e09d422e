/* Values out of a JSON file of a model: config.json, preprocessor_config.json. Every value is
 * checked against limits. After the first error all calls return their least value, and
 * sac_config_status reports it:
 *
 *     sac_config c = sac_config_of(json, "config.json", error);
 *     int width = sac_config_size(&c, "hidden_size", 1, 16384);
 *     return sac_config_status(&c);
 */
#ifndef SAC_PRETRAINED_FILES_CONFIG_H
#define SAC_PRETRAINED_FILES_CONFIG_H

#include "saccade.h"

struct cJSON;

typedef struct sac_config_key sac_config_key;

/* Collects keys that no table of sac_config_apply_keys has: a file may have those of a part beside its own. `names` is an
 * object with those that one of the tables has not, some of them twice; NULL: none yet. */
typedef struct sac_unknown_keys {
    struct cJSON *names;
    const sac_config_key *tables[16];
    size_t count;
} sac_unknown_keys;

typedef struct sac_config {
    struct cJSON *json; /* an object, lent; NULL: it has no values */
    const char *path;   /* for errors */
    sac_status status;
    sac_error *error;
    sac_unknown_keys *unknown; /* collects them; NULL: nothing does */
} sac_config;

/* How a key of such a file is treated. */
typedef enum sac_key_use {
    SAC_KEY_USED = 1, /* it is read */
    SAC_KEY_HARMLESS, /* no number that is shown depends on it */
    SAC_KEY_ONLY,     /* it would change the result: only certain values are supported */
} sac_key_use;
/* What null is: Python's None, which most classes refuse. */
typedef enum sac_null {
    SAC_NULL_REFUSED, /* where the key has a default; else it is as if the key were missing */
    SAC_NULL_NONE,    /* no value, whatever the default */
    SAC_NULL_DEFAULT,
} sac_null;
struct sac_config_key {
    const char *name; /* NULL: the end of a table */
    sac_key_use use;
    const char *value; /* JSON. SAC_KEY_USED: the default, NULL: none; SAC_KEY_ONLY: the supported
                        * value, or a list of them, null among them where it is supported */
    sac_null null;     /* of SAC_KEY_USED */
};
/* Checks the object against a table of all keys of a class of transformers: an unsupported value of
 * SAC_KEY_ONLY is an error, and what is missing becomes the class's default. A key that is not in
 * the table is unknown to the class too, and goes to config->unknown where it may matter. The first
 * entry of a name wins. */
void sac_config_apply_keys(sac_config *config, const sac_config_key *keys);
/* The keys that none of the tables had, parted by commas, "…" behind them where more have no room; what
 * was collected is freed. */
void sac_config_unknown_text(sac_unknown_keys *unknown, char *text, size_t size);
/* Takes away what is null, of a file whose class takes its default for that. */
void sac_config_drop_nulls(sac_config *config);

sac_config sac_config_of(struct cJSON *json, const char *path, sac_error *error);
/* The object of that name, as "text_config"; one without values where it is not there. */
sac_config sac_config_inside(const sac_config *config, const char *name);
sac_status sac_config_status(const sac_config *config);

bool sac_config_has(const sac_config *config, const char *name);
/* A whole number from low to high. */
int sac_config_size(sac_config *config, const char *name, int low, int high);
/* The same, `otherwise` where there is none or null. */
int sac_config_size_or(sac_config *config, const char *name, int low, int high, int otherwise);
/* A whole number from low to high, or a list of such, into `sizes`; how many there were, at most
 * `most`: 0 where there is none or null. */
int sac_config_sizes(sac_config *config, const char *name, int low, int high, int *sizes, int most);
float sac_config_number_or(sac_config *config, const char *name, float otherwise);
bool sac_config_flag_or(sac_config *config, const char *name, bool otherwise);
/* "" where there is none; lent. */
const char *sac_config_text(sac_config *config, const char *name);
/* `count` numbers of a list, or one number for all; they stay as they are where there is none. */
void sac_config_numbers(sac_config *config, const char *name, float *numbers, int count);
/* The place of a text among `choices`, which end with NULL. SAC_E_FORMAT names those there are. */
int sac_config_choice(sac_config *config, const char *name, const char *const *choices);
/* SAC_E_FORMAT, with what is wrong. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void sac_config_refuse(sac_config *config, const char *name, const char *what_format, ...);

#endif
