/* Turns of a conversation as one text, by the template of a model's folder: what apply_chat_template of
 * transformers makes of them, with the prompt of the model's answer behind it. */
#ifndef SAC_TOKENIZERS_CONVERSATION_H
#define SAC_TOKENIZERS_CONVERSATION_H

#include "saccade.h"

struct cJSON;

/* The content of a message: bytes [from, from + size) of the text. What stands around it is the template's. */
typedef struct sac_turn_text {
    char role[24];
    size_t from, size;
} sac_turn_text;

typedef struct sac_conversation {
    char *text;
    sac_turn_text *turns;
    size_t count;
} sac_conversation;
void sac_conversation_free(sac_conversation *conversation); /* takes a zeroed one */

/* The template of a folder, the first of chat_template.jinja, chat_template.json, processor_config.json and
 * tokenizer_config.json that has one, and that file's name; free() it. NULL: none has. */
sac_status sac_chat_template_read(const char *folder, char **template, const char **file,
                                  sac_error *error);

/* An array of {"role", "content"} of `values`, one after the other: each is a JSON file with such an array, or with one
 * as its "messages", or a turn as "user: What is this?". Free it. */
sac_status sac_messages_read(const char *const *values, size_t count, struct cJSON **messages,
                             sac_error *error);

void sac_messages_free(struct cJSON *messages); /* takes NULL */

/* Messages, whose contents may be lists of parts, as one text by the template of a folder, or of a GGUF, whose keys `gguf`
 * are (NULL: it is a folder), and the file or key that has that: free() it. NULL: there is none. As sac_template_render. */
sac_status sac_messages_render(const char *folder, const struct cJSON *gguf,
                               const struct cJSON *messages, char **text, const char **file,
                               sac_error *error);
/* The same with the place of each message. SAC_E_FILE where there is no template. */
sac_status sac_conversation_render(const char *folder, const struct cJSON *gguf,
                                   const struct cJSON *messages, sac_conversation *conversation,
                                   sac_error *error);

#endif
