# Removes the files that the last `cmake --install` of a build has installed, and the folders that it made, if they are
# empty then. Other files and folders stay. The target "uninstall" runs it.
#
#   cmake -D MANIFEST=BUILD/install_manifest.txt -P cmake/uninstall.cmake

cmake_policy(VERSION 3.25)
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "There is no ${MANIFEST}: nothing was installed from this build.")
endif()

# Removes the folder and the folders around it, up to the first that must stay: one with other files, or one that is
# neither isotherm's own nor in the list of folders that the installation made.
function(remove_empty_folders folder)
  while(IS_DIRECTORY "${folder}" AND (folder MATCHES "/isotherm(/|$)" OR folder IN_LIST made))
    file(GLOB entries LIST_DIRECTORIES true "${folder}/*" "${folder}/.*")
    list(FILTER entries EXCLUDE REGEX "/\\.\\.?$")
    if(entries)
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endfunction()

cmake_path(GET MANIFEST PARENT_PATH build)
set(made)
if(EXISTS "${build}/install_folders.txt")
  file(STRINGS "${build}/install_folders.txt" made)
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
  remove_empty_folders("${folder}")
endforeach()
file(REMOVE "${build}/install_folders.txt")
message(STATUS "Removed ${removed} files")
