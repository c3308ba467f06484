# The page of the manual and bash's completion, made from the command line's own description by a program
# that links what isotherm does. Sets ISOTHERM_MAN_PAGE and ISOTHERM_COMPLETION to the files, or to
# nothing where they are not made.

set(ISOTHERM_MAN_PAGE)
set(ISOTHERM_COMPLETION)
if(NOT ISOTHERM_MANUAL)
  message(STATUS "Manual page and completion: left out (ISOTHERM_MANUAL=OFF)")
  return()
endif()
set(ISOTHERM_MAN_PAGE ${PROJECT_BINARY_DIR}/manual/isotherm.1)
set(ISOTHERM_COMPLETION ${PROJECT_BINARY_DIR}/manual/isotherm.bash)
file(STRINGS CITATION.cff released REGEX "^date-released: ")
string(REPLACE "date-released: " "" released "${released}")

add_executable(isotherm_manual jobs/manual.cpp)
set_target_properties(isotherm_manual PROPERTIES
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/manual)
target_link_libraries(isotherm_manual PRIVATE isotherm::jobs CLI11::CLI11 isotherm_options)
add_custom_command(OUTPUT ${ISOTHERM_MAN_PAGE}
  COMMAND isotherm_manual page ${PROJECT_VERSION} ${released} > ${ISOTHERM_MAN_PAGE}
  DEPENDS isotherm_manual COMMENT "Writing the page of the manual" VERBATIM)
set(completion ${PROJECT_SOURCE_DIR}/jobs/command_line/completion.sh)
add_custom_command(OUTPUT ${ISOTHERM_COMPLETION}
  COMMAND isotherm_manual completion > ${ISOTHERM_COMPLETION}.tables
  COMMAND ${CMAKE_COMMAND} -E cat ${completion} ${ISOTHERM_COMPLETION}.tables > ${ISOTHERM_COMPLETION}
  DEPENDS isotherm_manual ${completion} COMMENT "Writing bash's completion" VERBATIM)
add_custom_target(isotherm_manual_files DEPENDS ${ISOTHERM_MAN_PAGE} ${ISOTHERM_COMPLETION})
# Whoever builds the program alone installs them, too.
add_dependencies(isotherm_program isotherm_manual_files)
