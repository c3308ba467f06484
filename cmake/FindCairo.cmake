# find_package(Cairo) gives Cairo::Cairo, the drawing library. Installed beside isothermConfig.cmake, for
# programs that link isotherm's static libraries.

find_path(Cairo_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo)
find_library(Cairo_LIBRARY cairo)
set(Cairo_VERSION)
if(Cairo_INCLUDE_DIR)
  file(STRINGS ${Cairo_INCLUDE_DIR}/cairo-version.h Cairo_parts
       REGEX "define CAIRO_VERSION_(MAJOR|MINOR|MICRO)")
  string(REGEX REPLACE "[^0-9;]" "" Cairo_parts "${Cairo_parts}")
  string(REPLACE ";" "." Cairo_VERSION "${Cairo_parts}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo REQUIRED_VARS Cairo_LIBRARY Cairo_INCLUDE_DIR
                                  VERSION_VAR Cairo_VERSION)
mark_as_advanced(Cairo_INCLUDE_DIR Cairo_LIBRARY)
if(Cairo_FOUND AND NOT TARGET Cairo::Cairo)
  add_library(Cairo::Cairo UNKNOWN IMPORTED)
  set_target_properties(Cairo::Cairo PROPERTIES
    IMPORTED_LOCATION ${Cairo_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${Cairo_INCLUDE_DIR})
endif()
