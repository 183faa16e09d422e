/* Pictures with captions that a person has: a folder of pictures, and a file with the captions of each;
 * or several of both.
 *
 *     sac_pictures pictures;
 *     const sac_pictures_options options = {.sets = {{"images", .captions = "captions.txt"}}};
 *     sac_status status = sac_pictures_open(&options, &pictures, error);
 *     … pictures.items[i].path, pictures.items[i].captions[k].words …
 *     sac_pictures_free(&pictures);
 *
 * The file of captions is recognised by its content:
 *   COCO             {"images": [{"id", "file_name"}], "annotations": [{"image_id", "caption"}]}
 *   Karpathy's       {"images": [{"filename", "split", "sentences": [{"raw", "tokens"}]}]}
 *   JSON rows        [{"image", "caption"}, …], or one such object a line (metadata.jsonl); COCO's
 *                    results, [{"image_id", "caption"}]; LLaVA's conversations
 *   JSON by columns  every orient of pandas' to_json, and its to_dict("list"): {"image": ["a.jpg"], "caption": ["a dog"]}
 *   JSON by names    {NAME: ["a dog", …]} or {NAME: [{"caption": "a dog"}, …]}
 *   Flickr8k.token   NAME.jpg#0, a tab, the caption
 *   a table          a header that names a column of pictures and one of captions (and maybe
 *                    "split"), fields between commas, semicolons, tabs or bars, quoted where need be
 *   none             the folder's own captions.csv, .tsv, .json, .jsonl, .txt or .token, or metadata.csv or .jsonl;
 *                    else NAME.txt beside each picture NAME.jpg: a caption a line */
#ifndef SAC_PICTURES_PICTURES_H
#define SAC_PICTURES_PICTURES_H

#include "pictures/words.h"

typedef enum sac_pictures_split {
    SAC_SPLIT_TRAIN = 0,
    SAC_SPLIT_VAL, /* held out, to choose by */
    SAC_SPLIT_TEST /* held out, to be scored in the end */
} sac_pictures_split;
enum { SAC_SPLITS = 3 };

/* "train", "val", "test". */
const char *sac_pictures_split_name(sac_pictures_split split);
/* Also "restval" (train), "validation", "dev" and "valid" (val). False where it is none. */
bool sac_pictures_split_find(const char *name, sac_pictures_split *split);

enum { SAC_PICTURES_WORDS = 40 }; /* of a caption, at most */

typedef struct sac_picture_set {
    const char *folder; /* pictures, in folders inside of it too */
    const char *
        captions; /* NULL: those that are found (sac_captions_find), or NAME.txt beside each picture */
    /* Files that name the pictures of a split: captions as above, or one name a line. NULL: the split
     * of the captions, or else a share of the training pictures is `val`, by the hash of their names. */
    const char *val, *test;
} sac_picture_set;

enum { SAC_PICTURE_SETS = 8 };
typedef struct sac_pictures_options {
    sac_picture_set sets[SAC_PICTURE_SETS]; /* up to the first without a folder */
    float held_out;                         /* that share; 0: a tenth */
    /* Words of the vocabulary occur as often in training captions; 0: five times, or fewer where more
     * than a twentieth of all their words would be unknown. */
    int least;
    int longest;         /* words of a caption, up to SAC_PICTURES_WORDS; 0: 20 */
    bool general_people; /* of training captions: sac_captions_generalize_people */
    const sac_caption_vocabulary *vocabulary; /* to number words by, copied; NULL: a new one */
} sac_pictures_options;

typedef struct sac_picture_caption {
    char *text;  /* of the file, UTF-8 on one line */
    char *plain; /* the same as words (sac_caption_plain): what scores compare */
    int *words;  /* [count] numbers, without start and end, cut at the longest */
    int count;
} sac_picture_caption;

typedef struct sac_captioned_picture {
    char *path;       /* to be opened */
    const char *name; /* of the file, in `path` */
    char *id;         /* by which results of models call it, as in COCO's files; NULL: none */
    int set;
    sac_pictures_split split;
    sac_picture_caption *captions; /* [caption_count], at least one */
    int caption_count;
} sac_captioned_picture;

/* What was left out. */
typedef enum sac_pictures_skip {
    SAC_SKIP_MISSING,     /* a picture that captions name, and that is not in the folder */
    SAC_SKIP_CAPTIONLESS, /* a picture of the folder without a caption */
    SAC_SKIP_BROKEN,      /* a file that is no picture, or cannot be opened */
    SAC_SKIP_EMPTY,       /* a caption without a word */
    SAC_SKIP_ROW,         /* a row of the file without a picture or a caption */
    SAC_SKIP_SPLIT,       /* a name in the list of a split that no captions have */
    SAC_SKIPS
} sac_pictures_skip;
enum { SAC_SKIP_NAMES = 3 };
typedef struct sac_pictures_skipped {
    size_t count;
    char *names[SAC_SKIP_NAMES]; /* the first ones; owned, NULL after the last */
} sac_pictures_skipped;

/* A set of pictures: its folder, what was skipped, and a note. */
typedef struct sac_pictures_of_set {
    char *folder;
    sac_pictures_skipped skipped[SAC_SKIPS];
    sac_pictures_skipped
        twice; /* captions that their picture has already, which count all the same */
    bool
        drawn; /* what is `val` was drawn by the hash of names: neither captions nor a list name it */
    char *note; /* of the file of captions, such as that it is no UTF-8; NULL: none; owned */
} sac_pictures_of_set;

typedef struct sac_pictures {
    sac_captioned_picture *items; /* [count], set by set, in the order of their names */
    size_t count, of_split[SAC_SPLITS];
    size_t captions, cut; /* of all; of them cut at the longest */
    int longest;          /* words of a caption that were taken at most */
    sac_caption_vocabulary vocabulary;
    int least;             /* how often its words occur at least; 0: it was given */
    size_t generalized;    /* pictures whose captions got more general words for people */
    size_t words, unknown; /* of all captions, as far as taken; of them not in it … */
    char
        *strange[SAC_SKIP_NAMES]; /* … and the most frequent of those; owned, NULL after the last */
    sac_pictures_of_set sets[SAC_PICTURE_SETS];
    int set_count;
} sac_pictures;

/* Fills *pictures. A picture is recognised by its first bytes; none is decoded. Returns SAC_E_FILE,
 * SAC_E_FORMAT (with the line that cannot be read), SAC_E_ARGUMENT if no picture is left, or
 * SAC_E_CANCELLED. *pictures is empty after a failure. */
sac_status sac_pictures_open(const sac_pictures_options *options, sac_pictures *pictures,
                             sac_error *error);
void sac_pictures_free(sac_pictures *pictures);

/* The path of a file of captions that lies in the folder of its pictures, by its name; free() it. NULL: there is
 * none. */
char *sac_captions_find(const char *folder);

/* Takes picture `index` out; those behind it move up. */
void sac_pictures_remove(sac_pictures *pictures, size_t index);
/* Takes out a picture whose file could not be decoded, and counts it among those left out as broken.
 * Where it was drawn to be `val`, the training picture of its set with the next hash takes its place,
 * so that training and evaluation draw the same. */
void sac_pictures_drop_broken(sac_pictures *pictures, size_t index);

/* The share of the captions' words that the vocabulary does not have. */
double sac_pictures_unknown_share(const sac_pictures *pictures);

/* Writes line `index` of the report to the user: how many pictures there are, and of several sets in
 * each; then what was left out, with its number and the first names. False: there are no more lines. */
bool sac_pictures_report_line(const sac_pictures *pictures, int index, char *text, size_t size);

#endif
