#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A rank's values of a field in host memory, with a halo of depth 2: two layers of the neighbours'
/// values beyond each face. On a periodic axis the layers come from the other end. For stencils
/// along the axes only: there are no values beyond edges and corners.
///
///     ValuesWithHalo<double> const u(ranks, subdomain, owned.data());
///     double const* const next = u.row(j + 1, k);              // null beyond the grid
///     double const* const left = u.value_beyond_row(-1, j, k);
template <class Value>
class ValuesWithHalo {
 public:
  static constexpr int reach = 2;  ///< number of layers beyond each face

  /// Exchanges the layers. Collective; may be called on any thread.
  /// @param owned  dense values of the owned points, x fastest; must outlive the object
  ValuesWithHalo(mpi::Communicator const& ranks, Subdomain const& subdomain, Value const* owned);

  /// Adds `gain` to the values beyond the upper end of a periodic axis, and subtracts it from those
  /// beyond the lower end: the values of a field that gains that much over the period.
  void add_gain(Subdomain const& subdomain, int axis, double gain);

  /// Returns the row of points (0, j, k), (1, j, k) …, or null if the grid has no such points.
  /// Either j or k may lie up to two points beyond the owned points.
  [[nodiscard]] Value const* row(std::int64_t j, std::int64_t k) const;
  /// Returns the point (i, j, k) beyond the ends of an owned row, or null if the grid has no such
  /// point.
  /// @param i  −2, −1, n or n + 1, with n the number of owned points along x
  [[nodiscard]] Value const* value_beyond_row(std::int64_t i, std::int64_t j, std::int64_t k) const;

 private:
  /// A layer of points beyond a face, x fastest; empty if it lies beyond the grid.
  using Layer = std::vector<Value>;
  /// The layer at a local index beyond the owned points of an axis.
  [[nodiscard]] Layer const& layer(int axis, std::int64_t index) const;

  Extent3 extent_;
  Value const* owned_;
  /// By axis: the layers at −2, −1, n and n + 1, with n the number of owned points.
  std::array<std::array<Layer, std::size_t{2} * reach>, 3> layers_{};
};

}  // namespace isotherm
