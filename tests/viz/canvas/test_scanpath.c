/* viz/canvas/scanpath: the ring of a gaze leaves free what it marks, and stays small. */

#include "canvas/scanpath.h"
#include "test.h"

/* For the rings of small pictures and of large ones, and a peak at any distance. */
TEST(a_ring_is_off_the_peak_and_hardly_larger_than_asked)
{
    for (float radius = 5; radius <= 22; radius += 0.5f)
        for (float away = 0; away < 60; away += 0.25f) {
            float ring = viz_ring_radius_beside(radius, away);
            if (fabsf(ring - away) < 3.9f)
                fail_msg("radius %.1f, peak at %.2f: a ring of %.2f", radius, away, ring);
            assert_true(ring >= 4.5f && ring <= radius + 8);
            if (away < 1 || away > 2 * radius)
                assert_true(ring == radius);
        }
}

TEST(a_ring_in_the_peaks_way_becomes_smaller_where_it_can)
{
    assert_true(viz_ring_radius_beside(20, 22) < 20);
    assert_true(viz_ring_radius_beside(20, 18) > 20); /* the nearer of the two */
    assert_true(viz_ring_radius_beside(6, 6) > 6);    /* a smaller one would be a dot */
}

TEST_MAIN(NULL, NULL)
