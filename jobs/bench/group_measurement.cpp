#include "jobs/bench/group_measurement.hpp"

#include <memory>
#include <vector>

#include "jobs/bench/bench_timing.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

/// The device as a job of the group alone would see it: of fewer hosts, maybe.
Device as_for(mpi::Communicator const& group, Device device) {
  if (!group.any(group.local_size() < group.size())) device.hosts = 1;
  return device;
}

Execution execution_on(mpi::Communicator const& group, Device const& device, Problem const& problem,
                       ScalingBenchOptions const& scaling) {
  Execution execution;
  execution.backend = device.backend;
  execution.device = device.number;
  execution.parts = choose_parts(problem.grid, group, as_for(group, device));
  execution.transport = scaling.transport;
  execution.plan = scaling.plan;
  return execution;
}

MethodSettings method_of(Problem const& problem, ScalingBenchOptions const& scaling) {
  MethodSettings method = endless_method(problem);
  method.check_every = scaling.check_every;
  return method;
}

/// A solver with a random field. Collective over `group`.
std::unique_ptr<Solver> make_random(mpi::Communicator const& group, Problem const& problem,
                                    MethodSettings const& method, Execution const& execution) {
  auto solver = make_solver(group, problem, method, execution);
  HostValues const values = random_field(solver->subdomain(), problem.precision);
  solver->set_initial(values.view());
  return solver;
}

/// Seconds an iteration on the slowest rank of `group`, whose ranks share the solver or have one
/// each. Collective.
double time_of(mpi::Communicator const& group, Solver& solver, std::int64_t check_every,
               int repeat) {
  if (check_every == 0) return time_iteration(group, solver, repeat, solver.plan().steps);
  solver.advance_to(1);  // past the first check: as in a run, what follows is whole passes
  return time_iteration(group, solver, repeat, check_every);
}

/// Points that a part needs beside its own on `axis` to have as many unknowns without neighbours:
/// between Dirichlet faces, where points keep their values, one for each neighbour.
std::int64_t points_for_neighbours(Problem const& problem, Subdomain const& subdomain, int axis) {
  std::int64_t neighbours = 0;
  for (bool const upper : {false, true}) {
    Face const face{axis, upper};
    bool const cut_off = !subdomain.on_physical_face(face);
    neighbours += is(problem, face, BoundaryKind::dirichlet) && cut_off ? 1 : 0;
  }
  return neighbours;
}

/// This rank's part of `problem` as a problem of its own.
Problem part_alone(Problem const& problem, Subdomain const& subdomain,
                   ScalingBenchOptions const& scaling) {
  Extent3 points = subdomain.extent();
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    points[axis] += points_for_neighbours(problem, subdomain, axis);
  }
  return unit_problem(points, problem.precision, scaling.equation, scaling.boundary);
}

/// part_alone(), where it can be one and execution's plan takes it.
std::optional<Problem> possible_part(mpi::Communicator const& self, Problem const& problem,
                                     Subdomain const& subdomain, Execution const& execution,
                                     ScalingBenchOptions const& scaling) {
  try {
    Problem part = part_alone(problem, subdomain, scaling);
    (void)sweep_plan_for(self, part, execution);
    return part;
  } catch (InputError const&) {  // too few points for a grid, or for the plan
    return std::nullopt;
  }
}

/// Seconds an iteration of the parts of all ranks at once, each without neighbours, with the plan
/// of the whole; nothing where a part is too small for that. What an iteration of the whole takes
/// longer, it takes for halos. Collective over `group`.
std::optional<double> time_parts_alone(mpi::Communicator const& group, Problem const& problem,
                                       Execution const& whole, std::string const& plan,
                                       ScalingBenchOptions const& scaling, int repeat) {
  mpi::Communicator const self = mpi::Communicator::self();
  Execution execution = whole;
  execution.parts = {1, 1, 1};
  execution.transport = TransportKind::automatic;  // nothing travels
  execution.plan = plan;
  Subdomain const subdomain(problem.grid, whole.parts, group.rank());
  auto const part = possible_part(self, problem, subdomain, execution, scaling);
  if (group.any(!part)) return std::nullopt;
  auto const solver = make_random(self, *part, method_of(*part, scaling), execution);
  return time_of(group, *solver, scaling.check_every, repeat);
}

double time_all_steps(mpi::Communicator const& group, Problem const& problem,
                      Execution const& execution, ScalingBenchOptions const& scaling, int repeat) {
  MethodSettings method = method_of(problem, scaling);
  method.iterations = scaling.steps;  // so that the last residual is read, as in a run
  return time_run(group, scaling.steps, repeat,
                  [&] { return make_random(group, problem, method, execution); });
}

/// @throws InputError  on every rank of the group
GroupMeasurement measured_group(mpi::Communicator const& group, Device const& device,
                                Problem const& problem, ScalingBenchOptions const& scaling,
                                int repeat) {
  Execution const execution = execution_on(group, device, problem, scaling);
  GroupMeasurement measured;
  SweepPlan const plan = sweep_plan_for(group, problem, execution);
  if (!solver_fits(group, device, problem, execution, {plan}, 1)) {  // and the random field
    measured.obstacle = "does not fit into the memory here";
    return measured;
  }
  measured.parts = execution.parts;
  {
    auto const solver = make_random(group, problem, method_of(problem, scaling), execution);
    measured.plan = solver->plan();
    measured.transport = solver->transport_name();
    measured.seconds = time_of(group, *solver, scaling.check_every, repeat);
  }  // which gives its memory to what follows
  if (group.size() > 1) {
    measured.alone_s =
        time_parts_alone(group, problem, execution, measured.plan.name, scaling, repeat);
  }
  if (scaling.steps > 0) {
    measured.all_steps_s = time_all_steps(group, problem, execution, scaling, repeat);
  }
  return measured;
}

}  // namespace

GroupMeasurement measure_group(mpi::Communicator const& group, Device const& device,
                               Problem const& problem, ScalingBenchOptions const& scaling,
                               int repeat) {
  GroupMeasurement none;
  try {
    return measured_group(group, device, problem, scaling, repeat);
  } catch (InputError const& error) {
    none.obstacle = error.what();
    return none;
  }
}

void check_scaling(mpi::Communicator const& ranks, Device const& device, Problem const& problem,
                   ScalingBenchOptions const& scaling) {
  check_transport(scaling.transport, ranks, device.backend);
  mpi::Communicator const self = mpi::Communicator::self();
  (void)sweep_plan_for(self, problem, execution_on(self, device, problem, scaling));
}

}  // namespace isotherm
