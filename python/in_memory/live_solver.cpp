#include "python/in_memory/live_solver.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "app/run/iterations.hpp"
#include "app/run/output/field_picture.hpp"
#include "app/run/prepare/first_values.hpp"
#include "app/run/report/flows/heat_balance.hpp"
#include "app/run/resume/solver_state.hpp"
#include "app/run/schedule/convergence_check.hpp"
#include "case/basics/text/wording.hpp"
#include "case/data/data_field.hpp"
#include "case/sections/parts.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/checks/checksum.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/stopwatch.hpp"
#include "solver/discretise/shapes/regional_source.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {
using namespace app;

namespace {

/// Returns the points on a face of the whole grid.
GlobalBox points_on(Grid const& grid, Face face) {
  GlobalBox points = grid.box();
  (face.upper ? points.lower : points.upper)[face.axis] =
      face.upper ? points.upper[face.axis] - 1 : points.lower[face.axis] + 1;
  return points;
}

/// Replaces parts of the problem by given functions. Functions on faces are needed on the whole
/// face, others only on `part`.
void put_given_functions(Problem& problem, GivenFunctions const& given, GlobalBox part) {
  auto const place = [&](std::string const& key, GlobalBox box, ScalarFunction& function) {
    auto const found = given.find(key);
    if (found == given.end()) return;
    function = lookup(found->second, problem.grid, box);
    function.text = "given by a program";
  };
  place("equation.source", part, problem.source);
  // The given function replaces [equation] source; those of [[source]] are added to it.
  if (given.contains("equation.source")) {
    problem.source = sum_of(problem, problem.source, problem.source_terms);
  }
  place("initial.value", part, problem.initial.value);
  for (Face const face : faces(problem.grid)) {
    place("boundary." + name(face), points_on(problem.grid, face), problem.boundary[face].value);
  }
}

/// Returns a hash of a text. Texts that differ in a single place never have the same hash, see
/// mixed_row().
std::uint64_t digest_of(std::string const& text) {
  std::vector<std::uint32_t> const letters(text.begin(), text.end());
  return mixed_row(text.size(), letters.data(), static_cast<std::int64_t>(text.size()));
}

/// Checks that all ranks have the same case. Ranks with different cases would wait for each other
/// forever. Collective. @throws InputError
void check_same(mpi::Communicator const& ranks, Case const& chosen, GivenFunctions const& given) {
  std::string said = chosen.text;
  for (auto const& [key, function] : given) said += '\n' + key;
  std::uint64_t const digest = digest_of(said);
  if (ranks.any(ranks.broadcast(digest) != digest)) {
    throw InputError(
        "the ranks have different cases (all ranks must create the same solvers in the same "
        "order)");
  }
}

/// Plans the run. A rank does not know its part of the grid before planning. So the functions are
/// installed twice: first for an empty box, without being called, and then for the rank's part.
PreparedRun prepare(mpi::Communicator const& ranks, Case chosen, GivenFunctions const& given) {
  check_same(ranks, chosen, given);
  check_data(ranks, chosen.data, chosen.problem.precision);
  put_given_functions(chosen.problem, given, {});
  // Given functions have no text that a fingerprint could compare.
  if (!given.empty() || !chosen.data.empty()) chosen.fingerprint = fingerprint_of(chosen);
  for (auto const& [key, function] : given) {
    chosen.said[key] = key + " (given by a program)";
    chosen.text.insert(0, "# " + key + " was given by a program; this number is a placeholder\n");
  }
  PreparedRun run = prepare_unwritten_run(ranks, std::move(chosen));
  put_given_functions(run.chosen.problem, given, run.plan.solver->subdomain.owned_global());
  return run;
}

/// Returns the format of a picture by its file name. @throws InputError
PictureFormat format_by_ending(std::filesystem::path const& file) {
  if (auto const format = picture_format_of(file)) return *format;
  throw InputError(file.string() + ": the name of a picture must end in .png, .svg or .pdf");
}

/// Allocates the solver and sets its initial values. A live solver never resumes.
std::unique_ptr<Solver> make_solver_with_values(mpi::Communicator const& ranks, PreparedRun& run) {
  std::optional<ResumePoint> none;
  return make_first_values(ranks, run, none);
}

}  // namespace

LiveSolver::LiveSolver(mpi::Communicator ranks, Case chosen, GivenFunctions const& given)
    : ranks_(std::move(ranks)),
      run_(prepare(ranks_, std::move(chosen), given)),
      solver_(make_solver_with_values(ranks_, run_)),
      stop_event_(ranks_, run_.chosen, *solver_),
      chunking_(make_chunking(ranks_, *solver_, run_.chosen)) {}

