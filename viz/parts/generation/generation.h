/* The sentence that a view has a model generate, and what a person asks of the model: which one, at
 * what temperature, with what beam, and with which words in place of its own. Views of captions and
 * of translations begin with it. Nothing is computed here: what changes is asked of the next job. */
#ifndef VIZ_PARTS_GENERATION_H
#define VIZ_PARTS_GENERATION_H

#include "parts/generation/word_list.h"
#include "parts/playback/player.h"
#include "view/request.h"
#include "view/settings.h"

/* The tokens that a sentence has to begin with: up to the last one that a person put in the place of
 * another, after which the model goes on by itself. */
typedef struct viz_prefix {
    int words[SAC_MAX_TOKENS], count;
    bool replaced[SAC_MAX_TOKENS]; /* those that a person chose */
} viz_prefix;

typedef struct viz_generation {
    viz_view base;
    sac_source *source; /* lent; what a job may change of it is read on the worker only */
    void (*moved)(viz_view *view); /* another word is current; may be NULL */

    int model;
    float temperature;
    int beam;
    viz_prefix prefix;
    unsigned revision; /* counts what was requested */
    viz_request request;
    sac_result caption;          /* what came back; owned; count 0: nothing yet */
    bool chosen[SAC_MAX_TOKENS]; /* its words that prefix.replaced names */
    char message[96];            /* an answer to the last key; empty: none */

    bool truth;
    bool fresh; /* no word was chosen yet */
    bool typed; /* what comes was typed: the whole of it is shown at once */
    bool scrubs;
    viz_player player; /* its steps are the words */
    viz_word_list list;
} viz_generation;

static inline viz_generation *viz_generation_of(const viz_view *view)
{
    return (viz_generation *)view;
}

/* Of a zeroed one; the source is lent. */
void viz_generation_init(viz_generation *g, const viz_view_class *class, sac_source *source);
/* The request for what is requested, without hidden cells. */
sac_result_request viz_generation_ask(const viz_generation *g);
/* Something was requested that is to be generated anew. */
void viz_generation_changed(viz_generation *g);
/* Takes a result, which is left empty, and the word that is current in it. */
void viz_generation_take(viz_generation *g, sac_result *caption);
/* Makes the word current that a new sentence begins with: in a window the first, else the last. */
void viz_generation_find_word(viz_generation *g);

/* ---- what is asked of the model */

typedef enum viz_demand { VIZ_TEMPERATURE = 0, VIZ_BEAM, VIZ_MODEL } viz_demand;

#define VIZ_LEAST_TEMPERATURE 0.25f
#define VIZ_MOST_TEMPERATURE 4.0f

/* Clamped; true where it was another. */
bool viz_generation_set(viz_generation *g, viz_demand demand, double value);
bool viz_generation_step(viz_generation *g, viz_demand demand, bool down);
/* Puts `word` of the vocabulary in the place of word `at` of the sentence, and lets the model go on. */
void viz_generation_replace(viz_generation *g, int at, int word);
/* Takes back the words from `word` on that a person chose; −1: the last one chosen. False: there are none. */
bool viz_generation_take_back(viz_generation *g, int word);

/* ---- time and words */

int viz_generation_word(const viz_generation *g); /* the current one; −1: there is none */
/* Makes `word` (clamped) current. True where it was another. */
bool viz_generation_go(viz_generation *g, int word);
/* The same for a person, who takes over. */
bool viz_generation_choose(viz_generation *g, int word);
/* Opens the list of other words; false: there is no such word. */
bool viz_generation_open_list(viz_generation *g, int word);
bool viz_generation_list_event(viz_generation *g, const viz_event *event);
/* `rests`: nothing is played now. */
bool viz_generation_tick(viz_generation *g, double now, bool rests);
int viz_generation_frames(const viz_view *view, int fps);

/* ---- keys, and the row of the timeline */

