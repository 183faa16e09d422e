/* The processes that a launcher of MPI started together, `mpirun -n 4 saccade …`, or that the program
 * started for several devices of one machine: ranks 0 to count − 1 of one run. Each computes a part. What
 * they do together is called by all of them in the same order; a process that fails goes on taking part
 * until sac_ranks_agree shares its failure. */
#ifndef SAC_SHARING_RANKS_RANKS_H
#define SAC_SHARING_RANKS_RANKS_H

#include "saccade.h"

/* True if a launcher of MPI started this process beside others. */
bool sac_ranks_launched(void);
/* Which of them it is, before it has joined them; 0 where no launcher set it. */
int sac_ranks_launched_rank(void);
/* Joins the others. *count 1 and SAC_OK where no launcher started this process, or it started one.
 * SAC_E_ARGUMENT where this program was built without MPI. Before any device is opened. */
sac_status sac_ranks_join(int *me, int *count, sac_error *error);

enum { SAC_RANKS_MOST = 16 }; /* devices */
typedef struct sac_ranks_device {
    char selector[16];
    char name[192]; /* "device 2 (PoCL, AMD EPYC)" */
    int threads;    /* of a CPU's driver; 0: as many as it likes */
} sac_ranks_device;
typedef struct sac_ranks_devices {
    sac_ranks_device of[SAC_RANKS_MOST];
    int count;
} sac_ranks_devices;
typedef sac_status sac_ranks_list(const void *user, sac_ranks_devices *devices, sac_error *error);
/* Starts this program anew, by `words`, its own, until there is a process for each device that `list`
 * fills in, and joins them; this one is the first. `list` runs in a process of its own, so that no driver
 * is loaded in this one. For a process that is alone, before any device is opened. */
sac_status sac_ranks_start(char *const *words, sac_ranks_list *list, const void *user,
                           sac_error *error);
/* The first exchange of processes that a launcher started. Each gives what all have to have alike, as
 * lines; fails in all of them where one differs from most, and names it with the first line of it that
 * does. sac_ranks_awaited_process is the process that this one waits for meanwhile, −1: all. */
sac_status sac_ranks_check_greetings(const char *lines, const char *remedy, sac_error *error);
int sac_ranks_awaited_process(void);
/* The same at any later time, where all take part. */
sac_status sac_ranks_compare(const char *lines, const char *remedy, sac_error *error);
/* The device that a process was started for; NULL: none. */
const sac_ranks_device *sac_ranks_device_of(int process);

/* This process, 0 before it has joined; and how many there are, 1. */
int sac_ranks_me(void);
int sac_ranks_count(void);
/* A person or the launcher asks this process to stop, also while it works on to a good place to do so
 * (base/cancel.h then does not ask): where another process keeps it waiting, it waits no longer. */
void sac_ranks_set_stop_query(bool (*asked)(void));
/* Before the process ends with `status`; harmless where it never joined. Waits for the others, unless
 * work was cancelled. Returns the status to end with: of a failure that all agreed on the first process
 * has it alone, and ends last. */
int sac_ranks_leave(int status);

/* Each process gives its own outcome; all return the first that failed, by rank, with its error, whose
 * `where` names the process unless all failed alike. */
sac_status sac_ranks_agree(sac_status mine, sac_error *error);
/* True once they agreed on a failure: each has its error. */
bool sac_ranks_agreed(void);

/* Does `work` for each of `count` items, which the processes share out, and gives all one outcome. Those of
 * one machine take the next item as they are free. There a device that fails hands its item to the others,
 * with a notice; this process takes no more items then, in this list and later ones. So `work`
 * leaves nothing behind of an item that it fails at. */
typedef sac_status sac_ranks_work(void *user, size_t item, sac_error *error);
sac_status sac_ranks_each(size_t count, sac_ranks_work *work, void *user, sac_error *error);
/* A failure of the device, and not of what it was given: another may do what it could not. */
bool sac_status_is_of_device(sac_status status);
/* True where this process's device failed, and others took over. */
bool sac_ranks_gave_up(void);

/* A transfer that goes on while this process computes. */
typedef struct sac_ranks_transfer {
    void *handles[2]; /* NULL: over */
} sac_ranks_transfer;
/* Sends `size` bytes to one process and receives as many as `from` sends from another; a size of 0 is
 * not sent, or not received. Both stay where they are until the transfer has ended. */
sac_status sac_ranks_begin(sac_ranks_transfer *transfer, int to, const void *sent, size_t sent_size,
                           int from, void *received, size_t received_size, sac_error *error);
/* Moves it on, and never waits; called every now and then while this process computes. */
void sac_ranks_poll_transfer(sac_ranks_transfer *transfer);
/* Waits for its end. SAC_E_CANCELLED where work should stop. */
sac_status sac_ranks_end(sac_ranks_transfer *transfer, sac_error *error);

/* Sums of the numbers of all processes, in place. */
sac_status sac_ranks_sum(float *numbers, size_t count, sac_error *error);
/* What each process gives, `size` bytes, in the order of the processes: `all` has room for count ·
 * size. */
sac_status sac_ranks_share(const void *mine, void *all, size_t size, sac_error *error);

/* The totals of what each process counted, in place; the same in all. */
sac_status sac_ranks_total(double *const *numbers, size_t number_count, size_t *const *counts,
                           size_t count_count, sac_error *error);
/* The same of one list. */
sac_status sac_ranks_total_of(double *numbers, size_t count, sac_error *error);
/* Texts of all processes, in their order: `texts` has room for one each, owned by the caller. */
sac_status sac_ranks_collect(const char *mine, char **texts, sac_error *error);

/* An array whose pieces along one axis lie in several processes, as process 0 writes it: piece by piece
 * in the order of the whole, so that a process holds at most one piece of another. */
typedef struct sac_gathered_piece {
    int owner;        /* the process that has it */
    size_t count;     /* elements of the axis */
    const void *data; /* [before, count, …] where it is this process's; lent */
} sac_gathered_piece;

typedef struct sac_gathered {
    size_t before;                    /* product of the sizes before the axis */
    size_t item_bytes;                /* of all that stands behind one element of the axis */
    const sac_gathered_piece *pieces; /* [count], in the order of the axis; lent */
    int count;
    /* Where process 0 is. */
    size_t outer, done; /* bytes of the piece that are handed on */
    int piece;
    void *held; /* owned: one that came from elsewhere */
} sac_gathered;

/* What the others do: they send their pieces in order. */
sac_status sac_gathered_send_own(const sac_gathered *array, sac_error *error);
/* What process 0 does: the next `size` bytes of the whole. */
sac_status sac_gathered_next(sac_gathered *array, void *bytes, size_t size, sac_error *error);
/* Receives what is left after a failure, so that no sender waits. Frees what is held. */
void sac_gathered_end(sac_gathered *array);

#endif
