#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// A value, and the first point that has it, in the order of the file.
struct Extreme {
  double value = 0.0;
  Index3 at{};
};

/// What the values of a field in a file come to, in float64; of vectors their magnitudes. Those
/// that are infinite or not a number count in `not_finite` only.
struct ValueStatistics {
  std::string field{};
  int components = 1;  ///< numbers at each point: more than one of vectors
  std::int64_t points = 0;
  std::int64_t not_finite = 0;
  std::optional<Extreme> least{};  ///< none where no value is finite; and `most` neither
  std::optional<Extreme> most{};
  /// By the trapezoidal rule: each point counts by its control volume.
  double mean = 0.0;
  double root_mean_square = 0.0;  ///< l2: the root of the mean u², for which all points count alike

  [[nodiscard]] std::int64_t finite() const { return points - not_finite; }
};

/// Of all fields of a file, `u` first, vectors last. Each rank reads its share, a piece at a time,
/// so that a file may be larger than the memory; the sums are taken over the same parts in the same
/// order whoever does it, so the result is the same to the last bit on any number of ranks and
/// threads. Collective.
/// @param info  as read_snapshot_info returned it, on every rank
/// @throws InputError  on every rank, where verify_snapshot would find the values damaged
std::vector<ValueStatistics> value_statistics(mpi::Communicator const& ranks,
                                              std::filesystem::path const& path,
                                              SnapshotInfo const& info);

}  // namespace isotherm
