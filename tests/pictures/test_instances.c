/* COCO's instances. */
#include "pictures/instances.h"

#include "scratch.h"

static const char text[] =
    "{\"annotations\": [{\"image_id\": 7, \"category_id\": 1, \"bbox\": [10, 20, 30, 20]},"
    "{\"image_id\": 7, \"category_id\": 11, \"bbox\": [0, 0, 100.4, 50]},"
    "{\"image_id\": 7, \"category_id\": 11, \"bbox\": [90, 0, 20, 50]}," /* outside */
    "{\"image_id\": 8, \"category_id\": 1, \"bbox\": [0, 0, 1, 1]},"     /* no such picture */
    "{\"image_id\": 7, \"category_id\": 2, \"bbox\": [0, 0, 1, 1]},"     /* no such category */
    "{\"image_id\": 7, \"category_id\": 1, \"bbox\": [0, 0, 1]}],"       /* no box */
    "\"images\": [{\"id\": 7, \"file_name\": \"val/a.jpg\", \"width\": 100, \"height\": 50}],"
    "\"categories\": [{\"id\": 1, \"name\": \"person\"}, {\"id\": 11, \"name\": \"fire hydrant\"},"
    "{\"id\": 2}, {\"id\": 18, \"name\": \"dog\"}]}";

IN_SCRATCH(instances_are_boxes_in_shares_of_their_picture)
{
    sac_instances instances;
    scratch_write(s, "i.json", text, sizeof text - 1);
    assert_int_equal(sac_instances_open(s->path, &instances, NULL), SAC_OK);
    const sac_instances_of_picture *of = sac_instances_find(&instances, "a.jpg");
    assert_non_null(of);
    assert_null(sac_instances_find(&instances, "b.jpg"));
    assert_int_equal(of->count, 2);
    assert_int_equal(of->width, 100);
    static const float expected[2][4] = {{0.1f, 0.4f, 0.4f, 0.8f}, {0, 0, 1, 1}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            assert_float_equal(of->list[i].box[k], expected[i][k], 1e-6);
    assert_int_equal(instances.left_out, 4);
    int person = of->list[0].category, hydrant = of->list[1].category;
    assert_int_equal(sac_instances_category(&instances, "person"), person);
    assert_int_equal(sac_instances_category(&instances, "persons"), person);
    assert_int_equal(sac_instances_category(&instances, "women"), person);
    assert_int_equal(sac_instances_category(&instances, "boys"), person);
    static const char *const persons[] = {"cyclist", "climbers", "surfer",    "skiers", "mothers",
                                          "batsman", "firemen",  "onlookers", "babies"};
    for (size_t i = 0; i < sizeof persons / sizeof *persons; i++)
        if (sac_instances_category(&instances, persons[i]) != person)
            fail_msg("%s is no person", persons[i]);
    assert_int_equal(sac_instances_category(&instances, "skiing"), -1);
    assert_int_equal(sac_instances_category(&instances, "surf"), -1);
    assert_int_equal(sac_instances_category(&instances, "hydrant"), hydrant);
    assert_int_equal(sac_instances_category(&instances, "bike"), -1); /* no bicycle has a box */
    assert_int_equal(sac_instances_category(&instances, "dog"), -1);
    assert_int_equal(sac_instances_category(&instances, "a"), -1);
    sac_instances_free(&instances);
}

IN_SCRATCH(instances_open_refuses_what_has_no_boxes)
{
    static const struct {
        const char *text, *line;
    } rows[] = {
        {"{\"images\": [", "i.json: line 1 is not valid JSON; check it with a JSON tool"},
        {"{\"annotations\": []}", "i.json: has no boxes that lie in pictures; give the instances "
                                  "of COCO, or JSON in their form"},
        {"[1, 2]", "i.json: has no boxes that lie in pictures; give the instances of COCO, or JSON "
                   "in their form"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sac_instances instances;
        sac_error error = {0};
        scratch_write(s, "i.json", rows[i].text, strlen(rows[i].text));
        assert_int_equal(sac_instances_open(s->path, &instances, &error), SAC_E_FORMAT);
        assert_line(s, &error, rows[i].line);
        sac_instances_free(&instances);
    }
}

TEST_MAIN(NULL, NULL)
