# The page of the manual and the completions of bash, zsh and fish, made from the command line's own
# description by a program that links what isotherm does. Sets ISOTHERM_MAN_PAGE and ISOTHERM_COMPLETION_<shell>
# to the files, or to nothing if they are not made.

set(ISOTHERM_MAN_PAGE)
if(NOT ISOTHERM_MANUAL)
  message(STATUS "Manual page and completion: left out (ISOTHERM_MANUAL=OFF)")
  return()
endif()
set(ISOTHERM_MAN_PAGE ${PROJECT_BINARY_DIR}/manual/isotherm.1)
file(STRINGS CITATION.cff released REGEX "^date-released: ")
string(REPLACE "date-released: " "" released "${released}")

add_executable(isotherm_manual app/manual.cpp)
set_target_properties(isotherm_manual PROPERTIES
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/manual)
target_link_libraries(isotherm_manual PRIVATE isotherm::app CLI11::CLI11 isotherm_options)
add_custom_command(OUTPUT ${ISOTHERM_MAN_PAGE}
  COMMAND isotherm_manual page ${PROJECT_VERSION} ${released} > ${ISOTHERM_MAN_PAGE}
  DEPENDS isotherm_manual COMMENT "Writing the page of the manual" VERBATIM)
set(completions)
foreach(shell IN ITEMS bash zsh fish)
  string(REPLACE "bash" "sh" ending ${shell})
  set(driver ${PROJECT_SOURCE_DIR}/app/command_line/manual/completion.${ending})
  set(completion ${PROJECT_BINARY_DIR}/manual/isotherm.${shell})
  set(ISOTHERM_COMPLETION_${shell} ${completion})
  add_custom_command(OUTPUT ${completion}
    COMMAND isotherm_manual ${shell} > ${completion}.tables
    COMMAND ${CMAKE_COMMAND} -E cat ${driver} ${completion}.tables > ${completion}
    DEPENDS isotherm_manual ${driver} COMMENT "Writing the completion for ${shell}" VERBATIM)
  list(APPEND completions ${completion})
endforeach()
add_custom_target(isotherm_manual_files DEPENDS ${ISOTHERM_MAN_PAGE} ${completions})
# Whoever builds the program alone installs them, too.
add_dependencies(isotherm_program isotherm_manual_files)
