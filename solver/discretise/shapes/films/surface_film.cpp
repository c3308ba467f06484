#include "solver/discretise/shapes/films/surface_film.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "decomposition/field/staging/host_staging.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/films/fluid_surface.hpp"
#include "solver/discretise/shapes/films/point_on_surface.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns d/κ, at least minus half of the resistance of a film, which then remains positive.
double bounded(double behind, double resistance) { return std::max(behind, -0.5 * resistance); }

/// Returns the unit of areas that give conductances when they are divided by resistances.
double unit_of_area(Problem const& problem, MediumUnits const& units) {
  return units.conductivity * std::pow(units.length, problem.grid.dimension - 2);
}

/// Calls visit(axis, lower point) for the links of a point.
template <class Visit>
void for_each_link(Grid const& grid, Index3 global, Visit const& visit) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    Index3 before = global;
    before[axis] = grid.on_axis(axis, global[axis] - 1);
    if (before[axis] >= 0) visit(axis, before);
    if (global[axis] < grid.intervals(axis)) visit(axis, global);
  }
}

/// True if a neighbour of a point lies in a region with exchanges.
bool borders_on_exchanges(Problem const& problem, Index3 global) {
  bool found = false;
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    Index3 other = lower;
    if (lower == global) other[axis] = problem.grid.on_axis(axis, lower[axis] + 1);
    int const number = constraint_by_region(problem, other) - constraint::first_region;
    found = found || (number >= 0 &&
                      !problem.medium.fixed[static_cast<std::size_t>(number)].exchanges.empty());
  });
  return found;
}

/// Returns the surfaces of thin regions with exchanges on the links of a point.
std::vector<FilmSurface> surfaces_on_links(Problem const& problem, MediumUnits const& units,
                                           Index3 global, Points points) {
  std::vector<FilmSurface> surfaces;
  if (!has_exchanges(problem) || !belongs(problem, global, points)) return surfaces;
  if (!borders_on_exchanges(problem, global)) return surfaces;  // as most points
  LinkConductivity const links(problem);
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    auto const film = links.exchange_on_link(axis, lower);
    if (!film) return;
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(film->region)];
    FilmSurface surface{film->region, film->area / unit_of_area(problem, units),
                        1.0 / *fluid.film_coefficient, film->distance};
    surface.squared_normal[axis] = 1.0;
    surfaces.push_back(surface);
  });
  return surfaces;
}

/// Returns the surfaces of fluids in the control volume of a point.
std::vector<FilmSurface> film_surfaces_in(Problem const& problem, MediumUnits const& units,
                                          Index3 global, Points points) {
  std::vector<FilmSurface> surfaces = surfaces_on_links(problem, units, global, points);
  std::vector<SurfaceInVolume> const in_volume = surfaces_at(problem, global, points);
  bool const is_moved = !in_volume.empty() && point_on_surface(problem, global);
  for (SurfaceInVolume const& surface : in_volume) {
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(surface.fluid)];
    surfaces.push_back({surface.fluid, surface.area / unit_of_area(problem, units),
                        1.0 / *fluid.film_coefficient, is_moved ? 0.0 : surface.distance,
                        surface.squared_normal});
  }
  return surfaces;
}

/// Adds a film to those of other fluids, or to that of the same one.
void add_film(std::vector<SurfaceFilm>& films, SurfaceFilm const& film) {
  auto const same = std::ranges::find(films, film.region, &SurfaceFilm::region);
  if (same == films.end()) return films.push_back(film);
  double const sum = same->conductance + film.conductance;
  if (sum > 0.0) {
    same->ambient = (same->conductance * same->ambient + film.conductance * film.ambient) / sum;
  }
  same->conductance = sum;
  same->radiation += film.radiation;
}

/// Returns the films in the control volume of a point whose value is u at a time.
std::vector<SurfaceFilm> films_in(Problem const& problem, MediumUnits const& units, Index3 global,
                                  Points points, double u, double time_s) {
  std::vector<SurfaceFilm> films;
  for (FilmSurface const& surface : film_surfaces_in(problem, units, global, points)) {
    add_film(films, surface.film_at(problem, global, u, time_s));
  }
  return films;
}

