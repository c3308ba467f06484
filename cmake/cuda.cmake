# Finds the CUDA compiler, or leaves the CUDA backend out and says so. Sets ISOTHERM_WITH_CUDA.

set(ISOTHERM_WITH_CUDA OFF)
if(ISOTHERM_CUDA STREQUAL "DEVICE" AND NOT isotherm_has_device)
  message(STATUS "CUDA backend: left out (this machine has no device; -DISOTHERM_CUDA=ON compiles it)")
  return()
endif()
if(ISOTHERM_CUDA STREQUAL "OFF")
  message(STATUS "CUDA backend: left out (ISOTHERM_CUDA=OFF)")
  return()
endif()

# The toolkit's own folder is often not on the PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(ISOTHERM_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
               PATH_SUFFIXES bin)
  mark_as_advanced(ISOTHERM_NVCC)
  if(ISOTHERM_NVCC)
    set(ENV{CUDACXX} ${ISOTHERM_NVCC})
  endif()
endif()

include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(ISOTHERM_CUDA STREQUAL "ON")
    message(FATAL_ERROR "ISOTHERM_CUDA=ON, but no working CUDA compiler was found: put nvcc on the "
                        "PATH, or name it with -DCMAKE_CUDA_COMPILER=/path/to/nvcc")
  endif()
  message(STATUS "CUDA backend: left out (no working nvcc found)")
  return()
endif()

# For the devices of this machine; where there is none, for compute capability 9.0. CMake itself
# would take the compiler's oldest. Both carry PTX, which later devices compile when they start.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  if(failed OR NOT capabilities)
    set(capabilities 9.0)
  endif()
  list(REMOVE_DUPLICATES capabilities)
  list(TRANSFORM capabilities REPLACE "\\." "")
  set(CMAKE_CUDA_ARCHITECTURES ${capabilities} CACHE STRING
      "Compute capabilities to compile for, like 80;90")
endif()

enable_language(CUDA)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
find_package(CUDAToolkit REQUIRED)
set(ISOTHERM_WITH_CUDA ON)
message(STATUS "CUDA backend: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, "
               "compute capability ${CMAKE_CUDA_ARCHITECTURES}")
