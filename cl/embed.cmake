# cmake -DFOLDER=cl -DOUTPUT=x.c -P embed.cmake
file(GLOB_RECURSE kernels ${FOLDER}/*.cl)
list(SORT kernels)
set(arrays "")
set(table "")

# A kernel is its helpers, each once, in the order they are first named, and then itself.
function(collect file collected)
  file(STRINGS ${file} includes REGEX "^#include \"")
  set(list ${${collected}})
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" name "${line}")
    if(NOT EXISTS ${FOLDER}/${name})
      message(FATAL_ERROR "${file}: no ${name} in ${FOLDER}")
    endif()
    collect(${FOLDER}/${name} list)
  endforeach()
  list(FIND list ${file} at)
  if(at EQUAL -1)
    list(APPEND list ${file})
  endif()
  set(${collected} ${list} PARENT_SCOPE)
endfunction()

foreach(kernel IN LISTS kernels)
  get_filename_component(name ${kernel} NAME_WE)
  set(parts "")
  collect(${kernel} parts)
  set(whole "")
  foreach(part IN LISTS parts)
    get_filename_component(part_name ${part} NAME)
    file(READ ${part} text)
    string(REGEX REPLACE "#include \"[^\n]*" "" text "${text}")
    string(APPEND whole "#line 1 \"${part_name}\"\n${text}\n") # a build log then names the right line
  endforeach()
  # Bytes as "0x12,0x34,": no quoting rules and no limit on the length of a literal.
  string(HEX "${whole}" hex)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char ${name}_text[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)${name}_text},\n")
endforeach()

file(WRITE ${OUTPUT} "/* Made from cl/ by embed.cmake. */
#include \"device/sources.h\"

#include <string.h>

${arrays}
const sac_kernel_source sac_kernel_sources[] = {
${table}    {0, 0},
};

const char *sac_kernel_source_find(const char *name)
{
    for (const sac_kernel_source *source = sac_kernel_sources; source->name; source++)
        if (strcmp(source->name, name) == 0)
            return source->text;
    return 0;
}
")
