#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "jobs/run/table_file.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// Writes residuals.csv: a row for each residual, as soon as it is known. The last column, the
/// estimated error, is empty if there is no estimate. Serial: the root's.
class ResidualLog {
 public:
  /// See TableFile.
  ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at);

  /// Adds rows, but for a residual that was there already, as one is measured again by the run that
  /// resumes there. Those that cannot be written are kept, and tried again with the next.
  /// @param reference  what the fourth column is relative to
  /// @throws Error  where rows were not written, every time
  void append(std::vector<Residual> const& residuals, double reference);
  /// Writes what append() could not. @throws Error  where there still are such rows
  void finish() { table_.write(); }

 private:
  TableFile table_;
};

/// Makes sure that a residuals.csv is a table of residuals, row by row. Serial.
/// @throws InputError  naming the first row that is none
void check_residuals(std::filesystem::path const& path);

}  // namespace isotherm
