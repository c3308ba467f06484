# Removes what the last `cmake --install` of a build has put on this machine, and the folders of isotherm's own that
# are empty then; other files in them stay. The target "uninstall" runs it.
#
#   cmake -D MANIFEST=BUILD/install_manifest.txt -P cmake/uninstall.cmake

if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is no ${MANIFEST}: nothing was installed from this build.")
endif()
file(STRINGS "${MANIFEST}" installed)
set(removed 0)
foreach(file IN LISTS installed)
  set(path "$ENV{DESTDIR}${file}")
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    file(REMOVE "${path}")
    math(EXPR removed "${removed} + 1")
  endif()
  cmake_path(GET path PARENT_PATH folder)
  while(folder MATCHES "/isotherm(/|$)" AND IS_DIRECTORY "${folder}")
    file(GLOB entries LIST_DIRECTORIES true "${folder}/*" "${folder}/.*")
    list(FILTER entries EXCLUDE REGEX "/\\.\\.?$")
    if(entries)
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
message(STATUS "Removed ${removed} files")
