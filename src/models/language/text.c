#include "language/text.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/bytes.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/text/utf8.h"
#include "grammar/sentence.h"
#include "images/folder.h"

static sac_status append(sac_text *text, const char *more, size_t size, sac_error *error)
{
    char *longer = realloc(text->text, text->size + size + 2);
    if (!longer)
        return sac_no_memory(error, "text");
    text->text = longer;
    if (text->size && longer[text->size - 1] != '\n')
        longer[text->size++] = '\n';
    memcpy(longer + text->size, more, size);
    text->size += size;
    longer[text->size] = '\0';
    return SAC_OK;
}

static sac_status append_file(const char *path, sac_text *text, sac_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of byte order */
    sac_bytes bytes = {0};
    const bool is_input = strcmp(path, "-") == 0;
    sac_status status = sac_bytes_read(is_input ? "/dev/stdin" : path, &bytes, error);
    if (status != SAC_OK)
        return status;
    const char *from = (const char *)bytes.data;
    size_t size = bytes.size, skipped = size >= 3 && memcmp(from, mark, 3) == 0 ? 3 : 0;
    size_t valid = sac_utf8_valid_size(from, size), zero = strnlen(from, size);
    valid = zero < valid ? zero : valid;
    size_t line = 1;
    for (size_t i = 0; i < valid && valid < size; i++)
        line += from[i] == '\n';
    if (valid < size)
        status =
            sac_fail(error, SAC_E_FORMAT, is_input ? "standard input" : path, "save it as UTF-8",
                     "is not text in UTF-8, at line %zu (byte %zu of the file)", line, valid);
    else
        status = append(text, from + skipped, size - skipped, error);
    sac_bytes_free(&bytes);
    return status;
}

/* What is hidden, empty or no text is left out. */
static sac_status append_folder(const char *path, sac_text *text, sac_error *error)
{
    sac_folder folder = {0};
    size_t taken = 0;
    sac_status status = sac_folder_list_names(path, &folder, error);
    for (size_t i = 0; i < folder.count && status == SAC_OK; i++) {
        sac_error why = {0};
        char *file = sac_path_join(path, folder.entries[i].name);
        if (!file)
            status = sac_no_memory(error, path);
        else if (folder.entries[i].name[0] != '.' && sac_is_regular(file)) {
            const sac_status read = append_file(file, text, &why);
            taken += read == SAC_OK;
            if (read == SAC_E_FORMAT)
                sac_notice("%s: left out, as it %s", file, why.what);
            else
                status = read == SAC_OK ? SAC_OK : sac_error_pass(error, &why, NULL);
        }
        free(file);
    }
    sac_folder_free(&folder);
    return status == SAC_OK && !taken ? sac_fail(error, SAC_E_FORMAT, path,
                                                 "give a folder of texts", "has no file of text")
                                      : status;
}

/* A sentence a line. */
static sac_status append_sentences(sac_text *text, sac_error *error)
{
    enum { SENTENCES = 8000 };
    sac_sentence_pair pair;
    char line[SAC_SENTENCE_MOST * SAC_SENTENCE_WORD_SIZE];
    sac_status status = SAC_OK;
    for (uint64_t i = 0; i < SENTENCES && status == SAC_OK; i++) {
        sac_sentence_make(SAC_TEXT_TRAINING, i, &pair);
        sac_sentence_join((const char(*)[SAC_SENTENCE_WORD_SIZE])pair.source, pair.source_count,
                          line, sizeof line);
        status = append(text, line, strlen(line), error);
    }
    return status;
}

sac_status sac_text_read(const char *const *paths, int count, sac_text *text, sac_error *error)
{
    sac_status status = SAC_OK;
    *text = (sac_text){0};
    if (!count)
        status = append_sentences(text, error);
    for (int i = 0; i < count && status == SAC_OK; i++)
        status = sac_is_folder(paths[i]) ? append_folder(paths[i], text, error)
                                         : append_file(paths[i], text, error);
    if (status != SAC_OK) {
        free(text->text);
        *text = (sac_text){0};
    }
    return status;
}
