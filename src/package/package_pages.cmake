# Run by cpack on what it will pack: Debian has manual pages and changes compressed.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*/saccade*.[15] ${CPACK_TEMPORARY_DIRECTORY}/*/changelog)
execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
