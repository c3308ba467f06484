#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// Writes residuals.csv: a row for each residual, as soon as it is known. Serial: the root's.
class ResidualLog {
 public:
  /// Starts the file anew; or, for a run that resumes at an iteration, goes on after the rows that
  /// the resumed run had behind it: those up to `resumed_at`. @throws Error  where it cannot
  ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at);

  /// Adds rows, but for a residual that was there already, as one is measured again by the run that
  /// resumes there. Those that cannot be written are kept, and tried again with the next.
  /// @param reference  what the fourth column is relative to
  /// @throws Error  where rows were not written, every time
  void append(std::vector<Residual> const& residuals, double reference);
  /// Writes what append() could not. @throws Error  where there still are such rows
  void finish();

 private:
  void write_rows();

  std::filesystem::path path_;
  Descriptor file_;
  std::uintmax_t bytes_ = 0;       ///< of whole rows in the file
  std::string unwritten_{};        ///< rows
  std::int64_t known_up_to_ = -1;  ///< the iteration of the last row that was there already
};

/// Makes sure that a residuals.csv is a table of residuals, row by row. Serial.
/// @throws InputError  naming the first row that is none
void check_residuals(std::filesystem::path const& path);

}  // namespace isotherm
