#include "app/bench/measure/group_measurement.hpp"

#include <memory>
#include <vector>

#include "app/bench/measure/bench_timing.hpp"
#include "decomposition/ranks/device_memory.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm::app {

namespace {

/// Returns the device as a job of the group alone would describe it: a group may be on fewer hosts.
Device device_of_group(mpi::Communicator const& group, Device device) {
  if (!group.any(group.local_size() < group.size())) device.hosts = 1;
  return device;
}

/// Returns how the group executes the problem: decomposition, transport and plan. choose_parts()
/// cuts the grid as in a run of the group.
Execution execution_on(mpi::Communicator const& group, Device const& device, Problem const& problem,
                       ScalingBenchOptions const& scaling) {
  Execution execution;
  execution.backend = device.backend;
  execution.device = device.number;
  execution.parts = choose_parts(problem.grid, group, device_of_group(group, device));
  execution.transport = scaling.transport;
  execution.plan = scaling.plan;
  return execution;
}

/// Returns settings without a stopping criterion, with residual norms if requested.
MethodSettings method_of(Problem const& problem, ScalingBenchOptions const& scaling) {
  MethodSettings method = endless_method(problem);
  method.check_every = scaling.check_every;
  return method;
}

/// Builds a solver with a random initial field. Collective over `group`.
std::unique_ptr<Solver> make_random(mpi::Communicator const& group, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution) {
  auto solver = make_solver(group, problem, method, execution);
  HostValues const values = random_field(solver->subdomain(), problem.precision);
  solver->set_initial(values.view());
  return solver;
}

/// Returns the time of an iteration on the slowest rank of `group`. The ranks share one solver or
/// have one each. Collective.
double time_of(mpi::Communicator const& group, Solver& solver, std::int64_t check_every,
               Batches batches) {
  if (check_every == 0) return time_iteration(group, solver, batches, solver.plan().steps);
  solver.advance_to(1);  // past the first check, so whole passes follow
  return time_iteration(group, solver, batches, check_every);
}

/// Returns how many points a subdomain needs in addition along `axis` to have as many unknowns
/// without neighbours. If the face is a Dirichlet one, its points are fixed, so each neighbour is
/// replaced by one more point. For example, an interior subdomain of a Laplace problem with
/// Dirichlet faces has a neighbour at each end of an axis. Without neighbours its outermost points
/// would be fixed, so it would have two unknowns less on that axis. Two more points compensate for
/// that.
std::int64_t points_for_neighbours(Problem const& problem, Subdomain const& subdomain, int axis) {
  std::int64_t neighbours = 0;
  for (bool const upper : {false, true}) {
    Face const face{axis, upper};
    bool const cut_off = !subdomain.on_physical_face(face);
    neighbours += is(problem, face, BoundaryKind::dirichlet) && cut_off ? 1 : 0;
  }
  return neighbours;
}

/// Returns this rank's subdomain as a problem of its own.
Problem part_alone(Problem const& problem, Subdomain const& subdomain,
                   ScalingBenchOptions const& scaling) {
  Extent3 points = subdomain.extent();
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    points[axis] += points_for_neighbours(problem, subdomain, axis);
  }
  return unit_problem(points, problem.precision, scaling.equation, scaling.boundary);
}

/// Returns part_alone(), or nothing if the subdomain is too small for a grid or for the plan.
std::optional<Problem> possible_part(mpi::Communicator const& self, Problem const& problem,
                                     Subdomain const& subdomain, Execution const& execution,
                                     ScalingBenchOptions const& scaling) {
  try {
    Problem part = part_alone(problem, subdomain, scaling);
    (void)sweep_plan_for(self, part, execution);
    return part;
  } catch (InputError const&) {  // too few points
    return std::nullopt;
  }
}

/// Returns the time of an iteration if each rank solves its subdomain as a problem of its own, with
/// the plan of the whole problem. The additional time of the whole problem is due to halo
/// exchanges. Returns nothing if a subdomain is too small. Collective over `group`.
///
/// The solvers use one communicator per rank (MPI_COMM_SELF), but batches are timed over the group.
/// All subdomains compute simultaneously and share caches and memory bandwidth, as in the whole
/// problem.
std::optional<double> time_parts_alone(mpi::Communicator const& group, Problem const& problem,
                                       Execution const& whole, std::string const& plan,
                                       ScalingBenchOptions const& scaling, Batches batches) {
  mpi::Communicator const self = mpi::Communicator::self();
  Execution execution = whole;
  execution.parts = {1, 1, 1};
  execution.transport = TransportKind::automatic;  // there are no neighbours
  execution.plan = plan;
  Subdomain const subdomain(problem.grid, whole.parts, group.rank());
  auto const part = possible_part(self, problem, subdomain, execution, scaling);
  if (group.any(!part)) return std::nullopt;
  auto const solver = make_random(self, *part, method_of(*part, scaling), execution);
  return time_of(group, *solver, scaling.check_every, batches);
}

/// Returns the time of all steps from the first to the last, with a new solver for each repetition.
double time_all_steps(mpi::Communicator const& group, Problem const& problem,
                      Execution const& execution, ScalingBenchOptions const& scaling, int repeat) {
  MethodSettings method = method_of(problem, scaling);
  method.iterations = scaling.steps;  // so the last residual norm is computed, as in a run
  return time_run(group, scaling.steps, repeat,
                  [&] { return make_random(group, problem, method, execution); });
}

/// Measures the problem on the group.
///
/// Each solver is destroyed before the next one is built, because each needs most of the memory.
///
/// @throws InputError  on every rank of the group, if it cannot be solved that way
GroupMeasurement measured_group(mpi::Communicator const& group, Device const& device,
                                Problem const& problem, ScalingBenchOptions const& scaling,
                                Batches batches) {
  Execution const execution = execution_on(group, device, problem, scaling);
  GroupMeasurement measured;
  SweepPlan const plan = sweep_plan_for(group, problem, execution);
  if (!solver_fits(group, device, problem, execution, {plan}, 1)) {  // and the random field
    measured.obstacle = "does not fit into memory";
    return measured;
  }
  measured.parts = execution.parts;
  {
    auto const solver = make_random(group, problem, method_of(problem, scaling), execution);
    measured.plan = solver->plan();
    measured.transport = solver->transport_description();
    measured.seconds = time_of(group, *solver, scaling.check_every, batches);
  }  // releases the solver's memory
  if (group.size() > 1) {
    measured.alone_s =
        time_parts_alone(group, problem, execution, measured.plan.name, scaling, batches);
  }
  if (scaling.steps > 0) {
    measured.all_steps_s = time_all_steps(group, problem, execution, scaling, batches.repeat);
  }
  return measured;
}

}  // namespace

GroupMeasurement measure_group(mpi::Communicator const& group, Device const& device,
                               Problem const& problem, ScalingBenchOptions const& scaling,
                               Batches batches) {
  GroupMeasurement none;
  try {
    return measured_group(group, device, problem, scaling, batches);
    // All ranks of the group have thrown: the error becomes a row of the table.
  } catch (InputError const& error) {
    none.obstacle = error.what();
    return none;
  }
}

void check_scaling(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                   ScalingBenchOptions const& scaling) {
  mpi::check_device_memory_setting(ranks);
  check_transport(scaling.transport, ranks, device.backend);
  mpi::Communicator const self = mpi::Communicator::self();
  (void)sweep_plan_for(self, problem, execution_on(self, device, problem, scaling));
}

}  // namespace isotherm::app