/// Returns the area of the films on links to a point in a fluid that is thin, or known at points
/// only: at other points 0.
double area_of_links(LinkConductivity const& links, Problem const& problem, int region,
                     Index3 global) {
  FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(region)];
  if (!place_inside(fluid.where, problem.grid, global)) return 0.0;
  int const here = constraint::first_region + region;
  if (constraint_by_region(problem, global) != here) return 0.0;
  if (has_film_on_surface(fluid) && !is_in_thin_fluid(problem, global)) return 0.0;
  bool const is_given = is_given_by_face(problem, global);
  double sum = 0.0;
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    // Links to unknown points do not begin at points with another value.
    if (!is_given) sum += links.area_of_film(axis, lower, region);
    auto const film = links.film_of_given(MediumUnits{}, axis, lower);
    if (film && film->region == region) sum += film->area;
  });
  return sum;
}

/// Adds the films on the links of a point to which a face gives a value, to those of the same
/// fluids in its volume.
void add_films_on_links(std::vector<SurfaceFilm>& films, Problem const& problem,
                        MediumUnits const& units, Index3 global, double time_s) {
  LinkConductivity const links(problem);
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    auto const on_link = links.film_of_given(units, axis, lower);
    if (!on_link) return;
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(on_link->region)];
    if (!fluid.exchanges.empty()) return;  // surfaces_on_links() has it
    double const ambient = value_at(fluid.value, problem.grid, global, time_s);
    add_film(films, {on_link->region, on_link->conductance, ambient});
  });
}

/// What acts on a surface of some value: Σ h, Σ h v, and the flux density by radiation.
struct Exchanged {
  double coefficient = 0.0;
  double weighted = 0.0;
  double radiation = 0.0;

  /// Returns the flux density into a surface of the value s.
  [[nodiscard]] double flux(double s) const { return weighted - coefficient * s; }
  /// Returns d/κ as the film has it. @param behind  d/κ
  [[nodiscard]] double layer(double behind) const { return bounded(behind, 1.0 / coefficient); }
};

/// The exchanges on a surface near a point at a time. A coefficient that is negative is NaN.
class Exchanges {
 public:
  Exchanges(FixedRegion const& region, Grid const& grid, Index3 global, double time_s)
      : region_(&region), grid_(&grid), global_(global), time_s_(time_s) {
    for (SurfaceExchange const& exchange : region.exchanges) {
      ambient_.push_back(value_at(exchange.ambient, grid, global, time_s));
    }
  }

  [[nodiscard]] Exchanged at(double s) const {
    Exchanged sum;
    for (std::size_t i = 0; i < ambient_.size(); ++i) {
      double const coefficient = coefficient_of(region_->exchanges[i], ambient_[i], s);
      sum.coefficient += coefficient;
      sum.weighted += coefficient * ambient_[i];
      if (region_->exchanges[i].radiates()) sum.radiation += coefficient * (ambient_[i] - s);
    }
    return sum;
  }
  /// Returns the value of the surface of a point with the value u at the distance d.
  /// @param behind  d/κ
  [[nodiscard]] double surface_value(double u, double behind) const {
    Exchanged const at_point = at(u);
    double const flux = at_point.flux(u);
    if (behind == 0.0 || flux == 0.0 || !std::isfinite(flux)) return u;
    // The root lies between u and the ambient values, or beyond u by as much as the linear film
    // may extrapolate: then as far from u as an ambient value at most.
    auto const [low, high] = std::ranges::minmax(ambient_);
    double end = u + 2.0 * at_point.layer(behind) * flux;
    if (behind > 0.0) {
      end = flux > 0.0 ? std::min(end, std::max(u, high)) : std::max(end, std::min(u, low));
      if (defect(end, u, behind) * flux < 0.0) end = flux > 0.0 ? high : low;
    } else if (defect(end, u, behind) * flux > 0.0) {
      end = 2.0 * u - (flux > 0.0 ? high : low);
    }
    return root_between(u, end, [&](double s) { return defect(s, u, behind); });
  }

