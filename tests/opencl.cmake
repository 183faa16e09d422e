# A test program that computes is run once on every OpenCL platform at hand.
#
# sac_test_on_every_platform(NAME [FULL] [USES modules…] [SOURCES files…] [PLATFORMS pocl rusticl intel oclgrind]):
# builds test_NAME as sac_test does and registers NAME.pocl, and NAME.rusticl, NAME.intel (Intel's runtime
# for CPUs) and NAME.oclgrind where they are installed. Each run sets SACCADE_DEVICE, so that sac_device_open(NULL, …) opens
# the platform's device. All but PoCL's are slow: they are run by the preset "full". A test that has more
# kernels to try than PoCL compiles in seconds is given FULL: NAME.pocl tries those that programs use on a
# CPU, and NAME.full.pocl, which is slow, like the other platforms all (SACCADE_TEST=full). Sanitizers
# look at the host's code: they run NAME.full.pocl in place of NAME.pocl, and find its kernels compiled; but
# not of those below, which try the same code of the host with more kernels.
set(full_of_kernels attention_sweep attention_tuning)
# Those whose FULL run is a GPU's kernels in dozens of shapes, of which a CPU is given none: PoCL compiles them
# unoptimised, in a third of the time. As a user gets them they are in attention_fixtures.full and in the self-test.
set(compiled_plainly attention_sweep.full attention_storage.full attention_layer.full)
# What the others on a platform wait for: it leaves in the caches what most of them need, a CPU's programs or what
# a self-test compiles and finds out. A test beside it would do the same once more.
set(first_on_pocl programs)
set(first_on_rusticl attention_fixtures)
set(first_on_oclgrind gemm)
find_program(OCLGRIND oclgrind)
# The pass over PoCL that belongs to the preset "quick": each takes a few seconds of processor time at most,
# once its kernels are compiled.
set(quick_tests attention_fixtures attention_properties attention_planted attention_arguments gemm
    layers parameters learn decode)
set(SACCADE_TEST_CACHE ${PROJECT_BINARY_DIR}/test-cache CACHE PATH
  "Where tests keep compiled kernels; builds of one tree may share it")
# PoCL's part of it lay beside ours once.
if(EXISTS ${SACCADE_TEST_CACHE}/pocl/kcache AND NOT EXISTS ${SACCADE_TEST_CACHE}/saccade/pocl)
  file(MAKE_DIRECTORY ${SACCADE_TEST_CACHE}/saccade)
  file(RENAME ${SACCADE_TEST_CACHE}/pocl/kcache ${SACCADE_TEST_CACHE}/saccade/pocl)
endif()
file(GLOB rusticl_icd /etc/OpenCL/vendors/rusticl.icd)
file(GLOB intel_icd /etc/OpenCL/vendors/intel-cpu*.icd)

