/* Words that a person gave a sentence, as a list and as settings. */

#include "parts/prefix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts/word_list.h"

bool viz_prefix_replace(viz_prefix *p, const sac_caption *sentence, int at, int word)
{
    if (at < 0 || at >= sentence->count)
        return false;
    for (int i = 0; i < at; i++)
        p->words[i] = sentence->words[i].word;
    p->words[at] = word;
    p->count = at + 1;
    p->replaced[at] = true;
    for (int i = at + 1; i < SAC_MAX_TOKENS; i++)
        p->replaced[i] = false; /* what followed was said of another sentence */
    return true;
}

bool viz_prefix_take_back(viz_prefix *p, int at)
{
    int last = p->count - 1;
    if (last < 0)
        return false;
    at = at < 0 || at > last ? last : at;
    for (int i = at; i < SAC_MAX_TOKENS; i++)
        p->replaced[i] = false;
    for (p->count = at; p->count > 0 && !p->replaced[p->count - 1];)
        p->count--;
    return true;
}

void viz_prefix_tell(const viz_prefix *p, const sac_source *source, bool replaced, const char *key,
                     viz_put *put, void *user)
{
    char text[SAC_MAX_TOKENS * SAC_MAX_TOKEN_TEXT] = "", place[24];
    size_t used = 0;
    for (int i = 0; i < p->count && used < sizeof text; i++) {
        if (replaced && !p->replaced[i])
            continue;
        snprintf(place, sizeof place, "%d", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                 replaced ? place : viz_vocabulary(source, p->words[i]));
    }
    put(user, key, text);
}

static void restore_words(viz_prefix *p, const sac_source *source, const char *value)
{
    char text[SAC_MAX_TOKENS * SAC_MAX_TOKEN_TEXT], *rest = NULL;
    snprintf(text, sizeof text, "%s", value);
    p->count = 0;
    for (char *t = strtok_r(text, " ", &rest); t && p->count < SAC_MAX_TOKENS;
         t = strtok_r(NULL, " ", &rest)) {
        int word = viz_vocabulary_find(source, t);
        if (word < 0)
            break;
        p->words[p->count++] = word;
    }
}

static void restore_replaced(viz_prefix *p, const char *value)
{
    char *end;
    memset(p->replaced, 0, sizeof p->replaced);
    for (long at = strtol(value, &end, 10); end != value; at = strtol(value, &end, 10)) {
        if (at >= 0 && at < SAC_MAX_TOKENS)
            p->replaced[at] = true;
        value = end;
    }
}

void viz_prefix_take(viz_prefix *p, const sac_source *source, bool replaced, const char *value)
{
    if (replaced)
        restore_replaced(p, value);
    else
        restore_words(p, source, value);
}

void viz_prefix_ask(const viz_prefix *p, sac_caption_request *request)
{
    request->prefix_count = p->count;
    memcpy(request->prefix, p->words, sizeof request->prefix);
}
