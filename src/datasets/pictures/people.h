/* What captions of one picture leave open about the people in it. */
#ifndef SAC_PICTURES_PEOPLE_H
#define SAC_PICTURES_PEOPLE_H

#include "pictures/pictures.h"

/* Where the captions of a picture disagree about the sex or the age of people (one has only "man", another
 * only "woman", and none has both), each of them gets the word that is true in any case: "person", "people",
 * "child". English words; `plain` changes, `text` stays. *changed: whether a word did. SAC_E_MEMORY. */
sac_status sac_captions_generalize_people(sac_picture_caption *captions, int count, bool *changed,
                                          sac_error *error);

#endif
