/* Text of others inside a page: as JSON that no parser of HTML takes for an end of the script. */
#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "export/html/html_parts.h"

static void put_unit(FILE *file, uint32_t unit)
{
    fprintf(file, "\\u%04x", unit);
}

void viz_html_put_text(FILE *file, const char *utf8)
{
    uint32_t code;
    fputc('"', file);
    for (const char *at = utf8; *at;) {
        size_t length = sac_utf8_at(at, SIZE_MAX, &code);
        bool is_special = code == '"' || code == '\\' || code == '<' || code == '>' ||
                          code == '&' || code == 0x2028 || code == 0x2029;
        if (code == UINT32_MAX)
            put_unit(file, 0xfffd);
        else if (is_special || sac_is_control(code))
            put_unit(file, code);
        else
            fwrite(at, 1, length, file);
        at += length;
    }
    fputc('"', file);
}
