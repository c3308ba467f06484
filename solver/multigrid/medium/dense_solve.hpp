#pragma once

#include <vector>

#include "kernels/core/queue/memory.hpp"
#include "kernels/multigrid/coarsest/dense.hpp"
#include "solver/multigrid/medium/body_level.hpp"

namespace isotherm {

struct FlowInverse {
  std::vector<double> matrix;     ///< row by row; zero at points that stay zero
  bool has_free_islands = false;  ///< there are such whose solutions have mean zero
};

/// Inverts an operator of flows, Σ g (u − u(neighbour)) + s u at the points of a grid, in float64.
/// The points that flows connect with one another are an island. If nothing holds an island to
/// zero, or s and what leads to points that stay zero sum up to less than `weak` times its
/// diagonal, then what flows into it must cancel, and the mean of its solution is zero.
/// @param g         conductances to the next point along each axis, dense, x fastest; those along x
///                  have the marks
/// @param absorbed  s
FlowInverse inverse_of_flow(Grid const& grid, PerAxis<std::vector<double>> const& g,
                            std::vector<double> const& absorbed, double weak);

/// The exact solution of a body's last level. Stays where it is.
template <class Real, int dimension>
class DenseSolve {
 public:
  using Level = BodyLevel<Real, dimension>;

  /// @param level      has its operator, all of it on every rank
  /// @param mean_free  islands that are held weakly have solutions of mean zero, as the caller
  /// finds
  ///                   their means by itself
  /// `queue` outlives the object.
  DenseSolve(Queue& queue, Level& level, bool mean_free) : queue_(&queue) {
    Grid const& grid = level.plan().problem.grid;
    PerAxis<std::vector<double>> g;
    std::vector<DistributedField<Real>>& fields = level.flow().fields();
    for (int axis = 0; axis < dimension; ++axis) {
      g[axis] = wide(fields[static_cast<std::size_t>(axis)]);
    }
    constexpr double weak = 1e-4;  // float32 cycles would tell such a mean by few digits
    FlowInverse const inverse =
        inverse_of_flow(grid, g, wide(fields.back()), mean_free ? weak : 0.0);
    has_free_islands_ = inverse.has_free_islands;
    std::vector<Real> const rounded(inverse.matrix.begin(), inverse.matrix.end());
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

  /// Whether there are islands whose solutions have mean zero.
  [[nodiscard]] bool has_free_islands() const { return has_free_islands_; }

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
  bool has_free_islands_ = false;
  Buffer matrix_{};
};

}  // namespace isotherm
