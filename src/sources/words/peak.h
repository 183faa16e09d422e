/* The peak of a map over the cells of a picture. A cell is drawn many pixels wide, and the one cell that
 * happens to be heaviest need not be where most of the light is: the peak is that of the map smoothed by 1 2 1
 * both ways. What is printed, what is measured and the ring that is drawn have this one. */
#ifndef SAC_SOURCES_PEAK_H
#define SAC_SOURCES_PEAK_H

/* The cell of map [grid_h,grid_w] that is heaviest when smoothed, among those that have any weight. A row of words,
 * or of seconds, is not smoothed. */
int sac_map_peak(const float *map, int grid_w, int grid_h);
/* A place in that cell, in cells: its middle, and from there towards its heavier neighbours. */
void sac_map_heaviest(const float *map, int grid_w, int grid_h, float *x, float *y);

#endif
