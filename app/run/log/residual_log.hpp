#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/run/log/table_file.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// Writes residuals.csv, one row for each residual as soon as it is known. Serial, root only.
///
/// The columns are iteration, time, residual, the residual relative to the reference, and the
/// estimated error. The last one is empty if there is no estimate.
class ResidualLog {
 public:
  /// Opens the table; see TableFile.
  /// @param resumed_at  iteration at which a resumed run starts, if it does
  ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at);

  /// Appends rows. A residual that is in the table already is skipped, since a resumed run measures
  /// its first one again. Rows that cannot be written are kept and written with the next ones.
  /// @param reference  the residual that the fourth column is relative to
  /// @throws Error  every time that rows were not written
  void append(std::vector<Residual> const& residuals, double reference);
  /// Writes the rows that append() could not write.
  /// @throws Error  if they still cannot be written
  void finish() { table_.write(); }

 private:
  TableFile table_;
};

/// Checks that a residuals.csv is a table of residuals, row by row. Serial.
/// @throws InputError  naming the first bad row
void check_residuals(std::filesystem::path const& path);

}  // namespace isotherm::app