bool LiveSolver::advance_to(std::int64_t iteration, std::function<bool()> const& interrupted) {
  auto const wanted = static_cast<double>(iteration);  // exact below 2^53
  if (ranks_.max(wanted) != ranks_.min(wanted)) {
    throw InputError("the ranks do not advance by the same number of iterations");
  }
  while (!has_stopped() && solver_->iteration() < iteration) {
    // Every rank calls `interrupted` in each round, as any() is collective.
    if (ranks_.any(interrupted())) return false;
    std::int64_t const event = stop_event_.next(solver_->iteration(), iteration);
    std::int64_t const end = chunking_.next(solver_->iteration(), event);
    advance_chunk(end, end == event);
  }
  return !ranks_.any(interrupted());
}

void LiveSolver::advance_chunk(std::int64_t end, bool is_event) {
  std::int64_t const from = solver_->iteration();
  double own_s = 0.0;
  std::vector<Residual> measured;
  {
    Stopwatch const watch(own_s);
    solver_->advance_to(end);
    solver_->wait();  // the time includes work that is still enqueued
    measured = is_event ? stop_event_.judge() : solver_->take_residuals();
  }
  double const slowest_s = ranks_.max(own_s);
  // All ranks adapt to the slowest one, so they continue with equal chunks.
  chunking_.adapt(solver_->iteration() - from, slowest_s);
  seconds_ += slowest_s;
  residuals_.insert(residuals_.end(), measured.begin(), measured.end());
  reference_ = solver_->state().reference;
}

HostValues LiveSolver::owned_values() {
  HostValues values(run_.chosen.problem.precision,
                    static_cast<std::size_t>(solver_->subdomain().owned().point_count()));
  solver_->read_field(values.view());
  return values;
}

bool LiveSolver::has_converged() {
  MethodSettings const& method = run_.chosen.method;
  // Without a tolerance, convergence is not defined.
  if ((method.tolerance == 0.0 && method.absolute_tolerance == 0.0) || !solver_->converged()) {
    return false;
  }
  ConvergenceCheck const check = check_convergence(ranks_, run_, *solver_);
  if (!check.converged) return false;
  auto const balance = measure_heat_balance(ranks_, run_, *solver_, check);
  return !balance || balance->closes();
}

std::vector<Measurement> LiveSolver::measure(bool quantities) {
  Problem const& problem = run_.chosen.problem;
  std::vector<Probe> const& probes = run_.chosen.probes;
  meters_.resize(probes.size());
  solver_->wait();
  std::vector<Measurement> all;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (std::holds_alternative<Probe::Quantities>(probes[i].where) != quantities) continue;
    if (!meters_[i]) {
      rethrow_on_all_ranks(ranks_, [&] {
        meters_[i] =
            make_probe_meter(ranks_, solver_->queue(), solver_->subdomain(), problem, probes[i]);
      });
    }
    all.push_back({probes[i].table, table_heading(probes[i], problem.grid.dimension, false),
                   meters_[i]->read(solver_->field_view(), solver_->time_s())});
  }
  return all;
}

std::optional<MeanFlux> LiveSolver::mean_flux() {
  solver_->wait();
  return measure_mean_flux(ranks_, run_, *solver_);
}

void LiveSolver::set(ConstValues values) {
  solver_->set_initial(values);
  stop_event_.restart();
  residuals_.clear();
}

void LiveSolver::write(std::filesystem::path const& file) {
  if (file.extension() != snapshot_ending) {
    throw InputError(file.string() + ": the name of a field must end in .vtkhdf");
  }
  HostValues const values = owned_values();
  StorageOptions options;
  options.must_be_finite = true;
  SnapshotInfo const info = describe_field(run_.chosen, *solver_);
  std::visit(
      [&]<class Real>(std::span<Real const> numbers) {
        (void)write_snapshot(ranks_, file, info, solver_->subdomain(), numbers.data(), {}, options);
      },
      values.view());
}

void LiveSolver::draw(std::filesystem::path const& file) {
  PictureFormat const format = format_by_ending(file);
  HostValues const values = owned_values();
  Subdomain const& subdomain = solver_->subdomain();
  draw_field(ranks_, file, run_.chosen, one_line(run_.chosen.title, 120), format, subdomain,
             values.view(), owned_excluded_points(ranks_, subdomain, run_.chosen.problem));
}

}  // namespace isotherm
