# Run by `cmake --install`: copies the headers that other programs include to HEADERS_STAGE, and with
# them every header that these include, and installs the copies. In the sources an #include begins
# with the room ("solver/solver.hpp"); in the copies "isotherm/" stands before it, so that a program
# which uses isotherm has one folder of ours on its include path, and none called "io".
#
# Set by cmake/install.cmake: HEADERS (the first ones, relative to HEADERS_SOURCE), HEADERS_SOURCE,
# HEADERS_STAGE, HEADERS_DESTINATION

cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${HEADERS_STAGE})
set(waiting ${HEADERS})
set(copied)
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST copied)
    continue()
  endif()
  list(APPEND copied ${header})
  file(READ ${HEADERS_SOURCE}/${header} text)
  string(REGEX MATCHALL "\n#include \"[^\"\n]+\"" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "\n#include \"(.*)\"" "\\1" included "${line}")
    list(APPEND waiting ${included})
  endforeach()
  string(REGEX REPLACE "\n#include \"" "\n#include \"isotherm/" text "${text}")
  file(WRITE ${HEADERS_STAGE}/isotherm/${header} "${text}")
endwhile()
file(INSTALL DESTINATION "${HEADERS_DESTINATION}" TYPE DIRECTORY FILES ${HEADERS_STAGE}/isotherm)
