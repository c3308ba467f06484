#include "solver/nonlinear/local_inflow.hpp"

#include <algorithm>
#include <cmath>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/given/given_range.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the derivative of a function of u by central differences.
/// @param scale  the magnitude of u elsewhere
template <class Function>
double derivative(Function const& function, double u, double scale) {
  // The cube root of the rounding unit balances truncation and rounding.
  constexpr double relative = 6e-6;
  double const step = relative * std::max(std::abs(u), 0.01 * scale);
  double const above = u + step, below = u - step;
  return (function(above) - function(below)) / (above - below);
}

}  // namespace

LocalInflow::LocalInflow(Problem const& problem, MediumUnits const& units)
    : problem_(&problem), units_(units) {
  double const largest = given_range(problem).magnitude();
  if (largest > 0.0) scale_ = largest;
  for (Face const face : faces(problem.grid)) {
    bool const conducts = has_anywhere(problem, face, BoundaryKind::robin);
    if (conducts || has_flux(problem, face)) open_.push_back(face);
    if (conducts) dependent_.push_back(face);
  }
}

bool LocalInflow::is_zero() const {
  return open_.empty() && problem_->source.is_zero() && problem_->reaction.is_zero();
}

bool LocalInflow::depends_on_u() const {
  return !dependent_.empty() || problem_->source.depends_on_u || !problem_->reaction.is_zero();
}

bool LocalInflow::radiates() const {
  auto const has_zero = [](BoundaryCondition const& condition) {
    return condition.absolute_zero.has_value();
  };
  return std::ranges::any_of(faces(problem_->grid),
                             [&](Face face) { return has_zero(condition(*problem_, face)); }) ||
         std::ranges::any_of(problem_->patches, has_zero, &BoundaryPatch::condition);
}

double LocalInflow::through_faces(Index3 global, double u) const {
  double sum = 0.0;
  for (Face const face : open_) {
    if (!lies_on(problem_->grid, face, global)) continue;
    FaceFlow const flow = face_flow(*problem_, units_, face, global, time_s_, u);
    sum += flow.conductance * (flow.ambient - u) + flow.flux;
  }
  return sum;
}

double LocalInflow::of_source(Index3 global, double u) const {
  if (problem_->source.is_zero()) return 0.0;
  return value_at(problem_->source, problem_->grid, global, time_s_, u) / units_.rate() *
         volume(problem_->grid, units_, global);
}

double LocalInflow::operator()(Index3 global, double u) const {
  double sum = of_source(global, u) + through_faces(global, u);
  if (!problem_->reaction.is_zero()) sum -= reaction_term(*problem_, units_, global) * u;
  return sum;
}

double LocalInflow::slope(Index3 global, double u) const {
  double sum = 0.0;
  if (!problem_->reaction.is_zero()) sum += reaction_term(*problem_, units_, global);
  if (problem_->source.depends_on_u) {
    sum -= derivative([&](double value) { return of_source(global, value); }, u, scale_);
  }
  bool const has_face = std::ranges::any_of(
      dependent_, [&](Face face) { return lies_on(problem_->grid, face, global); });
  if (has_face)
    sum -= derivative([&](double value) { return through_faces(global, value); }, u, scale_);
  return sum;
}

double LocalInflow::longest_part(Index3 global, double u, double step) const {
  double part = 1.0;
  for (Face const face : dependent_) {
    if (!lies_on(problem_->grid, face, global)) continue;
    auto const [x, y, z] = coordinates(problem_->grid, global);
    auto const& zero = condition_at(*problem_, face, x, y, z).absolute_zero;
    if (!zero || step == 0.0) continue;
    double const temperature = u - *zero;
    if (!(temperature > 0.0)) continue;
    double const longest = step > 0.0 ? std::max(temperature, scale_) : 0.9 * temperature;
    part = std::min(part, longest / std::abs(step));
  }
  return part;
}

}  // namespace isotherm
