#pragma once

#include <filesystem>
#include <vector>

namespace isotherm {

/// `isotherm verify`: whether result files are as they were written.
struct VerifyOptions {
  std::vector<std::filesystem::path> paths{};  ///< files, or directories of them
  bool json = false;
};

/// Prints a line for each file, "sound" or "damaged" and why, to standard output as soon as that is
/// known. Returns the exit code: that of bad input where one is damaged. Serial.
int verify(VerifyOptions const& options);

}  // namespace isotherm
