#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "decomposition/grid/grid.hpp"
#include "decomposition/ranks/mpi.hpp"

/// Norms of the difference of two stored fields, for `isotherm compare`.
///
///   FieldDifference const difference = compare_fields(ranks, "a.vtkhdf", "b.vtkhdf");
///   if (difference.relative_largest() > 1e-6) report(difference.largest_at);

namespace isotherm {

/// How fields on different grids were compared: B's values were interpolated to A's points.
struct InterpolatedComparison {
  GlobalBox common{};  ///< the points of A that lie in B's box; only these were compared
  std::int64_t coinciding =
      0;  ///< how many of them coincide with points of B and needed no interpolation
  Grid a{};
  Grid b{};
};

/// The difference of two fields: norms of b − a over all compared points, in float64.
struct FieldDifference {
  std::int64_t points = 0;
  std::int64_t different_points = 0;  ///< points with any difference
  double largest = 0.0;  ///< max |b − a|; infinite if one of the values is not finite
  Index3 largest_at{};   ///< the first point with that difference; (0, 0, 0) if there is none
  Grid grid{};           ///< of A, whose point that is
  double root_mean_square = 0.0;            ///< l2: sqrt(mean (b − a)²)
  double reference_largest = 0.0;           ///< max |a|
  double reference_root_mean_square = 0.0;  ///< sqrt(mean a²)
  bool same_coordinates = true;  ///< false: points of the same index have different coordinates
  std::optional<InterpolatedComparison> interpolated{};  ///< present if the shapes differ

  /// Returns largest / reference_largest, or `largest` if a is 0 everywhere.
  [[nodiscard]] double relative_largest() const;
  /// Returns the same ratio of the l2 norms.
  [[nodiscard]] double relative_root_mean_square() const;
};

/// Compares the fields in two of isotherm's files. Collective.
///
/// Each rank reads its pieces of A, so fields may be larger than the memory. float32 and float64
/// may be combined. The result has the same bits on any number of ranks and threads. If the grids
/// have the same number of points along each axis, they are compared index by index. Otherwise B is
/// interpolated, linearly along each axis, to the points of A that lie in B's box. The checksums of
/// both files are verified as well.
/// @param gains_of_b  what B gains over the periods of its periodic axes, across whose ends it is
///                    interpolated, too
/// @throws InputError  on every rank, if a file is not one of isotherm's, cannot be read, or is
///                     damaged, or if no point of A lies in B's box
FieldDifference compare_fields(mpi::Communicator const& ranks, std::filesystem::path const& a,
                               std::filesystem::path const& b,
                               PerAxis<double> const& gains_of_b = {});

}  // namespace isotherm
