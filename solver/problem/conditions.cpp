#include "solver/problem/conditions.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/error.hpp"

namespace isotherm {

BoundaryCondition const& condition(Problem const& problem, Face face) {
  return problem.boundary[face];
}

bool is(Problem const& problem, Face face, BoundaryKind kind) {
  return condition(problem, face).kind == kind;
}

bool is_eliminated_dirichlet_face(Problem const& problem, Face face) {
  return is(problem, face, BoundaryKind::dirichlet) && problem.patches.empty();
}

bool is_patched(Problem const& problem, Face face) {
  return std::ranges::any_of(problem.patches,
                             [&](BoundaryPatch const& patch) { return patch.face == face; });
}

bool has_anywhere(Problem const& problem, Face face, BoundaryKind kind) {
  return is(problem, face, kind) ||
         std::ranges::any_of(problem.patches, [&](BoundaryPatch const& patch) {
           return patch.face == face && patch.condition.kind == kind;
         });
}

bool has_rims(Problem const& problem, Face face) {
  bool is_given = is(problem, face, BoundaryKind::dirichlet), is_free = !is_given;
  bool is_shaped = false;
  for (BoundaryPatch const& patch : problem.patches) {
    if (patch.face != face) continue;
    if (patch.where.at_points) return false;
    is_shaped = true;
    bool const gives = patch.condition.kind == BoundaryKind::dirichlet;
    (gives ? is_given : is_free) = true;
  }
  return is_shaped && is_given && is_free;
}

bool has_given_values(Problem const& problem) {
  // A Robin face whose coefficient is zero everywhere is an insulated one.
  auto const gives = [](BoundaryCondition const& boundary_condition) {
    return boundary_condition.kind == BoundaryKind::dirichlet ||
           (boundary_condition.kind == BoundaryKind::robin &&
            !boundary_condition.coefficient.is_zero());
  };
  bool const has_term =
      !problem.reaction.is_zero() || problem.sigma > 0.0 || problem.source.depends_on_u;
  return has_term || !problem.medium.fixed.empty() ||
         std::ranges::any_of(faces(problem.grid),
                             [&](Face face) { return gives(condition(problem, face)); }) ||
         std::ranges::any_of(problem.patches, gives, &BoundaryPatch::condition);
}

bool has_floating_regions(Problem const& problem) {
  return std::ranges::any_of(problem.medium.fixed, [](FixedRegion const& region) {
    return region.floating_flux.has_value();
  });
}

Problem without_floating_regions(Problem problem) {
  std::erase_if(problem.medium.fixed,
                [](FixedRegion const& region) { return region.floating_flux.has_value(); });
  return problem;
}

bool may_have_null_space(Problem const& problem) {
  // The initial values of a diffusion problem determine its mean.
  return problem.equation != Equation::diffusion &&
         (!has_given_values(problem) || !problem.medium.insulated.empty());
}

bool has_dirichlet_end(Problem const& problem, int axis) {
  return is(problem, {axis, false}, BoundaryKind::dirichlet) ||
         is(problem, {axis, true}, BoundaryKind::dirichlet);
}

bool has_dirichlet_face(Problem const& problem) {
  return std::ranges::any_of(faces(problem.grid),
                             [&](Face face) { return is(problem, face, BoundaryKind::dirichlet); });
}

double gain_over_period(Problem const& problem, int axis) {
  if (axis >= problem.grid.dimension || !problem.grid.periodic[axis]) return 0.0;
  return condition(problem, {axis, true}).value.constant * problem.grid.length(axis);
}

PerAxis<double> gains_over_periods(Problem const& problem) {
  return {gain_over_period(problem, 0), gain_over_period(problem, 1), gain_over_period(problem, 2)};
}

bool has_mean_gradient(Problem const& problem) {
  auto const gains = gains_over_periods(problem);
  return gains[0] != 0.0 || gains[1] != 0.0 || gains[2] != 0.0;
}

bool has_flux(Problem const& problem, Face face) {
  auto const flows = [rims = has_rims(problem, face)](BoundaryCondition const& boundary_condition) {
    // Zero derivatives and zero ambient values add nothing to the source.
    // The mean gradient of a periodic axis drives a flux through its end.
    bool const kind = boundary_condition.kind == BoundaryKind::neumann ||
                      boundary_condition.kind == BoundaryKind::robin ||
                      boundary_condition.kind == BoundaryKind::periodic ||
                      (rims && boundary_condition.kind == BoundaryKind::dirichlet);
    return kind && !boundary_condition.value.is_zero();
  };
  return flows(condition(problem, face)) ||
         std::ranges::any_of(problem.patches, [&](BoundaryPatch const& patch) {
           return patch.face == face && flows(patch.condition);
         });
}

bool flux_varies_in_time(Problem const& problem, Face face) {
  if (!has_flux(problem, face)) return false;
  return condition(problem, face).value.varies_in_time ||
         std::ranges::any_of(problem.patches, [&](BoundaryPatch const& patch) {
           return patch.face == face && patch.condition.value.varies_in_time;
         });
}

bool has_film_on_surface(FixedRegion const& region) {
  return region.is_excluded && region.film_coefficient && !region.where.at_points;
}

bool has_films_on_surfaces(Problem const& problem) {
  return std::ranges::any_of(problem.medium.fixed, has_film_on_surface);
}

void for_each_exchange(Problem const& problem,
                       std::function<void(SurfaceExchange const& exchange)> const& visit) {
  for (FixedRegion const& region : problem.medium.fixed) {
    std::ranges::for_each(region.exchanges, visit);
  }
}

bool any_exchange(Problem const& problem,
                  std::function<bool(SurfaceExchange const& exchange)> const& predicate) {
  return std::ranges::any_of(problem.medium.fixed, [&](FixedRegion const& region) {
    return std::ranges::any_of(region.exchanges, predicate);
  });
}

bool has_exchanges(Problem const& problem) {
  return std::ranges::any_of(problem.medium.fixed,
                             [](FixedRegion const& region) { return !region.exchanges.empty(); });
}

bool radiates(FixedRegion const& region) {
  return std::ranges::any_of(region.exchanges, &SurfaceExchange::radiates);
}

bool transfers_without_radiation(FixedRegion const& region) {
  return region.exchanges.empty() ||
         !std::ranges::all_of(region.exchanges, &SurfaceExchange::radiates);
}

bool has_reaction(Problem const& problem) {
  return !problem.reaction.is_zero() || has_films_on_surfaces(problem);
}

bool films_vary_in_time(Problem const& problem) {
  return std::ranges::any_of(problem.medium.fixed, [](FixedRegion const& region) {
    return has_film_on_surface(region) && region.value.varies_in_time;
  });
}

bool needs_source_field(Problem const& problem) {
  return !problem.source.is_zero() || has_films_on_surfaces(problem) ||
         std::ranges::any_of(faces(problem.grid),
                             [&](Face face) { return has_flux(problem, face); });
}

bool is_heterogeneous(Problem const& problem) {
  // Kernels for constant coefficients assume κ = c = 1 and uniform axes.
  auto const is_one = [](ScalarFunction const& function) {
    return function.is_constant() && function.constant == 1.0;
  };
  Medium const& medium = problem.medium;
  return medium.is_correction || problem.grid.is_graded() ||
         !std::ranges::all_of(medium.conductivity, is_one) || !is_one(medium.capacity) ||
         !problem.reaction.is_zero() || is_nonlinear(problem) || !medium.fixed.empty() ||
         !medium.insulated.empty() || !problem.patches.empty() ||
         std::ranges::any_of(faces(problem.grid),
                             [&](Face face) { return is(problem, face, BoundaryKind::robin); });
}

int patch_at(Problem const& problem, Face face, PerAxis<double> const& place) {
  // Later patches override earlier ones.
  for (auto number = static_cast<int>(problem.patches.size()) - 1; number >= 0; --number) {
    BoundaryPatch const& patch = problem.patches[static_cast<std::size_t>(number)];
    if (patch.face == face && patch.where.contains(place[0], place[1], place[2])) return number;
  }
  return no_patch;
}

BoundaryCondition const& condition_at(Problem const& problem, Face face, double x, double y,
                                      double z) {
  int const patch = patch_at(problem, face, {x, y, z});
  if (patch == no_patch) return condition(problem, face);
  return problem.patches[static_cast<std::size_t>(patch)].condition;
}

namespace {

/// Returns true if the condition of any face or patch satisfies the predicate.
template <class Predicate>
bool any_condition(Problem const& problem, Predicate const& predicate) {
  return std::ranges::any_of(faces(problem.grid),
                             [&](Face face) { return predicate(condition(problem, face)); }) ||
         std::ranges::any_of(problem.patches, predicate, &BoundaryPatch::condition);
}

}  // namespace

bool coefficients_vary_in_time(Problem const& problem) {
  if (std::ranges::any_of(problem.medium.conductivity, &ScalarFunction::varies_in_time))
    return true;
  auto const varies = [](auto const& exchange) { return exchange.coefficient.varies_in_time; };
  return any_condition(problem, varies) || any_exchange(problem, varies);
}

bool has_varying_conductivity(Problem const& problem) {
  return std::ranges::any_of(problem.medium.conductivity, &ScalarFunction::depends_on_u_or_t);
}

bool is_nonlinear(Problem const& problem) {
  auto const depends = [](BoundaryCondition const& boundary_condition) {
    return boundary_condition.value.depends_on_u || boundary_condition.coefficient.depends_on_u;
  };
  return problem.source.depends_on_u || problem.medium.capacity.depends_on_u ||
         has_varying_conductivity(problem) || any_condition(problem, depends) ||
         any_exchange(problem, [](SurfaceExchange const& one) { return !one.is_linear(); }) ||
         coefficients_vary_in_time(problem);
}

bool varies_in_time(Problem const& problem) {
  auto const varies = [](BoundaryCondition const& boundary_condition) {
    return boundary_condition.value.varies_in_time;
  };
  auto const of_region = [](FixedRegion const& region) { return region.value.varies_in_time; };
  return problem.source.varies_in_time || coefficients_vary_in_time(problem) ||
         any_condition(problem, varies) || std::ranges::any_of(problem.medium.fixed, of_region) ||
         any_exchange(problem,
                      [](auto const& exchange) { return exchange.ambient.varies_in_time; });
}

void check_boundary(Problem const& problem) {
  for (Face const face : faces(problem.grid)) {
    bool const periodic = is(problem, face, BoundaryKind::periodic);
    // A periodic axis closes on itself, so both of its faces have to be periodic.
    if (periodic != is(problem, {face.axis, !face.upper}, BoundaryKind::periodic)) {
      throw InputError("the face " + name(face) + " and the opposite face must both be periodic");
    }
    if (periodic != problem.grid.periodic[face.axis]) {
      throw InputError("the face " + name(face) + " is " + name(condition(problem, face).kind) +
                       ", but the grid's axis is " + (periodic ? "not periodic" : "periodic"));
    }
    if (!periodic) continue;
    ScalarFunction const& gradient = condition(problem, face).value;
    ScalarFunction const& opposite = condition(problem, {face.axis, !face.upper}).value;
    if (!gradient.is_constant() || gradient.constant != opposite.constant) {
      throw InputError("the mean gradient of the face " + name(face) +
                       " must be a constant, the same as that of the opposite face");
    }
    if (gradient.constant != 0.0 && is_nonlinear(problem)) {
      throw InputError("a mean gradient needs coefficients that do not depend on the field");
    }
  }
}

namespace {

/// Returns true if `function` changes over time at one of 27 sampled points. The times are
/// arbitrary and of different magnitudes.
bool is_seen_to_vary(Grid const& grid, ScalarFunction const& function) {
  // Indices at one, two and three thirds of each axis.
  auto const place = [&](int axis, int third) {
    return grid.coordinate(axis, third * (grid.points[axis] - 1) / 3);
  };
  for (int sample = 0; sample < 27; ++sample) {
    double const x = place(0, 1 + sample % 3);
    double const y = place(1, 1 + sample / 3 % 3);
    double const z = place(2, 1 + sample / 9);
    double const at_start = function(x, y, z, 0.0);
    for (double const time_s : {1e-3, 0.37, 41.0}) {
      double const later = function(x, y, z, time_s);
      // NaN at both times is no variation.
      if (later != at_start && !(std::isnan(later) && std::isnan(at_start))) return true;
    }
  }
  return false;
}

/// Refuses a function that varies in time but is not marked so.
void check_time_dependence(Grid const& grid, ScalarFunction const& function,
                           std::string const& what) {
  if (function.is_constant() || function.varies_in_time || function.depends_on_u ||
      !is_seen_to_vary(grid, function))
    return;
  throw InputError(what + " depends on the time, but is not marked so (set varies_in_time)");
}

}  // namespace

void check_time_dependence(Problem const& problem) {
  check_time_dependence(problem.grid, problem.source, "the source");
  for (Face const face : faces(problem.grid)) {
    check_time_dependence(problem.grid, condition(problem, face).value,
                          "the value of the face " + name(face));
  }
  for (BoundaryPatch const& patch : problem.patches) {
    check_time_dependence(problem.grid, patch.condition.value,
                          "the value of a patch of the face " + name(patch.face));
  }
  for (FixedRegion const& region : problem.medium.fixed) {
    check_time_dependence(problem.grid, region.value, "the value of a fixed region");
  }
}

}  // namespace isotherm
