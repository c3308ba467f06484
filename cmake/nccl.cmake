# Whether the transport over NCCL can be compiled, for which the header is enough: the library is
# opened when a run asks for it. Sets ISOTHERM_NCCL_LEFT_OUT to the one of the transport's two source
# files that is not compiled.

set(ISOTHERM_NCCL_LEFT_OUT decomposition/transport/nccl.cpp)
if(NOT ISOTHERM_WITH_CUDA)
  message(STATUS "NCCL transport: left out (no CUDA backend)")
  return()
endif()

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS}
          PATH_SUFFIXES include)
mark_as_advanced(NCCL_INCLUDE_DIR)
if(NOT NCCL_INCLUDE_DIR)
  message(STATUS "NCCL transport: left out (no nccl.h found; -DNCCL_INCLUDE_DIR= names its folder)")
  return()
endif()
set(ISOTHERM_NCCL_LEFT_OUT decomposition/transport/nccl_unavailable.cpp)
message(STATUS "NCCL transport: ${NCCL_INCLUDE_DIR}/nccl.h")

# For this file alone, and as a system's headers, whose warnings are not ours. Folders that the
# compiler knows by itself must keep their place in its order.
set(folders ${NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
list(REMOVE_DUPLICATES folders)
list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
list(TRANSFORM folders PREPEND -isystem)
set_source_files_properties(decomposition/transport/nccl.cpp PROPERTIES COMPILE_OPTIONS "${folders}")