 private:
  [[nodiscard]] double coefficient_of(SurfaceExchange const& exchange, double ambient,
                                      double s) const {
    if (exchange.radiates()) {
      double const zero = exchange.absolute_zero;
      return radiation_coefficient(*exchange.radiation_factor, std::max(s - zero, 0.0),
                                   ambient - zero);
    }
    double const found = value_at(exchange.coefficient, *grid_, global_, time_s_, s);
    return found >= 0.0 ? found : std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] double defect(double s, double u, double behind) const {
    Exchanged const acting = at(s);
    return s - u - acting.layer(behind) * acting.flux(s);
  }
  /// Returns the root of a function in an interval by the Illinois variant of the regula falsi; the
  /// end if the function has the same sign at both ends.
  template <class Function>
  static double root_between(double start, double end, Function const& function) {
    constexpr int maximum = 100;
    double a = start, b = end, at_a = function(a), at_b = function(b);
    if (!(at_a * at_b < 0.0)) return at_a == 0.0 ? a : b;
    for (int n = 0; n < maximum; ++n) {
      double const c = b - at_b * (b - a) / (at_b - at_a), at_c = function(c);
      constexpr double rounding = 4e-16;
      bool const is_found = at_c == 0.0 || std::abs(c - b) <= rounding * std::abs(c);
      if (at_c * at_b < 0.0) {
        a = b;
        at_a = at_b;
      } else {
        at_a *= 0.5;
      }
      b = c;
      at_b = at_c;
      if (is_found) break;
    }
    return b;
  }

  FixedRegion const* region_;
  Grid const* grid_;
  Index3 global_;
  double time_s_;
  std::vector<double> ambient_{};
};

}  // namespace

SurfaceFilm FilmSurface::film_at(Problem const& problem, Index3 global, double u,
                                 double time_s) const {
  double conductivity = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    double const share = squared_normal[axis];
    if (share != 0.0) conductivity += share * conductivity_at(problem, axis, global, u, time_s);
  }
  double const behind = distance / conductivity;
  FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(region)];
  if (fluid.exchanges.empty()) {
    return {region, area / (film + bounded(behind, film)),
            value_at(fluid.value, problem.grid, global, time_s)};
  }
  Exchanges const exchanges(fluid, problem.grid, global, time_s);
  double const s = exchanges.surface_value(u, behind);
  Exchanged const acting = exchanges.at(s);
  if (acting.coefficient == 0.0) return {region, 0.0};
  return {region, area / (1.0 / acting.coefficient + acting.layer(behind)),
          acting.weighted / acting.coefficient, area * acting.radiation};
}

std::vector<FilmSurface> film_surfaces_at(Problem const& problem, MediumUnits const& units,
                                          Index3 global) {
  return film_surfaces_in(problem, units, global, Points::unknown);
}

std::vector<SurfaceFilm> films_at(Problem const& problem, MediumUnits const& units, Index3 global,
                                  double u, double time_s) {
  return films_in(problem, units, global, Points::unknown, u, time_s);
}

std::vector<SurfaceFilm> films_at_given(Problem const& problem, MediumUnits const& units,
                                        Index3 global, double u, double time_s) {
  // Most points lie on no face.
  auto const is_on = [&](Face face) { return lies_on(problem.grid, face, global); };
  if (std::ranges::none_of(faces(problem.grid), is_on)) return {};
  if (!belongs(problem, global, Points::given_by_faces)) return {};
  std::vector<SurfaceFilm> films =
      films_in(problem, units, global, Points::given_by_faces, u, time_s);
  add_films_on_links(films, problem, units, global, time_s);
  return films;
}

bool has_fluids(Problem const& problem) {
  return std::ranges::any_of(problem.medium.fixed, [](FixedRegion const& region) {
    return region.is_excluded && region.film_coefficient;
  });
}

double film_area(Problem const& problem, int region, GlobalBox within) {
  within = with_neighbours(problem.grid, within);
  if (within.empty()) return 0.0;
  Extent3 const n = within.extent();
  LinkConductivity const links(problem);
  std::vector<double> rows(static_cast<std::size_t>(n.y * n.z));
  for_each_row({within.lower, within.upper}, [&](std::int64_t j, std::int64_t k) {
    double& row = rows[static_cast<std::size_t>((j - within.lower.y) + n.y * (k - within.lower.z))];
    for (std::int64_t i = within.lower.x; i < within.upper.x; ++i) {
      row += area_of_links(links, problem, region, {i, j, k});
      for (SurfaceInVolume const& surface : surfaces_at(problem, {i, j, k}, Points::both)) {
        if (surface.fluid == region) row += surface.area;
      }
    }
  });
  return std::accumulate(rows.begin(), rows.end(), 0.0);
}

double film_conductance(Problem const& problem, MediumUnits const& units, Index3 global) {
  double sum = 0.0;
  for (SurfaceFilm const& film : films_at(problem, units, global)) sum += film.conductance;
  return sum;
}

}  // namespace isotherm
