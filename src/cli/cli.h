/* The commands of the program, one file each, and what they share. */
#ifndef SAC_CLI_CLI_H
#define SAC_CLI_CLI_H

#include "saccade.h"

/* Exit statuses of the program. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_DEVICE = 3 };

/* The arguments after the name of `command`. */
typedef struct cli_args {
    const struct cli_command *command;
    int count;
    char **values;
} cli_args;

/* A command: its file in commands/ ends with it, and the table of main.c names it. */
typedef struct cli_command {
    const char *name, *arguments,
        *summary; /* "attend", "IN.npz OUT.npz [OPTIONS]", "attention on arrays" */
    int (*run)(cli_args args);
    bool shares; /* its work with the other processes of a run, as mpirun starts them */
} cli_command;

/* ---- options: one table per command, for the command line, its help and its page of the manual */

/* CLI_CHOICE: a value that may be left out, one of the words that `value_name` lists, as
 * "[first|second]": only one of these is taken for it where it is a word of its own; "" without. */
typedef enum cli_kind {
    CLI_FLAG,
    CLI_TEXT,
    CLI_REAL,
    CLI_WHOLE,
    CLI_SEED,
    CLI_LIST,
    CLI_OF_SET,
    CLI_CHOICE
} cli_kind;

/* The values of an option that may be given more than once. */
enum { CLI_LIST_SIZE = 64 };
typedef struct cli_list {
    const char *values[CLI_LIST_SIZE];
    int count;
} cli_list;

/* The texts of an option that several sets may have, such as sets of pictures. Options of a set share
 * the number of the last one; one that this has already begins the next. */
enum { CLI_SETS = 8 };
typedef struct cli_of_set {
    int *last;
    const char *values[CLI_SETS];
} cli_of_set;

typedef struct cli_option {
    const char *name; /* "--score" */
    cli_kind kind;
    void *value; /* bool *, const char **, float *, int *, uint64_t *, cli_list *, cli_of_set *,
                    const char ** */
    bool *given; /* may be NULL */
    const char *value_name, *help; /* "S", "dot, scaled-dot, …"; help NULL: it is not listed */
    const char
        *group; /* that begins with it, in the help of a command that has many; NULL: none does */
} cli_option;

/* Texts of options that several commands have. */
#define CLI_DEVICE_HELP                                                                            \
    "OpenCL device: its number in `saccade devices`, cpu, gpu, or part of its name (default: the " \
    "first usable GPU, else a CPU)"
#define CLI_DEVICES_HELP CLI_DEVICE_HELP "; 1,2 or all: several share the work"
#define CLI_WITH_HELP                                                                              \
    "device for the second side of a difference, by the same names (default: that of --device)"
#define CLI_BETWEEN_HELP                                                                           \
    "what differs: two layers, such as 3,4, or two heads, such as 3.5,4.1 (LAYER.HEAD)"
#define CLI_DATASET_HELP "book (picture book) or shapes (flat shapes)"
#define CLI_CAPTIONER_HELP "photographs, book (picture book) or shapes (flat shapes)"
#define CLI_LANGUAGE_HELP "language of a sound, by its code (default: the folder's, or it is found)"
#define CLI_TASK_HELP "of a sound: transcribe (default) or translate into English"
#define CLI_STORAGE_HELP                                                                           \
    "of a pretrained model: float32 (default), or bfloat16, which is faster where the processor "  \
    "multiplies it"
#define CLI_BEAM_HELP "beam width, 1 to 5; 1 is greedy decoding (default 3, or the folder's)"
#define CLI_PENALTY_HELP                                                                           \
    "a beam compares sentences by log p / words^X: 0 favours short ones, 1 takes the mean of a "   \
    "word (default: the model's)"
#define CLI_PRESENT_HELP "presentation mode: full screen, high contrast, large text"
#define CLI_JSON_HELP "print JSON instead of text"

/* For the manual's page, and nothing else. */
bool cli_asks_for_page(cli_args args);

/* Fills the options' values (also from --name=value) and collects what is no option into
 * files[0 … *file_count − 1]. `options` ends with a zeroed one; values not given are left as they
 * are. An option that keeps one value, or takes none, is refused where it is given twice. On a mistake prints one line (the nearest option suggested) and returns CLI_USAGE; --help
 * prints help, --help=man the page of the manual, and returns −1 (then exit with CLI_DONE). */
