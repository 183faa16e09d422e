# `cpack --config build/release/CPackConfig.cmake` makes saccade_VERSION_ARCHITECTURE.deb of all that is installed. What the
# library and program link is found by dpkg-shlibdeps; what is found at run time is named here, a driver and a font, and
# the package of CL/cl.h and OpenCL.pc, which saccade_cl.h and saccade.pc name. The captioner of photographs, whose data
# have terms of their own, becomes saccade-photographs_VERSION_all.deb.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saccade)
set(CPACK_PACKAGE_CONTACT "The Saccade authors <saccade@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # or else the summary of one package begins the text of both
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "attention on any OpenCL device, and a window to watch it
Saccade computes attention with OpenCL on a GPU of any vendor or a plain CPU,
and shows it moving: over a picture while a caption is generated, over a sentence
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
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "saccade-photographs, fonts-inter, fonts-jetbrains-mono")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "xclip | wl-clipboard, fonts-noto-cjk, libtiff6, ocl-icd-opencl-dev, python3-skimage")
endif()

# What is set above is of both packages where it is not set anew.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_UNSPECIFIED_GROUP saccade) # one package for all components of the group
set(CPACK_COMPONENT_PROGRAM_GROUP saccade)
set(CPACK_DEBIAN_SACCADE_PACKAGE_NAME saccade)
set(CPACK_DEBIAN_SACCADE_DESCRIPTION "${CPACK_DEBIAN_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_NAME saccade-photographs)
set(CPACK_DEBIAN_PHOTOGRAPHS_DESCRIPTION "captioner of photographs for Saccade, for research and teaching
The weights of a captioner that was trained on Flickr8k and a part of COCO. They
are not for commercial use.")
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_DEPENDS "")
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_RECOMMENDS "")
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_SUGGESTS "")
set(CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_ENHANCES saccade)

# As they are installed they compile kernels once for the machine.
file(GLOB CPACK_DEBIAN_SACCADE_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/program/post*)
file(GLOB CPACK_DEBIAN_PHOTOGRAPHS_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/photographs/post*)

# What is linked with MPI is a package of its own too: no other needs it.
set(CPACK_DEBIAN_MPI_PACKAGE_NAME saccade-mpi)
set(CPACK_DEBIAN_MPI_DESCRIPTION "Saccade by several processes, as mpirun starts them
With it attention, training, evaluation and captions are shared among processes
of one machine or several.")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "saccade, openmpi-bin | mpich")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "")
set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS "")
set(CPACK_DEBIAN_MPI_PACKAGE_ENHANCES saccade)

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_pages.cmake)

include(CPack)
