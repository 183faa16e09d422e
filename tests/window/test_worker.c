
#include <pthread.h>
#include <semaphore.h>

#include "base/error.h"
#include "test.h"
#include "window/worker.h"

typedef struct sum_job {
    viz_job base;
    int asked, answer;
} sum_job;

typedef struct counting_view {
    viz_view base;
    sem_t go; /* the work waits for it */
    pthread_t worked_on, taken_on;
    int taken, answer;
    bool failed;
    char why[512];
} counting_view;

static sac_status work(viz_view *base, viz_job *given, sac_error *error)
{
    sum_job *job = (sum_job *)given;
    counting_view *view = (counting_view *)base;
    sem_wait(&view->go);
    view->worked_on = pthread_self();
    if (job->asked < 0)
        return sac_fail(error, SAC_E_VALUE, "job", NULL, "below zero");
    job->answer = 2 * job->asked;
    return SAC_OK;
}

static void take(viz_view *base, viz_job *given, const sac_error *error)
{
    const sum_job *job = (const sum_job *)given;
    counting_view *view = (counting_view *)base;
    view->taken++;
    view->taken_on = pthread_self();
    view->answer = job->answer;
    view->failed = error != NULL;
    if (error)
        snprintf(view->why, sizeof view->why, "%s", error->what);
}

static const viz_view_class counting = {.tab = "Counting", .run_job = work, .finish_job = take};

typedef struct room {
    counting_view view;
    viz_worker *worker;
    sem_t done;
} room;

static void report_done(void *user)
{
    sem_post(&((room *)user)->done);
}

static int open_room(void **state)
{
    static room r;
    r = (room){.view.base.class = &counting};
    sem_init(&r.view.go, 0, 0);
    sem_init(&r.done, 0, 0);
    *state = &r;
    return viz_worker_create(report_done, &r, &r.worker, NULL);
}

static int close_room(void **state)
{
    room *r = *state;
    viz_worker_destroy(r->worker);
    return 0;
}

#define WITH_ROOM(name) TEST_ON(room, r, name, open_room, close_room)

WITH_ROOM(a_job_is_done_on_another_thread_and_taken_on_this_one)
{
    sum_job job = {.asked = 21};
    viz_worker_submit_job(r->worker, &r->view.base, &job.base);
    sem_post(&r->view.go);
    sem_wait(&r->done);
    assert_true(viz_worker_collect(r->worker));
    assert_int_equal(r->view.answer, 42);
    assert_false(r->view.failed);
    assert_false(pthread_equal(r->view.worked_on, pthread_self()));
    assert_true(pthread_equal(r->view.taken_on, pthread_self()));
}

WITH_ROOM(while_a_job_is_out_the_worker_is_busy_and_nothing_comes_back)
{
    sum_job job = {.asked = 1};
    assert_true(viz_worker_is_idle(r->worker));
    viz_worker_submit_job(r->worker, &r->view.base, &job.base);
    assert_false(viz_worker_is_idle(r->worker));
    assert_false(viz_worker_collect(r->worker));
    assert_int_equal(r->view.taken, 0);
    sem_post(&r->view.go);
    sem_wait(&r->done);
    assert_false(viz_worker_is_idle(r->worker)); /* until it is handed back */
    assert_true(viz_worker_collect(r->worker));
    assert_true(viz_worker_is_idle(r->worker));
    assert_false(viz_worker_collect(r->worker));
    assert_int_equal(r->view.taken, 1);
}

WITH_ROOM(a_job_that_fails_comes_back_with_its_error)
{
    sum_job bad = {.asked = -1}, good = {.asked = 3};
    viz_job *jobs[] = {&bad.base, &good.base};
    for (int i = 0; i < 2; i++) {
        viz_worker_submit_job(r->worker, &r->view.base, jobs[i]);
        sem_post(&r->view.go);
        sem_wait(&r->done);
        assert_true(viz_worker_collect(r->worker));
        assert_int_equal(r->view.failed, i == 0);
    }
    assert_string_equal(r->view.why, "below zero");
}

WITH_ROOM(closing_waits_for_the_job_that_is_out_and_hands_it_back)
{
    sum_job job = {.asked = 5};
    viz_worker_submit_job(r->worker, &r->view.base, &job.base);
    sem_post(&r->view.go);
    viz_worker_destroy(r->worker);
    r->worker = NULL;
    assert_int_equal(r->view.taken, 1);
    assert_int_equal(r->view.answer, 10);
}

WITH_ROOM(who_does_not_wait_leaves_the_job_to_the_thread)
{
    sum_job job = {.asked = 5};
    viz_worker_submit_job(r->worker, &r->view.base, &job.base);
    assert_false(viz_worker_detach(r->worker, 0.01));
    assert_int_equal(r->view.taken, 0);
    sem_post(&r->view.go); /* it still may work */
    sem_wait(&r->done);
    assert_int_equal(job.answer, 10);
    r->worker = NULL;
}

WITH_ROOM(who_waits_long_enough_has_the_job_handed_back)
{
    sum_job job = {.asked = 5};
    viz_worker_submit_job(r->worker, &r->view.base, &job.base);
    sem_post(&r->view.go);
    assert_true(viz_worker_detach(r->worker, 60));
    assert_int_equal(r->view.answer, 10);
    r->worker = NULL;
}

static sac_status think(void *self, sac_error *error)
{
    (void)self;
    return sac_fail(error, SAC_E_FILE, "task", NULL, "not there");
}

static void keep_notice(void *self, const sac_error *error)
{
    snprintf(self, 32, "%.31s", error ? error->what : "it worked");
}

WITH_ROOM(a_task_of_no_view_is_done_and_handed_back_as_well)
{
    char notice[32] = "";
    viz_worker_submit(r->worker, (viz_task){think, keep_notice, notice});
    sem_wait(&r->done);
    assert_true(viz_worker_is_finished(r->worker));
    assert_string_equal(notice, "");
    assert_true(viz_worker_collect(r->worker));
    assert_string_equal(notice, "not there");
}

TEST_MAIN(NULL, NULL)
