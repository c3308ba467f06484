#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Solves A x = b for matrices that need not be symmetric, by the flexible generalised minimal
/// residual method (Y. Saad, SIAM J. Sci. Comput. 14, 461, 1993). The preconditioner may differ
/// from step to step. Vectors are this rank's values in host memory; inner products are over all
/// ranks.
///
///     FlexibleGmres const gmres(ranks);
///     std::vector<double> const x = gmres.solve(b, 1e-3, multiply, precondition);
class FlexibleGmres {
 public:
  static constexpr std::size_t restart = 12;      ///< steps until a restart
  static constexpr std::size_t max_restarts = 4;  ///< before the solution is accepted as it is

  /// @param ranks  must outlive the object
  explicit FlexibleGmres(mpi::Communicator const& ranks) : ranks_(&ranks) {}

  /// Returns an upper bound on the bytes that it allocates for this number of values.
  static std::size_t footprint(std::size_t values) {
    return (2 * restart + 5) * values * sizeof(double);
  }

  /// Returns x with ‖b − A x‖ ≤ tolerance ‖b‖, or the best found. Collective.
  /// @param multiply      returns A times a vector
  /// @param precondition  returns approximately A⁻¹ times a vector of norm 1
  template <class Multiply, class Precondition>
  [[nodiscard]] std::vector<double> solve(std::vector<double> const& b, double tolerance,
                                          Multiply const& multiply,
                                          Precondition const& precondition) const {
    std::vector<double> x(b.size()), residual = b;
    double const wanted = tolerance * norm(b);
    double left = norm(b);
    for (std::size_t round = 0; round < max_restarts && left > wanted; ++round) {
      add_best(x, residual, left, wanted, multiply, precondition);
      residual = b;
      add(residual, -1.0, multiply(x));
      double const before = std::exchange(left, norm(residual));
      if (!(left < 0.9 * before)) break;
    }
    return x;
  }

 private:
  using Vector = std::vector<double>;

  [[nodiscard]] double dot(Vector const& a, Vector const& b) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return ranks_->sum(sum);
  }
  [[nodiscard]] double norm(Vector const& a) const { return std::sqrt(dot(a, a)); }
  static void add(Vector& to, double factor, Vector const& a) {
    for (std::size_t i = 0; i < a.size(); ++i) to[i] += factor * a[i];
  }
  static void scale(Vector& a, double factor) {
    for (double& value : a) value *= factor;
  }

  /// The least-squares problem of a round: the Hessenberg matrix, reduced to triangular form by
  /// rotations, column by column.
  struct Projection {
    std::vector<Vector> columns{};
    std::vector<std::pair<double, double>> rotations{};
    Vector right{};  ///< right-hand side; its last element is the norm of the residual

    void add(Vector column) {
      for (std::size_t i = 0; i < rotations.size(); ++i) rotate(column, i, rotations[i]);
      std::size_t const last = column.size() - 2;
      double const length = std::hypot(column[last], column[last + 1]);
      std::pair<double, double> const rotation =
          length > 0.0 ? std::pair(column[last] / length, column[last + 1] / length)
                       : std::pair(1.0, 0.0);
      rotations.push_back(rotation);
      rotate(column, last, rotation);
      right.push_back(0.0);
      rotate(right, last, rotation);
      columns.push_back(std::move(column));
    }
    static void rotate(Vector& column, std::size_t at, std::pair<double, double> const& by) {
      double const a = column[at], b = column[at + 1];
      column[at] = by.first * a + by.second * b;
      column[at + 1] = by.first * b - by.second * a;
    }
    /// Returns the coefficients of the preconditioned vectors.
    [[nodiscard]] Vector solution() const {
      Vector y(right.begin(), right.end() - 1);
      for (std::size_t i = y.size(); i-- > 0;) {
        for (std::size_t j = i + 1; j < y.size(); ++j) y[i] -= columns[j][i] * y[j];
        y[i] = columns[i][i] != 0.0 ? y[i] / columns[i][i] : 0.0;
      }
      return y;
    }
  };

  /// Adds the combination of up to `restart` preconditioned vectors with the smallest residual.
  template <class Multiply, class Precondition>
  void add_best(Vector& x, Vector const& residual, double size, double wanted,
                Multiply const& multiply, Precondition const& precondition) const {
    std::vector<Vector> basis{residual}, directions;
    scale(basis[0], 1.0 / size);
    Projection projection;
    projection.right = {size};
    while (directions.size() < restart && std::abs(projection.right.back()) > wanted) {
      directions.push_back(precondition(basis.back()));
      Vector next = multiply(directions.back()), column;
      for (Vector const& earlier : basis) {
        column.push_back(dot(next, earlier));
        add(next, -column.back(), earlier);
      }
      double const length = norm(next);
      column.push_back(length);
      if (!std::isfinite(length)) {
        directions.pop_back();
        break;
      }
      projection.add(std::move(column));
      if (length == 0.0) break;
      scale(next, 1.0 / length);
      basis.push_back(std::move(next));
    }
    Vector const y = projection.solution();
    for (std::size_t i = 0; i < y.size(); ++i) add(x, y[i], directions[i]);
  }

  mpi::Communicator const* ranks_;
};

}  // namespace isotherm
