#include "solver/multigrid/attainable.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "kernels/multigrid/residual.hpp"
#include "solver/multigrid/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

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
  evaluate_residual(queue, AxisWeights<Real>{}, values);  // −u
  reader.fetch(queue);
  Change const change = reader.read();
  // A maximum may lose a NaN on its way through MPI, infinity arrives.
  bool const finite = std::isfinite(change.largest) && !std::isnan(change.sum_of_squares);
  return ranks.max(finite ? change.largest : std::numeric_limits<double>::infinity());
}

double size_by_source(Problem const& problem, double mean_source) {
  double inverse_squares = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    bool const lower = is(problem, {axis, false}, BoundaryKind::dirichlet);
    bool const upper = is(problem, {axis, true}, BoundaryKind::dirichlet);
    if (!lower && !upper) continue;
    auto const intervals = static_cast<double>(problem.grid.points[axis] - 1);
    double const length = problem.grid.spacing[axis] * intervals;
    double const between = lower && upper ? length : 2.0 * length;  // with its mirror image
    inverse_squares += 1.0 / (between * between);
  }
  return inverse_squares > 0.0 ? mean_source / (8.0 * inverse_squares) : 0.0;
}

double residual_left_by_rounding(Problem const& problem, Norm norm, double size) {
  double const half_unit = problem.precision == Precision::float32 ? 0x1p-24 : 0x1p-53;
  double const share = norm == Norm::max ? 0.6 : 0.15;
  return share * half_unit * 4.0 * inverse_spacings_squared(problem.grid) * size;
}

std::string remark_on_rounding(Problem const& problem, double rounding, double allowed,
                               double reference) {
  if (!(allowed < rounding) || !std::isfinite(rounding) || !(reference > 0.0)) return {};
  bool const can_be_wider = problem.precision == Precision::float32;
  return "the tolerance may not be reached: rounding to " + std::string(name(problem.precision)) +
         " leaves about " + digits(rounding / reference) + " of the right-hand side, and " +
         digits(allowed / reference) + " is asked for (" +
         (can_be_wider ? "[grid] precision = \"float64\", or a looser tolerance, would help)"
                       : "a looser tolerance would help)");
}

template double largest_value(mpi::Communicator const&, Queue&, ChangeReader&,
                              FieldView<float const>, LocalBox);
template double largest_value(mpi::Communicator const&, Queue&, ChangeReader&,
                              FieldView<double const>, LocalBox);

}  // namespace isotherm
