/* Lists of texts as Python prints them, in the cells of tables. */
#ifndef SAC_PICTURES_PYTHON_LIST_H
#define SAC_PICTURES_PYTHON_LIST_H

struct cJSON;

/* "['a dog', \"a man's dog\"]", a tuple, or an array of NumPy, which has no commas, as a list of texts;
 * None and nan in it are left out. NULL: it is something else, or there is no memory. */
struct cJSON *sac_python_list(const char *text);

#endif
