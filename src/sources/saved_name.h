/* Names of files as a saved picture holds them, whose texts are UTF-8. */
#ifndef SAC_SOURCES_SAVED_NAME_H
#define SAC_SOURCES_SAVED_NAME_H

/* The name itself; one that is not UTF-8, which a system may have, becomes "percent-encoded:" and
 * its bytes as in a URI (RFC 3986, 2.1), and so does one that begins with that word. free() it;
 * NULL: no memory. */
char *sac_saved_name_encode(const char *name);
/* The name that was written; free() it. NULL for what is no such text, and without memory. */
char *sac_saved_name_decode(const char *text);

#endif
