#include "app/run/prepare/first_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "app/run/all_finite.hpp"
#include "app/run/schedule/convergence_check.hpp"
#include "case/data/data_field.hpp"
#include "case/key_at_fault.hpp"
#include "decomposition/grid/point_name.hpp"
#include "decomposition/grid/point_number.hpp"
#include "decomposition/transport/transport.hpp"
#include "solver/problem/values.hpp"

namespace isotherm::app {

namespace {

/// Returns the index and the coordinates of the first point of the grid whose value is not finite.
/// Collective.
std::string first_fault(mpi::Communicator const& ranks, Subdomain const& part, ConstValues values) {
  std::optional<Index3> const mine = std::visit(
      [&](auto numbers) -> std::optional<Index3> {
        auto const found =
            std::ranges::find_if(numbers, [](auto value) { return !std::isfinite(value); });
        if (found == numbers.end()) return std::nullopt;
        return part.to_global(point_of_number(part.extent(), found - numbers.begin()));
      },
      values);
  double const last = std::numeric_limits<double>::infinity();
  double const order = mine ? number_of_point(part.grid(), *mine) : last;
  double const first = ranks.min(order);
  if (!mine || order != first) return ranks.first_text("");
  std::string index;  // as of the array in the file, whose last axis is x
  for (int axis = axis_count(part.grid()) - 1; axis >= 0; --axis) {
    index += (index.empty() ? "[" : ", ") + std::to_string((*mine)[axis]);
  }
  return ranks.first_text(index + "], that is at " + point_name(part.grid(), *mine));
}

/// Replaces the case's initial field by the values of the user's file. Collective.
/// @param values  this rank's points; afterwards the solver's field with its boundary values
/// @throws InputError  on every rank, if the file is damaged or a value is not finite
void take_initial_file(mpi::Communicator const& ranks, PreparedRun const& run, Solver& solver,
                       HostValues& values) {
  Case const& chosen = run.chosen;
  read_initial_field(ranks, chosen, *run.initial, solver.subdomain(), values);
  solver.set_initial(std::as_const(values).view());
  solver.read_field(values.view());  // with the boundary values, which replace those of the file
  // Boundary values of the file may be NaN, since they are not used. So the field of the solver is
  // checked, not the file.
  if (all_finite(ranks, std::as_const(values).view())) return;
  throw InputError(place_of(chosen, "initial.file") + chosen.initial_file->path.string() + ", " +
                   (run.initial->snapshot ? "field" : "dataset") + " \"" + run.initial->name +
                   "\", is not a number or infinite at " +
                   first_fault(ranks, solver.subdomain(), std::as_const(values).view()) +
                   " (needs finite values in " + name(chosen.problem.precision) + ')');
}

}  // namespace

/// A resumed run reads its file before the solver exists, since the file's state determines the
/// time steps.
std::unique_ptr<Solver> make_first_values(mpi::Communicator const& ranks, PreparedRun& run,
                                          std::optional<ResumePoint>& resumed_from) {
  Case const& chosen = run.chosen;
  // Allocated before the solver, and freed at the end of this function.
  HostValues values;
  if (run.options.resume || chosen.initial_file) {
    values = {chosen.problem.precision,
              static_cast<std::size_t>(run.plan.solver->subdomain.owned().point_count())};
  }
  if (run.options.resume) {
    resumed_from =
        // Damaged files are skipped here, since their values are read only now.
        load_newest(ranks, run.plan.solver->subdomain, run.resume_points, values, run.warnings);
    // Lays out the time steps again, from the state that was read.
    continue_from(run, *resumed_from);
  }
  // Values from files, such as the conductivity or the source, are read once. Each rank reads only
  // its part.
  keep_data(ranks, chosen.data, run.plan.solver->subdomain.owned_global());
  std::unique_ptr<Solver> solver = blaming<TransportRefusal>(chosen, "run.transport", [&] {
    return blaming_values(chosen, [&] {
      return make_solver(ranks, chosen.problem, chosen.method, *run.plan.solver);
    });
  });
  solver->check_claims_by(check_within_memory(chosen, run.plan));
  if (run.options.resume) {
    // Sets the field, the iteration and the history of residuals.
    solver->restore(std::as_const(values).view(), resumed_from->state);
  } else if (chosen.initial_file) {
    take_initial_file(ranks, run, *solver, values);
  }
  return solver;
}

}  // namespace isotherm::app
