#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "solver/problem/problem.hpp"

namespace isotherm::test {

/// Reference solver: plain serial loops over the whole grid, written from the equations and the
/// documented conventions. It shares only data types with the product.
template <class Real>
class ProblemOracle {
 public:
  /// @param time_step_s  0: Jacobi; else FTCS
  ProblemOracle(Problem const& problem, double time_step_s)
      : problem_(problem), n_(problem.grid.points), time_step_(time_step_s) {
    set_coefficients();
    u_.resize(static_cast<std::size_t>(n_.x * n_.y * n_.z));
    for_each_point([this](Index3 p) { u_[index(p)] = initial(p); });
    set_dirichlet(0.0);
  }

  /// One sweep or time step.
  void step() {
    std::vector<Real> const before = u_;
    double const now = static_cast<double>(steps_) * time_step_;
    std::int64_t unknowns = 0;
    largest_change_ = sum_of_squares_ = 0.0;
    for_each_point([&](Index3 p) {
      if (dirichlet_face(p) >= 0) return;
      u_[index(p)] = updated(before, p, now);
      double const change = std::abs(static_cast<double>(u_[index(p)] - before[index(p)]));
      largest_change_ = std::fmax(largest_change_, change);
      sum_of_squares_ += change * change;
      ++unknowns;
    });
    unknowns_ = unknowns;
    ++steps_;
    set_dirichlet(static_cast<double>(steps_) * time_step_);
  }

  [[nodiscard]] Real at(Index3 p) const { return u_[index(p)]; }
  [[nodiscard]] std::vector<Real> const& values() const { return u_; }
  /// Returns the residual norm of the field before the last step.
  [[nodiscard]] double residual(Norm norm) const {
    return norm == Norm::max
               ? residual_factor_ * largest_change_
               : residual_factor_ * std::sqrt(sum_of_squares_ / static_cast<double>(unknowns_));
  }
  [[nodiscard]] double residual_factor() const { return residual_factor_; }

 private:
  template <class Visit>
  void for_each_point(Visit const& visit) const {
    for (std::int64_t k = 0; k < n_.z; ++k)
      for (std::int64_t j = 0; j < n_.y; ++j)
        for (std::int64_t i = 0; i < n_.x; ++i) visit(Index3{i, j, k});
  }
  [[nodiscard]] std::size_t index(Index3 p) const {
    return static_cast<std::size_t>(p.x + n_.x * (p.y + n_.y * p.z));
  }
  [[nodiscard]] double spacing(int axis) const { return problem_.grid.spacing[axis]; }
  [[nodiscard]] double coordinate(int axis, std::int64_t i) const {
    return problem_.grid.lower[axis] + static_cast<double>(i) * spacing(axis);
  }
  [[nodiscard]] double value(ScalarFunction const& f, Index3 p, double t) const {
    return f(coordinate(0, p.x), coordinate(1, p.y), coordinate(2, p.z), t);
  }
  [[nodiscard]] BoundaryCondition const& on(int axis, int side) const {
    return problem_.boundary[{axis, side == 1}];
  }
  [[nodiscard]] bool lies_on(Index3 p, int axis, int side) const {
    return p[axis] == (side == 0 ? 0 : n_[axis] - 1);
  }

  void set_coefficients() {
    int const dimension = problem_.grid.dimension;
    double inverse_squares = 0.0;
    double ratios = 0.0;
    for (int d = 0; d < dimension; ++d) {
      inverse_squares += 1.0 / (spacing(d) * spacing(d));
      ratios += (spacing(0) / spacing(d)) * (spacing(0) / spacing(d));
    }
    for (int d = 0; d < dimension; ++d) {
      weight_[d] = time_step_ > 0.0
                       ? problem_.diffusivity * time_step_ / (spacing(d) * spacing(d))
                       : (spacing(0) / spacing(d)) * (spacing(0) / spacing(d)) / (2.0 * ratios);
    }
    source_factor_ = time_step_ > 0.0 ? time_step_ : 1.0 / (2.0 * inverse_squares);
    residual_factor_ = time_step_ > 0.0 ? 1.0 / time_step_ : 2.0 * inverse_squares;
    double sum = 0.0;
    for (double const w : weight_) sum += static_cast<double>(static_cast<Real>(w));
    centre_ = static_cast<Real>(time_step_ > 0.0 ? 1.0 - 2.0 * sum : 0.0);
  }

