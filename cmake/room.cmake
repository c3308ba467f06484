# isotherm_add_room(NAME [STATIC] FOLDERS <folder>... [EXCEPT <file>...]
#                   [PUBLIC <library>...] [PRIVATE <library>...])
#
# Adds the library isotherm_NAME (isotherm::NAME) of all .cpp files below FOLDERS except those in EXCEPT.
# Folders named "cuda" are compiled if CUDA is available. If it is not, only their files
# "unavailable.cpp" are, which replace the others. A file added to a folder is part of the next
# build. A file "*.real.cu" is compiled once for each precision, with ISOTHERM_REAL defined as it.
#
# A source named "*.portable.cpp" defines operations for both backends
# (kernels/core/for_each_point.hpp). With CUDA, nvcc compiles it, and passes ISOTHERM_HOST_OPTIONS to
# the C++ compiler, so that the CPU code is optimised like that of other sources.
function(isotherm_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "" "FOLDERS;EXCEPT;PUBLIC;PRIVATE")
  set(patterns)
  foreach(folder IN LISTS arg_FOLDERS)
    list(APPEND patterns ${folder}/*.cpp ${folder}/*.cu)
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${patterns})
  set(cuda ${sources})
  list(FILTER cuda INCLUDE REGEX "/cuda/")
  list(FILTER sources EXCLUDE REGEX "/cuda/")
  set(stand_ins ${cuda})
  list(FILTER stand_ins INCLUDE REGEX "/unavailable\\.cpp$")
  list(FILTER cuda EXCLUDE REGEX "/unavailable\\.cpp$")
  if(ISOTHERM_WITH_CUDA)
    isotherm_once_for_each_precision(cuda)
    list(APPEND sources ${cuda})
  else()
    list(APPEND sources ${stand_ins})
  endif()
  set(portable ${sources})
  list(FILTER portable INCLUDE REGEX "\\.portable\\.cpp$")
  if(ISOTHERM_WITH_CUDA AND portable)
    list(JOIN ISOTHERM_HOST_OPTIONS "," host_options)
    set_source_files_properties(${portable} PROPERTIES
      LANGUAGE CUDA
      COMPILE_OPTIONS "-Xcompiler=${host_options},${OpenMP_CXX_FLAGS}"
      COMPILE_DEFINITIONS _GLIBCXX_ASSERTIONS)
  endif()
  if(arg_EXCEPT)
    list(REMOVE_ITEM sources ${arg_EXCEPT})
  endif()

  set(target isotherm_${name})
  if(arg_STATIC)
    add_library(${target} STATIC ${sources})
  else()
    add_library(${target} ${sources})
  endif()
  add_library(isotherm::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # Shared libraries are found relative to the program, by its search path (options.cmake).
  # They export all their symbols, so both kinds of library are compiled with the same definitions.
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                        BUILD_WITH_INSTALL_RPATH ON DEFINE_SYMBOL "")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC}
                        PRIVATE $<BUILD_INTERFACE:isotherm_options> ${arg_PRIVATE})
  if(ISOTHERM_WITH_CUDA AND ISOTHERM_DIVIDED_DEVICE_CODE)
    isotherm_divide_device_code(${target} "${sources}")
  endif()
  isotherm_precompile_headers(${target} ${name})
  isotherm_unite_sources(${target} ${name} "${sources}")
  if(ISOTHERM_WITH_CUDA AND cuda)
    # By name, so that projects that never enable the CUDA language can link the library.
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
endfunction()

# Puts two sources of their own in the place of each "*.real.cu" of a list.
function(isotherm_once_for_each_precision sources)
  set(result)
  foreach(source IN LISTS ${sources})
    if(NOT source MATCHES "\\.real\\.cu$")
      list(APPEND result ${source})
      continue()
    endif()
    string(REGEX REPLACE "\\.real\\.cu$" "" stem ${source})
    foreach(real IN ITEMS float double)
      set(instance ${PROJECT_BINARY_DIR}/instances/${stem}.${real}.cu)
      file(CONFIGURE OUTPUT ${instance} @ONLY CONTENT
           "#define ISOTHERM_REAL @real@\n#include \"@source@\"\n")
      list(APPEND result ${instance})
    endforeach()
  endforeach()
  set(${sources} ${result} PARENT_SCOPE)
endfunction()

# isotherm_divide_device_code(<target> <sources>): compiles the float64 instances of "*.real.cu" for the first of the
# architectures alone, which has the least shared memory, and their float32 instances for the last one alone.
function(isotherm_divide_device_code target sources)
  list(GET CMAKE_CUDA_ARCHITECTURES 0 first)
  list(GET CMAKE_CUDA_ARCHITECTURES -1 last)
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES OFF)
  list(FILTER sources INCLUDE REGEX "\\.(cu|portable\\.cpp)$")
  foreach(source IN LISTS sources)
    set(architectures ${first} ${last})
    if(source MATCHES "\\.double\\.cu$")
      set(architectures ${first})
    elseif(source MATCHES "\\.float\\.cu$")
      set(architectures ${last})
    endif()
    set(options)
    foreach(architecture IN LISTS architectures)
      string(REGEX REPLACE "-real$" "" number ${architecture})
      list(APPEND options --generate-code=arch=compute_${number},code=sm_${number})
    endforeach()
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${options})
  endforeach()
endfunction()
