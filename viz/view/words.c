/* The language of the window. */

#include "view/words.h"

#include "base/notice.h"
#include "canvas/text.h"

static sac_locale current = SAC_IN_ENGLISH;

void viz_set_language(sac_locale language)
{
    current = language;
}

sac_locale viz_language(void)
{
    return current;
}

sac_status viz_words_open(sac_error *error)
{
    sac_status status = viz_text_open(error);
    if (status == SAC_OK && current == SAC_IN_CHINESE && !viz_text_has_fonts("注意力")) {
        sac_notice(
            "Chinese: no font has its signs, so what is drawn is in English; install one, such as "
            "fonts-noto-cjk");
        viz_set_language(SAC_IN_ENGLISH);
    }
    return status;
}

const char *viz_word(const char *english)
{
    return sac_translate(current, english);
}
