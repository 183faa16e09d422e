# cmake -DMSGFMT=msgfmt -DPO=zh_CN.po -DOUTPUT=x.c -P embed.cmake
# The catalogue as msgfmt compiles it, as a constant in a C file. A format that differs from the English one stops the
# build, with its line.
get_filename_component(language ${PO} NAME_WE)
execute_process(COMMAND ${MSGFMT} --check-format --check-domain --no-hash -o ${OUTPUT}.mo ${PO} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${OUTPUT}.mo hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "extern const unsigned char sac_catalogue_${language}[];\nconst unsigned char sac_catalogue_${language}[] = {${bytes}};\n")
