/* Unpacks matrices of few bits, or lays them as blocks. */
#include "pretrained/files/quantised.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "arrays/json.h"
#include "base/array.h"
#include "base/error.h"

enum { NAME = 256, MOST = 1 << 24, NIBBLES = 16, BYTES = 256, BLOCK = 32 };

typedef enum form { INT8, FOUR_BITS, GPTQ, AWQ, COMPRESSED } form;

typedef struct matrix {
    char name[NAME]; /* "model.layers.0.self_attn.q_proj.weight" */
    form form;
    const sac_array *packed,
        *scales; /* of INT8 [out,in] and a scale for each row; of FOUR_BITS pairs of
                                         numbers and a scale for each `block` of them; else [in,out] in
                                         words of 32 bits, and scales [groups,out]; of COMPRESSED
                                         both the other way round */
    const sac_array *zeros,
        *groups; /* GPTQ, AWQ: words [groups,·], COMPRESSED: [·,groups] or NULL, all in the middle; the
                    group of each row [in], or NULL */
    const sac_array *map, *outer,
        *outer_map; /* FOUR_BITS: values of 16 codes; the scales' own, or NULL */
    size_t block, outer_block, group;
    float offset;       /* of scales that have scales */
    sac_array unpacked; /* float16 [out,in], owned; no data yet: it is not requested */
    sac_array blocks;   /* the same as blocks, bytes [out,·], owned */
    sac_stored stored;  /* their form; float32: it does not fit one, or none was requested */
} matrix;

struct sac_quantised {
    matrix *matrices; /* [count], by name */
    size_t count, bits;
    bool zeros_are_less; /* GPTQ's first form has zeros less 1 */
};

/* ---------------------------------------------------------------- config.json */

static const char key[] = "quantization_config";

/* How the weights of the first group of layers are stored, and no more than that one. */
static const cJSON *compressed_weights(const cJSON *config)
{
    const cJSON *groups = cJSON_GetObjectItemCaseSensitive(config, "config_groups");
    const cJSON *first = cJSON_GetArraySize(groups) == 1 ? groups->child : NULL;
    return cJSON_GetObjectItemCaseSensitive(first, "weights");
}

/* The object has this value, or where `is` is NULL null or nothing. */
static bool has_text(const cJSON *object, const char *name, const char *is)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return is ? cJSON_IsString(value) && strcmp(value->valuestring, is) == 0
              : !value || cJSON_IsNull(value) || (cJSON_IsObject(value) && !value->child);
}

/* Whole numbers of 4 or 8 bits in words, and what enters the layers is no such number. */
static bool has_packed_integers(const cJSON *config)
{
    const cJSON *weights = compressed_weights(config);
    const cJSON *groups = cJSON_GetObjectItemCaseSensitive(config, "config_groups");
    const cJSON *bits = cJSON_GetObjectItemCaseSensitive(weights, "num_bits");
    return weights && has_text(config, "format", "pack-quantized") &&
           has_text(weights, "type", "int") && has_text(config, "sparsity_config", NULL) &&
           has_text(groups->child, "input_activations", NULL) &&
           has_text(config, "kv_cache_scheme", NULL) && cJSON_IsNumber(bits) &&
           (bits->valuedouble == 4 || bits->valuedouble == 8);
}

/* Which of them it is; −1: none that is known. */
static int quantisation_method(const sac_config *config)
{
    const sac_config inside = sac_config_inside(config, key);
    const cJSON *method = cJSON_GetObjectItemCaseSensitive(inside.json, "quant_method");
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(inside.json, "version");
    const cJSON *bits = cJSON_GetObjectItemCaseSensitive(inside.json, "bits");
    const char *name = cJSON_IsString(method) ? method->valuestring : "";
    if (strcmp(name, "compressed-tensors") == 0)
        return has_packed_integers(inside.json) ? COMPRESSED : -1;
    bool four = cJSON_IsNumber(bits) && bits->valuedouble == 4;
    bool eight = cJSON_IsNumber(bits) && bits->valuedouble == 8;
    if (strcmp(name, "bitsandbytes") == 0)
        return INT8;
    if (strcmp(name, "gptq") == 0 && (four || eight))
        return GPTQ;
    bool is_gemm = !cJSON_IsString(version) || strcmp(version->valuestring, "gemm") == 0 ||
                   strcmp(version->valuestring, "GEMM") == 0;
    return strcmp(name, "awq") == 0 && four && is_gemm ? AWQ : -1;
}

