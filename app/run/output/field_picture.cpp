#include "app/run/output/field_picture.hpp"

#include "decomposition/ranks/collective_errors.hpp"
#include "io/picture/picture.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"

namespace isotherm::app {

namespace {

/// Returns the function of the conductivities.
PointConductivity conductivities_of(Problem const& problem) {
  return [&problem](Index3 global) {
    PerAxis<double> conductivity{1.0, 1.0, 1.0};
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      conductivity[axis] = conductivity_at(problem, axis, global);
    }
    return conductivity;
  };
}

/// Returns the function that numbers the materials; empty if all points have the number 0.
MaterialNumber materials_of(Problem const& problem) {
  Medium const& medium = problem.medium;
  if (medium.materials.empty() && medium.fixed.empty() && medium.insulated.empty()) return {};
  return [&problem](Index3 global) { return material_number(problem, global); };
}

}  // namespace

PointMask owned_excluded_points(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                Problem const& problem) {
  PointMask excluded;
  if (!may_exclude_points(problem)) return excluded;
  // Regions may read files, which can fail on one rank alone.
  rethrow_on_all_ranks(ranks, [&] {
    excluded =
        PointMask(subdomain.owned_global(), excluded_points(problem), shares_of_points(problem));
  });
  return excluded;
}

PictureOptions picture_options(Problem const& problem) {
  PictureOptions options;
  options.material = materials_of(problem);
  options.conductivity = conductivities_of(problem);
  if (options.material && knows_surfaces(problem)) {
    options.material_at = [&problem](PerAxis<double> const& place) {
      return material_at_place(problem, place);
    };
  }
  return options;
}

void draw_field(mpi::Communicator const& ranks, std::filesystem::path const& file,
                Case const& chosen, std::string const& title, PictureFormat format,
                Subdomain const& subdomain, ConstValues values, PointMask const& excluded,
                MayReplace const& may_replace) {
  PictureOptions options = picture_options(chosen.problem);
  options.title = title;
  options.format = format;
  options.look = chosen.output.look;
  options.keeps_samples = !chosen.output.film.empty();
  std::visit(
      [&](auto numbers) {
        write_picture(ranks, file, subdomain, numbers.data(), options, may_replace, excluded);
      },
      values);
}

}  // namespace isotherm::app
