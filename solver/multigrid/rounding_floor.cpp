#include "solver/multigrid/rounding_floor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "kernels/core/precision.hpp"
#include "kernels/multigrid/residual.hpp"
#include "solver/iteration/largest_change.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Formats a number with two significant digits.
std::string digits(double number) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.2g", number);
  return text.data();
}

}  // namespace

template <class Real>
double largest_value(mpi::Communicator const& ranks, Queue& queue, ChangeReader& reader,
                     FieldView<Real const> field, LocalBox box) {
  reader.clear(queue);
  ResidualPass<Real, Real> values{field, {}, {}, box, 1.0, reader.device(), 1.0};
  // With a shift of 1 and no neighbours the residual is −u.
  evaluate_residual(queue, AxisWeights<double>{}, values);
  reader.fetch(queue);
  return largest_change(ranks, reader.read());
}

double magnitude_by_source(Problem const& problem, double mean_source) {
  double between_values = 0.0;  // Σ L^-2 over axes with a Dirichlet face
  double longest = 0.0;         // half wave length between faces without values
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    bool const periodic = problem.grid.periodic[axis];
    // A periodic axis has as many intervals as points.
    auto const intervals = static_cast<double>(problem.grid.points[axis] - (periodic ? 0 : 1));
    double const length = problem.grid.spacing[axis] * intervals;
    bool const lower = is(problem, {axis, false}, BoundaryKind::dirichlet);
    bool const upper = is(problem, {axis, true}, BoundaryKind::dirichlet);
    if (lower || upper) {
      double const between = lower && upper ? length : 2.0 * length;  // with its mirror image
      between_values += 1.0 / (between * between);
    } else {
      // Insulated faces admit half a wave over their distance, a periodic axis a whole one.
      longest = std::max(longest, periodic ? 0.5 * length : length);
    }
  }
  if (between_values > 0.0) return mean_source / (8.0 * between_values);
  return mean_source * longest * longest / (std::numbers::pi * std::numbers::pi);
}

double residual_rounding_floor(Problem const& problem, Norm norm, double size) {
  double inverse_squares = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    // If some faces have given values, the solution need not vary along axes without such faces.
    if (has_dirichlet_face(problem) && !has_dirichlet_end(problem, axis)) continue;
    double const spacing = problem.grid.spacing[axis];
    if (problem.grid.points[axis] > 1) inverse_squares += 1.0 / (spacing * spacing);
  }
  double const share = norm == Norm::max ? 0.6 : 0.15;
  return share * half_unit(problem.precision) * 4.0 * inverse_squares * size;
}

std::string remark_on_rounding_floor(Problem const& problem, double rounding, double allowed,
                                     double reference) {
  // No remark if the tolerance is above the rounding floor, or nothing is known.
  if (!(allowed < rounding) || !std::isfinite(rounding) || !(reference > 0.0)) return {};
  // float64 rounds 2^29 times more finely than float32.
  bool const float64_would_do =
      problem.precision == Precision::float32 && allowed > 0x1p-29 * rounding;
  return "the tolerance may be out of reach: rounding to " + std::string(name(problem.precision)) +
         " leaves a residual of approximately " + digits(rounding / reference) +
         " of the right-hand side, but the tolerance is " + digits(allowed / reference) + " (" +
         (float64_would_do ? "[grid] precision = \"float64\" or a larger tolerance would help)"
                           : "a larger tolerance would help)");
}

template double largest_value(mpi::Communicator const&, Queue&, ChangeReader&,
                              FieldView<float const>, LocalBox);
template double largest_value(mpi::Communicator const&, Queue&, ChangeReader&,
                              FieldView<double const>, LocalBox);

}  // namespace isotherm
