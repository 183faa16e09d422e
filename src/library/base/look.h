/* The region of a picture that a word describes. */
#ifndef SAC_BASE_LOOK_H
#define SAC_BASE_LOOK_H

enum { SAC_LOOK_BOXES = 4 };

/* Rectangles x0, y0, x1, y1 in shares of width and height. None: nowhere. */
typedef struct sac_look {
    int count;
    float box[SAC_LOOK_BOXES][4];
} sac_look;

#endif
