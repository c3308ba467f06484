#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "decomposition/grid/grid.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// How fields on different grids were compared: B's values were interpolated at A's points.
struct InterpolatedComparison {
  GlobalBox common{};  ///< A's points that lie in B's box, and were compared
  std::int64_t coinciding =
      0;  ///< how many of them are points of B, so that nothing was interpolated
  Grid a{};
  Grid b{};
};

/// How far two fields are apart: norms of b − a over all points that were compared, in float64.
struct FieldDifference {
  std::int64_t points = 0;
  std::int64_t different_points = 0;  ///< with any difference at all
  double largest = 0.0;               ///< max |b − a|; infinite where one of them is not finite
  Index3 largest_at{};                ///< the first such point; (0, 0, 0) where there is none
  double root_mean_square = 0.0;      ///< l2: sqrt(mean (b − a)²)
  double reference_largest = 0.0;     ///< max |a|
  double reference_root_mean_square = 0.0;  ///< sqrt(mean a²)
  bool same_coordinates = true;  ///< false: points of the same index lie at different places
  std::optional<InterpolatedComparison> interpolated{};  ///< where the numbers of points differ

  /// largest / reference_largest, and the same of the l2 norms; the absolute ones where a is 0.
  [[nodiscard]] double relative_largest() const;
  [[nodiscard]] double relative_root_mean_square() const;
};

/// Compares the values in two of isotherm's files, each rank its pieces of A, so fields may be
/// larger than the memory; float32 and float64 in any combination; the same to the last bit on any
/// number of ranks and threads. Grids of the same number of points an axis are compared index by
/// index; otherwise B is interpolated, linearly along each axis, at those of A's points that lie in
/// its box. Also checks that each file has the checksums that it was written with. Collective.
/// @throws InputError  on every rank, if a file is not one of isotherm's, cannot be read, or is
///                     damaged, or no point of A lies in B's box
FieldDifference compare_fields(mpi::Communicator const& ranks, std::filesystem::path const& a,
                               std::filesystem::path const& b);

}  // namespace isotherm
