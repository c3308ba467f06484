#include "app/run/prepare/run_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "app/machine/plan_file.hpp"
#include "app/machine/tuning/first_tuning.hpp"
#include "app/run/output/vector_fields.hpp"
#include "app/run/probes/stop_event.hpp"
#include "app/run/schedule/snapshot_schedule.hpp"
#include "case/basics/existing_part.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "case/key_at_fault.hpp"
#include "decomposition/field/staging/field_copy.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/device_memory.hpp"
#include "io/snapshot/snapshot_file.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/level/pass_plans.hpp"
#include "solver/methods.hpp"

// A refusal names the key of the case at fault: blaming() adds file, line and key to the message.

namespace isotherm::app {

namespace {

/// Returns the numbers of parts along the axes: those of the case, or the best ones for the device.
Extent3 decompose(Case const& chosen, mpi::Communicator const& ranks, Device const& device) {
  Grid const& grid = chosen.problem.grid;
  if (!chosen.run.decomposition) {
    return blaming(chosen, "grid.points", [&] { return choose_parts(grid, ranks, device); });
  }
  blaming(chosen, "run.decomposition",
          // The case fixes the decomposition, so it is only checked.
          [&] { check_decomposition(grid, *chosen.run.decomposition, ranks.size()); });
  return *chosen.run.decomposition;
}

/// Returns this rank's memory for the solver and, on the host, for dense copies of the fields that
/// are written.
MemoryNeed estimate_memory(Case const& chosen, RunPlan const& plan) {
  // Below 2^61.
  auto const points = static_cast<std::size_t>(LocalBox{{}, plan.owned}.point_count());
  MemoryNeed need;
  // On the CPU "device" is the host's memory, too.
  need.device = solver_bytes(chosen.problem, chosen.method, *plan.solver);
  // One copy per scalar field; vectors are counted separately.
  auto const copies = static_cast<std::size_t>(std::ranges::count_if(
      chosen.output.fields, [](auto const& field) { return components_of(field) == 1; }));
  std::size_t const field_bytes = points * value_bytes(chosen.problem.precision);
  need.host =
      sum_of_bytes(product_of_bytes(copies, field_bytes), VectorFields::bytes(chosen, points));
  // A flag and a share of each point.
  if (may_exclude_points(chosen.problem)) {
    bool const has_shares = static_cast<bool>(shares_of_points(chosen.problem));
    need.host = sum_of_bytes(need.host, PointMask::bytes(points, has_shares));
  }
  need.host =
      sum_of_bytes(need.host, solver_host_bytes(chosen.problem, chosen.method, *plan.solver));
  need.host = sum_of_bytes(need.host, StopEvent::footprint(chosen, plan.solver->subdomain));
  if (chosen.output.compression > 0) {  // chunks being sent, received, assembled and packed
    need.host = sum_of_bytes(need.host, 4 * std::min(field_bytes, default_round_bytes));
  }
  return need;
}

/// Returns true if the case asks for some field before the end of the run.
bool writes_before_end(Case const& chosen, std::int64_t from) {
  SnapshotSchedule const snapshots(chosen);
  std::int64_t const end = chosen.method.iterations;
  bool const by_time = chosen.checkpoint.every_minutes > 0.0 && !has_default_checkpoints(chosen);
  // Snapshots at the start and during the run, or checkpoints of either kind.
  return (from == 0 && snapshots.at_start()) || snapshots.next(from, end) < end ||
         chosen.checkpoint.every > 0 || by_time;
}

/// Returns the device of a case. Settings that concern GPUs only keep a small case on a GPU.
Device device_of(mpi::Communicator const& ranks, Case const& chosen) {
  bool const may_be_small = chosen.run.plan == "auto" &&
                            chosen.run.transport == TransportKind::automatic &&
                            chosen.run.mpi_device_memory == mpi::DeviceMemory::automatic;
  std::optional<Work> work;
  if (may_be_small) work = work_of_run(chosen.problem, chosen.method, ranks.size());
  return blaming(chosen, "run.device",
                 [&] { return choose_device(ranks, chosen.run.device, work); });
}

/// Returns true if plan tables decide on the plans of a case: a method that sweeps, by plans that
/// the case does not name.
bool takes_plans(Case const& chosen) {
  return chosen.run.plan == "auto" && has_plans(method_named(chosen.method.name));
}

/// Adds the remembered plans of this device to the user's table, which has priority. Measures them
/// first if necessary. Collective.
void add_known_plans(mpi::Communicator const& ranks, Case const& chosen, bool may_tune,
                     RunPlan& plan) {
  if (!takes_plans(chosen)) return;
  Subdomain const subdomain(chosen.problem.grid, plan.execution.parts, ranks.rank());
  TuningRequest request;
  request.subject = sweep_subject(chosen.problem, subdomain, plan.execution);
  request.device = plan.device.info;
  request.wanted = may_tune ? chosen.run.tune : std::optional(false);
  request.point_updates = static_cast<double>(subdomain.owned().point_count()) *
                          static_cast<double>(chosen.method.iterations);
  constexpr int any_steps = 1000;
  // A table of the user that has a plan for this sweep makes a measurement useless.
  bool const is_known =
      plan_of_table(plan.execution.plan_table, request.subject, any_steps).has_value();
  if (!ranks.any(!is_known)) return;
  KnownPlans const known = known_plans(ranks, request);
  plan.tuned = known.measured;
  plan.warnings.insert(plan.warnings.end(), known.warnings.begin(), known.warnings.end());
  if (!is_known && plan_of_table(known.rows, request.subject, any_steps)) {
    plan.sweep_from = known.file;
  }
  PlanTable& table = plan.execution.plan_table;
  table.insert(table.end(), known.rows.begin(), known.rows.end());
}

/// Decides whether the run continues while fields are written. The copy on the device is optional:
/// a case that fits only without it runs without it. Collective.
BackgroundOutput plan_background(mpi::Communicator const& ranks, Case const& chosen,
                                 std::int64_t from, RunPlan const& plan) {
  BackgroundOutput background;
  background.only_default = !writes_before_end(chosen, from);
  if (background.only_default && chosen.checkpoint.every_minutes == 0.0) return background;
  auto const points = static_cast<std::size_t>(LocalBox{{}, plan.owned}.point_count());
  MemoryNeed need = plan.memory;
  background.copy_bytes = FieldCopy::footprint(
      plan.device.backend, product_of_bytes(points, value_bytes(chosen.problem.precision)));
  need.device = sum_of_bytes(need.device, background.copy_bytes);
  // The reasons in order of precedence. The last one is collective, but its predecessors are the
  // same on all ranks.
  background.obstacle =
      !chosen.output.in_background ? "output.in_background is false"
      : !mpi::all_threads_may_call()
          ? "the MPI library allows calls from only one thread per rank (no MPI_THREAD_MULTIPLE)"
      : ranks.any(!fits(plan.device.backend, need, plan.memory_limits))
          ? "the device has no memory left for a copy of the field"
          : "";
  background.possible = background.obstacle.empty();
  if (!background.possible) background.copy_bytes = 0;
  return background;
}

/// The message for a case that does not fit into the memory, with a remedy.
std::string refusal_for_memory(Case const& chosen, RunPlan const& plan) {
  bool const float32 = chosen.problem.precision == Precision::float32;
  bool const has_aggregates = chosen.method.multigrid.hierarchy == HierarchyKind::aggregates;
  Backend const backend = plan.device.backend;
  bool const on_device = backend == Backend::cuda && plan.memory.device > plan.memory_limits.device;
  // Minimum for any case: two fields in float32.
  double const minimum = 8.0 * static_cast<double>(LocalBox{{}, plan.owned}.point_count());
  std::vector<std::string> remedies{on_device ? "more GPUs" : "more hosts", "a smaller grid"};
  if (!float32) remedies.emplace_back("float32");
  if (has_aggregates) remedies.emplace_back("[method] hierarchy = \"grids\"");
  std::string const last = " or " + remedies.back();
  remedies.pop_back();
  return fmt::format("the case {}: use {}{}",
                     lack_of_memory(backend, plan.memory, plan.memory_limits, minimum),
                     join(remedies), last);
}

}  // namespace

RunPlan make_run_plan(mpi::Communicator const& ranks, Case const& chosen, std::int64_t from,
                      bool may_tune) {
  RunPlan plan;
  plan.device = device_of(ranks, chosen);
  mpi::use_device_memory(chosen.run.mpi_device_memory);
  mpi::check_device_memory_setting(ranks);
  blaming(chosen, "run.transport",
          [&] { check_transport(chosen.run.transport, ranks, plan.device.backend); });
  // Each choice below depends on the ones before: device, decomposition, plan table, kernel
  // variant, memory.
  Extent3 const parts = decompose(chosen, ranks, plan.device);
  PlanFile const table = read_plan_file(ranks, chosen.run.plan_table, plan.device);
  plan.warnings = table.warnings;
  plan.execution = {plan.device.backend,  plan.device.number, parts,
                    chosen.run.transport, chosen.run.plan,    table.rows};
  plan.sweep_from = table.name;
  add_known_plans(ranks, chosen, may_tune, plan);
  plan.solver = blaming<PlanRefusal>(chosen, "run.plan", [&] {
    return plan_solver(ranks, chosen.problem, chosen.method, plan.execution);
  });
  plan.owned = plan.solver->subdomain.extent();
  plan.largest_part = plan.solver->subdomain.largest_extent();
  // The plan of a full pass represents the solver in reports.
  plan.sweep = plan.solver->passes.full();
  if (!plan.solver->passes.from_table()) plan.sweep_from.clear();
  plan.memory = estimate_memory(chosen, plan);
  plan.memory_limits = memory_limits(ranks, plan.device);
  // The copy uses memory that nothing else needs, so it is planned last.
  plan.background = plan_background(ranks, chosen, from, plan);
  plan.memory.device = sum_of_bytes(plan.memory.device, plan.background.copy_bytes);
  return plan;
}

std::size_t spare_host_bytes(RunPlan const& plan) {
  bool const on_host = plan.device.backend == Backend::cpu;
  std::size_t const need =
      on_host ? sum_of_bytes(plan.memory.host, plan.memory.device) : plan.memory.host;
  return plan.memory_limits.host > need ? plan.memory_limits.host - need : 0;
}

std::size_t spare_device_bytes(RunPlan const& plan) {
  if (plan.device.backend == Backend::cpu) return spare_host_bytes(plan);
  std::size_t const free = plan.memory_limits.device;
  return free > plan.memory.device ? free - plan.memory.device : 0;
}

void check_memory(mpi::Communicator const& ranks, Case const& chosen, RunPlan const& plan) {
  rethrow_on_all_ranks(ranks, [&] {
    if (!fits(plan.device.backend, plan.memory, plan.memory_limits)) {
      throw InputError(refusal_for_memory(chosen, plan));
    }
  });
}

OutputSizes sizes_with_default_checkpoints(Case& chosen, std::int64_t from, OldFiles const& old) {
  OutputSizes const all = output_sizes(chosen, from, old);
  if (!has_default_checkpoints(chosen)) return all;
  double const minutes = std::exchange(chosen.checkpoint.every_minutes, 0.0);
  OutputSizes sizes = output_sizes(chosen, from, old);
  // The size of compressed output is unknown.
  if (all.fits() || chosen.output.compression > 0) {
    chosen.checkpoint.every_minutes = minutes;
    sizes.checkpoint_bytes = all.total_bytes - sizes.total_bytes;
  }
  return sizes;
}

void check_disk(Case const& chosen, OutputSizes const& sizes) {
  if (sizes.fits() || chosen.output.compression > 0) return;
  // A file system without any space, such as /proc: the directory itself is refused later.
  std::error_code fault;
  auto const space = std::filesystem::space(existing_part(chosen.output.directory), fault);
  if (!fault && space.capacity == 0) return;
  throw InputError(fmt::format(
      "the output needs up to {} ({}, {} and {}), but only {} are free at {}: write fewer or "
      "smaller snapshots (output.snapshot_every, cut, precision), no picture, or to another disk "
      "(--output)",
      format_bytes(sizes.total_bytes), format_count(sizes.snapshots, "snapshot"),
      format_count(sizes.whole_files, "whole field"), format_count(sizes.pictures, "picture"),
      format_bytes(sizes.free_bytes), chosen.output.directory.string()));
}

}  // namespace isotherm::app
