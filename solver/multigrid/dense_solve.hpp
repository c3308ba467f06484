#pragma once

#include <vector>

#include "kernels/core/memory.hpp"
#include "kernels/multigrid/dense.hpp"
#include "solver/multigrid/body_level.hpp"

namespace isotherm {

/// The inverse of an operator of flows, in float64: Σ g (u − u(neighbour)) + s u at the points of a
/// grid, row by row; zero at points that stay zero. Where nothing holds some points to a value,
/// what flows into them must cancel, and the mean of their solution is zero.
/// @param g         conductances to the next point along each axis, dense, x fastest; those along x
///                  have the marks
/// @param absorbed  s
std::vector<double> inverse_of_flow(Grid const& grid, PerAxis<std::vector<double>> const& g,
                                    std::vector<double> const& absorbed);

/// The exact solution of a body's last level. Stays where it is.
template <class Real, int dimension>
class DenseSolve {
 public:
  using Level = BodyLevel<Real, dimension>;

  /// The level has its operator, all of it on every rank. `queue` outlives the object.
  DenseSolve(Queue& queue, Level& level) : queue_(&queue) {
    Grid const& grid = level.plan().problem.grid;
    PerAxis<std::vector<double>> g;
    std::vector<DistributedField<Real>>& fields = level.flow().fields();
    for (int axis = 0; axis < dimension; ++axis) {
      g[axis] = wide(fields[static_cast<std::size_t>(axis)]);
    }
    std::vector<double> const inverse = inverse_of_flow(grid, g, wide(fields.back()));
    std::vector<Real> const rounded(inverse.begin(), inverse.end());
    std::size_t const bytes = rounded.size() * sizeof(Real);
    matrix_ = Buffer(queue, Space::device, bytes);
    copy_bytes(queue, matrix_.data(), rounded.data(), bytes);
    queue.wait();  // the vector goes away
  }

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Problem const& correction) {
    auto const points = static_cast<std::size_t>(correction.grid.point_count());
    return Buffer::footprint(backend, Space::device, points * points * sizeof(Real));
  }

  /// Enqueues finding the correction whose flow the source is, at the points `unknown`.
  void operator()(FieldView<Real const> source, FieldView<Real> correction, LocalBox unknown) {
    multiply_dense(*queue_, matrix_.template as<Real const>(), source, correction, unknown);
  }

 private:
  static std::vector<double> wide(DistributedField<Real>& field) {
    std::vector<Real> values(static_cast<std::size_t>(field.owned().point_count()));
    field.read(values);
    return {values.begin(), values.end()};
  }

  Queue* queue_;
  Buffer matrix_{};
};

}  // namespace isotherm
