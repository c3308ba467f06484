#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A plane of grid points, to be drawn with one axis to the right and one upwards.
struct Slice {
  int right = 0;           ///< axis (0: x, 1: y, 2: z)
  int up = 1;              ///< axis
  int normal = 2;          ///< axis
  std::int64_t index = 0;  ///< of the plane on the normal axis
};

/// The plane itself in 2D. In 3D the planes of points nearest to these places on the axes, or the
/// three middle planes where there is none: (x, y), (x, z), (y, z).
std::vector<Slice> slices_of(Grid const& grid, PerAxis<std::optional<double>> const& planes);

/// Values of a slice at `columns` × `rows` of its points, evenly spaced and including both ends.
struct SliceSamples {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<double> values{};  ///< row by row, from the lowest coordinate
  /// Where columns and rows lie, from 0 to 1; empty where they are evenly spread.
  std::vector<double> column_places{};
  std::vector<double> row_places{};

  /// Between the samples by linear interpolation; (0, 0) is the first point, (1, 1) the last one.
  [[nodiscard]] double at(double right, double up) const;
};

/// The samples of each slice, at most `limit` an axis, on the root; empty elsewhere. Collective.
/// @param owned  dense, x fastest
template <class Real>
std::vector<SliceSamples> sample(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 std::vector<Slice> const& slices, std::int64_t limit,
                                 Real const* owned);

}  // namespace isotherm
