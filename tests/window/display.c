#include "display.h"
#include "status.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <sys/stat.h>
#include <sys/wait.h>

/* How long something may take to show on a busy machine before it counts as not happening. */
enum { PATIENCE_MS = 300000, STEP_MS = 50 };

static pid_t server;
static char frame_folder[] = "/tmp/saccade-display-XXXXXX";
static char settings_folder[] = "/tmp/saccade-settings-XXXXXX";

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){0, STEP_MS * 1000000L}, NULL);
}

const char *path_in(const char *folder, const char *name)
{
    static char paths[4][128];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

pid_t program_start(const char *const *arguments, const char *folder, bool quiet)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int nowhere = open("/dev/null", O_WRONLY);
    if (quiet) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    if (folder && chdir(folder) != 0)
        _exit(126);
    execvp(arguments[0], (char *const *)arguments);
    _exit(127);
}

int program_wait(pid_t child)
{
    int state;
    assert_int_equal(waitpid(child, &state, 0), child);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

static bool is_installed(const char *program)
{
    const char *const arguments[] = {"sh", "-c", "command -v \"$0\" >/dev/null", program, NULL};
    return program_wait(program_start(arguments, NULL, true)) == 0;
}

/* Windows of a test keep what is chosen in them apart from what the person chose; the hints of the
 * first start would lie over what is compared. */
static void keep_settings_apart(void)
{
    char path[80];
    assert_non_null(mkdtemp(settings_folder));
    setenv("XDG_CONFIG_HOME", settings_folder, 1);
    snprintf(path, sizeof path, "%s/saccade", settings_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/saccade/settings", settings_folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("hints seen\n", file);
    fclose(file);
}

static void remove_settings(void)
{
    char path[80];
    snprintf(path, sizeof path, "%s/saccade/settings", settings_folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/saccade/recent", settings_folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/saccade", settings_folder);
    rmdir(path);
    rmdir(settings_folder);
}

/* Xvfb writes to a pipe which number it took once it can be used. */
bool display_open(int width, int height)
{
    if (!is_installed("Xvfb") || !is_installed("xdotool"))
        return false;
    keep_settings_apart();
    int ends[2];
    char size[32], end[16], number[16] = ":";
    assert_non_null(mkdtemp(frame_folder));
    assert_int_equal(pipe(ends), 0);
    snprintf(size, sizeof size, "%dx%dx24", width, height);
    snprintf(end, sizeof end, "%d", ends[1]);
    /* A server that starts anew when its last window goes refuses the next one meanwhile. */
    const char *const arguments[] = {"Xvfb",      "-displayfd", end,        "-screen",
                                     "0",         size,         "-fbdir",   frame_folder,
                                     "-nolisten", "tcp",        "-noreset", NULL};
    server = program_start(arguments, NULL, true);
    close(ends[1]);
    assert_true(read(ends[0], number + 1, sizeof number - 2) > 0);
    close(ends[0]);
    number[strcspn(number, "\n")] = '\0';
    setenv("DISPLAY", number, 1);
    setenv("SDL_VIDEODRIVER", "x11", 1);
    pointer_and_keys("mousemove", "0", "0", NULL);
    return true;
}

void display_close(void)
{
    char path[64];
    kill(server, SIGTERM);
    program_wait(server);
    snprintf(path, sizeof path, "%s/Xvfb_screen0", frame_folder);
    unlink(path);
    rmdir(frame_folder);
    remove_settings();
}

/* xdotool's exit status. */
static int run_xdotool(const char *word, va_list rest)
{
    const char *arguments[40] = {"xdotool", word};
    for (int i = 2; i < 39 && (arguments[i] = va_arg(rest, const char *)); i++)
        ;
    return program_wait(program_start(arguments, NULL, true));
}

void pointer_and_keys(const char *word, ...)
{
    va_list rest;
    va_start(rest, word);
    int status = run_xdotool(word, rest);
    va_end(rest);
    assert_int_equal(status, 0);
}

void find_window(const char *word, ...)
{
    int status = 1;
    for (int attempt = 0; attempt < PATIENCE_MS / 100 && status != 0; attempt++) {
        va_list rest;
        va_start(rest, word);
        status = run_xdotool(word, rest);
        va_end(rest);
        if (status != 0)
            usleep(100000);
    }
    assert_int_equal(status, 0);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Xvfb keeps its screen in a file of the form XWD: a header of big-endian words (its own size
 * first, width and height as words 4 and 5, bytes per line 12, colours 19), colours of 12 bytes,
 * pixels. */
void display_read(sac_image *screen)
{
    char path[64];
    uint8_t header[100];
    snprintf(path, sizeof path, "%s/Xvfb_screen0", frame_folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
    int width = (int)big_endian(header + 16), height = (int)big_endian(header + 20);
    uint32_t line = big_endian(header + 48), colors = big_endian(header + 76);
    OK(sac_image_create(width, height, screen, NULL));
    assert_int_equal(line, width * 4);
    fseek(file, (long)(big_endian(header) + 12 * colors), SEEK_SET);
    assert_int_equal(fread(screen->rgba, line, (size_t)height, file), (size_t)height);
    fclose(file);
    for (int i = 0; i < width * height; i++) { /* blue, green, red, nothing */
        uint8_t *pixel = screen->rgba + 4 * i, blue = pixel[0];
        pixel[0] = pixel[2];
        pixel[2] = blue;
        pixel[3] = 255;
    }
}

/* Pixels of `picture` that the screen does not show at x, y. */
static int count_other(const sac_image *picture, int x, int y)
{
    sac_image screen;
    int other = 0;
    display_read(&screen);
    assert_true(x + picture->width <= screen.width && y + picture->height <= screen.height);
    for (int row = 0; row < picture->height; row++) {
        const uint8_t *a = picture->rgba + 4 * (size_t)row * (size_t)picture->width;
        const uint8_t *b = screen.rgba + 4 * ((size_t)(y + row) * (size_t)screen.width + (size_t)x);
        for (int i = 0; i < picture->width; i++)
            other += memcmp(a + 4 * i, b + 4 * i, 4) != 0;
    }
    sac_image_free(&screen);
    return other;
}

int wait_until_seen(const char *png, int x, int y, int patience_ms)
{
    sac_image picture;
    int other = -1;
    OK(sac_image_load(png, &picture, NULL));
    for (int waited = 0; waited < patience_ms && other != 0; waited += STEP_MS) {
        pause_briefly();
        other = count_other(&picture, x, y);
    }
    sac_image_free(&picture);
    return other;
}

void assert_seen(const char *png, int x, int y)
{
    int other = wait_until_seen(png, x, y, PATIENCE_MS);
    if (other != 0)
        fail_msg("%d pixels of the window differ from %s", other, png);
}

bool appears(const char *path, int patience_ms)
{
    for (int waited = 0; waited < patience_ms; waited += STEP_MS) {
        if (access(path, R_OK) == 0)
            return true;
        pause_briefly();
    }
    return false;
}

void assert_appears(const char *path)
{
    if (!appears(path, PATIENCE_MS))
        fail_msg("%s does not appear", path);
}
