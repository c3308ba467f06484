# Makes build_info.cpp from case/basics/build_info.cpp.in: what the program says about its own build.
# The revision is asked for at every build, since it changes without CMake being run again.

set(build_info ${PROJECT_SOURCE_DIR}/case/basics/build_info.cpp.in)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${march}" flags)
string(REPLACE ";" " " flags "${flags}")
string(REGEX REPLACE " +" " " flags "${flags}")
if(ISOTHERM_EXACT)
  string(APPEND flags " ISOTHERM_EXACT")
endif()
if(ISOTHERM_BLOCK_BARRIERS)
  string(APPEND flags " ISOTHERM_BLOCK_BARRIERS")
endif()
if(ISOTHERM_QUICK_DEVICE_CODE)
  string(APPEND flags " ISOTHERM_QUICK_DEVICE_CODE")
endif()
if(ISOTHERM_SANITIZE)
  string(APPEND flags " ISOTHERM_SANITIZE")
endif()
add_custom_target(isotherm_build_info
  BYPRODUCTS ${PROJECT_BINARY_DIR}/build_info.cpp
  COMMAND ${CMAKE_COMMAND}
          -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
          -D "INPUT=${build_info}"
          -D "OUTPUT=${PROJECT_BINARY_DIR}/build_info.cpp"
          -D "ISOTHERM_VERSION=${PROJECT_VERSION}"
          -D "ISOTHERM_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
          -D "ISOTHERM_COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          -D "ISOTHERM_FLAGS=${flags}"
          -D "ISOTHERM_CUDA_VERSION=$<$<BOOL:${ISOTHERM_WITH_CUDA}>:${CMAKE_CUDA_COMPILER_VERSION}>"
          -D "ISOTHERM_CUDA_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES}"
          -D "ISOTHERM_SLOW_DEVICE_CODE=$<IF:$<BOOL:${ISOTHERM_QUICK_DEVICE_CODE}>,true,false>"
          -P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake
  COMMENT "Asking for the revision" VERBATIM)
target_sources(isotherm_case PRIVATE ${PROJECT_BINARY_DIR}/build_info.cpp)
add_dependencies(isotherm_case isotherm_build_info)