bool sac_quantised_is_known(const sac_config *config)
{
    return quantisation_method(config) >= 0;
}

/* ---------------------------------------------------------------- parts of a matrix */

/* Numbers of a file, which need not lie at multiples of their size. */
static float float_at(const sac_array *a, size_t i)
{
    float number;
    memcpy(&number, (const char *)a->data + i * sizeof number, sizeof number);
    return number;
}

static uint32_t word_at(const sac_array *a, size_t i)
{
    uint32_t word;
    memcpy(&word, (const char *)a->data + i * sizeof word, sizeof word);
    return word;
}

typedef struct opening {
    const sac_quantised_files *files;
    sac_quantised *q;
    size_t group;
    sac_error *error;
} opening;

static const sac_array *find_module_tensor(const opening *o, const char *module, const char *ending)
{
    char full[NAME + 64];
    snprintf(full, sizeof full, "%s%s", module, ending);
    return o->files->find(o->files->self, full);
}

static bool has_type_and_count(const sac_array *a, sac_dtype dtype, size_t count)
{
    return a && a->dtype == dtype && sac_array_count(a) == count;
}

static bool is_floating(const sac_array *a, size_t count)
{
    return a && sac_array_count(a) == count &&
           (a->dtype == SAC_F32 || a->dtype == SAC_F16 || a->dtype == SAC_BF16);
}

static size_t divide_rounding_up(size_t count, size_t size)
{
    return (count + size - 1) / size;
}

static void set_matrix_shape(matrix *m, size_t out, size_t in)
{
    m->unpacked = sac_array_view(SAC_F16, 2, (const size_t[]){out, in}, NULL);
}

static sac_status fail_misfit(const opening *o, const char *module)
{
    return sac_fail(
        o->error, SAC_E_FORMAT, key, "take the model in float32, float16 or bfloat16",
        "what stands for \"%.100s.weight\" is not whole, or not as its library packs it", module);
}

/* A number of the state of FOUR_BITS, from 1 to MOST. */
static size_t size_in(const cJSON *state, const char *name)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(state, name);
    bool fits = cJSON_IsNumber(number) && number->valuedouble >= 1 && number->valuedouble <= MOST;
    return fits ? (size_t)number->valuedouble : 0;
}

static bool read_state(const cJSON *state, matrix *m)
{
    const cJSON *sides = cJSON_GetObjectItemCaseSensitive(state, "shape");
    const cJSON *offset = cJSON_GetObjectItemCaseSensitive(state, "nested_offset");
    size_t side[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const cJSON *one = cJSON_GetArrayItem(sides, i);
        if (cJSON_IsNumber(one) && one->valuedouble >= 1 && one->valuedouble <= MOST)
            side[i] = (size_t)one->valuedouble;
    }
    m->block = size_in(state, "blocksize");
    m->outer_block = size_in(state, "nested_blocksize");
    m->offset = cJSON_IsNumber(offset) ? (float)offset->valuedouble : 0;
    if (!m->block || cJSON_GetArraySize(sides) != 2 || !side[0] || !side[1])
        return false;
    set_matrix_shape(m, side[0], side[1]);
    size_t count = side[0] * side[1], scales = divide_rounding_up(count, m->block);
    bool inner = m->outer ? has_type_and_count(m->scales, SAC_U8, scales) && m->outer_block &&
                                has_type_and_count(m->outer, SAC_F32,
                                                   divide_rounding_up(scales, m->outer_block)) &&
                                has_type_and_count(m->outer_map, SAC_F32, BYTES)
                          : has_type_and_count(m->scales, SAC_F32, scales);
    return inner && has_type_and_count(m->packed, SAC_U8, divide_rounding_up(count, 2)) &&
           has_type_and_count(m->map, SAC_F32, NIBBLES);
}

