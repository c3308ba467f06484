#include "solver/nonlinear/local_inflow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

LocalInflow::LocalInflow(Problem const& problem, MediumUnits const& units, GlobalBox const& points)
    : problem_(&problem), units_(units), has_films_(has_films_on_surfaces(problem)) {
  double const largest = given_range(problem).magnitude();
  if (largest > 0.0) scale_ = largest;
  for (Face const face : faces(problem.grid)) {
    bool const conducts = has_anywhere(problem, face, BoundaryKind::robin);
    if (conducts || has_flux(problem, face)) open_.push_back(face);
    if (conducts) dependent_.push_back(face);
  }
  if (has_films_) find_surfaces(points);
}

void LocalInflow::find_surfaces(GlobalBox const& points) {
  Extent3 const n = points.extent();
  std::vector<std::vector<std::pair<std::int64_t, std::vector<FilmSurface>>>> rows(
      static_cast<std::size_t>(n.y * n.z));
  for_each_row({points.lower, points.upper}, [&](std::int64_t j, std::int64_t k) {
    auto& row = rows[static_cast<std::size_t>((j - points.lower.y) + n.y * (k - points.lower.z))];
    for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) {
      auto surfaces = film_surfaces_at(*problem_, units_, {i, j, k});
      if (!surfaces.empty()) row.emplace_back(number_of({i, j, k}), std::move(surfaces));
    }
  });
  for (auto& row : rows) {
    for (auto& [number, surfaces] : row) surfaces_.emplace(number, std::move(surfaces));
  }
}

std::int64_t LocalInflow::number_of(Index3 global) const {
  Extent3 const n = problem_->grid.points;
  return (global.z * n.y + global.y) * n.x + global.x;
}

std::vector<FilmSurface> const* LocalInflow::surfaces_at(Index3 global) const {
  if (!has_films_) return nullptr;
  auto const found = surfaces_.find(number_of(global));
  return found == surfaces_.end() ? nullptr : &found->second;
}

double LocalInflow::through_films(Index3 global, double u) const {
  auto const* const surfaces = surfaces_at(global);
  if (surfaces == nullptr) return 0.0;
  double sum = 0.0;
  for (FilmSurface const& surface : *surfaces) {
    SurfaceFilm const film = surface.film_at(*problem_, global, u, time_s_);
    sum += film.conductance * (film.ambient - u);
  }
  return sum;
}

bool LocalInflow::is_zero() const {
  return open_.empty() && !has_films_ && problem_->source.is_zero() && problem_->reaction.is_zero();
}

bool LocalInflow::depends_on_u() const {
  return !dependent_.empty() || has_films_ || problem_->source.depends_on_u ||
         !problem_->reaction.is_zero();
}

bool LocalInflow::radiates() const {
  auto const has_zero = [](BoundaryCondition const& condition) {
    return condition.absolute_zero.has_value();
  };
  return std::ranges::any_of(faces(problem_->grid),
                             [&](Face face) { return has_zero(condition(*problem_, face)); }) ||
         std::ranges::any_of(problem_->patches, has_zero, &BoundaryPatch::condition) ||
         any_exchange(*problem_, [](SurfaceExchange const& one) { return one.radiates(); });
}

std::optional<double> LocalInflow::zero_at(Index3 global) const {
  for (Face const face : dependent_) {
    if (!lies_on(problem_->grid, face, global)) continue;
    auto const [x, y, z] = coordinates(problem_->grid, global);
    auto const& zero = condition_at(*problem_, face, x, y, z).absolute_zero;
    if (zero) return zero;
  }
  auto const* const surfaces = surfaces_at(global);
  if (surfaces == nullptr) return std::nullopt;
  for (FilmSurface const& surface : *surfaces) {
    auto const& fluid = problem_->medium.fixed[static_cast<std::size_t>(surface.region)];
    auto const radiating = std::ranges::find_if(fluid.exchanges, &SurfaceExchange::radiates);
    if (radiating != fluid.exchanges.end()) return radiating->absolute_zero;
  }
  return std::nullopt;
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
  double sum = of_source(global, u) + through_faces(global, u) + through_films(global, u);
  if (!problem_->reaction.is_zero()) sum -= reaction_of_volume(*problem_, units_, global) * u;
  return sum;
}

double LocalInflow::slope(Index3 global, double u) const {
  double sum = 0.0;
  if (!problem_->reaction.is_zero()) sum += reaction_of_volume(*problem_, units_, global);
  if (problem_->source.depends_on_u) {
    sum -= derivative([&](double value) { return of_source(global, value); }, u, scale_);
  }
  bool const has_face = std::ranges::any_of(
      dependent_, [&](Face face) { return lies_on(problem_->grid, face, global); });
  if (has_face)
    sum -= derivative([&](double value) { return through_faces(global, value); }, u, scale_);
  if (surfaces_at(global) != nullptr) {
    sum -= derivative([&](double value) { return through_films(global, value); }, u, scale_);
  }
  return sum;
}

double LocalInflow::longest_part(Index3 global, double u, double step) const {
  if (step == 0.0) return 1.0;
  auto const zero = zero_at(global);
  double const temperature = zero ? u - *zero : 0.0;
  if (!(temperature > 0.0)) return 1.0;
  double const longest = step > 0.0 ? std::max(temperature, scale_) : 0.9 * temperature;
  return std::min(1.0, longest / std::abs(step));
}

}  // namespace isotherm