bool viz_generation_press_time(viz_view *view, viz_pressed pressed);
bool viz_generation_press_demand(viz_view *view, viz_pressed pressed);
bool viz_generation_press_list(viz_view *view, viz_pressed pressed);
#define VIZ_DEMAND_KEYS                                                                            \
    {"G", "the next model", viz_generation_press_demand, VIZ_MODEL},                               \
        {"E", "temperature up (shift: down)", viz_generation_press_demand, VIZ_TEMPERATURE},       \
        {"W", "wider beam (shift: narrower)", viz_generation_press_demand, VIZ_BEAM},              \
    {                                                                                              \
        "Return", "another word here", viz_generation_press_list                                   \
    }
/* A press on the button that plays, or on the track. */
bool viz_generation_press(viz_generation *g, viz_rect play, viz_rect track, float x, float y);
/* The pointer along the track, while it is held. */
bool viz_generation_scrub(viz_generation *g, viz_rect track, float x);
/* A press on the cross behind a word that was chosen. */
bool viz_generation_press_cross(viz_generation *g, const viz_rect *cross, float x, float y);
/* The value beside the track that is at a place; −1: none. */
int viz_values_hit(const viz_rect *values, int count, float x, float y);
void viz_generation_spots(const viz_generation *g, viz_spots *spots, viz_rect play, viz_rect track,
                          const viz_rect *values, const char *const *tips, int count);

/* ---- settings, and the weights as a table: a row a word */

void viz_save_model(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
void viz_take_model(viz_view *view, const viz_setting *setting, const char *value);
void viz_save_prefix(const viz_view *view, const viz_setting *setting, viz_put *put, void *user);
void viz_take_prefix(viz_view *view, const viz_setting *setting, const char *value);
void viz_set_demand(viz_view *view, const viz_setting *setting, double number);
bool viz_is_beam(const char *text);
bool viz_has_word(const viz_view *view);
void viz_set_word(viz_view *view, const viz_setting *setting, double number);
#define VIZ_OF_GENERATION(member) offsetof(viz_generation, member)
#define VIZ_MODEL_SETTING                                                                          \
    {                                                                                              \
        "model", .save = viz_save_model, .take = viz_take_model,                                   \
                 .form = "additive, scaled-dot or bilinear",                                       \
                 VIZ_OPTION("--model", "M", "captioner")                                           \
    }
/* `count` is the demand. */
#define VIZ_TEMPERATURE_SETTING                                                                    \
    {                                                                                              \
        "temperature", VIZ_REAL, VIZ_OF_GENERATION(temperature), .set = viz_set_demand,            \
                                                                 .count = VIZ_TEMPERATURE          \
    }
#define VIZ_BEAM_SETTING                                                                           \
    {                                                                                              \
        "beam", VIZ_WHOLE, VIZ_OF_GENERATION(beam), 1, 100,                                        \
            .set = viz_set_demand, .count = VIZ_BEAM, .form = "a whole number from 1 to 5",        \
            .valid = viz_is_beam,                                                                  \
            VIZ_OPTION("--beam", "N", "beam width of a captioner, or with --continue of a text")   \
    }
#define VIZ_PREFIX_SETTINGS                                                                        \
    {"prefix", .save = viz_save_prefix, .take = viz_take_prefix},                                  \
    {                                                                                              \
        "replaced", .save = viz_save_prefix, .take = viz_take_prefix                               \
    }
#define VIZ_WORD_SETTINGS                                                                          \
    {"word",                                                                                       \
     VIZ_WHOLE,                                                                                    \
     VIZ_OF_GENERATION(player.step),                                                               \
     0,                                                                                            \
     SAC_MAX_TOKENS - 1,                                                                           \
     .moves = true,                                                                                \
     .only = viz_has_word,                                                                         \
     .set = viz_set_word},                                                                         \
    {                                                                                              \
        "speed", VIZ_REAL, VIZ_OF_GENERATION(player.speed), 0.25, 4,                               \
            VIZ_OPTION("--speed", "X", "playback speed of a caption")                              \
    }

/* The next model. */
void viz_generation_other(const viz_view *view, viz_put *put, void *user);
bool viz_generation_table(const viz_view *view, viz_table *table);
sac_status viz_generation_table_row(viz_view *view, size_t row, float *values, sac_error *error);

#endif
