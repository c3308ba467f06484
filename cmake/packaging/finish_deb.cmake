# Run by `cpack -G DEB` between installing and packing. It adds Debian's copyright and changelog and packs the
# page of the manual. It removes the search paths of programs, since the system finds their libraries. It lets
# everyone read all files, whatever the umask of the user who makes the package.

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
cmake_policy(VERSION 3.25)
cmake_path(GET CPACK_RESOURCE_FILE_LICENSE PARENT_PATH source)

# compress(FILE): as Debian does, without time or name
function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(READ ${CPACK_RESOURCE_FILE_LICENSE} license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" found "${license}")
set(holders ${CMAKE_MATCH_1})
string(STRIP "${license}" license)
string(REGEX REPLACE "\n[ \t]*\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "\n${license}")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: isotherm

Files: *
Copyright: ${holders}
License: BSD-3-Clause${license}
")

file(STRINGS ${source}/CITATION.cff released REGEX "^date-released: ")
string(REPLACE "date-released: " "" released "${released}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date --utc --rfc-email --date=${released}
                OUTPUT_VARIABLE released OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(maintainer ${CPACK_DEBIAN_PACKAGE_MAINTAINER})
if(NOT maintainer MATCHES "<")
  string(APPEND maintainer " <>")
endif()
set(changelog "isotherm (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed is in /usr/share/doc/isotherm/CHANGELOG.md.

 -- ${maintainer}  ${released}
")

foreach(component IN ITEMS program development)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  string(TOUPPER ${component} upper)
  set(documents ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(WRITE ${documents}/copyright "${copyright}")
  file(WRITE ${documents}/changelog "${changelog}")
  compress(${documents}/changelog)
  file(GLOB pages ${root}/share/man/man1/*.1)
  file(GLOB programs ${root}/bin/* ${root}/lib/*.so.* ${root}/lib/*/*.so.*)
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE ${program})
  endforeach()
  file(CHMOD ${documents}/copyright ${documents}/changelog.gz
       PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(GLOB_RECURSE found LIST_DIRECTORIES true ${root}/*)  # not CHMOD_RECURSE: it follows links
  foreach(path IN ITEMS ${root} ${found})
    if(IS_DIRECTORY ${path})
      file(CHMOD ${path} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
           WORLD_READ WORLD_EXECUTE)
    endif()
  endforeach()
endforeach()
