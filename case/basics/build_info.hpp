#pragma once

namespace isotherm {

/// The properties of this build, fixed when the program is compiled.
struct BuildInfo {
  char const* version;             ///< "0.1.0"
  char const* revision;            ///< of the sources: git describe, or "unknown"
  char const* type;                ///< CMake's build type
  char const* compiler;            ///< name and version
  char const* flags;               ///< that affect code or results
  char const* cuda_version;        ///< of nvcc; empty in a build without CUDA
  char const* cuda_architectures;  ///< compute capabilities that device code was compiled for
  bool slow_device_code;           ///< compiled for a short build: ISOTHERM_QUICK_DEVICE_CODE
};

/// Returns the properties of this build. CMake generates the definition.
BuildInfo build_info();

}  // namespace isotherm
