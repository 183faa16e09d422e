/* What the program can train, and the training that goes on: its start, reports and control. */
#ifndef SAC_SOURCES_TRAINER_H
#define SAC_SOURCES_TRAINER_H

#include <stdbool.h>
#include <stddef.h>

enum { SAC_TRAINING_OFFERS = 12, SAC_TRAINING_PATH = 1024, SAC_TRAINING_USES = 2 };

/* What of a person's own it learns from, in one file or two. */
typedef enum sac_training_own {
    SAC_OWN_NOTHING = 0,
    SAC_OWN_PICTURES, /* a folder, and a file of captions, or none */
    SAC_OWN_TEXT,     /* a file of text, or a folder of such */
    SAC_OWN_PAIRS /* a file of sentence pairs; or one of sentences, and one of their translations */
} sac_training_own;
enum { SAC_OWN_PATHS = 2 };

typedef struct sac_training_offer {
    char name[64];    /* "captioner: picture book" */
    const char *from; /* what it learns from, in a sentence; static */
    size_t steps;     /* of a whole training */
    sac_training_own own;
} sac_training_offer;

/* What a person chose. */
typedef struct sac_training_wish {
    int offer;
    size_t steps;
    char out[SAC_TRAINING_PATH];                /* the file of weights */
    char own[SAC_OWN_PATHS][SAC_TRAINING_PATH]; /* as the offer asks for; empty: not given */
    char from
        [SAC_TRAINING_PATH]; /* weights that it goes on with, or a checkpoint; empty: it begins anew */
} sac_training_wish;

typedef enum sac_training_state {
    SAC_TRAINING_NONE = 0,
    SAC_TRAINING_RUNS,
    SAC_TRAINING_RESTS, /* it was paused */
    SAC_TRAINING_ENDED
} sac_training_state;

typedef struct sac_training_progress {
    sac_training_state state;
    char name[64], out[SAC_TRAINING_PATH];
    size_t step, steps;
    double seconds_left;
    float loss;
    char message[1200]; /* the last that happened: "saved …", or why it ended; empty: nothing */
    char notes[2048];   /* what a person should know of what it learns from, a line each */
    /* What its weights are for, once it has ended and they are there: "Caption with it"; static; NULL behind the
     * last. */
    const char *use[SAC_TRAINING_USES];
    bool outlives; /* the window: closing that does not end it */
} sac_training_progress;

typedef enum sac_training_order {
    SAC_TRAINING_PAUSE,
    SAC_TRAINING_GO_ON,
    SAC_TRAINING_SAVE, /* the weights as they are now */
    SAC_TRAINING_STOP  /* saves them, and a checkpoint to go on from */
} sac_training_order;

/* What is to be opened, for who opens what a view chose. */
typedef enum sac_training_next {
    SAC_NEXT_TRAINING = 0, /* the wish */
    SAC_NEXT_MORE,         /* the training that has ended, from its weights on */
    SAC_NEXT_USE           /* its weights, for `use` */
} sac_training_next;

/* All from the thread of the window: nothing of it waits. */
typedef struct sac_trainer_source {
    const sac_training_offer *offers; /* [count]; NULL: the source is none */
    int count;
    /* The same as a command of the program, into `text`, which is returned. */
    char *(*command)(void *self, const sac_training_wish *wish, char *text, size_t size);
    /* A path for its weights where no file is yet. */
    void (*propose)(void *self, const sac_training_wish *wish, char out[SAC_TRAINING_PATH]);
    /* False where it cannot begin, and `problem` has the reason; *exists: only because a file is there, which
     * a person may have replaced. */
    bool (*check)(void *self, const sac_training_wish *wish, bool *exists, char *problem,
                  size_t size);
    /* Fills in what is not chosen and is found: the captions in a folder of pictures. */
    void (*find)(void *self, sac_training_wish *wish);
    void (*progress)(void *self, sac_training_progress *progress);
    void (*order)(void *self, sac_training_order order);
    sac_training_next next;
    int use;                /* the number of one of its uses */
    sac_training_wish wish; /* the one that is to begin */
} sac_trainer_source;

#endif
