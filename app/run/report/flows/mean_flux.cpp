#include "app/run/report/flows/mean_flux.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <variant>

#include "app/run/report/flows/heat_balance.hpp"
#include "case/probe.hpp"
#include "solver/discretise/flux/energy_meter.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm::app {

namespace {

/// Returns the axis of the only component of the mean gradient; none if there are several.
std::optional<int> only_axis(Problem const& problem) {
  std::optional<int> found;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (gain_over_period(problem, axis) == 0.0) continue;
    if (found) return std::nullopt;
    found = axis;
  }
  return found;
}

/// Returns true if nothing but the mean gradient drives a flux, and the field is steady.
bool drives_alone(Problem const& problem) {
  std::vector<FixedRegion> const& fixed = problem.medium.fixed;
  // A single given value is a constant that is added to the field.
  auto const constants = std::ranges::count_if(fixed, [](FixedRegion const& region) {
    return !region.floating_flux && region.value.is_constant();
  });
  auto const at_rest = std::ranges::count_if(fixed, [](FixedRegion const& region) {
    return region.floating_flux && *region.floating_flux == 0.0;
  });
  bool const is_given = constants > 1 || constants + at_rest < std::ssize(fixed);
  bool const enters = std::ranges::any_of(faces(problem.grid), [&](Face face) {
    return !is(problem, face, BoundaryKind::periodic) && has_flux(problem, face);
  });
  return problem.equation != Equation::diffusion && problem.source.is_zero() && !enters &&
         !is_given;
}

std::string text_of(std::vector<AxisValue> const& values) {
  std::string text;
  for (AxisValue const& one : values) {
    text += fmt::format("{}{} {:.9g}", text.empty() ? "" : ", ", "xyz"[one.axis], one.value);
  }
  return text;
}

}  // namespace

std::optional<MeanFlux> measure_mean_flux(mpi::Communicator const& ranks, PreparedRun const& run,
                                          Solver& solver) {
  Problem const& problem = run.chosen.problem;
  if (!has_mean_gradient(problem) || !fits_with_run(ranks, run, Quantity::energy)) {
    return std::nullopt;
  }
  MeanFlux found;
  std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        EnergyMeter<Real> meter(ranks, solver.queue(), solver.subdomain(), problem);
        for (int axis = 0; axis < problem.grid.dimension; ++axis) {
          if (!problem.grid.periodic[axis] || problem.grid.points[axis] == 1) continue;
          found.flux.push_back({axis, meter.mean_flux(field, axis)});
        }
      },
      solver.field_view());
  if (auto const along = only_axis(problem); along && drives_alone(problem)) {
    double const gradient = problem.boundary[{*along, true}].value.constant;
    for (AxisValue const& one : found.flux) {
      // No negative zero.
      found.conductivity.push_back({one.axis, 0.0 - one.value / gradient});
    }
  }
  return found;
}

std::string describe(MeanFlux const& found) {
  std::string text = text_of(found.flux);
  if (!found.conductivity.empty()) {
    text += "; effective conductivity " + text_of(found.conductivity);
  }
  return text;
}

}  // namespace isotherm::app
