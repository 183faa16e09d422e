/* The score's own weights, projections and norm of a file. */
#ifndef SAC_SOURCES_FILES_FILE_LAYERS_H
#define SAC_SOURCES_FILES_FILE_LAYERS_H

#include "sources/files/file_finder.h"

/* Fills file->input with them; heads of file->spec say how in_proj_weight (qkv.weight, Wqkv.weight)
 * is split where key and value have fewer. Arrays beyond the request's extent count as used all the
 * same, as they say nothing about the weights. */
sac_status sac_file_layers_read(const sac_file_finder *finder, sac_attention_file *file,
                                sac_error *error);

#endif