static sac_status find_four_bits(const opening *o, const char *module, matrix *m)
{
    const sac_array *text = find_module_tensor(o, module, ".weight.quant_state.bitsandbytes__nf4");
    cJSON *state = NULL;
    if (!text)
        text = find_module_tensor(o, module, ".weight.quant_state.bitsandbytes__fp4");
    m->packed = find_module_tensor(o, module, ".weight");
    m->scales = find_module_tensor(o, module, ".weight.absmax");
    m->map = find_module_tensor(o, module, ".weight.quant_map");
    m->outer = find_module_tensor(o, module, ".weight.nested_absmax");
    m->outer_map = find_module_tensor(o, module, ".weight.nested_quant_map");
    if (!text || text->dtype != SAC_U8 || text->rank != 1 ||
        sac_json_parse(text->data, sac_array_count(text), &state, NULL) != SAC_OK)
        return fail_misfit(o, module);
    bool fits = read_state(state, m);
    cJSON_Delete(state);
    return fits ? SAC_OK : fail_misfit(o, module);
}

static sac_status find_int8(const opening *o, const char *module, matrix *m)
{
    const sac_array *order = find_module_tensor(o, module, ".weight_format");
    m->packed = find_module_tensor(o, module, ".weight");
    m->scales = find_module_tensor(o, module, ".SCB");
    bool rows =
        !order || (has_type_and_count(order, SAC_U8, 1) && *(const uint8_t *)order->data == 0);
    if (!rows || !m->packed || m->packed->dtype != SAC_I8 || m->packed->rank != 2 ||
        !is_floating(m->scales, m->packed->shape[0]))
        return fail_misfit(o, module);
    set_matrix_shape(m, m->packed->shape[0], m->packed->shape[1]);
    return SAC_OK;
}

/* Words hold numbers along `in` (GPTQ) or along `out` (AWQ). */
static sac_status find_grouped(const opening *o, const char *module, matrix *m)
{
    const size_t each = 32 / o->q->bits;
    m->packed = find_module_tensor(o, module, ".qweight");
    m->scales = find_module_tensor(o, module, ".scales");
    m->zeros = find_module_tensor(o, module, ".qzeros");
    m->groups = m->form == GPTQ ? find_module_tensor(o, module, ".g_idx") : NULL;
    if (!m->packed || m->packed->dtype != SAC_I32 || m->packed->rank != 2 || !m->scales ||
        m->scales->rank != 2)
        return fail_misfit(o, module);
    size_t in = m->packed->shape[0] * (m->form == GPTQ ? each : 1);
    size_t out = m->packed->shape[1] * (m->form == GPTQ ? 1 : each);
    m->group = o->group ? o->group : in;
    size_t groups = m->scales->shape[0];
    bool fits = in && out && m->scales->shape[1] == out && groups && out % each == 0 &&
                is_floating(m->scales, groups * out) && m->zeros && m->zeros->rank == 2 &&
                m->zeros->shape[0] == groups &&
                has_type_and_count(m->zeros, SAC_I32, groups * (out / each)) &&
                (m->groups ? has_type_and_count(m->groups, SAC_I32, in)
                           : divide_rounding_up(in, m->group) == groups);
    for (size_t i = 0; m->groups && fits && i < in; i++)
        fits = word_at(m->groups, i) < groups;
    if (!fits)
        return fail_misfit(o, module);
    set_matrix_shape(m, out, in);
    return SAC_OK;
}

/* The sides of the matrix that `shape` has, two whole numbers of 64 bits; false: it has none that fit. */
static bool read_sides(const sac_array *shape, size_t side[2])
{
    int64_t number[2];
    if (!has_type_and_count(shape, SAC_I64, 2))
        return false;
    memcpy(number, shape->data, sizeof number);
    for (int i = 0; i < 2; i++)
        side[i] = number[i] >= 1 && number[i] <= MOST ? (size_t)number[i] : 0;
    return side[0] && side[1];
}

