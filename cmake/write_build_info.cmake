# Run at build time by cmake/build_info.cmake; OUTPUT is only touched where it changes.
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --tags
                  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE ISOTHERM_REVISION
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT ISOTHERM_REVISION)
  set(ISOTHERM_REVISION unknown)
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
