#pragma once

namespace isotherm {

/// What the build was made of; fixed when the program is compiled.
struct BuildInfo {
  char const* version;             ///< "0.1.0"
  char const* revision;            ///< of the sources: git describe, or "unknown"
  char const* type;                ///< CMake's build type
  char const* compiler;            ///< name and version
  char const* flags;               ///< that change code or results
  char const* cuda_version;        ///< of nvcc; empty where the CUDA backend is left out
  char const* cuda_architectures;  ///< compute capabilities compiled for
  bool slow_device_code;           ///< compiled quickly, not for speed: ISOTHERM_QUICK_DEVICE_CODE
};

BuildInfo build_info();

}  // namespace isotherm