/* Words hold numbers along `in`, and zeros along `out`. */
static sac_status find_compressed(const opening *o, const char *module, matrix *m)
{
    const size_t each = 32 / o->q->bits;
    size_t side[2];
    m->packed = find_module_tensor(o, module, ".weight_packed");
    m->scales = find_module_tensor(o, module, ".weight_scale");
    m->zeros = find_module_tensor(o, module, ".weight_zero_point");
    m->groups = find_module_tensor(o, module, ".weight_g_idx");
    if (!read_sides(find_module_tensor(o, module, ".weight_shape"), side) || !m->scales ||
        m->scales->rank != 2)
        return fail_misfit(o, module);
    const size_t out = side[0], in = side[1], groups = m->scales->shape[1];
    const size_t words = divide_rounding_up(out, each) * groups;
    m->group = o->group ? o->group : in;
    bool fits = is_floating(m->scales, out * groups) &&
                divide_rounding_up(in, m->group) == groups &&
                has_type_and_count(m->packed, SAC_I32, out * divide_rounding_up(in, each)) &&
                (!m->zeros || has_type_and_count(m->zeros, SAC_I32, words)) &&
                (!m->groups || has_type_and_count(m->groups, SAC_I32, in));
    for (size_t i = 0; m->groups && fits && i < in; i++)
        fits = word_at(m->groups, i) < groups;
    if (!fits)
        return fail_misfit(o, module);
    set_matrix_shape(m, out, in);
    return SAC_OK;
}

/* ---------------------------------------------------------------- opening */

/* The tensor that a matrix is known by: MODULE and its ending. */
static bool strip_tensor_ending(const char *name, const char *ending, char module[NAME])
{
    size_t length = strlen(name), tail = strlen(ending);
    if (length <= tail || strcmp(name + length - tail, ending) != 0 ||
        length - tail + strlen(".weight") >= NAME)
        return false;
    memcpy(module, name, length - tail);
    module[length - tail] = '\0';
    return true;
}

static sac_status add_matrix(const opening *o, int method, const char *name)
{
    char module[NAME];
    matrix m = {.form = (form)method};
    sac_status status;
    if (method == INT8 && strip_tensor_ending(name, ".SCB", module))
        status = find_int8(o, module, &m);
    else if (method == INT8 && strip_tensor_ending(name, ".weight.absmax", module)) {
        m.form = FOUR_BITS;
        status = find_four_bits(o, module, &m);
    } else if (method == COMPRESSED && strip_tensor_ending(name, ".weight_packed", module))
        status = find_compressed(o, module, &m);
    else if ((method == GPTQ || method == AWQ) && strip_tensor_ending(name, ".qweight", module))
        status = find_grouped(o, module, &m);
    else
        return SAC_OK;
    snprintf(m.name, sizeof m.name, "%.240s.weight", module);
    if (status == SAC_OK)
        o->q->matrices[o->q->count++] = m;
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const matrix *)a)->name, ((const matrix *)b)->name);
}

sac_status sac_quantised_open(const sac_config *config, const sac_quantised_files *files,
                              sac_quantised **quantised, sac_error *error)
{
    sac_config inside = sac_config_inside(config, key);
    sac_quantised *q = *quantised = calloc(1, sizeof *q);
    size_t all = 0;
    sac_status status = SAC_OK;
    while (files->name(files->self, all))
        all++;
    if (q)
        q->matrices = calloc(all + 1, sizeof *q->matrices);
    if (!q || !q->matrices) {
        sac_quantised_close(q);
        *quantised = NULL;
        return sac_no_memory(error, key);
    }
    inside.error = error;
    int group = -1;
    if (quantisation_method(config) == COMPRESSED) {
        sac_config weights = inside;
        weights.json = (cJSON *)compressed_weights(inside.json);
        q->bits = (size_t)sac_config_size(&weights, "num_bits", 4, 8);
        group = sac_config_size_or(&weights, "group_size", -1, MOST, -1);
        status = sac_config_status(&weights);
    } else if (quantisation_method(config) != INT8) {
        q->bits = (size_t)sac_config_size(&inside, "bits", 4, 8);
        group = sac_config_size_or(&inside, "group_size", -1, MOST, 128);
        q->zeros_are_less = strcmp(sac_config_text(&inside, "checkpoint_format"), "gptq_v2") != 0;
        status = sac_config_status(&inside);
    }
    const opening o = {files, q, group > 0 ? (size_t)group : 0, error};
    for (size_t i = 0; i < all && status == SAC_OK; i++)
        status = add_matrix(&o, quantisation_method(config), files->name(files->self, i));
    if (status == SAC_OK) {
        qsort(q->matrices, q->count, sizeof *q->matrices, by_name);
        return SAC_OK;
    }
    sac_quantised_close(q);
    *quantised = NULL;
    return status;
}

