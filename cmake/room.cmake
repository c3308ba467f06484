# isotherm_add_room(NAME [STATIC] FOLDERS <folder>... [EXCEPT <file>...]
#                   [CUDA_FOLDERS <folder>... NO_CUDA <file>...]
#                   [PUBLIC <library>...] [PRIVATE <library>...])
#
# The library isotherm_NAME (isotherm::NAME) of all .cpp files of FOLDERS but those in EXCEPT. With
# CUDA also the .cu and .cpp files of CUDA_FOLDERS; without it the NO_CUDA files instead, which stand
# in for them. A file added to a folder is part of the next build.
function(isotherm_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC"
                        "" "FOLDERS;EXCEPT;CUDA_FOLDERS;NO_CUDA;PUBLIC;PRIVATE")
  list(TRANSFORM arg_FOLDERS APPEND "/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${arg_FOLDERS})
  if(ISOTHERM_WITH_CUDA AND arg_CUDA_FOLDERS)
    list(TRANSFORM arg_CUDA_FOLDERS APPEND "/*.c*")
    file(GLOB cuda CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${arg_CUDA_FOLDERS})
    list(FILTER cuda INCLUDE REGEX "\\.(cu|cpp)$")
    list(APPEND sources ${cuda})
    list(REMOVE_ITEM sources ${arg_NO_CUDA})
  else()
    list(APPEND sources ${arg_NO_CUDA})
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
  # Shared ones lie beside the program, as its own path (options.cmake) has it.
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                        BUILD_WITH_INSTALL_RPATH ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/isotherm>)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC}
                        PRIVATE $<BUILD_INTERFACE:isotherm_options> ${arg_PRIVATE})
  if(ISOTHERM_WITH_CUDA AND arg_CUDA_FOLDERS)
    # By name, so that projects that never enable the CUDA language can link the library.
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
endfunction()
