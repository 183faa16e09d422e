# Makes a page of the manual: what the program prints of its own tables, with the file of prose put in.
#   cmake -DPROGRAM=… -DCOMMAND=caption -DPROSE=caption.man -DOUT=saccade-caption.1 -P page.cmake
# Of PROSE what stands before its first .SH goes into DESCRIPTION, the rest behind OPTIONS; without PROSE there is no
# DESCRIPTION. Without COMMAND: saccade.1.
execute_process(COMMAND ${PROGRAM} ${COMMAND} --help=man OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
set(prose "")
if(PROSE)
  file(READ ${PROSE} prose)
else()
  string(REPLACE ".SH DESCRIPTION\n.\\\" description\n" "" page "${page}")
endif()
string(FIND "${prose}" "\n.SH " end)
string(SUBSTRING "${prose}" 0 ${end} description)
set(sections "")
if(NOT end EQUAL -1)
  math(EXPR begin "${end} + 1")
  string(SUBSTRING "${prose}" ${begin} -1 sections)
endif()
string(STRIP "${description}" description)
string(STRIP "${sections}" sections)
string(REPLACE ".\\\" description" "${description}" page "${page}")
string(REPLACE ".\\\" sections" "${sections}" page "${page}")
string(REPLACE "\n\n" "\n" page "${page}")
file(WRITE ${OUT} "${page}")
