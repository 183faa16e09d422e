/* A source that trains nothing, and keeps its requests. */
#ifndef TESTS_VIZ_FAKE_TRAINER_H
#define TESTS_VIZ_FAKE_TRAINER_H

#include <stdio.h>
#include <string.h>

#include "sources/source.h"

static const sac_training_offer fake_offers[] = {
    {"captioner: shapes", "from pictures and sentences that are made as it learns", 8000,
     SAC_OWN_NOTHING},
    {"captioner: own pictures", "from a folder of pictures and their captions", 8000,
     SAC_OWN_PICTURES},
    {"translator", "from pairs of sentences that are made as it learns", 3000, SAC_OWN_NOTHING},
    {"translator: own pairs", "from sentences and their translations, in any two languages", 3000,
     SAC_OWN_PAIRS},
};

static char *fake_command(void *self, const sac_training_wish *wish, char *text, size_t size)
{
    (void)self;
    snprintf(text, size, "saccade train %s --steps %zu --out %s", fake_offers[wish->offer].name,
             wish->steps, wish->out);
    return text;
}

static void fake_propose(void *self, const sac_training_wish *wish, char out[SAC_TRAINING_PATH])
{
    (void)self;
    snprintf(out, SAC_TRAINING_PATH, "/tmp/weights-%d.safetensors", wish->offer);
}

static bool fake_exists; /* the file is there */

static bool fake_check(void *self, const sac_training_wish *wish, bool *exists, char *problem,
                       size_t size)
{
    (void)self;
    (void)wish;
    *exists = fake_exists;
    snprintf(problem, size, "it is there already");
    return !fake_exists;
}

static sac_training_progress fake_progress;
static int fake_order = -1; /* the last one; −1: none */

static inline void fake_find_beside(void *self, sac_training_wish *wish)
{
    (void)self;
    if (fake_offers[wish->offer].own == SAC_OWN_PICTURES && !wish->own[1][0])
        snprintf(wish->own[1], sizeof wish->own[1], "%.900s/captions.csv", wish->own[0]);
}

static void fake_describe(void *self, sac_training_progress *progress)
{
    (void)self;
    *progress = fake_progress;
}

static void fake_give_order(void *self, sac_training_order order)
{
    (void)self;
    fake_order = (int)order;
}

static inline void fake_trainer_open(sac_source *source)
{
    *source = (sac_source){.title = "training",
                           .trainer = {.offers = fake_offers,
                                       .count = sizeof fake_offers / sizeof *fake_offers,
                                       .command = fake_command,
                                       .propose = fake_propose,
                                       .check = fake_check,
                                       .find = fake_find_beside,
                                       .progress = fake_describe,
                                       .order = fake_give_order}};
}

#endif
