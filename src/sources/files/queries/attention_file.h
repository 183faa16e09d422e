/* An attention in a file of arrays: queries, keys, values and what goes with them, under the names
 * that people give them, and the arrays that have no part in it. */
#ifndef SAC_SOURCES_FILES_QUERIES_ATTENTION_FILE_H
#define SAC_SOURCES_FILES_QUERIES_ATTENTION_FILE_H

#include "saccade_arrays.h"
#include "sources/files/array_groups.h"
#include "sources/files/queries/vector_axes.h"

/* ---------------------------------------------------------------- which queries */

/* Finds the arrays of queries that have keys beside them: `query` and `key`, `q` and `k`, Q and K,
 * queries, query_states, query_layer, q_proj or to_q, alone or behind a prefix: "layers.3.attn.q".
 * A value may be there too; `kv` may hold both, and `qkv` (Wqkv, c_attn, …) all three. `x` or
 * `hidden_states` is query, key and value where projections of it are there. One group for each
 * model, a layer for each of its arrays. `wanted`, a name or a pattern with *, leaves out the
 * others; NULL: none. */
sac_status sac_queries_find(const sac_arrays *arrays, const char *wanted, sac_array_groups *groups,
                            sac_error *error);
/* The arrays of query, key and value that belong to a query's name, NULL where there is none; the
 * same one several times where it packs them, as is returned. */
sac_packing sac_query_find(const sac_arrays *arrays, const char *query, const sac_array *found[3]);
/* The query's name, or that of a key or a value beside it, which the file holds and which is not
 * read; NULL: there is none. */
const char *sac_query_unread(const sac_arrays *arrays, const char *query);
/* True of vectors before their projections: those that are called query, x or hidden_states. */
bool sac_query_is_projected(const char *query);
/* Splits a query's name: the bytes before its own word, and the number behind it: "h.3." and "" of
 * "h.3.q". */
void sac_query_split(const char *query, size_t *prefix, const char **suffix);

/* ---------------------------------------------------------------- one attention */

/* Numbers that are made of the file's: see sac_attention_file_read. */
enum {
    SAC_OWN_QUERY,
    SAC_OWN_KEY,
    SAC_OWN_VALUE,
    SAC_OWN_MASK,
    SAC_OWN_WEIGHT,                    /* of the three projections … */
    SAC_OWN_BIAS = SAC_OWN_WEIGHT + 3, /* … and their biases */
    SAC_OWN_ARRAYS = SAC_OWN_BIAS + 3
};

typedef struct sac_attention_file {
    sac_attention_input input; /* lends from the file and from `own` */
    sac_attention_spec spec;   /* the caller's, completed from the file */
    sac_attention_shape shape;
    char masks[128];      /* "causal, key padding, bias, window 128"; empty: nothing is hidden */
    sac_vector_axes axes; /* the order in which the file has queries, keys and values */
    char note[240];       /* what changes the numbers without a request; empty: nothing */
    sac_array own[SAC_OWN_ARRAYS]; /* views or owned */
    bool *used; /* [sac_arrays_size] of the file, owned: what has a part in it, as
                   sac_attention_file_mark marks it */
} sac_attention_file;

typedef enum sac_attention_extent {
    SAC_EXTENT_ALL = 0, /* all that there is */
    SAC_EXTENT_HEADS,   /* without what follows the heads: out projection and norm */
    SAC_EXTENT_WEIGHTS  /* nor the values */
} sac_attention_extent;

/* Selects the queries to read, and how. */
typedef struct sac_attention_request {
    const char *query; /* the name of the queries' array, as sac_queries_find gives it */
    const char *axes;  /* of queries and keys, as sac_vector_axes_read takes them; NULL or "": by
                          rank, [T,D], [B,T,D] or [B,H,T,D], unless another order alone fits */
    const char *leave_out; /* names of arrays, or patterns with *, that have no part in it, with
                              commas between them; NULL: none */
    sac_attention_spec spec;
    sac_attention_extent extent;
    bool
        values_later; /* the numbers are not looked at: who takes a part of them checks that part */
} sac_attention_request;

/* Fills `file` from the arrays behind the query's prefix, else without one:
 *   key, value; or arrays that pack them;
 *   key_padding_mask (src_, memory_, tgt_key_padding_mask) [B,Tk] or [Tk]: bool and whole numbers:
 *   true = hidden; floats are added to the score;
 *   attn_mask (src_mask, tgt_mask, memory_mask) as in sac_attention_input, also [H,Tq,Tk] and
 *   [B·H,Tq,Tk];
 *   attention_mask (encoder_attention_mask) [B,Tk], [Tk] or up to [B,H,Tq,Tk]: 1 or true = keep, as
 *   Hugging Face's; other floats are added to the score;
 *   bias (attn_bias, attention_bias, position_bias): added to the score, [Tq,Tk] up to [B,H,Tq,Tk]
 *   or [H,Tq,Tk];
 *   alibi (alibi_slopes, slopes) [H]: slope · |p − j| is taken from the score, where query i stands
 *   at p = i + offset by spec.alignment; of other sizes it is a bias;
 *   scale, softcap, is_causal, window, num_heads and their other names: the spec's, where it has
 * none; sinks [H]; the score's own weights; projections and norm of arrays that are called
 * query, key and value. What is added is summed up into one mask. Spec and input fit each other
 * then, as sac_attention_resolve finds; an error names the file's array. SAC_E_ARGUMENT for arrays
 * that would change the weights and are not supported. The struct must stay where it is. Free with
 * sac_attention_file_free, which takes zeroed ones. */
sac_status sac_attention_file_read(const sac_arrays *arrays, const sac_attention_request *request,
                                   sac_attention_file *file, sac_error *error);
void sac_attention_file_free(sac_attention_file *file);

/* ---------------------------------------------------------------- what is left */

/* Marks the arrays that sac_attention_file_read takes in `used` [sac_arrays_size], and those that
 * it leaves out because they do not affect the weights. */
void sac_attention_file_mark(const sac_arrays *arrays, const sac_attention_request *request,
                             bool *used);
void sac_mark_used(const sac_arrays *arrays, const sac_array *array, bool *used);
/* "not used: bias2 [4,4], loss [3]" of what is not marked, "" where all is. */
char *sac_not_used_text(const sac_arrays *arrays, const bool *used, char *text, size_t size);

#endif
