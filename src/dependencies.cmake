# What the library links: read by the build, and by saccadeConfig.cmake for a program that links the
# static library.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(OPENCL REQUIRED IMPORTED_TARGET GLOBAL OpenCL)
pkg_check_modules(CLBLAST REQUIRED IMPORTED_TARGET GLOBAL clblast)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET GLOBAL libpng)
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET GLOBAL libjpeg)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET GLOBAL libwebp libwebpdemux)
find_package(GIF 5 REQUIRED)
pkg_check_modules(EXIF REQUIRED IMPORTED_TARGET GLOBAL libexif)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET GLOBAL libzip)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET GLOBAL zlib)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET GLOBAL libcjson)