  [[nodiscard]] Real initial(Index3 p) const {
    auto u = static_cast<Real>(value(problem_.initial.value, p, 0.0));
    for (InitialBox const& box : problem_.initial.boxes) {
      if (inside(box, p)) u = static_cast<Real>(box.value);
    }
    double sum = 0.0;
    for (Gaussian const& bump : problem_.initial.gaussians) sum += height(bump, p);
    return problem_.initial.gaussians.empty() ? u : static_cast<Real>(static_cast<double>(u) + sum);
  }
  [[nodiscard]] bool inside(InitialBox const& box, Index3 p) const {
    for (int d = 0; d < problem_.grid.dimension; ++d) {
      double const slack = 1e-9 * spacing(d);
      double const c = coordinate(d, p[d]);
      if (c < box.lower[d] - slack) return false;
      if (c >= box.upper[d] - slack) return false;
    }
    return true;
  }
  [[nodiscard]] double height(Gaussian const& bump, Index3 p) const {
    double square = 0.0;
    for (int d = 0; d < problem_.grid.dimension; ++d) {
      double const from = coordinate(d, p[d]) - bump.center[d];
      square += from * from;
    }
    return bump.height * std::exp(-square / (2.0 * bump.width * bump.width));
  }

  /// Returns the first Dirichlet face on which the point lies; −1 for an unknown.
  [[nodiscard]] int dirichlet_face(Index3 p) const {
    for (int d = 0; d < problem_.grid.dimension; ++d) {
      for (int side = 0; side < 2; ++side) {
        if (on(d, side).kind == BoundaryKind::dirichlet && lies_on(p, d, side)) return 2 * d + side;
      }
    }
    return -1;
  }
  void set_dirichlet(double t) {
    for_each_point([&](Index3 p) {
      int const face = dirichlet_face(p);
      if (face < 0) return;
      u_[index(p)] =
          static_cast<Real>(value(problem_.boundary[Face::from_index(face)].value, p, t));
    });
  }

  /// Returns the neighbour's value along an axis, wrapped around or mirrored beyond the grid.
  [[nodiscard]] Real beside(std::vector<Real> const& u, Index3 p, int axis, int step) const {
    std::int64_t const last = n_[axis] - 1;
    Index3 q = p;
    q[axis] += step;
    bool const wraps = on(axis, 0).kind == BoundaryKind::periodic;
    if (q[axis] < 0) q[axis] = wraps ? last : 1;
    if (q[axis] > last) q[axis] = wraps ? 0 : last - 1;
    return u[index(q)];
  }
  [[nodiscard]] Real pair(std::vector<Real> const& u, Index3 p, int axis) const {
    return static_cast<Real>(weight_[axis]) * (beside(u, p, axis, -1) + beside(u, p, axis, 1));
  }
  [[nodiscard]] double source(Index3 p, double t) const {
    double sum = source_factor_ * value(problem_.source, p, t);
    for (int d = 0; d < problem_.grid.dimension; ++d) {
      for (int side = 0; side < 2; ++side) {
        if (on(d, side).kind != BoundaryKind::neumann || !lies_on(p, d, side)) continue;
        sum += weight_[d] * 2.0 * spacing(d) * value(on(d, side).value, p, t);
      }
    }
    return sum;
  }
  [[nodiscard]] Real updated(std::vector<Real> const& u, Index3 p, double t) const {
    Real sum = pair(u, p, 0) + pair(u, p, 1);
    if (problem_.grid.dimension == 3) sum = sum + pair(u, p, 2);
    if (time_step_ > 0.0) sum = centre_ * u[index(p)] + sum;
    return sum + static_cast<Real>(source(p, t));
  }

  Problem problem_;
  Extent3 n_;
  double time_step_;
  PerAxis<double> weight_{};
  Real centre_{};
  double source_factor_ = 0.0;
  double residual_factor_ = 0.0;
  std::vector<Real> u_;
  std::int64_t steps_ = 0;
  std::int64_t unknowns_ = 0;
  double largest_change_ = 0.0;
  double sum_of_squares_ = 0.0;
};

}  // namespace isotherm::test
