#pragma once

#include <filesystem>

namespace isotherm {

/// `isotherm compare`: norms of the difference of two fields.
struct CompareOptions {
  std::filesystem::path a;  ///< a file, or a directory: its newest field
  std::filesystem::path b;
  double tolerance = 0.0;  ///< largest |b − a| that is accepted
  bool json = false;
};

/// Prints to standard output; returns 0, or 1 where the difference is beyond the tolerance. Serial.
/// @throws InputError  where the files cannot be compared
int compare(CompareOptions const& options);

}  // namespace isotherm