void sac_quantised_close(sac_quantised *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->count; i++) {
        if (q->matrices[i].unpacked.data)
            sac_array_free(&q->matrices[i].unpacked);
        sac_array_free(&q->matrices[i].blocks);
    }
    free(q->matrices);
    free(q);
}

static matrix *find(const sac_quantised *q, const char *name)
{
    matrix wanted;
    if ((size_t)snprintf(wanted.name, sizeof wanted.name, "%s", name) >= sizeof wanted.name)
        return NULL;
    return bsearch(&wanted, q->matrices, q->count, sizeof *q->matrices, by_name);
}

const sac_array *sac_quantised_find(const sac_quantised *q, const char *name)
{
    const matrix *m = find(q, name);
    return m ? &m->unpacked : NULL;
}

bool sac_quantised_owns(const sac_quantised *q, const sac_array *array)
{
    for (size_t i = 0; i < q->count; i++)
        if (array == &q->matrices[i].unpacked)
            return true;
    return false;
}

/* ---------------------------------------------------------------- unpacking */

static void unpack_int8(const matrix *m, const float *scales, uint16_t *to)
{
    const int8_t *from = m->packed->data;
    size_t out = m->unpacked.shape[0], in = m->unpacked.shape[1];
    for (size_t i = 0; i < out * in; i++)
        to[i] = sac_float_to_half((float)from[i] * scales[i / in] / 127);
}

/* The scale of a block, which may have one of its own. */
static float block_scale(const matrix *m, size_t block)
{
    if (!m->outer)
        return float_at(m->scales, block);
    return float_at(m->outer_map, ((const uint8_t *)m->scales->data)[block]) *
               float_at(m->outer, block / m->outer_block) +
           m->offset;
}

/* Of a byte the upper half comes first. */
static void unpack_four_bits(const matrix *m, uint16_t *to)
{
    const uint8_t *from = m->packed->data;
    size_t count = m->unpacked.shape[0] * m->unpacked.shape[1];
    float scale = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % m->block == 0)
            scale = block_scale(m, i / m->block);
        int code = i % 2 ? from[i / 2] & 15 : from[i / 2] >> 4;
        to[i] = sac_float_to_half(float_at(m->map, (size_t)code) * scale);
    }
}

/* Number `at` of a word, the lowest first. */
static int packed_number(uint32_t word, size_t at, size_t bits)
{
    return (int)(word >> (at * bits) & ((1u << bits) - 1));
}

/* Of eight columns, column c of AWQ lies at place[c] of a word. */
static const size_t place[8] = {0, 4, 1, 5, 2, 6, 3, 7};

/* Number [in,out] of GPTQ, AWQ or COMPRESSED. */
static int grouped_code(const sac_quantised *q, const matrix *m, size_t i, size_t o)
{
    const size_t out = m->unpacked.shape[0], each = 32 / q->bits;
    if (m->form == COMPRESSED)
        return packed_number(
            word_at(m->packed, o * divide_rounding_up(m->unpacked.shape[1], each) + i / each),
            i % each, q->bits);
    return m->form == GPTQ
               ? packed_number(word_at(m->packed, i / each * out + o), i % each, q->bits)
               : packed_number(word_at(m->packed, i * (out / each) + o / each), place[o % each],
                               q->bits);
}

static size_t group_of_row(const matrix *m, size_t i)
{
    return m->groups ? word_at(m->groups, i) : i / m->group;
}