int cli_parse(cli_args args, const cli_option *options, const char **files, int max_files,
              int *file_count);

void cli_page_begin(const char *name, const char *summary);
void cli_page_print_text(const char *text); /* escaped, on a line of its own */
void cli_page_print_item(const char *name,
                         const char *value); /* of a list; the text of it follows */
#define CLI_PAGE_DESCRIPTION ".\\\" description"
#define CLI_PAGE_SECTIONS ".\\\" sections"

/* --causal, a CLI_CHOICE of where a causal mask begins: what was given, or NULL, into the spec. */
#define CLI_CAUSAL_WORDS "[top-left|bottom-right]"
void cli_parse_causal(const char *text, sac_attention_spec *spec);

/* Reads --stream: "test", which is the default, or "training". */
int cli_read_stream(const char *text, bool *is_training);

/* Prints the error on stderr and gives the exit status that belongs to it. What all processes of a run
 * know is printed by the first; what one of those that a launcher started may know alone is kept until
 * it leaves, and shared with the others then. */
int cli_report(const sac_error *error);
int cli_report_now(const sac_error *error); /* of one item of many: the command goes on */
/* Joins the other processes of a run, if there are any: the first alone prints then. `words` are the
 * program's, its name first. Fails where a process has others, another version or environment, and
 * where one does not answer. Before any device is opened. */
int cli_join_processes(char *const *words);
/* Refuses a command that does not share its work where there are others to share it with. */
int cli_check_alone(const cli_command *command);
/* The error that is kept until the process leaves; its status SAC_OK: none is. */
const sac_error *cli_deferred_error(void);
/* Before the process ends with `status`. Returns the one to end with. */
int cli_leave_processes(int status);
/* Where a launcher started several, each file that this process reads from now on is noted, … */
void cli_inputs_start_recording(void);
/* … and here, where all processes have read what they compute from, they agree on `status`, and that
 * they read the same. */
sac_status cli_inputs_agree(sac_status status, sac_error *error);
/* Where `selector` names several devices of this machine, starts a process for each beside this one,
 * which is the first, and joins them. Before any device or output is opened. */
int cli_share_devices(const char *selector);
/* The device of this process: the one that it was started for; or, under a launcher, where `--device`
 * lists some with commas the first process has the first, and so on around. Else `selector` itself.
 * Lends a static text. */
const char *cli_own_device(const char *selector);
/* "device 1 (PoCL, AMD EPYC), device 2 (…)": those that cli_share_devices started processes for;
 * leaves `text` as it is where it did not. */
void cli_write_device_names(char *text, size_t size);
/* Prints "saccade: WHERE: WHAT; TODO" and returns CLI_USAGE. */
int cli_usage(const char *where, const char *what, const char *remedy);

/* SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGQUIT set a flag; long work stops at its next step and
 * cleans up, and a wait for a file ends the program with a line by `reporter`, such as cli_report.
 * The third ends it at once. Installed before other threads begin. */
void cli_interrupt_install(int (*reporter)(const sac_error *error));
/* A window closes by itself once it sees the flag: then no wait ends the program. */
void cli_interrupt_set_has_window(bool has);
bool cli_interrupted(void);
/* Sets the handler by which a mapped file that is cut while it is read ends the program with one
 * line. */
void cli_install_cut_file_handler(void);
/* A progress whose step returns false once interrupted, and draws a bar on a terminal's stderr. */
sac_progress cli_progress(const char *what);
void cli_progress_clear(void); /* takes the bar away, before a line is printed */
/* A listener of notices (base/notice.h): prints them on stderr. */
void cli_notice_show(void *user, const char *text);
/* The latest of them, once: a window shows it too. False: there is none that was not taken. */
bool cli_notice_take(char *text, size_t size);
/* Prints on a terminal's stderr what takes seconds, such as a driver that compiles, for as long as
 * it does; a window has its own place for that. */
void cli_waits_show(bool show);

/* Refuses a dataset of `--dataset` (may be NULL) that there is not. */
int cli_dataset_check(const char *dataset);
/* The same where a captioner is meant, which may be that of photographs; one given beside weights,
 * which have their own, is refused too. */
int cli_captioner_check(const char *dataset, const char *weights);

#endif
