/* Runs the program as a person would, and compares its output with the expected one. */
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H

#include "test.h"

typedef struct program_run {
    /* How to run; zero is the usual way. */
    const char *environment[8]; /* "NAME=value" added, "NAME" taken away; ends with NULL */
    const char *folder;         /* to run in */
    int processes;              /* so many together, by mpirun; 0: one, without it */
    size_t file_limit;          /* bytes a file may grow to (the disk is full beyond) */
    size_t memory_limit;        /* bytes of address space */
    /* SIGINT to all processes of its group, as a terminal sends it, so long after the program began
     * to wait for it; or once it has run for so long and a driver's compiler runs as its child. */
    int interrupt_after_ms;
    const char *interrupt_reader_of; /* once it has opened that file */
    bool interrupt_compiler;
    int interrupt_signal; /* another than SIGINT */
    int interrupt_times;  /* more than once */
    int ignored_signal;   /* as under nohup */
    /* What came of it. */
    int status; /* of exit; −N: killed by signal N */
    char out[1 << 18], err[1 << 14];
} program_run;

/* False where this build has no MPI: nothing runs together then. */
bool has_mpi(void);
/* Runs `saccade` with the arguments, which end with NULL, and waits for it. */
void run_saccade(program_run *run, ...) __attribute__((sentinel));

/* The usual run: in the tests' folder, where there is one, and with nothing else about it. */
extern program_run ran;
#define RUN(...) run_saccade(&ran, __VA_ARGS__, NULL)
#define DONE(...) (RUN(__VA_ARGS__), assert_done(&ran))
#define PASSES(...) (RUN(__VA_ARGS__), assert_int_equal(ran.status, 0)) /* it may print notices */
#define FAILS(status, line, ...) (RUN(__VA_ARGS__), assert_fails(&ran, status, line))
#define FAILS_WITH(status, part, ...) (RUN(__VA_ARGS__), assert_fails_with(&ran, status, part))

/* The tests' folder: setup and teardown of a test, or of all, and a name inside of it. */
extern char folder[64];
int make_folder(void **state);
int remove_folder(void **state);
const char *here(const char *name);

/* One line on stderr, which begins with "saccade: ", goes on with `line` from its first letter to
 * its last, and nothing else printed; and the exit status. "…" in `line` as in wording.h. */
void assert_fails(const program_run *run, int status, const char *line);
/* The same where the line depends on the machine: `part` stands somewhere in it. */
void assert_fails_with(const program_run *run, int status, const char *part);
/* Command lines that fail so, and leave no file behind; the words of `first`, between blanks, begin
 * each. */
typedef struct refusal {
    int status;
    const char *line;
    const char *words[8];
} refusal;
void assert_refused(const char *first, const refusal *rows, size_t count);
#define REFUSED(first, ...)                                                                        \
    do {                                                                                           \
        static const refusal rows_[] = {__VA_ARGS__};                                              \
        assert_refused(first, rows_, sizeof rows_ / sizeof *rows_);                                \
    } while (0)
/* Status 0 and nothing on stderr. */
void assert_done(const program_run *run);

/* A fresh folder under /tmp, its name in `path` (64 bytes). */
void folder_create(char *path);
void folder_remove(const char *path); /* with all that is in it */
int folder_count(const char *path);   /* files in it */

/* "FOLDER/NAME" into one of eight buffers that take turns. */
const char *in_folder(const char *parent, const char *name);
void file_write(const char *path, const void *data, size_t size);
char *file_read(const char *path, size_t *size); /* free() it */

#endif
