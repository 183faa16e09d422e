# The scripts of `saccade example` travel inside the program: each examples/*.py becomes a constant of
# ${output}, in the order of `names`. Included when the build is configured.
set(names hf vit vlm stable_diffusion show_attend_tell)
set(output ${PROJECT_BINARY_DIR}/embedded_examples.c)
set(text "/* Made from src/cli/examples by embed.cmake. */\n")
foreach(name IN LISTS names)
  set(script ${CMAKE_CURRENT_LIST_DIR}/${name}.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(READ ${script} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text "const char cli_example_${name}[] = {${bytes}0};\n")
endforeach()
file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
