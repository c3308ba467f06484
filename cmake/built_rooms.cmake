# ISOTHERM_ROOMS: the build of the Python package takes the libraries of the rooms from a build that exists, and
# compiles the bindings alone. Sets ISOTHERM_BUILT_ROOMS to the directory of that build, or to nothing.
#
# AUTO takes build/cpu, or else build/cuda, if its settings are the same and it has CUDA if that is wanted.

set(ISOTHERM_ROOMS AUTO CACHE STRING
    "Libraries of the Python package: AUTO (of build/cpu or build/cuda, if they fit), OWN, or a build directory")
set(ISOTHERM_BUILT_ROOMS)

# What must be the same in both builds.
set(isotherm_settings CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS ISOTHERM_NATIVE ISOTHERM_EXACT ISOTHERM_SANITIZE
    ISOTHERM_MPI BUILD_SHARED_LIBS)
if(ISOTHERM_WITH_CUDA)
  list(APPEND isotherm_settings ISOTHERM_QUICK_DEVICE_CODE)
endif()
file(REAL_PATH ${CMAKE_CXX_COMPILER} isotherm_compiler)

# isotherm_describe_rooms(): makes the rooms of this build known to later builds of the Python package.
function(isotherm_describe_rooms)
  export(TARGETS isotherm_options isotherm_kernels isotherm_decomposition isotherm_solver isotherm_io isotherm_case
         isotherm_app isotherm_in_memory
         NAMESPACE isotherm:: FILE ${PROJECT_BINARY_DIR}/rooms/targets.cmake)
  set(text "set(compiler \"${isotherm_compiler}\")\nset(with_cuda ${ISOTHERM_WITH_CUDA})\n")
  foreach(setting IN LISTS isotherm_settings)
    string(APPEND text "set(built_${setting} \"${${setting}}\")\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/rooms/settings.cmake CONTENT "${text}" @ONLY)
endfunction()

# isotherm_rooms_fit(<directory> <result>): sets the result to true if the rooms of a build can be used here.
function(isotherm_rooms_fit directory result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT EXISTS ${directory}/rooms/settings.cmake)
    return()
  endif()
  include(${directory}/rooms/settings.cmake)
  set(differences)
  if(NOT compiler STREQUAL isotherm_compiler)
    list(APPEND differences "CMAKE_CXX_COMPILER=${compiler}")
  endif()
  foreach(setting IN LISTS isotherm_settings)
    string(STRIP "${built_${setting}}" theirs)
    string(STRIP "${${setting}}" ours)
    if(NOT theirs STREQUAL ours AND (theirs OR ours))
      list(APPEND differences "${setting}=${theirs}")
    endif()
  endforeach()
  if((with_cuda AND ISOTHERM_CUDA STREQUAL "OFF") OR (ISOTHERM_WITH_CUDA AND NOT with_cuda))
    list(APPEND differences "CUDA=${with_cuda}")
  endif()
  if(differences)
    message(STATUS "Libraries: not those of ${directory}, where ${differences}")
    return()
  endif()
  set(${result} ON PARENT_SCOPE)
endfunction()

# isotherm_use_built_rooms(): brings the rooms of that build up to date, and makes their targets known.
macro(isotherm_use_built_rooms)
  message(STATUS "Libraries: those of ${ISOTHERM_BUILT_ROOMS} (-DISOTHERM_ROOMS=OWN compiles others)")
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${ISOTHERM_BUILT_ROOMS} --target isotherm_in_memory isotherm_program
                  COMMAND_ERROR_IS_FATAL ANY)
  include(${ISOTHERM_BUILT_ROOMS}/rooms/settings.cmake)
  if(with_cuda AND NOT ISOTHERM_WITH_CUDA)
    find_package(CUDAToolkit REQUIRED)
  endif()
  include(${ISOTHERM_BUILT_ROOMS}/rooms/targets.cmake)
endmacro()

if(NOT ISOTHERM_PYTHON_PACKAGE OR ISOTHERM_ROOMS STREQUAL "OWN")
  return()
endif()
set(candidates ${PROJECT_SOURCE_DIR}/build/cpu ${PROJECT_SOURCE_DIR}/build/cuda)
if(NOT ISOTHERM_ROOMS STREQUAL "AUTO")
  file(REAL_PATH ${ISOTHERM_ROOMS} candidates BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
foreach(candidate IN LISTS candidates)
  if(NOT candidate STREQUAL PROJECT_BINARY_DIR)
    isotherm_rooms_fit(${candidate} fits)
    if(fits)
      set(ISOTHERM_BUILT_ROOMS ${candidate})
      return()
    endif()
  endif()
endforeach()
if(NOT ISOTHERM_ROOMS STREQUAL "AUTO")
  message(FATAL_ERROR "ISOTHERM_ROOMS=${ISOTHERM_ROOMS} is no build whose libraries fit: configure one there with the "
                      "same settings, or leave ISOTHERM_ROOMS out")
endif()
message(STATUS "Libraries: compiled here, since neither build/cpu nor build/cuda has those that fit")
