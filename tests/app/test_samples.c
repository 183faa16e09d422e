/* src/app/samples: what comes along is there, has a title and a credit, and can be opened;
 * photographs are named where their files are. */
#include <unistd.h>

#include "app/assets.h"
#include "images/folder.h"
#include "images/image.h"
#include "status.h"
#include "test.h"

static int count_kind(const app_sample *samples, int count, app_sample_kind kind)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += samples[i].kind == kind;
    return found;
}

TEST(what_comes_along_is_there_and_can_be_opened)
{
    app_sample samples[APP_SAMPLES_MOST];
    int count = app_samples("/nowhere", samples);
    assert_int_equal(count_kind(samples, count, APP_SAMPLE_PHOTOGRAPH), 0);
    assert_int_equal(count_kind(samples, count, APP_SAMPLE_PAGE), 5);
    assert_int_equal(count_kind(samples, count, APP_SAMPLE_PICTURE), 2);
    assert_int_equal(count_kind(samples, count, APP_SAMPLE_ATTENTION), 1);
    for (int i = 0; i < count; i++) {
        sac_image image = {0};
        assert_true(samples[i].title[0] && samples[i].credit[0]);
        if (samples[i].kind == APP_SAMPLE_ATTENTION) {
            assert_int_equal(sac_file_kind_of(samples[i].path), SAC_FILE_ARRAYS);
            continue;
        }
        OK(sac_image_load(samples[i].path, &image, &failure));
        sac_image_free(&image);
    }
}

TEST(photographs_are_named_where_their_files_are)
{
    char folder[] = "/tmp/saccade-samples-XXXXXX", path[64];
    app_sample samples[APP_SAMPLES_MOST];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/coffee.png", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    int count = app_samples(folder, samples), place = 0;
    app_sample sight;
    assert_true(app_find_lesson_sample(folder, 0, &sight));
    assert_string_equal(sight.title, "A cup of coffee");
    assert_true(app_find_lesson_sample(folder, 1, &sight));
    assert_string_equal(sight.title, "A harbour at dusk");
    assert_false(app_find_lesson_sample(folder, 2, &sight));
    assert_true(app_find_lesson_sample("/nowhere", 0, &sight));
    assert_string_equal(sight.title, "A harbour at dusk");
    remove(path);
    rmdir(folder);
    assert_int_equal(count_kind(samples, count, APP_SAMPLE_PHOTOGRAPH), 1);
    while (samples[place].kind != APP_SAMPLE_PHOTOGRAPH)
        place++;
    assert_string_equal(samples[place].path, path);
    assert_string_equal(samples[place].title, "A cup of coffee");
    assert_string_equal(samples[place].credit, "Rachel Michetti, CC0");
}

TEST_MAIN(NULL, NULL)
