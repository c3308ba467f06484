#include "jobs/run/first_values.hpp"

#include "decomposition/transport/transport.hpp"
#include "jobs/case/data_field.hpp"
#include "jobs/case/key_at_fault.hpp"
#include "jobs/run/all_finite.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

namespace {

/// The values of the user's file instead of the case's initial field.
void take_initial_file(mpi::Communicator const& ranks, PreparedRun const& run, Solver& solver,
                       HostValues& values) {
  Case const& chosen = run.chosen;
  read_initial_field(ranks, chosen, *run.initial, solver.subdomain(), values);
  solver.set_initial(std::as_const(values).view());
  solver.read_field(values.view());  // with the boundary's values, whatever the file has there
  if (!all_finite(ranks, std::as_const(values).view())) {
    throw InputError(chosen.initial_file->path.string() + ", " +
                     (run.initial->snapshot ? "field" : "dataset") + " \"" + run.initial->name +
                     "\" holds values that are not finite in " + name(chosen.problem.precision));
  }
}

}  // namespace

std::unique_ptr<Solver> make_first_values(mpi::Communicator const& ranks, PreparedRun& run,
                                          std::optional<ResumePoint>& resumed_from) {
  Case const& chosen = run.chosen;
  HostValues values;
  if (run.options.resume || chosen.initial_file) {
    values = {chosen.problem.precision,
              static_cast<std::size_t>(run.plan.solver->subdomain.owned().point_count())};
  }
  if (run.options.resume) {
    resumed_from =
        load_newest(ranks, run.plan.solver->subdomain, run.resume_points, values, run.warnings);
    go_on_from(run, *resumed_from);
  }
  keep_data(ranks, chosen.data, run.plan.solver->subdomain.owned_global());
  std::unique_ptr<Solver> solver = blaming<TransportRefusal>(chosen, "run.transport", [&] {
    return blaming_values(chosen, [&] {
      return make_solver(ranks, chosen.problem, chosen.method, *run.plan.solver);
    });
  });
  if (run.options.resume) {
    solver->restore(std::as_const(values).view(), resumed_from->state);
  } else if (chosen.initial_file) {
    take_initial_file(ranks, run, *solver, values);
  }
  return solver;
}

}  // namespace isotherm
