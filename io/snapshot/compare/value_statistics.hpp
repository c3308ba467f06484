#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// An extreme value, and the first point that has it, in the order of the file.
struct Extreme {
  double value = 0.0;
  Index3 at{};  ///< index of the point
};

/// Statistics of the values of a field in a file, in float64; for vector fields of their
/// magnitudes. Values that are infinite or NaN are counted in `not_finite` and otherwise ignored.
struct ValueStatistics {
  std::string field{};
  int components = 1;  ///< numbers at each point: 1, or 3 for a vector field
  std::int64_t points = 0;
  std::int64_t not_finite = 0;
  std::optional<Extreme> minimum{};  ///< absent, like `maximum`, if no value is finite
  std::optional<Extreme> maximum{};
  /// The mean over the box by the trapezoidal rule: each point is weighted by its control volume.
  double mean = 0.0;
  double root_mean_square = 0.0;  ///< l2: sqrt(mean u²), with the same weights

  /// Returns the number of finite values.
  [[nodiscard]] std::int64_t finite() const { return points - not_finite; }
};

/// Returns the statistics of all fields of a file: the main field first, vector fields last. Also
/// verifies the values. Collective.
///
/// Each rank reads its share, one piece at a time, so a file may be larger than the memory. The
/// sums have the same bits on any number of ranks and threads, see tallies.hpp.
///
///   for (ValueStatistics const& of_field : value_statistics(ranks, path, info)) {
///     if (of_field.maximum) print(of_field.field, of_field.maximum->value, of_field.maximum->at);
///   }
/// @param info  as read_snapshot_info() returned it, on every rank
/// @throws InputError  on every rank, if verify_snapshot() would find the values damaged
std::vector<ValueStatistics> value_statistics(mpi::Communicator const& ranks,
                                              std::filesystem::path const& path,
                                              SnapshotInfo const& info);

}  // namespace isotherm
