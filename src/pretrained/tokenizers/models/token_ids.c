/* A hash table from tokens to ids beside the list of tokens. */
#include "tokenizers/models/token_ids.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash.h"

/* The slot of a token, or the free one where it belongs. */
static size_t slot_of(const sac_vocabulary *v, const char *token, size_t size)
{
    size_t slot = sac_table_hash(token, size) & (v->slot_count - 1);
    while (v->slots[slot] >= 0) {
        const char *other = v->tokens[v->slots[slot]];
        if (strncmp(other, token, size) == 0 && other[size] == '\0')
            break;
        slot = (slot + 1) & (v->slot_count - 1);
    }
    return slot;
}

int sac_vocabulary_find(const sac_vocabulary *v, const char *token, size_t size)
{
    return v->slot_count ? v->slots[slot_of(v, token, size)] : -1;
}

/* Keeps at least half of the slots free. */
static bool ensure_free_slots(sac_vocabulary *v)
{
    if (2 * (v->taken + 1) <= v->slot_count)
        return true;
    size_t count = v->slot_count ? 2 * v->slot_count : 1024;
    int *slots = malloc(count * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < count; i++)
        slots[i] = -1;
    free(v->slots);
    v->slots = slots;
    v->slot_count = count;
    for (size_t id = 0; id < v->size; id++)
        if (v->tokens[id])
            slots[slot_of(v, v->tokens[id], strlen(v->tokens[id]))] = (int)id;
    return true;
}

static bool ensure_id_capacity(sac_vocabulary *v, size_t size)
{
    if (size > v->capacity) {
        size_t wanted = size > 2 * v->capacity ? size : 2 * v->capacity;
        char **tokens = realloc(v->tokens, wanted * sizeof *tokens);
        if (!tokens)
            return false;
        v->tokens = tokens;
        v->capacity = wanted;
    }
    for (; v->size < size; v->size++)
        v->tokens[v->size] = NULL;
    return true;
}

sac_status sac_vocabulary_add(sac_vocabulary *v, const char *token, double id, sac_error *error)
{
    if (!(id >= 0 && id < SAC_VOCABULARY_MOST) || id != (int)id)
        return sac_fail(error, SAC_E_FORMAT, NULL, NULL,
                        "the token \"%.40s\" has the id %g; ids are whole numbers below %d", token,
                        id, SAC_VOCABULARY_MOST);
    size_t at = (size_t)id, size = strlen(token);
    if (at < v->size && v->tokens[at] && strcmp(v->tokens[at], token) == 0)
        return SAC_OK;
    if ((at < v->size && v->tokens[at]) || sac_vocabulary_find(v, token, size) >= 0)
        return sac_fail(error, SAC_E_FORMAT, NULL, NULL,
                        "the token \"%.40s\" or its id %zu is there twice", token, at);
    char *copy = malloc(size + 1);
    if (!copy || !ensure_free_slots(v) || !ensure_id_capacity(v, at + 1)) {
        free(copy);
        return sac_no_memory(error, "tokens");
    }
    memcpy(copy, token, size + 1);
    size_t slot = slot_of(v, token, size);
    v->tokens[at] = copy;
    v->slots[slot] = (int)at;
    v->taken++;
    /* Looks at times whether work should stop. */
    return v->taken % 4096 ? SAC_OK : sac_cancel_check("tokens", error);
}

sac_status sac_vocabulary_add_all(sac_vocabulary *v, const cJSON *tokens, sac_error *error)
{
    sac_status status = SAC_OK;
    for (const cJSON *token = tokens ? tokens->child : NULL; token && status == SAC_OK;
         token = token->next)
        status = sac_vocabulary_add(v, token->string,
                                    cJSON_IsNumber(token) ? token->valuedouble : -1, error);
    return status;
}

void sac_vocabulary_free(sac_vocabulary *v)
{
    for (size_t i = 0; i < v->size; i++)
        free(v->tokens[i]);
    free(v->tokens);
    free(v->slots);
    *v = (sac_vocabulary){0};
}
