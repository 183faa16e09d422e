/* Memory of a CPU's buffers, in large pages: cores seldom wait for the addresses of pages, and what is released is
 * kept for the next buffer, as a system takes long to hand out empty pages. */
#ifndef SAC_DEVICE_PAGES_H
#define SAC_DEVICE_PAGES_H

#include <stddef.h>

#define SAC_LARGE_PAGE ((size_t)2 << 20) /* bytes, of x86-64 and of most ARM64 */

typedef struct sac_pages sac_pages;

/* At least `bytes` of memory that begins at a large page, with any contents. NULL: they are fewer than a large page,
 * there are no such pages, or no memory. From any thread. */
sac_pages *sac_pages_take(size_t bytes);
void *sac_pages_memory(const sac_pages *pages);

/* Kept for the next buffer, or freed. From any thread. */
void sac_pages_return(sac_pages *pages);

#endif
