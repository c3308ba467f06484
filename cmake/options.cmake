# What the user may choose, and the flags that all of isotherm is compiled with.

set(ISOTHERM_CUDA AUTO CACHE STRING
    "Build the CUDA backend: AUTO (if nvcc works), DEVICE (if this machine has a device, too), ON, OFF")
set_property(CACHE ISOTHERM_CUDA PROPERTY STRINGS AUTO DEVICE ON OFF)
set(isotherm_has_device OFF)
if(ISOTHERM_CUDA STREQUAL "DEVICE")
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE devices ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND devices MATCHES "GPU")
    set(isotherm_has_device ON)
  endif()
endif()
set(ISOTHERM_NATIVE ON CACHE STRING "Compile for: ON: this machine's processor; OFF: any x86-64-v3;
GIVEN: what CMAKE_CXX_FLAGS or the compiler's wrapper say")
set_property(CACHE ISOTHERM_NATIVE PROPERTY STRINGS ON OFF GIVEN)
option(ISOTHERM_EXACT "Round after each operation, as the plainest serial loop does" OFF)
option(ISOTHERM_BLOCK_BARRIERS "Let whole blocks wait instead of two warps, for racecheck" OFF)
set(ISOTHERM_MANUAL_DEFAULT ON)
if(CMAKE_CROSSCOMPILING)
  set(ISOTHERM_MANUAL_DEFAULT OFF)
endif()
option(ISOTHERM_MANUAL "Make the manual page and the completion, by a program that the build runs"
       ${ISOTHERM_MANUAL_DEFAULT})
option(ISOTHERM_PYTHON_PACKAGE "Build the Python package, too (pip install . does)" OFF)
option(ISOTHERM_WERROR "Treat warnings as errors" OFF)
option(ISOTHERM_SANITIZE "Compile with address and undefined-behaviour sanitizers" OFF)

option(ISOTHERM_QUICK_DEVICE_CODE
       "Compile device code quickly, not for speed: for code that is checked but not run" OFF)

option(ISOTHERM_DIVIDED_DEVICE_CODE
       "Compile each precision for one architecture only: half the time, for devices that are not there" OFF)

option(ISOTHERM_PRECOMPILED_HEADERS
       "Precompile headers and link tests quickly: a faster first build, slower rebuilds after changes of headers" OFF)
option(ISOTHERM_UNITED_SOURCES
       "Compile the sources of a folder as one: a faster first build, slower rebuilds after changes" OFF)

# What was compiled before need not be compiled again, in whatever folder. GCC recognises a precompiled
# header's files by their contents, comments included. ccache must compare contents too (depend mode),
# not preprocessed text: otherwise it returns a header precompiled from files with other comments, and
# `#pragma once` no longer holds for them.
find_program(ISOTHERM_CCACHE ccache)
mark_as_advanced(ISOTHERM_CCACHE)
set(isotherm_launcher ${ISOTHERM_CCACHE})
if(ISOTHERM_PRECOMPILED_HEADERS)
  set(isotherm_launcher env CCACHE_DEPEND=1 ${ISOTHERM_CCACHE})
endif()
foreach(language IN ITEMS CXX CUDA)
  if(ISOTHERM_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER
     AND NOT DEFINED ENV{CMAKE_${language}_COMPILER_LAUNCHER})
    set(CMAKE_${language}_COMPILER_LAUNCHER ${isotherm_launcher})
  endif()
endforeach()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Installed programs find their libraries relative to themselves, so an installation can be moved.
file(RELATIVE_PATH from_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN $ORIGIN/${from_bin_to_lib})
# The MPI and HDF5 that were found, even if they lie outside the system's folders.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
# What is installed has this path from the start (BUILD_WITH_INSTALL_RPATH of each such target). CMake
# would else fill up a shorter one with colons, to have room for it; to the loader an empty entry is
# the current directory, from where it would take any library that lies there.

# All code can be loaded anywhere. What is compiled so for a library may still call its own functions
# directly, and inline them.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Linked privately by every target of isotherm.
add_library(isotherm_options INTERFACE)
target_compile_features(isotherm_options INTERFACE cxx_std_20)

# kernels/core/arithmetic.hpp alone decides where a multiplication and an addition are fused. Were the
# compilers free to contract, the CPU and the device would round differently, and so would two
# plans of the same backend. The other two flags let loops with min, max and sqrt be vectorised;
# they change no value.
target_compile_options(isotherm_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-math-errno;-fno-trapping-math>
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-ffp-contract=off>")
# CMake 3.25 does not know that nvcc speaks C++20, so the standard is a flag. Warning 554 is wrong
# about conversions that a requires-clause leaves out.
target_compile_options(isotherm_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;-diag-suppress=554>")
# Unrolled code and its line numbers take 100 MB, or a tenth of that if they are compressed. Drivers before
# CUDA 12.4 cannot decompress them, but CUDA 13 needs newer ones anyway.
target_compile_options(isotherm_options INTERFACE
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<VERSION_GREATER_EQUAL:$<CUDA_COMPILER_VERSION>,13>>:--compress-mode=size>")

include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-march=native ISOTHERM_HAS_MARCH_NATIVE)
check_cxx_compiler_flag(-march=x86-64-v3 ISOTHERM_HAS_X86_64_V3)
set(march)
if(ISOTHERM_NATIVE STREQUAL "GIVEN")
  message(STATUS "Processor: as CMAKE_CXX_FLAGS and the compiler say (ISOTHERM_NATIVE=GIVEN)")
elseif(ISOTHERM_NATIVE AND ISOTHERM_HAS_MARCH_NATIVE)
  # GCC prefers half vectors on processors with AVX-512; whole ones sweep faster.
  check_cxx_compiler_flag(-mprefer-vector-width=512 ISOTHERM_HAS_VECTOR_WIDTH)
  set(march -march=native)
  if(ISOTHERM_HAS_VECTOR_WIDTH)
    list(APPEND march -mprefer-vector-width=512)
  endif()
elseif(ISOTHERM_HAS_X86_64_V3)
  set(march -march=x86-64-v3)
endif()
target_compile_options(isotherm_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${march}>")

# The options of C++ sources that nvcc passes on if it compiles one of them (*.portable.cpp in
# room.cmake). Those that choose a processor may also be the user's.
separate_arguments(given_march NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
list(FILTER given_march INCLUDE REGEX "^-m")
set(ISOTHERM_HOST_OPTIONS -fno-math-errno -fno-trapping-math -fstack-protector-strong
                          -fno-semantic-interposition ${given_march} ${march})

if(ISOTHERM_QUICK_DEVICE_CODE)
  target_compile_options(isotherm_options INTERFACE
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<VERSION_GREATER_EQUAL:$<CUDA_COMPILER_VERSION>,12.9>>:--Ofast-compile=max>")
else()
  target_compile_options(isotherm_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>")
endif()

# In united sources a local name may equal a name of another source.
set(shadow -Wshadow)
if(ISOTHERM_UNITED_SOURCES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(shadow -Wshadow=local)
endif()
# nvcc's host pass sees generated code: it gets the warnings that such code is free of.
target_compile_options(isotherm_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;${shadow};-Wconversion;-Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
# GCC 12 warns of overlap in `"text" + std::string` (its bug 105651).
target_compile_options(isotherm_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
if(ISOTHERM_WERROR)
  target_compile_options(isotherm_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()
# GCC warns of uninitialised values depending on what it inlines, and thus on the processor. GCC 12 even warns
# of its own AVX-512 intrinsics (its bug 105593), which are definite uses if it hardly optimises.
target_compile_options(isotherm_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<NOT:$<CONFIG:Release>>>:-Wno-uninitialized>)
# GCC 12 inlines other functions of std::string after precompiled headers, and then reports copies of
# impossible lengths. These warnings are errors in builds without precompiled headers.
if(ISOTHERM_PRECOMPILED_HEADERS)
  target_compile_options(isotherm_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-error=stringop-overflow;-Wno-error=stringop-overread;-Wno-error=array-bounds>)
endif()

# Mistakes end the program instead of being made use of: a stack that was overrun, a call or an index
# beyond a container's end (glibc's checks need optimisation, and sanitizers replace them), a table
# of functions that was written to. Nothing of it for nvcc, whose device code has other rules; and
# no checks of indices in the sources of sweeps (CMakeLists.txt).
target_compile_options(isotherm_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong;-fno-semantic-interposition>)
target_compile_definitions(isotherm_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)
target_compile_options(isotherm_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-U_FORTIFY_SOURCE>)
if(NOT ISOTHERM_SANITIZE)
  target_compile_options(isotherm_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-D_FORTIFY_SOURCE=2>)
endif()
target_link_options(isotherm_options INTERFACE
  "$<HOST_LINK:LINKER:SHELL:-z relro -z now -z noexecstack>")

if(ISOTHERM_SANITIZE)
  # Undefined behaviour ends the program with SIGILL, for which the address sanitizer prints the stack.
  # Messages would double the programs. Checks of null pointers and alignment cost the compiler most, and find
  # hardly anything that the address sanitizer does not. Targets with ISOTHERM_TEST are compiled without these checks.
  set(undefined -fsanitize=undefined -fno-sanitize=null,alignment -fsanitize-undefined-trap-on-error)
  set(is_product $<NOT:$<BOOL:$<TARGET_PROPERTY:ISOTHERM_TEST>>>)
  target_compile_options(isotherm_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address;-fno-omit-frame-pointer>"
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,${is_product}>:${undefined}>")
  target_link_options(isotherm_options INTERFACE -fsanitize=address)
endif()
