#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A rank's values of a field in host memory, and those of the two points next to them beyond each
/// face, which other ranks have; on a periodic axis they go on at its other end. For who looks
/// along the axes: there is nothing beyond edges and corners.
template <class Value>
class ValuesAround {
 public:
  static constexpr int reach = 2;

  /// @param owned  dense, x fastest; has to live as long
  /// Collective; on any thread.
  ValuesAround(mpi::Communicator const& ranks, Subdomain const& subdomain, Value const* owned);

  /// The row of points (0, j, k), (1, j, k) …, where j or k may lie beyond the owned points by up
  /// to two; null where the grid has no such points.
  [[nodiscard]] Value const* row(std::int64_t j, std::int64_t k) const;
  /// The point (−1, j, k) or (−2, j, k), or as far beyond the row's other end; null as above.
  [[nodiscard]] Value const* beside(std::int64_t i, std::int64_t j, std::int64_t k) const;

 private:
  /// A layer of points beyond a face, x fastest; empty beyond the grid.
  using Layer = std::vector<Value>;
  [[nodiscard]] Layer const& layer(int axis, std::int64_t index) const;

  Extent3 extent_;
  Value const* owned_;
  std::array<std::array<Layer, std::size_t{2} * reach>, 3>
      layers_{};  ///< of each axis those at −2, −1, n, n + 1
};

}  // namespace isotherm
