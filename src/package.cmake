# `cpack --config build/release/CPackConfig.cmake` makes saccade_VERSION_ARCHITECTURE.deb of all that is installed. What the
# library and program link is found by dpkg-shlibdeps; what is found at run time is named here, a driver and a font, and
# the package of CL/cl.h and OpenCL.pc, which saccade_cl.h and saccade.pc name.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saccade)
set(CPACK_PACKAGE_CONTACT "The Saccade authors <saccade@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "attention on any OpenCL device, and a window to watch it")
set(CPACK_PACKAGE_DESCRIPTION "Saccade computes attention with OpenCL on a GPU of any vendor or a plain CPU,
and shows it moving: over a picture while a caption is spoken, over a sentence
while it is translated, through the layers and heads of a model or a file.
With it come trained models, lessons, and a library for C.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # for packages that link the library
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "pocl-opencl-icd | opencl-icd")
if(SACCADE_VIEWER)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", fonts-dejavu-core | fonts-inter")
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "xclip | wl-clipboard, fonts-noto-cjk, ocl-icd-opencl-dev, python3-skimage")
endif()

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_pages.cmake)

include(CPack)
