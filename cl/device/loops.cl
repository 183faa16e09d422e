/* Does a long loop run to its end? Some drivers stop a work-item after 65535 rounds of all its
 * loops together, without an error. The host runs the same recurrence and compares. */
__kernel void count(__global uint *result, uint rounds)
{
    uint x = 1;
    for (uint i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    result[get_global_id(0)] = x;
}
