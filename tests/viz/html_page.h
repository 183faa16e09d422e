/* A page that was written, read as a browser reads it: its data, and its weights. */
#ifndef TESTS_VIZ_HTML_PAGE_H
#define TESTS_VIZ_HTML_PAGE_H

#include <cjson/cJSON.h>
#include <zlib.h>

#include "test.h"

typedef struct html_page {
    char *text;
    size_t size;
    cJSON *data;
} html_page;

static inline size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* What stands in the script element of that id; its end into *end. */
static inline const char *page_script(const html_page *page, const char *id, const char **end)
{
    char name[64];
    snprintf(name, sizeof name, " id=\"%s\">", id);
    const char *begin = strstr(page->text, name);
    assert_non_null(begin);
    begin += strlen(name);
    *end = strstr(begin, "</script>");
    assert_non_null(*end);
    return begin;
}

static inline html_page page_read(const char *path)
{
    html_page page = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    page.size = (size_t)ftell(file);
    rewind(file);
    page.text = calloc(page.size + 1, 1);
    assert_int_equal(fread(page.text, 1, page.size, file), page.size);
    fclose(file);
    const char *end = NULL, *json = page_script(&page, "data", &end);
    page.data = cJSON_ParseWithLength(json, (size_t)(end - json));
    assert_non_null(page.data);
    return page;
}

static inline void page_close(html_page *page)
{
    free(page->text);
    cJSON_Delete(page->data);
}

static inline const char *page_text(const html_page *page, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(page->data, key));
    return text ? text : "";
}

static inline const cJSON *page_set(const html_page *page, int set)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(page->data, "sets"), set);
}

static inline uint8_t *from_base64(const char *text, const char *end, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *bytes = calloc((size_t)(end - text), 1);
    *size = 0;
    for (; text + 4 <= end; text += 4) {
        uint32_t group = 0;
        for (int i = 0; i < 4; i++)
            group =
                group << 6 | (text[i] == '=' ? 0 : (uint32_t)(strchr(digits, text[i]) - digits));
        for (int i = 0; i < 3; i++)
            if (text[i + 1] != '=')
                bytes[(*size)++] = (uint8_t)(group >> (16 - 8 * i));
    }
    return bytes;
}

/* The maps of a layer: for each head low and high as floats, and a byte for each weight; free(). */
static inline uint8_t *page_maps(const html_page *page, const char *id, size_t expected)
{
    const char *end = NULL, *base64 = page_script(page, id, &end);
    size_t packed_size;
    uint8_t *packed = from_base64(base64, end, &packed_size), *plain = calloc(expected + 1, 1);
    uLongf size = expected + 1;
    assert_int_equal(uncompress(plain, &size, packed, packed_size), Z_OK);
    assert_int_equal(size, expected);
    free(packed);
    return plain;
}

/* The weight of a code of a map whose weights are not negative. */
static inline float page_weight(const html_page *page, const uint8_t *map, size_t cell)
{
    float high;
    double levels = cJSON_GetNumberValue(cJSON_GetObjectItem(page->data, "levels"));
    memcpy(&high, map + 4, sizeof high);
    double place = map[8 + cell] / levels;
    return (float)(high * place * place);
}

#endif