/* What is taken off the numbers of a group; 0 less 1 is the largest. */
static int grouped_zero(const sac_quantised *q, const matrix *m, size_t group, size_t o)
{
    const size_t each = 32 / q->bits, out = m->unpacked.shape[0];
    if (m->form == COMPRESSED && !m->zeros)
        return 1 << (q->bits - 1);
    if (m->form == COMPRESSED)
        return packed_number(
            word_at(m->zeros, o / each * (sac_array_count(m->scales) / out) + group), o % each,
            q->bits);
    uint32_t word = word_at(m->zeros, group * (out / each) + o / each);
    if (m->form == AWQ)
        return packed_number(word, place[o % each], q->bits);
    return (packed_number(word, o % each, q->bits) + q->zeros_are_less) & ((1 << q->bits) - 1);
}

/* Where the scale of a group's column is. */
static size_t place_of_scale(const matrix *m, size_t group, size_t o)
{
    const size_t out = m->unpacked.shape[0];
    return m->form == COMPRESSED ? o * (sac_array_count(m->scales) / out) + group : group * out + o;
}

static void unpack_grouped(const sac_quantised *q, const matrix *m, const float *scales,
                           uint16_t *to)
{
    const size_t out = m->unpacked.shape[0], in = m->unpacked.shape[1];
    for (size_t o = 0; o < out; o++)
        for (size_t i = 0; i < in; i++) {
            size_t group = group_of_row(m, i);
            int number = grouped_code(q, m, i, o) - grouped_zero(q, m, group, o);
            to[o * in + i] = sac_float_to_half(scales[place_of_scale(m, group, o)] * (float)number);
        }
}

static void drop_packed_pages(const matrix *m)
{
    sac_bytes_drop_pages(m->packed->data,
                         sac_array_count(m->packed) * sac_dtype_size(m->packed->dtype));
}

sac_status sac_quantised_unpack(sac_quantised *q, const char *name, const sac_array **unpacked,
                                sac_error *error)
{
    matrix *m = find(q, name);
    sac_array made = {0};
    *unpacked = &m->unpacked;
    if (m->unpacked.data)
        return SAC_OK;
    float *scales = calloc(sac_array_count(m->scales) + 1, sizeof *scales);
    sac_status status = scales ? sac_array_create(SAC_F16, 2, m->unpacked.shape, &made, error)
                               : sac_no_memory(error, name);
    if (status == SAC_OK && m->form != FOUR_BITS)
        status = sac_array_to_f32(m->scales, scales, error);
    if (status == SAC_OK) {
        if (m->form == INT8)
            unpack_int8(m, scales, made.data);
        else if (m->form == FOUR_BITS)
            unpack_four_bits(m, made.data);
        else
            unpack_grouped(q, m, scales, made.data);
        m->unpacked = made;
        drop_packed_pages(m);
    }
    if (status != SAC_OK)
        sac_array_free(&made);
    free(scales);
    return status;
}

/* ---------------------------------------------------------------- blocks */

/* Whether a block's scale of float16 is this one to the 11 bits that any number of float16 has. */
static bool fits_half(float scale)
{
    return fabsf(sac_half_to_float(sac_float_to_half(scale)) - scale) <= fabsf(scale) * 0x1p-11f;
}

/* The scale of a row of INT8, or of a group's column. */
static float scale_of_codes(const matrix *m, float scale)
{
    return m->form == INT8 ? scale / 127 : scale;
}

/* Whether each run of BLOCK rows is of one group. */
static bool has_whole_groups(const matrix *m)
{
    bool whole = m->groups || m->group % BLOCK == 0;
    for (size_t i = 0; whole && m->groups && i < m->unpacked.shape[1]; i++)
        whole = group_of_row(m, i) == group_of_row(m, i / BLOCK * BLOCK);
    return whole;
}

/* The smallest form whose blocks are the matrix. What INT8 has, and 8 bits less 128, is whole numbers of Q8_0, and
 * 4 bits less 8 those of Q4_0; 4 bits less any zero, from −15 to 15, need the 5 bits of Q5_0. */
