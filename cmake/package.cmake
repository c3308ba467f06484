# cpack -G DEB: packages for the Debian or Ubuntu that isotherm was built on. "isotherm" holds the program
# with its cases, job scripts and documents, "libisotherm-dev" what other programs are built with. The
# preset "package" compiles for more processors than this machine's. cmake/packaging/finish_deb.cmake adds
# what Debian wants beside what is installed.

set(CPACK_PACKAGE_NAME isotherm)
set(CPACK_PACKAGE_VENDOR "the isotherm authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "solves heat and Poisson equations on CPUs and GPUs, in parallel")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packaging/finish_deb.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(NOT CPACK_DEBIAN_PACKAGE_MAINTAINER)  # -D names who makes the package, as "Name <address>"
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_VENDOR})
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(processors "what its compiler takes for the processor by itself")
if(ISOTHERM_NATIVE STREQUAL "GIVEN" AND CMAKE_CXX_FLAGS)
  set(processors "what its flags say: ${CMAKE_CXX_FLAGS}")
elseif(march MATCHES "x86-64-v3")
  set(processors "processors with AVX2 and FMA (x86-64-v3)")
elseif(march)
  set(processors "processors like that of the machine it was compiled on")
endif()
set(backends "CPUs only")
if(ISOTHERM_WITH_CUDA)
  set(backends "CPUs and CUDA devices")
endif()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME isotherm)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3:any")  # for the table of scaling.sh
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "paraview, python3-h5py, slurm-client")
# The launcher is more than the MPI library needs as a library, but Open MPI 4 starts a daemon of the launcher's
# package for a program on one rank, too.
if(ISOTHERM_MPI)
  file(REAL_PATH "${MPIEXEC_EXECUTABLE}" launcher)
  execute_process(COMMAND dpkg -S ${launcher} OUTPUT_VARIABLE owner RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    string(REGEX REPLACE ":.*" "" CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${owner}")
  endif()
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"isotherm solves the Laplace, Poisson and diffusion equations on regular grids
in two and three dimensions, by multigrid, by Jacobi sweeps or by explicit and
implicit steps in time, on one rank or on many (MPI). A case is a file of a few
lines; results are opened with ParaView. Runs can be stopped and resumed.

This package holds the program, cases to start from, job scripts for SLURM and
the documents. It was compiled for ${backends}, and for
${processors}.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libisotherm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libhdf5-dev, libcairo2-dev, libfontconfig-dev, libpng-dev, zlib1g-dev, libfmt-dev, nlohmann-json3-dev, libtomlplusplus-dev, libmuparser-dev")
if(ISOTHERM_MPI)
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libopenmpi-dev, ")
endif()
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers)
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "isotherm (= ${PROJECT_VERSION}), ")
endif()
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"isotherm solves the Laplace, Poisson and diffusion equations on regular grids.

This package holds libraries, headers and what CMake's find_package needs, for
programs of one's own that read cases, solve them, or read and write fields.")

include(CPack)