# The drivers that tests of PoCL and of the program load: all but Mesa's, which have no device unless
# RUSTICL_ENABLE names one, and take an eighth of the time in which a short program starts. Tests that are about
# several drivers, or about the devices of a machine, load all.
set(usual_drivers)
if(NOT DEFINED ENV{OCL_ICD_VENDORS} AND NOT DEFINED ENV{OPENCL_VENDOR_PATH} AND NOT DEFINED ENV{RUSTICL_ENABLE})
  file(GLOB icds /etc/OpenCL/vendors/*.icd)
  list(FILTER icds EXCLUDE REGEX "/(mesa|rusticl).icd$")
  if(icds)
    file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/usual-drivers)
    file(COPY ${icds} DESTINATION ${PROJECT_BINARY_DIR}/usual-drivers)
    set(usual_drivers "OCL_ICD_VENDORS=${PROJECT_BINARY_DIR}/usual-drivers")
  endif()
endif()
# Kernels that the simulator has seen in other tests; failures that are of the host's code alone.
set(not_on_oclgrind attention_planted attention_explained attention_figures)
set(not_on_rusticl library_failures)
set(not_on_intel library_failures)
set(of_all_drivers device threads example.attention_on_buffers)

function(sac_platform_test name program platform)
  if(name IN_LIST not_on_${platform})
    return()
  endif()
  set(command $<TARGET_FILE:${program}>)
  if(platform STREQUAL "pocl")
    set(environment SACCADE_DEVICE=pocl)
    if(NOT name IN_LIST of_all_drivers)
      list(APPEND environment ${usual_drivers})
    endif()
  elseif(platform STREQUAL "rusticl")
    if(NOT rusticl_icd)
      return()
    endif()
    set(environment SACCADE_DEVICE=llvmpipe RUSTICL_ENABLE=llvmpipe)
  elseif(platform STREQUAL "intel")
    if(NOT intel_icd)
      return()
    endif()
    set(environment "SACCADE_DEVICE=Intel(R) OpenCL")
  elseif(platform STREQUAL "oclgrind")
    if(NOT OCLGRIND OR SACCADE_SANITIZE) # on the host it runs the same code as PoCL does, only slower
      return()
    endif()
    set(command ${OCLGRIND} --data-races ${command})
    set(environment SACCADE_DEVICE=oclgrind)
  else()
    message(FATAL_ERROR "${name}: no platform is called ${platform}")
  endif()
  get_target_property(built ${program} RUNTIME_OUTPUT_DIRECTORY)
  if(NOT built)
    set(built ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  add_test(NAME ${name}.${platform} COMMAND ${command} WORKING_DIRECTORY ${built})
  set(labels device)
  if(NOT platform STREQUAL "pocl" OR name MATCHES "[.]full$")
    list(APPEND environment SACCADE_TEST=full)
    if(NOT platform STREQUAL "pocl" OR NOT SACCADE_SANITIZE) # which finds the kernels compiled
      list(APPEND labels slow)
    endif()
  elseif(name IN_LIST quick_tests)
    list(APPEND labels quick)
    add_dependencies(quick_tests ${program})
  endif()
  if(name IN_LIST compiled_plainly)
    list(APPEND environment POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable)
  endif()
  set_tests_properties(${name}.${platform} PROPERTIES LABELS "${labels}"
    ENVIRONMENT "${environment};XDG_CACHE_HOME=${SACCADE_TEST_CACHE}")
  if(DEFINED first_on_${platform} AND NOT name STREQUAL "${first_on_${platform}}")
    set_tests_properties(${name}.${platform} PROPERTIES DEPENDS ${first_on_${platform}}.${platform})
  endif()
  if(platform STREQUAL "pocl")
    sac_thorough(${name} ${name}.pocl)
  endif()
  sac_thorough_too(${name}.${platform})
  if(platform STREQUAL "oclgrind") # its reports of wild accesses, races and barriers leave the status at 0
    set_tests_properties(${name}.${platform} PROPERTIES FAIL_REGULAR_EXPRESSION "\tKernel: ")
  endif()
endfunction()

function(sac_test_on_every_platform name)
  cmake_parse_arguments(ARG "FULL" "" "USES;SOURCES;PLATFORMS" ${ARGN})
  if(NOT ARG_PLATFORMS)
    set(ARG_PLATFORMS pocl rusticl intel oclgrind)
  endif()
  if(SACCADE_SANITIZE AND name IN_LIST full_of_kernels)
    set(ARG_FULL FALSE)
  endif()
  sac_test_program(${name} USES ${ARG_USES} SOURCES ${ARG_SOURCES})
  foreach(platform IN LISTS ARG_PLATFORMS)
    if(NOT (ARG_FULL AND SACCADE_SANITIZE AND platform STREQUAL "pocl"))
      sac_platform_test(${name} test_${name} ${platform})
    endif()
  endforeach()
  if(ARG_FULL)
    sac_platform_test(${name}.full test_${name} pocl)
  endif()
endfunction()

# For every test below this folder, however it was added: ctest reads this file before it runs them.
if(SACCADE_SANITIZE)
  # Clover has no device but leaks, and is unloaded before leaks are counted: then their source cannot be found.
  file(GLOB drivers /etc/OpenCL/vendors/*.icd)
  list(FILTER drivers EXCLUDE REGEX "/mesa.icd$")
  file(COPY ${drivers} DESTINATION ${PROJECT_BINARY_DIR}/vendors)
  set(asan_options use_sigaltstack=0:allocator_may_return_null=1:intercept_tls_get_addr=0)
  file(WRITE ${PROJECT_BINARY_DIR}/sanitizers.cmake
    "set(ENV{LSAN_OPTIONS} \"suppressions=${CMAKE_CURRENT_SOURCE_DIR}/lsan.supp:print_suppressions=0\")\n"
    # LLVM, in the drivers, gives the thread that loads it a signal stack, which ASan would free. Memory
    # that there is not is refused, as without sanitizers, and the code has to report that. The runtime up to
    # gcc 13 mistakes some blocks of a library's thread-local storage for those of glibc before 2.25, and
    # the leak checker then reads where nothing is: it leaves these blocks out.
    "set(ENV{ASAN_OPTIONS} \"${asan_options}\")\n"
    "set(ENV{TSAN_OPTIONS} \"allocator_may_return_null=1:suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tsan.supp:die_after_fork=0:ignore_noninstrumented_modules=1\")\n"
    "set(ENV{OCL_ICD_VENDORS} \"${PROJECT_BINARY_DIR}/vendors\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/sanitizers.cmake)
endif()