static sac_stored form_of_blocks(const sac_quantised *q, const matrix *m, const float *scales)
{
    const size_t out = m->unpacked.shape[0], count = sac_array_count(m->scales);
    bool fits = m->form != FOUR_BITS && m->unpacked.shape[1] % BLOCK == 0, centred = true;
    for (size_t i = 0; fits && i < count; i++)
        fits = fits_half(scale_of_codes(m, scales[i]));
    if (!fits || m->form == INT8)
        return fits ? SAC_STORED_Q8_0 : SAC_STORED_F32;
    for (size_t i = 0; centred && i < count; i++)
        centred = grouped_zero(q, m, i / out, i % out) == 1 << (q->bits - 1);
    if (!has_whole_groups(m) || (!centred && q->bits == 8))
        return SAC_STORED_F32;
    return q->bits == 8 ? SAC_STORED_Q8_0 : centred ? SAC_STORED_Q4_0 : SAC_STORED_Q5_0;
}

/* Numbers i to i + BLOCK − 1 of row o. */
static void write_block(const sac_quantised *q, const matrix *m, const float *scales, size_t o,
                        size_t i, uint8_t *to)
{
    const bool is_int8 = m->form == INT8, has_five = m->stored == SAC_STORED_Q5_0;
    const size_t group = is_int8 ? 0 : group_of_row(m, i);
    const uint16_t scale =
        sac_float_to_half(scale_of_codes(m, scales[place_of_scale(m, group, o)]));
    const int8_t *bytes =
        is_int8 ? (const int8_t *)m->packed->data + o * m->unpacked.shape[1] + i : NULL;
    const int zero = is_int8 ? 0 : grouped_zero(q, m, group, o);
    *to++ = (uint8_t)scale;
    *to++ = (uint8_t)(scale >> 8);
    uint8_t *fifths = to, *low = to + (has_five ? BLOCK / 8 : 0);
    for (size_t k = 0; k < BLOCK; k++) {
        int number = is_int8 ? bytes[k] : grouped_code(q, m, i + k, o) - zero;
        if (m->stored == SAC_STORED_Q8_0) {
            to[k] = (uint8_t)number;
            continue;
        }
        number += has_five ? 16 : 8;
        low[k % (BLOCK / 2)] |= (uint8_t)((number & 15) << (k < BLOCK / 2 ? 0 : 4));
        if (has_five)
            fifths[k / 8] |= (uint8_t)(number >> 4 << k % 8);
    }
}

/* Columns of the file lie far apart, so all rows get a block before they get the next one. */
static void write_blocks(const sac_quantised *q, const matrix *m, const float *scales)
{
    const size_t out = m->unpacked.shape[0], in = m->unpacked.shape[1], row = m->blocks.shape[1];
    for (size_t i = 0; i < in; i += BLOCK)
        for (size_t o = 0; o < out; o++)
            write_block(q, m, scales, o, i,
                        (uint8_t *)m->blocks.data + o * row + sac_stored_bytes(m->stored, i));
}

sac_status sac_quantised_blocks(sac_quantised *q, const char *name, sac_gguf_blocks *blocks,
                                sac_error *error)
{
    matrix *m = find(q, name);
    const size_t out = m->unpacked.shape[0], in = m->unpacked.shape[1];
    sac_status status = SAC_OK;
    if (!m->blocks.data && m->form != FOUR_BITS) {
        float *scales = calloc(sac_array_count(m->scales) + 1, sizeof *scales);
        status = scales ? sac_array_to_f32(m->scales, scales, error) : sac_no_memory(error, name);
        if (status == SAC_OK)
            m->stored = form_of_blocks(q, m, scales);
        if (status == SAC_OK && m->stored != SAC_STORED_F32) {
            const size_t shape[] = {out, sac_stored_bytes(m->stored, in)};
            status = sac_array_create(SAC_U8, 2, shape, &m->blocks, error);
            if (status == SAC_OK)
                write_blocks(q, m, scales);
            drop_packed_pages(m);
        }
        free(scales);
    }
    if (status == SAC_OK && m->stored != SAC_STORED_F32)
        *blocks = (sac_gguf_blocks){
            .stored = m->stored, .rows = out, .width = in, .data = m->blocks.data};
    return status;
}
