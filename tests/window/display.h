/* A display of the test's own (Xvfb), the program on it, and what can be seen there. */
#ifndef TESTS_WINDOW_DISPLAY_H
#define TESTS_WINDOW_DISPLAY_H

#include <stdbool.h>
#include <sys/types.h>

#include "images/image.h"

/* A screen of that size with the pointer in its upper left corner; sets DISPLAY. False where Xvfb
 * or xdotool are not installed. */
bool display_open(int width, int height);
void display_close(void);
/* The pixels of the screen now; free with sac_image_free. */
void display_read(sac_image *screen);

/* "FOLDER/NAME", in one of four texts that take turns. */
const char *path_in(const char *folder, const char *name);
/* Starts a program and leaves it running; its output is thrown away where `quiet`. */
pid_t program_start(const char *const *arguments, const char *folder, bool quiet);
/* Waits for it to end; gives its exit status, or −N where signal N ended it. */
int program_wait(pid_t child);
/* xdotool with these words, which end with NULL. */
void pointer_and_keys(const char *word, ...) __attribute__((sentinel));
/* The same for words that search for a window: tried until it is there. While windows come and go
 * xdotool itself fails, when one that it has listed is gone before it is asked about. */
void find_window(const char *word, ...) __attribute__((sentinel));

/* Waits until the picture stands at x, y of the screen, pixel for pixel; gives the number of pixels
 * that still differ when patience is over. */
int wait_until_seen(const char *png, int x, int y, int patience_ms);
void assert_seen(const char *png, int x, int y);
/* Waits until there is a file under that name; false: there is none after that time. */
bool appears(const char *path, int patience_ms);
/* The same; it fails where none comes. */
void assert_appears(const char *path);

#endif
