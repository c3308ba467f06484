# Run by `cmake --install` before it copies anything: appends the folders that this installation will make to
# FOLDERS_FILE. The target "uninstall" removes these if they are empty then. A staged installation (DESTDIR) is
# deleted as a whole, so nothing is noted for it.
#
# Set by cmake/install.cmake: FOLDERS_FILE, FOLDERS (absolute paths)

cmake_policy(VERSION 3.25)
if(NOT "$ENV{DESTDIR}" STREQUAL "")
  return()
endif()
set(missing)
foreach(folder IN LISTS FOLDERS)
  while(NOT EXISTS "${folder}")
    list(APPEND missing "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES missing)
list(TRANSFORM missing APPEND "\n")
file(APPEND "${FOLDERS_FILE}" ${missing})
