/* saccade bench --peer: CLBlast, whose kernels take long to compile, computes the same. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The root mean square of the outputs of a case, computed by ourselves or by a peer. */
static double output_rms(const char *name, const char *peer)
{
    program_run run = {.environment = {"SACCADE_DEVICE=pocl"}};
    run_saccade(&run, "bench", "attention", "--json", "--case", name, peer ? "--peer" : NULL, peer,
                NULL);
    assert_done(&run);
    cJSON *json = cJSON_Parse(run.out);
    const cJSON *c = cJSON_GetArrayItem(get(json, "cases"), 0);
    assert_string_equal(text_of(c, "variant"), peer ? peer : "cpu");
    double rms = number_of(c, "output_rms");
    cJSON_Delete(json);
    return rms;
}

static void assert_peer_agrees(const char *name)
{
    double ours = output_rms(name, NULL), theirs = output_rms(name, "clblast");
    if (!(fabs(ours / theirs - 1) < 1e-5))
        fail_msg("%s: %g and %g", name, ours, theirs);
}

/* With rows that are no multiple of a vector. */
TEST(the_peer_computes_the_same_where_attention_is_causal)
{
    assert_peer_agrees("1000-causal");
}

TEST(the_peer_computes_the_same_with_padding)
{
    assert_peer_agrees("2048-padding");
}

TEST_MAIN(NULL, NULL)
