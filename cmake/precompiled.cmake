# ISOTHERM_PRECOMPILED_HEADERS: the headers that most sources of a room include are compiled once for
# the room. Most of the time of a first build is the parsing of headers. The builds of CI and of the
# quickstart set it. Without it, every source must include what it uses, and a change of a header compiles
# only the sources that include it.
set(CMAKE_PCH_PROLOGUE "")  # CMake would suppress the warnings of these headers
set(isotherm_common_headers
  <algorithm> <array> <charconv> <cmath> <cstddef> <cstdint> <filesystem> <functional> <limits> <map> <memory>
  <mutex> <optional> <span> <stdexcept> <string> <string_view> <utility> <variant> <vector>)
set(isotherm_precompiled_kernels kernels/core/field.hpp kernels/core/queue/dispatch.hpp)
set(isotherm_precompiled_decomposition decomposition/transport/transport.hpp)
set(isotherm_precompiled_solver solver/solver.hpp)
set(isotherm_precompiled_io
  <fmt/format.h> <nlohmann/json.hpp> decomposition/grid/subdomain.hpp io/hdf5/hdf5.hpp
  io/snapshot/datasets/components.hpp)
set(isotherm_precompiled_case <fmt/format.h> case/case.hpp case/toml/toml_document.hpp)
set(isotherm_precompiled_app
  <fmt/format.h> <nlohmann/json.hpp> case/case.hpp io/snapshot/snapshot_info.hpp)

# isotherm_precompile_headers(<target> <name>)
#
# Precompiles isotherm_precompiled_<name> and the common headers for the target.
function(isotherm_precompile_headers target name)
  if(NOT ISOTHERM_PRECOMPILED_HEADERS OR NOT isotherm_precompiled_${name})
    return()
  endif()
  set(headers ${isotherm_common_headers})
  foreach(header IN LISTS isotherm_precompiled_${name})
    if(NOT header MATCHES "^<")
      set(header ${PROJECT_SOURCE_DIR}/${header})
    endif()
    list(APPEND headers ${header})
  endforeach()
  list(TRANSFORM headers REPLACE "(.+)>$" "\\1$<ANGLE-R>")
  list(JOIN headers "$<SEMICOLON>" headers)
  target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${headers}>")
endfunction()
