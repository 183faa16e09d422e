# What the library links, which is all that it needs: read by the build, and by saccadeConfig.cmake for a program
# that links the static library. What the program links besides is in CMakeLists.txt.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(OPENCL REQUIRED IMPORTED_TARGET GLOBAL OpenCL)
pkg_check_modules(CLBLAST REQUIRED IMPORTED_TARGET GLOBAL clblast)
set(SACCADE_LINK_FLAGS ${CLBLAST_LDFLAGS} -lm -pthread) # for saccade.pc
