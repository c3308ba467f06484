#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "io/files/descriptor.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// Writes residuals.csv: a row for each residual, as soon as it is known. Serial: the root's.
class ResidualLog {
 public:
  /// Starts the file anew; or, for a run that resumes at an iteration, goes on after the rows that
  /// the resumed run had behind it: those before `resumed_at`. @throws Error  where it cannot
  ResidualLog(std::filesystem::path path, std::optional<std::int64_t> resumed_at);

  /// @param reference  what the fourth column is relative to
  /// @throws Error  where the rows cannot be written
  void append(std::vector<Residual> const& residuals, double reference);

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace isotherm
