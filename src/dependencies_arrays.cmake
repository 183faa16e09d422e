# The same of saccade-arrays. `arrays_are` is REQUIRED, or empty: a project that builds the library with its own
# sources gets saccade-arrays where these are there.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZIP ${arrays_are} IMPORTED_TARGET GLOBAL libzip)
pkg_check_modules(ZLIB ${arrays_are} IMPORTED_TARGET GLOBAL zlib)
pkg_check_modules(CJSON ${arrays_are} IMPORTED_TARGET GLOBAL libcjson)
set(SACCADE_ARRAYS_LINK_FLAGS ${ZIP_LDFLAGS} ${ZLIB_LDFLAGS} ${CJSON_LDFLAGS} -lm -pthread) # for saccade-arrays.pc
