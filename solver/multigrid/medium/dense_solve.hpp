#pragma once

#include <vector>

#include "kernels/core/queue/memory.hpp"
#include "kernels/multigrid/coarsest/dense.hpp"
#include "solver/multigrid/medium/medium_level.hpp"

namespace isotherm {

/// The dense inverse of the coarsest level's operator.
struct OperatorInverse {
  std::vector<double> matrix;  ///< row-major; zero in the rows and columns of fixed points
  bool has_floating_components =
      false;  ///< some components float, or are weakly held; mean zero there
};

/// Inverts the heterogeneous operator A of a grid in float64: row p of A u is
/// Σ g (u_p − u_neighbour) + s u_p. O(n³) operations for n points.
///
/// A component is a connected component of the points. It is weakly held if s and the conductances
/// to fixed points sum up to at most `weak` times the sum of its diagonal. Constants on it are then
/// (nearly) in the null space. The inverse then gives the solution of mean zero, for
/// sources whose sum over the component is zero.
/// @param g         conductances to the next point along each axis (dense, x fastest). The sign bit
///                  of those along x marks fixed points.
/// @param reaction_term  the reaction term s
/// @param weak      0: only components in the null space
OperatorInverse inverse_of_operator(Grid const& grid, PerAxis<std::vector<double>> const& g,
                                    std::vector<double> const& reaction_term, double weak);

/// The direct solver of a heterogeneous medium's coarsest level: multiplication by the dense
/// inverse matrix, n² values for n points. Every rank holds the level and solves it redundantly.
/// Neither copyable nor movable.
template <class Real, int dimension>
class DenseSolve {
 public:
  using Level = MediumLevel<Real, dimension>;

  /// Inverts the operator of `level` on the CPU and copies the inverse to the device; waits.
  /// @param queue      must outlive the object
  /// @param level      whose operator is complete and held by every rank
  /// @param mean_free  solutions have mean zero on weakly held components too, because the caller
  ///                   determines their means
  DenseSolve(Queue& queue, Level& level, bool mean_free) : queue_(&queue) {
    Grid const& grid = level.plan().problem.grid;
    PerAxis<std::vector<double>> g;
    std::vector<DistributedField<Real>>& fields = level.operator_fields().fields();
    for (int axis = 0; axis < dimension; ++axis) {
      g[axis] = to_float64(fields[static_cast<std::size_t>(axis)]);
    }
    constexpr double weak = 1e-4;  // float32 cycles would find such a mean to few digits only
    OperatorInverse const inverse =
        inverse_of_operator(grid, g, to_float64(fields.back()), mean_free ? weak : 0.0);
    has_floating_components_ = inverse.has_floating_components;
    std::vector<Real> const rounded(inverse.matrix.begin(), inverse.matrix.end());
    std::size_t const bytes = rounded.size() * sizeof(Real);
    matrix_ = Buffer(queue, Space::device, bytes);
    copy_bytes(queue, matrix_.data(), rounded.data(), bytes);
    queue.wait();  // before `rounded` is destroyed
  }

  /// Returns an upper bound on the bytes that the solver allocates, see Buffer::footprint.
  /// @param correction  the problem of the coarsest level
  static std::size_t footprint(Backend backend, Problem const& correction) {
    auto const points = static_cast<std::size_t>(correction.grid.point_count());
    return Buffer::footprint(backend, Space::device, points * points * sizeof(Real));
  }

  /// True if there are components whose solutions have mean zero.
  [[nodiscard]] bool has_floating_components() const { return has_floating_components_; }

  /// Enqueues the solution e of A e = source at the points `unknown`.
  void operator()(FieldView<Real const> source, FieldView<Real> correction, LocalBox unknown) {
    multiply_dense(*queue_, matrix_.template as<Real const>(), source, correction, unknown);
  }

 private:
  /// Returns the field's values in float64.
  static std::vector<double> to_float64(DistributedField<Real>& field) {
    std::vector<Real> values(static_cast<std::size_t>(field.owned().point_count()));
    field.read(values);
    return {values.begin(), values.end()};
  }

  Queue* queue_;
  bool has_floating_components_ = false;
  Buffer matrix_{};  ///< the inverse, row-major, rounded to Real
};

}  // namespace isotherm
