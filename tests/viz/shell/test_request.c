/* viz/view/request: what a view asks of the worker, and when it asks again. */

#include "base/error.h"
#include "status.h"
#include "view/request.h"

static const viz_view_class a_class;

typedef struct a_job {
    viz_job base;
    int number;
} a_job;

static viz_job *submit(viz_request *request, uint64_t demand)
{
    a_job *job = viz_job_create(&a_class, sizeof *job);
    assert_int_equal(job->number, 0);
    return viz_request_submit(request, &job->base, demand);
}

TEST(one_job_is_out_at_a_time_and_the_newest_demand_is_next)
{
    viz_request request = {0};
    assert_true(viz_request_due(&request, 1));
    viz_job *job = submit(&request, 1);
    assert_ptr_equal(viz_job_of(job, &a_class), job);
    assert_false(viz_request_due(&request, 2)); /* while the first one is out */
    assert_false(viz_request_due(&request, 3));
    assert_true(viz_request_take(&request, NULL));
    assert_true(viz_request_due(&request, 3));
    free(job);
}

TEST(what_was_asked_for_is_not_asked_for_again)
{
    viz_request request = {0};
    viz_job *job = submit(&request, 0);
    viz_request_take(&request, NULL);
    assert_false(viz_request_due(&request, 0));
    assert_true(viz_request_due(&request, 1));
    free(job);
}

TEST(a_failure_is_a_line_until_something_works_and_is_not_asked_for_again)
{
    viz_request request = {0};
    viz_job *job = submit(&request, 7);
    sac_fail(&failure, SAC_E_DEVICE, "device", NULL, "gone");
    assert_false(viz_request_take(&request, &failure));
    assert_string_equal(request.problem, "device: gone");
    assert_false(viz_request_due(&request, 7));
    free(job);
    job = submit(&request, 8);
    assert_true(viz_request_take(&request, NULL));
    assert_string_equal(request.problem, "");
    free(job);
}

TEST_MAIN(NULL, NULL)
