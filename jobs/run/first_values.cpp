#include "jobs/run/first_values.hpp"

#include "decomposition/transport/transport.hpp"
#include "io/snapshot/snapshot.hpp"
#include "jobs/case/key_at_fault.hpp"
#include "jobs/run/all_finite.hpp"
#include "solver/problem/with_precision.hpp"

namespace isotherm {

namespace {

std::unique_ptr<Solver> make(mpi::Communicator const& ranks, PreparedRun const& run) {
  Case const& chosen = run.chosen;
  try {
    return make_solver(ranks, chosen.problem, chosen.method, run.plan.execution);
  } catch (TransportRefusal const& refusal) {
    blaming(chosen, "run.transport", [&] { throw TransportRefusal(refusal); });
    throw;
  }
}

/// A person's own values instead of the case's initial field.
void take_initial_file(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                       Buffer const& values) {
  InitialFile const& file = *chosen.initial_file;
  with_precision(chosen.problem.precision, [&]<class Real>(Real) {
    read_dataset(ranks, file.path, file.dataset, solver.subdomain(), values.as<Real>());
  });
  solver.set_initial(values.data());
  solver.read_field(values.data());  // with the boundary's values, whatever the file has there
  auto const points = static_cast<std::size_t>(solver.subdomain().owned().point_count());
  if (!all_finite(ranks, chosen.problem.precision, values.data(), points)) {
    throw InputError(file.path.string() + ", dataset \"" + file.dataset +
                     "\" holds values that are not finite in " + name(chosen.problem.precision));
  }
}

}  // namespace

std::unique_ptr<Solver> make_first_values(mpi::Communicator const& ranks, PreparedRun& run,
                                          std::optional<ResumePoint>& resumed_from) {
  Case const& chosen = run.chosen;
  std::unique_ptr<Solver> solver = make(ranks, run);
  if (!run.options.resume && !chosen.initial_file) {
    return solver;
  }
  auto const points = static_cast<std::size_t>(solver->subdomain().owned().point_count());
  Buffer const values(solver->queue(), Space::host, points * value_bytes(chosen.problem.precision));
  if (!run.options.resume) {
    take_initial_file(ranks, chosen, *solver, values);
    return solver;
  }
  resumed_from = load_newest(ranks, chosen, solver->subdomain(), run.resume_points, values.data(),
                             run.warnings);
  solver->restore(values.data(), resumed_from->state);
  return solver;
}

}  // namespace isotherm
