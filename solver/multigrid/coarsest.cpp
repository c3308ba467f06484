#include "solver/multigrid/coarsest.hpp"

#include <cmath>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// A square matrix, row by row.
struct Matrix {
  std::size_t size;
  std::vector<double> entries;

  explicit Matrix(std::size_t n) : size(n), entries(n * n) {}
  double& operator()(std::size_t row, std::size_t column) { return entries[row * size + column]; }
};

/// The index along an axis that an index beyond a Neumann face stands for.
std::int64_t mirrored(std::int64_t index, std::int64_t points) {
  return index < 0 ? -index : index >= points ? 2 * (points - 1) - index : index;
}

Matrix operator_over(Problem const& correction, LocalBox const& unknown) {
  Extent3 const n = unknown.extent();
  auto const number = [&](Index3 p) {
    Index3 const q = p - unknown.lower;
    return static_cast<std::size_t>(q.x + n.x * (q.y + n.y * q.z));
  };
  PerAxis<double> const weights = relaxation_weights(correction.grid, correction.sigma);
  Matrix matrix(static_cast<std::size_t>(unknown.point_count()));
  for (std::size_t row = 0; row < matrix.size; ++row) {
    auto const at = static_cast<std::int64_t>(row);
    Index3 const p = unknown.lower + Index3{at % n.x, at / n.x % n.y, at / (n.x * n.y)};
    matrix(row, row) += 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      for (std::int64_t const step : {-1, 1}) {
        Index3 neighbour = p;
        neighbour[axis] = mirrored(p[axis] + step, correction.grid.points[axis]);
        if (weights[axis] == 0.0 || !unknown.contains(neighbour.x, neighbour.y, neighbour.z)) {
          continue;
        }
        matrix(row, number(neighbour)) -= weights[axis];
      }
    }
  }
  return matrix;
}

/// Gauss and Jordan's elimination; the matrix is weakly diagonally dominant and irreducible, so
/// that no rows have to be exchanged.
std::vector<double> inverse(Matrix matrix) {
  Matrix result(matrix.size);
  for (std::size_t n = 0; n < matrix.size; ++n) result(n, n) = 1.0;
  for (std::size_t pivot = 0; pivot < matrix.size; ++pivot) {
    double const scale = 1.0 / matrix(pivot, pivot);
    for (std::size_t column = 0; column < matrix.size; ++column) {
      matrix(pivot, column) *= scale;
      result(pivot, column) *= scale;
    }
    for (std::size_t row = 0; row < matrix.size; ++row) {
      double const factor = row == pivot ? 0.0 : matrix(row, pivot);
      if (factor == 0.0) continue;
      for (std::size_t column = 0; column < matrix.size; ++column) {
        matrix(row, column) -= factor * matrix(pivot, column);
        result(row, column) -= factor * result(pivot, column);
      }
    }
  }
  return result.entries;
}

}  // namespace

std::vector<double> coarsest_inverse(Problem const& correction) {
  LocalBox const unknown = unknown_points(correction, Subdomain(correction.grid, {1, 1, 1}, 0));
  require(unknown.point_count() <= most_dense_points, "the coarsest grid has too many points");
  if (!has_dirichlet_face(correction)) {
    auto const points = static_cast<std::size_t>(unknown.point_count());
    return std::vector<double>(points * points);
  }
  return inverse(operator_over(correction, unknown));
}

}  // namespace isotherm
